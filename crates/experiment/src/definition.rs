//! Experiments as data: what is run, what was published about it, and what was concluded.
//!
//! An experiment is a TOML file. Those of published evaluations are part of the binary
//! ([`Definition::named`]); a user's own are read from a file ([`Definition::read`]).

pub mod calls;
mod conclusion;
pub mod guaranteed;
mod measure;
mod messages;
mod published;
mod source;
pub mod traffic;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::{error, fmt, io};

use serde::Deserialize;

pub use calls::{Calls, Pool, PoolOrder, StagesOfCalls, Transport, TypedCalls, Way};
pub use conclusion::{Conclusion, Expected, Match, Quantity, Term};
pub use guaranteed::{Append, Disk, GuaranteedFlood, GuaranteedHops, Recovery};
pub use measure::{Capacity, Codec, Content, LinkCheck, MOST_TIMES, Measure, OpenLoop, RoundTrip};
pub use measure::{Size, Slow, Throughput, Waiting};
pub use messages::{MessageCase, Messages};
pub use published::{Beside, Figure, Line, Published, Reported, Unit};
pub use traffic::{Flood, Hops, Matching, SharedMemory, SlowConsumers, Spread, Turns};

use crate::format::{Family, Format};
use crate::middleware::SUBJECTS;
use crate::names::lead_metric;
use crate::subjects::PEERS;
use source::{Fault, Mistake, at};

/// An experiment.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Definition {
    /// Its name in commands and rows: for an evaluation, first author and year.
    pub name: String,
    /// Where the evaluation was published, or what this is.
    pub source: String,
    /// Which messages there are; those of market data if it does not say.
    #[serde(default)]
    pub messages: Messages,
    /// Numbers of entries that messages of market data are made with.
    #[serde(default)]
    pub entries: Vec<u32>,
    /// Those for a quick look; all if there are none.
    #[serde(default)]
    pub quick_entries: Vec<u32>,
    /// The peer that stands for a format, for the conclusions' second opinion.
    #[serde(default)]
    pub successors: BTreeMap<Format, String>,
    /// What it is made of, in the order of running.
    #[serde(rename = "part")]
    pub parts: Vec<Part>,
    /// Published figures.
    #[serde(default)]
    pub published: Vec<Published>,
    /// Published figures of a middleware.
    #[serde(default)]
    pub reported: Vec<Reported>,
    /// Published figures for what a peak takes.
    #[serde(default)]
    pub requirement: Option<Requirement>,
    /// Published conclusions.
    #[serde(default, rename = "conclusion")]
    pub conclusions: Vec<Conclusion>,
    /// Aims of our own, which no paper states.
    #[serde(default, rename = "aim")]
    pub aims: Vec<Conclusion>,
}

/// A part of an experiment that can be run by itself.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Part {
    /// Its name in commands and rows.
    pub name: String,
    /// What it measures.
    pub what: String,
    /// It is run only if it is named: it takes long, or asks much of a machine.
    #[serde(default)]
    pub by_name: bool,
    /// What is done.
    #[serde(rename = "measure")]
    pub measures: Vec<Measure>,
}

/// A hypothetical exchange that sends every trade to its clients in SOAP (Kohlhoff & Steele, section
/// 6), and what it takes.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Requirement {
    /// The format.
    pub format: Format,
    /// Trade reports in the busiest second of the day.
    pub peak_per_second: u32,
    /// The longest that a report waits for company, in milliseconds.
    pub window_millis: u32,
    /// Entries that fill a message.
    pub entries: u32,
    /// Bytes of a full message.
    pub message_bytes: u32,
    /// Full messages in the busiest second.
    pub messages_per_second: u32,
    /// Bytes in the busiest second.
    pub bytes_per_second: u32,
    /// The network that carries them, in bits per second.
    pub network_bits_per_second: u32,
    /// CPU time of encoding a full message, in milliseconds.
    pub encoding_millis: f64,
    /// Clients that one server could send to.
    pub clients: u32,
}

impl Requirement {
    /// Share of the server's CPU for one client.
    pub fn cpu_share(&self) -> f64 {
        f64::from(self.messages_per_second) * self.encoding_millis / 1e3
    }
}

/// The experiments that are part of the binary: their names and their text.
const EMBEDDED: [(&str, &str); 3] = [
    ("kohlhoff-2004", include_str!("../../../experiments/kohlhoff-2004.toml")),
    ("ng-2004", include_str!("../../../experiments/ng-2004.toml")),
    ("catena-2012", include_str!("../../../experiments/catena-2012.toml")),
];

