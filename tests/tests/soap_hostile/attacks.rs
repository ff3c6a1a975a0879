//! Documents and bodies that cost their reader more than their sender.

use std::fmt::Write as _;
use std::fs;

use trunkline_http::{ClientConfig, Compression, HeaderMap, Method};
use trunkline_session::soap::SoapVersion;
use trunkline_tests::conformance;

use crate::{beside, client, headers, http_common, post, serve, short};

/// Paths of each kind: read with a schema in both ways, and without.
const PATHS: [&str; 4] = ["/rpc-encoded", "/doc-literal", "/soap12/doc-encoded", "/any"];
const ENVELOPE: &str = "http://schemas.xmlsoap.org/soap/envelope/";
const ENCODING: &str = "http://schemas.xmlsoap.org/soap/encoding/";

fn soap11() -> HeaderMap {
    headers(SoapVersion::Soap11, "urn:trunkline:ng-2004#echo")
}

/// The kept attacks, those that are recipes made by them.
fn kept() -> Option<Vec<(String, String)>> {
    let directory = conformance::directory("xml-attacks")?;
    let list = fs::read_to_string(directory.join("expect.jsonl")).expect("the list of cases");
    let document = |line: &str| {
        let case: serde_json::Value = serde_json::from_str(line).expect("a case");
        let name = case["name"].as_str().expect("a name").to_owned();
        let document = match case["file"].as_str() {
            Some(file) => fs::read_to_string(directory.join(file)).expect("the file of a case"),
            None => generated(&name),
        };
        (name, document)
    };
    Some(list.lines().map(document).collect())
}

fn generated(name: &str) -> String {
    let mut tag = String::from("<a");
    match name {
        "deep-nesting" => return "<a>".repeat(100_000) + &"</a>".repeat(100_000),
        "charref-flood" => return format!("<a>{}</a>", "&#65;".repeat(200_000)),
        "many-attributes" => (0..50_000).for_each(|it| write!(tag, " a{it}=\"\"").unwrap()),
        "many-namespaces" => {
            (0..50_000).for_each(|it| write!(tag, " xmlns:p{it}=\"u{it}\"").unwrap());
        }
        _ => panic!("there is no recipe for {name}"),
    }
    tag + "/>"
}

#[test]
fn kept_attacks_are_faults_on_a_connection_that_goes_on() {
    let Some(attacks) = kept() else { return };
    let server = serve(short());
    beside(&server, || {
        let mut client = client(&server);
        for (name, document) in &attacks {
            for path in PATHS {
                let answer = post(&mut client, path, &soap11(), document.as_bytes());
                // The only message among them is answered by who takes any.
                let is_answered = name == "multiref-bomb" && path == "/any";
                assert_eq!(answer.status.as_u16() == 200, is_answered, "{name} at {path}");
            }
        }
        assert_eq!(client.connections(), 1);
    });
    assert_eq!(server.counters().panics, 0);
}

/// The same inside of messages that are in order, in the Header and in the Body.
#[test]
fn kept_attacks_inside_of_messages_are_answered() {
    let Some(attacks) = kept() else { return };
    let server = serve(short());
    beside(&server, || {
        let mut client = client(&server);
        for (name, document) in &attacks {
            let inside = match document.find("<!DOCTYPE") {
                Some(_) => document.clone(),
                None => document[document.find("?>").map_or(0, |it| it + 2)..].to_owned(),
            };
            for (header, body) in [("", &*inside), (&*inside, "<x/>")] {
                let message = format!(
                    "<S:Envelope xmlns:S=\"{ENVELOPE}\" S:encodingStyle=\"{ENCODING}\"><S:Header>{header}\
                     </S:Header><S:Body>{body}</S:Body></S:Envelope>"
                );
                for path in PATHS {
                    let answer = post(&mut client, path, &soap11(), message.as_bytes());
                    let is_any = path == "/any";
                    assert!(is_any || answer.status.as_u16() != 200, "{name} at {path}");
                }
            }
        }
        assert_eq!(client.connections(), 1);
    });
    assert_eq!(server.counters().panics, 0);
}

