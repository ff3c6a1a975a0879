//! FIX 4.3 *market data incremental refresh* (35=X) in full, nested and named as FIXML nests and
//! names it (Kohlhoff & Steele 2004, Figures 3 and 6).
//!
//! Fields, numbers and order are those of the FIX 4.3 dictionary. The length field of a data field
//! is part of the data field. MsgSeqNum is optional because the paper's SOAP form leaves it out.

use trunkline_message::{Group, Message, Presence, Unknown};
use trunkline_wire::{Code, Date, Decimal, Text, Time, Timestamp};

/// Market data incremental refresh: new prices and reports of trades.
#[derive(Message, Clone, Debug, Default, PartialEq)]
#[message(name = "FIXMLMessage", message_type = "X")]
pub struct MarketDataIncrementalRefresh {
    /// Who sends to whom, when.
    #[component(name = "Header")]
    pub header: Header,
    /// The market data.
    #[component(name = "ApplicationMessage/MarketDataInc")]
    pub body: MarketDataInc,
    /// Fields that FIX 4.3 does not define for this message.
    #[unknown]
    pub unknown: Unknown,
}

/// The standard message header, without the fields that frame the message (8, 9, 35).
#[derive(Message, Clone, Debug, Default, PartialEq)]
pub struct Header {
    /// The sending firm.
    #[component(name = "Sender")]
    pub sender: Sender,
    /// The firm for which a third party sends.
    #[component(name = "OnBehalfOf", optional)]
    pub on_behalf_of: OnBehalfOf,
    /// The receiving firm.
    #[component(name = "Target")]
    pub target: Target,
    /// The firm to which a third party delivers.
    #[component(name = "DeliverTo", optional)]
    pub deliver_to: DeliverTo,
    /// SecureData (91).
    #[field(name = "SecureData", number = 91, length = 90)]
    pub secure_data: Option<Vec<u8>>,
    /// MsgSeqNum (34).
    #[field(name = "MsgSeqNum", number = 34)]
    pub msg_seq_num: Option<u32>,
    /// PossDupFlag (43).
    #[field(name = "PossDupFlag", number = 43)]
    pub poss_dup_flag: Option<bool>,
    /// PossResend (97).
    #[field(name = "PossResend", number = 97)]
    pub poss_resend: Option<bool>,
    /// SendingTime (52).
    #[field(name = "SendingTime", number = 52)]
    pub sending_time: Timestamp,
    /// OrigSendingTime (122).
    #[field(name = "OrigSendingTime", number = 122)]
    pub orig_sending_time: Option<Timestamp>,
    /// XmlData (213).
    #[field(name = "XmlData", number = 213, length = 212)]
    pub xml_data: Option<Vec<u8>>,
    /// MessageEncoding (347).
    #[field(name = "MessageEncoding", number = 347)]
    pub message_encoding: Option<Text>,
    /// LastMsgSeqNumProcessed (369).
    #[field(name = "LastMsgSeqNumProcessed", number = 369)]
    pub last_msg_seq_num_processed: Option<u32>,
    /// OnBehalfOfSendingTime (370).
    #[field(name = "OnBehalfOfSendingTime", number = 370)]
    pub on_behalf_of_sending_time: Option<Timestamp>,
    /// The third parties that the message passed.
    #[group(name = "Hops", number = 627, entry = "Hop")]
    pub hops: Group<Hop>,
}

/// The sending firm.
#[derive(Message, Clone, Debug, Default, PartialEq)]
pub struct Sender {
    /// SenderCompID (49).
    #[field(name = "CompID", number = 49)]
    pub comp_id: Text,
    /// SenderSubID (50).
    #[field(name = "SubID", number = 50)]
    pub sub_id: Option<Text>,
    /// SenderLocationID (142).
    #[field(name = "LocationID", number = 142)]
    pub location_id: Option<Text>,
}

/// The firm for which a third party sends.
#[derive(Message, Clone, Debug, Default, PartialEq)]
pub struct OnBehalfOf {
    /// OnBehalfOfCompID (115).
    #[field(name = "CompID", number = 115)]
    pub comp_id: Option<Text>,
    /// OnBehalfOfSubID (116).
    #[field(name = "SubID", number = 116)]
    pub sub_id: Option<Text>,
    /// OnBehalfOfLocationID (144).
    #[field(name = "LocationID", number = 144)]
    pub location_id: Option<Text>,
}

/// The receiving firm.
#[derive(Message, Clone, Debug, Default, PartialEq)]
pub struct Target {
    /// TargetCompID (56).
    #[field(name = "CompID", number = 56)]
    pub comp_id: Text,
    /// TargetSubID (57).
    #[field(name = "SubID", number = 57)]
    pub sub_id: Option<Text>,
    /// TargetLocationID (143).
    #[field(name = "LocationID", number = 143)]
    pub location_id: Option<Text>,
}