/// The names of the published evaluations that the binary knows.
pub fn names() -> impl Iterator<Item = &'static str> {
    EMBEDDED.iter().map(|(name, _)| *name)
}

/// Bytes of a file that are read at most.
const FILE_BYTES: u64 = 1 << 20;
/// Entries of a message at most.
const ENTRIES: u32 = 1_000;

/// Why there is no such experiment; prints as one line.
#[derive(Debug)]
pub enum DefinitionError {
    /// No evaluation has this name, and no file either.
    Unknown(String),
    /// The experiment has no part of this name.
    UnknownPart {
        /// The experiment.
        experiment: String,
        /// What was asked for.
        part: String,
        /// What there is.
        known: Vec<String>,
    },
    /// The file cannot be read.
    NotRead {
        /// Its name.
        file: String,
        /// The system's reason.
        cause: io::Error,
    },
    /// The file is no experiment.
    Invalid {
        /// Its name.
        file: String,
        /// The line, where there is one, and what is wrong.
        what: String,
    },
}

impl fmt::Display for DefinitionError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(name) => {
                let known: Vec<&str> = names().collect();
                write!(out, "there is no experiment {name:?}; known: {}", known.join(", "))?;
                write!(out, ", and files that end in .toml")
            }
            Self::UnknownPart { experiment, part, known } => {
                write!(out, "{experiment} has no part {part:?}; known: {}", known.join(", "))
            }
            Self::NotRead { file, cause } => write!(out, "{file}: cannot be read: {cause}"),
            Self::Invalid { file, what } => write!(out, "{file} {what}"),
        }
    }
}

impl error::Error for DefinitionError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::NotRead { cause, .. } => Some(cause),
            _ => None,
        }
    }
}

impl Definition {
    /// The evaluation of this name, or the experiment in the file of this name if it ends in
    /// `.toml`.
    ///
    /// # Errors
    /// Names the known ones, or says what is wrong with the file and where.
    pub fn named(name: &str) -> Result<Self, DefinitionError> {
        if let Some((_, text)) = EMBEDDED.iter().find(|(known, _)| *known == name) {
            return Self::parse(name, text);
        }
        if !name.ends_with(".toml") {
            return Err(DefinitionError::Unknown(name.to_owned()));
        }
        Self::read(Path::new(name))
    }

    /// The experiment in a file.
    ///
    /// # Errors
    /// Says what is wrong with the file and where.
    pub fn read(file: &Path) -> Result<Self, DefinitionError> {
        let name = file.display().to_string();
        let unreadable = |cause| DefinitionError::NotRead { file: name.clone(), cause };
        let mut text = String::new();
        let input = File::open(file).map_err(unreadable)?;
        let length = input.take(FILE_BYTES + 1).read_to_string(&mut text).map_err(unreadable)?;
        if length as u64 > FILE_BYTES {
            let what = format!("has more than {FILE_BYTES} bytes");
            return Err(DefinitionError::Invalid { file: name, what });
        }
        Self::parse(&name, &text)
    }

    /// The experiment in a text, which errors call by the name of its file.
    ///
    /// # Errors
    /// Says what is wrong with it and where.
    pub fn parse(file: &str, text: &str) -> Result<Self, DefinitionError> {
        source::parse(text).map_err(|Mistake { what, bytes }| {
            let what = match bytes {
                Some(bytes) => {
                    let (line, column) = place_of(text, bytes.start);
                    format!("line {line}, column {column}: {what}")
                }
                None => format!("is no experiment: {what}"),
            };
            DefinitionError::Invalid { file: file.to_owned(), what }
        })
    }

    /// What the types do not say.
    fn check(&self) -> Result<(), Fault> {
        if !is_word(&self.name) {
            let what = format!("its name, {:?}, is not of letters, digits and hyphens", self.name);
            return Err(at("name")(what));
        }
        self.messages.check(&self.entries).map_err(at("messages"))?;
        check_entries(&self.entries).map_err(at("entries"))?;
        check_entries(&self.quick_entries).map_err(at("quick-entries"))?;
        for (format, peer) in &self.successors {
            if PEERS.iter().all(|known| known.subject() != peer) {
                let what = format!("no peer {peer:?} is known for {}", format.name());
                return Err(at(format!("successors.{}", format.name()))(what));
            }
        }
        for (index, part) in self.parts.iter().enumerate() {
            let place = format!("part.{index}");
            if !is_word(&part.name) {
                return Err(at(place + ".name")(format!("a part is called {:?}", part.name)));
            }
            if self.parts[..index].iter().any(|other| other.name == part.name) {
                return Err(at(place + ".name")(format!("two parts are called {:?}", part.name)));
            }
            for (number, measure) in part.measures.iter().enumerate() {
                let checked = measure.check(&self.messages);
                let named = checked.map_err(|what| format!("part {}: {what}", part.name));
                named.map_err(at(format!("{place}.measure.{number}")))?;
            }
        }
        self.check_cases()?;
        for (index, table) in self.published.iter().enumerate() {
            table.check(self).map_err(at(format!("published.{index}")))?;
        }
        if !self.reported.is_empty() && self.messages.family != Family::Rates {
            let what = "`reported` has figures of a middleware, `published` others";
            return Err(at("reported.0")(what.to_owned()));
        }
        self.check_conclusions()
    }

