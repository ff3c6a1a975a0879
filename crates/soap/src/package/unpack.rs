//! Taking an envelope out of its package.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use trunkline_codec::attachment::{
    Kind, Limits as PackageLimits, MediaType, PARTS, Package, Part, dime, multipart,
};
use trunkline_codec::xml::Source;
use trunkline_message::{Error, ErrorKind, Limits, Result};

use super::references::{MARK, Referring};
use super::{Attachments, DIME, XOP_XML};
use crate::envelope::{SOAP11, SOAP12};

/// An envelope that was taken out of a package, and what was attached to it.
#[derive(Clone, Debug)]
pub struct Unpacked {
    media_type: String,
    attachments: Attachments,
    referring: Referring,
    marked: Vec<u8>,
    attached: Arc<Attached>,
    /// The URIs of parts that have to come.
    expected: Vec<String>,
}

/// Octets, and where in an envelope a decoder finds them wanted.
#[derive(Debug)]
pub(crate) struct Attached {
    /// In the order of the envelope.
    places: Vec<Place>,
    parts: Vec<Part>,
}

/// A mark in an envelope, and the part that belongs there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) at: usize,
    pub(super) part: usize,
    /// May nobody take the octets, since it is a text that may be no reference?
    pub(super) may_stay: bool,
}

impl Unpacked {
    fn new(
        media_type: String,
        attachments: Attachments,
        referring: Referring,
        parts: Vec<Part>,
    ) -> Self {
        let (marked, places) = referring.marked(|part| &parts[part].data);
        let attached = Arc::new(Attached { places, parts });
        let expected = Vec::new();
        Self { media_type, attachments, referring, marked, attached, expected }
    }

    /// The URIs of parts that have to [come yet](unpack_envelope), since the envelope refers to them. Of a text that looks like such a URI that
    /// is not known.
    pub fn expected(&self) -> &[String] {
        &self.expected
    }

    /// The media type that the envelope would have by itself, with its action.
    pub fn media_type(&self) -> &str {
        &self.media_type
    }

    /// How the octets were attached.
    pub fn attachments(&self) -> Attachments {
        self.attachments
    }

    /// The envelope in UTF-8, for those who read no members: where octets are wanted in its Body, it has something else.
    pub fn outline(&self) -> &[u8] {
        &self.marked
    }

    /// The envelope in UTF-8 with all octets in their places, in base64.
    pub fn whole(&self) -> Cow<'_, [u8]> {
        match self.attached() {
            None => Cow::Borrowed(&self.marked),
            Some(it) => Cow::Owned(self.referring.whole(|part| &it.parts[part].data)),
        }
    }

    /// The limits for [`whole`](Self::whole) where these are for octets as they are: base64 is longer by a third.
    #[must_use]
    pub fn whole_limits(&self, limits: &Limits) -> Limits {
        let longer = |bytes: usize| bytes.saturating_add(bytes / 3 + 4);
        let mut limits = limits.clone();
        if self.attached().is_some() {
            limits.message_bytes = longer(limits.message_bytes);
            limits.value_bytes = longer(limits.value_bytes);
        }
        limits
    }

    /// What is attached, if anything is.
    pub(crate) fn attached(&self) -> Option<&Arc<Attached>> {
        Some(&self.attached).filter(|it| !it.places.is_empty())
    }
}

/// Takes the envelope out of a package.
///
/// # Errors
/// The package or its envelope is malformed; it refers to a part that is not there, or nothing in it refers to one that is; the
/// envelope and the octets that it refers to, as often as it does, are longer than a message may be.
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
        let root = root(&package.parts, &package_type)?;
        (package, root)
    };
    let (media_type, is_xop) = media_type_of(&package_type, &package.parts[root])?;
    let envelope = &package.parts[root];
    let data = in_its_character_set(&envelope.head.kind, &envelope.data)?;
    let mut source = Source::default();
    let text = source.prepare(&data, limits)?;
    let referring = Referring::read(text, &package, root, is_xop, limits)?;
    let attachments = attachments(&package_type, is_xop, &referring);
    Ok(Unpacked::new(media_type, attachments, referring, package.parts))
}

