//! The client's side of the bare forwarder.

use std::io;

use super::{HEADER, Header, MESSAGE, MESSAGE_BYTES, SUBSCRIBE, SUBSCRIBED, group_of};
use crate::bus::{Bus, BusOptions, Connect};
use crate::socket_bus::{Protocol, SocketBus, Taken};
use crate::topic_index::{TopicIndex, tag_of};

/// Connects to a bare forwarder.
#[derive(Clone, Copy, Debug, Default)]
pub struct ForwarderConnect;

impl Connect for ForwarderConnect {
    fn connect(
        &self,
        address: &str,
        topics: &[String],
        options: &BusOptions,
    ) -> io::Result<Box<dyn Bus>> {
        if options.messages_per_second.is_some() || options.updates_per_second.is_some() {
            let text = "the bare forwarder caps no rates";
            return Err(io::Error::new(io::ErrorKind::Unsupported, text));
        }
        Ok(Box::new(SocketBus::connect(address, Frames::new(topics)?, &[], options)?))
    }
}

/// Frames of the forwarder for a list of topics.
#[derive(Debug)]
pub(crate) struct Frames {
    tags: Vec<u64>,
    index: TopicIndex,
    /// Topics that were asked for; others of their groups are passed over.
    wanted: Vec<bool>,
    awaited: usize,
}

impl Frames {
    pub(crate) fn new(topics: &[String]) -> io::Result<Self> {
        let tags = topics.iter().map(|name| tag_of(name.as_bytes())).collect();
        let wanted = vec![false; topics.len()];
        Ok(Self { tags, index: TopicIndex::new(topics)?, wanted, awaited: 0 })
    }
}

impl Protocol for Frames {
    #[inline]
    fn publish(&mut self, out: &mut Vec<u8>, topic: usize, payload: &[u8]) {
        let tag = self.tags[topic];
        Header::write(out, group_of(tag), MESSAGE, tag, payload);
    }

    fn subscribe(&mut self, out: &mut Vec<u8>, topics: &[usize]) {
        let groups = topics.iter().flat_map(|&topic| group_of(self.tags[topic]).to_le_bytes());
        Header::write(out, 0, SUBSCRIBE, 0, &groups.collect::<Vec<u8>>());
        topics.iter().for_each(|&topic| self.wanted[topic] = true);
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
        while let Some(header) = Header::read(&bytes[taken.bytes..])? {
            let frame = &bytes[taken.bytes..taken.bytes + header.length];
            taken.bytes += header.length;
            if header.kind == SUBSCRIBED {
                self.awaited = self.awaited.saturating_sub(1);
            } else if let Some(topic) = self.index.find_tag(header.tag)
                && self.wanted[topic]
            {
                sink(topic, &frame[HEADER..]);
                taken.messages += 1;
            }
        }
        debug_assert!(bytes.len() - taken.bytes < MESSAGE_BYTES);
        Ok(taken)
    }
}
