package trunkline.toolkit;

import java.util.List;

/** What carries the operations of a service: both ends of the section Operations of peers/PROTOCOL.md. */
public interface Toolkit {
    /** A server and its port. */
    record Serving(AutoCloseable server, int port) {}

    /** A call that can be made again and again. */
    interface Call {
        /** Calls, and compares what comes back. */
        boolean isRight() throws Exception;
    }

    /** The client of one thread. */
    interface Client {
        /** Makes what is sent. */
        Call prepare(String operation, int size) throws Exception;
    }

    String version();

    /** The modes of peers/PROTOCOL.md that it has. */
    List<String> modes();

    /** Serves; one that is wrong changes what it gives back. */
    Serving serve(String mode, int threads, boolean isWrong) throws Exception;

    /** A client for a thread, which this is called by. */
    Client connect(String mode, int port, int thread) throws Exception;
}
