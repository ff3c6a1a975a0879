//! Selections: what is one, what of it is about the messages of a description, and what is written of a message.

use std::sync::Arc;

use trunkline_import::{Description, Limits, Options};
use trunkline_message::{Record, Value};
use trunkline_random::Random;
use trunkline_transcode::{Format, Messages, Selection};

const IDL: &str = r#"
struct Level { double size; string maker; };
struct Book { sequence<Level> levels; sequence<string> tags; };
struct Quote { string Source; double Bid; double Ask; long Size; Book Depth; };
"#;

const XSD: &str = r#"<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:q"
    elementFormDefault="qualified">
  <xs:element name="Quote"><xs:complexType><xs:sequence>
    <xs:element name="Symbol" type="xs:string"/>
    <xs:element name="Bid" type="xs:decimal" minOccurs="0"/>
    <xs:element name="Ask" type="xs:decimal" minOccurs="0"/>
    <xs:element name="Venue" minOccurs="0"><xs:complexType><xs:sequence>
      <xs:element name="Code" type="xs:string"/>
      <xs:element name="City" type="xs:string" minOccurs="0"/>
    </xs:sequence></xs:complexType></xs:element>
  </xs:sequence></xs:complexType></xs:element>
</xs:schema>"#;

const FIX: &str = r#"<fix type="FIX" major="4" minor="4">
  <header>
    <field name="BeginString" required="Y"/><field name="BodyLength" required="Y"/>
    <field name="MsgType" required="Y"/><field name="SenderCompID" required="Y"/>
  </header>
  <messages>
    <message name="Snapshot" msgtype="W" msgcat="app">
      <field name="Symbol" required="Y"/><field name="Text" required="N"/>
      <group name="NoMDEntries" required="Y">
        <field name="MDEntryType" required="Y"/><field name="MDEntryPx" required="N"/>
        <field name="MDEntrySize" required="N"/>
      </group>
    </message>
    <message name="News" msgtype="B" msgcat="app"><field name="Headline" required="Y"/></message>
  </messages>
  <trailer><field name="CheckSum" required="Y"/></trailer>
  <components/>
  <fields>
    <field number="8" name="BeginString" type="STRING"/><field number="9" name="BodyLength" type="LENGTH"/>
    <field number="35" name="MsgType" type="STRING"/><field number="49" name="SenderCompID" type="STRING"/>
    <field number="55" name="Symbol" type="STRING"/><field number="58" name="Text" type="STRING"/>
    <field number="268" name="NoMDEntries" type="NUMINGROUP"/><field number="269" name="MDEntryType" type="CHAR"/>
    <field number="270" name="MDEntryPx" type="PRICE"/><field number="271" name="MDEntrySize" type="QTY"/>
    <field number="148" name="Headline" type="STRING"/><field number="10" name="CheckSum" type="STRING"/>
  </fields>
</fix>"#;

const QUOTE: &str = r#"{"Quote":{"Source":"X","Bid":1.5,"Ask":1.6,"Size":7,"Depth":{"levels":[{"size":1.0,"maker":"a"},{"size":2.0,"maker":"b"}],"tags":["t"]}}}"#;

fn described(path: &str, text: &str) -> Messages {
    let mut resolver = |_: &str| Ok(Some(text.as_bytes().to_vec()));
    let read = Description::read(path, &Options::default(), &mut resolver, &Limits::default());
    Messages::new(read.expect("a description"), Default::default(), Default::default())
}

fn selection(text: &str) -> Arc<Selection> {
    Arc::new(Selection::parse(text).expect(text))
}

fn check(messages: &Messages, text: &str, to: Option<Format>) -> Result<(), String> {
    let parsed = Selection::parse(text).map_err(|error| error.within(text))?;
    messages.check_selection(&parsed, to, None).map_err(|error| error.within(text))
}

/// What is selected of a message, in a format, as text.
fn select(
    messages: &mut Messages,
    (from, message): (Format, &[u8]),
    fields: &str,
    to: Format,
) -> Result<String, String> {
    check(messages, fields, Some(to))?;
    let mut out = b"before".to_vec();
    messages
        .select((from, message), None, &selection(fields), to, &mut out)
        .map_err(|error| error.to_string())?;
    let out = out.strip_prefix(b"before").expect("it is appended");
    Ok(String::from_utf8_lossy(out).replace('\u{1}', "|"))
}

