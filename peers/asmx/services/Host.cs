using System;
using System.IO;
using System.Net;
using System.Threading;
using System.Web;
using System.Web.Hosting;

/// A request whose times are taken: decoding from when all of it has come until the method begins, encoding from the
/// method's end until the answer is handed over.
public class ServiceRequest : Request {
    long begun, entered, left;

    public ServiceRequest(HttpListenerContext context, string page) : base(context, page) {
        begun = Clock.Now();
    }

    /// That of the call which the thread handles.
    public static ServiceRequest Current {
        get { return (ServiceRequest)((IServiceProvider)HttpContext.Current).GetService(typeof(HttpWorkerRequest)); }
    }

    public void Enter() {
        entered = Clock.Now();
    }

    public void Leave() {
        left = Clock.Now();
    }

    /// Counts it, if it has come to a method; before who waits for its answer can ask how many there were.
    protected override void Answering() {
        if (left == 0) {
            return;
        }
        // ASMX would answer this with 200, and call the method from another thread, which nobody waits for.
        if (IsCallOf(Names.Notify)) {
            Accept();
        }
        Stages.Add(entered - begun, left - entered, Clock.Now() - left);
    }
}

/// Where the time of the calls served goes, summed over all threads, in nanoseconds.
public static class Stages {
    static long decode, application, encode, count, served;

    public static void Add(long decoding, long applying, long encoding) {
        Interlocked.Add(ref decode, decoding);
        Interlocked.Add(ref application, applying);
        Interlocked.Add(ref encode, encoding);
        Interlocked.Increment(ref count);
        Interlocked.Increment(ref served);
    }

    /// The sums since this was asked last, as the protocol has them.
    public static string Take() {
        return Interlocked.Exchange(ref decode, 0) + " " + Interlocked.Exchange(ref application, 0) + " "
            + Interlocked.Exchange(ref encode, 0) + " " + Interlocked.Exchange(ref count, 0);
    }

    public static long TakeServed() {
        return Interlocked.Exchange(ref served, 0);
    }
}

/// Answers requests in the domain of the application.
public class Host : MarshalByRefObject {
    Front front;

    public int Serve(int threads, bool closes) {
        front = new Front(threads, context => {
            context.Response.KeepAlive = !closes;
            var page = Style.PageAt(context.Request.Url.AbsolutePath);
            if (page == null) {
                context.Response.StatusCode = 404;
                context.Response.Close();
            } else {
                HttpRuntime.ProcessRequest(new ServiceRequest(context, page));
            }
        });
        return front.Port;
    }

    public string TakeStages() {
        return Stages.Take();
    }

    /// Ends the service; how many calls there were.
    public long End() {
        front.Close();
        return Stages.TakeServed();
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
