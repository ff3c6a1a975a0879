//! A page in a browser: a WebSocket client, written from the protocol's description, that subscribes, reads as
//! it likes to, and holds what it reads against what was published.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::actor::Phase;
use crate::host::{Host, LinkId};
use crate::link::{End, LinkOptions};
use crate::report::{Checked, Violation, ensure, violation};
use crate::scenario::PATTERNS;
use trunkline_random::Random;

pub(crate) const OPENING: &str = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
    Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

pub(crate) const TEXT: u8 = 1;
pub(crate) const BINARY: u8 = 2;
const CLOSE: u8 = 8;
pub(crate) const PING: u8 = 9;
pub(crate) const PONG: u8 = 10;

/// A topic in a subscription.
#[derive(Debug, Default)]
struct Match {
    /// Sequence of the last message, if there was one.
    last: Option<u64>,
    /// Losses that were reported since.
    reported: u64,
}

/// A page.
pub(crate) struct Page {
    pub(crate) next_step: u64,
    random: Random,
    grain: u64,
    link: Option<LinkId>,
    input: Vec<u8>,
    is_open: bool,
    /// It has read that its connection ends.
    is_closing: bool,
    /// A message whose payload is the next frame.
    announced: Option<Value>,
    matches: BTreeMap<(u64, String), Match>,
}

impl Page {
    pub(crate) fn new(seed: u64, number: u64, grain: u64) -> Self {
        let mut random = Random::stream(seed, 0x7061_6765 + number);
        let next_step = grain * random.below(40);
        Self {
            next_step,
            random,
            grain,
            link: None,
            input: Vec::new(),
            is_open: false,
            is_closing: false,
            announced: None,
            matches: BTreeMap::new(),
        }
    }

    /// Reads, subscribes, leaves now and then.
    pub(crate) fn step(&mut self, now: u64, phase: Phase, host: &mut Host) -> Checked {
        self.next_step = now + self.grain * self.random.between(1, 8);
        let Some(link) = self.link else {
            if phase == Phase::Running {
                self.connect(host);
            }
            return Ok(());
        };
        let most = match phase {
            Phase::Running => self.random.part(4 << 10),
            Phase::Settling => usize::MAX,
        };
        host.receive_bytes(link, most, &mut self.input);
        self.read(link, host)?;
        let is_over = host.is_over(link);
        ensure(!is_over || self.is_closing || host.is_late(link), "lingering", || {
            format!("stream {link} has ended, and its page has not read why")
        })?;
        if is_over || phase == Phase::Running && self.random.once_in(150) {
            self.link = None;
            host.leave(link, self.random.pick(&[End::Closed, End::Broken]));
        }
        Ok(())
    }

    fn connect(&mut self, host: &mut Host) {
        let capacity = (64 << 10, self.random.pick(&[1 << 10, 64 << 10]) as usize);
        let link_options = LinkOptions::draw(&mut self.random, capacity);
        self.link = host.connect_page(link_options);
        (self.is_open, self.is_closing, self.announced) = (false, false, None);
        self.input.clear();
        self.matches.clear();
        if let Some(link) = self.link {
            host.send(link, OPENING.as_bytes());
        }
    }

    fn send(&mut self, link: LinkId, kind: u8, payload: &[u8], host: &mut Host) {
        let mask = (self.random.bits() as u32).to_le_bytes();
        host.send(link, &frame(kind, mask, payload));
    }

