//! A client's connection over HTTP, and which encoding its messages are in.

use std::io::{self, Cursor, Read as _};
use std::mem;

use trunkline_http::{self as http, Bytes};
use trunkline_message::{Error, ErrorKind, Limits};
use trunkline_soap::{self as soap, Attachments, Packed, Packing};

use super::CallError;
use super::encoding::{Form, Forms, MessageEncoding, Sent};
use super::exchange::{Head, Reply};
use super::media::accept;
use super::outgoing::Outgoing as Message;
use super::streams::{AttachmentReader, Outgoing, Rest, Unpacking};
use super::vocabularies::Vocabularies;

/// Over HTTP messages stand by themselves: no vocabulary is retained. Whether the server reads Fast Infoset is
/// learned from its answers, which are in it where `Accept` has it and the server can.
#[derive(Debug)]
pub(super) struct Posting {
    client: http::Client,
    wanted: MessageEncoding,
    is_optimistic: bool,
    server: Server,
    limits: Limits,
    vocabularies: Vocabularies,
    forms: Forms,
    sent: Option<Sent>,
    /// How members of at least so many octets are attached, if they are.
    attachments: Option<(Attachments, usize)>,
    /// What is attached to the next message, and read as it is sent.
    outgoing: Outgoing,
    /// Are attachments of answers read as they come?
    streams: bool,
    incoming: Option<Incoming>,
}

/// The package of an answer, which is read as it comes.
#[derive(Debug)]
struct Incoming {
    unpacking: Unpacking,
    /// If it came as a whole, since it was compressed.
    body: Option<Cursor<Bytes>>,
}

/// What is known of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Server {
    Unknown,
    /// It has answered in Fast Infoset.
    Speaks,
    /// It has rejected it.
    Rejects,
}

impl Posting {
    pub(super) fn new(authority: &str, config: http::ClientConfig) -> Result<Self, CallError> {
        Ok(Self {
            client: http::Client::new(authority, config)?,
            wanted: MessageEncoding::Xml,
            is_optimistic: false,
            server: Server::Unknown,
            limits: Limits::default(),
            vocabularies: Vocabularies::default(),
            forms: Forms::new(Limits::default(), Vocabularies::default()),
            sent: None,
            attachments: None,
            outgoing: Outgoing::default(),
            streams: false,
            incoming: None,
        })
    }

    pub(super) fn client(&mut self) -> &mut http::Client {
        &mut self.client
    }

    pub(super) fn prefer(&mut self, encoding: MessageEncoding, is_optimistic: bool) {
        (self.wanted, self.is_optimistic, self.server) = (encoding, is_optimistic, Server::Unknown);
    }

    pub(super) fn set_attachments(&mut self, attachments: Option<(Attachments, usize)>) {
        self.attachments = attachments;
    }

    pub(super) fn outgoing(&mut self) -> &mut Outgoing {
        &mut self.outgoing
    }

    pub(super) fn set_streams(&mut self, streams: bool) {
        self.streams = streams;
    }

