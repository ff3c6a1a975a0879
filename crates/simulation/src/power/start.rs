//! What a client waits for when it connects as soon as the router listens.

use trunkline_native::{self as native, RouterFrame};

use super::PowerCounts;
use super::machine::Machine;
use crate::kernel::LinkId;

/// How long it takes to create a segment on a disk that is busy.
const CREATES: u64 = 170_000_000;

fn hello(out: &mut Vec<u8>) {
    let hello = native::Hello { version: native::VERSION, ..Default::default() };
    native::encode_hello(out, &hello);
}

/// Lets time pass until a client gets a frame that is wanted; gives how long that took.
fn wait(machine: &mut Machine, id: LinkId, is_wanted: fn(&RouterFrame<'_>) -> bool) -> u64 {
    let (mut input, began) = (Vec::new(), machine.now);
    for _ in 0..20_000 {
        machine.now += 50_000;
        machine.turn(&mut PowerCounts::default()).expect("nothing is wrong");
        machine.receive(id, &mut input);
        let mut used = 0;
        while let Ok(Some((frame, length))) = native::decode_router(&input[used..], 1 << 20) {
            used += length;
            if is_wanted(&frame) {
                return machine.now - began;
            }
        }
        input.drain(..used);
    }
    panic!("it does not come");
}

#[test]
fn a_replay_right_after_a_start_does_not_wait_for_a_segment() {
    for seed in 1..20 {
        let mut machine = Machine::new(seed);
        machine.without_pages();
        let feed = machine.connect(&mut PowerCounts::default()).expect("it listens");
        let mut out = Vec::new();
        hello(&mut out);
        native::encode_producer(&mut out, "feed");
        native::encode_topic(&mut out, 0, "orders/1");
        let payload = &b"first"[..];
        let (alias, sequence, format) = (0, 1, 0);
        let (time_to_live_ms, is_repeated) = (0, false);
        let store =
            native::Store { alias, time_to_live_ms, sequence, is_repeated, format, payload };
        native::encode_store(&mut out, &store);
        machine.send(feed, &out);
        wait(&mut machine, feed, |frame| matches!(frame, RouterFrame::Stored(_)));
        machine.die(false, &mut PowerCounts::default());
        machine.disconnect(feed);
        machine.create_segments_in(CREATES);
        machine.start(&mut PowerCounts::default()).expect("it starts");
        let screen = machine.connect(&mut PowerCounts::default()).expect("it listens");
        let mut out = Vec::new();
        hello(&mut out);
        let consume = native::Consume {
            subscription: 1,
            window: 0,
            updates: native::Updates::All,
            start: native::Start::All,
            pace: 0,
            wants_confirmed: false,
            wants_acknowledged: false,
            policy: native::DeliveryPolicy::NONE,
            format: None,
            filter: "",
            fields: "",
            name: "",
            pattern: ">",
        };
        native::encode_consume(&mut out, &consume);
        machine.send(screen, &out);
        let is_delivery = |frame: &RouterFrame<'_>| matches!(frame, RouterFrame::Delivery(_));
        let took = wait(&mut machine, screen, is_delivery);
        assert!(took < CREATES / 10, "seed {seed}: {took} ns");
    }
}
