//! Lists of lists that are arrays of several dimensions where content is encoded.

use std::fmt::Write as _;
use std::sync::Arc;

use trunkline_message::{Limits, Message, Record, Structure as _};
use trunkline_soap::graph;
use trunkline_soap::{self as soap, Decoder, Options, Plan, Style, Version};
use trunkline_tests::fast_infoset;
use trunkline_tests::soap_paths::Paths;
use trunkline_wire::Text;

use crate::shapes::{Address, Price, Side, address, text};
use crate::{encoded, encoded12, trip};

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Grids {
    #[xml(dimensions = "2")]
    numbers: Vec<Vec<i32>>,
    #[xml(dimensions = "3")]
    texts: Vec<Vec<Vec<Text>>>,
    #[xml(dimensions = "2 1")]
    pages: Vec<Vec<Vec<f64>>>,
    #[xml(dimensions = "1 2")]
    cells: Vec<Vec<Vec<bool>>>,
    #[xml(dimensions = "2")]
    places: Option<Vec<Vec<Address>>>,
    #[xml(dimensions = "2")]
    sides: [[Side; 2]; 2],
    rows: Vec<Vec<i32>>,
}

fn grids() -> Grids {
    Grids {
        numbers: vec![vec![1, 2, 3], vec![-4, 5, 6]],
        texts: vec![
            vec![vec![text("a"), text("")]],
            vec![vec![text("c"), text("<")]],
            vec![vec![text("e"), text("a")]],
        ],
        pages: vec![vec![vec![0.5], vec![1.0]], vec![vec![2.0, 3.0]], vec![]],
        cells: vec![vec![vec![true], vec![]], vec![vec![false, true], vec![true]]],
        places: Some(vec![vec![address("x"), address("y")]]),
        sides: [[Side::Buy, Side::SellShort], [Side::SellShort, Side::Buy]],
        rows: vec![vec![7], vec![]],
    }
}

fn options(version: Version) -> Options {
    Options {
        version,
        style: Style::RpcEncoded,
        layout: soap::Layout::Operation,
        namespace: "urn:own".into(),
        operation: "fill".into(),
        types: true,
        ..Options::default()
    }
}

fn plan(version: Version) -> Arc<Plan> {
    Plan::new(Grids::layout(), &options(version)).expect("a plan")
}

fn decoded(plan: &Arc<Plan>, document: &str) -> trunkline_message::Result<Grids> {
    Paths::new(plan).read(document.as_bytes())
}

#[test]
fn they_come_back_in_every_style_with_references_and_without() {
    trip::survives(&grids());
    trip::survives(&Grids { places: None, ..Grids::default() });
    // Rows without items, of which the sizes tell how many they are.
    let empty = vec![vec![], vec![]];
    trip::survives(&Grids { numbers: empty, texts: vec![vec![]], ..Grids::default() });
}

/// As SOAP 1.1 section 5.4.2 and SOAP 1.2 part 2 section 3.1.6 write them.
#[test]
fn the_start_tag_has_every_size() {
    let written = |version| {
        let bytes =
            soap::Encoder::new(&plan(version)).encode(&grids()).expect("a message").to_vec();
        String::from_utf8(bytes).expect("UTF-8")
    };
    let text = written(Version::Soap11);
    for part in [
        "<numbers xsi:type=\"SOAP-ENC:Array\" SOAP-ENC:arrayType=\"xsd:int[2,3]\">\
         <item xsi:type=\"xsd:int\">1</item><item xsi:type=\"xsd:int\">2</item><item xsi:type=\"xsd:int\">3</item>\
         <item xsi:type=\"xsd:int\">-4</item><item xsi:type=\"xsd:int\">5</item><item xsi:type=\"xsd:int\">6</item></numbers>",
        "<texts xsi:type=\"SOAP-ENC:Array\" SOAP-ENC:arrayType=\"xsd:string[3,1,2]\"><item xsi:type=\"xsd:string\">a<",
        "<pages xsi:type=\"SOAP-ENC:Array\" SOAP-ENC:arrayType=\"xsd:double[,][3]\">\
         <item xsi:type=\"SOAP-ENC:Array\" SOAP-ENC:arrayType=\"xsd:double[2,1]\"><item xsi:type=\"xsd:double\">0.5</item>",
        "<cells xsi:type=\"SOAP-ENC:Array\" SOAP-ENC:arrayType=\"xsd:boolean[][2,2]\">\
         <item xsi:type=\"SOAP-ENC:Array\" SOAP-ENC:arrayType=\"xsd:boolean[1]\">",
        "SOAP-ENC:arrayType=\"ns:Address[1,2]\"><item xsi:type=\"ns:Address\"><street",
        "SOAP-ENC:arrayType=\"ns:Side[2,2]\">",
        "SOAP-ENC:arrayType=\"xsd:int[][2]\">",
    ] {
        assert!(text.contains(part), "no {part} in\n{text}");
    }
    // Of what has no row nobody can say how long its rows are.
    let empty =
        soap::Encoder::new(&plan(Version::Soap11)).encode(&Grids::default()).map(<[u8]>::to_vec);
    let empty = String::from_utf8(empty.expect("a message")).expect("UTF-8");
    assert!(empty.contains("SOAP-ENC:arrayType=\"xsd:int[0,0]\"></numbers>"), "{empty}");
    let text = written(Version::Soap12);
    for part in [
        "SOAP-ENC:itemType=\"xsd:int\" SOAP-ENC:arraySize=\"2 3\"><item xsi:type=\"xsd:int\">1<",
        "SOAP-ENC:itemType=\"SOAP-ENC:Array\" SOAP-ENC:arraySize=\"3\">",
    ] {
        assert!(text.contains(part), "no {part} in\n{text}");
    }
}

