//! `trunkline convert --from FORMAT --to FORMAT --schema FILE [FILE...]`: messages in another format.

use std::fmt::Write as _;
use std::io::{self, Read, Write as _};

use trunkline_net::{Frame, Framer as _, LengthPrefixed};
use trunkline_transcode::{
    Bad, Content, Error, Format, Found, HeaderBlocks, Kind, Messages, Options, Place, Scanner,
};

use crate::Ending;
use crate::arguments::ConvertArguments;
use crate::client::counted;
use crate::decode::{capture, tell_unread};
use crate::description;
use crate::fault::Fault;
use crate::input::{self, limits, unreadable};
use crate::output::{plain, remark};

/// Bytes that are read at once, and that are written at once at most.
const PIECE: usize = 64 << 10;

pub(crate) fn run(arguments: &ConvertArguments) -> Result<Ending, Fault> {
    let description = description::read(&arguments.schema, &arguments.description)?;
    if arguments.check {
        description::remark_on(&description);
    }
    let options = Options {
        begin_string: arguments.begin_string.clone(),
        namespace: arguments.namespace.clone(),
        code_set: arguments.code_set,
        quoted: arguments.quoted,
        strict: true,
        header_blocks: match arguments.drop_headers {
            true => HeaderBlocks::LeaveOut,
            false => HeaderBlocks::Reject,
        },
        soap: None,
    };
    let mut conversion = Conversion {
        arguments,
        messages: Messages::new(description, options, limits()),
        out: Vec::new(),
        message: Vec::new(),
        is_read: true,
        wrong: 0,
    };
    for file in &arguments.files {
        let (start, input) = input::open(file)?;
        if capture::is_one(&start) {
            return Err(Fault::new(format!(
                "{file}: it is a capture of a network, which `trunkline decode` reads"
            )));
        }
        let (start, input) = match arguments.from.is_binary() {
            true => (start, input),
            false => input::text(start, input, file)?,
        };
        let is_lines = match arguments.from.is_binary() {
            true => !input::is_binary(&start),
            false => !input::is_wide(&start),
        };
        let whole = io::Cursor::new(start).chain(input);
        if is_lines {
            conversion.lines(file, whole)?;
        } else if arguments.framed && arguments.from.is_binary() {
            conversion.frames(file, whole)?;
        } else {
            let bytes = input::whole(Vec::new(), whole, file)?;
            let place = Place { line: 1, offset: 0 };
            conversion.convert(file, &Found::alone(place, bytes))?;
        }
        conversion.flush()?;
    }
    Ok(if conversion.wrong > 0 { Ending::Wrong } else { Ending::Right })
}

/// Why an envelope is not of the version of SOAP that it was said to be, if it is of the other one.
fn other_version(from: Format, bytes: &[u8]) -> Option<String> {
    if !matches!(from, Format::Soap11 | Format::Soap12) {
        return None;
    }
    let found = Format::of(bytes).filter(|it| *it != from)?;
    let is_envelope = matches!(found, Format::Soap11 | Format::Soap12);
    is_envelope.then(|| format!("it is an envelope of {found}, and not of {from}"))
}

struct Conversion<'a> {
    arguments: &'a ConvertArguments,
    messages: Messages,
    out: Vec<u8>,
    /// The message that is written, without its frame.
    message: Vec<u8>,
    /// Somebody reads what is written.
    is_read: bool,
    wrong: u64,
}

