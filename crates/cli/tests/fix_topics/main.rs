//! FIX sessions joined to topics by `trunkline serve`, as both sides of a session see it.

mod sides;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use trunkline_bench::folder::PrivateFolder;
use trunkline_client::{Client, Consume, Event, Options, Start, format};
use trunkline_fix::tcp::{Handle, TcpConfig};
use trunkline_fix::{
    Application, Identity, JournalStore, Message, Outbox, Refusal, Role, Session, Settings, Version,
};

const PATIENCE: Duration = Duration::from_secs(60);

const RULES: &str = r#"
[[fix.rule]]
messages = ["NewOrderSingle"]
topic = "orders/{SenderCompID}/{Symbol}"

[[fix.rule]]
messages = ["R"]
topic = "quotes/{QuoteReqID}"
delivery = "direct"

[[fix.send]]
topics = "reports/{TargetCompID}"
"#;

/// A router with FIX sessions, as a process; killed at the latest when this is dropped.
struct Serving {
    child: Child,
    native: String,
    fix: String,
}

impl Serving {
    fn start(folder: &Path) -> Self {
        let child = Command::new(env!("CARGO_BIN_EXE_trunkline"))
            .args(["serve", "--config"])
            .arg(folder.join("trunkline.toml"))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        let mut serving = Self { child, native: String::new(), fix: String::new() };
        let out = BufReader::new(serving.child.stdout.take().expect("a pipe"));
        for line in out.lines().map_while(Result::ok) {
            if let Some(at) = line.strip_prefix("listening native ") {
                serving.native = at.to_owned();
            } else if let Some(at) = line.strip_prefix("listening fix ") {
                serving.fix = at.to_owned();
            } else if line == "ready" {
                return serving;
            }
        }
        panic!("it ends before it is ready");
    }

    fn client(&self, name: &str) -> Client {
        Client::connect(&self.native, &Options::named(name)).expect("it listens")
    }

    fn kill(&mut self) {
        self.child.kill().expect("SIGKILL");
        self.child.wait().expect("it has ended");
    }

    /// Asks it to stop, and waits until it has.
    fn stop(&mut self) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").arg(id).status().expect("kill runs").success());
        assert_eq!(self.child.wait().expect("it ends").code(), Some(0));
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn folder(rules: &str) -> PrivateFolder {
    let folder = PrivateFolder::new().expect("a folder");
    let at = |name| folder.path().join(name);
    let text = format!(
        "listen.native = \"tcp://127.0.0.1:0\"\nlisten.http = \"off\"\nlisten.websocket = \"off\"\n\
         [journal]\ndirectory = {:?}\nsegment_bytes = \"4 MiB\"\n\
         [[fix]]\nlisten = \"127.0.0.1:0\"\nsender = \"BANK\"\ntargets = [\"FUND\", \"DESK\"]\nstore = {:?}\n{rules}",
        at("journal"),
        at("fix")
    );
    std::fs::write(at("trunkline.toml"), text).expect("a file");
    folder
}

/// What came in a session.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Came(String);

impl Came {
    fn get(&self, tag: &str) -> Option<&str> {
        self.0
            .split('\u{1}')
            .find_map(|it| it.split_once('=').filter(|it| it.0 == tag))
            .map(|it| it.1)
    }
}

/// Keeps what came.
#[derive(Clone, Default)]
struct Customer(Arc<Mutex<Vec<Came>>>);

impl Application for Customer {
    fn message(&mut self, message: Message<'_>, _outbox: &mut Outbox) -> Result<(), Refusal> {
        let text = String::from_utf8(message.bytes().to_vec()).expect("text");
        self.0.lock().expect("nobody panics").push(Came(text));
        Ok(())
    }
}

impl Customer {
    fn count(&self) -> usize {
        self.0.lock().expect("nobody panics").len()
    }

    /// All that came, once there is so much.
    fn wait_for(&self, count: usize) -> Vec<Came> {
        wait_until(&format!("{count} messages come"), || self.count() >= count);
        self.0.lock().expect("nobody panics").clone()
    }
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < end, "{what}");
        thread::sleep(Duration::from_millis(2));
    }
}

