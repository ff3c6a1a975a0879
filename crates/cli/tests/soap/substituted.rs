//! Operations whose document is the abstract head of a substitution group: each element of the group calls them.

use super::said;
use super::served::Served;

const WSDL: &str = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:orders"
    xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" targetNamespace="urn:orders">
  <types><schema xmlns="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:orders" elementFormDefault="qualified">
    <complexType name="Order"><sequence><element name="id" type="string"/></sequence></complexType>
    <complexType name="Limit"><complexContent><extension base="t:Order"><sequence>
      <element name="price" type="decimal"/></sequence></extension></complexContent></complexType>
    <complexType name="Stop"><complexContent><extension base="t:Order"><sequence>
      <element name="at" type="decimal"/></sequence></extension></complexContent></complexType>
    <complexType name="Trail"><complexContent><extension base="t:Stop"><sequence>
      <element name="by" type="decimal"/></sequence></extension></complexContent></complexType>
    <element name="order" type="t:Order" abstract="true"/>
    <element name="limit" type="t:Limit" substitutionGroup="t:order"/>
    <element name="stop" type="t:Stop" substitutionGroup="t:order"/>
    <element name="done" type="string"/></schema></types>
  <message name="In"><part name="p" element="t:order"/></message>
  <message name="Note"><part name="p" element="t:done"/></message>
  <portType name="T"><operation name="place"><input message="t:In"/><output message="t:Note"/></operation>
    <operation name="note"><input message="t:Note"/><output message="t:Note"/></operation></portType>
  <binding name="B" type="t:T"><soap:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>
    <operation name="place"><input><soap:body use="literal"/></input><output><soap:body use="literal"/></output></operation>
    <operation name="note"><input><soap:body use="literal"/></input><output><soap:body use="literal"/></output></operation></binding>
  <service name="Orders"><port name="P" binding="t:B"><soap:address location="http://example.org/orders"/></port></service>
</definitions>"#;

#[test]
fn each_element_of_a_substitution_group_calls_the_operation() {
    let mut served = Served::of("substituted", WSDL);
    let lines = served.start_all(&[]);
    let url = lines[0].split(' ').next().expect("a URL");
    let raw = |local: &str, inside: &str| format!("<{local} xmlns='urn:orders'>{inside}</{local}>");
    let trail = "<stop xmlns='urn:orders' xmlns:t='urn:orders' xmlns:i='http://www.w3.org/2001/XMLSchema-instance' i:type='t:Trail'>\
        <id>c</id><at>2</at><by>1</by></stop>";
    for given in [
        &["limit.id=a", "limit.price=1.5"][..],
        &["stop.id=b", "stop.at=2"],
        &["--body", &raw("limit", "<id>a</id><price>1</price>")],
        &["--body", trail],
    ] {
        let (status, out, err) = said(&[&[url, "place"], given].concat());
        assert_eq!((status, &*out), (Some(0), "done = text\n"), "{given:?}: {err}");
    }
    let (status, out, err) = said(&[url, "note", "done=x"]);
    assert_eq!((status, &*out), (Some(0), "done = text\n"), "{err}");
    // One that is none of them, and one that is wrong inside.
    for (body, why) in [
        (
            raw("order", "<id>a</id>"),
            "is called by {urn:orders}order; there is {urn:orders}limit, {urn:orders}stop, {urn:orders}done",
        ),
        (raw("limit", "<id>a</id><price>much</price>"), "price"),
    ] {
        let (status, out, err) = said(&[url, "place", "--unchecked", "--body", &body]);
        assert_eq!(status, Some(1), "{out}{err}");
        assert!(out.starts_with("fault: Sender: ") && out.contains(why), "{out}{err}");
    }
    let log = served.log();
    assert!(!log.contains("is not served"), "{log}");
}
