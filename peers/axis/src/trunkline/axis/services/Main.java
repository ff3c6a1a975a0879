package trunkline.axis.services;

import com.sun.net.httpserver.HttpExchange;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Hashtable;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.xml.soap.SOAPException;
import org.apache.axis.AxisFault;
import org.apache.axis.Constants;
import org.apache.axis.EngineConfiguration;
import org.apache.axis.Message;
import org.apache.axis.MessageContext;
import org.apache.axis.configuration.XMLStringProvider;
import org.apache.axis.server.AxisServer;
import org.apache.axis.transport.http.CommonsHTTPSender;
import org.apache.axis.transport.http.HTTPConstants;
import org.apache.commons.httpclient.protocol.Protocol;
import trunkline.axis.Connections;
import trunkline.services.Conversation;
import trunkline.services.JdkHost;
import trunkline.services.Names;
import trunkline.services.Toolkit;

/**
 * Axis 1.4 at the ends of the web service. Its own server keeps no connections, and its servlet wants a container; here
 * its engine stands behind the HTTP server of the JDK.
 */
public final class Main implements Toolkit {
    /** What both ends write: no references, nothing to read it by. */
    private static final String DEPLOYMENT = """
            <deployment xmlns="http://xml.apache.org/axis/wsdd/"
                xmlns:java="http://xml.apache.org/axis/wsdd/providers/java">
            <globalConfiguration>
              <parameter name="sendMultiRefs" value="false"/>
              <parameter name="disablePrettyXML" value="true"/>
              <parameter name="enableNamespacePrefixOptimization" value="false"/>
            </globalConfiguration>
            %s</deployment>
            """;

    /** Kept, since a logger that nobody holds forgets its level. */
    private static final Logger CLIENT = Logger.getLogger("org.apache.commons.httpclient");

    private Main() {}

    public static void main(String[] arguments) throws IOException {
        CLIENT.setLevel(Level.OFF);
        Protocol.registerProtocol("https", new Protocol("https", new AnyTls(), 443));
        Connections.trust();
        Conversation.hold(arguments[0], new Main());
    }

    @Override
    public String version() {
        return org.apache.axis.Version.getVersionText().replaceFirst(" .*", "");
    }

    @Override
    public List<String> formats() {
        return Style.NAMES;
    }

    @Override
    public Codec codec(String format) throws Exception {
        return new Envelopes(Style.of(format));
    }

    /** By what WSDL2Java wrote of the services, with these classes in place of those that it made. */
    static AxisServer engine() throws IOException {
        StringBuilder services = new StringBuilder();
        for (String folder : List.of("bare", "wrapped", "rpc")) {
            String written = "/trunkline/axis/services/" + folder + "/deploy.wsdd";
            try (InputStream in = Main.class.getResourceAsStream(written)) {
                String deployed = new String(in.readAllBytes(), StandardCharsets.UTF_8);
                services.append(deployed, deployed.indexOf("<service "),
                        deployed.indexOf("</deployment>"));
            }
        }
        String ours = services.toString().replaceAll("(\"className\" value=)\"[a-z.]*(\\w+)BindingImpl\"",
                "$1\"" + Services.class.getName().replace("$", "\\$") + "\\$$2\"");
        return new AxisServer(new XMLStringProvider(DEPLOYMENT.formatted(ours)));
    }

    /** For a client that sends by this class. */
    static EngineConfiguration client(String sender) {
        return new XMLStringProvider(
                DEPLOYMENT.formatted("<transport name=\"http\" pivot=\"java:" + sender + "\"/>\n"));
    }

    /** For a call of a style's service; in the bare style only the action tells of which operation. */
    static MessageContext context(AxisServer engine, Style style, String action) throws AxisFault {
        MessageContext context = new MessageContext(engine);
        context.setTransportName("http");
        context.setUseSOAPAction(true);
        context.setSOAPActionURI(action);
        context.setTargetService(style.port);
        if (style == Style.BARE) {
            String operation = action.substring(action.indexOf('#') + 1);
            var service = context.getService().getInitializedServiceDesc(context);
            context.setOperation(service.getOperationByName(operation));
        }
        return context;
    }

    @Override
    public Host serve(Serving serving) throws Exception {
        JdkHost host = new JdkHost(serving);
        AxisServer engine = engine();
        for (Style style : Style.values()) {
            host.context(style.path()).setHandler(exchange -> answer(engine, style, exchange));
        }
        host.start();
        return host;
    }

    /** What its servlet does, without a container. */
    private static void answer(AxisServer engine, Style style, HttpExchange exchange)
            throws IOException {
        try (exchange) {
            String type = exchange.getRequestHeaders().getFirst("Content-Type");
            String action = exchange.getRequestHeaders().getFirst("SOAPAction");
            action = action == null ? "" : action.replace("\"", "");
            int status = 200;
            Message answer;
            MessageContext context = context(engine, style, action);
            try {
                context.setRequestMessage(
                        new Message(exchange.getRequestBody(), false, type, null));
                engine.invoke(context);
                answer = context.getResponseMessage();
            } catch (Exception error) {
                status = 500;
                AxisFault fault = AxisFault.makeFault(error);
                fault.removeFaultDetail(Constants.QNAME_FAULTDETAIL_STACKTRACE);
                answer = new Message(fault);
                answer.setMessageContext(context);
            }
            if (status == 200 && action.equals(Names.NOTIFY)) {
                exchange.sendResponseHeaders(202, -1);
            } else {
                write(exchange, status, answer);
            }
        }
    }

    private static void write(HttpExchange exchange, int status, Message answer)
            throws IOException {
        try {
            exchange.getResponseHeaders().set("Content-Type",
                    answer.getContentType(answer.getMessageContext().getSOAPConstants()));
            ByteArrayOutputStream whole = new ByteArrayOutputStream();
            answer.writeTo(whole);
            boolean isZipped = exchange.getResponseHeaders().containsKey("Content-Encoding");
            exchange.sendResponseHeaders(status, isZipped ? 0 : whole.size());
            try (OutputStream out = exchange.getResponseBody()) {
                whole.writeTo(out);
            }
        } catch (SOAPException error) {
            throw new IOException(error);
        }
    }

    @Override
    public Client connect(String url, String format, String operation, Set<String> options)
            throws Exception {
        Hashtable<String, Object> headers = new Hashtable<>();
        headers.put(HTTPConstants.HEADER_TRANSFER_ENCODING_CHUNKED, options.contains("chunked"));
        if (options.contains("close")) headers.put("Connection", "close");
        Map<String, Object> properties = new HashMap<>();
        properties.put(HTTPConstants.REQUEST_HEADERS, headers);
        properties.put(MessageContext.HTTP_TRANSPORT_VERSION, HTTPConstants.HEADER_PROTOCOL_V11);
        if (options.contains("gzip")) {
            properties.put(HTTPConstants.MC_GZIP_REQUEST, true);
            // No answer may still be compressed, to something that Axis waits for.
            properties.put(HTTPConstants.MC_ACCEPT_GZIP, !operation.equals("notify"));
        }
        Class<?> sender = operation.equals("notify") ? NoAnswer.class : CommonsHTTPSender.class;
        EngineConfiguration engine = client(sender.getName());
        return new Caller(Style.of(format), engine, new URL(url), operation, properties);
    }
}
