//! From the name of a topic back to its index: what adaptors need whose middleware sends names.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::io;

/// A number that stands for a topic's name, the same in every program.
///
/// Eight bytes a step, with a folded multiplication each: a name costs a few nanoseconds, so that a
/// middleware is not measured by how the lab looks up its names.
#[inline]
pub fn tag_of(name: &[u8]) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |state: u64, word: u64| {
        let product = u128::from(state ^ word) * u128::from(ODD);
        (product as u64) ^ ((product >> 64) as u64)
    };
    let (words, rest) = name.as_chunks::<8>();
    let mut state = ODD ^ name.len() as u64;
    for word in words {
        state = mix(state, u64::from_le_bytes(*word));
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    mix(mix(state, u64::from_le_bytes(last)), ODD)
}

/// Finds the index of a topic among the names given to an adaptor.
#[derive(Debug, Default)]
pub struct TopicIndex {
    by_tag: HashMap<u64, usize, BuildHasherDefault<Unchanged>>,
}

impl TopicIndex {
    /// An index of these names, as the middleware will send them.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`] if a name comes twice, or shares its number with another.
    pub fn new(names: impl IntoIterator<Item = impl AsRef<[u8]>>) -> io::Result<Self> {
        let mut by_tag = HashMap::default();
        for (index, name) in names.into_iter().enumerate() {
            if let Some(earlier) = by_tag.insert(tag_of(name.as_ref()), index) {
                let name = String::from_utf8_lossy(name.as_ref()).into_owned();
                let text = format!("topic {index}, {name}: the same as topic {earlier}");
                return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
            }
        }
        Ok(Self { by_tag })
    }

    /// The index of the topic with this name. A middleware sends what was subscribed to, so that a
    /// name which is none of ours does not have to be told from one with the same number.
    #[inline]
    pub fn find(&self, name: &[u8]) -> Option<usize> {
        self.find_tag(tag_of(name))
    }

    /// The index of the topic with this number, see [`tag_of`].
    #[inline]
    pub fn find_tag(&self, tag: u64) -> Option<usize> {
        self.by_tag.get(&tag).copied()
    }
}

/// Tags are hashes already.
#[derive(Debug, Default)]
struct Unchanged(u64);

impl Hasher for Unchanged {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = tag_of(bytes);
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_of_many_is_found_and_no_other() {
        let names: Vec<String> = (0..100_000).map(|n| format!("fx/{}/{n}/tier1", n % 37)).collect();
        let index = TopicIndex::new(&names).expect("names that differ");
        for (at, name) in names.iter().enumerate() {
            assert_eq!(index.find(name.as_bytes()), Some(at));
        }
        assert_eq!(index.find(b"fx/1/2"), None);
        assert_eq!(index.find(b""), None);
    }

    #[test]
    fn names_differ_by_their_length_and_by_every_byte() {
        let name = b"0123456789abcdef".to_vec();
        for at in 0..name.len() {
            let mut other = name.clone();
            other[at] ^= 1;
            assert_ne!(tag_of(&name), tag_of(&other), "byte {at}");
            assert_ne!(tag_of(&name), tag_of(&name[..at]), "{at} bytes");
        }
        assert_ne!(tag_of(b"a"), tag_of(b"a\0"));
    }

    #[test]
    fn a_name_that_comes_twice_is_rejected() {
        let error = TopicIndex::new(["a/b", "c", "a/b"]).expect_err("twice the same");
        assert_eq!(error.to_string(), "topic 2, a/b: the same as topic 0");
    }
}
