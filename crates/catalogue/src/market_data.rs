//! FIX 4.3 *market data incremental refresh* (35=X) in full, nested and named as FIXML nests and
//! names it (Kohlhoff & Steele 2004, Figures 3 and 6).
//!
//! Fields, numbers and order are those of the FIX 4.3 dictionary. The length field of a data field
//! is part of the data field. MsgSeqNum is optional because the paper's SOAP form leaves it out.

use trunkline_message::{Group, Message, Presence, Unknown};
use trunkline_wire::{Code, Date, Decimal, Text, Time, Timestamp};

/// Market data incremental refresh: new prices and reports of trades.
#[derive(Message, Clone, Debug, Default, PartialEq)]
#[message(name = "FIXMLMessage")]
#[fix(message_type = "X")]
pub struct MarketDataIncrementalRefresh {
    /// Who sends to whom, when.
    #[field(name = "Header")]
    pub header: Header,
    /// The market data.
    #[field(name = "ApplicationMessage/MarketDataInc")]
    pub body: MarketDataInc,
    /// Fields that FIX 4.3 does not define for this message.
    #[unknown]
    pub unknown: Unknown,
}

/// The standard message header, without the fields that frame the message (8, 9, 35).
#[derive(Message, Clone, Debug, Default, PartialEq)]
pub struct Header {
    /// The sending firm.
    #[field(name = "Sender")]
    pub sender: Sender,
    /// The firm for which a third party sends.
    #[field(name = "OnBehalfOf", implied)]
    pub on_behalf_of: OnBehalfOf,
    /// The receiving firm.
    #[field(name = "Target")]
    pub target: Target,
    /// The firm to which a third party delivers.
    #[field(name = "DeliverTo", implied)]
    pub deliver_to: DeliverTo,
    /// SecureData (91).
    #[field(name = "SecureData")]
    #[fix(tag = 91, length = 90)]
    pub secure_data: Option<Vec<u8>>,
    /// MsgSeqNum (34).
    #[field(name = "MsgSeqNum")]
    #[fix(tag = 34)]
    pub msg_seq_num: Option<u32>,
    /// PossDupFlag (43).
    #[field(name = "PossDupFlag")]
    #[fix(tag = 43)]
    pub poss_dup_flag: Option<bool>,
    /// PossResend (97).
    #[field(name = "PossResend")]
    #[fix(tag = 97)]
    pub poss_resend: Option<bool>,
    /// SendingTime (52).
    #[field(name = "SendingTime")]
    #[fix(tag = 52)]
    pub sending_time: Timestamp,
    /// OrigSendingTime (122).
    #[field(name = "OrigSendingTime")]
    #[fix(tag = 122)]
    pub orig_sending_time: Option<Timestamp>,
    /// XmlData (213).
    #[field(name = "XmlData")]
    #[fix(tag = 213, length = 212)]
    pub xml_data: Option<Vec<u8>>,
    /// MessageEncoding (347).
    #[field(name = "MessageEncoding")]
    #[fix(tag = 347)]
    pub message_encoding: Option<Text>,
    /// LastMsgSeqNumProcessed (369).
    #[field(name = "LastMsgSeqNumProcessed")]
    #[fix(tag = 369)]
    pub last_msg_seq_num_processed: Option<u32>,
    /// OnBehalfOfSendingTime (370).
    #[field(name = "OnBehalfOfSendingTime")]
    #[fix(tag = 370)]
    pub on_behalf_of_sending_time: Option<Timestamp>,
    /// The third parties that the message passed.
    #[field(name = "Hops")]
    #[fix(tag = 627)]
    #[xml(entry = "Hop")]
    pub hops: Group<Hop>,
}

/// The sending firm.
#[derive(Message, Clone, Debug, Default, PartialEq)]
pub struct Sender {
    /// SenderCompID (49).
    #[field(name = "CompID")]
    #[fix(tag = 49)]
    pub comp_id: Text,
    /// SenderSubID (50).
    #[field(name = "SubID")]
    #[fix(tag = 50)]
    pub sub_id: Option<Text>,
    /// SenderLocationID (142).
    #[field(name = "LocationID")]
    #[fix(tag = 142)]
    pub location_id: Option<Text>,
}

