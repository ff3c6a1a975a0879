package trunkline.services;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** The loop of peers/PROTOCOL.md: a line in, a line out. */
public final class Conversation {
    private Conversation() {}

    /** Answers for a toolkit until all was said, and ends the program. */
    public static void hold(String name, Toolkit toolkit) throws IOException {
        BufferedReader in =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        // What a library prints is for people.
        System.setOut(System.err);
        Peer peer = new Peer(name, toolkit);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.equals("stop")) break;
            out.print(reply(peer, line).replace('\n', ' ').replace('\r', ' ') + "\n");
            out.flush();
        }
        // Threads of a pool or of an idle connection do not keep the program alive.
        System.exit(0);
    }

    private static String reply(Peer peer, String line) {
        try {
            return peer.answer(line);
        } catch (Exception | StackOverflowError error) {
            String text = error.getMessage();
            return "error " + (text == null ? error.toString() : text);
        }
    }
}
