//! NATS by its text protocol, as its documents describe it ("Client protocol").
//!
//! The number of a subscription comes back with every message, so that no name is looked up.

use std::io::{self, Write as _};

use trunkline_bench_bus::bus::{Bus, BusOptions, Connect};
use trunkline_bench_bus::socket_bus::{Protocol, SocketBus, Taken, invalid};

use crate::jetstream::JetStream;

/// Connects to a NATS server.
#[derive(Clone, Copy, Debug)]
pub struct Nats;

impl Connect for Nats {
    fn connect(
        &self,
        address: &str,
        topics: &[String],
        options: &BusOptions,
    ) -> io::Result<Box<dyn Bus>> {
        crate::reject_rates("NATS", options)?;
        let subjects = topics.iter().map(|name| name.replace('/', ".")).collect();
        let name = options.name.replace(['"', '\\'], " ");
        let greeting = format!(
            "CONNECT {{\"verbose\":false,\"pedantic\":false,\"lang\":\"trunkline-lab\",\
             \"version\":\"0\",\"protocol\":1,\"name\":\"{name}\"}}\r\nPING\r\n"
        );
        let text = Text { subjects, awaited: 1, streams: JetStream::new() };
        Ok(Box::new(SocketBus::connect(address, text, greeting.as_bytes(), options)?))
    }
}

/// The protocol for a list of subjects.
struct Text {
    subjects: Vec<String>,
    /// Answers to pings of ours.
    awaited: usize,
    /// What is guaranteed.
    streams: JetStream,
}

impl Protocol for Text {
    fn publish(&mut self, out: &mut Vec<u8>, topic: usize, payload: &[u8]) {
        out.extend_from_slice(b"PUB ");
        out.extend_from_slice(self.subjects[topic].as_bytes());
        out.push(b' ');
        put_payload(out, payload);
    }

    fn subscribe(&mut self, out: &mut Vec<u8>, topics: &[usize]) {
        for &topic in topics {
            // Writing to a vector does not fail.
            let _ = write!(out, "SUB {} {}\r\n", self.subjects[topic], topic + 1);
        }
        out.extend_from_slice(b"PING\r\n");
        self.awaited += 1;
    }

    fn awaited(&self) -> usize {
        self.awaited + self.streams.awaited()
    }

    fn publish_guaranteed(
        &mut self,
        out: &mut Vec<u8>,
        topic: usize,
        payload: &[u8],
    ) -> io::Result<()> {
        self.streams.publish(out, &self.subjects[topic], self.subjects.len());
        put_payload(out, payload);
        Ok(())
    }

    fn acknowledged(&self) -> u64 {
        self.streams.acknowledged()
    }

    fn subscribe_guaranteed(
        &mut self,
        out: &mut Vec<u8>,
        name: &str,
        topics: &[usize],
    ) -> io::Result<()> {
        let subjects: Vec<&str> = topics.iter().map(|&topic| &*self.subjects[topic]).collect();
        self.streams.subscribe(out, (name, topics, &subjects), self.subjects.len())
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
            let Some(end) = memchr::memchr(b'\n', rest) else { return Ok(taken) };
            let line = rest[..end].trim_ascii_end();
            let mut length = end + 1;
            if let Some(head) = line.strip_prefix(b"MSG ") {
                let head = head_of(head).ok_or_else(|| invalid("NATS sent", line))?;
                let Some(payload) = rest.get(length..length + head.size) else { return Ok(taken) };
                length += head.size + 2;
                if rest.len() < length {
                    return Ok(taken);
                }
                // Numbers after those of the topics are of inboxes.
                match head.sid.checked_sub(self.subjects.len() + 1) {
                    Some(inbox) => {
                        let message = (inbox, &head, payload);
                        taken.messages += self.streams.take(message, out, sink)?;
                    }
                    None => {
                        sink(head.sid - 1, payload);
                        taken.messages += 1;
                    }
                }
            } else {
                self.answer(line, out)?;
            }
            taken.bytes += length;
        }
    }
}

impl Text {
    fn answer(&mut self, line: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
        match line {
            b"PING" => out.extend_from_slice(b"PONG\r\n"),
            b"PONG" => self.awaited = self.awaited.saturating_sub(1),
            b"+OK" => {}
            _ if line.starts_with(b"INFO ") => {}
            _ if line.starts_with(b"-ERR") => {
                return Err(io::Error::other(format!("NATS: {}", String::from_utf8_lossy(line))));
            }
            _ => return Err(invalid("NATS sent", line)),
        }
        Ok(())
    }
}

/// What stands before a message.
pub(crate) struct Head<'a> {
    pub(crate) subject: &'a [u8],
    /// The number of the subscription, from 1.
    pub(crate) sid: usize,
    /// Where an answer goes; may be empty.
    pub(crate) reply: &'a [u8],
    pub(crate) size: usize,
}

/// `subject sid [reply-to] size`.
fn head_of(head: &[u8]) -> Option<Head<'_>> {
    let sid = memchr::memchr(b' ', head)? + 1;
    let size = memchr::memrchr(b' ', head)? + 1;
    let after = memchr::memchr(b' ', &head[sid..])? + sid;
    Some(Head {
        subject: &head[..sid - 1],
        sid: crate::number(&head[sid..after]).filter(|sid| *sid > 0)?,
        reply: head[after..size].trim_ascii(),
        size: crate::number(&head[size..])?,
    })
}

/// Appends the size of a payload and the payload.
fn put_payload(out: &mut Vec<u8>, payload: &[u8]) {
    crate::put_number(out, payload.len());
    out.extend_from_slice(b"\r\n");
    out.extend_from_slice(payload);
    out.extend_from_slice(b"\r\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text() -> Text {
        let subjects = vec!["fx.EURUSD".into(), "fx.USDJPY".into()];
        Text { subjects, awaited: 1, streams: JetStream::new() }
    }

    #[test]
    fn a_message_is_written_as_the_documents_say() {
        let mut out = Vec::new();
        text().publish(&mut out, 1, b"payload");
        assert_eq!(out, b"PUB fx.USDJPY 7\r\npayload\r\n");
    }

    #[test]
    fn what_comes_in_pieces_is_taken_when_it_is_whole() {
        let bytes = b"INFO {}\r\nPONG\r\nMSG fx.USDJPY 2 9\r\nline\r\nend\r\n\
                      MSG fx.EURUSD 1 reply.to 0\r\n\r\nPING\r\n";
        for cut in 0..=bytes.len() {
            let (mut text, mut out, mut messages) = (text(), Vec::new(), Vec::new());
            let mut sink = |topic, payload: &[u8]| messages.push((topic, payload.to_vec()));
            let first = text.take(&bytes[..cut], &mut out, &mut sink).expect("the protocol");
            text.take(&bytes[first.bytes..], &mut out, &mut sink).expect("the protocol");
            assert_eq!(messages, [(1, b"line\r\nend".to_vec()), (0, vec![])], "cut at {cut}");
            assert_eq!((text.awaited(), &*out), (0, &b"PONG\r\n"[..]));
        }
    }

    #[test]
    fn an_error_of_the_server_is_told() {
        let error = text()
            .take(b"-ERR 'Slow Consumer'\r\n", &mut Vec::new(), &mut |_, _| {})
            .expect_err("an error");
        assert_eq!(error.to_string(), "NATS: -ERR 'Slow Consumer'");
        let garbage = text().take(b"HTTP/1.1 400\r\n", &mut Vec::new(), &mut |_, _| {});
        assert_eq!(garbage.expect_err("garbage").kind(), io::ErrorKind::InvalidData);
    }
}
