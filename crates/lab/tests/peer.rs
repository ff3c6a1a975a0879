//! The driver of peers against small shell scripts that answer, reject, hang, die and lie.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{fs, thread};

use trunkline_bench::folder::PrivateFolder;
use trunkline_bench::row::Verdict;
use trunkline_experiment::format::Format;
use trunkline_lab::experiment::{Effort, Operation, Outcome, Subject as _, SubjectStatus, Trial};
use trunkline_lab::format::corpus;
use trunkline_lab::market_data::messages;
use trunkline_lab::peer::{Discovery, Peer, PeerError, PeerErrorKind, PeerSubject};
use trunkline_lab::trading_day::TradingDay;

/// Long enough for a busy machine; only what is waited for in vain gets less.
const PATIENCE: Duration = Duration::from_secs(30);
const IMPATIENCE: Duration = Duration::from_millis(300);

/// A peer that does everything right with three messages: it hands back the file that it loaded.
const GOOD: &str = r#"
while read -r verb first second; do
    case $verb in
    hello) echo 'hello fake 1.0 fix,soap-rpc' ;;
    load) corpus=$second; echo 'loaded 3' ;;
    echo) cp "$corpus" "$first"; echo 'echoed 3' ;;
    run) echo "$((second * 300)),$((second * 3))" ;;
    stop) exit 0 ;;
    esac
done
"#;

fn messages() -> Vec<Vec<u8>> {
    [&b"one"[..], b"", b"three"].map(<[u8]>::to_vec).into()
}

/// Held while a script is written and while a process starts: a process that another test starts at
/// the wrong moment holds our half-written script open, and a file open for writing cannot be run.
static STARTING: Mutex<()> = Mutex::new(());

fn start(name: &str, program: &Path) -> Result<Peer, PeerError> {
    let _alone = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
    Peer::start(name, program, PATIENCE)
}

struct Scripts(PrivateFolder);

impl Scripts {
    fn new() -> Self {
        Self(PrivateFolder::new().expect("a folder for the test"))
    }

    fn put(&self, name: &str, script: &str) -> PathBuf {
        let _alone = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
        let path = self.0.path().join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}")).expect("a script for the test");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("our own file");
        path
    }

    fn start(&self, script: &str) -> Peer {
        start("fake", &self.put("fake", script)).expect("the script says hello")
    }
}

/// [`GOOD`] with one verb's answer replaced.
fn good_except(verb: &str, answer: &str) -> String {
    except(GOOD, verb, answer)
}

fn except(script: &str, verb: &str, answer: &str) -> String {
    let lines =
        script.lines().map(|line| match line.trim_start().starts_with(&format!("{verb})")) {
            true => format!("    {verb}) {answer} ;;\n"),
            false => format!("{line}\n"),
        });
    lines.collect()
}

#[test]
fn a_good_peer_loads_echoes_and_runs() {
    let scripts = Scripts::new();
    let mut peer = scripts.start(GOOD);
    assert_eq!(peer.greeting().version, "1.0");
    assert_eq!(peer.greeting().formats, ["fix", "soap-rpc"]);
    peer.load("fix", &messages()).expect("a good peer");
    assert_eq!(peer.echo().expect("a good peer"), messages());
    let sample = peer.run(Operation::Decode, 4).expect("a good peer");
    assert_eq!((sample.nanoseconds, sample.messages), (1_200, 12));
    peer.stop();
}

#[test]
fn a_rejection_leaves_the_peer_alive() {
    let scripts = Scripts::new();
    let script = good_except("load", "echo 'error message 2: no such field'");
    let mut peer = scripts.start(&script);
    let error = peer.load("fix", &messages()).expect_err("the script rejects");
    assert!(matches!(error.kind(), PeerErrorKind::Rejected(_)));
    let text = error.to_string();
    assert!(text.starts_with("peer fake cannot \"load fix /"), "{text}");
    assert!(text.ends_with("message 2: no such field"), "{text}");
    assert!(
        peer.run(Operation::Encode, 1)
            .is_err_and(|error| error.to_string().contains("expected nanoseconds,0"))
    );
}

#[test]
fn a_peer_that_hangs_is_killed_with_its_children_after_the_time_out() {
    let scripts = Scripts::new();
    let hello =
        "echo 'thinking hard' >&2; sleep 1000 & echo $! > \"$0.child\"; echo hello fake 1 fix";
    let script = except(&good_except("hello", hello), "run", "wait");
    let mut peer = scripts.start(&script);
    peer.load("fix", &messages()).expect("a good answer");
    peer.set_timeout(IMPATIENCE);
    let error = peer.run(Operation::Decode, 1).expect_err("the script sleeps").to_string();
    assert_eq!(
        error,
        "peer fake did not answer \"run decode 1\" within 0.3 s and was killed; \
         its last words: thinking hard"
    );
    let child =
        fs::read_to_string(scripts.0.path().join("fake.child")).expect("the script wrote it");
    // It is dead or dying; nobody may have reaped it yet.
    let is_running = || {
        let state = fs::read_to_string(format!("/proc/{}/stat", child.trim()));
        state.is_ok_and(|state| !state.contains(") Z") && !state.contains(") X"))
    };
    let deadline = Instant::now() + PATIENCE;
    while is_running() {
        assert!(Instant::now() < deadline, "the sleeping child was left behind");
        thread::sleep(Duration::from_millis(5));
    }

    let error = peer.echo().expect_err("the peer is dead").to_string();
    assert!(error.contains("had been killed after a time-out when asked"), "{error}");
}

