//! Elements of any name in place of a member, elements of any content, and what is none of either.

mod paths;

use paths::{Paths, options, rejection};
use trunkline_codec::{cdr, fix};
use trunkline_message::{
    Any, ErrorKind, FieldValue as _, Limits, Message, Record, Structure, Unknown, UnknownContent,
};
use trunkline_soap::{Decoder, Encoder, Options, Plan, Style};
use trunkline_wire::Text;

#[derive(Message, Clone, Debug, PartialEq)]
struct Order {
    id: Text,
    extension: Option<Any>,
    note: Option<Text>,
}

#[derive(Message, Clone, Debug, PartialEq)]
struct Letter {
    id: Text,
    more: Vec<Any>,
    note: Option<Text>,
}

#[derive(Message, Clone, Debug, PartialEq)]
enum Entry {
    Known(Text),
    Other(Any),
}

/// Of every shape.
#[derive(Message, Clone, Debug, PartialEq)]
struct Every {
    first: Inside,
    #[xml(element)]
    payload: Option<Any>,
    #[xml(element, unwrapped)]
    part: Vec<Any>,
    #[xml(element, entry = "piece")]
    pieces: Vec<Any>,
    wrapped: Option<Vec<Any>>,
    three: [Any; 2],
    entry: Entry,
    entries: Vec<Entry>,
    lists: Vec<Vec<Any>>,
    text: Mixture,
}

#[derive(Message, Clone, Debug, PartialEq)]
struct Mixture {
    #[xml(list = "mixed")]
    parts: Vec<Part>,
}

#[derive(Message, Clone, Debug, PartialEq)]
enum Part {
    #[xml(text)]
    Text(Text),
    Bold(Text),
    Other(Any),
}

#[derive(Message, Clone, Debug, PartialEq)]
struct Inside {
    #[xml(attribute)]
    kind: Option<Text>,
    id: i32,
    #[xml(namespace = "##other")]
    foreign: Vec<Any>,
    #[xml(namespace = "##local ##targetNamespace")]
    local: Option<Any>,
}

fn order(extension: Option<&str>) -> Order {
    Order { id: "A".into(), extension: extension.map(Any::from), note: Some("n".into()) }
}

fn unqualified() -> Options {
    Options { qualified: false, ..options() }
}

#[test]
fn an_element_that_is_not_known_stands_in_place_of_a_member() {
    let mut paths = Paths::new(&options());
    for extension in [
        "<p:desk xmlns=\"\" xmlns:p=\"urn:p\" floor=\"2\">F<p:x/>X &amp; <![CDATA[<]]><!-- c --></p:desk>",
        "<desk xmlns=\"urn:p\"/>",
        "<desk xmlns=\"\"><id>1</id></desk>",
        "<id xmlns='urn:other'>of another namespace</id>",
    ] {
        let message = order(Some(extension));
        let body = format!("<send xmlns=\"urn:a\"><id>A</id>{extension}<note>n</note></send>");
        paths.trip(&message, &body);
        // Wherever it stands; names that are known keep their meaning.
        paths.reads(
            &format!("<send xmlns='urn:a'>{extension}<note>n</note><id>A</id></send>"),
            &message,
        );
    }
    paths.trip(&order(None), "<send xmlns=\"urn:a\"><id>A</id><note>n</note></send>");
    // It takes the prefixes along that it needs.
    let message =
        order(Some("<p:d xmlns=\"urn:a\" xmlns:p=\"urn:p\" xmlns:q=\"urn:q\" t=\"q:r\"/>"));
    paths.reads(
        "<send xmlns='urn:a' xmlns:p='urn:p' xmlns:q='urn:q' xmlns:r='urn:r'><id>A</id>\
         <p:d t=\"q:r\"/><note>n</note></send>",
        &message,
    );
}

