//! A store over a disk that is simulated, and all that it tells. No test uses all of it.
#![allow(dead_code)]

use std::collections::BTreeMap;

use trunkline_journal::simulated::SimulatedDisk;
use trunkline_journal::{Disk as _, Found, HEAD, Options, Scan, commit, read_all, task};
use trunkline_store::{
    ClockReading, Consume, Consuming, Delivery, Durability, EventSink, Forwarding, Level, Loss,
    NewMessage, Policy, ProducerId, Rejected, Rule, Sending, Settings, Store, Stored,
};

/// A delivery that was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) client: u64,
    pub(crate) position: u64,
    pub(crate) payload: String,
    pub(crate) deliveries: u32,
    pub(crate) is_repeated: bool,
    pub(crate) is_unconfirmed: bool,
    pub(crate) is_kept: bool,
    pub(crate) replaced: Option<u64>,
}

/// All that was told.
#[derive(Default)]
pub(crate) struct Told {
    pub(crate) seen: Vec<Seen>,
    pub(crate) stored: Vec<(u64, Stored)>,
    pub(crate) lost: Vec<Loss>,
    pub(crate) consuming: Vec<Consuming>,
    pub(crate) rejected: Vec<(u32, Rejected)>,
    pub(crate) confirmed: Vec<u64>,
    pub(crate) acknowledged: Vec<(u64, Durability)>,
    pub(crate) failed: Vec<u64>,
    pub(crate) direct: Vec<String>,
    pub(crate) ended: Vec<u32>,
    /// Clients that cannot take anything; and how often it was asked whether any can.
    pub(crate) full: Vec<u64>,
    pub(crate) asked: u64,
    /// Clients whose messages wait outside of the store first.
    pub(crate) waits: Vec<u64>,
    /// Which of these messages were not for them after all, by position; and when the messages expire that do.
    pub(crate) withdrawn: Vec<(u64, u64)>,
    pub(crate) expires: BTreeMap<u64, u64>,
}

impl EventSink for Told {
    fn has_room(&mut self, client: u64, _: u32) -> bool {
        self.asked += 1;
        !self.full.contains(&client)
    }

    fn deliver(&mut self, client: u64, it: &Delivery<'_>) -> bool {
        self.seen.push(Seen {
            client,
            position: it.position,
            payload: String::from_utf8_lossy(it.payload).into_owned(),
            deliveries: it.deliveries,
            is_repeated: it.is_repeated,
            is_unconfirmed: it.is_unconfirmed,
            is_kept: it.is_kept,
            replaced: it.conflation.map(|(replaced, _)| replaced),
        });
        if it.expires > 0 {
            self.expires.insert(it.position, it.expires);
        }
        !self.waits.contains(&client)
    }

    fn withdrawn(&mut self, client: u64, _: u32, position: u64) {
        self.withdrawn.push((client, position));
    }

    fn lost(&mut self, _: u64, _: u32, loss: &Loss) {
        self.lost.push(*loss);
    }

    fn stored(&mut self, client: u64, stored: &Stored) {
        self.stored.push((client, *stored));
    }

    fn failed(&mut self, _: u64, sequence: u64, _: &Rejected) {
        self.failed.push(sequence);
    }

    fn rejected(&mut self, _: u64, subscription: u32, rejected: &Rejected) {
        self.rejected.push((subscription, rejected.clone()));
    }

    fn consuming(&mut self, _: u64, consuming: &Consuming) {
        self.consuming.push(*consuming);
    }

    fn confirmed(&mut self, _: u64, _: u32, _: Durability, position: u64) {
        self.confirmed.push(position);
    }

    fn acknowledged(&mut self, _: u64, _: u32, durability: Durability, count: u64, _: u64) {
        self.acknowledged.push((count, durability));
    }

    fn ended(&mut self, _: u64, subscription: u32) {
        self.ended.push(subscription);
    }

    fn publish(&mut self, _: &str, _: u16, payload: &[u8]) {
        self.direct.push(String::from_utf8_lossy(payload).into_owned());
    }
}

pub(crate) struct World {
    pub(crate) disk: SimulatedDisk,
    pub(crate) store: Store,
    pub(crate) told: Told,
    pub(crate) now: u64,
    pub(crate) settings: Settings,
    pub(crate) producer: Option<ProducerId>,
    pub(crate) sequence: u64,
}

pub(crate) const PUBLISHER: u64 = 1;
pub(crate) const TIME: u64 = 1_700_000_000_000_000_000;

pub(crate) fn settings() -> Settings {
    let cut = Policy { level: Level::Disk, forwarding: Forwarding::CutThrough };
    let memory = Policy { level: Level::Memory, forwarding: Forwarding::StoreAndForward };
    Settings {
        journal: Options { segment_bytes: 64 << 10, memory_bytes: 32 << 10, ..Options::default() },
        rules: vec![
            Rule { topics: "cut/>".into(), policy: cut },
            Rule { topics: "memory/>".into(), policy: memory },
        ],
        ..Settings::default()
    }
}

impl World {
    pub(crate) fn new(settings: Settings) -> Self {
        Self::on(SimulatedDisk::new(1), settings)
    }

