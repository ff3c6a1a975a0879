//! Every message through every format and back, as a struct and as a record.

use std::fmt::Debug;

use trunkline_message::{Message, Record, Structure};
use trunkline_tests::every_kind::{self, EveryKind};
use trunkline_tests::formats::{self, Format};
use trunkline_tests::{each_format, random, samples};

/// With so many of a format's options, into new memory and into used.
fn comes_back<F: Format, M: Structure + Message + Debug + PartialEq>(
    message: &M,
    (seed, options): (u64, usize),
) {
    let layout = M::layout();
    let has_type = layout.notes().of_type(layout.schema().root(), "fix", "message_type").is_some();
    if F::SAFE.fix && !has_type {
        return;
    }
    let record = Record::from_message(message);
    for options in F::options(seed, options) {
        let mut codec = F::new(layout, &options).expect("a plan");
        let bytes = codec.encode(message).unwrap();
        let (mut struct_back, mut record_back) = (M::empty(), Record::new(layout));
        for _ in 0..2 {
            codec.decode(&bytes, &mut struct_back).unwrap();
            assert_eq!(&struct_back, message, "{options:?}");
            codec.decode(&bytes, &mut record_back).unwrap();
            assert_eq!(record_back, record, "{options:?}");
        }
        assert_eq!(codec.encode(&record).unwrap(), bytes, "{options:?}: a record's bytes differ");
        codec.check(&record, &bytes);
    }
}

fn known_messages<F: Format>() {
    for (seed, entries) in (0..).zip([1, 2, 10, 100]) {
        comes_back::<F, _>(&samples::figure_3(entries), (seed, 200));
    }
    for (seed, (customers, products)) in (4..).zip([(0, 0), (1, 0), (20, 0), (1, 50)]) {
        comes_back::<F, _>(&samples::customer_services(customers, products), (seed, 200));
    }
    // It has a code of more than one character.
    if !F::SAFE.cdr {
        comes_back::<F, _>(&every_kind::full(), (0, usize::MAX));
    }
}

fn any_messages<F: Format>() {
    for seed in 0..200 {
        comes_back::<F, _>(&samples::market_data(seed, F::SAFE), (seed, 24));
    }
    for seed in 0..60 {
        comes_back::<F, _>(&samples::any_customer_services(seed, F::SAFE), (seed, 24));
        let mut message = EveryKind::default();
        random::fill(&mut message, seed, F::SAFE, 5);
        comes_back::<F, _>(&message, (seed, 24));
    }
}

macro_rules! laws {
    ($format:ident: $name:ident, $($rest:tt)*) => {
        mod $format {
            #[test]
            fn known_messages_come_back() {
                super::known_messages::<super::formats::$name>();
            }

            #[test]
            fn any_messages_come_back() {
                super::any_messages::<super::formats::$name>();
            }
        }
    };
}

each_format!(laws);
