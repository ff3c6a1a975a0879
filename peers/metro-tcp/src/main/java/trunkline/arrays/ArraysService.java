package trunkline.arrays;

import jakarta.jws.WebService;

/** The operations on arrays, by a service of JAX-WS. */
@WebService(endpointInterface = "trunkline.arrays.Arrays", serviceName = "ArraysService",
        portName = "ArraysServicePort", targetNamespace = Arrays.NAMESPACE)
public class ArraysService implements Arrays {
    private final Answers answers;

    public ArraysService() {
        this(false);
    }

    public ArraysService(boolean isWrong) {
        answers = new Answers(isWrong);
    }

    @Override
    public void echoVoid() {}

    @Override
    public Doubles echoDoubles(Doubles value) {
        value.item = answers.echoed(value.item);
        return value;
    }

    @Override
    public Ints echoInts(Ints value) {
        value.item = answers.echoed(value.item);
        return value;
    }

    @Override
    public Strings echoStrings(Strings value) {
        value.item = answers.echoed(value.item);
        return value;
    }

    @Override
    public int receiveDoubles(Doubles value) {
        return answers.received(value.item.length);
    }

    @Override
    public int receiveInts(Ints value) {
        return answers.received(value.item.length);
    }

    @Override
    public byte[] sendBytes(int value) {
        return answers.bytes(value);
    }

    @Override
    public Strings sendStrings(int value) {
        Strings strings = new Strings();
        strings.item = answers.strings(value);
        return strings;
    }
}
