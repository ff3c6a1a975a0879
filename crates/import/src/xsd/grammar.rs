//! Which elements and attributes of XML Schema stand where (part 1, appendix A).

use std::collections::HashSet;

use trunkline_codec::xml::is_ncname;

use super::name::{SCHEMA, XML};
use crate::Problem;
use crate::markup::{Document, Element};

/// What an element may have.
struct Rule {
    name: &'static str,
    attributes: &'static str,
    /// What stands inside behind the annotation, in this order.
    inside: &'static [Slot],
}

/// Some of the elements of these names.
struct Slot {
    names: &'static str,
    is_single: bool,
}

const fn any_of(names: &'static str) -> Slot {
    Slot { names, is_single: false }
}

const fn one_of(names: &'static str) -> Slot {
    Slot { names, is_single: true }
}

const fn rule(name: &'static str, attributes: &'static str, inside: &'static [Slot]) -> Rule {
    Rule { name, attributes, inside }
}

const ATTRIBUTES: Slot = any_of("attribute attributeGroup");
const ANY_ATTRIBUTE: Slot = one_of("anyAttribute");
const FACETS: Slot = any_of(
    "minExclusive minInclusive maxExclusive maxInclusive totalDigits fractionDigits length minLength maxLength \
     enumeration whiteSpace pattern",
);
const GROUPS: Slot = any_of("element group choice sequence any");
const KEYS: Slot = any_of("unique key keyref");
const NAMED: &str = "name";
const OCCURS: &str = "minOccurs maxOccurs";
const VALUE: &str = "value fixed";

const RULES: &[Rule] = &[
    rule(
        "schema",
        "targetNamespace version finalDefault blockDefault attributeFormDefault elementFormDefault",
        // Many have imports behind definitions.
        &[any_of(
            "include import redefine annotation simpleType complexType group attributeGroup element attribute notation",
        )],
    ),
    rule("include", "schemaLocation", &[]),
    rule("import", "namespace schemaLocation", &[]),
    rule(
        "redefine",
        "schemaLocation",
        &[any_of("annotation simpleType complexType group attributeGroup")],
    ),
    rule(
        "element",
        "name ref type substitutionGroup default fixed form minOccurs maxOccurs nillable abstract final block",
        &[one_of("simpleType complexType"), KEYS],
    ),
    rule("attribute", "name ref type use default fixed form", &[one_of("simpleType")]),
    rule(
        "complexType",
        "name mixed abstract final block",
        &[
            one_of("simpleContent complexContent group all choice sequence"),
            ATTRIBUTES,
            ANY_ATTRIBUTE,
        ],
    ),
    rule("simpleContent", "", &[one_of("restriction extension")]),
    rule("complexContent", "mixed", &[one_of("restriction extension")]),
    rule("extension", "base", &[one_of("group all choice sequence"), ATTRIBUTES, ANY_ATTRIBUTE]),
    rule(
        "restriction",
        "base",
        &[one_of("simpleType group all choice sequence"), FACETS, ATTRIBUTES, ANY_ATTRIBUTE],
    ),
    rule("simpleType", "name final", &[one_of("restriction list union")]),
    rule("list", "itemType", &[one_of("simpleType")]),
    rule("union", "memberTypes", &[any_of("simpleType")]),
    rule("group", "name ref minOccurs maxOccurs", &[one_of("all choice sequence")]),
    rule("attributeGroup", "name ref", &[ATTRIBUTES, ANY_ATTRIBUTE]),
    rule("all", OCCURS, &[any_of("element")]),
    rule("choice", OCCURS, &[GROUPS]),
    rule("sequence", OCCURS, &[GROUPS]),
    rule("any", "namespace processContents minOccurs maxOccurs", &[]),
    rule("anyAttribute", "namespace processContents", &[]),
    rule("unique", NAMED, &[one_of("selector"), any_of("field")]),
    rule("key", NAMED, &[one_of("selector"), any_of("field")]),
    rule("keyref", "name refer", &[one_of("selector"), any_of("field")]),
    rule("selector", "xpath", &[]),
    rule("field", "xpath", &[]),
    rule("notation", "name public system", &[]),
    rule("minExclusive", VALUE, &[]),
    rule("minInclusive", VALUE, &[]),
    rule("maxExclusive", VALUE, &[]),
    rule("maxInclusive", VALUE, &[]),
    rule("totalDigits", VALUE, &[]),
    rule("fractionDigits", VALUE, &[]),
    rule("length", VALUE, &[]),
    rule("minLength", VALUE, &[]),
    rule("maxLength", VALUE, &[]),
    rule("whiteSpace", VALUE, &[]),
    rule("enumeration", "value", &[]),
    rule("pattern", "value", &[]),
];

