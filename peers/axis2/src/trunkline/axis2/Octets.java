package trunkline.axis2;

import javax.activation.DataHandler;
import javax.activation.DataSource;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** Bytes as what Axis2 takes for them. */
record Octets(byte[] bytes) implements DataSource {
    static DataHandler of(byte[] bytes) {
        return new DataHandler(new Octets(bytes));
    }

    static byte[] from(DataHandler handler) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        handler.writeTo(out);
        return out.toByteArray();
    }

    @Override
    public InputStream getInputStream() {
        return new ByteArrayInputStream(bytes);
    }

    @Override
    public OutputStream getOutputStream() throws IOException {
        throw new IOException("it is read only");
    }

    @Override
    public String getContentType() {
        return "application/octet-stream";
    }

    @Override
    public String getName() {
        return "octets";
    }
}
