//! A service whose messages have elements of any name and of any content, called by toolkits that know
//! its WSDL alone: each gets back what it has sent.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::{env, fs};

use trunkline_message::{Any, Message};
use trunkline_session::soap::{Binding, Fault, Running, Server, Service};
use trunkline_tests::skip::skip;
use trunkline_tests::toolkit::{is_here, run};

#[derive(Message, Clone, Debug, PartialEq)]
struct Parcel {
    id: i32,
    #[xml(element)]
    payload: Option<Any>,
    #[xml(namespace = "##other")]
    extensions: Vec<Any>,
}

/// What a caller prints of the answer to its parcel: the payload's type and text, and of each element its
/// namespace, name, attribute and text.
const ANSWER: &str = "id 6
payload string A & B
extensions 3
urn:desks desk 2 FX < 1
urn:other item - x
urn:ours seen - 5
";

const PATHS: [(&str, Binding); 3] = [
    ("/bare", Binding::document_literal_bare()),
    ("/wrapped", Binding::document_literal()),
    ("/unqualified", Binding::document_literal().unqualified()),
];

/// A service that gives back what it gets, and one element more.
fn serve() -> (Running, Arc<Mutex<Vec<Parcel>>>) {
    let taken = Arc::new(Mutex::new(Vec::new()));
    let kept = taken.clone();
    let mut service = Service::new("Open", "urn:open").operation("relay", move |parcel: Parcel| {
        kept.lock().expect("no test failed").push(parcel.clone());
        let mut answer = parcel;
        answer.extensions.push(format!("<o:seen xmlns:o='urn:ours'>{}</o:seen>", answer.id).into());
        answer.id += 1;
        Ok::<_, Fault>(answer)
    });
    for (path, binding) in PATHS {
        service = service.at(path, binding);
    }
    (Server::new().service(service).start("127.0.0.1:0").expect("our service starts"), taken)
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder of the workspace")
}

fn source(name: &str) -> PathBuf {
    root().join("tests/tests/any_services").join(name)
}

/// Has a caller call the service at a path.
#[track_caller]
fn call(path: &str, caller: impl FnOnce(&str) -> String) {
    let (server, taken) = serve();
    let printed = caller(&format!("http://{}{path}?wsdl", server.address()));
    let taken = taken.lock().expect("no request failed");
    let [parcel] = &taken[..] else { panic!("{taken:?}: {printed}") };
    let payload = parcel.payload.as_ref().and_then(Any::element).unwrap_or_default();
    assert_eq!(parcel.id, 5);
    assert!(
        payload.contains("type=\"xsd:string\"") || payload.contains("type=\"xs:string\""),
        "{payload}"
    );
    assert!(payload.contains(">A &amp; B</"), "{payload}");
    assert_eq!(parcel.extensions.len(), 2, "{parcel:?}");
    assert_eq!(printed.lines().collect::<Vec<_>>(), ANSWER.lines().collect::<Vec<_>>());
}

#[test]
fn zeep_gets_back_what_it_sent() {
    let python = root().join("peers/build/zeep/bin/python");
    if !python.is_file() {
        return skip("zeep is missing: make -C peers zeep");
    }
    for (path, _) in PATHS {
        call(path, |url| run(Command::new(&python).arg(source("relay.py")).arg(url)));
    }
}

#[test]
fn metro_gets_back_what_it_sent() {
    let libraries = root().join("peers/build/metro/lib");
    if !is_here("javac") || !libraries.is_dir() {
        return skip("Metro is missing: make -C peers metro");
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("any-services");
    _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    let classes = env::join_paths([folder.clone(), libraries.join("*")]).expect("no colon inside");
    call("/bare", |url| {
        let java = |program: &str| {
            let mut command = Command::new(program);
            command.arg("-cp").arg(&classes).current_dir(&folder);
            command
        };
        let import = ["com.sun.tools.ws.WsImport", "-quiet", "-keep", "-d", ".", url];
        run(java("java").args(import));
        run(java("javac").args(["-encoding", "UTF-8", "-d", "."]).arg(source("RelayCaller.java")));
        run(java("java").args([
            "-Dfile.encoding=UTF-8",
            "-Dstdout.encoding=UTF-8",
            "RelayCaller",
            url,
        ]))
    });
}
