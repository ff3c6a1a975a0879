//! Experiments as data: what is run, what was published about it, and what was concluded.
//!
//! An experiment is a TOML file. Those of published evaluations are part of the binary
//! ([`Definition::named`]); a user's own are read from a file ([`Definition::read`]). Each key is held against its
//! bounds where it is read; [`Definition::parse`] tells every mistake with its line and column.

mod bounds;
pub mod calls;
mod cases;
pub mod codings;
mod conclusion;
pub mod guaranteed;
mod measure;
mod messages;
mod published;
pub mod sessions;
mod source;
pub mod toolkit_calls;
pub mod traffic;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::{error, fmt};

use serde::Deserialize;

pub use calls::{Calls, Pool, PoolOrder, StagesOfCalls, Styles, Transport, TypedCalls, Way};
pub use codings::{Coding, Codings};
pub use conclusion::{Conclusion, Expected, Match, Quantity, Term};
pub use guaranteed::{Append, Disk, GuaranteedFlood, Recovery};
pub use measure::{
    Capacity, Codec, Content, Instructions, LinkCheck, MOST_TIMES, Measure, OpenLoop, RoundTrip,
};
pub use measure::{Size, Slow, Throughput, Waiting};
pub use messages::{MessageCase, Messages};
pub use published::{Beside, Figure, Line, Published, Reported, Unit};
pub use sessions::{BesideSessions, Bridge, Engines, Filters, Renditions};
pub use toolkit_calls::{MemoryOfCalls, ToolkitCalls, Vocabularies};
pub use traffic::{Flood, Hops, Matching, SharedMemory, SlowConsumers, Spread, Turns};

use crate::format::{Family, Format};
use crate::middleware::SUBJECTS;
use crate::names::{ENDS, end_metric, lead_metric};
use crate::subjects::PEERS;
use crate::toolkits::TOOLKITS;
use bounds::{ensure, known};
use cases::Case;
use source::{Fault, at};

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
    /// The link over which calls were measured whose figures were published.
    #[serde(default = "calls::direct_link")]
    pub published_over: String,
    /// Published figures of a middleware or a toolkit.
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
const EMBEDDED: [(&str, &str); 6] = [
    ("kohlhoff-2004", include_str!("../../../experiments/kohlhoff-2004.toml")),
    ("ng-2004", include_str!("../../../experiments/ng-2004.toml")),
    ("catena-2012", include_str!("../../../experiments/catena-2012.toml")),
    ("metro-2007", include_str!("../../../experiments/metro-2007.toml")),
    ("bridge", include_str!("../../../experiments/bridge.toml")),
    ("govindaraju-2004", include_str!("../../../experiments/govindaraju-2004.toml")),
];

/// The names of the published evaluations that the binary knows.
pub fn names() -> impl Iterator<Item = &'static str> {
    EMBEDDED.iter().map(|(name, _)| *name)
}

/// Bytes of a file that are read at most.
const FILE_BYTES: u64 = 1 << 20;

/// Why there is no such experiment, as one line: the file, and where it stands there if it is in its text.
#[derive(Debug)]
pub struct DefinitionError(String);

impl fmt::Display for DefinitionError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl error::Error for DefinitionError {}

impl Definition {
    /// The evaluation of this name, or the experiment in the file of this name if it ends in
    /// `.toml`.
    ///
    /// # Errors
    /// Names the known ones, or says what is wrong with the file and where.
    pub fn named(name: &str) -> Result<Self, DefinitionError> {
        match EMBEDDED.iter().find(|(known, _)| *known == name) {
            Some((_, text)) => Self::parse(name, text),
            None if name.ends_with(".toml") => Self::read(Path::new(name)),
            None => {
                let what = known("there is no experiment", name, names()).err().unwrap_or_default();
                Err(DefinitionError(what + ", and files that end in .toml"))
            }
        }
    }

    /// The experiment in a file.
    ///
    /// # Errors
    /// Says what is wrong with the file and where.
    pub fn read(file: &Path) -> Result<Self, DefinitionError> {
        let name = file.display();
        let mut text = String::new();
        let read = |input: File| input.take(FILE_BYTES + 1).read_to_string(&mut text);
        match File::open(file).and_then(read) {
            Err(cause) => Err(DefinitionError(format!("{name}: cannot be read: {cause}"))),
            Ok(length) if length as u64 > FILE_BYTES => {
                Err(DefinitionError(format!("{name} has more than {FILE_BYTES} bytes")))
            }
            Ok(_) => Self::parse(&name.to_string(), &text),
        }
    }

    /// The experiment in a text, which errors call by the name of its file.
    ///
    /// # Errors
    /// Says what is wrong with it and where.
    pub fn parse(file: &str, text: &str) -> Result<Self, DefinitionError> {
        let wrong = |mistake: source::Mistake| format!("{file} {}", mistake.told(text));
        source::parse(text).map_err(wrong).map_err(DefinitionError)
    }

