//! The request that opens a WebSocket (RFC 6455, section 4), and its answer.

use std::fmt;

use trunkline_native::{NAME_BYTES, code};
use trunkline_router::Overflow;
use tungstenite::handshake::derive_accept_key;

use super::Origins;
use super::login::Login;
use crate::router::RequestedLimits;

/// Bytes of a request's first line and headers.
pub(super) const HEAD_BYTES: usize = 16 << 10;
/// Headers of a request.
const HEADERS: usize = 64;
/// The subprotocol that is spoken, for those that ask for one by name.
const PROTOCOL: &str = "trunkline.1";

/// What a client asks for in the query of the target, as in `/?name=chart&messages_per_second=50`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Requested {
    /// Its name, for metrics, logs and the router's rules.
    pub name: String,
    /// Its requested queue.
    pub limits: RequestedLimits,
    /// It reports how many conflated messages it has taken.
    pub uses_credit: bool,
    /// Conflated messages say when they were published.
    pub times: bool,
    /// It wants to know when the router is drained.
    pub notices: bool,
    /// Its first text shows who it is.
    pub has_login: bool,
}

/// A request that is in order.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Opening {
    /// Bytes of the request.
    pub(super) length: usize,
    pub(super) requested: Requested,
    /// What shows who it is, if the request does.
    pub(super) login: Option<Login>,
    /// The whole answer.
    pub(super) answer: String,
}

/// A request that is answered with an error.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Rejection {
    status: &'static str,
    reason: String,
}

impl fmt::Display for Rejection {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.status, self.reason)
    }
}

impl Rejection {
    fn new(status: &'static str, reason: impl Into<String>) -> Self {
        Self { status, reason: reason.into() }
    }

    fn bad(reason: impl Into<String>) -> Self {
        Self::new("400 Bad Request", reason)
    }

    /// The whole answer, after which the connection is closed.
    pub(super) fn answer(&self) -> String {
        let Self { status, reason } = self;
        let version = match status.split(' ').next() {
            Some("426") => "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n",
            Some("401") => "WWW-Authenticate: Basic realm=\"trunkline\", Bearer\r\n",
            _ => "",
        };
        format!(
            "HTTP/1.1 {status}\r\nConnection: close\r\n{version}Content-Type: text/plain; \
             charset=utf-8\r\nContent-Length: {}\r\n\r\n{reason}\n",
            reason.len() + 1
        )
    }
}

/// The answer to a request that cannot be served now, or did not come in time, or of a client that did not show who it
/// is; `why` is a code of [`trunkline_native::code`].
pub fn unavailable(why: u16, reason: &str) -> String {
    let status = match why {
        code::SILENT => "408 Request Timeout",
        code::UNAUTHENTICATED => "401 Unauthorized",
        _ => "503 Service Unavailable",
    };
    Rejection::new(status, reason).answer()
}

/// Reads a request; None where more bytes are needed.
pub(super) fn open(
    bytes: &[u8],
    origins: &Origins,
    over_loopback: bool,
) -> Result<Option<Opening>, Rejection> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    let length = match request.parse(bytes) {
        Ok(httparse::Status::Complete(length)) if length <= HEAD_BYTES => length,
        Ok(httparse::Status::Partial) if bytes.len() < HEAD_BYTES => return Ok(None),
        Ok(_) => return Err(too_long(&format!("{HEAD_BYTES} bytes"))),
        Err(httparse::Error::TooManyHeaders) => {
            return Err(too_long(&format!("{HEADERS} headers")));
        }
        Err(error) => return Err(Rejection::bad(format!("not a request of HTTP/1.1: {error}"))),
    };
    let head = Head { headers: request.headers };
    check(&request.method, request.version, &head)?;
    let key = key(&head)?;
    let host = head.one("Host")?.ok_or_else(|| Rejection::bad("the request has no Host"))?;
    let origin = head.one("Origin")?;
    if !origins.allow(origin, host, over_loopback) {
        let origin = origin.unwrap_or_default();
        return Err(Rejection::new(
            "403 Forbidden",
            format!(
                "pages of {origin:?} may not connect; the router's configuration lists origins that may"
            ),
        ));
    }
    let query = request.path.and_then(|path| path.split_once('?')).map_or("", |(_, query)| query);
    let requested = requested(query)?;
    let login = head.one("Authorization")?.map(Login::from_header).transpose();
    let login = login.map_err(Rejection::bad)?;
    let answer = accepted(key, head.has_word("Sec-WebSocket-Protocol", PROTOCOL));
    Ok(Some(Opening { length, requested, login, answer }))
}

fn too_long(limit: &str) -> Rejection {
    let reason = format!("a request has at most {limit} before its end");
    Rejection::new("431 Request Header Fields Too Large", reason)
}

