//! A description of messages, whichever kind of file it came from.

use trunkline_message::Layout;

use crate::{Limits, Place, Problem, Resolver, fix, idl};

/// What a file describes, by its kind.
#[derive(Debug)]
#[non_exhaustive]
pub enum Description {
    /// A FIX dictionary.
    Fix(fix::Dictionary),
    /// OMG IDL.
    Idl(idl::Specification),
    /// A listing, which is one message.
    Listing(Box<Layout>),
}

/// How a file is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The FIX dictionary whose header and trailer are taken, as those of FIX 5.0 are in another file.
    pub transport: Option<String>,
    /// Of IDL.
    pub idl: idl::Options,
}

impl Description {
    /// Reads the file at a path: OMG IDL if its name ends in `.idl` or `.pidl`, a FIX dictionary if it is XML, else a
    /// listing.
    ///
    /// # Errors
    /// A file is not there, or is none of these; or it is beyond the limits.
    pub fn read(
        path: &str,
        options: &Options,
        resolver: &mut dyn Resolver,
        limits: &Limits,
    ) -> Result<Self, Problem> {
        if is_idl(path) {
            let read = idl::Specification::read(path, &options.idl, resolver, limits)?;
            return Ok(Self::Idl(read));
        }
        let bytes = bytes_of(path, resolver, limits)?;
        if !is_markup(&bytes) {
            return listing(path, &bytes);
        }
        let dictionary = fix::Dictionary::read(path, &bytes, limits)?;
        let Some(transport) = &options.transport else { return Ok(Self::Fix(dictionary)) };
        let bytes = bytes_of(transport, resolver, limits)?;
        let transport = fix::Dictionary::read(transport, &bytes, limits)?;
        Ok(Self::Fix(dictionary.with_transport(transport)))
    }

    /// The names of the messages in it; of IDL, of its structs, unions and exceptions.
    pub fn messages(&self) -> Vec<&str> {
        match self {
            Self::Fix(dictionary) => dictionary.messages().iter().map(|it| &*it.name).collect(),
            Self::Idl(specification) => {
                let is_message = |it: &&idl::Declaration| {
                    matches!(
                        it.body,
                        idl::Body::Struct(_) | idl::Body::Union(_) | idl::Body::Exception(_)
                    )
                };
                let declared = specification.declarations().iter().filter(|it| it.is_main);
                declared.filter(is_message).map(|it| &*it.name).collect()
            }
            Self::Listing(layout) => vec![layout.name()],
        }
    }

    /// The layout of the message of this name, or of this MsgType; none if there is no such message.
    ///
    /// # Errors
    /// The message holds what has no form.
    pub fn layout(&self, name: &str) -> Result<Option<Layout>, Problem> {
        match self {
            Self::Fix(dictionary) => {
                dictionary.message(name).map(|it| dictionary.layout(it)).transpose()
            }
            Self::Idl(specification) => {
                specification.find(name).map(|it| specification.layout(it)).transpose()
            }
            Self::Listing(layout) => Ok((layout.name() == name).then(|| (**layout).clone())),
        }
    }

    /// What is wrong with it and can be lived with.
    pub fn warnings(&self) -> &[Problem] {
        match self {
            Self::Fix(dictionary) => dictionary.warnings(),
            Self::Idl(specification) => specification.warnings(),
            Self::Listing(_) => &[],
        }
    }
}

/// Is it a file of IDL, by its name?
fn is_idl(path: &str) -> bool {
    [".idl", ".pidl"].iter().any(|it| path.to_ascii_lowercase().ends_with(it))
}

/// Is it XML? No listing begins so, in whichever encoding XML is.
fn is_markup(bytes: &[u8]) -> bool {
    let marks: [&[u8]; 3] = [b"\xef\xbb\xbf", b"\xfe\xff", b"\xff\xfe"];
    let behind = marks.iter().find_map(|it| bytes.strip_prefix(*it)).unwrap_or(bytes);
    let first = behind.iter().find(|it| !it.is_ascii_whitespace() && **it != 0);
    first == Some(&b'<')
}

fn place(path: &str, line: u32) -> Place {
    Place { file: path.into(), line, column: 1 }
}

fn bytes_of(path: &str, resolver: &mut dyn Resolver, limits: &Limits) -> Result<Vec<u8>, Problem> {
    let fail = |what: String, remedy: &str| Err(Problem::new(&place(path, 1), what, remedy));
    match resolver.read(path) {
        Ok(Some(bytes)) if bytes.len() > limits.document_bytes => {
            let what = format!("there are more than {} bytes", limits.document_bytes);
            fail(what, "raise the limit `document_bytes`")
        }
        Ok(Some(bytes)) => Ok(bytes),
        Ok(None) => fail("there is no such file".into(), "name one that is there"),
        Err(why) => fail(format!("it cannot be read: {why}"), "name a file that can be read"),
    }
}

fn listing(path: &str, bytes: &[u8]) -> Result<Description, Problem> {
    const REMEDY: &str =
        "a listing has a line for each field, as `trunkline schema --listing` prints it";
    let text = std::str::from_utf8(bytes).map_err(|error| {
        Problem::new(&place(path, 1), format!("it is no text: {error}"), REMEDY)
    })?;
    let layout = Layout::from_listing(text).map_err(|error| {
        let error = error.to_string();
        // What is about a line says which.
        let (line, what) = match error.strip_prefix("line ").and_then(|it| it.split_once(": ")) {
            Some((line, what)) => (line.parse().unwrap_or(1), what.to_owned()),
            None => (1, error),
        };
        Problem::new(&place(path, line), what, REMEDY)
    })?;
    Ok(Description::Listing(Box::new(layout)))
}
