using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Net;
using System.Threading;

/// Of the service's operations and elements.
public static class Names {
    public const string Of = "urn:trunkline:arrays";
}

/// What is sent (peers/PROTOCOL.md).
public static class Values {
    const int Largest = 100000;

    static T[] Of<T>(int size, Func<int, T> value) {
        if (size < 0 || size > Largest) {
            throw new ArgumentException("an array has at most " + Largest + " entries");
        }
        var values = new T[size];
        for (var index = 0; index < size; index++) {
            values[index] = value(index);
        }
        return values;
    }

    static int Scattered(int index) {
        return index * 7919 % 1000003;
    }

    public static double[] Doubles(int size) {
        return Of(size, index => Scattered(index) / 997.0);
    }

    public static int[] Ints(int size) {
        return Of(size, index => Scattered(index) - 500000);
    }

    public static string[] Strings(int size) {
        return Of(size, index => "element " + index);
    }

    public static byte[] Bytes(int size) {
        return Of(size, index => (byte)(index * 7 % 251));
    }
}

/// A thread with a client, which stays from one task to the next.
class Caller {
    readonly MadeClient.ArraysService client;
    readonly Thread thread;
    readonly SemaphoreSlim begun = new SemaphoreSlim(0);
    readonly SemaphoreSlim ended = new SemaphoreSlim(0);
    Func<bool> call;
    long nanoseconds;
    bool isOver;
    public List<long> Times;
    public long Begun, Ended;
    public string Failure;

    public Caller(int port) {
        client = new MadeClient.ArraysService { Url = "http://127.0.0.1:" + port + "/arrays" };
        thread = new Thread(Work) { IsBackground = true };
        thread.Start();
    }

    /// Of the clock that Stopwatch reads, which is the system's monotonic one.
    static long Now() {
        return (long)(Stopwatch.GetTimestamp() * (1e9 / Stopwatch.Frequency));
    }

    public void Begin(string operation, int size, int milliseconds) {
        call = Prepared(operation, size);
        nanoseconds = milliseconds * 1000000L;
        begun.Release();
    }

    public void Wait() {
        ended.Wait();
    }

    public void Stop() {
        isOver = true;
        begun.Release();
        thread.Join();
    }

    void Work() {
        while (true) {
            begun.Wait();
            if (isOver) {
                return;
            }
            Run();
            ended.Release();
        }
    }

    void Run() {
        Times = new List<long>();
        Failure = null;
        var now = Begun = Now();
        try {
            do {
                var start = now;
                if (!call()) {
                    Failure = "call " + Times.Count + ": a wrong answer";
                    return;
                }
                now = Now();
                Times.Add(now - start);
            } while (now - Begun < nanoseconds);
        } catch (Exception error) {
            Failure = "call " + Times.Count + ": " + error.Message;
        }
        Ended = now;
    }

    static bool Same<T>(T[] sent, T[] came) {
        if (came == null || came.Length != sent.Length) {
            return false;
        }
        var comparer = EqualityComparer<T>.Default;
        for (var index = 0; index < sent.Length; index++) {
            if (!comparer.Equals(sent[index], came[index])) {
                return false;
            }
        }
        return true;
    }

    /// Makes what is sent.
    Func<bool> Prepared(string operation, int size) {
        var doubles = Values.Doubles(size);
        var ints = Values.Ints(size);
        var strings = Values.Strings(size);
        var bytes = Values.Bytes(size);
        switch (operation) {
            case "echoVoid":
                return () => {
                    client.echoVoid();
                    return true;
                };
            case "echoDoubles":
                return () => {
                    var value = doubles;
                    client.echoDoubles(ref value);
                    return Same(doubles, value);
                };
            case "echoInts":
                return () => {
                    var value = ints;
                    client.echoInts(ref value);
                    return Same(ints, value);
                };
            case "echoStrings":
                return () => {
                    var value = strings;
                    client.echoStrings(ref value);
                    return Same(strings, value);
                };
            case "receiveDoubles":
                return () => client.receiveDoubles(doubles) == size;
            case "receiveInts":
                return () => client.receiveInts(ints) == size;
            case "sendBytes":
                return () => Same(bytes, client.sendBytes(size));
            case "sendStrings":
                return () => Same(strings, client.sendStrings(size));
            default:
                throw new ArgumentException("there is no operation " + operation);
        }
    }
}

/// mono's ASMX at either end of the operations on arrays: the section Operations of PROTOCOL.md.
static class Program {
    static readonly List<Caller> callers = new List<Caller>();

    static string Call(string operation, int size, int milliseconds, string file) {
        if (callers.Count == 0) {
            throw new ArgumentException("it is not connected");
        }
        foreach (var caller in callers) {
            caller.Begin(operation, size, milliseconds);
        }
        callers.ForEach(caller => caller.Wait());
        var failed = callers.FirstOrDefault(caller => caller.Failure != null);
        if (failed != null) {
            throw new InvalidOperationException(failed.Failure);
        }
        using (var output = new BinaryWriter(File.Create(file))) {
            foreach (var time in callers.SelectMany(caller => caller.Times)) {
                output.Write(time);
            }
        }
        var spent = callers.Max(caller => caller.Ended) - callers.Min(caller => caller.Begun);
        return "called " + callers.Sum(caller => caller.Times.Count) + " " + spent;
    }

    static int Number(string[] words, int index) {
        int number;
        if (index < words.Length && int.TryParse(words[index], out number) && number >= 0) {
            return number;
        }
        throw new ArgumentException("a number is missing after " + words[0]);
    }

    static void ExpectHttp(string[] words) {
        if (words.Length < 2 || words[1] != "http") {
            throw new ArgumentException("there is no such mode here");
        }
    }

    static string Answer(string line) {
        var words = line.Split(new[] { ' ' }, 5);
        switch (words[0]) {
            case "hello":
                var version = Type.GetType("Mono.Runtime").GetMethod(
                    "GetDisplayName", System.Reflection.BindingFlags.NonPublic | System.Reflection.BindingFlags.Static);
                return "hello asmx-arrays " + ((string)version.Invoke(null, null)).Split(' ')[0] + " http";
            case "serve":
                ExpectHttp(words);
                var isWrong = words.Length == 4 && words[3] == "wrong";
                if (words.Length > 3 && !isWrong) {
                    throw new ArgumentException("serve does not know " + words[3]);
                }
                return "serving " + Host.Start().Serve(Number(words, 2), isWrong);
            case "connect":
                ExpectHttp(words);
                callers.ForEach(caller => caller.Stop());
                callers.Clear();
                for (var count = Number(words, 3); count > 0; count--) {
                    callers.Add(new Caller(Number(words, 2)));
                }
                return "connected " + callers.Count;
            case "call":
                if (words.Length < 5) {
                    throw new ArgumentException("call takes an operation, a size, milliseconds and a file");
                }
                return Call(words[1], Number(words, 2), Number(words, 3), words[4]);
            default:
                throw new ArgumentException("unknown word " + words[0]);
        }
    }

    static void Main() {
        ServicePointManager.Expect100Continue = false;
        ServicePointManager.UseNagleAlgorithm = false;
        ServicePointManager.DefaultConnectionLimit = 1000;
        for (var line = Console.ReadLine(); line != null && line != "stop"; line = Console.ReadLine()) {
            string told;
            try {
                told = Answer(line);
            } catch (Exception error) {
                told = "error " + error.Message;
            }
            Console.Out.Write(told.Replace('\n', ' ').Replace('\r', ' ') + "\n");
            Console.Out.Flush();
        }
        // Its threads wait for requests.
        Environment.Exit(0);
    }
}
