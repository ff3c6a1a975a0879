//! Messages in the formats that clients ask for, those fields of them that they want, and held against their filters, by
//! an actor that takes its time: each client gets in order what a plain conversion gives of what passes, or a gap with the
//! reason. Every message is converted once for each format and selection of fields, and looked at once for all filters.

mod consumers;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use trunkline_native::{self as native, RouterFrame, Updates, format};
use trunkline_random::Random;
use trunkline_server::config::{Documents, TopicRule};
use trunkline_server::platform::Deadline;
use trunkline_server::{Engine, EventLoop};

use crate::host::event_loop;
use crate::kernel::{Kernel, LinkId};
use crate::link::{LinkOptions, Transport};
use crate::simulated::{SharedKernel, Simulated};

const DICTIONARY: &str = r#"<fix type="FIX" major="4" minor="4">
 <header><field name="BeginString" required="Y"/><field name="BodyLength" required="Y"/>
  <field name="MsgType" required="Y"/></header>
 <messages><message name="Quote" msgtype="S" msgcat="app">
  <field name="QuoteID" required="Y"/><field name="BidPx" required="N"/></message></messages>
 <trailer><field name="CheckSum" required="Y"/></trailer>
 <components/>
 <fields><field number="8" name="BeginString" type="STRING"/><field number="9" name="BodyLength" type="LENGTH"/>
  <field number="35" name="MsgType" type="STRING"/><field number="10" name="CheckSum" type="STRING"/>
  <field number="117" name="QuoteID" type="STRING"/><field number="132" name="BidPx" type="PRICE"/></fields>
</fix>
"#;

/// What is published: the number of a quote, and whether its price is one.
#[derive(Clone, Copy, Debug)]
struct Quote {
    number: usize,
    is_good: bool,
}

impl Quote {
    fn fix(self) -> Vec<u8> {
        let Self { number, is_good } = self;
        let price = if is_good { self.price() } else { "dear".to_owned() };
        let body = format!("35=S\u{1}117=q{number}\u{1}132={price}\u{1}");
        let mut message = format!("8=FIX.4.4\u{1}9={}\u{1}{body}", body.len());
        let sum = message.bytes().fold(0_u8, u8::wrapping_add);
        message.push_str(&format!("10={sum:03}\u{1}"));
        message.into_bytes()
    }

    fn price(self) -> String {
        format!("1.{}5", self.number % 10)
    }

    /// Whether it passes [`FILTER`].
    fn passes(self) -> bool {
        self.is_good && self.number % 10 >= 6
    }

    /// Whether of what stands in every format those fields are there that are wanted, and no others.
    fn is_in(self, payload: &[u8], fields: &str) -> bool {
        let text = String::from_utf8_lossy(payload);
        let wants = |field| fields.is_empty() || fields.contains(field);
        text.contains(&format!("q{}", self.number)) == wants("QuoteID")
            && text.contains(&self.price()) == wants("BidPx")
    }

    /// How a message in a format begins.
    fn begins(format: u16) -> &'static [u8] {
        match format {
            format::JSON => b"{",
            format::FIX => b"8=FIX.4.4",
            _ => b"<",
        }
    }
}

/// What some readers want.
const FILTER: &str = "BidPx > 1.55";

/// All fields, which is all that a message has.
const ALL: &str = "BidPx,QuoteID";

struct Reader {
    link: LinkId,
    format: Option<u16>,
    has_filter: bool,
    /// All, if it is empty.
    fields: &'static str,
    updates: Updates,
    reads_seldom: bool,
    bytes: Vec<u8>,
    names: BTreeMap<u32, String>,
    /// By topic: the last sequence, messages, replaced ones, lost ones, and gaps with a reason.
    seen: BTreeMap<String, [u64; 5]>,
}

struct Arena {
    event_loop: EventLoop<Simulated>,
    kernel: SharedKernel,
    random: Random,
    source: LinkId,
    readers: Vec<Reader>,
    published: Vec<(String, Vec<Quote>)>,
}

