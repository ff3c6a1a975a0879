using System;
using System.Collections.Generic;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Threading;
using System.Web;
using System.Web.Hosting;
using System.Web.Services;
using System.Web.Services.Description;
using System.Web.Services.Protocols;
using System.Xml;
using System.Xml.Serialization;
using DeskService;

/// The desk through what mono's wsdl made of the WSDL: the service, in ASP.NET behind HttpListener. Attributes of
/// methods are not inherited, so they stand here as they do in what was made.
[WebService(Name = "Desk", Namespace = "urn:desk")]
[WebServiceBinding(Name = "DeskPort", Namespace = "urn:desk")]
public class Service : Desk {
    [SoapHeader("ReceiptValue", Direction = SoapHeaderDirection.Out)]
    [SoapHeader("SessionValue")]
    [WebMethod]
    [SoapDocumentMethod("urn:desk#place", RequestNamespace = "urn:desk", ResponseNamespace = "urn:desk",
        Use = SoapBindingUse.Literal, ParameterStyle = SoapParameterStyle.Wrapped)]
    [return: XmlElement("placed")]
    public override Order place(Order order) {
        if (SessionValue == null || SessionValue.token != "T-1 <&>") {
            throw new SoapException("not the token", SoapException.ClientFaultCode);
        }
        ReceiptValue = new Receipt { number = 17 };
        order.id += 1;
        order.side = Side.Buy;
        order.Item = new Peg { to = "bid", offset = -0.05m };
        order.seller = new Party { name = "N" };
        order.notes = new List<string>(order.notes) { "seen" }.ToArray();
        order.legs = new[] { order.legs[1] };
        order.sizes = new int[0];
        order.comment = " seen ";
        order.open = false;
        return order;
    }

    [WebMethod]
    [SoapDocumentMethod("urn:desk#refuse", RequestNamespace = "urn:desk", ResponseNamespace = "urn:desk",
        Use = SoapBindingUse.Literal, ParameterStyle = SoapParameterStyle.Wrapped)]
    [return: XmlElement("refused")]
    public override bool refuse(long quantity) {
        var document = new XmlDocument();
        var detail = document.CreateNode(
            XmlNodeType.Element, SoapException.DetailElementName.Name, SoapException.DetailElementName.Namespace);
        detail.InnerXml = "<Limit xmlns='urn:desk'><most>7</most><why>a &lt; b</why>" +
            "<window><until>2026-03-01</until><steps>3</steps><steps>5</steps></window></Limit>";
        throw new SoapException("too many", SoapException.ClientFaultCode, "", detail);
    }
}

/// A request as ASP.NET wants it.
public class Request : SimpleWorkerRequest {
    readonly HttpListenerContext context;
    readonly byte[] body;

    public Request(HttpListenerContext context)
        : base(context.Request.Url.AbsolutePath.TrimStart('/'), context.Request.Url.Query.TrimStart('?'), null) {
        this.context = context;
        var content = new MemoryStream();
        context.Request.InputStream.CopyTo(content);
        body = content.ToArray();
    }

    public override string GetHttpVerbName() {
        return context.Request.HttpMethod;
    }

    public override string GetLocalAddress() {
        return "127.0.0.1";
    }

    public override int GetLocalPort() {
        return context.Request.LocalEndPoint.Port;
    }

    public override string GetKnownRequestHeader(int index) {
        return context.Request.Headers[GetKnownRequestHeaderName(index)];
    }

    public override string GetUnknownRequestHeader(string name) {
        return context.Request.Headers[name];
    }

    public override string[][] GetUnknownRequestHeaders() {
        var action = context.Request.Headers["SOAPAction"];
        return action == null ? new string[0][] : new[] { new[] { "SOAPAction", action } };
    }

    public override byte[] GetPreloadedEntityBody() {
        return body;
    }

    public override void SendStatus(int code, string description) {
        context.Response.StatusCode = code;
    }

    public override void SendKnownResponseHeader(int index, string value) {
        if (index == HeaderContentType) {
            context.Response.ContentType = value;
        }
    }

    public override void SendResponseFromMemory(byte[] data, int length) {
        context.Response.OutputStream.Write(data, 0, length);
    }

    public override void FlushResponse(bool isLast) {
        if (isLast) {
            context.Response.Close();
        }
    }
}

/// Answers requests in the domain of the application.
public class Host : MarshalByRefObject {
    /// Serves at a port that nobody has; another is taken if somebody got it in between.
    public void Serve() {
        HttpListener listener;
        for (var left = 8; ; left--) {
            var socket = new TcpListener(IPAddress.Loopback, 0);
            socket.Start();
            var url = "http://127.0.0.1:" + ((IPEndPoint)socket.LocalEndpoint).Port + "/";
            socket.Stop();
            listener = new HttpListener();
            listener.Prefixes.Add(url);
            try {
                listener.Start();
                Console.WriteLine(url + "Desk.asmx");
                break;
            } catch (Exception) when (left > 0) { }
        }
        while (true) {
            HttpRuntime.ProcessRequest(new Request(listener.GetContext()));
        }
    }

    public override object InitializeLifetimeService() {
        return null;
    }

    public static void Main() {
        File.WriteAllText("Desk.asmx", "<%@ WebService Language=\"C#\" Class=\"Service\" %>");
        var host = ApplicationHost.CreateApplicationHost(typeof(Host), "/", Directory.GetCurrentDirectory());
        // It ends with its input.
        new Thread(() => {
            while (Console.Read() >= 0) { }
            Environment.Exit(0);
        }).Start();
        ((Host)host).Serve();
    }
}
