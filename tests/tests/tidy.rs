//! The invariants of ARCHITECTURE.md, kept by reading the sources.

use std::fs;
use std::path::{Path, PathBuf};

/// Every crate of the product and those of ours that it may use, dev-dependencies apart.
const CRATES: &[(&str, &[&str])] = &[
    ("wire", &[]),
    ("message-derive", &["wire"]),
    ("message", &["wire", "message-derive"]),
    ("codec", &["wire", "message"]),
    ("soap", &["wire", "message", "codec"]),
    ("catalogue", &["wire", "message"]),
    ("import", &["wire", "message", "codec", "soap"]),
    ("net", &["wire", "message", "codec"]),
    ("transcode", &["wire", "message", "codec", "soap", "catalogue", "import", "net"]),
    ("tls", &[]),
    ("ws-security", &["wire", "message", "codec", "soap", "tls"]),
    ("compression", &[]),
    ("http", &["compression", "tls"]),
    ("native", &["wire"]),
    ("random", &[]),
    ("journal", &["wire", "random"]),
    ("fix", &["wire", "message", "codec", "import", "journal", "tls"]),
    ("router", &["wire"]),
    ("store", &["journal", "router"]),
    ("security", &["router"]),
    (
        "session",
        &[
            "wire",
            "message",
            "message-derive",
            "codec",
            "soap",
            "net",
            "http",
            "native",
            "router",
            "store",
            "security",
            "ws-security",
        ],
    ),
    ("export", &["message", "soap", "import", "session"]),
    ("reactor", &["wire", "tls"]),
    ("client", &["native", "reactor"]),
    (
        "server",
        &[
            "wire",
            "import",
            "transcode",
            "native",
            "journal",
            "router",
            "store",
            "security",
            "session",
            "reactor",
            "tls",
            "http",
        ],
    ),
    (
        "simulation",
        &[
            "random", "native", "journal", "router", "store", "security", "session", "reactor",
            "client", "server",
        ],
    ),
    ("bridge", &["catalogue", "import", "fix", "router", "client", "server"]),
    ("bench", &["wire"]),
    ("experiment", &["wire", "bench"]),
    ("report", &["wire", "bench", "experiment"]),
    ("bench-bus", &["bench", "tls", "reactor", "client"]),
    ("demo", &["wire", "random", "bench", "bench-bus"]),
    (
        "lab",
        &[
            "random",
            "bench",
            "bench-bus",
            "demo",
            "experiment",
            "report",
            "wire",
            "message",
            "codec",
            "soap",
            "catalogue",
            "import",
            "net",
            "transcode",
            "tls",
            "http",
            "fix",
            "session",
            "native",
            "router",
            "reactor",
            "client",
            "server",
        ],
    ),
    (
        "cli",
        &[
            "bench",
            "bench-bus",
            "bridge",
            "demo",
            "experiment",
            "report",
            "wire",
            "message",
            "codec",
            "soap",
            "catalogue",
            "import",
            "export",
            "net",
            "transcode",
            "http",
            "fix",
            "session",
            "native",
            "journal",
            "store",
            "security",
            "reactor",
            "client",
            "server",
            "simulation",
            "lab",
        ],
    ),
];

/// The only files with `unsafe` in them.
const UNSAFE: &[&str] = &[
    "crates/cli/src/memory.rs",
    "crates/reactor/src/queued.rs",
    "crates/reactor/src/shared/map.rs",
    "crates/wire/src/prefetch.rs",
    "crates/wire/src/scan/aarch64.rs",
    "crates/wire/src/scan/x86_64.rs",
    "crates/wire/src/text.rs",
    // The counting allocator.
    "tests/tests/allocations.rs",
];

/// Crates that cannot forbid what they have.
const UNSAFE_CRATES: &[&str] = &["cli", "reactor", "wire"];

const PEERS: &[&str] = &["gsoap", "quickfix", "omniorb", "quick-xml", "ironfix", "pugixml"];

const ATTRIBUTES: &[&str] = &["fix", "xml", "cdr"];
/// Formats besides the modules of `codec`.
const FORMATS: &[&str] = &["soap", "giop", "fixml"];

