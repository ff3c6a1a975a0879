//! `trunkline decode`: Fast Infoset documents as XML, alone and in a sequence.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Once;

/// An element `a` with the text `hi` (X.891: header, literal name of one octet, literal chunk of two, two ends).
const FIRST: &[u8] = b"\xe0\x00\x00\x01\x00\x3c\x00a\x81hi\xff";
/// The element of the first entry of a vocabulary, with the text `ho`.
const SECOND: &[u8] = b"\xe0\x00\x00\x01\x00\x00\x81ho\xff";

fn folder() -> PathBuf {
    static DOCUMENTS: Once = Once::new();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("decode");
    DOCUMENTS.call_once(|| {
        fs::create_dir_all(&folder).expect("Cargo's folder for tests is writable");
        let documents = [("first.finf", FIRST), ("second.finf", SECOND), ("cut.finf", &FIRST[..9])];
        for (name, bytes) in documents {
            fs::write(folder.join(name), bytes).expect("a file");
        }
    });
    folder
}

fn decode(arguments: &[&str]) -> (Option<i32>, String, String) {
    let folder = folder();
    let mut command = Command::new(env!("CARGO_BIN_EXE_trunkline"));
    let output = command.arg("decode").args(arguments).current_dir(folder).output();
    let output = output.expect("the binary starts");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn documents_are_printed_as_xml() {
    assert_eq!(decode(&["first.finf"]), (Some(0), "<a>hi</a>\n".into(), String::new()));
}

#[test]
fn a_sequence_retains_its_vocabulary_if_it_is_asked_to() {
    let (status, out, err) = decode(&["--retain", "first.finf", "second.finf"]);
    assert_eq!((status, &*out), (Some(0), "<a>hi</a>\n<a>ho</a>\n"), "{err}");
    assert!(err.contains("second.finf: the vocabulary has "), "{err}");
    let (status, out, err) = decode(&["first.finf", "second.finf"]);
    assert_eq!((status, &*out), (Some(2), "<a>hi</a>\n"));
    assert!(err.starts_with("trunkline: second.finf: "), "{err}");
}

#[test]
fn a_document_that_is_cut_is_shown_up_to_there() {
    let (status, out, err) = decode(&["cut.finf"]);
    assert_eq!((status, &*out), (Some(2), "<a>"), "{err}");
    assert!(err.starts_with("trunkline: cut.finf: ") && err.lines().count() == 1, "{err}");
}

/// What Metro's client and server said to each other.
fn golden(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden/soap-tcp");
    fs::read(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn write(name: &str, bytes: &[u8]) -> String {
    fs::write(folder().join(name), bytes).expect("a file");
    name.to_owned()
}

/// As Metro's client sent it, in the order in which it did.
const SAID: [&str; 5] = [
    "client: framing 1.0, connection management 1.0\n",
    "server: framing 1.0, connection management 1.0\n",
    "client: channel 0, message, text/xml, charset=utf-8, SOAPAction=\"\", ",
    "client: channel 1, message, application/vnd.sun.stateful.soap+fastinfoset, action=",
    "server: channel 1, message, application/vnd.sun.stateful.soap+fastinfoset, ",
];

/// All of it is there, each behind the one before.
fn check(said: &str, expected: &[&str]) {
    let mut rest = said;
    for part in expected {
        let Some((_, behind)) = rest.split_once(part) else {
            panic!("no {part:?} in {said:.4000}")
        };
        rest = behind;
    }
}

#[test]
fn both_directions_of_a_connection_take_turns_and_retain_their_vocabularies() {
    let client = write("c2s.bin", &golden("soap12-fi-stateful/c2s.bin"));
    let server = write("s2c.bin", &golden("soap12-fi-stateful/s2c.bin"));
    let (status, both, err) = decode(&[&client, &server]);
    assert_eq!((status, &*err), (Some(0), ""));
    check(&both, &SAID);
    for part in [
        "echoInt",
        "echoIntResponse",
        "first chunk",
        "last chunk",
        "Fault",
        "nothing, which answers",
    ] {
        assert!(both.contains(part), "no {part}");
    }
    assert_eq!(both.matches("  vocabulary of ").count(), 25, "{both:.4000}");
    // Each direction by itself says the same, in its own order.
    for (file, side) in [(client, "client: "), (server, "server: ")] {
        let (status, alone, err) = decode(&[&file]);
        assert_eq!((status, &*err), (Some(0), ""));
        let own = |text: &str| {
            text.lines().filter(|it| it.starts_with(side)).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(own(&alone), own(&both));
        assert!(alone.lines().count() > 30);
    }
}

#[test]
fn a_connection_in_xml_is_shown_as_it_is() {
    let client = write("xml-c2s.bin", &golden("soap11-xml/c2s.bin"));
    let (status, out, err) = decode(&[&client]);
    assert_eq!((status, &*err), (Some(0), ""));
    check(
        &out,
        &[
            "<targetWSURI>",
            "client: channel 1, message, text/xml, charset=utf-8, SOAPAction=",
            "echoInt",
        ],
    );
}

#[test]
fn a_stream_that_is_cut_or_damaged_says_where() {
    let whole = golden("soap12-fi-stateful/c2s.bin");
    let cut = write("cut.bin", &whole[..whole.len() - 5]);
    let (status, _, err) = decode(&[&cut]);
    assert_eq!(status, Some(1));
    assert!(err.starts_with("client: the message at byte ") && err.contains("has no end"), "{err}");
    let mut damaged = whole;
    damaged[16] = 0x06;
    let damaged = write("damaged.bin", &damaged);
    let (status, out, err) = decode(&[&damaged]);
    assert_eq!(status, Some(1));
    assert!(out.starts_with("client: framing 1.0"), "{out}");
    assert!(
        err.starts_with("client: from byte 16 on nothing is decoded: SOAP/TCP error 0.1"),
        "{err}"
    );
}

/// A segment: who sends it, its place among what is sent, and its bytes.
type Segment<'a> = (bool, usize, &'a [u8]);

/// Segments as captured packets of Ethernet or of IP alone.
fn packets(segments: &[Segment<'_>], is_ethernet: bool) -> Vec<Vec<u8>> {
    let begin = |is_client: bool| u32::MAX - if is_client { 1000 } else { 77 };
    let packet = |is_client: bool, number: u32, syn: bool, bytes: &[u8]| {
        let [from, to] =
            if is_client { [[10, 0, 0, 1], [10, 0, 0, 2]] } else { [[10, 0, 0, 2], [10, 0, 0, 1]] };
        let [port, other] = if is_client { [40_000, 8080] } else { [8080, 40_000] };
        let mut out = Vec::new();
        let header = |builder: etherparse::PacketBuilderStep<etherparse::IpHeaders>| {
            let tcp = builder.tcp(port, other, number, 65_000);
            let tcp = if syn { tcp.syn() } else { tcp };
            if syn && is_client { tcp } else { tcp.ack(1) }
        };
        let builder = match is_ethernet {
            true => header(etherparse::PacketBuilder::ethernet2([1; 6], [2; 6]).ipv4(from, to, 64)),
            false => header(etherparse::PacketBuilder::ipv4(from, to, 64)),
        };
        builder.write(&mut out, bytes).expect("a packet");
        out
    };
    let mut all =
        vec![packet(true, begin(true), true, b""), packet(false, begin(false), true, b"")];
    for (is_client, place, bytes) in segments {
        let number = begin(*is_client).wrapping_add(1).wrapping_add(*place as u32);
        all.push(packet(*is_client, number, false, bytes));
    }
    all
}

fn pcap(packets: &[Vec<u8>], link: u32) -> Vec<u8> {
    let mut out = Vec::new();
    for number in [0xa1b2_c3d4, 0x0004_0002, 0, 0, 1 << 16, link] {
        out.extend_from_slice(&u32::to_le_bytes(number));
    }
    for packet in packets {
        for number in [1, 2, packet.len() as u32, packet.len() as u32] {
            out.extend_from_slice(&u32::to_le_bytes(number));
        }
        out.extend_from_slice(packet);
    }
    out
}

/// Blocks of big-endian numbers: a section, an interface, and its packets.
fn pcapng(packets: &[Vec<u8>], link: u16) -> Vec<u8> {
    let block = |kind: u32, body: &[u8]| {
        let padded = [body, &[0; 3][..(4 - body.len() % 4) % 4]].concat();
        let length = u32::to_be_bytes(padded.len() as u32 + 12);
        [&kind.to_be_bytes()[..], &length, &padded, &length].concat()
    };
    let section = [&0x1a2b_3c4d_u32.to_be_bytes()[..], &[0, 1, 0, 0], &[0xff; 8]].concat();
    let interface = [&link.to_be_bytes()[..], &[0, 0], &(1_u32 << 16).to_be_bytes()].concat();
    let mut out = [block(0x0a0d_0d0a, &section), block(1, &interface)].concat();
    for packet in packets {
        let length = u32::to_be_bytes(packet.len() as u32);
        let head = [&[0; 12][..], &length, &length].concat();
        out.extend(block(6, &[head, packet.clone()].concat()));
    }
    out
}

/// Both directions in segments; with pairs in the wrong order, and some twice.
fn segments<'a>(client: &'a [u8], server: &'a [u8]) -> Vec<Segment<'a>> {
    let cut = |is_client, bytes: &'a [u8]| -> Vec<Segment<'a>> {
        let parts = bytes.chunks(700).enumerate();
        parts.map(|(index, part)| (is_client, index * 700, part)).collect()
    };
    let (mut all, mut both) = (Vec::new(), [cut(true, client), cut(false, server)]);
    for direction in &mut both {
        for pair in direction.chunks_mut(5) {
            pair.reverse();
        }
    }
    let most = both[0].len().max(both[1].len());
    for index in 0..most {
        for direction in &both {
            all.extend(direction.get(index));
            if index % 3 == 0 {
                all.extend(direction.get(index / 2));
            }
        }
    }
    all
}

#[test]
fn captures_are_put_together_whatever_the_order_of_their_segments() {
    let client = golden("soap12-fi-stateful/c2s.bin");
    let server = golden("soap12-fi-stateful/s2c.bin");
    let (_, expected, _) = decode(&[&write("a.bin", &client), &write("b.bin", &server)]);
    let segments = segments(&client, &server);
    let ethernet = packets(&segments, true);
    let bare = packets(&segments, false);
    for (name, bytes) in [
        ("ethernet.pcap", pcap(&ethernet, 1)),
        ("bare.pcap", pcap(&bare, 101)),
        ("ethernet.pcapng", pcapng(&ethernet, 1)),
        ("bare.pcapng", pcapng(&bare, 101)),
    ] {
        let (status, out, err) = decode(&[&write(name, &bytes)]);
        assert_eq!((status, &*err), (Some(0), ""), "{name}");
        for side in ["client: ", "server: "] {
            let own = |text: &str| {
                text.lines()
                    .filter(|it| it.starts_with(side))
                    .map(str::to_owned)
                    .collect::<Vec<_>>()
            };
            assert_eq!(own(&out), own(&expected), "{name}");
        }
        check(&out, &["1: 10.0.0.1:40000 to 10.0.0.2:8080\n", "echoInt", "  vocabulary of "]);
    }
    // A segment that was not captured.
    let without: Vec<_> = segments.iter().filter(|it| !(it.0 && it.1 == 1400)).copied().collect();
    let (status, out, err) = decode(&[&write("gap.pcap", &pcap(&packets(&without, true), 1))]);
    assert_eq!(status, Some(0), "{err}");
    assert!(err.contains("client: the message at byte ") || err.contains("client: "), "{err}");
    assert!(err.contains("700 bytes from byte 1400 on were not captured"), "{err}");
    assert!(out.contains("server: channel 1, last chunk"), "the other direction goes on");
    // One that began before the capture.
    let middle = pcap(&ethernet[6..], 1);
    let (_, out, err) = decode(&[&write("middle.pcap", &middle)]);
    assert_eq!(out, "");
    assert!(err.contains("0 connections of SOAP/TCP from their beginning, 1 other"), "{err}");
    let (status, _, err) = decode(&[&write("short.pcap", &pcap(&ethernet, 1)[..5000])]);
    assert_eq!(status, Some(2));
    assert!(err.contains("short.pcap: it ends too early"), "{err}");
}

/// A message of FIX with its frame.
fn fix(body: &str) -> Vec<u8> {
    let body = body.replace('|', "\u{1}");
    let text = format!("8=FIX.4.4\u{1}9={}\u{1}{body}", body.len());
    let sum = text.bytes().map(u32::from).sum::<u32>() % 256;
    format!("{text}10={sum:03}\u{1}").into_bytes()
}

#[test]
fn captures_of_fix_show_both_sides() {
    let body = |text: &str| format!("35=D|34=7|11={text}|58={}|", "long ".repeat(300));
    let client = [fix("35=A|34=1|98=0|108=30|"), fix(&body("A1")), fix(&body("A2"))].concat();
    let server = [fix("35=A|34=1|98=0|108=30|"), fix("35=8|34=2|11=A1|")].concat();
    let capture = pcap(&packets(&segments(&client, &server), true), 1);
    let (status, out, err) = decode(&[&write("fix.pcap", &capture)]);
    assert_eq!((status, &*err), (Some(0), ""), "{out}");
    let heads: Vec<&str> = out.lines().filter(|it| it.starts_with("fix.pcap")).collect();
    let of = |from: &str| heads.iter().filter(|it| it.contains(from)).count();
    assert_eq!(of("fix.pcap 1 10.0.0.1:40000 to 10.0.0.2:8080:"), 3, "{out}");
    assert_eq!(of("fix.pcap 1 10.0.0.2:8080 to 10.0.0.1:40000:"), 2, "{out}");
    check(&out, &["Logon", "NewOrderSingle", "A2"]);
    // From the middle on, and cut within a message.
    let packets = packets(&[(true, 0, &client[..client.len() - 9])], true);
    let (status, out, err) = decode(&[&write("fix-cut.pcap", &pcap(&packets[2..], 1))]);
    assert_eq!(status, Some(1), "{out} {err}");
    assert!(out.matches("FIX.4.4").count() >= 2, "{out}");
}

#[test]
fn captures_of_giop_are_read_by_idl() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let golden =
        |name: &str| fs::read(folder.join("../../golden/giop").join(name)).expect("a file");
    let (client, server) = (golden("client-1.2.bin"), golden("server-1.2.bin"));
    let mut all: Vec<Segment<'_>> = segments(&client, &[]);
    all.extend(segments(&[], &server));
    let capture = write("giop.pcap", &pcap(&packets(&all, true), 1));
    let idl = folder.join("../import/tests/data/vec.idl");
    let (status, out, err) = decode(&["--schema", idl.to_str().expect("UTF-8"), &capture]);
    assert_eq!((status, &*err), (Some(0), ""), "{out:.2000}");
    assert_eq!(out.matches("echo by IDL").count(), 6, "{out:.2000}");
    assert_eq!(out.matches("Bad by IDL").count(), 1);
    check(&out, &["Request, little-endian, request", "operation add", "Reply, little-endian"]);
}

/// Heads of the messages that are shown, by who sent them.
fn heads(out: &str, from: &str) -> usize {
    out.lines().filter(|it| it.contains(".pcap 1 10.0.0.") && it.contains(from)).count()
}

#[test]
fn messages_go_on_behind_what_was_not_captured() {
    let all: Vec<Vec<u8>> =
        (0..100).map(|it| fix(&format!("35=D|34={it:03}|11=A{it:03}|"))).collect();
    let length = all[0].len();
    let of_client = |it: usize| (true, it * length, &all[it][..]);
    // A message that is missing, and one that is cut where bytes are missing.
    let mut segments: Vec<Segment<'_>> =
        (0..100).filter(|it| ![3, 50].contains(it)).map(of_client).collect();
    segments.push((true, 50 * length, &all[50][..9]));
    let (status, out, err) = decode(&[&write("gap-fix.pcap", &pcap(&packets(&segments, true), 1))]);
    assert_eq!(heads(&out, "NewOrderSingle"), 98, "{out:.3000}");
    assert_eq!(out.matches("\n  wrong: ").count(), 1, "{err}");
    assert_eq!(status, Some(1));
    let missing = 2 * length - 9;
    let told = format!("{missing} bytes at 2 places from byte {} on were not captured", 3 * length);
    assert!(err.contains(&told), "{err}");
    // From the middle of a message on, on both sides.
    let segments: Vec<Segment<'_>> =
        (1..10)
            .flat_map(|it| [of_client(it), (false, it * length, &all[it][..])])
            .map(|(side, place, bytes)| {
                if place == length { (side, place + 9, &bytes[9..]) } else { (side, place, bytes) }
            })
            .collect();
    let (status, out, err) =
        decode(&[&write("middle-fix.pcap", &pcap(&packets(&segments, true)[2..], 1))]);
    assert_eq!(status, Some(0), "{err}");
    let [client, server] = ["10.0.0.1:40000 to", "10.0.0.2:8080 to"].map(|it| heads(&out, it));
    assert_eq!((client, server), (8, 8), "{out}");
    for side in ["client", "server"] {
        let told = format!("{side}: {} bytes passed over", length - 9);
        assert!(err.contains(&told), "{err}");
    }
    // Nothing is recognised.
    for (name, packets) in
        [("nothing.pcap", vec![]), ("other.pcap", packets(&[(true, 0, b"SSH-2")], true))]
    {
        let (status, _, err) = decode(&[&write(name, &pcap(&packets, 1))]);
        assert_eq!(status, Some(1), "{name}: {err}");
    }
}

#[test]
fn replies_are_those_of_their_requests_behind_a_gap() {
    let request = |number: u8| {
        let head = [0, 0, 0, number, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4];
        let body = [&head[..], b"key.", &[0, 0, 0, 5], b"size", &[0; 8]].concat();
        [&b"GIOP\x01\x02\x00\x00\x00\x00\x00"[..], &[body.len() as u8], &body].concat()
    };
    let reply = |number: u8| {
        let body = [0, 0, 0, number, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, number];
        [&b"GIOP\x01\x02\x00\x01\x00\x00\x00"[..], &[body.len() as u8], &body].concat()
    };
    let (requests, replies): (Vec<_>, Vec<_>) = (0..9).map(|it| (request(it), reply(it))).unzip();
    let mut segments: Vec<Segment<'_>> = Vec::new();
    for (index, (request, reply)) in requests.iter().zip(&replies).enumerate() {
        if index != 2 {
            segments.push((true, index * request.len(), request));
        }
        segments.push((false, index * reply.len(), reply));
    }
    let capture = write("gap-giop.pcap", &pcap(&packets(&segments, true), 1));
    let idl = folder().join(write("size.idl", b"interface I { long size(); };"));
    let (status, out, err) = decode(&["--schema", idl.to_str().expect("UTF-8"), &capture]);
    assert_eq!(status, Some(0), "{err}");
    let shown =
        [heads(&out, ", Request, "), heads(&out, ", Reply, "), heads(&out, "result, size by IDL")];
    assert_eq!(shown, [8, 9, 8], "{out}");
    let told = format!("client: {} bytes from byte", requests[0].len());
    assert!(err.contains(&told), "{err}");
}

#[test]
fn captures_of_http_show_the_bodies() {
    let envelope = "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body>\
        <add><a>40</a></add></e:Body></e:Envelope>";
    let length = envelope.len();
    let client = format!(
        "POST /calculator HTTP/1.1\r\nContent-Type: text/xml\r\nContent-Length: {length}\r\n\r\n{envelope}\
         GET /logo HTTP/1.1\r\n\r\n"
    );
    let chunks = format!("{length:x}\r\n{envelope}\r\n0\r\n\r\n");
    let server = format!(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}\
         HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 3\r\n\r\npng"
    );
    let segments = segments(client.as_bytes(), server.as_bytes());
    let capture = write("http.pcap", &pcap(&packets(&segments, true), 1));
    let (status, out, err) = decode(&[&capture]);
    assert_eq!(status, Some(0), "{out} {err}");
    assert!(err.contains("1 body of HTTP passed over"), "{err}");
    check(&out, &["SOAP 1.1", "behind \"POST /calculator HTTP/1.1\"", "40"]);
    check(&out, &["10.0.0.2:8080 to 10.0.0.1:40000", "SOAP 1.1", "behind \"HTTP/1.1 200 OK\""]);
}

/// With another delimiter, what ends a message is settled by BodyLength and CheckSum where values look like something else.
#[test]
fn values_of_a_log_may_hold_line_breaks_delimiters_and_beginnings() {
    for text in ["one\ntwo\r\nthree", "a|b", "see 8=FIX.4.4 here 10=123 there", "10=123|\n"] {
        for delimiter in ["|", "^A", "<SOH>"] {
            // The delimiter of a value is kept: the frame is made of the message as it was sent.
            let body = format!("35=D\u{1}11=A1\u{1}58={text}\u{1}");
            let head = format!("8=FIX.4.4\u{1}9={}\u{1}{body}", body.len());
            let sum = head.bytes().map(u32::from).sum::<u32>() % 256;
            let written = format!("{head}10={sum:03}\u{1}").replace('\u{1}', delimiter);
            let log = format!("09:30 sent {written}\n09:31 next {written}\n");
            let name = write("values.log", log.as_bytes());
            let (status, out, err) = decode(&["--json", &name]);
            let facts: Vec<serde_json::Value> =
                out.lines().map(|it| serde_json::from_str(it).expect("JSON")).collect();
            assert_eq!((status, &*err, facts.len()), (Some(0), "", 2), "{written:?} {out}");
            for fact in &facts {
                assert_eq!(fact["fields"][4]["value"], text, "{written:?}");
                assert_eq!(fact["written"], format!("{delimiter:?} for SOH"));
            }
        }
    }
}

/// Zeros behind what gzip has compressed, as tapes have them, or something else.
#[test]
fn what_stands_behind_a_compressed_file_is_passed_over() {
    use std::io::Write as _;
    let member = |bytes: &[u8]| {
        let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        out.write_all(bytes).and_then(|()| out.finish()).expect("it is in memory")
    };
    let [first, second] =
        ["A1", "A2"].map(|it| member(&fix(&format!("35=D|11={it}|58={}|", "long ".repeat(30)))));
    for (behind, told) in [(&b""[..], false), (&[0; 512], true), (b"rubbish", true)] {
        let file = write("behind.gz", &[&first[..], &second, behind].concat());
        let (status, out, err) = decode(&[&file]);
        assert_eq!((status, out.matches("NewOrderSingle").count()), (Some(0), 2), "{err}");
        let said = format!("{} bytes behind what gzip has compressed", behind.len());
        assert_eq!(err.contains(&said), told, "{err}");
    }
    // A member behind zeros is one.
    let file = write("apart.gz", &[&first[..], &[0; 512], &second, &[0; 100]].concat());
    let (status, out, err) = decode(&[&file]);
    assert_eq!((status, out.matches("NewOrderSingle").count()), (Some(0), 2), "{err}");
    for said in ["512 bytes behind what", "100 bytes behind what"] {
        assert!(err.contains(said), "{err}");
    }
    // One that is cut is a fault, behind what it has.
    let (status, out, err) = decode(&[&write("cut.gz", &[&first[..], &second[..20]].concat())]);
    assert_eq!((status, out.matches("NewOrderSingle").count()), (Some(2), 1), "{err}");
}

/// Lines of a log of which envelopes are cut, and what stands on the others.
fn log_of_cut_envelopes() -> (String, usize) {
    let envelope = "<s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\"><s:Body>\
        <a>1</a></s:Body></s:Envelope>";
    let order = String::from_utf8(fix("35=D|11=A1|")).expect("text").replace('\u{1}', "|");
    let cuts = ["><s:Body><a>trunc", "><s:Body><![CDATA[ trunc", "><!-- trunc", " xmlns:s=\"http"];
    let of_cut = |cut| {
        format!(
            "2026-11-29 10:00:00 IN <s:Envelope{cut}\n  <s:Header/>\n\
             2026-11-29 10:00:01 IN {order}\n2026-11-29 10:00:02 OUT {envelope}\n"
        )
    };
    let log: String = cuts.into_iter().map(of_cut).collect();
    (log + "2026-11-29 10:00:03 IN <s:Envelope><s:Bo", cuts.len())
}

/// A line of a log that ends within an envelope is told with its place, and what follows it is read.
#[test]
fn an_envelope_that_is_cut_hides_no_line_behind_it() {
    let (log, count) = log_of_cut_envelopes();
    let wide: Vec<u8> =
        std::iter::once(0xfeff).chain(log.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    for (name, bytes) in [("cut.log", log.into_bytes()), ("wide.log", wide)] {
        let name = write(name, &bytes);
        let (status, out, err) = decode(&["--json", &name]);
        let facts: Vec<serde_json::Value> =
            out.lines().map(|it| serde_json::from_str(it).expect("JSON")).collect();
        let read: Vec<_> = facts
            .iter()
            .map(|it| (it["line"].as_u64().expect("a line"), it["format"].as_str().unwrap_or("")))
            .collect();
        let lines = (0..=count as u64)
            .flat_map(|it| [(4 * it + 1, "XML"), (4 * it + 3, "FIX.4.4"), (4 * it + 4, "XML")]);
        let expected: Vec<_> = lines.take(3 * count + 1).collect();
        assert_eq!((status, read), (Some(1), expected), "{out}");
        for fact in &facts {
            let wrong = fact["wrong"].as_str().unwrap_or("");
            let is_cut = fact["line"].as_u64().is_some_and(|it| it % 4 == 1);
            assert_eq!(wrong.contains("the message ends where"), is_cut, "{fact}");
        }
        let told = format!(
            "{} messages, {} of them wrong; {count} lines without one",
            3 * count + 1,
            count + 1
        );
        assert!(err.contains(&told), "{err}");
        let (status, out, _) = decode(&[&name]);
        assert_eq!(status, Some(1));
        let place = format!("{name}:1 (byte 23): XML\n  wrong: at byte ");
        assert!(out.starts_with(&place), "{out:.300}");
    }
}

/// An envelope that is whole is one, whatever its text looks like.
#[test]
fn an_envelope_over_several_lines_may_hold_lines_of_a_log() {
    let order = String::from_utf8(fix("35=D|11=A1|")).expect("text").replace('\u{1}', "|");
    let inner = format!("\n{order}\n10:00 &lt;s:Envelope>\n{{\"a\":1}}\n");
    let quoted = format!("<![CDATA[\n{order}\n<s:Envelope>\n]]>");
    let envelope = format!(
        "<s:Envelope xmlns:s='http://schemas.xmlsoap.org/soap/envelope/'>\n <s:Body>\n  <a>{inner}</a>\n  \
         <b>{quoted}</b>\n </s:Body>\n</s:Envelope>"
    );
    let name = write("whole.log", format!("10:00 IN {envelope}\n10:01 IN {order}\n").as_bytes());
    let (status, out, err) = decode(&["--json", &name]);
    let facts: Vec<serde_json::Value> =
        out.lines().map(|it| serde_json::from_str(it).expect("JSON")).collect();
    assert_eq!((status, &*err, facts.len()), (Some(0), "", 2), "{out}");
    assert_eq!(facts[0]["xml"], envelope);
    assert_eq!(facts[1]["format"], "FIX.4.4");
}

/// A log that was truncated while its writer went on (`copytruncate` of logrotate).
#[test]
fn a_log_that_begins_with_zeros_is_read() {
    let order = String::from_utf8(fix("35=D|11=A1|")).expect("text").replace('\u{1}', "|");
    let line = format!("10:00 IN {order}\n");
    for count in [1, 512, 200_000] {
        let zeros = vec![0; count];
        let log = [&zeros[..], line.as_bytes(), line.as_bytes()].concat();
        let name = write("zeros.log", &log);
        let (status, out, err) = decode(&[&name]);
        let second = count + line.len() + "10:00 IN ".len();
        assert_eq!(status, Some(0), "{err}");
        for place in [format!(":1 (byte {}): FIX", count + 9), format!(":2 (byte {second}): FIX")] {
            assert!(out.contains(&place), "{place}: {out}");
        }
        let told =
            format!("{count} byte{} of zeros before lines", if count == 1 { "" } else { "s" });
        assert!(err.contains(&told), "{err}");
    }
    // What is binary stays so.
    let name = write("zeros.bin", &[[0_u8; 70], [2; 70]].concat());
    let (status, out, _) = decode(&[&name]);
    assert_eq!(status, Some(1), "{out}");
    assert!(out.contains("140 bytes"), "{out}");
}
