//! The types that `xsi:type` says where content is encoded (SOAP 1.1 section 5.1): those that the WSDL declares, whoever writes.

use std::collections::BTreeMap;
use std::fs;

use trunkline_codec::infoset::{Event, Reader as _, Tag as _};
use trunkline_codec::xml::Reader;
use trunkline_message::Limits;

use super::nil::run;
use super::said;
use super::served::Served;

const WSDL: &str = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:t" xmlns:a="urn:a"
    xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" xmlns:xsd="http://www.w3.org/2001/XMLSchema"
    xmlns:enc="http://schemas.xmlsoap.org/soap/encoding/"
    xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" targetNamespace="urn:t">
  <types>
    <xsd:schema targetNamespace="urn:a">
      <xsd:simpleType name="Isin"><xsd:restriction base="xsd:string"><xsd:maxLength value="12"/></xsd:restriction></xsd:simpleType>
      <xsd:simpleType name="Level"><xsd:restriction base="a:Rank"><xsd:maxInclusive value="5"/></xsd:restriction></xsd:simpleType>
      <xsd:simpleType name="Rank"><xsd:restriction base="xsd:int"/></xsd:simpleType>
      <xsd:simpleType name="Side"><xsd:restriction base="xsd:token"><xsd:enumeration value="buy"/></xsd:restriction></xsd:simpleType>
      <xsd:simpleType name="Own"><xsd:restriction base="a:Side"/></xsd:simpleType>
      <xsd:complexType name="Leg"><xsd:sequence>
        <xsd:element name="size" type="xsd:unsignedLong"/><xsd:element name="code" type="xsd:NMTOKEN"/>
        <xsd:element name="nobodys"><xsd:simpleType><xsd:restriction base="xsd:anyURI"><xsd:minLength value="1"/></xsd:restriction>
        </xsd:simpleType></xsd:element></xsd:sequence></xsd:complexType>
    </xsd:schema>
    <xsd:schema targetNamespace="urn:t"><xsd:import namespace="urn:a"/>
      <xsd:complexType name="Links"><xsd:complexContent><xsd:restriction base="enc:Array">
        <xsd:attribute ref="enc:arrayType" wsdl:arrayType="xsd:anyURI[]"/></xsd:restriction></xsd:complexContent></xsd:complexType>
      <xsd:complexType name="Ranks"><xsd:complexContent><xsd:restriction base="enc:Array">
        <xsd:attribute ref="enc:arrayType" wsdl:arrayType="a:Rank[]"/></xsd:restriction></xsd:complexContent></xsd:complexType>
    </xsd:schema></types>
  <message name="All"><part name="name" type="xsd:QName"/><part name="hex" type="xsd:hexBinary"/><part name="raw" type="xsd:base64Binary"/>
    <part name="year" type="xsd:gYear"/><part name="count" type="xsd:nonNegativeInteger"/><part name="plain" type="xsd:string"/>
    <part name="text" type="enc:string"/><part name="octets" type="enc:base64"/><part name="isin" type="a:Isin"/>
    <part name="level" type="a:Level"/><part name="side" type="a:Side"/><part name="own" type="a:Own"/><part name="leg" type="a:Leg"/>
    <part name="links" type="t:Links"/><part name="ranks" type="t:Ranks"/></message>
  <portType name="T"><operation name="ask"><input message="t:All"/><output message="t:All"/></operation></portType>
  <binding name="B" type="t:T"><soap:binding style="rpc" transport="http://schemas.xmlsoap.org/soap/http"/>
    <operation name="ask"><soap:operation soapAction=""/>
    <input><soap:body use="encoded" namespace="urn:t" encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"/></input>
    <output><soap:body use="encoded" namespace="urn:t" encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"/></output>
    </operation></binding>
  <service name="S"><port name="P" binding="t:B"><soap:address location="http://h/ask"/></port></service>
</definitions>"#;

const XSD: &str = "http://www.w3.org/2001/XMLSchema";
const ENCODING: &str = "http://schemas.xmlsoap.org/soap/encoding/";

