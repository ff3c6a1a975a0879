//! Packages of MIME and DIME: the bytes of others, in pieces of any length, and what breaks the rules.

mod numbers;

use trunkline_codec::attachment::{
    Event, Head, Kind, Limits, MediaType, Package, Parser, Part, dime, multipart,
};
use trunkline_message::Result;

use numbers::Numbers;

fn part(id: &str, kind: Kind, data: &[u8]) -> Part {
    Part { head: Head { id: id.into(), kind, ..Head::default() }, data: data.to_vec() }
}

fn media(of: &str) -> Kind {
    Kind::Media(of.into())
}

/// A package whose bytes come in pieces of these lengths, over and over.
fn read_in_pieces(parser: &mut impl Parser, bytes: &[u8], lengths: &[usize]) -> Result<Package> {
    let mut package = Package::default();
    let mut waiting = Vec::new();
    let mut rest = bytes;
    let mut lengths = lengths.iter().cycle();
    loop {
        let length = rest.len().min(*lengths.next().expect("one at least"));
        waiting.extend_from_slice(&rest[..length]);
        rest = &rest[length..];
        loop {
            let (done, event) = parser.next(&waiting, rest.is_empty())?;
            match event {
                Event::Part => {
                    package.parts.push(Part { head: parser.head().clone(), ..Part::default() })
                }
                Event::Data => {
                    let part = package.parts.last_mut().expect("a part has begun");
                    part.data.extend_from_slice(parser.data(&waiting));
                }
                Event::End => return Ok(package),
                Event::More | Event::PartEnd => {}
            }
            waiting.drain(..done);
            if event == Event::More {
                assert!(!rest.is_empty(), "it wants more than there is");
                break;
            }
        }
    }
}

fn multipart(boundary: &str) -> multipart::Parser {
    multipart::Parser::new(boundary, &Limits::default()).expect("a boundary")
}

fn read_multipart(bytes: &[u8]) -> Result<Package> {
    let whole = Package::read(&mut multipart("b"), bytes, 1 << 20);
    for lengths in [&[1][..], &[2, 3, 7], &[1000]] {
        let pieces = read_in_pieces(&mut multipart("b"), bytes, lengths);
        assert_eq!(pieces.is_ok(), whole.is_ok(), "{lengths:?} {pieces:?} {whole:?}");
        if let (Ok(pieces), Ok(whole)) = (&pieces, &whole) {
            assert_eq!(pieces, whole, "{lengths:?}");
        }
    }
    whole
}

fn read_dime(bytes: &[u8]) -> Result<Package> {
    let new = || dime::Parser::new(&Limits::default());
    let whole = Package::read(&mut new(), bytes, 1 << 20);
    for lengths in [&[1][..], &[2, 3, 7], &[1000]] {
        assert_eq!(read_in_pieces(&mut new(), bytes, lengths), whole, "{lengths:?}");
    }
    whole
}

#[test]
fn parts_are_what_stands_between_delimiters_whatever_is_in_them() {
    let bytes = b"a preamble\r\nwith --b in it\r\n--b  \r\nContent-Type: text/xml;\r\n charset=utf-8\r\n\
        content-id: <root>\r\nX-More: yes\r\n\r\n<a/>\r\n--b\r\n\r\n\r\n--bb\r\n--b--x\n--\r\r\n--b\r\n\
        Content-ID: naked\r\n\r\n--b--\r\nan epilogue\r\n--b\r\n";
    // A delimiter may end the line that is empty; its dashes end the package, whatever follows them.
    let error = read_multipart(&bytes[..bytes.len() - 30]).expect("the end is there");
    let package = read_multipart(bytes).expect("a package");
    assert_eq!(error, package);
    let mut root = part("root", media("text/xml; charset=utf-8"), b"<a/>");
    root.head.fields.push(("X-More".into(), "yes".into()));
    let second = part("", Kind::Unstated, b"\r\n--bb");
    assert_eq!(package.parts[..2], [root, second], "{package:?}");
}

