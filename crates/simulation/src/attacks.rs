//! What greedy clients do within their limits, and what a bystander's message waits for meanwhile: so many turns of
//! the loop, with so much work in them. There is no other clock, since the loop has one thread.

use std::cell::RefCell;
use std::rc::Rc;

use trunkline_native::{self as native, RouterFrame, Updates, format};
use trunkline_reactor::Address;
use trunkline_server::event_loop::SHARE;
use trunkline_server::{Config, Engine, EventLoop};
use trunkline_store::Store;

use crate::host::event_loop;
use crate::kernel::{DiskWork, Kernel, LinkId};
use crate::link::{LinkOptions, Transport};
use crate::page::OPENING;
use crate::simulated::{SharedKernel, Simulated};

/// Bytes that a turn may handle of others: as much of those that go on as of those that are read, each with the
/// share that reaches the bound.
const BYTES: usize = 2 * (8 * SHARE + 2 * SHARE);

/// Deliveries that one connection may make in a turn, with those of its last message.
const DELIVERIES: u64 = (64 << 10) + 256;

/// What a bystander's message has waited for.
#[derive(Debug, Default)]
struct Waited {
    turns: u32,
    /// The most bytes of others that a turn handled.
    bytes: usize,
    /// Deliveries of direct messages to all clients.
    deliveries: u64,
}

/// A router, and a bystander with a reader.
struct Arena {
    event_loop: EventLoop<Simulated>,
    kernel: SharedKernel,
    native: Address,
    writer: LinkId,
    reader: LinkId,
}

impl Arena {
    fn new(change: impl FnOnce(&mut Config)) -> Self {
        let mut config = crate::open_config();
        config.journal.directory = Some("simulated".into());
        change(&mut config);
        let mut kernel = Kernel::new();
        let mut work = DiskWork::new(1, Box::new(|_| {}));
        let opened = Store::open(&mut work.disk, config.journal.settings(), 1);
        let engine = Engine::with_store(&config, opened.expect("it opens").0, 0);
        kernel.disk = Some(work);
        let kernel = Rc::new(RefCell::new(kernel));
        let event_loop = event_loop(&config, engine, &kernel).unwrap_or_else(|it| panic!("{it:?}"));
        let native = config.listen.native[0].clone();
        let mut arena = Self { event_loop, kernel, native, writer: 0, reader: 0 };
        arena.reader = arena.client(|out| native::encode_subscribe(out, 1, Updates::All, "aside"));
        arena.writer = arena.client(|out| native::encode_topic(out, 0, "aside"));
        arena.rest();
        arena
    }

    fn connect(&mut self, address: &Address) -> LinkId {
        let link_options =
            LinkOptions { transport: Transport::Tcp, capacity: (1 << 20, 1 << 20), random: 1 };
        let mut kernel = self.kernel.borrow_mut();
        kernel.connect(address, "simulated".to_owned(), link_options).expect("it listens")
    }

    /// A client of the native protocol, with its first words.
    fn client(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> LinkId {
        let link = self.connect(&self.native.clone());
        let hello = native::Hello { version: native::VERSION, ..native::Hello::default() };
        self.send(link, |out| {
            native::encode_hello(out, &hello);
            write(out);
        });
        link
    }

    /// Sends as much as the stream holds.
    fn send(&mut self, link: LinkId, write: impl FnOnce(&mut Vec<u8>)) {
        let mut bytes = Vec::new();
        write(&mut bytes);
        let mut kernel = self.kernel.borrow_mut();
        kernel.links.get_mut(&link).expect("it is there").client_writes(&bytes);
    }

    /// Reads all that has come.
    fn receive(&mut self, link: LinkId) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut kernel = self.kernel.borrow_mut();
        kernel.links.get_mut(&link).expect("it is there").client_reads(usize::MAX, &mut bytes);
        bytes
    }

    /// A turn, and how many bytes of others it has handled.
    fn turn(&mut self) -> usize {
        self.event_loop.turn().expect("the loop goes on");
        let mut kernel = self.kernel.borrow_mut();
        let uses = std::mem::take(&mut kernel.uses);
        for (link, bytes) in &uses {
            kernel.links.get_mut(link).into_iter().for_each(|it| _ = it.unused.drain(..*bytes));
        }
        kernel.links.values_mut().for_each(|it| it.written.clear());
        uses.iter().filter(|(link, _)| *link != self.writer).map(|(_, bytes)| bytes).sum()
    }

    /// Turns until there is nothing to do at this time.
    fn rest(&mut self) {
        for _ in 0..100_000 {
            let is_idle = self.event_loop.deadline() != trunkline_server::platform::Deadline::Now;
            if is_idle && !self.kernel.borrow().has_pending() {
                return;
            }
            self.turn();
        }
        panic!("the loop does not come to rest");
    }

    /// The disk does what it was given; whether that was something.
    fn disk_works(&mut self) -> bool {
        let mut kernel = self.kernel.borrow_mut();
        let next = kernel.next_outcome();
        kernel.now = kernel.now.max(next.unwrap_or(0));
        next.is_some()
    }

