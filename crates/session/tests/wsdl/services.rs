//! The services that are described.

use std::sync::Arc;

use trunkline_catalogue::commerce::CustomerServices;
use trunkline_message::{Layout, ScopeId, Structure as _};
use trunkline_session::soap::wsdl::{Binding, Description, OperationDescription};
use trunkline_soap::{Style, Version};

const NAMESPACE: &str = "urn:trunkline:ng-2004";

/// Name of the path and of its golden file, style, and whether bodies are wrapped.
pub(crate) const STYLES: [(&str, Style, bool); 5] = [
    ("doc-literal", Style::DocumentLiteral, false),
    ("doc-literal-wrapped", Style::DocumentLiteral, true),
    ("doc-encoded", Style::DocumentEncoded, false),
    ("rpc-literal", Style::RpcLiteral, false),
    ("rpc-encoded", Style::RpcEncoded, false),
];

pub(crate) fn schema(listing: &str) -> Arc<Layout> {
    Arc::new(Layout::from_listing(listing).expect("a listing"))
}

fn operation(name: &str, answers: bool) -> OperationDescription {
    let schema = CustomerServices::layout();
    OperationDescription {
        name: name.into(),
        action: format!("{NAMESPACE}#{name}"),
        documentation: None,
        input: schema.clone(),
        output: answers.then(|| schema.clone()),
        faults: Vec::new(),
        input_headers: Vec::new(),
        output_headers: Vec::new(),
    }
}

fn operations() -> Vec<OperationDescription> {
    let (echo, mut refuse, notify) =
        (operation("echo", true), operation("refuse", true), operation("notify", false));
    let refusal = "message Refusal\nfield code 0 i32 required\nfield text 0 text required\nend";
    refuse.faults.push(("Refusal".into(), schema(refusal)));
    vec![echo, refuse, notify]
}

fn binding(path: &str, version: Version, style: Style, wrapped: bool) -> Binding {
    let words = path.split(['/', '-']).filter(|it| !it.is_empty());
    let capital = |it: &str| it[..1].to_uppercase() + &it[1..];
    let name = words.map(capital).collect();
    Binding {
        name,
        binding: None,
        version,
        style,
        wrapped,
        qualified: true,
        location: format!("http://localhost:8080{path}"),
    }
}

fn customer_service(bindings: Vec<Binding>) -> Description {
    Description {
        name: "CustomerService".into(),
        port_type: None,
        namespace: NAMESPACE.into(),
        bindings,
        operations: operations(),
        documentation: Some("Customers & products, as Ng, Chen and Greenfield had them.".into()),
    }
}

/// One description a path, with the name of its golden file.
pub(crate) fn one_a_path() -> Vec<(String, Description)> {
    let mut all = Vec::new();
    for (version, folder, suffix) in
        [(Version::Soap11, "", ""), (Version::Soap12, "/soap12", "-soap12")]
    {
        for (name, style, wrapped) in STYLES {
            let binding = binding(&format!("{folder}/{name}"), version, style, wrapped);
            all.push((format!("{name}{suffix}"), customer_service(vec![binding])));
        }
    }
    all
}

/// Every binding in one document.
pub(crate) fn all_paths() -> Description {
    let bindings = one_a_path().into_iter().flat_map(|(_, it)| it.bindings).collect();
    customer_service(bindings)
}

/// Wrapped and rpc/literal, both versions: what the Basic Profile has no objection to.
pub(crate) fn literal_paths() -> Description {
    let mut description = all_paths();
    description.bindings.retain(|it| it.wrapped || it.style == Style::RpcLiteral);
    description
}

const ORDER: &str = "message Order D
component Header required
  field Sender 49 text required
  component Hop implied
    field Data 91 bytes optional 90
  end
end
field Yes 0 boolean required
field I8 0 i8 required
field I16 0 i16 required
field I32 0 i32 required
field I64 0 i64 required
field U8 0 u8 required
field U16 0 u16 required
field U32 0 u32 required
field U64 0 u64 required
field Price 44 decimal optional
field Rate 0 f64 required
field Day 0 date required
field Clock 0 time required
field Moment 0 timestamp required
field Side 54 code required
field Sizes 0 i32[] optional
field Curve 0 f64[] required
group Legs 555 Leg implied
  component Instrument required LegInstrument
    field Symbol 600 text required
  end
  field LegSide 624 code optional
end
component Instrument implied
  field Symbol 55 text required
  field Maturity 541 date optional
end
end";

