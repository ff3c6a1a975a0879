//! The page that a browser gets of a service: what it does, and a form to try each operation.

use std::fmt::Write as _;

use trunkline_message::Samples;
use trunkline_soap::{Encoder, Version};

use super::service::{Endpoint, EndpointParts, Named};

const STYLE: &str = "body{font:1rem/1.5 sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}\
    textarea{width:100%;box-sizing:border-box;font:.9rem/1.4 monospace}\
    output{display:block;white-space:pre-wrap;overflow-wrap:anywhere;font:.9rem/1.4 monospace}\
    details{margin:.5rem 0}summary{cursor:pointer}";

const SCRIPT: &str = "for(const form of document.forms)form.onsubmit=async event=>{\
    event.preventDefault();const out=form.querySelector('output');out.textContent='waits';\
    try{const answer=await fetch(location.pathname,{method:'POST',\
    headers:JSON.parse(form.dataset.headers),body:form.envelope.value});\
    out.textContent=answer.status+' '+answer.statusText+'\\n'+await answer.text()}\
    catch(error){out.textContent=error}}";

/// Nothing comes from elsewhere, and nobody shows it inside a page of theirs.
pub(super) const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; \
    connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/// As many rows has a form at most.
const ROWS: usize = 24;

/// The page of a service that is at `location`.
pub(super) fn page(endpoint: &Endpoint, location: &str) -> String {
    let EndpointParts { service, binding, .. } = &*endpoint.0;
    let (name, location) = (escaped(&service.name), escaped(location));
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\"><title>{name}</title>\
         <style>{STYLE}</style></head><body>\n<h1>{name}</h1>\n"
    );
    if let Some(text) = service.documentation_text() {
        _ = writeln!(page, "<p>{}</p>", escaped(text));
    }
    let version = match binding.version {
        Version::Soap11 => "1.1",
        Version::Soap12 => "1.2",
    };
    _ = writeln!(
        page,
        "<p>{} at <code>{location}</code>, SOAP {version} in its <a href=\"?wsdl\">WSDL</a>; requests may be in \
         either version.</p>\n<h2>Operations</h2>",
        binding.name()
    );
    for (index, named) in service.operations.iter().enumerate() {
        operation(&mut page, endpoint, index, named);
    }
    if service.fallback.is_some() {
        page.push_str("<p>Other messages are taken as well.</p>\n");
    }
    _ = write!(page, "<script>{SCRIPT}</script>\n</body></html>\n");
    page
}

fn operation(page: &mut String, endpoint: &Endpoint, index: usize, named: &Named) {
    let name = escaped(&named.name);
    let is_answered = named.operation.output().is_some();
    let way = if is_answered { "" } else { ", which is not answered" };
    _ = writeln!(page, "<details><summary><code>{name}</code>{way}</summary>");
    if let Some(text) = &named.documentation {
        _ = writeln!(page, "<p>{}</p>", escaped(text));
    }
    let Some(envelope) = sample(endpoint, index) else {
        page.push_str("<p>A message to start from cannot be made.</p></details>\n");
        return;
    };
    let action = &named.action;
    let headers = match endpoint.0.binding.version {
        Version::Soap11 => serde_json::json!({
            "Content-Type": super::media::TEXT_XML, "SOAPAction": format!("\"{action}\"")
        }),
        Version::Soap12 => serde_json::json!({
            "Content-Type": format!("{}; action=\"{action}\"", super::media::SOAP_XML)
        }),
    };
    let rows = ROWS.min(envelope.lines().count() + 1);
    _ = writeln!(
        page,
        "<form data-headers=\"{}\"><textarea name=\"envelope\" aria-label=\"{name}\" spellcheck=\"false\" \
         rows=\"{rows}\">\n{}</textarea><button>Call</button><output></output></form></details>",
        escaped(&headers.to_string()),
        escaped(&envelope)
    );
}

/// A request to start from, an element a line.
fn sample(endpoint: &Endpoint, index: usize) -> Option<String> {
    let EndpointParts { service, plans, .. } = &*endpoint.0;
    let layout = service.operations[index].operation.input();
    let record = Samples::of(layout).whole().or_else(|| Samples::of(layout).least())?;
    let mut encoder = Encoder::new(plans[index].request());
    let envelope = encoder.encode(&record).ok()?;
    let text = String::from_utf8_lossy(envelope);
    // Values of a sample have no tags in them, so that blanks between tags mean nothing.
    Some(text.replace("><", ">\n<"))
}

/// As text and inside quotes of HTML.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}
