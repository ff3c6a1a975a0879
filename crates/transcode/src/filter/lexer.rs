//! The words of a filter.

use super::{Comparison, FilterError};

/// A word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A name, or one of [`WORDS`].
    Name(&'a str),
    /// A name between double quotes.
    Quoted(&'a str),
    /// A text between single quotes, which has each of its own twice.
    Text(&'a str),
    Number(&'a str),
    Compare(Comparison),
    Open,
    Close,
    Comma,
    Point,
    End,
}

/// Names that mean something else, in any case of letters.
pub(super) const WORDS: [&str; 7] = ["and", "or", "not", "in", "exists", "true", "false"];

/// Whether a name needs no double quotes.
pub(super) fn is_plain(name: &str) -> bool {
    let is_word = WORDS.iter().any(|it| it.eq_ignore_ascii_case(name));
    !is_word && name.chars().next().is_some_and(begins_name) && name.chars().all(is_in_name)
}

fn begins_name(letter: char) -> bool {
    letter.is_alphabetic() || letter == '_'
}

fn is_in_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '-'
}

/// The text that is left.
#[derive(Clone, Copy)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// The next word, and the byte at which it begins.
    pub(super) fn next(&mut self) -> Result<(usize, Token<'a>), FilterError> {
        let rest = self.text[self.at..].trim_start();
        let start = self.text.len() - rest.len();
        let Some(first) = rest.chars().next() else {
            self.at = start;
            return Ok((start, Token::End));
        };
        let compared = Comparison::ALL.iter().find(|it| rest.starts_with(it.1));
        let (length, token) = match first {
            '(' => (1, Token::Open),
            ')' => (1, Token::Close),
            ',' => (1, Token::Comma),
            '\'' => quoted(rest, '\'', start).map(|it| (it.len() + 2, Token::Text(it)))?,
            '"' => quoted(rest, '"', start).map(|it| (it.len() + 2, Token::Quoted(it)))?,
            _ if compared.is_some() => {
                let (comparison, text) = compared.expect("one");
                (text.len(), Token::Compare(*comparison))
            }
            _ if begins_name(first) => {
                let length = rest.find(|it| !is_in_name(it)).unwrap_or(rest.len());
                (length, Token::Name(&rest[..length]))
            }
            _ if begins_number(rest) => {
                let is_in = |it: char| it.is_alphanumeric() || it == '.';
                let length = rest[1..].find(|it| !is_in(it)).map_or(rest.len(), |it| it + 1);
                (length, Token::Number(&rest[..length]))
            }
            '.' => (1, Token::Point),
            _ => {
                let remedy = match first {
                    '!' => "; not equal is !=",
                    '&' => "; write and",
                    '|' => "; write or",
                    '\u{2018}' | '\u{2019}' => "; quotes are straight: '",
                    _ => "",
                };
                return Err(FilterError::new(start, format!("{first:?} means nothing{remedy}")));
            }
        };
        self.at = start + length;
        Ok((start, token))
    }
}

fn begins_number(rest: &str) -> bool {
    let unsigned = rest.strip_prefix('-').unwrap_or(rest);
    let digits = unsigned.strip_prefix('.').unwrap_or(unsigned);
    digits.starts_with(|it: char| it.is_ascii_digit())
}

/// What stands between quotes, with those that stand twice.
fn quoted(rest: &str, quote: char, start: usize) -> Result<&str, FilterError> {
    let inside = &rest[1..];
    let mut letters = inside.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        if letter == quote && letters.next_if(|it| it.1 == quote).is_none() {
            return Ok(&inside[..at]);
        }
    }
    Err(FilterError::new(start, format!("the {quote} that closes this text is missing")))
}
