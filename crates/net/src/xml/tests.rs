//! The framer against a plain one, and against itself in pieces.

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};

use super::*;
use crate::FrameBuffer;

fn config() -> Config {
    let rng_seed = RngSeed::Fixed(2004);
    Config { rng_seed, cases: 3000, failure_persistence: None, ..Config::default() }
}

fn limits() -> Limits {
    Limits { message_bytes: 4000, depth: 20, ..Limits::default() }
}

/// The messages of a stream that comes in pieces which end at `cuts`, and how it ends.
fn messages(stream: &[u8], cuts: &[usize]) -> (Vec<Vec<u8>>, String) {
    let mut framer = Xml::default();
    let mut buffer = FrameBuffer::new(limits());
    let mut found = Vec::new();
    let mut from = 0;
    for &cut in cuts.iter().chain([&stream.len()]) {
        buffer.room()[..cut - from].copy_from_slice(&stream[from..cut]);
        buffer.filled(cut - from);
        from = cut;
        loop {
            match buffer.take(&mut framer) {
                Ok(Some(message)) => found.push(message.to_vec()),
                Ok(None) => break,
                Err(error) => return (found, error.to_string()),
            }
        }
    }
    (found, buffer.end().map_or("truncated".to_owned(), |()| "good".to_owned()))
}

/// Where a well-formed document ends, counting all tags, a byte at a time.
fn plain_end(text: &str) -> usize {
    let (mut at, mut depth) = (0, 0);
    loop {
        let rest = &text[at..];
        let until = |end: &str| rest.find(end).expect("it is well-formed") + end.len();
        let length = if rest.starts_with("<!--") {
            until("-->")
        } else if rest.starts_with("<![CDATA[") {
            until("]]>")
        } else if rest.starts_with("<?") {
            until("?>")
        } else if rest.starts_with('<') {
            let mut quote = None;
            let length = rest.bytes().position(|byte| {
                match quote {
                    None if byte == b'"' || byte == b'\'' => quote = Some(byte),
                    Some(open) if open == byte => quote = None,
                    _ => {}
                }
                quote.is_none() && byte == b'>'
            });
            let length = length.expect("it is well-formed") + 1;
            if rest.starts_with("</") {
                depth -= 1;
            } else if !rest[..length].ends_with("/>") {
                depth += 1;
            }
            if depth == 0 {
                return at + length;
            }
            length
        } else {
            rest.chars().next().expect("it is well-formed").len_utf8()
        };
        at += length;
    }
}

/// What stands between tags without being one.
const FILLING: [&str; 12] = [
    "text",
    " \n",
    "a > b / c />",
    "it's \"so\"! Or not?",
    "a/>&lt;a>",
    "<!-- </a> <a> <a:b -->",
    "<!---->",
    "<![CDATA[</a></a:b><a>]] >]]>",
    "<?a </a>?>",
    "é>",
    "!?",
    "Envelope",
];
const ATTRIBUTES: [&str; 6] =
    ["", " ", " a='>'", " a = \"/>\" b='/a>'", " xmlns:a=\"it's a 'b'\"\n", " a='?>' "];
const NAMES: [&str; 5] = ["a", "aa", "a:b", "b", "Envelope"];

/// A well-formed element.
fn element() -> impl Strategy<Value = String> {
    let tag = || (prop::sample::select(&NAMES[..]), prop::sample::select(&ATTRIBUTES[..]));
    let leaf = prop_oneof![
        3 => prop::sample::select(&FILLING[..]).prop_map(str::to_owned),
        1 => tag().prop_map(|(name, attributes)| format!("<{name}{attributes}/>")),
    ];
    let inside = leaf.prop_recursive(4, 40, 5, move |inner| {
        (tag(), prop::collection::vec(inner, 0..5), prop::sample::select(&["", " ", "\n\t"][..]))
            .prop_map(|((name, attributes), inner, blank)| {
                format!("<{name}{attributes}>{}</{name}{blank}>", inner.concat())
            })
    });
    (tag(), prop::collection::vec(inside, 0..5)).prop_map(|((name, attributes), inner)| {
        format!("<{name}{attributes}>{}</{name}>", inner.concat())
    })
}