#[test]
fn a_peer_that_dies_is_one_clear_line() {
    let scripts = Scripts::new();
    for (death, expected) in [
        (
            "echo oops >&2; kill -9 $$",
            "peer fake was killed by signal 9 when asked \"run encode 2\"; its last words: oops",
        ),
        ("exit 3", "peer fake ended with status 3 when asked \"run encode 2\""),
    ] {
        let mut peer = scripts.start(&good_except("run", death));
        peer.load("fix", &messages()).expect("a good answer");
        let error = peer.run(Operation::Encode, 2).expect_err("the script dies").to_string();
        assert_eq!(error, expected);
        let again = peer.run(Operation::Encode, 2).expect_err("it is still dead").to_string();
        assert_eq!(again, expected);
    }
}

#[test]
fn lies_are_found() {
    let scripts = Scripts::new();
    for (verb, lie, expected) in [
        ("load", "echo 'loaded 2'", "expected loaded 3"),
        (
            "echo",
            "printf '\\001\\000\\000\\000a' > \"$first\"; echo 'echoed 3'",
            "by \"a file of 1 messages\"; expected a file of 3 messages",
        ),
        (
            "echo",
            "printf '\\377\\377\\377\\377a' > \"$first\"; echo 'echoed 3'",
            "message 0: more than 16777216 bytes in a message",
        ),
        ("echo", "echo 'echoed 3'", "cannot be read: No such file or directory (os error 2)"),
        ("run", "echo '5,1'", "answered \"run decode 2\" by \"5,1\"; expected nanoseconds,6"),
        ("run", "echo 'fast,6'", "by \"fast,6\"; expected nanoseconds,6"),
        ("run", "head -c 100000 /dev/zero | tr '\\0' x", "expected a line of at most 65536 bytes"),
    ] {
        let mut peer = scripts.start(&good_except(verb, lie));
        let error = peer
            .load("fix", &messages())
            .and_then(|()| peer.echo().map(drop))
            .and_then(|()| peer.run(Operation::Decode, 2).map(drop))
            .expect_err(lie)
            .to_string();
        assert!(error.ends_with(expected), "{lie}: {error}");
        assert!(error.lines().count() == 1 && error.len() < 400, "{error}");
    }
}

#[test]
fn times_are_believed_between_the_processor_and_the_wall() {
    let scripts = Scripts::new();
    // Of 6 messages; work is a loop of the shell itself.
    let work = "i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done";
    for (answer, expected) in [
        ("echo 0,6".to_owned(), "by \"0,6\"; expected at least 1 ns for each message"),
        ("echo 950400000000000,6".to_owned(), "that passed until the answer"),
        (format!("{work}; echo 6000,6"), "as its process used the processor meanwhile"),
        // The same in another process, whose time the clock of no thread of the peer has.
        (format!("( {work} ); echo 6000,6"), "as its process used the processor meanwhile"),
    ] {
        let mut peer = scripts.start(&good_except("run", &answer));
        peer.load("fix", &messages()).expect("a good answer");
        let error = peer.run(Operation::Decode, 2).expect_err("a lie");
        assert!(matches!(error.kind(), PeerErrorKind::Incredible { .. }), "{error:?}");
        let error = error.to_string();
        assert!(error.starts_with("peer fake answered \"run decode 2\" by "), "{error}");
        assert!(error.ends_with(expected), "{error}");
    }
}

#[test]
fn a_program_that_copies_its_input_is_no_codec() {
    let scripts = Scripts::new();
    let day = TradingDay::generated(2004);
    let corpus = corpus(Format::Fix, &messages::sample(&day, 2, 3)).expect("FIX carries it");
    let mut trial = Trial::new();
    let subject = PeerSubject::new(scripts.start(GOOD), "fix");
    // What comes back is right, since it is what was sent.
    trial.enter(Box::new(subject), &corpus, Box::new(|_| Ok(())));
    let [status] = trial.verify(&mut |_| ()).try_into().expect("one");
    assert_eq!(status.verdict(), Verdict::Untrue);
    let SubjectStatus::Untrue(why) = status else { panic!("{status:?}") };
    let expected =
        "peer fake copies its input and encodes nothing, as in message 0 when asked \"echo\"";
    assert_eq!(why, expected);
}

