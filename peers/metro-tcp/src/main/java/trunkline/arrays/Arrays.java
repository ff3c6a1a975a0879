package trunkline.arrays;

import jakarta.jws.WebMethod;
import jakarta.jws.WebParam;
import jakarta.jws.WebResult;
import jakarta.jws.WebService;
import jakarta.xml.bind.annotation.XmlAccessType;
import jakarta.xml.bind.annotation.XmlAccessorType;
import jakarta.xml.bind.annotation.XmlType;

/** The operations on arrays, for JAX-WS. */
@WebService(name = "Arrays", targetNamespace = Arrays.NAMESPACE)
public interface Arrays {
    String NAMESPACE = "urn:trunkline:arrays";

    /** Numbers. */
    @XmlAccessorType(XmlAccessType.FIELD)
    @XmlType(name = "ArrayOfdouble")
    class Doubles {
        public double[] item = {};
    }

    /** Integers. */
    @XmlAccessorType(XmlAccessType.FIELD)
    @XmlType(name = "ArrayOfint")
    class Ints {
        public int[] item = {};
    }

    /** Texts. */
    @XmlAccessorType(XmlAccessType.FIELD)
    @XmlType(name = "ArrayOfstring")
    class Strings {
        public String[] item = {};
    }

    @WebMethod(action = NAMESPACE + "#echoVoid")
    void echoVoid();

    @WebMethod(action = NAMESPACE + "#echoDoubles")
    @WebResult(name = "value")
    Doubles echoDoubles(@WebParam(name = "value") Doubles value);

    @WebMethod(action = NAMESPACE + "#echoInts")
    @WebResult(name = "value")
    Ints echoInts(@WebParam(name = "value") Ints value);

    @WebMethod(action = NAMESPACE + "#echoStrings")
    @WebResult(name = "value")
    Strings echoStrings(@WebParam(name = "value") Strings value);

    @WebMethod(action = NAMESPACE + "#receiveDoubles")
    @WebResult(name = "value")
    int receiveDoubles(@WebParam(name = "value") Doubles value);

    @WebMethod(action = NAMESPACE + "#receiveInts")
    @WebResult(name = "value")
    int receiveInts(@WebParam(name = "value") Ints value);

    @WebMethod(action = NAMESPACE + "#sendBytes")
    @WebResult(name = "value")
    byte[] sendBytes(@WebParam(name = "value") int value);

    @WebMethod(action = NAMESPACE + "#sendStrings")
    @WebResult(name = "value")
    Strings sendStrings(@WebParam(name = "value") int value);
}
