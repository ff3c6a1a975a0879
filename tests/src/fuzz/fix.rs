//! Any bytes as FIX market data.

use std::cell::RefCell;

use trunkline_catalogue::market_data::MarketDataIncrementalRefresh;
use trunkline_codec::fix::{Decoder, Encoder, Frame, Options, Plan, frame};
use trunkline_message::{Layout, Limits, Record, ScopeId, Structure};

use super::changes::{Choices, change_fields};
use crate::plain_fix::{self, Content, Node};
use crate::random::{self, Safe};

/// Decodes the bytes as they are; as a message's body; and as orders how to change the fields of a
/// valid message. The latter two are framed, so that BodyLength and check sum let them pass.
///
/// Struct, record and the plain reader must agree whether it is a message and on what it says;
/// what was decoded must be encoded again and mean the same.
///
/// # Panics
///
/// If that is not so.
pub fn fix(data: &[u8]) {
    thread_local! {
        static BENCH: RefCell<Bench> = RefCell::new(Bench::new());
    }
    BENCH.with_borrow_mut(|bench| {
        bench.check(data);
        bench.check(&plain_fix::framed(&[b"35=X\x01", data].concat()));
        let mut choices = Choices::new(data);
        let mut message = MarketDataIncrementalRefresh::default();
        random::fill(&mut message, choices.byte().into(), Safe::FIX, 2);
        let valid = bench.encoder.encode(&message).expect("it is safe").to_vec();
        let body = plain_fix::body(&valid).expect("its own frame");
        bench.check(&plain_fix::framed(&change_fields(body, &mut choices)));
    });
}

struct Bench {
    layout: &'static Layout,
    encoder: Encoder,
    decoder: Decoder,
    message: MarketDataIncrementalRefresh,
    record: Record,
}

impl Bench {
    fn new() -> Self {
        let layout = MarketDataIncrementalRefresh::layout();
        let plan = Plan::new(layout, &Options::default()).expect("a plan");
        let (encoder, decoder) = (Encoder::new(&plan), Decoder::new(&plan));
        let (message, record) = (Default::default(), Record::new(layout));
        Self { layout, encoder, decoder, message, record }
    }

    fn check(&mut self, bytes: &[u8]) {
        let decoded = self.decoder.decode(bytes, &mut self.message);
        assert_eq!(decoded, self.decoder.decode(bytes, &mut self.record));
        let plain = plain_fix::read(self.layout, bytes);
        if let Err(error) = decoded {
            assert!(error.offset() <= bytes.len(), "{error}");
            assert!(plain.is_none(), "{error}, but plainly {plain:?}");
            return;
        }
        let plain = plain.expect("plainly a message");
        assert_eq!(frame(bytes, &Limits::default()), Frame::Message(bytes.len()));
        let facts = plain_fix::facts_of(self.layout, ScopeId(0), &plain);
        assert_eq!(facts, plain_fix::facts(self.layout, &self.record));

        let again = self.encoder.encode(&self.record).expect("it was read").to_vec();
        let mut copy = Record::new(MarketDataIncrementalRefresh::layout());
        self.decoder.decode(&again, &mut copy).expect("it was written");
        assert_eq!(self.record, copy);
        let mut copy = MarketDataIncrementalRefresh::default();
        self.decoder.decode(&again, &mut copy).expect("it was written");
        assert_eq!(self.message, copy);

        let known = Record::from_message(&self.message);
        let written = self.encoder.encode(&self.message).expect("it was read").to_vec();
        assert_eq!(self.encoder.encode(&known).expect("it was read"), written);
        if !self.has_unknown(&plain) {
            assert_eq!(known, self.record);
        }
    }

    /// Has an entry a field that the struct has no place for?
    fn has_unknown(&self, nodes: &[Node]) -> bool {
        let fields = || self.layout.scopes().iter().flat_map(|scope| &scope.fields);
        let known = |node: &Node| {
            fields().any(|field| plain_fix::tag_of(self.layout, field, "tag") == node.number)
        };
        let groups = nodes.iter().filter_map(|node| match &node.content {
            Content::Entries(entries) => Some(entries),
            _ => None,
        });
        groups.flatten().any(|entry| !entry.iter().all(known) || self.has_unknown(entry))
    }
}
