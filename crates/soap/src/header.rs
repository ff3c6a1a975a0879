//! Header blocks: their roles, `mustUnderstand`, and forwarding.

use std::collections::HashSet;

use trunkline_codec::infoset::{Event, Reader, Tag};
use trunkline_codec::xml::escape;
use trunkline_message::{Error, ErrorKind, Limits, Result};

use crate::envelope::{SOAP11, SOAP12};
use crate::fragment::Fragment;
use crate::options::Version;
use crate::qname::QName;

/// The maximum number of header blocks of a message: every node that processes headers reads each
/// of them.
pub(super) const MOST_BLOCKS: usize = 1024;

/// A child of Header (SOAP 1.1 section 4.2, SOAP 1.2 part 1 section 5.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderBlock {
    /// The name of its element.
    pub name: QName,
    /// Must whoever it is for understand it, or else reject the message?
    pub must_understand: bool,
    /// Its role, a URI (SOAP 1.1: actor). `None` is for the ultimate receiver.
    pub role: Option<String>,
    /// Is it passed on by those it is for that do not process it? In SOAP 1.2 only.
    pub relay: bool,
    /// The element, without the attributes that say the above.
    pub content: Fragment,
}

impl HeaderBlock {
    /// A block for the ultimate receiver, which may ignore it, unless attributes of the element say
    /// more: those of either SOAP are taken out of it. One that is no boolean has no effect.
    pub fn new(content: Fragment) -> Self {
        let mut said = BlockAttributes::default();
        let stripped = content.reader(&Limits::default()).and_then(|mut reader| {
            let Event::Start(name) = reader.next()? else { return Ok(content.clone()) };
            for version in [Version::Soap11, Version::Soap12] {
                // A block that cannot be read is left out all the same.
                said.read(&reader, version, |_| Ok(false))?;
            }
            said.places.sort_unstable();
            Fragment::read(&mut reader, name, &said.places)
        });
        let BlockAttributes { must_understand, role, relay, .. } = said;
        let content = stripped.unwrap_or(content);
        Self { name: content.name().clone(), must_understand, role, relay, content }
    }

    /// The same block, to be understood.
    #[must_use]
    pub fn mandatory(mut self) -> Self {
        self.must_understand = true;
        self
    }

    /// The same block, for whoever plays the role.
    #[must_use]
    pub fn for_role(mut self, role: impl Into<String>) -> Self {
        self.role = Some(role.into());
        self
    }

    /// The block as it stands in the Header of an envelope in which the prefix `SOAP-ENV` is
    /// declared, as it is in all that this crate writes. Roles that both versions have are named
    /// as the version does; what it does not have is left out.
    pub fn encode(&self, version: Version) -> String {
        self.encode_in(version, false, "")
    }

    /// The same for an envelope of any prefix; `extra` is for the start tag.
    pub(super) fn encode_in(&self, version: Version, foreign: bool, extra: &str) -> String {
        let attributes = self.attributes(version);
        let (start, rest) = self.content.parts();
        let mut out = format!("{start}{extra}");
        if !attributes.is_empty() {
            let others = (2..).map(|count| format!("SOAP-ENVELOPE-{count}"));
            let mut prefixes =
                ["SOAP-ENV", "SOAP-ENVELOPE"].map(str::to_owned).into_iter().chain(others);
            let prefix = prefixes.find(|it| !self.content.declares(it)).unwrap_or_default();
            if prefix != "SOAP-ENV" || foreign {
                out.push_str(&format!(" xmlns:{prefix}=\"{}\"", namespace(version)));
            }
            for (name, value) in attributes {
                out.push_str(&format!(" {prefix}:{name}=\""));
                escape(value, true, &mut out);
                out.push('"');
            }
        }
        out.push_str(rest);
        out
    }

    fn attributes(&self, version: Version) -> Vec<(&'static str, &str)> {
        let mut attributes = Vec::new();
        if self.must_understand {
            let yes = if version == Version::Soap11 { "1" } else { "true" };
            attributes.push(("mustUnderstand", yes));
        }
        let role = self.role.as_deref().filter(|role| !role.is_empty());
        match (version, role) {
            (_, None) | (Version::Soap11, Some(Roles::ULTIMATE_RECEIVER)) => {}
            (Version::Soap11, Some(Roles::NEXT_12)) => attributes.push(("actor", Roles::NEXT_11)),
            (Version::Soap11, Some(role)) => attributes.push(("actor", role)),
            (Version::Soap12, Some(Roles::NEXT_11)) => attributes.push(("role", Roles::NEXT_12)),
            (Version::Soap12, Some(role)) => attributes.push(("role", role)),
        }
        if self.relay && version == Version::Soap12 {
            attributes.push(("relay", "true"));
        }
        attributes
    }

    /// Reads the block that was just begun, to its end.
    pub(super) fn read<R: Reader>(reader: &mut R, version: Version, name: R::Name) -> Result<Self> {
        let (mut said, at) = (BlockAttributes::default(), reader.began());
        said.read(reader, version, |name| {
            let what = format!("{name} to be true or false");
            Err(Error::new(ErrorKind::Expected(what.into()), at))
        })?;
        let BlockAttributes { must_understand, role, relay, places } = said;
        let content = Fragment::read(reader, name, &places)?;
        Ok(Self { name: content.name().clone(), must_understand, role, relay, content })
    }
}

