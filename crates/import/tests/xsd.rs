//! What XML Schema means: documents come back as they were, and what is not understood is rejected with its place.

use std::sync::Arc;

use trunkline_import::xsd::{Name, Schemas};
use trunkline_import::{Description, Limits, Problem};
use trunkline_message::{Checks, Layout, Record, UnknownContent};
use trunkline_soap::{Decoder, Encoder, Layout as Form, Options, Plan, Style};

/// Files by their paths, the first of which is asked for.
fn read(files: &[(&str, &str)]) -> Result<Schemas, Problem> {
    let mut resolver = |path: &str| {
        let found = files.iter().find(|it| it.0 == path);
        Ok(found.map(|it| it.1.as_bytes().to_vec()))
    };
    Schemas::read(files[0].0, &mut resolver, &Limits::default())
}

/// A schema of `urn:a` with these definitions.
fn schema(definitions: &str) -> String {
    format!(
        "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema' targetNamespace='urn:a' xmlns:a='urn:a'>\n\
         {definitions}</xs:schema>"
    )
}

fn plan(schemas: &Schemas, element: &str) -> (Arc<Plan>, Arc<Layout>) {
    let name = Name::new("urn:a", element);
    let element = schemas.element(&name).expect("it is declared");
    let layout = Arc::new(schemas.layout(element).unwrap_or_else(|it| panic!("{it}")));
    let options = Options {
        style: Style::DocumentLiteral,
        layout: Form::Fragment,
        operation: name.local.to_string(),
        namespace: name.namespace.to_string(),
        qualified: false,
        zone: true,
        ..Options::default()
    };
    (Plan::new(&layout, &options).unwrap_or_else(|it| panic!("{it}")), layout)
}

/// Reads what is inside of the element `{urn:a}r`, and writes it again.
fn again(definitions: &str, attributes: &str, inside: &str) -> Result<String, String> {
    let text = schema(definitions);
    let schemas = read(&[("a.xsd", &text)]).unwrap_or_else(|it| panic!("{it}"));
    let (plan, layout) = plan(&schemas, "r");
    let document = format!("<ns:r xmlns:ns=\"urn:a\"{attributes}>{inside}</ns:r>");
    let mut record = Record::new(&layout);
    let mut decoder = Decoder::new(&plan).on_unknown(UnknownContent::Reject);
    decoder.decode(document.as_bytes(), &mut record).map_err(|it| it.to_string())?;
    let written = Encoder::new(&plan).encode(&record).map_err(|it| it.to_string())?.to_vec();
    let written = String::from_utf8(written).expect("text");
    let (_, inside) = written.split_once('>').expect("a start tag");
    Ok(inside.strip_suffix("</ns:r>").unwrap_or(inside).to_owned())
}

fn comes_back(definitions: &str, inside: &str) {
    assert_eq!(again(definitions, "", inside).as_deref(), Ok(inside), "{definitions}");
}

fn is_rejected(definitions: &str, inside: &str, why: &str) {
    let error = again(definitions, "", inside).expect_err(inside);
    assert!(error.contains(why), "{error}");
}

/// As the messages of FpML 4, each of which is the element `FpML` of another type.
#[test]
fn documents_of_a_derived_type_have_a_layout_each() {
    let text = schema(
        "<xs:complexType name='Base' abstract='true'><xs:sequence><xs:element name='id' type='xs:int'/></xs:sequence>\
         </xs:complexType>\
         <xs:complexType name='Trade'><xs:complexContent><xs:extension base='a:Base'><xs:sequence>\
         <xs:element name='price' type='xs:decimal'/></xs:sequence><xs:attribute name='version' type='xs:string'/>\
         </xs:extension></xs:complexContent></xs:complexType>\
         <xs:complexType name='Cancel'><xs:complexContent><xs:extension base='a:Base'/></xs:complexContent></xs:complexType>\
         <xs:element name='r' type='a:Base'/><xs:element name='in_no_document' type='a:Base' abstract='true'/>",
    );
    let mut files = |path: &str| Ok((path == "a.xsd").then(|| text.clone().into_bytes()));
    let read = Description::read("a.xsd", &Default::default(), &mut files, &Limits::default());
    let read = read.expect("a schema");
    assert_eq!(read.messages(), ["{urn:a}r/Cancel", "{urn:a}r/Trade"]);
    let named = |of: &str| read.names_of_element("r", "urn:a", Some((of, "urn:a")));
    assert_eq!(named("Trade"), ["{urn:a}r/Trade"]);
    assert_eq!(named("Base"), ["{urn:a}r"]);
    let error = read.message("r").unwrap_err().to_string();
    let expected =
        "is of an abstract type; ask for one of those that xsi:type may name: r/Trade, r/Cancel";
    assert!(error.ends_with(expected), "{error}");
    assert!(read.message("r/Base").expect("a name").is_none());

    let described = read.message("r/Trade").expect("a layout").expect("a message");
    let options = described.soap.expect("by a schema");
    let (fragment, layout) =
        (Options { layout: Form::Fragment, ..options.clone() }, Arc::new(described.layout));
    assert_eq!(layout.name(), "Trade");
    let start = "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:type=\"ns:Trade\"";
    let document = format!(
        "<ns:r xmlns:ns=\"urn:a\" {start} version=\"1\"><id>7</id><price>1.50</price></ns:r>"
    );
    let plan = Plan::new(&layout, &fragment).expect("a plan");
    let mut record = Record::new(&layout);
    let mut decoder = Decoder::new(&plan).on_unknown(UnknownContent::Reject);
    decoder.decode(document.as_bytes(), &mut record).expect("it is read");
    let written = Encoder::new(&plan).encode(&record).expect("it is written").to_vec();
    assert_eq!(String::from_utf8(written).expect("text"), document);
    for (wrong, found) in [("xsi:type=\"ns:Cancel\"", "{urn:a}Cancel"), ("", "none")] {
        let other = document.replace("xsi:type=\"ns:Trade\"", wrong);
        let error = decoder.decode(other.as_bytes(), &mut record).unwrap_err().to_string();
        let expected = format!("expected xsi:type to be {{urn:a}}Trade, not {found}");
        assert!(error.ends_with(&expected), "{error}");
    }
    decoder.decode(document.as_bytes(), &mut record).expect("it is read");
    // In an envelope as well.
    let plan = Plan::new(&layout, &options).expect("a plan");
    let written = Encoder::new(&plan).encode(&record).expect("it is written").to_vec();
    let written = String::from_utf8(written).expect("text");
    assert!(
        written.contains("<ns:r xmlns:ns=\"urn:a\" xsi:type=\"ns:Trade\" version"),
        "{written}"
    );
    Decoder::new(&plan).decode(written.as_bytes(), &mut record).expect("it is read");
}

