//! `trunkline lab run` of services that are called, as a user sees it: tables, rows, exit status.

mod runs;

use std::fs;
use std::path::Path;

use runs::{folder, run};
use trunkline_bench::record::RunRecord;
use trunkline_bench::row::{Row, Verdict};

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

fn find<'a>(
    record: &'a RunRecord,
    case: &str,
    subject: &str,
    profile: &str,
    metric: &str,
) -> &'a Row {
    let is_it = |row: &&Row| {
        (row.case.as_str(), row.subject.as_str(), row.metric.as_str()) == (case, subject, metric)
            && row.profile.starts_with(profile)
    };
    let found: Vec<&Row> = record.rows.iter().filter(is_it).collect();
    assert_eq!(found.len(), 1, "{case} {subject} {profile} {metric}: {found:#?}");
    found[0]
}

/// Everything that can be measured of calls, with one message of two records.
const SMALL: &str = r#"
name = "small"
source = "a test"
published-over = "100mbit"

[messages]
family = "customer-services"
cases = [{ name = "two", customers = 1, products = 1 }, { name = "more", customers = 40 }]

[[part]]
name = "all"
what = "every kind"

[[part.measure]]
kind = "latency"
formats = ["ng-doc-literal", "ng-rpc-encoded", "ng-cdr"]
messages = ["two"]
links = ["direct", "100mbit", "10mbit-1ms"]
milliseconds = 2

[[part.measure]]
kind = "styles"
formats = ["ng-doc-literal-wrapped", "ng-rpc-literal"]
messages = ["two"]

[[part.measure]]
kind = "saturation"
formats = ["ng-rpc-literal"]
messages = ["two"]
links = ["direct", "100mbit"]
threads = [1, 3]
milliseconds = 2

[[part.measure]]
kind = "connections"
formats = ["ng-doc-encoded"]
messages = ["two"]
ways = ["kept", "per-call", "pipelined", "parallel"]
milliseconds = 2

[[part.measure]]
kind = "transports"
formats = ["ng-doc-literal-wrapped"]
messages = ["two"]
transports = ["http", "tcp", "tls", "mutual-tls"]
milliseconds = 2

[[part.measure]]
kind = "pool"
formats = ["ng-doc-literal"]
messages = ["two", "more"]
threads = 2
sizes = [1]
orders = ["first-in", "shortest-first"]
milliseconds = 4

[[part.measure]]
kind = "stages"
formats = ["ng-rpc-encoded"]
messages = ["more"]
links = ["direct", "100mbit"]
calls = 2

[[part.measure]]
kind = "calls"
formats = ["ng-doc-literal"]
messages = ["two"]
threads = [1, 2]
milliseconds = 2

[[published]]
subject = "product-a"
cases = ["latency"]
metric = "latency"
unit = "ms"
source = "ours"
figures.ng-doc-literal = { two = 4.0 }

[[conclusion]]
name = "some time"
words = "a call takes some time"
section = "ours"
expected = { from = 0.0 }
terms = [{ over = "latency-two@direct:latency:ng-rpc-encoded" }]
"#;