#[test]
fn a_record_is_written_as_the_struct_and_in_fast_infoset_too() {
    for version in [Version::Soap11, Version::Soap12] {
        let plan = plan(version);
        let bytes = soap::Encoder::new(&plan).encode(&grids()).expect("a message").to_vec();
        let record = Record::from_message(&grids());
        assert_eq!(soap::Encoder::new(&plan).encode(&record).expect("a record"), bytes);
        let mut read = Record::new(plan.layout());
        Decoder::new(&plan).decode(&bytes, &mut read).expect("a record");
        assert_eq!(read, record);
        let (bytes, _) = fast_infoset::written(|writer| {
            soap::Encoder::new(&plan).encode_to("", &grids(), writer).expect("a message");
        });
        let mut read = Grids::default();
        fast_infoset::with_reader(&bytes, &Limits::default(), |reader| {
            Decoder::new(&plan).decode_from(reader, &mut read)
        })
        .expect("a message");
        assert_eq!(read, grids());
    }
}

/// What stands in the place of the numbers.
fn numbers(attributes: &str, items: &str) -> trunkline_message::Result<Vec<Vec<i32>>> {
    let written =
        soap::Encoder::new(&plan(Version::Soap11)).encode(&Grids::default()).map(<[u8]>::to_vec);
    let written = String::from_utf8(written.expect("a message")).expect("UTF-8");
    let (before, rest) = written.split_once("<numbers").expect("the numbers");
    let (_, after) = rest.split_once("</numbers>").expect("their end");
    let document = format!("{before}<numbers {attributes}>{items}</numbers>{after}");
    decoded(&plan(Version::Soap11), &document).map(|it| it.numbers)
}

/// The texts of a cube with these rows, each an array, in its only page.
fn cube(rows: &str) -> trunkline_message::Result<Vec<Vec<Vec<Text>>>> {
    let rows = rows.replace("SOAP-ENC:", "E:");
    let document = encoded(&format!(
        "<o:fill><numbers/><texts E:arrayType='xsd:string[][][1]'><i E:arrayType='xsd:string[][2]'>{rows}</i></texts>\
         <pages/><cells/><sides E:arrayType='o:Side[2,2]'><i>Buy</i><i>Buy</i><i>Buy</i><i>Buy</i></sides><rows/></o:fill>"
    ));
    decoded(&plan(Version::Soap11), &document).map(|it| it.texts)
}

