//! Attachments that are read as they come, and sent as they are read.

mod admitted;
mod hostile;
mod memory;
mod others;

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use trunkline_message::Message;
use trunkline_session::soap::{
    Attachments, Binding, CallError, Client, ClientConfig, Config, Context, Fault, Running, Server,
    Service,
};

const KINDS: [Attachments; 4] =
    [Attachments::Mtom, Attachments::Swa, Attachments::SwaRef, Attachments::Dime];

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Recording {
    name: String,
    sound: Vec<u8>,
    cover: Option<Vec<u8>>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Stored {
    bytes: u64,
    sum: u64,
    /// The media types of the attachments.
    kinds: Vec<String>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Wanted {
    bytes: u64,
}

/// Octets that are made as they are read: each place has its own for a long while.
struct Made {
    table: Vec<u8>,
    at: u64,
    end: u64,
}

impl Made {
    fn new(end: u64) -> Self {
        let table = (0..65_521_u32).map(|it| (it.wrapping_mul(0x9e37_79b1) >> 24) as u8).collect();
        Self { table, at: 0, end }
    }
}

impl Read for Made {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let from = &self.table[(self.at % self.table.len() as u64) as usize..];
        let length = into.len().min(from.len()).min((self.end - self.at) as usize);
        into[..length].copy_from_slice(&from[..length]);
        self.at += length as u64;
        Ok(length)
    }
}

/// How many octets there are, and a sum in which each place counts.
fn weigh(mut octets: impl Read) -> io::Result<(u64, u64)> {
    let (mut bytes, mut sum) = (0, 0_u64);
    let mut room = [0; 64 << 10];
    loop {
        let mut length = 0;
        while let read @ 1.. = octets.read(&mut room[length..])? {
            length += read;
        }
        for word in room[..length].chunks(8) {
            let mut padded = [0; 8];
            padded[..word.len()].copy_from_slice(word);
            sum = sum.wrapping_mul(0x0100_0000_01b3).wrapping_add(u64::from_le_bytes(padded));
        }
        bytes += length as u64;
        if length < room.len() {
            return Ok((bytes, sum));
        }
    }
}

fn store(recording: Recording, context: &mut Context) -> Result<Stored, Fault> {
    let mut stored = Stored::default();
    let mut attachments = context.attachments();
    while let Some(attachment) = attachments.next_attachment()? {
        stored.kinds.push(attachment.media_type().to_owned());
        let is_sound = attachment.is_in(&recording.sound);
        let (bytes, sum) = weigh(attachment)?;
        if is_sound {
            (stored.bytes, stored.sum) = (bytes, sum);
        }
    }
    if stored.kinds.is_empty() {
        (stored.bytes, stored.sum) = weigh(&*recording.sound)?;
    }
    Ok(stored)
}

fn fetch(wanted: Wanted, context: &mut Context) -> Result<Recording, Fault> {
    let cover = context.attach("image/png", &b"\r\n--cover"[..]);
    let sound = context.attach("audio/wav", Made::new(wanted.bytes));
    Ok(Recording { name: "long".to_owned(), sound, cover: Some(cover) })
}

fn service() -> Service {
    Service::new("Archive", "urn:archive")
        .operation("store", store)
        .streamed()
        .operation("echo", |recording: Recording| Ok::<_, Fault>(recording))
        .operation("fetch", fetch)
        .operation("ignore", |_: Recording| Ok::<_, Fault>(Stored::default()))
        .streamed()
        .operation("swallow", |_: Recording, context: &mut Context| {
            while let Ok(Some(attachment)) = context.attachments().next_attachment() {
                _ = weigh(attachment);
            }
            Ok::<_, Fault>(Stored::default())
        })
        .streamed()
        .operation_async("fetch_later", async |wanted: Wanted, mut context: Context| {
            fetch(wanted, &mut context)
        })
        .at("/archive", Binding::document_literal())
        .at("/12", Binding::document_literal().soap12())
        .at("/rpc", Binding::rpc_encoded())
}

fn server() -> Running {
    served(Config::default())
}

fn served(config: Config) -> Running {
    Server::new().service(service()).config(config).start("127.0.0.1:0").expect("a server")
}

fn client_at(server: &Running, path: &str, binding: Binding) -> Client {
    let url = format!("http://{}{path}", server.address());
    Client::with(&url, "urn:archive", binding, ClientConfig::default()).expect("a client")
}

fn client(server: &Running) -> Client {
    client_at(server, "/archive", Binding::document_literal())
}

const PATHS: [(&str, Binding); 3] = [
    ("/archive", Binding::document_literal()),
    ("/12", Binding::document_literal().soap12()),
    ("/rpc", Binding::rpc_encoded()),
];

/// Lengths around those of the blocks that are read and sent.
const LENGTHS: [u64; 7] = [0, 1, 1000, (64 << 10) - 1, 64 << 10, (64 << 10) + 1, 3_000_001];

#[test]
fn a_function_reads_attachments_as_they_come_in_every_kind_of_package() {
    let server = server();
    for (path, binding) in PATHS {
        let mut client = client_at(&server, path, binding);
        for kind in KINDS {
            client.set_attachments(kind, 100).expect("there is HTTP");
            for length in LENGTHS {
                let sound = client.attach("audio/wav", Made::new(length)).expect("there is HTTP");
                // Beside a stream, a member of octets is attached as ever.
                let cover = Some(vec![7; 1000]);
                let recording = Recording { name: "<long>".into(), sound, cover };
                let stored: Stored = client.call("store", &recording).expect("an answer");
                let (bytes, sum) = weigh(Made::new(length)).expect("it is made");
                let kinds = ["application/octet-stream", "audio/wav"].map(str::to_owned).to_vec();
                assert_eq!(stored, Stored { bytes, sum, kinds }, "{path} {kind:?} {length}");
            }
        }
    }
}

#[test]
fn a_client_reads_attachments_as_they_come_in_every_kind_of_package() {
    let server = server();
    for (path, binding) in PATHS {
        let mut client = client_at(&server, path, binding);
        client.set_streams(true);
        for kind in KINDS.map(Some).into_iter().chain([None]) {
            client.set_attachments(kind, 100).expect("there is HTTP");
            for (length, operation) in
                LENGTHS.into_iter().zip(["fetch", "fetch_later"].iter().cycle())
            {
                let wanted = Wanted { bytes: length };
                let recording: Recording = client.call(operation, &wanted).expect("an answer");
                // What accepts packages of MIME does not say how they are referred to.
                let answered = match kind {
                    None => Attachments::Mtom,
                    Some(Attachments::SwaRef) => Attachments::Swa,
                    Some(kind) => kind,
                };
                assert_eq!(client.answer_attachments(), Some(answered));
                let cover = recording.cover.as_deref().expect("it has one");
                let mut attachments = client.attachments();
                let mut first = attachments.next_attachment().expect("it comes").expect("a cover");
                assert!(first.is_in(cover) && !first.is_in(&recording.sound));
                assert_eq!(first.media_type(), "image/png");
                let mut octets = Vec::new();
                first.read_to_end(&mut octets).expect("it comes");
                assert_eq!(octets, b"\r\n--cover");
                let sound = attachments.next_attachment().expect("it comes").expect("a sound");
                assert!(sound.is_in(&recording.sound), "{path} {kind:?}");
                assert_eq!(
                    weigh(sound).expect("it comes"),
                    weigh(Made::new(length)).expect("made")
                );
                assert!(attachments.next_attachment().expect("it is whole").is_none());
            }
        }
    }
}

#[test]
fn what_is_sent_as_a_stream_is_read_as_a_whole_where_that_is_wanted() {
    let server = server();
    let mut client = client(&server);
    for kind in KINDS {
        client.set_attachments(kind, 100).expect("there is HTTP");
        let recording: Recording = client.call("fetch", &Wanted { bytes: 5000 }).expect("a reply");
        assert_eq!(
            weigh(&*recording.sound).expect("octets"),
            weigh(Made::new(5000)).expect("made")
        );
        assert_eq!(recording.cover.as_deref(), Some(&b"\r\n--cover"[..]), "{kind:?}");
        let sound = client.attach("audio/wav", Made::new(5000)).expect("there is HTTP");
        let recording = Recording { name: "a".into(), sound, cover: Some(vec![9; 200]) };
        let echoed: Recording = client.call("echo", &recording).expect("an answer");
        assert_eq!(weigh(&*echoed.sound).expect("octets"), weigh(Made::new(5000)).expect("made"));
        assert_eq!(echoed.cover, recording.cover);
    }
    // In no package, and compressed.
    client.set_attachments(None, 0).expect("there is HTTP");
    let recording = Recording { name: "a".into(), sound: vec![5; 3000], cover: None };
    let stored: Stored = client.call("store", &recording).expect("an answer");
    assert_eq!((stored.bytes, stored.kinds.len()), (3000, 0));
    let config = ClientConfig {
        compression: Some(trunkline_http::Compression::Gzip),
        ..ClientConfig::default()
    };
    let url = format!("http://{}/archive", server.address());
    let binding = Binding::document_literal();
    let mut client = Client::with(&url, "urn:archive", binding, config).expect("a client");
    client.set_attachments(Attachments::Mtom, 100).expect("there is HTTP");
    let stored: Stored = client.call("store", &recording).expect("an answer");
    assert_eq!((stored.bytes, stored.kinds.len()), (3000, 1));
}

#[test]
fn attachments_that_are_not_read_are_a_fault() {
    let server = server();
    let mut client = client(&server);
    for length in [10, 5_000_000, 10, 50_000_000] {
        let sound = client.attach("audio/wav", Made::new(length)).expect("there is HTTP");
        let recording = Recording { name: "a".into(), sound, cover: None };
        let error = client.call::<_, Stored>("ignore", &recording).expect_err("it reads nothing");
        let CallError::Fault(fault) = &error else { panic!("{error}") };
        assert!(fault.reason.contains("ignore has not read to the end"), "{fault}");
    }
    let stored: Stored = client.call("store", &Recording::default()).expect("it goes on");
    assert_eq!(stored, Stored::default());
}

/// A reader that fails.
struct Failing;

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other("the disk is gone"))
    }
}

