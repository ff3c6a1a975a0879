package trunkline.operations;

import java.io.IOException;
import trunkline.toolkit.Conversation;

/** One end of the benchmark's operations, with Metro or with RMI: the section Operations of peers/PROTOCOL.md. */
public final class Main {
    private Main() {}

    public static void main(String[] arguments) throws IOException {
        boolean isRmi = arguments[0].startsWith("rmi");
        Conversation.hold(arguments[0], isRmi ? new Rmi() : new Metro());
    }
}
