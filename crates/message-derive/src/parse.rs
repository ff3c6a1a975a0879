//! What the attributes say.

use std::borrow::Cow;
use std::str::FromStr;

use proc_macro2::Span;
use quote::ToTokens as _;
use syn::ext::IdentExt as _;
use syn::meta::ParseNestedMeta;
use syn::spanned::Spanned;
use syn::{Attribute, Data, DeriveInput, Error, Fields, Ident, LitInt, LitStr, Result};
use syn::{Type, Visibility};
use trunkline_wire::{
    BigDecimal, BigInteger, Code, Date, Decimal, Duration, Integer, Time, Timestamp, parse_float,
};

pub(crate) struct Struct {
    pub(crate) ident: Ident,
    pub(crate) visibility: Visibility,
    pub(crate) name: String,
    pub(crate) notes: Vec<Note>,
    pub(crate) members: Vec<Member>,
    pub(crate) presence: Option<(Ident, Type)>,
    pub(crate) unknown: Option<Ident>,
}

pub(crate) struct Member {
    pub(crate) ident: Ident,
    pub(crate) ty: Type,
    pub(crate) name: String,
    pub(crate) need: Need,
    pub(crate) default: Option<LitStr>,
    pub(crate) notes: Vec<Note>,
    pub(crate) docs: Vec<Attribute>,
}

/// What an attribute says of presence.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Need {
    /// Nothing: the type says it.
    OfType,
    /// Always there: a group even if it has no entries.
    Required,
    /// A bit of the `#[presence]` field says whether it is there.
    Bit,
    /// A struct that is there if anything inside is.
    Implied,
    /// A value that has a default.
    Default,
}

/// What only one format needs to know: `#[fix(tag = 270)]`.
pub(crate) struct Note {
    pub(crate) format: Cow<'static, str>,
    pub(crate) word: Cow<'static, str>,
    pub(crate) value: String,
    pub(crate) at: Span,
}

/// A word that a format's attribute knows.
pub(crate) struct Word {
    format: &'static str,
    word: &'static str,
    value: Value,
}

