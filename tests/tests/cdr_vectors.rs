//! CDR as omniORB writes it: every vector that a schema describes, decoded and encoded.
//!
//! The vectors' IDL, as far as schemas express it:
//!
//! ```text
//! union OptString switch(boolean) { case TRUE: string value; };   // OptDouble, OptLong, OptChar
//! struct Prims { boolean b; char c; octet o; short s; unsigned short us; long l;
//!     unsigned long ul; long long ll; unsigned long long ull; float f; double d; };
//! struct Mix1 { octet a; double b; octet c; long d; octet e; short f; };
//! struct Strs { string a; octet pad; string b; sequence<string> ss; };
//! struct Instrument { OptString Symbol; OptString SecurityID; OptString CFICode;
//!     OptString Issuer; OptLong Factor; OptDouble StrikePrice; };
//! struct MDEntry { char MDUpdateAction; OptChar MDEntryType; OptString MDEntryID;
//!     Instrument Instr; OptDouble MDEntryPx; OptDouble MDEntrySize; OptString MDEntryDate;
//!     OptString MDEntryTime; OptLong SellerDays; OptString MDEntryBuyer;
//!     OptString MDEntrySeller; OptString Text; };
//! struct Header { string SenderCompID; string TargetCompID; long MsgSeqNum;
//!     string SendingTime; OptString OnBehalfOf; OptLong LastSeq; };
//! struct MarketDataInc { Header hdr; OptString MDReqID; sequence<MDEntry> entries; };
//! ```

use std::collections::BTreeSet;
use std::sync::Arc;

use trunkline_codec::cdr;
use trunkline_message::{Layout, Record, Value};

const VECTORS: &str = include_str!("../../golden/cdr-vectors.jsonl");
const EXCEPTIONS: &str = include_str!("../../golden/cdr-exceptions.txt");

const MIX1: &str = "field a 0 u8 required
field b 0 f64 required
field c 0 u8 required
field d 0 i32 required
field e 0 u8 required
field f 0 i16 required
";

/// `float` is no kind of a schema; its bits are those of an unsigned long.
const PRIMS: &str = "field b 0 boolean required
field c 0 code required
field o 0 u8 required
field s 0 i16 required
field us 0 u16 required
field l 0 i32 required
field ul 0 u32 required
field ll 0 i64 required
field ull 0 u64 required
field f 0 u32 required
field d 0 f64 required
";

const STRS: &str = "field a 0 text required
field pad 0 u8 required
field b 0 text required
group ss 0 s required
field v 0 text required
end
";

const MARKET_DATA: &str = "component hdr required
field SenderCompID 0 text required
field TargetCompID 0 text required
field MsgSeqNum 0 i32 required
field SendingTime 0 timestamp required
field OnBehalfOf 0 text optional
field LastSeq 0 i32 optional
end
field MDReqID 0 text optional
group entries 0 MDEntry required
field MDUpdateAction 0 code required
field MDEntryType 0 code optional
field MDEntryID 0 text optional
component Instr required
field Symbol 0 text optional
field SecurityID 0 text optional
field CFICode 0 text optional
field Issuer 0 text optional
field Factor 0 i32 optional
field StrikePrice 0 decimal optional
end
field MDEntryPx 0 decimal optional
field MDEntrySize 0 f64 optional
field MDEntryDate 0 date optional
field MDEntryTime 0 time optional
field SellerDays 0 i32 optional
field MDEntryBuyer 0 text optional
field MDEntrySeller 0 text optional
field Text 0 text optional
end
";

