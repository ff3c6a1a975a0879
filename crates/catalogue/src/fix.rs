//! What FIX calls its fields and messages, by number and MsgType.
//!
//! The names are those of FIX 5.0 SP2, and of the last earlier version that had what it dropped. Nothing else of the
//! standard is here: what a field holds and where it may stand is in a dictionary.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The name of a field of the standard: that of 54 is `Side`.
pub fn field_name(tag: u32) -> Option<&'static str> {
    static NAMES: LazyLock<HashMap<u32, &str>> = LazyLock::new(|| {
        let lines = include_str!("fix/fields.txt").lines().filter_map(|it| it.split_once(' '));
        lines.filter_map(|(tag, name)| Some((tag.parse().ok()?, name))).collect()
    });
    NAMES.get(&tag).copied()
}

/// The name of a message of the standard: that of the MsgType `D` is `NewOrderSingle`.
pub fn message_name(message_type: &str) -> Option<&'static str> {
    let lines = include_str!("fix/messages.txt").lines().filter_map(|it| it.split_once(' '));
    lines.into_iter().find(|it| it.0 == message_type).map(|it| it.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_standard() {
        for (tag, name) in
            [(8, "BeginString"), (35, "MsgType"), (54, "Side"), (1137, "DefaultApplVerID")]
        {
            assert_eq!(field_name(tag), Some(name));
        }
        assert_eq!(field_name(5001), None);
        assert_eq!(message_name("D"), Some("NewOrderSingle"));
        assert_eq!(message_name("d"), Some("SecurityDefinition"));
        assert_eq!(message_name("U1"), None);
    }

    #[test]
    fn every_line_is_a_number_and_a_name() {
        let mut before = 0;
        for line in include_str!("fix/fields.txt").lines() {
            let (tag, name) = line.split_once(' ').expect("a number and a name");
            let tag: u32 = tag.parse().expect("a number");
            assert!(tag > before && trunkline_message::is_name(name), "{line}");
            before = tag;
        }
    }
}
