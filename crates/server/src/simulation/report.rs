//! What a run says of itself.

use std::collections::VecDeque;
use std::fmt;

/// How many events before a failure are told.
const RECENT: usize = 40;

macro_rules! counts {
    ($($(#[$doc:meta])* $name:ident: $label:literal,)*) => {
        /// How often what happened in a run, or in several.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Counts {
            $($(#[$doc])* pub $name: u64,)*
        }

        impl Counts {
            /// The counts with their labels, in the order in which they are told.
            pub fn lines(&self) -> Vec<(&'static str, u64)> {
                vec![$(($label, self.$name),)*]
            }

            /// Adds those of another run.
            pub fn add(&mut self, other: &Self) {
                $(self.$name += other.$name;)*
            }
        }
    };
}

counts! {
    /// Turns of the router.
    turns: "turns of the router",
    /// Virtual time, in milliseconds.
    milliseconds: "virtual milliseconds",
    /// Connections made.
    connections: "connections",
    /// Connections over which a client told its topics and subscriptions again.
    restarts: "reconnections that announced everything again",
    /// Clients that closed, broke or lost their connection.
    deaths: "clients that died",
    /// Those that died in the middle of a frame.
    deaths_in_frame: "clients that died in the middle of a frame",
    /// Clients that were gone without the router being told.
    vanished: "clients that vanished without a word",
    /// Times that a client stopped reading.
    stalls: "times that a client stopped reading",
    /// Connections that sent what is no frame.
    garbage: "connections that sent garbage",
    /// Connections that the router ended.
    closed_by_router: "connections that the router ended",
    /// Times that nothing was read from a client until it had read its answers.
    released: "times that a client had to read first",
    /// Changes of the configuration.
    reconfigured: "changes of the configuration",
    /// Messages published.
    published: "messages published",
    /// Messages delivered.
    delivered: "messages delivered",
    /// Updates that were replaced by newer ones and told as such.
    replaced: "updates replaced by newer ones",
    /// Reports of losses.
    gaps: "reports of losses",
    /// Messages in these reports.
    lost: "messages in those reports",
    /// Subscriptions that stood.
    subscribed: "subscriptions",
    /// Subscriptions that ended by the client's wish.
    unsubscribed: "subscriptions ended",
    /// Requests sent.
    requests: "requests",
    /// Requests answered by a client.
    replies: "replies",
    /// Requests that the router refused: nobody there, or nobody in time.
    unanswered: "requests without a responder, or too late",
    /// Other refusals.
    refused: "other refusals",
    /// Ledgers that were compared with what clients were sent.
    ledgers: "ledgers compared",
    /// Deliveries that were compared with a run in which slow clients were fast.
    compared: "deliveries compared with the run without slow clients",
}

/// A run in which everything was as it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// What it followed from.
    pub seed: u64,
    /// What happened.
    pub counts: Counts,
}

/// A run in which something was not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What the run followed from.
    pub seed: u64,
    /// How long the run was to be.
    pub steps: u32,
    /// In which turn of the router it was seen.
    pub turn: u64,
    /// At what virtual time, in nanoseconds.
    pub time: u64,
    /// What saw it.
    pub checker: &'static str,
    /// What it saw.
    pub what: String,
    /// What happened before.
    pub recent: Vec<String>,
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "seed {} fails in turn {}, at {} ns", self.seed, self.turn, self.time)?;
        writeln!(out, "  checker: {}", self.checker)?;
        writeln!(out, "  {}", self.what)?;
        if !self.recent.is_empty() {
            writeln!(out, "  before that:")?;
        }
        for line in &self.recent {
            writeln!(out, "    {line}")?;
        }
        write!(out, "again: trunkline simulate --seed {} --steps {}", self.seed, self.steps)
    }
}

impl std::error::Error for Failure {}

/// What a checker saw.
#[derive(Debug)]
pub(super) struct Violation {
    pub(super) checker: &'static str,
    pub(super) what: String,
}

pub(super) type Checked = Result<(), Violation>;

/// A violation, to return.
pub(super) fn violation<T>(checker: &'static str, what: impl Into<String>) -> Result<T, Violation> {
    Err(Violation { checker, what: what.into() })
}

/// A violation unless something holds.
pub(super) fn ensure(holds: bool, checker: &'static str, what: impl FnOnce() -> String) -> Checked {
    if holds { Ok(()) } else { violation(checker, what()) }
}

/// The last events, if they are wanted.
#[derive(Debug)]
pub(super) struct Trace {
    lines: Option<VecDeque<String>>,
    pub(super) now: u64,
}

impl Trace {
    pub(super) fn new(is_wanted: bool) -> Self {
        Self { lines: is_wanted.then(VecDeque::new), now: 0 }
    }

    pub(super) fn is_wanted(&self) -> bool {
        self.lines.is_some()
    }

    pub(super) fn note(&mut self, what: impl FnOnce() -> String) {
        if let Some(lines) = &mut self.lines {
            if lines.len() == RECENT {
                lines.pop_front();
            }
            lines.push_back(format!("{:>12} ns  {}", self.now, what()));
        }
    }

    pub(super) fn into_lines(self) -> Vec<String> {
        self.lines.unwrap_or_default().into()
    }
}
