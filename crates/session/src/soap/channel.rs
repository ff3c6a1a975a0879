//! A client's channel of SOAP/TCP, used by one thread, which waits for each answer.

use std::sync::PoisonError;

use trunkline_http::{self as http, Bytes, ClientConfig};
use trunkline_message::Limits as MessageLimits;
use trunkline_soap::Version;

use super::carrier::{Came, Carrier, Wait, unasked};
use super::encoding::{Form, Forms, Sent};
use super::exchange::{Head, Reply};
use super::outgoing::Outgoing;
use super::shared::SharedConnection;
use super::url::Url;
use super::vocabularies::Vocabularies;
use super::{CallError, MessageEncoding};
use crate::profile::Retained;
use crate::soap_tcp::{Content, Opened};

/// The connection is made when it is needed, and made again when the server has closed it between two
/// calls. Of the options of HTTP those are heeded that HTTP is not needed for: time-outs, and the longest
/// answer.
#[derive(Debug)]
pub(super) struct Channel {
    authority: String,
    is_tls: bool,
    url: String,
    config: ClientConfig,
    shared: Option<SharedConnection>,
    limits: MessageLimits,
    vocabularies: Vocabularies,
    wanted: MessageEncoding,
    link: Option<Link>,
    sent: Option<Sent>,
    /// The vocabularies of a link that an error has ended.
    lost: Option<[Retained; 2]>,
}

/// An open channel, and what carries it.
#[derive(Debug)]
struct Link {
    carrier: Carrier,
    opened: Opened,
    content: Content,
    forms: Forms,
}

/// A channel of a shared connection whose client is gone.
#[derive(Debug)]
pub(super) struct Idle {
    link: Link,
    url: String,
    wanted: MessageEncoding,
    limits: MessageLimits,
    vocabularies: Vocabularies,
}

impl Channel {
    pub(super) fn new(url: &Url, config: ClientConfig) -> Self {
        Self {
            authority: url.authority.clone(),
            is_tls: url.is_tls,
            url: url.whole(),
            config,
            shared: None,
            limits: MessageLimits::default(),
            vocabularies: Vocabularies::default(),
            wanted: MessageEncoding::Xml,
            link: None,
            sent: None,
            lost: None,
        }
    }

    pub(super) fn over(shared: &SharedConnection, url: &Url) -> Self {
        let config = shared.0.config().clone();
        let mut channel = Self::new(url, config);
        channel.shared = Some(shared.clone());
        channel
    }

    pub(super) fn config(&self) -> &ClientConfig {
        &self.config
    }

    pub(super) fn prefer(&mut self, encoding: MessageEncoding) {
        self.wanted = encoding;
        self.give_up();
    }

    pub(super) fn set_limits(&mut self, limits: MessageLimits) {
        self.limits = limits;
        self.give_up();
    }

    pub(super) fn set_vocabularies(&mut self, vocabularies: Vocabularies) {
        self.vocabularies = vocabularies;
        self.give_up();
    }

    /// Goes on with another channel.
    fn give_up(&mut self) {
        self.link.take().iter().for_each(Link::give_up);
    }

    pub(super) fn sent(&self) -> Option<Sent> {
        self.sent
    }

    pub(super) fn form(&mut self, encoding: MessageEncoding) -> Option<&mut Form> {
        self.link.as_mut()?.forms.get(encoding)
    }

    pub(super) fn retained(&self) -> Option<[Retained; 2]> {
        self.link.as_ref().map_or(self.lost, |link| link.forms.retained())
    }

    /// Do its calls overlap with those of other channels of its connection? None as long as there is none.
    pub(super) fn overlaps(&self) -> Option<bool> {
        self.link.as_ref().map(|it| it.opened.overlaps())
    }

    /// Sends a message and waits for the answer, which is empty if there is none.
    pub(super) fn call(
        &mut self,
        head: &Head,
        message: &mut dyn Outgoing,
    ) -> Result<Reply, CallError> {
        if self.link.as_ref().is_some_and(|link| !link.is_usable(head.version)) {
            self.give_up();
        }
        let mut link = match self.link.take() {
            Some(link) if link.forms.is_full() => self.renew(link)?,
            Some(link) => link,
            None => self.connected(head.version)?,
        };
        let wait = Wait::new("response_timeout", self.config.response_timeout);
        let Link { carrier, opened, content, forms } = &mut link;
        let encoding = content.encoding;
        let document = match forms.write(encoding, message) {
            Ok(document) => document,
            Err(error) => {
                // What was not sent is in no vocabulary.
                self.link = Some(link);
                return Err(CallError::Request(error));
            }
        };
        self.sent = Some(Sent { encoding, bytes: document.len() });
        let came = carrier.exchange(opened.channel(), &wait, &mut |session| {
            session.call(opened, *content, &head.action, document);
        });
        // After an error that is not critical the next answer belongs to the next request. But nobody knows how
        // much of this one is in the server's vocabulary.
        let goes_on = match &came {
            Ok(_) => true,
            Err(CallError::Channel(error)) => {
                !error.code.is_critical() && encoding != MessageEncoding::StatefulFastInfoset
            }
            Err(_) => false,
        };
        let (encoding, body) = match came {
            Ok(Came::Answer(position, body)) => {
                (opened.content_at(position).map(|it| it.encoding), body)
            }
            Ok(Came::Nothing) => (Some(encoding), Bytes::new()),
            Ok(Came::Ready | Came::Opened(_)) => return Err(unasked()),
            Err(error) => {
                self.link = Some(link);
                if !goes_on {
                    self.lost = self.retained();
                    self.give_up();
                }
                return Err(error);
            }
        };
        self.link = Some(link);
        Ok(Reply { status: 200, encoding, body, package: None, hint: None })
    }

