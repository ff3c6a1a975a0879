import java.io.File;
import java.io.StringReader;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.transform.OutputKeys;
import javax.xml.transform.Transformer;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.dom.DOMSource;
import javax.xml.transform.stream.StreamResult;
import javax.xml.transform.stream.StreamSource;
import javax.xml.validation.Schema;
import javax.xml.validation.SchemaFactory;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NamedNodeMap;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;
import org.w3c.dom.bootstrap.DOMImplementationRegistry;
import org.w3c.dom.ls.DOMImplementationLS;
import org.w3c.dom.ls.LSInput;

/**
 * Validates messages by the schemas of their WSDL, with the JDK's Xerces: of each NAME.wsdl in a folder those in
 * NAME/, and documents by schemas: of each NAME.xsd. Prints a line for each schema or message that is not valid, and how many messages are.
 */
class Judge {
    static final String XSD = XMLConstants.W3C_XML_SCHEMA_NS_URI;
    static final String XMLNS = XMLConstants.XMLNS_ATTRIBUTE_NS_URI;

    public static void main(String[] arguments) throws Exception {
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        factory.setNamespaceAware(true);
        DocumentBuilder parser = factory.newDocumentBuilder();
        int valid = 0;
        for (File wsdl : listed(new File(arguments[0]))) {
            boolean isSchema = wsdl.getName().endsWith(".xsd");
            File folder = new File(arguments[0], wsdl.getName().replaceAll("\\.(wsdl|xsd)$", ""));
            if (wsdl.isDirectory() || !folder.isDirectory()) {
                continue;
            }
            String name = folder.getName();
            Schema schema;
            try {
                schema = isSchema ? SchemaFactory.newInstance(XSD).newSchema(wsdl) : schema(parser.parse(wsdl));
            } catch (Exception error) {
                System.out.println(name + ": " + error.getMessage());
                continue;
            }
            for (File message : listed(folder)) {
                Element root = parser.parse(message).getDocumentElement();
                Node said = isSchema ? root : root.getLastChild().getFirstChild();
                try {
                    schema.newValidator().validate(new DOMSource(said));
                    valid++;
                } catch (Exception error) {
                    System.out.println(name + "/" + message.getName() + ": " + error.getMessage());
                }
            }
        }
        System.out.println("valid " + valid);
    }

    static List<File> listed(File folder) {
        File[] files = folder.listFiles();
        Arrays.sort(files);
        return Arrays.asList(files);
    }

    static Schema schema(Document wsdl) throws Exception {
        Map<String, String> texts = new HashMap<>();
        List<Element> schemas = new ArrayList<>();
        NodeList found = wsdl.getElementsByTagNameNS(XSD, "schema");
        for (int index = 0; index < found.getLength(); index++) {
            schemas.add((Element) found.item(index));
        }
        Transformer transformer = TransformerFactory.newInstance().newTransformer();
        transformer.setOutputProperty(OutputKeys.OMIT_XML_DECLARATION, "yes");
        for (Element schema : schemas) {
            declare(wsdl.getDocumentElement(), schema);
            NodeList imports = schema.getElementsByTagNameNS(XSD, "import");
            for (int index = 0; index < imports.getLength(); index++) {
                Element one = (Element) imports.item(index);
                one.setAttribute("schemaLocation", "memory:" + one.getAttribute("namespace"));
            }
            StringWriter text = new StringWriter();
            transformer.transform(new DOMSource(schema), new StreamResult(text));
            texts.put("memory:" + schema.getAttribute("targetNamespace"), text.toString());
        }
        SchemaFactory factory = SchemaFactory.newInstance(XSD);
        DOMImplementationLS inputs = (DOMImplementationLS)
            DOMImplementationRegistry.newInstance().getDOMImplementation("LS");
        factory.setResourceResolver((type, namespace, publicId, location, base) -> {
            LSInput input = inputs.createLSInput();
            input.setSystemId("memory:" + namespace);
            input.setStringData(texts.get("memory:" + namespace));
            return input;
        });
        String first = "memory:" + schemas.get(0).getAttribute("targetNamespace");
        return factory.newSchema(new StreamSource(new StringReader(texts.get(first)), first));
    }

    /** Prefixes that are declared around the schemas stand in values, so that nobody else copies them. */
    static void declare(Element around, Element schema) {
        NamedNodeMap attributes = around.getAttributes();
        for (int index = 0; index < attributes.getLength(); index++) {
            Node attribute = attributes.item(index);
            if (XMLNS.equals(attribute.getNamespaceURI())) {
                schema.setAttributeNS(XMLNS, attribute.getNodeName(), attribute.getNodeValue());
            }
        }
    }
}
