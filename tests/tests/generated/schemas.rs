//! Schemas that are written are read as what they were, by us and by the JDK.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::{env, fs};

use trunkline_export::{Message, Messages, Written, xsd};
use trunkline_import::{Described, Description, Limits, Options};
use trunkline_message::{Body, Kind, Layout, Member, Need, Record, TypeId};
use trunkline_soap as soap;
use trunkline_tests::random::{self, Safe};
use trunkline_tests::skip::skip;
use trunkline_tests::toolkit;

use super::{corpus, description};

const NAMESPACE: &str = "urn:own";

/// Messages of a description that is written as a whole.
const WHOLE: usize = 30;

/// What a layout says: names, kinds, presence, bounds; not what formats note.
pub(super) fn form(layout: &Layout, again: &dyn Fn(Kind) -> Kind) -> String {
    let schema = layout.schema();
    let (mut out, mut met) = (String::new(), vec![schema.root()]);
    let mut at = 0;
    while let Some(of) = met.get(at).copied() {
        at += 1;
        let mut place = |of: TypeId| match &schema.type_of(of).body {
            Body::Scalar(kind) => again(*kind).name().to_owned(),
            _ => match met.iter().position(|it| *it == of) {
                Some(known) => known.to_string(),
                None => {
                    met.push(of);
                    (met.len() - 1).to_string()
                }
            },
        };
        let _ = match &schema.type_of(of).body {
            Body::Scalar(kind) => writeln!(out, "{}", again(*kind).name()),
            Body::Enumeration(values) => writeln!(out, "{values:?}"),
            Body::List { of, fixed } => writeln!(out, "list of {} {fixed:?}", place(*of)),
            body @ (Body::Struct(members) | Body::Choice(members)) => {
                let is_struct = matches!(body, Body::Struct(_));
                let _ = writeln!(out, "{}", if is_struct { "struct" } else { "choice" });
                for member in members {
                    let is_there = is_struct && is_there(layout, member);
                    let _ = writeln!(out, "  {} {} {is_there}", member.name, place(member.of));
                }
                Ok(())
            }
        };
    }
    out
}

/// Is it in every message? A component in which nothing is need not be there.
fn is_there(layout: &Layout, member: &Member) -> bool {
    member.need == Need::Required
        && match &layout.schema().type_of(member.of).body {
            Body::Struct(inside) => inside.iter().any(|it| is_there(layout, it)),
            _ => true,
        }
}

/// Are there messages of it that have an end?
fn has_end(layout: &Layout) -> bool {
    let schema = layout.schema();
    let count = schema.types().len() as u32;
    let mut ends = vec![false; count as usize];
    loop {
        let ended = |of: TypeId| ends[of.0 as usize];
        let found: Vec<bool> = (0..count)
            .map(|of| match &schema.type_of(TypeId(of)).body {
                Body::Scalar(_) | Body::Enumeration(_) => true,
                Body::List { of, fixed } => fixed.is_none() || ended(*of),
                Body::Struct(all) => all.iter().all(|it| it.need != Need::Required || ended(it.of)),
                Body::Choice(all) => all.iter().all(|it| ended(it.of)),
            })
            .collect();
        if found == ends {
            return ends.iter().all(|it| *it);
        }
        ends = found;
    }
}

fn in_schema(kind: Kind) -> Kind {
    match kind {
        Kind::Code => Kind::Text,
        Kind::BigDecimal => Kind::Decimal,
        kind => kind,
    }
}

/// Reads what was written.
fn read(written: &Written) -> Result<Description, String> {
    let files: HashMap<&str, &str> =
        written.beside.iter().map(|(name, text)| (&**name, &**text)).collect();
    let mut files = |path: &str| match path {
        "own.xsd" => Ok(Some(written.text.as_bytes().to_vec())),
        path => Ok(files.get(path).map(|it| it.as_bytes().to_vec())),
    };
    let read = Description::read("own.xsd", &Options::default(), &mut files, &Limits::default());
    read.map_err(|it| it.to_string())
}

/// How a message is a document.
fn options(message: &Message) -> soap::Options {
    let (namespace, operation) = match &message.element {
        Some(element) => element.clone(),
        None => (NAMESPACE.to_owned(), message.layout.name().to_owned()),
    };
    let qualified = message.element.is_none();
    soap::Options {
        style: soap::Style::DocumentLiteral,
        layout: soap::Layout::Fragment,
        operation,
        namespace,
        qualified,
        zone: true,
        ..soap::Options::default()
    }
}

