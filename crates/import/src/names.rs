//! Names as every format allows them, from what others call things.

use std::collections::HashSet;

use trunkline_message::is_name;

/// A name made of the words of a text: `New Order - Single` is `NewOrderSingle`. None if nothing is left.
pub(crate) fn joined(text: &str) -> Option<String> {
    made(text, "")
}

/// The same with `_` between words: `GOOD TILL CANCEL (GTC)` is `GOOD_TILL_CANCEL_GTC`.
pub(crate) fn underscored(text: &str) -> Option<String> {
    made(text, "_")
}

fn made(text: &str, between: &str) -> Option<String> {
    if is_name(text) {
        return Some(text.to_owned());
    }
    // A name within a longer one tells what may stand behind its first letter.
    let is_part = |it: char| it == '_' || is_name(&format!("a{it}"));
    let words = text.split(|it: char| !is_part(it)).filter(|it| !it.is_empty());
    let mut name = words.collect::<Vec<_>>().join(between);
    if !name.is_empty() && !is_name(&name) {
        name.insert(0, '_');
    }
    is_name(&name).then_some(name)
}

/// The name, or with a number behind it the first that is not taken; takes it.
pub(crate) fn untaken(name: &str, taken: &mut HashSet<String>) -> String {
    let mut found = name.to_owned();
    let mut count = 1;
    while !taken.insert(found.clone()) {
        count += 1;
        found = format!("{name}_{count}");
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_call_things_becomes_a_name() {
        assert_eq!(joined("New Order \u{2014} Single").as_deref(), Some("NewOrderSingle"));
        assert_eq!(
            joined("Order Cancel/Replace Request").as_deref(),
            Some("OrderCancelReplaceRequest")
        );
        assert_eq!(underscored("1 day (or less)").as_deref(), Some("_1_day_or_less"));
        assert_eq!(underscored("BUY").as_deref(), Some("BUY"));
        assert_eq!(underscored(" + "), None);
        let mut taken = HashSet::new();
        let names: Vec<_> = (0..3).map(|_| untaken("A", &mut taken)).collect();
        assert_eq!(names, ["A", "A_2", "A_3"]);
    }
}
