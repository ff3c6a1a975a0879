//! An audit of guaranteed delivery: a router, publishers and consumers as processes of their own, killed at
//! random (SIGKILL) while they work, and every message accounted for at the end.
//!
//! Each process writes what it saw into a history of its own, a line with one system call, so that a kill
//! takes no line back. What a publisher numbers is the sequence by which the router knows it, so that
//! after any number of kills there must be exactly the messages 1, 2, 3 and so on, each once.
//!
//! The processes are this program again, told by the environment what to be.

mod threads;

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use trunkline_client::{Client, Consume, Event, Options, Result, Start, format};
use trunkline_random::Random;
use trunkline_server::config::JournalRule;
use trunkline_server::{Config, Server};
use trunkline_store::{Forwarding, Level};

const ROLE: &str = "TRUNKLINE_AUDIT_ROLE";
const FOLDER: &str = "TRUNKLINE_AUDIT_FOLDER";
const NAME: &str = "TRUNKLINE_AUDIT_NAME";
/// Seconds for which processes are killed.
const SECONDS: &str = "TRUNKLINE_AUDIT_SECONDS";

const TOPICS: [&str; 2] = ["orders/new", "cut/new"];

/// Name of the file that tells publishers to come to an end.
const END: &str = "end";

/// Not a test by itself: what the processes do.
#[test]
fn process() {
    let Ok(role) = env::var(ROLE) else { return };
    let folder = PathBuf::from(env::var(FOLDER).expect("a folder"));
    let name = env::var(NAME).unwrap_or_default();
    match &role[..] {
        "router" => router(&folder),
        "publisher" => publisher(&folder, &name),
        "consumer" => consumer(&folder, &name),
        other => panic!("{other}"),
    }
}

fn address(folder: &Path) -> String {
    format!("unix://{}", folder.join("router.sock").display())
}

fn router(folder: &Path) {
    let mut config = Config::default();
    config.router.threads = threads::threads();
    config.listen.native = vec![address(folder).parse().expect("an address")];
    (config.listen.http, config.listen.websocket) = (None, None);
    config.journal.directory = Some(folder.join("journal"));
    config.journal.segment_bytes = 4 << 20;
    config.journal.bytes = 64 << 20;
    config.journal.keep = Duration::from_secs(1);
    config.journal.rules = vec![JournalRule {
        topics: "cut/>".to_owned(),
        durability: Some(Level::Disk),
        delivery: Some(Forwarding::CutThrough),
    }];
    Server::start(config).expect("a router").wait().expect("it goes on");
}

/// Lines of what a process saw.
struct History(File);

impl History {
    fn open(folder: &Path, name: &str) -> Self {
        let path = folder.join(format!("{name}.history"));
        Self(OpenOptions::new().create(true).append(true).open(path).expect("a history"))
    }

    fn note(&mut self, line: &str) {
        self.0.write_all(format!("{line}\n").as_bytes()).expect("written");
    }
}

fn connected(folder: &Path, name: &str) -> Client {
    loop {
        match Client::connect(&address(folder), &Options::named(name)) {
            Ok(client) => return client,
            Err(_) => sleep(Duration::from_millis(10)),
        }
    }
}

fn publisher(folder: &Path, name: &str) {
    let mut history = History::open(folder, name);
    loop {
        let mut client = connected(folder, name);
        match publish(folder, name, &mut client, &mut history) {
            Ok(()) => return,
            Err(_) => sleep(Duration::from_millis(10)),
        }
    }
}

/// Publishes until there is the file that says the end, and all is acknowledged.
fn publish(folder: &Path, name: &str, client: &mut Client, history: &mut History) -> Result<()> {
    let last = client.producer(name)?;
    let topics = [client.topic(TOPICS[0])?, client.topic(TOPICS[1])?];
    let (mut next, mut told) = (last + 1, 0);
    while !folder.join(END).exists() {
        for _ in 0..50 {
            let payload = payload(name, next);
            let topic = topics[next as usize % 2];
            let sequence = client.enqueue_store(topic, format::TEXT, payload.as_bytes(), None)?;
            assert_eq!(sequence, next, "sequences go on behind what is stored");
            next += 1;
        }
        client.flush()?;
        client.receive(Some(Duration::from_millis(1)), &mut |_| {})?;
        if let Some(stored) = client.acknowledged().filter(|it| it.sequence > told) {
            assert_eq!(stored.durability.disk, 1);
            told = stored.sequence;
            history.note(&format!("acknowledged {told}"));
        }
    }
    // What is behind is stored for sure.
    if next > last + 1 {
        client.wait_stored(next - 1, Duration::from_secs(30))?;
    }
    history.note(&format!("acknowledged {}", next - 1));
    history.note("end");
    Ok(())
}

