//! Any bytes as FIX market data.

use std::cell::RefCell;

use trunkline_catalogue::market_data::MarketDataIncrementalRefresh;
use trunkline_codec::fix::{Decoder, Encoder, Frame, Options, Plan, frame};
use trunkline_message::{ErrorKind, Layout, Limits, Record, ScopeId, Structure, UnknownContent};

use super::changes::{Choices, change_fields};
use crate::plain_fix;
use crate::random::{self, Safe};

/// Decodes the bytes as they are; as a message's body; and as orders how to change the fields of a
/// valid message. The latter two are framed, so that BodyLength and check sum let them pass.
///
/// Struct, record and the plain reader must agree whether it is a message and on what it says;
/// what was decoded must be encoded again and mean the same. A decoder that rejects what is unknown takes
/// what another has nothing to count in.
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
    /// Rejects what is unknown.
    strict: Decoder,
    message: MarketDataIncrementalRefresh,
    record: Record,
}

impl Bench {
    fn new() -> Self {
        let layout = MarketDataIncrementalRefresh::layout();
        let plan = Plan::new(layout, &Options::default()).expect("a plan");
        let (encoder, decoder) = (Encoder::new(&plan), Decoder::new(&plan));
        let (message, record) = (Default::default(), Record::new(layout));
        let strict = Decoder::new(&plan).on_unknown(UnknownContent::Reject);
        Self { layout, encoder, decoder, strict, message, record }
    }

    fn check(&mut self, bytes: &[u8]) {
        let strict = self.strict.decode(bytes, &mut self.message);
        let decoded = self.decoder.decode(bytes, &mut self.message);
        let unknown = self.decoder.unknown();
        match &strict {
            Err(error) if *error.kind() == ErrorKind::Unknown => assert!(unknown > 0, "{error}"),
            _ => assert_eq!(strict, decoded),
        }
        assert!(strict.is_err() || unknown == 0, "{unknown} fields are not rejected");
        assert_eq!(decoded, self.decoder.decode(bytes, &mut self.record));
        assert_eq!(self.decoder.unknown(), 0, "a record keeps all");
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
        // A record keeps what a struct has no place for.
        assert_eq!(known == self.record, unknown == 0);
    }
}
