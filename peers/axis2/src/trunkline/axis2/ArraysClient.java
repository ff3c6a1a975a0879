package trunkline.axis2;

import java.io.IOException;
import java.util.Arrays;
import trunkline.arrays.Values;
import trunkline.axis2.made.ArrayOfdouble;
import trunkline.axis2.made.ArrayOfint;
import trunkline.axis2.made.ArrayOfstring;
import trunkline.axis2.made.ArraysServiceStub;
import trunkline.axis2.made.EchoDoubles;
import trunkline.axis2.made.EchoInts;
import trunkline.axis2.made.EchoStrings;
import trunkline.axis2.made.EchoVoid;
import trunkline.axis2.made.ReceiveDoubles;
import trunkline.axis2.made.ReceiveInts;
import trunkline.axis2.made.SendBytes;
import trunkline.axis2.made.SendStrings;
import trunkline.toolkit.Toolkit;

/** A thread's client of the operations on arrays. */
record ArraysClient(ArraysServiceStub port) implements Toolkit.Client {
    @Override
    public Toolkit.Call prepare(String operation, int size) throws IOException {
        double[] doubles = Values.doubles(size);
        int[] ints = Values.ints(size);
        String[] strings = Values.strings(size);
        byte[] bytes = Values.bytes(size);
        return switch (operation) {
            case "echoVoid" -> () -> {
                port.echoVoid(new EchoVoid());
                return true;
            };
            case "echoDoubles" -> () -> {
                EchoDoubles request = new EchoDoubles();
                request.setValue(of(doubles));
                return Arrays.equals(doubles, port.echoDoubles(request).getValue().getItem());
            };
            case "echoInts" -> () -> {
                EchoInts request = new EchoInts();
                request.setValue(of(ints));
                return Arrays.equals(ints, port.echoInts(request).getValue().getItem());
            };
            case "echoStrings" -> () -> {
                EchoStrings request = new EchoStrings();
                request.setValue(of(strings));
                return Arrays.equals(strings, port.echoStrings(request).getValue().getItem());
            };
            case "receiveDoubles" -> () -> {
                ReceiveDoubles request = new ReceiveDoubles();
                request.setValue(of(doubles));
                return port.receiveDoubles(request).getValue() == size;
            };
            case "receiveInts" -> () -> {
                ReceiveInts request = new ReceiveInts();
                request.setValue(of(ints));
                return port.receiveInts(request).getValue() == size;
            };
            case "sendBytes" -> () -> {
                SendBytes request = new SendBytes();
                request.setValue(size);
                return Arrays.equals(bytes, Octets.from(port.sendBytes(request).getValue()));
            };
            case "sendStrings" -> () -> {
                SendStrings request = new SendStrings();
                request.setValue(size);
                return Arrays.equals(strings, port.sendStrings(request).getValue().getItem());
            };
            default -> throw new IOException("there is no operation " + operation);
        };
    }

    private static ArrayOfdouble of(double[] item) {
        ArrayOfdouble array = new ArrayOfdouble();
        array.setItem(item);
        return array;
    }

    private static ArrayOfint of(int[] item) {
        ArrayOfint array = new ArrayOfint();
        array.setItem(item);
        return array;
    }

    private static ArrayOfstring of(String[] item) {
        ArrayOfstring array = new ArrayOfstring();
        array.setItem(item);
        return array;
    }
}
