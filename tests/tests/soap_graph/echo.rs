//! Echo services without a schema: what they answer to recorded requests, as other toolkits did.

use trunkline_soap::graph::{Content, Encoder, Message, Name};
use trunkline_tests::soap_cases::{self, Case, Differences, comparable};
use trunkline_tests::soap_echo::{EchoService, ROUND_2, SOAP_12};

use crate::{decode, encode};

/// Answers each case and holds the answer against the recorded one.
fn run(cases: Option<Vec<Case>>, types: bool, answer: impl Fn(&Case, Message) -> Message) {
    let Some(cases) = cases else { return };
    let cases: Vec<Case> =
        cases.into_iter().filter(|case| !soap_cases::is_for_services(&case.id)).collect();
    assert!(!cases.is_empty(), "every case is left out");
    let mut differences = Differences::default();
    for case in &cases {
        let request = decode(case.fields.text("request"));
        let answer = answer(case, request);
        let encoder = Encoder { embedded: true, types, ..Encoder::new(answer.version) };
        let document = encode(&answer, &encoder);
        let expected = comparable(case.fields.text("response"));
        differences.compare(&case.id, &expected, &comparable(&document));
    }
    differences.check(&cases);
}

#[test]
fn round_2_is_answered() {
    let service = EchoService { operations: ROUND_2, types: "http://soapinterop.org/xsd" };
    for suite in ["soap-php/round2-base.jsonl", "soap-php/round2-groupb.jsonl"] {
        run(soap_cases::cases(suite), true, |_, request| service.answer(request));
    }
}

#[test]
fn the_rpc_messages_of_soap_12_are_answered() {
    let service = EchoService { operations: SOAP_12, types: "http://example.org/ts-tests/xsd" };
    let suite = "soap-php/soap12-testcollection.jsonl";
    run(soap_cases::cases(suite), true, |_, request| service.answer(request));
    let folder = "soap12-whitemesa/soap12/test-rpc";
    run(soap_cases::pairs(folder), false, |_, request| service.answer(request));
    let service = EchoService { operations: SOAP_12, types: "http://soapinterop.org/xsd" };
    let folder = "soap12-whitemesa/soap12/w3c-soap12-testcollection";
    run(soap_cases::pairs(folder), true, |_, request| service.answer(request));
}

/// Renames the root, and its only member.
fn rename(mut message: Message, root: Name, part: Option<Name>) -> Message {
    let Some((_, id)) = message.body.first().cloned() else { return message };
    if let Some(part) = part
        && let Content::Struct(members) = &mut message.graph.node_mut(id).content
    {
        members[0].0 = part;
    }
    message.header.clear();
    message.body[0].0 = root;
    message
}

/// The services of round 3, which differ in how they name the answer and its part.
fn round_3(case: &Case, message: Message) -> Message {
    let Some((name, _)) = message.body.first().cloned() else { return message };
    let response = name.renamed(&format!("{}Response", name.local()));
    let local = name.local();
    let id = case.id.rsplit('/').next().expect("an identifier");
    let service = id.rsplit_once('_').expect("a number").0;
    match service.trim_start_matches("r3_") {
        "groupD_compound1" => rename(message, name.renamed(&local.replace("x_", "result_")), None),
        "groupD_doclit" | "groupF_ext" => {
            rename(message, name.renamed(&local.replace("Param", "Return")), None)
        }
        "groupD_doclitparams" => rename(message, response, Some(name.renamed("return"))),
        "groupD_import1" => {
            let response = response.moved("http://soapinterop/echoStringResponse/");
            rename(message, response, Some(Name::unqualified("Result")))
        }
        "groupD_emptysa" | "groupD_import3" => {
            rename(message, response, Some(Name::unqualified("Result")))
        }
        "groupD_rpcenc" | "groupE_list" => {
            rename(message, response, Some(Name::unqualified("return")))
        }
        other => panic!("no service {other}"),
    }
}

#[test]
fn round_3_is_answered() {
    for group in ["groupd", "groupe", "groupf"] {
        run(soap_cases::cases(&format!("soap-php/round3-{group}.jsonl")), true, round_3);
    }
}

/// The service of group I: an element that repeats is not wrapped in the answer.
fn group_i(_: &Case, mut message: Message) -> Message {
    let (name, root) = message.body[0].clone();
    let part = name.renamed("return");
    let response = name.renamed(&format!("{}Response", name.local()));
    let members = message.graph.members(root).to_vec();
    let members = match members.first() {
        _ if name.local() == "echoSimpleTypesAsComplexType" => {
            const FIELDS: [(&str, &str); 3] = [
                ("inputInteger", "varInt"),
                ("inputString", "varString"),
                ("inputFloat", "varFloat"),
            ];
            let of_type = Name::new("http://soapinterop.org/xsd", "");
            let field = |(from, to): &(&str, &str)| {
                message.graph.member(root, from).map(|node| (of_type.renamed(to), node))
            };
            let fields = FIELDS.iter().filter_map(field).collect();
            vec![(part, message.graph.add_struct(fields))]
        }
        Some((_, list)) if name.local().ends_with("MultiOccurs") => {
            message.graph.members(*list).iter().map(|item| (part.clone(), item.1)).collect()
        }
        Some((_, value)) => vec![(part, *value)],
        None => Vec::new(),
    };
    let answer = message.graph.add_struct(members);
    message.body[0] = (response, answer);
    message
}

#[test]
fn group_i_of_round_4_is_answered() {
    run(soap_cases::cases("soap-php/round4-groupi.jsonl"), true, group_i);
}
