package trunkline.jaxws;

import jakarta.jws.Oneway;
import jakarta.jws.WebMethod;
import jakarta.jws.WebParam;
import jakarta.jws.WebResult;
import jakarta.jws.WebService;
import jakarta.jws.soap.SOAPBinding;
import jakarta.jws.soap.SOAPBinding.ParameterStyle;
import trunkline.jaxws.qualified.CustomerServices;
import trunkline.services.Names;

/** Document/literal, bare. */
@WebService(name = "Bare", targetNamespace = Names.NAMESPACE)
@SOAPBinding(parameterStyle = ParameterStyle.BARE)
public interface Bare {
    String MESSAGE = "CustomerServices";

    @WebMethod(action = Names.ECHO)
    @WebResult(name = MESSAGE, targetNamespace = Names.NAMESPACE, partName = "body")
    CustomerServices echo(
            @WebParam(name = MESSAGE, targetNamespace = Names.NAMESPACE, partName = "body")
                    CustomerServices message);

    @WebMethod(action = Names.REFUSE)
    @WebResult(name = MESSAGE, targetNamespace = Names.NAMESPACE, partName = "body")
    CustomerServices refuse(
            @WebParam(name = MESSAGE, targetNamespace = Names.NAMESPACE, partName = "body")
                    CustomerServices message)
            throws Refused;

    @Oneway
    @WebMethod(action = Names.NOTIFY)
    void notify(
            @WebParam(name = MESSAGE, targetNamespace = Names.NAMESPACE, partName = "body")
                    CustomerServices message);
}