#[test]
fn lines_may_end_in_lf_alone_if_the_first_does() {
    let package = read_multipart(b"--b\nContent-ID: <a>\n\none\r\n--b\n\ntwo\n--b--").expect("one");
    let parts = [part("a", Kind::Unstated, b"one\r"), part("", Kind::Unstated, b"two")];
    assert_eq!(package.parts, parts);
}

#[test]
fn transfer_encodings_are_undone() {
    let bytes = b"--b\r\nContent-Transfer-Encoding: base64\r\n\r\nAAEC\r\nAw==\r\n\r\n--b\r\n\
        Content-Transfer-Encoding: Quoted-Printable\r\n\r\na=3D=\r\nb =E4=f6\r\n--b--\r\n";
    let package = read_multipart(bytes).expect("a package");
    let data: Vec<&[u8]> = package.parts.iter().map(|it| &*it.data).collect();
    assert_eq!(data, [&[0, 1, 2, 3][..], b"a=b \xe4\xf6"]);
    for wrong in [
        "base64\r\n\r\nAA",
        "base64\r\n\r\nAA==AAAA",
        "base64\r\n\r\n!!!!",
        "uuencode\r\n\r\n",
        "quoted-printable\r\n\r\na=",
        "quoted-printable\r\n\r\n=xy",
    ] {
        let bytes = format!("--b\r\nContent-Transfer-Encoding: {wrong}\r\n--b--");
        read_multipart(bytes.as_bytes()).expect_err(wrong);
    }
}

#[test]
fn packages_that_break_the_rules_are_rejected_with_their_place() {
    for (bytes, at, why) in [
        (&b""[..], 0, "a part"),
        (b"nothing", 7, "a part"),
        (b"--b--", 0, "without parts"),
        (b"--b\r\nContent-ID: <a>\r\n", 22, "header fields"),
        (b"--b\r\n\r\ndata", 11, "the boundary behind a part"),
        (b"--b\r\n\r\ndata\r\n--b", 16, "the boundary behind a part"),
        (b"--b\r\n\r\ndata\r\n--c--", 18, "the boundary behind a part"),
        (b"--b\r\nno colon\r\n\r\n", 5, "no colon"),
        (b"--b\r\nA: b\r\na b: c\r\n\r\n", 11, "no name"),
        (b"--b\r\nA: \xff\r\n\r\n", 8, "UTF-8"),
        (b"--b\r\nA: b\rc\r\n\r\n", 5, "control character"),
        (
            b"--b\r\nContent-ID: <a>\r\n\r\n\r\n--b\r\nContent-ID: <a>\r\n\r\n\r\n--b--",
            31,
            "two parts",
        ),
    ] {
        let error = read_multipart(bytes).expect_err(why);
        assert!(error.to_string().contains(why), "{error}");
        assert_eq!(error.offset(), at, "{error}");
    }
    for boundary in ["", "a ", "\u{e9}", "a\r\n", &"b".repeat(201)] {
        multipart::Parser::new(boundary, &Limits::default()).expect_err(boundary);
    }
}

#[test]
fn limits_hold_before_memory_is_taken() {
    let limits = Limits { parts: 3, head_bytes: 40, preamble_bytes: 100, part_bytes: 10 };
    let check = |bytes: &[u8], name: &str| {
        let mut parser = multipart::Parser::new("b", &limits).expect("a boundary");
        let error = read_in_pieces(&mut parser, bytes, &[7]).expect_err(name);
        assert!(error.to_string().contains(name), "{error}");
    };
    check(&[&[b'x'; 200][..], b"\r\n--b\r\n\r\n\r\n--b--"].concat(), "preamble_bytes");
    check(&[b"--b\r\nA: ", &[b'x'; 60][..], b"\r\n\r\n\r\n--b--"].concat(), "head_bytes");
    check(b"--b\r\n\r\n12345678901\r\n--b--", "part_bytes");
    check(b"--b\r\n\r\n\r\n--b\r\n\r\n\r\n--b\r\n\r\n\r\n--b\r\n\r\n\r\n--b--", "parts");
    let mut bytes = vec![0x0e, 0x10, 0, 0, 0, 41, 0, 0, 0, 0, 0, 0];
    let new = || dime::Parser::new(&limits);
    let error = Package::read(&mut new(), &bytes, 100).expect_err("an id too long");
    assert!(error.to_string().contains("head_bytes"), "{error}");
    (bytes[5], bytes[11]) = (0, 11);
    let error = Package::read(&mut new(), &bytes, 100).expect_err("a part too long");
    assert!(error.to_string().contains("part_bytes"), "{error}");
}

