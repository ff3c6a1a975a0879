//! A router with a journal that is killed (SIGKILL) at the worst moments: what it answered holds.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;
use trunkline_client::{Client, Consume, Event, Options, Result, Start, format};
use trunkline_http::{ClientConfig, HeaderMap, HeaderValue, Method, header};
use trunkline_random::Random;

const PATIENCE: Duration = Duration::from_secs(60);

const TOKEN: &str = "0123456789abcdef";

/// A folder with a configuration and a journal, which goes with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("trunkline-{name}-{}", std::process::id()));
        // What an earlier run has left.
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder");
        let token = folder.join("token");
        fs::write(&token, TOKEN).expect("a file");
        fs::set_permissions(&token, fs::Permissions::from_mode(0o600)).expect("our own file");
        let text = format!(
            "listen.native = \"tcp://127.0.0.1:0\"\nlisten.http = \"127.0.0.1:0\"\n\
             listen.websocket = \"off\"\nadmin.token_file = {token:?}\n\
             [journal]\ndirectory = {:?}\nsegment_bytes = \"4 MiB\"\n\
             [[journal.durable]]\nname = \"gate\"\nacknowledge_within = \"200ms\"\n\
             deliveries = 3\ndead_letters = \"dead/gate\"\n",
            folder.join("journal")
        );
        fs::write(folder.join("trunkline.toml"), text).expect("a file");
        Self(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A router as a process, killed at the latest when this is dropped.
struct Router {
    child: Child,
    native: String,
    http: String,
}

impl Router {
    fn start(folder: &Folder) -> Self {
        let child = Command::new(env!("CARGO_BIN_EXE_trunkline"))
            .arg("serve")
            .arg("--config")
            .arg(folder.0.join("trunkline.toml"))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        let mut router = Self { child, native: String::new(), http: String::new() };
        let out = BufReader::new(router.child.stdout.take().expect("a pipe"));
        for line in out.lines().map_while(std::result::Result::ok) {
            if let Some(at) = line.strip_prefix("listening native ") {
                router.native = at.to_owned();
            } else if let Some(at) = line.strip_prefix("listening http http://") {
                router.http = at.trim_end_matches('/').to_owned();
            } else if line == "ready" {
                return router;
            }
        }
        panic!("it ends before it is ready");
    }

    fn client(&self, name: &str) -> Client {
        Client::connect(&self.native, &Options::named(name)).expect("it listens")
    }

    /// Someone who may administer, with a connection.
    fn administrator(&self) -> Administrator {
        let config = ClientConfig { response_timeout: PATIENCE, ..ClientConfig::default() };
        let client = trunkline_http::Client::new(&self.http, config).expect("a client");
        Administrator(client)
    }

    fn kill(mut self) {
        self.child.kill().expect("SIGKILL");
        self.child.wait().expect("it has ended");
    }
}

impl Drop for Router {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

struct Administrator(trunkline_http::Client);

impl Administrator {
    fn ask(&mut self, method: &Method, path: &str, body: &str) -> Value {
        let mut headers = HeaderMap::new();
        let token = HeaderValue::try_from(format!("Bearer {TOKEN}")).expect("ASCII");
        headers.insert(header::AUTHORIZATION, token);
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let answer = self.0.request(method, path, &headers, body.as_bytes()).expect("an answer");
        let text = String::from_utf8_lossy(&answer.body);
        assert_eq!(answer.status.as_u16(), 200, "{path} {body}: {text}");
        serde_json::from_str(&text).expect("JSON")
    }

    fn act(&mut self, path: &str, body: &str) -> Value {
        self.ask(&Method::POST, path, body)
    }

    /// A durable subscription; nothing if there is none.
    fn durable(&mut self, name: &str) -> Value {
        let all = self.ask(&Method::GET, &format!("/admin/durables?name={name}"), "");
        all["durables"][0].clone()
    }
}

/// Stores messages, which are on disk when this returns.
fn store(router: &Router, topic: &str, payloads: &[&str]) {
    let mut feed = router.client("feed");
    feed.producer("feed").expect("a producer");
    let topic = feed.topic(topic).expect("a topic");
    let mut last = 0;
    for payload in payloads {
        last = feed.store(topic, format::TEXT, payload.as_bytes()).expect("taken");
    }
    feed.wait_stored(last, PATIENCE).expect("stored");
}

fn wait_for_three(administrator: &mut Administrator) {
    let until = Instant::now() + PATIENCE;
    loop {
        let durable = administrator.durable("desk");
        if durable["waiting_now"] == 3 {
            return;
        }
        assert!(Instant::now() < until, "{durable}");
    }
}

#[test]
fn what_an_administrator_was_answered_holds_after_a_kill() {
    let folder = Folder::new("killed-changes");
    let mut router = Router::start(&folder);
    router.client("desk").consume(&Consume::durable("desk", "orders/>")).expect("it is active");
    store(&router, "orders/new", &["1", "2", "3"]);
    type Expected = fn(&mut Administrator);
    let steps: [(&str, &str, Expected); 6] = [
        ("/admin/durables/pause", r#"{"name":"desk"}"#, |it| {
            assert_eq!(it.durable("desk")["is_paused"], true);
        }),
        ("/admin/durables/resume", r#"{"name":"desk"}"#, |it| {
            assert_eq!(it.durable("desk")["is_paused"], false);
            // What waits is counted in the background, and a purge counts what is known by then.
            wait_for_three(it);
        }),
        ("/admin/durables/purge", r#"{"name":"desk"}"#, |it| {
            let durable = it.durable("desk");
            assert_eq!((&durable["purged"], &durable["waiting_now"]), (&3.into(), &0.into()));
        }),
        ("/admin/durables/seek", r#"{"name":"desk","to":"start"}"#, wait_for_three),
        ("/admin/durables/delete", r#"{"name":"desk"}"#, |it| {
            assert_eq!(it.durable("desk"), Value::Null);
        }),
        ("/admin/producers/delete", r#"{"name":"feed"}"#, |it| {
            let all = it.ask(&Method::GET, "/admin/producers", "");
            assert_eq!(all["producers"].as_array().map(Vec::len), Some(0), "{all}");
        }),
    ];
    for (path, body, expected) in steps {
        let mut administrator = router.administrator();
        administrator.act(path, body);
        router.kill();
        router = Router::start(&folder);
        expected(&mut router.administrator());
    }
}