#[test]
fn they_are_read_however_senders_say_it() {
    let items = "<i>1</i><i>2</i><i>3</i><i>4</i><i>5</i><i>6</i>";
    let expected = vec![vec![1, 2, 3], vec![4, 5, 6]];
    for attributes in [
        "SOAP-ENC:arrayType='xsd:int[2,3]'",
        "SOAP-ENC:arrayType=' xsd:int[ 2 , 3 ] '",
        "xsi:type='SOAP-ENC:Array' SOAP-ENC:arrayType='xsd:int[,3]'",
        "SOAP-ENC:arrayType='xsd:int[2,3]' SOAP-ENC:offset='[0,0]'",
    ] {
        assert_eq!(numbers(attributes, items).as_ref(), Ok(&expected), "{attributes}");
    }
    let mut placed = String::new();
    for (number, place) in [(6, "1,2"), (1, "0,0"), (4, "1,0"), (2, "0,1"), (3, "0,2"), (5, "1,1")]
    {
        let _ = write!(placed, "<i SOAP-ENC:position='[{place}]'>{number}</i>");
    }
    let of = |sizes: &str| format!("SOAP-ENC:arrayType='xsd:int[{sizes}]'");
    assert_eq!(numbers(&of("2,3"), &placed).as_ref(), Ok(&expected));
    // As PHP sends it without a WSDL.
    let row = |items: &str| format!("<i SOAP-ENC:arrayType='xsd:int[3]'>{items}</i>");
    let rows = row("<i>1</i><i>2</i><i>3</i>") + &row("<i>4</i><i>5</i><i>6</i>");
    assert_eq!(numbers("SOAP-ENC:arrayType='SOAP-ENC:Array[2]'", &rows).as_ref(), Ok(&expected));
    for sizes in ["0,3", ",3", "0,0", "0,18446744073709551615"] {
        assert_eq!(numbers(&of(sizes), ""), Ok(vec![]), "{sizes}");
    }
    assert_eq!(numbers(&of("3,0"), ""), Ok(vec![vec![]; 3]));
    assert_eq!(numbers("", ""), Ok(vec![]));
    let row = |item: &str| format!("<i SOAP-ENC:arrayType='xsd:string[1]'><i>{item}</i></i>");
    let expected = vec![vec![vec![text("a")], vec![text("b")]]];
    assert_eq!(cube(&(row("a") + &row("b"))), Ok(expected));
}

#[test]
fn references_and_soap_12_are_followed() {
    let rest = "<texts/><pages/><cells/><sides E:arrayType='o:Side[2,2]'><i>Buy</i><i>Buy</i><i>Buy</i>\
                <i>Buy</i></sides><rows/>";
    let document = encoded(&format!(
        "<o:fill><numbers href='#n'/>{rest}</o:fill><m id='n' E:arrayType='xsd:int[2,2]'><i href='#i'/>\
         <i>2</i><i href='#i'/><i>4</i></m><m id='i'>7</m>"
    ));
    let read = decoded(&plan(Version::Soap11), &document).expect("a message");
    assert_eq!(read.numbers, [[7, 2], [7, 4]]);
    let rest = rest.replace("E:arrayType='o:Side[2,2]'", "E:arraySize='2 2'");
    let numbers = "E:itemType='xsd:int' xmlns:xsd='http://www.w3.org/2001/XMLSchema'";
    for size in ["1 2", "* 2"] {
        let content =
            format!("<numbers {numbers} E:arraySize='{size}'><i>7</i><i>8</i></numbers>{rest}");
        let read = decoded(&plan(Version::Soap12), &encoded12("fill", &content));
        assert_eq!(read.expect("a message").numbers, [[7, 8]], "{size}");
    }
}

/// Sizes are the sender's claim: wrong ones are told, and nothing is made room for by them.
#[test]
fn what_is_no_such_array_is_rejected() {
    let of = |sizes: &str| format!("SOAP-ENC:arrayType='xsd:int{sizes}'");
    let two = "<i>1</i><i>2</i>";
    for (sizes, items, why) in [
        ("[1000000000000,0,5]", "", "an array of 2 dimensions"),
        ("[1000000000000,0]", "", "the limit rows without an item = 1024"),
        ("[1025,0]", "", "the limit rows without an item = 1024"),
        ("[4294967296,4294967297]", "", "a size below 2^64"),
        ("[1000000000000,1000000]", two, "the count says 1000000000000000000 entries, but 2"),
        ("[1,1]", two, "the count says 1 entry, but 2"),
        ("[2,2]", two, "the count says 4 entries, but 2"),
        ("[2,2]", "<i SOAP-ENC:position='[1,0]'>1</i>", "all 4 items of the array, not 1 of them"),
        (
            "[1,2]",
            "<i>1</i><i SOAP-ENC:position='[1,0]'>2</i>",
            "a position inside an array of [1,2]",
        ),
        ("[,2]", "<i>1</i><i>2</i><i>3</i>", "whole rows of an array of [,2], not 3 items"),
        ("[2]", two, "an array of 2 dimensions"),
        ("[2,1,1]", two, "an array of 2 dimensions"),
        ("[][1,2]", two, "an array of 2 dimensions"),
        ("[1,]", two, "the sizes of all dimensions but the first"),
        ("[1,2]", "<i>1</i><i>x</i>", "a whole number"),
        ("[1,2]", "<i>1</i><i><i>2</i></i>", "not elements"),
        ("[1,2]", "<i>1</i><i href='cid:x'/>", "a reference to what is not in the message"),
    ] {
        let error = numbers(&of(sizes), items).expect_err(sizes).to_string();
        assert!(error.contains(why), "{sizes} {items}: {error}");
        assert!(error.contains("numbers"), "{sizes} {items}: {error}");
    }
    let ragged =
        "<i SOAP-ENC:arrayType='xsd:int[1]'><i>1</i></i><i SOAP-ENC:arrayType='xsd:int[0]'/>";
    let error = numbers(&of("[][2]"), ragged).expect_err("rows of two lengths").to_string();
    let why = "rows with as many items as the first one, 1, not 0 in row 1";
    assert!(error.contains(why), "{error}");
    let error = cube(&ragged.replace("xsd:int", "xsd:string"));
    let error = error.expect_err("rows of two lengths").to_string();
    assert!(error.starts_with("texts") && error.contains(why), "{error}");
    let error = numbers(&of("[1,2]"), "<i>1</i><i>x</i>").expect_err("no number").to_string();
    assert!(error.starts_with("numbers[0]"), "{error}");
}

