//! What `soap serve` holds requests and rules against, as they came and before they come, and what it says of what it does not serve.

use std::fs;

use super::said;
use super::served::Served;

const WSDL: &str = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:t"
    xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:x="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t">
  <types><x:schema targetNamespace="urn:t" elementFormDefault="qualified">
    <x:element name="ask"><x:complexType><x:sequence>
      <x:element name="need" type="x:int" nillable="true"/>
      <x:element name="at" type="x:dateTime" minOccurs="0"/>
      <x:element name="for" type="x:duration" minOccurs="0"/>
      <x:element name="code" type="x:token" minOccurs="0"/>
      <x:element name="side" minOccurs="0"><x:simpleType><x:restriction base="x:string">
        <x:enumeration value="bid"/><x:enumeration value="ask"/></x:restriction></x:simpleType></x:element>
      <x:element name="count" type="x:int" minOccurs="0"/>
      <x:element name="price" type="x:decimal" minOccurs="0"/>
    </x:sequence></x:complexType></x:element>
    <x:element name="done"><x:complexType><x:sequence><x:element name="text" type="x:string"/>
      <x:element name="any" type="x:anyType" minOccurs="0"/></x:sequence></x:complexType></x:element>
    <x:element name="head"><x:complexType><x:sequence><x:element name="id" type="x:int"/></x:sequence></x:complexType></x:element>
  </x:schema></types>
  <message name="in"><part name="p" element="t:ask"/></message>
  <message name="out"><part name="p" element="t:done"/></message>
  <message name="head"><part name="h" element="t:head"/></message>
  <portType name="P"><operation name="first"><input message="t:in"/><output message="t:out"/></operation>
    <operation name="same"><input message="t:in"/><output message="t:out"/></operation>
    <operation name="begun"><output message="t:out"/></operation></portType>
  <binding name="B" type="t:P"><soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
    <operation name="first"><soap:operation soapAction="urn:a"/>
      <input><soap:body use="literal"/><soap:header message="t:head" part="h" use="literal"/></input>
      <output><soap:body use="literal"/></output></operation>
    <operation name="same"><soap:operation soapAction="urn:a"/>
      <input><soap:body use="literal"/></input><output><soap:body use="literal"/></output></operation>
    <operation name="begun"><output><soap:body use="literal"/></output></operation></binding>
  <service name="S"><port name="p" binding="t:B"><soap:address location="http://127.0.0.1:9/s.wsdl"/></port></service>
</definitions>"#;

fn url(served: &mut Served, arguments: &[&str]) -> String {
    let line = served.start_all(arguments).remove(0);
    line.split(' ').next().expect("a URL").to_owned()
}

#[test]
fn requests_are_held_against_the_schemas_as_they_came() {
    let mut served = Served::of("inspected", WSDL);
    let url = url(&mut served, &[]);
    let head = "<t:head xmlns:t='urn:t'><t:id>1</t:id></t:head>";
    let call = |body: &str, more: &[&str]| {
        let body = format!(
            "<t:ask xmlns:t='urn:t' xmlns:i='http://www.w3.org/2001/XMLSchema-instance'>{body}</t:ask>"
        );
        said(&[&[&*url, "first", "--unchecked", "--body", &body], more].concat())
    };
    for (body, more) in [
        ("<t:need>1</t:need>", &["--header", head][..]),
        ("<t:need i:nil='true'/>", &[]),
        ("<t:need>1</t:need>", &["--encoding", "fast-infoset", "--optimistic"]),
    ] {
        let (status, out, err) = call(body, more);
        assert_eq!((status, &*out), (Some(0), "text = text\n"), "{body}: {err}");
    }
    let wrong = head.replace('1', "x");
    for (body, more, why) in [
        ("", &[][..], "ask: it ends where {urn:t}need is expected"),
        ("", &["--encoding", "fast-infoset", "--optimistic"], "{urn:t}need is expected"),
        ("<t:need>1</t:need><t:code i:nil='true'/>", &[], "ask/code: "),
        ("<t:need>1</t:need>", &["--header", &wrong], "head/id: \"x\" is"),
        (
            "<t:need>1</t:need>",
            &["--header", head, "--header", head],
            "the header block {urn:t}head is there twice",
        ),
    ] {
        let (status, out, err) = call(body, more);
        assert_eq!(status, Some(1), "{body} {more:?}: {out}{err}");
        assert!(out.starts_with("fault: Sender: ") && out.contains(why), "{body} {more:?}: {out}");
    }
}

#[test]
fn what_is_not_served_is_not_shown() {
    let mut served = Served::of("not-served", WSDL);
    let url = url(&mut served, &[]);
    let log = served.log();
    assert!(
        log.contains("same is not served: it has the element and the action of first"),
        "{log}"
    );
    assert!(log.contains("begun is not served: the service would begin it"), "{log}");
    // The address ends as files do, and there is a page.
    let described = served.describe(&url);
    assert!(described.contains(&format!("trunkline soap call {url} first ")), "{described}");
    assert!(!described.contains("same") && !described.contains("begun"), "{described}");
    let (_, _, err) = said(&[&url, "same", "need=1"]);
    assert!(err.contains("has no operation same; there is first"), "{err}");
    // In the file they stand.
    let described = served.describe("quotes.wsdl");
    assert!(described.contains("no call can be given: the service begins it"), "{described}");
}

