package trunkline.metro;

import com.sun.tools.ws.wscompile.WsgenTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import trunkline.jaxws.BareService;
import trunkline.jaxws.RpcService;
import trunkline.jaxws.Version;
import trunkline.jaxws.WrappedService;
import trunkline.services.Names;

/** Writes the WSDL of every service, which Metro's client wants: run once, by the build. */
public final class Describe {
    private static final String WSDL = Names.SERVICE + ".wsdl";

    private Describe() {}

    /** The only argument is the folder that gets VERSION/STYLE/CustomerService.wsdl. */
    public static void main(String[] arguments) throws IOException {
        Path folder = Path.of(arguments[0]);
        for (Version version : Version.values()) {
            for (Class<?> service :
                    List.of(BareService.class, WrappedService.class, RpcService.class)) {
                String port = service.getInterfaces()[0].getSimpleName();
                describe(folder.resolve(version.name()).resolve(port), version, service);
            }
        }
    }

    private static void describe(Path folder, Version version, Class<?> service)
            throws IOException {
        Files.createDirectories(folder);
        String binding = version == Version.SOAP_1_1 ? "soap1.1" : "Xsoap1.2";
        String[] arguments = {
            "-extension", "-wsdl:" + binding, "-inlineSchemas", "-d", folder.toString(),
            "-r", folder.toString(), "-cp", System.getProperty("java.class.path"),
            service.getName()
        };
        if (!new WsgenTool(System.err).run(arguments)) {
            throw new IOException("no WSDL for " + service.getName());
        }
    }

    /** Where the build put the WSDL of an interface. */
    static Path of(Version version, Class<?> port) {
        return Path.of(System.getProperty("trunkline.wsdl"), version.name(), port.getSimpleName(),
                WSDL);
    }
}
