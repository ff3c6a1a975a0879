//! `trunkline top` on a terminal: what is on its screen, keys, and that the terminal is given back.
#![cfg(target_os = "linux")]

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::num::NonZeroU16;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};
use trunkline_client::{Client, Options, Subscribe};
use trunkline_server::{Config, Running, Server};

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// A router with clients of these names, which stay; each has subscribed and published.
fn router(names: &[&str]) -> (Running, Vec<Client>) {
    let mut config = Config::default();
    config.listen.native = vec!["tcp://127.0.0.1:0".parse().expect("an address")];
    config.listen.http = Some("127.0.0.1:0".into());
    config.listen.websocket = None;
    let router = Server::start(config).expect("a router");
    let address = url(&router, "native");
    let clients = names.iter().map(|name| {
        let mut client = Client::connect(&address, &Options::named(name)).expect("a client");
        client.subscribe(&format!("to/{name}"), &Subscribe::every()).expect("a subscription");
        let topic = client.topic(&format!("from/{name}")).expect("a topic");
        client.publish(topic, b"1").expect("it is sent");
        client.synchronise().expect("the router has it");
        client
    });
    let clients = clients.collect();
    (router, clients)
}

fn url(router: &Running, protocol: &str) -> String {
    let found = router.addresses().iter().find(|it| it.protocol == protocol);
    found.expect("a listener").url()
}

/// A terminal with `trunkline top` as the first program of its session.
struct Terminal {
    ours: File,
    theirs: File,
    child: Child,
    bytes: Receiver<Vec<u8>>,
    screen: vt100::Parser,
}

impl Terminal {
    fn new(rows: u16, columns: u16, router: &Running) -> Self {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)
            .expect("a terminal");
        grantpt(&ours).and_then(|()| unlockpt(&ours)).expect("it can be opened");
        let name = ptsname(&ours, Vec::new()).expect("it has a name");
        let name = OsStr::from_bytes(name.as_bytes());
        let theirs = OpenOptions::new().read(true).write(true).open(name).expect("its other end");
        let end = || Stdio::from(OwnedFd::from(theirs.try_clone().expect("a descriptor")));
        let ours = File::from(ours);
        let (mut reader, (sender, bytes)) = (ours.try_clone().expect("a descriptor"), channel());
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count) = reader.read(&mut buffer)
                && sender.send(buffer[..count].to_vec()).is_ok()
            {}
        });
        set_size(&ours, rows, columns);
        // It runs the program in its own place.
        let child = Command::new("setsid")
            .arg("--ctty")
            .arg(env!("CARGO_BIN_EXE_trunkline"))
            .args(["top", "--interval", "50ms", "--to", &url(router, "http")])
            .env("TERM", "xterm")
            .stdin(end())
            .stdout(end())
            .stderr(end())
            .spawn()
            .expect("setsid starts");
        let screen = vt100::Parser::new(cells(rows), cells(columns), 0);
        Self { ours, theirs, child, bytes, screen }
    }

    /// Reads on until the screen is as it should be, and returns its lines.
    fn until(&mut self, what: &str, is_so: impl Fn(&str) -> bool) -> Vec<String> {
        self.wait(what, |screen| is_so(&screen.contents()));
        let columns = self.screen.screen().size().1.get();
        self.screen.screen().rows(0, columns).collect()
    }

    fn wait(&mut self, what: &str, is_so: impl Fn(&vt100::Screen) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !is_so(self.screen.screen()) {
            assert!(Instant::now() < deadline, "no {what}: {}", self.screen.screen().contents());
            if let Ok(bytes) = self.bytes.recv_timeout(Duration::from_millis(20)) {
                self.screen.process(&bytes);
            }
        }
    }

    fn press(&mut self, keys: &str) {
        self.ours.write_all(keys.as_bytes()).expect("the terminal takes keys");
    }

    fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args([name, &id]).status().expect("kill starts");
        assert!(sent.success());
    }

    /// The state of the process, of Linux: `T` where it is stopped.
    fn state(&self) -> char {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id()));
        let stat = stat.expect("a process of ours");
        let after = stat.rsplit_once(") ").expect("a state").1;
        after.chars().next().expect("a letter")
    }

    /// Whether it is as before the program: lines, echo, the cursor, the screen of the shell.
    fn is_given_back(&self) -> bool {
        let modes = tcgetattr(&self.theirs).expect("modes").local_modes;
        let screen = self.screen.screen();
        modes.contains(LocalModes::ICANON | LocalModes::ECHO)
            && !screen.alternate_screen()
            && !screen.hide_cursor()
    }

    /// Waits for the end, which has to leave the terminal as it was.
    fn end(mut self) -> ExitStatus {
        let status = self.child.wait().expect("a child of ours");
        self.wait("end", |screen| !screen.alternate_screen());
        assert!(self.is_given_back());
        status
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn cells(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count).expect("a terminal has cells")
}

fn set_size(terminal: &File, rows: u16, columns: u16) {
    let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(terminal, size).expect("a size");
}

