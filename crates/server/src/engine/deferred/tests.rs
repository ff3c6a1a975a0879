//! Lines of consumers: what waits in them for others, what is given back, and what their clients may hold.

use trunkline_store::LossReason;

use super::*;
use crate::engine::prepared::STALE_ORDERS;
use crate::formats::Asker;

const MOST_OF_A_MESSAGE: usize = 100;

fn wants(to: u16) -> Want {
    Want { to: Some(to), fields: None, filter: None, rendition: None, filter_id: None }
}

fn delivery(subscription: u32, position: u64, payload: &[u8]) -> Delivery<'_> {
    Delivery {
        subscription,
        position,
        time: 0,
        deliveries: 0,
        is_repeated: false,
        is_unconfirmed: false,
        is_kept: false,
        expires: 0,
        conflation: None,
        format: format::FIX,
        topic: "fx",
        payload,
    }
}

fn take(it: &mut DeferredDeliveries, (client, subscription): (u64, u32), position: u64) {
    assert!(it.take(0, client, &delivery(subscription, position, &[b'x'; 100])));
}

/// The number of the next order, if there is one.
fn order(it: &mut DeferredDeliveries) -> Option<u32> {
    match it.next_order()? {
        ConversionOrder::Convert(Asker::Store(id), ..) => Some(id),
        other => panic!("{other:?}"),
    }
}

fn give(it: &mut DeferredDeliveries, id: u32, made: &[u8]) {
    it.given(id, Given::Message(Ok(made)), MOST_OF_A_MESSAGE);
}

