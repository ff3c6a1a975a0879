//! Arrays (SOAP 1.1 section 5.4.2, SOAP 1.2 part 2 section 3.1.6).

use trunkline_soap::Version;
use trunkline_soap::graph::{Array, Content, Encoder, Message};

use crate::{decode, encode, encoded, encoded12, rejected};

/// The message, and the array that is the first member of its call.
fn read(document: &str) -> (Message, Array) {
    let message = decode(document);
    let (_, root) = message.root().expect("a root");
    let (_, node) = message.graph.members(root)[0];
    let array = message.graph.array(node).expect("an array").clone();
    (message, array)
}

/// Positions and texts of an array's items.
fn items(document: &str) -> Vec<(u64, String)> {
    let (message, array) = read(document);
    let text = |node| message.graph.text(node).unwrap_or("").to_owned();
    array.items.iter().map(|(position, node)| (*position, text(*node))).collect()
}

fn call(array: &str) -> String {
    encoded(&format!("<o:call>{array}</o:call>"))
}

fn positions(array: &str) -> Vec<u64> {
    items(&call(array)).into_iter().map(|item| item.0).collect()
}

#[test]
fn items_stand_where_they_say() {
    let array = |attributes: &str, items: &str| {
        positions(&format!("<a E:arrayType='xsd:int[8]' {attributes}>{items}</a>"))
    };
    assert_eq!(array("", "<i>1</i><i>2</i>"), [0, 1]);
    assert_eq!(array("E:offset='[2]'", "<i>1</i><i>2</i>"), [2, 3]);
    assert_eq!(array("", "<i E:position='[3]'>1</i><i E:position='[1]'>2</i>"), [1, 3]);
    assert_eq!(array("", "<i>1</i><i E:position='[5]'>2</i><i>3</i>"), [0, 5, 6]);
    assert_eq!(positions("<a E:arrayType='xsd:int[]'><i>1</i><i>2</i></a>"), [0, 1]);
    assert_eq!(positions("<a xsi:type='E:Array'><i>1</i></a>"), [0]);
    assert_eq!(positions("<E:Array E:arrayType='xsd:int[2]'><E:int>1</E:int></E:Array>"), [0]);
}

#[test]
fn several_dimensions_count_row_by_row() {
    let grid = "<a E:arrayType='xsd:int[2,3]'><i>1</i><i>2</i><i>3</i><i>4</i><i>5</i><i>6</i></a>";
    let (_, array) = read(&call(grid));
    assert_eq!(array.dimensions, [Some(2), Some(3)]);
    assert_eq!(array.coordinates(5), [1, 2]);
    assert_eq!(items(&call(grid))[5], (5, "6".into()));
    let placed = "<a E:arrayType='xsd:int[2,3]'><i E:position='[1,1]'>1</i></a>";
    assert_eq!(positions(placed), [4]);
    let offset = "<a E:arrayType='xsd:int[2,3]' E:offset='[1,0]'><i>1</i></a>";
    assert_eq!(positions(offset), [3]);
    assert_eq!(
        items(&encoded12("<a E:itemType='xsd:int' E:arraySize='2 2'><i>1</i></a>")).len(),
        1
    );
    let (_, any) = read(&encoded12("<a E:itemType='xsd:int'><i>1</i><i>2</i></a>"));
    assert_eq!((any.dimensions, any.items.len()), (vec![None], 2));
    let (_, sized) = read(&encoded12("<a E:arraySize='* 2'><i>1</i><i>2</i></a>"));
    assert_eq!((sized.dimensions, sized.item_type), (vec![None, Some(2)], None));
}

#[test]
fn arrays_hold_arrays() {
    let (_, array) = read(&call(
        "<a E:arrayType='xsd:string[,][2]'><i E:arrayType='xsd:string[1,1]'><i>x</i></i></a>",
    ));
    assert_eq!(array.item_ranks, [2]);
    assert_eq!(array.item_type.expect("a type").local(), "string");
}

