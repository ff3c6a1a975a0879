package trunkline.metro.service;

import jakarta.jws.WebService;
import jakarta.xml.ws.Holder;
import trunkline.metro.Names;
import trunkline.metro.Stages;
import trunkline.metro.Version;
import trunkline.metro.unqualified.Customers;
import trunkline.metro.unqualified.Products;

/** The service in rpc/literal. */
@WebService(endpointInterface = "trunkline.metro.service.Rpc", serviceName = Names.SERVICE,
        portName = "RpcLiteral", targetNamespace = Names.NAMESPACE)
public class RpcService implements Rpc {
    private final Version version;

    /** For Metro's tools. */
    public RpcService() {
        this(Version.SOAP_1_1);
    }

    public RpcService(Version version) {
        this.version = version;
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
        Refused refused = Refused.of(header, version);
        Stages.leave();
        throw refused;
    }

    @Override
    public void notify(String header, Customers customers, Products products) {
        Stages.enter();
        Stages.leave();
    }
}
