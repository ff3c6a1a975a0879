//! `trunkline convert` and `trunkline decode` of what is damaged, wrapped, or not as it was said to be: what is written can be
//! read, and nothing is lost in silence.

mod cut;
#[path = "../verbs/mod.rs"]
mod verbs;

use std::fs;
use std::path::{Path, PathBuf};

use verbs::run;

/// Header fields of the venue's dictionary, and an order's that must be there.
const HEADER: &str = "35=D|49=DESK7|56=VENUE|34=2|52=20260105-09:30:01.456|";
const ORDER: &str = "11=ORD-1|55=IBM|54=1|38=100|";

/// A message of FIX with its frame.
fn framed(begin_string: &str, body: &str) -> String {
    let body = body.replace('|', "\u{1}");
    let text = format!("8={begin_string}\u{1}9={}\u{1}{body}", body.len());
    let sum = text.bytes().map(u32::from).sum::<u32>() % 256;
    format!("{text}10={sum:03}\u{1}")
}

fn order(fields: &str) -> String {
    framed("FIX.4.4", &format!("{HEADER}{ORDER}{fields}"))
}

fn venue() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples/venue");
    folder.join("venue.xml").to_str().expect("text").to_owned()
}

fn folder(test: &str) -> PathBuf {
    verbs::folder("convert", test)
}

fn convert(
    from: &str,
    to: &str,
    more: &[&str],
    input: impl AsRef<[u8]>,
) -> (Option<i32>, String, String) {
    let venue = venue();
    let schema: &[&str] = if more.contains(&"--schema") { &[] } else { &["--schema", &venue] };
    run(&[&["convert", "--from", from, "--to", to], schema, more].concat(), input)
}

/// What JSON says of fields that the dictionary does not have is written as such alone, or not at all.
#[test]
fn a_field_that_is_not_described_brings_no_other_in() {
    let with = |members: &str| {
        let json = convert("fix", "json", &[], order("").as_bytes()).1;
        json.replace("\"ClOrdID\":", &format!("{members}\"ClOrdID\":"))
    };
    for (members, path, why) in [
        ("\"9001\":\"x\\u000144=1.5\",", "9001", "the text has the delimiter SOH (0x01) inside"),
        ("\"9001\":\"\",", "9001", "FIX has no empty values"),
        ("\"9001\":\"x\",\"09001\":\"y\",", "9001", "the field stands twice"),
        ("\"8\":\"FIX.4.2\",", "8", "the tag frames the message"),
        ("\"9\":\"1\",", "9", "the tag frames the message"),
        ("\"35\":\"8\",", "35", "the tag frames the message"),
        ("\"10\":\"123\",", "10", "the tag frames the message"),
        ("\"0\":\"x\",", "0", "the tags of FIX are 1 to 2147483647"),
        ("\"55\":\"Z\",", "55", "the schema has a field of this tag"),
        ("\"448\":\"Z\",", "448", "the schema has a field of this tag"),
        ("\"93\":\"2\",\"89\":\"a\\u0001b\",", "89", "is its length, and says another one"),
        ("\"89\":\"a\\u0001b\",\"93\":\"3\",", "89", "the delimiter SOH"),
    ] {
        let (status, out, err) = convert("json", "fix", &[], with(members).as_bytes());
        assert_eq!((status, &*out), (Some(1), ""), "{members}: {err}");
        assert!(err.contains(&format!("as fix: {path} at byte ")), "{members}: {err}");
        assert!(err.contains(why), "{members}: {err}");
    }
    for members in ["\"9001\":\"x=y\",", "\"93\":\"3\",\"89\":\"a\\u0001b\","] {
        let (status, fix, err) = convert("json", "fix", &["--framed"], with(members).as_bytes());
        assert_eq!(status, Some(0), "{members}: {err}");
        let (status, json, err) = convert("fix", "json", &[], fix.as_bytes());
        assert_eq!(status, Some(0), "{members}: {err}");
        assert!(json.contains(members.trim_end_matches(',')), "{json}");
    }
}

/// A member that nobody knows is not left out for being null.
#[test]
fn null_of_a_member_that_is_not_described_is_an_error() {
    let json = convert("fix", "json", &[], order("")).1;
    for (to, value) in [("fix", "null"), ("json", "null"), ("fix", "1"), ("fix", "{\"a\":null}")] {
        for (name, place) in [("Nothing", "\"Symbol\":"), ("Other", "\"SenderCompID\":")] {
            let wrong = json.replace(place, &format!("\"{name}\":{value},{place}"));
            assert_ne!(wrong, json);
            let (status, out, err) = convert("json", to, &[], &wrong);
            assert_eq!((status, &*out), (Some(1), ""), "{name} {value}: {err}");
            assert!(err.contains(&format!("{name} at byte ")), "{value}: {err}");
            assert!(err.contains("the schema does not know it"), "{value}: {err}");
        }
    }
    let wrong = json.replace("\"Symbol\":", "\"9001\":null,\"Symbol\":");
    let (status, out, err) = convert("json", "fix", &[], &wrong);
    assert_eq!((status, &*out), (Some(1), ""), "{err}");
    assert!(err.contains("expected a field of FIX, not null"), "{err}");
    let known = json.replace("\"Symbol\":", "\"Price\":null,\"Symbol\":");
    let (status, out, err) = convert("json", "json", &[], &known);
    assert_eq!((status, out), (Some(0), json), "{err}");
}

