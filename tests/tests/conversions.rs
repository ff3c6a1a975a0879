//! What a converter makes of a message is what the codecs by themselves make of it, whatever was converted before.

use std::fmt::Write as _;
use std::sync::Arc;

use trunkline_message::{Limits, Record};
use trunkline_native::format;
use trunkline_random::Random;
use trunkline_server::config::TopicRule;
use trunkline_server::formats::{CONVERTED, Converter, PublishedMessage};
use trunkline_transcode::{Codec, Format, Options};

const DICTIONARY: &str = r#"<fix type="FIX" major="4" minor="4">
 <header>
  <field name="BeginString" required="Y"/><field name="BodyLength" required="Y"/>
  <field name="MsgType" required="Y"/><field name="SenderCompID" required="N"/>
 </header>
 <messages>
  <message name="Snapshot" msgtype="W" msgcat="app">
   <field name="Symbol" required="Y"/><field name="Text" required="N"/>
   <group name="NoMDEntries" required="N">
    <field name="MDEntryType" required="Y"/><field name="MDEntryPx" required="N"/>
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
  <field number="270" name="MDEntryPx" type="PRICE"/><field number="148" name="Headline" type="STRING"/>
  <field number="10" name="CheckSum" type="STRING"/>
 </fields>
</fix>"#;

const XSD: &str = r#"<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:q"
    elementFormDefault="qualified">
 <xs:element name="Quote"><xs:complexType><xs:sequence>
  <xs:element name="Symbol" type="xs:string"/><xs:element name="Bid" type="xs:decimal" minOccurs="0"/>
 </xs:sequence></xs:complexType></xs:element>
</xs:schema>"#;

const TOPICS: [&str; 6] = ["fx/a", "fx/b", "fx/b/c", "named/a", "quotes/a", "others"];

fn rules() -> Arc<[TopicRule]> {
    let rule = |pattern: &str, schema: &str, text: &str, message: Option<&str>| TopicRule {
        pattern: pattern.into(),
        schema: schema.into(),
        transport: None,
        format: None,
        message: message.map(str::to_owned),
        documents: [(schema.to_owned(), text.as_bytes().to_vec())].into_iter().collect(),
    };
    Arc::from([
        rule("fx/>", "fix.xml", DICTIONARY, None),
        rule("named/>", "fix.xml", DICTIONARY, Some("Snapshot")),
        rule("quotes/>", "quotes.xsd", XSD, None),
    ])
}

/// A message of the dictionary, or almost.
fn fix(random: &mut Random) -> Vec<u8> {
    let message_type = random.pick(&["W", "W", "W", "B", "B", "Z"]);
    let required: &[&str] = match message_type {
        "B" => &["148=hello", "148=<&>"],
        _ => &["55=EURUSD", "55=S\u{e9}"],
    };
    let mut content = format!("35={message_type}\u{1}");
    let mut add = |random: &mut Random, percent: u64, fields: &[&str]| {
        if random.chance(percent) {
            _ = write!(content, "{}\u{1}", random.pick(fields).replace('|', "\u{1}"));
        }
    };
    add(random, 50, &["49=S", "49=SOURCE", "56=ROUTER"]);
    add(random, 85, required);
    add(
        random,
        50,
        &["58=text", "9999=of nobody", "58=a long text, which is no short one any more"],
    );
    add(random, 40, &["268=1|269=0|270=1.5", "268=2|269=0|270=1.5|269=1", "268=1|269=0|270=dear"]);
    let version = random.pick(&["FIX.4.4", "FIX.4.4", "FIX.4.4", "FIX.4.2"]);
    let mut message = format!("8={version}\u{1}9={}\u{1}{content}", content.len()).into_bytes();
    let sum = message.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
    message.extend(format!("10={sum:03}\u{1}").into_bytes());
    message
}

/// A quote in an envelope, or almost.
fn envelope(random: &mut Random) -> Vec<u8> {
    let header = random.pick(&[
        "",
        "",
        "<s:Header/>",
        "<s:Header><t:trace xmlns:t='urn:t'>1</t:trace></s:Header>",
        "<s:Header><t:pay xmlns:t='urn:t' s:mustUnderstand='1'/></s:Header>",
    ]);
    let body = random.pick(&[
        "<Quote xmlns='urn:q'><Symbol>EURUSD</Symbol><Bid>1.5</Bid></Quote>",
        "<Quote xmlns='urn:q'><Symbol>nil</Symbol></Quote>",
        "<Quote xmlns='urn:q'><Symbol>a</Symbol><Size>7</Size></Quote>",
        "<Quote xmlns='urn:q' xmlns:i='http://www.w3.org/2001/XMLSchema-instance'><Symbol>a</Symbol><Bid i:nil='true'/></Quote>",
        "<Order xmlns='urn:q'/>",
        "<s:Fault><faultcode>s:Server</faultcode><faultstring>no</faultstring></s:Fault>",
    ]);
    format!(
        "<s:Envelope xmlns:s='http://schemas.xmlsoap.org/soap/envelope/'>{header}<s:Body>{body}</s:Body></s:Envelope>"
    )
    .into_bytes()
}

