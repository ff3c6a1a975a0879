//! The attributes that describe the content of an element.

use std::borrow::Cow;

use trunkline_codec::infoset::Tag;
use trunkline_codec::xml::is_ncname;
use trunkline_message::{ErrorKind, Kind};

use crate::envelope::{
    ENCODING11, ENCODING12, SOAP11, SOAP12, XSD, XSD_OF_DRAFTS, XSI, XSI_OF_DRAFTS,
};
use crate::graph::{is_known_encoding, is_simple_type, is_soap_encoding};
use crate::opening::excerpt;
use crate::plan::Plan;

const REFERENCE: &str = "references to elements elsewhere (multi-ref)";
const PLACED: &str = "arrays that say where their items belong (offset or position)";
const ARRAY: &str = "arrays of several dimensions, or where none is expected";
const STYLE: &str = "encoding styles that change inside the Body";
const INDEPENDENT: &str = "elements that others may refer to in place of the message";

/// Is it one of the things that take the whole document to understand?
pub(super) fn is_of_graphs(kind: &ErrorKind) -> bool {
    let known = [REFERENCE, PLACED, ARRAY, STYLE, INDEPENDENT];
    matches!(kind, ErrorKind::Unsupported(what) if known.contains(&&**what))
}

/// Why a message with an array of several dimensions is read as a graph.
#[cold]
pub(super) fn several_dimensions() -> ErrorKind {
    ErrorKind::Unsupported(ARRAY.into())
}

/// May documents of the plan be read as graphs?
pub(super) fn has_graphs(plan: &Plan) -> bool {
    plan.options.style.is_encoded() && !plan.options.attributes
}

/// Looks at the start tag of the Body's first child: is it the call?
///
/// # Errors
/// It may be there only to be referred to (SOAP 1.1 section 5.6).
pub(super) fn reject_independent(plan: &Plan, tag: &impl Tag) -> Kept<()> {
    let is_mark = |index: usize| {
        let name = tag.attribute(index).0;
        let (namespace, local) = (tag.namespace_of(name), tag.local(name));
        matches!((namespace, local), ("", "id") | (ENCODING11 | ENCODING12, "id" | "root"))
    };
    match has_graphs(plan) && (0..tag.attributes()).any(is_mark) {
        true => Err(ErrorKind::Unsupported(INDEPENDENT.into())),
        false => Ok(()),
    }
}

