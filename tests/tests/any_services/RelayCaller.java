import java.net.URI;

import javax.xml.parsers.DocumentBuilderFactory;

import jakarta.xml.ws.Holder;

import org.w3c.dom.Element;

import open.*;

/** Sends elements of other namespaces and a value of any type through JAX-WS, and prints what comes back. */
public final class RelayCaller {
    public static void main(String[] arguments) throws Exception {
        var port = new Open(URI.create(arguments[0]).toURL()).getPort(OpenPortType.class);
        var parcel = new Parcel();
        parcel.setId(5);
        parcel.setPayload("A & B");
        var desk = element("urn:desks", "d:desk", "FX < 1");
        desk.setAttribute("floor", "2");
        parcel.getAny().add(desk);
        parcel.getAny().add(element("urn:other", "item", "x"));
        var holder = new Holder<>(parcel);
        port.relay(holder);
        told(holder.value);
    }

    private static Element element(String namespace, String name, String text) throws Exception {
        var factory = DocumentBuilderFactory.newInstance();
        factory.setNamespaceAware(true);
        var element = factory.newDocumentBuilder().newDocument().createElementNS(namespace, name);
        element.setTextContent(text);
        return element;
    }

    private static void told(Parcel parcel) {
        System.out.println("id " + parcel.getId());
        var payload = parcel.getPayload();
        System.out.println("payload " + payload.getClass().getSimpleName().toLowerCase() + " " + payload);
        System.out.println("extensions " + parcel.getAny().size());
        for (Object each : parcel.getAny()) {
            var found = (Element) each;
            var floor = found.hasAttribute("floor") ? found.getAttribute("floor") : "-";
            System.out.println(found.getNamespaceURI() + " " + found.getLocalName() + " " + floor + " " + found.getTextContent());
        }
    }
}