/// The attributes of a block's element.
#[derive(Default)]
struct BlockAttributes {
    must_understand: bool,
    role: Option<String>,
    relay: bool,
    /// Which they are, counted from the first.
    places: Vec<usize>,
}

impl BlockAttributes {
    /// Reads the attributes of a version; `other` says what a value means that is no boolean.
    fn read(
        &mut self,
        tag: &impl Tag,
        version: Version,
        other: impl Fn(&str) -> Result<bool>,
    ) -> Result<()> {
        let boolean = |name: &str, value: &str| match value.trim_matches([' ', '\t', '\r', '\n']) {
            "1" | "true" => Ok(true),
            "0" | "false" => Ok(false),
            _ => other(name),
        };
        for index in 0..tag.attributes() {
            let (name, value) = tag.attribute(index);
            if tag.namespace_of(name) != namespace(version) {
                continue;
            }
            let value = tag.value(value);
            match (version, tag.local(name)) {
                (_, name @ "mustUnderstand") => self.must_understand |= boolean(name, &value)?,
                (Version::Soap12, name @ "relay") => self.relay = boolean(name, &value)?,
                (Version::Soap11, "actor") | (Version::Soap12, "role") => {
                    let value = value.trim();
                    self.role = (!value.is_empty()).then(|| value.to_owned());
                }
                _ => continue,
            }
            self.places.push(index);
        }
        Ok(())
    }
}

/// The namespace of a version's envelope.
pub(super) fn namespace(version: Version) -> &'static str {
    match version {
        Version::Soap11 => SOAP11,
        Version::Soap12 => SOAP12,
    }
}

/// The roles that a node plays for a message (SOAP 1.2 part 1 section 2.2; SOAP 1.1 section 4.2.2
/// calls them actors). Every node plays `next`, none plays `none`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Roles<'a> {
    /// The URIs of the node's own roles.
    pub named: &'a [&'a str],
    /// Is it the ultimate receiver, to which the Body belongs?
    pub ultimate: bool,
}

impl<'a> Roles<'a> {
    /// SOAP 1.1: whoever comes next on the message's path.
    pub const NEXT_11: &'static str = "http://schemas.xmlsoap.org/soap/actor/next";
    /// SOAP 1.2: whoever comes next on the message's path.
    pub const NEXT_12: &'static str = "http://www.w3.org/2003/05/soap-envelope/role/next";
    /// SOAP 1.2: no role; the block is data that others refer to.
    pub const NONE: &'static str = "http://www.w3.org/2003/05/soap-envelope/role/none";
    /// SOAP 1.2: the ultimate receiver; to name no role is the same.
    pub const ULTIMATE_RECEIVER: &'static str =
        "http://www.w3.org/2003/05/soap-envelope/role/ultimateReceiver";

    /// Of a node at which messages end, with roles of its own besides.
    pub const fn ultimate(named: &'a [&'a str]) -> Self {
        Self { named, ultimate: true }
    }

    /// Of a node that passes messages on, with roles of its own besides.
    pub const fn intermediary(named: &'a [&'a str]) -> Self {
        Self { named, ultimate: false }
    }

    /// Whether a block is for the node.
    pub fn play(&self, block: &HeaderBlock) -> bool {
        match block.role.as_deref() {
            None | Some("" | Self::ULTIMATE_RECEIVER) => self.ultimate,
            Some(Self::NEXT_11 | Self::NEXT_12) => true,
            Some(Self::NONE) => false,
            Some(role) => self.named.contains(&role),
        }
    }
}

/// The blocks of a header that are for the node.
pub fn targeted<'h>(
    header: &'h [HeaderBlock],
    roles: &Roles<'_>,
) -> impl Iterator<Item = &'h HeaderBlock> {
    header.iter().filter(move |block| roles.play(block))
}

/// The names of the blocks that the node must understand and does not, each once. If there are
/// any, nothing of the message may be processed, and the answer is a
/// [`Fault::must_understand`](super::Fault::must_understand) (SOAP 1.2 part 1 section 2.4).
pub fn not_understood(
    header: &[HeaderBlock],
    understood: &dyn Fn(&QName) -> bool,
    roles: &Roles<'_>,
) -> Vec<QName> {
    let mut seen: HashSet<&QName> = HashSet::new();
    targeted(header, roles)
        .filter(|block| block.must_understand && seen.insert(&block.name))
        .filter(|block| !understood(&block.name))
        .map(|block| block.name.clone())
        .collect()
}

/// Whether an intermediary leaves a block in the message that it passes on. `processed` says
/// whether it has understood and processed it; a block that is put back after that is put in anew
/// (SOAP 1.2 part 1 section 2.7.2, table 3; SOAP 1.1 section 4.2.2).
pub fn is_forwarded(block: &HeaderBlock, roles: &Roles<'_>, processed: bool) -> bool {
    !roles.play(block) || block.relay && !processed
}
