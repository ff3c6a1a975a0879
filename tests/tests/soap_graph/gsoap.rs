//! What gSOAP sent: shared values, circles and arrays in SOAP 1.1, echoed.

use trunkline_soap::Version;
use trunkline_soap::graph::{self, Encoder, Message};
use trunkline_tests::infoset::{self, Element};

use crate::{decode, encode};
use trunkline_tests::soap_cases::{self, Case};

const SUITE: &str = "soap11-multiref/messages.jsonl";

/// As gSOAP was told to write: elements of their own, embedded ones, or no references.
fn encoder(mode: &str) -> Encoder {
    let encoder = Encoder { types: false, ..Encoder::new(Version::Soap11) };
    match mode {
        "default" => encoder,
        "graph" => Encoder { embedded: true, ..encoder },
        "tree" => Encoder { multi_ref: false, ..encoder },
        other => panic!("no mode {other}"),
    }
}

/// The answer of gSOAP's service: operations have one part, `in` and `out`.
fn echo(mut message: Message) -> Message {
    let (name, root) = message.body[0].clone();
    let input = message.graph.members(root)[0].clone();
    let answer = message.graph.add_struct(vec![(input.0.renamed("out"), input.1)]);
    message.body[0] = (name.renamed(&format!("{}Response", name.local())), answer);
    message
}

fn same_value(request: &Message, response: &Message) -> bool {
    let value = |message: &Message| {
        let (_, root) = message.root().expect("a root");
        [message.graph.members(root)[0].1]
    };
    graph::are_same((&request.graph, &value(request)), (&response.graph, &value(response)))
}

/// Without the names of ids, and of elements that are only there to have them.
fn comparable(document: &str) -> Element {
    let mut envelope = infoset::read(document.as_bytes());
    envelope.number_ids();
    for body in &mut envelope.children {
        for independent in body.children.iter_mut().skip(1) {
            independent.name = "independent".into();
            independent.attributes.retain(|name, _| !name.ends_with("}root"));
        }
        body.children[1..].sort_by_key(|it| it.attributes.get("id").cloned());
    }
    envelope
}

#[test]
fn graphs_are_echoed_as_gsoap_echoes_them() {
    let Some(cases) = soap_cases::cases(SUITE) else { return };
    let mut differences = soap_cases::Differences::default();
    for Case { id, fields } in &cases {
        let (request, response) = (fields.text("request"), fields.text("response"));
        let (asked, expected) = (decode(request), decode(response));
        assert!(same_value(&asked, &expected), "{id}: the graph of request and response");
        let answer = echo(asked);
        let document = encode(&answer, &encoder(fields.text("mode")));
        // What is not tree keeps identity, and an array without its gaps would be another one.
        assert!(decode(&document).is_same(&expected), "{id}: {document}");
        differences.compare(id, &comparable(response), &comparable(&document));
    }
    differences.check(&cases);
}
