package trunkline.jaxws;

import jakarta.jws.Oneway;
import jakarta.jws.WebMethod;
import jakarta.jws.WebParam;
import jakarta.jws.WebParam.Mode;
import jakarta.jws.WebService;
import jakarta.xml.ws.Holder;
import trunkline.jaxws.qualified.Customers;
import trunkline.jaxws.qualified.Products;
import trunkline.services.Names;

/** Document/literal, wrapped. */
@WebService(name = "Wrapped", targetNamespace = Names.NAMESPACE)
public interface Wrapped {
    @WebMethod(action = Names.ECHO)
    void echo(
            @WebParam(name = "header", targetNamespace = Names.NAMESPACE, mode = Mode.INOUT)
                    Holder<String> header,
            @WebParam(name = "customers", targetNamespace = Names.NAMESPACE, mode = Mode.INOUT)
                    Holder<Customers> customers,
            @WebParam(name = "products", targetNamespace = Names.NAMESPACE, mode = Mode.INOUT)
                    Holder<Products> products);

    @WebMethod(action = Names.REFUSE)
    void refuse(
            @WebParam(name = "header", targetNamespace = Names.NAMESPACE, mode = Mode.INOUT)
                    Holder<String> header,
            @WebParam(name = "customers", targetNamespace = Names.NAMESPACE, mode = Mode.INOUT)
                    Holder<Customers> customers,
            @WebParam(name = "products", targetNamespace = Names.NAMESPACE, mode = Mode.INOUT)
                    Holder<Products> products)
            throws Refused;

    @Oneway
    @WebMethod(action = Names.NOTIFY)
    void notify(
            @WebParam(name = "header", targetNamespace = Names.NAMESPACE) String header,
            @WebParam(name = "customers", targetNamespace = Names.NAMESPACE) Customers customers,
            @WebParam(name = "products", targetNamespace = Names.NAMESPACE) Products products);
}
