package trunkline.artio;

import io.aeron.archive.Archive;
import io.aeron.archive.ArchiveThreadingMode;
import io.aeron.archive.ArchivingMediaDriver;
import io.aeron.archive.client.AeronArchive;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.logbuffer.ControlledFragmentHandler.Action;
import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Scanner;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.agrona.DirectBuffer;
import org.agrona.IoUtil;
import org.agrona.concurrent.IdleStrategy;
import uk.co.real_logic.artio.CommonConfiguration;
import uk.co.real_logic.artio.FixDictionaryImpl;
import uk.co.real_logic.artio.Reply;
import uk.co.real_logic.artio.builder.Decoder;
import uk.co.real_logic.artio.builder.ExecutionReportEncoder;
import uk.co.real_logic.artio.builder.NewOrderSingleEncoder;
import uk.co.real_logic.artio.decoder.ExecutionReportDecoder;
import uk.co.real_logic.artio.decoder.NewOrderSingleDecoder;
import uk.co.real_logic.artio.engine.EngineConfiguration;
import uk.co.real_logic.artio.engine.FixEngine;
import uk.co.real_logic.artio.fields.UtcTimestampEncoder;
import uk.co.real_logic.artio.library.FixLibrary;
import uk.co.real_logic.artio.library.LibraryConfiguration;
import uk.co.real_logic.artio.library.OnMessageInfo;
import uk.co.real_logic.artio.library.SessionConfiguration;
import uk.co.real_logic.artio.library.SessionHandler;
import uk.co.real_logic.artio.messages.DisconnectReason;
import uk.co.real_logic.artio.messages.InitialAcceptedSessionOwner;
import uk.co.real_logic.artio.session.Session;
import uk.co.real_logic.artio.util.MutableAsciiBuffer;

/**
 * Artio as both sides of a session over loopback, as peers/cpp/quickfix-speed.cpp is QuickFIX: how long a round trip takes, and how many
 * orders a second pass. Each side is an engine and a library, as Artio has it; both share a media driver in this process, and
 * wait as Artio does by default: they spin, then yield, then sleep. In files is what Artio's archive records. A first series of
 * round trips and orders, of the same length, is for the compiler alone.
 */
public final class Speed {
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(120);
    private static final String IPC = "aeron:ipc";
    private static final int FRAGMENTS = 20;

    private Speed() {}

    private static void check(Decoder message, String what) {
        if (!message.validate()) {
            String why = " does not conform to the dictionary: field " + message.invalidTagId() + ", reason ";
            throw new IllegalStateException(what + why + message.rejectReason());
        }
    }

    /** What both sides share: reading what came, where the engine left it. */
    private abstract static class Desk implements SessionHandler {
        final MutableAsciiBuffer text = new MutableAsciiBuffer();

        abstract long expected();

        abstract Action message(int offset, int length, Session session);

        @Override
        public Action onMessage(
                DirectBuffer buffer, int offset, int length, int library, Session session, int sequenceIndex,
                long messageType, long timestamp, long position, OnMessageInfo info) {
            // Those of the session come, too.
            if (messageType != expected()) {
                return Action.CONTINUE;
            }
            text.wrap(buffer);
            return message(offset, length, session);
        }

        @Override
        public void onTimeout(int library, Session session) {}

        @Override
        public void onSlowStatus(int library, Session session, boolean hasBecomeSlow) {}

        @Override
        public Action onDisconnect(int library, Session session, DisconnectReason reason) {
            return Action.CONTINUE;
        }

        @Override
        public void onSessionStart(Session session) {}
    }

    /** Answers orders, or counts them. */
    private static final class Exchange extends Desk {
        private final NewOrderSingleDecoder order = new NewOrderSingleDecoder();
        private final ExecutionReportEncoder report = new ExecutionReportEncoder();
        volatile long left;

        @Override
        long expected() {
            return NewOrderSingleDecoder.MESSAGE_TYPE;
        }

        @Override
        Action message(int offset, int length, Session session) {
            order.reset();
            order.decode(text, offset, length);
            check(order, "an order");
            long left = this.left;
            if (left > 0) {
                this.left = left - 1;
                return Action.CONTINUE;
            }
            report.avgPx(0, 0).clOrdID(order.clOrdID(), 0, order.clOrdIDLength()).cumQty(0, 0).execID("exec");
            report.orderID("id").ordStatus('0').side('1').symbol("INTC").execType('0').leavesQty(100, 0);
            // What is not taken comes again.
            return session.trySend(report) < 0 ? Action.ABORT : Action.CONTINUE;
        }
    }

