using System;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Text;
using System.Web.Services.Configuration;
using System.Web.Services.Protocols;
using System.Xml;
using System.Xml.Schema;
using System.Xml.Serialization;

/// The system's clocks, in nanoseconds.
static class Clock {
    const int Monotonic = 1, OfThread = 3;

    [StructLayout(LayoutKind.Sequential)]
    struct Time {
        public long Seconds, Nanoseconds;
    }

    [DllImport("libc")]
    static extern int clock_gettime(int clock, out Time time);

    static long Of(int clock) {
        Time time;
        clock_gettime(clock, out time);
        return time.Seconds * 1000000000 + time.Nanoseconds;
    }

    public static long Now() {
        return Of(Monotonic);
    }

    /// What the thread has used the processor for.
    public static long Used() {
        return Of(OfThread);
    }
}

/// A style by its service and its proxy.
sealed class Style {
    public readonly string Format;
    readonly Type service;
    readonly Func<Proxy> proxy;
    readonly Func<Proxy, string, CustomerServices, CustomerServices> call;

    Style(string format, Type service, Func<Proxy> proxy,
        Func<Proxy, string, CustomerServices, CustomerServices> call) {
        Format = format;
        this.service = service;
        this.proxy = proxy;
        this.call = call;
    }

    public static readonly Style[] All = {
        new Style("ng-doc-literal", typeof(Bare), () => new BareProxy(), OfBare),
        new Style("ng-doc-literal-wrapped", typeof(Wrapped), () => new WrappedProxy(), OfWrapped),
        new Style("ng-doc-encoded", typeof(BareEncoded), () => new BareEncodedProxy(), OfBareEncoded),
        new Style("ng-rpc-encoded", typeof(Encoded), () => new EncodedProxy(), OfEncoded),
    };

    public static Style Of(string format) {
        return All.FirstOrDefault(style => style.Format == format);
    }

    /// Where it is served.
    string Path { get { return "/" + Format.Substring("ng-".Length); } }

    /// The page of the service at a path, or none.
    public static string PageAt(string path) {
        var style = All.FirstOrDefault(it => it.Path == path);
        return style == null ? null : style.service.Name + ".asmx";
    }

    static CustomerServices OfBare(Proxy proxy, string operation, CustomerServices message) {
        var bare = (BareProxy)proxy;
        switch (operation) {
            case "echo": return bare.echo(message);
            case "refuse": return bare.refuse(message);
            default:
                bare.notify(message);
                return null;
        }
    }

    static CustomerServices OfBareEncoded(Proxy proxy, string operation, CustomerServices message) {
        var bare = (BareEncodedProxy)proxy;
        switch (operation) {
            case "echo": return bare.echo(message);
            case "refuse": return bare.refuse(message);
            default:
                bare.notify(message);
                return null;
        }
    }

    static CustomerServices OfWrapped(Proxy proxy, string operation, CustomerServices message) {
        var wrapped = (WrappedProxy)proxy;
        var came = new CustomerServices {
            header = message.header, customers = message.customers, products = message.products,
        };
        switch (operation) {
            case "echo": wrapped.echo(ref came.header, ref came.customers, ref came.products); break;
            case "refuse": wrapped.refuse(ref came.header, ref came.customers, ref came.products); break;
            default:
                wrapped.notify(message.header, message.customers, message.products);
                return null;
        }
        return came;
    }

    static CustomerServices OfEncoded(Proxy proxy, string operation, CustomerServices message) {
        var encoded = (EncodedProxy)proxy;
        var came = new CustomerServices {
            header = message.header, customers = message.customers, products = message.products,
        };
        switch (operation) {
            case "echo": encoded.echo(ref came.header, ref came.customers, ref came.products); break;
            case "refuse": encoded.refuse(ref came.header, ref came.customers, ref came.products); break;
            default:
                encoded.notify(message.header, message.customers, message.products);
                return null;
        }
        return came;
    }

    /// Calls of an operation at a URL; what comes back, or nothing.
    public Func<CustomerServices, CustomerServices> Calls(string url, string operation, Action<Proxy> asked) {
        var made = proxy();
        made.Url = url;
        asked(made);
        return message => call(made, operation, message);
    }

    public Codec NewCodec() {
        return new Codec(service, proxy().GetType());
    }
}

/// One style's envelopes to and from objects, by the serializer that ASMX makes of a method, which it keeps to itself,
/// and the readers and writers that it has around it.
sealed class Codec {
    const string Soap = "http://schemas.xmlsoap.org/soap/envelope/";
    const string Encoding = "http://schemas.xmlsoap.org/soap/encoding/";
    const BindingFlags Hidden =
        BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Static | BindingFlags.Instance;

    readonly bool isBare;
    readonly string encoding;
    readonly XmlSerializer reading, writing;

    public Codec(Type service, Type proxy) {
        isBare = service == typeof(Bare) || service == typeof(BareEncoded);
        encoding = service == typeof(Encoded) || service == typeof(BareEncoded) ? Encoding : null;
        reading = Of("SoapServerType", Names.Echo, service, WebServiceProtocols.HttpSoap);
        writing = Of("SoapClientType", "echo", proxy);
    }

    /// The serializer of requests of a method, by what ASMX knows of a class at one of the ends.
    static XmlSerializer Of(string end, string key, params object[] described) {
        var kind = typeof(SoapHttpClientProtocol).Assembly.GetType("System.Web.Services.Protocols." + end, true);
        var known = Activator.CreateInstance(kind, Hidden, null, described, null);
        var method = kind.GetMethod("GetMethod", Hidden).Invoke(known, new object[] { key });
        return (XmlSerializer)method.GetType().GetField("parameterSerializer", Hidden).GetValue(method);
    }

    public CustomerServices Decode(byte[] envelope) {
        var settings = new XmlReaderSettings { DtdProcessing = DtdProcessing.Prohibit, IgnoreWhitespace = true };
        var reader = XmlReader.Create(new StreamReader(new MemoryStream(envelope)), settings);
        reader.MoveToContent();
        reader.ReadStartElement("Envelope", Soap);
        reader.MoveToContent();
        reader.ReadStartElement("Body", Soap);
        reader.MoveToContent();
        var parts = (object[])reading.Deserialize(reader, encoding);
        while (reader.Read()) { }
        if (parts[0] == null) {
            throw new FormatException("no call of echo");
        }
        return isBare ? (CustomerServices)parts[0] : new CustomerServices {
            header = (string)parts[0], customers = (Customer[])parts[1], products = (Product[])parts[2],
        };
    }

    public byte[] Encode(CustomerServices message) {
        var output = new MemoryStream();
        var writer = XmlWriter.Create(new StreamWriter(output, new UTF8Encoding(false)));
        writer.WriteStartDocument();
        writer.WriteStartElement("soap", "Envelope", Soap);
        writer.WriteAttributeString("xmlns", "xsi", null, XmlSchema.InstanceNamespace);
        writer.WriteAttributeString("xmlns", "xsd", null, XmlSchema.Namespace);
        if (encoding != null) {
            writer.WriteAttributeString("xmlns", "soapenc", null, Encoding);
            writer.WriteAttributeString("xmlns", "tns", null, Names.Of);
        }
        writer.WriteStartElement("Body", Soap);
        if (encoding != null) {
            writer.WriteAttributeString("soap", "encodingStyle", Soap, Encoding);
        }
        var parts = isBare ? new object[] { message } : new object[] { message.header, message.customers, message.products };
        writing.Serialize(writer, parts, null, encoding);
        writer.WriteEndElement();
        writer.WriteEndElement();
        writer.Flush();
        return output.ToArray();
    }
}
