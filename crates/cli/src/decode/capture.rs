//! Captures of a network, pcap and pcapng: the connections of SOAP/TCP in them.

use std::collections::HashMap;
use std::io::Read;
use std::net::{IpAddr, SocketAddr};

use etherparse::{EtherType, LaxNetSlice, LaxSlicedPacket, TcpSlice, TransportSlice};
use pcap_parser::data::{PacketData, get_packetdata};
use pcap_parser::{Block, Linktype, PcapBlockOwned, PcapError, create_reader};
use trunkline_session::soap_tcp::MAGIC;

use super::conversation::{Conversation, Side};
use super::stream::{Gap, Stream};
use crate::fault::Fault;
use crate::output::{print, remark};

/// Bytes that are read at once; the first block has to be among the first.
pub(super) const ROOM: usize = 1 << 16;
/// Bytes of a packet, with what is around it in the file.
const LONGEST_BLOCK: usize = 16 << 20;
/// Bytes of a message.
const MESSAGE_BYTES: usize = 64 << 20;

/// Does a file that begins so have a capture?
pub(super) fn is_one(start: &[u8]) -> bool {
    const PCAP: [u32; 2] = [0xa1b2_c3d4, 0xa1b2_3c4d];
    const PCAPNG: u32 = 0x0a0d_0d0a;
    let Some(&first) = start.first_chunk() else { return false };
    let [big, little] = [u32::from_be_bytes(first), u32::from_le_bytes(first)];
    big == PCAPNG || PCAP.contains(&big) || PCAP.contains(&little)
}

/// Prints what was said on each connection of SOAP/TCP, as it was captured.
pub(super) fn decode(file: &str, input: impl Read + Send) -> Result<(), Fault> {
    let failed = |error: &PcapError<&[u8]>| {
        let why = match error {
            PcapError::HeaderNotRecognized | PcapError::Eof => "it is no pcap or pcapng".to_owned(),
            PcapError::UnexpectedEof | PcapError::Incomplete(_) => "it ends too early".to_owned(),
            other => format!("{other:?}").chars().take(200).collect(),
        };
        Fault::new(format!("{file}: {why}"))
    };
    let mut reader = create_reader(ROOM, input).map_err(|error| failed(&error))?;
    let mut network = Network::default();
    let mut room = ROOM;
    let read = loop {
        match reader.next() {
            Ok((length, block)) => {
                let printed = network.block(&block);
                reader.consume(length);
                printed?;
                continue;
            }
            Err(PcapError::Eof) => break Ok(()),
            Err(PcapError::Incomplete(_)) => {}
            Err(error) => break Err(failed(&error)),
        }
        // A block that is longer than the room for it.
        if reader.data().len() >= room && room < LONGEST_BLOCK {
            room *= 2;
            reader.grow(room);
        } else if reader.reader_exhausted() || reader.data().len() >= room {
            break Err(failed(&PcapError::UnexpectedEof));
        }
        if let Err(error) = reader.refill() {
            break Err(failed(&error));
        }
    };
    network.finish(file);
    read
}

/// Who sends to whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Path {
    from: SocketAddr,
    to: SocketAddr,
}

#[derive(Default)]
struct Network {
    /// Of the file, or of each interface in it.
    links: Vec<Linktype>,
    connections: HashMap<Path, Connection>,
    /// Whole connections of other protocols.
    others: usize,
    /// Packets of a kind that is not read.
    passed_over: usize,
}

/// A connection, by the path of who opened it.
struct Connection {
    number: usize,
    streams: [Stream; 2],
    conversation: Conversation,
    /// Bytes of the client, until they tell the protocol.
    first: Vec<u8>,
    is_ours: Option<bool>,
}

impl Network {
    fn block(&mut self, block: &PcapBlockOwned<'_>) -> Result<(), Fault> {
        match block {
            PcapBlockOwned::LegacyHeader(header) => self.links = vec![header.network],
            PcapBlockOwned::Legacy(packet) => {
                return self.packet(0, packet.data, packet.caplen as usize);
            }
            PcapBlockOwned::NG(Block::SectionHeader(_)) => self.links.clear(),
            PcapBlockOwned::NG(Block::InterfaceDescription(interface)) => {
                self.links.push(interface.linktype);
            }
            PcapBlockOwned::NG(Block::EnhancedPacket(packet)) => {
                let length = packet.caplen as usize;
                return self.packet(packet.if_id as usize, packet.data, length);
            }
            PcapBlockOwned::NG(Block::SimplePacket(packet)) => {
                return self.packet(0, packet.data, packet.data.len());
            }
            PcapBlockOwned::NG(_) => {}
        }
        Ok(())
    }

