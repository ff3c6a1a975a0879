//! What the attributes of an element say about its content.

use std::borrow::Cow;

use trunkline_message::{ErrorKind, Kind};

use super::envelope::{ENCODING11, ENCODING12, XSD, XSD_OF_DRAFTS, XSI, XSI_OF_DRAFTS};
use super::opening::excerpt;
use crate::xml::Parser;

const REFERENCE: &str = "references to elements elsewhere (multi-ref)";
const PLACED: &str = "arrays that say where their items belong (offset or position)";

/// Is it one of the things that take the whole document to understand?
pub(super) fn is_of_graphs(kind: &ErrorKind) -> bool {
    matches!(kind, ErrorKind::Unsupported(what) if *what == REFERENCE || *what == PLACED)
}

/// What they say that matters here; attributes of other names are passed over.
#[derive(Debug, Default)]
pub(super) struct Marks<'a> {
    /// `xsi:nil` is true (`xsi:null` in the drafts of XML Schema): the element stands for nothing.
    pub(super) nil: bool,
    /// The local name of its `xsi:type`, if that is a type of XML Schema. Other types are their
    /// senders' own.
    schema_type: Option<Cow<'a, str>>,
}

impl<'a> Marks<'a> {
    /// Those of the start tag that the parser read last.
    ///
    /// # Errors
    /// `xsi:nil` is no boolean, `xsi:type` has an undeclared prefix, the content is elsewhere (SOAP
    /// 1.1 section 5.4.1, SOAP 1.2 part 2 section 3.1.5.2), or an array says where its items belong
    /// (SOAP 1.1 sections 5.4.2.1 and 5.4.2.2).
    pub(super) fn read(parser: &Parser, input: &'a str) -> Result<Self, ErrorKind> {
        let mut marks = Self::default();
        for attribute in parser.attributes(input) {
            let namespace = parser.namespace_name(input, attribute.name.namespace);
            match (namespace, attribute.name.local()) {
                (XSI, "nil") => marks.nil = boolean(trim(&attribute.value()))?,
                (draft, "nil" | "null") if XSI_OF_DRAFTS.contains(&draft) => {
                    marks.nil = boolean(trim(&attribute.value()))?;
                }
                (instance, "type") if instance == XSI || XSI_OF_DRAFTS.contains(&instance) => {
                    marks.schema_type = schema_type(parser, input, attribute.value())?;
                }
                ("", "href") | (ENCODING12, "ref") => {
                    return Err(ErrorKind::Unsupported(REFERENCE.into()));
                }
                (ENCODING11, "offset" | "position") => {
                    return Err(ErrorKind::Unsupported(PLACED.into()));
                }
                _ => {}
            }
        }
        Ok(marks)
    }

    /// Whether a value of the type may stand where this kind is expected.
    ///
    /// # Errors
    /// It may not.
    pub(super) fn fit(&self, kind: Kind) -> Result<(), ErrorKind> {
        match &self.schema_type {
            Some(local) if !fits(kind, local) => {
                let what = format!("a value of another type than xsd:{}", excerpt(local));
                Err(ErrorKind::Expected(what.into()))
            }
            _ => Ok(()),
        }
    }

    /// For elements that have to be there.
    ///
    /// # Errors
    /// It is nil.
    pub(super) fn refuse_nil(&self, what: &'static str) -> Result<(), ErrorKind> {
        match self.nil {
            true => Err(ErrorKind::Expected(Cow::Borrowed(what))),
            false => Ok(()),
        }
    }
}

fn boolean(value: &str) -> Result<bool, ErrorKind> {
    match value {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err(ErrorKind::Expected("xsi:nil to be true or false".into())),
    }
}

/// The local name, if the type is one of XML Schema.
fn schema_type<'a>(
    parser: &Parser,
    input: &str,
    qualified: Cow<'a, str>,
) -> Result<Option<Cow<'a, str>>, ErrorKind> {
    let (prefix, _) = parts(&qualified);
    match parser.resolve_prefix(input, prefix) {
        Some(namespace) if is_schema(parser.namespace_name(input, namespace)) => {
            Ok(Some(match qualified {
                Cow::Borrowed(it) => Cow::Borrowed(parts(it).1),
                Cow::Owned(it) => Cow::Owned(parts(&it).1.to_owned()),
            }))
        }
        Some(_) => Ok(None),
        None => {
            let qualified = excerpt(trim(&qualified));
            let what = format!("a declared prefix in xsi:type=\"{qualified}\"");
            Err(ErrorKind::Expected(what.into()))
        }
    }
}

fn is_schema(namespace: &str) -> bool {
    namespace == XSD || XSD_OF_DRAFTS.contains(&namespace)
}

/// Prefix and local name.
fn parts(qualified: &str) -> (&str, &str) {
    let qualified = trim(qualified);
    qualified.split_once(':').unwrap_or(("", qualified))
}

/// Without the white space around, which XML Schema does not count.
fn trim(value: &str) -> &str {
    value.trim_matches([' ', '\t', '\r', '\n'])
}

/// May a value of the XML Schema type stand where this kind, or an item of it, is expected?
pub(super) fn fits(kind: Kind, local: &str) -> bool {
    let whole = matches!(
        local,
        "byte"
            | "short"
            | "int"
            | "long"
            | "integer"
            | "unsignedByte"
            | "unsignedShort"
            | "unsignedInt"
            | "unsignedLong"
            | "nonNegativeInteger"
            | "positiveInteger"
            | "nonPositiveInteger"
            | "negativeInteger"
    );
    // The types of all values, which say nothing of one.
    if matches!(local, "anyType" | "anySimpleType" | "ur-type") {
        return true;
    }
    let number = whole || matches!(local, "decimal" | "double" | "float");
    match kind {
        Kind::Boolean => local == "boolean",
        Kind::Integer(_) | Kind::Integers(_) => whole,
        Kind::Decimal | Kind::Float | Kind::Floats => number,
        Kind::Bytes => local == "base64Binary",
        Kind::Date => local == "date",
        Kind::Time => local == "time",
        // The drafts' name is the second.
        Kind::Timestamp => matches!(local, "dateTime" | "timeInstant"),
        Kind::Text | Kind::Code => !number && !matches!(local, "boolean" | "base64Binary"),
        Kind::Group(_) => false,
    }
}
