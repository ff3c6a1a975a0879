package trunkline.toolkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.logging.LogManager;

/** The loop of a toolkit at either end of calls: a line in, a line out (peers/PROTOCOL.md, Operations). */
public final class Conversation {
    private static final long MEGABYTE = 1 << 20;

    private final String name;
    private final Toolkit toolkit;
    private AutoCloseable server;
    private Callers callers;

    private Conversation(String name, Toolkit toolkit) {
        this.name = name;
        this.toolkit = toolkit;
    }

    /** Answers the lab's questions until it has no more. */
    public static void hold(String name, Toolkit toolkit) throws IOException {
        BufferedReader in =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        // What a library prints is for people.
        System.setOut(System.err);
        LogManager.getLogManager().reset();
        Conversation conversation = new Conversation(name, toolkit);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.equals("stop")) break;
            String told = conversation.reply(line);
            out.print(told.replace('\n', ' ').replace('\r', ' ') + "\n");
            out.flush();
        }
        // Idle connections keep the program alive.
        System.exit(0);
    }

    private String reply(String line) {
        try {
            return answer(line.split(" ", 5));
        } catch (Exception | StackOverflowError error) {
            String text = error.getMessage();
            return "error " + (text == null ? error.toString() : text);
        }
    }

    private String answer(String[] words) throws Exception {
        return switch (words[0]) {
            case "hello" -> "hello " + name + " " + toolkit.version() + " "
                    + String.join(",", toolkit.modes());
            case "serve" -> serve(words);
            case "connect" -> connect(word(words, 1), number(words, 2), number(words, 3));
            case "call" -> callers().call(word(words, 1), number(words, 2), number(words, 3),
                    Path.of(word(words, 4)));
            case "memory" -> "memory " + memory();
            default -> throw new IOException("unknown word " + words[0]);
        };
    }

    private String serve(String[] words) throws Exception {
        if (server != null) throw new IOException("it serves already");
        boolean isWrong = words.length == 4 && words[3].equals("wrong");
        if (words.length > 3 && !isWrong) throw new IOException("serve does not know " + words[3]);
        String mode = mode(word(words, 1));
        Toolkit.Serving serving = toolkit.serve(mode, number(words, 2), isWrong);
        server = serving.server();
        return "serving " + serving.port();
    }

    private String connect(String mode, int port, int threads) throws Exception {
        if (callers != null) callers.close();
        callers = null;
        callers = new Callers(toolkit, mode(mode), port, threads);
        return "connected " + threads;
    }

    private Callers callers() throws IOException {
        if (callers == null) throw new IOException("it is not connected");
        return callers;
    }

    private String mode(String mode) throws IOException {
        if (toolkit.modes().contains(mode)) return mode;
        throw new IOException("there is no mode " + mode + " here");
    }

    /** Bytes of the heap that are in use once what is not has been collected. */
    private static long memory() {
        Runtime runtime = Runtime.getRuntime();
        long used = Long.MAX_VALUE;
        for (int round = 0; round < 4; round++) {
            System.gc();
            long now = runtime.totalMemory() - runtime.freeMemory();
            if (now + MEGABYTE > used) return Math.min(now, used);
            used = now;
        }
        return used;
    }

    private static String word(String[] words, int index) throws IOException {
        if (index < words.length && !words[index].isEmpty()) return words[index];
        throw new IOException("a word is missing after " + words[0]);
    }

    private static int number(String[] words, int index) throws IOException {
        String word = word(words, index);
        if (word.matches("[0-9]{1,9}")) return Integer.parseInt(word);
        throw new IOException("no number: " + word);
    }
}
