package trunkline.cxf.services;

import jakarta.xml.ws.Holder;
import java.lang.reflect.Method;
import java.util.List;
import java.util.stream.Stream;
import trunkline.jaxws.Bare;
import trunkline.jaxws.Rpc;
import trunkline.jaxws.Wrapped;
import trunkline.jaxws.qualified.CustomerServices;
import trunkline.jaxws.unqualified.Customers;
import trunkline.jaxws.unqualified.Echo;
import trunkline.jaxws.unqualified.Products;

/** A style by its interface, and structures as the arguments of its method. */
enum Style {
    BARE("ng-doc-literal", Bare.class) {
        @Override
        Object structure(List<?> arguments) {
            return arguments.get(0);
        }

        @Override
        Object[] arguments(Object structure) {
            return new Object[] {structure};
        }
    },
    WRAPPED("ng-doc-literal-wrapped", Wrapped.class) {
        @Override
        Object structure(List<?> arguments) {
            CustomerServices message = new CustomerServices();
            message.header = (String) value(arguments.get(0));
            message.customers =
                    (trunkline.jaxws.qualified.Customers) value(arguments.get(1));
            message.products =
                    (trunkline.jaxws.qualified.Products) value(arguments.get(2));
            return message;
        }

        @Override
        Object[] arguments(Object structure) {
            CustomerServices it = (CustomerServices) structure;
            return new Object[] {
                new Holder<>(it.header), new Holder<>(it.customers), new Holder<>(it.products)};
        }
    },
    RPC("ng-rpc-literal", Rpc.class) {
        @Override
        Object structure(List<?> arguments) {
            Echo message = new Echo();
            message.header = (String) arguments.get(0);
            message.customers = (Customers) arguments.get(1);
            message.products = (Products) arguments.get(2);
            return message;
        }

        @Override
        Object[] arguments(Object structure) {
            Echo it = (Echo) structure;
            return new Object[] {
                it.header,
                it.customers == null ? new Customers() : it.customers,
                it.products == null ? new Products() : it.products,
                new Holder<>(), new Holder<>(), new Holder<>()};
        }
    };

    static final List<String> NAMES = Stream.of(values()).map(style -> style.format).toList();

    final String format;
    final Class<?> port;

    Style(String format, Class<?> port) {
        this.format = format;
        this.port = port;
    }

    static Style of(String format) {
        return values()[NAMES.indexOf(format)];
    }

    /** The method of `echo`. */
    Method echo() {
        return Stream.of(port.getMethods())
                .filter(method -> method.getName().equals("echo")).findFirst().orElseThrow();
    }

    /** What the method was called with. */
    abstract Object structure(List<?> arguments);

    /** What the method is called with; rpc/literal has no call without one of its parts. */
    abstract Object[] arguments(Object structure);

    private static Object value(Object holder) {
        return ((Holder<?>) holder).value;
    }
}
