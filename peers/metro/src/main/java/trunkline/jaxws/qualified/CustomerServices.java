package trunkline.jaxws.qualified;

import jakarta.xml.bind.annotation.XmlAccessType;
import jakarta.xml.bind.annotation.XmlAccessorType;
import jakarta.xml.bind.annotation.XmlRootElement;
import jakarta.xml.bind.annotation.XmlType;

/** The message, as the body's element of document/literal bare. */
@XmlRootElement(name = "CustomerServices")
@XmlAccessorType(XmlAccessType.FIELD)
@XmlType(name = "CustomerServices", propOrder = {"header", "customers", "products"})
public class CustomerServices {
    public String header;
    public Customers customers;
    public Products products;
}
