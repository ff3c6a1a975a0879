package trunkline.fix;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Scanner;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import quickfix.Application;
import quickfix.DefaultMessageFactory;
import quickfix.FieldNotFound;
import quickfix.FileStoreFactory;
import quickfix.LogFactory;
import quickfix.MemoryStoreFactory;
import quickfix.Message;
import quickfix.MessageFactory;
import quickfix.MessageStoreFactory;
import quickfix.SLF4JLogFactory;
import quickfix.Session;
import quickfix.SessionID;
import quickfix.SessionNotFound;
import quickfix.SessionSettings;
import quickfix.SocketAcceptor;
import quickfix.SocketInitiator;
import quickfix.UtcTimestampPrecision;

/**
 * QuickFIX/J as both sides of a session over loopback, as peers/cpp/quickfix-speed.cpp is QuickFIX: how long a round trip takes,
 * and how many orders a second pass. A first series of round trips and orders, of the same length, is for the compiler alone.
 */
public final class Speed {
    private static final long PATIENCE = 120;

    private Speed() {}

    /** What both sides share. */
    private abstract static class Desk implements Application {
        final CountDownLatch loggedOn = new CountDownLatch(1);
        SessionID session;

        @Override
        public void onCreate(SessionID id) {
            session = id;
        }

        @Override
        public void onLogon(SessionID id) {
            loggedOn.countDown();
        }

        @Override
        public void onLogout(SessionID id) {}

        @Override
        public void toAdmin(Message message, SessionID id) {}

        @Override
        public void toApp(Message message, SessionID id) {}

        @Override
        public void fromAdmin(Message message, SessionID id) {}

        final void send(Message message) {
            try {
                Session.sendToTarget(message, session);
            } catch (SessionNotFound error) {
                throw new IllegalStateException(error);
            }
        }
    }

    /** Answers orders, or counts them. */
    private static final class Exchange extends Desk {
        volatile long left;
        volatile CountDownLatch finished;

        @Override
        public void fromApp(Message message, SessionID id) throws FieldNotFound {
            if (left > 0) {
                left -= 1;
                if (left == 0) {
                    finished.countDown();
                }
                return;
            }
            Message report = new Message();
            report.getHeader().setString(35, "8");
            report.setString(6, "0");
            report.setString(11, message.getString(11));
            report.setString(14, "0");
            report.setString(17, "exec");
            report.setString(37, "id");
            report.setString(39, "0");
            report.setString(54, "1");
            report.setString(55, "INTC");
            report.setString(150, "0");
            report.setString(151, "100");
            send(report);
        }
    }

    /** Sends the next order when the last is answered. */
    private static final class Fund extends Desk {
        private long[] times;
        private int count;
        private long sentAt;
        private CountDownLatch finished;

        long[] measure(int trips) throws InterruptedException {
            times = new long[trips];
            count = 0;
            finished = new CountDownLatch(1);
            next();
            if (!finished.await(PATIENCE, TimeUnit.SECONDS)) {
                throw new IllegalStateException("not all are answered");
            }
            Arrays.sort(times);
            return times;
        }

        private void next() {
            sentAt = System.nanoTime();
            order(count);
        }

        void order(long number) {
            Message order = new Message();
            order.getHeader().setString(35, "D");
            order.setString(11, "order-" + number);
            order.setString(21, "1");
            order.setString(38, "100");
            order.setString(40, "2");
            order.setString(44, "101.25");
            order.setString(54, "1");
            order.setString(55, "INTC");
            order.setUtcTimeStamp(60, LocalDateTime.now(ZoneOffset.UTC), UtcTimestampPrecision.MILLIS);
            send(order);
        }

        @Override
        public void fromApp(Message message, SessionID id) {
            times[count] = System.nanoTime() - sentAt;
            count += 1;
            if (count == times.length) {
                finished.countDown();
            } else {
                next();
            }
        }
    }

    private static SessionSettings settings(String role, int port, String folder, String dictionary) {
        boolean accepts = role.equals("acceptor");
        SessionSettings settings = new SessionSettings();
        String own = accepts ? "BANK" : "FUND";
        SessionID id = new SessionID("FIX.4.3", own, accepts ? "FUND" : "BANK");
        settings.setString("FileStorePath", folder + "/" + role);
        settings.setString(id, "ConnectionType", role);
        settings.setString("NonStopSession", "Y");
        settings.setString("HeartBtInt", "30");
        settings.setString("ReconnectInterval", "1");
        settings.setString("DataDictionary", dictionary);
        settings.setString(accepts ? "SocketAcceptAddress" : "SocketConnectHost", "127.0.0.1");
        settings.setString(accepts ? "SocketAcceptPort" : "SocketConnectPort", String.valueOf(port));
        settings.setString("SocketReuseAddress", "Y");
        return settings;
    }

    private static double seconds(Exchange exchange, Fund fund, long orders) throws InterruptedException {
        exchange.finished = new CountDownLatch(1);
        exchange.left = orders;
        long start = System.nanoTime();
        for (long number = 0; number < orders; number++) {
            fund.order(number);
        }
        if (!exchange.finished.await(PATIENCE, TimeUnit.SECONDS)) {
            throw new IllegalStateException("not all came");
        }
        return (System.nanoTime() - start) / 1e9;
    }

    private static String measure(Scanner words) throws Exception {
        boolean isOnDisk = words.next().equals("file");
        int trips = words.nextInt();
        long orders = words.nextLong();
        int port = words.nextInt();
        String folder = words.next();
        String dictionary = words.next();
        SessionSettings ours = settings("acceptor", port, folder, dictionary);
        SessionSettings theirs = settings("initiator", port, folder, dictionary);
        Exchange exchange = new Exchange();
        Fund fund = new Fund();
        LogFactory logs = new SLF4JLogFactory(ours);
        MessageFactory messages = new DefaultMessageFactory();
        MessageStoreFactory store = isOnDisk ? new FileStoreFactory(ours) : new MemoryStoreFactory();
        SocketAcceptor acceptor = new SocketAcceptor(exchange, store, ours, logs, messages);
        acceptor.start();
        store = isOnDisk ? new FileStoreFactory(theirs) : new MemoryStoreFactory();
        SocketInitiator initiator = new SocketInitiator(fund, store, theirs, logs, messages);
        long start = System.nanoTime();
        initiator.start();
        if (!fund.loggedOn.await(PATIENCE, TimeUnit.SECONDS)) {
            return "error not in time";
        }
        long logon = System.nanoTime() - start;
        fund.measure(trips);
        long[] times = fund.measure(trips);
        seconds(exchange, fund, orders);
        double seconds = seconds(exchange, fund, orders);
        initiator.stop(true);
        acceptor.stop(true);
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
                    case "hello" -> "hello quickfixj-speed " + Side.version() + " fix";
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
}
