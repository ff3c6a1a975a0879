//! Administrators, and those who are none.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::Value;
use trunkline_client::{Client, Consume, Error, Event, Options, Start, Subscribe, code};
use trunkline_server::{Config, Server};

use super::{PATIENCE, Site, authority, place};

const TOKEN: &str = "0123456789abcdef-token";

/// A file that goes with the test.
struct TokenFile(PathBuf);

impl TokenFile {
    fn new(name: &str, text: &str, mode: u32) -> Self {
        let path = std::env::temp_dir().join(format!("trunkline-{name}-{}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        std::fs::write(&path, text).expect("a file");
        let file = Self(path);
        file.allow(mode);
        file
    }

    fn allow(&self, mode: u32) {
        let mode = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(&self.0, mode).expect("our own file");
    }
}

impl Drop for TokenFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// A router with administration.
struct Administered {
    site: Site,
    file: TokenFile,
}

/// What came back.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) head: String,
    pub(super) body: String,
}

impl Answer {
    fn json(&self) -> Value {
        assert_eq!(self.status, 200, "{self:?}");
        assert!(self.head.contains("content-type: application/json"), "{self:?}");
        serde_json::from_str(&self.body).expect("JSON")
    }

    /// What is listed under a name.
    fn listed(&self, name: &str) -> Vec<Value> {
        self.json()[name].as_array().unwrap_or_else(|| panic!("no {name}: {self:?}")).clone()
    }
}

/// An answer to a request that is sent as it is.
pub(super) fn answer(address: &str, request: &str) -> Answer {
    let mut stream = TcpStream::connect(address).expect("a connection");
    stream.set_read_timeout(Some(PATIENCE)).expect("a time-out");
    stream.write_all(request.as_bytes()).expect("it is read");
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("an answer");
    let (head, body) = text.split_once("\r\n\r\n").expect("a head");
    let status = head.get(9..12).and_then(|it| it.parse().ok()).expect("a status");
    Answer { status, head: head.to_lowercase(), body: body.to_owned() }
}

impl Administered {
    fn start(name: &str, change: impl FnOnce(&mut Config)) -> Self {
        let file = TokenFile::new(name, &format!("{TOKEN}\n"), 0o600);
        let site = Site::start(|config| {
            config.admin.token_file = Some(file.0.clone());
            change(config);
        });
        Self { site, file }
    }

    /// A request with these headers besides those that every one needs.
    fn ask_with(&self, method: &str, path: &str, headers: &[&str], body: &str) -> Answer {
        let address = place(&self.site.router, "http");
        let length = body.len();
        let headers: String = headers.iter().map(|it| format!("{it}\r\n")).collect();
        let host = if headers.contains("Host:") { "" } else { "Host: localhost\r\n" };
        let request = format!(
            "{method} {path} HTTP/1.1\r\n{host}{headers}Content-Length: {length}\r\n\
             Connection: close\r\n\r\n{body}"
        );
        answer(authority(&address), &request)
    }

    fn get(&self, path: &str) -> Answer {
        self.ask_with("GET", path, &[&format!("Authorization: Bearer {TOKEN}")], "")
    }

    fn post(&self, path: &str, body: &str) -> Answer {
        let token = format!("Authorization: Bearer {TOKEN}");
        self.ask_with("POST", path, &[&token, "Content-Type: application/json"], body)
    }

    /// The number of the client of a name.
    fn id(&self, name: &str) -> u64 {
        let clients = self.get(&format!("/admin/clients?name={name}")).listed("clients");
        assert_eq!(clients.len(), 1, "{clients:?}");
        clients[0]["id"].as_u64().expect("a number")
    }

