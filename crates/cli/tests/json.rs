//! `--json`: what verbs print has the keys that `docs/json.md` promises.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use serde_json::{Value, json};
use trunkline_client::{Client, Consume, Event, Options, Reply, Subscribe, format};
use trunkline_lab::customer_services::web_service::service;

/// Keys by verb and fact.
type Promised = BTreeMap<(String, String), BTreeSet<String>>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What stands between backquotes.
fn quoted(cell: &str) -> impl Iterator<Item = String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned)
}

fn promised() -> Promised {
    let page = fs::read_to_string(root().join("docs/json.md")).expect("the page");
    let rows = page.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| `")?.trim_end_matches('|').split(" | ");
        let (verb, fact, keys) = (cells.next()?, cells.next()?, cells.next()?);
        let fact = quoted(fact).next()?;
        Some(((verb.trim_end_matches('`').to_owned(), fact), quoted(keys).collect()))
    });
    let promised = Promised::from_iter(rows);
    assert!(promised.len() > 20, "the page is not read: {promised:?}");
    promised
}

fn trunkline(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trunkline"));
    command.args(arguments).env_remove("TRUNKLINE_PEERS");
    command
}

/// Holds lines against the page, and returns them.
fn held(verb: &str, lines: &str) -> Vec<Value> {
    let promised = promised();
    let lines = lines.lines().map(|line| {
        let value: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{verb}: {line}"));
        let fact = value["fact"].as_str().unwrap_or_else(|| panic!("{verb}: {line}"));
        let keys = promised.get(&(verb.to_owned(), fact.to_owned()));
        let keys = keys.unwrap_or_else(|| panic!("{verb} has no fact {fact} on the page"));
        let there: BTreeSet<String> =
            value.as_object().expect("an object").keys().cloned().collect();
        let missing = keys.iter().filter(|it| !there.contains(*it) && !it.starts_with("payload"));
        assert_eq!(missing.count(), 0, "{verb}: {keys:?} are promised: {line}");
        let more = there.iter().filter(|it| *it != "fact" && !keys.contains(*it));
        assert_eq!(more.count(), 0, "{verb}: only {keys:?} are promised: {line}");
        value
    });
    let lines: Vec<Value> = lines.collect();
    assert!(!lines.is_empty(), "{verb} prints nothing");
    lines
}

/// Runs a verb that ends well, or with this status, and holds what it prints against the page.
fn facts(verb: &str, rest: &[&str], status: i32) -> Vec<Value> {
    let words: Vec<&str> = verb.split(' ').chain(rest.iter().copied()).chain(["--json"]).collect();
    let output = trunkline(&words).output().expect("the program runs");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    assert_eq!(output.status.code(), Some(status), "{words:?}: {}", text(output.stderr));
    held(verb, &text(output.stdout))
}

fn find<'a>(facts: &'a [Value], fact: &str) -> &'a Value {
    let found = facts.iter().find(|it| it["fact"] == fact);
    found.unwrap_or_else(|| panic!("no {fact} in {facts:?}"))
}

/// A record that is kept.
fn record(name: &str) -> String {
    root().join("records").join(name).to_str().expect("text").to_owned()
}

const RECORD: &str = "2026-11-22-ng-2004-all.jsonl";

#[test]
fn the_lab_tells_its_experiments_peers_and_differences() {
    let listed = facts("lab list", &[], 0);
    assert!(
        listed.iter().any(|it| it["experiment"] == "catena-2012" && it["only_by_name"] == true)
    );
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("json-no-peers");
    fs::create_dir_all(&folder).expect("our own folder");
    let peers = facts("lab peers", &["--peers", folder.to_str().expect("text")], 0);
    assert_eq!(peers[0]["state"], "absent");
    assert_eq!(peers[0]["how_to_get"], "make peers");
    let one = record(RECORD);
    let compared = facts("lab compare", &[&one, &one], 0);
    assert!(compared.iter().any(|it| it["change"] == "no difference"));
    assert_eq!(find(&compared, "summary")["is_same_machine"], true);
    assert_eq!(find(&compared, "record")["experiment"], "ng-2004");
}

#[test]
fn a_record_is_shown_as_its_rows() {
    let output = trunkline(&["lab", "show", &record(RECORD), "--json"]).output().expect("it runs");
    assert!(output.status.success());
    let lines = String::from_utf8(output.stdout).expect("text");
    let rows: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str(line).expect("a row")).collect();
    assert_eq!(rows[0]["case"], "machine");
    assert_eq!(
        lines.lines().count(),
        fs::read_to_string(record(RECORD)).expect("it").lines().count()
    );
    assert!(
        rows[1..].iter().all(|row| row["experiment"] == "ng-2004" && row["subject"].is_string())
    );
}