#[test]
fn limits_hold_for_rows() {
    let message = Grids { numbers: vec![vec![1]; 20], ..Grids::default() };
    let plan = plan(Version::Soap11);
    let bytes = soap::Encoder::new(&plan).encode(&message).expect("a message").to_vec();
    let read = |limits: Limits| {
        let mut read = Grids::default();
        Decoder::with_limits(&plan, limits).decode(&bytes, &mut read).map(|()| read)
    };
    assert_eq!(read(Limits::default()).as_ref(), Ok(&message));
    let error = read(Limits { entries: 19, ..Limits::default() }).expect_err("20 rows").to_string();
    assert!(error.contains("the limit entries = 19"), "{error}");
    let error = read(Limits { fields: 30, ..Limits::default() }).expect_err("20 rows").to_string();
    assert!(error.contains("the limit fields = 30"), "{error}");
}

#[test]
fn what_has_no_such_form_is_not_written() {
    let plan = plan(Version::Soap11);
    let tree = |message: &Grids| graph::from_message(message, &plan).map(|_| ());
    let flat = |message: &Grids| soap::Encoder::new(&plan).encode(message).map(|_| ());
    for (numbers, why) in [
        (vec![vec![1], vec![]], "numbers: the rows of an array of several dimensions have not all"),
        (
            vec![vec![]; 1025],
            "numbers: an array of several dimensions without an item has more than 1024 rows",
        ),
    ] {
        let message = Grids { numbers, ..Grids::default() };
        for written in [flat(&message), tree(&message)] {
            let error = written.expect_err(why).to_string();
            assert!(
                error.contains(&why["numbers: ".len()..]) && error.starts_with("numbers"),
                "{error}"
            );
        }
    }
    // In the third of three pages.
    let pages = vec![vec![], vec![vec![1.0]], vec![vec![1.0], vec![]]];
    let message = Grids { pages, ..Grids::default() };
    for written in [flat(&message), tree(&message)] {
        let error = written.expect_err("rows of two lengths").to_string();
        assert!(error.starts_with("pages[2]"), "{error}");
    }
    // Where content is by schema, they are lists of lists.
    let literal = Options { style: Style::RpcLiteral, ..options(Version::Soap11) };
    let plan = Plan::new(Grids::layout(), &literal).expect("a plan");
    let message = Grids { numbers: vec![vec![1], vec![]], ..Grids::default() };
    let bytes = soap::Encoder::new(&plan).encode(&message).expect("a message").to_vec();
    let written = String::from_utf8(bytes).expect("UTF-8");
    assert!(
        written.contains("<numbers><item><item>1</item></item><item></item></numbers>"),
        "{written}"
    );
}

#[test]
fn notes_that_no_list_can_have_are_rejected() {
    macro_rules! rejected {
        ($type:ty, $note:literal) => {{
            #[derive(Message, Clone, Debug, PartialEq)]
            struct Wrong {
                #[xml(dimensions = $note)]
                it: $type,
            }
            let made = Plan::new(Wrong::layout(), &options(Version::Soap11));
            made.expect_err("a note that means nothing").to_string()
        }};
    }
    let of_fewer = "xml(dimensions = \"2\") of fewer lists";
    for error in [rejected!(Vec<i32>, "2"), rejected!(Vec<Vec<Price>>, "2"), rejected!(i32, "2")] {
        assert!(error.contains(of_fewer), "{error}");
    }
    for error in [
        rejected!(Vec<Vec<i32>>, "x"),
        rejected!(Vec<Vec<i32>>, "0"),
        rejected!(Vec<Vec<i32>>, "17"),
        rejected!(Vec<Vec<i32>>, "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1"),
    ] {
        assert!(error.contains("is no list of numbers from 1 to 16"), "{error}");
    }
}
