package trunkline.services;

import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * Where the time of the calls served goes, summed over all threads.
 *
 * <p>Decoding is from when the container hands over a call until the service's method begins:
 * the envelope's parsing, headers, dispatch, JAXB. Encoding is from the end of that method until
 * the container has the call back. Time in which the socket is read or written is in neither,
 * nor is the container's own work before and after. Each call stays on one thread.
 */
public final class Stages {
    private static final LongAdder DECODE = new LongAdder();
    private static final LongAdder APPLICATION = new LongAdder();
    private static final LongAdder ENCODE = new LongAdder();
    private static final LongAdder COUNT = new LongAdder();
    private static final LongAdder SERVED = new LongAdder();
    private static final AtomicInteger RUNNING = new AtomicInteger();
    private static final int PATIENCE_MILLISECONDS = 100;
    private static final ThreadLocal<Call> CALL = ThreadLocal.withInitial(Call::new);

    /** The instants of a thread's present call, in nanoseconds; 0 for what has not come. */
    private static final class Call {
        long begun;
        long entered;
        long left;
        /** Spent on the socket before the method was entered, and after it was left. */
        long received;
        long sent;

        void socket(long nanoseconds) {
            if (entered == 0) received += nanoseconds;
            else if (left != 0) sent += nanoseconds;
        }
    }

    private Stages() {}

    /** A call has come. */
    public static void begin() {
        RUNNING.incrementAndGet();
        Call call = CALL.get();
        call.entered = 0;
        call.left = 0;
        call.received = 0;
        call.sent = 0;
        call.begun = System.nanoTime();
    }

    /** The service's method begins. */
    public static void enter() {
        CALL.get().entered = System.nanoTime();
    }

    /** The service's method ends. */
    public static void leave() {
        CALL.get().left = System.nanoTime();
    }

    /** The call is answered; one that reached no method, as a request for a WSDL, is not counted. */
    public static void end() {
        long ended = System.nanoTime();
        Call call = CALL.get();
        if (call.left == 0) {
            RUNNING.decrementAndGet();
            return;
        }
        DECODE.add(call.entered - call.begun - call.received);
        APPLICATION.add(call.left - call.entered);
        ENCODE.add(ended - call.left - call.sent);
        COUNT.increment();
        SERVED.increment();
        RUNNING.decrementAndGet();
    }

    /** The sums since this was asked last, as the protocol has them. */
    static String take() throws InterruptedException {
        settle();
        return DECODE.sumThenReset() + " " + APPLICATION.sumThenReset() + " "
                + ENCODE.sumThenReset() + " " + COUNT.sumThenReset();
    }

    /** A caller has its answer a little before the call ends here: waits for those, if few. */
    private static void settle() throws InterruptedException {
        for (int waited = 0; waited < PATIENCE_MILLISECONDS && RUNNING.get() > 0; waited++) {
            Thread.sleep(1);
        }
    }

    /** How many calls were served since this was asked last. */
    static long takeServed() throws InterruptedException {
        settle();
        return SERVED.sumThenReset();
    }

    /** Reads from the socket, and keeps the time that takes apart. */
    public static InputStream timed(InputStream socket) {
        return new FilterInputStream(socket) {
            @Override
            public int read() throws IOException {
                long start = System.nanoTime();
                int read = in.read();
                CALL.get().socket(System.nanoTime() - start);
                return read;
            }

            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                long start = System.nanoTime();
                int read = in.read(bytes, offset, length);
                CALL.get().socket(System.nanoTime() - start);
                return read;
            }
        };
    }

    /** Writes to the socket, and keeps the time that takes apart. */
    public static OutputStream timed(OutputStream socket) {
        return new FilterOutputStream(socket) {
            @Override
            public void write(int value) throws IOException {
                long start = System.nanoTime();
                out.write(value);
                CALL.get().socket(System.nanoTime() - start);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                long start = System.nanoTime();
                out.write(bytes, offset, length);
                CALL.get().socket(System.nanoTime() - start);
            }

            @Override
            public void flush() throws IOException {
                long start = System.nanoTime();
                out.flush();
                CALL.get().socket(System.nanoTime() - start);
            }

            @Override
            public void close() throws IOException {
                long start = System.nanoTime();
                out.close();
                CALL.get().socket(System.nanoTime() - start);
            }
        };
    }
}
