//! The calls that `trunkline soap describe` prints: `soap call` takes each of them, or it is said why not.

use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, thread};

use serde_json::Value;
use trunkline_tests::{conformance, import_corpus};

use super::served::Served;

/// What `describe --json` says of the operations of a file in a folder; nothing if that is no description.
fn operations(folder: &Path, file: &str) -> Vec<Value> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trunkline"));
    command.args(["soap", "describe", file, "--json"]).current_dir(folder);
    let output = command.output().expect("the program runs");
    let text = String::from_utf8(output.stdout).expect("text");
    let facts = text.lines().map(|it| serde_json::from_str::<Value>(it).expect("JSON"));
    facts.filter(|it| it["fact"] == "operation").collect()
}

/// What is wrong with a call, typed as it is printed, if something is; nothing is sent.
fn tried(folder: &Path, call: &str) -> Option<String> {
    let binary = Path::new(env!("CARGO_BIN_EXE_trunkline")).parent().expect("a folder");
    let path = env::var("PATH").expect("it is there");
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("exec {call} --dry-run")]).current_dir(folder);
    shell.env("PATH", format!("{}:{path}", binary.display()));
    let output = shell.output().expect("the shell runs");
    let is_right = output.status.success() && output.stderr.is_empty();
    (!is_right).then(|| String::from_utf8_lossy(&output.stderr).into_owned())
}

/// All services that others described: every call that is printed without a word of warning is one.
#[test]
fn every_call_that_is_described_is_taken() {
    let Some(suite) = conformance::directory("wsdl") else { return };
    let cases = import_corpus::facts(&suite, "facts.jsonl");
    let (next, found) = (AtomicUsize::new(0), Mutex::new((0, Vec::new(), Vec::new())));
    let work = || {
        while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            let name = case["case"].as_str().expect("a name");
            let folder = suite.join("services").join(name);
            for operation in operations(&folder, case["main"].as_str().expect("a file")) {
                let id = format!("{name} {}", operation["name"].as_str().expect("a name"));
                let is_told = !operation["example_is_wrong"].is_null();
                let wrong = match operation["example"].as_str() {
                    Some(call) => tried(&folder, call).map(|why| format!("{id}: {call}: {why}")),
                    None if operation["no_example"].is_string() => continue,
                    None => Some(format!("{id}: neither a call nor a reason")),
                };
                let mut found = found.lock().expect("nobody panics");
                match (wrong, is_told) {
                    (None, false) => found.0 += 1,
                    (Some(_), true) => found.1.push(id),
                    (None, true) => found.2.push(format!("{id}: it works, and is said not to")),
                    (Some(wrong), false) => found.2.push(wrong),
                }
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(work);
        }
    });
    let (right, mut told, wrong) = found.into_inner().expect("nobody panics");
    assert!(wrong.is_empty(), "{} calls do not work: {wrong:#?}", wrong.len());
    assert!(right > 1300, "only {right} calls were tried");
    // Of these no message is valid: their types hold a choice of nothing, or an element that nobody declares.
    told.sort();
    let doclit = "cxf-type_test-type_test_doclit_soap";
    let expected =
        ["testDerivedEmptyBaseEmptyChoice", "testEmptyChoice", "testStructWithAnyStrict"];
    assert_eq!(told, expected.map(|it| format!("{doclit} {it}")));
}