/// What stands behind a word.
enum Value {
    Number,
    Text,
    /// Nothing: the word is a value of this one.
    Of(&'static str),
    /// Nothing: it is so.
    True,
}

const fn number(format: &'static str, word: &'static str) -> Word {
    Word { format, word, value: Value::Number }
}

const fn words(format: &'static str, word: &'static str) -> Word {
    Word { format, word, value: Value::Text }
}

const fn flag(format: &'static str, word: &'static str, of: &'static str) -> Word {
    Word { format, word, value: Value::Of(of) }
}

const OF_STRUCTS: [Word; 6] = [
    words("fix", "message_type"),
    words("xml", "namespace"),
    words("xml", "form"),
    words("xml", "order"),
    words("xml", "type"),
    words("xml", "type_namespace"),
];
const OF_MEMBERS: [Word; 20] = [
    number("fix", "tag"),
    number("fix", "length"),
    words("xml", "name"),
    words("xml", "namespace"),
    words("xml", "form"),
    words("xml", "entry"),
    words("xml", "list"),
    words("xml", "dimensions"),
    words("xml", "kind"),
    flag("xml", "attribute", "kind"),
    flag("xml", "text", "kind"),
    flag("xml", "element", "kind"),
    flag("xml", "unwrapped", "list"),
    flag("xml", "spaced", "list"),
    Word { format: "xml", word: "nillable", value: Value::True },
    words("xml", "choice"),
    words("xml", "white_space"),
    words("xml", "empty"),
    words("xml", "type"),
    words("xml", "type_namespace"),
];
/// Of enumerations and their values, choices and their arms.
pub(crate) const OF_ENUMERATIONS: [Word; 1] = [words("xml", "type_namespace")];
pub(crate) const OF_CHOICES: [Word; 4] = [
    words("cdr", "switch"),
    words("xml", "namespace"),
    words("xml", "form"),
    words("xml", "choice"),
];
pub(crate) const OF_ARMS: [Word; 14] = [
    number("fix", "tag"),
    number("fix", "length"),
    words("xml", "name"),
    words("xml", "namespace"),
    words("xml", "form"),
    words("xml", "entry"),
    words("xml", "type"),
    words("xml", "type_namespace"),
    flag("xml", "text", "kind"),
    flag("xml", "element", "kind"),
    Word { format: "xml", word: "base", value: Value::True },
    words("xml", "white_space"),
    words("xml", "empty"),
    words("cdr", "label"),
];
pub(crate) const OF_VALUES: [Word; 1] = [words("fix", "code")];
/// Of members and arms: what their values keep to, in any format.
pub(crate) const FACETS: [Word; 15] = [
    number("facet", "length"),
    number("facet", "min_length"),
    number("facet", "max_length"),
    number("facet", "items"),
    number("facet", "min_items"),
    number("facet", "max_items"),
    words("facet", "max_items_inside"),
    number("facet", "total_digits"),
    number("facet", "fraction_digits"),
    words("facet", "min_inclusive"),
    words("facet", "max_inclusive"),
    words("facet", "min_exclusive"),
    words("facet", "max_exclusive"),
    words("facet", "values"),
    words("facet", "pattern"),
];
const FORMATS: [&str; 4] = ["fix", "xml", "cdr", "facet"];

impl Struct {
    pub(crate) fn from_input(input: &DeriveInput) -> Result<Self> {
        let Data::Struct(data) = &input.data else {
            return Err(Error::new(input.span(), "Message is derived for structs and enums"));
        };
        let ident = &input.ident;
        let Fields::Named(fields) = &data.fields else {
            let (at, needed) = match &data.fields {
                Fields::Unnamed(fields) => (fields.span(), format!("{ident} {{ price: f64 }}")),
                _ => (ident.span(), format!("{ident} {{}}")),
            };
            return Err(Error::new(
                at,
                format!("fields of a Message have names: `struct {needed}`"),
            ));
        };
        let (name, camel) = head(input)?;
        let mut out = Self {
            ident: ident.clone(),
            visibility: input.vis.clone(),
            name,
            notes: Vec::new(),
            members: Vec::new(),
            presence: None,
            unknown: None,
        };
        let mut errors = Errors::default();
        out.notes = errors.take(notes(&input.attrs, &[&OF_STRUCTS])).unwrap_or_default();
        let bits = fields.named.iter().any(|field| has(&field.attrs, "presence"));
        for field in &fields.named {
            let ident = field.ident.clone().expect("named");
            if has(&field.attrs, "presence") {
                if out.presence.replace((ident, field.ty.clone())).is_some() {
                    errors.add(Error::new(field.span(), "a second #[presence] field"));
                }
            } else if has(&field.attrs, "unknown") {
                if out.unknown.replace(ident).is_some() {
                    errors.add(Error::new(field.span(), "a second #[unknown] field"));
                }
            } else if let Some(member) = errors.take(Member::from_field(ident, field, camel, bits))
            {
                out.members.push(member);
            }
        }
        let named = out.members.iter().map(|it| (&it.ident, &*it.name, &*it.notes));
        errors.add_repeated(named);
        errors.finish().map(|()| out)
    }
}

/// What is wrong with a type: all of it is told at once.
#[derive(Default)]
pub(crate) struct Errors(Option<Error>);

impl Errors {
    pub(crate) fn add(&mut self, error: Error) {
        match &mut self.0 {
            Some(all) => all.combine(error),
            none => *none = Some(error),
        }
    }

    pub(crate) fn take<T>(&mut self, result: Result<T>) -> Option<T> {
        result.map_err(|error| self.add(error)).ok()
    }

    /// Adds those about names, tags and codes that two members, arms or values have.
    pub(crate) fn add_repeated<'a>(
        &mut self,
        all: impl Iterator<Item = (&'a Ident, &'a str, &'a [Note])>,
    ) {
        let mut known: Vec<(&str, &str, &Ident)> = Vec::new();
        for (ident, name, notes) in all {
            let tags = notes.iter().filter(|it| it.format == "fix").map(|it| {
                let is_code = it.word == "code";
                (if is_code { "FIX code" } else { "FIX tag" }, &*it.value, it.at)
            });
            for (what, value, at) in [("name", name, ident.span())].into_iter().chain(tags) {
                match known.iter().find(|it| it.0 == what && it.1 == value) {
                    Some((.., other)) => {
                        let why = format!("the {what} {value} is that of `{other}`, too");
                        self.add(Error::new(at, why));
                    }
                    None => known.push((what, value, ident)),
                }
            }
        }
    }

