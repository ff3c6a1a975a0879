//! Engines of FIX, as both sides of a session.

use crate::subjects::TRUNKLINE;

words! {
    /// Where an engine keeps what it has sent, in the order of tables.
    pub enum Kept {
        /// In memory.
        Memory = "memory",
        /// In files; whether these are on the disk before a message is sent is the engine's.
        Files = "files",
    }
}

/// An engine of FIX.
#[derive(Debug, PartialEq, Eq)]
pub struct Engine {
    /// What rows call it.
    pub name: &'static str,
    /// Its program among the peers; ours has none.
    pub program: Option<&'static str>,
    /// It is compiled as it runs, so that what it does first is not measured.
    pub is_compiled: bool,
    /// Its threads ask again and again before they sleep.
    pub spins: bool,
    /// What becomes of a message in its files before it is sent.
    pub promise: &'static str,
    /// What its program is.
    pub what: &'static str,
}

/// Ours, whose threads ask their sockets for a while before they sleep.
pub const SPINNING: &str = "trunkline-spinning";

const SYNCED: &str = "synced to the disk before it is sent";
const WRITTEN: &str = "left to the system, which survives the process and not the machine";

/// All engines, in the order of tables.
pub const ENGINES: [Engine; 5] = [
    Engine {
        name: TRUNKLINE,
        program: None,
        is_compiled: false,
        spins: false,
        promise: SYNCED,
        what: "ours",
    },
    Engine {
        name: SPINNING,
        program: None,
        is_compiled: false,
        spins: true,
        promise: SYNCED,
        what: "ours, whose threads spin for a while",
    },
    Engine {
        name: "quickfix",
        program: Some("quickfix-speed"),
        is_compiled: false,
        spins: false,
        promise: WRITTEN,
        what: "QuickFIX (C++)",
    },
    Engine {
        name: "quickfixj",
        program: Some("quickfixj-speed"),
        is_compiled: true,
        spins: false,
        promise: WRITTEN,
        what: "QuickFIX/J (Java)",
    },
    Engine {
        name: "artio",
        program: Some("artio-speed"),
        is_compiled: true,
        spins: true,
        promise: WRITTEN,
        what: "Artio (Java)",
    },
];

impl Engine {
    /// Whether it is not ours.
    pub fn is_peer(&self) -> bool {
        self.program.is_some()
    }

    /// How its bytes are made and carried, in the words of rows.
    pub fn profile(&self, kept: Kept) -> String {
        let wait = if self.spins { "tcp-spinning" } else { "tcp-blocking" };
        let promise = match kept {
            Kept::Memory => "in memory",
            Kept::Files => self.promise,
        };
        format!("{wait}/fix-4.3/tag-value/none/none/a session ({promise})")
    }
}

/// The engine of this name.
pub fn named(name: &str) -> Option<&'static Engine> {
    ENGINES.iter().find(|it| it.name == name)
}
