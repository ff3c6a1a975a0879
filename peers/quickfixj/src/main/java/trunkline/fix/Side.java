package trunkline.fix;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;
import quickfix.Acceptor;
import quickfix.Application;
import quickfix.DefaultMessageFactory;
import quickfix.FieldMap;
import quickfix.FieldNotFound;
import quickfix.FileStoreFactory;
import quickfix.Initiator;
import quickfix.LogFactory;
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

/**
 * QuickFIX/J as one side of a session: it connects or listens, sends orders, answers those that come, and says what it got.
 *
 * <p>It answers lines with lines, as peers/cpp/quickfix-session.cpp does: what it keeps lies in a folder, so that it goes
 * on after a kill.
 */
public final class Side implements Application {
    private final List<String> taken = new ArrayList<>();
    private boolean isLoggedOn;
    private SessionID session;
    private long executions;

    @Override
    public void onCreate(SessionID id) {
        session = id;
    }

    @Override
    public void onLogon(SessionID id) {
        setLoggedOn(true);
    }

    @Override
    public void onLogout(SessionID id) {
        setLoggedOn(false);
    }

    @Override
    public void toAdmin(Message message, SessionID id) {}

    @Override
    public void toApp(Message message, SessionID id) {}

    @Override
    public synchronized void fromAdmin(Message message, SessionID id) throws FieldNotFound {
        if (message.getHeader().getString(35).equals("3")) {
            taken.add("rejected:" + message.getString(45) + ":" + text(message, 58).replace(' ', '_'));
        }
    }

    @Override
    public void fromApp(Message message, SessionID id) throws FieldNotFound {
        Message.Header header = message.getHeader();
        String type = header.getString(35);
        String star = text(header, 43).equals("Y") ? "*" : "";
        synchronized (this) {
            switch (type) {
                case "D" -> taken.add(message.getString(11) + star);
                case "8" -> taken.add("=" + message.getString(11) + star);
                default -> taken.add(type + star);
            }
        }
        if (type.equals("D")) {
            send(execution(message));
        }
    }

    private static String text(FieldMap fields, int tag) throws FieldNotFound {
        return fields.isSetField(tag) ? fields.getString(tag) : "";
    }

    private synchronized void setLoggedOn(boolean is) {
        isLoggedOn = is;
        notifyAll();
    }

    private synchronized boolean await(boolean wanted, long milliseconds) throws InterruptedException {
        long end = System.nanoTime() + milliseconds * 1_000_000;
        while (isLoggedOn != wanted) {
            long left = (end - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                return false;
            }
            wait(left);
        }
        return true;
    }

    private synchronized String all() {
        return String.join(" ", taken);
    }

    private boolean send(Message message) {
        try {
            return Session.sendToTarget(message, session);
        } catch (SessionNotFound error) {
            throw new IllegalStateException(error);
        }
    }

    private static Message order(String id) {
        Message order = new Message();
        order.getHeader().setString(35, "D");
        order.setString(11, id);
        order.setString(21, "1");
        order.setString(38, "100");
        order.setString(40, "1");
        order.setString(54, "1");
        order.setString(55, "INTC");
        order.setUtcTimeStamp(60, LocalDateTime.now(ZoneOffset.UTC));
        return order;
    }

    private Message execution(Message order) throws FieldNotFound {
        executions += 1;
        Message report = new Message();
        report.getHeader().setString(35, "8");
        report.setString(6, "0");
        report.setString(11, order.getString(11));
        report.setString(14, "0");
        report.setString(17, "e" + executions);
        if (session.getBeginString().equals("FIX.4.2")) {
            report.setString(20, "0");
        }
        report.setString(37, "o" + executions);
        report.setString(39, "0");
        report.setString(54, order.getString(54));
        report.setString(55, order.getString(55));
        report.setString(150, "0");
        report.setString(151, order.getString(38));
        return report;
    }

