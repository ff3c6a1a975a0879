//! What `convert`, `decode` and `soap serve` carry over from a document: header blocks, faults, texts as their types have them,
//! defaults, other charsets.

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

use super::said;
use super::served::Served;

const WSDL: &str = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:t"
    xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:x="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t">
  <types><x:schema targetNamespace="urn:t" elementFormDefault="qualified">
    <x:simpleType name="Code"><x:restriction base="x:token"><x:pattern value="[A-Z]{3}"/></x:restriction></x:simpleType>
    <x:simpleType name="Any"><x:union memberTypes="x:int t:Code"/></x:simpleType>
    <x:simpleType name="Exact"><x:restriction base="x:string"><x:enumeration value=" a b "/><x:enumeration value="c"/></x:restriction></x:simpleType>
    <x:complexType name="Amount"><x:simpleContent><x:extension base="x:token"><x:attribute name="unit" type="x:token"/></x:extension></x:simpleContent></x:complexType>
    <x:element name="all"><x:complexType><x:sequence>
      <x:element name="code" type="t:Code" minOccurs="0" maxOccurs="3"/>
      <x:element name="any" type="t:Any" minOccurs="0"/>
      <x:element name="exact" type="t:Exact" minOccurs="0"/>
      <x:element name="line" type="x:normalizedString" minOccurs="0"/>
      <x:element name="text" type="x:string" minOccurs="0"/>
      <x:element name="amount" type="t:Amount" minOccurs="0"/>
      <x:element name="nine" type="x:int" default="9" minOccurs="0"/>
      <x:element name="seven" type="x:int" fixed="7" minOccurs="0"/>
      <x:choice minOccurs="0"><x:element name="word" type="x:string" default="w"/><x:element name="other" type="x:int"/></x:choice>
      <x:element name="count" type="x:unsignedLong" minOccurs="0"/>
      <x:element name="at" type="x:dateTime" minOccurs="0"/>
    </x:sequence></x:complexType></x:element>
    <x:element name="transaction"><x:complexType><x:sequence><x:element name="id" type="x:token"/></x:sequence></x:complexType></x:element>
    <x:element name="refusal"><x:complexType><x:sequence><x:element name="why" type="x:string"/></x:sequence></x:complexType></x:element>
  </x:schema></types>
  <message name="in"><part name="p" element="t:all"/></message>
  <message name="head"><part name="h" element="t:transaction"/></message>
  <message name="bad"><part name="f" element="t:refusal"/></message>
  <portType name="P"><operation name="echo"><input message="t:in"/><output message="t:in"/><fault name="f" message="t:bad"/></operation></portType>
  <binding name="B" type="t:P"><soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
    <operation name="echo"><soap:operation soapAction="urn:echo"/>
      <input><soap:body use="literal"/><soap:header message="t:head" part="h" use="literal"/></input>
      <output><soap:body use="literal"/></output><fault name="f"><soap:fault name="f" use="literal"/></fault></operation></binding>
  <service name="S"><port name="p" binding="t:B"><soap:address location="http://127.0.0.1:9/s"/></port></service>
</definitions>"#;

const SOAP_11: &str = "http://schemas.xmlsoap.org/soap/envelope/";
const SOAP_12: &str = "http://www.w3.org/2003/05/soap-envelope";

fn envelope(version: &str, header: &str, inside: &str) -> String {
    let header = match header {
        "" => String::new(),
        blocks => format!("<e:Header>{blocks}</e:Header>"),
    };
    format!(
        "<e:Envelope xmlns:e='{version}' xmlns:t='urn:t'>{header}<e:Body>{inside}</e:Body></e:Envelope>"
    )
}

