//! XML by the end of the document element.

use memchr::{memchr, memchr2_iter, memchr3, memmem};
use trunkline_message::{Error, ErrorKind, Limits, Result};

use crate::framer::{Frame, Framer};

/// U+FEFF in UTF-8, which may stand at the very beginning.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Ends a message with the end tag of its document element (XML 1.0 section 2.1), in UTF-8 or any
/// other encoding that has ASCII's markup. White space before a document is skipped; comments and
/// processing instructions after one belong to the next. A document type declaration is rejected.
///
/// Elements nest, so that only those with the name of the document element are counted, and what has
/// other names is passed over by a search. Whether the document is well-formed is for its reader to
/// find out; where it is not, the message may end at another tag than its sender meant.
#[derive(Debug)]
pub struct Xml {
    stage: Stage,
    /// The bytes before have been scanned.
    at: usize,
    /// Open elements with the name of the document element.
    depth: usize,
    /// Finds the name of the document element; kept, since the next message will have the same.
    name: memmem::Finder<'static>,
    /// No such name begins before, as far as the rest has not been looked at.
    searched: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Before the document element.
    Prolog,
    /// In the document element's name, which begins here.
    Name(usize),
    /// In a start tag of that name, outside of attribute values.
    StartTag,
    /// In an attribute value, which ends with this.
    Value(u8),
    /// After a tag or something hidden that ended here.
    Content(usize),
    /// In an end tag, after the name.
    EndTag,
    /// In a comment, processing instruction or CDATA section, which ends with this.
    Hidden(&'static str),
}

/// The result of a scan in the present stage.
enum Step {
    /// The stage is another one now.
    Onwards,
    /// The document is at its end.
    End,
    /// More bytes are needed.
    More,
}

impl Default for Xml {
    fn default() -> Self {
        let name = memmem::Finder::new(b"Envelope").into_owned();
        Self { stage: Stage::Prolog, at: 0, depth: 0, name, searched: 0 }
    }
}

impl Framer for Xml {
    fn frame(&mut self, bytes: &[u8], limits: &Limits) -> Result<Frame> {
        if self.at == 0 {
            let blanks = bytes.iter().take_while(|byte| is_blank(**byte)).count();
            if blanks > 0 {
                return Ok(Frame::Skip(blanks));
            }
        }
        let document = &bytes[..bytes.len().min(limits.message_bytes)];
        loop {
            match self.step(document)? {
                Step::Onwards if self.depth > limits.depth => {
                    let kind = ErrorKind::Limit { name: "depth", limit: limits.depth };
                    return Err(Error::new(kind, self.at));
                }
                Step::Onwards => {}
                Step::End => {
                    let end = self.at;
                    (self.stage, self.at, self.depth, self.searched) = (Stage::Prolog, 0, 0, 0);
                    return Ok(Frame::Message(0..end));
                }
                Step::More if document.len() == limits.message_bytes => {
                    let (name, limit) = ("message_bytes", limits.message_bytes);
                    return Err(Error::new(ErrorKind::Limit { name, limit }, limit));
                }
                Step::More => return Ok(Frame::Incomplete(1)),
            }
        }
    }
}

impl Xml {
    #[inline]
    fn step(&mut self, document: &[u8]) -> Result<Step> {
        match self.stage {
            Stage::Prolog => self.prolog(document),
            Stage::Name(start) => Ok(self.document_name(document, start)),
            Stage::StartTag => Ok(self.start_tag(document)),
            Stage::Value(quote) => Ok(self.value(document, quote)),
            Stage::Content(start) => self.content(document, start),
            Stage::EndTag => self.end_tag(document),
            Stage::Hidden(terminator) => Ok(self.hidden(document, terminator)),
        }
    }

    fn prolog(&mut self, document: &[u8]) -> Result<Step> {
        match &document[self.at..] {
            [] => Ok(Step::More),
            [b'<'] => Ok(Step::More),
            [b'<', b'!' | b'?', ..] => self.hide(document),
            [b'<', b'/', ..] => {
                let what = "an end tag stands before the document element";
                Err(Error::new(ErrorKind::Syntax(what.into()), self.at))
            }
            [b'<', ..] => {
                self.at += 1;
                self.stage = Stage::Name(self.at);
                Ok(Step::Onwards)
            }
            rest if self.at == 0 && rest.starts_with(BYTE_ORDER_MARK) => {
                self.at = BYTE_ORDER_MARK.len();
                Ok(Step::Onwards)
            }
            rest if self.at == 0 && BYTE_ORDER_MARK.starts_with(rest) => Ok(Step::More),
            rest => {
                let blanks = rest.iter().take_while(|byte| is_blank(**byte)).count();
                if blanks == 0 {
                    let kind = ErrorKind::Expected("the < of an XML document".into());
                    return Err(Error::new(kind, self.at));
                }
                self.at += blanks;
                Ok(Step::Onwards)
            }
        }
    }

    fn document_name(&mut self, document: &[u8], start: usize) -> Step {
        let rest = &document[self.at..];
        let Some(length) = rest.iter().position(|byte| ends_name(*byte)) else {
            self.at = document.len();
            return Step::More;
        };
        self.at += length;
        let name = &document[start..self.at];
        if name != self.name.needle() {
            self.name = memmem::Finder::new(name).into_owned();
        }
        self.stage = Stage::StartTag;
        Step::Onwards
    }

