import jakarta.jws.*;
import jakarta.xml.ws.Service;
import jakarta.xml.ws.soap.SOAPBinding;
import javax.xml.namespace.QName;

/** Metro calls the example `calculator` over SOAP/TCP: `crates/session/examples/metro/run` starts both. */
public class Caller {
    static final String NAMESPACE = "urn:example:calculator";

    @WebService(targetNamespace = NAMESPACE)
    public interface Calculator {
        @WebResult(name = "result", targetNamespace = NAMESPACE)
        long add(@WebParam(name = "a", targetNamespace = NAMESPACE) long a,
                @WebParam(name = "b", targetNamespace = NAMESPACE) long b);
    }

    public static void main(String[] arguments) {
        QName port = new QName(NAMESPACE, "CalculatorPort");
        Service service = Service.create(new QName(NAMESPACE, "Calculator"));
        service.addPort(port, SOAPBinding.SOAP11HTTP_BINDING, arguments[0]);
        System.out.println("40 + 2 = " + service.getPort(port, Calculator.class).add(40, 2));
        System.exit(0); // Metro keeps its connection, and its threads.
    }
}
