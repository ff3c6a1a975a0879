//! Streams with TLS carry the same bytes as streams without, however they are cut, and end in order.

#![cfg(feature = "tls")]

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DistinguishedName, DnType, IsCa, KeyPair,
    SanType,
};
use rustix::process::{Resource, getrlimit, setrlimit};
use trunkline_random::Random;
use trunkline_reactor::{
    Address, ClientTls, Idle, Listener, NATIVE, PeerCertificate, Reactor, Stream, TlsAcceptor,
};
use trunkline_tls::{ServerTls, Versions};

/// Far more than anything here takes.
const PATIENCE: Duration = Duration::from_secs(30);

struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).expect("no names");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key can be made");
        // An authority is known by its name and its key.
        let name = format!("authority {:?}", &key.public_key_raw()[1..9]);
        params.distinguished_name.push(DnType::CommonName, name);
        Self(CertifiedIssuer::self_signed(params, key).expect("it signs itself"))
    }

    /// A certificate and its key, in PEM.
    fn issue(&self, name: &str) -> (String, String) {
        let own = KeyPair::generate().expect("a key can be made");
        let names = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
        let mut params = CertificateParams::new(names).expect("names");
        let uri = format!("spiffe://bank.example/{name}").try_into().expect("ASCII");
        params.subject_alt_names.push(SanType::URI(uri));
        params.distinguished_name = DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, name);
        let certificate = params.signed_by(&own, &self.0).expect("it is signed");
        (certificate.pem(), own.serialize_pem())
    }

    fn client(&self, own: Option<&str>) -> ClientTls {
        let own = own.map(|name| self.issue(name));
        let own = own.as_ref().map(|(chain, key)| (chain.as_bytes(), key.as_bytes()));
        ClientTls::from_pem(self.0.pem().as_bytes(), own).expect("an authority")
    }
}

/// A listener, and why connections to it failed.
struct Server {
    listener: Listener,
    reactor: Reactor,
    failures: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn new(authority: &Authority, is_mutual: bool, timeout: Duration) -> Self {
        let (chain, key) = authority.issue("router");
        let roots = authority.0.pem();
        let roots = is_mutual.then_some(roots.as_bytes());
        let credentials =
            ServerTls::with_versions(Versions::Newest, chain.as_bytes(), key.as_bytes(), roots);
        let failures = Arc::new(Mutex::new(Vec::new()));
        let failed = Arc::clone(&failures);
        let acceptor = TlsAcceptor {
            credentials: credentials.expect("good"),
            protocol: NATIVE,
            plain_answer: b"this is for TLS\n".to_vec(),
            timeout: Arc::new(AtomicU64::new(timeout.as_millis() as u64)),
            descriptors: u64::MAX,
            failed: Arc::new(move |it| failed.lock().expect("no panic").push(it.reason.clone())),
        };
        let mut listener = Listener::bind_tls("127.0.0.1:0", acceptor).expect("a port is free");
        let mut reactor = Reactor::new(Idle::Block).expect("descriptors");
        reactor.add_listener(&mut listener, 1).expect("it is watched");
        Self { listener, reactor, failures }
    }

    fn place(&self) -> String {
        let Address::Tls(place) = self.listener.address() else { panic!("it is TLS") };
        place
    }

    fn accept(&mut self) -> Stream {
        let mut events = Vec::new();
        loop {
            if let Some(stream) = self.listener.accept().expect("it accepts") {
                return stream;
            }
            self.reactor.wait(&mut events, Some(PATIENCE)).expect("it waits");
            assert!(!events.is_empty(), "nothing came: {:?}", self.failures);
        }
    }

    /// Why the next connection failed.
    fn failure(&self) -> String {
        for _ in 0..3000 {
            if let Some(reason) = self.failures.lock().expect("no panic").pop() {
                return reason;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("nothing has failed");
    }

    fn pair(&mut self, authority: &Authority) -> (Stream, Stream) {
        let tls = authority.client(None);
        let client = Stream::connect_tls(&self.place(), &tls, PATIENCE).expect("a handshake");
        (client, self.accept())
    }
}

/// Reads everything until the end.
fn rest(stream: &mut Stream) -> Result<Vec<u8>, std::io::Error> {
    let (mut all, mut room) = (Vec::new(), vec![0; 100_000]);
    loop {
        match stream.read(&mut room) {
            Ok(0) => return Ok(all),
            Ok(count) => all.extend_from_slice(&room[..count]),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                let ready = stream.wait(true, false, Some(PATIENCE)).expect("it waits");
                assert!(ready.readable, "nothing came");
            }
            Err(error) => return Err(error),
        }
    }
}

/// One direction of a connection, with a counter as its bytes.
#[derive(Default)]
struct Flow {
    written: u64,
    read: u64,
}

fn byte(at: u64) -> u8 {
    (at.wrapping_mul(2_654_435_761) >> 13) as u8
}

impl Flow {
    fn write(&mut self, stream: &mut Stream, length: usize) {
        let bytes: Vec<u8> = (0..length as u64).map(|it| byte(self.written + it)).collect();
        match stream.write(&bytes) {
            Ok(count) => self.written += count as u64,
            Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock, "{error}"),
        }
    }

