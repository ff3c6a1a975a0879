//! Who may call: what a caller sees, what functions see, and who is turned away.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DistinguishedName, DnType, IsCa, KeyPair,
};
use trunkline_http::{HeaderValue, StatusCode};
use trunkline_message::Message;
use trunkline_session::soap::{
    Arrival, Binding, CallError, ClientConfig, ClientTls, Config, Context, Fault, MessageEncoding,
    Refusal, Running, Server, ServerTls, Service,
};
use trunkline_wire::Text;

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Word {
    text: Text,
}

trunkline_session::client! {
    /// A client of the service.
    struct Words in "urn:words" {
        /// Who calls, and a header of the call.
        fn who(Word) -> Word;
    }
}

fn who(word: Word, context: &mut Context) -> Result<Word, Fault> {
    let caller = context.identity().unwrap_or("nobody");
    let trace = context.http_header("x-trace").unwrap_or("-");
    let more = if context.http_headers().is_some() { "kept" } else { "not kept" };
    Ok(Word { text: format!("{}: {caller}, {trace}, {more}", word.text).as_str().into() })
}

fn server() -> Server {
    Server::new().service(
        Service::new("Words", "urn:words")
            .operation("who", who)
            .at("/words", Binding::document_literal()),
    )
}

fn words(server: &Running) -> Words {
    Words::new(&format!("http://{}/words", server.address())).expect("a client")
}

fn hello() -> Word {
    Word { text: "hello".into() }
}

/// Status, or the answer.
fn called(words: &mut Words) -> Result<String, String> {
    words.who(&hello()).map(|it| it.text.to_string()).map_err(|it| it.to_string())
}

fn head_of(address: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("a connection");
    stream.write_all(request.as_bytes()).expect("taken");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

/// RFC 7617: challenge, login, and that it is of each request and not of the connection.
#[test]
fn basic_admits_whom_the_function_knows() {
    let asked = Arc::new(AtomicUsize::new(0));
    let refused = Arc::new(Mutex::new(Vec::new()));
    let (count, turned_away) = (Arc::clone(&asked), Arc::clone(&refused));
    let server = server()
        .basic("prices \"and\" orders", move |user, password| {
            count.fetch_add(1, Ordering::Relaxed);
            (user, password) == ("ann", "l\u{f6}we:1")
        })
        .on_refusal(move |arrival, refusal| {
            let line = format!("{} {}: {}", arrival.method(), arrival.path(), refusal.reason());
            turned_away.lock().expect("no panic").push(line);
        })
        .start("127.0.0.1:0")
        .expect("a server");

    let mut words = words(&server);
    let error = called(&mut words).expect_err("no login");
    assert!(error.starts_with("HTTP status 401: a user and a password are needed"), "{error}");
    words.client().set_login("ann", "wrong").expect("a login");
    let error = called(&mut words).expect_err("the wrong password");
    assert!(error.starts_with("HTTP status 401: the user or the password is wrong"), "{error}");
    words.client().set_login("ann", "l\u{f6}we:1").expect("a login");
    for _ in 0..3 {
        assert_eq!(called(&mut words).expect("an answer"), "hello: ann, -, not kept");
    }
    // A login is asked about once; another one on the same connection is another one.
    assert_eq!(asked.load(Ordering::Relaxed), 2);
    words.client().set_login("bob", "l\u{f6}we:1").expect("a login");
    assert!(called(&mut words).is_err());
    assert_eq!(asked.load(Ordering::Relaxed), 3);

    let wsdl = "GET /words?wsdl HTTP/1.1\r\nHost: x\r\nConnection: close\r\n";
    let answer = head_of(server.address(), &format!("{wsdl}\r\n"));
    assert!(answer.starts_with("HTTP/1.1 401 "), "{answer}");
    let challenge = "www-authenticate: basic realm=\"prices and orders\", charset=\"utf-8\"";
    assert!(answer.to_lowercase().contains(challenge), "{answer}");
    let answer = head_of(server.address(), &format!("{wsdl}Authorization: Digest x\r\n\r\n"));
    assert!(answer.contains("no login of the scheme Basic: it is of another scheme"), "{answer}");
    let login = "Authorization: basic YW5uOmzDtndlOjE=\r\n\r\n";
    assert!(head_of(server.address(), &format!("{wsdl}{login}")).starts_with("HTTP/1.1 200 "));

    let refused = refused.lock().expect("no panic");
    assert_eq!(refused[0], "POST /words: a user and a password are needed");
    assert_eq!(refused[3], "GET /words: a user and a password are needed");
    assert_eq!(refused.len(), 5);
}

/// The rule decides about every way to the services, and what panics opens none.
#[test]
fn a_rule_sees_every_request_and_says_who_calls() {
    let rule = |arrival: &Arrival<'_>| match arrival.header("x-token") {
        Some("17") => Ok(Some("desk 17".to_owned())),
        Some("panic") => panic!("a defect of the rule"),
        Some(_) => Err(Refusal::forbidden("this token is not known")),
        None if arrival.headers().is_none() => {
            Err(Refusal::new(StatusCode::FORBIDDEN, "not over SOAP/TCP"))
        }
        None => {
            let challenge = HeaderValue::from_static("Token realm=\"words\"");
            Err(Refusal::unauthorized(&challenge, "a token is needed"))
        }
    };
    let server =
        server().before(rule).keep_http_headers().metrics_at("/metrics").start("127.0.0.1:0");
    let server = server.expect("a server");
    let mut words = words(&server);
    assert!(called(&mut words).expect_err("no token").contains("401: a token is needed"));
    for (token, words_of) in
        [("18", "403: this token is not known"), ("panic", "500: what decides who may call failed")]
    {
        words.client().set_http_header("X-Token", token).expect("a header");
        let error = called(&mut words).expect_err("no answer");
        assert!(error.contains(words_of), "{error}");
    }
    words.client().set_http_header("x-token", "17").expect("a header");
    words.client().set_http_header("X-Trace", "t1").expect("a header");
    assert_eq!(called(&mut words).expect("an answer"), "hello: desk 17, t1, kept");

    let metrics = "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    let answer = head_of(server.address(), metrics);
    assert!(answer.contains(" 401 ") && answer.contains("Token realm"), "{answer}");

    for encoding in MessageEncoding::ALL {
        let url = format!("vnd.sun.ws.tcp://{}/words", server.address());
        let mut channel = Words::new(&url).expect("a client");
        channel.client().set_encoding(encoding);
        for _ in 0..2 {
            let error = called(&mut channel).expect_err("no way around the rule");
            assert!(error.contains("not over SOAP/TCP"), "{encoding:?}: {error}");
        }
    }
}

