//! Faults of both versions, as one.

mod read;
mod write;

use std::fmt;
use std::ops::{Deref, DerefMut};

use trunkline_codec::infoset::{Reader, Writer};
use trunkline_message::{Error, ErrorKind, Limits, Result};

use crate::document;
use crate::fragment::Fragment;
use crate::header::{HeaderBlock, namespace};
use crate::options::Version;
use crate::qname::QName;

/// Which side made the mistake (SOAP 1.1 section 4.4.1, SOAP 1.2 part 1 section 5.4.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultCode {
    /// The message is in no Envelope that is known.
    VersionMismatch,
    /// A header block for the node, which it must understand, it does not understand.
    MustUnderstand,
    /// The data is in an encoding that is not known. SOAP 1.1 has no such code and says `Client`.
    DataEncodingUnknown,
    /// The message is wrong, and will be if it is sent again. `Client` in SOAP 1.1.
    Sender,
    /// The message could not be processed for other reasons. `Server` in SOAP 1.1.
    Receiver,
}

impl FaultCode {
    /// The local name that the version has for it.
    pub fn name(self, version: Version) -> &'static str {
        match (self, version) {
            (Self::VersionMismatch, _) => "VersionMismatch",
            (Self::MustUnderstand, _) => "MustUnderstand",
            (Self::Sender | Self::DataEncodingUnknown, Version::Soap11) => "Client",
            (Self::Receiver, Version::Soap11) => "Server",
            (Self::DataEncodingUnknown, Version::Soap12) => "DataEncodingUnknown",
            (Self::Sender, Version::Soap12) => "Sender",
            (Self::Receiver, Version::Soap12) => "Receiver",
        }
    }
}

/// The message that replaces an answer after an error (SOAP 1.1 section 4.4, SOAP 1.2 part 1
/// section 5.4). One pointer wide, so that a result that is none carries no weight; its parts are
/// read and set as if they were its fields.
///
/// ```
/// use trunkline_soap::{Fault, Version};
///
/// let mut fault = Fault::sender("rejected");
/// fault.language = "en-GB".into();
/// let bytes = fault.encode(Version::Soap12);
/// assert_eq!(Fault::decode(&bytes, &Default::default())?, fault);
/// # Ok::<(), trunkline_message::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault(Box<FaultParts>);

/// What a [`Fault`] says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultParts {
    /// Which side made the mistake.
    pub code: FaultCode,
    /// The subcodes, the widest first. In SOAP 1.1, which has one code only, the last of them
    /// stands in place of `code` if it is in a namespace; so does what extends a code there after a
    /// dot, such as `Client.Authentication` in the namespace of the envelope.
    pub subcodes: Vec<QName>,
    /// The reason, for people.
    pub reason: String,
    /// The language of the reason, as in `xml:lang`; `en` unless a fault names another.
    pub language: String,
    /// The URI of the node at which it happened. SOAP 1.2 only.
    pub node: Option<String>,
    /// The URI of the role in which the node acted; `faultactor` in SOAP 1.1.
    pub role: Option<String>,
    /// The application's details: any elements. In SOAP 1.1 only what concerns the Body may be
    /// here. Text that a fault has here outside of elements is read as an element
    /// `text` in no namespace.
    pub detail: Vec<Fragment>,
    /// The header blocks that were not understood, listed in `NotUnderstood` blocks. SOAP 1.2 only.
    pub not_understood: Vec<QName>,
    /// The versions that the node does read, the preferred one first, listed in an `Upgrade` block
    /// (SOAP 1.2 part 1 section 5.4.7).
    pub upgrade: Vec<Version>,
}

/// Names in a fault at most: the sender chose how many there are.
const MOST_LISTED: usize = 16;

impl Fault {
    /// A fault with this code and reason, in English.
    pub fn new(code: FaultCode, reason: impl Into<String>) -> Self {
        Self::from(FaultParts {
            code,
            subcodes: Vec::new(),
            reason: reason.into(),
            language: "en".into(),
            node: None,
            role: None,
            detail: Vec::new(),
            not_understood: Vec::new(),
            upgrade: Vec::new(),
        })
    }

    /// The message was wrong.
    pub fn sender(reason: impl Into<String>) -> Self {
        Self::new(FaultCode::Sender, reason)
    }

    /// The message could not be processed, through no fault of its own.
    pub fn receiver(reason: impl Into<String>) -> Self {
        Self::new(FaultCode::Receiver, reason)
    }