/// What the client gets first of a subscription: how often it was delivered before, and its payload.
fn delivery(client: &mut Client) -> (u32, String) {
    let mut seen = None;
    while seen.is_none() {
        let events = client.receive(Some(PATIENCE), &mut |event| {
            if let Event::Delivery(it) = event {
                seen.get_or_insert((
                    it.deliveries,
                    String::from_utf8_lossy(it.payload).into_owned(),
                ));
            }
        });
        assert_ne!(events.expect("it is connected"), 0, "nothing comes");
    }
    seen.expect("it came")
}

#[test]
fn deliveries_count_over_kills_and_end_in_one_dead_letter() {
    let folder = Folder::new("killed-counts");
    let mut router = Router::start(&folder);
    let mut morgue = router.client("morgue");
    morgue.consume(&Consume::durable("morgue", "dead/>")).expect("it is active");
    router.client("desk").consume(&Consume::durable("gate", "orders/>")).expect("it is active");
    store(&router, "orders/new", &["poison"]);
    for before in 0..3 {
        let mut desk = router.client("desk");
        desk.consume(&Consume::durable("gate", "orders/>")).expect("it is active");
        assert_eq!(delivery(&mut desk), (before, "poison".to_owned()));
        // What is stored later is on disk, and so is the count of the delivery before it.
        store(&router, "other", &["mark"]);
        router.kill();
        router = Router::start(&folder);
    }
    let mut desk = router.client("desk");
    desk.consume(&Consume::durable("gate", "orders/>")).expect("it is active");
    let mut morgue = router.client("morgue");
    morgue.consume(&Consume::durable("morgue", "dead/>")).expect("it is active");
    let (_, letter) = delivery(&mut morgue);
    let (head, payload) = letter.split_once("\n\n").expect("an empty line");
    assert_eq!(payload, "poison");
    assert!(head.lines().any(|line| line == "deliveries: 3"), "{head}");
    router.kill();
    router = Router::start(&folder);
    assert_eq!(dead_letters(&router).len(), 1, "there is one for ever");
    let gate = router.administrator().durable("gate");
    assert_eq!((&gate["dead_lettered"], &gate["waiting_now"]), (&1.into(), &0.into()), "{gate}");
}

