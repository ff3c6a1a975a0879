//! The wire formats of the evaluations: what each is called, and how its bytes are made.

use serde::Deserialize;
use serde::de::{Deserializer, Error as _};

/// What the messages of an experiment carry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// Trades of a day (Kohlhoff & Steele 2004, Figure 3).
    #[default]
    MarketData,
    /// Records of customers and products (Ng, Chen & Greenfield 2004, Figure 3).
    CustomerServices,
    /// Rates and orders that a middleware carries without looking at them (Catena 2012).
    Rates,
}

impl Family {
    /// The word in experiments.
    pub fn name(self) -> &'static str {
        match self {
            Self::MarketData => "market-data",
            Self::CustomerServices => "customer-services",
            Self::Rates => "rates",
        }
    }
}

/// One way of writing a message of one family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// SOAP 1.1, rpc/encoded: the paper's Figure 6.
    SoapRpc,
    /// SOAP 1.1, document/literal: what toolkits of today speak.
    SoapDocument,
    /// As `SoapRpc` with names of two to four characters (the paper's section 5.4).
    SoapCompact,
    /// As `SoapRpc` with an attribute for each single value.
    SoapAttributes,
    /// As `SoapRpc` without elements for components, such as Instrument.
    SoapFlat,
    /// As `SoapFlat` with an attribute for each single value.
    SoapFlatAttributes,
    /// FIX 4.3 tag=value: Figure 5.
    Fix,
    /// CORBA CDR, little-endian, an optional field as a union: Figure 7.
    CdrUnion,
    /// CORBA CDR, little-endian, one bit for each optional field.
    CdrBitmap,
    /// Customer records in SOAP 1.1, document/literal, the message itself in the Body.
    NgDocumentLiteral,
    /// The same in an element named after the operation.
    NgDocumentLiteralWrapped,
    /// Customer records in SOAP 1.1, document/encoded.
    NgDocumentEncoded,
    /// Customer records in SOAP 1.1, rpc/literal.
    NgRpcLiteral,
    /// Customer records in SOAP 1.1, rpc/encoded, every value with its type.
    NgRpcEncoded,
    /// Customer records in CORBA CDR, little-endian: what stands where the paper had a binary
    /// formatter.
    NgCdr,
}

