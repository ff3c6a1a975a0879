//! `trunkline decode` of GIOP by IDL: what omniORB's client and server said to each other.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

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

/// The messages of a stream without those that are fragments.
fn without_fragments(bytes: &[u8]) -> Vec<u8> {
    let (mut rest, mut kept) = (bytes, Vec::new());
    while let Some(header) = rest.first_chunk::<12>() {
        let length = [header[8], header[9], header[10], header[11]];
        let length = match header[6] & 1 {
            0 => u32::from_be_bytes(length),
            _ => u32::from_le_bytes(length),
        };
        let (message, behind) = rest.split_at(12 + length as usize);
        if message[7] != 7 {
            kept.extend_from_slice(message);
        }
        rest = behind;
    }
    kept
}

#[test]
fn a_message_whose_fragments_do_not_come_is_wrong() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let bytes = fs::read(manifest.join(file("client", "1.2"))).expect("it is there");
    let cut = Path::new(env!("CARGO_TARGET_TMPDIR")).join("giop-cut.bin");
    fs::write(&cut, without_fragments(&bytes)).expect("our own folder");
    let cut = cut.to_str().expect("UTF-8");
    for more in [&["--check"][..], &[]] {
        let (status, facts) = decode(&[&["--schema", IDL, cut], more].concat());
        assert_eq!(status, Some(1));
        let (wrong, right): (Vec<&Value>, Vec<&Value>) =
            facts.iter().partition(|it| it["wrong"].is_string());
        let [wrong] = &*wrong else { panic!("one is wrong: {wrong:#?}") };
        let why = format!(
            "request {} waits for its fragments, of which the last does not come",
            wrong["request"]
        );
        assert_eq!(
            (wrong["wrong"].as_str(), wrong["operation"].as_str()),
            (Some(&*why), Some("echo"))
        );
        // It was shown where it begins, too.
        let is_it = |it: &&&Value| it["offset"] == wrong["offset"];
        assert_eq!(right.iter().filter(is_it).count(), 1, "{facts:#?}");
    }
}

/// A message of GIOP 1.2, the most significant byte first.
fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len()).expect("it is short").to_be_bytes();
    [&b"GIOP\x01\x02\x00"[..], &[kind], &length, body].concat()
}

/// Both directions in files of their own, in which a number stands for one request after the other.
#[test]
fn replies_to_one_number_answer_its_requests_in_their_order() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("giop");
    std::fs::create_dir_all(&folder).expect("Cargo's folder for tests is writable");
    let request = |operation: &[u8; 4]| {
        // The number, that it is answered, the key of the object, the operation, no context.
        let head = [&[0, 0, 0, 1, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4][..], b"key."].concat();
        message(0, &[&head[..], &[0, 0, 0, 5], operation, &[0; 8]].concat())
    };
    let reply = |value: u32| {
        let head = [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0];
        message(1, &[&head[..], &value.to_be_bytes()].concat())
    };
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        std::fs::write(&path, bytes).expect("a file");
        path.to_str().expect("UTF-8").to_owned()
    };
    let idl = write("one.idl", b"interface I { long size(); long long time(); float part(); };");
    let asked = [request(b"size"), request(b"part"), request(b"size")].concat();
    let answered = [reply(7), reply(0x3fc0_0000), reply(8)].concat();
    let files = [write("asked.bin", &asked), write("answered.bin", &answered)];
    let (status, facts) = decode(&["--schema", &idl, &files[0], &files[1]]);
    assert_eq!(status, Some(0), "{facts:#?}");
    let replies: Vec<String> = facts[3..].iter().map(|it| it["message"].to_string()).collect();
    let expected =
        ["{\"size\":{\"result\":7}}", "{\"part\":{\"result\":1.5}}", "{\"size\":{\"result\":8}}"];
    assert_eq!(replies, expected, "{facts:#?}");
    // One request was never answered: nobody knows which, but of those that are alike.
    let unanswered = [reply(7), reply(8)].concat();
    let files = [&files[0], &write("unanswered.bin", &unanswered)];
    let (status, facts) = decode(&["--schema", &idl, files[0], files[1]]);
    assert_eq!(status, Some(0), "{facts:#?}");
    for reply in &facts[3..] {
        assert!(reply["message"].is_null() && reply["operation"].is_null(), "{reply:#?}");
        assert_eq!(reply["operations"], json!(["size", "part"]), "{reply:#?}");
    }
    // As they were sent, in one file: what the first reply answers is told by nothing.
    let sent = [request(b"size"), request(b"part"), reply(7), request(b"size"), reply(8)].concat();
    let (_, facts) = decode(&["--schema", &idl, &write("sent.bin", &sent)]);
    assert_eq!(facts[2]["operations"], json!(["size", "part"]), "{facts:#?}");
    let alike = write("alike.bin", &[request(b"size"), request(b"size")].concat());
    let (_, facts) = decode(&["--schema", &idl, &alike, &write("once.bin", &reply(7))]);
    assert_eq!(facts[2]["message"].to_string(), "{\"size\":{\"result\":7}}", "{facts:#?}");
}
