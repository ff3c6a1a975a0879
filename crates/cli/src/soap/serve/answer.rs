//! What an operation answers: a response from a file, or one that is made up.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use trunkline_codec::json;
use trunkline_import::nearest;
use trunkline_import::wsdl::{Description, Operation};
use trunkline_message::{Layout, Record};
use trunkline_soap::{Encoder, Plan};

use super::SHOWN;
use crate::fault::Fault;
use crate::output::remark;
use crate::soap::content::{Form, from_file, of_file};
use crate::soap::{listed, valid};

/// What an operation answers where no rule says otherwise.
pub(super) enum Answer {
    /// There is none.
    Nothing,
    /// Always this.
    Canned(Box<Record>),
    /// Why there is none, and how to give one.
    Missing(String),
}

/// What is in the folder, or else made up. What the schemas forbid of it is told.
pub(super) fn of(
    description: &Description,
    operation: &Operation,
    message: &Form,
    folder: Option<&Path>,
) -> Result<Answer, Fault> {
    let name = &operation.name;
    for kind in KINDS {
        let path = folder.map(|it| it.join(format!("{name}.{kind}")));
        if let Some(path) = path.filter(|it| it.exists()) {
            let record = from_file(&path, message)?;
            if let Some(why) = invalid(description, message, &record).ok().flatten() {
                remark(&format!("{} is served, and not valid: {why}", path.display()));
            }
            return Ok(Answer::Canned(Box::new(record)));
        }
    }
    let sample = Record::sample(&message.0);
    Ok(match invalid(description, message, &sample) {
        Ok(why) => {
            if let Some(why) = why {
                remark(&format!("{name}: {}", no_valid_one(&why)));
            }
            Answer::Canned(Box::new(sample))
        }
        Err(why) => Answer::Missing(format!(
            "no answer to {name} can be made up, give one as {name}.json in --answers FOLDER: {why}"
        )),
    })
}

/// What is said of an answer that is made up, and not as it should be.
pub(super) fn no_valid_one(why: &str) -> String {
    format!("no valid answer is found, and the one that is made up is not: {why}")
}

/// What the schemas say against a message.
///
/// # Errors
/// It cannot be written.
pub(super) fn invalid(
    description: &Description,
    (layout, options): &Form,
    record: &Record,
) -> trunkline_message::Result<Option<String>> {
    let plan = Plan::new(layout, options)?;
    let mut encoder = Encoder::new(&plan);
    let envelope = String::from_utf8_lossy(encoder.encode(record)?).into_owned();
    Ok(valid::of_message(description, options, (&envelope, record)))
}

/// How the files are called that answers are in.
const KINDS: [&str; 2] = ["json", "xml"];

/// Rejects a folder with a file that would never be an answer, though it is called like one. `operations` are those that there
/// are; those that are true are answered.
pub(super) fn check_folder(folder: &Path, operations: &BTreeMap<&str, bool>) -> Result<(), Fault> {
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
        let meant = nearest(name, operations.keys().copied());
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
                let names = listed(operations.keys().map(|it| (*it).to_owned()), SHOWN);
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

/// The text of an answer.
pub(super) fn written(layout: &Arc<Layout>, record: &Record) -> trunkline_message::Result<Vec<u8>> {
    let plan = json::Plan::new(layout, &json::Options::default())?;
    let mut encoder = json::Encoder::new(&plan);
    Ok([encoder.encode(record)?, b"\n"].concat())
}

/// Writes it, if there is no such file yet.
pub(super) fn write_new(path: &Path, text: &[u8]) -> io::Result<()> {
    let mut file = fs::File::create_new(path)?;
    io::Write::write_all(&mut file, text)
}
