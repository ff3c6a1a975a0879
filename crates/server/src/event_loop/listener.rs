//! Where connections come in, and which protocol they speak there.

use trunkline_reactor::Address;

use crate::Protocol;
use crate::config::Config;

/// A listener and what is spoken there.
#[derive(Debug)]
pub struct ProtocolListener<L> {
    /// Where streams come in.
    pub socket: L,
    /// What is spoken there.
    pub protocol: Protocol,
    /// As it was configured: with port 0 where any will do.
    pub asked: Address,
}

impl<L> ProtocolListener<L> {
    /// Whether it is the one at this address for this protocol.
    pub(super) fn is(&self, (address, protocol): &(Address, Protocol)) -> bool {
        self.asked == *address && self.protocol == *protocol
    }
}

/// What a configuration wants to listen at.
pub fn wanted_listeners(config: &Config) -> Vec<(Address, Protocol)> {
    let native = config.listen.native.iter();
    let native = native.map(|address| (address.clone(), Protocol::Native));
    let websocket = config.listen.websocket.iter();
    let websocket = websocket.map(|address| (Address::Tcp(address.clone()), Protocol::WebSocket));
    native.chain(websocket).collect()
}
