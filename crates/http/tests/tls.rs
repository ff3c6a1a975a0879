//! TLS and mutual TLS, with certificates made here.

#![cfg(feature = "tls")]

mod common;

use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use common::{Echo, connect, quick, rest};
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DistinguishedName, DnType, IsCa, KeyPair,
};
use trunkline_http::{
    Client, ClientConfig, ClientTls, Config, Error, HeaderMap, Method, Running, Server, ServerTls,
};

struct Authority(CertifiedIssuer<'static, KeyPair>);

fn key() -> KeyPair {
    KeyPair::generate().expect("a key can be made")
}

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).expect("no names");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self(CertifiedIssuer::self_signed(params, key()).expect("it signs itself"))
    }

    fn pem(&self) -> String {
        self.0.pem()
    }

    /// A certificate and its key, in PEM.
    fn issue(&self, name: &str) -> (String, String) {
        let own = key();
        let names = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
        let mut params = CertificateParams::new(names).expect("names");
        params.distinguished_name = DistinguishedName::new();
        params.distinguished_name.push(DnType::OrganizationName, "Trunk, Line");
        params.distinguished_name.push(DnType::CommonName, name);
        let certificate = params.signed_by(&own, &self.0).expect("it is signed");
        (certificate.pem(), own.serialize_pem())
    }
}

fn serve(tls: ServerTls) -> Running {
    let handshake_timeout = Duration::from_millis(300);
    let config = Config { tls: Some(tls), handshake_timeout, ..quick() };
    Server::bind("127.0.0.1:0", config).expect("a port is free").serve(Echo).expect("threads")
}

fn client(server: &Running, tls: ClientTls) -> Client {
    let config = ClientConfig { tls: Some(tls), ..ClientConfig::default() };
    Client::new(&server.address().to_string(), config).expect("an address")
}

fn ask(client: &mut Client, path: &str, body: &[u8]) -> Result<Vec<u8>, Error> {
    let answer = client.request(&Method::POST, path, &HeaderMap::new(), body)?;
    assert!(answer.sent > body.len() as u64, "TLS is counted");
    Ok(answer.body.to_vec())
}

#[test]
fn a_client_trusts_its_authority_only_and_the_right_name_only() {
    let (authority, other) = (Authority::new(), Authority::new());
    let (chain, key) = authority.issue("server");
    let server = serve(ServerTls::from_pem(chain.as_bytes(), key.as_bytes(), None).expect("good"));
    let roots = |authority: &Authority| {
        ClientTls::from_pem(authority.pem().as_bytes(), None).expect("an authority")
    };
    let mut trusting = client(&server, roots(&authority));
    let body = vec![b'b'; 1_000_000];
    for _ in 0..2 {
        assert!(ask(&mut trusting, "/", &body).expect("an answer") == body);
    }
    assert_eq!(trusting.connections(), 1);
    let peer = ask(&mut trusting, "/peer", b"").expect("an answer");
    let peer = String::from_utf8(peer).expect("text");
    assert!(peer.contains("TLSv1.3") && peer.contains("subject: None"), "{peer}");
    let answers = trusting.pipeline(&Method::POST, "/", &HeaderMap::new(), &[b"one", b"two"]);
    assert_eq!(&answers.expect("both")[1].body[..], b"two");

    for tls in
        [roots(&other), roots(&authority).with_server_name("elsewhere.example").expect("a name")]
    {
        let error = ask(&mut client(&server, tls), "/", b"").expect_err("not trusted");
        assert!(matches!(error, Error::Handshake { .. }), "{error}");
        assert!(error.to_string().contains("certificate"), "{error}");
    }
    let named = roots(&authority).with_server_name("localhost").expect("a name");
    assert_eq!(ask(&mut client(&server, named), "/", b"x").expect("an answer"), b"x");
}

