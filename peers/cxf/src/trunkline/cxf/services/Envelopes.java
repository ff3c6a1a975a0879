package trunkline.cxf.services;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.apache.cxf.Bus;
import org.apache.cxf.BusFactory;
import org.apache.cxf.endpoint.Client;
import org.apache.cxf.endpoint.Endpoint;
import org.apache.cxf.endpoint.Server;
import org.apache.cxf.frontend.ClientProxy;
import org.apache.cxf.interceptor.Fault;
import org.apache.cxf.interceptor.InterceptorProvider;
import org.apache.cxf.interceptor.StaxInEndingInterceptor;
import org.apache.cxf.jaxws.JaxWsProxyFactoryBean;
import org.apache.cxf.jaxws.JaxWsServerFactoryBean;
import org.apache.cxf.message.Exchange;
import org.apache.cxf.message.ExchangeImpl;
import org.apache.cxf.message.Message;
import org.apache.cxf.message.MessageContentsList;
import org.apache.cxf.message.MessageImpl;
import org.apache.cxf.phase.AbstractPhaseInterceptor;
import org.apache.cxf.phase.Phase;
import org.apache.cxf.phase.PhaseChainCache;
import org.apache.cxf.phase.PhaseInterceptorChain;
import org.apache.cxf.phase.PhaseManager;
import org.apache.cxf.service.Service;
import org.apache.cxf.service.invoker.MethodDispatcher;
import org.apache.cxf.service.model.BindingMessageInfo;
import org.apache.cxf.service.model.BindingOperationInfo;
import org.apache.cxf.service.model.MessageInfo;
import org.apache.cxf.transport.AbstractConduit;
import trunkline.jaxws.BareService;
import trunkline.jaxws.RpcService;
import trunkline.jaxws.WrappedService;
import trunkline.services.Names;
import trunkline.services.Toolkit;

/**
 * One style's envelopes to and from JAXB's objects, by all interceptors that CXF puts between a connection and a
 * method: those of a server until the method would be called, and those of a client until all is written. They
 * are made once and used for all messages.
 */
final class Envelopes implements Toolkit.Codec {
    private static final Map<String, List<String>> HEADERS = headers();

    private final Style style;
    private final Bus bus = BusFactory.newInstance().createBus();
    private final PhaseManager phases = bus.getExtension(PhaseManager.class);
    private final PhaseChainCache chains = new PhaseChainCache();
    private final Endpoint server;
    /** Kept, since a client ends with its proxy. */
    private final Object proxy;
    private final Client client;
    private final BindingOperationInfo echo;
    private List<?> arguments;

    Envelopes(Style style) {
        this.style = style;
        JaxWsServerFactoryBean serving = new JaxWsServerFactoryBean();
        serving.setBus(bus);
        serving.setStart(false);
        serving.setAddress("/" + style.format);
        serving.setServiceBean(switch (style) {
            case BARE -> new BareService();
            case WRAPPED -> new WrappedService();
            case RPC -> new RpcService();
        });
        Server made = serving.create();
        server = made.getEndpoint();
        server.getService().setInvoker(this::keep);
        server.getInInterceptors().add(new Whole());
        JaxWsProxyFactoryBean calling = new JaxWsProxyFactoryBean();
        calling.setBus(bus);
        calling.setServiceClass(style.port);
        calling.setAddress("http://127.0.0.1/" + style.format);
        proxy = calling.create();
        client = ClientProxy.getClient(proxy);
        Service service = client.getEndpoint().getService();
        MethodDispatcher methods =
                (MethodDispatcher) service.get(MethodDispatcher.class.getName());
        echo = methods.getBindingOperation(style.echo(), client.getEndpoint());
    }

    private static Map<String, List<String>> headers() {
        Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        headers.put("Content-Type", List.of("text/xml; charset=utf-8"));
        headers.put("SOAPAction", List.of('"' + Names.ECHO + '"'));
        return headers;
    }

