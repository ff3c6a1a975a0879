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
    pub(crate) folder: PathBuf,
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

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
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
        let log = fs::File::create(self.folder.join("log")).expect("a file");
        let command = command.stdout(Stdio::piped()).stderr(log);
        let mut child = command.spawn().expect("the program runs");
        let mut lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        self.child = Some(child);
        let wsdl = fs::read_to_string(self.folder.join("quotes.wsdl")).expect("a file");
        let ports = wsdl.matches(":address location=").count();
        let line = || lines.next().expect("a line").expect("text");
        std::iter::repeat_with(line).take(ports).collect()
    }

    /// What it has said on standard error so far.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.folder.join("log")).expect("a file")
    }

    /// What `soap describe` says of it, or of a file.
    pub(crate) fn describe(&self, source: &str) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_trunkline"));
        command.current_dir(&self.folder).args(["soap", "describe", source]);
        let output = command.output().expect("the program runs");
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        String::from_utf8(output.stdout).expect("text")
    }

    pub(crate) fn failure(&self, arguments: &[&str]) -> String {
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
fn a_service_answers_whom_its_security_header_makes_known() {
    let mut served = Served::new("guarded");
    let file = |name: &str, text: &str| fs::write(served.folder.join(name), text).expect("a file");
    file("users", "ann:secret\nbob:with:colons\n");
    file("nobody", "");
    file("torn", "ann:secret\nhidden\n");
    file("twice", "ann:secret\nann:hidden\n");
    for (users, why) in [
        ("nobody", "nobody: no user is in it"),
        ("torn", "torn:2: it is not USER:PASSWORD"),
        ("twice", "twice:2: its user was there before"),
        ("absent", "absent: No such file"),
    ] {
        let err = served.failure(&["--wsse-users", users]);
        assert!(err.contains(why) && !err.contains("hidden"), "{err}");
    }
    let password = served.folder.join("password").display().to_string();
    served.start(&["--wsse-users", "users", "--wsse-timestamp"]);
    let call = |user: &str, secret: &str, more: &[&str]| {
        fs::write(&password, secret).expect("a file");
        let user = ["--wsse-user", user, "--wsse-password-file", &*password];
        said(&[&[&*served.url, "quote", "symbol=EURUSD"], &user[..], more].concat())
    };
    for (user, secret) in [("ann", "secret"), ("bob", "with:colons")] {
        for more in [&["--wsse-timestamp"][..], &["--wsse-timestamp", "--wsse-digest"]] {
            let (status, out, err) = call(user, secret, more);
            assert_eq!((status, &*out), (Some(0), "price = 1.5\nvenue = text\n"), "{err}");
        }
    }
    for (user, secret, more, why) in [
        ("ann", "wrong", &["--wsse-timestamp"][..], "FailedAuthentication"),
        ("eve", "secret", &["--wsse-timestamp", "--wsse-digest"], "FailedAuthentication"),
        ("ann", "secret", &[], "a Timestamp is needed"),
    ] {
        let (status, out, err) = call(user, secret, more);
        assert!(status == Some(1) && format!("{out}{err}").contains(why), "{user}: {out}{err}");
    }
    let (status, out, err) = said(&[&served.url, "quote", "symbol=EURUSD"]);
    let told = format!("{out}{err}");
    assert!(status == Some(1) && told.contains("a Security header is needed"), "{told}");
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
        ("", "the message ends where an object should be"),
    ] {
        fs::write(&path, answer).expect("a file");
        let error = served.failure(&["--answers", "answers"]);
        assert!(error.contains("quote.json:1:") && error.contains(why), "{answer}: {error}");
    }
    let error = served.failure(&["--answers", "answer"]);
    assert!(error.contains("answer: there is no such folder or file"), "{error}");
    let error = served.failure(&["--port", "Other"]);
    assert!(error.contains("it has no port Other; there is QuotesPort"), "{error}");
    fs::write(served.folder.join("quotes.wsdl"), "message Order D\n field a 1 text required\n end")
        .expect("a file");
    assert!(served.failure(&[]).contains("it is no WSDL"), "{error}");
}

const RULES: &str = r#"
[[answer]]
operation = "quote"
when = { symbol = "CLOSED" }
fault = { code = "sender", reason = "closed", detail = { until = "12:00:00" } }

