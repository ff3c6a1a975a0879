//! A peer as a subject of experiments.

use super::Peer;
use crate::experiment::{Operation, Sample, Subject, SubjectError};

/// One format of a running peer.
#[derive(Debug)]
pub struct PeerSubject {
    peer: Peer,
    name: String,
    format: String,
    is_decoder: bool,
    /// It was seen to decode and encode.
    is_tried: bool,
}

impl PeerSubject {
    /// Takes part in experiments with `format`, which the peer must have named.
    pub fn new(peer: Peer, format: &str) -> Self {
        let name = trunkline_experiment::subjects::subject_of(&peer.greeting().name).to_owned();
        let format = format.to_owned();
        Self { peer, name, format, is_decoder: false, is_tried: false }
    }

    /// Rows call it `name`.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        self.name = name.to_owned();
        self
    }

    /// Hands the peer messages without trying whether it copies: for what is not timed.
    pub(crate) fn load(&mut self, corpus: &[Vec<u8>]) -> Result<(), SubjectError> {
        Ok(self.peer.load(&self.format, corpus)?)
    }

    /// Asks the peer to end.
    pub(crate) fn stop(self) {
        self.peer.stop();
    }

    /// The peer is timed while decoding only.
    #[must_use]
    pub fn decoding_only(mut self) -> Self {
        self.is_decoder = true;
        self
    }

    /// The peer decodes all messages into one, which is all that it is timed with.
    #[must_use]
    pub fn reusing(mut self) -> Self {
        self.peer.reuse_messages();
        self.decoding_only()
    }
}

impl Subject for PeerSubject {
    fn name(&self) -> &str {
        &self.name
    }

    fn format(&self) -> &str {
        &self.format
    }

    fn can(&self, operation: Operation) -> bool {
        operation == Operation::Decode || !self.is_decoder
    }

    fn prepare(&mut self, corpus: &[Vec<u8>]) -> Result<(), SubjectError> {
        if !self.is_tried {
            self.peer.try_disguised(&self.format, corpus)?;
            self.is_tried = true;
        }
        self.load(corpus)
    }

    fn echo(&mut self) -> Result<Vec<Vec<u8>>, SubjectError> {
        Ok(self.peer.echo()?)
    }

    fn run(&mut self, operation: Operation, passes: u32) -> Result<Sample, SubjectError> {
        Ok(self.peer.run(operation, passes)?)
    }
}
