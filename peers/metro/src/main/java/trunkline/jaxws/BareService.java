package trunkline.jaxws;

import jakarta.jws.WebService;
import trunkline.jaxws.qualified.CustomerServices;
import trunkline.services.Names;
import trunkline.services.Stages;

/** The service in document/literal, bare. */
@WebService(endpointInterface = "trunkline.jaxws.Bare", serviceName = Names.SERVICE,
        portName = "DocLiteral", targetNamespace = Names.NAMESPACE)
public class BareService implements Bare {
    private final Version version;
    private final Faults faults;

    /** For Metro's tools. */
    public BareService() {
        this(Version.SOAP_1_1, (refused, version) -> refused);
    }

    public BareService(Version version, Faults faults) {
        this.version = version;
        this.faults = faults;
    }

    @Override
    public CustomerServices echo(CustomerServices message) {
        Stages.enter();
        message.header = Names.RESPONSE;
        Stages.leave();
        return message;
    }

    @Override
    public CustomerServices refuse(CustomerServices message) throws Refused {
        Stages.enter();
        Refused refused = Refused.of(message.header);
        Stages.leave();
        throw faults.ofSender(refused, version);
    }

    @Override
    public void notify(CustomerServices message) {
        Stages.enter();
        Stages.leave();
    }
}
