//! Messages from standard input: lines; of FIX, whatever they hold, by their frame; in hexadecimal.

use std::io::{self, BufRead, Read as _};

use trunkline_message::Limits;
use trunkline_net::{Fix, Frame, Framer as _};
use trunkline_transcode::fix;

use crate::client::counted;

/// The longest message: what a router takes, unless it is configured otherwise.
const LONGEST: usize = 1 << 20;

/// What messages are read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// As the lines are.
    Lines,
    /// FIX, each by its BodyLength and CheckSum, with a line break behind it or not.
    Fix,
}

/// Reads messages, each behind its topic and a tab where they have topics of their own.
pub(super) struct Reader<R> {
    input: R,
    form: Form,
    has_topics: bool,
    /// Bytes that were read and are no message yet.
    waiting: Vec<u8>,
    /// How many bytes came before them,
    before: u64,
    /// and how many messages.
    messages: u64,
}

impl<R: BufRead> Reader<R> {
    pub(super) fn new(input: R, form: Form, has_topics: bool) -> Self {
        Self { input, form, has_topics, waiting: Vec::new(), before: 0, messages: 0 }
    }

    /// The next message, if there is one.
    ///
    /// # Errors
    /// The input cannot be read, or there is something else, and nobody knows where the next message begins.
    pub(super) fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        match self.form {
            Form::Lines => self.line(),
            Form::Fix => self.fix(),
        }
    }

    /// The next line without its end.
    fn line(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        if self.input.by_ref().take(LONGEST as u64 + 1).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        if line.last() == Some(&b'\n') {
            line.pop();
        } else if line.len() > LONGEST {
            return Err(io::Error::other(format!("a line of more than {LONGEST} bytes")));
        }
        Ok(Some(line))
    }

    fn fix(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            let breaks = self.waiting.iter().take_while(|it| matches!(it, b'\r' | b'\n')).count();
            self.drop_front(breaks);
            if let Some(end) = self.end_of_fix()? {
                let message = self.drop_front(end);
                self.messages += 1;
                return Ok(Some(message));
            }
            let came = self.input.fill_buf()?;
            let count = came.len();
            self.waiting.extend_from_slice(came);
            self.input.consume(count);
            match count {
                0 if self.waiting.is_empty() => return Ok(None),
                0 => return Err(self.wrong("the input ends within a message")),
                _ => {}
            }
        }
    }

    fn drop_front(&mut self, count: usize) -> Vec<u8> {
        self.before += count as u64;
        self.waiting.drain(..count).collect()
    }

    /// Where the first message that waits ends, if it is whole.
    fn end_of_fix(&self) -> io::Result<Option<usize>> {
        let begin = match self.has_topics {
            true => match self.waiting.iter().position(|it| matches!(it, b'\t' | b'\n')) {
                Some(tab) if self.waiting[tab] == b'\t' => tab + 1,
                None if self.waiting.len() < LONGEST => return Ok(None),
                _ => return Err(self.wrong("no tab between a topic and a message")),
            },
            false => 0,
        };
        let rest = &self.waiting[begin..];
        if let Some(delimiter) = fix::foreign_delimiter(rest) {
            return Err(self.wrong(&super::stands_for_soh(delimiter)));
        }
        let limits = Limits { message_bytes: LONGEST, ..Limits::default() };
        match Fix.frame(rest, &limits) {
            Ok(Frame::Message(range)) => {
                let checked = fix::check_sum(&rest[range.clone()]);
                checked.map_err(|error| self.wrong(&error.to_string()))?;
                Ok(Some(begin + range.end))
            }
            Ok(_) => Ok(None),
            Err(error) => Err(self.wrong(&error.to_string())),
        }
    }

    fn wrong(&self, what: &str) -> io::Error {
        let (number, place) = (self.messages + 1, self.before);
        io::Error::other(format!("message {number} from byte {place} on: {what}"))
    }
}

/// The bytes of a line of hexadecimal, with blanks or without.
pub(super) fn bytes_of_hexadecimal(line: &[u8]) -> Result<Vec<u8>, String> {
    let mut digits = Vec::with_capacity(line.len());
    for (place, byte) in line.iter().enumerate().filter(|it| !it.1.is_ascii_whitespace()) {
        let digit = char::from(*byte).to_digit(16);
        let digit =
            digit.ok_or_else(|| format!("no hexadecimal digit at character {}", place + 1))?;
        digits.push(digit as u8);
    }
    if !digits.len().is_multiple_of(2) {
        let digits = counted(digits.len() as u64, "digit");
        return Err(format!("{digits} of hexadecimal, which make no whole bytes"));
    }
    Ok(digits.chunks(2).map(|it| 16 * it[0] + it[1]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_the_same_however_they_come() {
        let one = b"8=FIX.4.3\x019=5\x0135=0\x0110=162\x01";
        let stream = [&one[..], b"\r\n", one, one, b"\n"].concat();
        for room in [1, 7, 1000] {
            let input = io::BufReader::with_capacity(room, &stream[..]);
            let mut reader = Reader::new(input, Form::Fix, false);
            let all: Vec<_> =
                std::iter::from_fn(|| reader.next().expect("messages of FIX")).collect();
            assert_eq!(all, [one, one, one], "{room}");
        }
    }

    #[test]
    fn hexadecimal_says_what_is_wrong() {
        assert_eq!(bytes_of_hexadecimal(b"00 aB ff\r"), Ok(vec![0, 0xab, 0xff]));
        let error = bytes_of_hexadecimal(b"00x1").expect_err("a letter");
        assert_eq!(error, "no hexadecimal digit at character 3");
        assert!(bytes_of_hexadecimal(b"123").is_err());
    }
}
