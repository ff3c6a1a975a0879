//! Two processes of one subject, the ends of a connection, and what they say to each other.

use std::path::Path;
use std::thread;
use std::time::Duration;

use trunkline_message::Limits;
use trunkline_net::tcp::{Connection, Listener, Stream, Wait};
use trunkline_net::{Fix, Framer, LengthPrefixed, Xml};

use super::Setting;
use super::series::{Series, find_or_add};
use crate::experiment::SubjectStatus;
use crate::link::Proxy;
use crate::market_data::messages;
use crate::peer::{ANSWER_TIMEOUT, Carried, Flow, Paced, Peer, PeerError, Reply, RoundTrip};
use crate::{answer, format};
use trunkline_experiment::definition::{Content, Slow, Waiting};
use trunkline_experiment::format::{Encoding, Format};
use trunkline_experiment::link::Link;
use trunkline_experiment::names::BARE;
use trunkline_experiment::subjects::TRUNKLINE;

/// Different messages of one length that go round.
const MESSAGES: usize = 64;

/// One subject with one format: a process at each end.
pub(super) struct Pair {
    pub(super) name: String,
    pub(super) format: Format,
    client: Peer,
    server: Peer,
    /// Bytes of the longest message that is loaded.
    longest: usize,
    /// Both ends were seen to decode and encode.
    is_tried: bool,
}

/// One repetition of round trips, a time for each message.
pub(super) struct Exchange {
    pub(super) client: Vec<RoundTrip>,
    pub(super) server: Vec<Reply>,
}

/// One repetition of pouring, as both ends saw it.
pub(super) struct Poured {
    pub(super) sent: Flow,
    pub(super) received: Flow,
    /// How long a shaped link was busy with it, in nanoseconds.
    pub(super) link_busy: Option<u64>,
}

impl Pair {
    /// Starts both ends of our own subject, or with `is_bare` of the one without a codec.
    pub(super) fn ours(
        setting: &Setting<'_>,
        format: Format,
        is_bare: bool,
    ) -> Result<Self, PeerError> {
        let (name, arguments): (_, &[&str]) =
            if is_bare { (BARE, &["lab", "end", "--bare"]) } else { (TRUNKLINE, &["lab", "end"]) };
        Self::start(name, format, &setting.request.program, arguments)
    }

    /// Starts both ends of the peer that stands for a format; None if it is not on this machine.
    pub(super) fn of_peer(
        setting: &Setting<'_>,
        format: Format,
    ) -> Option<Result<Self, PeerError>> {
        let name = setting.request.definition.successor(format)?;
        let (_, program) = setting.request.peers.found().find(|(known, _)| known.name == name)?;
        Some(Self::start(name, format, program, &[]))
    }

    fn start(
        name: &str,
        format: Format,
        program: &Path,
        arguments: &[&str],
    ) -> Result<Self, PeerError> {
        let start = || Peer::start_with(name, program, arguments, ANSWER_TIMEOUT);
        let (client, server) = (start()?, start()?);
        let name = name.to_owned();
        Ok(Self { name, format, client, server, longest: 0, is_tried: false }.pinned())
    }

    /// Lets the ends run on different processors where there are two, so that the scheduler's choice,
    /// which moves a round trip by a factor of five, is not what is measured.
    fn pinned(self) -> Self {
        self.client.pin(0);
        self.server.pin(1);
        self
    }

    pub(super) fn version(&self) -> &str {
        &self.client.greeting().version
    }

