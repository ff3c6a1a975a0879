//! The notes of XML on a message.
//!
//! | note | of | meaning |
//! |---|---|---|
//! | `entry` | a list | the name of the element of each entry; else that of their type, or `item` |
//! | `list` | a list in a struct | `unwrapped`: no element around all entries |
//! | `list` | a list in a struct | `repeated`: the same, also where content is by the encoding rules, which else has arrays, as it has of lists of lists |
//! | `list` | a list of choices in a struct | `arms`: the elements of the arms stand beside other elements |
//! | `list` | a list of choices that is all an element has inside | `mixed`: with text between the elements |
//! | `dimensions` | a list of lists | where content is by the encoding rules, [how many](crate::Dimensions) the array has that they are |
//! | `list` | a list of single values | `spaced`: all in one text, with blanks between them (`xs:list`) |
//! | `name` | a member | the name of its element or attribute |
//! | `namespace` | a member | that of its element or attribute; empty for none |
//! | `namespace` | a type | that of the elements of its members, as far as they are qualified |
//! | `form` | a member or type | is the element of the member, or are those of the type's members, in a namespace: `qualified` or `unqualified` |
//! | `kind` | a member | `attribute`, `element`, or `text` of the element around |
//! | `nillable` | a member that may be absent | `true`: an absent one is written as an element that is nil |
//! | `choice` | a choice, or a member that is one | `type`: one element, whose `xsi:type` names the arm |
//! | `type` | an arm | the name of its type there; `xsd:` before it is a type of XML Schema |
//! | `type` | a member that holds values | the name of their type, which `xsi:type` says where content is by the encoding rules, likewise |
//! | `type_namespace` | such a member | that of its type there; else that of the message |
//! | `type_namespace` | a type | that of its name, which `xsi:type` says there; else that of the message |
//! | `namespace` | an arm | that of its type there |
//! | `base` | an arm | `true`: the declared type, which needs no `xsi:type` there |
//! | `white_space` | a member of texts, or a list of them | what becomes of blanks in the texts: `replace`, each is a space; `collapse`, runs of them are one, with none at the ends |
//! | `empty` | a member that is a value in an element | the value that an element with nothing in it stands for; an absent one has none |
//! | `order` | a type | `any`: its elements stand in any order, also where the order [counts](crate::Decoder::in_order) |
//! | `type` | the message | the name of its type, which `xsi:type` of its element says, where content is by schema |
//! | `type_namespace` | the message | that of its type there; else that of its element |
//!
//! Namespaces, forms and kinds count where content is by schema; content by the encoding rules has
//! elements in no namespace only.

use trunkline_message::{
    Body, Component, Field, Holds, Kind, Layout, MemberId, Need, Scope, ScopeId, Shape, TypeId,
    is_name,
};

use crate::white_space::WhiteSpace;

/// A note of XML on a member.
pub(super) fn of_member<'a>(layout: &'a Layout, member: MemberId, word: &str) -> Option<&'a str> {
    layout.notes().of_member(member, "xml", word)
}

/// A note of XML on a type.
pub(super) fn of_type<'a>(layout: &'a Layout, of: TypeId, word: &str) -> Option<&'a str> {
    layout.notes().of_type(of, "xml", word)
}

/// The name of a member's element or attribute, if another than the member's own was noted.
pub fn noted_name(layout: &Layout, member: MemberId) -> Option<&str> {
    of_member(layout, member, "name").filter(|name| is_name(name))
}

/// The name of the element that is the message, or each entry of a group. A note that is no name does
/// not count.
pub fn entry_name(layout: &Layout, scope: ScopeId) -> &str {
    let noted = layout.field_of(scope).and_then(|it| item_name(layout, it));
    noted.unwrap_or(&layout.scope(scope).name)
}

/// The name that was noted for the elements of a list's entries.
pub fn item_name<'a>(layout: &'a Layout, list: &Field) -> Option<&'a str> {
    let noted = layout.notes().of_member(list.member, "xml", "entry");
    noted.filter(|name| is_name(name))
}

/// Is it a list whose entries stand in the element around by themselves, each named after the list,
/// unless [noted](item_name)? Arrays of the encoding are not, unless they are [repeated](is_repeated).
pub fn is_unwrapped(layout: &Layout, field: &Field) -> bool {
    let is_list = matches!(field.holds, Holds::Group(_) | Holds::List(_));
    let noted =
        || matches!(of_member(layout, field.member, "list"), Some("unwrapped" | "repeated"));
    let in_struct = || matches!(layout.schema().type_of(field.member.of).body, Body::Struct(_));
    is_list && noted() && in_struct()
}

