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
    /// Times that a client sent as much as its stream holds.
    floods: "times that a client sent all that its stream holds",
    /// Connections that there was no room for.
    rejected: "connections that there was no room for",
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
    /// Messages that pages in browsers read.
    page_messages: "messages read by pages in browsers",
    /// Last values delivered to new subscriptions.
    last_values: "last values delivered",
    /// Subscriptions that got all their last values.
    whole: "subscriptions that were told that they had all last values",
    /// Updates that were replaced by newer ones and told as such.
    replaced: "updates replaced by newer ones",
    /// Reports of losses.
    gaps: "reports of losses",
    /// Messages in these reports.
    lost: "messages in those reports",
    /// Messages that were lost because memory was short.
    lost_for_memory: "messages lost because memory was short",
    /// Subscriptions that stood.
    subscribed: "subscriptions",
    /// Subscriptions that ended by the client's wish.
    unsubscribed: "subscriptions ended",
    /// Requests sent.
    requests: "requests",
    /// Requests answered by a client.
    replies: "replies",
    /// Requests that the router rejected: nobody there, or nobody in time.
    unanswered: "requests without a responder, or too late",
    /// Other rejections.
    other_rejections: "other rejections",
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
    /// Whether it was a run with power cuts.
    pub power_cut: bool,
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

impl Failure {
    /// Of a run without power cuts, in which `seen` was seen at this turn and time.
    pub(crate) fn new(
        (seed, steps): (u64, u32),
        (turn, time): (u64, u64),
        seen: Violation,
        recent: Vec<String>,
    ) -> Box<Self> {
        let Violation { checker, what } = seen;
        Box::new(Self { seed, steps, power_cut: false, turn, time, checker, what, recent })
    }
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
        write!(out, "again: trunkline simulate --seed {} --steps {}", self.seed, self.steps)?;
        if self.power_cut { write!(out, " --power-cut") } else { Ok(()) }
    }
}

impl std::error::Error for Failure {}

/// What a checker saw.
#[derive(Debug)]
pub(crate) struct Violation {
    pub(crate) checker: &'static str,
    pub(crate) what: String,
}

pub(crate) type Checked = Result<(), Violation>;

/// A violation, to return.
pub(crate) fn violation<T>(checker: &'static str, what: impl Into<String>) -> Result<T, Violation> {
    Err(Violation { checker, what: what.into() })
}

/// A violation unless something holds.
pub(crate) fn ensure(holds: bool, checker: &'static str, what: impl FnOnce() -> String) -> Checked {
    if holds { Ok(()) } else { violation(checker, what()) }
}

/// The last events, if they are wanted.
#[derive(Debug)]
pub(crate) struct Trace {
    lines: Option<VecDeque<String>>,
    pub(crate) now: u64,
}

impl Trace {
    pub(crate) fn new(is_wanted: bool) -> Self {
        Self { lines: is_wanted.then(VecDeque::new), now: 0 }
    }

    pub(crate) fn is_wanted(&self) -> bool {
        self.lines.is_some()
    }

    pub(crate) fn note(&mut self, what: impl FnOnce() -> String) {
        if let Some(lines) = &mut self.lines {
            if lines.len() == RECENT {
                lines.pop_front();
            }
            lines.push_back(format!("{:>12} ns  {}", self.now, what()));
        }
    }

    pub(crate) fn into_lines(self) -> Vec<String> {
        self.lines.unwrap_or_default().into()
    }
}
