//! A peer as a subject of experiments.

use super::Peer;
use crate::experiment::{Operation, Sample, Subject, SubjectError};

/// One format of a running peer.
#[derive(Debug)]
pub struct PeerSubject {
    peer: Peer,
    format: String,
    profile: String,
    is_decoder: bool,
    /// What rows call it while it decodes all messages into one.
    reusing: Option<&'static str>,
    /// It was seen to decode and encode.
    is_tried: bool,
}

impl PeerSubject {
    /// Takes part in experiments with `format`, which the peer must have named; `profile` is what
    /// rows say about how the bytes are made.
    pub fn new(peer: Peer, format: &str, profile: &str) -> Self {
        let (format, profile) = (format.to_owned(), profile.to_owned());
        Self { peer, format, profile, is_decoder: false, reusing: None, is_tried: false }
    }

    /// The peer is timed while decoding only.
    #[must_use]
    pub fn decoding_only(mut self) -> Self {
        self.is_decoder = true;
        self
    }

    /// The peer decodes all messages into one, which is all that it is timed with, and rows call it
    /// `name`.
    #[must_use]
    pub fn reusing(mut self, name: &'static str) -> Self {
        self.peer.reuse_messages();
        self.reusing = Some(name);
        self
    }

    /// The peer behind it.
    pub fn peer(&self) -> &Peer {
        &self.peer
    }
}

impl Subject for PeerSubject {
    fn name(&self) -> &str {
        match self.reusing {
            Some(name) => name,
            None => super::discovery::subject_of(&self.peer.greeting().name),
        }
    }

    fn profile(&self) -> &str {
        &self.profile
    }

    fn format(&self) -> &str {
        &self.format
    }

    fn can(&self, operation: Operation) -> bool {
        operation == Operation::Decode || !(self.is_decoder || self.reusing.is_some())
    }

    fn prepare(&mut self, corpus: &[Vec<u8>]) -> Result<(), SubjectError> {
        if !self.is_tried {
            self.peer.try_disguised(&self.format, corpus)?;
            self.is_tried = true;
        }
        Ok(self.peer.load(&self.format, corpus)?)
    }

    fn echo(&mut self) -> Result<Vec<Vec<u8>>, SubjectError> {
        Ok(self.peer.echo()?)
    }

    fn run(&mut self, operation: Operation, passes: u32) -> Result<Sample, SubjectError> {
        Ok(self.peer.run(operation, passes)?)
    }
}