/// The element `r` of a type with this inside.
fn element(inside: &str) -> String {
    format!("<xs:element name='r'><xs:complexType>{inside}</xs:complexType></xs:element>")
}

#[test]
fn sequences_have_members_and_lists() {
    let of = element(
        "<xs:sequence><xs:element name='a' type='xs:int'/><xs:element name='b' type='xs:string' minOccurs='0'/>\
         <xs:element name='c' type='xs:decimal' maxOccurs='unbounded'/></xs:sequence>",
    );
    comes_back(&of, "<a>1</a><c>1.5</c><c>2</c>");
    comes_back(&of, "<a>1</a><b>x</b><c>1.5</c>");
    is_rejected(&of, "<b>x</b><c>1</c>", "a");
    is_rejected(&of, "<a>1</a><a>2</a><c>1</c>", "a");
    is_rejected(&of, "<a>x</a><c>1</c>", "whole number");
    is_rejected(&of, "<a>1</a><c>1</c><d/>", "unknown");
}

#[test]
fn an_element_around_items_is_a_list() {
    let list = |occurs: &str| {
        element(&format!(
            "<xs:sequence><xs:element name='l' minOccurs='0'><xs:complexType><xs:sequence>\
             <xs:element name='i' type='xs:int' {occurs}/></xs:sequence></xs:complexType></xs:element></xs:sequence>"
        ))
    };
    let any = list("minOccurs='0' maxOccurs='unbounded'");
    let schemas = read(&[("a.xsd", &schema(&any))]).unwrap_or_else(|it| panic!("{it}"));
    assert_eq!(plan(&schemas, "r").1.scopes()[0].fields.len(), 1);
    for inside in ["", "<l></l>", "<l><i>1</i><i>2</i></l>"] {
        comes_back(&any, inside);
    }
    let two = list("minOccurs='2' maxOccurs='2'");
    comes_back(&two, "<l><i>1</i><i>2</i></l>");
    is_rejected(&two, "<l><i>1</i></l>", "");
}

#[test]
fn what_repeats_keeps_its_order() {
    let of = element(
        "<xs:sequence maxOccurs='unbounded'><xs:element name='a' type='xs:int'/>\
         <xs:element name='b' type='xs:string' minOccurs='0'/></xs:sequence>",
    );
    comes_back(&of, "<a>1</a><b>x</b><a>2</a><a>3</a><b>y</b>");
    let of = element(
        "<xs:choice maxOccurs='unbounded'><xs:element name='a' type='xs:int'/>\
         <xs:element name='b' type='xs:string'/></xs:choice>",
    );
    comes_back(&of, "<b>x</b><a>1</a><b>y</b>");
    // One name at two places.
    let of = element(
        "<xs:sequence><xs:element name='a' type='xs:int'/><xs:element name='b' type='xs:string'/>\
         <xs:element name='a' type='xs:int'/></xs:sequence>",
    );
    comes_back(&of, "<a>1</a><b>x</b><a>2</a>");
}

#[test]
fn choices_have_one_arm() {
    let of = element(
        "<xs:sequence><xs:choice><xs:element name='a' type='xs:int'/><xs:element name='b' type='xs:string'/>\
         </xs:choice><xs:choice minOccurs='0'><xs:element name='c' type='xs:int'/>\
         <xs:element name='d' type='xs:string'/></xs:choice></xs:sequence>",
    );
    comes_back(&of, "<b>x</b>");
    comes_back(&of, "<a>1</a><d>x</d>");
    is_rejected(&of, "<a>1</a><b>x</b>", "");
    is_rejected(&of, "<c>1</c>", "");
    // Arms of several elements are members that may be absent.
    let of = element(
        "<xs:choice><xs:sequence><xs:element name='a' type='xs:int'/><xs:element name='b' type='xs:string'/>\
         </xs:sequence><xs:element name='c' type='xs:int'/></xs:choice>",
    );
    comes_back(&of, "<a>1</a><b>x</b>");
    comes_back(&of, "<c>1</c>");
}

