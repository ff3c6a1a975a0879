package trunkline.metro;

import com.sun.xml.ws.developer.JAXWSProperties;
import jakarta.xml.ws.BindingProvider;
import jakarta.xml.ws.Service;
import jakarta.xml.ws.handler.MessageContext;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.net.ssl.HostnameVerifier;
import javax.xml.namespace.QName;
import trunkline.jaxws.Caller;
import trunkline.jaxws.Version;
import trunkline.services.Names;
import trunkline.services.Tls;

/** Metro's proxies of the styles' interfaces. */
record Proxies(String url, String operation, Set<String> options) implements Caller.Proxies {
    private static final int CHUNK = 8192;

    @Override
    public <P> P of(Class<P> port) throws Exception {
        Service service = Service.create(
                Describe.of(Version.of(url), port).toUri().toURL(),
                new QName(Names.NAMESPACE, Names.SERVICE));
        P proxy = service.getPort(port);
        Map<String, Object> context = ((BindingProvider) proxy).getRequestContext();
        context.put(BindingProvider.ENDPOINT_ADDRESS_PROPERTY, url);
        Map<String, List<String>> headers = new HashMap<>();
        if (options.contains("gzip")) {
            headers.put("Content-Encoding", List.of("gzip"));
            // No answer may still be compressed, to something that Metro takes for a message.
            if (!operation.equals("notify")) headers.put("Accept-Encoding", List.of("gzip"));
        }
        if (options.contains("close")) headers.put("Connection", List.of("close"));
        if (!headers.isEmpty()) context.put(MessageContext.HTTP_REQUEST_HEADERS, headers);
        if (options.contains("chunked")) {
            context.put(JAXWSProperties.HTTP_CLIENT_STREAMING_CHUNK_SIZE, CHUNK);
        }
        if (url.startsWith("https:")) {
            HostnameVerifier anyone = (host, session) -> true;
            context.put(JAXWSProperties.HOSTNAME_VERIFIER, anyone);
            context.put(JAXWSProperties.SSL_SOCKET_FACTORY, Tls.client().getSocketFactory());
        }
        return proxy;
    }
}
