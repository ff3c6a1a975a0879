//! A client's connection over HTTP, and which encoding its messages are in.

use trunkline_http as http;
use trunkline_message::Limits;

use super::CallError;
use super::encoding::{Form, Forms, MessageEncoding, Sent};
use super::exchange::{Head, Reply};
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
        })
    }

    pub(super) fn client(&mut self) -> &mut http::Client {
        &mut self.client
    }

    pub(super) fn prefer(&mut self, encoding: MessageEncoding, is_optimistic: bool) {
        (self.wanted, self.is_optimistic, self.server) = (encoding, is_optimistic, Server::Unknown);
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
        let accepts = self.wanted != MessageEncoding::Xml && self.server != Server::Rejects;
        let headers = head.headers(encoding, accepts);
        let document = self.forms.write(encoding, message).map_err(CallError::Request)?;
        self.sent = Some(Sent { encoding, bytes: document.len() });
        let received = self.client.request(&http::Method::POST, path, headers, document)?;
        Reply::of(received, &self.limits)
    }
}
