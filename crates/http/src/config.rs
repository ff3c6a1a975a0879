//! The configuration of a server; each limit and option has a name and a default.

use std::time::Duration;

use super::compression;

/// Who calls the handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Workers {
    /// The thread that reads and writes. Nothing is handed over, which is fastest where handling
    /// takes less time than waking a thread does (some microseconds); while a handler works, the
    /// other connections of its thread wait.
    InPlace,
    /// Threads of their own, behind one queue. A handler may block.
    Pool {
        /// Threads that call the handler; at least 1.
        threads: usize,
        /// Requests that may wait while all threads work; with 0 none does. One more is answered with
        /// 503 and `Retry-After`.
        queue: usize,
        /// The order of waiting requests.
        order: Order,
    },
}

/// Which request of a queue is next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The one that came first.
    FirstIn,
    /// The one with the shortest body, as long as it was on the wire; of equal ones, the one that
    /// came first. One that has waited for `patience` goes before all others, so that short ones
    /// cannot keep a long one waiting for ever.
    ShortestFirst {
        /// How long one may be passed over.
        patience: Duration,
    },
    /// The one that has the lowest [`rank`](super::Handler::rank); of equal ones, the one that came first. One that has
    /// waited for `patience` goes before all others.
    LowestRank {
        /// How long one may be passed over.
        patience: Duration,
    },
}

impl Order {
    /// Shortest first, with a patience of a second.
    pub const SHORTEST_FIRST: Self = Self::ShortestFirst { patience: Duration::from_secs(1) };

    /// Lowest rank first, with a patience of a second.
    pub const LOWEST_RANK: Self = Self::LowestRank { patience: Duration::from_secs(1) };

    /// How long a request may be passed over, if ever.
    pub(super) fn patience(self) -> Option<Duration> {
        match self {
            Self::FirstIn => None,
            Self::ShortestFirst { patience } | Self::LowestRank { patience } => Some(patience),
        }
    }
}

/// The configuration of a server. A request beyond a limit is answered with the status beside the
/// limit, and with one line of text that names the limit.
#[derive(Clone, Debug)]
pub struct Config {
    /// Threads that read and write; connections are shared out among them. The first of them accepts;
    /// while a handler keeps it, another one does, if there are several. Default: one for each
    /// processor, but at most 4.
    pub threads: usize,
    /// Who calls the handler. Default: [`Workers::InPlace`].
    pub workers: Workers,
    /// Connections that may be open (503, then closed; with TLS closed at once). Default: 16384.
    pub connections: usize,
    /// If all of them are open, a new connection closes the one that has waited longest for its
    /// client: for a request, the rest of one, or for the client to take its answer. A connection
    /// whose request is being handled stays. Default: no.
    pub evicts: bool,
    /// Requests that one connection may carry; the last answer says `Connection: close`. Default:
    /// no limit.
    pub requests_per_connection: u64,
    /// Bytes of a request's first line and headers (431). At least as much as one read brings is
    /// taken in before it is noticed. Default: 64 KiB.
    pub header_bytes: usize,
    /// Headers of a request (431). Default: 100.
    pub headers: usize,
    /// Bytes of a request's target (414). Default: 8 KiB.
    pub target_bytes: usize,
    /// Bytes of a request's body, on the wire and again after decompression (413). Default: 16 MiB.
    pub body_bytes: usize,
    /// Bytes of a request's body that is [handed over as it comes](super::Handler::streams) (413). Default: 1 GiB.
    pub streamed_bytes: u64,
    /// Bodies that are handed over as they come, each to a thread of its own, and as many that are sent so. One more request is
    /// rejected (503); one more answer waits for `write_timeout` (503, closed). Default: 64.
    pub streams: usize,
    /// How many times longer a body may be after decompression (413); it may always be 1 MiB.
    /// Default: 200.
    pub inflate_ratio: usize,
    /// From the first byte of a request to the end of its headers (408). Default: 10 s.
    pub header_timeout: Duration,
    /// From the end of the headers to the end of the body (408); of one that is handed over as it comes, for each MiB, without the time
    /// that the handler takes. Default: 30 s.
    pub body_timeout: Duration,
    /// Without a request (closed without a word). Default: 60 s.
    pub idle_timeout: Duration,
    /// Until an answer has been taken by the other side (closed); of one that is [sent as it comes](super::Response::rest), for each
    /// MiB. Default: 60 s.
    pub write_timeout: Duration,
    /// For the TLS handshake (closed). Default: 10 s.
    pub handshake_timeout: Duration,
    /// For the requests that are being handled when the server stops. Default: 5 s.
    pub stop_timeout: Duration,
    /// The `Retry-After` of a request that is rejected with 503. Default: 1 s.
    pub retry_after: Duration,
    /// A connection carries more than one request, if the client wants it. Default: yes.
    pub keep_alive: bool,
    /// Answers are compressed for clients that ask for it. Default: yes. Compressed requests are
    /// always understood.
    pub compression: bool,
    /// Answers shorter than this are not compressed. Default: 1 KiB.
    pub compression_from: usize,
    /// Answers are sent in chunks to clients with HTTP/1.1. Default: no, with `Content-Length`.
    pub chunked: bool,
    /// Bytes of a chunk. Default: 32 KiB.
    pub chunk_bytes: usize,
    /// `TCP_NODELAY`. Default: yes.
    pub nodelay: bool,
    /// Answers say when they were made (`Date`). Default: yes.
    pub date: bool,
    /// Speak TLS, and nothing else. Default: none.
    #[cfg(feature = "tls")]
    pub tls: Option<super::ServerTls>,
}

impl Config {
    /// The number of headers that hyper reads without allocating.
    pub(super) const HEADERS: usize = 100;
}

impl Default for Config {
    fn default() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            threads: processors.min(4),
            workers: Workers::InPlace,
            connections: 16_384,
            evicts: false,
            requests_per_connection: u64::MAX,
            header_bytes: 64 << 10,
            headers: Self::HEADERS,
            target_bytes: 8 << 10,
            body_bytes: 16 << 20,
            streamed_bytes: 1 << 30,
            streams: 64,
            inflate_ratio: compression::RATIO,
            header_timeout: Duration::from_secs(10),
            body_timeout: Duration::from_secs(30),
            idle_timeout: Duration::from_secs(60),
            write_timeout: Duration::from_secs(60),
            handshake_timeout: Duration::from_secs(10),
            stop_timeout: Duration::from_secs(5),
            retry_after: Duration::from_secs(1),
            keep_alive: true,
            compression: true,
            compression_from: 1 << 10,
            chunked: false,
            chunk_bytes: 32 << 10,
            nodelay: true,
            date: true,
            #[cfg(feature = "tls")]
            tls: None,
        }
    }
}