    fn deliveries(&self) -> u64 {
        self.event_loop.engine().router().view().totals().ledger.published
    }

    /// The bystander publishes, now that others have done what they do.
    fn publish(&mut self) -> Waited {
        self.receive(self.reader);
        self.send(self.writer, |out| native::encode_publish(out, 0, format::TEXT, b"aside"));
        let (mut waited, before) = (Waited::default(), self.deliveries());
        loop {
            waited.turns += 1;
            waited.bytes = waited.bytes.max(self.turn());
            if !self.receive(self.reader).is_empty() {
                break;
            }
            assert!(waited.turns < 1_000, "it does not come: {waited:?}");
        }
        waited.deliveries = self.deliveries() - before;
        waited
    }

    /// The same again and again, beside so many others whose bytes wait: all of them may have a share first.
    #[track_caller]
    fn is_served(&mut self, times: u32, others: u64) {
        for _ in 0..times {
            let waited = self.publish();
            let is_soon = u64::from(waited.turns) <= 2 + others / 8
                && waited.bytes <= BYTES
                && waited.deliveries <= 2 * DELIVERIES + 1;
            assert!(is_soon, "{waited:?}");
        }
    }
}

fn store(out: &mut Vec<u8>, sequence: u64, payload: &[u8]) {
    let (alias, time_to_live_ms, is_repeated, format) = (0, 0, false, format::OPAQUE);
    let it = native::Store { alias, time_to_live_ms, sequence, is_repeated, format, payload };
    native::encode_store(out, &it);
}

/// A producer that has sent so many messages to store.
fn producer(arena: &mut Arena, number: u64, messages: u64, payload: &[u8]) -> LinkId {
    arena.client(|out| {
        native::encode_topic(out, 0, "orders/new");
        native::encode_producer(out, &format!("desk-{number}"));
        (1..=messages).for_each(|sequence| store(out, sequence, payload));
    })
}

/// As many subscriptions as match one topic: each message of twelve bytes is 256 deliveries.
#[test]
fn one_that_gets_each_of_its_messages_many_times_keeps_nobody_waiting() {
    let mut arena = Arena::new(|_| {});
    let most = Config::default().limits.overlaps_per_client as u32;
    let greedy = arena.client(|out| {
        for number in 0..most {
            native::encode_subscribe(out, number, Updates::All, "greedy/>");
        }
        native::encode_topic(out, 0, "greedy/1");
    });
    arena.rest();
    arena.receive(greedy);
    arena.send(greedy, |out| {
        (0..4_000).for_each(|_| native::encode_publish(out, 0, format::TEXT, b""));
    });
    for _ in 0..20 {
        let waited = arena.publish();
        // As many as its last message of a turn brings, and no second message.
        assert!(
            waited.turns <= 2 && waited.deliveries <= 2 * 2 * u64::from(most) + 1,
            "{waited:?}"
        );
    }
    // What it has published goes on.
    arena.rest();
    assert!(arena.deliveries() >= 4_000 * u64::from(most));
}

/// As many subscriptions as a client may have, on patterns of which each message goes through thousands, and
/// which it matches hundreds of.
#[test]
fn one_with_very_many_patterns_that_overlap_keeps_nobody_waiting() {
    let mut arena = Arena::new(|config| config.limits.subscriptions_per_client = 200_000);
    // Patterns of one group differ in which of eight levels are wildcards.
    let name = |group: u32, wild: u32| {
        let level = |at: u32| if wild >> at & 1 == 1 { "/*" } else { "/a" };
        format!("{group}{}", (0..8).map(level).collect::<String>())
    };
    const GROUPS: u32 = 781;
    let greedy = arena.client(|_| {});
    for group in 0..GROUPS {
        arena.send(greedy, |out| {
            for wild in 0..256 {
                native::encode_subscribe(out, 256 * group + wild, Updates::All, &name(group, wild));
            }
        });
        arena.rest();
        arena.receive(greedy);
    }
    arena.send(greedy, |out| {
        for group in 0..GROUPS {
            native::encode_topic(out, group, &name(group, 0));
        }
        (0..10 * GROUPS).for_each(|at| native::encode_publish(out, at % GROUPS, format::TEXT, b""));
    });
    for _ in 0..20 {
        let waited = arena.publish();
        assert!(waited.turns <= 2 && waited.deliveries <= 2 * 2 * 256 + 1, "{waited:?}");
    }
    arena.rest();
    let totals = arena.event_loop.engine().router().view().totals();
    assert_eq!(totals.subscriptions as u32, 256 * GROUPS + 1);
    assert!(arena.deliveries() >= 10 * u64::from(GROUPS) * 256);
}

