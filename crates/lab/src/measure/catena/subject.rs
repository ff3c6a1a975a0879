//! Who takes part: ours over each of its transports, the brokers of others, and the limits.

use crate::subjects::TRUNKLINE;

/// A middleware that messages can go through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Middleware {
    /// Its name in rows.
    pub(crate) name: &'static str,
    /// What carries its bytes.
    pub(super) transport: &'static str,
    /// How a message is wrapped.
    pub(super) envelope: &'static str,
    /// What runs between the programs.
    pub(super) router: Router,
    /// Without a router, and so the limit, of the same transport.
    pub(super) bare: &'static str,
}

/// What runs between the programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Router {
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
    Middleware { name, transport, envelope, router, bare }
}

/// All that can take part, in the order of tables.
pub(crate) const SUBJECTS: [Middleware; 13] = [
    middleware(TRUNKLINE, ("tcp", "native"), Router::Ours, "bare-forwarder"),
    middleware("trunkline-unix", ("unix", "native"), Router::Ours, "bare-forwarder-unix"),
    middleware("trunkline-shm", ("shm", "native"), Router::Ours, "bare-ring"),
    middleware("nats", ("tcp", "nats"), Router::Broker, "bare-forwarder"),
    middleware("nats-latest", ("tcp", "nats"), Router::Broker, "bare-forwarder"),
    middleware("redis", ("tcp", "resp"), Router::Broker, "bare-forwarder"),
    middleware("mosquitto", ("tcp", "mqtt-3.1.1"), Router::Broker, "bare-forwarder"),
    middleware("zeromq", ("tcp", "zmtp"), Router::Broker, "bare-forwarder"),
    middleware("iceoryx2", ("shm", "iceoryx2"), Router::Broker, "bare-ring"),
    middleware("bare-forwarder", ("tcp", "length"), Router::Forwarder, "bare-forwarder"),
    middleware("bare-forwarder-unix", ("unix", "length"), Router::Forwarder, "bare-forwarder-unix"),
    middleware("bare-ring", ("shm", "length"), Router::Nothing, "bare-ring"),
    middleware("direct", ("tcp", "length"), Router::Nothing, "bare-forwarder"),
];

/// The subject of this name.
pub(crate) fn named(name: &str) -> Option<&'static Middleware> {
    SUBJECTS.iter().find(|it| it.name == name)
}

impl Middleware {
    /// Whether it is somebody else's.
    pub(crate) fn is_peer(&self) -> bool {
        self.router == Router::Broker
    }

    /// What runs between the programs, as the beginning of a list of them.
    pub(super) fn router_and(&self, joint: &'static str) -> String {
        if self.has_router() { format!("router{joint}") } else { String::new() }
    }

    /// Whether a message passes another program on its way.
    pub(super) fn has_router(&self) -> bool {
        self.router != Router::Nothing && self.name != "iceoryx2"
    }

    /// Transport, envelope, what the payload is, vocabulary, compression and bytes; then who waits how
    /// and where.
    pub(super) fn profile(&self, who: &str) -> String {
        let Self { transport, envelope, .. } = self;
        let bytes = crate::definition::traffic::PAYLOAD_BYTES;
        format!("{transport}/{envelope}/opaque/none/none/{bytes} ({who})")
    }
}
