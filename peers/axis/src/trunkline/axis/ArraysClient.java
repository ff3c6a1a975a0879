package trunkline.axis;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import trunkline.arrays.Values;
import trunkline.axis.made.ArraysServicePortType;
import trunkline.toolkit.Toolkit;

/** A thread's client of the operations on arrays. */
final class ArraysClient implements Toolkit.Client {
    private final ArraysServicePortType port;
    private final Set<String> called = new HashSet<>();

    ArraysClient(ArraysServicePortType port) {
        this.port = port;
    }

    @Override
    public Toolkit.Call prepare(String operation, int size) throws Exception {
        Toolkit.Call call = call(operation, size);
        // Whoever calls an operation first fills tables that all stubs share, and nothing guards them.
        if (called.add(operation)) call.isRight();
        return call;
    }

    private Toolkit.Call call(String operation, int size) throws IOException {
        double[] doubles = Values.doubles(size);
        int[] ints = Values.ints(size);
        String[] strings = Values.strings(size);
        byte[] bytes = Values.bytes(size);
        return switch (operation) {
            case "echoVoid" -> () -> {
                port.echoVoid();
                return true;
            };
            case "echoDoubles" -> () -> Arrays.equals(doubles, port.echoDoubles(doubles));
            case "echoInts" -> () -> Arrays.equals(ints, port.echoInts(ints));
            case "echoStrings" -> () -> Arrays.equals(strings, port.echoStrings(strings));
            case "receiveDoubles" -> () -> port.receiveDoubles(doubles) == size;
            case "receiveInts" -> () -> port.receiveInts(ints) == size;
            case "sendBytes" -> () -> Arrays.equals(bytes, port.sendBytes(size));
            case "sendStrings" -> () -> Arrays.equals(strings, port.sendStrings(size));
            default -> throw new IOException("there is no operation " + operation);
        };
    }
}
