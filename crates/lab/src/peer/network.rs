//! What a peer is asked in a network experiment: it is one end of a connection over TCP.
//!
//! Two peers work at the same time: one is given a question by `begin_...` and the other is asked
//! before the first one's answer is collected by `finish_...`.

use std::fs;
use std::path::PathBuf;

use trunkline_net::tcp::Wait;

use super::{Peer, PeerError, claim, numbers, port, read_times};

/// What one round trip took at the side that called, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundTrip {
    /// From the structure to bytes.
    pub encode: u64,
    /// From before the bytes were sent until the reply had come completely.
    pub network: u64,
    /// From the reply's bytes to a structure.
    pub decode: u64,
}

/// What one message took at the side that replied, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply {
    /// From bytes to a structure.
    pub decode: u64,
    /// From that structure to bytes.
    pub encode: u64,
}

/// How late the reply to a message of an open loop was, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paced {
    /// From when the message should have been sent until its reply was decoded.
    pub from_intended: u64,
    /// The same from when work on the message began.
    pub from_sent: u64,
}

/// Messages in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    /// How many.
    pub messages: u64,
    /// How long they took.
    pub nanoseconds: u64,
    /// How long the thread was on a processor in that time.
    pub cpu_nanoseconds: u64,
}

/// What is done with the messages of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carried {
    /// They are encoded one by one, or decoded.
    Structures,
    /// They have been encoded before, or are framed only.
    Bytes,
}

impl Peer {
    /// Lets the peer listen for one connection after another; returns the port.
    ///
    /// # Errors
    /// See [`PeerErrorKind`](super::PeerErrorKind).
    pub fn listen(&mut self) -> Result<u16, PeerError> {
        self.parsed("listen", "listening PORT", |answer| port(answer, "listening "))
    }

    /// Lets the peer reply to every message of the next connection.
    ///
    /// # Errors
    /// The peer has ended.
    pub fn begin_reply(&mut self, wait: Wait) -> Result<(), PeerError> {
        let file = self.new_times_file();
        self.process.begin(&format!("reply {} {}", wait.name(), file.display()))
    }

    /// What the `count` messages took that the peer has replied to; waits for the end of the
    /// connection.
    ///
    /// # Errors
    /// See [`PeerErrorKind`](super::PeerErrorKind); another count is unexpected.
    pub fn finish_reply(&mut self, count: u64) -> Result<Vec<Reply>, PeerError> {
        let (question, answer) = self.process.finish()?;
        let expected = format!("replied {count}");
        if answer != expected {
            return Err(self.process.unexpected(&question, &answer, &expected));
        }
        let times = self.times_in_all(&question, count)?;
        Ok(times.into_iter().map(|[decode, encode]| Reply { decode, encode }).collect())
    }

    /// Lets the peer call the one at `address`, `count` times one after another.
    ///
    /// # Errors
    /// See [`PeerErrorKind`](super::PeerErrorKind); another count is unexpected.
    pub fn call(
        &mut self,
        address: &str,
        wait: Wait,
        count: u64,
    ) -> Result<Vec<RoundTrip>, PeerError> {
        let file = self.new_times_file();
        let question = format!("call {address} {} {count} {}", wait.name(), file.display());
        self.counted(&question, "called", count)?;
        let times = self.times_in_all::<3>(&question, count)?;
        let round_trip =
            |[encode, network, decode]: [u64; 3]| RoundTrip { encode, network, decode };
        Ok(times.into_iter().map(round_trip).collect())
    }

    /// Lets the peer call the one at `address` with `rate` messages a second, whether replies have
    /// come or not. Our own end only.
    ///
    /// # Errors
    /// See [`PeerErrorKind`](super::PeerErrorKind); another count is unexpected.
    pub fn pace(
        &mut self,
        address: &str,
        wait: Wait,
        rate: f64,
        count: u64,
    ) -> Result<Vec<Paced>, PeerError> {
        let file = self.new_times_file();
        let question = format!("pace {address} {} {rate} {count} {}", wait.name(), file.display());
        self.counted(&question, "paced", count)?;
        let times = self.times::<2>(&question, count)?;
        let paced = |[from_intended, from_sent]: [u64; 2]| Paced { from_intended, from_sent };
        Ok(times.into_iter().map(paced).collect())
    }

