//! One WSDL for all ports of a service, and its schemas as documents of their own.

use std::path::Path;
use std::{env, fs};

use trunkline_message::Message;
use trunkline_session::soap::{Binding, CallError, Client, Fault, Running, Server, Service};

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Question {
    symbol: String,
    venue: Option<Venue>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
#[xml(namespace = "urn:venues", form = "qualified")]
struct Venue {
    name: String,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Price {
    price: i64,
}

#[derive(Message, Clone, Debug, Default)]
struct Closed {
    until: String,
}

fn service() -> Service {
    Service::new("Desk", "urn:desk")
        .operation("quote", |question: Question| {
            let price = question.symbol.len() as i64;
            if price > 0 { Ok(Price { price }) } else { Err(Fault::sender("no symbol")) }
        })
        .fault::<Closed>()
        .one_way("note", |_: Price| Ok::<_, Fault>(()))
}

const PATHS: [(&str, Binding); 3] = [
    ("/desk", Binding::document_literal()),
    ("/desk/12", Binding::document_literal().soap12()),
    ("/desk/rpc", Binding::rpc_literal()),
];

fn start(service: Service) -> Running {
    let service = PATHS.iter().fold(service, |it, (path, binding)| it.at(path, *binding));
    let server = Server::new().service(service).public_address("http://localhost:8080/base");
    server.offer_soap_tcp().start("127.0.0.1:0").expect("a server")
}

fn got(server: &Running, path: &str) -> Result<String, CallError> {
    let url = format!("http://{}{path}", server.address());
    let bytes = Client::new(&url, "")?.get()?;
    Ok(String::from_utf8(bytes).expect("text"))
}

/// Every port with its address.
fn ports(wsdl: &str) -> Vec<(&str, &str)> {
    wsdl.split("<wsdl:port ").skip(1).map(|it| (value(it, "name"), value(it, "location"))).collect()
}

fn value<'t>(text: &'t str, name: &str) -> &'t str {
    let (_, behind) = text.split_once(&format!("{name}=\"")).expect("an attribute");
    behind.split('"').next().expect("a value")
}

#[test]
fn all_ports_are_in_one_description() {
    let server = start(service().described_together());
    let wsdl = got(&server, "/desk?wsdl").expect("a WSDL");
    for path in ["/desk/12?wsdl", "/desk/rpc?WSDL", "/desk?singleWsdl"] {
        assert_eq!(got(&server, path).expect("a WSDL"), wsdl, "{path}");
    }
    let at = |scheme: &str, path: &str| format!("{scheme}://localhost:8080/base{path}");
    let expected = [
        ("DeskPort", at("http", "/desk")),
        ("DeskPort12", at("http", "/desk/12")),
        ("DeskRpcLiteralPort", at("http", "/desk/rpc")),
        ("DeskPortTcp", at("vnd.sun.ws.tcp", "/desk")),
        ("DeskPort12Tcp", at("vnd.sun.ws.tcp", "/desk/12")),
        ("DeskRpcLiteralPortTcp", at("vnd.sun.ws.tcp", "/desk/rpc")),
    ];
    let expected: Vec<(&str, &str)> = expected.iter().map(|(name, it)| (*name, &**it)).collect();
    assert_eq!(ports(&wsdl), expected);
    let golden = Path::new(env!("CARGO_MANIFEST_DIR"));
    let golden = golden.join("../../golden/wsdl/together-literal-paths.wsdl");
    if env::var_os("TRUNKLINE_WRITE_GOLDEN").is_some() {
        fs::write(&golden, &wsdl).expect("a golden file");
    }
    assert!(wsdl == fs::read_to_string(&golden).unwrap_or_default(), "it differs:\n{wsdl}");

    // Without that, a path has its own.
    let server = start(service());
    for (path, name) in
        [("/desk", "DeskPort"), ("/desk/12", "DeskPort"), ("/desk/rpc", "DeskRpcLiteralPort")]
    {
        let wsdl = got(&server, &format!("{path}?wsdl")).expect("a WSDL");
        assert_eq!(ports(&wsdl), [(name, &*at("http", path))]);
    }
}

/// Of one style and version, too, ports have names of their own.
#[test]
fn ports_are_told_apart() {
    let literal = Binding::document_literal;
    let bindings = [
        literal(),
        literal().soap12(),
        literal(),
        literal(),
        Binding::document_literal_bare(),
        Binding::rpc_encoded(),
        Binding::rpc_encoded().soap12(),
    ];
    let paths = bindings.iter().enumerate();
    let service = paths.fold(service(), |it, (at, binding)| it.at(&format!("/{at}"), *binding));
    // An element cannot have its members in the namespace and in none.
    let both = self::service().at("/", literal()).at("/other", literal().unqualified());
    let error = both.described_together().build().expect_err("a clash");
    let why = "service Desk: the element quote would have two different contents";
    assert_eq!(error.to_string(), why);

    let endpoints = service.described_together().build().expect("a service");
    let wsdl = endpoints[3].wsdl("http://host/3");
    let (names, places): (Vec<&str>, Vec<&str>) = ports(&wsdl).into_iter().unzip();
    let expected = [
        "DeskPort",
        "DeskPort12",
        "DeskPort2",
        "DeskPort3",
        "DeskBarePort",
        "DeskRpcEncodedPort",
        "DeskRpcEncodedPort12",
    ];
    assert_eq!(names, expected);
    assert!(
        places.iter().enumerate().all(|(at, it)| *it == format!("http://host/{at}")),
        "{places:?}"
    );
}

#[test]
fn each_schema_is_a_document_too() {
    for together in [false, true] {
        let server = start(if together { service().described_together() } else { service() });
        let first = got(&server, "/desk?xsd=1").expect("a schema");
        for query in ["xsd", "XSD=1", "xsd=xsd0"] {
            assert_eq!(
                got(&server, &format!("/desk?{query}")).expect("a schema"),
                first,
                "{query}"
            );
        }
        assert!(first.contains(" targetNamespace=\"urn:desk\""), "{first}");
        let place = "http://localhost:8080/base/desk?xsd=2";
        let import = format!("<xsd:import namespace=\"urn:venues\" schemaLocation=\"{place}\"/>");
        assert!(first.contains(&import), "{first}");
        assert!(first.contains("<xsd:element name=\"quote\""), "{first}");
        let second = got(&server, "/desk?xsd=2").expect("a schema");
        assert!(second.contains(" targetNamespace=\"urn:venues\""), "{second}");
        assert!(
            second.contains("schemaLocation=\"http://localhost:8080/base/desk?xsd=1\""),
            "{second}"
        );
        for query in ["xsd=3", "xsd=0", "xsd=x", "xsdx", "wsdl=1"] {
            let error = got(&server, &format!("/desk?{query}")).expect_err("nothing");
            assert!(error.to_string().contains("404: there is /desk?wsdl"), "{query}: {error}");
        }
    }
}
