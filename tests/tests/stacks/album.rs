//! The album: pictures whose octets are attached, to and from toolkits that do so.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use trunkline_message::Message;
use trunkline_session::soap::{
    Attachments, Binding, Client, ClientConfig, Fault, Running, Server, Service,
};
use trunkline_tests::skip::skip;
use trunkline_tests::toolkit::{is_here, run};

use super::{Service as Toolkit, folder, java, libraries, source};

const NAMESPACE: &str = "urn:album";
/// What a caller prints.
const PRINTED: &str = "a < b 10 whole\na < b 1000000 whole\n";

#[derive(Message, Clone, Debug, PartialEq)]
struct Picture {
    title: String,
    pixels: Vec<u8>,
    thumbnail: Option<Vec<u8>>,
}

#[derive(Message, Clone, Debug, PartialEq)]
struct Develop {
    picture: Picture,
}

fn octets(length: usize, mask: u8) -> Vec<u8> {
    (0..length).map(|at| (at * 7) as u8 ^ mask).collect()
}

#[derive(Message, Clone, Debug, PartialEq)]
struct Developed {
    developed: Picture,
}

/// A negative of each picture.
fn develop(request: Develop) -> Result<Developed, Fault> {
    let mut developed = request.picture;
    let all = developed.pixels.iter_mut().chain(developed.thumbnail.iter_mut().flatten());
    all.for_each(|it| *it = !*it);
    Ok(Developed { developed })
}

fn service() -> Service {
    Service::new("Album", NAMESPACE)
        .operation("develop", develop)
        .at("/literal", Binding::document_literal())
        .at("/soap12", Binding::document_literal().soap12())
}

/// Bytes of each request and of its answer.
type Told = Arc<Mutex<Vec<[usize; 2]>>>;

fn serve(service: Service) -> (Running, Told) {
    let told = Told::default();
    let log = Arc::clone(&told);
    let server = Server::new().service(service).offer_mtom();
    let server = server.on_call(move |it| {
        log.lock().expect("a log").push([it.profile.bytes, it.answer_bytes]);
    });
    (server.start("127.0.0.1:0").expect("our service starts"), told)
}

/// Has a toolkit's program call our service, which answers as it is asked: no octets are base64.
#[track_caller]
fn calls_ours(service: Service, path: &str, program: impl Fn(&str) -> Command) {
    let (server, told) = serve(service);
    let mut command = program(&format!("http://{}{path}?wsdl", server.address()));
    assert_eq!(run(&mut command), PRINTED, "{path}");
    let told = told.lock().expect("a log");
    assert_eq!(told.len(), 2, "{path}");
    let least = 1_000_000 + 2_000;
    let is_raw = told[1].iter().all(|it| (least..least + 8_000).contains(it));
    assert!(is_raw, "{path}: {told:?}");
}

/// Calls a toolkit's service, which answers as it was asked.
#[track_caller]
fn ours_calls(service: &Toolkit, binding: Binding, attachments: Attachments, from: usize) {
    let config = ClientConfig::default();
    let mut client = Client::with(&service.url, NAMESPACE, binding, config).expect("a client");
    client.set_attachments(attachments, from).expect("there is HTTP");
    for length in [10, 1_000_000] {
        let (title, thumbnail) = ("a < b".to_owned(), Some(octets(2000, 0)));
        let picture = Picture { title: title.clone(), pixels: octets(length, 0), thumbnail };
        let answer = client.call::<_, Developed>("develop", &Develop { picture });
        let answer = answer.unwrap_or_else(|error| panic!("{}: {error}", service.url));
        let thumbnail = Some(octets(2000, 255));
        assert_eq!(answer.developed, Picture { title, pixels: octets(length, 255), thumbnail });
        assert_eq!(client.answer_attachments(), Some(attachments), "{}", service.url);
        let sent = client.profile().expect("a call").bytes;
        assert!((length + 2000..length + 8000).contains(&sent), "{sent} bytes");
    }
}

/// Our WSDL, with octets of WS-I's type `swaRef` if they are to be so.
fn wsdl(path: &str, is_reference: bool) -> String {
    let (server, _) = serve(service());
    let url = format!("http://{}{path}?wsdl", server.address());
    let wsdl = Client::new(&url, NAMESPACE).and_then(|mut it| it.get()).expect("the WSDL");
    let wsdl = String::from_utf8(wsdl).expect("UTF-8");
    if !is_reference {
        return wsdl;
    }
    let schema = "<xsd:schema targetNamespace=\"http://ws-i.org/profiles/basic/1.1/xsd\">\
                  <xsd:simpleType name=\"swaRef\"><xsd:restriction base=\"xsd:anyURI\"/>\
                  </xsd:simpleType></xsd:schema>";
    let import = "<xsd:import namespace=\"http://ws-i.org/profiles/basic/1.1/xsd\"/>";
    let types = wsdl.find("<wsdl:types>").expect("types") + "<wsdl:types>".len();
    let (before, behind) = wsdl.split_at(types);
    let own = behind.find("<xsd:schema").expect("a schema");
    let inside = own + behind[own..].find('>').expect("an end of a tag") + 1;
    let types = format!("{schema}{}{import}{}", &behind[..inside], &behind[inside..]);
    let reference = "\"wsi:swaRef\" xmlns:wsi=\"http://ws-i.org/profiles/basic/1.1/xsd\"";
    // The policy would have them sent as MTOM.
    let mtom = before.find("<wsoma:").map(|at| before[at..].split('>').next().expect("a tag"));
    let before = mtom.map_or(before.to_owned(), |it| before.replace(&format!("{it}>"), ""));
    format!("{before}{}", types.replace("\"xsd:base64Binary\"", reference))
}

