//! SOAP over TCP without sockets: what Metro's client and server said to each other, byte for byte, and
//! what its server answers to those who do not keep to the protocol.

mod captures;
mod encodings;
mod limits;
mod overlapping;
mod probes;
mod sockets;
mod tls;

use std::path::{Path, PathBuf};

use trunkline_session::soap_tcp::{Limits, ServerSession, Targets, Waits};

/// A service at the path of the captures, and no other.
struct Echo;

impl Targets for Echo {
    fn find(&self, url: &str) -> Option<usize> {
        url.ends_with("/ctx/echo").then_some(0)
    }
}

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden/soap-tcp").join(name)
}

fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(golden(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The same bytes, in pieces of this length, to a server that answers each request with its own
/// envelope: all that it says, and what it waits for then.
fn echoed(sent: &[u8], piece: usize, limits: Limits) -> (Vec<u8>, Waits) {
    let mut session = ServerSession::new(limits);
    let mut waits = session.advance(&Echo);
    for part in sent.chunks(piece.max(1)) {
        session.receive(part);
        waits = session.advance(&Echo);
        while waits == Waits::ForAnswer {
            let request = session.request().expect("it waits for an answer");
            let (version, body) = (request.content.version, request.body.to_vec());
            session.answer(version, &body);
            waits = session.advance(&Echo);
        }
    }
    (std::mem::take(session.output()), waits)
}
