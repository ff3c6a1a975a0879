//! At a limit and just beyond it; values of kinds that few messages have.

use trunkline_codec::cdr;
use trunkline_codec::fix::{self, Frame};
use trunkline_message::{Limits, Message, Structure};
use trunkline_soap::graph::{self, Encoder as GraphEncoder};
use trunkline_soap::{self as soap, Fragment, Options, Plan, Style, Version};
use trunkline_tests::every_kind::{self, EveryKind};
use trunkline_tests::plain_fix;

#[derive(Message, Clone, Debug, Default, PartialEq)]
#[message(name = "Lists")]
struct Lists {
    name: String,
    note: Option<String>,
    large: Vec<i64>,
    ratios: Vec<f64>,
}

fn lists(count: usize) -> Lists {
    Lists {
        name: "a name of a usual length".into(),
        note: Some(String::new()),
        large: vec![i64::MIN; count],
        ratios: vec![-1.234_567_890_123_456_7e-300; count],
    }
}

#[test]
fn texts_that_are_strings_go_through_cdr() {
    let plan = cdr::Plan::new(Lists::layout(), &cdr::Options::default()).expect("a plan");
    let (mut encoder, mut decoder) = (cdr::Encoder::new(&plan), cdr::Decoder::new(&plan));
    let mut read = Lists { name: "before".into(), ..Lists::default() };
    for note in [None, Some(String::new()), Some("Gr\u{fc}\u{df}e".into())] {
        let message = Lists { note, ..lists(3) };
        let bytes = encoder.encode(&message).expect("it can be written").to_vec();
        decoder.decode(&bytes, &mut read).expect("it can be read");
        assert_eq!(read, message);
    }
}

#[test]
fn long_lists_of_long_numbers_are_written_whole() {
    for style in [Style::DocumentLiteral, Style::RpcEncoded] {
        let options = Options { style, ..Options::default() };
        let plan = Plan::new(Lists::layout(), &options).expect("a plan");
        for count in [0, 1, 7, 1_000] {
            let message = lists(count);
            let mut encoder = soap::Encoder::new(&plan);
            let bytes = encoder.encode(&message).expect("it can be written").to_vec();
            let mut read = Lists::default();
            soap::Decoder::new(&plan).decode(&bytes, &mut read).expect("it can be read");
            assert_eq!(read, message, "{count}");
        }
    }
}

/// A document of a message with a list of three numbers, and what reads it within limits.
fn within_limits(limits: &Limits) -> [Result<(), String>; 2] {
    let plan = Plan::new(Lists::layout(), &Options::default()).expect("a plan");
    let mut encoder = soap::Encoder::new(&plan);
    let message = Lists { ratios: vec![], ..lists(3) };
    let bytes = encoder.encode(&message).expect("it can be written").to_vec();
    let decoder = &mut soap::Decoder::with_limits(&plan, limits.clone());
    let of_plan = decoder.decode(&bytes, &mut Lists::default());
    let of_graph = graph::decode_message(&bytes, &plan, limits, &mut Lists::default());
    [of_plan, of_graph.map(drop)].map(|it| it.map_err(|error| error.to_string()))
}

#[test]
fn a_list_may_have_as_many_items_as_the_limit_and_no_more() {
    let of = |elements| within_limits(&Limits { elements, ..Limits::default() });
    assert_eq!(of(3), [Ok(()), Ok(())]);
    for rejected in of(2) {
        let error = rejected.expect_err("one too many");
        assert!(error.contains("elements = 2"), "{error}");
    }
}

