//! Security headers as users of services and clients see them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use trunkline_message::Message;
use trunkline_session::soap::ws_security::{Authorities, Guard, Seal, SigningKey};
use trunkline_session::soap::{
    Attachments, Binding, CallError, Client, ClientConfig, Context, Fault, MessageEncoding,
    Running, Server, Service,
};
use trunkline_wire::Timestamp;

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Word {
    text: String,
    octets: Vec<u8>,
}

/// A service, and how often its function was called.
fn serve(guard: Guard, seal: Option<Seal>) -> (Running, Arc<AtomicUsize>) {
    let calls = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&calls);
    let who = move |word: Word, context: &mut Context| {
        count.fetch_add(1, Ordering::Relaxed);
        if word.text == "fail" {
            return Err(Fault::sender("as you wish"));
        }
        let text = format!("{} of {}", word.text, context.identity().unwrap_or("nobody"));
        Ok(Word { text, octets: word.octets })
    };
    let mut service = Service::new("Words", "urn:words").operation("who", who).ws_security(guard);
    if let Some(seal) = seal {
        service = service.ws_security_of_answers(seal);
    }
    let server = Server::new().service(service).start("127.0.0.1:0").expect("a server");
    (server, calls)
}

fn client(server: &Running, scheme: &str) -> Client {
    let url = format!("{scheme}://{}/", server.address());
    let binding = Binding::document_literal();
    Client::with(&url, "urn:words", binding, ClientConfig::default()).expect("a client")
}

fn said(client: &mut Client, text: &str) -> Result<String, String> {
    let word = Word { text: text.to_owned(), octets: vec![7; 5000] };
    match client.call::<_, Word>("who", &word) {
        Ok(answer) => {
            assert_eq!(answer.octets, word.octets);
            Ok(answer.text)
        }
        Err(CallError::Fault(fault)) => {
            let code = fault.subcodes.last().map_or("none", |it| &it.local);
            Err(format!("{code}: {}", fault.reason))
        }
        Err(other) => Err(other.to_string()),
    }
}

struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).expect("no names");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, "authority");
        let key = KeyPair::generate().expect("a key");
        Self(CertifiedIssuer::self_signed(params, key).expect("it signs itself"))
    }

    fn seal(&self, name: &str) -> Seal {
        let key = KeyPair::generate().expect("a key");
        let mut params = CertificateParams::new(Vec::new()).expect("no names");
        params.distinguished_name.push(DnType::CommonName, name);
        let certificate = params.signed_by(&key, &self.0).expect("it is signed").pem();
        let key = SigningKey::from_pem(key.serialize_pem().as_bytes(), certificate.as_bytes());
        Seal::new().sign(Arc::new(key.expect("a key")))
    }

    fn guard(&self) -> Guard {
        Guard::new().signed(Authorities::from_pem(self.0.pem().as_bytes()).expect("an authority"))
    }
}

#[test]
fn a_user_is_known_by_a_password_or_its_digest() {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&asked);
    let guard = Guard::new()
        .timestamp()
        .users(move |user, password| {
            kept.lock().expect("no panic").push(user.to_owned());
            (user, password) == ("ann", " l\u{f6}we & <1>\t")
        })
        .passwords(|user| (user == "bob").then(|| "secret".to_owned()));
    let (server, calls) = serve(guard, None);
    for scheme in ["http", "vnd.sun.ws.tcp"] {
        let mut client = client(&server, scheme);
        let error = said(&mut client, "hello").expect_err("no header");
        assert!(error.starts_with("InvalidSecurity: a Security header is needed"), "{error}");
        for (seal, expected) in [
            (Seal::new().user("ann", " l\u{f6}we & <1>\t").timestamp(None), Ok("hello of ann")),
            (Seal::new().user_digest("bob", "secret").timestamp(None), Ok("hello of bob")),
            (Seal::new().user("ann", "l\u{f6}we").timestamp(None), Err("FailedAuthentication")),
            (Seal::new().user_digest("bob", "").timestamp(None), Err("FailedAuthentication")),
            (Seal::new().user_digest("eve", "").timestamp(None), Err("FailedAuthentication")),
            (Seal::new().timestamp(None), Err("FailedAuthentication")),
            (Seal::new().user("ann", " l\u{f6}we & <1>\t"), Err("InvalidSecurity: a Timestamp")),
            (Seal::new(), Err("InvalidSecurity: a Timestamp")),
        ] {
            let shown = format!("{seal:?}");
            assert!(!shown.contains("we &") && !shown.contains("secret"), "{shown}");
            client.set_ws_security(seal);
            for _ in 0..2 {
                match (said(&mut client, "hello"), expected) {
                    (Ok(answer), Ok(expected)) => assert_eq!(answer, expected, "{shown}"),
                    (Err(error), Err(code)) => assert!(error.starts_with(code), "{shown}: {error}"),
                    (other, _) => panic!("{scheme} {shown}: {other:?}"),
                }
            }
        }
    }
    assert_eq!(calls.load(Ordering::Relaxed), 8, "nothing is called for who is rejected");
    assert!(asked.lock().expect("no panic").iter().all(|it| it == "ann"));
}

