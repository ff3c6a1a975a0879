//! `trunkline lab run kohlhoff-2004` as a user sees it: tables, rows, faults and exit status.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use trunkline_bench::record::RunRecord;
use trunkline_bench::row::{Row, Verdict};

/// An empty folder of one test with a file of forty trades.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("Cargo's folder for tests is writable");
    let mut text = String::from("ms_since_midnight,symbol,price_x10000,size,venue,condition\n");
    for trade in 0..40_u32 {
        text.push_str(&format!("{},CBG,{},451,P,0\n", 36_000_000 + trade * 900, 63_500 + trade));
    }
    fs::write(folder.join("day.csv"), text).expect("a file");
    folder
}

fn run(folder: &Path, rest: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_trunkline"))
        .args(["lab", "run", "kohlhoff-2004", "--quick", "--quiet", "--trades", "day.csv"])
        .args(rest)
        .current_dir(folder)
        .env_remove("TRUNKLINE_PEERS")
        .output()
        .expect("the binary starts")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

/// The only row of this kind.
fn row<'a>(record: &'a RunRecord, subject: &str, profile: &str, metric: &str) -> &'a Row {
    let is_it = |row: &&Row| {
        (row.subject.as_str(), row.metric.as_str()) == (subject, metric)
            && row.profile.contains(profile)
            && !row.case.starts_with("size-figure")
    };
    let found: Vec<&Row> = record.rows.iter().filter(is_it).collect();
    assert_eq!(found.len(), 1, "{subject} {profile} {metric}: {found:#?}");
    found[0]
}

#[test]
fn sizes_are_told_as_tables_and_rows() {
    let folder = folder("kohlhoff-size");
    let output = run(&folder, &["--only", "size", "--json", "rows.jsonl", "--record"]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    let out = text(&output.stdout);
    assert!(out.starts_with("kohlhoff-2004 on 2"), "{out}");
    assert!(out.contains("the 40 trades of: day.csv"), "{out}");
    assert!(out.contains("Bytes of a message") && !out.contains("Encoding"), "{out}");
    assert!(out.lines().all(|line| line.chars().count() <= 100), "{out}");

    let record = RunRecord::read(&folder.join("rows.jsonl")).expect("rows");
    assert_eq!(record.machine.case, "machine");
    let fix = row(&record, "trunkline", "none/fix-4.3/tag-value/none/none", "size-per-entry");
    assert_eq!(fix.paper, Some(109.9));
    assert!((fix.value.expect("a size") - 109.9).abs() < 10.0, "{fix:?}");
    let soap = row(&record, "trunkline", "rpc-encoded/xml-utf8/none/", "size-fixed");
    assert_eq!((soap.paper, soap.verdict), (Some(639.0), Verdict::Ok));

    let dated: Vec<_> = fs::read_dir(folder.join("records")).expect("made").collect();
    let [Ok(dated)] = &dated[..] else { panic!("{dated:?}") };
    let name = dated.file_name().into_string().expect("UTF-8");
    assert!(name.ends_with("-kohlhoff-2004-size-quick.jsonl"), "{name}");
    assert_eq!(RunRecord::read(&dated.path()).expect("rows").rows, record.rows);
}

#[test]
fn without_peers_ours_are_timed_and_the_absent_named_once() {
    let folder = folder("kohlhoff-codec");
    let output = run(&folder, &["--only", "codec", "--json", "rows.jsonl"]);
    assert_eq!(text(&output.stderr), "");
    let out = text(&output.stdout);
    let absent: Vec<&str> = out.lines().filter(|line| line.starts_with("absent (")).collect();
    assert_eq!(
        absent,
        ["absent (make peers): \
          gsoap-best, gsoap-debian, quickfix, omniorb, quick-xml, ironfix, pugixml"]
    );
    assert!(out.lines().all(|line| line.chars().count() <= 100), "{out}");
    let record = RunRecord::read(&folder.join("rows.jsonl")).expect("rows");
    // A noisy machine may leave a conclusion open, which has a status of its own.
    let mut conclusions = record.rows.iter().filter(|row| row.case == "conclusion");
    let is_open = conclusions.any(|row| row.verdict == Verdict::Inconclusive);
    assert_eq!(output.status.code(), Some(if is_open { 3 } else { 0 }), "{out}");
    assert!(record.machine.noise_floor.is_some());
    for subject in ["trunkline", "trunkline-record"] {
        for (profile, operation) in
            [("soap-1.1-rpc-encoded/xml-utf8/none", "decode"), ("fix-4.3", "encode")]
        {
            let timed = record.rows.iter().find(|row| {
                row.subject == subject
                    && row.case == operation
                    && row.metric == "cpu-time"
                    && row.entries == Some(10)
                    && row.profile.contains(profile)
            });
            let timed = timed.unwrap_or_else(|| panic!("no {operation} of {subject} {profile}"));
            assert!(
                timed.value > Some(0.0) && timed.low <= timed.value && timed.value <= timed.high
            );
            assert!(timed.runs >= 7 && timed.paper.is_some(), "{timed:?}");
        }
    }
    assert!(record.rows.iter().all(|row| row.subject != "trunkline-twin"));
}

/// Puts programs that are to be peers into the folder `peers`.
fn put_peers(folder: &Path, programs: &[(&str, &str)]) {
    let peers = folder.join("peers");
    fs::create_dir(&peers).expect("our own folder");
    for (name, program) in programs {
        let path = peers.join(name);
        let draft = folder.join(name);
        fs::write(&draft, program).expect("a file");
        // By another process, so that none of ours holds the program open for writing.
        assert!(Command::new("cp").args([&draft, &path]).status().expect("cp starts").success());
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("our own file");
    }
}

#[test]
fn a_peer_has_sizes_of_its_own_and_what_compact_tags_save_it() {
    let folder = folder("kohlhoff-peer-sizes");
    let own = format!("#!/bin/sh\nexec {} lab end\n", env!("CARGO_BIN_EXE_trunkline"));
    put_peers(&folder, &[("gsoap-best", &own)]);
    let output = run(&folder, &["--only", "size", "--peers", "peers", "--json", "rows.jsonl"]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    let out = text(&output.stdout);
    assert_eq!(out.lines().filter(|line| line.starts_with("  by gsoap-best ")).count(), 3, "{out}");
    let record = RunRecord::read(&folder.join("rows.jsonl")).expect("rows");
    let saved = |subject: &str| {
        let is_it = |row: &&Row| {
            row.subject == subject
                && row.metric == "reduction"
                && row.profile.contains("/compact-tags/")
                && row.entries == Some(10)
        };
        record.rows.iter().find(is_it).and_then(|row| row.value)
    };
    assert!(saved("gsoap-best") > Some(30.0) && saved("gsoap-best") == saved("trunkline"), "{out}");
    let is_judged = |row: &Row| row.case == "conclusion" && row.subject == "gsoap-best";
    assert!(record.rows.iter().any(is_judged), "{out}");
}

/// A peer that echoes what it was given with another symbol, so that the check sum no longer fits.
const WRONG: &str = r#"#!/bin/sh
while read -r word first second; do
    case $word in
        hello) echo hello quickfix 1.0 fix ;;
        load)
            cp "$second" "$second.kept"
            kept=$second.kept
            count=$(grep -a -o '8=FIX' "$kept" | wc -l)
            echo loaded $count ;;
        echo)
            LC_ALL=C sed 's/=CBG/=CBX/g' "$kept" > "$first"
            echo echoed $count ;;
        *) exit ;;
    esac
