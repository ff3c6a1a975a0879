//! Media types and parameters that a channel agrees on.

use trunkline_soap::Version;

/// How the messages of a channel are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// `text/xml`: SOAP 1.1.
    TextXml,
    /// `application/soap+xml`: SOAP 1.2.
    SoapXml,
}

impl Content {
    /// All that are understood.
    pub const ALL: [Self; 2] = [Self::TextXml, Self::SoapXml];

    /// The media type.
    pub fn name(self) -> &'static str {
        match self {
            Self::TextXml => "text/xml",
            Self::SoapXml => "application/soap+xml",
        }
    }

    /// The one of a media type, whose parameters are passed over.
    pub fn of(media_type: &str) -> Option<Self> {
        let kind = media_type.split(';').next().unwrap_or_default().trim();
        Self::ALL.into_iter().find(|it| kind.eq_ignore_ascii_case(it.name()))
    }

    /// XML of a version of SOAP.
    pub fn xml(version: Version) -> Self {
        match version {
            Version::Soap11 => Self::TextXml,
            Version::Soap12 => Self::SoapXml,
        }
    }

    /// The SOAP of its messages.
    pub fn version(self) -> Version {
        match self {
            Self::TextXml => Version::Soap11,
            Self::SoapXml => Version::Soap12,
        }
    }

    /// The parameter that has the action.
    pub(super) fn action(self) -> &'static str {
        match self.version() {
            Version::Soap11 => SOAP_ACTION,
            Version::Soap12 => ACTION,
        }
    }
}

/// The parameter that names the character set,
pub(super) const CHARSET: &str = "charset";
/// the action in SOAP 1.1,
pub(super) const SOAP_ACTION: &str = "SOAPAction";
/// and in SOAP 1.2.
pub(super) const ACTION: &str = "action";
/// Parameters that are understood.
pub(super) const PARAMS: [&str; 3] = [CHARSET, SOAP_ACTION, ACTION];
