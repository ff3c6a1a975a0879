package trunkline.jaxws;

import jakarta.xml.ws.Holder;
import java.io.IOException;
import trunkline.jaxws.qualified.CustomerServices;
import trunkline.jaxws.unqualified.Echo;
import trunkline.services.Toolkit;

/** A client of the service by a proxy of the style's interface. */
public final class Caller implements Toolkit.Client {
    /** Makes a toolkit's proxy of an interface. */
    public interface Proxies {
        <P> P of(Class<P> port) throws Exception;
    }

    /** One call of a proxy; what came back is {header, customers, products}, or null if nothing. */
    private interface Call {
        Object[] of(Object message) throws Refused;
    }

    private final String operation;
    private final Call call;

    public Caller(String format, String operation, Proxies proxies) throws Exception {
        this.operation = operation;
        call = switch (format) {
            case "ng-doc-literal" -> bare(proxies.of(Bare.class));
            case "ng-doc-literal-wrapped" -> wrapped(proxies.of(Wrapped.class));
            default -> rpc(proxies.of(Rpc.class));
        };
        if (call == null) throw new IOException("unknown operation: " + operation);
    }

    private Call bare(Bare port) {
        return switch (operation) {
            case "echo" -> message -> partsOf(port.echo((CustomerServices) message));
            case "refuse" -> message -> partsOf(port.refuse((CustomerServices) message));
            case "notify" -> message -> {
                port.notify((CustomerServices) message);
                return null;
            };
            default -> null;
        };
    }

    private Call wrapped(Wrapped port) {
        return switch (operation) {
            case "echo", "refuse" -> message -> {
                CustomerServices sent = (CustomerServices) message;
                var header = new Holder<>(sent.header);
                var customers = new Holder<>(sent.customers);
                var products = new Holder<>(sent.products);
                if (operation.equals("echo")) port.echo(header, customers, products);
                else port.refuse(header, customers, products);
                return new Object[] {header.value, customers.value, products.value};
            };
            case "notify" -> message -> {
                CustomerServices sent = (CustomerServices) message;
                port.notify(sent.header, sent.customers, sent.products);
                return null;
            };
            default -> null;
        };
    }

    private Call rpc(Rpc port) {
        return switch (operation) {
            case "echo", "refuse" -> message -> {
                Echo sent = whole((Echo) message);
                var header = new Holder<String>();
                var customers = new Holder<trunkline.jaxws.unqualified.Customers>();
                var products = new Holder<trunkline.jaxws.unqualified.Products>();
                if (operation.equals("echo")) {
                    port.echo(sent.header, sent.customers, sent.products,
                            header, customers, products);
                } else {
                    port.refuse(sent.header, sent.customers, sent.products,
                            header, customers, products);
                }
                return new Object[] {header.value, customers.value, products.value};
            };
            case "notify" -> message -> {
                Echo sent = whole((Echo) message);
                port.notify(sent.header, sent.customers, sent.products);
                return null;
            };
            default -> null;
        };
    }

    /** With every part there, since Metro sends no call without one. */
    private static Echo whole(Echo message) {
        Echo whole = new Echo();
        whole.header = message.header;
        whole.customers = message.customers == null
                ? new trunkline.jaxws.unqualified.Customers() : message.customers;
        whole.products = message.products == null
                ? new trunkline.jaxws.unqualified.Products() : message.products;
        return whole;
    }

    @Override
    public Object[] call(Object message) throws Refused {
        return call.of(message);
    }

    @Override
    public Object[] parts(Object message) {
        return partsOf(message);
    }

    private static Object[] partsOf(Object message) {
        if (message instanceof CustomerServices it) {
            return new Object[] {it.header, it.customers, it.products};
        }
        Echo it = (Echo) message;
        return new Object[] {it.header, it.customers, it.products};
    }

    @Override
    public boolean isRefusal(Exception error, String header) {
        return error instanceof Refused refused && refused.answers(header);
    }
}