/// A message of some topic, which may be one that was made before, in a format that it may not have.
fn message(random: &mut Random, made: &[(u16, Vec<u8>)]) -> PublishedMessage {
    let (topic, (own, mut payload)) = match random.below(10) {
        0..5 => (random.pick(&TOPICS[..4]), (format::FIX, fix(random))),
        5..7 => (TOPICS[4], (format::SOAP_11, envelope(random))),
        _ if made.is_empty() => (TOPICS[5], (format::TEXT, b"text".to_vec())),
        _ => (random.pick(&TOPICS), made[random.index(made.len())].clone()),
    };
    if random.chance(10) && !payload.is_empty() {
        let at = random.index(payload.len());
        match random.chance(50) {
            true => payload.truncate(at),
            false => payload[at] = random.byte(),
        }
    }
    let format = match random.below(10) {
        0 => format::OPAQUE,
        1 => random.pick(&CONVERTED),
        _ => own,
    };
    PublishedMessage { topic: topic.into(), format, payload }
}

/// What a converter appends; before it stands something else.
fn converted(converter: &mut Converter, it: &PublishedMessage, to: u16) -> Result<Vec<u8>, String> {
    let mut out = b"before".to_vec();
    converter.convert(it, to, &mut out)?;
    Ok(out.strip_prefix(b"before").expect("it is appended").to_vec())
}

fn new() -> Converter {
    let mut converter = Converter::default();
    converter.set_topics(rules());
    converter
}

#[test]
fn what_was_converted_before_changes_nothing() {
    let mut random = Random::new(7);
    let mut used = new();
    let mut made = Vec::new();
    let (mut right, mut wrong) = (0, 0);
    for _ in 0..4_000 {
        let message = message(&mut random, &made);
        let to = random.pick(&CONVERTED);
        let result = converted(&mut used, &message, to);
        let shown = message.payload.escape_ascii();
        assert_eq!(result, converted(&mut new(), &message, to), "{message:?} to {to}: {shown}");
        match result {
            Ok(bytes) => {
                right += 1;
                made.push((to, bytes));
            }
            Err(_) => wrong += 1,
        }
    }
    assert!(right > 400 && wrong > 400, "{right} {wrong}");
}

/// What decoding and encoding make of a message of FIX; none if something of it is lost, or wrong.
fn plain(message: &[u8], to: Format) -> Option<Vec<u8>> {
    let text = String::from_utf8_lossy(message);
    let of_head: Vec<&str> =
        text.split('\u{1}').take(3).filter_map(|it| Some(it.split_once('=')?.1)).collect();
    let [version, _, message_type] = of_head[..] else { return None };
    let description = rules()[0].describe().expect("a dictionary");
    let layout = Arc::new(description.layout(message_type).expect("a layout")?);
    // What is written is of the dictionary's version.
    let codec = |format, version: &str| {
        let options = Options { begin_string: Some(version.to_owned()), ..Options::default() };
        Codec::new(&layout, format, &options, &Limits::default()).expect("a form")
    };
    let mut record = Record::new(&layout);
    let left_out = codec(Format::Fix, version).decode(message, &mut record).ok()?;
    let mut codec = codec(to, "FIX.4.4");
    let written = codec.encode(&record).ok()?.to_vec();
    (left_out == 0 && codec.not_written() == 0).then_some(written)
}

#[test]
fn it_is_what_the_codecs_make() {
    const FORMATS: [(u16, Format, &[u8]); 4] = [
        (format::JSON, Format::Json, b""),
        (format::SOAP_11, Format::Soap11, b""),
        (format::FAST_INFOSET, Format::FastInfoset, b""),
        (format::CDR, Format::CdrLittle, b"\x01"),
    ];
    let mut random = Random::new(8);
    let mut converter = new();
    let (mut right, mut wrong) = (0, 0);
    for _ in 0..4_000 {
        let message = fix(&mut random);
        let (number, to, before) = random.pick(&FORMATS);
        let expected = plain(&message, to).map(|it| [before, &it].concat());
        let shown = message.escape_ascii().to_string();
        let message =
            PublishedMessage { topic: "fx/a".into(), format: format::FIX, payload: message };
        let result = converted(&mut converter, &message, number);
        assert_eq!(result.as_deref().ok(), expected.as_deref(), "{to}: {result:?}: {shown}");
        match expected {
            Some(_) => right += 1,
            None => wrong += 1,
        }
    }
    assert!(right > 600 && wrong > 600, "{right} {wrong}");
}