/// Every kind of field, headers, names that meet others, a response of its own.
pub(crate) fn orders(styles: &[(&str, Style, bool)]) -> Description {
    let order = OperationDescription {
        name: "place".into(),
        action: "urn:orders?a=1&b=2".into(),
        documentation: Some("Places an order; limits are <strict>.".into()),
        input: schema(ORDER),
        output: Some(schema("message Receipt\nfield Number 0 u64 required\nend")),
        faults: vec![
            ("Closed".into(), schema("message Closed\nfield Until 0 timestamp optional\nend")),
            ("Limit".into(), schema("message Limit\nfield Most 0 decimal required\nend")),
        ],
        input_headers: vec![schema("message Session\nfield Token 0 text required\nend")],
        output_headers: vec![schema("message Served\nfield By 0 text optional\nend")],
    };
    let bindings = styles.iter().flat_map(|(name, style, wrapped)| {
        [("", Version::Soap11), ("/soap12", Version::Soap12)].map(|(folder, version)| {
            binding(&format!("{folder}/{name}"), version, *style, *wrapped)
        })
    });
    Description {
        name: "Orders".into(),
        port_type: None,
        namespace: "urn:orders".into(),
        bindings: bindings.collect(),
        operations: vec![order],
        documentation: None,
    }
}

const SHAPES: &str = "message Trade
field side 0 Side required
choice price required Price
  field limit 0 decimal required
  component market required Nothing
  end
end
choice settlement implied Settlement
  field account 0 i64 required
  component delivery required Address
    field street 0 text required
    field city 0 text optional
  end
  field references 0 text[] required
end
component address optional Address
  field street 0 text required
  field city 0 text optional
end
field single 0 f32 required
field whole 0 integer required
field exact 0 bigdecimal optional
field hold 0 duration required
field notes 0 text[] implied
field flags 0 boolean[] optional
field sides 0 Side[] implied
field matrix 0 f64[2][2] required
field corners 0 Address[2] required
choices prices 0 Price implied
  field limit 0 decimal required
  component market required Nothing
  end
end
field ragged 0 i32[][] implied
field options 0 Price[][] implied
field marks 0 i32[] implied
field tags 0 text[] implied
field pair 0 f64[2] required
field stops 0 Address[] implied
component folder required Folder
  field name 0 text required
  field folders 0 Folder[] implied
  field parent 0 Folder optional
end
end
enumeration Side
value Buy
value SellShort
end
struct Address
field street 0 text required
field city 0 text optional
end
choice Price
field limit 0 decimal required
component market required Nothing
end
end
struct Folder
field name 0 text required
field folders 0 Folder[] implied
field parent 0 Folder optional
end";

/// The same with these lists of the message without an element around them.
pub(crate) fn unwrapped(layout: &Layout, lists: &[&str]) -> Arc<Layout> {
    let (scope, mut notes) = (layout.scope(ScopeId(0)), layout.notes().clone());
    for list in lists {
        let field = &scope.fields[scope.position(list).expect("a list")];
        notes.note_member(field.member, "xml", "list", "unwrapped");
    }
    Arc::new(Layout::new(layout.schema().clone(), notes).expect("a layout"))
}

/// Every shape of type.
pub(crate) fn shapes(styles: &[(&str, Style, bool)]) -> Description {
    let layout = unwrapped(&schema(SHAPES), &["marks", "tags", "pair", "stops"]);
    let mut description = orders(styles);
    let operation = &mut description.operations[0];
    operation.documentation = None;
    operation.faults.clear();
    operation.input_headers.clear();
    operation.output_headers.clear();
    (operation.input, operation.output) = (layout.clone(), Some(layout));
    Description { name: "Shapes".into(), namespace: "urn:shapes".into(), ..description }
}

/// Notes of every word.
const NOTED: &str = "message Order
field id 0 i32 required
note xml kind attribute
field flags 0 text[] implied
note xml kind attribute
note xml list spaced
field lang 0 text optional
note xml kind attribute
note xml namespace urn:other
field number 0 text required
note xml name Order-ID
field price 0 Money required
field fees 0 Money[] implied
note xml list unwrapped
field buyer 0 Party optional
field seller 0 Party optional
note xml nillable true
field note 0 text optional
note xml nillable true
field sizes 0 i32[] implied
note xml list spaced
field pair 0 f64[2] required
note xml list spaced
field sides 0 Side[] implied
note xml list spaced
field plain 0 i64 optional
note xml form unqualified
field full 0 i64 optional
note xml form qualified
field code 0 text optional
note xml namespace urn:other
field legs 0 Party[] implied
note xml entry leg
note xml namespace urn:other
choice settled implied Settled
note-type xml namespace urn:party
field cash 0 Money required
note xml form qualified
field account 0 i64 required
end
end
enumeration Side
value Buy
value Sell
end
struct Money
field amount 0 decimal required
note xml kind text
field currency 0 text optional
note xml kind attribute
end
struct Party
note-type xml namespace urn:party
note-type xml form qualified
field code 0 i32 optional
note xml kind attribute
field name 0 text required
field city 0 text optional
note xml namespace urn:other
field plain 0 text optional
note xml form unqualified
note xml nillable true
end";