/// The payloads of all dead letters, as a replay finds them.
fn dead_letters(router: &Router) -> Vec<String> {
    store(router, "dead/end", &["end"]);
    let mut reader = router.client("reader");
    reader.consume(&Consume::replay("dead/>", Start::All)).expect("a replay");
    let mut all = Vec::new();
    while !all.iter().any(|it| it == "end") {
        let events = reader.receive(Some(PATIENCE), &mut |event| {
            if let Event::Delivery(it) = event {
                let text = String::from_utf8_lossy(it.payload).into_owned();
                all.push(text.split_once("\n\n").map_or(text.clone(), |it| it.1.to_owned()));
            }
        });
        assert_ne!(events.expect("it is connected"), 0, "the end does not come");
    }
    all.retain(|it| it != "end");
    all
}

/// What a consumer saw that never acknowledges odd numbers.
#[derive(Default)]
struct Seen {
    came: BTreeSet<u64>,
    /// Even ones whose acknowledgement is on disk.
    kept: BTreeSet<u64>,
}

/// Consumes for a while, or until the router is gone.
fn consume(router: &Router, seen: &mut Seen, time: Duration) -> Result<()> {
    let mut client = router.client("desk");
    let how = Consume { wants_acknowledged: true, ..Consume::durable("gate", "orders/>") };
    let subscription = client.consume(&how)?;
    let (mut acknowledged, until) = (Vec::new(), Instant::now() + time);
    while Instant::now() < until {
        let mut done = Vec::new();
        client.receive(Some(Duration::from_millis(5)), &mut |event| match event {
            Event::Delivery(it) => {
                let number: u64 = String::from_utf8_lossy(it.payload).parse().expect("a number");
                assert!(it.deliveries < 3, "{number} came {} times before", it.deliveries);
                assert!(!seen.kept.contains(&number), "{number} was acknowledged");
                seen.came.insert(number);
                if number.is_multiple_of(2) {
                    done.push((number, it.position));
                }
            }
            Event::Acknowledged(it) => {
                let kept = acknowledged.iter().take(it.acknowledgements as usize);
                seen.kept.extend(kept);
            }
            _ => {}
        })?;
        for (number, position) in done {
            client.acknowledge(subscription, position)?;
            acknowledged.push(number);
        }
        client.flush()?;
    }
    Ok(())
}

#[test]
fn under_random_kills_each_message_is_acknowledged_or_one_dead_letter() {
    let folder = Folder::new("killed-letters");
    let mut router = Router::start(&folder);
    router.client("desk").consume(&Consume::durable("gate", "orders/>")).expect("it is active");
    let (mut seen, mut random, mut stored) = (Seen::default(), Random::new(2012), 0_u64);
    for _ in 0..15 {
        let payloads: Vec<String> = (0..20).map(|it| (stored + it).to_string()).collect();
        store(&router, "orders/new", &payloads.iter().map(|it| &**it).collect::<Vec<_>>());
        stored += 20;
        consume(&router, &mut seen, Duration::from_millis(20 + random.below(100)))
            .expect("the router lives");
        router.kill();
        sleep(Duration::from_millis(random.below(20)));
        router = Router::start(&folder);
    }
    let until = Instant::now() + PATIENCE;
    let is_left = |router: &Router| {
        let gate = router.administrator().durable("gate");
        // Behind, it has not counted all that waits.
        gate["waiting_now"] != 0 || gate["in_flight_now"] != 0 || gate["is_behind"] != false
    };
    while is_left(&router) {
        assert!(Instant::now() < until, "{}", router.administrator().durable("gate"));
        consume(&router, &mut seen, Duration::from_millis(300)).expect("the router lives");
    }
    let mut letters: BTreeMap<u64, u32> = BTreeMap::new();
    for letter in dead_letters(&router) {
        *letters.entry(letter.parse().expect("a number")).or_default() += 1;
    }
    for number in 0..stored {
        let letters = letters.get(&number).copied().unwrap_or_default();
        let (came, is_kept) = (seen.came.contains(&number), seen.kept.contains(&number));
        // What the router had sent when it was killed counts, although nobody has read it.
        assert!(came || letters == 1, "{number} is lost");
        assert!(letters <= 1, "{number} is {letters} dead letters");
        assert!(number % 2 == 0 || letters == 1, "{number} was never acknowledged");
        assert!(!is_kept || letters == 0, "{number} was acknowledged");
    }
    let kept = seen.kept.len() as u64;
    assert!(
        kept > 0 && letters.len() as u64 >= stored / 2,
        "{kept} kept, {} letters",
        letters.len()
    );
}