    /// What the types of its keys do not say.
    fn check(&self) -> Result<(), Fault> {
        self.messages.check(&self.entries).map_err(at("messages"))?;
        for (format, peer) in &self.successors {
            let peers: BTreeSet<&str> = PEERS.iter().map(|it| it.subject()).collect();
            let place = format!("successors.{}", format.name());
            known("there is no peer", peer, peers.into_iter()).map_err(at(place))?;
        }
        each_once(named(&self.messages.cases, "messages.cases", |it| &it.name))?;
        each_once(named(&self.parts, "part", |it| &it.name))?;
        self.check_measures()?;
        for (table, index) in self.published.iter().zip(0..) {
            let names = table.figures.values().flat_map(BTreeMap::keys);
            let checked = self.messages.check_named(names);
            checked.map_err(at(format!("published.{index}")))?;
        }
        let is_right = self.reported.is_empty()
            || [Family::Rates, Family::Operations].contains(&self.messages.family);
        let what = "`reported` has figures of a middleware or a toolkit, `published` others";
        ensure(is_right, || what.to_owned()).map_err(at("reported.0"))?;
        let conclusions = named(&self.conclusions, "conclusion", |it| &it.name);
        each_once(conclusions.chain(named(&self.aims, "aim", |it| &it.name)))?;
        self.check_conclusions("conclusion", &self.conclusions)?;
        self.check_conclusions("aim", &self.aims)
    }

    fn check_measures(&self) -> Result<(), Fault> {
        let mut known = BTreeSet::new();
        for (part, index) in self.parts.iter().zip(0..) {
            for (measure, number) in part.measures.iter().zip(0..) {
                let wrong = |what| format!("part {}: {what}", part.name);
                let place = format!("part.{index}.measure.{number}");
                measure.check(&self.messages).map_err(wrong).map_err(at(&*place))?;
                let cases = measure.cases(&self.messages).into_iter();
                for (case, _) in cases.filter(|_| measure.is_alone()) {
                    let what = format!("{case} is asked for twice");
                    ensure(known.insert(case), || what).map_err(at(&*place))?;
                }
            }
        }
        Ok(())
    }

    fn check_conclusions(&self, kind: &str, all: &[Conclusion]) -> Result<(), Fault> {
        for (it, index) in all.iter().zip(0..) {
            let wrong = |what: String| format!("{kind} {:?} {what}", it.name);
            let place = format!("{kind}.{index}");
            it.check(kind == "aim").map_err(wrong).map_err(at(&*place))?;
            for quantity in it.terms.iter().chain(&it.beside).flat_map(Term::quantities) {
                let checked = self.check_measured(quantity);
                let wrong = |what| format!("{kind} {:?}: {quantity}: {what}", it.name);
                checked.map_err(wrong).map_err(at(&*place))?;
            }
        }
        Ok(())
    }

    /// What nothing measures would leave a conclusion out without a word.
    fn check_measured(&self, quantity: &Quantity) -> Result<(), String> {
        let measures = self.parts.iter().flat_map(|part| &part.measures);
        let of_format = measures.filter(|it| match quantity.format {
            Some(format) => it.formats().contains(&format),
            None => it.is_without_format(),
        });
        let all: Vec<Case> = of_format.flat_map(|it| it.cases(&self.messages)).collect();
        let of_case = all.iter().filter(|(case, _)| *case == quantity.case);
        let mut metrics: Vec<&str> = of_case.flat_map(|(_, metrics)| metrics).copied().collect();
        if metrics.is_empty() {
            let name = quantity.format.map_or("no format", Format::name);
            let cases: BTreeSet<&str> = all.iter().map(|(case, _)| case.as_str()).collect();
            let cases: Vec<&str> = cases.into_iter().collect();
            return Err(format!("cases with {name} are {}", cases.join(", ")));
        }
        // Every broker and every toolkit is compared with ours.
        let toolkits = TOOLKITS.iter().map(|it| lead_metric(it.name)).flat_map(|lead| {
            let of_ends = ENDS.map(|end| end_metric(end, &lead));
            [lead].into_iter().chain(of_ends)
        });
        let mut leads = SUBJECTS.iter().map(|it| lead_metric(it.name)).chain(toolkits);
        let is_lead = quantity.format.is_none() && leads.any(|it| it == quantity.metric);
        ensure(is_lead || metrics.contains(&&*quantity.metric), || {
            let mut seen = BTreeSet::new();
            metrics.retain(|metric| seen.insert(*metric));
            format!("metrics of {} are {}", quantity.case, metrics.join(", "))
        })
    }

