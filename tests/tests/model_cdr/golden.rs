//! The octets of every shape, as CORBA writes them.

use trunkline_codec::cdr::{self, ByteOrder, Optional};
use trunkline_message::{Message, Record, Structure};
use trunkline_wire::Decimal;

use crate::shapes::{Address, Party, Price, Settlement, Side, Terms, text};
use crate::{BITMAP, UNION, plan};

/// The message is these big-endian octets, and they are the message.
#[track_caller]
fn octets<M>(message: &M, optional: Optional, octets: &[u8])
where
    M: Message + Structure + Clone + PartialEq + std::fmt::Debug,
{
    let plan = plan(M::layout(), ByteOrder::Big, optional);
    let bytes = cdr::Encoder::new(&plan).encode(message).unwrap().to_vec();
    assert_eq!(bytes, octets);
    let mut back = M::empty();
    cdr::Decoder::new(&plan).decode(octets, &mut back).unwrap();
    assert_eq!(back, *message);
    let record = Record::from_message(message);
    assert_eq!(cdr::Encoder::new(&plan).encode(&record).unwrap(), octets);
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Scalars {
    side: Side,
    octet: u8,
    single: f32,
}

#[test]
fn an_enumeration_is_the_place_of_its_value_and_a_float_has_four_octets() {
    let message = Scalars { side: Side::SellShort, octet: 7, single: 1.5 };
    octets(&message, UNION, b"\0\0\0\x02\x07\0\0\0\x3f\xc0\0\0");
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Texts {
    hold: trunkline_wire::Duration,
    whole: trunkline_wire::BigInteger,
    exact: trunkline_wire::BigDecimal,
}

#[test]
fn durations_and_numbers_of_any_size_are_strings() {
    let message = Texts {
        hold: trunkline_wire::Duration::parse_xml(b"P1D").unwrap(),
        whole: "-70000000000000000000".parse().unwrap(),
        exact: "0.5".parse().unwrap(),
    };
    let expected = b"\0\0\0\x04P1D\0\0\0\0\x16-70000000000000000000\0\0\0\0\0\0\x040.5\0";
    octets(&message, UNION, expected);
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Person {
    address: Option<Address>,
    age: Option<u8>,
}

#[test]
fn an_optional_struct_stands_behind_a_flag_or_a_bit() {
    let none = Person::default();
    octets(&none, UNION, b"\0\0");
    octets(&none, BITMAP, b"\0");
    let there = Person { address: Some(Address::default()), age: Some(9) };
    octets(&there, UNION, b"\x01\0\0\0\0\0\0\x01\0\0\x01\x09");
    // Its own bits stand before its members.
    octets(&there, BITMAP, b"\x03\0\0\0\0\0\0\x01\0\x09");
    let city = Address { street: text("a"), city: Some(text("b")) };
    let there = Person { address: Some(city), age: None };
    octets(&there, BITMAP, b"\x01\x01\0\0\0\0\0\x02a\0\0\0\0\0\0\x02b\0");
}

#[derive(Message, Clone, Debug, PartialEq)]
struct Choices {
    octet: u8,
    price: Price,
    settlement: Option<Settlement>,
    last: Option<u8>,
}

#[test]
fn a_choice_is_a_union() {
    let mut message = Choices { octet: 7, price: Price::Market, settlement: None, last: Some(3) };
    octets(&message, UNION, b"\x07\0\0\0\0\0\0\x01\0\x01\x03");
    octets(&message, BITMAP, b"\x02\x07\0\0\0\0\0\x01\x03");
    message.price = Price::Limit("1.5".parse().unwrap());
    let limit = b"\x07\0\0\0\0\0\0\0\x3f\xf8\0\0\0\0\0\0";
    octets(&message, UNION, &[limit, &b"\0\x01\x03"[..]].concat());
    message.settlement = Some(Settlement::Cash);
    octets(&message, UNION, &[limit, &b"\x01\0\0\0\0\0\0\0\x01\x03"[..]].concat());
    message.settlement = Some(Settlement::Delivery(Address::default()));
    let delivery = b"\x01\0\0\0\0\0\0\x02\0\0\0\x01\0\0\x01\x03";
    octets(&message, UNION, &[limit, &delivery[..]].concat());
    let delivery = b"\x03\x07\0\0\0\0\0\0\x3f\xf8\0\0\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0\x01\0\x03";
    octets(&message, BITMAP, delivery);
    message.settlement = Some(Settlement::Nested(Price::Market));
    octets(&message, UNION, &[limit, &b"\x01\0\0\0\0\0\0\x04\0\0\0\x01\x01\x03"[..]].concat());
    message.settlement = Some(Settlement::Parts([1, 2, 3]));
    octets(
        &message,
        UNION,
        &[limit, &b"\x01\0\0\0\0\0\0\x05\0\x01\0\x02\0\x03\x01\x03"[..]].concat(),
    );
    message.settlement = Some(Settlement::References(vec![]));
    octets(&message, UNION, &[limit, &b"\x01\0\0\0\0\0\0\x03\0\0\0\0\x01\x03"[..]].concat());
}

#[test]
fn a_message_that_is_a_choice_begins_with_its_discriminator() {
    octets(&Price::Market, UNION, b"\0\0\0\x01");
    octets(&Price::Market, BITMAP, b"\0\0\0\x01");
    octets(&Price::Limit(Decimal::from(0)), UNION, &[0; 16]);
    octets(&Party::Account(9), UNION, b"a\x09");
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Lists {
    numbers: Vec<u16>,
    some: Option<Vec<u16>>,
    texts: Vec<trunkline_wire::Text>,
    data: Vec<u8>,
}

#[test]
fn a_list_is_a_sequence_and_empty_if_it_is_absent() {
    let mut message = Lists::default();
    octets(&message, UNION, b"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
    octets(&message, BITMAP, b"\0\0\0\0\0\0\0\0");
    message.some = Some(vec![]);
    octets(&message, UNION, b"\0\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
    octets(&message, BITMAP, b"\x02\0\0\0\0\0\0\0\0\0\0\0");
    message.numbers = vec![1, 2];
    octets(&message, UNION, b"\0\0\0\x02\0\x01\0\x02\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
    octets(&message, BITMAP, b"\x03\0\0\0\0\0\0\x02\0\x01\0\x02\0\0\0\0\0\0\0\0");
    message.texts = vec![text(""), text("b")];
    let texts = b"\x07\0\0\0\0\0\0\x02\0\x01\0\x02\0\0\0\0\
        \0\0\0\x02\0\0\0\x01\0\0\0\0\0\0\0\x02b\0\0\0\0\0\0\0";
    octets(&message, BITMAP, texts);
}

#[derive(Message, Clone, Debug, PartialEq)]
struct Arrays {
    octet: u8,
    triple: [u16; 3],
    grid: [[i32; 2]; 2],
    pairs: Vec<[u8x; 2]>,
    sides: [Side; 2],
    maybe: Option<[f32; 1]>,
}

/// An octet that is no data.
#[allow(non_camel_case_types)]
type u8x = bool;

#[test]
fn an_array_has_no_count() {
    let message = Arrays {
        octet: 7,
        triple: [1, 2, 3],
        grid: [[1, 2], [3, -1]],
        pairs: vec![[true, false]],
        sides: [Side::Sell, Side::Buy],
        maybe: None,
    };
    let expected = b"\x07\0\0\x01\0\x02\0\x03\0\0\0\x01\0\0\0\x02\0\0\0\x03\xff\xff\xff\xff\
        \0\0\0\x01\x01\0\0\0\0\0\0\x01\0\0\0\0\0";
    octets(&message, UNION, expected);
    let message = Arrays { maybe: Some([1.5]), ..message };
    let expected = [&expected[..40], b"\x01\0\0\0\x3f\xc0\0\0"].concat();
    octets(&message, UNION, &expected);
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Nested {
    ragged: Vec<Vec<i16>>,
    prices: Vec<Price>,
    parties: Option<Vec<Party>>,
    #[field(implied)]
    terms: Terms,
}

#[test]
fn lists_of_lists_and_of_choices() {
    let message = Nested {
        ragged: vec![vec![], vec![5]],
        prices: vec![Price::Market, Price::Market],
        parties: Some(vec![Party::Account(1), Party::Name(text("x"))]),
        terms: Terms::default(),
    };
    let expected = b"\0\0\0\x02\0\0\0\0\0\0\0\x01\0\x05\0\0\
        \0\0\0\x02\0\0\0\x01\0\0\0\x01\
        \x01\0\0\0\0\0\0\x02a\x01n\0\0\0\0\x02x\0\
        \0\0\0\0\0\0\0";
    octets(&message, UNION, expected);
}
