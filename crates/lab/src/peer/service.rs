//! What a peer is asked where it is a service.

use super::{Peer, PeerError, numbers, port};

/// What a server is asked for besides its threads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Serving {
    /// Threads of its pool.
    pub threads: u32,
    /// Every connection is for one call.
    pub closes: bool,
    /// More words of the protocol, such as `tls CERTIFICATE KEY`; empty for none.
    pub words: String,
}

/// How long the stages of calls took at the server, summed up, in nanoseconds: T2, T3 and T4 of Ng,
/// Chen and Greenfield's figure 4.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stages {
    /// From bytes to structures.
    pub decode: u64,
    /// What the application does with them.
    pub application: u64,
    /// From structures to bytes.
    pub encode: u64,
    /// Calls.
    pub calls: u64,
}

impl Peer {
    /// Lets the peer serve, beside whatever else it is asked; returns the port on the loopback.
    ///
    /// # Errors
    /// See [`PeerErrorKind`](super::PeerErrorKind).
    pub fn serve(&mut self, serving: &Serving) -> Result<u16, PeerError> {
        let mut question = format!("serve {}", serving.threads);
        let close = if serving.closes { "close" } else { "" };
        for word in [close, &serving.words].into_iter().filter(|word| !word.is_empty()) {
            question.push(' ');
            question.push_str(word);
        }
        self.parsed(&question, "serving PORT", |answer| port(answer, "serving "))
    }

    /// Ends the service; returns how many calls it has answered.
    ///
    /// # Errors
    /// See [`PeerErrorKind`](super::PeerErrorKind).
    pub fn unserve(&mut self) -> Result<u64, PeerError> {
        let calls = |answer: &str| answer.strip_prefix("served ")?.parse().ok();
        self.parsed("unserve", "served CALLS", calls)
    }

    /// Lets the peer call the service's `echo` so often, one call after another, with what was loaded; returns
    /// what each took, from structure to structure.
    ///
    /// # Errors
    /// See [`PeerErrorKind`](super::PeerErrorKind); another count is unexpected.
    pub fn call_service(
        &mut self,
        url: &str,
        format: &str,
        count: u64,
    ) -> Result<Vec<u64>, PeerError> {
        let file = self.new_times_file();
        let question = format!("call {url} {format} echo {count} {}", file.display());
        self.counted(&question, "called", count)?;
        let times = self.times_in_all::<1>(&question, count)?;
        Ok(times.into_iter().map(|[time]| time).collect())
    }

    /// What the calls took that were answered since this was asked last.
    ///
    /// # Errors
    /// See [`PeerErrorKind`](super::PeerErrorKind).
    pub fn stages(&mut self) -> Result<Stages, PeerError> {
        self.parsed("stages", "stages DECODE APPLICATION ENCODE COUNT", |answer| {
            let [decode, application, encode, calls] =
                numbers(answer.strip_prefix("stages ")?, ' ')?;
            Some(Stages { decode, application, encode, calls })
        })
    }
}
