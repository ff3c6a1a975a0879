//! Content codings of HTTP (RFC 9110, section 8.4.1), whole bodies at a time and within limits: `gzip`, `deflate`, `zstd`,
//! and one of our own for XML, which keeps names and structure apart from values.
//!
//! No I/O. What is decompressed may come from anybody: it takes no more memory than it is allowed to become, twice, with zstd
//! the window of a frame besides, which has 8 MiB or what the body may become, and is rejected with a reason.

#![forbid(unsafe_code)]

mod xml;
mod zstd;

use std::fmt;
use std::io::{self, Read, Write as _};

use flate2::Compression as Level;
use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use flate2::write::{GzEncoder, ZlibEncoder};

/// A content coding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compression {
    /// `gzip` (RFC 1952).
    Gzip,
    /// `deflate`: zlib (RFC 1950) as the specification says. Bare deflate, which some send, is read too.
    Deflate,
    /// `zstd` (RFC 8878), with windows of at most 8 MiB (RFC 9659).
    Zstd,
    /// `x-trunkline-xml`, which nobody but Trunkline knows: the values of each element of XML together, apart from names and
    /// structure, as XMill had them, and then zstd. Any bytes are taken, and come back as they were.
    Xml,
}

/// Why a body cannot be decompressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// It is longer than it may be.
    TooLong,
    /// It is too many times longer than it was.
    TooDense,
    /// It is not what it says it is; with what is wrong.
    Broken(String),
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => out.write_str("it becomes longer than it may be"),
            Self::TooDense => out.write_str("it becomes too many times longer"),
            Self::Broken(cause) => out.write_str(cause),
        }
    }
}

impl std::error::Error for Error {}

/// What is never too dense, however short it was, in bytes.
const ALWAYS_ALLOWED: usize = 1 << 20;

impl Compression {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Gzip, Self::Deflate, Self::Zstd, Self::Xml];

    /// Those that programs of others have.
    pub const STANDARD: [Self; 3] = [Self::Gzip, Self::Deflate, Self::Zstd];

    /// As in `Content-Encoding`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Deflate => "deflate",
            Self::Zstd => "zstd",
            Self::Xml => "x-trunkline-xml",
        }
    }

    /// The one of that name, in capitals or not; `x-gzip` is gzip.
    pub fn of_name(name: &str) -> Option<Self> {
        let is_it = |it: &Self| it.name().eq_ignore_ascii_case(name);
        let old = || name.eq_ignore_ascii_case("x-gzip").then_some(Self::Gzip);
        Self::ALL.into_iter().find(is_it).or_else(old)
    }

    /// Compresses a body, for speed and not for size.
    pub fn compress(self, body: &[u8]) -> Vec<u8> {
        let room = Vec::with_capacity(body.len() / 4 + 64);
        let written = match self {
            Self::Gzip => {
                let mut encoder = GzEncoder::new(room, Level::fast());
                encoder.write_all(body).and_then(|()| encoder.finish())
            }
            Self::Deflate => {
                let mut encoder = ZlibEncoder::new(room, Level::fast());
                encoder.write_all(body).and_then(|()| encoder.finish())
            }
            Self::Zstd => Ok(zstd::compress(body, room)),
            Self::Xml => Ok(xml::compress(body, room)),
        };
        // Nothing can go wrong when writing to a Vec.
        written.unwrap_or_default()
    }

    /// Decompresses a body, which becomes at most `bytes` bytes long, and at most `ratio` times as long as it was; 1 MiB is
    /// never too dense.
    ///
    /// # Errors
    /// [`Error`].
    pub fn decompress(self, body: &[u8], bytes: usize, ratio: usize) -> Result<Vec<u8>, Error> {
        let dense = body.len().saturating_mul(ratio).max(ALWAYS_ALLOWED);
        let most = bytes.min(dense);
        let room = Vec::with_capacity(body.len().saturating_mul(4).min(most));
        let decompressed = match self {
            Self::Gzip => read_at_most(MultiGzDecoder::new(body), most, room),
            Self::Deflate if is_zlib(body) => read_at_most(ZlibDecoder::new(body), most, room),
            Self::Deflate => read_at_most(DeflateDecoder::new(body), most, room),
            Self::Zstd => zstd::decompress(body, most, room),
            Self::Xml => xml::decompress(body, most, room),
        };
        decompressed.map_err(|error| match error {
            Error::TooLong if dense < bytes => Error::TooDense,
            error => error,
        })
    }
}

/// Reads one byte more than allowed, to distinguish too much from just enough.
fn read_at_most(from: impl Read, most: usize, mut room: Vec<u8>) -> Result<Vec<u8>, Error> {
    let read = from.take(most as u64 + 1).read_to_end(&mut room);
    read.map_err(|cause: io::Error| Error::Broken(cause.to_string()))?;
    if room.len() > most { Err(Error::TooLong) } else { Ok(room) }
}

/// The first two bytes are a header of zlib (RFC 1950, section 2.2).
fn is_zlib(body: &[u8]) -> bool {
    let Some([first, second, ..]) = body.get(..2) else { return false };
    first & 15 == 8 && (u16::from(*first) << 8 | u16::from(*second)).is_multiple_of(31)
}
