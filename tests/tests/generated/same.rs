//! A struct and the layout that it was made from are the same message in every format.

use std::sync::Arc;

use trunkline_codec::{cdr, fix, json};
use trunkline_message::{Layout, Message, Record, Structure};
use trunkline_soap as soap;
use trunkline_tests::random::{self, Safe};

use super::{description, orders, quotes, trading};

/// The bytes of a record of the layout in a format are read by the struct, and written again.
macro_rules! come_back {
    ($format:ident, $record:expr, $message:ty, $options:expr) => {{
        let plan = $format::Plan::new($record.message_layout(), $options).expect("a plan");
        let written = $format::Encoder::new(&plan)
            .encode($record)
            .map(|it| it.to_vec())
            .expect("a record is written");
        let plan =
            $format::Plan::new(<$message>::layout(), $options).expect("a plan of the struct");
        let mut message = <$message as trunkline_message::FieldValue>::empty();
        let read = $format::Decoder::new(&plan).decode(&written, &mut message);
        read.expect("the struct reads it");
        let again = $format::Encoder::new(&plan).encode(&message).map(|it| it.to_vec());
        assert_eq!(
            String::from_utf8_lossy(&again.expect("the struct writes it")),
            String::from_utf8_lossy(&written)
        );
    }};
}

fn layout(file: &str, name: &str) -> Arc<Layout> {
    let found = description(file).layout(name).expect("a layout");
    Arc::new(found.expect("a message of the name"))
}

fn in_text<T: Structure + Message>(record: &Record) {
    let options = soap::Options {
        style: soap::Style::DocumentLiteral,
        layout: soap::Layout::Fragment,
        operation: "message".into(),
        namespace: "urn:any".into(),
        qualified: false,
        zone: true,
        ..soap::Options::default()
    };
    come_back!(soap, record, T, &options);
    come_back!(json, record, T, &json::Options::default());
}

#[test]
fn of_fix() {
    fn check<T: Structure + Message>(name: &str) {
        let layout = layout("orders.xml", name);
        assert_eq!(T::layout().listing(), layout.listing());
        let record = Record::sample(&layout);
        come_back!(fix, &record, T, &fix::Options::default());
        come_back!(cdr, &record, T, &cdr::Options::default());
        in_text::<T>(&record);
    }
    check::<orders::NewOrderSingle>("NewOrderSingle");
    check::<orders::ExecutionReport>("ExecutionReport");
}

#[test]
fn of_idl() {
    fn check<T: Structure + Message>(name: &str) {
        let layout = layout("trading.idl", name);
        assert_eq!(T::layout().listing(), layout.listing());
        for seed in 0..10 {
            let mut record = Record::new(&layout);
            random::fill(&mut record, seed, Safe::CDR, 2);
            come_back!(cdr, &record, T, &cdr::Options::default());
        }
    }
    check::<trading::Leg>("Trading::Leg");
    check::<trading::Settlement>("Trading::Settlement");
    check::<trading::Order>("Trading::Order");
    check::<trading::Rejected>("Trading::Rejected");
}

#[test]
fn of_xml() {
    fn check<T: Structure + Message>(name: &str) {
        let layout = layout("quotes.wsdl", name);
        // A choice that may be absent is implied by its arms in Rust.
        let listing = layout.listing();
        let listing = listing.replace("choice\thedge\toptional", "choice\thedge\timplied");
        assert_eq!(T::layout().listing(), listing);
        in_text::<T>(&Record::sample(&layout));
    }
    check::<quotes::Quote>("GetQuote");
    check::<quotes::QuoteResponse>("GetQuote/response");
    check::<quotes::Forget>("Forget");
    check::<quotes::UnknownSymbol>("unknownSymbol");
    check::<quotes::Add>("add");
}
