package trunkline.metro.service;

import jakarta.jws.WebService;
import jakarta.xml.ws.Holder;
import trunkline.metro.Names;
import trunkline.metro.Stages;
import trunkline.metro.Version;
import trunkline.metro.qualified.Customers;
import trunkline.metro.qualified.Products;

/** The service in document/literal, wrapped. */
@WebService(endpointInterface = "trunkline.metro.service.Wrapped", serviceName = Names.SERVICE,
        portName = "DocLiteralWrapped", targetNamespace = Names.NAMESPACE)
public class WrappedService implements Wrapped {
    private final Version version;

    /** For Metro's tools. */
    public WrappedService() {
        this(Version.SOAP_1_1);
    }

    public WrappedService(Version version) {
        this.version = version;
    }

    @Override
    public void echo(
            Holder<String> header, Holder<Customers> customers, Holder<Products> products) {
        Stages.enter();
        header.value = Names.RESPONSE;
        Stages.leave();
    }

    @Override
    public void refuse(
            Holder<String> header, Holder<Customers> customers, Holder<Products> products)
            throws Refused {
        Stages.enter();
        Refused refused = Refused.of(header.value, version);
        Stages.leave();
        throw refused;
    }

    @Override
    public void notify(String header, Customers customers, Products products) {
        Stages.enter();
        Stages.leave();
    }
}
