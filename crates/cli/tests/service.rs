//! `trunkline serve` below a service manager: this test is one.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use trunkline_client::{Client, Options};

const PATIENCE: Duration = Duration::from_secs(30);

/// A router, killed when the test ends before it does.
struct Router(Child);

impl Drop for Router {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Router {
    fn signal(&self, name: &str) {
        let id = self.0.id().to_string();
        assert!(Command::new("kill").args([name, &id]).status().expect("kill runs").success());
    }

    /// Where it says that it listens, until it is ready.
    fn listening(&mut self) -> Vec<String> {
        let out = BufReader::new(self.0.stdout.take().expect("a pipe"));
        let lines = out.lines().map(|line| line.expect("text"));
        lines.take_while(|line| line != "ready").collect()
    }

    /// What it complains of as it ends.
    fn complaint(mut self) -> String {
        let mut text = String::new();
        self.0.stderr.take().expect("a pipe").read_to_string(&mut text).expect("text");
        assert_eq!(self.0.wait().expect("it ends").code(), Some(2), "{text}");
        text
    }
}

fn program() -> &'static str {
    env!("CARGO_BIN_EXE_trunkline")
}

/// Addresses that nobody else has.
const ANYWHERE: [&str; 6] = [
    "--listen",
    "tcp://127.0.0.1:0",
    "--listen",
    "ws://127.0.0.1:0",
    "--listen",
    "http://127.0.0.1:0",
];

