package trunkline.tcp;

import jakarta.jws.Oneway;
import jakarta.jws.WebMethod;
import jakarta.jws.WebParam;
import jakarta.jws.WebResult;
import jakarta.jws.WebService;

/** The service at both ends. */
@WebService(name = "Echo", targetNamespace = Echo.NAMESPACE)
public interface Echo {
    String NAMESPACE = "urn:trunkline:echo";

    @WebMethod
    @WebResult(name = "value")
    int echoInt(@WebParam(name = "value") int value);

    @WebMethod
    @WebResult(name = "value")
    String echoString(@WebParam(name = "value") String value);

    @WebMethod
    @WebResult(name = "value")
    byte[] echoBytes(@WebParam(name = "value") byte[] value);

    @WebMethod
    void echoVoid();

    @WebMethod
    @Oneway
    void ping(@WebParam(name = "value") String value);

    /** Always a fault. */
    @WebMethod
    void fail();
}
