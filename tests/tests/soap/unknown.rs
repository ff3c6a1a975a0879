//! One unknown thing in each place of a document in turn: it is counted or rejected, by every path,
//! each time.

use std::fmt::Debug;

use trunkline_message::{Message, Structure};
use trunkline_soap::{Encoder, Layout, Options, Plan, Style};
use trunkline_tests::every_kind::{self, EveryKind};
use trunkline_tests::samples;
use trunkline_tests::shapes::{self, Loose};
use trunkline_tests::soap_paths::Paths;

use super::document;

/// What nobody knows, to stand between two tags, or in a start tag.
const ELEMENTS: [&str; 4] = [
    "<unheard/>",
    "<unheard>text<of/></unheard>",
    "<SOAP-ENV:unheard/>",
    "<o:unheard xmlns:o=\"urn:o\" a=\"1\"/>",
];
const ATTRIBUTES: [&str; 5] = [
    " unheard=\"1\"",
    " xmlns:own=\"urn:own\" own:unheard=\"1\"",
    " xmlns:o=\"urn:o\" o:name=\"1\"",
    " xml:lang=\"en\"",
    " SOAP-ENV:role=\"x\"",
];

/// Attributes of SOAP say nothing that a message means. All else counts.
fn counts(thing: &str) -> bool {
    !thing.starts_with(" SOAP-ENV:")
}

/// Positions between tags, and of the ends of the names in start tags, inside the message's element.
struct Places {
    between: Vec<usize>,
    in_tags: Vec<usize>,
}

impl Places {
    fn of(document: &str, root: &str) -> Self {
        let start = document.find(&format!("<{root}")).expect("the message");
        let end = document.rfind(&format!("</{root}>")).expect("the message's end");
        let (mut between, mut in_tags) = (Vec::new(), Vec::new());
        for (at, _) in document.match_indices('<').filter(|(at, _)| (start..=end).contains(at)) {
            if at > start {
                between.push(at);
            }
            let name = &document[at + 1..];
            if !name.starts_with('/') {
                let length = name.find([' ', '\n', '>', '/']).expect("the end of a name");
                in_tags.push(at + 1 + length);
            }
        }
        Self { between, in_tags }
    }
}

/// Puts each thing into each place; how many documents were read?
fn check<M>(options: &Options, message: &M, respell: impl Fn(String) -> String, root: &str) -> usize
where
    M: Structure + Message + Clone + Debug + PartialEq,
{
    let plan = Plan::new(M::layout(), options).expect("a plan");
    let good = Encoder::new(&plan).encode(message).expect("a good message").to_vec();
    let good = respell(String::from_utf8(good).expect("UTF-8"));
    let places = Places::of(&good, root);
    let between = places.between.iter().map(|at| (*at, &ELEMENTS[..]));
    let in_tags = places.in_tags.iter().map(|at| (*at, &ATTRIBUTES[..]));
    let mut paths = Paths::<M>::new(&plan);
    let mut accepted = 0;
    for (at, things) in between.chain(in_tags) {
        for thing in things {
            let document = format!("{}{thing}{}", &good[..at], &good[at..]);
            for time in 0..2 {
                let Ok(read) = paths.read(document.as_bytes()) else { continue };
                let unknown = paths.unknown();
                assert_eq!(unknown, usize::from(counts(thing)), "time {time}: {document}");
                assert_eq!(&read, message, "{document}");
                accepted += 1;
            }
            assert_eq!(paths.read(good.as_bytes()).as_ref(), Ok(message));
            assert_eq!(paths.unknown(), 0, "behind {document}");
        }
    }
    accepted
}

/// White space between the tags, as a sender writes who indents.
fn indented(document: String) -> String {
    document.replace("\n<", "<").replace("><", ">\n  <").replace("<item>\n  </item>", "<item/>")
}

/// A prefix at every name of the message.
fn prefixed(document: String) -> String {
    let body = document.find("<SOAP-ENV:Body").expect("the Body");
    let start = body + document[body..].find('>').expect("its end") + 1;
    let end = document.rfind("</SOAP-ENV:Body").expect("the Body's end");
    let inside = document[start..end].replace("</", "\u{1}").replace('<', "<p:");
    let inside = inside.replace('\u{1}', "</p:").replace("xmlns=", "xmlns:p=");
    format!("{}{inside}{}", &document[..start], &document[end..])
}

#[test]
fn what_is_unknown_is_accounted_for_in_every_shape() {
    let literal = document("urn:own");
    let attributes = Options { attributes: true, ..literal.clone() };
    let encoded = Options { style: Style::DocumentEncoded, types: true, ..document("urn:x") };
    let flat = Options { flat: true, ..Options::default() };
    for options in [Options::default(), literal.clone(), attributes, encoded, flat] {
        let is_qualified = options.style == Style::DocumentEncoded;
        let root = |name: &str| if is_qualified { format!("ns:{name}") } else { name.to_owned() };
        for order in [0, 5, 7].map(|it| shapes::orders().swap_remove(it)) {
            let accepted = check(&options, &order, |it| it, &root("Order"));
            assert!(accepted > 100, "{accepted} with {options:?}");
        }
        let accepted = check(&options, &shapes::loose(), |it| it, &root("Loose"));
        assert!(accepted > 100, "{accepted} with {options:?}");
    }
    let accepted = check(&literal, &shapes::full(), prefixed, "p:Order");
    assert!(accepted > 400, "{accepted}");
    let accepted = check(&literal, &shapes::loose(), prefixed, "p:Loose");
    assert!(accepted > 400, "{accepted}");
    let spaced = |document: String| document.replace("><", ">\n <");
    let spaced = |document: String| spaced(document).replace("<item>\n </item>", "<item></item>");
    let loose = Loose { notes: vec!["x".into()], ..shapes::loose() };
    let accepted = check(&Options::default(), &loose, spaced, "Loose");
    assert!(accepted > 400, "{accepted}");
}

#[test]
fn what_is_unknown_is_accounted_for_wherever_it_stands() {
    let operation = |style| Options {
        style,
        layout: Layout::Operation,
        operation: "everyKind".into(),
        namespace: "urn:own".into(),
        types: true,
        ..Options::default()
    };
    let literal = document("urn:own");
    let attributes = Options { attributes: true, ..literal.clone() };
    let flat = Options { flat: true, ..Options::default() };
    for (options, root) in [
        (Options::default(), "EveryKind"),
        (literal.clone(), "EveryKind"),
        (attributes, "EveryKind"),
        (flat, "EveryKind"),
        (operation(Style::RpcLiteral), "ns:everyKind"),
        (operation(Style::DocumentLiteral), "everyKind"),
    ] {
        let sparse = EveryKind { name: "a".into(), flag: Some(true), ..EveryKind::default() };
        for message in [every_kind::full(), sparse] {
            let accepted = check(&options, &message, |it| it, root);
            assert!(accepted > 20, "{accepted} with {options:?}");
        }
    }
    assert!(check(&literal, &every_kind::full(), prefixed, "p:EveryKind") > 200);
    let message = samples::figure_3(2);
    assert!(check(&Options::default(), &message, indented, "FIXMLMessage") > 200);
}
