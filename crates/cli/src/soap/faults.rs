//! What a fault says beside what is common to both versions of SOAP: a code of its own, its reason in several languages, and
//! text in its detail.

use trunkline_codec::infoset::{Event, Reader as _, Tag as _};
use trunkline_codec::xml;
use trunkline_message::{Limits, Result};
use trunkline_soap::{Fault, QName};

/// That of one fault.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct More {
    /// Each with its language, in the order of the fault; the language is empty where none is said.
    pub(super) reasons: Vec<(String, String)>,
    /// The text of the detail that stands beside elements, or where there are none.
    pub(super) detail_text: Option<String>,
    /// The `faultcode` of SOAP 1.1, as it is written.
    code: String,
}

impl More {
    /// The code and the reason. A code of SOAP 1.1 that is none of SOAP's is shown as it stands.
    pub(super) fn text_of(&self, fault: &Fault) -> String {
        let local = self.code.rsplit(':').next().unwrap_or_default();
        match &*fault.subcodes {
            [code] if code.local == local && !is_of_soap(code) => {
                format!("{}: {}", self.code, fault.reason)
            }
            _ => fault.to_string(),
        }
    }
}

/// Is it a code of SOAP, perhaps with more behind a dot?
fn is_of_soap(code: &QName) -> bool {
    const SOAP11: &str = "http://schemas.xmlsoap.org/soap/envelope/";
    const SOAP12: &str = "http://www.w3.org/2003/05/soap-envelope";
    const CODES: [&str; 7] = [
        "Client",
        "DataEncodingUnknown",
        "MustUnderstand",
        "Receiver",
        "Sender",
        "Server",
        "VersionMismatch",
    ];
    let first = code.local.split('.').next().unwrap_or_default();
    matches!(&*code.namespace, "" | SOAP11 | SOAP12) && CODES.contains(&first)
}

const XML: &str = "http://www.w3.org/XML/1998/namespace";

/// Elements around what is in a part of a fault: Envelope, Body, Fault, and the part.
const OF_PART: usize = 4;

/// Of the fault in an envelope; nothing where it cannot be read.
pub(super) fn more(envelope: &str) -> More {
    let mut more = More::default();
    match read(envelope, &mut more) {
        Ok(()) => {
            more.detail_text = more.detail_text.filter(|it| !it.is_empty());
            more.code = more.code.trim_ascii().to_owned();
            more
        }
        Err(_) => More::default(),
    }
}

fn read(envelope: &str, more: &mut More) -> Result<()> {
    let mut reader = xml::Reader::soap(envelope, &Limits::default())?;
    // The names of the elements that are open.
    let mut open: Vec<String> = Vec::new();
    loop {
        match reader.next()? {
            Event::Start(name) => {
                open.push(reader.local(name).to_owned());
                let path: Vec<&str> = open.iter().map(String::as_str).collect();
                if let ["Envelope", "Body", "Fault", "faultstring"]
                | ["Envelope", "Body", "Fault", "Reason", "Text"] = &*path
                {
                    let found = reader.find_attribute(XML, "lang");
                    let language = found.map(|it| reader.value(it).into_owned());
                    more.reasons.push((language.unwrap_or_default(), String::new()));
                }
            }
            Event::Text(text) => {
                let path: Vec<&str> = open.iter().map(String::as_str).collect();
                let text = reader.value(text);
                match &*path {
                    ["Envelope", "Body", "Fault", "faultcode"] => more.code += &text,
                    ["Envelope", "Body", "Fault", "faultstring" | "Reason", ..] => {
                        let is_own = path.get(OF_PART).is_none_or(|it| *it == "Text");
                        let is_of_part = path[OF_PART - 1] == "faultstring" || path.len() > OF_PART;
                        if let (true, Some(reason)) =
                            (is_own && is_of_part, more.reasons.last_mut())
                        {
                            reason.1 += &text;
                        }
                    }
                    ["Envelope", "Body", "Fault", "detail" | "Detail"] => {
                        let own = more.detail_text.get_or_insert_default();
                        let text = text.trim();
                        if !own.is_empty() && !text.is_empty() {
                            own.push(' ');
                        }
                        *own += text;
                    }
                    _ => {}
                }
            }
            Event::End => _ = open.pop(),
            Event::Eof => return Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_and_text_are_found_in_both_versions() {
        let of = |fault: &str| {
            more(&format!("<Envelope><Body><Fault>{fault}</Fault></Body></Envelope>"))
        };
        let reason = |language: &str, text: &str| (language.to_owned(), text.to_owned());
        let found = of(
            "<faultstring xml:lang='de'>n&amp;ein</faultstring><detail> why <a>1</a> not</detail>",
        );
        assert_eq!(found.reasons, [reason("de", "n&ein")]);
        assert_eq!(found.detail_text.as_deref(), Some("why not"));
        let found = of(
            "<Reason> <Text xml:lang='en'>no</Text> <Text xml:lang='de'>nein</Text></Reason><Detail><a>1</a> </Detail>",
        );
        assert_eq!(found.reasons, [reason("en", "no"), reason("de", "nein")]);
        assert_eq!(found.detail_text, None);
        assert_eq!(of("<faultstring>"), More::default());
    }
}
