//! A client's connection over HTTP, and which encoding its messages are in.

use trunkline_http::{self as http, Bytes};
use trunkline_message::Limits;
use trunkline_soap::{Attachments, Packed, Packing};

use super::CallError;
use super::encoding::{Form, Forms, MessageEncoding, Sent};
use super::exchange::{Head, Reply};
use super::media::accept;
use super::outgoing::Outgoing;
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
        message: &mut dyn Outgoing,
    ) -> Result<Reply, CallError> {
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
        message: &mut dyn Outgoing,
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
        message: &mut dyn Outgoing,
    ) -> Result<Option<Reply>, CallError> {
        let mut packed = Packed::default();
        let packing = Packing { attachments, from, action: &head.action };
        if !message.pack(&packing, &mut packed).map_err(CallError::Request)? {
            return Ok(None);
        }
        let encoding = MessageEncoding::Xml;
        let mut headers = head.headers(encoding, false).clone();
        let media_type = http::HeaderValue::try_from(packed.media_type);
        let media_type = media_type.map_err(|_| CallError::Action(head.action.clone()))?;
        headers.insert(http::header::CONTENT_TYPE, media_type);
        headers.insert(http::header::ACCEPT, accept(attachments, head.version));
        self.sent = Some(Sent { encoding, bytes: packed.bytes.len() });
        let body = Bytes::from(packed.bytes);
        let received = self.client.request_bytes(&http::Method::POST, path, &headers, body)?;
        Reply::of(received, &self.limits).map(Some)
    }
}
