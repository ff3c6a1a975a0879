//! What stands around a message: Header, Fault, documents that are something else, and decoders
//! that read one envelope after another.

use std::fs;

use trunkline_message::{Limits, Structure};
use trunkline_random::Random;
use trunkline_soap::{Decoder, Encoder, Options, Plan};
use trunkline_tests::conformance;
use trunkline_tests::every_kind::{self, EveryKind};
use trunkline_tests::soap_paths::Paths;

use crate::{XSI, enveloped, kinds, read, rejected};

#[test]
fn a_header_is_passed_over_unless_it_must_be_understood() {
    let document = |header: &str| {
        kinds("<name>a</name>")
            .replace("<S:Body>", &format!("<S:Header>{header}</S:Header><S:Body>"))
    };
    for header in [
        "",
        "<t:a xmlns:t='urn:t'>1<b S:mustUnderstand='1'>must of a child counts not</b></t:a>",
        "<t:a xmlns:t='urn:t' S:mustUnderstand='0'/><!-- c --><t:b xmlns:t='urn:t'/>",
        "<t:a xmlns:t='urn:t' mustUnderstand='1'/>",
    ] {
        assert_eq!(read(&document(header)).unwrap().name, "a", "{header}");
    }
    for value in ["1", "true", " 1 ", "&#49;"] {
        let header =
            format!("<t:ok xmlns:t='urn:t'/><t:a xmlns:t='urn:t' S:mustUnderstand='{value}'/>");
        let document = document(&header);
        let at = document.find("<t:a").unwrap();
        let expected = "not supported: the header t:a, which must be understood";
        assert_eq!(rejected(&document), format!("at byte {at}: {expected}"));
    }
}

#[test]
fn a_fault_is_told_as_one() {
    let body = "<S:Fault><faultcode>S:Server</faultcode>\n <faultstring>no such &lt;topic&gt;</faultstring></S:Fault>";
    let expected = "not supported: a Fault in place of the message: S:Server no such <topic>";
    assert!(rejected(&enveloped(body)).ends_with(expected), "{}", rejected(&enveloped(body)));
}

#[test]
fn what_is_no_message_of_the_plan_is_rejected_by_name() {
    let of_body = |body: &str| {
        let error = rejected(&enveloped(body));
        error.split_once(": ").unwrap().1.to_owned()
    };
    for (body, expected) in [
        ("", "expected the message"),
        ("text", "expected the message"),
        (
            "<other/>",
            "expected the operation sendMessage of no namespace, not <other> of no namespace",
        ),
        ("<sendMessage/>", "expected the message"),
        (
            "<sendMessage><Other/></sendMessage>",
            "expected the message EveryKind of no namespace, not <Other> of no namespace",
        ),
        (
            "<EveryKind><name/></EveryKind>",
            "expected the operation sendMessage of no namespace, not <EveryKind> of no namespace",
        ),
        (
            "<sendMessage><EveryKind><name/></EveryKind><second/></sendMessage>",
            "not supported: the element second after the message",
        ),
        (
            "<sendMessage><EveryKind><name/></EveryKind>text</sendMessage>",
            "expected end tags after the message, not text",
        ),
        (
            "<sendMessage><EveryKind href='#1'/></sendMessage>",
            "expected an element with the id \"1\", to which this one refers",
        ),
        ("<sendMessage><EveryKind xsi:nil='1'/></sendMessage>", "expected a message, not nil"),
    ] {
        assert_eq!(of_body(body), expected, "{body}");
    }
    let document = kinds("<name>a</name>");
    for (from, to, expected) in [
        ("S:Envelope", "S:Envelop", "expected a SOAP 1.1 or 1.2 Envelope, not <S:Envelop> of "),
        ("S:Body", "S:Bodi", "expected the Body, not <S:Bodi>"),
        ("S:Body", "Body", "expected the Body, not <Body>"),
        ("<S:Envelope", "<!DOCTYPE x><S:Envelope", "XML: document type declarations are rejected"),
    ] {
        let error = rejected(&document.replace(from, to));
        assert!(error.contains(expected), "{error}");
    }
    for (tail, expected) in [
        ("x", "XML: content outside the root element"),
        ("<a/>", "XML: second element after the root, expected the end of the document"),
        ("\0", "XML: content outside the root element"),
    ] {
        let error = rejected(&format!("{document}{tail}"));
        assert_eq!(error, format!("at byte {}: {expected}", document.len()));
    }
    assert_eq!(read(&format!("{document} \r\n<!-- end -->\n")).unwrap().name, "a");
}