/// A service whose messages have every note.
pub(crate) fn noted(style: (&str, Style, bool), qualified: bool) -> Description {
    let order = schema(NOTED);
    let mut description = shapes(&[style]);
    description.bindings.iter_mut().for_each(|it| it.qualified = qualified);
    let operation = &mut description.operations[0];
    (operation.input, operation.output) = (order.clone(), Some(order));
    let refusal = "message Refused\nnote-type xml form unqualified\nfield why 0 text required\nend";
    operation.faults.push(("Refused".into(), schema(refusal)));
    Description { name: "Notes".into(), namespace: "urn:notes".into(), ..description }
}

/// Types that are derived from others, elements by choice, text between elements, and values within bounds.
const DRAWING: &str = "message Drawing
choice first required Shape
note-type xml choice type
field plain 0 Plain required
note xml base true
note xml type Shape
field circle 0 Circle required
field ring 0 Ring required
end
field shapes 0 Shape[] implied
note xml list unwrapped
choice filled implied Filled
note-type xml choice type
field circle 0 Circle required
field ring 0 Ring required
end
field tool 0 Tool[] implied
choice extra implied Any
note xml nillable true
note-type xml choice type
field whole 0 i32 required
field word 0 text required
field label 0 Label required
end
field steps 0 Step[] implied
note xml list arms
component about optional About
field lang 0 text optional
note xml kind attribute
field pieces 0 Piece[] implied
note xml list mixed
end
field title 0 text required
note facet min_length 1
note facet max_length 20
field code 0 text optional
note facet pattern [A-Z]{3}
field scale 0 decimal required
note facet min_exclusive 0
note facet fraction_digits 5
note xml kind attribute
field day 0 timestamp optional
note facet min_inclusive 2000-01-01T00:00:00
field grades 0 i32[] implied
note facet max_items 3
note facet max_inclusive 6
field marks 0 text[] required
note facet min_items 1
note facet max_length 4
note xml list unwrapped
field sizes 0 i32[] implied
note facet min_inclusive 0
note xml list spaced
field price 0 Price optional
field unit 0 text implied
note field default mm
note xml namespace urn:other
end
choice Shape
note-type xml choice type
field plain 0 Plain required
note xml base true
note xml type Shape
field circle 0 Circle required
field ring 0 Ring required
end
choice Filled
note-type xml choice type
field circle 0 Circle required
note xml base true
field ring 0 Ring required
end
choice Tool
note-type xml choice type
note-type xml namespace urn:tools
field pen 0 Pen required
field brush 0 Brush required
end
choice Any
note-type xml choice type
field whole 0 i32 required
field word 0 text required
field label 0 Label required
end
choice Step
field move 0 Plain required
field turn 0 f64 required
field unit 0 text required
note xml namespace urn:other
end
choice Piece
field text 0 text required
note xml kind text
field bold 0 text required
field shape 0 Circle required
end
struct Plain
field name 0 text optional
field id 0 i32 required
note xml kind attribute
end
struct Circle
field name 0 text optional
field id 0 i32 required
note xml kind attribute
field radius 0 f64 required
field open 0 boolean optional
note xml kind attribute
end
struct Ring
field name 0 text optional
field id 0 i32 required
note xml kind attribute
field radius 0 f64 required
field open 0 boolean optional
note xml kind attribute
field inside 0 Shape[] implied
end
struct Pen
note-type xml namespace urn:tools
field width 0 i32 required
end
struct Brush
note-type xml namespace urn:tools
field hair 0 text required
end
struct Label
field text 0 text required
end
struct Price
field amount 0 f64 required
note xml kind text
note facet max_inclusive 1000
field currency 0 text required
note xml kind attribute
note facet length 3
end";

pub(crate) fn drawing(style: (&str, Style, bool), qualified: bool) -> Description {
    let layout = schema(DRAWING);
    let mut description = shapes(&[style]);
    description.bindings.iter_mut().for_each(|it| it.qualified = qualified);
    let operation = &mut description.operations[0];
    (operation.input, operation.output) = (layout.clone(), Some(layout));
    Description { name: "Drawings".into(), namespace: "urn:drawings".into(), ..description }
}
