using System;
using System.IO;
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

/// Answers requests in the domain of the application.
public class Host : MarshalByRefObject {
    public int Serve(int threads, bool isWrong) {
        Service.IsWrong = isWrong;
        return new Front(threads, context => HttpRuntime.ProcessRequest(new Request(context, "Arrays.asmx"))).Port;
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
