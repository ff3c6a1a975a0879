//! `trunkline lab run bridge` as a user sees it: engines of FIX, and the router with sessions joined to its topics.

mod runs;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use runs::{folder, rows, run, told, value};
use trunkline_bench::row::{Row, Verdict};

/// Everything that can be measured of sessions, as short as it can be.
const SMALL: &str = r#"
name = "small"
source = "a test"

[messages]
family = "fix-sessions"

[[part]]
name = "engines"
what = "a few orders"

[[part.measure]]
kind = "engines"
round-trips = 100
orders = 1_000
kept-round-trips = 100
kept-orders = 500
count = 1

[[part]]
name = "router"
what = "a few prices"

[[part.measure]]
kind = "bridge"
sessions = [3]
rates = [500]
milliseconds = 100
count = 1

[[part.measure]]
kind = "renditions"
clients = 4
rate = 200
milliseconds = 100
count = 1

[[part]]
name = "filters"
what = "a few prices for those who do not want all of it"

[[part.measure]]
kind = "filters"
clients = 4
rate = 400
milliseconds = 100
count = 2

[[part]]
name = "beside"
what = "a few prices beside others"

[[part.measure]]
kind = "beside"
sessions = 3
rate = 500
session-rate = 100
milliseconds = 100
count = 1

[[aim]]
name = "one rendition for all"
words = "a message is converted once at most for each format"
expected = { to = 1.0 }
terms = [{ over = "renditions-4:made-per-message-and-format" }]

[[aim]]
name = "decoded once for all"
words = "a message is decoded once at most"
expected = { to = 1.0 }
terms = [
    { over = "wanted-filter-half-4:decoded-per-message" },
    { over = "wanted-filters-half-4:decoded-per-message" },
]
"#;

/// What a run of these parts has found, and said.
fn small(test: &str, rest: &[&str]) -> (Vec<Row>, String) {
    let folder = folder(test);
    fs::write(folder.join("small.toml"), SMALL).expect("a file");
    let output = run(&folder, "small.toml", rest);
    let told = told(&output);
    // Times decide nothing here.
    assert!(matches!(output.status.code(), Some(0 | 3)), "{told}");
    (rows(&folder), told)
}

#[test]
fn prices_of_sessions_reach_subscribers_of_every_kind() {
    let (rows, told) = small("bridge-router", &["--only", "router,beside"]);
    let of = |case: &str, metric: &str| value(&rows, case, "trunkline", metric);
    for to in ["native", "json"] {
        assert!(of(&format!("to-{to}-3-500"), "latency-p50") > 0.0, "{to}");
    }
    // It gets the newest alone, which may be few.
    assert!(of("to-fix-3-500", "received-per-second") > 0.0);
    // At this rate nobody is behind.
    for to in ["native", "json"] {
        assert_eq!(of(&format!("to-{to}-3-500"), "lost"), 0.0, "{to}");
    }
    assert_eq!(of("router-3-500", "refused"), 0.0);
    // However many clients there are, each message is converted once for each of three formats.
    assert_eq!(of("renditions-4", "made-per-message-and-format"), 1.0);
    assert_eq!(of("renditions-4", "lost"), 0.0);
    let aim = rows.iter().find(|row| row.case == "aim").expect("it is judged");
    assert_eq!(aim.verdict, Verdict::Holds, "{aim:?}");
    for format in ["json", "soap-1.1", "cdr"] {
        let case = format!("rendition-{format}");
        assert!(of(&case, "cpu-time") > 0.0 && of(&case, "over-codec") > 0.0, "{format}");
    }
    for sessions in [0, 3] {
        assert!(of(&format!("beside-{sessions}"), "latency-p50") > 0.0);
    }
    for title in ["Prices of FIX sessions", "clients of three formats", "beside FIX sessions"] {
        assert!(told.contains(title), "{title}: {told}");
    }
    assert!(told.lines().all(|line| line.chars().count() <= 100), "{told}");
}

