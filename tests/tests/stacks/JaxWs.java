import desk.*;
import desk.party.Party;
import jakarta.jws.WebService;
import jakarta.xml.ws.Endpoint;
import jakarta.xml.ws.Holder;
import jakarta.xml.ws.soap.SOAPBinding;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.util.List;
import javax.xml.datatype.DatatypeFactory;
import javax.xml.datatype.XMLGregorianCalendar;

/** The desk through JAX-WS, of what a toolkit made of its WSDL: as caller, and in its place. */
public final class JaxWs {
    static final String TOKEN = "T-1 <&>";

    /** A day, a time or a moment as it is written. */
    static XMLGregorianCalendar calendar(String text) {
        return DatatypeFactory.newDefaultInstance().newXMLGregorianCalendar(text);
    }

    static Order order() {
        var order = new Order();
        order.setId(7);
        order.setChannel("fax & phone");
        order.setSide(Side.SELL_SHORT);
        order.setLimit(new BigDecimal("6.35"));
        order.setBuyer(party(5, "Z\u00fcrich <&>", "Z"));
        order.getNotes().addAll(List.of("one", "two  words"));
        order.getLegs().addAll(List.of(leg("IBM", 5_000_000_000L, 0.5), leg("CBG", -1, null)));
        order.setSizes(new ArrayOfint());
        order.getSizes().getItem().addAll(List.of(1, -2, 3));
        order.setQuantity(5_000_000_000L);
        order.setRate(0.25);
        order.setTotal(new BigDecimal("12345678.25"));
        order.setOpen(true);
        order.setRaw(new byte[] {0, -1, 10});
        order.setAt(calendar("2026-02-28T23:30:15.25-05:00"));
        order.setDay(calendar("2026-02-28+02:00"));
        order.setClock(calendar("10:15:30+01:00"));
        order.setHold(DatatypeFactory.newDefaultInstance().newDuration("P1DT2H"));
        return order;
    }

    static Party party(Integer code, String name, String city) {
        var party = new Party();
        party.setCode(code);
        party.setName(name);
        party.setCity(city);
        return party;
    }

    static Leg leg(String symbol, long quantity, Double ratio) {
        var leg = new Leg();
        leg.setSymbol(symbol);
        leg.setQuantity(quantity);
        leg.setRatio(ratio);
        return leg;
    }

    static void call(String url) throws Exception {
        var port = new Desk(URI.create(url).toURL()).getPort(DeskPortType.class);
        var session = new Session();
        session.setToken(TOKEN);
        var order = order();
        for (int time = 0; time < 2; time++) {
            // The second time with what came back.
            var receipt = new Holder<Receipt>();
            order = port.place(order, session, receipt);
            System.out.println("receipt " + receipt.value.getNumber());
        }
        try {
            port.refuse(8);
        } catch (LimitFault fault) {
            var limit = fault.getFaultInfo();
            var line = new StringBuilder(fault.getMessage() + ": " + limit.getMost() + " " + limit.getWhy());
            line.append(" until ").append(limit.getWindow().getUntil());
            limit.getWindow().getSteps().forEach(step -> line.append(" ").append(step));
            System.out.println(line);
        }
    }

    @WebService(
            endpointInterface = "desk.DeskPortType",
            serviceName = "Desk",
            portName = "DeskPort",
            targetNamespace = "urn:desk")
    public static class Service implements DeskPortType {
        @Override
        public Order place(Order order, Session session, Holder<Receipt> receipt) {
            if (session == null || !TOKEN.equals(session.getToken())) {
                throw new IllegalArgumentException("not the token");
            }
            receipt.value = new Receipt();
            receipt.value.setNumber(17);
            order.setId(order.getId() + 1);
            order.setSide(Side.BUY);
            order.setLimit(null);
            var peg = new Peg();
            peg.setTo("bid");
            peg.setOffset(new BigDecimal("-0.05"));
            order.setPeg(peg);
            order.setSeller(party(null, "N", null));
            order.getNotes().add("seen");
            order.getLegs().remove(0);
            order.getSizes().getItem().clear();
            order.setComment(" seen ");
            order.setOpen(false);
            return order;
        }

        @Override
        public boolean refuse(long quantity) throws LimitFault {
            var limit = new Limit();
            limit.setMost(7);
            limit.setWhy("a < b");
            limit.setWindow(new Window());
            limit.getWindow().setUntil(calendar("2026-03-01"));
            limit.getWindow().getSteps().addAll(List.of(3, 5));
            throw new LimitFault("too many", limit);
        }
    }

    /** Serves at a port that nobody has; another is taken if somebody got it in between. */
    static String publish(String binding) throws Exception {
        for (int left = 8; ; left--) {
            int port;
            try (var socket = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
                port = socket.getLocalPort();
            }
            var url = "http://127.0.0.1:" + port + "/desk";
            try {
                Endpoint.create(binding, new Service()).publish(url);
                return url;
            } catch (RuntimeException error) {
                if (left == 0) throw error;
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("call")) {
            call(arguments[1]);
        } else {
            var isNew = arguments[1].equals("soap12");
            System.out.println(publish(isNew ? SOAPBinding.SOAP12HTTP_BINDING : SOAPBinding.SOAP11HTTP_BINDING));
            while (System.in.read() >= 0) {}
        }
        System.exit(0);
    }
}