    /// A store on a disk that has a journal, or none.
    pub(crate) fn on(mut disk: SimulatedDisk, settings: Settings) -> Self {
        let (store, _) = Store::open(&mut disk, settings.clone(), 7).expect("a store");
        let told = Told::default();
        let mut world = Self { disk, store, told, now: 0, settings, producer: None, sequence: 0 };
        world.tasks();
        world
    }

    pub(crate) fn at(&self) -> ClockReading {
        ClockReading { now: self.now, time: TIME + self.now }
    }

    pub(crate) fn tasks(&mut self) {
        while let Some(it) = self.store.next_task(self.at()) {
            let done = task(&mut self.disk, &it);
            self.store.task_done(self.at(), done, &mut self.told);
        }
    }

    pub(crate) fn publish(&mut self, topic: &str, payload: &str) {
        self.publish_for(topic, payload, 0);
    }

    pub(crate) fn publish_for(&mut self, topic: &str, payload: &str, time_to_live: u64) {
        assert_eq!(self.try_publish(topic, payload, time_to_live), Ok(()));
    }

    /// Publishes a message, and lets the disk go on where it has to.
    pub(crate) fn publish_in_time(&mut self, topic: &str, payload: &str) {
        for _ in 0..1_000 {
            match self.try_publish(topic, payload, 0) {
                Ok(()) => return,
                Err(rejected) => assert_eq!(rejected, Rejected::Busy),
            }
            self.sync();
        }
        panic!("the journal is busy for ever");
    }

    pub(crate) fn try_publish(
        &mut self,
        topic: &str,
        payload: &str,
        time_to_live: u64,
    ) -> Result<(), Rejected> {
        self.now += 1_000;
        let at = self.at();
        if self.producer.is_none() {
            let producing = self.store.produce(at, PUBLISHER, "feed")?;
            (self.producer, self.sequence) = (Some(producing.producer), producing.last);
        }
        self.sequence += 1;
        let message = NewMessage {
            sequence: self.sequence,
            time_to_live,
            is_repeated: false,
            format: 1,
            topic,
            payload: payload.as_bytes(),
        };
        let producer = self.producer.expect("a producer");
        let stored = self.store.store(at, producer, &message, &mut self.told);
        self.sequence -= u64::from(stored.is_err());
        self.store.settle(&mut self.told);
        self.tasks();
        stored
    }

    /// Writes what is to be written.
    pub(crate) fn sync(&mut self) {
        self.now += 1_000;
        self.tasks();
        while let Some(it) = self.store.next_commit(self.at()) {
            let result = commit(&mut self.disk, &it);
            self.store.committed(self.at(), result, &mut self.told);
        }
        self.tasks();
    }

    /// Lets time pass.
    pub(crate) fn wait(&mut self, nanoseconds: u64) {
        self.now += nanoseconds;
        self.store.advance(self.at(), &mut self.told);
        self.sync();
    }

    pub(crate) fn consume(&mut self, client: u64, asked: Consume<'_>) {
        let asked = Consume { pattern: ">", ..asked };
        let at = self.at();
        let result = self.store.consume(at, client, &asked, &mut self.told);
        assert_eq!(result, Ok(()));
        self.sync();
    }

    pub(crate) fn acknowledge(&mut self, client: u64, position: u64) {
        let at = self.at();
        let done = self.store.acknowledge(at, client, 1, (position, false), &mut self.told);
        assert_eq!(done, Ok(()));
    }

    /// A message that waited goes to its consumer, if it is still to.
    pub(crate) fn send(&mut self, client: u64, position: u64) -> Sending {
        let at = self.at();
        let expires = self.told.expires.get(&position).copied().unwrap_or(0);
        self.store.sent(at, client, 1, (position, expires))
    }

    /// The machine fails, and starts again.
    pub(crate) fn cut_power(&mut self) {
        self.disk.cut_power(&[], &mut |_| 0);
        let (store, _) = Store::open(&mut self.disk, self.settings.clone(), 7).expect("a store");
        (self.store, self.told, self.producer) = (store, Told::default(), None);
        self.tasks();
    }

    pub(crate) fn payloads(&mut self) -> Vec<String> {
        std::mem::take(&mut self.told.seen).into_iter().map(|it| it.payload).collect()
    }
}

pub(crate) fn durable(name: &str) -> Consume<'_> {
    Consume { subscription: 1, name, ..Consume::default() }
}

/// Where records of a kind begin: the file, and the offset of the body.
pub(crate) fn records(disk: &mut SimulatedDisk, wanted: u8) -> Vec<(String, usize)> {
    let mut names = disk.names().expect("names");
    names.retain(|it| it.ends_with(".journal"));
    names.sort();
    let mut all = Vec::new();
    for name in names {
        let number = name[..10].parse().expect("a number");
        let bytes = read_all(disk, &name).expect("readable");
        for found in Scan::new(&bytes, 7, number, 0) {
            if let Found::Record(at, record) = found
                && record.kind == wanted
            {
                all.push((name.clone(), at.offset as usize + HEAD));
            }
        }
    }
    all
}
