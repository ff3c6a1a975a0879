//! Literal content in the same model, and what is told of a message beside its values.

use trunkline_message::Limits;
use trunkline_soap::graph::{Encoder, Name};
use trunkline_soap::{self as soap, Version};
use trunkline_tests::infoset;

use crate::{SOAP11, SOAP12, XSD, decode, encode, encoded, encoded12, rejected};

fn literal(body: &str) -> String {
    format!("<S:Envelope xmlns:S='{SOAP11}' xmlns:o='urn:own'><S:Body>{body}</S:Body></S:Envelope>")
}

fn rewritten(document: &str) -> String {
    encode(&decode(document), &Encoder::new(Version::Soap11))
}

#[test]
fn names_attributes_and_order_are_kept() {
    let bodies = [
        "<o:a id='1' href='#1' o:id='2' xml:lang='en'><b/><o:b>x</o:b><b>y</b></o:a>",
        "<a xmlns='urn:d'><b xmlns='urn:e'><c xmlns=''>&lt;&amp;&#13;</c></b></a><o:z/>",
        "<a>  <b>  </b>  </a>",
        "<a><![CDATA[<x>]]></a>",
        "",
    ];
    for body in bodies {
        let document = literal(body);
        let (before, after) = (infoset::read(document.as_bytes()), rewritten(&document));
        assert_eq!(before, infoset::read(after.as_bytes()), "{after}");
    }
}

#[test]
fn references_mean_nothing_in_literal_content() {
    let message = decode(&literal("<a href='#nowhere' id='x'/><a id='x'/>"));
    assert_eq!(message.body.len(), 2);
    assert!(!message.is_encoded());
}

#[test]
fn prefixes_in_text_keep_their_meaning() {
    let document = literal(
        "<a xmlns:p='urn:p'><b xmlns:q='urn:q' o:type='q:t'>p:x</b><c xmlns:p='urn:r'>p:x</c>\
         <d>http://x</d></a>",
    );
    let message = decode(&rewritten(&document));
    let (_, root) = message.root().expect("a root");
    let meaning = |local: &str, prefix: &str| {
        let node = message.graph.node(message.graph.member(root, local).expect("a member"));
        let found = node.prefixes.iter().find(|it| *it.0 == *prefix);
        found.map(|it| it.1.to_string())
    };
    assert_eq!(meaning("b", "p").as_deref(), Some("urn:p"));
    assert_eq!(meaning("b", "q").as_deref(), Some("urn:q"));
    assert_eq!(meaning("c", "p").as_deref(), Some("urn:r"));
    assert_eq!(meaning("d", "http"), None);
}

#[test]
fn many_namespaces_fit_in_tags_that_are_read_again() {
    let children: String =
        (0..1000).map(|n| format!("<a xmlns='urn:n{n}' xmlns:p='urn:p{n}' p:x='1'/>")).collect();
    let document = literal(&format!("<o:a>{children}</o:a>"));
    let after = rewritten(&document);
    assert_eq!(infoset::read(document.as_bytes()), infoset::read(after.as_bytes()));
}

#[test]
fn text_beside_elements_is_rejected() {
    let error = rejected(&literal("<a>text<b/></a>"));
    assert!(error.contains("mixed content") && error.contains("a at byte"), "{error}");
}

#[test]
fn envelopes_are_checked() {
    assert!(rejected("<a/>").contains("a SOAP 1.1 or 1.2 Envelope, not <a>"));
    assert!(rejected(&literal("").replace("/soap/envelope/", "/x/")).contains("Envelope"));
    assert!(rejected(&literal("text")).contains("an element"));
    let trailer = |soap: &str| {
        literal("").replace(SOAP11, soap).replace("</S:Envelope>", "<o:t/></S:Envelope>")
    };
    assert!(decode(&trailer(SOAP11)).body.is_empty(), "SOAP 1.1 section 4 allows trailers");
    assert!(rejected(&trailer(SOAP12)).contains("nothing but the end"));
    assert!(rejected(&literal("").replace("Body", "Other")).contains("the Body"));
    assert!(rejected(&format!("<!DOCTYPE a><a/>{}", literal(""))).contains("document type"));
}

