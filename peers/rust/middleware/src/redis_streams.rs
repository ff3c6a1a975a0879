//! Redis Streams, by RESP 3, which lets one connection be sent what it has subscribed to beside the replies
//! to its commands: so a program waits in one place for rates and for the acknowledgements of its orders.
//!
//! A guaranteed message is an `XADD`, whose reply acknowledges it. A durable subscription is a consumer
//! group: `XREADGROUP` blocks until there are entries, and with the next one goes an `XACK` for all
//! entries of the last. Redis writes its log, and syncs it if it always does, before it sends replies.

use std::io;

use trunkline_bench_bus::bus::{Bus, BusOptions, Connect, Wait};
use trunkline_bench_bus::socket_bus::{Protocol, SocketBus, Taken, invalid};
use trunkline_bench_bus::topic_index::TopicIndex;

use crate::redis::{Publisher, command, string, string_at};

/// Entries that one read brings at most.
const COUNT: &[u8] = b"4096";

/// Connects to a Redis server for streams; what is not guaranteed is published without replies, on a
/// connection of its own.
#[derive(Clone, Copy, Debug)]
pub struct RedisStreams;

impl Connect for RedisStreams {
    fn connect(
        &self,
        address: &str,
        topics: &[String],
        options: &BusOptions,
    ) -> io::Result<Box<dyn Bus>> {
        crate::reject_rates("Redis", options)?;
        let mut greeting = Vec::new();
        let name = options.name.replace(' ', "-");
        command(&mut greeting, &[b"HELLO", b"3", b"SETNAME", name.as_bytes()]);
        command(&mut greeting, &[b"PING"]);
        let streams = SocketBus::connect(address, Streams::new(topics)?, &greeting, options)?;
        let (address, topics, options) = (address.to_owned(), topics.to_vec(), options.clone());
        Ok(Box::new(RedisStreamsBus { streams, direct: None, address, topics, options }))
    }
}

struct RedisStreamsBus {
    streams: SocketBus<Streams>,
    /// Made when something is published that is not guaranteed.
    direct: Option<SocketBus<Publisher>>,
    address: String,
    topics: Vec<String>,
    options: BusOptions,
}

impl Bus for RedisStreamsBus {
    fn publish(&mut self, topic: usize, payload: &[u8]) -> io::Result<()> {
        let direct = match &mut self.direct {
            Some(direct) => direct,
            none => {
                let greeting = Publisher::greeting(&self.options.name);
                let protocol = Publisher::new(&self.topics);
                none.insert(SocketBus::connect(&self.address, protocol, &greeting, &self.options)?)
            }
        };
        direct.publish(topic, payload)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.direct.as_mut().map_or(Ok(()), Bus::flush)?;
        self.streams.flush()
    }

    fn subscribe(&mut self, topics: &[usize]) -> io::Result<()> {
        self.streams.subscribe(topics)
    }

    fn poll(&mut self, wait: Wait, sink: &mut dyn FnMut(usize, &[u8])) -> io::Result<usize> {
        self.streams.poll(wait, sink)
    }

    fn publish_guaranteed(&mut self, topic: usize, payload: &[u8]) -> io::Result<()> {
        self.streams.publish_guaranteed(topic, payload)
    }

    fn acknowledged(&self) -> u64 {
        self.streams.acknowledged()
    }

    fn subscribe_guaranteed(&mut self, name: &str, topics: &[usize]) -> io::Result<()> {
        self.streams.subscribe_guaranteed(name, topics)
    }
}

/// The connection with replies.
struct Streams {
    topics: Vec<String>,
    index: TopicIndex,
    /// Replies before all is as it was asked for.
    awaited: usize,
    acknowledged: u64,
    group: Option<Group>,
}

/// A consumer group that is read.
struct Group {
    name: String,
    /// Indexes of its topics.
    topics: Vec<usize>,
    /// Streams of a reply that are still to come, and entries of the stream that comes.
    streams: usize,
    entries: usize,
    /// The topic of that stream.
    topic: usize,
    /// The entries that came, as they are acknowledged.
    taken: usize,
    numbers: Vec<u8>,
}