    pub(crate) fn finish(self) -> Result<()> {
        self.0.map_or(Ok(()), Err)
    }
}

/// The name of a struct or enum as a type, and whether those inside are in camelCase.
pub(crate) fn head(input: &DeriveInput) -> Result<(String, bool)> {
    if let Some(parameter) = input.generics.params.first() {
        // One static schema would serve every type that stands for a parameter.
        let why = match parameter {
            syn::GenericParam::Lifetime(_) => {
                "Message is derived for types that own what they hold: `Text` or `String` for `&str`, `Vec` for a slice"
            }
            _ => {
                "Message is derived for types without parameters: write out a type for each of what it stands for"
            }
        };
        return Err(Error::new(parameter.span(), why));
    }
    reject_misplaced(&input.attrs, OF_MEMBERS_ALONE, "a struct or enum has `#[message(...)]`")?;
    let (mut name, mut camel) = (input.ident.unraw().to_string(), false);
    for attribute in input.attrs.iter().filter(|it| it.path().is_ident("message")) {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("name") {
                name = text(&meta)?;
            } else if meta.path.is_ident("rename_all") {
                camel = match text(&meta)?.as_str() {
                    "camelCase" => true,
                    _ => return Err(meta.error("only \"camelCase\"")),
                };
            } else {
                return Err(meta.error("expected name or rename_all"));
            }
            Ok(())
        })?;
    }
    Ok((name, camel))
}

impl Member {
    fn from_field(ident: Ident, field: &syn::Field, camel: bool, bits: bool) -> Result<Self> {
        reject_misplaced(&field.attrs, &["message"], "a field has `#[field(...)]`")?;
        reject_type(&field.ty)?;
        let rust_name = ident.unraw().to_string();
        let mut name = if camel { camel_case(&rust_name) } else { rust_name };
        let (mut need, mut default) = (Need::OfType, None);
        let mut attributes = field.attrs.iter().filter(|it| it.path().is_ident("field"));
        if let Some(attribute) = attributes.next() {
            attribute.parse_nested_meta(|meta| {
                let said = match () {
                    () if meta.path.is_ident("name") => {
                        name = text(&meta)?;
                        return Ok(());
                    }
                    () if meta.path.is_ident("default") => {
                        default = Some(meta.value()?.parse()?);
                        Need::Default
                    }
                    () if meta.path.is_ident("required") => Need::Required,
                    () if meta.path.is_ident("optional") && bits => Need::Bit,
                    () if meta.path.is_ident("optional") => {
                        let why =
                            "`optional` needs a #[presence] field in the struct; else use Option";
                        return Err(meta.error(why));
                    }
                    () if meta.path.is_ident("implied") => Need::Implied,
                    () => {
                        let known = "expected one of: name, required, optional, implied, default; \
                                     what is a format's stands in its attribute: #[fix(tag = 1)]";
                        return Err(meta.error(known));
                    }
                };
                if need != Need::OfType {
                    return Err(
                        meta.error("it is one of required, optional and implied, or has a default")
                    );
                }
                need = said;
                Ok(())
            })?;
        }
        if let (Need::Bit, Some(inside)) = (need, inner(&field.ty, "Option")) {
            let inside = inside.to_token_stream();
            let why = format!("its bit says whether it is there: `{inside}`, without Option");
            return Err(Error::new(field.ty.span(), why));
        }
        if let Some(second) = attributes.next() {
            return Err(Error::new(second.span(), "a second attribute for one member"));
        }
        let mut notes = notes(&field.attrs, &[&OF_MEMBERS, &FACETS])?;
        notes.extend(default.as_ref().map(|default: &LitStr| Note {
            format: "field".into(),
            word: "default".into(),
            value: default.value(),
            at: default.span(),
        }));
        let docs = field.attrs.iter().filter(|it| it.path().is_ident("doc")).cloned().collect();
        Ok(Self { ident, ty: field.ty.clone(), name, need, default, notes, docs })
    }

