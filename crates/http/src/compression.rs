//! Compression of bodies: `gzip` (RFC 1952) and `deflate`, which is zlib (RFC 1950).

use std::io::{self, Read, Write as _};

use flate2::Compression as Level;
use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use flate2::write::{GzEncoder, ZlibEncoder};
use http::{HeaderMap, HeaderValue, header};

/// A content coding of HTTP (RFC 9110, section 8.4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// `gzip`.
    Gzip,
    /// `deflate`: zlib as the specification says. Bare deflate, which some send, is read too.
    Deflate,
}

/// Why a body cannot be decompressed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Inflating {
    /// It is longer than it may be.
    TooLong,
    /// It is too many times longer than it was.
    TooDense,
    /// It is not what it says it is.
    Broken(String),
}

/// What is never too dense, however short it was.
const ALWAYS_ALLOWED: usize = 1 << 20;

impl Compression {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Gzip, Self::Deflate];

    /// As in `Content-Encoding`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Deflate => "deflate",
        }
    }

    /// The compression in a `Content-Encoding`.
    ///
    /// # Errors
    /// The coding, if it is unknown; more than one coding is unknown, too.
    pub(super) fn of_body(headers: &HeaderMap) -> Result<Option<Self>, String> {
        let mut found = None;
        for value in headers.get_all(header::CONTENT_ENCODING) {
            let value = value.to_str().unwrap_or("?");
            for name in value.split(',').map(str::trim) {
                let coding = match name.to_ascii_lowercase().as_str() {
                    "" | "identity" => continue,
                    "gzip" | "x-gzip" => Self::Gzip,
                    "deflate" => Self::Deflate,
                    _ => return Err(name.to_owned()),
                };
                if found.replace(coding).is_some() {
                    return Err(value.to_owned());
                }
            }
        }
        Ok(found)
    }

    /// The coding that a client prefers (RFC 9110, section 12.5.3); gzip if it prefers neither.
    pub(super) fn accepted(headers: &HeaderMap) -> Option<Self> {
        let mut weights = [None; 2];
        let mut any = None;
        for value in headers.get_all(header::ACCEPT_ENCODING) {
            for item in value.to_str().unwrap_or("").split(',') {
                let (name, weight) = weighted(item);
                match name.to_ascii_lowercase().as_str() {
                    "gzip" | "x-gzip" => weights[0] = Some(weight),
                    "deflate" => weights[1] = Some(weight),
                    "*" => any = Some(weight),
                    _ => {}
                }
            }
        }
        let [gzip, deflate] = weights.map(|weight| weight.or(any).unwrap_or(0));
        match (gzip, deflate) {
            (0, 0) => None,
            _ if gzip >= deflate => Some(Self::Gzip),
            _ => Some(Self::Deflate),
        }
    }

    /// The value of `Content-Encoding`.
    pub(super) fn header(self) -> HeaderValue {
        HeaderValue::from_static(self.name())
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
        };
        // Nothing can go wrong when writing to a Vec.
        written.unwrap_or_default()
    }

    /// Decompresses a body of at most `bytes` bytes, and at most `ratio` times its length.
    pub(super) fn inflate(
        self,
        body: &[u8],
        bytes: usize,
        ratio: usize,
    ) -> Result<Vec<u8>, Inflating> {
        let dense = body.len().saturating_mul(ratio).max(ALWAYS_ALLOWED);
        let most = bytes.min(dense);
        let room = Vec::with_capacity(body.len().saturating_mul(4).min(most));
        let inflated = match self {
            Self::Gzip => read_at_most(MultiGzDecoder::new(body), most, room),
            Self::Deflate if is_zlib(body) => read_at_most(ZlibDecoder::new(body), most, room),
            Self::Deflate => read_at_most(DeflateDecoder::new(body), most, room),
        };
        let inflated = inflated.map_err(|cause| Inflating::Broken(cause.to_string()))?;
        match inflated.len() > most {
            true if bytes <= dense => Err(Inflating::TooLong),
            true => Err(Inflating::TooDense),
            false => Ok(inflated),
        }
    }
}

/// Reads one byte more than allowed, to distinguish too much from just enough.
fn read_at_most(from: impl Read, most: usize, mut room: Vec<u8>) -> io::Result<Vec<u8>> {
    from.take(most as u64 + 1).read_to_end(&mut room)?;
    Ok(room)
}

/// The first two bytes are a header of zlib (RFC 1950, section 2.2).
fn is_zlib(body: &[u8]) -> bool {
    let Some([first, second, ..]) = body.get(..2) else { return false };
    first & 15 == 8 && (u16::from(*first) << 8 | u16::from(*second)).is_multiple_of(31)
}

/// `gzip;q=0.5` as its name and its weight in thousandths.
fn weighted(item: &str) -> (&str, u32) {
    let mut parts = item.split(';').map(str::trim);
    let name = parts.next().unwrap_or_default();
    let weight = parts.find_map(|part| part.strip_prefix("q=").or(part.strip_prefix("Q=")));
    let thousandths = match weight.map(|weight| weight.trim().parse::<f32>()) {
        None => 1000,
        Some(Ok(weight)) if (0.0..=1.0).contains(&weight) => (weight * 1000.0).round() as u32,
        Some(_) => 0,
    };
    (name, thousandths)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepted(value: &'static str) -> Option<Compression> {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(value));
        Compression::accepted(&headers)
    }

    #[test]
    fn the_client_chooses_by_weight() {
        assert_eq!(accepted("gzip, deflate, br"), Some(Compression::Gzip));
        assert_eq!(accepted("gzip;q=0.2, deflate;q=0.8"), Some(Compression::Deflate));
        assert_eq!(accepted("gzip;q=0, *"), Some(Compression::Deflate));
        assert_eq!(accepted("br, identity"), None);
        assert_eq!(accepted("gzip;q=0.000"), None);
        assert_eq!(accepted("*;q=0"), None);
        assert_eq!(accepted("gzip;q=often"), None);
    }

    #[test]
    fn bodies_come_back() {
        let body = b"<a>one</a><a>two</a>".repeat(50);
        for compression in Compression::ALL {
            let short = compression.compress(&body);
            assert!(short.len() < body.len() / 4, "{}", compression.name());
            assert_eq!(compression.inflate(&short, 1 << 20, 200), Ok(body.clone()));
            assert_eq!(compression.inflate(&short, body.len() - 1, 200), Err(Inflating::TooLong));
            let cut = compression.inflate(&short[..short.len() - 6], 1 << 20, 200);
            assert!(matches!(cut, Err(Inflating::Broken(_))), "{cut:?}");
        }
    }

    #[test]
    fn bare_deflate_is_read() {
        let body = b"no header of zlib".repeat(9);
        let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), Level::fast());
        encoder.write_all(&body).expect("a Vec takes everything");
        let short = encoder.finish().expect("a Vec takes everything");
        assert_eq!(Compression::Deflate.inflate(&short, 1 << 20, 200), Ok(body));
    }

    #[test]
    fn what_is_too_dense_is_rejected() {
        let bomb = Compression::Gzip.compress(&vec![0; 8 << 20]);
        assert_eq!(Compression::Gzip.inflate(&bomb, 64 << 20, 20), Err(Inflating::TooDense));
    }
}