/// Also of a document as .NET writes it, with a mark before it, and of one that says how it is shown.
#[test]
fn what_is_not_served_is_not_shown_however_a_document_begins() {
    for (name, before) in [
        ("mark", "\u{FEFF}"),
        ("style", "<?xml version=\"1.0\"?><?xml-stylesheet href=\"a.css\"?>\n"),
    ] {
        let mut served = Served::of(&format!("not-shown-{name}"), &format!("{before}{WSDL}"));
        let url = url(&mut served, &[]);
        assert!(served.log().contains("begun is not served: "), "{name}: {}", served.log());
        let described = served.describe(&url);
        assert!(described.contains(" first "), "{name}: {described}");
        assert!(!described.contains("same") && !described.contains("begun"), "{name}: {described}");
    }
}

#[test]
fn rules_compare_values_however_they_are_written() {
    let mut served = Served::of("by-value", WSDL);
    let rule = |path: &str, value: &str, text: &str| {
        format!(
            "[[answer]]\noperation = 'first'\nwhen = {{ {path} = {value} }}\nresponse = {{ text = '{text}' }}\n"
        )
    };
    let rules = [
        rule("at", "'2000-01-01T00:00:00Z'", "text"),
        rule("at", "2001-01-01T00:00:00Z", "moment"),
        rule("for", "'P13M'", "duration"),
        rule("code", "' a  b '", "token"),
        rule("count", "7.0", "number"),
        rule("price", "12345678901234567.89", "digits"),
        "[[answer]]\noperation = 'first'\nwhen = { side = 'bid' }\n\
         fault = { code = 'Server.Busy', reason = 'no' }\n"
            .to_owned(),
        "[[answer]]\noperation = 'first'\nwhen = { side = 'ask' }\n\
         fault = { code = 'sender', subcode = '{urn:x}Closed', reason = 'no' }\n"
            .to_owned(),
    ];
    let file = served.folder.join("rules.toml");
    fs::write(&file, rules.concat()).expect("a file");
    let url = url(&mut served, &["--answers", "rules.toml"]);
    for (given, text) in [
        ("at=2000-01-01T00:00:00.000Z", "text"),
        ("at=2001-01-01T00:00:00Z", "moment"),
        ("for=P1Y1M", "duration"),
        ("code=a b", "token"),
        ("count=7", "number"),
        ("price=12345678901234567.890", "digits"),
        ("price=12345678901234567.88", "text"),
    ] {
        let (status, out, err) = said(&[&url, "first", "need=1", given]);
        assert_eq!((status, &*out), (Some(0), &*format!("text = {text}\n")), "{given}: {err}");
    }
    let raw = |given: &str| said(&[&url, "first", "need=1", given, "--raw"]).1;
    assert!(raw("side=bid").contains(":Server.Busy</faultcode>"), "{}", raw("side=bid"));
    assert!(raw("side=ask").contains(":Closed</faultcode>"), "{}", raw("side=ask"));
    for (path, value, why) in [
        ("side", "'asks'", "when: side: no request has \"asks\": it takes bid|ask"),
        ("at", "'today'", "when: at: no request has \"today\": it takes dateTime"),
        ("count", "7.5", "when: count: no request has \"7.5\": it takes int"),
    ] {
        fs::write(&file, rule(path, value, "x")).expect("a file");
        let error = served.failure(&["--answers", "rules.toml"]);
        assert!(error.contains("rules.toml:3:") && error.contains(why), "{error}");
    }
    for (fault, why) in [
        ("code = 'busy'", "unknown code `busy`, expected `sender` or `receiver`"),
        ("code = 'Server.'", "`Server.`: \"\" is no name"),
        ("subcode = 'Closed'", "fault: subcode: \"Closed\" is not {NAMESPACE}NAME"),
    ] {
        let rule =
            format!("[[answer]]\noperation = 'first'\nfault = {{ reason = 'no', {fault} }}\n");
        fs::write(&file, rule).expect("a file");
        let error = served.failure(&["--answers", "rules.toml"]);
        assert!(error.contains("rules.toml:3:") && error.contains(why), "{error}");
    }
}

#[test]
fn digits_of_answers_are_those_that_were_written() {
    let wsdl = WSDL.replace(
        r#"<x:element name="text" type="x:string"/>"#,
        r#"<x:element name="text" type="x:string"/><x:element name="price" type="x:decimal"/>"#,
    );
    let mut served = Served::of("digits", &wsdl);
    let file = served.folder.join("rules.toml");
    let answer = "[[answer]]\noperation = 'first'\nresponse = { text = 'x', price = VALUE }\n";
    fs::write(&file, answer.replace("VALUE", "18446744073709551615")).expect("a file");
    let error = served.failure(&["--answers", "rules.toml"]);
    let why = "; price: write it as a text, \"18446744073709551615\"";
    assert!(error.contains("rules.toml:3:") && error.contains(why), "{error}");
    let exact = "9007199254740993.100";
    fs::write(&file, answer.replace("VALUE", exact)).expect("a file");
    let url = self::url(&mut served, &["--answers", "rules.toml"]);
    let (_, out, err) = said(&[&url, "first", "need=1"]);
    assert_eq!(out, format!("text = x\nprice = {exact}\n"), "{err}");
}

#[test]
fn who_calls_shows_a_login_of_http() {
    let mut served = Served::of("users", WSDL);
    fs::write(served.folder.join("users"), "ann:secret\n").expect("a file");
    let password = served.folder.join("password").display().to_string();
    let url = url(&mut served, &["--users", "users"]);
    let call = |secret: &str| {
        fs::write(&password, secret).expect("a file");
        said(&[&url, "first", "need=1", "--user", "ann", "--password-file", &password])
    };
    let (status, out, err) = call("secret");
    assert_eq!((status, &*out), (Some(0), "text = text\n"), "{err}");
    let (status, _, err) = call("wrong");
    assert!(status == Some(2) && err.contains("the user or the password is wrong"), "{err}");
    let log = served.log();
    assert!(log.contains(" is turned away: "), "{log}");
    assert!(!log.contains("secret"), "{log}");
}
