//! Descriptions of services, and the tools that read them.

mod services;

use std::path::PathBuf;
use std::{env, fs};

use services::{STYLES, all_paths, literal_paths, one_a_path, orders, schema};
use trunkline_codec::soap::{Encoder, Options, Plan, Style};
use trunkline_message::Record;
use trunkline_session::soap::wsdl::{self, Description};
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
    let mut encoder = Encoder::new(&Plan::new(&schema, &options));
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

#[test]
fn types_that_meet_are_numbered_and_encoded_ones_are_not() {
    let written = wsdl::write(&orders(&STYLES));
    let types = |stem: &str| {
        let start = format!("<xsd:complexType name=\"{stem}");
        let names = written.split(&start).skip(1).filter_map(|it| it.split_once('"'));
        names.map(|(number, _)| number).collect::<Vec<_>>()
    };
    // Two instruments, encoded, in no namespace, and qualified.
    assert_eq!(types("Instrument"), ["", "2", "3", "4", "5", "6"]);
    assert_eq!(types("Leg"), ["", "2", "3"]);
    let array = "wsdl:arrayType=\"tns:Leg[]\"";
    assert!(written.contains(array), "no {array} in\n{written}");
    assert_eq!(written.matches("name=\"Session\" type=").count(), 1);
}

#[track_caller]
fn refused(change: impl FnOnce(&mut Description)) -> String {
    let mut description = orders(&STYLES);
    description.check().unwrap();
    change(&mut description);
    description.check().unwrap_err().to_string()
}

#[test]
fn what_cannot_be_written_is_refused() {
    assert_eq!(refused(|it| it.name = "a b".into()), "the service's name \"a b\" is not a name");
    assert_eq!(refused(|it| it.namespace.clear()), "the service Orders has no namespace");
    assert_eq!(refused(|it| it.bindings.clear()), "the service Orders has no bindings");
    assert_eq!(refused(|it| it.operations.clear()), "the service Orders has no operations");
    let twice = |it: &mut Description| it.bindings[1].name = "DocLiteral".into();
    assert_eq!(refused(twice), "the binding DocLiteral stands twice");
    let twice = |it: &mut Description| it.operations.push(it.operations[0].clone());
    assert_eq!(refused(twice), "the operation place stands twice");
    let fault = |it: &mut Description| it.operations[0].faults[1].0 = "Closed".into();
    assert_eq!(refused(fault), "the operation place: the fault Closed stands twice");
    let one_way = |it: &mut Description| it.operations[0].output = None;
    let expected = "the operation place is one-way and has faults or answer headers";
    assert_eq!(refused(one_way), expected);
    let action = |it: &mut Description| it.operations[0].action = "a\"b".into();
    assert_eq!(refused(action), "the operation place: \"a\\\"b\" is no URI");
    let header = |it: &mut Description| {
        it.operations[0].input_headers = vec![schema("message Closed\nfield x 0 i8 required\nend")];
    };
    assert_eq!(refused(header), "the element Closed would have two different contents");
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
        // Basic Profile, R2205: headers and faults are literal in every style.
        let others =
            written.lines().filter(|it| it.contains(":header ") || it.contains(":fault name"));
        let literal =
            others.filter(|it| it.contains("soap")).all(|it| it.contains("use=\"literal\""));
        assert!(literal, "{name}");
    }
}
