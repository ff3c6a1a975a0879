//! `trunkline lab run` of arrays by toolkits, as a user sees it: tables, rows, services of one's own, and who is not believed.

mod runs;

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};

use runs::{false_toolkit, folder, folder_with, rows, told, value};
use trunkline_bench::row::{Row, Verdict};

const SMALL: &str = r#"
name = "small"
source = "a test"

[messages]
family = "operations"

[[part]]
name = "all"
what = "a few calls"

[[part.measure]]
kind = "toolkits"
modes = ["http", "http-references", "http-chunked", "http-1.0", "http-bytes"]
operations = ["echoVoid", "echoDoubles100", "sendBytes3000"]
threads = [1]
milliseconds = 5

[[part.measure]]
kind = "toolkits"
modes = ["http", "http-bytes"]
operations = ["echoInts30", "echoStrings30", "receiveDoubles30", "receiveInts30", "sendStrings30"]
threads = [1]
milliseconds = 5

[[part.measure]]
kind = "toolkits"
modes = ["http", "http-bytes"]
operations = ["echoDoubles100"]
links = ["100mbit"]
threads = [1]
milliseconds = 5

[[reported]]
subject = "xsoap4"
case = "http-1-echoVoid"
what = "nothing"
unit = "ms"
source = "table 1"
profile = "http/soap-1.1-rpc-encoded/xml-utf8/none/none"
figures = { latency = 1.6 }

[[conclusion]]
name = "more bytes in chunks"
words = "chunks take more bytes"
section = "0.2"
expected = { from = 1.0 }
terms = [{ over = "http-chunked-1-echoDoubles100:bytes-sent", under = "http-1-echoDoubles100:bytes-sent" }]
"#;

const CODINGS: &str = r#"
name = "small"
source = "a test"

[messages]
family = "operations"

[[part]]
name = "all"
what = "a few messages"

[[part.measure]]
kind = "codings"
operations = ["echoVoid", "echoInts1000", "echoStrings1000"]
links = ["direct", "100mbit"]
milliseconds = 1

[[conclusion]]
name = "a higher level is shorter"
words = "gzip at its default level is shorter than at its fastest"
section = "0.6"
expected = { from = 1.0 }
terms = [{ over = "coding-gzip-echoInts1000:size", under = "coding-gzip-6-echoInts1000:size" }]
"#;

/// Our own end, which serves arrays.
struct Serving(Child, String);

