//! A text that a regular expression matches.
//!
//! Each part of the expression knows of which lengths its texts are, so that a text of a length that is wanted is put together
//! without trying: the parts share the length among them.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, ClassUnicode, Hir, HirKind};

/// Texts are shorter than this.
const MOST: usize = 256;

/// Parts that are in one another, at most.
const DEEPEST: u32 = 32;

/// Characters that are taken first where several may stand, since people read them.
const LIKED: &str = "Aa1B0-_.";

/// A text of at least and at most so many characters that the whole expression matches; the shortest of them that is not empty,
/// if there is one.
pub(super) fn of(expression: &str, least: usize, most: usize) -> Option<String> {
    let mut parser = ParserBuilder::new().nest_limit(DEEPEST).build();
    let part = Part::of(&parser.parse(expression).ok()?);
    let wanted = (least.max(1)..=most.min(MOST - 1)).find(|it| part.lengths.has(*it));
    let length = wanted.or_else(|| (least == 0 && part.lengths.has(0)).then_some(0))?;
    let mut out = String::new();
    part.write(length, &mut out)?;
    Some(out)
}

/// Lengths from 0 to [`MOST`], one bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Lengths([u64; MOST / 64]);

impl Lengths {
    const NONE: Self = Self([0; MOST / 64]);

    fn one(length: usize) -> Self {
        let mut all = Self::NONE;
        if length < MOST {
            all.0[length / 64] |= 1 << (length % 64);
        }
        all
    }

    fn has(&self, length: usize) -> bool {
        length < MOST && self.0[length / 64] >> (length % 64) & 1 == 1
    }

    fn or(mut self, other: &Self) -> Self {
        self.0.iter_mut().zip(other.0).for_each(|(it, other)| *it |= other);
        self
    }

    /// Those of a text of one and a text of the other behind it.
    fn then(&self, other: &Self) -> Self {
        let lengths = (0..MOST).filter(|it| self.has(*it));
        lengths.fold(Self::NONE, |all, it| all.or(&other.longer(it)))
    }

    /// All of them longer by so much; those that are too long are gone.
    fn longer(&self, by: usize) -> Self {
        let (words, bits) = (by / 64, by % 64);
        let mut all = Self::NONE;
        for index in words..self.0.len() {
            let from = index - words;
            all.0[index] = self.0[from] << bits;
            if bits > 0 && from > 0 {
                all.0[index] |= self.0[from - 1] >> (64 - bits);
            }
        }
        all
    }
}

/// A part of an expression.
struct Part {
    lengths: Lengths,
    kind: Kind,
}

enum Kind {
    Text(String),
    /// One of its characters.
    Any(char),
    Sequence(Vec<Part>),
    Choice(Vec<Part>),
    /// From so many to so many.
    Repeated(Box<Part>, usize, usize),
    /// There is no text of it that a document may hold.
    Nothing,
}

impl Part {
    fn of(expression: &Hir) -> Self {
        let nothing = Self { lengths: Lengths::NONE, kind: Kind::Nothing };
        match expression.kind() {
            HirKind::Empty | HirKind::Look(_) => Self::text(String::new()),
            HirKind::Literal(literal) => {
                String::from_utf8(literal.0.to_vec()).map_or(nothing, Self::text)
            }
            HirKind::Class(Class::Unicode(class)) => match character(class) {
                Some(it) => Self { lengths: Lengths::one(1), kind: Kind::Any(it) },
                None => nothing,
            },
            HirKind::Class(Class::Bytes(_)) => nothing,
            HirKind::Capture(capture) => Self::of(&capture.sub),
            HirKind::Concat(parts) => {
                let parts: Vec<Self> = parts.iter().map(Self::of).collect();
                let lengths = of_ends(&parts).pop().unwrap_or(Lengths::NONE);
                Self { lengths, kind: Kind::Sequence(parts) }
            }
            HirKind::Alternation(parts) => {
                let parts: Vec<Self> = parts.iter().map(Self::of).collect();
                let lengths = parts.iter().fold(Lengths::NONE, |all, it| all.or(&it.lengths));
                Self { lengths, kind: Kind::Choice(parts) }
            }
            HirKind::Repetition(repetition) => {
                let part = Self::of(&repetition.sub);
                let least = repetition.min as usize;
                let most = repetition.max.map_or(usize::MAX, |it| it as usize);
                let lengths = repeated(&part.lengths, least, most);
                Self { lengths, kind: Kind::Repeated(Box::new(part), least, most) }
            }
        }
    }

    fn text(text: String) -> Self {
        Self { lengths: Lengths::one(text.chars().count()), kind: Kind::Text(text) }
    }

