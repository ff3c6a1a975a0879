import desk.*;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Calendar;
import java.util.TimeZone;
import javax.xml.namespace.QName;
import javax.xml.rpc.Stub;
import org.apache.axis.MessageContext;
import org.apache.axis.client.AdminClient;
import org.apache.axis.message.SOAPHeaderElement;
import org.apache.axis.transport.http.SimpleAxisServer;
import org.apache.axis.types.Duration;
import org.apache.axis.types.Time;

/** The desk through Axis 1.4, of what it made of the WSDL: as caller, and in its place. */
public final class Axis implements DeskPortType {
    static final String NAMESPACE = "urn:desk";
    static final String TOKEN = "T-1 <&>";

    static Order order() {
        var order = new Order();
        order.setId(7);
        order.setChannel("fax & phone");
        order.setSide(Side.SellShort);
        order.setLimit(new BigDecimal("6.35"));
        order.setBuyer(party(5, "Z\u00fcrich <&>", "Z"));
        order.setNotes(new String[] {"one", "two  words"});
        order.setLegs(new Leg[] {leg("IBM", 5_000_000_000L, 0.5), leg("CBG", -1, null)});
        order.setSizes(new int[] {1, -2, 3});
        order.setQuantity(5_000_000_000L);
        order.setRate(0.25);
        order.setTotal(new BigDecimal("12345678.25"));
        order.setOpen(true);
        order.setRaw(new byte[] {0, -1, 10});
        order.setAt(moment(2026, Calendar.FEBRUARY, 28, 23, 30, 15, "GMT-5:00"));
        order.getAt().set(Calendar.MILLISECOND, 250);
        order.setDay(moment(2026, Calendar.FEBRUARY, 28, 0, 0, 0, "GMT").getTime());
        order.setClock(new Time("10:15:30+01:00"));
        order.setHold(new Duration("P1DT2H"));
        return order;
    }

    static Calendar moment(int year, int month, int day, int hour, int minute, int second, String zone) {
        var moment = Calendar.getInstance(TimeZone.getTimeZone(zone));
        moment.clear();
        moment.set(year, month, day, hour, minute, second);
        return moment;
    }

    static Party party(Integer code, String name, String city) {
        var party = new Party();
        if (code != null) {
            // An attribute that may be absent is 0 here where it is.
            party.setCode(code);
        }
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

    /** The text of an element inside a header block. */
    static String text(SOAPHeaderElement block, String name) throws Exception {
        return block.getAsDOM().getElementsByTagNameNS("*", name).item(0).getTextContent();
    }

    static void call(String url) throws Exception {
        var port = (org.apache.axis.client.Stub) new DeskLocator().getPort(DeskPortType.class);
        port._setProperty(Stub.ENDPOINT_ADDRESS_PROPERTY, url);
        var session = new SOAPHeaderElement(new QName(NAMESPACE, "Session"));
        session.addChildElement("token", "", NAMESPACE).addTextNode(TOKEN);
        port.setHeader(session);
        var order = order();
        for (int time = 0; time < 2; time++) {
            // The second time with what came back.
            order = ((DeskPortType) port).place(order);
            System.out.println("receipt " + text(port.getResponseHeader(NAMESPACE, "Receipt"), "number"));
        }
        try {
            ((DeskPortType) port).refuse(8);
        } catch (Limit limit) {
            var line = new StringBuilder(limit.getFaultString() + ": " + limit.getMost() + " " + limit.getWhy());
            line.append(" until ").append(limit.getWindow().getUntil().toInstant().toString().substring(0, 10));
            for (int step : limit.getWindow().getSteps()) {
                line.append(" ").append(step);
            }
            System.out.println(line);
        }
    }

    @Override
    public Order place(Order order) throws java.rmi.RemoteException {
        try {
            var context = MessageContext.getCurrentContext();
            var envelope = context.getRequestMessage().getSOAPEnvelope();
            var session = envelope.getHeaderByName(NAMESPACE, "Session");
            if (!TOKEN.equals(text((SOAPHeaderElement) session, "token"))) {
                throw new IllegalArgumentException("not the token");
            }
            var receipt = new SOAPHeaderElement(new QName(NAMESPACE, "Receipt"));
            receipt.addChildElement("number", "", NAMESPACE).addTextNode("17");
            context.getResponseMessage().getSOAPEnvelope().addHeader(receipt);
        } catch (Exception error) {
            throw new java.rmi.RemoteException("header", error);
        }
        order.setId(order.getId() + 1);
        order.setSide(Side.Buy);
        order.setLimit(null);
        var peg = new Peg();
        peg.setTo("bid");
        peg.setOffset(new BigDecimal("-0.05"));
        order.setPeg(peg);
        order.setSeller(party(null, "N", null));
        var notes = Arrays.copyOf(order.getNotes(), 3);
        notes[2] = "seen";
        order.setNotes(notes);
        order.setLegs(Arrays.copyOfRange(order.getLegs(), 1, 2));
        order.setSizes(new int[0]);
        order.setComment(" seen ");
        order.setOpen(false);
        return order;
    }

    @Override
    public boolean refuse(long quantity) throws Limit {
        var limit = new Limit();
        limit.setFaultCodeAsString("Client");
        limit.setFaultString("too many");
        limit.setMost(7);
        limit.setWhy("a < b");
        limit.setWindow(new Window());
        limit.getWindow().setUntil(moment(2026, Calendar.MARCH, 1, 0, 0, 0, "GMT").getTime());
        limit.getWindow().setSteps(new int[] {3, 5});
        throw limit;
    }

    /** Serves by the deployment that was generated, with this class in place of the one that was. */
    static void serve() throws Exception {
        var socket = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
        var server = new SimpleAxisServer();
        server.setServerSocket(socket);
        server.start(true);
        var deployment = Path.of("deploy.wsdd");
        var generated = Files.readString(Path.of("desk", "deploy.wsdd"));
        Files.writeString(deployment, generated.replaceFirst("(\"className\" value=)\"[^\"]*\"", "$1\"Axis\""));
        var admin = "http://127.0.0.1:" + socket.getLocalPort() + "/axis/services/";
        var done = new AdminClient().process(new String[] {"-l" + admin + "AdminService", "" + deployment});
        System.err.println(done);
        var name = generated.replaceFirst("(?s).*<service name=\"([^\"]*)\".*", "$1");
        System.out.println(admin + name);
    }

    public static void main(String[] arguments) throws Exception {
        // Days have no zone here: they are those of this zone.
        TimeZone.setDefault(TimeZone.getTimeZone("GMT"));
        if (arguments[0].equals("call")) {
            call(arguments[1]);
        } else {
            serve();
            while (System.in.read() >= 0) {}
        }
        System.exit(0);
    }
}
