//! A machine with a disk and a router on it, which die and start again.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;
use std::sync::mpsc::{self, Receiver};

use trunkline_journal::simulated::Fault;
use trunkline_journal::{Disk as _, segment_name};
use trunkline_reactor::Address;
use trunkline_server::administration::{Answer, Rejection, Request};
use trunkline_server::config::{DurableRule, JournalRule};
use trunkline_server::engine::StoreRequest;
use trunkline_server::server::Command;
use trunkline_server::{Config, Engine, EventLoop};
use trunkline_store::{Forwarding, Level, Store};

use super::PowerCounts;
use super::model::messages_in;
use super::page::Page;
use super::pauses::Pauses;
use crate::host::event_loop;
use crate::kernel::{DiskWork, Kernel, LinkId};
use crate::link::{End, LinkOptions};
use crate::report::{Checked, violation};
use crate::simulated::{SharedKernel, Simulated};
use crate::watch::{Turns, Watch};
use trunkline_random::Random;

/// Nanoseconds since 1970 when a run begins.
const EPOCH: u64 = 1_700_000_000_000_000_000;

/// How many events before a failure are told.
const RECENT: usize = 60;

/// The durable subscription with a limit of deliveries, and the topic of its dead letters.
const LIMITED: &str = "durable-0";
pub(crate) const DEAD_LETTERS: &str = "dead/0";

/// Bytes that a stream holds on its way to the router.
const TO_ROUTER: usize = 32 << 10;

pub(crate) struct Machine {
    kernel: SharedKernel,
    event_loop: Option<EventLoop<Simulated>>,
    watch: Watch,
    config: Config,
    pub(crate) now: u64,
    /// The clients that are pages.
    pages: BTreeMap<LinkId, Page>,
    /// What clients have sent, and their kernels not yet.
    outgoing: BTreeMap<LinkId, Vec<u8>>,
    /// Messages that are on disk, or were being written when the router died.
    synced: Rc<RefCell<BTreeSet<(u64, u64)>>>,
    random: Random,
    recent: VecDeque<String>,
    /// What comes of the rotation that was asked for last.
    rotation: Option<Receiver<Result<Answer, Rejection>>>,
    pauses: Pauses,
}

fn config() -> Config {
    let mut config = crate::open_config();
    config.journal.directory = Some("simulated".into());
    config.journal.segment_bytes = 32 << 10;
    config.journal.bytes = 1 << 20;
    config.journal.memory_bytes = 8 << 10;
    config.journal.pending_bytes = 16 << 10;
    config.journal.keep = std::time::Duration::from_millis(200);
    config.journal.producer_window = 64;
    config.limits.frame_bytes = 8 << 10;
    let rule = |topics: &str, durability, delivery| JournalRule {
        topics: topics.to_owned(),
        durability: Some(durability),
        delivery: Some(delivery),
    };
    config.journal.rules = vec![rule("cut/>", Level::Disk, Forwarding::CutThrough)];
    config.journal.durables = vec![DurableRule {
        name: LIMITED.to_owned(),
        acknowledge_within: Some(std::time::Duration::from_millis(10)),
        deliveries: Some(3),
        dead_letters: Some(DEAD_LETTERS.to_owned()),
    }];
    config
}

impl Machine {
    pub(crate) fn new(seed: u64) -> Self {
        let synced = Rc::new(RefCell::new(BTreeSet::new()));
        let seen = Rc::clone(&synced);
        let mut kernel = Kernel::new();
        kernel.epoch = EPOCH;
        kernel.shuffles = Some(Random::stream(seed, 4));
        let note_synced = move |bytes: &[u8]| seen.borrow_mut().extend(messages_in(bytes));
        kernel.disk = Some(DiskWork::new(seed, Box::new(note_synced)));
        let mut machine = Self {
            kernel: Rc::new(RefCell::new(kernel)),
            event_loop: None,
            watch: Watch::default(),
            config: config(),
            now: 1_000_000,
            pages: BTreeMap::new(),
            outgoing: BTreeMap::new(),
            synced,
            random: Random::stream(seed, 2),
            recent: VecDeque::new(),
            rotation: None,
            pauses: Pauses::default(),
        };
        // An empty disk has nothing that could be wrong.
        let _ = machine.start(&mut PowerCounts::default());
        machine
    }

