//! JSON that nothing describes: values as they stand, numbers with all of their digits.

use std::borrow::Cow;

use trunkline_message::{Error, ErrorKind, Limits, Result};

use super::decoder::text_of;
use super::text::{BadString, number_end, skip_white, string};

/// A value of JSON, of whatever shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean(bool),
    /// A number as it is written.
    Number(&'a str),
    /// What a string says.
    Text(Cow<'a, str>),
    /// The items of an array.
    Array(Vec<Self>),
    /// The members of an object in their order; of one name there may be several.
    Object(Vec<(Cow<'a, str>, Self)>),
}

/// Reads the values of a text one after the other, which are parted by white space or by nothing.
///
/// ```
/// use trunkline_codec::json::{Value, Values};
/// use trunkline_message::Limits;
///
/// let limits = Limits::default();
/// let mut values = Values::new(b"{\"a\": 0.1000000000000000055511} [true]", &limits)?;
/// let first = values.next().expect("an object")?;
/// assert_eq!(first, Value::Object(vec![("a".into(), Value::Number("0.1000000000000000055511"))]));
/// assert_eq!(values.next().expect("an array")?, Value::Array(vec![Value::Boolean(true)]));
/// assert!(values.next().is_none());
/// # Ok::<(), trunkline_message::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Values<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    most_depth: usize,
}

impl<'a> Values<'a> {
    /// The values of a text.
    ///
    /// # Errors
    /// It is no UTF-8, or longer than `message_bytes` of the limits.
    pub fn new(bytes: &'a [u8], limits: &Limits) -> Result<Self> {
        if bytes.len() > limits.message_bytes {
            let kind = ErrorKind::Limit { name: "message_bytes", limit: limits.message_bytes };
            return Err(Error::new(kind, bytes.len()));
        }
        Ok(Self { text: text_of(bytes)?, at: 0, depth: 0, most_depth: limits.depth })
    }

    /// The byte behind white space, where it stands then.
    fn next_byte(&mut self) -> Option<u8> {
        self.at = skip_white(self.text.as_bytes(), self.at);
        self.text.as_bytes().get(self.at).copied()
    }

    fn expected(&self, expected: &'static str) -> Error {
        let kind = match self.text.as_bytes().get(self.at) {
            Some(_) => ErrorKind::Expected(expected.into()),
            None => ErrorKind::Truncated { expected },
        };
        Error::new(kind, self.at)
    }

    fn value(&mut self) -> Result<Value<'a>> {
        Ok(match self.next_byte() {
            Some(b'{') => Value::Object(self.items(b'}', |it| {
                let name = it.string("the name of a member")?;
                if it.next_byte() != Some(b':') {
                    return Err(it.expected("the colon behind a member's name"));
                }
                it.at += 1;
                Ok((name, it.value()?))
            })?),
            Some(b'[') => Value::Array(self.items(b']', Self::value)?),
            Some(b'"') => Value::Text(self.string("a string")?),
            _ => self.word()?,
        })
    }

    /// A value that is one word.
    fn word(&mut self) -> Result<Value<'a>> {
        let rest = &self.text[self.at..];
        let words = [
            ("null", Value::Null),
            ("true", Value::Boolean(true)),
            ("false", Value::Boolean(false)),
        ];
        if let Some((word, value)) = words.into_iter().find(|it| rest.starts_with(it.0)) {
            self.at += word.len();
            return Ok(value);
        }
        let end =
            number_end(self.text.as_bytes(), self.at).ok_or_else(|| self.expected("a value"))?;
        let number = &self.text[self.at..end];
        self.at = end;
        Ok(Value::Number(number))
    }

    fn string(&mut self, expected: &'static str) -> Result<Cow<'a, str>> {
        if self.next_byte() != Some(b'"') {
            return Err(self.expected(expected));
        }
        match string(self.text, self.at + 1) {
            Ok((said, end)) => {
                self.at = end;
                Ok(said)
            }
            Err(BadString { at, why }) => {
                self.at = at;
                Err(self.expected(why))
            }
        }
    }

    /// What stands between brackets, with commas between.
    fn items<T>(&mut self, end: u8, item: impl Fn(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        if self.depth >= self.most_depth {
            let kind = ErrorKind::Limit { name: "depth", limit: self.most_depth };
            return Err(Error::new(kind, self.at));
        }
        self.depth += 1;
        self.at += 1;
        let mut items = Vec::new();
        while !(items.is_empty() && self.next_byte() == Some(end)) {
            items.push(item(self)?);
            match self.next_byte() {
                Some(b',') => self.at += 1,
                Some(byte) if byte == end => break,
                _ => return Err(self.expected("a comma or the end")),
            }
        }
        self.at += 1;
        self.depth -= 1;
        Ok(items)
    }
}

impl<'a> Iterator for Values<'a> {
    type Item = Result<Value<'a>>;

    /// The next value; none at the end of the text, and behind an error.
    fn next(&mut self) -> Option<Self::Item> {
        self.next_byte()?;
        let value = self.value();
        if value.is_err() {
            self.at = self.text.len();
        }
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Value<'_>>> {
        let limits = Limits { depth: 3, ..Limits::default() };
        Values::new(text.as_bytes(), &limits)?.collect()
    }

    #[test]
    fn values_are_read_as_they_stand() {
        let text = r#" {"a":[1,-0.50e+3,{}],"a":"x\n","b":null}[] 123456789012345678901234567890"#;
        let inner = Value::Array(vec![
            Value::Number("1"),
            Value::Number("-0.50e+3"),
            Value::Object(Vec::new()),
        ]);
        let object = Value::Object(vec![
            ("a".into(), inner),
            ("a".into(), Value::Text("x\n".into())),
            ("b".into(), Value::Null),
        ]);
        let number = Value::Number("123456789012345678901234567890");
        assert_eq!(read(text), Ok(vec![object, Value::Array(Vec::new()), number]));
        assert_eq!(read(" \n"), Ok(Vec::new()));
    }

    #[test]
    fn what_is_no_json_is_rejected_at_its_place() {
        for (text, at) in [
            ("{", 1),
            ("{\"a\":1,}", 7),
            ("{\"a\" 1}", 5),
            ("[1 2]", 3),
            ("[1,]", 3),
            ("[01]", 1),
            ("{a:1}", 1),
            ("[\"a", 3),
            ("nul", 0),
            ("[[[[1]]]]", 3),
            ("{} }", 3),
        ] {
            assert_eq!(read(text).expect_err("none").offset(), at, "{text}");
        }
    }
}
