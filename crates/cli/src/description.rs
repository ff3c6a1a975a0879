//! Files that describe messages, read for every verb that takes one.

use std::fs::File;
use std::io::{self, Read as _};

use trunkline_import::{Description, Limits, Options, idl};

use crate::arguments::DescriptionArguments;
use crate::fault::Fault;
use crate::output::remark;

/// Reads the file at a path, and those that it includes.
pub(crate) fn read(file: &str, arguments: &DescriptionArguments) -> Result<Description, Fault> {
    let macros = arguments.define.iter().map(|it| {
        let (name, value) = it.split_once('=').unwrap_or((it, "1"));
        (name.to_owned(), value.to_owned())
    });
    let idl = idl::Options { folders: arguments.include.clone(), macros: macros.collect() };
    let options = Options { transport: arguments.transport.clone(), idl };
    let limits = Limits::default();
    let mut resolver = |path: &str| file_at(path, limits.document_bytes);
    Ok(Description::read(file, &options, &mut resolver, &limits)?)
}

/// Says what is odd in a description against which messages are checked, and what it leaves open: what is missing cannot be held
/// against one.
pub(crate) fn remark_on(description: &Description) {
    let all = description.warnings().iter().map(ToString::to_string);
    // What no layout holds is checked all the same.
    all.filter(|it| !it.contains("by `--check` alone")).for_each(|it| remark(&it));
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
