//! Who takes part: ours over each of its transports, the brokers of others, and the limits.

use crate::definition::Recovery;
use crate::subjects::TRUNKLINE;

/// A middleware that messages can go through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Middleware {
    /// Its name in rows.
    pub name: &'static str,
    /// What carries its bytes.
    pub transport: &'static str,
    /// How a message is wrapped.
    pub envelope: &'static str,
    /// What runs between the programs.
    pub router: Router,
    /// Without a router, and so the limit, of the same transport; of those that sync, the disk. May be empty.
    pub bare: &'static str,
    /// What it guarantees, if that is what it is here for.
    pub guarantee: Option<Guarantee>,
}

/// Where a guaranteed message is when it is acknowledged, and when it is delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guarantee {
    /// Synced to disk; delivered after that.
    Synced,
    /// Synced to disk; delivered meanwhile.
    SyncedMeanwhile,
    /// Written to the system's cache, which is synced after a time.
    Cached(&'static str),
    /// In the memory of so many machines.
    Memory(u32),
}

impl Guarantee {
    /// When it is synced to disk, for tables.
    pub fn synced(self) -> &'static str {
        match self {
            Self::Synced | Self::SyncedMeanwhile => "before",
            Self::Cached(after) => after,
            Self::Memory(_) => "never",
        }
    }

    /// For profiles; `file_system` is where files are.
    fn words(self, file_system: &str) -> String {
        let words = match self {
            Self::Synced => "synced to disk before acknowledgement and delivery".to_owned(),
            Self::SyncedMeanwhile => {
                "synced to disk before acknowledgement, delivered meanwhile".to_owned()
            }
            Self::Cached(after) => format!(
                "acknowledged and delivered when in the system's cache, synced to disk after {after}"
            ),
            Self::Memory(machines) => {
                let plural = if machines == 1 { "" } else { "s" };
                let memory = format!("the memory of {machines} machine{plural}");
                return format!("acknowledged and delivered when in {memory}");
            }
        };
        format!("{words}; {file_system}")
    }
}

/// What runs between the programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Router {
    /// `trunkline serve`, which listens at an address of this kind.
    Ours,
    /// The bare forwarder.
    Forwarder,
    /// A broker of others.
    Broker,
    /// Nothing: one program listens, or shares memory.
    Nothing,
}

const fn middleware(
    name: &'static str,
    (transport, envelope): (&'static str, &'static str),
    router: Router,
    bare: &'static str,
) -> Middleware {
    Middleware { name, transport, envelope, router, bare, guarantee: None }
}

/// One that is here for what it guarantees.
const fn guaranteed(
    name: &'static str,
    envelope: &'static str,
    router: Router,
    guarantee: Guarantee,
) -> Middleware {
    let bare = match guarantee {
        Guarantee::Synced | Guarantee::SyncedMeanwhile => DISK,
        _ => "",
    };
    Middleware { name, transport: "tcp", envelope, router, bare, guarantee: Some(guarantee) }
}

/// The disk by itself, the limit of those that sync.
pub const DISK: &str = "disk";

/// Ours that is as durable as a peer that syncs.
const SYNCED: &str = "trunkline-store-and-forward";

/// Ours whose connections are carried by two threads.
pub const TWO_THREADS: &str = "trunkline-2-threads";

