//! No middleware at all: publishers write to their subscribers, over TCP or through shared memory.
//!
//! That is the limit for everything that has a broker, and for shared memory in general: one ring of bytes
//! between two programs, one copy in and one out. There is no queue between the two: a subscriber that does
//! not read makes its publishers wait.
//!
//! The address is a folder. Who subscribes listens, and leaves in the folder where; who publishes looks there
//! and connects. The subscriber's first bytes say what it wants. Frames are those of the bare
//! [`forwarder`](crate::forwarder).

mod incoming;
mod outgoing;

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use trunkline_reactor::Address;

use crate::bus::{Bus, BusOptions, Connect, Wait};
use crate::topic_index::{TopicIndex, tag_of};
use incoming::Incoming;
use outgoing::Outgoing;

/// What connects two programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Transport {
    Tcp,
    SharedMemory,
}

/// Connects to the other programs that are given the same folder.
#[derive(Clone, Copy, Debug)]
pub struct DirectConnect {
    transport: Transport,
}

impl DirectConnect {
    /// Over TCP: "direct".
    pub fn tcp() -> Self {
        Self { transport: Transport::Tcp }
    }

    /// Through shared memory: "bare ring".
    pub fn ring() -> Self {
        Self { transport: Transport::SharedMemory }
    }
}

impl Connect for DirectConnect {
    fn connect(
        &self,
        address: &str,
        topics: &[String],
        options: &BusOptions,
    ) -> io::Result<Box<dyn Bus>> {
        if options.messages_per_second.is_some() || options.updates_per_second.is_some() {
            let text = "there is nothing between the programs that could cap rates";
            return Err(io::Error::new(io::ErrorKind::Unsupported, text));
        }
        let folder = PathBuf::from(address.strip_prefix("file://").unwrap_or(address));
        if !folder.is_dir() {
            let text = format!("{}: not a folder", folder.display());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        Ok(Box::new(Direct {
            outgoing: Outgoing::new(folder.clone(), self.transport, options.timeout),
            incoming: None,
            index: TopicIndex::new(topics)?,
            tags: topics.iter().map(|name| tag_of(name.as_bytes())).collect(),
            folder,
            transport: self.transport,
            receive_buffer: options.receive_buffer,
        }))
    }
}

impl Transport {
    /// How the names of files end that say where somebody listens.
    fn extension(self) -> &'static str {
        match self {
            Self::Tcp => "tcp",
            Self::SharedMemory => "ring",
        }
    }

    /// An address of our own, below the folder where that has to be.
    fn own(self, folder: &std::path::Path) -> Address {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        match self {
            Self::Tcp => Address::Tcp("127.0.0.1:0".to_owned()),
            Self::SharedMemory => {
                let name = format!("{}-{number}.socket", std::process::id());
                Address::SharedMemory(folder.join(name))
            }
        }
    }
}

struct Direct {
    outgoing: Outgoing,
    incoming: Option<Incoming>,
    tags: Vec<u64>,
    index: TopicIndex,
    folder: PathBuf,
    transport: Transport,
    receive_buffer: Option<usize>,
}

impl Bus for Direct {
    fn publish(&mut self, topic: usize, payload: &[u8]) -> io::Result<()> {
        self.outgoing.publish(self.tags[topic], payload)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.outgoing.flush()
    }

    fn subscribe(&mut self, topics: &[usize]) -> io::Result<()> {
        let incoming = match &mut self.incoming {
            Some(incoming) => incoming,
            none => {
                let incoming = Incoming::listen(&self.folder, self.transport, self.receive_buffer)?;
                none.insert(incoming)
            }
        };
        incoming.want(topics.iter().map(|&topic| self.tags[topic]))
    }

    fn poll(&mut self, wait: Wait, sink: &mut dyn FnMut(usize, &[u8])) -> io::Result<usize> {
        match (&mut self.incoming, wait) {
            (Some(incoming), wait) => incoming.poll(wait, &self.index, sink),
            (None, Wait::Block(longest)) => {
                std::thread::sleep(longest);
                Ok(0)
            }
            (None, Wait::Spin) => Ok(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use trunkline_bench::folder::PrivateFolder;

    fn exchange(connect: DirectConnect, wait: Wait) {
        let folder = PrivateFolder::new().expect("a temporary folder");
        let address = folder.path().display().to_string();
        let topics = ["a", "b/c", "nobody"].map(str::to_owned);
        let bus = || {
            connect.connect(&address, &topics, &BusOptions::default()).expect("a folder is enough")
        };
        let (mut publisher, mut one, mut both) = (bus(), bus(), bus());
        one.subscribe(&[1]).expect("room to listen");
        both.subscribe(&[0]).expect("room to listen");
        both.subscribe(&[1]).expect("one more topic");
        let (mut of_one, mut of_both) = (Vec::new(), Vec::new());
        for number in 0..3000_u32 {
            let topic = number as usize % 3;
            publisher.publish(topic, &number.to_le_bytes().repeat(30)).expect("subscribers");
            if number % 7 == 6 {
                publisher.flush().expect("subscribers");
            }
        }
        publisher.flush().expect("subscribers");
        for (bus, found, count) in [(&mut one, &mut of_one, 1000), (&mut both, &mut of_both, 2000)]
        {
            let begun = std::time::Instant::now();
            while found.len() < count && begun.elapsed() < Duration::from_secs(10) {
                bus.poll(wait, &mut |topic, payload| {
                    let number =
                        u32::from_le_bytes([payload[0], payload[1], payload[2], payload[3]]);
                    assert_eq!(payload, number.to_le_bytes().repeat(30));
                    assert_eq!(topic, number as usize % 3);
                    found.push(number);
                })
                .expect("publishers");
            }
        }
        assert_eq!(of_one, (0..3000).filter(|number| number % 3 == 1).collect::<Vec<u32>>());
        assert_eq!(of_both, (0..3000).filter(|number| number % 3 < 2).collect::<Vec<u32>>());
    }

    #[test]
    fn subscribers_get_what_they_want_over_tcp() {
        exchange(DirectConnect::tcp(), Wait::Spin);
        exchange(DirectConnect::tcp(), Wait::Block(Duration::from_millis(100)));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn subscribers_get_what_they_want_through_shared_memory() {
        exchange(DirectConnect::ring(), Wait::Spin);
        exchange(DirectConnect::ring(), Wait::Block(Duration::from_millis(100)));
    }

    #[test]
    fn a_subscriber_that_is_gone_stops_nobody() {
        let folder = PrivateFolder::new().expect("a temporary folder");
        let address = folder.path().display().to_string();
        let topics = ["a".to_owned()];
        let connect = DirectConnect::tcp();
        let bus = || connect.connect(&address, &topics, &BusOptions::default()).expect("a folder");
        let (mut publisher, mut stays, mut goes) = (bus(), bus(), bus());
        stays.subscribe(&[0]).expect("room to listen");
        goes.subscribe(&[0]).expect("room to listen");
        publisher.publish(0, b"first").expect("subscribers");
        publisher.flush().expect("subscribers");
        drop(goes);
        let mut count = 0;
        for _ in 0..1000 {
            publisher.publish(0, b"more").expect("a subscriber");
            publisher.flush().expect("a subscriber");
            let wait = Wait::Block(Duration::from_secs(10));
            count += stays.poll(wait, &mut |_, _| {}).expect("a publisher");
        }
        while count < 1001 {
            let wait = Wait::Block(Duration::from_secs(10));
            count += stays.poll(wait, &mut |_, _| {}).expect("a publisher");
        }
        assert_eq!(count, 1001);
    }
}
