package trunkline.operations;

import java.util.List;

/** What carries the operations. */
interface Toolkit {
    /** A server and its port. */
    record Serving(AutoCloseable server, int port) {}

    String version();

    /** The modes of peers/PROTOCOL.md that it has. */
    List<String> modes();

    Serving serve(String mode, int threads, OperationsService service) throws Exception;

    /** A client for one thread. */
    Operations connect(String mode, int port) throws Exception;
}