fn accepted(key: &str, names_protocol: bool) -> String {
    let accept = derive_accept_key(key.as_bytes());
    let protocol = match names_protocol {
        true => format!("Sec-WebSocket-Protocol: {PROTOCOL}\r\n"),
        false => String::new(),
    };
    format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Accept: {accept}\r\n{protocol}\r\n"
    )
}

/// The headers of a request.
struct Head<'a> {
    headers: &'a [httparse::Header<'a>],
}

impl<'a> Head<'a> {
    fn all(&self, name: &str) -> impl Iterator<Item = &'a [u8]> {
        let same = self.headers.iter().filter(move |it| it.name.eq_ignore_ascii_case(name));
        same.map(|it| it.value)
    }

    /// The value of a header that may stand once.
    fn one(&self, name: &str) -> Result<Option<&'a str>, Rejection> {
        let mut all = self.all(name);
        let Some(value) = all.next() else { return Ok(None) };
        if all.next().is_some() {
            return Err(Rejection::bad(format!("the request has more than one {name}")));
        }
        let value = std::str::from_utf8(value);
        value.map(Some).map_err(|_| Rejection::bad(format!("{name} is not text")))
    }

    /// Whether a list of words, over one or more headers, has this one.
    fn has_word(&self, name: &str, word: &str) -> bool {
        let word = word.as_bytes();
        let mut all = self.all(name).flat_map(|value| value.split(|byte| *byte == b','));
        all.any(|it| it.trim_ascii().eq_ignore_ascii_case(word))
    }
}

fn check(method: &Option<&str>, version: Option<u8>, head: &Head<'_>) -> Result<(), Rejection> {
    if !head.has_word("Upgrade", "websocket") || !head.has_word("Connection", "Upgrade") {
        let reason = "this port speaks WebSocket: open it with new WebSocket(\"ws://...\")";
        return Err(Rejection::new("426 Upgrade Required", reason));
    }
    if *method != Some("GET") {
        return Err(Rejection::bad("a WebSocket is opened by GET"));
    }
    if version != Some(1) {
        return Err(Rejection::bad("a WebSocket is opened by HTTP/1.1"));
    }
    match head.one("Sec-WebSocket-Version")? {
        Some("13") => Ok(()),
        version => {
            let version = version.unwrap_or("none");
            let reason = format!("version 13 of WebSocket is spoken, not {version:?}");
            Err(Rejection::new("426 Upgrade Required", reason))
        }
    }
}

/// 16 bytes in base64.
fn key<'a>(head: &Head<'a>) -> Result<&'a str, Rejection> {
    let key = head.one("Sec-WebSocket-Key")?.unwrap_or_default();
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/';
    match key.strip_suffix("==") {
        Some(digits) if digits.len() == 22 && digits.bytes().all(is_digit) => Ok(key),
        _ => Err(Rejection::bad("Sec-WebSocket-Key is not 16 bytes in base64")),
    }
}

fn requested(query: &str) -> Result<Requested, Rejection> {
    let mut requested = Requested::default();
    let limits = &mut requested.limits;
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        let value = decoded(value)
            .ok_or_else(|| Rejection::bad(format!("the value of {key} is no text with %XX")))?;
        match key {
            "name" => requested.name = name(value)?,
            "overflow" => limits.overflow = Some(overflow(&value)?),
            "queue_messages" => limits.queue_messages = count::<u32>(key, &value)? as usize,
            "queue_bytes" => limits.queue_bytes = count(key, &value)?,
            "messages_per_second" => limits.messages_per_second = count(key, &value)?,
            "bytes_per_second" => limits.bytes_per_second = count(key, &value)?,
            "credit" => requested.uses_credit = yes_or_no(key, &value)?,
            "times" => requested.times = yes_or_no(key, &value)?,
            "notices" => requested.notices = yes_or_no(key, &value)?,
            "login" => requested.has_login = yes_or_no(key, &value)?,
            _ => {
                let known = "name, queue_messages, queue_bytes, overflow, messages_per_second, \
                             bytes_per_second, credit, times, notices, login";
                return Err(Rejection::bad(format!("{key:?} is not known; there are {known}")));
            }
        }
    }
    Ok(requested)
}

fn name(value: String) -> Result<String, Rejection> {
    match value.len() <= NAME_BYTES && !value.contains(char::is_control) {
        true => Ok(value),
        false => Err(Rejection::bad(format!(
            "name has at most {NAME_BYTES} bytes and no control characters"
        ))),
    }
}

fn yes_or_no(key: &str, value: &str) -> Result<bool, Rejection> {
    match value {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(Rejection::bad(format!("{key} is true or false, not {value:?}"))),
    }
}

