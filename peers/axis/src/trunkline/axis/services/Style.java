package trunkline.axis.services;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import trunkline.axis.services.bare.CustomerServices;

/** A style by the port that Axis made classes of, and structures by the arguments of a call. */
enum Style {
    BARE("ng-doc-literal", "bare", "Bare"),
    WRAPPED("ng-doc-literal-wrapped", "wrapped", "Wrapped"),
    LITERAL("ng-rpc-literal", "rpc", "Literal"),
    ENCODED("ng-rpc-encoded", "rpc", "Encoded");

    static final List<String> NAMES = Stream.of(values()).map(style -> style.format).toList();

    final String format;
    /** Of what Axis made. */
    final String folder;
    /** Also of the service. */
    final String port;

    Style(String format, String folder, String port) {
        this.format = format;
        this.folder = folder;
        this.port = port;
    }

    static Style of(String format) {
        return values()[NAMES.indexOf(format)];
    }

    /** Where it is served, in SOAP 1.1. */
    String path() {
        return "/" + format.substring("ng-".length());
    }

    /** The message, where the arguments of a call are its parts. */
    record Parts(String header, Object customers, Object products) {}

    /** What the arguments of these names are. */
    Object structure(Map<String, Object> arguments) {
        return this == BARE ? arguments.get("CustomerServices")
                : new Parts((String) arguments.get("header"), arguments.get("customers"),
                        arguments.get("products"));
    }

    static Object[] parts(Object structure) {
        if (structure instanceof CustomerServices it) {
            return new Object[] {it.getHeader(), it.getCustomers(), it.getProducts()};
        }
        Parts it = (Parts) structure;
        return new Object[] {it.header, it.customers, it.products};
    }
}