/// Types of the catalogue whose names are other words too: a code of SOAP 1.2, a type of `Deref`.
const OTHER_WORDS: &[&str] = &["Sender", "Target"];

/// Words of ours that the field has its own for, and those: none is a part of a name any more.
const GIVEN_UP_EVERYWHERE: &[(&str, &str)] = &[
    ("entrant", "participant"),
    ("entrants", "participants"),
    ("strand", "end of a pipeline"),
    ("stranger", "connection that lingers, or one unknown"),
    ("strangers", "connections that linger, or what is unknown"),
];

/// The same, of words that measuring has no use for.
const GIVEN_UP_BY_THE_LAB: &[(&str, &str)] =
    &[("standing", "subject status"), ("wish", "request"), ("wishes", "requests")];

/// The crates that measure and report.
const LAB: &[&str] = &["bench", "experiment", "report", "bench-bus", "demo", "lab"];

/// The same, of words that the router alone has no use for.
const GIVEN_UP: &[(&str, &str)] = &[
    ("chore", "background task"),
    ("chores", "background tasks"),
    ("desk", "client context"),
    ("door", "listener"),
    ("doors", "listeners"),
    ("face", "renderer"),
    ("faces", "renderers"),
    ("farewell", "linger"),
    ("hear", "receive"),
    ("keeper", "storage"),
    ("lane", "match"),
    ("lanes", "matches"),
    ("learner", "recovery"),
    ("meddle", "tamper"),
    ("meddled", "tampered"),
    ("member", "client session"),
    ("misfortune", "fault"),
    ("newcomer", "new producer"),
    ("newcomers", "new producers"),
    ("obey", "run commands"),
    ("office", "engine state"),
    ("outlet", "event sink"),
    ("reminder", "timer"),
    ("reminders", "timers"),
    ("sight", "observation"),
    ("sights", "observations"),
    ("standing", "subscription state"),
    ("unheard", "ignored"),
    ("untold", "unreported"),
    ("wiring", "link options"),
    ("wishes", "requested"),
    ("wound", "damaged record"),
    ("wounds", "damaged records"),
];

/// The same, of words that formats have no use for.
const GIVEN_UP_BY_FORMATS: &[(&str, &str)] = &[
    ("detour", "scope path"),
    ("habit", "prediction"),
    ("habits", "predictions"),
    ("insides", "containers"),
    ("keeper", "what keeps unknown content"),
    ("learnt", "template"),
    ("marks", "attributes"),
    ("nobody", "discard"),
    ("otherwise", "else; the slow path"),
    ("standing", "state"),
    ("sureness", "confidence"),
    ("tally", "counter"),
    ("told", "written, named, events"),
    ("way", "path"),
    ("ways", "paths"),
];

/// The same, of words that sessions have no use for.
const GIVEN_UP_BY_SESSIONS: &[(&str, &str)] = &[
    ("asked", "requested"),
    ("otherwise", "fallback"),
    ("space", "namespace"),
    ("spaces", "namespaces"),
    ("told", "outgoing, or named"),
];

/// The crates of the formats.
const FORMAT_CRATES: &[&str] = &["codec", "soap"];

/// What the router does not take is rejected, and nothing else.
const GIVEN_UP_FOR_REJECTED: &[(&str, &str)] = &[
    ("denied", "rejected"),
    ("refusal", "rejection"),
    ("refuse", "reject"),
    ("refused", "rejected"),
    ("refuses", "rejects"),
];

/// The crates that are the router.
const ROUTER: &[&str] = &[
    "native",
    "journal",
    "router",
    "store",
    "security",
    "reactor",
    "client",
    "server",
    "simulation",
];

/// The most of all lines that one crate may have.
const PERCENT_OF_A_CRATE: usize = 15;
const LINES_OF_A_FILE: usize = 800;
const LINES_OF_A_FUNCTION: usize = 70;

/// Longer functions, and the lines that each may have: they do one thing, which is worse in parts.
const LONG_FUNCTIONS: &[(&str, &str, usize)] =
    &[("crates/soap/src/paths.rs", "fast_step", 80), ("tests/tests/cdr_vectors.rs", "text", 80)];

