using System.Web.Services;
using System.Web.Services.Description;
using System.Web.Services.Protocols;
using System.Xml;
using System.Xml.Serialization;

/// What all styles do.
static class Work {
    public static void Echo(ref string header) {
        var request = ServiceRequest.Current;
        request.Enter();
        header = Names.Response;
        request.Leave();
    }

    public static CustomerServices Echo(CustomerServices message) {
        Echo(ref message.header);
        return message;
    }

    public static void Notify() {
        var request = ServiceRequest.Current;
        request.Enter();
        request.Leave();
    }

    /// The fault of who sent a message with this header.
    public static SoapException Refusal(string header) {
        var request = ServiceRequest.Current;
        request.Enter();
        var document = new XmlDocument();
        var detail = document.CreateElement(SoapException.DetailElementName.Name);
        var refusal = document.CreateElement("Refusal", Names.Of);
        refusal.AppendChild(document.CreateElement("code", Names.Of)).InnerText = Names.Code.ToString();
        refusal.AppendChild(document.CreateElement("text", Names.Of)).InnerText =
            "no message with the header " + header + " is taken";
        detail.AppendChild(refusal);
        request.Leave();
        return new SoapException("refused: " + header, SoapException.ClientFaultCode, "", detail);
    }
}

/// Document/literal.
[WebService(Name = "CustomerService", Namespace = Names.Of)]
public class Bare {
    [WebMethod]
    [SoapDocumentMethod(Names.Echo, ParameterStyle = SoapParameterStyle.Bare)]
    [return: XmlElement("CustomerServices", Namespace = Names.Of)]
    public CustomerServices echo([XmlElement("CustomerServices", Namespace = Names.Of)] CustomerServices message) {
        return Work.Echo(message);
    }

    [WebMethod]
    [SoapDocumentMethod(Names.Refuse, ParameterStyle = SoapParameterStyle.Bare)]
    [return: XmlElement("CustomerServices", Namespace = Names.Of)]
    public CustomerServices refuse([XmlElement("CustomerServices", Namespace = Names.Of)] CustomerServices message) {
        throw Work.Refusal(message.header);
    }

    [WebMethod]
    [SoapDocumentMethod(Names.Notify, ParameterStyle = SoapParameterStyle.Bare)]
    public void notify([XmlElement("CustomerServices", Namespace = Names.Of)] CustomerServices message) {
        Work.Notify();
    }
}

/// Document/literal, wrapped.
[WebService(Name = "CustomerService", Namespace = Names.Of)]
public class Wrapped {
    [WebMethod]
    [SoapDocumentMethod(Names.Echo, RequestNamespace = Names.Of, ResponseNamespace = Names.Of)]
    public void echo(ref string header, ref Customer[] customers, ref Product[] products) {
        Work.Echo(ref header);
    }

    [WebMethod]
    [SoapDocumentMethod(Names.Refuse, RequestNamespace = Names.Of, ResponseNamespace = Names.Of)]
    public void refuse(ref string header, ref Customer[] customers, ref Product[] products) {
        throw Work.Refusal(header);
    }

    [WebMethod]
    [SoapDocumentMethod(Names.Notify, RequestNamespace = Names.Of, ResponseNamespace = Names.Of)]
    public void notify(string header, Customer[] customers, Product[] products) {
        Work.Notify();
    }
}

/// Rpc/encoded.
[WebService(Name = "CustomerService", Namespace = Names.Of)]
public class Encoded {
    [WebMethod]
    [SoapRpcMethod(Names.Echo, RequestNamespace = Names.Of, ResponseNamespace = Names.Of)]
    public void echo(ref string header, ref Customer[] customers, ref Product[] products) {
        Work.Echo(ref header);
    }

    [WebMethod]
    [SoapRpcMethod(Names.Refuse, RequestNamespace = Names.Of, ResponseNamespace = Names.Of)]
    public void refuse(ref string header, ref Customer[] customers, ref Product[] products) {
        throw Work.Refusal(header);
    }

    [WebMethod]
    [SoapRpcMethod(Names.Notify, RequestNamespace = Names.Of, ResponseNamespace = Names.Of)]
    public void notify(string header, Customer[] customers, Product[] products) {
        Work.Notify();
    }
}

/// Document/encoded.
[WebService(Name = "CustomerService", Namespace = Names.Of)]
public class BareEncoded {
    [WebMethod]
    [SoapDocumentMethod(Names.Echo, Use = SoapBindingUse.Encoded,
        ParameterStyle = SoapParameterStyle.Bare)]
    [return: SoapElement("CustomerServices")]
    public CustomerServices echo([SoapElement("CustomerServices")] CustomerServices message) {
        return Work.Echo(message);
    }

    [WebMethod]
    [SoapDocumentMethod(Names.Refuse, Use = SoapBindingUse.Encoded,
        ParameterStyle = SoapParameterStyle.Bare)]
    [return: SoapElement("CustomerServices")]
    public CustomerServices refuse([SoapElement("CustomerServices")] CustomerServices message) {
        throw Work.Refusal(message.header);
    }

    [WebMethod]
    [SoapDocumentMethod(Names.Notify, Use = SoapBindingUse.Encoded,
        ParameterStyle = SoapParameterStyle.Bare)]
    public void notify([SoapElement("CustomerServices")] CustomerServices message) {
        Work.Notify();
    }
}
