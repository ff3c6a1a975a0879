//! Other toolkits generate clients from the descriptions in `golden/wsdl`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};

use trunkline_tests::skip::skip;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder of the workspace")
}

/// The golden descriptions for which `wanted` holds; their names are without the ending.
fn descriptions(wanted: impl Fn(&str) -> bool) -> Vec<(String, PathBuf)> {
    let folder = fs::read_dir(root().join("golden/wsdl")).expect("the golden descriptions");
    let mut found: Vec<(String, PathBuf)> = folder
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|it| it == "wsdl"))
        .map(|path| (path.file_stem().expect("a name").to_string_lossy().into_owned(), path))
        .filter(|(name, _)| wanted(name))
        .collect();
    found.sort();
    assert!(!found.is_empty(), "no description is wanted");
    found
}

/// An empty folder for what is generated.
fn folder(tool: &str, name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("wsdl").join(tool).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Is there a program of this name on the path?
fn is_here(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

#[track_caller]
fn run(name: &str, command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{name}: {command:?}: {error}"));
    let (out, err) = (&output.stdout, &output.stderr);
    let said = format!("{}{}", String::from_utf8_lossy(out), String::from_utf8_lossy(err));
    assert!(output.status.success(), "{name}: {command:?} ended with {}:\n{said}", output.status);
    output
}

/// Generates a client and a service, and compiles all that was generated.
#[track_caller]
fn gsoap(wanted: impl Fn(&str) -> bool) {
    for program in ["wsdl2h", "soapcpp2", "g++"] {
        if !is_here(program) {
            return skip(&format!("{program} is missing: peers/install"));
        }
    }
    for (name, path) in descriptions(wanted) {
        let folder = folder("gsoap", &name);
        run(&name, Command::new("wsdl2h").args(["-o", "s.h"]).arg(&path).current_dir(&folder));
        let import = ["-j", "-I/usr/share/gsoap/import", "-I/usr/share/gsoap", "s.h"];
        run(&name, Command::new("soapcpp2").args(import).current_dir(&folder));
        let generated = fs::read_dir(&folder).expect("the folder").map(|it| it.expect("a file"));
        let sources: Vec<PathBuf> = generated
            .map(|it| it.path())
            .filter(|path| path.extension().is_some_and(|it| it == "cpp"))
            .collect();
        assert!(sources.iter().any(|it| it.to_string_lossy().ends_with("Proxy.cpp")), "{name}");
        check_sample(&name, &folder);
        run(&name, Command::new("g++").arg("-fsyntax-only").args(sources).current_dir(&folder));
    }
}

/// Is the request that the generated client would send as we have it: the body's element, and
/// whether those inside it are qualified? Only of the services that have an operation `echo`.
#[track_caller]
fn check_sample(name: &str, folder: &Path) {
    if ["drawing", "orders", "shapes", "noted"].iter().any(|it| name.starts_with(it)) {
        return;
    }
    let files = fs::read_dir(folder).expect("the folder").map(|it| it.expect("a file").path());
    let mut samples = files.filter(|it| it.to_string_lossy().ends_with(".echo.req.xml"));
    let sample = fs::read_to_string(samples.next().expect("a sample")).expect("a sample");
    let style = name.trim_end_matches("-soap12");
    let body = match style {
        "doc-literal" | "doc-encoded" => "<ns1:CustomerServices",
        _ => "<ns1:echo",
    };
    let field = if style.starts_with("doc-literal") { "<ns1:header>" } else { "<header>" };
    let array = if style.ends_with("encoded") { "=\"ns1:customer" } else { "customers>" };
    for part in [body, field, array] {
        assert!(sample.contains(part), "{name}: no {part} in\n{sample}");
    }
}

/// With several bindings in one document, gSOAP makes one class of all, or of each and leaves
/// those of rpc styles out; so these are for the others.
fn has_one_path(name: &str) -> bool {
    !name.ends_with("-paths") && !name.ends_with("-all")
}

#[test]
fn gsoap_takes_document_literal() {
    gsoap(|name| has_one_path(name) && name.contains("doc-literal"));
}

#[test]
fn gsoap_takes_rpc_literal() {
    gsoap(|name| has_one_path(name) && name.contains("rpc-literal"));
}

#[test]
fn gsoap_takes_the_encoded_styles() {
    gsoap(|name| has_one_path(name) && name.contains("encoded"));
}

/// Reads every description, resolves every type, and prints the name of each body it would send.
/// Where the schema of the SOAP encoding is asked for, it gets the names that descriptions use.
const ZEEP: &str = r#"
import sys, zeep
from zeep.transports import Transport

ENCODING = b"""<schema xmlns="http://www.w3.org/2001/XMLSchema"
    xmlns:tns="http://schemas.xmlsoap.org/soap/encoding/"
    targetNamespace="http://schemas.xmlsoap.org/soap/encoding/">
  <attribute name="arrayType" type="string"/>
  <complexType name="Array">
    <sequence><any minOccurs="0" maxOccurs="unbounded" processContents="lax"/></sequence>
    <attribute ref="tns:arrayType"/>
  </complexType>
</schema>"""

class Offline(Transport):
    def load(self, url):
        return ENCODING if url.startswith("http") else super().load(url)

for path in sys.argv[1:]:
    wsdl = zeep.Client(path, transport=Offline()).wsdl
    for service in wsdl.services.values():
        for port in service.ports.values():
            for operation in port.binding.all().values():
                operation.input.signature(as_output=False)
                print(path.rsplit("/", 1)[-1], port.name, operation.name, operation.soapaction)
"#;

#[test]
fn zeep_takes_every_description() {
    let python = root().join("peers/build/zeep/bin/python");
    if !python.is_file() {
        return skip("zeep is missing: make -C peers zeep");
    }
    let paths = descriptions(|_| true).into_iter().map(|(_, path)| path);
    let output = run("zeep", Command::new(python).args(["-c", ZEEP]).args(paths));
    let printed = String::from_utf8(output.stdout).expect("text");
    let line = "rpc-encoded-soap12.wsdl Soap12RpcEncoded echo urn:trunkline:ng-2004#echo";
    assert!(printed.lines().any(|it| it == line), "{printed}");
    // Ten files of three operations, ten and four paths, the orders, shapes, notes and drawings in either
    // version, and two operations of six ports.
    assert_eq!(printed.lines().count(), 30 + 30 + 12 + 10 + 10 + 8 + 6 + 4 + 12, "{printed}");
}

/// JAX-WS knows no encoded styles.
#[test]
fn wsimport_takes_the_literal_styles() {
    let libraries = root().join("peers/build/metro/lib");
    if !is_here("java") || !libraries.is_dir() {
        return skip("wsimport is missing: make -C peers metro");
    }
    let literal = |name: &str| name.contains("literal");
    for (name, path) in descriptions(literal) {
        let folder = folder("wsimport", &name);
        let mut command = Command::new("java");
        command.arg("-cp").arg(libraries.join("*")).arg("com.sun.tools.ws.WsImport");
        // SOAP 1.2 is an extension to it, and so are operations that SOAPAction tells apart.
        command.args(["-extension", "-keep", "-Xnocompile", "-d"]).arg(&folder).arg(&path);
        run(&name, &mut command);
        let found = java_files(&folder);
        assert!(found.iter().any(|it| it.contains("PortType")), "{name}: {found:?}");
    }
}

/// Names of the Java files below a folder.
fn java_files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").map(|it| it.expect("an entry").path());
    entries
        .flat_map(|path| match path.is_dir() {
            true => java_files(&path),
            false => vec![path.file_name().expect("a name").to_string_lossy().into_owned()],
        })
        .collect()
}