    fn status(&self) -> u16 {
        self.ask_with("GET", "/health/ready", &[], "").status
    }
}

/// Why the router has ended a connection.
fn end_of(client: &mut Client) -> (u16, String) {
    let until = Instant::now() + PATIENCE;
    loop {
        assert!(Instant::now() < until, "the connection does not end");
        match client.receive(Some(PATIENCE), &mut |_| {}) {
            Ok(_) => {}
            Err(Error::Closed { code, reason }) => return (code, reason),
            Err(other) => panic!("{other}"),
        }
    }
}

#[test]
fn without_the_permission_nothing_is_told_and_nothing_is_done() {
    let router = Administered::start("permission", |_| {});
    let mut client = router.site.client("desk");
    let right = format!("Authorization: Bearer {TOKEN}");
    let json = "Content-Type: application/json";
    let everyone = r#"{"name":"*","all":true}"#;
    let shorter = format!("Authorization: Bearer {}", &TOKEN[1..]);
    let longer = format!("Authorization: Bearer {TOKEN}x");
    let basic = format!("Authorization: Basic {TOKEN}");
    let cases: [(&str, &[&str], u16, &str); 13] = [
        ("POST", &[json], 401, "admin.token_file"),
        ("POST", &[json, "Authorization: Bearer "], 401, "admin.token_file"),
        ("POST", &[json, &shorter], 401, "admin.token_file"),
        ("POST", &[json, &longer], 401, "admin.token_file"),
        ("POST", &[json, &basic], 401, "admin.token_file"),
        // What a page in a browser can send, which cannot know the token.
        ("POST", &[json, &right, "Origin: http://evil.example.org"], 403, "admin.origins"),
        ("POST", &[json, &right, "Origin: null"], 403, "admin.origins"),
        ("POST", &[json, &right, "Origin: http://localhost:7401"], 403, "admin.origins"),
        ("POST", &[json, &right, "Host: evil.example.org"], 421, "http.hosts"),
        ("POST", &[&right, "Content-Type: text/plain"], 415, "application/json"),
        ("POST", &[&right, "Content-Type: multipart/form-data"], 415, "application/json"),
        ("POST", &[&right], 415, "application/json"),
        ("OPTIONS", &[&right, json], 405, "only GET, HEAD and POST"),
    ];
    for (method, headers, status, part) in cases {
        let answer = router.ask_with(method, "/admin/clients/disconnect", headers, everyone);
        assert_eq!(answer.status, status, "{headers:?}: {answer:?}");
        assert!(answer.body.contains(part), "{headers:?}: {answer:?}");
        assert!(!answer.body.contains(TOKEN), "{answer:?}");
        assert!(answer.head.contains("cache-control: no-store"), "{answer:?}");
        assert!(!answer.head.contains("access-control"), "{answer:?}");
    }
    for path in ["clients", "subscriptions", "topics", "durables", "producers", "drain", ""] {
        let answer = router.ask_with("GET", &format!("/admin/{path}"), &[], "");
        assert_eq!(answer.status, 401, "{path}: {answer:?}");
        assert!(answer.head.contains("www-authenticate: bearer"), "{answer:?}");
        assert!(!answer.body.contains("desk"), "{answer:?}");
    }
    // The client is there still.
    client.synchronise().expect("it is connected");
    let listed = Administered::start("origins", |config| {
        config.admin.origins = vec!["https://operations.example.org".to_owned()];
    });
    let origin = "Origin: https://operations.example.org";
    assert_eq!(listed.ask_with("GET", "/admin/clients", &[&right, origin], "").status, 200);
}

#[test]
fn administration_is_off_unless_a_file_has_a_token() {
    let mut site = Site::start(|_| {});
    let answer = site.get("/admin/clients");
    assert_eq!(answer.status.as_u16(), 403);
    assert!(super::text(&answer).contains("admin.token_file"));
    for (name, text, mode, part) in [
        ("short", "0123456789abcde", 0o600, "16 to 1024"),
        ("two", "0123456789abcdef 0123456789abcdef", 0o600, "without blanks"),
        ("lines", "0123456789abcdef\n0123456789abcdef\n", 0o600, "one line"),
        ("long", &"x".repeat(1_025), 0o600, "16 to 1024"),
        ("open", TOKEN, 0o644, "chmod 600"),
    ] {
        let file = TokenFile::new(name, text, mode);
        let error = start(&file.0).expect_err("no token");
        assert!(error.contains(part) && error.contains("admin.token_file"), "{name}: {error}");
        assert!(error.contains(&*file.0.to_string_lossy()) && !error.contains(text), "{error}");
    }
    for path in ["nowhere/token", "/"] {
        assert!(start(Path::new(path)).expect_err("no file").contains(path));
    }
}

fn start(file: &Path) -> Result<(), String> {
    let mut config = Config::default();
    config.listen.native = vec!["tcp://127.0.0.1:0".parse().expect("an address")];
    config.listen.http = Some("127.0.0.1:0".into());
    config.listen.websocket = None;
    config.admin.token_file = Some(file.to_owned());
    Server::start(config).map(|_| ()).map_err(|error| error.to_string())
}

#[test]
fn another_token_holds_as_soon_as_it_is_in_the_file() {
    let router = Administered::start("another", |_| {});
    assert_eq!(router.get("/admin/clients").status, 200);
    let other = "another-token-of-an-administrator";
    std::fs::write(&router.file.0, other).expect("our own file");
    assert_eq!(router.get("/admin/clients").status, 401);
    let other = format!("Authorization: Bearer {other}");
    assert_eq!(router.ask_with("GET", "/admin/clients", &[&other], "").status, 200);
    // A file that everybody may read protects nothing.
    router.file.allow(0o604);
    assert_eq!(router.ask_with("GET", "/admin/clients", &[&other], "").status, 500);
}

#[test]
fn lists_have_what_was_asked_for() {
    let router = Administered::start("lists", |_| {});
    let names = ["screen-1", "screen-2", "algo"];
    let mut clients: Vec<Client> = names.iter().map(|name| router.site.client(name)).collect();
    for (at, pattern) in [(0, "fx/*"), (0, "fx/EURUSD"), (1, "rates/>"), (2, ">")] {
        clients[at].subscribe(pattern, &Subscribe::every()).expect("a subscription");
    }
    clients[1].subscribe("fx/EUR*", &Subscribe::at_most(5)).expect("a subscription");
    clients[2].consume(&Consume::durable("audit", "orders/>")).expect("it stands");
    clients[0].producer("desk").expect("a producer");
    for (at, topic) in [(0, "fx/EURUSD"), (0, "fx/USDJPY"), (1, "rates/1y")] {
        let topic = clients[at].topic(topic).expect("a topic");
        clients[at].publish(topic, b"1").expect("it is sent");
    }
    let orders = clients[0].topic("orders/new").expect("a topic");
    let stored = clients[0].store(orders, 0, b"buy").expect("it is sent");
    clients[0].wait_stored(stored, PATIENCE).expect("it is stored");
    clients.iter_mut().for_each(|it| it.synchronise().expect("the router has it"));
    let of = |path: &str, list: &str, key: &str| -> Vec<String> {
        let listed = router.get(&format!("/admin/{path}")).listed(list);
        listed.iter().map(|it| it[key].as_str().expect("text").to_owned()).collect()
    };
    let sorted = |mut it: Vec<String>| {
        it.sort();
        it
    };
    assert_eq!(sorted(of("clients", "clients", "name")), ["algo", "screen-1", "screen-2"]);
    assert_eq!(sorted(of("clients?name=screen-*", "clients", "name")), ["screen-1", "screen-2"]);
    assert_eq!(of("clients?name=screen", "clients", "name"), [""; 0]);
    assert_eq!(of("clients?address=127.0.0.1:*&name=al*", "clients", "name"), ["algo"]);
    assert_eq!(of("clients?address=10.*", "clients", "name"), [""; 0]);
    let id = router.id("algo");
    assert_eq!(of(&format!("clients?client={id}"), "clients", "name"), ["algo"]);
    // Who may get something of it: also who subscribes to everything, or to a part.
    let who = |pattern: &str| {
        sorted(of(&format!("subscriptions?pattern={pattern}"), "subscriptions", "name"))
    };
    assert_eq!(who("fx/%3E"), ["algo", "screen-1", "screen-1", "screen-2"]);
    assert_eq!(who("fx/USDJPY"), ["algo", "screen-1"]);
    assert_eq!(who("rates/*"), ["algo", "screen-2"]);
    assert_eq!(who("orders/new"), ["algo", "algo"]);
    let of_algo = router.get(&format!("/admin/subscriptions?client={id}")).listed("subscriptions");
    let kinds: Vec<_> = of_algo.iter().map(|it| (&it["kind"], &it["durable"])).collect();
    assert_eq!(kinds, [(&"direct".into(), &"".into()), (&"durable".into(), &"audit".into())]);
    let conflated = router.get("/admin/subscriptions?name=screen-2").listed("subscriptions");
    let conflated: Vec<_> =
        conflated.iter().map(|it| (&it["pattern"], &it["is_conflated"])).collect();
    assert_eq!(conflated, [(&"rates/>".into(), &false.into()), (&"fx/EUR*".into(), &true.into())]);
    let topics = router.get("/admin/topics?pattern=fx/*").listed("topics");
    let matches = |name: &str| {
        let topic = topics.iter().find(|it| it["name"] == name).expect("a topic");
        (topic["messages"].as_u64(), topic["subscriptions"].as_u64())
    };
    assert_eq!(topics.len(), 2);
    assert_eq!(matches("fx/EURUSD"), (Some(1), Some(4)));
    assert_eq!(matches("fx/USDJPY"), (Some(1), Some(2)));
    assert_eq!(of("durables?pattern=orders/new", "durables", "name"), ["audit"]);
    assert_eq!(of("durables?name=aud*&pattern=fx/%3E", "durables", "name"), [""; 0]);
    let producers = router.get("/admin/producers?name=d*").listed("producers");
    assert_eq!(producers.len(), 1);
    assert_eq!(
        (&producers[0]["name"], &producers[0]["last_sequence"]),
        (&"desk".into(), &1.into())
    );
    assert_eq!(producers[0]["client"].as_u64(), Some(router.id("screen-1")));
    drop(clients);
    super::eventually("the producer's client has left", || {
        router.get("/admin/producers").listed("producers")[0]["client"].is_null()
    });
}

#[test]
fn a_list_comes_in_parts_that_are_together_all_of_it() {
    let router = Administered::start("parts", |_| {});
    let mut clients: Vec<Client> =
        (0..5).map(|number| router.site.client(&format!("c{number}"))).collect();
    for client in &mut clients {
        for number in 0..7 {
            client
                .subscribe(&format!("a/{number}/>"), &Subscribe::every())
                .expect("a subscription");
        }
        client.synchronise().expect("the router has it");
    }
    clients[4].consume(&Consume::replay("b", Start::All)).expect("a replay");
    for limit in [1, 3, 5, 36, 37, 1_000] {
        let (mut from, mut all) = ("0".to_owned(), Vec::new());
        loop {
            let page = router.get(&format!("/admin/subscriptions?limit={limit}&from={from}"));
            let page = page.json();
            let items = page["subscriptions"].as_array().expect("a list");
            assert!(items.len() <= limit, "{limit}: {}", items.len());
            let name = |it: &Value| format!("{} {}", it["client"], it["subscription"]);
            all.extend(items.iter().map(name));
            match page["next"].as_str() {
                Some(next) => from = next.to_owned(),
                None => break,
            }
        }
        assert_eq!(all.len(), 36, "{limit}");
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 36, "{limit}");
    }
    for place in ["clients", "subscriptions", "topics", "durables", "producers"] {
        for from in ["1", "4294967296", "9223372036854775808", "18446744073709551615"] {
            let page = router.get(&format!("/admin/{place}?from={from}"));
            assert_eq!(page.status, 200, "{place} from {from}: {page:?}");
        }
    }
}

