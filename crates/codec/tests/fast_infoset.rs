//! Fast Infoset to the byte, as the Java library has it, and what its parser rejects.

use trunkline_codec::fast_infoset::{
    Options, Parser, Reader, VocabularyLimits, Writer, WriterOptions,
};
use trunkline_codec::infoset::{Event, Name, Reader as _, Tag as _, Writer as _};
use trunkline_message::{Error, Limits, Result};

const ENVELOPE: &str = "http://schemas.xmlsoap.org/soap/envelope/";

/// `echoInt(5)` as Metro writes it.
fn echo_int(writer: &mut Writer) -> Vec<u8> {
    let soap = |local| Name { prefix: "S", namespace: ENVELOPE, local };
    writer.begin();
    writer.start(soap("Envelope"));
    writer.declare("S", ENVELOPE);
    writer.start(soap("Body"));
    writer.start(Name { prefix: "ns2", namespace: "urn:t", local: "echoInt" });
    writer.declare("ns2", "urn:t");
    writer.start(Name { prefix: "", namespace: "", local: "arg0" });
    writer.integer(None, 5_i32);
    (0..4).for_each(|_| writer.end());
    writer.finish().unwrap().to_vec()
}

fn texts(document: &[u8], parser: &mut Parser) -> Result<Vec<String>> {
    let mut reader = Reader::begin(parser, document)?;
    let mut texts = Vec::new();
    loop {
        match reader.next()? {
            Event::Text(text) => texts.push(reader.value(text).into_owned()),
            Event::Eof => return Ok(texts),
            Event::Start(_) | Event::End => {}
        }
    }
}

fn stateless() -> Parser {
    Parser::stateless(Options::default(), &Limits::default())
}

fn retaining(limits: VocabularyLimits) -> Parser {
    Parser::retaining(Options::soap(), &Limits::default(), limits)
}

fn rejected(document: &[u8]) -> Error {
    texts(document, &mut stateless()).unwrap_err()
}

#[test]
fn a_call_has_the_bytes_that_metro_gives_it() {
    let mut first = b"\xe0\0\0\x01\0\x38\xcf\0S\x28".to_vec();
    first.extend_from_slice(ENVELOPE.as_bytes());
    first.extend_from_slice(b"\xf0\x3f\x81\x81\x07Envelope\x3f\x81\x81\x03Body");
    first.extend_from_slice(b"\x38\xcf\x02ns2\x04urn:t\xf0\x3f\x82\x82\x06echoInt\x3c\x03arg0");
    first.extend_from_slice(b"\x905\xff\xff\xf0");
    assert_eq!(echo_int(&mut Writer::stateless(WriterOptions::default())), first);

    let mut writer = Writer::retaining(WriterOptions::default());
    let documents: Vec<Vec<u8>> = (0..3).map(|_| echo_int(&mut writer)).collect();
    let again =
        b"\xe0\0\0\x01\0\x38\xcf\x81\x81\xf0\0\x01\x38\xcf\x82\x82\xf0\x02\x03\xa0\xff\xff\xf0";
    assert_eq!(documents, [&first[..], again, again]);
    assert_eq!(again.len(), 23);
    assert_eq!((writer.counters().indexes, writer.counters().literals), (2, 1));

    let mut parser = retaining(VocabularyLimits::default());
    for document in &documents {
        assert_eq!(texts(document, &mut parser).unwrap(), ["5"]);
    }
    assert_eq!(parser.vocabulary_size(), writer.vocabulary_size());
    assert_eq!((parser.counters().indexes, parser.counters().literals), (2, 1));
}