#[test]
fn a_plan_has_numbers() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("json-plan");
    fs::create_dir_all(&folder).expect("our own folder");
    let costs = record("2026-11-22-kohlhoff-2004-all.jsonl");
    let arguments = "--rate 70 --bandwidth 256k --format soap-rpc,fix --costs";
    let arguments: Vec<&str> = arguments.split(' ').chain([&*costs]).collect();
    let planned = facts("plan", &arguments, 0);
    assert_eq!(planned.len(), 3);
    assert_eq!(planned[0]["bandwidth"], 256_000);
    assert_eq!(planned[2]["format"], "fix");
    assert_eq!(planned[2]["messages_per_second"], 7.0);
    assert!(planned[1]["share_of_bandwidth"].as_f64() > planned[2]["share_of_bandwidth"].as_f64());
    assert!(planned[2]["wire_line"].as_u64() >= Some(64_000));
}

#[test]
fn a_schema_is_a_line_a_field() {
    let schema = facts("schema", &["market-data"], 0);
    assert_eq!(schema[0]["message_type"], "X");
    assert!(
        schema.iter().any(|it| it["path"]
            .as_str()
            .is_some_and(|path| path.ends_with(".MDInclList.MDEntryPx"))
            && it["tag"] == "270"),
        "{schema:?}"
    );
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("json-schema.listing");
    let listing = "message Order D\nfield Side 54 Side required\nend\n\
                   enumeration Side\nvalue Buy 1\nvalue Sell 2\nend\n";
    fs::write(&file, listing).expect("our own folder");
    let schema = facts("schema", &[file.to_str().expect("text")], 0);
    let value = find(&schema, "value");
    assert_eq!((&value["enumeration"], &value["name"]), (&"Side".into(), &"Buy".into()));
    assert_eq!(value["code"], "1");
}

#[test]
fn a_dictionary_is_a_line_a_message() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("json-dictionary.xml");
    let xml = "<fix major='4' minor='4'><messages><message name='News' msgtype='B'>\
               <field name='Text' required='N'/></message></messages><fields/></fix>";
    fs::write(&file, xml).expect("our own folder");
    let schema = facts("schema", &[file.to_str().expect("text")], 0);
    assert_eq!(find(&schema, "dictionary")["begin_string"], "FIX.4.4");
    assert_eq!(find(&schema, "message_of_dictionary")["message_type"], "B");
    assert_eq!(find(&schema, "warning")["column"], 69);
}

#[test]
fn wsdl_is_a_line_a_port_and_operation() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("json-service.wsdl");
    let text = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" targetNamespace="urn:q" xmlns:q="urn:q"
        xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/">
        <types><schema xmlns="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:q">
            <element name="ask" type="string"/></schema></types>
        <message name="ask"><part name="body" element="q:ask"/></message>
        <portType name="T"><operation name="ask"><input message="q:ask"/></operation></portType>
        <binding name="B" type="q:T"><soap:binding transport="t"/>
            <operation name="ask"><soap:operation soapAction="a"/><input><soap:body use="literal"/></input></operation>
        </binding>
        <service name="S"><port name="P" binding="q:B"><soap:address location="http://h/"/></port></service>
        </definitions>"#;
    fs::write(&file, text).expect("our own folder");
    let schema = facts("schema", &[file.to_str().expect("text")], 0);
    let port = find(&schema, "port");
    assert_eq!((&port["name"], &port["protocol"]), (&"P".into(), &"SOAP 1.1".into()));
    let operation = find(&schema, "operation");
    assert_eq!(operation["takes"][0], "{urn:q}ask");
    assert_eq!(
        (&operation["form"], &operation["answers"]),
        (&"document/literal".into(), &Value::Null)
    );
    assert_eq!(find(&schema, "element")["namespace"], "urn:q");
}

