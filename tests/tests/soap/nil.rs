//! What is nil: items of lists that are unwrapped, wrapped and encoded, and structs with attributes.

use std::sync::Arc;

use trunkline_codec::{cdr, json};
use trunkline_message::{Fields as _, Layout, Message, Record, Structure, Value};
use trunkline_soap::{Decoder, Encoder, Options, Plan, Style, Version, graph};
use trunkline_tests::soap_paths::Paths;
use trunkline_wire::Text;

use crate::{XSI, document, enveloped};

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Leg {
    symbol: Option<Text>,
    size: Option<i32>,
}

/// Lists of every form whose items may be nil.
#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Basket {
    #[xml(unwrapped, name = "string")]
    names: Vec<Option<Text>>,
    #[xml(unwrapped)]
    counts: Vec<Option<i32>>,
    #[xml(unwrapped)]
    legs: Vec<Option<Leg>>,
    words: Vec<Option<Text>>,
    lines: Vec<Option<Leg>>,
    behind: Option<Text>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Tagged {
    #[xml(attribute)]
    id: Option<i32>,
    symbol: Option<Text>,
}

/// The same where values are attributes.
#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Tags {
    #[xml(unwrapped)]
    legs: Vec<Option<Tagged>>,
    lines: Vec<Option<Tagged>>,
    #[xml(nillable)]
    main: Option<Tagged>,
    behind: Option<Text>,
}

/// Lists whose items are never nil, by themselves.
#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Plain {
    #[xml(unwrapped)]
    names: Vec<Text>,
    words: Vec<Text>,
    #[xml(unwrapped)]
    numbers: Vec<i32>,
}

fn leg(symbol: &str) -> Option<Leg> {
    Some(Leg { symbol: Some(symbol.into()), size: None })
}

fn basket() -> Basket {
    Basket {
        names: vec![None, Some("a".into()), None, None, Some("".into())],
        counts: vec![Some(1), None, Some(-2)],
        legs: vec![leg("A"), None, Some(Leg::default()), leg("B"), None],
        words: vec![None, Some("w".into()), None],
        lines: vec![leg("C"), None, leg("D"), leg("E")],
        behind: Some("b".into()),
    }
}

const BASKET: &str = "<string xsi:nil=\"true\"/><string>a</string><string xsi:nil=\"true\"/>\
    <string xsi:nil=\"true\"/><string></string>\
    <counts>1</counts><counts xsi:nil=\"true\"/><counts>-2</counts>\
    <legs><symbol>A</symbol></legs><legs xsi:nil=\"true\"/><legs></legs><legs><symbol>B</symbol></legs>\
    <legs xsi:nil=\"true\"/><words><item xsi:nil=\"true\"/><item>w</item><item xsi:nil=\"true\"/></words>\
    <lines><Leg><symbol>C</symbol></Leg><Leg xsi:nil=\"true\"/><Leg><symbol>D</symbol></Leg>\
    <Leg><symbol>E</symbol></Leg></lines><behind>b</behind>";

fn plan_of<M: Structure>(options: &Options) -> Arc<Plan> {
    Plan::new(M::layout(), options).expect("a plan")
}

