//! `trunkline soap call` against a service of ours, as a user types it.

mod again;
mod answered;
mod body;
mod calls;
mod carried;
mod declared;
mod describe;
mod described;
mod encodings;
mod enumerated;
mod fetched;
mod files;
mod grids;
mod inspected;
mod login;
mod nil;
mod nil_root;
mod noted;
mod nothing;
mod octets;
mod ports;
mod recursive;
mod served;
mod shapes;
mod site;
mod substituted;
mod told;
mod typed;
mod valid;
mod whole;
mod wrapped;

use std::process::{Command, Output};

use trunkline_lab::customer_services::web_service::service;
use trunkline_session::soap::{Running, Server};

fn start() -> Running {
    Server::new().service(service()).start("127.0.0.1:0").expect("a server")
}

fn call(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trunkline"));
    command.args(["soap", "call"]).args(arguments).output().expect("the program runs")
}

/// Status, standard output and standard error.
fn said(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = call(arguments);
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

const CUSTOMER: [&str; 10] = [
    "customers.customer.customerId=C-1",
    "customers.customer.password=secret",
    "customers.customer.firstName=Ann",
    "customers.customer.lastName=O'Brien & <Sons>",
    "customers.customer.address=17 Long Street",
    "customers.customer.phoneNum=1",
    "customers.customer.email=ann@example.org",
    "customers.customer.accountNo=A",
    "customers.customer.isValid=true",
    "customers.customer.lastModified=2004-01-02T03:04:05Z",
];

#[test]
fn the_wsdl_says_how_to_call_in_every_style() {
    let server = start();
    for path in
        ["/doc-literal", "/doc-literal-wrapped", "/doc-encoded", "/rpc-literal", "/rpc-encoded"]
    {
        for extra in [&[][..], &["--soap12"], &["--gzip"]] {
            let url = format!("http://{}{path}", server.address());
            let mut arguments = vec![&*url, "echo", "header=HELLO", "products="];
            arguments.extend(CUSTOMER);
            arguments.extend(extra);
            let (status, out, err) = said(&arguments);
            assert_eq!(status, Some(0), "{path} {extra:?}: {out}{err}");
            assert!(out.starts_with("header = RESPONSE\n"), "{path} {extra:?}: {out}");
            assert!(out.contains("lastName = O'Brien & <Sons>\n"), "{path} {extra:?}: {out}");
            let version = if extra == ["--soap12"] { "1.2" } else { "1.1" };
            assert!(
                err.starts_with(&format!("POST {url}\nhttp-1.1/soap-{version}-")),
                "{path} {extra:?}: {err}"
            );
        }
    }
}

#[test]
fn a_fault_is_printed_and_is_status_1() {
    let server = start();
    let url = format!("http://{}/doc-literal-wrapped", server.address());
    let none = ["header=HELLO", "customers=", "products="];
    let call =
        |operation: &str, more: &[&str]| said(&[&[&*url, operation], &none[..], more].concat());
    let (status, out, err) = call("refuse", &[]);
    assert_eq!(status, Some(1), "{out}{err}");
    assert!(out.starts_with("fault: Sender: refused: HELLO\ndetail: <Refusal "), "{out}");
    let profile = "\nprofile: http-1.1/soap-1.1-document-literal-wrapped/xml-utf8/none/none/";
    assert!(out.contains(profile), "{out}");
    let over_tcp = url.replace("http:", "vnd.sun.ws.tcp:");
    let (wsdl, encoding) = (format!("{url}?wsdl"), "stateful-fast-infoset");
    let more = ["--wsdl", &wsdl, "--encoding", encoding];
    let (status, out, _) = said(&[&[&*over_tcp, "refuse"], &none[..], &more].concat());
    let profile =
        "\nprofile: soap-tcp-1.0/soap-1.1-document-literal-wrapped/fast-infoset/retained/";
    assert!(status == Some(1) && out.contains(profile), "{out}");
    assert!(out.contains(" bytes, vocabulary of ") && out.contains(" % hits\n"), "{out}");
    let (status, out, _) = call("refuse", &["--raw"]);
    assert_eq!(status, Some(1), "{out}");
    assert!(out.contains("<faultstring>refused: HELLO</faultstring>"), "{out}");
    let (status, out, _) = call("notify", &[]);
    assert_eq!((status, &*out), (Some(0), "taken; there is no answer\n"));
}

#[test]
fn without_a_wsdl_the_arguments_say_how_to_call() {
    let server = start();
    let url = format!("http://{}/rpc-literal", server.address());
    let namespace = "urn:trunkline:ng-2004";
    let (status, out, err) =
        said(&[&url, "echo", "header=X", "--namespace", namespace, "--binding", "rpc-literal"]);
    assert_eq!(
        (status, &*out),
        (Some(0), "header = RESPONSE\ncustomers = \nproducts = \n"),
        "{err}"
    );
}

#[test]
fn mistakes_are_one_line_that_says_what_to_do() {
    let server = start();
    let base = format!("http://{}", server.address());
    let url = format!("{base}/rpc-literal");
    let cases: [(&[&str], &str); 10] = [
        (&[&url, "ecko"], "has no operation ecko; there is echo, refuse, notify"),
        (&[&base, "echo"], "say --wsdl where it is, or --namespace and --binding if there is none"),
        (&[&url, "echo", "header"], "\"header\" is not KEY=VALUE"),
        (&[&url, "echo", "header=1", "header=2"], "it stands twice; say name[1] for a second one"),
        (
            &[&url, "echo", "--binding", "document-literal"],
            "in another binding, rpc/literal; it is taken without --binding",
        ),
        (&[&url, "ECHO"], "there is echo, refuse, notify; did you mean echo?"),
        (&[&url, "echo", "a b=1"], "\"a b\" is no name of an element"),
        (&["localhost", "echo"], "trunkline: \"localhost\" is no URL of a service"),
        (&["localhost", "echo", "--wsdl", "none.wsdl"], "\"localhost\" is no URL of a service"),
        (
            &["http://127.0.0.1:1/", "echo"],
            "http://127.0.0.1:1/?wsdl: 127.0.0.1:1: Connection refused",
        ),
    ];
    for (arguments, words) in cases {
        let (status, out, err) = said(arguments);
        assert_eq!((status, &*out), (Some(2), ""), "{arguments:?}: {err}");
        assert!(err.starts_with("trunkline: ") && err.contains(words), "{arguments:?}: {err}");
        assert_eq!(err.lines().count(), 1, "{arguments:?}: {err}");
    }
}
