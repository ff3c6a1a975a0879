//! What `trunkline soap call` tells of answers: header blocks, all of a fault, and why one is none of SOAP.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use serde_json::Value;

use super::said;
use super::served::Served;
use super::site::Site;

const WSDL: &str = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:t"
    xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" targetNamespace="urn:t">
  <types><schema xmlns="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t" elementFormDefault="qualified">
    <element name="ask" type="string"/><element name="reply"><complexType><sequence>
      <element name="text" type="string"/></sequence></complexType></element></schema></types>
  <message name="In"><part name="p" element="t:ask"/></message>
  <message name="Out"><part name="p" element="t:reply"/></message>
  <portType name="T"><operation name="ask"><input message="t:In"/><output message="t:Out"/></operation></portType>
  <binding name="B" type="t:T"><soap:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>
    <operation name="ask"><soap:operation soapAction="urn:ask"/><input><soap:body use="literal"/></input>
      <output><soap:body use="literal"/></output></operation></binding>
  <service name="S"><port name="P" binding="t:B"><soap:address location="http://example.org/ask"/></port></service>
</definitions>"#;

fn envelope(version: &str, header: &str, body: &str) -> String {
    format!("<e:Envelope xmlns:e='{version}'>{header}<e:Body>{body}</e:Body></e:Envelope>")
}

const SOAP11: &str = "http://schemas.xmlsoap.org/soap/envelope/";
const SOAP12: &str = "http://www.w3.org/2003/05/soap-envelope";

fn answer(text: &str) -> String {
    envelope(SOAP11, "", &format!("<reply xmlns='urn:t'><text>{text}</text></reply>"))
}

fn ask(head: &str, answer: &[u8], more: &[&str]) -> (Option<i32>, String, String) {
    let site = Site::answering(&[("/?wsdl", WSDL)], head, answer);
    said(&[&[&*site.url("/"), "ask", "ask=x"], more].concat())
}

const XML: &str = "200 OK\r\nContent-Type: text/xml";

#[test]
fn header_blocks_are_told() {
    let header = "<e:Header><h:Session xmlns:h='urn:h' a='1'><h:token>x&amp;y</h:token></h:Session></e:Header>";
    let reply = envelope(SOAP11, header, "<reply xmlns='urn:t'><text>yes</text></reply>");
    let (status, out, err) = ask(XML, reply.as_bytes(), &[]);
    assert_eq!(status, Some(0), "{err}");
    assert!(out.starts_with("text = yes\nheader block: <h:Session "), "{out}");
    assert!(out.ends_with("\n  Session@a = 1\n  Session.token = x&y\n"), "{out}");
    let (_, out, _) = ask(XML, reply.as_bytes(), &["--json"]);
    let facts: Vec<Value> = out.lines().map(|it| serde_json::from_str(it).expect("JSON")).collect();
    let block = facts.iter().find(|it| it["fact"] == "header").expect("a block");
    assert_eq!(block["name"], "Session");
    assert_eq!(block["namespace"], "urn:h");
    // Also beside a fault.
    let fault = "<e:Fault><faultcode>e:Client</faultcode><faultstring>no</faultstring></e:Fault>";
    let fault = envelope(SOAP11, header, fault);
    let (status, out, _) = ask(XML, fault.as_bytes(), &[]);
    assert!(status == Some(1) && out.contains("\n  Session.token = x&y\n"), "{out}");
}

#[test]
fn all_that_a_fault_says_is_told() {
    let fault = "<e:Fault><e:Code><e:Value>e:Sender</e:Value><e:Subcode><e:Value xmlns:m='urn:m'>m:Wide</e:Value>\
        <e:Subcode><e:Value xmlns:m='urn:m'>m:Close</e:Value></e:Subcode></e:Subcode></e:Code><e:Reason>\
        <e:Text xml:lang='en'>no</e:Text><e:Text xml:lang='de'>nein</e:Text></e:Reason><e:Node>urn:node</e:Node>\
        <e:Role>urn:role</e:Role><e:Detail><a>1</a></e:Detail></e:Fault>";
    let head = "500 No\r\nContent-Type: application/soap+xml";
    let (status, out, err) = ask(head, envelope(SOAP12, "", fault).as_bytes(), &["--soap12"]);
    assert_eq!(status, Some(1), "{out}{err}");
    for line in [
        "fault: Sender (Close): no",
        "subcode: {urn:m}Wide",
        "subcode: {urn:m}Close",
        "reason in de: nein",
        "node: urn:node",
        "role: urn:role",
    ] {
        assert!(out.lines().any(|it| it == line), "no {line:?} in {out}");
    }
    let fault = "<e:Fault><faultcode>e:Server</faultcode><faultstring>b</faultstring><faultactor>urn:actor</faultactor>\
        <detail>why <a>1</a></detail></e:Fault>";
    let head = "500 No\r\nContent-Type: text/xml";
    let (_, out, _) = ask(head, envelope(SOAP11, "", fault).as_bytes(), &[]);
    let expected = "fault: Receiver: b\nrole: urn:actor\ndetail: <a>1</a>\ndetail: why\nprofile: ";
    assert!(out.starts_with(expected), "{out}");
    let (_, out, _) = ask(head, envelope(SOAP11, "", fault).as_bytes(), &["--json"]);
    let fact = out.lines().find_map(|it| serde_json::from_str::<Value>(it).ok()).expect("JSON");
    assert_eq!(fact["role"], "urn:actor");
    assert_eq!(fact["details"], serde_json::json!(["<a>1</a>", "why"]));
}

