//! Nil, as users see it: items of lists, members that have to be said, attributes of what is nil, values that are encoded.

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

use super::said;
use super::served::Served;

const MEMBERS: &str = r#"<complexType><sequence>
    <element name="many" type="string" nillable="true" minOccurs="0" maxOccurs="unbounded"/>
    <element name="names" type="t:ArrayOfString" minOccurs="0"/>
    <element name="counts" type="t:ArrayOfInt" minOccurs="0"/>
    <element name="legs" type="t:ArrayOfLeg" minOccurs="0"/>
    <element name="note" type="string" nillable="true"/>
    <element name="main" type="t:Leg" nillable="true"/></sequence></complexType>"#;

/// As .NET declares lists.
fn literal() -> String {
    let element = |name: &str| format!("<element name=\"{name}\">{MEMBERS}</element>");
    let array = |name: &str, item: &str, of: &str| {
        format!(
            "<complexType name=\"{name}\"><sequence><element name=\"{item}\" type=\"{of}\" nillable=\"true\" \
             minOccurs=\"0\" maxOccurs=\"unbounded\"/></sequence></complexType>"
        )
    };
    let types = [
        array("ArrayOfString", "string", "string"),
        array("ArrayOfInt", "int", "int"),
        array("ArrayOfLeg", "Leg", "t:Leg"),
        element("list"),
        element("listResponse"),
    ];
    format!(
        r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:t"
    xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" targetNamespace="urn:t">
  <types><schema xmlns="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t" targetNamespace="urn:t"
      elementFormDefault="qualified">
    <complexType name="Leg"><sequence><element name="symbol" type="string"/></sequence>
      <attribute name="id" type="int"/></complexType>{}</schema></types>
  <message name="In"><part name="p" element="t:list"/></message>
  <message name="Out"><part name="p" element="t:listResponse"/></message>
  <portType name="T"><operation name="list"><input message="t:In"/><output message="t:Out"/></operation></portType>
  <binding name="B" type="t:T"><soap:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>
    <operation name="list"><soap:operation soapAction="urn:list"/><input><soap:body use="literal"/></input>
      <output><soap:body use="literal"/></output></operation></binding>
  <service name="Lists"><port name="ListsPort" binding="t:B"><soap:address location="http://h/lists"/></port></service>
</definitions>"#,
        types.concat()
    )
}

fn envelope(members: &str) -> String {
    format!(
        "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/' \
         xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'><e:Body><list xmlns='urn:t'>{members}</list>\
         </e:Body></e:Envelope>"
    )
}

pub(crate) fn run(
    served: &Served,
    arguments: &[&str],
    input: &str,
) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trunkline"));
    command.args(arguments).current_dir(&served.folder);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program runs");
    let mut stdin = child.stdin.take().expect("it is piped");
    // One that fails at once does not read it.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// Lines without what aligns them.
fn lines(text: &str) -> Vec<String> {
    let joined = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    text.lines().map(joined).collect()
}

#[track_caller]
pub(crate) fn has_line(text: &str, line: &str) {
    assert!(lines(text).iter().any(|it| it == line), "no line {line:?} in {text}");
}

const NIL: &str = "xsi:nil='true'";

#[test]
fn nil_items_are_decoded_and_converted_at_their_places() {
    let served = Served::of("nil-decoded", &literal());
    let list = envelope(&format!(
        "<many>a</many><many {NIL}/><many>b</many><names><string {NIL}/></names>\
         <counts><int>1</int><int {NIL}/></counts>\
         <legs><Leg id='1'><symbol>S</symbol></Leg><Leg {NIL}/></legs><note {NIL}/><main {NIL}/>"
    ));
    let decode = ["decode", "--schema", "quotes.wsdl", "--check"];
    let (status, out, err) = run(&served, &decode, &list);
    assert_eq!((status, &*err), (Some(0), ""), "{out}");
    for line in ["many a, nil, b", "string nil", "int 1, nil", "[1] nil"] {
        has_line(&out, line);
    }
    let convert = |from: &str, to: &str, input: &str| {
        let arguments = ["convert", "--from", from, "--to", to, "--schema", "quotes.wsdl"];
        run(&served, &arguments, input)
    };
    let right = |from: &str, to: &str, input: &str| {
        let (status, out, err) = convert(from, to, input);
        assert_eq!((status, &*err), (Some(0), ""), "{from} to {to}: {out}");
        out
    };
    let json = right("soap-1.1", "json", &list);
    let expected = "{\"list\":{\"many\":[\"a\",null,\"b\"],\"names\":{\"string\":[null]},\
        \"counts\":{\"int\":[1,null]},\"legs\":{\"Leg\":[{\"symbol\":\"S\",\"id\":1},null]}}}\n";
    assert_eq!(json, expected);
    for format in ["soap-1.1", "soap-1.2", "xml"] {
        let text = right("json", format, &json);
        assert_eq!(text.matches("xsi:nil=\"true\"").count(), 6, "{text}");
        assert_eq!(right(format, "json", &text), json, "{format}");
    }
    let (status, out, err) = convert("soap-1.1", "cdr-be", &list);
    assert_eq!((status, &*out), (Some(1), ""), "{err}");
    assert!(err.contains("many[1] ") && err.contains("it is nil, which cannot be said"), "{err}");
}

