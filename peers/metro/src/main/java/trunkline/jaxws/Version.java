package trunkline.jaxws;

import jakarta.xml.soap.SOAPConstants;
import jakarta.xml.ws.soap.SOAPBinding;
import javax.xml.namespace.QName;

/** A version of SOAP, and what Metro calls it. */
public enum Version {
    SOAP_1_1("", SOAPBinding.SOAP11HTTP_BINDING,
            SOAPConstants.SOAP_1_1_PROTOCOL, SOAPConstants.URI_NS_SOAP_1_1_ENVELOPE, "Client"),
    /** Metro publishes no description of the standard's binding, and one of its own extension. */
    SOAP_1_2("/soap12", "http://java.sun.com/xml/ns/jaxws/2003/05/soap/bindings/HTTP/",
            SOAPConstants.SOAP_1_2_PROTOCOL,
            SOAPConstants.URI_NS_SOAP_1_2_ENVELOPE, "Sender");

    /** What stands in front of the path of a service. */
    public final String path;
    /** The binding that a service is published with. */
    public final String served;
    /** The name that SAAJ gives it. */
    public final String protocol;
    /** The code of a fault that is the sender's. */
    public final QName sender;

    Version(String path, String served, String protocol, String envelope, String sender) {
        this.path = path;
        this.served = served;
        this.protocol = protocol;
        this.sender = new QName(envelope, sender);
    }

    /** The version that is spoken at a URL. */
    public static Version of(String url) {
        return url.contains(SOAP_1_2.path + "/") ? SOAP_1_2 : SOAP_1_1;
    }
}
