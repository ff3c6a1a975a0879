package trunkline.services;

import java.io.IOException;
import java.util.List;

/** Lets a client call again and again, and looks at what it says. */
final class Caller {
    private final Toolkit.Client client;
    private final String operation;

    Caller(Toolkit.Client client, String operation) {
        this.client = client;
        this.operation = operation;
    }

    /** Sends the messages in turn, checks each answer, and returns the calls' times. */
    long[] call(List<?> messages, int count) throws IOException {
        long[] times = new long[count];
        for (int index = 0; index < count; index++) {
            Object message = messages.get(index % messages.size());
            Object[] answer = null;
            Exception thrown = null;
            long start = System.nanoTime();
            try {
                answer = client.call(message);
            } catch (Exception error) {
                thrown = error;
            }
            times[index] = System.nanoTime() - start;
            String wrong = wrong(client.parts(message), answer, thrown);
            if (wrong != null) throw new IOException("call " + index + ": " + wrong, thrown);
        }
        return times;
    }

    /** What is wrong with an answer, null if nothing. */
    private String wrong(Object[] sent, Object[] answer, Exception thrown) {
        if (operation.equals("refuse") && thrown == null) return "was answered, not refused";
        if (operation.equals("refuse") && client.isRefusal(thrown, (String) sent[0])) return null;
        if (thrown != null) return "is refused by " + thrown;
        if (operation.equals("notify")) return null;
        if (!Names.RESPONSE.equals(answer[0])) return "came back with header " + answer[0];
        String difference = Same.difference("customers", sent[1], answer[1]);
        return difference != null ? difference : Same.difference("products", sent[2], answer[2]);
    }
}