/// Outcomes of timing a program that loads three messages of FIX and answers like this.
fn outcomes(script: &str) -> Vec<Outcome> {
    let scripts = Scripts::new();
    let day = TradingDay::generated(2004);
    let corpus = corpus(Format::Fix, &messages::sample(&day, 2, 3)).expect("FIX carries it");
    let mut trial = Trial::new();
    let subject = PeerSubject::new(scripts.start(script), "fix");
    trial.enter(Box::new(subject), &corpus, Box::new(|_| Ok(())));
    trial.measure(Operation::Decode, &Effort::quick(), &mut |_| ())
}

#[test]
fn a_program_that_decodes_nothing_and_says_that_it_cannot_encode_is_not_timed() {
    for echo in [
        "echo 'error cannot encode'",
        // Only where it would be found that it copies.
        r#"if [ -z "$asked" ]; then asked=1; echo 'error cannot encode'; else cp "$corpus" "$first"; echo 'echoed 3'; fi"#,
    ] {
        let [outcome] = outcomes(&good_except("echo", echo)).try_into().expect("one subject");
        assert!(outcome.samples.is_empty(), "{outcome:?}");
        assert_eq!(outcome.status.verdict(), Verdict::Unverified);
        let why = outcome.status.fault().expect("it is told why");
        assert!(why.ends_with(": cannot encode"), "{why}");
    }
}

#[test]
fn a_program_that_is_no_peer_is_rejected() {
    let scripts = Scripts::new();
    let error = |name: &str, script: &str| {
        start(name, &scripts.put(name, script)).expect_err("no peer").to_string()
    };
    assert_eq!(
        error("cat", "exec cat"),
        "peer cat answered \"hello\" by \"hello\"; expected hello NAME VERSION FORMAT[,FORMAT]"
    );
    assert_eq!(
        error("broken", "echo 'libgsoap.so: not found' >&2; exit 127"),
        "peer broken ended with status 127 when asked \"hello\"; its last words: libgsoap.so: not found"
    );
    let missing = start("missing", &scripts.0.path().join("missing"));
    let missing = missing.expect_err("no such program").to_string();
    assert!(missing.starts_with("peer missing cannot be started: "), "{missing}");
}

#[test]
fn a_dropped_peer_leaves_no_folder_behind() {
    let scripts = Scripts::new();
    let script = good_except("load", "echo \"$second\" > \"$0.corpus\"; echo 'loaded 3'");
    let mut peer = scripts.start(&script);
    peer.load("fix", &messages()).expect("a good answer");
    let corpus =
        fs::read_to_string(scripts.0.path().join("fake.corpus")).expect("the script wrote it");
    let corpus = PathBuf::from(corpus.trim());
    assert!(corpus.exists());
    drop(peer);
    assert!(!corpus.exists() && corpus.parent().is_some_and(|folder| !folder.exists()));
}

#[test]
fn a_peer_takes_part_in_a_trial() {
    let scripts = Scripts::new();
    let subject = |script: &str| {
        let subject = PeerSubject::new(scripts.start(script), "fix");
        assert_eq!((subject.name(), subject.format()), ("fake", "fix"));
        Box::new(subject)
    };
    let corpus = messages();
    let mut trial = Trial::new();
    trial.enter(
        subject(GOOD),
        &corpus,
        Box::new(|echo| (echo == messages()).then_some(()).ok_or("no".into())),
    );
    let rejecting = good_except("echo", "echo 'error out of memory'");
    trial.enter(subject(&rejecting), &corpus, Box::new(|_| Ok(())));
    let [good, rejecting] = trial.verify(&mut |_| ()).try_into().expect("two");
    assert_eq!(good, SubjectStatus::Verified);
    assert!(matches!(rejecting, SubjectStatus::Failed(why) if why.ends_with("out of memory")));
}

#[test]
fn known_peers_are_found_or_absent() {
    let scripts = Scripts::new();
    let program = scripts.put("quickfix", GOOD);
    fs::write(scripts.0.path().join("omniorb"), "not executable").expect("a file for the test");
    let discovery = Discovery::of(Some(scripts.0.path())).expect("the folder is there");
    let found: Vec<_> = discovery.found().collect();
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].0.name, found[0].1), ("quickfix", program.as_path()));
    let absent: Vec<_> = discovery.absent().map(|known| known.name).collect();
    assert_eq!(
        absent,
        [
            "gsoap-best",
            "gsoap-debian",
            "omniorb",
            "quick-xml",
            "ironfix",
            "pugixml",
            "gsoap-best-services",
            "gsoap-debian-services",
            "metro-services",
            "cxf-services",
            "axis-services",
            "asmx-services",
        ]
    );

    let error = Discovery::of(Some(&program)).expect_err("a file is no folder").to_string();
    assert_eq!(error, format!("--peers: {} is not a folder", program.display()));
}
