//! `convert` reads again what it has written; descriptions of what holds itself, of elements of other namespaces, of
//! ports at one address.

use std::fs;

use super::nil::{has_line, run};
use super::said;
use super::served::Served;

/// An rpc binding of operations with the same messages: `look`, and one that is called as the answer to it.
fn rpc(operations: &[&str], wrapped: &str) -> String {
    let of =
        |form: &dyn Fn(&str) -> String| operations.iter().map(|it| form(it)).collect::<String>();
    let body = format!(
        r#"<soap:body use="{wrapped}" namespace="urn:t"
        encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"/>"#
    );
    let in_type = of(&|name| {
        format!(
            "<operation name=\"{name}\"><input message=\"t:In\"/><output message=\"t:Out\"/><fault name=\"f\" message=\"t:Bad\"/></operation>"
        )
    });
    let bound = of(&|name| {
        format!(
            "<operation name=\"{name}\"><soap:operation soapAction=\"\"/><input>{body}</input><output>{body}</output>\
            <fault name=\"f\"><soap:fault name=\"f\" use=\"literal\"/></fault></operation>"
        )
    });
    format!(
        r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:t" xmlns:xsd="http://www.w3.org/2001/XMLSchema"
    xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" targetNamespace="urn:t">
  <types><xsd:schema targetNamespace="urn:t"><xsd:element name="refusal"><xsd:complexType><xsd:sequence>
    <xsd:element name="why" type="xsd:string"/></xsd:sequence></xsd:complexType></xsd:element></xsd:schema></types>
  <message name="In"><part name="symbol" type="xsd:string"/></message>
  <message name="Out"><part name="price" type="xsd:decimal"/></message>
  <message name="Bad"><part name="p" element="t:refusal"/></message>
  <portType name="T">{in_type}</portType>
  <binding name="B" type="t:T"><soap:binding style="rpc" transport="http://schemas.xmlsoap.org/soap/http"/>{bound}</binding>
  <service name="S"><port name="P" binding="t:B"><soap:address location="http://h/s"/></port></service>
</definitions>"#
    )
}

#[test]
fn messages_of_rpc_are_converted_there_and_back_by_their_names() {
    for wrapped in ["encoded", "literal"] {
        let served = Served::of(&format!("again-{wrapped}"), &rpc(&["look"], wrapped));
        let convert = |from: &str, to: &str, input: &str| {
            let arguments = ["convert", "--from", from, "--to", to, "--schema", "quotes.wsdl"];
            run(&served, &arguments, input)
        };
        let json = "{\"look\":{\"symbol\":\"A\"}}\n{\"lookResponse\":{\"price\":1.5}}\n{\"refusal\":{\"why\":\"no\"}}\n";
        for format in ["soap-1.1", "soap-1.2", "fast-infoset", "xml"] {
            let (status, there, err) = convert("json", format, json);
            assert_eq!((status, &*err), (Some(0), ""), "{wrapped} {format}");
            let (status, again, err) = convert(format, "json", &there);
            assert_eq!(
                (status, &*err, &*again),
                (Some(0), "", json),
                "{wrapped} {format}: {there}"
            );
        }
        // A fault is none of them, and what it is about is.
        let fault = "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body><e:Fault><faultcode>e:Server</faultcode>\
            <faultstring>no</faultstring><detail><t:refusal xmlns:t='urn:t'><why>no</why></t:refusal></detail></e:Fault></e:Body></e:Envelope>";
        let (status, out, err) = convert("soap-1.1", "json", fault);
        assert_eq!((status, &*out), (Some(1), ""), "{err}");
        assert!(
            err.contains("it is a fault (") && err.contains("json has no form for faults"),
            "{err}"
        );
    }
}

#[test]
fn a_name_of_several_messages_is_told_with_each_of_them() {
    let served = Served::of("again-ambiguous", &rpc(&["look", "lookResponse"], "literal"));
    let convert = |more: &[&str]| {
        let arguments =
            ["convert", "--from", "json", "--to", "soap-1.1", "--schema", "quotes.wsdl"];
        run(&served, &[&arguments[..], more].concat(), "{\"lookResponse\":{\"price\":1.5}}")
    };
    let (status, out, err) = convert(&[]);
    assert_eq!((status, &*out), (Some(1), ""), "{err}");
    let why = "lookResponse may be one of several messages; name its type (--type): look/response, lookResponse\n";
    assert!(err.ends_with(why), "{err}");
    let (status, out, err) = convert(&["--type", "look/response"]);
    assert_eq!((status, &*err), (Some(0), ""), "{out}");
    assert!(out.contains("<price>1.5</price>"), "{out}");
}

