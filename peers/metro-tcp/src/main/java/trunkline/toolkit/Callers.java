package trunkline.toolkit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Threads with a client each, which stay from one task to the next. */
final class Callers implements AutoCloseable {
    /** A thread, and the client that only it uses: Metro keeps a connection for the thread that called last. */
    private record Caller(ExecutorService thread, Toolkit.Client client) {}

    private final List<Caller> all = new ArrayList<>();

    Callers(Toolkit toolkit, String mode, int port, int threads) throws Exception {
        for (int index = 0; index < threads; index++) {
            int number = index;
            ExecutorService thread = Executors.newSingleThreadExecutor();
            all.add(new Caller(thread,
                    of(thread.submit(() -> toolkit.connect(mode, port, number)))));
        }
    }

    @Override
    public void close() {
        for (Caller caller : all) caller.thread.shutdown();
    }

    /** All call for so long, each once at least. */
    String call(String operation, int size, int milliseconds, Path file) throws Exception {
        CyclicBarrier barrier = new CyclicBarrier(all.size());
        List<Toolkit.Call> calls = new ArrayList<>();
        for (Caller caller : all) calls.add(caller.client.prepare(operation, size));
        List<Future<Times>> running = new ArrayList<>();
        for (int index = 0; index < all.size(); index++) {
            Toolkit.Call call = calls.get(index);
            running.add(all.get(index).thread.submit(() -> {
                barrier.await();
                return new Times(call, milliseconds * 1_000_000L);
            }));
        }
        List<Times> done = new ArrayList<>();
        for (Future<Times> one : running) done.add(of(one));
        long begun = done.stream().mapToLong(it -> it.begun).min().orElse(0);
        long ended = done.stream().mapToLong(it -> it.ended).max().orElse(0);
        int count = done.stream().mapToInt(it -> it.count).sum();
        ByteBuffer bytes = ByteBuffer.allocate(count * 8).order(ByteOrder.LITTLE_ENDIAN);
        for (Times it : done) {
            for (int index = 0; index < it.count; index++) bytes.putLong(it.times[index]);
        }
        Files.write(file, bytes.array());
        return "called " + count + " " + (ended - begun);
    }

    private static <T> T of(Future<T> future) throws Exception {
        try {
            return future.get();
        } catch (ExecutionException error) {
            throw error.getCause() instanceof Exception cause ? cause : error;
        }
    }

    /** What one thread did. */
    private static final class Times {
        final long begun = System.nanoTime();
        long ended;
        long[] times = new long[1 << 10];
        int count;

        Times(Toolkit.Call call, long nanoseconds) throws Exception {
            long now = begun;
            do {
                long start = now;
                if (!call.isRight()) throw new IOException("call " + count + ": a wrong answer");
                now = System.nanoTime();
                if (count == times.length) times = Arrays.copyOf(times, count * 2);
                times[count++] = now - start;
            } while (now - begun < nanoseconds);
            ended = now;
        }
    }
}