/// A toolkit of Java: its client and its service, made of our WSDL. `generate` writes sources into the folder.
fn jax_ws(toolkit: &str, libraries: &Path, generate: impl Fn(&Path)) {
    let address = "http://album.example/literal";
    for is_reference in [false, true] {
        let name = if is_reference { "swaref" } else { "mtom" };
        let folder = folder(&format!("album-{toolkit}-{name}"));
        let text = wsdl("/literal", is_reference);
        fs::write(folder.join("album.wsdl"), &text).expect("a file");
        generate(&folder);
        let program = java(libraries, &folder);
        let compile = ["-proc:none", "-encoding", "UTF-8", "-d", ".", "-sourcepath", "."];
        let package = folder.join("album/package-info.java");
        run(program("javac").args(compile).arg(source("Attached.java")).arg(package));
        let java = |verb: &str, kind: &str, what: &str| {
            let mut java = program("java");
            java.args(["Attached", verb, kind, what]);
            java
        };
        if is_reference {
            let located = text.find("location=\"http").expect("a location") + "location=\"".len();
            let location = text[located..].split('"').next().expect("its end");
            let text = text.replace(location, address);
            let described = service().described_at(&text, address);
            calls_ours(described, "/literal", |url| java("call", name, url));
            // CXF's service would look for the schema of `swaRef` on the network.
            if toolkit == "cxf" {
                continue;
            }
            let album = Toolkit::start(java("serve", name, "literal"), "");
            ours_calls(&album, Binding::document_literal(), Attachments::SwaRef, 1000);
            continue;
        }
        for (path, binding) in [
            ("literal", Binding::document_literal()),
            ("soap12", Binding::document_literal().soap12()),
        ] {
            calls_ours(service(), &format!("/{path}"), |url| java("call", name, url));
            // CXF does not choose what is optional.
            if toolkit == "metro" {
                calls_ours(service(), &format!("/{path}"), |url| java("call", "by-policy", url));
            }
            let album = Toolkit::start(java("serve", name, path), "");
            ours_calls(&album, binding, Attachments::Mtom, 1000);
        }
    }
}

#[test]
fn cxf() {
    let Some(libraries) = libraries("cxf") else { return };
    jax_ws("cxf", &libraries, |folder| {
        let tool = ["org.apache.cxf.tools.wsdlto.WSDLToJava", "-encoding", "UTF-8", "-d", "."];
        run(java(&libraries, folder)("java").args(tool).arg("album.wsdl"));
    });
}

#[test]
fn metro() {
    let Some(libraries) = libraries("metro") else { return };
    jax_ws("metro", &libraries, |folder| {
        let tool = ["com.sun.tools.ws.WsImport", "-extension", "-Xnocompile", "-quiet", "-s", "."];
        run(java(&libraries, folder)("java").args(tool).arg("album.wsdl"));
    });
}

#[test]
fn gsoap() {
    if let Some(missing) = ["soapcpp2", "g++"].into_iter().find(|it| !is_here(it)) {
        return skip(&format!("{missing} is missing: peers/install"));
    }
    let header = fs::read_to_string(source("album.gsoap.h")).expect("a source");
    for (way, octets, attachments, from) in [
        (
            "MTOM",
            "\n#import \"xop.h\"\nstruct ns__Octets { _xop__Include xop__Include 1; };\n\
             typedef struct ns__Octets Octets;",
            Attachments::Mtom,
            // Its struct has nothing but the reference.
            1,
        ),
        (
            "DIME",
            "\nstruct xsd__base64Binary { unsigned char *__ptr; int __size; char *id; char *type; \
             char *options; };\ntypedef struct xsd__base64Binary Octets;",
            Attachments::Dime,
            1000,
        ),
        (
            "MIME",
            "\nstruct ns__Octets { @char *href; };\ntypedef struct ns__Octets Octets;",
            Attachments::Swa,
            1,
        ),
    ] {
        let folder = folder(&format!("album-gsoap-{way}"));
        let here = |program: &str| {
            let mut command = Command::new(program);
            command.current_dir(&folder);
            command
        };
        fs::write(folder.join("album.h"), header.replace("@OCTETS@", octets)).expect("a file");
        run(here("soapcpp2").args(["-L", "-x", "-I/usr/share/gsoap/import", "album.h"]));
        let sources = ["soapC.cpp", "soapServer.cpp", "soapClient.cpp", "-lgsoap++", "-pthread"];
        let define = format!("-D{way}");
        run(here("g++")
            .args(["-O0", "-I.", &define, "-o", "album"])
            .arg(source("album.cpp"))
            .args(sources));
        let program = folder.join("album");
        calls_ours(service().attachments_from(from), "/literal", |url| {
            let mut program = Command::new(&program);
            program.arg(url.trim_end_matches("?wsdl"));
            program
        });
        let album = Toolkit::start(Command::new(&program), "/");
        ours_calls(&album, Binding::document_literal(), attachments, from);
    }
}