impl Streams {
    fn new(topics: &[String]) -> io::Result<Self> {
        let index = TopicIndex::new(topics)?;
        Ok(Self { topics: topics.to_vec(), index, awaited: 1, acknowledged: 0, group: None })
    }
}

impl Protocol for Streams {
    fn publish(&mut self, _out: &mut Vec<u8>, _topic: usize, _payload: &[u8]) {}

    fn subscribe(&mut self, out: &mut Vec<u8>, topics: &[usize]) {
        let mut words: Vec<&[u8]> = vec![b"SUBSCRIBE"];
        words.extend(topics.iter().map(|&topic| self.topics[topic].as_bytes()));
        command(out, &words);
        self.awaited += topics.len();
    }

    fn awaited(&self) -> usize {
        self.awaited
    }

    fn publish_guaranteed(
        &mut self,
        out: &mut Vec<u8>,
        topic: usize,
        payload: &[u8],
    ) -> io::Result<()> {
        if self.group.is_some() {
            // It would wait behind a read that blocks.
            let text = "Redis adds nothing on a connection that reads a group";
            return Err(io::Error::new(io::ErrorKind::Unsupported, text));
        }
        command(out, &[b"XADD", self.topics[topic].as_bytes(), b"*", b"p", payload]);
        Ok(())
    }

    fn acknowledged(&self) -> u64 {
        self.acknowledged
    }

    fn subscribe_guaranteed(
        &mut self,
        out: &mut Vec<u8>,
        name: &str,
        topics: &[usize],
    ) -> io::Result<()> {
        for &topic in topics {
            let key = self.topics[topic].as_bytes();
            command(out, &[b"XGROUP", b"CREATE", key, name.as_bytes(), b"0", b"MKSTREAM"]);
        }
        self.awaited += topics.len();
        let (name, topics) = (name.to_owned(), topics.to_vec());
        let (taken, numbers) = (0, Vec::new());
        let group = Group { name, topics, streams: 0, entries: 0, topic: 0, taken, numbers };
        group.read(&self.topics, out);
        self.group = Some(group);
        Ok(())
    }

    fn take(
        &mut self,
        bytes: &[u8],
        out: &mut Vec<u8>,
        sink: &mut dyn FnMut(usize, &[u8]),
    ) -> io::Result<Taken> {
        let mut taken = Taken::default();
        loop {
            let rest = &bytes[taken.bytes..];
            let one = match &mut self.group {
                Some(group) if group.entries > 0 => group.entry(rest, &self.topics, out, sink)?,
                Some(group) if group.streams > 0 => group.stream(rest, &self.index)?,
                _ => self.reply(rest, sink)?,
            };
            if one.bytes == 0 {
                return Ok(taken);
            }
            taken.bytes += one.bytes;
            taken.messages += one.messages;
        }
    }
}

impl Streams {
    /// Takes one reply, or the beginning of entries.
    fn reply(&mut self, bytes: &[u8], sink: &mut dyn FnMut(usize, &[u8])) -> io::Result<Taken> {
        let Some((line, next)) = line_at(bytes, 0) else { return Ok(Taken::default()) };
        let whole = |bytes| Ok(Taken { bytes, messages: 0 });
        match line.first() {
            // The place of an entry in its stream.
            Some(b'$') => {
                let end = string_at(bytes, 0)?.map_or(0, |(_, end)| end);
                self.acknowledged += u64::from(end > 0);
                whole(end)
            }
            Some(b'>') => self.push(bytes, next, sink),
            // How many were acknowledged.
            Some(b':') => whole(next),
            // What the server says of itself, in answer to the greeting, is not looked into.
            Some(b'%') if self.group.is_none() && self.awaited > 0 => {
                const PONG: &[u8] = b"+PONG\r\n";
                whole(memchr::memmem::find(bytes, PONG).unwrap_or(0))
            }
            Some(b'%') => {
                if let (Some(group), Some(count)) = (&mut self.group, crate::number(&line[1..])) {
                    group.streams = count;
                    return whole(next);
                }
                Err(invalid("Redis sent", bytes))
            }
            Some(b'+') => {
                self.awaited = self.awaited.saturating_sub(1);
                whole(next)
            }
            Some(b'-') if line.starts_with(b"-BUSYGROUP") => {
                self.awaited = self.awaited.saturating_sub(1);
                whole(next)
            }
            Some(b'-') => {
                Err(io::Error::other(format!("Redis: {}", String::from_utf8_lossy(line))))
            }
            _ => Err(invalid("Redis sent", bytes)),
        }
    }