#[test]
fn numbers_are_written_as_such_where_that_is_shorter_or_there_are_several() {
    let write = |put: &dyn Fn(&mut Writer)| {
        let mut writer = Writer::stateless(WriterOptions::default());
        writer.begin();
        writer.start(Name { prefix: "", namespace: "", local: "r" });
        put(&mut writer);
        writer.end();
        let document = writer.finish().unwrap();
        assert!(document.starts_with(b"\xe0\0\0\x01\0") && document.ends_with(b"\xff"));
        document[8..document.len() - 1].to_vec()
    };
    assert_eq!(write(&|it| it.integers(None, &[1_i64, -2])), b"\x8c\x0a\x01\0\x01\xff\xfe");
    assert_eq!(write(&|it| it.integers(None, &[1_u64, 40_000]))[..3], *b"\x8c\x0e\x05");
    assert_eq!(write(&|it| it.integers(None, &[1_u64, u64::MAX]))[..1], *b"\x92");
    assert_eq!(write(&|it| it.floats(None, &[1.5_f32])), b"\x8c\x1a\x01\x3f\xc0\0\0");
    assert_eq!(write(&|it| it.float(None, 1.5_f64)), b"\x92\x001.5");
    assert_eq!(write(&|it| it.float(None, 1.0_f64 / 3.0))[..3], *b"\x8c\x1e\x05");
    assert_eq!(write(&|it| it.bytes(None, b"\xa3\xd1\x75\x0d")), b"\x8c\x06\x01\xa3\xd1\x75\x0d");
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let cases: &[(&[u8], usize, &str)] = &[
        (b"<a/>", 0, "a Fast Infoset document"),
        (b"\xe0\0\0\x01", 4, "the parts of the document"),
        (b"\xe0\0\0\x01\0\x3c\0a\xa7\xff", 8, "index 7 in the table of texts, which has 0"),
        (b"\xe0\0\0\x01\0\x3c\0a\x8c\x0a\0\0\0\0\xff", 11, "no whole number of items"),
        (b"\xe0\0\0\x01\0\x7c\0a\x78\0b\xff\0\xff\xff", 12, "stands twice"),
        (b"\xe0\0\0\x01\0\x3c\0a\x83\xff\xff\xff\xff", 13, "value_bytes"),
        (b"\xe0\0\0\x01\0\x3c\0a", 8, "the message ends"),
        (b"\xe0\0\0\x01\x20\x10\0\x04urn:x\x3c\0a\xff", 8, "external vocabulary \"urn:x\""),
    ];
    for (document, at, why) in cases {
        let error = rejected(document);
        assert!(error.to_string().contains(why), "{error}, not {why}");
        assert_eq!(error.offset(), *at, "{error}");
    }
    let error =
        texts(b"\xe0\0\0\x01\0\xe1\0t\xff\x3c\0a\xff", &mut retaining(VocabularyLimits::default()));
    assert!(error.unwrap_err().to_string().contains("SOAP has none"));
}

/// An element with a text that becomes an entry.
fn entry(text: &str) -> Vec<u8> {
    let mut document = b"\xe0\0\0\x01\0\x3c\0a\x92".to_vec();
    document.push(text.len() as u8 - 3);
    document.extend_from_slice(text.as_bytes());
    document.push(0xff);
    document
}

#[test]
fn a_vocabulary_that_grows_beyond_its_limits_ends_the_sequence() {
    let mut parser = retaining(VocabularyLimits { bytes: 40, entries: 1000 });
    let mut errors = Vec::new();
    for number in 100..130 {
        errors.extend(texts(&entry(&number.to_string()), &mut parser).err());
    }
    assert!(errors[0].to_string().contains("vocabulary bytes = 40"), "{}", errors[0]);
    assert!(errors[1].to_string().contains("an earlier document"), "{}", errors[1]);
    assert!(parser.vocabulary_size().bytes <= 40);

    let mut parser = retaining(VocabularyLimits { bytes: 1000, entries: 10 });
    let error = (100..130).find_map(|it| texts(&entry(&it.to_string()), &mut parser).err());
    assert!(error.unwrap().to_string().contains("vocabulary entries = 10"));
}

