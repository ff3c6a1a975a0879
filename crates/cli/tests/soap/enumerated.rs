//! Values that there are alone, of parts of calls: numbers, booleans, octets and the items of arrays.

use std::fs;
use std::process::Command;

use super::said;
use super::served::Served;

const WSDL: &str = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:t"
    xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" xmlns:xs="http://www.w3.org/2001/XMLSchema"
    xmlns:enc="http://schemas.xmlsoap.org/soap/encoding/"
    xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" targetNamespace="urn:t">
  <types><xs:schema targetNamespace="urn:t">
    <xs:simpleType name="Lots"><xs:restriction base="xs:int"><xs:enumeration value="+1"/><xs:enumeration value="02"/></xs:restriction></xs:simpleType>
    <xs:simpleType name="Rate"><xs:restriction base="xs:double"><xs:enumeration value="1e3"/><xs:enumeration value="NaN"/></xs:restriction></xs:simpleType>
    <xs:simpleType name="Price"><xs:restriction base="xs:decimal"><xs:enumeration value="+1.50"/>
      <xs:enumeration value="123456789012345678.25"/></xs:restriction></xs:simpleType>
    <xs:simpleType name="Mark"><xs:restriction base="xs:base64Binary"><xs:enumeration value="AAE="/><xs:enumeration value="eHg="/></xs:restriction></xs:simpleType>
    <xs:simpleType name="Firm"><xs:restriction base="xs:boolean"><xs:pattern value="true|1"/></xs:restriction></xs:simpleType>
    <xs:simpleType name="Isin"><xs:restriction base="xs:string"><xs:pattern value="[A-Z]{2}[0-9]{3}"/></xs:restriction></xs:simpleType>
    ARRAYS
  </xs:schema></types>
  <message name="In"><part name="lots" type="t:Lots"/><part name="rate" type="t:Rate"/><part name="price" type="t:Price"/>
    <part name="mark" type="t:Mark"/><part name="firm" type="t:Firm"/>PARTS</message>
  <message name="Out"><part name="done" type="xs:boolean"/></message>
  <portType name="T"><operation name="ask"><input message="t:In"/><output message="t:Out"/></operation></portType>
  <binding name="B" type="t:T"><soap:binding style="rpc" transport="http://schemas.xmlsoap.org/soap/http"/>
    <operation name="ask"><soap:operation soapAction="urn:t/ask"/>
      <input><soap:body BODY/></input><output><soap:body BODY/></output></operation></binding>
  <service name="S"><port name="P" binding="t:B"><soap:address location="http://example.org/ask"/></port></service>
</definitions>"#;

const ARRAYS: &str = r#"
    <xs:complexType name="Many"><xs:complexContent><xs:restriction base="enc:Array">
      <xs:attribute ref="enc:arrayType" wsdl:arrayType="t:Lots[]"/></xs:restriction></xs:complexContent></xs:complexType>
    <xs:complexType name="Isins"><xs:complexContent><xs:restriction base="enc:Array">
      <xs:attribute ref="enc:arrayType" wsdl:arrayType="t:Isin[]"/></xs:restriction></xs:complexContent></xs:complexType>"#;

