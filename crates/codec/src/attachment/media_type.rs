//! Media types with parameters (RFC 2045 section 5.1, RFC 9110 section 8.3).

use std::fmt;

use trunkline_message::Result;

use super::syntax;

/// A media type, such as `multipart/related; boundary=b; type="text/xml"`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MediaType {
    /// Type and subtype, in small letters.
    pub essence: String,
    /// Names, in small letters, and values, in their order.
    pub parameters: Vec<(String, String)>,
}

impl MediaType {
    /// Reads one. Values that are not quoted and should be, as boundaries of some senders are, are taken as they stand.
    ///
    /// # Errors
    /// It has no subtype, a parameter without a value, or a quotation that does not end.
    pub fn parse(text: &str) -> Result<Self> {
        let (essence, mut rest) = text.split_at(text.find(';').unwrap_or(text.len()));
        let essence = essence.trim().to_ascii_lowercase();
        let is_type = essence.split_once('/').is_some_and(|(a, b)| !a.is_empty() && !b.is_empty());
        if !is_type || essence.contains(|it: char| it.is_whitespace() || it.is_control()) {
            return Err(syntax(format!("{essence:?} is no media type"), 0));
        }
        let mut parameters = Vec::new();
        while let Some(at) = rest.find(|it: char| it != ';' && !it.is_whitespace()) {
            let start = text.len() - rest.len() + at;
            let parameter = &rest[at..];
            let Some((name, value)) = parameter.split_once('=') else {
                return Err(syntax("a parameter of a media type has no value", start));
            };
            let name = name.trim().to_ascii_lowercase();
            let (value, behind) = value_of(value.trim_start())
                .ok_or_else(|| syntax(format!("the value of {name:?} does not end"), start))?;
            if parameters.iter().any(|(known, _)| *known == name) {
                return Err(syntax(format!("the parameter {name:?} stands twice"), start));
            }
            parameters.push((name, value));
            rest = behind;
        }
        Ok(Self { essence, parameters })
    }

    /// The value of a parameter.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        let mut named = self.parameters.iter().filter(|(it, _)| it == name);
        named.next().map(|(_, value)| value.as_str())
    }

    /// The same with one more parameter.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.parameters.push((name.to_owned(), value.to_owned()));
        self
    }
}

/// A value at the beginning of a text, and the text behind it.
fn value_of(text: &str) -> Option<(String, &str)> {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find(|it: char| it == ';' || it.is_whitespace()).unwrap_or(text.len());
        return Some((text[..end].to_owned(), &text[end..]));
    };
    let mut value = String::new();
    let mut characters = quoted.char_indices();
    loop {
        match characters.next()? {
            (at, '"') => return Some((value, &quoted[at + 1..])),
            (_, '\\') => value.push(characters.next()?.1),
            (_, other) => value.push(other),
        }
    }
}

impl fmt::Display for MediaType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.essence)?;
        for (name, value) in &self.parameters {
            let escaped = value.replace('\\', "\\\\").replace('"', "\\\"");
            write!(formatter, "; {name}=\"{escaped}\"")?;
        }
        Ok(())
    }
}