/// The members of the vector's message; `None` where there is no schema.
fn members(name: &str) -> Option<String> {
    let family = name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('_');
    let one = |kind: &str, need: &str| Some(format!("field v 0 {kind} {need}\n"));
    let group = |fields: &str| Some(format!("group v 0 entry required\n{fields}end\n"));
    match family {
        "prims" => Some(PRIMS.into()),
        "str_empty" | "str_hello" => one("text", "required"),
        "opt_absent" | "opt_present" => one("text", "optional"),
        "optd_present" => one("f64", "optional"),
        "optl_present" => one("i32", "optional"),
        "optc_absent" => one("code", "optional"),
        "strs" => Some(STRS.into()),
        "seq_oct" => one("bytes", "required"),
        "seq_double" => one("f64[]", "required"),
        "seq_ll" => one("i64[]", "required"),
        "seq_bool" => group("field v 0 boolean required\n"),
        "seq_short" => one("i16[]", "required"),
        "seq_seq" => group("field v 0 i32[] required\n"),
        "mix1" | "mix" => Some(MIX1.into()),
        "seq_mix1" => group(MIX1),
        "mdinc" => Some(MARKET_DATA.into()),
        _ => None,
    }
}

/// A double as C's `%.17g` prints it.
fn g17(value: f64) -> String {
    let scientific = format!("{value:.16e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap();
    let exponent: i32 = exponent.parse().unwrap();
    assert!((-4..17).contains(&exponent), "{value} needs no exponent in the vectors");
    let (sign, digits) = match mantissa.strip_prefix('-') {
        Some(digits) => ("-", digits.replace('.', "")),
        None => ("", mantissa.replace('.', "")),
    };
    let text = if exponent < 0 {
        format!("0.{}{digits}", "0".repeat(-exponent as usize - 1))
    } else {
        let (whole, fraction) = digits.split_at(exponent as usize + 1);
        format!("{whole}.{fraction}")
    };
    format!("{sign}{}", text.trim_end_matches('0').trim_end_matches('.'))
}

/// A value as the vectors' texts show it; `-` if it is absent.
fn show(value: Option<&Value>) -> String {
    match value {
        None => "-".into(),
        Some(Value::Boolean(it)) => it.to_string(),
        Some(Value::Integer(it)) => it.to_string(),
        Some(Value::Unsigned(it)) => it.to_string(),
        Some(Value::Float(it)) => g17(*it),
        Some(Value::Decimal(it)) => g17(it.to_f64()),
        Some(Value::Text(it)) => it.to_string(),
        Some(Value::Code(it)) => it.to_string(),
        other => panic!("{other:?} stands in no text"),
    }
}

fn entries<'a>(record: &'a Record, name: &str) -> &'a [Record] {
    match record.get(name) {
        Some(Value::Group(group)) => group.entries(),
        other => panic!("{name} is {other:?}"),
    }
}

/// The vector's text for the decoded message.
fn text(name: &str, record: &Record) -> String {
    let get = |field: &str| show(record.get(field));
    match name {
        "prims" => prims(record),
        "str_empty" | "str_hello" => format!("string \"{}\"", get("v")),
        "opt_present" => format!("OptString \"{}\"", get("v")),
        "opt_absent" if record.get("v").is_none() => "OptString absent".into(),
        "optc_absent" if record.get("v").is_none() => "OptChar absent".into(),
        "optl_present" => format!("OptLong {}", get("v")),
        "optd_present" => match record.get("v") {
            Some(Value::Float(value)) => format!("OptDouble {value}"),
            other => panic!("{other:?}"),
        },
        "strs" => {
            let quoted = |text: String| if text.is_empty() { "''".into() } else { text };
            let strings = joined(entries(record, "ss"), |it| quoted(show(it.get("v"))));
            format!("a={} pad={} b='{}' ss=[{strings}]", get("a"), get("pad"), get("b"))
        }
        "seq_bool_3" => joined(entries(record, "v"), |it| show(it.get("v"))),
        "seq_seq" => {
            let list = |it: &Record| match it.get("v") {
                Some(Value::Integers(it)) => format!("[{}]", joined(it, i64::to_string)),
                other => panic!("{other:?}"),
            };
            format!("[{}]", joined(entries(record, "v"), list))
        }
        _ if name.starts_with("mix1") => mix1(record),
        _ if name.starts_with("seq_mix1") => {
            let all: String = entries(record, "v").iter().map(|it| mix1(it) + ";").collect();
            format!("[{all}]")
        }
        _ if name.starts_with("mdinc") => market_data(record),
        _ => numbers(record.get("v")),
    }
}

