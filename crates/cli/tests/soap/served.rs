//! `trunkline soap serve`: a service of a WSDL alone.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::{env, fs};

use super::said;

const WSDL: &str = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:quotes"
    xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" targetNamespace="urn:quotes">
  <types><schema xmlns="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:quotes" elementFormDefault="qualified">
    <element name="quote"><complexType><sequence>
      <element name="symbol" type="string"/><element name="side" type="t:Side" minOccurs="0"/></sequence></complexType></element>
    <simpleType name="Side"><restriction base="string"><enumeration value="bid"/><enumeration value="ask"/></restriction></simpleType>
    <element name="quoteResponse"><complexType><sequence>
      <element name="price" type="decimal"/><element name="venue" type="string" maxOccurs="unbounded"/></sequence></complexType></element>
    <element name="note" type="string"/></schema></types>
  <message name="Ask"><part name="p" element="t:quote"/></message>
  <message name="Answer"><part name="p" element="t:quoteResponse"/></message>
  <message name="Note"><part name="p" element="t:note"/></message>
  <portType name="T"><operation name="quote"><input message="t:Ask"/><output message="t:Answer"/></operation>
    <operation name="note"><input message="t:Note"/></operation></portType>
  <binding name="B" type="t:T"><soap:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>
    <operation name="quote"><soap:operation soapAction="urn:quotes/quote"/><input><soap:body use="literal"/></input>
      <output><soap:body use="literal"/></output></operation>
    <operation name="note"><soap:operation soapAction="urn:quotes/note"/><input><soap:body use="literal"/></input></operation></binding>
  <service name="Quotes"><port name="QuotesPort" binding="t:B"><soap:address location="http://example.org/quotes?a=1&amp;b"/></port></service>
</definitions>"#;

/// A folder with the description, which goes when this is dropped, and what serves it.
pub(crate) struct Served {
    folder: PathBuf,
    child: Option<Child>,
    url: String,
}

impl Served {
    fn new(name: &str) -> Self {
        Self::of(name, WSDL)
    }

    pub(crate) fn of(name: &str, wsdl: &str) -> Self {
        let folder = env::temp_dir().join(format!("trunkline-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join("quotes.wsdl"), wsdl).expect("a file");
        Self { folder, child: None, url: String::new() }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_trunkline"));
        command.current_dir(&self.folder);
        command.args(["soap", "serve", "quotes.wsdl"]).args(arguments);
        command
    }

    fn start(&mut self, arguments: &[&str]) {
        let lines = self.start_all(arguments);
        let [line] = &*lines else { panic!("{lines:?}") };
        assert!(line.ends_with("QuotesPort in document/literal, 2 operations"), "{line}");
        self.url = line.split(' ').next().expect("a URL").to_owned();
        assert!(self.url.ends_with("/quotes"), "{line}");
    }

    /// Gives a line for each port, which begins with its URL.
    pub(crate) fn start_all(&mut self, arguments: &[&str]) -> Vec<String> {
        let mut command = self.command(&[&["--listen", "127.0.0.1:0"], arguments].concat());
        let command = command.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the program runs");
        let mut lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        self.child = Some(child);
        let wsdl = fs::read_to_string(self.folder.join("quotes.wsdl")).expect("a file");
        let ports = wsdl.matches(":address location=").count();
        let line = || lines.next().expect("a line").expect("text");
        std::iter::repeat_with(line).take(ports).collect()
    }

    fn failure(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().expect("the program runs");
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        String::from_utf8(output.stderr).expect("text")
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
        let _ = fs::remove_dir_all(&self.folder);
    }
}

#[test]
fn a_wsdl_is_served_and_called_by_what_it_says() {
    let mut served = Served::new("served");
    served.start(&[]);
    // The WSDL that a caller gets has the address of the service in it.
    let (status, out, err) =
        said(&[&served.url, "quote", "symbol=EURUSD", "side=ask", "--port", "QuotesPort"]);
    assert_eq!(status, Some(0), "{out}{err}");
    assert_eq!(out, "price = 1.5\nvenue = text\n");
    let (status, out, err) = said(&[&served.url, "note", "note=remember"]);
    assert_eq!((status, &*out), (Some(0), "taken; there is no answer\n"), "{err}");
    // What the WSDL forbids is a fault that says where.
    let raw = [
        "--namespace",
        "urn:quotes",
        "--binding",
        "document-literal-bare",
        "--action",
        "urn:quotes/quote",
    ];
    let (status, out, _) = said(&[&[&*served.url, "quote", "side=bid"], &raw[..]].concat());
    assert_eq!(status, Some(1), "{out}");
    assert!(out.starts_with("fault: Sender: ") && out.contains("symbol"), "{out}");
}

#[test]
fn answers_are_written_changed_and_served() {
    let mut served = Served::new("answers");
    let written = served.command(&["--write-answers", "answers"]).output().expect("it runs");
    assert_eq!(written.status.code(), Some(0), "{written:?}");
    let path = served.folder.join("answers/quote.json");
    let answer = fs::read_to_string(&path).expect("an answer");
    assert_eq!(answer, "{\"price\":1.5,\"venue\":[\"text\"]}\n");
    fs::write(&path, "{\"venue\":[\"XASX\",\"XNYS\"],\n \"price\":6.350}\n").expect("a file");
    let again = served.command(&["--write-answers", "answers"]).output().expect("it runs");
    assert!(String::from_utf8_lossy(&again.stderr).contains("is there already, and stays"));
    served.start(&["--answers", "answers"]);
    let (status, out, err) = said(&[&served.url, "quote", "symbol=EURUSD"]);
    assert_eq!(
        (status, &*out),
        (Some(0), "price = 6.350\nvenue[0] = XASX\nvenue[1] = XNYS\n"),
        "{err}"
    );

    let path = path.display().to_string();
    for (answer, why) in [
        ("{\"price\":1}", "venue"),
        ("{\"price\":\"much\",\"venue\":[\"a\"]}", "price"),
        ("{\"price\":1,\"venue\":[\"a\"],\"sise\":1}", "sise"),
        ("", "byte 0"),
    ] {
        fs::write(&path, answer).expect("a file");
        let error = served.failure(&["--answers", "answers"]);
        assert!(error.contains("quote.json: ") && error.contains(why), "{answer}: {error}");
    }
    let error = served.failure(&["--port", "Other"]);
    assert!(error.contains("it has no port Other; there is QuotesPort"), "{error}");
    fs::write(served.folder.join("quotes.wsdl"), "message Order D\n field a 1 text required\n end")
        .expect("a file");
    assert!(served.failure(&[]).contains("it is no WSDL"), "{error}");
}
