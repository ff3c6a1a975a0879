//! The tokens of IDL (CORBA 3.4 part 1, 7.2).

use std::sync::Arc;

use crate::problem::{Place, Problem};

/// One token.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// An identifier or a keyword.
    Word(String),
    /// An identifier that is no keyword, whatever it looks like: it had an underscore before it.
    Escaped(String),
    Integer(u128),
    /// A number with a point or an exponent.
    Float(String),
    /// A number with `d` behind it.
    Fixed(String),
    Character {
        value: char,
        is_wide: bool,
    },
    Text {
        value: String,
        is_wide: bool,
    },
    /// `::`, `<<`, `>>`, or one character.
    Sign(&'static str),
    /// What stands behind `#pragma`.
    Pragma(String),
    /// An included file begins.
    Begin,
    /// It ends.
    End,
}

impl Token {
    /// How a message calls it.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Word(word) | Self::Escaped(word) => word.clone(),
            Self::Integer(number) => number.to_string(),
            Self::Float(number) | Self::Fixed(number) => number.clone(),
            Self::Character { value, .. } => format!("{value:?}"),
            Self::Text { value, .. } => format!("{value:?}"),
            Self::Sign(sign) => (*sign).to_owned(),
            Self::Pragma(_) => "#pragma".to_owned(),
            Self::Begin | Self::End => "#include".to_owned(),
        }
    }
}

/// A token and its place.
#[derive(Clone, Debug)]
pub(super) struct Spanned {
    pub(super) token: Token,
    pub(super) place: Place,
    /// Is it in the file that was asked for, not in one that it includes?
    pub(super) is_main: bool,
}

const SIGNS: [&str; 28] = [
    "{", "}", "(", ")", "[", "]", "<", ">", ";", ":", ",", "=", "|", "^", "&", "+", "-", "*", "/",
    "%", "~", "!", "?", ".", "@", "$", "#", "\\",
];
const PAIRS: [&str; 3] = ["::", "<<", ">>"];

