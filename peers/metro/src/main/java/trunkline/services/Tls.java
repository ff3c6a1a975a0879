package trunkline.services;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/** TLS from PEM files, and for clients on loopback that have nothing to check. */
public final class Tls {
    private Tls() {}

    /** For a server; the key in PKCS #8, not encrypted. */
    public static SSLContext server(String certificate, String key)
            throws IOException, GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys(certificate, key), null, null);
        return context;
    }

    /** The same, as what a server shows of itself. */
    public static KeyManager[] keys(String certificate, String key)
            throws IOException, GeneralSecurityException {
        byte[] chain = Files.readAllBytes(Path.of(certificate));
        Certificate[] certificates = CertificateFactory.getInstance("X.509")
                .generateCertificates(new ByteArrayInputStream(chain))
                .toArray(Certificate[]::new);
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setKeyEntry("service", privateKey(Path.of(key)), new char[0], certificates);
        KeyManagerFactory keys =
                KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, new char[0]);
        return keys.getKeyManagers();
    }

    private static PrivateKey privateKey(Path path) throws IOException, GeneralSecurityException {
        String pem = Files.readString(path, StandardCharsets.US_ASCII);
        String begin = "-----BEGIN PRIVATE KEY-----";
        int start = pem.indexOf(begin);
        int end = pem.indexOf("-----END PRIVATE KEY-----");
        if (start < 0 || end < 0) throw new InvalidKeySpecException(path + ": no PKCS #8 key");
        PKCS8EncodedKeySpec key = new PKCS8EncodedKeySpec(
                Base64.getMimeDecoder().decode(pem.substring(start + begin.length(), end)));
        for (String algorithm : List.of("RSA", "EC", "EdDSA")) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(key);
            } catch (InvalidKeySpecException ignored) {
                // Of another kind.
            }
        }
        throw new InvalidKeySpecException(path + ": no key of a known kind");
    }

    /** For a client; whoever answers is trusted. */
    public static SSLContext client() throws GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[] {anyone()}, null);
        return context;
    }

    /** Trusts whoever answers. */
    public static TrustManager anyone() {
        return new X509TrustManager() {
            @Override
            public void checkClientTrusted(X509Certificate[] chain, String kind) {}

            @Override
            public void checkServerTrusted(X509Certificate[] chain, String kind) {}

            @Override
            public X509Certificate[] getAcceptedIssuers() {
                return new X509Certificate[0];
            }
        };
    }
}