fn fix(fields: &str) -> Vec<u8> {
    let body = fields.replace('|', "\u{1}");
    let mut message = format!("8=FIX.4.4\u{1}9={}\u{1}{body}", body.len()).into_bytes();
    let sum = message.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
    message.extend(format!("10={sum:03}\u{1}").into_bytes());
    message
}

#[test]
fn what_is_no_selection_is_said_with_its_place_and_a_remedy() {
    for (text, expected) in [
        ("", "column 1: it is empty; fields are such as Symbol, Bid, Ask"),
        (" ", "column 1: it is empty; fields are such as Symbol, Bid, Ask"),
        ("Bid,", "column 5: the name of a field is expected"),
        (",Bid", "column 1: the name of a field is expected"),
        ("Bid Ask", "column 5: a comma or the end is expected"),
        ("Bid, 55", "column 6: the name of a field is expected"),
        ("'Bid'", "column 1: the name of a field is expected"),
        ("Depth.", "column 7: the name of a field is expected"),
        ("Bid > 1", "column 5: a comma or the end is expected"),
        ("\"Bid", "column 1: the \" that closes this text is missing"),
    ] {
        let error = Selection::parse(text).expect_err(text);
        assert_eq!(error.within(text), expected, "{text}");
    }
    let many = |count: usize| vec!["a.b"; count].join(",");
    assert!(Selection::parse(&many(Selection::MOST_NAMES / 2)).is_ok());
    assert!(Selection::parse(&many(Selection::MOST_NAMES / 2 + 1)).is_err());
}

#[test]
fn texts_that_name_the_same_are_the_same() {
    for (one, other) in
        [("Bid,Ask", " Ask , Bid,Ask"), ("\"a b\".c", "\"a b\" . \"c\""), ("\"in\"", "\"in\"")]
    {
        let [one, other] = [one, other].map(|it| selection(it).to_string());
        assert_eq!(one, other);
        assert_eq!(selection(&one).to_string(), one);
    }
    assert_ne!(selection("a.b").to_string(), selection("\"a.b\"").to_string());
}

#[test]
fn what_no_message_has_is_refused_with_what_there_is() {
    let messages = described("q.idl", IDL);
    for (text, expected) in [
        (
            "Bit",
            "column 1: Bit is no field of the messages of the topic's schema; did you mean Bid?",
        ),
        ("Bid,Depth.level", "column 5: Depth.level is no field"),
        ("Bid.x", "column 1: Bid.x is no field"),
        ("Depth.levels.maker,x", "column 20: x is no field"),
    ] {
        let error = check(&messages, text, None).expect_err(text);
        assert!(error.starts_with(expected), "{error}");
        assert!(error.contains("Quote has Source, Bid, Ask, Size"), "{error}");
    }
    for text in ["Bid", "Depth", "Depth.levels", "Depth.levels.maker", "Depth.tags", "levels"] {
        check(&messages, text, None).expect(text);
    }
}