    /// The parts in `names`, in the order of the experiment, each once; if there are no names, all but those
    /// that want to be named.
    ///
    /// # Errors
    /// Names the first unknown one, and the known ones.
    pub fn parts_named(&self, names: &[String]) -> Result<Vec<Part>, DefinitionError> {
        for name in names {
            let what = format!("{} has no part", self.name);
            let parts = self.parts.iter().map(|part| &*part.name);
            known(&what, name, parts).map_err(DefinitionError)?;
        }
        let is_chosen = |part: &&Part| match names {
            [] => !part.by_name,
            _ => names.contains(&part.name),
        };
        Ok(self.parts.iter().filter(is_chosen).cloned().collect())
    }

    /// The lengths that messages are made with.
    pub fn lengths(&self, is_quick: bool) -> &[u32] {
        chosen(&self.entries, &self.quick_entries, is_quick)
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

/// Those of a quick run, if there are any and it is one.
fn chosen<'a, T>(all: &'a [T], quick: &'a [T], is_quick: bool) -> &'a [T] {
    if is_quick && !quick.is_empty() { quick } else { all }
}

/// The names of a list, each with the place where it stands.
fn named<'a, T>(
    list: &'a [T],
    place: &'a str,
    name: fn(&T) -> &String,
) -> impl Iterator<Item = (&'a String, String)> {
    list.iter().zip(0..).map(move |(it, index)| (name(it), format!("{place}.{index}.name")))
}

fn each_once<'a>(names: impl Iterator<Item = (&'a String, String)>) -> Result<(), Fault> {
    let mut known = BTreeSet::new();
    for (name, place) in names {
        let what = || format!("the name {name:?} is there twice");
        ensure(known.insert(name), what).map_err(at(place))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn embedded(name: &str) -> Definition {
        Definition::named(name).unwrap_or_else(|error| panic!("{error}"))
    }

    /// What is said of a file with a mistake: one line.
    fn mistake(text: &str) -> String {
        let told = Definition::parse("mine.toml", text).expect_err(text).to_string();
        assert!(!told.contains('\n'), "{told}");
        told
    }

    #[test]
    fn embedded_experiments_are_valid_and_named_as_their_files() {
        for name in names() {
            assert_eq!(embedded(name).name, name);
        }
    }

    #[test]
    fn parts_come_once_and_in_order() {
        let names = |list: &[&str]| -> Vec<String> {
            let list: Vec<String> = list.iter().map(|name| (*name).to_owned()).collect();
            let parts = embedded("kohlhoff-2004").parts_named(&list).expect("known");
            parts.into_iter().map(|part| part.name).collect()
        };
        assert_eq!(names(&["codec", "size", "codec"]), ["size", "codec"]);
        let all = ["size", "codec", "latency", "throughput", "compact", "schema", "plan"];
        assert_eq!(names(&[]), all);
    }

    #[test]
    fn a_part_that_wants_to_be_named_is_run_when_it_is() {
        let definition = embedded("catena-2012");
        let has = |list: &[String]| {
            let parts = definition.parts_named(list).expect("known");
            parts.iter().any(|part| part.name == "durability")
        };
        assert!(!has(&[]) && has(&["durability".to_owned()]));
    }

    #[test]
    fn section_6_follows_from_the_tables() {
        let definition = embedded("kohlhoff-2004");
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
        let case = "round-trip@10mbit-20ms";
        for (from, to, expected) in [
            (
                ":round-trip:fix",
                ":latency:fix",
                format!(
                    "aim \"SOAP/FIX\": {case}:latency:fix: metrics of {case} are round-trip, client-encode"
                ),
            ),
            (
                "over = \"round-trip@10mbit-20ms",
                "over = \"round-trip@10mbit",
                format!(
                    "round-trip@10mbit:round-trip:soap-rpc: cases with soap-rpc are {case}, throughput@100mbit"
                ),
            ),
        ] {
            let told = mistake(&example.replacen(from, to, 1));
            assert!(told.contains(&expected), "{told}");
        }
    }

    #[test]
    fn a_mistake_in_a_file_is_told_with_its_line_and_column() {
        let good = "name = \"mine\"\nsource = \"me\"\nentries = [1]\n[[part]]\nname = \"size\"\n\
                    what = \"bytes\"\n[[part.measure]]\nkind = \"size\"\nformats = [\"fix\"]\n";
        assert!(Definition::parse("mine.toml", good).is_ok());
        let (entries, kind, formats) = ("entries = [1]", "kind = \"size\"", "formats = [\"fix\"]");
        let open_loop = "kind = \"open-loop\"\nlinks = [\"direct\", \"direct\"]\nrates = [5]\n";
        for (from, to, told) in [
            (entries, "entries = [0]", "line 3, column 12: entries: 0 is not between 1 and 1000"),
            (entries, "entries = [1, 1]", "line 3, column 11: entries: 1 is there twice"),
            (
                entries,
                "entries = [\"1\"]",
                "line 3, column 12: invalid type: string \"1\", expected a whole number",
            ),
            (
                entries,
                "entries = []",
                "is no experiment: messages of market-data need some entries",
            ),
            (
                entries,
                "entries = [1]\nquick-entries = [4000000000]",
                "line 4, column 18: quick-entries: 4000000000 is not between 1 and 1000",
            ),
            (
                "\"fix\"",
                "\"fax\"",
                "line 9, column 12: unknown word `fax`, expected one of `soap-rpc`",
            ),
            (kind, "kind = \"weight\"", "line 8, column 8: unknown word `weight`, expected one of"),
            (kind, "kind = 1", "line 8, column 8: `kind` is no string"),
            ("kind = \"size\"\n", "", "line 7, column 1: missing key `kind`"),
            (
                formats,
                "formats = [\"fix\"]\nformat = 1",
                "line 10, column 1: unknown key `format`, expected one of `formats`",
            ),
            (formats, "as-printed = true", "line 7, column 1: missing key `formats`"),
            (formats, "formats = []", "line 9, column 11: formats: the list is empty"),
            (
                kind,
                &format!("{open_loop}seconds = 1.0"),
                "line 7, column 1: open-loop-5@direct is asked for twice",
            ),
            (
                kind,
                &format!("{}seconds = 1.0", open_loop.replace("\"direct\", ", "\"far\", ")),
                "line 9, column 10: links: \"far\" is not a link such as 10mbit-20ms or direct",
            ),
            (
                kind,
                &format!("{open_loop}seconds = 0.0"),
                "line 11, column 11: seconds: 0 is not between 0.01 and 3600",
            ),
            ("source", "sauce", "line 2, column 1: unknown key `sauce`"),
            ("\"mine\"", "\"my own\"", "line 1, column 8: name: \"my own\" is not of letters"),
        ] {
            let found = mistake(&good.replace(from, to));
            assert!(found.starts_with(&format!("mine.toml {told}")), "{found}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_measure_of_filters_is_told() {
        let experiment = |clients: u32, over: &str| {
            format!(
                "name = \"x\"\nsource = \"x\"\n[messages]\nfamily = \"fix-sessions\"\n[[part]]\n\
                 name = \"p\"\nwhat = \"x\"\n[[part.measure]]\nkind = \"filters\"\n\
                 clients = {clients}\nrate = 10\nmilliseconds = 10\n[[aim]]\nname = \"a\"\n\
                 words = \"w\"\nexpected = {{ to = 1 }}\nterms = [{{ over = \"{over}\" }}]\n"
            )
        };
        for over in ["wanted-filters-half-50:latency-p99", "cost-of-filters:further-filter"] {
            assert!(Definition::parse("mine.toml", &experiment(50, over)).is_ok(), "{over}");
        }
        for (clients, over, expected) in [
            (51, "cost-of-filter:cpu-time", "clients: 51 is not between 1 and 50"),
            (50, "cost-of-filter:further-filter", "metrics of cost-of-filter are cpu-time, over"),
            (50, "wanted-half-50:lost", "are cost-of-fields, cost-of-fields-json, cost-of-filter,"),
        ] {
            let told = mistake(&experiment(clients, over));
            assert!(told.contains(expected), "{told}");
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
        let hops = |rate: u32, subject: &str| {
            format!(
                "kind = \"hops\"\nrates = [{rate}]\n\
                 turns = {{ subjects = [\"{subject}\"], milliseconds = 10 }}"
            )
        };
        let size = "kind = \"size\"\nformats = [\"fix\"]".to_owned();
        for (family, measure, expected) in [
            (
                rates,
                hops(0, "trunkline"),
                "line 10, column 10: rates: 0 is not between 1 and 10000000",
            ),
            (
                rates,
                hops(10, "pigeon"),
                "subjects: there is no subject \"pigeon\"; known: trunkline, ",
            ),
            (rates, size, "with the family market-data or customer-services, not rates"),
            ("entries = [1]\n", hops(10, "trunkline"), "with the family rates, not market-data"),
            (rates, hops(10, "trunkline") + "\nspeed = 1", "unknown key `speed`"),
        ] {
            let told = mistake(&experiment(family, &measure));
            assert!(told.contains(expected), "{told}");
        }
        let conclusion = "\n[[conclusion]]\nname = \"c\"\nwords = \"w\"\nsection = \"s\"\n\
                          expected = { to = 1 }\nterms = [{ over = \"rates-20:latency-p50\" }]\n";
        let told = mistake(&(experiment(rates, &hops(10, "trunkline")) + conclusion));
        assert!(told.contains("cases with no format are orders-10, rates-10"), "{told}");
    }
}
