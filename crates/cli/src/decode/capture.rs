//! Captures of a network, pcap and pcapng: the connections in them of SOAP/TCP, FIX, GIOP and HTTP.

use std::collections::HashMap;
use std::io::Read;
use std::net::{IpAddr, SocketAddr};

use etherparse::{EtherType, LaxNetSlice, LaxSlicedPacket, TcpSlice, TransportSlice};
use pcap_parser::data::{PacketData, get_packetdata};
use pcap_parser::{Block, Linktype, PcapBlockOwned, PcapError, create_reader};
use trunkline_session::soap_tcp::MAGIC;

use super::conversation::{Conversation, Side};
use super::flow::{Flow, Protocol};
use super::messages::Show;
use super::stream::{Gap, Stream};
use crate::client::{counted, counted_as};
use crate::fault::Fault;
use crate::output::{print, remark};

/// Bytes that are read at once; the first block has to be among the first.
pub(super) const ROOM: usize = 1 << 16;
/// Bytes of a packet, with what is around it in the file.
const LONGEST_BLOCK: usize = 16 << 20;
/// Bytes of a message.
const MESSAGE_BYTES: usize = 64 << 20;

/// Does a file that begins so have a capture?
pub(crate) fn is_one(start: &[u8]) -> bool {
    const PCAP: [u32; 2] = [0xa1b2_c3d4, 0xa1b2_3c4d];
    const PCAPNG: u32 = 0x0a0d_0d0a;
    let Some(&first) = start.first_chunk() else { return false };
    let [big, little] = [u32::from_be_bytes(first), u32::from_le_bytes(first)];
    big == PCAPNG || PCAP.contains(&big) || PCAP.contains(&little)
}

/// Prints what was said on each connection, as it was captured.
pub(super) fn decode(
    file: &str,
    input: impl Read + Send,
    show: &mut Show<'_>,
) -> Result<(), Fault> {
    let failed = |error: &PcapError<&[u8]>| {
        let why = match error {
            PcapError::HeaderNotRecognized | PcapError::Eof => "it is no pcap or pcapng".to_owned(),
            PcapError::UnexpectedEof | PcapError::Incomplete(_) => "it ends too early".to_owned(),
            other => format!("{other:?}").chars().take(200).collect(),
        };
        Fault::new(format!("{file}: {why}"))
    };
    let mut reader = create_reader(ROOM, input).map_err(|error| failed(&error))?;
    let mut network = Network {
        file,
        show,
        links: Vec::new(),
        connections: HashMap::new(),
        soap_tcp: 0,
        flows: 0,
        others: 0,
        passed_over: 0,
        fragments: 0,
        pages: 0,
    };
    let before = network.show.shown();
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
    network.finish()?;
    let Network { show, soap_tcp, pages, .. } = network;
    if show.shown() == before && soap_tcp == 0 && pages == 0 {
        show.is_foreign();
    }
    read
}

/// Who sends to whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Path {
    from: SocketAddr,
    to: SocketAddr,
}

struct Network<'a, 's> {
    file: &'a str,
    /// Shows messages of other protocols than SOAP/TCP.
    show: &'a mut Show<'s>,
    /// Of the file, or of each interface in it.
    links: Vec<Linktype>,
    connections: HashMap<Path, Connection>,
    /// Connections that have ended: of SOAP/TCP,
    soap_tcp: usize,
    /// of FIX, GIOP or HTTP,
    flows: usize,
    /// of other protocols.
    others: usize,
    /// Packets of a kind that is not read.
    passed_over: usize,
    /// Those that are parts of others.
    fragments: usize,
    /// Bodies of HTTP that are no messages.
    pages: u64,
}

/// A connection, by the path of who opened it.
struct Connection {
    number: usize,
    streams: [Stream; 2],
    /// What was not captured of what each side said, as far as it was passed over.
    lost: [Option<Lost>; 2],
    spoken: Spoken,
}

/// Gaps of one direction.
#[derive(Clone, Copy, Debug)]
struct Lost {
    first: Gap,
    gaps: u64,
    bytes: u64,
}