    /// Connects, and opens a channel.
    fn connected(&self, version: Version) -> Result<Link, CallError> {
        let wait = Wait::new("connect_timeout", self.config.connect_timeout);
        let carrier = match &self.shared {
            None => Carrier::own(&self.authority, self.is_tls, &self.config, &wait)?,
            Some(shared) => {
                let wire = shared.0.wire(&wait)?;
                if let Some(link) = self.idle(shared, version) {
                    return Ok(link);
                }
                Carrier::Shared(wire)
            }
        };
        self.open(carrier, version, &wait)
    }

    /// A channel that fits, and whose client is gone.
    fn idle(&self, shared: &SharedConnection, version: Version) -> Option<Link> {
        let mut all = shared.0.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let place = all.iter().position(|it| {
            let is_same = it.url == self.url && it.wanted == self.wanted;
            let has_same = it.limits == self.limits && it.vocabularies == self.vocabularies;
            is_same && has_same && it.link.is_usable(version)
        });
        place.map(|place| all.swap_remove(place).link)
    }

    /// Another channel on the same connection, whose vocabularies are empty.
    fn renew(&self, link: Link) -> Result<Link, CallError> {
        let wait = Wait::new("connect_timeout", self.config.connect_timeout);
        let Link { mut carrier, opened, content, .. } = link;
        let Came::Ready = carrier.exchange(0, &wait, &mut |it| it.close(&opened))? else {
            return Err(unasked());
        };
        self.open(carrier, content.version, &wait)
    }

    /// Opens the channel: of what is offered, the server chooses.
    fn open(&self, mut carrier: Carrier, version: Version, wait: &Wait) -> Result<Link, CallError> {
        use MessageEncoding::{FastInfoset, StatefulFastInfoset, Xml};
        let offered: &[MessageEncoding] = match self.wanted {
            Xml => &[Xml],
            FastInfoset => &[FastInfoset, Xml],
            StatefulFastInfoset => &[StatefulFastInfoset, FastInfoset, Xml],
        };
        let contents = offered.iter().map(|&encoding| Content { encoding, version });
        let contents: Vec<Content> = contents.collect();
        let is_shared = self.shared.is_some();
        let came = carrier.exchange(0, wait, &mut |session| match is_shared {
            true => session.open_overlapping(&self.url, &contents),
            false => session.open(&self.url, &contents),
        });
        let Came::Opened(opened) = came? else { return Err(unasked()) };
        if let Carrier::Shared(wire) = &carrier
            && opened.overlaps()
        {
            wire.overlap();
        }
        let Some(content) = contents.iter().find(|it| opened.content(**it).is_some()) else {
            let names: Vec<&str> = contents.iter().map(|it| it.name()).collect();
            let text = format!("the server opened no channel for {}", names.join(" or "));
            return Err(http::Error::Answer(text).into());
        };
        let forms = Forms::new(self.limits.clone(), self.vocabularies.clone());
        Ok(Link { carrier, opened, content: *content, forms })
    }
}

impl Drop for Channel {
    /// The channel of a shared connection is the next client's.
    fn drop(&mut self) {
        let (Some(shared), Some(link)) = (&self.shared, self.link.take()) else { return };
        if link.is_usable(link.content.version) {
            let (url, limits) = (std::mem::take(&mut self.url), self.limits.clone());
            let vocabularies = self.vocabularies.clone();
            let idle = Idle { link, url, wanted: self.wanted, limits, vocabularies };
            shared.0.idle.lock().unwrap_or_else(PoisonError::into_inner).push(idle);
        }
    }
}

impl Link {
    /// Its channel is used no more. Of a shared connection it stays open.
    fn give_up(&self) {
        if let Carrier::Shared(wire) = &self.carrier {
            wire.abandon(self.opened.channel());
        }
    }

    fn is_usable(&self, version: Version) -> bool {
        self.content.version == version && !self.forms.is_broken() && self.carrier.is_usable()
    }
}
