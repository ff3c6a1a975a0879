//! The structures of the benchmark of Metro's SOAP/TCP (2007): what its operations take and return.
//!
//! The article says of each what it holds, and not what the members are called: those names, and those of the
//! operations' parameters, are ours. Its `float` has 32 bits.

use trunkline_message::Message;
use trunkline_wire::{Text, Timestamp};

/// No data.
#[derive(Message, Clone, Debug, Default, PartialEq)]
pub struct Nothing {}

/// A number.
#[derive(Message, Clone, Debug, Default, PartialEq)]
pub struct Number {
    /// It.
    pub value: i32,
}

/// A text.
#[derive(Message, Clone, Debug, Default, PartialEq)]
pub struct Words {
    /// It.
    pub value: Text,
}

/// A small class.
#[derive(Message, Clone, Debug, Default, PartialEq)]
#[message(name = "struct")]
#[allow(missing_docs)]
pub struct Struct {
    pub number: i32,
    pub fraction: f32,
    pub text: Text,
}

/// What echoStruct takes and returns.
#[derive(Message, Clone, Debug, Default, PartialEq)]
pub struct OfStruct {
    /// It.
    pub value: Struct,
}

/// A small class with bytes.
#[derive(Message, Clone, Debug, Default, PartialEq)]
#[message(name = "synthetic", rename_all = "camelCase")]
#[allow(missing_docs)]
pub struct Synthetic {
    pub text: Text,
    pub structure: Struct,
    pub bytes: Vec<u8>,
}

/// What echoSynthetic takes and returns.
#[derive(Message, Clone, Debug, Default, PartialEq)]
pub struct OfSynthetic {
    /// It.
    pub value: Synthetic,
}

/// Where an item is.
#[derive(Message, Clone, Debug, Default, PartialEq)]
#[message(name = "location")]
#[allow(missing_docs)]
pub struct Location {
    pub street: Text,
    pub city: Text,
    pub country: Text,
}

/// An item of a list.
#[derive(Message, Clone, Debug, Default, PartialEq)]
#[message(name = "item")]
#[allow(missing_docs)]
pub struct Item {
    pub id: Text,
    pub description: Text,
    pub price: f32,
    pub inventory: i32,
    pub location: Location,
    pub created: Timestamp,
}

/// What echoArray takes and returns.
#[derive(Message, Clone, Debug, Default, PartialEq)]
pub struct Items {
    /// The items, beside one another.
    #[xml(list = "unwrapped")]
    pub value: Vec<Item>,
}

/// The request of getOrder.
#[derive(Message, Clone, Debug, Default, PartialEq)]
#[message(rename_all = "camelCase")]
#[allow(missing_docs)]
pub struct OrderQuery {
    pub customer_id: i32,
    pub order_number: i32,
}

/// An address.
#[derive(Message, Clone, Debug, Default, PartialEq)]
#[message(name = "address", rename_all = "camelCase")]
#[allow(missing_docs)]
pub struct Address {
    pub first_name: Text,
    pub last_name: Text,
    #[field(name = "address1")]
    pub first_line: Text,
    #[field(name = "address2")]
    pub second_line: Text,
    pub city: Text,
    pub state: Text,
    pub zip: Text,
}

/// Who ordered.
#[derive(Message, Clone, Debug, Default, PartialEq)]
#[message(name = "customer", rename_all = "camelCase")]
#[allow(missing_docs)]
pub struct Customer {
    pub customer_id: i32,
    pub first_name: Text,
    pub last_name: Text,
    pub phone: Text,
    pub last_activity: Timestamp,
    pub card_number: Text,
    pub card_expiration: Text,
    pub billing_address: Address,
    pub shipping_address: Address,
}

/// A line of an order.
#[derive(Message, Clone, Debug, Default, PartialEq)]
#[message(name = "lineItem", rename_all = "camelCase")]
#[allow(missing_docs)]
pub struct LineItem {
    pub order_id: i32,
    pub item_id: i32,
    pub product_id: i32,
    pub description: Text,
    pub quantity: i32,
    pub unit_price: f32,
}

/// An order.
#[derive(Message, Clone, Debug, Default, PartialEq)]
#[message(name = "order", rename_all = "camelCase")]
#[allow(missing_docs)]
pub struct Order {
    pub order_id: i32,
    pub status: i32,
    pub ordered: Timestamp,
    pub customer: Customer,
    #[xml(entry = "lineItem")]
    pub line_items: Vec<LineItem>,
}

/// What getOrder returns.
#[derive(Message, Clone, Debug, Default, PartialEq)]
pub struct OfOrder {
    /// It.
    pub value: Order,
}
