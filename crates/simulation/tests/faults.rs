//! The planted faults still fit the sources, and name checkers that there are. That they are found is shown by
//! `tests/soak-faults`, which builds the event loop with each.

use std::fs;
use std::path::Path;

use trunkline_simulation::{CHECKERS, POWER_CHECKERS};

/// What the sources have to have in one place, of each part of a patch.
fn expected(patch: &str) -> Vec<(String, String)> {
    let (mut file, mut parts) = (String::new(), Vec::<(String, String)>::new());
    for line in patch.lines() {
        if let Some(name) = line.strip_prefix("--- a/") {
            file = name.to_owned();
        } else if line.starts_with("@@") {
            parts.push((file.clone(), String::new()));
        } else if let (Some((_, text)), Some(kept)) =
            (parts.last_mut(), line.strip_prefix([' ', '-']))
            && !line.starts_with("---")
        {
            text.push_str(kept);
            text.push('\n');
        }
    }
    parts
}

#[test]
fn faults_fit_the_sources_and_name_a_checker() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut names = Vec::new();
    for entry in fs::read_dir(here.join("faults")).expect("the faults") {
        let path = entry.expect("a fault").path();
        let patch = fs::read_to_string(&path).expect("a patch");
        let name = patch.lines().next().and_then(|line| line.strip_prefix("checker: "));
        let name = name.unwrap_or_else(|| panic!("{} names no checker", path.display()));
        assert!(CHECKERS.contains(&name) || POWER_CHECKERS.contains(&name), "{name}");
        names.push(name.to_owned());
        let parts = expected(&patch);
        assert!(!parts.is_empty(), "{} changes nothing", path.display());
        for (file, text) in parts {
            let source = fs::read_to_string(here.join("../..").join(&file)).expect("a source");
            let fits = source.matches(&text).count() == 1;
            assert!(fits, "{} does not fit one place of {file}:\n{text}", path.display());
        }
    }
    for checker in ["fairness", "back-pressure", "lingering", "commit order", "last values"] {
        assert!(names.iter().any(|name| name == checker), "there is no fault for {checker}");
    }
}
