package trunkline.axis.services;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.security.GeneralSecurityException;
import org.apache.commons.httpclient.params.HttpConnectionParams;
import org.apache.commons.httpclient.protocol.ProtocolSocketFactory;
import trunkline.services.Tls;

/** Commons HttpClient's connections over TLS, to whoever answers. */
public final class AnyTls implements ProtocolSocketFactory {
    @Override
    public Socket createSocket(String host, int port) throws IOException {
        try {
            return Tls.client().getSocketFactory().createSocket(host, port);
        } catch (GeneralSecurityException error) {
            throw new IOException(error);
        }
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress local, int localPort)
            throws IOException {
        return createSocket(host, port);
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress local, int localPort,
            HttpConnectionParams ignored) throws IOException {
        return createSocket(host, port);
    }
}
