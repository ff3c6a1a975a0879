//! Faults, as toolkits write them.

use trunkline_codec::infoset::{Event, Reader, Tag};
use trunkline_message::{Error, ErrorKind, Limits, Result};

use super::{Fault, FaultCode, Version};
use crate::envelope::{self, SOAP11, SOAP12};
use crate::fragment::Fragment;
use crate::graph;
use crate::header::{HeaderBlock, namespace};
use crate::qname::QName;
use crate::reader::{Envelope, open};

/// Reads a whole message.
pub(super) fn message(reader: &mut impl Reader, limits: &Limits) -> Result<Fault> {
    let mut envelope = Envelope::new(reader, limits);
    let child = envelope.open()?;
    let soap = namespace(envelope.version);
    if !child.is_some_and(|name| name.is(soap, "Fault")) {
        let expected = ErrorKind::Expected("a Fault in the Body".into());
        return Err(Error::new(expected, envelope.reader.position()));
    }
    let mut fault = Reading { reader: envelope.reader, limits, copied: 0 }.fault()?;
    let mut is_alone = true;
    while envelope.reader.depth() > 1 {
        is_alone &= !matches!(envelope.reader.next()?, Event::Start(_));
    }
    envelope.finish()?;
    for block in &envelope.header {
        headers(block, limits, &mut fault)?;
    }
    if !is_alone
        && fault.detail.iter().any(refers)
        && let Ok(detail) = with_referents(reader, limits, &fault.detail)
    {
        fault.detail = detail;
    }
    Ok(fault)
}

/// May an entry of a detail refer to elements that stand elsewhere in the message?
fn refers(entry: &Fragment) -> bool {
    ["href=", "ref="].iter().any(|it| entry.as_str().contains(it))
}

/// The entries of a detail with what they refer to inside, each by itself: where content is encoded, Axis 1 writes the
/// values behind the Fault. Those that refer say that they are encoded.
fn with_referents(
    reader: &mut impl Reader,
    limits: &Limits,
    detail: &[Fragment],
) -> Result<Vec<Fragment>> {
    reader.restart()?;
    let mut message = graph::decode_encoded_from(reader, limits)?;
    let (soap, encoding) = envelope::namespaces(message.version);
    let entries = message.root().and_then(|(_, fault)| {
        let detail = |name| message.graph.member(fault, name);
        Some(message.graph.members(detail("detail").or_else(|| detail("Detail"))?).to_vec())
    });
    (message.header, message.body) = (entries.unwrap_or_default(), Vec::new());
    for ((_, value), entry) in message.header.iter().zip(detail) {
        let attributes = &mut message.graph.node_mut(*value).attributes;
        let style = graph::Name::new(soap, "encodingStyle");
        if refers(entry) && !attributes.iter().any(|(name, _)| *name == style) {
            attributes.push((style, encoding.into()));
        }
    }
    let encoder = graph::Encoder::new(message.version);
    let encoder = graph::Encoder { multi_ref: false, limits: limits.clone(), ..encoder };
    let blocks = open(&encoder.encode(&message)?, limits)?.header;
    Ok(blocks.into_iter().map(|block| block.content).collect())
}

/// Reads what a header block says about a fault, if it is of those that do.
fn headers(block: &HeaderBlock, limits: &Limits, fault: &mut Fault) -> Result<()> {
    let upgrade = block.name.is(SOAP12, "Upgrade");
    if !upgrade && !block.name.is(SOAP12, "NotUnderstood") {
        return Ok(());
    }
    let mut reader = block.content.reader(limits)?;
    loop {
        match reader.next()? {
            Event::Start(_) => {}
            Event::Eof => return Ok(()),
            Event::End | Event::Text(_) => continue,
        }
        let Some(name) = reader.find_attribute("", "qname") else { continue };
        let name = QName::in_value(&reader, &reader.value(name));
        match (upgrade, &*name.namespace) {
            (false, _) => fault.not_understood.push(name),
            (true, SOAP11) => fault.upgrade.push(Version::Soap11),
            (true, SOAP12) => fault.upgrade.push(Version::Soap12),
            (true, _) => {}
        }
    }
}

const LONGEST_CODE: usize = 4096;

/// Namespace of `xml:lang`.
pub(super) const XML: &str = "http://www.w3.org/XML/1998/namespace";

/// Inside a Fault.
struct Reading<'a, R> {
    reader: &'a mut R,
    limits: &'a Limits,
    /// Bytes of the detail's entries, with the declarations that each was given.
    copied: usize,
}

