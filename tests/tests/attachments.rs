//! Packages that other toolkits wrote: DIME of Perl and gSOAP, MTOM of gSOAP and Metro, SOAP with Attachments of SAAJ.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use trunkline_codec::attachment::{Kind, Limits, MediaType, Package, Parser, dime, multipart};
use trunkline_soap as soap;
use trunkline_tests::conformance;
use trunkline_tests::fuzz::read_in_pieces;

const MOST: usize = 1 << 20;

fn suite() -> Option<PathBuf> {
    conformance::directory("attachments")
}

/// The package that the bytes are, as a whole and in pieces.
fn read<P: Parser>(new: impl Fn() -> P, bytes: &[u8]) -> Package {
    let package = Package::read(&mut new(), bytes, MOST).expect("a package");
    for length in [1, 7, 1000] {
        assert_eq!(read_in_pieces(&mut new(), bytes, length).as_ref(), Ok(&package));
    }
    package
}

fn read_dime(bytes: &[u8]) -> Package {
    read(|| dime::Parser::new(&Limits::default()), bytes)
}

/// A package of MIME by its media type, and its root.
fn read_multipart(media_type: &str, bytes: &[u8]) -> (Package, usize) {
    let media_type = MediaType::parse(media_type).expect("a media type");
    assert_eq!(media_type.essence, "multipart/related");
    let boundary = media_type.parameter("boundary").expect("a boundary");
    let new = || multipart::Parser::new(boundary, &Limits::default()).expect("a boundary");
    let package = read(new, bytes);
    let start = media_type.parameter("start").map(|it| it.trim_matches(['<', '>']));
    let root = start.map(|start| package.parts.iter().position(|it| it.head.id == start));
    (package, root.map_or(0, |it| it.expect("the root is there")))
}

fn position(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|it| it == what)
}

/// The messages of a file: header fields by their names in small letters, and bodies.
fn messages(file: &[u8]) -> Vec<(BTreeMap<String, String>, Vec<u8>)> {
    let mut rest = file;
    let mut messages = Vec::new();
    while !rest.is_empty() {
        let end = position(rest, b"\r\n\r\n").expect("a header");
        let head = std::str::from_utf8(&rest[..end]).expect("UTF-8");
        let fields: BTreeMap<String, String> = head
            .lines()
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
            .collect();
        rest = &rest[end + 4..];
        let mut body = Vec::new();
        if let Some(length) = fields.get("content-length") {
            let whole;
            (whole, rest) = rest.split_at(length.parse().expect("a length"));
            body = whole.to_vec();
        }
        while fields.contains_key("transfer-encoding") {
            let line = position(rest, b"\n").expect("the length of a chunk");
            let digits = std::str::from_utf8(&rest[..line]).expect("digits").trim();
            let length = usize::from_str_radix(digits, 16).expect("digits");
            body.extend_from_slice(&rest[line + 1..][..length]);
            rest = &rest[line + 1 + length + 2..];
            if length == 0 {
                break;
            }
        }
        messages.push((fields, body));
    }
    messages
}

fn files(folder: &str) -> Vec<(String, Vec<u8>)> {
    let Some(suite) = suite() else { return Vec::new() };
    let entries = fs::read_dir(suite.join(folder)).expect("a folder");
    let mut files: Vec<(String, Vec<u8>)> = entries
        .map(|entry| entry.expect("a file").path())
        .map(|file| (file.display().to_string(), fs::read(file).expect("a file")))
        .collect();
    files.sort();
    files
}

/// What stands in a root as `xop:Include href="cid:ID"`, `href="cid:ID"` or text `cid:ID`.
fn references(root: &[u8]) -> Vec<String> {
    let text = std::str::from_utf8(root).expect("UTF-8");
    let references = text.split("cid:").skip(1);
    references.map(|it| it[..it.find(['"', '\'', '<']).expect("its end")].to_owned()).collect()
}