/// A document/literal service that is asked `ask` and answers `told`, of these types.
fn told(types: &str, ports: &str) -> String {
    format!(
        r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:t"
    xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" targetNamespace="urn:t">
  <types><schema xmlns="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t" elementFormDefault="qualified">{types}</schema></types>
  <message name="In"><part name="p" element="t:ask"/></message>
  <message name="Out"><part name="p" element="t:told"/></message>
  <portType name="T"><operation name="ask"><input message="t:In"/><output message="t:Out"/></operation></portType>
  <binding name="B" type="t:T"><soap:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>
    <operation name="ask"><soap:operation soapAction="urn:ask"/><input><soap:body use="literal"/></input>
      <output><soap:body use="literal"/></output></operation></binding>
  <service name="S">{ports}</service>
</definitions>"#
    )
}

const PORT: &str = r#"<port name="P" binding="t:B"><soap:address location="http://h/s"/></port>"#;

/// A list of what it is in ends with an empty one.
#[test]
fn what_lists_itself_is_called_and_answered() {
    let types = r#"<element name="ask" type="t:Node"/><element name="told" type="t:Node"/>
        <complexType name="Node"><sequence><element name="name" type="string"/><element name="inside" type="t:Nodes"/></sequence></complexType>
        <complexType name="Nodes"><sequence><element name="node" type="t:Node" minOccurs="0" maxOccurs="unbounded"/></sequence></complexType>"#;
    let mut served = Served::of("again-itself", &told(types, PORT));
    let started = served.start_all(&[]);
    let url = started[0].split(' ').next().expect("a URL");
    assert!(!served.log().contains("no "), "{}", served.log());
    let described = served.describe(url);
    let line = described.lines().find(|it| it.contains("trunkline soap call"));
    let line = line.unwrap_or_else(|| panic!("{described}"));
    let words = line.trim().strip_prefix("trunkline soap call ").expect("a call").replace('\'', "");
    let words: Vec<&str> = words.split(' ').collect();
    let (status, out, err) = said(&words);
    assert_eq!(status, Some(0), "{line}: {err}{}", served.log());
    assert!(out.contains("name = text\n"), "{out}");
}

/// Elements of any other namespace: `##other`.
#[test]
fn elements_of_other_namespaces_are_made_up_where_they_have_to_be() {
    let of = |least: &str| {
        format!(
            r###"<element name="ask" type="string"/><element name="told"><complexType><sequence><element name="name" type="string"/>
            <any namespace="##other" processContents="lax" minOccurs="{least}" maxOccurs="unbounded"/></sequence></complexType></element>"###
        )
    };
    for (least, has) in [("0", false), ("1", true)] {
        let mut served = Served::of(&format!("again-other-{least}"), &told(&of(least), PORT));
        let started = served.start_all(&[]);
        let url = started[0].split(' ').next().expect("a URL");
        assert!(!served.log().contains("valid"), "{}", served.log());
        let (status, out, err) = said(&[url, "ask", "ask=x", "--raw"]);
        assert_eq!(status, Some(0), "{err}{}", served.log());
        assert_eq!(out.contains("=\"urn:any\""), has, "{out}");
        fs::write(served.folder.join("answer.xml"), &out).expect("a file");
        let check = ["decode", "--schema", "quotes.wsdl", "--check", "answer.xml"];
        let (status, shown, err) = run(&served, &check, "");
        assert_eq!((status, &*err), (Some(0), ""), "{shown}");
    }
}

/// An element of any type has its own name, and need not be made up where it may be absent.
#[test]
fn elements_of_any_type_are_made_up_by_their_names() {
    let types = r#"<element name="ask" type="string"/><element name="told"><complexType><sequence>
        <element name="name" type="string"/><element name="has" type="anyType"/>
        <element name="may" type="anyType" minOccurs="0"/></sequence></complexType></element>"#;
    let mut served = Served::of("again-anytype", &told(types, PORT));
    let started = served.start_all(&[]);
    let url = started[0].split(' ').next().expect("a URL");
    let (status, out, err) = said(&[url, "ask", "ask=x", "--raw"]);
    assert_eq!(status, Some(0), "{err}{}", served.log());
    assert!(out.contains(":has ") && !out.contains("may"), "{out}");
}