#[test]
fn a_reader_that_fails_makes_no_whole_message() {
    let server = Server::new()
        .service(
            Service::new("Archive", "urn:archive")
                .operation("fetch", |_: Wanted, context: &mut Context| {
                    let sound = context.attach("audio/wav", Made::new(1_000_000).chain(Failing));
                    Ok::<_, Fault>(Recording { sound, ..Recording::default() })
                })
                .at("/archive", Binding::document_literal()),
        )
        .start("127.0.0.1:0")
        .expect("a server");
    let mut client = client(&server);
    client.set_streams(true);
    let _: Recording = client.call("fetch", &Wanted::default()).expect("an envelope");
    let mut attachments = client.attachments();
    let sound = attachments.next_attachment().expect("it comes").expect("a sound");
    let error = weigh(sound).expect_err("it ends too early");
    assert!(error.to_string().contains("the connection ended"), "{error}");
    assert!(attachments.next_attachment().is_err(), "it does not become whole");
    drop(attachments);
    client.set_streams(false);
    client.call::<_, Recording>("fetch", &Wanted::default()).expect_err("nor as a whole");
    let sound = client.attach("audio/wav", Failing).expect("there is HTTP");
    let recording = Recording { sound, ..Recording::default() };
    let error = client.call::<_, Recording>("fetch", &recording).expect_err("it is not sent");
    assert!(error.to_string().contains("the disk is gone"), "{error}");
}

