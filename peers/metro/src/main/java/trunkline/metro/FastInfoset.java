package trunkline.metro;

import com.sun.xml.fastinfoset.sax.SAXDocumentParser;
import com.sun.xml.fastinfoset.sax.SAXDocumentSerializer;
import com.sun.xml.fastinfoset.stax.StAXDocumentParser;
import com.sun.xml.fastinfoset.vocab.ParserVocabulary;
import com.sun.xml.fastinfoset.vocab.SerializerVocabulary;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import javax.xml.parsers.SAXParserFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.transform.OutputKeys;
import javax.xml.transform.Transformer;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.sax.SAXSource;
import javax.xml.transform.stream.StreamResult;
import org.xml.sax.InputSource;
import org.xml.sax.XMLReader;

/**
 * Documents in hexadecimal digits, a line each: {@code read FI} and {@code write XML} of documents that stand by
 * themselves, {@code read-next FI} and {@code write-next XML} of a sequence that retains its vocabulary as Metro's
 * channels do, {@code begin} for another sequence; {@code events FI} pulls all events as Metro's codec does.
 */
public final class FastInfoset {
    /** As in Metro's stateful codec. */
    private static final int LONGEST = 32;
    private static final int MEMORY = 4 * 1024 * 1024;

    private ParserVocabulary read;
    private SerializerVocabulary written;
    private final TransformerFactory transformers = TransformerFactory.newInstance();
    private final SAXParserFactory parsers = SAXParserFactory.newInstance();

    private FastInfoset() {
        parsers.setNamespaceAware(true);
        begin();
    }

    public static void main(String[] arguments) throws Exception {
        BufferedReader in =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        System.setOut(System.err);
        FastInfoset peer = new FastInfoset();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.equals("stop")) break;
            out.print(peer.reply(line).replace('\n', ' ').replace('\r', ' ') + "\n");
            out.flush();
        }
    }

    private String reply(String line) {
        String[] words = line.split(" ", 2);
        byte[] bytes = words.length < 2 ? new byte[0] : HexFormat.of().parseHex(words[1]);
        try {
            return switch (words[0]) {
                case "hello" -> "hello metro-fast-infoset 2.1.1 fast-infoset";
                case "begin" -> begin();
                case "read" -> "xml " + hex(read(bytes, null));
                case "read-next" -> "xml " + hex(read(bytes, read));
                case "write" -> "fi " + hex(write(bytes, null));
                case "write-next" -> "fi " + hex(write(bytes, written));
                case "events" -> "events " + events(bytes);
                default -> "error no such question";
            };
        } catch (Exception | StackOverflowError error) {
            return "error " + error;
        }
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    private String begin() {
        read = new ParserVocabulary();
        written = new SerializerVocabulary();
        return "ok";
    }

    private byte[] read(byte[] document, ParserVocabulary vocabulary) throws Exception {
        SAXDocumentParser parser = new SAXDocumentParser();
        if (vocabulary != null) parser.setVocabulary(vocabulary);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Transformer transformer = transformers.newTransformer();
        transformer.setOutputProperty(OutputKeys.ENCODING, "UTF-8");
        InputSource source = new InputSource(new ByteArrayInputStream(document));
        transformer.transform(new SAXSource(parser, source), new StreamResult(out));
        return out.toByteArray();
    }

    private byte[] write(byte[] xml, SerializerVocabulary vocabulary) throws Exception {
        SAXDocumentSerializer serializer = new SAXDocumentSerializer();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        if (vocabulary != null) {
            serializer.setVocabulary(vocabulary);
            serializer.setMinAttributeValueSize(0);
            serializer.setMaxAttributeValueSize(LONGEST);
            serializer.setMinCharacterContentChunkSize(0);
            serializer.setMaxCharacterContentChunkSize(LONGEST);
            serializer.setAttributeValueMapMemoryLimit(MEMORY);
            serializer.setCharacterContentChunkMapMemoryLimit(MEMORY);
        }
        serializer.setOutputStream(out);
        XMLReader reader = parsers.newSAXParser().getXMLReader();
        reader.setContentHandler(serializer);
        reader.setProperty("http://xml.org/sax/properties/lexical-handler", serializer);
        reader.parse(new InputSource(new ByteArrayInputStream(xml)));
        return out.toByteArray();
    }

    /** Elements, attributes and characters, counted as they are pulled. */
    private static String events(byte[] document) throws Exception {
        StAXDocumentParser parser = new StAXDocumentParser(new ByteArrayInputStream(document));
        int elements = 0;
        int attributes = 0;
        int characters = 0;
        for (int event = parser.getEventType(); ; event = parser.next()) {
            if (event == XMLStreamConstants.START_ELEMENT) {
                elements++;
                attributes += parser.getAttributeCount();
            } else if (event == XMLStreamConstants.CHARACTERS) {
                characters += parser.getText().length();
            }
            if (event == XMLStreamConstants.END_DOCUMENT) break;
        }
        return elements + " " + attributes + " " + characters;
    }
}
