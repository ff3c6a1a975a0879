package trunkline.operations;

import com.sun.xml.ws.api.BindingID;
import com.sun.xml.ws.api.server.InstanceResolver;
import com.sun.xml.ws.api.server.WSEndpoint;
import com.sun.xml.ws.client.ContentNegotiation;
import com.sun.xml.ws.transport.tcp.client.WSConnectionManager;
import com.sun.xml.ws.transport.tcp.grizzly.GrizzlyTCPConnector;
import com.sun.xml.ws.transport.tcp.server.TCPAdapter;
import com.sun.xml.ws.transport.tcp.server.WSTCPDelegate;
import com.sun.xml.ws.transport.tcp.util.ConnectionManagementSettings;
import com.sun.xml.ws.transport.tcp.util.ConnectionManagementSettings.ConnectionManagementSettingsHolder;
import com.sun.xml.ws.transport.tcp.util.ConnectionSession;
import com.sun.xml.ws.transport.tcp.util.SelectorFactory;
import com.sun.xml.ws.transport.tcp.util.WSTCPURI;
import jakarta.xml.ws.BindingProvider;
import java.net.ServerSocket;
import java.nio.channels.Selector;
import java.util.List;
import java.util.Map;
import javax.xml.namespace.QName;
import trunkline.metro.MetroHttp;
import trunkline.metro.Wsdl;
import trunkline.tcp.Main.Module;
import trunkline.toolkit.Toolkit;

/** Metro over HTTP, in XML or Fast Infoset, and over SOAP/TCP. */
final class Metro implements Toolkit {
    private static final String HTTP = "http";
    private static final String FAST_INFOSET = "http-fast-infoset";
    private static final String PATH = "/operations";
    private static final String ENCODING = "com.sun.xml.ws.transport.tcp.encodingMode";

    /** Of SOAP/TCP, what a client offers. */
    private static final Map<String, String> ENCODINGS =
            Map.of("soap-tcp", "FIStateful", "soap-tcp-stateless", "FIStateless");

    static {
        // System properties would not do: Metro asks a policy for these before them.
        ConnectionManagementSettings.setSettingsHolder(new OneConnectionEach());
    }

    private int clients;
    private final Wsdl wsdl = new Wsdl("operations", "OperationsService");

    /** Its own, as "4.0.5". */
    @Override
    public String version() {
        return MetroHttp.version();
    }

    @Override
    public List<String> modes() {
        return List.of(HTTP, FAST_INFOSET, "soap-tcp", "soap-tcp-stateless");
    }

    @Override
    public Serving serve(String mode, int threads, boolean isWrong) throws Exception {
        OperationsService service = new OperationsService(isWrong);
        return ENCODINGS.containsKey(mode) ? overTcp(service)
                : MetroHttp.serve(PATH, threads, service);
    }

    /** Its connector has as many threads as there are processors, each with its connections. */
    private static Serving overTcp(OperationsService service) throws Exception {
        Module.install();
        WSEndpoint<?> endpoint = WSEndpoint.create(OperationsService.class, true,
                InstanceResolver.createSingleton(service).createInvoker(), null, null, null,
                BindingID.SOAP11_HTTP.createBinding(), null, null, null, true);
        WSTCPDelegate delegate = new WSTCPDelegate();
        delegate.registerAdapters("", List.of(new TCPAdapter("operations", PATH, endpoint)));
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        GrizzlyTCPConnector connector = new GrizzlyTCPConnector("127.0.0.1", port, delegate);
        connector.listen();
        return new Serving(connector::close, port);
    }

    @Override
    public Client connect(String mode, int port, int thread) throws Exception {
        String encoding = ENCODINGS.get(mode);
        // It is read once.
        if (encoding != null) System.setProperty(ENCODING, encoding);
        String scheme = encoding == null ? "http" : "vnd.sun.ws.tcp";
        String url = scheme + "://" + host() + ":" + port + PATH;
        Operations proxy = wsdl.at(url).getPort(
                new QName(Operations.NAMESPACE, "OperationsServicePort"), Operations.class);
        if (encoding != null) tune(proxy, url);
        if (mode.equals(FAST_INFOSET)) {
            ((BindingProvider) proxy).getRequestContext()
                    .put(ContentNegotiation.PROPERTY, ContentNegotiation.optimistic.toString());
        }
        return new OperationsClient(proxy, thread);
    }

    /** A connection for each client, and as many of them as there are clients. */
    private static final class OneConnectionEach implements ConnectionManagementSettingsHolder {
        private static final int MOST = 20_000;

        @Override
        public ConnectionManagementSettings getClientSettings() {
            return new ConnectionManagementSettings(MOST, 1, 1);
        }

        @Override
        public ConnectionManagementSettings getServerSettings() {
            return new ConnectionManagementSettings(MOST, 1);
        }
    }

    /**
     * A thread that waits for bytes takes a selector out of a pool of 20. Of more threads some miss that one has come
     * back to it, and sleep for five seconds: so the pool gets one more for each client. And there is no setting
     * against Nagle's algorithm, so the connection that the first call opens is asked for.
     */
    private static void tune(Operations proxy, String url) throws Exception {
        SelectorFactory.returnSelector(Selector.open());
        proxy.echoVoid();
        WSConnectionManager manager = WSConnectionManager.getInstance();
        // It is there already, and so is its channel.
        ConnectionSession session = manager.openChannel(WSTCPURI.parse(url), null, null, null)
                .getConnectionSession();
        session.getConnection().getSocketChannel().socket().setTcpNoDelay(true);
        manager.freeConnection(session);
    }

    /**
     * The loopback, by another name for each client: a connection of SOAP/TCP stays locked to the thread that called
     * last, so that clients of one name wait for one another.
     */
    private String host() {
        int thread = clients++;
        StringBuilder name = new StringBuilder("localhost");
        for (int at = 0; at < name.length(); at++) {
            if ((thread >> at & 1) == 1) {
                name.setCharAt(at, Character.toUpperCase(name.charAt(at)));
            }
        }
        return name.toString();
    }
}
