//! Where connections come in, and which protocol they speak there.

use std::io;

use trunkline_reactor::{Address, Listener};

use crate::config::Config;
use crate::session::Protocol;

/// A listener and what is spoken there.
#[derive(Debug)]
pub(crate) struct ProtocolListener {
    pub(crate) socket: Listener,
    pub(crate) protocol: Protocol,
    /// As it was configured: with port 0 where any will do.
    pub(crate) asked: Address,
}

impl ProtocolListener {
    pub(crate) fn open(address: &Address, protocol: Protocol) -> io::Result<Self> {
        let socket = Listener::bind(address)?;
        Ok(Self { socket, protocol, asked: address.clone() })
    }

    /// Whether it is the one at this address for this protocol.
    pub(crate) fn is(&self, (address, protocol): &(Address, Protocol)) -> bool {
        self.asked == *address && self.protocol == *protocol
    }

    /// What a configuration wants to listen at.
    pub(crate) fn wanted(config: &Config) -> Vec<(Address, Protocol)> {
        let native = config.listen.native.iter();
        let native = native.map(|address| (address.clone(), Protocol::Native));
        let websocket = config.listen.websocket.iter();
        let websocket =
            websocket.map(|address| (Address::Tcp(address.clone()), Protocol::WebSocket));
        native.chain(websocket).collect()
    }
}
