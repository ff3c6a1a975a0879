package trunkline.axis.services;

import java.net.URL;
import java.util.Map;
import javax.xml.rpc.holders.StringHolder;
import org.apache.axis.AxisFault;
import org.apache.axis.EngineConfiguration;
import org.apache.axis.client.Stub;
import org.apache.commons.httpclient.MultiThreadedHttpConnectionManager;
import trunkline.axis.services.bare.CustomerServices;
import trunkline.services.Toolkit;

/** Axis's client of the service, by the stub that it made of the style's port. */
final class Caller implements Toolkit.Client {
    /** One call of a stub; what came back is {header, customers, products}, or null if nothing. */
    private interface Calls {
        Object[] of(String operation, Object message) throws Exception;
    }

    private final String operation;
    private final Calls calls;

    /** With properties that the stub gets. */
    Caller(Style style, EngineConfiguration engine, URL url, String operation,
            Map<String, Object> properties) throws Exception {
        this.operation = operation;
        Object port = switch (style) {
            case BARE -> new trunkline.axis.services.bare.CustomerServiceLocator(engine).getBare(url);
            case WRAPPED -> new trunkline.axis.services.wrapped.CustomerServiceLocator(engine).getWrapped(url);
            case LITERAL -> new trunkline.axis.services.rpc.CustomerServiceLocator(engine).getLiteral(url);
            case ENCODED -> new trunkline.axis.services.rpc.CustomerServiceLocator(engine).getEncoded(url);
        };
        properties.forEach(((Stub) port)::_setProperty);
        calls = switch (style) {
            case BARE -> bare((trunkline.axis.services.bare.Bare_PortType) port);
            case WRAPPED -> wrapped((trunkline.axis.services.wrapped.Wrapped_PortType) port);
            case LITERAL -> literal((trunkline.axis.services.rpc.Literal_PortType) port);
            case ENCODED -> encoded((trunkline.axis.services.rpc.Encoded_PortType) port);
        };
    }

    private static Calls bare(trunkline.axis.services.bare.Bare_PortType port) {
        return (operation, message) -> {
            CustomerServices sent = (CustomerServices) message;
            if (operation.equals("notify")) {
                port.notify(sent);
                return null;
            }
            return Style.parts(operation.equals("echo") ? port.echo(sent) : port.refuse(sent));
        };
    }

    private static Calls wrapped(trunkline.axis.services.wrapped.Wrapped_PortType port) {
        return (operation, message) -> {
            Style.Parts sent = (Style.Parts) message;
            var customers = (trunkline.axis.services.wrapped.Customer[]) sent.customers();
            var products = (trunkline.axis.services.wrapped.Product[]) sent.products();
            if (operation.equals("notify")) {
                port.notify(sent.header(), customers, products);
                return null;
            }
            var header = new StringHolder(sent.header());
            var customersToo = new trunkline.axis.services.wrapped.holders.ArrayOfcustomerHolder(customers);
            var productsToo = new trunkline.axis.services.wrapped.holders.ArrayOfproductHolder(products);
            if (operation.equals("echo")) port.echo(header, customersToo, productsToo);
            else port.refuse(header, customersToo, productsToo);
            return new Object[] {header.value, customersToo.value, productsToo.value};
        };
    }

    private static Calls literal(trunkline.axis.services.rpc.Literal_PortType port) {
        return (operation, message) -> {
            Style.Parts sent = (Style.Parts) message;
            var customers = (trunkline.axis.services.rpc.Customer[]) sent.customers();
            var products = (trunkline.axis.services.rpc.Product[]) sent.products();
            if (operation.equals("notify")) {
                port.notify(sent.header(), customers, products);
                return null;
            }
            var header = new StringHolder(sent.header());
            var customersToo = new trunkline.axis.services.rpc.holders.ArrayOfcustomerHolder(customers);
            var productsToo = new trunkline.axis.services.rpc.holders.ArrayOfproductHolder(products);
            if (operation.equals("echo")) port.echo(header, customersToo, productsToo);
            else port.refuse(header, customersToo, productsToo);
            return new Object[] {header.value, customersToo.value, productsToo.value};
        };
    }

    private static Calls encoded(trunkline.axis.services.rpc.Encoded_PortType port) {
        return (operation, message) -> {
            Style.Parts sent = (Style.Parts) message;
            var customers = (trunkline.axis.services.rpc.Customer[]) sent.customers();
            var products = (trunkline.axis.services.rpc.Product[]) sent.products();
            if (operation.equals("notify")) {
                port.notify(sent.header(), customers, products);
                return null;
            }
            var header = new StringHolder(sent.header());
            var customersToo = new trunkline.axis.services.rpc.holders.EncodedArrayOfcustomerHolder(customers);
            var productsToo = new trunkline.axis.services.rpc.holders.EncodedArrayOfproductHolder(products);
            if (operation.equals("echo")) port.echo(header, customersToo, productsToo);
            else port.refuse(header, customersToo, productsToo);
            return new Object[] {header.value, customersToo.value, productsToo.value};
        };
    }

    @Override
    public Object[] call(Object message) throws Exception {
        return calls.of(operation, message);
    }

    @Override
    public Object[] parts(Object message) {
        return Style.parts(message);
    }

    @Override
    public boolean isRefusal(Exception error, String header) {
        return error instanceof AxisFault fault
                && ("refused: " + header).equals(fault.getFaultString())
                && code(fault) == Services.CODE;
    }

    @Override
    public void close() {
        MultiThreadedHttpConnectionManager.shutdownAll();
    }

    /** What the detail says; each style has its class. */
    private static int code(AxisFault fault) {
        if (fault instanceof trunkline.axis.services.bare.Refusal it) return it.getCode();
        if (fault instanceof trunkline.axis.services.wrapped.Refusal it) return it.getCode();
        return fault instanceof trunkline.axis.services.rpc.Refusal it ? it.getCode() : 0;
    }
}
