//! Codes of rejections and of closed connections, for programs.

/// A name is not a valid topic or pattern; `offset` says where.
pub const BAD_NAME: u16 = 1;
/// Topics that begin with `$` are the router's own.
pub const RESERVED: u16 = 2;
/// The named alias or subscription does not exist.
pub const UNKNOWN: u16 = 3;
/// The alias or the subscription is in use.
pub const IN_USE: u16 = 4;
/// A limit of the router is reached; the text names it.
pub const LIMIT: u16 = 5;
/// Nobody subscribes to the topic of a request.
pub const NO_RESPONDER: u16 = 6;
/// The client that a reply is for is gone.
pub const REQUESTER_GONE: u16 = 7;
/// The payload is longer than the router takes.
pub const TOO_LONG: u16 = 8;
/// Nobody answered a request in time.
pub const TIMED_OUT: u16 = 9;
/// A guaranteed message is not the next one of its producer.
pub const OUT_OF_SEQUENCE: u16 = 10;
/// The journal cannot promise what the topic asks; the text says why.
pub const NOT_DURABLE: u16 = 11;
/// Another connection uses the producer's name.
pub const TAKEN_OVER: u16 = 12;
/// A guaranteed message came before PRODUCER.
pub const NO_PRODUCER: u16 = 13;
/// A durable subscription of this name exists with another pattern, or other updates a second.
pub const DIFFERENT: u16 = 14;
/// An administrator has moved the durable subscription: its consumers end, and may consume again.
pub const MOVED: u16 = 15;
/// The access rules do not allow it; the text names the rule.
pub const FORBIDDEN: u16 = 16;
/// Messages cannot be had in the format that was asked for: nothing is converted into it, or no schema is known for any
/// topic of the pattern.
pub const NO_FORMAT: u16 = 17;
/// A filter is none, or not one of the messages of the topics; `offset` says where.
pub const BAD_FILTER: u16 = 18;
/// Selected fields are not those of the messages of the topics, or the format cannot leave out the others; `offset` says
/// where.
pub const BAD_FIELDS: u16 = 19;

/// A frame could not be read, or is not allowed at this point.
pub const BAD_FRAME: u16 = 32;
/// The first bytes were not HELLO.
pub const NO_HELLO: u16 = 33;
/// The router does not support the client's version.
pub const VERSION: u16 = 34;
/// The router is at its limit of clients.
pub const FULL: u16 = 35;
/// The client's queue was full and its policy is to disconnect, or it sends requests and reads too little
/// of the answers.
pub const SLOW: u16 = 36;
/// The router stops.
pub const STOPPING: u16 = 37;
/// The client gave no sign of life, or no HELLO, in time.
pub const SILENT: u16 = 38;
/// The client did not show who it is, or may not connect, or not any more.
pub const UNAUTHENTICATED: u16 = 39;
/// An administrator disconnected the client; the text has the reason.
pub const DISCONNECTED: u16 = 40;
/// The router is being drained for maintenance, and accepts no clients; the text has the reason.
pub const DRAINING: u16 = 41;
/// The router is in service again (NOTICE).
pub const IN_SERVICE: u16 = 42;

/// The code in words, for people; the caller shows others as `code N`.
#[must_use]
pub fn name(code: u16) -> Option<&'static str> {
    Some(match code {
        BAD_NAME => "bad name",
        RESERVED => "reserved topic",
        UNKNOWN => "unknown",
        IN_USE => "in use",
        LIMIT => "limit reached",
        NO_RESPONDER => "no responder",
        REQUESTER_GONE => "requester gone",
        TOO_LONG => "too long",
        TIMED_OUT => "timed out",
        OUT_OF_SEQUENCE => "out of sequence",
        NOT_DURABLE => "not durable",
        TAKEN_OVER => "taken over",
        NO_PRODUCER => "no producer",
        DIFFERENT => "different",
        MOVED => "moved",
        FORBIDDEN => "forbidden",
        NO_FORMAT => "no such format",
        BAD_FILTER => "bad filter",
        BAD_FIELDS => "bad fields",
        BAD_FRAME => "bad frame",
        NO_HELLO => "no HELLO",
        VERSION => "version not spoken",
        FULL => "router full",
        SLOW => "too slow",
        STOPPING => "router stops",
        SILENT => "silent",
        UNAUTHENTICATED => "unauthenticated",
        DISCONNECTED => "disconnected",
        DRAINING => "draining",
        IN_SERVICE => "in service",
        _ => return None,
    })
}
