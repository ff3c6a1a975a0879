//! Redis publish and subscribe, by RESP 2.
//!
//! A connection that has subscribed may not publish, so there are two. The one that publishes has
//! Redis's replies switched off (`CLIENT REPLY OFF`): nobody would wait for them.

use std::io;

use trunkline_bench_bus::bus::{Bus, BusOptions, Connect, Wait};
use trunkline_bench_bus::socket_bus::{Protocol, SocketBus, Taken, invalid};
use trunkline_bench_bus::topic_index::TopicIndex;

/// Connects to a Redis server.
#[derive(Clone, Copy, Debug)]
pub struct Redis;

impl Connect for Redis {
    fn connect(
        &self,
        address: &str,
        topics: &[String],
        options: &BusOptions,
    ) -> io::Result<Box<dyn Bus>> {
        crate::reject_rates("Redis", options)?;
        let greeting = Publisher::greeting(&options.name);
        let publisher = SocketBus::connect(address, Publisher::new(topics), &greeting, options)?;
        let subscriber = None;
        let (address, topics, options) = (address.to_owned(), topics.to_vec(), options.clone());
        Ok(Box::new(RedisBus { publisher, subscriber, address, topics, options }))
    }
}

struct RedisBus {
    publisher: SocketBus<Publisher>,
    subscriber: Option<SocketBus<Subscriber>>,
    address: String,
    topics: Vec<String>,
    options: BusOptions,
}

impl Bus for RedisBus {
    fn publish(&mut self, topic: usize, payload: &[u8]) -> io::Result<()> {
        self.publisher.publish(topic, payload)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.publisher.flush()
    }

    fn subscribe(&mut self, topics: &[usize]) -> io::Result<()> {
        let subscriber = match &mut self.subscriber {
            Some(subscriber) => subscriber,
            none => {
                let protocol = Subscriber {
                    index: TopicIndex::new(&self.topics)?,
                    topics: std::mem::take(&mut self.topics),
                    awaited: 0,
                };
                none.insert(SocketBus::connect(&self.address, protocol, &[], &self.options)?)
            }
        };
        subscriber.subscribe(topics)
    }

    fn poll(&mut self, wait: Wait, sink: &mut dyn FnMut(usize, &[u8])) -> io::Result<usize> {
        match &mut self.subscriber {
            Some(subscriber) => subscriber.poll(wait, sink),
            None => self.publisher.poll(wait, sink),
        }
    }
}

/// Appends a command in the form of an array of strings.
pub(crate) fn command(out: &mut Vec<u8>, words: &[&[u8]]) {
    out.push(b'*');
    crate::put_number(out, words.len());
    out.extend_from_slice(b"\r\n");
    for word in words {
        string(out, word);
    }
}

pub(crate) fn string(out: &mut Vec<u8>, text: &[u8]) {
    out.push(b'$');
    crate::put_number(out, text.len());
    out.extend_from_slice(b"\r\n");
    out.extend_from_slice(text);
    out.extend_from_slice(b"\r\n");
}

/// The connection that publishes.
pub(crate) struct Publisher {
    /// For each topic everything that stands before the payload.
    heads: Vec<Vec<u8>>,
    /// The reply to the command before replies are switched off.
    awaited: usize,
}

impl Publisher {
    /// Names the client and switches replies off.
    pub(crate) fn greeting(name: &str) -> Vec<u8> {
        let mut greeting = Vec::new();
        command(&mut greeting, &[b"CLIENT", b"SETNAME", name.replace(' ', "-").as_bytes()]);
        command(&mut greeting, &[b"CLIENT", b"REPLY", b"OFF"]);
        greeting
    }

    pub(crate) fn new(topics: &[String]) -> Self {
        let head = |name: &String| {
            let mut head = b"*3\r\n".to_vec();
            string(&mut head, b"PUBLISH");
            string(&mut head, name.as_bytes());
            head
        };
        Self { heads: topics.iter().map(head).collect(), awaited: 1 }
    }
}

impl Protocol for Publisher {
    fn publish(&mut self, out: &mut Vec<u8>, topic: usize, payload: &[u8]) {
        out.extend_from_slice(&self.heads[topic]);
        string(out, payload);
    }

    fn subscribe(&mut self, _out: &mut Vec<u8>, _topics: &[usize]) {}

    fn awaited(&self) -> usize {
        self.awaited
    }

    fn take(
        &mut self,
        bytes: &[u8],
        _out: &mut Vec<u8>,
        _sink: &mut dyn FnMut(usize, &[u8]),
    ) -> io::Result<Taken> {
        let Some(end) = memchr::memchr(b'\n', bytes) else { return Ok(Taken::default()) };
        let line = bytes[..end].trim_ascii_end();
        if line != b"+OK" || self.awaited == 0 {
            return Err(io::Error::other(format!("Redis: {}", String::from_utf8_lossy(line))));
        }
        self.awaited -= 1;
        Ok(Taken { bytes: end + 1, messages: 0 })
    }
}