    pub(crate) fn note(&mut self, what: impl FnOnce() -> String) {
        if self.recent.len() == RECENT {
            self.recent.pop_front();
        }
        let now = self.now;
        self.recent.push_back(format!("{now:>12} ns  {}", what()));
    }

    pub(crate) fn recent(&self) -> Vec<String> {
        self.recent.iter().cloned().collect()
    }

    /// The router starts, on a disk that can be written to.
    pub(crate) fn start(&mut self, counts: &mut PowerCounts) -> Checked {
        let mut settings = self.config.journal.settings();
        // So small that what is known takes several pieces, and the power is cut between them.
        settings.piece_bytes = 248;
        let opened = self.with_disk(|work| {
            work.disk.set_fault(Fault::None);
            Store::open(&mut work.disk, settings, 4711)
        });
        let (store, opened) = match opened {
            Ok(it) => it,
            Err(error) => {
                return violation("damage", format!("the journal does not open: {error}"));
            }
        };
        counts.torn += u64::from(opened.journal.torn.is_some());
        self.note(|| format!("the router starts: {:?}", opened.journal));
        let engine = Engine::with_store(&self.config, store, EPOCH);
        self.watch = Watch::default();
        let event_loop = event_loop(&self.config, engine, &self.kernel)?;
        self.pauses.check(&event_loop)?;
        self.event_loop = Some(event_loop);
        Ok(())
    }

    fn with_disk<T>(&self, act: impl FnOnce(&mut DiskWork) -> T) -> T {
        let mut kernel = self.kernel.borrow_mut();
        act(kernel.disk.as_mut().expect("a machine has a disk"))
    }

    /// The router dies, or the machine.
    pub(crate) fn die(&mut self, power: bool, counts: &mut PowerCounts) {
        self.note(|| if power { "the power is cut".into() } else { "the router is killed".into() });
        for link in self.kernel.borrow_mut().links.values_mut() {
            link.to_router.clear();
        }
        self.outgoing.clear();
        self.pauses.died();
        self.event_loop = None;
        let Self { kernel, random, synced, .. } = self;
        let kernel = &mut *kernel.borrow_mut();
        kernel.listeners.clear();
        kernel.commands.clear();
        kernel.uses.clear();
        for link in kernel.links.values_mut() {
            link.is_dropped = true;
            link.session.clear();
            // What the router had written may still arrive, or some of it.
            let kept = random.part(link.to_client.len());
            link.to_client.truncate(kept);
        }
        let Some(work) = &mut kernel.disk else { return };
        let writing = work.commit.take().map(|(_, commit)| commit);
        (work.task, work.read) = (None, None);
        let chunks = writing.iter().flat_map(|it| &it.chunks);
        let writes: Vec<_> = chunks
            .map(|it| (segment_name(it.at.segment), u64::from(it.at.offset), &it.bytes[..]))
            .collect();
        // Some of it may be found when the journal is opened.
        for chunk in work.failed.take().iter().chain(&writing).flat_map(|it| &it.chunks) {
            synced.borrow_mut().extend(messages_in(&chunk.bytes));
        }
        counts.in_write += u64::from(!writes.is_empty());
        let mut draw = |below| random.below(below);
        if power {
            counts.power_cuts += 1;
            work.disk.cut_power(&writes, &mut draw);
        } else {
            counts.kills += 1;
            work.disk.kill(&writes, &mut draw);
        }
    }

    /// Whether a message has been written and synced, or may have been when a router died.
    pub(crate) fn is_synced(&self, id: (u64, u64)) -> bool {
        self.synced.borrow().contains(&id)
    }

