//! The fuzz body of Fast Infoset over documents whole and damaged, and over pieces in any order, from fixed
//! seeds.

use trunkline_codec::fast_infoset::{Encoding, Writer, WriterOptions};
use trunkline_random::Random;
use trunkline_tests::fast_infoset::random::facts;
use trunkline_tests::fast_infoset::write;
use trunkline_tests::fuzz;

/// Octets that mean something, in a document or anywhere.
const PIECES: &[&[u8]] = &[
    b"\xe0\0\0\x01\0",
    b"\xe0\0\0\x01\x20",
    b"<?xml encoding='finf'?>",
    b"\x3c\0a",
    b"\x3d\x04urn:a\0b",
    b"\x3f\0p\x04urn:p\0c",
    b"\x7c\0d\x78\0e\x40f\xf0",
    b"\x7c\0d\x78\0e\x40f\x78\0e\x40f\xff",
    b"\x38\xcd\x04urn:d\xf0\x3d\x80\0g",
    b"\x38\xcf\0q\x04urn:q\xf0",
    b"\x38\xcc\xf0",
    b"\x00",
    b"\x01",
    b"\x40\0",
    b"\x81\x90\xa0",
    b"\x80h",
    b"\x90i",
    b"\xa0",
    b"\xb0\0",
    b"\x84\0j\0k",
    b"\x8c\x0a\x01\0\x01\0\x02",
    b"\x8c\x1a\x01\x3f\x80\0\0",
    b"\x8c\x04\x01\x02",
    b"\x8c\x14\x38",
    b"\x98\x02\x01\x12\x3f",
    b"\x8c\x26\x01cdat",
    b"\xe2\x40m",
    b"\xe1\0n\x40o",
    b"\xc4",
    b"\xca\0p",
    b"\xf0",
    b"\xff",
    b"\xff\xff",
    b"\x78\0a\x30\x38\x03\0\0\0\x01",
    b"\x0f\xff\0\0",
    b"\xcf\x81\x81",
];

fn writer_options(random: &mut Random) -> WriterOptions {
    let encoding = if random.index(3) == 0 { Encoding::Utf16 } else { Encoding::Utf8 };
    let alphabets = random.index(2) == 0;
    WriterOptions { encoding, alphabets, ..WriterOptions::default() }
}

fn damage(random: &mut Random, document: &mut [u8]) {
    for _ in 0..1 + random.index(3) {
        let at = random.index(document.len());
        document[at] = match random.index(3) {
            0 => b"\xf0\xff\x80\xa0\x40\x3c\x00\xe1"[random.index(8)],
            1 => document[at] ^ 1 << random.index(8),
            _ => random.byte(),
        };
    }
}

#[test]
fn jumbles_of_pieces_keep_the_promises() {
    let mut random = Random::new(1);
    for _ in 0..24_000 {
        let mut data = Vec::new();
        if random.index(8) > 0 {
            data.extend_from_slice(PIECES[0]);
        }
        for _ in 0..1 + random.index(12) {
            data.extend_from_slice(PIECES[random.index(PIECES.len())]);
        }
        fuzz::fast_infoset(&data);
    }
}

#[test]
fn typed_messages_are_read_alike_by_numbers_and_by_names() {
    let mut random = Random::new(4);
    for _ in 0..6000 {
        let length = 8 + usize::from(random.byte());
        let data: Vec<u8> = (0..length).map(|_| random.byte()).collect();
        fuzz::typed_infoset(&data);
    }
}

#[test]
fn documents_whole_and_damaged_keep_the_promises() {
    let mut random = Random::new(2);
    for _ in 0..3000 {
        let facts = facts(&mut random);
        let mut document = write(&mut Writer::stateless(writer_options(&mut random)), &facts);
        fuzz::fast_infoset(&document);
        damage(&mut random, &mut document);
        fuzz::fast_infoset(&document);
        document.truncate(random.index(document.len()));
        fuzz::fast_infoset(&document);
    }
}

/// Pieces of equal length are what the body takes for a sequence.
#[test]
fn sequences_whole_and_damaged_keep_the_promises() {
    let mut random = Random::new(3);
    for _ in 0..1000 {
        let facts = facts(&mut random);
        let mut writer = Writer::retaining(writer_options(&mut random));
        let documents: Vec<Vec<u8>> = (0..2).map(|_| write(&mut writer, &facts)).collect();
        let longest = documents[0].len().max(documents[1].len());
        if documents.iter().any(|document| document.len() != longest) {
            continue;
        }
        let mut data = vec![1];
        data.extend(documents.concat());
        fuzz::fast_infoset(&data);
        damage(&mut random, &mut data);
        fuzz::fast_infoset(&data);
    }
}