/// Is it such a list where content is by the encoding rules, too, so that it is no array there? One of lists is, as these are.
pub fn is_repeated(layout: &Layout, field: &Field) -> bool {
    let is_of_lists = field.holds.scope().map(|it| layout.scope(it)).is_some_and(|inner| {
        let item = inner.fields.first().map(|it| it.holds);
        inner.shape == Shape::Item && matches!(item, Some(Holds::Group(_) | Holds::List(_)))
    });
    let noted = of_member(layout, field.member, "list") == Some("repeated");
    noted && is_unwrapped(layout, field) && !is_of_lists
}

/// Is it a list of choices without any element around it or its entries? Then the elements of the arms
/// stand beside others, as those of a substitution group do.
pub fn is_of_arms(layout: &Layout, field: &Field) -> bool {
    let Holds::Group(inner) = field.holds else { return false };
    let inner = layout.scope(inner);
    let in_struct = matches!(layout.schema().type_of(field.member.of).body, Body::Struct(_));
    let is_choice = inner.shape == Shape::Choice && !is_by_type(layout, field.member, inner.of);
    in_struct && is_choice && of_member(layout, field.member, "list") == Some("arms")
}

/// Is it a list of choices with text between their elements?
pub fn is_mixed(layout: &Layout, field: &Field) -> bool {
    of_member(layout, field.member, "list") == Some("mixed")
}

/// Is it the arm of the declared type of a choice by type?
pub fn is_declared_type(layout: &Layout, arm: &Field) -> bool {
    of_member(layout, arm.member, "base") == Some("true")
}

/// Is what a field holds an attribute where content is by schema?
pub fn is_attribute(layout: &Layout, field: &Field) -> bool {
    of_member(layout, field.member, "kind") == Some("attribute")
}

/// Is it the text of the element around there?
pub fn is_text(layout: &Layout, field: &Field) -> bool {
    of_member(layout, field.member, "kind") == Some("text")
}

/// Is it written as an element that is nil where it is absent?
pub fn is_nillable(layout: &Layout, field: &Field) -> bool {
    let noted = of_member(layout, field.member, "nillable") == Some("true");
    noted && field.need == Need::Optional
}

/// The namespace of a type's members, if one was noted.
pub fn type_namespace(layout: &Layout, of: TypeId) -> Option<&str> {
    of_type(layout, of, "namespace")
}

/// The namespace of a member's element or attribute where content is by schema. That of the message is
/// `own`, and elements of which nothing is noted are in it if they are qualified by default.
pub fn namespace_of<'a>(
    layout: &'a Layout,
    member: MemberId,
    is_attribute: bool,
    (own, is_default): (&'a str, bool),
) -> &'a str {
    let noted = of_member(layout, member, "namespace");
    let form_of_type = || of_type(layout, member.of, "form").filter(|_| !is_attribute);
    let is_qualified = match of_member(layout, member, "form").or_else(form_of_type) {
        Some(form) => form == "qualified",
        None => noted.is_some() || !is_attribute && is_default,
    };
    match is_qualified {
        true => noted.or_else(|| type_namespace(layout, member.of)).unwrap_or(own),
        false => "",
    }
}

/// Is it a list whose items stand in one text, with blanks between them? Content by the encoding rules
/// has none, whatever the note says.
pub fn is_spaced(layout: &Layout, field: &Field) -> bool {
    let is_simple = |inner| {
        let inner = layout.scope(inner);
        let item = &inner.fields[0].holds;
        let is_any = *item == Holds::Value(Kind::Any);
        let is_single = matches!(item, Holds::Value(_) | Holds::Enumeration(_)) && !is_any;
        inner.shape == Shape::Item && is_single
    };
    let is_list = match field.holds {
        Holds::List(_) => true,
        Holds::Group(inner) => is_simple(inner),
        _ => false,
    };
    is_list && of_member(layout, field.member, "list") == Some("spaced")
}

/// Is a choice that a member is, or a list of which, one element whose `xsi:type` names the arm?
pub fn is_by_type(layout: &Layout, member: MemberId, choice: TypeId) -> bool {
    let noted = of_member(layout, member, "choice").or_else(|| of_type(layout, choice, "choice"));
    noted == Some("type")
}