/// Reads one file, or the rest of a line of it.
pub(super) struct Lexer<'a> {
    rest: &'a str,
    file: Arc<str>,
    line: u32,
    column: u32,
    /// Is there nothing but blanks before this on the line?
    pub(super) is_at_line_start: bool,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str, file: &Arc<str>) -> Self {
        Self { rest: text, file: file.clone(), line: 1, column: 1, is_at_line_start: true }
    }

    /// For a text that stands somewhere else.
    pub(super) fn at(text: &'a str, place: &Place) -> Self {
        let Place { file, line, column } = place.clone();
        Self { rest: text, file, line, column, is_at_line_start: false }
    }

    pub(super) fn place(&self) -> Place {
        Place { file: self.file.clone(), line: self.line, column: self.column }
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    pub(super) fn is_next(&self, text: &str) -> bool {
        self.rest.starts_with(text)
    }

    pub(super) fn bump(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.rest = &self.rest[next.len_utf8()..];
        match next {
            '\n' => {
                (self.line, self.column) = (self.line + 1, 1);
                self.is_at_line_start = true;
            }
            _ => self.column += 1,
        }
        Some(next)
    }

    fn skip(&mut self, count: usize) {
        for _ in 0..count {
            self.bump();
        }
    }

    fn reject<T>(&self, place: &Place, what: &str, remedy: &str) -> Result<T, Problem> {
        Err(Problem::new(place, what, remedy))
    }

    /// Goes over blanks, comments and lines that go on; over ends of lines too, unless told not to.
    pub(super) fn blanks(&mut self, over_lines: bool) -> Result<(), Problem> {
        loop {
            if self.is_next("//") {
                while self.peek().is_some_and(|it| it != '\n') && !self.is_continued() {
                    self.bump();
                }
            } else if self.is_next("/*") {
                let place = self.place();
                self.skip(2);
                while !self.is_next("*/") {
                    if self.bump().is_none() {
                        return self.reject(&place, "the comment has no end", "close it by */");
                    }
                }
                self.skip(2);
            } else if self.is_continued() {
                while self.bump() != Some('\n') {}
            } else {
                match self.peek() {
                    Some('\n') if !over_lines => return Ok(()),
                    // A byte order mark, and the end of a file as old systems mark it, are blanks too.
                    Some(it) if it.is_whitespace() || matches!(it, '\u{feff}' | '\u{1a}') => {
                        self.bump();
                    }
                    _ => return Ok(()),
                }
            }
        }
    }

    fn is_continued(&self) -> bool {
        self.is_next("\\\n") || self.is_next("\\\r\n")
    }

    /// The rest of the line, without comments, as it goes on over others.
    pub(super) fn line(&mut self) -> Result<String, Problem> {
        let mut line = String::new();
        loop {
            if self.is_next("//") || self.is_next("/*") || self.is_continued() {
                self.blanks(false)?;
                line.push(' ');
            }
            match self.peek() {
                None | Some('\n') => return Ok(line.trim_ascii().to_owned()),
                Some('"') => {
                    line.extend(self.bump());
                    while self.peek().is_some_and(|it| it != '"' && it != '\n') {
                        line.extend(self.bump());
                    }
                    if self.peek() == Some('"') {
                        line.extend(self.bump());
                    }
                }
                Some(_) => line.extend(self.bump()),
            }
        }
    }

    /// The next token; none at the end.
    pub(super) fn token(&mut self) -> Result<Option<(Token, Place)>, Problem> {
        self.blanks(true)?;
        self.is_at_line_start = false;
        let place = self.place();
        let Some(first) = self.peek() else { return Ok(None) };
        let is_point = first == '.' && self.rest[1..].starts_with(|it: char| it.is_ascii_digit());
        let token = match first {
            'L' if self.is_next("L\"") || self.is_next("L'") => {
                self.bump();
                self.quoted(&place, true)?
            }
            '"' | '\'' => self.quoted(&place, false)?,
            '_' => {
                self.bump();
                Token::Escaped(self.word())
            }
            it if it.is_alphabetic() => Token::Word(self.word()),
            it if it.is_ascii_digit() || is_point => self.number(&place)?,
            _ => self.sign(&place)?,
        };
        Ok(Some((token, place)))
    }

    fn word(&mut self) -> String {
        self.taken(|it| it.is_alphanumeric() || it == '_')
    }

    fn taken(&mut self, is_it: impl Fn(char) -> bool) -> String {
        let mut taken = String::new();
        while let Some(next) = self.peek().filter(|it| is_it(*it)) {
            taken.push(next);
            self.bump();
        }
        taken
    }

    fn sign(&mut self, place: &Place) -> Result<Token, Problem> {
        let known = PAIRS.iter().chain(&SIGNS).find(|it| self.is_next(it));
        match known {
            Some(sign) => {
                self.skip(sign.len());
                Ok(Token::Sign(sign))
            }
            None => {
                let found = self.peek().unwrap_or_default();
                self.reject(place, &format!("{found:?} has no meaning here"), "take it out")
            }
        }
    }

    fn number(&mut self, place: &Place) -> Result<Token, Problem> {
        if self.is_next("0x") || self.is_next("0X") {
            self.skip(2);
            let digits = self.taken(|it| it.is_ascii_hexdigit());
            return self.integer(&digits, 16, place);
        }
        let mut digits = self.taken(|it| it.is_ascii_digit());
        let mut is_float = false;
        if self.peek() == Some('.') {
            is_float = true;
            digits.extend(self.bump());
            digits += &self.taken(|it| it.is_ascii_digit());
        }
        if self.peek().is_some_and(|it| matches!(it, 'd' | 'D')) {
            self.bump();
            return Ok(Token::Fixed(digits));
        }
        if self.peek().is_some_and(|it| matches!(it, 'e' | 'E')) {
            is_float = true;
            digits.extend(self.bump());
            if self.peek().is_some_and(|it| matches!(it, '+' | '-')) {
                digits.extend(self.bump());
            }
            digits += &self.taken(|it| it.is_ascii_digit());
        }
        match is_float {
            true => Ok(Token::Float(digits)),
            false if digits.len() > 1 && digits.starts_with('0') => self.integer(&digits, 8, place),
            false => self.integer(&digits, 10, place),
        }
    }

    fn integer(&self, digits: &str, base: u32, place: &Place) -> Result<Token, Problem> {
        match u128::from_str_radix(digits, base) {
            Ok(number) => Ok(Token::Integer(number)),
            Err(_) => {
                let what = format!("{digits:?} is no number of base {base}");
                self.reject(place, &what, "write digits of that base, not too many")
            }
        }
    }

    fn quoted(&mut self, place: &Place, is_wide: bool) -> Result<Token, Problem> {
        let quote = self.bump().unwrap_or_default();
        let mut value = String::new();
        loop {
            match self.bump() {
                None | Some('\n') => {
                    return self.reject(place, "the quotation has no end on its line", "close it");
                }
                Some('\\') => value.push(self.escape(place)?),
                Some(it) if it == quote => break,
                Some(it) => value.push(it),
            }
        }
        if quote == '"' {
            return Ok(Token::Text { value, is_wide });
        }
        let mut characters = value.chars();
        match (characters.next(), characters.next()) {
            (Some(value), None) => Ok(Token::Character { value, is_wide }),
            _ => self.reject(place, "a character is one in apostrophes", "write one, or a string"),
        }
    }

    fn escape(&mut self, place: &Place) -> Result<char, Problem> {
        let numbered = |digits: &str, base| {
            let number = u32::from_str_radix(digits, base).ok();
            number.and_then(char::from_u32)
        };
        let found = match self.bump() {
            Some('n') => Some('\n'),
            Some('t') => Some('\t'),
            Some('v') => Some('\u{b}'),
            Some('b') => Some('\u{8}'),
            Some('r') => Some('\r'),
            Some('f') => Some('\u{c}'),
            Some('a') => Some('\u{7}'),
            Some(it @ ('\\' | '?' | '\'' | '"')) => Some(it),
            Some('x') => numbered(&self.at_most(2, 16), 16),
            Some('u') => numbered(&self.at_most(4, 16), 16),
            Some(it @ '0'..='7') => numbered(&format!("{it}{}", self.at_most(2, 8)), 8),
            _ => None,
        };
        match found {
            Some(found) => Ok(found),
            None => {
                self.reject(place, "an escape that IDL does not know", "write the character itself")
            }
        }
    }

    fn at_most(&mut self, most: usize, base: u32) -> String {
        let mut digits = String::new();
        while digits.len() < most {
            match self.peek().filter(|it| it.is_digit(base)) {
                Some(digit) => digits.push(digit),
                None => break,
            }
            self.bump();
        }
        digits
    }
}
