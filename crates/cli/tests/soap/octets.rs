//! Values whose texts are not what facets are about: octets in hexadecimal digits, names with prefixes, lists.

use super::said;
use super::served::Served;

/// A service that takes and answers an element `ask` with these elements inside.
fn wsdl(elements: &str, types: &str) -> String {
    format!(
        r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:t" xmlns:xs="http://www.w3.org/2001/XMLSchema"
            xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" targetNamespace="urn:t">
          <types><schema xmlns="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t" elementFormDefault="qualified">
            <element name="ask"><complexType><sequence>{elements}</sequence></complexType></element>{types}</schema></types>
          <message name="M"><part name="p" element="t:ask"/></message>
          <portType name="T"><operation name="ask"><input message="t:M"/><output message="t:M"/></operation></portType>
          <binding name="B" type="t:T"><soap:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>
            <operation name="ask"><soap:operation soapAction="urn:ask"/><input><soap:body use="literal"/></input>
              <output><soap:body use="literal"/></output></operation></binding>
          <service name="S"><port name="P" binding="t:B"><soap:address location="http://example.org/s"/></port></service>
        </definitions>"#
    )
}

/// Calls the service of a WSDL, which answers what it is asked: both hold the request against the WSDL.
fn called(wsdl: &str, given: &[&[&str]]) -> Vec<(Option<i32>, String, String)> {
    let mut served = Served::of(&format!("octets-{}", wsdl.len()), wsdl);
    let line = served.start_all(&[]).remove(0);
    let url = line.split(' ').next().expect("a URL");
    given.iter().map(|it| said(&[&[url, "ask"], *it].concat())).collect()
}

#[test]
fn the_length_of_hexadecimal_digits_is_that_of_their_octets() {
    let types = r#"
      <simpleType name="Two"><restriction base="hexBinary"><length value="2"/></restriction></simpleType>
      <simpleType name="Most"><restriction base="hexBinary"><maxLength value="3"/></restriction></simpleType>
      <simpleType name="Mark"><restriction base="hexBinary"><enumeration value="CAFE"/><enumeration value="00"/></restriction></simpleType>"#;
    let elements = r#"<element name="two" type="t:Two"/><element name="most" type="t:Most" minOccurs="0"/>
      <element name="mark" type="t:Mark" minOccurs="0"/>"#;
    let results = called(
        &wsdl(elements, types),
        &[&["two=aBcD", "most=001122", "mark=cafe"], &["two=ab"], &["two=aBcD", "most=00112233"]],
    );
    assert_eq!(results[0].0, Some(0), "{results:?}");
    // What is made up keeps to it.
    assert!(results[0].1.starts_with("two = ") && results[0].2.lines().count() == 2, "{results:?}");
    assert!(results[1].0 == Some(2) && results[2].0 == Some(2), "{results:?}");
}

#[test]
fn the_length_of_a_list_is_not_how_often_it_stands() {
    let types = r#"<simpleType name="Pair"><restriction><simpleType><list itemType="xs:int"/></simpleType>
      <maxLength value="2"/></restriction></simpleType>"#;
    let given = r#"{"pair": [[1, 2], [3], [4, 5]]}"#;
    let elements = r#"<element name="pair" type="t:Pair" maxOccurs="unbounded"/>"#;
    let results = called(
        &wsdl(elements, types),
        &[&["pair[0]=1 2", "pair[1]=3", "pair[2]=4 5"], &["--body", given], &["pair[0]=1 2 3"]],
    );
    assert_eq!(results[0].0, Some(0), "{results:?}");
    assert_eq!(results[1].0, Some(0), "{results:?}");
    assert_eq!(results[2].0, Some(2), "{results:?}");
}

#[test]
fn a_name_is_one_of_some_by_its_namespace() {
    let types = r#"<simpleType name="Of"><restriction base="QName"><enumeration value="xs:int"/>
      <enumeration value="xs:string"/></restriction></simpleType>"#;
    let body = |prefix: &str, namespace: &str, local: &str| {
        format!("<ask xmlns='urn:t' xmlns:{prefix}='{namespace}'><of>{prefix}:{local}</of></ask>")
    };
    let schema = "http://www.w3.org/2001/XMLSchema";
    let given = [
        body("xs", schema, "int"),
        body("q", schema, "string"),
        body("xs", "urn:other", "int"),
        body("q", schema, "long"),
    ];
    let given: Vec<[&str; 3]> = given.iter().map(|it| ["--body", it, "--unchecked"]).collect();
    let given: Vec<&[&str]> = given.iter().map(|it| &it[..]).collect();
    let elements = r#"<element name="of" type="t:Of" minOccurs="0"/>"#;
    let wsdl = wsdl(elements, types);
    let status: Vec<_> = called(&wsdl, &given).into_iter().map(|it| it.0).collect();
    assert_eq!(status, [Some(0), Some(0), Some(1), Some(1)]);
    let checked: Vec<&[&str]> = given.iter().map(|it| &it[..2]).collect();
    let status: Vec<_> = called(&wsdl, &checked).into_iter().map(|it| it.0).collect();
    assert_eq!(status, [Some(0), Some(0), Some(2), Some(2)]);
}