/// The value that an element stands for which has nothing in it, if one was noted. An empty one is none.
pub fn noted_empty(layout: &Layout, member: MemberId) -> Option<&str> {
    of_member(layout, member, "empty").filter(|it| !it.is_empty())
}

/// The words of members, and those of types.
const OF_MEMBERS: [&str; 11] = [
    "base",
    "choice",
    "entry",
    "form",
    "kind",
    "list",
    "name",
    "namespace",
    "nillable",
    "type",
    "white_space",
];
const OF_TYPES: [&str; 6] = ["choice", "form", "namespace", "order", "type", "type_namespace"];

/// # Errors
/// What a note of the member says has no meaning.
pub(super) fn check_member(layout: &Layout, member: MemberId) -> Result<(), String> {
    let mut noted =
        OF_MEMBERS.iter().filter_map(|word| Some((*word, of_member(layout, member, word)?)));
    noted.try_for_each(|(word, value)| check(word, value))
}

/// # Errors
/// What a note of the type says has no meaning.
pub(super) fn check_type(layout: &Layout, of: TypeId) -> Result<(), String> {
    let mut noted = OF_TYPES.iter().filter_map(|word| Some((*word, of_type(layout, of, word)?)));
    noted.try_for_each(|(word, value)| check(word, value))
}

/// # Errors
/// What a note of a struct inside another says has no meaning.
pub(super) fn check_component(layout: &Layout, component: &Component) -> Result<(), String> {
    check_member(layout, component.member)?;
    let said = |word| of_member(layout, component.member, word);
    match said("kind").filter(|it| *it != "element") {
        Some(kind) => Err(format!("xml(kind = {kind:?}) of what is no single value of a struct")),
        None if component.is_choice && said("name").is_some() && !is_typed(layout, component) => {
            Err("xml(name) of a choice, which has no element: its arms have".into())
        }
        None if !component.is_choice && said("choice").is_some() => Err(NO_CHOICE.into()),
        None if component.is_choice
            && said("nillable") == Some("true")
            && !is_typed(layout, component) =>
        {
            Err("xml(nillable) of a choice, which has no element: its arms have".into())
        }
        None => Ok(()),
    }
}

/// Is it a choice whose arm `xsi:type` of one element selects?
pub fn is_typed(layout: &Layout, component: &Component) -> bool {
    let members = layout.schema().members(component.member.of);
    let choice = members.get(component.member.index as usize).map(|it| it.of);
    component.is_choice && choice.is_some_and(|it| is_by_type(layout, component.member, it))
}

/// Do these fields of a scope stand in any order: are the elements of the innermost struct around both so?
pub(super) fn is_in_any_order(layout: &Layout, scope: &Scope, fields: [usize; 2]) -> bool {
    let is_around = |it: &&Component| fields.iter().all(|at| it.fields.contains(at));
    let around = scope.components.iter().rev().filter(is_around).min_by_key(|it| it.fields.len());
    let of = match around {
        Some(component) => {
            let members = layout.schema().members(component.member.of);
            members[component.member.index as usize].of
        }
        None => scope.of,
    };
    of_type(layout, of, "order").is_some()
}

pub(super) const NO_CHOICE: &str = "xml(choice) of what is no choice, and no list of one";

fn check(word: &str, value: &str) -> Result<(), String> {
    let (is_known, expected) = match word {
        "entry" | "name" => (is_name(value), "which is no name of an element"),
        "form" => (matches!(value, "qualified" | "unqualified"), "not qualified or unqualified"),
        "kind" => {
            (matches!(value, "attribute" | "element" | "text"), "not attribute, element or text")
        }
        "base" | "nillable" => (matches!(value, "true" | "false"), "not true or false"),
        "choice" => (matches!(value, "element" | "type"), "not element or type"),
        "order" => (value == "any", "not any"),
        "white_space" => (WhiteSpace::named(value).is_some(), "not replace or collapse"),
        "type" => {
            (is_name(value.strip_prefix("xsd:").unwrap_or(value)), "which is no name of a type")
        }
        _ => (true, ""),
    };
    match is_known {
        true => Ok(()),
        false => Err(format!("the note xml({word} = {value:?}), {expected}")),
    }
}
