//! Answers held against the WSDL: what in them is not as that has it is told, and they are printed all the same.

use trunkline_import::{wsdl, xsd};
use trunkline_message::{ErrorKind, Record, UnknownContent, short_path};
use trunkline_soap::graph::{Message, Name, NodeId};
use trunkline_soap::{Decoder, Layout as Around, Options, Plan, QName, Style};

use super::body::Messages;
use super::content::Form;
use super::{Called, listed, valid};

/// As many names are shown of what should not be there.
const SHOWN: usize = 8;

/// What is told of an answer that is not as the WSDL has it; a line each.
pub(super) fn notes(called: &Called, message: Option<&Message>, envelope: &str) -> Vec<String> {
    let Some(messages) = &called.messages else { return Vec::new() };
    let wrong = match message {
        Some(message) => wrong(called, messages, message, envelope),
        None if messages.response.is_some() => vec!["there is none".to_owned()],
        None => Vec::new(),
    };
    // By a document that is missing it may be right.
    let missing = called.description.as_ref().is_some_and(|it| !it.missing().is_empty());
    let by = if missing { ", by the documents that were read" } else { "" };
    wrong.into_iter().map(|it| format!("the answer is not as the WSDL has it{by}: {it}")).collect()
}

fn wrong(called: &Called, messages: &Messages, message: &Message, envelope: &str) -> Vec<String> {
    let names = || {
        let names = message.body.iter().map(|it| QName::from(&it.0).to_string());
        listed(names, SHOWN)
    };
    let form = match &messages.response {
        None if message.body.is_empty() => return Vec::new(),
        None if messages.answer.is_some() => {
            return vec![format!("its Body is to be empty, and has {}", names())];
        }
        None => return vec![format!("there is to be none, and it has {}", names())],
        // What has no form is held against nothing.
        Some(Err(_)) => return Vec::new(),
        Some(Ok(form)) => form,
    };
    let Some(description) = &called.description else { return Vec::new() };
    let absent = absent(description, (form, messages.answer.as_ref()), message);
    if !absent.is_empty() {
        return absent;
    }
    if form.1.style != Style::DocumentLiteral {
        let wrong = read(form, envelope);
        return wrong.map_or_else(
            |error| error.into_iter().collect(),
            |record| {
                valid::unfit(form.1.style, &record, None).map(|it| it.what).into_iter().collect()
            },
        );
    }
    let mut wrong = elements(form, message, envelope);
    wrong.extend(valid::of_answer(description, &called.name, envelope));
    wrong
}

/// The parts that are not there, of an answer that has to have them all (WS-I Basic Profile 1.1, R2212); of one that is encoded, what
/// is not there is nil.
fn absent(
    description: &wsdl::Description,
    (form, answer): (&Form, Option<&wsdl::Message>),
    message: &Message,
) -> Vec<String> {
    let Some(answer) = answer else { return Vec::new() };
    let names = |all: &[(Name, NodeId)]| -> Vec<xsd::Name> {
        all.iter().map(|(name, _)| xsd::Name::new(name.namespace(), name.local())).collect()
    };
    let (around, there) = match (form.1.style, form.1.layout, message.root()) {
        (Style::DocumentLiteral, Around::Body, _) => ("its Body".to_owned(), names(&message.body)),
        (Style::RpcLiteral, _, Some((name, root))) => {
            (QName::from(name).to_string(), names(message.graph.members(root)))
        }
        _ => return Vec::new(),
    };
    let told = |part: &wsdl::Part| {
        let element = part.element().map_or_else(|| part.name.clone(), ToString::to_string);
        format!("{around} has no {element}, which is its part {}", part.name)
    };
    description.absent(answer, &there).into_iter().map(told).collect()
}

/// What is wrong with which elements the Body of a document has.
fn elements(form: &Form, message: &Message, envelope: &str) -> Vec<String> {
    let Options { namespace, operation, layout, .. } = &form.1;
    let unread = || read(form, envelope).err().flatten();
    if *layout == Around::Body {
        return unread().into_iter().collect();
    }
    let expected = QName::new(&**namespace, &**operation);
    let [(first, _), others @ ..] = &*message.body else {
        return vec![format!("its Body is empty, and should have {expected}")];
    };
    let mut wrong = Vec::new();
    // One that stands for another is read as that.
    let first = QName::from(first);
    if first != expected && (!others.is_empty() || unread().is_some()) {
        wrong.push(format!("its Body has {first}, and should have {expected}"));
    }
    if !others.is_empty() {
        let names = listed(others.iter().map(|it| QName::from(&it.0).to_string()), SHOWN);
        wrong.push(format!("behind {first} its Body has {names}"));
    }
    wrong
}

/// The answer by its layout.
///
/// # Errors
/// Why it cannot be read; nothing, if that is only that a part of what is encoded is not there, which is nil then.
fn read((layout, options): &Form, envelope: &str) -> Result<Record, Option<String>> {
    // In a call nobody says what the element around the parts is called.
    let any_wrapper = options.style != Style::DocumentLiteral;
    let options = Options { any_header: true, any_wrapper, ..options.clone() };
    let plan = Plan::new(layout, &options).map_err(|_| None)?;
    let mut record = Record::new(layout);
    let mut decoder = Decoder::new(&plan).on_unknown(UnknownContent::Reject);
    match decoder.decode(envelope.as_bytes(), &mut record) {
        Ok(()) => Ok(record),
        Err(error) if options.style.is_encoded() && *error.kind() == ErrorKind::Missing => {
            Err(None)
        }
        Err(error) => {
            let path = error.path();
            let before =
                if path.is_empty() { String::new() } else { format!("{}: ", short_path(&path)) };
            Err(Some(format!("{before}{}", error.kind())))
        }
    }
}
