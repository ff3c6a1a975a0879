//! What keys of `trunkline soap call` can say of choices, derived types, encoded types of several namespaces, and what they
//! cannot.

use super::said;
use super::site::Site;

const ANSWER: &str = "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body>\
    <r><text>yes</text></r></e:Body></e:Envelope>";

const SHAPES: &str = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:t"
    xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" targetNamespace="urn:t">
  <types><schema xmlns="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t" elementFormDefault="qualified">
    <complexType name="Shape"><sequence><element name="name" type="string"/></sequence></complexType>
    <complexType name="Circle"><complexContent><extension base="t:Shape"><sequence>
      <element name="radius" type="int"/></sequence><attribute name="unit" type="string"/></extension></complexContent></complexType>
    <complexType name="Square"><complexContent><extension base="t:Shape"><sequence>
      <element name="side" type="int"/></sequence></extension></complexContent></complexType>
    <element name="Fill" type="string" abstract="true"/>
    <element name="Colour" type="string" substitutionGroup="t:Fill"/>
    <element name="Pattern" type="string" substitutionGroup="t:Fill"/>
    <simpleType name="Lots"><restriction base="int"><minInclusive value="1"/><maxInclusive value="5"/></restriction></simpleType>
    <simpleType name="Code"><restriction base="string"><pattern value="[A-Z]{3}"/></restriction></simpleType>
    <element name="draw"><complexType><sequence>
      <element name="shape" type="t:Shape" minOccurs="0" maxOccurs="unbounded"/>
      <choice><element name="lots" type="t:Lots"/><element name="code" type="t:Code"/></choice>
      <element ref="t:Fill" minOccurs="0"/>
      <choice minOccurs="0" maxOccurs="unbounded"><element name="up" type="int"/><element name="down" type="int"/></choice>
    </sequence></complexType></element>
    <element name="wild"><complexType><sequence><any processContents="lax"/></sequence></complexType></element>
  </schema></types>
  <message name="Draw"><part name="p" element="t:draw"/></message>
  <message name="Wild"><part name="p" element="t:wild"/></message>
  <portType name="T"><operation name="draw"><input message="t:Draw"/></operation>
    <operation name="wild"><input message="t:Wild"/></operation></portType>
  <binding name="B" type="t:T"><soap:binding style="document"/>
    <operation name="draw"><input><soap:body use="literal"/></input></operation>
    <operation name="wild"><input><soap:body use="literal"/></input></operation></binding>
</definitions>"#;

fn call(wsdl: &str, arguments: &[&str]) -> (Option<i32>, String, String, String) {
    let site = Site::start(&[("/?wsdl", wsdl)], ANSWER);
    let (status, out, err) = said(&[&[&*site.url("/")], arguments].concat());
    (status, out, err, site.asked().posted.concat())
}

/// The words are in what was sent, one behind the other.
#[track_caller]
fn is_sent(wsdl: &str, arguments: &[&str], words: &[&str]) {
    let (status, out, err, sent) = call(wsdl, arguments);
    assert_eq!((status, &*out), (Some(0), "text = yes\n"), "{arguments:?}: {err}");
    let mut rest = &*sent;
    for word in words {
        let at = rest.find(word).unwrap_or_else(|| panic!("{arguments:?}: no {word:?} in {rest}"));
        rest = &rest[at + word.len()..];
    }
}

#[track_caller]
fn is_rejected(wsdl: &str, arguments: &[&str], words: &str) {
    let (status, out, err, sent) = call(wsdl, arguments);
    assert_eq!((status, &*out, &*sent), (Some(2), "", ""), "{arguments:?}: {err}");
    assert!(err.contains(words), "{arguments:?}: no {words:?} in {err}");
    assert_eq!(err.lines().count(), 1, "{err}");
}