fn written(plan: &Arc<Plan>, message: &impl Message) -> String {
    let mut encoder = Encoder::new(plan);
    let bytes = encoder.encode(message).expect("it can be written");
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// Every path reads what is written, three times, so that it is read by templates.
#[test]
fn nil_items_keep_their_places() {
    let plan = plan_of::<Basket>(&document(""));
    let text = written(&plan, &basket());
    assert!(text.contains(BASKET), "{text}");
    assert!(text.contains(&format!("xmlns:xsi=\"{XSI}\"")), "{text}");
    let mut paths = Paths::new(&plan);
    for _ in 0..3 {
        assert_eq!(paths.read(text.as_bytes()), Ok(basket()));
    }
    let record = Record::from_message(&basket());
    assert_eq!(written(&plan, &record), text);
    let Some(Value::Group(names)) = record.get("names") else { panic!("{record:?}") };
    let nil: Vec<bool> = names.entries().iter().map(|it| it.is_nil()).collect();
    assert_eq!(nil, [true, false, true, true, false]);
}

/// As others write it, and with a list that is interrupted.
#[test]
fn nil_is_read_as_others_write_it() {
    let body = |inside: &str| enveloped(&format!("<Basket xmlns:i='{XSI}'>{inside}</Basket>"));
    let document_of = |between: &str| {
        body(
            &[
                "<string i:nil=' 1 '> <!-- none --> </string>",
                "<string>a</string>",
                "<counts>1</counts>",
                "<string i:nil='true'></string>",
                "<string xsi:nil='false'>b</string>",
                "<legs i:nil='1'/>",
                "<counts i:nil='true'/>",
                "<lines><Leg i:nil='true'> </Leg></lines>",
                "<words><item i:nil='true' xsi:type='xsd:string'/></words>",
            ]
            .join(between),
        )
    };
    let expected = Basket {
        names: vec![None, Some("a".into()), None, Some("b".into())],
        counts: vec![Some(1), None],
        legs: vec![None],
        words: vec![None],
        lines: vec![None],
        behind: None,
    };
    let plan = plan_of::<Basket>(&document(""));
    let mut paths = Paths::new(&plan);
    for between in ["", "\n  ", "", "<unknown/>", "\n  "] {
        let text = document_of(between);
        assert_eq!(paths.read(text.as_bytes()).as_ref(), Ok(&expected), "{text}");
    }
    for (inside, wrong) in [
        ("<string i:nil='true'>x</string>", "names[0] "),
        ("<string>a</string><string i:nil='true'><b/></string>", "names[1] "),
        ("<legs i:nil='true'><symbol>A</symbol></legs>", "legs[0] "),
        ("<lines><Leg/><Leg i:nil='true'>x</Leg></lines>", "lines[1] "),
    ] {
        let error = paths.read(body(inside).as_bytes()).expect_err(inside).to_string();
        assert!(error.contains(wrong), "{inside}: {error}");
        assert!(error.contains("no content in an element that is nil"), "{inside}: {error}");
    }
}

#[test]
fn lists_that_are_not_nillable_have_no_nil_items() {
    let plan = plan_of::<Plain>(&document(""));
    let mut paths = Paths::<Plain>::new(&plan);
    for (inside, path) in [
        ("<names xsi:nil='true'/>", "names "),
        ("<names>a</names><names xsi:nil='true'/>", "names "),
        ("<words><item xsi:nil='true'/></words>", "words[0] "),
        ("<numbers>1</numbers><numbers xsi:nil='true'/>", "numbers "),
    ] {
        let text = enveloped(&format!("<Plain>{inside}</Plain>"));
        let error = paths.read(text.as_bytes()).expect_err(inside).to_string();
        assert!(error.contains(path) && error.contains(", not nil"), "{inside}: {error}");
    }
    let mut record = Record::new(Plain::layout());
    record.group_mut("words").expect("a list").next_entry().set_nil();
    let error = Encoder::new(&plan).encode(&record).expect_err("nil").to_string();
    assert!(error.starts_with("words[0] "), "{error}");
    assert!(error.ends_with("cannot be written: it is nil, which cannot be said there"), "{error}");
}

/// Where values are attributes, an element that is nil may have some.
#[test]
fn what_is_nil_may_have_attributes_in_a_record() {
    let body = |inside: &str| enveloped(&format!("<Tags>{inside}</Tags>"));
    let tagged = |id| Some(Tagged { id, symbol: Some("A".into()) });
    let tags = Tags {
        legs: vec![None, tagged(Some(1)), None],
        lines: vec![tagged(None), None],
        main: None,
        behind: Some("b".into()),
    };
    let plan = plan_of::<Tags>(&document(""));
    let text = written(&plan, &tags);
    let expected = "<legs xsi:nil=\"true\"/><legs id=\"1\"><symbol>A</symbol></legs><legs xsi:nil=\"true\"/>\
        <lines><Tagged><symbol>A</symbol></Tagged><Tagged xsi:nil=\"true\"/></lines><main xsi:nil=\"true\"/>";
    assert!(text.contains(expected), "{text}");
    let mut paths = Paths::new(&plan);
    for _ in 0..3 {
        assert_eq!(paths.read(text.as_bytes()), Ok(tags.clone()));
    }
    let inside = "<legs xsi:nil=\"true\" id=\"7\"/><legs id=\"8\"/><legs xsi:nil=\"true\"/>\
        <main xsi:nil=\"true\" id=\"9\"/><behind>b</behind>";
    let text = body(inside);
    // A struct of Rust holds one or the other.
    let error = paths.read(text.as_bytes()).expect_err("attributes").to_string();
    assert!(error.contains("no attributes of its type in an element that is nil"), "{error}");
    let error = paths.read(body("<main xsi:nil='1' id='9'/>").as_bytes()).expect_err("attributes");
    assert_eq!(error.path(), "main");

    let plan = plan_of::<Tags>(&Options { nil_in_records: true, ..document("") });
    let mut record = Record::new(Tags::layout());
    for mut decoder in [Decoder::new(&plan), Decoder::new(&plan).generic()] {
        decoder.decode(text.as_bytes(), &mut record).expect("a record holds it");
        assert_eq!(record.get("main/id"), Some(&9_i32.into()));
        let Some(Value::Group(legs)) = record.get("legs") else { panic!("{record:?}") };
        let nil: Vec<bool> = legs.entries().iter().map(|it| it.is_nil()).collect();
        assert_eq!(nil, [true, false, true]);
        assert_eq!(legs.entries()[0].get("id"), Some(&7_i32.into()));
        let again = written(&plan, &record);
        assert!(again.contains(inside), "{again}");
    }
    let json = json::Plan::new(Tags::layout(), &json::Options::default()).expect("a plan");
    let error = json::Encoder::new(&json).encode(&record).expect_err("no form").to_string();
    assert!(
        error.contains("legs[0] ") && error.contains("it is nil and has attributes"),
        "{error}"
    );
    let mut typed = Tags::default();
    let error = Decoder::new(&plan).decode(text.as_bytes(), &mut typed).expect_err("no place");
    assert!(error.to_string().contains("for which the message has no place"), "{error}");
}

/// JSON says `null`; CDR has no word for it, and says so.
#[test]
fn other_formats_hold_it_or_refuse_it() {
    let plan = json::Plan::new(Basket::layout(), &json::Options::default()).expect("a plan");
    let mut encoder = json::Encoder::new(&plan);
    let text = encoder.encode(&basket()).expect("JSON holds it").to_vec();
    let shown = String::from_utf8_lossy(&text).into_owned();
    let expected =
        r#"{"names":[null,"a",null,null,""],"counts":[1,null,-2],"legs":[{"symbol":"A"},null,{},"#;
    assert!(shown.starts_with(expected), "{shown}");
    let (mut back, mut record) = (Basket::default(), Record::new(Basket::layout()));
    let mut decoder = json::Decoder::new(&plan);
    decoder.decode(&text, &mut back).expect("its own");
    decoder.decode(&text, &mut record).expect("its own");
    assert_eq!((back, record), (basket(), Record::from_message(&basket())));
    let plain = json::Plan::new(Plain::layout(), &json::Options::default()).expect("a plan");
    let wrong = br#"{"names":["a",null]}"#;
    let error = json::Decoder::new(&plain).decode(wrong, &mut Plain::default()).expect_err("null");
    assert_eq!(error.path(), "names[1]");

    let plan = cdr::Plan::new(Basket::layout(), &cdr::Options::default()).expect("a plan");
    let error = cdr::Encoder::new(&plan).encode(&basket()).expect_err("nil").to_string();
    assert!(error.starts_with("names[0] "), "{error}");
    assert!(error.ends_with("it is nil, which cannot be said there"), "{error}");
    let whole = Basket { counts: vec![Some(1), Some(-2)], ..Basket::default() };
    let bytes = cdr::Encoder::new(&plan).encode(&whole).expect("none is nil").to_vec();
    let mut back = Basket::default();
    cdr::Decoder::new(&plan).decode(&bytes, &mut back).expect("its own");
    assert_eq!(back, whole);
}

/// Each item of an array may be nil, where a record holds it (SOAP 1.1 section 5.1).
#[test]
fn items_of_encoded_arrays_may_be_nil_in_records() {
    let options = |nil_in_records| Options {
        style: Style::RpcEncoded,
        layout: trunkline_soap::Layout::Operation,
        operation: "list".into(),
        namespace: "urn:l".into(),
        types: true,
        nil_in_records,
        ..Options::default()
    };
    let array = "<words SOAP-ENC:arrayType='xsd:string[3]' xsi:type='SOAP-ENC:Array'><item xsi:nil='true'/>\
        <item xsi:type='xsd:string'>w</item><item xsi:nil='1' xsi:type='xsd:string'/></words>";
    let plain = enveloped(&format!(
        "<own:list xmlns:own='urn:l' xmlns:SOAP-ENC='http://schemas.xmlsoap.org/soap/encoding/'>{array}</own:list>"
    ));
    let referred = plain
        .replace("<item xsi:type='xsd:string'>w</item>", "<item href='#x'/>")
        .replace("</own:list>", "</own:list><multi id='x' xsi:type='xsd:string'>w</multi>");
    let plan = plan_of::<Plain>(&options(true));
    let expected = |record: &Record| {
        let Some(Value::Group(words)) = record.get("words") else { panic!("{record:?}") };
        let nil: Vec<bool> = words.entries().iter().map(|it| it.is_nil()).collect();
        assert_eq!(nil, [true, false, true]);
        assert_eq!(words.entries()[1].value(0), Some(&Value::from("w")));
    };
    let mut record = Record::new(Plain::layout());
    for text in [&plain, &referred] {
        Decoder::new(&plan).decode(text.as_bytes(), &mut record).expect("a record holds it");
        expected(&record);
        let limits = trunkline_message::Limits::default();
        graph::decode_message(text.as_bytes(), &plan, &limits, &mut record).expect("the same");
        expected(&record);
    }
    let again = written(&plan, &record);
    let items =
        "<item xsi:nil=\"true\"/><item xsi:type=\"xsd:string\">w</item><item xsi:nil=\"true\"/>";
    assert!(again.contains(items), "{again}");
    let message = graph::from_message(&record, &plan).expect("a graph");
    let bytes = graph::Encoder::new(Version::Soap11).encode(&message).expect("it can be written");
    Decoder::new(&plan).decode(&bytes, &mut record).expect("its own");
    expected(&record);
    // A struct of Rust cannot hold it, and neither is it taken without being asked for.
    let error = Decoder::new(&plan).decode(plain.as_bytes(), &mut Plain::default());
    assert_eq!(error.expect_err("no place for it").path(), "words[0]");
    let plan = plan_of::<Plain>(&options(false));
    let error =
        Decoder::new(&plan).decode(plain.as_bytes(), &mut record).expect_err("not asked for");
    assert!(error.to_string().contains("an entry, not nil"), "{error}");
}

/// A layout says of its lists whether items may be nil, whoever described it.
#[test]
fn a_listing_says_which_items_may_be_nil() {
    let listing = Basket::layout().listing();
    assert!(listing.contains("note\tfield\tnil_items\ttrue"), "{listing}");
    let again = Layout::from_listing(&listing).expect("its own listing");
    assert_eq!(again.id(), Basket::layout().id());
    let without = Layout::from_listing(&listing.replace("note\tfield\tnil_items\ttrue\n", ""));
    assert_ne!(without.expect("a listing").id(), again.id());
    let wrong = "message M\nfield a 0 text optional\nnote field nil_items true\nend\n";
    let error = Layout::from_listing(wrong).expect_err("no list").to_string();
    assert!(error.contains("a: the note field nil_items is \"true\", of a list"), "{error}");
}
