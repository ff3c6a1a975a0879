//! Messages that are made up, to be answered with or to show how an operation is called.

use std::collections::HashSet;

use trunkline_message::{Any, Field, MemberId, Record, Samples};
use trunkline_soap::{
    NamespaceConstraint, item_name, namespace_constraint, namespace_of, noted_name,
};

use super::content::Form;

/// Why no message is made up of which nothing else is known.
pub(super) const TOO_LARGE: &str = "what has to be in it is more than is made up";

/// How many messages there are [with everything](with_all).
pub(super) const WHOLE: usize = 3;

/// Messages with everything, that which is nicest to read first.
pub(super) fn whole(form: &Form) -> Vec<Record> {
    (0..WHOLE).filter_map(|which| with_all(form, which, &HashSet::new())).collect()
}

/// One of those, from 0, in which these members are not where they need not be.
pub(super) fn with_all(form: &Form, which: usize, left_out: &HashSet<MemberId>) -> Option<Record> {
    made(form, left_out, |samples| match which {
        0 => samples.whole(),
        rounds => samples.of_each(rounds),
    })
}

/// That with nothing but what must be there; none if that is [too large](TOO_LARGE).
pub(super) fn least(form: &Form) -> Option<Record> {
    made(form, &HashSet::new(), |samples| samples.least())
}

fn made<T>(form: &Form, left_out: &HashSet<MemberId>, of: impl FnOnce(&Samples<'_>) -> T) -> T {
    let content = |field: &Field, is_needed: bool| content(form, field, is_needed);
    of(&Samples::new(&form.0, &content).without(left_out))
}

/// What stands where content of any shape may: an element of any name that is in no namespace, or what has to be there.
fn content((layout, options): &Form, field: &Field, is_needed: bool) -> Option<Any> {
    let is_named = layout.notes().of_member(field.member, "xml", "kind") == Some("element");
    let (namespace, name) = match namespace_constraint(layout, field, &options.namespace) {
        _ if is_named => {
            let noted = item_name(layout, field).or(noted_name(layout, field.member));
            let own = (&*options.namespace, false);
            let namespace = namespace_of(layout, field.member, false, own).to_owned();
            (namespace, noted.unwrap_or(&field.name))
        }
        Some(takes) if !takes.admits("") => (namespace(&takes)?.to_owned(), "any"),
        _ => return Some(Any::from("<any/>")),
    };
    let namespace = namespace.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
    let element = match &*namespace {
        "" => format!("<{name}/>"),
        namespace => format!("<any:{name} xmlns:any=\"{namespace}\"/>"),
    };
    is_needed.then(|| Any::from(&*element))
}

/// A namespace of which elements may stand there.
fn namespace(takes: &NamespaceConstraint) -> Option<&str> {
    let of_ours = ["urn:any", "urn:other"].into_iter().find(|it| takes.admits(it));
    match takes {
        NamespaceConstraint::Of(names) => of_ours.or(names.first().map(|it| &**it)),
        _ => of_ours,
    }
}