#[test]
fn dime_of_perl_has_the_payloads_that_were_put_in() {
    let Some(suite) = suite() else { return };
    let listing = fs::read_to_string(suite.join("dime-perl/payloads.jsonl")).expect("a listing");
    let mut count = 0;
    for line in listing.lines() {
        let line: Value = serde_json::from_str(line).expect("JSON");
        let file = line["file"].as_str().expect("a file");
        let bytes = fs::read(suite.join("dime-perl").join(file)).expect("a message");
        let package = read_dime(&bytes);
        let payloads = line["payload_hex"].as_array().expect("payloads");
        assert_eq!(package.parts.len(), payloads.len(), "{file}");
        for (part, payload) in package.parts.iter().zip(payloads) {
            let hex: String = part.data.iter().map(|it| format!("{it:02x}")).collect();
            assert_eq!(Some(hex.as_str()), payload.as_str(), "{file}");
            assert!(matches!(&part.head.kind, Kind::Media(it) if it.contains('/')), "{part:?}");
            assert!(part.head.id.starts_with("uuid:"), "{part:?}");
        }
        assert_eq!(read_dime(&package.write_dime().expect("DIME")), package);
        count += 1;
    }
    assert_eq!(count, 12);
}

#[test]
fn dime_of_gsoap_has_empty_types_and_chunks() {
    let Some(suite) = suite() else { return };
    let file = fs::read(suite.join("http-dime-gsoap/put-request.http")).expect("a request");
    let [(fields, body)] = &messages(&file)[..] else { panic!("one request") };
    assert_eq!(fields["content-type"], "application/dime");
    let package = read_dime(body);
    let unpacked = soap::unpack(&fields["content-type"], body, &Default::default());
    let unpacked = unpacked.expect("an envelope");
    assert_eq!(unpacked.media_type(), "text/xml");
    soap::open(&unpacked.whole(), &Default::default()).expect("an envelope");
    let envelope = Kind::Uri("http://schemas.xmlsoap.org/soap/envelope/".into());
    assert_eq!(package.parts[0].head.kind, envelope);
    let ids = references(&package.parts[0].data);
    assert_eq!(ids, ["id2", "id3", "id4", "id5"]);
    let lengths: Vec<usize> =
        ids.iter().map(|id| package.part(id).expect("a part").data.len()).collect();
    assert_eq!(lengths[..3], [1, 5, 11]);
    assert!(lengths[3] > 20_000, "{lengths:?}");
    assert_eq!(package.part("id4").expect("a part").data, b"hello dime\n");
}

#[test]
fn what_a_root_refers_to_is_a_part() {
    let (mut count, mut unpackable) = (0, 0);
    for (name, file) in files("http-mtom-gsoap").into_iter().chain(files("http-mtom-metro")) {
        for (fields, body) in messages(&file) {
            let media_type = &fields["content-type"];
            if !media_type.starts_with("multipart/") {
                continue;
            }
            let (package, root) = read_multipart(media_type, &body);
            let ids = references(&package.parts[root].data);
            let unpacked = soap::unpack(media_type, &body, &Default::default());
            match unpacked {
                Ok(it) => {
                    for envelope in [it.outline(), &it.whole()] {
                        soap::open(envelope, &Default::default()).expect("an envelope");
                    }
                    unpackable += 1;
                }
                // It has the text where it should refer to it.
                Err(error) => assert!(error.to_string().contains("refers to no part"), "{error}"),
            }
            // Some of gSOAP's refer to nothing.
            assert!(ids.len() < package.parts.len() || ids.is_empty(), "{name}");
            for id in ids {
                let part = package.part(&id).unwrap_or_else(|| panic!("{name}: {id}"));
                assert!(!part.data.is_empty(), "{name}: {id}");
                count += 1;
            }
        }
    }
    assert!((count, unpackable) == (7, 9) || suite().is_none(), "{count} {unpackable}");
}

#[test]
fn soap_with_attachments_of_saaj_is_read() {
    for (name, file) in files("swa-saaj") {
        let end = position(&file, b"\r\n\r\n").or_else(|| position(&file, b"\n\n"));
        let head = std::str::from_utf8(&file[..end.expect("a header")]).expect("UTF-8");
        let field = head.lines().find_map(|line| line.strip_prefix("Content-Type: "));
        let body = &file[head.len() + 2..];
        let (package, root) = read_multipart(field.expect("a media type"), body);
        assert_eq!(root, 0);
        let attachments = &package.parts[1..];
        for (number, part) in attachments.iter().enumerate() {
            assert_eq!(part.head.id, format!("part{number}@example.org"), "{name}");
            assert!(matches!(&part.head.kind, Kind::Media(_)), "{name}");
        }
        assert!(!attachments.is_empty(), "{name}");
    }
}
