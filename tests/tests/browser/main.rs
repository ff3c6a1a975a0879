//! A page in a real browser, Debian's chromium, on a router of ours.

use std::env;
use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use trunkline_client::{Client, Consume, Event, Options, Reply, Subscribe, format};
use trunkline_http::{self as http, Handler, Method, Peer, Request, Response, StatusCode};
use trunkline_server::{Config, Running, Server};
use trunkline_tests::skip::skip;

/// A browser on a busy machine takes its time.
const PATIENCE: Duration = Duration::from_secs(120);
/// Updates of the capped topic; the page waits for the last one.
const UPDATES: u64 = 500;

/// Serves the page, and hands over what it reports.
struct Site {
    reports: Sender<String>,
}

impl Handler for Site {
    type Connection = ();

    fn connect(&self, _: &Peer) {}

    fn handle(&self, (): &mut (), request: &Request<'_>, response: &mut Response) {
        match (request.method, request.path) {
            (&Method::GET, "/") => {
                response.body = include_bytes!("page.html").to_vec();
                response.content_type("text/html; charset=utf-8");
            }
            (&Method::GET, "/orders") => {
                let page = include_str!("../../../docs/examples/orders.html");
                let driver = include_str!("orders.js");
                response.body = format!("{page}<script>\n{driver}</script>\n").into_bytes();
                response.content_type("text/html; charset=utf-8");
            }
            (&Method::POST, "/result") => {
                // The test may have given up.
                let _ = self.reports.send(String::from_utf8_lossy(request.body).into_owned());
            }
            _ => *response = Response::text(StatusCode::NOT_FOUND, "not here"),
        }
    }
}

/// A browser with a page, and its folder; both go when this is dropped.
struct Browser {
    child: Child,
    folder: PathBuf,
}