/// Status, standard output and standard error, with this as standard input.
fn run(served: &Served, arguments: &[&str], input: &[u8]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trunkline"));
    command.args(arguments).current_dir(&served.folder);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program runs");
    let mut stdin = child.stdin.take().expect("it is piped");
    // One that fails at once does not read it.
    let _ = stdin.write_all(input);
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn convert(
    served: &Served,
    (from, to): (&str, &str),
    more: &[&str],
    input: impl AsRef<[u8]>,
) -> (Option<i32>, String, String) {
    let arguments = ["convert", "--from", from, "--to", to, "--schema", "quotes.wsdl"];
    run(served, &[&arguments[..], more].concat(), input.as_ref())
}

#[track_caller]
fn converted(served: &Served, formats: (&str, &str), input: impl AsRef<[u8]>) -> String {
    let (status, out, err) = convert(served, formats, &[], input);
    assert_eq!((status, &*err), (Some(0), ""), "{formats:?}: {out}");
    out
}

#[test]
fn header_blocks_are_kept_in_envelopes_and_missed_elsewhere() {
    let served = Served::of("header-blocks", WSDL);
    let blocks = "<t:transaction e:mustUnderstand='1'><t:id>T1</t:id></t:transaction>\
        <o:trace xmlns:o='urn:o' e:actor='http://schemas.xmlsoap.org/soap/actor/next' o:k='v'><t:x/>&amp;</o:trace>";
    let body = "<t:all><t:count>-0</t:count></t:all>";
    let old = envelope(SOAP_11, blocks, body);
    let new = converted(&served, ("soap-1.1", "soap-1.2"), &old);
    assert!(new.contains(SOAP_12) && !new.contains(SOAP_11), "{new}");
    for part in [
        "SOAP-ENV:mustUnderstand=\"true\"",
        "<t:id>T1</t:id>",
        "SOAP-ENV:role=\"http://www.w3.org/2003/05/soap-envelope/role/next\"",
        "o:k='v'",
        "<t:x/>&amp;</o:trace>",
        "<ns:count>0</ns:count>",
    ] {
        assert!(new.contains(part), "no {part} in {new}");
    }
    // By way of Fast Infoset they are the same blocks.
    let binary = converted(&served, ("soap-1.2", "fast-infoset"), &new);
    let back = converted(&served, ("fast-infoset", "soap-1.1"), &binary);
    for part in
        [":mustUnderstand=\"1\"", ">T1<", ":actor=\"http://schemas.xmlsoap.org/soap/actor/next\""]
    {
        assert!(back.contains(part), "no {part} in {back}");
    }
    let why = "json has no place for header blocks, which it has: {urn:t}transaction, {urn:o}trace \
        (--drop-headers leaves them out)";
    let (status, out, err) = convert(&served, ("soap-1.1", "json"), &[], &old);
    assert_eq!((status, &*out), (Some(1), ""), "{err}");
    assert!(err.contains(why), "{err}");
    let (status, out, err) = convert(&served, ("soap-1.1", "json"), &["--drop-headers"], &old);
    assert_eq!((status, &*out, &*err), (Some(0), "{\"all\":{\"count\":0}}\n", ""));
    // The schema holds for blocks, too.
    let wrong = old.replace("<t:id>T1</t:id>", "<t:di/>");
    let (status, out, err) = convert(&served, ("soap-1.1", "soap-1.2"), &["--check"], &wrong);
    assert_eq!((status, &*out), (Some(1), ""), "{err}");
    assert!(err.contains("transaction"), "{err}");
    let relayed = envelope(SOAP_12, "<o:a xmlns:o='urn:o' e:relay='true'/>", body);
    let (status, _, err) = convert(&served, ("soap-1.2", "soap-1.1"), &[], &relayed);
    assert!(status == Some(1) && err.contains("{urn:o}a is to be relayed"), "{err}");
}

#[test]
fn header_blocks_are_decoded() {
    let served = Served::of("header-decoded", WSDL);
    let blocks = "<t:transaction e:mustUnderstand='1'><t:id>T1</t:id></t:transaction>";
    let message = envelope(SOAP_11, blocks, "<t:all><t:nine>1</t:nine></t:all>");
    let decode = ["decode", "--schema", "quotes.wsdl"];
    let (status, out, _) = run(&served, &decode, message.as_bytes());
    assert_eq!(status, Some(0), "{out}");
    let at = |text: &str| out.find(text).unwrap_or_else(|| panic!("no {text} in {out}"));
    assert!(at("header block, must be understood:") < at("transaction"), "{out}");
    assert!(at("T1") < at("nine"), "{out}");
    let (_, out, _) = run(&served, &[&decode[..], &["--json"]].concat(), message.as_bytes());
    let line: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    let block = &line["header"][0];
    assert_eq!(
        (block["name"].as_str(), &block["must_understand"]),
        (Some("transaction"), &true.into())
    );
    assert_eq!(line["message"]["all"]["nine"], 1, "{out}");
}

#[test]
fn an_envelope_is_of_the_version_that_was_said() {
    let served = Served::of("other-version", WSDL);
    let message = envelope(SOAP_12, "", "<t:all/>");
    let (status, out, err) = convert(&served, ("soap-1.1", "json"), &[], &message);
    assert_eq!((status, &*out), (Some(1), ""), "{err}");
    assert!(err.contains("it is an envelope of soap-1.2, and not of soap-1.1"), "{err}");
}

#[test]
fn faults_are_converted_between_versions() {
    let served = Served::of("faults", WSDL);
    let fault = "<e:Fault><faultcode>e:Client</faultcode><faultstring>no such thing</faultstring>\
        <detail><t:refusal><t:why>gone</t:why></t:refusal></detail></e:Fault>";
    let old = envelope(SOAP_11, "<t:transaction><t:id>1</t:id></t:transaction>", fault);
    let new = converted(&served, ("soap-1.1", "soap-1.2"), &old);
    for part in [
        "SOAP-ENV:Sender",
        "xml:lang=\"en\">no such thing<",
        "<t:why>gone</t:why>",
        "<t:id>1</t:id>",
    ] {
        assert!(new.contains(part), "no {part} in {new}");
    }
    let binary = converted(&served, ("soap-1.2", "fast-infoset"), &new);
    let back = converted(&served, ("fast-infoset", "soap-1.1"), &binary);
    for part in ["<faultcode>SOAP-ENV:Client<", "<faultstring>no such thing<", ">gone<", ">1<"] {
        assert!(back.contains(part), "no {part} in {back}");
    }
    let (status, _, err) = convert(&served, ("fast-infoset", "soap-1.2"), &["--check"], &binary);
    assert_eq!(status, Some(0), "{err}");
    let (status, out, err) = convert(&served, ("soap-1.1", "json"), &[], &old);
    assert_eq!((status, &*out), (Some(1), ""), "{err}");
    let why = "it is a fault (Sender: no such thing), and json has no form for faults, which decode shows";
    assert!(err.contains(why), "{err}");
    let detailed = "<e:Fault><e:Code><e:Value>e:Receiver</e:Value></e:Code><e:Reason>\
        <e:Text xml:lang='en'>down</e:Text></e:Reason><e:Node>urn:n</e:Node></e:Fault>";
    let (status, _, err) =
        convert(&served, ("soap-1.2", "soap-1.1"), &[], envelope(SOAP_12, "", detailed));
    assert!(status == Some(1) && err.contains("and soap-1.1 has no Node"), "{err}");
    let two = detailed
        .replace("<e:Node>urn:n</e:Node>", "")
        .replace("</e:Reason>", "<e:Text xml:lang='de'>aus</e:Text></e:Reason>");
    let (status, _, err) =
        convert(&served, ("soap-1.2", "soap-1.1"), &[], envelope(SOAP_12, "", &two));
    assert!(status == Some(1) && err.contains("only one language"), "{err}");
}

#[test]
fn blanks_are_as_the_type_of_a_text_has_them() {
    let served = Served::of("blanks", WSDL);
    let message = envelope(
        SOAP_11,
        "",
        "<t:all><t:code> ABC\n</t:code><t:code>DEF</t:code><t:any> GHI </t:any><t:exact> a b </t:exact>\
         <t:line> a\n b </t:line><t:text> a\n b </t:text><t:amount unit=' k  g '>\n 1  2 </t:amount></t:all>",
    );
    let expected = "{\"all\":{\"code\":[\"ABC\",\"DEF\"],\"any\":\"GHI\",\"exact\":\" a b \",\"line\":\" a  b \",\
        \"text\":\" a\\n b \",\"amount\":{\"value\":\"1 2\",\"unit\":\"k g\"}}}\n";
    for check in [&[][..], &["--check"]] {
        let (status, out, err) = convert(&served, ("soap-1.1", "json"), check, &message);
        assert_eq!((status, &*out, &*err), (Some(0), expected, ""), "{check:?}");
    }
    // Written as Fast Infoset, where texts are told otherwise, they are read the same.
    let (_, binary, _) = convert(&served, ("soap-1.1", "fast-infoset"), &[], &message);
    assert_eq!(converted(&served, ("fast-infoset", "json"), &binary), expected);
    let trimmed = message.replace("<t:exact> a b </t:exact>", "<t:exact>a b</t:exact>");
    let (status, _, err) = convert(&served, ("soap-1.1", "json"), &["--check"], &trimmed);
    assert!(status == Some(1) && err.contains("cvc-enumeration-valid"), "{err}");
}

#[test]
fn a_service_looks_at_facets_behind_blanks() {
    let mut served = Served::of("facets-behind-blanks", WSDL);
    fs::create_dir(served.folder.join("answers")).expect("a folder");
    let answer = r#"{"code": ["XYZ"]}"#;
    fs::write(served.folder.join("answers/echo.json"), answer).expect("a file");
    let lines = served.start_all(&["--answers", "answers"]);
    let url = lines[0].split(' ').next().expect("a URL").to_owned();
    let wsdl = served.folder.join("quotes.wsdl");
    let wsdl = wsdl.to_str().expect("text");
    let call = |more: &[&str]| said(&[&[&*url, "echo", "--wsdl", wsdl], more].concat());
    let body =
        "<t:all xmlns:t='urn:t'><t:code> ABC\n</t:code><t:exact> a b </t:exact><t:nine/></t:all>";
    let (status, out, err) = call(&["--body", body]);
    assert!(status == Some(0) && out.contains("XYZ"), "{out}{err}");
    let (status, out, err) = call(&["code= ABC", "exact= a b "]);
    assert!(status == Some(0) && out.contains("XYZ"), "{out}{err}");
    let (status, out, err) = call(&["code=ABCD"]);
    assert_eq!((status, &*out), (Some(2), ""), "{err}");
    assert!(err.contains("ABCD"), "{err}");
}

#[test]
fn an_empty_element_stands_for_its_default() {
    let served = Served::of("empty-default", WSDL);
    let message = envelope(SOAP_11, "", "<t:all><t:nine/><t:seven></t:seven><t:word/></t:all>");
    let expected = "{\"all\":{\"nine\":9,\"seven\":7,\"choice\":{\"word\":\"w\"}}}\n";
    let (status, out, err) = convert(&served, ("soap-1.1", "json"), &["--check"], &message);
    assert_eq!((status, &*out, &*err), (Some(0), expected, ""));
    let (_, binary, _) = convert(&served, ("soap-1.1", "fast-infoset"), &[], &message);
    assert_eq!(converted(&served, ("fast-infoset", "json"), &binary), expected);
    // What is not there has none, and what is empty otherwise would become it.
    let nothing = converted(&served, ("soap-1.1", "json"), envelope(SOAP_11, "", "<t:all/>"));
    assert_eq!(nothing, "{\"all\":{}}\n");
    let empty = "{\"all\":{\"choice\":{\"word\":\"\"}}}";
    let (status, _, err) = convert(&served, ("json", "soap-1.1"), &[], empty);
    let why = "an element that is empty stands for the default";
    assert!(status == Some(1) && err.contains(why), "{err}");
}

#[test]
fn other_charsets_and_processing_instructions_are_read() {
    let served = Served::of("charsets", WSDL);
    let text = "<t:all xmlns:t='urn:t'><t:text>é</t:text></t:all>";
    let expected = "{\"all\":{\"text\":\"é\"}}\n";
    let wide = |text: &str, byte: fn(u16) -> [u8; 2]| {
        let marked = format!("\u{feff}{text}");
        marked.encode_utf16().flat_map(byte).collect::<Vec<u8>>()
    };
    let message = envelope(SOAP_11, "", text);
    for byte in [u16::to_le_bytes as fn(u16) -> [u8; 2], u16::to_be_bytes] {
        assert_eq!(converted(&served, ("xml", "json"), wide(text, byte)), expected);
        assert_eq!(converted(&served, ("soap-1.1", "json"), wide(&message, byte)), expected);
    }
    let declared = format!("<?xml version='1.0' encoding='iso-8859-1'?>{text}");
    let latin: Vec<u8> = declared.chars().map(|it| it as u8).collect();
    assert_eq!(converted(&served, ("xml", "json"), latin), expected);
    let instructed = text
        .replace("<t:all", "<?xml version='1.0'?><?xml-stylesheet href='a'?>\n<t:all")
        .replace("<t:text>", "<?go on?><t:text><?and?>")
        .replace("</t:all>", "</t:all><?end?>");
    assert_eq!(converted(&served, ("xml", "json"), &instructed), expected);
    let (status, out, _) =
        run(&served, &["decode", "--schema", "quotes.wsdl", "--check"], instructed.as_bytes());
    assert!(status == Some(0) && out.contains("é"), "{out}");
    let (status, out, _) = run(&served, &["decode"], instructed.as_bytes());
    assert!(status == Some(0) && out.contains("é"), "{out}");
    // SOAP has none (SOAP 1.1 section 3).
    let (status, _, err) =
        convert(&served, ("soap-1.1", "json"), &[], message.replace("<t:all", "<?go?><t:all"));
    assert!(status == Some(1) && err.contains("processing instructions are rejected"), "{err}");
}

#[test]
fn a_year_that_only_xml_has_is_said_to_be_a_limit() {
    let served = Served::of("years", WSDL);
    for year in ["-0044", "12026"] {
        let at = format!("<t:all><t:at>{year}-03-15T12:00:00Z</t:at></t:all>");
        let (status, _, err) =
            convert(&served, ("soap-1.1", "json"), &[], envelope(SOAP_11, "", &at));
        assert!(status == Some(1) && err.contains("of the years 0 to 9999 alone"), "{err}");
    }
}

#[test]
fn a_schema_that_is_written_says_what_was_said_of_texts() {
    let served = Served::of("texts-written", WSDL);
    let (status, out, err) = run(&served, &["schema", "quotes.wsdl", "--xsd"], b"");
    assert_eq!(status, Some(0), "{err}");
    for part in [
        "\"[A-Z]{3}\"",
        "xsd:token",
        "xsd:normalizedString",
        " a b ",
        "default=\"9\"",
        "default=\"7\"",
    ] {
        assert!(out.contains(part), "no {part} in {out}");
    }
    // Read again it holds the same documents to the same.
    fs::write(served.folder.join("again.xsd"), &out).expect("a file");
    let check = |inside: &str| {
        let document = format!("<all xmlns='urn:t'>{inside}</all>");
        let arguments =
            ["convert", "--check", "--from", "xml", "--to", "json", "--schema", "again.xsd"];
        run(&served, &arguments, document.as_bytes())
    };
    let (status, out, err) = check("<code> ABC</code><exact> a b </exact><nine/>");
    let expected = "{\"all\":{\"code\":[\"ABC\"],\"exact\":\" a b \",\"nine\":9}}\n";
    assert_eq!((status, &*out), (Some(0), expected), "{err}");
    let (status, _, err) = check("<code>ABC</code><code>abc</code>");
    assert!(status == Some(1) && err.contains("cvc-pattern-valid"), "{err}");
}