fn root() -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().expect("the folder of the workspace").to_owned()
}

/// A source file, and its code without comments, with empty strings.
struct Source {
    /// From the workspace, with slashes.
    path: String,
    text: String,
    code: String,
}

impl Source {
    fn words(&self) -> impl Iterator<Item = &str> {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        self.code.split(move |c| !is_part(c)).filter(|word| !word.is_empty())
    }
}

/// Every Rust source of the workspace below `folder`.
fn sources(folder: &str) -> Vec<Source> {
    let found: Vec<Source> = files(&root().join(folder))
        .into_iter()
        .filter(|path| path.ends_with(".rs"))
        .map(|path| {
            let text = fs::read_to_string(root().join(&path)).expect("a source file");
            Source { code: code(&text), path, text }
        })
        .collect();
    assert!(!found.is_empty(), "no sources in {folder}");
    found
}

fn workspace() -> Vec<Source> {
    ["crates", "tests"].into_iter().flat_map(sources).collect()
}

/// The files below a folder that are the project's own, as paths from the workspace.
fn files(folder: &Path) -> Vec<String> {
    let made = ["target", ".git", "build", "node_modules", "corpus", "artifacts", "__pycache__"];
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of the workspace") {
        let path = entry.expect("an entry of the folder").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if made.contains(&&*name) || path.is_symlink() {
            continue;
        }
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            let path = path.strip_prefix(root()).expect("a path in the workspace");
            found.push(path.to_string_lossy().replace('\\', "/"));
        }
    }
    found.sort();
    found
}

/// The code alone: comments are gone, and what stands in strings and characters; lines stay lines.
fn code(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            block_comment(rest)
        } else if c == '"' {
            quoted(rest)
        } else if let Some(length) = raw_string(rest, &out) {
            length
        } else if c == '\'' {
            character(rest).unwrap_or(0)
        } else {
            0
        };
        if length == 0 {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        } else {
            let gone = &rest[..length];
            out.push_str(if gone.starts_with('/') { " " } else { "\"\"" });
            out.extend(gone.chars().filter(|c| *c == '\n'));
            rest = &rest[length..];
        }
    }
    out
}

fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        let step = match &text.as_bytes()[at..] {
            [b'/', b'*', ..] => (1, 2),
            [b'*', b'/', ..] => (-1, 2),
            _ => (0, 1),
        };
        depth += step.0;
        at += step.1;
        if depth == 0 {
            break;
        }
    }
    at
}

fn quoted(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// `r"..."`, `r#"..."#`; a prefix `b` before it has been passed already.
fn raw_string(text: &str, before: &str) -> Option<usize> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut earlier = before.chars().rev();
    let previous = earlier.next().filter(|c| *c != 'b' || earlier.next().is_some_and(is_word));
    if previous.is_some_and(is_word) {
        return None;
    }
    let after = text.strip_prefix('r')?;
    let hashes = after.len() - after.trim_start_matches('#').len();
    let content = after[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let length = content.find(&end)?;
    Some(1 + hashes + 1 + length + end.len())
}

/// A character literal; `None` where the quote begins a lifetime.
fn character(text: &str) -> Option<usize> {
    let inside = &text[1..];
    let first = inside.chars().next()?;
    if first == '\\' {
        let end = inside[2..].find('\'')?;
        return Some(1 + 2 + end + 1);
    }
    let after = &inside[first.len_utf8()..];
    after.starts_with('\'').then_some(1 + first.len_utf8() + 1)
}

/// Names and lines of the functions in code.
fn functions(code: &str) -> Vec<(&str, usize)> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("fn ") {
        let is_word =
            code[..at].chars().next_back().is_some_and(|c| c.is_alphanumeric() || c == '_');
        let name = code[at + 3..].split(|c: char| !c.is_alphanumeric() && c != '_').next();
        let Some(name) = name.filter(|name| !name.is_empty() && !is_word) else { continue };
        // A declaration without a body ends before any brace opens; `[u8; 4]` does not end it.
        let mut depth = 0;
        let mut nested = 0;
        for (offset, c) in code[at..].char_indices() {
            match c {
                '[' | '(' if depth == 0 => nested += 1,
                ']' | ')' if depth == 0 => nested -= 1,
                ';' if depth == 0 && nested == 0 => break,
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => continue,
            }
            if c == '}' && depth <= 0 {
                found.push((name, 1 + code[at..at + offset].matches('\n').count()));
                break;
            }
        }
    }
    found
}