#[test]
fn a_stream_that_no_member_refers_to_is_not_sent() {
    let server = server();
    let mut client = client(&server);
    client.attach("audio/wav", Made::new(10)).expect("there is HTTP");
    let error = client.call::<_, Stored>("store", &Recording::default());
    let error = error.expect_err("it would be lost").to_string();
    assert!(error.contains("to which none of its elements refers"), "{error}");
    let stored: Stored = client.call("store", &Recording::default()).expect("it is forgotten");
    assert_eq!(stored, Stored::default());
}

#[test]
fn operations_without_a_reader_of_attachments_are_not_served() {
    let later = Service::new("Archive", "urn:archive")
        .operation_async("store", async |_: Recording| Ok::<_, Fault>(Stored::default()))
        .streamed();
    let error = later.build().expect_err("it is not there to read").to_string();
    assert!(error.contains("store: its function is not there to read attachments"), "{error}");
    let inspected = service().inspect(|_, _| Ok(()));
    let error = inspected.build().expect_err("it would not see what is attached").to_string();
    assert!(error.contains("store: what is attached to its requests comes when"), "{error}");
}

/// Says when it is dropped.
struct Closing(Arc<AtomicBool>);

impl Read for Closing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Ok(0)
    }
}

impl Drop for Closing {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

#[test]
fn what_is_attached_to_an_answer_that_is_a_fault_is_closed() {
    let is_closed = Arc::<AtomicBool>::default();
    let closing = Arc::clone(&is_closed);
    let service = Service::new("Archive", "urn:archive")
        .operation("fetch", move |_: Wanted, context: &mut Context| {
            context.attach("audio/wav", Closing(Arc::clone(&closing)));
            Err::<Recording, _>(Fault::sender("there is none"))
        })
        .at("/archive", Binding::document_literal());
    let server = Server::new().service(service).start("127.0.0.1:0").expect("a server");
    let mut client = client(&server);
    let error = client.call::<_, Recording>("fetch", &Wanted::default()).expect_err("a fault");
    assert!(matches!(error, CallError::Fault(_)), "{error}");
    assert!(is_closed.load(Ordering::Acquire), "with its answer, and not with the next call");
}

static READ: AtomicBool = AtomicBool::new(false);

/// Counts what is read.
struct Counted(Made, Arc<AtomicU64>);

impl Read for Counted {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = self.0.read(into)?;
        self.1.fetch_add(length as u64, Ordering::Relaxed);
        Ok(length)
    }
}