    /// Is it certain by its name that the type takes one position? A struct may take more.
    pub(crate) fn is_narrow(&self) -> bool {
        is_narrow(&self.ty)
    }
}

fn is_narrow(ty: &Type) -> bool {
    const NARROW: [&str; 23] = [
        "bool",
        "i8",
        "i16",
        "i32",
        "i64",
        "u8",
        "u16",
        "u32",
        "u64",
        "f32",
        "f64",
        "BigInteger",
        "Decimal",
        "BigDecimal",
        "Code",
        "Date",
        "Time",
        "Timestamp",
        "Duration",
        "Text",
        "String",
        "Vec",
        "Group",
    ];
    match (ty, inner(ty, "Option")) {
        (Type::Array(_), _) => true,
        // An optional choice lies in the positions of its arms.
        (_, Some(inside)) => is_narrow(&inside),
        (Type::Path(path), None) => {
            let last = path.path.segments.last();
            last.is_some_and(|last| NARROW.iter().any(|name| last.ident == name))
        }
        _ => false,
    }
}

/// Whether the text is a value of a type, if the type is by its name one of a kind of values.
pub(crate) fn is_value(ty: &Type, text: &str) -> Option<bool> {
    fn is<T: FromStr>(text: &str) -> bool {
        text.parse::<T>().is_ok()
    }
    fn is_whole<I: Integer>(text: &str) -> bool {
        I::parse(text.as_bytes()).is_ok()
    }
    let Type::Path(path) = ty else { return None };
    Some(match &*path.path.segments.last()?.ident.to_string() {
        "bool" => matches!(text, "true" | "false" | "1" | "0"),
        "i8" => is_whole::<i8>(text),
        "i16" => is_whole::<i16>(text),
        "i32" => is_whole::<i32>(text),
        "i64" => is_whole::<i64>(text),
        "u8" => is_whole::<u8>(text),
        "u16" => is_whole::<u16>(text),
        "u32" => is_whole::<u32>(text),
        "u64" => is_whole::<u64>(text),
        "f32" => parse_float::<f32>(text.as_bytes()).is_ok(),
        "f64" => parse_float::<f64>(text.as_bytes()).is_ok(),
        "Decimal" => is::<Decimal>(text),
        "BigInteger" => is::<BigInteger>(text),
        "BigDecimal" => is::<BigDecimal>(text),
        "Code" => is::<Code>(text),
        "Date" => is::<Date>(text),
        "Time" => is::<Time>(text),
        "Timestamp" => is::<Timestamp>(text),
        "Duration" => is::<Duration>(text),
        "Text" | "String" => true,
        _ => return None,
    })
}

/// What the attributes of formats say, if their words are `known` here.
pub(crate) fn notes(attributes: &[Attribute], known: &[&[Word]]) -> Result<Vec<Note>> {
    let mut notes: Vec<Note> = Vec::new();
    for attribute in attributes {
        let format = FORMATS.iter().find(|format| attribute.path().is_ident(format));
        let Some(format) = format else { continue };
        let known = known.iter().copied().flatten();
        let known: Vec<&Word> = known.filter(|it| it.format == *format).collect();
        attribute.parse_nested_meta(|meta| {
            let Some(found) = known.iter().find(|it| meta.path.is_ident(it.word)) else {
                let words: Vec<_> = known.iter().map(|it| it.word).collect();
                return Err(meta.error(match &words[..] {
                    [] => format!("{format} has no words here"),
                    words => format!("expected one of: {}", words.join(", ")),
                }));
            };
            let (word, value) = match found.value {
                Value::Number => (found.word, number_of(&meta, found.word)?),
                Value::Text => (found.word, text(&meta)?),
                Value::Of(word) => (word, found.word.to_owned()),
                Value::True => (found.word, "true".to_owned()),
            };
            if notes.iter().any(|it| it.format == found.format && it.word == word) {
                return Err(meta.error("it stands twice"));
            }
            if let Some(why) = wrong(found.format, word, &value) {
                return Err(meta.error(why));
            }
            let at = meta.path.span();
            notes.push(Note { format: found.format.into(), word: word.into(), value, at });
            Ok(())
        })?;
    }
    for attribute in attributes.iter().filter(|it| it.path().is_ident("note")) {
        attribute.parse_nested_meta(|format| other_notes(&format, &mut notes))?;
    }
    Ok(notes)
}

