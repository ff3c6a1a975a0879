//! Header blocks in and out: as structs (round 3 group F) and as they stand (round 4 group I).

use trunkline_message::Message as Structure;
use trunkline_session::soap::{Binding, Context, Fault, Service, SoapVersion};
use trunkline_soap::graph::{Message, Name, NodeId};
use trunkline_tests::soap_cases;
use trunkline_wire::Text;

use crate::ask;

const XSD: &str = "http://soapinterop.org/xsd";
const INTEROP: &str = "http://soapinterop.org/";

#[derive(Structure, Debug, Default, PartialEq)]
struct Header1 {
    string: Option<Text>,
    int: i32,
}

#[derive(Structure, Debug, Default, PartialEq)]
struct Header2 {
    int: i32,
    string: Option<Text>,
}

fn echo_string(mut message: Message) -> Message {
    message.header.clear();
    if let Some((name, _)) = message.body.first_mut() {
        *name = name.renamed("echoStringReturn");
    }
    message
}

pub(crate) fn group_f() -> Service {
    headers().fallback(|message, context| {
        context.header::<Header1>()?;
        context.header::<Header2>()?;
        Ok(Some(echo_string(message)))
    })
}

fn headers() -> Service {
    Service::new("Headers", XSD)
        .header::<Header1>()
        .header::<Header2>()
        .at("/", Binding::document_literal_bare())
}

#[test]
fn header_blocks_of_others_are_read_as_structs_and_written_again() {
    let Some(cases) = soap_cases::cases("soap-php/round3-groupf.jsonl") else { return };
    let case = cases.iter().find(|it| it.id.ends_with("headers_004w")).expect("the case");
    let service = headers().fallback(|message, context: &mut Context| {
        let (one, two) = (context.header::<Header1>()?, context.header::<Header2>()?);
        let (one, two) = one.zip(two).ok_or_else(|| Fault::sender("a header is missing"))?;
        assert_eq!(one, Header1 { string: Some("arg1".into()), int: 34 });
        assert_eq!(two, Header2 { int: 43, string: Some("arg2".into()) });
        context.add_header(&Header1 { int: two.int, ..one })?;
        Ok(Some(echo_string(message)))
    });
    let answer = ask(service, case.fields.text("request").as_bytes(), SoapVersion::Soap11);
    let answer = String::from_utf8(answer).expect("UTF-8");
    let expected = "<Header1 xmlns=\"http://soapinterop.org/xsd\"><string>arg1</string><int>43</int></Header1>";
    assert!(answer.contains(expected), "{answer}");
}

/// The service of group I that answers header blocks by header blocks.
pub(crate) fn group_i() -> Service {
    Service::new("GroupI", INTEROP)
        .understands(INTEROP, "echoMeStringRequest")
        .understands(INTEROP, "echoMeComplexTypeRequest")
        .fallback(|message, _| {
            let Message { version, header, mut graph, .. } = message;
            let answer = |(name, node): (Name, NodeId)| {
                let local = name.local().strip_suffix("Request")?;
                // Whom the block is for is not said again.
                graph.node_mut(node).attributes.clear();
                Some((name.renamed(&format!("{local}Response")), node))
            };
            let header = header.into_iter().filter_map(answer).collect();
            let nothing = graph.add_struct(Vec::new());
            let body = vec![(Name::new(INTEROP, "echoVoidSoapHeaderResponse"), nothing)];
            let mut message = Message::new(version);
            (message.header, message.body, message.graph) = (header, body, graph);
            Ok(Some(message))
        })
        .at("/", Binding::document_literal())
}