    /// Reads the whole frames that have come.
    fn read(&mut self, link: LinkId, host: &mut Host) -> Checked {
        if !self.is_open {
            let Some(end) = self.input.windows(4).position(|it| it == b"\r\n\r\n") else {
                return Ok(());
            };
            let head = String::from_utf8_lossy(&self.input[..end]).into_owned();
            self.input.drain(..end + 4);
            if !head.starts_with("HTTP/1.1 101") {
                self.is_closing = true;
                return Ok(());
            }
            self.is_open = true;
            for number in 1..=self.random.between(1, 3) {
                let pattern = self.random.pick(PATTERNS);
                let how = self.random.pick(&[
                    "",
                    ", \"conflate\": true",
                    ", \"last_values\": true",
                    ", \"conflate\": true, \"last_values\": true",
                ]);
                let text = format!("{{\"subscribe\": {number}, \"pattern\": \"{pattern}\"{how}}}");
                self.send(link, TEXT, text.as_bytes(), host);
            }
        }
        while let Some((kind, payload)) = next_frame(&mut self.input) {
            match kind {
                TEXT => self.text(&payload, host)?,
                BINARY => {
                    let Some(message) = self.announced.take() else {
                        return violation("client library", "bytes that nothing announced");
                    };
                    self.message(&message, &payload, host)?;
                }
                PING => self.send(link, PONG, &payload, host),
                CLOSE => self.is_closing = true,
                _ => return violation("client library", format!("a frame of kind {kind}")),
            }
        }
        Ok(())
    }

    fn text(&mut self, text: &[u8], host: &mut Host) -> Checked {
        let Ok(said) = serde_json::from_slice::<Value>(text) else {
            return violation("client library", format!("no JSON: {text:?}"));
        };
        if let Some(message) = said.get("message") {
            match message.get("payload").and_then(Value::as_str) {
                Some(payload) => self.message(message, payload.as_bytes(), host)?,
                None => self.announced = Some(message.clone()),
            }
        }
        if let Some(gap) = said.get("gap") {
            self.matched(gap)?.reported += number(gap, "count")?;
        }
        // The page's own `closing` comes before the frame that closes.
        self.is_closing |= said.get("closing").is_some();
        Ok(())
    }

    fn matched(&mut self, of: &Value) -> Result<&mut Match, Violation> {
        let topic = of.get("topic").and_then(Value::as_str).unwrap_or_default();
        Ok(self.matches.entry((number(of, "subscription")?, topic.to_owned())).or_default())
    }

    /// A message comes after those before it, is what was published, and what is missing is explained.
    fn message(&mut self, message: &Value, payload: &[u8], host: &mut Host) -> Checked {
        host.counts.page_messages += 1;
        let sequence = number(message, "sequence")?;
        let replaced = message.get("replaced").and_then(Value::as_u64).unwrap_or(0);
        let topic = message.get("topic").and_then(Value::as_str).unwrap_or_default();
        let published = host.history.message(topic, sequence);
        ensure(published.is_some_and(|it| it.payload == payload), "delivery", || {
            format!("{message} is not what was published")
        })?;
        let matched = self.matched(message)?;
        let reported = std::mem::take(&mut matched.reported);
        if let Some(last) = matched.last.replace(sequence) {
            ensure(sequence > last, "order", || format!("{message} comes after {last}"))?;
            ensure(sequence - last - 1 == reported + replaced, "gaps", || {
                format!("{message} after {last}: {reported} reported as lost, {replaced} replaced")
            })?;
        }
        Ok(())
    }
}

fn number(of: &Value, key: &str) -> Result<u64, Violation> {
    match of.get(key).and_then(Value::as_u64) {
        Some(number) => Ok(number),
        None => violation("client library", format!("{of} has no {key}")),
    }
}

/// A frame of a client (RFC 6455, section 5.2).
pub(crate) fn frame(kind: u8, mask: [u8; 4], payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![0x80 | kind];
    match payload.len() {
        length @ ..126 => frame.push(0x80 | length as u8),
        length => {
            frame.push(0x80 | 126);
            frame.extend((length as u16).to_be_bytes());
        }
    }
    frame.extend(mask);
    frame.extend(payload.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask));
    frame
}

/// Takes out the next frame, if it has come as a whole: its kind and its payload (RFC 6455, section 5.2).
pub(crate) fn next_frame(input: &mut Vec<u8>) -> Option<(u8, Vec<u8>)> {
    let (head, length) = match input.get(1)? & 0x7f {
        126 => (4, u16::from_be_bytes(*input.get(2..)?.first_chunk()?).into()),
        127 => (10, u64::from_be_bytes(*input.get(2..)?.first_chunk()?) as usize),
        length => (2, usize::from(length)),
    };
    let payload = input.get(head..head + length)?.to_vec();
    let kind = input[0] & 0xf;
    input.drain(..head + length);
    Some((kind, payload))
}
