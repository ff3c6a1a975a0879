//! A package as it comes.

use std::collections::HashSet;
use std::fmt;
use std::io::{self, Read};

use trunkline_codec::attachment::{Event, Head, Limits, MediaType, Parser, Part, dime, multipart};
use trunkline_message::{Error, ErrorKind};
use trunkline_soap::{self as soap, Unpacked};

/// Bytes that are read at once.
const BLOCK: usize = 64 << 10;
/// Bytes that may stand around an envelope, which takes no more than twice its length as it is sent: what is kept until it is read has
/// an end too where it adds no octets to it, such as line ends in base64, and DIME's chunks without any.
const AROUND: usize = 256 << 10;

/// The state of a package that is read as it comes. A few blocks of it are in memory.
pub(in crate::soap) struct Unpacking {
    parser: Box<dyn Parser + Send>,
    /// What was read, with room behind it; how much that is, and how much of it is done with.
    input: Vec<u8>,
    filled: usize,
    done: usize,
    /// Does nothing follow what was read?
    is_last: bool,
    /// Is what is done with kept, since it may be wanted as a whole?
    keeps: bool,
    /// Bytes of the envelope at most.
    most: usize,
    /// Bytes that were read.
    bytes: usize,
    /// Where the octets of a part begin in the input that are being given, and how many have been.
    data: Option<(usize, usize)>,
    in_part: bool,
    is_over: bool,
    /// The ids of parts that came, and the URIs of all that have to.
    ids: HashSet<String>,
    expected: Vec<String>,
    /// What is wrong with the package.
    failure: Option<String>,
    /// The source has failed.
    is_broken: bool,
}

impl fmt::Debug for Unpacking {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} bytes", self.bytes)
    }
}

impl Unpacking {
    /// Reads a package up to the end of its first part, which has so many bytes at most.
    pub(in crate::soap) fn open(
        media_type: &str,
        most: usize,
        source: &mut dyn Read,
    ) -> io::Result<(Self, Part)> {
        let parser = parser(media_type).map_err(|error| io::Error::other(explained(&error)))?;
        let mut it = Self {
            parser,
            input: Vec::new(),
            filled: 0,
            done: 0,
            is_last: false,
            keeps: true,
            most,
            bytes: 0,
            data: None,
            in_part: false,
            is_over: false,
            ids: HashSet::new(),
            expected: Vec::new(),
            failure: None,
            is_broken: false,
        };
        if !it.next_part(source)? {
            return Err(it.fail(&Error::new(ErrorKind::Truncated { expected: "a part" }, 0)));
        }
        let head = it.head().clone();
        let mut data = Vec::new();
        while let Some(octets) = it.octets(source)? {
            if octets.len() > most - data.len() {
                return Err(it.too_long());
            }
            data.extend_from_slice(octets);
            it.data = None;
        }
        Ok((it, Part { head, data }))
    }

    /// The bytes so far, as they came.
    pub(in crate::soap) fn into_input(mut self) -> Vec<u8> {
        self.input.truncate(self.filled);
        self.input
    }

    /// The parts behind the first are read from here on: those to which this envelope refers, and others.
    pub(in crate::soap) fn go_on(&mut self, envelope: &Unpacked) {
        self.keeps = false;
        self.expected = envelope.expected().to_vec();
    }

