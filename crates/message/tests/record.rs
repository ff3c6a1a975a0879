//! Records as a user handles them, from a listing to values and back.

use std::sync::Arc;

use trunkline_message::{Fields as _, Layout, Message as _, Record, RecordError, Value};
use trunkline_wire::Decimal;

const LISTING: &str = "message Order D
component Sender required
field CompID 49 text required
end
component Target required
field CompID 56 text required
end
field Price 44 decimal optional
field Quantity 38 u16 required
group Legs 555 Leg implied
field Symbol 600 text required
end
group Parties 453 Party implied
field PartyID 448 text required
end
end
";

fn layout() -> Arc<Layout> {
    Arc::new(Layout::from_listing(LISTING).expect("a listing"))
}

#[test]
fn values_are_set_found_and_removed_by_path() {
    let mut order = Record::new(&layout());
    order.set("Sender/CompID", "ABC").unwrap();
    order.set("Target/CompID", "XYZ").unwrap();
    order.set("Price", Decimal::new(635, -2).unwrap()).unwrap();
    assert_eq!(order.get("Target/CompID"), Some(&Value::from("XYZ")));
    assert_eq!(order.get("CompID"), Some(&Value::from("ABC")));
    assert_eq!(order.get("Quantity"), None);
    assert!(order.remove("Price") && order.get("Price").is_none());
    assert!(!order.remove("Prize"));
    assert_eq!(
        format!("{order:?}"),
        r#"Order { Sender/CompID: Text("ABC"), Target/CompID: Text("XYZ") }"#
    );
}

#[test]
fn whole_numbers_of_any_type_are_taken_if_the_field_can_hold_them() {
    let mut order = Record::new(&layout());
    for number in [Value::from(100), Value::from(100_u8), Value::from(100_i64)] {
        order.set("Quantity", number).unwrap();
        assert_eq!(order.get("Quantity"), Some(&Value::Unsigned(100)));
    }
    let negative = order.set("Quantity", -1).unwrap_err().to_string();
    assert_eq!(negative, "the number does not fit Quantity, which holds u16");
    assert_eq!(order.get("Quantity"), Some(&Value::Unsigned(100)));
}

#[test]
fn what_does_not_fit_is_rejected_by_name() {
    let mut order = Record::new(&layout());
    let rejection = |result: Result<(), RecordError>| result.unwrap_err().to_string();
    assert_eq!(rejection(order.set("Prize", 1.0)), "there is no field Prize");
    assert_eq!(rejection(order.set("Price", 1.0)), "Price holds decimal");
    let wrong = rejection(order.set("Quantity", 65_536_u64));
    assert_eq!(wrong, "the number does not fit Quantity, which holds u16");
    let parties = order.group_mut("Parties").expect("a group").clone();
    assert!(matches!(order.set("Legs", parties), Err(RecordError::OtherKind(..))));
    assert_eq!(order, Record::new(&layout()));
}

#[test]
fn entries_of_an_earlier_message_do_not_come_back() {
    let mut order = Record::new(&layout());
    order.group_mut("Legs").unwrap().next_entry().set("Symbol", "EUR").unwrap();
    order.clear();
    let legs = order.group_mut("Legs").unwrap();
    assert!(legs.entries().is_empty());
    let leg = legs.next_entry();
    assert_eq!(leg.get("Symbol"), None);
    leg.set("Symbol", "USD").unwrap();
    assert_eq!(legs.entries().len(), 1);
}

#[test]
fn asking_a_plain_field_for_entries_leaves_it_unset() {
    let mut order = Record::new(&layout());
    assert!(order.group_mut("Price").is_none());
    assert_eq!(order.get("Price"), None);
}

#[test]
fn an_entry_alone_is_no_message_of_the_schema() {
    let layout = layout();
    let mut order = Record::new(&layout);
    assert!(order.message_layout().is_same(&layout));
    let leg = order.group_mut("Legs").unwrap().next_entry();
    assert!(!leg.message_layout().is_same(&layout));
}

#[test]
fn records_of_one_listing_read_twice_are_of_one_schema() {
    let (mut one, mut other) = (Record::new(&layout()), Record::new(&layout()));
    one.set("Sender/CompID", "ABC").unwrap();
    other.set("Sender/CompID", "ABC").unwrap();
    assert_eq!(one, other);
    other.group_mut("Legs").unwrap().next_entry().set("Symbol", "A").unwrap();
    one.set("Legs", other.get("Legs").unwrap().clone()).unwrap();
    assert_eq!(one, other);
    // The same field by name and kind, of a message that lies otherwise.
    let moved = LISTING.replace(
        "component Sender required",
        "field First 1 text optional\ncomponent Sender required",
    );
    let mut moved = Record::new(&Arc::new(Layout::from_listing(&moved).unwrap()));
    moved.set("Sender/CompID", "ABC").unwrap();
    assert_ne!(moved, one);
    assert!(moved.set("Legs", one.get("Legs").unwrap().clone()).is_err());
}

#[test]
fn records_that_differ_print_otherwise() {
    let listing = "message M
        field X 1 text optional
        component Party implied
        component Place implied
        field X 2 text optional
        end
        field X 3 text optional
        end
        end";
    let layout = Arc::new(Layout::from_listing(listing).expect("a listing"));
    let scope = &layout.scopes()[0];
    let paths: Vec<String> = (0..3).map(|field| scope.path(field)).collect();
    assert_eq!(paths, ["X", "Party/Place/X", "Party/X"]);
    let printed = paths.iter().map(|path| {
        let mut record = Record::new(&layout);
        record.set(path, "x").expect("a field");
        format!("{record:?}")
    });
    let expected = paths.iter().map(|path| format!("M {{ {path}: Text(\"x\") }}"));
    assert_eq!(printed.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
}
