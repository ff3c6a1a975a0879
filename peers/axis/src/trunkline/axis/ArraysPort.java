package trunkline.axis;

import trunkline.arrays.Answers;
import trunkline.axis.made.ArraysServicePortType;

/** The operations on arrays, by what Axis made of the WSDL. Axis makes one for each call. */
public final class ArraysPort implements ArraysServicePortType {
    /** Of all of them. */
    static volatile Answers answers = new Answers(false);

    @Override
    public void echoVoid() {}

    @Override
    public double[] echoDoubles(double[] value) {
        return answers.echoed(value);
    }

    @Override
    public int[] echoInts(int[] value) {
        return answers.echoed(value);
    }

    @Override
    public String[] echoStrings(String[] value) {
        return answers.echoed(value);
    }

    @Override
    public int receiveDoubles(double[] value) {
        return answers.received(value.length);
    }

    @Override
    public int receiveInts(int[] value) {
        return answers.received(value.length);
    }

    @Override
    public byte[] sendBytes(int value) {
        return answers.bytes(value);
    }

    @Override
    public String[] sendStrings(int value) {
        return answers.strings(value);
    }
}