/// Attributes that an element may not have at the top, or may have there alone.
const INSIDE: &[(&str, &str)] = &[
    ("element", "ref minOccurs maxOccurs form"),
    ("attribute", "ref use form"),
    ("group", "ref minOccurs maxOccurs"),
    ("attributeGroup", "ref"),
];
const AT_TOP: &[(&str, &str)] = &[
    ("element", "abstract final substitutionGroup"),
    ("complexType", "name abstract final block"),
    ("simpleType", "name final"),
];
/// What an element that refers to another one leaves to that.
const REFERRED: &[(&str, &str)] = &[
    ("element", "name type nillable default fixed form block"),
    ("attribute", "name type form"),
    ("group", "name"),
    ("attributeGroup", "name"),
];

fn has(words: &str, word: &str) -> bool {
    words.split_ascii_whitespace().any(|it| it == word)
}

fn said(table: &[(&str, &str)], element: &str, attribute: &str) -> bool {
    table.iter().any(|it| it.0 == element && has(it.1, attribute))
}

/// Checks a schema of the recommendation; drafts have other rules.
///
/// # Errors
/// Something stands where it may not.
pub(super) fn check(document: &Document, schema: &Element) -> Result<(), Problem> {
    if *schema.namespace != *SCHEMA[0] {
        return Ok(());
    }
    Grammar { document, ids: HashSet::new() }.element(schema, None)
}

struct Grammar<'a> {
    document: &'a Document,
    ids: HashSet<&'a str>,
}

impl<'a> Grammar<'a> {
    fn reject<T>(&self, at: &Element, what: String, remedy: &str) -> Result<T, Problem> {
        Err(Problem::new(&self.document.place(at), what, remedy))
    }

    fn element(&mut self, element: &'a Element, around: Option<&Element>) -> Result<(), Problem> {
        let Some(rule) = RULES.iter().find(|it| it.name == element.name) else {
            let what = format!("{} is no element of XML Schema", element.name);
            return self.reject(element, what, "take it out");
        };
        self.attributes(element, rule, around)?;
        let (mut at, mut count, mut annotations) = (0, 0, 0);
        for child in element.children.iter().filter(|it| *it.namespace == *SCHEMA[0]) {
            let name = &*child.name;
            let is_anywhere = has(rule.inside.first().map_or("", |it| it.names), "annotation");
            if name == "annotation" {
                self.annotation(child)?;
            }
            if name == "annotation" && !is_anywhere {
                annotations += 1;
                if annotations > 1 || count > 0 || at > 0 {
                    let what = format!(
                        "an annotation of {} that is not the first thing in it",
                        element.name
                    );
                    return self.reject(child, what, "put it there, and have one");
                }
                continue;
            }
            if name == "annotation" {
                continue;
            }
            let found = (at..rule.inside.len()).find(|it| has(rule.inside[*it].names, name));
            let Some(found) = found else {
                let what = format!("{name} is not expected there in {}", element.name);
                return self.reject(child, what, "take it out, or put it in its place");
            };
            if found != at {
                (at, count) = (found, 0);
            }
            count += 1;
            if count > 1 && rule.inside[at].is_single {
                let names = rule.inside[at].names.replace(' ', " or ");
                let what = format!("a second one of {names} in {}", element.name);
                return self.reject(child, what, "take it out");
            }
            let is_content = matches!(name, "simpleContent" | "complexContent");
            if is_content
                && element
                    .children
                    .iter()
                    .any(|it| has("attribute attributeGroup anyAttribute", &it.name))
            {
                let what = format!("attributes beside {name}");
                return self.reject(child, what, "put them into its extension or restriction");
            }
            self.element(child, Some(element))?;
        }
        Ok(())
    }