fn literal() -> String {
    let wsdl = WSDL.replace("ARRAYS", "").replace("PARTS", "");
    wsdl.replace("BODY", r#"use="literal" namespace="urn:t""#)
}

fn encoded() -> String {
    let parts = r#"<part name="many" type="t:Many"/><part name="isins" type="t:Isins"/>"#;
    let body = r#"use="encoded" namespace="urn:t" encodingStyle="http://schemas.xmlsoap.org/soap/encoding/""#;
    WSDL.replace("ARRAYS", ARRAYS).replace("PARTS", parts).replace("BODY", body)
}

const RIGHT: [&str; 5] = ["lots=1", "rate=NaN", "price=1.5", "mark=AAE=", "firm=true"];
const ITEMS: [&str; 2] = ["many[0]=2", "isins[0]=GB123"];

/// Each value that is right is taken, and no other one in its place.
#[track_caller]
fn holds(url: &str, right: &[&str], wrong: &[(&str, &str)]) {
    let asked = |given: &[&str]| said(&[&[url, "ask"], given].concat());
    let (status, out, err) = asked(right);
    assert_eq!(status, Some(0), "{out}{err}");
    for (given, why) in wrong {
        let key = given.split('=').next().expect("a key");
        let all: Vec<&str> =
            right.iter().map(|it| if it.starts_with(key) { *given } else { *it }).collect();
        let (status, out, err) = asked(&all);
        assert_eq!((status, &*out), (Some(2), ""), "{given}: {err}");
        assert!(err.contains(given) && err.contains(why), "{given}: no {why:?} in {err}");
    }
}

const WRONG: [(&str, &str); 5] = [
    ("lots=3", "none of 1, 2"),
    ("rate=2", "none of 1e3, NaN"),
    ("price=1.6", "none of 1.5, 123456789012345678.25"),
    ("mark=ZGF0YQ==", "none of AAE=, eHg="),
    ("firm=false", "it takes "),
];

#[test]
fn parts_are_one_of_the_values_that_there_are() {
    let mut served = Served::of("enumerated-literal", &literal());
    let line = served.start_all(&[]).remove(0);
    let url = line.split(' ').next().expect("a URL");
    holds(url, &RIGHT, &WRONG);
    let (status, _, err) = said(
        &[
            &[url, "ask"],
            &["lots=2", "rate=1000", "price=123456789012345678.25", "mark=eHg=", "firm=1"][..],
        ]
        .concat(),
    );
    assert_eq!(status, Some(0), "{err}");
    refuses(url, r#"{"lots": 1, "rate": 1000, "price": 1.5, "mark": "ZGF0YQ==", "firm": true}"#);
}

#[test]
fn items_of_encoded_arrays_are_held_to_the_facets_of_their_type() {
    let mut served = Served::of("enumerated-encoded", &encoded());
    let line = served.start_all(&[]).remove(0);
    let url = line.split(' ').next().expect("a URL");
    let right = [&RIGHT[..], &ITEMS].concat();
    holds(url, &right, &WRONG);
    holds(url, &right, &[("many[0]=9", "none of 1, 2"), ("isins[0]=xx", "[A-Z]{2}[0-9]{3}")]);
    for items in [r#""many": [9], "isins": ["GB123"]"#, r#""many": [1], "isins": ["xx"]"#] {
        refuses(
            url,
            &format!(
                r#"{{"lots": 1, "rate": 1000, "price": 1.5, "mark": "AAE=", "firm": true, {items}}}"#
            ),
        );
    }
}

/// Who sends it all the same is told by the service.
#[track_caller]
fn refuses(url: &str, body: &str) {
    let (status, out, err) = said(&[url, "ask", "--body", body]);
    assert_eq!((status, &*out), (Some(2), ""), "{body}: {err}");
    let (status, out, err) = said(&[url, "ask", "--unchecked", "--body", body]);
    assert_eq!(status, Some(1), "{body}: {out}{err}");
    assert!(out.starts_with("fault: Sender"), "{body}: {out}{err}");
}

#[test]
fn every_value_is_described_and_the_example_has_one() {
    let served = Served::of("enumerated-described", &encoded());
    let described = served.describe("quotes.wsdl");
    let ends = |name: &str, end: &str| {
        let mut lines = described.lines().map(str::trim);
        let is_it = |it: &&str| it.starts_with(&format!("{name} ")) && it.ends_with(end);
        assert!(lines.any(|it| is_it(&it)), "no {name} with {end} in {described}");
    };
    ends("lots", " 1 | 2");
    ends("rate", " 1e3 | NaN");
    ends("price", " 1.5 | 123456789012345678.25");
    ends("mark", " AAE= | eHg=");
    ends("firm", " true");
    ends("item", " 1 | 2");
    ends("item", " pattern=[A-Z]{2}[0-9]{3}");
    assert!(described.contains(" mark=AAE= "), "{described}");
}

/// What is imported is exported.
#[test]
fn booleans_and_octets_have_their_values_in_an_xml_schema() {
    let served = Served::of("enumerated-schema", WSDL);
    let text = r#"<schema xmlns="http://www.w3.org/2001/XMLSchema"><element name="a"><complexType><sequence>
      <element name="firm"><simpleType><restriction base="boolean"><pattern value="true|1"/></restriction></simpleType></element>
      <element name="mark"><simpleType><restriction base="base64Binary"><enumeration value="AAE="/></restriction></simpleType></element>
      </sequence></complexType></element></schema>"#;
    fs::write(served.folder.join("a.xsd"), text).expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_trunkline"));
    command.current_dir(&served.folder).args(["schema", "--xsd", "a.xsd", "a"]);
    let output = command.output().expect("the program runs");
    let out = String::from_utf8(output.stdout).expect("text");
    assert!(out.contains("pattern value=\"true|1\""), "{out}");
    assert!(out.contains("enumeration value=\"AAE=\""), "{out}");
}
