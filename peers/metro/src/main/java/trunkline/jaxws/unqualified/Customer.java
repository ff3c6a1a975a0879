package trunkline.jaxws.unqualified;

import jakarta.xml.bind.annotation.XmlAccessType;
import jakarta.xml.bind.annotation.XmlAccessorType;
import jakarta.xml.bind.annotation.XmlSchemaType;
import jakarta.xml.bind.annotation.XmlType;
import javax.xml.datatype.XMLGregorianCalendar;

/** A customer's account record. */
@XmlAccessorType(XmlAccessType.FIELD)
@XmlType(name = "customer", propOrder = {
        "customerId", "password", "firstName", "lastName", "address", "phoneNum", "email",
        "accountNo", "isValid", "lastModified"})
public class Customer {
    public String customerId;
    public String password;
    public String firstName;
    public String lastName;
    public String address;
    public String phoneNum;
    public String email;
    public String accountNo;
    public boolean isValid;
    @XmlSchemaType(name = "dateTime")
    public XMLGregorianCalendar lastModified;
}
