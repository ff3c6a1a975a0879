//! Runs with fixed seeds, and faults put into them on purpose: the checkers see those.

use std::cell::Cell;
use std::rc::Rc;

use trunkline_native::{self as native, RouterFrame, kind};
use trunkline_server::Engine;
use trunkline_store::Store;

use super::host::{Arrival, Host, Tamper};
use super::kernel::{DiskWork, Kernel};
use super::link::{End, LinkOptions, Transport};
use super::model::Caps;
use super::report::Trace;
use super::world::Outcome;
use super::*;

const STEPS: u32 = 300;

fn go_well(seeds: std::ops::Range<u64>) -> Counts {
    let mut sum = Counts::default();
    for seed in seeds {
        match simulate(seed, STEPS) {
            Ok(report) => sum.add(&report.counts),
            Err(failure) => panic!("{failure}"),
        }
    }
    sum
}

/// Everything that a run is to try does happen.
#[test]
fn runs_go_well() {
    let counts = go_well(0..150);
    for (label, count) in counts.lines() {
        assert!(count > 0, "{label}: {count}");
    }
}

#[test]
fn more_runs_go_well() {
    go_well(150..300);
}

#[test]
fn a_longer_run_goes_well() {
    assert!(simulate(2012, 5_000).is_ok());
}

#[test]
fn a_seed_gives_the_same_run_again() {
    assert_eq!(simulate(7, STEPS), simulate(7, STEPS));
}

/// What is done to the frames of one kind, from the given one on, once.
#[derive(Clone, Copy, Debug)]
enum Fault {
    Drop,
    Repeat,
    /// Behind the next frame of the kind that comes together with it.
    Delay,
    /// Adds 1 to a byte of the frame.
    Change(usize),
}

/// Puts a fault into the `nth` frame of a kind with these flags; `is_done` says whether it was there.
fn tamper(fault: Fault, kind: u8, flags: u8, nth: u32, is_done: &Rc<Cell<bool>>) -> Tamper {
    let is_done = Rc::clone(is_done);
    let mut met = 0;
    Box::new(move |frames, out| {
        let mut rest = frames;
        let mut delayed = None;
        while let Some(length) = rest.first_chunk() {
            let (frame, after) = rest.split_at(u32::from_le_bytes(*length) as usize);
            rest = after;
            let fits = (frame[4], frame[5]) == (kind, flags);
            met += u32::from(fits);
            if !fits || met < nth || is_done.get() {
                out.extend_from_slice(frame);
                if let (true, Some(delayed)) = (fits, delayed.take()) {
                    out.extend_from_slice(delayed);
                    is_done.set(true);
                }
                continue;
            }
            match fault {
                Fault::Drop => {}
                Fault::Repeat => out.extend([frame, frame].concat()),
                Fault::Delay if delayed.is_none() => {
                    // Two messages of the same subscription and topic.
                    let same =
                        |other: &[u8]| other.get(4) == Some(&kind) && other[8..16] == frame[8..16];
                    if same(rest) {
                        delayed = Some(frame);
                    } else {
                        out.extend_from_slice(frame);
                    }
                    continue;
                }
                Fault::Delay => {
                    out.extend_from_slice(frame);
                    out.extend_from_slice(delayed.take().unwrap_or_default());
                }
                Fault::Change(place) => {
                    let mut frame = frame.to_vec();
                    frame[place] = frame[place].wrapping_add(1);
                    out.extend(frame);
                }
            }
            is_done.set(true);
        }
    })
}