    /// A bit of a segment that is not the last one changes; whether there was one.
    pub(crate) fn flip(&mut self) -> bool {
        let Ok(names) = self.with_disk(|work| work.disk.names()) else { return false };
        let mut segments: Vec<String> =
            names.into_iter().filter(|name| name.ends_with(".journal")).collect();
        segments.sort();
        segments.truncate(segments.len().saturating_sub(2));
        if segments.len() < 2 {
            return false;
        }
        // The oldest stays as it is: two in a row could take what was known away.
        let name = &segments[self.random.between(1, segments.len() as u64 - 1) as usize];
        let length = self.with_disk(|work| work.disk.length(name)).unwrap_or(1);
        let (byte, bit) = (self.random.below(length) as usize, self.random.below(8) as u8);
        self.with_disk(|work| work.disk.flip(name, byte, bit));
        // What is damaged may be what was kept of a pause.
        self.pauses.forget();
        self.note(|| format!("bit {bit} of byte {byte} of {name} flips"));
        true
    }

    /// No client is a page.
    #[cfg(test)]
    pub(crate) fn without_pages(&mut self) {
        self.config.listen.websocket = None;
    }

    /// Creating a segment takes this long at least; nanoseconds.
    #[cfg(test)]
    pub(crate) fn create_segments_in(&mut self, time: u64) {
        self.with_disk(|work| work.creates_in = time);
    }

    pub(crate) fn fill(&mut self) {
        self.note(|| "the disk is full".into());
        self.with_disk(|work| work.disk.set_room(Some(work.disk.bytes())));
    }

    pub(crate) fn fail(&mut self) {
        self.note(|| "the disk fails".into());
        self.with_disk(|work| work.disk.set_fault(Fault::Writes));
    }

    pub(crate) fn mend(&mut self) {
        self.with_disk(|work| {
            work.disk.set_room(None);
            work.disk.set_fault(Fault::None);
        });
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.event_loop.as_ref().is_some_and(|it| it.engine().store().journal().failure().is_some())
    }

    /// An administrator asks for something; whether it is asked at all. It is done in the next turn.
    pub(crate) fn administer(&mut self, request: &StoreRequest) -> bool {
        if self.event_loop.is_none() {
            return false;
        }
        self.note(|| format!("an administrator asks for {request:?}"));
        let (answer, answers) = mpsc::sync_channel(1);
        let command = Command::Administer(Request::Store(request.clone()), answer);
        self.kernel.borrow_mut().commands.push(command);
        self.pauses.asked(request, answers);
        true
    }

    /// Moves and purges that may have been made since the last look.
    pub(crate) fn under_way(&mut self) -> Vec<StoreRequest> {
        self.pauses.under_way()
    }

    /// A client connects, if a router listens. Some are pages.
    pub(crate) fn connect(&mut self, counts: &mut PowerCounts) -> Option<LinkId> {
        let back = self.random.pick(&[1 << 10, 8 << 10, 64 << 10]) as usize;
        let link_options = LinkOptions::draw(&mut self.random, (TO_ROUTER, back));
        let websocket = self.config.listen.websocket.clone().map(Address::Tcp);
        let page = websocket.filter(|_| self.random.once_in(3));
        let is_page = page.is_some();
        let address = page.unwrap_or_else(|| self.config.listen.native[0].clone());
        let link =
            self.kernel.borrow_mut().connect(&address, "simulated".to_owned(), link_options)?;
        if is_page {
            counts.pages += 1;
            self.pages.insert(link, Page::default());
        }
        Some(link)
    }

    /// A client closes its connection, or it breaks.
    pub(crate) fn disconnect(&mut self, id: LinkId) {
        self.outgoing.remove(&id);
        self.pages.remove(&id);
        let end = self.random.pick(&[End::Closed, End::Broken]);
        if let Some(link) = self.kernel.borrow_mut().links.get_mut(&id) {
            link.leave(end);
            link.pending.writable |= link.is_full;
        }
    }

    /// Whether the router may still write to a client.
    pub(crate) fn is_open(&self, id: LinkId) -> bool {
        let kernel = self.kernel.borrow();
        kernel.links.get(&id).is_some_and(|link| !link.is_dropped && !link.is_finished)
    }

