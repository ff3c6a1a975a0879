//! Any bytes as market data in JSON.

use std::cell::RefCell;

use trunkline_catalogue::market_data::MarketDataIncrementalRefresh;
use trunkline_codec::json::{Decoder, Encoder, Options, Plan};
use trunkline_message::{Record, Structure};

use super::changes::{Choices, change_octets};
use crate::random::{self, Safe};

/// Decodes the bytes behind the first, which chooses the options; and a valid message whose octets the bytes
/// change.
///
/// Struct and record must agree whether it is a message and on what it says; what was decoded must
/// be encoded again and mean the same, and what is written has to be JSON to others.
///
/// # Panics
///
/// If that is not so.
pub fn json(data: &[u8]) {
    thread_local! {
        static BENCHES: RefCell<[Bench; 4]> = RefCell::new(
            [(false, false), (false, true), (true, false), (true, true)]
                .map(|(quoted, named)| Bench::new(&Options { quoted, named, ..Options::default() })),
        );
    }
    let mut choices = Choices::new(data);
    let which = usize::from(choices.byte() % 4);
    BENCHES.with_borrow_mut(|benches| {
        let bench = &mut benches[which];
        bench.check(data.get(1..).unwrap_or_default());
        let mut message = MarketDataIncrementalRefresh::default();
        random::fill(&mut message, choices.byte().into(), Safe::NONE, 2);
        let mut bytes = bench.encoder.encode(&message).expect("it has a form").to_vec();
        serde_json::from_slice::<serde_json::Value>(&bytes).expect("JSON");
        change_octets(&mut bytes, &mut choices);
        bench.check(&bytes);
    });
}

struct Bench {
    encoder: Encoder,
    decoder: Decoder,
    message: MarketDataIncrementalRefresh,
    record: Record,
}

impl Bench {
    fn new(options: &Options) -> Self {
        let schema = MarketDataIncrementalRefresh::layout();
        let plan = Plan::new(schema, options).expect("a plan");
        let (encoder, decoder) = (Encoder::new(&plan), Decoder::new(&plan));
        Self { encoder, decoder, message: Default::default(), record: Record::new(schema) }
    }

    fn check(&mut self, bytes: &[u8]) {
        let decoded = self.decoder.decode(bytes, &mut self.message);
        assert_eq!(decoded, self.decoder.decode(bytes, &mut self.record));
        if let Err(error) = decoded {
            assert!(error.offset() <= bytes.len(), "{error}");
            return;
        }
        serde_json::from_slice::<serde_json::Value>(bytes).expect("what others read, too");
        let again = self.encoder.encode(&self.message).expect("it was read").to_vec();
        let mut copy = MarketDataIncrementalRefresh::default();
        self.decoder.decode(&again, &mut copy).expect("it was written");
        assert_eq!(self.message, copy);
        assert_eq!(self.encoder.encode(&copy).expect("it was read"), again);
        let of_record = self.encoder.encode(&self.record).expect("it was read").to_vec();
        self.decoder.decode(&of_record, &mut copy).expect("it was written");
        assert_eq!(self.message, copy);
    }
}
