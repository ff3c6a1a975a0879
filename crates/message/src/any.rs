//! Content of any name and shape, which no schema describes.

use crate::{
    Decoder, Element, Encoder, ErrorKind, FieldValue, Fields, Kind, Result, TypeId, Types,
};

/// Content that the schema says nothing of, as it was read: XML Schema's `any`, for one. It goes
/// through every format as it is, and back.
///
/// ```
/// use trunkline_message::Any;
///
/// let any = Any::from("<p:desk xmlns:p='urn:desks' floor='2'>FX</p:desk>");
/// assert_eq!(Any::from_octets(&any.to_octets()), Some(any));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Any {
    /// One element of a document, as text that declares all prefixes that it uses. Nobody has looked
    /// whether it is one: who writes it into a document does, and rejects what is not.
    Element(String),
    /// What came as octets, of a form that sender and receiver know.
    Octets(Vec<u8>),
}

/// What stands before the octets, and says which they are.
const OCTETS: u8 = 0;
const ELEMENT: u8 = 1;

impl Any {
    /// The element, if it is one.
    pub fn element(&self) -> Option<&str> {
        match self {
            Self::Element(text) => Some(text),
            Self::Octets(_) => None,
        }
    }

    /// An empty text in place of what was there, to hold an element; memory is kept if it held one.
    pub fn element_mut(&mut self) -> &mut String {
        match self {
            Self::Element(text) => text.clear(),
            Self::Octets(_) => *self = Self::Element(String::new()),
        }
        match self {
            Self::Element(text) => text,
            Self::Octets(_) => unreachable!("it is an element now"),
        }
    }

    /// How many bytes it has.
    pub fn len(&self) -> usize {
        match self {
            Self::Element(text) => text.len(),
            Self::Octets(bytes) => bytes.len(),
        }
    }

    /// Is there nothing in it?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All of it as data: an octet that is 1 for an element and 0 for octets, and what it holds.
    pub fn to_octets(&self) -> Vec<u8> {
        let (form, content) = match self {
            Self::Element(text) => (ELEMENT, text.as_bytes()),
            Self::Octets(bytes) => (OCTETS, &bytes[..]),
        };
        [&[form], content].concat()
    }

    /// What [`to_octets`](Self::to_octets) has made; none if this is no such data.
    pub fn from_octets(octets: &[u8]) -> Option<Self> {
        match octets.split_first()? {
            (&OCTETS, content) => Some(Self::Octets(content.to_vec())),
            (&ELEMENT, content) => {
                std::str::from_utf8(content).ok().map(|text| Self::Element(text.into()))
            }
            _ => None,
        }
    }

    /// The error for data that is none of [`to_octets`](Self::to_octets).
    pub fn expected() -> ErrorKind {
        ErrorKind::Expected(
            "an octet that is 1 before an element in UTF-8, or 0 before octets".into(),
        )
    }
}

/// No octets.
impl Default for Any {
    fn default() -> Self {
        Self::Octets(Vec::new())
    }
}

impl From<&str> for Any {
    fn from(element: &str) -> Self {
        Self::Element(element.into())
    }
}

impl From<String> for Any {
    fn from(element: String) -> Self {
        Self::Element(element)
    }
}

impl FieldValue for Any {
    fn empty() -> Self {
        Self::default()
    }

    fn register(types: &mut Types) -> TypeId {
        types.scalar(Kind::Any)
    }

    fn encode<E: Encoder>(&self, position: usize, encoder: &mut E) {
        encoder.any(position, self);
    }

    fn decode<D: Decoder>(&mut self, _: usize, decoder: &mut D) -> Result<()> {
        decoder.any(self)
    }

    fn reset(&mut self) {
        match self {
            Self::Element(text) => text.clear(),
            Self::Octets(bytes) => bytes.clear(),
        }
    }
}

impl Fields for Any {
    fn encode_fields<E: Encoder>(&self, base: usize, encoder: &mut E) {
        FieldValue::encode(self, base, encoder);
    }

    fn decode_field<D: Decoder>(&mut self, _: usize, decoder: &mut D) -> Result<()> {
        FieldValue::decode(self, 0, decoder)
    }

    fn clear(&mut self) {
        FieldValue::reset(self);
    }
}

impl Element for Any {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn octets_say_what_they_are() {
        for any in [Any::from("<ü/>"), Any::Octets(vec![1, 0xff]), Any::default()] {
            assert_eq!(Any::from_octets(&any.to_octets()), Some(any));
        }
        for octets in [&b""[..], b"\x02<a/>", b"\x01\xff"] {
            assert_eq!(Any::from_octets(octets), None, "{octets:?}");
        }
    }
}