    /// The attachments of the last answer.
    pub(super) fn attachments(&mut self) -> AttachmentReader<'_> {
        match &mut self.incoming {
            None => AttachmentReader::new(None, io::empty()),
            Some(Incoming { unpacking, body: Some(body) }) => {
                AttachmentReader::new(Some(unpacking), body)
            }
            Some(Incoming { unpacking, body: None }) => {
                AttachmentReader::new(Some(unpacking), self.client.answer_body())
            }
        }
    }

    pub(super) fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
        self.forms = Forms::new(self.limits.clone(), self.vocabularies.clone());
    }

    pub(super) fn set_vocabularies(&mut self, vocabularies: Vocabularies) {
        self.vocabularies = vocabularies;
        self.forms = Forms::new(self.limits.clone(), self.vocabularies.clone());
    }

    pub(super) fn sent(&self) -> Option<Sent> {
        self.sent
    }

    pub(super) fn form(&mut self, encoding: MessageEncoding) -> Option<&mut Form> {
        self.forms.get(encoding)
    }

    /// Sends a message and waits for the answer. One that the server does not read is not carried out, and sent
    /// again as XML (RFC 9110 section 15.5.16).
    pub(super) fn call(
        &mut self,
        path: &str,
        head: &Head,
        message: &mut dyn Message,
    ) -> Result<Reply, CallError> {
        self.incoming = None;
        let outgoing = mem::take(&mut self.outgoing);
        if self.streams || !outgoing.is_empty() {
            return self.post_streamed(path, head, message, outgoing);
        }
        let encoding = match (self.wanted, self.server) {
            (MessageEncoding::Xml, _) | (_, Server::Rejects) => MessageEncoding::Xml,
            (_, Server::Unknown) if !self.is_optimistic => MessageEncoding::Xml,
            _ => MessageEncoding::FastInfoset,
        };
        let reply = self.post(encoding, path, head, message)?;
        match encoding {
            MessageEncoding::Xml => {}
            _ if reply.status == http::StatusCode::UNSUPPORTED_MEDIA_TYPE => {
                self.server = Server::Rejects;
                return self.post(MessageEncoding::Xml, path, head, message);
            }
            _ => {}
        }
        if reply.encoding == Some(MessageEncoding::FastInfoset) {
            self.server = Server::Speaks;
        }
        Ok(reply)
    }

    fn post(
        &mut self,
        encoding: MessageEncoding,
        path: &str,
        head: &Head,
        message: &mut dyn Message,
    ) -> Result<Reply, CallError> {
        if let Some((attachments, from)) = self.attachments
            && encoding == MessageEncoding::Xml
            && let Some(reply) = self.post_packed(attachments, from, path, head, message)?
        {
            return Ok(reply);
        }
        let accepts = self.wanted != MessageEncoding::Xml && self.server != Server::Rejects;
        let headers = head.headers(encoding, accepts);
        let document = self.forms.write(encoding, message).map_err(CallError::Request)?;
        self.sent = Some(Sent { encoding, bytes: document.len() });
        let received = self.client.request(&http::Method::POST, path, headers, document)?;
        Reply::of(received, &self.limits)
    }

    /// Sends a message with what is attached to it, if it knows what may be.
    fn post_packed(
        &mut self,
        attachments: Attachments,
        from: usize,
        path: &str,
        head: &Head,
        message: &mut dyn Message,
    ) -> Result<Option<Reply>, CallError> {
        let mut packed = Packed::default();
        let packing = Packing { attachments, from, action: &head.action };
        if message.pack(&packing, &[], &mut packed).map_err(CallError::Request)?.is_none() {
            return Ok(None);
        }
        let headers = packed_headers(&packed, attachments, head)?;
        self.sent = Some(Sent { encoding: MessageEncoding::Xml, bytes: packed.bytes.len() });
        let body = Bytes::from(packed.bytes);
        let received = self.client.request_bytes(&http::Method::POST, path, &headers, body)?;
        Reply::of(received, &self.limits).map(Some)
    }

    /// Sends a message, what is attached to it while that is read, and leaves the attachments of the answer to be read.
    fn post_streamed(
        &mut self,
        path: &str,
        head: &Head,
        message: &mut dyn Message,
        outgoing: Outgoing,
    ) -> Result<Reply, CallError> {
        let (attachments, from) = self.attachments.unwrap_or((Attachments::Mtom, usize::MAX));
        let mut packed = Packed::default();
        let packing = Packing { attachments, from, action: &head.action };
        let is_packed = self.attachments.is_some() || !outgoing.is_empty();
        let following = match is_packed {
            true => message.pack(&packing, &outgoing.heads, &mut packed),
            false => Ok(None),
        };
        let (headers, rest) = match following.map_err(CallError::Request)? {
            Some(following) if following.is_empty() => {
                (packed_headers(&packed, attachments, head)?, None)
            }
            Some(following) => {
                let rest = http::Rest::new(Rest::new(following, outgoing.sources));
                (packed_headers(&packed, attachments, head)?, Some(rest))
            }
            None if outgoing.is_empty() => {
                packed.bytes = message.xml().map_err(CallError::Request)?.to_vec();
                let mut headers = head.headers(MessageEncoding::Xml, false).clone();
                headers.insert(http::header::ACCEPT, accept(attachments, head.version));
                (headers, None)
            }
            None => {
                let why = "what is signed, or has no schema, has no attachments";
                return Err(CallError::Request(Error::new(ErrorKind::Unwritable(why), 0)));
            }
        };
        self.sent = Some(Sent { encoding: MessageEncoding::Xml, bytes: packed.bytes.len() });
        let body = Bytes::from(packed.bytes);
        let method = http::Method::POST;
        let answer = self.client.request_streamed(&method, path, &headers, body, rest)?;
        match self.streams {
            true => self.open(answer),
            false => Reply::of(self.client.whole(answer)?, &self.limits),
        }
    }

    /// Reads the envelope of an answer; behind that of a package, the attachments are to be read.
    fn open(&mut self, mut answer: http::Received) -> Result<Reply, CallError> {
        let kind = answer.headers.get(http::header::CONTENT_TYPE).cloned();
        let kind = kind.as_ref().and_then(|it| it.to_str().ok());
        let Some(media_type) = kind.filter(|it| soap::is_package(it)) else {
            return Reply::of(self.client.whole(answer)?, &self.limits);
        };
        let mut body = None;
        if answer.compression.is_some() {
            answer = self.client.whole(answer)?;
            body = Some(Cursor::new(answer.body.clone()));
        }
        let most = self.limits.message_bytes;
        let opened = match &mut body {
            Some(body) => Unpacking::open(media_type, most, body),
            None => Unpacking::open(media_type, most, &mut self.client.answer_body()),
        };
        let (mut unpacking, root) = opened.map_err(unreadable)?;
        let unpacked = soap::unpack_envelope(media_type, &root, &self.limits);
        match unpacked.map_err(CallError::Reply)? {
            Some(unpacked) => {
                unpacking.go_on(&unpacked);
                self.incoming = Some(Incoming { unpacking, body });
                Ok(Reply::unpacked(answer.status.as_u16(), unpacked))
            }
            // The envelope comes later.
            None if body.is_some() => Reply::of(answer, &self.limits),
            None => {
                let mut whole = unpacking.into_input();
                let room = (most as u64 + 1).saturating_sub(whole.len() as u64);
                let read = self.client.answer_body().take(room).read_to_end(&mut whole);
                read.map_err(unreadable)?;
                answer.body = whole.into();
                Reply::of(answer, &self.limits)
            }
        }
    }
}

/// The headers of a message in its package.
fn packed_headers(
    packed: &Packed,
    attachments: Attachments,
    head: &Head,
) -> Result<http::HeaderMap, CallError> {
    let mut headers = head.headers(MessageEncoding::Xml, false).clone();
    let media_type = http::HeaderValue::try_from(&packed.media_type);
    let media_type = media_type.map_err(|_| CallError::Action(head.action.clone()))?;
    headers.insert(http::header::CONTENT_TYPE, media_type);
    headers.insert(http::header::ACCEPT, accept(attachments, head.version));
    Ok(headers)
}

/// An answer that does not come, or not as it should.
fn unreadable(error: io::Error) -> CallError {
    let text = error.to_string();
    match error.into_inner().map(|it| it.downcast::<http::Error>()) {
        Some(Ok(transport)) => CallError::Transport(*transport),
        _ => CallError::Reply(Error::new(ErrorKind::Syntax(text.into()), 0)),
    }
}
