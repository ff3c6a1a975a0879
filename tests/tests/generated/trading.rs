//! The messages of trading.idl, by `trunkline schema --rust`. Change the description and make them again, or change them
//! here. In a crate that asks for documentation: `#[allow(missing_docs)] mod ...;`
// Left out: Trading::Desk: it is an interface, and there is neither a client nor a server of CORBA
// Left out: Checksum: `u8[16]`: a list of `u8` is data in Rust, not a list of numbers

use trunkline_message::Message;
use trunkline_wire::Text;

/// `Trading::Leg` of IDL.
#[derive(Message, Clone, Debug, PartialEq)]
pub struct Leg {
    #[facet(max_length = 12)]
    pub symbol: Text,
    pub ratio: f64,
}

/// `MaybePrice_other`.
#[derive(Message, Clone, Debug, PartialEq)]
#[message(name = "MaybePrice_other")]
pub struct MaybePriceOther {
    pub label: bool,
}

/// `Trading::MaybePrice` of IDL.
#[derive(Message, Clone, Debug, PartialEq)]
#[cdr(switch = "boolean")]
pub enum MaybePrice {
    #[field(name = "price")]
    #[cdr(label = "true")]
    Price(f64),
    #[field(name = "other")]
    #[cdr(label = "default")]
    Other(MaybePriceOther),
}

/// `Trading::Settlement` of IDL.
#[derive(Message, Clone, Debug, PartialEq)]
#[cdr(switch = "enum")]
pub enum Settlement {
    #[field(name = "account")]
    #[cdr(label = "0")]
    Account(Text),
    #[field(name = "borrowed")]
    #[cdr(label = "1")]
    Borrowed(i64),
    #[field(name = "borrowed_2")]
    #[cdr(label = "2")]
    Borrowed2(i64),
}

/// `Side`.
#[derive(Message, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Buy,
    Sell,
    SellShort,
}

/// `Trading::Order` of IDL.
#[derive(Message, Clone, Debug, PartialEq)]
pub struct Order {
    pub id: i32,
    pub direction: Side,
    pub limit: Option<f64>,
    pub settled: Settlement,
    #[field(required)]
    #[facet(max_items = 8)]
    pub legs: Vec<Leg>,
    pub signature: Vec<u8>,
    pub corners: [[i16; 3]; 2],
    pub r#type: Text,
    #[field(required)]
    pub children: Vec<Order>,
}

/// `Trading::Rejected` of IDL.
#[derive(Message, Clone, Debug, PartialEq)]
pub struct Rejected {
    pub why: Text,
}
