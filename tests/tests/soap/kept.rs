//! One unknown thing in each place of a document in turn: a struct with a place for it keeps it, and it is
//! written where it stood.

use std::fmt::Debug;

use trunkline_codec::xml::{Event, Options as XmlOptions, Parser, Source};
use trunkline_message::{Group, Limits, Message, Record, Structure, Unknown, UnknownContent};
use trunkline_soap::{Decoder, Encoder, Options, Plan, Style};
use trunkline_tests::events::Events;
use trunkline_wire::{Decimal, Text};

use super::document;

/// A struct in which only one member has to be there.
#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Address {
    street: Text,
    city: Option<Text>,
    #[unknown]
    unknown: Unknown,
}

/// There if anything inside it is.
#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Terms {
    days: Option<u16>,
    note: Option<Text>,
}

#[derive(Message, Clone, Debug, PartialEq)]
#[message(rename_all = "camelCase")]
enum Price {
    Market,
    Limit(Decimal),
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Folder {
    name: Text,
    folders: Vec<Folder>,
    #[unknown]
    unknown: Unknown,
}

#[derive(Message, Clone, Debug, PartialEq)]
struct Order {
    id: Text,
    price: Price,
    #[field(implied)]
    terms: Terms,
    inside: Terms,
    address: Option<Address>,
    #[xml(entry = "leg")]
    legs: Group<Address>,
    #[xml(list = "unwrapped", entry = "side")]
    sides: Vec<Address>,
    #[xml(list = "unwrapped", entry = "note")]
    notes: Vec<Text>,
    texts: Vec<Text>,
    prices: Vec<Price>,
    numbers: Vec<i32>,
    folder: Folder,
    end: Option<Text>,
    #[unknown]
    unknown: Unknown,
}

fn address(street: &str) -> Address {
    Address { street: street.into(), city: Some("c".into()), ..Address::default() }
}

fn folder(name: &str, folders: Vec<Folder>) -> Folder {
    Folder { name: name.into(), folders, ..Folder::default() }
}

fn order() -> Order {
    Order {
        id: "A".into(),
        price: Price::Market,
        terms: Terms { days: Some(3), note: None },
        inside: Terms { days: None, note: Some("n".into()) },
        address: Some(address("a")),
        legs: vec![address("b"), address("c")].into(),
        sides: vec![address("d"), address("e")],
        notes: vec!["f".into(), "g".into()],
        texts: vec!["h".into()],
        prices: vec![Price::Limit(7.into()), Price::Market],
        numbers: vec![1, 2],
        folder: folder("i", vec![folder("j", vec![]), folder("k", vec![folder("l", vec![])])]),
        end: Some("z".into()),
        unknown: Unknown::default(),
    }
}

/// With as little as there may be.
fn sparse() -> Order {
    Order {
        terms: Terms::default(),
        inside: Terms::default(),
        address: None,
        legs: Group::default(),
        sides: vec![],
        notes: vec![],
        texts: vec![],
        prices: vec![],
        numbers: vec![],
        folder: folder("i", vec![]),
        end: None,
        ..order()
    }
}

/// What a document says: names in their namespaces, attributes in any order, texts.
fn infoset(document: &str) -> Vec<String> {
    let limits = Limits::default();
    let mut source = Source::default();
    let text = source.prepare(document.as_bytes(), &limits).expect("text");
    let mut parser = Parser::new(XmlOptions::soap(), &limits);
    parser.begin(text).expect("a beginning");
    let mut found = Vec::new();
    loop {
        let named = |parser: &Parser, name: trunkline_codec::xml::Name<'_>| {
            format!("{{{}}}{}", parser.namespace_name(text, name.namespace), name.local())
        };
        match parser.next(text).unwrap_or_else(|error| panic!("{error}: {document}")) {
            Event::Start { name, .. } => {
                found.push(format!("<{}", named(&parser, name)));
                let attributes = parser.attributes(text);
                let mut attributes: Vec<String> = attributes
                    .map(|it| format!("{}={}", named(&parser, it.name), it.value()))
                    .collect();
                attributes.sort();
                found.extend(attributes);
            }
            Event::End { .. } => found.push(">".into()),
            Event::Text { white: true, .. } => {}
            Event::Text { raw, .. } | Event::CData { raw, .. } => found.push(raw.into()),
            Event::Eof => return found,
            _ => {}
        }
    }
}

