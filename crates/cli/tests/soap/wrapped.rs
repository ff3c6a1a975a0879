//! JSON with the name of the message around it, as `trunkline convert` writes it, of a message that has a member of that name.

use std::fs;
use std::process::Command;

use super::said;
use super::served::Served;

const SCHEMA: &str = r#"<schema xmlns="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t" targetNamespace="urn:t"
      elementFormDefault="qualified"><element name="Account" type="t:Account"/>
    <complexType name="Account"><sequence><element name="Iban" type="string" minOccurs="0"/>
      <element name="Account" type="t:Account" minOccurs="0"/></sequence></complexType>
    <element name="Amount"><complexType><sequence><element name="Amount" type="decimal"/></sequence></complexType></element>
  </schema>"#;

fn wsdl() -> String {
    let operation = |name: &str, element: &str| {
        (
            format!(
                r#"<message name="{element}"><part name="p" element="t:{element}"/></message>"#
            ),
            format!(
                r#"<operation name="{name}"><input message="t:{element}"/><output message="t:{element}"/></operation>"#
            ),
            format!(
                r#"<operation name="{name}"><soap:operation soapAction="urn:{name}"/><input><soap:body use="literal"/></input>
                   <output><soap:body use="literal"/></output></operation>"#
            ),
        )
    };
    let [one, other] = [operation("account", "Account"), operation("amount", "Amount")];
    format!(
        r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:t"
            xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" targetNamespace="urn:t">
          <types>{SCHEMA}</types>{}{}
          <portType name="T">{}{}</portType>
          <binding name="B" type="t:T"><soap:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>{}{}</binding>
          <service name="S"><port name="P" binding="t:B"><soap:address location="http://example.org/s"/></port></service>
        </definitions>"#,
        one.0, other.0, one.1, other.1, one.2, other.2
    )
}

/// What `convert` makes of JSON, in XML.
fn converted(served: &Served, json: &str) -> String {
    fs::write(served.folder.join("given.json"), json).expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_trunkline"));
    command.current_dir(&served.folder).args([
        "convert",
        "given.json",
        "--from",
        "json",
        "--to",
        "xml",
        "--schema",
        "quotes.wsdl",
        "--type",
    ]);
    let name = if json.contains("Amount") { "Amount" } else { "Account" };
    let output = command.arg(name).output().expect("it runs");
    assert!(output.status.success(), "{json}: {output:?}");
    bare(&String::from_utf8(output.stdout).expect("text"))
}

/// XML without prefixes and attributes.
fn bare(xml: &str) -> String {
    let one = |piece: &str| {
        let (tag, text) = piece.split_once('>').expect("the end of a tag");
        let slash = if tag.starts_with('/') { "/" } else { "" };
        let name = tag.trim_start_matches('/').split(' ').next().expect("a name");
        let local = name.rsplit(':').next().expect("a name");
        format!("<{slash}{local}>{}", text.trim())
    };
    xml.split('<').skip(1).map(one).collect()
}

/// The element that `soap call --body` would send.
fn sent(served: &Served, operation: &str, json: &str) -> String {
    let file = served.folder.join("quotes.wsdl");
    let wsdl = file.to_str().expect("text");
    let (status, out, err) =
        said(&["http://example.org/s", operation, "--wsdl", wsdl, "--dry-run", "--body", json]);
    assert_eq!(status, Some(0), "{json}: {err}");
    let body = out.split_once("Body>").expect("a Body").1;
    bare(body.split_once("</SOAP-ENV").expect("its end").0)
}

#[test]
fn the_name_of_the_message_is_around_it_for_all() {
    let served = Served::of("wrapped", &wsdl());
    for (operation, json, expected) in [
        ("account", r#"{"Account":{"Iban":"X"}}"#, "<Account><Iban>X</Iban></Account>"),
        (
            "account",
            r#"{"Account":{"Account":{"Iban":"X"}}}"#,
            "<Account><Account><Iban>X</Iban></Account></Account>",
        ),
        // It does not stand around what stands beside it.
        (
            "account",
            r#"{"Account":{"Iban":"X"},"Iban":"Y"}"#,
            "<Account><Iban>Y</Iban><Account><Iban>X</Iban></Account></Account>",
        ),
        ("amount", r#"{"Amount":{"Amount":1}}"#, "<Amount><Amount>1</Amount></Amount>"),
        // What is no object is no message.
        ("amount", r#"{"Amount":1}"#, "<Amount><Amount>1</Amount></Amount>"),
    ] {
        assert_eq!(converted(&served, json), expected, "{json}");
        assert_eq!(sent(&served, operation, json), expected, "{json}");
    }
}

#[test]
fn answers_are_read_alike_and_come_back_as_they_are_written() {
    let mut served = Served::of("wrapped-answers", &wsdl());
    let folder = served.folder.join("answers");
    fs::create_dir(&folder).expect("a folder");
    fs::write(folder.join("account.json"), r#"{"Account":{"Iban":"X"}}"#).expect("a file");
    fs::write(
        folder.join("rules.toml"),
        "[[answer]]\noperation = 'account'\nwhen = { Iban = 'A' }\nresponse = { Account = { Iban = 'B' } }\n",
    )
    .expect("a file");
    let line = served.start_all(&["--answers", "answers/rules.toml"]).remove(0);
    let url = line.split(' ').next().expect("a URL");
    for (iban, answer) in [("A", "Iban = B\n"), ("C", "Iban = X\n")] {
        let (status, out, err) = said(&[url, "account", &format!("Iban={iban}")]);
        assert_eq!((status, &*out), (Some(0), answer), "{err}");
    }
    // What is made up is read as it was made.
    let output = served.command(&["--write-answers", "written"]).output().expect("it runs");
    assert!(output.status.success(), "{output:?}");
    let mut again = Served::of("wrapped-again", &wsdl());
    let written = served.folder.join("written");
    let line = again.start_all(&["--answers", written.to_str().expect("text")]).remove(0);
    let url = line.split(' ').next().expect("a URL");
    let (status, out, err) = said(&[url, "amount", "Amount=2"]);
    assert_eq!((status, &*out), (Some(0), "Amount = 1.5\n"), "{err}");
    assert!(!again.log().contains("not valid"), "{}", again.log());
}
