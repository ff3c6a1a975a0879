//! JetStream: NATS's streams, by the requests to `$JS.API` that its documents describe.
//!
//! A durable subscription makes a stream of its topics, with the defaults of a stream on disk, and a push
//! consumer. Every message is published with an inbox for its acknowledgement, and acknowledged
//! explicitly by the subscriber; acknowledgements of one read leave together.

use std::collections::VecDeque;
use std::io::{self, Write as _};
use std::sync::atomic::{AtomicU64, Ordering};

use memchr::memmem;
use trunkline_bench_bus::socket_bus::invalid;
use trunkline_bench_bus::topic_index::TopicIndex;

use crate::nats::Head;

/// Messages that a subscriber may have without having acknowledged them.
const MAX_ACK_PENDING: usize = 65_536;

/// What goes to inboxes, by its place after the numbers of the topics' subscriptions.
const ACKNOWLEDGEMENTS: usize = 0;
const ANSWERS: usize = 1;
const MESSAGES: usize = 2;

/// The part of a connection that concerns streams.
pub(crate) struct JetStream {
    /// How the inboxes of this connection begin.
    inbox: String,
    /// Whether an inbox for acknowledgements is there.
    publishes: bool,
    acknowledged: u64,
    /// Where in the stream the last acknowledged message is.
    sequence: u64,
    /// Requests that follow one another: a consumer can be made when its stream is there.
    requests: VecDeque<Request>,
    /// Finds the place in `topics` of a message's subject.
    index: TopicIndex,
    topics: Vec<usize>,
}

struct Request {
    subject: String,
    body: String,
}

impl JetStream {
    pub(crate) fn new() -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        Self {
            inbox: format!("_INBOX.{}-{number}", std::process::id()),
            publishes: false,
            acknowledged: 0,
            sequence: 0,
            requests: VecDeque::new(),
            index: TopicIndex::default(),
            topics: Vec::new(),
        }
    }

    pub(crate) fn acknowledged(&self) -> u64 {
        self.acknowledged
    }

    /// Requests that have not been answered.
    pub(crate) fn awaited(&self) -> usize {
        self.requests.len()
    }

    /// What stands before the size and the payload of a message; `after` is the number of the last
    /// subscription of a topic.
    pub(crate) fn publish(&mut self, out: &mut Vec<u8>, subject: &str, after: usize) {
        let inbox = &self.inbox;
        if !self.publishes {
            self.publishes = true;
            // Writing to a vector does not fail.
            let _ = write!(out, "SUB {inbox}.a {}\r\n", after + 1 + ACKNOWLEDGEMENTS);
        }
        out.extend_from_slice(b"PUB ");
        out.extend_from_slice(subject.as_bytes());
        out.push(b' ');
        out.extend_from_slice(inbox.as_bytes());
        out.extend_from_slice(b".a ");
    }

    /// Asks for a stream and a consumer of this name, of topics with these subjects.
    pub(crate) fn subscribe(
        &mut self,
        out: &mut Vec<u8>,
        (name, topics, subjects): (&str, &[usize], &[&str]),
        after: usize,
    ) -> io::Result<()> {
        self.index = TopicIndex::new(subjects)?;
        self.topics = topics.to_vec();
        let inbox = &self.inbox;
        let (answers, messages) = (after + 1 + ANSWERS, after + 1 + MESSAGES);
        let _ = write!(out, "SUB {inbox}.q {answers}\r\nSUB {inbox}.m {messages}\r\n");
        let subjects = subjects.join("\",\"");
        self.requests.push_back(Request {
            subject: format!("$JS.API.STREAM.CREATE.{name}"),
            body: format!(
                "{{\"name\":\"{name}\",\"subjects\":[\"{subjects}\"],\"storage\":\"file\",\
                 \"retention\":\"limits\",\"discard\":\"old\",\"num_replicas\":1}}"
            ),
        });
        self.requests.push_back(Request {
            subject: format!("$JS.API.CONSUMER.DURABLE.CREATE.{name}.{name}"),
            body: format!(
                "{{\"stream_name\":\"{name}\",\"config\":{{\"durable_name\":\"{name}\",\
                 \"deliver_subject\":\"{inbox}.m\",\"deliver_policy\":\"all\",\
                 \"ack_policy\":\"explicit\",\"max_ack_pending\":{MAX_ACK_PENDING}}}}}"
            ),
        });
        self.request(out);
        Ok(())
    }

    fn request(&self, out: &mut Vec<u8>) {
        let Some(Request { subject, body }) = self.requests.front() else { return };
        let _ = write!(out, "PUB {subject} {}.q {}\r\n{body}\r\n", self.inbox, body.len());
    }

    /// Takes what came to an inbox, `number` of them; a message of a stream goes to the sink.
    pub(crate) fn take(
        &mut self,
        (number, head, payload): (usize, &Head<'_>, &[u8]),
        out: &mut Vec<u8>,
        sink: &mut dyn FnMut(usize, &[u8]),
    ) -> io::Result<usize> {
        match number {
            ACKNOWLEDGEMENTS => {
                let sequence = sequence_of(payload).ok_or_else(|| rejected(payload))?;
                if sequence <= self.sequence {
                    return Err(invalid("JetStream acknowledged out of order", payload));
                }
                self.sequence = sequence;
                self.acknowledged += 1;
            }
            ANSWERS => {
                if memmem::find(payload, b"\"error\":").is_some() {
                    return Err(rejected(payload));
                }
                self.requests.pop_front();
                self.request(out);
            }
            MESSAGES => {
                let topic = self.index.find(head.subject).map(|place| self.topics[place]);
                sink(topic.ok_or_else(|| invalid("JetStream sent for", head.subject))?, payload);
                out.extend_from_slice(b"PUB ");
                out.extend_from_slice(head.reply);
                out.extend_from_slice(b" 0\r\n\r\n");
                return Ok(1);
            }
            _ => return Err(invalid("NATS sent what nobody subscribed to", head.subject)),
        }
        Ok(0)
    }
}

