//! Calls without parameters, and answers of calls: the return value is told by its place (SOAP 1.1
//! section 7.1), or by `rpc:result` (SOAP 1.2 part 2 section 4.2.1).

use trunkline_message::{Message, Structure};
use trunkline_soap::{Encoder, Layout, Options, Plan, Style, Version};
use trunkline_tests::soap_paths::Paths;

use crate::{SOAP11, SOAP12, XSD, XSI};

const ENCODING11: &str = "http://schemas.xmlsoap.org/soap/encoding/";
const ENCODING12: &str = "http://www.w3.org/2003/05/soap-encoding";
const RPC: &str = "http://www.w3.org/2003/05/soap-rpc";

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Ping {}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Note {
    text: Option<String>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Sum {
    result: Option<i64>,
    note: Option<String>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Numbers {
    numbers: Vec<i32>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Point {
    x: i32,
    y: Option<i32>,
}

/// An answer that has an attribute before its value.
#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Numbered {
    #[xml(attribute)]
    id: i32,
    sum: i32,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Located {
    point: Point,
    name: Option<String>,
}

fn options(style: Style, operation: &str) -> Options {
    Options {
        style,
        layout: Layout::Operation,
        operation: operation.into(),
        namespace: "urn:calc".into(),
        types: style.is_encoded(),
        zone: true,
        ..Options::default()
    }
}

fn request<M: Structure + Message + Clone + std::fmt::Debug + PartialEq>(
    operation: &str,
) -> Paths<M> {
    Paths::new(&Plan::new(M::layout(), &options(Style::RpcEncoded, operation)).expect("a plan"))
}

fn answer<M: Structure + Message + Clone + std::fmt::Debug + PartialEq>(style: Style) -> Paths<M> {
    let options = Options { any_wrapper: true, ..options(style, "addResponse") };
    Paths::new(&Plan::new(M::layout(), &options).expect("a plan"))
}

/// As SOAP::Lite 1.27 of Perl writes it, client and server.
fn soap_lite(body: &str) -> String {
    soap_lite_in(SOAP11, ENCODING11, "", body)
}

fn soap_lite_in(soap: &str, encoding: &str, declarations: &str, body: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><soap:Envelope \
         soap:encodingStyle=\"{encoding}\"{declarations} xmlns:soap=\"{soap}\" \
         xmlns:soapenc=\"{encoding}\" xmlns:xsd=\"{XSD}\" xmlns:xsi=\"{XSI}\">\
         <soap:Body>{body}</soap:Body></soap:Envelope>"
    )
}

#[test]
fn a_call_without_parameters_may_be_nil() {
    let qualified = soap_lite("<ping xmlns=\"urn:calc\" xsi:nil=\"true\" />");
    let declaration = " xmlns:c=\"urn:calc\"";
    let prefixed = "<c:ping xsi:nil=\"true\" />";
    let prefixed = soap_lite_in(SOAP11, ENCODING11, declaration, prefixed);
    let plain = soap_lite("<ping xmlns=\"urn:calc\" />");
    let spaced = soap_lite("<ping xmlns=\"urn:calc\" xsi:nil=\"1\"> <!-- --> </ping>");
    let mut ping = request::<Ping>("ping");
    let mut note = request::<Note>("ping");
    for document in [&qualified, &plain, &prefixed, &spaced, &qualified, &plain] {
        assert_eq!(ping.read(document.as_bytes()), Ok(Ping {}), "{document}");
        assert_eq!(note.read(document.as_bytes()), Ok(Note::default()), "{document}");
    }
    for content in ["<text>a</text>", "a", "<!-- --><text/>"] {
        let body = format!("<ping xmlns=\"urn:calc\" xsi:nil=\"true\">{content}</ping>");
        let error = note.read(soap_lite(&body).as_bytes()).unwrap_err();
        let expected = "expected no content in an element that is nil";
        assert_eq!(error.kind().to_string(), expected, "{content}");
    }
    // What has to be there is missed.
    let error = request::<Point>("ping").read(qualified.as_bytes()).unwrap_err();
    assert_eq!(error.kind().to_string(), "expected a message, not nil");
}

#[test]
fn the_return_value_is_the_first_element_whatever_attributes_there_are() {
    let mut answers = answer::<Numbered>(Style::RpcLiteral);
    for (id, name) in [(1, "sum"), (2, "return"), (3, "sum"), (4, "return"), (5, "result")] {
        let body = format!(
            "<c:addResponse xmlns:c=\"urn:calc\" id=\"{id}\"><{name}>7</{name}></c:addResponse>"
        );
        let read = answers.read(soap_lite(&body).as_bytes());
        assert_eq!(read, Ok(Numbered { id, sum: 7 }), "{name}");
    }
}

#[test]
fn an_answer_without_a_value_may_be_nil() {
    for style in [Style::RpcEncoded, Style::RpcLiteral] {
        let document = soap_lite("<pingResponse xmlns=\"urn:calc\" xsi:nil=\"true\" />");
        assert_eq!(answer::<Ping>(style).read(document.as_bytes()), Ok(Ping {}));
        assert_eq!(answer::<Sum>(style).read(document.as_bytes()), Ok(Sum::default()));
    }
}

fn sum(result: i64) -> Sum {
    Sum { result: Some(result), note: None }
}

#[test]
fn the_return_value_stands_first_whatever_its_name_is() {
    let noted = Sum { note: Some("x".into()), ..sum(1) };
    let alone = Sum { note: Some("x".into()), ..Sum::default() };
    let mut paths = answer::<Sum>(Style::RpcEncoded);
    for (parts, expected) in [
        ("<s-gensym5 xsi:type=\"xsd:int\">3</s-gensym5>", sum(3)),
        (
            "<s-gensym15 xsi:type=\"xsd:int\">1</s-gensym15><note xsi:type=\"xsd:string\">x</note>",
            noted.clone(),
        ),
        // Of the length of the name that is expected.
        ("<return>7</return>", sum(7)),
        ("<result>8</result>", sum(8)),
        ("<!-- <a> --> <return>9</return>", sum(9)),
        // A parameter that is handed back has its own name, wherever it stands.
        ("<note>x</note>", alone.clone()),
        ("<note>x</note><result>1</result>", noted.clone()),
        ("<s-gensym9 xsi:nil=\"true\"/><note>x</note>", alone),
    ] {
        // SOAP::Lite makes the namespace of the operation the default.
        for body in [
            format!("<addResponse xmlns=\"urn:calc\">{parts}</addResponse>"),
            format!("<n:addResponse xmlns:n=\"urn:calc\">{parts}</n:addResponse>"),
        ] {
            let document = soap_lite(&body);
            assert_eq!(paths.read(document.as_bytes()), Ok(expected.clone()), "{document}");
            assert_eq!(paths.unknown(), 0, "{document}");
        }
    }
    let document = soap_lite("<n:r xmlns:n='urn:calc'><return>1</result></n:r>");
    let error = paths.read(document.as_bytes()).unwrap_err();
    assert_eq!(error.kind().to_string(), "XML: expected end tag </return>");
    let document = soap_lite("<n:r xmlns:n='urn:calc'><return>1</return><result>2</result></n:r>");
    assert_eq!(paths.read(document.as_bytes()).unwrap_err().path(), "result");
    // The second of two names that are not known is unknown, and no value.
    let document = soap_lite("<n:r xmlns:n='urn:calc'><note>x</note><other>1</other></n:r>");
    assert_eq!(paths.read(document.as_bytes()).unwrap().result, None);
    assert_eq!(paths.unknown(), 1);
}

/// Axis 1.4 names it after the operation, and refers to what is no simple value, or to all.
#[test]
fn the_return_value_of_axis_is_found() {
    let axis = |parts: &str, behind: &str| {
        format!(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?><soapenv:Envelope \
             xmlns:soapenv=\"{SOAP11}\" xmlns:xsd=\"{XSD}\" xmlns:xsi=\"{XSI}\"><soapenv:Body>\
             <ns1:addResponse soapenv:encodingStyle=\"{ENCODING11}\" xmlns:ns1=\"urn:calc\">{parts}\
             </ns1:addResponse>{behind}</soapenv:Body></soapenv:Envelope>"
        )
    };
    let multi_ref = |content: &str| {
        format!(
            "<multiRef id=\"id0\" soapenc:root=\"0\" soapenv:encodingStyle=\"{ENCODING11}\" \
             {content}</multiRef>"
        )
        .replace("soapenc:root", &format!("xmlns:soapenc=\"{ENCODING11}\" soapenc:root"))
    };
    let plain = axis("<addReturn xsi:type=\"xsd:int\">3</addReturn>", "");
    let referred = axis("<addReturn href=\"#id0\"/>", &multi_ref("xsi:type=\"xsd:int\">3"));
    let mut paths = answer::<Sum>(Style::RpcEncoded);
    for document in [&plain, &referred, &plain] {
        assert_eq!(paths.read(document.as_bytes()), Ok(sum(3)), "{document}");
    }
    let located = Located { point: Point { x: 1, y: Some(2) }, name: Some("a".into()) };
    let content = "<x xsi:type=\"xsd:int\">1</x><y xsi:type=\"xsd:int\">2</y>";
    let name = "<name xsi:type=\"xsd:string\">a</name>";
    let mut paths = answer::<Located>(Style::RpcEncoded);
    for document in [
        axis(&format!("<addReturn xsi:type=\"ns1:Point\">{content}</addReturn>{name}"), ""),
        axis(
            &format!("<addReturn href=\"#id0\"/>{name}"),
            &multi_ref(&format!("xsi:type=\"ns2:Point\" xmlns:ns2=\"urn:calc\">{content}")),
        ),
        // Of the length of the name that is expected.
        axis(&format!("<value>{content}</value>{name}"), ""),
        axis(&format!("<point>{content}</point>{name}"), ""),
    ] {
        assert_eq!(paths.read(document.as_bytes()), Ok(located.clone()), "{document}");
    }
    let broken = axis(&format!("<value>{content}</point>{name}"), "");
    let error = paths.read(broken.as_bytes()).unwrap_err();
    assert_eq!(error.kind().to_string(), "XML: expected end tag </value>");
    // An array has the name of its type in SOAP::Lite.
    let document = soap_lite(
        "<listResponse xmlns=\"urn:calc\"><soapenc:Array soapenc:arrayType=\"xsd:int[3]\" \
         xsi:type=\"soapenc:Array\"><item xsi:type=\"xsd:int\">1</item>\
         <item xsi:type=\"xsd:int\">2</item><item xsi:type=\"xsd:int\">3</item></soapenc:Array>\
         </listResponse>",
    );
    let read = answer::<Numbers>(Style::RpcEncoded).read(document.as_bytes());
    assert_eq!(read, Ok(Numbers { numbers: vec![1, 2, 3] }));
}

#[test]
fn rpc_result_names_the_return_value() {
    let document = |parts: &str| {
        soap_lite_in(
            SOAP12,
            ENCODING12,
            &format!(" xmlns:rpc=\"{RPC}\""),
            &format!("<n:addResponse xmlns:n=\"urn:calc\">{parts}</n:addResponse>"),
        )
    };
    let noted = Sum { note: Some("x".into()), ..sum(3) };
    let mut paths = answer::<Sum>(Style::RpcEncoded);
    for (parts, expected) in [
        ("<rpc:result>return</rpc:result><return>3</return>", sum(3)),
        ("<rpc:result>result</rpc:result><result>3</result>", sum(3)),
        ("<rpc:result> n:sum </rpc:result><n:sum>3</n:sum>", sum(3)),
        ("<rpc:result>sum</rpc:result><note>x</note><sum>3</sum>", noted),
        // Without it, the place tells: SOAP::Lite has no other.
        ("<s-gensym8 xsi:type=\"xsd:int\">3</s-gensym8>", sum(3)),
    ] {
        let document = document(parts);
        assert_eq!(paths.read(document.as_bytes()), Ok(expected), "{document}");
        assert_eq!(paths.unknown(), 0, "{document}");
    }
    let other = document("<rpc:result>sum</rpc:result><return>3</return>");
    assert_eq!(paths.read(other.as_bytes()), Ok(Sum::default()));
    assert_eq!(paths.unknown(), 1, "it is not the one that is named");
}

#[test]
fn names_count_in_calls_and_in_documents() {
    let document = soap_lite("<add xmlns=\"urn:calc\"><c-gensym4>1</c-gensym4></add>");
    let mut paths = request::<Sum>("add");
    assert_eq!(paths.read(document.as_bytes()), Ok(Sum::default()));
    assert_eq!(paths.unknown(), 1);
    let error = request::<Point>("add").read(document.as_bytes()).unwrap_err();
    assert_eq!(
        (error.path(), error.kind().to_string()),
        ("x".into(), "a required field is missing".into())
    );
    // In an answer, another's name is another's.
    let document = soap_lite("<r xmlns=\"urn:calc\"><note>x</note></r>");
    let error = answer::<Sum>(Style::RpcLiteral).read(document.as_bytes()).unwrap_err();
    let expected = "expected <note> of no namespace, not <note> of \"urn:calc\"";
    assert_eq!(error.kind().to_string(), expected);
}

fn written<M: Structure + Message>(message: &M, options: &Options) -> String {
    let plan = Plan::new(M::layout(), options).expect("a plan");
    let bytes = Encoder::new(&plan).encode(message).expect("a message").to_vec();
    String::from_utf8(bytes).expect("UTF-8")
}

#[test]
fn an_answer_of_soap_12_names_its_return_value() {
    let of = |version, style| Options {
        version,
        result: true,
        any_wrapper: true,
        ..options(style, "addResponse")
    };
    let soap12 = of(Version::Soap12, Style::RpcEncoded);
    let document = written(&sum(3), &soap12);
    let named = |name: &str, rest: &str| {
        format!("<rpc:result xmlns:rpc=\"{RPC}\">{name}</rpc:result>{rest}")
    };
    let expected = named("result", "<result xsi:type=\"xsd:long\">3</result></ns:addResponse>");
    assert!(document.contains(&expected), "{document}");
    let mut paths = Paths::<Sum>::new(&Plan::new(Sum::layout(), &soap12).expect("a plan"));
    assert_eq!(paths.read(document.as_bytes()), Ok(sum(3)));
    assert_eq!(paths.unknown(), 0);
    let located = Located { point: Point { x: 1, y: None }, name: None };
    let document = written(&located, &soap12);
    assert!(document.contains(&named("point", "<point xsi:type=\"ns:Point\"><x ")), "{document}");
    let document = written(&Numbers::default(), &soap12);
    assert!(document.contains(&named("numbers", "<numbers xsi:type=")), "{document}");
    // There is none where there is no such value, in SOAP 1.1, or where nobody asks for it.
    let nothing = Sum { note: Some("x".into()), ..Sum::default() };
    assert!(!written(&nothing, &soap12).contains("result"));
    assert!(!written(&Ping {}, &soap12).contains("result"));
    assert!(!written(&sum(3), &of(Version::Soap11, Style::RpcEncoded)).contains("rpc:"));
    let document = Options { result: true, ..options(Style::DocumentLiteral, "addResponse") };
    let document = Options { version: Version::Soap12, ..document };
    assert!(!written(&sum(3), &document).contains("rpc:"));
}
