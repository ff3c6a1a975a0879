//! Fast Infoset as the Java library writes it, and our own.

use std::fs;
use std::path::Path;

use serde_json::Value;
use trunkline_codec::fast_infoset::{
    Encoding, ExternalVocabulary, Options, Parser, VocabularyLimits, Writer, WriterOptions,
};
use trunkline_message::Limits;
use trunkline_tests::conformance;
use trunkline_tests::fast_infoset::{Fact, of_xml, plain, read, same_facts, write};

/// One document nests 200 elements.
fn limits() -> Limits {
    Limits { depth: 256, ..Limits::default() }
}

fn stateless() -> Parser {
    Parser::stateless(Options::default(), &limits())
}

fn retaining() -> Parser {
    Parser::retaining(Options::default(), &limits(), VocabularyLimits::default())
}

fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).expect("a list of cases");
    text.lines().map(|line| serde_json::from_str(line).expect("a case")).collect()
}

fn bytes(case: &Value) -> Vec<u8> {
    let hex = case["hex"].as_str().expect("octets");
    let octet = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).expect("an octet");
    (0..hex.len()).step_by(2).map(octet).collect()
}

fn options() -> [WriterOptions; 4] {
    let default = WriterOptions::default();
    [
        default.clone(),
        WriterOptions { encoding: Encoding::Utf16, ..default.clone() },
        WriterOptions { alphabets: true, longest_entry: 4, ..default.clone() },
        WriterOptions {
            vocabulary: VocabularyLimits { bytes: 100, entries: 20 },
            encoding: Encoding::Utf16,
            alphabets: true,
            ..default
        },
    ]
}

#[test]
fn documents_of_the_java_library_say_what_their_xml_says() {
    let Some(suite) = conformance::directory("fast-infoset") else { return };
    let cases = lines(&suite.join("index.jsonl"));
    let mut parser = stateless();
    let mut count = 0;
    for case in cases.iter().filter(|case| case["mode"] != "stateful") {
        let name = case["finf"].as_str().expect("a file");
        let document = fs::read(suite.join(name)).expect("a document");
        let xml = fs::read(suite.join(case["xml"].as_str().expect("a file"))).expect("XML");
        let said = read(&mut parser, &document).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(said, of_xml(&xml).expect("XML"), "{name}");
        count += 1;
    }
    assert!(count > 400, "only {count} documents");
}

#[test]
fn sequences_of_the_java_library_are_read_with_the_vocabulary_that_they_retain() {
    let Some(suite) = conformance::directory("fast-infoset") else { return };
    let mut count = 0;
    for sequence in fs::read_dir(suite.join("stateful")).expect("sequences") {
        let sequence = sequence.expect("a sequence").path();
        let mut parser = retaining();
        for number in 0.. {
            let file = |ending: &str| sequence.join(format!("m{number:03}.{ending}"));
            let Ok(document) = fs::read(file("finf")) else { break };
            let name = file("finf");
            let said = read(&mut parser, &document)
                .unwrap_or_else(|error| panic!("{}: {error}", name.display()));
            let xml = fs::read(file("xml")).expect("XML");
            assert_eq!(said, of_xml(&xml).expect("XML"), "{}", name.display());
            count += 1;
        }
        assert!(parser.counters().indexes > 0, "{}", sequence.display());
    }
    assert!(count > 80, "only {count} documents");
}

#[test]
fn algorithms_and_alphabets_stand_for_the_texts_that_the_java_library_gives_them() {
    let Some(suite) = conformance::directory("fast-infoset") else { return };
    let cases = lines(&suite.join("algorithms.jsonl"));
    assert!(cases.len() >= 80);
    for case in &cases {
        let xml = of_xml(case["xml"].as_str().expect("XML").as_bytes()).expect("XML");
        let said = read(&mut stateless(), &bytes(case))
            .unwrap_or_else(|error| panic!("{}: {error}", case["file"]));
        assert!(same_facts(&said, &xml), "{}: {said:?}, not {xml:?}", case["file"]);
    }
}

