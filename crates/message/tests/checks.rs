//! What members are held to beyond their kind.

use std::sync::Arc;

use trunkline_message::{Checks, Group, Layout, LayoutBuilder, Message, Need, Record, Structure};
use trunkline_message::{FieldValue as _, Kind};
use trunkline_wire::{BigDecimal, Code, Date, Decimal, Duration, Text, Time, Timestamp};

#[derive(Message, Clone, Debug, PartialEq)]
struct Order {
    #[facet(min_length = 2, max_length = 4)]
    id: Text,
    #[facet(min_exclusive = "0", max_inclusive = "99.5", total_digits = 4, fraction_digits = 2)]
    price: Decimal,
    #[facet(length = 3)]
    currency: Code,
    #[facet(max_length = 2)]
    data: Vec<u8>,
    #[facet(min_items = 1, max_items = 2, max_inclusive = "9")]
    marks: Option<Vec<i32>>,
    #[facet(items = 1, max_length = 3)]
    notes: Vec<Text>,
    #[facet(max_length = 1, max_items_inside = "2")]
    grid: Vec<Vec<Text>>,
    #[facet(max_items_inside = "- 1")]
    cube: [Vec<Vec<i32>>; 2],
    #[facet(max_items = 2)]
    legs: Group<Leg>,
    leg: Option<Leg>,
    side: Side,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Leg {
    #[facet(min_inclusive = "-2", max_exclusive = "3")]
    ratio: i8,
}

#[derive(Message, Clone, Debug, PartialEq)]
enum Side {
    #[facet(max_length = 1)]
    Other(Text),
    Known(Leg),
}

fn order() -> Order {
    Order {
        id: "ab".into(),
        price: "99.50".parse().unwrap(),
        currency: Code::parse(b"EUR").unwrap(),
        data: vec![1, 2],
        marks: None,
        notes: vec!["äöü".into()],
        grid: vec![],
        cube: [vec![], vec![]],
        legs: vec![Leg { ratio: -2 }].into(),
        leg: None,
        side: Side::Known(Leg { ratio: 2 }),
    }
}

/// What is wrong with an order, as a struct and as a record.
fn wrong(change: impl FnOnce(&mut Order)) -> String {
    let checks = Checks::new(Order::layout()).unwrap();
    let mut order = order();
    change(&mut order);
    let said = checks.check(&order).err().map(|it| it.to_string()).unwrap_or_default();
    let record = Record::from_message(&order);
    let again = checks.check(&record).err().map(|it| it.to_string()).unwrap_or_default();
    assert_eq!(said, again);
    said
}

#[test]
fn what_keeps_to_its_facets_is_let_be() {
    assert_eq!(wrong(|_| ()), "");
    assert_eq!(wrong(|it| it.id = "ÄÖÜß".into()), "");
    assert_eq!(wrong(|it| it.marks = Some(vec![9, -4])), "");
    assert_eq!(wrong(|it| it.grid = vec![vec![], vec!["x".into(), "".into()]]), "");
    assert_eq!(wrong(|it| it.side = Side::Other("x".into())), "");
    assert_eq!(wrong(|it| it.price = "0.01".parse().unwrap()), "");
}

#[test]
fn what_does_not_is_told_with_its_place() {
    let said = [
        (wrong(|it| it.id = "a".into()), "id: it has 1 character, fewer than 2"),
        (wrong(|it| it.id = "abcde".into()), "id: it has 5 characters, more than 4"),
        (wrong(|it| it.price = 0.into()), "price: it is not more than 0"),
        (wrong(|it| it.price = "99.51".parse().unwrap()), "price: it is more than 99.5"),
        (wrong(|it| it.price = "1.005".parse().unwrap()), "price: it has 3 decimals, more than 2"),
        (wrong(|it| it.price = "1.0005".parse().unwrap()), "price: it has 5 digits, more than 4"),
        (wrong(|it| it.currency = Code::default()), "currency: it has 0 characters, fewer than 3"),
        (wrong(|it| it.data.push(3)), "data: it has 3 bytes, more than 2"),
        (wrong(|it| it.marks = Some(vec![])), "marks: it has 0 items, fewer than 1"),
        (wrong(|it| it.marks = Some(vec![1, 10])), "marks: it is more than 9"),
        (wrong(|it| it.notes.push("a".into())), "notes: it has 2 items, more than 1"),
        (wrong(|it| it.notes[0] = "abcd".into()), "notes[0]: it has 4 characters, more than 3"),
        (
            wrong(|it| it.grid = vec![vec![], vec!["x".into(), "xy".into()]]),
            "grid[1][1]: it has 2 characters, more than 1",
        ),
        (
            wrong(|it| it.grid = vec![vec![], vec!["".into(), "".into(), "".into()]]),
            "grid[1]: it has 3 items, more than 2",
        ),
        (
            wrong(|it| it.cube[1] = vec![vec![], vec![1], vec![1, 2]]),
            "cube[1][2]: it has 2 items, more than 1",
        ),
        (wrong(|it| it.legs.push(Leg { ratio: 3 })), "legs[1]/ratio: it is not less than 3"),
        (wrong(|it| it.leg = Some(Leg { ratio: -3 })), "leg/ratio: it is less than -2"),
        (
            wrong(|it| it.side = Side::Other("xy".into())),
            "side/Other: it has 2 characters, more than 1",
        ),
        (
            wrong(|it| it.side = Side::Known(Leg { ratio: 9 })),
            "side/Known/ratio: it is not less than 3",
        ),
    ];
    for (said, expected) in said {
        assert_eq!(said, format!("Order/{expected}"));
    }
}

#[test]
fn a_message_of_another_schema_is_told() {
    let checks = Checks::new(Order::layout()).unwrap();
    let said = checks.check(&Leg { ratio: 0 }).unwrap_err().to_string();
    assert_eq!(said, "Order: the message is of another schema");
}

/// Defaults and facets come by way of a listing, too, and go back into one.
#[test]
fn a_listing_has_defaults_and_facets() {
    let text = "message Order
        field currency 15 text implied
        note field default USD
        note facet max_length 3
        end";
    let layout = Arc::new(Layout::from_listing(text).unwrap());
    let again = Arc::new(Layout::from_listing(&layout.listing()).unwrap());
    for layout in [layout, again] {
        let mut record = Record::new(&layout);
        assert_eq!(record.get("currency"), Some(&"USD".into()));
        record.set("currency", "EURO").unwrap();
        let unfit = Checks::new(&layout).unwrap().check(&record).unwrap_err();
        assert_eq!(unfit.to_string(), "Order/currency: it has 4 characters, more than 3");
    }
    let wrong = text.replace("text implied", "decimal implied");
    let error = Layout::from_listing(&wrong).unwrap_err().to_string();
    assert_eq!(error, "currency: the default \"USD\" is none of decimal");
}

#[test]
fn notes_that_nobody_would_heed_are_rejected() {
    let layout = |notes: &str| {
        Layout::from_listing(&format!(
            "message Order
             component leg required
             {notes}
             field ratio 1 i32 required
             end
             end"
        ))
    };
    let rejected = layout("note field default 1").unwrap_err().to_string();
    assert_eq!(rejected, "leg: the default \"1\" is not of a single value");
    let rejected = layout("note field defualt 1").unwrap_err().to_string();
    assert_eq!(rejected, "leg: the note field defualt is none: default and nil_items are");
    let rejected = Checks::new(&Arc::new(layout("note facet max_length 1").unwrap()));
    let rejected = rejected.unwrap_err().to_string();
    assert_eq!(rejected, "leg: max_length is said, and a struct has none");
}

/// A record of one field of a kind with facets.
fn of_kind(kind: Kind, facets: &[(&str, &str)]) -> Result<(Arc<Layout>, Checks), String> {
    let mut builder: LayoutBuilder = Layout::builder("One");
    builder.field("it", kind, Need::Required);
    facets.iter().for_each(|(word, value)| _ = builder.note("facet", word, value));
    let layout = Arc::new(builder.build().unwrap());
    Checks::new(&layout).map(|checks| (layout, checks)).map_err(|error| error.to_string())
}

#[test]
fn every_kind_that_has_an_order_has_bounds() {
    let is_fit = |kind, bound: (&str, &str), value: trunkline_message::Value| {
        let (layout, checks) = of_kind(kind, &[bound]).unwrap();
        let mut record = Record::new(&layout);
        record.set("it", value).unwrap();
        checks.check(&record).is_ok()
    };
    let least = |text| ("min_inclusive", text);
    let day = |text: &str| Date::parse_xml(text.as_bytes()).unwrap();
    assert!(is_fit(Kind::Date, least("2026-01-02"), day("2026-01-02Z").into()));
    assert!(!is_fit(Kind::Date, least("2026-01-02"), day("2026-01-01").into()));
    let time = |text: &str| Time::parse_xml(text.as_bytes()).unwrap();
    assert!(is_fit(Kind::Time, least("10:00:00"), time("10:00:00Z").into()));
    assert!(!is_fit(Kind::Time, least("10:00:00Z"), time("09:59:59.9").into()));
    let moment = |text: &str| Timestamp::parse_xml(text.as_bytes()).unwrap();
    let noon = least("2026-01-02T12:00:00");
    assert!(is_fit(Kind::Timestamp, noon, moment("2026-01-02T12:00:00Z").into()));
    assert!(!is_fit(Kind::Timestamp, noon, moment("2026-01-02T11:00:00").into()));
    let span = |text: &str| text.parse::<Duration>().unwrap();
    let decimal = |text: &str| text.parse::<Decimal>().unwrap();
    assert!(is_fit(Kind::Duration, least("P1M"), span("P32D").into()));
    // A month may be longer.
    assert!(!is_fit(Kind::Duration, least("P1M"), span("P30D").into()));
    assert!(is_fit(Kind::Float64, ("max_inclusive", "1.5"), 1.5.into()));
    assert!(!is_fit(Kind::Float64, ("max_inclusive", "1.5"), f64::NAN.into()));
    assert!(!is_fit(Kind::Float32, ("max_exclusive", "INF"), f32::INFINITY.into()));
    assert!(is_fit(Kind::Decimal, ("values", "1 2.50"), decimal("2.5").into()));
    assert!(!is_fit(Kind::Decimal, ("values", "1 2.50"), decimal("2").into()));
    let many = "123456789012345678901234567890.5";
    let large: BigDecimal = many.parse().unwrap();
    assert!(is_fit(Kind::BigDecimal, ("max_inclusive", many), large.clone().into()));
    assert!(!is_fit(Kind::BigDecimal, ("max_exclusive", many), large.into()));
}

/// A NaN has no order, and is itself; booleans and data have values alone.
#[test]
fn the_values_that_there_are_need_no_order() {
    let is_fit = |kind, values, value: trunkline_message::Value| {
        let (layout, checks) = of_kind(kind, &[("values", values)]).unwrap();
        let mut record = Record::new(&layout);
        record.set("it", value).unwrap();
        checks.check(&record).is_ok()
    };
    assert!(is_fit(Kind::Float64, "1e3 NaN", f64::NAN.into()));
    assert!(is_fit(Kind::Float32, "1e3 NaN", f32::NAN.into()));
    assert!(is_fit(Kind::Float64, "1e3 NaN", 1000.0.into()));
    assert!(!is_fit(Kind::Float64, "1e3 NaN", 2.0.into()));
    assert!(!is_fit(Kind::Float64, "1e3", f64::NAN.into()));
    assert!(is_fit(Kind::Boolean, "true", true.into()));
    assert!(!is_fit(Kind::Boolean, "true", false.into()));
    assert!(is_fit(Kind::Bytes, "AAE= eHg=", vec![0_u8, 1].into()));
    assert!(!is_fit(Kind::Bytes, "AAE= eHg=", vec![0_u8, 2].into()));
}

#[test]
fn facets_that_make_no_sense_are_rejected_with_their_member() {
    let rejected = |kind, facets: &[_]| of_kind(kind, facets).err().unwrap();
    let said = [
        (rejected(Kind::Text, &[("length", "-1")]), "length is \"-1\", which is no count"),
        (
            rejected(Kind::Text, &[("min_length", "3"), ("max_length", "2")]),
            "from 3 to 2 is nothing",
        ),
        (
            rejected(Kind::Decimal, &[("max_length", "2")]),
            "max_length is said, and decimal has none",
        ),
        (rejected(Kind::Text, &[("max_items", "2")]), "max_items is said, and text has none"),
        (
            rejected(Kind::Float64, &[("total_digits", "2")]),
            "total_digits is said, and f64 has none",
        ),
        (
            rejected(Kind::Text, &[("max_inclusive", "2")]),
            "max_inclusive is said, and text has no order",
        ),
        (
            rejected(
                Kind::Integer(trunkline_message::IntegerKind::U8),
                &[("max_inclusive", "256")],
            ),
            "max_inclusive is \"256\", which is no u8",
        ),
        (
            rejected(Kind::Text, &[("max_items_inside", "2")]),
            "max_items_inside is \"2\", of more lists than text has inside, which are 0",
        ),
        (
            rejected(Kind::Text, &[("max_items_inside", "- x")]),
            "max_items_inside is \"- x\", and \"x\" is no count",
        ),
        (
            rejected(Kind::Bytes, &[("values", "AAE= *")]),
            "values is \"AAE= *\", and \"*\" is no bytes",
        ),
        (rejected(Kind::Text, &[("values", "1")]), "values is said, and text has no order"),
        (
            rejected(Kind::Decimal, &[("values", "1 x")]),
            "values is \"1 x\", and \"x\" is no decimal",
        ),
        (rejected(Kind::Date, &[("pattern", "a")]), "a pattern is said, and date is no text"),
        (
            rejected(Kind::Boolean, &[("width", "1")]),
            "width is no facet, which are length, min_length, max_length, items, min_items, max_items, \
             max_items_inside, min_inclusive, max_inclusive, min_exclusive, max_exclusive, total_digits, fraction_digits, values, \
             pattern",
        ),
    ];
    for (said, expected) in said {
        assert_eq!(said, format!("One.it: {expected}"));
    }
    assert!(Order::empty().id.is_empty());
}

#[cfg(feature = "patterns")]
#[test]
fn patterns_are_those_of_xml_schema() {
    let is_fit = |pattern, text: &str| {
        let (layout, checks) = of_kind(Kind::Text, &[("pattern", pattern)]).unwrap();
        let mut record = Record::new(&layout);
        record.set("it", text).unwrap();
        checks.check(&record).is_ok()
    };
    // The whole text, and signs that mean nothing in XML Schema.
    for (pattern, fits, does_not) in [
        ("[A-Z]{3}", "EUR", "EURO"),
        ("a|b", "b", "ab"),
        ("^a$", "^a$", "a"),
        (r"\i\c*", "Größe-1.x", "1a"),
        (r"\d+\.\d", "12.5", "12,5"),
        (r"[a-z-[aeiou]]+", "xyz", "xay"),
        // What is taken out is taken out of all that the negation leaves, whatever that is.
        ("[^a-z-[0-9]]+", "A-!", "A5"),
        ("[^a-z-[0-9]]", "A", "a"),
        ("[a-z-[^aeiou]]+", "aeiou", "xyz"),
        ("[^a-z-[^0-9]]+", "0123", "A"),
        (r"[^\s-[^\d]]+", "42", "4b"),
        ("[a-z-[c-x-[m]]]+", "abmyz", "d"),
        ("[^a-z-[A-Z-[M]]]+", "M5", "N"),
        ("[^^]+-[a^]", "b-^", "^-a"),
        ("[a-z--[b]]+", "a-c", "a-b"),
        ("[^a-z--[B]]+", "A+C", "A-C"),
        (r"\p{L}[^\p{Lu}-[0-9]]", "Ab", "A7"),
        (r"[^\s&&]+", "a-b", "a b"),
        (r"[&~\-^]*", "&~-^", "a"),
        ("a.c", "a\u{2028}c", "a\nc"),
        (r"\p{Lu}\P{Lu}", "Éa", "ÉÉ"),
        (r"\w+\W", "ab!", "ab"),
        (r"\\\[\]", r"\[]", "["),
        // Some write a \ before signs that need none.
        (r"\d\/\<\@", "1/<@", r"1\/<@"),
        (r"[\p{IsGreek}\p{Nd}]+\P{IsBasicLatin}", "αβ1é", "αβ1e"),
    ] {
        assert!(is_fit(pattern, fits), "{pattern} {fits}");
        assert!(!is_fit(pattern, does_not), "{pattern} {does_not}");
    }
    for (pattern, why) in [
        ("[a", "a ] is missing"),
        ("a]", "a ] has a \\ before it"),
        (r"\q", r"\q means nothing"),
        ("a\\", "it ends with a \\"),
        ("[a[b]]", "a [ inside brackets has a \\ before it"),
        ("[a-[b]c]", "behind the class that is taken out of another stands a ]"),
        ("[^a-[b]-[c]]", "behind the class that is taken out of another stands a ]"),
        ("[a-[]]", "a class in brackets has at least one character"),
        ("[-[a]]", "a class in brackets has at least one character"),
        ("[^-[a]]", "a class in brackets has at least one character"),
        ("[^]", "a class in brackets has at least one character"),
        (r"\p{IsBasic}", "IsBasic is no block of characters"),
        (r"\pL", r"behind \p stands no name in braces"),
        (r"a(?=b)", "a ? behind a ( has nothing that it repeats"),
        ("(a", "error: unclosed group"),
    ] {
        let said = of_kind(Kind::Text, &[("pattern", pattern)]).err().unwrap();
        assert_eq!(said, format!("One.it: the pattern {pattern}: {why}"));
    }
}