/// The firm to which a third party delivers.
#[derive(Message, Clone, Debug, Default, PartialEq)]
pub struct DeliverTo {
    /// DeliverToCompID (128).
    #[field(name = "CompID", number = 128)]
    pub comp_id: Option<Text>,
    /// DeliverToSubID (129).
    #[field(name = "SubID", number = 129)]
    pub sub_id: Option<Text>,
    /// DeliverToLocationID (145).
    #[field(name = "LocationID", number = 145)]
    pub location_id: Option<Text>,
}

/// One third party that the message passed.
#[derive(Message, Clone, Debug, Default, PartialEq)]
pub struct Hop {
    /// HopCompID (628).
    #[field(name = "HopCompID", number = 628)]
    pub hop_comp_id: Option<Text>,
    /// HopSendingTime (629).
    #[field(name = "HopSendingTime", number = 629)]
    pub hop_sending_time: Option<Timestamp>,
    /// HopRefID (630).
    #[field(name = "HopRefID", number = 630)]
    pub hop_ref_id: Option<u32>,
}

/// The body: what is asked for and the entries.
#[derive(Message, Clone, Debug, Default, PartialEq)]
pub struct MarketDataInc {
    /// MDReqID (262).
    #[field(name = "MDReqID", number = 262)]
    pub md_req_id: Option<Text>,
    /// The entries, at least one.
    #[group(name = "MDInclList", number = 268, entry = "MDIncGroup", required)]
    pub entries: Group<MdEntry>,
}

/// One entry: a change of price or a report of a trade.
#[derive(Message, Clone, Default)]
#[message(name = "MDIncGroup")]
pub struct MdEntry {
    #[presence]
    present: Presence<1>,
    /// MDUpdateAction (279).
    #[field(name = "MDUpdateAction", number = 279)]
    pub md_update_action: Code,
    #[field(name = "DeleteReason", number = 285, optional)]
    delete_reason: Code,
    #[field(name = "MDEntryType", number = 269, optional)]
    md_entry_type: Code,
    #[field(name = "MDEntryID", number = 278, optional)]
    md_entry_id: Text,
    #[field(name = "MDEntryRefID", number = 280, optional)]
    md_entry_ref_id: Text,
    /// What is traded.
    #[component(name = "Instrument", optional)]
    pub instrument: Instrument,
    #[field(name = "FinancialStatus", number = 291, optional)]
    financial_status: Text,
    #[field(name = "CorporateAction", number = 292, optional)]
    corporate_action: Text,
    #[field(name = "MDEntryPx", number = 270, optional)]
    md_entry_px: Decimal,
    #[field(name = "Currency", number = 15, optional)]
    currency: Text,
    #[field(name = "MDEntrySize", number = 271, optional)]
    md_entry_size: Decimal,
    #[field(name = "MDEntryDate", number = 272, optional)]
    md_entry_date: Date,
    #[field(name = "MDEntryTime", number = 273, optional)]
    md_entry_time: Time,
    #[field(name = "TickDirection", number = 274, optional)]
    tick_direction: Code,
    #[field(name = "MDMkt", number = 275, optional)]
    md_mkt: Text,
    #[field(name = "TradingSessionID", number = 336, optional)]
    trading_session_id: Text,
    #[field(name = "TradingSessionSubID", number = 625, optional)]
    trading_session_sub_id: Text,
    #[field(name = "QuoteCondition", number = 276, optional)]
    quote_condition: Text,
    #[field(name = "TradeCondition", number = 277, optional)]
    trade_condition: Text,
    #[field(name = "MDEntryOriginator", number = 282, optional)]
    md_entry_originator: Text,
    #[field(name = "LocationID", number = 283, optional)]
    location_id: Text,
    #[field(name = "DeskID", number = 284, optional)]
    desk_id: Text,
    #[field(name = "OpenCloseSettleFlag", number = 286, optional)]
    open_close_settle_flag: Text,
    #[field(name = "TimeInForce", number = 59, optional)]
    time_in_force: Code,
    #[field(name = "ExpireDate", number = 432, optional)]
    expire_date: Date,
    #[field(name = "ExpireTime", number = 126, optional)]
    expire_time: Timestamp,
    #[field(name = "MinQty", number = 110, optional)]
    min_qty: Decimal,
    #[field(name = "ExecInst", number = 18, optional)]
    exec_inst: Text,
    #[field(name = "SellerDays", number = 287, optional)]
    seller_days: i32,
    #[field(name = "OrderID", number = 37, optional)]
    order_id: Text,
    #[field(name = "QuoteEntryID", number = 299, optional)]
    quote_entry_id: Text,
    #[field(name = "MDEntryBuyer", number = 288, optional)]
    md_entry_buyer: Text,
    #[field(name = "MDEntrySeller", number = 289, optional)]
    md_entry_seller: Text,
    #[field(name = "NumberOfOrders", number = 346, optional)]
    number_of_orders: i32,
    #[field(name = "MDEntryPositionNo", number = 290, optional)]
    md_entry_position_no: i32,
    #[field(name = "Scope", number = 546, optional)]
    scope: Text,
    #[field(name = "TotalVolumeTraded", number = 387, optional)]
    total_volume_traded: Decimal,
    #[field(name = "TotalVolumeTradedDate", number = 449, optional)]
    total_volume_traded_date: Date,
    #[field(name = "TotalVolumeTradedTime", number = 450, optional)]
    total_volume_traded_time: Time,
    #[field(name = "NetChgPrevDay", number = 451, optional)]
    net_chg_prev_day: Decimal,
    #[field(name = "Text", number = 58, optional)]
    text: Text,
    #[field(name = "EncodedText", number = 355, length = 354, optional)]
    encoded_text: Vec<u8>,
    /// Fields that FIX 4.3 does not define for an entry.
    #[unknown]
    pub unknown: Unknown,
}