#[test]
fn a_function_that_is_slow_holds_up_its_sender_and_no_time_out_ends_it() {
    let service = Service::new("Archive", "urn:archive")
        .operation("store", |recording: Recording, context: &mut Context| {
            while !READ.load(Ordering::Acquire) {
                std::thread::sleep(Duration::from_millis(5));
            }
            store(recording, context)
        })
        .streamed()
        .at("/archive", Binding::document_literal());
    let config = Config { body_timeout: Duration::from_millis(100), ..Config::default() };
    let server = Server::new().service(service).config(config).start("127.0.0.1:0");
    let server = server.expect("a server");
    let mut client = client(&server);
    let sent = Arc::<AtomicU64>::default();
    let counted = Counted(Made::new(200_000_000), Arc::clone(&sent));
    let waiting = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(600));
        let sent = sent.load(Ordering::Relaxed);
        READ.store(true, Ordering::Release);
        sent
    });
    let sound = client.attach("audio/wav", counted).expect("there is HTTP");
    let recording = Recording { sound, ..Recording::default() };
    let stored: Stored = client.call("store", &recording).expect("an answer");
    assert_eq!(stored.bytes, 200_000_000);
    let sent = waiting.join().expect("it waits");
    assert!(sent < 32 << 20, "{sent} bytes were sent before any was read");
}
