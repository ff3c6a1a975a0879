//! A router as a whole: transports, reloading, stopping.

mod raw;

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;
use std::time::Duration;

use raw::{Raw, Seen, config, place, router};
use trunkline_client::{Client, Event, Options, Subscribe};
use trunkline_native::code;
use trunkline_server::Server;
use trunkline_server::snapshot::SnapshotRequest;

/// A folder that goes with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("trunkline-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        Self(folder)
    }

    fn address(&self, scheme: &str) -> String {
        format!("{scheme}://{}", self.0.join(format!("{scheme}.sock")).display())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn all_transports_lead_to_one_router() {
    let folder = Folder::new("transports");
    let router = router(|config| {
        let texts = ["tcp://127.0.0.1:0".to_owned(), folder.address("unix"), folder.address("shm")];
        config.listen.native = texts.iter().map(|text| text.parse().expect("an address")).collect();
    });
    let addresses: Vec<String> =
        router.addresses().iter().map(|listening| listening.address.to_string()).collect();
    let mut readers: Vec<Client> = addresses
        .iter()
        .map(|address| Client::connect(address, &Options::named("reader")).expect(address))
        .collect();
    for reader in &mut readers {
        reader.subscribe("t/*", &Subscribe::every()).expect("it is taken");
    }
    let mut expected = Vec::new();
    for (at, address) in addresses.iter().enumerate() {
        let mut writer = Client::connect(address, &Options::named("writer")).expect(address);
        let topic = writer.topic(&format!("t/{at}")).expect("a topic");
        for number in 0..1_000_u32 {
            writer.enqueue(topic, &number.to_le_bytes()).expect("it is sent");
            expected.push((at, number));
        }
        writer.synchronise().expect("all is there");
    }
    for reader in &mut readers {
        let mut got = Vec::new();
        while got.len() < expected.len() {
            let handled = reader.receive(Some(raw::PATIENCE), &mut |event| {
                if let Event::Message(message) = event {
                    let at = message.topic[2..].parse().expect("a number");
                    let number = u32::from_le_bytes(message.payload.try_into().expect("four"));
                    got.push((at, number));
                }
            });
            assert!(handled.expect("the connection holds") > 0, "{} messages came", got.len());
        }
        assert_eq!(got, expected);
    }
    let all = SnapshotRequest { clients: 10, topics: 0 };
    let mut profiles: Vec<String> = (router.handle().snapshot(all).expect("an answer").clients)
        .into_iter()
        .filter(|client| client.name == "reader")
        .map(|client| client.profile)
        .collect();
    profiles.sort();
    assert_eq!(profiles, ["shm/native/opaque", "tcp/native/opaque", "unix/native/opaque"]);
}

/// The router takes nothing more from who asks and does not read the answers; a client that has much to
/// ask at once reads them meanwhile.
#[test]
fn a_client_subscribes_to_much_at_once_and_again_after_a_reconnection() {
    let folder = Folder::new("much");
    let router = router(|config| {
        config.limits.subscriptions_per_client = 200_000;
        let texts = [folder.address("unix"), folder.address("shm")];
        config.listen.native = texts.iter().map(|text| text.parse().expect("an address")).collect();
    });
    let patterns: Vec<String> = (0..200_000).map(|number| format!("t/{number}")).collect();
    for listening in router.addresses() {
        let options = Options { timeout: raw::PATIENCE, ..Options::named("reader") };
        let mut reader = Client::connect(&listening.url(), &options).expect("it is taken");
        let made = reader.subscribe_each(&patterns, &Subscribe::every()).expect("all are taken");
        assert_eq!(made.len(), patterns.len());
        reader.reconnect().expect("all are taken again");
    }
    router.stop();
}

/// The answers to what is rejected are longer than what was asked: those to one write of the client are more than the
/// router has room for.
#[test]
fn a_client_that_subscribes_to_too_much_is_told_why() {
    let folder = Folder::new("too-much");
    let router = router(|config| {
        config.limits.subscriptions_per_client = 10;
        config.limits.output_bytes = 4 << 10;
        let texts = ["tcp://127.0.0.1:0".to_owned(), folder.address("unix"), folder.address("shm")];
        config.listen.native = texts.iter().map(|text| text.parse().expect("an address")).collect();
    });
    let patterns: Vec<String> = (0..200_000).map(|number| format!("t/{number}")).collect();
    for listening in router.addresses() {
        let options = Options { timeout: raw::PATIENCE, ..Options::named("reader") };
        let mut reader = Client::connect(&listening.url(), &options).expect("it is taken");
        let error = reader.subscribe_each(&patterns, &Subscribe::every()).expect_err("too many");
        assert!(error.to_string().contains("limits.subscriptions_per_client"), "{error}");
        reader.subscribe("one", &Subscribe::every()).expect("the connection goes on");
    }
}

#[test]
fn a_client_that_comes_back_is_told_what_is_not_taken_any_more() {
    let router = router(|_| {});
    let url = router.addresses()[0].url();
    let options = Options { timeout: raw::PATIENCE, ..Options::named("reader") };
    let mut reader = Client::connect(&url, &options).expect("it is taken");
    reader.subscribe_each(&["a", "b"], &Subscribe::every()).expect("both are taken");
    let fewer = config(|config| config.limits.subscriptions_per_client = 1);
    router.handle().reconfigure(fewer).expect("it is taken over");
    let error = reader.reconnect().expect_err("one is too many");
    assert!(error.to_string().contains("limits.subscriptions_per_client"), "{error}");
    let left = reader.receive(Some(Duration::ZERO), &mut |event| panic!("{event:?}"));
    assert_eq!(left.expect("the connection goes on"), 0);
}

#[test]
fn a_reload_changes_listeners_and_keeps_connections() {
    let folder = Folder::new("reload");
    let router = router(|_| {});
    let first = place(&router);
    let mut client = Raw::named(&router, "stays");
    client.subscribe(1, "a");
    let mut fresh = config(|_| {});
    fresh.listen.native = vec![folder.address("unix").parse().expect("an address")];
    fresh.limits.subscriptions_per_client = 1;
    router.handle().reconfigure(fresh).expect("it is taken over");
    assert!(TcpStream::connect(&first).is_err(), "nobody listens there any more");
    let mut other =
        Client::connect(&folder.address("unix"), &Options::named("new")).expect("it listens");
    let topic = other.topic("a").expect("a topic");
    other.publish(topic, b"x").expect("it is sent");
    assert_eq!(client.message(), b"x");
    client.send(|out| {
        trunkline_native::encode_subscribe(out, 2, trunkline_native::Updates::All, "b");
    });
    let Seen::Rejected(_, why, ..) = client.next() else { panic!("the new limit holds") };
    assert_eq!(why, code::LIMIT);
}

#[test]
fn a_reload_that_cannot_be_done_changes_nothing() {
    let router = router(|_| {});
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("tcp://{}", taken.local_addr().expect("an address"));
    let folder = Folder::new("half");
    let mut fresh = config(|_| {});
    let texts = [folder.address("unix"), address.clone()];
    fresh.listen.native = texts.map(|text| text.parse().expect("an address")).into();
    fresh.limits.subscriptions_per_client = 0;
    let error = router.handle().reconfigure(fresh).expect_err("the port is taken");
    assert!(error.contains(&address), "{error}");
    let new = Client::connect(&folder.address("unix"), &Options::named("new"));
    assert!(new.is_err(), "what could be opened is closed again");
    let mut client = Raw::named(&router, "still served");
    client.subscribe(1, "a");
}

#[test]
fn a_reload_can_give_an_address_to_another_protocol() {
    let router = router(|_| {});
    let native = |text: String| vec![text.parse().expect("an address")];
    let mut fresh = config(|_| {});
    // A port that is free may be somebody else's a moment later.
    let free = (0..10).find_map(|_| {
        let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let free = taken.local_addr().expect("an address");
        drop(taken);
        fresh.listen.native = native(format!("tcp://{free}"));
        router.handle().reconfigure(fresh.clone()).is_ok().then_some(free)
    });
    let free = free.expect("a port");
    let folder = Folder::new("swap");
    fresh.listen.native = native(folder.address("unix"));
    fresh.listen.websocket = Some(free.to_string());
    router.handle().reconfigure(fresh).expect("it is taken over");
    let mut browser = TcpStream::connect(free).expect("it listens");
    browser.write_all(b"GET / HTTP/1.0\r\n\r\n").expect("it is sent");
    let mut answer = String::new();
    browser.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1."), "{answer}");
}

#[test]
fn a_port_that_is_taken_is_named() {
    let first = router(|_| {});
    let address = first.addresses()[0].address.clone();
    let error = Server::start(config(|config| config.listen.native = vec![address.clone()]));
    let error = error.expect_err("it is taken").to_string();
    assert!(error.contains(&address.to_string()), "{error}");
}

#[test]
fn a_full_router_says_so() {
    let router = router(|config| config.limits.connections = 2);
    let _first = Raw::named(&router, "1");
    let _second = Raw::named(&router, "2");
    let mut third = Raw::silent(&router);
    let hello = trunkline_native::Hello::default();
    third.send(|out| trunkline_native::encode_hello(out, &hello));
    let Seen::Closing(why, text) = third.next() else { panic!("it is told") };
    assert_eq!(why, code::FULL);
    assert!(text.contains('2'), "{text}");
}

#[test]
fn a_stop_delivers_what_waits_and_says_goodbye() {
    let router = router(|_| {});
    let mut reader = Raw::named(&router, "reader");
    reader.subscribe(1, "a");
    let mut writer = Raw::named(&router, "writer");
    writer.topic(0, "a");
    let payload = vec![b'x'; 100_000];
    for _ in 0..100 {
        writer.publish(0, &payload);
    }
    writer.settle();
    router.handle().stop();
    for _ in 0..100 {
        assert_eq!(reader.message().len(), payload.len());
    }
    assert!(matches!(reader.next(), Seen::Closing(code::STOPPING, _)));
    assert_eq!(reader.next(), Seen::End);
    assert!(matches!(writer.next(), Seen::Closing(code::STOPPING, _)));
    drop((reader, writer));
    router.wait().expect("it has stopped by itself");
}

#[test]
fn a_stop_does_not_wait_for_ever() {
    let router = router(|config| config.router.shutdown_timeout = Duration::from_millis(50));
    let mut stuck = Raw::named(&router, "stuck");
    stuck.subscribe(1, "a");
    let mut writer = Raw::named(&router, "writer");
    writer.topic(0, "a");
    for _ in 0..200 {
        writer.publish(0, &[b'x'; 100_000]);
    }
    writer.settle();
    router.stop();
    drop((stuck, writer));
}
