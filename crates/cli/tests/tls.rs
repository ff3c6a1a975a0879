//! A router with TLS as its users meet it: verbs, reloading, the log; and what idle clients cost.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DistinguishedName, DnType, IsCa, KeyPair,
};
use trunkline_client::ClientTls;
use trunkline_lab::customer_services::web_service::service;
use trunkline_native as native;
use trunkline_reactor::Stream;
use trunkline_session::soap::{Config, Server, ServerTls};

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
        params.distinguished_name = DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, name);
        let certificate = params.signed_by(&own, &self.0).expect("it is signed");
        (certificate.pem(), own.serialize_pem())
    }
}

/// A folder with certificates and a configuration, which goes with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, authority: &Authority) -> Self {
        let folder = std::env::temp_dir().join(format!("trunkline-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let it = Self(folder);
        it.file("ca.pem", &authority.0.pem());
        it.set("router", authority);
        it.set("client", authority);
        it
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        fs::write(&path, text).expect("a file");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("its owner may");
        path.to_str().expect("a path of text").to_owned()
    }

    fn set(&self, name: &str, authority: &Authority) {
        let (chain, key) = authority.issue(name);
        self.file(&format!("{name}.pem"), &chain);
        self.file(&format!("{name}.key"), &key);
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("a path of text").to_owned()
    }

    /// A configuration of a router with TLS, and with these lines of `[tls]`.
    fn config(&self, more: &str) -> String {
        let text = format!(
            "listen.native = [\"tls://127.0.0.1:0\"]\nlisten.websocket = \"off\"\n\
             listen.http = \"127.0.0.1:0\"\nrouter.keepalive = \"1h\"\n\
             [tls]\nhttp = true\ncertificate = {:?}\nkey = {:?}\n{more}\n",
            self.path("router.pem"),
            self.path("router.key"),
        );
        self.file("trunkline.toml", &text)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A router as a process; it is killed when the test ends before it does.
struct Router {
    child: Child,
    log: Receiver<String>,
    native: String,
    http: String,
}

impl Router {
    fn start(config: &str) -> Self {
        let mut child = command(&["serve", "--config", config])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let errors = BufReader::new(child.stderr.take().expect("a pipe"));
        let (lines, log) = mpsc::channel();
        thread::spawn(move || {
            errors.lines().map_while(Result::ok).try_for_each(|it| lines.send(it))
        });
        let out = BufReader::new(child.stdout.take().expect("a pipe"));
        let (mut native, mut http) = (String::new(), String::new());
        for line in out.lines().map_while(Result::ok) {
            if let Some(at) = line.strip_prefix("listening native ") {
                native = at.to_owned();
            } else if let Some(at) = line.strip_prefix("listening http ") {
                http = at.trim_end_matches('/').to_owned();
            } else if line == "ready" {
                return Self { child, log, native, http };
            }
        }
        child.wait().expect("it has ended");
        panic!("it ends before it is ready: {:?}", log.try_iter().collect::<Vec<_>>());
    }

    /// Waits for a line of the log with this text.
    fn logged(&self, text: &str) -> String {
        loop {
            let line = self.log.recv_timeout(PATIENCE).expect(text);
            if line.contains(text) {
                return line;
            }
        }
    }

    fn hang_up(&self) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-HUP", &pid]).status().expect("kill runs").success());
    }

    /// Bytes of its memory.
    fn resident(&self) -> u64 {
        let path = format!("/proc/{}/status", self.child.id());
        let status = fs::read_to_string(path).expect("it runs");
        let line = status.lines().find(|it| it.starts_with("VmRSS:")).expect("Linux says it");
        let kilobytes = line.split_whitespace().nth(1).expect("a number");
        1024 * kilobytes.parse::<u64>().expect("a number")
    }
}

impl Drop for Router {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trunkline"));
    command.args(arguments).env_remove("TRUNKLINE_TO");
    command
}

fn run(arguments: &[&str]) -> Output {
    command(arguments).output().expect("the program runs")
}

/// What a program says that fails.
fn fault(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    String::from_utf8(output.stderr).expect("UTF-8")
}

#[test]
fn verbs_speak_tls_and_say_what_is_missing() {
    let authority = Authority::new();
    let folder = Folder::new("verbs", &authority);
    let ca = folder.path("ca.pem");
    let config = folder.config(&format!("client_ca = {ca:?}"));
    assert!(run(&["config", "check", &config]).status.success());
    let router = Router::start(&config);
    assert!(router.native.starts_with("tls://") && router.http.starts_with("https://"));
    let (chain, key) = (folder.path("client.pem"), folder.path("client.key"));
    let own = ["--ca", &ca, "--certificate", &chain, "--key", &key];
    let publish = ["pub", "--to", &router.native, "a/b", "hello"];
    assert!(run(&[publish.as_slice(), &own].concat()).status.success());
    let line = router.logged("connected");
    assert!(line.contains("tls/native"), "{line}");
    let top = ["top", "--once", "--interval", "10ms", "--to", &router.http];
    let output = run(&[top.as_slice(), &own].concat());
    assert!(String::from_utf8_lossy(&output.stdout).contains("a/b"), "{output:?}");
    let durables = ["durable", "list", "--to", &router.http];
    assert!(run(&[durables.as_slice(), &own].concat()).status.success());

    // Without --ca those are trusted whom the system trusts.
    for verb in [&publish[..], &top, &durables] {
        let text = fault(verb);
        let words = ["the system trusts", "none of those that are trusted"];
        assert!(words.iter().any(|it| text.contains(it)), "{verb:?}: {text}");
    }
    let text = fault(&[publish.as_slice(), &["--ca", &ca]].concat());
    assert!(text.contains("wants a certificate"), "{text}");
    let line = router.logged("shown no certificate");
    assert!(line.contains("a connection has failed") && line.contains("tls://"), "{line}");
    let text = fault(&[publish.as_slice(), &["--ca", "nowhere.pem"]].concat());
    assert!(text.contains("nowhere.pem: "), "{text}");
    let plain = router.native.replace("tls://", "tcp://");
    let text = fault(&["pub", "--to", &plain, "a/b", "hello"]);
    assert!(text.contains("connect with tls://"), "{text}");
    let line = router.logged("does not speak TLS");
    assert!(line.contains("a connection has failed"), "{line}");
}

#[test]
fn a_hang_up_reads_certificates_again() {
    let (before, after) = (Authority::new(), Authority::new());
    let folder = Folder::new("hang-up", &before);
    let router = Router::start(&folder.config(""));
    let old = folder.path("ca.pem");
    let new = folder.file("new.pem", &after.0.pem());
    let publish = |ca: &str| run(&["pub", "--to", &router.native, "--ca", ca, "t", "x"]);
    let mut reader = command(&["sub", "--to", &router.native, "--ca", &old, "-n", "1", "t"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    router.logged("connected");
    folder.file("router.key", "no key");
    router.hang_up();
    let line = router.logged("nothing has changed");
    assert!(line.contains("router.key") && line.contains("BEGIN PRIVATE KEY"), "{line}");
    folder.set("router", &after);
    router.hang_up();
    router.logged("has been taken over");
    assert!(!publish(&old).status.success());
    assert!(publish(&new).status.success());
    // Who was connected has stayed.
    assert!(reader.wait().expect("it ends").success());
    let text = folder.config("client_ca = \"nowhere.pem\"");
    assert!(fault(&["config", "check", &text]).contains("nowhere.pem"));
}

/// Whom the system trusts is said by `SSL_CERT_FILE`, as OpenSSL has it, where it is set.
#[test]
fn services_are_trusted_whose_authorities_the_system_trusts() {
    let authority = Authority::new();
    let folder = Folder::new("system", &authority);
    let [chain, key] = ["router.pem", "router.key"].map(|it| PathBuf::from(folder.path(it)));
    let tls = ServerTls::from_files(&chain, &key, None).expect("PEM");
    let config = Config { tls: Some(tls), ..Config::default() };
    let server = Server::new().service(service()).config(config).start("127.0.0.1:0");
    let server = server.expect("a server");
    let url = format!("https://localhost:{}/rpc-literal", server.address().port());
    let call = |roots: &str| {
        let none = ["header=HELLO", "customers=", "products="];
        let mut call = command(&[&["soap", "call", &url, "echo"], &none[..]].concat());
        // A folder of the system would be asked, too.
        call.env("SSL_CERT_FILE", roots).env_remove("SSL_CERT_DIR").output().expect("it runs")
    };
    let output = call(&folder.path("ca.pem"));
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{out}{err}");
    assert!(out.starts_with("header = RESPONSE\n"), "{out}");
    assert!(err.starts_with(&format!("POST {url}\n")), "{err}");
    // An authority that nobody has heard of.
    let other = folder.file("other.pem", &Authority::new().0.pem());
    let output = call(&other);
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), &*output.stdout), (Some(2), &b""[..]), "{err}");
    let why = "the authority that issued the certificate is none of those that are trusted";
    assert!(err.contains(&url) && err.contains(why), "{err}");
    assert_eq!(err.lines().count(), 1, "{err}");
}

