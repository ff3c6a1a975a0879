package trunkline.metro;

import com.sun.net.httpserver.Filter;
import com.sun.net.httpserver.HttpContext;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import jakarta.xml.ws.Endpoint;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import trunkline.metro.service.BareService;
import trunkline.metro.service.RpcService;
import trunkline.metro.service.WrappedService;

/** The services, over the HTTP server that Metro publishes endpoints on: the JDK's. */
final class Host implements AutoCloseable {
    private static final int BACKLOG = 1024;

    /** What the protocol's `serve` may ask for. */
    record Options(int threads, boolean close, String certificate, String key) {}

    private final HttpServer server;
    private final ExecutorService pool;
    private final List<Endpoint> endpoints = new ArrayList<>();

    Host(Options options) throws IOException, GeneralSecurityException {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0);
        if (options.certificate == null) {
            server = HttpServer.create(any, BACKLOG);
        } else {
            HttpsServer secured = HttpsServer.create(any, BACKLOG);
            secured.setHttpsConfigurator(
                    new HttpsConfigurator(Tls.server(options.certificate, options.key)));
            server = secured;
        }
        pool = Executors.newFixedThreadPool(options.threads);
        server.setExecutor(pool);
        Filter filter = new Transport(options.close);
        for (Version version : Version.values()) {
            publish(version, "/doc-literal", new BareService(version), filter);
            publish(version, "/doc-literal-wrapped", new WrappedService(version), filter);
            publish(version, "/rpc-literal", new RpcService(version), filter);
        }
        server.start();
    }

    private void publish(Version version, String path, Object service, Filter filter) {
        HttpContext context = server.createContext(version.path + path);
        context.getFilters().add(filter);
        Endpoint endpoint = Endpoint.create(version.served, service);
        endpoint.publish(context);
        endpoints.add(endpoint);
    }

    int port() {
        return server.getAddress().getPort();
    }

    @Override
    public void close() {
        server.stop(0);
        pool.shutdown();
        for (Endpoint endpoint : endpoints) endpoint.stop();
    }

    /** What Metro leaves to the transport: compression, connections, and the clock. */
    private static final class Transport extends Filter {
        private final boolean close;

        Transport(boolean close) {
            this.close = close;
        }

        @Override
        public void doFilter(HttpExchange exchange, Chain chain) throws IOException {
            // The JDK's server ends a connection when asked to, and does not say so.
            if (close || names(exchange, "Connection", "close")) {
                exchange.getResponseHeaders().set("Connection", "close");
            }
            var in = Stages.timed(exchange.getRequestBody());
            var out = Stages.timed(exchange.getResponseBody());
            Stages.begin();
            boolean sent = names(exchange, "Content-Encoding", "gzip");
            boolean wanted = names(exchange, "Accept-Encoding", "gzip") && isAnswered(exchange);
            if (wanted) exchange.getResponseHeaders().set("Content-Encoding", "gzip");
            exchange.setStreams(sent ? new GZIPInputStream(in) : in,
                    wanted ? new LateGzip(out) : out);
            try {
                chain.doFilter(exchange);
            } finally {
                Stages.end();
            }
        }

        /** Whether the answer has a body: one to a one-way call has none to compress. */
        private static boolean isAnswered(HttpExchange exchange) {
            String action = exchange.getRequestHeaders().getFirst("SOAPAction")
                    + exchange.getRequestHeaders().getFirst("Content-Type");
            return !action.contains(Names.NOTIFY);
        }

        private static boolean names(HttpExchange exchange, String header, String word) {
            String value = exchange.getRequestHeaders().getFirst(header);
            return value != null && value.contains(word);
        }

        @Override
        public String description() {
            return "compression, connections and times";
        }
    }

    /** Compresses from the first byte on: before it, there may be no body to write to. */
    private static final class LateGzip extends OutputStream {
        private final OutputStream out;
        private GZIPOutputStream gzip;

        LateGzip(OutputStream out) {
            this.out = out;
        }

        private GZIPOutputStream gzip() throws IOException {
            if (gzip == null) gzip = new GZIPOutputStream(out);
            return gzip;
        }

        @Override
        public void write(int value) throws IOException {
            gzip().write(value);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            gzip().write(bytes, offset, length);
        }

        @Override
        public void flush() throws IOException {
            if (gzip != null) gzip.flush();
        }

        @Override
        public void close() throws IOException {
            if (gzip != null) gzip.close();
            else out.close();
        }
    }
}