impl Browser {
    fn open(name: &str, url: &str) -> Option<Self> {
        let folder =
            env::temp_dir().join(format!("trunkline-browser-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder for the browser");
        let child = Command::new("chromium")
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
            .args(["--no-first-run", "--disable-background-networking", "--disable-sync"])
            .arg(format!("--user-data-dir={}", folder.display()))
            .arg(url)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(fs::File::create(folder.join("stderr")).expect("a file"))
            // It has children of its own, which go with it.
            .process_group(0)
            .spawn();
        match child {
            Ok(child) => Some(Self { child, folder }),
            Err(_) => {
                let _ = fs::remove_dir_all(&folder);
                None
            }
        }
    }

    fn said(&self) -> String {
        fs::read_to_string(self.folder.join("stderr")).unwrap_or_default()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if let Some(group) = rustix::process::Pid::from_raw(self.child.id().cast_signed()) {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.child.wait();
        // Its children may write there until they are gone.
        let until = Instant::now() + Duration::from_secs(5);
        while fs::remove_dir_all(&self.folder).is_err() && Instant::now() < until {
            thread::sleep(Duration::from_millis(10));
        }
    }
}

fn router() -> Running {
    let mut config = Config::default();
    config.listen.native = vec!["tcp://127.0.0.1:0".parse().expect("an address")];
    config.listen.http = None;
    config.listen.websocket = Some("127.0.0.1:0".into());
    Server::start(config).expect("a router")
}

fn address(router: &Running, protocol: &str) -> String {
    let found = router.addresses().iter().find(|it| it.protocol == protocol);
    found.expect("a listener").url()
}

/// Doubles what it is asked, and publishes the updates once the page is ready.
fn feed(mut client: Client) {
    client.subscribe("svc/double", &Subscribe::every()).expect("a subscription");
    client.subscribe("page/ready", &Subscribe::every()).expect("a subscription");
    let topic = client.topic("fx/EURUSD").expect("a topic");
    let (mut is_ready, mut has_answered) = (false, false);
    while !(is_ready && has_answered) {
        let mut asked = None;
        let heard = client.receive(Some(PATIENCE), &mut |event| {
            if let Event::Message(message) = event {
                is_ready |= message.topic == "page/ready";
                if let Some(request) = message.request {
                    let number = String::from_utf8_lossy(message.payload).parse::<u64>();
                    asked = Some((request, number.expect("a number")));
                }
            }
        });
        if heard.is_err() {
            // The router is gone: the test has failed already.
            return;
        }
        if let Some((request, number)) = asked {
            let reply = Reply { format: format::TEXT, payload: (2 * number).to_string().into() };
            client.reply(request, &reply).expect("it is sent");
            has_answered = true;
        }
    }
    for update in 1..=UPDATES {
        client.publish(topic, update.to_string().as_bytes()).expect("it is sent");
    }
    // What is on its way is taken before the connection ends.
    client.synchronise().expect("an answer");
}

/// What the page wrote into its document.
fn report(browser: &mut Browser, reports: &mpsc::Receiver<String>) -> Value {
    let until = Instant::now() + PATIENCE;
    loop {
        match reports.recv_timeout(Duration::from_millis(200)) {
            Ok(report) => return serde_json::from_str(&report).expect(&report),
            Err(RecvTimeoutError::Disconnected) => panic!("the site is gone"),
            Err(RecvTimeoutError::Timeout) => {}
        }
        let ended = browser.child.try_wait().expect("a child of ours");
        assert!(ended.is_none(), "the browser ended, {ended:?}: {}", browser.said());
        assert!(Instant::now() < until, "the page reported nothing: {}", browser.said());
    }
}

#[test]
fn a_page_of_a_browser_is_a_client_like_any_other() {
    let router = router();
    let (sender, reports) = mpsc::channel();
    let site = http::Server::bind("127.0.0.1:0", http::Config::default()).expect("a port");
    let site = site.serve(Site { reports: sender }).expect("a site");
    let options = Options::named("feed");
    let client = Client::connect(&address(&router, "native"), &options).expect("a client");
    let feeding = thread::spawn(move || feed(client));
    let door = address(&router, "websocket");
    let port = door.trim_end_matches('/').rsplit_once(':').expect("a port").1;
    let Some(mut browser) =
        Browser::open("page", &format!("http://{}/?port={port}", site.address()))
    else {
        return skip("chromium is missing: peers/install");
    };
    let report = report(&mut browser, &reports);

    let text = json!({"subscription": 2, "topic": "echo/text", "sequence": 1, "format": "text",
        "payload": "Grüße, 東京"});
    assert_eq!(report["text"], text, "{report}");
    let bytes = json!({"subscription": 2, "topic": "echo/bytes", "sequence": 1, "format": "cbor",
        "binary": 3, "payload": [255, 0, 7]});
    assert_eq!(report["bytes"], bytes, "{report}");
    let reply = json!({"correlation": 7, "format": "text", "payload": "42"});
    assert_eq!(report["reply"], reply, "{report}");
    assert_eq!(report["rejected"]["subscribe"], 3, "{report}");
    assert_eq!(report["rejected"]["code"], "bad name", "{report}");
    // Ten a second: not one of five hundred is unaccounted for, few were sent.
    assert_eq!(report["last"], UPDATES, "{report}");
    assert_eq!(report["accounted"], UPDATES, "{report}");
    assert_eq!(report["inOrder"], true, "{report}");
    let updates = report["updates"].as_u64().expect("a number");
    assert!((2..UPDATES / 2).contains(&updates), "{report}");
    let closed = json!({"code": 1000, "reason": "done", "wasClean": true});
    assert_eq!(report["closed"], closed, "{report}");
    feeding.join().expect("the feed has not failed");
}

/// The example of the documents: nothing that was ordered is lost, and nothing is worked on twice, over a lost
/// connection and a reload of the page.
#[test]
fn a_page_places_orders_with_a_guarantee_and_works_on_them() {
    let router = router();
    let (sender, reports) = mpsc::channel();
    let site = http::Server::bind("127.0.0.1:0", http::Config::default()).expect("a port");
    let site = site.serve(Site { reports: sender }).expect("a site");
    let options = Options::named("audit");
    let mut audit = Client::connect(&address(&router, "native"), &options).expect("a client");
    audit.consume(&Consume::durable("audit", "orders/>")).expect("it stands");
    let door = address(&router, "websocket");
    let url = format!("http://{}/orders?router={door}", site.address());
    let Some(mut browser) = Browser::open("orders", &url) else {
        return skip("chromium is missing: peers/install");
    };
    let report = report(&mut browser, &reports);

    let mut stored = Vec::new();
    while stored.len() < 5 {
        let came = audit.receive(Some(PATIENCE), &mut |event| {
            if let Event::Delivery(it) = event {
                stored.push((
                    it.position.to_string(),
                    String::from_utf8_lossy(it.payload).into_owned(),
                ));
            }
        });
        assert_ne!(came.expect("received"), 0, "{stored:?}");
    }
    let orders: Vec<&str> = stored.iter().map(|(_, order)| &**order).collect();
    assert_eq!(orders, ["one", "two", "three", "four", "five"], "each is stored once");
    let positions: Vec<&str> = stored.iter().map(|(position, _)| &**position).collect();
    assert_eq!(report["done"], json!(positions), "{report}");
    assert_eq!(report["last"], 5, "{report}");
    let lines = |of: &str| {
        let lines: Vec<String> = serde_json::from_value(report[of].clone()).expect("lines");
        lines.into_iter().filter(|line| !line.ends_with("comes again, and is done")).collect()
    };
    let before: Vec<String> = lines("before");
    assert_eq!(before, ["one", "two", "three"].map(|it| format!("orders/new: {it}")), "{report}");
    let after: Vec<String> = lines("after");
    assert_eq!(after, ["four", "five"].map(|it| format!("orders/new: {it}")), "{report}");
}
