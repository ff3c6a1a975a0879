//! Attachments that are read as they come, and sent as they are read.

mod unpacking;

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, Read};
use std::mem;
use std::sync::PoisonError;

use trunkline_codec::attachment::{Head, Kind};
use trunkline_soap::{self as soap, Fault, Following};

use super::Context;
pub(super) use unpacking::{Unpacking, explained};

/// Bytes of a part that are read at once, to be sent.
const BLOCK: usize = 64 << 10;

/// What octets are read from.
pub(super) type Source = Box<dyn Read + Send>;

/// Reads the attachments of a message as they come, one after another in the order of their package, so that they may be longer than
/// memory. A member of octets that refers to one has its URI in their place: [`Attachment::is_in`] tells which that is.
pub struct AttachmentReader<'a>(Option<(&'a mut Unpacking, Box<dyn Read + Send + 'a>)>);

/// An attachment, whose octets are read as they come.
pub struct Attachment<'r> {
    unpacking: &'r mut Unpacking,
    source: &'r mut (dyn Read + Send),
}

impl<'a> AttachmentReader<'a> {
    pub(super) fn new(package: Option<&'a mut Unpacking>, source: impl Read + Send + 'a) -> Self {
        Self(package.map(|it| (it, Box::new(source) as _)))
    }

    /// The next attachment; what has not been read of the one before is passed over. None behind the last one, when the package is
    /// known to be whole.
    ///
    /// # Errors
    /// The package breaks the rules of its format, passes a limit, or ends before its end; a part does not come to which the
    /// envelope refers; or the connection has failed.
    pub fn next_attachment(&mut self) -> io::Result<Option<Attachment<'_>>> {
        let Some((unpacking, source)) = &mut self.0 else { return Ok(None) };
        match unpacking.next_part(&mut **source)? {
            true => Ok(Some(Attachment { unpacking, source: &mut **source })),
            false => Ok(None),
        }
    }
}

impl Attachment<'_> {
    /// What it says of itself.
    pub fn head(&self) -> &Head {
        self.unpacking.head()
    }

    /// What it is, such as `image/png`; empty if it does not say.
    pub fn media_type(&self) -> &str {
        match &self.head().kind {
            Kind::Media(media_type) => media_type,
            Kind::Uri(_) | Kind::Unstated => "",
        }
    }

    /// Does it belong in the place of these octets of a member, which refer to it?
    pub fn is_in(&self, member: &[u8]) -> bool {
        std::str::from_utf8(member).is_ok_and(|uri| soap::refers_to(uri, &self.head().id))
    }
}

impl Read for Attachment<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.unpacking.read(&mut *self.source, into)
    }
}

impl fmt::Debug for AttachmentReader<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("AttachmentReader").finish_non_exhaustive()
    }
}

impl fmt::Debug for Attachment<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Attachment").field("head", self.head()).finish_non_exhaustive()
    }
}

/// What is to be sent behind an envelope.
#[derive(Default)]
pub(super) struct Outgoing {
    pub(super) heads: Vec<Head>,
    pub(super) sources: VecDeque<Source>,
}

impl Outgoing {
    /// One more; answers the octets of the member that refers to it.
    pub(super) fn add(&mut self, media_type: &str, source: Source) -> Vec<u8> {
        let (id, kind) = (soap::new_id(), Kind::Media(media_type.to_owned()));
        let uri = format!("cid:{id}").into_bytes();
        self.heads.push(Head { id, kind, ..Head::default() });
        self.sources.push_back(source);
        uri
    }

    pub(super) fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    fn append(&mut self, other: &mut Self) {
        self.heads.append(&mut other.heads);
        self.sources.append(&mut other.sources);
    }
}

impl fmt::Debug for Outgoing {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_list().entries(&self.heads).finish()
    }
}

/// The rest of a package, as it is read from its sources.
pub(super) struct Rest {
    following: Following,
    sources: VecDeque<Source>,
    block: Vec<u8>,
    written: Vec<u8>,
    /// How much of that has been given.
    given: usize,
}

impl Rest {
    pub(super) fn new(following: Following, sources: VecDeque<Source>) -> Self {
        let block = vec![0; BLOCK];
        Self { following, sources, block, written: Vec::new(), given: 0 }
    }
}