#[test]
fn groups_and_attributes_are_shared() {
    let of = "<xs:group name='g'><xs:all><xs:element name='a' type='xs:int'/></xs:all></xs:group>\
              <xs:attributeGroup name='h'><xs:attribute name='i' type='xs:int' use='required'/>\
              <xs:attribute ref='a:j'/></xs:attributeGroup><xs:attribute name='j' type='xs:string'/>";
    let of = format!(
        "{of}{}",
        element(
            "<xs:group ref='a:g'/><xs:attributeGroup ref='a:h'/><xs:attribute name='a' type='xs:boolean'/>"
        )
    );
    let attributes = " a=\"true\" i=\"1\" ns:j=\"x\"";
    assert_eq!(again(&of, attributes, "<a>1</a>").as_deref(), Ok("<a>1</a>"));
    assert!(again(&of, "", "<a>1</a>").is_err());
    assert!(again(&of, " i=\"1\" k=\"1\"", "<a>1</a>").is_err());
}

#[test]
fn types_are_derived_and_named_by_documents() {
    let of = "<xs:complexType name='B' abstract='true'><xs:sequence><xs:element name='a' type='xs:int'/>\
              </xs:sequence></xs:complexType>\
              <xs:complexType name='D'><xs:complexContent><xs:extension base='a:B'><xs:sequence>\
              <xs:element name='d' type='xs:string'/></xs:sequence></xs:extension></xs:complexContent></xs:complexType>\
              <xs:complexType name='E'><xs:complexContent><xs:extension base='a:B'/></xs:complexContent></xs:complexType>";
    let of =
        format!("{of}{}", element("<xs:sequence><xs:element name='b' type='a:B'/></xs:sequence>"));
    let xsi = " xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"";
    let derived = "<b xsi:type=\"ns:D\"><a>1</a><d>x</d></b>";
    assert_eq!(again(&of, xsi, derived).as_deref(), Ok(derived));
    assert!(again(&of, xsi, "<b><a>1</a></b>").expect_err("abstract").contains("xsi:type"));
    assert!(again(&of, xsi, "<b xsi:type=\"ns:B\"><a>1</a></b>").is_err());
}

#[test]
fn elements_stand_for_others() {
    let of = "<xs:element name='h' type='xs:string' abstract='true'/>\
              <xs:element name='s' type='xs:string' substitutionGroup='a:h'/>\
              <xs:element name='t' substitutionGroup='a:s'/>";
    let one = format!("{of}{}", element("<xs:sequence><xs:element ref='a:h'/></xs:sequence>"));
    comes_back(&one, "<ns:t>x</ns:t>");
    is_rejected(&one, "<ns:h>x</ns:h>", "");
    let optional = format!(
        "{of}{}",
        element("<xs:sequence><xs:element ref='a:s' minOccurs='0'/></xs:sequence>")
    );
    comes_back(&optional, "");
    comes_back(&optional, "<ns:s>x</ns:s>");
    let many = element("<xs:sequence><xs:element ref='a:h' maxOccurs='unbounded'/></xs:sequence>");
    comes_back(&format!("{of}{many}"), "<ns:t>x</ns:t><ns:s>y</ns:s><ns:t>z</ns:t>");
}

#[test]
fn simple_types_have_values_lists_and_texts() {
    let of = "<xs:simpleType name='S'><xs:restriction base='xs:string'><xs:enumeration value='on'/>\
              <xs:enumeration value='off'/></xs:restriction></xs:simpleType>\
              <xs:simpleType name='L'><xs:list itemType='xs:int'/></xs:simpleType>\
              <xs:simpleType name='U'><xs:union memberTypes='xs:int a:S'/></xs:simpleType>";
    let of = format!(
        "{of}{}",
        element(
            "<xs:sequence><xs:element name='s' type='a:S'/><xs:element name='l' type='a:L' maxOccurs='2'/>\
             <xs:element name='u' type='a:U'/><xs:element name='h' type='xs:hexBinary'/></xs:sequence>"
        )
    );
    comes_back(&of, "<s>on</s><l>1 2</l><l>3</l><u>off</u><h>00FF</h>");
    is_rejected(&of, "<s>x</s><l>1</l><u>1</u><h>00</h>", "one of on, off");
}

/// A value of a union is as one of its types has it, and so is each item of a list of such.
#[test]
fn values_of_unions_are_checked() {
    let definitions = "<xs:simpleType name='S'><xs:restriction base='xs:string'><xs:pattern value='[A-Z]{2}'/>\
        </xs:restriction></xs:simpleType><xs:simpleType name='L'><xs:list itemType='xs:decimal'/></xs:simpleType>\
        <xs:simpleType name='U'><xs:union memberTypes='xs:boolean xs:date a:S a:L'/></xs:simpleType>\
        <xs:simpleType name='T'><xs:union memberTypes='xs:int xs:string'/></xs:simpleType>\
        <xs:element name='r'><xs:complexType><xs:sequence><xs:element name='u' type='a:U'/>\
        <xs:element name='t' type='a:T'/></xs:sequence></xs:complexType></xs:element>";
    let text = schema(definitions);
    let schemas = read(&[("a.xsd", &text)]).unwrap_or_else(|it| panic!("{it}"));
    let (plan, layout) = plan(&schemas, "r");
    let checks = Checks::new(&layout).expect("facets");
    let check = |value: &str| {
        let mut record = Record::new(&layout);
        let document = format!("<a:r xmlns:a='urn:a'><u>{value}</u><t>anything</t></a:r>");
        Decoder::new(&plan).decode(document.as_bytes(), &mut record).expect("a text");
        checks.check(&record)
    };
    for value in ["true", " 2026-11-26 ", "AB", "1 -2.5\n3", ""] {
        assert_eq!(check(value), Ok(()), "{value}");
    }
    for value in ["maybe", "2026-11", "ABC", "1 x"] {
        assert!(check(value).is_err(), "{value}");
    }
}

