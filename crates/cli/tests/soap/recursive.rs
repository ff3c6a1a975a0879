//! Types that hold one another, of which there are more ways through than anybody can go.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use super::said;
use super::served::Served;

/// So many types: ways through them are more than atoms in the universe.
const TYPES: usize = 60;

/// A service that takes and answers an element `r` of the last of some types.
fn wsdl(types: &str) -> String {
    format!(
        r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:t"
            xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" targetNamespace="urn:t">
          <types>{}</types>
          <message name="M"><part name="p" element="t:r"/></message>
          <portType name="T"><operation name="ask"><input message="t:M"/><output message="t:M"/></operation></portType>
          <binding name="B" type="t:T"><soap:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>
            <operation name="ask"><soap:operation soapAction="urn:ask"/><input><soap:body use="literal"/></input>
              <output><soap:body use="literal"/></output></operation></binding>
          <service name="S"><port name="P" binding="t:B"><soap:address location="http://example.org/s"/></port></service>
        </definitions>"#,
        schema(types)
    )
}

fn schema(types: &str) -> String {
    format!(
        r#"<schema xmlns="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t" targetNamespace="urn:t"
            elementFormDefault="qualified"><element name="r" type="t:T{}"/>{types}</schema>"#,
        TYPES - 1
    )
}

/// Each of the types has elements of each.
fn of_each_other() -> String {
    let elements: String = (0..TYPES).fold(String::new(), |mut all, it| {
        _ = write!(
            all,
            r#"<element name="e{it}" type="t:T{it}" minOccurs="0" maxOccurs="unbounded"/>"#
        );
        all
    });
    types(|_| elements.clone())
}

/// Each of the types has two elements of the one before, and the first has a number.
fn chain(occurs: &str) -> String {
    types(|it| match it {
        0 => r#"<element name="v" type="int"/>"#.to_owned(),
        it => ["a", "b"]
            .map(|name| format!(r#"<element name="{name}" type="t:T{}" {occurs}/>"#, it - 1))
            .concat(),
    })
}

fn types(inside: impl Fn(usize) -> String) -> String {
    let one = |it| {
        format!(r#"<complexType name="T{it}"><sequence>{}</sequence></complexType>"#, inside(it))
    };
    (0..TYPES).map(one).collect()
}

/// In each type texts stand between elements of all.
fn mixed() -> String {
    let elements: String =
        (0..TYPES).map(|it| format!(r#"<element name="e{it}" type="t:T{it}"/>"#)).collect();
    let one = |it| {
        format!(
            r#"<complexType name="T{it}" mixed="true"><choice minOccurs="0" maxOccurs="unbounded">{elements}</choice>
               <attribute name="a{it}"/></complexType>"#
        )
    };
    (0..TYPES).map(one).collect()
}

#[test]
fn each_type_is_written_once() {
    let folder = Served::of("written-once", "").folder.clone();
    fs::create_dir_all(&folder).expect("a folder");
    for (name, types) in
        [("each", of_each_other()), ("chain", chain("minOccurs='0'")), ("mixed", mixed())]
    {
        for (file, text, verb) in
            [("s.xsd", schema(&types), "--xsd"), ("s.wsdl", wsdl(&types), "--wsdl")]
        {
            let path = folder.join(file);
            fs::write(&path, text).expect("a file");
            let mut command = Command::new(env!("CARGO_BIN_EXE_trunkline"));
            let output = command.arg("schema").arg(&path).arg(verb).output().expect("it runs");
            let out = String::from_utf8_lossy(&output.stdout);
            let err = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{name} {verb}: {err}");
            // The last one is that of the element.
            for it in 0..TYPES - 1 {
                let count = out.matches(&format!("complexType name=\"T{it}\"")).count();
                assert_eq!(count, 1, "{name} {verb}: T{it}");
            }
        }
    }
    fs::remove_dir_all(&folder).expect("it is there");
}

#[test]
fn an_example_is_made_of_what_must_be_there() {
    let mut served = Served::of("mutual", &wsdl(&of_each_other()));
    let described = served.describe("quotes.wsdl");
    assert!(described.contains("trunkline soap call http://example.org/s ask"), "{described}");
    let line = served.start_all(&[]).remove(0);
    let url = line.split(' ').next().expect("a URL");
    let (status, out, err) = said(&[url, "ask", "--body", "{}"]);
    assert_eq!(status, Some(0), "{out}{err}");
}

/// What has to be in a message may be too much to be made up: then that is said, and a service says how to give an answer.
#[test]
fn what_is_too_large_is_not_made_up() {
    let mut served = Served::of("too-large", &wsdl(&chain("maxOccurs='unbounded'")));
    let described = served.describe("quotes.wsdl");
    let why = "what has to be in it is more than is made up";
    assert!(described.contains(&format!("no call can be given: {why}")), "{described}");
    let output = served.command(&["--write-answers", "answers"]).output().expect("it runs");
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(err.contains(&format!("ask: no answer can be made up: {why}")), "{err}");
    let line = served.start_all(&[]).remove(0);
    let log = served.log();
    assert!(log.contains(why) && log.contains("give one as ask.json"), "{line} {log}");
}