/// XML Schema part 1 section 2.6.2: it may have attributes.
#[test]
fn what_is_nil_keeps_its_attributes() {
    let served = Served::of("nil-attributes", &literal());
    let list = envelope(&format!(
        "<legs><Leg {NIL} id='7'/><Leg id='8'><symbol>S</symbol></Leg></legs><note>n</note><main id='9' {NIL}/>"
    ));
    let decode = ["decode", "--schema", "quotes.wsdl", "--check"];
    let (status, out, err) = run(&served, &decode, &list);
    assert_eq!((status, &*err), (Some(0), ""), "{out}");
    for line in ["[0] nil", "id 7", "id 8", "main nil", "id 9"] {
        has_line(&out, line);
    }
    let convert = |to: &str| {
        let arguments = ["convert", "--from", "soap-1.1", "--to", to, "--schema", "quotes.wsdl"];
        run(&served, &arguments, &list)
    };
    let (status, out, err) = convert("soap-1.2");
    assert_eq!((status, &*err), (Some(0), ""), "{out}");
    for words in ["Leg xsi:nil=\"true\" id=\"7\"/>", "main xsi:nil=\"true\" id=\"9\"/>"] {
        assert!(out.contains(words), "no {words} in {out}");
    }
    let (status, out, err) = convert("json");
    assert_eq!((status, &*out), (Some(1), ""), "{err}");
    assert!(err.contains("Leg[0] ") && err.contains("it is nil and has attributes"), "{err}");
}

#[test]
fn nil_items_are_described_called_and_served() {
    let mut served = Served::of("nil-served", &literal());
    let described = served.describe("quotes.wsdl");
    for line in ["many text 0..n nillable", "string text 0..n nillable", "int i32 0..n nillable"] {
        has_line(&described, line);
    }
    let (status, out, err) = run(&served, &["schema", "quotes.wsdl", "list"], "");
    assert_eq!((status, &*err), (Some(0), ""), "{out}");
    assert_eq!(out.matches("field(nil_items = \"true\")").count(), 4, "{out}");
    let (status, out, err) = run(&served, &["schema", "quotes.wsdl", "--rust"], "");
    assert_eq!(status, Some(0), "{err}");
    for of in ["Text", "i32", "Leg"] {
        assert!(out.contains(&format!(": Vec<Option<{of}>>,")), "no list of {of} in {out}");
    }

    fs::create_dir(served.folder.join("answers")).expect("a folder");
    let answer = r#"{"many": ["x", null], "legs": {"Leg": [null, {"symbol": "A"}]}, "note": null, "main": null}"#;
    fs::write(served.folder.join("answers/list.json"), answer).expect("a file");
    let started = served.start_all(&["--answers", "answers"]);
    let url = started[0].split(' ').next().expect("a URL");
    let expected = "many[0] = x\nmany[1]:nil = \nlegs.Leg[0]:nil = \nlegs.Leg[1].symbol = A\n\
        note:nil = \nmain:nil = \n";
    let keys = [
        "many[0]=a",
        "many[1]:nil=",
        "many[2]=b",
        "names.string:nil=",
        "legs.Leg[0].symbol=S",
        "legs.Leg[1]:nil=",
        "note=n",
        "main:nil=",
    ];
    let json = r#"{"many": [null, "a"], "counts": {"int": [null, 1]}, "legs": {"Leg": [null]}, "note": null, "main": null}"#;
    let xml = format!(
        "<list xmlns='urn:t' xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'><many {NIL}/>\
         <legs><Leg {NIL} id='1'/></legs><note {NIL}/><main {NIL} id='2'/></list>"
    );
    for arguments in [&keys[..], &["--body", json], &["--body", &xml]] {
        let (status, out, err) = said(&[&[url, "list"], arguments].concat());
        assert_eq!((status, &*out), (Some(0), expected), "{arguments:?}: {err}{}", served.log());
    }
    let (status, out, err) = said(&[&[url, "list", "--dry-run"], &keys[..]].concat());
    assert_eq!(status, Some(0), "{err}");
    assert_eq!(out.matches("xsi:nil=\"true\"/>").count(), 4, "{out}");
}