#[test]
fn a_header_goes_in_every_encoding_and_octets_stay_in_the_envelope() {
    let guard = || Guard::new().passwords(|_| Some("secret".to_owned())).timestamp();
    let (server, _) = serve(guard(), None);
    for encoding in MessageEncoding::ALL {
        for scheme in ["http", "vnd.sun.ws.tcp"] {
            let mut client = client(&server, scheme);
            client.set_encoding(encoding);
            client.set_optimistic(true);
            client.set_ws_security(Seal::new().user_digest("ann", "secret").timestamp(None));
            for _ in 0..3 {
                let answer = said(&mut client, "hello");
                assert_eq!(answer.as_deref(), Ok("hello of ann"), "{encoding:?} {scheme}");
            }
        }
    }
    let mut client = client(&server, "http");
    client.set_attachments(Attachments::Mtom, 100).expect("over HTTP");
    client.set_ws_security(Seal::new().user_digest("ann", "secret").timestamp(None));
    assert_eq!(said(&mut client, "hello").as_deref(), Ok("hello of ann"));
    client.set_ws_security(None);
    assert!(said(&mut client, "hello").is_err());
}

/// Answers that were plain before are looked at once something is expected of them.
#[test]
fn what_is_expected_later_is_expected_of_every_encoding() {
    let (server, _) = serve(Guard::new(), None);
    for scheme in ["http", "vnd.sun.ws.tcp"] {
        for encoding in MessageEncoding::ALL {
            let mut client = client(&server, scheme);
            client.set_encoding(encoding);
            client.set_optimistic(true);
            for _ in 0..3 {
                assert_eq!(said(&mut client, "hello").as_deref(), Ok("hello of nobody"));
            }
            client.expect_ws_security(Guard::new().timestamp());
            let error = said(&mut client, "hello").expect_err("no header");
            assert!(
                error.contains("a Security header is needed"),
                "{encoding:?} {scheme}: {error}"
            );
        }
    }
}

#[test]
fn requests_and_answers_are_signed() {
    let (authority, other) = (Authority::new(), Authority::new());
    let (server, calls) = serve(authority.guard(), Some(authority.seal("words")));
    for scheme in ["http", "vnd.sun.ws.tcp"] {
        let mut client = client(&server, scheme);
        client.set_ws_security(authority.seal("ann"));
        let error = said(&mut client, "hello").expect_err("the answer's header is not expected");
        assert!(error.contains("Security must be understood"), "{error}");
        client.expect_ws_security(authority.guard());
        for text in ["hello", " <two> & more\r\n\t]]> "] {
            let answer = said(&mut client, text);
            assert_eq!(answer, Ok(format!("{text} of CN=ann")), "{scheme}");
        }
        assert_eq!(said(&mut client, "fail"), Err("none: as you wish".to_owned()));
        client.expect_ws_security(other.guard());
        let error = said(&mut client, "hello").expect_err("nobody trusts the service");
        assert!(
            error.starts_with("the reply's Security header: Sender (FailedAuthentication)"),
            "{error}"
        );
        let before = calls.load(Ordering::Relaxed);
        client.expect_ws_security(authority.guard());
        client.set_ws_security(other.seal("eve"));
        let error = said(&mut client, "hello").expect_err("nobody trusts the client");
        assert!(
            error.starts_with("FailedAuthentication: the certificate is not trusted"),
            "{error}"
        );
        client.set_ws_security(Seal::new().user("ann", "x").timestamp(None));
        assert!(said(&mut client, "hello").is_err());
        assert_eq!(calls.load(Ordering::Relaxed), before);
    }
    // A signature is of XML.
    let mut client = client(&server, "http");
    client.set_encoding(MessageEncoding::FastInfoset);
    client.set_optimistic(true);
    client.set_ws_security(authority.seal("ann"));
    let error = said(&mut client, "hello").expect_err("it is not signed so");
    assert!(error.contains("a signed message to be sent in XML"), "{error}");
}

fn moment(ago: Duration) -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970") - ago;
    Timestamp::from_unix_nanoseconds(since.as_nanos() as i128).expect("a moment")
}

#[test]
fn what_is_replayed_or_old_is_rejected_and_others_are_served() {
    let guard = Guard::new().passwords(|_| Some("secret".to_owned())).timestamp();
    let (server, calls) = serve(guard.remember(3), None);
    let mut client = client(&server, "http");
    let envelope = b"<E:Envelope xmlns:E='http://schemas.xmlsoap.org/soap/envelope/'><E:Body>\
        <who xmlns='urn:words'><text>hello</text><octets/></who></E:Body></E:Envelope>";
    let mut send = |seal: &Seal, ago: u64, times: usize| {
        let sealed = seal.apply(envelope, moment(Duration::from_secs(ago))).expect("a header");
        let sealed = String::from_utf8(sealed).expect("UTF-8");
        let mut last = String::new();
        for _ in 0..times {
            last = match client.call_envelope("urn:words#who", &sealed) {
                Ok(_) => "answered".to_owned(),
                Err(error) => error.to_string(),
            };
        }
        last
    };
    let seal = Seal::new().user_digest("ann", "secret").timestamp(None);
    assert_eq!(send(&seal, 0, 1), "answered");
    assert!(send(&seal, 0, 2).contains("the UsernameToken was used before"));
    assert!(send(&seal, 24 * 3600, 1).contains("(MessageExpired)"));
    // Nothing is forgotten that could come again: a third one is taken, and a fourth is not.
    assert_eq!(send(&seal, 0, 1), "answered");
    let full = send(&seal, 0, 1);
    assert!(full.contains("Receiver: so many messages came"), "{full}");
    assert_eq!(calls.load(Ordering::Relaxed), 3);
}
