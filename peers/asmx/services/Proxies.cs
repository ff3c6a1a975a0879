using System;
using System.Net;
using System.Web.Services;
using System.Web.Services.Description;
using System.Web.Services.Protocols;
using System.Xml.Serialization;

/// What a client's calls are asked to be, in all styles.
public class Proxy : SoapHttpClientProtocol {
    public bool IsChunked;
    public bool Closes;

    protected override WebRequest GetWebRequest(Uri uri) {
        var request = (HttpWebRequest)base.GetWebRequest(uri);
        request.KeepAlive = !Closes;
        request.SendChunked = IsChunked;
        return request;
    }
}

/// Document/literal.
[WebServiceBinding(Name = "Bare", Namespace = Names.Of)]
public class BareProxy : Proxy {
    [SoapDocumentMethod(Names.Echo, ParameterStyle = SoapParameterStyle.Bare)]
    [return: XmlElement("CustomerServices", Namespace = Names.Of)]
    public CustomerServices echo([XmlElement("CustomerServices", Namespace = Names.Of)] CustomerServices message) {
        return (CustomerServices)Invoke("echo", new object[] { message })[0];
    }

    [SoapDocumentMethod(Names.Refuse, ParameterStyle = SoapParameterStyle.Bare)]
    [return: XmlElement("CustomerServices", Namespace = Names.Of)]
    public CustomerServices refuse([XmlElement("CustomerServices", Namespace = Names.Of)] CustomerServices message) {
        return (CustomerServices)Invoke("refuse", new object[] { message })[0];
    }

    [SoapDocumentMethod(Names.Notify, ParameterStyle = SoapParameterStyle.Bare, OneWay = true)]
    public void notify([XmlElement("CustomerServices", Namespace = Names.Of)] CustomerServices message) {
        Invoke("notify", new object[] { message });
    }
}

/// Document/literal, wrapped.
[WebServiceBinding(Name = "Wrapped", Namespace = Names.Of)]
public class WrappedProxy : Proxy {
    [SoapDocumentMethod(Names.Echo, RequestNamespace = Names.Of, ResponseNamespace = Names.Of)]
    public void echo(ref string header, ref Customer[] customers, ref Product[] products) {
        var results = Invoke("echo", new object[] { header, customers, products });
        header = (string)results[0];
        customers = (Customer[])results[1];
        products = (Product[])results[2];
    }

    [SoapDocumentMethod(Names.Refuse, RequestNamespace = Names.Of, ResponseNamespace = Names.Of)]
    public void refuse(ref string header, ref Customer[] customers, ref Product[] products) {
        var results = Invoke("refuse", new object[] { header, customers, products });
        header = (string)results[0];
        customers = (Customer[])results[1];
        products = (Product[])results[2];
    }

    [SoapDocumentMethod(Names.Notify, RequestNamespace = Names.Of, ResponseNamespace = Names.Of, OneWay = true)]
    public void notify(string header, Customer[] customers, Product[] products) {
        Invoke("notify", new object[] { header, customers, products });
    }
}

/// Rpc/encoded.
[WebServiceBinding(Name = "Encoded", Namespace = Names.Of)]
public class EncodedProxy : Proxy {
    [SoapRpcMethod(Names.Echo, RequestNamespace = Names.Of, ResponseNamespace = Names.Of)]
    public void echo(ref string header, ref Customer[] customers, ref Product[] products) {
        var results = Invoke("echo", new object[] { header, customers, products });
        header = (string)results[0];
        customers = (Customer[])results[1];
        products = (Product[])results[2];
    }

    [SoapRpcMethod(Names.Refuse, RequestNamespace = Names.Of, ResponseNamespace = Names.Of)]
    public void refuse(ref string header, ref Customer[] customers, ref Product[] products) {
        var results = Invoke("refuse", new object[] { header, customers, products });
        header = (string)results[0];
        customers = (Customer[])results[1];
        products = (Product[])results[2];
    }

    [SoapRpcMethod(Names.Notify, RequestNamespace = Names.Of, ResponseNamespace = Names.Of, OneWay = true)]
    public void notify(string header, Customer[] customers, Product[] products) {
        Invoke("notify", new object[] { header, customers, products });
    }
}

/// Document/encoded.
[WebServiceBinding(Name = "BareEncoded", Namespace = Names.Of)]
public class BareEncodedProxy : Proxy {
    [SoapDocumentMethod(Names.Echo, Use = SoapBindingUse.Encoded,
        ParameterStyle = SoapParameterStyle.Bare)]
    [return: SoapElement("CustomerServices")]
    public CustomerServices echo([SoapElement("CustomerServices")] CustomerServices message) {
        return (CustomerServices)Invoke("echo", new object[] { message })[0];
    }

    [SoapDocumentMethod(Names.Refuse, Use = SoapBindingUse.Encoded,
        ParameterStyle = SoapParameterStyle.Bare)]
    [return: SoapElement("CustomerServices")]
    public CustomerServices refuse([SoapElement("CustomerServices")] CustomerServices message) {
        return (CustomerServices)Invoke("refuse", new object[] { message })[0];
    }

    [SoapDocumentMethod(Names.Notify, Use = SoapBindingUse.Encoded,
        ParameterStyle = SoapParameterStyle.Bare, OneWay = true)]
    public void notify([SoapElement("CustomerServices")] CustomerServices message) {
        Invoke("notify", new object[] { message });
    }
}