/// Looks at a start tag around the message, or in it.
///
/// # Errors
/// It asks for rules that are not known, or for others than the encoding's.
pub(super) fn reject_style(plan: &Plan, tag: &impl Tag) -> Kept<()> {
    reject_unknown_style(tag)?;
    let is_other = |(_, style): (&str, Cow<'_, str>)| !is_soap_encoding(&style);
    match has_graphs(plan) && styles(tag).any(is_other) {
        true => Err(ErrorKind::Unsupported(STYLE.into())),
        false => Ok(()),
    }
}

/// Looks at any start tag in the Body.
///
/// # Errors
/// It asks for rules that are not known (SOAP 1.2 part 1 section 5.4.6; SOAP 1.1 has no fault for
/// them).
pub(super) fn reject_unknown_style(tag: &impl Tag) -> Kept<()> {
    for (soap, style) in styles(tag) {
        if soap == SOAP12 && !is_known_encoding(&style) {
            let what = format!("the encoding style {}", excerpt(trim(&style)));
            return Err(ErrorKind::Encoding(what.into()));
        }
    }
    Ok(())
}

/// The values of the attributes `encodingStyle` of the start tag just read, and their namespaces.
pub(super) fn styles(tag: &impl Tag) -> impl Iterator<Item = (&str, Cow<'_, str>)> {
    (0..tag.attributes()).filter_map(|index| {
        let (name, value) = tag.attribute(index);
        if tag.local(name) != "encodingStyle" {
            return None;
        }
        let namespace = tag.namespace_of(name);
        matches!(namespace, SOAP11 | SOAP12).then(|| (namespace, tag.value(value)))
    })
}

/// Looks at the start tag, just read, of a part of the envelope, whose local name it is.
///
/// # Errors
/// It has an attribute that is in no namespace (SOAP 1.1 section 4, which asks it of the Envelope
/// alone; SOAP 1.2 part 1 sections 5.1, 5.2 and 5.3).
pub(super) fn reject_unqualified(part: &str, soap: &str, tag: &impl Tag) -> Kept<()> {
    if soap != SOAP12 && part != "Envelope" {
        return Ok(());
    }
    let mut names = (0..tag.attributes()).map(|index| tag.attribute(index).0);
    names.find(|name| tag.namespace_of(*name).is_empty()).map_or(Ok(()), |name| {
        let name = excerpt(tag.local(name));
        let what = format!("attributes of {part} to be in a namespace, which {name:?} is not");
        Err(ErrorKind::Expected(what.into()))
    })
}

/// Which attributes of the start tag just read are unknown, see [`is_unknown`].
pub(super) fn others(plan: &Plan, tag: &impl Tag) -> impl Iterator<Item = usize> {
    (0..tag.attributes()).filter(move |index| {
        let name = tag.attribute(*index).0;
        is_unknown(plan, tag.namespace_of(name), tag.local(name))
    })
}

/// The namespace of `xml:lang` and the like.
pub(super) const XML: &str = "http://www.w3.org/XML/1998/namespace";

/// Is an attribute unknown that is no field? Those of XML Schema and SOAP are not, and say nothing of what a
/// message means but what is read of them elsewhere. Nor are `id` and `href` where content is encoded
/// (SOAP 1.1 section 5.4.1).
pub(super) fn is_unknown(plan: &Plan, namespace: &str, local: &str) -> bool {
    match namespace {
        "" => !(plan.options.style.is_encoded() && matches!(local, "id" | "href")),
        XSI | SOAP11 | SOAP12 | ENCODING11 | ENCODING12 => plan.is_of_elements(namespace),
        name => !XSI_OF_DRAFTS.contains(&name) || plan.is_of_elements(name),
    }
}

/// May an unknown attribute in this namespace be meant as one of the message's elements? Those in namespaces
/// of others are not.
pub(super) fn is_own(plan: &Plan, namespace: &str) -> bool {
    namespace.is_empty() || plan.is_of_elements(namespace)
}

/// The [`others`] that may be meant as elements of the message.
pub(super) fn own(plan: &Plan, tag: &impl Tag) -> impl Iterator<Item = usize> {
    others(plan, tag).filter(move |it| is_own(plan, tag.namespace_of(tag.attribute(*it).0)))
}

/// Of something that is read of a start tag, whose place the caller knows.
pub(super) type Kept<T> = Result<T, ErrorKind>;

/// The attributes of an array.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Array {
    /// How many items it has, if it says so.
    pub(super) count: Option<u64>,
    /// Are they of a simple type of XML Schema?
    simple: bool,
    sized: bool,
}

/// The attributes with a meaning here; for unknown ones see [`others`].
#[derive(Debug, Default)]
pub(super) struct KnownAttributes<'a> {
    /// `xsi:nil` is true (`xsi:null` in the drafts of XML Schema): the element stands for nothing.
    pub(super) nil: bool,
    /// The local name of its `xsi:type`, if that is a type of XML Schema. Other types are their
    /// senders' own.
    schema_type: Option<Cow<'a, str>>,
    /// It is an array of the encoding.
    array: Option<Array>,
    /// How many are unknown, see [`others`].
    pub(super) others: usize,
}

