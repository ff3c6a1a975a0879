//! What `trunkline soap call` and `serve` forbid by the schemas, and say of it.

use std::fs;
use std::path::Path;

use super::said;
use super::served::Served;
use super::site::Site;

const ANSWER: &str = "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body>\
    <r><text>yes</text></r></e:Body></e:Envelope>";

/// A service of one operation with facets of every kind, and a value that is fixed.
const WSDL: &str = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:t"
    xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" targetNamespace="urn:t">
  <types><schema xmlns="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t" targetNamespace="urn:t"
      elementFormDefault="qualified">
    <simpleType name="Symbol"><restriction base="string"><pattern value="[A-Z]{6}"/></restriction></simpleType>
    <simpleType name="Lots"><restriction base="int"><minInclusive value="10"/><maxExclusive value="500"/></restriction></simpleType>
    <simpleType name="Rate"><restriction base="decimal"><enumeration value="0.5"/><enumeration value="2"/></restriction></simpleType>
    <simpleType name="Desk"><restriction base="string"><length value="9"/></restriction></simpleType>
    <element name="ask"><complexType><sequence>
      <element name="version" type="string" fixed="2.0"/><element name="symbol" type="t:Symbol"/>
      <element name="lots" type="t:Lots"/><element name="rate" type="t:Rate" minOccurs="0"/>
      <element name="desk" type="t:Desk" minOccurs="0"/></sequence><attribute name="unit" use="required" fixed="lot"/>
    </complexType></element>
    <element name="reply"><complexType><sequence><element name="symbol" type="t:Symbol"/>
      <element name="lots" type="t:Lots"/><element name="desk" type="t:Desk"/></sequence></complexType></element>
  </schema></types>
  <message name="In"><part name="p" element="t:ask"/></message>
  <message name="Out"><part name="p" element="t:reply"/></message>
  <portType name="T"><operation name="ask"><input message="t:In"/><output message="t:Out"/></operation>
    <operation name="note"><input message="t:In"/></operation></portType>
  <binding name="B" type="t:T"><soap:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>
    <operation name="ask"><soap:operation soapAction="urn:t/ask"/><input><soap:body use="literal"/></input>
      <output><soap:body use="literal"/></output></operation>
    <operation name="note"><soap:operation soapAction="urn:t/note"/><input><soap:body use="literal"/></input></operation></binding>
  <service name="S"><port name="P" binding="t:B"><soap:address location="http://example.org/ask"/></port></service>
</definitions>"#;

fn ask(arguments: &[&str]) -> (Option<i32>, String, String, String) {
    let site = Site::start(&[("/?wsdl", WSDL)], ANSWER);
    let (status, out, err) = said(&[&[&*site.url("/"), "ask"], arguments].concat());
    (status, out, err, site.asked().posted.concat())
}

#[track_caller]
fn is_rejected(arguments: &[&str], words: &str) {
    let (status, out, err, sent) = ask(arguments);
    assert_eq!((status, &*out, &*sent), (Some(2), "", ""), "{arguments:?}: {err}");
    assert!(err.contains(words), "{arguments:?}: no {words:?} in {err}");
    assert_eq!(err.lines().count(), 1, "{err}");
}

#[track_caller]
fn is_sent(arguments: &[&str], words: &[&str]) {
    let (status, out, err, sent) = ask(arguments);
    assert_eq!((status, &*out), (Some(0), "text = yes\n"), "{arguments:?}: {err}");
    for word in words {
        assert!(sent.contains(word), "{arguments:?}: no {word:?} in {sent}");
    }
}

fn body(symbol: &str, others: &str) -> String {
    format!(
        "<ask xmlns='urn:t' unit='lot'><version>2.0</version>\n <symbol>{symbol}</symbol><lots>10</lots>{others}</ask>"
    )
}

