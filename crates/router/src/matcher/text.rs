//! A short string in place.

/// Bytes that need no allocation.
const SHORT: usize = 22;

/// The bytes of a level, in 24 bytes of its node if they are few.
pub(super) enum Text {
    Short(u8, [u8; SHORT]),
    Long(Box<[u8]>),
}

impl Text {
    pub(super) fn new(text: &[u8]) -> Self {
        let mut bytes = [0; SHORT];
        match bytes.get_mut(..text.len()) {
            Some(place) => {
                place.copy_from_slice(text);
                Self::Short(text.len() as u8, bytes)
            }
            None => Self::Long(text.into()),
        }
    }

    #[inline]
    pub(super) fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Short(length, bytes) => &bytes[..usize::from(*length)],
            Self::Long(bytes) => bytes,
        }
    }
}