    /// The language of what is said to people has a name, or is not said.
    fn annotation(&self, element: &Element) -> Result<(), Problem> {
        for said in &element.children {
            let is_language = |it: &str| {
                let is_right = |it: u8| it.is_ascii_alphanumeric();
                it.split('-').all(|it| (1..=8).contains(&it.len()) && it.bytes().all(is_right))
            };
            if let Some(language) = said.attribute_in(XML, "lang").filter(|it| !is_language(it)) {
                let what = format!("xml:lang is {language:?}, which is no language");
                return self.reject(said, what, "take it out, or name one");
            }
        }
        Ok(())
    }

    fn attributes(
        &mut self,
        element: &'a Element,
        rule: &Rule,
        around: Option<&Element>,
    ) -> Result<(), Problem> {
        let is_at_top = around.is_some_and(|it| matches!(&*it.name, "schema" | "redefine"));
        let is_reference = element.attribute("ref").is_some();
        for attribute in &element.attributes {
            let (name, value) = (&*attribute.name, attribute.value.trim_ascii());
            if *attribute.namespace == *SCHEMA[0] {
                let what = format!("an attribute {name} in the namespace of XML Schema");
                return self.reject(element, what, "write it without a prefix");
            }
            if !attribute.namespace.is_empty() {
                continue;
            }
            if name == "id" {
                if !is_ncname(value) || !self.ids.insert(value) {
                    let what = format!("the id {value:?}, which is no name or stands twice");
                    return self.reject(element, what, "give it another one");
                }
                continue;
            }
            let is_misplaced = is_at_top && said(INSIDE, rule.name, name)
                || !is_at_top && around.is_some() && said(AT_TOP, rule.name, name)
                || is_reference && said(REFERRED, rule.name, name);
            if !has(rule.attributes, name) || is_misplaced {
                let what =
                    format!("{} has the attribute {name}, which it may not have there", rule.name);
                return self.reject(element, what, "take it out");
            }
            self.value(element, name, value)?;
        }
        if rule.name == "notation"
            && element.attribute("public").or(element.attribute("system")).is_none()
        {
            let what = "a notation with neither public nor system".to_owned();
            return self.reject(element, what, "give it one of them");
        }
        let needed = match rule.name {
            "notation" => "name",
            "selector" | "field" => "xpath",
            "unique" | "key" | "keyref" => "name",
            _ => return Ok(()),
        };
        match element.attribute(needed) {
            Some(_) => Ok(()),
            None => self.reject(element, format!("{} has no {needed}", rule.name), "give it one"),
        }
    }

    fn value(&self, element: &Element, name: &str, value: &str) -> Result<(), Problem> {
        let one = |words: &str| has(words, value);
        let each = |words: &str| {
            value == "#all" || value.split_ascii_whitespace().all(|it| has(words, it))
        };
        let is_right = match name {
            "name" => is_ncname(value),
            "mixed" | "abstract" | "nillable" => one("true false 1 0"),
            "form" | "elementFormDefault" | "attributeFormDefault" => one("qualified unqualified"),
            "use" => one("optional required prohibited"),
            "processContents" => one("strict lax skip"),
            "block" | "blockDefault" => each("extension restriction substitution"),
            "final" | "finalDefault" => each("extension restriction list union"),
            _ => true,
        };
        match is_right {
            true => Ok(()),
            false => {
                let what = format!("{name} of {} is {value:?}", element.name);
                self.reject(element, what, "give it a value that XML Schema has")
            }
        }
    }
}