#[test]
fn records_of_dime_are_parts_and_chunks_of_them() {
    let mut writer = dime::Writer::default();
    let mut bytes = Vec::new();
    let mut head = Head { id: "urn:1".into(), kind: Kind::Uri("urn:t".into()), ..Head::default() };
    head.options.push((7, b"abc".to_vec()));
    let mut put = |head: &Head, data: &[u8], has_more, is_last| {
        let place = dime::Place { has_more, is_last };
        writer.begin_record(head, data.len() as u32, place, &mut bytes).expect("a record");
        bytes.extend_from_slice(data);
        bytes.extend_from_slice(dime::padding(data.len() as u32));
    };
    put(&head, b"<a/>", false, false);
    let second = Head { kind: media(""), ..Head::default() };
    put(&second, b"one", true, false);
    put(&second, b"", true, false);
    put(&second, b"two!", false, true);
    let expected = [
        &b"\x0c\x20\0\x07\0\x05\0\x05\0\0\0\x04\0\x07\0\x03abc\0urn:1\0\0\0urn:t\0\0\0<a/>"[..],
        b"\x09\x10\0\0\0\0\0\0\0\0\0\x03one\0",
        b"\x09\0\0\0\0\0\0\0\0\0\0\0",
        b"\x0a\0\0\0\0\0\0\0\0\0\0\x04two!",
    ]
    .concat();
    assert_eq!(bytes, expected, "{}", bytes.escape_ascii());
    let package = read_dime(&bytes).expect("a message");
    let parts =
        [Part { head, data: b"<a/>".to_vec() }, Part { head: second, data: b"onetwo!".to_vec() }];
    assert_eq!(package.parts, parts);
}

#[test]
fn dime_that_breaks_the_rules_is_rejected_with_its_place() {
    const RECORD: &[u8] = b"\x0e\x10\0\0\0\0\0\0\0\0\0\0";
    const FIRST: &[u8] = b"\x0c\x10\0\0\0\0\0\0\0\0\0\0";
    read_dime(RECORD).expect("an empty part");
    for (records, at, why) in [
        (&[&b"\x16\x10\0\0\0\0\0\0\0\0\0\0"[..]][..], 0, "version 1"),
        (&[b"\x0a\x10\0\0\0\0\0\0\0\0\0\0"], 0, "begins a message"),
        (&[FIRST, RECORD], 12, "begins a message"),
        (&[b"\x0f\x10\0\0\0\0\0\0\0\0\0\0"], 0, "goes on"),
        (&[b"\x0e\0\0\0\0\0\0\0\0\0\0\0"], 0, "no chunk"),
        (&[b"\x0d\x10\0\0\0\0\0\0\0\0\0\0", b"\x0a\x10\0\0\0\0\0\0\0\0\0\0"], 12, "a chunk"),
        (&[b"\x0e\x30\0\0\0\0\0\x01\0\0\0\0a\0\0\0"], 0, "without a type"),
        (&[b"\x0e\x40\0\0\0\0\0\0\0\0\0\x01a\0\0\0"], 0, "without a type"),
        (&[b"\x0e\x50\0\0\0\0\0\0\0\0\0\0"], 0, "not known"),
        (&[b"\x0e\x10\0\0\0\x01\0\0\0\0\0\0\xff\0\0\0"], 12, "UTF-8"),
        (&[b"\x0e\x10\0\x08\0\0\0\0\0\0\0\0\0\x01\0\x09abcd"], 12, "an option"),
        (&[&RECORD[..11]], 11, "a record"),
        (&[b"\x0e\x10\0\0\0\x01\0\0\0\0\0\0a\0\0"], 15, "fields"),
        (&[b"\x0e\x10\0\0\0\0\0\0\0\0\0\x01a\0\0"], 15, "bytes of a record"),
        (&[FIRST], 12, "a record"),
    ] {
        let error = read_dime(&records.concat()).expect_err(why);
        assert!(error.to_string().contains(why), "{error}");
        assert_eq!(error.offset(), at, "{error}");
    }
    let twice =
        [&b"\x0c\x10\0\0\0\x01\0\0\0\0\0\0a\0\0\0"[..], b"\x0a\x10\0\0\0\x01\0\0\0\0\0\0a\0\0\0"];
    let error = read_dime(&twice.concat()).expect_err("an id twice");
    assert!(error.to_string().contains("\"a\""), "{error}");
}

