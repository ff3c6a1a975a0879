//! A schema as text: one item a line, columns parted by tabs.
//!
//! ```text
//! message    FIXMLMessage  X
//! component  Header        required
//! field      CompID        49   text        required
//! field      SecureData    91   bytes       optional  90
//! group      MDInclList    268  MDIncGroup  required
//! end
//! end
//! ```
//! The last column of a `field` is the number of its length field. A `component` or `group` has one more
//! column where its type has another name than the component or entry. Lists of numbers are `f64[]`
//! and `i32[]`. Empty lines and lines that begin with `#` are passed over.

use std::fmt::Write;

use crate::{Component, IntegerKind, Kind, Need, Schema, SchemaBuilder, SchemaError, ScopeId};

const PLAIN: [(&str, Kind); 10] = [
    ("boolean", Kind::Boolean),
    ("decimal", Kind::Decimal),
    ("f64", Kind::Float),
    ("text", Kind::Text),
    ("bytes", Kind::Bytes),
    ("date", Kind::Date),
    ("time", Kind::Time),
    ("timestamp", Kind::Timestamp),
    ("code", Kind::Code),
    ("f64[]", Kind::Floats),
];

fn kind_from(word: &str) -> Option<Kind> {
    if let Some((_, kind)) = PLAIN.iter().find(|(name, _)| *name == word) {
        return Some(*kind);
    }
    let (name, list) = match word.strip_suffix("[]") {
        Some(name) => (name, true),
        None => (word, false),
    };
    let (integer, _) = IntegerKind::ALL.iter().find(|(_, it)| *it == name)?;
    Some(if list { Kind::Integers(*integer) } else { Kind::Integer(*integer) })
}

pub(crate) fn kind_name(kind: Kind) -> String {
    match kind {
        Kind::Integer(integer) => integer.name().into(),
        Kind::Integers(integer) => format!("{}[]", integer.name()),
        kind => {
            let plain = PLAIN.iter().find(|(_, it)| *it == kind);
            plain.map_or(String::new(), |(name, _)| (*name).into())
        }
    }
}

fn need_name(need: Need) -> &'static str {
    match need {
        Need::Required => "required",
        Need::Optional => "optional",
    }
}

impl Schema {
    /// Reads a listing.
    ///
    /// # Errors
    /// Names the line and what was expected there.
    pub fn from_listing(text: &str) -> Result<Schema, SchemaError> {
        let mut builder: Option<SchemaBuilder> = None;
        let mut ended = false;
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let words: Vec<&str> = line.split_whitespace().collect();
            let read = match (&mut builder, words[0]) {
                (None, "message") if words.len() > 1 => {
                    let message_type = words.get(2).copied().unwrap_or("");
                    builder = Some(Schema::builder(words[1], message_type));
                    Ok(())
                }
                (None, _) => Err("expected \"message\" and its name".into()),
                _ if ended => Err("expected nothing after the message's end".into()),
                (Some(builder), "end") if builder.is_at_top() => {
                    ended = true;
                    Ok(())
                }
                (Some(builder), _) => read_line(builder, &words),
            };
            read.map_err(|why: String| SchemaError(format!("line {}: {why}", number + 1)))?;
        }
        let builder = builder.ok_or_else(|| SchemaError("the listing is empty".into()))?;
        if !ended {
            return Err(SchemaError("an \"end\" is missing at the end of the listing".into()));
        }
        builder.build()
    }

    /// Writes the schema as a listing.
    pub fn listing(&self) -> String {
        let mut out = format!("message\t{}\t{}\n", self.name(), self.message_type());
        self.list_scope(ScopeId(0), &mut out);
        out.push_str("end\n");
        out
    }

    fn list_scope(&self, id: ScopeId, out: &mut String) {
        let scope = self.scope(id);
        let mut open: Vec<usize> = Vec::new();
        let mut next = 0;
        for index in 0..=scope.fields.len() {
            while open.last().is_some_and(|&it| scope.components[it].fields.end <= index) {
                open.pop();
                out.push_str("end\n");
            }
            while scope.components.get(next).is_some_and(|it| it.fields.start == index) {
                let component = &scope.components[next];
                let Component { name, type_name, need, .. } = component;
                let _ = write!(out, "component\t{name}\t{}", need_name(*need));
                list_type(type_name, name, out);
                open.push(next);
                next += 1;
                if component.fields.is_empty() {
                    open.pop();
                    out.push_str("end\n");
                }
            }
            let Some(field) = scope.fields.get(index) else { continue };
            let (name, number, need) = (&field.name, field.number, need_name(field.need));
            if let Kind::Group(inner) = field.kind {
                let entry = self.scope(inner);
                let _ = write!(out, "group\t{name}\t{number}\t{}\t{need}", entry.name);
                list_type(&entry.type_name, &entry.name, out);
                self.list_scope(inner, out);
                out.push_str("end\n");
                continue;
            }
            let _ = write!(out, "field\t{name}\t{number}\t{}\t{need}", kind_name(field.kind));
            if field.length_number != 0 {
                let _ = write!(out, "\t{}", field.length_number);
            }
            out.push('\n');
        }
    }
}

