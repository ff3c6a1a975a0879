//! Which value is it that has a delimiter inside? Asked only when the count of delimiters is wrong.

use trunkline_message::{Any, Encoder, Error, ErrorKind, Fields, Message};
use trunkline_wire::{
    BigDecimal, BigInteger, Code, Date, Decimal, Duration, Float, Integer, Time, Timestamp,
};

use super::SOH;
use super::plan::Plan;

/// The error for a message that was written as `output`.
#[cold]
#[inline(never)]
pub(super) fn stray_delimiter<M: Message>(plan: &Plan, message: &M, output: &[u8]) -> Error {
    let mut finder = Finder { plan, output, scope: 0, found: None };
    message.encode_fields(0, &mut finder);
    finder.found.unwrap_or_else(|| unwritable(0))
}

fn unwritable(offset: usize) -> Error {
    Error::new(ErrorKind::Unwritable("the text has the delimiter SOH (0x01) inside"), offset)
}

/// Visits the fields once more; only text and codes can hold a stray delimiter.
struct Finder<'a> {
    plan: &'a Plan,
    output: &'a [u8],
    scope: usize,
    found: Option<Error>,
}

impl Finder<'_> {
    fn look(&mut self, field: usize, value: &[u8]) {
        if self.found.is_none()
            && let Some(at) = memchr::memchr(SOH, value)
        {
            let written = memchr::memmem::find(self.output, value).unwrap_or_default();
            self.found = Some(self.plan.locate(unwritable(written + at), self.scope, field));
        }
    }
}

impl Encoder for Finder<'_> {
    fn boolean(&mut self, _: usize, _: bool) {}
    fn integer<I: Integer>(&mut self, _: usize, _: I) {}
    fn decimal(&mut self, _: usize, _: Decimal) {}
    fn float<F: Float>(&mut self, _: usize, _: F) {}
    fn big_integer(&mut self, _: usize, _: &BigInteger) {}
    fn big_decimal(&mut self, _: usize, _: &BigDecimal) {}
    fn duration(&mut self, _: usize, _: Duration) {}
    fn enumeration(&mut self, _: usize, _: usize) {}
    fn string(&mut self, field: usize, value: &str) {
        self.look(field, value.as_bytes());
    }
    fn bytes(&mut self, _: usize, _: &[u8]) {}
    fn any(&mut self, _: usize, _: &Any) {}
    fn code(&mut self, field: usize, value: Code) {
        self.look(field, value.as_bytes());
    }
    fn date(&mut self, _: usize, _: Date) {}
    fn time(&mut self, _: usize, _: Time) {}
    fn timestamp(&mut self, _: usize, _: Timestamp) {}
    fn integers<I: Integer>(&mut self, _: usize, _: &[I]) {}
    fn floats<F: Float>(&mut self, _: usize, _: &[F]) {}
    fn group<F: Fields>(&mut self, field: usize, entries: &[F]) {
        if self.found.is_some() {
            return;
        }
        let outer = self.scope;
        self.scope = self.plan.scopes[outer].slots[field].inside();
        for (i, entry) in entries.iter().enumerate() {
            entry.encode_fields(0, self);
            if let Some(error) = self.found.take() {
                self.found = Some(self.plan.locate(error.in_entry(i), outer, field));
                break;
            }
        }
        self.scope = outer;
    }
    fn structure<F: Fields>(&mut self, field: usize, value: &F) {
        if self.found.is_some() {
            return;
        }
        let outer = self.scope;
        self.scope = self.plan.scopes[outer].slots[field].inside();
        value.encode_fields(0, self);
        let found = self.found.take();
        self.found = found.map(|error| self.plan.locate(error, outer, field));
        self.scope = outer;
    }
}