impl Arena {
    fn new(seed: u64, count: usize) -> Self {
        let mut random = Random::new(seed);
        let mut config = crate::open_config();
        config.limits.output_bytes = random.pick(&[4 << 10, 256 << 10]);
        config.client.queue_messages = random.pick(&[10, 100_000]);
        config.topics = vec![TopicRule {
            pattern: "fx/>".to_owned(),
            schema: "quotes.xml".to_owned(),
            transport: None,
            format: Some(format::FIX),
            message: None,
            documents: Documents::from_iter([("quotes.xml".to_owned(), DICTIONARY.into())]),
        }];
        let mut kernel = Kernel::new();
        kernel.shuffles = Some(Random::stream(seed, 5));
        kernel.conversions = crate::conversions::Conversions::new(seed);
        kernel.conversions.most = random.pick(&[2_000, 500_000, 20_000_000]);
        let kernel = Rc::new(RefCell::new(kernel));
        let engine = Engine::new(&config);
        let event_loop = event_loop(&config, engine, &kernel).unwrap_or_else(|it| panic!("{it:?}"));
        let names = ["fx/a", "fx/b", "fx/c"];
        let published = names.map(|name| (name.to_owned(), Vec::new())).into();
        let (source, readers) = (0, Vec::new());
        let mut arena = Self { event_loop, kernel, random, source, readers, published };
        let native = config.listen.native[0].clone();
        arena.source = arena.connect(&native, 1 << 20);
        arena.send(arena.source, |out| {
            for (alias, name) in names.iter().enumerate() {
                native::encode_topic(out, alias as u32, name);
            }
        });
        (0..count).for_each(|number| arena.subscribe(&native, number));
        // Filters are checked.
        arena.pass(400_000_000);
        arena
    }

    /// A reader comes that wants what it wants.
    fn subscribe(&mut self, native: &trunkline_reactor::Address, number: usize) {
        let formats = [
            None,
            Some(format::FIX),
            Some(format::JSON),
            Some(format::JSON),
            Some(format::SOAP_11),
        ];
        let format = self.random.pick(&formats);
        let updates = self.random.pick(&[
            Updates::All,
            Updates::All,
            Updates::Newest,
            Updates::PerSecond(50),
        ]);
        let has_filter = self.random.below(2) == 0;
        let filter = if has_filter { FILTER } else { "" };
        // Only JSON can be without what the dictionary requires.
        let fields = match format {
            Some(format::JSON) => self.random.pick(&["", "", "QuoteID", "BidPx", ALL]),
            _ => self.random.pick(&["", "", "QuoteID", ALL]),
        };
        let link = self.connect(native, 16 << 10);
        self.send(link, |out| {
            let (subscription, last_values, pattern) = (1, false, "fx/>");
            let it = native::Subscribe {
                subscription,
                updates,
                last_values,
                format,
                filter,
                fields,
                pattern,
            };
            native::encode_subscription(out, &it);
        });
        self.readers.push(Reader {
            link,
            format,
            has_filter,
            fields,
            updates,
            reads_seldom: number.is_multiple_of(3),
            bytes: Vec::new(),
            names: BTreeMap::new(),
            seen: BTreeMap::new(),
        });
    }

    fn connect(&mut self, address: &trunkline_reactor::Address, capacity: usize) -> LinkId {
        let options =
            LinkOptions { transport: Transport::Tcp, capacity: (capacity, capacity), random: 1 };
        let link = self.kernel.borrow_mut().connect(address, "simulated".to_owned(), options);
        let link = link.expect("it listens");
        let none = native::Features::NONE;
        let features = native::Features { formats: true, filters: true, fields: true, ..none };
        let hello =
            native::Hello { version: native::VERSION, features, ..native::Hello::default() };
        self.send(link, |out| native::encode_hello(out, &hello));
        link
    }

    fn send(&mut self, link: LinkId, write: impl FnOnce(&mut Vec<u8>)) {
        let mut bytes = Vec::new();
        write(&mut bytes);
        let mut kernel = self.kernel.borrow_mut();
        let taken = kernel.links.get_mut(&link).expect("it is there").client_writes(&bytes);
        assert_eq!(taken, bytes.len(), "the stream has room");
    }