/// The connection that subscribes.
struct Subscriber {
    topics: Vec<String>,
    index: TopicIndex,
    awaited: usize,
}

impl Protocol for Subscriber {
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

    fn take(
        &mut self,
        bytes: &[u8],
        _out: &mut Vec<u8>,
        sink: &mut dyn FnMut(usize, &[u8]),
    ) -> io::Result<Taken> {
        let mut taken = Taken::default();
        while let Some((reply, length)) = reply(&bytes[taken.bytes..])? {
            taken.bytes += length;
            match reply {
                Reply::Message { channel, payload } => {
                    let topic = self.index.find(channel);
                    sink(topic.ok_or_else(|| invalid("Redis sent for", channel))?, payload);
                    taken.messages += 1;
                }
                Reply::Subscribed => self.awaited = self.awaited.saturating_sub(1),
            }
        }
        Ok(taken)
    }
}

/// What a connection that has subscribed is sent.
enum Reply<'a> {
    Message { channel: &'a [u8], payload: &'a [u8] },
    Subscribed,
}

/// The reply at the front of `bytes` and its length; `None` if it is not there as a whole.
fn reply(bytes: &[u8]) -> io::Result<Option<(Reply<'_>, usize)>> {
    const MESSAGE: &[u8] = b"*3\r\n$7\r\nmessage\r\n";
    const SUBSCRIBE: &[u8] = b"*3\r\n$9\r\nsubscribe\r\n";
    if bytes.starts_with(MESSAGE) {
        let Some((channel, next)) = string_at(bytes, MESSAGE.len())? else { return Ok(None) };
        let Some((payload, end)) = string_at(bytes, next)? else { return Ok(None) };
        return Ok(Some((Reply::Message { channel, payload }, end)));
    }
    if bytes.starts_with(SUBSCRIBE) {
        let Some((_, next)) = string_at(bytes, SUBSCRIBE.len())? else { return Ok(None) };
        let end = memchr::memchr(b'\n', &bytes[next..]);
        return Ok(end.map(|end| (Reply::Subscribed, next + end + 1)));
    }
    if MESSAGE.starts_with(bytes) || SUBSCRIBE.starts_with(bytes) {
        return Ok(None);
    }
    Err(invalid("Redis sent", bytes))
}

/// The string whose `$` is at `at`, and where it ends.
pub(crate) fn string_at(bytes: &[u8], at: usize) -> io::Result<Option<(&[u8], usize)>> {
    let Some(rest) = bytes.get(at..) else { return Ok(None) };
    let Some(line) = memchr::memchr(b'\n', rest) else { return Ok(None) };
    let size =
        rest[..line].strip_prefix(b"$").and_then(|text| crate::number(text.trim_ascii_end()));
    let size = size.ok_or_else(|| invalid("Redis sent", rest))?;
    let start = at + line + 1;
    let whole = bytes.len() >= start + size + 2;
    Ok(whole.then(|| (&bytes[start..start + size], start + size + 2)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_written_as_the_documents_say() {
        let mut out = Vec::new();
        Publisher::new(&["fx/EURUSD".into()]).publish(&mut out, 0, b"pay\r\nload");
        assert_eq!(out, b"*3\r\n$7\r\nPUBLISH\r\n$9\r\nfx/EURUSD\r\n$9\r\npay\r\nload\r\n");
    }

    #[test]
    fn what_comes_in_pieces_is_taken_when_it_is_whole() {
        let bytes = b"*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n\
                      *3\r\n$7\r\nmessage\r\n$1\r\nb\r\n$9\r\npay\r\nload\r\n\
                      *3\r\n$9\r\nsubscribe\r\n$1\r\nb\r\n:2\r\n";
        for cut in 0..=bytes.len() {
            let topics = vec!["a".to_owned(), "b".to_owned()];
            let index = TopicIndex::new(&topics).expect("names that differ");
            let mut subscriber = Subscriber { topics, index, awaited: 0 };
            subscriber.subscribe(&mut Vec::new(), &[0, 1]);
            let (mut out, mut messages) = (Vec::new(), Vec::new());
            let mut sink = |topic, payload: &[u8]| messages.push((topic, payload.to_vec()));
            let first = subscriber.take(&bytes[..cut], &mut out, &mut sink).expect("RESP");
            subscriber.take(&bytes[first.bytes..], &mut out, &mut sink).expect("RESP");
            assert_eq!(messages, [(1, b"pay\r\nload".to_vec())], "cut at {cut}");
            assert_eq!(subscriber.awaited(), 0);
        }
    }

    #[test]
    fn an_error_of_the_server_is_told() {
        let error = Publisher::new(&[])
            .take(b"-NOAUTH Authentication required.\r\n", &mut Vec::new(), &mut |_, _| {})
            .expect_err("an error");
        assert_eq!(error.to_string(), "Redis: -NOAUTH Authentication required.");
    }
}
