//! MQTT 3.1.1 at QoS 0, for Mosquitto: chapters 2 and 3 of the OASIS standard.

use std::io;
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use trunkline_bench_bus::bus::{Bus, BusOptions, Connect};
use trunkline_bench_bus::socket_bus::{Protocol, SocketBus, Taken, invalid};
use trunkline_bench_bus::topic_index::TopicIndex;

const CONNECT: u8 = 0x10;
const CONNACK: u8 = 0x20;
const PUBLISH: u8 = 0x30;
const SUBSCRIBE: u8 = 0x82;
const SUBACK: u8 = 0x90;
/// A code in a SUBACK.
const REJECTED: u8 = 0x80;

/// Connects to a broker of MQTT.
#[derive(Clone, Copy, Debug)]
pub struct Mqtt;

impl Connect for Mqtt {
    fn connect(
        &self,
        address: &str,
        topics: &[String],
        options: &BusOptions,
    ) -> io::Result<Box<dyn Bus>> {
        crate::reject_rates("MQTT", options)?;
        // Two clients with one name would throw each other out.
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("{}-{}-{number}", options.name, process::id());
        let mut body = vec![];
        string(&mut body, b"MQTT");
        // Level 4 is 3.1.1; a clean session; no limit of silence.
        body.extend_from_slice(&[4, 0b10, 0, 0]);
        string(&mut body, name.as_bytes());
        let mut greeting = vec![CONNECT];
        put_length(&mut greeting, body.len());
        greeting.extend_from_slice(&body);
        Ok(Box::new(SocketBus::connect(address, Packets::new(topics)?, &greeting, options)?))
    }
}

/// Appends a string behind its length, as topics and names are written.
fn string(out: &mut Vec<u8>, text: &[u8]) {
    out.extend_from_slice(&(text.len() as u16).to_be_bytes());
    out.extend_from_slice(text);
}

/// Appends the length of what follows, seven bits a byte.
fn put_length(out: &mut Vec<u8>, mut length: usize) {
    while length >= 0x80 {
        out.push(length as u8 | 0x80);
        length >>= 7;
    }
    out.push(length as u8);
}

/// The length at the front of `bytes`, and how many bytes it takes; `None` if more are needed.
fn length_of(bytes: &[u8]) -> io::Result<Option<(usize, usize)>> {
    let mut length = 0;
    for (at, byte) in bytes.iter().take(4).enumerate() {
        length |= usize::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            return Ok(Some((length, at + 1)));
        }
    }
    if bytes.len() < 4 { Ok(None) } else { Err(invalid("MQTT has no such length", bytes)) }
}

/// The protocol for a list of topics.
struct Packets {
    /// Each topic behind its length.
    names: Vec<Vec<u8>>,
    index: TopicIndex,
    awaited: usize,
    packet: u16,
}

impl Packets {
    fn new(topics: &[String]) -> io::Result<Self> {
        let name = |topic: &String| {
            let mut name = Vec::new();
            string(&mut name, topic.as_bytes());
            name
        };
        let names = topics.iter().map(name).collect();
        // The first answer is the one to the greeting.
        Ok(Self { names, index: TopicIndex::new(topics)?, awaited: 1, packet: 0 })
    }

    fn take_packet(
        &mut self,
        kind: u8,
        body: &[u8],
        sink: &mut dyn FnMut(usize, &[u8]),
    ) -> io::Result<usize> {
        match (kind, body) {
            (PUBLISH, [high, low, rest @ ..]) => {
                let length = usize::from(u16::from_be_bytes([*high, *low]));
                let (name, payload) =
                    rest.split_at_checked(length).ok_or_else(|| invalid("MQTT topic", rest))?;
                let topic = self.index.find(name);
                sink(topic.ok_or_else(|| invalid("MQTT message for", name))?, payload);
                return Ok(1);
            }
            (CONNACK, [_, 0]) => {}
            (CONNACK, [_, code]) => {
                let text = format!("MQTT: the connection is rejected with code {code}");
                return Err(io::Error::other(text));
            }
            (SUBACK, [_, _, codes @ ..]) if !codes.contains(&REJECTED) => {}
            (SUBACK, _) => return Err(io::Error::other("MQTT: a subscription is rejected")),
            _ => return Err(invalid("MQTT packet", &[&[kind], body].concat())),
        }
        self.awaited = self.awaited.saturating_sub(1);
        Ok(0)
    }
}

