package trunkline.cxf.services;

import jakarta.xml.ws.soap.SOAPBinding;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.net.ssl.TrustManager;
import org.apache.cxf.Bus;
import org.apache.cxf.BusFactory;
import org.apache.cxf.configuration.jsse.TLSClientParameters;
import org.apache.cxf.frontend.ClientProxy;
import org.apache.cxf.jaxws.JaxWsProxyFactoryBean;
import org.apache.cxf.transport.common.gzip.GZIPFeature;
import org.apache.cxf.transport.http.HTTPConduit;
import org.apache.cxf.transports.http.configuration.ConnectionType;
import org.apache.cxf.transports.http.configuration.HTTPClientPolicy;
import trunkline.jaxws.Caller;
import trunkline.jaxws.Version;
import trunkline.services.Conversation;
import trunkline.services.Tls;
import trunkline.services.Toolkit;

/** CXF at the ends of the web service, with Jetty as its server. */
public final class Main implements Toolkit {
    /** Kept, since a logger that nobody holds forgets its level. */
    private static final Logger CXF = Logger.getLogger("org.apache.cxf");
    /** Of a call, in milliseconds. */
    private static final long PATIENCE = 60_000;

    private Main() {}

    public static void main(String[] arguments) throws IOException {
        // It tells of every fault, whose caller is told as well.
        CXF.setLevel(Level.OFF);
        Conversation.hold(arguments[0], new Main());
    }

    /** What CXF calls a version of SOAP. */
    static String binding(Version version) {
        return version == Version.SOAP_1_1
                ? SOAPBinding.SOAP11HTTP_BINDING : SOAPBinding.SOAP12HTTP_BINDING;
    }

    @Override
    public String version() {
        return org.apache.cxf.version.Version.getCurrentVersion();
    }

    @Override
    public List<String> formats() {
        return Style.NAMES;
    }

    @Override
    public Codec codec(String format) {
        return new Envelopes(Style.of(format));
    }

    @Override
    public Host serve(Serving serving) throws Exception {
        return new JettyHost(serving);
    }

    @Override
    public Client connect(String url, String format, String operation, Set<String> options)
            throws Exception {
        return new Caller(format, operation, new Proxies(url, options));
    }

    /** CXF's proxies of the styles' interfaces. */
    record Proxies(String url, Set<String> options) implements Caller.Proxies {
        @Override
        public <P> P of(Class<P> port) throws Exception {
            Bus bus = BusFactory.getDefaultBus();
            // The JDK's older client is the faster one of the two that CXF has, for one call after another.
            bus.setProperty("force.urlconnection.http.conduit", true);
            JaxWsProxyFactoryBean factory = new JaxWsProxyFactoryBean();
            factory.setBus(bus);
            factory.setServiceClass(port);
            factory.setBindingId(binding(Version.of(url)));
            factory.setAddress(url);
            // Of SOAP 1.2, which has faults of the sender there.
            factory.setProperties(Map.of("org.apache.cxf.transport.process_fault_on_http_400", true));
            if (options.contains("gzip")) {
                GZIPFeature gzip = new GZIPFeature();
                gzip.setForce(true);
                gzip.setThreshold(0);
                factory.getFeatures().add(gzip);
            }
            P proxy = factory.create(port);
            HTTPConduit conduit = (HTTPConduit) ClientProxy.getClient(proxy).getConduit();
            HTTPClientPolicy policy = new HTTPClientPolicy();
            policy.setConnection(
                    options.contains("close") ? ConnectionType.CLOSE : ConnectionType.KEEP_ALIVE);
            policy.setReceiveTimeout(PATIENCE);
            policy.setVersion("1.1");
            policy.setAllowChunking(options.contains("chunked"));
            policy.setChunkingThreshold(0);
            conduit.setClient(policy);
            if (url.startsWith("https:")) {
                TLSClientParameters tls = new TLSClientParameters();
                tls.setTrustManagers(new TrustManager[] {Tls.anyone()});
                tls.setDisableCNCheck(true);
                conduit.setTlsClientParameters(tls);
            }
            return proxy;
        }
    }
}