/// What is spoken on a connection.
enum Spoken {
    /// Not known yet: what each side has said, in order.
    Unknown([Vec<u8>; 2]),
    SoapTcp(Box<Conversation>),
    Messages(Box<Flow>),
    Other,
}

impl Network<'_, '_> {
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
            _ => {
                let is_fragment = match &sliced.net {
                    Some(LaxNetSlice::Ipv4(it)) => it.payload().fragmented,
                    Some(LaxNetSlice::Ipv6(it)) => it.payload().fragmented,
                    _ => false,
                };
                self.fragments += usize::from(is_fragment);
                Ok(())
            }
        }
    }

    fn segment(&mut self, path: Path, tcp: &TcpSlice<'_>) -> Result<(), Fault> {
        let back = Path { from: path.to, to: path.from };
        let is_opening = tcp.syn() && !tcp.ack();
        if is_opening && self.connections.get(&path).is_some_and(Connection::has_spoken) {
            // The same ports again.
            if let Some(before) = self.connections.remove(&path) {
                self.end(path, before)?;
            }
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
            let ended = self.soap_tcp + self.flows + self.others;
            let number = self.connections.len() + ended + 1;
            self.connections.insert(client, Connection::new(number));
            return self.hear(client, side, tcp);
        }
        self.hear(client, side, tcp)
    }

    fn hear(&mut self, client: Path, side: Side, tcp: &TcpSlice<'_>) -> Result<(), Fault> {
        let Some(connection) = self.connections.get_mut(&client) else { return Ok(()) };
        connection.hear(side, tcp);
        let Path { from, to } = client;
        let number = connection.number;
        match &mut connection.spoken {
            Spoken::Unknown(_) | Spoken::Other => Ok(()),
            Spoken::Messages(flow) => {
                let is_open = connection.streams.iter().any(|it| it.gap().is_some());
                match is_open && flow.is_held() {
                    true => Ok(()),
                    false => both(flow, self.file, (number, client), self.show),
                }
            }
            Spoken::SoapTcp(conversation) => {
                let mut said = String::new();
                // What the server answered may have been captured before the client's request was whole.
                for side in SIDES {
                    while let Some(next) = conversation.next(side) {
                        said.push_str(&next);
                    }
                }
                match said.is_empty() {
                    true => Ok(()),
                    false => print(&format!("{number}: {from} to {to}\n{said}")),
                }
            }
        }
    }

    fn end(&mut self, path: Path, mut connection: Connection) -> Result<(), Fault> {
        connection.end();
        let Connection { number, streams, lost, spoken } = connection;
        let left: [Option<String>; 2] = match spoken {
            Spoken::Unknown(_) | Spoken::Other => {
                self.others += 1;
                return Ok(());
            }
            Spoken::SoapTcp(conversation) => {
                self.soap_tcp += 1;
                SIDES.map(|side| conversation.unfinished(side))
            }
            Spoken::Messages(mut flow) => {
                self.flows += 1;
                both(&mut flow, self.file, (number, path), self.show)?;
                flow.tell_unfinished(self.show)?;
                self.pages += flow.pages();
                SIDES.map(|side| left_of(&flow, side))
            }
        };
        let Path { from, to } = path;
        for (side, left) in SIDES.into_iter().zip(left) {
            let open = streams[side as usize].gap().map(shown);
            let gap = open.or_else(|| lost[side as usize].map(|it| it.shown()));
            let told = match (gap, left) {
                (Some(gap), None) => Some(format!("{}: {gap}", side.name())),
                (Some(gap), Some(left)) => Some(format!("{left}; {gap}")),
                (None, left) => left,
            };
            let early = early(&streams[side as usize]);
            let told = match (told, early) {
                (Some(told), Some(early)) => Some(format!("{told}; {early}")),
                (None, Some(early)) => Some(format!("{}: {early}", side.name())),
                (told, None) => told,
            };
            if let Some(told) = told {
                remark(&format!("{number}: {from} to {to}: {told}"));
            }
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Fault> {
        let mut all: Vec<(Path, Connection)> = self.connections.drain().collect();
        all.sort_by_key(|it| it.1.number);
        for (path, connection) in all {
            self.end(path, connection)?;
        }
        let Self { file, soap_tcp, flows, others, passed_over, fragments, pages, .. } = self;
        if *soap_tcp + *flows == 0 || *others > 0 {
            let of_messages = match flows {
                0 => String::new(),
                count => format!("{count} of FIX, GIOP or HTTP, "),
            };
            let ours = match soap_tcp {
                1 => "1 connection of SOAP/TCP from its beginning".to_owned(),
                count => format!("{count} connections of SOAP/TCP from their beginning"),
            };
            let others = counted(*others as u64, "other");
            remark(&format!("{file}: {ours}, {of_messages}{others}"));
        }
        if *pages > 0 {
            let bodies = counted_as(*pages, "body", "bodies");
            remark(&format!("{file}: {bodies} of HTTP passed over, pages and the like"));
        }
        if *fragments > 0 {
            let packets = counted(*fragments as u64, "packet");
            remark(&format!(
                "{file}: {packets} passed over, fragments of IP, which are not put together"
            ));
        }
        if *passed_over > 0 {
            let packets = counted_as(*passed_over as u64, "packet is", "packets are");
            remark(&format!("{file}: {packets} of no kind that is read"));
        }
        Ok(())
    }
}

const SIDES: [Side; 2] = [Side::Client, Side::Server];

/// Shows the messages of both sides that are whole.
fn both(
    flow: &mut Flow,
    file: &str,
    (number, Path { from, to }): (usize, Path),
    show: &mut Show<'_>,
) -> Result<(), Fault> {
    flow.show(Side::Client, &format!("{file} {number} {from} to {to}"), show)?;
    flow.show(Side::Server, &format!("{file} {number} {to} to {from}"), show)
}

/// What of one side was no whole message, for people.
fn left_of(flow: &Flow, side: Side) -> Option<String> {
    let (passed_over, left) = (flow.passed_over(side), flow.left(side) as u64);
    let passed_over = (passed_over > 0).then(|| {
        let bytes = counted(passed_over, "byte");
        format!("{bytes} passed over, of messages that were not captured whole")
    });
    let left =
        (left > 0).then(|| format!("{} at the end are no whole message", counted(left, "byte")));
    let all: Vec<String> = passed_over.into_iter().chain(left).collect();
    (!all.is_empty()).then(|| format!("{}: {}", side.name(), all.join("; ")))
}

impl Lost {
    fn and(lost: Option<Self>, gap: Gap) -> Self {
        let none = Self { first: gap, gaps: 0, bytes: 0 };
        let Self { first, gaps, bytes } = lost.unwrap_or(none);
        Self { first, gaps: gaps + 1, bytes: bytes + gap.bytes }
    }

    fn shown(self) -> String {
        let Self { first, gaps, bytes } = self;
        match gaps {
            0 | 1 => shown(first),
            _ => format!(
                "{bytes} bytes at {gaps} places from byte {} on were not captured",
                first.at
            ),
        }
    }
}

fn shown(gap: Gap) -> String {
    let Gap { at, bytes } = gap;
    match bytes {
        1 => format!("1 byte from byte {at} on was not captured"),
        bytes => format!("{bytes} bytes from byte {at} on were not captured"),
    }
}

/// Says how much of one side was captured too late.
fn early(stream: &Stream) -> Option<String> {
    let bytes = stream.early();
    let told =
        || format!("{} before the first captured came later, not read", counted(bytes, "byte"));
    (bytes > 0).then(told)
}

impl Connection {
    fn new(number: usize) -> Self {
        let spoken = Spoken::Unknown([Vec::new(), Vec::new()]);
        let streams = [Stream::default(), Stream::default()];
        Self { number, streams, lost: [None, None], spoken }
    }

    fn has_spoken(&self) -> bool {
        !matches!(&self.spoken, Spoken::Unknown([client, _]) if client.is_empty())
    }

    /// Takes in what is said with this segment.
    fn hear(&mut self, side: Side, tcp: &TcpSlice<'_>) {
        let Self { streams, spoken, .. } = self;
        if matches!(spoken, Spoken::Other) {
            return;
        }
        let stream = &mut streams[side as usize];
        let heard = stream.receive(tcp.sequence_number(), tcp.syn(), tcp.payload(), |bytes| {
            spoken.receive(side, bytes);
        });
        if let (Err(gap), Spoken::SoapTcp(conversation)) = (heard, &mut *spoken) {
            conversation.lose(side, shown(gap));
        }
        let has_begun = [streams[0].has_begun, streams[1].has_begun];
        if let Spoken::Unknown(said) = spoken
            && let Some(known) = Spoken::of(said, has_begun)
        {
            *spoken = known;
        }
        if heard.is_err() {
            self.skip(side);
        }
        let other = side.other();
        if tcp.ack() {
            self.streams[other as usize].acknowledge(tcp.acknowledgment_number());
            if self.streams[other as usize].is_lost() {
                self.skip(other);
            }
        }
    }

    /// Goes on behind a gap, where messages show where they begin.
    fn skip(&mut self, side: Side) {
        let Spoken::Messages(flow) = &mut self.spoken else { return };
        let stream = &mut self.streams[side as usize];
        if let Some(gap) = stream.gap().filter(|_| flow.goes_on()) {
            let lost = &mut self.lost[side as usize];
            *lost = Some(Lost::and(*lost, gap));
            flow.lose(side, gap);
            stream.skip(|bytes| flow.receive(side, bytes));
        }
    }

    /// Nothing is said any more, so that no gap is filled.
    fn end(&mut self) {
        for side in SIDES {
            while self.goes_on() && self.streams[side as usize].gap().is_some() {
                self.skip(side);
            }
            if let Spoken::Messages(flow) = &mut self.spoken {
                flow.end(side);
            }
        }
    }

    fn goes_on(&self) -> bool {
        matches!(&self.spoken, Spoken::Messages(flow) if flow.goes_on())
    }
}

impl Spoken {
    fn receive(&mut self, side: Side, bytes: &[u8]) {
        match self {
            Self::Unknown(said) => said[side as usize].extend_from_slice(bytes),
            Self::SoapTcp(conversation) => conversation.receive(side, bytes),
            Self::Messages(flow) => flow.receive(side, bytes),
            Self::Other => {}
        }
    }

    /// What it is that began so, if its beginning was captured; none as long as too little was said.
    fn of(said: &[Vec<u8>; 2], has_begun: [bool; 2]) -> Option<Self> {
        let [client, server] = said;
        let is_of_soap_tcp = match client.len() {
            0 => false,
            length => MAGIC.starts_with(&client[..length.min(MAGIC.len())]),
        };
        let mut spoken = match (is_of_soap_tcp, client.is_empty()) {
            (true, _) if client.len() < MAGIC.len() => return None,
            (true, _) => Self::SoapTcp(Box::new(Conversation::new(MESSAGE_BYTES))),
            // Where the beginning was not captured, the server may be heard first.
            (false, is_silent) => match Protocol::of(if is_silent { server } else { client })? {
                Some(protocol) => Self::Messages(Box::new(Flow::new(protocol, has_begun))),
                None if !has_begun.contains(&true) => {
                    // It may be the middle of a message.
                    let within = Protocol::within(client).or_else(|| Protocol::within(server));
                    match within {
                        Some(protocol) => Self::Messages(Box::new(Flow::new(protocol, has_begun))),
                        None if client.len().max(server.len()) < ROOM => return None,
                        None => Self::Other,
                    }
                }
                None if is_silent && server.len() < ROOM => return None,
                None => Self::Other,
            },
        };
        for side in SIDES {
            spoken.receive(side, &said[side as usize]);
        }
        Some(spoken)
    }
}
