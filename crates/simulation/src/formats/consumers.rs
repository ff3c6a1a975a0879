//! The same for consumers of guaranteed messages, who come and leave, acknowledge some, one by one or all up to one, give others
//! back, and ask for a number that they have already: what passes is acknowledged once by somebody who got it as he wants it, what
//! has no such form by somebody who was told so, and what does not pass reaches nobody. What does not say that it may have been
//! delivered before comes in order, also over pauses.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc;

use trunkline_native::{self as native, RouterFrame, Updates, code, format};
use trunkline_server::administration::Request;
use trunkline_server::engine::StoreRequest;
use trunkline_server::server::Command;

use super::{ALL, Arena, FILTER, Quote};
use crate::kernel::LinkId;

/// A durable subscription: its name, and whether those who consume it have a filter. The one without a name is a replay.
const DURABLES: [(&str, bool); 4] = [("plain", false), ("few", true), ("", false), ("", true)];

const SUBSCRIPTION: u32 = 1;

struct Consumer {
    link: LinkId,
    durable: usize,
    format: Option<u16>,
    fields: &'static str,
    is_there: bool,
    /// The router has said that it has left.
    has_left: bool,
    bytes: Vec<u8>,
    /// What it has not acknowledged.
    has: Vec<u64>,
    /// The last position; of a durable subscription, of what was not delivered before.
    last: u64,
    /// Up to where it has acknowledged all that has gone to it, whether it had read that or not.
    through: u64,
    /// How often it asked for its number again, and how often that was rejected.
    again: [u64; 2],
}

/// A message that a consumer got, and as what it wanted it.
struct Got {
    position: u64,
    wanted: Option<u16>,
    fields: &'static str,
    format: u16,
    payload: Vec<u8>,
}

struct Scene {
    arena: Arena,
    consumers: Vec<Consumer>,
    sequence: u64,
    /// By position, as one who takes all as they are has got them.
    witness: LinkId,
    witnessed: Vec<u8>,
    stored: BTreeMap<u64, Quote>,
    quotes: Vec<Quote>,
    /// By durable subscription: what was delivered, with whether it had no form, by position.
    delivered: Vec<BTreeMap<u64, bool>>,
    acknowledged: Vec<BTreeSet<u64>>,
    /// What was delivered, and is looked at when the witness has it.
    got: Vec<Got>,
}

impl Scene {
    fn new(seed: u64) -> Self {
        let mut arena = Arena::new(seed, 0);
        let address = crate::open_config().listen.native[0].clone();
        arena.send(arena.source, |out| native::encode_producer(out, "desk"));
        let witness = arena.connect(&address, 1 << 20);
        let links = (0..10).map(|_| arena.connect(&address, 16 << 10)).collect::<Vec<_>>();
        let consumers = links.into_iter().enumerate().map(|(number, link)| Consumer {
            link,
            durable: number % DURABLES.len(),
            format: None,
            fields: "",
            is_there: false,
            has_left: false,
            bytes: Vec::new(),
            has: Vec::new(),
            last: 0,
            through: 0,
            again: [0; 2],
        });
        let mut scene = Self {
            arena,
            consumers: consumers.collect(),
            sequence: 0,
            witness,
            witnessed: Vec::new(),
            stored: BTreeMap::new(),
            quotes: Vec::new(),
            delivered: vec![BTreeMap::new(); DURABLES.len()],
            acknowledged: vec![BTreeSet::new(); DURABLES.len()],
            got: Vec::new(),
        };
        scene.arena.send(witness, |out| consume(out, "", 0, (None, "", "")));
        (0..scene.consumers.len()).for_each(|at| scene.come(at));
        scene
    }