    pub(crate) fn send(&mut self, id: LinkId, bytes: &[u8]) {
        if self.is_open(id) {
            let outgoing = self.outgoing.entry(id).or_default();
            match self.pages.get_mut(&id) {
                Some(page) => outgoing.extend(page.say(bytes)),
                None => outgoing.extend_from_slice(bytes),
            }
        }
    }

    /// What has come for a client, or some of it.
    pub(crate) fn receive(&mut self, id: LinkId, into: &mut Vec<u8>) {
        let is_open = self.is_open(id);
        if let Some(link) = self.kernel.borrow_mut().links.get_mut(&id) {
            let length = link.to_client.len();
            let length = if is_open { self.random.part(length) } else { length };
            match self.pages.get_mut(&id) {
                Some(page) => {
                    link.client_reads(length, page.input());
                    page.receive(into);
                }
                None => link.client_reads(length, into),
            }
        }
    }

    /// An administrator asks for another segment of the journal.
    pub(crate) fn rotate(&mut self) {
        let (answer, answers) = mpsc::sync_channel(1);
        self.kernel.borrow_mut().commands.push(Command::Administer(Request::Rotate, answer));
        self.rotation = Some(answers);
    }

    /// Bytes arrive, the disk works, the router does what is due.
    pub(crate) fn turn(&mut self, counts: &mut PowerCounts) -> Checked {
        let Some(event_loop) = &mut self.event_loop else { return Ok(()) };
        {
            let mut kernel = self.kernel.borrow_mut();
            kernel.now = self.now;
            for (id, bytes) in &mut self.outgoing {
                let Some(link) = kernel.links.get_mut(id) else { continue };
                let length = self.random.part(bytes.len());
                let sent = link.client_writes(&bytes[..length]);
                bytes.drain(..sent);
            }
        }
        let mut turns = Turns::default();
        while turns.is_due(event_loop, &self.kernel)? {
            self.watch.turn(event_loop, &self.kernel)?;
            let mut kernel = self.kernel.borrow_mut();
            let uses = std::mem::take(&mut kernel.uses);
            for (id, bytes) in uses {
                kernel.links.get_mut(&id).into_iter().for_each(|it| _ = it.unused.drain(..bytes));
            }
            for link in kernel.links.values_mut() {
                link.written.clear();
            }
            kernel.links.retain(|_, link| !(link.is_dropped && link.client_end.is_some()));
        }
        if let Some(answers) = &self.rotation
            && let Ok(answer) = answers.try_recv()
        {
            counts.rotated += u64::from(answer.is_ok());
            self.rotation = None;
        }
        counts.pauses_kept += self.pauses.take();
        counts.segments_removed +=
            self.with_disk(|work| std::mem::take(&mut work.segments_removed));
        Ok(())
    }

    /// Whether nothing waits in these durable subscriptions, and all is on disk.
    pub(crate) fn is_quiet(&self, durables: &[String]) -> bool {
        let Some(engine) = self.event_loop.as_ref().map(EventLoop::engine) else { return false };
        self.kernel.borrow().disk.as_ref().is_some_and(|work| work.commit.is_none())
            && durables.iter().all(|name| {
                engine.store().account(name).is_none_or(|account| {
                    account.in_flight + account.waiting == 0 && !account.is_behind
                })
            })
    }

    pub(crate) fn describe(&self, durables: &[String]) -> String {
        let Some(engine) = self.event_loop.as_ref().map(EventLoop::engine) else {
            return "no router".into();
        };
        let accounts =
            durables.iter().map(|name| format!("{name}: {:?}", engine.store().account(name)));
        let journal = engine.store().journal();
        let (last, durable, pending) = (journal.last(), journal.durable(), journal.pending());
        let (shortage, failure) = (journal.shortage(), journal.failure());
        format!(
            "{}; journal at {last}, on disk to {durable}, {pending} bytes wait, {shortage:?} {failure:?}",
            accounts.collect::<Vec<_>>().join(", ")
        )
    }
}
