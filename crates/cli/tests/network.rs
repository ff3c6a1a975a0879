//! `trunkline lab run` on what is sent between processes, as a user sees it.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use trunkline_bench::record::RunRecord;
use trunkline_bench::row::{Row, Verdict};

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// An experiment of a user's own, as small as can be concluded from.
const SMALL: &str = r#"
name = "my-own"
source = "a test"
entries = [1, 2]

[[part]]
name = "sent"
what = "all that is sent"

[[part.measure]]
kind = "round-trip"
formats = ["fix", "cdr-le", "soap-rpc", "soap-compact"]
links = ["direct", "100mbit-1ms"]
round-trips = 8

[[part.measure]]
kind = "open-loop"
formats = ["fix"]
links = ["direct"]
rates = [500]
seconds = 0.1

[[part.measure]]
kind = "throughput"
formats = ["fix"]
links = ["100mbit"]
content = ["structures", "encoded"]
milliseconds = 5

[[conclusion]]
name = "FIX is shorter"
words = "FIX is carried faster than SOAP"
section = "1"
expected = { to = 1.0 }
terms = [{ over = "throughput@100mbit:link-busy:fix" }]
"#;

/// Round trips in one format.
const ROUND_TRIPS: &str = r#"
name = "my-own"
source = "a test"
entries = [2]

[[part]]
name = "sent"
what = "round trips"

[[part.measure]]
kind = "round-trip"
formats = ["fix"]
links = ["direct"]
round-trips = 8
"#;

/// Messages one way, of ours and of the peer that stands for FIX.
const ONE_WAY: &str = r#"
name = "my-own"
source = "a test"
entries = [2]

[successors]
fix = "quickfix"

[[part]]
name = "sent"
what = "one way"

[[part.measure]]
kind = "throughput"
formats = ["fix"]
links = ["100mbit"]
content = ["structures", "encoded"]
milliseconds = 5

[[part.measure]]
kind = "throughput"
formats = ["fix"]
links = ["direct"]
content = ["structures"]
slow = ["receiver", "sender"]
slow-factor = 2.0
milliseconds = 5

[[conclusion]]
name = "carried"
words = "messages are carried"
section = "1"
unit = "1/s"
expected = { from = 1.0 }
terms = [{ over = "throughput@100mbit:messages-per-second:fix" }]
"#;

/// One that takes a minute if nobody ends it.
const LONG: &str = r#"
name = "my-own"
source = "a test"
entries = [2]

[[part]]
name = "sent"
what = "latency"

[[part.measure]]
kind = "open-loop"
formats = ["fix", "cdr-le"]
links = ["direct"]
rates = [100]
seconds = 7.5
"#;

/// An empty folder of one test with the experiment and a folder for what is temporary.
fn folder(test: &str, experiment: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("temporary")).expect("Cargo's folder for tests is writable");
    fs::write(folder.join("own.toml"), experiment).expect("a file");
    folder
}

fn command(folder: &Path, rest: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trunkline"));
    command
        .args(["lab", "run", "own.toml", "--quiet"])
        .args(rest)
        .current_dir(folder)
        .env("TMPDIR", folder.join("temporary"))
        .env_remove("TRUNKLINE_PEERS");
    command
}

fn temporary(folder: &Path) -> usize {
    fs::read_dir(folder.join("temporary")).expect("our own folder").count()
}

fn find<'a>(rows: &'a [Row], case: &str, subject: &str, format: &str, metric: &str) -> &'a Row {
    let is_it = |row: &&Row| {
        (row.case.as_str(), row.subject.as_str()) == (case, subject)
            && row.profile.contains(format)
            && row.metric == metric
            && row.entries.is_none_or(|entries| entries == 2)
    };
    let found: Vec<&Row> = rows.iter().filter(is_it).collect();
    assert_eq!(found.len(), 1, "{case} {subject} {format} {metric}: {found:#?}");
    found[0]
}

