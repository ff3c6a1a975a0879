//! Sessions over TLS: who is let in, who is told why not, and who holds up nobody.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use trunkline_fix::tcp::{Acceptor, ClientTls, Handle, Initiator, ServerTls, TcpConfig};
use trunkline_fix::{
    Application, Identity, MemoryStore, Message, Outbox, Refusal, Role, Session, Settings, Version,
};

const PATIENCE: Duration = Duration::from_secs(60);

/// Who signs certificates.
struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    fn new(name: &str) -> Self {
        let mut params = CertificateParams::new(Vec::new()).expect("no names");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, name);
        let key = KeyPair::generate().expect("a key");
        Self(CertifiedIssuer::self_signed(params, key).expect("it signs itself"))
    }

    fn pem(&self) -> Vec<u8> {
        self.0.pem().into_bytes()
    }

    /// A certificate for the loopback, and its key.
    fn issue(&self) -> (Vec<u8>, Vec<u8>) {
        let key = KeyPair::generate().expect("a key");
        let params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).expect("names");
        let certificate = params.signed_by(&key, &self.0).expect("it is signed");
        (certificate.pem().into_bytes(), key.serialize_pem().into_bytes())
    }

    fn server(&self, clients: Option<&Self>) -> ServerTls {
        let (chain, key) = self.issue();
        let clients = clients.map(Self::pem);
        ServerTls::from_pem(&chain, &key, clients.as_deref()).expect("a certificate")
    }

    /// A client that trusts this one, and shows a certificate of another.
    fn client(&self, own: Option<&Self>) -> ClientTls {
        let own = own.map(Self::issue);
        let own = own.as_ref().map(|(chain, key)| (&**chain, &**key));
        ClientTls::from_pem(&self.pem(), own).expect("certificates")
    }
}

/// What an application is told, and the bodies that it gets; it echoes them.
#[derive(Clone)]
struct Desk {
    echoes: bool,
    came: Sender<Vec<u8>>,
    told: Arc<Mutex<Vec<String>>>,
}

impl Application for Desk {
    fn message(&mut self, message: Message<'_>, outbox: &mut Outbox) -> Result<(), Refusal> {
        if self.echoes {
            outbox.send("B", message.body_bytes()).expect("it is logged on");
        }
        _ = self.came.send(message.body_bytes().to_vec());
        Ok(())
    }

    fn not_connected(&mut self, error: &std::io::Error) {
        self.told.lock().expect("no panic before").push(error.to_string());
    }
}

struct Side {
    handle: Handle,
    came: Receiver<Vec<u8>>,
    told: Arc<Mutex<Vec<String>>>,
}

fn side(role: Role) -> Side {
    let (own, other) = match role {
        Role::Acceptor => ("BANK", "FUND"),
        Role::Initiator => ("FUND", "BANK"),
    };
    let settings = Settings::new(role, Identity::new(Version::Fix44, own, other));
    let session = Session::new(settings, None, Box::new(MemoryStore::default()));
    let (taken, came) = channel();
    let told = Arc::default();
    let desk = Desk { echoes: role == Role::Acceptor, came: taken, told: Arc::clone(&told) };
    Side { handle: Handle::new(session, desk), came, told }
}

type Refusals = Receiver<(SocketAddr, String)>;

fn accepting(tls: ServerTls, first_timeout: Duration) -> (Acceptor, Refusals) {
    let (tell, refusals) = channel();
    let refused = Arc::new(move |peer, why: &str| _ = tell.send((peer, why.to_owned())));
    let config = TcpConfig { server_tls: Some(tls), first_timeout, ..TcpConfig::default() };
    let acceptor = Acceptor::start("127.0.0.1:0", [side(Role::Acceptor).handle], config, refused);
    (acceptor.expect("a port"), refusals)
}

fn connecting(to: &Acceptor, tls: Option<ClientTls>) -> (Side, Initiator) {
    let fund = side(Role::Initiator);
    let reconnect = Duration::from_millis(50);
    let config = TcpConfig { client_tls: tls, reconnect, ..TcpConfig::default() };
    let address = to.address().to_string();
    let initiator = Initiator::start(&address, fund.handle.clone(), config).expect("a thread");
    (fund, initiator)
}

fn body(number: usize) -> Vec<u8> {
    // Every so often one is longer than several records of TLS.
    let length = if number.is_multiple_of(997) { 100_000 } else { 100 + number % 300 };
    format!("148={number}\u{1}58={}\u{1}", "x".repeat(length)).into_bytes()
}

