//! Descriptions of services, and the tools that read them.

mod services;

use std::path::PathBuf;
use std::sync::Arc;
use std::{env, fs};

use services::{
    STYLES, all_paths, drawing, literal_paths, noted, one_a_path, orders, schema, shapes,
};
use trunkline_message::{Group, Layout, Message, Record, Structure as _};
use trunkline_session::soap::wsdl::{self, Description};
use trunkline_soap::{self as soap, Encoder, Options, Plan, Style};
use trunkline_wire::{Code, Date, Decimal, Text, Time, Timestamp};

fn golden() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../golden/wsdl"))
}

/// Every golden file, without the ending, and its description.
fn all() -> Vec<(String, Description)> {
    let mut all = one_a_path();
    all.push(("all-paths".into(), all_paths()));
    all.push(("literal-paths".into(), literal_paths()));
    for (name, style, wrapped) in STYLES {
        all.push((format!("orders-{name}"), orders(&[(name, style, wrapped)])));
    }
    all.push(("orders-all".into(), orders(&STYLES)));
    for (name, style, wrapped) in &STYLES[..3] {
        all.push((format!("shapes-{name}"), shapes(&[(*name, *style, *wrapped)])));
    }
    let mut unqualified = shapes(&[STYLES[1]]);
    unqualified.bindings.iter_mut().for_each(|it| it.qualified = false);
    all.push(("shapes-doc-literal-wrapped-unqualified".into(), unqualified));
    all.push(("drawing-doc-literal".into(), drawing(STYLES[0], true)));
    all.push(("drawing-doc-literal-unqualified".into(), drawing(STYLES[0], false)));
    all.push(("noted-doc-literal".into(), noted(STYLES[0], true)));
    all.push(("noted-doc-literal-wrapped".into(), noted(STYLES[1], true)));
    all.push(("noted-doc-literal-wrapped-unqualified".into(), noted(STYLES[1], false)));
    all
}

