//! What an envelope holds beside a message: header blocks, and a fault in its place.

use memchr::memmem;
use trunkline_codec::fast_infoset;
use trunkline_codec::infoset::{Event, Reader};
use trunkline_codec::xml::{self, Source};
use trunkline_soap::{self as soap, Fault, FaultCode, HeaderBlock, Opened, Version};

use super::Messages;
use crate::codec::{Format, HeaderBlocks};
use crate::error::Error;
use crate::kind::{SOAP_11, SOAP_12};

/// Of SOAP, and the version in which Fast Infoset is written.
fn version(format: Format) -> Option<Version> {
    match format {
        Format::Soap11 | Format::FastInfoset => Some(Version::Soap11),
        Format::Soap12 => Some(Version::Soap12),
        _ => None,
    }
}

/// May there be a Header or a Fault in these bytes? Charsets in which these words are not spelled by the letters of ASCII
/// begin otherwise than with a tag, or with zeros.
fn may_have_parts(bytes: &[u8]) -> bool {
    let start = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let is_spelled = start.trim_ascii_start().starts_with(b"<")
        && !start.iter().take(4).any(|it| *it == 0)
        || bytes.starts_with(b"\xe0\0\0\x01");
    !is_spelled || ["Header", "Fault"].iter().any(|it| memmem::find(bytes, it.as_bytes()).is_some())
}

impl Messages {
    /// The header blocks of an envelope; none of a message that is in no envelope.
    ///
    /// # Errors
    /// The envelope is not as it must be, up to the message.
    pub fn header_blocks(&self, format: Format, bytes: &[u8]) -> Result<Vec<HeaderBlock>, Error> {
        Ok(self.opened(format, bytes)?.map_or_else(Vec::new, |it| it.header))
    }

    /// The envelope up to its message, if there may be anything in it but that.
    pub(super) fn opened(&self, format: Format, bytes: &[u8]) -> Result<Option<Opened>, Error> {
        if version(format).is_none() || !may_have_parts(bytes) {
            return Ok(None);
        }
        let opened = match format {
            Format::FastInfoset => {
                let mut parser = self.binary_parser();
                fast_infoset::Reader::begin(&mut parser, bytes)
                    .and_then(|mut reader| soap::open_from(&mut reader, &self.limits))
            }
            _ => soap::open(bytes, &self.limits),
        };
        opened.map(Some).map_err(Error::Rejected)
    }

    pub(super) fn binary_parser(&self) -> fast_infoset::Parser {
        fast_infoset::Parser::stateless(fast_infoset::Options::soap(), &self.limits)
    }

    /// Header blocks as they stand in the Header of a message of another format; nothing where they are left out.
    pub(super) fn header_in(&self, to: Format, blocks: &[HeaderBlock]) -> Result<String, Error> {
        let name = |it: &HeaderBlock| it.name.to_string();
        let Some(version) = version(to) else {
            let is_kept = |it: &&HeaderBlock| match self.options.header_blocks {
                HeaderBlocks::Reject => true,
                HeaderBlocks::LeaveOutOptional => it.must_understand,
                HeaderBlocks::LeaveOut => false,
            };
            let kept: Vec<String> = blocks.iter().filter(is_kept).map(name).collect();
            return match &*kept {
                [] => Ok(String::new()),
                kept => Err(Error::HeaderBlocks(to, kept.join(", "))),
            };
        };
        if version == Version::Soap11
            && let Some(block) = blocks.iter().find(|it| it.relay)
        {
            return Err(Error::Relay(to, name(block)));
        }
        Ok(blocks.iter().map(|it| it.encode(version)).collect())
    }