/// What nobody knows, to stand between two tags, or in a start tag.
const ELEMENTS: [&str; 3] = [
    "<unheard/>",
    "<SOAP-ENV:unheard>text<of/></SOAP-ENV:unheard>",
    "<o:unheard xmlns:o=\"urn:o\" a=\"o:1\"/>",
];
const ATTRIBUTES: [&str; 3] = [
    " unheard=\"1 &lt; &quot;2\"",
    " xmlns:own=\"urn:own\" own:unheard=\"1\"",
    " xmlns:o=\"urn:o\" o:name=\"1\"",
];

struct Bench {
    plan: std::sync::Arc<Plan>,
    /// Has kept every document so far.
    lasting: Decoder,
    encoder: Encoder,
}

impl Bench {
    /// Reads a document, writes the message, and holds the two to one infoset, if all was kept.
    fn check<M: Message + PartialEq + Debug>(
        &mut self,
        document: &str,
        mut made: impl FnMut() -> M,
    ) -> bool {
        let decoder = || Decoder::new(&self.plan).on_unknown(UnknownContent::Keep);
        let (mut message, mut generic) = (made(), decoder().generic());
        let mut counting = Decoder::new(&self.plan);
        let (read, counted) = (generic.decode(document.as_bytes(), &mut message), {
            let mut other = made();
            (counting.decode(document.as_bytes(), &mut other), counting.unknown())
        });
        assert_eq!(read, counted.0, "{document}");
        let mut others = [(decoder(), made()), (decoder(), made())];
        for (decoder, other) in &mut others {
            assert_eq!(decoder.decode(document.as_bytes(), other), read);
            if read.is_ok() {
                assert_eq!(
                    (&*other, decoder.unknown()),
                    (&message, generic.unknown()),
                    "{document}"
                );
            }
        }
        for _ in 0..2 {
            let mut other = made();
            assert_eq!(self.lasting.decode(document.as_bytes(), &mut other), read);
            if read.is_ok() {
                assert_eq!(
                    (&other, self.lasting.unknown()),
                    (&message, generic.unknown()),
                    "{document}"
                );
            }
        }
        if read.is_err() {
            return false;
        }
        assert!(generic.unknown() <= counted.1, "{document}");
        let written =
            self.encoder.encode(&message).unwrap_or_else(|error| panic!("{error}: {document}"));
        let written = std::str::from_utf8(written).expect("UTF-8").to_owned();
        let is_whole = generic.unknown() == 0 && self.encoder.unknown() == 0;
        let events = Events::of_xml(document.as_bytes(), &Limits::default()).expect("a document");
        let (mut by_events, mut other) = (decoder(), made());
        by_events.decode_from(&mut events.reader(), &mut other).expect("what was read");
        assert_eq!(by_events.unknown(), generic.unknown(), "{document}");
        let as_events = self.encoder.encode(&other).expect("what was written");
        let as_events = std::str::from_utf8(as_events).expect("UTF-8");
        assert_eq!(infoset(as_events), infoset(&written), "{document}");
        if is_whole && counted.1 > 0 {
            assert_eq!(infoset(&written), infoset(document), "{document}\n{written}");
        }
        let mut again = made();
        self.lasting
            .decode(written.as_bytes(), &mut again)
            .unwrap_or_else(|error| panic!("{error}: {written}"));
        if is_whole {
            assert_eq!(again, message, "{document}\n{written}");
        }
        is_whole && counted.1 > 0
    }
}

