//! What the schema does not know: kept, so that it can be passed on, or counted, or rejected.

/// What a decoder does with content that the schema of its message does not know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnknownContent {
    /// It is passed over, and counted. Fields of FIX are kept where there is a place for them.
    #[default]
    Count,
    /// It is kept where there is a place for it: in a struct with a member `#[unknown]`, and in a record.
    /// Where there is none it is passed over, and counted.
    Keep,
    /// The message is [rejected](crate::ErrorKind::Unknown). Fields of FIX are kept where there is a place
    /// for them.
    Reject,
}

/// Where an element or attribute stood that is kept. Components and fields are told by their positions
/// in the scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// An element, in the element of a component or in the scope's own.
    Element {
        /// The component; none for the scope's own element.
        component: Option<u16>,
        /// What it stood behind; none if no other of the component was before it.
        behind: Option<Sibling>,
    },
    /// An element among the entries of a list.
    Entry {
        /// The list.
        field: u16,
        /// How many of them were before it.
        entries: u32,
    },
    /// An attribute of the element of a component, or of the scope's own.
    Attribute {
        /// The component; none for the scope's own element.
        component: Option<u16>,
    },
    /// An attribute of the element of a field.
    FieldAttribute {
        /// The field.
        field: u16,
    },
}

/// What the schema knows of a component or scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sibling {
    /// A field.
    Field(u16),
    /// A component.
    Component(u16),
}

/// Content of a message or entry that its schema does not define, in its order: numbered fields, and
/// elements and attributes with their places. A format writes what came in it, and counts the rest.
///
/// One arena, so that keeping it costs no allocation in steady state.
#[derive(Clone, Debug, Default)]
pub struct Unknown {
    /// Number and end of each; of markup, [`MARKUP`].
    fields: Vec<(u32, usize)>,
    /// The values; of markup, its place before it.
    bytes: Vec<u8>,
}

/// The number of no field. So what is no field takes no room where there is none.
const MARKUP: u32 = u32::MAX;

/// How many bytes a place takes.
const PLACE: usize = 8;

/// The scope's own element in place of a component.
const NONE: u16 = u16::MAX;

impl Unknown {
    /// Forgets all.
    #[inline]
    pub fn clear(&mut self) {
        self.fields.clear();
        self.bytes.clear();
    }

    /// Keeps one field.
    pub fn push(&mut self, number: u32, value: &[u8]) {
        self.bytes.extend_from_slice(value);
        self.fields.push((number, self.bytes.len()));
    }

    /// Keeps an element, as XML that declares what it needs; or an attribute, as `name="value"` with the
    /// value escaped and no prefix, and the name of its namespace behind it, if it is in one.
    pub fn push_markup(&mut self, place: Place, text: &str) {
        self.bytes.extend_from_slice(&place.to_bytes());
        self.push(MARKUP, text.as_bytes());
    }

    /// Is there none?
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// Number and raw value of each field.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &[u8])> {
        self.all().filter(|(number, _)| *number != MARKUP)
    }

    /// The elements and attributes with their places, as [`push_markup`](Self::push_markup) has them.
    pub fn markup(&self) -> impl Iterator<Item = (Place, &str)> {
        self.all().filter(|(number, _)| *number == MARKUP).filter_map(|(_, bytes)| {
            let (place, text) = bytes.split_first_chunk::<PLACE>()?;
            Some((Place::from_bytes(*place)?, std::str::from_utf8(text).ok()?))
        })
    }

    fn all(&self) -> impl Iterator<Item = (u32, &[u8])> {
        let mut start = 0;
        self.fields.iter().map(move |&(number, end)| {
            let value = &self.bytes[start..end];
            start = end;
            (number, value)
        })
    }
}

impl Place {
    fn to_bytes(self) -> [u8; PLACE] {
        let number = |component: Option<u16>| component.unwrap_or(NONE);
        let (kind, first, second) = match self {
            Self::Element { component, behind: None } => (0, number(component), 0),
            Self::Element { component, behind: Some(Sibling::Field(field)) } => {
                (1, number(component), field.into())
            }
            Self::Element { component, behind: Some(Sibling::Component(inner)) } => {
                (2, number(component), inner.into())
            }
            Self::Entry { field, entries } => (3, field, entries),
            Self::Attribute { component } => (4, number(component), 0),
            Self::FieldAttribute { field } => (5, field, 0),
        };
        let mut bytes = [kind, 0, 0, 0, 0, 0, 0, 0];
        bytes[2..4].copy_from_slice(&first.to_le_bytes());
        bytes[4..].copy_from_slice(&second.to_le_bytes());
        bytes
    }

    fn from_bytes([kind, _, a, b, rest @ ..]: [u8; PLACE]) -> Option<Self> {
        let (first, second) = (u16::from_le_bytes([a, b]), u32::from_le_bytes(rest));
        let component = Some(first).filter(|it| *it != NONE);
        Some(match kind {
            0 => Self::Element { component, behind: None },
            1 => Self::Element { component, behind: Some(Sibling::Field(second as u16)) },
            2 => Self::Element { component, behind: Some(Sibling::Component(second as u16)) },
            3 => Self::Entry { field: first, entries: second },
            4 => Self::Attribute { component },
            5 => Self::FieldAttribute { field: first },
            _ => return None,
        })
    }
}

impl PartialEq for Unknown {
    fn eq(&self, other: &Self) -> bool {
        self.fields == other.fields && self.bytes == other.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_told_apart_and_has_its_place() {
        let places = [
            Place::Element { component: None, behind: None },
            Place::Element { component: Some(7), behind: Some(Sibling::Field(300)) },
            Place::Element { component: Some(0), behind: Some(Sibling::Component(2)) },
            Place::Entry { field: 513, entries: 70_000 },
            Place::Attribute { component: None },
            Place::Attribute { component: Some(1) },
            Place::FieldAttribute { field: 9 },
        ];
        let mut unknown = Unknown::default();
        for (number, place) in (1..).zip(places) {
            unknown.push(number, b"value");
            unknown.push_markup(place, "<ü/>");
        }
        assert!(unknown.iter().eq((1..8).map(|number| (number, &b"value"[..]))));
        assert!(unknown.markup().eq(places.map(|place| (place, "<ü/>"))));
        unknown.clear();
        assert!(unknown.is_empty());
    }
}