impl<'a> KnownAttributes<'a> {
    /// Those of the start tag that was read last.
    ///
    /// # Errors
    /// `xsi:nil` is no boolean, or `xsi:type` has an undeclared prefix. Where content is encoded:
    /// it is elsewhere (SOAP 1.1 section 5.4.1, SOAP 1.2 part 2 section 3.1.5.2), or an array says
    /// where its items belong (SOAP 1.1 sections 5.4.2.1 and 5.4.2.2).
    pub(super) fn read(plan: &Plan, tag: &'a impl Tag) -> Result<Self, ErrorKind> {
        let mut known_attributes = Self::default();
        let encoded = plan.options.style.is_encoded();
        let graphs = has_graphs(plan);
        for index in 0..tag.attributes() {
            let (name, value) = tag.attribute(index);
            match (tag.namespace_of(name), tag.local(name)) {
                (XSI, "nil") => known_attributes.nil = boolean(trim(&tag.value(value)))?,
                (draft, "nil" | "null") if XSI_OF_DRAFTS.contains(&draft) => {
                    known_attributes.nil = boolean(trim(&tag.value(value)))?;
                }
                (instance, "type") if instance == XSI || XSI_OF_DRAFTS.contains(&instance) => {
                    let value = tag.value(value);
                    if graphs && !is_ncname(parts(&value).1) {
                        return Err(ErrorKind::Unsupported(ARRAY.into()));
                    }
                    if graphs && is_array(tag, &value) {
                        known_attributes.array.get_or_insert_default();
                    }
                    known_attributes.schema_type = schema_type(tag, value)?;
                }
                ("", "href") | (ENCODING11 | ENCODING12, "ref") if encoded => {
                    return Err(ErrorKind::Unsupported(REFERENCE.into()));
                }
                (ENCODING11 | ENCODING12, "offset" | "position") if encoded => {
                    return Err(ErrorKind::Unsupported(PLACED.into()));
                }
                (ENCODING11 | ENCODING12, local) if graphs && local != "id" => {
                    let array = known_attributes.array.unwrap_or_default();
                    let array = array.with(local, tag, &tag.value(value));
                    let array = array.ok_or(ErrorKind::Unsupported(ARRAY.into()))?;
                    known_attributes.array = Some(array);
                }
                (SOAP11 | SOAP12, "encodingStyle") => reject_style(plan, tag)?,
                (name, local) => {
                    known_attributes.others += usize::from(is_unknown(plan, name, local))
                }
            }
        }
        Ok(known_attributes)
    }

    /// Whether a value of the type may stand where this kind is expected.
    ///
    /// # Errors
    /// It may not.
    pub(super) fn fit(&self, kind: Option<Kind>) -> Result<(), ErrorKind> {
        match &self.schema_type {
            Some(local) if !fits(kind, local) => {
                let what = format!("a value of another type than xsd:{}", excerpt(local));
                Err(ErrorKind::Expected(what.into()))
            }
            _ => Ok(()),
        }
    }

    /// What a group or list says of itself; its items are `compound` or not.
    ///
    /// # Errors
    /// They may be no such items.
    pub(super) fn array(&self, compound: bool) -> Kept<Array> {
        match self.array {
            Some(array) if compound && array.simple => Err(ErrorKind::Unsupported(ARRAY.into())),
            array => Ok(array.unwrap_or_default()),
        }
    }

    /// For elements that are neither groups nor lists.
    ///
    /// # Errors
    /// It is an array.
    pub(super) fn reject_array(&self) -> Kept<()> {
        match self.array {
            Some(_) => Err(ErrorKind::Unsupported(ARRAY.into())),
            None => Ok(()),
        }
    }

    /// For elements that have others inside.
    ///
    /// # Errors
    /// It is of a simple type.
    pub(super) fn reject_simple(&self, plan: &Plan) -> Kept<()> {
        let is_simple = self.schema_type.as_deref().is_some_and(is_simple_type);
        match is_simple && has_graphs(plan) {
            true => Err(ErrorKind::Unsupported(ARRAY.into())),
            false => Ok(()),
        }
    }

    /// For elements that have others inside, by their names.
    ///
    /// # Errors
    /// It is an array, or of a simple type.
    pub(super) fn reject_others(&self, plan: &Plan) -> Kept<()> {
        self.reject_simple(plan)?;
        self.reject_array()
    }

    /// For elements that have to be there.
    ///
    /// # Errors
    /// It is nil.
    pub(super) fn reject_nil(&self, what: &'static str) -> Result<(), ErrorKind> {
        match self.nil {
            true => Err(ErrorKind::Expected(Cow::Borrowed(what))),
            false => Ok(()),
        }
    }
}

impl Array {
    /// With what one more attribute says; `None` if that takes more to understand than this.
    fn with(mut self, local: &str, tag: &impl Tag, value: &str) -> Option<Self> {
        let count = match local {
            "arrayType" => {
                let (name, count) = value.strip_suffix(']')?.rsplit_once('[')?;
                let items = name.trim_end_matches("[]");
                self.of_items(tag, items)?;
                // Arrays are no simple type, whatever theirs is.
                self.simple &= items.len() == name.len();
                count
            }
            "itemType" => {
                self.of_items(tag, value)?;
                return Some(self);
            }
            "arraySize" if value == "*" => "",
            "arraySize" if !value.is_empty() => value,
            _ => return None,
        };
        let known = count.bytes().all(|byte| byte.is_ascii_digit());
        if !known || std::mem::replace(&mut self.sized, true) {
            return None;
        }
        if !count.is_empty() {
            self.count = Some(count.parse().ok()?);
        }
        Some(self)
    }

