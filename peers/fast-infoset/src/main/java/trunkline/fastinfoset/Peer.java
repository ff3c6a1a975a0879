package trunkline.fastinfoset;

import com.sun.management.OperatingSystemMXBean;
import com.sun.xml.fastinfoset.sax.SAXDocumentParser;
import com.sun.xml.fastinfoset.sax.SAXDocumentSerializer;
import com.sun.xml.fastinfoset.stax.StAXDocumentParser;
import com.sun.xml.fastinfoset.stax.StAXDocumentSerializer;
import com.sun.xml.fastinfoset.vocab.ParserVocabulary;
import com.sun.xml.fastinfoset.vocab.SerializerVocabulary;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.xml.stream.XMLStreamConstants;

/**
 * The library parses and serialises documents; what it makes of them are events, and these are what is kept here as
 * structures. So nothing is converted, and a value stays the text that it is.
 *
 * <p>By StAX or by SAX, of documents that stand by themselves or of one sequence, which each pass begins anew with
 * empty vocabularies.
 */
public final class Peer {
    /** As in Metro's stateful codec. */
    private static final int LONGEST = 32;
    private static final int MEMORY = 4 * 1024 * 1024;
    private static final List<String> FORMATS = List.of(
            "fast-infoset-stax", "fast-infoset-sax",
            "fast-infoset-retained-stax", "fast-infoset-retained-sax");

    private static final OperatingSystemMXBean PROCESS =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private boolean retains;
    private boolean sax;
    private List<byte[]> documents = List.of();
    private List<Recorded> structures = List.of();

    /** What a pass makes of the documents, so that no compiler leaves it out. */
    private long made;

    private StAXDocumentParser pullParser;
    private SAXDocumentParser pushParser;
    private StAXDocumentSerializer streamSerializer;
    private SAXDocumentSerializer eventSerializer;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream(1 << 16);

    private Peer() {}

    public static void main(String[] arguments) throws IOException {
        BufferedReader in =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        System.setOut(System.err);
        Peer peer = new Peer();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.equals("stop")) break;
            out.print(peer.reply(line).replace('\n', ' ').replace('\r', ' ') + "\n");
            out.flush();
        }
    }

    private String reply(String line) {
        String[] words = line.split(" ", 3);
        try {
            return switch (words[0]) {
                case "hello" -> "hello fast-infoset 2.1.1 " + String.join(",", FORMATS);
                case "load" -> load(words[1], Path.of(words[2]));
                case "echo" -> echo(Path.of(line.substring("echo ".length())));
                case "run" -> run(words[1], words[2]);
                default -> "error no such question";
            };
        } catch (Exception | StackOverflowError error) {
            return "error " + error;
        }
    }

    private String load(String format, Path file) throws Exception {
        documents = List.of();
        structures = List.of();
        if (!FORMATS.contains(format)) return "error no such format";
        retains = format.contains("retained");
        sax = format.endsWith("sax");
        pullParser = new StAXDocumentParser();
        pushParser = new SAXDocumentParser();
        streamSerializer = new StAXDocumentSerializer();
        eventSerializer = new SAXDocumentSerializer();
        ByteBuffer corpus = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
        List<byte[]> read = new ArrayList<>();
        while (corpus.hasRemaining()) {
            byte[] document = new byte[corpus.getInt()];
            corpus.get(document);
            read.add(document);
        }
        List<Recorded> kept = new ArrayList<>();
        begin();
        for (byte[] document : read) {
            Recorded recorded = new Recorded();
            pullParser.setInputStream(new ByteArrayInputStream(document));
            recorded.record(pullParser);
            kept.add(recorded);
        }
        documents = read;
        structures = kept;
        return "loaded " + read.size();
    }

    private String echo(Path file) throws Exception {
        ByteArrayOutputStream corpus = new ByteArrayOutputStream();
        begin();
        for (Recorded structure : structures) {
            serialise(structure);
            byte[] length = new byte[4];
            ByteBuffer.wrap(length).order(ByteOrder.LITTLE_ENDIAN).putInt(out.size());
            corpus.write(length);
            out.writeTo(corpus);
        }
        Files.write(file, corpus.toByteArray());
        return "echoed " + structures.size();
    }

    private String run(String what, String passes) throws Exception {
        if (documents.isEmpty()) return "error nothing is loaded";
        int count = Integer.parseInt(passes);
        long start = PROCESS.getProcessCpuTime();
        for (int pass = 0; pass < count; pass++) {
            begin();
            switch (what) {
                case "decode" -> {
                    for (byte[] document : documents) parse(document);
                }
                case "encode" -> {
                    for (Recorded structure : structures) serialise(structure);
                }
                default -> {
                    return "error no such work";
                }
            }
        }
        long time = PROCESS.getProcessCpuTime() - start;
        return time + "," + (long) count * documents.size();
    }

    /** Begins a sequence, if the vocabulary is retained. */
    private void begin() {
        if (!retains) return;
        pullParser.setVocabulary(new ParserVocabulary());
        pushParser.setVocabulary(new ParserVocabulary());
        streamSerializer.setVocabulary(new SerializerVocabulary());
        eventSerializer.setVocabulary(new SerializerVocabulary());
        for (com.sun.xml.fastinfoset.Encoder it : List.of(streamSerializer, eventSerializer)) {
            it.setMinAttributeValueSize(0);
            it.setMaxAttributeValueSize(LONGEST);
            it.setMinCharacterContentChunkSize(0);
            it.setMaxCharacterContentChunkSize(LONGEST);
            it.setAttributeValueMapMemoryLimit(MEMORY);
            it.setCharacterContentChunkMapMemoryLimit(MEMORY);
        }
    }

    private void parse(byte[] document) throws Exception {
        ByteArrayInputStream in = new ByteArrayInputStream(document);
        if (sax) {
            Counter counter = new Counter();
            pushParser.setContentHandler(counter);
            pushParser.parse(in);
            made += counter.count;
            return;
        }
        pullParser.setInputStream(in);
        for (int event = pullParser.next(); event != XMLStreamConstants.END_DOCUMENT; event = pullParser.next()) {
            switch (event) {
                case XMLStreamConstants.START_ELEMENT -> made += pullParser.getLocalName().length();
                case XMLStreamConstants.CHARACTERS -> made += pullParser.getTextLength();
                default -> made++;
            }
        }
    }

    private void serialise(Recorded structure) throws Exception {
        out.reset();
        if (sax) {
            if (!retains) eventSerializer.reset();
            eventSerializer.setOutputStream(out);
            structure.tell(eventSerializer);
        } else {
            streamSerializer.setOutputStream(out);
            structure.write(streamSerializer);
        }
        made += out.size();
    }
}
