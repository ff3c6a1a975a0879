//! A page in a browser that stores and consumes: what producers and consumers say and hear in frames goes over
//! WebSocket, in JSON.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use trunkline_native::{self as native, ClientFrame, RouterFrame, code, format, kind};

use crate::page::{BINARY, OPENING, PING, PONG, TEXT, frame, next_frame};

/// Translates for one connection.
#[derive(Default)]
pub(crate) struct Page {
    /// Topics by the aliases that the client has given them.
    aliases: BTreeMap<u32, String>,
    /// Numbers of the topics that have come.
    numbers: BTreeMap<String, u32>,
    input: Vec<u8>,
    is_open: bool,
    /// A delivery whose payload is the next frame.
    announced: Option<Value>,
    masks: u32,
}

impl Page {
    /// Where what comes from the router is put for [`Page::receive`].
    pub(crate) fn input(&mut self) -> &mut Vec<u8> {
        &mut self.input
    }

    /// Whole frames of a client, as a page says them.
    pub(crate) fn say(&mut self, mut frames: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        while let Ok(Some((said, length))) = native::decode_client(frames, u32::MAX) {
            frames = &frames[length..];
            self.say_one(&said, &mut out);
        }
        out
    }

    fn say_one(&mut self, said: &ClientFrame<'_>, out: &mut Vec<u8>) {
        let text = match said {
            ClientFrame::Hello(_) => return out.extend_from_slice(OPENING.as_bytes()),
            ClientFrame::Topic(it) => {
                self.aliases.insert(it.alias, it.name.to_owned());
                return;
            }
            ClientFrame::Pong(token) => return self.send(out, PONG, &token.to_le_bytes()),
            ClientFrame::Producer(it) => json!({"producer": it.name}),
            ClientFrame::Store(it) => {
                let topic = &self.aliases[&it.alias];
                let text = json!({"store": topic, "sequence": it.sequence, "binary": true,
                    "repeated": it.is_repeated, "time_to_live_ms": it.time_to_live_ms});
                self.send(out, TEXT, text.to_string().as_bytes());
                return self.send(out, BINARY, it.payload);
            }
            ClientFrame::Consume(it) => consume(it),
            ClientFrame::Acknowledge(it) => {
                let key = if it.is_cumulative { "through" } else { "position" };
                json!({"acknowledge": it.subscription, key: it.position.to_string()})
            }
            ClientFrame::Release(it) => {
                json!({"release": it.subscription, "position": it.position.to_string(),
                    "delay_ms": it.delay_ms})
            }
            other => unreachable!("nobody here says {other:?}"),
        };
        self.send(out, TEXT, text.to_string().as_bytes());
    }

    fn send(&mut self, out: &mut Vec<u8>, kind: u8, payload: &[u8]) {
        self.masks = self.masks.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        out.extend(frame(kind, self.masks.to_le_bytes(), payload));
    }

    /// What has come, as frames.
    pub(crate) fn receive(&mut self, out: &mut Vec<u8>) {
        if !self.is_open {
            let Some(end) = self.input.windows(4).position(|it| it == b"\r\n\r\n") else { return };
            self.is_open = self.input.starts_with(b"HTTP/1.1 101");
            self.input.drain(..end + 4);
        }
        while let Some((kind, payload)) = next_frame(&mut self.input) {
            match kind {
                TEXT => {
                    let said = serde_json::from_slice(&payload).unwrap_or(Value::Null);
                    self.receive_text(&said, out);
                }
                BINARY => {
                    if let Some(it) = self.announced.take() {
                        self.delivery(&it, &payload, out);
                    }
                }
                PING => {
                    let token = payload.first_chunk().map_or(0, |it| u64::from_le_bytes(*it));
                    RouterFrame::Ping(token).encode(out);
                }
                _ => {}
            }
        }
    }

