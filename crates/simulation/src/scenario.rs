//! Who takes part in a run, and how the router is configured for it.

use std::time::Duration;

use trunkline_client::{Options, Overflow};
use trunkline_router::Overflow as RouterOverflow;

use trunkline_random::Random;
use trunkline_server::Config;
use trunkline_server::config::LastValueRule;

/// Topics that are published to.
pub(crate) const TOPICS: &[&str] = &[
    "fx/EUR",
    "fx/EURUSD/spot",
    "fx/EURUSD/1M",
    "fx/EURGBP/spot",
    "fx/GBPUSD/spot",
    "fx/USDJPY/spot",
    "eq/XETR/SAP",
    "eq/XETR/SIE",
    "eq/XLON/VOD",
    "status",
    "news/\u{20ac}/short",
];

/// Patterns that are subscribed to; slow clients keep to the first ones.
pub(crate) const PATTERNS: &[&str] = &[
    "fx/>",
    "fx/*/spot",
    "fx/EUR*/spot",
    "fx/EUR*",
    "fx/EURUSD/*",
    "fx/EURUSD/spot",
    "eq/>",
    "eq/*/S*",
    "*/*",
    "status",
    "news/\u{20ac}*/>",
    ">",
];

/// How many of the patterns slow clients subscribe to: no request comes by these.
pub(crate) const PATTERNS_OF_SLOW: usize = 6;

/// What has requests, and what has some that nobody answers.
pub(crate) const REQUEST_TOPICS: [&str; 2] = ["ask/rates", "ask/nobody"];

/// Bytes of a low ceiling of memory.
const CEILING: u64 = 3 << 19;

/// What a client does.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) options: Options,
    /// Messages that it publishes at once, at most.
    pub(crate) publishes: u64,
    /// Subscriptions that it wants.
    pub(crate) subscribes: u64,
    pub(crate) asks: bool,
    /// Its subscriptions begin with the last values.
    pub(crate) wants_last_values: bool,
    pub(crate) answers: bool,
    /// It reads little, and stops reading for long.
    pub(crate) is_slow: bool,
    /// Though slow, it reads at once and does not die: everybody else must not see a difference.
    pub(crate) hurries: bool,
    /// It sends as much as its stream holds, now and then.
    pub(crate) floods: bool,
    /// It sends what is no frame.
    pub(crate) is_hostile: bool,
    /// It dies once in so many steps, if at all.
    pub(crate) dies: Option<u64>,
    /// Steps of the clock between two steps of its own, at most.
    pub(crate) pause: u64,
    /// Bytes that its streams hold: to the router, and back.
    pub(crate) capacity: (usize, usize),
}

/// A run before it begins.
pub(crate) struct Scenario {
    pub(crate) config: Config,
    /// What the router is told later: when, in steps of the clock, and what.
    pub(crate) reload: Option<(u64, Config)>,
    /// The least time between two things that happen by themselves, in nanoseconds.
    pub(crate) grain: u64,
    pub(crate) plans: Vec<Plan>,
    /// Clients act one after the other, so that whoever is not slow sees the same whatever slow ones do. Else
    /// what they send comes at once, in any order.
    pub(crate) is_one_by_one: bool,
    /// How many pages in browsers there are.
    pub(crate) pages: u64,
}