#[test]
fn a_sequence_goes_on_only_behind_documents_that_were_read_to_their_end() {
    let mut parser = retaining(VocabularyLimits::default());
    let document = entry("first");
    let mut reader = Reader::begin(&mut parser, &document).unwrap();
    assert!(matches!(reader.next(), Ok(Event::Start(_))));
    let error = Reader::begin(&mut parser, &document).unwrap_err();
    assert!(error.to_string().contains("not read to its end"), "{error}");

    let mut parser = retaining(VocabularyLimits::default());
    let mut reader = Reader::begin(&mut parser, &document).unwrap();
    assert!(matches!(reader.next(), Ok(Event::Start(_))));
    reader.finish().unwrap();
    // Of the local names there is one, of the texts the first.
    assert_eq!(texts(b"\xe0\0\0\x01\0\0\xa0\xff", &mut parser).unwrap(), ["first"]);

    // A document that is begun anew adds its entries once.
    let document = entry("second");
    let mut reader = Reader::begin(&mut parser, &document).unwrap();
    while !matches!(reader.next().unwrap(), Event::Eof) {}
    reader.restart().unwrap();
    reader.finish().unwrap();
    assert_eq!(texts(b"\xe0\0\0\x01\0\x02\xa1\xff", &mut parser).unwrap_err().offset(), 5);
}

#[test]
fn a_sender_stops_where_its_vocabulary_is_full_and_says_so() {
    let vocabulary = VocabularyLimits { bytes: 60, entries: 1000 };
    let options = WriterOptions { vocabulary, ..WriterOptions::default() };
    let mut writer = Writer::retaining(options);
    let mut parser = retaining(VocabularyLimits::default());
    for round in 0..4 {
        for number in 1000..1030 {
            writer.begin();
            writer.start(Name { prefix: "", namespace: "", local: "a" });
            writer.text(&number.to_string());
            writer.end();
            let document = writer.finish().unwrap();
            assert_eq!(texts(document, &mut parser).unwrap(), [number.to_string()], "{round}");
        }
    }
    assert!(writer.vocabulary_size().bytes <= 60, "{:?}", writer.vocabulary_size());
    assert!(writer.counters().indexes > 0);
    assert_eq!(parser.vocabulary_size(), writer.vocabulary_size());
    assert!(!writer.is_full());
    writer.begin();
    writer.start(Name { prefix: "", namespace: "", local: "a-name-that-is-new-and-long" });
    writer.end();
    writer.finish().unwrap();
    assert!(writer.is_full());
}

#[test]
fn what_no_document_has_is_an_error_of_the_writer_and_the_next_document_does_without() {
    let mut writer = Writer::retaining(WriterOptions::default());
    writer.begin();
    writer.start(Name { prefix: "p", namespace: "", local: "a" });
    writer.raw("<unclosed>");
    writer.end();
    assert!(writer.finish().is_err());
    let document = echo_int(&mut writer);
    let mut parser = retaining(VocabularyLimits::default());
    assert_eq!(texts(&document, &mut parser).unwrap(), ["5"]);
    assert_eq!(parser.vocabulary_size(), writer.vocabulary_size());
}

#[test]
fn elements_that_come_as_xml_are_written_with_the_prefixes_around_them() {
    let mut writer = Writer::stateless(WriterOptions::default());
    writer.begin();
    writer.start(Name { prefix: "p", namespace: "urn:p", local: "a" });
    writer.declare("p", "urn:p");
    writer.raw("<p:b x='1' p:y='2'>t<c xmlns='urn:c'/></p:b>");
    writer.end();
    let document = writer.finish().unwrap();
    let mut parser = stateless();
    let mut reader = Reader::begin(&mut parser, document).unwrap();
    assert!(matches!(reader.next(), Ok(Event::Start(_))));
    let mut text = String::new();
    reader.raw(&[], &mut text).unwrap();
    let expected =
        "<p:a xmlns:p=\"urn:p\"><p:b x=\"1\" p:y=\"2\">t<c xmlns=\"urn:c\"/></p:b></p:a>";
    assert_eq!(text, expected);
}
