//! `trunkline lab run` of toolkits at both ends of calls, as a user sees it: tables, rows, and who is not believed.

mod trial;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Output;

use trial::{record, told, value};
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
operations = ["echoVoid", "echoSynthetic4K", "echoArray3", "getOrder2"]
quick-operations = ["echoVoid", "getOrder2"]
threads = [1, 3]
milliseconds = 5

[[part.measure]]
kind = "vocabularies"
items = 5
stretches = 2
milliseconds = 20

[[aim]]
name = "fewer bytes"
words = "SOAP/TCP takes fewer bytes than HTTP"
expected = { to = 0.5 }
terms = [
    { over = "soap-tcp-3-echoVoid:bytes-sent::trunkline", under = "http-3-echoVoid:bytes-sent::trunkline" },
]
"#;

fn folder(test: &str) -> PathBuf {
    let folder = trial::folder(test);
    fs::write(folder.join("small.toml"), SMALL).expect("a file");
    folder
}

fn run(folder: &Path, rest: &[&str]) -> Output {
    trial::run(folder, "small.toml", rest)
}

fn rows(folder: &Path) -> Vec<Row> {
    record(folder).rows
}

#[test]
fn our_calls_in_every_mode_are_told_as_tables_and_rows() {
    let folder = folder("metro-small");
    let output = run(&folder, &[]);
    let told = told(&output);
    // Times decide nothing here; bytes do.
    assert!(matches!(output.status.code(), Some(0 | 3)), "{told}");
    let rows = rows(&folder);
    for mode in ["soap-tcp", "soap-tcp-multiplexed", "http-fast-infoset", "http"] {
        for threads in [1, 3] {
            for call in ["echoVoid", "getOrder2"] {
                let case = format!("{mode}-{threads}-{call}");
                for metric in ["calls-per-second", "latency", "of-soap-tcp", "bytes-sent"] {
                    assert!(value(&rows, &case, "trunkline", metric) > 0.0);
                }
            }
        }
    }
    let bytes = |mode: &str, metric: &str| {
        value(&rows, &format!("{mode}-1-getOrder2"), "trunkline", metric)
    };
    for metric in ["bytes-sent", "bytes-received"] {
        let sizes = ["soap-tcp", "http-fast-infoset", "http"].map(|mode| bytes(mode, metric));
        assert!(sizes.is_sorted(), "{metric}: {sizes:?}");
    }
    // A call that is made alone is told in its parts.
    for mode in ["soap-tcp", "http"] {
        let of = |metric| value(&rows, &format!("{mode}-1-echoVoid"), "trunkline", metric);
        assert!(of("codec") > 0.0 && of("wait") > 0.0);
        assert!(of("toolkit").is_finite() && of("framing").is_finite());
    }
    for mode in ["soap-tcp", "soap-tcp-unbounded", "soap-tcp-stateless"] {
        let case = format!("vocabulary-{mode}");
        assert!(value(&rows, &case, "trunkline", "client-memory") > 0.0);
        assert!(value(&rows, &case, "trunkline", "texts") >= 10.0);
    }
    // The echo without a toolkit takes the bytes of SOAP/TCP.
    assert!(value(&rows, "bytes-1-echoVoid", "bare", "calls-per-second") > 0.0);
    let aim = rows.iter().find(|row| row.case == "aim").expect("it is judged");
    assert_eq!(aim.verdict, Verdict::Holds, "{aim:?}");
    for title in ["Calls a second by 3 threads, in % of SOAP/TCP", "Bytes of a call on the wire"] {
        assert!(told.contains(title), "{told}");
    }
    let is_absent = |subject: &str| {
        rows.iter().any(|row| row.subject == subject && row.verdict == Verdict::Absent)
    };
    for peer in ["metro", "gsoap-best", "rmi"] {
        assert!(is_absent(peer), "{peer}");
    }
}

/// A toolkit of others: ours, whose answers to `call` go through a filter.
fn false_toolkit(folder: &Path, filter: &str) {
    let peers = folder.join("peers");
    fs::create_dir_all(&peers).expect("a folder");
    let program = format!(
        "#!/usr/bin/env python3\n\
         import subprocess, sys\n\
         own = subprocess.Popen([{:?}, 'lab', 'operations'], stdin=subprocess.PIPE,\n\
         \x20                      stdout=subprocess.PIPE, text=True)\n\
         def ask(line):\n\
         \x20   own.stdin.write(line); own.stdin.flush(); return own.stdout.readline()\n\
         def answer(line):\n\
         \x20   open(line.split(' ', 4)[4].strip(), 'wb').write(bytes([232, 3] + 6 * [0]))\n\
         \x20   return 'called 1 1000\\n'\n\
         for line in sys.stdin:\n\
         \x20   said = {filter} if line.startswith('call ') else ask(line)\n\
         \x20   sys.stdout.write(said); sys.stdout.flush()\n",
        env!("CARGO_BIN_EXE_trunkline")
    );
    let file = peers.join("gsoap-best-operations");
    fs::write(&file, program).expect("a file");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("it can be run");
}

#[test]
fn a_client_that_calls_nobody_or_takes_any_answer_is_not_timed() {
    for (name, filter, expected) in [
        ("lazy", "answer(line)", "its client called nobody"),
        (
            "blind",
            "(lambda it: answer(line) if it.startswith('error') else it)(ask(line))",
            "its client takes a wrong answer to getOrder2 for right",
        ),
    ] {
        let folder = folder(&format!("metro-{name}"));
        false_toolkit(&folder, filter);
        let output = run(&folder, &["--peers", "peers"]);
        let told = told(&output);
        assert_eq!(output.status.code(), Some(1), "{name}: {told}");
        assert!(told.contains(expected), "{name}: {told}");
        let rows = rows(&folder);
        let theirs: Vec<&Row> = rows.iter().filter(|row| row.subject == "gsoap-best").collect();
        assert!(theirs.iter().all(|row| row.verdict == Verdict::WrongAnswer), "{theirs:#?}");
        assert_eq!(theirs.len(), 1);
        assert!(value(&rows, "http-1-echoVoid", "trunkline", "calls-per-second") > 0.0);
    }
}