/// What each element of an envelope says of its type, and an array of that of its items.
fn types_in(envelope: &str) -> BTreeMap<String, String> {
    let limits = Limits::default();
    let mut reader = Reader::soap(envelope, &limits).expect("XML");
    let mut found = BTreeMap::new();
    loop {
        match reader.next().expect("well-formed") {
            Event::Start(name) => {
                let resolved = |value: &str| {
                    let (prefix, local) = value.split_once(':').unwrap_or(("", value));
                    let namespace = reader.resolve(prefix).map(|it| reader.namespace_name(it));
                    let namespace =
                        namespace.unwrap_or_else(|| panic!("no {prefix} in {envelope}"));
                    format!("{{{namespace}}}{local}")
                };
                let local = reader.local(name).to_owned();
                let xsi = format!("{XSD}-instance");
                let of = |namespace: &str, name: &str| {
                    let found = reader.find_attribute(namespace, name)?;
                    Some(reader.value(found).into_owned())
                };
                let said = of(ENCODING, "arrayType").or_else(|| of(&xsi, "type"));
                if let Some(said) = said {
                    found.insert(local, resolved(&said));
                }
            }
            Event::Eof => return found,
            _ => {}
        }
    }
}

fn expected() -> BTreeMap<String, String> {
    let of =
        |name: &str, namespace: &str, of: &str| (name.to_owned(), format!("{{{namespace}}}{of}"));
    BTreeMap::from([
        of("name", XSD, "QName"),
        of("hex", XSD, "hexBinary"),
        of("raw", XSD, "base64Binary"),
        of("year", XSD, "gYear"),
        of("count", XSD, "nonNegativeInteger"),
        of("plain", XSD, "string"),
        of("text", ENCODING, "string"),
        of("octets", ENCODING, "base64"),
        of("isin", "urn:a", "Isin"),
        of("level", "urn:a", "Level"),
        of("side", "urn:a", "Side"),
        of("own", "urn:a", "Own"),
        of("leg", "urn:a", "Leg"),
        of("size", XSD, "unsignedLong"),
        of("code", XSD, "NMTOKEN"),
        of("nobodys", XSD, "anyURI"),
        of("links", XSD, "anyURI[2]"),
        of("ranks", "urn:a", "Rank[1]"),
    ])
}

/// An element that says nothing has the type that its array says.
fn but_items(mut types: BTreeMap<String, String>) -> BTreeMap<String, String> {
    types.remove("item");
    types
}

#[test]
fn values_say_the_types_that_are_declared() {
    let mut served = Served::of("declared", WSDL);
    let json = r#"{"name":"n","hex":"0aFF","raw":"AAE=","year":"2026","count":7,"plain":"p","text":"p","octets":"AAE=",
        "isin":"GB00","level":3,"side":"buy","own":"buy","leg":{"size":1,"code":"c","nobodys":"urn:x"},
        "links":["urn:x","urn:y"],"ranks":[1]}"#;
    fs::create_dir(served.folder.join("answers")).expect("a folder");
    fs::write(served.folder.join("answers/ask.json"), json).expect("a file");
    let started = served.start_all(&["--answers", "answers"]);
    let url = started[0].split(' ').next().expect("a URL");

    let keys = [
        "name=n",
        "hex=0aFF",
        "raw=AAE=",
        "year=2026",
        "count:nonNegativeInteger=7",
        "plain=p",
        "text:string=p",
        "octets=AAE=",
        "isin=GB00",
        "level:int=3",
        "side=buy",
        "own=buy",
        "leg.size=1",
        "leg.code=c",
        "leg.nobodys=urn:x",
        "links[0]=urn:x",
        "links[1]=urn:y",
        "ranks[0]=1",
    ];
    let (status, sent, err) = said(&[&[url, "ask", "--dry-run"], &keys[..]].concat());
    assert_eq!(status, Some(0), "{err}");
    assert_eq!(but_items(types_in(&sent)), expected(), "{sent}");
    let (status, sent, err) = said(&[url, "ask", "--dry-run", "--body", json]);
    assert_eq!(status, Some(0), "{err}");
    assert_eq!(but_items(types_in(&sent)), expected(), "{sent}");

    // What is served, and what is converted, says the same, and is read again as it was.
    let (status, answer, err) = said(&[&[url, "ask", "--raw"], &keys[..]].concat());
    assert_eq!(status, Some(0), "{err}{}", served.log());
    assert_eq!(but_items(types_in(&answer)), expected(), "{answer}");
    let convert = |from: &str, to: &str, input: &str| {
        let arguments = ["convert", "--from", from, "--to", to, "--schema", "quotes.wsdl"];
        let (status, out, err) = run(&served, &arguments, input);
        assert_eq!((status, &*err), (Some(0), ""), "{from} to {to}: {out}");
        out
    };
    let answered = convert("soap-1.1", "json", &answer);
    let converted = convert("json", "soap-1.1", &answered);
    assert_eq!(but_items(types_in(&converted)), expected(), "{converted}");
    assert_eq!(convert("soap-1.1", "json", &converted), answered);
}