    /// `>3`, then `message`, the channel and the payload, or `subscribe`, the channel and a number.
    fn push(
        &mut self,
        bytes: &[u8],
        next: usize,
        sink: &mut dyn FnMut(usize, &[u8]),
    ) -> io::Result<Taken> {
        let none = Ok(Taken::default());
        let Some((kind, next)) = string_at(bytes, next)? else { return none };
        let Some((channel, next)) = string_at(bytes, next)? else { return none };
        if kind == b"subscribe" {
            let Some((_, end)) = line_at(bytes, next) else { return none };
            self.awaited = self.awaited.saturating_sub(1);
            return Ok(Taken { bytes: end, messages: 0 });
        }
        let Some((payload, end)) = string_at(bytes, next)? else { return none };
        let topic = self.index.find(channel);
        sink(topic.ok_or_else(|| invalid("Redis sent for", channel))?, payload);
        Ok(Taken { bytes: end, messages: 1 })
    }
}

impl Group {
    /// The name of a stream and how many entries come of it.
    fn stream(&mut self, bytes: &[u8], index: &TopicIndex) -> io::Result<Taken> {
        let Some((key, next)) = string_at(bytes, 0)? else { return Ok(Taken::default()) };
        let Some((line, end)) = line_at(bytes, next) else { return Ok(Taken::default()) };
        let count = line.strip_prefix(b"*").and_then(crate::number);
        self.topic = index.find(key).ok_or_else(|| invalid("Redis sent for", key))?;
        self.entries = count.filter(|it| *it > 0).ok_or_else(|| invalid("Redis sent", line))?;
        Ok(Taken { bytes: end, messages: 0 })
    }

    /// `*2`, the entry's place, `*2`, the name of the only field and its value.
    fn entry(
        &mut self,
        bytes: &[u8],
        topics: &[String],
        out: &mut Vec<u8>,
        sink: &mut dyn FnMut(usize, &[u8]),
    ) -> io::Result<Taken> {
        const PAIR: usize = b"*2\r\n".len();
        let none = Ok(Taken::default());
        let Some((place, next)) = string_at(bytes, PAIR)? else { return none };
        let Some((_, next)) = string_at(bytes, next + PAIR)? else { return none };
        let Some((payload, end)) = string_at(bytes, next)? else { return none };
        sink(self.topic, payload);
        string(&mut self.numbers, place);
        self.taken += 1;
        self.entries -= 1;
        if self.entries == 0 {
            self.acknowledge(&topics[self.topic], out);
            self.streams -= 1;
            if self.streams == 0 {
                self.read(topics, out);
            }
        }
        Ok(Taken { bytes: end, messages: 1 })
    }

    fn acknowledge(&mut self, key: &str, out: &mut Vec<u8>) {
        out.push(b'*');
        crate::put_number(out, 3 + self.taken);
        out.extend_from_slice(b"\r\n");
        for word in [b"XACK", key.as_bytes(), self.name.as_bytes()] {
            string(out, word);
        }
        out.append(&mut self.numbers);
        self.taken = 0;
    }