fn path(name: &str) -> PathBuf {
    let path =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

/// The next thing that the service manager is told.
fn told(manager: &UnixDatagram) -> String {
    let mut bytes = [0; 4_096];
    let count = manager.recv(&mut bytes).expect("the router tells something");
    String::from_utf8(bytes[..count].to_vec()).expect("text")
}

/// Goes on to what begins so.
fn told_until(manager: &UnixDatagram, part: &str) -> String {
    loop {
        let text = told(manager);
        if text.starts_with(part) {
            return text;
        }
    }
}

fn start(notify: &str, environment: &[(&str, &str)], arguments: &[&str]) -> Router {
    let mut command = Command::new(program());
    command.arg("serve").args(arguments).env("NOTIFY_SOCKET", notify);
    command.envs(environment.iter().copied()).stdout(Stdio::piped()).stderr(Stdio::null());
    Router(command.spawn().expect("the program starts"))
}

#[test]
fn the_service_manager_is_told_of_start_reload_and_stop() {
    let path = path("notify");
    let manager = UnixDatagram::bind(&path).expect("a socket");
    manager.set_read_timeout(Some(PATIENCE)).expect("a time-out");
    let mut router = start(path.to_str().expect("text"), &[], &ANYWHERE);
    assert_eq!(told(&manager), "READY=1");
    let native = router.listening()[0].replace("listening native ", "");
    assert_eq!(told(&manager), "STATUS=0 clients");
    router.signal("-HUP");
    let reloading = told_until(&manager, "RELOADING=1\nMONOTONIC_USEC=");
    let time = reloading.rsplit_once('=').and_then(|(_, it)| it.parse::<u64>().ok());
    assert!(time.is_some_and(|it| it > 0), "{reloading}");
    assert_eq!(told_until(&manager, "READY"), "READY=1");
    let _client = Client::connect(&native, &Options::named("desk")).expect("it listens");
    assert_eq!(told_until(&manager, "STATUS=1"), "STATUS=1 client");
    std::fs::remove_file(path).expect("our own file");
}

#[test]
fn a_watchdog_is_told_again_and_again_and_not_by_a_router_that_hangs() {
    // An address without a file, as systemd has within containers.
    let name = format!("trunkline-watchdog-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(&name).expect("a name");
    let manager = UnixDatagram::bind_addr(&address).expect("a socket");
    manager.set_read_timeout(Some(PATIENCE)).expect("a time-out");
    let every = [("WATCHDOG_USEC", "300000")];
    let router = start(&format!("@{name}"), &every, &ANYWHERE);
    for _ in 0..3 {
        told_until(&manager, "WATCHDOG=1");
    }
    // Its threads stand still, as if they hung.
    router.signal("-STOP");
    let mut left = 0;
    manager.set_read_timeout(Some(Duration::from_secs(2))).expect("a time-out");
    let mut bytes = [0; 4_096];
    while manager.recv(&mut bytes).is_ok() {
        left += 1;
        assert!(left < 5, "a router that stands still tells that it runs");
    }
    manager.set_read_timeout(Some(PATIENCE)).expect("a time-out");
    router.signal("-CONT");
    told_until(&manager, "WATCHDOG=1");
}

#[test]
fn a_watchdog_of_another_process_is_not_ours() {
    let path = path("other");
    let manager = UnixDatagram::bind(&path).expect("a socket");
    manager.set_read_timeout(Some(PATIENCE)).expect("a time-out");
    let other = [("WATCHDOG_USEC", "1000"), ("WATCHDOG_PID", "1")];
    let router = start(path.to_str().expect("text"), &other, &ANYWHERE);
    assert_eq!(told(&manager), "READY=1");
    assert_eq!(told(&manager), "STATUS=0 clients");
    router.signal("-HUP");
    assert!(told(&manager).starts_with("RELOADING=1"), "nothing came in between");
    std::fs::remove_file(path).expect("our own file");
}

/// Starts a router as systemd does: with sockets as its descriptors from 3 on, and its own process in LISTEN_PID.
fn activate(sockets: Vec<OwnedFd>, names: &str, arguments: &[&str]) -> Router {
    let count = sockets.len();
    // They come as standard input, one after the other, and go to where they belong: a shell can move each.
    let mut shell = String::new();
    let sockets: Vec<(usize, OwnedFd)> = sockets.into_iter().enumerate().collect();
    for (at, socket) in &sockets {
        use std::os::fd::AsRawFd as _;
        rustix::io::fcntl_setfd(socket, rustix::io::FdFlags::empty()).expect("our own");
        // By way of high numbers, since the low ones may be in use by others of them.
        shell += &format!("exec {}<&{}\n", 50 + at, socket.as_raw_fd());
    }
    for (at, _) in &sockets {
        shell += &format!("exec {}<&{}\n", 3 + at, 50 + at);
    }
    shell += "LISTEN_PID=$$ exec \"$@\"";
    let mut command = Command::new("bash");
    command.args(["-c", &shell, "bash", program(), "serve"]).args(arguments);
    command.env("LISTEN_FDS", count.to_string()).env("LISTEN_FDNAMES", names);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("the program starts");
    drop(sockets);
    Router(child)
}

#[test]
fn sockets_that_are_passed_are_used_and_stay_over_a_reload() {
    let [native, websocket, http] =
        [0; 3].map(|_| TcpListener::bind("127.0.0.1:0").expect("a port"));
    let places = [&native, &websocket, &http].map(|it| it.local_addr().expect("an address"));
    let [of_unix, of_shm] = ["activated.sock", "activated-shm.sock"].map(path);
    let unix = UnixListener::bind(&of_unix).expect("a socket");
    let shm = UnixListener::bind(&of_shm).expect("a socket");
    // Somebody comes before there is a router, and is served by it.
    let mut early = TcpStream::connect(places[2]).expect("it listens");
    let request = "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    early.write_all(request.as_bytes()).expect("it is taken");
    let sockets = vec![native.into(), websocket.into(), http.into(), unix.into(), shm.into()];
    let mut router = activate(sockets, "native:websocket:http:native:shm", &[]);
    let errors = BufReader::new(router.0.stderr.take().expect("a pipe"));
    let said = router.listening();
    let expected = [
        format!("listening native tcp://{}", places[0]),
        format!("listening native unix://{}", of_unix.display()),
        format!("listening native shm://{}", of_shm.display()),
        format!("listening websocket ws://{}/", places[1]),
        format!("listening http http://{}/", places[2]),
    ];
    assert_eq!(said, expected);
    early.set_read_timeout(Some(PATIENCE)).expect("a time-out");
    let mut answer = String::new();
    early.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let connect = || {
        for address in [
            format!("tcp://{}", places[0]),
            format!("unix://{}", of_unix.display()),
            format!("shm://{}", of_shm.display()),
        ] {
            let mut client =
                Client::connect(&address, &Options::named("desk")).expect("it listens");
            client.synchronise().expect("an answer");
        }
    };
    connect();
    router.signal("-HUP");
    let mut lines = errors.lines().map(|line| line.expect("text"));
    let taken_over = lines.find(|it| it.contains("the configuration")).expect("a line of the log");
    assert!(taken_over.contains("has been taken over"), "{taken_over}");
    connect();
    // The files are not the router's, so that the next one can be activated by them.
    router.signal("-TERM");
    assert!(router.0.wait().expect("it ends").success());
    for file in [of_unix, of_shm] {
        std::fs::remove_file(file).expect("the file is there");
    }
}

#[test]
fn sockets_without_a_purpose_are_rejected_with_what_is_missing() {
    let tcp = || TcpListener::bind("127.0.0.1:0").expect("a port");
    let text = activate(vec![tcp().into()], "trunkline.socket", &[]).complaint();
    assert!(
        text.contains("\"trunkline.socket\"") && text.contains("FileDescriptorName="),
        "{text}"
    );
    let text = activate(vec![tcp().into()], "", &[]).complaint();
    assert!(text.contains("native, shm, websocket or http"), "{text}");
    let text = activate(vec![tcp().into(), tcp().into()], "native:shm", &[]).complaint();
    assert!(text.contains("socket 2 of 2, \"shm\""), "{text}");
    let text = activate(vec![tcp().into(), tcp().into()], "http:http", &[]).complaint();
    assert!(text.contains("one address of http://"), "{text}");
    let listener = tcp();
    let stream =
        TcpStream::connect(listener.local_addr().expect("an address")).expect("it listens");
    let text = activate(vec![stream.into()], "native", &[]).complaint();
    assert!(text.contains("it does not listen"), "{text}");
}

#[test]
fn sockets_of_another_process_are_not_taken() {
    let mut command = Command::new(program());
    command.arg("serve").args(ANYWHERE).env("LISTEN_FDS", "1").env("LISTEN_PID", "1");
    command.env("LISTEN_FDNAMES", "native").stdout(Stdio::piped()).stderr(Stdio::null());
    let mut router = Router(command.spawn().expect("the program starts"));
    assert_eq!(router.listening().len(), 3);
}