/// The place in the stream that an acknowledgement tells: `{"stream":"S", "seq":42}`.
fn sequence_of(payload: &[u8]) -> Option<u64> {
    const KEY: &[u8] = b"\"seq\":";
    let rest = &payload[memmem::find(payload, KEY)? + KEY.len()..];
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit());
    digits.fold(None, |sum, byte| Some(sum.unwrap_or(0) * 10 + u64::from(byte - b'0')))
}

fn rejected(payload: &[u8]) -> io::Error {
    io::Error::other(format!("JetStream: {}", String::from_utf8_lossy(payload)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(subject: &'static str) -> Head<'static> {
        Head { subject: subject.as_bytes(), sid: 0, reply: b"$JS.ACK.s.s.1.1.1.7.0", size: 0 }
    }

    fn subscribed(out: &mut Vec<u8>) -> JetStream {
        let mut jetstream = JetStream::new();
        jetstream.subscribe(out, ("gateway", &[0], &["orders.venue"]), 1).expect("one name");
        jetstream
    }

    #[test]
    fn a_consumer_is_made_after_its_stream() {
        let mut out = Vec::new();
        let mut jetstream = subscribed(&mut out);
        let asked = String::from_utf8(std::mem::take(&mut out)).expect("text");
        assert!(asked.contains("STREAM.CREATE.gateway") && !asked.contains("CONSUMER"), "{asked}");
        assert_eq!(jetstream.awaited(), 2);
        let sink = &mut |_, _: &[u8]| {};
        jetstream.take((ANSWERS, &head("q"), b"{\"type\":\"s\"}"), &mut out, sink).expect("made");
        let asked = String::from_utf8(std::mem::take(&mut out)).expect("text");
        assert!(asked.contains("CONSUMER.DURABLE.CREATE.gateway.gateway"), "{asked}");
        jetstream.take((ANSWERS, &head("q"), b"{\"type\":\"c\"}"), &mut out, sink).expect("made");
        assert_eq!((jetstream.awaited(), out.len()), (0, 0));
        let no = jetstream.take((ANSWERS, &head("q"), b"{\"error\":{}}"), &mut out, sink);
        assert_eq!(no.expect_err("an error").to_string(), "JetStream: {\"error\":{}}");
    }

    #[test]
    fn messages_are_acknowledged_by_both_sides() {
        let mut out = Vec::new();
        let mut jetstream = subscribed(&mut out);
        out.clear();
        jetstream.publish(&mut out, "orders.venue", 1);
        jetstream.publish(&mut out, "orders.venue", 1);
        assert_eq!(out.windows(3).filter(|it| it == b"SUB").count(), 1);
        out.clear();
        let mut found = Vec::new();
        let mut sink = |topic, payload: &[u8]| found.push((topic, payload.to_vec()));
        let message = (MESSAGES, &head("orders.venue"), &b"order"[..]);
        assert_eq!(jetstream.take(message, &mut out, &mut sink).expect("a message"), 1);
        assert_eq!(out, b"PUB $JS.ACK.s.s.1.1.1.7.0 0\r\n\r\n");
        for sequence in [1, 2] {
            let told = format!("{{\"stream\":\"s\", \"seq\":{sequence}}}");
            let told = (ACKNOWLEDGEMENTS, &head("a"), told.as_bytes());
            jetstream.take(told, &mut out, &mut sink).expect("an acknowledgement");
        }
        assert_eq!(jetstream.acknowledged(), 2);
        let again = (ACKNOWLEDGEMENTS, &head("a"), &b"{\"seq\":2}"[..]);
        assert!(jetstream.take(again, &mut out, &mut sink).is_err());
        assert_eq!(found, [(0, b"order".to_vec())]);
    }
}
