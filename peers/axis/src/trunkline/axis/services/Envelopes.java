package trunkline.axis.services;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URL;
import java.util.HashMap;
import java.util.Map;
import org.apache.axis.AxisFault;
import org.apache.axis.Message;
import org.apache.axis.MessageContext;
import org.apache.axis.handlers.BasicHandler;
import org.apache.axis.message.RPCElement;
import org.apache.axis.message.RPCParam;
import org.apache.axis.server.AxisServer;
import trunkline.services.Names;
import trunkline.services.Toolkit;

/**
 * One style's envelopes to and from Axis's beans: decoded as its provider does for a service, encoded by a stub whose
 * transport writes to memory. Engine and stub are made once and used for all messages.
 */
final class Envelopes implements Toolkit.Codec {
    private final Style style;
    private final AxisServer engine;
    private final Caller caller;

    Envelopes(Style style) throws Exception {
        this.style = style;
        engine = Main.engine();
        caller = new Caller(style, Main.client(Memory.class.getName()),
                new URL("http://127.0.0.1" + style.path()), "echo", Map.of());
    }

    @Override
    public Object decode(byte[] envelope) throws Exception {
        MessageContext context = Main.context(engine, style, Names.ECHO);
        Message message = new Message(
                new ByteArrayInputStream(envelope), false, "text/xml; charset=utf-8", null);
        context.setRequestMessage(message);
        if (!(message.getSOAPEnvelope().getFirstBody() instanceof RPCElement body)) {
            throw new IOException("no call of echo");
        }
        Map<String, Object> arguments = new HashMap<>();
        for (Object it : body.getParams()) {
            RPCParam argument = (RPCParam) it;
            arguments.put(argument.getName(), argument.getObjectValue());
        }
        if (arguments.isEmpty()) throw new IOException("no call of echo");
        return style.structure(arguments);
    }

    @Override
    public void encode(Object structure, ByteArrayOutputStream out) throws Exception {
        out.reset();
        Memory.out = out;
        try {
            caller.call(structure);
        } catch (AxisFault fault) {
            if (fault != Memory.WRITTEN) throw fault;
        }
    }

    /** A transport that gets no answer. */
    public static final class Memory extends BasicHandler {
        private static final long serialVersionUID = 1;
        /** Ends a call; made once, so that it costs nothing. */
        static final AxisFault WRITTEN = new AxisFault("there is no answer");
        /** Where a call writes; one thread encodes. */
        static ByteArrayOutputStream out;

        @Override
        public void invoke(MessageContext context) throws AxisFault {
            try {
                context.getRequestMessage().writeTo(out);
            } catch (IOException | javax.xml.soap.SOAPException error) {
                throw AxisFault.makeFault(error);
            }
            throw WRITTEN;
        }
    }
}