impl Serving {
    fn start(wrong: &str) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_trunkline"))
            .args(["lab", "operations", "--arrays"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let input = child.stdin.as_mut().expect("it is piped");
        writeln!(input, "serve http 1{wrong}").expect("it reads");
        let mut answer = String::new();
        let output = child.stdout.as_mut().expect("it is piped");
        BufReader::new(output).read_line(&mut answer).expect("it answers");
        let port = answer.strip_prefix("serving ").expect("a port").trim();
        let url = format!("http://127.0.0.1:{port}/arrays");
        Self(child, url)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.0.kill().expect("it runs");
        self.0.wait().expect("it ends");
    }
}

#[test]
fn arrays_by_every_way_are_told_as_tables_and_rows() {
    let folder = folder_with("govindaraju-small", SMALL);
    let own = Serving::start("");
    let output = runs::run(&folder, "small.toml", &["--endpoint", &format!("mine={}", own.1)]);
    let told = told(&output);
    // Times decide nothing here; bytes do.
    assert!(matches!(output.status.code(), Some(0 | 3)), "{told}");
    let rows = rows(&folder);
    for mode in ["http", "http-chunked", "http-1.0"] {
        for call in ["echoVoid", "echoDoubles100", "sendBytes3000"] {
            let case = format!("{mode}-1-{call}");
            for metric in ["calls-per-second", "latency", "bytes-sent", "toolkit-share", "codec"] {
                assert!(value(&rows, &case, "trunkline", metric).is_finite());
            }
        }
    }
    let sent = |call: &str| value(&rows, &format!("http-1-{call}"), "trunkline", "bytes-sent");
    let back = |call: &str| value(&rows, &format!("http-1-{call}"), "trunkline", "bytes-received");
    assert!(sent("receiveDoubles30") > back("receiveDoubles30"));
    assert!(back("sendStrings30") > sent("sendStrings30"));
    // In base64, and with nothing attached.
    assert!((4_000.0..6_000.0).contains(&back("sendBytes3000")), "{}", back("sendBytes3000"));
    // Of others there are a service of one's own, which our client calls, and nobody.
    assert!(value(&rows, "http-1-echoStrings30", "mine", "latency") > 0.0);
    assert!(value(&rows, "http-1-receiveInts30", "trunkline", "ahead-of-mine") > 0.0);
    assert!(rows.iter().all(|row| row.subject != "mine" || !row.case.contains('@')));
    assert!(value(&rows, "http-bytes-1-echoVoid", "bare", "latency") > 0.0);
    assert!(value(&rows, "http-1-echoDoubles100@100mbit", "trunkline", "over-bare") > 0.0);
    let chunks = rows.iter().find(|row| row.case == "conclusion").expect("it is judged");
    assert_eq!(chunks.verdict, Verdict::Holds, "{chunks:?}");
    let is_published = |row: &&Row| row.subject == "xsoap4" && row.paper == Some(1.6e6);
    assert!(rows.iter().any(|row| is_published(&row)), "{told}");
    for title in [
        "What a call takes, us (SOAP/HTTP)",
        "What a call takes, us (SOAP/HTTP in chunks)",
        "What a call takes, us (SOAP/HTTP, 100mbit)",
        "(De)serialising and HTTP, in % of a call",
        "What was published, and what a call takes today",
        "peers/arrays.wsdl",
    ] {
        assert!(told.contains(title), "{title}: {told}");
    }
    for peer in ["metro", "gsoap-best", "gsoap-debian", "cxf", "axis", "axis2", "asmx"] {
        let is_absent = |row: &Row| row.subject == peer && row.verdict == Verdict::Absent;
        assert!(rows.iter().any(is_absent), "{peer}");
    }
    assert!(rows.iter().all(|row| row.subject != "rmi"), "it carries no arrays");
}

#[test]
fn who_answers_wrongly_or_travels_otherwise_is_not_timed() {
    let folder = folder_with("govindaraju-wrong", SMALL);
    let own = Serving::start(" wrong");
    // It sends with a length, whatever it is asked for.
    let by_length = "ask(line)";
    false_toolkit(&folder, ("axis-arrays", "lab operations --arrays"), by_length);
    let script = folder.join("peers/axis-arrays");
    let text = std::fs::read_to_string(&script).expect("it was written");
    let text = text.replace(
        "in sys.stdin:\n",
        "in sys.stdin:\n    line = line.replace('connect http-chunked', 'connect http')\n",
    );
    std::fs::write(&script, text).expect("a file");
    let rest = ["--peers", "peers", "--endpoint", &format!("mine={}", own.1)];
    let output = runs::run(&folder, "small.toml", &rest);
    let told = told(&output);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(
        told.contains("axis (SOAP/HTTP in chunks): its client does not send in chunks"),
        "{told}"
    );
    assert!(told.contains("mine (SOAP/HTTP): its server, echoDoubles100: value"), "{told}");
    let rows = rows(&folder);
    let mine: Vec<&Row> = rows.iter().filter(|row| row.subject == "mine").collect();
    assert!(mine.len() == 1 && mine[0].verdict == Verdict::WrongAnswer, "{mine:#?}");
    assert!(value(&rows, "http-1.0-1-echoVoid", "axis", "latency") > 0.0);
}

#[test]
fn what_is_no_endpoint_is_told_before_anything_runs() {
    let folder = folder("govindaraju-endpoint");
    for (experiment, endpoint, expected) in [
        ("govindaraju-2004", "nobody", "\"nobody\" is not NAME=URL"),
        ("govindaraju-2004", "metro=http://localhost/", "metro is the name of a toolkit"),
        ("govindaraju-2004", "mine=ftp://localhost/", "is no URL such as http://"),
        ("metro-2007", "mine=http://localhost/", "metro-2007 calls no service of arrays"),
    ] {
        let output = runs::run(&folder, experiment, &["--endpoint", endpoint]);
        let told = told(&output);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains(expected), "{told}");
    }
}

