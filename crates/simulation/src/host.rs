//! The router: its event loop on a simulated platform, and the checks of what it reads and writes.

mod connection;
mod ledgers;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::mpsc;

use trunkline_native::{RouterFrame, decode_router};
use trunkline_reactor::Address;
use trunkline_server::event_loop::{LINGER, ProtocolListener, wanted_listeners};
use trunkline_server::platform::{Deadline, Platform as _};
use trunkline_server::server::Command;
use trunkline_server::{Config, ConnectionId, Engine, EventLoop};

use crate::history::History;
use crate::kernel::Kernel;
use crate::link::{End, LinkOptions};
use crate::model::Caps;
use crate::report::{Checked, Counts, Trace, Violation, ensure, violation};
use crate::seen;
use crate::simulated::{SharedKernel, Simulated};
use crate::watch::{Turns, Watch};

pub(crate) use crate::kernel::LinkId;
pub(crate) use connection::{Connection, Expected};

/// Changes bytes between the event loop and the checks; the second argument takes the frames instead of
/// the first. It is how tests show that the checks see something.
pub(crate) type Tamper = Box<dyn FnMut(&[u8], &mut Vec<u8>)>;

/// How a client connects.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub(crate) actor: usize,
    pub(crate) link_options: LinkOptions,
    pub(crate) caps: Caps,
}

/// The event loop with its streams.
pub(crate) struct Host {
    event_loop: EventLoop<Simulated>,
    pub(crate) kernel: SharedKernel,
    address: Address,
    pub(crate) history: History,
    pub(crate) connections: BTreeMap<LinkId, Connection>,
    pub(crate) counts: Counts,
    pub(crate) trace: Trace,
    watch: Watch,
    tamper: Option<Tamper>,
}

/// An event loop that listens where its configuration says.
pub(crate) fn event_loop(
    config: &Config,
    engine: Engine,
    kernel: &SharedKernel,
) -> Result<EventLoop<Simulated>, Violation> {
    let mut platform = Simulated(Rc::clone(kernel));
    let mut listeners = Vec::new();
    for (configured, protocol) in wanted_listeners(config) {
        let socket = platform.bind(&configured, protocol).map_err(failed)?;
        listeners.push(ProtocolListener { socket, protocol, configured });
    }
    EventLoop::new(engine, platform, listeners).map_err(failed)
}

/// The loop has failed.
pub(crate) fn failed(error: std::io::Error) -> Violation {
    Violation { checker: "event loop", what: error.to_string() }
}

impl Host {
    pub(crate) fn new(
        config: &Config,
        engine: Engine,
        kernel: Kernel,
        trace: Trace,
        tamper: Option<Tamper>,
    ) -> Result<Self, Violation> {
        let kernel = Rc::new(RefCell::new(kernel));
        Ok(Self {
            event_loop: event_loop(config, engine, &kernel)?,
            kernel,
            address: config.listen.native[0].clone(),
            history: History::new(config),
            connections: BTreeMap::new(),
            counts: Counts::default(),
            trace,
            watch: Watch::default(),
            tamper,
        })
    }

    /// The router, to look at.
    pub(crate) fn engine(&self) -> &Engine {
        self.event_loop.engine()
    }

    /// A client connects.
    pub(crate) fn connect(&mut self, arrival: Arrival) -> Option<LinkId> {
        let address = format!("simulated {}", arrival.actor);
        let link =
            self.kernel.borrow_mut().connect(&self.address, address, arrival.link_options)?;
        let is_tampered = self.tamper.is_some();
        self.connections.insert(link, Connection::new(arrival.caps, is_tampered));
        self.counts.connections += 1;
        self.trace.note(|| format!("actor {} connects by stream {link}", arrival.actor));
        Some(link)
    }

    /// A page connects. It has a model of its own.
    pub(crate) fn connect_page(&mut self, link_options: LinkOptions) -> Option<LinkId> {
        let address = Address::Tcp(self.engine().config().listen.websocket.clone()?);
        self.counts.connections += 1;
        self.kernel.borrow_mut().connect(&address, "simulated page".to_owned(), link_options)
    }

    /// A page reads at most so many bytes.
    pub(crate) fn receive_bytes(&mut self, link: LinkId, most: usize, into: &mut Vec<u8>) {
        if let Some(it) = self.kernel.borrow_mut().links.get_mut(&link) {
            it.client_reads(most, into);
        }
    }

    /// Whether a client has been told to go, and has had its time.
    pub(crate) fn is_late(&self, link: LinkId) -> bool {
        let kernel = self.kernel.borrow();
        let leaves_by = kernel.links.get(&link).and_then(|it| it.leaves_by);
        leaves_by.is_some_and(|by| kernel.now >= by)
    }

