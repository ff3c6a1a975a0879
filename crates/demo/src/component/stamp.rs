//! What the lab writes into the first bytes of every payload, so that each hop can be timed and checked.
//!
//! ```text
//!   0        8        16   18   20       24       28       32
//!  +--------+--------+----+----+--------+--------+--------+---------------- - -
//!  | due    | number | run|kind| of     | topic  | check  | body: prices
//!  |        |        |    |    | topic  |        |        |
//!  +--------+--------+----+----+--------+--------+--------+---------------- - -
//! ```
//!
//! All numbers are little-endian. `due` is when the message was to be sent, in nanoseconds of the
//! monotonic clock, which all processes of a machine share; `number` counts the messages of the
//! publisher, `of topic` those of the topic, from 0; `check` is a sum of the body's bytes.

use std::fmt;

/// Bytes of a stamp.
pub const STAMP: usize = 32;

/// The most bytes of a body.
pub const MOST_BODY: usize = 1 << 16;

/// What a message is in an experiment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A rate.
    Rate,
    /// An order of the algo engine.
    Order,
    /// Shows that a subscription has taken effect.
    Probe,
    /// The last message of a run.
    End,
    /// A subscriber tells how many messages it has.
    Feedback,
}

impl Kind {
    const ALL: [Self; 5] = [Self::Rate, Self::Order, Self::Probe, Self::End, Self::Feedback];

    fn number(self) -> u16 {
        match self {
            Self::Rate => 0,
            Self::Order => 1,
            Self::Probe => 2,
            Self::End => 3,
            Self::Feedback => 4,
        }
    }
}

/// The stamp of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stamp {
    /// When it was to be sent.
    pub due: u64,
    /// Its number among the publisher's, or how many messages the sender of a feedback has.
    pub number: u64,
    /// The run that it belongs to.
    pub run: u16,
    /// What it is.
    pub kind: Kind,
    /// Its number among those of its topic.
    pub of_topic: u32,
    /// Index of its topic.
    pub topic: u32,
    /// Sum of the body.
    pub check: u32,
}

/// Why a payload is none that the lab sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Damage {
    /// It has fewer bytes than a stamp.
    Short {
        /// Its bytes.
        bytes: usize,
    },
    /// There is no such kind.
    Kind(u16),
    /// The body is another.
    Check {
        /// What the stamp says.
        stamped: u32,
        /// What the body says.
        found: u32,
    },
}

impl fmt::Display for Damage {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Short { bytes } => write!(out, "a payload of {bytes} bytes"),
            Self::Kind(number) => write!(out, "a message of kind {number}"),
            Self::Check { stamped, found } => {
                write!(out, "a body whose sum is {found:#x} and not {stamped:#x}")
            }
        }
    }
}

impl Stamp {
    /// Writes it into the first bytes of a payload.
    ///
    /// # Panics
    ///
    /// If the payload is shorter than [`STAMP`].
    #[inline]
    pub fn write(&self, payload: &mut [u8]) {
        let at: &mut [u8; STAMP] =
            payload.first_chunk_mut().expect("a payload has room for a stamp");
        at[0..8].copy_from_slice(&self.due.to_le_bytes());
        at[8..16].copy_from_slice(&self.number.to_le_bytes());
        at[16..18].copy_from_slice(&self.run.to_le_bytes());
        at[18..20].copy_from_slice(&self.kind.number().to_le_bytes());
        at[20..24].copy_from_slice(&self.of_topic.to_le_bytes());
        at[24..28].copy_from_slice(&self.topic.to_le_bytes());
        at[28..32].copy_from_slice(&self.check.to_le_bytes());
    }

    /// Reads it from a payload, whose body it compares.
    ///
    /// # Errors
    ///
    /// The payload is no message of the lab, or its body has changed.
    #[inline]
    pub fn read(payload: &[u8]) -> Result<Self, Damage> {
        let Some((at, body)) = payload.split_first_chunk::<STAMP>() else {
            return Err(Damage::Short { bytes: payload.len() });
        };
        let long = |from: usize| u64::from_le_bytes(array(&at[from..from + 8]));
        let word = |from: usize| u32::from_le_bytes(array(&at[from..from + 4]));
        let half = |from: usize| u16::from_le_bytes(array(&at[from..from + 2]));
        let number = half(18);
        let Some(&kind) = Kind::ALL.get(usize::from(number)) else {
            return Err(Damage::Kind(number));
        };
        let (stamped, found) = (word(28), sum(body));
        if stamped != found {
            return Err(Damage::Check { stamped, found });
        }
        Ok(Self {
            due: long(0),
            number: long(8),
            run: half(16),
            kind,
            of_topic: word(20),
            topic: word(24),
            check: stamped,
        })
    }
}

fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut array = [0; N];
    array.copy_from_slice(bytes);
    array
}

/// A sum in which the place of each eight bytes counts. It must cost little beside a message.
#[inline]
pub fn sum(body: &[u8]) -> u32 {
    let (words, rest) = body.as_chunks::<8>();
    let mut sum = rest.iter().fold(0_u64, |sum, &byte| sum.wrapping_mul(31) + u64::from(byte));
    let mut factor = 0x9E37_79B9_7F4A_7C15_u64;
    for word in words {
        sum = sum.wrapping_add(u64::from_le_bytes(*word).wrapping_mul(factor));
        factor = factor.wrapping_add(0xA24B_AED4_963E_E406);
    }
    (sum ^ (sum >> 32)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn payload() -> Vec<u8> {
        let mut payload = vec![0; 133];
        for (index, byte) in payload.iter_mut().enumerate() {
            *byte = (index * 7) as u8;
        }
        let check = sum(&payload[STAMP..]);
        let stamp = Stamp {
            due: 0x0102_0304_0506_0708,
            number: 42,
            run: 513,
            kind: Kind::Order,
            of_topic: 7,
            topic: 499_999,
            check,
        };
        stamp.write(&mut payload);
        assert_eq!(Stamp::read(&payload), Ok(stamp));
        payload
    }

    #[test]
    fn every_changed_byte_of_the_body_is_noticed() {
        let original = payload();
        for at in STAMP..original.len() {
            let mut changed = original.clone();
            changed[at] ^= 0x10;
            assert!(matches!(Stamp::read(&changed), Err(Damage::Check { .. })), "byte {at}");
        }
        let mut exchanged = original.clone();
        exchanged[STAMP..STAMP + 16].rotate_left(8);
        assert!(Stamp::read(&exchanged).is_err());
    }

    #[test]
    fn what_is_no_message_of_the_lab_is_rejected() {
        let original = payload();
        assert_eq!(Stamp::read(&original[..31]), Err(Damage::Short { bytes: 31 }));
        let mut other = original;
        other[18] = 5;
        assert_eq!(Stamp::read(&other), Err(Damage::Kind(5)));
    }
}