#[test]
fn a_list_takes_any_number_of_them_apart_and_together() {
    let mut paths = Paths::new(&unqualified());
    let letter = |more: &[&str]| Letter {
        id: "A".into(),
        more: more.iter().map(|it| Any::from(*it)).collect(),
        note: Some("n".into()),
    };
    paths.trip(
        &letter(&["<a/>", "<b xmlns=\"urn:b\">x</b>", "<a/>"]),
        "<ns:send xmlns:ns=\"urn:a\"><id>A</id><a/><b xmlns=\"urn:b\">x</b><a/><note>n</note></ns:send>",
    );
    paths.trip(&letter(&[]), "<ns:send xmlns:ns=\"urn:a\"><id>A</id><note>n</note></ns:send>");
    let apart =
        "<s:send xmlns:s='urn:a'><a/><id>A</id> <!-- c --><s:id/><note>n</note>\n<a>1</a></s:send>";
    paths.reads(
        apart,
        &letter(&["<a xmlns:s='urn:a'/>", "<s:id/>", "<a>1</a>"].map(|it| match it {
            "<s:id/>" => "<s:id xmlns:s=\"urn:a\"/>",
            "<a xmlns:s='urn:a'/>" => "<a/>",
            it => it,
        })),
    );
}

fn every() -> Every {
    let anys = |all: &[&str]| all.iter().map(|it| Any::from(*it)).collect::<Vec<Any>>();
    Every {
        first: Inside {
            kind: Some("k".into()),
            id: 7,
            foreign: anys(&["<x:a xmlns:x=\"urn:x\"/>", "<a xmlns=\"urn:y\"/>"]),
            local: Some("<k:a xmlns:k=\"urn:a\"/>".into()),
        },
        payload: Some("<payload xsi:type=\"t:T\" xmlns:t=\"urn:t\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">x<b/></payload>".into()),
        part: anys(&["<part/>", "<part a=\"1\">2</part>"]),
        pieces: anys(&["<piece>1</piece>"]),
        wrapped: Some(anys(&["<anything/>", "<wrapped/>"])),
        three: ["<one/>".into(), "<two/>".into()],
        entry: Entry::Other("<else/>".into()),
        entries: vec![Entry::Known("k".into()), Entry::Other("<Other/>".into())],
        lists: vec![anys(&["<l/>", "<m/>"]), vec![]],
        text: Mixture {
            parts: vec![
                Part::Text("a ".into()),
                Part::Other("<i>b</i>".into()),
                Part::Bold("c".into()),
                Part::Other("<text/>".into()),
                Part::Text(" d".into()),
            ],
        },
    }
}

#[test]
fn every_shape_has_its_place() {
    let xsi = "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"";
    let body = format!(
        "<ns:send xmlns:ns=\"urn:a\"><first kind=\"k\"><id>7</id><x:a xmlns:x=\"urn:x\"/>\
         <a xmlns=\"urn:y\"/><k:a xmlns:k=\"urn:a\"/></first>\
         <payload xsi:type=\"t:T\" xmlns:t=\"urn:t\" {xsi}>x<b/></payload>\
         <part/><part a=\"1\">2</part><pieces><piece>1</piece></pieces>\
         <wrapped><anything/><wrapped/></wrapped><three><one/><two/></three><else/>\
         <entries><Known>k</Known><Other/></entries>\
         <lists><item><l/><m/></item><item></item></lists>\
         <text>a <i>b</i><Bold>c</Bold><text/> d</text></ns:send>"
    );
    let mut paths = Paths::new(&unqualified());
    paths.trip(&every(), &body);
    let empty = Every {
        first: Inside { kind: None, id: 1, foreign: vec![], local: None },
        payload: None,
        part: vec![],
        pieces: vec![],
        wrapped: Some(vec![]),
        entries: vec![],
        lists: vec![],
        text: Mixture { parts: vec![] },
        ..every()
    };
    paths.trip(
        &empty,
        "<ns:send xmlns:ns=\"urn:a\"><first><id>1</id></first><wrapped></wrapped>\
         <three><one/><two/></three><else/><text/></ns:send>",
    );
    // What an element says of itself is not looked at: it is kept.
    let nil = "<part xsi:nil=\"true\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"/>";
    paths.trip(
        &Every { part: vec![nil.into(), "<part/>".into()], ..empty.clone() },
        &format!(
            "<ns:send xmlns:ns=\"urn:a\"><first><id>1</id></first>{nil}<part/><wrapped></wrapped>\
             <three><one/><two/></three><else/><text/></ns:send>"
        ),
    );
}

#[test]
fn every_shape_goes_through_cdr() {
    let plan = cdr::Plan::new(Every::layout(), &cdr::Options::default()).expect("a plan");
    let (mut encoder, mut decoder) = (cdr::Encoder::new(&plan), cdr::Decoder::new(&plan));
    let octets = Every { payload: Some(Any::Octets(vec![1, 0, 0xff])), ..every() };
    for message in [every(), octets] {
        let bytes = encoder.encode(&message).expect("it is written").to_vec();
        let (mut back, mut record) = (Every::empty(), Record::new(Every::layout()));
        decoder.decode(&bytes, &mut back).expect("it is read");
        decoder.decode(&bytes, &mut record).expect("it is read");
        assert_eq!(back, message);
        assert_eq!(encoder.encode(&record).expect("a record"), bytes);
    }
    // A sequence of octets, the first of which says what the others are.
    let plan = cdr::Plan::new(Order::layout(), &cdr::Options::default()).expect("a plan");
    let bytes = cdr::Encoder::new(&plan).encode(&order(Some("<a/>"))).expect("written").to_vec();
    let at = bytes.windows(5).position(|it| it == b"\x01<a/>").expect("it is there");
    assert_eq!(bytes[at - 4..at], 5_u32.to_ne_bytes());
    for (octet, instead) in [(at, 2), (at + 1, 0xff)] {
        let mut bytes = bytes.clone();
        bytes[octet] = instead;
        let error = cdr::Decoder::new(&plan).decode(&bytes, &mut Order::empty()).unwrap_err();
        assert_eq!((&*error.path(), error.kind()), ("extension", &Any::expected()));
    }
}

#[derive(Message, Clone, Debug, PartialEq)]
#[fix(message_type = "n")]
struct XmlMessage {
    #[fix(tag = 213, length = 212)]
    data: Any,
}

#[test]
fn fix_has_it_as_data() {
    let plan = fix::Plan::new(XmlMessage::layout(), &fix::Options::default()).expect("a plan");
    let message = XmlMessage { data: "<a b='\u{1}c'>ü</a>".into() };
    let mut encoder = fix::Encoder::new(&plan);
    let bytes = encoder.encode(&message).expect("it is written").to_vec();
    let text = String::from_utf8_lossy(&bytes).replace('\u{1}', "|");
    assert!(text.contains("|212=16|213=<a b='|c'>ü</a>|10="), "{text}");
    let mut back = XmlMessage::empty();
    fix::Decoder::new(&plan).decode(&bytes, &mut back).expect("it is read");
    assert_eq!(back, message);
    for (data, why) in [(Any::from(""), "no empty values"), (Any::Octets(vec![1]), "no octets")] {
        let error = encoder.encode(&XmlMessage { data }).unwrap_err().to_string();
        assert!(error.contains(why) && error.contains("data"), "{error}");
    }
    #[derive(Message, Clone, Debug)]
    #[fix(message_type = "n")]
    struct Lengthless {
        #[fix(tag = 213)]
        data: Any,
    }
    let error = fix::Plan::new(Lengthless::layout(), &fix::Options::default()).unwrap_err();
    assert!(error.to_string().contains("data"), "{error}");
}

/// None of them is one whole element that declares its prefixes.
const HOSTILE: [&str; 41] = [
    "",
    " ",
    "text",
    "</x><y>",
    "<x>",
    "<x></y>",
    "<x/><y/>",
    "<x/></note>",
    " <x/>",
    "<x/> ",
    "<x/>\n",
    "<!-- c --><x/>",
    "<x/><!-- c -->",
    "<![CDATA[<x/>]]>",
    "<x/>]]>",
    "<x>]]></x>",
    "<x><![CDATA[</x>",
    "<?xml version='1.0'?><x/>",
    "<?p i?><x/>",
    "<x><?p i?></x>",
    "\u{feff}<x/>",
    "<!DOCTYPE x><x/>",
    "<!DOCTYPE x [<!ENTITY e 'f'>]><x>&e;</x>",
    "<x>&e;</x>",
    "<x>&#0;</x>",
    "<x>\u{1}</x>",
    "<x a='1' a='2'/>",
    "<x a='<'/>",
    "<x a=1/>",
    "<p:x/>",
    "<x p:a='1'/>",
    "<x><p:y/></x>",
    "<ns:x/>",
    "<SOAP-ENV:x/>",
    "<x xmlns:p=''/>",
    "<xml:x xmlns:xml='urn:x'/>",
    "<x",
    "<x/",
    "<>",
    "< x/>",
    "<x xmlns='urn:a'><id/></x",
];

/// A document is never broken out of.
#[test]
fn what_is_not_one_whole_element_is_not_written() {
    let plan = Plan::new(Letter::layout(), &options()).expect("a plan");
    let mut encoder = Encoder::new(&plan);
    let deep = "<a>".repeat(20);
    for hostile in HOSTILE.into_iter().chain([&*deep]) {
        let more = vec!["<fine xmlns='urn:f'/>".into(), Any::from(hostile)];
        let letter = Letter { id: "A".into(), more, note: Some("n".into()) };
        let error = encoder.encode(&letter).expect_err(hostile);
        assert_eq!(error.path(), "more[1]", "{hostile}: {error}");
        assert!(error.to_string().contains("one whole element"), "{hostile}: {error}");
    }
    let octets = Letter { id: "A".into(), more: vec![Any::default()], note: None };
    let error = encoder.encode(&octets).unwrap_err();
    assert_eq!(
        (&*error.path(), error.kind()),
        ("more[0]", &ErrorKind::Unwritable("octets are no element of XML"))
    );
    // What would be read as another member, or as none.
    for (element, why) in [
        ("<id xmlns='urn:a'/>", "not known beside it"),
        ("<note xmlns='urn:a'/>", "not known beside it"),
    ] {
        let letter = Letter { id: "A".into(), more: vec![element.into()], note: None };
        let error = encoder.encode(&letter).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
    let plan = Plan::new(Every::layout(), &unqualified()).expect("a plan");
    let mut encoder = Encoder::new(&plan);
    let first = every().first;
    let foreign = Inside { foreign: vec!["<a/>".into()], ..first.clone() };
    let local = Inside { local: Some("<a xmlns='urn:x'/>".into()), ..first };
    for (message, path, why) in [
        (Every { first: foreign, ..every() }, "first/foreign[0]", "of its namespaces"),
        (Every { first: local, ..every() }, "first/local", "of its namespaces"),
        (Every { payload: Some("<other/>".into()), ..every() }, "payload", "<payload>"),
        (Every { pieces: vec!["<item/>".into()], ..every() }, "pieces[0]", "<piece>"),
        (Every { entry: Entry::Other("<Known/>".into()), ..every() }, "entry/Other", "not known"),
    ] {
        let error = encoder.encode(&message).unwrap_err();
        assert_eq!(error.path(), path, "{error}");
        assert!(error.to_string().contains(why), "{error}");
    }
}

#[test]
fn a_namespace_declared_around_it_is_not_the_elements_own() {
    // No prefix of the document counts, and no default namespace.
    let mut paths = Paths::new(&options());
    let read = "<send xmlns=\"urn:a\"><id>A</id><desk xmlns=\"\"><b/></desk><note>n</note></send>";
    assert_eq!(paths.body(&order(Some("<desk><b/></desk>"))), read);
    paths.reads(read, &order(Some("<desk xmlns=\"\"><b/></desk>")));
}

#[test]
fn what_a_member_does_not_take_is_unknown() {
    let plan = Plan::new(Inside::layout(), &unqualified()).expect("a plan");
    let body = |inside: &str| {
        format!(
            "<S:Envelope xmlns:S='http://schemas.xmlsoap.org/soap/envelope/'><S:Body>\
             <s:send xmlns:s='urn:a'><id>1</id>{inside}</s:send></S:Body></S:Envelope>"
        )
    };
    let (known, none, own) = ("<k xmlns='urn:known'/>", "<k/>", "<s:k/>");
    for (inside, unknown, foreign, local) in [
        (format!("{known}{none}{own}"), 1, vec![known], Some(none)),
        (none.repeat(3), 2, vec![], Some(none)),
        (known.repeat(2), 0, vec![known, known], None),
        (own.to_owned(), 0, vec![], Some("<s:k xmlns:s=\"urn:a\"/>")),
    ] {
        let text = body(&inside);
        for decoder in [Decoder::new(&plan), Decoder::new(&plan).generic()] {
            let mut decoder = decoder;
            let mut message = Inside::empty();
            decoder.decode(text.as_bytes(), &mut message).expect("it is read");
            let texts = |all: &[Any]| {
                all.iter().map(|it| it.element().unwrap_or_default().to_owned()).collect::<Vec<_>>()
            };
            assert_eq!(decoder.unknown(), unknown, "{text}");
            assert_eq!(texts(&message.foreign), foreign, "{text}");
            assert_eq!(message.local.as_ref().and_then(Any::element), local, "{text}");
            let mut strict = Decoder::new(&plan).on_unknown(UnknownContent::Reject);
            let read = strict.decode(text.as_bytes(), &mut message);
            assert_eq!(read.is_ok(), unknown == 0, "{text}");
        }
    }
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Keeping {
    id: Text,
    #[xml(namespace = "##other")]
    more: Vec<Any>,
    note: Option<Text>,
    #[unknown]
    unknown: Unknown,
}

/// What is kept as unknown stands beside what a member holds.
#[test]
fn kept_content_stands_beside_it() {
    let plan = Plan::new(Keeping::layout(), &unqualified()).expect("a plan");
    let text = "<SOAP-ENV:Envelope xmlns:SOAP-ENV=\"http://schemas.xmlsoap.org/soap/envelope/\">\
                <SOAP-ENV:Body><ns:send xmlns:ns=\"urn:a\"><id>1</id><u/><a xmlns=\"urn:x\"/>\
                <b xmlns=\"urn:y\"/><c/><note>n</note><d/></ns:send></SOAP-ENV:Body></SOAP-ENV:Envelope>";
    let mut decoder = Decoder::new(&plan).on_unknown(UnknownContent::Keep);
    let mut message = Keeping::default();
    decoder.decode(text.as_bytes(), &mut message).expect("it is read");
    assert_eq!(
        (message.more.len(), message.unknown.markup().count(), decoder.unknown()),
        (2, 3, 0)
    );
    let mut encoder = Encoder::new(&plan);
    let again = String::from_utf8_lossy(encoder.encode(&message).expect("written")).into_owned();
    assert_eq!(again.split_once("<id>").map(|it| it.1), text.split_once("<id>").map(|it| it.1));
    assert_eq!(encoder.unknown(), 0);
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Answer {
    report: Report,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Report {
    id: Text,
    more: Vec<Any>,
}

/// The first part of an answer in rpc is the return value, whatever it is called (WSDL 1.1 section 3.5).
#[test]
fn a_return_value_that_holds_it_may_have_another_name() {
    let options =
        Options { style: Style::RpcLiteral, operation: "r".into(), any_wrapper: true, ..options() };
    let mut paths = Paths::<Answer>::new(&options);
    let report = Report { id: "1".into(), more: vec![Any::from("<x/>")] };
    for name in ["report", "return"] {
        let body = format!("<m:r xmlns:m='urn:a'><{name}><id>1</id><x/></{name}></m:r>");
        paths.reads(&body, &Answer { report: report.clone() });
    }
}

#[test]
fn limits_hold_inside() {
    let plan = Plan::new(Letter::layout(), &options()).expect("a plan");
    let read = |inside: &str, limits: Limits| {
        let text = format!(
            "<S:Envelope xmlns:S='http://schemas.xmlsoap.org/soap/envelope/'><S:Body>\
             <send xmlns='urn:a'><id>1</id>{inside}</send></S:Body></S:Envelope>"
        );
        let mut errors = [
            Decoder::with_limits(&plan, limits.clone()),
            Decoder::with_limits(&plan, limits).generic(),
        ]
        .map(|mut decoder| {
            decoder.decode(text.as_bytes(), &mut Letter::empty()).err().map(|it| it.to_string())
        });
        assert_eq!(errors[0], errors[1]);
        errors[0].take()
    };
    let all = Limits::default();
    let nested = |count: usize| format!("{}{}", "<b>".repeat(count), "</b>".repeat(count));
    assert_eq!(read(&nested(20), Limits { depth: 23, ..all.clone() }), None);
    assert!(read(&nested(20), Limits { depth: 22, ..all.clone() }).unwrap().contains("depth"));
    assert!(read(&"<b>".repeat(200_000), all.clone()).unwrap().contains("depth"));
    let long = format!("<b xmlns=''>{}</b>", "x".repeat(87));
    assert_eq!(read(&long, Limits { value_bytes: 103, ..all.clone() }), None);
    let error = read(&long, Limits { value_bytes: 102, ..all.clone() }).unwrap();
    assert!(error.contains("value_bytes") && error.starts_with("more"), "{error}");
    assert!(
        read(&"<b/>".repeat(9), Limits { entries: 8, ..all.clone() }).unwrap().contains("entries")
    );
    // Short elements that declare a long namespace, each for itself.
    let long = format!("<note xmlns:p='urn:{}'/>", "x".repeat(100_000));
    let wide = format!("<w xmlns:p='urn:{}'>{}</w>", "x".repeat(100_000), "<p:b/>".repeat(10));
    assert_eq!(read(&format!("{long}{wide}"), all.clone()), None);
    let bomb = |count: usize| {
        let plan = Plan::new(Outer::layout(), &options()).expect("a plan");
        let name = "x".repeat(100_000);
        let inside = "<p:b/>".repeat(count);
        let text = format!(
            "<S:Envelope xmlns:S='http://schemas.xmlsoap.org/soap/envelope/'><S:Body>\
             <send xmlns='urn:a' xmlns:p='urn:{name}'><in>{inside}</in></send></S:Body></S:Envelope>"
        );
        let mut decoder = Decoder::new(&plan);
        decoder.decode(text.as_bytes(), &mut Outer::empty()).err().map(|it| it.to_string())
    };
    assert_eq!(bomb(100), None);
    let error = bomb(1000).expect("it is more than a message may be");
    assert!(error.contains("message_bytes") && error.starts_with("in/more"), "{error}");
}

#[derive(Message, Clone, Debug, PartialEq)]
struct Table {
    #[xml(unwrapped)]
    row: Vec<Row>,
}

#[derive(Message, Clone, Debug, PartialEq)]
struct Row {
    first: Option<Any>,
    #[xml(attribute)]
    kind: Text,
}

/// What begins with an element of any name is no such element.
#[test]
fn a_struct_that_begins_with_it_is_a_struct() {
    let row = |first: Option<&str>| Row { first: first.map(Any::from), kind: "k".into() };
    let table = Table { row: vec![row(None), row(Some("<x/>")), row(None)] };
    let mut paths = Paths::new(&unqualified());
    paths.trip(
        &table,
        "<ns:send xmlns:ns=\"urn:a\"><row kind=\"k\"/><row kind=\"k\"><x/></row><row kind=\"k\"/></ns:send>",
    );
    let nil =
        "<row kind='k' xsi:nil='true' xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'/>";
    paths.rejects(&format!("<s:send xmlns:s='urn:a'>{nil}</s:send>"), "nil");
}

#[derive(Message, Clone, Debug, PartialEq)]
struct Beside {
    #[xml(unwrapped)]
    row: Vec<Row>,
    #[xml(unwrapped)]
    number: Vec<i32>,
    #[xml(unwrapped)]
    pair: [Text; 2],
    other: Vec<Any>,
}

#[test]
fn they_stand_behind_and_between_unwrapped_lists() {
    let row = |kind: &str| Row { first: None, kind: kind.into() };
    let beside = Beside {
        row: vec![row("k"), row("l")],
        number: vec![1, 2],
        pair: ["a".into(), "b".into()],
        other: ["<x/>", "<row xmlns=\"urn:o\"/>", "<number xmlns=\"urn:o\"/>", "<pairs/>"]
            .map(Any::from)
            .to_vec(),
    };
    let mut paths = Paths::new(&unqualified());
    let (rows, numbers) = (["<row kind=\"k\"/>", "<row kind=\"l\"/>"], "<number>1</number>");
    let last = "<number>2</number><pair>a</pair><pair>b</pair>";
    let other = ["<x/>", "<row xmlns=\"urn:o\"/>", "<number xmlns=\"urn:o\"/>", "<pairs/>"];
    let (start, end) = ("<ns:send xmlns:ns=\"urn:a\">", "</ns:send>");
    let all = [rows.concat(), numbers.into(), last.into(), other.concat()].concat();
    paths.trip(&beside, &format!("{start}{all}{end}"));
    let between = [
        rows[0],
        other[0],
        " ",
        other[1],
        rows[1],
        numbers,
        "<!-- c -->",
        other[2],
        last,
        other[3],
    ];
    paths.reads(&format!("{start}{}{end}", between.concat()), &beside);
}

#[derive(Message, Clone, Debug, PartialEq)]
struct Outer {
    #[field(name = "in")]
    inside: Few,
}

#[derive(Message, Clone, Debug, PartialEq)]
struct Few {
    more: Vec<Any>,
}

macro_rules! rejected {
    ($($name:ident { $(#[$note:meta] $member:ident: $type:ty),* $(,)? } $why:expr;)*) => {$({
        #[derive(Message, Clone, Debug)]
        struct $name {
            $(#[$note] $member: $type),*
        }
        let why = rejection::<$name>(&options());
        assert!(why.contains($why), "{why}");
        assert!(why.contains("last"), "{why}");
    })*};
}

#[test]
fn what_means_nothing_is_rejected_with_its_place() {
    rejected! {
        Twice { #[xml(namespace = "##any")] first: Any, #[xml(namespace = "##other")] last: Option<Any> } "beside first, which takes the same";
        Lists { #[xml(namespace = "urn:x ##local")] first: Vec<Any>, #[xml(namespace = "urn:x")] last: Vec<Any> } "beside first, which takes the same";
        Named { #[xml(name = "x")] last: Any } "xml(element) gives it one";
        Entries { #[xml(entry = "x")] last: Vec<Any> } "xml(element) gives it one";
        Wrapped { #[xml(entry = "x")] last: Option<Vec<Any>> } "xml(element) gives it one";
        Attribute { #[xml(attribute)] last: Any } "of content of any shape";
        Content { #[xml(text)] last: Any } "of content of any shape";
        Spaced { #[xml(spaced)] last: Vec<Any> } "no list of single values";
        Word { #[xml(namespace = "##all")] last: Any } "which takes ##any";
        Nothing { #[xml(namespace = "")] last: Any } "says of none";
        Nil { #[xml(nillable)] last: Option<Any> } "nillable";
        Nested { #[xml(element)] last: Vec<Vec<Any>> } "of lists in a list";
        Fixed { #[xml(unwrapped)] last: [Any; 2] } "of a fixed number";
    }
    #[derive(Message, Clone, Debug)]
    struct Parted {
        #[xml(namespace = "##other")]
        first: Any,
        #[xml(namespace = "##targetNamespace ##local")]
        last: Vec<Any>,
    }
    assert!(Plan::new(Parted::layout(), &options()).is_ok());
    #[derive(Message, Clone, Debug)]
    #[xml(choice = "type")]
    enum ByType {
        One(Text),
        Any(Any),
    }
    #[derive(Message, Clone, Debug)]
    struct Typed {
        last: ByType,
    }
    let why = rejection::<Typed>(&options());
    assert!(why.contains("choice by type") && why.contains("last"), "{why}");
    #[derive(Message, Clone, Debug)]
    struct Arms {
        #[xml(list = "arms")]
        last: Vec<Entry>,
    }
    let why = rejection::<Arms>(&options());
    assert!(why.contains("an arm of any name") && why.contains("last"), "{why}");
    #[derive(Message, Clone, Debug)]
    struct Lists {
        id: Text,
        last: Vec<Vec<Any>>,
    }
    for style in [Style::RpcEncoded, Style::DocumentEncoded] {
        let why = rejection::<Lists>(&Options { style, ..options() });
        assert!(why.contains("where content is encoded") && why.contains("last"), "{why}");
        let why = rejection::<Order>(&Options { style, ..options() });
        assert!(why.contains("where content is encoded") && why.contains("extension"), "{why}");
    }
}