#[test]
fn a_code_that_is_none_of_soap_is_told_as_it_is() {
    let head = "500 No\r\nContent-Type: text/xml";
    for (code, told) in [
        (
            "<faultcode xmlns:wsse='urn:w'> wsse:InvalidSecurity </faultcode>",
            "wsse:InvalidSecurity",
        ),
        ("<faultcode>e:Server.Busy</faultcode>", "Receiver (Server.Busy)"),
        ("<faultcode>e:Client</faultcode>", "Sender"),
    ] {
        let fault = format!("<e:Fault>{code}<faultstring>no</faultstring></e:Fault>");
        let (status, out, _) = ask(head, envelope(SOAP11, "", &fault).as_bytes(), &[]);
        assert_eq!(status, Some(1), "{out}");
        assert_eq!(out.lines().next(), Some(&*format!("fault: {told}: no")));
    }
}

/// A byte order mark says it, else the media type, else the document (RFC 7303, section 3).
#[test]
fn the_character_set_of_an_answer_is_that_of_its_media_type() {
    let latin = |text: &str| text.chars().map(|it| it as u8).collect::<Vec<u8>>();
    let utf16 = |text: &str| {
        format!("\u{FEFF}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>()
    };
    let declared =
        |set: &str| format!("<?xml version='1.0' encoding='{set}'?>{}", answer("\u{e9}"));
    let of_latin = format!("{XML}; charset=iso-8859-1");
    let of_utf8 = format!("{XML}; charset=utf-8");
    for (head, octets) in [
        (&*of_latin, latin(&answer("\u{e9}"))),
        (&*of_latin, latin(&declared("UTF-8"))),
        (&*of_utf8, declared("ISO-8859-1").into_bytes()),
        (XML, latin(&declared("ISO-8859-1"))),
        (&*of_utf8, utf16(&declared("UTF-16"))),
        (XML, utf16(&answer("\u{e9}"))),
        (&*of_latin, format!("\u{FEFF}{}", declared("ISO-8859-1")).into_bytes()),
    ] {
        let (status, out, err) = ask(head, &octets, &[]);
        assert_eq!((status, &*out), (Some(0), "text = \u{e9}\n"), "{head}: {err}");
        assert!(!err.contains("not as the WSDL has it"), "{head}: {err}");
    }
}

/// A request in UTF-16 is as good as another.
#[test]
fn a_request_in_utf_16_is_answered() {
    let mut served = Served::of("utf-16", WSDL);
    let line = served.start_all(&[]).remove(0);
    let url = line.split(' ').next().expect("a URL");
    let address = url.trim_start_matches("http://").split('/').next().expect("an address");
    let request = envelope(SOAP11, "", "<ask xmlns='urn:t'>\u{e9}</ask>");
    let request = format!("\u{FEFF}<?xml version='1.0' encoding='UTF-16'?>{request}");
    let body: Vec<u8> = request.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let mut stream = TcpStream::connect(address).expect("a connection");
    let head = format!(
        "POST /ask HTTP/1.1\r\nHost: {address}\r\nContent-Type: text/xml; charset=utf-16\r\nSOAPAction: \"urn:ask\"\r\n\
         Connection: close\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(&[head.as_bytes(), &body].concat()).expect("it is sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[test]
fn an_answer_that_is_none_of_soap_says_why() {
    for (head, words) in [
        ("200 OK\r\nContent-Type: text/plain", "(Content-Type: text/plain, which is none of SOAP)"),
        (
            "302 Found\r\nLocation: http://example.org/else",
            "302: (Location: http://example.org/else)",
        ),
        ("401 No\r\nWWW-Authenticate: Negotiate", "401: (WWW-Authenticate: Negotiate)"),
    ] {
        let body = if head.starts_with('2') { "hello" } else { "" };
        let (status, _, err) = ask(head, body.as_bytes(), &[]);
        assert!(status == Some(2) && err.contains(words), "no {words:?} in {err}");
    }
}