    /** Sends the next order when the last is answered. */
    private static final class Fund extends Desk {
        private final NewOrderSingleEncoder order = new NewOrderSingleEncoder();
        private final ExecutionReportDecoder report = new ExecutionReportDecoder();
        private final UtcTimestampEncoder time = new UtcTimestampEncoder();
        private long[] times;
        private int count;
        private long sentAt;
        private boolean isUnsent;

        @Override
        long expected() {
            return ExecutionReportDecoder.MESSAGE_TYPE;
        }

        @Override
        Action message(int offset, int length, Session session) {
            report.reset();
            report.decode(text, offset, length);
            check(report, "a report");
            times[count] = System.nanoTime() - sentAt;
            count += 1;
            if (count < times.length) {
                next(session);
            }
            return Action.CONTINUE;
        }

        private void next(Session session) {
            sentAt = System.nanoTime();
            isUnsent = !send(session, count);
        }

        boolean send(Session session, long number) {
            int length = time.encode(System.currentTimeMillis());
            order.clOrdID("order-" + number).handlInst('1').orderQty(100, 0).ordType('2').price(10125, 2);
            order.side('1').symbol("INTC").transactTime(time.buffer(), length);
            return session.trySend(order) >= 0;
        }

        long[] measure(Polled polled, Session session, int trips) {
            times = new long[trips];
            count = 0;
            next(session);
            polled.until(() -> {
                if (isUnsent) {
                    isUnsent = !send(session, count);
                }
                return count == trips;
            });
            Arrays.sort(times);
            return times;
        }
    }

    /** A library, and the thread that has it. */
    private record Polled(FixLibrary library, IdleStrategy idle) {
        void until(BooleanSupplier isDone) {
            long end = System.nanoTime() + PATIENCE;
            while (!isDone.getAsBoolean()) {
                idle.idle(library.poll(FRAGMENTS));
                if (System.nanoTime() > end) {
                    throw new IllegalStateException("not in time");
                }
            }
        }
    }

    /** What carries and records, and an engine with its library for each side. */
    private static final class Ground implements AutoCloseable {
        private final File folder;
        private final String aeron;
        private final boolean isInFiles;
        private final AutoCloseable driver;

        Ground(String folder, boolean isInFiles) {
            this.folder = new File(folder, "artio");
            this.folder.mkdirs();
            this.isInFiles = isInFiles;
            File memory = new File("/dev/shm");
            File below = memory.isDirectory() ? memory : this.folder;
            aeron = new File(below, "trunkline-artio-" + ProcessHandle.current().pid()).getPath();
            MediaDriver.Context context = new MediaDriver.Context()
                    .aeronDirectoryName(aeron)
                    .dirDeleteOnStart(true)
                    .dirDeleteOnShutdown(true)
                    .threadingMode(ThreadingMode.SHARED)
                    .termBufferSparseFile(true);
            driver = isInFiles
                    ? ArchivingMediaDriver.launch(context, new Archive.Context()
                            .aeronDirectoryName(aeron)
                            .archiveDirectoryName(new File(this.folder, "archive").getPath())
                            .controlChannelEnabled(false)
                            .archiveClientContext(new AeronArchive.Context().controlResponseChannel(IPC))
                            .recordingEventsEnabled(false)
                            .replicationChannel("aeron:udp?endpoint=127.0.0.1:0")
                            .threadingMode(ArchiveThreadingMode.SHARED)
                            .deleteArchiveOnStart(true))
                    : MediaDriver.launch(context);
        }

        private EngineConfiguration engine(String side, int streams) {
            EngineConfiguration configuration = new EngineConfiguration()
                    .libraryAeronChannel(IPC)
                    .inboundLibraryStream(streams + 1)
                    .outboundLibraryStream(streams + 2)
                    .outboundReplayStream(streams + 3)
                    .archiveReplayStream(streams + 4)
                    .inboundAdminStream(streams + 5)
                    .outboundAdminStream(streams + 6)
                    .logFileDir(new File(folder, side).getPath())
                    .deleteLogFileDirOnStart(true)
                    .acceptorfixDictionary(FixDictionaryImpl.class)
                    .logInboundMessages(isInFiles)
                    .logOutboundMessages(isInFiles);
            configuration.monitoringFile(new File(folder, side + "-engine").getPath());
            configuration.aeronContext().aeronDirectoryName(aeron);
            configuration.aeronArchiveContext()
                    .aeronDirectoryName(aeron)
                    .controlRequestChannel(IPC)
                    .controlResponseChannel(IPC);
            return configuration;
        }

        FixLibrary library(String side, int streams, Desk desk) {
            LibraryConfiguration configuration = new LibraryConfiguration();
            configuration.inboundLibraryStream(streams + 1).outboundLibraryStream(streams + 2);
            configuration.monitoringFile(new File(folder, side + "-library").getPath());
            configuration.libraryAeronChannels(List.of(IPC));
            configuration.sessionAcquireHandler((session, info) -> desk);
            configuration.aeronContext().aeronDirectoryName(aeron);
            return FixLibrary.connect(configuration);
        }

