//! `trunkline link` as a user starts it, and the echo by which links are checked.

#[path = "../../../tests/src/skip.rs"]
#[allow(dead_code, unreachable_pub, reason = "what it needs is not a tool that one could install")]
mod skip;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use trunkline_experiment::link::Link;
use trunkline_lab::link::check::{CheckEffort, EchoTimes, tc};

const PROGRAM: &str = env!("CARGO_BIN_EXE_trunkline");
/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

fn link(arguments: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.arg("link").args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The one line that it prints when it listens.
fn first_line(link: &mut Child) -> String {
    let mut line = String::new();
    let out = link.stdout.as_mut().expect("a pipe");
    BufReader::new(out).read_line(&mut line).expect("text");
    line
}

fn interrupt(link: Child) -> (Option<i32>, String) {
    let killed = Command::new("kill").args(["-INT", &link.id().to_string()]).status();
    assert!(killed.is_ok_and(|status| status.success()));
    let output = link.wait_with_output().expect("our own child");
    assert!(output.stdout.is_empty(), "one line is all");
    (output.status.signal(), String::from_utf8(output.stderr).expect("text"))
}

#[test]
fn a_link_prints_where_it_listens_carries_bytes_and_ends_quietly() {
    let server = TcpListener::bind("127.0.0.1:0").expect("a port");
    let to = server.local_addr().expect("it listens").to_string();
    let mut link =
        link(&["--to", &to, "--rate", "10M", "--delay", "1500us"]).spawn().expect("it starts");
    let line = first_line(&mut link);
    let (address, rest) = line.split_once(' ').expect("an address and more");
    assert_eq!(rest, format!("leads to {to} at 10mbit, 1500us one way\n"));
    assert!(address.starts_with("127.0.0.1:"), "{line}");

    let mut client = TcpStream::connect(address).expect("it listens");
    let (mut served, _) = server.accept().expect("it connects");
    for socket in [&client, &served] {
        socket.set_read_timeout(Some(PATIENCE)).expect("an option that exists");
    }
    client.write_all(b"question").expect("it goes on");
    client.shutdown(Shutdown::Write).expect("it is open");
    let mut text = String::new();
    served.read_to_string(&mut text).expect("a proper end");
    served.write_all(b"answer").expect("it goes on");
    drop(served);
    client.read_to_string(&mut text).expect("a proper end");
    assert_eq!(text, "questionanswer");

    assert_eq!(interrupt(link), (Some(2), String::new()));
}

#[test]
fn a_server_that_is_not_there_is_told_and_the_link_goes_on() {
    let server = TcpListener::bind("127.0.0.1:0").expect("a port");
    let to = server.local_addr().expect("it listens").to_string();
    drop(server);
    let mut link = link(&["--to", &to]).spawn().expect("it starts");
    let line = first_line(&mut link);
    assert!(line.ends_with(&format!("leads to {to} at unlimited rate, no delay\n")));
    let address = line.split(' ').next().expect("an address");
    for _ in 0..2 {
        let mut client = TcpStream::connect(address).expect("it listens");
        client.set_read_timeout(Some(PATIENCE)).expect("an option that exists");
        client.read(&mut [0; 1]).expect_err("there is no server");
    }
    // Both complaints are written after the connections have ended.
    let mut complaints = BufReader::new(link.stderr.take().expect("a pipe"));
    for _ in 0..2 {
        let mut line = String::new();
        complaints.read_line(&mut line).expect("text");
        let expected = format!("trunkline: {to} cannot be reached: Connection refused");
        assert!(line.starts_with(&expected), "{line}");
    }
    assert_eq!(interrupt(link).0, Some(2));
}

#[test]
fn user_errors_are_one_line_and_status_2() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let taken = taken.local_addr().expect("it listens").to_string();
    let nowhere = "192.0.2.1:80";
    for (arguments, expected) in [
        (
            &["--to", "here", "--rate", "10M"][..],
            "--to: \"here\" is no address: invalid socket address".to_owned(),
        ),
        (
            &["--to", &taken, "--listen", nowhere],
            format!("{nowhere} cannot be listened at: Cannot assign requested address"),
        ),
        (
            &["--to", &taken, "--rate", "fast"],
            "invalid value 'fast' for '--rate <RATE>': \"fast\" is not a rate such as 256k, 10M or 1G"
                .to_owned(),
        ),
        (
            &["--to", &taken, "--delay", "20"],
            "invalid value '20' for '--delay <DELAY>': \"20\" is not a delay such as 20ms or 500us"
                .to_owned(),
        ),
        (&[], "the following required arguments were not provided: --to <ADDR>".to_owned()),
    ] {
        let output = link(arguments).output().expect("it starts");
        let err = String::from_utf8(output.stderr).expect("text");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{arguments:?}");
        assert!(err.starts_with(&format!("trunkline: {expected}")), "{err}");
        assert_eq!(err.lines().count(), 1, "{err}");
    }
}

#[test]
fn an_echo_in_a_namespace_of_its_own_is_held_up_by_the_shaper_there() {
    let link: Link = "10mbit".parse().expect("a link");
    let effort = CheckEffort { repetitions: 2, passes: 1 };
    match tc::echo_times(link, effort, Path::new(PROGRAM)) {
        Ok(times) => {
            assert_eq!(times.repetitions.len(), 2);
            let (size, time) = *times.medians().last().expect("some");
            // All but the two bursts, at 800 ns a byte.
            let least = 2.0 * (Link::wire_bytes(u64::from(size)) as f64 - 2100.0) * 800.0;
            assert!(time >= least, "{size} bytes took {time} ns, not {least}");
        }
        // Not every machine has namespaces for all, or these shapers.
        Err(reason) => {
            skip::note(&format!("an echo in a namespace of its own: {reason}"));
            let text = reason.to_string();
            assert!(text.len() > "tc: ".len() && !text.contains('\n'), "{text}");
        }
    }
    for (name, expected) in
        [("direct", "tc: a link without a rate"), ("1gbit", "tc: 1gbit is faster than its timer")]
    {
        let link = name.parse().expect("a link");
        let error = tc::echo_times(link, effort, Path::new(PROGRAM)).expect_err(name);
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn the_echo_prints_its_times_as_json() {
    let free = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = free.local_addr().expect("it listens").port().to_string();
    drop(free);
    let output = Command::new(PROGRAM)
        .args(["lab", "echo-slope", "--port", &port, "--repetitions", "3", "--passes", "1"])
        .output()
        .expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let times: EchoTimes = serde_json::from_slice(&output.stdout).expect("its own form");
    assert_eq!(times.repetitions.len(), 3);
    assert!(times.repetitions.iter().all(|it| it.len() == times.sizes.len()));
}
