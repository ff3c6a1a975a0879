//! The wire formats of the evaluations: what each is called, and how its bytes are made.

use Encoding::{Cdr, Fix, Soap};
use Style::{DocumentEncoded, DocumentLiteral, DocumentLiteralWrapped, RpcEncoded, RpcLiteral};
use Vocabulary::{Attributes, CompactTags, Flat, FlatAttributes, Plain};

words! {
    /// What the messages of an experiment carry.
    #[derive(Default)]
    pub enum Family {
        /// Trades of a day (Kohlhoff & Steele 2004, Figure 3).
        #[default]
        MarketData = "market-data",
        /// Records of customers and products (Ng, Chen & Greenfield 2004, Figure 3).
        CustomerServices = "customer-services",
        /// Rates and orders that a middleware carries without looking at them (Catena 2012).
        Rates = "rates",
        /// What the operations of a service take and return, from structure to structure (Metro's SOAP/TCP, 2007).
        Operations = "operations",
        /// Orders and prices in FIX, which sessions carry.
        Sessions = "fix-sessions",
    }
}

words! {
    /// The styles of SOAP, and their words in profiles: how the Body is named, and how values are written.
    pub enum Style {
        /// A document as its schema says.
        DocumentLiteral = "soap-1.1-document-literal",
        /// The same, in an element named after the operation.
        DocumentLiteralWrapped = "soap-1.1-document-literal-wrapped",
        /// A document in the SOAP encoding.
        DocumentEncoded = "soap-1.1-document-encoded",
        /// A call, as the schema of its parts says.
        RpcLiteral = "soap-1.1-rpc-literal",
        /// A call in the SOAP encoding.
        RpcEncoded = "soap-1.1-rpc-encoded",
    }
}

words! {
    /// What elements are called, and where values stand.
    pub enum Vocabulary {
        /// As in the schema.
        Plain = "none",
        /// Names of two to four characters.
        CompactTags = "compact-tags",
        /// An attribute for each single value.
        Attributes = "attributes",
        /// No elements for components, such as Instrument.
        Flat = "flat",
        /// Both of these.
        FlatAttributes = "flat-attributes",
    }
}

words! {
    /// How an optional field is written.
    pub enum Optional {
        /// As a union.
        Union = "cdr-le-union",
        /// One bit tells whether it is there.
        Bitmap = "cdr-le-bitmap",
    }
}

/// How the bytes of a format are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// SOAP 1.1 in UTF-8.
    Soap(Style, Vocabulary),
    /// FIX 4.3 tag=value.
    Fix,
    /// CORBA CDR, little-endian; an optional field is a union, or one bit tells of it.
    Cdr(Optional),
}

impl Encoding {
    /// Envelope, encoding and vocabulary in profiles.
    fn words(self) -> [&'static str; 3] {
        match self {
            Soap(style, vocabulary) => [style.name(), "xml-utf8", vocabulary.name()],
            Fix => ["fix-4.3", "tag-value", "none"],
            Cdr(optional) => ["none", optional.name(), "none"],
        }
    }
}