/// Puts each thing into each place: how many were kept and how many not, and where those stood.
fn check(options: &Options, message: &Order) -> (usize, Vec<String>) {
    let plan = Plan::new(Order::layout(), options).expect("a plan");
    let mut encoder = Encoder::new(&plan);
    let good =
        String::from_utf8(encoder.encode(message).expect("it is good").to_vec()).expect("UTF-8");
    let root = if good.contains("<ns:Order") { "ns:Order" } else { "Order" };
    let start = good.find(&format!("<{root}")).expect("its tag");
    let end = good.rfind(&format!("</{root}")).expect("its end");
    let lasting = Decoder::new(&plan).on_unknown(UnknownContent::Keep);
    let mut bench = Bench { plan, lasting, encoder };
    let (mut kept, mut counted) = (0, Vec::new());
    for (at, _) in good.match_indices('<').filter(|(at, _)| (start..=end).contains(at)) {
        let name = &good[at + 1..];
        let in_tag = at + 1 + name.find([' ', '\n', '>', '/']).unwrap_or(0);
        let is_end = name.starts_with('/');
        let elements = ELEMENTS.iter().map(|it| (at, it)).filter(|_| at > start);
        let attributes = ATTRIBUTES.iter().map(|it| (in_tag, it)).filter(|_| !is_end);
        for (at, thing) in elements.chain(attributes) {
            let document = format!("{}{thing}{}", &good[..at], &good[at..]);
            let of_struct = bench.check(&document, || Order { ..sparse() });
            let of_record = bench.check(&document, || Record::new(Order::layout()));
            let counting = Decoder::new(&bench.plan);
            let mut counting = counting;
            let mut other = sparse();
            let read = counting.decode(document.as_bytes(), &mut other);
            if read.is_err() || counting.unknown() == 0 {
                continue;
            }
            match of_struct {
                true => kept += 1,
                false => counted.push(format!(
                    "{}|{thing}|{}",
                    &good[at.saturating_sub(20)..at],
                    &good[at..at + 12]
                )),
            }
            assert!(of_record || !of_struct, "a record keeps no less: {document}");
        }
    }
    (kept, counted)
}

#[test]
fn what_is_unknown_is_kept_and_written_where_it_stood() {
    let literal = document("urn:own");
    let unqualified = Options { qualified: false, ..literal.clone() };
    let attributes = Options { attributes: true, ..literal.clone() };
    let flat = Options { flat: true, ..literal.clone() };
    let rpc = Options { style: Style::RpcLiteral, ..Options::default() };
    for options in [literal, unqualified, attributes, flat, rpc] {
        for message in [order(), sparse()] {
            let (kept, counted) = check(&options, &message);
            assert!(kept > 10, "{kept} with {options:?}");
            // The attributes of items, and what stands in an arm of nothing, have no place.
            let is_item = |it: &String| {
                let items = ["<note|", "<item|", "<limit|", "<market|", "<market>|"];
                items.iter().any(|item| it.contains(item))
            };
            let others: Vec<&String> = counted.iter().filter(|it| !is_item(it)).collect();
            assert!(others.is_empty(), "{others:#?} with {options:?}");
        }
    }
}

/// An order with these attributes and elements.
fn of(attributes: &str, inside: &str) -> String {
    format!(
        "<S:Envelope xmlns:S='http://schemas.xmlsoap.org/soap/envelope/'><S:Body>\
         <Order xmlns='urn:own'{attributes}>{inside}</Order></S:Body></S:Envelope>"
    )
}

#[test]
fn all_of_it_is_kept_at_once_and_so_is_the_order_of_it() {
    let plan = Plan::new(Order::layout(), &document("urn:own")).expect("a plan");
    let (encoder, keep) = (Encoder::new(&plan), UnknownContent::Keep);
    let mut bench = Bench { lasting: Decoder::new(&plan).on_unknown(keep), plan, encoder };
    // Of what holds nothing else, lists and components are there for what is unknown in them alone.
    let document = of(
        " a='1' xmlns:own='urn:own' own:b='&quot;2' own:c='3'",
        "<u1/><u2 xmlns=''><a/></u2><id c='3' d='4'>A</id><u3/><market/><u4/><terms e='5'><u5/><u6/>\
         </terms><u7/><inside><u8/></inside><u9/><legs><u:u10 xmlns:u='urn:u' u:a='u:b'/><u11/></legs>\
         <u12/><side f='6'><u13/><street>d</street></side><u14/><side><street>e</street><u15/></side>\
         <u16/><note>f</note><u17/><folder g='7'><name>i</name><folders h='8'><u18/><Folder i='9'><u19/>\
         <name>j</name><u20/></Folder><u21/><Folder><name>k</name></Folder><u22/></folders></folder><u23/>",
    );
    let document = document.replace("<u18/>", "<u:u18 xmlns:u='urn:u'/>");
    let document = document.replace("<u21/>", "<u:u21 xmlns:u='urn:u'/>");
    let document = document.replace("<u22/>", "<u:u22 xmlns:u='urn:u'/>").replace("<u11/>", "");
    assert!(bench.check(&document, sparse), "a struct keeps all");
    assert!(bench.check(&document, || Record::new(Order::layout())), "a record keeps all");
    assert!(bench.check(&document, sparse), "again");
}