/// What is traded.
#[derive(Message, Clone, Default)]
pub struct Instrument {
    #[presence]
    present: Presence<1>,
    #[field(name = "Symbol", number = 55, optional)]
    symbol: Text,
    #[field(name = "SymbolSfx", number = 65, optional)]
    symbol_sfx: Text,
    #[field(name = "SecurityID", number = 48, optional)]
    security_id: Text,
    #[field(name = "SecurityIDSource", number = 22, optional)]
    security_id_source: Text,
    /// Other identifiers of the security.
    #[group(name = "SecurityAltIDList", number = 454, entry = "SecurityAltIDGroup")]
    pub security_alt_ids: Group<SecurityAltId>,
    #[field(name = "Product", number = 460, optional)]
    product: i32,
    #[field(name = "CFICode", number = 461, optional)]
    cfi_code: Text,
    #[field(name = "SecurityType", number = 167, optional)]
    security_type: Text,
    #[field(name = "MaturityMonthYear", number = 200, optional)]
    maturity_month_year: Text,
    #[field(name = "MaturityDate", number = 541, optional)]
    maturity_date: Date,
    #[field(name = "CouponPaymentDate", number = 224, optional)]
    coupon_payment_date: Date,
    #[field(name = "IssueDate", number = 225, optional)]
    issue_date: Date,
    #[field(name = "RepoCollateralSecurityType", number = 239, optional)]
    repo_collateral_security_type: Text,
    #[field(name = "RepurchaseTerm", number = 226, optional)]
    repurchase_term: i32,
    #[field(name = "RepurchaseRate", number = 227, optional)]
    repurchase_rate: Decimal,
    #[field(name = "Factor", number = 228, optional)]
    factor: Decimal,
    #[field(name = "CreditRating", number = 255, optional)]
    credit_rating: Text,
    #[field(name = "InstrRegistry", number = 543, optional)]
    instr_registry: Text,
    #[field(name = "CountryOfIssue", number = 470, optional)]
    country_of_issue: Text,
    #[field(name = "StateOrProvinceOfIssue", number = 471, optional)]
    state_or_province_of_issue: Text,
    #[field(name = "LocaleOfIssue", number = 472, optional)]
    locale_of_issue: Text,
    #[field(name = "RedemptionDate", number = 240, optional)]
    redemption_date: Date,
    #[field(name = "StrikePrice", number = 202, optional)]
    strike_price: Decimal,
    #[field(name = "OptAttribute", number = 206, optional)]
    opt_attribute: Code,
    #[field(name = "ContractMultiplier", number = 231, optional)]
    contract_multiplier: Decimal,
    #[field(name = "CouponRate", number = 223, optional)]
    coupon_rate: Decimal,
    #[field(name = "SecurityExchange", number = 207, optional)]
    security_exchange: Text,
    #[field(name = "Issuer", number = 106, optional)]
    issuer: Text,
    #[field(name = "EncodedIssuer", number = 349, length = 348, optional)]
    encoded_issuer: Vec<u8>,
    #[field(name = "SecurityDesc", number = 107, optional)]
    security_desc: Text,
    #[field(name = "EncodedSecurityDesc", number = 351, length = 350, optional)]
    encoded_security_desc: Vec<u8>,
}

/// Another identifier of a security.
#[derive(Message, Clone, Debug, Default, PartialEq)]
#[message(name = "SecurityAltIDGroup")]
pub struct SecurityAltId {
    /// SecurityAltID (455).
    #[field(name = "SecurityAltID", number = 455)]
    pub security_alt_id: Option<Text>,
    /// SecurityAltIDSource (456).
    #[field(name = "SecurityAltIDSource", number = 456)]
    pub security_alt_id_source: Option<Text>,
}
