//! What `derive(Message)` makes of a struct.

use std::sync::Arc;

use trunkline_message::{
    Decoder, Encoder, Entries, FieldValue, Fields, Form, Group, Holds, IntegerKind, Kind, Layout,
    Members, Message, Need, Presence, Record, RecordError, Result, ScopeId, Structure, TypeId,
    Types, Unknown, Value,
};
use trunkline_wire::{
    BigDecimal, BigInteger, Code, Date, Decimal, Duration, Float, Integer, Text, Time, Timestamp,
};

#[derive(Message, Clone, Debug, Default, PartialEq)]
#[message(name = "Order")]
#[fix(message_type = "D")]
struct Order {
    #[field(name = "Header")]
    header: Header,
    #[field(name = "ClOrdID")]
    #[fix(tag = 11)]
    cl_ord_id: Text,
    #[field(name = "Price")]
    #[fix(tag = 44)]
    price: Option<Decimal>,
    #[field(name = "Outer/Inner", implied)]
    instrument: Instrument,
    #[field(name = "Legs")]
    #[fix(tag = 555)]
    #[xml(entry = "Leg")]
    legs: Group<Leg>,
    #[field(name = "Sides", required)]
    #[fix(tag = 552)]
    #[xml(entry = "Side")]
    sides: Group<Side>,
    #[unknown]
    unknown: Unknown,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Header {
    #[field(name = "SenderCompID")]
    #[fix(tag = 49)]
    sender: Text,
    #[field(name = "Hop", implied)]
    hop: Hop,
    #[field(name = "SecureData")]
    #[fix(tag = 91, length = 90)]
    secure_data: Option<Vec<u8>>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Hop {
    #[field(name = "HopRefID")]
    #[fix(tag = 630)]
    hop_ref_id: Option<u32>,
}

/// Wide and sparse.
#[derive(Message, Clone, Default)]
struct Instrument {
    #[presence]
    present: Presence<1>,
    #[field(name = "Symbol", optional)]
    #[fix(tag = 55)]
    symbol: Text,
    /// What it costs to be wrong.
    #[field(name = "Product", optional)]
    #[fix(tag = 460)]
    product: i32,
    #[field(name = "Side")]
    #[fix(tag = 54)]
    pub side: Code,
    #[field(name = "AltIDs")]
    #[fix(tag = 454)]
    #[xml(entry = "AltID")]
    alternatives: Group<Side>,
    #[field(name = "Yield", optional)]
    #[fix(tag = 236)]
    percentages: Vec<f64>,
    #[unknown]
    unknown: Unknown,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Leg {
    #[fix(tag = 600)]
    symbol: Text,
    #[fix(tag = 624)]
    ratio: Option<f64>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
#[message(rename_all = "camelCase")]
struct Side {
    is_the_first_side: bool,
}

/// Takes down which fields an encoder is given.
#[derive(Default)]
struct Visits {
    fields: Vec<usize>,
    unknown: usize,
}

impl Encoder for Visits {
    fn boolean(&mut self, field: usize, _: bool) {
        self.fields.push(field);
    }
    fn integer<I: Integer>(&mut self, field: usize, _: I) {
        self.fields.push(field);
    }
    fn decimal(&mut self, field: usize, _: Decimal) {
        self.fields.push(field);
    }
    fn big_integer(&mut self, field: usize, _: &BigInteger) {
        self.fields.push(field);
    }
    fn big_decimal(&mut self, field: usize, _: &BigDecimal) {
        self.fields.push(field);
    }
    fn float<F: Float>(&mut self, field: usize, _: F) {
        self.fields.push(field);
    }
    fn string(&mut self, field: usize, _: &str) {
        self.fields.push(field);
    }
    fn bytes(&mut self, field: usize, _: &[u8]) {
        self.fields.push(field);
    }
    fn code(&mut self, field: usize, _: Code) {
        self.fields.push(field);
    }
    fn date(&mut self, field: usize, _: Date) {
        self.fields.push(field);
    }
    fn time(&mut self, field: usize, _: Time) {
        self.fields.push(field);
    }
    fn timestamp(&mut self, field: usize, _: Timestamp) {
        self.fields.push(field);
    }
    fn duration(&mut self, field: usize, _: Duration) {
        self.fields.push(field);
    }
    fn enumeration(&mut self, field: usize, _: usize) {
        self.fields.push(field);
    }
    fn integers<I: Integer>(&mut self, field: usize, _: &[I]) {
        self.fields.push(field);
    }
    fn floats<F: Float>(&mut self, field: usize, _: &[F]) {
        self.fields.push(field);
    }
    fn group<F: Fields>(&mut self, field: usize, _: &[F]) {
        self.fields.push(field);
    }
    fn structure<F: Fields>(&mut self, field: usize, _: &F) {
        self.fields.push(field);
    }
    fn unknown(&mut self, fields: &Unknown) {
        self.unknown += fields.iter().count();
    }
}

fn seven_and_a_half<F: Float>() -> F {
    F::of_bits(if F::BYTES == 4 { 7.5_f32.bits() } else { 7.5_f64.bits() })
}

/// Answers every field with the same.
struct Same;

impl Decoder for Same {
    fn boolean(&mut self) -> Result<bool> {
        Ok(true)
    }
    fn integer<I: Integer>(&mut self) -> Result<I> {
        Ok(I::from_i64(7).expect("seven"))
    }
    fn decimal(&mut self) -> Result<Decimal> {
        Ok(Decimal::from(7))
    }
    fn big_integer(&mut self) -> Result<BigInteger> {
        Ok("7".parse().expect("seven"))
    }
    fn big_decimal(&mut self) -> Result<BigDecimal> {
        Ok("7.5".parse().expect("seven and a half"))
    }
    fn float<F: Float>(&mut self) -> Result<F> {
        Ok(seven_and_a_half())
    }
    fn text(&mut self, into: &mut Text) -> Result<()> {
        into.assign("seven");
        Ok(())
    }
    fn string(&mut self, into: &mut String) -> Result<()> {
        *into = "seven".into();
        Ok(())
    }
    fn bytes(&mut self, into: &mut Vec<u8>) -> Result<()> {
        *into = b"seven".to_vec();
        Ok(())
    }
    fn code(&mut self) -> Result<Code> {
        Ok(Code::new("7"))
    }
    fn date(&mut self) -> Result<Date> {
        Ok(Date::EPOCH)
    }
    fn time(&mut self) -> Result<Time> {
        Ok(Time::MIDNIGHT)
    }
    fn timestamp(&mut self) -> Result<Timestamp> {
        Ok(Timestamp::EPOCH)
    }
    fn duration(&mut self) -> Result<Duration> {
        Ok(Duration::default())
    }
    fn enumeration(&mut self) -> Result<usize> {
        Ok(1)
    }
    fn integers<I: Integer>(&mut self, into: &mut Vec<I>) -> Result<()> {
        into.clear();
        Ok(())
    }
    fn floats<F: Float>(&mut self, into: &mut Vec<F>) -> Result<()> {
        *into = vec![seven_and_a_half()];
        Ok(())
    }
    fn group<G: Entries>(&mut self, into: &mut G) -> Result<()> {
        into.clear();
        into.next_entry().decode_field(0, self)
    }
    fn structure<F: Fields>(&mut self, into: &mut F) -> Result<()> {
        into.decode_field(0, self)
    }
}

fn visited<F: Fields>(fields: &F) -> Vec<usize> {
    let mut visits = Visits::default();
    fields.encode_fields(0, &mut visits);
    visits.fields
}

fn full() -> Order {
    let mut order = Order::default();
    for index in 0..Order::WIDTH {
        order.decode_field(index, &mut Same).unwrap();
    }
    order
}

#[test]
fn the_schema_is_what_the_attributes_say() {
    let layout = Order::layout();
    assert_eq!(layout.name(), "Order");
    let expected = "message\tOrder\tD
component\tHeader\trequired
field\tSenderCompID\t49\ttext\trequired
component\tHop\timplied
field\tHopRefID\t630\tu32\toptional
end
field\tSecureData\t91\tbytes\toptional\t90
end
field\tClOrdID\t11\ttext\trequired
field\tPrice\t44\tdecimal\toptional
component\tOuter\timplied
component\tInner\timplied\tInstrument
field\tSymbol\t55\ttext\toptional
field\tProduct\t460\ti32\toptional
field\tSide\t54\tcode\trequired
group\tAltIDs\t454\tAltID\timplied\tSide
field\tisTheFirstSide\t0\tboolean\trequired
end
field\tYield\t236\tf64[]\toptional
end
end
group\tLegs\t555\tLeg\timplied
field\tsymbol\t600\ttext\trequired
field\tratio\t624\tf64\toptional
end
group\tSides\t552\tSide\trequired
field\tisTheFirstSide\t0\tboolean\trequired
end
end
";
    assert_eq!(layout.listing(), expected);
    assert_eq!(Order::WIDTH, layout.scope(ScopeId(0)).fields.len());
    assert_eq!(
        layout.scope(ScopeId(0)).fields[1].holds,
        Holds::Value(Kind::Integer(IntegerKind::U32))
    );
    assert_eq!(layout.scope(ScopeId(0)).fields[11].need, Need::Required);
    assert!(std::sync::Arc::ptr_eq(layout, Order::default().message_layout()));
}

#[test]
fn required_fields_are_always_visited_optional_ones_when_set() {
    // Sender, ClOrdID, the instrument's side, and the group that must be there.
    assert_eq!(visited(&Order::default()), [0, 3, 7, 11]);
    assert_eq!(visited(&full()), Vec::from_iter(0..12));
}

#[test]
fn fields_of_components_are_counted_from_the_base() {
    let mut visits = Visits::default();
    full().header.encode_fields(100, &mut visits);
    assert_eq!(visits.fields, [100, 101, 102]);
}

#[test]
fn decoding_puts_values_in_place() {
    let order = full();
    assert_eq!(order.header.sender, "seven");
    assert_eq!(order.header.hop.hop_ref_id, Some(7));
    assert_eq!(order.header.secure_data.as_deref(), Some(&b"seven"[..]));
    assert_eq!(order.price, Some(Decimal::from(7)));
    assert_eq!(order.instrument.symbol(), Some(&"seven".into()));
    assert_eq!(order.instrument.product(), Some(&7));
    assert_eq!(order.instrument.percentages(), Some(&vec![7.5]));
    assert_eq!(order.legs.len(), 1);
    assert_eq!(order.legs[0], Leg { symbol: "seven".into(), ratio: None });
    assert!(order.sides[0].is_the_first_side);
}

#[test]
fn clearing_leaves_nothing() {
    let mut order = full();
    order.unknown.push(9000, b"x");
    order.instrument.unknown.push(9001, b"y");
    order.clear();
    assert_eq!(order, Order::default());
    assert_eq!(visited(&order), visited(&Order::default()));
    assert!(order.unknown.is_empty() && order.instrument.unknown.is_empty());
    // An entry in the memory of an old one does not show it.
    let leg = Entries::next_entry(&mut order.legs);
    assert_eq!(*leg, Leg::default());
}

#[test]
fn accessors_set_and_clear() {
    let mut instrument = Instrument::default();
    assert_eq!(instrument.symbol(), None);
    instrument.set_symbol("CBG").set_product(4);
    assert_eq!((instrument.symbol(), instrument.product()), (Some(&"CBG".into()), Some(&4)));
    assert_eq!(visited(&instrument), [0, 1, 2]);
    instrument.clear_symbol();
    assert_eq!(instrument.symbol(), None);
    assert_eq!(visited(&instrument), [1, 2]);
}

#[test]
fn what_lies_behind_a_bit_that_is_not_set_does_not_count() {
    let mut once_set = Instrument::default();
    once_set.set_symbol("CBG").set_product(4).clear_symbol();
    let mut never_set = Instrument::default();
    never_set.set_product(4);
    assert_eq!(once_set, never_set);
    assert_eq!(format!("{once_set:?}"), format!("{never_set:?}"));
    assert!(!format!("{once_set:?}").contains("CBG"));
    never_set.set_symbol("");
    assert_ne!(once_set, never_set, "empty is not absent");
    once_set.set_symbol("");
    assert_eq!(once_set, never_set);
    once_set.side = Code::new("1");
    assert_ne!(once_set, never_set);
    never_set.side = Code::new("1");
    never_set.unknown.push(1, b"x");
    assert_ne!(once_set, never_set);
}

#[test]
fn debug_shows_the_fields_that_are_set() {
    let mut instrument = Instrument::default();
    instrument.set_product(4);
    let shown = format!("{instrument:?}");
    assert!(shown.starts_with("Instrument { product: 4, side: "), "{shown}");
    assert!(!shown.contains("symbol") && !shown.contains("present"), "{shown}");
}

#[test]
fn unknown_fields_are_handed_on() {
    let mut order = Order::default();
    Fields::unknown(&mut order).unwrap().push(9000, b"x");
    order.instrument.unknown.push(9001, b"y");
    let mut visits = Visits::default();
    order.encode_fields(0, &mut visits);
    assert_eq!(visits.unknown, 2);
    assert!(Fields::unknown(&mut order.header).is_none());
}

#[test]
fn a_record_takes_over_all_of_a_struct() {
    let mut order = full();
    order.unknown.push(9000, b"x");
    let record = Record::from_message(&order);
    assert_eq!(visited(&record), visited(&order));
    assert_eq!(record.get("Product"), Some(&Value::Integer(7)));
    assert_eq!(record.get("HopRefID"), Some(&Value::Unsigned(7)));
    let Some(Value::Group(legs)) = record.get("Legs") else { panic!("{record:?}") };
    assert_eq!(legs.entries()[0].get("symbol"), Some(&Value::Text("seven".into())));
    assert_eq!(legs.entries()[0].get("ratio"), None);
}

#[test]
fn a_record_rejects_what_its_schema_does_not_say() {
    let mut record = Record::new(Order::layout());
    let error = record.set("Colour", Value::Boolean(true)).unwrap_err();
    assert_eq!(error.to_string(), "there is no field Colour");
    let error = record.set("Price", Value::Boolean(true)).unwrap_err();
    assert_eq!(error, RecordError::OtherKind("Price".into(), "decimal".into()));
    let error = record.set("Product", Value::Integer(1 << 31)).unwrap_err();
    assert_eq!(error, RecordError::OutOfRange("Product".into(), "i32".into()));
    record.set("Product", Value::Integer(-(1 << 31))).unwrap();
    let error = record.set("HopRefID", Value::Unsigned(1 << 32)).unwrap_err();
    assert!(error.to_string().starts_with("the number does not fit HopRefID"), "{error}");
    assert_eq!(visited(&record), [6]);
}

#[test]
fn a_records_optional_group_without_entries_is_absent() {
    let mut record = Record::new(Order::layout());
    record.group_mut("Legs").unwrap();
    record.group_mut("Sides").unwrap();
    assert_eq!(record, {
        let mut other = Record::new(Order::layout());
        other.group_mut("Sides").unwrap();
        other
    });
    assert_eq!((record.get("Legs"), visited(&record)), (None, vec![11]));
    record.group_mut("Legs").unwrap().next_entry().set("symbol", Value::Text("A".into())).unwrap();
    assert_eq!(visited(&record), [10, 11]);
    assert!(record.group_mut("Price").is_none());
    assert_eq!(record.get("Price"), None);
}

/// `type` is a common name of elements, and a word of Rust.
#[test]
fn a_raw_identifier_is_the_name_without_its_mark() {
    #[derive(Message, Clone, Debug, Default, PartialEq)]
    struct Product {
        r#type: i32,
    }

    let names: Vec<_> = Product::layout().scopes()[0].fields.iter().map(|it| &*it.name).collect();
    assert_eq!(names, ["type"]);
}

/// By hand, past what the derive and the compiler see: a schema ends all the same.
#[test]
fn structs_that_hold_each_other_end_in_an_error() {
    struct Tree;

    impl Fields for Tree {
        fn encode_fields<E: Encoder>(&self, _: usize, _: &mut E) {}
        fn decode_field<D: Decoder>(&mut self, _: usize, _: &mut D) -> Result<()> {
            Ok(())
        }
        fn clear(&mut self) {}
    }

    impl FieldValue for Tree {
        const FORM: Form = Form::Struct;
        const WIDTH: usize = 2;
        const DEPTH: usize = 1;

        fn empty() -> Self {
            Self
        }
        fn register(types: &mut Types) -> TypeId {
            types.structure::<Self>()
        }
        fn encode<E: Encoder>(&self, _: usize, _: &mut E) {}
        fn decode<D: Decoder>(&mut self, _: usize, _: &mut D) -> Result<()> {
            Ok(())
        }
    }

    impl Structure for Tree {
        const NAME: &'static str = "Tree";

        fn describe(members: &mut Members<'_>) {
            for side in ["left", "right"] {
                members.add::<Self>(side, None);
            }
        }

        fn layout() -> &'static Arc<Layout> {
            unreachable!("nobody asks for it")
        }
    }

    let mut types = Types::default();
    let root = types.structure::<Tree>();
    let error = types.layout(root).unwrap_err();
    assert_eq!(error.to_string(), "Tree holds itself without end: it is never absent");
}

/// Described once, used twice.
#[test]
fn a_struct_is_one_type_wherever_it_stands() {
    let schema = Order::layout().schema();
    let sides: Vec<_> = schema.types().iter().filter(|it| &*it.name == "Side").collect();
    assert_eq!(sides.len(), 1);
    let layout = Order::layout();
    let entries = |name| layout.scope(ScopeId(0)).fields.iter().find(|it| &*it.name == name);
    let scope_of = |name| match entries(name).unwrap().holds {
        Holds::Group(scope) => layout.scope(scope).of,
        holds => panic!("{holds:?}"),
    };
    assert_eq!(scope_of("AltIDs"), scope_of("Sides"));
}

/// What only one format needs is data to all others.
#[test]
fn notes_are_those_of_the_attributes() {
    let layout = Order::layout();
    let (notes, fields) = (layout.notes(), &layout.scope(ScopeId(0)).fields);
    assert_eq!(notes.of_type(layout.schema().root(), "fix", "message_type"), Some("D"));
    assert_eq!(notes.of_member(fields[2].member, "fix", "length"), Some("90"));
    assert_eq!(notes.of_member(fields[10].member, "fix", "tag"), Some("555"));
    assert_eq!(notes.of_member(fields[10].member, "xml", "tag"), None);
    assert_eq!(notes.of_member(fields[8].member, "xml", "entry"), Some("AltID"));
}

#[test]
fn a_struct_knows_how_deep_it_is() {
    assert_eq!((Side::DEPTH, Instrument::DEPTH, Order::DEPTH), (1, 1, 3));
}
