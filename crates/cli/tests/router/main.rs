//! `trunkline pub`, `sub`, `request` and `reply` with a router of their own, as a user sees them.

mod given;
mod shown;

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

fn trunkline(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trunkline"));
    command.args(arguments).env_remove("TRUNKLINE_TO");
    command
}

/// An empty folder of one test.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("router").join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("Cargo's folder for tests is writable");
    folder
}

/// A process whose lines are read as they come; it is killed in the end.
struct Running {
    child: Child,
    out: Receiver<String>,
    err: Receiver<String>,
}

impl Running {
    fn start(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the binary starts");
        let out = lines(child.stdout.take().expect("it is piped"));
        let err = lines(child.stderr.take().expect("it is piped"));
        Self { child, out, err }
    }

    /// The lines up to the one that holds the text.
    fn out_until(&self, text: &str) -> Vec<String> {
        until(&self.out, text)
    }

    /// The line of standard error that holds the text.
    fn err_until(&self, text: &str) -> String {
        until(&self.err, text).pop().expect("the line")
    }

    fn signal(&self, name: &str) {
        let command = format!("kill -s {name} {}", self.child.id());
        let status = Command::new("sh").args(["-c", &command]).status();
        assert!(status.expect("the shell starts").success());
    }

    /// The end: status, and what is left on standard output and standard error.
    fn end(mut self) -> (Option<i32>, Vec<String>, Vec<String>) {
        drop(self.child.stdin.take());
        let out = rest(&self.out);
        let err = rest(&self.err);
        (self.child.wait().expect("our own child").code(), out, err)
    }

    /// Asks it to end, as Ctrl-C does; its last line on standard error.
    fn interrupt(self) -> String {
        self.signal("INT");
        let (status, _, mut err) = self.end();
        let last = err.pop().unwrap_or_default();
        assert_eq!(status, Some(0), "{last}");
        last
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Some have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn lines(from: impl std::io::Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for line in BufReader::new(from).lines() {
            if line.is_ok_and(|line| sender.send(line).is_err()) {
                return;
            }
        }
    });
    receiver
}

fn until(lines: &Receiver<String>, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    loop {
        let line = lines.recv_timeout(PATIENCE);
        found.push(line.unwrap_or_else(|_| panic!("no {text:?} after {found:?}")));
        if found.last().is_some_and(|line| line.contains(text)) {
            return found;
        }
    }
}

fn rest(lines: &Receiver<String>) -> Vec<String> {
    let mut found = Vec::new();
    loop {
        match lines.recv_timeout(PATIENCE) {
            Ok(line) => found.push(line),
            Err(RecvTimeoutError::Disconnected) => return found,
            Err(RecvTimeoutError::Timeout) => panic!("it does not end after {found:?}"),
        }
    }
}

/// A router with an address of its own.
struct Router {
    running: Running,
    address: String,
}

impl Router {
    fn start(test: &str) -> Self {
        Self::start_at(test, "tcp://127.0.0.1:0")
    }

    fn start_at(test: &str, address: &str) -> Self {
        Self::start_with(test, address, "")
    }

    /// With more in its configuration.
    fn start_with(test: &str, address: &str, more: &str) -> Self {
        let file = folder(test).join("trunkline.toml");
        let edges = "http = \"127.0.0.1:0\"\nwebsocket = \"127.0.0.1:0\"\n";
        fs::write(&file, format!("[listen]\nnative = [\"{address}\"]\n{edges}{more}"))
            .expect("a file");
        let file = file.to_str().expect("UTF-8");
        let running = Running::start(trunkline(&["serve", "--config", file]));
        let lines = running.out_until("ready");
        let line = lines.iter().find_map(|line| line.strip_prefix("listening native "));
        Self { address: line.expect("where it listens").to_owned(), running }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = trunkline(arguments);
        command.env("TRUNKLINE_TO", &self.address);
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the binary starts")
    }