/// Makes [`Format`] from its table: of each format the name, the words in tables, what its messages carry, and how
/// its bytes are made.
macro_rules! formats {
    ($($(#[$doc:meta])* $format:ident = $name:literal, $title:literal, $family:ident, $encoding:expr;)+) => {
        words! {
            /// One way of writing a message of one family, in the order of tables.
            pub enum Format { $($(#[$doc])* $format = $name,)+ }
        }

        const DESCRIPTIONS: [(&str, Family, Encoding); Format::ALL.len()] =
            [$(($title, Family::$family, $encoding)),+];
    };
}

formats! {
    /// SOAP 1.1, rpc/encoded: the paper's Figure 6.
    SoapRpc = "soap-rpc", "SOAP rpc/encoded", MarketData, Soap(RpcEncoded, Plain);
    /// SOAP 1.1, document/literal: what toolkits of today speak.
    SoapDocument = "soap-doc", "SOAP document/literal", MarketData, Soap(DocumentLiteral, Plain);
    /// As `SoapRpc` with names of two to four characters (the paper's section 5.4).
    SoapCompact = "soap-compact", "SOAP compact tags", MarketData, Soap(RpcEncoded, CompactTags);
    /// As `SoapRpc` with an attribute for each single value.
    SoapAttributes = "soap-attributes", "SOAP attributes", MarketData, Soap(RpcEncoded, Attributes);
    /// As `SoapRpc` without elements for components, such as Instrument.
    SoapFlat = "soap-flat", "SOAP flat", MarketData, Soap(RpcEncoded, Flat);
    /// As `SoapFlat` with an attribute for each single value.
    SoapFlatAttributes =
        "soap-flat-attributes", "SOAP flat attributes", MarketData, Soap(RpcEncoded, FlatAttributes);
    /// FIX 4.3 tag=value: Figure 5.
    Fix = "fix", "FIX", MarketData, Fix;
    /// CORBA CDR, little-endian, an optional field as a union: Figure 7.
    CdrUnion = "cdr-le", "CDR", MarketData, Cdr(Optional::Union);
    /// CORBA CDR, little-endian, one bit for each optional field.
    CdrBitmap = "cdr-le-bitmap", "CDR presence bitmap", MarketData, Cdr(Optional::Bitmap);
    /// Customer records in SOAP 1.1, document/literal, the message itself in the Body.
    NgDocumentLiteral =
        "ng-doc-literal", "document/literal", CustomerServices, Soap(DocumentLiteral, Plain);
    /// The same in an element named after the operation.
    NgDocumentLiteralWrapped =
        "ng-doc-literal-wrapped", "document/literal wrapped", CustomerServices, Soap(DocumentLiteralWrapped, Plain);
    /// Customer records in SOAP 1.1, document/encoded.
    NgDocumentEncoded =
        "ng-doc-encoded", "document/encoded", CustomerServices, Soap(DocumentEncoded, Plain);
    /// Customer records in SOAP 1.1, rpc/literal.
    NgRpcLiteral = "ng-rpc-literal", "rpc/literal", CustomerServices, Soap(RpcLiteral, Plain);
    /// Customer records in SOAP 1.1, rpc/encoded, every value with its type.
    NgRpcEncoded = "ng-rpc-encoded", "rpc/encoded", CustomerServices, Soap(RpcEncoded, Plain);
    /// Customer records in CORBA CDR, little-endian: what stands where the paper had a binary
    /// formatter.
    NgCdr = "ng-cdr", "binary CDR", CustomerServices, Cdr(Optional::Union);
}

impl Format {
    /// Those that carry messages of a family, in the order of tables.
    pub fn of_family(family: Family) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(move |format| format.family() == family)
    }

    /// The words in tables.
    pub fn title(self) -> &'static str {
        DESCRIPTIONS[self as usize].0
    }

    /// What its messages carry.
    pub fn family(self) -> Family {
        DESCRIPTIONS[self as usize].1
    }

    /// How its bytes are made.
    pub fn encoding(self) -> Encoding {
        DESCRIPTIONS[self as usize].2
    }

    /// The format of this name, which is also the word for corpora in the protocol of the peers.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The format that this one is a variant of, if it is one.
    pub fn plain(self) -> Option<Self> {
        let encoding = match self.encoding() {
            Soap(style, _) => Soap(style, Plain),
            Fix => Fix,
            Cdr(_) => Cdr(Optional::Union),
        };
        let mut family = Self::of_family(self.family()).filter(|format| *format != self);
        family.find(|format| format.encoding() == encoding)
    }

    /// The word where the formats that the papers compared stand for their kind: `SOAP`, `FIX`,
    /// `CDR`; else the title.
    pub fn kind(self) -> &'static str {
        if self == Self::SoapRpc { "SOAP" } else { self.title() }
    }

    /// How the bytes are made, in the words of rows:
    /// transport/envelope/encoding/vocabulary/compression. Nothing is sent here.
    pub fn profile(self) -> String {
        self.profile_over("none")
    }

    /// As [`profile`](Self::profile), sent over `transport`, such as `tcp-blocking`.
    pub fn profile_over(self, transport: &str) -> String {
        let [envelope, encoding, vocabulary] = self.encoding().words();
        let vocabulary = match self.family() {
            Family::CustomerServices => "customer-services",
            Family::MarketData | Family::Rates | Family::Operations | Family::Sessions => {
                vocabulary
            }
        };
        format!("{transport}/{envelope}/{encoding}/{vocabulary}/none")
    }

    /// The format of the bytes that a profile tells of, whatever carries them.
    pub fn of_profile(profile: &str) -> Option<Self> {
        let (transport, _) = profile.split_once('/')?;
        Self::ALL.into_iter().find(|format| {
            let rest = profile.strip_prefix(&format.profile_over(transport));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_has_a_name_and_a_profile_of_its_own() {
        for (index, format) in Format::ALL.iter().enumerate() {
            assert_eq!(*format as usize, index);
            assert_eq!(format.profile().split('/').count(), 5);
            for other in &Format::ALL[..index] {
                assert_ne!(format.name(), other.name());
                assert_ne!(format.profile(), other.profile());
            }
        }
    }
}