    /// Appends a fault, which stands in place of a message, in another format: it is the same in both versions of SOAP, but for
    /// what the older one has no word for.
    pub(super) fn convert_fault(
        &mut self,
        (from, bytes): (Format, &[u8]),
        header: Vec<HeaderBlock>,
        to: Format,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        // It is none of the messages that are described.
        self.last = None;
        let (fault, reasons) = self.fault(from, bytes)?;
        let reject = |what: &str| Err(Error::Fault(to, fault.to_string(), what.to_owned()));
        let Some(version) = version(to) else {
            return reject("no form for faults, which decode shows");
        };
        let is_old = version == Version::Soap11;
        match () {
            () if reasons > 1 => return reject("only one language for its reason here"),
            () if is_old && fault.node.is_some() => return reject("no Node"),
            () if is_old && fault.subcodes.len() > 1 => return reject("no more than one subcode"),
            () if is_old && !is_told(&fault) => return reject("one code, which does not say both"),
            () => {}
        }
        // Those that the fault writes itself.
        let is_own = |it: &HeaderBlock| {
            it.name.is(SOAP_12, "Upgrade") || !is_old && it.name.is(SOAP_12, "NotUnderstood")
        };
        let header: Vec<HeaderBlock> = header.into_iter().filter(|it| !is_own(it)).collect();
        self.header_in(to, &header)?;
        if to != Format::FastInfoset {
            out.extend_from_slice(&fault.encode_with(&header, version));
            return Ok(());
        }
        let mut writer = fast_infoset::Writer::stateless(fast_infoset::WriterOptions::default());
        writer.begin();
        fault.encode_to(&header, version, &mut writer);
        out.extend_from_slice(writer.finish().map_err(|error| Error::Unwritable(to, error))?);
        Ok(())
    }

    /// The fault in an envelope, and in how many texts it gives its reason.
    fn fault(&self, format: Format, bytes: &[u8]) -> Result<(Fault, usize), Error> {
        let read = match format {
            Format::FastInfoset => {
                let mut parser = self.binary_parser();
                let reader = fast_infoset::Reader::begin(&mut parser, bytes);
                reader.and_then(|mut reader| {
                    let fault = Fault::decode_from(&mut reader, &self.limits)?;
                    reader.restart()?;
                    Ok((fault, reasons(&mut reader)?))
                })
            }
            _ => Fault::decode(bytes, &self.limits).and_then(|fault| {
                let mut source = Source::default();
                let input = source.prepare(bytes, &self.limits)?;
                Ok((fault, reasons(&mut xml::Reader::soap(input, &self.limits)?)?))
            }),
        };
        read.map_err(Error::Rejected)
    }

    /// The fault in an envelope of a format that is no XML, as XML.
    pub(super) fn fault_as_xml(&self, format: Format, bytes: &[u8]) -> Option<Vec<u8>> {
        let opened = self.opened(format, bytes).ok()??;
        let (fault, _) = self.fault(format, bytes).ok().filter(|_| opened.is_fault)?;
        Some(fault.encode_with(&opened.header, opened.version))
    }
}

/// The texts of the Reason of SOAP 1.2: one a language (part 1, section 5.4.2).
fn reasons(reader: &mut impl Reader) -> trunkline_message::Result<usize> {
    /// Of Envelope, Body, Fault, Reason.
    const DEPTH: usize = 4;
    let mut count = 0;
    loop {
        let depth = reader.depth();
        match reader.next()? {
            Event::Start(name) => {
                count += usize::from(depth == DEPTH && reader.is(name, SOAP_12, "Text"));
            }
            Event::Eof => return Ok(count),
            Event::End | Event::Text(_) => {}
        }
    }
}

/// Does SOAP 1.1 say who is at fault, by a code or by the subcode in its place? One that stands alone is read as the receiver's.
fn is_told(fault: &Fault) -> bool {
    let Some(subcode) = fault.subcodes.last() else {
        return fault.code != FaultCode::DataEncodingUnknown;
    };
    let behind = subcode.local.strip_prefix(fault.code.name(Version::Soap11));
    let is_behind_code =
        subcode.namespace == SOAP_11 && behind.is_some_and(|it| it.starts_with('.'));
    is_behind_code || (fault.code == FaultCode::Receiver && !subcode.namespace.is_empty())
}