#[test]
fn idl_is_a_line_a_declaration() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("json.idl");
    let text = "interface I { void f(); }; interface J : I {}; enum E { a, b }; const E first = b;";
    fs::write(&file, text).expect("our own folder");
    let schema = facts("schema", &[file.to_str().expect("text")], 0);
    let declaration = find(&schema, "declaration");
    assert_eq!(
        (&declaration["kind"], &declaration["id"]),
        (&"interface".into(), &"IDL:I:1.0".into())
    );
    assert_eq!(declaration["contents"][0], "void f()");
    let of = |name: &str| {
        let found = schema.iter().find(|it| it["name"] == name);
        found.unwrap_or_else(|| panic!("no {name}"))
    };
    assert_eq!(of("J")["bases"], json!(["I"]));
    assert_eq!(of("J")["inherited"], json!([{"from": "I", "content": "void f()"}]));
    assert_eq!(of("E")["values"], json!(["a", "b"]));
    let first = of("first");
    assert_eq!((&first["type"], &first["value"]), (&json!("E"), &json!("b")));
}

#[test]
fn a_description_is_a_line_a_parameter() {
    let wsdl = root().join("golden/wsdl/orders-all.wsdl");
    let described = facts("soap describe", &[wsdl.to_str().expect("text")], 0);
    assert_eq!(find(&described, "service")["name"], "Orders");
    assert_eq!(find(&described, "port")["is_soap"], true);
    let operation = find(&described, "operation");
    assert_eq!((&operation["name"], &operation["is_answered"]), (&"place".into(), &true.into()));
    assert!(operation["example"].as_str().expect("text").starts_with("trunkline soap call http"));
    let of = |path: &str| {
        let mut all = described.iter().filter(|it| it["fact"] == "parameter");
        let found = all.find(|it| it["of"] == "request" && it["path"] == path);
        found.unwrap_or_else(|| panic!("no {path}")).clone()
    };
    let symbol = of("Legs.Leg[0].Instrument.Symbol");
    assert_eq!((&symbol["holds"], &symbol["depth"]), (&"text".into(), &3.into()));
    let legs = of("Legs.Leg[0]");
    assert_eq!((&legs["least"], &legs["most"]), (&0.into(), &Value::Null));
}

#[test]
fn a_simulation_is_counted() {
    for more in [&[][..], &["--power-cut"]] {
        let ran = facts("simulate", &[&["--seed", "1", "--steps", "100"], more].concat(), 0);
        assert!(find(&ran, "count")["count"].is_u64());
        assert_eq!(find(&ran, "run")["last_seed"], 1);
    }
}

#[test]
fn a_service_answers_with_values_or_a_fault() {
    let server = trunkline_session::soap::Server::new().service(service());
    let server = server.start("127.0.0.1:0").expect("a server");
    let url = format!("http://{}/doc-literal-wrapped", server.address());
    let none = [&*url, "echo", "header=HELLO", "customers=", "products="];
    let answer = facts("soap call", &none, 0);
    assert_eq!(answer[0]["path"], "header");
    assert_eq!(answer[0]["value"], "RESPONSE");
    let fault = facts("soap call", &[&[none[0], "refuse"][..], &none[2..]].concat(), 1);
    assert_eq!(fault[0]["text"], "Sender: refused: HELLO");
    assert_eq!(fault[0]["details"].as_array().map(Vec::len), Some(1));
    let profile = fault[0]["profile"].as_str().expect("a profile");
    assert!(profile.starts_with("http-1.1/soap-1.1-"), "{profile}");
}

/// Its lines come while it runs.
#[test]
fn a_router_tells_where_it_listens_and_a_request_its_answer() {
    let arguments = ["serve", "--listen", "tcp://127.0.0.1:0", "--listen", "http://127.0.0.1:0"];
    let mut command = trunkline(&arguments);
    command.args(["--listen", "ws://127.0.0.1:0", "--json"]).stderr(Stdio::null());
    let mut router = command.stdout(Stdio::piped()).spawn().expect("the program runs");
    let out = BufReader::new(router.stdout.take().expect("it is piped"));
    let lines = out.lines().map(|line| line.expect("text"));
    let mut said = String::new();
    for line in lines {
        said += &format!("{line}\n");
        if line.contains("ready") {
            break;
        }
    }
    let said = held("serve", &said);
    let native = said.iter().find(|it| it["protocol"] == "native").expect("its address");
    let address = native["url"].as_str().expect("text").to_owned();
    let mut responder = Client::connect(&address, &Options::named("responder")).expect("a client");
    responder.subscribe("quotes", &Subscribe::every()).expect("a subscription");
    responder.consume(&Consume::durable("audit", "orders/>")).expect("it stands");
    responder.synchronise().expect("the router has it");
    let http = said.iter().find(|it| it["protocol"] == "http").expect("its address");
    let durables = facts("durable list", &["--to", http["url"].as_str().expect("text")], 0);
    assert_eq!(durables[0]["name"], "audit");
    assert_eq!(durables[0]["consumers"], 1);
    let answering = thread::spawn(move || {
        let mut request = None;
        while request.is_none() {
            let take = &mut |event: Event<'_>| {
                if let Event::Message(message) = event {
                    request = message.request;
                }
            };
            responder.receive(None, take).expect("a request");
        }
        let reply = Reply { format: format::JSON, payload: b"{\"price\":1}".to_vec() };
        responder.reply(request.expect("one"), &reply).expect("it is sent");
        responder.synchronise().expect("the router has it");
    });
    let replies = facts("request", &["quotes", "?", "--to", &address], 0);
    assert_eq!(replies[0]["topic"], "quotes");
    assert_eq!(replies[0]["payload"], "{\"price\":1}");
    answering.join().expect("it has answered");
    router.kill().expect("a child of ours");
    router.wait().expect("a child of ours");
}

