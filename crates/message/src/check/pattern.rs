//! Regular expressions as XML Schema has them (part 2, appendix F).

/// What the whole of a text must be, by a regular expression of XML Schema. Texts are compared in time that grows with their
/// length alone.
#[derive(Clone, Debug)]
pub struct Pattern {
    text: Box<str>,
    #[cfg(feature = "patterns")]
    compiled: regex::Regex,
}

impl Pattern {
    /// Reads an expression.
    ///
    /// # Errors
    /// This crate is built without its feature `patterns`.
    #[cfg(not(feature = "patterns"))]
    pub fn new(_: &str) -> Result<Self, String> {
        Err("patterns are not compared in this build".into())
    }

    /// Reads an expression.
    ///
    /// # Errors
    /// It is none, or one that takes too much memory: says what is wrong with it.
    #[cfg(feature = "patterns")]
    pub fn new(text: &str) -> Result<Self, String> {
        let translated = translate::to_regex(text)?;
        // The last line of the library's words says what is wrong; those before show the translation.
        let told = |error: regex::Error| {
            error.to_string().lines().last().unwrap_or_default().trim().to_owned()
        };
        let compiled = regex::Regex::new(&translated).map_err(told)?;
        Ok(Self { text: text.into(), compiled })
    }

    /// Looks at an expression, but for what only compiling it shows.
    ///
    /// # Errors
    /// It is none: says what is wrong with it.
    pub fn check(text: &str) -> Result<(), String> {
        #[cfg(feature = "patterns")]
        translate::to_regex(text)?;
        #[cfg(not(feature = "patterns"))]
        let _ = text;
        Ok(())
    }

    /// The expression, as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Is the whole of a text so?
    pub fn is_match(&self, text: &str) -> bool {
        #[cfg(feature = "patterns")]
        return self.compiled.is_match(text);
        #[cfg(not(feature = "patterns"))]
        return text == &*self.text;
    }

    /// A short text that is so, of at least and at most so many characters; none if there is none of up to 255.
    #[cfg(feature = "patterns")]
    pub(super) fn example(&self, least: usize, most: usize) -> Option<String> {
        super::example::of(self.compiled.as_str(), least, most).filter(|it| self.is_match(it))
    }

    /// A text that is so: none is known in this build.
    #[cfg(not(feature = "patterns"))]
    pub(super) fn example(&self, _: usize, _: usize) -> Option<String> {
        None
    }

    /// Why a text is not so.
    pub(super) fn rejects(&self, text: &str) -> Option<String> {
        if self.is_match(text) {
            return None;
        }
        Some(format!("{text:?} is not as the pattern {} has it", self.text))
    }
}

#[cfg(feature = "patterns")]
mod translate {
    use std::iter::Peekable;
    use std::str::Chars;

    use super::super::blocks;

    /// Letters that a name begins with, and what may follow (XML 1.0, productions 4 and 4a).
    const FIRST: &str = r"\p{L}_:";
    const NAME: &str = r"\p{L}\p{N}\p{M}\-._:·";
    /// All but punctuation, separators and others.
    const WORD: &str = r"\p{L}\p{M}\p{N}\p{S}";

    /// A class in brackets that is open.
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Group {
        /// Characters that it has.
        Positive,
        /// Characters that it has not: in brackets of their own, for what is taken out of a class is taken out
        /// of what the negation leaves (production 16), while the library would negate last.
        Negative,
        /// Behind what is taken out of it, where it has to end.
        Ended,
    }