    /// Runs a command that goes well; what it prints.
    #[track_caller]
    fn good(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {errors}");
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    /// Runs a command that is not carried out; what it says about it.
    #[track_caller]
    fn bad(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        String::from_utf8(output.stderr).expect("UTF-8")
    }

    /// A subscriber whose subscriptions stand.
    fn sub(&self, arguments: &[&str]) -> Running {
        let running = Running::start(self.command(&[&["sub"], arguments].concat()));
        running.err_until("listening to");
        running
    }

    fn reply(&self, arguments: &[&str]) -> Running {
        let running = Running::start(self.command(&[&["reply"], arguments].concat()));
        running.err_until("answering requests");
        running
    }
}

/// The number before a word of a summary.
fn number(summary: &str, word: &str) -> u64 {
    let before = summary.split(&format!(" {word}")).next().expect("a part");
    let digits = before.rsplit(|c: char| !c.is_ascii_digit()).next().expect("a part");
    digits.parse().unwrap_or_else(|_| panic!("no number before {word:?} in {summary:?}"))
}

#[test]
fn what_is_published_is_printed() {
    let router = Router::start("printed");
    let sub = router.sub(&["fx/*", "orders/>", "--count", "4"]);
    assert_eq!(router.good(&["pub", "fx/EURUSD", "1.0842"]), "");
    router.good(&["pub", "fx/a/b", "matches nothing"]);
    router.good(&["pub", "orders/new/1", "two\nlines \u{20ac}"]);
    let file = folder("printed-file").join("payload");
    fs::write(&file, [0xff, 0, 0x10]).expect("a file");
    router.good(&["pub", "orders/x", "--file", file.to_str().expect("UTF-8")]);
    router.good(&["pub", "fx/GBPUSD", ""]);
    let (status, out, err) = sub.end();
    assert_eq!(status, Some(0));
    assert_eq!(
        out,
        [
            "fx/EURUSD\t1.0842",
            "orders/new/1\ttwo\\nlines \u{20ac}",
            "orders/x\thex:ff0010",
            "fx/GBPUSD\t"
        ]
    );
    let summary = err.last().expect("a summary");
    assert!(summary.starts_with("trunkline: 4 messages of 4 topics in "), "{summary}");
    assert!(summary.ends_with(" s; 0 elided, 0 lost in 0 gaps"), "{summary}");
}

#[test]
fn fix_out_of_a_log_is_told_to_who_publishes_and_who_subscribes() {
    let listing = folder("log-lines-files").join("order.listing");
    fs::write(&listing, "message Order D\nfield ClOrdID 11 text required\nend\n").expect("a file");
    let topic = format!(
        "[[topic]]\npattern = \"orders\"\nschema = {listing:?}\nformat = \"fix\"\ntype = \"Order\"\n"
    );
    let router = Router::start_with("log-lines", "tcp://127.0.0.1:0", &topic);
    let line = "8=FIX.4.4|9=11|35=D|11=A1|10=246|";
    let why = "'|' stands between";
    let err = router.bad(&["pub", "orders", line, "--format", "fix"]);
    assert!(err.contains(why) && err.contains("SOH"), "{err}");
    let sub = router.sub(&["orders", "--as", "json", "--count", "1"]);
    let told = router.run(&["pub", "orders", line]);
    assert!(told.status.success());
    assert!(String::from_utf8_lossy(&told.stderr).contains(why), "{told:?}");
    router.good(&["pub", "orders", &line.replace('|', "\u{1}"), "--format", "fix"]);
    let (status, out, err) = sub.end();
    assert_eq!(
        (status, &out[..]),
        (Some(0), &["orders\t{\"Order\":{\"ClOrdID\":\"A1\"}}".to_owned()][..])
    );
    assert!(err.iter().any(|it| it.contains(why)), "{err:?}");
}

#[test]
fn a_subscriber_gets_the_messages_that_it_asks_for_by_what_they_say() {
    let listing = folder("filtered-files").join("order.listing");
    let text =
        "message Order D\nfield ClOrdID 11 text required\nfield Price 44 decimal optional\nend\n";
    fs::write(&listing, text).expect("a file");
    let topic = format!(
        "[[topic]]\npattern = \"orders\"\nschema = {listing:?}\ntype = \"Order\"\nformat = \"json\"\n"
    );
    let router = Router::start_with("filtered", "tcp://127.0.0.1:0", &topic);
    for (filter, words) in [
        ("Price >= 1.5 and ClOrdId = 'A'", "column 18: ClOrdId is no field of the messages"),
        ("Price >= 1.5 an", "column 14: and, or, or the end is expected"),
    ] {
        let told = router.bad(&["sub", "orders", "--where", filter]);
        let (shown, line) = told.split_once("trunkline: ").expect("a line");
        let [text, mark] = &shown.lines().collect::<Vec<_>>()[..] else { panic!("{told}") };
        assert_eq!(text.trim_start(), filter);
        assert!(mark.find('^').is_some_and(|it| text[it..].starts_with(['C', 'a'])), "{told}");
        assert!(line.starts_with("\"orders\" is rejected: ") && line.contains(words), "{told}");
    }
    let told = router.bad(&["sub", "nowhere", "--where", "Price > 1"]);
    assert!(told.contains("no [[topic]]"), "{told}");
    let running = router.sub(&["orders", "--where", "Price >= 1.50", "--count", "2"]);
    for (id, price) in [("A", "1.49"), ("B", "1.5"), ("C", "\"dear\""), ("D", "2")] {
        router.good(&["pub", "orders", &format!("{{\"ClOrdID\":\"{id}\",\"Price\":{price}}}")]);
    }
    let (status, out, err) = running.end();
    assert_eq!(status, Some(0));
    assert_eq!(
        out,
        ["orders\t{\"ClOrdID\":\"B\",\"Price\":1.5}", "orders\t{\"ClOrdID\":\"D\",\"Price\":2}"]
    );
    let gap = "trunkline: gap: orders message 3 is not to be had: ";
    assert!(err.iter().any(|it| it.starts_with(gap) && it.contains("Price")), "{err:?}");
}

#[test]
fn a_subscriber_gets_the_fields_that_it_names() {
    let listing = folder("fields-files").join("order.listing");
    let text = "message Order D\nfield ClOrdID 11 text required\nfield Price 44 decimal optional\n\
                field Text 58 text optional\nend\n";
    fs::write(&listing, text).expect("a file");
    let topic = format!(
        "[[topic]]\npattern = \"orders\"\nschema = {listing:?}\ntype = \"Order\"\nformat = \"json\"\n"
    );
    let router = Router::start_with("fields", "tcp://127.0.0.1:0", &topic);
    let told = router.bad(&["sub", "orders", "--fields", "Price,Txt"]);
    let (shown, line) = told.split_once("trunkline: ").expect("a line");
    let [text, mark] = &shown.lines().collect::<Vec<_>>()[..] else { panic!("{told}") };
    assert!(mark.find('^').is_some_and(|it| text[it..].starts_with("Txt")), "{told}");
    for word in ["\"orders\" is rejected: ", "column 7: Txt is no field", "mean Text?", "ClOrdID, "]
    {
        assert!(line.contains(word), "{told}");
    }
    let running =
        router.sub(&["orders", "--fields", "Text,Price", "--where", "Price > 1", "-n", "2"]);
    for (id, price) in [("A", "1"), ("B", "1.5"), ("C", "2")] {
        let order = format!("{{\"Price\":{price},\"Text\":\"t\",\"ClOrdID\":\"{id}\"}}");
        router.good(&["pub", "orders", &order]);
    }
    let (status, out, err) = running.end();
    assert_eq!(status, Some(0), "{err:?}");
    assert_eq!(
        out,
        [
            "orders\t{\"Order\":{\"Price\":1.5,\"Text\":\"t\"}}",
            "orders\t{\"Order\":{\"Price\":2,\"Text\":\"t\"}}"
        ]
    );
}

#[test]
fn a_consumer_gets_guaranteed_messages_as_it_asks_for_them() {
    let listing = folder("consumed-files").join("order.listing");
    let text =
        "message Order D\nfield ClOrdID 11 text required\nfield Price 44 decimal optional\nend\n";
    fs::write(&listing, text).expect("a file");
    let topic = format!(
        "[[topic]]\npattern = \"orders/>\"\nschema = {listing:?}\ntype = \"Order\"\nformat = \"json\"\n"
    );
    let router = Router::start_with("consumed", "tcp://127.0.0.1:0", &topic);
    for (id, price) in [("A", "1.49"), ("B", "1.5"), ("C", "\"dear\""), ("D", "2")] {
        let order = format!("{{\"ClOrdID\":\"{id}\",\"Price\":{price}}}");
        router.good(&["pub", "--guaranteed", "--producer", "desk", "orders/1", &order]);
    }
    let wanted = ["--where", "Price >= 1.5", "--as", "json", "--fields", "ClOrdID"];
    let told = router.bad(&["sub", "orders/>", "--durable", "gate", "--where", "Prize > 1"]);
    let (shown, line) = told.split_once("trunkline: ").expect("a line");
    assert!(shown.contains("Prize > 1\n") && shown.contains('^'), "{told}");
    assert!(line.contains("Prize is no field") && line.contains("mean Price?"), "{told}");
    let durable = &["orders/>", "--durable", "gate", "--from", "all", "--count", "2"][..];
    let replay = &["orders/>", "--replay", "--from", "all", "--count", "2"][..];
    let orders = ["B", "D"].map(|id| format!("orders/1\t{{\"Order\":{{\"ClOrdID\":\"{id}\"}}}}"));
    for sub in [durable, replay] {
        let (status, out, err) = router.sub(&[sub, &wanted].concat()).end();
        assert_eq!((status, &out[..]), (Some(0), &orders[..]), "{err:?}");
        let gap = |it: &&String| it.starts_with("trunkline: gap: orders/1 message at position ");
        let gap = err.iter().find(gap).expect("what has no number is told");
        assert!(gap.contains("not to be had: ") && gap.contains("Price"), "{gap}");
    }
    // All of it is done, also what did not pass and what was not to be had: the next one gets what is new.
    router.good(&["pub", "--guaranteed", "--producer", "desk", "orders/1", "{\"ClOrdID\":\"E\"}"]);
    let (_, out, _) = router.sub(&["orders/>", "--durable", "gate", "--count", "1"]).end();
    assert_eq!(out, ["orders/1\t{\"ClOrdID\":\"E\"}"]);
}

#[test]
fn a_subscription_that_the_router_ends_is_not_waited_for() {
    let limits = "[limits]\noverlaps_per_client = 1\n";
    let router = Router::start_with("overlaps", "tcp://127.0.0.1:0", limits);
    let sub = router.sub(&["fx/*", "fx/EUR*"]);
    router.good(&["pub", "fx/USDJPY", "1"]);
    router.good(&["pub", "fx/EURUSD", "2"]);
    let (status, out, err) = sub.end();
    assert_eq!(
        (status, &*out),
        (Some(1), &["fx/USDJPY\t1".to_owned(), "fx/EURUSD\t2".to_owned()][..])
    );
    let last = err.last().expect("why it ends");
    assert!(last.starts_with("trunkline: \"fx/EUR*\" is rejected: "), "{err:?}");
    assert!(last.contains("fx/EURUSD") && last.contains("limits.overlaps_per_client"), "{last}");
}

#[test]
fn last_values_come_first_until_they_are_cleared() {
    let kept = "[[last_value]]\ntopics = \"fx/>\"\n";
    let router = Router::start_with("last", "tcp://127.0.0.1:0", kept);
    router.good(&["pub", "fx/EUR", "1"]);
    router.good(&["pub", "fx/EUR", "2"]);
    router.good(&["pub", "fx/USD", "3"]);
    router.good(&["pub", "fx/USD", "gone", "--clear-last"]);
    let show = "sequence,topic,state,payload";
    let sub = router.sub(&["fx/>", "--last", "--show", show, "--count", "2"]);
    router.good(&["pub", "fx/USD", "4"]);
    let (status, out, err) = sub.end();
    assert_eq!(status, Some(0));
    assert_eq!(out, ["2\tfx/EUR\tlast\t2", "3\tfx/USD\t-\t4"]);
    assert!(err.iter().any(|line| line.contains("that was all, 1 last value")), "{err:?}");
}

#[test]
fn the_user_chooses_what_is_printed() {
    let router = Router::start("columns");
    let show = "sequence,topic,pattern,format,bytes,replaced,age,payload";
    let columns = router.sub(&["a/>", "--show", show, "--count", "2"]);
    let json = router.sub(&["a/>", "--json", "--count", "2"]);
    let raw = router.sub(&["a/>", "--raw", "--count", "2"]);
    router.good(&["pub", "a/b", "{}", "--format", "json"]);
    router.good(&["pub", "a/b", "x\ty", "--format", "40000"]);
    assert_eq!(
        columns.end().1,
        ["1\ta/b\ta/>\tjson\t2\t0\t-\t{}", "2\ta/b\ta/>\t40000\t3\t0\t-\tx\\ty"]
    );
    let lines: Vec<serde_json::Value> =
        json.end().1.iter().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines[0]["payload"], "{}");
    assert_eq!(lines[1]["payload"], "x\ty");
    assert_eq!(lines[1]["sequence"], 2);
    assert_eq!(lines[1]["pattern"], "a/>");
    assert_eq!(lines[1]["format"], 40000);
    assert_eq!(raw.end().1, ["{}", "x\ty"]);
}

