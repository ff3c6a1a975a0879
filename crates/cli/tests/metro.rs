//! `trunkline lab run` of toolkits at both ends of calls, as a user sees it: tables, rows, and who is not believed.

mod runs;

use runs::{false_toolkit, folder_with, rows, told, value};
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
modes = ["soap-tcp", "soap-tcp-multiplexed", "http-fast-infoset", "http", "rmi", "bytes"]
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

#[test]
fn our_calls_in_every_mode_are_told_as_tables_and_rows() {
    let folder = folder_with("metro-small", SMALL);
    let output = runs::run(&folder, "small.toml", &[]);
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
        let folder = folder_with(&format!("metro-{name}"), SMALL);
        false_toolkit(&folder, ("gsoap-best-operations", "lab operations"), filter);
        let output = runs::run(&folder, "small.toml", &["--peers", "peers"]);
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
