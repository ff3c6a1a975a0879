//! The SOAP stacks that users have, in both directions: each toolkit's client, made from our WSDL, calls our
//! service, and our client calls the toolkit's service, by our types and by that service's own WSDL.

mod album;
mod described;
mod desk;
mod secured;

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::{env, fs};

use desk::{Order, PRINTED, answered, order};
use trunkline_session::soap::Binding;
use trunkline_tests::skip::skip;
use trunkline_tests::toolkit::{is_here, program, run};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder of the workspace")
}

/// The source of a toolkit's program.
fn source(name: &str) -> PathBuf {
    root().join("tests/tests/stacks").join(name)
}

/// An empty folder for what is generated.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("stacks").join(name);
    _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Has a toolkit's program call our service at a path: with an order, then with the answer as the toolkit
/// has it. `sent` is what it makes of values that it cannot hold.
#[track_caller]
fn calls_ours(path: &str, sent: impl Fn(Order) -> Order, program: impl Fn(&str) -> Command) {
    let (server, taken) = desk::serve();
    let mut command = program(&format!("http://{}{path}?wsdl", server.address()));
    let printed = run(&mut command);
    let taken = taken.lock().expect("no request failed");
    let first = sent(order());
    assert_eq!(*taken, [first.clone(), sent(answered(first))], "{path}: {printed}");
    assert_eq!(printed, PRINTED, "{path}");
}

/// A toolkit's service, which ends with this.
struct Service {
    process: Child,
    url: String,
    /// It may go on printing.
    _printed: BufReader<ChildStdout>,
}

impl Service {
    /// Starts a program, which prints the URL; `path` is where the service is, unless that says it.
    #[track_caller]
    fn start(mut program: Command, path: &str) -> Self {
        let piped = program.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = piped.spawn().unwrap_or_else(|error| panic!("{program:?}: {error}"));
        let mut printed = BufReader::new(process.stdout.take().expect("its output"));
        let mut line = String::new();
        while !line.contains("http://") {
            line.clear();
            let read = printed.read_line(&mut line).expect("the URL");
            assert!(read > 0, "{program:?} has printed no URL");
        }
        let url = line[line.find("http://").expect("a URL")..].trim_end();
        let url = url.split(')').next().unwrap_or(url);
        Self { process, url: format!("{url}{path}"), _printed: printed }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        _ = self.process.kill();
        _ = self.process.wait();
    }
}

/// Calls a toolkit's service by our types, and by its WSDL.
#[track_caller]
fn ours_calls(service: Service, binding: Binding, seen: impl Fn(Order) -> Order) {
    desk::call(&service.url, binding, &seen);
    described::call(&service.url, binding, &seen);
}

/// A toolkit that knows all our values.
fn same(order: Order) -> Order {
    order
}

/// Runs the Java programs of a toolkit's folder of libraries, with classes of a folder.
fn java(libraries: &Path, folder: &Path) -> impl Fn(&str) -> Command + use<> {
    let classes = [folder.to_owned(), libraries.join("*")];
    let classes = env::join_paths(classes).expect("no colon inside");
    let folder = folder.to_owned();
    move |program| {
        let mut command = Command::new(program);
        command.arg("-cp").arg(&classes).current_dir(&folder);
        command
    }
}

/// The libraries of a toolkit of Java; nothing, with a note, where it is not there.
fn libraries(toolkit: &str) -> Option<PathBuf> {
    let libraries = root().join("peers/build").join(toolkit).join("lib");
    let is_there = is_here("javac") && libraries.is_dir();
    if !is_there {
        skip(&format!("{toolkit} is missing: make -C peers {toolkit}"));
    }
    is_there.then_some(libraries)
}

/// Those of one description in both versions of SOAP.
const DOCUMENTS: &[&str] = &["/literal", "/soap12"];