fn payload(name: &str, sequence: u64) -> String {
    let check = sequence.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    format!("{name} {sequence} {check:016x} {}", "x".repeat(sequence as usize % 300))
}

fn consumer(folder: &Path, name: &str) {
    let mut history = History::open(folder, name);
    loop {
        let mut client = connected(folder, name);
        // It ends by being killed, or loses the router.
        let _ = consume(name, &mut client, &mut history);
        sleep(Duration::from_millis(10));
    }
}

fn consume(name: &str, client: &mut Client, history: &mut History) -> Result<()> {
    let durable = name.split('.').next().unwrap_or(name);
    let how = Consume {
        start: Start::All,
        window: 200,
        wants_acknowledged: true,
        ..Consume::durable(durable, ">")
    };
    let subscription = client.consume(&how)?;
    history.note("connected");
    let (mut acknowledgements, mut kept) = (Vec::<u64>::new(), 0);
    loop {
        let mut done = None;
        client.receive(None, &mut |event| match event {
            Event::Delivery(it) => {
                let text = String::from_utf8_lossy(it.payload);
                let mut words = text.split(' ');
                let publisher = words.next().unwrap_or_default().to_owned();
                let sequence: u64 = words.next().and_then(|it| it.parse().ok()).unwrap_or(0);
                let is_right = text == payload(&publisher, sequence);
                let flag = match (it.is_repeated, it.is_unconfirmed) {
                    (true, _) => "repeated",
                    (false, true) => "ahead",
                    (false, false) => "new",
                };
                let (position, right) = (it.position, if is_right { "right" } else { "WRONG" });
                history.note(&format!("got {publisher} {sequence} {position} {flag} {right}"));
                done = Some(it.position);
            }
            Event::Acknowledged(it) => {
                while kept < it.acknowledgements {
                    history.note(&format!("kept {}", acknowledgements[kept as usize]));
                    kept += 1;
                }
            }
            _ => {}
        })?;
        if let Some(position) = done {
            acknowledgements.push(position);
            client.acknowledge_through(subscription, position)?;
            client.flush()?;
        }
    }
}

/// A process that is killed and started again.
struct Process {
    role: &'static str,
    name: String,
    child: Option<Child>,
    kills: u32,
}

impl Process {
    fn new(role: &'static str, name: &str) -> Self {
        Self { role, name: name.to_owned(), child: None, kills: 0 }
    }

    fn start(&mut self, folder: &Path) {
        let mut command = Command::new(env::current_exe().expect("this program"));
        command.args(["process", "--exact", "--nocapture"]);
        command.env(ROLE, self.role).env(FOLDER, folder).env(NAME, &self.name);
        let log = File::create(folder.join(format!("{}.log", self.name))).expect("a log");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        self.child = Some(command.spawn().expect("it starts"));
    }

    fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().expect("SIGKILL");
            child.wait().expect("its end");
            self.kills += 1;
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

#[derive(Default)]
struct Audit {
    acknowledged: u64,
    delivered: u64,
    repeated: u64,
    ahead: u64,
    kept: u64,
}

fn lines(folder: &Path, name: &str) -> Vec<String> {
    let text = fs::read_to_string(folder.join(format!("{name}.history"))).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// How many messages each publisher was told are stored.
fn published(folder: &Path, publishers: &[&str]) -> BTreeMap<String, u64> {
    let of = |name: &&str| {
        let lines = lines(folder, name);
        let numbers =
            lines.iter().filter_map(|line| line.strip_prefix("acknowledged ")?.parse().ok());
        (name.to_string(), numbers.max().unwrap_or(0))
    };
    publishers.iter().map(of).collect()
}

/// What the consumers of one durable subscription saw, held against what was acknowledged.
fn audit(folder: &Path, consumers: &[&str], published: &BTreeMap<String, u64>, sums: &mut Audit) {
    // Whether a message has been delivered otherwise than ahead of the disk: what was ahead may be lost
    // with the router, and a publisher that was killed and made it again does not know that it did.
    let mut seen: BTreeMap<(String, u64), bool> = BTreeMap::new();
    for name in consumers {
        let (mut last, mut kept) = (0, 0);
        for line in lines(folder, name) {
            let words: Vec<&str> = line.split(' ').collect();
            match words[..] {
                ["connected"] => last = 0,
                ["kept", position] => {
                    kept = position.parse().expect("a position");
                    sums.kept += 1;
                }
                ["got", publisher, sequence, position, flag, right] => {
                    let position: u64 = position.parse().expect("a position");
                    let id = (publisher.to_owned(), sequence.parse().expect("a sequence"));
                    assert_eq!(right, "right", "{name}: {line}");
                    let is_repeated = flag == "repeated";
                    let is_sure = seen.entry(id).or_default();
                    // Which of several consumers was first is not known, nor what was ahead of what.
                    let is_alone = consumers.len() == 1;
                    let may_come = is_repeated || flag == "ahead" && !is_alone;
                    assert!(
                        !*is_sure || may_come,
                        "{name}: {line}: comes again and does not say so"
                    );
                    *is_sure |= flag == "new" || is_repeated && is_alone;
                    sums.ahead += u64::from(flag == "ahead");
                    if consumers.len() == 1 {
                        assert!(
                            position > kept,
                            "{name}: {line}: had been acknowledged up to {kept}"
                        );
                    }
                    if !is_repeated {
                        assert!(position > last, "{name}: {line}: comes after {last}");
                        last = position;
                    }
                    sums.delivered += 1;
                    sums.repeated += u64::from(is_repeated);
                }
                _ => panic!("{name}: {line}"),
            }
        }
    }
    for (publisher, last) in published {
        let of_it: BTreeSet<u64> = seen
            .keys()
            .filter(|(name, _)| name == publisher)
            .map(|(_, sequence)| *sequence)
            .collect();
        let missing: Vec<u64> = (1..=*last).filter(|it| !of_it.contains(it)).take(5).collect();
        assert!(
            missing.is_empty(),
            "{consumers:?} never got {missing:?} of {publisher}, acknowledged to {last}"
        );
    }
}

#[test]
fn nothing_acknowledged_is_lost_when_processes_are_killed() {
    let seconds = env::var(SECONDS).ok().and_then(|it| it.parse().ok()).unwrap_or(12);
    let folder = env::temp_dir().join(format!("trunkline-audit-{}", std::process::id()));
    // What an earlier run has left.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    let publishers = ["p1", "p2"];
    let consumers = ["alone", "shared.1", "shared.2"];
    let mut processes = vec![Process::new("router", "router")];
    processes.extend(publishers.iter().map(|name| Process::new("publisher", name)));
    processes.extend(consumers.iter().map(|name| Process::new("consumer", name)));
    processes.iter_mut().for_each(|it| it.start(&folder));
    let (began, mut random) = (Instant::now(), Random::new(2012));
    while began.elapsed() < Duration::from_secs(seconds) {
        sleep(Duration::from_millis(20 + random.below(400)));
        // The router dies as often as all others together.
        let who = match random.below(2) {
            0 => 0,
            _ => 1 + random.index(processes.len() - 1),
        };
        processes[who].kill();
        sleep(Duration::from_millis(random.below(60)));
        processes[who].start(&folder);
    }
    File::create(folder.join(END)).expect("the end is told");
    let is_done = |folder: &Path| {
        let ended = |name: &&str| lines(folder, name).last().is_some_and(|line| line == "end");
        publishers.iter().all(ended)
    };
    wait_for("the publishers' end", || is_done(&folder));
    let published = published(&folder, &publishers);
    let mut sums = Audit { acknowledged: published.values().sum(), ..Audit::default() };
    let has_last = |consumers: &[&str]| {
        let all: Vec<String> = consumers.iter().flat_map(|name| lines(&folder, name)).collect();
        published.iter().all(|(name, last)| {
            let begins = format!("got {name} {last} ");
            *last == 0 || all.iter().any(|line| line.starts_with(&begins))
        })
    };
    wait_for("the last message", || has_last(&consumers[..1]) && has_last(&consumers[1..]));
    sleep(Duration::from_millis(500));
    let kills: Vec<String> =
        processes.iter().map(|it| format!("{} {}", it.name, it.kills)).collect();
    processes.clear();
    audit(&folder, &consumers[..1], &published, &mut sums);
    audit(&folder, &consumers[1..], &published, &mut sums);
    let Audit { acknowledged, delivered, repeated, ahead, kept } = sums;
    println!(
        "killed: {}; {acknowledged} messages acknowledged, each stored once; {delivered} deliveries, \
         {repeated} of them said they may be repeated, {ahead} that they were ahead of the disk; {kept} \
         acknowledgements kept",
        kills.join(", ")
    );
    assert!(acknowledged > 1_000, "{acknowledged}");
    fs::remove_dir_all(&folder).expect("removed");
}

fn wait_for(what: &str, mut has_come: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(120);
    while !has_come() {
        assert!(Instant::now() < until, "{what} did not come");
        sleep(Duration::from_millis(100));
    }
}
