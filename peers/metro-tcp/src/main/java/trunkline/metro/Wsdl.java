package trunkline.metro;

import jakarta.xml.ws.Service;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import javax.xml.namespace.QName;

/** The WSDL that all toolkits share, from which JAX-WS makes clients. */
public final class Wsdl {
    private final String name;
    private final QName service;
    private final Map<String, Service> made = new HashMap<>();

    /** Of a name, which is the file's, the path's and the namespace's, and a service. */
    public Wsdl(String name, String service) {
        this.name = name;
        this.service = new QName("urn:trunkline:" + name, service);
    }

    /** The service at a URL: its scheme says which transport a client takes. */
    public Service at(String url) throws IOException {
        Service known = made.get(url);
        if (known != null) return known;
        String text;
        try (InputStream in = Wsdl.class.getResourceAsStream("/" + name + ".wsdl")) {
            text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
        String location = "http://localhost/" + name;
        if (!text.contains(location)) throw new IOException("the WSDL is not at " + location);
        Path file = Files.createTempFile(name, ".wsdl");
        Files.writeString(file, text.replace(location, url));
        file.toFile().deleteOnExit();
        Service it = Service.create(file.toUri().toURL(), service);
        made.put(url, it);
        return it;
    }
}
