//! Which requests are answered: those that are as the WSDL says.

use std::sync::Arc;

use trunkline_import::wsdl::Description;
use trunkline_message::{Checks, Holds, Layout, Record, ScopeId, Value};
use trunkline_session::soap::{Context, Fault as SoapFault};
use trunkline_soap::{QName, Style};

use crate::output::{plain, remark};
use crate::soap::content::Form;
use crate::soap::{listed, valid};

/// As many names are logged of what is passed over in a request, each as long as this.
const SHOWN: usize = 8;
const LONGEST: usize = 100;

/// What the requests of an operation are held against.
pub(super) struct Admission {
    operation: String,
    description: Arc<Description>,
    request: Form,
    /// None where facets cannot be looked at.
    checks: Option<Checks>,
    /// Header blocks that it has.
    headers: Vec<QName>,
    is_lenient: bool,
}

impl Admission {
    pub(super) fn new(
        operation: &str,
        description: &Arc<Description>,
        (request, headers): (&Form, Vec<QName>),
        is_lenient: bool,
    ) -> Self {
        let checks = Checks::new(&request.0).map_err(|why| {
            remark(&format!("{operation}: facets are not checked: {why}"));
        });
        Self {
            operation: operation.to_owned(),
            description: description.clone(),
            request: request.clone(),
            checks: checks.ok(),
            headers,
            is_lenient,
        }
    }

    /// Rejects a request that the WSDL forbids, with the place and the reason.
    pub(super) fn admit(&self, request: &Record) -> Result<(), SoapFault> {
        if let Some(Err(unfit)) = self.checks.as_ref().map(|it| it.check(request)) {
            return Err(SoapFault::sender(unfit.to_string()));
        }
        let mut names = Vec::new();
        undescribed(&self.request.0, request, (ScopeId(0), ""), &mut names);
        // By a document that is missing it may be right.
        if self.is_lenient || !self.description.missing().is_empty() {
            if !names.is_empty() {
                let names = listed(names.into_iter().map(|it| it.0), SHOWN);
                let operation = &self.operation;
                remark(&format!("{operation}: passed over, since the WSDL has none: {names}"));
            }
            return Ok(());
        }
        // No schema says anything of a call, and of what is encoded.
        if self.request.1.style != Style::DocumentLiteral {
            let elements = names.into_iter().filter(|it| it.1).map(|it| it.0);
            return match listed(elements, SHOWN) {
                none if none.is_empty() => Ok(()),
                names => Err(SoapFault::sender(format!("the WSDL has no such element: {names}"))),
            };
        }
        // The schemas have looked at it.
        Ok(())
    }

    /// Rejects a request that the schemas forbid, as it came: also for what no layout holds, such as whether something is nil or
    /// not there. Of a call they say what its header blocks are.
    pub(super) fn inspect(&self, document: &[u8], context: &Context) -> Result<(), SoapFault> {
        // By a document that is missing it may be right.
        if self.is_lenient || !self.description.missing().is_empty() {
            return Ok(());
        }
        let blocks = || context.header_blocks().iter().map(|it| &it.name);
        let is_twice = |it: &&QName| blocks().filter(|name| name == it).count() > 1;
        if let Some(name) = self.headers.iter().find(is_twice) {
            return Err(SoapFault::sender(format!("the header block {name} is there twice")));
        }
        let style = self.request.1.style;
        match valid::of_request(&self.description, style, &String::from_utf8_lossy(document)) {
            Some(why) => Err(SoapFault::sender(why)),
            None => Ok(()),
        }
    }

    /// Header blocks that it has.
    pub(super) fn headers(&self) -> &[QName] {
        &self.headers
    }
}

/// What a record keeps that its layout does not describe, by places; those that are true are elements.
fn undescribed(
    layout: &Layout,
    record: &Record,
    (scope, path): (ScopeId, &str),
    out: &mut Vec<(String, bool)>,
) {
    if out.len() > SHOWN {
        return;
    }
    for (_, markup) in record.unknown_fields().markup() {
        let end = markup.find(['>', '/']).unwrap_or(markup.len()).min(LONGEST);
        let tag = plain(&markup[..markup.floor_char_boundary(end)]);
        let tag = tag.trim_start_matches('<').trim();
        let place = if path.is_empty() { tag.to_owned() } else { format!("{path}/{tag}") };
        out.push((place, markup.starts_with('<')));
    }
    let scope = layout.scope(scope);
    for (index, field) in scope.fields.iter().enumerate() {
        let own = scope.path(index);
        let own = if path.is_empty() { own } else { format!("{path}/{own}") };
        match (record.value(index), field.holds) {
            (Some(Value::Struct(inner)), Holds::Struct(inside)) => {
                undescribed(layout, inner, (inside, &own), out);
            }
            (Some(Value::Group(group)), Holds::Group(inside)) => {
                for (at, entry) in group.entries().iter().enumerate() {
                    undescribed(layout, entry, (inside, &format!("{own}[{at}]")), out);
                }
            }
            _ => {}
        }
    }
}
