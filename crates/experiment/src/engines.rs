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

words! {
    /// What the threads of an engine do before they sleep.
    pub enum Waits {
        /// They ask their sockets for a while, if something came within as much before.
        WhileBusy = "tcp-spinning-while-busy",
        /// They ask again and again.
        Spinning = "tcp-spinning",
        /// Nothing.
        Sleeping = "tcp-blocking",
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
    /// What its threads do before they sleep.
    pub waits: Waits,
    /// What becomes of a message in its files before it is sent.
    pub promise: &'static str,
    /// What its program is.
    pub what: &'static str,
}

/// Ours, whose threads ask their sockets for a while before they sleep, whatever came before.
const SPINNING: &str = "trunkline-spinning";

/// Ours, whose threads sleep at once.
pub const SLEEPING: &str = "trunkline-sleeping";

const SYNCED: &str = "synced to the disk before it is sent";
const WRITTEN: &str = "left to the system, which survives the process and not the machine";

/// All engines, in the order of tables.
pub const ENGINES: [Engine; 6] = [
    Engine {
        name: TRUNKLINE,
        program: None,
        is_compiled: false,
        waits: Waits::WhileBusy,
        promise: SYNCED,
        what: "ours",
    },
    Engine {
        name: SPINNING,
        program: None,
        is_compiled: false,
        waits: Waits::Spinning,
        promise: SYNCED,
        what: "ours, whose threads spin for a while",
    },
    Engine {
        name: SLEEPING,
        program: None,
        is_compiled: false,
        waits: Waits::Sleeping,
        promise: SYNCED,
        what: "ours, whose threads sleep at once",
    },
    Engine {
        name: "quickfix",
        program: Some("quickfix-speed"),
        is_compiled: false,
        waits: Waits::Sleeping,
        promise: WRITTEN,
        what: "QuickFIX (C++)",
    },
    Engine {
        name: "quickfixj",
        program: Some("quickfixj-speed"),
        is_compiled: true,
        waits: Waits::Sleeping,
        promise: WRITTEN,
        what: "QuickFIX/J (Java)",
    },
    Engine {
        name: "artio",
        program: Some("artio-speed"),
        is_compiled: true,
        waits: Waits::Spinning,
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
        let wait = self.waits.name();
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