/// The session of a customer with its store.
fn session(folder: &Path, name: &str, customer: Customer) -> Handle {
    let store = folder.join(format!("store-{name}"));
    std::fs::create_dir_all(&store).expect("a folder");
    let store = JournalStore::open(&store, 64 << 20).expect("a store");
    let settings = Settings::new(Role::Initiator, Identity::new(Version::Fix44, name, "BANK"));
    Handle::new(Session::new(settings, None, Box::new(store)), customer)
}

/// A customer's session whose connection is made again whenever it ends, to wherever the other side is by then.
struct Connecting {
    session: Handle,
    address: Arc<Mutex<String>>,
    is_stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Connecting {
    fn start(session: Handle, address: &str) -> Self {
        let address = Arc::new(Mutex::new(address.to_owned()));
        let is_stopped = Arc::new(AtomicBool::new(false));
        let (own, at, stop) = (session.clone(), address.clone(), is_stopped.clone());
        let thread = thread::spawn(move || {
            while !stop.load(Ordering::Acquire) {
                let at = at.lock().expect("nobody panics").clone();
                let _ = own.connect(&at, &TcpConfig::default());
                thread::sleep(Duration::from_millis(5));
            }
        });
        Self { session, address, is_stopped, thread: Some(thread) }
    }

    fn move_to(&self, address: &str) {
        address.clone_into(&mut self.address.lock().expect("nobody panics"));
    }

    fn wait_for_logon(&self) {
        wait_until("it logs on", || self.session.is_logged_on());
    }
}

impl Drop for Connecting {
    fn drop(&mut self) {
        self.is_stopped.store(true, Ordering::Release);
        self.session.log_out(None);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn order(id: &str, symbol: &str) -> String {
    format!("11={id}\u{1}55={symbol}\u{1}54=1\u{1}38=100\u{1}40=1\u{1}60=20261126-09:30:00\u{1}")
}

fn report(id: &str) -> String {
    format!(
        "35=8\u{1}37=o-{id}\u{1}17=e-{id}\u{1}150=0\u{1}39=0\u{1}11={id}\u{1}55=INTC\u{1}54=1\u{1}151=100\u{1}14=0\u{1}6=0\u{1}"
    )
}

/// Takes the guaranteed messages that are there for a durable subscription, until there are so many.
fn consume(client: &mut Client, count: usize) -> Vec<(String, Came)> {
    let mut taken = Vec::new();
    let end = Instant::now() + PATIENCE;
    while taken.len() < count {
        assert!(Instant::now() < end, "{count} messages come, and not {taken:?}");
        let mut done = Vec::new();
        let mut handler = |event: Event<'_>| {
            if let Event::Delivery(it) = event {
                let text = String::from_utf8(it.payload.to_vec()).expect("text");
                taken.push((it.topic.to_owned(), Came(text)));
                done.push((it.subscription, it.position));
            }
        };
        client.receive(Some(Duration::from_millis(50)), &mut handler).expect("a connection");
        for (subscription, position) in done {
            client.acknowledge(subscription, position).expect("a connection");
        }
    }
    client.synchronise().expect("a connection");
    taken
}

#[test]
fn an_order_is_stored_on_its_topic_and_its_report_comes_back() {
    let folder = folder(RULES);
    let mut serving = Serving::start(folder.path());
    let mut gateway = serving.client("gateway");
    let orders = Consume { start: Start::All, ..Consume::durable("gateway", "orders/>") };
    gateway.consume(&orders).expect("a durable subscription");
    gateway.producer("gateway").expect("a producer");
    let customer = Customer::default();
    let fund = Connecting::start(session(folder.path(), "FUND", customer.clone()), &serving.fix);
    fund.wait_for_logon();
    fund.session.send("D", order("a-1", "EUR/USD").as_bytes()).expect("it is kept");
    let (topic, came) = consume(&mut gateway, 1).remove(0);
    assert_eq!(topic, "orders/FUND/EUR%2FUSD");
    assert_eq!(
        ["35", "49", "56", "34", "11"].map(|it| came.get(it)),
        ["D", "FUND", "BANK", "2", "a-1"].map(Some)
    );
    // Reports for one session are not those of another, and wait while nobody is logged on.
    for (topic, id) in [("reports/DESK", "d-1"), ("reports/FUND", "a-1")] {
        let topic = gateway.topic(topic).expect("a topic");
        gateway.store(topic, format::FIX, report(id).as_bytes()).expect("it is stored");
    }
    let came = customer.wait_for(1).remove(0);
    assert_eq!(
        ["35", "49", "56", "11", "17", "97"].map(|it| came.get(it)),
        [Some("8"), Some("BANK"), Some("FUND"), Some("a-1"), Some("e-a-1"), None]
    );
    // So they do over a restart.
    drop(fund);
    serving.stop();
    let serving = Serving::start(folder.path());
    let other = Customer::default();
    let desk = Connecting::start(session(folder.path(), "DESK", other.clone()), &serving.fix);
    let came = other.wait_for(1).remove(0);
    assert_eq!(["11", "43", "97"].map(|it| came.get(it)), [Some("d-1"), None, None]);
    drop(desk);
    let fund = Connecting::start(session(folder.path(), "FUND", customer.clone()), &serving.fix);
    fund.wait_for_logon();
    assert_eq!(customer.count(), 1);
}

/// Positions of a new journal are those of the old one once more.
#[test]
fn reports_of_a_journal_that_began_anew_are_sent_as_others() {
    const REPORTS: usize = 20;
    let folder = folder(RULES);
    let customer = Customer::default();
    let mut ids = BTreeSet::new();
    for round in 1..=2 {
        let mut serving = Serving::start(folder.path());
        let mut gateway = serving.client("gateway");
        gateway.producer("gateway").expect("a producer");
        let fund = session(folder.path(), "FUND", customer.clone());
        let fund = Connecting::start(fund, &serving.fix);
        fund.wait_for_logon();
        let topic = gateway.topic("reports/FUND").expect("a topic");
        for number in 0..REPORTS {
            let id = format!("{round}-{number}");
            gateway.store(topic, format::FIX, report(&id).as_bytes()).expect("it is stored");
            ids.insert(id);
        }
        let came = customer.wait_for(round * REPORTS);
        let came = came.iter().map(|it| it.get("11").expect("a report").to_owned());
        assert_eq!(came.collect::<BTreeSet<_>>(), ids);
        drop(fund);
        serving.stop();
        std::fs::remove_dir_all(folder.path().join("journal")).expect("a folder");
    }
}

#[test]
fn guaranteed_messages_need_a_journal_on_a_disk() {
    let folder = folder(RULES);
    let file = folder.path().join("trunkline.toml");
    let text = std::fs::read_to_string(&file).expect("a file");
    let text = text.lines().filter(|it| !it.starts_with("directory = "));
    let text = text.collect::<Vec<_>>().join("\n");
    std::fs::write(&file, text).expect("a file");
    for verb in [&["serve", "--config"][..], &["config", "check"]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_trunkline"));
        let ended = command.args(verb).arg(&file).output().expect("the program runs");
        let said = String::from_utf8_lossy(&ended.stderr);
        assert!(!ended.status.success() && said.contains("write directory = "), "{verb:?}: {said}");
    }
}

#[test]
fn what_no_rule_takes_is_refused_and_direct_messages_are_published() {
    let folder = folder(RULES);
    let serving = Serving::start(folder.path());
    let customer = Customer::default();
    let fund = Connecting::start(session(folder.path(), "FUND", customer.clone()), &serving.fix);
    fund.wait_for_logon();
    let no_symbol = "11=a-1\u{1}54=1\u{1}38=100\u{1}40=1\u{1}60=20261126-09:30:00\u{1}";
    fund.session.send("D", no_symbol.as_bytes()).expect("it is kept");
    fund.session.send("G", order("a-2", "INTC").as_bytes()).expect("it is kept");
    let came = customer.wait_for(2);
    let said: Vec<_> =
        came.iter().map(|it| ["35", "45", "372", "380"].map(|tag| it.get(tag))).collect();
    assert_eq!(said, [["j", "2", "D", "5"].map(Some), ["j", "3", "G", "3"].map(Some)]);
    assert_eq!(
        came[0].get("58"),
        Some("Symbol (55) is missing, of which the topic orders/{SenderCompID}/{Symbol} is made")
    );
    let mut quotes = serving.client("quotes");
    quotes.subscribe("quotes/*", &trunkline_client::Subscribe::every()).expect("a subscription");
    fund.session.send("R", b"131=q-1\x01146=1\x0155=INTC\x01").expect("it is kept");
    let mut topics = Vec::new();
    let end = Instant::now() + PATIENCE;
    while topics.is_empty() && Instant::now() < end {
        let mut handler = |event: Event<'_>| {
            if let Event::Message(it) = event {
                topics.push((it.topic.to_owned(), it.format));
            }
        };
        quotes.receive(Some(Duration::from_millis(50)), &mut handler).expect("a connection");
    }
    assert_eq!(topics, [("quotes/q-1".to_owned(), format::FIX)]);
}

/// Where the gateway connects, and whether it is to end.
struct Place {
    native: Mutex<String>,
    is_over: AtomicBool,
}

/// The orders that a gateway was given, and the report that it has not seen stored.
#[derive(Default)]
struct Book {
    taken: BTreeSet<String>,
    reports: Vec<String>,
}

/// Answers each order once, over the death of the router: what it has stored before a connection broke it learns from the
/// sequence of its producer.
fn gateway(place: &Place) -> Book {
    let mut book = Book::default();
    while !place.is_over.load(Ordering::Acquire) {
        let native = place.native.lock().expect("nobody panics").clone();
        let _ = Client::connect(&native, &Options::named("gateway"))
            .and_then(|client| answer(client, &mut book, place));
        thread::sleep(Duration::from_millis(5));
    }
    book
}

fn answer(mut client: Client, book: &mut Book, place: &Place) -> trunkline_client::Result<()> {
    let stored = client.producer("gateway")?;
    let topic = client.topic("reports/FUND")?;
    for id in &book.reports[usize::try_from(stored).expect("a few")..] {
        client.store(topic, format::FIX, report(id).as_bytes())?;
    }
    let orders = Consume { start: Start::All, ..Consume::durable("gateway", "orders/>") };
    client.consume(&orders)?;
    while !place.is_over.load(Ordering::Acquire) {
        let mut orders = Vec::new();
        client.receive(Some(Duration::from_millis(20)), &mut |event| {
            if let Event::Delivery(it) = event {
                let came = Came(String::from_utf8(it.payload.to_vec()).expect("text"));
                let id = came.get("11").expect("an order").to_owned();
                orders.push((it.subscription, it.position, it.is_repeated, came, id));
            }
        })?;
        for (_, _, is_repeated, came, id) in &orders {
            if book.taken.insert(id.clone()) {
                book.reports.push(id.clone());
                client.store(topic, format::FIX, report(id).as_bytes())?;
            } else {
                // The router delivers again what it had no acknowledgement for; a session stores nothing twice.
                assert!(*is_repeated, "{came:?} is there twice");
            }
        }
        // What a former connection has stored is not acknowledged here again.
        let last = book.reports.len() as u64;
        if !client.unacknowledged().is_empty() {
            client.wait_stored(last, PATIENCE)?;
        }
        for (subscription, position, ..) in orders {
            client.acknowledge(subscription, position)?;
        }
    }
    Ok(())
}

/// The router is killed under load, again and again: each order has one outcome.
#[test]
fn each_order_has_one_outcome_however_often_the_router_is_killed() {
    const ORDERS: usize = 3_000;
    const KILLS: usize = 6;
    let folder = folder(RULES);
    let mut serving = Serving::start(folder.path());
    let place = Arc::new(Place {
        native: Mutex::new(serving.native.clone()),
        is_over: AtomicBool::new(false),
    });
    let customer = Customer::default();
    let fund = Connecting::start(session(folder.path(), "FUND", customer.clone()), &serving.fix);
    let book = {
        let place = place.clone();
        thread::spawn(move || gateway(&place))
    };
    let sending = {
        let (session, customer) = (fund.session.clone(), customer.clone());
        thread::spawn(move || {
            for number in 0..ORDERS {
                wait_until("reports come", || number < customer.count() + 300);
                session.send("D", order(&format!("a-{number}"), "INTC").as_bytes()).expect("kept");
            }
        })
    };
    for kill in 1..=KILLS {
        let so_many = kill * ORDERS / (KILLS + 1);
        wait_until("reports come", || customer.count() >= so_many);
        serving.kill();
        serving = Serving::start(folder.path());
        serving.native.clone_into(&mut place.native.lock().expect("nobody panics"));
        fund.move_to(&serving.fix);
    }
    sending.join().expect("all is sent");
    customer.wait_for(ORDERS);
    // What is still on its way would be too much.
    thread::sleep(Duration::from_millis(300));
    place.is_over.store(true, Ordering::Release);
    let book = book.join().expect("nothing is there twice");
    let mut outcomes = BTreeMap::new();
    for came in customer.wait_for(ORDERS) {
        assert_eq!(came.get("35"), Some("8"), "{came:?}");
        *outcomes.entry(came.get("11").expect("an order").to_owned()).or_insert(0) += 1;
    }
    let all: BTreeMap<_, _> = (0..ORDERS).map(|it| (format!("a-{it}"), 1)).collect();
    assert_eq!(outcomes, all);
    assert_eq!(book.taken.len(), ORDERS);
}

const MARKET_DATA: &str = r#"
[[last_value]]
topics = "fx/>"

[[fix.market_data]]
topic = "fx/{Symbol}"
symbols = ["EUR/*", "USD/JPY"]
updates_per_second = 20
"#;

/// `[[last_value]]` is of the router, so it is first.
fn market_folder() -> PrivateFolder {
    folder(MARKET_DATA)
}

fn price(number: usize) -> String {
    format!("35=W\u{1}55=EUR/USD\u{1}262=other\u{1}268=1\u{1}269=0\u{1}270={number}\u{1}271=1\u{1}")
}

#[test]
fn market_data_is_what_a_request_asks_for_until_it_is_ended() {
    let folder = market_folder();
    let serving = Serving::start(folder.path());
    let mut feed = serving.client("feed");
    let topic = feed.topic("fx/EUR%2FUSD").expect("a topic");
    feed.publish_as(topic, format::FIX, price(0).as_bytes()).expect("a connection");
    feed.synchronise().expect("a connection");
    let customer = Customer::default();
    let fund = Connecting::start(session(folder.path(), "FUND", customer.clone()), &serving.fix);
    fund.wait_for_logon();
    let request = |id: &str, kind: u32, symbol: &str| {
        let body = format!(
            "262={id}\u{1}263={kind}\u{1}264=1\u{1}267=1\u{1}269=0\u{1}146=1\u{1}55={symbol}\u{1}"
        );
        fund.session.send("V", body.as_bytes()).expect("it is kept");
    };
    request("r-1", 1, "EUR/USD");
    // The last value comes first.
    let came = customer.wait_for(1);
    assert_eq!(
        ["35", "262", "55", "270", "43"].map(|it| came[0].get(it)),
        [Some("W"), Some("r-1"), Some("EUR/USD"), Some("0"), None]
    );
    for (id, kind, symbol, answer) in [
        ("r-1", 1, "EUR/USD", ["Y", "r-1", "1"]),
        ("r-2", 1, "GBP/USD", ["Y", "r-2", "0"]),
        ("r-3", 0, "EUR/USD", ["Y", "r-3", "4"]),
    ] {
        let before = customer.count();
        request(id, kind, symbol);
        let came = customer.wait_for(before + 1);
        let said = ["35", "262", "281"].map(|it| came[before].get(it));
        assert_eq!(said, answer.map(Some), "{:?}", came[before]);
    }
    // Of many updates the newest comes in any case, and most do not.
    let before = customer.count();
    for number in 1..=5_000 {
        feed.publish_as(topic, format::FIX, price(number).as_bytes()).expect("a connection");
    }
    wait_until("the newest comes", || {
        let came = customer.wait_for(before);
        came.last().is_some_and(|it| it.get("270") == Some("5000"))
    });
    let prices: Vec<u32> = customer.wait_for(before)[before..]
        .iter()
        .map(|it| it.get("270").and_then(|it| it.parse().ok()).expect("a price"))
        .collect();
    assert!(prices.is_sorted() && prices.len() < 2_500, "{prices:?}");
    request("r-1", 2, "EUR/USD");
    // What is answered behind it shows that it is done.
    request("r-1", 2, "EUR/USD");
    let so_many = || {
        let came = customer.wait_for(before);
        came.iter().position(|it| it.get("35") == Some("j"))
    };
    wait_until("it is not open any more", || so_many().is_some());
    feed.publish_as(topic, format::FIX, price(9_999).as_bytes()).expect("a connection");
    feed.synchronise().expect("a connection");
    request("r-4", 1, "EUR/USD");
    wait_until("the last value comes", || {
        let came = customer.wait_for(before);
        came.last().is_some_and(|it| it.get("262") == Some("r-4"))
    });
    let came = customer.wait_for(before);
    let late = came.iter().filter(|it| it.get("270") == Some("9999")).count();
    assert_eq!(late, 1, "{came:?}");
}