/// Text by characters of base64, in lines of so many.
fn base64(bytes: &[u8], width: usize) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = Vec::new();
    for three in bytes.chunks(3) {
        let bits = three.iter().fold(0_u32, |bits, it| bits << 8 | u32::from(*it));
        let bits = bits << (8 * (3 - three.len()));
        let digit = |at: usize| match at <= three.len() {
            true => DIGITS[(bits >> (18 - 6 * at)) as usize & 63],
            false => b'=',
        };
        text.extend((0..4).map(digit));
    }
    lines(&text, width)
}

fn hexadecimal(bytes: &[u8], width: usize) -> String {
    let text: String = bytes.iter().map(|it| format!("{it:02x}")).collect();
    lines(text.as_bytes(), width)
}

fn lines(text: &[u8], width: usize) -> String {
    let line = |it: &[u8]| format!("{}\n", String::from_utf8_lossy(it));
    text.chunks(width).map(line).collect()
}

/// As `xxd` prints it.
fn with_places(bytes: &[u8]) -> String {
    let line = |(at, it): (usize, &[u8])| {
        let pairs: String = it
            .chunks(2)
            .map(|pair| pair.iter().map(|it| format!("{it:02x}")).collect::<String>() + " ")
            .collect();
        let shown = |it: &u8| if it.is_ascii_graphic() { char::from(*it) } else { '.' };
        let text: String = it.iter().map(shown).collect();
        format!("{:08x}: {pairs:40} {text}\n", 16 * at)
    };
    bytes.chunks(16).enumerate().map(line).collect()
}

/// A dump holds whatever was dumped: one message, or several of a stream, in lines of any width.
#[test]
fn dumps_of_any_length_and_width_are_read() {
    for length in 0..60 {
        let one = order(&format!("9001={}|", "A".repeat(length + 1)));
        let expected = convert("fix", "json", &[], one.as_bytes()).1;
        let one = one.as_bytes();
        let dumps = [
            base64(one, 76),
            base64(one, 64),
            base64(one, 20),
            hexadecimal(one, 60),
            hexadecimal(one, 32),
        ];
        let whole = dumps.concat();
        let (status, out, err) = convert("fix", "json", &[], whole.as_bytes());
        assert_eq!((status, &*err), (Some(0), ""), "{length}");
        assert_eq!(out, expected.repeat(dumps.len()), "{length}");
    }
    let all = (0..5).map(|it| order(&format!("9001={}|", "B".repeat(7 * it + 1))));
    let all = all.collect::<String>();
    let expected = convert("fix", "json", &[], all.as_bytes()).1;
    assert_eq!(expected.lines().count(), 5);
    let all = all.as_bytes();
    for dump in [
        with_places(all),
        hexadecimal(all, 60),
        hexadecimal(all, usize::MAX),
        base64(all, 76),
        base64(all, usize::MAX),
    ] {
        let (status, out, err) = convert("fix", "json", &[], dump.as_bytes());
        assert_eq!((status, &*out), (Some(0), &*expected), "{dump}\n{err}");
    }
    let (status, out, _) = run(&["decode"], with_places(all).as_bytes());
    assert_eq!((status, out.matches("in hexadecimal").count()), (Some(0), 5), "{out}");
}

/// A message that is cut does not hide the one behind it, wherever it is cut.
#[test]
fn what_stands_behind_a_message_that_is_cut_is_read() {
    let (cut, whole) = (order("58=a text of 8 words|"), order("9001=whole|"));
    let expected = convert("fix", "json", &[], whole.as_bytes()).1;
    let cuts = || ("8=FIX".len()..cut.len() - 1).map(|at| format!("{}{whole}", &cut[..at]));
    let stream: String = cuts().collect();
    let lines: String = cuts().map(|it| it.replace('\u{1}', "|") + "\n").collect();
    for input in [stream, lines] {
        let (status, out, err) = convert("fix", "json", &[], input.as_bytes());
        let count = cuts().count();
        assert_eq!((status, out), (Some(1), expected.repeat(count)), "{err}");
        assert_eq!(err.lines().count(), count, "{err}");
    }
}

#[test]
fn a_check_sum_of_other_digits_is_named() {
    let whole = order("");
    for trailer in ["10=1\u{1}", "10=12\u{1}", "10=1234\u{1}"] {
        let bytes = format!("{}{trailer}", &whole[..whole.len() - "10=000|".len()]);
        let (status, _, err) = convert("fix", "json", &[], bytes.as_bytes());
        assert_eq!(status, Some(1));
        assert!(err.contains("expected CheckSum (10=) with three digits at the end"), "{err}");
        let (status, out, _) = run(&["decode"], bytes.as_bytes());
        assert_eq!(status, Some(1));
        assert!(out.contains("wrong: CheckSum at byte"), "{out}");
    }
}

/// A `char` of CORBA is any octet.
#[test]
fn a_char_of_idl_is_any_of_256() {
    let folder = folder("chars");
    let idl = folder.join("own.idl");
    fs::write(&idl, "struct R { char ch; };").expect("a file");
    let schema = ["--schema", idl.to_str().expect("text")];
    let all: String = (0..=255).map(|it| format!("{it:02x}\n")).collect();
    let frames: Vec<u8> = (0..=255).flat_map(|it| [1, 0, 0, 0, it]).collect();
    let with_frames = [&schema[..], &["--framed"]].concat();
    for charset in ["UTF-8", "ISO-8859-1", "windows-1252"] {
        let options = [&with_frames[..], &["--charset", charset]].concat();
        let (status, json, err) = convert("cdr-be", "json", &options, &frames);
        assert_eq!(status, Some(0), "{err}");
        let euro = if charset == "windows-1252" { "€" } else { "\u{80}" };
        assert!(json.contains(&format!("{{\"R\":{{\"ch\":\"{euro}\"}}}}")), "{json}");
        let options = [&schema[..], &["--charset", charset]].concat();
        let (status, back, err) = convert("json", "cdr-be", &options, json.as_bytes());
        assert_eq!((status, &*back), (Some(0), &*all), "{err}");
    }
    let (status, _, err) =
        convert("json", "cdr-be", &schema, "{\"R\":{\"ch\":\"€\"}}\n".as_bytes());
    assert_eq!(status, Some(1));
    assert!(
        err.contains(
            "ch at byte 0: cannot be written: the text has a character that is not in ISO-8859-1"
        ),
        "{err}"
    );
    let (_, xml, _) = convert("json", "xml", &schema, "{\"R\":{\"ch\":\"é\"}}\n".as_bytes());
    let (status, back, err) = convert("xml", "cdr-be", &schema, xml.as_bytes());
    assert_eq!((status, &*back), (Some(0), "e9\n"), "{xml}{err}");
}

