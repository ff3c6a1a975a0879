package trunkline.cxf.services;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.apache.cxf.Bus;
import org.apache.cxf.BusFactory;
import org.apache.cxf.binding.soap.SoapFault;
import org.apache.cxf.configuration.jsse.TLSServerParameters;
import org.apache.cxf.endpoint.Server;
import org.apache.cxf.interceptor.Fault;
import org.apache.cxf.interceptor.MessageSenderInterceptor;
import org.apache.cxf.interceptor.OneWayProcessorInterceptor;
import org.apache.cxf.jaxws.JaxWsServerFactoryBean;
import org.apache.cxf.message.Message;
import org.apache.cxf.message.MessageContentsList;
import org.apache.cxf.phase.AbstractPhaseInterceptor;
import org.apache.cxf.phase.Phase;
import org.apache.cxf.transport.MessageObserver;
import org.apache.cxf.transport.common.gzip.GZIPFeature;
import org.apache.cxf.transport.http_jetty.JettyHTTPServerEngineFactory;
import trunkline.jaxws.BareService;
import trunkline.jaxws.Refused;
import trunkline.jaxws.RpcService;
import trunkline.jaxws.Version;
import trunkline.jaxws.WrappedService;
import trunkline.services.Stages;
import trunkline.services.Tls;
import trunkline.services.Toolkit;

/** The services on Jetty, with Jetty's own pool of threads, whatever is asked for. */
final class JettyHost implements Toolkit.Host {
    /** What a message came by. */
    private static final String ARRIVING = JettyHost.class.getName();

    private final Bus bus = BusFactory.newInstance().createBus();
    private final int port;
    private final boolean closes;

    JettyHost(Toolkit.Serving serving) throws IOException, GeneralSecurityException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            port = free.getLocalPort();
        }
        closes = serving.closes();
        String scheme = "http";
        if (serving.certificate() != null) {
            TLSServerParameters tls = new TLSServerParameters();
            tls.setKeyManagers(Tls.keys(serving.certificate(), serving.key()));
            bus.getExtension(JettyHTTPServerEngineFactory.class)
                    .setTLSServerParametersForPort("127.0.0.1", port, tls);
            scheme = "https";
        }
        for (Version version : Version.values()) {
            String url = scheme + "://127.0.0.1:" + port + version.path;
            publish(version, url + "/doc-literal", new BareService(version, JettyHost::ofSender));
            publish(version, url + "/doc-literal-wrapped",
                    new WrappedService(version, JettyHost::ofSender));
            publish(version, url + "/rpc-literal", new RpcService(version, JettyHost::ofSender));
        }
    }

    /** Its own exception has the code, and what it is caused by the detail. */
    private static Refused ofSender(Refused refused, Version version) {
        throw new SoapFault(refused.getMessage(), refused, version.sender);
    }

    private void publish(Version version, String url, Object service) {
        JaxWsServerFactoryBean factory = new JaxWsServerFactoryBean();
        factory.setBus(bus);
        factory.setBindingId(Main.binding(version));
        factory.setAddress(url);
        factory.setServiceBean(service);
        GZIPFeature gzip = new GZIPFeature();
        gzip.setThreshold(0);
        factory.getFeatures().add(gzip);
        Server server = factory.create();
        // A call without an answer is handled where it came, as every other.
        server.getEndpoint().put(OneWayProcessorInterceptor.USE_ORIGINAL_THREAD, true);
        server.getEndpoint().getInInterceptors().add(new OneWay());
        for (var interceptors : List.of(server.getEndpoint().getOutInterceptors(),
                server.getEndpoint().getOutFaultInterceptors())) {
            interceptors.add(new Timed());
            if (closes) interceptors.add(new Closing());
        }
        MessageObserver observer = server.getDestination().getMessageObserver();
        server.getDestination().setMessageObserver(message -> observe(observer, message));
    }

    /** All of a call, from its head to the end of its answer. */
    private static void observe(MessageObserver observer, Message message) {
        Stages.begin();
        try {
            InputStream in = message.getContent(InputStream.class);
            if (in != null) message.setContent(InputStream.class, Stages.timed(in));
            message.put(ARRIVING, in);
            observer.onMessage(message);
        } finally {
            Stages.end();
        }
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public void close() {
        bus.shutdown(true);
        JettyHTTPServerEngineFactory.destroyForPort(port);
    }

    /**
     * What a call without an answer needs. It is accepted before it is handled, and Jetty closes a connection that is
     * answered before all of the request was read. Of rpc/literal CXF does not see that there is no answer, and takes no
     * call that lacks its last parts.
     */
    private static final class OneWay extends AbstractPhaseInterceptor<Message> {
        private static final int ALL = 3;

        OneWay() {
            super(Phase.POST_UNMARSHAL);
        }

        @Override
        public void handleMessage(Message message) {
            var operation = message.getExchange().getBindingOperationInfo().getOperationInfo();
            if (!operation.isOneWay()) return;
            message.getExchange().setOneWay(true);
            List<Object> parts = MessageContentsList.getContentsList(message);
            boolean isRpc = operation.getInput().size() == ALL && !operation.isUnwrappedCapable();
            while (isRpc && parts.size() < ALL) parts.add(null);
            try {
                XMLStreamReader rest = message.getContent(XMLStreamReader.class);
                while (rest.hasNext()) rest.next();
                ((InputStream) message.get(ARRIVING)).readAllBytes();
            } catch (XMLStreamException | IOException error) {
                throw new Fault(error);
            }
        }
    }

    /** Keeps apart what writing to the connection takes. */
    private static final class Timed extends AbstractPhaseInterceptor<Message> {
        Timed() {
            super(Phase.PREPARE_SEND);
            addAfter(MessageSenderInterceptor.class.getName());
        }

        @Override
        public void handleMessage(Message message) {
            OutputStream out = message.getContent(OutputStream.class);
            if (out != null) message.setContent(OutputStream.class, Stages.timed(out));
        }
    }

    /** A connection for each call. */
    private static final class Closing extends AbstractPhaseInterceptor<Message> {
        Closing() {
            super(Phase.SETUP);
        }

        @Override
        public void handleMessage(Message message) {
            Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
            headers.put("Connection", List.of("close"));
            message.put(Message.PROTOCOL_HEADERS, headers);
        }
    }
}
