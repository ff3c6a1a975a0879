//! Malformed CDR: every error names the field, the octet and the reason.

use std::sync::Arc;

use trunkline_catalogue::market_data::MarketDataIncrementalRefresh;
use trunkline_codec::cdr::{self, ByteOrder, Optional};
use trunkline_message::{Error, Layout, Limits, Record, Structure, Value};
use trunkline_tests::random::Safe;
use trunkline_tests::samples;
use trunkline_wire::Code;

fn plan(members: &str, optional: Optional) -> Arc<cdr::Plan> {
    let schema = Layout::from_listing(&format!("message M\n{members}\nend")).unwrap();
    let options = cdr::Options { byte_order: ByteOrder::Big, optional, ..Default::default() };
    cdr::Plan::new(&Arc::new(schema), &options).unwrap()
}

fn error_within(members: &str, bytes: &[u8], limits: Limits) -> Error {
    let plan = plan(members, Optional::Union);
    let mut record = Record::new(plan.layout());
    let decoded = cdr::Decoder::with_limits(&plan, limits).decode(bytes, &mut record);
    decoded.expect_err("malformed")
}

#[track_caller]
fn whole(members: &str, bytes: &[u8], text: &str) {
    assert_eq!(error_within(members, bytes, Limits::default()).to_string(), text);
}

#[test]
fn strings() {
    let text = "field t 0 text required";
    whole(text, b"\0\0\0\x02ab", "t at byte 4: expected one NUL, at the end of the string");
    whole(text, b"\0\0\0\x04a\0b\0", "t at byte 4: expected one NUL, at the end of the string");
    let zero = "t at byte 0: expected a string's length of at least 1, for its NUL";
    whole(text, b"\0\0\0\0", zero);
    let ends = "t at byte 6: the message ends where the bytes of a string should be";
    whole(text, b"\0\0\0\x03a\0", ends);
    whole(text, b"\0\0\0", "t at byte 3: the message ends where the length of a string should be");
    whole(
        text,
        b"\xff\xff\xff\xff",
        "t at byte 0: more than the limit value_bytes = 16777216 allows",
    );
    let utf_8 = |at, byte| {
        let option = "is read where the option code_set (--charset) says so";
        format!(
            "t at byte {at}: expected text in UTF-8, not the byte 0x{byte}; \
             as ISO-8859-1 or windows-1252 it {option}"
        )
    };
    whole(text, b"\0\0\0\x04a\xffb\0", &utf_8(5, "FF"));
    // A character that the bytes behind the string would complete is none.
    let two = "field t 0 text required\nfield d 0 bytes required";
    let bytes = b"\0\0\0\x02\xc3\0\0\0\0\0\0\x01\xa4";
    whole(two, bytes, &utf_8(4, "C3"));
}

#[test]
fn dates_times_and_codes() {
    whole(
        "field d 0 date required",
        b"\0\0\0\x0920230229\0",
        "d at byte 4: expected a date as YYYYMMDD, but it is out of range",
    );
    whole(
        "field t 0 time required",
        b"\0\0\0\x0924:00:00\0",
        "t at byte 4: expected a time as HH:MM:SS, but it is out of range",
    );
    whole(
        "field t 0 timestamp required",
        b"\0\0\0\x01\0",
        "t at byte 4: expected a time stamp as YYYYMMDD-HH:MM:SS, but it is empty",
    );
    let code = "c at byte 0: the message ends where a char should be";
    whole("field c 0 code required", b"", code);
}

#[test]
fn numbers() {
    let nan = f64::NAN.to_be_bytes();
    let range = "p at byte 0: expected a decimal, but it is out of range";
    whole("field p 0 decimal required", &nan, range);
    whole("field p 0 decimal required", &1e300_f64.to_be_bytes(), range);
    whole(
        "field n 0 i64 required",
        b"\0\0\0\0\0\0\0",
        "n at byte 7: the message ends where a whole number should be",
    );
    // Padding is counted: an octet, seven octets of padding, the number.
    whole(
        "field o 0 u8 required\nfield d 0 f64 required",
        &[0; 15],
        "d at byte 15: the message ends where a double should be",
    );
}