/// What comes of descriptions.
#[derive(Default)]
struct Found {
    messages: usize,
    documents: usize,
    left_out: Vec<String>,
    wrong: Vec<String>,
    /// Those that say the same by other types.
    reshaped: usize,
    /// Where the JDK is to look.
    folder: Option<PathBuf>,
}

impl Found {
    /// All of a description; of a large one it is enough to look at some messages, each by itself.
    fn add(&mut self, case: &str, description: &Description) {
        let names = description.messages();
        if names.len() <= WHOLE {
            return self.add_some(case, description, None);
        }
        for (index, name) in names.iter().enumerate().step_by(names.len() / 3) {
            self.add_some(&format!("{case}-{index}"), description, Some(name));
        }
    }

    fn add_some(&mut self, case: &str, description: &Description, only: Option<&str>) {
        let Ok(messages) = Messages::of(description, only) else { return };
        let written = xsd::of_description(description, only, NAMESPACE, "own").expect("a schema");
        let left_out = written.left_out.iter().filter(|it| {
            // What has no layout is not for a writer to say.
            let is_known =
                |what: &str| messages.left_out.iter().any(|no| no.what == what && no.why == it.why);
            !names(&it.what).all(is_known)
        });
        self.left_out.extend(left_out.map(|it| format!("{case}: {}: {}", it.what, it.why)));
        if written.count == 0 {
            return;
        }
        let again = match read(&written) {
            Ok(again) => again,
            Err(why) => return self.wrong.push(format!("{case}: {why}")),
        };
        let folder = self.put(case, &written);
        let step = messages.messages.len().div_ceil(12);
        let mut chosen: Vec<&Message> = messages.messages.iter().step_by(step).collect();
        let left_out = written.left_out.iter().flat_map(|it| names(&it.what));
        chosen.retain(|it| !left_out.clone().any(|what| is_of(what, it)));
        for (index, message) in chosen.into_iter().enumerate() {
            let options = options(message);
            let name = match &*options.namespace {
                "" => options.operation.clone(),
                namespace => format!("{{{namespace}}}{}", options.operation),
            };
            self.messages += 1;
            let found = match again.message(&name) {
                Ok(Some(found)) => found,
                Ok(None) => {
                    self.wrong.push(format!("{case}: {name}: it is not there"));
                    continue;
                }
                Err(why) => {
                    self.wrong.push(format!("{case}: {name}: {why}"));
                    continue;
                }
            };
            if let Err(why) = self.compare(message, &found, folder.as_deref().map(|it| (it, index)))
            {
                self.wrong.push(format!("{case}: {name}: {why}"));
            }
        }
    }

    fn compare(
        &mut self,
        message: &Message,
        found: &Described,
        folder: Option<(&Path, usize)>,
    ) -> Result<(), String> {
        if !has_end(&message.layout) {
            return Ok(());
        }
        let (was, is) = (form(&message.layout, &in_schema), form(&found.layout, &in_schema));
        // Choices have no name in a schema, so that they are called otherwise.
        let has_choices = was.contains("choice") || was.contains("list of any");
        // A struct around a list may be that list, and what holds itself be a type of its own.
        self.reshaped += usize::from(was != is && !has_choices);
        let layout = Arc::new(message.layout.clone());
        let options = options(message);
        let Ok(plan) = soap::Plan::new(&layout, &options) else { return Ok(()) };
        let own = found.soap.clone().expect("it is an element");
        let own =
            soap::Options { layout: soap::Layout::Fragment, qualified: options.qualified, ..own };
        let found = Arc::new(found.layout.clone());
        let other = soap::Plan::new(&found, &own).map_err(|it| it.to_string())?;
        // Chance knows no bounds.
        let is_bounded =
            layout.listing().contains("\tfacet\t") || layout.listing().contains(" facet ");
        let folder = folder.filter(|_| !is_bounded);
        for seed in 0..3 {
            let mut record = Record::new(&layout);
            random::fill(&mut record, seed, Safe::ALL, 2);
            let Ok(text) = soap::Encoder::new(&plan).encode(&record).map(|it| it.to_vec()) else {
                continue;
            };
            // Blanks that types do not keep are gone once it is read.
            let mut read = Record::new(&layout);
            soap::Decoder::new(&plan).decode(&text, &mut read).map_err(|it| it.to_string())?;
            let text = soap::Encoder::new(&plan).encode(&read).map(|it| it.to_vec());
            let text = text.map_err(|it| it.to_string())?;
            let mut again = Record::new(&found);
            soap::Decoder::new(&other).decode(&text, &mut again).map_err(|it| it.to_string())?;
            let same = soap::Encoder::new(&other).encode(&again).map(|it| it.to_vec());
            let same = same.map_err(|it| it.to_string())?;
            // Prefixes may be others, so that it is read once more.
            let mut back = Record::new(&layout);
            soap::Decoder::new(&plan).decode(&same, &mut back).map_err(|it| it.to_string())?;
            let back = soap::Encoder::new(&plan).encode(&back).map(|it| it.to_vec());
            let back = back.map_err(|it| it.to_string())?;
            let [text, back] = [text, back].map(|it| String::from_utf8(it).expect("UTF-8"));
            if text != back {
                let at = text.bytes().zip(back.bytes()).take_while(|it| it.0 == it.1).count();
                let from = text.floor_char_boundary(at.saturating_sub(60));
                let part = |it: &str| it[from..].chars().take(160).collect::<String>();
                return Err(format!("{} is now {}", part(&text), part(&back)));
            }
            self.documents += 1;
            if let Some((folder, index)) = folder {
                // XML Schema has no leap seconds.
                let text = text.replace("23:59:60", "23:59:59");
                fs::write(folder.join(format!("{index}-{seed}.xml")), text).expect("a document");
            }
        }
        Ok(())
    }

