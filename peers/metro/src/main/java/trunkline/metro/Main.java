package trunkline.metro;

import com.sun.xml.ws.util.RuntimeVersion;
import jakarta.xml.soap.SOAPException;
import jakarta.xml.soap.SOAPFactory;
import jakarta.xml.soap.SOAPFault;
import jakarta.xml.ws.Endpoint;
import jakarta.xml.ws.soap.SOAPFaultException;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import trunkline.jaxws.BareService;
import trunkline.jaxws.Caller;
import trunkline.jaxws.Refused;
import trunkline.jaxws.RpcService;
import trunkline.jaxws.Version;
import trunkline.jaxws.WrappedService;
import trunkline.services.Conversation;
import trunkline.services.JdkHost;
import trunkline.services.Toolkit;

/** Metro at the ends of the web service. */
public final class Main implements Toolkit {
    /** Kept, since a logger that nobody holds forgets its level. */
    private static final Logger METRO = Logger.getLogger("com.sun.xml.ws");

    private Main() {}

    public static void main(String[] arguments) throws IOException {
        // It tells of operations that differ by SOAPAction alone, as those of the bare style do, and
        // of every call that fails, whose caller is told as well.
        METRO.setLevel(Level.OFF);
        Conversation.hold("metro-services", new Main());
    }

    @Override
    public String version() {
        // "XML-WS Runtime 4.0.3"
        return RuntimeVersion.VERSION.BUILD_VERSION.replaceAll(".* ", "");
    }

    @Override
    public List<String> formats() {
        return Format.NAMES;
    }

    @Override
    public Codec codec(String format) {
        return Format.of(format);
    }

    @Override
    public Host serve(Serving serving) throws Exception {
        JdkHost host = new JdkHost(serving);
        for (Version version : Version.values()) {
            publish(host, version, "/doc-literal", new BareService(version, Main::ofSender));
            publish(host, version, "/doc-literal-wrapped", new WrappedService(version, Main::ofSender));
            publish(host, version, "/rpc-literal", new RpcService(version, Main::ofSender));
        }
        host.start();
        return host;
    }

    @Override
    public Client connect(String url, String format, String operation, Set<String> options)
            throws Exception {
        return new Caller(format, operation, new Proxies(url, operation, options));
    }

    private static void publish(JdkHost host, Version version, String path, Object service) {
        Endpoint endpoint = Endpoint.create(version.served, service);
        endpoint.publish(host.context(version.path + path));
        host.atEnd(endpoint::stop);
    }

    /** Metro takes the code of a declared fault from a SOAPFaultException that caused it. */
    private static Refused ofSender(Refused refused, Version version) {
        try {
            SOAPFactory factory = SOAPFactory.newInstance(version.protocol);
            SOAPFault fault = factory.createFault(refused.getMessage(), version.sender);
            return new Refused(
                    refused.getMessage(), refused.getFaultInfo(), new SOAPFaultException(fault));
        } catch (SOAPException error) {
            throw new IllegalStateException(error);
        }
    }
}
