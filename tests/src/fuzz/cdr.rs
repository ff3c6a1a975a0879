//! Any bytes as market data in CDR.

use std::cell::RefCell;

use trunkline_catalogue::market_data::MarketDataIncrementalRefresh;
use trunkline_codec::CodeSet;
use trunkline_codec::cdr::{ByteOrder, Decoder, Encoder, Optional, Options, Plan};
use trunkline_message::{Record, Structure};

use super::changes::{Choices, change_octets};
use crate::random::{self, Safe};

/// The byte orders and optionals there are.
pub(super) const OPTIONS: [Options; 4] = [
    options(ByteOrder::Little, Optional::Union),
    options(ByteOrder::Big, Optional::Union),
    options(ByteOrder::Little, Optional::Bitmap),
    options(ByteOrder::Big, Optional::Bitmap),
];

const fn options(byte_order: ByteOrder, optional: Optional) -> Options {
    Options { byte_order, optional, code_set: CodeSet::Utf8 }
}

/// Decodes the bytes behind the first, which chooses the options; and a valid message whose octets
/// the bytes change.
///
/// Struct and record must agree whether it is a message and on what it says; what was decoded must
/// be encoded again and mean the same.
///
/// # Panics
///
/// If that is not so.
pub fn cdr(data: &[u8]) {
    thread_local! {
        static BENCHES: RefCell<[Bench; 4]> = RefCell::new(OPTIONS.map(Bench::new));
    }
    let mut choices = Choices::new(data);
    let which = usize::from(choices.byte()) % OPTIONS.len();
    BENCHES.with_borrow_mut(|benches| {
        let bench = &mut benches[which];
        bench.check(data.get(1..).unwrap_or_default());
        let mut message = MarketDataIncrementalRefresh::default();
        random::fill(&mut message, choices.byte().into(), Safe::CDR, 2);
        let mut bytes = bench.encoder.encode(&message).expect("it is safe").to_vec();
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
    fn new(options: Options) -> Self {
        let schema = MarketDataIncrementalRefresh::layout();
        let plan = Plan::new(schema, &options).expect("a plan");
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
        assert_eq!(Record::from_message(&self.message), self.record);
        let again = self.encoder.encode(&self.message).expect("it was read").to_vec();
        assert_eq!(self.encoder.encode(&self.record).expect("it was read"), again);
        let mut copy = MarketDataIncrementalRefresh::default();
        self.decoder.decode(&again, &mut copy).expect("it was written");
        assert_eq!(self.message, copy);
        assert_eq!(self.encoder.encode(&copy).expect("it was read"), again);
    }
}