#[test]
fn documents_are_as_they_were() {
    for (name, description) in all() {
        description.check().unwrap_or_else(|error| panic!("{name}: {error}"));
        let path = golden().join(format!("{name}.wsdl"));
        let written = wsdl::write(&description);
        if env::var_os("TRUNKLINE_WRITE_GOLDEN").is_some() {
            fs::write(&path, &written).expect("a golden file");
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        assert!(written == expected, "{name}.wsdl differs:\n{written}");
    }
}

/// Every kind of value, in the order of `values`.
const VALUES: &str = "message Values
field Yes 0 boolean required
field I8 0 i8 required
field I16 0 i16 required
field I32 0 i32 required
field I64 0 i64 required
field U8 0 u8 required
field U16 0 u16 required
field U32 0 u32 required
field U64 0 u64 required
field Price 0 decimal required
field Rate 0 f64 required
field Note 0 text required
field Data 0 bytes required
field Day 0 date required
field Clock 0 time required
field Moment 0 timestamp required
field Side 0 code required
end";

#[test]
fn values_have_the_types_that_the_encoder_gives_them() {
    let schema = schema(VALUES);
    let mut record = Record::new(&schema);
    record.set("Yes", true).unwrap();
    for name in ["I8", "I16", "I32", "I64"] {
        record.set(name, 1_i64).unwrap();
    }
    for name in ["U8", "U16", "U32", "U64"] {
        record.set(name, 1_u64).unwrap();
    }
    record.set("Price", Decimal::default()).unwrap();
    record.set("Rate", 1.0).unwrap();
    record.set("Note", Text::from("x")).unwrap();
    record.set("Data", vec![1_u8]).unwrap();
    record.set("Day", Date::default()).unwrap();
    record.set("Clock", Time::default()).unwrap();
    record.set("Moment", Timestamp::default()).unwrap();
    record.set("Side", Code::default()).unwrap();
    let options = Options { types: true, ..Options::default() };
    let mut encoder = Encoder::new(&Plan::new(&schema, &options).expect("a plan"));
    let message = String::from_utf8(encoder.encode(&record).unwrap().to_vec()).unwrap();

    let mut description = orders(&STYLES[4..]);
    description.operations[0].input = schema.clone();
    let written = wsdl::write(&description);
    for field in &schema.scopes()[0].fields {
        let start = format!("<{} xsi:type=\"", field.name);
        let (_, after) = message.split_once(&start).expect("the field's element");
        let (type_name, _) = after.split_once('"').expect("a quote");
        let part = format!("<wsdl:part name=\"{}\" type=\"{type_name}\"/>", field.name);
        assert!(written.contains(&part), "no {part} in\n{written}");
    }
}

/// The complex types whose names begin so, by what follows.
fn types(written: &str, stem: &str) -> Vec<String> {
    let start = format!("<xsd:complexType name=\"{stem}");
    let names = written.split(&start).skip(1).filter_map(|it| it.split_once('"'));
    names.map(|(rest, _)| rest.to_owned()).collect()
}

#[test]
fn types_that_meet_are_numbered_and_encoded_ones_are_not() {
    let written = wsdl::write(&orders(&STYLES));
    // Encoded, in no namespace, and qualified.
    assert_eq!(types(&written, "Instrument"), ["", "2", "3"]);
    assert_eq!(types(&written, "LegInstrument"), ["", "2", "3"]);
    let array = "wsdl:arrayType=\"tns:Leg[]\"";
    assert!(written.contains(array), "no {array} in\n{written}");
    assert_eq!(written.matches("name=\"Session\" type=").count(), 2, "an element, and a part");
}

#[derive(Message, Clone, Debug, Default)]
struct Address {
    street: String,
}

/// One struct as two components and as the entry of a group.
#[derive(Message, Clone, Debug, Default)]
struct Parcel {
    sender: Address,
    #[field(implied)]
    receiver: Address,
    #[xml(entry = "stop")]
    stops: Group<Address>,
}

mod other {
    use super::Message;

    /// Of the same name as another struct.
    #[derive(Message, Clone, Debug, Default)]
    pub(crate) struct Address {
        pub(crate) number: i64,
    }
}

#[derive(Message, Clone, Debug, Default)]
struct Letter {
    sender: Address,
    receiver: other::Address,
}

fn post(style: (&str, Style, bool), schema: &Arc<Layout>) -> Description {
    let mut description = orders(&[style]);
    description.operations[0].input = schema.clone();
    description
}

#[test]
fn a_struct_is_one_type_however_often_it_is_used() {
    for style in STYLES {
        let description = post(style, Parcel::layout());
        description.check().unwrap();
        let written = wsdl::write(&description);
        assert_eq!(types(&written, "Address"), [""], "{}:\n{written}", style.0);
        for field in ["sender", "receiver"] {
            assert_eq!(types(&written, field), [""; 0], "{}:\n{written}", style.0);
            let element = format!("name=\"{field}\" type=\"tns:Address\"");
            assert!(written.contains(&element), "{}: no {element} in\n{written}", style.0);
        }
    }
}

#[test]
fn messages_name_the_types_that_the_wsdl_does() {
    let parcel = Parcel { stops: vec![Address::default()].into(), ..Parcel::default() };
    let options = Options {
        layout: soap::Layout::Operation,
        types: true,
        namespace: "urn:orders".into(),
        ..Options::default()
    };
    let mut encoder = Encoder::new(&Plan::new(Parcel::layout(), &options).expect("a plan"));
    let message = String::from_utf8(encoder.encode(&parcel).unwrap().to_vec()).unwrap();
    assert!(message.contains("<sender xsi:type=\"ns:Address\">"), "{message}");
    assert!(message.contains("SOAP-ENC:arrayType=\"ns:Address[1]\""), "{message}");
    assert!(message.contains("<stop xsi:type=\"ns:Address\">"), "{message}");
}

#[test]
fn structs_of_one_name_are_numbered_or_rejected_where_messages_name_their_types() {
    for style in STYLES {
        let description = post(style, Letter::layout());
        if matches!(style.1, Style::RpcEncoded | Style::DocumentEncoded) {
            let error = description.check().unwrap_err().to_string();
            assert_eq!(
                error,
                "two different structs are named Address, which encoded messages name their types \
                 by; give one another name: #[message(name = \"...\")]"
            );
            continue;
        }
        description.check().unwrap();
        let written = wsdl::write(&description);
        assert_eq!(types(&written, "Address"), ["", "2"], "{}", style.0);
        let receiver = "name=\"receiver\" type=\"tns:Address2\"";
        assert!(written.contains(receiver), "{}: no {receiver} in\n{written}", style.0);
    }
}

/// The header blocks of a binding are written as its bodies are: importers take no mixture.
#[test]
fn header_blocks_are_as_the_style_says() {
    for (name, style, wrapped) in STYLES {
        let written = wsdl::write(&orders(&[(name, style, wrapped)]));
        let encoded = matches!(style, Style::RpcEncoded | Style::DocumentEncoded);
        let headers: Vec<&str> = written.lines().filter(|it| it.contains(":header ")).collect();
        assert_eq!(headers.len(), 4, "of requests and answers in both versions: {name}");
        for header in headers {
            let wanted = match (encoded, header.contains("Session")) {
                (true, true) => {
                    "message=\"tns:SessionEncodedHeader\" part=\"Session\" use=\"encoded\""
                }
                (true, false) => {
                    "message=\"tns:ServedEncodedHeader\" part=\"Served\" use=\"encoded\""
                }
                (false, true) => "message=\"tns:SessionHeader\" part=\"Session\" use=\"literal\"",
                (false, false) => "message=\"tns:ServedHeader\" part=\"Served\" use=\"literal\"",
            };
            assert!(header.contains(wanted), "{name}: no {wanted} in {header}");
        }
        let part = match encoded {
            true => "<wsdl:part name=\"Session\" type=\"tns:Session\"/>",
            false => "<wsdl:part name=\"Session\" element=\"tns:Session\"/>",
        };
        assert!(written.contains(part), "{name}: no {part} in\n{written}");
    }
}

#[test]
fn the_order_of_parameters_tells_which_part_is_the_return_value() {
    let written = |input: &str, output: &str| {
        let mut description = orders(&STYLES[4..]);
        description.operations[0].input = schema(&format!("message In\n{input}\nend"));
        description.operations[0].output = Some(schema(&format!("message Out\n{output}\nend")));
        let written = wsdl::write(&description);
        let (_, order) = written.split_once("<wsdl:operation name=\"place\"").unwrap();
        order.split('>').next().unwrap().trim().to_owned()
    };
    let [a, b, c] = ["a", "b", "c"].map(|it| format!("field {it} 0 i32 required"));
    // The return value is an answer's only part, unless it is a parameter that goes both ways.
    assert_eq!(written(&format!("{a}\n{b}"), &c), "parameterOrder=\"a b\"");
    assert_eq!(written(&format!("{a}\n{b}"), &a), "parameterOrder=\"a b\"");
    assert_eq!(written(&a, &format!("{b}\n{c}")), "parameterOrder=\"a b c\"");
    assert_eq!(written(&a, &format!("{a}\n{c}")), "parameterOrder=\"a c\"");
    // It is a list of one name or more.
    assert_eq!(written("", &c), "");
    let literal = wsdl::write(&orders(&STYLES[..3]));
    assert!(!literal.contains("parameterOrder"), "documents have one part");
}

/// A literal type has another name than the encoded one, and so has what it refers to.
#[test]
fn types_that_hold_themselves_are_numbered_as_others_are() {
    let written = wsdl::write(&shapes(&STYLES[..3]));
    for name in ["Folder", "ArrayOfFolder"] {
        assert_eq!(types(&written, name), ["", "2"], "{written}");
    }
    for (name, list, own) in
        [("Folder", "ArrayOfFolder", "Folder"), ("Folder2", "ArrayOfFolder2", "Folder2")]
    {
        let start = format!("<xsd:complexType name=\"{name}\">");
        let (_, rest) = written.split_once(&start).unwrap();
        let (inside, _) = rest.split_once("</xsd:complexType>").unwrap();
        for part in
            [format!("\"folders\" type=\"tns:{list}\""), format!("\"parent\" type=\"tns:{own}\"")]
        {
            assert!(inside.contains(&part), "{name}: no {part} in\n{inside}");
        }
    }
}

#[track_caller]
fn rejected(change: impl FnOnce(&mut Description)) -> String {
    let mut description = orders(&STYLES);
    description.check().unwrap();
    change(&mut description);
    description.check().unwrap_err().to_string()
}

#[test]
fn what_cannot_be_written_is_rejected() {
    assert_eq!(rejected(|it| it.name = "a b".into()), "the service's name \"a b\" is not a name");
    assert_eq!(rejected(|it| it.namespace.clear()), "the service Orders has no namespace");
    assert_eq!(rejected(|it| it.bindings.clear()), "the service Orders has no bindings");
    assert_eq!(rejected(|it| it.operations.clear()), "the service Orders has no operations");
    let twice = |it: &mut Description| it.bindings[1].name = "DocLiteral".into();
    assert_eq!(rejected(twice), "the port DocLiteral stands twice");
    let twice = |it: &mut Description| it.operations.push(it.operations[0].clone());
    assert_eq!(rejected(twice), "the operation place stands twice");
    let fault = |it: &mut Description| it.operations[0].faults[1].0 = "Closed".into();
    assert_eq!(rejected(fault), "the operation place: the fault Closed stands twice");
    let one_way = |it: &mut Description| it.operations[0].output = None;
    let expected = "the operation place is one-way and has faults or answer headers";
    assert_eq!(rejected(one_way), expected);
    let action = |it: &mut Description| it.operations[0].action = "a\"b".into();
    assert_eq!(rejected(action), "the operation place: \"a\\\"b\" is no URI");
    let header = |it: &mut Description| {
        it.operations[0].input_headers = vec![schema("message Closed\nfield x 0 i8 required\nend")];
    };
    assert_eq!(rejected(header), "the element Closed would have two different contents");
    for rpc in &STYLES[3..] {
        let mut description = shapes(&[*rpc]);
        let expected = "the message Trade has one of limit, market in it, which may stand otherwise than once, as \
            parts of rpc do: put it into a struct, or use document/literal";
        assert_eq!(description.check().unwrap_err().to_string(), expected, "{}", rpc.0);
        let lists = "message Lists\nfield tags 0 text[] implied\nend";
        let lists = services::unwrapped(&schema(lists), &["tags"]);
        (description.operations[0].input, description.operations[0].output) = (lists, None);
        let is_encoded = rpc.1 == Style::RpcEncoded;
        assert_eq!(description.check().is_ok(), is_encoded, "lists that are encoded are arrays");
    }
}

#[test]
fn text_is_escaped() {
    let mut description = orders(&STYLES[..1]);
    description.documentation = Some("a < b & \"c\"".into());
    description.bindings[0].location = "http://localhost/?a=1&b=2".into();
    let written = wsdl::write(&description);
    for part in [
        "<wsdl:documentation>a &lt; b &amp; &quot;c&quot;</wsdl:documentation>",
        "<soap:address location=\"http://localhost/?a=1&amp;b=2\"/>",
    ] {
        assert!(written.contains(part), "no {part} in\n{written}");
    }
}

#[test]
fn bodies_are_as_the_style_says() {
    for (name, style, _) in STYLES {
        let written = wsdl::write(&orders(&[(name, style, name.ends_with("wrapped"))]));
        let encoded = matches!(style, Style::RpcEncoded | Style::DocumentEncoded);
        let namespace = encoded || style == Style::RpcLiteral;
        let bodies: Vec<&str> = written.lines().filter(|it| it.contains(":body ")).collect();
        assert_eq!(bodies.len(), 4, "{name}");
        for body in bodies {
            assert_eq!(body.contains("use=\"encoded\""), encoded, "{name}: {body}");
            assert_eq!(body.contains("namespace=\"urn:orders\""), namespace, "{name}: {body}");
            let encoding = match body.contains("<soap12:") {
                false => "encodingStyle=\"http://schemas.xmlsoap.org/soap/encoding/\"",
                true => "encodingStyle=\"http://www.w3.org/2003/05/soap-encoding\"",
            };
            assert_eq!(body.contains(encoding), encoded, "{name}: {body}");
        }
        // Basic Profile, R2205: faults are literal in every style.
        let others = written.lines().filter(|it| it.contains(":fault name"));
        let literal =
            others.filter(|it| it.contains("soap")).all(|it| it.contains("use=\"literal\""));
        assert!(literal, "{name}");
    }
}

/// A description that says less than the messages are would mislead who reads it.
#[test]
fn notes_that_no_description_says_are_rejected() {
    let rejected = |style, listing: &str| {
        let mut description = shapes(&[style]);
        let operation = &mut description.operations[0];
        (operation.input, operation.output) = (schema(listing), None);
        description.check().map_err(|error| error.to_string())
    };
    let [wrapped, rpc] = [STYLES[1], STYLES[3]];
    let strange = "message M\nfield a 0 i32 required\nnote xml strange yes\nend";
    let expected = "the operation place: no description is written of M yet, as xml(strange) is noted of M/a \
                    in it";
    assert_eq!(rejected(wrapped, strange), Err(expected.into()));
    // By the encoding rules nothing is an attribute, so that what is in rpc/literal only is rejected.
    for (note, what) in [
        ("kind attribute", "the attribute a"),
        ("kind text", "a text"),
        ("namespace urn:b", "a of a namespace"),
        ("form qualified", "a of a namespace"),
        ("nillable true", "a, which may be nil,"),
    ] {
        let listing = format!("message M\nfield a 0 text optional\nnote xml {note}\nend");
        let expected = format!(
            "the message M has {what} in it, which is no part of rpc: put it into a struct, or use \
             document/literal"
        );
        assert_eq!(rejected(rpc, &listing), Err(expected), "{note}");
        assert_eq!(rejected(STYLES[4], &listing), Ok(()), "{note}");
        assert_eq!(rejected(wrapped, &listing), Ok(()), "{note}");
    }
    let empty = "message M\nfield a 0 i32 optional\nnote xml kind text\nend";
    let expected = "the message M: the text a of M may be absent, and XML Schema has no empty value of its \
                    type: let it always be there";
    assert_eq!(rejected(wrapped, empty), Err(expected.into()));
    let nil = "message M\nfield a 0 A optional\nnote xml nillable true\nend\nstruct A\nfield b 0 i32 required\n\
               note xml kind attribute\nend";
    let expected = "the message M: a may be nil, and its attribute b has to be there even then: let that be \
                    optional";
    assert_eq!(rejected(wrapped, nil), Err(expected.into()));
    let none = "message M\nfield a 0 i32 required\nnote facet max_length 3\nend";
    let expected = "the message M: a: max_length is \"3\", which is none of i32";
    assert_eq!(rejected(wrapped, none), Err(expected.into()));
    let bounds = "message M\nfield a 0 i32 required\nnote facet min_inclusive 0\nnote facet min_exclusive 1\nend";
    let expected =
        "the message M: a: both min_inclusive and min_exclusive, of which XML Schema takes one";
    assert_eq!(rejected(wrapped, bounds), Err(expected.into()));
    // What members of several types refer to is one.
    let two = "message M\nfield a 0 i32 required\nnote xml namespace urn:b\ncomponent c required\n\
               field a 0 text required\nnote xml namespace urn:b\nend\nend";
    let expected = "the element a of urn:b would have two different contents";
    assert_eq!(rejected(wrapped, two), Err(expected.into()));
    let same = two.replace("0 text required", "0 i32 required");
    assert_eq!(rejected(wrapped, &same), Ok(()));
    let attributes =
        two.replace("note xml namespace", "note xml kind attribute\nnote xml namespace");
    let expected = "the attribute a of urn:b would have two different contents";
    assert_eq!(rejected(wrapped, &attributes), Err(expected.into()));
}

/// Types are derived from one other, and begin with what that has.
#[test]
fn types_that_cannot_be_derived_are_rejected() {
    let rejected = |listing: &str| {
        let mut description = shapes(&[STYLES[1]]);
        let operation = &mut description.operations[0];
        (operation.input, operation.output) = (schema(listing), None);
        description.check().map_err(|error| error.to_string())
    };
    let choice = |name: &str, base: &str, other: &str| {
        format!(
            "choice {name} required {name}\nnote-type xml choice type\nfield a 0 {base} required\n\
             note xml base true\nfield b 0 {other} required\nend\n"
        )
    };
    let one = |name: &str, members: &str| format!("struct {name}\n{members}end\n");
    let field = |name: &str| format!("field {name} 0 i32 required\n");
    let (x, y, xy) = (field("x"), field("y"), field("x") + &field("y"));
    let listing = |choices: &[String], structs: &[String]| {
        format!("message M\n{}end\n{}", choices.concat(), structs.concat())
    };
    let [base, other] = ["Base", "Other"];
    let fits = listing(&[choice("c", base, other)], &[one(base, &x), one(other, &xy)]);
    assert_eq!(rejected(&fits), Ok(()));
    let misses = listing(&[choice("c", base, other)], &[one(base, &y), one(other, &xy)]);
    let expected = "the type Other is derived from tns:Base, and does not begin with the members of that: let \
                    it list them first";
    assert_eq!(rejected(&misses), Err(expected.into()));
    let two = [choice("c", base, other), choice("d", "Third", other)];
    let structs = [one(base, &x), one(other, &xy), one("Third", &x)];
    let why = rejected(&listing(&two, &structs)).expect_err("two bases");
    assert!(why.contains("would be derived from two types"), "{why}");
    let circle = [choice("c", base, other), choice("d", other, base)];
    let why = rejected(&listing(&circle, &[one(base, &x), one(other, &x)])).expect_err("a circle");
    assert!(why.contains("would be derived from two types"), "{why}");
}

/// In which schema each type is, and that each schema imports the others.
#[test]
fn each_namespace_has_a_schema() {
    let written = wsdl::write(&noted(STYLES[1], true));
    let schemas: Vec<&str> = written.split("<xsd:schema ").skip(1).collect();
    assert_eq!(schemas.len(), 3, "{written}");
    for (schema, namespace, types) in [
        (schemas[0], "urn:notes", &["Money", "Side", "ListOfint"][..]),
        (schemas[1], "urn:other", &["ArrayOfParty"]),
        (schemas[2], "urn:party", &["Party"]),
    ] {
        assert!(schema.starts_with(&format!("targetNamespace=\"{namespace}\"")), "{schema}");
        assert_eq!(schema.matches("<xsd:import ").count(), 2, "{schema}");
        for name in types {
            let start = format!("Type name=\"{name}\">");
            assert!(schema.contains(&start), "no {start} in {schema}");
        }
    }
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Renamed {
    #[xml(name = "Order-ID")]
    id: i32,
}

#[test]
fn elements_have_the_names_that_are_noted() {
    let mut description = shapes(&[STYLES[1]]);
    description.operations[0].input = Renamed::layout().clone();
    assert_eq!(description.check(), Ok(()));
    let written = wsdl::write(&description);
    assert!(written.contains("<xsd:element name=\"Order-ID\" type=\"xsd:int\"/>"), "{written}");
}

#[derive(Message, Clone, Debug, PartialEq)]
struct Defaulted {
    #[field(default = "a < b")]
    text: String,
    #[field(default = "7")]
    #[xml(attribute)]
    count: i32,
}

#[test]
fn defaults_are_said() {
    let mut description = shapes(&[STYLES[1]]);
    description.operations[0].input = Defaulted::layout().clone();
    assert_eq!(description.check(), Ok(()));
    let written = wsdl::write(&description);
    let element =
        "<xsd:element name=\"text\" type=\"xsd:string\" minOccurs=\"0\" default=\"a &lt; b\"/>";
    assert!(written.contains(element), "{written}");
    let attribute = "<xsd:attribute name=\"count\" type=\"xsd:int\" default=\"7\"/>";
    assert!(written.contains(attribute), "{written}");
}
