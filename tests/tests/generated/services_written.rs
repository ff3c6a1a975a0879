//! WSDL that is written: its operations are those of what it was written from, and zeep takes it.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

use trunkline_export::{Written, wsdl};
use trunkline_import::{Description, Limits, Options};
use trunkline_tests::skip::skip;
use trunkline_tests::toolkit;

use super::{corpus, description};

fn written(description: &Description) -> Written {
    wsdl::of_description(description, None, "urn:own", "own").expect("WSDL")
}

fn texts(written: &Written) -> impl Iterator<Item = &str> {
    let others = written.beside.iter().map(|it| &*it.1);
    [&*written.text].into_iter().filter(|it| !it.is_empty()).chain(others)
}

fn read(text: &str) -> Result<Description, String> {
    let mut files = |path: &str| Ok((path == "own.wsdl").then(|| text.as_bytes().to_vec()));
    let read = Description::read("own.wsdl", &Options::default(), &mut files, &Limits::default());
    read.map_err(|it| it.to_string())
}

/// The operations of all texts, each of whose messages has a layout.
fn operations(written: &Written) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    for text in texts(written) {
        let again = read(text)?;
        for operation in again.messages() {
            for message in [operation.clone(), format!("{operation}/response")] {
                again.layout(&message).map_err(|it| format!("{message}: {it}"))?;
            }
            found.push(operation);
        }
    }
    Ok(found)
}

#[test]
fn services_are_what_they_were() {
    let quotes = written(&description("quotes.wsdl"));
    assert_eq!(quotes.left_out, []);
    assert_eq!(operations(&quotes).expect("WSDL"), description("quotes.wsdl").messages());
    let trading = written(&description("trading.idl"));
    assert_eq!(trading.left_out, []);
    // An interface has what it inherits.
    let expected = ["_get_name", "_get_name", "place", "stop"];
    assert_eq!(operations(&trading).expect("WSDL"), expected);
    let again = read(&trading.beside[0].1).expect("WSDL");
    let request = again.layout("place").expect("a layout").expect("it is there");
    assert!(request.listing().contains("direction"), "{}", request.listing());
    let dictionary = written(&description("orders.xml"));
    assert_eq!((dictionary.count, dictionary.left_out.len()), (0, 1));
}

#[test]
fn services_keep_their_names() {
    let text = br#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" targetNamespace="urn:q" xmlns:q="urn:q"
            xmlns:s11="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:s12="http://schemas.xmlsoap.org/wsdl/soap12/"
            xmlns:xs="http://www.w3.org/2001/XMLSchema">
          <types><xs:schema targetNamespace="urn:q" elementFormDefault="qualified">
            <xs:element name="ask"><xs:complexType><xs:sequence><xs:element name="symbol" type="xs:string"/></xs:sequence></xs:complexType></xs:element>
          </xs:schema></types>
          <message name="Asked"><part name="body" element="q:ask"/></message>
          <portType name="Asking"><operation name="ask"><input message="q:Asked"/></operation></portType>
          <binding name="AskingSoap" type="q:Asking"><s11:binding transport="http://schemas.xmlsoap.org/soap/http"/>
            <operation name="ask"><s11:operation/><input><s11:body use="literal"/></input></operation></binding>
          <binding name="AskingSoap12" type="q:Asking"><s12:binding transport="http://schemas.xmlsoap.org/soap/http"/>
            <operation name="ask"><s12:operation/><input><s12:body use="literal"/></input></operation></binding>
          <service name="Quotes-Service">
            <port name="QuotesPort" binding="q:AskingSoap"><s11:address location="http://a/1"/></port>
            <port name="QuotesPort12" binding="q:AskingSoap12"><s12:address location="http://a/2"/></port>
            <port name="QuotesBackup" binding="q:AskingSoap"><s11:address location="http://b/1"/></port>
          </service>
        </definitions>"#;
    let written = written(&read(std::str::from_utf8(text).expect("UTF-8")).expect("WSDL"));
    let Description::Services(again) = read(&written.text).expect("WSDL") else {
        panic!("{}", written.text)
    };
    let [service] = again.services() else { panic!("{}", written.text) };
    assert_eq!(&*service.name.local, "Quotes-Service");
    let ports = service.ports.iter().map(|port| {
        let binding = again.binding(port);
        let (name, of) = (&*binding.name.local, binding.port_type.to_string());
        assert_eq!(of, "{urn:q}Asking");
        (&*port.name, name)
    });
    let expected = [("QuotesPort", "AskingSoap"), ("QuotesPort12", "AskingSoap12")];
    assert_eq!(ports.collect::<Vec<_>>(), expected);
    let said: Vec<String> =
        written.changed.iter().map(|it| format!("{}: {}", it.what, it.why)).collect();
    assert_eq!(
        said,
        [
            "Quotes-Service::QuotesBackup: a service has one port of each version of SOAP, the first",
            "Quotes-Service::ask: the message Asked: messages are named after their operation, with Input or Output behind",
        ]
    );
}

#[test]
fn services_of_others_are_what_they_were() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("services-written");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    let (mut count, mut wrong, mut files) = (0, Vec::new(), Vec::new());
    for (case, description) in corpus::descriptions() {
        if !matches!(description, Description::Services(_) | Description::Idl(_)) {
            continue;
        }
        let written = written(&description);
        match operations(&written) {
            Ok(found) => count += found.len(),
            Err(why) => wrong.push(format!("{case}: {why}")),
        }
        for (index, text) in texts(&written).enumerate() {
            let path = folder.join(format!("{case}-{index}.wsdl"));
            fs::write(&path, text).expect("a file");
            // zeep asks the network for the schema of XML itself.
            if !text.contains("http://www.w3.org/XML/1998/namespace") {
                files.push(path);
            }
        }
    }
    if files.is_empty() {
        return;
    }
    assert!(wrong.is_empty(), "{}: {}", wrong.len(), wrong.join("\n"));
    assert!(count > 1000, "{count} operations");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let python = root.join("peers/build/zeep/bin/python");
    if !python.is_file() {
        return skip("zeep is missing: make -C peers zeep");
    }
    let mut zeep = Command::new(python);
    zeep.args(["-c", ZEEP]).args(files.iter().step_by(files.len().div_ceil(40)));
    let said = toolkit::run(&mut zeep);
    assert!(said.lines().count() > 40, "{said}");
}

/// Reads every description, resolves every type, and prints what it would call.
const ZEEP: &str = r#"
import sys, zeep
for path in sys.argv[1:]:
    for service in zeep.Client(path).wsdl.services.values():
        for port in service.ports.values():
            for operation in port.binding.all().values():
                operation.input.signature(as_output=False)
                print(path.rsplit("/", 1)[-1], port.name, operation.name)
"#;