#[test]
fn lines_are_messages() {
    let router = Router::start("lines");
    let sub = router.sub(&["t", "--show", "payload", "--count", "5"]);
    let mut publisher = Running::start(router.command(&["pub", "t", "-", "--count", "4"]));
    let mut stdin = publisher.child.stdin.take().expect("it is piped");
    stdin.write_all(b"first\n").expect("it reads");
    // It comes at once, while the second is not typed yet.
    assert_eq!(sub.out_until("first"), ["first"]);
    stdin.write_all(b"\nthird\nfourth\nfifth").expect("it reads");
    assert_eq!(sub.out_until("fourth"), ["", "third", "fourth"]);
    let (status, _, err) = publisher.end();
    assert_eq!(status, Some(0));
    assert!(err[0].starts_with("trunkline: 4 messages to t in "), "{err:?}");
    // Without an end the last line is one too.
    let mut publisher = Running::start(router.command(&["pub", "t", "-"]));
    let mut stdin = publisher.child.stdin.take().expect("it is piped");
    stdin.write_all(b"without end").expect("it reads");
    drop(stdin);
    assert_eq!(publisher.end().0, Some(0));
    assert_eq!(sub.end().1, ["without end"]);
}

#[test]
fn lines_with_their_topics_are_what_sub_prints() {
    let router = Router::start("topics");
    let sub = router.sub(&["fx/>", "--count", "3"]);
    let text = "fx/EURUSD\t1.0842\nfx/USDJPY\t156.3\tbid\nfx/EURUSD\t\n";
    let mut publisher = Running::start(router.command(&["pub", "--topics"]));
    let mut input = publisher.child.stdin.take().expect("it is piped");
    input.write_all(text.as_bytes()).expect("it reads");
    drop(input);
    let (status, _, err) = publisher.end();
    assert_eq!(status, Some(0), "{err:?}");
    assert!(err[0].starts_with("trunkline: 3 messages to their topics in "), "{err:?}");
    let (_, out, _) = sub.end();
    assert_eq!(out, ["fx/EURUSD\t1.0842", "fx/USDJPY\t156.3\\tbid", "fx/EURUSD\t"]);

    for (line, expected) in [
        ("fx/EURUSD 1.0842", "standard input line 1: no tab between a topic and a message"),
        (
            "a\t1\na\t2\nbad",
            "line 3: no tab between a topic and a message; published before it: 2 messages",
        ),
        ("a\t1\n$router/x\t2", "published before it: 1 message"),
        ("fx//EURUSD\t1", "standard input line 1: \"fx//EURUSD\" is rejected: no topic"),
    ] {
        let mut publisher = Running::start(router.command(&["pub", "--topics"]));
        let mut input = publisher.child.stdin.take().expect("it is piped");
        writeln!(input, "{line}").expect("it reads");
        drop(input);
        let (status, _, err) = publisher.end();
        assert_eq!(status, Some(2), "{err:?}");
        assert!(err.last().is_some_and(|line| line.contains(expected)), "{err:?}");
    }
}

