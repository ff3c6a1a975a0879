//! Topics with places that fields of a message fill: `orders/{SenderCompID}/{Symbol}`.

use std::fmt;
use std::fmt::Write as _;

use crate::names::Names;

/// A topic, or a pattern of topics, with places for fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    text: String,
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Field(u32),
}

/// Why a text is no template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateError(String);

impl fmt::Display for TemplateError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for TemplateError {}

impl Template {
    /// Reads a template; fields are called by number, or as the names have it.
    pub(crate) fn read(text: &str, names: &Names) -> Result<Self, TemplateError> {
        let wrong = |why: String| TemplateError(format!("{text:?}: {why}"));
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once('{') {
            let (name, after) =
                behind.split_once('}').ok_or_else(|| wrong("a `{` has no `}`".to_owned()))?;
            let tag = names.tag(name).ok_or_else(|| {
                wrong(format!("{name} is no field of the dictionary or of the standard"))
            })?;
            if !before.is_empty() {
                pieces.push(Piece::Text(before.to_owned()));
            }
            pieces.push(Piece::Field(tag));
            rest = after;
        }
        if rest.contains('}') {
            return Err(wrong("a `}` has no `{`".to_owned()));
        }
        if !rest.is_empty() {
            pieces.push(Piece::Text(rest.to_owned()));
        }
        Ok(Self { text: text.to_owned(), pieces })
    }

    /// As it is written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The fields that it has places for.
    pub(crate) fn fields(&self) -> impl Iterator<Item = u32> {
        self.pieces.iter().filter_map(|it| match it {
            Piece::Field(tag) => Some(*tag),
            Piece::Text(_) => None,
        })
    }

    /// The topic, or the first field that is missing. A value is never more than one level: what separates levels, or is no
    /// part of a topic, is written as in a URL, `EUR%2FUSD`.
    pub(crate) fn fill<'a>(&self, value: impl Fn(u32) -> Option<&'a [u8]>) -> Result<String, u32> {
        let mut topic = String::with_capacity(self.text.len() + 16);
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => topic.push_str(text),
                Piece::Field(tag) => {
                    push_level(&mut topic, value(*tag).filter(|it| !it.is_empty()).ok_or(*tag)?);
                }
            }
        }
        Ok(topic)
    }
}

/// Appends a value as a part of a level.
pub(crate) fn push_level(topic: &mut String, value: &[u8]) {
    let escape = |topic: &mut String, bytes: &[u8]| {
        bytes.iter().for_each(|it| _ = write!(topic, "%{it:02X}"));
    };
    for chunk in value.utf8_chunks() {
        for c in chunk.valid().chars() {
            let is_plain = !c.is_control() && !matches!(c, '/' | '*' | '>' | '%');
            // Topics that begin with `$` are the router's.
            if is_plain && !(c == '$' && topic.is_empty()) {
                topic.push(c);
            } else {
                escape(topic, c.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
        escape(topic, chunk.invalid());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(template: &str, fields: &[(u32, &'static str)]) -> Result<String, u32> {
        let template = Template::read(template, &Names::default()).expect("a template");
        template.fill(|tag| fields.iter().find(|it| it.0 == tag).map(|it| it.1.as_bytes()))
    }

    #[test]
    fn fields_fill_their_places_each_as_one_level() {
        let template = "orders/{SenderCompID}/{55}";
        assert_eq!(filled(template, &[(49, "FUND"), (55, "INTC")]), Ok("orders/FUND/INTC".into()));
        assert_eq!(
            filled(template, &[(49, "A/B"), (55, "*>%\u{7}é")]),
            Ok("orders/A%2FB/%2A%3E%25%07é".into())
        );
        assert_eq!(filled("{55}", &[(55, "$SYS")]), Ok("%24SYS".into()));
    }

    #[test]
    fn what_is_missing_or_empty_is_named() {
        let template = "orders/{SenderCompID}/{Symbol}";
        assert_eq!(filled(template, &[(49, "FUND")]), Err(55));
        assert_eq!(filled(template, &[(49, ""), (55, "INTC")]), Err(49));
    }

    #[test]
    fn what_is_no_template_says_why() {
        let why = |text| Template::read(text, &Names::default()).expect_err("none").to_string();
        assert_eq!(
            why("a/{Symbl}"),
            "\"a/{Symbl}\": Symbl is no field of the dictionary or of the standard"
        );
        assert_eq!(why("a/{Symbol"), "\"a/{Symbol\": a `{` has no `}`");
        assert_eq!(why("a/Symbol}"), "\"a/Symbol}\": a `}` has no `{`");
    }
}