    /// Turns until there is nothing to do at this time.
    fn rest(&mut self) {
        for _ in 0..10_000 {
            let now = self.kernel.borrow().now;
            let is_idle = match self.event_loop.deadline() {
                Deadline::Now => false,
                Deadline::At(at) => at > now,
                Deadline::Never => true,
            };
            if is_idle && !self.kernel.borrow().has_pending() {
                return;
            }
            self.event_loop.turn().expect("the loop goes on");
            let mut kernel = self.kernel.borrow_mut();
            let uses = std::mem::take(&mut kernel.uses);
            for (link, bytes) in &uses {
                kernel.links.get_mut(link).into_iter().for_each(|it| _ = it.unused.drain(..*bytes));
            }
            kernel.links.values_mut().for_each(|it| it.written.clear());
        }
        panic!("the loop does not come to rest");
    }

    /// Time goes on, from one thing that is due to the next.
    fn pass(&mut self, nanoseconds: u64) {
        let until = self.kernel.borrow().now + nanoseconds;
        loop {
            let due = match self.event_loop.deadline() {
                Deadline::At(at) => at,
                Deadline::Now => 0,
                Deadline::Never => u64::MAX,
            };
            let next = self.kernel.borrow().next_outcome().unwrap_or(u64::MAX).min(due).min(until);
            let now = self.kernel.borrow().now.max(next);
            self.kernel.borrow_mut().now = now;
            self.rest();
            self.check_ledger();
            if now >= until {
                return;
            }
        }
    }

    fn check_ledger(&self) {
        let totals = self.event_loop.engine().router().view().totals();
        assert!(totals.ledger.is_balanced(), "{totals:?}");
    }

    fn publish(&mut self) {
        for _ in 0..=self.random.below(10) {
            let topic = self.random.below(self.published.len() as u64) as usize;
            let quotes = &mut self.published[topic].1;
            let quote = Quote { number: quotes.len(), is_good: self.random.below(5) > 0 };
            quotes.push(quote);
            let payload = quote.fix();
            let alias = topic as u32;
            let format = self.random.pick(&[format::OPAQUE, format::TEXT, format::FIX]);
            self.send(self.source, |out| native::encode_publish(out, alias, format, &payload));
        }
    }

    fn read(&mut self, at: usize) {
        let reader = &mut self.readers[at];
        let mut kernel = self.kernel.borrow_mut();
        let link = kernel.links.get_mut(&reader.link).expect("it is there");
        link.client_reads(usize::MAX, &mut reader.bytes);
        drop(kernel);
        let bytes = std::mem::take(&mut reader.bytes);
        let mut used = 0;
        while let Some((frame, length)) =
            native::decode_router(&bytes[used..], 1 << 24).expect("a frame")
        {
            used += length;
            reader.take(&frame, &self.published);
        }
        reader.bytes = bytes[used..].to_vec();
    }

    fn step(&mut self) {
        let passes = self.random.pick(&[0, 10_000, 1_000_000, 5_000_000]);
        self.pass(passes);
        match self.random.below(4) {
            0 | 1 => self.publish(),
            _ => {
                let at = self.random.below(self.readers.len() as u64) as usize;
                if !self.readers[at].reads_seldom || self.random.below(20) == 0 {
                    self.read(at);
                }
            }
        }
        self.rest();
        self.check_ledger();
    }

    /// Everything comes that is to come.
    fn end(&mut self) {
        let totals = |arena: &Self| arena.event_loop.engine().router().view().totals();
        let mut rest = 200;
        for _ in 0..5_000 {
            self.pass(100_000_000);
            (0..self.readers.len()).for_each(|at| self.read(at));
            // What is not queued any more may not have been read.
            rest -= u32::from(totals(self).ledger.queued == 0);
            if rest == 0 {
                break;
            }
        }
        let totals = totals(self);
        assert_eq!(totals.ledger.queued, 0, "{totals:?}");
    }
}

