using System;
using System.Net;
using System.Net.Sockets;
using System.Threading;

/// HttpListener, asked by threads for requests.
public class Front {
    readonly HttpListener listener;
    public readonly int Port;
    volatile bool isOver;

    /// At a port that nobody has, by so many threads; another is taken if somebody got it in between.
    public Front(int threads, Action<HttpListenerContext> answer) {
        for (var left = 8; ; left--) {
            var socket = new TcpListener(IPAddress.Loopback, 0);
            socket.Start();
            Port = ((IPEndPoint)socket.LocalEndpoint).Port;
            socket.Stop();
            listener = new HttpListener();
            // By any other prefix it answers only those who name this very port as theirs, which nobody does behind a link.
            listener.Prefixes.Add("http://*:" + Port + "/");
            try {
                listener.Start();
                break;
            } catch (Exception) when (left > 0) { }
        }
        for (var count = 0; count < threads; count++) {
            new Thread(() => Work(answer)) { IsBackground = true }.Start();
        }
    }

    void Work(Action<HttpListenerContext> answer) {
        while (true) {
            HttpListenerContext context;
            try {
                context = listener.GetContext();
            } catch (Exception) when (isOver) {
                return;
            }
            if (IPAddress.IsLoopback(context.Request.RemoteEndPoint.Address)) {
                answer(context);
            } else {
                context.Response.Abort();
            }
        }
    }

    /// Closes all connections and the port.
    public void Close() {
        isOver = true;
        listener.Close();
    }
}
