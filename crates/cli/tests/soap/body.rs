//! Requests that are given as a whole to `trunkline soap call`, header blocks, and what is told of faults.

use std::fs;
use std::path::Path;

use super::said;
use super::served::Served;
use super::site::Site;

const ANSWER: &str = "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body>\
    <r><text>yes</text></r></e:Body></e:Envelope>";

const WSDL: &str = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:t"
    xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" targetNamespace="urn:t">
  <types><schema xmlns="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t" targetNamespace="urn:t"
      elementFormDefault="qualified">
    <element name="Shape" type="t:Plain" abstract="true"/>
    <element name="Circle" substitutionGroup="t:Shape" type="t:Plain"/>
    <complexType name="Plain"><sequence><element name="size" type="int"/></sequence></complexType>
    <element name="ask"><complexType><sequence><element name="a" type="int"/><element name="b" type="string"
      minOccurs="0" maxOccurs="unbounded"/><element ref="t:Shape" minOccurs="0"/></sequence></complexType></element>
    <element name="Session"><complexType><sequence><element name="token" type="string"/></sequence></complexType></element>
  </schema></types>
  <message name="In"><part name="p" element="t:ask"/><part name="session" element="t:Session"/></message>
  <portType name="T"><operation name="ask"><input message="t:In"/></operation></portType>
  <binding name="B" type="t:T"><soap:binding style="document"/>
    <operation name="ask"><input><soap:body parts="p" use="literal"/>
      <soap:header message="t:In" part="session" use="literal"/></input></operation></binding>
</definitions>"#;

fn ask(arguments: &[&str]) -> (Option<i32>, String, String, String) {
    let site = Site::start(&[("/?wsdl", WSDL)], ANSWER);
    let (status, out, err) = said(&[&[&*site.url("/"), "ask"], arguments].concat());
    (status, out, err, site.asked().posted.concat())
}

#[track_caller]
fn is_sent(arguments: &[&str], words: &[&str]) {
    let (status, out, err, sent) = ask(arguments);
    assert_eq!((status, &*out), (Some(0), "text = yes\n"), "{arguments:?}: {err}");
    let mut rest = &*sent;
    for word in words {
        let at = rest.find(word).unwrap_or_else(|| panic!("{arguments:?}: no {word:?} in {rest}"));
        rest = &rest[at + word.len()..];
    }
}

#[track_caller]
fn is_rejected(arguments: &[&str], words: &str) {
    let (status, out, err, sent) = ask(arguments);
    assert_eq!((status, &*out, &*sent), (Some(2), "", ""), "{arguments:?}: {err}");
    assert!(err.contains(words), "{arguments:?}: no {words:?} in {err}");
}

