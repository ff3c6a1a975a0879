import jakarta.jws.WebParam;
import jakarta.jws.WebResult;
import jakarta.jws.WebService;
import jakarta.xml.bind.annotation.XmlAccessType;
import jakarta.xml.bind.annotation.XmlAccessorType;
import jakarta.xml.bind.annotation.XmlAttribute;
import jakarta.xml.bind.annotation.XmlElement;
import jakarta.xml.bind.annotation.XmlElements;
import jakarta.xml.bind.annotation.XmlList;
import jakarta.xml.bind.annotation.XmlSeeAlso;
import jakarta.xml.bind.annotation.XmlType;
import jakarta.xml.bind.annotation.XmlValue;
import jakarta.xml.ws.Endpoint;
import jakarta.xml.ws.RequestWrapper;
import jakarta.xml.ws.ResponseWrapper;
import jakarta.xml.ws.Service;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URL;
import java.util.ArrayList;
import java.util.List;
import javax.xml.namespace.QName;

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

    /** One of these or of what extends it: JAXB tells which by xsi:type. */
    @XmlSeeAlso({Circle.class, Square.class})
    @XmlType(propOrder = {"name"})
    public static class Shape {
        public String name;
    }

    public static class Circle extends Shape {
        public double radius;
    }

    public static class Square extends Shape {
        public int side;
        public Shape inside;
    }

    public static class Drawing {
        public String title;
        public Shape first;
        public List<Shape> shapes = new ArrayList<>();
        public Object any;
        public List<Object> all = new ArrayList<>();
    }

    /** One of several elements, and any number of them. */
    public static class Basket {
        @XmlAttribute public String owner;

        @XmlElements({
            @XmlElement(name = "whole", type = Integer.class),
            @XmlElement(name = "word", type = String.class),
            @XmlElement(name = "circle", type = Circle.class)
        })
        public Object one;

        public String found;

        @XmlElements({
            @XmlElement(name = "count", type = Integer.class),
            @XmlElement(name = "line", type = Line.class)
        })
        public List<Object> many = new ArrayList<>();
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

    /** The basket as it came, with what Java found in it. */
    public Basket fill(@WebParam(name = "basket") Basket basket) {
        StringBuilder found = new StringBuilder();
        show(basket.one, found);
        for (Object one : basket.many) {
            show(one instanceof Line ? ((Line) one).quantity + ((Line) one).text : one, found);
        }
        basket.found = basket.owner + " " + found;
        return basket;
    }

    /** The drawing as it came, with what Java found in it as its title. */
    public Drawing draw(@WebParam(name = "drawing") Drawing drawing) {
        StringBuilder found = new StringBuilder();
        show(drawing.first, found);
        for (Shape shape : drawing.shapes) show(shape, found);
        show(drawing.any, found);
        for (Object one : drawing.all) show(one, found);
        drawing.title = found.toString();
        return drawing;
    }

    static void show(Object one, StringBuilder found) {
        String of = one == null ? "null" : one.getClass().getSimpleName();
        found.append(found.length() == 0 ? "" : " ").append(of);
        if (one instanceof Shape) found.append(':').append(((Shape) one).name);
        if (one instanceof Circle) found.append(':').append(((Circle) one).radius);
        if (one instanceof Square) {
            found.append(':').append(((Square) one).side).append('(');
            show(((Square) one).inside, found);
            found.append(')');
        }
        if (!(one instanceof Shape) && one != null) found.append(':').append(one);
    }

    /** What a client knows of it. */
    @WebService(name = "DeskPortType", targetNamespace = "urn:desk")
    @XmlSeeAlso({Shape.class})
    public interface Draws {
        @RequestWrapper(className = "Desk$Draw", localName = "draw", targetNamespace = "urn:desk")
        @ResponseWrapper(className = "Desk$Drawn", localName = "drawResponse", targetNamespace = "urn:desk")
        @WebResult(name = "return")
        Drawing draw(@WebParam(name = "drawing") Drawing drawing);
    }

    @XmlAccessorType(XmlAccessType.FIELD)
    @XmlType(name = "draw", namespace = "urn:desk")
    public static class Draw {
        private Drawing drawing;

        public Drawing getDrawing() {
            return drawing;
        }

        public void setDrawing(Drawing drawing) {
            this.drawing = drawing;
        }
    }

    @XmlAccessorType(XmlAccessType.FIELD)
    @XmlType(name = "drawResponse", namespace = "urn:desk")
    public static class Drawn {
        @XmlElement(name = "return")
        private Drawing drawing;

        public Drawing getReturn() {
            return drawing;
        }

        public void setReturn(Drawing drawing) {
            this.drawing = drawing;
        }
    }

    /** Calls the service there with a drawing, as that describes itself, and shows the answer. */
    static void call(String there) throws Exception {
        Service service = Service.create(new URL(there + "?wsdl"), new QName("urn:desk", "Desk"));
        Draws draws = service.getPort(Draws.class);
        Drawing drawing = new Drawing();
        Circle circle = new Circle();
        circle.name = "c";
        circle.radius = 0.5;
        Square square = new Square();
        square.name = "s";
        square.side = 3;
        square.inside = circle;
        Shape plain = new Shape();
        plain.name = "p";
        drawing.first = square;
        drawing.shapes.add(plain);
        drawing.shapes.add(circle);
        drawing.any = 7;
        drawing.all.add("text");
        drawing.all.add(true);
        drawing.all.add(circle);
        Drawing answer = draws.draw(drawing);
        String told = answer.title;
        System.out.println(told + " | " + new Desk().draw(answer).title);
    }

    /** Serves at a port that nobody has; another is taken if somebody got it in between. */
    static int publish() throws Exception {
        for (int left = 8; ; left--) {
            int port;
            try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
                port = socket.getLocalPort();
            }
            try {
                Endpoint.publish("http://127.0.0.1:" + port + "/desk", new Desk());
                return port;
            } catch (RuntimeException error) {
                if (left == 0) throw error;
            }
        }
    }

    /** Serves until its input ends, or calls the service there. */
    public static void main(String[] arguments) throws Exception {
        if (arguments.length > 0) {
            call(arguments[0]);
            System.exit(0);
        }
        System.out.println(publish());
        while (System.in.read() >= 0) {}
        System.exit(0);
    }
}
