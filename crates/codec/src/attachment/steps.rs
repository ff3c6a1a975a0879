//! What parsers have inside.

use std::ops::Range;

use trunkline_message::Result;

use super::Event;

/// A parser that goes on in steps, not each of which is an event.
pub trait Steps {
    /// Goes on in the input; answers how many of its bytes are done with, and what they are.
    ///
    /// # Errors
    /// As [`next`](super::Parser::next).
    fn step(&mut self, input: &[u8], is_last: bool) -> Result<(usize, Option<Event>)>;

    /// These bytes of the input are done with.
    fn advance(&mut self, done: Range<usize>);
}