impl Reader {
    fn take(&mut self, frame: &RouterFrame<'_>, published: &[(String, Vec<Quote>)]) {
        let quote = |name: &str, sequence: u64| {
            let of = published.iter().find(|it| it.0 == name).expect("a topic");
            of.1[sequence as usize - 1]
        };
        match frame {
            RouterFrame::Topic(topic) => {
                self.names.insert(topic.alias, topic.name.to_owned());
            }
            RouterFrame::Message(it) => {
                let name = self.names[&it.topic].clone();
                let quote = quote(&name, it.sequence);
                let expected = self.format.unwrap_or(format::FIX);
                assert_eq!(it.format, expected, "{name} {}", it.sequence);
                assert!(!self.has_filter || quote.passes(), "{quote:?}");
                if expected == format::FIX && ["", ALL].contains(&self.fields) {
                    assert!(quote.is_good || self.fields.is_empty(), "{quote:?}");
                    assert_eq!(it.payload, quote.fix());
                } else {
                    assert!(quote.is_good && quote.is_in(it.payload, self.fields), "{quote:?}");
                    assert!(it.payload.starts_with(Quote::begins(expected)), "{quote:?}");
                }
                let seen = self.seen.entry(name).or_default();
                assert!(it.sequence > seen[0], "{} after {}", it.sequence, seen[0]);
                let replaced = it.conflation.map_or(0, |it| it.replaced);
                *seen = [it.sequence, seen[1] + 1, seen[2] + replaced, seen[3], seen[4]];
            }
            RouterFrame::Gap(it) => {
                let name = self.names[&it.topic].clone();
                let seen = self.seen.entry(name.clone()).or_default();
                if it.reason.is_empty() {
                    seen[3] += it.count;
                } else {
                    // Those that could not be looked at are told together, also with lost ones between them.
                    let is_one = it.count == 1 && it.first == it.last;
                    assert!(!is_one || !quote(&name, it.first).is_good, "{it:?}");
                    assert!(is_one || self.has_filter, "{it:?}");
                    let is_read =
                        self.format.is_some() || self.has_filter || !self.fields.is_empty();
                    let reason = it.reason;
                    assert!(is_read && reason.contains("BidPx"), "{reason}");
                    assert!(it.last > seen[0], "{} after {}", it.last, seen[0]);
                    (seen[0], seen[4]) = (it.last, seen[4] + it.count);
                }
            }
            RouterFrame::Welcome(_) | RouterFrame::Subscribed(1) | RouterFrame::Ping(_) => {}
            other => panic!("{other:?}"),
        }
    }

    /// What it was told explains every message.
    fn check(&self, published: &[(String, Vec<Quote>)]) {
        for (name, quotes) in published.iter().filter(|it| !it.1.is_empty()) {
            let [_, messages, replaced, lost, unrendered] =
                self.seen.get(name).copied().unwrap_or_default();
            let told = messages + replaced + lost + unrendered;
            let unreported = quotes.len() as u64 - told;
            let fails = |it: &&Quote| self.has_filter && it.is_good && !it.passes();
            let failing = quotes.iter().filter(fails).count() as u64;
            // What had no room may have been some that would not have passed. What an update had replaced that was
            // then lost is told with the next one.
            let (is_conflated, has_lost) = (self.updates != Updates::All, lost + unrendered > 0);
            let is_explained = match has_lost {
                true => is_conflated || unreported <= failing,
                false => unreported == failing,
            };
            assert!(is_explained, "{name}: {unreported} of {failing}");
        }
    }
}

#[test]
fn each_gets_what_a_plain_conversion_gives_or_a_gap_in_order() {
    let (mut unrendered, mut elided, mut shared, mut discarded) = (0, 0, 0, 0);
    let (mut filtered, mut selected) = (0, 0);
    for seed in 0..40 {
        let mut arena = Arena::new(seed, 8);
        (0..400).for_each(|_| arena.step());
        arena.end();
        for reader in &arena.readers {
            reader.check(&arena.published);
            if !reader.fields.is_empty() {
                selected += reader.seen.values().map(|it| it[1]).sum::<u64>();
            }
        }
        let messages: usize = arena.published.iter().map(|it| it.1.len()).sum();
        let view = arena.event_loop.engine().router().view();
        for it in view.renditions() {
            assert!(it.made + it.failed <= messages as u64, "seed {seed}: {it:?} of {messages}");
            assert_eq!(it.pending, 0, "seed {seed}: {it:?}");
            shared += it.shared;
        }
        let filters = view.filters();
        assert!(filters.decided <= messages as u64 && filters.pending == 0, "{filters:?}");
        let ledger = view.totals().ledger;
        filtered += ledger.filtered;
        unrendered += ledger.unrendered;
        elided += ledger.elided;
        discarded += ledger.discarded;
    }
    let all = [unrendered, elided, shared, discarded, filtered, selected];
    assert!(all.iter().all(|it| *it > 500), "little has happened: {all:?}");
}
