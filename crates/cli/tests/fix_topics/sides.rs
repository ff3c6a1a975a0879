//! Who the two sides are: a router that connects, certificates that are compared, hours.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use trunkline_bench::folder::PrivateFolder;
use trunkline_fix::tcp::{Acceptor, ClientTls, Handle, Initiator, ServerTls, TcpConfig};
use trunkline_fix::{
    Application, Identity, MemoryStore, Message, Outbox, Refusal, Role, Session, Settings, Version,
};

use super::{Came, Serving, consume, order, report, wait_until};

/// A router's configuration with a `[[fix]]` of these lines.
fn configured(fix: &str) -> PrivateFolder {
    let folder = PrivateFolder::new().expect("a folder");
    let at = |name| folder.path().join(name);
    let text = format!(
        "listen.native = \"tcp://127.0.0.1:0\"\nlisten.http = \"off\"\nlisten.websocket = \"off\"\n\
         [journal]\ndirectory = {:?}\nsegment_bytes = \"4 MiB\"\n\
         [tls]\ncertificate = {:?}\nkey = {:?}\nclient_ca = {:?}\n\
         [[fix]]\nstore = {:?}\n{fix}",
        at("journal"),
        at("BANK.pem"),
        at("BANK.key"),
        at("authority.pem"),
        at("fix")
    );
    fs::write(at("trunkline.toml"), text).expect("a file");
    certify(folder.path());
    folder
}

/// An authority in `authority.pem`, and of it, for each name, a certificate for the loopback in `NAME.pem` with its key.
fn certify(folder: &Path) {
    let mut params = CertificateParams::new(Vec::new()).expect("no names");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key"));
    let authority = authority.expect("it signs itself");
    fs::write(folder.join("authority.pem"), authority.pem()).expect("a file");
    for name in ["BANK", "FUND", "DESK", "VENUE"] {
        let key = KeyPair::generate().expect("a key");
        let mut params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).expect("a name");
        params.distinguished_name.push(DnType::CommonName, name);
        let own = params.signed_by(&key, &authority).expect("it is signed");
        fs::write(folder.join(format!("{name}.pem")), own.pem()).expect("a file");
        let file = folder.join(format!("{name}.key"));
        fs::write(&file, key.serialize_pem()).expect("a file");
        let owner = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        fs::set_permissions(&file, owner).expect("a file");
    }
}

/// Keeps what came, of the session too, and why it ended.
#[derive(Clone, Default)]
struct Log {
    came: Arc<Mutex<Vec<Came>>>,
    ended: Arc<Mutex<Vec<String>>>,
}

impl Log {
    fn keep(&self, message: Message<'_>) {
        let text = String::from_utf8(message.bytes().to_vec()).expect("text");
        self.came.lock().expect("nobody panics").push(Came(text));
    }

    /// The first message of a type, once it is there.
    fn first(&self, message_type: &str) -> Came {
        let find = || {
            let came = self.came.lock().expect("nobody panics");
            came.iter().find(|it| it.get("35") == Some(message_type)).cloned()
        };
        wait_until(&format!("35={message_type} comes"), || find().is_some());
        find().expect("it is there")
    }
}

impl Application for Log {
    fn message(&mut self, message: Message<'_>, _outbox: &mut Outbox) -> Result<(), Refusal> {
        self.keep(message);
        Ok(())
    }

    fn administrative(&mut self, message: Message<'_>) {
        self.keep(message);
    }

    fn logged_out(&mut self, reason: &str) {
        self.ended.lock().expect("nobody panics").push(reason.to_owned());
    }

    fn not_connected(&mut self, error: &std::io::Error) {
        self.ended.lock().expect("nobody panics").push(error.to_string());
    }
}

fn session(role: Role, own: &str, other: &str, log: Log) -> Handle {
    let settings = Settings::new(role, Identity::new(Version::Fix44, own, other));
    Handle::new(Session::new(settings, None, Box::new(MemoryStore::default())), log)
}

