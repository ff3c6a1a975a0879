package trunkline.jaxws.qualified;

import jakarta.xml.bind.annotation.XmlAccessType;
import jakarta.xml.bind.annotation.XmlAccessorType;
import jakarta.xml.bind.annotation.XmlElement;
import jakarta.xml.bind.annotation.XmlType;
import java.util.ArrayList;
import java.util.List;

/** The customers of a message. */
@XmlAccessorType(XmlAccessType.FIELD)
@XmlType(name = "ArrayOfcustomer", propOrder = {"customer"})
public class Customers {
    @XmlElement(name = "customer")
    public List<Customer> customer = new ArrayList<>();
}
