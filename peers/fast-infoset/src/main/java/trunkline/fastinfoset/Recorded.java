package trunkline.fastinfoset;

import java.util.ArrayList;
import java.util.List;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import javax.xml.stream.XMLStreamWriter;
import org.xml.sax.ContentHandler;
import org.xml.sax.SAXException;
import org.xml.sax.helpers.AttributesImpl;

/** The events of a document. */
final class Recorded {
    private record Named(String prefix, String namespace, String local, String qualified) {}

    private record Start(Named name, List<String[]> declarations, List<Named> names, List<String> values,
            AttributesImpl attributes) {}

    /** An element that begins, the name of one that ends, or a text. */
    private final List<Object> events = new ArrayList<>();

    private static Named named(String prefix, String namespace, String local) {
        String before = prefix == null ? "" : prefix;
        return new Named(before, namespace == null ? "" : namespace, local,
                before.isEmpty() ? local : (before + ":" + local).intern());
    }

    void record(XMLStreamReader reader) throws XMLStreamException {
        for (int event = reader.next(); event != XMLStreamConstants.END_DOCUMENT; event = reader.next()) {
            switch (event) {
                case XMLStreamConstants.START_ELEMENT -> events.add(start(reader));
                case XMLStreamConstants.END_ELEMENT ->
                        events.add(named(reader.getPrefix(), reader.getNamespaceURI(), reader.getLocalName()));
                case XMLStreamConstants.CHARACTERS -> events.add(reader.getText().toCharArray());
                default -> { }
            }
        }
    }

    private static Start start(XMLStreamReader reader) {
        List<String[]> declarations = new ArrayList<>();
        for (int index = 0; index < reader.getNamespaceCount(); index++) {
            String prefix = reader.getNamespacePrefix(index);
            String namespace = reader.getNamespaceURI(index);
            declarations.add(new String[] {prefix == null ? "" : prefix, namespace == null ? "" : namespace});
        }
        List<Named> names = new ArrayList<>();
        List<String> values = new ArrayList<>();
        AttributesImpl attributes = new AttributesImpl();
        for (int index = 0; index < reader.getAttributeCount(); index++) {
            Named name = named(reader.getAttributePrefix(index), reader.getAttributeNamespace(index),
                    reader.getAttributeLocalName(index));
            names.add(name);
            values.add(reader.getAttributeValue(index));
            attributes.addAttribute(name.namespace(), name.local(), name.qualified(), "CDATA",
                    reader.getAttributeValue(index));
        }
        Named name = named(reader.getPrefix(), reader.getNamespaceURI(), reader.getLocalName());
        return new Start(name, declarations, names, values, attributes);
    }

    void write(XMLStreamWriter writer) throws XMLStreamException {
        writer.writeStartDocument();
        for (Object event : events) {
            if (event instanceof Start start) {
                Named name = start.name();
                writer.writeStartElement(name.prefix(), name.local(), name.namespace());
                for (String[] declaration : start.declarations()) {
                    if (declaration[0].isEmpty()) writer.writeDefaultNamespace(declaration[1]);
                    else writer.writeNamespace(declaration[0], declaration[1]);
                }
                for (int index = 0; index < start.names().size(); index++) {
                    Named attribute = start.names().get(index);
                    writer.writeAttribute(attribute.prefix(), attribute.namespace(), attribute.local(),
                            start.values().get(index));
                }
            } else if (event instanceof char[] text) {
                writer.writeCharacters(text, 0, text.length);
            } else {
                writer.writeEndElement();
            }
        }
        writer.writeEndDocument();
        writer.flush();
    }

    void tell(ContentHandler handler) throws SAXException {
        handler.startDocument();
        List<List<String[]>> open = new ArrayList<>();
        for (Object event : events) {
            if (event instanceof Start start) {
                for (String[] declaration : start.declarations()) {
                    handler.startPrefixMapping(declaration[0], declaration[1]);
                }
                Named name = start.name();
                handler.startElement(name.namespace(), name.local(), name.qualified(), start.attributes());
                open.add(start.declarations());
            } else if (event instanceof char[] text) {
                handler.characters(text, 0, text.length);
            } else if (event instanceof Named name) {
                handler.endElement(name.namespace(), name.local(), name.qualified());
                for (String[] declaration : open.remove(open.size() - 1)) {
                    handler.endPrefixMapping(declaration[0]);
                }
            }
        }
        handler.endDocument();
    }
}