#[test]
fn a_member_that_may_be_nil_has_to_be_said() {
    let mut served = Served::of("nil-said", &literal());
    let started = served.start_all(&[]);
    let url = started[0].split(' ').next().expect("a URL");
    for (json, path) in [
        ("{}", "note"),
        (r#"{"list": {"note": null}}"#, "main"),
        (r#"{"note": "n", "many": ["a"]}"#, "main"),
    ] {
        let (status, out, err) = said(&[url, "list", "--body", json]);
        assert_eq!((status, &*out), (Some(2), ""), "{json}: {err}");
        let why = "it is missing, and has to be there; null says that it is nil";
        assert!(err.contains(&format!(": {path}: {why}")), "{json}: {err}");
    }
    let (status, _, err) = said(&[url, "list", "--body", r#"{"note": null, "main": null}"#]);
    assert_eq!(status, Some(0), "{err}");
}

/// SOAP 1.1 section 5.1: as Axis sends parameters and items that are null.
#[test]
fn encoded_values_that_are_nil_are_served() {
    let wsdl = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:t"
        xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" xmlns:xsd="http://www.w3.org/2001/XMLSchema"
        xmlns:enc="http://schemas.xmlsoap.org/soap/encoding/"
        xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" targetNamespace="urn:t">
      <types><xsd:schema targetNamespace="urn:t">
        <xsd:complexType name="Pair"><xsd:all><xsd:element name="left" type="xsd:int"/></xsd:all></xsd:complexType>
        <xsd:complexType name="Names"><xsd:complexContent><xsd:restriction base="enc:Array">
          <xsd:attribute ref="enc:arrayType" wsdl:arrayType="xsd:string[]"/></xsd:restriction></xsd:complexContent></xsd:complexType>
        <xsd:complexType name="Pairs"><xsd:complexContent><xsd:restriction base="enc:Array">
          <xsd:attribute ref="enc:arrayType" wsdl:arrayType="t:Pair[]"/></xsd:restriction></xsd:complexContent></xsd:complexType>
        <xsd:complexType name="Numbers"><xsd:complexContent><xsd:restriction base="enc:Array">
          <xsd:attribute ref="enc:arrayType" wsdl:arrayType="xsd:int[]"/></xsd:restriction></xsd:complexContent></xsd:complexType>
      </xsd:schema></types>
      <message name="In"><part name="numbers" type="t:Numbers"/><part name="a" type="xsd:int"/><part name="text" type="xsd:string"/><part name="pair" type="t:Pair"/>
        <part name="names" type="t:Names"/><part name="pairs" type="t:Pairs"/></message>
      <message name="Out"><part name="text" type="xsd:string"/><part name="names" type="t:Names"/>
        <part name="numbers" type="t:Numbers"/></message>
      <portType name="T"><operation name="ask"><input message="t:In"/><output message="t:Out"/></operation></portType>
      <binding name="B" type="t:T"><soap:binding style="rpc" transport="http://schemas.xmlsoap.org/soap/http"/>
        <operation name="ask"><soap:operation soapAction="urn:ask"/><input>
        <soap:body use="encoded" namespace="urn:t" encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"/>
      </input><output><soap:body use="encoded" namespace="urn:t" encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"/>
      </output></operation></binding>
      <service name="S"><port name="P" binding="t:B"><soap:address location="http://h/ask"/></port></service>
    </definitions>"#;
    let mut served = Served::of("nil-encoded", wsdl);
    fs::create_dir(served.folder.join("answers")).expect("a folder");
    let file = served.folder.join("answers/ask.json");
    fs::write(&file, r#"{"names": ["x"], "numbers": []}"#).expect("a file");
    let err = served.failure(&["--listen", "127.0.0.1:0", "--answers", "answers"]);
    assert!(err.contains("text: it is missing, and has to be there; null says"), "{err}");
    fs::write(&file, r#"{"text": null, "names": ["x", null], "numbers": [null, -7]}"#)
        .expect("a file");
    let started = served.start_all(&["--answers", "answers"]);
    let url = started[0].split(' ').next().expect("a URL");
    let nothing = ["a:nil=", "text:nil=", "pair:nil=", "names:nil=", "pairs:nil=", "numbers:nil="];
    let items = [
        "a=1",
        "text=t",
        "pair.left=2",
        "names[0]:nil=",
        "names[1]=n",
        "pairs[0].left=3",
        "pairs[1]:nil=",
        "numbers[0]=4",
        "numbers[1]:nil=",
    ];
    let json = r#"{"numbers": [null, 5], "a": null, "text": "t", "pair": null, "names": [null, "n"], "pairs": [null, {"left": 1}]}"#;
    for arguments in [&nothing[..], &items, &["--body", json]] {
        let (status, out, err) = said(&[&[url, "ask"], arguments].concat());
        assert_eq!(status, Some(0), "{arguments:?}: {out}{err}{}", served.log());
        assert!(out.starts_with("text:nil = \n") && out.contains("names[1]:nil = \n"), "{out}");
        assert!(out.contains("numbers[0]:nil = \nnumbers[1] = -7\n"), "{out}");
    }
    let (status, out, err) = said(&[url, "ask", "--body", r#"{"a": 1}"#]);
    assert_eq!((status, &*out), (Some(2), ""), "{err}");
    assert!(err.contains("numbers: it is missing, and has to be there"), "{err}");
}
