//! Packages as a whole, which are in memory.

use trunkline_message::{Error, ErrorKind, Result};

use super::{Event, Head, Parser, dime, exceeded, multipart};

/// A part, and all of its bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// What it says of itself.
    pub head: Head,
    /// Its bytes.
    pub data: Vec<u8>,
}

/// All parts, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Package {
    /// The parts, of which the first is the message, unless the package says otherwise.
    pub parts: Vec<Part>,
}

impl Package {
    /// Reads a package, whose parts have so many bytes at most together.
    ///
    /// # Errors
    /// Those of the parser; more bytes; in DIME, bytes behind the last record.
    pub fn read(parser: &mut impl Parser, bytes: &[u8], most: usize) -> Result<Self> {
        let mut package = Self::default();
        let (mut at, mut room) = (0, most);
        loop {
            let rest = &bytes[at..];
            let (done, event) = parser.next(rest, true)?;
            at += done;
            match (event, package.parts.last_mut()) {
                (Event::Part, _) => {
                    package.parts.push(Part { head: parser.head().clone(), data: Vec::new() });
                }
                (Event::Data, Some(part)) => {
                    let data = parser.data(rest);
                    room = room
                        .checked_sub(data.len())
                        .ok_or_else(|| exceeded("bytes of a package", most, at))?;
                    part.data.extend_from_slice(data);
                }
                // An epilogue of MIME is nobody's; what stands behind DIME's last record would be lost.
                (Event::End, _) => match bytes.len() - at {
                    left @ 1.. if parser.is_exact() => {
                        let kind = ErrorKind::Trailing { bytes: left };
                        return Err(Error::new(kind, at));
                    }
                    _ => return Ok(package),
                },
                _ => {}
            }
        }
    }

    /// The part of an id.
    pub fn part(&self, id: &str) -> Option<&Part> {
        self.parts.iter().find(|it| !id.is_empty() && it.head.id == id)
    }

    /// As MIME.
    ///
    /// # Errors
    /// Those of the writer, and if there are no parts.
    pub fn write_multipart(&self, writer: &mut multipart::Writer) -> Result<Vec<u8>> {
        if self.parts.is_empty() {
            return Err(super::unwritable("a package without parts"));
        }
        let mut out = Vec::new();
        for part in &self.parts {
            writer.begin_part(&part.head, &mut out)?;
            out.extend_from_slice(&part.data);
        }
        writer.end(&mut out);
        Ok(out)
    }

    /// As DIME, each part as one record, or as several if it is longer than one can be.
    ///
    /// # Errors
    /// Those of the writer, and if there are no parts.
    pub fn write_dime(&self) -> Result<Vec<u8>> {
        let (mut writer, mut out) = (dime::Writer::default(), Vec::new());
        let Some((last, others)) = self.parts.split_last() else {
            return Err(super::unwritable("a package without parts"));
        };
        for (part, is_last) in others.iter().map(|it| (it, false)).chain([(last, true)]) {
            writer.write_part(&part.head, &part.data, is_last, &mut out)?;
        }
        Ok(out)
    }
}