    fn start_tag(&mut self, document: &[u8]) -> Step {
        let Some(found) = memchr3(b'>', b'"', b'\'', &document[self.at..]) else {
            self.at = document.len();
            return Step::More;
        };
        let found = self.at + found;
        self.at = found + 1;
        match document[found] {
            b'>' if document[found - 1] == b'/' => {
                self.stage = Stage::Content(self.at);
                if self.depth == 0 {
                    return Step::End;
                }
            }
            b'>' => {
                self.stage = Stage::Content(self.at);
                self.depth += 1;
            }
            quote => self.stage = Stage::Value(quote),
        }
        Step::Onwards
    }

    fn value(&mut self, document: &[u8], quote: u8) -> Step {
        let Some(length) = memchr(quote, &document[self.at..]) else {
            self.at = document.len();
            return Step::More;
        };
        self.at += length + 1;
        self.stage = Stage::StartTag;
        Step::Onwards
    }

    fn content(&mut self, document: &[u8], start: usize) -> Result<Step> {
        let tag = self.next_tag(document, start);
        let end = tag.map_or(document.len(), |(tag, _)| tag);
        if let Some(hidden) = hidden_between(document, self.at, end) {
            self.at = hidden;
            return self.hide(document);
        }
        let Some((_, stage)) = tag else {
            // A `<` at the end may begin something that hides what follows.
            let is_open = self.at < end && document[end - 1] == b'<';
            self.at = end - usize::from(is_open);
            return Ok(Step::More);
        };
        self.at = self.searched + self.name.needle().len();
        self.stage = stage;
        Ok(Step::Onwards)
    }

    /// The next tag with the name of the document element, and its stage after the name, which
    /// begins at `searched`.
    fn next_tag(&mut self, document: &[u8], start: usize) -> Option<(usize, Stage)> {
        let length = self.name.needle().len();
        loop {
            let from = self.searched.max(start);
            let Some(found) = self.name.find(&document[from..]) else {
                // The last bytes may be the beginning of the name.
                self.searched = from.max((document.len() + 1).saturating_sub(length));
                return None;
            };
            self.searched = from + found;
            let next = document.get(self.searched + length)?;
            if ends_name(*next) {
                match &document[start..self.searched] {
                    [.., b'<'] => return Some((self.searched - 1, Stage::StartTag)),
                    [.., b'<', b'/'] => return Some((self.searched - 2, Stage::EndTag)),
                    _ => {}
                }
            }
            self.searched += 1;
        }
    }

    fn end_tag(&mut self, document: &[u8]) -> Result<Step> {
        let rest = &document[self.at..];
        let blanks = rest.iter().take_while(|byte| is_blank(**byte)).count();
        self.at += blanks;
        match rest.get(blanks) {
            None => Ok(Step::More),
            Some(b'>') => {
                self.at += 1;
                self.depth -= 1;
                self.stage = Stage::Content(self.at);
                Ok(if self.depth == 0 { Step::End } else { Step::Onwards })
            }
            Some(_) => {
                let kind = ErrorKind::Expected("the > of an end tag".into());
                Err(Error::new(kind, self.at))
            }
        }
    }

    /// At `<!` or `<?`.
    #[cold]
    fn hide(&mut self, document: &[u8]) -> Result<Step> {
        const HIDDEN: [(&[u8], &str); 3] = [(b"<?", "?>"), (b"<!--", "-->"), (b"<![CDATA[", "]]>")];
        let rest = &document[self.at..];
        for (begin, end) in HIDDEN {
            if end == "]]>" && self.depth == 0 {
                continue;
            }
            if rest.starts_with(begin) {
                self.at += begin.len();
                self.stage = Stage::Hidden(end);
                return Ok(Step::Onwards);
            }
            if begin.starts_with(rest) {
                return Ok(Step::More);
            }
        }
        let kind = if rest.starts_with(b"<!D") {
            ErrorKind::Unsupported("a document type declaration".into())
        } else {
            ErrorKind::Syntax("a declaration stands where there is none".into())
        };
        Err(Error::new(kind, self.at))
    }

    fn hidden(&mut self, document: &[u8], terminator: &'static str) -> Step {
        let rest = &document[self.at..];
        if let Some(end) = memmem::find(rest, terminator.as_bytes()) {
            self.at += end + terminator.len();
            self.stage = if self.depth == 0 { Stage::Prolog } else { Stage::Content(self.at) };
            return Step::Onwards;
        }
        // The last bytes may be the beginning of the terminator.
        self.at += rest.len().saturating_sub(terminator.len() - 1);
        Step::More
    }
}

/// Where the first `<!` or `<?` is.
fn hidden_between(document: &[u8], from: usize, to: usize) -> Option<usize> {
    // A tag may begin in what was looked at before the rest of it came.
    let part = document.get(from..to).unwrap_or_default();
    let mut marks = memchr2_iter(b'!', b'?', part);
    marks.find(|&at| at > 0 && part[at - 1] == b'<').map(|at| from + at - 1)
}

/// White space of XML (section 2.3).
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

fn ends_name(byte: u8) -> bool {
    is_blank(byte) || matches!(byte, b'/' | b'>')
}

#[cfg(test)]
mod tests;
