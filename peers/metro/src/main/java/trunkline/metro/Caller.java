package trunkline.metro;

import com.sun.xml.ws.developer.JAXWSProperties;
import jakarta.xml.ws.BindingProvider;
import jakarta.xml.ws.Holder;
import jakarta.xml.ws.Service;
import jakarta.xml.ws.handler.MessageContext;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.net.ssl.HostnameVerifier;
import javax.xml.namespace.QName;
import trunkline.metro.qualified.CustomerServices;
import trunkline.metro.service.Bare;
import trunkline.metro.service.Refused;
import trunkline.metro.service.Rpc;
import trunkline.metro.service.Wrapped;
import trunkline.metro.unqualified.Echo;

/** Metro's client of the service: a proxy of the style's interface. */
final class Caller {
    static final Set<String> OPTIONS = Set.of("gzip", "chunked", "close");
    private static final int CHUNK = 8192;

    /** One call of a proxy; what came back is {header, customers, products}, or null if nothing. */
    private interface Call {
        Object[] of(Object message) throws Refused;
    }

    private final String operation;
    private final Call call;

    Caller(String url, String format, String operation, Set<String> options) throws Exception {
        this.operation = operation;
        call = switch (format) {
            case "ng-doc-literal" -> bare(proxy(url, Bare.class, options));
            case "ng-doc-literal-wrapped" -> wrapped(proxy(url, Wrapped.class, options));
            default -> rpc(proxy(url, Rpc.class, options));
        };
        if (call == null) throw new IOException("unknown operation: " + operation);
    }

    private <P> P proxy(String url, Class<P> port, Set<String> options) throws Exception {
        Service service = Service.create(
                Describe.of(Version.of(url), port).toUri().toURL(),
                new QName(Names.NAMESPACE, Names.SERVICE));
        P proxy = service.getPort(port);
        Map<String, Object> context = ((BindingProvider) proxy).getRequestContext();
        context.put(BindingProvider.ENDPOINT_ADDRESS_PROPERTY, url);
        Map<String, List<String>> headers = new HashMap<>();
        if (options.contains("gzip")) {
            headers.put("Content-Encoding", List.of("gzip"));
            // No answer may still be compressed, to something that Metro takes for a message.
            if (!operation.equals("notify")) headers.put("Accept-Encoding", List.of("gzip"));
        }
        if (options.contains("close")) headers.put("Connection", List.of("close"));
        if (!headers.isEmpty()) context.put(MessageContext.HTTP_REQUEST_HEADERS, headers);
        if (options.contains("chunked")) {
            context.put(JAXWSProperties.HTTP_CLIENT_STREAMING_CHUNK_SIZE, CHUNK);
        }
        if (url.startsWith("https:")) {
            HostnameVerifier anyone = (host, session) -> true;
            context.put(JAXWSProperties.HOSTNAME_VERIFIER, anyone);
            context.put(JAXWSProperties.SSL_SOCKET_FACTORY, Tls.client().getSocketFactory());
        }
        return proxy;
    }

    private Call bare(Bare port) {
        return switch (operation) {
            case "echo" -> message -> parts(port.echo((CustomerServices) message));
            case "refuse" -> message -> parts(port.refuse((CustomerServices) message));
            case "notify" -> message -> {
                port.notify((CustomerServices) message);
                return null;
            };
            default -> null;
        };
    }

    private Call wrapped(Wrapped port) {
        return switch (operation) {
            case "echo", "refuse" -> message -> {
                CustomerServices sent = (CustomerServices) message;
                var header = new Holder<>(sent.header);
                var customers = new Holder<>(sent.customers);
                var products = new Holder<>(sent.products);
                if (operation.equals("echo")) port.echo(header, customers, products);
                else port.refuse(header, customers, products);
                return new Object[] {header.value, customers.value, products.value};
            };
            case "notify" -> message -> {
                CustomerServices sent = (CustomerServices) message;
                port.notify(sent.header, sent.customers, sent.products);
                return null;
            };
            default -> null;
        };
    }

    private Call rpc(Rpc port) {
        return switch (operation) {
            case "echo", "refuse" -> message -> {
                Echo sent = whole((Echo) message);
                var header = new Holder<String>();
                var customers = new Holder<trunkline.metro.unqualified.Customers>();
                var products = new Holder<trunkline.metro.unqualified.Products>();
                if (operation.equals("echo")) {
                    port.echo(sent.header, sent.customers, sent.products,
                            header, customers, products);
                } else {
                    port.refuse(sent.header, sent.customers, sent.products,
                            header, customers, products);
                }
                return new Object[] {header.value, customers.value, products.value};
            };
            case "notify" -> message -> {
                Echo sent = whole((Echo) message);
                port.notify(sent.header, sent.customers, sent.products);
                return null;
            };
            default -> null;
        };
    }

    /** With every part there, since Metro sends no call without one. */
    private static Echo whole(Echo message) {
        Echo whole = new Echo();
        whole.header = message.header;
        whole.customers = message.customers == null
                ? new trunkline.metro.unqualified.Customers() : message.customers;
        whole.products = message.products == null
                ? new trunkline.metro.unqualified.Products() : message.products;
        return whole;
    }

    private static Object[] parts(Object message) {
        if (message instanceof CustomerServices it) {
            return new Object[] {it.header, it.customers, it.products};
        }
        Echo it = (Echo) message;
        return new Object[] {it.header, it.customers, it.products};
    }

    /** Sends the messages in turn, checks each answer, and returns the calls' times. */
    long[] call(List<?> messages, int count) throws IOException {
        long[] times = new long[count];
        for (int index = 0; index < count; index++) {
            Object message = messages.get(index % messages.size());
            Object[] answer = null;
            Refused refused = null;
            long start = System.nanoTime();
            try {
                answer = call.of(message);
            } catch (Refused fault) {
                refused = fault;
            }
            times[index] = System.nanoTime() - start;
            String wrong = wrong(parts(message), answer, refused);
            if (wrong != null) throw new IOException("call " + index + ": " + wrong);
        }
        return times;
    }

    /** What is wrong with an answer, null if nothing. */
    private String wrong(Object[] sent, Object[] answer, Refused refused) {
        switch (operation) {
            case "refuse":
                if (refused == null) return "was answered, not refused";
                return refused.answers((String) sent[0]) ? null : "is refused by " + refused;
            case "notify":
                return refused == null ? null : "is refused by " + refused;
            default:
                if (refused != null) return "is refused by " + refused;
                if (!Names.RESPONSE.equals(answer[0])) return "came back with header " + answer[0];
                String difference = Same.difference("customers", sent[1], answer[1]);
                return difference != null ? difference
                        : Same.difference("products", sent[2], answer[2]);
        }
    }
}