/// `block` forbids documents what the schema would else let stand for an element.
#[test]
fn what_is_blocked_is_not_read() {
    let of = |block: &str| {
        format!(
            "<xs:complexType name='B'><xs:sequence><xs:element name='i' type='xs:int'/></xs:sequence></xs:complexType>\
             <xs:complexType name='E'><xs:complexContent><xs:extension base='a:B'><xs:sequence>\
             <xs:element name='j' type='xs:int'/></xs:sequence></xs:extension></xs:complexContent></xs:complexType>\
             <xs:complexType name='F'><xs:complexContent><xs:restriction base='a:B'><xs:sequence>\
             <xs:element name='i' type='xs:int'/></xs:sequence></xs:restriction></xs:complexContent></xs:complexType>\
             <xs:element name='h' type='a:B' {block}/><xs:element name='s' type='a:B' substitutionGroup='a:h'/>\
             <xs:element name='e' type='a:E' substitutionGroup='a:h'/>{}",
            element("<xs:sequence><xs:element ref='a:h'/></xs:sequence>")
        )
    };
    let xsi = "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"";
    let plain = "<ns:h><i>1</i></ns:h>";
    let substitute = "<ns:s><i>1</i></ns:s>";
    let extended = "<ns:e><i>1</i><j>2</j></ns:e>";
    let named = format!("<ns:h {xsi} xsi:type=\"ns:E\"><i>1</i><j>2</j></ns:h>");
    let is_read = |block: &str, inside: &str| again(&of(block), "", inside).is_ok();
    for (block, expected) in [
        ("", [true, true, true, true]),
        ("block='substitution'", [true, false, false, true]),
        ("block='extension'", [true, true, false, false]),
        ("block='restriction'", [true, true, true, true]),
        ("block='restriction extension'", [true, true, false, false]),
        ("block='#all'", [true, false, false, false]),
    ] {
        let found = [plain, substitute, extended, &named].map(|it| is_read(block, it));
        assert_eq!(found, expected, "{block}");
    }
}

/// As in XMI: `type` and `xmi:type`.
#[test]
fn attributes_of_one_name_are_told_apart_by_namespace() {
    let definitions = "<xs:attribute name='type' type='xs:int'/>";
    let of = format!(
        "{definitions}{}",
        element(
            "<xs:sequence><xs:element name='t'><xs:complexType><xs:sequence><xs:element name='type' type='xs:date'/>\
             </xs:sequence><xs:attribute name='type' type='xs:string'/><xs:attribute ref='a:type'/></xs:complexType>\
             </xs:element></xs:sequence>"
        )
    );
    comes_back(&of, "<t type=\"x\" ns:type=\"7\"><type>2026-11-26</type></t>");
}

#[test]
fn nil_and_defaults_are_kept_apart() {
    let of = element(
        "<xs:sequence><xs:element name='a' type='xs:int' nillable='true'/>\
         <xs:element name='b' type='xs:string' minOccurs='0' default='x'/>\
         <xs:element name='c' type='xs:string' default='y'/></xs:sequence>\
         <xs:attribute name='d' type='xs:string' default='z'/>",
    );
    let xsi = " xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"";
    let nil = "<a xsi:nil=\"true\"/><c></c>";
    let back = again(&of, xsi, nil).expect("it is read");
    assert_eq!(back, "<a xsi:nil=\"true\"></a><c>y</c>".replace("></a>", "/>"));
}

/// Senders of SOAP have their own order; where it counts, it is the schema's.
#[test]
fn the_order_of_elements_counts_where_it_is_asked_for() {
    let inside = |group: &str| {
        element(&format!(
            "<xs:{group}><xs:element name='a' type='xs:int' minOccurs='0'/><xs:element name='b'><xs:complexType><xs:sequence>\
             <xs:element name='c' type='xs:int'/><xs:element name='d' type='xs:int'/></xs:sequence></xs:complexType></xs:element>\
             <xs:element name='e' type='xs:int' minOccurs='0'/></xs:{group}><xs:attribute name='f' type='xs:int'/>"
        ))
    };
    let read = |group: &str, inside_of: &str| {
        let schemas = read(&[("a.xsd", &schema(&inside(group)))]).expect("a schema");
        let (plan, layout) = plan(&schemas, "r");
        let document = format!("<ns:r xmlns:ns=\"urn:a\" f=\"1\">{inside_of}</ns:r>");
        let mut record = Record::new(&layout);
        Decoder::new(&plan).decode(document.as_bytes(), &mut record).expect("any order is taken");
        let read = Decoder::new(&plan).in_order().decode(document.as_bytes(), &mut record);
        read.map_err(|it| it.to_string())
    };
    let b = "<b><c>1</c><d>2</d></b>";
    assert_eq!(read("sequence", &format!("<a>1</a>{b}<e>1</e>")), Ok(()));
    assert_eq!(read("sequence", b), Ok(()));
    for (wrong, path, other) in [
        (format!("{b}<a>1</a>"), "a", "b/c"),
        (format!("<e>1</e>{b}"), "b", "e"),
        ("<b><d>2</d><c>1</c></b>".into(), "b/c", "b/d"),
    ] {
        let error = read("sequence", &wrong).expect_err(&wrong);
        let expected = format!("expected the element before {other}, as the schema has them");
        assert!(
            error.starts_with(&format!("{path} at byte")) && error.ends_with(&expected),
            "{error}"
        );
    }
    assert_eq!(read("all", &format!("<e>1</e>{b}<a>1</a>")), Ok(()));
    assert!(read("all", "<b><d>2</d><c>1</c></b>").is_err());
}

