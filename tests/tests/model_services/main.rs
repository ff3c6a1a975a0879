//! Services whose messages have every shape of type, and every note of XML, called by toolkits that know
//! their WSDL alone.

mod order;
mod trade;

use std::fmt::Debug;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::{env, fs};

use order::{ORDER_ANSWER, ORDER_PATHS, Order, answered, order, serve_orders};
use trade::{ANSWER, PATHS, serve, trade};
use trunkline_session::soap::{Client, ClientConfig, Running};
use trunkline_tests::skip::skip;
use trunkline_tests::toolkit::{is_here, run};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder of the workspace")
}

/// The source of a caller.
fn source(name: &str) -> PathBuf {
    root().join("tests/tests/model_services").join(name)
}

/// An empty folder for what is generated.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("model-services").join(name);
    _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Starts the service and calls it; request and answer are as they should be, value by value.
#[track_caller]
fn call(caller: impl FnOnce(&str) -> String) {
    call_of(serve(), trade(), ANSWER, caller);
}

#[track_caller]
fn call_orders(caller: impl FnOnce(&str) -> String) {
    call_of::<Order>(serve_orders(), order(), ORDER_ANSWER, caller);
}

#[track_caller]
fn call_of<T: PartialEq + Debug>(
    (server, taken): (Running, Arc<Mutex<Vec<T>>>),
    expected: T,
    answer: &str,
    caller: impl FnOnce(&str) -> String,
) {
    let printed = caller(&format!("http://{}", server.address()));
    let taken = taken.lock().expect("no request failed");
    assert_eq!(*taken, [expected], "{printed}");
    assert_eq!(printed.lines().collect::<Vec<_>>(), answer.lines().collect::<Vec<_>>());
}

#[test]
fn zeep_places_trades() {
    for (path, _) in PATHS {
        zeep(|python| {
            call(|url| run(python.arg(source("trade.py")).arg(format!("{url}{path}?wsdl"))))
        });
    }
}

#[test]
fn zeep_places_orders() {
    for (path, _) in ORDER_PATHS {
        zeep(|python| {
            call_orders(|url| run(python.arg(source("order.py")).arg(format!("{url}{path}?wsdl"))));
        });
    }
}

/// Runs it where zeep is there.
#[track_caller]
fn zeep(caller: impl FnOnce(&mut Command)) {
    let python = root().join("peers/build/zeep/bin/python");
    if !python.is_file() {
        return skip("zeep is missing: make -C peers zeep");
    }
    caller(&mut Command::new(python));
}

#[test]
fn metro_places_trades() {
    metro("trades", |java| call(|url| java("Caller", &format!("{url}/bare?wsdl"))));
}

#[test]
fn metro_places_orders() {
    for path in ["bare", "unqualified"] {
        let name = format!("orders-{path}");
        metro(&name, |java| call_orders(|url| java("OrderCaller", &format!("{url}/{path}?wsdl"))));
    }
}

/// Imports a WSDL into a folder, and runs the class of this name there, where Metro is there.
#[track_caller]
fn metro(name: &str, caller: impl FnOnce(&dyn Fn(&str, &str) -> String)) {
    let libraries = root().join("peers/build/metro/lib");
    if !is_here("javac") || !libraries.is_dir() {
        return skip("Metro is missing: make -C peers metro");
    }
    let folder = folder(&format!("metro-{name}"));
    let classes = env::join_paths([folder.clone(), libraries.join("*")]).expect("no colon inside");
    caller(&|class, url| {
        let java = |program: &str| {
            let mut command = Command::new(program);
            command.arg("-cp").arg(&classes).current_dir(&folder);
            command
        };
        let import = ["com.sun.tools.ws.WsImport", "-quiet", "-keep", "-d", ".", url];
        run(java("java").args(import));
        let source = source(&format!("{class}.java"));
        run(java("javac").args(["-encoding", "UTF-8", "-d", "."]).arg(source));
        run(java("java").args(["-Dfile.encoding=UTF-8", "-Dstdout.encoding=UTF-8", class, url]))
    });
}

#[test]
fn gsoap_places_trades() {
    gsoap("trades", |client| call(|url| client(["caller.cpp", "Shapes"], &format!("{url}/bare"))));
}

#[test]
fn gsoap_places_orders() {
    for path in ["bare", "unqualified"] {
        let name = format!("orders-{path}");
        gsoap(&name, |client| {
            call_orders(|url| client(["order.cpp", "Notes"], &format!("{url}/{path}")))
        });
    }
}

/// Makes a client of a WSDL in a folder, of a source and the service's name, and runs it.
#[track_caller]
fn gsoap(name: &str, caller: impl FnOnce(&dyn Fn([&str; 2], &str) -> String)) {
    if !has_gsoap() {
        return;
    }
    let folder = folder(&format!("gsoap-{name}"));
    caller(&|[own, service], url| {
        let program = made_by_gsoap(&folder, own, "-C", &format!("{service}PortProxy"), url);
        run(Command::new(program).arg(url))
    });
}

fn has_gsoap() -> bool {
    let missing = ["wsdl2h", "soapcpp2", "g++"].into_iter().find(|it| !is_here(it));
    if let Some(program) = missing {
        skip(&format!("{program} is missing: peers/install"));
    }
    missing.is_none()
}

/// A program of this source and a client or server (`side`) of the WSDL of the service at a URL.
#[track_caller]
fn made_by_gsoap(folder: &Path, own: &str, side: &str, class: &str, url: &str) -> PathBuf {
    let here = |program: &str| {
        let mut command = Command::new(program);
        command.current_dir(folder);
        command
    };
    run(here("wsdl2h").args(["-o", "s.h", &format!("{url}?wsdl")]));
    run(here("soapcpp2").args(["-j", side, "-I/usr/share/gsoap/import", "s.h"]));
    let class = format!("soap{class}.cpp");
    let sources = ["soapC.cpp", &class, "-lgsoap++", "-pthread", "-o", "program"];
    run(here("g++").args(["-O0", "-I."]).arg(source(own)).args(sources));
    folder.join("program")
}

/// What gSOAP made of the WSDL, our client calls: with elements in a namespace, and with some in none.
#[test]
fn our_client_places_orders_at_a_server_of_gsoap() {
    if !has_gsoap() {
        return;
    }
    for (path, binding) in ORDER_PATHS.into_iter().filter(|it| !it.1.wrapped) {
        let folder = folder(&format!("gsoap-server{}", path.replace('/', "-")));
        let (server, _) = serve_orders();
        let url = format!("http://{}{path}", server.address());
        let program = made_by_gsoap(&folder, "order_server.cpp", "-S", "NotesPortService", &url);
        let mut process = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server runs");
        let mut port = String::new();
        let printed = process.stdout.take().expect("its output");
        BufReader::new(printed).read_line(&mut port).expect("the port");
        let url = format!("http://127.0.0.1:{}/", port.trim());
        let mut client =
            Client::with(&url, "urn:notes", binding, ClientConfig::default()).expect("a client");
        for _ in 0..2 {
            let answer: Order = client.call("place", &order()).expect("an answer");
            assert_eq!(answer, answered(order()), "{path}");
        }
        // It ends with its input.
        drop(process.stdin.take());
        process.wait().expect("it ends");
    }
}
