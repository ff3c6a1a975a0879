//! Answers that are not as the WSDL has them, and those that it is hard to print: what is told of them, and that nothing of them is
//! lost.

use super::said;
use super::site::Site;

const WSDL: &str = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:t"
    xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:m="http://schemas.xmlsoap.org/wsdl/mime/"
    xmlns:x="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t">
  <types><x:schema targetNamespace="urn:t" elementFormDefault="qualified">
    <x:complexType name="Base"><x:sequence><x:element name="name" type="x:string"/></x:sequence></x:complexType>
    <x:complexType name="Pet"><x:complexContent><x:extension base="t:Base"><x:sequence>
      <x:element name="age" type="x:int" minOccurs="0"/></x:sequence></x:extension></x:complexContent></x:complexType>
    <x:element name="ask"><x:complexType><x:sequence>
      <x:element name="b" type="t:Base" minOccurs="0" maxOccurs="unbounded"/>
      <x:element name="any" type="x:anyType" minOccurs="0"/>
      <x:element name="note" minOccurs="0"><x:complexType mixed="true"><x:sequence>
        <x:element name="i" type="x:string" minOccurs="0" maxOccurs="unbounded"/></x:sequence></x:complexType></x:element>
      <x:element name="by" type="x:byte" minOccurs="0"/>
    </x:sequence></x:complexType></x:element>
    <x:element name="other" type="x:string"/>
    <x:complexType name="Bases"><x:complexContent><x:restriction base="c:Array" xmlns:c="http://schemas.xmlsoap.org/soap/encoding/">
      <x:attribute ref="c:arrayType" w:arrayType="t:Base[]" xmlns:w="http://schemas.xmlsoap.org/wsdl/"/></x:restriction></x:complexContent></x:complexType>
  </x:schema></types>
  <message name="both"><part name="p" element="t:other"/><part name="q" element="t:ask"/></message>
  <message name="list"><part name="l" type="t:Bases"/></message>
  <message name="in"><part name="p" element="t:ask"/></message>
  <message name="call"><part name="n" type="x:int"/></message>
  <message name="sent"><part name="p" element="t:ask"/><part name="picture" type="x:base64Binary"/></message>
  <portType name="P"><operation name="echo"><input message="t:in"/><output message="t:in"/></operation>
    <operation name="add"><input message="t:call"/><output message="t:call"/></operation>
    <operation name="begun"><output message="t:in"/></operation>
    <operation name="parts"><input message="t:in"/><output message="t:both"/></operation>
    <operation name="take"><input message="t:list"/><output message="t:list"/></operation>
    <operation name="send"><input message="t:sent"/><output message="t:in"/></operation></portType>
  <binding name="B" type="t:P"><soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
    <operation name="echo"><soap:operation soapAction="urn:echo"/>
      <input><soap:body use="literal"/></input><output><soap:body use="literal"/></output></operation>
    <operation name="add"><soap:operation soapAction="urn:add" style="rpc"/>
      <input><soap:body use="literal" namespace="urn:t"/></input><output><soap:body use="literal" namespace="urn:t"/></output></operation>
    <operation name="begun"><output><soap:body use="literal"/></output></operation>
    <operation name="parts"><soap:operation soapAction="urn:parts"/>
      <input><soap:body use="literal"/></input><output><soap:body use="literal"/></output></operation>
    <operation name="take"><soap:operation soapAction="urn:take" style="rpc"/>
      <input><soap:body use="encoded" namespace="urn:t" encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"/></input>
      <output><soap:body use="encoded" namespace="urn:t" encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"/></output></operation>
    <operation name="send"><soap:operation soapAction="urn:send"/>
      <input><m:multipartRelated><m:part><soap:body parts="p" use="literal"/></m:part>
        <m:part><m:content part="picture" type="image/png"/></m:part></m:multipartRelated></input>
      <output><soap:body use="literal"/></output></operation></binding>
  <service name="S"><port name="p" binding="t:B"><soap:address location="http://HOST/s"/></port></service>
</definitions>"#;

fn envelope(body: &str) -> String {
    format!(
        "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/' xmlns:t='urn:t' \
         xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' xmlns:xsd='http://www.w3.org/2001/XMLSchema'>\
         <e:Body>{body}</e:Body></e:Envelope>"
    )
}