#[test]
fn texts_stand_beside_attributes_and_elements() {
    let of = "<xs:element name='r'><xs:complexType><xs:simpleContent><xs:extension base='xs:decimal'>\
              <xs:attribute name='currency' type='xs:string'/></xs:extension></xs:simpleContent></xs:complexType></xs:element>";
    assert_eq!(again(of, " currency=\"EUR\"", "1.5").as_deref(), Ok("1.5"));
    let of = "<xs:element name='r'><xs:complexType mixed='true'><xs:sequence>\
              <xs:element name='b' type='xs:string' minOccurs='0' maxOccurs='unbounded'/></xs:sequence></xs:complexType></xs:element>";
    comes_back(of, "one <b>two</b> three");
    let of = "<xs:element name='r' type='xs:int'/>";
    comes_back(of, "7");
}

#[test]
fn any_content_is_kept() {
    let of = element(
        "<xs:sequence><xs:element name='a' type='xs:anyType'/>\
         <xs:any namespace='##other' minOccurs='0' maxOccurs='unbounded' processContents='lax'/></xs:sequence>",
    );
    comes_back(&of, "<a><x>1</x></a><b:c xmlns:b=\"urn:b\">1</b:c>");
    is_rejected(&of, "<a/><b/>", "unknown");
}

#[test]
fn what_holds_itself_is_read() {
    let of = "<xs:complexType name='T'><xs:sequence><xs:element name='v' type='xs:int'/>\
              <xs:element name='t' type='a:T' minOccurs='0' maxOccurs='unbounded'/></xs:sequence></xs:complexType>\
              <xs:element name='r' type='a:T'/>";
    comes_back(of, "<v>1</v><t><v>2</v><t><v>3</v></t></t><t><v>4</v></t>");
}

#[test]
fn schemas_include_import_and_redefine_others() {
    let main = schema(
        "<xs:include schemaLocation='more/b.xsd'/><xs:import namespace='urn:c' schemaLocation='http://h/c.xsd'/>\
         <xs:redefine schemaLocation='d.xsd'><xs:complexType name='D'><xs:complexContent><xs:extension base='a:D'>\
         <xs:sequence><xs:element name='e' type='a:B'/><xs:element ref='c:c' xmlns:c='urn:c'/></xs:sequence>\
         </xs:extension></xs:complexContent></xs:complexType></xs:redefine><xs:element name='r' type='a:D'/>",
    );
    // Without a namespace, it has that of what includes it; the one includes the other.
    let included = "<schema xmlns='http://www.w3.org/2001/XMLSchema'><include schemaLocation='../a.xsd'/>\
                    <simpleType name='B'><restriction base='int'/></simpleType></schema>";
    let imported = "<!DOCTYPE schema [<!ENTITY e 'e'>]><schema xmlns='http://www.w3.org/2001/XMLSchema' \
                    targetNamespace='urn:c'><element name='c' type='string'/></schema>";
    let redefined = schema(
        "<xs:complexType name='D'><xs:sequence><xs:element name='d' type='xs:int'/></xs:sequence></xs:complexType>",
    );
    let files = [
        ("a.xsd", &*main),
        ("more/b.xsd", included),
        ("http://h/c.xsd", imported),
        ("d.xsd", &redefined),
    ];
    let schemas = read(&files).unwrap_or_else(|it| panic!("{it}"));
    let (plan, layout) = plan(&schemas, "r");
    let document = "<a:r xmlns:a='urn:a'><d>1</d><e>2</e><c xmlns='urn:c'>x</c></a:r>";
    let mut record = Record::new(&layout);
    Decoder::new(&plan).decode(document.as_bytes(), &mut record).expect("it is read");
    let written = Encoder::new(&plan).encode(&record).expect("it is written").to_vec();
    let written = String::from_utf8(written).expect("text");
    assert!(written.contains("<d>1</d><e>2</e><n1:c>x</n1:c>"), "{written}");
    for (missing, why) in [
        (1, "a.xsd:2:1: there is no document more/b.xsd; put the file there"),
        (2, "a.xsd:2:42: there is no document http://h/c.xsd; nothing is fetched"),
    ] {
        let mut fewer = files.to_vec();
        fewer.remove(missing);
        let problem = read(&fewer).expect_err(why).to_string();
        assert!(problem.starts_with(why), "{problem}");
    }
}

/// Where the first document lies is not known, so that a path out of its folder may lead back into it.
#[test]
fn a_document_by_another_path_is_the_same() {
    let main = schema(
        "<xs:include schemaLocation='b.xsd'/><xs:include schemaLocation='../v1/b.xsd'/>\
         <xs:element name='r' type='a:B'/>",
    );
    let included =
        schema("<xs:simpleType name='B'><xs:restriction base='xs:int'/></xs:simpleType>");
    let files = [("a.xsd", &*main), ("b.xsd", &included), ("../v1/b.xsd", &included)];
    read(&files).unwrap_or_else(|it| panic!("{it}"));
}