#[test]
fn json_leaves_out_whatever_is_not_selected() {
    let mut messages = described("q.idl", IDL);
    for (fields, expected) in [
        ("Ask,Bid", r#"{"Quote":{"Bid":1.5,"Ask":1.6}}"#),
        ("Depth.tags", r#"{"Quote":{"Depth":{"tags":["t"]}}}"#),
        (
            "Depth.levels.maker, Size",
            r#"{"Quote":{"Size":7,"Depth":{"levels":[{"maker":"a"},{"maker":"b"}]}}}"#,
        ),
        ("maker, Size", r#"{"Quote":{"Size":7,"Depth":{"levels":[{"maker":"a"},{"maker":"b"}]}}}"#),
        (
            "Depth.levels,Depth.levels.maker",
            r#"{"Quote":{"Depth":{"levels":[{"size":1,"maker":"a"},{"size":2,"maker":"b"}]}}}"#,
        ),
    ] {
        let message = (Format::Json, QUOTE.as_bytes());
        let selected = select(&mut messages, message, fields, Format::Json).expect(fields);
        assert_eq!(selected, expected, "{fields}");
    }
}

#[test]
fn what_is_not_described_is_not_selected() {
    let mut messages = described("q.idl", IDL);
    let more = QUOTE.replace("\"Source\":\"X\",", "\"Source\":\"X\",\"other\":1,");
    let all = "Source,Bid,Ask,Size,Depth";
    let mut plain = Vec::new();
    messages
        .convert((Format::Json, QUOTE.as_bytes()), None, Format::CdrLittle, &mut Vec::new())
        .expect("all is described");
    messages.write(Format::Json, &mut plain).expect("JSON");
    let message = (Format::Json, more.as_bytes());
    let selected = select(&mut messages, message, all, Format::Json).expect("selected");
    assert_eq!(selected.as_bytes(), plain);
    // A message that has no more is passed on as it is.
    let message = (Format::Json, QUOTE.as_bytes());
    assert_eq!(select(&mut messages, message, all, Format::Json).as_deref(), Ok(QUOTE));
}

#[test]
fn xml_leaves_out_only_what_its_schema_lets_be_absent() {
    let mut messages = described("q.xsd", XSD);
    let quote = br#"<Quote xmlns="urn:q"><Symbol>E</Symbol><Bid>1.5</Bid><Ask>1.6</Ask><Venue><Code>c</Code><City>d</City></Venue></Quote>"#;
    let message = (Format::Xml, &quote[..]);
    for (fields, expected) in [("Bid", "Symbol"), ("Symbol,Venue.City", "Venue.Code")] {
        let error = select(&mut messages, message, fields, Format::Soap11).expect_err(fields);
        let cannot = format!("soap-1.1 cannot leave out {expected} of Quote, which its schema");
        assert!(error.contains(&cannot), "{error}");
        select(&mut messages, message, fields, Format::Json).expect("JSON can");
    }
    for (fields, is_in, is_out) in [
        ("Symbol,Ask", vec!["E<", "1.6<"], vec!["Bid", "Venue"]),
        ("Symbol,Venue.Code", vec!["E<", "c<"], vec!["Bid", "Ask", "City"]),
    ] {
        let selected = select(&mut messages, message, fields, Format::Xml).expect(fields);
        assert!(is_in.iter().all(|it| selected.contains(it)), "{selected}");
        assert!(!is_out.iter().any(|it| selected.contains(it)), "{selected}");
    }
}

#[test]
fn of_each_choice_that_is_required_an_arm_is_selected() {
    let choices = r#"<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:q"
    elementFormDefault="qualified"><xs:element name="Pay"><xs:complexType><xs:sequence>
    <xs:choice><xs:element name="a" type="xs:string"/><xs:element name="b" type="xs:string"/></xs:choice>
    <xs:choice><xs:element name="c" type="xs:string"/><xs:element name="d" type="xs:string"/></xs:choice>
  </xs:sequence></xs:complexType></xs:element></xs:schema>"#;
    let messages = described("pay.xsd", choices);
    let error = check(&messages, "a,b", Some(Format::Xml)).expect_err("c or d");
    assert!(error.contains("all of c or d"), "{error}");
    for fields in ["a,b,c,d", "a,c"] {
        check(&messages, fields, Some(Format::Xml)).expect(fields);
    }
}

/// A struct that is the arm of a required choice is there, though nothing is left in it.
#[test]
fn an_arm_of_a_required_choice_stays() {
    let choice = r#"<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:q"
    elementFormDefault="qualified"><xs:element name="Pay"><xs:complexType><xs:choice>
    <xs:element name="Cash"><xs:complexType><xs:sequence>
      <xs:element name="note" type="xs:string" minOccurs="0"/>
      <xs:element name="till" type="xs:string" minOccurs="0"/>
    </xs:sequence></xs:complexType></xs:element>
    <xs:element name="card" type="xs:string"/>
  </xs:choice></xs:complexType></xs:element></xs:schema>"#;
    let mut messages = described("pay.xsd", choice);
    let message = br#"<Pay xmlns="urn:q"><Cash><till>7</till></Cash></Pay>"#;
    let message = (Format::Xml, &message[..]);
    let selected = select(&mut messages, message, "Cash.note", Format::Xml).expect("it may be so");
    assert!(selected.contains("Cash") && !selected.contains("till"), "{selected}");
}

#[test]
fn fix_keeps_its_version() {
    let mut messages = described("fix.xml", FIX);
    let other = fix("35=W|49=S|55=EUR|58=note|268=1|269=0|");
    let other = String::from_utf8(other).expect("text").replace("FIX.4.4", "FIX.4.2");
    // The check sum is that of the other version.
    let (body, _) = other.split_at(other.len() - 7);
    let sum = body.bytes().fold(0_u8, |sum, byte| sum.wrapping_add(byte));
    let other = format!("{body}10={sum:03}\u{1}");
    for fields in ["SenderCompID,Symbol,NoMDEntries", "SenderCompID,Symbol,NoMDEntries,Text"] {
        let message = (Format::Fix, other.as_bytes());
        let selected = select(&mut messages, message, fields, Format::Fix).expect(fields);
        assert!(selected.starts_with("8=FIX.4.2|"), "{selected}");
    }
}

#[test]
fn fix_leaves_out_only_what_its_dictionary_lets_be_absent() {
    let mut messages = described("fix.xml", FIX);
    let bytes = fix("35=W|49=S|55=EUR|58=note|268=2|269=0|270=1.5|271=9|269=1|270=1.6|271=8|");
    let message = (Format::Fix, &bytes[..]);
    let error = select(&mut messages, message, "Symbol,NoMDEntries.MDEntryPx", Format::Fix);
    let error = error.expect_err("required");
    for word in ["SenderCompID", "NoMDEntries.MDEntryType", "of Snapshot", "or json"] {
        assert!(error.contains(word), "{error}");
    }
    assert!(!error.contains("Text") && !error.contains("News"), "{error}");
    let fields = "SenderCompID,Symbol,NoMDEntries.MDEntryType,NoMDEntries.MDEntryPx";
    let selected = select(&mut messages, message, fields, Format::Fix).expect("it may be so");
    assert!(
        selected.contains("|35=W|49=S|55=EUR|268=2|269=0|270=1.5|269=1|270=1.6|10="),
        "{selected}"
    );
    let json = select(&mut messages, message, "NoMDEntries.MDEntryPx", Format::Json);
    assert_eq!(
        json.as_deref(),
        Ok(r#"{"Snapshot":{"NoMDEntries":[{"MDEntryPx":1.5},{"MDEntryPx":1.6}]}}"#)
    );
    // Of a message that has none of the fields nothing is left but its name.
    let news = fix("35=B|49=S|148=hello|");
    let news = select(&mut messages, (Format::Fix, &news), "Symbol", Format::Json);
    assert_eq!(news.as_deref(), Ok(r#"{"News":{}}"#));
}

#[test]
fn with_all_fields_it_is_what_is_converted() {
    let mut random = Random::new(11);
    for (path, text, fields, name) in [
        ("q.idl", IDL, "Source,Bid,Ask,Size,Depth", "Quote"),
        ("q.xsd", XSD, "Symbol,Bid,Ask,Venue", "Quote"),
        ("fix.xml", FIX, "SenderCompID,Symbol,Text,NoMDEntries", "Snapshot"),
    ] {
        let mut messages = described(path, text);
        let described = messages.description().message(name).expect(name).expect(name);
        let layout = Arc::new(described.layout);
        for _ in 0..50 {
            let mut record = Record::sample(&layout);
            if let Some(first) = layout.scopes()[0]
                .fields
                .iter()
                .position(|it| matches!(&*it.name, "Source" | "Symbol"))
            {
                let text = Value::Text(format!("v{}", random.below(1_000)).as_str().into());
                record.set(&layout.scopes()[0].path(first), text).expect("a text");
            }
            let options = trunkline_transcode::Options::default();
            let mut json = trunkline_transcode::Codec::new(
                &layout,
                Format::Json,
                &options,
                &trunkline_message::Limits::default(),
            )
            .expect("JSON");
            let json = json.encode(&record).expect("JSON").to_vec();
            for to in [Format::Json, Format::Fix, Format::CdrLittle, Format::Soap12] {
                let (mut whole, mut selected) = (Vec::new(), Vec::new());
                let message = (Format::Json, &json[..]);
                let converted = messages.convert(message, Some(name), to, &mut whole);
                let chosen =
                    messages.select(message, Some(name), &selection(fields), to, &mut selected);
                assert_eq!(converted.is_ok(), chosen.is_ok(), "{path} as {to}");
                assert_eq!(whole, selected, "{path} as {to}");
            }
        }
    }
}