/// It would say something else, or nothing, where the prefix is not declared.
#[test]
fn an_attribute_with_a_prefix_in_its_value_is_counted_and_not_kept() {
    let plan = Plan::new(Order::layout(), &document("urn:own")).expect("a plan");
    let mut decoder = Decoder::new(&plan).on_unknown(UnknownContent::Keep);
    let inside = "<id>A</id><market/><folder><name>i</name></folder>";
    for (value, is_kept) in
        [("p:T", false), (" a p:T ", false), ("http://a/p:T", true), ("q:T", true), (":T", true)]
    {
        let text = of(&format!(" xmlns:p='urn:p' kind='{value}' p:kind='{value}'"), inside);
        let mut order = sparse();
        decoder.decode(text.as_bytes(), &mut order).expect("an order");
        let found = (decoder.unknown(), order.unknown.markup().count());
        assert_eq!(found, if is_kept { (0, 2) } else { (2, 0) }, "{text}");
    }
}

#[test]
fn what_has_lost_its_place_is_counted() {
    let plan = Plan::new(Order::layout(), &document("urn:own")).expect("a plan");
    let mut decoder = Decoder::new(&plan).on_unknown(UnknownContent::Keep);
    let inside =
        "<id>A</id><market/><address><street>b</street></address><folder><name>i</name></folder>";
    let inside = inside
        .replace("<address>", "<address a='1'><u1/>")
        .replace("</folder>", "</folder><end b='2'>z</end>");
    let mut order = sparse();
    decoder.decode(of("", &inside).as_bytes(), &mut order).expect("an order");
    assert_eq!((decoder.unknown(), order.unknown.markup().count()), (0, 1));
    let mut encoder = Encoder::new(&plan);
    encoder.encode(&order).expect("an order");
    assert_eq!(encoder.unknown(), 0);
    order.end = None;
    let written = encoder.encode(&order).expect("an order").to_vec();
    assert_eq!(encoder.unknown(), 1, "the attribute of what is not there any more");
    order.address = None;
    let shorter = encoder.encode(&order).expect("an order").to_vec();
    assert!(shorter.len() < written.len());
    order.unknown.clear();
    encoder.encode(&order).expect("an order");
    assert_eq!(encoder.unknown(), 0);
}

#[test]
fn what_is_kept_is_within_the_limits() {
    let plan = Plan::new(Order::layout(), &document("urn:own")).expect("a plan");
    let limits = Limits { message_bytes: 40_000, ..Limits::default() };
    let keep = |limits: &Limits| {
        Decoder::with_limits(&plan, limits.clone()).on_unknown(UnknownContent::Keep)
    };
    // Each element declares its namespace anew.
    let long = format!(" xmlns:u='urn:{}'", "x".repeat(10_000));
    let inside =
        format!("{}<id>A</id><market/><folder><name>i</name></folder>", "<u:u/>".repeat(9));
    let (mut order, document) = (sparse(), of(&long, &inside));
    keep(&Limits::default()).decode(document.as_bytes(), &mut order).expect("an order");
    let error = keep(&limits).decode(document.as_bytes(), &mut order).expect_err("it is too much");
    let kind = trunkline_message::ErrorKind::Limit { name: "message_bytes", limit: 40_000 };
    assert_eq!(*error.kind(), kind);
}
