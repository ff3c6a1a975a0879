//! How many rows and items an array of several dimensions has, which its start tag says before any of them.

use trunkline_message::{Encoder, Fields};
use trunkline_wire::{
    BigDecimal, BigInteger, Code, Date, Decimal, Duration, Float, Integer, Time, Timestamp,
};

use super::MOST_DIMENSIONS;

/// Rows that an array without an item may have: they take no bytes to send, but memory to hold.
pub(crate) const MOST_EMPTY: usize = 1024;
const RAGGED: &str =
    "the rows of an array of several dimensions have not all the same number of items";

const TOO_MANY_EMPTY: &str =
    "an array of several dimensions without an item has more than 1024 rows";

/// The sizes of the dimensions, the outermost first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    sizes: [usize; MOST_DIMENSIONS],
    count: usize,
}

impl Sizes {
    /// Of an array without anything in it.
    pub(crate) fn of_nothing(dimensions: usize) -> Self {
        Self { sizes: [0; MOST_DIMENSIONS], count: dimensions }
    }

    /// Of an array of one dimension.
    pub(crate) fn of_items(items: usize) -> Self {
        let mut sizes = Self::of_nothing(1);
        sizes.sizes[0] = items;
        sizes
    }

    pub(crate) fn as_slice(&self) -> &[usize] {
        &self.sizes[..self.count]
    }
}

/// Has an array of these sizes no item, and more rows than such a one may have?
pub(crate) fn has_too_many_empty(sizes: &[usize]) -> bool {
    let mut rows = sizes.iter().take_while(|size| **size > 0);
    let rows = rows.try_fold(1_usize, |rows, size| rows.checked_mul(*size));
    sizes.contains(&0) && rows.is_none_or(|rows| rows > MOST_EMPTY)
}

/// The sizes of an array of so many dimensions that these rows are.
///
/// # Errors
/// Some have another number of items than others, or none has any, and they are too many.
pub(crate) fn of_rows<F: Fields>(rows: &[F], dimensions: usize) -> Result<Sizes, &'static str> {
    let sizes = Sizes::of_nothing(dimensions);
    let mut measure = Measure { sizes, known: 0, level: 0, is_ragged: false };
    measure.rows(rows);
    match measure.sizes {
        _ if measure.is_ragged => Err(RAGGED),
        sizes if has_too_many_empty(sizes.as_slice()) => Err(TOO_MANY_EMPTY),
        sizes => Ok(sizes),
    }
}

/// Counts what is in lists of lists, and takes nothing.
struct Measure {
    sizes: Sizes,
    /// Of how many dimensions the size is known.
    known: usize,
    /// Which of them the present list is.
    level: usize,
    is_ragged: bool,
}

impl Measure {
    fn count(&mut self, items: usize) {
        if self.level == self.known {
            self.sizes.sizes[self.level] = items;
            self.known += 1;
        }
        self.is_ragged |= self.sizes.sizes[self.level] != items;
    }

    fn rows<F: Fields>(&mut self, rows: &[F]) {
        self.count(rows.len());
        if self.level + 1 < self.sizes.count {
            self.level += 1;
            rows.iter().for_each(|row| row.encode_fields(0, self));
            self.level -= 1;
        }
    }
}

impl Encoder for Measure {
    fn boolean(&mut self, _: usize, _: bool) {}
    fn integer<I: Integer>(&mut self, _: usize, _: I) {}
    fn decimal(&mut self, _: usize, _: Decimal) {}
    fn big_integer(&mut self, _: usize, _: &BigInteger) {}
    fn big_decimal(&mut self, _: usize, _: &BigDecimal) {}
    fn float<F: Float>(&mut self, _: usize, _: F) {}
    fn string(&mut self, _: usize, _: &str) {}
    fn bytes(&mut self, _: usize, _: &[u8]) {}
    fn code(&mut self, _: usize, _: Code) {}
    fn date(&mut self, _: usize, _: Date) {}
    fn time(&mut self, _: usize, _: Time) {}
    fn timestamp(&mut self, _: usize, _: Timestamp) {}
    fn duration(&mut self, _: usize, _: Duration) {}
    fn enumeration(&mut self, _: usize, _: usize) {}

    fn integers<I: Integer>(&mut self, _: usize, values: &[I]) {
        self.count(values.len());
    }

    fn floats<F: Float>(&mut self, _: usize, values: &[F]) {
        self.count(values.len());
    }

    fn group<F: Fields>(&mut self, _: usize, entries: &[F]) {
        self.rows(entries);
    }

    fn structure<F: Fields>(&mut self, _: usize, _: &F) {}
}