impl<R: Reader> Reading<'_, R> {
    /// The children are found by their local names alone: some toolkits put those of SOAP 1.1 in
    /// the namespace of the envelope, or in one that is the default there.
    fn fault(&mut self) -> Result<Fault> {
        let mut fault = Fault::new(FaultCode::Receiver, "");
        let outside = self.reader.depth() - 1;
        while self.reader.depth() > outside {
            let Event::Start(name) = self.reader.next()? else { continue };
            match self.reader.local(name) {
                "faultcode" => set_codes(&mut fault, vec![self.code()?]),
                "Code" => {
                    let codes = self.codes()?;
                    set_codes(&mut fault, codes);
                }
                "faultstring" => {
                    fault.language = self.language();
                    fault.reason = self.text()?;
                }
                "Reason" => self.reason(&mut fault)?,
                "Node" => fault.node = Some(self.text()?.trim().to_owned()),
                "faultactor" | "Role" => fault.role = Some(self.text()?.trim().to_owned()),
                "detail" | "Detail" => self.detail(&mut fault.detail)?,
                _ => self.reader.skip()?,
            }
        }
        // A faultactor that is there and empty says nothing.
        fault.role.take_if(|role| role.is_empty());
        fault.node.take_if(|node| node.is_empty());
        Ok(fault)
    }

    /// The values of a Code and of the Subcodes in it, from the outermost.
    fn codes(&mut self) -> Result<Vec<QName>> {
        let mut codes = Vec::new();
        let outside = self.reader.depth() - 1;
        while self.reader.depth() > outside {
            if let Event::Start(name) = self.reader.next()?
                && self.reader.local(name) == "Value"
            {
                codes.push(self.code()?);
            }
        }
        Ok(codes)
    }

    /// The name that is the text of the element just begun.
    fn code(&mut self) -> Result<QName> {
        let (mut text, mut name) = (String::new(), QName::default());
        let outside = self.reader.depth() - 1;
        while self.reader.depth() > outside {
            let Event::Text(piece) = self.reader.next()? else { continue };
            text.push_str(&self.reader.value(piece));
            // Here declarations of the element itself are in force. No real code is longer, and an
            // endless one must not be scanned again and again.
            if text.len() <= LONGEST_CODE {
                name = QName::in_value(self.reader, &text);
            }
        }
        Ok(name)
    }

    /// Among texts in several languages the English one is taken, or else the first.
    fn reason(&mut self, fault: &mut Fault) -> Result<()> {
        let outside = self.reader.depth() - 1;
        let mut first = true;
        while self.reader.depth() > outside {
            let Event::Start(name) = self.reader.next()? else { continue };
            if self.reader.local(name) != "Text" {
                self.reader.skip()?;
                continue;
            }
            let language = self.language();
            let is_english = |it: &str| it == "en" || it.starts_with("en-");
            let better = is_english(&language) && !is_english(&fault.language);
            let text = self.text()?;
            if std::mem::take(&mut first) || better {
                fault.language = language;
                fault.reason = text;
            }
        }
        Ok(())
    }

    fn detail(&mut self, into: &mut Vec<Fragment>) -> Result<()> {
        let mut text = String::new();
        let outside = self.reader.depth() - 1;
        while self.reader.depth() > outside {
            let name = match self.reader.next()? {
                Event::Start(name) => name,
                Event::Text(piece) => {
                    text.push_str(&self.reader.value(piece));
                    continue;
                }
                Event::End | Event::Eof => continue,
            };
            let at = self.reader.began();
            let entry = Fragment::read(self.reader, name, &[])?;
            self.copied += entry.as_str().len();
            let Limits { entries, message_bytes, .. } = *self.limits;
            for (name, limit, reached) in [
                ("entries", entries, into.len() + 1),
                ("message_bytes", message_bytes, self.copied),
            ] {
                if reached > limit {
                    return Err(Error::new(ErrorKind::Limit { name, limit }, at));
                }
            }
            into.push(entry);
        }
        if !text.trim().is_empty() {
            into.push(Fragment::text(&QName::new("", "text"), text.trim())?);
        }
        Ok(())
    }

    fn language(&self) -> String {
        let attribute = self.reader.find_attribute(XML, "lang");
        attribute.map_or_else(|| "en".into(), |it| self.reader.value(it).into_owned())
    }

    /// All text in the element just begun.
    fn text(&mut self) -> Result<String> {
        let mut text = String::new();
        let outside = self.reader.depth() - 1;
        while self.reader.depth() > outside {
            if let Event::Text(piece) = self.reader.next()? {
                text.push_str(&self.reader.value(piece));
            }
        }
        Ok(text)
    }
}

/// Tells the code proper from those that say more.
fn set_codes(fault: &mut Fault, mut codes: Vec<QName>) {
    let Some(first) = codes.first() else { return };
    // A prefix is often forgotten, or declared for the other version.
    let known = matches!(&*first.namespace, "" | SOAP11 | SOAP12);
    let (head, more) = match first.local.split_once('.') {
        Some((head, _)) => (head, true),
        None => (&*first.local, false),
    };
    let code = match head {
        "VersionMismatch" => Some(FaultCode::VersionMismatch),
        "MustUnderstand" => Some(FaultCode::MustUnderstand),
        "DataEncodingUnknown" => Some(FaultCode::DataEncodingUnknown),
        "Sender" | "Client" => Some(FaultCode::Sender),
        "Receiver" | "Server" => Some(FaultCode::Receiver),
        _ => None,
    };
    let code = code.filter(|_| known);
    fault.code = code.unwrap_or(FaultCode::Receiver);
    if code.is_some() && !more {
        codes.remove(0);
    }
    fault.subcodes = codes;
}
