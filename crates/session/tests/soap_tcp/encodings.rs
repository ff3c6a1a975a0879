//! Our client calls our server in every encoding, over both protocols.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;

use trunkline_http::header::CONTENT_TYPE;
use trunkline_http::{Client as HttpClient, HeaderMap, HeaderValue, Method, Order, Workers};
use trunkline_message::Message;
use trunkline_session::soap::{
    Binding, CallError, Client, ClientConfig, Config, Fault, HeaderBlock, MessageEncoding, Running,
    Server, Service, Vocabularies, VocabularyLimits, WriterOptions, header,
};
use trunkline_wire::Text;

use super::sockets::{Word, client, says, start, url, word};

#[test]
fn calls_of_every_kind_go_in_every_encoding() {
    for encoding in MessageEncoding::ALL {
        let (server, log) = start(Config::default());
        for (path, binding) in [
            ("/words", Binding::document_literal()),
            ("/words", Binding::document_literal().soap12()),
            ("/rpc", Binding::rpc_encoded()),
        ] {
            let mut client = client(&url(&server, path), binding);
            client.set_encoding(encoding);
            for length in [1, 100, 100, 65_000, 70_000, 200_000] {
                says(&mut client, &"w".repeat(length));
            }
            let empty: Word = client.call("repeat", &Word::default()).expect("an answer");
            assert_eq!(empty, Word::default());
            for _ in 0..2 {
                let fault = client.call::<_, Word>("repeat", &word("fail"));
                let Err(CallError::Fault(fault)) = fault else { panic!("{fault:?}") };
                assert_eq!(fault.reason, "a bad word");
                client.send("keep", &word("kept")).expect("it is taken");
                says(&mut client, "still here");
            }
            let profile = client.profile().expect("a call");
            assert_eq!(profile.encoding, encoding.name(), "{profile}");
            assert_eq!(profile.vocabulary, encoding.vocabulary(), "{profile}");
        }
        assert_eq!(server.counters().connections, 3);
        server.stop();
        let log = log.lock().expect("no test panicked");
        let shown = format!("/{}/{}/none/", encoding.name(), encoding.vocabulary());
        assert!(log.iter().all(|it| it.contains(&shown)), "{}", log[0]);
        let is_retained = encoding == MessageEncoding::StatefulFastInfoset;
        assert!(log.iter().all(|it| it.contains("vocabulary of ") == is_retained), "{}", log[0]);
    }
}

/// What Metro's client cannot do: a retained vocabulary that is full gives way to a new one.
#[test]
fn a_channel_whose_vocabulary_is_full_is_renewed_and_never_beyond_its_limits() {
    #[derive(Message, Clone, Debug, Default, PartialEq)]
    struct Many {
        items: Vec<Text>,
    }
    let service = Service::new("Many", "urn:many").operation("echo", |it: Many| Ok::<_, Fault>(it));
    let server = Server::new().service(service).start("127.0.0.1:0").expect("a port is free");
    let url = format!("vnd.sun.ws.tcp://{}/", server.address());
    let mut client = Client::new(&url, "urn:many").expect("a URL");
    client.set_encoding(MessageEncoding::StatefulFastInfoset);
    let (mut sizes, mut renewed) = (Vec::new(), 0);
    for round in 0..12 {
        // Each comes twice, since the first time none becomes an entry.
        let items = (0..10_000).map(|index| Text::from(&*format!("word {round} {}", index / 2)));
        let many = Many { items: items.collect() };
        let answer: Many = client.call("echo", &many).expect("an answer");
        assert!(answer == many, "round {round}");
        let retained = client.profile().and_then(|it| it.retained).expect("it is retained");
        renewed += usize::from(sizes.last().is_some_and(|last| retained.size.entries < *last));
        sizes.push(retained.size.entries);
    }
    assert!(renewed == 0 && sizes[11] > 50_000, "{sizes:?}");
    for round in 12..20 {
        let items = (0..10_000).map(|index| Text::from(&*format!("word {round} {}", index / 2)));
        let many = Many { items: items.collect() };
        let answer: Many = client.call("echo", &many).expect("an answer");
        assert!(answer == many, "round {round}");
        let retained = client.profile().and_then(|it| it.retained).expect("it is retained");
        assert!(retained.size.entries <= (1 << 16) + 100, "{retained}");
        renewed += usize::from(retained.size.entries < sizes[11]);
    }
    assert!(renewed > 0, "the channel stayed");
    assert_eq!(server.counters().connections, 1);
}