impl Conversion<'_> {
    /// Messages in a text.
    fn lines(&mut self, file: &str, mut input: impl Read) -> Result<(), Fault> {
        let from = self.arguments.from;
        let (kind, content) = match from {
            Format::Fix => (Some(Kind::Fix), Content::Log),
            Format::Json => (Some(Kind::Json), Content::Log),
            Format::Xml | Format::Soap11 | Format::Soap12 => (Some(Kind::Xml), Content::Documents),
            Format::FastInfoset => (Some(Kind::FastInfoset), Content::Dumps),
            Format::CdrLittle | Format::CdrBig => (None, Content::Dumps),
        };
        let mut scanner = Scanner::new(limits(), content);
        let mut piece = vec![0; PIECE];
        let (mut others, mut is_any) = (0, false);
        while self.is_read {
            let count = input.read(&mut piece).map_err(unreadable(file))?;
            match count {
                0 => scanner.end(),
                count => scanner.feed(&piece[..count]),
            }
            while let Some(found) = scanner.next_message() {
                is_any |= !matches!(&found, Ok(it) if kind.is_some() && it.kind != kind);
                match found {
                    Ok(found) if kind.is_none() || found.kind == kind => {
                        self.convert(file, &found)?;
                    }
                    Ok(_) => others += 1,
                    Err(Bad { place, error, .. }) => self.reject(file, place, &error.to_string()),
                }
            }
            self.flush()?;
            if count == 0 {
                break;
            }
        }
        tell_unread(file, &scanner);
        let others = others + scanner.passed_over();
        if others > 0 {
            let hint = match from {
                Format::Json if !is_any => ", which is one object on one line",
                _ => "",
            };
            let others = counted(others, "line");
            remark(&format!("{file}: {others} without a message of {from}{hint}"));
        }
        // A log has other lines too; a file that has nothing else is not what it was said to be.
        if others > 0 && !is_any {
            self.wrong += 1;
        }
        Ok(())
    }

    /// How messages are given, if one that is not read looks as if they were given otherwise.
    fn hint(&self, bytes: &[u8]) -> &'static str {
        let ConvertArguments { from, framed, .. } = self.arguments;
        match from {
            Format::Json if !bytes.ends_with(b"}") => {
                "; a message of json is one object on one line"
            }
            Format::CdrLittle | Format::CdrBig if !framed && is_framed(bytes) => {
                "; it looks like messages behind their lengths, which --framed reads"
            }
            _ => "",
        }
    }

    /// Messages behind their lengths.
    fn frames(&mut self, file: &str, mut input: impl Read) -> Result<(), Fault> {
        let (limits, mut framer) = (limits(), LengthPrefixed);
        let mut waiting = Vec::new();
        let mut piece = vec![0; PIECE];
        let mut offset = 0;
        while self.is_read {
            let count = input.read(&mut piece).map_err(unreadable(file))?;
            waiting.extend_from_slice(&piece[..count]);
            let mut used = 0;
            while used < waiting.len() {
                let place = Place { line: 1, offset: offset + used as u64 };
                match framer.frame(&waiting[used..], &limits) {
                    Ok(Frame::Message(range)) => {
                        let message = waiting[used + range.start..used + range.end].to_vec();
                        self.convert(file, &Found::alone(place, message))?;
                        used += range.end;
                    }
                    Ok(Frame::Skip(bytes)) => used += bytes,
                    Ok(Frame::Incomplete(_)) if count > 0 => break,
                    Ok(Frame::Incomplete(_)) => {
                        self.reject(file, place, "the input ends within a message");
                        used = waiting.len();
                    }
                    Err(error) => {
                        // Where the next one begins cannot be known.
                        self.reject(file, place, &error.to_string());
                        return self.flush();
                    }
                }
            }
            waiting.drain(..used);
            offset += used as u64;
            self.flush()?;
            if count == 0 {
                break;
            }
        }
        Ok(())
    }

    fn reject(&mut self, file: &str, place: Place, why: &str) {
        self.wrong += 1;
        let Place { line, offset } = place;
        remark(&format!("{file}:{line} (byte {offset}): {why}"));
    }

    /// Is a message that was read as its description says? If not, says why.
    fn is_valid(&mut self, file: &str, found: &Found) -> bool {
        let place = found.place;
        let invalid = match self.messages.validate(self.arguments.from, &found.bytes) {
            Ok(invalid) => invalid,
            Err(error) => {
                self.reject(file, place, &error.to_string());
                return false;
            }
        };
        for invalid in &invalid {
            let of_file = invalid.place.map(|it| found.line_and_column(it.0, it.1));
            let (line, column) = of_file.unwrap_or((place.line, None));
            let column = column.map_or(String::new(), |it| format!(":{it}"));
            remark(&format!("{file}:{line}{column}: {}", plain(&invalid.to_string())));
        }
        if !invalid.is_empty() {
            self.wrong += 1;
        }
        invalid.is_empty()
    }

    fn convert(&mut self, file: &str, found: &Found) -> Result<(), Fault> {
        let Found { place, bytes, .. } = found;
        let ConvertArguments { from, to, message: name, framed, .. } = self.arguments;
        self.message.clear();
        if let Some(why) = other_version(*from, bytes) {
            self.reject(file, *place, &why);
            return Ok(());
        }
        let converted =
            self.messages.convert((*from, bytes), name.as_deref(), *to, &mut self.message);
        if let Err(error) = converted {
            let hint = match error {
                Error::HeaderBlocks(..) => " (--drop-headers leaves them out)",
                _ => self.hint(bytes),
            };
            self.reject(file, *place, &format!("{error}{hint}"));
            return Ok(());
        }
        if self.arguments.check && !self.is_valid(file, found) {
            return Ok(());
        }
        match (to.is_binary(), framed) {
            (true, true) => {
                let prefix = LengthPrefixed::prefix(self.message.len())?;
                self.out.extend(prefix.into_iter().flatten());
                self.out.append(&mut self.message);
            }
            (true, false) => {
                let hex = self.message.iter().fold(String::new(), |mut out, byte| {
                    _ = write!(out, "{byte:02x}");
                    out
                });
                self.out.extend_from_slice(hex.as_bytes());
                self.out.push(b'\n');
            }
            (false, framed) => {
                self.out.append(&mut self.message);
                if !(*framed && *to == Format::Fix) {
                    self.out.push(b'\n');
                }
            }
        }
        if self.out.len() >= PIECE { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), Fault> {
        if self.out.is_empty() {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        let written = out.write_all(&self.out).and_then(|()| out.flush());
        self.out.clear();
        match written {
            Ok(()) => Ok(()),
            Err(cause) if cause.kind() == io::ErrorKind::BrokenPipe => {
                self.is_read = false;
                Ok(())
            }
            Err(cause) => Err(Fault::new(format!("standard output: {cause}"))),
        }
    }
}

/// Do lengths lead from the beginning to the end, as before messages that are framed?
fn is_framed(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    while let Some((length, behind)) = rest.split_first_chunk() {
        match behind.get(u32::from_le_bytes(*length) as usize..) {
            Some(next) => rest = next,
            None => return false,
        }
    }
    rest.is_empty() && !bytes.is_empty()
}