/// The last column of a component or group, and the line's end.
fn list_type(type_name: &str, name: &str, out: &mut String) {
    if type_name != name {
        let _ = write!(out, "\t{type_name}");
    }
    out.push('\n');
}

fn read_line(builder: &mut SchemaBuilder, words: &[&str]) -> Result<(), String> {
    match *words {
        ["end"] => {
            builder.end();
        }
        ["component", name, need, ref rest @ ..] if rest.len() < 2 => {
            builder.begin_component(name, read_need(need)?);
            rest.iter().for_each(|type_name| _ = builder.of_type(type_name));
        }
        ["group", name, number, entry, need, ref rest @ ..] if rest.len() < 2 => {
            builder.begin_group(name, read_number(number)?, entry, read_need(need)?);
            rest.iter().for_each(|type_name| _ = builder.of_type(type_name));
        }
        ["field", name, number, kind, need, ref rest @ ..] => {
            let length = match *rest {
                [] => 0,
                [length] => read_number(length)?,
                _ => return Err(format!("field {name} has more than six columns")),
            };
            let kind = kind_from(kind).ok_or_else(|| format!("{kind:?} is not a kind"))?;
            builder.data_field(name, read_number(number)?, length, kind, read_need(need)?);
        }
        _ => return Err(format!("expected component, group, field or end, not {words:?}")),
    }
    Ok(())
}

fn read_number(word: &str) -> Result<u32, String> {
    word.parse().map_err(|_| format!("{word:?} is not a field number"))
}

fn read_need(word: &str) -> Result<Need, String> {
    match word {
        "required" => Ok(Need::Required),
        "optional" => Ok(Need::Optional),
        _ => Err(format!("expected required or optional, not {word:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTING: &str = "message\tOrder\tD
component\tHeader\trequired
field\tSender\t49\ttext\trequired
component\tInner\toptional
field\tData\t91\tbytes\toptional\t90
end
end
field\tPrices\t0\tf64[]\toptional
group\tLegs\t555\tLeg\toptional
component\tInstrument\trequired
field\tSymbol\t600\ttext\trequired
end
field\tSide\t624\tcode\toptional
end
field\tQuantity\t38\tu32\trequired
end
";

    #[test]
    fn a_listing_survives_the_round_trip() {
        let schema = Schema::from_listing(LISTING).unwrap();
        assert_eq!(schema.listing(), LISTING);
        assert_eq!(schema.scopes().len(), 2);
        assert_eq!(schema.scopes()[0].components[1].parent, Some(0));
        assert_eq!(schema.scopes()[0].components[0].fields, 0..2);
    }

    #[test]
    fn a_type_of_another_name_is_listed() {
        let listing = LISTING
            .replace("Instrument\trequired", "Instrument\trequired\tLegInstrument")
            .replace("Leg\toptional", "Leg\toptional\tOrderLeg");
        let schema = Schema::from_listing(&listing).unwrap();
        assert_eq!(schema.listing(), listing);
        assert_eq!(&*schema.scopes()[1].type_name, "OrderLeg");
        assert_eq!(&*schema.scopes()[1].components[0].type_name, "LegInstrument");
        assert_eq!(&*schema.scopes()[0].components[0].type_name, "Header");
    }

    #[test]
    fn errors_name_the_line() {
        let wrong = LISTING.replace("624\tcode", "624\tcolour");
        let error = Schema::from_listing(&wrong).unwrap_err();
        assert_eq!(error.to_string(), "line 13: \"colour\" is not a kind");
        let twice = LISTING.replace("624", "600");
        let error = Schema::from_listing(&twice).unwrap_err();
        assert_eq!(error.to_string(), "Side: the number 600 stands twice");
        let open = LISTING.replace("\nend\nend", "\nend");
        assert!(Schema::from_listing(&open).unwrap_err().to_string().contains("is missing"));
        let more = format!("{LISTING}end\n");
        let error = Schema::from_listing(&more).unwrap_err().to_string();
        assert_eq!(error, "line 17: expected nothing after the message's end");
    }
}