#[test]
fn vocabularies_hold_what_they_are_told_to() {
    let server = |vocabularies: Vocabularies| {
        let service =
            Service::new("Words", "urn:words").operation("repeat", |it: Word| Ok::<_, Fault>(it));
        let server = Server::new().service(service.at("/words", Binding::document_literal()));
        server.vocabularies(vocabularies).start("127.0.0.1:0").expect("a port is free")
    };
    let begin = |server: &Running| {
        let mut client = client(&url(server, "/words"), Binding::default());
        client.set_encoding(MessageEncoding::StatefulFastInfoset);
        client
    };
    let distinct = |client: &mut Client, count: u32| {
        // Each comes twice.
        let mut all = (0..count).map(|it| word(&format!("word {}", it / 2)));
        all.try_for_each(|it| {
            client.call::<_, Word>("repeat", &it).map(|answer| assert!(answer == it))
        })
    };
    // The server ends a connection that retains more than it may.
    let strict = server(Vocabularies { connection_bytes: 2_000, ..Vocabularies::default() });
    let mut client = begin(&strict);
    let error = distinct(&mut client, 1_000).expect_err("it is too much").to_string();
    assert!(error.contains("the channels of a connection retain 2000 at most"), "{error}");
    // A client goes on with another channel before what it reads is too much for it.
    let server = server(Vocabularies::default());
    let mut small = begin(&server);
    let received = VocabularyLimits { bytes: 1 << 20, entries: 100 };
    small.set_vocabularies(Vocabularies { received, ..Vocabularies::default() });
    distinct(&mut small, 1_000).expect("answers");
    let answered = small.answered_vocabulary().expect("it is retained").size.entries;
    assert!(answered <= 100, "{answered}");
    // One that sends goes on with another channel before it has more than it may.
    let mut few = begin(&server);
    let vocabulary = VocabularyLimits { bytes: 1 << 20, entries: 40 };
    let sent = WriterOptions { vocabulary, ..WriterOptions::default() };
    few.set_vocabularies(Vocabularies { sent, ..Vocabularies::default() });
    distinct(&mut few, 1_000).expect("answers");
    let sent = few.profile().and_then(|it| it.retained).expect("it is retained").size.entries;
    assert!(sent <= 40, "{sent}");
}

#[test]
fn header_blocks_travel_in_every_encoding() {
    #[derive(Message, Clone, Debug, Default, PartialEq)]
    struct Ticket {
        number: i32,
    }
    let echo = |word: Word, context: &mut trunkline_session::soap::Context| {
        let ticket = context.header::<Ticket>()?.unwrap_or_default();
        context.add_header(&Ticket { number: ticket.number + 1 })?;
        Ok::<_, Fault>(word)
    };
    let service = Service::new("Words", "urn:words").operation("repeat", echo).header::<Ticket>();
    let server = Server::new().service(service).start("127.0.0.1:0").expect("a port is free");
    for scheme in ["http", "vnd.sun.ws.tcp"] {
        for encoding in MessageEncoding::ALL {
            let mut client =
                client(&format!("{scheme}://{}/", server.address()), Binding::default());
            client.set_encoding(encoding);
            client.set_optimistic(true);
            for number in 0..3 {
                let block: HeaderBlock =
                    header::block(&Ticket { number }, "urn:words").expect("a block");
                client.set_header(vec![block]);
                says(&mut client, "with a header");
                let answered: Option<Ticket> = client.reply_header().expect("a block");
                assert_eq!(answered, Some(Ticket { number: number + 1 }), "{encoding:?}");
            }
            client.set_header(Vec::new());
            says(&mut client, "without");
        }
    }
}

#[test]
fn over_http_fast_infoset_is_learned_or_tried() {
    let (server, log) = start(Config::default());
    let url = format!("http://{}/words", server.address());
    for is_optimistic in [false, true] {
        let mut client = client(&url, Binding::default());
        client.set_encoding(MessageEncoding::StatefulFastInfoset);
        client.set_optimistic(is_optimistic);
        for _ in 0..2 {
            says(&mut client, "over HTTP");
        }
        let profile = client.profile().expect("a call").to_string();
        assert!(profile.contains("/fast-infoset/stateless/"), "{profile}");
    }
    let log = log.lock().expect("no test panicked");
    assert!(log[0].contains("/xml-utf8/none/none/"), "{}", log[0]);
    assert!(log[0].contains(", answered in fast-infoset |"), "{}", log[0]);
    assert!(log[1..].iter().all(|it| it.contains("/fast-infoset/stateless/")), "{log:?}");
}