#[test]
fn a_group_may_have_as_many_entries_and_a_message_as_many_fields_as_the_limit() {
    let plan = Plan::new(EveryKind::layout(), &Options::default()).expect("a plan");
    let message = every_kind::full();
    let bytes = soap::Encoder::new(&plan).encode(&message).expect("it can be written").to_vec();
    let read = |limits: &Limits| {
        let mut decoder = soap::Decoder::with_limits(&plan, limits.clone());
        let of_plan = decoder.decode(&bytes, &mut EveryKind::default());
        let of_graph = graph::decode_message(&bytes, &plan, limits, &mut EveryKind::default());
        [of_plan, of_graph.map(drop)].map(|it| it.map_err(|error| error.to_string()))
    };
    type Make = fn(usize) -> Limits;
    let entries: Make = |entries| Limits { entries, ..Limits::default() };
    let fields: Make = |fields| Limits { fields, ..Limits::default() };
    for (name, make) in [("entries", entries), ("fields", fields)] {
        for which in [0, 1] {
            let enough = (1..1_000).find(|limit| read(&make(*limit))[which].is_ok());
            let less = enough.expect("it is enough") - 1;
            let error = read(&make(less))[which].clone().expect_err("one too few");
            assert!(error.contains(&format!("{name} = {less}")), "{error}");
        }
    }
    // Three of them, and three in these.
    assert_eq!((read(&entries(6))[0].clone(), read(&entries(5))[0].is_err()), (Ok(()), true));
}

#[test]
fn a_value_in_pieces_is_as_long_as_all_of_them() {
    let plan = Plan::new(Lists::layout(), &Options::default()).expect("a plan");
    let message = Lists { name: "MARK".into(), ..Lists::default() };
    let bytes = soap::Encoder::new(&plan).encode(&message).expect("it can be written").to_vec();
    let piece = "x".repeat(100);
    let document = String::from_utf8(bytes).expect("text");
    let document = document.replace("MARK", &format!("{piece}<!-- -->{piece}"));
    let read = |value_bytes| {
        let limits = Limits { value_bytes, ..Limits::default() };
        let mut decoder = soap::Decoder::with_limits(&plan, limits);
        let read = decoder.decode(document.as_bytes(), &mut Lists::default());
        read.map_err(|error| error.to_string())
    };
    assert_eq!(read(200), Ok(()));
    let error = read(199).expect_err("one too many");
    assert!(error.contains("value_bytes = 199"), "{error}");
}

#[test]
fn lists_of_numbers_go_through_graphs() {
    let message = every_kind::full();
    for style in [Style::RpcEncoded, Style::DocumentLiteral] {
        let plan = Plan::new(EveryKind::layout(), &Options { style, ..Options::default() })
            .expect("a plan");
        let made = graph::from_message(&message, &plan).expect("a graph");
        let encoder = GraphEncoder { multi_ref: false, ..GraphEncoder::new(Version::Soap11) };
        let document = encoder.encode(&made).expect("a document");
        let mut read = EveryKind::default();
        graph::decode_message(&document, &plan, &Limits::default(), &mut read).expect("a message");
        assert_eq!(read, message);
        let mut read = EveryKind::default();
        soap::Decoder::new(&plan).decode(&document, &mut read).expect("a message");
        assert_eq!(read, message);
    }
}

#[test]
fn what_is_unknown_is_counted_and_has_no_place_in_a_group() {
    let plan = Plan::new(
        EveryKind::layout(),
        &Options { style: Style::DocumentLiteral, ..Options::default() },
    )
    .expect("a plan");
    let bytes = soap::Encoder::new(&plan).encode(&every_kind::full()).expect("a document").to_vec();
    let document = String::from_utf8(bytes).expect("text");
    assert!(document.contains("</legs>"), "{document}");
    let limits = Limits::default();
    let within = document.replace("</legs>", "<other><side>1</side></other></legs>");
    let rejected =
        graph::decode_message(within.as_bytes(), &plan, &limits, &mut EveryKind::default());
    let error = rejected.expect_err("it is no leg").to_string();
    assert!(error.contains("expected <leg>"), "{error}");
    let document = document.replace("</legs>", "</legs><other>1</other>");
    let mut read = EveryKind::default();
    assert_eq!(graph::decode_message(document.as_bytes(), &plan, &limits, &mut read), Ok(1));
    assert_eq!(read, every_kind::full());
    // The same from the node of the message alone.
    let message = graph::decode(document.as_bytes(), &limits).expect("a graph");
    let mut read = EveryKind::default();
    let (_, node) = &message.body[0];
    assert_eq!(graph::read_message(&message.graph, *node, &plan, &limits, &mut read), Ok(1));
    assert_eq!(read, every_kind::full());
}

