//! The ceiling of memory of a running router.

mod threads;

use std::time::{Duration, Instant};

use trunkline_client::{Client, Event, Options, Subscribe, format};
use trunkline_server::snapshot::{SnapshotRequest, Totals};
use trunkline_server::{Config, Running, Server};

/// Far more than anything here takes.
const PATIENCE: Duration = Duration::from_secs(30);

const CEILING: u64 = 64 << 20;

fn start() -> Running {
    let mut config = Config::default();
    config.router.threads = threads::threads();
    config.listen.native = vec!["tcp://127.0.0.1:0".parse().expect("an address")];
    config.listen.http = None;
    config.listen.websocket = None;
    config.limits.memory_bytes = CEILING;
    Server::start(config).expect("a router")
}

fn client(router: &Running, name: &str, pattern: &str) -> Client {
    let address = router.addresses().first().expect("a listener").url();
    let mut client = Client::connect(&address, &Options::named(name)).expect("a client");
    client.subscribe(pattern, &Subscribe::every()).expect("it is sent");
    client.synchronise().expect("the router answers");
    client
}

fn totals(router: &Running) -> Totals {
    let handle = router.handle();
    handle.snapshot(SnapshotRequest { clients: 0, topics: 0 }).expect("the router runs").totals
}

/// Reads until so many messages were delivered or reported as lost; how many of each.
fn read(client: &mut Client, most: u64) -> (u64, u64) {
    let (mut delivered, mut lost) = (0, 0);
    let until = Instant::now() + PATIENCE;
    while delivered + lost < most && Instant::now() < until {
        client
            .receive(Some(PATIENCE), &mut |event| match event {
                Event::Message(_) => delivered += 1,
                Event::Gap(gap) => lost += gap.count,
                _ => {}
            })
            .expect("it is connected");
    }
    (delivered, lost)
}

#[test]
fn clients_that_do_not_read_stay_below_it_and_lose_what_they_are_told() {
    const EACH: u64 = 25_000;
    let router = start();
    let mut greedy: Vec<Client> =
        (0..8).map(|it| client(&router, "greedy", &format!("greedy/{it}"))).collect();
    let mut bystander = client(&router, "bystander", "quiet");
    let mut publisher = client(&router, "publisher", "none");
    let topics: Vec<_> = (0..greedy.len())
        .map(|it| publisher.topic(&format!("greedy/{it}")).expect("a topic"))
        .collect();
    let topic = publisher.topic("quiet").expect("a topic");
    let payload = [7; 1_000];
    let mut quiet = 0;
    for round in 0..EACH {
        for topic in &topics {
            publisher.publish(*topic, &payload).expect("it is sent");
        }
        if round % 250 == 0 {
            publisher.publish(topic, &payload).expect("it is sent");
            quiet += 1;
            publisher.synchronise().expect("the router answers");
            let memory = totals(&router).memory;
            // What one turn of the loop takes in may come on top.
            assert!(memory.all() <= CEILING + (2 << 20), "{memory:?}");
        }
    }
    publisher.synchronise().expect("the router answers");
    assert_eq!(read(&mut bystander, quiet), (quiet, 0), "a bystander loses nothing");
    let before = totals(&router);
    assert_eq!(before.memory.limit, CEILING);
    assert!(before.memory.waiting_now > CEILING / 4, "it is made use of: {:?}", before.memory);
    assert!(before.discarded_for_memory > EACH);
    let mut all = 0;
    for client in &mut greedy {
        let (delivered, lost) = read(client, EACH);
        assert_eq!(delivered + lost, EACH, "each is delivered or told");
        all += lost;
    }
    let after = totals(&router);
    assert_eq!((after.ledger.discarded, after.discarded_for_memory), (all, all));
}

#[test]
fn what_clients_make_the_router_keep_counts_until_they_are_gone() {
    const TOPICS: u64 = 40_000;
    const REQUESTS: u64 = 500;
    let router = start();
    let _responder = client(&router, "responder", "asked");
    let others = || totals(&router).memory.others_now;
    let before = others();
    let mut greedy = client(&router, "greedy", "none");
    for topic in 0..TOPICS {
        greedy.topic(&format!("greedy/{topic}")).expect("a topic");
    }
    greedy.synchronise().expect("the router answers");
    let with_topics = others();
    assert!(with_topics >= before + 8 * TOPICS, "{before} {with_topics}");
    let asked = greedy.topic("asked").expect("a topic");
    for _ in 0..REQUESTS {
        greedy
            .send_request(asked, format::OPAQUE, b"?", Duration::from_secs(60))
            .expect("it is sent");
    }
    greedy.synchronise().expect("the router answers");
    let with_requests = others();
    assert!(with_requests >= with_topics + 100 * REQUESTS, "{with_topics} {with_requests}");
    drop(greedy);
    let until = Instant::now() + PATIENCE;
    while others() > before {
        assert!(Instant::now() < until, "{before} {}", others());
        std::thread::sleep(Duration::from_millis(5));
    }
    router.stop();
}