/// What is said of a call of this operation that is answered so.
fn of(operation: &[&str], body: &str) -> (Option<i32>, String, String) {
    let site = Site::start(&[("/s?wsdl", WSDL)], &envelope(body));
    said(&[&[&*site.url("/s")], operation].concat())
}

const NOTE: &str = "the answer is not as the WSDL has it: ";

#[track_caller]
fn fits(operation: &[&str], body: &str, printed: &str) {
    let (status, out, err) = of(operation, body);
    assert_eq!((status, &*out), (Some(0), printed), "{body}: {err}");
    assert!(!err.contains(NOTE), "{body}: {err}");
}

#[test]
fn text_between_elements_is_printed_and_so_is_its_envelope() {
    let body = "<t:ask><t:note>one <t:i>two</t:i> <t:i/>&lt;three</t:note></t:ask>";
    let lines = "note:text[0] = one \nnote.i[0] = two\nnote:text[1] =  \nnote.i[1] = \nnote:text[2] = <three\n";
    fits(&["echo"], body, lines);
    let (status, out, err) = of(&["echo", "--raw"], body);
    assert_eq!((status, out.trim_end()), (Some(0), &*envelope(body)), "{err}");
    // Without a WSDL, too, and in what is to be understood and is not.
    let site = Site::start(&[], &envelope(body));
    let (_, out, err) = said(&[&site.url("/s"), "echo", "--namespace", "urn:t"]);
    assert_eq!(out, lines, "{err}");
    let strange = envelope(body).replace(
        "<e:Body>",
        "<e:Header><s:s xmlns:s='urn:s' e:mustUnderstand='1'/></e:Header><e:Body>",
    );
    let site = Site::start(&[("/s?wsdl", WSDL)], &strange);
    let (status, out, err) = said(&[&site.url("/s"), "echo", "--raw"]);
    assert_eq!((status, out.trim_end()), (Some(2), &*strange), "{err}");
    assert!(err.contains("must be understood"), "{err}");
    // The detail of a fault has it, too.
    let fault = "<e:Fault><faultcode>e:Server</faultcode><faultstring>no</faultstring><detail>\
        <t:why>because <t:i>x</t:i></t:why></detail></e:Fault>";
    let (status, out, err) = of(&["echo"], fault);
    assert_eq!(status, Some(1), "{err}");
    assert!(out.contains("\n  why:text[0] = because \n  why.i = x\n"), "{out}");
}

