//! Lists without an element around their entries.

use std::sync::Arc;

use trunkline_message::{Limits, Message, Structure as _};
use trunkline_soap::graph::{self, Encoder};
use trunkline_soap::{Options, Plan, Style, Version};
use trunkline_wire::{Decimal, Text};

use crate::shapes::{Address, Price, address, text};
use crate::{encoded, trip};

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Loose {
    #[xml(list = "unwrapped")]
    marks: Vec<i32>,
    head: Text,
    #[xml(list = "unwrapped", entry = "tag")]
    tags: Vec<Text>,
    #[xml(list = "unwrapped")]
    pair: [f64; 2],
    #[xml(list = "unwrapped")]
    stops: Vec<Address>,
    #[xml(list = "unwrapped")]
    prices: Vec<Price>,
    #[xml(list = "unwrapped")]
    rows: Vec<Vec<i32>>,
    tail: Option<Text>,
    #[xml(list = "unwrapped")]
    more: Option<Vec<Text>>,
}

fn loose() -> Loose {
    Loose {
        marks: vec![3, 1],
        head: text("head"),
        tags: vec![text("x"), text(""), text("x")],
        pair: [0.5, 1.5],
        stops: vec![address("s"), address("x")],
        prices: vec![Price::Market, Price::Limit(Decimal::from(1))],
        rows: vec![vec![], vec![1, 2]],
        tail: Some(text("x")),
        more: Some(vec![text("m")]),
    }
}

fn plan() -> Arc<Plan> {
    let options = Options {
        style: Style::DocumentEncoded,
        namespace: "urn:own".into(),
        ..Options::default()
    };
    Plan::new(Loose::layout(), &options).expect("a plan")
}

#[test]
fn unwrapped_lists_survive_their_graph() {
    trip::survives(&loose());
    trip::survives(&Loose::default());
}

#[test]
fn each_entry_stands_by_itself() {
    let encoder = Encoder { multi_ref: false, ..Encoder::new(Version::Soap11) };
    let document = trip::written(&loose(), &plan(), &encoder);
    let expected = "<marks>3</marks><marks>1</marks><head>head</head><tag>x</tag><tag/><tag>x</tag>\
        <pair>0.5</pair><pair>1.5</pair><stops><street>s</street></stops><stops><street>x</street>\
        </stops><prices><Market></Market></prices><prices><Limit>1</Limit></prices><rows></rows>\
        <rows><item>1</item><item>2</item></rows><tail>x</tail><more>m</more>";
    assert!(document.contains(expected), "{document}");
}

/// Others may stand between them, and each may be elsewhere.
#[test]
fn entries_that_stand_apart_are_one_list() {
    let body = "<o:Loose><tag href='#x'/><marks>3</marks><head>head</head><stops href='#s'/>\
        <prices><Market/></prices><tag/><marks href='#n'/><rows/><pair>0.5</pair><tail href='#x'/>\
        <rows href='#r'/><more>m</more><stops><street href='#x'/></stops><other/><tag>x</tag>\
        <prices><Limit href='#n'/></prices><pair>1.5</pair></o:Loose>\
        <m id='x'>x</m><m id='n'>1</m><m id='s'><street>s</street></m>\
        <m id='r'><item>1</item><item>2</item></m>";
    let (mut read, plan) = (Loose::default(), plan());
    let counted =
        graph::decode_message(encoded(body).as_bytes(), &plan, &Limits::default(), &mut read);
    assert_eq!(counted, Ok(1), "one element is unknown");
    assert_eq!(read, loose());
    let wrong = encoded(body).replace("<pair>0.5</pair>", "");
    let error = graph::decode_message(wrong.as_bytes(), &plan, &Limits::default(), &mut read);
    let error = error.unwrap_err().to_string();
    assert!(
        error.starts_with("pair at byte") && error.contains("says 2 entries, but 1"),
        "{error}"
    );
}

#[test]
fn an_empty_one_that_is_there_cannot_be_written() {
    let more = graph::from_message(&Loose { more: Some(vec![]), ..loose() }, &plan());
    let error = more.unwrap_err().to_string();
    let why = "cannot be written: an empty list that is unwrapped cannot be told from none";
    assert_eq!(error, format!("more at byte 0: {why}"));
}
