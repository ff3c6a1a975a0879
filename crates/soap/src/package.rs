//! Envelopes that come in a package, with what is attached to them: MTOM (SOAP Message Transmission Optimization Mechanism,
//! 2005), SOAP with Attachments (W3C Note, 2000) and DIME.
//!
//! What an envelope refers to is put where it does, so that it is read like any other envelope: an
//! `xop:Include` becomes the base64 that it stands for, and so does the content of an element with `href="cid:..."`.

use std::borrow::Cow;
use std::collections::HashMap;

use trunkline_codec::attachment::{
    self, Kind, Limits as PackageLimits, MediaType, Package, dime, multipart,
};
use trunkline_codec::xml::{Event, Namespace, Options, Parser, Source};
use trunkline_message::{Error, ErrorKind, Limits, Result};
use trunkline_wire::base64;

const XOP: &str = "http://www.w3.org/2004/08/xop/include";
const DIME: &str = "application/dime";
const ENVELOPE_11: &str = "http://schemas.xmlsoap.org/soap/envelope/";
const ENVELOPE_12: &str = "http://www.w3.org/2003/05/soap-envelope";

/// An envelope that was taken out of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unpacked {
    /// The media type that it would have by itself.
    pub media_type: String,
    /// The envelope, in UTF-8.
    pub envelope: Vec<u8>,
}

/// Is a body of this media type a package?
pub fn is_package(media_type: &str) -> bool {
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    [DIME, "multipart/related"].iter().any(|it| essence.eq_ignore_ascii_case(it))
}

/// Takes the envelope out of a package, with all that is attached in its place.
///
/// # Errors
/// The package or its envelope is malformed; it refers to a part that is not there, or nothing in it refers to one that is; with
/// what is attached, the envelope is longer than a message may be.
pub fn unpack(media_type: &str, body: &[u8], limits: &Limits) -> Result<Unpacked> {
    let package_type = MediaType::parse(media_type)?;
    let most = limits.message_bytes;
    let (package, root) = if package_type.essence == DIME {
        let mut parser = dime::Parser::new(&PackageLimits::default());
        (Package::read(&mut parser, body, most)?, 0)
    } else {
        let boundary = package_type.parameter("boundary");
        let boundary = boundary.ok_or_else(|| wrong("a package of MIME has no boundary", 0))?;
        let mut parser = multipart::Parser::new(boundary, &PackageLimits::default())?;
        let package = Package::read(&mut parser, body, most)?;
        let root = root(&package, &package_type)?;
        (package, root)
    };
    let media_type = media_type_of(&package_type, &package.parts[root])?;
    let envelope = resolve(&package, root, limits)?;
    Ok(Unpacked { media_type, envelope })
}

fn wrong(what: impl Into<Cow<'static, str>>, at: usize) -> Error {
    Error::new(ErrorKind::Syntax(what.into()), at)
}

/// Which part is the envelope: the one that the package names, or the first (RFC 2387 section 3.2).
fn root(package: &Package, media_type: &MediaType) -> Result<usize> {
    let Some(start) = media_type.parameter("start") else { return Ok(0) };
    let id = start.strip_prefix('<').and_then(|it| it.strip_suffix('>')).unwrap_or(start);
    let found = package.parts.iter().position(|it| it.head.id == id);
    found.ok_or_else(|| wrong(format!("no part is the start of the package, {start:?}"), 0))
}

/// The media type that the envelope would have by itself, with its action.
fn media_type_of(package: &MediaType, root: &attachment::Part) -> Result<String> {
    let stated = match &root.head.kind {
        Kind::Media(stated) => stated.as_str(),
        Kind::Uri(uri) if uri == ENVELOPE_11 => "text/xml",
        Kind::Uri(uri) if uri == ENVELOPE_12 => "application/soap+xml",
        Kind::Uri(uri) => {
            return Err(wrong(format!("a message of type {uri:?} is no envelope"), 0));
        }
        Kind::Unstated => package.parameter("type").unwrap_or("text/xml"),
    };
    let own = MediaType::parse(stated)?;
    let is_xop = own.essence == "application/xop+xml";
    let within = package.parameter("start-info").filter(|_| is_xop);
    let within = own.parameter("type").filter(|_| is_xop).or(within).map(MediaType::parse);
    let start_info = package.parameter("start-info").and_then(|it| MediaType::parse(it).ok());
    let within = within.transpose()?;
    let essence = match (&within, is_xop) {
        (Some(within), _) => within.essence.clone(),
        (None, true) => "text/xml".to_owned(),
        (None, false) => own.essence.clone(),
    };
    let all = [Some(package), Some(&own), within.as_ref(), start_info.as_ref()];
    let parameter = |name: &str| all.iter().flatten().find_map(|it| it.parameter(name));
    let mut media_type = MediaType { essence, ..MediaType::default() };
    if let Some(action) = parameter("action") {
        media_type = media_type.with("action", action);
    }
    Ok(media_type.to_string())
}