const SCHEMA: &str = r#"<schema xmlns="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t" elementFormDefault="qualified">
  <element name="value"><complexType><simpleContent><extension base="string"><attribute name="unit" type="string"
    use="required"/></extension></simpleContent></complexType></element>
  <element name="first" type="string"/>
  <element name="second.part"><complexType><sequence><element name="in.side" type="int"/></sequence></complexType></element>
  <element name="wild"><complexType><sequence><any processContents="lax"/></sequence></complexType></element>
  <element name="groups"><complexType><choice>
    <sequence><element name="bid" type="int"/><element name="size" type="int"/></sequence>
    <sequence><element name="last" type="int"/><element name="time" type="int"/></sequence></choice></complexType></element>
  <element name="runs"><complexType><sequence minOccurs="2" maxOccurs="4"><element name="price" type="float"/>
    <element name="lots" type="int"/></sequence></complexType></element>
  <simpleType name="Rate"><restriction base="decimal"><enumeration value="2.75"/><enumeration value="-0.25"/></restriction></simpleType>
  <element name="rates"><complexType><sequence><element name="rate" type="t:Rate"/></sequence></complexType></element>
  <element name="ids"><complexType><sequence><element name="one" type="t:Id"/><element name="other" type="t:Id"/></sequence></complexType></element>
  <complexType name="Id"><attribute name="id" type="ID"/></complexType>
  <element name="never"><complexType><choice/></complexType></element>
</schema>"#;

/// What a layout does not hold is found all the same, be it by another value, by leaving something out, or by another form.
#[test]
fn calls_are_found_for_what_is_not_simple() {
    let names = ["value", "wild", "groups", "runs", "rates", "ids", "never"];
    let message = |name: &str| {
        format!(r#"<message name="{name}"><part name="p" element="t:{name}"/></message>"#)
    };
    let two = r#"<message name="two"><part name="a" element="t:first"/><part name="b" element="t:second.part"/></message>"#;
    let all = [&names[..], &["two"]].concat();
    let of = |inside: &str| {
        let one = |name: &&str| {
            format!(r#"<operation name="{name}">{}</operation>"#, inside.replace("NAME", name))
        };
        all.iter().map(one).collect::<String>()
    };
    let wsdl = format!(
        r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:t"
            xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" targetNamespace="urn:t">
          <types>{}</types>{}{two}<portType name="T">{}</portType>
          <binding name="B" type="t:T"><soap:binding style="document"/>{}</binding>
          <service name="S"><port name="P" binding="t:B"><soap:address location="http://example.org/t"/></port>
            <port name="Queue" binding="t:B"><soap:address location="jms:queue"/></port></service></definitions>"#,
        SCHEMA.replace("<schema ", "<schema xmlns:t=\"urn:t\" "),
        names.map(message).concat(),
        of(r#"<input message="t:NAME"/>"#),
        of(r#"<input><soap:body use="literal"/></input>"#),
    );
    let served = Served::of("calls", &wsdl);
    let operations = operations(&served.folder, "quotes.wsdl");
    for (name, call, wrong) in [
        ("value", " value@unit=text value=text", ""),
        ("two", r" first=text 'second\.part.in\.side=1'", ""),
        ("wild", r#" --body '{"any":{"element":"<any/>"}}'"#, ""),
        ("groups", " bid=1 size=1", ""),
        ("runs", " 'price[0]=1.5' 'lots[0]=1' 'price[1]=1.5' 'lots[1]=1'", ""),
        ("rates", " rate=2.75", ""),
        ("ids", " one@id=text one= other@id=text", ""),
        ("never", " never", "it ends where nothing more is expected"),
    ] {
        let is_it = |it: &&Value| it["name"] == name && it["port"] == "P";
        let said = operations.iter().find(is_it).expect("an operation");
        let example = said["example"].as_str().unwrap_or_else(|| panic!("{said}"));
        assert!(example.contains(call), "{name}: {example}");
        assert!(said["example_is_wrong"].as_str().unwrap_or_default().contains(wrong), "{said}");
        assert_eq!(said["example_is_wrong"].is_null(), wrong.is_empty(), "{said}");
        let tried = tried(&served.folder, example);
        assert_eq!(tried.is_none(), wrong.is_empty(), "{example}: {tried:?}");
    }
    // Where nothing can be called that is said, to people too.
    let none = "the port is at jms:queue, which is no address of HTTP";
    assert_eq!(operations.iter().filter(|it| it["no_example"] == none).count(), 8);
    let described = served.describe("quotes.wsdl");
    assert_eq!(described.matches(&format!("      no call can be given: {none}\n")).count(), 8);
}