#[test]
fn messages_of_all_lengths_pass_between_sides_that_know_each_other() {
    let authority = Authority::new("all");
    let (acceptor, _refusals) = accepting(authority.server(Some(&authority)), PATIENCE);
    let (fund, _initiator) = connecting(&acceptor, Some(authority.client(Some(&authority))));
    const MESSAGES: usize = 10_000;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0..MESSAGES {
                // More than the sockets have room for: some of it has to wait.
                fund.handle.send("B", &body(number)).expect("it is kept");
                while fund.handle.waiting() > 4 << 20 {
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
        });
        for number in 0..MESSAGES {
            let echo = fund.came.recv_timeout(PATIENCE).expect("an echo");
            assert!(echo == body(number), "{number}: {}", String::from_utf8_lossy(&echo));
        }
    });
}

#[test]
fn who_is_not_trusted_or_does_not_speak_tls_is_refused_and_both_sides_know_why() {
    let (authority, other) = (Authority::new("one"), Authority::new("another"));
    let (acceptor, refusals) = accepting(authority.server(Some(&authority)), PATIENCE);
    let refused = || refusals.recv_timeout(PATIENCE).expect("somebody is refused").1;

    let (anonymous, initiator) = connecting(&acceptor, Some(authority.client(None)));
    assert!(refused().contains("it has shown no certificate"));
    drop(initiator);
    let (unknown, initiator) = connecting(&acceptor, Some(authority.client(Some(&other))));
    assert!(refused().contains("none of those that are trusted"));
    drop(initiator);
    assert!(!anonymous.handle.is_logged_on() && !unknown.handle.is_logged_on());
    while refusals.try_recv().is_ok() {}

    let (plain, initiator) = connecting(&acceptor, None);
    assert!(refused().contains("does not speak TLS"));
    drop((plain, initiator));

    // And the other way round: it is the acceptor who is not trusted.
    let (wary, initiator) = connecting(&acceptor, Some(other.client(Some(&authority))));
    let why = loop {
        if let Some(why) = wary.told.lock().expect("no panic before").first().cloned() {
            break why;
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    assert!(why.contains("the authority that issued the certificate is none of those"), "{why}");
    drop(initiator);
}

/// Half of a handshake, none of it, and a handshake without a Logon: they hold up nobody, and are closed.
#[test]
fn half_a_handshake_holds_up_nobody_and_is_closed() {
    let authority = Authority::new("all");
    let (acceptor, refusals) = accepting(authority.server(None), Duration::from_secs(2));
    // What a client says first, or the beginning of it.
    let name = "127.0.0.1".try_into().expect("a name");
    let mut hello = Vec::new();
    let mut client =
        rustls::ClientConnection::new(authority.client(None).config(), name).expect("a client");
    client.write_tls(&mut hello).expect("memory");
    let mut open = Vec::new();
    for part in [0, 1, hello.len() / 2, hello.len()] {
        for _ in 0..8 {
            let mut stream = TcpStream::connect(acceptor.address()).expect("a connection");
            stream.write_all(&hello[..part]).expect("it is sent");
            open.push(stream);
        }
    }
    let silent = TcpStream::connect(acceptor.address()).expect("a connection");
    let silent = authority.client(None).connect("127.0.0.1", silent).expect("a handshake");
    let (fund, _initiator) = connecting(&acceptor, Some(authority.client(None)));
    fund.handle.send("B", &body(1)).expect("it is kept");
    assert_eq!(fund.came.recv_timeout(PATIENCE).expect("an echo"), body(1));
    let mut count = 0;
    for mut stream in open.into_iter().chain([silent.sock]) {
        // Without the end of the connection this would never return.
        _ = stream.read_to_end(&mut Vec::new());
        let why = refusals.recv_timeout(PATIENCE).expect("it is told").1;
        count += usize::from(why.contains("not done in time"));
        assert!(why.contains("in time"), "{why}");
    }
    assert_eq!(count, 32);
    fund.handle.send("B", &body(2)).expect("it is up");
    assert_eq!(fund.came.recv_timeout(PATIENCE).expect("an echo"), body(2));
}

/// Who closes says so, as TLS asks for: the other side can tell the end from a connection that was cut.
#[test]
fn the_end_of_a_session_is_the_end_of_tls() {
    let authority = Authority::new("all");
    let (acceptor, refusals) = accepting(authority.server(None), PATIENCE);
    let stream = TcpStream::connect(acceptor.address()).expect("a connection");
    let mut stream = authority.client(None).connect("127.0.0.1", stream).expect("a handshake");
    stream.write_all(b"GET / HTTP/1.1\r\n\r\n").expect("it is sent");
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).expect("an end in order");
    assert!(rest.is_empty());
    let why = refusals.recv_timeout(PATIENCE).expect("it is told").1;
    assert!(why.contains("no message of FIX"), "{why}");
}