fn prolog() -> impl Strategy<Value = &'static str> {
    prop::sample::select(
        &[
            "",
            "<?xml version='1.0'?>\n",
            "\u{feff}",
            "<!-- <a> --><?a?>",
            " \r\n\t",
            "\u{feff} <?x?>",
        ][..],
    )
}

/// Positions to cut a text of any length at.
fn cuts() -> impl Strategy<Value = Vec<prop::sample::Index>> {
    prop::collection::vec(any::<prop::sample::Index>(), 0..8)
}

fn positions(cuts: &[prop::sample::Index], length: usize) -> Vec<usize> {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(length + 1)).collect();
    cuts.sort_unstable();
    cuts
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_stream_of_documents_comes_apart(
        documents in prop::collection::vec((prolog(), element()), 1..4),
        cuts in cuts(),
    ) {
        let documents: Vec<String> = documents
            .iter()
            .map(|(prolog, element)| format!("{}{element}", prolog.trim_start()))
            .collect();
        for document in &documents {
            prop_assert_eq!(plain_end(document), document.len());
        }
        let stream = documents.join("\r\n ") + "\n";
        prop_assume!(stream.len() < 4000);
        let (found, end) = messages(stream.as_bytes(), &positions(&cuts, stream.len()));
        prop_assert_eq!(end, "good");
        let found: Vec<&str> =
            found.iter().map(|it| str::from_utf8(it).expect("as it was sent")).collect();
        prop_assert_eq!(found, documents);
    }

    #[test]
    fn pieces_make_no_difference(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..40),
        cuts in cuts(),
    ) {
        let stream = pieces.concat();
        let whole = messages(stream.as_bytes(), &[]);
        let every_byte: Vec<usize> = (0..stream.len()).collect();
        prop_assert_eq!(&messages(stream.as_bytes(), &every_byte), &whole);
        prop_assert_eq!(&messages(stream.as_bytes(), &positions(&cuts, stream.len())), &whole);
    }
}

/// What documents are made of, good and bad.
const PIECES: &[&str] = &[
    "<",
    ">",
    "/",
    "a",
    "<a",
    "<a>",
    "<a>",
    "</a",
    "</a>",
    "<a/>",
    "<b>",
    "</b>",
    "<a:b>",
    "</a:b>",
    "<!",
    "--",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "]",
    "<?",
    "?>",
    "!",
    "?",
    "'",
    "\"",
    " ",
    "=",
    "<!DOCTYPE",
    "\u{feff}",
    "é",
    "<a b='",
    "<aa>",
];

#[test]
fn what_is_no_document_is_told_by_message_and_byte() {
    let deep = "<a>".repeat(21);
    let long = format!("<a>{}</a>", " ".repeat(4000));
    for (stream, expected) in [
        ("8=FIX", "message 0 of the connection: at byte 0: expected the < of an XML document"),
        (
            "<a/> <!DOCTYPE a><a/>",
            "message 1 of the connection: at byte 0: not supported: a document type declaration",
        ),
        (
            "<a><!ENTITY></a>",
            "message 0 of the connection: at byte 3: a declaration stands where there is none",
        ),
        (
            "</a>",
            "message 0 of the connection: at byte 0: an end tag stands before the document element",
        ),
        ("<a></a b>", "message 0 of the connection: at byte 7: expected the > of an end tag"),
        (&deep, "message 0 of the connection: at byte 63: more than the limit depth = 20 allows"),
        (
            &long,
            "message 0 of the connection: at byte 4000: more than the limit message_bytes = 4000 allows",
        ),
        ("<a><b></a", "truncated"),
    ] {
        let every_byte: Vec<usize> = (0..stream.len()).collect();
        assert_eq!(messages(stream.as_bytes(), &[]).1, expected);
        assert_eq!(messages(stream.as_bytes(), &every_byte).1, expected);
    }
}