/// The envelope with the parts that it refers to in their places.
fn resolve(package: &Package, root: usize, limits: &Limits) -> Result<Vec<u8>> {
    let mut source = Source::default();
    let data = &package.parts[root].data;
    let data = in_its_character_set(&package.parts[root].head.kind, data)?;
    let text = source.prepare(&data, limits)?;
    let mut parser = Parser::new(Options::soap(), limits);
    parser.begin(text)?;
    let mut out = Vec::with_capacity(text.len());
    // What declares another character set is in UTF-8 now.
    let mut copied = match text.strip_prefix("<?xml").and_then(|it| it.find("?>")) {
        Some(end) => "<?xml".len() + end + "?>".len(),
        None => 0,
    };
    let mut is_used = vec![false; package.parts.len()];
    is_used[root] = true;
    let parts = package.parts.iter().enumerate();
    let by_id: HashMap<&str, usize> = parts.map(|(at, it)| (it.head.id.as_str(), at)).collect();
    loop {
        let before = parser.position();
        let name = match parser.next(text)? {
            Event::Start { name, .. } => name,
            Event::Eof => break,
            _ => continue,
        };
        let is_include =
            name.local() == "Include" && parser.namespace_name(text, name.namespace) == XOP;
        let href = parser.attribute(text, Namespace::NONE, "href").map(|it| it.value());
        // DIME has any URI, as it stands.
        let as_it_stands = href.as_deref().filter(|it| !it.is_empty() && by_id.contains_key(it));
        let cid = href.as_deref().and_then(|it| it.strip_prefix("cid:")).map(decoded);
        let id = as_it_stands.map(str::to_owned).or(cid);
        let (Some(id), true) = (id, is_include || parser.is_empty_element()) else {
            if is_include {
                return Err(wrong("an Include refers to no part of the package", before));
            }
            continue;
        };
        let found = by_id.get(id.as_str()).copied().filter(|_| !id.is_empty());
        let found =
            found.ok_or_else(|| wrong(format!("no part of the package is {id:?}"), before))?;
        is_used[found] = true;
        let tag = name.qualified();
        let end = parser.position();
        parser.skip_element(text)?;
        out.extend_from_slice(&text.as_bytes()[copied..before]);
        if !is_include {
            // The element stays, without what referred to the part.
            out.extend_from_slice(without_href(&text[before..end]).as_bytes());
        }
        let data = &package.parts[found].data;
        if out.len() + data.len() / 3 * 4 > limits.message_bytes {
            let limit = limits.message_bytes;
            return Err(Error::new(ErrorKind::Limit { name: "message_bytes", limit }, before));
        }
        base64::encode_into(data, &mut out);
        if !is_include {
            [b"</", tag.as_bytes(), b">"].iter().for_each(|it| out.extend_from_slice(it));
        }
        copied = parser.position();
    }
    out.extend_from_slice(&text.as_bytes()[copied..]);
    match is_used.iter().position(|it| !it) {
        None => Ok(out),
        Some(unused) => Err(unreferred(&package.parts[unused])),
    }
}

/// A part that would be lost.
fn unreferred(part: &attachment::Part) -> Error {
    let id = &part.head.id;
    wrong(format!("nothing in the envelope refers to the part {id:?} that is attached"), 0)
}

/// What has no declaration and no byte order mark, in a character set that only its media type names.
fn in_its_character_set<'a>(kind: &Kind, data: &'a [u8]) -> Result<Cow<'a, [u8]>> {
    let Kind::Media(media_type) = kind else { return Ok(Cow::Borrowed(data)) };
    let media_type = MediaType::parse(media_type)?;
    let Some(name) = media_type.parameter("charset") else { return Ok(Cow::Borrowed(data)) };
    let is = |known: &str| name.eq_ignore_ascii_case(known);
    let known = ["utf-8", "utf8", "us-ascii", "utf-16", "utf-16le", "utf-16be", "iso-8859-1"];
    match known.iter().any(|it| is(it)) {
        false => Err(wrong(format!("the character set {name:?} of the envelope is not known"), 0)),
        true if is("iso-8859-1") && !data.starts_with(b"<?xml") => {
            let text: String = data.iter().map(|octet| char::from(*octet)).collect();
            Ok(Cow::Owned(text.into_bytes()))
        }
        // A declaration or a byte order mark tells these apart.
        true => Ok(Cow::Borrowed(data)),
    }
}

/// The start tag of an empty element as that of one with content, without its attribute `href`.
fn without_href(tag: &str) -> String {
    let tag = tag.trim_end_matches('>').trim_end_matches('/');
    let mut rest = tag;
    let mut kept = String::new();
    while let Some(quote) = rest.find(['"', '\'']) {
        let (before, value) = rest.split_at(quote);
        let mark = &value[..1];
        let end = value[1..].find(mark).map_or(value.len(), |it| it + 2);
        let name = before.trim_end().trim_end_matches('=').trim();
        if name.split_whitespace().next_back() == Some("href") {
            kept.push_str(&before[..before.rfind("href").unwrap_or(before.len())]);
        } else {
            kept.push_str(before);
            kept.push_str(&value[..end]);
        }
        rest = &value[end..];
    }
    kept.push_str(rest);
    kept.push('>');
    kept
}

/// A URI's characters without their escapes, as `Content-ID` has them (RFC 2392 section 2).
fn decoded(id: &str) -> String {
    let mut octets = Vec::with_capacity(id.len());
    let mut rest = id.as_bytes();
    while let [first, behind @ ..] = rest {
        let escaped = match (first, behind) {
            (b'%', [high, low, ..]) => std::str::from_utf8(&[*high, *low])
                .ok()
                .and_then(|it| u8::from_str_radix(it, 16).ok()),
            _ => None,
        };
        octets.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { &behind[2..] } else { behind };
    }
    String::from_utf8_lossy(&octets).into_owned()
}
