package trunkline.tcp;

import jakarta.jws.WebService;
import jakarta.xml.ws.BindingType;
import jakarta.xml.ws.soap.SOAPBinding;

/** Metro's service. */
@WebService(endpointInterface = "trunkline.tcp.Echo", targetNamespace = Echo.NAMESPACE)
public class EchoService implements Echo {
    /** The same in SOAP 1.2. */
    @WebService(endpointInterface = "trunkline.tcp.Echo", targetNamespace = Echo.NAMESPACE)
    @BindingType(SOAPBinding.SOAP12HTTP_BINDING)
    public static class Soap12 extends EchoService {}

    @Override
    public int echoInt(int value) {
        return value;
    }

    @Override
    public String echoString(String value) {
        return value;
    }

    @Override
    public byte[] echoBytes(byte[] value) {
        return value;
    }

    @Override
    public void echoVoid() {}

    @Override
    public void ping(String value) {}

    @Override
    public void fail() {
        throw new IllegalStateException("as it was asked to");
    }
}