    fn read(&self, topics: &[String], out: &mut Vec<u8>) {
        let mut words: Vec<&[u8]> = vec![b"XREADGROUP", b"GROUP", self.name.as_bytes(), b"lab"];
        words.extend([b"COUNT", COUNT, b"BLOCK", b"0", b"STREAMS"]);
        words.extend(self.topics.iter().map(|&topic| topics[topic].as_bytes()));
        words.extend(self.topics.iter().map(|_| &b">"[..]));
        command(out, &words);
    }
}

/// The line at `at` without its end, and where the next begins.
fn line_at(bytes: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let rest = bytes.get(at..)?;
    let end = memchr::memchr(b'\n', rest)?;
    Some((rest[..end].trim_ascii_end(), at + end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn streams() -> Streams {
        let mut streams = Streams::new(&["a".to_owned(), "b".to_owned()]).expect("two names");
        streams.awaited = 0;
        streams
    }

    #[test]
    fn entries_that_come_in_pieces_are_taken_and_acknowledged_together() {
        let bytes = b"+OK\r\n%1\r\n$1\r\nb\r\n*2\r\n\
                      *2\r\n$3\r\n1-0\r\n*2\r\n$1\r\np\r\n$9\r\npay\r\nload\r\n\
                      *2\r\n$3\r\n1-1\r\n*2\r\n$1\r\np\r\n$1\r\nx\r\n:2\r\n";
        for cut in 0..=bytes.len() {
            let (mut streams, mut out) = (streams(), Vec::new());
            streams.subscribe_guaranteed(&mut out, "g", &[1]).expect("nothing is rejected");
            assert_eq!(streams.awaited(), 1);
            out.clear();
            let mut messages = Vec::new();
            let mut sink = |topic, payload: &[u8]| messages.push((topic, payload.to_vec()));
            let first = streams.take(&bytes[..cut], &mut out, &mut sink).expect("RESP");
            let rest = &bytes[first.bytes..];
            assert_eq!(streams.take(rest, &mut out, &mut sink).expect("RESP").bytes, rest.len());
            assert_eq!(messages, [(1, b"pay\r\nload".to_vec()), (1, b"x".to_vec())], "at {cut}");
            assert_eq!(streams.awaited(), 0);
            let said = String::from_utf8(out).expect("text");
            let acknowledgement =
                "*5\r\n$4\r\nXACK\r\n$1\r\nb\r\n$1\r\ng\r\n$3\r\n1-0\r\n$3\r\n1-1\r\n";
            assert!(said.starts_with(acknowledgement) && said.contains("XREADGROUP"), "{said}");
        }
    }

    #[test]
    fn replies_to_additions_come_beside_messages() {
        let bytes = b"$3\r\n1-0\r\n>3\r\n$7\r\nmessage\r\n$1\r\na\r\n$4\r\nrate\r\n$3\r\n1-1\r\n";
        for cut in 0..=bytes.len() {
            let (mut streams, mut out, mut count) = (streams(), Vec::new(), 0);
            let mut sink = |topic, payload: &[u8]| {
                assert_eq!((topic, payload), (0, &b"rate"[..]));
                count += 1;
            };
            let first = streams.take(&bytes[..cut], &mut out, &mut sink).expect("RESP");
            streams.take(&bytes[first.bytes..], &mut out, &mut sink).expect("RESP");
            assert_eq!((streams.acknowledged(), count), (2, 1), "cut at {cut}");
        }
    }

    #[test]
    fn a_message_is_added_as_the_documents_say() {
        let mut out = Vec::new();
        streams().publish_guaranteed(&mut out, 1, b"pay").expect("no group");
        assert_eq!(out, b"*5\r\n$4\r\nXADD\r\n$1\r\nb\r\n$1\r\n*\r\n$1\r\np\r\n$3\r\npay\r\n");
        let rejected = streams().take(b"-ERR no\r\n", &mut out, &mut |_, _| {});
        assert_eq!(rejected.expect_err("an error").to_string(), "Redis: -ERR no");
    }
}