/// As in UBL without the schema of the core components.
#[test]
fn types_of_what_is_not_there_are_texts_where_text_is_meant() {
    let definitions = "<xs:import namespace='urn:c'/>\
        <xs:complexType name='T'><xs:simpleContent><xs:extension xmlns:c='urn:c' base='c:T'>\
        <xs:attribute name='l' type='c:L'/></xs:extension></xs:simpleContent></xs:complexType>\
        <xs:simpleType name='S'><xs:restriction xmlns:c='urn:c' base='c:S'><xs:length value='2'/></xs:restriction>\
        </xs:simpleType>";
    let of = format!(
        "{definitions}{}",
        element(
            "<xs:sequence><xs:element name='t' type='a:T'/><xs:element name='s' type='a:S'/></xs:sequence>"
        )
    );
    comes_back(&of, "<t l=\"de\">x</t><s>ab</s>");
}

/// Most schemas import that of `xml:lang` from the Web.
#[test]
fn attributes_of_xml_need_no_schema() {
    let import = "<xs:import namespace='http://www.w3.org/XML/1998/namespace' schemaLocation='http://www.w3.org/2001/xml.xsd'/>";
    let of = format!(
        "{import}{}",
        element(
            "<xs:sequence><xs:element name='t'><xs:complexType><xs:simpleContent><xs:extension base='xs:string'>\
             <xs:attribute ref='xml:lang'/></xs:extension></xs:simpleContent></xs:complexType></xs:element></xs:sequence>"
        )
    );
    comes_back(&of, "<t xml:lang=\"de\">x</t>");
}

#[test]
fn what_is_wrong_is_rejected_with_its_place() {
    for (definitions, why) in [
        ("<xs:element name='r' type='a:T'/>", "a.xsd:2:1: the type {urn:a}T is not defined"),
        ("<xs:element name='r' type='b:T'/>", "a.xsd:2:1: the prefix of b:T is not declared"),
        (
            "<xs:element name='r'/><xs:element name='r'/>",
            "a.xsd:2:23: the element r is defined twice",
        ),
        ("<xs:elemnt name='r'/>", "a.xsd:2:1: elemnt is not expected there in schema"),
        ("<xs:element name='r' minOccurs='0'/>", "a.xsd:2:1: element has the attribute minOccurs"),
        ("<xs:element name='a b'/>", "a.xsd:2:1: name of element is \"a b\""),
    ] {
        let problem = read(&[("a.xsd", &schema(definitions))]).expect_err(why).to_string();
        assert!(problem.starts_with(why), "{problem}");
        assert!(problem.contains("; "), "{problem}");
    }
    let of = "<xs:complexType name='T'><xs:complexContent><xs:extension base='a:T'/></xs:complexContent></xs:complexType>";
    let problem = read(&[("a.xsd", &schema(of))]).expect_err("endless").to_string();
    assert!(problem.contains("is derived from itself"), "{problem}");
    for text in ["<a/>", "", "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"] {
        assert!(read(&[("a.xsd", text)]).is_err(), "{text}");
    }
}

#[test]
fn hostile_schemas_are_rejected_in_time() {
    // Groups, unions and groups of attributes that double at each step, and chains without end.
    let doubled = |what: &dyn Fn(usize) -> String| (1..60).map(what).collect::<String>();
    let groups = doubled(&|at| {
        format!(
            "<xs:group name='g{at}'><xs:sequence><xs:group ref='a:g{0}'/><xs:group ref='a:g{0}'/></xs:sequence></xs:group>",
            at - 1
        )
    });
    let groups = format!(
        "<xs:group name='g0'><xs:sequence><xs:element name='e'/></xs:sequence></xs:group>{groups}{}",
        element("<xs:group ref='a:g59'/>")
    );
    let unions = doubled(&|at| {
        format!(
            "<xs:simpleType name='u{at}'><xs:union memberTypes='a:u{0} a:u{0}'/></xs:simpleType>",
            at - 1
        )
    });
    let unions = format!(
        "<xs:simpleType name='u0'><xs:restriction base='xs:string'/></xs:simpleType>{unions}\
         <xs:element name='r' type='a:u59'/>"
    );
    let chain: String = (1..20_000)
        .map(|at| {
            format!(
                "<xs:complexType name='t{at}'><xs:complexContent><xs:extension base='a:t{}'/></xs:complexContent></xs:complexType>",
                at - 1
            )
        })
        .collect();
    let chain = format!("<xs:complexType name='t0'/>{chain}<xs:element name='r' type='a:t19999'/>");
    for definitions in [groups, unions, chain] {
        let problem = match read(&[("a.xsd", &schema(&definitions))]) {
            Ok(schemas) => {
                let element = schemas.element(&Name::new("urn:a", "r")).expect("it is declared");
                schemas.layout(element).expect_err("it is too much")
            }
            Err(problem) => problem,
        };
        assert!(problem.to_string().starts_with("a.xsd:"), "{problem}");
    }
    let attributes = doubled(&|at| {
        format!(
            "<xs:attributeGroup name='h{at}'><xs:attributeGroup ref='a:h{0}'/><xs:attributeGroup ref='a:h{0}'/></xs:attributeGroup>",
            at - 1
        )
    });
    let of = format!(
        "<xs:attributeGroup name='h0'><xs:attribute name='i' type='xs:int'/></xs:attributeGroup>{attributes}{}",
        element("<xs:attributeGroup ref='a:h59'/>")
    );
    assert_eq!(again(&of, " i=\"1\"", "").as_deref(), Ok(""));
}

