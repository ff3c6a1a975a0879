package trunkline.jaxws;

import jakarta.jws.WebService;
import jakarta.xml.ws.Holder;
import trunkline.jaxws.qualified.Customers;
import trunkline.jaxws.qualified.Products;
import trunkline.services.Names;
import trunkline.services.Stages;

/** The service in document/literal, wrapped. */
@WebService(endpointInterface = "trunkline.jaxws.Wrapped", serviceName = Names.SERVICE,
        portName = "DocLiteralWrapped", targetNamespace = Names.NAMESPACE)
public class WrappedService implements Wrapped {
    private final Version version;
    private final Faults faults;

    /** For Metro's tools. */
    public WrappedService() {
        this(Version.SOAP_1_1, (refused, version) -> refused);
    }

    public WrappedService(Version version, Faults faults) {
        this.version = version;
        this.faults = faults;
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
        Refused refused = Refused.of(header.value);
        Stages.leave();
        throw faults.ofSender(refused, version);
    }

    @Override
    public void notify(String header, Customers customers, Products products) {
        Stages.enter();
        Stages.leave();
    }
}
