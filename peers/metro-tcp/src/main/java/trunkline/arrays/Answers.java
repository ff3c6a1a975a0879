package trunkline.arrays;

/** What a service answers: rightly; or wrongly, to see whether a client notices. */
public final class Answers {
    private final boolean isWrong;

    public Answers(boolean isWrong) {
        this.isWrong = isWrong;
    }

    public double[] echoed(double[] value) {
        if (isWrong) value[value.length - 1] += 1;
        return value;
    }

    public int[] echoed(int[] value) {
        if (isWrong) value[value.length - 1] += 1;
        return value;
    }

    public String[] echoed(String[] value) {
        if (isWrong) value[value.length - 1] += ".";
        return value;
    }

    public int received(int count) {
        return isWrong ? count + 1 : count;
    }

    public String[] strings(int size) {
        return echoed(Values.strings(size));
    }

    public byte[] bytes(int size) {
        byte[] value = Values.bytes(size);
        if (isWrong) value[value.length - 1] ^= 1;
        return value;
    }
}
