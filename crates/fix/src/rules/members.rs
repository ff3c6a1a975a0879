//! The fields of a message, or of an entry of a group, found by their numbers.

use foldhash::HashSet;

use super::Member;
use crate::tags::Tag;

/// What may stand in a message, or in an entry of a group.
#[derive(Debug)]
pub(super) struct Members {
    /// By their positions.
    all: Vec<Member>,
    /// The places of members among all, each plus one, where their numbers lead to or behind that; zero is free. Half of
    /// them are free at least.
    slots: Box<[u32]>,
    required: Vec<Tag>,
    /// The positions of the required ones, unless one is too far behind to be noted.
    needed: Option<Positions>,
}

/// Positions of members, one bit each.
type Positions = [u64; 4];

impl Members {
    /// Members by their positions, each number once, and the numbers of those that must be there.
    pub(super) fn new(all: Vec<Member>, required: Vec<Tag>) -> Self {
        let slots = vec![0; (all.len() * 2).next_power_of_two().max(2)].into();
        let mut members = Self { all, slots, required, needed: None };
        for place in 0..members.all.len() {
            let tag = members.all[place].tag;
            let mut at = members.slot(tag);
            while members.slots[at] != 0 {
                at = (at + 1) & (members.slots.len() - 1);
            }
            members.slots[at] = u32::try_from(place + 1).unwrap_or_default();
        }
        let mut needed = Seen::default();
        for tag in &members.required {
            needed.add(*tag, members.get(*tag));
        }
        members.needed = needed.others.is_empty().then_some(needed.members);
        members
    }

    /// Where the search for a number begins.
    fn slot(&self, tag: Tag) -> usize {
        // The upper bits of a product with an odd number near 2^32 / golden ratio differ where those of neighbours do not.
        let bits = self.slots.len().trailing_zeros();
        (tag.wrapping_mul(0x9e37_79b9) >> (32 - bits)) as usize
    }

    /// The member with a number.
    #[inline]
    pub(super) fn get(&self, tag: Tag) -> Option<&Member> {
        let mut at = self.slot(tag);
        loop {
            let place = self.slots[at].checked_sub(1)?;
            let member = &self.all[place as usize];
            if member.tag == tag {
                return Some(member);
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    /// With which field an entry begins; 0 if there are no members.
    pub(super) fn first(&self) -> Tag {
        self.all.first().map_or(0, |it| it.tag)
    }

    /// The numbers of those that must be there.
    pub(super) fn required(&self) -> &[Tag] {
        &self.required
    }

    /// Are all there that must be? What is not known says no.
    pub(super) fn are_complete(&self, seen: &Seen) -> bool {
        let needed = self.needed.as_ref();
        needed.is_some_and(|it| it.iter().zip(seen.members).all(|(it, seen)| it & !seen == 0))
    }
}

/// Fields that were there already.
#[derive(Default)]
pub(super) struct Seen {
    /// The first members, by their positions.
    members: Positions,
    others: HashSet<Tag>,
}

impl Seen {
    /// Notes a field; returns whether it was not there before.
    #[inline]
    pub(super) fn add(&mut self, tag: Tag, member: Option<&Member>) -> bool {
        let position = member.map_or(usize::MAX, |it| it.position as usize);
        let Some(word) = self.members.get_mut(position / 64) else {
            return self.others.insert(tag);
        };
        let (before, bit) = (*word, 1 << (position % 64));
        *word |= bit;
        before & bit == 0
    }
}
