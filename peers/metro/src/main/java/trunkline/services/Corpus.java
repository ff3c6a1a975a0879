package trunkline.services;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Files of messages, each behind its length, and files of times. */
final class Corpus {
    private Corpus() {}

    static List<byte[]> read(Path path) throws IOException {
        ByteBuffer file = ByteBuffer.wrap(Files.readAllBytes(path)).order(ByteOrder.LITTLE_ENDIAN);
        List<byte[]> messages = new ArrayList<>();
        while (file.hasRemaining()) {
            if (file.remaining() < Integer.BYTES) {
                throw new IOException(path + ": ends inside a length");
            }
            int size = file.getInt();
            if (size < 0 || file.remaining() < size) {
                throw new IOException(path + ": ends inside a message");
            }
            byte[] message = new byte[size];
            file.get(message);
            messages.add(message);
        }
        return messages;
    }

    static void write(Path path, List<byte[]> messages) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] message : messages) {
            out.write(ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN)
                    .putInt(message.length).array());
            out.write(message);
        }
        Files.write(path, out.toByteArray());
    }

    static void writeTimes(Path path, long[] nanoseconds) throws IOException {
        ByteBuffer out = ByteBuffer.allocate(nanoseconds.length * Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN);
        for (long time : nanoseconds) out.putLong(time);
        Files.write(path, out.array());
    }
}
