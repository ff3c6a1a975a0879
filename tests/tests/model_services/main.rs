//! A service whose messages have every shape of type, called by toolkits that know its WSDL alone.

mod trade;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use trade::{ANSWER, PATHS, serve, trade};
use trunkline_tests::skip::skip;

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

fn is_here(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// What a program printed, which ends well.
#[track_caller]
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{command:?} ended with {}:\n{out}{err}", output.status);
    out
}

/// Starts the service and calls it; request and answer are as they should be, value by value.
#[track_caller]
fn call(caller: impl FnOnce(&str) -> String) {
    let (server, taken) = serve();
    let printed = caller(&format!("http://{}", server.address()));
    let taken = taken.lock().expect("no request failed");
    assert_eq!(*taken, [trade()], "{printed}");
    assert_eq!(printed.lines().collect::<Vec<_>>(), ANSWER.lines().collect::<Vec<_>>());
}

#[test]
fn zeep_places_trades() {
    let python = root().join("peers/build/zeep/bin/python");
    if !python.is_file() {
        return skip("zeep is missing: make -C peers zeep");
    }
    for (path, _) in PATHS {
        call(|url| {
            let url = format!("{url}{path}?wsdl");
            run(Command::new(&python).arg(source("trade.py")).arg(url))
        });
    }
}

#[test]
fn metro_places_trades() {
    let libraries = root().join("peers/build/metro/lib");
    if !is_here("javac") || !libraries.is_dir() {
        return skip("Metro is missing: make -C peers metro");
    }
    let folder = folder("metro");
    let classes = env::join_paths([folder.clone(), libraries.join("*")]).expect("no colon inside");
    call(|url| {
        let url = format!("{url}/bare?wsdl");
        let java = |program: &str| {
            let mut command = Command::new(program);
            command.arg("-cp").arg(&classes).current_dir(&folder);
            command
        };
        let import = ["com.sun.tools.ws.WsImport", "-quiet", "-keep", "-d", ".", &url];
        run(java("java").args(import));
        run(java("javac").args(["-encoding", "UTF-8", "-d", "."]).arg(source("Caller.java")));
        run(java("java").args(["-Dstdout.encoding=UTF-8", "Caller", &url]))
    });
}

#[test]
fn gsoap_places_trades() {
    for program in ["wsdl2h", "soapcpp2", "g++"] {
        if !is_here(program) {
            return skip(&format!("{program} is missing: peers/install"));
        }
    }
    let folder = folder("gsoap");
    call(|url| {
        let here = |program: &str| {
            let mut command = Command::new(program);
            command.current_dir(&folder);
            command
        };
        run(here("wsdl2h").args(["-o", "s.h", &format!("{url}/bare?wsdl")]));
        run(here("soapcpp2").args(["-j", "-C", "-I/usr/share/gsoap/import", "s.h"]));
        let sources = ["soapC.cpp", "soapShapesPortProxy.cpp", "-lgsoap++", "-o", "caller"];
        run(here("g++").args(["-O0", "-I."]).arg(source("caller.cpp")).args(sources));
        run(here(&folder.join("caller").to_string_lossy()).arg(format!("{url}/bare")))
    });
}