/// What is noted for a format that has no attribute of its own: `#[note(bencode(key = "px"))]`. The
/// format checks its words when a plan is made.
fn other_notes(format: &ParseNestedMeta<'_>, notes: &mut Vec<Note>) -> Result<()> {
    let name = format.path.require_ident()?.to_string();
    if FORMATS.contains(&&*name) {
        return Err(format.error(format!("{name} has an attribute of its own: #[{name}(...)]")));
    }
    format.parse_nested_meta(|meta| {
        let word = meta.path.require_ident()?.to_string();
        if notes.iter().any(|it| it.format == name && it.word == word) {
            return Err(meta.error("it stands twice"));
        }
        let (value, at) = (text(&meta)?, meta.path.span());
        notes.push(Note { format: name.clone().into(), word: word.into(), value, at });
        Ok(())
    })
}

/// Why a word may not have this value.
fn wrong(format: &str, word: &str, value: &str) -> Option<&'static str> {
    let known: (&[&str], _) = match (format, word) {
        ("xml", "list") => {
            let lists = &["unwrapped", "repeated", "spaced", "arms", "mixed"];
            (lists, "a list is \"unwrapped\", \"repeated\", \"spaced\", \"arms\" or \"mixed\"")
        }
        ("xml", "form") => {
            (&["qualified", "unqualified"], "it is \"qualified\" or \"unqualified\"")
        }
        ("xml", "kind") => {
            (&["attribute", "element", "text"], "it is \"attribute\", \"element\" or \"text\"")
        }
        ("xml", "choice") => {
            (&["element", "type"], "the arm is told by its \"element\" or by its \"type\"")
        }
        ("fix", "tag" | "length") => {
            let is_free = value.parse().is_ok_and(|it: i32| !matches!(it, 0 | 8 | 9 | 10 | 35));
            let why = "a tag is from 1 to 2147483647, and 8, 9, 10 and 35 frame the message";
            return (!is_free).then_some(why);
        }
        ("xml", "namespace" | "type_namespace") => return None,
        ("xml", "order") => (&["any"], "elements stand in \"any\" order, or in the schema's"),
        _ => return value.is_empty().then_some("it is empty"),
    };
    (!known.0.contains(&value)).then_some(known.1)
}

pub(crate) fn text(meta: &ParseNestedMeta<'_>) -> Result<String> {
    let found = meta.value()?;
    let at = found.span();
    let why = |_| Error::new(at, "expected a text in quotes: `name = \"Price\"`");
    found.parse::<LitStr>().map(|it| it.value()).map_err(why)
}

fn number_of(meta: &ParseNestedMeta<'_>, word: &str) -> Result<String> {
    let found = meta.value()?;
    let at = found.span();
    let number = found.parse::<LitInt>().and_then(|it| it.base10_parse::<u32>());
    let why = |_| Error::new(at, format!("expected a number without quotes: `{word} = 55`"));
    number.map(|it| it.to_string()).map_err(why)
}

/// The attributes that stand on fields alone.
pub(crate) const OF_MEMBERS_ALONE: &[&str] = &["field", "facet", "presence", "unknown"];

/// An attribute that stands where it means nothing is an error, not left out.
pub(crate) fn reject_misplaced(attributes: &[Attribute], names: &[&str], but: &str) -> Result<()> {
    let Some(name) = names.iter().find(|it| has(attributes, it)) else { return Ok(()) };
    let found = attributes.iter().find(|it| it.path().is_ident(name)).expect("it is there");
    Err(Error::new(found.span(), format!("`#[{name}]` does not stand here: {but}")))
}