#[test]
fn administrators_get_what_they_list_and_do() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("json-admin");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("our own folder");
    let token = folder.join("token");
    let _ = fs::remove_file(&token);
    fs::write(&token, "0123456789abcdef\n").expect("our own folder");
    fs::set_permissions(&token, fs::Permissions::from_mode(0o600)).expect("our own file");
    let mut config = trunkline_server::Config::default();
    config.listen.native = vec!["tcp://127.0.0.1:0".parse().expect("an address")];
    config.listen.http = Some("127.0.0.1:0".to_owned());
    config.listen.websocket = None;
    config.admin.token_file = Some(token.clone());
    config.journal.directory = Some(folder.join("journal"));
    let router = trunkline_server::Server::start(config).expect("a router");
    let of = |protocol: &str| {
        let found = router.addresses().iter().find(|it| it.protocol == protocol);
        found.expect("it listens").url()
    };
    let mut client = Client::connect(&of("native"), &Options::named("desk")).expect("a client");
    client.subscribe("quotes/>", &Subscribe::every()).expect("a subscription");
    client.consume(&Consume::durable("audit", "orders/>")).expect("it stands");
    client.producer("desk").expect("a producer");
    let topic = client.topic("quotes/EURUSD").expect("a topic");
    client.publish(topic, b"1").expect("it is sent");
    client.synchronise().expect("the router has it");
    let (to, token) = (of("http"), token.to_str().expect("text"));
    let ask = |verb: &str, rest: &[&str]| {
        facts(verb, &[rest, &["--to", &to, "--token-file", token]].concat(), 0)
    };
    assert_eq!(ask("admin clients", &["--name", "d*"])[0]["name"], "desk");
    let kinds = ask("admin subscriptions", &[]);
    assert_eq!((&kinds[0]["kind"], &kinds[1]["kind"]), (&"direct".into(), &"durable".into()));
    assert_eq!(ask("admin topics", &["quotes/>"])[0]["matches"], 1);
    assert_eq!(ask("admin durables", &["orders/new"])[0]["name"], "audit");
    assert_eq!(ask("admin producers", &[])[0]["last_sequence"], 0);
    let ended = ask("admin disconnect", &["--name", "desk"]);
    assert_eq!(ended[0]["name"], "desk");
    assert_eq!(ask("admin drain", &[])[0]["is_empty"], true);
    assert_eq!(ask("admin undrain", &[])[0]["is_draining"], false);
    assert_eq!(ask("admin rotate", &[])[0]["file"], "0000000001.journal");
    assert_eq!(ask("admin drain", &["--stop"]).len(), 1);
}

#[test]
fn a_configuration_is_one_object() {
    let output = trunkline(&["config", "show", "--json"]).output().expect("the program runs");
    assert!(output.status.success());
    let config: Value = serde_json::from_slice(&output.stdout).expect("an object");
    assert_eq!(config["limits"]["topics"], 1_000_000);
    assert_eq!(output.stdout.iter().filter(|byte| **byte == b'\n').count(), 1);
}

#[test]
fn a_link_tells_its_address() {
    let arguments = ["link", "--to", "127.0.0.1:9", "--rate", "10M", "--delay", "2ms", "--json"];
    let mut link = trunkline(&arguments).stdout(Stdio::piped()).spawn().expect("the program runs");
    let out = BufReader::new(link.stdout.take().expect("it is piped"));
    let line = out.lines().next().expect("a line").expect("text");
    link.kill().expect("a child of ours");
    link.wait().expect("a child of ours");
    let facts = held("link", &line);
    assert_eq!(facts[0]["bits_per_second"], 10_000_000);
    assert_eq!(facts[0]["delay_ns"], 2_000_000);
}
