//! CDR as omniORB writes it: every vector decoded and encoded.
//!
//! The vectors' IDL, `sequence`s and `typedef`s left out:
//!
//! ```text
//! enum Side { Buy, Sell, SellShort };
//! union OptString switch(boolean) { case TRUE: string value; };   // OptDouble, OptLong, OptChar
//! union Multi switch(long) { case 1: octet o; case 2: double d; case 3: string s; default: short sh; };
//! union ByEnum switch(Side) { case Buy: long long ll; case Sell: case SellShort: boolean b; };
//! struct Prims { boolean b; char c; octet o; short s; unsigned short us; long l;
//!     unsigned long ul; long long ll; unsigned long long ull; float f; double d; };
//! struct Mix1 { octet a; double b; octet c; long d; octet e; short f; };
//! struct Nested { Mix1 m; long a[3]; double b[2][2]; Side s; Multi u; ByEnum e; };
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

use std::sync::Arc;

use trunkline_codec::cdr;
use trunkline_message::{Layout, Message, Record, Structure, Value};
use trunkline_wire::Text;

const VECTORS: &str = include_str!("../../golden/cdr-vectors.jsonl");

#[derive(Message, Clone, Copy, Debug, PartialEq)]
enum Side {
    Buy,
    Sell,
    SellShort,
}

#[derive(Message, Clone, Debug, PartialEq)]
#[message(rename_all = "camelCase")]
#[cdr(switch = "i32")]
enum Multi {
    #[cdr(label = "1")]
    O(u8),
    #[cdr(label = "2")]
    D(f64),
    #[cdr(label = "3")]
    S(Text),
    #[cdr(label = "default")]
    Sh(Labelled),
}

/// What the default arm holds begins with the label.
#[derive(Message, Clone, Debug, PartialEq)]
struct Labelled {
    label: i32,
    value: i16,
}

/// A label has an arm of its own.
#[derive(Message, Clone, Debug, PartialEq)]
#[cdr(switch = "enum")]
enum ByEnum {
    Buy(i64),
    Sell(bool),
    SellShort(bool),
}

#[derive(Message, Clone, Debug, PartialEq)]
struct Mix1 {
    a: u8,
    b: f64,
    c: u8,
    d: i32,
    e: u8,
    f: i16,
}

#[derive(Message, Clone, Debug, PartialEq)]
struct Nested {
    m: Mix1,
    a: [i32; 3],
    b: [[f64; 2]; 2],
    s: Side,
    u: Multi,
    e: ByEnum,
}

const MIX1: &str = "field a 0 u8 required
field b 0 f64 required
field c 0 u8 required
field d 0 i32 required
field e 0 u8 required
field f 0 i16 required
";

const PRIMS: &str = "field b 0 boolean required
field c 0 code required
field o 0 u8 required
field s 0 i16 required
field us 0 u16 required
field l 0 i32 required
field ul 0 u32 required
field ll 0 i64 required
field ull 0 u64 required
field f 0 f32 required
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

/// The layout of the vector's message.
fn layout(name: &str) -> Arc<Layout> {
    let listed = |members: &str| {
        Arc::new(Layout::from_listing(&format!("message M\n{members}end\n")).unwrap())
    };
    let one = |kind: &str, need: &str| listed(&format!("field v 0 {kind} {need}\n"));
    let group = |fields: &str| listed(&format!("group v 0 entry required\n{fields}end\n"));
    match family(name) {
        "prims" => listed(PRIMS),
        "str_empty" | "str_hello" => one("text", "required"),
        "opt_absent" | "opt_present" => one("text", "optional"),
        "optd_present" => one("f64", "optional"),
        "optl_present" => one("i32", "optional"),
        "optc_absent" => one("code", "optional"),
        "strs" => listed(STRS),
        "seq_oct" => one("bytes", "required"),
        "seq_double" => one("f64[]", "required"),
        "seq_ll" => one("i64[]", "required"),
        "seq_bool" => one("boolean[]", "required"),
        "seq_short" => one("i16[]", "required"),
        "seq_seq" => group("field v 0 i32[] required\n"),
        "mix1" | "mix" => listed(MIX1),
        "seq_mix1" => group(MIX1),
        "mdinc" => listed(MARKET_DATA),
        "multi" => Multi::layout().clone(),
        "byenum_buy" | "byenum_sellshort" => ByEnum::layout().clone(),
        "nested" => Nested::layout().clone(),
        other => panic!("{other} is no vector that is known"),
    }
}

fn family(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('_')
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
        Some(Value::Enumeration(it)) => it.to_string(),
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
        "seq_bool_3" => joined(entries(record, "v"), |it| show(it.get("item"))),
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
        _ if family(name) == "multi" => format!("Multi case {}", multi(record, "").0),
        _ if family(name).starts_with("byenum") => format!("ByEnum {}", by_enum(record, "")),
        _ if family(name) == "nested" => nested(record),
        _ if name.starts_with("mdinc") => market_data(record),
        _ => numbers(record.get("v")),
    }
}

