package trunkline.metro;

import com.sun.net.httpserver.HttpServer;
import com.sun.xml.ws.util.RuntimeVersion;
import jakarta.xml.ws.Endpoint;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import trunkline.toolkit.Toolkit;

/** Metro's service over HTTP, on the server of the JDK. */
public final class MetroHttp {
    private static final int BACKLOG = 1024;

    private MetroHttp() {}

    /** Serves at a path, by so many threads. */
    public static Toolkit.Serving serve(String path, int threads, Object service)
            throws IOException {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0);
        HttpServer server = HttpServer.create(any, BACKLOG);
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        server.setExecutor(pool);
        Endpoint endpoint = Endpoint.create(service);
        endpoint.publish(server.createContext(path));
        server.start();
        AutoCloseable close = () -> {
            server.stop(0);
            pool.shutdown();
        };
        return new Toolkit.Serving(close, server.getAddress().getPort());
    }

    /** Metro's, as "4.0.5". */
    public static String version() {
        return RuntimeVersion.VERSION.toString().replaceAll("^.*?([0-9]+[.][0-9.]+).*$", "$1");
    }
}