#[test]
fn header_blocks_keep_what_says_who_shall_process_them() {
    let document = literal("<o:a/>").replace(
        "<S:Body>",
        "<S:Header><o:h S:mustUnderstand='1' S:actor='urn:me'>x</o:h></S:Header><S:Body>",
    );
    let message = decode(&document);
    let (name, block) = &message.header[0];
    assert_eq!(*name, Name::new("urn:own", "h"));
    let node = message.graph.node(*block);
    assert_eq!(node.attribute(SOAP11, "mustUnderstand"), Some("1"));
    assert_eq!(node.attribute(SOAP11, "actor"), Some("urn:me"));
    let after = rewritten(&document);
    assert_eq!(infoset::read(document.as_bytes()), infoset::read(after.as_bytes()));
}

#[test]
fn messages_change_version() {
    let message = decode(&encoded(
        "<o:call><a E:arrayType='xsd:int[1]' xsi:type='E:Array'>\
                                   <i>1</i></a></o:call>",
    ));
    let after = encode(&message, &Encoder::new(Version::Soap12));
    assert!(!after.contains("schemas.xmlsoap.org"), "{after}");
    let message = decode(&after);
    assert_eq!((message.version, message.is_encoded()), (Version::Soap12, true));
}

/// SOAP 1.1 section 4.2, SOAP 1.2 part 1 section 5.2.
#[test]
fn what_says_who_processes_a_block_changes_with_the_version() {
    const NEXT11: &str = "http://schemas.xmlsoap.org/soap/actor/next";
    const ROLE: &str = "http://www.w3.org/2003/05/soap-envelope/role";
    let (next12, last) = (format!("{ROLE}/next"), format!("{ROLE}/ultimateReceiver"));
    let through = |from: &str, attributes: &str, version: Version| {
        let header = format!("<S:Header><o:h {attributes}/></S:Header><S:Body>");
        let document = literal("<o:a/>").replace(SOAP11, from).replace("<S:Body>", &header);
        let after = encode(&decode(&document), &Encoder::new(version));
        let opened = soap::open(after.as_bytes(), &Limits::default()).expect("an envelope");
        assert_eq!(opened.header.len(), 1);
        opened.header.into_iter().next().map(|it| (it.must_understand, it.role, it.relay, after))
    };
    let said = |from, attributes: &str, version| {
        let (must, role, relay, _) = through(from, attributes, version).expect("a block");
        (must, role, relay)
    };
    let of = |role: &str| Some(role.to_owned());
    let next = format!("S:actor='{NEXT11}' S:mustUnderstand='1'");
    assert_eq!(said(SOAP11, &next, Version::Soap12), (true, of(&next12), false));
    let mine = "S:actor='urn:me' S:relay='1' S:role='urn:you'";
    assert_eq!(said(SOAP11, mine, Version::Soap12), (false, of("urn:me"), false));
    let next = format!("S:role='{next12}' S:mustUnderstand='true' S:relay='true'");
    assert_eq!(said(SOAP12, &next, Version::Soap11), (true, of(NEXT11), false));
    let (.., after) = through(SOAP12, &next, Version::Soap11).expect("a block");
    assert!(after.contains("mustUnderstand=\"1\"") && !after.contains("relay"), "{after}");
    assert_eq!(said(SOAP12, &next, Version::Soap12), (true, of(&next12), true));
    let last = format!("S:role='{last}'");
    assert_eq!(said(SOAP12, &last, Version::Soap11), (false, None, false));
}

#[test]
fn the_result_of_a_call_is_named() {
    let message = decode(&encoded12(
        "<r:result xmlns:r='http://www.w3.org/2003/05/soap-rpc'>return</r:result><return>1</return>",
    ));
    assert_eq!(message.result_part(), Some("return"));
    assert_eq!(decode(&encoded12("<return>1</return>")).result_part(), None);
}

#[test]
fn old_schemas_are_read_as_the_recommendation() {
    let document = encoded("<o:call><a xsi:type='xsd:int'>1</a><b xsi:null='1'/></o:call>")
        .replace("/2001/", "/1999/");
    let message = decode(&document);
    let (_, root) = message.root().expect("a root");
    let a = message.graph.member(root, "a").expect("a member");
    assert_eq!(message.graph.node(a).type_name, Some(Name::new(XSD, "int")));
    assert!(encode(&message, &Encoder::new(Version::Soap11)).contains("xsi:nil=\"true\""));
}