/// Bytes that a client may cost that does nothing.
const IDLE: u64 = 40_000;

#[test]
fn idle_clients_cost_little_memory() {
    let count: u64 = std::env::var("TRUNKLINE_IDLE_CLIENTS")
        .map_or(400, |it| it.parse().expect("a number of clients"));
    trunkline_http::raise_open_files(count + 256).expect("the system has so many files");
    let authority = Authority::new();
    let folder = Folder::new("idle", &authority);
    let router = Router::start(&folder.config(""));
    let tls = ClientTls::from_pem(authority.0.pem().as_bytes(), None).expect("an authority");
    let place = router.native.trim_start_matches("tls://");
    let mut hello = Vec::new();
    let name = native::Hello { version: native::VERSION, name: "idle", ..Default::default() };
    native::encode_hello(&mut hello, &name);
    let mut room = vec![0; 64 << 10];
    let mut connect = || {
        let mut stream = Stream::connect_tls(place, &tls, PATIENCE).expect("a handshake");
        assert_eq!(stream.write(&hello).expect("room"), hello.len());
        // What is ready may be a part of a record.
        while stream.read(&mut room).is_err() {
            assert!(stream.wait(true, false, Some(PATIENCE)).expect("it waits").readable);
        }
        stream
    };
    let _warm: Vec<Stream> = (0..20).map(|_| connect()).collect();
    let before = router.resident();
    let _idle: Vec<Stream> = (0..count).map(|_| connect()).collect();
    let each = router.resident().saturating_sub(before) / count;
    println!("{count} idle clients: {each} bytes each, {} in all", router.resident());
    assert!(each < IDLE, "{each} bytes each");
}
