package trunkline.jaxws;

import jakarta.jws.WebService;
import jakarta.xml.ws.Holder;
import trunkline.jaxws.unqualified.Customers;
import trunkline.jaxws.unqualified.Products;
import trunkline.services.Names;
import trunkline.services.Stages;

/** The service in rpc/literal. */
@WebService(endpointInterface = "trunkline.jaxws.Rpc", serviceName = Names.SERVICE,
        portName = "RpcLiteral", targetNamespace = Names.NAMESPACE)
public class RpcService implements Rpc {
    private final Version version;
    private final Faults faults;

    /** For Metro's tools. */
    public RpcService() {
        this(Version.SOAP_1_1, (refused, version) -> refused);
    }

    public RpcService(Version version, Faults faults) {
        this.version = version;
        this.faults = faults;
    }

    @Override
    public void echo(
            String header, Customers customers, Products products, Holder<String> headerOut,
            Holder<Customers> customersOut, Holder<Products> productsOut) {
        Stages.enter();
        headerOut.value = Names.RESPONSE;
        // A part must not be absent from an answer (WS-I Basic Profile, R2211), and Metro keeps to it.
        customersOut.value = customers == null ? new Customers() : customers;
        productsOut.value = products == null ? new Products() : products;
        Stages.leave();
    }

    @Override
    public void refuse(
            String header, Customers customers, Products products, Holder<String> headerOut,
            Holder<Customers> customersOut, Holder<Products> productsOut)
            throws Refused {
        Stages.enter();
        Refused refused = Refused.of(header);
        Stages.leave();
        throw faults.ofSender(refused, version);
    }

    @Override
    public void notify(String header, Customers customers, Products products) {
        Stages.enter();
        Stages.leave();
    }
}
