//! What it costs to read SOAP from senders in turn, and messages whose headers vary.
//!
//! `cargo bench -p trunkline-soap --bench senders [-- PART OF A NAME ...]`; ns a message, best and
//! median of interleaved passes. Each message is market data of ten entries, by one of so many
//! senders, who differ in their prefixes. `planned` elements are named as the plan names them, `foreign` ones
//! have prefixes; `varying` ones have a WS-Addressing header with another MessageID each;
//! `generic` ones are read by the parser alone. With `--untimed` the passes run without a clock,
//! for callgrind to count their instructions.

#![forbid(unsafe_code)]

mod interleaved;

use std::hint::black_box;

use trunkline_catalogue::market_data::{MarketDataIncrementalRefresh, MdEntry};
use trunkline_message::Structure;
use trunkline_soap::{Decoder, Encoder, Options, Plan, Style};
use trunkline_wire::{Code, Date, Decimal, Text, Time, Timestamp};

use interleaved::Pass;

/// A multiple of every number of senders.
const MESSAGES: u32 = 40;

fn entry(number: u32) -> MdEntry {
    let text = |letter: char| Text::from(format!("{letter}{:03}", number * 37 % 1000));
    let mut entry = MdEntry::default();
    entry.md_update_action = Code::new("0");
    entry.set_md_entry_type(Code::new("2")).set_md_entry_id(text('T'));
    entry.instrument.set_symbol(text('S')).set_cfi_code("ESXXXX");
    entry.set_md_entry_px(Decimal::new(i64::from(number * 71 % 100_000) + 1, -2).unwrap());
    entry.set_md_entry_size((number * 13 % 20_000) as i32 + 1);
    entry.set_md_entry_date(Date::new(2002, 11, 1 + (number % 28) as u8).unwrap());
    entry.set_md_entry_time(Time::new(10, (number % 60) as u8, (number % 59) as u8, 0).unwrap());
    entry.set_seller_days(3).set_md_entry_buyer(text('2')).set_md_entry_seller(text('3'));
    entry
}

fn message(number: u32) -> MarketDataIncrementalRefresh {
    let mut message = MarketDataIncrementalRefresh::default();
    message.header.sender.comp_id = "ABC".into();
    message.header.target.comp_id = "XYZ".into();
    message.header.msg_seq_num = Some(number);
    let time = Time::new(18, (number / 60 % 60) as u8, (number % 60) as u8, 0).unwrap();
    message.header.sending_time = Timestamp::new(Date::new(2002, 11, 28).unwrap(), time);
    message.body.entries = (0..10).map(|it| entry(10 * number + it)).collect();
    message
}

/// A document as one of the senders spells it.
fn spelt(document: &[u8], sender: u32, foreign: bool) -> String {
    let document = std::str::from_utf8(document).unwrap();
    if !foreign {
        return document.replace("SOAP-ENV", &format!("S{sender}"));
    }
    let start = document.find("<SOAP-ENV:Body").unwrap();
    let (before, body) = document.split_at(start);
    let body = body.replace("</SOAP-ENV:", "\u{1}").replace("<SOAP-ENV:", "\u{2}");
    let body = body.replace("</", "\u{3}").replace('<', &format!("<p{sender}:"));
    let body = body.replace('\u{1}', "</SOAP-ENV:").replace('\u{2}', "<SOAP-ENV:");
    let body = body.replace('\u{3}', &format!("</p{sender}:"));
    let body = body.replace("xmlns=", &format!("xmlns:p{sender}="));
    format!("{before}{body}").replace("SOAP-ENV", &format!("S{sender}"))
}

/// With a header that is another in every message.
fn addressed(document: &str, sender: u32, number: u32) -> String {
    let body = format!("<S{sender}:Body");
    let header = format!(
        "<S{sender}:Header xmlns:a=\"http://www.w3.org/2005/08/addressing\">\
         <a:To>http://example.org/prices</a:To><a:Action>urn:prices/refresh</a:Action>\
         <a:MessageID>urn:uuid:1b671a64-40d5-491e-99b0-{:012x}</a:MessageID>\
         <a:From><a:Address>http://example.org/{sender}</a:Address></a:From></S{sender}:Header>",
        u64::from(number) * 0x9E37_79B9,
    );
    document.replacen(&body, &(header + &body), 1)
}

fn decode(documents: Vec<String>, mut decoder: Decoder) -> Pass {
    let mut message = MarketDataIncrementalRefresh::default();
    Box::new(move || {
        for document in &documents {
            decoder.decode(black_box(document.as_bytes()), &mut message).unwrap();
        }
    })
}

fn passes() -> Vec<(String, Pass)> {
    let mut passes: Vec<(String, Pass)> = Vec::new();
    for foreign in [false, true] {
        let style = if foreign { Style::DocumentLiteral } else { Style::RpcEncoded };
        let namespace = if foreign { "urn:prices".into() } else { String::new() };
        let options = Options { style, namespace, ..Options::default() };
        let plan = Plan::new(MarketDataIncrementalRefresh::layout(), &options).expect("a plan");
        let mut encoder = Encoder::new(&plan);
        for (senders, varying) in
            [(1, false), (1, true), (2, false), (2, true), (4, false), (5, false), (8, true)]
        {
            let mut spell = |number: u32| {
                let sender = number % senders;
                let document = spelt(encoder.encode(&message(number)).unwrap(), sender, foreign);
                if varying { addressed(&document, sender, number) } else { document }
            };
            let documents: Vec<String> = (0..MESSAGES).map(&mut spell).collect();
            let names = if foreign { "foreign" } else { "planned" };
            let header = if varying { " varying" } else { "" };
            let name = format!("{names} {senders} in turn{header}");
            let generic = decode(documents.clone(), Decoder::new(&plan).generic());
            passes.push((format!("{name} template"), decode(documents, Decoder::new(&plan))));
            passes.push((format!("{name} generic"), generic));
        }
    }
    passes
}

fn main() {
    interleaved::run(passes(), MESSAGES);
}