/// A customer who connects with somebody's certificate.
fn customer(
    folder: &Path,
    serving: &Serving,
    name: &str,
    certificate: &str,
    log: Log,
) -> Initiator {
    let files = ["pem", "key"].map(|it| folder.join(format!("{certificate}.{it}")));
    let trusted = folder.join("authority.pem");
    let tls = ClientTls::from_files(Some(&trusted), Some((&files[0], &files[1])));
    let config = TcpConfig { client_tls: Some(tls.expect("files")), ..TcpConfig::default() };
    let session = session(Role::Initiator, name, "BANK", log);
    Initiator::start(&serving.fix, session, config).expect("a thread")
}

#[test]
fn a_router_connects_to_a_venue_and_is_its_customer() {
    let log = Log::default();
    let venue = session(Role::Acceptor, "VENUE", "BANK", log.clone());
    let folder = PrivateFolder::new().expect("a folder");
    certify(folder.path());
    let files = ["VENUE.pem", "VENUE.key", "authority.pem"].map(|it| folder.path().join(it));
    let tls = ServerTls::from_files(&files[0], &files[1], None).expect("files");
    let config = TcpConfig { server_tls: Some(tls), ..TcpConfig::default() };
    let refused = Arc::new(|_, why: &str| eprintln!("{why}"));
    let venue = Acceptor::start("127.0.0.1:0", [venue], config, refused).expect("a port");
    let logon = folder.path().join("logon");
    fs::write(&logon, "553=anna\n554=secret\n").expect("a file");
    let configured = configured(&format!(
        "connect = \"{}\"\ntls = true\nca = {:?}\nlogon = {logon:?}\nheartbeat = \"7s\"\nsender = \"BANK\"\n\
         targets = [\"VENUE\"]\n\
         [[fix.rule]]\nmessages = [\"8\"]\ntopic = \"executions/{{Symbol}}\"\n\
         [[fix.send]]\ntopics = \"orders/{{TargetCompID}}\"",
        venue.address(),
        files[2],
    ));
    let mut serving = Serving::start(configured.path());
    let logon = log.first("A");
    let fields = ["49", "56", "108", "553", "554"].map(|it| logon.get(it));
    assert_eq!(fields, ["BANK", "VENUE", "7", "anna", "secret"].map(Some));
    let mut desk = serving.client("desk");
    desk.consume(&super::Consume {
        start: super::Start::All,
        ..super::Consume::durable("desk", "executions/>")
    })
    .expect("a durable subscription");
    desk.producer("desk").expect("a producer");
    let topic = desk.topic("orders/VENUE").expect("a topic");
    let sent = format!("35=D\u{1}{}", order("a-1", "INTC"));
    desk.store(topic, super::format::FIX, sent.as_bytes()).expect("it is stored");
    assert_eq!(log.first("D").get("11"), Some("a-1"));
    let identity = Identity::new(Version::Fix44, "VENUE", "BANK");
    let session = venue.session(&identity).expect("it is there");
    let body = report("a-1");
    session.send("8", body.trim_start_matches("35=8\u{1}").as_bytes()).expect("it is kept");
    let (topic, came) = consume(&mut desk, 1).remove(0);
    assert_eq!((topic.as_str(), came.get("11")), ("executions/INTC", Some("a-1")));
    serving.stop();
    assert_eq!(log.first("5").get("58"), Some("the router stops"));
}

#[test]
fn who_logs_on_has_the_certificate_of_that_side() {
    let folder = configured(
        "listen = \"127.0.0.1:0\"\ntls = true\nsender = \"BANK\"\ntargets = [\"FUND\", \"DESK\"]\n\
         certificates = { FUND = \"CN=FUND\", DESK = \"CN=D*\" }\n\
         [[fix.send]]\ntopics = \"reports/{TargetCompID}\"",
    );
    let serving = Serving::start(folder.path());
    for (name, certificate) in [("FUND", "DESK"), ("DESK", "FUND")] {
        let log = Log::default();
        let other = customer(folder.path(), &serving, name, certificate, log.clone());
        wait_until("it is refused", || !log.ended.lock().expect("nobody panics").is_empty());
        assert!(!other.session().is_logged_on(), "{name} with the certificate of {certificate}");
        let came = log.came.lock().expect("nobody panics");
        assert!(came.is_empty(), "nobody says who is there: {came:?}");
    }
    for name in ["FUND", "DESK"] {
        let own = customer(folder.path(), &serving, name, name, Log::default());
        wait_until("it logs on", || own.session().is_logged_on());
    }
}