#[test]
fn booleans_and_flags() {
    let boolean = "b at byte 0: expected a boolean, 0 or 1";
    whole("field b 0 boolean required", b"\x02", boolean);
    whole("field b 0 boolean optional", b"\x02\x01", boolean);
    whole("field b 0 boolean optional", b"\xff", boolean);
    let second = "b at byte 1: expected a boolean, 0 or 1";
    whole("field b 0 boolean optional", b"\x01\x02", second);
    whole("field a 0 u8 optional\nfield b 0 u8 optional", b"\0\x03", second);
    let ends = "b at byte 1: the message ends where a boolean should be";
    whole("field a 0 u8 optional\nfield b 0 u8 optional", b"\0", ends);
}

#[test]
fn padding_is_not_looked_at() {
    let members = "field o 0 u8 required\nfield n 0 u32 required\nfield t 0 text optional";
    let plan = plan(members, Optional::Union);
    let mut record = Record::new(plan.layout());
    let bytes = b"\x07abc\0\0\0\x09\x01xyz\0\0\0\x02q\0";
    cdr::Decoder::new(&plan).decode(bytes, &mut record).unwrap();
    assert_eq!(record.get("n"), Some(&Value::Unsigned(9)));
    assert_eq!(record.get("t"), Some(&Value::Text("q".into())));
    let clean = cdr::Encoder::new(&plan).encode(&record).unwrap().to_vec();
    assert_eq!(clean, b"\x07\0\0\0\0\0\0\x09\x01\0\0\0\0\0\0\x02q\0");
}

#[test]
fn counts_beyond_the_octets_that_are_there() {
    let elements = "s at byte 0: the message ends where the elements of a sequence should be";
    whole("field s 0 f64[] required", b"\0\0\0\x02\0\0\0\0\0\0\0\0\0\0\0\0", elements);
    whole("field s 0 i16[] required", b"\0\0\0\x02\0\0\0", elements);
    let group = "group s 0 e required\nfield a 0 u8 required\nfield b 0 u8 optional\nend";
    whole(group, b"\0\0\0\x02\x07\0\x07", elements);
    whole(group, b"\xff\xff\xff\xff", "s at byte 0: more than the limit entries = 65536 allows");
    let data = "d at byte 6: the message ends where the data should be";
    whole("field d 0 bytes required", b"\0\0\0\x03ab", data);
    let limit = "d at byte 0: more than the limit value_bytes = 16777216 allows";
    whole("field d 0 bytes required", b"\x01\0\0\x01", limit);
    let second = "s[1]/b at byte 7: expected a boolean, 0 or 1";
    whole(group, b"\0\0\0\x02\x07\0\x07\x04", second);
}

#[test]
fn octets_behind_the_message() {
    whole("field a 0 u8 required", b"\x07\0", "at byte 1: 1 byte is left after the message");
    whole("field a 0 u8 optional", b"\0\0\0", "at byte 1: 2 bytes are left after the message");
}

#[test]
fn presence_bits() {
    let members = "field a 0 u8 optional\nfield b 0 u16 required\nfield c 0 u8 optional";
    let plan = plan(members, Optional::Bitmap);
    let mut decoder = cdr::Decoder::new(&plan);
    let mut record = Record::new(plan.layout());
    decoder.decode(b"\x02\0\0\x05\x07", &mut record).unwrap();
    assert_eq!((record.get("a"), record.get("c")), (None, Some(&Value::Unsigned(7))));
    let error = decoder.decode(b"", &mut record).unwrap_err();
    assert!(error.to_string().ends_with("the message ends where the presence bits should be"));
    let error = decoder.decode(b"\x03\x09\0\x05", &mut record).unwrap_err();
    assert_eq!(error.to_string(), "c at byte 4: the message ends where a whole number should be");
}

