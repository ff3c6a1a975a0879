using System;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Reflection;
using System.Threading;
using System.Web;
using System.Web.Hosting;
using System.Web.Services;
using System.Web.Services.Protocols;
using System.Xml.Schema;
using System.Xml.Serialization;

/// The operations on arrays.
[WebService(Name = "ArraysService", Namespace = Names.Of)]
public class Service {
    /// Of all: whether they change what they give back.
    public static bool IsWrong;

    static T[] Echoed<T>(T[] value, Func<T, T> change) {
        if (IsWrong) {
            value[value.Length - 1] = change(value[value.Length - 1]);
        }
        return value;
    }

    static int Received(int count) {
        return IsWrong ? count + 1 : count;
    }

    [WebMethod]
    [SoapDocumentMethod(Names.Of + "#echoVoid", RequestNamespace = Names.Of, ResponseNamespace = Names.Of)]
    public void echoVoid() { }

    [WebMethod]
    [SoapDocumentMethod(Names.Of + "#echoDoubles", RequestNamespace = Names.Of, ResponseNamespace = Names.Of)]
    [return: XmlArray("value", Form = XmlSchemaForm.Unqualified)]
    [return: XmlArrayItem("item", Form = XmlSchemaForm.Unqualified)]
    public double[] echoDoubles(
        [XmlArray(Form = XmlSchemaForm.Unqualified)]
        [XmlArrayItem("item", Form = XmlSchemaForm.Unqualified)] double[] value) {
        return Echoed(value, it => it + 1);
    }

    [WebMethod]
    [SoapDocumentMethod(Names.Of + "#echoInts", RequestNamespace = Names.Of, ResponseNamespace = Names.Of)]
    [return: XmlArray("value", Form = XmlSchemaForm.Unqualified)]
    [return: XmlArrayItem("item", Form = XmlSchemaForm.Unqualified)]
    public int[] echoInts(
        [XmlArray(Form = XmlSchemaForm.Unqualified)]
        [XmlArrayItem("item", Form = XmlSchemaForm.Unqualified)] int[] value) {
        return Echoed(value, it => it + 1);
    }

    [WebMethod]
    [SoapDocumentMethod(Names.Of + "#echoStrings", RequestNamespace = Names.Of, ResponseNamespace = Names.Of)]
    [return: XmlArray("value", Form = XmlSchemaForm.Unqualified)]
    [return: XmlArrayItem("item", Form = XmlSchemaForm.Unqualified)]
    public string[] echoStrings(
        [XmlArray(Form = XmlSchemaForm.Unqualified)]
        [XmlArrayItem("item", Form = XmlSchemaForm.Unqualified)] string[] value) {
        return Echoed(value, it => it + ".");
    }

    [WebMethod]
    [SoapDocumentMethod(Names.Of + "#receiveDoubles", RequestNamespace = Names.Of, ResponseNamespace = Names.Of)]
    [return: XmlElement("value", Form = XmlSchemaForm.Unqualified)]
    public int receiveDoubles(
        [XmlArray(Form = XmlSchemaForm.Unqualified)]
        [XmlArrayItem("item", Form = XmlSchemaForm.Unqualified)] double[] value) {
        return Received(value.Length);
    }

    [WebMethod]
    [SoapDocumentMethod(Names.Of + "#receiveInts", RequestNamespace = Names.Of, ResponseNamespace = Names.Of)]
    [return: XmlElement("value", Form = XmlSchemaForm.Unqualified)]
    public int receiveInts(
        [XmlArray(Form = XmlSchemaForm.Unqualified)]
        [XmlArrayItem("item", Form = XmlSchemaForm.Unqualified)] int[] value) {
        return Received(value.Length);
    }

    [WebMethod]
    [SoapDocumentMethod(Names.Of + "#sendBytes", RequestNamespace = Names.Of, ResponseNamespace = Names.Of)]
    [return: XmlElement("value", DataType = "base64Binary", Form = XmlSchemaForm.Unqualified)]
    public byte[] sendBytes(
        [XmlElement(Form = XmlSchemaForm.Unqualified)] int value) {
        return Echoed(Values.Bytes(value), it => (byte)(it ^ 1));
    }

    [WebMethod]
    [SoapDocumentMethod(Names.Of + "#sendStrings", RequestNamespace = Names.Of, ResponseNamespace = Names.Of)]
    [return: XmlArray("value", Form = XmlSchemaForm.Unqualified)]
    [return: XmlArrayItem("item", Form = XmlSchemaForm.Unqualified)]
    public string[] sendStrings(
        [XmlElement(Form = XmlSchemaForm.Unqualified)] int value) {
        return Echoed(Values.Strings(value), it => it + ".");
    }
}

/// A request as ASP.NET wants it.
public class Request : SimpleWorkerRequest {
    readonly HttpListenerContext context;
    readonly byte[] body;
    readonly MemoryStream answer = new MemoryStream();

    public Request(HttpListenerContext context) : base("Arrays.asmx", "", null) {
        this.context = context;
        SwitchOffNagle();
        var content = new MemoryStream();
        context.Request.InputStream.CopyTo(content);
        body = content.ToArray();
    }

    /// The listener has no setting for that.
    void SwitchOffNagle() {
        const BindingFlags hidden = BindingFlags.NonPublic | BindingFlags.Instance;
        var connection = typeof(HttpListenerContext).GetField("cnc", hidden).GetValue(context);
        ((Socket)connection.GetType().GetField("sock", hidden).GetValue(connection)).NoDelay = true;
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
        answer.Write(data, 0, length);
    }

    public override void FlushResponse(bool isLast) {
        if (isLast) {
            context.Response.ContentLength64 = answer.Length;
            context.Response.OutputStream.Write(answer.GetBuffer(), 0, (int)answer.Length);
            context.Response.Close();
        }
    }
}

/// Answers requests in the domain of the application.
public class Host : MarshalByRefObject {
    /// Serves at a port that nobody has, by so many threads; another is taken if somebody got it in between.
    public int Serve(int threads, bool isWrong) {
        Service.IsWrong = isWrong;
        HttpListener listener;
        int port;
        for (var left = 8; ; left--) {
            var socket = new TcpListener(IPAddress.Loopback, 0);
            socket.Start();
            port = ((IPEndPoint)socket.LocalEndpoint).Port;
            socket.Stop();
            listener = new HttpListener();
            // By any other prefix it answers only those who name this very port as theirs, which nobody does behind a link.
            listener.Prefixes.Add("http://*:" + port + "/");
            try {
                listener.Start();
                break;
            } catch (Exception) when (left > 0) { }
        }
        for (var count = 0; count < threads; count++) {
            var thread = new Thread(() => {
                while (true) {
                    var context = listener.GetContext();
                    if (IPAddress.IsLoopback(context.Request.RemoteEndPoint.Address)) {
                        HttpRuntime.ProcessRequest(new Request(context));
                    } else {
                        context.Response.Abort();
                    }
                }
            });
            thread.IsBackground = true;
            thread.Start();
        }
        return port;
    }

    public override object InitializeLifetimeService() {
        return null;
    }

    /// In a folder of its own, since ASP.NET starts again when files change there, which is the program's.
    public static Host Start() {
        var folder = Path.GetDirectoryName(Path.GetDirectoryName(typeof(Host).Assembly.Location));
        return (Host)ApplicationHost.CreateApplicationHost(typeof(Host), "/", folder);
    }
}