    /// Lets the peer receive all messages of the next connection. With `slow`, it takes so many times
    /// as long for them.
    ///
    /// # Errors
    /// The peer has ended.
    pub fn begin_drain(
        &mut self,
        wait: Wait,
        carried: Carried,
        slow: Option<f64>,
    ) -> Result<(), PeerError> {
        let carried = match carried {
            Carried::Structures => "structures",
            Carried::Bytes => "bytes",
        };
        self.process.begin(&format!("drain {} {carried}{}", wait.name(), suffix(slow)))
    }

    /// What it took to receive `count` messages: from the first bytes to the end of work on the
    /// last. Waits for the end of the connection.
    ///
    /// # Errors
    /// See [`PeerErrorKind`](super::PeerErrorKind); another count is unexpected.
    pub fn finish_drain(&mut self, count: u64) -> Result<Flow, PeerError> {
        let (question, answer) = self.process.finish()?;
        self.flow(&question, &answer, "drained", count)
    }

    /// Lets the peer send `count` messages to the one at `address`, and says what that took: from the
    /// first send to the end of the last. With `slow`, it takes so many times as long for them.
    ///
    /// # Errors
    /// See [`PeerErrorKind`](super::PeerErrorKind); another count is unexpected.
    pub fn pour(
        &mut self,
        address: &str,
        count: u64,
        carried: Carried,
        slow: Option<f64>,
    ) -> Result<Flow, PeerError> {
        let carried = match carried {
            Carried::Structures => "structures",
            Carried::Bytes => "encoded",
        };
        let question = format!("pour {address} {count} {carried}{}", suffix(slow));
        let answer = self.process.ask(&question)?;
        self.flow(&question, &answer, "poured", count)
    }

    fn flow(
        &self,
        question: &str,
        answer: &str,
        verb: &str,
        count: u64,
    ) -> Result<Flow, PeerError> {
        let flow = answer.strip_prefix(verb).and_then(|rest| {
            let [messages, nanoseconds, cpu_nanoseconds] = numbers(rest.strip_prefix(' ')?, ',')?;
            (messages == count).then_some(Flow { messages, nanoseconds, cpu_nanoseconds })
        });
        let unexpected = |expected: &str| self.process.unexpected(question, answer, expected);
        let Some(flow) = flow else {
            return Err(unexpected(&format!("{verb} {count},nanoseconds,CPU nanoseconds")));
        };
        let longer = flow.nanoseconds.max(flow.cpu_nanoseconds);
        match claim::too_long(longer, self.process.took()) {
            Some(expected) => Err(self.process.incredible(question, answer, &expected)),
            None => Ok(flow),
        }
    }

    /// Where times of the next question go; no earlier ones are left there.
    pub(super) fn new_times_file(&self) -> PathBuf {
        let file = self.times_file();
        // Most often there is none.
        let _ = fs::remove_file(&file);
        file
    }

    fn times_file(&self) -> PathBuf {
        self.folder.path().join("times")
    }

    /// Times of what was done one after the other, which cannot have taken longer than we waited.
    pub(super) fn times_in_all<const N: usize>(
        &self,
        question: &str,
        count: u64,
    ) -> Result<Vec<[u64; N]>, PeerError> {
        let times = self.times::<N>(question, count)?;
        let sum = times.iter().flatten().fold(0, |sum: u64, time| sum.saturating_add(*time));
        match claim::too_long(sum, self.process.took()) {
            None => Ok(times),
            Some(expected) => {
                let answer = format!("times of {sum} ns");
                Err(self.process.incredible(question, &answer, &expected))
            }
        }
    }

    pub(super) fn times<const N: usize>(
        &self,
        question: &str,
        count: u64,
    ) -> Result<Vec<[u64; N]>, PeerError> {
        let times = read_times(&self.times_file(), count);
        times.map_err(|cause| self.file_failed(question, cause))
    }
}

fn suffix(slow: Option<f64>) -> String {
    slow.map_or_else(String::new, |factor| format!(" slow {factor}"))
}
