package trunkline.operations;

import jakarta.jws.WebMethod;
import jakarta.jws.WebParam;
import jakarta.jws.WebResult;
import jakarta.jws.WebService;
import java.rmi.Remote;
import java.rmi.RemoteException;
import java.util.List;
import trunkline.operations.Structures.Item;
import trunkline.operations.Structures.Order;
import trunkline.operations.Structures.Struct;
import trunkline.operations.Structures.Synthetic;

/** The operations of the benchmark. */
@WebService(name = "Operations", targetNamespace = Operations.NAMESPACE)
public interface Operations {
    String NAMESPACE = "urn:trunkline:operations";

    @WebMethod(action = NAMESPACE + "#echoVoid")
    void echoVoid();

    @WebMethod(action = NAMESPACE + "#echoInt")
    @WebResult(name = "value")
    int echoInt(@WebParam(name = "value") int value);

    @WebMethod(action = NAMESPACE + "#echoString")
    @WebResult(name = "value")
    String echoString(@WebParam(name = "value") String value);

    @WebMethod(action = NAMESPACE + "#echoStruct")
    @WebResult(name = "value")
    Struct echoStruct(@WebParam(name = "value") Struct value);

    @WebMethod(action = NAMESPACE + "#echoSynthetic")
    @WebResult(name = "value")
    Synthetic echoSynthetic(@WebParam(name = "value") Synthetic value);

    @WebMethod(action = NAMESPACE + "#echoArray")
    @WebResult(name = "value")
    List<Item> echoArray(@WebParam(name = "value") List<Item> value);

    @WebMethod(action = NAMESPACE + "#getOrder")
    @WebResult(name = "value")
    Order getOrder(
            @WebParam(name = "customerId") int customerId,
            @WebParam(name = "orderNumber") int orderNumber);

    /** The same for RMI, whose methods may all fail. */
    interface Distant extends Remote {
        void echoVoid() throws RemoteException;

        int echoInt(int value) throws RemoteException;

        String echoString(String value) throws RemoteException;

        Struct echoStruct(Struct value) throws RemoteException;

        Synthetic echoSynthetic(Synthetic value) throws RemoteException;

        List<Item> echoArray(List<Item> value) throws RemoteException;

        Order getOrder(int customerId, int orderNumber) throws RemoteException;
    }
}
