//! CPU time of encoding and decoding Ng, Chen & Greenfield's messages in SOAP's four styles.
//!
//! `cargo bench -p trunkline-soap --bench commerce [-- PART OF A NAME]`; ns a message, best and
//! median of interleaved passes. `own` documents are the plan's, `other` ones are spelt as another
//! toolkit would spell them, and `generic` ones are read by the parser alone; `new` decodes into a new
//! message each time. With `--untimed` passes run without a clock, for callgrind to count instructions.

#![forbid(unsafe_code)]

mod interleaved;

use std::hint::black_box;

use trunkline_catalogue::commerce::{Customer, CustomerServices, Product};
use trunkline_message::Structure;
use trunkline_soap::{Decoder, Encoder, Layout, Options, Plan, Style};
use trunkline_wire::{Date, Text, Time, Timestamp};

use interleaved::Pass;

const MESSAGES: u32 = 8;

fn when(number: u32) -> Timestamp {
    let date = Date::new(2004, 1 + (number % 12) as u8, 1 + (number % 28) as u8);
    let time = Time::new((number % 24) as u8, (number % 60) as u8, 30, 0);
    Timestamp::new(date.unwrap(), time.unwrap())
}

fn text(what: &str, number: u32) -> Text {
    Text::from(format!("{what} {number}"))
}

fn customer(number: u32) -> Customer {
    Customer {
        customer_id: text("CUST", number),
        password: text("secret", number),
        first_name: text("Ann", number),
        last_name: text("Brien", number),
        address: text("17 Long Street, North Ryde", number),
        phone_num: text("+61 2 9850", number),
        email: text("ann@example.org", number),
        account_no: text("ACC", number),
        is_valid: number.is_multiple_of(2),
        last_modified: when(number),
    }
}

fn product(number: u32) -> Product {
    Product {
        category_id: i64::from(number % 40),
        is_available: number.is_multiple_of(3),
        do_we_buy: number.is_multiple_of(2),
        do_we_sell: true,
        product_id: i64::from(number) * 7919,
        description: text("A product", number),
        price: f64::from(number % 5000) * 0.25 + 0.99,
        quantity: i64::from(number % 300),
        quantity_unit: "each".into(),
        price_policy_id: i64::from(number % 9),
        eta: when(number + 5),
        last_modified: when(number),
    }
}

/// So many different messages.
fn messages(customers: u32, products: u32) -> Vec<CustomerServices> {
    let message = |number: u32| CustomerServices {
        header: "REQUEST".into(),
        customers: (0..customers).map(|n| customer(100 * number + n)).collect(),
        products: (0..products).map(|n| product(1000 * number + n)).collect(),
    };
    (1..=MESSAGES).map(message).collect()
}

/// The same with other prefixes, and with the names of items that gSOAP uses.
fn respelt(document: &[u8], style: Style) -> Vec<u8> {
    let mut document = String::from_utf8(document.to_vec()).unwrap();
    document = document.replace("SOAP-ENV", "soapenv").replace("xmlns:ns=", "xmlns:ns1=");
    for before in ["<", "</", "\""] {
        document = document.replace(&format!("{before}ns:"), &format!("{before}ns1:"));
    }
    if style.is_encoded() {
        for item in ["customer", "product"] {
            document = document
                .replace(&format!("<{item} "), "<item ")
                .replace(&format!("</{item}>"), "</item>");
        }
    }
    if style == Style::DocumentLiteral {
        let (before, body) = document.split_once("<soapenv:Body>").unwrap();
        let body = body.replace("</soapenv", "\u{1}").replace("</", "\0").replace('<', "<p:");
        let body = body.replace('\0', "</p:").replace('\u{1}', "</soapenv");
        let body = body.replace("xmlns=", "xmlns:p=");
        document = format!("{before}<soapenv:Body>{body}");
    }
    document.into_bytes()
}

fn decode(documents: Vec<Vec<u8>>, mut decoder: Decoder) -> Pass {
    let mut message = CustomerServices::default();
    Box::new(move || {
        for bytes in &documents {
            decoder.decode(black_box(bytes), &mut message).unwrap();
        }
    })
}

fn decode_new(documents: Vec<Vec<u8>>, mut decoder: Decoder) -> Pass {
    Box::new(move || {
        for bytes in &documents {
            let mut message = CustomerServices::default();
            decoder.decode(black_box(bytes), &mut message).unwrap();
            black_box(&message);
        }
    })
}

fn passes() -> Vec<(String, Pass)> {
    let mut passes: Vec<(String, Pass)> = Vec::new();
    for style in
        [Style::DocumentLiteral, Style::DocumentEncoded, Style::RpcLiteral, Style::RpcEncoded]
    {
        for (size, customers, products) in [("simple", 1, 0), ("medium", 20, 0), ("complex", 1, 50)]
        {
            let options = Options {
                style,
                layout: Layout::Operation,
                operation: "echo".into(),
                namespace: "urn:trunkline:ng-2004".into(),
                types: style.is_encoded(),
                zone: true,
                ..Options::default()
            };
            let plan = Plan::new(CustomerServices::layout(), &options).expect("a plan");
            let messages = messages(customers, products);
            let mut encoder = Encoder::new(&plan);
            let encoded = messages.iter().map(|it| encoder.encode(it).unwrap().to_vec());
            let documents: Vec<Vec<u8>> = encoded.collect();
            let bytes = documents.iter().map(Vec::len).sum::<usize>() / documents.len();
            let encode: Pass = Box::new(move || {
                for message in &messages {
                    black_box(encoder.encode(black_box(message)).unwrap().len());
                }
            });
            let name = format!("{style:?} {size}");
            let other = documents.iter().map(|it| respelt(it, style)).collect();
            passes.push((format!("{name} encode ({bytes} B)"), encode));
            let generic = decode(documents.clone(), Decoder::new(&plan).generic());
            passes.push((
                format!("{name} decode new"),
                decode_new(documents.clone(), Decoder::new(&plan)),
            ));
            passes.push((format!("{name} decode own"), decode(documents, Decoder::new(&plan))));
            passes.push((format!("{name} decode other"), decode(other, Decoder::new(&plan))));
            passes.push((format!("{name} decode generic"), generic));
        }
    }
    passes
}

fn main() {
    interleaved::run(passes(), MESSAGES);
}
