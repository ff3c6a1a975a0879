//! Files that describe messages, read for every verb that takes one.

use std::fs::File;
use std::io::{self, Read as _};

use trunkline_import::{Description, Options, ProblemKind, idl};

use crate::arguments::DescriptionArguments;
use crate::fault::Fault;
use crate::output::remark;
use crate::soap::read_any;

/// Reads the file at a path, or what is at a URL if it may be fetched, and those that it includes.
pub(crate) fn read(file: &str, arguments: &DescriptionArguments) -> Result<Description, Fault> {
    let macros = arguments.define.iter().map(|it| {
        let (name, value) = it.split_once('=').unwrap_or((it, "1"));
        (name.to_owned(), value.to_owned())
    });
    let idl = idl::Options { folders: arguments.include.clone(), macros: macros.collect() };
    let options = Options { transport: arguments.transport.clone(), idl };
    read_any(file, &arguments.fetch, |documents, limits| {
        let mut resolver = |path: &str| match arguments.transport.as_deref() == Some(path) {
            // It was named by the user, and not by the description.
            true if !path.contains("://") => file_at(path, limits.document_bytes),
            _ => documents.read(path),
        };
        Description::read(file, &options, &mut resolver, limits)
    })
}

/// Says what is odd in a description against which messages are checked, and what it leaves open: what is missing cannot be held
/// against one.
pub(crate) fn remark_on(description: &Description) {
    // What no layout holds is checked all the same.
    let flaws = description.warnings().iter().filter(|it| it.kind == ProblemKind::Flaw);
    flaws.for_each(|it| remark(&it.to_string()));
}

/// The bytes of a file, and one more than there may be at most; none if there is no such file.
pub(crate) fn file_at(path: &str, most: usize) -> Result<Option<Vec<u8>>, String> {
    let mut bytes = Vec::new();
    match File::open(path).and_then(|it| it.take(most as u64 + 1).read_to_end(&mut bytes)) {
        Ok(_) => Ok(Some(bytes)),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(cause) => Err(cause.to_string()),
    }
}
