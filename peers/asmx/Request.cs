using System.IO;
using System.IO.Compression;
using System.Net;
using System.Net.Sockets;
using System.Reflection;
using System.Web;
using System.Web.Hosting;

/// A request as ASP.NET wants it.
public class Request : SimpleWorkerRequest {
    readonly HttpListenerContext context;
    readonly byte[] body;
    readonly MemoryStream answer = new MemoryStream();

    public Request(HttpListenerContext context, string page) : base(page, "", null) {
        this.context = context;
        SwitchOffNagle();
        var content = new MemoryStream();
        var coding = context.Request.Headers["Content-Encoding"];
        var sent = context.Request.InputStream;
        (coding == "gzip" ? new GZipStream(sent, CompressionMode.Decompress) : sent).CopyTo(content);
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

    /// The answer is complete, and will be sent.
    protected virtual void Answering() { }

    protected bool IsCallOf(string action) {
        var named = context.Request.Headers["SOAPAction"];
        return named != null && named.Trim('"') == action;
    }

    /// In place of the answer.
    protected void Accept() {
        context.Response.StatusCode = (int)HttpStatusCode.Accepted;
        answer.SetLength(0);
    }

    public override void FlushResponse(bool isLast) {
        if (isLast) {
            Answering();
            var whole = Whole();
            context.Response.ContentLength64 = whole.Length;
            context.Response.OutputStream.Write(whole.GetBuffer(), 0, (int)whole.Length);
            context.Response.Close();
        }
    }

    /// Compressed, if the client takes that.
    MemoryStream Whole() {
        var accepted = context.Request.Headers["Accept-Encoding"];
        if (accepted == null || !accepted.Contains("gzip") || answer.Length == 0) {
            return answer;
        }
        context.Response.Headers["Content-Encoding"] = "gzip";
        var whole = new MemoryStream();
        using (var gzip = new GZipStream(whole, CompressionMode.Compress, true)) {
            answer.WriteTo(gzip);
        }
        return whole;
    }
}
