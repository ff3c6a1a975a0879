package trunkline.services;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Everything that a peer is asked, and its answers. */
final class Peer {
    private static final Set<String> OPERATIONS = Set.of("echo", "refuse", "notify");
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final String name;
    private final Toolkit toolkit;
    /** The name of the format that was loaded. */
    private String loaded;
    private Toolkit.Codec codec;
    private List<byte[]> messages = List.of();
    private final List<Object> structures = new ArrayList<>();
    private Toolkit.Host host;
    private Called called;
    private Toolkit.Client client;

    Peer(String name, Toolkit toolkit) {
        this.name = name;
        this.toolkit = toolkit;
    }

    String answer(String line) throws Exception {
        String[] words = line.split(" ", 3);
        return switch (words[0]) {
            case "hello" -> "hello " + name + " " + toolkit.version() + " "
                    + String.join(",", toolkit.formats());
            case "load" -> load(word(words, 1), word(words, 2));
            case "echo" -> echo(line.substring(Math.min(line.length(), "echo ".length())));
            case "run" -> run(word(words, 1), word(words, 2));
            case "serve" -> serve(line.split(" "));
            case "unserve" -> unserve();
            case "stages" -> {
                expectServing();
                yield "stages " + Stages.take();
            }
            case "call" -> call(line);
            default -> throw new IOException("unknown command: " + words[0]);
        };
    }

    private static String word(String[] words, int index) throws IOException {
        if (index < words.length) return words[index];
        throw new IOException(words[0] + " wants more words");
    }

    private static int number(String word) throws IOException {
        if (word.matches("[0-9]{1,9}") && !word.matches("0+")) return Integer.parseInt(word);
        throw new IOException("not a number of at least 1: " + word);
    }

    private String load(String named, String path) throws Exception {
        messages = List.of();
        structures.clear();
        if (!toolkit.formats().contains(named)) throw new IOException("unknown format: " + named);
        // One for all messages of a load; what it reuses inside (parser, marshaller) is its own to decide.
        loaded = named;
        codec = toolkit.codec(named);
        List<byte[]> corpus = Corpus.read(Path.of(path));
        for (int index = 0; index < corpus.size(); index++) {
            try {
                structures.add(codec.decode(corpus.get(index)));
            } catch (Exception error) {
                structures.clear();
                throw new IOException("message " + index + ": " + error, error);
            }
        }
        messages = corpus;
        return "loaded " + messages.size();
    }

    private void expectLoaded() throws IOException {
        if (messages.isEmpty()) throw new IOException("nothing is loaded");
    }

    private String echo(String path) throws Exception {
        expectLoaded();
        List<byte[]> encoded = new ArrayList<>();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (Object structure : structures) {
            codec.encode(structure, out);
            encoded.add(out.toByteArray());
        }
        Corpus.write(Path.of(path), encoded);
        return "echoed " + encoded.size();
    }

    private String run(String operation, String count) throws Exception {
        expectLoaded();
        boolean decodes = operation.equals("decode");
        if (!decodes && !operation.equals("encode")) {
            throw new IOException("run wants decode or encode and a number of passes");
        }
        // No warm-up: whoever asks lets it run until all is compiled, and work that no answer tells is a lie.
        int passes = number(count);
        long spent = pass(decodes, passes);
        return spent + "," + (long) passes * messages.size();
    }

    /** The processor's time of some passes, in nanoseconds. */
    private long pass(boolean decodes, int passes) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        long start = THREADS.getCurrentThreadCpuTime();
        for (int pass = 0; pass < passes; pass++) {
            if (decodes) {
                for (byte[] message : messages) last = codec.decode(message);
            } else {
                for (Object structure : structures) codec.encode(structure, out);
            }
        }
        return THREADS.getCurrentThreadCpuTime() - start;
    }

    /** Written, so that no decoding is dropped as having no effect. */
    private Object last;

    private String serve(String[] words) throws Exception {
        if (host != null) throw new IOException("already serving");
        int threads = number(word(words, 1));
        boolean closes = false;
        String certificate = null;
        String key = null;
        for (int at = 2; at < words.length; at++) {
            switch (words[at]) {
                case "close" -> closes = true;
                case "tls" -> {
                    certificate = word(words, ++at);
                    key = word(words, ++at);
                }
                // None of these toolkits leaves the choice.
                case "chunked" -> { }
                default -> throw new IOException("serve does not know " + words[at]);
            }
        }
        host = toolkit.serve(new Toolkit.Serving(threads, closes, certificate, key));
        return "serving " + host.port();
    }

    private void expectServing() throws IOException {
        if (host == null) throw new IOException("not serving");
    }

    private String unserve() throws Exception {
        expectServing();
        long served = Stages.takeServed();
        host.close();
        host = null;
        return "served " + served;
    }

    private String call(String line) throws Exception {
        expectLoaded();
        String[] words = line.split(" ", 6);
        if (words.length < 6) throw new IOException("call wants URL FORMAT OPERATION COUNT FILE");
        if (!words[2].equals(loaded)) throw new IOException("not loaded: " + words[2]);
        int count = number(words[4]);
        // What is left of the rest is a file's name, which may hold blanks.
        String file = words[5];
        Set<String> options = new HashSet<>();
        for (int at = file.lastIndexOf(' ');
                at >= 0 && Toolkit.OPTIONS.contains(file.substring(at + 1));
                at = file.lastIndexOf(' ')) {
            options.add(file.substring(at + 1));
            file = file.substring(0, at);
        }
        if (!OPERATIONS.contains(words[3])) throw new IOException("unknown operation: " + words[3]);
        connect(new Called(words[1], loaded, words[3], options));
        Corpus.writeTimes(Path.of(file), new Caller(client, words[3]).call(structures, count));
        return "called " + count;
    }

    /** What a client calls, and how. */
    private record Called(String url, String format, String operation, Set<String> options) {}

    /** A new client, unless the one before has called the same. */
    private void connect(Called asked) throws Exception {
        if (asked.equals(called)) return;
        if (client != null) client.close();
        called = null;
        client = toolkit.connect(asked.url, asked.format, asked.operation, asked.options);
        called = asked;
    }
}
