//! The paths of keys: the part of XPath that XML Schema has for them (part 1, section 3.11.6).

use std::sync::Arc;

use trunkline_codec::xml::is_ncname;

use super::name::Name;

/// A path from an element to those below it, or to an attribute of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Path {
    /// May it begin at any depth?
    is_deep: bool,
    steps: Vec<Test>,
    /// The attribute at its end.
    pub(crate) attribute: Option<Test>,
}

/// What the name of an element or attribute is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Test {
    Any,
    Of(Arc<str>),
    Name(Name),
}

impl Test {
    /// Has a name passed?
    pub(crate) fn takes(&self, name: &Name) -> bool {
        match self {
            Self::Any => true,
            Self::Of(namespace) => *namespace == name.namespace,
            Self::Name(own) => own == name,
        }
    }
}

impl Path {
    /// Does it lead to the last of these elements, which are those from below the first on, outermost first?
    pub(crate) fn leads_to<'a>(
        &self,
        below: impl ExactSizeIterator<Item = &'a Name> + DoubleEndedIterator,
    ) -> bool {
        let is_long_enough = match self.is_deep {
            true => below.len() >= self.steps.len(),
            false => below.len() == self.steps.len(),
        };
        is_long_enough && self.steps.iter().rev().zip(below.rev()).all(|it| it.0.takes(it.1))
    }
}

/// Reads paths with `|` between; those of a field may end with an attribute. Names without a prefix are in no namespace.
pub(super) fn parse<'n>(
    text: &str,
    is_field: bool,
    namespace_of: impl Fn(&str) -> Option<&'n str>,
) -> Result<Vec<Path>, String> {
    text.split('|').map(|it| path(it, is_field, &namespace_of)).collect()
}

fn path<'n>(
    text: &str,
    is_field: bool,
    namespace_of: &impl Fn(&str) -> Option<&'n str>,
) -> Result<Path, String> {
    let mut parts: Vec<&str> = text.split('/').map(str::trim_ascii).collect();
    let is_deep = matches!(&*parts, [".", "", _, ..]);
    if is_deep {
        parts.drain(..2);
    }
    let last = parts.len() - 1;
    let mut found = Path { is_deep, steps: Vec::new(), attribute: None };
    for (index, part) in parts.into_iter().enumerate() {
        let attribute = axis(part, "attribute").or_else(|| part.strip_prefix('@'));
        if let Some(name) = attribute.filter(|_| is_field && index == last) {
            found.attribute = Some(test(name.trim_ascii(), namespace_of)?);
        } else if part != "." {
            found.steps.push(test(axis(part, "child").unwrap_or(part), namespace_of)?);
        }
    }
    Ok(found)
}

/// What stands behind the name of an axis.
fn axis<'t>(part: &'t str, name: &str) -> Option<&'t str> {
    let rest = part.strip_prefix(name)?.trim_ascii_start();
    rest.strip_prefix("::").map(str::trim_ascii_start)
}

fn test<'n>(text: &str, namespace_of: &impl Fn(&str) -> Option<&'n str>) -> Result<Test, String> {
    if text == "*" {
        return Ok(Test::Any);
    }
    let (prefix, local) = text.split_once(':').unwrap_or(("", text));
    let namespace = match prefix {
        "" => "",
        prefix => {
            namespace_of(prefix).ok_or_else(|| format!("the prefix of {text} is not declared"))?
        }
    };
    match local {
        "*" if !prefix.is_empty() => Ok(Test::Of(namespace.into())),
        local if is_ncname(local) && (prefix.is_empty() || is_ncname(prefix)) => {
            Ok(Test::Name(Name::new(namespace, local)))
        }
        _ => Err(format!("{text:?} is no step of it")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leads(path: &str, to: &[&str]) -> bool {
        let known = |it: &str| (it == "p").then_some("urn:p");
        let names: Vec<Name> = to
            .iter()
            .map(|it| match it.strip_prefix("p:") {
                Some(local) => Name::new("urn:p", local),
                None => Name::new("", *it),
            })
            .collect();
        let paths = parse(path, true, known).expect(path);
        paths.iter().any(|it| it.leads_to(names.iter()))
    }

    #[test]
    fn paths_lead_where_xpath_says() {
        assert!(leads("a/b", &["a", "b"]) && !leads("a/b", &["a", "b", "b"]));
        assert!(leads(".//b", &["a", "a", "b"]) && leads(".//b", &["b"]) && !leads(".//b", &[]));
        assert!(leads(".", &[]) && leads("./a | p:b", &["p:b"]) && !leads("b", &["p:b"]));
        assert!(leads("p:*/*", &["p:x", "y"]) && leads("child::a/@id", &["a"]));
        for wrong in ["a//b", "/a", "a b", "@id/a", "q:a", "", "a[1]", "..", "a/"] {
            let known = |_: &str| None;
            assert!(parse(wrong, true, known).is_err(), "{wrong}");
        }
        assert!(parse("@id", false, |_| None).is_err());
    }
}
