package trunkline.jaxws.qualified;

import jakarta.xml.bind.annotation.XmlAccessType;
import jakarta.xml.bind.annotation.XmlAccessorType;
import jakarta.xml.bind.annotation.XmlElement;
import jakarta.xml.bind.annotation.XmlType;
import java.util.ArrayList;
import java.util.List;

/** The products of a message. */
@XmlAccessorType(XmlAccessType.FIELD)
@XmlType(name = "ArrayOfproduct", propOrder = {"product"})
public class Products {
    @XmlElement(name = "product")
    public List<Product> product = new ArrayList<>();
}