    /// Reads once, and says whether something came.
    fn read(&mut self, stream: &mut Stream, room: usize) -> bool {
        let mut bytes = vec![0; room];
        match stream.read(&mut bytes) {
            Ok(count) => {
                assert!(count > 0, "it has not ended");
                for &it in &bytes[..count] {
                    assert_eq!(it, byte(self.read), "byte {}", self.read);
                    self.read += 1;
                }
                true
            }
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::WouldBlock, "{error}");
                stream.has_more()
            }
        }
    }
}

#[test]
fn bytes_are_the_same_however_they_are_cut() {
    let authority = Authority::new();
    for seed in 0..12 {
        let mut random = Random::new(seed);
        let mut server = Server::new(&authority, false, PATIENCE);
        let (mut client, mut routed) = server.pair(&authority);
        if seed % 3 == 0 {
            // What is accepted has to be held now and then.
            routed.set_send_buffer(4096).expect("a size");
            client.set_receive_buffer(4096).expect("a size");
        }
        if seed % 4 == 0 {
            routed.bound_buffers().expect("a size");
        }
        let (mut to_router, mut to_client) = (Flow::default(), Flow::default());
        for _ in 0..400 {
            let most = random.pick(&[1, 5, 300, 5_000, 70_000, 200_000]);
            let length = 1 + random.index(most);
            match random.below(5) {
                0 => to_router.write(&mut client, length),
                1 => to_client.write(&mut routed, length),
                2 => _ = to_router.read(&mut routed, length),
                3 => _ = to_client.read(&mut client, length),
                _ => _ = routed.flush().expect("it is connected"),
            }
        }
        // What is there comes, each side waiting as it does.
        while to_router.read < to_router.written || to_client.read < to_client.written {
            let room = 1 + random.index(150_000);
            client.flush().expect("it is connected");
            routed.flush().expect("it is connected");
            to_router.read(&mut routed, room);
            to_client.read(&mut client, room);
        }
        assert!(!to_router.read(&mut routed, 1 << 20) && !to_client.read(&mut client, 1 << 20));
        assert!(!client.is_holding() && !routed.is_holding());
    }
}

#[test]
fn who_reads_nothing_is_sent_two_records_more_than_has_room_and_no_more() {
    let authority = Authority::new();
    let mut server = Server::new(&authority, false, PATIENCE);
    let (mut client, mut routed) = server.pair(&authority);
    let mut flow = Flow::default();
    // The system may find more room a little later.
    let mut accepted = None;
    while !routed.is_holding() || accepted != Some(flow.written) {
        accepted = Some(flow.written);
        std::thread::sleep(Duration::from_millis(50));
        flow.write(&mut routed, 1 << 20);
    }
    let accepted = flow.written;
    for _ in 0..10 {
        assert!(!routed.flush().expect("it is connected"));
        flow.write(&mut routed, 1 << 20);
    }
    assert_eq!(flow.written, accepted, "nothing is accepted while something is held");
    // Waiting for bytes sends what is held.
    routed.finish().expect("it is connected");
    let reader = std::thread::spawn(move || rest(&mut client));
    while !routed.flush().expect("it is connected") {
        routed.wait(false, true, Some(PATIENCE)).expect("it waits");
    }
    let all = reader.join().expect("no panic").expect("an end in order");
    assert_eq!(all.len() as u64, accepted);
    assert!(all.iter().enumerate().all(|(at, it)| *it == byte(at as u64)));
}

#[test]
fn an_end_in_order_is_told_from_one_that_is_not() {
    let authority = Authority::new();
    let mut server = Server::new(&authority, false, PATIENCE);
    // The client says that it has ended, in the one way or the other.
    let (mut client, mut routed) = server.pair(&authority);
    client.write(b"last").expect("room");
    drop(client);
    assert_eq!(rest(&mut routed).expect("an end in order"), b"last");

    let (mut client, mut routed) = server.pair(&authority);
    client.write(b"last").expect("room");
    client.finish().expect("it is connected");
    assert_eq!(rest(&mut routed).expect("an end in order"), b"last");
    // The other direction goes on.
    routed.write(b"answer").expect("room");
    routed.finish().expect("it is connected");
    assert_eq!(rest(&mut client).expect("an end in order"), b"answer");

    // A server that drops a stream has not ended it.
    let (mut client, mut routed) = server.pair(&authority);
    routed.write(b"half").expect("room");
    drop(routed);
    let error = rest(&mut client).expect_err("no end in order");
    assert_eq!(error.kind(), ErrorKind::UnexpectedEof);
    assert!(error.to_string().contains("close_notify"), "{error}");
}

