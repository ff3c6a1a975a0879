//! Regular expressions as XML Schema has them (part 2, appendix F).

/// What the whole of a text must be.
#[derive(Debug)]
pub(super) struct Pattern {
    text: Box<str>,
    #[cfg(feature = "patterns")]
    compiled: regex::Regex,
}

impl Pattern {
    #[cfg(not(feature = "patterns"))]
    pub(super) fn new(_: &str) -> Result<Self, String> {
        Err("patterns are not compared in this build".into())
    }

    #[cfg(feature = "patterns")]
    pub(super) fn new(text: &str) -> Result<Self, String> {
        let translated = translate::to_regex(text)?;
        // The last line of the library's words says what is wrong; those before show the translation.
        let told = |error: regex::Error| {
            error.to_string().lines().last().unwrap_or_default().trim().to_owned()
        };
        let compiled = regex::Regex::new(&translated).map_err(told)?;
        Ok(Self { text: text.into(), compiled })
    }

    /// Why a text is not so.
    pub(super) fn rejects(&self, text: &str) -> Option<String> {
        #[cfg(feature = "patterns")]
        if self.compiled.is_match(text) {
            return None;
        }
        Some(format!("{text:?} is not as the pattern {} has it", self.text))
    }
}

#[cfg(feature = "patterns")]
mod translate {
    /// Letters that a name begins with, and what may follow (XML 1.0, productions 4 and 4a).
    const FIRST: &str = r"\p{L}_:";
    const NAME: &str = r"\p{L}\p{N}\p{M}\-._:·";
    /// All but punctuation, separators and others.
    const WORD: &str = r"\p{L}\p{M}\p{N}\p{S}";

    /// The same in the words of the crate `regex`, for the whole of a text.
    pub(super) fn to_regex(pattern: &str) -> Result<String, String> {
        let mut out = String::from(r"\A(?:");
        let (mut characters, mut depth) = (pattern.chars().peekable(), 0_u32);
        while let Some(character) = characters.next() {
            match character {
                '\\' => escape(characters.next(), &mut out)?,
                '[' if depth == 0 => {
                    depth = 1;
                    out.push('[');
                }
                '-' if depth > 0 && characters.peek() == Some(&'[') => {
                    characters.next();
                    depth += 1;
                    out.push_str("--[");
                }
                '[' => return Err("a [ inside brackets has a \\ before it".into()),
                ']' => {
                    depth = depth.checked_sub(1).ok_or("a ] has a \\ before it")?;
                    out.push(']');
                }
                // Signs that mean something to the library alone.
                '^' | '$' if depth == 0 => out.extend(['\\', character]),
                '&' | '~' => out.extend(['\\', character]),
                '.' if depth == 0 => out.push_str(r"[^\n\r]"),
                character => out.push(character),
            }
        }
        match depth {
            0 => Ok(out + r")\z"),
            _ => Err("a ] is missing".into()),
        }
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
            Some(known @ ('d' | 'D' | 'p' | 'P' | 'n' | 'r' | 't')) => {
                out.extend(['\\', known]);
                return Ok(());
            }
            Some(sign) if r"\|.-^?*+{}()[]".contains(sign) => {
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
