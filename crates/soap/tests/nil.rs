//! Messages that are nil as a whole (XML Schema part 1 section 2.6.2).

mod paths;

use paths::{Paths, options};
use trunkline_codec::fast_infoset;
use trunkline_message::{Fields as _, Limits, Message, Record, Structure};
use trunkline_soap::{Decoder, Encoder, Layout, Options, Plan, Version};
use trunkline_wire::Text;

const XSI: &str = "http://www.w3.org/2001/XMLSchema-instance";

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Quote {
    symbol: Text,
    #[xml(nillable)]
    note: Option<Text>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Loose {
    note: Option<Text>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Tagged {
    #[xml(attribute)]
    id: Option<i32>,
    #[xml(attribute)]
    unit: Option<Text>,
    symbol: Text,
    #[xml(nillable)]
    note: Option<Text>,
}

fn nillable() -> Options {
    Options { nillable: true, ..options() }
}

fn quote(symbol: &str) -> Option<Quote> {
    Some(Quote { symbol: symbol.into(), note: None })
}

#[test]
fn a_message_is_nil_where_its_element_may_be() {
    let mut paths = Paths::<Option<Quote>>::new(&nillable());
    paths.trip(&None, "<send xmlns=\"urn:a\" xsi:nil=\"true\"/>");
    let some = "<send xmlns=\"urn:a\"><symbol>S</symbol><note xsi:nil=\"true\"/></send>";
    paths.trip(&quote("S"), some);
    paths.trip(&None, "<send xmlns=\"urn:a\" xsi:nil=\"true\"/>");
    let spelt =
        format!("<s:send xmlns:s='urn:a' xmlns:x='{XSI}' x:nil=' 1 '> <!-- c --> </s:send>");
    paths.reads(&spelt, &None);
    let whole = format!("<send xmlns='urn:a' xmlns:x='{XSI}' x:nil='0'><symbol>S</symbol></send>");
    paths.reads(&whole, &quote("S"));
    paths.rejects(&whole.replace("'0'", "'true'"), "no content in an element that is nil");
    paths.rejects(&whole.replace("'0'", "'maybe'"), "xsi:nil to be true or false");
    // Who has nothing nil otherwise declares the prefix there alone.
    let mut paths = Paths::<Option<Loose>>::new(&nillable());
    paths.trip(&None, &format!("<send xmlns=\"urn:a\" xmlns:xsi=\"{XSI}\" xsi:nil=\"true\"/>"));
    paths.trip(&Some(Loose::default()), "<send xmlns=\"urn:a\"></send>");
    let mut paths =
        Paths::<Option<Loose>>::new(&Options { version: Version::Soap12, ..nillable() });
    paths.trip(&None, &format!("<send xmlns=\"urn:a\" xmlns:xsi=\"{XSI}\" xsi:nil=\"true\"/>"));
}

#[test]
fn what_may_not_be_nil_says_so() {
    let mut paths = Paths::<Option<Quote>>::new(&options());
    let nil = format!("<send xmlns='urn:a' xmlns:x='{XSI}' x:nil='true'/>");
    paths.rejects(&nil, "expected a message, not nil");
    let error =
        Encoder::new(&paths.plan).encode(&None::<Quote>).expect_err("it is nil").to_string();
    assert!(error.contains("it is nil, which cannot be said there"), "{error}");
    // A struct by itself cannot be nil; one that needs nothing is empty then, as SOAP::Lite means it.
    let envelope = format!(
        "<S:Envelope xmlns:S='http://schemas.xmlsoap.org/soap/envelope/'><S:Body>{nil}</S:Body></S:Envelope>"
    );
    let plan = |layout| Plan::new(layout, &nillable()).expect("a plan");
    let mut quote = Quote::default();
    let read = Decoder::new(&plan(Quote::layout())).decode(envelope.as_bytes(), &mut quote);
    let error = read.expect_err("it cannot be nil").to_string();
    assert!(error.contains("expected a message, not nil"), "{error}");
    let mut loose = Loose { note: Some("n".into()) };
    let read = Decoder::new(&plan(Loose::layout())).decode(envelope.as_bytes(), &mut loose);
    assert_eq!((read, loose), (Ok(()), Loose::default()));
}

/// Those of its type it may have; records hold them.
#[test]
fn a_message_that_is_nil_keeps_its_attributes_in_records() {
    let options = Options { layout: Layout::Fragment, nil_in_records: true, ..nillable() };
    let plan = Plan::new(Tagged::layout(), &options).expect("a plan");
    let (mut decoder, mut encoder) = (Decoder::new(&plan), Encoder::new(&plan));
    let whole = "<send xmlns='urn:a' id='7'><symbol>S</symbol></send>";
    let nil = format!("<send xmlns='urn:a' unit='EUR' xmlns:x='{XSI}' id='7' x:nil='true'/>");
    let mut record = Record::new(Tagged::layout());
    for _ in 0..3 {
        decoder.decode(whole.as_bytes(), &mut record).expect("it is whole");
        assert!(!record.is_nil() && record.get("symbol").is_some(), "{record:?}");
        decoder.decode(nil.as_bytes(), &mut record).expect("it is nil");
        assert!(record.is_nil() && record.get("symbol").is_none(), "{record:?}");
        let written = encoder.encode(&record).expect("it was read").to_vec();
        let expected = format!(
            "<send xmlns=\"urn:a\" xmlns:xsi=\"{XSI}\" xsi:nil=\"true\" id=\"7\" unit=\"EUR\"/>"
        );
        assert_eq!(String::from_utf8_lossy(&written), expected);
        let mut again = Record::new(Tagged::layout());
        decoder.decode(&written, &mut again).expect("it was written");
        assert_eq!(again, record);
    }
    let error = decoder.decode(nil.as_bytes(), &mut None::<Tagged>).expect_err("no place");
    assert!(
        error.to_string().contains("no attributes of its type in an element that is nil"),
        "{error}"
    );
    record.set("symbol", "S").expect("a text");
    let error = encoder.encode(&record).expect_err("it has an element").to_string();
    assert!(error.contains("it is nil, and has more than attributes"), "{error}");
    // Without a record's option it is named, too.
    let plan = Plan::new(Tagged::layout(), &Options { nil_in_records: false, ..options });
    let error = Decoder::new(&plan.expect("a plan")).decode(nil.as_bytes(), &mut record);
    assert!(error.expect_err("no place").to_string().contains("no attributes of its type"));
}

#[test]
fn a_message_that_is_nil_goes_through_every_form() {
    for options in [
        nillable(),
        Options { version: Version::Soap12, ..nillable() },
        Options { qualified: false, ..nillable() },
        Options { layout: Layout::Fragment, ..nillable() },
        Options { attributes: true, ..nillable() },
        Options { style: trunkline_soap::Style::DocumentEncoded, ..nillable() },
    ] {
        through::<Quote>(&options);
        through::<Loose>(&options);
        through::<Tagged>(&options);
    }
}

/// Reads and writes it in XML and Fast Infoset, between messages that are not nil.
fn through<M: Structure + Message + Default + Clone + PartialEq + std::fmt::Debug>(
    options: &Options,
) {
    let plan = Plan::new(M::layout(), options).expect("a plan");
    let (mut encoder, mut decoder) = (Encoder::new(&plan), Decoder::new(&plan));
    let limits = Limits::default();
    let mut parser = fast_infoset::Parser::stateless(fast_infoset::Options::soap(), &limits);
    let mut writer = fast_infoset::Writer::stateless(fast_infoset::WriterOptions::default());
    let has_header = options.layout != Layout::Fragment;
    let header = if has_header { "<h:h xmlns:h='urn:h'>1</h:h>" } else { "" };
    for message in [None, Some(M::default()), None, None, Some(M::default())] {
        for header in ["", header] {
            let document = encoder.encode_with(header, &message).expect("XML").to_vec();
            let mut read = Some(M::default());
            decoder.decode(&document, &mut read).expect("it was written");
            assert_eq!(read, message, "{}", String::from_utf8_lossy(&document));
            writer.begin();
            encoder.encode_to(header, &message, &mut writer).expect("Fast Infoset");
            let binary = writer.finish().expect("a document").to_vec();
            let mut reader = fast_infoset::Reader::begin(&mut parser, &binary).expect("a document");
            decoder.decode_from(&mut reader, &mut read).expect("it was written");
            reader.finish().expect("its end");
            assert_eq!(read, message, "{options:?}");
        }
    }
}