#[test]
fn what_is_final_is_not_derived_from() {
    let of = |is_final: &str, derived: &str| {
        let definitions = format!(
            "<xs:complexType name='A' final='{is_final}'><xs:sequence><xs:element name='c' type='xs:int'/></xs:sequence></xs:complexType>\n\
             <xs:complexType name='B'><xs:complexContent><xs:{derived} base='a:A'><xs:sequence>\
             <xs:element name='c' type='xs:int'/></xs:sequence></xs:{derived}></xs:complexContent></xs:complexType>"
        );
        read(&[("a.xsd", &schema(&definitions))]).map(|_| ()).map_err(|it| it.to_string())
    };
    let why = "a.xsd:3:1: {urn:a}B is a restriction of {urn:a}A, which is final: a.xsd:2 says that there is none";
    for is_final in ["restriction", "#all", "extension restriction"] {
        let problem = of(is_final, "restriction").expect_err(is_final);
        assert!(problem.starts_with(why), "{problem}");
    }
    assert_eq!(of("extension", "restriction"), Ok(()));
    let lists = "<xs:simpleType name='A' final='list'><xs:restriction base='xs:int'/></xs:simpleType>\
                 <xs:simpleType name='B'><xs:list itemType='a:A'/></xs:simpleType>";
    let problem = read(&[("a.xsd", &schema(lists))]).map(|_| ()).expect_err("it is final");
    assert!(problem.what.contains("{urn:a}B is a list of {urn:a}A, which is final"), "{problem}");
    // What the schema says of all types, a type may say otherwise.
    let all = schema(
        "<xs:simpleType name='A' final=''><xs:restriction base='xs:int'/></xs:simpleType>\
         <xs:simpleType name='B'><xs:restriction base='a:A'/></xs:simpleType>",
    )
    .replace("targetNamespace", "finalDefault='#all' targetNamespace");
    assert!(read(&[("a.xsd", &all)]).is_ok());
    let problem = read(&[("a.xsd", &all.replace(" final=''", ""))]).map(|_| ()).expect_err("all");
    assert!(problem.what.contains("a restriction of {urn:a}A"), "{problem}");
}

/// Their values are not looked at, and who reads the schema is told.
#[test]
fn keys_have_names_and_refer_to_keys() {
    let of = |keys: &str| {
        let definitions = format!(
            "<xs:element name='r'><xs:complexType><xs:sequence><xs:element name='c' type='xs:int' maxOccurs='9'/>\
             </xs:sequence></xs:complexType>\n{keys}</xs:element>"
        );
        read(&[("a.xsd", &schema(&definitions))])
    };
    let key = "<xs:key name='K'><xs:selector xpath='c'/><xs:field xpath='.'/></xs:key>\n";
    let reference =
        "<xs:keyref name='R' refer='a:K'><xs:selector xpath='c'/><xs:field xpath='.'/></xs:keyref>";
    let read = of(&format!("{key}{reference}")).unwrap_or_else(|it| panic!("{it}"));
    let warnings: Vec<String> = read.warnings().iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "a.xsd:3:1: there are 2 keys, of which {urn:a}K is the first; whether values are unique, or those that they \
          refer to are there, is checked by `--check` alone"
        ]
    );
    for (keys, why) in [
        (format!("{key}{key}"), "a.xsd:4:1: the key {urn:a}K is defined twice"),
        (
            reference.to_owned(),
            "a.xsd:3:1: the key {urn:a}K that {urn:a}R refers to is not defined",
        ),
        (
            format!(
                "{key}{}",
                reference.replace("</xs:keyref>", "<xs:field xpath='@b'/></xs:keyref>")
            ),
            "a.xsd:4:1: {urn:a}R has 2 fields, and the key {urn:a}K that it refers to has 1",
        ),
    ] {
        let problem = of(&keys).map(|_| ()).expect_err(why).to_string();
        assert!(problem.starts_with(why), "{problem}");
    }
}

/// A type that elements, attributes and wildcards are restricted of.
const RESTRICTED: &str = "<xs:complexType name='A'><xs:sequence><xs:element name='a' type='xs:int' maxOccurs='3'/>\
    <xs:choice minOccurs='0'><xs:element name='b' type='xs:int'/><xs:element ref='a:head'/></xs:choice>\
    <xs:any namespace='##other' minOccurs='0'/></xs:sequence>\
    <xs:attribute name='p' use='required'/><xs:attribute name='q' fixed='1'/><xs:attribute name='r'/>\
    <xs:anyAttribute namespace='urn:x urn:y' processContents='lax'/></xs:complexType>\
    <xs:element name='head' type='xs:int'/><xs:element name='member' type='xs:int' substitutionGroup='a:head'/>\n";

/// A restriction of it, with this inside.
fn restricted(inside: &str) -> Result<(), String> {
    let derived = format!(
        "{RESTRICTED}<xs:complexType name='B'><xs:complexContent><xs:restriction base='a:A'>{inside}</xs:restriction>\
         </xs:complexContent></xs:complexType>"
    );
    read(&[("a.xsd", &schema(&derived))]).map(|_| ()).map_err(|it| it.to_string())
}

/// One with these elements; one with an element that has to be there, and these attributes.
fn with(particles: &str) -> Result<(), String> {
    restricted(&format!("<xs:sequence>{particles}</xs:sequence>"))
}

fn also(attributes: &str) -> Result<(), String> {
    restricted(&format!(
        "<xs:sequence><xs:element name='a' type='xs:int'/></xs:sequence>{attributes}"
    ))
}