#[test]
fn what_stands_before_a_bad_line_is_stored() {
    let router = Router::start("topics-guaranteed");
    let mut publisher = Running::start(router.command(&["pub", "--topics", "--guaranteed"]));
    let mut input = publisher.child.stdin.take().expect("it is piped");
    input.write_all(b"orders/1\tfirst\norders/2\tsecond\nbad\n").expect("it reads");
    drop(input);
    let (status, _, err) = publisher.end();
    let last = err.last().expect("a fault");
    assert_eq!(status, Some(2), "{err:?}");
    assert!(last.contains("standard input line 3: no tab"), "{last}");
    assert!(last.ends_with("; stored before it: 2 messages"), "{last}");
}

#[test]
fn what_is_rejected_is_shown() {
    let router = Router::start("rejected");
    let told = router.bad(&["sub", "fx/*", "fx//spot"]);
    assert!(
        told.starts_with("  fx//spot\n     ^\ntrunkline: \"fx//spot\" is rejected: "),
        "{told}"
    );
    let told = router.bad(&["pub", "fx/*", "x"]);
    assert!(told.starts_with("  fx/*\n     ^\ntrunkline: \"fx/*\" is rejected: "), "{told}");
    let told = router.bad(&["pub", "$router/x", "x"]);
    assert!(told.contains("is rejected: "), "{told}");
    let told = router.bad(&["request", "nobody/there", "x"]);
    assert_eq!(told, "trunkline: nobody answers requests on \"nobody/there\"\n");
    let told = router.bad(&["pub", "a", "b", "--format", "jsn"]);
    assert!(told.contains("opaque, text, json"), "{told}");
    let told = router.bad(&["pub", "a"]);
    assert!(told.contains("--help") && told.lines().count() == 1, "{told}");
}