    /// The same in the words of the crate `regex`, for the whole of a text.
    pub(super) fn to_regex(pattern: &str) -> Result<String, String> {
        let mut out = String::from(r"\A(?:");
        let (mut characters, mut open) = (pattern.chars().peekable(), Vec::new());
        while let Some(character) = characters.next() {
            let is_taken_out = character == '-' && characters.peek() == Some(&'[');
            match (character, open.last_mut()) {
                (']', group) => end_class(group.copied(), &mut open, &mut out)?,
                (_, Some(Group::Ended)) => {
                    return Err("behind the class that is taken out of another stands a ]".into());
                }
                ('\\', _) => match characters.next() {
                    Some(sign @ ('p' | 'P')) => category(sign, &mut characters, &mut out)?,
                    other => escape(other, &mut out)?,
                },
                ('[', None) => open.push(begin_class(&mut characters, &mut out)?),
                ('-', Some(group)) if is_taken_out => {
                    characters.next();
                    out.push_str(if *group == Group::Negative { "]--" } else { "--" });
                    *group = Group::Ended;
                    open.push(begin_class(&mut characters, &mut out)?);
                }
                // In front of what is taken out it is a character, which the library would take for a sign.
                ('-', Some(_)) if is_taking_out(&characters) => out.push_str(r"\-"),
                ('[', Some(_)) => return Err("a [ inside brackets has a \\ before it".into()),
                ('(', None) if characters.peek() == Some(&'?') => {
                    return Err("a ? behind a ( has nothing that it repeats".into());
                }
                // Signs that mean something to the library alone.
                ('^' | '$', None) | ('&' | '~', _) => out.extend(['\\', character]),
                ('.', None) => out.push_str(r"[^\n\r]"),
                (character, _) => out.push(character),
            }
        }
        match open.is_empty() {
            true => Ok(out + r")\z"),
            false => Err("a ] is missing".into()),
        }
    }

    /// Behind a `[`: is the class negated?
    fn begin_class(rest: &mut Peekable<Chars<'_>>, out: &mut String) -> Result<Group, String> {
        let is_negative = rest.next_if_eq(&'^').is_some();
        if matches!(rest.peek(), Some(']')) || is_taking_out(rest) {
            return Err("a class in brackets has at least one character".into());
        }
        out.push_str(if is_negative { "[[^" } else { "[" });
        Ok(if is_negative { Group::Negative } else { Group::Positive })
    }

    /// Does a class follow that is taken out of the one that is open?
    fn is_taking_out(rest: &Peekable<Chars<'_>>) -> bool {
        let mut ahead = rest.clone();
        ahead.next() == Some('-') && ahead.next() == Some('[')
    }

    /// At a `]`.
    fn end_class(
        group: Option<Group>,
        open: &mut Vec<Group>,
        out: &mut String,
    ) -> Result<(), String> {
        out.push_str(if group == Some(Group::Negative) { "]]" } else { "]" });
        open.pop().map(drop).ok_or_else(|| "a ] has a \\ before it".into())
    }

    /// What stands behind `\p`: a category of Unicode, or a block.
    fn category(
        sign: char,
        rest: &mut Peekable<Chars<'_>>,
        out: &mut String,
    ) -> Result<(), String> {
        let wrong = || format!("behind \\{sign} stands no name in braces");
        if rest.next() != Some('{') {
            return Err(wrong());
        }
        let mut name = String::new();
        loop {
            match rest.next() {
                Some('}') => break,
                Some(it) if it.is_ascii_alphanumeric() || it == '-' => name.push(it),
                _ => return Err(wrong()),
            }
        }
        match name.strip_prefix("Is") {
            None => *out += &format!(r"\{sign}{{{name}}}"),
            Some(block) => {
                let class = blocks::class_of(block);
                let class = class.ok_or_else(|| format!("{name} is no block of characters"))?;
                *out += &format!("[{}{class}]", if sign == 'P' { "^" } else { "" });
            }
        }
        Ok(())
    }

    fn escape(character: Option<char>, out: &mut String) -> Result<(), String> {
        let (class, is_not) = match character {
            Some('i') => (FIRST, false),
            Some('I') => (FIRST, true),
            Some('c') => (NAME, false),
            Some('C') => (NAME, true),
            Some('w') => (WORD, false),
            Some('W') => (WORD, true),
            Some('s') => (r" \t\n\r", false),
            Some('S') => (r" \t\n\r", true),
            Some(known @ ('d' | 'D' | 'n' | 'r' | 't')) => {
                out.extend(['\\', known]);
                return Ok(());
            }
            // Some that need none have a `\` too.
            Some(sign @ ('<' | '>')) => {
                out.push(sign);
                return Ok(());
            }
            Some(sign) if sign.is_ascii_punctuation() => {
                out.extend(['\\', sign]);
                return Ok(());
            }
            Some(other) => return Err(format!("\\{other} means nothing")),
            None => return Err("it ends with a \\".into()),
        };
        // A class in brackets may stand inside others here.
        out.push_str(if is_not { "[^" } else { "[" });
        out.push_str(class);
        out.push(']');
        Ok(())
    }
}