/// A fault is seen by one of these checkers, in all of several runs.
#[track_caller]
fn is_seen(fault: Fault, of: u8, flags: u8, checkers: &[&str]) {
    let mut runs = 0;
    for seed in 0..40 {
        let is_done = Rc::new(Cell::new(false));
        let tamper = Some(tamper(fault, of, flags, 1 + seed as u32 % 12, &is_done));
        let outcome = world::run(seed, STEPS, Variant { tamper, ..Variant::default() });
        match (outcome, is_done.get()) {
            (Ok(_), false) => {}
            // A client may leave before it would have missed what it was not told.
            (Ok(_), true) if of == kind::GAP => {}
            (Ok(_), true) => panic!("seed {seed}: nobody saw {fault:?} of a frame {of}"),
            (Err(failure), true) if checkers.contains(&failure.checker) => runs += 1,
            (Err(failure), _) => panic!("{fault:?} of a frame {of}: {failure}"),
        }
    }
    assert!(runs >= 5, "{fault:?} of a frame {of} was tried in {runs} runs");
}

const CONFLATED: u8 = 1;

#[test]
fn a_lost_message_is_seen() {
    let checkers = ["gaps", "ledger"];
    is_seen(Fault::Drop, kind::MESSAGE, 0, &checkers);
    // A client with credit never takes what it was not given, and gets no more.
    is_seen(Fault::Drop, kind::MESSAGE, CONFLATED, &["gaps", "ledger", "settling"]);
}

#[test]
fn a_repeated_message_is_seen() {
    is_seen(Fault::Repeat, kind::MESSAGE, 0, &["order", "rate"]);
    is_seen(Fault::Repeat, kind::MESSAGE, CONFLATED, &["order", "rate"]);
}

#[test]
fn a_late_message_is_seen() {
    is_seen(Fault::Delay, kind::MESSAGE, 0, &["gaps", "order"]);
}

#[test]
fn a_changed_message_is_seen() {
    let payload = trunkline_native::MESSAGE_HEAD + 3;
    is_seen(Fault::Change(payload), kind::MESSAGE, 0, &["delivery"]);
    let sequence = 16;
    is_seen(Fault::Change(sequence), kind::MESSAGE, 0, &["delivery"]);
}

#[test]
fn a_loss_that_is_not_told_or_told_wrongly_is_seen() {
    // The loss may be that of a last value, which then seems not to have come.
    is_seen(Fault::Drop, kind::GAP, 0, &["gaps", "settling", "last values"]);
    is_seen(Fault::Repeat, kind::GAP, 0, &["gaps"]);
    let (count, first, last) = (16, 24, 32);
    for place in [count, first, last] {
        // A count that is too high by one may fit what an update has replaced.
        is_seen(Fault::Change(place), kind::GAP, 0, &["gaps", "ledger", "last values"]);
    }
}

#[test]
fn a_wrong_word_about_conflation_is_seen() {
    let (replaced, age) = (24, 32);
    is_seen(Fault::Change(replaced), kind::MESSAGE, CONFLATED, &["gaps"]);
    is_seen(Fault::Change(age), kind::MESSAGE, CONFLATED, &["conflation"]);
}

/// A run in which clients act one after the other.
const ONE_BY_ONE: u64 = 2;

fn outcome(seed: u64, slow_are_fast: bool) -> Outcome {
    match world::run(seed, STEPS, Variant { slow_are_fast, ..Variant::default() }) {
        Ok(outcome) => outcome,
        Err(failure) => panic!("{failure}"),
    }
}

#[test]
fn a_client_that_is_moved_by_a_slow_one_is_seen() {
    let (slow, fast) = (outcome(ONE_BY_ONE, false), outcome(ONE_BY_ONE, true));
    assert!(slow.is_one_by_one);
    assert!(compare(&slow.observations, &fast.observations).is_ok_and(|compared| compared > 100));
    let busy = slow
        .observations
        .iter()
        .position(|observations| observations.len() > 10)
        .expect("a client that reads");
    let mut later = slow.observations.clone();
    later[busy][5].time += 1;
    assert!(compare(&later, &fast.observations).is_err());
    let mut fewer = slow.observations.clone();
    fewer[busy].pop();
    assert!(compare(&fewer, &fast.observations).is_err());
}