#[test]
fn a_router_that_is_not_there_is_told() {
    let address = {
        let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
        format!("tcp://{}", free.local_addr().expect("it is bound"))
    };
    let run = |arguments: &[&str]| {
        let output = trunkline(arguments).output().expect("the binary starts");
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).expect("UTF-8")
    };
    let told = run(&["sub", "a", "--to", &address]);
    assert!(told.starts_with(&format!("trunkline: {address}: ")), "{told}");
    assert!(told.ends_with("; `trunkline serve` starts a router\n"), "{told}");
    let told = run(&["pub", "a", "b", "--to", "unix:///nowhere/at/all.sock"]);
    assert!(told.ends_with("; `trunkline serve` starts a router\n"), "{told}");
    let told = run(&["pub", "a", "b", "--to", "localhost:1"]);
    assert!(told.contains("begins with tcp://, tls://, unix:// or shm://"), "{told}");
}

#[test]
fn requests_are_answered() {
    let router = Router::start("requests");
    let fixed = router.reply(&["ask/fixed", "always this", "--count", "2"]);
    assert_eq!(router.good(&["request", "ask/fixed", "?"]), "always this\n");
    assert_eq!(router.good(&["request", "ask/fixed", "?", "--raw"]), "always this");
    let (status, _, err) = fixed.end();
    assert_eq!(status, Some(0));
    assert_eq!(err, ["trunkline: 2 requests, 0 not answered, 0 answered too late"]);

    let command = "read line; test \"$line\" != bad && echo \"$TRUNKLINE_TOPIC: $line\"";
    let computed = router.reply(&["ask/*", "--command", command]);
    assert_eq!(router.good(&["request", "ask/a", "1"]), "ask/a: 1\n");
    assert_eq!(router.good(&["request", "ask/b", "2"]), "ask/b: 2\n");
    let told = router.bad(&["request", "ask/b", "bad", "--timeout", "300ms"]);
    assert_eq!(told, "trunkline: nobody answered on \"ask/b\" in time\n");
    let why = computed.err_until("no answer to a request on ask/b");
    assert!(why.contains("exit status: 1"), "{why}");
    let summary = computed.interrupt();
    assert_eq!(summary, "trunkline: 3 requests, 1 not answered, 0 answered too late");
}

