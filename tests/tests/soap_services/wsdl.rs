//! Other toolkits read our WSDL from our server.

use std::path::{Path, PathBuf};
use std::process::Command;

use trunkline_lab::customer_services::web_service::PATHS;
use trunkline_session::soap::Style;
use trunkline_tests::{skip::skip, toolkit::program};

use super::serve;

fn run(command: &mut Command) {
    let shown = format!("{command:?}");
    let output = command.output().unwrap_or_else(|error| panic!("{shown}: {error}"));
    let (said, complained) = (output.stdout, output.stderr);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{shown}\n{}\n{}", text(&said), text(&complained));
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

#[test]
fn zeep_calls_our_service_as_our_wsdl_says() {
    let Some(program) = program("zeep-client") else {
        return skip("peers/build/bin/zeep-client is not there: make peers");
    };
    let server = serve();
    for (path, binding) in PATHS {
        if !matches!(binding.style, Style::DocumentLiteral | Style::RpcLiteral) {
            continue;
        }
        for prefix in ["", "/soap12"] {
            let url = format!("http://{}{prefix}{path}?wsdl", server.address());
            run(Command::new(&program).arg(&url));
        }
    }
}

#[test]
fn wsimport_accepts_our_literal_wsdls() {
    let Some(program) = program("metro-wsimport") else {
        return skip("peers/build/bin/metro-wsimport is not there: make peers");
    };
    let server = serve();
    for (path, binding) in PATHS {
        if !matches!(binding.style, Style::DocumentLiteral | Style::RpcLiteral) {
            continue;
        }
        let url = format!("http://{}{path}?wsdl", server.address());
        run(Command::new(&program)
            .arg(&url)
            .arg(folder(&format!("wsimport{}", path.replace('/', "-")))));
    }
}

#[test]
fn wsdl2h_and_soapcpp2_accept_our_wsdls() {
    if Command::new("wsdl2h").arg("-V").output().is_err() {
        return skip("wsdl2h is not there: gSOAP, in the package gsoap");
    }
    let server = serve();
    for (path, _) in PATHS {
        for prefix in ["", "/soap12"] {
            let folder = folder(&format!("wsdl2h{}{}", prefix, path).replace('/', "-"));
            let url = format!("http://{}{prefix}{path}?wsdl", server.address());
            run(Command::new("wsdl2h").current_dir(&folder).args(["-o", "service.h", &url]));
            run(Command::new("soapcpp2").current_dir(&folder).args([
                "-C",
                "-I/usr/share/gsoap/import",
                "service.h",
            ]));
        }
    }
}
