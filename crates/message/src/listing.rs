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

use crate::schema::check_name;
use crate::{Field, Holds, Kind, Layout, LayoutBuilder, Need, SchemaError, Scope, ScopeId};

fn holds_from(word: &str) -> Option<Holds> {
    match word.strip_suffix("[]") {
        Some(item) => Kind::named(item).map(Holds::List),
        None => Kind::named(word).map(Holds::Value),
    }
}

impl Layout {
    /// Reads a listing.
    ///
    /// # Errors
    /// Names the line and what was expected there.
    pub fn from_listing(text: &str) -> Result<Self, SchemaError> {
        let mut builder: Option<LayoutBuilder> = None;
        let mut ended = false;
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let words: Vec<&str> = line.split_whitespace().collect();
            let read = match (&mut builder, words[0]) {
                (None, "message") if words.len() > 1 => {
                    let builder = builder.insert(Self::builder(words[1]));
                    words
                        .get(2)
                        .iter()
                        .for_each(|it| _ = builder.note_type("fix", "message_type", it));
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

    /// Writes the layout as a listing.
    pub fn listing(&self) -> String {
        let message_type = self.notes().of_type(self.scopes()[0].of, "fix", "message_type");
        let mut out = format!("message\t{}\t{}\n", self.name(), message_type.unwrap_or(""));
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
                list_component(scope, next, out);
                open.push(next);
                if scope.components[next].fields.is_empty() {
                    open.pop();
                    out.push_str("end\n");
                }
                next += 1;
            }
            if let Some(field) = scope.fields.get(index) {
                self.list_field(field, out);
            }
        }
    }

    fn list_field(&self, field: &Field, out: &mut String) {
        let (name, need) = (&field.name, need_name(field.need));
        let note = |format, word| self.notes().of_member(field.member, format, word);
        let tag = note("fix", "tag").unwrap_or("0");
        let Holds::Group(inner) = field.holds else {
            let _ = write!(out, "field\t{name}\t{tag}\t{}\t{need}", field.holds.name());
            if let Some(length) = note("fix", "length") {
                let _ = write!(out, "\t{length}");
            }
            out.push('\n');
            return;
        };
        let type_name = &self.scope(inner).name;
        let entry = note("xml", "entry").unwrap_or(type_name);
        let _ = write!(out, "group\t{name}\t{tag}\t{entry}\t{need}");
        list_type(type_name, entry, out);
        self.list_scope(inner, out);
        out.push_str("end\n");
    }
}

fn list_component(scope: &Scope, index: usize, out: &mut String) {
    let component = &scope.components[index];
    let _ = write!(out, "component\t{}\t{}", component.name, need_name(component.need));
    list_type(&component.type_name, &component.name, out);
}

/// The last column of a component or group, and the line's end.
fn list_type(type_name: &str, name: &str, out: &mut String) {
    if type_name != name {
        let _ = write!(out, "\t{type_name}");
    }
    out.push('\n');
}

fn need_name(need: Need) -> &'static str {
    match need {
        Need::Required => "required",
        Need::Optional | Need::Implied => "optional",
    }
}

fn read_line(builder: &mut LayoutBuilder, words: &[&str]) -> Result<(), String> {
    match *words {
        ["end"] => {
            builder.end();
        }
        ["component", name, need, ref rest @ ..] if rest.len() < 2 => {
            let is_required = read_need(need)? == Need::Required;
            builder.begin_component(name, if is_required { Need::Required } else { Need::Implied });
            rest.iter().for_each(|type_name| _ = builder.of_type(type_name));
        }
        ["group", name, number, entry, need, ref rest @ ..] if rest.len() < 2 => {
            builder.begin_group(name, entry, read_need(need)?);
            note_number(builder, "tag", number)?;
            if let [type_name] = rest {
                check_name(entry).map_err(|error| error.to_string())?;
                builder.of_type(type_name).note("xml", "entry", entry);
            }
        }
        ["field", name, number, kind, need, ref rest @ ..] => {
            let holds = holds_from(kind).ok_or_else(|| format!("{kind:?} is not a kind"))?;
            builder.member(name, holds, read_need(need)?);
            note_number(builder, "tag", number)?;
            match *rest {
                [] => {}
                [length] => note_number(builder, "length", length)?,
                _ => return Err(format!("field {name} has more than six columns")),
            }
        }
        _ => return Err(format!("expected component, group, field or end, not {words:?}")),
    }
    Ok(())
}

/// Numbers are FIX's; 0 stands for none.
fn note_number(builder: &mut LayoutBuilder, word: &str, number: &str) -> Result<(), String> {
    let known: u32 = number.parse().map_err(|_| format!("{number:?} is not a field number"))?;
    if known != 0 {
        builder.note("fix", word, &known.to_string());
    }
    Ok(())
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
        let layout = Layout::from_listing(LISTING).unwrap();
        assert_eq!(layout.listing(), LISTING);
        assert_eq!(layout.scopes().len(), 2);
        assert_eq!(layout.scopes()[0].components[1].parent, Some(0));
        assert_eq!(layout.scopes()[0].components[0].fields, 0..2);
    }

    #[test]
    fn a_type_of_another_name_is_listed() {
        let listing = LISTING
            .replace("Instrument\trequired", "Instrument\trequired\tLegInstrument")
            .replace("Leg\toptional", "Leg\toptional\tOrderLeg");
        let layout = Layout::from_listing(&listing).unwrap();
        assert_eq!(layout.listing(), listing);
        assert_eq!(&*layout.scopes()[1].name, "OrderLeg");
        assert_eq!(&*layout.scopes()[1].components[0].type_name, "LegInstrument");
        assert_eq!(&*layout.scopes()[0].components[0].type_name, "Header");
        let legs = layout.group_of(ScopeId(1)).unwrap();
        assert_eq!(layout.notes().of_member(legs.member, "xml", "entry"), Some("Leg"));
    }

    #[test]
    fn errors_name_the_line() {
        let wrong = LISTING.replace("624\tcode", "624\tcolour");
        let error = Layout::from_listing(&wrong).unwrap_err();
        assert_eq!(error.to_string(), "line 13: \"colour\" is not a kind");
        let open = LISTING.replace("\nend\nend", "\nend");
        assert!(Layout::from_listing(&open).unwrap_err().to_string().contains("is missing"));
        let more = format!("{LISTING}end\n");
        let error = Layout::from_listing(&more).unwrap_err().to_string();
        assert_eq!(error, "line 17: expected nothing after the message's end");
    }
}
