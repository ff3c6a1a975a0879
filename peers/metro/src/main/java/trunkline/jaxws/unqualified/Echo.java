package trunkline.jaxws.unqualified;

import jakarta.xml.bind.annotation.XmlAccessType;
import jakarta.xml.bind.annotation.XmlAccessorType;
import jakarta.xml.bind.annotation.XmlRootElement;
import jakarta.xml.bind.annotation.XmlType;

/** The message, as the parts of a call of `echo`. */
@XmlRootElement(name = "echo")
@XmlAccessorType(XmlAccessType.FIELD)
@XmlType(name = "echoRequest", propOrder = {"header", "customers", "products"})
public class Echo {
    public String header;
    public Customers customers;
    public Products products;
}