#[test]
fn what_one_format_cannot_say_is_not_written() {
    let mut out = Vec::new();
    let mut mime = multipart::Writer::new("b").expect("a boundary");
    let uri = Head { kind: Kind::Uri("urn:t".into()), ..Head::default() };
    mime.begin_part(&uri, &mut out).expect_err("a URI");
    for head in [
        Head { id: "a\r\nb".into(), ..Head::default() },
        Head { kind: media("a\nb"), ..Head::default() },
        Head { fields: vec![("A".into(), "b\r\nC: d".into())], ..Head::default() },
    ] {
        mime.begin_part(&head, &mut out).expect_err("the end of a line");
    }
    let fields = Head { fields: vec![("A".into(), "b".into())], ..Head::default() };
    let last = dime::Place { has_more: false, is_last: true };
    let mut writer = dime::Writer::default();
    writer.begin_record(&fields, 0, last, &mut out).expect_err("fields");
    let long = Head { id: "x".repeat(1 << 16), ..Head::default() };
    writer.begin_record(&long, 0, last, &mut out).expect_err("a long id");
    assert!(out.is_empty());
    writer.begin_record(&uri, 0, last, &mut out).expect("the last");
    writer.begin_record(&uri, 0, last, &mut out).expect_err("another behind it");
    Package::default().write_dime().expect_err("no parts");
}

#[test]
fn packages_at_random_come_back_in_pieces_of_any_length() {
    let mut numbers = Numbers(21);
    let mut index = |bound: usize| numbers.below(bound as u64) as usize;
    for _ in 0..500 {
        let mut parts = Vec::new();
        for number in 0..=index(4) {
            let alphabet: &[u8] = if index(2) == 0 { b"\r\n-b" } else { b"abc\0\xff=\n" };
            let length = index(40);
            let data: Vec<u8> = (0..length).map(|_| alphabet[index(alphabet.len())]).collect();
            let data = if data.windows(3).any(|it| it == b"--b") { b"-b".to_vec() } else { data };
            parts.push(part(&format!("id{number}"), media("a/b"), &data));
        }
        let package = Package { parts };
        let lengths: Vec<usize> = (0..3).map(|_| 1 + index(9)).collect();
        let mut writer = multipart::Writer::new("b").expect("a boundary");
        let bytes = package.write_multipart(&mut writer).expect("MIME");
        let read = read_in_pieces(&mut multipart("b"), &bytes, &lengths);
        assert_eq!(read.as_ref(), Ok(&package), "{}", bytes.escape_ascii());
        let bytes = package.write_dime().expect("DIME");
        let mut parser = dime::Parser::new(&Limits::default());
        assert_eq!(read_in_pieces(&mut parser, &bytes, &lengths).as_ref(), Ok(&package));
    }
}

#[test]
fn media_types_have_parameters_in_any_form() {
    let text = "Multipart/Related; boundary=\"a;\\\"b\"; TYPE=text/xml ;start=<a@b>;";
    let parsed = MediaType::parse(text).expect("a media type");
    assert_eq!(parsed.essence, "multipart/related");
    assert_eq!(parsed.parameter("boundary"), Some("a;\"b"));
    assert_eq!(parsed.parameter("type"), Some("text/xml"));
    assert_eq!(parsed.parameter("start"), Some("<a@b>"));
    assert_eq!(MediaType::parse(&parsed.to_string()), Ok(parsed));
    for wrong in ["", "text", "text/", "/a", "a/b; c", "a/b; c=\"d", "a/b; c=1; C=2", "a b/c"] {
        MediaType::parse(wrong).expect_err(wrong);
    }
}
