package trunkline.operations;

import jakarta.jws.WebService;
import java.util.List;
import trunkline.operations.Structures.Item;
import trunkline.operations.Structures.Order;
import trunkline.operations.Structures.Struct;
import trunkline.operations.Structures.Synthetic;

/** The operations, answered rightly; or wrongly, to see whether a client notices. */
@WebService(endpointInterface = "trunkline.operations.Operations",
        serviceName = "OperationsService", portName = "OperationsServicePort",
        targetNamespace = Operations.NAMESPACE)
public class OperationsService implements Operations, Operations.Distant {
    private final boolean wrong;

    public OperationsService() {
        this(false);
    }

    OperationsService(boolean wrong) {
        this.wrong = wrong;
    }

    @Override
    public void echoVoid() {}

    @Override
    public int echoInt(int value) {
        return wrong ? value + 1 : value;
    }

    @Override
    public String echoString(String value) {
        return wrong ? value + "." : value;
    }

    @Override
    public Struct echoStruct(Struct value) {
        if (wrong) value.fraction += 1;
        return value;
    }

    @Override
    public Synthetic echoSynthetic(Synthetic value) {
        if (wrong) value.bytes[value.bytes.length - 1] ^= 1;
        return value;
    }

    @Override
    public List<Item> echoArray(List<Item> value) {
        if (wrong) value.get(value.size() - 1).location.country += ".";
        return value;
    }

    @Override
    public Order getOrder(int customerId, int orderNumber) {
        Order order = Values.order(customerId, orderNumber);
        if (wrong) order.lineItems.lineItem.get(orderNumber - 1).unitPrice += 1;
        return order;
    }
}
