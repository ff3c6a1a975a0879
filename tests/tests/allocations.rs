//! In steady state neither encoding nor decoding nor routing asks for memory, and a conversion for what it makes alone.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use trunkline_catalogue::market_data::MarketDataIncrementalRefresh;
use trunkline_codec::{cdr, fix};
use trunkline_message::{Message, Record, Structure};
use trunkline_native::format;
use trunkline_router::{
    ClientId, ClientOptions, Delivery, Envelope, Gap, Limits, Mode, Renderer, Router,
    SubscriptionOptions, TopicId,
};
use trunkline_server::config::TopicRule;
use trunkline_server::formats::{Converter, PublishedMessage};
use trunkline_soap as soap;
use trunkline_tests::random::Safe;
use trunkline_tests::samples;
use trunkline_wire::{INLINE, Text};

/// The system's allocator, and how often this thread has asked it for memory.
struct Counting;

thread_local! {
    static REQUESTS: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    // While a thread ends, nobody counts.
    let _ = REQUESTS.try_with(|requests| requests.set(requests.get() + 1));
}

// SAFETY: every call goes to the system's allocator with what the caller promised for it; counting
// touches a thread's own cell, which needs no memory and no destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promises about `layout` are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the block came from `System` by path of `alloc` or `realloc`.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as for `dealloc`; the caller's promises about `size` are passed on.
        unsafe { System.realloc(block, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn requests(mut work: impl FnMut()) -> u64 {
    let before = REQUESTS.get();
    work();
    REQUESTS.get() - before
}

const MESSAGES: u64 = 64;

/// 64 different messages. An absent `Option<Text>` keeps no room for the next long text, so texts
/// of such fields are short enough to be held inline; all others are of any length.
fn messages() -> Vec<MarketDataIncrementalRefresh> {
    let short = |text: &mut Option<Text>| *text = text.take().filter(|it| it.len() <= INLINE);
    let shorten = |mut message: MarketDataIncrementalRefresh| {
        let header = &mut message.header;
        short(&mut header.sender.sub_id);
        short(&mut header.sender.location_id);
        short(&mut header.on_behalf_of.comp_id);
        short(&mut header.on_behalf_of.sub_id);
        short(&mut header.on_behalf_of.location_id);
        short(&mut header.target.sub_id);
        short(&mut header.target.location_id);
        short(&mut header.deliver_to.comp_id);
        short(&mut header.deliver_to.sub_id);
        short(&mut header.deliver_to.location_id);
        short(&mut header.message_encoding);
        (header.secure_data, header.xml_data) = (None, None);
        for hop in &mut *header.hops {
            hop.hop_comp_id = Some("HOP".into());
        }
        short(&mut message.body.md_req_id);
        for entry in &mut *message.body.entries {
            for alternative in &mut *entry.instrument.security_alt_ids {
                alternative.security_alt_id = Some("ID".into());
                short(&mut alternative.security_alt_id_source);
            }
        }
        message
    };
    (0..MESSAGES).map(|seed| shorten(samples::market_data(seed, Safe::ALL))).collect()
}

/// Encodes and decodes all messages until everything has its room, and then counts.
fn steady<M: Message>(
    what: &str,
    messages: &[M],
    into: &mut M,
    mut encode: impl FnMut(&M) -> usize,
    wire: &[Vec<u8>],
    mut decode: impl FnMut(&[u8], &mut M),
) {
    for _ in 0..2 {
        messages.iter().for_each(|message| assert_ne!(encode(message), 0));
        wire.iter().for_each(|bytes| decode(bytes, into));
    }
    let encoding = requests(|| messages.iter().for_each(|message| _ = encode(message)));
    assert_eq!(encoding, 0, "encoding {what}");
    let decoding = requests(|| wire.iter().for_each(|bytes| decode(bytes, into)));
    assert_eq!(decoding, 0, "decoding {what}");
}

fn records(messages: &[MarketDataIncrementalRefresh]) -> Vec<Record> {
    messages.iter().map(Record::from_message).collect()
}

#[test]
fn the_counter_counts() {
    assert_eq!(requests(|| drop(std::hint::black_box(Box::new(7)))), 1);
    assert_eq!(requests(|| ()), 0);
}

#[test]
fn fix() {
    let messages = messages();
    let schema = MarketDataIncrementalRefresh::layout();
    let plan = fix::Plan::new(schema, &fix::Options::default()).unwrap();
    let (mut encoder, mut decoder) = (fix::Encoder::new(&plan), fix::Decoder::new(&plan));
    let wire: Vec<Vec<u8>> =
        messages.iter().map(|message| encoder.encode(message).unwrap().to_vec()).collect();
    steady(
        "FIX from a struct",
        &messages,
        &mut MarketDataIncrementalRefresh::default(),
        |message| encoder.encode(message).unwrap().len(),
        &wire,
        |bytes, message| decoder.decode(bytes, message).unwrap(),
    );
    steady(
        "FIX from a record",
        &records(&messages),
        &mut Record::new(schema),
        |message| encoder.encode(message).unwrap().len(),
        &wire,
        |bytes, message| decoder.decode(bytes, message).unwrap(),
    );
}

#[test]
fn cdr() {
    let messages = messages();
    let schema = MarketDataIncrementalRefresh::layout();
    for byte_order in [cdr::ByteOrder::Little, cdr::ByteOrder::Big] {
        for optional in [cdr::Optional::Union, cdr::Optional::Bitmap] {
            let plan = cdr::Plan::new(
                schema,
                &cdr::Options { byte_order, optional, ..Default::default() },
            )
            .unwrap();
            let (mut encoder, mut decoder) = (cdr::Encoder::new(&plan), cdr::Decoder::new(&plan));
            let wire: Vec<Vec<u8>> =
                messages.iter().map(|message| encoder.encode(message).unwrap().to_vec()).collect();
            steady(
                "CDR from a struct",
                &messages,
                &mut MarketDataIncrementalRefresh::default(),
                |message| encoder.encode(message).unwrap().len(),
                &wire,
                |bytes, message| decoder.decode(bytes, message).unwrap(),
            );
            steady(
                "CDR from a record",
                &records(&messages),
                &mut Record::new(schema),
                |message| encoder.encode(message).unwrap().len(),
                &wire,
                |bytes, message| decoder.decode(bytes, message).unwrap(),
            );
        }
    }
}

/// The message as other software writes it: prefixes, attributes, entities, comments.
fn respelt(bytes: &[u8]) -> Vec<u8> {
    let document = str::from_utf8(bytes).unwrap();
    let entry = "<MDIncGroup";
    assert!(document.contains(entry));
    let document = document
        .replace("<MDIncGroup>", "<MDIncGroup ><!-- an entry -->")
        .replace(entry, "<MDIncGroup xmlns:p='urn:p' p:note='&lt;&#65;&gt;'")
        .replace("<MDEntryPx>", "<MDEntryPx>\n  ")
        .replace("MDEntryPx=\"", "MDEntryPx = \"\n  ")
        .replace("xx\"", "x&#x78;\"")
        .replace("xx</", "x&#x78;</")
        .replace("SOAP-ENV", "s");
    document.into_bytes()
}

#[test]
fn soap() {
    soap_as(&soap::Options::default());
    soap_as(&soap::Options { attributes: true, ..soap::Options::default() });
    soap_as(&soap::Options { flat: true, attributes: true, ..soap::Options::default() });
}

fn soap_as(options: &soap::Options) {
    let messages = messages();
    let schema = MarketDataIncrementalRefresh::layout();
    let plan = soap::Plan::new(schema, options).expect("a plan");
    let mut encoder = soap::Encoder::new(&plan);
    let wire: Vec<Vec<u8>> =
        messages.iter().map(|message| encoder.encode(message).unwrap().to_vec()).collect();
    let other: Vec<Vec<u8>> = wire.iter().map(|bytes| respelt(bytes)).collect();
    let records = records(&messages);
    for (path, mut decoder) in [
        ("the fast path", soap::Decoder::new(&plan)),
        ("the generic path", soap::Decoder::new(&plan).generic()),
    ] {
        for (spelling, wire) in [("as planned", &wire), ("other", &other)] {
            steady(
                &format!("SOAP spelt {spelling}, {path}, struct"),
                &messages,
                &mut MarketDataIncrementalRefresh::default(),
                |message| encoder.encode(message).unwrap().len(),
                wire,
                |bytes, message| decoder.decode(bytes, message).unwrap(),
            );
            steady(
                &format!("SOAP spelt {spelling}, {path}, record"),
                &records,
                &mut Record::new(schema),
                |message| encoder.encode(message).unwrap().len(),
                wire,
                |bytes, message| decoder.decode(bytes, message).unwrap(),
            );
        }
    }
}

const DICTIONARY: &str = r#"<fix type="FIX" major="4" minor="4">
 <header>
  <field name="BeginString" required="Y"/><field name="BodyLength" required="Y"/><field name="MsgType" required="Y"/>
 </header>
 <messages>
  <message name="Quote" msgtype="S" msgcat="app">
   <field name="QuoteID" required="Y"/><field name="BidPx" required="N"/>
  </message>
 </messages>
 <trailer><field name="CheckSum" required="Y"/></trailer>
 <components/>
 <fields>
  <field number="8" name="BeginString" type="STRING"/><field number="9" name="BodyLength" type="LENGTH"/>
  <field number="35" name="MsgType" type="STRING"/><field number="10" name="CheckSum" type="STRING"/>
  <field number="117" name="QuoteID" type="STRING"/><field number="132" name="BidPx" type="PRICE"/>
 </fields>
</fix>"#;

/// What the router converts goes elsewhere, and takes no memory but its own.
#[test]
fn conversions() {
    let rule = TopicRule {
        pattern: "fx/>".into(),
        schema: "quotes.xml".into(),
        transport: None,
        format: None,
        message: None,
        documents: [("quotes.xml".to_owned(), DICTIONARY.as_bytes().to_vec())]
            .into_iter()
            .collect(),
    };
    let mut converter = Converter::default();
    converter.set_topics([rule].into());
    let content = b"8=FIX.4.4\x019=23\x0135=S\x01117=q1\x01132=1.0625\x01";
    let sum = content.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
    let payload = [&content[..], format!("10={sum:03}\u{1}").as_bytes()].concat();
    let message = PublishedMessage { topic: "fx/a".into(), format: format::FIX, payload };
    for to in [format::JSON, format::SOAP_11, format::CDR] {
        for _ in 0..2 {
            converter.convert(&message, to, &mut Vec::new()).expect("a form");
        }
        let mut made = Vec::new();
        let asked = requests(|| converter.convert(&message, to, &mut made).expect("a form"));
        assert_eq!((asked, made.capacity()), (1, made.len()), "format {to}");
    }
}

/// Sends payloads and nothing else.
struct Payloads;

impl Renderer for Payloads {
    fn topic(&mut self, out: &mut Vec<u8>, _: TopicId, name: &str) {
        out.extend_from_slice(name.as_bytes());
    }

    fn message(&mut self, out: &mut Vec<u8>, delivery: &Delivery<'_>) {
        out.extend_from_slice(delivery.payload);
    }

    fn gap(&mut self, out: &mut Vec<u8>, gap: &Gap<'_>) {
        out.extend_from_slice(&gap.count.to_le_bytes());
    }

    fn closing(&mut self, out: &mut Vec<u8>, reason: &str) {
        out.extend_from_slice(reason.as_bytes());
    }
}

/// A router with a client that has one subscription to 100 topics.
struct Routing {
    router: Router<Payloads>,
    client: ClientId,
    topics: Vec<TopicId>,
    now: u64,
}

impl Routing {
    fn new(options: &SubscriptionOptions) -> Self {
        let mut router = Router::new(Limits::default());
        let client_options = ClientOptions { queue_messages: 5_000, ..ClientOptions::default() };
        let client = router.connect(0, client_options, Payloads).unwrap();
        router.subscribe(0, client, 1, "fx/*", options).unwrap();
        let topics =
            (0..100).map(|number| router.intern(0, &format!("fx/{number}")).unwrap()).collect();
        Self { router, client, topics, now: 0 }
    }

    /// Publishes to all topics some times, with payloads of several lengths.
    fn publish(&mut self, times: usize) {
        let payload = [7; 400];
        for turn in 0..times * self.topics.len() {
            self.now += 1_000;
            let payload = &payload[..turn * 7 % 400];
            let envelope = Envelope { mode: Mode::Direct, format: 0, request: None, payload };
            let topic = self.topics[turn % self.topics.len()];
            self.router.publish(self.now, topic, &envelope).unwrap();
        }
        self.router.advance(self.now);
    }

    fn send(&mut self) {
        while self.router.next_dirty().is_some() {}
        let bytes = self.router.output(self.client).len();
        self.router.sent(self.now, self.client, bytes);
    }
}

#[test]
fn routing() {
    let cap = std::num::NonZeroU32::new(5_000);
    for (what, options) in [
        ("direct", SubscriptionOptions::default()),
        ("conflated", SubscriptionOptions { conflate: true, ..SubscriptionOptions::default() }),
        (
            "capped",
            SubscriptionOptions {
                conflate: true,
                updates_per_second: cap,
                ..SubscriptionOptions::default()
            },
        ),
    ] {
        let mut routing = Routing::new(&options);
        let mut round = |times| {
            // A client that takes everything, one that is slow, one that is blocked for long.
            for _ in 0..20 {
                routing.publish(1);
                routing.send();
            }
            routing.publish(times);
            (0..100).for_each(|_| routing.send());
        };
        (0..40).for_each(|_| round(100));
        assert_eq!(requests(|| (0..5).for_each(|_| round(100))), 0, "routing, {what}");
        let ledger = routing.router.view().totals().ledger;
        assert!(ledger.is_balanced() && ledger.queued == 0, "{ledger:?}");
        let lost = if what == "direct" { ledger.discarded } else { ledger.elided };
        assert!(ledger.delivered > 20_000 && lost > 20_000, "{what}: {ledger:?}");
    }
}