/// The names in the sections of a manifest whose titles end in `section`.
fn dependencies(manifest: &str, section: impl Fn(&str) -> bool) -> Vec<String> {
    let mut inside = false;
    let mut found = Vec::new();
    for line in manifest.lines() {
        if let Some(title) = line.strip_prefix('[') {
            inside = section(title.trim_end_matches(']'));
        } else if inside && let Some((name, _)) = line.split_once(['=', '.', ' ']) {
            found.push(name.trim_matches('"').to_owned());
        }
    }
    found
}

fn manifest(name: &str) -> String {
    let path = root().join("crates").join(name).join("Cargo.toml");
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn crate_root(name: &str) -> String {
    let folder = root().join("crates").join(name).join("src");
    let path =
        ["lib.rs", "main.rs"].map(|file| folder.join(file)).into_iter().find(|it| it.exists());
    fs::read_to_string(path.expect("a library or a program")).expect("a source file")
}

#[track_caller]
fn assert_none(violations: &[String], rule: &str) {
    assert!(violations.is_empty(), "{rule}:\n  {}", violations.join("\n  "));
}

#[test]
fn every_crate_is_in_the_table() {
    let mut here: Vec<String> = fs::read_dir(root().join("crates"))
        .expect("the folder of the crates")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    let mut table: Vec<String> = CRATES.iter().map(|(name, _)| (*name).to_owned()).collect();
    here.sort();
    table.sort();
    assert_eq!(here, table, "give a new crate its place in the order of the crates");
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    for (name, _) in CRATES {
        assert!(page.contains(&format!("| `crates/{name}` |")), "ARCHITECTURE.md lacks {name}");
    }
}

#[test]
fn crates_depend_in_one_direction() {
    let mut wrong = Vec::new();
    for (name, allowed) in CRATES {
        let product = |title: &str| title.ends_with("dependencies") && !title.contains("dev-");
        for dependency in dependencies(&manifest(name), product) {
            if let Some(ours) = dependency.strip_prefix("trunkline-")
                && !allowed.contains(&ours)
            {
                wrong.push(format!("{name} uses {ours}"));
            }
        }
    }
    assert_none(&wrong, "crates use those before them in the table of ARCHITECTURE.md");
}

#[test]
fn no_crate_depends_on_a_peer() {
    let mut wrong = Vec::new();
    for (name, _) in CRATES {
        for dependency in dependencies(&manifest(name), |title| title.contains("dependencies")) {
            if PEERS.iter().any(|peer| dependency.contains(peer)) {
                wrong.push(format!("{name} uses {dependency}"));
            }
        }
    }
    assert_none(&wrong, "peers are programs of their own");
}

#[test]
fn every_crate_says_what_it_is() {
    let mut wrong = Vec::new();
    for (name, _) in CRATES {
        let manifest = manifest(name);
        if !manifest.lines().any(|line| line.starts_with("description = \"") && line.len() > 30) {
            wrong.push(format!("{name} has no description in Cargo.toml"));
        }
        for taken in
            ["[lints]\nworkspace", "keywords.workspace", "categories.workspace", "readme.workspace"]
        {
            if !manifest.contains(&format!("{taken} = true")) {
                wrong.push(format!("{name} does not take {taken:?} from the workspace"));
            }
        }
        let root = crate_root(name);
        if !root.starts_with("//! ") {
            wrong.push(format!("{name} does not begin with a doc comment"));
        }
        let forbids = code(&root).contains("#![forbid(unsafe_code)]");
        if !forbids && !UNSAFE_CRATES.contains(name) {
            wrong.push(format!("{name} does not forbid unsafe code"));
        }
    }
    assert_none(&wrong, "a crate has a description, a doc comment and the rules of the workspace");
}

#[test]
fn unsafe_stands_in_named_modules_only() {
    let mut wrong = Vec::new();
    for source in workspace() {
        let uses = source.words().any(|word| word == "unsafe");
        let may = UNSAFE.contains(&&*source.path);
        if uses && !may {
            wrong.push(format!("{} has unsafe code", source.path));
        }
        if may && !uses {
            wrong.push(format!("{} needs no place in the list any more", source.path));
        }
    }
    assert_none(&wrong, "unsafe code stands in few small modules");
}

/// The words that a name is made of, in lower case.
fn parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    for c in name.chars() {
        let last = parts.last_mut().expect("one at least");
        let begins = c == '_' || c.is_uppercase() && last.ends_with(char::is_lowercase);
        match begins {
            true => parts.push(c.to_lowercase().filter(|it| *it != '_').collect()),
            false => last.extend(c.to_lowercase()),
        }
    }
    parts
}

