//! A process that runs out of descriptors: who has a connection keeps it, who has none waits for it.

use std::collections::HashMap;
use std::env;
use std::io::{self, BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, setrlimit};
use trunkline_reactor::{Address, Idle, Listener, Reactor, Stream};

const PATIENCE: Duration = Duration::from_secs(20);
const ROLE: &str = "TRUNKLINE_TEST_ACCEPT_ROLE";
const CONNECTIONS: usize = 60;
const DESCRIPTORS: u64 = 30;

/// Not a test of its own: the process that has few descriptors.
#[test]
fn second_process() {
    if env::var(ROLE).is_err() {
        return;
    }
    setrlimit(Resource::Nofile, Rlimit { current: Some(DESCRIPTORS), maximum: Some(DESCRIPTORS) })
        .unwrap();
    let mut listener = Listener::bind(&Address::Tcp("127.0.0.1:0".to_owned())).unwrap();
    println!("listening {}", listener.address());
    let mut reactor = Reactor::new(Idle::Block).unwrap();
    reactor.add_listener(&mut listener, 0).unwrap();
    let mut streams: HashMap<usize, Stream> = HashMap::new();
    let (mut events, mut accepted, mut ended, mut errors, mut turns) = (Vec::new(), 0, 0, 0, 0);
    let begin = Instant::now();
    while ended < CONNECTIONS {
        reactor.wait(&mut events, Some(PATIENCE)).unwrap();
        turns += 1;
        for event in &events {
            if event.token == 0 {
                errors += u128::from(!accept_all(&mut listener, |mut stream| {
                    accepted += 1;
                    reactor.add(&mut stream, accepted).unwrap();
                    streams.insert(accepted, stream);
                }));
                continue;
            }
            let Some(stream) = streams.get_mut(&event.token) else { continue };
            let mut bytes = [0; 10];
            match stream.read(&mut bytes) {
                Ok(0) => {
                    ended += 1;
                    streams.remove(&event.token);
                }
                Ok(count) => assert_eq!(stream.write(&bytes[..count]).unwrap(), count),
                Err(error) => assert_eq!(error.kind(), io::ErrorKind::WouldBlock),
            }
        }
    }
    // It tried again ten times a second, and did not spin.
    let tries = begin.elapsed().as_millis() / 100 + 2;
    assert!(errors >= 1 && errors <= tries, "{errors} errors where {tries} are right");
    assert!(turns < 20 * CONNECTIONS, "{turns} turns");
}

/// Whether nothing was wanting.
fn accept_all(listener: &mut Listener, mut take: impl FnMut(Stream)) -> bool {
    loop {
        match listener.accept() {
            Ok(None) => return true,
            Ok(Some(stream)) => take(stream),
            Err(error) => {
                assert!(error.to_string().contains("Too many open files"), "{error}");
                assert!(listener.accept().unwrap().is_none(), "it rests");
                return false;
            }
        }
    }
}

#[test]
fn without_descriptors_nobody_is_lost_and_nothing_spins() {
    let mut server = Command::new(env::current_exe().unwrap())
        .args(["--exact", "second_process", "--nocapture"])
        .env(ROLE, "server")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let output = BufReader::new(server.stdout.take().unwrap());
    // The lines after it are read too, so that the process never writes to nobody.
    let mut lines = output.lines().map_while(Result::ok);
    let address: Address = lines
        .find_map(|line| line.split_once("listening ").map(|(_, address)| address.to_owned()))
        .expect("an address")
        .parse()
        .unwrap();
    let mut streams: Vec<Stream> =
        (0..CONNECTIONS).map(|_| Stream::connect(&address, PATIENCE).unwrap()).collect();
    for stream in &mut streams {
        stream.write(b"here").unwrap();
    }
    for (answered, mut stream) in streams.into_iter().enumerate() {
        // Each one that has been answered leaves, and makes room for one that waits.
        assert!(stream.wait(true, false, Some(PATIENCE)).unwrap().readable, "after {answered}");
        assert_eq!(stream.read(&mut [0; 10]).unwrap(), 4);
    }
    let rest: Vec<String> = lines.collect();
    assert!(server.wait().unwrap().success(), "{}", rest.join("\n"));
}