    /// A consumer comes, or comes again and wants something else.
    fn come(&mut self, at: usize) {
        let random = &mut self.arena.random;
        let format =
            random.pick(&[None, Some(format::FIX), Some(format::JSON), Some(format::SOAP_11)]);
        let fields = match format {
            Some(format::JSON) => random.pick(&["", "QuoteID", "BidPx", ALL]),
            _ => random.pick(&["", "", "QuoteID", ALL]),
        };
        let window = random.pick(&[1, 10, 1_000]);
        let it = &mut self.consumers[at];
        (it.format, it.fields, it.is_there, it.has_left) = (format, fields, true, false);
        (it.last, it.through) = (0, 0);
        let (name, has_filter) = DURABLES[it.durable];
        let filter = if has_filter { FILTER } else { "" };
        let link = it.link;
        self.arena.send(link, |out| consume(out, name, window, (format, filter, fields)));
    }

    /// A consumer asks for the number that it has already, for anything: it stays what it was.
    fn ask_again(&mut self, at: usize) {
        let random = &mut self.arena.random;
        let (name, has_filter) = random.pick(&DURABLES);
        let format = random.pick(&[None, Some(format::JSON)]);
        let filter = if has_filter { FILTER } else { "" };
        let it = &mut self.consumers[at];
        it.again[0] += 1;
        let link = it.link;
        self.arena.send(link, |out| consume(out, name, 10, (format, filter, "")));
    }

    /// An administrator pauses a durable subscription, or has it go on.
    fn pause(&mut self, durable: usize, is_paused: bool) {
        let name = DURABLES[durable].0;
        if name.is_empty() {
            return;
        }
        let of_store = if is_paused { StoreRequest::Pause } else { StoreRequest::Resume };
        let (answer, answers) = mpsc::sync_channel(1);
        let request = Request::Store(of_store(name.to_owned()));
        self.arena.kernel.borrow_mut().commands.push(Command::Administer(request, answer));
        self.arena.rest();
        drop(answers);
        let mut all = self.arena.event_loop.engine().store().durables();
        assert!(all.find(|it| it.name == name).is_none_or(|it| it.is_paused == is_paused));
    }

    fn leave(&mut self, at: usize) {
        let it = &mut self.consumers[at];
        it.is_there = false;
        let link = it.link;
        self.arena.send(link, |out| native::encode_unsubscribe(out, SUBSCRIPTION));
        // What came before that is read: nothing comes behind it.
        while !self.consumers[at].has_left {
            self.arena.pass(1_000_000);
            self.read(at);
        }
        let it = &mut self.consumers[at];
        let through = it.through;
        let done = it.has.drain(..).filter(|position| *position <= through);
        self.acknowledged[it.durable].extend(done);
    }

    fn store(&mut self) {
        for _ in 0..=self.arena.random.below(10) {
            let is_good = self.arena.random.below(5) > 0;
            let quote = Quote { number: self.quotes.len(), is_good };
            self.quotes.push(quote);
            self.sequence += 1;
            let payload = quote.fix();
            let store = native::Store {
                alias: 0,
                time_to_live_ms: 0,
                sequence: self.sequence,
                is_repeated: false,
                format: format::OPAQUE,
                payload: &payload,
            };
            self.arena.send(self.arena.source, |out| native::encode_store(out, &store));
        }
    }

