//! A message of an application before it has a number.

use crate::outbox::{Outbox, SendError, is_own, push_bytes};
use crate::tags;

/// A message that is put together field by field, as they stand in a log or are typed.
///
/// What the session writes itself is passed over: numbers and times of the header, names of the two sides, BodyLength,
/// CheckSum.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Draft {
    message_type: String,
    header: Vec<(u32, Vec<u8>)>,
    body: Vec<u8>,
}

impl Draft {
    /// A message of this MsgType (35), without fields.
    pub fn new(message_type: &str) -> Self {
        Self { message_type: message_type.to_owned(), ..Self::default() }
    }

    /// MsgType (35).
    pub fn message_type(&self) -> &str {
        &self.message_type
    }

    /// Adds a field: in the header if it is one of it, else behind the last field of the body. MsgType changes what the
    /// message is.
    pub fn push(&mut self, tag: u32, value: &[u8]) {
        match tag {
            tags::MSG_TYPE => self.message_type = String::from_utf8_lossy(value).into_owned(),
            _ if is_own(tag) || tags::is_of_trailer(tag) => {}
            _ if tags::is_of_header(tag) => {
                let at = self.header.partition_point(|it| it.0 <= tag);
                self.header.insert(at, (tag, value.to_vec()));
            }
            _ => push_bytes(&mut self.body, tag, value),
        }
    }

    /// The fields of the body, each with its delimiter.
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// Sends it, and returns its MsgSeqNum.
    ///
    /// # Errors
    /// As [`Outbox::send`].
    pub fn send(&self, outbox: &mut Outbox) -> Result<u64, SendError> {
        let header: Vec<(u32, &[u8])> = self.header.iter().map(|it| (it.0, &*it.1)).collect();
        outbox.send_with(&self.message_type, &header, &self.body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_session_writes_is_passed_over_and_the_header_is_in_order() {
        let mut draft = Draft::default();
        for (tag, value) in [
            (8, "FIX.4.4"),
            (9, "70"),
            (35, "D"),
            (34, "7"),
            (49, "A"),
            (56, "B"),
            (52, "20261126-09:30:00"),
            (129, "desk"),
            (115, "fund"),
            (11, "x"),
            (55, "INTC"),
            (10, "123"),
        ] {
            draft.push(tag, value.as_bytes());
        }
        let header: Vec<(u32, Vec<u8>)> = vec![(115, b"fund".to_vec()), (129, b"desk".to_vec())];
        assert_eq!((draft.message_type(), &draft.header), ("D", &header));
        assert_eq!(draft.body(), b"11=x\x0155=INTC\x01");
    }
}