    /// A client leaves.
    pub(crate) fn leave(&mut self, link: LinkId, end: End) {
        if let Some(it) = self.kernel.borrow_mut().links.get_mut(&link) {
            it.leave(end);
            it.pending.writable |= it.is_full && end != End::Vanished;
        }
        self.trace.note(|| format!("stream {link}: the client has {end:?} it"));
        self.forget_ended(link);
    }

    /// A client writes what there is room for.
    pub(crate) fn send(&mut self, link: LinkId, bytes: &[u8]) -> usize {
        let mut kernel = self.kernel.borrow_mut();
        kernel.links.get_mut(&link).map_or(0, |it| it.client_writes(bytes))
    }

    /// A client reads at most so many bytes.
    pub(crate) fn receive(&mut self, link: LinkId, most: usize, into: &mut Vec<u8>) {
        let mut kernel = self.kernel.borrow_mut();
        let (Some(it), Some(at)) = (kernel.links.get_mut(&link), self.connections.get_mut(&link))
        else {
            return;
        };
        let before = into.len();
        it.client_reads(most, into);
        if let Some(tampered) = &mut at.tampered {
            // There may be more or fewer bytes than the router wrote.
            let is_all =
                it.to_client.is_empty() && it.session.held() == 0 && at.unwritten.is_empty();
            let length =
                if is_all { tampered.len() } else { tampered.len().min(into.len() - before) };
            into.truncate(before);
            into.extend(tampered.drain(..length));
        }
    }

    /// Whether the client has read all that it ever will.
    pub(crate) fn is_over(&self, link: LinkId) -> bool {
        self.kernel.borrow().links.get(&link).is_none_or(|it| it.is_over())
    }

    /// A client has read all that it ever will: it knows why, unless it was too late.
    pub(crate) fn check_end(&self, link: LinkId) -> Checked {
        let kernel = self.kernel.borrow();
        let (Some(it), Some(at)) = (kernel.links.get(&link), self.connections.get(&link)) else {
            return Ok(());
        };
        let knows = at.model.is_closed && at.expected.is_empty();
        ensure(
            knows || it.is_dropped && it.leaves_by.is_some_and(|by| kernel.now >= by),
            "lingering",
            || format!("stream {link} has ended, and its client has not read why"),
        )
    }

    /// Turns until nothing is left to do at this time.
    pub(crate) fn turns(&mut self, now: u64) -> Checked {
        self.kernel.borrow_mut().now = now;
        let mut turns = Turns::default();
        while turns.is_due(&self.event_loop, &self.kernel)? {
            self.turn(now)?;
        }
        self.watch.check_asleep(&self.kernel.borrow())
    }

    /// A turn of the loop.
    fn turn(&mut self, now: u64) -> Checked {
        self.counts.turns += 1;
        let (accounts, published) = (self.accounts(), self.offered());
        let ended = self.watch.turn(&mut self.event_loop, &self.kernel)?;
        self.counts.rejected = self.engine().totals().rejected_connections;
        for link in ended {
            self.counts.closed_by_router += 1;
            self.trace.note(|| format!("stream {link} is ended by the router"));
        }
        self.learn_who_is_connected();
        self.note_uses(now)?;
        if self.offered() == published {
            self.check_gone(&accounts)?;
        }
        let links: Vec<LinkId> = self.connections.keys().copied().collect();
        for link in &links {
            self.tap(now, *link)?;
        }
        self.check_delivered()?;
        let links: Vec<LinkId> = self.kernel.borrow().links.keys().copied().collect();
        for link in links {
            self.forget_ended(link);
        }
        Ok(())
    }

    /// How much was offered to subscriptions: messages and last values.
    fn offered(&self) -> (u64, u64) {
        (self.counts.published, self.engine().router().last_value_totals().offered)
    }

    fn learn_who_is_connected(&mut self) {
        let mut ids: BTreeMap<LinkId, ConnectionId> =
            self.event_loop.streams().map(|(id, stream)| (stream.link, id)).collect();
        for (link, at) in &mut self.connections {
            at.id = ids.remove(link);
        }
    }

    /// Reads a second time what the engine made use of.
    fn note_uses(&mut self, now: u64) -> Checked {
        let Self { kernel, connections, history, counts, .. } = self;
        let mut kernel = kernel.borrow_mut();
        for (link, used) in std::mem::take(&mut kernel.uses) {
            let Some(it) = kernel.links.get_mut(&link) else { continue };
            ensure(used <= it.unused.len(), "reading", || {
                format!("stream {link}: {used} bytes are used, {} were read", it.unused.len())
            })?;
            let bytes: Vec<u8> = it.unused.drain(..used).collect();
            let Some(at) = connections.get_mut(&link) else { continue };
            let before = history.messages();
            let read = at.took(now, &bytes, history);
            counts.published += history.messages() - before;
            ensure(read == used || at.reader.is_broken, "reading", || {
                format!("stream {link}: {used} bytes are used, {read} are whole frames")
            })?;
        }
        counts.released += std::mem::take(&mut kernel.released);
        Ok(())
    }