#[test]
fn content_codings_are_told_in_bytes_times_and_bandwidths() {
    let folder = folder_with("govindaraju-codings", CODINGS);
    let output = runs::run(&folder, "small.toml", &[]);
    let told = told(&output);
    // Times decide nothing here; bytes do.
    assert!(matches!(output.status.code(), Some(0 | 3)), "{told}");
    let rows = rows(&folder);
    let of = |coding: &str, metric: &str| {
        value(&rows, &format!("coding-{coding}-echoInts1000"), "trunkline", metric)
    };
    let sent = |coding: &str, link: &str| {
        let case = format!("coding-{coding}-echoInts1000@{link}");
        assert!(value(&rows, &case, "trunkline", "latency") > 0.0);
        value(&rows, &case, "trunkline", "bytes-sent")
    };
    for coding in ["gzip", "deflate", "zstd", "x-trunkline-xml", "fast-infoset-gzip"] {
        let (plain, coded) = (of("none", "size"), of(coding, "size"));
        assert!(coded < plain / 2.0, "{coding}: {coded} of {plain}");
        assert!((of(coding, "of-xml") - coded / plain * 100.0).abs() < 1e-6, "{coding}");
        assert!(of(coding, "compress") > 0.0 && of(coding, "decompress") > 0.0, "{coding}");
        // On the wire they are as short as in memory, but for the heads.
        for link in ["direct", "100mbit"] {
            let (plain, coded) = (sent("none", link), sent(coding, link));
            assert!(coded < plain / 2.0 + 200.0, "{coding}, {link}: {coded} of {plain}");
        }
        assert!(of(coding, "bytes-saved") > 0.0, "{coding}");
    }
    // A higher level is shorter, and nobody calls with it.
    assert!(of("gzip-6", "size") < of("gzip", "size") && of("gzip-6", "over-codec") > 0.0);
    assert!(
        rows.iter()
            .all(|row| { !row.case.starts_with("coding-gzip-6-") || row.metric != "latency" })
    );
    assert!(value(&rows, "coding-gzip-6-echoInts1000@100mbit", "trunkline", "over-call") > 0.0);
    // A format has nothing to compress.
    assert!(rows.iter().all(|row| {
        !row.case.starts_with("coding-fast-infoset-echo") || row.metric != "compress"
    }));
    let judged = rows.iter().find(|row| row.case == "conclusion").expect("it is judged");
    assert_eq!(judged.verdict, Verdict::Holds, "{judged:?}");
    for title in [
        "Bytes of a call's messages by content coding, in % of XML",
        "Processor's time to compress the messages of a call, us",
        "Compressing and decompressing over XML and transport together",
        "A call by content coding and link, us",
        "\n  100mbit ",
        "The bandwidth below which a call with a content coding is the faster one, Mbit/s",
    ] {
        assert!(told.contains(title), "{title}: {told}");
    }
    let is_absent = |row: &Row| row.subject == "gsoap-debian" && row.verdict == Verdict::Absent;
    assert!(rows.iter().any(is_absent), "it compresses, too, where it is there");
}

#[test]
fn who_says_that_it_compresses_and_does_not_is_not_timed() {
    let only_void = CODINGS.replace(", \"echoInts1000\", \"echoStrings1000\"", "");
    let (only_void, _) = only_void.split_once("[[conclusion]]").expect("it has one");
    for (word, expected) in [
        ("connect", "gsoap-debian (SOAP/HTTP, gzip): its client calls by http-1.1"),
        ("serve", "gsoap-debian (SOAP/HTTP, gzip): its server does not compress by gzip"),
    ] {
        let folder = folder_with(&format!("govindaraju-plain-{word}"), only_void);
        false_toolkit(&folder, ("gsoap-debian-arrays", "lab operations --arrays"), "ask(line)");
        let script = folder.join("peers/gsoap-debian-arrays");
        let text = std::fs::read_to_string(&script).expect("it was written");
        let changed =
            format!("in sys.stdin:\n    line = line.replace('{word} http-gzip', '{word} http')\n");
        std::fs::write(&script, text.replace("in sys.stdin:\n", &changed)).expect("a file");
        let output = runs::run(&folder, "small.toml", &["--peers", "peers"]);
        let told = told(&output);
        assert_eq!(output.status.code(), Some(1), "{told}");
        assert!(told.contains(expected), "{told}");
        let rows = rows(&folder);
        assert!(value(&rows, "coding-none-echoVoid@direct", "gsoap-debian", "latency") > 0.0);
        assert!(
            rows.iter().all(|row| {
                row.subject != "gsoap-debian" || !row.case.starts_with("coding-gzip-")
            })
        );
    }
}
