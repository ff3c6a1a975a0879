//! Sending an envelope in a package.

use std::hash::{BuildHasher, RandomState};

use trunkline_codec::attachment::{Head, Kind, MediaType, PARTS, dime, multipart};
use trunkline_message::{Error, ErrorKind, Message, Result};

use super::following::{Following, Writer};
use super::{Attachments, DIME, MIME, XOP_XML};
use crate::encoder::Encoder;
use crate::envelope;
use crate::options::Version;

/// More memory than this is not kept for the next message.
const KEPT: usize = 1 << 20;

/// How a message is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packing<'a> {
    /// How octets travel.
    pub attachments: Attachments,
    /// A member of fewer octets stays in the envelope, as base64; but none does as `swaRef`, which is the type of a member.
    pub from: usize,
    /// The action of a request in SOAP 1.2, which is a parameter of the media type; empty if there is none.
    pub action: &'a str,
}

/// A message as it is sent: what it is, and its bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Packed {
    /// That of the package, or of the envelope where no package is needed.
    pub media_type: String,
    /// The package, or the envelope.
    pub bytes: Vec<u8>,
}

impl Encoder {
    /// Writes the message as [`encode_with`](Self::encode_with) does, but for members of many octets: those travel beside the
    /// envelope. MTOM always has a package, by which the other side learns that it may answer so; in the other forms an envelope to
    /// which nothing is attached is sent as it is. Octets in attributes, and those between other texts, stay where they are, and so do
    /// those for which a package of [`PARTS`] has no room.
    ///
    /// # Errors
    /// As [`encode_with`](Self::encode_with).
    pub fn pack<M: Message>(
        &mut self,
        header: &str,
        message: &M,
        packing: &Packing<'_>,
        into: &mut Packed,
    ) -> Result<()> {
        self.pack_before(header, message, packing, &[], into).map(drop)
    }

    /// As [`pack`](Self::pack), where further parts follow, whose octets are not there yet. A member whose octets are the URI of
    /// such a part, `cid:` and its id, refers to it. What is written ends behind the parts that are there.
    ///
    /// # Errors
    /// As [`encode_with`](Self::encode_with); there are more parts than a package has, or no member refers to one that follows.
    pub fn pack_before<M: Message>(
        &mut self,
        header: &str,
        message: &M,
        packing: &Packing<'_>,
        parts: &[Head],
        into: &mut Packed,
    ) -> Result<Following> {
        self.attaching.begin(packing, parts)?;
        let written = self.encode_with(header, message).map(drop);
        let version = self.plan.options.version;
        let packed = written.and_then(|()| {
            self.attaching.write(version, packing.action, self.output.as_slice(), into)
        });
        self.attaching.end();
        packed
    }
}

/// The octets that are attached to an envelope while it is written.
#[derive(Debug)]
pub(crate) struct Attaching {
    attachments: Attachments,
    /// From which length on octets are attached; none are while there is no package.
    from: usize,
    /// Nobody knew it when the octets came to be, so that it stands in none of them.
    nonce: u128,
    octets: Vec<u8>,
    /// Where the octets of each part end.
    ends: Vec<usize>,
    /// Parts that follow, and whether a member refers to each.
    following: Vec<(Head, bool)>,
}

impl Default for Attaching {
    fn default() -> Self {
        let (octets, ends, following) = Default::default();
        Self { attachments: Attachments::Mtom, from: usize::MAX, nonce: 0, octets, ends, following }
    }
}

/// How a part is referred to.
pub(crate) enum Reference {
    /// By what stands in the element.
    Content(String),
    /// By this attribute `href` of the element, which is empty.
    Href(String),
}

impl Attaching {
    fn begin(&mut self, packing: &Packing<'_>, parts: &[Head]) -> Result<()> {
        if parts.len() >= PARTS {
            return Err(unwritable("more parts than a package has"));
        }
        // Nobody could be told later.
        for head in parts {
            multipart::Writer::new("b")?.begin_part(head, &mut Vec::new())?;
        }
        *self = Self {
            attachments: packing.attachments,
            from: if packing.attachments == Attachments::SwaRef { 0 } else { packing.from },
            nonce: nonce(),
            octets: std::mem::take(&mut self.octets),
            ends: std::mem::take(&mut self.ends),
            following: parts.iter().map(|it| (it.clone(), false)).collect(),
        };
        self.octets.clear();
        self.ends.clear();
        Ok(())
    }

    fn end(&mut self) {
        self.from = usize::MAX;
        self.following.clear();
        if self.octets.capacity() > KEPT {
            self.octets = Vec::new();
        }
    }

    /// Do these octets of a member stand beside the envelope?
    #[inline]
    pub(crate) fn takes(&self, octets: &[u8]) -> bool {
        octets.len() >= self.from || self.follows(octets).is_some()
    }

    /// Are there as many parts, with the root, as whoever reads them accepts, so that these octets have no room?
    pub(crate) fn is_full(&self, octets: &[u8]) -> bool {
        1 + self.ends.len() + self.following.len() >= PARTS && self.follows(octets).is_none()
    }

    /// Which of the parts that follow has this URI.
    fn follows(&self, uri: &[u8]) -> Option<usize> {
        let id = uri.strip_prefix(b"cid:").filter(|_| !self.following.is_empty())?;
        self.following.iter().position(|(head, _)| head.id.as_bytes() == id)
    }

    /// Is a part referred to by an attribute of the element?
    pub(crate) fn is_by_href(&self) -> bool {
        matches!(self.attachments, Attachments::Swa | Attachments::Dime)
    }