/// All that can take part, in the order of tables.
pub const SUBJECTS: [Middleware; 27] = [
    middleware(TRUNKLINE, ("tcp", "native"), Router::Ours, "bare-forwarder"),
    middleware(TWO_THREADS, ("tcp", "native"), Router::Ours, "bare-forwarder"),
    middleware("trunkline-unix", ("unix", "native"), Router::Ours, "bare-forwarder-unix"),
    middleware("trunkline-tls", ("tls", "native"), Router::Ours, "bare-forwarder"),
    middleware("trunkline-shm", ("shm", "native"), Router::Ours, "bare-ring"),
    middleware("nats", ("tcp", "nats"), Router::Broker, "bare-forwarder"),
    middleware("nats-latest", ("tcp", "nats"), Router::Broker, "bare-forwarder"),
    middleware("nats-latest-tls", ("tls", "nats"), Router::Broker, "bare-forwarder"),
    middleware("redis", ("tcp", "resp"), Router::Broker, "bare-forwarder"),
    middleware("mosquitto", ("tcp", "mqtt-3.1.1"), Router::Broker, "bare-forwarder"),
    middleware("mosquitto-nodelay", ("tcp", "mqtt-3.1.1"), Router::Broker, "bare-forwarder"),
    middleware("zeromq", ("tcp", "zmtp"), Router::Broker, "bare-forwarder"),
    middleware("iceoryx2", ("shm", "iceoryx2"), Router::Broker, "bare-ring"),
    middleware("aeron", ("shm", "aeron"), Router::Broker, "bare-ring"),
    middleware("bare-forwarder", ("tcp", "length"), Router::Forwarder, "bare-forwarder"),
    middleware("bare-forwarder-unix", ("unix", "length"), Router::Forwarder, "bare-forwarder-unix"),
    middleware("bare-ring", ("shm", "length"), Router::Nothing, "bare-ring"),
    middleware("direct", ("tcp", "length"), Router::Nothing, "bare-forwarder"),
    guaranteed(SYNCED, "native", Router::Ours, Guarantee::Synced),
    guaranteed("trunkline-cut-through", "native", Router::Ours, Guarantee::SyncedMeanwhile),
    guaranteed("jetstream-always", "nats", Router::Broker, Guarantee::Synced),
    guaranteed("redis-always", "resp3", Router::Broker, Guarantee::Synced),
    Middleware {
        transport: "none",
        bare: "",
        ..guaranteed(DISK, "none", Router::Nothing, Guarantee::Synced)
    },
    guaranteed("trunkline-memory", "native", Router::Ours, Guarantee::Memory(1)),
    guaranteed("jetstream-default", "nats", Router::Broker, Guarantee::Cached("2 min")),
    guaranteed("redis-everysec", "resp3", Router::Broker, Guarantee::Cached("1 s")),
    guaranteed("trunkline-memory-of-2", "native", Router::Ours, Guarantee::Memory(2)),
];

/// The subject of this name.
pub fn named(name: &str) -> Option<&'static Middleware> {
    SUBJECTS.iter().find(|it| it.name == name)
}

impl Middleware {
    /// Whether it is somebody else's.
    pub fn is_peer(&self) -> bool {
        self.router == Router::Broker
    }

    /// Which of ours a peer is compared with: the same transport, or the same durability. What is in the
    /// system's cache outlives a process, and none of ours is there; it is empty then.
    pub fn ours(&self) -> &'static str {
        match (self.guarantee, self.transport) {
            (Some(Guarantee::Synced | Guarantee::SyncedMeanwhile), _) => SYNCED,
            (Some(_), _) => "",
            (None, "shm") => "trunkline-shm",
            (None, "tls") => "trunkline-tls",
            (None, _) => TRUNKLINE,
        }
    }

    /// As [`Middleware::ours`] in a case: where a process is killed, what is in the system's cache is as
    /// safe as what is on the disk.
    pub fn ours_in(&self, case: &str) -> &'static str {
        if Recovery::has(case) { SYNCED } else { self.ours() }
    }

    /// How many threads of our router carry connections.
    pub fn threads(&self) -> usize {
        if self.name == TWO_THREADS { 2 } else { 1 }
    }

    /// What it says of its guaranteed messages, for profiles; `file_system` is where files are.
    pub fn promise(&self, file_system: &str) -> String {
        let Some(guarantee) = self.guarantee else {
            return "direct: neither kept nor acknowledged".to_owned();
        };
        guarantee.words(file_system)
    }

    /// What runs between the programs, as the beginning of a list of them.
    pub fn router_and(&self, joint: &'static str) -> String {
        if self.has_router() { format!("router{joint}") } else { String::new() }
    }

    /// Whether a message passes another program on its way.
    pub fn has_router(&self) -> bool {
        let shares_memory = self.transport == "shm" && self.is_peer();
        self.router != Router::Nothing && !shares_memory
    }

    /// Transport, envelope, what the payload is, vocabulary, compression and bytes; then who waits how
    /// and where.
    pub fn profile(&self, who: &str) -> String {
        let Self { transport, envelope, .. } = self;
        let bytes = crate::definition::traffic::PAYLOAD_BYTES;
        format!("{transport}/{envelope}/opaque/none/none/{bytes} ({who})")
    }
}