#[test]
fn filters_and_fields_are_measured_with_clients_and_by_themselves() {
    let (rows, told) = small("bridge-filters", &["--only", "filters"]);
    let of = |case: &str, metric: &str| value(&rows, case, "trunkline", metric);
    // Fifty messages a turn, to four clients each, of which a filter passes half, all or none.
    for (wanted, decoded, filtered) in [
        ("everything", 0.0, Some(0.0)),
        ("fields", 1.0, Some(0.0)),
        ("filter-all", 1.0, Some(0.0)),
        ("filter-half", 1.0, None),
        ("filters-half", 1.0, None),
        ("filter-none", 1.0, Some(400.0)),
    ] {
        let case = format!("wanted-{wanted}-4");
        assert_eq!(of(&case, "decoded-per-message"), decoded, "{wanted}");
        assert_eq!(of(&case, "lost"), 0.0, "{wanted}");
        let is_filtered = of(&case, "filtered");
        match filtered {
            Some(filtered) => assert_eq!(is_filtered, filtered, "{wanted}"),
            None => assert!((100.0..300.0).contains(&is_filtered), "{wanted}: {is_filtered}"),
        }
        assert_eq!(of(&case, "received-per-second") > 0.0, filtered != Some(400.0), "{wanted}");
        let has_come = rows.iter().any(|row| row.case == case && row.metric == "latency-p50");
        assert_eq!(has_come, filtered != Some(400.0), "{wanted}");
        assert!(of(&case, "cpu-per-message") >= 0.0, "{wanted}");
    }
    for of_it in ["filter", "filters", "fields", "fields-json"] {
        let case = format!("cost-of-{of_it}");
        assert!(of(&case, "cpu-time") > 0.0 && of(&case, "over-codec") > 0.0, "{of_it}");
    }
    let further = rows.iter().filter(|row| row.metric == "further-filter");
    let further: Vec<&str> = further.map(|row| &*row.case).collect();
    assert_eq!(further, ["cost-of-filters"]);
    let aims: Vec<&Row> = rows.iter().filter(|row| row.case == "aim").collect();
    let [aim] = aims[..] else { panic!("{aims:#?}") };
    assert_eq!(aim.verdict, Verdict::Holds, "{aim:?}");
    for title in ["Clients that want fields", "What filters and fields cost"] {
        assert!(told.contains(title), "{title}: {told}");
    }
    assert!(told.lines().all(|line| line.chars().count() <= 100), "{told}");
}

#[test]
fn engines_are_measured_where_they_are_and_say_what_they_promise() {
    let peers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../peers/build/bin");
    let is_there = |engine: &str| peers.join(format!("{engine}-speed")).is_file();
    let folder = peers.to_str().expect("UTF-8").to_owned();
    let arguments = ["--only", "engines", "--peers", &folder];
    let is_built = peers.is_dir();
    let (rows, told) = small("bridge-engines", if is_built { &arguments } else { &arguments[..2] });
    for kept in ["memory", "files"] {
        let case = format!("session-{kept}");
        for engine in [
            "trunkline",
            "trunkline-spinning",
            "trunkline-sleeping",
            "quickfix",
            "quickfixj",
            "artio",
        ] {
            let is_measured = engine.starts_with("trunkline") || is_there(engine);
            let of_engine: Vec<&Row> =
                rows.iter().filter(|row| row.case == case && row.subject == engine).collect();
            if !is_measured {
                assert!(
                    of_engine.iter().all(|row| row.verdict == Verdict::Absent),
                    "{of_engine:#?}"
                );
                assert_eq!(of_engine.len(), 1);
                continue;
            }
            for metric in ["logon", "round-trip-p50", "round-trip-p99", "messages-per-second"] {
                assert!(value(&rows, &case, engine, metric) > 0.0, "{case} {engine} {metric}");
            }
            let is_ours = engine.starts_with("trunkline");
            let promise = if is_ours { "synced to the disk" } else { "left to the system" };
            let is_told = |row: &&Row| row.profile.contains(promise) == (kept == "files");
            assert!(of_engine.iter().all(is_told), "{of_engine:#?}");
        }
    }
    assert!(told.contains("Engines of FIX"), "{told}");
    assert!(told.lines().all(|line| line.chars().count() <= 100), "{told}");
}

/// An engine of others that says what cannot be.
#[test]
fn an_engine_that_cannot_have_done_what_it_says_is_not_believed() {
    let folder = folder("bridge-false");
    fs::write(folder.join("small.toml"), SMALL).expect("a file");
    let peers = folder.join("peers");
    fs::create_dir_all(&peers).expect("a folder");
    let program = "#!/bin/sh\nwhile read -r line; do case \"$line\" in\n\
                   hello) echo 'hello quickfix-speed 1 fix' ;;\n\
                   stop) exit ;;\n\
                   *) echo 'measured 1000 2000 3000 1' ;;\nesac; done\n";
    let file = peers.join("quickfix-speed");
    fs::write(&file, program).expect("a file");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("it can be run");
    let output = run(&folder, "small.toml", &["--only", "engines", "--peers", "peers"]);
    let told = told(&output);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("times within"), "{told}");
    let rows = rows(&folder);
    let theirs: Vec<&Row> = rows.iter().filter(|row| row.subject == "quickfix").collect();
    assert!(theirs.iter().any(|row| row.verdict == Verdict::WrongAnswer), "{theirs:#?}");
    assert!(theirs.iter().all(|row| row.value.is_none()), "{theirs:#?}");
}