    /** In place of the method: what comes after it is not asked for. */
    private Object keep(Exchange exchange, Object called) {
        arguments = (List<?>) called;
        exchange.getInMessage().getInterceptorChain().abort();
        return null;
    }

    @Override
    public Object decode(byte[] envelope) throws IOException {
        arguments = null;
        Message received = new MessageImpl();
        received.setContent(InputStream.class, new ByteArrayInputStream(envelope));
        received.put(Message.CONTENT_TYPE, "text/xml; charset=utf-8");
        received.put(Message.ENCODING, "UTF-8");
        received.put(Message.HTTP_REQUEST_METHOD, "POST");
        received.put(Message.PROTOCOL_HEADERS, HEADERS);
        Message message = server.getBinding().createMessage(received);
        Exchange exchange = exchange(server);
        message.setExchange(exchange);
        exchange.setInMessage(message);
        run(message, chains.get(phases.getInPhases(), bus.getInInterceptors(),
                server.getService().getInInterceptors(), server.getInInterceptors(),
                server.getBinding().getInInterceptors(),
                ((InterceptorProvider) server.getService().getDataBinding()).getInInterceptors()));
        if (arguments == null) throw new IOException("no call of echo");
        return style.structure(arguments);
    }

    @Override
    public void encode(Object structure, ByteArrayOutputStream out) throws IOException {
        out.reset();
        Endpoint endpoint = client.getEndpoint();
        Message message = endpoint.getBinding().createMessage();
        message.setContent(List.class, new MessageContentsList(style.arguments(structure)));
        message.put(Message.REQUESTOR_ROLE, true);
        message.put(Message.INBOUND_MESSAGE, false);
        message.put(BindingMessageInfo.class, echo.getInput());
        message.put(MessageInfo.class, echo.getOperationInfo().getInput());
        Exchange exchange = exchange(endpoint);
        exchange.put(BindingOperationInfo.class, echo);
        exchange.setConduit(new Memory(out));
        message.setExchange(exchange);
        exchange.setOutMessage(message);
        run(message, chains.get(phases.getOutPhases(), bus.getOutInterceptors(),
                client.getOutInterceptors(), endpoint.getOutInterceptors(),
                endpoint.getBinding().getOutInterceptors()));
    }

    private Exchange exchange(Endpoint endpoint) {
        Exchange exchange = new ExchangeImpl();
        exchange.put(Bus.class, bus);
        exchange.put(Endpoint.class, endpoint);
        exchange.put(Service.class, endpoint.getService());
        exchange.put(org.apache.cxf.binding.Binding.class, endpoint.getBinding());
        return exchange;
    }

    private static void run(Message message, PhaseInterceptorChain chain) throws IOException {
        message.setInterceptorChain(chain);
        chain.doIntercept(message);
        Exception error = message.getContent(Exception.class);
        if (error != null) throw new IOException(error.getMessage(), error);
    }

    /** Reads to the end: of rpc/literal CXF takes the last part for it, however the message goes on. */
    private static final class Whole extends AbstractPhaseInterceptor<Message> {
        Whole() {
            super(Phase.PRE_INVOKE);
            addBefore(StaxInEndingInterceptor.class.getName());
        }

        @Override
        public void handleMessage(Message message) {
            XMLStreamReader rest = message.getContent(XMLStreamReader.class);
            try {
                while (rest.hasNext()) rest.next();
            } catch (XMLStreamException error) {
                throw new Fault(error);
            }
        }
    }

    /** Where a client writes. */
    private static final class Memory extends AbstractConduit {
        private final OutputStream out;

        Memory(OutputStream out) {
            super(null);
            this.out = out;
        }

        @Override
        public void prepare(Message message) {
            message.setContent(OutputStream.class, out);
        }

        @Override
        protected java.util.logging.Logger getLogger() {
            return null;
        }
    }
}