    pub(super) fn head(&self) -> &Head {
        self.parser.head()
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(in crate::soap) fn is_over(&self) -> bool {
        self.is_over
    }

    /// What is wrong with the package, if something is.
    pub(in crate::soap) fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// Passes over the rest of a part, and begins the next one; answers whether there is one.
    pub(super) fn next_part(&mut self, source: &mut dyn Read) -> io::Result<bool> {
        while self.octets(source)?.is_some() {
            self.data = None;
        }
        if self.is_over {
            return Ok(false);
        }
        match self.event(source)? {
            Event::Part => {
                let id = &self.parser.head().id;
                self.ids.insert(soap::decoded_id(id));
                self.ids.insert(id.clone());
                self.in_part = true;
                Ok(true)
            }
            _ => self.finish(source).map(|()| false),
        }
    }

    /// Reads octets of a part; none are its end.
    pub(super) fn read(&mut self, source: &mut dyn Read, into: &mut [u8]) -> io::Result<usize> {
        let Some(octets) = self.octets(source)? else { return Ok(0) };
        let length = octets.len().min(into.len());
        into[..length].copy_from_slice(&octets[..length]);
        let is_whole = length == octets.len();
        self.data = self.data.filter(|_| !is_whole).map(|(at, given)| (at, given + length));
        Ok(length)
    }

    /// Octets of the part, which are not empty; none at its end.
    fn octets(&mut self, source: &mut dyn Read) -> io::Result<Option<&[u8]>> {
        while self.in_part && self.data.is_none() {
            if self.event(source)? == Event::PartEnd {
                self.in_part = false;
            }
        }
        Ok(self.data.map(|(at, given)| &self.parser.data(&self.input[at..])[given..]))
    }

    /// Reads to the end of what follows the package, which has to have all parts that are expected.
    fn finish(&mut self, source: &mut dyn Read) -> io::Result<()> {
        loop {
            let left = self.filled - self.done;
            // An epilogue of MIME is nobody's; what stands behind DIME's last record would be lost.
            if left > 0 && self.parser.is_exact() {
                return Err(self.fail(&Error::new(ErrorKind::Trailing { bytes: left }, 0)));
            }
            self.done = self.filled;
            if self.is_last {
                break;
            }
            self.fill(source)?;
        }
        let came = |uri: &String| {
            let id = uri.strip_prefix("cid:").unwrap_or(uri);
            [uri.as_str(), id].iter().any(|it| self.ids.contains(*it))
                || self.ids.contains(&soap::decoded_id(id))
        };
        if let Some(missing) = self.expected.iter().find(|it| !came(it)) {
            let what = format!("no part of the package is {missing:?}");
            return Err(self.fail(&Error::new(ErrorKind::Syntax(what.into()), 0)));
        }
        self.is_over = true;
        Ok(())
    }

    /// The next event, for which more is read if need be.
    fn event(&mut self, source: &mut dyn Read) -> io::Result<Event> {
        if self.failure.is_some() || self.is_broken {
            let failure = self.failure.clone();
            return Err(io::Error::other(failure.unwrap_or("it had failed before".to_owned())));
        }
        loop {
            let (at, input) = (self.done, &self.input[self.done..self.filled]);
            let (done, event) = match self.parser.next(input, self.is_last) {
                Ok(it) => it,
                Err(error) => return Err(self.fail(&error)),
            };
            self.done += done;
            match event {
                Event::More if self.is_last => {
                    let kind = ErrorKind::Truncated { expected: "the end of a package" };
                    return Err(self.fail(&Error::new(kind, self.bytes)));
                }
                Event::More => self.fill(source)?,
                event => {
                    self.data = (event == Event::Data).then_some((at, 0));
                    return Ok(event);
                }
            }
        }
    }

    /// Reads more.
    fn fill(&mut self, source: &mut dyn Read) -> io::Result<()> {
        if !self.keeps {
            self.input.copy_within(self.done..self.filled, 0);
            self.filled -= self.done;
            self.done = 0;
        } else if self.filled > self.most.saturating_mul(2).saturating_add(AROUND) {
            return Err(self.too_long());
        }
        let end = self.filled + BLOCK;
        if self.input.len() < end {
            self.input.resize(end, 0);
        }
        let read = loop {
            match source.read(&mut self.input[self.filled..end]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        let length = read.inspect_err(|_| self.is_broken = true)?;
        self.filled += length;
        self.bytes += length;
        self.is_last = length == 0;
        Ok(())
    }

    fn too_long(&mut self) -> io::Error {
        let kind = ErrorKind::Limit { name: "bytes of an envelope", limit: self.most };
        self.fail(&Error::new(kind, 0))
    }

    fn fail(&mut self, error: &Error) -> io::Error {
        let failure = self.failure.insert(explained(error));
        io::Error::other(failure.clone())
    }
}

/// As it is told of a package as a whole, too.
pub(in crate::soap) fn explained(error: &Error) -> String {
    format!("the package cannot be taken apart: {error}")
}

fn parser(media_type: &str) -> trunkline_message::Result<Box<dyn Parser + Send>> {
    let media_type = MediaType::parse(media_type)?;
    let limits = Limits::default();
    if media_type.essence == "application/dime" {
        return Ok(Box::new(dime::Parser::new(&limits)));
    }
    let Some(boundary) = media_type.parameter("boundary") else {
        let what = "a package of MIME has no boundary";
        return Err(Error::new(ErrorKind::Syntax(what.into()), 0));
    };
    Ok(Box::new(multipart::Parser::new(boundary, &limits)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use trunkline_codec::attachment::{Kind, Package};

    /// Gives its bytes in pieces of this length.
    struct Pieces<'b>(&'b [u8], usize);

    impl Read for Pieces<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let length = self.1.min(into.len()).min(self.0.len());
            let (piece, rest) = self.0.split_at(length);
            into[..length].copy_from_slice(piece);
            self.0 = rest;
            Ok(length)
        }
    }

    fn envelope() -> Vec<u8> {
        let include = "<i:Include xmlns:i='http://www.w3.org/2004/08/xop/include' href='cid:one'/>";
        let text = format!(
            "<s:Envelope xmlns:s='http://schemas.xmlsoap.org/soap/envelope/'><s:Body><a>{include}</a>\
             </s:Body></s:Envelope>"
        );
        text.into_bytes()
    }

    fn package() -> Package {
        let part = |id: &str, media_type: &str, data: &[u8]| {
            let kind = Kind::Media(media_type.to_owned());
            Part { head: Head { id: id.to_owned(), kind, ..Head::default() }, data: data.to_vec() }
        };
        let parts = vec![
            part("root", "application/xop+xml; type=\"text/xml\"", &envelope()),
            part("one", "image/png", b"\r\n--b\r--\n and more"),
            part("two", "", b""),
        ];
        Package { parts }
    }

    /// All parts, as they come in such pieces.
    fn read(media_type: &str, bytes: &[u8], length: usize) -> io::Result<Package> {
        let mut source = Pieces(bytes, length);
        let (mut unpacking, root) = Unpacking::open(media_type, 1 << 20, &mut source)?;
        assert_eq!(unpacking.input[..unpacking.filled], bytes[..unpacking.filled], "as it came");
        let limits = trunkline_message::Limits::default();
        let envelope = soap::unpack_envelope(media_type, &root, &limits);
        if let Ok(Some(envelope)) = envelope {
            unpacking.go_on(&envelope);
        }
        let mut parts = vec![root];
        while unpacking.next_part(&mut source)? {
            let mut part = Part { head: unpacking.head().clone(), data: Vec::new() };
            let mut room = [0; 5];
            while let read @ 1.. = unpacking.read(&mut source, &mut room)? {
                part.data.extend_from_slice(&room[..read]);
            }
            parts.push(part);
        }
        assert!(unpacking.is_over() && unpacking.failure().is_none());
        assert_eq!(unpacking.bytes(), bytes.len());
        Ok(Package { parts })
    }

    fn samples() -> [(&'static str, Vec<u8>); 2] {
        let mut writer = multipart::Writer::new("b").expect("a boundary");
        let mime = package().write_multipart(&mut writer).expect("a package");
        let dime = package().write_dime().expect("a package");
        [("multipart/related; boundary=b; start=\"<root>\"", mime), ("application/dime", dime)]
    }

    #[test]
    fn a_package_in_pieces_is_what_it_is_as_a_whole() {
        for (media_type, bytes) in samples() {
            for length in 1..bytes.len() {
                assert_eq!(read(media_type, &bytes, length).expect("a package"), package());
            }
        }
    }

    #[test]
    fn a_package_that_is_cut_anywhere_is_no_package() {
        for (media_type, bytes) in samples() {
            // The line end behind the last boundary may be missing.
            let least = bytes.len() - if media_type.starts_with("multipart") { 2 } else { 0 };
            for length in 0..least {
                let read = read(media_type, &bytes[..length], 7);
                let error = read.expect_err("it is cut").to_string();
                assert!(error.starts_with("the package cannot be taken apart: "), "{error}");
            }
        }
    }

    #[test]
    fn all_parts_have_to_come_to_which_the_envelope_refers() {
        let mut package = package();
        package.parts[1].head.id = "another".to_owned();
        let mut writer = multipart::Writer::new("b").expect("a boundary");
        let bytes = package.write_multipart(&mut writer).expect("a package");
        let error = read("multipart/related; boundary=b", &bytes, 9).expect_err("one is missing");
        assert!(error.to_string().contains("no part of the package is \"cid:one\""), "{error}");
    }
}