#[test]
fn what_restricts_a_type_allows_no_more() {
    let a = "<xs:element name='a' type='xs:int'/>";
    let other = "<xs:any namespace='##other' minOccurs='0' processContents=";
    for (is, why) in [
        (with(&format!("{a}<xs:element name='c' type='xs:int'/>")), "which has no element c"),
        (
            with(&format!("<xs:sequence maxOccurs='2'>{a}{a}</xs:sequence>")),
            "which has a 3 times at most",
        ),
        (with("<xs:element name='b' type='xs:int'/>"), "which has a 1 times at least"),
        (
            with(&format!("<xs:choice>{a}<xs:element name='b' type='xs:int'/></xs:choice>")),
            "1 times at least",
        ),
        (restricted(""), "which has a 1 times at least"),
        (
            with(&format!("{a}<xs:any minOccurs='0'/>")),
            "which takes elements of other namespaces only",
        ),
        (
            with(&format!("{a}{other}'skip'/>")),
            "which checks elements of any name more (processContents)",
        ),
        (also("<xs:attribute name='p'/>"), "which requires the attribute p"),
        (also("<xs:attribute name='p' use='prohibited'/>"), "which requires the attribute p"),
        (also("<xs:attribute name='q'/>"), "where the attribute q is fixed"),
        (also("<xs:attribute name='s'/>"), "which has no attribute s"),
        (
            also("<xs:anyAttribute namespace='urn:x urn:z' processContents='lax'/>"),
            "attributes of other namespaces only",
        ),
        (
            also("<xs:anyAttribute namespace='urn:x' processContents='skip'/>"),
            "which checks attributes of any name more",
        ),
    ] {
        let problem = is.expect_err(why);
        assert!(problem.starts_with("a.xsd:3:"), "{problem}");
        assert!(
            problem.contains("{urn:a}B is a restriction of {urn:a}A, ") && problem.contains(why),
            "{problem}"
        );
    }
}

#[test]
fn what_restricts_a_type_is_taken() {
    let a = "<xs:element name='a' type='xs:int'/>";
    let other = "<xs:any namespace='##other' minOccurs='0' processContents=";
    for is in [
        with(&format!("{a}<xs:element name='b' type='xs:int'/>{other}'strict'/>")),
        // In groups of their own, a member for its head, an element for those of any name.
        with(&format!(
            "<xs:sequence>{a}<xs:sequence/></xs:sequence><xs:choice><xs:element ref='a:member'/></xs:choice>"
        )),
        with(&format!(
            "<xs:sequence maxOccurs='3'>{a}</xs:sequence><xs:element name='c' type='xs:int' minOccurs='0' maxOccurs='0'/>"
        )),
        also(
            "<xs:attribute name='p' use='required' fixed='2'/><xs:attribute name='r' use='prohibited'/>",
        ),
        also("<xs:attribute name='q' use='prohibited'/><xs:anyAttribute namespace='urn:y'/>"),
        also("<xs:anyAttribute namespace='urn:y urn:x' processContents='lax'/>"),
    ] {
        assert_eq!(is, Ok(()));
    }
    // What is not known, or prohibited by a group, or of no namespace at all.
    for definitions in [
        "<xs:import namespace='urn:x'/><xs:complexType name='A'><xs:simpleContent><xs:restriction base='x:T'/></xs:simpleContent></xs:complexType><xs:complexType name='B'><xs:simpleContent><xs:restriction base='a:A'><xs:attribute name='p'/></xs:restriction></xs:simpleContent></xs:complexType>",
        "<xs:attributeGroup name='G'><xs:attribute name='p' use='prohibited'/></xs:attributeGroup><xs:complexType name='A'><xs:attribute name='p' use='required'/></xs:complexType>\
         <xs:complexType name='B'><xs:complexContent><xs:restriction base='a:A'><xs:attributeGroup ref='a:G'/><xs:anyAttribute namespace=''/></xs:restriction></xs:complexContent></xs:complexType>",
    ] {
        let schema = schema(definitions).replace("xmlns:a=", "xmlns:x='urn:x' xmlns:a=");
        assert!(read(&[("a.xsd", &schema)]).is_ok(), "{definitions}");
    }
    // Whatever has any content is restricted by whatever is said.
    let any = "<xs:complexType name='A'><xs:complexContent><xs:extension base='xs:anyType'/></xs:complexContent></xs:complexType>\
               <xs:complexType name='B'><xs:complexContent><xs:restriction base='a:A'><xs:sequence><xs:element name='e'/></xs:sequence>\
               <xs:attribute name='p'/></xs:restriction></xs:complexContent></xs:complexType>";
    assert!(read(&[("a.xsd", &schema(any))]).is_ok());
}

/// Part 1, section 4.2.2.
#[test]
fn a_group_of_attributes_that_is_redefined_takes_no_more() {
    let group = |inside: &str| {
        let redefining = format!(
            "<xs:redefine schemaLocation='b.xsd'><xs:attributeGroup name='G'>{inside}</xs:attributeGroup></xs:redefine>"
        );
        let old =
            "<xs:attributeGroup name='G'><xs:attribute name='p' fixed='1'/></xs:attributeGroup>";
        read(&[("a.xsd", &schema(&redefining)), ("b.xsd", &schema(old))])
            .map(|_| ())
            .map_err(|it| it.to_string())
    };
    assert_eq!(group("<xs:attribute name='p' fixed='1'/>"), Ok(()));
    assert_eq!(group("<xs:attributeGroup ref='a:G'/><xs:attribute name='q'/>"), Ok(()));
    for (inside, why) in
        [("<xs:attribute name='p'/>", "p is fixed"), ("<xs:attribute name='q'/>", "no attribute q")]
    {
        let problem = group(inside).expect_err(why);
        assert!(problem.contains("{urn:a}G is redefined") && problem.contains(why), "{problem}");
    }
}