/// The code set is an option where text is in another than UTF-8.
#[test]
fn the_charset_of_text_is_an_option() {
    let latin = |text: &str| -> Vec<u8> { text.chars().map(|it| it as u8).collect() };
    let mut order = latin(&order("").replace("ORD-1", "ORD-\u{e9}"));
    let end = order.len() - "10=000|".len();
    let sum = order[..end].iter().map(|it| u32::from(*it)).sum::<u32>() % 256;
    order.splice(end + 3..end + 6, format!("{sum:03}").into_bytes());
    let (status, _, err) = convert("fix", "json", &[], &order);
    assert_eq!(status, Some(1));
    assert!(err.contains("where the option code_set (--charset) says so"), "{err}");
    let (status, json, err) = convert("fix", "json", &["--charset", "iso-8859-1"], &order);
    assert_eq!(status, Some(0), "{err}");
    assert!(json.contains("\"ClOrdID\":\"ORD-é\""), "{json}");
    let venue = venue();
    let (status, out, err) =
        run(&["decode", "--schema", &venue, "--charset", "ISO-8859-1"], &order);
    assert_eq!(status, Some(0), "{err}");
    assert!(out.contains("ORD-é"), "{out}");
    let (status, _, err) = convert("fix", "json", &["--charset", "latin"], &order);
    assert_eq!(status, Some(2));
    assert!(err.contains("a charset is one of UTF-8, ISO-8859-1, windows-1252"), "{err}");
}

/// FIX 5.0 has its header in another dictionary, without which nothing is written where it does not belong.
#[test]
fn a_dictionary_without_a_header_is_told() {
    let folder = folder("transport");
    let file = |name: &str, root: &str, header: &str, message: &str| {
        let fields = "<field number='8' name='BeginString' type='STRING'/><field number='9' name='BodyLength' type='LENGTH'/>\
            <field number='35' name='MsgType' type='STRING'/><field number='10' name='CheckSum' type='STRING'/>\
            <field number='49' name='SenderCompID' type='STRING'/><field number='58' name='Text' type='STRING'/>\
            <field number='200' name='MaturityMonthYear' type='MONTHYEAR'/>";
        let text = format!(
            "<fix {root}><header>{header}</header><trailer/><messages>{message}</messages><fields>{fields}</fields></fix>"
        );
        let path = folder.join(name);
        fs::write(&path, text).expect("a file");
        path.to_str().expect("text").to_owned()
    };
    let note = "<message name='Note' msgtype='B' msgcat='app'><field name='Text' required='Y'/>\
        <field name='MaturityMonthYear' required='N'/></message>";
    let own = file("own.xml", "type='FIX' major='5' minor='0' servicepack='2'", "", note);
    let header = "<field name='BeginString' required='Y'/><field name='BodyLength' required='Y'/>\
        <field name='MsgType' required='Y'/><field name='SenderCompID' required='Y'/>";
    let transport = file("transport.xml", "type='FIXT' major='1' minor='1'", header, "");
    let bytes = framed("FIXT.1.1", "35=B|49=A|58=x|");
    let schema = ["--schema", &*own];
    let (status, json, err) = convert("fix", "json", &schema, bytes.as_bytes());
    assert_eq!(status, Some(0), "{err}");
    let (status, out, err) = convert("json", "fix", &schema, json.as_bytes());
    assert_eq!((status, &*out), (Some(1), ""));
    assert!(
        err.contains("SenderCompID (49) is of the header, which the schema does not have"),
        "{err}"
    );
    assert!(err.contains("by --transport"), "{err}");
    let check = [&["decode", "--check"], &schema[..]].concat();
    let (status, out, _) = run(&check, bytes.as_bytes());
    assert_eq!(status, Some(1));
    assert!(out.contains("no dictionary describes the header"), "{out}");

    let both = [&schema[..], &["--transport", &transport, "--framed"]].concat();
    let (_, json, _) = convert("fix", "json", &both, bytes.as_bytes());
    let (status, out, err) = convert("json", "fix", &both, json.as_bytes());
    assert_eq!((status, out.as_bytes()), (Some(0), bytes.as_bytes()), "{err}");
    // What the dictionary says of order and of months.
    let check = [&["decode", "--check"], &schema[..], &["--transport", &transport]].concat();
    for (body, said) in [
        ("35=B|49=A|58=x|200=202601w5|", ""),
        (
            "35=B|58=x|49=A|",
            "SenderCompID: it is of the header, and stands behind Text (58) (order)",
        ),
        (
            "35=B|49=A|58=x|200=202613|",
            "MaturityMonthYear: \"202613\" is no month: YYYYMM, YYYYMMDD or YYYYMMw1 to w5 (type)",
        ),
    ] {
        let (status, out, err) = run(&check, framed("FIXT.1.1", body).as_bytes());
        assert_eq!(status, Some(i32::from(!said.is_empty())), "{body}: {out}{err}");
        assert!(out.contains(said), "{body}: {out}");
    }
    let json = json.replace("\"Text\"", "\"MaturityMonthYear\":\"2026\",\"Text\"");
    let check = [&both[..], &["--check"]].concat();
    let (status, _, err) = convert("json", "fix", &check, json.as_bytes());
    assert_eq!(status, Some(1));
    assert!(err.contains("\"2026\" is no month"), "{err}");
}