        @Override
        public void close() throws Exception {
            driver.close();
            IoUtil.delete(new File(aeron), true);
        }
    }

    private static double seconds(Exchange exchange, Fund fund, Polled polled, Session session, long orders) {
        exchange.left = orders;
        long start = System.nanoTime();
        for (long number = 0; number < orders; number++) {
            long order = number;
            polled.until(() -> fund.send(session, order));
        }
        polled.until(() -> exchange.left == 0);
        return (System.nanoTime() - start) / 1e9;
    }

    private static String measure(Scanner words) throws Exception {
        boolean isInFiles = words.next().equals("file");
        int trips = words.nextInt();
        long orders = words.nextLong();
        int port = words.nextInt();
        String folder = words.next();
        Exchange exchange = new Exchange();
        Fund fund = new Fund();
        try (Ground ground = new Ground(folder, isInFiles);
                FixEngine bank = FixEngine.launch(ground.engine("bank", 100)
                        .bindTo("127.0.0.1", port)
                        .initialAcceptedSessionOwner(InitialAcceptedSessionOwner.SOLE_LIBRARY));
                FixEngine own = FixEngine.launch(ground.engine("fund", 200));
                FixLibrary accepting = ground.library("bank", 100, exchange);
                FixLibrary connecting = ground.library("fund", 200, fund)) {
            Polled accepted = new Polled(accepting, CommonConfiguration.backoffIdleStrategy());
            accepted.until(accepting::isConnected);
            Throwable[] failed = {null};
            Thread thread = new Thread(() -> {
                while (!Thread.currentThread().isInterrupted()) {
                    accepted.idle().idle(accepting.poll(FRAGMENTS));
                }
            });
            thread.setUncaughtExceptionHandler((it, error) -> failed[0] = error);
            thread.start();
            try {
                return exchanged(exchange, fund, connecting, port, trips, orders);
            } catch (IllegalStateException error) {
                throw failed[0] == null ? error : new IllegalStateException(failed[0]);
            } finally {
                thread.interrupt();
                thread.join();
            }
        }
    }

    private static String exchanged(
            Exchange exchange, Fund fund, FixLibrary library, int port, int trips, long orders) {
        Polled polled = new Polled(library, CommonConfiguration.backoffIdleStrategy());
        polled.until(library::isConnected);
        SessionConfiguration configuration = SessionConfiguration.builder()
                .address("127.0.0.1", port)
                .senderCompId("FUND")
                .targetCompId("BANK")
                .timeoutInMs(TimeUnit.NANOSECONDS.toMillis(PATIENCE))
                .fixDictionary(FixDictionaryImpl.class)
                .build();
        // Its engine runs already, as a program of Artio has it.
        long start = System.nanoTime();
        Reply<Session> reply = library.initiate(configuration);
        polled.until(() -> !reply.isExecuting());
        if (!reply.hasCompleted()) {
            throw new IllegalStateException("it does not log on: " + reply);
        }
        Session session = reply.resultIfPresent();
        polled.until(session::isActive);
        long logon = System.nanoTime() - start;
        fund.measure(polled, session, trips);
        long[] times = fund.measure(polled, session, trips);
        seconds(exchange, fund, polled, session, orders);
        double seconds = seconds(exchange, fund, polled, session, orders);
        // Its engines would wait for that when they are closed.
        polled.until(() -> session.startLogout() >= 0);
        polled.until(() -> !session.isConnected());
        return "measured " + logon + " " + times[trips / 2] + " " + times[trips * 99 / 100] + " "
                + (long) (orders / seconds);
    }

    /**
     * Answers lines with lines.
     *
     * @param arguments none
     * @throws Exception the input cannot be read
     */
    public static void main(String[] arguments) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null && !line.equals("stop"); line = lines.readLine()) {
            String text;
            try (Scanner words = new Scanner(line)) {
                String word = words.next();
                text = switch (word) {
                    case "hello" -> "hello artio-speed " + version() + " fix";
                    case "measure" -> measure(words);
                    default -> "error " + word + " is not known";
                };
            } catch (Exception error) {
                text = "error " + error;
            }
            System.out.println(text.replace('\n', ' '));
        }
        System.exit(0);
    }

    /** That of the file that it comes in. */
    private static String version() {
        String file = FixEngine.class.getProtectionDomain().getCodeSource().getLocation().getPath();
        return file.replaceAll(".*artio-core-(.*)\\.jar", "$1");
    }
}
