//! What an operation answers: a response from a file, or one that is made up.

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{fs, io};

use trunkline_import::nearest;
use trunkline_import::wsdl::{self, Description, Operation, Port};
use trunkline_import::xsd::Name;
use trunkline_message::Record;
use trunkline_soap::{Encoder, Plan};

use super::SHOWN;
use crate::fault::Fault;
use crate::output::remark;
use crate::soap::content::{Form, Given, Unread, from_file, of_file};
use crate::soap::members::Request;
use crate::soap::{listed, made_up, valid};

/// What an operation answers where no rule says otherwise.
pub(super) enum Answer {
    /// There is none.
    Nothing,
    /// Always this.
    Canned(Box<Record>),
    /// Why there is none, and how to give one.
    Missing(String),
}

/// How the files are called that the answers of operations are in: after the operation, and where several of a name have
/// different messages, after that of the request too, `find.FindByName.json`.
pub(super) struct Files<'a> {
    operations: Vec<&'a Operation>,
}

impl<'a> Files<'a> {
    /// Those of these ports.
    pub(super) fn of(description: &'a Description, ports: &[(&wsdl::Service, &Port)]) -> Self {
        let bindings = ports.iter().map(|it| description.binding(it.1));
        Self { operations: bindings.flat_map(|it| &it.operations).collect() }
    }

    /// The name of the file of an operation, without its kind.
    pub(super) fn stem(&self, operation: &Operation) -> String {
        let messages = |it: &Operation| {
            [&it.request, &it.response].map(|it| it.as_ref().map(|it| it.name.clone()))
        };
        let own = messages(operation);
        let mut all = Vec::new();
        for &other in self.operations.iter().filter(|it| it.name == operation.name) {
            let other = messages(other);
            if !all.contains(&other) {
                all.push(other);
            }
        }
        let local = |it: &Option<Name>| it.as_ref().map_or("nothing", |it| &*it.local).to_owned();
        let [request, response] = [local(&own[0]), local(&own[1])];
        let name = &operation.name;
        if all.iter().all(|it| *it == own) {
            return name.clone();
        }
        if all.iter().all(|it| *it == own || local(&it[0]) != request) {
            return format!("{name}.{request}");
        }
        // Of two namespaces, they may have the same names.
        let alike =
            all.iter().filter(|it| [local(&it[0]), local(&it[1])] == [&*request, &*response]);
        let number = alike.take_while(|it| **it != own).count();
        let number = if number > 0 { format!(".{}", number + 1) } else { String::new() };
        format!("{name}.{request}.{response}{number}")
    }

    /// Is it the file of several operations, each of which has one of its own?
    fn is_of_several(&self, operation: &Operation) -> bool {
        self.stem(operation) != operation.name
    }

    /// What rules and files may be called after; those that are true are answered.
    pub(super) fn names(&self) -> BTreeMap<String, bool> {
        let mut names = BTreeMap::new();
        for operation in &self.operations {
            for name in [operation.name.clone(), self.stem(operation)] {
                *names.entry(name).or_default() |= operation.response.is_some();
            }
        }
        names
    }
}

