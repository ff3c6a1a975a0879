package trunkline.cxf;

import jakarta.xml.ws.Endpoint;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import org.apache.cxf.Bus;
import org.apache.cxf.BusFactory;
import org.apache.cxf.frontend.ClientProxy;
import org.apache.cxf.jaxws.JaxWsProxyFactoryBean;
import org.apache.cxf.transport.http.HTTPConduit;
import org.apache.cxf.transports.http.configuration.ConnectionType;
import org.apache.cxf.transports.http.configuration.HTTPClientPolicy;
import org.apache.cxf.version.Version;
import trunkline.arrays.Arrays;
import trunkline.arrays.ArraysClient;
import trunkline.arrays.ArraysService;
import trunkline.toolkit.Conversation;
import trunkline.toolkit.Toolkit;

/** CXF at either end of the operations on arrays, with Jetty as its server. */
public final class ArraysMain implements Toolkit {
    private static final String CHUNKED = "http-chunked";
    /** Of a call, in milliseconds. */
    private static final long PATIENCE = 60_000;

    private ArraysMain() {}

    public static void main(String[] arguments) throws IOException {
        // By itself it reads arrays of up to 50,000.
        System.setProperty("org.apache.cxf.stax.maxChildElements", "1000000");
        Conversation.hold(arguments[0], new ArraysMain());
    }

    @Override
    public String version() {
        return Version.getCurrentVersion();
    }

    @Override
    public List<String> modes() {
        return List.of("http", CHUNKED);
    }

    private static String url(int port) {
        return "http://127.0.0.1:" + port + "/arrays";
    }

    /** By Jetty's own pool of threads, whatever is asked for. */
    @Override
    public Serving serve(String mode, int threads, boolean isWrong) throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            port = free.getLocalPort();
        }
        Endpoint endpoint = Endpoint.publish(url(port), new ArraysService(isWrong));
        return new Serving(endpoint::stop, port);
    }

    @Override
    public Client connect(String mode, int port, int thread) {
        Bus bus = BusFactory.getDefaultBus();
        // The JDK's older client is the faster one of the two that CXF has, for one call after another.
        bus.setProperty("force.urlconnection.http.conduit", true);
        JaxWsProxyFactoryBean factory = new JaxWsProxyFactoryBean();
        factory.setBus(bus);
        factory.setServiceClass(Arrays.class);
        factory.setAddress(url(port));
        Arrays proxy = factory.create(Arrays.class);
        HTTPClientPolicy policy = new HTTPClientPolicy();
        policy.setConnection(ConnectionType.KEEP_ALIVE);
        policy.setReceiveTimeout(PATIENCE);
        policy.setVersion("1.1");
        policy.setAllowChunking(mode.equals(CHUNKED));
        policy.setChunkingThreshold(0);
        ((HTTPConduit) ClientProxy.getClient(proxy).getConduit()).setClient(policy);
        return new ArraysClient(proxy);
    }
}