/// A toolkit of JAX-WS: its client and its service, of what its tool writes into the folder of desk.wsdl. What it makes of the
/// WSDL of the first of some paths is tried at all of them.
fn jax_ws(toolkit: &str, libraries: &Path, tool: &[&str], made: &[&[&str]]) {
    for paths in made {
        let folder = folder(&format!("{toolkit}{}", paths[0].replace('/', "-")));
        desk::wsdl(paths[0], &folder);
        let program = java(libraries, &folder);
        run(program("java").args(tool).arg("desk.wsdl"));
        // What says of a package how elements are qualified is referred to by nothing.
        let packages = ["desk", "desk/party"].map(|it| folder.join(it).join("package-info.java"));
        let compile = ["-proc:none", "-encoding", "UTF-8", "-d", ".", "-sourcepath", "."];
        run(program("javac").args(compile).arg(source("JaxWs.java")).args(packages));
        for path in *paths {
            let java = |verb: &str, what: &str| {
                let mut java = program("java");
                java.args(["JaxWs", verb, what]);
                java
            };
            calls_ours(path, same, |url| java("call", url));
            let service = Service::start(java("serve", &path[1..]), "");
            ours_calls(service, desk::binding(path), same);
        }
    }
}

/// Header blocks are parameters only where that is asked. In rpc the answer becomes one, too.
#[test]
fn cxf() {
    let Some(libraries) = libraries("cxf") else { return };
    let tool = ["org.apache.cxf.tools.wsdlto.WSDLToJava", "-exsh", "true"];
    jax_ws(
        "cxf",
        &libraries,
        &[&tool[..], &["-encoding", "UTF-8", "-d", "."]].concat(),
        &[DOCUMENTS],
    );
}

#[test]
fn metro() {
    let Some(libraries) = libraries("metro") else { return };
    let tool = ["com.sun.tools.ws.WsImport", "-extension", "-XadditionalHeaders", "-Xnocompile"];
    jax_ws(
        "metro",
        &libraries,
        &[&tool[..], &["-quiet", "-s", "."]].concat(),
        &[DOCUMENTS, &["/rpc"]],
    );
}

/// It has moments as `time_t`, without parts of a second, unless its table of types says otherwise.
#[test]
fn gsoap() {
    if let Some(missing) = ["wsdl2h", "soapcpp2", "g++"].into_iter().find(|it| !is_here(it)) {
        return skip(&format!("{missing} is missing: peers/install"));
    }
    let library = Path::new("/usr/share/gsoap");
    let folder = folder("gsoap");
    let here = |program: &str| {
        let mut command = Command::new(program);
        command.current_dir(&folder);
        command
    };
    let types = "desk = \"urn:desk\"\nparty = \"urn:desk:party\"\n\
                 xsd__dateTime = #import \"custom/struct_timeval.h\" | xsd__dateTime\n";
    fs::write(folder.join("typemap.dat"), types).expect("a file");
    desk::wsdl("/literal", &folder);
    run(here("wsdl2h").args(["-t", "typemap.dat", "-o", "desk.h", "desk.wsdl"]));
    let paths =
        [library.join("import"), library.to_owned()].map(|it| format!("-I{}", it.display()));
    run(here("soapcpp2").args(["-L", "-x"]).args(paths).arg("desk.h"));
    let sources = ["soapC.cpp", "soapServer.cpp", "soapClient.cpp", "-x", "c++"];
    let include = format!("-I{}", library.display());
    run(here("g++")
        .args(["-O0", "-I.", &include, "-o", "desk"])
        .arg(source("desk.cpp"))
        .args(sources)
        .arg(library.join("custom/struct_timeval.c"))
        .args(["-lgsoap++", "-pthread"]));
    let program = folder.join("desk");
    for path in ["/literal", "/soap12"] {
        calls_ours(path, same, |url| {
            let mut program = Command::new(&program);
            program.args([url.trim_end_matches("?wsdl"), &path[1..]]);
            program
        });
        // It answers with the WSDL that it was made of, and to both versions.
        desk::wsdl(path, &folder);
        ours_calls(Service::start(here("./desk"), "/"), desk::binding(path), same);
    }
}

/// It has no service, and days without a zone.
#[test]
fn zeep() {
    let Some(program) = program("zeep-run") else {
        return skip("zeep is missing: make -C peers zeep");
    };
    for path in ["/literal", "/soap12", "/rpc"] {
        calls_ours(path, Order::with_days_without_zone, |url| {
            let mut zeep = Command::new(&program);
            zeep.arg(source("desk_zeep.py")).arg(url);
            zeep
        });
    }
}