impl Scenario {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Random::stream(seed, 0x7363_656e);
        let mut config = config(&mut random);
        let mut reload =
            random.once_in(3).then(|| (random.between(50, 250), self::config(&mut random)));
        let grain = random.pick(&[20_000, 100_000, 1_000_000]);
        let mut plans = Vec::new();
        for _ in 0..random.between(1, 3) {
            plans.push(publisher(&mut random));
        }
        for _ in 0..random.between(1, 4) {
            plans.push(subscriber(&mut random));
        }
        for _ in 0..random.between(1, 3) {
            plans.push(Plan { is_slow: true, publishes: 0, ..subscriber(&mut random) });
        }
        if random.once_in(2) {
            let pair = [subscriber(&mut random), subscriber(&mut random)];
            let [asks, answers] = pair;
            plans.push(Plan { asks: true, publishes: 1, ..asks });
            plans.push(Plan { answers: true, ..answers });
        }
        if random.once_in(2) {
            plans.push(Plan { is_hostile: true, dies: None, ..publisher(&mut random) });
        }
        let mut random = Random::stream(seed, 0x6d6f_6465);
        let is_one_by_one = random.once_in(2);
        if !is_one_by_one && random.once_in(2) {
            plans.extend([flooder(&mut random), flooder(&mut random)]);
        }
        if !is_one_by_one && random.once_in(4) {
            config.limits.connections = plans.len() - 2;
        }
        let mut random = Random::stream(seed, 0x6c61_7374);
        let kept = random.pick(&[">", "fx/>", "fx/EURUSD/*"]);
        let last_values = random.pick(&[1_000, 1_000, 3]);
        for config in reload.iter_mut().map(|(_, config)| config).chain([&mut config]) {
            config.last_values = vec![LastValueRule { topics: kept.to_owned() }];
            config.limits.last_values = last_values;
        }
        for plan in &mut plans {
            plan.wants_last_values = random.once_in(2);
        }
        let mut random = Random::stream(seed, 0x6365_696c);
        // Little more than tables take. Where slow ones must make no difference there is enough for all.
        let most = random.pick(&[0, 0, CEILING, 2 * CEILING]);
        for config in reload.iter_mut().map(|(_, config)| config).chain([&mut config]) {
            config.limits.memory_bytes = if is_one_by_one { 0 } else { most };
        }
        let pages = if is_one_by_one { 0 } else { random.below(3) };
        for (index, plan) in plans.iter_mut().enumerate() {
            plan.options.name = format!("{}{index}", if plan.is_slow { "slow" } else { "actor" });
        }
        Self { config, reload, grain, plans, is_one_by_one, pages }
    }
}

fn config(random: &mut Random) -> Config {
    let mut config = crate::open_config();
    config.limits.output_bytes = random.pick(&[400, 4 << 10, 64 << 10, 256 << 10]);
    config.client.queue_messages = random.pick(&[3, 40, 1_000]);
    config.client.queue_bytes = random.pick(&[1_500, 50_000, 1 << 20]);
    config.client.overflow = random.pick(&[
        RouterOverflow::DropOldest,
        RouterOverflow::DropNewest,
        RouterOverflow::Disconnect,
    ]);
    config.router.keepalive = Duration::from_millis(random.pick(&[100, 30_000]));
    config.router.handshake_timeout = Duration::from_millis(random.pick(&[20, 5_000]));
    config
}

fn plan(random: &mut Random) -> Plan {
    let mut options = Options {
        queue_messages: random.pick(&[0, 0, 1, 10]),
        queue_bytes: random.pick(&[0, 0, 600, 5_000]),
        overflow: random.pick(&[
            Overflow::Default,
            Overflow::DropOldest,
            Overflow::DropNewest,
            Overflow::Disconnect,
        ]),
        ..Options::default()
    };
    options.credit = random.once_in(2);
    options.times = random.once_in(2);
    Plan {
        options,
        publishes: 0,
        subscribes: 0,
        asks: false,
        wants_last_values: false,
        answers: false,
        is_slow: false,
        hurries: false,
        floods: false,
        is_hostile: false,
        dies: random.once_in(2).then(|| random.between(20, 120)),
        pause: random.between(1, 8),
        capacity: (
            random.pick(&[100, 3_000, 200_000]) as usize,
            random.pick(&[300, 3_000, 20_000, 200_000]) as usize,
        ),
    }
}

fn publisher(random: &mut Random) -> Plan {
    Plan { publishes: random.pick(&[1, 4, 20]), ..plan(random) }
}

fn flooder(random: &mut Random) -> Plan {
    let capacity = (1 << 20, 20_000);
    Plan { floods: true, dies: None, pause: 80, capacity, ..plan(random) }
}

fn subscriber(random: &mut Random) -> Plan {
    let mut plan = Plan { subscribes: random.between(1, 5), ..plan(random) };
    if random.once_in(3) {
        plan.options.messages_per_second = random.pick(&[150, 1_000, 20_000]);
    }
    if random.once_in(5) {
        plan.options.bytes_per_second = random.pick(&[30_000, 1_000_000]);
    }
    // Some publish what they subscribe to.
    plan.publishes = u64::from(random.once_in(4));
    plan
}