#[test]
fn questions_that_are_none_are_told_what_is_wrong() {
    let router = Administered::start("questions", |_| {});
    for (path, status, part) in [
        ("/admin", 404, "/admin/clients"),
        ("/admin/client", 404, "/admin/clients"),
        ("/admin/clients/5", 404, "/admin/clients"),
        ("/admin/clients/", 404, "/admin/clients"),
        ("/admin//clients", 404, "/admin/clients"),
        ("/admin/admin/clients", 404, "/admin/clients"),
        ("/admin/clients?nmae=x", 400, "\"nmae\" is not known here; there are client, name"),
        ("/admin/topics?client=5", 400, "\"client\" is not known"),
        ("/admin/clients?client=x", 400, "client is a whole number, not \"x\""),
        ("/admin/clients?limit=0", 400, "limit is 1 to 1000, not 0"),
        ("/admin/clients?limit=1001", 400, "limit is 1 to 1000"),
        ("/admin/clients?name=%zz", 400, "name is no text"),
        ("/admin/subscriptions?pattern=a//b", 400, "at byte 2: a level is empty"),
        ("/admin/undrain", 405, "only POST"),
        ("/admin/clients/5/disconnect", 405, "only POST"),
        ("/administrators", 404, "there is no such page"),
    ] {
        let answer = router.get(path);
        assert_eq!(answer.status, status, "{path}: {answer:?}");
        assert!(answer.body.contains(part), "{path}: {answer:?}");
    }
    let long = format!(r#"{{"client":5,"reason":"{}"}}"#, "x".repeat(201));
    for (path, body, status, part) in [
        ("/admin/clients", "{}", 405, "only GET"),
        ("/admin/clients/x/disconnect", "{}", 400, "\"x\" is no number"),
        ("/admin/clients/disconnect", "{}", 400, "which client"),
        ("/admin/clients/disconnect", r#"{"all":true}"#, 400, "which client"),
        ("/admin/clients/disconnect", r#"{"nmae":"x"}"#, 400, "unknown field `nmae`"),
        ("/admin/clients/disconnect", r#"{"client":-1}"#, 400, "invalid value"),
        ("/admin/clients/disconnect", "name=x", 400, "the body: "),
        ("/admin/clients/disconnect", &long, 400, "at most 200 bytes"),
        ("/admin/clients/disconnect", r#"{"client":5,"reason":"a\nb"}"#, 400, "control"),
        ("/admin/drain", r#"{"timeout_ms":"x"}"#, 400, "the body: "),
        ("/admin/drain", "", 400, "the body: "),
        ("/admin/undrain", r#"{"all":true}"#, 400, "unknown field `all`"),
        ("/admin/nothing", "{}", 404, "/admin/clients"),
    ] {
        let answer = router.post(path, body);
        assert_eq!(answer.status, status, "{path} {body}: {answer:?}");
        assert!(answer.body.contains(part), "{path} {body}: {answer:?}");
    }
    let huge = format!(r#"{{"name":"{}"}}"#, "x".repeat(5_000));
    assert_eq!(router.post("/admin/clients/disconnect", &huge).status, 413);
}

#[test]
fn a_client_is_disconnected_and_told_why() {
    let router = Administered::start("disconnect", |_| {});
    let [mut greedy, mut bystander] = ["greedy", "bystander"].map(|it| router.site.client(it));
    bystander.subscribe("a", &Subscribe::every()).expect("a subscription");
    let id = router.id("greedy");
    let path = format!("/admin/clients/{id}/disconnect");
    let ended = router.post(&path, r#"{"reason":"asked to by the desk"}"#).json();
    assert_eq!(ended["count"], 1);
    assert_eq!(
        (&ended["clients"][0]["id"], &ended["clients"][0]["name"]),
        (&id.into(), &"greedy".into())
    );
    let (code, reason) = end_of(&mut greedy);
    assert_eq!(code, code::DISCONNECTED);
    assert_eq!(reason, "an administrator disconnected the client: asked to by the desk");
    bystander.synchronise().expect("it is connected");
    // It may come back, as another client.
    let _greedy = router.site.client("greedy");
    let answer = router.post(&path, "{}");
    assert_eq!((answer.status, answer.body.contains("no client")), (404, true), "{answer:?}");
}

#[test]
fn several_clients_are_disconnected_only_if_that_is_meant() {
    let router = Administered::start("several", |_| {});
    let mut clients: Vec<Client> =
        (0..600).map(|number| router.site.client(&format!("test-{number}"))).collect();
    let mut other = router.site.client("desk");
    let answer = router.post("/admin/clients/disconnect", r#"{"name":"test-*"}"#);
    assert_eq!(answer.status, 409, "{answer:?}");
    assert!(answer.body.contains("600 clients are meant (test-0#"), "{answer:?}");
    clients.iter_mut().for_each(|it| it.synchronise().expect("it is connected"));
    let one = router.post("/admin/clients/disconnect", r#"{"name":"test-7"}"#).json();
    assert_eq!(one["count"], 1);
    assert_eq!(end_of(&mut clients.remove(7)).0, code::DISCONNECTED);
    let body = r#"{"name":"test-*","all":true}"#;
    let all = router.post("/admin/clients/disconnect", body).json();
    assert_eq!(all["count"], 599);
    assert_eq!(all["clients"].as_array().map(Vec::len), Some(100));
    for client in &mut clients {
        assert_eq!(
            end_of(client),
            (code::DISCONNECTED, "an administrator disconnected the client".to_owned())
        );
    }
    other.synchronise().expect("it is connected");
    let none = router.post("/admin/clients/disconnect", r#"{"name":"test-*","all":true}"#);
    assert_eq!(none.status, 404, "{none:?}");
}

#[test]
fn a_draining_router_accepts_no_clients_and_is_not_ready() {
    let router = Administered::start("drain", |_| {});
    let mut screen = router.site.client("screen");
    screen.subscribe("a", &Subscribe::every()).expect("a subscription");
    let mut feed = router.site.client("feed");
    assert_eq!(router.get("/admin/drain").json()["is_draining"], false);
    let drain = router.post("/admin/drain", r#"{"reason":"back at 7 pm"}"#).json();
    assert_eq!((&drain["is_draining"], &drain["stops"]), (&true.into(), &false.into()));
    for path in ["/health/ready", "/health/ready/direct"] {
        let answer = router.ask_with("GET", path, &[], "");
        assert_eq!(
            (answer.status, &*answer.body),
            (503, "draining for maintenance: back at 7 pm\n")
        );
    }
    assert_eq!(router.ask_with("GET", "/health", &[], "").status, 200);
    let address = place(&router.site.router, "native");
    match Client::connect(&address, &Options::named("late")) {
        Err(Error::Closed { code, reason }) => {
            assert_eq!(code, code::DRAINING);
            assert_eq!(reason, "the router is draining for maintenance: back at 7 pm");
        }
        other => panic!("{:?}", other.map(|_| ())),
    }
    // Those who are there are told once, and served.
    assert_eq!(notice(&mut screen), (code::DRAINING, "back at 7 pm".to_owned()));
    let topic = feed.topic("a").expect("a topic");
    feed.publish(topic, b"1").expect("it is sent");
    feed.synchronise().expect("an answer");
    super::take(&mut screen, 1);
    super::eventually("nothing waits", || router.get("/admin/drain").json()["is_empty"] == true);
    assert_eq!(router.post("/admin/undrain", "{}").json()["is_draining"], false);
    assert_eq!(router.status(), 200);
    assert_eq!(notice(&mut screen), (code::IN_SERVICE, String::new()));
    let mut late = router.site.client("late");
    late.synchronise().expect("it is accepted");
    router.post("/admin/undrain", "{}");
    router.post("/admin/drain", "{}");
    // It knew nothing of the drain before, nor of its end.
    assert_eq!(notice(&mut late), (code::DRAINING, String::new()));
    assert_eq!(notice(&mut feed).0, code::DRAINING);
}

/// What the router says of itself next.
fn notice(client: &mut Client) -> (u16, String) {
    let mut seen = None;
    while seen.is_none() {
        let note = &mut |event: Event<'_>| match event {
            Event::Notice(it) => seen = Some((it.code, it.text.to_owned())),
            Event::Message(_) => {}
            other => panic!("{other:?}"),
        };
        assert_ne!(client.receive(Some(PATIENCE), note).expect("it is connected"), 0);
    }
    seen.expect("it was told")
}

#[test]
fn a_drain_waits_for_what_waits_and_no_longer_than_it_may() {
    let router = Administered::start("overdue", |config| config.limits.output_bytes = 4_096);
    let mut screen = router.site.client("screen");
    screen.subscribe("a", &Subscribe::every()).expect("a subscription");
    screen.synchronise().expect("an answer");
    let mut feed = router.site.client("feed");
    let topic = feed.topic("a").expect("a topic");
    // More than sockets hold, and the screen reads nothing.
    const MESSAGES: usize = 400;
    for _ in 0..MESSAGES {
        feed.publish(topic, &[7; 64 << 10]).expect("it is sent");
    }
    feed.synchronise().expect("an answer");
    router.post("/admin/drain", r#"{"timeout_ms":50}"#).json();
    super::eventually("it is overdue", || router.get("/admin/drain").json()["is_overdue"] == true);
    assert_eq!(router.get("/admin/drain").json()["is_empty"], false);
    // It goes on to drain.
    super::take(&mut screen, MESSAGES);
    super::eventually("nothing waits", || router.get("/admin/drain").json()["is_empty"] == true);
    router.post("/admin/drain", r#"{"stop":true}"#).json();
    assert_eq!(end_of(&mut screen).0, code::STOPPING);
    router.site.router.wait().expect("it has stopped");
}

#[test]
fn a_rotated_journal_has_a_complete_segment_and_loses_nothing() {
    let folder = std::env::temp_dir().join(format!("trunkline-rotation-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    let start = || {
        Administered::start("rotate", |config| {
            config.journal.directory = Some(folder.clone());
            config.journal.segment_bytes = 1 << 20;
            config.journal.bytes = 64 << 20;
            config.limits.frame_bytes = 64 << 10;
        })
    };
    let router = start();
    let mut desk = router.site.client("desk");
    desk.producer("desk").expect("a producer");
    let topic = desk.topic("orders").expect("a topic");
    let mut store = |count: u8| {
        for number in 0..count {
            let stored = desk.store(topic, 0, &[number]).expect("it is sent");
            desk.wait_stored(stored, PATIENCE).expect("it is stored");
        }
    };
    let mut files = Vec::new();
    for _ in 0..3 {
        store(5);
        let rotated = router.post("/admin/rotate", "{}").json();
        let [file, index] =
            ["file", "index"].map(|it| rotated[it].as_str().expect("text").to_owned());
        super::eventually("its index is written", || folder.join(&index).exists());
        assert!(folder.join(&file).exists(), "{file}");
        files.push(file);
    }
    files.dedup();
    assert_eq!(files.len(), 3, "{files:?}");
    // Nothing has happened since.
    let again = router.post("/admin/rotate", "{}").json();
    assert_eq!(again["file"].as_str(), files.last().map(String::as_str));
    store(1);
    drop(router);
    let router = start();
    let mut reader = router.site.client("reader");
    reader.consume(&Consume::replay("orders", Start::All)).expect("a replay");
    let mut taken = 0;
    while taken < 16 {
        let take =
            &mut |event: Event<'_>| taken += usize::from(matches!(event, Event::Delivery(_)));
        reader.receive(Some(PATIENCE), take).expect("messages");
    }
    drop((reader, router));
    std::fs::remove_dir_all(&folder).expect("our own folder");
    let router = Administered::start("memory", |_| {});
    let answer = router.post("/admin/rotate", "{}");
    assert_eq!(answer.status, 503, "{answer:?}");
    assert!(answer.body.contains("journal.directory"), "{answer:?}");
}

#[test]
fn floods_and_half_sent_bodies_do_not_keep_an_administrator_out() {
    let router = Administered::start("floods", |_| {});
    let _client = router.site.client("desk");
    let address = place(&router.site.router, "http");
    let address = authority(&address);
    let mut halves = Vec::new();
    for _ in 0..100 {
        let mut stream = TcpStream::connect(address).expect("a connection");
        let half = format!(
            "POST /admin/drain HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\n\
             Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{{\"reason\":"
        );
        // It may have been closed for others by now.
        let _ = stream.write_all(half.as_bytes());
        halves.push(stream);
        let guess =
            router.ask_with("GET", "/admin/clients", &["Authorization: Bearer guessed"], "");
        assert_eq!(guess.status, 401);
    }
    assert_eq!(router.get("/admin/clients").listed("clients").len(), 1);
    // What was not sent as a whole was not done.
    assert_eq!(router.get("/admin/drain").json()["is_draining"], false);
}
