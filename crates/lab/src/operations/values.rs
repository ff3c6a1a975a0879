//! What is sent: the same values at every toolkit (`peers/PROTOCOL.md`).

use trunkline_wire::{Date, Text, Time, Timestamp};

use super::structures::{
    Address, Customer, Item, LineItem, Location, Order, OrderQuery, Struct, Synthetic,
};

/// Of echoInt and in structures.
pub(crate) const NUMBER: i32 = 20_071_022;

/// Of echoString and in structures.
pub(crate) const TEXT: &str = "Hello World";

/// Who asks for an order.
pub(crate) const CUSTOMER: i32 = 4711;

/// The number of an order is how many lines it has.
pub(crate) fn query(lines: u32) -> OrderQuery {
    OrderQuery { customer_id: CUSTOMER, order_number: number(lines) }
}

fn number(count: u32) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}

fn moment() -> Timestamp {
    let (date, time) = (Date::new(2007, 10, 22), Time::new(12, 52, 30, 0));
    // Every part is within its range.
    Timestamp::new(date.unwrap_or_default(), time.unwrap_or_default()).in_utc()
}

pub(crate) fn structure() -> Struct {
    Struct { number: NUMBER, fraction: 1.5, text: TEXT.into() }
}

pub(crate) fn bytes(size: u32) -> Vec<u8> {
    (0..size).map(|index| (index * 7 % 251) as u8).collect()
}

pub(crate) fn synthetic(size: u32) -> Synthetic {
    Synthetic { text: TEXT.into(), structure: structure(), bytes: bytes(size) }
}

/// A number for each index, which goes up and down.
fn scattered(index: u32) -> i32 {
    number(index * 7919 % 1_000_003)
}

/// Most need sixteen or seventeen digits.
pub(crate) fn doubles(count: u32) -> Vec<f64> {
    (0..count).map(|index| f64::from(scattered(index)) / 997.0).collect()
}

/// Of either sign.
pub(crate) fn ints(count: u32) -> Vec<i32> {
    (0..count).map(|index| scattered(index) - 500_000).collect()
}

/// Each another one.
pub(crate) fn strings(count: u32) -> Vec<Text> {
    (0..count).map(|index| format!("element {index}").into()).collect()
}

/// Each with the same data.
pub(crate) fn items(count: u32) -> Vec<Item> {
    let location = Location {
        street: "4150 Network Circle".into(),
        city: "Santa Clara".into(),
        country: "United States".into(),
    };
    let item = Item {
        id: "123456789".into(),
        description: "An item of a list".into(),
        price: 12.5,
        inventory: 300,
        location,
        created: moment(),
    };
    vec![item; count as usize]
}

fn address(street: &str) -> Address {
    Address {
        first_name: "Ada".into(),
        last_name: "Lovelace".into(),
        first_line: street.into(),
        second_line: "Second floor".into(),
        city: "Santa Clara".into(),
        state: "California".into(),
        zip: "95054".into(),
    }
}

/// The order of a request: as many lines as its number says.
pub(crate) fn order(query: &OrderQuery) -> Order {
    let OrderQuery { customer_id, order_number } = *query;
    let customer = Customer {
        customer_id,
        first_name: "Ada".into(),
        last_name: "Lovelace".into(),
        phone: "+1 408 555 0100".into(),
        last_activity: moment(),
        card_number: "4111 1111 1111 1111".into(),
        card_expiration: "12/2009".into(),
        billing_address: address("4150 Network Circle"),
        shipping_address: address("4140 Network Circle"),
    };
    let line = |index: i32| LineItem {
        order_id: order_number,
        item_id: index,
        product_id: index,
        description: format!("Product {index}").into(),
        quantity: 1 + index % 10,
        unit_price: 0.5 + (index % 100) as f32,
    };
    let line_items = (1..=order_number).map(line).collect();
    Order { order_id: order_number, status: 1, ordered: moment(), customer, line_items }
}
