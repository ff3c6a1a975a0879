//! Numbers too large for their field: a record rejects them as a struct does.

use std::sync::Arc;

use trunkline_codec::fix;
use trunkline_message::{Error, Layout, Message, Record, Structure};
use trunkline_soap as soap;

#[derive(Message, Clone, Debug, Default, PartialEq)]
#[message(name = "Numbers")]
#[fix(message_type = "U2")]
struct Wide {
    #[field(name = "Signed")]
    #[fix(tag = 5001)]
    signed: i64,
    #[field(name = "Unsigned")]
    #[fix(tag = 5002)]
    unsigned: u64,
    #[field(name = "SignedList")]
    #[fix(tag = 5003)]
    signed_list: Vec<i64>,
    #[field(name = "UnsignedList")]
    #[fix(tag = 5004)]
    unsigned_list: Vec<u64>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
#[message(name = "Numbers")]
#[fix(message_type = "U2")]
struct Narrow {
    #[field(name = "Signed")]
    #[fix(tag = 5001)]
    signed: i8,
    #[field(name = "Unsigned")]
    #[fix(tag = 5002)]
    unsigned: u16,
    #[field(name = "SignedList")]
    #[fix(tag = 5003)]
    signed_list: Vec<i16>,
    #[field(name = "UnsignedList")]
    #[fix(tag = 5004)]
    unsigned_list: Vec<u32>,
}

fn limits() -> Wide {
    Wide {
        signed: i8::MIN.into(),
        unsigned: u16::MAX.into(),
        signed_list: vec![i16::MIN.into(), -1, 0, i16::MAX.into()],
        unsigned_list: vec![0, u32::MAX.into()],
    }
}

/// The limits, and messages with one number beyond, by the field's name.
fn beyond() -> Vec<(&'static str, Wide)> {
    let mut messages = Vec::new();
    for signed in [i8::MIN as i64 - 1, i8::MAX as i64 + 1, i64::MIN, i64::MAX] {
        messages.push(("Signed", Wide { signed, ..limits() }));
    }
    for unsigned in [1 << 16, u64::MAX] {
        messages.push(("Unsigned", Wide { unsigned, ..limits() }));
    }
    for number in [i16::MIN as i64 - 1, i16::MAX as i64 + 1, i64::MIN, i64::MAX] {
        messages.push(("SignedList", Wide { signed_list: vec![1, number], ..limits() }));
    }
    for number in [1 << 32, u64::MAX] {
        messages.push(("UnsignedList", Wide { unsigned_list: vec![number], ..limits() }));
    }
    messages
}

/// The narrow struct's verdict, which must be the record's.
fn check(
    mut encode: impl FnMut(&Wide) -> Vec<u8>,
    mut of_struct: impl FnMut(&[u8], &mut Narrow) -> Result<(), Error>,
    mut of_record: impl FnMut(&[u8], &mut Record) -> Result<(), Error>,
) {
    let (mut narrow, mut record) = (Narrow::default(), Record::new(Narrow::layout()));
    let bytes = encode(&limits());
    of_struct(&bytes, &mut narrow).unwrap();
    of_record(&bytes, &mut record).unwrap();
    assert_eq!(Record::from_message(&narrow), record);
    for (name, message) in beyond() {
        let bytes = encode(&message);
        let error = of_struct(&bytes, &mut narrow).expect_err(name);
        assert_eq!(error.path(), name);
        assert!(error.to_string().ends_with("it is out of range"), "{error}");
        assert_eq!(of_record(&bytes, &mut record), Err(error), "{name}");
    }
}

#[test]
fn in_fix() {
    let plan = |schema: &Arc<Layout>| fix::Plan::new(schema, &fix::Options::default()).unwrap();
    let mut encoder = fix::Encoder::new(&plan(Wide::layout()));
    let plan = plan(Narrow::layout());
    let (mut of_struct, mut of_record) = (fix::Decoder::new(&plan), fix::Decoder::new(&plan));
    check(
        |message| encoder.encode(message).unwrap().to_vec(),
        |bytes, message| of_struct.decode(bytes, message),
        |bytes, record| of_record.decode(bytes, record),
    );
}

#[test]
fn in_soap() {
    let plan =
        |schema: &Arc<Layout>| soap::Plan::new(schema, &soap::Options::default()).expect("a plan");
    let mut encoder = soap::Encoder::new(&plan(Wide::layout()));
    let plan = plan(Narrow::layout());
    let (mut of_struct, mut of_record) = (soap::Decoder::new(&plan), soap::Decoder::new(&plan));
    check(
        |message| encoder.encode(message).unwrap().to_vec(),
        |bytes, message| of_struct.decode(bytes, message),
        |bytes, record| of_record.decode(bytes, record),
    );
}