/// One customer of 100,000 bytes, to which so many others refer.
fn shared(references: usize) -> String {
    let address = "n".repeat(100_000);
    let texts =
        ["customerId", "password", "firstName", "lastName", "phoneNum", "email", "accountNo"];
    let texts: String = texts.iter().map(|name| format!("<{name}>t</{name}>")).collect();
    let customers = "<customer href=\"#c\"/>".repeat(references);
    format!(
        "<S:Envelope xmlns:S=\"{ENVELOPE}\"><S:Body S:encodingStyle=\"{ENCODING}\">\
         <n:echo xmlns:n=\"urn:trunkline:ng-2004\"><header>h</header><customers>{customers}</customers>\
         </n:echo><multiRef id=\"c\">{texts}<address>{address}</address><isValid>true</isValid>\
         <lastModified>2004-01-02T03:04:05Z</lastModified></multiRef></S:Body></S:Envelope>"
    )
}

#[test]
fn what_is_shared_does_not_get_around_the_limits() {
    let server = serve(short());
    beside(&server, || {
        let mut client = client(&server);
        for (references, limit) in
            [(1, ""), (100, ""), (1_000, "message_bytes"), (60_000, "message_bytes")]
        {
            let message = shared(references);
            let answer = post(&mut client, "/rpc-encoded", &soap11(), message.as_bytes());
            assert_eq!(answer.status.as_u16() == 200, limit.is_empty(), "{references}");
            let text = String::from_utf8_lossy(&answer.body);
            assert!(text.contains(limit), "{references}: {text:.1000}");
            // Who takes any message gives it back as it is shared.
            let answer = post(&mut client, "/any", &soap11(), message.as_bytes());
            assert_eq!(answer.status.as_u16(), 200, "{references}");
            assert!(answer.body.len() < 2 * message.len(), "{}", answer.body.len());
        }
    });
}

#[test]
fn what_becomes_far_longer_is_rejected_by_the_name_of_the_limit() {
    let server = serve(short());
    let blanks = |count: usize| {
        let blanks = " ".repeat(count);
        format!("<S:Envelope xmlns:S=\"{ENVELOPE}\"><S:Body>{blanks}<x/></S:Body></S:Envelope>")
    };
    beside(&server, || {
        for compression in [Compression::Gzip, Compression::Deflate] {
            let mut client = client(&server);
            *client.config_mut() =
                ClientConfig { compression: Some(compression), ..ClientConfig::default() };
            for (length, limit) in [(15 << 20, "inflate_ratio"), (64 << 20, "body_bytes")] {
                let document = blanks(length);
                let answer = client
                    .request(&Method::POST, "/any", &soap11(), document.as_bytes())
                    .expect("an answer");
                assert_eq!(answer.status.as_u16(), 413);
                let text = String::from_utf8_lossy(&answer.body);
                let is_named = [limit, "inflate_ratio"].iter().any(|it| text.starts_with(it));
                assert!(is_named, "{text}");
            }
            let answer = post(&mut client, "/any", &soap11(), blanks(900_000).as_bytes());
            assert_eq!(answer.status.as_u16(), 200);
        }
    });
}

/// What is said to be compressed and is not is rejected without harm to others.
#[test]
fn broken_compression_is_rejected() {
    let server = serve(short());
    beside(&server, || {
        let request = "POST /any HTTP/1.1\r\nHost: a\r\nContent-Type: text/xml\r\n\
                       Content-Encoding: gzip\r\nContent-Length: 9\r\n\r\n<broken/>";
        let answer = http_common::exchange(server.address(), request.as_bytes());
        assert_eq!(http_common::status(&answer), 400, "{answer}");
    });
}
