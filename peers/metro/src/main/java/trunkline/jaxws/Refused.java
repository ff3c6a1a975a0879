package trunkline.jaxws;

import jakarta.xml.ws.WebFault;
import trunkline.services.Names;

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

    /** With what a toolkit takes the code of the fault from. */
    public Refused(String message, Refusal refusal, Throwable code) {
        super(message, code);
        this.refusal = refusal;
    }

    /** The answer to a message with this header. */
    static Refused of(String header) {
        Refusal refusal = new Refusal();
        refusal.code = CODE;
        refusal.text = "no message with the header " + header + " is taken";
        return new Refused("refused: " + header, refusal);
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