[[answer]]
operation = "quote"
when = { symbol = "BUSY" }
times = 1
delay = "1ms"
fault = { reason = "busy", detail = "<b:Busy xmlns:b='urn:b'/>" }

[[answer]]
operation = "quote"
when = { symbol = "EURUSD", side = "ask" }
response = { price = 1.0843, venue = ["A", "B"] }

[[answer]]
operation = "quote"
when = { symbol = "EURUSD" }
file = "eurusd.xml"

[[answer]]
operation = "note"
when = { value = "refuse" }
fault = { reason = "no" }
"#;

const FAULTY: [(&str, &str); 2] = [
    (
        r#"<message name="Note">"#,
        r#"<message name="Closed"><part name="p" element="t:closed"/></message><message name="Note">"#,
    ),
    (
        r#"<output message="t:Answer"/>"#,
        r#"<output message="t:Answer"/><fault name="closed" message="t:Closed"/>"#,
    ),
];

#[test]
fn rules_answer_by_what_a_request_says() {
    let wsdl = FAULTY.iter().fold(WSDL.to_owned(), |text, (from, to)| text.replace(from, to));
    let closed = r#"<element name="closed"><complexType><sequence><element name="until" type="time"/>
        </sequence></complexType></element><element name="note""#;
    let wsdl = wsdl.replace(r#"<element name="note""#, closed);
    let mut served = Served::of("rules", &wsdl);
    let file = served.folder.join("answers.toml");
    fs::write(&file, RULES).expect("a file");
    let xml = "<?xml version='1.0'?>\n<q:quoteResponse xmlns:q='urn:quotes'><q:price>1.0841</q:price>\
        <q:venue>X</q:venue></q:quoteResponse>";
    fs::write(served.folder.join("eurusd.xml"), xml).expect("a file");
    served.start(&["--answers", "answers.toml"]);
    let url = served.url.clone();
    let quote = |values: &[&str]| said(&[&[&*url, "quote"], values].concat());
    let (status, out, err) = quote(&["symbol=EURUSD", "side=ask"]);
    assert_eq!((status, &*out), (Some(0), "price = 1.0843\nvenue[0] = A\nvenue[1] = B\n"), "{err}");
    assert_eq!(quote(&["symbol=EURUSD", "side=bid"]).1, "price = 1.0841\nvenue = X\n");
    assert_eq!(quote(&["symbol=GBPUSD"]).1, "price = 1.5\nvenue = text\n");
    let (status, out, _) = quote(&["symbol=CLOSED"]);
    assert_eq!(status, Some(1), "{out}");
    assert!(out.starts_with("fault: Sender: closed\ndetail: <ns:closed "), "{out}");
    assert!(out.contains("\n  closed.until = 12:00:00.000\n"), "{out}");
    // Once, and then as if there were no such rule.
    let (status, out, _) = quote(&["symbol=BUSY"]);
    assert_eq!(status, Some(1), "{out}");
    assert!(out.starts_with("fault: Receiver: busy\ndetail: <b:Busy xmlns:b="), "{out}");
    assert_eq!(quote(&["symbol=BUSY"]).1, "price = 1.5\nvenue = text\n");
    let (status, out, _) = said(&[&url, "note", "note=refuse"]);
    assert!(status == Some(1) && out.starts_with("fault: Receiver: no\n"), "{out}");
    assert_eq!(said(&[&url, "note", "note=fine"]).0, Some(0));
}

#[test]
fn a_rule_that_fits_nothing_is_rejected() {
    let served = Served::new("wrong-rules");
    let file = served.folder.join("answers.toml");
    for (rule, why) in [
        (
            "operation = 'quota'",
            "answers.toml:2:13: the answers have no operation quota to answer; there is note, quote; did you mean quote?",
        ),
        (
            "operation = 'quote'\nwhen = { symbl = 'A' }",
            "answer 1, to quote: when: symbl: there is no symbl; there is symbol, side; did you mean symbol?",
        ),
        ("operation = 'quote'\nwhen = { 'symbol.x' = 'A' }", "x is behind a value"),
        (
            "operation = 'quote'\nresponse = { price = 1 }",
            "answers.toml:3:12: answer 1, to quote: venue",
        ),
        (
            "operation = 'quote'\nresponse = { price = 1, venue = ['a'], \n  venu = 'b' }",
            "answers.toml:4:10: answer 1, to quote: venu: ",
        ),
        (
            "operation = 'quote'\nresponse = { price = 'much', venue = ['a'] }",
            "answers.toml:3:22: answer 1, to quote: price: ",
        ),
        (
            "operation = 'quote'\nresponse = { price = 1 }\nfile = 'a.json'",
            "more than one of response",
        ),
        ("operation = 'quote'\nfile = 'none.json'", "none.json: No such file"),
        ("operation = 'quote'\ndelay = 'long'", "delay: "),
        (
            "operation = 'quote'\nresponce = { price = 1 }",
            "answers.toml:3:1: unknown field `responce`",
        ),
        ("operation = 'note'\nresponse = { a = 1 }", "the operation is not answered"),
        (
            "operation = 'quote'\nfault = { reason = 'a', detail = { b = 1 } }",
            "say which by `name`",
        ),
    ] {
        fs::write(&file, format!("[[answer]]\n{rule}\n")).expect("a file");
        let error = served.failure(&["--answers", "answers.toml"]);
        assert!(error.contains(why), "{rule}: no {why:?} in {error}");
    }
}

/// A description of two operations `find`, which differ in what they take and answer.
fn overloaded() -> String {
    let elements = r#"<element name="findId" type="int"/><element name="findName" type="string"/>
        <element name="byId"><complexType><sequence><element name="id" type="int"/></sequence></complexType></element>
        <element name="byName"><complexType><sequence><element name="name" type="string"/></sequence></complexType></element>"#;
    let message = |name: &str, element: &str| {
        format!(r#"<message name="{name}"><part name="p" element="t:{element}"/></message>"#)
    };
    let messages =
        [("FindId", "findId"), ("FindName", "findName"), ("ById", "byId"), ("ByName", "byName")]
            .map(|(name, element)| message(name, element));
    let operation = |by: &str| {
        format!(
            r#"<operation name="find"><input name="{by}" message="t:Find{by}"/><output message="t:By{by}"/></operation>"#
        )
    };
    let bound = |by: &str| {
        format!(
            r#"<operation name="find"><soap:operation soapAction="urn:quotes/find{by}"/>
              <input name="{by}"><soap:body use="literal"/></input><output><soap:body use="literal"/></output></operation>"#
        )
    };
    WSDL.replace(r#"<element name="note""#, &format!(r#"{elements}<element name="note""#))
        .replace(
            r#"<message name="Ask">"#,
            &format!(r#"{}<message name="Ask">"#, messages.concat()),
        )
        .replace(
            r#"<portType name="T">"#,
            &format!(r#"<portType name="T">{}"#, ["Id", "Name"].map(operation).concat()),
        )
        .replace(
            r#"<operation name="quote"><soap:"#,
            &format!(r#"{}<operation name="quote"><soap:"#, ["Id", "Name"].map(bound).concat()),
        )
}

/// Operations of one name that answer different messages have files of their own, as they are written.
#[test]
fn answers_of_operations_of_one_name_are_written_and_served() {
    let wsdl = overloaded();
    let mut served = Served::of("overloaded", &wsdl);
    let written = served.command(&["--write-answers", "answers"]).output().expect("it runs");
    assert_eq!(written.status.code(), Some(0), "{written:?}");
    let written = String::from_utf8(written.stdout).expect("text");
    let expected = "answers/find.FindId.json\nanswers/find.FindName.json\nanswers/quote.json\n";
    assert_eq!(written, expected);
    let answers = served.folder.join("answers");
    fs::write(answers.join("find.FindName.json"), "{\"name\": \"seven\"}").expect("a file");
    // One file for both fits one of them alone.
    let name = answers.join("find.json");
    fs::rename(answers.join("find.FindId.json"), &name).expect("it is there");
    fs::remove_file(answers.join("find.FindName.json")).expect("it is there");
    let error = served.failure(&["--answers", "answers"]);
    let why = "several operations are called find, and find.FindName.json is for this one";
    assert!(error.contains("find.json:1:") && error.contains(why), "{error}");
    fs::rename(&name, answers.join("find.FindId.json")).expect("it is there");
    fs::write(answers.join("find.FindName.json"), "{\"name\": \"seven\"}").expect("a file");
    fs::write(answers.join("find.FindNam.json"), "{}").expect("a file");
    let error = served.failure(&["--answers", "answers"]);
    assert!(error.contains("did you mean find.FindName?"), "{error}");
    fs::remove_file(answers.join("find.FindNam.json")).expect("it is there");

    let line = served.start_all(&["--answers", "answers"]).remove(0);
    let url = line.split(' ').next().expect("a URL").to_owned();
    assert_eq!(said(&[&url, "find", "findId=7"]).1, "id = 1\n", "{}", served.log());
    assert_eq!(said(&[&url, "find", "findName=x"]).1, "name = seven\n", "{}", served.log());
    // Rules have the same names.
    let rules =
        "[[answer]]\noperation = 'find.FindId'\nwhen = { value = 8 }\nresponse = { id = 9 }\n";
    fs::write(answers.join("rules.toml"), rules).expect("a file");
    let mut ruled = Served::of("overloaded-rules", &wsdl);
    let rules = answers.join("rules.toml").display().to_string();
    let line = ruled.start_all(&["--answers", &rules]).remove(0);
    let url = line.split(' ').next().expect("a URL").to_owned();
    assert_eq!(said(&[&url, "find", "findId=8"]).1, "id = 9\n", "{}", ruled.log());
    assert_eq!(said(&[&url, "find", "findId=7"]).1, "id = 1\n", "{}", ruled.log());
    assert_eq!(said(&[&url, "find", "findName=x"]).1, "name = seven\n", "{}", ruled.log());
}

/// What the WSDL says of values is held against them, and what it imports is served with it.
#[test]
fn facets_are_checked_and_imports_are_served() {
    let schema = r#"<schema xmlns="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:types" targetNamespace="urn:types"
        elementFormDefault="qualified"><include schemaLocation='../codes.xsd'/>
      <element name="ask"><complexType><sequence><element name="symbol" type="t:Symbol"/>
        <element name="lots" type="t:Lots"/></sequence></complexType></element></schema>"#;
    let codes = r#"<schema xmlns="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:types">
      <simpleType name="Symbol"><restriction base="string"><pattern value="[A-Z]{3,6}"/></restriction></simpleType>
      <simpleType name="Lots"><restriction base="int"><maxInclusive value="500"/></restriction></simpleType></schema>"#;
    let types = r#"<schema xmlns="http://www.w3.org/2001/XMLSchema"><import namespace="urn:types"
        schemaLocation="parts/types.xsd"/></schema></types>"#;
    let (before, behind) = WSDL.split_once("<types>").expect("types");
    let (own, behind) = behind.split_once("</types>").expect("types");
    let wsdl = format!("{before}<types>{own}{types}{behind}");
    let wsdl = wsdl.replace(r#"element="t:quote"/>"#, r#"element="x:ask" xmlns:x="urn:types"/>"#);
    // A second service has a port of the same name, in a namespace of its own.
    let other = r#"<service name="Others"><port name="QuotesPort" binding="t:B"><soap:address location="http://example.org/others"/>
        </port></service></definitions>"#;
    let wsdl = wsdl.replace("</definitions>", other);
    let mut served = Served::of("imports", &wsdl);
    fs::create_dir(served.folder.join("parts")).expect("a folder");
    fs::write(served.folder.join("parts/types.xsd"), schema).expect("a file");
    fs::write(served.folder.join("codes.xsd"), codes).expect("a file");
    let lines = served.start_all(&[]);
    let urls: Vec<&str> = lines.iter().filter_map(|it| it.split(' ').next()).collect();
    assert!(urls.len() == 2 && urls[1].ends_with("/others"), "{urls:?}");
    // By the description that is served, with the addresses of both services in it.
    for (port, url) in [("Quotes/QuotesPort", urls[0]), ("Others/QuotesPort", urls[1])] {
        let given = [url, "quote", "symbol=EURUSD", "lots=500", "--port", port];
        let (status, out, err) = said(&given);
        assert_eq!((status, &*out), (Some(0), "price = 1.5\nvenue = text\n"), "{err}");
    }
    for (values, why) in [
        (
            r#"{"symbol": "eur", "lots": 1}"#,
            "fault: Sender: ask/symbol: \"eur\" is not as the pattern [A-Z]{3,6} has it",
        ),
        (r#"{"symbol": "EUR", "lots": 501}"#, "fault: Sender: ask/lots: \"501\" is more than 500"),
    ] {
        let (status, out, _) = said(&[urls[0], "quote", "--unchecked", "--body", values]);
        assert_eq!(status, Some(1), "{out}");
        assert!(out.starts_with(why), "{out}");
    }
}