#[test]
fn an_experiment_of_ones_own_is_run_over_links() {
    let folder = folder("network-own", SMALL);
    let output = command(&folder, &["--json", "rows.jsonl", "--report", "page"]).output();
    let output = output.expect("the binary starts");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(err, "", "{out}");
    assert!(matches!(output.status.code(), Some(0 | 3)), "{:?} {out}", output.status);
    assert!(out.contains("Round trips over direct, tcp-blocking: us"), "{out}");
    assert!(out.contains("Where a round trip of 2 entries goes"), "{out}");
    assert!(out.ends_with("\nwritten: page/report.html\n"), "{out}");

    let record = RunRecord::read(&folder.join("rows.jsonl")).expect("rows");
    // No codecs are measured, and yet there are verdicts on times.
    assert!(record.machine.noise_floor.is_some());
    let rows = record.rows;
    let blocking = "tcp-blocking/fix-4.3/tag-value/none/none";
    for metric in ["round-trip", "client-encode", "network", "server-decode", "server-encode"] {
        let row = find(&rows, "round-trip@direct", "trunkline", blocking, metric);
        assert!(row.value > Some(0.0) && row.runs >= 6, "{row:?}");
    }
    // A millisecond there and one back.
    for (subject, format) in [("trunkline", "cdr-le"), ("bare", "cdr-le"), ("bare", "utf8/none/")] {
        let far = find(&rows, "round-trip@100mbit-1ms", subject, format, "round-trip");
        assert!(far.value > Some(2_000_000.0), "{far:?}");
    }
    let over_bare = find(&rows, "round-trip@direct", "trunkline", blocking, "over-bare");
    assert!(over_bare.value > Some(0.0), "{over_bare:?}");
    let saved = find(&rows, "round-trip@direct", "trunkline", "/compact-tags/", "reduction");
    assert!(saved.value.is_some() && saved.unit == "%", "{saved:?}");
    let latency = |metric| find(&rows, "open-loop-500@direct", "trunkline", blocking, metric).value;
    assert!(latency("latency-p50") > Some(0.0) && latency("latency-p50") <= latency("latency-max"));
    assert!(latency("latency-max-uncorrected") <= latency("latency-max"));
    for case in ["throughput@100mbit", "throughput-encoded@100mbit"] {
        // A busy link carries full segments, of which a message of two entries takes some 310 bytes: 100 Mbit/s carry
        // 40,000, however late a receiver wakes up.
        let rate = find(&rows, case, "trunkline", blocking, "messages-per-second");
        assert!(rate.value > Some(0.0) && rate.value < Some(41_000.0), "{rate:?}");
        let busy = find(&rows, case, "trunkline", blocking, "link-busy");
        assert!(busy.value > Some(0.0) && busy.value <= Some(1.0), "{busy:?}");
    }
    let hiccups = rows.iter().find(|row| row.case == "hiccup" && row.metric == "max");
    assert!(hiccups.is_some_and(|row| row.value > Some(0.0)), "{hiccups:?}");
    let conclusion = find(&rows, "conclusion", "trunkline", blocking, "FIX is shorter");
    assert!(matches!(conclusion.verdict, Verdict::Holds | Verdict::Inconclusive));

    let page = fs::read_to_string(folder.join("page/report.html")).expect("written");
    assert!(page.contains("<svg") && page.contains("my-own"));
    let log = fs::read_to_string(folder.join("page/open-loop-500@direct.hlog")).expect("written");
    assert!(log.contains("Tag=trunkline:tcp-blocking/fix-4.3/tag-value:latency,"), "{log}");
    assert_eq!(
        fs::read(folder.join("page/rows.jsonl")).expect("written"),
        fs::read(folder.join("rows.jsonl")).expect("written")
    );
    assert_eq!(temporary(&folder), 0);
}

/// Puts the program that is to be the peer for FIX into the folder `peers`.
fn put_peer(folder: &Path, script: &str) {
    fs::create_dir(folder.join("peers")).expect("our own folder");
    fs::write(folder.join("quickfix"), script).expect("a file");
    // By another process, so that none of ours holds the program open for writing.
    let placed = Command::new("install")
        .args(["-m", "755", "quickfix", "peers/quickfix"])
        .current_dir(folder)
        .status();
    assert!(placed.expect("install starts").success());
}

#[test]
fn a_peer_sends_one_way_beside_ours() {
    let folder = folder("network-one-way", ONE_WAY);
    let binary = env!("CARGO_BIN_EXE_trunkline");
    put_peer(&folder, &format!("#!/bin/sh\nexec {binary} lab end\n"));
    let output = command(&folder, &["--peers", "peers", "--json", "rows.jsonl"]).output();
    let output = output.expect("the binary starts");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let rows = RunRecord::read(&folder.join("rows.jsonl")).expect("rows").rows;
    for case in ["@100mbit", "-encoded@100mbit", "-slow-receiver@direct", "-slow-sender@direct"] {
        for subject in ["trunkline", "quickfix"] {
            let case = format!("throughput{case}");
            let rate = find(&rows, &case, subject, "fix-4.3", "messages-per-second");
            assert!(rate.value > Some(0.0), "{rate:?}");
        }
    }
    let judged = |subject: &str| find(&rows, "conclusion", subject, "fix-4.3", "carried").value;
    assert!(judged("trunkline").is_some() && judged("quickfix").is_some());
}

/// The processes that a process has started.
fn children(process: u32) -> Vec<u32> {
    // Each thread has its own.
    let threads = fs::read_dir(format!("/proc/{process}/task"));
    let of_thread = |thread: fs::DirEntry| {
        let list = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
        list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<u32>>()
    };
    threads.into_iter().flatten().flatten().flat_map(of_thread).collect()
}

/// Two formats with two ends each, in the middle of their work.
fn in_the_middle(folder: &Path, rest: &[&str]) -> (Child, Vec<u32>) {
    let mut command = command(folder, rest);
    let lab = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let lab = lab.expect("the binary starts");
    let is_ready = |ends: &[u32]| ends.len() == 4 && loaded(folder) == 4;
    let deadline = Instant::now() + PATIENCE;
    let mut ends = children(lab.id());
    while !is_ready(&ends) && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(5));
        ends = children(lab.id());
    }
    assert!(is_ready(&ends), "four ends never came: {ends:?}");
    (lab, ends)
}