#[test]
fn malformed_documents_are_rejected_and_only_they() {
    let Some(suite) = conformance::directory("fast-infoset") else { return };
    let cases = lines(&suite.join("malformed.jsonl"));
    assert!(cases.len() >= 30);
    for case in &cases {
        let said = read(&mut stateless(), &bytes(case));
        match case["must"].as_str() {
            Some("accept") => assert!(said.is_ok(), "{}: {:?}", case["file"], said.err()),
            Some("reject") => {
                let error = said.expect_err(case["file"].as_str().expect("a name"));
                assert!(error.offset() <= bytes(case).len(), "{error}");
            }
            _ => {}
        }
    }
}

/// `<a>` with what `content` appends after its start, once it has entered a text of `length` letters.
fn with_entry(length: usize, content: impl Fn(&mut Vec<u8>)) -> Vec<u8> {
    let mut document = b"\xe0\0\0\x01\0\x3c\0a\x93".to_vec();
    document.extend((length as u32 - 259).to_be_bytes());
    document.resize(document.len() + length, b'x');
    content(&mut document);
    document.extend([0xff]);
    document
}

/// A bomb: 2,000 indexes of 2,001 octets together stand for 200 million.
#[test]
fn few_octets_cannot_stand_for_more_than_a_message_may_have() {
    let texts = |count: usize| with_entry(100_000, |out| out.resize(out.len() + count, 0xa0));
    assert!(read(&mut stateless(), &texts(160)).is_ok());
    let error = read(&mut stateless(), &texts(2_000)).expect_err("a bomb");
    let told = "at byte 100180: more than the limit expanded message_bytes = 16777216 allows";
    assert_eq!(error.to_string(), told);
    // Also when the entry is of a document before this one.
    let mut parser = retaining();
    read(&mut parser, &texts(0)).expect("an entry");
    let mut bomb = b"\xe0\0\0\x01\0\0".to_vec();
    bomb.resize(bomb.len() + 2_000, 0xa0);
    bomb.push(0xff);
    assert!(read(&mut parser, &bomb).is_err());
    // A bit of a list of booleans stands for six letters.
    let mut booleans = b"\xe0\0\0\x01\0\x3c\0a\x8c\x17".to_vec();
    booleans.extend((1_000_000u32 - 259).to_be_bytes());
    booleans.resize(booleans.len() + 1_000_000, 0);
    booleans.push(0xff);
    assert!(read(&mut stateless(), &booleans).is_err());
}

/// One file is a listing of another's octets, sixteen a line between their place and their characters.
fn undumped(file: Vec<u8>) -> Vec<u8> {
    if !file.starts_with(b"00000000: ") {
        return file;
    }
    let text = String::from_utf8(file).expect("a listing");
    let octets = |line: &str| -> Vec<u8> {
        let digits: String = line[10..50].split_whitespace().collect();
        let octet = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).expect("an octet");
        (0..digits.len()).step_by(2).map(octet).collect()
    };
    text.lines().flat_map(octets).collect()
}