/// Input that is given in another way than is read is told how it is read.
#[test]
fn how_messages_are_given_is_told() {
    let json = convert("fix", "json", &[], order("").as_bytes()).1;
    let marked = format!("\u{feff}{json}");
    let (status, _, err) = convert("json", "fix", &[], marked.as_bytes());
    assert_eq!((status, &*err), (Some(0), ""));
    let indented = json.replace(",\"", ",\n  \"");
    let (status, _, err) = convert("json", "fix", &[], indented.as_bytes());
    assert_eq!(status, Some(1));
    assert!(err.contains("; a message of json is one object on one line"), "{err}");
    let array = format!("[{}]\n", json.trim_end());
    let (status, _, err) = convert("json", "fix", &[], array.as_bytes());
    assert_eq!(status, Some(1));
    assert!(err.contains("without a message of json, which is one object on one line"), "{err}");

    let idl = folder("frames").join("own.idl");
    fs::write(&idl, "struct P { long x; };").expect("a file");
    let schema = ["--schema", idl.to_str().expect("text")];
    let frames = [4, 0, 0, 0, 0, 0, 0, 7].repeat(3);
    let (status, _, err) = convert("cdr-be", "json", &schema, &frames);
    assert_eq!(status, Some(1));
    assert!(
        err.contains("; it looks like messages behind their lengths, which --framed reads"),
        "{err}"
    );
    let (status, out, _) = run(&["decode"], b"\0\x01\x02 of no format\n");
    assert_eq!(status, Some(1));
    assert!(out.contains("of no format that is known"), "{out}");
}

/// A label of a union is printed so that it is read again.
#[test]
fn labels_of_unions_are_printed_as_literals() {
    let folder = folder("labels");
    let (own, again) = (folder.join("own.idl"), folder.join("again.idl"));
    let idl = "union Labels switch (char) { case '\\n': long a; case '\\'': long b; case '\\\\': long c; case '\\t': long d; \
        case '\"': long e; case '\\0': long f; case '\\xe9': long g; case 'x': long h; };";
    fs::write(&own, idl).expect("a file");
    let (status, first, err) = run(&["schema", own.to_str().expect("text"), "--idl"], b"");
    assert_eq!(status, Some(0), "{err}");
    for label in ["'\\n'", "'\\''", "'\\\\'", "'\\t'", "'\\\"'", "'\\x00'", "'\\xE9'", "'x'"] {
        assert!(first.contains(&format!("case {label}: long ")), "{label}: {first}");
    }
    fs::write(&again, &first).expect("a file");
    let (status, second, err) = run(&["schema", again.to_str().expect("text"), "--idl"], b"");
    assert_eq!((status, second), (Some(0), first), "{err}");
}

/// No schema is printed of what is not written as XML.
#[test]
fn a_schema_is_of_what_can_be_written() {
    let idl = folder("xsd").join("own.idl");
    let text = "union U switch (long) { case 1: long id; case 2: string s; }; struct Q { long id; U choice; };";
    fs::write(&idl, text).expect("a file");
    let schema = ["schema", idl.to_str().expect("text"), "--xsd"];
    let (_, out, err) = run(&schema, b"");
    assert!(!out.contains("name=\"Q\""), "{out}");
    assert!(
        err.contains("left out: Q: choice/id: not supported: two elements id beside each other"),
        "{err}"
    );
}

/// What several messages lack for the same reason is said once.
#[test]
fn what_a_schema_leaves_out_is_told_once() {
    let schema = folder("xsd-notes").join("own.xsd");
    let text = r#"<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:m" xmlns:m="urn:m">
      <xs:complexType name="S"><xs:sequence><xs:element name="x" type="xs:int" minOccurs="0"/></xs:sequence></xs:complexType>
      <xs:complexType name="T"><xs:sequence><xs:element name="s" type="m:S"/>
        <xs:any processContents="lax" minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:complexType>
      <xs:element name="a"><xs:complexType><xs:sequence><xs:element name="t" type="m:T" maxOccurs="9"/></xs:sequence></xs:complexType></xs:element>
      <xs:element name="b"><xs:complexType><xs:sequence><xs:element name="t" type="m:T" maxOccurs="9"/></xs:sequence></xs:complexType></xs:element>
      <xs:element name="c"><xs:complexType><xs:sequence><xs:element name="s" type="m:S"/></xs:sequence></xs:complexType></xs:element>
    </xs:schema>"#;
    fs::write(&schema, text).expect("a file");
    let (status, out, err) = run(&["schema", schema.to_str().expect("text"), "--xsd"], b"");
    assert!(status == Some(0) && out.contains("name=\"c\""), "{out}{err}");
    let lines: Vec<&str> = err.lines().collect();
    let left_out =
        "left out: {urn:m}a, {urn:m}b: any of T takes elements of any name, and s beside it";
    let otherwise = "said otherwise: c/s: what holds nothing that has to be there may be absent (minOccurs=\"0\")";
    assert!(lines.len() == 2 && lines[0].starts_with(left_out), "{err}");
    assert!(lines[1].starts_with(otherwise), "{err}");
}

