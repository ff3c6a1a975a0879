package trunkline.operations;

import java.io.IOException;
import java.util.List;
import trunkline.operations.Structures.Item;
import trunkline.operations.Structures.Order;
import trunkline.operations.Structures.Struct;
import trunkline.operations.Structures.Synthetic;
import trunkline.toolkit.Toolkit;

/** A thread's client of the benchmark's operations. */
final class OperationsClient implements Toolkit.Client {
    private final Operations port;
    /** The number of the next text that no message had before. */
    private long next;

    OperationsClient(Operations port, int thread) {
        this.port = port;
        next = (long) thread << 48;
    }

    @Override
    public Toolkit.Call prepare(String operation, int size) throws IOException {
        Struct struct = Values.struct();
        return switch (operation) {
            case "distinct" -> distinct(size);
            case "echoVoid" -> () -> {
                port.echoVoid();
                return true;
            };
            case "echoInt" -> () -> port.echoInt(Values.NUMBER) == Values.NUMBER;
            case "echoString" -> () -> Values.TEXT.equals(port.echoString(Values.TEXT));
            case "echoStruct" -> () -> Values.same(struct, port.echoStruct(struct));
            case "echoSynthetic" -> {
                Synthetic sent = Values.synthetic(size);
                yield () -> Values.same(sent, port.echoSynthetic(sent));
            }
            case "echoArray" -> {
                List<Item> sent = Values.items(size);
                yield () -> Values.same(sent, port.echoArray(sent));
            }
            case "getOrder" -> {
                Order expected = Values.order(Values.CUSTOMER, size);
                yield () -> Values.same(expected, port.getOrder(Values.CUSTOMER, size));
            }
            default -> throw new IOException("there is no operation " + operation);
        };
    }

    /** echoArray, with two short texts in each item that no message had before. */
    private Toolkit.Call distinct(int size) {
        List<Item> sent = Values.items(size);
        return () -> {
            for (Item item : sent) {
                item.id = Long.toString(next, 36);
                item.description = "d" + item.id;
                next++;
            }
            return Values.same(sent, port.echoArray(sent));
        };
    }
}
