//! What rustc says of mistakes with `derive(Message)`: one error for each, where it is, with what to do.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;
use std::{env, fs};

/// What is put before each source, so that its first line is the second.
const PRELUDE: &str = "#![allow(dead_code)] use trunkline_message::*;\n";

/// Where the libraries are that this test was linked with.
fn libraries() -> PathBuf {
    let own = env::current_exe().expect("the test");
    own.parent().expect("its folder").to_owned()
}

/// Libraries of a crate, that which was built last first; others were built with other features, or earlier.
fn built(name: &str) -> Vec<PathBuf> {
    let is_it = |path: &PathBuf| {
        let file = path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
        file.starts_with(&format!("lib{name}-")) && file.ends_with(".rlib")
    };
    let entries = fs::read_dir(libraries()).expect("the folder");
    let mut all: Vec<PathBuf> =
        entries.filter_map(|it| Some(it.ok()?.path())).filter(is_it).collect();
    let age = |path: &PathBuf| fs::metadata(path).and_then(|it| it.modified()).ok();
    all.sort_by_key(|path| std::cmp::Reverse(age(path).unwrap_or(SystemTime::UNIX_EPOCH)));
    all
}

/// The errors of a source, each in a line: the line, the code if there is one, the text.
fn errors(library: &Path, case: &str, source: &str) -> Vec<String> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let file = folder.join(format!("{case}.rs"));
    fs::write(&file, format!("{PRELUDE}{source}\n")).expect("it is written");
    let output = Command::new(option_env!("RUSTC").unwrap_or("rustc"))
        .args(["--edition", "2024", "--crate-type", "lib", "--emit", "metadata"])
        .args(["--error-format", "short", "--crate-name", case])
        .arg("--out-dir")
        .arg(&folder)
        .arg("-L")
        .arg(format!("dependency={}", libraries().display()))
        .arg("--extern")
        .arg(format!("trunkline_message={}", library.display()))
        .arg(&file)
        .output()
        .expect("rustc runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let prefix = format!("{}:", file.display());
    let lines = said.lines().filter(|it| !it.starts_with("error: aborting"));
    let lines = lines.map(|it| it.strip_prefix(&prefix).unwrap_or(it).to_owned());
    lines.filter(|it| it.contains("error")).collect()
}

