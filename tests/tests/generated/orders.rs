//! The messages of orders.xml, by `trunkline schema --rust`. Change the description and make them again, or change them
//! here. In a crate that asks for documentation: `#[allow(missing_docs)] mod ...;`

use trunkline_message::Message;
use trunkline_wire::{Date, Decimal, Text, Timestamp};

/// `StandardHeader`.
#[derive(Message, Clone, Debug, PartialEq)]
pub struct StandardHeader {
    #[field(name = "SenderCompID")]
    #[fix(tag = 49)]
    pub sender_comp_id: Text,
    #[field(name = "TargetCompID")]
    #[fix(tag = 56)]
    pub target_comp_id: Text,
    #[field(name = "MsgSeqNum")]
    #[fix(tag = 34)]
    pub msg_seq_num: u64,
    #[field(name = "SendingTime")]
    #[fix(tag = 52)]
    pub sending_time: Timestamp,
}

/// `Instrument`.
#[derive(Message, Clone, Debug, PartialEq)]
pub struct Instrument {
    #[field(name = "Symbol")]
    #[fix(tag = 55)]
    pub symbol: Text,
    #[field(name = "MaturityDate")]
    #[fix(tag = 541)]
    pub maturity_date: Option<Date>,
}

/// `Side`.
#[derive(Message, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    #[field(name = "BUY")]
    #[fix(code = "1")]
    Buy,
    #[field(name = "SELL")]
    #[fix(code = "2")]
    Sell,
    #[field(name = "SELL_SHORT")]
    #[fix(code = "5")]
    SellShort,
}

/// `Allocs`.
#[derive(Message, Clone, Debug, PartialEq)]
pub struct Allocs {
    #[field(name = "AllocAccount")]
    #[fix(tag = 79)]
    pub alloc_account: Text,
    #[field(name = "AllocQty")]
    #[fix(tag = 80)]
    pub alloc_qty: Option<Decimal>,
}

/// `StandardTrailer`.
#[derive(Message, Clone, Debug, PartialEq)]
pub struct StandardTrailer {
    #[field(name = "Signature")]
    #[fix(tag = 89, length = 93)]
    pub signature: Option<Vec<u8>>,
}

/// The message `NewOrderSingle`, MsgType `D`.
#[derive(Message, Clone, Debug, PartialEq)]
#[fix(message_type = "D")]
pub struct NewOrderSingle {
    #[field(name = "StandardHeader")]
    pub standard_header: StandardHeader,
    #[field(name = "ClOrdID")]
    #[fix(tag = 11)]
    pub cl_ord_id: Text,
    #[field(name = "Instrument")]
    pub instrument: Instrument,
    #[field(name = "Side")]
    #[fix(tag = 54)]
    pub side: Side,
    #[field(name = "OrderQty")]
    #[fix(tag = 38)]
    pub order_qty: Option<Decimal>,
    #[field(name = "Price")]
    #[fix(tag = 44)]
    pub price: Option<Decimal>,
    #[field(name = "ExecInst")]
    #[fix(tag = 18)]
    pub exec_inst: Option<Vec<Text>>,
    #[field(name = "NoAllocs")]
    #[fix(tag = 78)]
    pub no_allocs: Option<Vec<Allocs>>,
    #[field(name = "EncodedText")]
    #[fix(tag = 355, length = 354)]
    pub encoded_text: Option<Vec<u8>>,
    #[field(name = "StandardTrailer", implied)]
    pub standard_trailer: StandardTrailer,
}

/// The message `ExecutionReport`, MsgType `8`.
#[derive(Message, Clone, Debug, PartialEq)]
#[fix(message_type = "8")]
pub struct ExecutionReport {
    #[field(name = "StandardHeader")]
    pub standard_header: StandardHeader,
    #[field(name = "OrderID")]
    #[fix(tag = 37)]
    pub order_id: Text,
    #[field(name = "Instrument", implied)]
    pub instrument: Instrument,
    #[field(name = "Side")]
    #[fix(tag = 54)]
    pub side: Side,
    #[field(name = "StandardTrailer", implied)]
    pub standard_trailer: StandardTrailer,
}