#[test]
fn outside_of_its_hours_a_session_says_when_they_begin() {
    let hour = |from_now: u64| {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        format!("{:02}:00", (since.expect("after 1970").as_secs() / 3600 + from_now) % 24)
    };
    let at = |from, to| {
        configured(&format!(
            "listen = \"127.0.0.1:0\"\ntls = true\nsender = \"BANK\"\ntargets = [\"FUND\"]\n\
             hours = \"daily {}-{} UTC\"\n[[fix.send]]\ntopics = \"reports\"",
            hour(from),
            hour(to)
        ))
    };
    let folder = at(22, 4);
    let serving = Serving::start(folder.path());
    let open = customer(folder.path(), &serving, "FUND", "FUND", Log::default());
    wait_until("it logs on", || open.session().is_logged_on());
    let folder = at(2, 3);
    let serving = Serving::start(folder.path());
    let log = Log::default();
    let _closed = customer(folder.path(), &serving, "FUND", "FUND", log.clone());
    let why = log.first("5").get("58").expect("a reason").to_owned();
    assert!(why.contains("outside of the session's hours, which begin in "), "{why}");
}

/// FIX 4.1 has no BusinessMessageReject.
#[test]
fn what_is_not_taken_of_fix_4_1_is_rejected() {
    let folder = configured(
        "listen = \"127.0.0.1:0\"\nversion = \"FIX.4.1\"\nsender = \"BANK\"\ntargets = [\"FUND\"]\n\
         [[fix.rule]]\nmessages = [\"D\"]\ntopic = \"orders/{Symbol}\"",
    );
    let file = folder.path().join("trunkline.toml");
    let text = fs::read_to_string(&file).expect("a file");
    let limited = format!(
        "{text}\n[[access.rule]]\nwho = \"*\"\nallow = \"all\"\n[[access.rule]]\nwho = \"*\"\ndeny = \"store\"\ntopics = \"orders/MSFT\"\n"
    );
    fs::write(&file, limited).expect("a file");
    let serving = Serving::start(folder.path());
    let log = Log::default();
    let identity = Identity::new(Version::Fix41, "FUND", "BANK");
    let settings = Settings::new(Role::Initiator, identity);
    let session = Session::new(settings, None, Box::new(MemoryStore::default()));
    let fund = Handle::new(session, log.clone());
    let _connected = Initiator::start(&serving.fix, fund.clone(), TcpConfig::default());
    wait_until("it logs on", || fund.is_logged_on());
    for (id, symbol) in [("a-1", "INTC"), ("a-2", "MSFT"), ("a-3", "INTC")] {
        fund.send("D", order(id, symbol).as_bytes()).expect("it is kept");
    }
    let rejected = log.first("3");
    assert_eq!(rejected.get("45"), Some("3"), "{rejected:?}");
    assert!(rejected.get("58").is_some_and(|it| it.contains("orders/MSFT")), "{rejected:?}");
    let mut gateway = serving.client("gateway");
    let orders = super::Consume::durable("gateway", "orders/>");
    gateway.consume(&super::Consume { start: super::Start::All, ..orders }).expect("it is there");
    let ids: Vec<_> = consume(&mut gateway, 2).into_iter().map(|it| it.1).collect();
    assert_eq!(ids.iter().map(|it| it.get("11")).collect::<Vec<_>>(), [Some("a-1"), Some("a-3")]);
}
