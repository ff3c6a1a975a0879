//! Media types and parameters that a channel agrees on.

use trunkline_soap::Version;

use crate::soap::MessageEncoding;

/// How the messages of a channel are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Content {
    /// XML, or Fast Infoset.
    pub encoding: MessageEncoding,
    /// The SOAP of its messages.
    pub version: Version,
}

impl Content {
    /// `text/xml`: SOAP 1.1.
    pub const TEXT_XML: Self = Self { encoding: MessageEncoding::Xml, version: Version::Soap11 };
    /// `application/soap+xml`: SOAP 1.2.
    pub const SOAP_XML: Self = Self { encoding: MessageEncoding::Xml, version: Version::Soap12 };

    /// The media type, without parameters.
    pub fn name(self) -> &'static str {
        self.encoding.content_type(self.version)
    }

    /// The one of a media type, whose parameters are passed over.
    pub fn of(media_type: &str) -> Option<Self> {
        let found = MessageEncoding::of_media_type(media_type);
        found.map(|(encoding, version)| Self { encoding, version })
    }

    /// XML of a version of SOAP.
    pub fn xml(version: Version) -> Self {
        Self { encoding: MessageEncoding::Xml, version }
    }

    /// The parameter that has the action.
    pub(super) fn action(self) -> &'static str {
        match self.version {
            Version::Soap11 => SOAP_ACTION,
            Version::Soap12 => ACTION,
        }
    }
}

/// The parameter that names the character set of XML,
pub(super) const CHARSET: &str = "charset";
/// the action in SOAP 1.1,
pub(super) const SOAP_ACTION: &str = "SOAPAction";
/// and in SOAP 1.2.
pub(super) const ACTION: &str = "action";
/// Agreed on, it says that calls of this channel and others may overlap, each channel having one at a time. It never
/// stands in a message. Metro leaves it out of what it agrees to, as it does all that it does not know.
pub(super) const OVERLAPPING: &str = "trunkline-overlapping";
/// Parameters that are understood.
pub(super) const PARAMS: [&str; 4] = [CHARSET, SOAP_ACTION, ACTION, OVERLAPPING];
