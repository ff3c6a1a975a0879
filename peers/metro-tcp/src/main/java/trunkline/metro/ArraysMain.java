package trunkline.metro;

import java.io.IOException;
import java.util.List;
import javax.xml.namespace.QName;
import trunkline.arrays.Arrays;
import trunkline.arrays.ArraysClient;
import trunkline.arrays.ArraysService;
import trunkline.toolkit.Conversation;
import trunkline.toolkit.Toolkit;

/** Metro at either end of the operations on arrays, over HTTP. */
public final class ArraysMain implements Toolkit {
    private static final String PATH = "/arrays";

    private final Wsdl wsdl = new Wsdl("arrays", "ArraysService");

    private ArraysMain() {}

    public static void main(String[] arguments) throws IOException {
        Conversation.hold(arguments[0], new ArraysMain());
    }

    @Override
    public String version() {
        return MetroHttp.version();
    }

    @Override
    public List<String> modes() {
        return List.of("http");
    }

    @Override
    public Serving serve(String mode, int threads, boolean isWrong) throws IOException {
        return MetroHttp.serve(PATH, threads, new ArraysService(isWrong));
    }

    @Override
    public Client connect(String mode, int port, int thread) throws IOException {
        Arrays proxy = wsdl.at("http://127.0.0.1:" + port + PATH)
                .getPort(new QName(Arrays.NAMESPACE, "ArraysServicePort"), Arrays.class);
        return new ArraysClient(proxy);
    }
}