#[test]
fn the_names_of_a_client_come_with_its_stream_and_others_do_not_come() {
    let authority = Authority::new();
    let mut server = Server::new(&authority, true, PATIENCE);
    let tls = authority.client(Some("pricing"));
    let _client = Stream::connect_tls(&server.place(), &tls, PATIENCE).expect("a handshake");
    let stream = server.accept();
    assert_eq!(stream.transport(), "tls");
    let names = PeerCertificate {
        subject: "CN=pricing".to_owned(),
        dns_names: vec!["localhost".to_owned()],
        uris: vec!["spiffe://bank.example/pricing".to_owned()],
    };
    assert_eq!(stream.certificate(), Some(names));

    // With TLS 1.3 a client has sent its certificate before it is told what is wrong with it.
    let mut anonymous = Stream::connect_tls(&server.place(), &authority.client(None), PATIENCE)
        .expect("the first half");
    let error = rest(&mut anonymous).expect_err("it is not let in").to_string();
    assert!(error.contains("wants a certificate"), "{error}");
    assert!(server.failure().contains("shown no certificate"));

    let other = Authority::new();
    let own = other.issue("pricing");
    let own = Some((own.0.as_bytes(), own.1.as_bytes()));
    let tls = ClientTls::from_pem(authority.0.pem().as_bytes(), own).expect("good");
    let mut foreign = Stream::connect_tls(&server.place(), &tls, PATIENCE).expect("the first half");
    let error = rest(&mut foreign).expect_err("it is not let in").to_string();
    assert!(error.contains("authority of this one's certificate"), "{error}");
    server.failure();
}

#[test]
fn handshakes_that_go_wrong_are_told_apart_and_delay_nobody() {
    let authority = Authority::new();
    let mut server = Server::new(&authority, false, Duration::from_millis(300));
    let connect = |server: &Server| {
        let stream = TcpStream::connect(server.place()).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time-out");
        stream
    };
    let read = |stream: &mut TcpStream| {
        let mut all = Vec::new();
        stream.read_to_end(&mut all).expect("an end");
        all
    };
    let mut silent = connect(&server);
    let mut half = connect(&server);
    half.write_all(&[22, 3, 1, 2, 0, 1, 0]).expect("room");
    // Others are served while these wait.
    let (client, _routed) = server.pair(&authority);
    drop(client);
    assert!(read(&mut silent).is_empty() && read(&mut half).is_empty());
    for _ in 0..2 {
        assert!(server.failure().contains("router.handshake_timeout"));
    }
    let mut plain = connect(&server);
    plain.write_all(b"TRNK and more").expect("room");
    assert_eq!(read(&mut plain), b"this is for TLS\n");
    assert!(server.failure().contains("does not speak TLS"));
    let mut garbage = connect(&server);
    garbage.write_all(&[22, 3, 1, 0, 5, 77, 0, 0, 1, 0]).expect("room");
    assert_eq!(read(&mut garbage)[..2], [21, 3], "an alert");
    assert!(server.failure().contains("TLS: "), "what is wrong is said");
    // A record that is longer than any may be.
    let mut long = connect(&server);
    long.write_all(&[22, 3, 1, 255, 255]).expect("room");
    assert_eq!(read(&mut long)[..2], [21, 3], "an alert");
    server.failure();
    drop(connect(&server));
    assert!(server.failure().contains("ended before"));
}

#[test]
fn a_flood_of_silent_clients_keeps_nobody_out() {
    // Both ends are of this process, which may begin with a limit of 1,024.
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit).expect("up to the hard limit");
    let authority = Authority::new();
    let mut server = Server::new(&authority, false, PATIENCE);
    let flood: Vec<_> =
        (0..1500).map(|_| TcpStream::connect(server.place()).expect("a connection")).collect();
    let (mut client, mut routed) = server.pair(&authority);
    client.write(b"served").expect("room");
    client.finish().expect("it is connected");
    assert_eq!(rest(&mut routed).expect("an end"), b"served");
    assert!(server.failure().contains("slowest of many"));
    drop(flood);
}

#[test]
fn what_a_client_cannot_trust_is_said() {
    let (authority, other) = (Authority::new(), Authority::new());
    let server = Server::new(&authority, false, PATIENCE);
    let connect = |place: &str, tls: &ClientTls| {
        Stream::connect_tls(place, tls, PATIENCE).expect_err("it is not trusted").to_string()
    };
    let error = connect(&server.place(), &other.client(None));
    assert!(error.contains("UnknownIssuer") && error.contains("tls://127.0.0.1:"), "{error}");
    let named = authority.client(None).with_server_name("elsewhere.example").expect("a name");
    let error = connect(&server.place(), &named);
    assert!(error.contains("certificate") && error.contains("elsewhere.example"), "{error}");
    // A listener without TLS.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let place = listener.local_addr().expect("it listens").to_string();
    let answers = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a connection");
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").expect("room");
    });
    let error = connect(&place, &authority.client(None));
    assert!(error.contains("does not speak TLS"), "{error}");
    answers.join().expect("no panic");
}
