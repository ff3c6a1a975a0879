//! Calls whose parameters have no names, as PHP sends them without a WSDL and SOAP::Lite where it is told none: the
//! parameters are told by their positions.

use trunkline_message::{Message, Structure};
use trunkline_soap::{Layout, Options, Plan, Style};
use trunkline_tests::soap_paths::Paths;

use crate::{SOAP11, XSD, XSI};

const ENCODING: &str = "http://schemas.xmlsoap.org/soap/encoding/";

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Point {
    x: i32,
    y: Option<i32>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Locate {
    point: Point,
    name: Option<String>,
    sizes: Vec<i32>,
    last: i32,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Ping {}

fn paths<M: Structure + Message + Clone + std::fmt::Debug + PartialEq>(style: Style) -> Paths<M> {
    let options = Options {
        style,
        layout: Layout::Operation,
        operation: "locate".into(),
        namespace: "urn:calc".into(),
        types: style.is_encoded(),
        zone: true,
        positional: true,
        ..Options::default()
    };
    Paths::new(&Plan::new(M::layout(), &options).expect("a plan"))
}

/// As the extension soap of PHP 8.2 writes it.
fn php(parameters: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<SOAP-ENV:Envelope \
         xmlns:SOAP-ENV=\"{SOAP11}\" xmlns:ns1=\"urn:calc\" xmlns:xsd=\"{XSD}\" \
         xmlns:xsi=\"{XSI}\" xmlns:SOAP-ENC=\"{ENCODING}\" SOAP-ENV:encodingStyle=\"{ENCODING}\">\
         <SOAP-ENV:Body><ns1:locate>{parameters}</ns1:locate></SOAP-ENV:Body></SOAP-ENV:Envelope>"
    )
}

const POINT: &str = "<param0 xsi:type=\"SOAP-ENC:Struct\"><x xsi:type=\"xsd:int\">1</x>\
    <y xsi:type=\"xsd:int\">2</y></param0>";
const SIZES: &str = "<param2 SOAP-ENC:arrayType=\"xsd:int[2]\" xsi:type=\"SOAP-ENC:Array\">\
    <item xsi:type=\"xsd:int\">3</item><item xsi:type=\"xsd:int\">4</item></param2>";
const LAST: &str = "<param3 xsi:type=\"xsd:int\">5</param3>";

fn located(name: Option<&str>) -> Locate {
    let point = Point { x: 1, y: Some(2) };
    Locate { point, name: name.map(str::to_owned), sizes: vec![3, 4], last: 5 }
}

#[test]
fn parameters_without_names_are_told_by_their_positions() {
    let mut paths = paths::<Locate>(Style::RpcEncoded);
    let text = "<param1 xsi:type=\"xsd:string\">n</param1>";
    let nil = "<param1 xsi:nil=\"true\"/>";
    let by_name = "<point><x>1</x><y>2</y></point><name>n</name><sizes><item>3</item>\
         <item>4</item></sizes><last>5</last>";
    for _ in 0..2 {
        let call = php(&format!("{POINT}{text}{SIZES}{LAST}"));
        assert_eq!(paths.read(call.as_bytes()), Ok(located(Some("n"))));
        // A parameter that is nil has a position.
        let call = php(&format!("{POINT}{nil}{SIZES}{LAST}"));
        assert_eq!(paths.read(call.as_bytes()), Ok(located(None)));
        // In between calls by name, and calls whose first parameters have none.
        assert_eq!(paths.read(php(by_name).as_bytes()), Ok(located(Some("n"))));
        let call = php(&format!("{POINT}<last>5</last>{text}{SIZES}"));
        assert_eq!(paths.read(call.as_bytes()), Ok(located(Some("n"))));
        assert_eq!(paths.unknown(), 0);
    }
}

#[test]
fn what_is_referred_to_has_a_position() {
    let mut paths = paths::<Locate>(Style::RpcEncoded);
    let parameters = format!("{POINT}<p href=\"#n\"/>{SIZES}{LAST}");
    let after = "</ns1:locate><multiRef id=\"n\">n</multiRef>";
    let call = php(&parameters).replace("</ns1:locate>", after);
    assert_eq!(paths.read(call.as_bytes()), Ok(located(Some("n"))));
}

#[test]
fn one_too_many_is_an_error_that_says_so() {
    let mut locate = paths::<Locate>(Style::RpcEncoded);
    let text = "<param1>n</param1>";
    let error = locate.read(php(&format!("{POINT}{text}{SIZES}{LAST}<p4>6</p4>")).as_bytes());
    let error = error.unwrap_err().to_string();
    assert!(error.contains("p4") && error.contains("expected at most 4 parameters"), "{error}");
    let error = paths::<Ping>(Style::RpcEncoded).read(php("<param0>1</param0>").as_bytes());
    let error = error.unwrap_err().to_string();
    assert!(error.contains("expected at most 0 parameters"), "{error}");
    // Of one that stands by position and by name, neither is lost.
    let error = locate.read(php(&format!("{POINT}<point><x>1</x></point>")).as_bytes());
    assert_eq!(
        error.unwrap_err().kind().to_string(),
        "expected one element point with all that is in it, not a second"
    );
}

#[test]
fn behind_a_name_that_is_known_there_are_no_positions() {
    let mut paths = paths::<Locate>(Style::RpcLiteral);
    let call = php("<point><x>1</x></point><more>1</more><last>5</last>");
    let point = Point { x: 1, y: None };
    let expected = Locate { point, name: None, sizes: vec![], last: 5 };
    assert_eq!(paths.read(call.as_bytes()), Ok(expected));
    assert_eq!(paths.unknown(), 1);
    let error = paths.read(php("<c:point xmlns:c=\"urn:c\"><x>1</x></c:point>").as_bytes());
    let error = error.unwrap_err().to_string();
    assert!(error.contains("expected <point> of no namespace"), "{error}");
}