#[test]
fn a_graph_is_as_deep_as_it_may_be() {
    let plan = Plan::new(EveryKind::layout(), &Options::default()).expect("a plan");
    let made = graph::from_message(&every_kind::full(), &plan).expect("a graph");
    let write = |depth| {
        let limits = Limits { depth, ..Limits::default() };
        let new = GraphEncoder::new(Version::Soap11);
        GraphEncoder { multi_ref: false, limits, ..new }.encode(&made).map_err(|it| it.to_string())
    };
    let enough = (1..100).find(|depth| write(*depth).is_ok()).expect("it is not so deep");
    let error = write(enough - 1).expect_err("one too few");
    assert!(error.contains(&format!("depth = {}", enough - 1)), "{error}");
    let document = write(enough).expect("a document");
    let read = |depth| {
        let limits = Limits { depth, ..Limits::default() };
        graph::decode_message(&document, &plan, &limits, &mut EveryKind::default()).map(drop)
    };
    assert_eq!(read(enough), Ok(()));
    assert!(read(enough - 1).is_err());
}

#[test]
fn a_fragment_tells_its_text() {
    let value = |text| Fragment::parse(text).expect("an element").value();
    assert_eq!(value("<a>x &lt; <![CDATA[y]]></a>").as_deref(), Some("x < y"));
    assert_eq!(value("<a/>").as_deref(), Some(""));
    assert_eq!(value("<a>x<b/></a>"), None);
}

#[test]
fn nobody_waits_for_a_message_that_is_too_long() {
    let begin = b"8=FIX.4.4\x019=99999999\x0135=X\x01";
    let limits = |message_bytes| Limits { message_bytes, ..Limits::default() };
    assert_eq!(fix::frame(begin, &limits(1_000)), Frame::Garbled);
    let whole = plain_fix::message("35=U2|");
    assert_eq!(fix::frame(&whole, &limits(whole.len())), Frame::Message(whole.len()));
    assert_eq!(fix::frame(&whole, &limits(whole.len() - 1)), Frame::Garbled);
}

#[test]
fn a_prefix_that_means_something_else_is_not_what_was_learnt() {
    let options = Options { style: Style::RpcEncoded, types: true, ..Options::default() };
    let plan = Plan::new(EveryKind::layout(), &options).expect("a plan");
    let bytes = soap::Encoder::new(&plan).encode(&every_kind::full()).expect("a document").to_vec();
    let usual = String::from_utf8(bytes).expect("text");
    // One value is nil, by an attribute of a namespace.
    let (from, to) = (usual.find("<tiny"), usual.find("</tiny>"));
    let (from, to) = (from.expect("it is there"), to.expect("it is there"));
    let usual = format!("{}<tiny xsi:nil=\"true\">{}", &usual[..from], &usual[to..]);
    let declaration = "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"";
    assert!(usual.contains(declaration), "{usual:.500}");
    let mut reused = soap::Decoder::new(&plan);
    let mut read = |document: &str| {
        let once = |decoder: &mut soap::Decoder| {
            let mut message = EveryKind::default();
            let read = decoder.decode(document.as_bytes(), &mut message);
            read.map(|()| message).map_err(|error| error.to_string())
        };
        let fresh = once(&mut soap::Decoder::new(&plan));
        for _ in 0..3 {
            assert_eq!(once(&mut reused), fresh);
        }
        fresh.is_ok()
    };
    // More senders than are remembered, each with prefixes of its own.
    for number in 0..12 {
        assert!(read(&usual));
        let more = format!("{declaration} xmlns:own{number}=\"urn:own\"");
        assert!(read(&usual.replace(declaration, &more)));
        let other = format!("xmlns:xsi=\"urn:other{number}\"");
        assert!(!read(&usual.replace(declaration, &other)));
    }
}