/// The sender has fields there, the values of which would be taken for others.
#[test]
fn presence_bits_of_no_field() {
    let expected = "expected presence bits of the schema's fields, and 0 beyond them";
    for count in 1..=17_usize {
        let field = |at| format!("field f{at} 0 u8 optional");
        let fields: Vec<String> = (0..count).map(field).collect();
        let plan = plan(&fields.join("\n"), Optional::Bitmap);
        let mut decoder = cdr::Decoder::new(&plan);
        let mut record = Record::new(plan.layout());
        let octets = count.div_ceil(8);
        for bit in 0..octets * 8 {
            let mut bytes = vec![0; octets];
            bytes[bit / 8] |= 1 << (bit % 8);
            if bit < count {
                bytes.push(7);
                decoder.decode(&bytes, &mut record).expect("a field");
                assert_eq!(record.get(&format!("f{bit}")), Some(&Value::Unsigned(7)));
                continue;
            }
            let error = decoder.decode(&bytes, &mut record).expect_err("no field");
            assert_eq!(error.to_string(), format!("at byte {}: {expected}", octets - 1));
        }
    }
    let members = "group s 0 e required\nfield a 0 u8 optional\nend";
    let plan = plan(members, Optional::Bitmap);
    let mut decoder = cdr::Decoder::new(&plan);
    let mut record = Record::new(plan.layout());
    let error = decoder.decode(b"\0\0\0\x02\x01\x07\x03\x07", &mut record).unwrap_err();
    assert_eq!(error.to_string(), format!("s[1] at byte 6: {expected}"));
}

/// The bits of a wide message, and the values of the fields that are there, as a plain loop over the
/// fields writes them.
#[test]
fn runs_of_absent_bits() {
    for count in (1..=200_usize).step_by(7) {
        let field = |at| format!("field f{at} 0 u8 optional");
        let fields: Vec<String> = (0..count).map(field).collect();
        let plan = plan(&fields.join("\n"), Optional::Bitmap);
        let (mut encoder, mut decoder) = (cdr::Encoder::new(&plan), cdr::Decoder::new(&plan));
        let mut back = Record::new(plan.layout());
        for every in [1, 2, 3, 7, 31, 63, 64, 65, 130, 300] {
            for first in [0, 1, 6, 62, 63, 64, 127, 199] {
                let mut record = Record::new(plan.layout());
                let mut bytes = vec![0; count.div_ceil(8)];
                for at in (first..count).step_by(every) {
                    record.set(&format!("f{at}"), Value::Unsigned(at as u64)).unwrap();
                    bytes[at / 8] |= 1 << (at % 8);
                    bytes.push(at as u8);
                }
                assert_eq!(encoder.encode(&record).unwrap(), bytes, "{count}, {first}, {every}");
                decoder.decode(&bytes, &mut back).unwrap();
                assert_eq!(back, record, "{count}, {first}, {every}");
            }
        }
    }
}

#[test]
fn every_limit_is_kept_and_named() {
    let group = "group s 0 e required\ngroup i 0 f required\nfield a 0 u8 required\nend\nend";
    let bytes = b"\0\0\0\x01\0\0\0\x02\x01\x02";
    let free = Limits::default();
    let limits = [
        (Limits { entries: 1, ..free.clone() }, "s[0]/i at byte 4", "entries = 1"),
        (Limits { depth: 1, ..free.clone() }, "s[0]/i at byte 4", "depth = 1"),
        (Limits { fields: 1, ..free.clone() }, "s[0]/i[1] at byte 10", "fields = 1"),
        (Limits { message_bytes: 9, ..free.clone() }, "at byte 10", "message_bytes = 9"),
    ];
    for (limits, place, name) in limits {
        let error = error_within(group, bytes, limits).to_string();
        assert_eq!(error, format!("{place}: more than the limit {name} allows"));
    }
    let limits = Limits { value_bytes: 2, ..free };
    let error = error_within("field t 0 text required", b"\0\0\0\x03ab\0", limits);
    assert_eq!(error.to_string(), "t at byte 0: more than the limit value_bytes = 2 allows");
}

#[test]
fn what_cdr_cannot_carry_is_named() {
    let plan =
        cdr::Plan::new(MarketDataIncrementalRefresh::layout(), &cdr::Options::default()).unwrap();
    let mut encoder = cdr::Encoder::new(&plan);
    let long = "a text that is longer than thirty bytes, with a \0 in it";
    for text in ["a\0b", long] {
        let mut message = samples::figure_3(2);
        message.body.entries[1].set_text(text);
        let error = encoder.encode(&message).unwrap_err();
        assert_eq!(error.path(), "ApplicationMessage/MarketDataInc/MDInclList[1]/Text");
        assert!(error.to_string().contains("has a NUL inside"), "{error}");
    }
    for code in ["", "AB"] {
        let mut message = samples::figure_3(1);
        message.body.entries[0].set_tick_direction(Code::new(code));
        let error = encoder.encode(&message).unwrap_err();
        assert_eq!(error.path(), "ApplicationMessage/MarketDataInc/MDInclList[0]/TickDirection");
        assert!(error.to_string().ends_with("a code is one character in CDR"), "{error}");
    }
    let mut message = samples::figure_3(1);
    message.header.sending_time = message.header.sending_time.without_zone();
    let error = encoder.encode(&message).unwrap_err();
    assert_eq!(error.path(), "Header/SendingTime");
    assert!(error.to_string().ends_with("this one has no time zone"), "{error}");
    let mut record = Record::new(plan.layout());
    record.set("CompID", Value::Text("ABC".into())).unwrap();
    let error = encoder.encode(&record).unwrap_err();
    assert_eq!(error.path(), "Header/Target/CompID", "the receiver's, which is not set");
    assert!(error.to_string().ends_with("a required field is not set"), "{error}");
}