    fn frames_of(
        &mut self,
        link: LinkId,
        bytes: &mut Vec<u8>,
        mut take: impl FnMut(&RouterFrame<'_>),
    ) {
        let mut kernel = self.arena.kernel.borrow_mut();
        kernel.links.get_mut(&link).expect("it is there").client_reads(usize::MAX, bytes);
        drop(kernel);
        let mut used = 0;
        while let Some((frame, length)) =
            native::decode_router(&bytes[used..], 1 << 24).expect("a frame")
        {
            used += length;
            take(&frame);
        }
        bytes.drain(..used);
    }

    fn read(&mut self, at: usize) {
        let it = &mut self.consumers[at];
        let (link, durable, wanted) = (it.link, it.durable, (it.format, it.fields));
        let (mut bytes, mut has) = (std::mem::take(&mut it.bytes), std::mem::take(&mut it.has));
        let (mut last, mut came, mut has_left) = (it.last, Vec::new(), it.has_left);
        let (mut pings, mut rejected) = (Vec::new(), 0);
        let is_replay = DURABLES[durable].0.is_empty();
        self.frames_of(link, &mut bytes, |frame| match frame {
            RouterFrame::Delivery(it) => {
                assert!(!has_left, "{it:?} comes behind UNSUBSCRIBED");
                // Of a durable subscription what may have been delivered before comes whenever it is given back.
                if is_replay || !it.is_repeated {
                    assert!(it.position > last, "{} after {last}", it.position);
                    last = it.position;
                }
                has.push(it.position);
                came.push((it.position, it.is_unrendered, it.format, it.payload.to_vec()));
            }
            RouterFrame::Welcome(_) | RouterFrame::Topic(_) | RouterFrame::Consuming(_) => {}
            RouterFrame::Ping(token) => pings.push(*token),
            RouterFrame::Unsubscribed(_) => has_left = true,
            RouterFrame::Rejected(it) if it.code == code::IN_USE => rejected += 1,
            other => panic!("{other:?}"),
        });
        for token in pings {
            self.arena.send(link, |out| native::encode_pong(out, token));
        }
        for (position, is_unrendered, format, payload) in came {
            *self.delivered[durable].entry(position).or_default() |= is_unrendered;
            if is_unrendered {
                let reason = String::from_utf8_lossy(&payload).into_owned();
                assert!(reason.contains("BidPx") && format == format::TEXT, "{reason}");
            } else {
                let (wanted, fields) = wanted;
                self.got.push(Got { position, wanted, fields, format, payload });
            }
        }
        let it = &mut self.consumers[at];
        (it.bytes, it.has, it.last, it.has_left) = (bytes, has, last, has_left);
        it.again[1] += rejected;
    }

    /// Acknowledges some of what a consumer has, and gives some back.
    fn settle(&mut self, at: usize, all: bool) {
        let durable = self.consumers[at].durable;
        if DURABLES[durable].0.is_empty() {
            return self.consumers[at].has.clear();
        }
        let link = self.consumers[at].link;
        for position in std::mem::take(&mut self.consumers[at].has) {
            let subscription = SUBSCRIPTION;
            if position <= self.consumers[at].through {
                // It may be acknowledged already; and if it has come since, it is now.
                self.acknowledge(at, position, false);
                continue;
            }
            match self.arena.random.below(5) {
                0 if !all => self.consumers[at].has.push(position),
                1 if !all => self.arena.send(link, |out| {
                    let it = native::Release { subscription, delay_ms: 0, position };
                    native::encode_release(out, &it);
                }),
                2 => {
                    self.acknowledge(at, position, true);
                    self.consumers[at].through = position;
                    let (done, has) =
                        self.consumers[at].has.drain(..).partition(|it| *it <= position);
                    self.consumers[at].has = has;
                    self.acknowledged[durable].extend::<Vec<u64>>(done);
                }
                _ => self.acknowledge(at, position, false),
            }
        }
    }

    fn acknowledge(&mut self, at: usize, position: u64, is_cumulative: bool) {
        let Consumer { link, durable, .. } = self.consumers[at];
        self.acknowledged[durable].insert(position);
        let it = native::Acknowledge { subscription: SUBSCRIPTION, position, is_cumulative };
        self.arena.send(link, |out| native::encode_acknowledge(out, &it));
    }

    fn step(&mut self) {
        let passes = self.arena.random.pick(&[0, 10_000, 1_000_000, 5_000_000]);
        self.arena.pass(passes);
        let at = self.arena.random.below(self.consumers.len() as u64) as usize;
        match self.arena.random.below(16) {
            0..6 => self.store(),
            6 | 7 if self.consumers[at].is_there => self.leave(at),
            _ if !self.consumers[at].is_there => self.come(at),
            8 => self.ask_again(at),
            9 => {
                let is_paused = self.arena.random.below(4) == 0;
                self.pause(self.consumers[at].durable, is_paused);
            }
            _ => {
                self.read(at);
                self.settle(at, false);
            }
        }
        self.arena.rest();
    }

    fn witness(&mut self) {
        let (mut bytes, mut came) = (std::mem::take(&mut self.witnessed), Vec::new());
        self.frames_of(self.witness, &mut bytes, |frame| {
            if let RouterFrame::Delivery(it) = frame {
                came.push((it.position, it.payload.to_vec()));
            }
        });
        self.witnessed = bytes;
        for (position, payload) in came {
            let quote = self.quotes[self.stored.len()];
            assert_eq!(payload, quote.fix());
            self.stored.insert(position, quote);
        }
    }

    /// Everything comes that is to come, and is acknowledged.
    fn end(&mut self) {
        (0..DURABLES.len()).for_each(|durable| self.pause(durable, false));
        for at in 0..self.consumers.len() {
            if !self.consumers[at].is_there {
                self.come(at);
            }
        }
        for _ in 0..10_000 {
            self.arena.pass(40_000_000);
            (0..self.consumers.len()).for_each(|at| {
                self.read(at);
                self.settle(at, true);
            });
            self.witness();
            let store = self.arena.event_loop.engine().store();
            let is_done = store.durables().all(|it| it.account.waiting + it.account.in_flight == 0);
            let are_rejected = self.consumers.iter().all(|it| it.again[0] == it.again[1]);
            if is_done && are_rejected && self.stored.len() == self.quotes.len() {
                return;
            }
        }
        let store = self.arena.event_loop.engine().store();
        panic!("{:?} of {}", store.durables().collect::<Vec<_>>(), self.quotes.len());
    }

    fn check(&self) {
        for Got { position, wanted, fields, format, payload } in &self.got {
            let quote = self.stored[position];
            let expected = wanted.unwrap_or(format::FIX);
            assert_eq!(*format, expected);
            if expected == format::FIX && ["", ALL].contains(fields) {
                assert_eq!(*payload, quote.fix());
            } else {
                assert!(quote.is_good && quote.is_in(payload, fields), "{quote:?}");
                assert!(payload.starts_with(Quote::begins(expected)), "{quote:?}");
            }
        }
        for (durable, (name, has_filter)) in DURABLES.into_iter().enumerate() {
            let passes = |quote: &Quote| !has_filter || !quote.is_good || quote.passes();
            for (position, is_unrendered) in &self.delivered[durable] {
                let quote = self.stored[position];
                assert!(passes(&quote), "{quote:?} reaches somebody");
                assert!(!is_unrendered || !quote.is_good, "{quote:?} has a form");
            }
            if name.is_empty() {
                continue;
            }
            let wanted = self.stored.iter().filter(|it| passes(it.1));
            let wanted: BTreeSet<u64> = wanted.map(|it| *it.0).collect();
            assert_eq!(self.acknowledged[durable], wanted, "{name}");
            let store = self.arena.event_loop.engine().store();
            let account = store.account(name).expect("it is there");
            let counts = (account.acknowledged, account.filtered);
            let expected = (wanted.len() as u64, (self.stored.len() - wanted.len()) as u64);
            assert_eq!(counts, expected, "{name}");
        }
    }
}

fn consume(out: &mut Vec<u8>, name: &str, window: u32, wanted: (Option<u16>, &str, &str)) {
    let (format, filter, fields) = wanted;
    let it = native::Consume {
        subscription: SUBSCRIPTION,
        window,
        updates: Updates::All,
        start: native::Start::All,
        pace: 0,
        wants_confirmed: false,
        wants_acknowledged: false,
        policy: native::DeliveryPolicy::NONE,
        format,
        filter,
        fields,
        name,
        pattern: "fx/>",
    };
    native::encode_consume(out, &it);
}

#[test]
fn each_message_is_acknowledged_as_somebody_wants_it_or_does_not_pass() {
    let (mut unrendered, mut filtered, mut made) = (0, 0, 0);
    for seed in 0..30 {
        let mut scene = Scene::new(seed);
        (0..300).for_each(|_| scene.step());
        scene.end();
        scene.check();
        unrendered += scene.delivered.iter().flatten().filter(|it| *it.1).count();
        made += scene.got.iter().filter(|it| it.wanted.is_some()).count();
        let store = scene.arena.event_loop.engine().store();
        filtered += store.durables().map(|it| it.account.filtered).sum::<u64>();
    }
    assert!(unrendered > 500 && filtered > 500 && made > 5_000, "{unrendered} {filtered} {made}");
}
