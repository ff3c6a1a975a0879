package trunkline.jaxws;

/** How a toolkit is told that a fault is the sender's, and not the receiver's. */
public interface Faults {
    /** What the method throws, in a version of SOAP; or it is thrown here, if no interface declares it. */
    Refused ofSender(Refused refused, Version version);
}