#[test]
fn each_port_has_the_url_that_is_printed_for_it_though_the_description_has_one() {
    let types = r#"<element name="ask" type="string"/><element name="told" type="string"/>"#;
    let both = format!("{PORT}\n{}", PORT.replace("\"P\"", "\"Q\""));
    let mut served = Served::of("again-ports", &told(types, &both));
    let started = served.start_all(&[]);
    let urls: Vec<&str> = started.iter().map(|it| it.split(' ').next().expect("a URL")).collect();
    assert_ne!(urls[0], urls[1]);
    for url in &urls {
        let described = served.describe(url);
        for (port, url) in ["P", "Q"].iter().zip(&urls) {
            has_line(&described, &format!("port {port} {url} SOAP 1.1 over HTTP"));
        }
    }
    for (port, url) in ["P", "Q"].iter().zip(&urls) {
        let (status, out, err) = said(&[url, "ask", "ask=x", "--port", port]);
        assert_eq!((status, &*out), (Some(0), "told = text\n"), "{url} {port}: {err}");
    }
    let (status, _, err) = said(&[urls[0], "ask", "ask=x", "--port", "Q"]);
    assert_eq!(status, Some(2), "{err}");
    assert!(err.contains("is the port S/P, and --port says S/Q"), "{err}");
}

/// In a list, as a value, as a struct; what is absent is not.
#[test]
fn what_is_nil_is_shown_beside_other_elements() {
    let types = r#"<element name="ask" type="string"/><element name="told"><complexType><sequence>
        <element name="many" type="string" nillable="true" minOccurs="0" maxOccurs="unbounded"/>
        <element name="note" type="string" nillable="true"/>
        <element name="pair" nillable="true"><complexType><sequence><element name="left" type="int"/></sequence></complexType></element>
        <element name="plain" type="string" minOccurs="0"/>
        <element name="more" minOccurs="0"><complexType><sequence><element name="left" type="int"/></sequence></complexType></element>
        </sequence></complexType></element>"#;
    let served = Served::of("again-nil", &told(types, PORT));
    let answer = "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/' xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'>\
         <e:Body><told xmlns='urn:t'><many>a</many><many xsi:nil='true'/><note xsi:nil='true'/><pair xsi:nil='true'/></told>\
         </e:Body></e:Envelope>";
    let decode = ["decode", "--schema", "quotes.wsdl"];
    let (status, out, err) = run(&served, &decode, answer);
    assert_eq!((status, &*err), (Some(0), ""), "{out}");
    for line in ["many a, nil", "note nil", "pair nil"] {
        has_line(&out, line);
    }
    for absent in ["left", "plain", "more"] {
        assert!(!out.contains(absent), "{out}");
    }
}

/// What keys take is what JSON takes.
#[test]
fn a_number_beyond_the_largest_is_sent_by_neither_way() {
    let types = r#"<element name="ask"><complexType><sequence><element name="factor" type="double"/></sequence></complexType></element>
        <element name="told" type="string"/>"#;
    let served = Served::of("again-large", &told(types, PORT));
    let wsdl = served.folder.join("quotes.wsdl");
    let ask = |arguments: &[&str]| {
        let call = ["http://h/s", "ask", "--dry-run", "--wsdl", wsdl.to_str().expect("UTF-8")];
        said(&[&call[..], arguments].concat())
    };
    for arguments in [&["factor=1e400"][..], &["--body", r#"{"factor": 1e400}"#]] {
        let (status, out, err) = ask(arguments);
        assert_eq!((status, &*out), (Some(2), ""), "{arguments:?}: {err}");
        assert!(err.contains("factor"), "{err}");
    }
    for arguments in [&["factor=INF"][..], &["factor=1e300"], &["--body", r#"{"factor": 1e300}"#]] {
        let (status, _, err) = ask(arguments);
        assert_eq!(status, Some(0), "{arguments:?}: {err}");
    }
}
