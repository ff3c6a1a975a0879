//! NATS by its text protocol, as its documents describe it ("Client protocol").
//!
//! The number of a subscription comes back with every message, so that no name is looked up.

use std::io::{self, Write as _};

use trunkline_lab::bus::{Bus, BusOptions, Connect};
use trunkline_lab::socket_bus::{Protocol, SocketBus, Taken, invalid};

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
        crate::refuse_rates("NATS", options)?;
        let subjects = topics.iter().map(|name| name.replace('/', ".")).collect();
        let name = options.name.replace(['"', '\\'], " ");
        let greeting = format!(
            "CONNECT {{\"verbose\":false,\"pedantic\":false,\"lang\":\"trunkline-lab\",\
             \"version\":\"0\",\"protocol\":1,\"name\":\"{name}\"}}\r\nPING\r\n"
        );
        let text = Text { subjects, awaited: 1 };
        Ok(Box::new(SocketBus::connect(address, text, greeting.as_bytes(), options)?))
    }
}

/// The protocol for a list of subjects.
struct Text {
    subjects: Vec<String>,
    /// Answers to pings of ours.
    awaited: usize,
}

impl Protocol for Text {
    fn publish(&mut self, out: &mut Vec<u8>, topic: usize, payload: &[u8]) {
        out.extend_from_slice(b"PUB ");
        out.extend_from_slice(self.subjects[topic].as_bytes());
        out.push(b' ');
        crate::put_number(out, payload.len());
        out.extend_from_slice(b"\r\n");
        out.extend_from_slice(payload);
        out.extend_from_slice(b"\r\n");
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
        self.awaited
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
                let (topic, size) = head_of(head).ok_or_else(|| invalid("NATS sent", line))?;
                let Some(payload) = rest.get(length..length + size) else { return Ok(taken) };
                length += size + 2;
                if rest.len() < length {
                    return Ok(taken);
                }
                if topic >= self.subjects.len() {
                    return Err(invalid("NATS sent what nobody subscribed to", line));
                }
                sink(topic, payload);
                taken.messages += 1;
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

/// `subject sid [reply-to] size` as the topic's index and the size.
fn head_of(head: &[u8]) -> Option<(usize, usize)> {
    let sid = memchr::memchr(b' ', head)? + 1;
    let size = memchr::memrchr(b' ', head)? + 1;
    let after = memchr::memchr(b' ', &head[sid..])? + sid;
    let topic = crate::number(&head[sid..after])?.checked_sub(1)?;
    Some((topic, crate::number(&head[size..])?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text() -> Text {
        Text { subjects: vec!["fx.EURUSD".into(), "fx.USDJPY".into()], awaited: 1 }
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
