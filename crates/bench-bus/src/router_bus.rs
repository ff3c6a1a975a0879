//! Our own router as the lab sees it: the client library, as any user would use it.

use std::io;
use std::time::Duration;

use trunkline_client::{
    Client, Consume, Error, Event, Idle, Options, Overflow, Start, Subscribe, Subscription, Topic,
    format,
};

use crate::bus::{Bus, BusOptions, Connect, Wait};
use crate::certificate::trusted;

/// Connects to `trunkline serve`, at an address of any kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct RouterConnect;

impl Connect for RouterConnect {
    fn connect(
        &self,
        address: &str,
        topics: &[String],
        options: &BusOptions,
    ) -> io::Result<Box<dyn Bus>> {
        let tls = trusted(address)?;
        let (address, tls) = match tls {
            Some((host, tls)) => (format!("tls://{host}"), Some(tls)),
            None => (address.to_owned(), None),
        };
        let number =
            |number: Option<usize>| number.map_or(0, |it| it.try_into().unwrap_or(u32::MAX));
        let asked = Options {
            name: options.name.clone(),
            queue_messages: number(options.queue_messages),
            overflow: match options.queue_messages {
                Some(_) => Overflow::DropNewest,
                None => Overflow::Default,
            },
            messages_per_second: options.messages_per_second.unwrap_or(0),
            credit: options.credit,
            receive_buffer: options.receive_buffer,
            idle: if options.spins { Idle::Spin } else { Idle::Block },
            timeout: options.timeout,
            tls,
            ..Options::default()
        };
        let how = match options.updates_per_second {
            Some(rate) => Subscribe::at_most(rate),
            None => Subscribe::every(),
        };
        Ok(Box::new(RouterBus {
            client: Client::connect(&address, &asked).map_err(told)?,
            names: topics.to_vec(),
            aliases: Vec::new(),
            subscribed: Vec::new(),
            how,
            lost: 0,
            name: options.name.clone(),
            before: None,
            done: Vec::new(),
        }))
    }
}

struct RouterBus {
    client: Client,
    names: Vec<String>,
    /// Of all names, once something is published: the router learns them together.
    aliases: Vec<Topic>,
    /// The topic of each subscription by its number.
    subscribed: Vec<usize>,
    how: Subscribe,
    lost: u64,
    name: String,
    /// Sequence of the last guaranteed message before the first of this connection, once there is one.
    before: Option<u64>,
    /// Of durable subscriptions: the last message that the sink has taken.
    done: Vec<(Subscription, u64)>,
}

impl RouterBus {
    fn learn_topics(&mut self) -> io::Result<()> {
        if self.aliases.is_empty() {
            self.aliases = self.client.topics(&self.names).map_err(told)?;
        }
        Ok(())
    }

    /// A subscription brings messages of this topic.
    fn note(&mut self, subscription: Subscription, topic: usize) {
        let number = subscription.number() as usize;
        if self.subscribed.len() <= number {
            self.subscribed.resize(number + 1, usize::MAX);
        }
        self.subscribed[number] = topic;
    }
}

impl Bus for RouterBus {
    #[inline]
    fn publish(&mut self, topic: usize, payload: &[u8]) -> io::Result<()> {
        self.learn_topics()?;
        self.client.enqueue(self.aliases[topic], payload).map_err(told)
    }

    #[inline]
    fn flush(&mut self) -> io::Result<()> {
        self.client.flush().map_err(told)
    }

    fn subscribe(&mut self, topics: &[usize]) -> io::Result<()> {
        let names: Vec<&str> = topics.iter().map(|&topic| self.names[topic].as_str()).collect();
        let made = self.client.subscribe_each(&names, &self.how).map_err(told)?;
        for (subscription, &topic) in made.iter().zip(topics) {
            self.note(*subscription, topic);
        }
        Ok(())
    }

    fn publish_guaranteed(&mut self, topic: usize, payload: &[u8]) -> io::Result<()> {
        self.learn_topics()?;
        if self.before.is_none() {
            let name = format!("{}-{}", self.name, std::process::id());
            self.before = Some(self.client.producer(&name).map_err(told)?);
        }
        let stored = self.client.enqueue_store(self.aliases[topic], format::OPAQUE, payload, None);
        stored.map(drop).map_err(told)
    }

    fn acknowledged(&self) -> u64 {
        let sequence = self.client.acknowledged().map_or(0, |it| it.sequence);
        self.before.map_or(0, |before| sequence.saturating_sub(before))
    }

    fn subscribe_guaranteed(&mut self, name: &str, topics: &[usize]) -> io::Result<()> {
        for &topic in topics {
            let how = Consume {
                start: Start::All,
                window: 100_000,
                ..Consume::durable(&format!("{name}-{topic}"), &self.names[topic])
            };
            let subscription = self.client.consume(&how).map_err(told)?;
            self.note(subscription, topic);
        }
        Ok(())
    }

    fn poll(&mut self, wait: Wait, sink: &mut dyn FnMut(usize, &[u8])) -> io::Result<usize> {
        let timeout = match wait {
            Wait::Spin => Duration::ZERO,
            Wait::Block(timeout) => timeout,
        };
        let Self { client, subscribed, lost, done, .. } = self;
        let (mut messages, mut fault) = (0, None);
        let looked = client.receive(Some(timeout), &mut |event| match event {
            Event::Message(message) => {
                let number = message.subscription.number() as usize;
                sink(subscribed.get(number).copied().unwrap_or(usize::MAX), message.payload);
                messages += 1;
            }
            Event::Delivery(delivery) => {
                let (subscription, position) = (delivery.subscription, delivery.position);
                let number = subscription.number() as usize;
                sink(subscribed.get(number).copied().unwrap_or(usize::MAX), delivery.payload);
                match done.iter_mut().find(|(of, _)| *of == subscription) {
                    Some((_, last)) => *last = position,
                    None => done.push((subscription, position)),
                }
                messages += 1;
            }
            Event::Gap(gap) => *lost += gap.count,
            Event::Lost(it) => *lost += it.count.max(1),
            Event::Rejected(rejected) => fault = Some(rejected.text.to_owned()),
            Event::Closing(closing) => fault = Some(closing.text.to_owned()),
            _ => {}
        });
        for (subscription, position) in done.drain(..) {
            client.acknowledge_through(subscription, position).map_err(told)?;
        }
        if messages > 0 {
            client.flush().map_err(told)?;
        }
        match (fault, looked) {
            (Some(fault), _) => Err(io::Error::other(fault)),
            (None, Err(error)) => Err(told(error)),
            (None, Ok(_)) => Ok(messages),
        }
    }

    fn told_lost(&self) -> u64 {
        self.lost
    }
}

fn told(error: Error) -> io::Error {
    io::Error::other(error.to_string())
}