/// A slow disk holds hundreds of producers with as much as is kept of each. When it has written, they go on by
/// shares.
#[test]
fn producers_that_a_slow_disk_holds_keep_nobody_waiting_and_all_go_on() {
    const PRODUCERS: u64 = 400;
    const MESSAGES: u64 = 160;
    let mut arena = Arena::new(|config| config.journal.pending_bytes = 8 << 20);
    let payload = [b'x'; 600];
    let producers: Vec<LinkId> =
        (0..PRODUCERS).map(|it| producer(&mut arena, it, MESSAGES, &payload)).collect();
    arena.is_served(3, PRODUCERS);
    arena.rest();
    let held = |arena: &Arena| {
        let engine = arena.event_loop.engine();
        engine.connections().filter(|id| engine.is_held(*id)).count()
    };
    assert!(held(&arena) > 100, "{} are held", held(&arena));
    let stored = |arena: &Arena| arena.event_loop.engine().store().counts().stored;
    let mut commits = 0;
    while stored(&arena) < PRODUCERS * MESSAGES {
        assert!(arena.disk_works(), "{} are stored", stored(&arena));
        commits += 1;
        assert!(commits < 10_000, "{} are stored", stored(&arena));
        arena.is_served(1, PRODUCERS);
        arena.rest();
    }
    while arena.disk_works() {
        arena.rest();
    }
    for link in producers {
        let bytes = arena.receive(link);
        let (mut rest, mut last) = (&bytes[..], 0);
        while let Ok(Some((frame, length))) = native::decode_router(rest, 1 << 20) {
            if let RouterFrame::Stored(it) = frame {
                last = it.sequence;
            }
            rest = &rest[length..];
        }
        assert_eq!(last, MESSAGES, "everybody is told");
    }
}

/// Durable subscriptions to everything that nobody acknowledges anything of.
#[test]
fn windows_that_nobody_acknowledges_keep_nobody_waiting() {
    const DURABLES: u32 = 200;
    let mut arena = Arena::new(|_| {});
    let greedy = arena.client(|out| {
        for number in 0..DURABLES {
            let consume = native::Consume {
                subscription: number,
                window: 1,
                updates: Updates::All,
                start: native::Start::All,
                pace: 0,
                wants_confirmed: false,
                wants_acknowledged: false,
                policy: native::DeliveryPolicy::NONE,
                format: None,
                filter: "",
                fields: "",
                name: &format!("greedy-{number}"),
                pattern: ">",
            };
            native::encode_consume(out, &consume);
        }
    });
    arena.rest();
    while arena.disk_works() {
        arena.rest();
    }
    for number in 0..10 {
        producer(&mut arena, number, 500, b"order");
    }
    let mut stands = 0;
    for _ in 0..1_000 {
        arena.is_served(1, 10);
        arena.rest();
        if !arena.disk_works() {
            break;
        }
        stands += 1;
    }
    assert!(stands > 0);
    let counts = arena.event_loop.engine().store().counts();
    assert_eq!(counts.stored, 5_000, "{counts:?}");
    let bytes = arena.receive(greedy);
    let (mut rest, mut delivered) = (&bytes[..], 0);
    while let Ok(Some((frame, length))) = native::decode_router(rest, 1 << 20) {
        delivered += u32::from(matches!(frame, RouterFrame::Delivery(_)));
        rest = &rest[length..];
    }
    assert_eq!(delivered, DURABLES, "a window each");
}

/// Requests for a WebSocket that never end, a byte at a time.
#[test]
fn half_sent_handshakes_keep_nobody_waiting() {
    let mut arena = Arena::new(|_| {});
    let address = Config::default().listen.websocket.map(Address::Tcp).expect("an address");
    let pages: Vec<LinkId> = (0..500).map(|_| arena.connect(&address)).collect();
    for byte in OPENING.as_bytes()[..OPENING.len() - 4].iter().step_by(20) {
        pages.iter().for_each(|link| arena.send(*link, |out| out.push(*byte)));
        arena.is_served(1, 1);
    }
    // They are told that they are late.
    arena.kernel.borrow_mut().now += 6_000_000_000;
    arena.is_served(1, 1);
    arena.rest();
    for link in pages {
        let told = String::from_utf8(arena.receive(link)).expect("a text");
        assert!(told.starts_with("HTTP/1.1 4"), "{told}");
    }
}

/// A topic for each message, and few places for topics.
#[test]
fn a_flood_of_new_topics_keeps_nobody_waiting() {
    let mut arena = Arena::new(|config| config.limits.topics = 1_000);
    let greedy = arena.client(|out| native::encode_subscribe(out, 1, Updates::All, "flood/*"));
    arena.rest();
    arena.send(greedy, |out| {
        for number in 0..20_000 {
            native::encode_topic(out, 0, &format!("flood/{number}"));
            native::encode_publish(out, 0, format::TEXT, b"");
            native::encode_forget(out, 0);
        }
    });
    arena.is_served(10, 1);
    arena.rest();
    let totals = arena.event_loop.engine().totals();
    assert_eq!(totals.rejections, 0, "topics that nobody holds make room");
    assert!(arena.deliveries() > 20_000);
}
