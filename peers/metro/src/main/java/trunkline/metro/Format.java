package trunkline.metro;

import com.sun.xml.ws.api.BindingID;
import com.sun.xml.ws.api.SOAPVersion;
import com.sun.xml.ws.api.message.Message;
import com.sun.xml.ws.api.message.Packet;
import com.sun.xml.ws.api.pipe.Codec;
import com.sun.xml.ws.api.pipe.Codecs;
import com.sun.xml.ws.message.jaxb.JAXBMessage;
import com.sun.xml.ws.spi.db.BindingContextFactory;
import com.sun.xml.ws.spi.db.BindingInfo;
import com.sun.xml.ws.spi.db.TypeInfo;
import com.sun.xml.ws.spi.db.XMLBridge;
import jakarta.xml.bind.JAXBException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import javax.xml.namespace.QName;
import trunkline.jaxws.qualified.CustomerServices;
import trunkline.services.Names;
import trunkline.services.Toolkit;

/**
 * One style's envelopes to and from JAXB's objects, by the codec and the bridges that Metro itself
 * puts between a connection and a method. They are made once and used for all messages; what they
 * reuse inside (parser, marshaller) is theirs to decide.
 */
final class Format<T> implements Toolkit.Codec {
    /** In the order of the services. */
    static final List<String> NAMES =
            List.of("ng-doc-literal", "ng-doc-literal-wrapped", "ng-rpc-literal");
    private static final String CONTENT_TYPE = "text/xml; charset=utf-8";

    private final QName element;
    private final XMLBridge<T> bridge;
    private final Codec codec;

    private Format(String element, Class<T> type) {
        this.element = new QName(Names.NAMESPACE, element);
        TypeInfo typed = new TypeInfo(this.element, type);
        BindingInfo bound = new BindingInfo();
        bound.contentClasses().add(type);
        bound.typeInfos().add(typed);
        bridge = BindingContextFactory.create(bound).createBridge(typed);
        codec = Codecs.createSOAPEnvelopeXmlCodec(BindingID.SOAP11_HTTP.createBinding());
    }

    /** The format of that name, or null. */
    static Format<?> of(String name) {
        return switch (name) {
            case "ng-doc-literal" -> new Format<>("CustomerServices", CustomerServices.class);
            case "ng-doc-literal-wrapped" ->
                    new Format<>("echo", trunkline.jaxws.qualified.Echo.class);
            case "ng-rpc-literal" ->
                    new Format<>("echo", trunkline.jaxws.unqualified.Echo.class);
            default -> null;
        };
    }

    @Override
    public T decode(byte[] envelope) throws IOException, JAXBException {
        Packet packet = new Packet();
        codec.decode(new ByteArrayInputStream(envelope), CONTENT_TYPE, packet);
        Message message = packet.getMessage();
        if (!element.getLocalPart().equals(message.getPayloadLocalPart())
                || !element.getNamespaceURI().equals(message.getPayloadNamespaceURI())) {
            throw new IOException("the body's element is not " + element);
        }
        return message.readPayloadAsJAXB(bridge);
    }

    @Override
    public void encode(Object structure, ByteArrayOutputStream out) throws IOException {
        out.reset();
        Message message = JAXBMessage.create(bridge, structure, SOAPVersion.SOAP_11);
        codec.encode(new Packet(message), out);
    }
}