/// A server of HTTP that knows no Fast Infoset: 415, then the envelope as it came.
fn without_fast_infoset(requests: usize) -> (String, std::thread::JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let url = format!("http://{}/", listener.local_addr().expect("an address"));
    let thread = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a client");
        let mut reader = BufReader::new(stream.try_clone().expect("a socket"));
        let mut kinds = Vec::new();
        for _ in 0..requests {
            let (mut length, mut kind, mut line) = (0, String::new(), String::new());
            while reader.read_line(&mut line).expect("a head") > 2 {
                let (name, value) = line.split_once(':').unwrap_or_default();
                match &*name.to_ascii_lowercase() {
                    "content-length" => length = value.trim().parse().expect("a length"),
                    "content-type" => kind = value.trim().to_owned(),
                    _ => {}
                }
                line.clear();
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).expect("a body");
            let (status, body) = match kind.starts_with("text/xml") {
                true => {
                    ("200 OK", String::from_utf8_lossy(&body).replace("repeat", "repeatResponse"))
                }
                false => ("415 Unsupported Media Type", "XML, please".to_owned()),
            };
            kinds.push(kind);
            let head = format!(
                "HTTP/1.1 {status}\r\nContent-Type: text/xml\r\nContent-Length: {}\r\n\r\n",
                body.len()
            );
            stream.write_all((head + &body).as_bytes()).expect("it is read");
        }
        kinds
    });
    (url, thread)
}

#[test]
fn a_server_that_rejects_fast_infoset_gets_xml_then_and_from_there_on() {
    let (url, server) = without_fast_infoset(3);
    let mut client = client(&url, Binding::default());
    client.set_encoding(MessageEncoding::FastInfoset);
    client.set_optimistic(true);
    for _ in 0..2 {
        says(&mut client, "as you like it");
        assert_eq!(client.profile().expect("a call").encoding, "xml-utf8");
    }
    let kinds = server.join().expect("no assertion failed");
    assert_eq!(kinds[0], "application/fastinfoset");
    assert!(kinds[1..].iter().all(|it| it.starts_with("text/xml")), "{kinds:?}");
}

#[test]
fn metrics_tell_how_messages_travel() {
    let service = Service::new("Words", "urn:words")
        .operation("repeat", |word: Word| Ok::<_, Fault>(word))
        .at("/words", Binding::document_literal());
    let server = Server::new().service(service).metrics_at("/metrics").start("127.0.0.1:0");
    let server = server.expect("a port is free");
    let mut over_tcp = client(&url(&server, "/words"), Binding::default());
    over_tcp.set_encoding(MessageEncoding::StatefulFastInfoset);
    (0..5).for_each(|_| says(&mut over_tcp, "again"));
    let retained = over_tcp.profile().and_then(|it| it.retained).expect("it is retained");
    let mut over_http =
        client(&format!("http://{}/words", server.address()), Binding::default().soap12());
    says(&mut over_http, "once");
    let bytes = over_http.profile().expect("a call").bytes;
    let metrics = client(&format!("http://{}/metrics", server.address()), Binding::default()).get();
    let metrics = String::from_utf8(metrics.expect("a page")).expect("UTF-8");
    let tcp = "{transport=\"soap-tcp-1.0\",soap=\"1.1\",encoding=\"fast-infoset\",vocabulary=\"retained\",compression=\"none\",";
    let http = "{transport=\"http-1.1\",soap=\"1.2\",encoding=\"xml-utf8\",vocabulary=\"none\",compression=\"none\",";
    let (entries, hits) = (retained.size.entries, retained.values.indexes);
    for line in [
        format!("calls_total{tcp}outcome=\"reply\"}} 5"),
        format!("calls_total{http}outcome=\"reply\"}} 1"),
        format!("bytes_total{http}direction=\"request\"}} {bytes}"),
        format!("vocabulary_entries_total{tcp}direction=\"request\"}} {entries}"),
        format!("vocabulary_hits_total{tcp}direction=\"request\"}} {hits}"),
    ] {
        assert!(metrics.contains(&format!("trunkline_soap_{line}\n")), "no {line} in {metrics}");
    }
    assert_eq!(hits, 3, "the second time it becomes an entry");
}

/// Requests that are sent before earlier ones are answered.
#[test]
fn http_clients_can_pipeline() {
    let pool = Workers::Pool { threads: 2, queue: 8, order: Order::SHORTEST_FIRST };
    for workers in [Workers::InPlace, pool] {
        let (server, _log) = start(Config { workers, ..Config::default() });
        let address = server.address().to_string();
        let mut client = HttpClient::new(&address, ClientConfig::default()).expect("options");
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/xml; charset=utf-8"));
        let envelope = |index: usize| {
            let text = format!("{index} {}", "w".repeat((20 - index) * 500));
            format!(
                "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body>\
                 <repeat xmlns='urn:words'><text>{text}</text></repeat></e:Body></e:Envelope>"
            )
        };
        let bodies: Vec<String> = (0..20).map(envelope).collect();
        let bodies: Vec<&[u8]> = bodies.iter().map(|it| it.as_bytes()).collect();
        let answers = client.pipeline(&Method::POST, "/words", &headers, &bodies);
        let answers = answers.expect("answers");
        assert_eq!(answers.len(), 20);
        for (index, answer) in answers.iter().enumerate() {
            let body = String::from_utf8_lossy(&answer.body);
            assert!(body.contains(&format!("<text>{index} www")), "{index}: {body:.300}");
        }
        assert_eq!(server.counters().connections, 1);
    }
}
