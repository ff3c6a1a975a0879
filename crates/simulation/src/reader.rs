//! The requests in the bytes of a client, read a second time, independently of the router.

use std::collections::BTreeMap;

use trunkline_native::{ClientFrame, Updates, decode_client, decode_hello};
use trunkline_router::{check_pattern, check_topic};

use super::history::{History, Published};

/// A subscription that a client requests and the router has to confirm.
#[derive(Debug)]
pub(crate) struct RequestedSubscription {
    pub(crate) number: u32,
    pub(crate) pattern: String,
    pub(crate) updates: Updates,
    pub(crate) last_values: bool,
}

/// What the router took from one connection.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    is_greeted: bool,
    /// The bytes were no frames; the router ends the connection.
    pub(crate) is_broken: bool,
    aliases: BTreeMap<u32, String>,
}

impl Reader {
    /// Reads the whole frames in bytes: publishes go into the history, subscriptions to the caller.
    /// Says how many bytes it read.
    pub(crate) fn read(
        &mut self,
        now: u64,
        bytes: &[u8],
        limit: u32,
        history: &mut History,
        mut subscribe: impl FnMut(RequestedSubscription, &History),
    ) -> usize {
        let mut used = 0;
        while !self.is_broken {
            let rest = &bytes[used..];
            if !self.is_greeted && decode_hello(rest).is_err() {
                self.is_broken = true;
                break;
            }
            let (frame, length) = match decode_client(rest, limit) {
                Ok(None) => break,
                Ok(Some(found)) => found,
                Err(_) => {
                    self.is_broken = true;
                    break;
                }
            };
            used += length;
            match frame {
                ClientFrame::Hello(_) if !self.is_greeted => self.is_greeted = true,
                ClientFrame::Hello(_)
                | ClientFrame::Credentials(_)
                | ClientFrame::Producer(_)
                | ClientFrame::Store(_)
                | ClientFrame::Consume(_)
                | ClientFrame::Acknowledge(_)
                | ClientFrame::Release(_)
                | ClientFrame::Delete(_) => self.is_broken = true,
                ClientFrame::Topic(topic) => {
                    if check_topic(topic.name).is_ok() {
                        let name = topic.name.to_owned();
                        self.aliases.entry(topic.alias).or_insert(name);
                    }
                }
                ClientFrame::Forget(alias) => _ = self.aliases.remove(&alias),
                ClientFrame::Publish(it) => {
                    let message = (it.format, it.payload, it.clears_last_value);
                    self.publish(now, it.alias, message, history);
                }
                ClientFrame::Request(it) => {
                    self.publish(now, it.alias, (it.format, it.payload, true), history);
                }
                ClientFrame::Subscribe(it) if check_pattern(it.pattern).is_ok() => {
                    let requested = RequestedSubscription {
                        number: it.subscription,
                        pattern: it.pattern.to_owned(),
                        updates: it.updates,
                        last_values: it.last_values,
                    };
                    subscribe(requested, history);
                }
                // What the router says to these is checked where it is said.
                ClientFrame::Subscribe(_)
                | ClientFrame::Unsubscribe(_)
                | ClientFrame::Reply(_)
                | ClientFrame::Ping(_)
                | ClientFrame::Pong(_)
                | ClientFrame::Taken(_)
                | ClientFrame::Clock(_) => {}
            }
        }
        used
    }

    /// A message, with its format and whether it is no last value.
    fn publish(
        &self,
        time: u64,
        alias: u32,
        (format, payload, is_no_value): (u16, &[u8], bool),
        history: &mut History,
    ) {
        if let Some(topic) = self.aliases.get(&alias) {
            let payload = payload.to_vec();
            history.add(topic, Published { time, format, payload, is_no_value });
        }
    }
}