/// The firm for which a third party sends.
#[derive(Message, Clone, Debug, Default, PartialEq)]
pub struct OnBehalfOf {
    /// OnBehalfOfCompID (115).
    #[field(name = "CompID")]
    #[fix(tag = 115)]
    pub comp_id: Option<Text>,
    /// OnBehalfOfSubID (116).
    #[field(name = "SubID")]
    #[fix(tag = 116)]
    pub sub_id: Option<Text>,
    /// OnBehalfOfLocationID (144).
    #[field(name = "LocationID")]
    #[fix(tag = 144)]
    pub location_id: Option<Text>,
}

/// The receiving firm.
#[derive(Message, Clone, Debug, Default, PartialEq)]
pub struct Target {
    /// TargetCompID (56).
    #[field(name = "CompID")]
    #[fix(tag = 56)]
    pub comp_id: Text,
    /// TargetSubID (57).
    #[field(name = "SubID")]
    #[fix(tag = 57)]
    pub sub_id: Option<Text>,
    /// TargetLocationID (143).
    #[field(name = "LocationID")]
    #[fix(tag = 143)]
    pub location_id: Option<Text>,
}

/// The firm to which a third party delivers.
#[derive(Message, Clone, Debug, Default, PartialEq)]
pub struct DeliverTo {
    /// DeliverToCompID (128).
    #[field(name = "CompID")]
    #[fix(tag = 128)]
    pub comp_id: Option<Text>,
    /// DeliverToSubID (129).
    #[field(name = "SubID")]
    #[fix(tag = 129)]
    pub sub_id: Option<Text>,
    /// DeliverToLocationID (145).
    #[field(name = "LocationID")]
    #[fix(tag = 145)]
    pub location_id: Option<Text>,
}

/// One third party that the message passed.
#[derive(Message, Clone, Debug, Default, PartialEq)]
pub struct Hop {
    /// HopCompID (628).
    #[field(name = "HopCompID")]
    #[fix(tag = 628)]
    pub hop_comp_id: Option<Text>,
    /// HopSendingTime (629).
    #[field(name = "HopSendingTime")]
    #[fix(tag = 629)]
    pub hop_sending_time: Option<Timestamp>,
    /// HopRefID (630).
    #[field(name = "HopRefID")]
    #[fix(tag = 630)]
    pub hop_ref_id: Option<u32>,
}

/// The body: what is asked for and the entries.
#[derive(Message, Clone, Debug, Default, PartialEq)]
pub struct MarketDataInc {
    /// MDReqID (262).
    #[field(name = "MDReqID")]
    #[fix(tag = 262)]
    pub md_req_id: Option<Text>,
    /// The entries, at least one.
    #[field(name = "MDInclList", required)]
    #[fix(tag = 268)]
    #[xml(entry = "MDIncGroup")]
    pub entries: Group<MdEntry>,
}

