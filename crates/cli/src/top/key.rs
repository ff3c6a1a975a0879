//! Keys, as a terminal sends them.

/// What was pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Character(char),
    Left,
    Right,
    Enter,
    Escape,
    Backspace,
}

/// The keys in what a terminal has sent at once; those that nothing is bound to are skipped.
pub(super) fn keys(bytes: &[u8]) -> Vec<Key> {
    let text = String::from_utf8_lossy(bytes);
    let mut rest = text.chars().peekable();
    let mut keys = Vec::new();
    while let Some(c) = rest.next() {
        match c {
            '\x1b' if rest.next_if(|c| matches!(c, '[' | 'O')).is_some() => {
                // Parameters come before the letter that ends a sequence.
                match rest.find(|c| ('@'..='~').contains(c)) {
                    Some('C') => keys.push(Key::Right),
                    Some('D') => keys.push(Key::Left),
                    _ => {}
                }
            }
            '\x1b' => keys.push(Key::Escape),
            '\r' | '\n' => keys.push(Key::Enter),
            '\x08' | '\x7f' => keys.push(Key::Backspace),
            c if c.is_control() || c == char::REPLACEMENT_CHARACTER => {}
            c => keys.push(Key::Character(c)),
        }
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_told_from_sequences() {
        let expected = [Key::Character('q'), Key::Escape];
        assert_eq!(keys(b"q\x1b"), expected);
        assert_eq!(keys(b"\x1b[D\x1bOC\x1b[15~<"), [Key::Left, Key::Right, Key::Character('<')]);
        assert_eq!(keys("é\r\x7f\x01".as_bytes())[..2], [Key::Character('é'), Key::Enter]);
        assert_eq!(keys(b"\x1b[1;5C"), [Key::Right]);
        assert_eq!(keys(b"\x1b["), []);
    }
}