    /// Puts schemas where the JDK finds them, and documents into the folder.
    fn put(&self, case: &str, written: &Written) -> Option<PathBuf> {
        let all = self.folder.as_ref()?;
        let folder = all.join(case);
        fs::create_dir_all(&folder).expect("a folder");
        let text =
            written.text.replace("schemaLocation=\"own-", &format!("schemaLocation=\"{case}-"));
        fs::write(all.join(format!("{case}.xsd")), text).expect("a schema");
        for (name, text) in &written.beside {
            let text = text.replace("schemaLocation=\"own", &format!("schemaLocation=\"{case}"));
            fs::write(all.join(name.replacen("own", case, 1)), text).expect("a schema");
        }
        Some(folder)
    }
}

/// The names of what is left out for one reason.
fn names(what: &str) -> std::str::Split<'_, &'static str> {
    what.split(", ")
}

fn is_of(what: &str, message: &Message) -> bool {
    match &message.element {
        Some((namespace, name)) => what == name || what == format!("{{{namespace}}}{name}"),
        None => {
            what == message.layout.name()
                || what == format!("{{{NAMESPACE}}}{}", message.layout.name())
        }
    }
}

#[test]
fn a_schema_is_what_it_was() {
    let mut found = Found::default();
    for file in ["orders.xml", "trading.idl", "quotes.wsdl"] {
        found.add(file, &description(file));
    }
    assert_eq!(found.wrong, [""; 0]);
    assert_eq!(found.left_out, [""; 0]);
    assert!(found.messages > 8 && found.documents > 20, "{} {}", found.messages, found.documents);
    assert_eq!(found.reshaped, 0);
}

#[test]
fn what_a_schema_says_otherwise_is_named() {
    let written = xsd::of_description(&description("orders.xml"), None, "", "own");
    let changed = written.expect("a schema").changed;
    let changed: Vec<String> =
        changed.iter().map(|it| format!("{}: {}", it.what, it.why)).collect();
    let said = changed.join("\n");
    assert!(said.contains("XML Schema has no word for fix(tag)"), "{said}");
    assert!(said.contains("XML Schema has no word for fix(code)"), "{said}");
}

#[test]
fn schemas_of_all_kinds_are_what_they_were() {
    let descriptions = corpus::descriptions();
    if descriptions.is_empty() {
        return;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("schemas");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    let mut found = Found { folder: Some(folder.clone()), ..Found::default() };
    // Of all of them it takes a minute.
    for (case, description) in descriptions.iter().step_by(4) {
        found.add(case, description);
    }
    let Found { messages, documents, left_out, wrong, reshaped, .. } = found;
    assert!(wrong.is_empty(), "{}: {}", wrong.len(), wrong.join("\n"));
    // What XML Schema forbids, and what `xsi:type` tells.
    assert!(left_out.len() < 20, "{}: {}", left_out.len(), left_out.join("\n"));
    assert!(messages > 450 && documents > 1100, "{messages} messages, {documents} documents");
    assert!(reshaped < 25, "{reshaped}");
    if !toolkit::is_here("java") {
        return skip("java is missing");
    }
    let judge = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/wsdl_schemas/Judge.java");
    let said = toolkit::run(Command::new("java").arg(judge).arg(&folder));
    // The JDK does not take these patterns of the corpus.
    let is_wrong = |it: &&str| !it.contains("InvalidRegex") && !it.starts_with("valid ");
    let wrong: Vec<&str> = said.lines().filter(is_wrong).collect();
    assert!(wrong.is_empty(), "{}: {}", wrong.len(), wrong.join("\n"));
}
