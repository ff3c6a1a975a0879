//! Text of a page: escaped, so that nothing in a record becomes markup.

/// `text` as content of an element or of a quoted attribute, in HTML and in XML.
///
/// Characters that XML 1.0 does not allow (section 2.2) become U+FFFD.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(allowed(c)),
        }
    }
    out
}

fn allowed(c: char) -> char {
    match c {
        '\t' | '\n' => c,
        '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => '\u{fffd}',
        // Marks that turn the direction of the text around them.
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_becomes_text() {
        assert_eq!(
            escaped(r#"<a b="c" d='e'>&amp;"#),
            "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;amp;"
        );
        assert_eq!(
            escaped("µs 10\u{b7}\u{0}\u{1b}\u{ffff}\u{202e}"),
            "µs 10\u{b7}\u{fffd}\u{fffd}\u{fffd}\u{fffd}"
        );
    }
}
