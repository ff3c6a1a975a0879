//! Operations that take nothing, or answer nothing: void ones.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use super::said;
use super::served::Served;

const WSDL: &str = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:desk"
    xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:soap12="http://schemas.xmlsoap.org/wsdl/soap12/"
    xmlns:xsd="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:desk">
  <types><xsd:schema targetNamespace="urn:desk" elementFormDefault="qualified">
    <xsd:element name="state" type="xsd:string"/><xsd:element name="submit" type="xsd:int"/>
    <xsd:element name="session" type="xsd:string"/></xsd:schema></types>
  <message name="Nothing"/><message name="Session"><part name="session" element="t:session"/></message>
  <message name="State"><part name="p" element="t:state"/></message>
  <message name="Submit"><part name="p" element="t:submit"/></message>
  <portType name="T">
    <operation name="ping"><input message="t:Nothing"/><output message="t:Nothing"/></operation>
    <operation name="state"><input message="t:Nothing"/><output message="t:State"/></operation>
    <operation name="submit"><input message="t:Submit"/><output message="t:Nothing"/></operation>
    <operation name="reset"><input message="t:Nothing"/></operation></portType>
  <portType name="R">
    <operation name="ping"><input message="t:Nothing"/><output message="t:Nothing"/></operation>
    <operation name="reset"><input message="t:Nothing"/></operation></portType>
  <binding name="Document" type="t:T"><soap:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>
    <operation name="ping"><soap:operation soapAction="urn:desk#ping"/>
      <input><soap:header message="t:Session" part="session" use="literal"/><soap:body use="literal"/></input>
      <output><soap:body use="literal"/></output></operation>
    <operation name="state"><soap:operation soapAction="urn:desk#state"/><input><soap:body use="literal"/></input>
      <output><soap:body use="literal"/></output></operation>
    <operation name="submit"><soap:operation soapAction="urn:desk#submit"/><input><soap:body use="literal"/></input>
      <output><soap:body use="literal"/></output></operation>
    <operation name="reset"><soap:operation soapAction="urn:desk#reset"/><input><soap:body use="literal"/></input></operation>
  </binding>
  <binding name="Literal" type="t:R"><soap12:binding style="rpc" transport="http://schemas.xmlsoap.org/soap/http"/>
    <operation name="ping"><soap12:operation soapAction="urn:desk#ping"/>
      <input><soap12:body use="literal" namespace="urn:desk"/></input>
      <output><soap12:body use="literal" namespace="urn:desk"/></output></operation>
    <operation name="reset"><soap12:operation soapAction="urn:desk#reset"/>
      <input><soap12:body use="literal" namespace="urn:desk"/></input></operation></binding>
  <binding name="Encoded" type="t:R"><soap:binding style="rpc" transport="http://schemas.xmlsoap.org/soap/http"/>
    <operation name="ping"><soap:operation soapAction=""/><input><soap:body use="encoded" namespace="urn:desk"
        encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"/></input>
      <output><soap:body use="encoded" namespace="urn:desk"
        encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"/></output></operation>
    <operation name="reset"><soap:operation soapAction=""/><input><soap:body use="encoded" namespace="urn:desk"
        encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"/></input></operation></binding>
  <service name="Desk"><port name="Document" binding="t:Document"><soap:address location="http://host/document"/></port>
    <port name="Literal" binding="t:Literal"><soap12:address location="http://host/literal"/></port>
    <port name="Encoded" binding="t:Encoded"><soap:address location="http://host/encoded"/></port></service>
</definitions>"#;

const EMPTY: &str = "the answer is empty\n";
const TAKEN: &str = "taken; there is no answer\n";

#[test]
fn what_takes_or_answers_nothing_is_served_and_called() {
    let mut served = Served::of("nothing", WSDL);
    let lines = served.start_all(&[]);
    assert!(lines[0].ends_with("4 operations") && lines[1].ends_with("2 operations"), "{lines:?}");
    let urls: Vec<&str> = lines.iter().filter_map(|it| it.split(' ').next()).collect();
    for (port, operation, expected) in [
        (0, &["ping"][..], EMPTY),
        (0, &["state"], "state = text\n"),
        (0, &["submit", "submit=7"], EMPTY),
        (0, &["reset"], TAKEN),
        (1, &["ping"], EMPTY),
        (1, &["reset"], TAKEN),
        (2, &["ping"], EMPTY),
        (2, &["reset"], TAKEN),
    ] {
        for transport in ["http:", "vnd.sun.ws.tcp:"] {
            for encoding in ["xml", "stateful-fast-infoset"] {
                let (url, wsdl) = (urls[port].replace("http:", transport), urls[port]);
                let wsdl = format!("{wsdl}?wsdl");
                let how = ["--encoding", encoding, "--optimistic", "--wsdl", &wsdl];
                let (status, out, err) = said(&[&[&*url], operation, &how].concat());
                assert_eq!((status, &*out), (Some(0), expected), "{url} {operation:?}: {err}");
            }
        }
    }
    // A block that must be understood goes with it.
    let block = "<s:session xmlns:s='urn:desk' e:mustUnderstand='1' \
        xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'>7</s:session>";
    let (status, out, err) = said(&[urls[0], "ping", "--header", block]);
    assert_eq!((status, &*out), (Some(0), EMPTY), "{err}");
    let (status, out, _) = said(&[urls[0], "submit", "submit=7", "--header", block]);
    assert_eq!((status, &*out), (Some(0), EMPTY));
    // What is in no Body has to be told by its action.
    let answer = posted(urls[0], "urn:desk#none", "");
    assert!(
        answer.contains("the Body is empty, and ") && answer.contains("urn:desk#none"),
        "{answer}"
    );
    let answer = posted(urls[0], "urn:desk#ping", "");
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("Body></"), "{answer}");
    let answer = posted(urls[0], "urn:desk#reset", " ");
    assert!(answer.starts_with("HTTP/1.1 202"), "{answer}");
    let answer = posted(urls[0], "urn:desk#ping", "<other xmlns='urn:o'/>");
    assert!(
        answer.contains(
            "no operation of Document is called by {urn:o}other; there is {urn:desk}submit<"
        ),
        "{answer}"
    );
}

/// What a server answers to an envelope with this in its Body.
fn posted(url: &str, action: &str, inside: &str) -> String {
    let (host, path) = url.trim_start_matches("http://").split_once('/').expect("a path");
    let body = format!(
        "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body>{inside}</e:Body></e:Envelope>"
    );
    let request = format!(
        "POST /{path} HTTP/1.1\r\nHost: {host}\r\nSOAPAction: \"{action}\"\r\nContent-Type: text/xml\r\n\
         Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut stream = TcpStream::connect(host).expect("a connection");
    stream.write_all(request.as_bytes()).expect("it is sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}