#[test]
fn the_kept_attack_is_rejected_for_its_doctype() {
    let Some(directory) = conformance::directory("xml-attacks") else { return };
    let document = fs::read_to_string(directory.join("soap-doctype.xml")).unwrap();
    assert_eq!(rejected(&document), "at byte 0: XML: document type declarations are rejected");
}

#[test]
fn a_document_cut_anywhere_is_rejected() {
    let plan = Plan::new(EveryKind::layout(), &Options::default()).expect("a plan");
    let whole = Encoder::new(&plan).encode(&every_kind::full()).unwrap().to_vec();
    let mut paths = Paths::<EveryKind>::new(&plan);
    for end in 0..whole.len() {
        let error = paths.read(&whole[..end]).unwrap_err();
        assert!(error.offset() <= end, "{error}");
    }
    assert_eq!(paths.read(&whole), Ok(every_kind::full()));
}

#[test]
fn a_decoder_goes_from_envelope_to_envelope_and_over_errors() {
    let plan = Plan::new(EveryKind::layout(), &Options::default()).expect("a plan");
    let plain =
        String::from_utf8(Encoder::new(&plan).encode(&every_kind::full()).unwrap().to_vec());
    let plain = plain.unwrap();
    let other = plain.replace("SOAP-ENV", "S").replace("<EveryKind>", "<EveryKind\nid='1'>");
    let spaced = plain.replace("><", ">\n<").replace("<item>\n</item>", "<item></item>");
    let in_place = plain.replace("<hollow>", "<high xmlns='urn:y'/><hollow>");
    let documents = [
        plain.clone(),
        other,
        spaced,
        in_place,
        plain.replace("</sendMessage>", "</sendMessage><!-- c -->"),
        plain.replace("<name>", "<nam>"),
        plain.replace("true", "maybe"),
        plain.replace("</legs>", "</leg>"),
        plain.replace("</SOAP-ENV:Envelope>", "</SOAP-ENV:Envelope>x"),
        plain.replace("SOAP-ENV:Body", "SOAP-ENV:Bode"),
        plain.replace("<legs>", "<legs><leg/>"),
        plain.replace("sendMessage", "sendMassage"),
        plain[..plain.len() / 2].to_owned(),
        String::new(),
    ];
    let expected: Vec<_> = documents.iter().map(|document| read(document)).collect();
    assert_eq!(expected.iter().filter(|it| it.is_ok()).count(), 5);
    let mut paths = Paths::<EveryKind>::new(&plan);
    let mut random = Random::new(5);
    for _ in 0..2_000 {
        let which = random.index(documents.len());
        assert_eq!(paths.read(documents[which].as_bytes()), expected[which]);
    }
}

#[test]
fn limits_hold_on_every_way() {
    let plan = Plan::new(EveryKind::layout(), &Options::default()).expect("a plan");
    let document = kinds(
        "<name>0123456789</name><legs><leg><side>1</side></leg><leg><side>2</side></leg></legs>",
    );
    let under = |limits: Limits| {
        let read = Paths::<EveryKind>::with_limits(&plan, &limits).read(document.as_bytes());
        read.map(drop).map_err(|error| error.to_string().split_once(": ").unwrap().1.to_owned())
    };
    let limits = Limits::default();
    // The longest value is the namespace of the envelope.
    assert_eq!(under(Limits { value_bytes: XSI.len(), ..limits.clone() }), Ok(()));
    for (limits, expected) in [
        (Limits { value_bytes: 9, ..limits.clone() }, "XML: value exceeds value_bytes = 9"),
        (Limits { entries: 1, ..limits.clone() }, "more than the limit entries = 1 allows"),
        (Limits { fields: 3, ..limits.clone() }, "more than the limit fields = 3 allows"),
        (Limits { depth: 6, ..limits.clone() }, "XML: elements nest deeper than depth = 6"),
        (Limits { depth: 4, ..limits.clone() }, "XML: elements nest deeper than depth = 4"),
        (Limits { message_bytes: 99, ..limits }, "XML: document exceeds message_bytes = 99"),
    ] {
        assert_eq!(under(limits), Err(expected.into()));
    }
}

#[test]
fn messages_of_another_schema_are_rejected() {
    let plan = Plan::new(EveryKind::layout(), &Options::default()).expect("a plan");
    let mut other = trunkline_tests::samples::figure_3(1);
    let expected = "at byte 0: the message is of another schema than the plan";
    assert_eq!(Encoder::new(&plan).encode(&other).unwrap_err().to_string(), expected);
    let error = Decoder::new(&plan).decode(b"", &mut other).unwrap_err();
    assert_eq!(error.to_string(), expected);
}