#[test]
fn the_example_of_annex_d_is_read_and_written_with_its_external_vocabulary() {
    let Some(suite) = conformance::directory("fast-infoset") else { return };
    let folder = suite.join("x891-annex-d");
    let xml = of_xml(&fs::read(folder.join("UBL-example.xml")).expect("XML")).expect("XML");
    let table = fs::read(folder.join("ubl_external_vocabulary.json")).expect("a vocabulary");
    let table: Value = serde_json::from_slice(&table).expect("a vocabulary");
    let strings = |name: &str| -> Vec<String> {
        let entries = table[name].as_array().expect("a table");
        entries.iter().map(|it| it.as_str().expect("a string").to_owned()).collect()
    };
    let mut external = ExternalVocabulary::default();
    for entry in strings("prefixes") {
        external = external.prefix(&entry);
    }
    for entry in strings("namespace_names") {
        external = external.namespace(&entry);
    }
    for entry in strings("local_names") {
        external = external.local_name(&entry);
    }
    let part = |name: &Value, part: &str| name[part].as_str().expect("a part").to_owned();
    for name in table["element_names"].as_array().expect("a table") {
        external = external.element(&part(name, "prefix"), &part(name, "ns"), &part(name, "local"));
    }
    for name in table["attribute_names"].as_array().expect("a table") {
        external =
            external.attribute(&part(name, "prefix"), &part(name, "ns"), &part(name, "local"));
    }
    let uri = table["uri"].as_str().expect("a URI");
    let mut writer = Writer::stateless(WriterOptions::default())
        .with_external(uri, &external)
        .expect("a vocabulary");
    let written = write(&mut writer, &xml);
    let theirs = undumped(fs::read(folder.join("UBL-example-refvocab.finf")).expect("a document"));
    // The example makes entries of other texts, and so is longer.
    let before = theirs.windows(4).position(|it| it == b"\x82\x07S0").expect("the first text");
    assert_eq!(written[..before], theirs[..before]);
    assert!(written.len() <= theirs.len(), "{} for {}", written.len(), theirs.len());
    let mut parser = stateless().with_external(uri, external);
    assert_eq!(plain(&read(&mut parser, &written).expect("a document")), plain(&xml));
    for name in ["UBL-example.finf", "UBL-example-refvocab.finf"] {
        let document = undumped(fs::read(folder.join(name)).expect("a document"));
        let said = read(&mut parser, &document).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(plain(&said), plain(&xml), "{name}");
    }
    let document = fs::read(folder.join("UBL-example-refvocab.finf")).expect("a document");
    let error = read(&mut stateless(), &document).expect_err("nobody knows its vocabulary");
    assert!(error.to_string().contains(uri), "{error}");
}

/// What is written of a document reads as the document, and takes no more than what the library writes.
#[test]
fn what_is_written_says_the_same_in_no_more_bytes_than_the_java_library_takes() {
    let Some(suite) = conformance::directory("fast-infoset") else { return };
    let cases = lines(&suite.join("index.jsonl"));
    for options in options() {
        let mut writer = Writer::stateless(options.clone());
        for case in cases.iter().filter(|case| case["mode"] == "default") {
            let name = case["xml"].as_str().expect("a file");
            let xml = fs::read(suite.join(name)).expect("XML");
            let facts = of_xml(&xml).expect("XML");
            let document = write(&mut writer, &facts);
            let said = read(&mut stateless(), &document);
            assert_eq!(said.expect("what was written"), plain(&facts), "{name}");
            let has_others = plain(&facts).len() < facts.len();
            let theirs = case["bytes"].as_u64().expect("a length") as usize;
            if options == WriterOptions::default() && !has_others {
                assert!(document.len() <= theirs, "{name}: {} for {theirs}", document.len());
            }
        }
    }
}

#[test]
fn sequences_that_are_written_retain_their_vocabulary() {
    let Some(suite) = conformance::directory("fast-infoset") else { return };
    for options in options() {
        for sequence in fs::read_dir(suite.join("stateful")).expect("sequences") {
            let sequence = sequence.expect("a sequence").path();
            let mut writer = Writer::retaining(options.clone());
            let mut parser = retaining();
            for number in 0.. {
                let Ok(xml) = fs::read(sequence.join(format!("m{number:03}.xml"))) else { break };
                let facts = of_xml(&xml).expect("XML");
                if number % 3 == 1 {
                    // This one is begun, and then not sent.
                    write(&mut Writer::retaining(options.clone()), &facts);
                    abandon(&mut writer, &facts);
                }
                let document = write(&mut writer, &facts);
                assert_eq!(read(&mut parser, &document).expect("a document"), plain(&facts));
                let (sent, received) = (writer.vocabulary_size(), parser.vocabulary_size());
                assert_eq!(sent.entries, received.entries);
            }
        }
    }
}

/// Writes the start of each element, and ends none.
fn abandon(writer: &mut Writer, facts: &[Fact]) {
    use trunkline_codec::infoset::{Name, Writer as _};
    writer.begin();
    for fact in facts {
        if let Fact::Start { name, .. } = fact {
            writer.start(Name { prefix: "", namespace: "", local: &format!("{}-x", name.2) });
            writer.text("abandoned");
        }
    }
}
