package trunkline.axis;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.Hashtable;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.axis.AxisFault;
import org.apache.axis.EngineConfiguration;
import org.apache.axis.Message;
import org.apache.axis.MessageContext;
import org.apache.axis.configuration.XMLStringProvider;
import org.apache.axis.server.AxisServer;
import org.apache.axis.transport.http.HTTPConstants;
import trunkline.arrays.Answers;
import trunkline.axis.made.ArraysServiceLocator;
import trunkline.axis.made.ArraysServicePortStub;
import trunkline.toolkit.Conversation;
import trunkline.toolkit.Toolkit;

/**
 * Axis 1.4 at either end of the operations on arrays. Its own server keeps no connections, and its servlet wants a
 * container; here its engine stands behind the HTTP server of the JDK.
 */
public final class ArraysMain implements Toolkit {
    private static final String CHUNKED = "http-chunked";
    private static final String ONCE = "http-1.0";
    private static final int BACKLOG = 1024;

    /** What both ends write: no references, no types, nothing to read it by. */
    private static final String GLOBAL = """
            <globalConfiguration>
              <parameter name="sendMultiRefs" value="false"/>
              <parameter name="sendXsiTypes" value="false"/>
              <parameter name="disablePrettyXML" value="true"/>
              <parameter name="enableNamespacePrefixOptimization" value="false"/>
            </globalConfiguration>
            """;
    private static final String DEPLOYMENT = """
            <deployment xmlns="http://xml.apache.org/axis/wsdd/"
                xmlns:java="http://xml.apache.org/axis/wsdd/providers/java">
            %s%s</deployment>
            """;

    private ArraysMain() {}

    public static void main(String[] arguments) throws IOException {
        Connections.trust();
        Conversation.hold(arguments[0], new ArraysMain());
    }

    @Override
    public String version() {
        return org.apache.axis.Version.getVersionText().replaceFirst(" .*", "");
    }

    @Override
    public List<String> modes() {
        return List.of("http", CHUNKED, ONCE);
    }

    @Override
    public Serving serve(String mode, int threads, boolean isWrong) throws IOException {
        ArraysPort.answers = new Answers(isWrong);
        AxisServer engine = new AxisServer(server());
        InetSocketAddress any = new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0);
        HttpServer server = HttpServer.create(any, BACKLOG);
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        server.setExecutor(pool);
        server.createContext("/arrays", exchange -> answer(engine, exchange, mode.equals(CHUNKED)));
        server.start();
        AutoCloseable close = () -> {
            server.stop(0);
            pool.shutdown();
        };
        return new Serving(close, server.getAddress().getPort());
    }

    /** By what WSDL2Java wrote of the service, with this class in place of the one that it made. */
    private static EngineConfiguration server() throws IOException {
        String generated;
        try (InputStream in = ArraysServicePortStub.class.getResourceAsStream("deploy.wsdd")) {
            generated = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
        int begin = generated.indexOf("<service ");
        int end = generated.indexOf("</deployment>");
        String service = generated.substring(begin, end)
                .replaceFirst("(\"className\" value=)\"[^\"]*\"",
                        "$1\"" + ArraysPort.class.getName() + "\"");
        return new XMLStringProvider(DEPLOYMENT.formatted(GLOBAL, service));
    }

    /** What its servlet does, without a container. */
    private static void answer(AxisServer engine, HttpExchange exchange, boolean isChunked)
            throws IOException {
        try (exchange) {
            MessageContext context = new MessageContext(engine);
            context.setTransportName("http");
            String action = exchange.getRequestHeaders().getFirst("SOAPAction");
            context.setUseSOAPAction(true);
            context.setSOAPActionURI(action == null ? "" : action.replace("\"", ""));
            String type = exchange.getRequestHeaders().getFirst("Content-Type");
            context.setRequestMessage(new Message(exchange.getRequestBody(), false, type, null));
            int status = 200;
            Message answer;
            try {
                context.setTargetService("ArraysServicePort");
                engine.invoke(context);
                answer = context.getResponseMessage();
            } catch (Exception error) {
                status = 500;
                answer = new Message(AxisFault.makeFault(error));
                answer.setMessageContext(context);
            }
            write(exchange, status, answer, isChunked);
        }
    }

    private static void write(HttpExchange exchange, int status, Message answer, boolean isChunked)
            throws IOException {
        try {
            String type = answer.getContentType(answer.getMessageContext().getSOAPConstants());
            exchange.getResponseHeaders().set("Content-Type", type);
            ByteArrayOutputStream whole = new ByteArrayOutputStream();
            if (!isChunked) answer.writeTo(whole);
            exchange.sendResponseHeaders(status, isChunked ? 0 : whole.size());
            try (OutputStream out = exchange.getResponseBody()) {
                if (isChunked) {
                    answer.writeTo(out);
                } else {
                    whole.writeTo(out);
                }
            }
        } catch (javax.xml.soap.SOAPException error) {
            throw new IOException(error);
        }
    }

    @Override
    public Client connect(String mode, int port, int thread) throws Exception {
        // Only the sender of Commons HttpClient keeps connections.
        String sender = mode.equals(ONCE) ? "HTTPSender" : "CommonsHTTPSender";
        String transport = "<transport name=\"http\" pivot=\"java:org.apache.axis.transport.http."
                + sender + "\"/>\n";
        ArraysServiceLocator locator = new ArraysServiceLocator(
                new XMLStringProvider(DEPLOYMENT.formatted(GLOBAL, transport)));
        URL url = new URL("http://127.0.0.1:" + port + "/arrays");
        ArraysServicePortStub stub = (ArraysServicePortStub) locator.getArraysServicePort(url);
        if (!mode.equals(ONCE)) {
            stub._setProperty(MessageContext.HTTP_TRANSPORT_VERSION, HTTPConstants.HEADER_PROTOCOL_V11);
            Hashtable<String, Object> headers = new Hashtable<>();
            headers.put(HTTPConstants.HEADER_TRANSFER_ENCODING_CHUNKED, mode.equals(CHUNKED));
            stub._setProperty(HTTPConstants.REQUEST_HEADERS, headers);
        }
        return new ArraysClient(stub);
    }
}
