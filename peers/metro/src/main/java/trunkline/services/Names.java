package trunkline.services;

/** What the service is called on the wire. */
public final class Names {
    public static final String NAMESPACE = "urn:trunkline:ng-2004";
    public static final String ECHO = NAMESPACE + "#echo";
    public static final String REFUSE = NAMESPACE + "#refuse";
    public static final String NOTIFY = NAMESPACE + "#notify";
    /** The header that echo answers with. */
    public static final String RESPONSE = "RESPONSE";
    public static final String SERVICE = "CustomerService";

    private Names() {}
}