#[test]
fn axis() {
    let Some(libraries) = libraries("axis") else { return };
    for path in ["/literal", "/rpc", "/encoded"] {
        let folder = folder(&format!("axis{}", path.replace('/', "-")));
        let wsdl = desk::wsdl(path, &folder);
        let program = java(&libraries, &folder);
        let tool = ["org.apache.axis.wsdl.WSDL2Java", "-s", "-p", "desk", "-o", "."];
        run(program("java").args(tool).arg(wsdl));
        // Stubs are looked up by their names.
        let compile = ["-Xlint:none", "-encoding", "UTF-8", "-d", ".", "-sourcepath", "."];
        let sources = [source("Axis.java"), folder.join("desk/DeskLocator.java")];
        run(program("javac").args(compile).args(sources));
        let java = |arguments: &[&str]| {
            let mut java = program("java");
            java.arg("Axis").args(arguments);
            java
        };
        // It has days without a zone, and an attribute that is absent is 0.
        let by_axis = |order: Order| match path {
            "/encoded" => order.with_days_without_zone(),
            _ => order.with_days_without_zone().with_codes(),
        };
        calls_ours(path, by_axis, |url| java(&["call", url]));
        let service = Service::start(java(&["serve"]), "");
        match path {
            // Its own WSDL says in rpc that members of details are in no namespace, which they are in, and in rpc/encoded it has
            // one value where there is an array of simple ones.
            "/rpc" | "/encoded" => desk::call(&service.url, desk::binding(path), by_axis),
            _ => ours_calls(service, desk::binding(path), by_axis),
        }
    }
}

#[test]
fn the_package_soap_of_npm() {
    let Some(program) = program("node-soap").filter(|_| is_here("node")) else {
        return skip("the package soap of npm is missing: make -C peers node");
    };
    // In rpc it does not escape attributes, and looks at no schema.
    for path in ["/literal", "/soap12"] {
        let folder = folder(&format!("node{}", path.replace('/', "-")));
        let node = |verb: &str, wsdl: &str| {
            let mut node = Command::new(&program);
            node.arg(source("desk.mjs")).args([verb, wsdl, &path[1..]]);
            node
        };
        calls_ours(path, same, |url| node("call", url));
        let wsdl = desk::wsdl(path, &folder);
        let service = Service::start(node("serve", &wsdl.to_string_lossy()), "");
        ours_calls(service, desk::binding(path), same);
    }
}

#[test]
fn the_package_strong_soap_of_npm() {
    let Some(program) = program("node-soap").filter(|_| is_here("node")) else {
        return skip("the package strong-soap of npm is missing: make -C peers node");
    };
    let folder = folder("strong-soap");
    let node = |verb: &str, wsdl: &str| {
        let mut node = Command::new(&program);
        node.arg(source("strong.mjs")).args([verb, wsdl]);
        node
    };
    // It trims the texts that it reads.
    calls_ours("/literal", Order::with_comment_trimmed, |url| node("call", url));
    let wsdl = desk::wsdl("/literal", &folder);
    let service = Service::start(node("serve", &wsdl.to_string_lossy()), "");
    ours_calls(service, desk::binding("/literal"), same);
}

/// It has no service, and days without a zone; in rpc/encoded it has no attributes.
#[test]
fn suds() {
    let Some(program) = program("suds-run") else {
        return skip("suds is missing: make -C peers suds");
    };
    for path in ["/literal", "/rpc"] {
        calls_ours(path, Order::with_days_without_zone, |url| {
            let mut suds = Command::new(&program);
            suds.arg(source("desk_suds.py")).arg(url);
            suds
        });
    }
}

/// Does PHP have its extension? Notes it if not.
fn has_php() -> bool {
    let mut probe = Command::new("php");
    probe.args(["-r", "exit(extension_loaded('soap') ? 0 : 1);"]);
    let is_there = probe.status().is_ok_and(|it| it.success());
    if !is_there {
        skip("PHP with its extension soap is missing: apt install php-cli php-soap");
    }
    is_there
}