#[test]
fn a_body_is_json_or_xml_and_fits() {
    // In the order of the schema, whatever order it is given in.
    is_sent(
        &["--body", r#"{"b": ["x", "y"], "a": 7}"#],
        &["ask", "a>7</", "b>x</", "b>y</", ":Body>"],
    );
    // Also where keys and values cannot say it.
    is_sent(&["--body", r#"{"a": 7, "Circle": {"size": 3}}"#], &["Circle", "size>3</"]);
    let element = "<?xml version='1.0'?><!-- own --><q:ask xmlns:q='urn:t'><q:a>7</q:a></q:ask>";
    is_sent(&["--body", element], &["Body><q:ask xmlns:q='urn:t'><q:a>7</q:a></q:ask></"]);
    // An envelope goes as it is, byte for byte.
    let envelope = format!(
        "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body>{}</e:Body></e:Envelope>",
        "<ask xmlns='urn:t'><a>7</a></ask>"
    );
    let (_, _, _, sent) = ask(&["--body", &envelope]);
    assert_eq!(sent, envelope);
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("soap-call-body.json");
    fs::write(&file, "\u{FEFF}{\"a\": 7}\n").expect("a file");
    is_sent(&["--body", file.to_str().expect("text")], &["a>7</"]);

    is_rejected(&["--body", r#"{"a": 7, "c": 1}"#], "c");
    is_rejected(&["--body", r#"{"a": "seven"}"#], "--body:1:8: a: expected ");
    is_rejected(&["--body", r#"{"b": ["x"]}"#], "a");
    is_rejected(&["--body", "<ask xmlns='urn:t'><a>seven</a></ask>"], "--body:1:23: a: expected ");
    is_rejected(&["--body", "<ask xmlns='urn:t'><a>7</a><c/></ask>"], "c");
    is_rejected(&["--body", "<ask xmlns='urn:t'><a>7</ask>"], "--body:1:24: ");
    is_rejected(&["--body", "none.json"], "none.json: No such file");
    is_rejected(&["--body", "a=7"], "; JSON begins with { and XML with <, all else is a file");
    is_rejected(&[r#"{"a": 7}"#], "a request as a whole is said by --body");
    is_rejected(&["--body", r#"{"aks": {"a": 7}}"#], "--body:1:2: aks: ");
    is_rejected(&["--body", r#"{"aks": {"a": 7}}"#], "did you mean ask?");
    is_rejected(&["--body", r#"{"a": 7}"#, "a=7"], "cannot be used with");
}

/// An envelope of the other version would go out under the media type of this one.
#[test]
fn an_envelope_of_another_version_is_refused() {
    let envelope = |namespace: &str| {
        format!(
            "<e:Envelope xmlns:e='{namespace}'><e:Body><ask xmlns='urn:t'><a>7</a></ask></e:Body></e:Envelope>"
        )
    };
    let [soap11, soap12] =
        ["http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope"]
            .map(envelope);
    let why = "--body: it is an envelope of SOAP 1.2, and the call is of SOAP 1.1";
    is_rejected(&["--body", &soap12], why);
    is_rejected(&["--body", &soap12, "--unchecked"], why);
    is_rejected(&["--body", &soap11, "--soap12"], "of SOAP 1.1, and the call is of SOAP 1.2");
}

/// As `convert` reads files, whatever the encoding that their XML says.
#[test]
fn a_body_may_be_in_another_encoding() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("soap-call-body-encoded.xml");
    let name = file.to_str().expect("text");
    let element = "<ask xmlns='urn:t'><a>7</a><b>\u{e9}</b></ask>";
    let envelope = format!(
        "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body>{element}</e:Body></e:Envelope>"
    );
    for document in [element, &envelope] {
        let utf16 = format!("\u{FEFF}<?xml version='1.0' encoding='UTF-16'?>{document}");
        let latin = format!("<?xml version='1.0' encoding='ISO-8859-1'?>{document}");
        let octets = [
            utf16.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>(),
            latin.chars().map(|it| it as u8).collect(),
        ];
        for octets in octets {
            fs::write(&file, octets).expect("a file");
            is_sent(&["--body", name], &["<b>\u{e9}</b>"]);
        }
    }
    fs::write(&file, b"<ask xmlns='urn:t'><a>7</a><b>\xE9</b></ask>").expect("a file");
    is_rejected(&["--body", name], "it is not in UTF-8, and says no other encoding");
}

/// Attributes that a schema allows without naming them.
#[test]
fn a_body_may_have_attributes_of_other_namespaces() {
    let open = r#"<anyAttribute namespace="urn:x" processContents="lax"/></complexType></element>
      <element name="Session">"#;
    let wsdl = WSDL.replacen("</complexType></element>\n    <element name=\"Session\">", open, 1);
    assert_ne!(wsdl, WSDL);
    let call = |attribute: &str| {
        let site = Site::start(&[("/?wsdl", &*wsdl)], ANSWER);
        let body = format!("<ask xmlns='urn:t' {attribute}><a>7</a></ask>");
        let (status, _, err) = said(&[&site.url("/"), "ask", "--body", &body]);
        (status, err, site.asked().posted.concat())
    };
    let (status, err, sent) = call("xmlns:x='urn:x' x:trace='1'");
    assert!(status == Some(0) && sent.contains("x:trace='1'"), "{err}");
    let (status, err, sent) = call("xmlns:y='urn:y' y:trace='1'");
    assert!(status == Some(2) && sent.is_empty() && err.contains("trace"), "{err}");
}

#[test]
fn header_blocks_are_sent() {
    let block = r#"{"Session": {"token": "x&y"}}"#;
    let words = ["Header>", "Session", "token>x&amp;y</", "Body>", "a>7</"];
    is_sent(&["a=7", "--header", block], &words);
    is_sent(&["--body", r#"{"a": 7}"#, "--header", block], &words);
    is_sent(&["--body", "<ask xmlns='urn:t'><a>7</a></ask>", "--header", block], &words);
    let own = "<o:Own xmlns:o='urn:o'>1</o:Own>";
    is_sent(&["a=7", "--header", own, "--header", block], &["Own", "Session", "Body>"]);
    let (_, _, err, _) = ask(&["a=7", "--header", own]);
    assert!(err.starts_with("header blocks of the WSDL that are not sent: session\n"), "{err}");
    let (_, _, err, _) = ask(&["a=7", "--header", block]);
    assert!(err.starts_with("POST "), "{err}");
    let why = "ask takes no header block Sesion; there is Session; did you mean Session?";
    is_rejected(&["a=7", "--header", r#"{"Sesion": {"token": "x"}}"#], why);
    is_rejected(&["a=7", "--header", r#"{"Session": {"tokn": "x"}}"#], ":1:14: tokn: ");
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("soap-call-header.json");
    fs::write(&file, "\n{\"Session\":\n {\"token\": \"x\", \"user\": 1}}").expect("a file");
    is_rejected(
        &["a=7", "--header", file.to_str().expect("text")],
        "soap-call-header.json:3:17: user: ",
    );
    fs::write(&file, "\n{\"Session\" 1}").expect("a file");
    is_rejected(&["a=7", "--header", file.to_str().expect("text")], "soap-call-header.json:2:");
    is_rejected(&["a=7", "--header", "<o:Own/>"], "--header <o:Own/>: ");
}

#[test]
fn a_request_can_be_looked_at_before_it_is_sent() {
    for given in
        [&["a=7"][..], &["--body", r#"{"a": 7}"#], &["--body", "<ask xmlns='urn:t'><a>7</a></ask>"]]
    {
        let (status, out, err, sent) =
            ask(&[given, &["--dry-run", "--header", "<o:Own xmlns:o='urn:o'/>"]].concat());
        assert_eq!((status, &*err, &*sent), (Some(0), "", ""), "{given:?}");
        assert!(
            out.contains("a>7</") && out.contains("Own") && out.ends_with(":Envelope>\n"),
            "{out}"
        );
    }
}

/// Without a WSDL nothing is held against anything, and nothing is known of JSON.
#[test]
fn a_body_needs_no_wsdl() {
    let site = Site::start(&[], ANSWER);
    let (url, of) = (site.url("/"), ["--namespace", "urn:t"]);
    let given = ["--body", "<any xmlns='urn:x'><thing/></any>", "--encoding", "xml"];
    let (status, out, err) = said(&[&[&*url, "ask"], &of[..], &given].concat());
    assert_eq!((status, &*out), (Some(0), "text = yes\n"), "{err}");
    assert!(site.asked().posted.concat().contains("Body><any xmlns='urn:x'><thing/></any></"));
    let (status, _, err) = said(&[&[&*url, "ask"], &of[..], &["--body", "{}"]].concat());
    assert!(status == Some(2) && err.contains("in JSON it is by a WSDL"), "{err}");
}

/// Fast Infoset says what the text says.
#[test]
fn a_body_goes_in_every_encoding() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden/wsdl/doc-literal.wsdl");
    let wsdl = fs::read_to_string(golden).expect("a file");
    let mut served = Served::of("body", &wsdl);
    let line = served.start_all(&[]).remove(0);
    let url = line.split(' ').next().expect("a URL");
    let body = r#"{"header": "HELLO"}"#;
    for encoding in ["xml", "fast-infoset", "stateful-fast-infoset"] {
        let given = ["echo", "--body", body, "--encoding", encoding, "--optimistic"];
        let (status, out, err) = said(&[&[url], &given[..]].concat());
        assert_eq!(status, Some(0), "{encoding}: {out}{err}");
        assert!(out.starts_with("header = text\n"), "{encoding}: {out}");
    }
}
