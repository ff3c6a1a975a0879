package trunkline.services;

import com.sun.net.httpserver.Filter;
import com.sun.net.httpserver.HttpContext;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
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

/** The JDK's HTTP server, on which toolkits in Java publish that have none of their own. */
public final class JdkHost implements Toolkit.Host {
    private static final int BACKLOG = 1024;

    private final HttpServer server;
    private final ExecutorService pool;
    private final Filter filter;
    private final List<Runnable> last = new ArrayList<>();

    public JdkHost(Toolkit.Serving serving) throws IOException, GeneralSecurityException {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0);
        if (serving.certificate() == null) {
            server = HttpServer.create(any, BACKLOG);
        } else {
            HttpsServer secured = HttpsServer.create(any, BACKLOG);
            secured.setHttpsConfigurator(
                    new HttpsConfigurator(Tls.server(serving.certificate(), serving.key())));
            server = secured;
        }
        pool = Executors.newFixedThreadPool(serving.threads());
        server.setExecutor(pool);
        filter = new Transport(serving.closes());
    }

    /** A path, with all that a toolkit leaves to the transport. */
    public HttpContext context(String path) {
        HttpContext context = server.createContext(path);
        context.getFilters().add(filter);
        return context;
    }

    /** Is called once the server has ended. */
    public void atEnd(Runnable task) {
        last.add(task);
    }

    public void start() {
        server.start();
    }

    @Override
    public int port() {
        return server.getAddress().getPort();
    }

    @Override
    public void close() {
        server.stop(0);
        pool.shutdown();
        last.forEach(Runnable::run);
    }

    /** What toolkits leave to the transport: compression, connections, and the clock. */
    private static final class Transport extends Filter {
        private final boolean closes;

        Transport(boolean closes) {
            this.closes = closes;
        }

        @Override
        public void doFilter(HttpExchange exchange, Chain chain) throws IOException {
            // The JDK's server ends a connection when asked to, and does not say so.
            if (closes || names(exchange, "Connection", "close")) {
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
