package trunkline.jaxws.qualified;

import jakarta.xml.bind.annotation.XmlAccessType;
import jakarta.xml.bind.annotation.XmlAccessorType;
import jakarta.xml.bind.annotation.XmlSchemaType;
import jakarta.xml.bind.annotation.XmlType;
import javax.xml.datatype.XMLGregorianCalendar;

/** One line of an invoice. */
@XmlAccessorType(XmlAccessType.FIELD)
@XmlType(name = "product", propOrder = {
        "categoryId", "isAvailable", "doWeBuy", "doWeSell", "productId", "description",
        "price", "quantity", "quantityUnit", "pricePolicyId", "ETA", "lastModified"})
public class Product {
    public long categoryId;
    public boolean isAvailable;
    public boolean doWeBuy;
    public boolean doWeSell;
    public long productId;
    public String description;
    public double price;
    public long quantity;
    public String quantityUnit;
    public long pricePolicyId;
    @XmlSchemaType(name = "dateTime")
    public XMLGregorianCalendar ETA;
    @XmlSchemaType(name = "dateTime")
    public XMLGregorianCalendar lastModified;
}
