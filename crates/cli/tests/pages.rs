//! Guaranteed delivery over WebSocket with a client of others, and routers that are killed.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use trunkline_tests::skip::skip;

/// Orders.
const COUNT: u64 = 3_000;

/// Lines of the client between two deaths of the router, again and again.
const LIVES: [usize; 9] = [100, 37, 250, 611, 90, 333, 444, 20, 500];

/// A folder that goes with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("trunkline-{name}-{}", std::process::id()));
        // What an earlier run has left.
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("a folder");
        Self(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A process that is killed when this goes.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A router over a folder, and where pages find it.
fn router(folder: &Path) -> (Process, String) {
    let file = folder.join("trunkline.toml");
    let journal = folder.join("journal");
    let text = format!(
        "[listen]\nnative = [\"tcp://127.0.0.1:0\"]\nhttp = \"off\"\nwebsocket = \"127.0.0.1:0\"\n\
         [journal]\ndirectory = {journal:?}\nsegment_bytes = \"4 MiB\"\n"
    );
    std::fs::write(&file, text).expect("a file");
    let mut child = Command::new(env!("CARGO_BIN_EXE_trunkline"))
        .args(["serve", "--config"])
        .arg(file)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
    let router = Process(child);
    let mut address = String::new();
    loop {
        let mut line = String::new();
        assert!(out.read_line(&mut line).expect("a line") > 0, "it ends before it is ready");
        match line.trim_end().split_once("listening websocket ") {
            Some((_, at)) => address = at.to_owned(),
            None if line == "ready\n" => return (router, address),
            None => {}
        }
    }
}

/// The Python that has the package `websockets`.
fn python() -> Option<&'static str> {
    let has_it = |python: &&str| {
        let mut command = Command::new(python);
        command.args(["-c", "import websockets"]).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    ["python3", "/usr/bin/python3"].into_iter().find(has_it)
}

/// What was delivered of an order.
#[derive(Default)]
struct Delivered {
    times: u64,
    positions: Vec<String>,
}

/// Every so often the router is killed, in the middle of what is stored and acknowledged: nothing that was sent is
/// lost, each order is stored once, and what is delivered again says so.
#[test]
fn orders_of_a_page_survive_routers_that_are_killed() {
    let Some(python) = python() else {
        return skip("python3-websockets is missing: peers/install");
    };
    let folder = Folder::new("pages");
    let (mut router, mut address) = self::router(&folder.0);
    let mut client = Command::new(python)
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/orders.py"))
        .arg(COUNT.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python starts");
    let mut addresses = client.stdin.take().expect("a pipe");
    let lines = BufReader::new(client.stdout.take().expect("a pipe")).lines();
    let client = Process(client);
    writeln!(addresses, "{address}").expect("it is told");
    let (mut kills, mut until_kill, mut stored) = (0, LIVES[0], 0);
    let mut delivered: BTreeMap<u64, Delivered> = BTreeMap::new();
    let mut is_done = false;
    for line in lines {
        let line = line.expect("a line");
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["stored", sequence] => stored = sequence.parse().expect("a number"),
            ["delivered", sequence, position, repeated] => {
                let it = delivered.entry(sequence.parse().expect("a number")).or_default();
                assert!(it.times == 0 || repeated == "True", "doubled, and not said: {line}");
                it.times += 1;
                it.positions.push(position.to_owned());
            }
            ["done"] => is_done = true,
            _ => panic!("{line}"),
        }
        until_kill -= usize::from(until_kill > 0);
        // How far storing is ahead of delivering differs from run to run; there are enough lines in each.
        if until_kill == 0 && (delivered.len() as u64) < COUNT {
            kills += 1;
            drop(router);
            (router, address) = self::router(&folder.0);
            // The client may be done, and its lines on their way.
            let _ = writeln!(addresses, "{address}");
            until_kill = LIVES[kills % LIVES.len()];
        }
    }
    assert!(is_done && kills >= 5, "done: {is_done}, {kills} routers killed");
    assert_eq!(stored, COUNT);
    assert_eq!(delivered.keys().copied().collect::<Vec<_>>(), (1..=COUNT).collect::<Vec<_>>());
    for (sequence, it) in &delivered {
        assert!(it.positions.iter().all(|at| *at == it.positions[0]), "{sequence}: stored twice");
    }
    let again = delivered.values().filter(|it| it.times > 1).count();
    println!("{kills} routers killed, {again} orders delivered again");
    drop(client);
}