impl Protocol for Packets {
    fn publish(&mut self, out: &mut Vec<u8>, topic: usize, payload: &[u8]) {
        let name = &self.names[topic];
        out.push(PUBLISH);
        put_length(out, name.len() + payload.len());
        out.extend_from_slice(name);
        out.extend_from_slice(payload);
    }

    fn subscribe(&mut self, out: &mut Vec<u8>, topics: &[usize]) {
        let mut body = Vec::new();
        // Number 0 is none.
        self.packet = self.packet.checked_add(1).unwrap_or(1);
        body.extend_from_slice(&self.packet.to_be_bytes());
        for &topic in topics {
            body.extend_from_slice(&self.names[topic]);
            body.push(0);
        }
        out.push(SUBSCRIBE);
        put_length(out, body.len());
        out.extend_from_slice(&body);
        self.awaited += 1;
    }

    fn awaited(&self) -> usize {
        self.awaited
    }

    fn take(
        &mut self,
        bytes: &[u8],
        _out: &mut Vec<u8>,
        sink: &mut dyn FnMut(usize, &[u8]),
    ) -> io::Result<Taken> {
        let mut taken = Taken::default();
        while let [kind, rest @ ..] = &bytes[taken.bytes..] {
            let Some((length, size)) = length_of(rest)? else { break };
            let Some(body) = rest.get(size..size + length) else { break };
            taken.messages += self.take_packet(*kind, body, sink)?;
            taken.bytes += 1 + size + length;
        }
        Ok(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packets() -> Packets {
        Packets::new(&["a/b".into(), "c".into()]).expect("names that differ")
    }

    #[test]
    fn packets_are_written_as_the_standard_says() {
        let mut out = Vec::new();
        packets().publish(&mut out, 0, b"payload");
        assert_eq!(out, b"\x30\x0c\x00\x03a/bpayload");
        out.clear();
        packets().subscribe(&mut out, &[0, 1]);
        assert_eq!(out, b"\x82\x0c\x00\x01\x00\x03a/b\x00\x00\x01c\x00");
    }

    #[test]
    fn lengths_are_those_of_table_2_4_of_the_standard() {
        for (length, bytes) in [
            (0, &[0][..]),
            (127, &[0x7f]),
            (128, &[0x80, 1]),
            (16_383, &[0xff, 0x7f]),
            (16_384, &[0x80, 0x80, 1]),
            (268_435_455, &[0xff, 0xff, 0xff, 0x7f]),
        ] {
            let mut out = Vec::new();
            put_length(&mut out, length);
            assert_eq!(out, bytes);
            assert_eq!(length_of(bytes).expect("a length"), Some((length, bytes.len())));
        }
        assert!(length_of(&[0x80; 3]).expect("not yet").is_none());
        assert!(length_of(&[0x80; 4]).is_err());
    }

    #[test]
    fn what_comes_in_pieces_is_taken_when_it_is_whole() {
        let bytes = b"\x20\x02\x00\x00\x30\x06\x00\x01cxyz\x90\x04\x00\x01\x00\x00";
        for cut in 0..=bytes.len() {
            let (mut packets, mut out, mut messages) = (packets(), Vec::new(), Vec::new());
            packets.subscribe(&mut Vec::new(), &[0, 1]);
            let mut sink = |topic, payload: &[u8]| messages.push((topic, payload.to_vec()));
            let first = packets.take(&bytes[..cut], &mut out, &mut sink).expect("MQTT");
            packets.take(&bytes[first.bytes..], &mut out, &mut sink).expect("MQTT");
            assert_eq!(messages, [(1, b"xyz".to_vec())], "cut at {cut}");
            assert_eq!(packets.awaited(), 0);
        }
    }

    #[test]
    fn rejections_are_told() {
        let take = |bytes: &[u8]| {
            let taken = packets().take(bytes, &mut Vec::new(), &mut |_, _| {});
            taken.expect_err("a rejection").to_string()
        };
        assert_eq!(take(b"\x20\x02\x00\x05"), "MQTT: the connection is rejected with code 5");
        assert_eq!(take(b"\x90\x03\x00\x01\x80"), "MQTT: a subscription is rejected");
    }
}