#[test]
fn elements_of_the_encoding_tell_their_types() {
    let message = decode(&call(
        "<a E:arrayType='xsd:anyType[3]'><E:int>1</E:int><E:base64>AA==\
                                </E:base64><i>x</i></a>",
    ));
    let (_, root) = message.root().expect("a root");
    let array = message.graph.array(message.graph.members(root)[0].1).expect("an array");
    let types = array
        .items
        .iter()
        .map(|item| message.graph.node(item.1).type_name.as_ref().map(ToString::to_string));
    let types: Vec<_> = types.collect();
    assert_eq!(types[0].as_deref(), Some("{http://www.w3.org/2001/XMLSchema}int"));
    assert_eq!(types[1].as_deref(), Some("{http://schemas.xmlsoap.org/soap/encoding/}base64"));
    assert_eq!(types[2], None);
}

#[test]
fn what_contradicts_itself_is_rejected() {
    let array =
        |attributes: &str, items: &str| rejected(&call(&format!("<a {attributes}>{items}</a>")));
    let of = |size: &str| format!("E:arrayType='xsd:int[{size}]'");
    assert!(array(&of("1"), "<i>1</i><i>2</i>").contains("the count says 1 entry, but 2"));
    assert!(
        array(&of("2"), "<i E:position='[2]'>1</i>").contains("a position inside an array of [2]")
    );
    assert!(array(&of("2"), "<i E:position='[0]'/><i E:position='[0]'/>").contains("not two"));
    assert!(array(&of("2"), "<i E:position='[0,0]'/>").contains("a position inside"));
    assert!(array(&of(","), "").contains("all dimensions but the first"));
    assert!(array("E:arrayType='xsd:int'", "").contains("a type and sizes"));
    assert!(array("E:arrayType='none:int[1]'", "").contains("a declared prefix"));
    assert!(array(&of("2"), "text").contains("items of an array, not text"));
    assert!(array(&of("1"), "<i><b>1</b></i>").contains("not elements"));
    assert!(array("xsi:type='xsd:int'", "<i/>").contains("not elements"));
    let size12 = encoded12("<a E:itemType='xsd:int' E:arraySize='2 *'><i>1</i></a>");
    assert!(rejected(&size12).contains("sizes such as 2 3 or *"));
}

#[test]
fn sizes_cost_nothing() {
    let huge = call(
        "<a E:arrayType='xsd:int[18446744073709551615]'><i E:position='[9999999999]'>1</i></a>",
    );
    let (message, array) = read(&huge);
    assert_eq!(array.get(9_999_999_999).and_then(|node| message.graph.text(node)), Some("1"));
    let again = decode(&encode(&message, &Encoder::new(Version::Soap11)));
    assert!(again.is_same(&message));
    // SOAP 1.2 has no positions: each gap is an element.
    let error = Encoder::new(Version::Soap12).encode(&message).expect_err("gaps").to_string();
    assert!(error.contains("message_bytes"), "{error}");
}

#[test]
fn arrays_are_written_as_they_were_read() {
    let arrays = [
        "<a E:arrayType='xsd:int[3]'><i>1</i><i>2</i><i>3</i></a>",
        "<a E:arrayType='xsd:int[8]' E:offset='[2]'><i>1</i><i>2</i></a>",
        "<a E:arrayType='xsd:int[8]'><i>1</i><i E:position='[5]'>2</i><i>3</i></a>",
        "<a E:arrayType='xsd:int[2,3]'><i>1</i><i E:position='[1,2]'>2</i></a>",
        "<a E:arrayType='xsd:string[,][][2]'/>",
        "<a E:arrayType='o:T[]'><i xsi:nil='true'/></a>",
    ];
    for array in arrays {
        let message = decode(&call(array));
        let again = decode(&encode(&message, &Encoder::new(Version::Soap11)));
        assert!(message.is_same(&again), "{array}");
    }
}

#[test]
fn soap_12_fills_gaps_with_nil() {
    let message = decode(&call("<a E:arrayType='xsd:int[4]'><i E:position='[2]'>1</i></a>"));
    let document = encode(&message, &Encoder::new(Version::Soap12));
    assert!(document.contains("arraySize=\"4\"") && document.contains("itemType=\"xsd:int\""));
    let (message, array) = read(&document);
    assert_eq!(array.items.len(), 4);
    let nil = array.items.iter().filter(|item| message.graph.node(item.1).content == Content::Nil);
    assert_eq!(nil.count(), 3);
}
