//! `trunkline simulate` as a user sees it.

use std::process::Command;

fn simulate(arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_trunkline"))
        .arg("simulate")
        .args(arguments)
        .output()
        .expect("the binary starts");
    (output.status.code(), String::from_utf8(output.stdout).expect("UTF-8"))
}

#[test]
fn a_seed_tells_what_happened_and_is_the_same_twice() {
    let (status, text) = simulate(&["--seed", "4", "--steps", "300"]);
    assert_eq!(status, Some(0), "{text}");
    assert!(text.starts_with("seed 4, 300 steps each"), "{text}");
    assert!(
        text.contains("  messages delivered\n")
            && text.contains("\nright: order, last values, gaps"),
        "{text}"
    );
    assert_eq!(simulate(&["--seed", "4", "--steps", "300"]).1, text);
}

#[test]
fn several_runs_add_up() {
    let (status, text) = simulate(&["--seed", "10", "--runs", "3", "--steps", "100"]);
    assert_eq!(status, Some(0), "{text}");
    assert!(text.starts_with("seeds 10 to 12, 100 steps each"), "{text}");
    assert_eq!(simulate(&["--runs", "0"]).0, Some(2));
    assert_eq!(simulate(&["--seed", &u64::MAX.to_string(), "--runs", "2"]).0, Some(2));
}
