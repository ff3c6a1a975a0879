//! Ng, Chen & Greenfield's test messages (2004, Figure 3): customers and products.

use trunkline_message::{Group, Message};
use trunkline_wire::{Text, Timestamp};

/// A customer's account record.
#[derive(Message, Clone, Debug, Default, PartialEq)]
#[message(name = "customer", rename_all = "camelCase")]
#[allow(missing_docs)]
pub struct Customer {
    pub customer_id: Text,
    pub password: Text,
    pub first_name: Text,
    pub last_name: Text,
    pub address: Text,
    pub phone_num: Text,
    pub email: Text,
    pub account_no: Text,
    pub is_valid: bool,
    pub last_modified: Timestamp,
}

/// One line of an invoice.
#[derive(Message, Clone, Debug, Default, PartialEq)]
#[message(name = "product", rename_all = "camelCase")]
#[allow(missing_docs)]
pub struct Product {
    pub category_id: i64,
    pub is_available: bool,
    pub do_we_buy: bool,
    pub do_we_sell: bool,
    pub product_id: i64,
    pub description: Text,
    pub price: f64,
    pub quantity: i64,
    pub quantity_unit: Text,
    pub price_policy_id: i64,
    #[field(name = "ETA")]
    pub eta: Timestamp,
    pub last_modified: Timestamp,
}

/// The simple message (one customer), the medium one (twenty) and the complex one (one customer,
/// fifty products), with the header that the echo service changes to RESPONSE.
#[derive(Message, Clone, Debug, Default, PartialEq)]
#[message(name = "CustomerServices", rename_all = "camelCase")]
pub struct CustomerServices {
    /// REQUEST, or RESPONSE in the echo.
    pub header: Text,
    /// The customers.
    #[xml(entry = "customer")]
    pub customers: Group<Customer>,
    /// The products.
    #[xml(entry = "product")]
    pub products: Group<Product>,
}