/// What there is to say about a format.
#[derive(Clone, Copy)]
struct Description {
    name: &'static str,
    title: &'static str,
    family: Family,
    plain: Option<Format>,
    /// Envelope, encoding and vocabulary, as in profiles.
    bytes: [&'static str; 3],
}

const fn market_data(
    name: &'static str,
    title: &'static str,
    bytes: [&'static str; 3],
) -> Description {
    Description { name, title, family: Family::MarketData, plain: None, bytes }
}

const fn services(
    name: &'static str,
    title: &'static str,
    [envelope, encoding]: [&'static str; 2],
) -> Description {
    let bytes = [envelope, encoding, "customer-services"];
    Description { name, title, family: Family::CustomerServices, plain: None, bytes }
}

impl Description {
    const fn variant_of(self, plain: Format) -> Self {
        Self { plain: Some(plain), ..self }
    }
}

/// In the order of [`Format`].
const DESCRIPTIONS: [Description; Format::ALL.len()] = [
    market_data("soap-rpc", "SOAP rpc/encoded", ["soap-1.1-rpc-encoded", "xml-utf8", "none"]),
    market_data(
        "soap-doc",
        "SOAP document/literal",
        ["soap-1.1-document-literal", "xml-utf8", "none"],
    ),
    market_data(
        "soap-compact",
        "SOAP compact tags",
        ["soap-1.1-rpc-encoded", "xml-utf8", "compact-tags"],
    )
    .variant_of(Format::SoapRpc),
    market_data(
        "soap-attributes",
        "SOAP attributes",
        ["soap-1.1-rpc-encoded", "xml-utf8", "attributes"],
    )
    .variant_of(Format::SoapRpc),
    market_data("soap-flat", "SOAP flat", ["soap-1.1-rpc-encoded", "xml-utf8", "flat"])
        .variant_of(Format::SoapRpc),
    market_data(
        "soap-flat-attributes",
        "SOAP flat attributes",
        ["soap-1.1-rpc-encoded", "xml-utf8", "flat-attributes"],
    )
    .variant_of(Format::SoapRpc),
    market_data("fix", "FIX", ["fix-4.3", "tag-value", "none"]),
    market_data("cdr-le", "CDR", ["none", "cdr-le-union", "none"]),
    market_data("cdr-le-bitmap", "CDR presence bitmap", ["none", "cdr-le-bitmap", "none"])
        .variant_of(Format::CdrUnion),
    services("ng-doc-literal", "document/literal", ["soap-1.1-document-literal", "xml-utf8"]),
    services(
        "ng-doc-literal-wrapped",
        "document/literal wrapped",
        ["soap-1.1-document-literal-wrapped", "xml-utf8"],
    ),
    services("ng-doc-encoded", "document/encoded", ["soap-1.1-document-encoded", "xml-utf8"]),
    services("ng-rpc-literal", "rpc/literal", ["soap-1.1-rpc-literal", "xml-utf8"]),
    services("ng-rpc-encoded", "rpc/encoded", ["soap-1.1-rpc-encoded", "xml-utf8"]),
    services("ng-cdr", "binary CDR", ["none", "cdr-le-union"]),
];

impl Format {
    /// All formats, in the order of tables.
    pub const ALL: [Self; 15] = [
        Self::SoapRpc,
        Self::SoapDocument,
        Self::SoapCompact,
        Self::SoapAttributes,
        Self::SoapFlat,
        Self::SoapFlatAttributes,
        Self::Fix,
        Self::CdrUnion,
        Self::CdrBitmap,
        Self::NgDocumentLiteral,
        Self::NgDocumentLiteralWrapped,
        Self::NgDocumentEncoded,
        Self::NgRpcLiteral,
        Self::NgRpcEncoded,
        Self::NgCdr,
    ];

    /// Those of market data.
    pub const MARKET_DATA: [Self; 9] = [
        Self::SoapRpc,
        Self::SoapDocument,
        Self::SoapCompact,
        Self::SoapAttributes,
        Self::SoapFlat,
        Self::SoapFlatAttributes,
        Self::Fix,
        Self::CdrUnion,
        Self::CdrBitmap,
    ];

    /// Those of customer and product records.
    pub const CUSTOMER_SERVICES: [Self; 6] = [
        Self::NgDocumentLiteral,
        Self::NgDocumentLiteralWrapped,
        Self::NgDocumentEncoded,
        Self::NgRpcLiteral,
        Self::NgRpcEncoded,
        Self::NgCdr,
    ];

    /// What its messages carry.
    pub fn family(self) -> Family {
        self.description().family
    }

    /// The word for corpora in the protocol of the peers.
    pub fn name(self) -> &'static str {
        self.description().name
    }

    /// The format of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The words in tables.
    pub fn title(self) -> &'static str {
        self.description().title
    }

    /// The format that this one is a variant of, if it is one.
    pub fn plain(self) -> Option<Self> {
        self.description().plain
    }

    /// The word where the formats that the papers compared stand for their kind: `SOAP`, `FIX`,
    /// `CDR`; else the title.
    pub fn kind(self) -> &'static str {
        match self {
            Self::SoapRpc => "SOAP",
            _ => self.title(),
        }
    }

    /// How the bytes are made, in the words of rows:
    /// transport/envelope/encoding/vocabulary/compression. Nothing is sent here.
    pub fn profile(self) -> String {
        self.profile_over("none")
    }

    /// As [`profile`](Self::profile), sent over `transport`, such as `tcp-blocking`.
    pub fn profile_over(self, transport: &str) -> String {
        let [envelope, encoding, vocabulary] = self.description().bytes;
        format!("{transport}/{envelope}/{encoding}/{vocabulary}/none")
    }

    fn description(self) -> &'static Description {
        &DESCRIPTIONS[self as usize]
    }
}

impl<'de> Deserialize<'de> for Format {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        const NAMES: [&str; Format::ALL.len()] = {
            let mut names = [""; Format::ALL.len()];
            let mut index = 0;
            while index < names.len() {
                names[index] = DESCRIPTIONS[index].name;
                index += 1;
            }
            names
        };
        let name = String::deserialize(deserializer)?;
        Self::named(&name).ok_or_else(|| D::Error::unknown_variant(&name, &NAMES))
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