    /// Appends a text of a length that is one of its lengths.
    fn write(&self, length: usize, out: &mut String) -> Option<()> {
        match &self.kind {
            Kind::Text(text) => out.push_str(text),
            Kind::Any(character) => out.push(*character),
            Kind::Nothing => return None,
            Kind::Choice(parts) => {
                parts.iter().find(|it| it.lengths.has(length))?.write(length, out)?;
            }
            Kind::Sequence(parts) => {
                let mut left = length;
                let mut behind = of_ends(parts);
                for part in parts {
                    behind.pop();
                    let behind = behind.last()?;
                    let own =
                        (0..=left).find(|it| part.lengths.has(*it) && behind.has(left - it))?;
                    part.write(own, out)?;
                    left -= own;
                }
            }
            Kind::Repeated(part, least, most) => {
                // What is empty may stand any number of times, and is not seen.
                let fewest = if part.lengths.has(0) { 0 } else { *least };
                let (mut left, mut count) = (length, 0_usize);
                while left > 0 {
                    count += 1;
                    let (least, most) = (fewest.saturating_sub(count), most.checked_sub(count)?);
                    let behind = repeated(&part.lengths, least, most);
                    let own =
                        (1..=left).find(|it| part.lengths.has(*it) && behind.has(left - it))?;
                    part.write(own, out)?;
                    left -= own;
                }
            }
        }
        Some(())
    }
}

/// The lengths of the last parts one behind the other: of none, of one, and so on up to all of them.
fn of_ends(parts: &[Part]) -> Vec<Lengths> {
    let mut ends = vec![Lengths::one(0)];
    for part in parts.iter().rev() {
        let longer = ends.last().map(|it| part.lengths.then(it));
        ends.extend(longer);
    }
    ends
}

/// The lengths of from so many texts to so many.
fn repeated(one: &Lengths, least: usize, most: usize) -> Lengths {
    let mut now = Lengths::one(0);
    for _ in 0..least.min(MOST) {
        now = now.then(one);
    }
    let mut all = now;
    for _ in least..most.min(least.saturating_add(MOST)) {
        let next = now.then(one);
        let with = all.or(&next);
        if with == all {
            break;
        }
        (now, all) = (next, with);
    }
    all
}

/// A character of a class that people like and documents may hold.
fn character(class: &ClassUnicode) -> Option<char> {
    let has = |it: &char| class.iter().any(|range| (range.start()..=range.end()).contains(it));
    let liked = LIKED.chars().find(has);
    let printed = || {
        let ranges = class.iter().map(|it| (it.start().max('!'), it.end()));
        ranges.filter(|it| it.0 <= it.1 && it.0 != '\u{7F}').map(|it| it.0).next()
    };
    // White space is all that is left.
    liked.or_else(printed).or_else(|| [' ', '\n', '\t', '\r'].into_iter().find(has))
}

#[cfg(test)]
mod tests {
    use crate::Pattern;

    fn example(pattern: &str, least: usize, most: usize) -> Option<String> {
        Pattern::new(pattern).expect(pattern).example(least, most)
    }

    #[test]
    fn a_text_is_made_up_that_a_pattern_matches() {
        for (pattern, text) in [
            ("[A-Z]{3}", "AAA"),
            ("[A-Z]{2}[0-9]{9}[0-9X]", "AA1111111111"),
            (r"\d{4}-\d\d-\d\d(Z)?", "1111-11-11"),
            ("(EUR|USD)/(EUR|USD)", "EUR/EUR"),
            ("[a-z]*", "a"),
            (r"\s*[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*\s*", "A"),
            (r"\+?[1-9]\d*", "1"),
            ("", ""),
            ("[^A-Za-z0-9]", "-"),
            (r"\p{IsGreek}+", "\u{370}"),
        ] {
            assert_eq!(example(pattern, 0, usize::MAX).as_deref(), Some(text), "{pattern}");
        }
    }

    #[test]
    fn many_parts_take_time_for_each_once() {
        let most = "[ab]?c?".repeat(2_000);
        assert_eq!(example(&most, 0, usize::MAX).map(|it| it.len()), Some(1));
        assert_eq!(example(&most, 200, 210).map(|it| it.len()), Some(200));
    }

    #[test]
    fn it_has_the_length_that_is_wanted() {
        for (pattern, least, most, length) in [
            ("[A-Z]*", 5, 5, Some(5)),
            ("(abc)*d", 6, 9, Some(7)),
            ("(ab|abcde)(fg)?x{0,2}", 8, 8, Some(8)),
            ("(a{2,3}b?)+", 17, 17, Some(17)),
            ("([0-9]{3} )*[0-9]{3}", 200, 210, Some(203)),
            ("(ab)*", 3, 3, None),
            ("[A-Z]{3}", 4, 9, None),
            ("a*", 300, 400, None),
            ("((a?){3}){40}", 120, 120, Some(120)),
        ] {
            let made = example(pattern, least, most);
            assert_eq!(made.map(|it| it.chars().count()), length, "{pattern}");
        }
    }
}
