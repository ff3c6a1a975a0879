//! Files that describe messages, read for every verb that takes one.

use std::fs::File;
use std::io::{self, Read as _};

use trunkline_import::{Description, Limits, Options, idl};

use crate::arguments::DescriptionArguments;
use crate::fault::Fault;

/// Reads the file at a path, and those that it includes.
pub(crate) fn read(file: &str, arguments: &DescriptionArguments) -> Result<Description, Fault> {
    let macros = arguments.define.iter().map(|it| {
        let (name, value) = it.split_once('=').unwrap_or((it, "1"));
        (name.to_owned(), value.to_owned())
    });
    let idl = idl::Options { folders: arguments.include.clone(), macros: macros.collect() };
    let options = Options { transport: arguments.transport.clone(), idl };
    let limits = Limits::default();
    let most = limits.document_bytes as u64 + 1;
    let mut resolver = |path: &str| {
        let mut bytes = Vec::new();
        match File::open(path).and_then(|it| it.take(most).read_to_end(&mut bytes)) {
            Ok(_) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    };
    Ok(Description::read(file, &options, &mut resolver, &limits)?)
}
