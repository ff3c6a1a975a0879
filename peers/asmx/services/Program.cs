using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net;
using System.Web.Services.Protocols;

/// mono's ASMX at the ends of the customer service: everything that a peer is asked, and its answers.
static class Program {
    static readonly string[] Operations = { "echo", "refuse", "notify" };

    static Style style;
    static Codec codec;
    static List<byte[]> messages = new List<byte[]>();
    static readonly List<CustomerServices> structures = new List<CustomerServices>();
    static Host host;
    static bool isServing;

    static int Number(string word) {
        int number;
        if (int.TryParse(word, out number) && number > 0) {
            return number;
        }
        throw new ArgumentException("not a number of at least 1: " + word);
    }

    static string Word(string[] words, int index) {
        if (index < words.Length) {
            return words[index];
        }
        throw new ArgumentException(words[0] + " wants more words");
    }

    static List<byte[]> Corpus(string file) {
        var all = new List<byte[]>();
        using (var input = new BinaryReader(File.OpenRead(file))) {
            var left = input.BaseStream.Length;
            while (left > 0) {
                var size = left < 4 ? uint.MaxValue : input.ReadUInt32();
                left -= 4 + (long)size;
                if (left < 0) {
                    throw new FormatException(file + ": ends inside a message");
                }
                all.Add(input.ReadBytes((int)size));
            }
        }
        return all;
    }

    static string Load(string format, string file) {
        messages = new List<byte[]>();
        structures.Clear();
        style = Style.Of(format);
        if (style == null) {
            throw new ArgumentException("unknown format: " + format);
        }
        codec = style.NewCodec();
        var corpus = Corpus(file);
        for (var index = 0; index < corpus.Count; index++) {
            try {
                structures.Add(codec.Decode(corpus[index]));
            } catch (Exception error) {
                structures.Clear();
                throw new FormatException("message " + index + ": " + error.Message, error);
            }
        }
        messages = corpus;
        return "loaded " + messages.Count;
    }

    static void ExpectLoaded() {
        if (messages.Count == 0) {
            throw new InvalidOperationException("nothing is loaded");
        }
    }

    static string Echo(string file) {
        ExpectLoaded();
        using (var output = new BinaryWriter(File.Create(file))) {
            foreach (var structure in structures) {
                var encoded = codec.Encode(structure);
                output.Write(encoded.Length);
                output.Write(encoded);
            }
        }
        return "echoed " + structures.Count;
    }

    /// Nothing is warmed up: whoever asks lets it run until all is compiled.
    static string Run(string operation, string count) {
        ExpectLoaded();
        var decodes = operation == "decode";
        if (!decodes && operation != "encode") {
            throw new ArgumentException("run wants decode or encode and a number of passes");
        }
        var passes = Number(count);
        var start = Clock.Used();
        for (var pass = 0; pass < passes; pass++) {
            if (decodes) {
                messages.ForEach(message => codec.Decode(message));
            } else {
                structures.ForEach(structure => codec.Encode(structure));
            }
        }
        return Clock.Used() - start + "," + (long)passes * messages.Count;
    }

    static string Serve(string[] words) {
        if (isServing) {
            throw new InvalidOperationException("already serving");
        }
        var threads = Number(Word(words, 1));
        var closes = false;
        foreach (var word in words.Skip(2)) {
            // The answers have a length, each in one piece.
            if (word != "close" && word != "chunked") {
                throw new ArgumentException("serve does not know " + word);
            }
            closes |= word == "close";
        }
        host = host ?? Host.Start();
        var port = host.Serve(threads, closes);
        isServing = true;
        return "serving " + port;
    }

    static void ExpectServing() {
        if (!isServing) {
            throw new InvalidOperationException("not serving");
        }
    }

    static string Unserve() {
        ExpectServing();
        isServing = false;
        return "served " + host.End();
    }

    static string Call(string line) {
        ExpectLoaded();
        var words = line.Split(new[] { ' ' }, 6);
        string format = Word(words, 2), operation = Word(words, 3), file = Word(words, 5);
        if (format != style.Format) {
            throw new ArgumentException("not loaded: " + format);
        }
        if (!Operations.Contains(operation)) {
            throw new ArgumentException("unknown operation: " + operation);
        }
        var count = Number(words[4]);
        bool isChunked = false, closes = false;
        while (TakeOff(ref file, " chunked", ref isChunked) || TakeOff(ref file, " close", ref closes)) { }
        if (file.EndsWith(" gzip")) {
            throw new ArgumentException("its client does not compress");
        }
        var call = style.Calls(words[1], operation, proxy => {
            proxy.IsChunked = isChunked;
            proxy.Closes = closes;
        });
        using (var output = new BinaryWriter(new MemoryStream())) {
            for (var index = 0; index < count; index++) {
                output.Write(TimeOf(call, operation, index));
            }
            File.WriteAllBytes(file, ((MemoryStream)output.BaseStream).ToArray());
        }
        return "called " + count;
    }

    /// An option at the end of a line, whose beginning is a file's name.
    static bool TakeOff(ref string line, string option, ref bool isThere) {
        if (!line.EndsWith(option)) {
            return false;
        }
        line = line.Substring(0, line.Length - option.Length);
        return isThere = true;
    }

    /// What a call took, whose answer was right.
    static long TimeOf(Func<CustomerServices, CustomerServices> call, string operation, int index) {
        var sent = structures[index % structures.Count];
        CustomerServices came = null;
        SoapException refused = null;
        var start = Clock.Now();
        try {
            came = call(sent);
        } catch (SoapException fault) {
            refused = fault;
        }
        var time = Clock.Now() - start;
        var isRight = operation == "refuse" ? refused != null && IsRefusal(refused, sent.header)
            : refused == null && (operation == "notify" || came.header == Names.Response && came.HasSameRecords(sent));
        if (!isRight) {
            var why = refused == null ? "a wrong answer" : "is refused: " + refused.Message;
            throw new InvalidOperationException("call " + index + ": " + why);
        }
        return time;
    }

    static bool IsRefusal(SoapException fault, string header) {
        return fault.Message == "refused: " + header && fault.Code == SoapException.ClientFaultCode
            && fault.Detail != null && fault.Detail.InnerText.StartsWith(Names.Code.ToString());
    }

    static string Answer(string line) {
        var words = line.Split(new[] { ' ' }, 3);
        switch (words[0]) {
            case "hello":
                var version = Type.GetType("Mono.Runtime").GetMethod(
                    "GetDisplayName", System.Reflection.BindingFlags.NonPublic | System.Reflection.BindingFlags.Static);
                return "hello asmx-services " + ((string)version.Invoke(null, null)).Split(' ')[0] + " "
                    + string.Join(",", Style.All.Select(it => it.Format));
            case "load": return Load(Word(words, 1), Word(words, 2));
            case "echo": return Echo(line.Substring(Math.Min(line.Length, "echo ".Length)));
            case "run": return Run(Word(words, 1), Word(words, 2));
            case "serve": return Serve(line.Split(' '));
            case "unserve": return Unserve();
            case "stages":
                ExpectServing();
                return "stages " + host.TakeStages();
            case "call": return Call(line);
            default: throw new ArgumentException("unknown word " + words[0]);
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
                // What was wrong is inside: "There was an error generating the XML document."
                told = "error " + error.Message + (error.InnerException == null ? "" : " " + error.InnerException.Message);
            }
            Console.Out.Write(told.Replace('\n', ' ').Replace('\r', ' ') + "\n");
            Console.Out.Flush();
        }
        // Its threads wait for requests.
        Environment.Exit(0);
    }
}