/// What a facet forbids is not sent, whichever way it is said.
#[test]
fn a_body_with_a_forbidden_value_is_not_sent() {
    let json = |symbol: &str, lots: &str, others: &str| {
        format!(
            r#"{{"unit": "lot", "version": "2.0", "symbol": "{symbol}", "lots": {lots}{others}}}"#
        )
    };
    is_sent(&["--body", &json("EURUSD", "10", "")], &["symbol>EURUSD</", "unit=\"lot\""]);
    for (body, why) in [
        (
            json("eur", "10", ""),
            "--body:1:45: ask/symbol: \"eur\" is not as the pattern [A-Z]{6} has it",
        ),
        (json("EURUSD", "9", ""), "--body:1:63: ask/lots: \"9\" is less than 10"),
        (json("EURUSD", "500", ""), "ask/lots: \"500\" is not less than 500"),
        (json("EURUSD", "10", ", \"rate\": 1"), "ask/rate: \"1\" is none of 0.5, 2"),
        (json("EURUSD", "10", ", \"desk\": \"D\""), "ask/desk: \"D\" has 1 character, not 9"),
    ] {
        is_rejected(&["--body", &body], why);
        // The user has the last word.
        is_sent(&["--body", &body, "--unchecked"], &["symbol>"]);
    }
    is_rejected(&["--body", &body("eur", "")], "--body:2:2: ask/symbol: \"eur\" is not as ");
    is_sent(&["--body", &body("eur", "<wrong/>"), "--unchecked"], &["<wrong/>"]);
    is_rejected(
        &["symbol=EURUSD", "lots=10", "rate=1"],
        "rate=1: it takes decimal: it is none of 0.5, 2",
    );
}

/// A place is that of the text that was given, and a name that is wrong has one that was meant.
#[test]
fn what_is_wrong_in_a_body_is_told_with_its_place_and_what_was_meant() {
    let meant = "; there is version, symbol, lots, rate, desk, unit; did you mean rate?";
    let xml = body("EURUSD", "\n  <rat>2</rat>");
    is_rejected(&["--body", &xml], "--body:3:3: ");
    is_rejected(&["--body", &xml], meant);
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("soap-call-place.json");
    let text =
        "{\n  \"unit\": \"lot\", \"version\": \"2.0\",\n  \"symbol\": \"EURUSD\", \"rat\": 2}";
    fs::write(&file, text).expect("a file");
    let file = file.to_str().expect("text");
    is_rejected(&["--body", file], "soap-call-place.json:3:");
    is_rejected(&["--body", file], meant);
    let lots = r#"{"unit": "lot", "version": "2.0", "symbol": "EURUSD", "lots": "many"}"#;
    is_rejected(&["--body", lots], "--body:1:");
    is_rejected(&["--body", lots], "; it is \"many\"");
    // What the schema alone forbids has a place as well.
    let forbidden = text.replace(", \"rat\": 2}", ",\n  \"lots\": 10,\n  \"rate\": 1}");
    fs::write(file, &forbidden).expect("a file");
    is_rejected(&["--body", file], "soap-call-place.json:5:11: ask/rate: \"1\" is none of 0.5, 2");
    let named = format!("{{\"ask\":\n{forbidden}}}");
    fs::write(file, named).expect("a file");
    is_rejected(&["--body", file], "soap-call-place.json:6:11: ask/rate: ");
}