fn joined<T>(values: &[T], show: impl Fn(&T) -> String) -> String {
    values.iter().map(show).collect::<Vec<_>>().join(",")
}

fn prims(record: &Record) -> String {
    let get = |field: &str| show(record.get(field));
    let Some(Value::Unsigned(bits)) = record.get("f") else { panic!("no f") };
    let Some(Value::Float(d)) = record.get("d") else { panic!("no d") };
    let whole = ["o", "s", "us", "l", "ul", "ll", "ull"];
    let whole = whole.map(|field| format!("{field}={}", get(field))).join(" ");
    let f = f32::from_bits(*bits as u32);
    format!("b={} c='{}' {whole} f={f} d={d}", get("b"), get("c"))
}

fn mix1(record: &Record) -> String {
    let members = ["a", "b", "c", "d", "e", "f"];
    format!("{{{}}}", joined(&members, |field| format!("{field}:{}", show(record.get(field)))))
}

/// A sequence of numbers.
fn numbers(value: Option<&Value>) -> String {
    match value {
        Some(Value::Bytes(it)) if it.is_empty() => "empty octet sequence".into(),
        Some(Value::Bytes(it)) => format!("octets {}", joined(it, u8::to_string)),
        Some(Value::Floats(it)) if it.is_empty() => {
            "empty double sequence (no padding after the length)".into()
        }
        Some(Value::Floats(it)) => joined(it, |it| format!("{it:?}").replace(".0", "")),
        Some(Value::Integers(it)) => joined(it, i64::to_string),
        other => panic!("{other:?} is no sequence"),
    }
}

fn market_data(record: &Record) -> String {
    let get = |field: &str| show(record.get(field));
    let mut out = format!(
        "seq={} obo={} last={} req={} ",
        get("MsgSeqNum"),
        get("OnBehalfOf"),
        get("LastSeq"),
        get("MDReqID")
    );
    for entry in entries(record, "entries") {
        let get = |field: &str| show(entry.get(field));
        out += &format!(
            "[{},{},px={},size={},factor={},text={}]",
            get("MDEntryID"),
            get("Symbol"),
            get("MDEntryPx"),
            get("MDEntrySize"),
            get("Factor"),
            get("Text")
        );
    }
    out
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits = hex.as_bytes().chunks(2);
    digits.map(|pair| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

#[test]
fn every_vector_that_a_schema_describes() {
    let mut without: BTreeSet<&str> = BTreeSet::new();
    let mut checked = 0;
    let vectors: Vec<serde_json::Value> =
        VECTORS.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for vector in &vectors {
        let (name, order) = vector["file"].as_str().unwrap().rsplit_once('.').unwrap();
        let Some(members) = members(name) else {
            without.insert(name);
            continue;
        };
        let schema = Layout::from_listing(&format!("message M\n{members}end\n")).unwrap();
        let byte_order = if order == "le" { cdr::ByteOrder::Little } else { cdr::ByteOrder::Big };
        let options = cdr::Options { byte_order, ..cdr::Options::default() };
        let plan = cdr::Plan::new(&Arc::new(schema), options).unwrap();
        let bytes = bytes(vector["hex"].as_str().unwrap());
        let mut record = Record::new(plan.layout());
        cdr::Decoder::new(&plan)
            .decode(&bytes, &mut record)
            .unwrap_or_else(|error| panic!("{name}.{order}: {error}"));
        assert_eq!(text(name, &record), vector["value"].as_str().unwrap(), "{name}.{order}");
        assert_eq!(cdr::Encoder::new(&plan).encode(&record).unwrap(), bytes, "{name}.{order}");
        checked += 1;
    }
    let exceptions: BTreeSet<&str> = EXCEPTIONS
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split_once('\t').expect("a name and a reason").0)
        .collect();
    assert_eq!(without, exceptions);
    assert_eq!(checked + 2 * exceptions.len(), vectors.len());
}
