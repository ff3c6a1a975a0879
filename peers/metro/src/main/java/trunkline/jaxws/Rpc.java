package trunkline.jaxws;

import jakarta.jws.Oneway;
import jakarta.jws.WebMethod;
import jakarta.jws.WebParam;
import jakarta.jws.WebParam.Mode;
import jakarta.jws.WebService;
import jakarta.jws.soap.SOAPBinding;
import jakarta.jws.soap.SOAPBinding.Style;
import jakarta.xml.ws.Holder;
import trunkline.jaxws.unqualified.Customers;
import trunkline.jaxws.unqualified.Products;
import trunkline.services.Names;

/**
 * Rpc/literal. What goes in and what comes out are parameters of their own, though of one name:
 * Metro gives no holder for a part that is absent from a call, so that none could come out.
 */
@WebService(name = "Rpc", targetNamespace = Names.NAMESPACE)
@SOAPBinding(style = Style.RPC)
public interface Rpc {
    @WebMethod(action = Names.ECHO)
    void echo(
            @WebParam(name = "header", partName = "header") String header,
            @WebParam(name = "customers", partName = "customers") Customers customers,
            @WebParam(name = "products", partName = "products") Products products,
            @WebParam(name = "header", partName = "header", mode = Mode.OUT)
                    Holder<String> headerOut,
            @WebParam(name = "customers", partName = "customers", mode = Mode.OUT)
                    Holder<Customers> customersOut,
            @WebParam(name = "products", partName = "products", mode = Mode.OUT)
                    Holder<Products> productsOut);

    @WebMethod(action = Names.REFUSE)
    void refuse(
            @WebParam(name = "header", partName = "header") String header,
            @WebParam(name = "customers", partName = "customers") Customers customers,
            @WebParam(name = "products", partName = "products") Products products,
            @WebParam(name = "header", partName = "header", mode = Mode.OUT)
                    Holder<String> headerOut,
            @WebParam(name = "customers", partName = "customers", mode = Mode.OUT)
                    Holder<Customers> customersOut,
            @WebParam(name = "products", partName = "products", mode = Mode.OUT)
                    Holder<Products> productsOut)
            throws Refused;

    @Oneway
    @WebMethod(action = Names.NOTIFY)
    void notify(
            @WebParam(name = "header", partName = "header") String header,
            @WebParam(name = "customers", partName = "customers") Customers customers,
            @WebParam(name = "products", partName = "products") Products products);
}
