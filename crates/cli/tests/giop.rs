//! `trunkline decode` of GIOP by IDL: what omniORB's client and server said to each other.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

const IDL: &str = "../import/tests/data/vec.idl";

/// Status, and a fact for each message.
fn decode(arguments: &[&str]) -> (Option<i32>, Vec<Value>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_trunkline"));
    let output = command.args(["decode", "--json"]).args(arguments).current_dir(folder).output();
    let output = output.expect("the binary starts");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let facts = text.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    (output.status.code(), facts.collect())
}

fn file(side: &str, version: &str) -> String {
    format!("../../golden/giop/{side}-{version}.bin")
}

/// What an operation takes and answers, by its requests: those with an answer that IDL describes.
fn exchanges<'a>(facts: &'a [Value], operation: &str) -> Vec<[&'a Value; 2]> {
    let of = |name: &'static str| {
        let whole = |it: &&Value| it["operation"] == operation && !it["message"].is_null();
        let is_it = move |it: &&Value| it["name"] == name || it["name"] == "Fragment";
        facts.iter().filter(whole).filter(is_it).collect::<Vec<_>>()
    };
    let (requests, replies) = (of("Request"), of("Reply"));
    let reply = |request: &&'a Value| {
        let is_it =
            |it: &&&Value| it["request"] == request["request"] && it["file"] != request["file"];
        let found = replies.iter().find(is_it)?;
        Some([&request["message"], &found["message"]])
    };
    let from_client = |it: &&&Value| it["file"].as_str().is_some_and(|it| it.contains("client"));
    requests.iter().filter(from_client).filter_map(reply).collect()
}

#[test]
fn requests_and_replies_are_read_by_idl() {
    for (version, echoes) in [("1.0", 2), ("1.2", 3)] {
        let (client, server) = (file("client", version), file("server", version));
        let (status, facts) = decode(&["--schema", IDL, &client, &server]);
        assert_eq!(status, Some(0));
        assert!(facts.iter().all(|it| it["wrong"].is_null()), "{facts:#?}");
        let sums = exchanges(&facts, "add");
        assert_eq!(sums.len(), 1, "{version}: {facts:#?}");
        let number = |it: &Value| it.as_i64().expect("a number");
        for [request, reply] in sums {
            let sum = number(&request["add"]["a"]) + number(&request["add"]["b"]);
            assert_eq!(number(&reply["add"]["result"]), sum);
        }
        // Of the longest, request and reply come in fragments.
        let all = exchanges(&facts, "echo");
        assert_eq!(all.len(), echoes, "{version}");
        for [request, reply] in all {
            assert!(request["echo"]["m"]["hdr"]["SenderCompID"].is_string(), "{request}");
            assert_eq!(request["echo"]["m"], reply["echo"]["result"]);
        }
        let outs = exchanges(&facts, "outs");
        assert_eq!(outs.len(), 2, "{version}: {facts:#?}");
        let names: Vec<bool> = outs.iter().map(|it| it[1].get("outs").is_some()).collect();
        assert!(names.contains(&true) && outs.iter().any(|it| it[1]["Bad"]["why"].is_string()));
        let fire = facts.iter().find(|it| it["operation"] == "fire").expect("one-way");
        assert!(fire["message"]["fire"]["s"].is_string(), "{fire}");
    }
}

#[test]
fn without_its_request_a_reply_is_shown_as_bytes() {
    let (status, facts) = decode(&["--schema", IDL, &file("server", "1.0")]);
    assert_eq!(status, Some(0));
    // Only an exception says itself what it is.
    for fact in &facts {
        assert_ne!(fact["message"].is_null(), fact["hex"].is_null(), "{fact}");
        assert!(fact["message"].is_null() || fact["message"]["Bad"].is_object(), "{fact}");
    }
}

#[test]
fn without_idl_operations_are_named() {
    let (status, facts) = decode(&[&file("client", "1.2")]);
    assert_eq!(status, Some(0));
    let named: Vec<&str> = facts.iter().filter_map(|it| it["operation"].as_str()).collect();
    assert_eq!(named[..4], ["add", "outs", "outs", "fire"]);
    assert!(facts.iter().all(|it| it["hex"].is_string()));
}
