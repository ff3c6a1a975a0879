package trunkline.metro.service;

import jakarta.jws.Oneway;
import jakarta.jws.WebMethod;
import jakarta.jws.WebParam;
import jakarta.jws.WebParam.Mode;
import jakarta.jws.WebService;
import jakarta.jws.soap.SOAPBinding;
import jakarta.jws.soap.SOAPBinding.Style;
import jakarta.xml.ws.Holder;
import trunkline.metro.Names;
import trunkline.metro.unqualified.Customers;
import trunkline.metro.unqualified.Products;

/** Rpc/literal. */
@WebService(name = "Rpc", targetNamespace = Names.NAMESPACE)
@SOAPBinding(style = Style.RPC)
public interface Rpc {
    @WebMethod(action = Names.ECHO)
    void echo(
            @WebParam(name = "header", partName = "header", mode = Mode.INOUT)
                    Holder<String> header,
            @WebParam(name = "customers", partName = "customers", mode = Mode.INOUT)
                    Holder<Customers> customers,
            @WebParam(name = "products", partName = "products", mode = Mode.INOUT)
                    Holder<Products> products);

    @WebMethod(action = Names.REFUSE)
    void refuse(
            @WebParam(name = "header", partName = "header", mode = Mode.INOUT)
                    Holder<String> header,
            @WebParam(name = "customers", partName = "customers", mode = Mode.INOUT)
                    Holder<Customers> customers,
            @WebParam(name = "products", partName = "products", mode = Mode.INOUT)
                    Holder<Products> products)
            throws Refused;

    @Oneway
    @WebMethod(action = Names.NOTIFY)
    void notify(
            @WebParam(name = "header", partName = "header") String header,
            @WebParam(name = "customers", partName = "customers") Customers customers,
            @WebParam(name = "products", partName = "products") Products products);
}