#[test]
fn words_that_were_given_up_do_not_come_back() {
    let mut wrong = Vec::new();
    let mut look = |source: &Source, given_up: &[(&str, &str)]| {
        // Two words of the standard library.
        let ours = |name: &&str| !["ConnectionRefused", "PermissionDenied"].contains(name);
        for name in source.words().filter(ours) {
            let parts = parts(name);
            if let Some((old, new)) =
                given_up.iter().find(|it| parts.iter().any(|part| part == it.0))
            {
                wrong.push(format!("{}: {name}; {old}: {new} now", source.path));
            }
        }
    };
    sources("crates").iter().for_each(|source| look(source, GIVEN_UP_EVERYWHERE));
    for source in ROUTER.iter().flat_map(|name| sources(&format!("crates/{name}/src"))) {
        look(&source, GIVEN_UP);
        look(&source, GIVEN_UP_FOR_REJECTED);
    }
    for source in FORMAT_CRATES.iter().flat_map(|name| sources(&format!("crates/{name}"))) {
        look(&source, GIVEN_UP_BY_FORMATS);
    }
    for source in LAB.iter().flat_map(|name| sources(&format!("crates/{name}/src"))) {
        look(&source, GIVEN_UP_BY_THE_LAB);
    }
    sources("crates/session/src").iter().for_each(|source| look(source, GIVEN_UP_BY_SESSIONS));
    wrong.dedup();
    assert_none(&wrong, "names are the field's own words");
}

#[test]
fn no_schema_knows_a_format() {
    let root = crate_root("codec");
    let modules = root.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
    let formats: Vec<&str> =
        modules.filter(|it| *it != "infoset").chain(FORMATS.iter().copied()).collect();
    assert!(formats.contains(&"cdr"), "the formats are not read: {formats:?}");
    let mut wrong = Vec::new();
    for source in ["crates/message/src", "crates/message-derive/src"].into_iter().flat_map(sources)
    {
        for word in source.words() {
            // The attributes that hold what only one format needs, which the schema carries as notes.
            if source.path.starts_with("crates/message-derive/") && ATTRIBUTES.contains(&word) {
                continue;
            }
            let mut parts = word.split('_');
            if parts.any(|part| formats.contains(&&*part.to_lowercase())) {
                wrong.push(format!("{}: {word}", source.path));
            }
        }
    }
    assert_none(&wrong, "formats are named in comments only");
}

#[test]
fn no_format_knows_a_message() {
    let mut types = vec!["trunkline_catalogue".to_owned()];
    for source in sources("crates/catalogue/src") {
        let mut words = source.words();
        while let Some(word) = words.next() {
            if word == "struct" {
                types.extend(words.next().map(str::to_owned));
            }
        }
    }
    types.retain(|name| !OTHER_WORDS.contains(&&**name));
    assert!(types.len() > 10, "the catalogue is not read: {types:?}");
    let mut wrong = Vec::new();
    for source in FORMAT_CRATES.iter().flat_map(|name| sources(&format!("crates/{name}/src"))) {
        for word in source.words().filter(|word| types.iter().any(|name| name == word)) {
            wrong.push(format!("{}: {word}", source.path));
        }
    }
    assert_none(&wrong, "message types are unknown to formats");
}

