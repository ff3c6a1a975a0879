//! `trunkline serve` and `trunkline config` as their users meet them.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use trunkline_client::{Client, Event, Options, Subscribe};

const PATIENCE: Duration = Duration::from_secs(30);

const ANY_PORT: &str =
    "[listen]\nnative = [\"tcp://127.0.0.1:0\"]\nhttp = \"off\"\nwebsocket = \"off\"\n";

/// A folder that goes with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("trunkline-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        Self(folder)
    }

    /// A file with this text.
    fn file(&self, text: &str) -> String {
        let path = self.0.join("trunkline.toml");
        std::fs::write(&path, text).expect("a file");
        path.to_str().expect("a path of text").to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A router as a process; it is killed when the test ends before it does.
struct Router {
    child: Child,
    out: BufReader<ChildStdout>,
    log: Receiver<String>,
    address: String,
}

impl Router {
    fn start(arguments: &[&str]) -> Self {
        let mut router = Self::start_unheard(arguments);
        let errors = BufReader::new(router.child.stderr.take().expect("a pipe"));
        let (lines, log) = mpsc::channel();
        thread::spawn(move || {
            errors.lines().map_while(Result::ok).try_for_each(|it| lines.send(it))
        });
        router.log = log;
        router
    }

    /// One whose log is a pipe that nobody reads.
    fn start_unheard(arguments: &[&str]) -> Self {
        let mut child = command(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
        let (_, log) = mpsc::channel();
        let mut address = String::new();
        loop {
            let mut line = String::new();
            assert!(out.read_line(&mut line).expect("a line") > 0, "it ends before it is ready");
            match line.trim_end().split_once("listening native ") {
                Some((_, at)) => address = at.to_owned(),
                None if line == "ready\n" => break,
                None => {}
            }
        }
        Self { child, out, log, address }
    }

    fn client(&self, name: &str) -> Client {
        Client::connect(&self.address, &Options::named(name)).expect("it listens")
    }

    fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let status = Command::new("kill").args([name, &id]).status().expect("kill runs");
        assert!(status.success());
    }

    /// The next line of the log that has this in it.
    fn logged(&self, part: &str) -> String {
        loop {
            let line = self.log.recv_timeout(PATIENCE);
            let line = line.unwrap_or_else(|_| panic!("no line of the log has {part:?}"));
            if line.contains(part) {
                return line;
            }
        }
    }

    fn end(mut self) -> ExitStatus {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().expect("a status") {
                let mut rest = String::new();
                self.out.read_to_string(&mut rest).expect("what is left");
                assert_eq!(rest, "", "nothing is printed after ready");
                return status;
            }
            assert!(Instant::now() < until, "it does not end");
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Router {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trunkline"));
    command.args(arguments);
    command
}

fn run(arguments: &[&str], environment: &[(&str, &str)]) -> Output {
    command(arguments).envs(environment.iter().copied()).output().expect("the program runs")
}

/// The next message's.
fn payload(reader: &mut Client) -> Vec<u8> {
    let mut payload = Vec::new();
    while payload.is_empty() {
        let came = reader.receive(Some(PATIENCE), &mut |event| {
            if let Event::Message(message) = event {
                payload = message.payload.to_vec();
            }
        });
        assert!(came.expect("the connection holds") > 0);
    }
    payload
}

#[test]
fn a_log_that_nobody_reads_holds_up_nobody() {
    let folder = Folder::new("unheard");
    let file = folder.file(&format!("{ANY_PORT}[log]\nlevel = \"debug\"\n"));
    let router = Router::start_unheard(&["serve", "--config", &file]);
    let mut reader = router.client("reader");
    // A line for each: more than the pipe takes and the router keeps.
    let patterns: Vec<String> = (0..10_000).map(|number| format!("a/{number}")).collect();
    reader.subscribe_each(&patterns, &Subscribe::every()).expect("they are taken");
    let mut writer = router.client("writer");
    let topic = writer.topic("a/9999").expect("a topic");
    writer.publish(topic, b"on it goes").expect("it is sent");
    assert_eq!(payload(&mut reader), b"on it goes");
    router.signal("-TERM");
    assert_eq!(router.end().code(), Some(0));
}

#[test]
fn a_router_serves_reloads_and_stops() {
    let folder = Folder::new("serve");
    let file = folder.file(ANY_PORT);
    let router = Router::start(&["serve", "--config", &file]);
    let mut reader = router.client("reader");
    reader.subscribe("a/>", &Subscribe::every()).expect("it is taken");
    let line = router.logged("connected");
    assert!(line.contains("reader#0.0") && line.contains("tcp/native"), "{line}");
    let mut writer = router.client("writer");
    let topic = writer.topic("a/b").expect("a topic");

    // A file that is wrong changes nothing, and the log says why.
    folder.file(&format!("{ANY_PORT}[client]\nqueue_mesages = 5\n"));
    router.signal("-HUP");
    let line = router.logged("nothing has changed");
    assert!(line.contains("line 6, column 1") && line.contains("queue_mesages"), "{line}");
    folder.file(&format!("{ANY_PORT}[client]\nqueue_messages = 5\n[log]\nformat = \"json\"\n"));
    router.signal("-HUP");
    let line = router.logged("next start");
    assert!(line.contains("log.format"), "{line}");
    router.logged("has been taken over");

    writer.publish(topic, b"still connected").expect("it is sent");
    assert_eq!(payload(&mut reader), b"still connected");

    drop((reader, writer));
    let line = router.logged("disconnected");
    assert!(line.contains("delivered="), "{line}");
    router.signal("-TERM");
    assert_eq!(router.end().code(), Some(0));
}

#[test]
fn addresses_of_the_command_line_take_the_place_of_those_of_their_kind() {
    let folder = Folder::new("listen");
    let socket = format!("unix://{}/router.sock", folder.0.display());
    let file = folder.file(ANY_PORT);
    let router = Router::start(&[
        "serve",
        "--config",
        &file,
        "--listen",
        &socket,
        "-l",
        "ws://127.0.0.1:0/",
        "-l",
        "http://127.0.0.1:0",
    ]);
    assert_eq!(router.address, socket);
    Client::connect(&socket, &Options::default()).expect("it listens there");
    router.signal("-TERM");
    assert!(router.end().success());
    for (address, expected) in [
        ("127.0.0.1:7400", "tcp://"),
        ("ws://7402", "ws:// is followed by host:port"),
        ("http://:7401", "http:// is followed by host:port"),
        ("tcp://h:99999", "a port is a number from 0 to 65535; see trunkline serve --help"),
        ("ws://127.0.0.1:1", "one address of ws://, not at 127.0.0.1:1 and 127.0.0.1:2"),
    ] {
        let output = run(&["serve", "--listen", address, "--listen", "ws://127.0.0.1:2"], &[]);
        let text = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!((output.status.code(), text.lines().count()), (Some(2), 1), "{text}");
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn a_log_of_json_is_one_object_a_line() {
    let folder = Folder::new("json");
    let file = folder.file(&format!("{ANY_PORT}[log]\nformat = \"json\"\n"));
    let router = Router::start(&["serve", "--config", &file]);
    drop(router.client("somebody"));
    let line = router.logged("disconnected");
    let object: serde_json::Value = serde_json::from_str(&line).expect("an object");
    assert_eq!(object["message"], "disconnected");
    assert_eq!(object["delivered"], 0);
    router.signal("-INT");
    assert_eq!(router.end().code(), Some(0));
}

#[test]
fn a_configuration_is_checked_before_it_is_used() {
    let folder = Folder::new("check");
    let file = folder.file(ANY_PORT);
    let good = run(&["config", "check", &file], &[]);
    assert_eq!(good.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&good.stdout).ends_with("trunkline.toml: good\n"));
    let file = folder.file("[router]\nkeepalive = \"soon\"\n");
    for arguments in [["config", "check", &*file].as_slice(), &["serve", "--config", &file]] {
        let bad = run(arguments, &[]);
        let text = String::from_utf8_lossy(&bad.stderr);
        assert_eq!(bad.status.code(), Some(2), "{text}");
        assert!(text.contains("line 2, column 13") && text.contains("30s"), "{text}");
        assert_eq!(text.lines().count(), 1, "{text}");
    }
    let missing = run(&["config", "check", "no-such-file.toml"], &[]);
    assert!(String::from_utf8_lossy(&missing.stderr).contains("no-such-file.toml"));
}

#[test]
fn what_holds_is_shown_with_the_environment() {
    let shown = run(&["config", "show"], &[("TRUNKLINE_CLIENT__QUEUE_MESSAGES", "77")]);
    let text = String::from_utf8_lossy(&shown.stdout);
    assert!(text.contains("queue_messages = 77 "), "{text}");
    let folder = Folder::new("show");
    let file = folder.file(&text);
    let again = run(&["config", "show", "--config", &file], &[]);
    assert_eq!(again.stdout, shown.stdout, "what is shown gives the same again");
    let wrong = run(&["config", "show"], &[("TRUNKLINE_CLIENT__QUEUE", "77")]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("TRUNKLINE_CLIENT__QUEUE"));
}

#[test]
fn an_address_in_use_is_named() {
    let folder = Folder::new("taken");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("tcp://{}", taken.local_addr().expect("an address"));
    let file = folder.file(&ANY_PORT.replace("tcp://127.0.0.1:0", &address));
    let output = run(&["serve", "--config", &file], &[]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains(&address) && text.contains("--listen chooses another"), "{text}");
}