/// How many ends have been given their messages.
fn loaded(folder: &Path) -> usize {
    let folders = fs::read_dir(folder.join("temporary")).expect("our own folder");
    folders.flatten().filter(|it| it.path().join("load").exists()).count()
}

fn signal(name: &str, process: u32) {
    let sent = Command::new("kill").args([name, &process.to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()));
}

fn is_dead(process: u32) -> bool {
    let state = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    state.is_empty() || state.contains(") Z") || state.contains(") X")
}

#[test]
fn an_interrupt_in_the_middle_leaves_no_process_and_no_file() {
    let folder = folder("network-interrupt", LONG);
    let (lab, ends) = in_the_middle(&folder, &["--json", "rows.jsonl", "--report", "page"]);
    signal("-INT", lab.id());
    let output = lab.wait_with_output().expect("our own child");
    assert_eq!(output.status.signal(), Some(2), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
    let deadline = Instant::now() + PATIENCE;
    while !ends.iter().all(|end| is_dead(*end)) {
        assert!(Instant::now() < deadline, "an end has outlived the lab");
        thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(temporary(&folder), 0);
    let mut left: Vec<_> = fs::read_dir(&folder).expect("our own folder").flatten().collect();
    left.retain(|it| it.file_name() != "own.toml" && it.file_name() != "temporary");
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_killed_end_is_told_in_a_line_and_the_others_go_on() {
    let folder = folder("network-killed", &LONG.replace("seconds = 7.5", "seconds = 0.5"));
    let (lab, ends) = in_the_middle(&folder, &["--json", "rows.jsonl"]);
    // Ends are started format by format: the first two carry FIX.
    signal("-KILL", ends.iter().copied().min().expect("four"));
    let output = lab.wait_with_output().expect("our own child");
    let err = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(1), "{err}");
    assert_eq!(err.lines().count(), 1, "{err}");
    assert!(err.starts_with("trunkline: trunkline (fix), messages of 2 over TCP: "), "{err}");
    assert!(err.contains("was killed by signal 9"), "{err}");
    let rows = RunRecord::read(&folder.join("rows.jsonl")).expect("rows").rows;
    let cdr = find(&rows, "open-loop-100@direct", "trunkline", "cdr-le", "latency-p50");
    assert!(cdr.value > Some(0.0), "{cdr:?}");
    let is_fix = |row: &&Row| row.case.starts_with("open-loop") && row.profile.contains("fix-4.3");
    assert_eq!(rows.iter().find(is_fix), None);
    assert_eq!(temporary(&folder), 0);
}

#[test]
fn one_that_sends_other_bytes_is_not_timed_and_the_run_is_wrong() {
    let successor = "\n[successors]\nfix = \"quickfix\"\n\n[[part]]";
    let folder = folder("network-wrong", &ROUND_TRIPS.replacen("\n[[part]]", successor, 1));
    // An end without a codec, whose messages are changed before it sends them.
    let script = format!(
        "#!/bin/sh\nwhile read -r line; do\n  case $line in\n    'load fix '*) \
         LC_ALL=C sed -i s/=ESXXXX/=ESXXXY/ \"${{line#load fix }}\" ;;\n  esac\n  \
         echo \"$line\"\ndone | {} lab end --bare\n",
        env!("CARGO_BIN_EXE_trunkline")
    );
    put_peer(&folder, &script);
    let output = command(&folder, &["--peers", "peers", "--json", "rows.jsonl"]).output();
    let output = output.expect("the binary starts");
    let err = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(1), "{err}");
    assert_eq!(err.lines().count(), 1, "{err}");
    let start = "trunkline: quickfix (fix), messages of 2 over TCP: peer quickfix ";
    assert!(err.starts_with(start), "{err}");
    let rows = RunRecord::read(&folder.join("rows.jsonl")).expect("rows").rows;
    let of_peer: Vec<&Row> = rows.iter().filter(|row| row.subject == "quickfix").collect();
    let [row] = of_peer[..] else { panic!("{of_peer:#?}") };
    assert_eq!((row.verdict, row.value), (Verdict::WrongAnswer, None));
    let ours = find(&rows, "round-trip@direct", "trunkline", "fix-4.3", "round-trip");
    assert!(ours.value > Some(0.0), "{ours:?}");
}

#[test]
fn what_cannot_be_written_is_told_after_the_tables() {
    let folder =
        folder("network-full", &SMALL.replace("[\"direct\", \"100mbit-1ms\"]", "[\"direct\"]"));
    let output = command(&folder, &["--json", "/dev/full"]).output().expect("the binary starts");
    assert_eq!(output.status.code(), Some(2));
    let err = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(
        err,
        "trunkline: /dev/full: cannot be written: No space left on device (os error 28)\n"
    );
    assert!(!output.stdout.is_empty());
    assert_eq!(temporary(&folder), 0);
}