    /// Its repetitions in a case over a transport, with messages of so many entries.
    pub(super) fn series<'a>(
        &self,
        all: &'a mut Vec<Series<Format>>,
        (case, transport, entries): (&str, &str, u32),
    ) -> &'a mut Series<Format> {
        let Self { name, format, .. } = self;
        let entries = Some(entries);
        let is_it =
            |it: &Series<Format>| (&it.subject, it.of, it.entries) == (name, *format, entries);
        find_or_add(all, is_it, || {
            let mut series = Series::new(*format, case, name, format.profile_over(transport));
            series.entries = entries;
            series
        })
    }

    /// True if it sends bytes and has no codec.
    pub(super) fn is_bare(&self) -> bool {
        self.name == BARE
    }

    /// Hands both ends the messages of one length and, once a length, checks that each end sends what
    /// it was given: the lab itself sits at the other end.
    pub(super) fn load(
        &mut self,
        setting: &Setting<'_>,
        entries: u32,
    ) -> Result<(), SubjectStatus> {
        let structs = messages::sample(&setting.request.day, entries as usize, MESSAGES);
        let corpus = format::corpus(self.format, &structs).expect("every format carries it");
        if !self.is_bare() && !self.is_tried {
            for end in [&mut self.client, &mut self.server] {
                end.try_disguised(self.format.name(), &corpus)?;
            }
            self.is_tried = true;
        }
        self.client.load(self.format.name(), &corpus)?;
        self.server.load(self.format.name(), &corpus)?;
        self.longest = corpus.iter().map(Vec::len).max().unwrap_or_default();
        let check = answer::check(self.format, &structs);
        let echoes = [
            ("replies", self.replies(&corpus)?),
            ("sends", self.sends(Errand::Call, corpus.len())?),
            ("pours", self.sends(Errand::Pour, corpus.len())?),
        ];
        for (end, echo) in echoes {
            if echo.len() != corpus.len() {
                let (found, sent) = (echo.len(), corpus.len());
                let what = format!("{end} {found} messages of {sent}");
                return Err(SubjectStatus::WrongAnswer(what));
            }
            if self.is_bare() && echo != corpus {
                return Err(SubjectStatus::WrongAnswer(format!("{end} other bytes")));
            }
            check(&echo).map_err(|what| SubjectStatus::WrongAnswer(format!("{end}: {what}")))?;
        }
        Ok(())
    }

    /// What the server replies to the messages: the lab calls it.
    fn replies(&mut self, corpus: &[Vec<u8>]) -> Result<Vec<Vec<u8>>, SubjectStatus> {
        let port = self.server.listen()?;
        self.server.begin_reply(Wait::Blocking)?;
        thread::scope(|scope| {
            let format = self.format;
            let called = scope.spawn(move || call(format, port, corpus));
            // Its own account of what went wrong is better than what could be seen from here.
            let finished = self.server.finish_reply(corpus.len() as u64);
            if finished.is_err() {
                // One that never accepts would let the caller wait for ever.
                self.server.kill();
            }
            let called = called.join().unwrap_or(Ok(Vec::new()));
            finished?;
            called.map_err(|error| SubjectStatus::Failed(error.to_string()))
        })
    }

    /// What the client sends the lab on an errand.
    fn sends(&mut self, errand: Errand, count: usize) -> Result<Vec<Vec<u8>>, SubjectStatus> {
        let broken = |error: trunkline_net::Error| SubjectStatus::Failed(error.to_string());
        let listener = Listener::bind("127.0.0.1:0").map_err(broken)?;
        let address = format!("127.0.0.1:{}", listener.port().map_err(broken)?);
        let format = self.format;
        let receiver = thread::spawn(move || receive(format, &listener, errand));
        let carried = if self.is_bare() { Carried::Bytes } else { Carried::Structures };
        let sent = match errand {
            Errand::Call => self.client.call(&address, Wait::Blocking, count as u64).map(drop),
            Errand::Pour => self.client.pour(&address, count as u64, carried, None).map(drop),
        };
        if sent.is_err() {
            // It may never have called; the listener must not wait for ever.
            drop(Stream::connect(&address, Wait::Blocking));
        }
        let received = receiver.join().unwrap_or(Ok(Vec::new()));
        sent?;
        received.map_err(broken)
    }

    /// `count` round trips over the link after `warm_up` more that are not returned.
    pub(super) fn round_trips(
        &mut self,
        link: Link,
        wait: Waiting,
        warm_up: u32,
        count: u32,
    ) -> Result<Exchange, SubjectStatus> {
        let port = self.server.listen()?;
        let route = Route::to(link, port)?;
        let all = u64::from(warm_up) + u64::from(count);
        self.be_patient(link, all, Duration::ZERO);
        self.server.begin_reply(waits(wait))?;
        let client = self.client.call(&route.address(), waits(wait), all);
        let server = self.collect(client.is_err(), port, |server| server.finish_reply(all));
        let (mut client, mut server) = (client?, server?);
        client.drain(..warm_up as usize);
        server.drain(..warm_up as usize);
        Ok(Exchange { client, server })
    }

    /// `count` messages at `rate` a second, with the latencies of all, after `warm_up` more.
    pub(super) fn pace(
        &mut self,
        link: Link,
        rate: u32,
        warm_up: u32,
        count: u32,
    ) -> Result<Vec<Paced>, SubjectStatus> {
        let port = self.server.listen()?;
        let route = Route::to(link, port)?;
        let all = u64::from(warm_up) + u64::from(count);
        self.be_patient(link, all, Duration::from_secs_f64(all as f64 / f64::from(rate)));
        // It sends on one thread and receives on another, which must not get into each other's way.
        self.client.unpin();
        self.server.begin_reply(Wait::Blocking)?;
        let paced = self.client.pace(&route.address(), Wait::Blocking, rate.into(), all);
        self.client.pin(0);
        let replied = self.collect(paced.is_err(), port, |server| server.finish_reply(all));
        let (mut paced, _) = (paced?, replied?);
        paced.drain(..warm_up as usize);
        Ok(paced)
    }

    /// The server's answer, which is due whether or not the client's is good. A client that has failed
    /// may never have connected: the server must not wait for it for ever.
    fn collect<T>(
        &mut self,
        is_alone: bool,
        port: u16,
        finish: impl FnOnce(&mut Peer) -> Result<T, PeerError>,
    ) -> Result<T, PeerError> {
        if is_alone {
            drop(Stream::connect(&format!("127.0.0.1:{port}"), Wait::Blocking));
        }
        finish(&mut self.server)
    }

    /// Lets both ends take as long for one answer as so many messages and replies take on the link,
    /// and `more`, besides what any answer may take.
    fn be_patient(&mut self, link: Link, messages: u64, more: Duration) {
        let each = link.delay.as_nanos() as u64 + link.serialisation(self.longest as u64);
        let carried = Duration::from_nanos(each.saturating_mul(messages).saturating_mul(2));
        let timeout = ANSWER_TIMEOUT.saturating_add(carried).saturating_add(more);
        self.client.set_timeout(timeout);
        self.server.set_timeout(timeout);
    }

    /// `count` messages one way. `slow` is a side and how many times as slow it is.
    pub(super) fn pour(
        &mut self,
        link: Link,
        wait: Waiting,
        content: Content,
        slow: Option<(Slow, f64)>,
        count: u32,
    ) -> Result<Poured, SubjectStatus> {
        let factor = |side| slow.filter(|(slow, _)| *slow == side).map(|(_, factor)| factor);
        let port = self.server.listen()?;
        let route = Route::to(link, port)?;
        let (count, carried) = (u64::from(count), carried_of(content));
        self.be_patient(link, count, Duration::ZERO);
        self.server.begin_drain(waits(wait), carried, factor(Slow::Receiver))?;
        let sent = self.client.pour(&route.address(), count, carried, factor(Slow::Sender));
        let received = self.collect(sent.is_err(), port, |server| server.finish_drain(count));
        let (sent, received) = (sent?, received?);
        let link_busy = route.proxy.as_ref().map(|proxy| proxy.busy_nanoseconds().0);
        Ok(Poured { sent, received, link_busy })
    }

    /// Bytes of the loaded messages on the wire, on average.
    pub(super) fn bytes(&self, setting: &Setting<'_>, entries: u32) -> f64 {
        let structs = messages::sample(&setting.request.day, entries as usize, MESSAGES);
        let corpus = format::corpus(self.format, &structs).expect("every format carries it");
        let total: usize = corpus.iter().map(Vec::len).sum();
        total as f64 / corpus.len() as f64
    }
}