const MISTAKES: &[(&str, &str, &[&str])] = &[
    ("none", "#[derive(Message)] struct Order { #[fix(tag = 44)] price: f64 }", &[]),
    (
        "unknown_word",
        "#[derive(Message)] struct Order {\n#[field(nmae = \"A\")] a: i32,\n#[fix(tga = 1)] b: i32 }",
        &[
            "3:9: error: expected one of: name, required",
            "4:7: error: expected one of: tag, length",
        ],
    ),
    (
        "misplaced",
        "#[derive(Message)]\n#[field(name = \"Order\")]\nstruct Order { a: i32 }\n\
         #[derive(Message)] struct Leg {\n#[message(name = \"A\")] a: i32 }",
        &[
            "3:1: error: `#[field]` does not stand here: a struct or enum has `#[message(...)]`",
            "6:1: error: `#[message]` does not stand here: a field has `#[field(...)]`",
        ],
    ),
    (
        "types",
        "#[derive(Message)] struct Order {\na: usize,\nb: (i32, i32),\nc: char,\nd: &'static str,\ne: i128 }",
        &[
            "3:4: error: no type of a field: a whole number has a width, as `u64` and `i64` do",
            "4:4: error: no type of a field: give it a struct with named fields that derives `Message`",
            "5:4: error: no type of a field: a character is a `Code` or `Text`",
            "6:4: error: no type of a field: a message owns what it holds",
            "7:4: error: no type of a field: whole numbers of more than 64 bits are `BigInteger`",
        ],
    ),
    (
        "others",
        "use std::collections::HashMap; use std::time::SystemTime;\n\
         #[derive(Message)] struct Order {\nprices: HashMap<String, f64>,\nat: Option<SystemTime>,\n\
         sizes: Vec<SystemTime> }",
        &[
            "4:9: error[E0277]: `HashMap<String, f64>` is no type of a field",
            "5:5: error[E0277]: `SystemTime` is no type of a field",
            "6:8: error[E0277]: a list of `SystemTime` is no type of a field",
        ],
    ),
    (
        "no_derive",
        "struct Instrument { symbol: String }\n#[derive(Message)] struct Order {\ninstrument: Instrument,\n\
         legs: Vec<Instrument>,\nnext: Option<Box<Instrument>>,\nfixed: [Instrument; 2] }\n\
         #[derive(Message)] enum Price { Market, Of(\nInstrument) }",
        &[
            "4:13: error[E0277]: `Instrument` is no type of a field",
            "5:7: error[E0277]: a list of `Instrument` is no type of a field",
            "6:7: error[E0277]: `Instrument` is no type of a field",
            "7:8: error[E0277]: a list of `Instrument` is no type of a field",
            "9:1: error[E0277]: `Instrument` is no type of a field",
        ],
    ),
    (
        "tags",
        "#[derive(Message)] struct Order { #[fix(tag = 55)] a: i32,\n#[fix(tag = 55)] b: i32,\n\
         #[fix(tag = 96, length = 55)] c: Vec<u8>,\n#[fix(tag = 35)] d: i32,\n#[fix(tag = \"44\")] e: i32 }",
        &[
            "5:7: error: a tag is from 1 to 2147483647, and 8, 9, 10 and 35 frame the message",
            "6:13: error: expected a number without quotes: `tag = 55`",
            "3:7: error: the FIX tag 55 is that of `a`, too",
            "4:17: error: the FIX tag 55 is that of `a`, too",
        ],
    ),
    (
        "names",
        "#[derive(Message)] struct Order { #[field(name = \"Price\")] a: i32,\n#[field(name = \"Price\")] b: i32 }\n\
         #[derive(Message)] enum Side { #[fix(code = \"1\")] Buy,\n#[fix(code = \"1\")] Sell }\n\
         #[derive(Message)] struct Leg {\n#[field(name = \"limit price\")] a: i32,\n#[field(name = Price)] b: i32 }",
        &[
            "3:26: error: the name Price is that of `a`, too",
            "5:7: error: the FIX code 1 is that of `Buy`, too",
            "8:16: error: expected a text in quotes",
        ],
    ),
    (
        "no_name",
        "#[derive(Message)] struct Leg {\n#[field(name = \"limit price\")] a: i32 }",
        &[
            "3:32: error[E0080]: evaluation panicked: \"limit price\" is not a name, nor a path of names",
        ],
    ),
    (
        "variants",
        "#[derive(Message)] enum Price { Market,\nLimit { price: f64 },\nStop(f64, f64) }\n\
         #[derive(Message)] struct Order { price: Price }\nfn sent(it: Order) -> impl Message { it }",
        &[
            "3:7: error: an arm of a choice holds one thing: `Limit(Limit)`, a struct that derives `Message`",
            "4:5: error: an arm of a choice holds one thing: `Stop(Stop)`, a struct that derives `Message`",
        ],
    ),
    (
        "parameters",
        "#[derive(Message)] struct Order<\nT> { a: T }\n#[derive(Message)] struct Leg<\n'a> { a: &'a str }",
        &[
            "3:1: error: Message is derived for types without parameters",
            "5:1: error: Message is derived for types that own what they hold",
        ],
    ),
    (
        "shapes",
        "#[derive(Message)] struct Order\n(i32, f64);\n#[derive(Message)] struct\nHeartbeat;",
        &[
            "3:1: error: fields of a Message have names: `struct Order { price: f64 }`",
            "5:1: error: fields of a Message have names: `struct Heartbeat {}`",
        ],
    ),
    (
        "needs",
        "#[derive(Message)] struct Order {\n#[field(default = \"abc\")] a: i32,\n#[field(implied)] b: i32,\n\
         #[field(required, optional)] c: i32 }\n\
         #[derive(Message)] struct Leg { #[presence] present: Presence<1>,\n#[field(optional)] a: Option<i32> }\n\
         #[derive(Message)] struct Hop {\n#[field(default = \"abc\")] a: i32,\n#[field(implied)] b: i32 }",
        &[
            "5:19: error: `optional` needs a #[presence] field in the struct; else use Option",
            "7:23: error: its bit says whether it is there: `i32`, without Option",
            "9:19: error[E0080]: evaluation panicked: the default \"abc\" is no value of the member's type",
            "10:22: error[E0080]: evaluation panicked: only a struct is implied by what is inside",
        ],
    ),
];

#[test]
fn each_mistake_is_one_error_with_the_remedy() {
    let plain = MISTAKES[0].1;
    let library = built("trunkline_message").into_iter();
    let library = library.into_iter().find(|it| errors(it, "fits", plain).is_empty());
    let library = library.expect("one of the libraries fits those it is made of");
    let mut wrong = Vec::new();
    for (case, source, expected) in MISTAKES {
        let found = errors(&library, case, source);
        let is_told = |it: &&&str| found.iter().filter(|told| told.starts_with(**it)).count() == 1;
        if found.len() != expected.len() || !expected.iter().all(|it| is_told(&it)) {
            wrong.push(format!("{case}: {found:#?}, not {expected:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