/// One entry: a change of price or a report of a trade.
#[derive(Message, Clone, Default)]
#[message(name = "MDIncGroup")]
pub struct MdEntry {
    #[presence]
    present: Presence<1>,
    /// MDUpdateAction (279).
    #[field(name = "MDUpdateAction")]
    #[fix(tag = 279)]
    pub md_update_action: Code,
    #[field(name = "DeleteReason", optional)]
    #[fix(tag = 285)]
    delete_reason: Code,
    #[field(name = "MDEntryType", optional)]
    #[fix(tag = 269)]
    md_entry_type: Code,
    #[field(name = "MDEntryID", optional)]
    #[fix(tag = 278)]
    md_entry_id: Text,
    #[field(name = "MDEntryRefID", optional)]
    #[fix(tag = 280)]
    md_entry_ref_id: Text,
    /// What is traded.
    #[field(name = "Instrument", implied)]
    pub instrument: Instrument,
    #[field(name = "FinancialStatus", optional)]
    #[fix(tag = 291)]
    financial_status: Text,
    #[field(name = "CorporateAction", optional)]
    #[fix(tag = 292)]
    corporate_action: Text,
    #[field(name = "MDEntryPx", optional)]
    #[fix(tag = 270)]
    md_entry_px: Decimal,
    #[field(name = "Currency", optional)]
    #[fix(tag = 15)]
    currency: Text,
    #[field(name = "MDEntrySize", optional)]
    #[fix(tag = 271)]
    md_entry_size: Decimal,
    #[field(name = "MDEntryDate", optional)]
    #[fix(tag = 272)]
    md_entry_date: Date,
    #[field(name = "MDEntryTime", optional)]
    #[fix(tag = 273)]
    md_entry_time: Time,
    #[field(name = "TickDirection", optional)]
    #[fix(tag = 274)]
    tick_direction: Code,
    #[field(name = "MDMkt", optional)]
    #[fix(tag = 275)]
    md_mkt: Text,
    #[field(name = "TradingSessionID", optional)]
    #[fix(tag = 336)]
    trading_session_id: Text,
    #[field(name = "TradingSessionSubID", optional)]
    #[fix(tag = 625)]
    trading_session_sub_id: Text,
    #[field(name = "QuoteCondition", optional)]
    #[fix(tag = 276)]
    quote_condition: Text,
    #[field(name = "TradeCondition", optional)]
    #[fix(tag = 277)]
    trade_condition: Text,
    #[field(name = "MDEntryOriginator", optional)]
    #[fix(tag = 282)]
    md_entry_originator: Text,
    #[field(name = "LocationID", optional)]
    #[fix(tag = 283)]
    location_id: Text,
    #[field(name = "DeskID", optional)]
    #[fix(tag = 284)]
    desk_id: Text,
    #[field(name = "OpenCloseSettleFlag", optional)]
    #[fix(tag = 286)]
    open_close_settle_flag: Text,
    #[field(name = "TimeInForce", optional)]
    #[fix(tag = 59)]
    time_in_force: Code,
    #[field(name = "ExpireDate", optional)]
    #[fix(tag = 432)]
    expire_date: Date,
    #[field(name = "ExpireTime", optional)]
    #[fix(tag = 126)]
    expire_time: Timestamp,
    #[field(name = "MinQty", optional)]
    #[fix(tag = 110)]
    min_qty: Decimal,
    #[field(name = "ExecInst", optional)]
    #[fix(tag = 18)]
    exec_inst: Text,
    #[field(name = "SellerDays", optional)]
    #[fix(tag = 287)]
    seller_days: i32,
    #[field(name = "OrderID", optional)]
    #[fix(tag = 37)]
    order_id: Text,
    #[field(name = "QuoteEntryID", optional)]
    #[fix(tag = 299)]
    quote_entry_id: Text,
    #[field(name = "MDEntryBuyer", optional)]
    #[fix(tag = 288)]
    md_entry_buyer: Text,
    #[field(name = "MDEntrySeller", optional)]
    #[fix(tag = 289)]
    md_entry_seller: Text,
    #[field(name = "NumberOfOrders", optional)]
    #[fix(tag = 346)]
    number_of_orders: i32,
    #[field(name = "MDEntryPositionNo", optional)]
    #[fix(tag = 290)]
    md_entry_position_no: i32,
    #[field(name = "Scope", optional)]
    #[fix(tag = 546)]
    scope: Text,
    #[field(name = "TotalVolumeTraded", optional)]
    #[fix(tag = 387)]
    total_volume_traded: Decimal,
    #[field(name = "TotalVolumeTradedDate", optional)]
    #[fix(tag = 449)]
    total_volume_traded_date: Date,
    #[field(name = "TotalVolumeTradedTime", optional)]
    #[fix(tag = 450)]
    total_volume_traded_time: Time,
    #[field(name = "NetChgPrevDay", optional)]
    #[fix(tag = 451)]
    net_chg_prev_day: Decimal,
    #[field(name = "Text", optional)]
    #[fix(tag = 58)]
    text: Text,
    #[field(name = "EncodedText", optional)]
    #[fix(tag = 355, length = 354)]
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
    #[field(name = "Symbol", optional)]
    #[fix(tag = 55)]
    symbol: Text,
    #[field(name = "SymbolSfx", optional)]
    #[fix(tag = 65)]
    symbol_sfx: Text,
    #[field(name = "SecurityID", optional)]
    #[fix(tag = 48)]
    security_id: Text,
    #[field(name = "SecurityIDSource", optional)]
    #[fix(tag = 22)]
    security_id_source: Text,
    /// Other identifiers of the security.
    #[field(name = "SecurityAltIDList")]
    #[fix(tag = 454)]
    #[xml(entry = "SecurityAltIDGroup")]
    pub security_alt_ids: Group<SecurityAltId>,
    #[field(name = "Product", optional)]
    #[fix(tag = 460)]
    product: i32,
    #[field(name = "CFICode", optional)]
    #[fix(tag = 461)]
    cfi_code: Text,
    #[field(name = "SecurityType", optional)]
    #[fix(tag = 167)]
    security_type: Text,
    #[field(name = "MaturityMonthYear", optional)]
    #[fix(tag = 200)]
    maturity_month_year: Text,
    #[field(name = "MaturityDate", optional)]
    #[fix(tag = 541)]
    maturity_date: Date,
    #[field(name = "CouponPaymentDate", optional)]
    #[fix(tag = 224)]
    coupon_payment_date: Date,
    #[field(name = "IssueDate", optional)]
    #[fix(tag = 225)]
    issue_date: Date,
    #[field(name = "RepoCollateralSecurityType", optional)]
    #[fix(tag = 239)]
    repo_collateral_security_type: Text,
    #[field(name = "RepurchaseTerm", optional)]
    #[fix(tag = 226)]
    repurchase_term: i32,
    #[field(name = "RepurchaseRate", optional)]
    #[fix(tag = 227)]
    repurchase_rate: Decimal,
    #[field(name = "Factor", optional)]
    #[fix(tag = 228)]
    factor: Decimal,
    #[field(name = "CreditRating", optional)]
    #[fix(tag = 255)]
    credit_rating: Text,
    #[field(name = "InstrRegistry", optional)]
    #[fix(tag = 543)]
    instr_registry: Text,
    #[field(name = "CountryOfIssue", optional)]
    #[fix(tag = 470)]
    country_of_issue: Text,
    #[field(name = "StateOrProvinceOfIssue", optional)]
    #[fix(tag = 471)]
    state_or_province_of_issue: Text,
    #[field(name = "LocaleOfIssue", optional)]
    #[fix(tag = 472)]
    locale_of_issue: Text,
    #[field(name = "RedemptionDate", optional)]
    #[fix(tag = 240)]
    redemption_date: Date,
    #[field(name = "StrikePrice", optional)]
    #[fix(tag = 202)]
    strike_price: Decimal,
    #[field(name = "OptAttribute", optional)]
    #[fix(tag = 206)]
    opt_attribute: Code,
    #[field(name = "ContractMultiplier", optional)]
    #[fix(tag = 231)]
    contract_multiplier: Decimal,
    #[field(name = "CouponRate", optional)]
    #[fix(tag = 223)]
    coupon_rate: Decimal,
    #[field(name = "SecurityExchange", optional)]
    #[fix(tag = 207)]
    security_exchange: Text,
    #[field(name = "Issuer", optional)]
    #[fix(tag = 106)]
    issuer: Text,
    #[field(name = "EncodedIssuer", optional)]
    #[fix(tag = 349, length = 348)]
    encoded_issuer: Vec<u8>,
    #[field(name = "SecurityDesc", optional)]
    #[fix(tag = 107)]
    security_desc: Text,
    #[field(name = "EncodedSecurityDesc", optional)]
    #[fix(tag = 351, length = 350)]
    encoded_security_desc: Vec<u8>,
}

/// Another identifier of a security.
#[derive(Message, Clone, Debug, Default, PartialEq)]
#[message(name = "SecurityAltIDGroup")]
pub struct SecurityAltId {
    /// SecurityAltID (455).
    #[field(name = "SecurityAltID")]
    #[fix(tag = 455)]
    pub security_alt_id: Option<Text>,
    /// SecurityAltIDSource (456).
    #[field(name = "SecurityAltIDSource")]
    #[fix(tag = 456)]
    pub security_alt_id_source: Option<Text>,
}
