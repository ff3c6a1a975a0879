//! Transfer encodings of MIME (RFC 2045 section 6), undone as the bytes come.

use memchr::memchr;
use trunkline_message::Result;
use trunkline_wire::base64;

use super::syntax;

/// How the bytes of a part were made fit for old mail.
#[derive(Debug, Default)]
pub(super) enum Transfer {
    /// They stand as they are.
    #[default]
    Identity,
    /// In base64: characters of a group of four that is not whole yet, and whether padding came, which ends it.
    Base64(Vec<u8>, bool),
    /// Quoted-printable: an escape that goes on in the next bytes.
    Quoted(Vec<u8>),
}

impl Transfer {
    /// By its name.
    pub(super) fn named(name: &str, at: usize) -> Result<Self> {
        Ok(match name.trim().to_ascii_lowercase().as_str() {
            "binary" | "8bit" | "7bit" | "" => Self::Identity,
            "base64" => Self::Base64(Vec::new(), false),
            "quoted-printable" => Self::Quoted(Vec::new()),
            other => {
                return Err(syntax(format!("the transfer encoding {other:?} is not known"), at));
            }
        })
    }

    pub(super) fn is_identity(&self) -> bool {
        matches!(self, Self::Identity)
    }

    /// Decodes the next bytes of a part.
    pub(super) fn decode(&mut self, bytes: &[u8], out: &mut Vec<u8>, at: usize) -> Result<()> {
        match self {
            Self::Identity => out.extend_from_slice(bytes),
            Self::Base64(kept, is_padded) => {
                kept.extend(bytes.iter().filter(|it| !it.is_ascii_whitespace()));
                let whole = kept.len() / 4 * 4;
                if *is_padded && !kept.is_empty()
                    || base64::decode_into(&kept[..whole], usize::MAX, out).is_err()
                {
                    return Err(syntax("a part is not in base64, as it says it is", at));
                }
                *is_padded |= kept[..whole].ends_with(b"=");
                kept.drain(..whole);
            }
            Self::Quoted(kept) => {
                kept.extend_from_slice(bytes);
                let done = unquote(kept, out).ok_or_else(|| {
                    syntax("a part is not quoted-printable, as it says it is", at)
                })?;
                kept.drain(..done);
            }
        }
        Ok(())
    }

    /// The part ends here.
    pub(super) fn end(&self, at: usize) -> Result<()> {
        match self {
            Self::Base64(kept, _) | Self::Quoted(kept) if !kept.is_empty() => {
                Err(syntax("a part ends in the middle of its transfer encoding", at))
            }
            _ => Ok(()),
        }
    }
}

/// Undoes quotation up to an escape that is not whole; answers how far that is, or nothing if one is wrong.
fn unquote(text: &[u8], out: &mut Vec<u8>) -> Option<usize> {
    let mut at = 0;
    while let Some(plain) = memchr(b'=', &text[at..]) {
        out.extend_from_slice(&text[at..at + plain]);
        at += plain;
        at += match text[at..] {
            [_, b'\n', ..] => 2,
            [_, b'\r', b'\n', ..] => 3,
            [_] | [_, _] => return Some(at),
            [_, high, low, ..] => {
                out.push(nibble(high)? << 4 | nibble(low)?);
                3
            }
            [] => 0,
        };
    }
    out.extend_from_slice(&text[at..]);
    Some(text.len())
}

fn nibble(digit: u8) -> Option<u8> {
    (digit as char).to_digit(16).map(|it| it as u8)
}
