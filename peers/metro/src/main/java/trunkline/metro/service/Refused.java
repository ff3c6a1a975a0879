package trunkline.metro.service;

import jakarta.xml.soap.SOAPException;
import jakarta.xml.soap.SOAPFactory;
import jakarta.xml.soap.SOAPFault;
import jakarta.xml.ws.WebFault;
import jakarta.xml.ws.soap.SOAPFaultException;
import trunkline.metro.Names;
import trunkline.metro.Version;

/** What `refuse` answers. */
@WebFault(name = "Refusal", targetNamespace = Names.NAMESPACE)
public class Refused extends Exception {
    private static final int CODE = 42;

    private final transient Refusal refusal;

    /** As Metro's client makes it of a fault. */
    public Refused(String message, Refusal refusal) {
        super(message);
        this.refusal = refusal;
    }

    private Refused(String message, Refusal refusal, Throwable code) {
        super(message, code);
        this.refusal = refusal;
    }

    /** The answer to a message with this header; the sender's fault, not the receiver's. */
    static Refused of(String header, Version version) {
        Refusal refusal = new Refusal();
        refusal.code = CODE;
        refusal.text = "no message with the header " + header + " is taken";
        String reason = "refused: " + header;
        try {
            // Metro takes the code of a declared fault from a SOAPFaultException that caused it.
            SOAPFactory factory = SOAPFactory.newInstance(version.protocol);
            SOAPFault fault = factory.createFault(reason, version.sender);
            return new Refused(reason, refusal, new SOAPFaultException(fault));
        } catch (SOAPException error) {
            throw new IllegalStateException(error);
        }
    }

    public Refusal getFaultInfo() {
        return refusal;
    }

    /** Whether this is the answer that a message with this header must get. */
    public boolean answers(String header) {
        return ("refused: " + header).equals(getMessage())
                && refusal != null && refusal.code == CODE && refusal.text != null;
    }
}