#[test]
fn what_a_client_cannot_send_is_said_before_it_is_sent() {
    let server = server().start("127.0.0.1:0").expect("a server");
    let mut words = words(&server);
    let client = words.client();
    let mut cases = vec![
        (client.set_http_header("a b", "1"), "no name of a header"),
        (client.set_http_header("a", "1\r\nb: 2"), "its value has characters that cannot be sent"),
        (client.set_http_header("SOAPAction", ""), "the client writes it itself"),
        (client.set_login("a:b", "c"), "a user name with a colon cannot be sent"),
        (client.set_login("a", "c\n"), "a password with a control character cannot be sent"),
    ];
    let url = format!("vnd.sun.ws.tcp://{}/words", server.address());
    let mut channel = Words::new(&url).expect("a client");
    let over_channel = channel.client().set_login("ann", "secret");
    cases.push((over_channel, "SOAP/TCP carries no authorization"));
    for (result, why) in cases {
        let error = result.expect_err(why);
        assert!(matches!(error, CallError::HttpHeader(_)), "{error:?}");
        assert!(
            error.to_string().contains(why) && !error.to_string().contains("secret"),
            "{error}"
        );
    }
    assert_eq!(called(&mut words).expect("an answer"), "hello: nobody, -, not kept");
}

#[test]
fn the_log_tells_of_a_login_that_nobody_looks_at() {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&lines);
    let server = server().on_call(move |call| log.lock().expect("no panic").push(call.to_string()));
    let server = server.start("127.0.0.1:0").expect("a server");
    let mut words = words(&server);
    called(&mut words).expect("an answer");
    words.client().set_login("ann", "secret").expect("a login");
    called(&mut words).expect("an answer");
    let lines = lines.lock().expect("no panic");
    assert!(!lines[0].contains("login") && !lines[1].contains("secret"), "{lines:?}");
    assert!(lines[1].ends_with("| its login was not looked at"), "{lines:?}");
}

/// A certificate that this authority issues to who is called so, and its key, in PEM.
fn issued(authority: &CertifiedIssuer<'_, KeyPair>, name: &str) -> [String; 2] {
    let own = KeyPair::generate().expect("a key can be made");
    let mut params = CertificateParams::new(vec!["localhost".to_owned()]).expect("a name");
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::OrganizationName, "Bank");
    params.distinguished_name.push(DnType::CommonName, name);
    let certificate = params.signed_by(&own, authority).expect("it is signed");
    [certificate.pem(), own.serialize_pem()]
}

#[test]
fn a_certificate_says_who_calls() {
    let mut params = CertificateParams::new(Vec::new()).expect("no names");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().expect("a key can be made");
    let authority = CertifiedIssuer::self_signed(params, key).expect("it signs itself");
    let roots = authority.pem();
    let [chain, key] = issued(&authority, "server");
    let tls = ServerTls::from_pem(chain.as_bytes(), key.as_bytes(), Some(roots.as_bytes()));
    let config = Config { tls: Some(tls.expect("PEM")), ..Config::default() };
    let server = server().config(config).start("127.0.0.1:0").expect("a server");
    let url = format!("https://localhost:{}/words", server.address().port());
    let call = |own: Option<&[String; 2]>| {
        let own = own.map(|[chain, key]| (chain.as_bytes(), key.as_bytes()));
        let tls = ClientTls::from_pem(roots.as_bytes(), own).expect("PEM");
        let config = ClientConfig { tls: Some(tls), ..ClientConfig::default() };
        called(&mut Words::with(&url, Binding::document_literal(), config).expect("a client"))
    };
    // The subject of the certificate, as RFC 4514 writes it, of each caller its own.
    for name in ["trader 7", "desk, London"] {
        let said = call(Some(&issued(&authority, name))).expect("an answer");
        let shown = name.replace(',', "\\,");
        assert_eq!(said, format!("hello: CN={shown},O=Bank, -, not kept"));
    }
    assert!(call(None).is_err(), "nobody is let in without a certificate");
}
