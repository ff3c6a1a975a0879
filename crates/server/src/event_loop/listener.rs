//! Where connections come in, and which protocol they speak there.

use trunkline_reactor::Address;

use crate::Protocol;
use crate::config::Config;

/// A listener and its protocol.
#[derive(Debug)]
pub struct ProtocolListener<L> {
    /// Accepts streams.
    pub socket: L,
    /// Its protocol.
    pub protocol: Protocol,
    /// The address as configured, with port 0 for any free port.
    pub configured: Address,
}

impl<L> ProtocolListener<L> {
    /// Whether it is the one at this address for this protocol.
    pub(super) fn is(&self, (address, protocol): &(Address, Protocol)) -> bool {
        self.configured == *address && self.protocol == *protocol
    }
}

/// The addresses of a configuration, each with its protocol.
pub fn wanted_listeners(config: &Config) -> Vec<(Address, Protocol)> {
    let native = config.listen.native.iter();
    let native = native.map(|address| (address.clone(), Protocol::Native));
    let websocket = config.websocket_address().map(|address| (address, Protocol::WebSocket));
    native.chain(websocket).collect()
}
