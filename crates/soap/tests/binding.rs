//! How notes say that a message looks in XML: names, namespaces, attributes, texts.

mod paths;

use paths::{Paths, options, rejection};
use trunkline_message::{Limits, Message, Structure};
use trunkline_soap::{Decoder, Encoder, Layout, Options, Plan, Style, graph};
use trunkline_wire::{Decimal, Text};

fn unqualified() -> Options {
    Options { qualified: false, ..options() }
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Named {
    #[xml(name = "Order-ID")]
    id: i32,
    #[xml(name = "Buyer")]
    party: Person,
    #[xml(name = "leg", list = "unwrapped")]
    legs: Vec<Leg>,
    #[xml(name = "Notes", entry = "Note")]
    notes: Vec<Text>,
    #[xml(name = "Choice")]
    other: Option<Person>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Person {
    #[xml(name = "Name")]
    name: Text,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Leg {
    side: i32,
}

#[test]
fn members_have_other_names_on_the_wire() {
    let person = |name: &str| Person { name: name.into() };
    let named = Named {
        id: 7,
        party: person("a"),
        legs: vec![Leg { side: 1 }, Leg { side: 2 }],
        notes: vec!["x".into()],
        other: Some(person("b")),
    };
    let body = "<send xmlns=\"urn:a\"><Order-ID>7</Order-ID><Buyer><Name>a</Name></Buyer>\
                <leg><side>1</side></leg><leg><side>2</side></leg><Notes><Note>x</Note></Notes>\
                <Choice><Name>b</Name></Choice></send>";
    Paths::new(&options()).trip(&named, body);
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Repeated {
    #[xml(list = "repeated")]
    texts: Vec<Text>,
    #[xml(list = "repeated")]
    numbers: Vec<i32>,
    #[xml(list = "repeated")]
    legs: Vec<Leg>,
    // One of lists stays an array of arrays.
    #[xml(list = "repeated")]
    lists: Vec<Vec<i32>>,
    #[xml(list = "unwrapped")]
    array: Vec<i32>,
}

/// Arrays of the encoding, but for what repeats.
#[test]
fn what_repeats_is_no_array_where_content_is_encoded() {
    let options = Options { style: Style::RpcEncoded, types: true, ..options() };
    let repeated = Repeated {
        texts: vec!["a".into(), "b".into()],
        numbers: vec![1, 2, 3],
        legs: vec![Leg { side: 1 }, Leg { side: 2 }],
        lists: vec![vec![4], vec![5, 6]],
        array: vec![7],
    };
    let plan = Plan::new(Repeated::layout(), &options).expect("a plan");
    let mut encoder = Encoder::new(&plan);
    for message in [&repeated, &Repeated::default()] {
        let bytes = encoder.encode(message).expect("it is written").to_vec();
        for decoder in [Decoder::new(&plan), Decoder::new(&plan).generic()] {
            let (mut decoder, mut back) = (decoder, Repeated::default());
            for _ in 0..2 {
                decoder.decode(&bytes, &mut back).expect("it is read");
                assert_eq!((&back, decoder.unknown()), (message, 0));
            }
        }
        let mut back = Repeated::default();
        let unknown = graph::decode_message(&bytes, &plan, &Limits::default(), &mut back);
        assert_eq!(unknown.expect("it is read as a graph"), 0);
        assert_eq!(back, *message);
    }
    let text = String::from_utf8(encoder.encode(&repeated).expect("again").to_vec()).expect("text");
    assert_eq!((text.matches("<texts ").count(), text.matches("<numbers ").count()), (2, 3));
    assert!(
        text.contains("arrayType=\"xsd:int[][2]\"") && text.contains("arrayType=\"xsd:int[1]\"")
    );
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
#[xml(type = "Trade", type_namespace = "urn:t")]
struct Derived {
    id: i32,
    #[xml(attribute)]
    version: Option<i32>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
#[xml(type = "Leg")]
struct Plain {
    side: i32,
}

#[test]
fn the_element_of_a_message_says_its_type() {
    let body = "<send xmlns=\"urn:a\" xmlns:t1=\"urn:t\" xsi:type=\"t1:Trade\" version=\"2\"><id>7</id></send>";
    Paths::new(&options()).trip(&Derived { id: 7, version: Some(2) }, body);
    let body = "<send xmlns=\"urn:a\" xmlns:ns=\"urn:a\" xsi:type=\"ns:Leg\"><side>1</side></send>";
    Paths::new(&options()).trip(&Plain { side: 1 }, body);
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Spread {
    first: Text,
    party: Party,
    #[xml(namespace = "urn:c")]
    code: Option<Text>,
    /// Another of the name, in another namespace.
    #[xml(name = "first", namespace = "urn:b")]
    second: Option<Text>,
    parties: Vec<Party>,
    #[xml(list = "unwrapped", namespace = "urn:b")]
    tags: Vec<Text>,
    #[xml(list = "unwrapped", name = "tags")]
    own_tags: Vec<i32>,
    #[xml(form = "unqualified")]
    plain: Option<Box<Party>>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
#[xml(namespace = "urn:b")]
struct Party {
    name: Text,
    #[xml(namespace = "urn:a")]
    city: Option<Text>,
    side: Option<Side>,
}

#[derive(Message, Clone, Debug, PartialEq)]
#[xml(namespace = "urn:c")]
enum Side {
    Buy(i32),
    #[xml(name = "sale")]
    Sell(Text),
}

fn party(name: &str) -> Party {
    let side = Some(Side::Sell("all".into()));
    Party { name: name.into(), city: Some("Wien".into()), side }
}

fn spread() -> Spread {
    Spread {
        first: "1".into(),
        party: Party { side: Some(Side::Buy(3)), ..party("a") },
        code: Some("c".into()),
        second: Some("2".into()),
        parties: vec![party("b"), party("c"), Party::default()],
        tags: vec!["x".into(), "y".into()],
        own_tags: vec![1, 2],
        plain: Some(Box::new(party("d"))),
    }
}

/// There is an element in no namespace, so that names without a prefix are in none.
const SPREAD: &str = "<ns:send xmlns:ns=\"urn:a\" xmlns:n1=\"urn:b\" xmlns:n2=\"urn:c\">\
    <ns:first>1</ns:first><ns:party><n1:name>a</n1:name><ns:city>Wien</ns:city><n2:Buy>3</n2:Buy>\
    </ns:party><n2:code>c</n2:code><n1:first>2</n1:first><ns:parties><ns:Party><n1:name>b</n1:name>\
    <ns:city>Wien</ns:city><n2:sale>all</n2:sale></ns:Party><ns:Party><n1:name>c</n1:name>\
    <ns:city>Wien</ns:city><n2:sale>all</n2:sale></ns:Party><ns:Party><n1:name></n1:name></ns:Party>\
    </ns:parties><n1:tags>x</n1:tags><n1:tags>y</n1:tags><ns:tags>1</ns:tags><ns:tags>2</ns:tags>\
    <plain><n1:name>d</n1:name><ns:city>Wien</ns:city><n2:sale>all</n2:sale></plain></ns:send>";

#[test]
fn members_of_several_namespaces_are_known_by_name_and_namespace() {
    let mut paths = Paths::new(&options());
    paths.trip(&spread(), SPREAD);
    let other = Spread { first: "z".into(), ..Spread::default() };
    paths.trip(
        &other,
        "<ns:send xmlns:ns=\"urn:a\" xmlns:n1=\"urn:b\" xmlns:n2=\"urn:c\"><ns:first>z</ns:first>\
         <ns:party><n1:name></n1:name></ns:party></ns:send>",
    );
    // Other prefixes, those of the plan for other namespaces, and a default inside.
    let swapped = SPREAD
        .replace("n1:", "p:")
        .replace(":n1=", ":p=")
        .replace("n2:", "n1:")
        .replace(":n2=", ":n1=")
        .replace("<ns:city>Wien</ns:city>", "<city xmlns='urn:a'>Wien</city>");
    paths.reads(&swapped, &spread());
    paths.trip(&spread(), SPREAD);
    let two = SPREAD.replace("xmlns:n1=", "xmlns:q='urn:b' xmlns:n1=");
    let two = two.replacen("<n1:tags>x</n1:tags>", "<q:tags>x</q:tags>", 1);
    paths.reads(&two, &spread());
    paths.reads(&two.replacen("<n1:name>b</n1:name>", "<q:name>b</q:name>", 1), &spread());
    for (wrong, why) in [
        ("<n1:code>c</n1:code>", "expected <code> of \"urn:c\", not <code> of \"urn:b\""),
        ("<code>c</code>", "expected <code> of \"urn:c\", not <code> of no namespace"),
    ] {
        paths.rejects(&SPREAD.replace("<n2:code>c</n2:code>", wrong), why);
    }
}

#[test]
fn a_namespace_counts_where_members_are_qualified() {
    let body = "<ns:send xmlns:ns=\"urn:a\" xmlns:n1=\"urn:c\" xmlns:n2=\"urn:b\"><first>1</first>\
                <party><name>a</name></party><n1:code>c</n1:code><n2:first>2</n2:first>\
                </ns:send>";
    let message = Spread {
        first: "1".into(),
        party: Party { name: "a".into(), ..Party::default() },
        code: Some("c".into()),
        second: Some("2".into()),
        ..Spread::default()
    };
    Paths::new(&unqualified()).trip(&message, body);
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Priced {
    #[xml(attribute)]
    id: i32,
    name: Option<Text>,
    price: Money,
    fees: Vec<Money>,
    #[xml(list = "unwrapped")]
    taxes: Vec<Money>,
    discount: Option<Box<Money>>,
    #[xml(attribute, namespace = "urn:l")]
    lang: Option<Text>,
    #[xml(attribute, name = "fees")]
    count: Option<i32>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Money {
    #[xml(text)]
    amount: Option<Decimal>,
    #[xml(attribute)]
    currency: Text,
}

fn money(amount: &str, currency: &str) -> Money {
    Money { amount: amount.parse().ok(), currency: currency.into() }
}

fn priced() -> Priced {
    Priced {
        id: 5,
        name: Some("a<b".into()),
        price: money("6.35", "EUR"),
        fees: vec![money("1", "\"&"), money("", "USD")],
        taxes: vec![money("2", "A"), money("3", "B")],
        discount: Some(Box::new(money("0.5", "C"))),
        lang: Some("de".into()),
        count: Some(2),
    }
}

const PRICED: &str = "<send xmlns=\"urn:a\" xmlns:n1=\"urn:l\" id=\"5\" n1:lang=\"de\" fees=\"2\">\
    <name>a&lt;b</name><price currency=\"EUR\">6.35</price><fees>\
    <Money currency=\"&quot;&amp;\">1</Money><Money currency=\"USD\"/></fees>\
    <taxes currency=\"A\">2</taxes><taxes currency=\"B\">3</taxes>\
    <discount currency=\"C\">0.5</discount></send>";

#[test]
fn attributes_stand_beside_elements_and_around_texts() {
    let mut paths = Paths::new(&options());
    paths.trip(&priced(), PRICED);
    let least = Priced { price: money("", "EUR"), ..Priced::default() };
    let body = "<send xmlns=\"urn:a\" xmlns:n1=\"urn:l\" id=\"0\"><price currency=\"EUR\"/></send>";
    paths.trip(&least, body);
    paths.trip(&priced(), PRICED);
    let spelt = PRICED
        .replace("n1:", "p:")
        .replace(":n1=", ":p=")
        .replace("6.35<", "<!-- -->6.<![CDATA[3]]>5<")
        .replace("<Money currency=\"USD\"/>", "<Money currency='USD'></Money>");
    paths.reads(&spelt, &priced());
    for (right, wrong, why) in [
        ("id=\"5\"", "n1:id=\"5\"", "id"),
        ("id=\"5\"", "id=\"5\" name=\"b\"", "not the attribute name"),
        ("<name>", "<id>5</id><name>", "the attribute id of no namespace"),
        ("6.35", "<amount>6.35</amount>", "text, not an element"),
        ("6.35", "6,35", "a decimal number"),
        (" currency=\"EUR\"", "", "price/currency "),
    ] {
        paths.rejects(&PRICED.replacen(right, wrong, 1), why);
    }
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Said {
    text: Option<Words>,
    next: Text,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Words {
    #[xml(attribute)]
    lang: Option<Text>,
    #[xml(text)]
    words: Text,
}

#[test]
fn a_text_that_has_to_be_there_may_be_empty() {
    let mut paths = Paths::new(&unqualified());
    let said = |lang: Option<&str>, words: &str| Said {
        text: Some(Words { lang: lang.map(Into::into), words: words.into() }),
        next: "n".into(),
    };
    let begin = "<ns:send xmlns:ns=\"urn:a\">";
    let rest = "<next>n</next></ns:send>";
    paths.trip(&said(None, " a "), &format!("{begin}<text> a </text>{rest}"));
    paths.trip(&said(None, ""), &format!("{begin}<text></text>{rest}"));
    paths.trip(&said(Some("x"), ""), &format!("{begin}<text lang=\"x\"></text>{rest}"));
    paths.trip(&Said { text: None, next: "n".into() }, &format!("{begin}{rest}"));
    paths.reads(&format!("{begin}<text lang='x'/>{rest}"), &said(Some("x"), ""));
    paths.reads(&format!("{begin}<text/>{rest}"), &said(None, ""));
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Optional {
    inner: Option<Money>,
    word: Word,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Word {
    #[xml(text)]
    text: Option<Text>,
}

#[test]
fn an_empty_text_that_reads_as_none_is_rejected() {
    let plan = Plan::new(Optional::layout(), &options()).expect("a plan");
    let mut message = Optional::default();
    message.word.text = Some("".into());
    let error = Encoder::new(&plan).encode(&message).expect_err("it is ambiguous").to_string();
    assert!(error.contains("word/text"), "{error}");
    message.word.text = Some("a".into());
    Encoder::new(&plan).encode(&message).expect("it is not ambiguous");
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Beside {
    #[xml(text)]
    text: Text,
    other: i32,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Lists {
    #[xml(attribute)]
    all: Vec<i64>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Twins {
    a: i32,
    #[xml(name = "a")]
    b: i32,
}

#[test]
fn notes_that_cannot_be_kept_are_rejected_with_their_place() {
    let said = rejection::<Beside>(&options());
    assert!(said.starts_with("text ") && said.contains("beside elements"), "{said}");
    let said = rejection::<Lists>(&options());
    assert!(said.starts_with("all ") && said.contains("no single value"), "{said}");
    let said = rejection::<Twins>(&options());
    assert!(said.starts_with("b ") && said.contains("two elements a"), "{said}");
    // By the encoding rules nothing is an attribute.
    let encoded = Options { style: Style::RpcEncoded, ..options() };
    assert!(Plan::new(Beside::layout(), &encoded).is_ok());
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Nillable {
    #[xml(nillable)]
    note: Option<Text>,
    first: Option<i32>,
    address: Address,
    #[xml(nillable)]
    person: Option<Person>,
    #[xml(nillable)]
    sizes: Option<Vec<i32>>,
    #[field(implied)]
    implied: Implied,
    #[xml(nillable)]
    last: Option<i32>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Address {
    #[xml(nillable, name = "Street")]
    street: Option<Text>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Implied {
    #[xml(nillable)]
    a: Option<i32>,
    b: Option<i32>,
    #[xml(nillable)]
    c: Option<i32>,
}

#[test]
fn what_is_nillable_is_nil_where_it_is_absent() {
    let mut paths = Paths::new(&options());
    let begin = "<send xmlns=\"urn:a\">";
    let nil = |name: &str| format!("<{name} xsi:nil=\"true\"/>");
    let none = [nil("note"), "<address>".into(), nil("Street"), "</address>".into()].concat();
    let none = [none, nil("person"), nil("sizes")].concat();
    let last = nil("last");
    paths.trip(&Nillable::default(), &format!("{begin}{none}{last}</send>"));
    let implied = |a, b, c| Nillable { implied: Implied { a, b, c }, ..Nillable::default() };
    for (message, inside) in [
        (implied(Some(1), None, None), format!("<a>1</a>{}", nil("c"))),
        (implied(None, Some(1), None), format!("{}<b>1</b>{}", nil("a"), nil("c"))),
        (implied(None, None, Some(1)), format!("{}<c>1</c>", nil("a"))),
    ] {
        let body = format!("{begin}{none}<implied>{inside}</implied>{last}</send>");
        paths.trip(&message, &body);
    }
    let full = Nillable {
        note: Some("".into()),
        first: Some(1),
        address: Address { street: Some("s".into()) },
        person: Some(Person { name: "p".into() }),
        sizes: Some(vec![]),
        last: Some(2),
        ..Nillable::default()
    };
    let body = "<note></note><first>1</first><address><Street>s</Street></address><person><Name>p\
                </Name></person><sizes></sizes><last>2</last>";
    paths.trip(&full, &format!("{begin}{body}</send>"));
    // What is absent is read as well.
    paths.reads("<send xmlns='urn:a'><address/></send>", &Nillable::default());
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Spaced {
    #[xml(spaced, attribute)]
    flags: Vec<Text>,
    #[xml(spaced, attribute)]
    rates: Option<Vec<f64>>,
    #[xml(spaced)]
    sizes: Vec<i32>,
    #[xml(spaced)]
    words: Option<Vec<Text>>,
    #[xml(spaced)]
    pair: [i64; 2],
    #[xml(spaced)]
    colours: Vec<Colour>,
    last: i32,
}

#[derive(Message, Clone, Copy, Debug, PartialEq)]
enum Colour {
    Red,
    Green,
}

#[test]
fn lists_stand_in_one_text() {
    let mut paths = Paths::new(&options());
    let full = Spaced {
        flags: vec!["a\"<".into(), "b".into()],
        rates: Some(vec![0.5, 2.0]),
        sizes: vec![1, -2, 3],
        words: Some(vec!["x".into(), "a&b".into()]),
        pair: [7, 8],
        colours: vec![Colour::Green, Colour::Red],
        last: 9,
    };
    let body = "<send xmlns=\"urn:a\" flags=\"a&quot;&lt; b\" rates=\"0.5 2\"><sizes>1 -2 3</sizes>\
                <words>x a&amp;b</words><pair>7 8</pair><colours>Green Red</colours><last>9</last>\
                </send>";
    paths.trip(&full, body);
    let spelt = body
        .replace("1 -2 3", " 1\n\t<![CDATA[-2]]> 3 ")
        .replace("0.5 2", "&#32;0.5\n2 ")
        .replace("Green Red", " Green <!-- --> Red");
    paths.reads(&spelt, &full);
    let none = Spaced { rates: Some(vec![]), words: Some(vec![]), ..Spaced::default() };
    let body =
        "<send xmlns=\"urn:a\" rates=\"\"><words></words><pair>0 0</pair><last>0</last></send>";
    paths.trip(&none, body);
    let error = |body: &str, why: &str| Paths::<Spaced>::new(&options()).rejects(body, why);
    error(&body.replace("0 0", "0 0 0"), "pair ");
    error(&body.replace("0 0", "0 x"), "pair ");
    error(&body.replace("<words>", "<colours>Red Blue</colours><words>"), "colours[1]");
    for wrong in ["", "a b", "a\tb", "a\r"] {
        let message = Spaced { words: Some(vec!["a".into(), wrong.into()]), ..Spaced::default() };
        let plan = Plan::new(Spaced::layout(), &options()).expect("a plan");
        let error = Encoder::new(&plan).encode(&message).expect_err("no item").to_string();
        assert!(error.contains("words[1]"), "{error}");
    }
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Tagged {
    #[field(implied)]
    tags: Tags,
    last: i32,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Tags {
    #[field(required)]
    #[xml(unwrapped)]
    tag: Vec<Text>,
    other: Option<i32>,
}

#[test]
fn a_list_without_an_element_may_be_all_that_is_not_in_a_component() {
    let mut paths = Paths::new(&options());
    let begin = "<send xmlns=\"urn:a\">";
    let tagged = |tag: &[&str], other| Tagged {
        tags: Tags { tag: tag.iter().map(|it| (*it).into()).collect(), other },
        last: 1,
    };
    let end = "<last>1</last></send>";
    for _ in 0..2 {
        paths.trip(&tagged(&[], None), &format!("{begin}<tags></tags>{end}"));
        let body = format!("{begin}<tags><tag>a</tag></tags>{end}");
        paths.trip(&tagged(&["a"], None), &body);
        paths.trip(&tagged(&[], Some(2)), &format!("{begin}<tags><other>2</other></tags>{end}"));
        paths.reads(&format!("{begin}<tags/>{end}"), &tagged(&[], None));
    }
}

/// The detail of a fault as JAX-WS writes it.
#[derive(Message, Clone, Debug, Default, PartialEq)]
#[xml(form = "unqualified")]
struct Rejected {
    message: Text,
    #[xml(nillable)]
    code: Option<i32>,
}

#[test]
fn a_fragment_may_have_unqualified_members() {
    let options = Options { layout: Layout::Fragment, operation: "Rejected".into(), ..options() };
    let plan = Plan::new(Rejected::layout(), &options).expect("a plan");
    let message = Rejected { message: "no".into(), code: None };
    let mut encoder = Encoder::new(&plan);
    let written = encoder.encode(&message).expect("it can be written").to_vec();
    let xsi = "http://www.w3.org/2001/XMLSchema-instance";
    let expected = format!(
        "<ns:Rejected xmlns:ns=\"urn:a\" xmlns:xsi=\"{xsi}\"><message>no</message>\
         <code xsi:nil=\"true\"/></ns:Rejected>"
    );
    assert_eq!(String::from_utf8_lossy(&written), expected);
    let mut read = Rejected::default();
    for document in [&*expected, "<x:Rejected xmlns:x='urn:a'><message>no</message></x:Rejected>"] {
        Decoder::new(&plan).decode(document.as_bytes(), &mut read).expect("it is one");
        assert_eq!(read, message);
    }
}