fn overflow(value: &str) -> Result<Overflow, Rejection> {
    match value {
        "drop-oldest" => Ok(Overflow::DropOldest),
        "drop-newest" => Ok(Overflow::DropNewest),
        "disconnect" => Ok(Overflow::Disconnect),
        _ => Err(Rejection::bad(format!(
            "overflow is drop-oldest, drop-newest or disconnect, not {value:?}"
        ))),
    }
}

fn count<N: std::str::FromStr + PartialEq + Default>(
    key: &str,
    value: &str,
) -> Result<N, Rejection> {
    let count = value.parse().ok().filter(|count| *count != N::default());
    count.ok_or_else(|| Rejection::bad(format!("{key} is a whole number from 1 on, not {value:?}")))
}

/// A value of a query; None where it is not UTF-8 or an escape is broken.
fn decoded(value: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let (digits, after) = rest.split_at_checked(2)?;
                rest = after;
                let digit = |byte: u8| char::from(byte).to_digit(16);
                (digit(digits[0])? << 4 | digit(digits[1])?) as u8
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "dGhlIHNhbXBsZSBub25jZQ==";

    fn request(target: &str, more: &str) -> String {
        format!(
            "GET {target} HTTP/1.1\r\nHost: localhost:7402\r\nUpgrade: websocket\r\nConnection: \
             keep-alive, Upgrade\r\nSec-WebSocket-Key: {KEY}\r\nSec-WebSocket-Version: \
             13\r\n{more}\r\n"
        )
    }

    fn opened(request: &str) -> Result<Option<Opening>, Rejection> {
        open(request.as_bytes(), &Origins::default(), true)
    }

    #[track_caller]
    fn rejected(request: &str, status: &str, reason: &str) {
        let answer = opened(request).expect_err("a rejection").answer();
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{answer}");
        assert!(answer.contains(reason), "{answer}");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a body");
        assert!(head.contains(&format!("Content-Length: {}", body.len())), "{answer}");
    }

    #[test]
    fn the_example_of_the_rfc_is_answered_as_there() {
        let text = request("/chat?name=a%20chart+%C3%A9&queue_messages=7", "");
        for end in 0..text.len() {
            assert_eq!(opened(&text[..end]), Ok(None), "{end} bytes");
        }
        let opening = opened(&format!("{text}more")).expect("no rejection").expect("a request");
        assert_eq!(opening.length, text.len());
        assert!(opening.answer.contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"));
        assert!(!opening.answer.contains("Protocol:"));
        let limits = RequestedLimits { queue_messages: 7, ..RequestedLimits::default() };
        let requested = Requested { name: "a chart é".into(), limits, ..Requested::default() };
        assert_eq!(opening.requested, requested);
    }

    #[test]
    fn the_protocol_is_named_to_those_that_offer_it() {
        let offer = "Sec-WebSocket-Protocol: other, trunkline.1\r\n";
        let opening = opened(&request("/", offer)).expect("no rejection").expect("a request");
        assert!(opening.answer.contains("Sec-WebSocket-Protocol: trunkline.1\r\n"));
    }

    #[test]
    fn what_is_wrong_is_said() {
        rejected("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "426", "this port speaks WebSocket");
        rejected("\x16\x03\x01\x02\r\n\r\n", "400", "not a request of HTTP/1.1");
        rejected(&request("/", "").replace(": 13", ": 8"), "426", "not \"8\"");
        rejected(&request("/", "").replace(KEY, "c2hvcnQ="), "400", "Sec-WebSocket-Key");
        rejected(&request("/", "").replace("GET", "POST"), "400", "by GET");
        rejected(&request("/", "").replace("HTTP/1.1", "HTTP/1.0"), "400", "by HTTP/1.1");
        rejected(&request("/", "Host: b\r\n"), "400", "more than one Host");
        rejected(&request("/", "Origin: https://evil.example.org\r\n"), "403", "evil.example.org");
        rejected(&request("/?nmae=x", ""), "400", "\"nmae\" is not known");
        rejected(&request("/?queue_bytes=0", ""), "400", "queue_bytes is a whole number");
        rejected(&request("/?overflow=block", ""), "400", "overflow is drop-oldest");
        rejected(&request(&format!("/?name={}", "n".repeat(201)), ""), "400", "name has at most");
        rejected(&request("/?name=a%0Ab", ""), "400", "no control characters");
        rejected(&request("/?name=%f", ""), "400", "the value of name");
        rejected(&request("/", &"a: b\r\n".repeat(99)), "431", "64 headers");
        rejected(&request("/", &format!("a: {}\r\n", "b".repeat(20_000))), "431", "16384 bytes");
        let endless = format!("GET /{}", "a".repeat(HEAD_BYTES));
        rejected(&endless, "431", "16384 bytes");
    }
}