/// What is no type of a field, whatever is in scope, with what is one in its place.
pub(crate) fn reject_type(ty: &Type) -> Result<()> {
    let reject = |why: &str| Err(Error::new(ty.span(), format!("no type of a field: {why}")));
    let path = match ty {
        Type::Path(path) => path.path.get_ident().map(ToString::to_string),
        Type::Reference(_) => {
            return reject("a message owns what it holds, `Text` or `String`, `Vec`");
        }
        Type::Tuple(_) => {
            return reject("give it a struct with named fields that derives `Message`");
        }
        Type::Ptr(_)
        | Type::BareFn(_)
        | Type::Slice(_)
        | Type::ImplTrait(_)
        | Type::TraitObject(_) => {
            return reject("a message owns what it holds");
        }
        _ => None,
    };
    match path.as_deref() {
        Some("usize" | "isize") => reject("a whole number has a width, as `u64` and `i64` do"),
        Some("u128" | "i128") => reject("whole numbers of more than 64 bits are `BigInteger`"),
        Some("char") => reject("a character is a `Code` or `Text`"),
        _ => Ok(()),
    }
}

fn has(attributes: &[Attribute], name: &str) -> bool {
    attributes.iter().any(|it| it.path().is_ident(name))
}

/// `T` of `wrapper<T>`.
pub(crate) fn inner(ty: &Type, wrapper: &str) -> Option<Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    if last.ident != wrapper {
        return None;
    }
    let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.first()? {
        syn::GenericArgument::Type(inner) => Some(inner.clone()),
        _ => None,
    }
}

fn camel_case(name: &str) -> String {
    let mut out = String::new();
    let mut upper = false;
    for c in name.chars() {
        if c == '_' {
            upper = true;
        } else if std::mem::take(&mut upper) {
            out.extend(c.to_uppercase());
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proc_macro2::TokenStream;
    use quote::quote;

    use super::*;

    fn problem(input: DeriveInput) -> Option<String> {
        Struct::from_input(&input).err().map(|error| error.to_string())
    }

    #[test]
    fn notes_of_formats_without_an_attribute_are_kept() {
        let of = |attribute: TokenStream| {
            Struct::from_input(&syn::parse_quote! { struct Order { #attribute price: f64 } })
        };
        let order = of(quote!(#[note(toy(key = "px"), other(word = ""))])).unwrap();
        let notes = order.members[0].notes.iter().map(|it| (&*it.format, &*it.word, &*it.value));
        assert!(notes.eq([("toy", "key", "px"), ("other", "word", "")]));
        let why = |attribute| of(attribute).err().unwrap().to_string();
        let rejected = why(quote!(#[note(fix(tag = "1"))]));
        assert_eq!(rejected, "fix has an attribute of its own: #[fix(...)]");
        assert_eq!(why(quote!(#[note(toy(k = "1", k = "2"))])), "it stands twice");
    }

    #[test]
    fn a_wrong_word_is_told_which_are_known() {
        let said = |attribute: TokenStream| {
            problem(syn::parse_quote! { struct Order { #attribute price: f64 } }).unwrap()
        };
        assert_eq!(said(quote!(#[fix(number = 1)])), "expected one of: tag, length");
        assert_eq!(
            said(quote!(#[xml(tag = 1)])),
            "expected one of: name, namespace, form, entry, list, dimensions, kind, attribute, text, element, unwrapped, spaced, nillable, choice, white_space, empty, type, type_namespace"
        );
        assert_eq!(
            said(quote!(#[xml(list = "loose")])),
            "a list is \"unwrapped\", \"repeated\", \"spaced\", \"arms\" or \"mixed\""
        );
        assert_eq!(said(quote!(#[fix(tag = 1, tag = 2)])), "it stands twice");
        assert!(said(quote!(#[field(number = 1)])).starts_with("expected one of: name, required"));
        assert!(said(quote!(#[field(optional)])).contains("#[presence]"));
        assert!(said(quote!(#[field(required, implied)])).starts_with("it is one of"));
        assert_eq!(
            said(quote!(#[field(name = "a")] other: i32, #[field(name = "a")])),
            "the name a is that of `other`, too"
        );
        let order = syn::parse_quote! { #[fix(tag = 1)] struct Order { price: f64 } };
        assert_eq!(problem(order).unwrap(), "expected one of: message_type");
        let order = syn::parse_quote! { #[xml(entry = "a")] struct Order { price: f64 } };
        assert_eq!(
            problem(order).unwrap(),
            "expected one of: namespace, form, order, type, type_namespace"
        );
    }
}