#[test]
fn one_of_a_choice_is_given() {
    is_sent(SHAPES, &["draw", "lots=5"], &["lots>5</"]);
    is_sent(SHAPES, &["draw", "Colour=red", "code=ABC"], &["code>ABC</", "Colour>red</"]);
    is_rejected(SHAPES, &["draw"], "draw needs one of lots, code; say lots=VALUE");
    is_rejected(
        SHAPES,
        &["draw", "lots=1", "code=ABC"],
        "lots and code: draw takes one of lots, code",
    );
    is_rejected(
        SHAPES,
        &["draw", "lots=1", "Colour=a", "Pattern=b"],
        "takes one of Colour, Pattern",
    );
    is_rejected(SHAPES, &["draw", "lots=1", "Fill=a"], "\"Fill\": draw takes ");
    // Facets of every kind.
    is_rejected(SHAPES, &["draw", "lots=6"], "lots=6: it takes int: it is more than 5");
    is_rejected(
        SHAPES,
        &["draw", "code=AB"],
        "code=AB: it takes string: \"AB\" is not as the pattern",
    );
}

/// What repeats stands as it was given: its order means something.
#[test]
fn a_choice_that_repeats_keeps_its_order() {
    let given = ["draw", "lots=1", "up[0]=1", "down[0]=2", "up[1]=3"];
    is_sent(SHAPES, &given, &["up>1</", "down>2</", "up>3</"]);
}

#[test]
fn an_element_may_be_of_a_derived_type() {
    let circle = ["draw", "lots=1", "shape.radius=3", "shape.name=a", "shape@unit=mm"];
    is_sent(
        SHAPES,
        &circle,
        &["xsi:type=\"", ":Circle\"", "unit=\"mm\"", "name>a</", "radius>3</"],
    );
    let both = [
        "draw",
        "lots=1",
        "shape[0].name=a",
        "shape[1]:Square=",
        "shape[1].name=b",
        "shape[1].side=2",
    ];
    is_sent(SHAPES, &both, &["shape><", "name>a</", ":Square\"", "name>b</", "side>2</"]);
    let (_, _, _, sent) = call(SHAPES, &["draw", "lots=1", "shape.name=a"]);
    assert!(!sent.contains("xsi:type"), "{sent}");
    is_rejected(
        SHAPES,
        &["draw", "lots=1", "shape:Sqare=", "shape.name=b"],
        "shape is one of Shape, Circle, Square, not Sqare; did you mean Square?",
    );
    is_rejected(
        SHAPES,
        &["draw", "lots=1", "shape.radius=3"],
        "shape.name is missing: Circle takes ",
    );
    is_rejected(
        SHAPES,
        &["draw", "lots=1", "shape.corner=3"],
        "\"shape.corner\": Shape takes name",
    );
}

/// An element of any name has no key; the whole request is sent by `--body`.
#[test]
fn what_keys_cannot_say_is_said_as_a_whole() {
    is_rejected(SHAPES, &["wild"], "wild needs an element of any name (xsd:any)");
    let body = "<wild xmlns='urn:t'><o:own xmlns:o='urn:o'/></wild>";
    is_sent(SHAPES, &["wild", "--body", body], &["<o:own"]);
}

const ENCODED: &str = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:t" xmlns:a="urn:a"
    xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" xmlns:xsd="http://www.w3.org/2001/XMLSchema"
    xmlns:enc="http://schemas.xmlsoap.org/soap/encoding/"
    xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" targetNamespace="urn:t">
  <types>
    <xsd:schema targetNamespace="urn:a">
      <xsd:complexType name="Leg"><xsd:all><xsd:element name="symbol" type="xsd:string"/></xsd:all></xsd:complexType>
      <xsd:simpleType name="Side"><xsd:restriction base="xsd:string"><xsd:enumeration value="buy"/></xsd:restriction></xsd:simpleType>
    </xsd:schema>
    <xsd:schema targetNamespace="urn:t"><xsd:import namespace="urn:a"/>
      <xsd:complexType name="Legs"><xsd:complexContent><xsd:restriction base="enc:Array">
        <xsd:attribute ref="enc:arrayType" wsdl:arrayType="a:Leg[]"/></xsd:restriction></xsd:complexContent></xsd:complexType>
      <xsd:complexType name="Grid"><xsd:complexContent><xsd:restriction base="enc:Array">
        <xsd:attribute ref="enc:arrayType" wsdl:arrayType="xsd:int[,]"/></xsd:restriction></xsd:complexContent></xsd:complexType>
    </xsd:schema></types>
  <message name="In"><part name="leg" type="a:Leg"/><part name="side" type="a:Side"/><part name="legs" type="t:Legs"/></message>
  <message name="Of"><part name="grid" type="t:Grid"/></message>
  <portType name="T"><operation name="ask"><input message="t:In"/></operation>
    <operation name="fill"><input message="t:Of"/></operation></portType>
  <binding name="B" type="t:T"><soap:binding style="rpc"/><operation name="ask"><input>
    <soap:body use="encoded" namespace="urn:t" encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"/>
  </input></operation><operation name="fill"><input>
    <soap:body use="encoded" namespace="urn:t" encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"/>
  </input></operation></binding>
