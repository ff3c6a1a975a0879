package trunkline.arrays;

/** What is sent (peers/PROTOCOL.md). */
public final class Values {
    /** Entries of an array at most. */
    private static final int LARGEST = 100_000;

    private Values() {}

    private static int scattered(int index) {
        return index * 7919 % 1_000_003;
    }

    public static double[] doubles(int size) {
        double[] values = new double[size];
        for (int index = 0; index < size; index++) values[index] = scattered(index) / 997.0;
        return values;
    }

    public static int[] ints(int size) {
        int[] values = new int[size];
        for (int index = 0; index < size; index++) values[index] = scattered(index) - 500_000;
        return values;
    }

    public static String[] strings(int size) {
        String[] values = new String[checked(size)];
        for (int index = 0; index < size; index++) values[index] = "element " + index;
        return values;
    }

    public static byte[] bytes(int size) {
        byte[] values = new byte[checked(size)];
        for (int index = 0; index < size; index++) values[index] = (byte) (index * 7 % 251);
        return values;
    }

    private static int checked(int size) {
        if (size >= 0 && size <= LARGEST) return size;
        throw new IllegalArgumentException("an array has at most " + LARGEST + " entries");
    }
}
