//! The state of a client in the engine, besides its state in the router.

use std::collections::VecDeque;
use std::fmt;
use std::net::SocketAddr;
use std::num::NonZeroU32;

use trunkline_reactor::PeerCertificate;
use trunkline_router::{ClientId, ClientOptions};
use trunkline_security::Identity;
use trunkline_session::router::{Accepted, Protocol, Rejected, RequestedLimits};
use trunkline_store::ProducerId;

use super::access::ClientAccess;
use super::new_producers::{NewProducer, Origin};
use crate::config::Config;

/// The other end of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peer {
    /// `tcp`, `tls`, `unix` or `shm`.
    pub transport: &'static str,
    /// Where it is, or which process.
    pub address: String,
    /// The names in its certificate, which was checked, where it had to show one.
    pub certificate: Option<PeerCertificate>,
}

impl Peer {
    /// What its session needs.
    pub(super) fn accepted<'a>(&self, config: &'a Config) -> Accepted<'a> {
        Accepted {
            frame_bytes: config.limits.frame_bytes,
            origins: &config.websocket.origins,
            is_over_loopback: self.is_over_loopback(),
        }
    }

    fn is_over_loopback(&self) -> bool {
        let address: Option<SocketAddr> = self.address.parse().ok();
        address.is_some_and(|it| it.ip().to_canonical().is_loopback())
    }

    /// Whether it is on this machine.
    pub(super) fn is_local(&self) -> bool {
        !matches!(self.transport, "tcp" | "tls") || self.is_over_loopback()
    }

    /// Who it is, as far as the transport shows it: a certificate without a subject shows nobody.
    pub(super) fn identity(&self) -> Identity {
        if let Some(certificate) = &self.certificate
            && !certificate.subject.is_empty()
        {
            return Identity::certificate(&certificate.subject);
        }
        let uid = self.host().strip_prefix("uid ").and_then(|uid| uid.parse().ok());
        match self.transport {
            "unix" | "shm" => uid.map_or(Identity::Anonymous, Identity::Uid),
            _ => Identity::Anonymous,
        }
    }

    /// The machine, without the port; of a Unix socket the user, if that is known.
    pub(super) fn host(&self) -> &str {
        let address = self.address.as_str();
        match self.transport {
            "tcp" | "tls" => address.rsplit_once(':').map_or(address, |(host, _)| host),
            _ => address.find("uid ").map_or(address, |at| &address[at..]),
        }
    }
}

/// A client, for as long as it is connected.
#[derive(Debug)]
pub(crate) struct ClientSession {
    pub(crate) id: ClientId,
    pub(crate) peer: Peer,
    pub(crate) protocol: Protocol,
    /// Who it is and what it may do.
    pub(crate) access: ClientAccess,
    /// Empty until it has greeted.
    pub(crate) name: String,
    pub(crate) is_greeted: bool,
    /// The connection is to end; nothing more is read.
    pub(crate) is_closing: bool,
    /// It tells what it has taken of conflated subscriptions.
    pub(crate) uses_credit: bool,
    /// It has a conflated subscription and does not tell, so that little may be under way to it.
    pub(crate) has_bounded_buffers: bool,
    /// The options that it requested for its queue, for the next change of the configuration.
    pub(crate) requested: RequestedLimits,
    /// The most updates of a topic a second, by the configuration.
    pub(crate) updates_per_second: Option<NonZeroU32>,
    /// It was told that the router is drained, and not that this is over.
    pub(crate) knows_of_drain: bool,
    /// When it connected.
    pub(crate) since: u64,
    /// When it gave a sign of life last.
    pub(crate) last_received: u64,
    /// When it was last pinged.
    pub(crate) pinged_at: u64,
    /// Questions without an answer.
    pub(crate) missed: u32,
    /// Bytes that it had read by the last look, while nothing is taken from it before it reads.
    had_read: Option<u64>,
    /// The connection ends because of them.
    pub(crate) was_silent: bool,
    /// Messages that it published, requests among them.
    pub(crate) published: u64,
    /// Its producer, in guaranteed delivery.
    pub(crate) producer: Option<ProducerId>,
    /// Nothing is stored under the producer's name yet.
    pub(crate) new_producer: Option<NewProducer>,
    /// Its requests that were rejected.
    pub(crate) rejections: u64,
    /// When the log said so last.
    pub(crate) rejections_logged_at: Option<u64>,
    /// Ended subscriptions that are reported when it has read more of its earlier answers: the kind of the frame that
    /// asked for each, its number and why. While there are any, there is no room for answers, so the router reads
    /// nothing from it.
    pub(crate) late_rejections: VecDeque<(u8, u32, Rejected)>,
    pub(crate) bytes_in: u64,
    pub(crate) bytes_out: u64,
    /// Of the payload that it published last.
    pub(crate) format: u16,
}

impl ClientSession {
    pub(crate) fn new(id: ClientId, now: u64, peer: Peer, protocol: Protocol) -> Self {
        Self {
            id,
            peer,
            protocol,
            access: ClientAccess::unknown(),
            name: String::new(),
            is_greeted: false,
            is_closing: false,
            uses_credit: false,
            has_bounded_buffers: false,
            requested: RequestedLimits::default(),
            updates_per_second: None,
            knows_of_drain: false,
            since: now,
            last_received: now,
            pinged_at: 0,
            missed: 0,
            had_read: None,
            was_silent: false,
            published: 0,
            producer: None,
            new_producer: None,
            rejections: 0,
            rejections_logged_at: None,
            late_rejections: VecDeque::new(),
            bytes_in: 0,
            bytes_out: 0,
            format: 0,
        }
    }

    /// Whether it has read something since the last look, of both of which it is known how many bytes were under way.
    pub(crate) fn has_read(&mut self, under_way: Option<usize>) -> bool {
        let read = under_way.map(|bytes| self.bytes_out.saturating_sub(bytes as u64));
        let before = std::mem::replace(&mut self.had_read, read);
        before.is_some() && read > before
    }

    /// Its limits: as configured, or lower if it requested lower ones.
    pub(crate) fn options(&self, config: &Config) -> ClientOptions {
        let mut options = config.client_options(&self.name, self.access.identity());
        self.requested.lower(&mut options);
        options
    }

    /// Where names of producers come from that it brings in.
    pub(crate) fn origin(&self) -> Origin {
        match self.access.identity() {
            // A name that a client gives itself limits nobody.
            it @ (Identity::User(_) | Identity::Certificate(_)) => {
                Origin { client: it.to_string().into(), host: Box::default() }
            }
            _ => Origin { client: self.name.as_str().into(), host: self.peer.host().into() },
        }
    }

    /// How the log calls it.
    pub(crate) fn label(&self) -> Label<'_> {
        Label(self)
    }

    /// How its bytes travel, and what they are: `tcp/native/fix`.
    pub(crate) fn profile(&self) -> String {
        let format = match trunkline_native::format::name(self.format) {
            Some(name) => name.to_owned(),
            None => format!("format-{}", self.format),
        };
        format!("{}/{}/{format}", self.peer.transport, self.protocol.name())
    }
}

/// Name and number of a client.
pub(crate) struct Label<'a>(&'a ClientSession);

impl fmt::Display for Label<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ClientSession { id, name, .. } = self.0;
        let name = if name.is_empty() { "client" } else { name };
        write!(out, "{name}#{}.{}", id.index, id.generation)
    }
}
