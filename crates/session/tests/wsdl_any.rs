//! What descriptions say of elements of any name, and what XML Schema does not let them say.

use std::sync::Arc;

use trunkline_message::{Any, Layout, Message, Structure as _};
use trunkline_session::soap::wsdl::{self, Binding, Description, OperationDescription};
use trunkline_soap::{Style, Version};
use trunkline_wire::Text;

fn of_listing(listing: &str, style: Style) -> Description {
    description(Arc::new(Layout::from_listing(listing).expect("a listing")), style)
}

fn description(input: Arc<Layout>, style: Style) -> Description {
    let operation = OperationDescription {
        name: "place".into(),
        action: "urn:open#place".into(),
        documentation: None,
        input,
        output: None,
        faults: Vec::new(),
        input_headers: Vec::new(),
        output_headers: Vec::new(),
    };
    let binding = Binding {
        name: "Place".into(),
        binding: None,
        version: Version::Soap11,
        style,
        wrapped: false,
        qualified: true,
        location: "http://localhost:8080/".into(),
    };
    Description {
        name: "Open".into(),
        port_type: None,
        namespace: "urn:open".into(),
        bindings: vec![binding],
        operations: vec![operation],
        documentation: None,
    }
}

#[test]
fn elements_of_any_name_are_said() {
    let written = wsdl::write(&of_listing(
        "message M\n\
         field id 0 i32 required\n\
         field one 0 any required\n\
         note xml namespace urn:a ##local\n\
         field payload 0 any optional\n\
         note xml kind element\n\
         field parts 0 any[] implied\n\
         note xml kind element\n\
         note xml list unwrapped\n\
         field wrapped 0 any[] optional\n\
         field more 0 any[] implied\n\
         note xml namespace ##other\n\
         end",
        Style::DocumentLiteral,
    ));
    for expected in [
        "<xsd:any namespace=\"urn:a ##local\" processContents=\"lax\"/>",
        "<xsd:element name=\"payload\" type=\"xsd:anyType\" minOccurs=\"0\"/>",
        "<xsd:element name=\"parts\" type=\"xsd:anyType\" minOccurs=\"0\" maxOccurs=\"unbounded\"/>",
        "<xsd:element name=\"wrapped\" type=\"tns:ArrayOfanyType\" minOccurs=\"0\"/>",
        "<xsd:any namespace=\"##any\" processContents=\"lax\" minOccurs=\"0\" maxOccurs=\"unbounded\"/>",
        "<xsd:any namespace=\"##other\" processContents=\"lax\" minOccurs=\"0\" maxOccurs=\"unbounded\"/>",
    ] {
        assert!(written.contains(expected), "no {expected} in {written}");
    }
}

/// Unique Particle Attribution: of an element that comes, its name says what it is.
#[test]
fn what_an_any_would_swallow_is_rejected() {
    let rejected = |fields: &str| {
        let listing = format!("message M\n{fields}\nend");
        of_listing(&listing, Style::DocumentLiteral).check().map_err(|it| it.to_string())
    };
    for (fields, is_fine) in [
        ("field a 0 i32 required\nfield x 0 any[] implied", true),
        ("field a 0 i32 optional\nfield x 0 any[] implied", false),
        ("field a 0 i32 optional\nfield x 0 any[] implied\nnote xml namespace ##other", true),
        (
            "field a 0 i32 optional\nnote xml form unqualified\nfield x 0 any required\nnote xml namespace ##local",
            false,
        ),
        ("field a 0 i32 optional\nfield b 0 i32 required\nfield x 0 any[] implied", true),
        ("field x 0 any required\nfield a 0 i32 required", true),
        ("field x 0 any optional\nfield a 0 i32 required", false),
        ("field x 0 any[] implied\nfield a 0 i32 required", false),
        ("field x 0 any[] implied\nnote xml namespace ##other\nfield a 0 i32 required", true),
        (
            "field x 0 any[] implied\nnote xml namespace ##other\nfield a 0 i32 required\nnote xml namespace urn:b",
            false,
        ),
        ("choice c required\nfield a 0 i32 required\nfield x 0 any required\nend", false),
        (
            "choice c required\nfield a 0 i32 required\nfield x 0 any required\nnote xml namespace ##other\nend",
            true,
        ),
        ("field a 0 i32[] implied\nnote xml list unwrapped\nfield x 0 any required", false),
        ("field x 0 any[] optional\nfield a 0 i32 required", true),
    ] {
        let checked = rejected(fields);
        assert_eq!(checked.is_ok(), is_fine, "{fields}: {checked:?}");
        if let Err(why) = checked {
            let has_place = why.contains("x of ") && why.contains(" a beside it");
            assert!(has_place && why.contains("##other"), "{fields}: {why}");
        }
    }
    let part = of_listing("message M\nfield x 0 any[] implied\nend", Style::RpcLiteral).check();
    let why = part.expect_err("no part is of any name").to_string();
    assert!(why.contains("x, an any,") && why.contains("no part of rpc"), "{why}");
}

#[derive(Message, Clone, Debug, PartialEq)]
struct Mixture {
    #[xml(list = "mixed")]
    parts: Vec<Part>,
}

#[derive(Message, Clone, Debug, PartialEq)]
enum Part {
    #[xml(text)]
    Text(Text),
    Bold(Text),
    Other(Any),
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Apart {
    inner: Inner,
}

/// Its elements are in a namespace that is not the message's.
#[derive(Message, Clone, Debug, Default, PartialEq)]
#[xml(namespace = "urn:b")]
struct Inner {
    a: Option<i32>,
    #[xml(namespace = "##other")]
    x: Vec<Any>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Clash {
    inner: Clashing,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
#[xml(namespace = "urn:b")]
struct Clashing {
    #[xml(namespace = "urn:open")]
    a: Option<i32>,
    #[xml(namespace = "##other")]
    x: Vec<Any>,
}

#[test]
fn it_is_rejected_in_mixed_content_and_by_the_namespace_of_its_own_type() {
    let check = |layout: &Arc<Layout>| {
        let checked = description(layout.clone(), Style::DocumentLiteral).check();
        checked.map_err(|why| why.to_string())
    };
    let why = check(Mixture::layout()).expect_err("<Bold> is of any name, too");
    assert!(why.contains("Bold beside it may stand in its place"), "{why}");
    assert_eq!(check(Apart::layout()), Ok(()));
    let why = check(Clash::layout()).expect_err("<a> is of another namespace");
    assert!(why.contains("a beside it may stand in its place"), "{why}");
}
