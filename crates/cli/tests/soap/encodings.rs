//! Messages in Fast Infoset, as a user asks for them.

use trunkline_lab::customer_services::web_service::service;
use trunkline_session::soap::Server;

use super::said;

#[test]
fn the_encoding_is_as_it_was_asked_for_and_the_profile_says_so() {
    let server = Server::new().service(service()).start("127.0.0.1:0").expect("a server");
    let address = server.address();
    let [http, tcp] = ["http", "vnd.sun.ws.tcp"].map(|it| format!("{it}://{address}/rpc-literal"));
    let stateful = ["--encoding", "stateful-fast-infoset"];
    let stateless = ["--encoding", "fast-infoset"];
    for (url, arguments, profile) in [
        (&http, &stateless[..], "/xml-utf8/none/none/"),
        (&http, &["--encoding", "fast-infoset", "--optimistic"], "/fast-infoset/stateless/none/"),
        (
            &http,
            &["--encoding", "stateful-fast-infoset", "--optimistic"],
            "/fast-infoset/stateless/",
        ),
        (&tcp, &stateless, "/fast-infoset/stateless/none/"),
        (&tcp, &stateful, "/fast-infoset/retained/none/"),
        (&tcp, &[], "/xml-utf8/none/none/"),
    ] {
        let call = [&[&**url, "echo", "header=X", "customers=", "products="], arguments].concat();
        let (status, out, err) = said(&call);
        assert_eq!(status, Some(0), "{call:?}: {err}");
        assert!(out.starts_with("header = RESPONSE\n"), "{call:?}: {out}");
        assert!(err.contains(profile), "{call:?}: {err}");
        let is_learned = url == &http && arguments == stateless;
        assert_eq!(err.contains(", answered in fast-infoset\n"), is_learned, "{call:?}: {err}");
        assert_eq!(err.contains(", vocabulary of "), arguments == stateful, "{call:?}: {err}");
    }
    let raw = [&*tcp, "echo", "header=X", "customers=", "products=", "--raw"];
    let (_, out, err) = said(&[&raw[..], &stateful].concat());
    assert!(out.contains("Envelope") && out.contains(">RESPONSE</"), "{out}{err}");
}

#[test]
fn the_wsdls_policy_chooses_if_it_is_asked_to() {
    let start = |server: Server| server.service(service()).start("127.0.0.1:0").expect("a server");
    let call = |url: &str| {
        let call = [url, "echo", "header=X", "customers=", "products=", "--by-policy"];
        let (status, out, err) = said(&call);
        assert_eq!(status, Some(0), "{out}{err}");
        err
    };
    let url = |server: &trunkline_session::soap::Running| {
        format!("http://{}/doc-literal-wrapped", server.address())
    };
    let both = start(Server::new().offer_soap_tcp().offer_fast_infoset());
    let err = call(&url(&both));
    let there = url(&both).replace("http:", "SOAP/TCP vnd.sun.ws.tcp:");
    assert!(err.starts_with(&there) && err.contains("/fast-infoset/retained/"), "{err}");
    let one = start(Server::new().offer_fast_infoset());
    let err = call(&url(&one));
    assert!(err.contains("http-1.1/") && err.contains(", answered in fast-infoset\n"), "{err}");
    let none = start(Server::new());
    let err = call(&url(&none));
    assert!(err.contains("/xml-utf8/none/none/") && !err.contains("answered in"), "{err}");
}