/// A decoder with its two receivers.
struct Both {
    decoder: cdr::Decoder,
    message: MarketDataIncrementalRefresh,
    record: Record,
}

impl Both {
    fn new(plan: &Arc<cdr::Plan>) -> Self {
        let record = Record::new(plan.layout());
        Self { decoder: cdr::Decoder::new(plan), message: Default::default(), record }
    }

    /// Both decode, to the same message, or both give the same error.
    fn agree(&mut self, bytes: &[u8]) -> bool {
        let decoded = self.decoder.decode(bytes, &mut self.message);
        assert_eq!(decoded, self.decoder.decode(bytes, &mut self.record));
        if decoded.is_ok() {
            assert_eq!(Record::from_message(&self.message), self.record);
        }
        decoded.is_ok()
    }
}

fn plans() -> impl Iterator<Item = Arc<cdr::Plan>> {
    let orders = [ByteOrder::Little, ByteOrder::Big].into_iter();
    let all = orders.flat_map(|order| [Optional::Union, Optional::Bitmap].map(|it| (order, it)));
    all.map(|(byte_order, optional)| {
        let options = cdr::Options { byte_order, optional, ..Default::default() };
        cdr::Plan::new(MarketDataIncrementalRefresh::layout(), &options).unwrap()
    })
}

#[test]
fn a_message_cut_or_lengthened_is_rejected() {
    for plan in plans() {
        let (mut encoder, mut both) = (cdr::Encoder::new(&plan), Both::new(&plan));
        for seed in 0..8 {
            let bytes = encoder.encode(&samples::market_data(seed, Safe::CDR)).unwrap().to_vec();
            for end in 0..bytes.len() {
                assert!(!both.agree(&bytes[..end]), "{end}");
            }
            assert!(both.agree(&bytes));
            assert!(!both.agree(&[&bytes[..], b"\0"].concat()));
        }
    }
}

#[test]
fn a_changed_octet_is_an_error_or_another_message_to_both() {
    let (mut rejected, mut accepted) = (0, 0);
    for plan in plans() {
        let (mut encoder, mut both) = (cdr::Encoder::new(&plan), Both::new(&plan));
        for seed in 0..6 {
            let mut bytes =
                encoder.encode(&samples::market_data(seed, Safe::CDR)).unwrap().to_vec();
            for at in (0..bytes.len()).step_by(1 + bytes.len() / 300) {
                for change in [1, 2, 0x80, 0xff] {
                    bytes[at] ^= change;
                    *if both.agree(&bytes) { &mut accepted } else { &mut rejected } += 1;
                    bytes[at] ^= change;
                }
            }
        }
    }
    assert!(rejected > 1000 && accepted > 1000, "{rejected} {accepted}");
}

#[test]
fn a_price_that_a_double_would_change_is_rejected() {
    let listing = "message M\nfield Price 0 decimal required\nend\n";
    let schema = std::sync::Arc::new(trunkline_message::Layout::from_listing(listing).unwrap());
    let plan = cdr::Plan::new(&schema, &cdr::Options::default()).unwrap();
    let mut record = Record::new(&schema);
    for (price, holds) in [
        ("999999999999999", true),
        ("0.123456789012345", true),
        ("9007199254740992", true),
        ("9007199254740993", false),
        ("123456789012345678", false),
    ] {
        record.set("Price", Value::Decimal(price.parse().unwrap())).unwrap();
        assert_eq!(cdr::Encoder::new(&plan).encode(&record).is_ok(), holds, "{price}");
    }
}