fn joined<T>(values: &[T], show: impl Fn(&T) -> String) -> String {
    values.iter().map(show).collect::<Vec<_>>().join(",")
}

fn prims(record: &Record) -> String {
    let get = |field: &str| show(record.get(field));
    let Some(Value::Single(f)) = record.get("f") else { panic!("no f") };
    let Some(Value::Float(d)) = record.get("d") else { panic!("no d") };
    let whole = ["o", "s", "us", "l", "ul", "ll", "ull"];
    let whole = whole.map(|field| format!("{field}={}", get(field))).join(" ");
    format!("b={} c='{}' {whole} f={f} d={d}", get("b"), get("c"))
}

fn mix1(record: &Record) -> String {
    let members = ["a", "b", "c", "d", "e", "f"];
    format!("{{{}}}", joined(&members, |field| format!("{field}:{}", show(record.get(field)))))
}

/// The label and the arm of a `Multi` whose arms stand behind this path.
fn multi(record: &Record, path: &str) -> (String, String) {
    let get = |arm: &str| record.get(&format!("{path}{arm}")).map(|it| show(Some(it)));
    let arms = [("1", "octet", "o"), ("2", "double", "d"), ("3", "string", "s")];
    let labelled = arms.iter().find_map(|(label, kind, arm)| {
        Some(((*label).to_owned(), format!("{kind} {}", get(arm)?)))
    });
    labelled.unwrap_or_else(|| {
        let (label, value) = (get("sh/label").unwrap(), get("sh/value").unwrap());
        let shown = format!("default({label}) short {value}");
        (label, shown)
    })
}

fn by_enum(record: &Record, path: &str) -> String {
    let arm = |name: &&str| {
        let value = record.get(&format!("{path}{name}"))?;
        Some(format!("{name} {}", show(Some(value))))
    };
    ["Buy", "Sell", "SellShort"].iter().find_map(arm).expect("an arm")
}

fn nested(record: &Record) -> String {
    let members = ["a", "b", "c", "d", "e", "f"];
    let m = joined(&members, |it| format!("{it}:{}", show(record.get(&format!("m/{it}")))));
    let Some(Value::Integers(a)) = record.value(6) else { panic!("no a") };
    let row = |it: &Record| match it.get("item") {
        Some(Value::Floats(it)) => joined(it, |it| g17(*it)),
        other => panic!("{other:?} is no row"),
    };
    let b = match record.value(7) {
        Some(Value::Group(rows)) => joined(rows.entries(), row),
        other => panic!("b is {other:?}"),
    };
    let (a, s) = (joined(a, i64::to_string), show(record.get("s")));
    let u = multi(record, "u/").1;
    format!("m={{{m}}} a=[{a}] b=[{b}] s={s} u={u} e={}", by_enum(record, "e/"))
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
fn every_vector() {
    let mut count = 0;
    for vector in VECTORS.lines() {
        let vector: serde_json::Value = serde_json::from_str(vector).unwrap();
        let (name, order) = vector["file"].as_str().unwrap().rsplit_once('.').unwrap();
        let byte_order = if order == "le" { cdr::ByteOrder::Little } else { cdr::ByteOrder::Big };
        let options = cdr::Options { byte_order, ..cdr::Options::default() };
        let plan = cdr::Plan::new(&layout(name), &options).unwrap();
        let bytes = bytes(vector["hex"].as_str().unwrap());
        let mut record = Record::new(plan.layout());
        cdr::Decoder::new(&plan)
            .decode(&bytes, &mut record)
            .unwrap_or_else(|error| panic!("{name}.{order}: {error}"));
        assert_eq!(text(name, &record), vector["value"].as_str().unwrap(), "{name}.{order}");
        assert_eq!(cdr::Encoder::new(&plan).encode(&record).unwrap(), bytes, "{name}.{order}");
        match family(name) {
            "multi" => typed(&plan, &bytes, Multi::O(0)),
            "byenum_buy" | "byenum_sellshort" => typed(&plan, &bytes, ByEnum::Buy(0)),
            "nested" => typed(&plan, &bytes, <Nested as trunkline_message::FieldValue>::empty()),
            _ => {}
        }
        count += 1;
    }
    assert_eq!(count, 142);
}

/// A struct says the same.
fn typed<M: Message>(plan: &Arc<cdr::Plan>, bytes: &[u8], mut message: M) {
    cdr::Decoder::new(plan).decode(bytes, &mut message).unwrap();
    assert_eq!(cdr::Encoder::new(plan).encode(&message).unwrap(), bytes);
}
