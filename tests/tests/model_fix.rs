//! Every shape of type through FIX: enumerations, choices, structs by themselves, lists of values.

use std::sync::Arc;

use trunkline_codec::fix;
use trunkline_message::{Group, Layout, Limits, Message, Record, Structure};
use trunkline_random::Random;
use trunkline_tests::plain_fix;
use trunkline_tests::random::{self, Safe};
use trunkline_wire::{BigDecimal, BigInteger, Code, Date, Decimal, Duration, Text, Timestamp};

#[derive(Message, Clone, Copy, Debug, Default, PartialEq)]
enum Side {
    #[default]
    #[fix(code = "1")]
    Buy,
    #[field(name = "Sell short")]
    #[fix(code = "5")]
    SellShort,
    #[fix(code = "AS")]
    AsDefined,
}

/// Without codes: their names are written.
#[derive(Message, Clone, Copy, Debug, Default, PartialEq)]
enum Force {
    #[default]
    Day,
    GoodTillCancelledOrExpired,
}

#[derive(Message, Clone, Debug, PartialEq)]
enum Price {
    #[fix(tag = 44)]
    Limit(Decimal),
    #[fix(tag = 99)]
    Stop(Decimal),
}

#[derive(Message, Clone, Debug, PartialEq)]
enum Venue {
    #[fix(tag = 207)]
    Exchange(Code),
    #[fix(tag = 30)]
    Market(Text),
}