#[test]
fn types_of_answers_are_printed_as_requests_say_them() {
    let pets = "<t:ask><t:b><t:name>a</t:name></t:b><t:b xsi:type='t:Pet'><t:name>b</t:name></t:b>\
        <t:b xsi:type='t:Base'><t:name>c</t:name></t:b></t:ask>";
    let lines = "b[0].name = a\nb[1]:Pet = \nb[1].name = b\nb[2].name = c\n";
    fits(&["echo"], pets, lines);
    let (_, out, _) = of(&["echo", "--json"], pets);
    assert!(out.contains(r#"{"fact":"value","path":"b[1]:Pet","value":""}"#), "{out}");
    // A request takes what was printed.
    let given = ["echo", "b[0].name=a", "b[1]:Pet=", "b[1].name=b", "--dry-run"];
    let (status, out, err) = of(&given, pets);
    assert_eq!(status, Some(0), "{err}");
    assert!(out.contains(":type=\"") && out.contains("Pet\""), "{out}");
    let number = "<t:ask><t:any xsi:type='xsd:int'>5</t:any></t:ask>";
    fits(&["echo"], number, "any:int = 5\n");
}

#[test]
fn what_the_wsdl_does_not_have_is_told_and_printed() {
    for (body, printed, why) in [
        (
            "<t:other>x</t:other>",
            "other = x\n",
            "its Body has {urn:t}other, and should have {urn:t}ask",
        ),
        ("<ask/>", "ask = \n", "its Body has ask, and should have {urn:t}ask"),
        ("", "the answer is empty\n", "its Body is empty, and should have {urn:t}ask"),
        (
            "<t:ask><t:by>1</t:by></t:ask><t:other>x</t:other>",
            "by = 1\nother = x\n",
            "behind {urn:t}ask its Body has {urn:t}other",
        ),
        ("<t:ask><t:by>300</t:by></t:ask>", "by = 300\n", "by: \"300\" is"),
        ("<t:ask><t:by>1</t:by><t:bye>1</t:bye></t:ask>", "by = 1\nbye = 1\n", "bye: "),
    ] {
        let (status, out, err) = of(&["echo"], body);
        assert_eq!((status, &*out), (Some(0), printed), "{body}: {err}");
        assert!(err.contains(&format!("{NOTE}{why}")), "{body}: {err}");
    }
    let (status, out, err) = of(&["add", "n=1"], "<t:addResponse><n>x</n></t:addResponse>");
    assert_eq!((status, &*out), (Some(0), "n = x\n"), "{err}");
    assert!(err.contains(&format!("{NOTE}n: ")), "{err}");
    fits(&["add", "n=1"], "<t:addResponse><n>7</n></t:addResponse>", "n = 7\n");
    fits(&["echo"], "<t:ask><t:by>1</t:by></t:ask>", "by = 1\n");
}

#[test]
fn what_is_not_sent_is_told_and_what_nobody_calls_is_not_called() {
    let (status, _, err) = of(&["send", "by=1"], "<t:ask/>");
    assert_eq!(status, Some(0), "{err}");
    assert!(err.contains("attachments of the WSDL that are not sent: picture\n"), "{err}");
    let (status, out, err) = of(&["begun"], "<t:ask/>");
    assert_eq!((status, &*out), (Some(2), ""), "{err}");
    assert!(err.contains("begun: the service begins it, and nobody calls it"), "{err}");
}

/// However much else may stand there, which a message does not name to the end.
#[test]
fn what_is_missing_is_named() {
    let optional =
        |it: usize| format!("<x:element name=\"o{it}\" type=\"x:QName\" minOccurs=\"0\"/>");
    let more: String = (0..9).map(optional).collect();
    let needed = "<x:element name=\"last\" type=\"x:int\" default=\"7\"/>";
    let wsdl =
        WSDL.replace("<x:element name=\"by\"", &format!("{more}{needed}<x:element name=\"by\""));
    let site = Site::start(&[("/s?wsdl", &wsdl)], "");
    let (status, _, err) = said(&[&site.url("/s"), "echo"]);
    assert_eq!(status, Some(2), "{err}");
    assert!(err.contains("it ends where one of {urn:t}last, {urn:t}b,"), "{err}");
    let (status, _, err) = said(&[&site.url("/s"), "echo", "o1=p:a", "last=1"]);
    assert_eq!(status, Some(2), "{err}");
    assert!(
        err.contains("o1: \"p:a\" is no QName; --body takes XML that declares its prefix"),
        "{err}"
    );
}

/// The items of an array may be of types that are derived from the declared one.
#[test]
fn an_array_is_of_the_type_that_is_declared() {
    let given = ["take", "l[0].name=a", "l[1]:Pet=", "l[1].name=b", "--dry-run"];
    let (status, out, err) = of(&given, "");
    assert_eq!(status, Some(0), "{err}");
    assert!(out.contains(":Base[2]\"") && out.contains(":Pet\""), "{out}");
}

#[test]
fn an_answer_of_several_parts_is_printed_with_all_of_them() {
    let both = "<t:other>x</t:other><t:ask><t:by>1</t:by></t:ask>";
    fits(&["parts"], both, "other = x\nask.by = 1\n");
}

/// Each part is there, also one in which nothing has to be.
#[test]
fn a_part_that_an_answer_lacks_is_named() {
    for (operation, body, printed, why) in [
        (
            &["parts"][..],
            "<t:other>x</t:other>",
            "other = x\n",
            "its Body has no {urn:t}ask, which is its part q",
        ),
        (&["parts"], "<t:ask/>", "ask = \n", "its Body has no {urn:t}other, which is its part p"),
        (
            &["add", "n=1"],
            "<t:addResponse/>",
            "the answer is empty\n",
            "{urn:t}addResponse has no n, which is its part n",
        ),
    ] {
        let (status, out, err) = of(operation, body);
        assert_eq!((status, &*out), (Some(0), printed), "{body}: {err}");
        assert!(err.contains(&format!("{NOTE}{why}\n")), "{body}: {err}");
    }
}
