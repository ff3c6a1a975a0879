package trunkline.axis2;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.axis2.AxisFault;
import org.apache.axis2.Constants;
import org.apache.axis2.context.ConfigurationContext;
import org.apache.axis2.context.ConfigurationContextFactory;
import org.apache.axis2.context.MessageContext;
import org.apache.axis2.deployment.DeploymentEngine;
import org.apache.axis2.description.AxisService;
import org.apache.axis2.engine.AxisConfiguration;
import org.apache.axis2.engine.AxisEngine;
import org.apache.axis2.kernel.OutTransportInfo;
import org.apache.axis2.kernel.http.HTTPConstants;
import org.apache.axis2.transport.http.HTTPTransportUtils;
import org.apache.axis2.util.MessageContextBuilder;
import trunkline.arrays.Answers;
import trunkline.axis2.made.ArraysServiceStub;
import trunkline.toolkit.Conversation;
import trunkline.toolkit.Toolkit;

/**
 * Axis2 at either end of the operations on arrays, by ADB. Its servlet wants a container; here its engine stands behind
 * the HTTP server of the JDK, as that of Axis 1.4 does.
 */
public final class ArraysMain implements Toolkit {
    private static final String CHUNKED = "http-chunked";
    private static final int BACKLOG = 1024;

    private ArraysMain() {}

    public static void main(String[] arguments) throws IOException {
        Conversation.hold(arguments[0], new ArraysMain());
    }

    @Override
    public String version() {
        return org.apache.axis2.Version.getVersionText();
    }

    @Override
    public List<String> modes() {
        return List.of("http", CHUNKED);
    }

    private static ConfigurationContext context() throws AxisFault {
        return ConfigurationContextFactory.createConfigurationContextFromFileSystem(null, null);
    }

    @Override
    public Serving serve(String mode, int threads, boolean isWrong) throws IOException {
        ArraysPort.answers = new Answers(isWrong);
        ConfigurationContext context = context();
        AxisService service = DeploymentEngine.buildService(description(), context);
        context.getAxisConfiguration().addService(service);
        InetSocketAddress any = new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0);
        HttpServer server = HttpServer.create(any, BACKLOG);
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        server.setExecutor(pool);
        server.createContext("/arrays", exchange -> answer(context, exchange));
        server.start();
        AutoCloseable close = () -> {
            server.stop(0);
            pool.shutdown();
        };
        return new Serving(close, server.getAddress().getPort());
    }

    /** What its WSDL2Java wrote of the service, with this class in place of the one that it made. */
    private static InputStream description() throws IOException {
        String generated;
        try (InputStream in = ArraysMain.class.getResourceAsStream("/services.xml")) {
            generated = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
        int begin = generated.indexOf("<service ");
        String service = generated.substring(begin, generated.indexOf("</serviceGroup>"))
                .replace("trunkline.axis2.made.ArraysServiceSkeleton", ArraysPort.class.getName())
                .replaceAll("<parameter name=\"useOriginalwsdl\">[^<]*</parameter>", "");
        return new ByteArrayInputStream(service.getBytes(StandardCharsets.UTF_8));
    }

    /** The type of an answer. */
    private record Told(HttpExchange exchange) implements OutTransportInfo {
        @Override
        public void setContentType(String type) {
            exchange.getResponseHeaders().set("Content-Type", type);
        }
    }

    /** What its servlet does, without a container. */
    private static void answer(ConfigurationContext context, HttpExchange exchange)
            throws IOException {
        try (exchange) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            AxisConfiguration configuration = context.getAxisConfiguration();
            MessageContext call = context.createMessageContext();
            call.setServerSide(true);
            call.setIncomingTransportName(Constants.TRANSPORT_HTTP);
            call.setTransportIn(configuration.getTransportIn(Constants.TRANSPORT_HTTP));
            call.setTransportOut(configuration.getTransportOut(Constants.TRANSPORT_HTTP));
            call.setProperty(Constants.OUT_TRANSPORT_INFO, new Told(exchange));
            call.setProperty(MessageContext.TRANSPORT_OUT, out);
            int status = 200;
            try {
                HTTPTransportUtils.processHTTPPostRequest(call, exchange.getRequestBody(), out,
                        exchange.getRequestHeaders().getFirst("Content-Type"),
                        exchange.getRequestHeaders().getFirst("SOAPAction"),
                        "/axis2/services/ArraysService");
            } catch (AxisFault fault) {
                status = 500;
                AxisEngine.sendFault(MessageContextBuilder.createFaultMessageContext(call, fault));
            }
            exchange.sendResponseHeaders(status, out.size());
            out.writeTo(exchange.getResponseBody());
        }
    }

    @Override
    public Client connect(String mode, int port, int thread) throws IOException {
        ConfigurationContext context = context();
        context.setProperty(HTTPConstants.REUSE_HTTP_CLIENT, Boolean.TRUE);
        ArraysServiceStub stub =
                new ArraysServiceStub(context, "http://127.0.0.1:" + port + "/arrays");
        stub._getServiceClient().getOptions()
                .setProperty(HTTPConstants.CHUNKED, mode.equals(CHUNKED));
        return new ArraysClient(stub);
    }
}