    /// Checks what the loop has written, and what waits for room, against the model.
    fn tap(&mut self, now: u64, link: LinkId) -> Checked {
        let Self { event_loop, kernel, connections, history, counts, trace, tamper, .. } = self;
        let Some(at) = connections.get_mut(&link) else { return Ok(()) };
        let mut kernel = kernel.borrow_mut();
        let Some(it) = kernel.links.get_mut(&link) else { return Ok(()) };
        let written = std::mem::take(&mut it.written);
        let output = at.id.map(|id| event_loop.engine().output(id));
        let rendered = at.rendered(&written, output)?;
        let mut changed = Vec::new();
        let mut rest = &*rendered;
        if let Some(tamper) = tamper {
            tamper(rest, &mut changed);
            rest = &changed;
        }
        at.tampered.iter_mut().for_each(|it| it.extend(rest));
        while !rest.is_empty() {
            let (frame, length) = match decode_router(rest, u32::MAX) {
                Ok(Some(found)) => found,
                // It is gone, and what was left of the frame with it.
                Ok(None) if output.is_none() => break,
                _ => return violation("output", format!("{rest:?} is no whole frame")),
            };
            trace.note(|| format!("stream {link} <- {}", brief(&frame)));
            at.model.frame(now, &frame, history, counts)?;
            at.written += length as u64;
            let name = match &frame {
                RouterFrame::Message(it) => at.model.name(it.topic),
                RouterFrame::Gap(it) => at.model.name(it.topic),
                _ => None,
            };
            let is_message = matches!(frame, RouterFrame::Message(_));
            if let Some(seen) = seen::of_frame(&frame, name.unwrap_or_default()) {
                at.expected.push_back(Expected { end: at.written, seen, is_message });
            }
            rest = &rest[length..];
        }
        Ok(())
    }

    /// Forgets a stream that both sides have left.
    fn forget_ended(&mut self, link: LinkId) {
        let links = &mut self.kernel.borrow_mut().links;
        // Pages have models of their own.
        links.get_mut(&link).into_iter().for_each(|it| it.written.clear());
        if links.get(&link).is_some_and(|it| it.is_dropped && it.client_end.is_some()) {
            links.remove(&link);
            self.connections.remove(&link);
        }
    }

    /// The configuration changes.
    pub(crate) fn reconfigure(&mut self, now: u64, config: &Config) -> Checked {
        // The model gets the options.
        self.check_ledgers()?;
        let (answer, answers) = mpsc::sync_channel(1);
        let command = Command::Reconfigure(Box::new(config.clone()), answer);
        self.kernel.borrow_mut().commands.push(command);
        self.turns(now)?;
        ensure(answers.try_recv() == Ok(Ok(())), "event loop", || "it is not reconfigured".into())?;
        self.counts.reconfigured += 1;
        self.trace
            .note(|| format!("another configuration: {:?}, {:?}", config.client, config.limits));
        Ok(())
    }

    /// Tells the router of all clients that are gone without a word, but for those that it ends soon: it has to
    /// do that by itself.
    pub(crate) fn break_vanished(&mut self) {
        let mut kernel = self.kernel.borrow_mut();
        let soon = kernel.now + LINGER;
        for it in kernel.links.values_mut() {
            let goes_soon = it.leaves_by.is_some_and(|by| by <= soon);
            if it.client_end == Some(End::Vanished) && !goes_soon {
                it.leave(End::Broken);
                it.pending.writable |= it.is_full;
            }
        }
    }

    /// When something happens of itself.
    pub(crate) fn next_deadline(&self) -> Option<u64> {
        let next = match self.event_loop.deadline() {
            Deadline::Now => Some(0),
            Deadline::At(time) => Some(time),
            Deadline::Never => None,
        };
        next.into_iter().chain(self.kernel.borrow().next_outcome()).min()
    }

    /// Whether no message and no end of a connection is under way.
    pub(crate) fn is_quiet(&self) -> bool {
        let kernel = self.kernel.borrow();
        self.engine().router().view().totals().ledger.queued == 0
            && self.connections.values().all(|it| it.expected.is_empty())
            && kernel.links.values().all(|it| it.leaves_by.is_none() || it.is_dropped)
    }
}

/// A frame without its payload.
fn brief(frame: &RouterFrame<'_>) -> String {
    match frame {
        RouterFrame::Message(it) => format!(
            "message {} of topic {} for subscription {}, {:?}, last value {:?}, {} bytes",
            it.sequence,
            it.topic,
            it.subscription,
            it.conflation,
            it.last_value,
            it.payload.len()
        ),
        RouterFrame::Reply(it) => format!("reply to {}", it.correlation),
        other => format!("{other:?}"),
    }
}
