//! Comments, CDATA sections and processing instructions (sections 2.5, 2.6, 2.7).

use memchr::memmem;

use super::Event;
use super::error::{Error, ErrorKind};
use super::name;
use super::parser::{Parser, State};
use super::scan::{self, WHITE};

impl Parser {
    /// Reads what begins with `<!` or `<?` at `at`.
    #[inline(never)]
    pub(super) fn markup<'a>(&mut self, input: &'a str, at: usize) -> Result<Event<'a>, Error> {
        let rest = &input.as_bytes()[at..];
        if rest.starts_with(b"<?") {
            return self.processing_instruction(input, at);
        }
        if rest.starts_with(b"<!--") {
            return self.comment(input, at);
        }
        if rest.starts_with(b"<![CDATA[") {
            return match self.state {
                State::Content => self.cdata(input, at),
                _ => Err(Error::new(ErrorKind::ContentOutsideRoot, at)),
            };
        }
        if rest.starts_with(b"<!DOCTYPE") {
            return Err(Error::new(ErrorKind::Doctype, at));
        }
        Err(Error::new(ErrorKind::UnknownMarkup, at))
    }

    fn comment<'a>(&mut self, input: &'a str, at: usize) -> Result<Event<'a>, Error> {
        let start = at + 4;
        let end = find(input, start, b"--", "a comment")?;
        match input.as_bytes().get(end + 2) {
            Some(b'>') => {}
            Some(_) => return Err(Error::new(ErrorKind::DoubleHyphen, end)),
            None => return Err(Error::new(ErrorKind::Unterminated("a comment"), start)),
        }
        self.position = end + 3;
        Ok(Event::Comment(checked(input, start, end)?))
    }

    fn cdata<'a>(&mut self, input: &'a str, at: usize) -> Result<Event<'a>, Error> {
        let start = at + 9;
        let end = find(input, start, b"]]>", "a CDATA section")?;
        if end - start > self.limits.value_bytes {
            return Err(Error::new(ErrorKind::ValueTooLong(self.limits.value_bytes), start));
        }
        let raw = checked(input, start, end)?;
        self.position = end + 3;
        let plain = memchr::memchr(b'\r', raw.as_bytes()).is_none();
        Ok(Event::CData { raw, plain })
    }

    fn processing_instruction<'a>(
        &mut self,
        input: &'a str,
        at: usize,
    ) -> Result<Event<'a>, Error> {
        if !self.options.instructions {
            return Err(Error::new(ErrorKind::Instruction, at));
        }
        let start = at + 2;
        if start == input.len() {
            return Err(Error::new(ErrorKind::Unterminated("a processing instruction"), start));
        }
        let target_end = name::read(input, start, false, "a target after <?")?.end;
        let target = &input[start..target_end];
        if target.eq_ignore_ascii_case("xml") {
            return Err(Error::new(ErrorKind::ReservedTarget, start));
        }
        if self.options.namespaces && target.contains(':') {
            return Err(Error::new(ErrorKind::ColonInTarget, start));
        }
        let end = find(input, target_end, b"?>", "a processing instruction")?;
        let data_start = scan::skip(input.as_bytes(), target_end, WHITE);
        if data_start == target_end && data_start != end {
            let expected = ErrorKind::Expected("white space or ?> after a target");
            return Err(Error::new(expected, target_end));
        }
        let data = checked(input, data_start, end)?;
        self.position = end + 2;
        Ok(Event::ProcessingInstruction { target, data })
    }
}

fn find(input: &str, start: usize, terminator: &[u8], what: &'static str) -> Result<usize, Error> {
    match memmem::find(&input.as_bytes()[start..], terminator) {
        Some(length) => Ok(start + length),
        None => Err(Error::new(ErrorKind::Unterminated(what), start)),
    }
}

/// The text between two positions, without forbidden control characters.
fn checked(input: &str, start: usize, end: usize) -> Result<&str, Error> {
    let text = &input[start..end];
    match scan::forbidden_control(text.as_bytes(), 0) {
        at if at == text.len() => Ok(text),
        at => {
            let code = text.as_bytes()[at].into();
            Err(Error::new(ErrorKind::ForbiddenCharacter(code), start + at))
        }
    }
}