    /// No two measures have the same case, because their rows are not merged.
    fn check_cases(&self) -> Result<(), Fault> {
        let mut known = BTreeSet::new();
        for (index, part) in self.parts.iter().enumerate() {
            for (number, measure) in part.measures.iter().enumerate() {
                for case in measure.cases_of_its_own() {
                    if known.contains(&case) {
                        let place = format!("part.{index}.measure.{number}");
                        return Err(at(place)(format!("{case} is asked for twice")));
                    }
                    known.insert(case);
                }
            }
        }
        Ok(())
    }

    fn check_conclusions(&self) -> Result<(), Fault> {
        let mut names: Vec<&str> = Vec::new();
        for (kind, all) in [("conclusion", &self.conclusions), ("aim", &self.aims)] {
            for (index, it) in all.iter().enumerate() {
                let place = format!("{kind}.{index}");
                it.check(kind == "aim").map_err(at(&*place))?;
                if names.contains(&it.name.as_str()) {
                    let what = format!("two conclusions or aims are called {:?}", it.name);
                    return Err(at(place + ".name")(what));
                }
                names.push(&it.name);
                let mut quantities = it.terms.iter().flat_map(Term::quantities);
                quantities.try_for_each(|quantity| {
                    let wrong = |what| format!("{kind} {:?}: {what}", it.name);
                    self.check_measured(quantity).map_err(wrong).map_err(at(&*place))
                })?;
            }
        }
        Ok(())
    }

    /// What nothing measures would leave a conclusion out without a word.
    fn check_measured(&self, quantity: &Quantity) -> Result<(), String> {
        let measures = || self.parts.iter().flat_map(|part| &part.measures);
        let of_format = measures().filter(|it| match quantity.format {
            Some(format) => it.formats().contains(&format),
            None => it.is_of_traffic(),
        });
        let mut metrics: Vec<&str> = Vec::new();
        let of_format: Vec<_> = of_format.flat_map(|it| it.cases(&self.messages)).collect();
        // Every broker is compared with ours.
        let leads: Vec<String> = SUBJECTS.iter().map(|it| lead_metric(it.name)).collect();
        let is_lead = quantity.format.is_none() && leads.contains(&quantity.metric);
        for (_, of_case) in of_format.iter().filter(|(case, _)| *case == quantity.case) {
            if is_lead || of_case.contains(&quantity.metric.as_str()) {
                return Ok(());
            }
            metrics.extend(
                of_case.iter().filter(|metric| !metrics.contains(*metric)).collect::<Vec<_>>(),
            );
        }
        if !metrics.is_empty() {
            let case = &quantity.case;
            return Err(format!("{quantity}: metrics of {case} are {}", metrics.join(", ")));
        }
        let mut cases: Vec<String> = of_format.into_iter().map(|(case, _)| case).collect();
        cases.sort_unstable();
        cases.dedup();
        let name = quantity.format.map_or("no format", Format::name);
        Err(format!("{quantity}: cases with {name} are {}", cases.join(", ")))
    }

    /// The parts in `names`, in the order of the experiment, each once; if there are no names, all but those
    /// that want to be named.
    ///
    /// # Errors
    /// Names the first unknown one, and the known ones.
    pub fn parts_named(&self, names: &[String]) -> Result<Vec<Part>, DefinitionError> {
        for name in names {
            if self.parts.iter().all(|part| part.name != *name) {
                return Err(DefinitionError::UnknownPart {
                    experiment: self.name.clone(),
                    part: name.clone(),
                    known: self.parts.iter().map(|part| part.name.clone()).collect(),
                });
            }
        }
        let is_chosen = |part: &&Part| match names {
            [] => !part.by_name,
            _ => names.contains(&part.name),
        };
        Ok(self.parts.iter().filter(is_chosen).cloned().collect())
    }