/// What `convert` writes is taken, with the name of the message around it.
#[test]
fn json_may_be_in_an_object_with_the_name_of_the_message() {
    let folder = std::env::temp_dir().join(format!("trunkline-valid-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let (wsdl, xml) = (folder.join("ask.wsdl"), folder.join("ask.xml"));
    fs::write(&wsdl, WSDL).expect("a file");
    fs::write(&xml, body("EURUSD", "")).expect("a file");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_trunkline"));
    command.args(["convert", "--from", "xml", "--to", "json", "--schema"]).args([&wsdl, &xml]);
    let output = command.output().expect("it runs");
    let _ = fs::remove_dir_all(&folder);
    let json = String::from_utf8(output.stdout).expect("text");
    assert!(json.starts_with("{\"ask\":{"), "{json}");
    is_sent(&["--body", json.trim()], &["symbol>EURUSD</"]);
    is_rejected(&["--body", &json.replace("EURUSD", "eur")], "ask/symbol: \"eur\"");
    is_rejected(&["--body", &json.replace("\"lots\"", "\"lot\"")], "did you mean lots?");
}

/// A value that may be no other one need not be said.
#[test]
fn what_is_fixed_is_sent() {
    let words = ["version>2.0</", "unit=\"lot\""];
    is_sent(&["symbol=EURUSD", "lots=10"], &words);
    is_sent(&["symbol=EURUSD", "lots=10", "version=2.0", "@unit=lot"], &words);
    is_rejected(&["symbol=EURUSD", "lots=10", "version=2.1"], "version=2.1: it takes ");
    is_rejected(&["symbol=EURUSD"], "lots is missing");
}

/// Answers that nobody gave are valid, and so is the line that calls the service.
#[test]
fn what_is_made_up_keeps_to_its_facets() {
    let mut served = Served::of("made-up", WSDL);
    let line = served.start_all(&[]).remove(0);
    let url = line.split(' ').next().expect("a URL");
    let (status, out, err) = said(&[url, "ask", "symbol=EURUSD", "lots=10"]);
    assert_eq!(
        (status, &*out),
        (Some(0), "symbol = AAAAAA\nlots = 10\ndesk = texttextt\n"),
        "{err}"
    );
    let described = served.describe(url);
    let example = described.lines().find(|it| it.contains("soap call")).expect("an example");
    assert!(example.contains(" symbol=AAAAAA lots=10 rate=0.5 desk=texttextt"), "{example}");
    assert!(!described.contains("no valid values"), "{described}");
    let words: Vec<&str> = example.split_whitespace().skip(3).collect();
    let (status, _, err) = said(&words);
    assert_eq!(status, Some(0), "{example}: {err}");
}

/// Where no value is found that a schema allows, that is said.
#[test]
fn what_cannot_be_made_up_is_told() {
    let never = WSDL.replace("[A-Z]{6}", "[A-Z]{300}").replace(
        r#"base="string"><length value="9"/>"#,
        r#"base="base64Binary"><minLength value="18446744073709551615"/>"#,
    );
    assert!(never.contains("base64Binary"));
    let served = Served::of("not-made-up", &never);
    let output = served.command(&["--write-answers", "answers"]).output().expect("it runs");
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(err.contains("ask: no valid answer is found") && err.contains("reply/symbol"), "{err}");
    let described = served.describe("quotes.wsdl");
    assert!(
        described.contains("no valid values are found: put others in: ask/symbol"),
        "{described}"
    );
}

/// One member for which no value is found takes nothing else with it.
#[test]
fn what_has_no_valid_value_is_left_out_of_an_answer() {
    let days = r#"<simpleType name="Days"><restriction base="date"><pattern value="203[1-2]-0[5-6]-11"/></restriction></simpleType><element name="reply">"#;
    let wsdl = WSDL.replace(r#"<element name="reply">"#, days).replace(
        r#"<element name="desk" type="t:Desk"/>"#,
        r#"<element name="day" type="t:Days" minOccurs="0"/><element name="desk" type="t:Desk" minOccurs="0"/>"#,
    );
    let served = Served::of("left-out", &wsdl);
    let output = served.command(&["--write-answers", "answers"]).output().expect("it runs");
    let written = fs::read_to_string(served.folder.join("answers/ask.json")).expect("a file");
    assert_eq!(written.trim(), r#"{"symbol":"AAAAAA","lots":10,"desk":"texttextt"}"#);
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(err.contains("ask: left out of the answer that is made up"), "{err}");
    assert!(err.contains("reply/day: "), "{err}");
}

/// A service takes what its WSDL says, unless it is told to be lenient: then it tells what it passes over.
#[test]
fn what_a_wsdl_does_not_have_is_refused() {
    let given = body("EURUSD", "<rat><why/></rat>");
    let raw = ["ask", "--body", &*given, "--unchecked"];
    let mut served = Served::of("strict", WSDL);
    let line = served.start_all(&[]).remove(0);
    let url = line.split(' ').next().expect("a URL");
    let (status, out, err) = said(&[&[url], &raw[..]].concat());
    assert_eq!(status, Some(1), "{out}{err}");
    assert!(out.starts_with("fault: Sender: ") && out.contains("rat"), "{out}");
    // What a layout does not hold is refused, too.
    let rate = body("EURUSD", "<rate>1</rate>");
    let (status, out, _) = said(&[url, "ask", "--unchecked", "--body", &rate]);
    assert_eq!(status, Some(1), "{out}");
    assert!(out.starts_with("fault: Sender: ask/rate: \"1\" is none of 0.5, 2"), "{out}");

    let mut served = Served::of("lenient", WSDL);
    let line = served.start_all(&["--lenient"]).remove(0);
    let url = line.split(' ').next().expect("a URL");
    let (status, out, err) = said(&[&[url], &raw[..]].concat());
    assert_eq!(status, Some(0), "{out}{err}");
    let log = served.log();
    assert!(log.contains("ask: passed over, since the WSDL has none: rat"), "{log}");
}

/// However a value is written that the schema allows, and whatever may stand beside it.
#[test]
fn a_valid_request_is_answered() {
    let wsdl = WSDL
        .replace(
            r#"<simpleType name="Desk">"#,
            r#"<simpleType name="Minute"><restriction base="time"><pattern value="\d\d:\d\d:00"/></restriction></simpleType>
               <simpleType name="Bit"><restriction base="boolean"><pattern value="0|1"/></restriction></simpleType>
               <simpleType name="Three"><restriction base="integer"><pattern value="\d{3}"/></restriction></simpleType>
               <simpleType name="Desk">"#,
        )
        .replace(
            r#"</sequence><attribute name="unit" use="required" fixed="lot"/>"#,
            r#"<element name="at" type="t:Minute" minOccurs="0"/><element name="bit" type="t:Bit" minOccurs="0"/>
               <element name="three" type="t:Three" minOccurs="0"/><element name="code" type="QName" minOccurs="0"/></sequence>
               <attribute name="unit" use="required" fixed="lot"/><anyAttribute namespace="urn:x" processContents="lax"/>"#,
        );
    let mut served = Served::of("valid", &wsdl);
    let line = served.start_all(&[]).remove(0);
    let url = line.split(' ').next().expect("a URL");
    let plain = body("EURUSD", "");
    let traced = plain.replace("unit=", "xmlns:x='urn:x' x:trace='1' unit=");
    let values = body(
        "EURUSD",
        "<at>12:30:00</at><bit>1</bit><three>007</three><code xmlns:p='urn:x'>p:a</code>",
    );
    for body in [plain, traced, values] {
        let (status, out, err) = said(&[url, "ask", "--unchecked", "--body", &body]);
        assert_eq!(status, Some(0), "{body}: {out}{err}");
    }
}

/// A file that would never be an answer is named before anything is served.
#[test]
fn a_file_that_answers_nothing_is_named() {
    let served = Served::of("misspelt", WSDL);
    let folder = served.folder.join("answers");
    fs::create_dir(&folder).expect("a folder");
    let good = r#"{"reply": {"symbol": "EURUSD", "lots": 10, "desk": "LDN-DESK1"}}"#;
    for (name, why) in [
        (
            "askk.json",
            "askk.json: there is no operation askk to answer; there is ask, note; did you mean ask?",
        ),
        ("ask.jsn", "ask.jsn: an answer is a file ask.json or ask.xml"),
        ("note.json", "note.json: the operation note is not answered"),
        ("ask.xml", "the answer is there twice"),
    ] {
        fs::write(folder.join("ask.json"), good).expect("a file");
        fs::write(folder.join(name), good).expect("a file");
        let error = served.failure(&["--answers", "answers"]);
        assert!(error.contains(why), "{name}: no {why:?} in {error}");
        fs::remove_file(folder.join(name)).expect("it is there");
    }
    fs::write(folder.join("ask.json"), good.replace("LDN-DESK1", "LDN")).expect("a file");
    for other in ["README.md", "ask.md", "ask.json~", "ask.txt"] {
        fs::write(folder.join(other), "of the answers").expect("a file");
    }
    let mut served = served;
    let line = served.start_all(&["--answers", "answers"]).remove(0);
    let url = line.split(' ').next().expect("a URL");
    let (status, out, err) = said(&[url, "ask", "symbol=EURUSD", "lots=10"]);
    assert_eq!((status, &*out), (Some(0), "symbol = EURUSD\nlots = 10\ndesk = LDN\n"), "{err}");
    let log = served.log();
    assert!(
        log.contains(
            "ask.json:1:52: it is served, and not valid: reply/desk: \"LDN\" has 3 characters"
        ),
        "{log}"
    );
}
