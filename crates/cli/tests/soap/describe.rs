//! `trunkline soap describe`: what a service offers, and how to call it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};

use super::served::Served;
use super::site::Site;

fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trunkline"));
    told(&command.args(["soap", "describe"]).args(arguments).output().expect("the program runs"))
}

fn told(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("text");
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

const WSDL: &str = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:orders" xmlns:x="urn:types"
    xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" targetNamespace="urn:orders">
  <types><schema xmlns="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:orders">
    <import namespace="urn:types" schemaLocation="LOCATION"/></schema></types>
  <message name="In"><part name="p" element="x:place"/><part name="session" element="x:session"/></message>
  <message name="Out"><part name="p" element="x:placed"/></message>
  <message name="Closed"><part name="p" element="x:closed"/></message>
  <message name="Nothing"/>
  <portType name="T">
    <operation name="place"><documentation>Places an <b>order</b>
      &amp; waits.</documentation><input message="t:In"/><output message="t:Out"/>
      <fault name="closed" message="t:Closed"/></operation>
    <operation name="ping"><input message="t:Nothing"/></operation></portType>
  <binding name="B" type="t:T"><soap:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>
    <operation name="place"><soap:operation soapAction="urn:orders#place"/><input>
      <soap:header message="t:In" part="session" use="literal"/><soap:body parts="p" use="literal"/></input>
      <output><soap:body use="literal"/></output></operation>
    <operation name="ping"><input><soap:body use="literal"/></input></operation></binding>
  <service name="Orders"><documentation>All of the desk's.</documentation>
    <port name="OrdersPort" binding="t:B"><soap:address location="http://HOST/orders"/></port></service>
</definitions>"#;

const TYPES: &str = r#"<schema xmlns="http://www.w3.org/2001/XMLSchema" xmlns:x="urn:types" targetNamespace="urn:types"
    elementFormDefault="qualified">
  <simpleType name="Side"><restriction base="string"><enumeration value="buy"/><enumeration value="sell"/></restriction></simpleType>
  <simpleType name="Lots"><restriction base="int"><minInclusive value="1"/><maxInclusive value="500"/></restriction></simpleType>
  <complexType name="Leg"><sequence><element name="symbol" type="string"/></sequence><attribute name="ratio" type="int"/></complexType>
  <element name="place"><complexType><sequence>
    <element name="side" type="x:Side"/><element name="lots" type="x:Lots"/>
    <element name="leg" type="x:Leg" minOccurs="0" maxOccurs="4"/>
    <choice><element name="limit" type="decimal"/><element name="market" type="boolean"/></choice>
    </sequence><attribute name="id" type="int" use="required"/></complexType></element>
  <element name="session"><complexType><sequence><element name="token" type="string"/></sequence></complexType></element>
  <element name="placed"><complexType><sequence><element name="number" type="long"/></sequence></complexType></element>
  <element name="closed"><complexType><sequence><element name="until" type="time" nillable="true"/></sequence></complexType></element>
</schema>"#;

const DESCRIBED: &str = "\
service {urn:orders}Orders
  All of the desk's.
  port OrdersPort  http://HOST/orders  SOAP 1.1 over HTTP
    place  document/literal  action urn:orders#place
      Places an order & waits.
      takes {urn:types}place
        side                           Side                          buy | sell
        lots                           i32                           min_inclusive=1 max_inclusive=500
        leg                            Leg                    0..4
          symbol                       text
          @ratio                       i32                    0..1
        one of these
          limit                        decimal                0..1
          market                       boolean                0..1
        @id                            i32
      takes the header block {urn:types}session
        token                          text
      answers {urn:types}placed
        number                         i64
      fails with {urn:types}closed
        until                          time                          nillable
      trunkline soap call http://HOST/orders place @id=1 side=buy lots=1 leg@ratio=1 leg.symbol=text limit=1.5

    ping  document/literal
      takes nothing
      trunkline soap call http://HOST/orders ping

";

fn described_at(site: &Site) -> String {
    DESCRIBED.replace("HOST", &site.address.to_string())
}

#[test]
fn a_service_is_described_as_its_wsdl_says() {
    let wsdl = WSDL.replace("LOCATION", "?xsd=1");
    let site = Site::start(&[("/orders?wsdl", &wsdl), ("/orders?xsd=1", TYPES)], "");
    let (status, out, err) = run(&[&site.url("/orders"), "--fetch"]);
    assert_eq!((status, &*err), (Some(0), ""), "{out}");
    assert_eq!(out, described_at(&site));
    // One operation, and one that is not there.
    let (_, out, _) = run(&[&site.url("/orders?wsdl"), "ping", "--fetch"]);
    assert!(out.contains("    ping  ") && !out.contains("    place  "), "{out}");
    let (status, out, err) = run(&[&site.url("/orders"), "plase", "--fetch"]);
    assert_eq!((status, &*out), (Some(2), ""), "{err}");
    assert!(
        err.contains("has no operation plase; there is place, ping; did you mean place?"),
        "{err}"
    );
    let (_, _, err) = run(&[&site.url("/orders"), "--port", "Other", "--fetch"]);
    assert!(err.contains("has no port Other; there is OrdersPort"), "{err}");
}

#[test]
fn nothing_is_fetched_that_nobody_asked_for() {
    let wsdl = WSDL.replace("LOCATION", "types.xsd");
    let documents = [("/orders?wsdl", &*wsdl), ("/types.xsd", TYPES)];
    let site = Site::start(&documents, "");
    let (status, out, err) = run(&[&site.url("/orders")]);
    assert_eq!((status, &*out), (Some(2), ""), "{err}");
    let why = format!("there is no document {}; --fetch fetches it\n", site.url("/types.xsd"));
    assert!(err.contains(&why), "{err}");
    assert_eq!(site.asked().got, ["/orders?wsdl"]);
    let (status, out, _) = run(&[&site.url("/orders"), "--fetch"]);
    assert_eq!((status, out), (Some(0), described_at(&site)));

    // Nor at hosts that only the description names.
    let other = Site::start(&[("/types.xsd", TYPES)], "");
    let wsdl = WSDL.replace("LOCATION", &other.url("/types.xsd"));
    let site = Site::start(&[("/orders?wsdl", &wsdl)], "");
    let (_, _, err) = run(&[&site.url("/orders"), "--fetch"]);
    assert!(err.contains("it is on another host: --fetch --other-hosts fetches it"), "{err}");
    assert_eq!(other.asked().got.len(), 0);
    let (status, out, err) = run(&[&site.url("/orders"), "--fetch", "--other-hosts"]);
    assert_eq!((status, out), (Some(0), described_at(&site)), "{err}");

    // Nor files, by a description from elsewhere.
    let wsdl = WSDL.replace("LOCATION", "file:///etc/hostname");
    let site = Site::start(&[("/orders?wsdl", &wsdl)], "");
    let (_, _, err) = run(&[&site.url("/orders"), "--fetch", "--other-hosts"]);
    assert!(err.contains("a description that is fetched names no files"), "{err}");
}

#[test]
fn what_is_fetched_has_an_end() {
    let many: String =
        (0..200).map(|it| format!(r#"<include schemaLocation="part{it}.xsd"/>"#)).collect();
    let wsdl = WSDL.replace(r#"<import namespace="urn:types" schemaLocation="LOCATION"/>"#, &many);
    let part = r#"<schema xmlns="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:orders"/>"#;
    let paths: Vec<String> = (0..200).map(|it| format!("/part{it}.xsd")).collect();
    let mut documents: Vec<(&str, &str)> = paths.iter().map(|it| (&**it, part)).collect();
    documents.push(("/orders?wsdl", &wsdl));
    let site = Site::start(&documents, "");
    let (status, _, err) = run(&[&site.url("/orders"), "--fetch"]);
    assert!(status == Some(2) && err.contains("more than 100 documents"), "{err}");
    assert_eq!(site.asked().got.len(), 100);

    let long = format!("{TYPES}<!--{}-->", "x".repeat(17 << 20));
    let wsdl = WSDL.replace("LOCATION", "types.xsd");
    let site = Site::start(&[("/orders?wsdl", &wsdl), ("/types.xsd", &long)], "");
    let (status, _, err) = run(&[&site.url("/orders"), "--fetch"]);
    assert!(status == Some(2) && err.contains("/types.xsd is not read: "), "{err}");
    // Nobody answers there.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a listener");
    let url = format!("http://{}/orders", silent.local_addr().expect("an address"));
    let (status, _, err) = run(&[&url, "--timeout", "50ms"]);
    assert!(status == Some(2) && err.contains("response_timeout"), "{err}");
}

#[test]
fn a_file_is_described_with_the_files_that_it_names() {
    let folder = env::temp_dir().join(format!("trunkline-described-{}", std::process::id()));
    fs::create_dir_all(folder.join("types")).expect("a folder");
    let wsdl = folder.join("orders.wsdl").display().to_string();
    fs::write(&wsdl, WSDL.replace("LOCATION", "types/all.xsd")).expect("a file");
    fs::write(folder.join("types/all.xsd"), TYPES).expect("a file");
    let (status, out, err) = run(&[&wsdl]);
    let described =
        DESCRIBED.replace("/orders place @id", &format!("/orders place --wsdl {wsdl} @id"));
    let described = described.replace("/orders ping", &format!("/orders ping --wsdl {wsdl}"));
    assert_eq!((status, &*out), (Some(0), &*described), "{err}");
    fs::remove_file(folder.join("types/all.xsd")).expect("it was there");
    let (status, _, err) = run(&[&wsdl]);
    assert!(status == Some(2) && err.contains("put the file there"), "{err}");
    let (status, _, err) = run(&[&folder.join("none.wsdl").display().to_string()]);
    assert!(status == Some(2) && err.contains("none.wsdl: there is no such file"), "{err}");
    fs::write(&wsdl, "<html/>").expect("a file");
    let (status, _, err) = run(&[&wsdl]);
    assert!(status == Some(2) && err.contains("is no description of services"), "{err}");
    let _ = fs::remove_dir_all(&folder);
}

/// The values that a number may have are listed as those of a text, and one of them is in the call.
#[test]
fn enumerations_of_numbers_are_described() {
    let folder = env::temp_dir().join(format!("trunkline-numbers-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let wsdl = folder.join("orders.wsdl").display().to_string();
    fs::write(&wsdl, WSDL.replace("LOCATION", "all.xsd")).expect("a file");
    let bounds = "<minInclusive value=\"1\"/><maxInclusive value=\"500\"/>";
    let values = "<enumeration value=\"5\"/><enumeration value=\"10\"/>";
    let types = TYPES.replace(bounds, values);
    assert_ne!(types, TYPES);
    fs::write(folder.join("all.xsd"), types).expect("a file");
    let (status, out, err) = run(&[&wsdl]);
    assert_eq!(status, Some(0), "{err}");
    let described = DESCRIBED.replace("min_inclusive=1 max_inclusive=500", "5 | 10");
    let line =
        |of: &str| of.lines().find(|it| it.trim_start().starts_with("lots ")).map(str::to_owned);
    assert_eq!(line(&out), line(&described));
    assert!(out.contains(" lots=5 "), "{out}");
    let (_, out, _) = run(&[&wsdl, "--json"]);
    let mut facts =
        out.lines().map(|it| serde_json::from_str::<serde_json::Value>(it).expect("JSON"));
    let lots = facts.find(|it| it["path"] == "lots").expect("it is there");
    assert_eq!(lots["values"], serde_json::json!(["5", "10"]), "{lots}");
    let _ = fs::remove_dir_all(&folder);
}

/// Descriptions of all styles are served by what they say, and every example is typed as it is printed.
#[test]
fn the_examples_work() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden/wsdl");
    let binary = PathBuf::from(env!("CARGO_BIN_EXE_trunkline"));
    let path = format!(
        "{}:{}",
        binary.parent().expect("a folder").display(),
        env::var("PATH").expect("it is there")
    );
    let mut count = 0;
    for name in [
        "all-paths",
        "orders-all",
        "noted-doc-literal",
        "shapes-doc-literal-wrapped",
        "shapes-doc-encoded",
    ] {
        let wsdl = fs::read_to_string(golden.join(name).with_extension("wsdl")).expect("a file");
        let mut served = Served::of(name, &wsdl);
        for line in served.start_all(&[]) {
            let url = line.split(' ').next().expect("a URL");
            let (status, out, err) = run(&[url]);
            assert_eq!(status, Some(0), "{name}: {err}");
            let examples = out.lines().map(str::trim);
            let here = format!("trunkline soap call {url} ");
            for example in examples.filter(|it| it.starts_with(&here)) {
                let mut shell = Command::new("sh");
                let output = shell.args(["-c", example]).env("PATH", &path).output();
                let (status, out, err) = told(&output.expect("the shell runs"));
                assert_eq!(status, Some(0), "{name}: {example}: {out}{err}");
                count += 1;
            }
        }
    }
    assert!(count >= 40, "only {count} examples were typed");
}

/// What several ports have in common is described once, and operations of one name that take different messages each.
#[test]
fn ports_that_are_bound_alike_are_described_once() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("described-once");
    fs::create_dir_all(&folder).expect("a folder");
    let overloaded = "<operation name=\"ping\"><input name=\"a\" message=\"t:Nothing\"/></operation>\
                      <operation name=\"ping\"><input name=\"b\" message=\"t:Closed\"/></operation></portType>";
    let bound = "<operation name=\"ping\"><input><soap:body use=\"literal\"/></input></operation>";
    let port = r#"<port name="OrdersPort" binding="t:B"><soap:address location="http://HOST/orders"/></port>"#;
    let wsdl = WSDL
        .replace(
            "<operation name=\"ping\"><input message=\"t:Nothing\"/></operation></portType>",
            overloaded,
        )
        .replace(
            bound,
            &["a", "b"]
                .map(|it| bound.replace("<input>", &format!("<input name=\"{it}\">")))
                .concat(),
        )
        .replace(
            port,
            &format!("{port}{}", port.replace("OrdersPort", "Backup").replace("HOST", "OTHER")),
        )
        .replace("LOCATION", "types.xsd");
    let file = folder.join("own.wsdl");
    fs::write(&file, wsdl).expect("a file");
    fs::write(folder.join("types.xsd"), TYPES).expect("a file");
    let (status, out, err) = run(&[file.to_str().expect("UTF-8")]);
    assert_eq!(status, Some(0), "{err}");
    assert_eq!(out.matches("takes {urn:types}place\n").count(), 1, "{out}");
    assert!(out.contains("      takes {urn:types}closed\n") && out.contains("    ping "), "{out}");
    assert!(!out.contains("as at the port"), "{out}");
    let (_, backup) = out.split_once("  port Backup  http://OTHER/orders  ").expect("the port");
    let mut lines = backup.lines().skip(1);
    assert_eq!(lines.next(), Some("    its operations are those of the port OrdersPort"));
    let mut calls = lines.take_while(|it| !it.is_empty());
    assert!(
        calls.all(|it| it.starts_with("      trunkline soap call http://OTHER/orders ")),
        "{out}"
    );
}
