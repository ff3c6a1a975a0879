package trunkline.metro.service;

import jakarta.jws.WebService;
import trunkline.metro.Names;
import trunkline.metro.Stages;
import trunkline.metro.Version;
import trunkline.metro.qualified.CustomerServices;

/** The service in document/literal, bare. */
@WebService(endpointInterface = "trunkline.metro.service.Bare", serviceName = Names.SERVICE,
        portName = "DocLiteral", targetNamespace = Names.NAMESPACE)
public class BareService implements Bare {
    private final Version version;

    /** For Metro's tools. */
    public BareService() {
        this(Version.SOAP_1_1);
    }

    public BareService(Version version) {
        this.version = version;
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
        Refused refused = Refused.of(message.header, version);
        Stages.leave();
        throw refused;
    }

    @Override
    public void notify(CustomerServices message) {
        Stages.enter();
        Stages.leave();
    }
}
