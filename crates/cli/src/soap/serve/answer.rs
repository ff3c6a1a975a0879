//! What an operation answers: a response from a file, or one that is made up, and rules that go before.

use std::path::Path;
use std::sync::Arc;
use std::{fs, io};

use trunkline_codec::json;
use trunkline_import::wsdl::Operation;
use trunkline_message::{Layout, Record};
use trunkline_soap::{Encoder, Plan};

use crate::fault::Fault;
use crate::soap::content::{Form, from_file};

/// What an operation answers where no rule says otherwise.
pub(super) enum Answer {
    /// There is none.
    Nothing,
    /// Always this.
    Canned(Box<Record>),
    /// Why there is none, and how to give one.
    Missing(String),
}

/// What is in the folder, or else made up.
pub(super) fn of(
    operation: &Operation,
    message: &Form,
    folder: Option<&Path>,
) -> Result<Answer, Fault> {
    for kind in ["json", "xml"] {
        let path = folder.map(|it| it.join(format!("{}.{kind}", operation.name)));
        if let Some(path) = path.filter(|it| it.exists()) {
            return from_file(&path, message).map(|it| Answer::Canned(Box::new(it)));
        }
    }
    let (layout, options) = message;
    let sample = Record::sample(layout);
    let is_writable =
        Plan::new(layout, options).and_then(|plan| Encoder::new(&plan).encode(&sample).map(|_| ()));
    Ok(match is_writable {
        Ok(()) => Answer::Canned(Box::new(sample)),
        Err(why) => Answer::Missing(format!(
            "no answer to {name} can be made up, give one as {name}.json in --answers FOLDER: {why}",
            name = operation.name
        )),
    })
}

/// The text of the answer that would be made up; none if there is nothing to answer with.
pub(super) fn written(layout: &Arc<Layout>) -> trunkline_message::Result<Vec<u8>> {
    let plan = json::Plan::new(layout, &json::Options::default())?;
    let mut encoder = json::Encoder::new(&plan);
    Ok([encoder.encode(&Record::sample(layout))?, b"\n"].concat())
}

/// Writes it, if there is no such file yet.
pub(super) fn write_new(path: &Path, text: &[u8]) -> io::Result<()> {
    let mut file = fs::File::create_new(path)?;
    io::Write::write_all(&mut file, text)
}
