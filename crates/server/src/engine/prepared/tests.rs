//! Orders for whoever converts: which are given, shared, and given no more.

use trunkline_native::format;

use super::*;

const TO: Option<u16> = Some(format::JSON);

fn delivery(position: u64) -> Delivery<'static> {
    Delivery {
        subscription: 1,
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
        payload: b"message",
    }
}

fn filter(text: &str) -> Arc<Filter> {
    Arc::new(Filter::parse(text).expect("a filter"))
}

#[test]
fn who_waits_no_more_is_not_waited_for() {
    let mut it = Preparing::default();
    let form = Some(it.form(TO, None));
    it.want((9, 1), &delivery(7), (form, None));
    for client in 0..1_000 {
        for _ in 0..2 {
            it.want((client % 3, 1), &delivery(7), (form, None));
            it.leave((client % 3, 1), 7, (form, None));
        }
    }
    let (id, _) = order(&mut it);
    let (_, _, waiters) = it.given(id, Given::Message(Ok(b"made")), 100);
    assert_eq!(waiters, BTreeSet::from([(9, 1)]));
}

#[test]
fn filters_that_have_ended_are_not_awaited() {
    let mut it = Preparing::default();
    let [one, other] = ["Bid > 1", "Bid > 2"].map(|text| Some(it.filter(filter(text))));
    it.want((1, 1), &delivery(7), (None, one));
    it.want((2, 1), &delivery(7), (None, other));
    it.leave((1, 1), 7, (None, one));
    it.end(None, one);
    let (id, filters) = order(&mut it);
    assert_eq!(filters, 1);
    it.given(id, Given::Passes(Ok(&[true])), 100);
    assert_eq!((it.filters().decided, it.filters().pending), (1, 0));
}

#[test]
fn an_answer_that_says_nothing_of_a_filter_is_no_answer() {
    let mut it = Preparing::default();
    let [one, other] = ["Bid > 1", "Bid > 2"].map(|text| Some(it.filter(filter(text))));
    it.want((1, 1), &delivery(7), (None, one));
    it.want((2, 1), &delivery(7), (None, other));
    assert_eq!(it.filters().pending, 1);
    let (id, filters) = order(&mut it);
    assert_eq!((filters, it.filters().pending), (2, 1), "it is being decided");
    it.given(id, Given::Passes(Ok(&[false])), 100);
    assert!(matches!(it.state((None, one), 7), Prepared::Filtered));
    let Prepared::Failed(_, reason) = it.state((None, other), 7) else { panic!("it is done") };
    assert!(reason.contains("was not said"), "{reason}");
    assert_eq!(it.filters().pending, 0);
}

#[test]
fn what_is_to_be_decided_is_counted_whatever_becomes_of_it() {
    let mut it = Preparing::default();
    let one = Some(it.filter(filter("Bid > 1")));
    for position in 1..=3 {
        it.want((1, 1), &delivery(position), (None, one));
    }
    let (asked, _) = order(&mut it);
    // Schemas change meanwhile.
    it.forget_answers();
    (1..=3).for_each(|position| it.ask((1, 1), position, (None, one)));
    it.given(asked, Given::Passes(Ok(&[true])), 100);
    assert_eq!((it.filters().decided, it.filters().pending), (0, 3), "it is asked again");
    // Another one asks before the answer of before has come.
    let (asked, _) = order(&mut it);
    let other = Some(it.filter(filter("Bid > 2")));
    it.forget_answers();
    it.want((2, 1), &delivery(2), (None, other));
    (1..=3).for_each(|position| it.ask((1, 1), position, (None, one)));
    it.given(asked, Given::Passes(Ok(&[true])), 100);
    let known = |it: &Preparing| (it.filters().decided, it.filters().pending);
    // One leaves, and what it waited for is not looked at.
    it.leave((1, 1), 3, (None, one));
    for decided in 1..=2 {
        let (id, filters) = order(&mut it);
        it.given(id, Given::Passes(Ok(&vec![true; filters])), 100);
        assert_eq!(known(&it).0, decided);
    }
    assert!(it.next_order().is_none());
    assert_eq!(known(&it), (2, 0));
}

#[test]
fn reasons_count_as_what_is_made_does() {
    let mut it = Preparing::default();
    let form = Some(it.form(TO, None));
    it.want((1, 1), &delivery(7), (form, None));
    let wanted = Some(it.filter(filter("Bid > 1")));
    it.want((2, 1), &delivery(7), (None, wanted));
    let [(made, _), (decided, _)] = [order(&mut it), order(&mut it)];
    let (before, reason) = (it.bytes, "r".repeat(LONGEST_REASON));
    it.given(made, Given::Message(Err(&reason)), 100);
    it.given(decided, Given::Passes(Err(&reason)), 100);
    assert_eq!(it.bytes, before + 2 * LONGEST_REASON);
    it.forget_answers();
    assert_eq!(it.bytes, before - 2 * PART);
    (0..2).for_each(|_| it.release(7));
    it.forget_idle();
    assert_eq!((it.bytes, it.messages.len()), (0, 0));
}

/// The number of the next order, and that of its filters.
fn order(it: &mut Preparing) -> (u32, usize) {
    match it.next_order() {
        Some(ConversionOrder::Convert(Asker::Store(id), ..)) => (id, 0),
        Some(ConversionOrder::Decide(Asker::Store(id), filters, _)) => (id, filters.len()),
        other => panic!("{other:?}"),
    }
}
