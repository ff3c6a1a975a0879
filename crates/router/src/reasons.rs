//! The reasons of losses that were not the client's fault, for as long as they may have to be told.

use std::collections::VecDeque;

/// Reasons that are kept: a loss that is told later has none any more.
const MOST: usize = 256;

/// Bytes at most of a reason: it goes to every client, whose frames may be shorter than what the message itself is called.
pub(crate) const LONGEST_REASON: usize = 1024;

/// Losses in a row have several reasons, of which this is one.
const IS_ONE_OF_SEVERAL: u32 = 1 << 31;

/// The newest reasons, by number. 0 is none.
#[derive(Debug, Default)]
pub(crate) struct Reasons {
    newest: VecDeque<Box<str>>,
    last: u32,
}

impl Reasons {
    /// A reason by its number; several in a row that are the same have the same one.
    pub(crate) fn add(&mut self, reason: &str) -> u32 {
        let reason = &reason[..reason.floor_char_boundary(LONGEST_REASON)];
        if self.newest.back().is_none_or(|it| **it != *reason) {
            if self.newest.len() == MOST {
                self.newest.pop_front();
            }
            self.newest.push_back(reason.into());
            self.last = self.last % (IS_ONE_OF_SEVERAL - 1) + 1;
        }
        self.last
    }

    /// The text of a reason; none for 0.
    pub(crate) fn text(&self, reason: u32) -> Option<String> {
        if reason == 0 {
            return None;
        }
        let age = self.last.wrapping_sub(reason & !IS_ONE_OF_SEVERAL) as usize;
        let place = self.newest.len().checked_sub(age.saturating_add(1));
        let text =
            place.map_or("the messages could not be read by their schema", |it| &self.newest[it]);
        Some(match reason & IS_ONE_OF_SEVERAL {
            0 => text.to_owned(),
            _ => format!("{text} (one of several reasons)"),
        })
    }
}

/// The reason of losses of which some have this one, and others that one.
pub(crate) fn united(one: u32, other: u32) -> u32 {
    match (one, other) {
        _ if one == other => one,
        (0, other) => other | IS_ONE_OF_SEVERAL,
        (one, _) => one | IS_ONE_OF_SEVERAL,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_are_there() {
        let mut reasons = Reasons::default();
        assert_eq!(reasons.text(0), None);
        let all: Vec<u32> = (0..1_000).map(|it| reasons.add(&it.to_string())).collect();
        assert_eq!(reasons.add("999"), all[999], "it is the same");
        for (number, reason) in all.iter().enumerate() {
            let text = reasons.text(*reason).expect("one");
            assert_eq!(text == number.to_string(), number >= 1_000 - MOST, "{text}");
        }
        assert_eq!(united(all[998], all[998]), all[998]);
        let one = reasons.text(united(all[998], all[999])).expect("one");
        assert!(one.starts_with("998 (") && one.contains("one of several"), "{one}");
        let one = reasons.text(united(0, all[999])).expect("one");
        assert!(one.starts_with("999 ("), "{one}");
    }
}