#[test]
fn calls_of_every_kind_are_told_as_tables_and_rows() {
    let folder = folder("ng-small");
    fs::write(folder.join("small.toml"), SMALL).expect("a file");
    let output = run(&folder, "small.toml", &["--report", "page"]);
    let out = text(&output.stdout);
    assert_eq!(text(&output.stderr), "", "{out}");
    assert!(matches!(output.status.code(), Some(0 | 3)), "{:?}\n{out}", output.status);
    assert!(out.lines().all(|line| line.chars().count() <= 100), "{out}");
    for title in [
        "What one call takes",
        "From structure to structure",
        "What one call takes over a LAN",
        "Which product speaks which style",
        "Calls a second of the two message, ",
        "Calls a second of the two message over 100mbit, ",
        "Where the time of a call",
        "The network of a call by the paper's formula",
        "What connections cost",
        "Short and long messages at once",
        "What carries them",
        "What one call takes far away",
    ] {
        assert!(out.contains(title), "{title}\n{out}");
    }
    assert!(
        out.contains("absent (make peers): gsoap-best, gsoap-debian, metro, cxf, axis, asmx"),
        "{out}"
    );
    let page = fs::read_to_string(folder.join("page/report.html")).expect("a page");
    assert!(page.contains("More and more callers"), "plots of callers");

    let record = RunRecord::read(&folder.join("rows.jsonl")).expect("rows");
    let value = |case: &str, subject: &str, profile: &str, metric: &str| {
        find(&record, case, subject, profile, metric).value.expect("a value")
    };
    let doc = "http/soap-1.1-document-literal/xml-utf8/customer-services/none/";
    for subject in ["trunkline", "bare"] {
        assert!(value("latency-two@direct", subject, doc, "latency") > 0.0);
    }
    assert!(value("latency-two@direct", "trunkline", doc, "over-bare") > 0.0);
    assert!(value("latency-two@10mbit-1ms", "trunkline", doc, "latency") > 2e6, "1 ms each way");
    assert!(value("latency-two@direct", "trunkline", "tcp/none/cdr", "latency") > 0.0);
    assert!(value("peak-two@direct", "bare", "http/", "threads") >= 1.0);
    for (way, transport) in [("mutual-tls", "https-mutual/"), ("tls", "https/"), ("tcp", "tcp/")] {
        let case = format!("transports-{way}-two@direct");
        assert!(value(&case, "trunkline", transport, "calls-per-second") > 0.0);
    }
    for order in ["first-in", "shortest-first"] {
        assert!(value(&format!("pool-1-{order}-more"), "trunkline", doc, "latency") > 0.0);
    }
    let part = |metric| value("stages-more", "trunkline", "http/", metric);
    assert!(part("deserialise") > 0.0 && part("serialise") > 0.0);
    assert!(part("deserialise") + part("serialise") < part("total"));
    for case in ["stages-more", "stages-more@100mbit"] {
        let whole = value(case, "trunkline", "http/", "whole-call");
        assert!(whole > value(case, "trunkline", "http/", "network-by-formula"), "{case}");
    }
    assert!(value("calls-2-two", "bare", doc, "calls-per-second") > 0.0);
    for style in ["document-literal-wrapped", "rpc-literal"] {
        let profile = format!("http/soap-1.1-{style}/");
        assert_eq!(value("styles-two", "trunkline", &profile, "supported"), 1.0);
    }
    // Published figures stand beside calls over the link that they were measured over.
    let published = record.rows.iter().filter(|row| row.subject == "product-a");
    let cases: Vec<(&str, Option<f64>)> = published.map(|row| (&*row.case, row.paper)).collect();
    assert_eq!(cases, [("latency-two@100mbit", Some(4e6))]);
}

#[test]
fn one_style_of_the_evaluation_is_called_beside_toolkits_where_those_were_built() {
    let peers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../peers/build/bin");
    let is_built = peers.join("gsoap-best-services").is_file();
    let folder = folder("ng-latency");
    let mut arguments = vec!["--only", "latency"];
    let named = peers.to_str().expect("UTF-8").to_owned();
    if is_built {
        arguments.extend(["--peers", &named]);
    }
    let output = run(&folder, "ng-2004", &arguments);
    assert_eq!(text(&output.stderr), "");
    let record = RunRecord::read(&folder.join("rows.jsonl")).expect("rows");
    // No codecs are measured, and yet there are verdicts on times.
    assert!(record.machine.noise_floor.is_some());
    let case = "latency-medium@direct";
    let rpc = "http/soap-1.1-rpc-encoded/";
    assert!(find(&record, case, "trunkline", rpc, "latency").value > Some(0.0));
    let remoting = find(&record, case, "net-remoting", "tcp/", "latency");
    assert_eq!((remoting.paper, remoting.verdict), (Some(7e6), Verdict::Absent));
    if is_built {
        // The same bytes were sent to both, so that the whole profile is the same.
        let theirs = find(&record, case, "gsoap-best", rpc, "latency");
        assert!(theirs.value > Some(0.0));
        assert_eq!(theirs.profile, find(&record, case, "trunkline", rpc, "latency").profile);
    }
    for toolkit in ["axis", "asmx"] {
        if is_built && peers.join(format!("{toolkit}-services")).is_file() {
            assert!(find(&record, case, toolkit, rpc, "latency").value > Some(0.0), "{toolkit}");
        }
    }
}