#[test]
fn the_handler_is_told_who_the_client_is_and_others_are_not_served() {
    let (authority, other) = (Authority::new(), Authority::new());
    let (chain, key) = authority.issue("server");
    let roots = authority.pem();
    let tls = ServerTls::from_pem(chain.as_bytes(), key.as_bytes(), Some(roots.as_bytes()));
    let server = serve(tls.expect("good"));
    let (chain, key) = authority.issue("client 1");
    let own = Some((chain.as_bytes(), key.as_bytes()));
    let known = ClientTls::from_pem(roots.as_bytes(), own).expect("good");
    let peer = ask(&mut client(&server, known), "/peer", b"").expect("an answer");
    let peer = String::from_utf8(peer).expect("text");
    assert!(peer.contains(r#"subject: Some("CN=client 1,O=Trunk\\, Line"#), "{peer}");

    let (chain, key) = other.issue("client 2");
    let own = Some((chain.as_bytes(), key.as_bytes()));
    for own in [None, own] {
        let other = ClientTls::from_pem(roots.as_bytes(), own).expect("good");
        ask(&mut client(&server, other), "/", b"").expect_err("not trusted");
    }
    assert_eq!(server.stop().requests, 1);
}

#[test]
fn who_does_not_finish_a_handshake_is_dropped() {
    let (chain, key) = Authority::new().issue("server");
    let server = serve(ServerTls::from_pem(chain.as_bytes(), key.as_bytes(), None).expect("good"));
    let mut silent = connect(server.address());
    assert_eq!(rest(&mut silent), "");
    let mut plain = connect(server.address());
    plain.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").expect("it reads");
    assert!(!rest(&mut plain).contains("HTTP"), "it speaks nothing but TLS");
}

#[test]
fn silent_handshakes_make_room_for_others() {
    let authority = Authority::new();
    let (chain, key) = authority.issue("server");
    let tls = ServerTls::from_pem(chain.as_bytes(), key.as_bytes(), None).expect("good");
    let handshake_timeout = Duration::from_secs(900);
    let config =
        Config { tls: Some(tls), connections: 2, evicts: true, handshake_timeout, ..quick() };
    let server = Server::bind("127.0.0.1:0", config).expect("a port is free");
    let server = server.serve(Echo).expect("threads");
    let mut silent: Vec<_> = (0..2).map(|_| connect(server.address())).collect();
    while server.counters().open < 2 {
        std::thread::sleep(Duration::from_millis(1));
    }
    let tls = ClientTls::from_pem(authority.pem().as_bytes(), None).expect("an authority");
    assert_eq!(ask(&mut client(&server, tls), "/", b"x").expect("an answer"), b"x");
    assert_eq!(rest(&mut silent[0]), "");
}

#[test]
fn what_cannot_be_used_is_named() {
    let authority = Authority::new();
    let (chain, key) = authority.issue("server");
    let (chain, key) = (chain.as_bytes(), key.as_bytes());
    let (_, other_key) = authority.issue("other");
    let server = |chain, key, roots| match ServerTls::from_pem(chain, key, roots) {
        Ok(_) => panic!("it cannot be used"),
        Err(error) => error.to_string(),
    };
    for (error, expected) in [
        (server(b"", key, None), "the server's certificate: there is no `BEGIN CERTIFICATE`"),
        (server(key, key, None), "the server's certificate: there is no `BEGIN CERTIFICATE`"),
        (server(chain, chain, None), "the server's key: there is no `BEGIN PRIVATE KEY`"),
        (server(chain, other_key.as_bytes(), None), "the server's certificate and key: "),
        (server(chain, key, Some(b"")), "the authorities of clients: there is no"),
    ] {
        assert!(error.starts_with(expected), "{error}");
    }
    let nowhere = ServerTls::from_files(Path::new("nowhere.pem"), Path::new("key.pem"), None);
    assert!(nowhere.expect_err("no file").to_string().starts_with("nowhere.pem: "));
}

#[test]
fn what_else_a_program_has_chosen_for_rustls_does_not_matter() {
    use rustls::crypto::{CryptoProvider, ring};
    // One that can do nothing: rustls panics where it has to choose and takes this.
    let useless = CryptoProvider { cipher_suites: Vec::new(), ..ring::default_provider() };
    useless.install_default().expect("nothing else in these tests installs one");
    let authority = Authority::new();
    let (chain, key) = authority.issue("both");
    let (chain, key, roots) = (chain.as_bytes(), key.as_bytes(), authority.pem());
    let server = serve(ServerTls::from_pem(chain, key, Some(roots.as_bytes())).expect("good"));
    let tls = ClientTls::from_pem(roots.as_bytes(), Some((chain, key))).expect("good");
    assert_eq!(ask(&mut client(&server, tls), "/", b"x").expect("an answer"), b"x");
}

#[test]
fn a_server_that_stops_waits_for_no_handshake() {
    let (chain, key) = Authority::new().issue("server");
    let tls = ServerTls::from_pem(chain.as_bytes(), key.as_bytes(), None).expect("good");
    let patience = Duration::from_secs(900);
    let config =
        Config { tls: Some(tls), handshake_timeout: patience, stop_timeout: patience, ..quick() };
    let server = Server::bind("127.0.0.1:0", config).expect("a port is free");
    let server = server.serve(Echo).expect("threads");
    let mut silent = connect(server.address());
    silent.write_all(&[22, 3, 1]).expect("it reads");
    while server.counters().bytes_in < 3 {
        std::thread::sleep(Duration::from_millis(1));
    }
    let stopping = std::thread::spawn(|| server.stop());
    assert_eq!(rest(&mut silent), "");
    assert_eq!(stopping.join().expect("it stops").open, 0);
}
