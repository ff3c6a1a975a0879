//! What the schema says of a request and no layout holds: where nil may stand, which values are fixed.

use trunkline_import::Limits;
use trunkline_soap::Style;

use super::Called;
use crate::fault::Fault;

/// Rejects a request in which an element is nil that may not be, or has another value than the one that is fixed. Of a call of
/// style rpc the schema does not say that.
pub(super) fn check(called: &Called, envelope: &str) -> Result<(), Fault> {
    let Some(description) = &called.description else { return Ok(()) };
    if called.binding.style != Style::DocumentLiteral {
        return Ok(());
    }
    let validation = description.schemas().validate(envelope.as_bytes(), &Limits::default());
    let is_of_element = |rule: &str| rule == "cvc-elt";
    let Some(wrong) = validation.violations.iter().find(|it| is_of_element(it.rule)) else {
        return Ok(());
    };
    // As keys have it: without the envelope, and without the element in the Body unless that is meant.
    let steps: Vec<&str> = wrong.path.split('/').skip(3).collect();
    let key = match &*steps {
        [body] => (*body).to_owned(),
        [_, inside @ ..] => inside.join("."),
        [] => called.name.clone(),
    };
    Err(Fault::new(format!("{key}: {}", wrong.what)))
}
