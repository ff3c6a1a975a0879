//! Choices by type: derived types where their base is declared, and values of any type.

mod paths;

use std::fmt::Debug;

use paths::{Paths, options, rejection};
use trunkline_message::{FieldValue as _, Limits, Message, Structure};
use trunkline_soap::{Decoder, Encoder, Layout, Options, Plan, Style, Version, graph};
use trunkline_wire::{Decimal, Text};

const XSI: &str = "http://www.w3.org/2001/XMLSchema-instance";
const XSD: &str = "http://www.w3.org/2001/XMLSchema";

/// The purchase order of XML Schema's primer, section 4.3.
#[derive(Message, Clone, Debug, PartialEq)]
#[message(rename_all = "camelCase")]
struct PurchaseOrder {
    #[xml(attribute)]
    order_date: Text,
    ship_to: Address,
    bill_to: Address,
}

#[derive(Message, Clone, Debug, PartialEq)]
#[xml(choice = "type")]
enum Address {
    #[xml(base)]
    Plain(PlainAddress),
    #[xml(type = "UKAddress")]
    British(BritishAddress),
    #[xml(type = "USAddress")]
    American(AmericanAddress),
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
#[message(name = "Address")]
struct PlainAddress {
    name: Text,
    street: Text,
    city: Text,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
#[message(rename_all = "camelCase")]
struct BritishAddress {
    #[xml(attribute)]
    export_code: i32,
    name: Text,
    street: Text,
    city: Text,
    postcode: Text,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct AmericanAddress {
    name: Text,
    street: Text,
    city: Text,
    state: Text,
    zip: Decimal,
}

const IPO: &str = "http://www.example.com/IPO";

const PRIMER: &str = "<ipo:purchaseOrder\
    \n xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"\
    \n xmlns:ipo=\"http://www.example.com/IPO\"\
    \n orderDate=\"1999-12-01\">\n\
    \n  <shipTo exportCode=\"1\" xsi:type=\"ipo:UKAddress\">\
    \n    <name>Helen Zoughe</name>\
    \n    <street>47 Eden Street</street>\
    \n    <city>Cambridge</city>\
    \n    <postcode>CB1 1JR</postcode>\
    \n  </shipTo>\n\
    \n  <billTo xsi:type=\"ipo:USAddress\">\
    \n    <name>Robert Smith</name>\
    \n    <street>8 Oak Avenue</street>\
    \n    <city>Old Town</city>\
    \n    <state>PA</state>\
    \n    <zip>95819</zip>\
    \n  </billTo>\n</ipo:purchaseOrder>";

fn primer() -> PurchaseOrder {
    PurchaseOrder {
        order_date: "1999-12-01".into(),
        ship_to: Address::British(BritishAddress {
            export_code: 1,
            name: "Helen Zoughe".into(),
            street: "47 Eden Street".into(),
            city: "Cambridge".into(),
            postcode: "CB1 1JR".into(),
        }),
        bill_to: Address::American(AmericanAddress {
            name: "Robert Smith".into(),
            street: "8 Oak Avenue".into(),
            city: "Old Town".into(),
            state: "PA".into(),
            zip: Decimal::from(95819),
        }),
    }
}

fn primer_options() -> Options {
    Options {
        namespace: IPO.into(),
        operation: "purchaseOrder".into(),
        qualified: false,
        ..options()
    }
}

#[test]
fn the_primers_derived_types_stand_where_their_base_is_declared() {
    let mut paths = Paths::new(&primer_options());
    paths.reads(PRIMER, &primer());
    let written = "<ns:purchaseOrder xmlns:ns=\"http://www.example.com/IPO\" orderDate=\"1999-12-01\">\
        <shipTo xsi:type=\"ns:UKAddress\" exportCode=\"1\"><name>Helen Zoughe</name>\
        <street>47 Eden Street</street><city>Cambridge</city><postcode>CB1 1JR</postcode></shipTo>\
        <billTo xsi:type=\"ns:USAddress\"><name>Robert Smith</name><street>8 Oak Avenue</street>\
        <city>Old Town</city><state>PA</state><zip>95819</zip></billTo></ns:purchaseOrder>";
    paths.trip(&primer(), written);
    paths.trip(&primer(), written);
    // The declared type need not be named, and may be.
    let plain = PlainAddress { name: "a".into(), street: "b".into(), city: "c".into() };
    let plain = PurchaseOrder { ship_to: Address::Plain(plain), ..primer() };
    let of_plain = "<shipTo><name>a</name><street>b</street><city>c</city></shipTo>";
    let (before, rest) = written.split_once("<shipTo").expect("it is there");
    let (_, after) = rest.split_once("</shipTo>").expect("it ends");
    let written = format!("{before}{of_plain}{after}");
    paths.trip(&plain, &written);
    let typed = format!("<shipTo X:type='ns:Address' xmlns:X='{XSI}'>");
    let typed = written.replace("<shipTo>", &typed).replace("xsi:type", "X:type");
    paths.reads(&typed.replace(":ns=", &format!(":X='{XSI}' xmlns:ns=")), &plain);
}

#[test]
fn a_type_is_known_by_its_name_whatever_its_prefix_is() {
    let mut paths = Paths::new(&primer_options());
    // A default namespace, for names of types too, and a prefix declared where it is used.
    let spelt = PRIMER.replace(
        "xsi:type=\"ipo:UKAddress\"",
        "xsi:type=' p:UKAddress\n' xmlns:p=\"http://www.example.com/IPO\"",
    );
    paths.reads(&spelt, &primer());
    let local = "<billTo xsi:type='USAddress' xmlns='http://www.example.com/IPO'>";
    let spelt = PRIMER.replace("<billTo xsi:type=\"ipo:USAddress\">", local);
    paths.rejects(&spelt, "expected <billTo> of no namespace, not <billTo> of");
    for draft in ["1999", "2000/10"] {
        let draft = format!("http://www.w3.org/{draft}/XMLSchema-instance");
        paths.reads(&PRIMER.replace(XSI, &draft), &primer());
    }
    for (wrong, why) in [
        ("ipo:FRAddress", "expected xsi:type to be one of {http://www.example.com/IPO}Address, "),
        ("UKAddress", "not UKAddress"),
        ("no:UKAddress", "a declared prefix in xsi:type=\"no:UKAddress\""),
        ("xsi:UKAddress", "XMLSchema-instance}UKAddress"),
        ("ipo:USAddress", "unexpected"),
    ] {
        let document = PRIMER.replace("ipo:UKAddress", wrong);
        match why {
            // The members are those of the type.
            "unexpected" => paths.rejects(&document, "shipTo/American/state"),
            why => paths.rejects(&document, why),
        }
    }
}

/// What .NET, Axis and JAX-WS call any type.
#[derive(Message, Clone, Debug, PartialEq)]
#[xml(choice = "type")]
enum Any {
    Whole(i32),
    Fraction(Decimal),
    Word(Text),
    #[xml(type = "xsd:uriReference")]
    Reference(Text),
    Truth(bool),
    Colour(Colour),
    #[xml(namespace = "urn:b")]
    Point(Point),
    Absent,
    Tree(Tree),
}

#[derive(Message, Clone, Copy, Debug, PartialEq)]
enum Colour {
    Red,
    Green,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Point {
    x: f64,
    y: Option<f64>,
}

#[derive(Message, Clone, Debug, PartialEq)]
struct Tree {
    left: Option<Box<Any>>,
    right: Option<Box<Any>>,
    #[xml(entry = "leaf")]
    more: Vec<Any>,
}

#[derive(Message, Clone, Debug, PartialEq)]
struct Everywhere {
    first: Any,
    maybe: Option<Any>,
    #[xml(nillable)]
    nil: Option<Any>,
    boxed: Option<Box<Any>>,
    wrapped: Vec<Any>,
    #[xml(entry = "thing")]
    named: Option<Vec<Any>>,
    #[xml(unwrapped, name = "side")]
    side: Vec<Any>,
    pair: [Any; 2],
    nested: Vec<Vec<Any>>,
    last: i32,
}

fn tree(left: Any, right: Option<Any>) -> Any {
    Any::Tree(Tree { left: Some(Box::new(left)), right: right.map(Box::new), more: vec![] })
}

fn least() -> Everywhere {
    Everywhere {
        first: Any::Whole(0),
        maybe: None,
        nil: None,
        boxed: None,
        wrapped: vec![],
        named: None,
        side: vec![],
        pair: [Any::Absent, Any::Absent],
        nested: vec![],
        last: 1,
    }
}

fn everywhere() -> Everywhere {
    let point = || Any::Point(Point { x: 0.5, y: None });
    let deep = tree(tree(Any::Whole(1), Some(point())), Some(Any::Word("a<b".into())));
    let many = Any::Tree(Tree {
        left: None,
        right: None,
        more: vec![Any::Colour(Colour::Red), tree(Any::Absent, None)],
    });
    Everywhere {
        first: Any::Fraction("6.35".parse().expect("a number")),
        maybe: Some(point()),
        nil: Some(Any::Word("".into())),
        boxed: Some(Box::new(deep.clone())),
        wrapped: vec![Any::Whole(7), Any::Absent, many.clone(), Any::Reference("urn:x".into())],
        named: Some(vec![]),
        side: vec![Any::Truth(true), deep, point()],
        pair: [Any::Colour(Colour::Green), many],
        nested: vec![vec![Any::Whole(1), Any::Word("x".into())], vec![], vec![Any::Truth(false)]],
        last: 9,
    }
}

#[test]
fn a_choice_by_type_stands_wherever_a_choice_may() {
    let mut paths = Paths::new(&options());
    let head = "<send xmlns=\"urn:a\" xmlns:ns=\"urn:a\" xmlns:t1=\"urn:b\">";
    paths.trip(
        &least(),
        &format!(
            "{head}<first xsi:type=\"xsd:int\">0</first><nil xsi:nil=\"true\"/><pair>\
             <Any xsi:type=\"ns:Absent\"></Any><Any xsi:type=\"ns:Absent\"></Any></pair>\
             <last>1</last></send>"
        ),
    );
    let point = |name: &str| format!("<{name} xsi:type=\"t1:Point\"><x>0.5</x></{name}>");
    let value =
        |name: &str, of: &str, text: &str| format!("<{name} xsi:type=\"{of}\">{text}</{name}>");
    let deep = |name: &str| {
        let inner = [value("left", "xsd:int", "1"), point("right")].concat();
        let inner = [value("left", "ns:Tree", &inner), value("right", "xsd:string", "a&lt;b")];
        value(name, "ns:Tree", &inner.concat())
    };
    let absent = value("left", "ns:Absent", "");
    let many = [value("leaf", "ns:Colour", "Red"), value("leaf", "ns:Tree", &absent)].concat();
    let many = value("Any", "ns:Tree", &format!("<more>{many}</more>"));
    let any = |of: &str, text: &str| value("Any", of, text);
    let body = [
        head.to_owned(),
        value("first", "xsd:decimal", "6.35"),
        point("maybe"),
        value("nil", "xsd:string", ""),
        deep("boxed"),
        "<wrapped>".into(),
        any("xsd:int", "7") + &any("ns:Absent", "") + &many + &any("xsd:uriReference", "urn:x"),
        "</wrapped><named></named>".into(),
        value("side", "xsd:boolean", "true") + &deep("side") + &point("side"),
        format!("<pair>{}{many}</pair>", any("ns:Colour", "Green")),
        format!("<nested><item>{}{}</item>", any("xsd:int", "1"), any("xsd:string", "x")),
        format!("<item></item><item>{}</item></nested>", any("xsd:boolean", "false")),
        "<last>9</last></send>".into(),
    ];
    let body = body.concat();
    paths.trip(&everywhere(), &body);
    let body_of_least = paths.body(&least());
    paths.trip(&least(), &body_of_least);
    paths.trip(&everywhere(), &body);
    // Entries of an unwrapped list may stand apart.
    let truth = value("side", "xsd:boolean", "true");
    let apart = body.replacen(&truth, "", 1).replace(head, &format!("{head}{truth}"));
    let declared = format!("xmlns:xsi='{XSI}' xmlns:xsd='{XSD}'");
    let declare = |it: &str| it.replace("<send ", &format!("<send {declared} "));
    paths.reads(&declare(&apart), &everywhere());
    // Other prefixes, and white space.
    let spelt = declare(&body).replace("t1:", "p:").replace(":t1=", ":p=").replace("><", ">\n <");
    let spelt = spelt.replace(">\n </", "></").replace("</side>", "</side><!-- -->");
    paths.reads(&spelt, &everywhere());
    let draft = declare(&body).replace(XSD, "http://www.w3.org/1999/XMLSchema");
    paths.reads(&draft, &everywhere());
}

#[test]
fn what_is_wrong_with_a_type_is_reported_with_its_place() {
    let mut paths = Paths::<Everywhere>::new(&options());
    let head = format!("<send xmlns='urn:a' xmlns:xsi='{XSI}' xmlns:xsd='{XSD}' xmlns:a='urn:a'>");
    let pair =
        "<pair><Any xsi:type='a:Absent'/><Any xsi:type='a:Absent'/></pair><last>1</last></send>";
    let document = |inside: &str| format!("{head}{inside}{pair}");
    let first = "<first xsi:type='xsd:int'>0</first>";
    paths.reads(&document(first), &least());
    paths
        .reads(&document(&format!("{first}<maybe xsi:nil='true'/><boxed xsi:nil='1'/>")), &least());
    let one_of = "xsi:type to be one of {http://www.w3.org/2001/XMLSchema}int, ";
    for (inside, path, why) in [
        ("<first>0</first>", "first ", one_of),
        ("<first>0</first>", "first ", "{urn:a}Absent, ..."),
        ("<first>0</first>", "first ", "not none"),
        ("<first xsi:type='xsd:long'>0</first>", "first ", "XMLSchema}long"),
        ("<first xsi:type='xsd:int'>x</first>", "first/Whole ", "a whole number"),
        ("<first xsi:type='a:Colour'>Blue</first>", "first/Colour ", "one of Red, Green"),
        ("<first xsi:type='a:Absent'>x</first>", "", "elements here, not text"),
        ("", "first ", "one of Whole, Fraction"),
        ("<first xsi:nil='true'/>", "first ", "one of Whole, Fraction"),
    ] {
        paths.rejects(&document(inside), why);
        paths.rejects(&document(inside), path);
    }
    for (inside, path, why) in [
        (
            "<maybe xsi:type='xsd:int'>1</maybe><maybe xsi:type='xsd:string'>a</maybe>",
            "maybe ",
            "more than one",
        ),
        (
            "<maybe xsi:type='xsd:int'>1</maybe><maybe xsi:type='xsd:int'>1</maybe>",
            "maybe/Whole ",
            "twice",
        ),
        ("<boxed/>", "boxed ", "not none"),
        ("<boxed xsi:type='a:Tree'><left/></boxed>", "boxed/Tree/left ", "not none"),
        ("<wrapped><Any xsi:type='xsd:int'>1</Any><Any/></wrapped>", "wrapped[1] ", "not none"),
        ("<wrapped><Any xsi:nil='true'/></wrapped>", "wrapped[0]", "an entry, not nil"),
        ("<wrapped><any xsi:type='xsd:int'>1</any></wrapped>", "wrapped ", "<Any> of \"urn:a\""),
        ("<side xsi:type='xsd:int'>1</side><side/>", "side[1] ", "not none"),
        ("<side xsi:nil='true'/>", "side ", "an entry, not nil"),
        ("<nested><item><Any xsi:type='a:None'/></item></nested>", "nested[0][0] ", "{urn:a}None"),
        ("<named><thing xsi:type='a:Point'><x>1</x></thing></named>", "named[0] ", "{urn:a}Point"),
    ] {
        let inside = format!("{first}{inside}");
        paths.rejects(&document(&inside), why);
        paths.rejects(&document(&inside), path);
    }
}

/// The array of SOAP 1.1 section 5.4.2 whose items are of any type.
#[derive(Message, Clone, Debug, PartialEq)]
struct Things {
    #[xml(entry = "thing")]
    things: Vec<Any>,
    one: Any,
}

fn things() -> Things {
    let words = "Of Mans First Disobedience, and the Fruit\nOf that Forbidden Tree";
    Things {
        things: vec![
            Any::Whole(12345),
            Any::Fraction("6.789".parse().expect("a number")),
            Any::Word(words.into()),
            Any::Reference("http://www.dartmouth.edu/~milton/reading_room/".into()),
        ],
        one: Any::Point(Point { x: 1.0, y: None }),
    }
}

fn encoded(version: Version) -> Options {
    let style = Style::RpcEncoded;
    Options { style, version, types: true, ..options() }
}

#[test]
fn items_of_any_type_are_an_array_of_the_encoding() {
    let mut paths = Paths::new(&encoded(Version::Soap11));
    let items = "<thing xsi:type=\"xsd:int\">12345</thing>\
        <thing xsi:type=\"xsd:decimal\">6.789</thing>\
        <thing xsi:type=\"xsd:string\">Of Mans First Disobedience, and the Fruit\n\
        Of that Forbidden Tree</thing>\
        <thing xsi:type=\"xsd:uriReference\">http://www.dartmouth.edu/~milton/reading_room/</thing>";
    let one = "<one xsi:type=\"t1:Point\"><x xsi:type=\"xsd:double\">1</x></one>";
    let written = format!(
        "<ns:send xmlns:ns=\"urn:a\" xmlns:t1=\"urn:b\"><things xsi:type=\"SOAP-ENC:Array\" \
         SOAP-ENC:arrayType=\"xsd:anyType[4]\">{items}</things>{one}</ns:send>"
    );
    paths.trip(&things(), &written);
    let spelt = written
        .replace("xsi:type=\"SOAP-ENC:Array\" ", "")
        .replace("xsd:anyType", "xsd:ur-type")
        .replace("<thing xsi:type=\"xsd:int\">12345</thing>", "<E:int>12345</E:int>")
        .replace("<ns:send", &format!("<ns:send xmlns:E='{ENCODING}' xmlns:SOAP-ENC='{ENCODING}' xmlns:xsi='{XSI}' xmlns:xsd='{XSD}'"));
    let spelt = spelt.replace("<E:int>", "<E:int xsi:type='E:int'>");
    paths.reads(&spelt, &things());
    let mut paths = Paths::new(&encoded(Version::Soap12));
    let (array, rest) =
        written.split_once(" SOAP-ENC:arrayType=\"xsd:anyType[4]\"").expect("it is there");
    let written =
        format!("{array} SOAP-ENC:itemType=\"xsd:anyType\" SOAP-ENC:arraySize=\"4\"{rest}");
    let style = " SOAP-ENV:encodingStyle=\"http://www.w3.org/2003/05/soap-encoding\"";
    paths.trip(&things(), &written.replace("\"urn:b\">", &format!("\"urn:b\"{style}>")));
}

const ENCODING: &str = "http://schemas.xmlsoap.org/soap/encoding/";

/// Writes a message as a graph, with references, and reads it by both paths.
#[track_caller]
fn through_graph<M: Structure + Message + Clone + Debug + PartialEq>(
    options: &Options,
    message: &M,
) {
    let plan = Plan::new(M::layout(), options).expect("a plan");
    let made = graph::from_message(message, &plan).unwrap_or_else(|it| panic!("{it}"));
    for multi_ref in [false, true] {
        if multi_ref && !options.style.is_encoded() {
            continue;
        }
        let encoder = graph::Encoder { multi_ref, ..graph::Encoder::new(options.version) };
        let written = encoder.encode(&made).expect("it can be written");
        let shown = String::from_utf8_lossy(&written).into_owned();
        let mut read = M::empty();
        Decoder::new(&plan)
            .decode(&written, &mut read)
            .unwrap_or_else(|it| panic!("{it}: {shown}"));
        assert_eq!(read, *message, "{shown}");
        let mut read = M::empty();
        graph::decode_message(&written, &plan, &Limits::default(), &mut read)
            .unwrap_or_else(|it| panic!("{it}: {shown}"));
        assert_eq!(read, *message, "{shown}");
    }
}

#[test]
fn graphs_know_the_types_of_choices() {
    for version in [Version::Soap11, Version::Soap12] {
        through_graph(&encoded(version), &things());
        through_graph(&encoded(version), &everywhere());
        through_graph(&Options { types: false, ..encoded(version) }, &everywhere());
    }
    through_graph(&options(), &everywhere());
    through_graph(&Options { style: Style::RpcLiteral, ..options() }, &everywhere());
    // What is elsewhere tells its type there.
    let mut paths = Paths::new(&encoded(Version::Soap11));
    let spaces = format!(" xmlns:ns='urn:a' xmlns:b='urn:b' xmlns:xsi='{XSI}' xmlns:xsd='{XSD}'");
    let document = format!(
        "<ns:send{spaces}>\
         <things><thing href='#1'/><thing href='#1'/></things><one href='#2'/></ns:send>\
         <x id='1' xsi:type='xsd:int'{spaces}>5</x><y id='2' xsi:type='b:Point'{spaces}><x>1</x></y>"
    );
    let message = Things { things: vec![Any::Whole(5), Any::Whole(5)], ..things() };
    paths.reads(&document, &message);
    paths.rejects(&document.replace("b:Point", "ns:Point"), "one at byte");
    paths.rejects(&document.replace(" xsi:type='xsd:int'", ""), "things[0] at byte");
}

#[test]
fn every_style_and_preset_has_choices_by_type() {
    let styles =
        [Style::RpcEncoded, Style::RpcLiteral, Style::DocumentLiteral, Style::DocumentEncoded];
    let layouts = [Layout::Message, Layout::Operation, Layout::Fragment];
    for (style, layout) in styles.iter().flat_map(|it| layouts.map(|layout| (*it, layout))) {
        for bits in 0..64_u32 {
            let bit = |at: u32| bits >> at & 1 == 1;
            let options = Options {
                style,
                layout,
                types: bit(0),
                attributes: bit(1),
                flat: bit(2),
                compact_tags: bit(3),
                qualified: bit(4),
                namespace: if bit(5) { "urn:a".into() } else { String::new() },
                ..options()
            };
            let plan = Plan::new(Everywhere::layout(), &options).expect("a plan");
            for message in [everywhere(), least()] {
                let mut encoder = Encoder::new(&plan);
                let written = encoder.encode(&message).expect("it can be written").to_vec();
                let shown = || String::from_utf8_lossy(&written).into_owned();
                for mut decoder in [Decoder::new(&plan), Decoder::new(&plan).generic()] {
                    let mut read = Everywhere::empty();
                    for _ in 0..2 {
                        let result = decoder.decode(&written, &mut read);
                        result.unwrap_or_else(|it| panic!("{options:?}: {it}: {}", shown()));
                        assert_eq!(read, message, "{}", shown());
                        assert_eq!(decoder.unknown(), 0, "{}", shown());
                    }
                }
            }
        }
    }
}

#[derive(Message, Clone, Debug, PartialEq)]
#[xml(choice = "type")]
enum Twice {
    One(Text),
    Two(Text),
}

#[derive(Message, Clone, Debug, PartialEq)]
struct OfTwice {
    twice: Twice,
}

#[derive(Message, Clone, Debug, PartialEq)]
#[xml(choice = "type")]
enum Bases {
    #[xml(base)]
    One(i32),
    #[xml(base)]
    Two(Text),
}

#[derive(Message, Clone, Debug, PartialEq)]
struct OfBases {
    all: Vec<Bases>,
}

#[derive(Message, Clone, Debug, PartialEq)]
enum Lists {
    All(Vec<i32>),
    One(i32),
}

#[derive(Message, Clone, Debug, PartialEq)]
struct OfLists {
    #[xml(choice = "type")]
    lists: Option<Lists>,
}

#[derive(Message, Clone, Debug, PartialEq)]
#[xml(choice = "type")]
enum Outer {
    Inner(Twice),
    One(i32),
}

#[derive(Message, Clone, Debug, PartialEq)]
struct OfOuter {
    outer: Outer,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct NoChoice {
    inner: Point,
    #[xml(choice = "type")]
    number: i32,
}

#[derive(Message, Clone, Debug, PartialEq)]
enum Either {
    Left(i32),
    More(More),
}

#[derive(Message, Clone, Debug, PartialEq)]
struct More {
    by_element: Vec<Either>,
}

#[derive(Message, Clone, Debug, PartialEq)]
struct OfEither {
    #[xml(choice = "type")]
    by_type: Vec<Either>,
}

#[test]
fn notes_of_types_that_cannot_be_kept_are_rejected_with_their_place() {
    let rejected = |said: String, path: &str, why: &str| {
        assert!(said.starts_with(path) && said.contains(why), "{said}");
    };
    rejected(rejection::<OfTwice>(&options()), "twice/Two ", "two arms of the type");
    rejected(rejection::<OfBases>(&options()), "Two ", "a second xml(base)");
    rejected(rejection::<OfLists>(&options()), "lists/All ", "put it into a struct");
    rejected(rejection::<OfOuter>(&options()), "outer/Inner ", "as the arm of another");
    rejected(rejection::<NoChoice>(&options()), "number ", "no choice");
    rejected(rejection::<OfEither>(&options()), "by_element ", "by element elsewhere");
    rejected(rejection::<Any>(&options()), "Any ", "the message itself");
}

#[test]
fn types_nest_as_deep_as_the_limits_allow() {
    let plan = Plan::new(Things::layout(), &options()).expect("a plan");
    let document = |deep: usize| {
        let (open, close) = ("<left xsi:type='a:Tree'>", "</left>");
        let inside =
            format!("{}<left xsi:type='a:Absent'/>{}", open.repeat(deep), close.repeat(deep));
        format!(
            "<S:Envelope xmlns:S='http://schemas.xmlsoap.org/soap/envelope/'><S:Body><send xmlns='urn:a' \
             xmlns:a='urn:a' xmlns:xsi='{XSI}'><one xsi:type='a:Tree'>{inside}</one></send></S:Body>\
             </S:Envelope>"
        )
    };
    let mut read = Things::empty();
    let most = Limits::default().depth - 5;
    for mut decoder in [Decoder::new(&plan), Decoder::new(&plan).generic()] {
        decoder.decode(document(most).as_bytes(), &mut read).expect("it is not too deep");
        for deep in [most + 1, 100_000] {
            let error = decoder.decode(document(deep).as_bytes(), &mut read).expect_err("too deep");
            assert!(error.to_string().contains("depth"), "{error}");
        }
    }
}