/// What is in the folder, or else made up. What the schemas forbid of it is told.
pub(super) fn of(
    description: &Description,
    operation: &Operation,
    message: &Form,
    (folder, files): (Option<&Path>, &Files<'_>),
) -> Result<Answer, Fault> {
    let (name, stem) = (&operation.name, files.stem(operation));
    let names = if files.is_of_several(operation) { vec![&stem, name] } else { vec![name] };
    let paths = names.iter().flat_map(|name| KINDS.map(|kind| format!("{name}.{kind}")));
    let mut paths = paths.filter_map(|it| folder.map(|folder| folder.join(it)));
    if let Some(path) = paths.find(|it| it.exists()) {
        let is_of_several = path.file_stem().is_some_and(|it| *it != *stem);
        let Given { record, invalid } =
            from_file(description, &path, message).map_err(|why| match is_of_several {
                true => Fault::new(format!(
                    "{why}; several operations are called {name}, and {stem}.json is for this one"
                )),
                false => why,
            })?;
        if let Some(why) = invalid {
            let what = format!("it is served, and not valid: {}", why.what);
            remark(&Unread { what, ..why }.of(&path.display().to_string()));
        }
        return Ok(Answer::Canned(Box::new(record)));
    }
    Ok(match made_up(description, message) {
        Ok(MadeUp { record, note }) => {
            note.iter().for_each(|it| remark(&format!("{name}: {it}")));
            Answer::Canned(Box::new(record))
        }
        Err(why) => {
            let why = format!(
                "no answer to {name} can be made up, give one as {stem}.json in --answers FOLDER: {why}"
            );
            remark(&why);
            Answer::Missing(why)
        }
    })
}

/// An answer that is made up, and what is said of it if it is not as it should be.
pub(super) struct MadeUp {
    pub(super) record: Record,
    pub(super) note: Option<String>,
}

/// So many members are left out of an answer one after another, at most.
const LEFT_OUT: usize = 32;

/// A message that is made up: with everything in it, or without what has no valid value and need not be there, or with what must be
/// there alone.
///
/// # Errors
/// It cannot be written, or is too large.
pub(super) fn made_up(description: &Description, form: &Form) -> Result<MadeUp, String> {
    let (layout, options) = form;
    let told = |error: trunkline_message::Error| error.to_string();
    let plan = Plan::new(layout, options).map_err(told)?;
    let mut encoder = Encoder::new(&plan);
    let mut wrong_in = |record: &Record| -> trunkline_message::Result<Option<valid::Wrong>> {
        let envelope = String::from_utf8_lossy(encoder.encode(record)?).into_owned();
        Ok(valid::wrong_in(description, options, &envelope, record))
    };
    let (mut first, mut unwritable) = (None, None);
    for sample in made_up::whole(form) {
        match wrong_in(&sample) {
            Ok(None) => return Ok(MadeUp { record: sample, note: None }),
            Ok(Some(wrong)) => _ = first.get_or_insert((sample, wrong.what)),
            Err(error) => _ = unwritable.get_or_insert(error),
        }
    }
    let request = Request::new(form);
    for which in 0..made_up::WHOLE {
        let (mut left_out, mut notes) = (HashSet::new(), Vec::new());
        while let Some(sample) = made_up::with_all(form, which, &left_out) {
            let Ok(wrong) = wrong_in(&sample) else { break };
            let Some(wrong) = wrong else {
                let why = notes.join("; ");
                let note = format!(
                    "left out of the answer that is made up, for lack of a valid value: {why}"
                );
                return Ok(MadeUp { record: sample, note: Some(note) });
            };
            let optional = request.optional_at(&wrong.path);
            if left_out.len() == LEFT_OUT || !optional.is_some_and(|it| left_out.insert(it)) {
                break;
            }
            notes.push(wrong.what);
        }
    }
    let least = made_up::least(form).ok_or(made_up::TOO_LARGE)?;
    let invalid = |(record, why): (Record, String)| {
        let note = format!("no valid answer is found, and the one that is made up is not: {why}");
        Ok(MadeUp { record, note: Some(note) })
    };
    match (wrong_in(&least), first) {
        (Ok(None), first) => {
            let note = first.map(|(_, why)| {
                format!("only what must be there is in the answer that is made up: {why}")
            });
            Ok(MadeUp { record: least, note })
        }
        (_, Some(first)) => invalid(first),
        (Ok(Some(wrong)), None) => invalid((least, wrong.what)),
        (Err(error), None) => Err(told(unwritable.unwrap_or(error))),
    }
}

/// How the files are called that answers are in.
const KINDS: [&str; 2] = ["json", "xml"];

/// Rejects a folder with a file that would never be an answer, though it is called like one. `operations` are those that there
/// are; those that are true are answered.
pub(super) fn check_folder(
    folder: &Path,
    operations: &BTreeMap<String, bool>,
) -> Result<(), Fault> {
    let wrong = |path: &Path, why: &str| Err(Fault::new(format!("{}: {why}", path.display())));
    let is_twice = |path: &Path| KINDS.iter().all(|it| path.with_extension(it).exists());
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(folder).map_err(|cause| of_file(folder, &cause))? {
        files.push(entry.map_err(|cause| of_file(folder, &cause))?.path());
    }
    files.sort();
    for path in files.iter().filter(|it| it.is_file()) {
        let [name, kind] = [path.file_stem(), path.extension()]
            .map(|it| it.and_then(OsStr::to_str).unwrap_or_default());
        let is_answer = KINDS.contains(&kind);
        let meant = nearest(name, operations.keys().map(String::as_str));
        let is_meant = is_answer || KINDS.contains(&&*kind.to_lowercase());
        match (operations.get(name), meant) {
            // Of an editor.
            _ if name.starts_with('.') || kind.ends_with('~') => {}
            (Some(true), _) if is_answer && is_twice(path) => {
                return wrong(path, "the answer is there twice, as JSON and as XML");
            }
            (Some(true), _) if is_answer => {}
            (Some(true), _) if kind.to_lowercase().starts_with(['j', 'x']) && kind != "xsd" => {
                return wrong(path, &format!("an answer is a file {name}.json or {name}.xml"));
            }
            (Some(false), _) if is_meant => {
                return wrong(path, &format!("the operation {name} is not answered"));
            }
            (None, meant) if is_meant => {
                let names = listed(operations.keys().cloned(), SHOWN);
                let meant = meant.map(|it| format!("; did you mean {it}?")).unwrap_or_default();
                let why =
                    format!("there is no operation {name} to answer; there is {names}{meant}");
                return wrong(path, &why);
            }
            _ => {}
        }
    }
    Ok(())
}

/// Writes it, if there is no such file yet.
pub(super) fn write_new(path: &Path, text: &str) -> io::Result<()> {
    let mut file = fs::File::create_new(path)?;
    io::Write::write_all(&mut file, text.as_bytes())
}