#[test]
fn the_screen_has_80_columns_and_no_line_breaks() {
    let names = ["a client with a name that no narrow screen has room for", "writer"];
    let (router, _clients) = router(&names);
    let mut terminal = Terminal::new(24, 80, &router);
    let lines = terminal.until("table", |text| text.contains("from/writer"));
    assert!(terminal.screen.screen().alternate_screen());
    assert!(lines[0].starts_with("trunkline ") && lines[0].contains(" at http://"), "{lines:?}");
    assert!(lines[23].starts_with(" q quit  ? help"), "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("queued↓")), "{lines:?}");
    assert!(lines.iter().any(|line| line.starts_with("a client wi")), "{lines:?}");
    let screen = terminal.screen.screen();
    assert!((0..24).all(|row| !screen.row_wrapped(row)), "{lines:?}");
    // Wider, it shows more at once.
    set_size(&terminal.ours, 40, 150);
    terminal.screen.screen_mut().set_size(cells(40), cells(150));
    terminal.until("wide table", |text| {
        text.lines().any(|it| it.starts_with("writer") && it.contains("tcp/native/"))
            && text.lines().nth(39).is_some_and(|it| it.starts_with(" q quit"))
    });
    terminal.press("q");
    assert!(terminal.end().success());
}

#[test]
fn keys_sort_filter_pause_and_help() {
    let (router, _clients) = router(&["alpha", "beta"]);
    let mut terminal = Terminal::new(24, 80, &router);
    terminal.until("table", |text| text.contains("from/alpha") && text.contains("from/beta"));
    let is_before = |text: &str, one: &str, other: &str| {
        let place = |name: &str| text.lines().position(|line| line.starts_with(name));
        place(one) < place(other)
    };
    terminal.press("<<<<<<<<");
    terminal.until("order by name", |text| {
        text.contains("client↓") && is_before(text, "alpha", "beta")
    });
    terminal.press("r");
    terminal
        .until("other order", |text| text.contains("client↑") && is_before(text, "beta", "alpha"));
    terminal.press("/LPHA");
    terminal.until("filter", |text| text.contains("filter: LPHA_") && !text.contains("from/beta"));
    terminal.press("\r");
    terminal.until("kept filter", |text| {
        text.contains("/ filter: LPHA") && text.contains("from/alpha")
    });
    terminal.press("\x1b");
    terminal.until("everything", |text| text.contains("from/beta"));
    terminal.press("?");
    terminal
        .until("help", |text| text.contains("reverse the order") && !text.contains("from/beta"));
    terminal.press(" ");
    terminal.until("table again", |text| text.contains("from/beta") && !text.contains("PAUSED"));
    terminal.press(" ");
    let paused = terminal.until("pause", |text| text.contains("PAUSED"))[0].clone();
    thread::sleep(Duration::from_millis(1_100));
    terminal.press("r");
    let lines = terminal.until("order in a pause", |text| text.contains("client↓"));
    assert_eq!(lines[0], paused, "the time stands still");
    terminal.press(" ");
    terminal.until("later time", |text| !text.starts_with(&*paused));
    terminal.press("q");
    assert!(terminal.end().success());
}

#[test]
fn an_interrupt_gives_the_terminal_back() {
    let (router, _clients) = router(&["alpha"]);
    for (how, signal) in [("\x03", 2), ("TERM", 15), ("HUP", 1)] {
        let mut terminal = Terminal::new(24, 80, &router);
        terminal.until("table", |text| text.contains("from/alpha"));
        match how {
            "\x03" => terminal.press(how),
            name => terminal.signal(&format!("-{name}")),
        }
        assert_eq!(terminal.end().signal(), Some(signal));
    }
}

#[test]
fn stopped_it_gives_the_terminal_back_and_takes_it_again() {
    let (router, _clients) = router(&["alpha"]);
    let mut terminal = Terminal::new(24, 80, &router);
    terminal.until("table", |text| text.contains("from/alpha"));
    for _ in 0..2 {
        terminal.press("\x1a");
        terminal.wait("shell's screen", |screen| !screen.alternate_screen());
        let deadline = Instant::now() + PATIENCE;
        while terminal.state() != 'T' {
            assert!(Instant::now() < deadline, "it is not stopped");
            thread::sleep(Duration::from_millis(5));
        }
        assert!(terminal.is_given_back());
        terminal.signal("-CONT");
        terminal.wait("own screen", vt100::Screen::alternate_screen);
        terminal.until("table", |text| text.contains("from/alpha"));
    }
    terminal.press("q");
    assert!(terminal.end().success());
}

#[test]
fn a_router_that_goes_is_asked_again() {
    let (router, _clients) = router(&["alpha"]);
    let mut terminal = Terminal::new(24, 80, &router);
    terminal.until("table", |text| text.contains("from/alpha"));
    router.stop();
    terminal.until("reason", |text| text.contains("asking again every 50ms"));
    terminal.press("q");
    assert!(terminal.end().success());
}