done
"#;

/// A peer that says whatever is believed without an echo.
const SECRET: &str = r#"#!/bin/sh
while read -r word first second; do
    case $word in
        hello) echo hello pugixml 1.0 soap-doc ;;
        load) count=$(grep -a -o 'Envelope>' "$second" | wc -l); echo loaded $count ;;
        run) echo "$((second * count * 10)),$((second * count))" ;;
        stop) exit ;;
        *) echo error cannot encode ;;
    esac
done
"#;

#[test]
fn a_peer_that_answers_wrongly_or_dies_is_told_and_is_the_exit_status() {
    let folder = folder("kohlhoff-faults");
    let dying =
        "#!/bin/sh\nread hello; echo hello omniorb 4.2 cdr-le; read load; echo gone >&2; exit 3\n";
    let foreign = "#!/bin/sh\nread hello; echo hello ironfix 0.5 fixml; read stop\n";
    let programs =
        [("quickfix", WRONG), ("omniorb", dying), ("ironfix", foreign), ("pugixml", SECRET)];
    put_peers(&folder, &programs);
    let output = run(&folder, &["--only", "codec", "--peers", "peers", "--json", "rows.jsonl"]);
    assert_eq!(output.status.code(), Some(1));
    let mut faults: Vec<&str> = text(&output.stderr).lines().collect();
    faults.sort_unstable();
    let is_of_reused = |fault: &&str| fault.contains("-reused (");
    let (reused, faults): (Vec<&str>, Vec<&str>) = faults.into_iter().partition(is_of_reused);
    assert_eq!(reused.len(), 3, "each way of decoding is tried by itself: {reused:#?}");
    let [omniorb, ironfix, pugixml, quickfix] = faults[..] else { panic!("{faults:#?}") };
    assert!(
        omniorb
            .contains("omniorb (cdr-le), encode messages of 1: peer omniorb ended with status 3"),
        "{omniorb}"
    );
    assert!(omniorb.ends_with("its last words: gone"), "{omniorb}");
    assert_eq!(ironfix, "trunkline: peer ironfix does not know fix, but fixml");
    assert!(pugixml.contains("pugixml (soap-doc), decode messages of 1: "), "{pugixml}");
    assert!(pugixml.ends_with(": cannot encode"), "{pugixml}");
    assert!(
        quickfix.contains("quickfix (fix), encode messages of 1: peer quickfix "),
        "{quickfix}"
    );
    assert!(quickfix.contains("CheckSum") && quickfix.contains("of message 0 "), "{quickfix}");
    let record = RunRecord::read(&folder.join("rows.jsonl")).expect("rows");
    let verdict = |subject: &str| {
        let row = record.rows.iter().find(|row| row.subject == subject);
        row.map(|row| (row.value, row.verdict))
    };
    assert_eq!(verdict("quickfix"), Some((None, Verdict::WrongAnswer)));
    assert_eq!(verdict("omniorb"), Some((None, Verdict::Absent)));
    assert_eq!(verdict("pugixml"), Some((None, Verdict::Unverified)));
    let of_secret = record.rows.iter().filter(|row| row.subject.starts_with("pugixml"));
    assert!(of_secret.clone().all(|row| row.value.is_none()), "it is not timed");
    let out = text(&output.stdout);
    assert!(out.contains("wrong-answer"), "{out}");
    assert!(out.contains("peers): gsoap-best, gsoap-debian, quick-xml, ironfix\n"), "{out}");
}
