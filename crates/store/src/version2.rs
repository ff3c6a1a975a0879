//! Version 2 of the state, which earlier versions of this program wrote: one record, with the position of
//! each undone message.

use crate::body::Reader;
use crate::ranges::Ranges;
use crate::state::{Known, KnownProducer, State, read_account};

/// The version number at the beginning of such a record.
pub(crate) const VERSION: u32 = 2;

/// The state, behind the version.
pub(crate) fn state(reader: &mut Reader<'_>) -> Option<State> {
    let next_producer = reader.u32()?;
    let producers = reader.list(|it| {
        let number = it.u32()?;
        let name = it.text()?.to_owned();
        let (last, position, used) = (it.u64()?, it.u64()?, it.u64()?);
        Some((number, KnownProducer { name, last, position, used }))
    })?;
    let next_durable = reader.u32()?;
    let durables = reader.list(|it| Some((it.u32()?, known(it)?)))?;
    let (producers, durables) = (producers.into_iter().collect(), durables.into_iter().collect());
    let state = State { producers, next_producer, durables, next_durable, ..State::default() };
    reader.0.is_empty().then_some(state)
}

/// The state of a durable subscription.
pub(crate) fn known(reader: &mut Reader<'_>) -> Option<Known> {
    let (name, pattern) = (reader.text()?.to_owned(), reader.text()?.to_owned());
    let (horizon, from_time) = (reader.u64()?, reader.u64()?);
    let conflation = Some(reader.u64()?).filter(|it| *it != u64::MAX);
    let account = read_account(reader)?;
    // Besides the position: the address of the message, and whether it waits for the disk.
    let undone = reader.list(|it| Some((it.u64()?, it.u64()?, it.u32()?).0))?;
    let mut done = Ranges::default();
    let mut begin = 0;
    for position in undone.iter().copied().chain([horizon]) {
        done.add(begin, position);
        begin = position.saturating_add(1);
    }
    for position in reader.rising()? {
        done.add(position, position.saturating_add(1));
    }
    let all = account.acknowledged + account.elided + account.expired + account.lost;
    let matched = (all.saturating_add(undone.len() as u64), horizon);
    Some(Known { name, pattern, from_time, conflation, account, matched, done, ..Known::default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Writer;

    #[test]
    fn what_became_of_messages_is_what_matched_with_those_that_are_open() {
        let mut out = Writer::default();
        out.text("screen").text("fx/>").u64(90).u64(0).u64(0);
        for count in [1_000, 200, 30, 4, 5_000] {
            out.u64(count);
        }
        out.u32(2);
        for position in [7, 80] {
            out.u64(position).u64(64).u32(0);
        }
        out.rising([95].into_iter());
        let known = known(&mut Reader(&out.0)).expect("it is whole");
        assert_eq!(known.matched, (1_236, 90));
        let done: Vec<(u64, u64)> = known.done.from(0).collect();
        assert_eq!(done, [(0, 7), (8, 80), (81, 90), (95, 96)]);
    }
}
