//! Descriptions at URLs, for the verbs that read messages and serve them: fetched if that is asked for, and never else.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};

use super::said;
use super::site::Site;

const WSDL: &str = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:service"
    xmlns:x="urn:types" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" targetNamespace="urn:service">
  <types><schema xmlns="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:service">
    <import namespace="urn:types" schemaLocation="LOCATION"/></schema></types>
  <message name="In"><part name="p" element="x:ask"/></message>
  <message name="Out"><part name="p" element="x:tell"/></message>
  <portType name="T"><operation name="ask"><input message="t:In"/><output message="t:Out"/></operation></portType>
  <binding name="B" type="t:T"><soap:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>
    <operation name="ask"><soap:operation soapAction="urn:ask"/><input><soap:body use="literal"/></input>
    <output><soap:body use="literal"/></output></operation></binding>
  <service name="S"><port name="P" binding="t:B"><soap:address location="http://h.example/s"/></port></service>
</definitions>"#;
const TYPES: &str = r#"<schema xmlns="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:types">
  <element name="ask"><complexType><sequence><element name="a" type="int"/></sequence></complexType></element>
  <element name="tell"><complexType><sequence><element name="b" type="decimal"/></sequence></complexType></element>
</schema>"#;
const ASK: &str = r#"<ask xmlns="urn:types"><a xmlns="">7</a></ask>"#;

/// Status, standard output and standard error, with this as standard input.
fn run(arguments: &[&str], input: &str) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trunkline"));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary starts");
    // One that ends early need not read it.
    let _ = child.stdin.take().expect("it is piped").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn site() -> Site {
    let wsdl = WSDL.replace("LOCATION", "types.xsd");
    Site::start(&[("/s?wsdl", &wsdl), ("/types.xsd", TYPES)], "")
}

#[test]
fn every_verb_takes_a_description_at_a_url() {
    let site = site();
    let url = site.url("/s?wsdl");
    let convert = ["convert", "--from", "xml", "--to", "json", "--schema", &url];
    let measure = ["lab", "message", "-", "--repetitions", "1", "--json", "--schema", &url];
    let verbs: [(&[&str], &str); 4] = [
        (&["schema", &url], "ask"),
        (&["decode", "--schema", &url], "\n  a                                 7\n"),
        (&convert, "{\"ask\":{\"a\":7}}\n"),
        (&measure, "\"format\":\"soap-1.1\""),
    ];
    for (verb, printed) in verbs {
        let (status, out, err) = run(verb, ASK);
        assert_eq!((status, &*out), (Some(2), ""), "{verb:?}: {err}");
        let why = format!("trunkline: {url}: what is at a URL is fetched with --fetch only\n");
        assert_eq!(err, why, "{verb:?}");
        assert_eq!(site.asked().got.len(), 0, "{verb:?}");
        let (status, out, err) = run(&[verb, &["--fetch"]].concat(), ASK);
        assert_eq!(status, Some(0), "{verb:?}: {err}");
        assert!(out.contains(printed), "{verb:?}: {out}");
        assert_eq!(site.asked().got, ["/s?wsdl", "/types.xsd"], "{verb:?}");
    }
    // Written as another description, it is called after the document.
    let rust = ["schema", &site.url("/types.xsd"), "ask", "--rust", "--fetch"];
    let (status, out, err) = run(&rust, "");
    assert!(status == Some(0) && out.contains("pub struct Ask"), "{out}{err}");
    let (status, _, err) = run(&["schema", &site.url("/none.xsd"), "--fetch"], "");
    assert!(status == Some(2) && err.contains("/none.xsd: ") && err.contains("404"), "{err}");
}

#[test]
fn other_hosts_are_asked_if_the_user_says_so() {
    let other = Site::start(&[("/types.xsd", TYPES)], "");
    let wsdl = WSDL.replace("LOCATION", &other.url("/types.xsd"));
    let site = Site::start(&[("/s?wsdl", &wsdl)], "");
    let decode = ["decode", "--schema", &site.url("/s?wsdl"), "--fetch"];
    let (status, _, err) = run(&decode, ASK);
    assert_eq!(status, Some(2), "{err}");
    assert!(err.contains("it is on another host: --fetch --other-hosts fetches it"), "{err}");
    assert_eq!(other.asked().got.len(), 0);
    let (status, out, err) = run(&[&decode[..], &["--other-hosts"]].concat(), ASK);
    assert_eq!(status, Some(0), "{out}{err}");
    // A file names documents elsewhere, too.
    let file = std::env::temp_dir().join(format!("trunkline-fetched-{}.wsdl", std::process::id()));
    std::fs::write(&file, &wsdl).expect("a file");
    let path = file.to_str().expect("text");
    let (status, _, err) = run(&["decode", "--schema", path], ASK);
    assert!(status == Some(2) && err.contains("--fetch --other-hosts fetches it"), "{err}");
    let more = ["--fetch", "--other-hosts"];
    let (status, out, err) = run(&[&["decode", "--schema", path], &more[..]].concat(), ASK);
    assert_eq!(status, Some(0), "{out}{err}");
    std::fs::remove_file(file).expect("it was there");
}

/// It is stopped when the test ends.
struct Serving(Child);

impl Drop for Serving {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_description_at_a_url_is_served() {
    let site = site();
    let url = site.url("/s?wsdl");
    let (status, _, err) = run(&["soap", "serve", &url], "");
    assert!(status == Some(2) && err.contains("with --fetch only"), "{err}");
    let mut command = Command::new(env!("CARGO_BIN_EXE_trunkline"));
    command.args(["soap", "serve", &url, "--fetch", "--listen", "127.0.0.1:0"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let mut serving = Serving(child.expect("the binary starts"));
    let mut line = String::new();
    let mut out = BufReader::new(serving.0.stdout.take().expect("it is piped"));
    out.read_line(&mut line).expect("it says where it is");
    let at = line.split_whitespace().next().expect("a URL");
    assert_eq!(site.asked().got, ["/s?wsdl", "/types.xsd"]);
    // It shows what was fetched as its own, so that nobody has to ask the other site.
    let (status, out, err) = said(&[at, "ask", "a=7"]);
    assert_eq!(status, Some(0), "{out}{err}");
    assert!(out.starts_with("b = "), "{out}");
    assert_eq!(site.asked().got.len(), 0);
}
