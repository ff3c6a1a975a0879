import java.io.ByteArrayInputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;

import jakarta.jws.WebMethod;
import jakarta.jws.WebParam;
import jakarta.jws.WebResult;
import jakarta.jws.WebService;
import jakarta.xml.ws.Endpoint;
import jakarta.xml.ws.Service;
import jakarta.xml.ws.soap.SOAPBinding;
import jakarta.xml.ws.soap.SOAPFaultException;

import javax.security.auth.callback.CallbackHandler;
import javax.xml.namespace.QName;

import org.apache.cxf.frontend.ClientProxy;
import org.apache.cxf.jaxws.EndpointImpl;
import org.apache.cxf.ws.security.wss4j.WSS4JInInterceptor;
import org.apache.cxf.ws.security.wss4j.WSS4JOutInterceptor;
import org.apache.wss4j.common.crypto.Merlin;
import org.apache.wss4j.common.ext.WSPasswordCallback;

/**
 * CXF with WSS4J, as a client and as a service.
 *
 * Secured call HOW URL FOLDER TEXT      prints the answer, or the fault
 * Secured serve HOW FOLDER              prints its URL
 *
 * HOW is text, digest, rsa or p256, with 12 behind it in SOAP 1.2. FOLDER has the keys.
 */
public class Secured {
    @WebService(name = "Secured", targetNamespace = "urn:secured")
    public interface Echo {
        @WebMethod(action = "urn:secured#echo")
        @WebResult(name = "text", targetNamespace = "urn:secured")
        String echo(@WebParam(name = "text", targetNamespace = "urn:secured") String text);
    }

    @WebService(serviceName = "Secured", portName = "Port", targetNamespace = "urn:secured",
        endpointInterface = "Secured$Echo")
    public static class Echoes implements Echo {
        public String echo(String text) {
            return "CXF: " + text;
        }
    }

    static final String WSU =
        "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd";

    static CallbackHandler passwords() {
        return callbacks -> {
            for (var callback : callbacks) {
                var asked = (WSPasswordCallback) callback;
                asked.setPassword(asked.getIdentifier().equals("ann") ? "l\u00f6we & <1>" : "key");
            }
        };
    }

    static Certificate certificate(Path file) throws Exception {
        var bytes = new ByteArrayInputStream(Files.readAllBytes(file));
        return CertificateFactory.getInstance("X.509").generateCertificate(bytes);
    }

    static PrivateKey key(Path file, String algorithm) throws Exception {
        var text = Files.readString(file).replaceAll("-----[A-Z ]+-----", "").replaceAll("\\s", "");
        var octets = Base64.getDecoder().decode(text);
        return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(octets));
    }

    /** Our key with its certificate, and the authority that is trusted. */
    static Merlin crypto(String how, Path folder) throws Exception {
        var crypto = new Merlin();
        var own = KeyStore.getInstance("PKCS12");
        own.load(null, null);
        var chain = new Certificate[] {certificate(folder.resolve(how + ".pem"))};
        var key = key(folder.resolve(how + ".key"), how.equals("rsa") ? "RSA" : "EC");
        own.setKeyEntry("ours", key, "key".toCharArray(), chain);
        crypto.setKeyStore(own);
        var trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("authority", certificate(folder.resolve("authority.pem")));
        crypto.setTrustStore(trusted);
        return crypto;
    }

    static boolean signs(String how) {
        return how.equals("rsa") || how.equals("p256");
    }

    /** What goes out, or is demanded of what comes in. */
    static Map<String, Object> actions(String how, boolean isNew, Path folder) throws Exception {
        var actions = new HashMap<String, Object>();
        actions.put("passwordCallbackRef", passwords());
        if (!signs(how)) {
            actions.put("action", "UsernameToken Timestamp");
            actions.put("user", "ann");
            actions.put("passwordType", how.equals("text") ? "PasswordText" : "PasswordDigest");
            return actions;
        }
        actions.put("action", "Timestamp Signature");
        actions.put("user", "ours");
        actions.put("signaturePropRefId", "crypto");
        actions.put("signatureVerificationPropRefId", "crypto");
        actions.put("crypto", crypto(how, folder));
        actions.put("signatureKeyIdentifier", "DirectReference");
        var more = "http://www.w3.org/2001/04/xmldsig-more#";
        actions.put("signatureAlgorithm", more + (how.equals("rsa") ? "rsa-sha256" : "ecdsa-sha256"));
        actions.put("signatureDigestAlgorithm", "http://www.w3.org/2001/04/xmlenc#sha256");
        var soap = isNew ? "http://www.w3.org/2003/05/soap-envelope"
            : "http://schemas.xmlsoap.org/soap/envelope/";
        actions.put("signatureParts", "{Element}{" + soap + "}Body;{Element}{" + WSU + "}Timestamp");
        return actions;
    }

    /** Answers are signed where requests are. */
    static void call(String how, boolean isNew, String url, Path folder, String text) throws Exception {
        var service = Service.create(new QName("urn:secured", "Secured"));
        var port = new QName("urn:secured", "Port");
        service.addPort(port, isNew ? SOAPBinding.SOAP12HTTP_BINDING : SOAPBinding.SOAP11HTTP_BINDING, url);
        var echo = service.getPort(port, Echo.class);
        var client = ClientProxy.getClient(echo);
        client.getOutInterceptors().add(new WSS4JOutInterceptor(actions(how, isNew, folder)));
        if (signs(how)) {
            client.getInInterceptors().add(new WSS4JInInterceptor(actions(how, isNew, folder)));
        }
        for (var round = 0; round < 2; round++) {
            try {
                System.out.println(echo.echo(text));
            } catch (SOAPFaultException fault) {
                var code = fault.getFault().getFaultCodeAsQName().getLocalPart();
                System.out.println(code + ": " + fault.getFault().getFaultString());
            }
        }
    }

    /** At a port that nobody has; another is taken if somebody got it in between. */
    static String publish(String how, boolean isNew, Path folder) throws Exception {
        for (int left = 8; ; left--) {
            int number;
            try (var socket = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
                number = socket.getLocalPort();
            }
            var url = "http://127.0.0.1:" + number + "/secured";
            try {
                var binding = isNew ? SOAPBinding.SOAP12HTTP_BINDING : SOAPBinding.SOAP11HTTP_BINDING;
                var endpoint = (EndpointImpl) Endpoint.create(binding, new Echoes());
                endpoint.getInInterceptors().add(new WSS4JInInterceptor(actions(how, isNew, folder)));
                if (signs(how)) {
                    endpoint.getOutInterceptors().add(new WSS4JOutInterceptor(actions(how, isNew, folder)));
                }
                endpoint.publish(url);
                return url;
            } catch (RuntimeException error) {
                if (left == 0) throw error;
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        var isNew = arguments[1].endsWith("12");
        var how = isNew ? arguments[1].substring(0, arguments[1].length() - 2) : arguments[1];
        if (arguments[0].equals("call")) {
            call(how, isNew, arguments[2], Path.of(arguments[3]), arguments[4]);
        } else {
            System.out.println(publish(how, isNew, Path.of(arguments[2])));
            while (System.in.read() >= 0) {}
        }
        System.exit(0);
    }
}
