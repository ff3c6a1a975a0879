import com.sun.net.httpserver.HttpServer;
import jakarta.jws.WebParam;
import jakarta.jws.WebService;
import jakarta.xml.bind.annotation.XmlAttribute;
import jakarta.xml.bind.annotation.XmlElement;
import jakarta.xml.bind.annotation.XmlList;
import jakarta.xml.bind.annotation.XmlType;
import jakarta.xml.bind.annotation.XmlValue;
import jakarta.xml.ws.Endpoint;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;

/** A service made from code alone: the schema is what JAX-WS and JAXB make of these classes. */
@WebService(serviceName = "Desk", targetNamespace = "urn:desk")
public class Desk {
    /** Members as JAXB has them by default: elements in no namespace, lists without a wrapper. */
    public static class Quoted {
        public String symbol;
        public BigDecimal price;
        public List<String> venues = new ArrayList<>();
        public List<Line> lines = new ArrayList<>();
    }

    public static class Line {
        public int quantity;
        public String text;
    }

    /** Members of another namespace, and some of their own. */
    @XmlType(namespace = "urn:party")
    public static class Party {
        @XmlElement(namespace = "urn:party")
        public String name;

        @XmlElement(namespace = "urn:party")
        public String city;

        @XmlElement(namespace = "urn:other")
        public String code;

        public String plain;
    }

    /** Text with an attribute. */
    public static class Money {
        @XmlValue public BigDecimal amount;
        @XmlAttribute public String currency;
    }

    public static class Order {
        @XmlAttribute(required = true)
        public int id;

        @XmlAttribute @XmlList public List<String> flags;

        public String name;
        public Party buyer;
        public Money price;

        @XmlElement(required = true, nillable = true)
        public String note;

        @XmlElement(required = true, nillable = true)
        public Integer count;

        @XmlList public List<Integer> sizes = new ArrayList<>();

        public List<Money> fees = new ArrayList<>();

        @XmlAttribute public Boolean open;
    }

    public Quoted quote(
            @WebParam(name = "symbol") String symbol,
            @WebParam(name = "quantity") int quantity,
            @WebParam(name = "limit") BigDecimal limit,
            @WebParam(name = "venues") List<String> venues) {
        Quoted quote = new Quoted();
        quote.symbol = symbol;
        quote.price = limit == null ? new BigDecimal("6.35") : limit;
        if (venues != null) quote.venues.addAll(venues);
        for (int line = 0; line < quantity; line++) {
            Line one = new Line();
            one.quantity = line;
            one.text = symbol + line;
            quote.lines.add(one);
        }
        return quote;
    }

    /** The order as it came, with what Java found in it as its name. */
    public Order keep(@WebParam(name = "order") Order order) {
        StringBuilder found = new StringBuilder();
        found.append(order.id).append(' ').append(order.flags).append(' ').append(order.open);
        found.append(' ').append(order.note).append(' ').append(order.count);
        found.append(' ').append(order.sizes);
        if (order.buyer != null) {
            Party it = order.buyer;
            found.append(' ').append(it.name).append('/').append(it.city);
            found.append('/').append(it.code).append('/').append(it.plain);
        }
        if (order.price != null) {
            found.append(' ').append(order.price.amount).append(order.price.currency);
        }
        for (Money fee : order.fees) found.append(' ').append(fee.amount).append(fee.currency);
        order.name = found.toString();
        return order;
    }

    /** Serves until its input ends. */
    public static void main(String[] arguments) throws Exception {
        HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 16);
        server.setExecutor(Executors.newFixedThreadPool(2));
        Endpoint.create(new Desk()).publish(server.createContext("/desk"));
        server.start();
        System.out.println(server.getAddress().getPort());
        while (System.in.read() >= 0) {}
        System.exit(0);
    }
}