#[test]
fn elided_updates_are_counted() {
    let router = Router::start("elided");
    let sub = router.sub(&["fx/*", "--updates-per-second", "5"]);
    router.good(&["pub", "fx/EURUSD", "old", "--count", "5000"]);
    router.good(&["pub", "fx/EURUSD", "last"]);
    let printed = sub.out_until("last").len() as u64;
    let summary = sub.interrupt();
    assert_eq!(number(&summary, "message"), printed, "{summary}");
    assert_eq!(number(&summary, "elided") + printed, 5001, "{summary}");
    assert_eq!(number(&summary, "lost"), 0, "{summary}");
    assert!(printed < 5001, "{summary}");
}

/// What stands in a pipe that nobody reads cannot be replaced by what is newer: next to nothing does.
#[test]
fn a_slow_reader_of_standard_output_gets_the_newest() {
    let router = Router::start("fresh");
    let mut sub = router
        .command(&["sub", "fx/*", "--conflate", "--show", "sequence"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let err = lines(sub.stderr.take().expect("it is piped"));
    until(&err, "listening to");
    let mut out = BufReader::new(sub.stdout.take().expect("it is piped")).lines();
    let mut next = || out.next().expect("there is more").expect("UTF-8");
    router.good(&["pub", "fx/EURUSD", "1.0842", "--count", "1"]);
    assert_eq!(next(), "1");
    router.good(&["pub", "fx/EURUSD", "1.0843", "--count", "20000"]);
    let mut read = Vec::new();
    while read.last().is_none_or(|last| last != "20001") {
        read.push(next());
    }
    // What the bound of credit has let go, and what the pipe had.
    assert!(read.len() < 100, "{} lines before the newest", read.len());
    drop(out);
    sub.kill().expect("it runs");
    sub.wait().expect("our own child");
}

#[test]
fn losses_are_told() {
    let router = Router::start("losses");
    let file = folder("losses-file").join("payload");
    fs::write(&file, vec![b'x'; 10_000]).expect("a file");
    let slow = router.sub(&["t", "--queue", "50", "--show", "sequence"]);
    slow.signal("STOP");
    // More than all buffers between the two hold.
    router.good(&["pub", "t", "--file", file.to_str().expect("UTF-8"), "--count", "10000"]);
    slow.signal("CONT");
    let printed = slow.out_until("10000").len() as u64;
    let gap = slow.err_until("gap: t lost ");
    assert!(gap.contains(" ago"), "{gap}");
    let summary = slow.interrupt();
    assert_eq!(number(&summary, "message"), printed, "{summary}");
    assert_eq!(number(&summary, "lost") + printed, 10_000, "{summary}");
}

#[test]
fn a_publisher_goes_on_until_the_user_has_enough() {
    let router = Router::start("pace");
    let sub = router.sub(&["t", "--count", "20"]);
    let publisher = Running::start(router.command(&["pub", "t", "tick", "--rate", "200"]));
    assert_eq!(sub.end().1.len(), 20);
    let summary = publisher.interrupt();
    assert!(number(&summary, "messages to t") >= 20, "{summary}");
}

#[test]
fn a_reader_that_has_seen_enough_ends_it() {
    let router = Router::start("pipe");
    let mut sub = router
        .command(&["sub", "t"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let err = lines(sub.stderr.take().expect("it is piped"));
    until(&err, "listening to");
    drop(sub.stdout.take());
    router.good(&["pub", "t", "nobody reads this"]);
    assert_eq!(sub.wait().expect("our own child").code(), Some(0));
}

#[test]
fn a_subscriber_survives_its_router() {
    let router = Router::start("survives");
    let address = router.address.clone();
    let faithful = router.sub(&["t", "--reconnect"]);
    let other = router.sub(&["t"]);
    router.good(&["pub", "t", "before"]);
    faithful.out_until("before");
    router.running.signal("TERM");
    assert_eq!(router.running.end().0, Some(0));
    let (status, _, err) = other.end();
    assert_eq!(status, Some(2));
    assert!(err.last().is_some_and(|it| it.contains("the router ended the connection")), "{err:?}");
    faithful.err_until("trying to connect again");
    let router = Router::start_at("survives-again", &address);
    faithful.err_until("connected again");
    router.good(&["pub", "t", "after"]);
    assert_eq!(faithful.out_until("after"), ["t\tafter"]);
    let summary = faithful.interrupt();
    assert_eq!(number(&summary, "message"), 2, "{summary}");
}

/// What `--help` says of the arguments, with each in its place: its usage, obeyed.
fn usage(verb: &str) -> Vec<String> {
    let output = trunkline(&[verb, "--help"]).output().expect("the binary starts");
    let help = String::from_utf8(output.stdout).expect("UTF-8");
    let usage = help.lines().find(|line| line.starts_with("Usage: ")).expect("a usage");
    usage.split_whitespace().skip(3).map(str::to_owned).collect()
}

#[test]
fn who_obeys_the_usage_of_pub_and_reply_gets_topic_and_payload_in_their_places() {
    for verb in ["pub", "reply"] {
        let words = usage(verb);
        let place = |name: &str| {
            let place = words.iter().position(|word| word.contains(name));
            place.unwrap_or_else(|| panic!("no {name} in {words:?}"))
        };
        assert!(place("TOPIC") < place("PAYLOAD"), "{verb}: {words:?}");
    }
    let router = Router::start("usage");
    let sub = router.sub(&[">", "--count", "3"]);
    // A number may be negative, and behind -- anything goes.
    router.good(&["pub", "fx/EURUSD", "-5"]);
    router.good(&["pub", "fx/EURUSD", "-1.5e3"]);
    router.good(&["pub", "fx/EURUSD", "--", "-x"]);
    let (status, out, _) = sub.end();
    assert_eq!(status, Some(0));
    assert_eq!(out, ["fx/EURUSD\t-5", "fx/EURUSD\t-1.5e3", "fx/EURUSD\t-x"]);
    // What cannot be a topic is rejected, and so is what looks like an option.
    for (arguments, told) in [
        (["pub", "a//b", "1"], "a level is empty"),
        (["pub", "fx/*", "1"], "is a wildcard"),
        (["pub", "fx/EURUSD", "-x"], "unexpected argument '-x'"),
        (["reply", "a//b", "1"], "a level is empty"),
    ] {
        let err = router.bad(&arguments);
        assert!(err.contains(told), "{arguments:?}: {err}");
    }
}

#[test]
fn a_negative_number_is_asked_and_answered() {
    let router = Router::start("negative");
    let reply = router.reply(&["quotes/*", "-5", "--count", "1"]);
    assert_eq!(router.good(&["request", "quotes/EURUSD", "-7"]), "-5\n");
    assert_eq!(reply.end().0, Some(0));
}
