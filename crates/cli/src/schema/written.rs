//! `trunkline schema --rust`, `--fix`, `--idl`, `--xsd`, `--wsdl`: a description as another.

use std::fs;
use std::path::Path;

use trunkline_export::{LeftOut, Written, fix, idl, rust, wsdl, xsd};
use trunkline_import::Description;
use trunkline_message::Layout;

use super::{unknown_message, warn};
use crate::Ending;
use crate::arguments::SchemaArguments;
use crate::description;
use crate::fault::Fault;
use crate::output::{print, remark};

/// What a description is written as.
#[derive(Clone, Copy)]
pub(super) enum Target {
    Rust,
    Fix,
    Idl,
    Xsd,
    Wsdl,
}

impl Target {
    /// What is asked for.
    pub(super) fn of(arguments: &SchemaArguments) -> Option<Self> {
        let all = [
            (arguments.rust, Self::Rust),
            (arguments.fix, Self::Fix),
            (arguments.idl, Self::Idl),
            (arguments.xsd, Self::Xsd),
            (arguments.wsdl, Self::Wsdl),
        ];
        all.into_iter().find(|it| it.0).map(|it| it.1)
    }

    /// Prints a description of all that is in a file, or of one message of it.
    pub(super) fn of_file(self, arguments: &SchemaArguments) -> Result<Ending, Fault> {
        let SchemaArguments { name: file, message, .. } = arguments;
        let description = description::read(file, &arguments.description)?;
        // Operations of IDL are no messages.
        if let (Some(message), false) = (message, matches!(self, Self::Wsdl))
            && description.layout(message)?.is_none()
        {
            return Err(unknown_message(&description, file, message));
        }
        warn(&description, file, message.as_deref());
        self.of_description(arguments, &description, message.as_deref())
    }

    /// Prints all messages of a description, or one.
    pub(super) fn of_description(
        self,
        arguments: &SchemaArguments,
        description: &Description,
        only: Option<&str>,
    ) -> Result<Ending, Fault> {
        let SchemaArguments { name: file, namespace, .. } = arguments;
        let written = match self {
            Self::Rust => rust::module(file, description, only)?,
            Self::Fix => fix::of_description(description, only)?,
            Self::Idl => idl::of_description(description, only, namespace)?,
            Self::Xsd => xsd::of_description(description, only, namespace, stem(file))?,
            Self::Wsdl => wsdl::of_description(description, only, namespace, stem(file))?,
        };
        self.printed(arguments, &written)
    }

    /// The same of a message that the binary knows.
    pub(super) fn of_layout(
        self,
        arguments: &SchemaArguments,
        layout: &Layout,
    ) -> Result<Ending, Fault> {
        let SchemaArguments { name, namespace, .. } = arguments;
        let written = match self {
            Self::Rust => rust::of_layout(name, layout),
            Self::Fix => fix::of_layouts(&[layout]),
            Self::Idl => idl::of_layout(layout, namespace),
            Self::Xsd => xsd::of_layout(layout, namespace),
            Self::Wsdl => return Err(Fault::new(format!("{name} is a message, and no service"))),
        };
        self.printed(arguments, &written)
    }

    /// What is behind the names of files.
    fn extension(self) -> &'static str {
        match self {
            Self::Rust => "rs",
            Self::Fix => "xml",
            Self::Idl => "idl",
            Self::Xsd => "xsd",
            Self::Wsdl => "wsdl",
        }
    }

    /// Prints what was written, or puts it into a folder, and says on standard error what is not in it; it is an error if
    /// nothing is.
    fn printed(self, arguments: &SchemaArguments, written: &Written) -> Result<Ending, Fault> {
        let SchemaArguments { name: file, folder, .. } = arguments;
        for LeftOut { what, why } in &written.left_out {
            remark(&format!("left out: {what}: {why}"));
        }
        for LeftOut { what, why } in &written.changed {
            remark(&format!("said otherwise: {what}: {why}"));
        }
        if written.count == 0 {
            return Err(Fault::new(format!("{file}: nothing in it can be written")));
        }
        match folder {
            Some(folder) => put(folder, &format!("{}.{}", stem(file), self.extension()), written)?,
            None if written.beside.is_empty() => print(&written.text)?,
            None => {
                let count = 1 + written.beside.len();
                return Err(Fault::new(format!(
                    "{file}: there are {count} namespaces or services, each with a file of its own; name a folder for \
                     them with --folder"
                )));
            }
        }
        Ok(Ending::Right)
    }
}

/// The name of a file without folders and what is behind the last point.
pub(super) fn stem(file: &str) -> &str {
    // Behind a URL there may be a query.
    let is_url = file.contains("://");
    let path = file.split(['?', '#']).next().filter(|_| is_url).unwrap_or(file);
    Path::new(path).file_stem().and_then(|it| it.to_str()).unwrap_or("schema")
}

/// Writes files into a folder, and prints their paths.
fn put(folder: &Path, first: &str, written: &Written) -> Result<(), Fault> {
    let wrong = |path: &Path, cause| Fault::new(format!("{}: {cause}", path.display()));
    fs::create_dir_all(folder).map_err(|cause| wrong(folder, cause))?;
    let others = written.beside.iter().map(|(name, text)| (&**name, text));
    for (name, text) in [(first, &written.text)].into_iter().chain(others) {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|cause| wrong(&path, cause))?;
        print(&format!("{}\n", path.display()))?;
    }
    Ok(())
}
