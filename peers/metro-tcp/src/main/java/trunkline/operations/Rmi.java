package trunkline.operations;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.RMISocketFactory;
import java.rmi.server.UnicastRemoteObject;
import java.util.List;
import trunkline.operations.Structures.Item;
import trunkline.operations.Structures.Order;
import trunkline.operations.Structures.Struct;
import trunkline.operations.Structures.Synthetic;
import trunkline.toolkit.Toolkit;

/** Java RMI: the registry and the object on one port. */
final class Rmi implements Toolkit {
    private static final String NAME = "operations";

    /** Sockets of the loopback without Nagle's algorithm; a client's all go to one port. */
    private static final class Sockets extends RMISocketFactory {
        private volatile int only;

        @Override
        public Socket createSocket(String host, int port) throws IOException {
            Socket socket = new Socket();
            socket.setTcpNoDelay(true);
            socket.connect(new InetSocketAddress("127.0.0.1", only == 0 ? port : only));
            return socket;
        }

        @Override
        public ServerSocket createServerSocket(int port) throws IOException {
            return new ServerSocket(port, 1024, InetAddress.getByName("127.0.0.1")) {
                @Override
                public Socket accept() throws IOException {
                    Socket socket = super.accept();
                    socket.setTcpNoDelay(true);
                    return socket;
                }
            };
        }
    }

    private final Sockets sockets = new Sockets();
    /** Nobody else holds on to them. */
    private Registry registry;
    private OperationsService exported;

    Rmi() {
        try {
            RMISocketFactory.setSocketFactory(sockets);
        } catch (IOException error) {
            throw new ExceptionInInitializerError(error);
        }
    }

    @Override
    public String version() {
        return System.getProperty("java.version");
    }

    @Override
    public List<String> modes() {
        return List.of("rmi");
    }

    /** It starts a thread for each connection, whatever is asked for. */
    @Override
    public Serving serve(String mode, int threads, boolean isWrong) throws Exception {
        OperationsService service = new OperationsService(isWrong);
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        registry = LocateRegistry.createRegistry(port);
        exported = service;
        registry.rebind(NAME, UnicastRemoteObject.exportObject(service, port));
        return new Serving(() -> UnicastRemoteObject.unexportObject(service, true), port);
    }

    @Override
    public Client connect(String mode, int port, int thread) throws Exception {
        sockets.only = port;
        Operations.Distant distant =
                (Operations.Distant) LocateRegistry.getRegistry("127.0.0.1", port).lookup(NAME);
        return new OperationsClient(new Near(distant), thread);
    }

    /** What may fail at a distance, as what may not. */
    private record Near(Operations.Distant distant) implements Operations {
        private interface Call<T> {
            T get() throws IOException;
        }

        private static <T> T of(Call<T> call) {
            try {
                return call.get();
            } catch (IOException error) {
                throw new IllegalStateException(error.toString(), error);
            }
        }

        @Override
        public void echoVoid() {
            of(() -> {
                distant.echoVoid();
                return null;
            });
        }

        @Override
        public int echoInt(int value) {
            return of(() -> distant.echoInt(value));
        }

        @Override
        public String echoString(String value) {
            return of(() -> distant.echoString(value));
        }

        @Override
        public Struct echoStruct(Struct value) {
            return of(() -> distant.echoStruct(value));
        }

        @Override
        public Synthetic echoSynthetic(Synthetic value) {
            return of(() -> distant.echoSynthetic(value));
        }

        @Override
        public List<Item> echoArray(List<Item> value) {
            return of(() -> distant.echoArray(value));
        }

        @Override
        public Order getOrder(int customerId, int orderNumber) {
            return of(() -> distant.getOrder(customerId, orderNumber));
        }
    }
}
