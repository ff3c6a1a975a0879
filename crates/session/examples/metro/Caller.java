import com.sun.xml.ws.api.transport.tcp.SelectOptimalTransportFeature;
import jakarta.jws.*;
import jakarta.xml.ws.Service;
import java.net.URI;
import javax.xml.namespace.QName;

/** Metro calls the example `calculator` over SOAP/TCP, since its WSDL offers that; `run` starts both. */
public class Caller {
    static final String NAMESPACE = "urn:example:calculator";

    @WebService(targetNamespace = NAMESPACE)
    public interface Calculator {
        @WebResult(name = "result", targetNamespace = NAMESPACE)
        long add(@WebParam(name = "a", targetNamespace = NAMESPACE) long a,
                @WebParam(name = "b", targetNamespace = NAMESPACE) long b);
    }

    public static void main(String[] arguments) throws Exception {
        Service service = Service.create(URI.create(arguments[0]).toURL(), new QName(NAMESPACE, "Calculator"));
        Calculator calculator = service.getPort(
                new QName(NAMESPACE, "CalculatorPort"), Calculator.class, new SelectOptimalTransportFeature());
        System.out.println("40 + 2 = " + calculator.add(40, 2));
        System.exit(0); // Metro keeps its connection, and its threads.
    }
}