type Messages = Vec<Vec<u8>>;

/// What one end sends messages for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Errand {
    /// To get each of them back.
    Call,
    /// To have them received.
    Pour,
}

fn call(format: Format, port: u16, corpus: &[Vec<u8>]) -> trunkline_net::Result<Messages> {
    match format.encoding() {
        Encoding::Soap(..) => call_framed::<Xml>(port, corpus),
        Encoding::Fix => call_framed::<Fix>(port, corpus),
        Encoding::Cdr(_) => call_framed::<LengthPrefixed>(port, corpus),
    }
}

fn receive(format: Format, listener: &Listener, errand: Errand) -> trunkline_net::Result<Messages> {
    match format.encoding() {
        Encoding::Soap(..) => receive_framed::<Xml>(listener, errand),
        Encoding::Fix => receive_framed::<Fix>(listener, errand),
        Encoding::Cdr(_) => receive_framed::<LengthPrefixed>(listener, errand),
    }
}

fn call_framed<F: Framer + Default>(
    port: u16,
    corpus: &[Vec<u8>],
) -> trunkline_net::Result<Messages> {
    let stream = Stream::connect(&format!("127.0.0.1:{port}"), Wait::Blocking)?;
    let mut connection = Connection::new(stream, F::default(), Limits::default())?;
    let mut replies = Vec::new();
    for message in corpus {
        connection.send(message)?;
        replies.extend(connection.receive()?.map(<[u8]>::to_vec));
    }
    Ok(replies)
}

fn receive_framed<F: Framer + Default>(
    listener: &Listener,
    errand: Errand,
) -> trunkline_net::Result<Messages> {
    let stream = listener.accept(Wait::Blocking)?;
    let mut connection = Connection::new(stream, F::default(), Limits::default())?;
    let mut messages: Vec<Vec<u8>> = Vec::new();
    while let Some(message) = connection.receive()?.map(<[u8]>::to_vec) {
        if errand == Errand::Call {
            connection.send(&message)?;
        }
        messages.push(message);
    }
    Ok(messages)
}

/// How to get to a port: at once or through a shaped link.
struct Route {
    port: u16,
    proxy: Option<Proxy>,
}

impl Route {
    fn to(link: Link, port: u16) -> Result<Self, SubjectStatus> {
        let broken = |error: crate::link::ProxyError| SubjectStatus::Failed(error.to_string());
        let proxy = (link != Link::DIRECT)
            .then(|| Proxy::start(link, ([127, 0, 0, 1], port).into()).map_err(broken))
            .transpose()?;
        Ok(Self { port, proxy })
    }

    fn address(&self) -> String {
        match &self.proxy {
            Some(proxy) => proxy.address().to_string(),
            None => format!("127.0.0.1:{}", self.port),
        }
    }
}

fn waits(waiting: Waiting) -> Wait {
    match waiting {
        Waiting::Blocking => Wait::Blocking,
        Waiting::Spinning => Wait::Spinning,
    }
}

fn carried_of(content: Content) -> Carried {
    match content {
        Content::Structures => Carried::Structures,
        Content::Encoded => Carried::Bytes,
    }
}
