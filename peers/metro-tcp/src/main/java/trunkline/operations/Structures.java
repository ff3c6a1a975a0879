package trunkline.operations;

import jakarta.xml.bind.annotation.XmlAccessType;
import jakarta.xml.bind.annotation.XmlAccessorType;
import jakarta.xml.bind.annotation.XmlElement;
import jakarta.xml.bind.annotation.XmlSchemaType;
import jakarta.xml.bind.annotation.XmlType;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import javax.xml.datatype.XMLGregorianCalendar;

/** The structures of the benchmark, for JAXB and for RMI alike. */
public final class Structures {
    private Structures() {}

    /** A small class. */
    @XmlAccessorType(XmlAccessType.FIELD)
    @XmlType(name = "struct", propOrder = {"number", "fraction", "text"})
    public static class Struct implements Serializable {
        public int number;
        public float fraction;
        @XmlElement(required = true)
        public String text;
    }

    /** A small class with bytes. */
    @XmlAccessorType(XmlAccessType.FIELD)
    @XmlType(name = "synthetic", propOrder = {"text", "structure", "bytes"})
    public static class Synthetic implements Serializable {
        @XmlElement(required = true)
        public String text;
        @XmlElement(required = true)
        public Struct structure;
        @XmlElement(required = true)
        public byte[] bytes;
    }

    /** Where an item is. */
    @XmlAccessorType(XmlAccessType.FIELD)
    @XmlType(name = "location", propOrder = {"street", "city", "country"})
    public static class Location implements Serializable {
        @XmlElement(required = true)
        public String street;
        @XmlElement(required = true)
        public String city;
        @XmlElement(required = true)
        public String country;
    }

    /** An item of a list. */
    @XmlAccessorType(XmlAccessType.FIELD)
    @XmlType(name = "item",
            propOrder = {"id", "description", "price", "inventory", "location", "created"})
    public static class Item implements Serializable {
        @XmlElement(required = true)
        public String id;
        @XmlElement(required = true)
        public String description;
        public float price;
        public int inventory;
        @XmlElement(required = true)
        public Location location;
        @XmlElement(required = true)
        @XmlSchemaType(name = "dateTime")
        public XMLGregorianCalendar created;
    }

    /** An address. */
    @XmlAccessorType(XmlAccessType.FIELD)
    @XmlType(name = "address",
            propOrder = {"firstName", "lastName", "address1", "address2", "city", "state", "zip"})
    public static class Address implements Serializable {
        @XmlElement(required = true)
        public String firstName;
        @XmlElement(required = true)
        public String lastName;
        @XmlElement(required = true)
        public String address1;
        @XmlElement(required = true)
        public String address2;
        @XmlElement(required = true)
        public String city;
        @XmlElement(required = true)
        public String state;
        @XmlElement(required = true)
        public String zip;
    }

    /** Who ordered. */
    @XmlAccessorType(XmlAccessType.FIELD)
    @XmlType(name = "customer", propOrder = {"customerId", "firstName", "lastName", "phone",
        "lastActivity", "cardNumber", "cardExpiration", "billingAddress", "shippingAddress"})
    public static class Customer implements Serializable {
        public int customerId;
        @XmlElement(required = true)
        public String firstName;
        @XmlElement(required = true)
        public String lastName;
        @XmlElement(required = true)
        public String phone;
        @XmlElement(required = true)
        @XmlSchemaType(name = "dateTime")
        public XMLGregorianCalendar lastActivity;
        @XmlElement(required = true)
        public String cardNumber;
        @XmlElement(required = true)
        public String cardExpiration;
        @XmlElement(required = true)
        public Address billingAddress;
        @XmlElement(required = true)
        public Address shippingAddress;
    }

    /** A line of an order. */
    @XmlAccessorType(XmlAccessType.FIELD)
    @XmlType(name = "lineItem",
            propOrder = {"orderId", "itemId", "productId", "description", "quantity", "unitPrice"})
    public static class LineItem implements Serializable {
        public int orderId;
        public int itemId;
        public int productId;
        @XmlElement(required = true)
        public String description;
        public int quantity;
        public float unitPrice;
    }

    /** The list of an order. */
    @XmlAccessorType(XmlAccessType.FIELD)
    @XmlType(name = "ArrayOfLineItem", propOrder = {"lineItem"})
    public static class ArrayOfLineItem implements Serializable {
        public List<LineItem> lineItem = new ArrayList<>();
    }

    /** An order. */
    @XmlAccessorType(XmlAccessType.FIELD)
    @XmlType(name = "order", propOrder = {"orderId", "status", "ordered", "customer", "lineItems"})
    public static class Order implements Serializable {
        public int orderId;
        public int status;
        @XmlElement(required = true)
        @XmlSchemaType(name = "dateTime")
        public XMLGregorianCalendar ordered;
        @XmlElement(required = true)
        public Customer customer;
        @XmlElement(required = true)
        public ArrayOfLineItem lineItems;
    }
}