    fn of_items(&mut self, tag: &impl Tag, name: &str) -> Option<()> {
        let (prefix, local) = parts(name);
        let namespace = tag.namespace_name(tag.resolve(prefix)?);
        self.simple = is_schema(namespace) && is_simple_type(local);
        is_ncname(local).then_some(())
    }
}

/// Does a type say that a value is an array?
fn is_array(tag: &impl Tag, qualified: &str) -> bool {
    let (prefix, local) = parts(qualified);
    let namespace = tag.resolve(prefix).map(|it| tag.namespace_name(it));
    local == "Array" && matches!(namespace, Some(ENCODING11 | ENCODING12))
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
    tag: &impl Tag,
    qualified: Cow<'a, str>,
) -> Result<Option<Cow<'a, str>>, ErrorKind> {
    let (prefix, _) = parts(&qualified);
    match tag.resolve(prefix) {
        Some(namespace) if is_schema(tag.namespace_name(namespace)) => {
            Ok(Some(local_of(qualified)))
        }
        Some(_) => Ok(None),
        None => Err(undeclared(&qualified)),
    }
}

/// The name of the type in the start tag just read, as a namespace and a name in it.
///
/// # Errors
/// Its prefix is not declared.
pub(super) fn type_name(tag: &impl Tag) -> Kept<Option<(&str, Cow<'_, str>)>> {
    let is_type = |name| {
        let namespace = tag.namespace_of(name);
        tag.local(name) == "type" && (namespace == XSI || XSI_OF_DRAFTS.contains(&namespace))
    };
    let mut attributes = (0..tag.attributes()).map(|index| tag.attribute(index));
    let Some((_, value)) = attributes.find(|(name, _)| is_type(*name)) else { return Ok(None) };
    let value = tag.value(value);
    let Some(namespace) = tag.resolve(parts(&value).0) else {
        return Err(undeclared(&value));
    };
    Ok(Some((tag.namespace_name(namespace), local_of(value))))
}

/// The prefix of a type's name is not declared.
#[cold]
fn undeclared(qualified: &str) -> ErrorKind {
    let what = format!("a declared prefix in xsi:type=\"{}\"", excerpt(trim(qualified)));
    ErrorKind::Expected(what.into())
}

fn is_schema(namespace: &str) -> bool {
    namespace == XSD || XSD_OF_DRAFTS.contains(&namespace)
}

/// Prefix and local name.
fn parts(qualified: &str) -> (&str, &str) {
    let qualified = trim(qualified);
    qualified.split_once(':').unwrap_or(("", qualified))
}

fn local_of(qualified: Cow<'_, str>) -> Cow<'_, str> {
    match qualified {
        Cow::Borrowed(it) => Cow::Borrowed(parts(it).1),
        Cow::Owned(it) => Cow::Owned(parts(&it).1.to_owned()),
    }
}

/// Without the white space around, which XML Schema does not count.
fn trim(value: &str) -> &str {
    value.trim_matches([' ', '\t', '\r', '\n'])
}

/// May a value of the XML Schema type stand where this kind is expected? None do where there is none.
pub(super) fn fits(kind: Option<Kind>, local: &str) -> bool {
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
    let Some(kind) = kind else { return false };
    match kind {
        Kind::Boolean => local == "boolean",
        Kind::Integer(_) | Kind::BigInteger => whole,
        Kind::Decimal | Kind::BigDecimal | Kind::Float32 | Kind::Float64 => number,
        Kind::Bytes => local == "base64Binary",
        Kind::Date => local == "date",
        Kind::Time => local == "time",
        Kind::Duration => local == "duration",
        // The drafts' name is the second.
        Kind::Timestamp => matches!(local, "dateTime" | "timeInstant"),
        Kind::Text | Kind::Code => !number && !matches!(local, "boolean" | "base64Binary"),
        Kind::Any => true,
    }
}
