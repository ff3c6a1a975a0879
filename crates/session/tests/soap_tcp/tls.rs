//! SOAP/TCP with TLS, on the port of HTTP with TLS.

use std::sync::{Arc, Mutex};

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DistinguishedName, DnType, IsCa, KeyPair,
};
use trunkline_http::Error;
use trunkline_session::soap::{
    Binding, CallError, Client, ClientConfig, ClientTls, Config, MessageEncoding, Running,
    ServerTls, SharedConnection,
};

use super::sockets::{says, start, word};

struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).expect("no names");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key can be made");
        Self(CertifiedIssuer::self_signed(params, key).expect("it signs itself"))
    }

    /// A certificate and its key, in PEM.
    fn issue(&self, name: &str) -> [String; 2] {
        let own = KeyPair::generate().expect("a key can be made");
        let mut params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).expect("a name");
        params.distinguished_name = DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, name);
        let certificate = params.signed_by(&own, &self.0).expect("it is signed");
        [certificate.pem(), own.serialize_pem()]
    }

    fn client(&self, name: Option<&str>) -> ClientTls {
        let own = name.map(|name| self.issue(name));
        let own = own.as_ref().map(|[chain, key]| (chain.as_bytes(), key.as_bytes()));
        ClientTls::from_pem(self.0.pem().as_bytes(), own).expect("PEM")
    }
}

fn serve(authority: &Authority, is_mutual: bool) -> (Running, Arc<Mutex<Vec<String>>>) {
    let [chain, key] = authority.issue("server");
    let roots = authority.0.pem();
    let roots = is_mutual.then_some(roots.as_bytes());
    let tls = ServerTls::from_pem(chain.as_bytes(), key.as_bytes(), roots).expect("PEM");
    start(Config { tls: Some(tls), ..Config::default() })
}

fn client(server: &Running, scheme: &str, tls: Option<ClientTls>) -> Client {
    let url = format!("{scheme}://{}/words", server.address());
    let config = ClientConfig { tls, ..ClientConfig::default() };
    Client::with(&url, "urn:words", Binding::document_literal(), config).expect("a URL")
}

#[test]
fn one_port_with_tls_has_http_and_soap_tcp() {
    let authority = Authority::new();
    let (server, log) = serve(&authority, true);
    for (scheme, profile) in [
        (
            "vnd.sun.ws.tcps",
            "soap-tcp-1.0-tls/soap-1.1-document-literal-wrapped/fast-infoset/retained",
        ),
        ("https", "http-1.1-tls/soap-1.1-document-literal-wrapped/xml-utf8/none"),
    ] {
        let mut client = client(&server, scheme, Some(authority.client(Some("somebody"))));
        if scheme != "https" {
            client.set_encoding(MessageEncoding::StatefulFastInfoset);
        }
        says(&mut client, "a");
        // In chunks, over many records.
        says(&mut client, &"long ".repeat(100_000));
        says(&mut client, "a");
        let told = client.profile().expect("it has called").to_string();
        assert!(told.starts_with(profile), "{told}");
        drop(client);
        let lines = std::mem::take(&mut *log.lock().expect("no test panicked"));
        assert_eq!(lines.len(), 3, "{lines:?}");
        for line in lines {
            assert!(line.contains(profile), "{line}");
            assert!(line.contains("CN=somebody"), "{line}");
        }
    }
    server.stop();
}

#[test]
fn who_is_not_trusted_makes_no_call() {
    let (ours, other) = (Authority::new(), Authority::new());
    let (server, _) = serve(&ours, true);
    // The server is not known to the client, nor the client to the server.
    for tls in [other.client(None), ours.client(None)] {
        let error = client(&server, "vnd.sun.ws.tcps", Some(tls))
            .call::<_, super::sockets::Word>("repeat", &word("a"))
            .expect_err("nobody trusts");
        let text = error.to_string().to_lowercase();
        assert!(text.contains("certificate"), "{text}");
    }
    // Without TLS the server does not understand a word.
    let error = client(&server, "vnd.sun.ws.tcp", None)
        .call::<_, super::sockets::Word>("repeat", &word("a"))
        .expect_err("it has TLS");
    assert!(
        matches!(error, CallError::Transport(Error::Broken { .. }) | CallError::Channel(_)),
        "{error}"
    );
}

#[test]
fn options_that_do_not_fit_the_url_are_said() {
    let tls = Authority::new().client(None);
    let config = ClientConfig { tls: Some(tls), ..ClientConfig::default() };
    let error = Client::with("vnd.sun.ws.tcp://a:1/b", "urn:words", Binding::default(), config)
        .expect_err("no TLS there");
    assert!(error.to_string().contains("https or vnd.sun.ws.tcps"), "{error}");
    let error = SharedConnection::new("vnd.sun.ws.tcps://a:1", ClientConfig::default())
        .expect_err("not shared");
    assert!(error.to_string().contains("a connection of its own"), "{error}");
}
