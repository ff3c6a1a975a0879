package trunkline.services;

import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Set;

/** A toolkit at the ends of the web service. */
public interface Toolkit {
    /** What may be asked of a client's calls. */
    Set<String> OPTIONS = Set.of("gzip", "chunked", "close");

    /** Its own version. */
    String version();

    /** The formats that it speaks. */
    List<String> formats();

    /** What it makes structures of envelopes by, and back. */
    Codec codec(String format) throws Exception;

    /** Serves until it is closed. */
    Host serve(Serving serving) throws Exception;

    /** A client that makes the same call again and again. */
    Client connect(String url, String format, String operation, Set<String> options)
            throws Exception;

    /** What the protocol's `serve` may ask for; without TLS the files are null. */
    record Serving(int threads, boolean closes, String certificate, String key) {}

    /** One style's envelopes, as requests of `echo`, to and from structures. */
    interface Codec {
        Object decode(byte[] envelope) throws Exception;

        /** Clears `out` and encodes into it; `structure` is what decode gave. */
        void encode(Object structure, ByteArrayOutputStream out) throws Exception;
    }

    /** A server that runs. */
    interface Host extends AutoCloseable {
        int port();

        @Override
        void close();
    }

    /** Calls with what a codec of the same format has decoded. */
    interface Client extends AutoCloseable {
        /** What came back: header, customers and products; null if nothing. */
        Object[] call(Object message) throws Exception;

        /** Header, customers and products of a structure. */
        Object[] parts(Object message);

        /** Whether what a call has thrown is how a message with this header must be refused. */
        boolean isRefusal(Exception error, String header);

        /** Ends connections that nobody else will use. */
        @Override
        default void close() {}
    }
}
