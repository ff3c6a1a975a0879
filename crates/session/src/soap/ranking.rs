//! Which of the requests that wait is served next, by their operations.

use trunkline_soap as soap;

use super::service::Endpoint;

/// Bytes of an envelope in which the operation is looked for: who looks is the thread that reads for all connections.
const LOOK: usize = 64 << 10;

impl Endpoint {
    /// The rank of the operation that a request calls, by the element in its Body, and by its action where several have that or
    /// nobody can tell; the last where neither tells.
    pub(super) fn rank(&self, action: &str, envelope: &[u8]) -> u64 {
        let (operations, elements) = (&self.0.service.operations, &self.0.elements);
        let body = self.body(envelope);
        let has_element = |it: &usize| body.as_ref().is_none_or(|of| elements[*it].contains(of));
        let mut same = (0..operations.len()).filter(has_element);
        let found = match (same.next(), same.next()) {
            (only, None) => only.filter(|_| body.is_some()),
            _ => None,
        };
        let is_called = |it: &usize| has_element(it) && operations[*it].action == action;
        let found = found.or_else(|| (0..operations.len()).find(is_called));
        found.map_or(u64::MAX, |it| operations[it].rank.into())
    }

    /// The element in the Body, if the envelope can be read so far.
    fn body(&self, envelope: &[u8]) -> Option<soap::QName> {
        let end = envelope.len().min(LOOK);
        // A character may be cut there, of which no more than three bytes are left.
        let ends = if end < envelope.len() { end - 3..=end } else { end..=end };
        let opened =
            ends.rev().find_map(|it| soap::open(&envelope[..it], &self.0.service.limits).ok());
        opened?.body
    }
}