    fn packet(&mut self, interface: usize, data: &[u8], length: usize) -> Result<(), Fault> {
        let link = self.links.get(interface).copied();
        let inside = link.and_then(|link| get_packetdata(data, link, length.min(data.len())));
        let sliced = match inside {
            Some(PacketData::L2(frame)) => LaxSlicedPacket::from_ethernet(frame).ok(),
            Some(PacketData::L3(kind, packet)) => {
                Some(LaxSlicedPacket::from_ether_type(EtherType(kind), packet))
            }
            _ => None,
        };
        let Some(sliced) = sliced else {
            self.passed_over += 1;
            return Ok(());
        };
        let addresses = match &sliced.net {
            Some(LaxNetSlice::Ipv4(it)) => {
                let header = it.header();
                Some([header.source_addr(), header.destination_addr()].map(IpAddr::V4))
            }
            Some(LaxNetSlice::Ipv6(it)) => {
                let header = it.header();
                Some([header.source_addr(), header.destination_addr()].map(IpAddr::V6))
            }
            _ => None,
        };
        match (addresses, &sliced.transport) {
            (Some([from, to]), Some(TransportSlice::Tcp(tcp))) => {
                let from = SocketAddr::new(from, tcp.source_port());
                let to = SocketAddr::new(to, tcp.destination_port());
                self.segment(Path { from, to }, tcp)
            }
            _ => Ok(()),
        }
    }

    fn segment(&mut self, path: Path, tcp: &TcpSlice<'_>) -> Result<(), Fault> {
        let back = Path { from: path.to, to: path.from };
        let is_opening = tcp.syn() && !tcp.ack();
        if is_opening && self.connections.get(&path).is_some_and(Connection::has_spoken) {
            // The same ports again.
            let before = self.connections.remove(&path);
            before.into_iter().for_each(|it| self.end(path, &it));
        }
        let (client, side) = match self.connections.contains_key(&back) {
            true => (back, Side::Server),
            false => (path, Side::Client),
        };
        if side == Side::Client && !self.connections.contains_key(&path) {
            // Without its beginning it may be the server who is heard first.
            let is_server = tcp.syn() && tcp.ack();
            let (client, side) =
                if is_server { (back, Side::Server) } else { (path, Side::Client) };
            let number = self.connections.len() + self.others + 1;
            self.connections.insert(client, Connection::new(number));
            return self.hear(client, side, tcp);
        }
        self.hear(client, side, tcp)
    }

    fn hear(&mut self, client: Path, side: Side, tcp: &TcpSlice<'_>) -> Result<(), Fault> {
        let Some(connection) = self.connections.get_mut(&client) else { return Ok(()) };
        let said = connection.hear(side, tcp);
        if said.is_empty() {
            return Ok(());
        }
        let Path { from, to } = client;
        let number = connection.number;
        print(&format!("{number}: {from} to {to}\n{said}"))
    }

    fn end(&mut self, path: Path, connection: &Connection) {
        if connection.is_ours != Some(true) {
            self.others += 1;
            return;
        }
        let Path { from, to } = path;
        for side in [Side::Client, Side::Server] {
            let gap = connection.streams[side as usize].gap().map(shown);
            let left = connection.conversation.unfinished(side);
            let told = match (gap, left) {
                (Some(gap), None) => Some(format!("{}: {gap}", side.name())),
                (Some(gap), Some(left)) => Some(format!("{left}; {gap}")),
                (None, left) => left,
            };
            if let Some(told) = told {
                remark(&format!("{}: {from} to {to}: {told}", connection.number));
            }
        }
    }

    fn finish(&mut self, file: &str) {
        let mut all: Vec<(Path, Connection)> = self.connections.drain().collect();
        all.sort_by_key(|it| it.1.number);
        let ours = all.iter().filter(|it| it.1.is_ours == Some(true)).count();
        all.iter().for_each(|(path, it)| self.end(*path, it));
        if ours == 0 || self.others > 0 {
            remark(&format!(
                "{file}: {ours} connections of SOAP/TCP from their beginning, {} others",
                self.others
            ));
        }
        if self.passed_over > 0 {
            remark(&format!("{file}: {} packets are of no kind that is read", self.passed_over));
        }
    }
}

fn shown(gap: Gap) -> String {
    let Gap { at, bytes } = gap;
    format!("{bytes} bytes from byte {at} on were not captured")
}

impl Connection {
    fn new(number: usize) -> Self {
        Self {
            number,
            streams: [Stream::default(), Stream::default()],
            conversation: Conversation::new(MESSAGE_BYTES),
            first: Vec::new(),
            is_ours: None,
        }
    }

    fn has_spoken(&self) -> bool {
        !self.first.is_empty()
    }

    /// What is said with this segment.
    fn hear(&mut self, side: Side, tcp: &TcpSlice<'_>) -> String {
        let Self { streams, conversation, first, is_ours, .. } = self;
        if *is_ours == Some(false) {
            return String::new();
        }
        let heard = streams[side as usize].receive(
            tcp.sequence_number(),
            tcp.syn(),
            tcp.payload(),
            |bytes| {
                if side == Side::Client && first.len() < MAGIC.len() {
                    first.extend(&bytes[..bytes.len().min(MAGIC.len() - first.len())]);
                }
                conversation.receive(side, bytes);
            },
        );
        if let Err(gap) = heard {
            conversation.lose(side, shown(gap));
        }
        if is_ours.is_none() && !first.is_empty() {
            *is_ours = match MAGIC.starts_with(first) {
                true if first.len() == MAGIC.len() => Some(true),
                true => None,
                false => Some(false),
            };
        }
        let mut said = String::new();
        if *is_ours == Some(true) {
            // What the server answered may have been captured before the client's request was whole.
            for side in [Side::Client, Side::Server] {
                while let Some(next) = conversation.next(side) {
                    said.push_str(&next);
                }
            }
        }
        said
    }
}