    /// These header blocks have to be understood and are not, see
    /// [`not_understood`](super::not_understood). The first sixteen are listed.
    pub fn must_understand(not_understood: Vec<QName>) -> Self {
        let listed = &not_understood[..not_understood.len().min(MOST_LISTED)];
        let names: Vec<String> = listed.iter().map(QName::to_string).collect();
        let more = match not_understood.len() - listed.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let reason = format!("header blocks not understood: {}{more}", names.join(", "));
        let mut fault = Self::new(FaultCode::MustUnderstand, reason);
        fault.not_understood = listed.to_vec();
        fault
    }

    /// The message is of another version than these, which are read here.
    pub fn version_mismatch(supported: &[Version]) -> Self {
        let names =
            supported.iter().map(|it| format!("{} ({})", version_name(*it), namespace(*it)));
        let names: Vec<String> = names.collect();
        let reason = format!("expected an Envelope of {}", names.join(" or "));
        let mut fault = Self::new(FaultCode::VersionMismatch, reason);
        fault.upgrade = supported.to_vec();
        fault
    }

    /// The answer to a message that could not be read for this reason.
    pub fn of_error(error: &Error) -> Self {
        let mut fault = Self::sender(error.to_string());
        match error.kind() {
            ErrorKind::Version(_) => {
                fault.code = FaultCode::VersionMismatch;
                fault.upgrade = vec![Version::Soap12, Version::Soap11];
            }
            ErrorKind::Encoding(_) => fault.code = FaultCode::DataEncodingUnknown,
            _ => {}
        }
        fault
    }

    /// The same fault with one more entry of its detail.
    #[must_use]
    pub fn with_detail(mut self, entry: Fragment) -> Self {
        self.detail.push(entry);
        self
    }

    /// The same fault with one more subcode, closer than those before.
    #[must_use]
    pub fn with_subcode(mut self, subcode: QName) -> Self {
        self.subcodes.push(subcode);
        self
    }

    /// Its parts, to take them away.
    pub fn into_parts(self) -> FaultParts {
        *self.0
    }

    /// The whole message in the version's own terms, in UTF-8. Characters of texts that XML does
    /// not have become U+FFFD. In SOAP 1.1 as WS-I Basic Profile 1.1 section 3.3 asks, in SOAP 1.2
    /// with the header blocks of part 1 sections 5.4.7 and 5.4.8.
    pub fn encode(&self, version: Version) -> Vec<u8> {
        self.encode_with(&[], version)
    }

    /// As [`encode_with`](Self::encode_with), in any form.
    pub fn encode_to(&self, header: &[HeaderBlock], version: Version, out: &mut impl Writer) {
        write::message(self, header, version, out);
    }

    /// The same with header blocks besides: what a fault has to say about header blocks stands
    /// there, and not in its detail (SOAP 1.1 section 4.4, SOAP 1.2 part 1 section 5.4.5).
    pub fn encode_with(&self, header: &[HeaderBlock], version: Version) -> Vec<u8> {
        document::write(|out| self.encode_to(header, version, out)).0
    }

    /// Reads a message that is a fault. What toolkits leave out, add or put in the wrong namespace
    /// is no error; a code that is not known is read as a subcode of `Receiver`.
    ///
    /// # Errors
    /// As [`open`](super::open), of the whole document; the message is no fault.
    pub fn decode(bytes: &[u8], limits: &Limits) -> Result<Self> {
        document::read(bytes, limits, |reader| Self::decode_from(reader, limits))
    }

    /// As [`decode`](Self::decode), of a message in any form.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    pub fn decode_from(reader: &mut impl Reader, limits: &Limits) -> Result<Self> {
        read::message(reader, limits)
    }
}

impl From<FaultParts> for Fault {
    fn from(parts: FaultParts) -> Self {
        Self(Box::new(parts))
    }
}

impl Deref for Fault {
    type Target = FaultParts;

    fn deref(&self) -> &FaultParts {
        &self.0
    }
}

impl DerefMut for Fault {
    fn deref_mut(&mut self) -> &mut FaultParts {
        &mut self.0
    }
}

fn version_name(version: Version) -> &'static str {
    match version {
        Version::Soap11 => "SOAP 1.1",
        Version::Soap12 => "SOAP 1.2",
    }
}

/// `Sender (NoSuchTopic): there is no topic named gold`.
/// A message that could not be written or read for an answer: the receiver's fault. The
/// sender's is [`Fault::of_error`].
impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::receiver(error.to_string())
    }
}

/// What failed on the way to or from a file, say: the receiver's fault.
impl From<std::io::Error> for Fault {
    fn from(error: std::io::Error) -> Self {
        Self::receiver(error.to_string())
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code.name(Version::Soap12))?;
        if let Some(subcode) = self.subcodes.last() {
            write!(f, " ({})", subcode.local)?;
        }
        write!(f, ": {}", self.reason)
    }
}

impl std::error::Error for Fault {}