/// What the first of a line is, or why it is not: nothing while it waits.
fn first(it: &DeferredDeliveries, client: u64) -> Option<Result<Vec<u8>, String>> {
    match it.first(client, 1) {
        First::Wait => None,
        First::Made(.., made) => Some(Ok(made.to_vec())),
        First::Unrendered(.., reason) => Some(Err(reason.to_string())),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_was_asked_before_the_schemas_changed_is_asked_again() {
    let mut it = DeferredDeliveries::default();
    for client in [1, 2] {
        it.begin(client, 1, wants(format::JSON));
        take(&mut it, (client, 1), 7);
    }
    let before = order(&mut it).expect("it is to be made");
    assert_eq!(order(&mut it), None, "once for both");
    it.begin_anew();
    give(&mut it, before, b"by the old one");
    assert_eq!((first(&it, 1), first(&it, 2)), (None, None));
    let after = order(&mut it).expect("it is to be made anew");
    give(&mut it, after, b"by the new one");
    for client in [1, 2] {
        assert_eq!(first(&it, client), Some(Ok(b"by the new one".to_vec())));
    }
    assert_eq!(it.take_due(), BTreeSet::from([(1, 1), (2, 1)]));
    // Also what was there already, and waited for room.
    it.begin_anew();
    assert_eq!((first(&it, 1), first(&it, 2)), (None, None));
    let again = order(&mut it).expect("it is to be made once more");
    assert_eq!(order(&mut it), None);
    give(&mut it, again, b"by the newest");
    assert_eq!(first(&it, 2), Some(Ok(b"by the newest".to_vec())));
}

#[test]
fn the_lines_of_a_client_share_its_room() {
    let mut it = DeferredDeliveries::default();
    let fill = |it: &mut DeferredDeliveries, number: (u64, u32)| {
        let position = u64::from(number.1) << 32;
        let room = |it: &mut DeferredDeliveries| it.has_room(number.0, number.1);
        (0..).take_while(|at| room(it) && (take(it, number, position + at), true).1).count()
    };
    for subscription in 0..8 {
        it.begin(1, subscription, wants(format::JSON));
    }
    it.begin(2, 1, wants(format::JSON));
    for subscription in 0..8 {
        assert_eq!(fill(&mut it, (1, subscription)), MOST / 8, "one waits for itself alone");
    }
    assert_eq!(fill(&mut it, (2, 1)), MOST);
    // With many, each has room for one; and those that are left have that of the others.
    for subscription in 8..200 {
        it.begin(1, subscription, wants(format::JSON));
        assert_eq!(fill(&mut it, (1, subscription)), (MOST / (subscription as usize + 1)).max(1));
    }
    (1..200).for_each(|subscription| it.end(1, subscription));
    assert_eq!(fill(&mut it, (1, 0)), MOST - MOST / 8);
    it.end_all(2);
    it.set_tight(true);
    it.begin(2, 1, wants(format::JSON));
    assert_eq!(fill(&mut it, (2, 1)), 1, "memory is short");
}

#[test]
fn consumers_of_a_client_have_turns_where_messages_are_large() {
    let mut it = DeferredDeliveries::default();
    let large = vec![b'x'; MOST_BYTES];
    let take = |it: &mut DeferredDeliveries, number: u32, position| {
        assert!(it.has_room(1, number), "{number}");
        assert!(it.take(0, 1, &delivery(number, position, &large)));
    };
    it.begin(2, 1, wants(format::JSON));
    for subscription in 0..4 {
        it.begin(1, subscription, wants(format::JSON));
    }
    take(&mut it, 0, 1);
    for subscription in [2, 3, 1, 2] {
        assert!(!it.has_room(1, subscription), "there is one message of the client");
    }
    assert!(it.has_room(2, 1), "that is of another one");
    let (mut turns, mut before) = (Vec::new(), 0);
    for position in 2..10 {
        let id = order(&mut it).expect("it is to be made");
        give(&mut it, id, b"made");
        assert_eq!(it.take_due(), BTreeSet::from([(1, before)]), "no other line");
        it.pop(1, before, true);
        assert!(it.has_due() && it.take_freed().contains(&1));
        assert!(!it.has_room(1, before), "others come before it");
        assert_eq!(it.next_turn(1, false), None, "the client does not read");
        before = it.next_turn(1, true).expect("one has its turn");
        take(&mut it, before, position);
        assert_eq!(it.next_turn(1, true), None);
        turns.push(before);
    }
    assert_eq!(turns, [2, 3, 1, 0, 2, 3, 1, 0]);
    // One that leaves has no turn, and its room is that of the others.
    it.end(1, 2);
    it.end(1, before);
    assert!(it.take_freed().contains(&1));
    assert_eq!(it.next_turn(1, true), Some(3));
    it.end_all(1);
    assert!(!it.has_due() && it.clients.len() == 1);
}

#[test]
fn what_memory_is_short_for_has_its_turn_when_there_is_some() {
    let mut it = DeferredDeliveries::default();
    it.set_tight(true);
    for subscription in [1, 2] {
        it.begin(1, subscription, wants(format::JSON));
    }
    take(&mut it, (1, 1), 7);
    assert!(!it.has_room(1, 2) && !it.has_due());
    it.set_tight(false);
    assert!(it.take_freed().contains(&1));
    assert_eq!(it.next_turn(1, true), Some(2));
    assert!(it.has_room(1, 2));
}

#[test]
fn what_is_told_keeps_its_place_however_often_it_is_told() {
    let mut it = DeferredDeliveries::default();
    it.begin(1, 1, wants(format::JSON));
    let on_disk = Durability { memory: 1, disk: 1 };
    let reasons = [LossReason::Expired, LossReason::Quota];
    for position in 1..=10 {
        take(&mut it, (1, 1), position);
        for again in 0..100 {
            assert!(it.take_confirmed((1, 1), on_disk, position));
            let (reason, count) = (reasons[again % 2], 1);
            let loss = Loss { reason, count, first: position, last: position + again as u64 };
            assert!(it.take_loss(1, 1, &loss));
        }
        // Also where there is always another one that waits.
        if position == 1 {
            continue;
        }
        let id = order(&mut it).expect("it is to be made");
        give(&mut it, id, b"made");
        assert_eq!(first(&it, 1), Some(Ok(b"made".to_vec())), "{position}");
        it.pop(1, 1, true);
        let told: Vec<String> = (0..3).map(|_| told(&mut it, position - 1)).collect();
        assert_eq!(told, ["confirmed", "50 Expired", "50 Quota"]);
    }
    assert_eq!(it.lines[&(1, 1)].items.len(), 4);
}

/// What a client is told of a position.
fn told(it: &mut DeferredDeliveries, expected: u64) -> String {
    let First::Send(item) = it.first(1, 1) else { panic!("{:?}", it.first(1, 1)) };
    it.pop(1, 1, false);
    match item {
        Item::Confirmed(_, position) if position == expected => "confirmed".to_owned(),
        Item::Lost(it) if it.first == expected && it.last >= expected + 98 => {
            format!("{} {:?}", it.count, it.reason)
        }
        other => panic!("{other:?} of {expected}"),
    }
}

#[test]
fn what_is_withdrawn_does_not_go_and_takes_no_room() {
    let mut it = DeferredDeliveries::default();
    it.begin(1, 1, wants(format::JSON));
    let fill = |it: &mut DeferredDeliveries, from: u64| {
        let room = |it: &mut DeferredDeliveries| it.has_room(1, 1);
        (from..).take_while(|at| room(it) && (take(it, (1, 1), *at), true).1).count()
    };
    assert_eq!(fill(&mut it, 1), MOST);
    let id = order(&mut it).expect("the first is to be made");
    give(&mut it, id, b"one");
    for position in (1..=MOST as u64).filter(|it| it % 2 == 1) {
        it.withdraw(1, 1, position);
        it.withdraw(1, 1, position);
    }
    assert!(first(&it, 1).is_none(), "the second is made");
    // Others have its room.
    it.take_due();
    assert_eq!(fill(&mut it, 100), MOST / 2);
    let id = order(&mut it).expect("the second is to be made");
    give(&mut it, id, b"two");
    assert_eq!(first(&it, 1), Some(Ok(b"two".to_vec())));
    assert_eq!(it.take_due(), BTreeSet::from([(1, 1)]));
}

#[test]
fn who_comes_and_leaves_leaves_nothing_behind() {
    let mut it = DeferredDeliveries::default();
    // One stays, and waits for a message that the others want in another form.
    it.begin(9, 1, wants(format::CDR));
    take(&mut it, (9, 1), 7);
    let mut most = 0;
    for round in 0..20_000_u64 {
        it.begin(1, 1, wants(format::JSON));
        take(&mut it, (1, 1), 7);
        take(&mut it, (1, 1), 100 + round);
        if round % 3 == 0 {
            let id = order(&mut it).expect("there are some");
            give(&mut it, id, b"made");
        }
        it.end(1, 1);
        most = most.max(it.bytes());
        assert!(it.preparing.orders() <= STALE_ORDERS + 4 * it.deliveries + 2, "{round}");
    }
    assert!(most < 3 << 20, "{most}");
    while let Some(id) = order(&mut it) {
        give(&mut it, id, b"made");
    }
    assert_eq!(first(&it, 9), Some(Ok(b"made".to_vec())), "its own was not forgotten");
    // What was made is kept as long as there is anybody.
    it.end(9, 1);
    assert_eq!((it.deliveries, it.preparing.orders()), (0, 0));
    assert!(it.bytes() < 128 << 10, "{}: no more than the empty list of orders", it.bytes());
}

#[test]
fn what_nobody_waits_for_is_not_ordered_since_others_have_its_message_or_its_form() {
    let fields = |number: u32| {
        let fields = Some(Arc::new(Selection::parse(&format!("F{number}")).expect("fields")));
        Want { fields, ..wants(format::JSON) }
    };
    let mut it = DeferredDeliveries::default();
    it.begin(9, 1, wants(format::CDR));
    (1..=64).for_each(|position| take(&mut it, (9, 1), position));
    (0..100).for_each(|number| it.begin(8, number, fields(number)));
    for number in 0..100 {
        for position in 1..=64 {
            it.begin(1, 1, fields(number));
            take(&mut it, (1, 1), position);
            it.end(1, 1);
        }
    }
    let orders = it.preparing.orders();
    assert!(orders <= STALE_ORDERS + 4 * it.deliveries + 2, "{orders}");
    // None of those that are left is done, besides what is waited for.
    let mut done = 0;
    while let Some(order) = it.next_order() {
        assert!(matches!(order, ConversionOrder::Convert(..)), "{order:?}");
        done += 1;
    }
    assert_eq!((done, it.preparing.orders()), (64, 0));
    // Who wants one of them again gets it.
    take(&mut it, (8, 5), 7);
    assert!(matches!(it.next_order(), Some(ConversionOrder::Select(..))));
}

#[test]
fn messages_that_nobody_waits_for_are_not_kept_for_their_orders() {
    let mut it = DeferredDeliveries::default();
    let large = vec![b'x'; 100 << 10];
    let mut most = 0;
    // One after the other leaves, or has what it does not take withdrawn.
    it.begin(2, 1, wants(format::JSON));
    for position in 0..200 {
        it.begin(1, 1, wants(format::JSON));
        assert!(it.take(0, 1, &delivery(1, 2 * position, &large)));
        assert!(it.take(0, 2, &delivery(1, 2 * position + 1, &large)));
        it.end(1, 1);
        it.withdraw(2, 1, 2 * position + 1);
        most = most.max(it.bytes());
    }
    assert!(most < 4 << 20, "{most}");
}

#[test]
fn what_would_be_too_long_is_a_reason_and_reasons_are_short() {
    let mut it = DeferredDeliveries::default();
    it.begin(1, 1, wants(format::JSON));
    take(&mut it, (1, 1), 7);
    take(&mut it, (1, 1), 8);
    let [long, bad] = [order(&mut it), order(&mut it)].map(|it| it.expect("an order"));
    give(&mut it, long, &[b'y'; MOST_OF_A_MESSAGE + 1]);
    let reason = first(&it, 1).expect("it is known").expect_err("it is too long");
    assert!(reason.contains("101 bytes") && reason.contains("limits.frame_bytes"), "{reason}");
    it.pop(1, 1, false);
    it.given(bad, Given::Message(Err(&"\u{e9}".repeat(100_000))), MOST_OF_A_MESSAGE);
    let reason = first(&it, 1).expect("it is known").expect_err("there is none");
    assert!(reason.len() <= 1_024 && reason.starts_with('\u{e9}'), "{}", reason.len());
}