    /** Both are there, and one is used. */
    private record Running(Acceptor acceptor, Initiator initiator) {
        void stop() {
            if (acceptor != null) {
                acceptor.stop(true);
            }
            if (initiator != null) {
                initiator.stop(true);
            }
        }
    }

    private Running start(Scanner words) throws Exception {
        String role = words.next();
        boolean accepts = role.equals("acceptor");
        int port = words.nextInt();
        SessionID id = new SessionID(words.next(), words.next(), words.next());
        SessionSettings settings = new SessionSettings();
        settings.setString("FileStorePath", words.next());
        String[] dictionaries = words.next().split(",");
        settings.setString(id, "ConnectionType", role);
        settings.setString("StartTime", "00:00:00");
        settings.setString("EndTime", "00:00:00");
        settings.setString("NonStopSession", "Y");
        settings.setString("HeartBtInt", "30");
        settings.setString("ReconnectInterval", "1");
        if (dictionaries.length == 2) {
            settings.setString("DefaultApplVerID", "FIX.5.0SP2");
            settings.setString("TransportDataDictionary", dictionaries[0]);
            settings.setString("AppDataDictionary", dictionaries[1]);
        } else {
            settings.setString("DataDictionary", dictionaries[0]);
        }
        settings.setString(accepts ? "SocketAcceptAddress" : "SocketConnectHost", "127.0.0.1");
        settings.setString(accepts ? "SocketAcceptPort" : "SocketConnectPort", String.valueOf(port));
        settings.setString("SocketReuseAddress", "Y");
        // What else there is, such as SocketUseSSL=Y.
        while (words.hasNext()) {
            String[] setting = words.next().split("=", 2);
            settings.setString(setting[0], setting[1]);
        }
        MessageStoreFactory stores = new FileStoreFactory(settings);
        // Without a provider for SLF4J it says nothing.
        LogFactory logs = new SLF4JLogFactory(settings);
        MessageFactory messages = new DefaultMessageFactory();
        Running running = accepts
                ? new Running(new SocketAcceptor(this, stores, settings, logs, messages), null)
                : new Running(null, new SocketInitiator(this, stores, settings, logs, messages));
        if (accepts) {
            running.acceptor.start();
        } else {
            running.initiator.start();
        }
        return running;
    }

    private Running running;

    private String answer(String line) throws Exception {
        try (Scanner words = new Scanner(line)) {
            String word = words.next();
            if (word.equals("hello")) {
                return "hello quickfixj-session " + version() + " fix";
            }
            if (word.equals("start")) {
                running = start(words);
                return "ok";
            }
            if (running == null) {
                return "error nothing is started";
            }
            switch (word) {
                case "logged-on", "logged-out" -> {
                    return await(word.equals("logged-on"), words.nextLong()) ? "ok" : "error not in time";
                }
                case "send" -> {
                    boolean isSent = true;
                    while (words.hasNext()) {
                        isSent &= send(order(words.next()));
                    }
                    return isSent ? "ok" : "error not sent";
                }
                case "taken" -> {
                    return "taken " + all();
                }
                case "log-out" -> {
                    Session.lookupSession(session).logout();
                    return "ok";
                }
                default -> {
                    return "error " + word + " is not known";
                }
            }
        }
    }

    /** The version in the name of the library's file. */
    static String version() throws Exception {
        Path file = Path.of(Session.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        return file.getFileName().toString().replaceAll("[a-z-]*([0-9.]+)\\.jar", "$1");
    }

    /**
     * Answers until it is told to stop, or its input ends.
     *
     * @param arguments none
     * @throws Exception the input cannot be read
     */
    public static void main(String[] arguments) throws Exception {
        Side side = new Side();
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null && !line.equals("stop"); line = lines.readLine()) {
            String text;
            try {
                text = side.answer(line);
            } catch (Exception error) {
                text = "error " + error;
            }
            System.out.println(text.replace('\n', ' '));
        }
        if (side.running != null) {
            side.running.stop();
        }
        System.exit(0);
    }
}
