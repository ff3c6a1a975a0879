package trunkline.tcp;

import com.sun.xml.ws.api.BindingID;
import com.sun.xml.ws.api.client.SelectOptimalEncodingFeature;
import com.sun.xml.ws.api.server.WSEndpoint;
import com.sun.xml.ws.api.transport.tcp.SelectOptimalTransportFeature;
import com.sun.xml.ws.api.transport.tcp.TcpTransportFeature;
import com.sun.xml.ws.transport.tcp.grizzly.GrizzlyTCPConnector;
import com.sun.xml.ws.transport.tcp.server.TCPAdapter;
import com.sun.xml.ws.transport.tcp.server.WSTCPDelegate;
import com.sun.xml.ws.transport.tcp.server.WSTCPModule;
import jakarta.xml.ws.Endpoint;
import jakarta.xml.ws.Service;
import jakarta.xml.ws.soap.SOAPFaultException;
import java.net.ServerSocket;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import javax.xml.namespace.QName;

/**
 * Metro over SOAP/TCP.
 *
 * <pre>
 * serve 1.1|1.2     prints its port, and serves until the end of what it reads
 * publish 1.1|1.2   the same over HTTP
 * call WSDL BYTES   calls the service, with messages up to so many bytes, and prints "called N times"
 * </pre>
 *
 * How messages are encoded is the property com.sun.xml.ws.transport.tcp.encodingMode: xml, FIStateless,
 * FIStateful.
 */
public final class Main {
    private static int calls;

    private Main() {}

    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("serve")) {
            serve(arguments[1].equals("1.2"));
        } else if (arguments[0].equals("publish")) {
            publish(arguments[1].equals("1.2"));
        } else {
            int bytes = Integer.parseInt(arguments[2]);
            call(port(arguments[1]), bytes);
            System.out.println("called " + calls + " times");
        }
        // Idle connections keep the program alive.
        System.exit(0);
    }

    /**
     * A proxy by the service's WSDL, which is at a URL of HTTP, and whose policy offers SOAP/TCP or Fast Infoset.
     */
    private static Echo port(String url) throws Exception {
        Service service =
                Service.create(URI.create(url).toURL(), new QName(Echo.NAMESPACE, "EchoService"));
        return service.getPort(new QName(Echo.NAMESPACE, "EchoServicePort"), Echo.class,
                new SelectOptimalTransportFeature(), new SelectOptimalEncodingFeature());
    }

    private static void call(Echo echo, int largest) {
        for (int value : new int[] {5, 5, 0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
            same(value, echo.echoInt(value));
        }
        // Again and again, as a vocabulary that is kept has it.
        for (String value : new String[] {"", "Hello World", "Hello World", "<&>\"' \u00e9\u20ac"}) {
            same(value, echo.echoString(value));
        }
        echo.echoVoid();
        for (int round = 0; round < 3; round++) {
            echo.ping("round " + round);
            try {
                echo.fail();
                throw new AssertionError("no fault");
            } catch (SOAPFaultException fault) {
                same("as it was asked to", fault.getFault().getFaultString());
            }
            calls++;
        }
        for (int length : new int[] {0, 1, 9_000, 70_000, largest}) {
            byte[] value = new byte[length];
            new Random(length).nextBytes(value);
            byte[] answer = echo.echoBytes(value);
            if (!Arrays.equals(value, answer)) throw new AssertionError(length + " bytes");
            calls++;
        }
        for (int index = 0; index < 100; index++) same("word " + index, echo.echoString("word " + index));
    }

    private static void same(Object sent, Object answer) {
        if (!sent.equals(answer)) throw new AssertionError(sent + " came back as " + answer);
        calls++;
    }

    private static void serve(boolean soap12) throws Exception {
        Module.install();
        Class<? extends EchoService> service =
                soap12 ? EchoService.Soap12.class : EchoService.class;
        WSEndpoint<?> endpoint = WSEndpoint.create(service, true, null, null, null, null,
                (soap12 ? BindingID.SOAP12_HTTP : BindingID.SOAP11_HTTP).createBinding(),
                null, null, null, true);
        WSTCPDelegate delegate = new WSTCPDelegate();
        delegate.registerAdapters("", List.of(new TCPAdapter("echo", "/echo", endpoint)));
        int port = freePort();
        new GrizzlyTCPConnector("127.0.0.1", port, delegate).listen();
        System.out.println(port);
        while (System.in.read() >= 0) continue;
    }

    private static void publish(boolean soap12) throws Exception {
        int port = freePort();
        // Its WSDL says by a policy that there is SOAP/TCP as well.
        Endpoint endpoint = Endpoint.create(soap12 ? new EchoService.Soap12() : new EchoService(),
                new TcpTransportFeature(true));
        endpoint.publish("http://127.0.0.1:" + port + "/echo");
        System.out.println(port);
        while (System.in.read() >= 0) continue;
    }

    private static int freePort() throws Exception {
        try (ServerSocket free = new ServerSocket(0)) {
            return free.getLocalPort();
        }
    }

    /** Metro asks a container for this; without one it fails. */
    public static final class Module extends WSTCPModule {
        public static void install() {
            setInstance(new Module());
        }

        @Override
        public void register(String context, List<TCPAdapter> adapters) {}

        @Override
        public void free(String context, List<TCPAdapter> adapters) {}

        @Override
        public int getPort() {
            return -1;
        }
    }
}