/// Takes the envelope that is the first part of a package, whose other parts are yet to come. In the place of the octets of each
/// part to which it refers it has the URI by which it does, as octets. None if the package says that its envelope is another part.
///
/// # Errors
/// The envelope is malformed, or refers to more parts than a package has.
pub fn unpack_envelope(
    media_type: &str,
    first: &Part,
    limits: &Limits,
) -> Result<Option<Unpacked>> {
    let package_type = MediaType::parse(media_type)?;
    if package_type.essence != DIME && root(std::slice::from_ref(first), &package_type).is_err() {
        return Ok(None);
    }
    let (media_type, is_xop) = media_type_of(&package_type, first)?;
    let data = in_its_character_set(&first.head.kind, &first.data)?;
    let mut source = Source::default();
    let text = source.prepare(&data, limits)?;
    let (referring, coming) = Referring::read_open(text, is_xop, limits)?;
    let sure = coming.iter().filter(|it| it.is_sure).map(|it| it.uri.clone());
    let expected: Vec<String> = sure.collect();
    if expected.len() >= PARTS {
        let kind = ErrorKind::Limit { name: "attachment parts", limit: PARTS };
        return Err(Error::new(kind, 0));
    }
    let attachments = attachments(&package_type, is_xop, &referring);
    let coming = coming.into_iter().map(|it| Part { data: it.uri.into_bytes(), ..Part::default() });
    let parts = std::iter::once(Part::default()).chain(coming).collect();
    let unpacked = Unpacked::new(media_type, attachments, referring, parts);
    Ok(Some(Unpacked { expected, ..unpacked }))
}

fn attachments(package_type: &MediaType, is_xop: bool, referring: &Referring) -> Attachments {
    match package_type.essence == DIME {
        true => Attachments::Dime,
        false if is_xop => Attachments::Mtom,
        false if referring.has_texts() => Attachments::SwaRef,
        false => Attachments::Swa,
    }
}

pub(super) fn wrong(what: impl Into<Cow<'static, str>>, at: usize) -> Error {
    Error::new(ErrorKind::Syntax(what.into()), at)
}

/// Which part is the envelope: the one that the package names, or the first (RFC 2387 section 3.2).
fn root(parts: &[Part], media_type: &MediaType) -> Result<usize> {
    let Some(start) = media_type.parameter("start") else { return Ok(0) };
    let id = start.strip_prefix('<').and_then(|it| it.strip_suffix('>')).unwrap_or(start);
    let found = parts.iter().position(|it| it.head.id == id);
    found.ok_or_else(|| wrong(format!("no part is the start of the package, {start:?}"), 0))
}

/// The media type that the envelope would have by itself, with its action; and whether it is of XOP.
fn media_type_of(package: &MediaType, root: &Part) -> Result<(String, bool)> {
    let stated = match &root.head.kind {
        Kind::Media(stated) => stated.as_str(),
        Kind::Uri(uri) if uri == SOAP11 => "text/xml",
        Kind::Uri(uri) if uri == SOAP12 => "application/soap+xml",
        Kind::Uri(uri) => {
            return Err(wrong(format!("a message of type {uri:?} is no envelope"), 0));
        }
        Kind::Unstated => package.parameter("type").unwrap_or("text/xml"),
    };
    let own = MediaType::parse(stated)?;
    let is_xop = own.essence == XOP_XML;
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
    Ok((media_type.to_string(), is_xop))
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

/// Gives a decoder the octets that its members take from beside the envelope.
#[derive(Debug, Default)]
pub(crate) struct Resolver {
    attached: Option<Arc<Attached>>,
    /// Which places had their octets taken.
    taken: Vec<bool>,
}

impl Resolver {
    /// The next envelope is one with these.
    pub(crate) fn begin(&mut self, attached: &Arc<Attached>) {
        self.taken.clear();
        self.taken.resize(attached.places.len(), false);
        self.attached = Some(attached.clone());
    }

    /// The envelope was read; were all octets taken?
    pub(crate) fn end(&mut self) -> bool {
        let Some(attached) = self.attached.take() else { return true };
        self.taken.iter().zip(&attached.places).all(|(is_taken, it)| *is_taken || it.may_stay)
    }

    /// Gives the octets, at most so many, that belong in a range of the envelope, if that is a mark; answers whether it is.
    #[cold]
    pub(crate) fn take(
        &mut self,
        envelope: &str,
        range: Range<usize>,
        most: usize,
        into: &mut Vec<u8>,
    ) -> bool {
        let Some(attached) = &self.attached else { return false };
        let index = attached.places.partition_point(|it| it.at < range.start);
        let Some(place) = attached.places.get(index).filter(|it| it.at < range.end) else {
            return false;
        };
        let octets = &*attached.parts[place.part].data;
        let text = envelope.get(range).map(str::trim_ascii).unwrap_or_default();
        let is_mark = text == MARK || place.may_stay && text.as_bytes() == octets;
        let fits = is_mark && octets.len() <= most;
        if fits {
            into.clear();
            into.extend_from_slice(octets);
            self.taken[index] = true;
        }
        fits
    }
}