#[derive(Message, Clone, Debug, PartialEq)]
enum Settlement {
    #[fix(tag = 1)]
    Account(i64),
    Delivery(Delivery),
    #[fix(tag = 70)]
    References(Vec<Text>),
    At(Venue),
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Delivery {
    #[fix(tag = 64)]
    date: Date,
    #[fix(tag = 92)]
    broker: Option<Text>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Instrument {
    #[fix(tag = 55)]
    symbol: Text,
    #[fix(tag = 65)]
    suffix: Option<Text>,
    /// Optional within what is optional.
    issuer: Option<Issuer>,
    #[fix(tag = 711)]
    underlyings: Vec<Underlying>,
    #[fix(tag = 351, length = 350)]
    encoded: Option<Vec<u8>>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Issuer {
    #[fix(tag = 106)]
    name: Text,
    #[fix(tag = 470)]
    country: Option<Code>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Underlying {
    #[fix(tag = 311)]
    symbol: Text,
    #[fix(tag = 305)]
    side: Option<Side>,
}

/// Its entries begin with what is inside a struct.
#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Leg {
    security: Option<LegSecurity>,
    #[fix(tag = 624)]
    side: Option<Side>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct LegSecurity {
    issuer: Option<LegIssuer>,
    #[fix(tag = 600)]
    symbol: Option<Text>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct LegIssuer {
    #[fix(tag = 619, length = 618)]
    encoded: Vec<u8>,
    #[fix(tag = 617)]
    name: Option<Text>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Corner {
    #[fix(tag = 6001)]
    x: f64,
    #[fix(tag = 6002)]
    y: f64,
}

#[derive(Message, Clone, Debug, PartialEq)]
#[fix(message_type = "D")]
struct Order {
    #[fix(tag = 54)]
    side: Side,
    price: Price,
    settlement: Option<Settlement>,
    instrument: Option<Instrument>,
    #[fix(tag = 5001)]
    single: f32,
    #[fix(tag = 5002)]
    whole: BigInteger,
    #[fix(tag = 5003)]
    exact: Option<BigDecimal>,
    #[fix(tag = 18)]
    notes: Vec<Text>,
    #[fix(tag = 5004)]
    flags: Option<Vec<bool>>,
    #[fix(tag = 5005)]
    sides: Vec<Side>,
    #[fix(tag = 5006)]
    pair: [f64; 2],
    #[fix(tag = 5007)]
    forces: [Force; 2],
    #[fix(tag = 5008)]
    times: Vec<Timestamp>,
    #[fix(tag = 555)]
    legs: Option<Vec<Leg>>,
    #[fix(tag = 6000)]
    corners: [Corner; 2],
    #[fix(tag = 58)]
    text: Option<Text>,
}

impl Default for Order {
    fn default() -> Self {
        order()
    }
}

fn order() -> Order {
    let leg = |bytes: &[u8], name: Option<&str>| Leg {
        security: Some(LegSecurity {
            issuer: Some(LegIssuer { encoded: bytes.into(), name: name.map(Text::from) }),
            symbol: Some("IBM".into()),
        }),
        side: Some(Side::AsDefined),
    };
    Order {
        side: Side::SellShort,
        price: Price::Stop(Decimal::from(7)),
        settlement: Some(Settlement::At(Venue::Exchange(Code::new("XASX")))),
        instrument: Some(Instrument {
            symbol: "BHP".into(),
            suffix: None,
            issuer: Some(Issuer { name: "BHP Group".into(), country: Some(Code::new("AU")) }),
            underlyings: vec![Underlying { symbol: "U1".into(), side: Some(Side::Buy) }],
            encoded: Some(b"a\x01b".to_vec()),
        }),
        single: 0.1,
        whole: "123456789012345678901234567890".parse().unwrap(),
        exact: Some("0.12345678901234567890123".parse().unwrap()),
        notes: vec!["A".into(), "bc".into()],
        flags: Some(vec![true, false]),
        sides: vec![Side::Buy, Side::AsDefined],
        pair: [1.5, -2.0],
        forces: [Force::GoodTillCancelledOrExpired, Force::Day],
        times: vec![],
        legs: Some(vec![leg(b"\x01", None), leg(b"x", Some("Y"))]),
        corners: [Corner { x: 1.0, y: 2.0 }, Corner { x: 3.0, y: 4.0 }],
        text: None,
    }
}

fn plan<M: Structure>() -> Arc<fix::Plan> {
    fix::Plan::new(M::layout(), &fix::Options::default()).unwrap_or_else(|it| panic!("{it}"))
}

/// The fields behind MsgType, `|` for SOH.
fn body<M: Message>(plan: &Arc<fix::Plan>, message: &M) -> String {
    let bytes =
        fix::Encoder::new(plan).encode(message).unwrap_or_else(|it| panic!("{it}")).to_vec();
    let body = plain_fix::body(&bytes).expect("a frame");
    let text = String::from_utf8(body.to_vec()).unwrap().replace('\x01', "|");
    text.split_once('|').expect("MsgType").1.to_owned()
}

fn rejection<M: Message>(plan: &Arc<fix::Plan>, message: &M) -> String {
    fix::Encoder::new(plan).encode(message).map(<[u8]>::to_vec).unwrap_err().to_string()
}

/// What is read from these fields; as a record it is the same, or the same error.
fn read<M>(fields: &str) -> Result<M, String>
where
    M: Message + Structure + Default + PartialEq + std::fmt::Debug,
{
    let plan = plan::<M>();
    let bytes = plain_fix::message(&format!("35=D|{fields}"));
    let (mut typed, mut record) = (M::default(), Record::new(M::layout()));
    let mut decoder = fix::Decoder::new(&plan);
    let of_struct = decoder.decode(&bytes, &mut typed).map_err(|it| it.to_string());
    let of_record = decoder.decode(&bytes, &mut record).map_err(|it| it.to_string());
    assert_eq!(of_struct, of_record);
    of_struct?;
    assert_eq!(record, Record::from_message(&typed));
    Ok(typed)
}

const GOLDEN: &str = "54=5|99=7|207=XASX|55=BHP|106=BHP Group|470=AU|711=1|311=U1|305=1|350=3|351=a|b|\
    5001=0.1|5002=123456789012345678901234567890|5003=0.12345678901234567890123|18=A bc|5004=Y N|\
    5005=1 AS|5006=1.5 -2|5007=GoodTillCancelledOrExpired Day|555=2|618=1|619=||600=IBM|624=AS|618=1|\
    619=x|617=Y|600=IBM|624=AS|6000=2|6001=1|6002=2|6001=3|6002=4|";

#[test]
fn every_shape_that_fix_has_is_written_and_read() {
    let (plan, order) = (plan::<Order>(), order());
    assert_eq!(body(&plan, &order), GOLDEN);
    assert_eq!(body(&plan, &Record::from_message(&order)), GOLDEN);
    assert_eq!(read::<Order>(GOLDEN).unwrap(), order);
}

#[test]
fn random_contents_come_back_typed_and_as_records() {
    let plan = plan::<Order>();
    let (mut encoder, mut decoder) = (fix::Encoder::new(&plan), fix::Decoder::new(&plan));
    let (mut message, mut record) = (order(), Record::new(Order::layout()));
    let (mut back, mut written) = (order(), 0);
    for seed in 0..3000 {
        random::fill(&mut message, seed, Safe::FIX, 4);
        let bytes = match encoder.encode(&message) {
            Ok(bytes) => bytes.to_vec(),
            // The struct with which an entry begins may be there with nothing at its beginning.
            Err(error) => {
                assert!(error.path().starts_with("legs["), "{error}");
                continue;
            }
        };
        written += 1;
        decoder.decode(&bytes, &mut back).unwrap();
        assert_eq!(back, message, "{seed}");
        decoder.decode(&bytes, &mut record).unwrap();
        assert_eq!(record, Record::from_message(&message), "{seed}");
        assert_eq!(encoder.encode(&record).unwrap(), bytes, "{seed}");
    }
    assert!(written > 1000, "{written}");
}

/// Two structs, one in the other, beside plain fields and a choice.
#[derive(Message, Clone, Debug, Default, PartialEq)]
#[fix(message_type = "D")]
struct Apart {
    #[fix(tag = 11)]
    id: Text,
    instrument: Option<Instrument>,
    settlement: Option<Settlement>,
    #[fix(tag = 58)]
    text: Option<Text>,
    entries: Entries,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Entries {
    #[fix(tag = 268)]
    entries: Group<Entry>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Entry {
    #[fix(tag = 269)]
    kind: Side,
    issuer: Option<EntryIssuer>,
    #[fix(tag = 270)]
    price: Option<Decimal>,
    #[fix(tag = 276)]
    conditions: Vec<Force>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct EntryIssuer {
    #[fix(tag = 282)]
    name: Text,
    #[fix(tag = 283)]
    location: Option<Text>,
    #[fix(tag = 288)]
    buyer: Option<Text>,
}

/// QuickFIX sorts the fields of a body by their tags, so that those of a struct come apart.
#[test]
fn the_fields_of_a_struct_may_come_apart_and_in_any_order() {
    let sorted = "1=5|11=A|55=BHP|58=t|65=S|106=I|268=1|269=1|270=6|276=Day|282=N|288=B|\
        350=1|351=x|470=AU|711=1|311=U|";
    let mixed = "470=AU|11=A|350=1|351=x|106=I|268=1|269=1|288=B|276=Day|282=N|270=6|65=S|\
        711=1|311=U|1=5|55=BHP|58=t|";
    let message = read::<Apart>(sorted).unwrap();
    let instrument = message.instrument.as_ref().unwrap();
    assert_eq!((&*instrument.symbol, instrument.underlyings.len()), ("BHP", 1));
    assert_eq!(instrument.issuer.as_ref().unwrap().country, Some(Code::new("AU")));
    assert_eq!(message.settlement, Some(Settlement::Account(5)));
    assert_eq!(message.entries.entries[0].issuer.as_ref().unwrap().buyer, Some("B".into()));
    assert_eq!(read::<Apart>(mixed).unwrap(), message);
}

/// The fields of a body that has no groups: data and its length are one.
fn fields(body: &str) -> Vec<String> {
    let mut fields: Vec<String> = Vec::new();
    for piece in body.split_inclusive('|') {
        match fields.last_mut().filter(|it| it.starts_with("350=") && !it.contains("|351=")) {
            Some(length) => length.push_str(piece),
            None => fields.push(piece.into()),
        }
    }
    fields
}

#[test]
fn any_order_of_fields_is_the_same_message() {
    let plan = plan::<Apart>();
    let mut message = Apart::default();
    let mut chance = Random::new(7);
    for seed in 0..2000 {
        random::fill(&mut message, seed, Safe::FIX, 4);
        message.entries.entries.clear();
        if let Some(instrument) = &mut message.instrument {
            instrument.underlyings.clear();
            instrument.encoded = instrument
                .encoded
                .as_ref()
                .map(|it| it.iter().map(|byte| b'a' + byte % 26).collect());
        }
        let Ok(bytes) = fix::Encoder::new(&plan).encode(&message).map(<[u8]>::to_vec) else {
            panic!("{seed}: {message:?}")
        };
        let body = String::from_utf8(plain_fix::body(&bytes).unwrap().to_vec()).unwrap();
        if body.contains('|') {
            continue;
        }
        let body = body.replace('\x01', "|");
        let mut fields = fields(body.split_once('|').unwrap().1);
        for last in (1..fields.len()).rev() {
            fields.swap(last, chance.below(last as u64 + 1) as usize);
        }
        assert_eq!(read::<Apart>(&fields.concat()).as_ref(), Ok(&message), "{seed}");
    }
}

/// Asserts the error that reading these fields gives: from the path on.
#[track_caller]
fn rejected<M>(fields: &str, error: &str)
where
    M: Message + Structure + Default + PartialEq + std::fmt::Debug,
{
    let found = read::<M>(fields).unwrap_err();
    let place = found.find(" at byte ").unwrap();
    let reason = &found[found[place + 9..].find(": ").unwrap() + place + 11..];
    assert_eq!(format!("{}: {reason}", &found[..place]), error, "{found}");
}

#[test]
fn what_does_not_keep_the_rules_is_rejected_with_its_path() {
    let with = |from: &str, to: &str| {
        assert!(GOLDEN.contains(from));
        GOLDEN.replacen(from, to, 1)
    };
    let order = |from: &str, to: &str, error: &str| rejected::<Order>(&with(from, to), error);
    order("99=7|", "99=7|44=1|", "price: expected one of Limit, Stop, not more than one");
    order("99=7|", "", "price: expected one of Limit, Stop, not none");
    let arms = "expected one of Account, Delivery, References, At, not more than one";
    order("207=XASX|", "207=XASX|1=5|", &format!("settlement: {arms}"));
    order(
        "207=XASX|",
        "207=XASX|30=A|",
        "settlement/At: expected one of Exchange, Market, not more than one",
    );
    order("207=XASX|", "92=A|", "settlement/Delivery/date: a required field is missing");
    order("54=5|", "54=7|", "side: expected a value of Side, not \"7\"");
    order("54=5|", "54=AT|", "side: expected a value of Side, not \"AT\"");
    order(
        "305=1|",
        "305=é|",
        "instrument/underlyings[0]/side: expected a value of Side, not \"é\"",
    );
    order("5005=1 AS|", "5005=1 A|", "sides[1]: expected a value of Side, not \"A\"");
    order("55=BHP|", "", "instrument/symbol: a required field is missing");
    order("106=BHP Group|", "", "instrument/issuer/name: a required field is missing");
    order("470=AU|", "470=AU|55=B|", "instrument/symbol: the field stands twice");
    order("54=5|", "54=5|470=AU|", "instrument/issuer/country: the field stands twice");
    order("555=2|", "58=T|55=A|555=2|", "instrument/symbol: the field stands twice");
    order("350=3|", "", "instrument/encoded: expected its length field before the data field");
    order("351=a|b|", "", "instrument/encoded: expected the data after its length");
    order("55=BHP|", "55=|", "instrument/symbol: expected a value, but it is empty");
    order("5006=1.5 -2|", "5006=1.5|", "pair: the count says 2 entries, but 1 is there");
    order("5006=1.5 -2|", "5006=1 2 3|", "pair: the count says 2 entries, but 3 are there");
    order(
        "5007=GoodTillCancelledOrExpired Day|",
        "5007=Day|",
        "forces: the count says 2 entries, but 1 is there",
    );
    order("6000=2|6001=1|6002=2|", "6000=1|", "corners: the count says 2 entries, but 1 is there");
    order("555=2|", "555=3|", "legs: the count says 3 entries, but 2 are there");
    order("18=A bc|", "18=A  bc|", "notes[1]: expected a value, but it is empty");
    order("18=A bc|", "18=A bc |", "notes[2]: expected a value, but it is empty");
    order(
        "5004=Y N|",
        "5004=Y n|",
        "flags[1]: expected Y or N, but it has an unexpected character at 0",
    );
    order(
        "5001=0.1|",
        "5001=1e5|",
        "single: expected a decimal number, but it has an unexpected character at 1",
    );
    order(
        "5002=",
        "5002=+",
        "whole: expected a whole number, but it has an unexpected character at 0",
    );
    order(
        "618=1|619=||600=IBM|",
        "618=1|600=IBM|",
        "legs[0]/security/issuer/encoded: expected the data after its length",
    );
    order("619=x|", "619=x|618=1|619=y|", "legs: the count says 2 entries, but 3 are there");
    order(
        "619=x|617=Y|",
        "619=x|617=Y|619=y|",
        "legs[1]/security/issuer/encoded: the field stands twice",
    );
}

#[test]
fn items_count_as_entries_before_memory_is_taken() {
    let plan = plan::<Order>();
    let limits = Limits { entries: 10, ..Limits::default() };
    let mut decoder = fix::Decoder::with_limits(&plan, limits);
    let many = format!("18={}|", ["x"; 11].join(" "));
    let bytes = plain_fix::message(&format!("35=D|{}", GOLDEN.replace("18=A bc|", &many)));
    let error = decoder.decode(&bytes, &mut order()).unwrap_err().to_string();
    assert!(error.starts_with("notes at byte "), "{error}");
    assert!(error.ends_with("more than the limit entries = 10 allows"), "{error}");
}

/// No list and a list with nothing inside are two where the list is optional.
#[test]
fn a_count_of_zero_is_an_empty_group_and_no_count_is_none() {
    let plan = plan::<Order>();
    let mut message = Order { legs: Some(vec![]), ..order() };
    let empty = body(&plan, &message);
    assert!(empty.contains("|555=0|6000="), "{empty}");
    assert_eq!(read::<Order>(&empty).as_ref(), Ok(&message));
    message.legs = None;
    let none = body(&plan, &message);
    assert!(!none.contains("|555="), "{none}");
    assert_eq!(read::<Order>(&none).as_ref(), Ok(&message));
}

#[test]
fn what_fix_cannot_tell_is_not_written() {
    let plan = plan::<Order>();
    let wrong = |change: &dyn Fn(&mut Order)| {
        let mut message = order();
        change(&mut message);
        let error = rejection(&plan, &message);
        assert_eq!(error, rejection(&plan, &Record::from_message(&message)));
        let (path, rest) = error.split_once(" at byte ").unwrap();
        format!("{path}: {}", rest.split_once(": ").unwrap().1)
    };
    let empty_list = |path: &str| format!("{path}: cannot be written: FIX has no empty lists");
    assert_eq!(wrong(&|it| it.flags = Some(vec![])), empty_list("flags"));
    let references = Settlement::References(vec![]);
    assert_eq!(
        wrong(&|it| it.settlement = Some(references.clone())),
        empty_list("settlement/References")
    );
    let blank =
        "cannot be written: a blank parts the items of a list in FIX, and this one has one inside";
    assert_eq!(wrong(&|it| it.notes[1] = "b c".into()), format!("notes[1]: {blank}"));
    let empty = "notes[1]: cannot be written: FIX has no empty values";
    assert_eq!(wrong(&|it| it.notes[1] = "".into()), empty);
    let soh = "notes[1]: cannot be written: the text has the delimiter SOH (0x01) inside";
    assert_eq!(wrong(&|it| it.notes[1] = "a\x01b".into()), soh);
    let soh =
        "instrument/issuer/name: cannot be written: the text has the delimiter SOH (0x01) inside";
    let issuer = Issuer { name: "a\x01".into(), country: None };
    assert_eq!(wrong(&|it| it.instrument.as_mut().unwrap().issuer = Some(issuer.clone())), soh);
    let first = "the first field of a group's entry must be set, since it parts entries";
    let symbol = LegSecurity { issuer: None, symbol: Some("X".into()) };
    let leg = Leg { security: Some(symbol), side: None };
    let late = wrong(&|it| it.legs = Some(vec![leg.clone()]));
    assert_eq!(late, format!("legs[0]/security: cannot be written: {first}"));
    let nothing = "cannot be written: FIX shows a struct by what is set inside, and nothing is";
    let leg = Leg { security: Some(LegSecurity::default()), side: None };
    let bare = wrong(&|it| it.legs = Some(vec![leg.clone()]));
    assert_eq!(bare, format!("legs[0]/security: {nothing}"));
    let exponent =
        "single: cannot be written: FIX writes doubles in plain digits, at most 18 of them";
    assert_eq!(wrong(&|it| it.single = f32::NAN), exponent);
}

#[test]
fn a_record_that_does_not_keep_the_rules_is_not_written() {
    let plan = plan::<Order>();
    let wrong = |change: &dyn Fn(&mut Record)| {
        let mut record = Record::from_message(&order());
        change(&mut record);
        let error = rejection(&plan, &record);
        let (path, rest) = error.split_once(" at byte ").unwrap();
        format!("{path}: {}", rest.split_once(": ").unwrap().1)
    };
    let arm = wrong(&|it| it.set("Limit", Decimal::from(1)).unwrap());
    assert_eq!(arm, "price: cannot be written: more than one arm of the choice is set");
    let arm = wrong(&|it| _ = it.remove("Stop"));
    assert_eq!(arm, "price: cannot be written: no arm of the choice is set");
    let missing = "cannot be written: a required field is not set";
    let symbol = wrong(&|it| _ = it.struct_mut("instrument").unwrap().remove("symbol"));
    assert_eq!(symbol, format!("instrument/symbol: {missing}"));
    let item = wrong(&|it| _ = it.group_mut("notes").unwrap().next_entry());
    assert_eq!(item, format!("notes[2]: {missing}"));
    let pair = wrong(&|it| it.set("pair", trunkline_message::Value::Floats(vec![1.0])).unwrap());
    assert_eq!(pair, "pair: the count says 2 entries, but 1 is there");
    let corners = wrong(&|it| _ = it.group_mut("corners").unwrap().next_entry());
    assert_eq!(corners, "corners: the count says 2 entries, but 3 are there");
    let forces = wrong(&|it| {
        it.group_mut("forces").unwrap().next_entry().set("item", "Day").unwrap();
    });
    assert_eq!(forces, "forces: the count says 2 entries, but 3 are there");
    let side = wrong(&|it| it.set("side", trunkline_message::Value::Enumeration(3)).unwrap());
    assert_eq!(side, "side: cannot be written: the enumeration has no such value");
}

/// Rejected when the plan is made.
fn no_plan(layout: &Arc<Layout>) -> String {
    let error = fix::Plan::new(layout, &fix::Options::default()).unwrap_err().to_string();
    error.replace(" at byte 0: not supported", "")
}

#[test]
fn what_fix_has_no_form_for_is_rejected_with_its_path() {
    macro_rules! inside {
        ($type:ty) => {{
            #[derive(Message)]
            struct Part {
                #[fix(tag = 5, length = 6)]
                it: $type,
            }
            #[derive(Message)]
            #[fix(message_type = "D")]
            struct Whole {
                #[fix(tag = 7)]
                parts: Vec<Part>,
            }
            no_plan(Whole::layout())
        }};
    }
    #[derive(Message)]
    enum Choice {
        #[fix(tag = 13)]
        One(i32),
    }
    #[derive(Message)]
    enum Unit {
        #[fix(tag = 14)]
        One(i32),
        Other,
    }
    #[derive(Message)]
    struct Empty {}
    #[derive(Message)]
    struct Folder {
        #[fix(tag = 11)]
        name: Text,
        #[fix(tag = 12)]
        folders: Vec<Folder>,
    }
    #[derive(Message)]
    struct Chain {
        #[fix(tag = 11)]
        name: Text,
        next: Option<Box<Chain>>,
    }
    assert_eq!(inside!(Duration), "parts/it: FIX has no durations");
    assert_eq!(inside!(Vec<Duration>), "parts/it: FIX has no durations");
    assert_eq!(inside!(Vec<Vec<u8>>), "parts/it: FIX has no lists of data");
    assert_eq!(inside!(Vec<Vec<i32>>), "parts/it: FIX has no lists of lists");
    assert_eq!(inside!([[Text; 2]; 2]), "parts/it: FIX has no lists of lists");
    assert_eq!(inside!(Vec<Choice>), "parts/it: FIX has no lists of choices");
    let nothing = "has no fields, by which alone FIX would show it";
    assert_eq!(inside!(Unit), format!("parts/it/Other: Nothing {nothing}"));
    assert_eq!(inside!(Option<Empty>), format!("parts/it: Empty {nothing}"));
    let listing = "message M U
        group Entries 7 Hollow implied
        component Inside required
        end
        end
        end";
    let hollow = Arc::new(Layout::from_listing(listing).unwrap());
    assert_eq!(no_plan(&hollow), format!("Entries: Hollow {nothing}"));
    let folder = "parts/it/folders: Folder holds itself, which FIX cannot show";
    assert_eq!(inside!(Vec<Folder>), folder);
    assert_eq!(
        inside!(Folder),
        "parts/it/folders/folders: Folder holds itself, which FIX cannot show"
    );
    assert_eq!(inside!(Chain), "parts/it/next/next: Chain holds itself, which FIX cannot show");
}

/// Its tags are those of the message, and of groups inside it those around.
#[test]
fn a_tag_of_a_struct_stands_nowhere_else_in_its_message() {
    let rejection = |listing: &str| no_plan(&Arc::new(Layout::from_listing(listing).unwrap()));
    let twice = |path: &str, tag: u32, other: &str| {
        format!("{path}: the FIX tag {tag} stands for {other} here, too")
    };
    let listing = "message M U
        component A optional
        field X 58 text required
        end
        component B optional
        component C optional
        field Y 58 text required
        end
        end
        end";
    assert_eq!(rejection(listing), twice("B/C/Y", 58, "X"));
    // The struct stands behind the group in which its tag stands, too.
    let listing = "message M U
        group G 78 E implied
        field X 58 text required
        end
        component B optional
        field Y 58 text required
        end
        end";
    assert_eq!(rejection(listing), twice("G/X", 58, "Y"));
    let listing = "message M U
        component B optional
        group G 78 E implied
        field X 58 bytes required 100
        end
        end
        field Y 100 text required
        end";
    assert_eq!(rejection(listing), twice("B/G/X", 100, "Y"));
}

#[test]
fn codes_that_fix_cannot_have_are_rejected_with_the_path() {
    let rejection = |field: &str, values: &[(&str, &str)]| {
        let mut builder = Layout::builder("M");
        builder.note_type("fix", "message_type", "U");
        let names: Vec<&str> = values.iter().map(|(name, _)| *name).collect();
        let mut of = builder.types().enumeration("Side", &names);
        for (index, (_, code)) in (0..).zip(values).filter(|(_, (_, code))| *code != "-") {
            let member = trunkline_message::MemberId { of, index };
            builder.types().notes().note_member(member, "fix", "code", code);
        }
        if field == "list" {
            of = builder.types().list(of, None);
        }
        let need = trunkline_message::Need::Required;
        builder.member("it", of, need).note("fix", "tag", "54");
        let code_set = trunkline_codec::CodeSet::Iso8859_1;
        let options = fix::Options { code_set, ..Default::default() };
        let layout = Arc::new(builder.build().unwrap());
        let rejected = fix::Plan::new(&layout, &options).err().map(|it| it.to_string());
        rejected.map(|it| it.replace(" at byte 0: not supported", ""))
    };
    let cannot = |code: &str| Some(format!("it: Side.Buy cannot have the FIX code {code:?}"));
    assert_eq!(rejection("", &[("Buy", "")]), cannot(""));
    assert_eq!(rejection("", &[("Buy", "\x01")]), cannot("\x01"));
    assert_eq!(rejection("", &[("Buy", "€")]), cannot("€"));
    let twice = Some("it: the FIX code 1 stands for Side.Buy and Side.Sell".into());
    assert_eq!(rejection("", &[("Buy", "1"), ("Sell", "1")]), twice);
    let name = Some("it: the FIX code Sell stands for Side.Buy and Side.Sell".into());
    assert_eq!(rejection("", &[("Buy", "Sell"), ("Sell", "-")]), name);
    let blank = "it: a blank parts the items of a list in FIX, and Side.Sell short has one inside";
    assert_eq!(rejection("list", &[("Buy", "1"), ("Sell short", "-")]), Some(blank.into()));
    assert_eq!(rejection("", &[("Buy", "1"), ("Sell short", "-")]), None);
    assert_eq!(rejection("list", &[("Buy", "1"), ("Sell short", "5")]), None);
}

/// A value whose name is not ASCII is written in the plan's code set.
#[test]
fn a_code_is_in_the_code_set_of_the_plan() {
    let listing = "message M U
        field It 54 Side required
        end
        enumeration Side
        value Käufer
        value Händler 2
        end";
    let layout = Arc::new(Layout::from_listing(listing).unwrap());
    let code_set = trunkline_codec::CodeSet::Iso8859_1;
    let options = fix::Options { code_set, ..Default::default() };
    let plan = fix::Plan::new(&layout, &options).unwrap();
    let mut record = Record::new(&layout);
    record.set("It", "Käufer").unwrap();
    let bytes = fix::Encoder::new(&plan).encode(&record).unwrap().to_vec();
    assert!(bytes.windows(9).any(|it| it == b"54=K\xe4ufer"), "{}", bytes.escape_ascii());
    let mut back = Record::new(&layout);
    fix::Decoder::new(&plan).decode(&bytes, &mut back).unwrap();
    assert_eq!(back, record);
}

/// They are those of the message, since its fields are.
#[test]
fn unknown_fields_between_those_of_a_struct_are_kept() {
    let plan = plan::<Apart>();
    let fields = "11=A|55=BHP|7001=u|65=S|268=1|269=1|282=N|7002=v|283=L|7003=w|106=I|";
    let bytes = plain_fix::message(&format!("35=D|{fields}"));
    let mut record = Record::new(Apart::layout());
    fix::Decoder::new(&plan).decode(&bytes, &mut record).unwrap();
    let again = "11=A|55=BHP|65=S|106=I|7001=u|268=1|269=1|282=N|283=L|7002=v|7003=w|";
    assert_eq!(body(&plan, &record), again);
    rejected::<Apart>(
        "11=A|55=B|7001=u|65=S|7001=u|",
        "7001: the field stands twice, or is of a group that the schema does not have",
    );
}
