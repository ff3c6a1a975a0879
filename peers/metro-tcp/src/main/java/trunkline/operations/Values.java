package trunkline.operations;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.xml.datatype.DatatypeConfigurationException;
import javax.xml.datatype.DatatypeConstants;
import javax.xml.datatype.DatatypeFactory;
import javax.xml.datatype.XMLGregorianCalendar;
import trunkline.operations.Structures.Address;
import trunkline.operations.Structures.ArrayOfLineItem;
import trunkline.operations.Structures.Customer;
import trunkline.operations.Structures.Item;
import trunkline.operations.Structures.LineItem;
import trunkline.operations.Structures.Location;
import trunkline.operations.Structures.Order;
import trunkline.operations.Structures.Struct;
import trunkline.operations.Structures.Synthetic;

/** What is sent (peers/PROTOCOL.md), and whether it came back. */
final class Values {
    static final int NUMBER = 20_071_022;
    static final String TEXT = "Hello World";
    static final int CUSTOMER = 4711;

    private static final DatatypeFactory TIMES = times();

    private Values() {}

    private static DatatypeFactory times() {
        try {
            return DatatypeFactory.newInstance();
        } catch (DatatypeConfigurationException error) {
            throw new ExceptionInInitializerError(error);
        }
    }

    /** No fraction of a second and no eon: both are null, as the article has them. */
    private static XMLGregorianCalendar moment() {
        return TIMES.newXMLGregorianCalendar(2007, 10, 22, 12, 52, 30,
                DatatypeConstants.FIELD_UNDEFINED, 0);
    }

    static Struct struct() {
        Struct it = new Struct();
        it.number = NUMBER;
        it.fraction = 1.5f;
        it.text = TEXT;
        return it;
    }

    static Synthetic synthetic(int size) {
        Synthetic it = new Synthetic();
        it.text = TEXT;
        it.structure = struct();
        it.bytes = new byte[size];
        for (int index = 0; index < size; index++) it.bytes[index] = (byte) (index * 7 % 251);
        return it;
    }

    /** Each with the same data, whose strings are the same objects. */
    static List<Item> items(int count) {
        List<Item> items = new ArrayList<>(count);
        for (int index = 0; index < count; index++) {
            Item it = new Item();
            it.id = "123456789";
            it.description = "An item of a list";
            it.price = 12.5f;
            it.inventory = 300;
            it.location = new Location();
            it.location.street = "4150 Network Circle";
            it.location.city = "Santa Clara";
            it.location.country = "United States";
            it.created = moment();
            items.add(it);
        }
        return items;
    }

    private static Address address(String street) {
        Address it = new Address();
        it.firstName = "Ada";
        it.lastName = "Lovelace";
        it.address1 = street;
        it.address2 = "Second floor";
        it.city = "Santa Clara";
        it.state = "California";
        it.zip = "95054";
        return it;
    }

    static Order order(int customer, int lines) {
        Order it = new Order();
        it.orderId = lines;
        it.status = 1;
        it.ordered = moment();
        it.customer = new Customer();
        it.customer.customerId = customer;
        it.customer.firstName = "Ada";
        it.customer.lastName = "Lovelace";
        it.customer.phone = "+1 408 555 0100";
        it.customer.lastActivity = moment();
        it.customer.cardNumber = "4111 1111 1111 1111";
        it.customer.cardExpiration = "12/2009";
        it.customer.billingAddress = address("4150 Network Circle");
        it.customer.shippingAddress = address("4140 Network Circle");
        it.lineItems = new ArrayOfLineItem();
        for (int index = 1; index <= lines; index++) {
            LineItem line = new LineItem();
            line.orderId = lines;
            line.itemId = index;
            line.productId = index;
            line.description = "Product " + index;
            line.quantity = 1 + index % 10;
            line.unitPrice = 0.5f + index % 100;
            it.lineItems.lineItem.add(line);
        }
        return it;
    }

    private static boolean same(XMLGregorianCalendar sent, XMLGregorianCalendar came) {
        return came != null && sent.getYear() == came.getYear() && sent.getMonth() == came.getMonth()
                && sent.getDay() == came.getDay() && sent.getHour() == came.getHour()
                && sent.getMinute() == came.getMinute() && sent.getSecond() == came.getSecond()
                && sent.getTimezone() == came.getTimezone()
                // Others write milliseconds.
                && (came.getFractionalSecond() == null
                        || came.getFractionalSecond().signum() == 0);
    }

    static boolean same(Struct sent, Struct came) {
        return came != null && sent.number == came.number && sent.fraction == came.fraction
                && sent.text.equals(came.text);
    }

    static boolean same(Synthetic sent, Synthetic came) {
        return came != null && sent.text.equals(came.text) && same(sent.structure, came.structure)
                && Arrays.equals(sent.bytes, came.bytes);
    }

    static boolean same(List<Item> sent, List<Item> came) {
        if (came == null || sent.size() != came.size()) return false;
        for (int index = 0; index < sent.size(); index++) {
            Item one = sent.get(index);
            Item other = came.get(index);
            boolean same = other != null && one.id.equals(other.id)
                    && one.description.equals(other.description) && one.price == other.price
                    && one.inventory == other.inventory && other.location != null
                    && one.location.street.equals(other.location.street)
                    && one.location.city.equals(other.location.city)
                    && one.location.country.equals(other.location.country)
                    && same(one.created, other.created);
            if (!same) return false;
        }
        return true;
    }

    private static boolean same(Address sent, Address came) {
        return came != null && sent.firstName.equals(came.firstName)
                && sent.lastName.equals(came.lastName) && sent.address1.equals(came.address1)
                && sent.address2.equals(came.address2) && sent.city.equals(came.city)
                && sent.state.equals(came.state) && sent.zip.equals(came.zip);
    }

    private static boolean same(Customer sent, Customer came) {
        return came != null && sent.customerId == came.customerId
                && sent.firstName.equals(came.firstName) && sent.lastName.equals(came.lastName)
                && sent.phone.equals(came.phone) && same(sent.lastActivity, came.lastActivity)
                && sent.cardNumber.equals(came.cardNumber)
                && sent.cardExpiration.equals(came.cardExpiration)
                && same(sent.billingAddress, came.billingAddress)
                && same(sent.shippingAddress, came.shippingAddress);
    }

    static boolean same(Order sent, Order came) {
        if (came == null || sent.orderId != came.orderId || sent.status != came.status
                || !same(sent.ordered, came.ordered) || !same(sent.customer, came.customer)
                || came.lineItems == null
                || came.lineItems.lineItem.size() != sent.lineItems.lineItem.size()) {
            return false;
        }
        for (int index = 0; index < sent.lineItems.lineItem.size(); index++) {
            LineItem one = sent.lineItems.lineItem.get(index);
            LineItem other = came.lineItems.lineItem.get(index);
            boolean same = one.orderId == other.orderId && one.itemId == other.itemId
                    && one.productId == other.productId
                    && one.description.equals(other.description)
                    && one.quantity == other.quantity && one.unitPrice == other.unitPrice;
            if (!same) return false;
        }
        return true;
    }
}
