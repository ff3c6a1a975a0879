//! The opening of a document of a sequence, which is passed over if an earlier one began alike, and its end.

use super::parser::{Declaration, Name, Open, Parser, State};
use super::vocabulary::Counters;
use super::{END, TWO_ENDS};
use crate::infoset::Passed;

/// So many openings are remembered, the last ones, of at most so many octets each.
const MOST: usize = 32;
const LONGEST: usize = 512;

/// What documents begin with. All indexes in it were entries before, so that it means the same as long as entries are
/// added only.
#[derive(Debug)]
pub(super) struct Opening {
    caller: u64,
    octets: Box<[u8]>,
    /// How many elements began.
    began: usize,
    open: Box<[Open]>,
    declarations: Box<[Declaration]>,
    /// Where the last element begins.
    last: usize,
    /// How values of attributes came, and how many octets indexes stand for.
    counters: Counters,
    expanded: usize,
}

impl Parser {
    /// As [`Reader::pass`](crate::infoset::Reader::pass).
    pub(super) fn pass(&mut self, bytes: &[u8], caller: u64) -> Option<Passed<Name>> {
        if self.state != State::Prolog {
            return None;
        }
        let is_it = |it: &&Opening| it.caller == caller && bytes.starts_with(&it.octets);
        let known = self.openings.iter().find(is_it)?;
        let ([first, ..], [.., last]) = (&*known.open, &*known.open) else { return None };
        self.open.extend_from_slice(&known.open);
        self.declarations.extend_from_slice(&known.declarations);
        (self.began, self.position) = (known.last, known.octets.len());
        self.counters.add(&known.counters);
        self.expanded = known.expanded;
        self.state = State::Content;
        Some(Passed { first: first.name, last: last.name, began: known.began })
    }

    /// As [`Reader::remember`](crate::infoset::Reader::remember).
    #[cold]
    pub(super) fn remember(&mut self, bytes: &[u8], caller: u64, began: usize) {
        let is_between = self.state == State::Content && !self.second_end;
        let is_same = !self.vocabulary.has_grown(&self.mark);
        let is_short = self.position <= LONGEST && self.attributes.is_empty();
        if self.retains && is_between && is_same && is_short {
            if self.openings.len() == MOST {
                self.openings.remove(0);
            }
            self.openings.push(Opening {
                caller,
                octets: bytes[..self.position].into(),
                began,
                open: self.open.as_slice().into(),
                declarations: self.declarations.as_slice().into(),
                last: self.began,
                counters: self.counters.since(&self.counted),
                expanded: self.expanded,
            });
        }
    }

    /// As [`Reader::end_document`](crate::infoset::Reader::end_document).
    pub(super) fn end_document(&mut self, bytes: &[u8]) -> bool {
        let rest = bytes.get(self.position..).unwrap_or_default();
        let expected = self.open.len() + 1;
        if !matches!(self.state, State::Content | State::Epilog) || rest.len() > expected {
            return false;
        }
        let mut ends = usize::from(self.second_end);
        for octet in rest {
            ends += match *octet {
                END => 1,
                TWO_ENDS => 2,
                _ => return false,
            };
        }
        if ends != expected {
            return false;
        }
        self.open.clear();
        self.declarations.clear();
        (self.began, self.position, self.second_end) = (bytes.len(), bytes.len(), false);
        self.state = State::Between;
        true
    }
}
