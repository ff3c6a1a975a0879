package trunkline.axis.services;

import org.apache.axis.AxisFault;
import org.apache.axis.MessageContext;
import org.apache.axis.transport.http.CommonsHTTPSender;

/**
 * The sender of Commons HttpClient for calls that have no answer. Axis makes a thread for each of those, which nobody
 * waits for, and would look for a message in the empty body.
 */
public final class NoAnswer extends CommonsHTTPSender {
    private static final long serialVersionUID = 1;

    @Override
    public void invoke(MessageContext context) throws AxisFault {
        super.invoke(context);
        // Reads it to its end, which frees the connection.
        byte[] body = ((org.apache.axis.SOAPPart) context.getResponseMessage().getSOAPPart()).getAsBytes();
        if (body.length == 0) context.setResponseMessage(null);
    }
}
