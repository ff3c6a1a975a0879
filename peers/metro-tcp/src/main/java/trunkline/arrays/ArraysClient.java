package trunkline.arrays;

import java.io.IOException;
import trunkline.toolkit.Toolkit;

/** A thread's client of the operations on arrays, by JAX-WS. */
public record ArraysClient(Arrays port) implements Toolkit.Client {
    @Override
    public Toolkit.Call prepare(String operation, int size) throws IOException {
        Arrays.Doubles doubles = new Arrays.Doubles();
        doubles.item = Values.doubles(size);
        Arrays.Ints ints = new Arrays.Ints();
        ints.item = Values.ints(size);
        Arrays.Strings strings = new Arrays.Strings();
        strings.item = Values.strings(size);
        byte[] bytes = Values.bytes(size);
        return switch (operation) {
            case "echoVoid" -> () -> {
                port.echoVoid();
                return true;
            };
            case "echoDoubles" -> () -> java.util.Arrays.equals(doubles.item, port.echoDoubles(doubles).item);
            case "echoInts" -> () -> java.util.Arrays.equals(ints.item, port.echoInts(ints).item);
            case "echoStrings" -> () -> java.util.Arrays.equals(strings.item, port.echoStrings(strings).item);
            case "receiveDoubles" -> () -> port.receiveDoubles(doubles) == size;
            case "receiveInts" -> () -> port.receiveInts(ints) == size;
            case "sendBytes" -> () -> java.util.Arrays.equals(bytes, port.sendBytes(size));
            case "sendStrings" -> () -> java.util.Arrays.equals(strings.item, port.sendStrings(size).item);
            default -> throw new IOException("there is no operation " + operation);
        };
    }
}
