//! Every shape of type: described by Rust, held as a record, listed.

use std::sync::Arc;

use trunkline_message::{
    Fields, Group, Holds, Kind, Layout, Message, Need, Record, RecordError, ScopeId, Shape,
    Structure, Unmet, Value,
};
use trunkline_wire::{BigDecimal, BigInteger, Decimal, Duration, Text};

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Address {
    street: Text,
    city: Option<Text>,
}

#[derive(Message, Clone, Copy, Debug, Default, PartialEq)]
enum Side {
    #[default]
    #[fix(code = "1")]
    Buy,
    #[field(name = "Sell short")]
    #[fix(code = "5")]
    SellShort,
}

#[derive(Message, Clone, Debug, PartialEq)]
#[message(rename_all = "camelCase")]
enum Settlement {
    Cash,
    Account(i64),
    Delivery(Address),
    References(Vec<Text>),
    Nested(Price),
}

#[derive(Message, Clone, Debug, PartialEq)]
enum Price {
    Limit(Decimal),
    Market,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Folder {
    name: Text,
    folders: Vec<Folder>,
    parent: Option<Box<Folder>>,
}

#[derive(Message, Clone, Debug, PartialEq)]
struct Order {
    side: Side,
    price: Price,
    settlement: Option<Settlement>,
    address: Option<Address>,
    single: f32,
    whole: BigInteger,
    exact: Option<BigDecimal>,
    hold: Duration,
    notes: Vec<Text>,
    flags: Option<Vec<bool>>,
    sides: Vec<Side>,
    matrix: [[f64; 2]; 2],
    corners: [Address; 2],
    prices: Vec<Price>,
    ragged: Vec<Vec<i32>>,
    legs: Group<Address>,
    folder: Folder,
    nothing: Hollow,
}

/// Without members: it is there, and says nothing.
#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Hollow {}

fn text(text: &str) -> Text {
    text.into()
}

fn folder(name: &str, folders: Vec<Folder>) -> Folder {
    Folder { name: text(name), folders, parent: None }
}

fn order() -> Order {
    let address = |street: &str| Address { street: text(street), city: None };
    let inner = Folder { parent: Some(Box::new(folder("up", vec![]))), ..folder("leaf", vec![]) };
    Order {
        side: Side::SellShort,
        price: Price::Market,
        settlement: Some(Settlement::Nested(Price::Limit(Decimal::from(7)))),
        address: Some(Address::default()),
        single: 0.1,
        whole: "123456789012345678901234567890".parse().unwrap(),
        exact: Some("0.12345678901234567890123".parse().unwrap()),
        hold: Duration::parse_xml(b"P1Y2MT0.5S").unwrap(),
        notes: vec![text(""), text("b")],
        flags: Some(vec![]),
        sides: vec![Side::Buy, Side::SellShort],
        matrix: [[1.0, 2.0], [3.0, 4.0]],
        corners: [address("a"), address("b")],
        prices: vec![Price::Limit(Decimal::from(1)), Price::Market],
        ragged: vec![vec![], vec![1, 2]],
        legs: vec![address("leg")].into(),
        folder: folder("root", vec![folder("empty", vec![]), folder("b", vec![inner])]),
        nothing: Hollow {},
    }
}

#[test]
fn a_message_of_every_shape_is_the_same_as_a_record() {
    let record = Record::from_message(&order());
    assert_eq!(record.unmet(), None);
    assert_eq!(record.get("side"), Some(&Value::Enumeration(1)));
    assert_eq!(record.get("settlement/account"), None);
    let nested = record.get("settlement/nested/Limit");
    assert_eq!(nested, Some(&Value::Decimal(Decimal::from(7))));
    assert_eq!(record.get("address/street"), Some(&Value::Text(text(""))));
    assert_eq!(record.get("address/city"), None);
    assert_eq!(record.get("single"), Some(&Value::Single(0.1)));
    let Some(Value::Group(notes)) = record.get("notes") else { panic!("a list") };
    let notes: Vec<_> = notes.entries().iter().map(|it| it.get("item").unwrap()).collect();
    assert_eq!(notes, [&Value::from(""), &Value::from("b")]);
    let Some(Value::Group(flags)) = record.get("flags") else { panic!("a list, there and empty") };
    assert!(flags.entries().is_empty());
    let shown = format!("{record:?}");
    assert!(shown.contains("\"Sell short\"") && shown.contains("leaf"), "{shown}");
}

/// What is optional lies by itself, what is required or implied does not.
#[test]
fn positions_are_what_the_types_say() {
    let layout = Order::layout();
    let root = layout.scope(ScopeId(0));
    let holds = |name| root.fields[root.position(name).unwrap()].holds;
    assert!(matches!(holds("address"), Holds::Struct(_)));
    assert!(matches!(holds("delivery"), Holds::Struct(_)));
    assert!(matches!(holds("side"), Holds::Enumeration(_)));
    assert_eq!(holds("account"), Holds::Value(Kind::Integer(trunkline_message::IntegerKind::I64)));
    let choices: Vec<_> = root.components.iter().filter(|it| it.is_choice).collect();
    let ranges: Vec<_> = choices.iter().map(|it| (&*it.name, it.fields.clone(), it.need)).collect();
    assert_eq!(ranges, [("price", 1..3, Need::Required), ("settlement", 3..8, Need::Implied)]);
    let Holds::Group(folders) = holds("folders") else { panic!("a list") };
    let folder = layout.scope(folders);
    assert_eq!(folder.shape, Shape::Struct);
    // It holds itself, so one scope serves every depth.
    assert_eq!(folder.fields[1].holds, Holds::Group(folders));
    assert_eq!(folder.fields[2].holds, Holds::Struct(folders));
    let Holds::Group(rows) = holds("matrix") else { panic!("a list") };
    assert_eq!(layout.scope(rows).shape, Shape::Item);
    assert_eq!(layout.scope(rows).fields[0].fixed, Some(2));
    assert_eq!(layout.type_name(&root.fields[root.position("matrix").unwrap()]), "f64[2][2]");
}

#[test]
fn every_shape_is_listed_and_read_back() {
    for layout in [Order::layout(), Folder::layout(), Settlement::layout()] {
        let listing = layout.listing();
        let back = Layout::from_listing(&listing).unwrap_or_else(|it| panic!("{it}\n{listing}"));
        // A message that is a choice is listed as a struct.
        if layout.scope(ScopeId(0)).shape == Shape::Struct {
            assert_eq!(back.id(), layout.id(), "{listing}");
        }
        assert_eq!(back.listing(), listing);
    }
}

#[test]
fn a_record_of_a_listing_says_what_is_wrong() {
    let layout = Arc::new(Layout::from_listing(&Order::layout().listing()).unwrap());
    let mut record = Record::new(&layout);
    assert_eq!(record.unmet(), Some(Unmet::Missing(0)));
    let wrong = record.set("side", "Hold").unwrap_err();
    assert_eq!(wrong.to_string(), "side holds Side, of which \"Hold\" is no value");
    let wrong = record.set("single", 0.1_f64).unwrap_err();
    assert_eq!(wrong, RecordError::OtherKind("single".into(), "f32".into()));
    let wrong = record.set("address/strasse", "").unwrap_err();
    assert_eq!(wrong, RecordError::NoSuchField("strasse".into()));

    let mut typed = Record::from_message(&order());
    typed.remove("Market");
    assert!(matches!(typed.unmet(), Some(Unmet::NoArm(Some(_)))));
    typed.set("Limit", Decimal::from(1)).unwrap();
    assert_eq!(typed.unmet(), None);
    typed.struct_mut("Market").unwrap();
    assert!(matches!(typed.unmet(), Some(Unmet::SeveralArms(Some(_)))));
    typed.remove("address");
    assert_eq!(typed.get("address/street"), None);
    typed.struct_mut("address").unwrap();
    assert_eq!(typed.get("address/street"), None, "nothing is left of what was removed");
}
