//! What the rows of each measure are about: cases, with their metrics.

use super::calls::{self, Kind, Pool, StagesOfCalls, TypedCalls};
use super::guaranteed::{Append, Disk, GUARANTEED, GUARANTEED_FLOOD, GUARANTEED_SATURATION};
use super::sessions::{
    self, CPU, FLOW, Narrowing, OF_FILTERS, OF_MANY_FILTERS, OF_RENDITIONS, OVER_CODEC, Rendition,
    Subscriber, Wanted,
};
use super::toolkit_calls;
use super::traffic::{Flood, HOPS, Hops, LATENCIES, Matching, SharedMemory, SlowConsumers};
use super::{
    BesideSessions, Bridge, Engines, Filters, Measure, MemoryOfCalls, Messages, OpenLoop, Recovery,
    Renditions, RoundTrip, Throughput, Vocabularies,
};
use crate::engines::Kept;
use crate::format::Family;
use crate::names::{COSTS, INSTRUCTIONS, STYLES, THROUGHPUT};

/// How the cases of counted instructions begin.
const COUNTED: [&str; 2] = ["instructions-encode", "instructions-decode"];

/// A case, and the metrics of its rows.
pub(super) type Case = (String, Vec<&'static str>);

impl Measure {
    /// The cases of its rows.
    pub(super) fn cases(&self, messages: &Messages) -> Vec<Case> {
        match messages.family {
            Family::MarketData => self.cases_of_market_data(),
            Family::CustomerServices => self.cases_of_services(messages),
            Family::Operations => match self {
                Self::Toolkits(it) => all(it.cases(), &toolkit_calls::METRICS),
                Self::Vocabularies(_) => {
                    all(Vocabularies::MODES.map(Vocabularies::case), &Vocabularies::METRICS)
                }
                Self::Memory(it) => all(it.cases(), MemoryOfCalls::METRICS.as_flattened()),
                Self::Codings(it) => it.cases(),
                _ => Vec::new(),
            },
            Family::Sessions => self.cases_of_sessions(),
            Family::Rates => [self.cases_of_traffic(), self.cases_of_guarantees()].concat(),
        }
    }

    /// Whether no other measure may have its cases, because their rows are not merged.
    pub(super) fn is_alone(&self) -> bool {
        self.is_without_format() || matches!(self, Self::OpenLoop(_) | Self::Throughput(_))
    }

    fn cases_of_market_data(&self) -> Vec<Case> {
        match self {
            Self::Size(_) => all(["size"], &["size", "size-fixed", "size-per-entry", "reduction"]),
            Self::Codec(it) => {
                let cases = ["encode", "decode", "encode-randomised", "decode-randomised"];
                let cases = cases.into_iter().take(if it.randomised { 4 } else { 2 });
                all(cases, &["cpu-time", "cpu-time-fixed", "cpu-time-per-entry", "reduction"])
            }
            Self::Instructions(_) => all(COUNTED, &[INSTRUCTIONS]),
            Self::RoundTrip(it) => {
                let fit = ["round-trip-fixed", "round-trip-per-entry", "over-bare", "reduction"];
                let tail = ["round-trip-p50", "round-trip-p90", "round-trip-p99", "round-trip-max"];
                let cases = it.links.iter().map(|link| RoundTrip::case(link));
                all(cases, &[&COSTS[..], &fit, &tail].concat())
            }
            Self::OpenLoop(it) => {
                let cases = pairs(&it.links, &it.rates);
                let cases = cases.map(|(link, &rate)| OpenLoop::case(rate, link));
                all(cases, &["latency-p50", "latency-p90", "latency-p99", "latency-max"])
            }
            Self::Throughput(it) => {
                let slow: Vec<_> = it.slow.iter().copied().map(Some).collect();
                let slow = if slow.is_empty() { vec![None] } else { slow };
                let ways: Vec<_> = pairs(&it.content, &slow).collect();
                let cases = pairs(&it.links, &ways);
                let cases =
                    cases.map(|(link, (what, slow))| Throughput::case(**what, **slow, link));
                all(cases, &THROUGHPUT)
            }
            Self::Capacity(it) => {
                let metrics = ["bytes-per-second", "bits-per-second", "cpu-share", "clients"];
                all([format!("capacity-{}", it.rate), "capacity-peak".to_owned()], &metrics)
            }
            _ => Vec::new(),
        }
    }

    /// Cases that end in the name of a message.
    fn cases_of_services(&self, messages: &Messages) -> Vec<Case> {
        let names: Vec<&str> = messages.cases_named(self.messages()).map(|it| &*it.name).collect();
        let of_messages = |kinds: &[&str], metrics: &[&'static str]| {
            all(pairs(kinds, &names).map(|(kind, name)| format!("{kind}-{name}")), metrics)
        };
        match self {
            Self::Size(_) => of_messages(&["size"], &["size"]),
            Self::Codec(_) => of_messages(&["encode", "decode"], &["cpu-time"]),
            Self::Instructions(_) => of_messages(&COUNTED, &[INSTRUCTIONS]),
            Self::Styles(_) => of_messages(&[STYLES], &calls::OF_STYLES),
            Self::Stages(it) => {
                let cases = pairs(&it.links, &names);
                all(cases.map(|(link, name)| StagesOfCalls::case(name, link)), &calls::PARTS)
            }
            Self::Pool(it) => {
                let ways: Vec<_> = pairs(&it.sizes, &it.orders).collect();
                let cases = pairs(&ways, &it.messages);
                let cases = cases.map(|((size, order), name)| Pool::case(**size, **order, name));
                all(cases, &calls::METRICS)
            }
            Self::Calls(it) => {
                let cases = pairs(&it.threads, &names);
                let cases = cases.map(|(&threads, name)| TypedCalls::case(threads, name));
                all(cases, &calls::METRICS)
            }
            _ => self.calls().map_or(Vec::new(), |(kind, it)| {
                let situations = it.situations(messages);
                let peaks = situations.iter().filter(|_| kind == Kind::Saturation).map(calls::peak);
                let cases = situations.iter().map(|it| kind.case(it));
                all(cases.chain(peaks), &calls::METRICS)
            }),
        }
    }

    fn cases_of_traffic(&self) -> Vec<Case> {
        match self {
            Self::Hops(it) => {
                let hops = pairs(&HOPS, &it.rates).map(|(hop, &rate)| Hops::case(hop, rate));
                let saturation = it.saturation.then_some("saturation");
                let rate = all(saturation, &["messages-per-second", "over-bare"]);
                [latencies(hops, &["over-bare"]), rate].concat()
            }
            Self::Spread(it) => {
                let cases = it.steps(false).into_iter().map(|step| it.case(step));
                latencies(cases, &["over-bare"])
            }
            Self::SlowConsumers(it) => {
                let first = it.caps.first().copied().unwrap_or_default();
                let alone = ["alone", SlowConsumers::READERS[0], SlowConsumers::READERS[1]];
                let alone = alone.map(|consumer| it.case(consumer, first));
                let beside = pairs(&it.caps, &["fast", "slow", "eliding"]);
                let beside = beside.map(|(&cap, consumer)| it.case(consumer, cap));
                let shape = ["over-alone", "over-alone-p99", "rise", "level", "plateau"];
                [latencies(alone, &[]), latencies(beside, &shape)].concat()
            }
            Self::Flood(it) => {
                let cases = it.consumers.iter().map(|&consumers| Flood::case(consumers));
                all(cases, &["deliveries-per-second", "deliveries-per-cpu-second", "over-bare"])
            }
            Self::SharedMemory(it) => {
                let cases = pairs(&["spinning", "waking"], &it.rates);
                let cases = cases.map(|(way, &rate)| SharedMemory::case(way, rate));
                latencies(cases, &["over-bare"])
            }
            Self::Matching(it) => {
                let cases = pairs(&it.levels, &it.subscriptions);
                all(cases.map(|(&levels, &count)| Matching::case(levels, count)), &["cpu-time"])
            }
            _ => Vec::new(),
        }
    }

    fn cases_of_sessions(&self) -> Vec<Case> {
        match self {
            Self::Engines(_) => all(Kept::ALL.map(Engines::case), &sessions::METRICS),
            Self::Bridge(it) => {
                let points: Vec<_> = pairs(&it.sessions, &it.rates).collect();
                let to = pairs(&points, &Subscriber::ALL);
                let to = to.map(|((sessions, rate), to)| Bridge::case(*to, **sessions, **rate));
                let through = points
                    .iter()
                    .map(|(sessions, rate)| Bridge::case_of_router(**sessions, **rate));
                let to = latencies(to, &[FLOW[1], "lost", "elided"]);
                [to, all(through, &[CPU, FLOW[0]])].concat()
            }
            Self::Renditions(it) => {
                let costs = Rendition::ALL.map(Renditions::case_of_cost);
                let clients = all([Renditions::case(it.clients)], &OF_RENDITIONS);
                [clients, all(costs, &["cpu-time", OVER_CODEC])].concat()
            }
            Self::Filters(it) => {
                let clients = Wanted::ALL.map(|wanted| Filters::case(wanted, it.clients));
                let costs = Narrowing::ALL.into_iter().flat_map(|it| match it {
                    Narrowing::Filters => all([Filters::case_of_cost(it)], &OF_MANY_FILTERS),
                    _ => all([Filters::case_of_cost(it)], &OF_MANY_FILTERS[..2]),
                });
                latencies(clients, &OF_FILTERS).into_iter().chain(costs).collect()
            }
            Self::Beside(it) => latencies([0, it.sessions].map(BesideSessions::case), &[]),
            _ => Vec::new(),
        }
    }

    fn cases_of_guarantees(&self) -> Vec<Case> {
        match self {
            Self::GuaranteedHops(it) => {
                let hops = pairs(&GUARANTEED, &it.rates).map(|(hop, &rate)| Hops::case(hop, rate));
                let saturation = it.saturation.then_some(GUARANTEED_SATURATION);
                let rate = all(saturation, &["messages-per-second"]);
                [latencies(hops, &["over-bare"]), rate].concat()
            }
            Self::GuaranteedFlood(_) => {
                let metrics =
                    ["messages-per-second", "acknowledged-per-second", "deliveries-per-second"];
                all([GUARANTEED_FLOOD], &metrics)
            }
            Self::Recovery(it) => {
                let metrics = [vec!["recovery-time", "size"], vec!["messages-per-second"]];
                let cases = it.messages.iter().map(|&messages| Recovery::cases_of(messages));
                cases.flat_map(|cases| cases.into_iter().zip(metrics.clone())).collect()
            }
            Self::Disk(it) => {
                let ways = latencies(Append::ALL.map(Disk::case_of_way), &[]);
                let rates = it.rates.iter().map(|&rate| Disk::case_of_rate(rate));
                [ways, latencies(rates, &["messages-per-second", "messages-per-sync"])].concat()
            }
            _ => Vec::new(),
        }
    }
}

/// Cases that have the same metrics.
fn all<C: Into<String>>(cases: impl IntoIterator<Item = C>, metrics: &[&'static str]) -> Vec<Case> {
    cases.into_iter().map(|case| (case.into(), metrics.to_vec())).collect()
}

/// Cases with the metrics of a latency, and others.
fn latencies(cases: impl IntoIterator<Item = String>, others: &[&'static str]) -> Vec<Case> {
    all(cases, &[&LATENCIES, others].concat())
}

/// Each of `first` with each of `second`.
pub(super) fn pairs<'a, A, B>(
    first: &'a [A],
    second: &'a [B],
) -> impl Iterator<Item = (&'a A, &'a B)> {
    first.iter().flat_map(move |it| second.iter().map(move |other| (it, other)))
}