    fn receive_text(&mut self, said: &Value, out: &mut Vec<u8>) {
        let Some((event, it)) = said.as_object().and_then(|it| it.iter().next()) else { return };
        let durability = native::Durability {
            memory: number(it, "memory") as u16,
            disk: number(it, "disk") as u16,
        };
        let subscription = number(it, "subscription") as u32;
        let position = number(it, "position");
        let received = match event.as_str() {
            "producing" => RouterFrame::Producing(native::Producing {
                window: number(it, "window") as u32,
                window_bytes: number(it, "window_bytes"),
                last: number(it, "last"),
            }),
            "stored" => {
                let sequence = number(it, "sequence");
                RouterFrame::Stored(native::Stored { durability, sequence, position })
            }
            "consuming" => RouterFrame::Consuming(native::Consuming {
                subscription,
                window: number(it, "window") as u32,
                waiting: number(it, "waiting"),
                next: number(it, "next"),
                is_new: is(it, "new"),
            }),
            "delivery" => match it.get("payload").and_then(Value::as_str) {
                Some(payload) => return self.delivery(it, payload.as_bytes(), out),
                None => return self.announced = Some(it.clone()),
            },
            "confirmed" => {
                RouterFrame::Confirmed(native::Confirmed { subscription, durability, position })
            }
            "acknowledged" => {
                let acknowledgements = number(it, "acknowledgements");
                RouterFrame::Acknowledged(native::Acknowledged {
                    subscription,
                    durability,
                    acknowledgements,
                    position,
                })
            }
            "rejected" => return rejected(it, out),
            _ => return,
        };
        received.encode(out);
    }

    fn delivery(&mut self, it: &Value, payload: &[u8], out: &mut Vec<u8>) {
        let name = it.get("topic").and_then(Value::as_str).unwrap_or_default();
        let next = self.numbers.len() as u32;
        let topic = *self.numbers.entry(name.to_owned()).or_insert(next);
        if topic == next {
            RouterFrame::Topic(native::Topic { alias: topic, name }).encode(out);
        }
        let replaced = it.get("replaced").and_then(Value::as_u64);
        let delivery = native::Delivery {
            subscription: number(it, "subscription") as u32,
            topic,
            position: number(it, "position"),
            time: number(it, "time_ns"),
            deliveries: number(it, "deliveries") as u32,
            conflation: replaced
                .map(|replaced| native::Conflation { replaced, age: number(it, "age_ns") }),
            is_repeated: is(it, "repeated"),
            is_unconfirmed: is(it, "unconfirmed"),
            is_kept: is(it, "kept"),
            // A machine's consumers take messages as they are.
            is_unrendered: false,
            format: format::OPAQUE,
            payload,
        };
        RouterFrame::Delivery(delivery).encode(out);
    }
}

fn consume(it: &native::Consume<'_>) -> Value {
    let mut text = json!({"consume": it.subscription, "pattern": it.pattern, "window": it.window,
        "wants_confirmed": it.wants_confirmed, "wants_acknowledged": it.wants_acknowledged,
        "acknowledge_within_ms": it.policy.acknowledge_within_ms, "deliveries": it.policy.deliveries});
    if !it.name.is_empty() {
        text["name"] = it.name.into();
    }
    match it.updates {
        native::Updates::All => {}
        native::Updates::Newest => text["conflate"] = true.into(),
        native::Updates::PerSecond(updates) => text["updates_per_second"] = updates.into(),
    }
    text
}

fn rejected(it: &Value, out: &mut Vec<u8>) {
    let kinds = [
        ("producer", kind::PRODUCER),
        ("store", kind::STORE),
        ("consume", kind::CONSUME),
        ("acknowledge", kind::ACKNOWLEDGE),
        ("release", kind::RELEASE),
    ];
    let of = kinds.into_iter().find(|(key, _)| it.get(key).is_some());
    let said = it.get("code").and_then(Value::as_str);
    let code = (1..u16::from(u8::MAX)).find(|it| said.is_some() && code::name(*it) == said);
    RouterFrame::Rejected(native::Rejected {
        of: of.map_or(0, |(_, kind)| kind),
        code: code.unwrap_or(0),
        offset: None,
        id: of.map_or(0, |(key, _)| number(it, key)),
        text: it.get("reason").and_then(Value::as_str).unwrap_or_default(),
    })
    .encode(out);
}

/// A number, or digits in a text; 0 if there is neither.
fn number(of: &Value, key: &str) -> u64 {
    match of.get(key) {
        Some(Value::String(digits)) => digits.parse().unwrap_or(0),
        Some(number) => number.as_u64().unwrap_or(0),
        None => 0,
    }
}

fn is(of: &Value, key: &str) -> bool {
    of.get(key).and_then(Value::as_bool).unwrap_or(false)
}