impl Read for Rest {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.given == self.written.len() {
            let Some(source) = self.sources.front_mut() else { return Ok(0) };
            self.written.clear();
            self.given = 0;
            let length = fill(source, &mut self.block)?;
            // What fills the block may have nothing behind it: then the part ends with an empty one.
            let is_last = length < self.block.len();
            let written = self.following.write(&self.block[..length], is_last, &mut self.written);
            written.map_err(io::Error::other)?;
            if is_last {
                self.sources.pop_front();
            }
        }
        let length = (self.written.len() - self.given).min(into.len());
        into[..length].copy_from_slice(&self.written[self.given..][..length]);
        self.given += length;
        Ok(length)
    }
}

/// Reads until there is no more room, or no more to be read.
fn fill(source: &mut dyn Read, room: &mut [u8]) -> io::Result<usize> {
    let mut length = 0;
    while length < room.len() {
        match source.read(&mut room[length..]) {
            Ok(0) => break,
            Ok(more) => length += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(length)
}

/// The streams of one call.
#[derive(Default)]
pub(super) struct Streams {
    incoming: Option<(Unpacking, Source)>,
    outgoing: Outgoing,
    rest: Option<Rest>,
}

impl fmt::Debug for Streams {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.outgoing.fmt(out)
    }
}

impl Streams {
    /// The next call begins.
    pub(super) fn clear(&mut self) {
        (self.outgoing, self.rest) = (Outgoing::default(), None);
    }
}

impl Context {
    /// The attachments of the request, as they come. There are none unless the operation gets them [as
    /// streams](super::Service::streamed), and the request came in a package.
    pub fn attachments(&mut self) -> AttachmentReader<'_> {
        match &mut self.streams().incoming {
            Some((unpacking, source)) => AttachmentReader::new(Some(unpacking), source),
            None => AttachmentReader::new(None, io::empty()),
        }
    }

    /// Attaches to the answer what is read while that is sent, on another thread: a file, say, of any length. It goes in a package of the kind
    /// that the request came in or accepts. Gives the octets that the member of the answer has to have which refers to it. An
    /// error of the reader ends the connection, and the caller learns that its answer is not whole.
    pub fn attach(&mut self, media_type: &str, octets: impl Read + Send + 'static) -> Vec<u8> {
        let octets = Box::new(octets);
        match self.added() {
            None => self.streams().outgoing.add(media_type, octets),
            Some(added) => {
                let mut added = added.lock().unwrap_or_else(PoisonError::into_inner);
                added.outgoing.add(media_type, octets)
            }
        }
    }

    pub(super) fn append_outgoing(&mut self, other: &mut Outgoing) {
        self.streams().outgoing.append(other);
    }

    pub(super) fn take_outgoing(&mut self) -> Outgoing {
        mem::take(&mut self.streams().outgoing)
    }

    pub(super) fn set_rest(&mut self, rest: Rest) {
        self.streams().rest = Some(rest);
    }

    /// What follows the bytes of the answer, if something does. What was attached to one that became a fault is dropped.
    pub(super) fn take_rest(&mut self) -> Option<Rest> {
        self.streams().outgoing = Outgoing::default();
        self.streams().rest.take()
    }

    pub(super) fn set_incoming(&mut self, unpacking: Unpacking, source: Source) {
        self.streams().incoming = Some((unpacking, source));
    }

    pub(super) fn take_incoming(&mut self) -> Option<Unpacking> {
        self.streams().incoming.take().map(|(unpacking, _)| unpacking)
    }

    /// Bytes that were read of the request as they came.
    pub(super) fn streamed_bytes(&mut self) -> usize {
        let incoming = self.streams().incoming.as_ref();
        incoming.map_or(0, |(unpacking, _)| unpacking.bytes())
    }

    /// The function has answered: has it read all that is attached, and was that as it should be?
    pub(super) fn check_attachments(&mut self) -> Result<(), Fault> {
        let Some((unpacking, _)) = &self.streams().incoming else { return Ok(()) };
        match (unpacking.failure().map(str::to_owned), unpacking.is_over()) {
            (Some(failure), _) => Err(Fault::sender(failure)),
            (None, true) => Ok(()),
            (None, false) => {
                let operation = self.operation();
                let why = "has not read to the end what is attached to its request";
                Err(Fault::receiver(format!("{operation} {why}")))
            }
        }
    }
}

/// Answers whom they cannot be sent to.
#[cold]
pub(super) fn not_accepted(context: &Context) -> Fault {
    Fault::sender(format!(
        "the answer to {} has attachments, for which there has to be HTTP, an answer in XML without a Security header, and a request \
         in a package or with Accept: multipart/related; type=\"application/xop+xml\"",
        context.operation()
    ))
}