/// An element of no namespace has the name of its message, whatever others are called.
#[test]
fn elements_of_one_name_in_several_namespaces_are_told_apart() {
    let folder = folder("namespaces");
    let (own, other) = (folder.join("own.xsd"), folder.join("other.xsd"));
    let schema = |head: &str, of: &str| {
        format!(
            "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema' {head}<xs:element name='e' type='xs:{of}'/></xs:schema>"
        )
    };
    let import = "><xs:import namespace='urn:o' schemaLocation='other.xsd'/>";
    fs::write(&own, schema(import, "int")).expect("a file");
    fs::write(&other, schema("targetNamespace='urn:o'>", "boolean")).expect("a file");
    let own = own.to_str().expect("text");
    for (document, json) in [
        ("<e>7</e>", r#"{"e":{"value":7}}"#),
        ("<e xmlns='urn:o'>true</e>", r#"{"e":{"value":true}}"#),
    ] {
        let (status, out, err) = convert("xml", "json", &["--schema", own], document.as_bytes());
        assert_eq!((status, out.trim_end(), &*err), (Some(0), json, ""), "{document}");
    }
    let written = folder.join("out");
    let arguments = ["schema", own, "--xsd", "--folder", written.to_str().expect("text")];
    let (status, out, err) = run(&arguments, b"");
    assert!(status == Some(0) && out.lines().count() == 2 && err.is_empty(), "{out}{err}");
}

/// A venue's own names and types hold, whatever the standard says.
#[test]
fn a_wrong_message_has_the_names_of_its_dictionary() {
    let schema = folder("names").join("own.xml");
    let dictionary = r#"<fix type="FIX" major="4" minor="4">
        <header><field name="BeginString" required="Y"/><field name="BodyLength" required="Y"/><field name="MsgType" required="Y"/></header>
        <trailer><field name="CheckSum" required="Y"/></trailer>
        <messages><message name="Nest" msgtype="N" msgcat="app"><field name="Mark" required="Y"/><field name="Grade" required="N"/></message></messages>
        <components/>
        <fields><field number="8" name="BeginString" type="STRING"/><field number="9" name="BodyLength" type="LENGTH"/>
        <field number="35" name="MsgType" type="STRING"/><field number="10" name="CheckSum" type="STRING"/>
        <field number="11" name="Mark" type="STRING"/><field number="5200" name="Grade" type="CHAR"/></fields></fix>"#;
    fs::write(&schema, dictionary).expect("our own folder");
    let schema = schema.to_str().expect("text");
    let check = ["decode", "--check", "--schema", schema];
    let good = framed("FIX.4.4", "35=N|11=x|5200=y|");
    let (status, out, err) = run(&check, good.as_bytes());
    assert_eq!(status, Some(0), "{out}{err}");
    let (status, out, _) = run(&check, framed("FIX.4.4", "35=N|11=x|5200=xy|").as_bytes());
    assert_eq!(status, Some(1), "{out}");
    assert!(out.contains("Grade: \"xy\" is no single character (type)"), "{out}");
    let cut = good.replace("10=", "10=9");
    for arguments in [&check[..], &[&check[..], &["--json"]].concat()] {
        let (status, out, _) = run(arguments, cut.as_bytes());
        assert_eq!(status, Some(1), "{out}");
        assert!(out.contains("Nest") && out.contains("Mark") && out.contains("Grade"), "{out}");
        assert!(!out.contains("ListStatus") && !out.contains("ClOrdID"), "{out}");
    }
}

#[test]
fn a_message_of_cdr_may_be_of_one_byte_and_a_capture_is_none() {
    let idl = folder("short").join("short.idl");
    fs::write(&idl, "struct Flag { boolean v; }; struct Name { string v; };").expect("our folder");
    let idl = idl.to_str().expect("text");
    for (name, json) in [
        ("Flag", "{\"v\":true}\n{\"v\":false}\n"),
        ("Name", "{\"v\":\"\"}\n{\"v\":\"abc\"}\n{\"v\":\"a\"}\n{\"v\":\"abcdefghij\"}\n"),
    ] {
        let more = ["--schema", idl, "--type", name];
        let (status, hex, err) = convert("json", "cdr-be", &more, json.as_bytes());
        assert_eq!((status, &*err), (Some(0), ""), "{hex}");
        let (status, again, err) = convert("cdr-be", "json", &more, hex.as_bytes());
        let named: String = json.lines().map(|it| format!("{{\"{name}\":{it}}}\n")).collect();
        assert_eq!((status, again, &*err), (Some(0), named, ""), "{hex}");
    }
    let capture = [&b"\xd4\xc3\xb2\xa1\x02\x00\x04\x00"[..], &[0; 16]].concat();
    let (status, out, err) = convert("fix", "json", &[], &capture);
    assert_eq!((status, &*out), (Some(2), ""), "{err}");
    assert!(err.contains("it is a capture of a network, which `trunkline decode` reads"), "{err}");
}

/// Operations of documents whose messages begin with the same element, and differ in what stands behind it.
const PARTS: &str = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:t" targetNamespace="urn:t"
    xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:x="http://www.w3.org/2001/XMLSchema">
  <types><x:schema targetNamespace="urn:t">
    <x:element name="id" type="x:string"/><x:element name="size" type="x:int"/><x:element name="side" type="x:string"/>
    <x:element name="flag" type="x:string"/>
  </x:schema></types>
  <message name="one"><part name="a" element="t:id"/></message>
  <message name="two"><part name="a" element="t:id"/><part name="b" element="t:size"/></message>
  <message name="three"><part name="a" element="t:id"/><part name="b" element="t:size"/><part name="c" element="t:side"/></message>
  <message name="turned"><part name="b" element="t:side"/><part name="a" element="t:flag"/></message>
  <message name="flagged"><part name="a" element="t:flag"/><part name="b" element="t:side"/></message>
  <portType name="P"><operation name="cancel"><input message="t:one"/><output message="t:one"/></operation>
    <operation name="amend"><input message="t:two"/><output message="t:three"/></operation>
    <operation name="turn"><input message="t:turned"/><output message="t:flagged"/></operation></portType>
  <binding name="B" type="t:P"><soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
    <operation name="cancel"><input><soap:body use="literal"/></input><output><soap:body use="literal"/></output></operation>
    <operation name="amend"><input><soap:body use="literal"/></input><output><soap:body use="literal"/></output></operation>
    <operation name="turn"><input><soap:body use="literal"/></input><output><soap:body use="literal"/></output></operation>
  </binding>
  <service name="S"><port name="p" binding="t:B"><soap:address location="http://h/s"/></port></service>
</definitions>"#;

/// All elements of a Body say which operation's message it is, and not the first alone.
#[test]
fn a_message_of_several_parts_is_not_taken_for_one_of_fewer() {
    let folder = folder("parts");
    let wsdl = folder.join("parts.wsdl");
    fs::write(&wsdl, PARTS).expect("a file");
    let wsdl = wsdl.to_str().expect("text");
    let read = |body: &str, more: &[&str]| {
        let envelope = format!(
            "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/' xmlns:t='urn:t'><e:Body>{body}</e:Body></e:Envelope>"
        );
        convert("soap-1.1", "json", &[&["--schema", wsdl], more].concat(), envelope.as_bytes())
    };
    for (body, json) in [
        ("<t:id>A</t:id>", r#"{"id":{"value":"A"}}"#),
        ("<t:id>A</t:id> <t:size>3</t:size>", r#"{"amend":{"id":"A","size":3}}"#),
        (
            "<t:id>A</t:id><t:size>3</t:size><t:side>buy</t:side>",
            r#"{"amendResponse":{"id":"A","size":3,"side":"buy"}}"#,
        ),
        ("<t:side>buy</t:side><t:flag>x</t:flag>", r#"{"turn":{"side":"buy","flag":"x"}}"#),
        ("<t:flag>x</t:flag><t:side>buy</t:side>", r#"{"turnResponse":{"flag":"x","side":"buy"}}"#),
    ] {
        let (status, out, err) = read(body, &[]);
        assert_eq!((status, out.trim_end(), &*err), (Some(0), json, ""), "{body}");
    }
    let body = "<t:id>A</t:id><t:side>buy</t:side>";
    let (status, out, err) = read(body, &[]);
    assert_eq!((status, &*out), (Some(1), ""), "{err}");
    let why = "its Body has {urn:t}id, {urn:t}side, and no operation takes or answers just that; \
               name its type (--type): cancel, amend, amend/response";
    assert!(err.contains(why), "{err}");
    // Who names the type is told what is wrong with it.
    let (status, _, err) = read(body, &["--type", "amend"]);
    assert!(status == Some(1) && err.contains("size"), "{err}");
    let envelope = "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/' xmlns:t='urn:t'><e:Body>\
                    <t:id>A</t:id><t:size>3</t:size></e:Body></e:Envelope>";
    let (status, out, err) = run(&["decode", "--schema", wsdl], envelope.as_bytes());
    assert!(status == Some(0) && out.contains(", amend, "), "{out}{err}");
}

/// An element of an abstract type is a document by its `xsi:type`, though a WSDL has it in a Body.
#[test]
fn an_element_of_an_abstract_type_is_a_document() {
    let wsdl = folder("abstract").join("base.wsdl");
    fs::write(&wsdl, BASE).expect("a file");
    let schema = ["--schema", wsdl.to_str().expect("text")];
    let xsi = "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"";
    let document = format!("<base xmlns=\"urn:t\" {xsi} xsi:type=\"One\"><n>a</n><x>1</x></base>");
    let (status, out, err) = run(&[&["decode"], &schema[..]].concat(), document.as_bytes());
    assert!(status == Some(0) && out.contains(", One, "), "{out}{err}");
    let (status, json, err) = convert("xml", "json", &schema, document.as_bytes());
    assert_eq!((status, json.trim()), (Some(0), r#"{"One":{"n":"a","x":1}}"#), "{err}");
    let (status, out, err) = convert("json", "xml", &schema, json.trim());
    assert_eq!(status, Some(0), "{err}");
    assert!(out.starts_with("<ns:base xmlns:ns=\"urn:t\"") && out.contains("ns:One"), "{out}");
    // The Body itself is no document.
    let body = r#"{"base":{"base":{"One":{"n":"a","x":1}}}}"#;
    let (status, out, err) = convert("json", "xml", &schema, body);
    assert_eq!((status, &*out), (Some(1), ""), "{err}");
    assert!(err.contains("xml has no form for base"), "{err}");
    let (status, out, err) = convert("json", "soap-1.1", &schema, body);
    assert!(status == Some(0) && out.contains(":Body"), "{out}{err}");
}

const BASE: &str = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:t" targetNamespace="urn:t"
    xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:x="http://www.w3.org/2001/XMLSchema">
  <types><x:schema targetNamespace="urn:t" elementFormDefault="qualified">
    <x:complexType name="Base" abstract="true"><x:sequence><x:element name="n" type="x:string"/></x:sequence></x:complexType>
    <x:complexType name="One"><x:complexContent><x:extension base="t:Base"><x:sequence><x:element name="x" type="x:int"/></x:sequence>
      </x:extension></x:complexContent></x:complexType><x:element name="base" type="t:Base"/></x:schema></types>
  <message name="in"><part name="p" element="t:base"/></message>
  <portType name="P"><operation name="base"><input message="t:in"/></operation></portType>
  <binding name="B" type="t:P"><soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
    <operation name="base"><input><soap:body use="literal"/></input></operation></binding>
  <service name="S"><port name="p" binding="t:B"><soap:address location="http://h/s"/></port></service>
</definitions>"#;

const NOTES: &str = r#"<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:m" elementFormDefault="qualified">
  <xs:element name="notes"><xs:complexType><xs:sequence>
    <xs:element name="a" type="xs:string" default=" x "/>
    <xs:element name="f" type="xs:string" fixed=" y " minOccurs="0"/>
    <xs:element name="t" type="xs:token" default=" z  z " />
    <xs:element name="may" type="xs:string" nillable="true" minOccurs="0"/>
    <xs:element name="when" type="xs:dateTime" minOccurs="0"/>
    </xs:sequence><xs:attribute name="d" type="xs:string" default="  two  "/><xs:anyAttribute processContents="lax"/></xs:complexType></xs:element>
</xs:schema>"#;

/// Converts the element `notes` of this content and these attributes from XML.
fn notes(test: &str, to: &str, attributes: &str, content: &str) -> (Option<i32>, String, String) {
    let schema = folder(test).join("notes.xsd");
    fs::write(&schema, NOTES).expect("a file");
    let schema = schema.to_str().expect("text");
    let document = format!(
        "<notes xmlns='urn:m' xmlns:i='http://www.w3.org/2001/XMLSchema-instance'{attributes}>{content}</notes>"
    );
    convert("xml", to, &["--schema", schema], document.as_bytes())
}

#[test]
fn attributes_of_xml_are_kept_or_named() {
    let (of_all, of_one) = (" xml:lang='de' xml:space='preserve'", "<a xml:id='u'>1</a><t>2</t>");
    for to in ["xml", "soap-1.2"] {
        let (status, out, err) = notes("xml-attributes", to, of_all, of_one);
        assert_eq!((status, &*err), (Some(0), ""), "{out}");
        for kept in [" xml:lang=\"de\"", " xml:space=\"preserve\"", "a xml:id=\"u\""] {
            assert!(out.contains(kept), "{out} has no {kept}");
        }
        assert!(!out.contains("kept1"), "{out}");
    }
    let (status, out, err) = notes("xml-attributes", "json", of_all, of_one);
    assert_eq!((status, &*out), (Some(1), ""), "{err}");
    let why = "({http://www.w3.org/XML/1998/namespace}lang=\"de\"), and json does not hold such";
    assert!(err.contains(why), "{err}");
}

/// They are part of a value of `xs:string`.
#[test]
fn blanks_of_defaults_and_of_what_is_fixed_are_kept() {
    let (status, out, err) = notes("defaults", "json", "", "<a/><f/><t/>");
    let expected = r#"{"notes":{"a":" x ","f":" y ","t":"z z","d":"  two  "}}"#;
    assert_eq!((status, out.trim_end(), &*err), (Some(0), expected, ""));
}

#[test]
fn what_may_not_be_nil_is_not_taken_for_absent() {
    let (status, out, err) = notes("nil", "json", "", "<a>1</a><t>2</t><may i:nil='true'/>");
    assert_eq!((status, &*err), (Some(0), ""), "{out}");
    for content in ["<a>1</a><f i:nil='true'/><t>2</t>", "<a>1</a><t>2</t><when i:nil='1'/>"] {
        for to in ["json", "soap-1.1", "xml"] {
            let (status, out, err) = notes("nil", to, "", content);
            assert_eq!((status, &*out), (Some(1), ""), "{content}: {err}");
            let why = "it is nil, and its element is not nillable: it would be absent";
            assert!(err.contains("/notes/") && err.contains(why), "{content}: {err}");
        }
    }
    // By another schema it may be, and is written in Fast Infoset.
    let other = folder("nil-other").join("notes.xsd");
    let may_be = NOTES.replace(
        "\"when\" type=\"xs:dateTime\" minOccurs=\"0\"",
        "\"when\" type=\"xs:dateTime\" nillable=\"true\"",
    );
    fs::write(&other, may_be).expect("a file");
    let document = "<notes xmlns='urn:m' xmlns:i='http://www.w3.org/2001/XMLSchema-instance'><a>1</a><t>2</t><when i:nil='1'/></notes>";
    let more = ["--schema", other.to_str().expect("text")];
    let (status, binary, err) = convert("xml", "fast-infoset", &more, document.as_bytes());
    assert_eq!((status, &*err), (Some(0), ""), "{binary}");
    let (status, _, err) = convert("fast-infoset", "json", &more, binary.as_bytes());
    assert_eq!((status, &*err), (Some(0), ""));
    let own = folder("nil-own").join("notes.xsd");
    fs::write(&own, NOTES).expect("a file");
    let more = ["--schema", own.to_str().expect("text")];
    let (status, out, err) = convert("fast-infoset", "json", &more, binary.as_bytes());
    assert_eq!((status, &*out), (Some(1), ""), "{err}");
    assert!(err.contains("/notes/when: it is nil, and its element is not nillable"), "{err}");
    // That it is not nil may be said.
    let (status, _, err) = notes("nil", "json", "", "<a i:nil='false'>1</a><t>2</t>");
    assert_eq!((status, &*err), (Some(0), ""));
}

/// There is no year 0 in XML Schema 1.0.
#[test]
fn a_moment_before_the_first_year_is_out_of_range() {
    let of = |moment: &str| {
        notes("years", "json", "", &format!("<a>1</a><t>2</t><when>{moment}</when>"))
    };
    for (moment, in_utc) in [
        ("0001-01-01T00:00:00", "0001-01-01T00:00:00.000"),
        ("0001-01-01T00:00:00-01:00", "0001-01-01T01:00:00.000Z"),
        ("0001-01-01T01:00:00+01:00", "0001-01-01T00:00:00.000Z"),
    ] {
        let (status, out, err) = of(moment);
        assert!(status == Some(0) && out.contains(in_utc), "{moment}: {out}{err}");
    }
    let (status, out, err) = of("0001-01-01T00:00:00+01:00");
    assert_eq!((status, &*out), (Some(1), ""), "{err}");
    assert!(err.contains("when at byte ") && err.contains("it is out of range"), "{err}");
}

/// What stands inside of a document that is rejected is no message.
#[test]
fn of_a_document_that_is_rejected_nothing_is_written() {
    let schema = folder("rejected").join("node.xsd");
    let text = "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'><xs:element name='node' type='node'/>\
        <xs:complexType name='node'><xs:sequence><xs:element name='node' type='node' minOccurs='0'/>\
        </xs:sequence></xs:complexType></xs:schema>";
    fs::write(&schema, text).expect("a file");
    let schema = ["--schema", schema.to_str().expect("text")];
    // It is too deep, and what follows it is read.
    let deep = format!("{}{}\n<node/>\n", "<node>".repeat(400), "</node>".repeat(400));
    let (status, out, err) = convert("xml", "json", &schema, deep.as_bytes());
    assert_eq!((status, out.lines().count(), err.lines().count()), (Some(1), 1, 1), "{out}{err}");
    assert!(err.contains("1 (byte 0)") && err.contains("depth"), "{err}");
    let (_, out, _) = run(&["decode"], deep.as_bytes());
    assert_eq!(out.lines().filter(|it| it.starts_with("-:")).count(), 2, "{out:.2000}");
    // Where it ends is not known, so that the rest is not read, and that is said.
    let entity =
        "<?xml version='1.0'?>\n<!DOCTYPE node [\n<!ENTITY x \"\n<node/>\n\">\n]>\n<node/>\n";
    let (status, out, err) = convert("xml", "json", &schema, entity.as_bytes());
    assert_eq!((status, &*out), (Some(1), ""), "{err}");
    assert!(err.contains("document type") && err.contains("from line 1 (byte 0) on"), "{err}");
}

/// What is no JSON is told as such, and not as a message whose type is not named.
#[test]
fn what_is_no_json_is_told_without_a_type() {
    for (text, words) in [
        (r#"{"Order": {"Side" 1}}"#, "at byte 1"),
        (r#"{Order: 1}"#, "at byte 1"),
        (r#"{"a": 1,}"#, "at byte 8"),
    ] {
        let (status, out, err) = convert("json", "fix", &[], text.as_bytes());
        assert_ne!(status, Some(0), "{text}: {out}");
        assert!(err.contains(words) && !err.contains("does not say which"), "{text}: {err}");
    }
    let (_, _, err) = convert("json", "fix", &[], br#"{"a": 1}"#);
    assert!(err.contains("json does not say which message it is"), "{err}");
}

/// Values in quotes and with blanks are shown as they stand, and items of lists say what they take.
#[test]
fn a_value_that_is_wrong_is_shown_as_it_stands() {
    let schema = folder("shown").join("colors.xsd");
    let text = "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'><xs:simpleType name='color'>\
        <xs:restriction base='xs:string'><xs:enumeration value='red'/><xs:enumeration value='green'/>\
        </xs:restriction></xs:simpleType><xs:element name='m'><xs:complexType><xs:sequence>\
        <xs:element name='c' type='color' maxOccurs='unbounded'/></xs:sequence></xs:complexType>\
        </xs:element></xs:schema>";
    fs::write(&schema, text).expect("a file");
    let schema = ["--schema", schema.to_str().expect("text")];
    let (status, _, err) =
        convert("json", "xml", &schema, b"{\"m\":{\"c\":[\"red\",\"pi:nk\"]}}\n");
    assert_eq!(status, Some(1));
    assert!(
        err.contains("c[1] at byte ") && err.contains("it is \"pi:nk\", and it takes red, green"),
        "{err}"
    );
    let (status, _, err) = convert("fix", "json", &[], order("44= 1|").as_bytes());
    assert_eq!(status, Some(1));
    assert!(err.contains("it is \" 1\""), "{err}");
}

/// FIX has leap seconds, and JSON; the times of XML Schema have none.
#[test]
fn a_leap_second_is_not_written_as_xml() {
    let at = |second: &str| {
        let header =
            HEADER.replace("20260105-09:30:01.456", &format!("20261231-23:59:{second}.456"));
        framed("FIX.4.4", &format!("{header}{ORDER}"))
    };
    for to in ["xml", "soap-1.1", "soap-1.2", "fast-infoset"] {
        let (status, out, err) = convert("fix", to, &[], at("60"));
        assert_eq!((status, &*out), (Some(1), ""), "{to}: {err}");
        let why = "SendingTime at byte 0: cannot be written: it is a leap second, which XML Schema has no form for";
        assert!(err.contains(why), "{to}: {err}");
        let (status, out, err) = convert("fix", to, &[], at("59"));
        assert_eq!((status, out.is_empty()), (Some(0), false), "{to}: {err}");
    }
    let (status, json, err) = convert("fix", "json", &[], at("60"));
    assert!(status == Some(0) && json.contains("23:59:60"), "{err}");
    let (status, back, err) = convert("json", "fix", &[], json);
    assert!(status == Some(0) && back.contains("52=20261231-23:59:60.456\u{1}"), "{err}");
}
