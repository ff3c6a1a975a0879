//! `trunkline lab run --against`: this build beside another, as one who changed a codec sees it.

#[path = "../../../tests/src/skip.rs"]
#[allow(unreachable_pub)]
mod skip;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use trunkline_bench::record::RunRecord;
use trunkline_bench::row::Row;

const PROGRAM: &str = env!("CARGO_BIN_EXE_trunkline");

/// Codecs of trades in one format.
const TRADES: &str = r#"
name = "trades"
source = "a test"
entries = [10]

[[part]]
name = "codec"
what = "codecs"
measure = [{ kind = "codec", formats = ["fix"] }]

[[part]]
name = "size"
what = "no codecs"
measure = [{ kind = "size", formats = ["fix"] }]

[[part]]
name = "instructions"
what = "what codecs take, counted"
measure = [{ kind = "instructions", formats = ["fix"] }]
"#;

/// Codecs of customer records.
const CUSTOMERS: &str = r#"
name = "customers"
source = "a test"
messages = { family = "customer-services", cases = [{ name = "two", customers = 1, products = 1 }] }

[[part]]
name = "codec"
what = "codecs"
measure = [{ kind = "codec", formats = ["ng-doc-literal", "ng-cdr"] }]
"#;

/// A build that does everything twice before it says that it is done.
const TWICE: &str = r#"#!/bin/sh
mkfifo "$0.questions" "$0.answers"
"PROGRAM" "$@" <"$0.questions" >"$0.answers" &
exec 3>"$0.questions" 4<"$0.answers"
rm "$0.questions" "$0.answers"
while read -r verb operation passes reused; do
    case $verb in
        run)
            echo "run $operation $((passes * 2))${reused:+ $reused}" >&3
            IFS=, read -r nanoseconds count <&4
            echo "$nanoseconds,$((count / 2))"
            ;;
        *)
            echo "$verb${operation:+ $operation}${passes:+ $passes}${reused:+ $reused}" >&3
            [ "$verb" = stop ] && break
            read -r answer <&4
            echo "$answer"
            ;;
    esac
done
"#;

fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("Cargo's folder for tests is writable");
    fs::write(folder.join("trades.toml"), TRADES).expect("a file");
    fs::write(folder.join("customers.toml"), CUSTOMERS).expect("a file");
    folder
}

fn script(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, text.replace("PROGRAM", PROGRAM)).expect("a file");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is ours");
    path
}

fn run(folder: &Path, experiment: &str, other: &Path, rest: &[&str]) -> Output {
    Command::new(PROGRAM)
        .args(["lab", "run", experiment, "--quick", "--quiet", "--json", "rows.jsonl", "--against"])
        .arg(other)
        .args(rest)
        .current_dir(folder)
        .env_remove("TRUNKLINE_PEERS")
        .output()
        .expect("the binary starts")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

fn compared(folder: &Path) -> Vec<Row> {
    let record = RunRecord::read(&folder.join("rows.jsonl")).expect("rows");
    record.rows.into_iter().filter(|row| row.metric == "over-other-build").collect()
}

#[test]
fn a_build_that_takes_twice_as_long_is_told_from_this_one() {
    let folder = folder("against-twice");
    let other = script(&folder, "twice", TWICE);
    let output = run(&folder, "trades.toml", &other, &["--only", "codec"]);
    let out = text(&output.stdout);
    assert_eq!(text(&output.stderr), "", "{out}");
    let rows = compared(&folder);
    let whats: Vec<(&str, &str)> =
        rows.iter().map(|row| (row.case.as_str(), row.subject.as_str())).collect();
    for what in [
        ("encode", "this-build"),
        ("encode-cold", "this-build"),
        ("encode", "this-build-record"),
        ("decode", "this-build"),
        ("decode", "this-build-reused"),
        ("decode", "this-build-record"),
    ] {
        assert!(whats.contains(&what), "{what:?} in {whats:?}");
    }
    // On a machine however busy, one of them comes out near a half.
    let near = rows.iter().filter_map(|row| row.value).filter(|it| (0.35..0.65).contains(it));
    assert!(near.count() > 0, "{rows:#?}");
    assert!(out.contains("This build beside the other"), "{out}");
    assert!(out.contains(&format!("of {} times: ", rows.len())), "{out}");
    assert!(out.lines().all(|line| line.chars().count() <= 100), "{out}");
}

/// Of one build in two processes, so that a difference between builds is one of the code.
#[test]
fn counted_instructions_of_one_build_are_the_same_each_time() {
    let folder = folder("against-counted");
    if Command::new("valgrind").arg("--version").output().is_err() {
        skip::skip("valgrind is not there; Debian has it in the package valgrind");
        return;
    }
    let output = run(&folder, "trades.toml", Path::new(PROGRAM), &["--only", "instructions"]);
    assert_eq!(text(&output.stderr), "");
    let out = text(&output.stdout);
    assert!(out.contains("Instructions that a message takes"), "{out}");
    let rows = RunRecord::read(&folder.join("rows.jsonl")).expect("rows").rows;
    let of = |case: &str, subject: &str| {
        let named = |row: &&Row| (&*row.case, &*row.subject) == (case, subject);
        let row = rows.iter().filter(|row| row.metric == "instructions").find(named);
        row.and_then(|row| row.value).expect("a count")
    };
    for case in ["instructions-encode", "instructions-decode"] {
        let [this, other] = ["trunkline", "other-build"].map(|name| of(case, name));
        let is_same = (this / other - 1.0).abs() < 0.001;
        assert!(this > 1_000.0 && is_same, "{case}: {this}, {other}");
    }
    let reused = of("instructions-decode", "trunkline-reused");
    assert!(reused < of("instructions-decode", "trunkline"), "nothing is allocated");
}

#[test]
fn records_of_customers_are_compared_too() {
    let folder = folder("against-customers");
    let output = run(&folder, "customers.toml", Path::new(PROGRAM), &[]);
    let out = text(&output.stdout);
    assert_eq!(text(&output.stderr), "", "{out}");
    let rows = compared(&folder);
    // Two formats, encoded, decoded into new ones and into one.
    assert_eq!(rows.len(), 2 * 3, "{rows:#?}");
    assert!(out.contains("document/literal") && out.contains("binary CDR"), "{out}");
}

#[test]
fn what_is_no_other_build_is_rejected_before_anything_is_measured() {
    let folder = folder("against-rejected");
    let bare = script(&folder, "bare", "#!/bin/sh\nexec \"PROGRAM\" lab end --bare\n");
    for (other, only, expected) in [
        (Path::new("nowhere"), "codec", "nowhere: is no build of trunkline: "),
        (Path::new("/bin/true"), "codec", "/bin/true: is no build of trunkline: "),
        (&bare, "codec", "bare: is no build of trunkline: it says that it is bare"),
        (Path::new(PROGRAM), "size", "no part that was chosen has codecs"),
    ] {
        let output = run(&folder, "trades.toml", other, &["--only", only]);
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(2), ""));
        let told = text(&output.stderr);
        assert!(told.starts_with("trunkline: --against: ") && told.contains(expected), "{told}");
    }
}