    /// The lengths that messages are made with.
    pub fn lengths(&self, is_quick: bool) -> &[u32] {
        if is_quick && !self.quick_entries.is_empty() { &self.quick_entries } else { &self.entries }
    }

    /// The length for which single figures are printed.
    pub fn longest(&self) -> u32 {
        self.entries.iter().copied().max().unwrap_or(1)
    }

    /// The peer that stands for a format today.
    pub fn successor(&self, format: Format) -> Option<&str> {
        self.successors.get(&format).map(String::as_str)
    }
}

/// Letters, digits and hyphens, as in the cases of rows.
fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// Lists of lengths may be empty where others stand in for them.
fn check_entries(entries: &[u32]) -> Result<(), String> {
    for (index, length) in entries.iter().enumerate() {
        if !(1..=ENTRIES).contains(length) {
            return Err(format!("{length} entries are not between 1 and {ENTRIES}"));
        }
        if entries[..index].contains(length) {
            return Err(format!("{length} entries are named twice"));
        }
    }
    Ok(())
}

/// The line of a byte and the character in it, both counted from 1.
fn place_of(text: &str, byte: usize) -> (usize, usize) {
    let before = text.get(..byte).unwrap_or(text);
    let line = before.rsplit('\n').next().unwrap_or_default();
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kohlhoff() -> Definition {
        Definition::named("kohlhoff-2004").expect("embedded")
    }

    #[test]
    fn embedded_experiments_are_valid_and_named_as_their_files() {
        for name in names() {
            let definition = Definition::named(name).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(definition.name, name);
        }
    }

    #[test]
    fn parts_come_once_and_in_order() {
        let names = |list: &[&str]| -> Vec<String> {
            let list: Vec<String> = list.iter().map(|name| (*name).to_owned()).collect();
            let parts = kohlhoff().parts_named(&list).expect("known");
            parts.into_iter().map(|part| part.name).collect()
        };
        assert_eq!(names(&["codec", "size", "codec"]), ["size", "codec"]);
        let all = ["size", "codec", "latency", "throughput", "compact", "schema", "plan"];
        assert_eq!(names(&[]), all);
    }

    #[test]
    fn a_part_that_wants_to_be_named_is_run_when_it_is() {
        let definition = Definition::named("catena-2012").expect("embedded");
        let has = |list: &[String]| {
            let parts = definition.parts_named(list).expect("known");
            parts.iter().any(|part| part.name == "guaranteed")
        };
        assert!(!has(&[]) && has(&["guaranteed".to_owned()]));
    }

    #[test]
    fn section_6_follows_from_the_tables() {
        let definition = kohlhoff();
        let requirement = definition.requirement.expect("section 6");
        let size = definition.published("size", "size", Format::SoapRpc).expect("table 1");
        assert_eq!(size.at(requirement.entries).round(), f64::from(requirement.message_bytes));
        let encoding = definition.published("encode", "cpu-time", Format::SoapRpc).expect("3");
        assert!((encoding.at(10) / 1e6 - requirement.encoding_millis).abs() < 0.005);
        let reports = requirement.messages_per_second * requirement.entries;
        assert_eq!(reports, requirement.peak_per_second);
        let bytes = requirement.messages_per_second * requirement.message_bytes;
        assert_eq!(bytes, requirement.bytes_per_second);
        assert!(bytes * 8 <= requirement.network_bits_per_second);
        assert_eq!(definition.published("encode", "cpu-time", Format::CdrBitmap), None);
        assert_eq!(definition.published("network", "cpu-time", Format::Fix), None);
    }

    #[test]
    fn the_example_of_the_documentation_is_an_experiment() {
        let example = include_str!("../../../experiments/example.toml");
        let docs = include_str!("../../../docs/lab.md");
        assert!(docs.contains(&format!("```toml\n{example}```")), "docs/lab.md shows another one");
        let definition = Definition::parse("example.toml", example).expect("valid");
        assert_eq!((definition.name.as_str(), definition.aims.len()), ("example", 1));
        for format in Format::ALL {
            assert!(docs.contains(&format!("`{}`", format.name())), "{}", format.name());
        }
        for (from, to, told) in [
            (
                ":round-trip:fix",
                ":latency:fix",
                "aim \"SOAP/FIX\": round-trip@10mbit-20ms:latency:fix: metrics of round-trip@10mbit-20ms are round-trip, client-encode",
            ),
            (
                "over = \"round-trip@10mbit-20ms",
                "over = \"round-trip@10mbit",
                "round-trip@10mbit:round-trip:soap-rpc: cases with soap-rpc are round-trip@10mbit-20ms, throughput@100mbit",
            ),
        ] {
            let text = example.replacen(from, to, 1);
            let error =
                Definition::parse("example.toml", &text).expect_err("a mistake").to_string();
            assert!(error.contains(told), "{error}");
        }
    }

    #[test]
    fn a_mistake_in_a_file_is_told_with_its_line_and_column() {
        let good = "name = \"mine\"\nsource = \"me\"\nentries = [1]\n[[part]]\nname = \"size\"\n\
                    what = \"bytes\"\n[[part.measure]]\nkind = \"size\"\nformats = [\"fix\"]\n";
        assert!(Definition::parse("mine.toml", good).is_ok());
        for (from, to, told) in [
            ("entries = [1]", "entries = [0]", "mine.toml line 3, column 11: 0 entries are not"),
            (
                "entries = [1]",
                "entries = [\"1\"]",
                "mine.toml line 3, column 12: invalid type: string",
            ),
            (
                "\"fix\"",
                "\"fax\"",
                "mine.toml line 9, column 12: unknown format `fax`, expected one of",
            ),
            ("kind = \"size\"", "kind = \"weight\"", "line 8, column 8: unknown variant `weight`"),
            ("kind = \"size\"", "kind = 1", "line 8, column 8: `kind` is no string"),
            ("kind = \"size\"\n", "", "line 7, column 1: missing field `kind`"),
            (
                "formats = [\"fix\"]",
                "formats = [\"fix\"]\nformat = 1",
                "line 10, column 1: unknown field `format`, expected one of `formats`",
            ),
            ("formats = [\"fix\"]", "as-printed = true", "missing field `formats`"),
            (
                "formats = [\"fix\"]",
                "formats = []",
                "line 7, column 1: part size: there are no formats",
            ),
            (
                "kind = \"size\"",
                "kind = \"open-loop\"\nlinks = [\"direct\", \"direct\"]\nrates = [5]\nseconds = 1.0",
                "line 7, column 1: open-loop-5@direct is asked for twice",
            ),
            ("entries = [1]", "entries = [1, 1]", "line 3, column 11: 1 entries are named twice"),
            (
                "entries = [1]",
                "entries = [1]\nquick-entries = [4000000000]",
                "line 4, column 17: 4000000000 entries are not",
            ),
            ("source", "sauce", "mine.toml line 2, column 1: unknown field `sauce`"),
            ("\"mine\"", "\"my own\"", "line 1, column 8: its name, \"my own\", is not of letters"),
        ] {
            let error = Definition::parse("mine.toml", &good.replace(from, to));
            let error = error.expect_err("a mistake").to_string();
            assert!(error.contains(told) && !error.contains('\n'), "{error}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_measure_of_a_middleware_is_told() {
        let experiment = |family: &str, measure: &str| {
            format!(
                "name = \"x\"\nsource = \"x\"\n{family}[[part]]\nname = \"p\"\nwhat = \"x\"\n\
                 [[part.measure]]\n{measure}\n"
            )
        };
        let rates = "[messages]\nfamily = \"rates\"\n";
        let turns =
            |subject: &str| format!("turns = {{ subjects = [\"{subject}\"], milliseconds = 10 }}");
        let hops = |rate: u32, subject: &str| {
            format!("kind = \"hops\"\nrates = [{rate}]\n{}", turns(subject))
        };
        for (family, measure, expected) in [
            (rates, hops(0, "trunkline"), "a rate is 0, not between 1 and 10000000"),
            (rates, hops(10, "pigeon"), "there is no subject \"pigeon\"; known: trunkline, "),
            (rates, "kind = \"size\"\nformats = [\"fix\"]".to_owned(), "nothing else is"),
            ("entries = [1]\n", hops(10, "trunkline"), "measured with the family rates"),
            (rates, hops(10, "trunkline") + "\nspeed = 1", "unknown field `speed`"),
        ] {
            let parsed = Definition::parse("file", &experiment(family, &measure));
            let fault = parsed.expect_err("a mistake").to_string();
            assert!(fault.contains(expected), "{fault}");
        }
        let text = experiment(rates, &hops(10, "trunkline"));
        let text = text
            + "\n[[conclusion]]\nname = \"c\"\nwords = \"w\"\nsection = \"s\"\n\
                           expected = { to = 1 }\nterms = [{ over = \"rates-20:latency-p50\" }]\n";
        let fault = Definition::parse("file", &text).expect_err("not measured").to_string();
        assert!(fault.contains("cases with no format are orders-10, rates-10"), "{fault}");
    }
}