#[test]
fn no_crate_is_most_of_the_workspace() {
    let lines = |source: &Source| source.text.lines().count();
    let all: usize = workspace().iter().map(lines).sum();
    let mut wrong = Vec::new();
    for (name, _) in CRATES {
        let of_crate: usize = sources(&format!("crates/{name}")).iter().map(lines).sum();
        if of_crate * 100 > all * PERCENT_OF_A_CRATE {
            wrong.push(format!("{name} has {of_crate} lines of {all}"));
        }
    }
    assert_none(&wrong, "no crate has more than its share of the lines");
}

#[test]
fn files_and_functions_fit_in_view() {
    let mut wrong = Vec::new();
    for source in workspace() {
        let lines = source.text.lines().count();
        if lines > LINES_OF_A_FILE {
            wrong.push(format!("{} has {lines} lines", source.path));
        }
        for (name, lines) in functions(&source.code) {
            let known = LONG_FUNCTIONS.iter().find(|it| (it.0, it.1) == (&*source.path, name));
            if lines > known.map_or(LINES_OF_A_FUNCTION, |it| it.2) {
                wrong.push(format!("{}: {name} has {lines} lines", source.path));
            }
        }
    }
    for (path, name, _) in LONG_FUNCTIONS {
        let text = fs::read_to_string(root().join(path)).unwrap_or_default();
        if !functions(&code(&text)).iter().any(|it| it.0 == *name) {
            wrong.push(format!("{path}: {name} is listed but not there"));
        }
    }
    assert_none(&wrong, "files and functions hold one thing each");
}

#[test]
fn a_module_is_a_file_beside_its_folder() {
    let wrong: Vec<String> = sources("crates")
        .into_iter()
        .map(|source| source.path)
        .filter(|path| path.contains("/src/") && path.ends_with("/mod.rs"))
        .collect();
    assert_none(&wrong, "a module is x.rs beside x");
}

#[test]
fn every_file_begins_with_what_it_is() {
    let wrong: Vec<String> = workspace()
        .into_iter()
        .filter(|source| !source.text.starts_with("//! "))
        .map(|source| source.path)
        .collect();
    assert_none(&wrong, "a file begins with a doc comment");
}

#[test]
fn nothing_is_switched_off_or_left_open() {
    let mut wrong = Vec::new();
    for source in workspace() {
        for left in ["todo!", "unimplemented!", "dbg!", "#[ignore"] {
            if source.code.contains(left) {
                wrong.push(format!("{}: {left}", source.path));
            }
        }
    }
    assert_none(&wrong, "work is finished before it is kept");
}

#[test]
fn no_file_names_a_place_on_one_machine() {
    // In pieces, since this file is read too.
    let places = ["work", "tmp", "home", "root"].map(|folder| format!("/{folder}/"));
    let mut wrong = Vec::new();
    for path in files(&root()) {
        let Ok(text) = fs::read_to_string(root().join(&path)) else { continue };
        for (number, line) in text.lines().enumerate() {
            if places.iter().any(|place| {
                line.match_indices(place.as_str()).any(|(at, _)| {
                    !line[..at].ends_with(|c: char| c.is_alphanumeric() || "._-$})*".contains(c))
                })
            }) {
                wrong.push(format!("{path} line {}: {}", number + 1, line.trim()));
            }
        }
    }
    assert_none(&wrong, "the project works in any folder");
}

#[test]
fn the_reader_of_sources_can_read() {
    let text = r##"fn a<'a>(x: [u8; 4]) { '{'; b'\''; "}\"{"; r#"" fn "#; br"{" } // fn {
/* fn { /* } */ */ trait T { fn b(); }
fn c() -> u8 {
    '\u{7d}' // }
}"##;
    assert_eq!(functions(&code(text)), [("a", 1), ("c", 3)]);
    assert_eq!(code(text).lines().count(), text.lines().count());
    let manifest = "[dependencies]\na.workspace = true\nb = \"1\"\n[dev-dependencies]\nc = \"1\"\n";
    assert_eq!(dependencies(manifest, |title| title == "dependencies"), ["a", "b"]);
}