    /// Attaches octets; answers how they are referred to.
    pub(crate) fn add(&mut self, octets: &[u8]) -> Reference {
        let uri = match self.follows(octets) {
            Some(index) => {
                let (head, is_referred_to) = &mut self.following[index];
                *is_referred_to = true;
                format!("cid:{}", head.id)
            }
            None => {
                self.octets.extend_from_slice(octets);
                self.ends.push(self.octets.len());
                format!("cid:{}", self.id(self.ends.len()))
            }
        };
        match self.attachments {
            Attachments::Mtom => Reference::Content(format!(
                "<xop:Include xmlns:xop=\"http://www.w3.org/2004/08/xop/include\" href=\"{uri}\"/>"
            )),
            Attachments::SwaRef => Reference::Content(uri),
            Attachments::Swa | Attachments::Dime => Reference::Href(uri),
        }
    }

    /// The root is number 0.
    fn id(&self, number: usize) -> String {
        id(number, self.nonce)
    }

    fn parts(&self) -> impl Iterator<Item = (usize, &[u8])> {
        let starts = std::iter::once(&0).chain(&self.ends);
        let ranges = starts.zip(&self.ends).map(|(start, end)| *start..*end);
        ranges.enumerate().map(|(index, it)| (index + 1, &self.octets[it]))
    }

    fn write(
        &self,
        version: Version,
        action: &str,
        envelope: &[u8],
        into: &mut Packed,
    ) -> Result<Following> {
        if self.following.iter().any(|(_, is_referred_to)| !is_referred_to) {
            let why = "a part is to follow the envelope to which none of its elements refers";
            return Err(unwritable(why));
        }
        let heads = self.following.iter().map(|(head, _)| head.clone()).collect();
        let mut following = Following { heads, writer: Writer::None, is_begun: false };
        into.bytes.clear();
        into.bytes.reserve(envelope.len() + self.octets.len() + 512 * (1 + self.ends.len()));
        let essence = match version {
            Version::Soap11 => "text/xml",
            Version::Soap12 => "application/soap+xml",
        };
        let with_action = |media_type: MediaType| match version {
            Version::Soap12 if !action.is_empty() => media_type.with("action", action),
            _ => media_type,
        };
        let of = |essence: &str| MediaType { essence: essence.to_owned(), ..MediaType::default() };
        let alone = of(essence).with("charset", "utf-8");
        let media_type = match self.attachments {
            Attachments::Mtom => {
                let root = of(XOP_XML).with("charset", "utf-8").with("type", essence);
                following.writer = self.write_multipart(root, envelope, into)?;
                with_action(self.multipart(XOP_XML).with("start-info", essence))
            }
            _ if self.ends.is_empty() && self.following.is_empty() => {
                into.bytes.extend_from_slice(envelope);
                with_action(alone)
            }
            Attachments::Swa | Attachments::SwaRef => {
                following.writer = self.write_multipart(alone, envelope, into)?;
                with_action(self.multipart(essence))
            }
            Attachments::Dime => {
                following.writer = self.write_dime(version, envelope, into)?;
                with_action(of(DIME))
            }
        };
        into.media_type = media_type.to_string();
        Ok(following)
    }

    fn boundary(&self) -> String {
        format!("{:032x}", self.nonce)
    }

    /// The media type of a package whose root is of this type.
    fn multipart(&self, root: &str) -> MediaType {
        MediaType { essence: MIME.to_owned(), ..MediaType::default() }
            .with("type", root)
            .with("start", &format!("<{}>", self.id(0)))
            .with("boundary", &self.boundary())
    }

    fn write_multipart(
        &self,
        root: MediaType,
        envelope: &[u8],
        into: &mut Packed,
    ) -> Result<Writer> {
        let mut writer = multipart::Writer::new(&self.boundary())?;
        let root = Head { id: self.id(0), kind: Kind::Media(root.to_string()), ..Head::default() };
        writer.begin_part(&root, &mut into.bytes)?;
        into.bytes.extend_from_slice(envelope);
        for (number, octets) in self.parts() {
            let head = Head { id: self.id(number), ..octet_stream() };
            writer.begin_part(&head, &mut into.bytes)?;
            into.bytes.extend_from_slice(octets);
        }
        if self.following.is_empty() {
            writer.end(&mut into.bytes);
        }
        Ok(Writer::Multipart(writer))
    }

    /// An id is the URI that refers to it.
    fn write_dime(&self, version: Version, envelope: &[u8], into: &mut Packed) -> Result<Writer> {
        let mut writer = dime::Writer::default();
        let namespace = envelope::namespaces(version).0;
        let root = Head { kind: Kind::Uri(namespace.to_owned()), ..Head::default() };
        writer.write_part(&root, envelope, false, &mut into.bytes)?;
        for (number, octets) in self.parts() {
            let head = Head { id: format!("cid:{}", self.id(number)), ..octet_stream() };
            let is_last = number == self.ends.len() && self.following.is_empty();
            writer.write_part(&head, octets, is_last, &mut into.bytes)?;
        }
        Ok(Writer::Dime(writer))
    }
}

/// Nobody can guess it.
fn nonce() -> u128 {
    let random = RandomState::new();
    let [high, low] = [0, 1].map(|half: u8| u128::from(random.hash_one(half)));
    high << 64 | low
}

fn id(number: usize, nonce: u128) -> String {
    format!("{number}.{nonce:032x}@trunkline")
}

/// The id of a part that is to [follow](Encoder::pack_before) an envelope: no other has it.
pub fn new_id() -> String {
    id(1, nonce())
}

#[cold]
fn unwritable(why: &'static str) -> Error {
    Error::new(ErrorKind::Unwritable(why), 0)
}

fn octet_stream() -> Head {
    Head { kind: Kind::Media("application/octet-stream".to_owned()), ..Head::default() }
}
