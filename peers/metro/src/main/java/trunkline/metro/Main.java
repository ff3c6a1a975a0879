package trunkline.metro;

import com.sun.xml.ws.util.RuntimeVersion;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.logging.Level;
import java.util.logging.Logger;

/** The loop of peers/PROTOCOL.md: a line in, a line out. */
public final class Main {
    /** Kept, since a logger that nobody holds forgets its level. */
    private static final Logger METRO = Logger.getLogger("com.sun.xml.ws");

    private Main() {}

    public static void main(String[] arguments) throws IOException {
        BufferedReader in =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        // It tells of operations that differ by SOAPAction alone, as those of the bare style do, and
        // of every call that fails, whose caller is told as well.
        METRO.setLevel(Level.OFF);
        // What a library prints is for people.
        System.setOut(System.err);
        // "XML-WS Runtime 4.0.3"
        String version = RuntimeVersion.VERSION.BUILD_VERSION.replaceAll(".* ", "");
        Peer peer = new Peer("metro-services " + version);
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