#[test]
fn a_failure_says_how_to_have_it_again() {
    let is_done = Rc::new(Cell::new(false));
    let tamper = Some(tamper(Fault::Drop, kind::MESSAGE, 0, 20, &is_done));
    let variant = Variant { is_traced: true, tamper, ..Variant::default() };
    let Err(failure) = world::run(3, STEPS, variant) else { panic!("nobody saw it") };
    let text = failure.to_string();
    assert!(text.contains("checker: ") && text.contains("message"), "{text}");
    assert!(text.ends_with("again: trunkline simulate --seed 3 --steps 300"), "{text}");
    assert!(failure.recent.len() > 10, "{text}");
}

/// A client that waits for the disk and closes its stream: what it has sent is stored once there is room.
#[test]
fn what_was_sent_is_worked_through_though_its_client_is_gone() {
    let mut config = crate::open_config();
    config.journal.directory = Some("simulated".into());
    config.journal.pending_bytes = 4 << 10;
    let mut kernel = Kernel::new();
    let mut work = DiskWork::new(1, Box::new(|_| {}));
    let opened = Store::open(&mut work.disk, config.journal.settings(), 1);
    let (store, _) = opened.expect("it opens");
    kernel.disk = Some(work);
    // The model knows nothing of what is stored.
    let forget: Tamper = Box::new(|bytes: &[u8], out: &mut Vec<u8>| {
        let mut rest = bytes;
        while let Ok(Some((frame, length))) = native::decode_router(rest, u32::MAX) {
            if !matches!(frame, RouterFrame::Producing(_) | RouterFrame::Stored(_)) {
                out.extend_from_slice(&rest[..length]);
            }
            rest = &rest[length..];
        }
    });
    let engine = Engine::with_store(&config, store, 0);
    let mut host = Host::new(&config, engine, kernel, Trace::new(false), Some(forget))
        .unwrap_or_else(|it| panic!("{it:?}"));
    let link_options =
        LinkOptions { transport: Transport::Tcp, capacity: (1 << 20, 1 << 20), random: 2 };
    let arrival = Arrival { actor: 0, link_options, caps: Caps::default() };
    let link = host.connect(arrival).expect("it listens");
    let mut bytes = Vec::new();
    let hello = native::Hello { version: native::VERSION, ..native::Hello::default() };
    native::encode_hello(&mut bytes, &hello);
    native::encode_topic(&mut bytes, 0, "orders");
    native::encode_producer(&mut bytes, "desk");
    assert_eq!(host.send(link, &bytes), bytes.len());
    let mut now = work_until_quiet(&mut host, 0);
    let mut bytes = Vec::new();
    for (sequence, payload) in [(1, &[b'x'; 8 << 10][..]), (2, b"sell")] {
        let (alias, time_to_live_ms, is_repeated, format) = (0, 0, false, native::format::TEXT);
        let store =
            native::Store { alias, time_to_live_ms, sequence, is_repeated, format, payload };
        native::encode_store(&mut bytes, &store);
    }
    assert_eq!(host.send(link, &bytes), bytes.len());
    host.turns(now).expect("all is well");
    let id = host.engine().connections().next().expect("it is there");
    assert!(host.engine().is_held(id), "the disk has not written the first");
    let last = host.engine().store().journal().last();
    host.leave(link, End::Closed);
    host.turns(now).expect("all is well");
    assert!(host.engine().is_held(id), "it waits still");
    now = work_until_quiet(&mut host, now);
    assert_eq!(host.engine().store().journal().last(), last + 1, "the second is stored");
    assert!(host.connections.is_empty(), "then it goes, at {now}");
}

/// Lets the disk do all that it has to; gives the time.
fn work_until_quiet(host: &mut Host, mut now: u64) -> u64 {
    host.turns(now).expect("all is well");
    loop {
        let next = host.kernel.borrow().next_outcome();
        let Some(next) = next else { return now };
        now = next;
        host.turns(now).expect("all is well");
    }
}
