package trunkline.operations;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import trunkline.operations.Structures.Item;
import trunkline.operations.Structures.Order;
import trunkline.operations.Structures.Struct;
import trunkline.operations.Structures.Synthetic;

/** Threads with a client each, which stay from one task to the next. */
final class Callers implements AutoCloseable {
    /** Calls, and compares what comes back. */
    private interface Call {
        boolean isRight(Operations port) throws Exception;
    }

    /** A thread, and the client that only it uses: Metro keeps a connection for the thread that called last. */
    private record Caller(ExecutorService thread, Operations port) {}

    private final List<Caller> all = new ArrayList<>();
    private long distinct;

    Callers(int threads, Callable<Operations> connect) throws Exception {
        for (int index = 0; index < threads; index++) {
            ExecutorService thread = Executors.newSingleThreadExecutor();
            all.add(new Caller(thread, thread.submit(connect).get()));
        }
    }

    @Override
    public void close() {
        for (Caller caller : all) caller.thread.shutdown();
    }

    /** All call for so long, each once at least. */
    String call(String operation, int size, int milliseconds, Path file) throws Exception {
        CyclicBarrier barrier = new CyclicBarrier(all.size());
        List<Future<Times>> running = new ArrayList<>();
        for (int index = 0; index < all.size(); index++) {
            Caller caller = all.get(index);
            Call call = operation.equals("distinct") ? distinct(index, size)
                    : call(operation, size);
            running.add(caller.thread.submit(() -> {
                barrier.await();
                return new Times(caller.port, call, milliseconds * 1_000_000L);
            }));
        }
        List<Times> done = new ArrayList<>();
        for (Future<Times> one : running) {
            try {
                done.add(one.get());
            } catch (ExecutionException error) {
                throw error.getCause() instanceof Exception cause ? cause : error;
            }
        }
        long begun = done.stream().mapToLong(it -> it.begun).min().orElse(0);
        long ended = done.stream().mapToLong(it -> it.ended).max().orElse(0);
        int calls = done.stream().mapToInt(it -> it.count).sum();
        ByteBuffer bytes = ByteBuffer.allocate(calls * 8).order(ByteOrder.LITTLE_ENDIAN);
        for (Times it : done) {
            for (int index = 0; index < it.count; index++) bytes.putLong(it.times[index]);
        }
        Files.write(file, bytes.array());
        return "called " + calls + " " + (ended - begun);
    }

    /** What one thread did. */
    private static final class Times {
        final long begun = System.nanoTime();
        long ended;
        long[] times = new long[1 << 10];
        int count;

        Times(Operations port, Call call, long nanoseconds) throws Exception {
            long now = begun;
            do {
                long start = now;
                if (!call.isRight(port)) throw new IOException("call " + count + ": a wrong answer");
                now = System.nanoTime();
                if (count == times.length) times = Arrays.copyOf(times, count * 2);
                times[count++] = now - start;
            } while (now - begun < nanoseconds);
            ended = now;
        }
    }

    private static Call call(String operation, int size) throws IOException {
        Struct struct = Values.struct();
        return switch (operation) {
            case "echoVoid" -> port -> {
                port.echoVoid();
                return true;
            };
            case "echoInt" -> port -> port.echoInt(Values.NUMBER) == Values.NUMBER;
            case "echoString" -> port -> Values.TEXT.equals(port.echoString(Values.TEXT));
            case "echoStruct" -> port -> Values.same(struct, port.echoStruct(struct));
            case "echoSynthetic" -> {
                Synthetic sent = Values.synthetic(size);
                yield port -> Values.same(sent, port.echoSynthetic(sent));
            }
            case "echoArray" -> {
                List<Item> sent = Values.items(size);
                yield port -> Values.same(sent, port.echoArray(sent));
            }
            case "getOrder" -> {
                Order expected = Values.order(Values.CUSTOMER, size);
                yield port -> Values.same(expected, port.getOrder(Values.CUSTOMER, size));
            }
            default -> throw new IOException("there is no operation " + operation);
        };
    }

    /** echoArray, with two short texts in each item that no message had before. */
    private Call distinct(int thread, int size) {
        List<Item> sent = Values.items(size);
        long first = distinct;
        distinct += 1L << 32;
        long[] next = {first + ((long) thread << 48)};
        return port -> {
            for (Item item : sent) {
                item.id = Long.toString(next[0], 36);
                item.description = "d" + item.id;
                next[0]++;
            }
            return Values.same(sent, port.echoArray(sent));
        };
    }
}