#[test]
fn php() {
    if !has_php() {
        return;
    }
    for (path, binding) in desk::PATHS {
        calls_ours(path, same, |url| {
            let mut php = Command::new("php");
            php.arg(source("desk.php")).args(["call", url, &path[1..]]);
            php
        });
        let folder = folder(&format!("php{}", path.replace('/', "-")));
        let mut server = Command::new("sh");
        // It tells its port on standard error.
        server.args(["-c", "exec php -S 127.0.0.1:0 \"$0\" 2>&1"]).arg(source("desk.php"));
        server.env("WSDL", desk::wsdl(path, &folder));
        ours_calls(Service::start(server, "/desk"), binding, same);
    }
}

#[test]
fn mono() {
    for program in ["wsdl", "mcs", "mono"] {
        if !is_here(program) {
            return skip(&format!("{program} is missing: apt install mono-devel mono-mcs"));
        }
    }
    // It makes nothing of a choice in rpc/encoded, and has days without a zone, as .NET.
    for path in ["/literal", "/soap12", "/rpc"] {
        let folder = folder(&format!("mono{}", path.replace('/', "-")));
        let wsdl = desk::wsdl(path, &folder);
        let protocol = if path == "/soap12" { "-protocol:Soap12" } else { "-protocol:Soap" };
        let here = |program: &str| {
            let mut command = Command::new(program);
            command.current_dir(&folder);
            command
        };
        run(here("wsdl").args(["-n:DeskService", protocol, "-out:client.cs"]).arg(wsdl));
        let libraries = ["-nowarn:0618", "-r:System.Web.Services", "-r:System.Xml"];
        let compile = ["-out:caller.exe", "client.cs"];
        run(here("mcs").args(libraries).args(compile).arg(source("Caller.cs")));
        calls_ours(path, Order::with_days_without_zone, |url| {
            let mut mono = here("mono");
            mono.args(["caller.exe", url.trim_end_matches("?wsdl")]);
            mono
        });
        if path == "/literal" {
            // In a folder of its own, since ASP.NET starts again when files there change. It speaks both versions.
            let application = folder.join("application");
            fs::create_dir_all(application.join("bin")).expect("a folder");
            run(here("wsdl").args(["-server", "-n:DeskService", "-out:server.cs", "desk.wsdl"]));
            let host = ["-r:System.Web", "-out:application/bin/desk.dll", "server.cs"];
            run(here("mcs").args(libraries).args(host).arg(source("Host.cs")));
            for path in ["/literal", "/soap12"] {
                let mut mono = here("mono");
                // A day with a zone becomes that of the machine's when it begins.
                mono.arg("bin/desk.dll").current_dir(&application).env("TZ", "UTC");
                let service = Service::start(mono, "");
                ours_calls(service, desk::binding(path), Order::with_days_of_utc);
            }
        }
    }
}

/// Without a WSDL PHP has no names of parameters, and a service has to be told so.
#[test]
fn php_without_a_wsdl() {
    if !has_php() {
        return;
    }
    let server = desk::serve_rectangles();
    let program = "
        $options = ['location' => $argv[1], 'uri' => 'urn:desk'];
        $client = new SoapClient(null, $options);
        $corner = (object) ['x' => 1, 'y' => 2];
        try {
            echo $client->area($corner, 3, 4), \"\\n\";
            echo $client->area($corner, 3, 4, 5), \"\\n\";
        } catch (SoapFault $fault) {
            echo $fault->faultcode, ' ', $fault->getMessage(), \"\\n\";
        }
    ";
    let area = |path: &str| {
        let url = format!("http://{}{path}", server.address());
        run(Command::new("php").args(["-r", program, &url]))
    };
    let printed = area("/by-position");
    assert!(printed.starts_with("12\nSOAP-ENV:Client "), "{printed}");
    assert!(printed.contains("expected at most 3 parameters"), "{printed}");
    let printed = area("/by-name");
    assert!(printed.contains("corner"), "{printed}");
}
