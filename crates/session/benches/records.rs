//! What a call costs whose messages are known at run time only, beside the same call with structs: market data of ten
//! entries there and back, in document/literal.
//!
//! `cargo bench -p trunkline-session --bench records`; microseconds a call, medians of interleaved passes, and the
//! median of the ratios of two passes that followed each other. `answered` is a request read and answered without a
//! socket, `called` is the whole call over HTTP on loopback, client and server.

#![forbid(unsafe_code)]

use std::cell::RefCell;
use std::time::Instant;

use trunkline_catalogue::market_data::{MarketDataIncrementalRefresh as Refresh, MdEntry};
use trunkline_message::{Record, Structure as _};
use trunkline_session::soap::{
    Binding, Client, Conversation, Fault, Server, Service, Signature, SoapVersion,
};
use trunkline_soap::{Encoder, Plan};
use trunkline_wire::{Code, Date, Decimal, Time, Timestamp};

const NAMESPACE: &str = "urn:example:prices";
const PASSES: usize = 101;
const CALLS: usize = 200;

fn refresh() -> Refresh {
    let mut refresh = Refresh::default();
    refresh.header.sender.comp_id = "ABC".into();
    refresh.header.target.comp_id = "XYZ".into();
    let (day, time) = (Date::new(2002, 11, 28), Time::new(18, 0, 0, 0));
    refresh.header.sending_time = Timestamp::new(day.expect("a day"), time.expect("a time"));
    let entry = |number: i64| {
        let mut entry = MdEntry::default();
        entry.md_update_action = Code::new("0");
        entry.set_md_entry_type(Code::new("2"));
        entry.set_md_entry_id(&*format!("T{number:03}"));
        entry.instrument.set_symbol("EURUSD");
        entry.set_md_entry_px(Decimal::new(13_500 + number, -4).expect("a price"));
        entry.set_md_entry_size(1000 + number as i32);
        entry
    };
    refresh.body.entries = (0..10).map(entry).collect();
    refresh
}

/// Microseconds a call of each, and the ratio.
fn compare(name: &str, mut structs: impl FnMut(), mut records: impl FnMut()) {
    let pass = |call: &mut dyn FnMut()| {
        let start = Instant::now();
        (0..CALLS).for_each(|_| call());
        start.elapsed().as_secs_f64() * 1e6 / CALLS as f64
    };
    pass(&mut structs);
    pass(&mut records);
    let passes: Vec<(f64, f64)> =
        (0..PASSES).map(|_| (pass(&mut structs), pass(&mut records))).collect();
    let median = |of: &dyn Fn(&(f64, f64)) -> f64| {
        let mut all: Vec<f64> = passes.iter().map(of).collect();
        all.sort_by(f64::total_cmp);
        all[all.len() / 2]
    };
    println!(
        "{name:10} structs {:7.2} us  records {:7.2} us  ratio {:.2}",
        median(&|it| it.0),
        median(&|it| it.1),
        median(&|it| it.1 / it.0)
    );
}

/// One service that answers both, so that both are called over one connection.
fn service(signature: &Signature) -> Service {
    let structs = |request: &mut Refresh, response: &mut Refresh| {
        std::mem::swap(request, response);
        Ok::<(), Fault>(())
    };
    Service::new("Prices", NAMESPACE).operation("echo", structs).record_operation(
        signature,
        |request, response, _| {
            std::mem::swap(request, response);
            Ok(())
        },
    )
}

fn main() {
    let options = |element: &str| Binding::document_literal().options(NAMESPACE, element);
    let layout = Refresh::layout();
    let action = "urn:example:prices#repeat";
    let signature = Signature::new("repeat", action, (layout, &options("repeat")))
        .and_then(|it| it.answered((layout, &options("repeatResponse"))))
        .expect("a signature");
    let message = refresh();
    let record = Record::from_message(&message);

    let envelope = |element: &str| {
        let plan = Plan::new(layout, &options(element)).expect("a plan");
        Encoder::new(&plan).encode(&message).expect("an envelope").to_vec()
    };
    let (echo, repeat) = (envelope("echo"), envelope("repeat"));
    let [mut by_structs, mut by_records] =
        [(), ()].map(|()| service(&signature).build().expect("a service")[0].conversation());
    let answer = |conversation: &mut Conversation, envelope: &[u8], action: &str| {
        assert!(conversation.answer(envelope, action, SoapVersion::Soap11).bytes.len() > 1000);
    };
    compare(
        "answered",
        || answer(&mut by_structs, &echo, "urn:example:prices#echo"),
        || answer(&mut by_records, &repeat, action),
    );

    let server = Server::new().service(service(&signature)).start("127.0.0.1:0");
    let server = server.expect("a server");
    let url = format!("http://{}/", server.address());
    let client = RefCell::new(Client::new(&url, NAMESPACE).expect("a client"));
    let (mut answer, mut answered) = (Refresh::default(), Record::new(layout));
    compare(
        "called",
        || client.borrow_mut().call_into("echo", &message, &mut answer).expect("an answer"),
        || client.borrow_mut().call_record(&signature, &record, &mut answered).expect("an answer"),
    );
    assert_eq!(Record::from_message(&answer), answered);
}
