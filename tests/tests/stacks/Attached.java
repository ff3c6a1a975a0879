import album.Album;
import album.AlbumPortType;
import album.Picture;
import jakarta.activation.DataHandler;
import jakarta.jws.WebService;
import jakarta.mail.util.ByteArrayDataSource;
import jakarta.xml.ws.Endpoint;
import jakarta.xml.ws.soap.MTOMFeature;
import jakarta.xml.ws.soap.SOAPBinding;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;

/** An album through JAX-WS, whose octets are attached: as caller, and as a service. */
public final class Attached {
    // A toolkit makes octets arrays, and those of the type swaRef handlers.
    interface OfArray {
        void set(byte[] octets);
    }

    interface OfHandler {
        void set(DataHandler octets);
    }

    static void put(OfArray to, byte[] octets) {
        to.set(octets);
    }

    static void put(OfHandler to, byte[] octets) {
        to.set(new DataHandler(new ByteArrayDataSource(octets, "application/octet-stream")));
    }

    static byte[] get(byte[] octets) {
        return octets;
    }

    static byte[] get(DataHandler octets) {
        try (var stream = octets.getInputStream()) {
            return stream.readAllBytes();
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    static byte[] octets(int length, int mask) {
        var all = new byte[length];
        for (int at = 0; at < length; at++) all[at] = (byte) (at * 7 ^ mask);
        return all;
    }

    static byte[] negative(byte[] octets) {
        var all = octets.clone();
        for (int at = 0; at < all.length; at++) all[at] = (byte) ~all[at];
        return all;
    }

    static void call(String url, boolean isMtom) throws Exception {
        var service = new Album(URI.create(url).toURL());
        // Otherwise the WSDL's policy says it, or the type of the octets.
        var port =
                isMtom
                        ? service.getPort(AlbumPortType.class, new MTOMFeature(true, 1000))
                        : service.getPort(AlbumPortType.class);
        for (int length : new int[] {10, 1_000_000}) {
            var picture = new Picture();
            picture.setTitle("a < b");
            put(picture::setPixels, octets(length, 0));
            put(picture::setThumbnail, octets(2000, 0));
            var back = port.develop(picture);
            boolean isWhole =
                    java.util.Arrays.equals(get(back.getPixels()), octets(length, 255))
                            && java.util.Arrays.equals(get(back.getThumbnail()), octets(2000, 255));
            System.out.println(back.getTitle() + " " + length + (isWhole ? " whole" : " broken"));
        }
    }

    @WebService(
            endpointInterface = "album.AlbumPortType",
            serviceName = "Album",
            portName = "AlbumPort",
            targetNamespace = "urn:album")
    public static class Service implements AlbumPortType {
        @Override
        public Picture develop(Picture picture) {
            var developed = new Picture();
            developed.setTitle(picture.getTitle());
            put(developed::setPixels, negative(get(picture.getPixels())));
            if (picture.getThumbnail() != null) {
                put(developed::setThumbnail, negative(get(picture.getThumbnail())));
            }
            return developed;
        }
    }

    /** Serves at a port that nobody has; another is taken if somebody got it in between. */
    static String publish(String binding, boolean isMtom) throws Exception {
        for (int left = 8; ; left--) {
            int port;
            try (var socket = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
                port = socket.getLocalPort();
            }
            var url = "http://127.0.0.1:" + port + "/album";
            try {
                // CXF starts a server of its own for who asks it for the binding.
                var endpoint =
                        isMtom
                                ? Endpoint.create(binding, new Service(), new MTOMFeature(true, 1000))
                                : Endpoint.create(binding, new Service());
                endpoint.publish(url);
                return url;
            } catch (RuntimeException error) {
                if (left == 0) throw error;
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        var isMtom = arguments[1].equals("mtom");
        if (arguments[0].equals("call")) {
            call(arguments[2], isMtom);
        } else {
            var isNew = arguments[2].equals("soap12");
            var binding = isNew ? SOAPBinding.SOAP12HTTP_BINDING : SOAPBinding.SOAP11HTTP_BINDING;
            System.out.println(publish(binding, isMtom));
            while (System.in.read() >= 0) {}
        }
        System.exit(0);
    }
}