</definitions>"#;

#[test]
fn encoded_types_are_named_in_their_own_namespaces() {
    let given = ["ask", "leg.symbol=A", "side=buy", "legs[0].symbol=B", "legs[1].symbol=C"];
    let (status, _, err, sent) = call(ENCODED, &given);
    assert_eq!(status, Some(0), "{err}");
    let at = sent.find("=\"urn:a\"").unwrap_or_else(|| panic!("no urn:a in {sent}"));
    let prefix = sent[..at].rsplit("xmlns:").next().expect("a prefix");
    for word in
        [format!("\"{prefix}:Leg\""), format!("\"{prefix}:Side\""), format!("\"{prefix}:Leg[2]\"")]
    {
        assert!(sent.contains(&word), "no {word} in {sent}");
    }
}

#[test]
fn an_array_of_several_dimensions_is_sent_row_by_row() {
    let given = [
        "fill",
        "grid[0].item[0]=1",
        "grid[0].item[1]=2",
        "grid[1].item[0]=3",
        "grid[1].item[1]=4",
    ];
    let (status, _, err, sent) = call(ENCODED, &given);
    assert_eq!(status, Some(0), "{err}");
    let at = sent.find(":int[2,2]\"").unwrap_or_else(|| panic!("no int[2,2] in {sent}"));
    let items: Vec<&str> =
        sent[at..].split("</").filter_map(|it| it.rsplit_once('>')).map(|it| it.1).collect();
    assert_eq!(items[..4], ["1", "2", "3", "4"], "{sent}");
    is_rejected(ENCODED, &["fill", "grid=1"], "grid");
    let ragged = ["fill", "grid[0].item[0]=1", "grid[0].item[1]=2", "grid[1].item[0]=3"];
    is_rejected(ENCODED, &ragged, "the same number of items: row 1 has 1, and the first 2");
    // A name that is nobody's is none of an item.
    for (given, why) in [
        (
            &["fill", "grid[0].itme[0]=1"][..],
            r#""grid[0].itme": grid[0] is a list of int, whose items are grid[0].item[0], "#,
        ),
        (&["fill", "grid[0].itme[0]=1"], "did you mean item?"),
        (&["fill", "grid[0].item[0]=1", "grid[0].itme[1]=1"], "did you mean item?"),
        (
            &["fill", "grid[0].item[0]=1", "grid[0].int[1]=2"],
            "its items are called item and int: say one of the two",
        ),
        (&["fill", "grid[0].item[1]=2"], "grid[0].item[0] is missing before others"),
        (&["ask", "leg.symbol=A", "side=buy", "legs.symbl=B"], "did you mean symbol?"),
        (&["ask", "leg.symbol=A", "side=buy", "legs.Legg[0].symbol=B"], "did you mean Leg?"),
    ] {
        is_rejected(ENCODED, given, why);
    }
}

/// What has no form is told with its place, and can be sent as it is.
#[test]
fn what_has_no_form_is_sent_as_it_is() {
    let cube = ENCODED.replace("xsd:int[,]", "xsd:anyType[,]");
    let why = "an array of several dimensions with items of any type, for which there is no form";
    is_rejected(&cube, &["fill", "grid=1"], why);
    is_rejected(&cube, &["fill", "grid=1"], "an envelope can be sent as it is, by --body");
    let body = "<t:fill xmlns:t='urn:t'><grid/></t:fill>";
    let (status, _, err, sent) = call(&cube, &["fill", "--body", body]);
    assert_eq!(status, Some(0), "{err}");
    assert!(
        err.starts_with("it is not held against the WSDL: ") && sent.contains("<grid/>"),
        "{err}"
    );
}
