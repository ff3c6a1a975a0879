//! What a user of the binary sees: output, one-line errors and exit status.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// A folder of one test below Cargo's own folder for tests, empty at the start.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("Cargo's folder for tests is writable");
    folder
}

fn trunkline(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trunkline"));
    command.args(arguments).current_dir(folder).env_remove("TRUNKLINE_PEERS");
    command
}

/// Exit status, standard output, standard error.
fn run(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = trunkline(folder, arguments).output().expect("the binary starts");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn put_script(folder: &Path, name: &str, script: &str) {
    let path = folder.join(name);
    // In three steps, so that no process holds the program open for writing when it starts.
    let draft = folder.join(format!("{name}.draft"));
    fs::write(&draft, format!("#!/bin/sh\n{script}\n")).expect("a script for the test");
    let copied = Command::new("cp").args([&draft, &path]).status().expect("cp starts");
    assert!(copied.success());
    fs::remove_file(&draft).expect("our own file");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("our own file");
}

#[test]
fn user_errors_are_one_line_and_status_2() {
    let folder = folder("user-errors");
    let header = "ms_since_midnight,symbol,price_x10000,size,venue,condition\n";
    fs::write(folder.join("day.csv"), format!("{header}1,BAC,12a,500,P,0\n")).expect("a file");
    let good = "1,BAC,12,500,P,0\n".repeat(15);
    fs::write(folder.join("long.csv"), format!("{header}{good}1,BAC,12,500,P\n")).expect("a file");
    fs::write(folder.join("records"), "in the way").expect("a file");
    let lab_run = |rest: &[&'static str]| [&["lab", "run"], rest].concat();
    for (arguments, expected) in [
        (
            lab_run(&["kohlhof"]),
            "there is no experiment \"kohlhof\"; known: kohlhoff-2004, ng-2004, catena-2012, metro-2007, bridge, govindaraju-2004, and files that end in .toml",
        ),
        (
            lab_run(&["kohlhoff-2004", "--only", "size,weight"]),
            "kohlhoff-2004 has no part \"weight\"; known: size, codec, instructions, latency, throughput, compact, schema, plan",
        ),
        (
            lab_run(&["kohlhoff-2004", "--trades", "no.csv"]),
            "no.csv: cannot be read: No such file or directory (os error 2)",
        ),
        (lab_run(&["kohlhoff-2004", "--trades", "."]), ".: cannot be read: is a folder"),
        (
            lab_run(&["kohlhoff-2004", "--trades", "day.csv"]),
            "day.csv line 2: price_x10000: \"12a\" is not a whole number",
        ),
        (
            lab_run(&["kohlhoff-2004", "--json", "no/run.jsonl"]),
            "no/run.jsonl: cannot be written: its folder is not there",
        ),
        (lab_run(&["kohlhoff-2004", "--json", "."]), ".: cannot be written: is a folder"),
        (
            lab_run(&["ng-2004", "--trades", "no.csv"]),
            "--trades: the messages of ng-2004 are customer-services",
        ),
        (lab_run(&["kohlhoff-2004", "--peers", "no"]), "--peers: no is not a folder"),
        (
            lab_run(&["kohlhoff-2004", "--trades", "long.csv"]),
            "long.csv line 17: 5 values where the header has 6 columns",
        ),
        (lab_run(&["kohlhoff-2004", "--record"]), "records: is no folder"),
        (
            vec!["schema", "Nothing"],
            "there is no message \"Nothing\" and no such file; known: market-data, customer-services",
        ),
        (vec![], "a command is missing; see trunkline --help"),
        (vec!["lab"], "a command is missing; see trunkline lab --help"),
        (vec!["fly"], "unrecognized subcommand 'fly'; see trunkline --help"),
        (
            vec!["lab", "run"],
            "the following required arguments were not provided: <EXPERIMENT>; \
             see trunkline lab run --help",
        ),
        (
            vec!["lab", "list", "--fast"],
            "unexpected argument '--fast' found; see trunkline lab list --help",
        ),
    ] {
        let (status, out, err) = run(&folder, &arguments);
        assert_eq!((status, out.as_str()), (Some(2), ""), "{arguments:?}");
        assert_eq!(err, format!("trunkline: {expected}\n"), "{arguments:?}");
    }
}

#[test]
fn a_description_that_is_wrong_is_named_with_its_place() {
    let folder = folder("wrong-descriptions");
    let listing = "message\tOrder\tD\n\nfield\tPrice\t44\tdecimal\tperhaps\nend\n";
    fs::write(folder.join("wrong.listing"), listing).expect("a file");
    for (file, expected) in [
        (
            "wrong.listing",
            "wrong.listing:3:1: expected required, optional or implied, not \"perhaps\"; a listing has a line \
             for each field, as `trunkline schema --listing` prints it",
        ),
        (".", ".: it cannot be read: Is a directory (os error 21)"),
    ] {
        let (status, out, err) = run(&folder, &["schema", file]);
        assert_eq!((status, &*out, err), (Some(2), "", format!("trunkline: {expected}\n")));
    }
}

#[test]
fn a_slip_of_the_hand_is_told_what_was_meant() {
    for (arguments, expected) in [
        (
            &["serv"][..],
            "unrecognized subcommand 'serv' (did you mean 'serve'?); see trunkline --help",
        ),
        (
            &["lab", "run", "--quik"],
            "unexpected argument '--quik' found (did you mean '--quick'?); see trunkline lab run --help",
        ),
    ] {
        let (status, _, err) = run(&folder("slip"), arguments);
        assert_eq!((status, err), (Some(2), format!("trunkline: {expected}\n")));
    }
}

#[test]
fn a_mistake_makes_no_folder_of_records() {
    let folder = folder("no-litter");
    let run = run(&folder, &["lab", "run", "kohlhoff-2004", "--record", "--trades", "no.csv"]);
    assert_eq!(run.0, Some(2));
    assert_eq!(fs::read_dir(&folder).expect("our own folder").count(), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn outputs_that_cannot_be_written_are_status_2() {
    let folder = folder("full");
    let full = || fs::File::options().write(true).open("/dev/full").expect("Linux has it");
    for arguments in [&["--help"][..], &["schema", "market-data"]] {
        let output = trunkline(&folder, arguments).stdout(full()).output().expect("it starts");
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(
            String::from_utf8_lossy(&output.stderr),
            "trunkline: standard output: No space left on device (os error 28)\n"
        );
    }
    let output = trunkline(&folder, &["fly"]).stderr(full()).output().expect("it starts");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn help_and_lists_go_to_standard_output() {
    let folder = folder("help");
    for (arguments, expected) in [
        (&["--help"][..], "Rerun published evaluations"),
        (&["--version"], concat!("trunkline ", env!("CARGO_PKG_VERSION"))),
        (&["lab", "run", "--help"], "--trades <FILE>"),
        (&["lab", "list"], "kohlhoff-2004: Kohlhoff & Steele"),
    ] {
        let (status, out, err) = run(&folder, arguments);
        assert_eq!((status, err.as_str()), (Some(0), ""));
        assert!(out.contains(expected), "{out}");
        assert!(!out.contains('\x1b'), "no colour without a terminal: {out}");
    }
}

#[test]
fn shells_and_manuals_know_every_verb() {
    let folder = folder("manual");
    for shell in ["bash", "zsh", "fish"] {
        let (status, out, err) = run(&folder, &["completions", shell]);
        assert_eq!((status, err.as_str()), (Some(0), ""));
        assert!(out.contains("subscribe") || out.contains("updates-per-second"), "{shell}: {out}");
    }
    let (status, out, _) = run(&folder, &["man"]);
    assert_eq!(status, Some(0));
    assert!(
        out.contains(".TH trunkline 1") && out.contains("Publish messages to a topic"),
        "{out}"
    );
    assert_eq!(run(&folder, &["man", "pages"]).0, Some(0));
    let page = fs::read_to_string(folder.join("pages/trunkline-journal-verify.1")).expect("a page");
    assert!(page.contains("trunkline journal verify /var/lib/trunkline"), "{page}");
    assert!(!folder.join("pages/trunkline-help.1").exists(), "the pages are the help");
}

#[test]
fn without_peers_every_known_one_is_absent_with_how_to_get_it() {
    let (status, out, _) = run(&folder("no-peers"), &["lab", "peers"]);
    assert_eq!(status, Some(0));
    let of_calls = ["metro-operations", "gsoap-best-operations", "rmi-operations", "cxf-arrays"];
    for name in
        ["gsoap-best", "gsoap-debian", "quickfix", "omniorb", "quick-xml", "ironfix", "pugixml"]
            .into_iter()
            .chain(of_calls)
    {
        let line = out.lines().find(|line| line.starts_with(&format!("{name} ")));
        let line = line.unwrap_or_else(|| panic!("{name} is missing: {out}"));
        assert!(line.contains("absent") && line.contains("make peers"), "{line}");
    }
}

#[test]
fn peers_that_are_there_are_shown_and_broken_ones_told() {
    let folder = folder("peers");
    put_script(&folder, "quickfix", "read hello; echo hello quickfix 1.15.1 fix; read stop");
    let (status, out, err) = run(&folder, &["lab", "peers", "--peers", "."]);
    assert_eq!((status, err.as_str()), (Some(0), ""));
    assert!(
        out.lines()
            .any(|line| line.starts_with("quickfix") && line.contains("ready   1.15.1   fix ")),
        "{out}"
    );

    put_script(&folder, "omniorb", "echo 'libomniORB4.so.2: cannot open' >&2; exit 127");
    let (status, out, err) = run(&folder, &["lab", "peers", "--peers", "."]);
    assert_eq!(status, Some(1));
    assert!(
        out.lines().any(|line| line.starts_with("omniorb") && line.contains("broken")),
        "{out}"
    );
    assert_eq!(
        err,
        "trunkline: peer omniorb ended with status 127 when asked \"hello\"; \
         its last words: libomniORB4.so.2: cannot open\n"
    );
}

#[test]
fn an_interrupt_kills_the_peers_and_removes_their_folders() {
    let folder = folder("interrupt");
    let temporary = folder.join("temporary");
    fs::create_dir(&temporary).expect("our own folder");
    put_script(
        &folder,
        "quickfix",
        "echo $$ > quickfix.pid.part; mv quickfix.pid.part quickfix.pid; exec sleep 1000",
    );
    let lab = trunkline(&folder, &["lab", "peers", "--peers", "."])
        .env("TMPDIR", &temporary)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let pid_file = folder.join("quickfix.pid");
    wait_until("the peer has started", || pid_file.exists());
    assert_eq!(fs::read_dir(&temporary).expect("our own folder").count(), 1);

    let killed = Command::new("kill").args(["-INT", &lab.id().to_string()]).status();
    assert!(killed.is_ok_and(|status| status.success()));
    let output = lab.wait_with_output().expect("our own child");
    assert_eq!(output.status.signal(), Some(2));
    assert!(output.stderr.is_empty(), "the peers' end is no news to whoever interrupts");
    assert_eq!(fs::read_dir(&temporary).expect("our own folder").count(), 0);
    let pid = fs::read_to_string(pid_file).expect("it is there");
    wait_until("the peer is dead", || {
        let state = fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
        state.is_ok_and(|state| state.contains(") Z") || state.contains(") X"))
            || !Path::new(&format!("/proc/{}", pid.trim())).exists()
    });
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < deadline, "waited in vain until {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_schema_is_shown_as_a_tree_and_its_listing_can_be_read_again() {
    let folder = folder("schema");
    for (name, expected) in [
        ("market-data", "      MDInclList                            268  list of MDIncGroup\n"),
        ("customer-services", "    isValid                                      boolean\n"),
    ] {
        let (status, tree, err) = run(&folder, &["schema", name]);
        assert_eq!((status, err.as_str()), (Some(0), ""));
        assert!(tree.contains(expected), "{tree}");
        let (status, listing, err) = run(&folder, &["schema", name, "--listing"]);
        assert_eq!((status, err.as_str()), (Some(0), ""));
        assert!(listing.starts_with("message\t"), "{listing}");
        fs::write(folder.join("again.listing"), &listing).expect("our own folder");
        assert_eq!(run(&folder, &["schema", "again.listing"]).1, tree);
        assert_eq!(run(&folder, &["schema", "again.listing", "--listing"]).1, listing);
    }
}

const DICTIONARY: &str = "<fix major='4' minor='2'>
 <header><field name='SenderCompID' required='Y'/></header>
 <messages>
  <message name='Order Single' msgtype='D'><field name='Side' required='Y'/><field name='Txet' required='N'/></message>
 </messages>
 <fields>
  <field number='49' name='SenderCompID' type='STRING'/>
  <field number='54' name='Side' type='CHAR'><value enum='1' description='BUY'/></field>
 </fields>
</fix>";

#[test]
fn a_first_schema_is_made_of_samples() {
    let folder = folder("schema-samples");
    fs::write(folder.join("1.xml"), "<Order><Id>7</Id><Lot>1</Lot><Lot>2</Lot></Order>")
        .expect("our own folder");
    fs::write(folder.join("2.xml"), "<Order><Id>A</Id><Note/></Order>").expect("our own folder");
    fs::write(folder.join("3.json"), "{\"Order\": {\"price\": 1.5}}").expect("our own folder");
    let (status, tree, err) = run(&folder, &["schema", "1.xml", "2.xml"]);
    assert_eq!(status, Some(0), "{err}");
    assert!(tree.starts_with("Order") && tree.contains("list of i64"), "{tree}");
    assert!(err.contains("Order/Note: always empty"), "{err}");
    let (status, listing, err) = run(&folder, &["schema", "1.xml", "2.xml", "--listing"]);
    assert_eq!((status, &*err), (Some(0), ""));
    assert!(listing.contains("# Order/Note: always empty"), "{listing}");
    fs::write(folder.join("own.listing"), &listing).expect("our own folder");
    assert_eq!(run(&folder, &["schema", "own.listing"]).1, tree);
    let (status, schema, _) = run(&folder, &["schema", "1.xml", "2.xml", "--xsd"]);
    assert_eq!(status, Some(0));
    fs::write(folder.join("own.xsd"), &schema).expect("our own folder");
    assert!(run(&folder, &["schema", "own.xsd", "Order"]).1.contains("list of i64"), "{schema}");
    let (status, tree, _) = run(&folder, &["schema", "3.json"]);
    assert_eq!(status, Some(0));
    assert!(tree.contains("price") && tree.contains("decimal"), "{tree}");
    let (status, _, err) = run(&folder, &["schema", "1.xml", "own.xsd"]);
    assert_eq!(status, Some(2));
    assert!(err.contains("the sample is"), "{err}");
}

#[test]
fn a_schema_is_printed_as_rust() {
    let folder = folder("schema-rust");
    fs::write(folder.join("own.xml"), DICTIONARY).expect("our own folder");
    let (status, module, _) = run(&folder, &["schema", "own.xml", "--rust"]);
    assert_eq!(status, Some(0));
    for expected in [
        "pub struct OrderSingle {",
        "#[fix(message_type = \"D\")]",
        "#[fix(code = \"1\")]\n    Buy,",
    ] {
        assert!(module.contains(expected), "{module}");
    }
    assert_eq!(run(&folder, &["schema", "own.xml", "D", "--rust"]).1, module);
    let (status, module, _) = run(&folder, &["schema", "market-data", "--rust"]);
    assert_eq!(status, Some(0));
    assert!(module.contains("pub struct MdIncGroup {"), "{module}");

    let (status, dictionary, _) = run(&folder, &["schema", "own.xml", "--fix"]);
    assert_eq!(status, Some(0));
    assert!(dictionary.starts_with("<fix type=\"FIX\" major=\"4\" minor=\"2\""), "{dictionary}");
    fs::write(folder.join("again.xml"), &dictionary).expect("our own folder");
    let listing = run(&folder, &["schema", "own.xml", "D", "--listing"]).1;
    assert_eq!(run(&folder, &["schema", "again.xml", "D", "--listing"]).1, listing);
    let (status, _, err) = run(&folder, &["schema", "customer-services", "--fix"]);
    assert_eq!(status, Some(2));
    assert!(err.contains("left out: "), "{err}");

    let (status, schema, err) =
        run(&folder, &["schema", "own.xml", "--xsd", "--namespace", "urn:own"]);
    assert_eq!(status, Some(0), "{err}");
    assert!(
        schema.contains("<xsd:element name=\"OrderSingle\" type=\"tns:OrderSingle\"/>"),
        "{schema}"
    );
    assert!(err.contains("said otherwise: "), "{err}");
    let (status, idl, _) = run(&folder, &["schema", "own.xml", "--idl", "--namespace", "Own"]);
    assert_eq!(status, Some(0));
    assert!(idl.starts_with("module Own {"), "{idl}");
    fs::write(folder.join("desk.idl"), "interface Desk { long place(in string symbol); };")
        .expect("our own folder");
    let (status, wsdl, err) =
        run(&folder, &["schema", "desk.idl", "--wsdl", "--namespace", "urn:desk"]);
    assert_eq!(status, Some(0), "{err}");
    fs::write(folder.join("desk.wsdl"), &wsdl).expect("our own folder");
    let tree = run(&folder, &["schema", "desk.wsdl", "place"]).1;
    assert!(tree.contains("symbol") && tree.contains("text"), "{tree}");
    let (status, _, err) = run(&folder, &["schema", "own.xml", "--wsdl"]);
    assert_eq!(status, Some(2));
    assert!(err.contains("messages alone are no service"), "{err}");

    let (status, _, err) = run(&folder, &["schema", "own.xml", "E", "--rust"]);
    assert_eq!(status, Some(2));
    assert!(err.contains("own.xml has no message \"E\"; it has OrderSingle"), "{err}");
    fs::write(folder.join("own.idl"), "interface Orders { void cancel(); };")
        .expect("our own folder");
    let (status, module, err) = run(&folder, &["schema", "own.idl", "--rust"]);
    assert_eq!(status, Some(0), "{err}");
    assert!(module.contains("pub struct OrdersClient(soap::Client);"), "{module}");
}

#[test]
fn a_dictionary_keeps_the_fields_that_no_message_has() {
    let folder = folder("schema-unused");
    let unused = "<components><component name='Notes'><field name='Text' required='N'/></component></components>\n \
                  <fields><field number='58' name='Text' type='STRING'><value enum='x' description='X'/></field>";
    fs::write(folder.join("own.xml"), DICTIONARY.replace("<fields>", unused))
        .expect("our own folder");
    let (status, whole, err) = run(&folder, &["schema", "own.xml", "--fix"]);
    assert_eq!(status, Some(0), "{err}");
    let field = "  <field number=\"58\" name=\"Text\" type=\"STRING\">\n   <value enum=\"x\" description=\"X\"/>";
    assert!(whole.contains(field), "{whole}");
    let left_out = "left out: the component Notes: no message that is written has it";
    assert!(err.contains(left_out), "{err}");
    // Of one message it has what that has.
    let (_, one, err) = run(&folder, &["schema", "own.xml", "D", "--fix"]);
    assert!(!one.contains("name=\"Text\"") && !err.contains("Notes"), "{one}{err}");
}

/// What is said of the items of lists is in a schema that is written; what is not is told.
#[test]
fn a_schema_keeps_what_is_said_of_items() {
    let folder = folder("schema-lists");
    let schema = r#"<schema xmlns="http://www.w3.org/2001/XMLSchema" xmlns:x="urn:t" targetNamespace="urn:t">
      <simpleType name="Small"><restriction base="int"><maxInclusive value="9"/></restriction></simpleType>
      <simpleType name="Smalls"><list itemType="x:Small"/></simpleType>
      <simpleType name="Two"><restriction base="x:Smalls"><length value="2"/></restriction></simpleType>
      <simpleType name="Pair"><restriction base="x:Smalls"><pattern value="1 \d"/></restriction></simpleType>
      <element name="m"><complexType><sequence>
        <element name="many" type="x:Smalls" maxOccurs="3"/><element name="two" type="x:Two" maxOccurs="3"/>
        <element name="pair" type="x:Pair"/></sequence><attribute name="all" type="x:Smalls"/></complexType></element>
    </schema>"#;
    fs::write(folder.join("own.xsd"), schema).expect("our own folder");
    let (status, written, err) = run(&folder, &["schema", "own.xsd", "--xsd"]);
    assert_eq!(status, Some(0), "{err}");
    assert!(!written.contains("itemType=\"xsd:int\""), "{written}");
    for told in [
        "own.xsd:5:",
        ": there is a type of lists with a pattern or an enumeration; ",
        "said otherwise: m/two: XML Schema has no word for facet(max_items_inside)",
    ] {
        assert!(err.contains(told), "{told}: {err}");
    }
    // It is a schema, and says the same.
    fs::write(folder.join("again.xsd"), written).expect("our own folder");
    let listing = run(&folder, &["schema", "again.xsd", "--listing"]).1;
    assert_eq!(listing.matches("max_inclusive").count(), 4, "{listing}");
}

#[test]
fn messages_of_a_dictionary_are_listed_and_shown() {
    let folder = folder("schema-dictionary");
    fs::write(folder.join("own.xml"), DICTIONARY).expect("our own folder");
    let (status, list, warnings) = run(&folder, &["schema", "own.xml"]);
    assert_eq!(status, Some(0));
    assert!(
        list.contains("BeginString FIX.4.2: 1 message, ") && list.contains("OrderSingle"),
        "{list}"
    );
    let warning = "own.xml:4:77: the field Txet of the message Order Single is not defined; \
                   it is unknown content until it is: define it\n";
    assert_eq!(warnings, warning);
    for name in ["D", "OrderSingle", "Order Single"] {
        let (status, tree, err) = run(&folder, &["schema", "own.xml", name]);
        assert_eq!((status, err.as_str()), (Some(0), warning));
        assert!(tree.starts_with("OrderSingle  35=D\n  StandardHeader"), "{tree}");
        assert!(
            tree.contains("\nSide\n  BUY                                         1\n"),
            "{tree}"
        );
    }
    // The listing stands by itself.
    let listing = run(&folder, &["schema", "own.xml", "D", "--listing"]).1;
    fs::write(folder.join("own.listing"), &listing).expect("our own folder");
    assert_eq!(run(&folder, &["schema", "own.listing", "--listing"]).1, listing);
    // What is alone need not be named.
    assert_eq!(run(&folder, &["schema", "own.xml", "--listing"]).1, listing);
    let two = DICTIONARY.replace(" </messages>", "<message name='Ask' msgtype='R'/></messages>");
    fs::write(folder.join("two.xml"), two).expect("our own folder");
    for (arguments, expected) in [
        (vec!["own.xml", "X"], "own.xml has no message \"X\"; it has OrderSingle"),
        (
            vec!["own.xml", "OrderSingel"],
            "own.xml has no message \"OrderSingel\"; it has OrderSingle; did you mean OrderSingle?",
        ),
        (vec!["two.xml", "--listing"], "two.xml: name the message whose listing is to be printed"),
        (vec!["own.listing", "D"], "own.listing: a listing is one message; name none"),
        (vec!["no.xml", "D"], "no.xml: there is no such file, to have messages in it"),
    ] {
        let (status, _, err) = run(&folder, &[vec!["schema"], arguments].concat());
        assert_eq!((status, err), (Some(2), format!("trunkline: {expected}\n")));
    }
}

/// A service in one file, its types in another one.
const SERVICE: &str = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" targetNamespace="urn:q" xmlns:q="urn:q"
 xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/">
 <types><schema xmlns="http://www.w3.org/2001/XMLSchema">
  <import namespace="urn:q" schemaLocation="more/quotes.xsd"/>
 </schema></types>
 <message name="ask"><part name="body" element="q:ask"/></message>
 <message name="answer"><part name="body" element="q:answer"/></message>
 <portType name="T"><operation name="get"><input message="q:ask"/><output message="q:answer"/></operation></portType>
 <binding name="B" type="q:T"><soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
  <operation name="get"><soap:operation soapAction="urn:get"/>
   <input><soap:body use="literal"/></input><output><soap:body use="literal"/></output></operation></binding>
 <service name="Quotes"><port name="Port" binding="q:B"><soap:address location="http://h/q"/></port></service>
</definitions>"#;

const QUOTES: &str = r#"<schema xmlns="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:q">
 <element name="ask"><complexType><sequence>
  <element name="symbol" type="string" maxOccurs="unbounded"/>
 </sequence></complexType></element>
 <element name="answer"><complexType><sequence>
  <element name="side"><simpleType><restriction base="string">
   <enumeration value="Buy"/><enumeration value="Sell"/></restriction></simpleType></element>
 </sequence></complexType></element>
</schema>"#;

#[test]
fn operations_of_a_service_are_listed_and_shown() {
    let folder = folder("schema-wsdl");
    fs::create_dir_all(folder.join("more")).expect("our own folder");
    fs::write(folder.join("quotes.wsdl"), SERVICE).expect("our own folder");
    let missing = "trunkline: quotes.wsdl:4:3: there is no document more/quotes.xsd; \
                   put the file there, or take the reference to it out\n";
    let show = |rest: &[&str]| run(&folder, &[&["schema", "quotes.wsdl"], rest].concat());
    assert_eq!(show(&[]), (Some(2), String::new(), missing.to_owned()));
    fs::write(folder.join("more/quotes.xsd"), QUOTES).expect("our own folder");
    let (status, list, err) = show(&[]);
    assert_eq!((status, err.as_str()), (Some(0), ""));
    let expected = "service {urn:q}Quotes\n  port Port  SOAP 1.1  http://h/q\n    \
                    get  document/literal  action urn:get\n      takes {urn:q}ask\n      answers {urn:q}answer\n";
    assert!(list.starts_with(expected) && list.contains("2 elements, "), "{list}");
    let (_, tree, _) = show(&["get"]);
    assert!(tree.starts_with("ask") && tree.contains("list of text"), "{tree}");
    for name in ["get/response", "answer"] {
        let (status, tree, err) = show(&[name]);
        assert_eq!((status, err.as_str()), (Some(0), ""));
        assert!(tree.starts_with("answer") && tree.contains("\nside\n  Buy\n  Sell\n"), "{tree}");
    }
    // The listing stands by itself.
    let listing = show(&["get", "--listing"]).1;
    fs::write(folder.join("ask.listing"), &listing).expect("our own folder");
    assert_eq!(run(&folder, &["schema", "ask.listing", "--listing"]).1, listing);
    let unknown = "trunkline: quotes.wsdl has no message \"x\"; it has get\n";
    assert_eq!(show(&["x"]), (Some(2), String::new(), unknown.to_owned()));
}

#[test]
fn declarations_of_idl_are_listed_and_shown() {
    let folder = folder("schema-idl");
    fs::create_dir_all(folder.join("more")).expect("our own folder");
    fs::write(folder.join("more/side.idl"), "enum Side { buy, SELL };").expect("our own folder");
    let text = "#include <side.idl>\nmodule Trading {\n struct Order { string id; Side kind; };\n\
                interface Market { void enter(in Order o); readonly attribute MOST most; };\n};\n";
    fs::write(folder.join("own.idl"), text).expect("our own folder");
    let more = ["--include", "more", "--define", "MOST=long"];
    let show = |rest: &[&str]| run(&folder, &[&["schema", "own.idl"], rest].concat());
    let listed = "module Trading\n  struct Order\n  interface Market\n    \
                  void enter(in Trading::Order o)\n    readonly attribute long most\n";
    assert_eq!(show(&more), (Some(0), listed.to_owned(), String::new()));
    let (status, tree, err) = show(&[&["Trading::Order"], &more[..]].concat());
    assert_eq!((status, err.as_str()), (Some(0), ""));
    assert!(tree.starts_with("Order\n  id ") && tree.contains("\nSide\n  buy\n  SELL\n"), "{tree}");
    let missing = "trunkline: own.idl:1:1: side.idl, which is included, is not there; \
                   name the folder that has it (--include FOLDER)\n";
    assert_eq!(show(&[]), (Some(2), String::new(), missing.to_owned()));
    let unknown = "trunkline: own.idl has no message \"X\"; it has Trading::Order\n";
    assert_eq!(show(&[&["X"], &more[..]].concat()), (Some(2), String::new(), unknown.to_owned()));
}

const SHAPES: &str = "message Order D
field Side 54 Side required
choice Price required
field Limit 44 decimal required
component Market required Nothing
end
end
component Address optional
note xml name Addr
note-type xml namespace urn:a
field Street 0 text required
end
field Notes 0 text[] implied
note xml list unwrapped
field Matrix 0 f64[2][3] required
field Folders 0 Folder[] implied
field Parent 0 Folder optional
end
enumeration Side
value Buy 1
value Sell 2
end
struct Folder
field Name 0 text required
field Folders 0 Folder[] implied
end
";

/// What holds itself is shown once.
#[test]
fn every_shape_of_type_is_shown() {
    let folder = folder("schema-shapes");
    fs::write(folder.join("shapes.listing"), SHAPES).expect("our own folder");
    let (status, tree, err) = run(&folder, &["schema", "shapes.listing"]);
    assert_eq!((status, err.as_str()), (Some(0), ""));
    let lines = tree.lines().map(|it| it.split_whitespace().collect::<Vec<_>>().join(" "));
    let expected = [
        "Order 35=D",
        "Side 54 Side",
        "Price one of",
        "Limit 44 decimal",
        "Market Nothing",
        "Address Address optional xml(name = \"Addr\") inside: xml(namespace = \"urn:a\")",
        "Street text",
        "Notes list of text optional xml(list = \"unwrapped\")",
        "Matrix 3 of f64[2]",
        "Folders list of Folder optional",
        "Name text",
        "Folders list of Folder, as above optional",
        "Parent Folder, as above optional",
        "",
        "Side",
        "Buy 1",
        "Sell 2",
    ];
    assert_eq!(lines.collect::<Vec<_>>(), expected, "{tree}");
    let indents: Vec<usize> = tree.lines().map(|it| it.len() - it.trim_start().len()).collect();
    assert_eq!(indents, [0, 2, 2, 4, 4, 2, 4, 2, 2, 2, 4, 4, 2, 0, 0, 2, 2], "{tree}");
    let (_, listing, _) = run(&folder, &["schema", "shapes.listing", "--listing"]);
    fs::write(folder.join("again.listing"), &listing).expect("our own folder");
    assert_eq!(run(&folder, &["schema", "again.listing"]).1, tree);
}

#[test]
fn the_list_of_experiments_says_how_to_run_what_is_run_only_by_name() {
    let folder = folder("commands-list");
    let (status, out, err) = run(&folder, &["lab", "list"]);
    assert_eq!((status, err.as_str()), (Some(0), ""));
    let line = "durability is run only if it is named: --only durability";
    assert!(out.lines().any(|it| it == line), "{out}");
}

#[test]
fn addresses_and_times_are_told_as_they_are_written() {
    let folder = folder("addresses");
    let session = ["--sender", "A", "--target", "B"];
    for (arguments, why) in [
        (
            vec!["fix", "connect", "localhost"],
            "it has no port: an address is HOST:PORT, such as 127.0.0.1:5001",
        ),
        (vec!["fix", "accept", "--listen", "5001"], "it has a port and no host"),
        (vec!["fix", "connect", "http://localhost:5001"], "http:// is not known"),
        (vec!["fix", "accept", "--listen", "tcp://localhost:5001"], "tcp:// is too much"),
        (vec!["fix", "connect", "a:1", "--heartbeat", "500ms"], "a heartbeat is whole seconds"),
        (vec!["fix", "connect", "a:1", "--wait", "soon"], "a time is a number with"),
    ] {
        let (status, _, err) = run(&folder, &[&arguments[..], &session[..]].concat());
        assert_eq!(status, Some(2), "{arguments:?}");
        assert!(err.contains(why), "{arguments:?}: {err}");
    }
    // Nobody listens there: the time was taken.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    drop(listener);
    let connect = ["fix", "connect", &address, "--heartbeat", "30"];
    let (_, _, err) = run(&folder, &[&connect[..], &session[..]].concat());
    assert!(err.contains("Connection refused"), "{err}");
    let (status, _, err) = run(&folder, &["sub", "x", "--as", "text"]);
    assert_eq!(status, Some(2));
    let known = "messages are converted into json, soap-1.1, soap-1.2, fix, cdr, fast-infoset, xml";
    assert!(err.contains(known), "{err}");
}

/// A dictionary of a venue has many faults, of which those of other messages are in the way.
#[test]
fn warnings_about_other_messages_are_counted() {
    let folder = folder("schema-warnings");
    let message = |name: &str| {
        format!(
            "<message name='{name}' msgtype='{name}'><field name='Id' required='Y'/>\
             <field name='Missing{name}' required='N'/><field name='AVeryLongNameOfAFieldThatThatGoesOnAndOn' required='N'/></message>"
        )
    };
    let messages: String = ["A1", "B1", "C1", "D1"].map(message).concat();
    let long =
        "<field number='20001' name='AVeryLongNameOfAFieldThatThatGoesOnAndOn' type='STRING'/>";
    let text = format!(
        "<fix major='4' minor='4'><messages>{messages}</messages><fields><field number='1' name='Id' type='STRING'/>{long}</fields></fix>"
    );
    fs::write(folder.join("own.xml"), text).expect("our own folder");
    let (status, tree, err) = run(&folder, &["schema", "own.xml", "C1"]);
    assert_eq!(status, Some(0));
    let lines: Vec<&str> = err.lines().collect();
    let [own, others] = &*lines else { panic!("{err}") };
    assert!(own.contains("MissingC1 of the message C1 is not defined"), "{err}");
    let expected =
        "own.xml: 3 warnings about the rest of it, which `trunkline schema own.xml` tells";
    assert_eq!(*others, expected);
    assert_eq!(run(&folder, &["schema", "own.xml"]).2.lines().count(), 4);
    assert!(tree.contains("GoesOnAndOn  20001  text"), "{tree}");
}
