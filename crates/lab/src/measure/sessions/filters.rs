//! One source, and clients that want some of its messages, or of their fields: how often each is decoded, and what that costs.

use std::hint::black_box;
use std::ops::Range;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use trunkline_client::{Subscribe, format};
use trunkline_transcode::{Filter, Format, Selection};

use super::alone::{Alone, cost, in_turns, told};
use super::router::{MADE, Metrics, Router};
use super::traffic::{Came, Numbers, PATIENCE, Plan, Receiver, SIZES, Sources};
use crate::evaluation::Step;
use crate::measure::series::Series;
use crate::measure::{Findings, Setting};
use crate::turns::take_turns;
use trunkline_bench::histogram::Times;
use trunkline_bench::row::Verdict;
use trunkline_experiment::definition::Filters;
use trunkline_experiment::definition::sessions::{
    CPU, DECODED, FLOW, FURTHER_FILTER, Narrowing, OVER_CODEC, Wanted,
};
use trunkline_experiment::subjects::TRUNKLINE;

/// All fields of a message as it comes in a session but its size, which alone may be absent.
const FIELDS: &str = "SenderCompID,TargetCompID,MsgSeqNum,SendingTime,Symbol,\
                      NoMDEntries.MDEntryType,NoMDEntries.MDEntryPx";

/// Those that somebody may want in JSON.
const FIELDS_IN_JSON: &str = "Symbol,NoMDEntries.MDEntryPx";

/// How long a router has for what is still under way when all has come.
const SETTLING: Duration = Duration::from_millis(20);

/// The sizes of those messages that a client wants, if it does not want all.
fn sizes(wanted: Wanted, client: u32) -> Option<Range<u64>> {
    let (first, half) = (SIZES.start, (SIZES.end - SIZES.start) / 2);
    let own = first + u64::from(client);
    match wanted {
        Wanted::Everything | Wanted::Fields => None,
        Wanted::All => Some(SIZES),
        Wanted::Half => Some(first..first + half),
        Wanted::HalfEach => Some(own..own + half),
        Wanted::Nothing => Some(first..first),
    }
}

/// What messages of these sizes pass.
fn filter(Range { start, end }: &Range<u64>) -> String {
    let size = "NoMDEntries.MDEntrySize";
    format!("{size} >= {start} and {size} < {end}")
}

/// Measures with clients, then the cost by itself.
pub(super) fn measure(
    setting: &Setting<'_>,
    asked: &Filters,
    found: &mut Findings,
    progress: &mut dyn FnMut(Step<'_>),
) {
    let mut all = Wanted::ALL.map(|wanted| {
        let profile = format!(
            "tcp-blocking/fix-4.3/tag-value/none/none/to clients that want {} (any cpu)",
            wanted.name()
        );
        Series::new((), &Filters::case(wanted, asked.clients), TRUNKLINE, profile)
    });
    if let Err(why) = with_clients(setting, asked, &mut all, progress) {
        found.faults.push(format!("clients that want some of it: {why}"));
        all.iter_mut().for_each(|it| it.dismiss(Verdict::WrongAnswer));
    }
    found.rows.extend(all.iter().flat_map(|it| super::rows(setting, it)));
    found.distributions.extend(all.iter().filter_map(|it| it.distribution(setting, "latency")));
    for narrowing in Narrowing::ALL {
        progress(Step { part: "filters", text: narrowing.name(), share: 0.9 });
        let case = Filters::case_of_cost(narrowing);
        let profile = format!("none/fix-4.3/tag-value/none/none/{}", narrowing.name());
        let mut series = Series::new((), &case, TRUNKLINE, profile);
        match costs(narrowing, asked.clients, setting.repetitions()) {
            Ok(Costs { whole, codec, further }) => {
                let row = series.blank(setting, OVER_CODEC, "x");
                found.rows.push(row.compared(&whole, &codec, found.noise_floor));
                whole.iter().for_each(|it| series.add("cpu-time", "ns", *it));
                further.iter().for_each(|it| series.add(FURTHER_FILTER, "ns", *it));
            }
            Err(why) => {
                found.faults.push(format!("{case}: {why}"));
                series.dismiss(Verdict::WrongAnswer);
            }
        }
        found.rows.extend(super::rows(setting, &series));
    }
}

/// Clients that want the same of a symbol that is theirs alone, so that nobody else has their messages.
struct Group<'a> {
    wanted: Wanted,
    symbol: u64,
    receivers: Vec<Receiver>,
    series: &'a mut Series<()>,
}

impl<'a> Group<'a> {
    fn new(
        router: &Router,
        (wanted, symbol): (Wanted, u64),
        clients: u32,
        series: &'a mut Series<()>,
    ) -> Result<Self, String> {
        let topic = format!("fx/S{symbol}");
        let receiver = |client| match sizes(wanted, client) {
            Some(sizes) => {
                let how = Subscribe::every().filter(&filter(&sizes));
                Receiver::client(router, &topic, &how).map(|it| it.of_sizes(sizes))
            }
            None if wanted == Wanted::Fields => {
                Receiver::client(router, &topic, &Subscribe::every().fields(FIELDS))
            }
            None => Receiver::client(router, &topic, &Subscribe::every()),
        };
        let receivers = (0..clients).map(receiver).collect::<Result<_, _>>()?;
        Ok(Self { wanted, symbol, receivers, series })
    }
}

fn with_clients(
    setting: &Setting<'_>,
    asked: &Filters,
    all: &mut [Series<()>],
    progress: &mut dyn FnMut(Step<'_>),
) -> Result<(), String> {
    let mut router = Router::start(setting, 1).map_err(|it| it.to_string())?;
    let mut groups = Vec::new();
    for ((wanted, symbol), series) in Wanted::ALL.into_iter().zip(0..).zip(all) {
        groups.push(Group::new(&router, (wanted, symbol), asked.clients, series)?);
    }
    let sources = Sources::connect(&router, 1)?;
    let mut numbers = Numbers::new();
    let milliseconds = super::milliseconds(setting, asked.milliseconds);
    let turns = asked.count.unwrap_or(setting.repetitions());
    let mut outcome = Ok(());
    // The first turn does not count.
    for turn in 0..=turns {
        let share = 0.9 * f64::from(turn) / f64::from(turns + 1);
        take_turns(&mut groups, turn, |group| {
            let text = group.wanted.name();
            progress(Step { part: "filters", text, share });
            let ran =
                run(&mut router, &sources, group, || numbers.plan(asked.rate, milliseconds, 1));
            match ran {
                Ok(ran) if turn > 0 => ran.add_to(group.series),
                Ok(_) => {}
                Err(why) => outcome = Err(format!("{text}: {why}")),
            }
        });
        outcome.clone()?;
    }
    Ok(())
}

/// What a run came to.
struct Ran {
    messages: u64,
    sent: f64,
    came: Vec<Came>,
    used: Option<f64>,
    counted: Counted,
}

impl Ran {
    fn add_to(&self, series: &mut Series<()>) {
        let Self { messages, sent, came, used, counted } = self;
        let messages = *messages as f64;
        let mut times = Times::default();
        came.iter().for_each(|it| times.add(&it.times));
        series.add(DECODED, "x", counted.decoded as f64 / messages);
        series.add(CPU, "ns", used.map(|it| it / messages));
        series.add(FLOW[0], "1/s", *sent);
        series.add(FLOW[1], "1/s", came.iter().map(Came::rate).sum::<f64>());
        series.add_times(&times);
        series.count("filtered", counted.filtered);
        series.count("lost", counted.discarded);
    }
}

/// Sends what a group is to get, and holds what it got against what the router counts.
fn run(
    router: &mut Router,
    sources: &Sources,
    group: &Group<'_>,
    plan: impl FnOnce() -> Plan,
) -> Result<Ran, String> {
    let before = Counted::of(&router.metrics().map_err(|it| it.to_string())?);
    let used_before = router.processor_time();
    let plan = plan();
    group.receivers.iter().for_each(|it| it.begin(plan));
    let sent = sources.run_of(group.symbol, plan)?;
    let came: Vec<Came> = group.receivers.iter().map(Receiver::end).collect();
    let matched = plan.count * came.len() as u64;
    let (used, counted) = settled(router, before, matched)?;
    counted.check(matched, came.iter().map(|it| it.messages).sum())?;
    let wrong: u64 = came.iter().map(|it| it.wrong).sum();
    if wrong > 0 {
        return Err(format!("{wrong} messages came that are not as they are wanted"));
    }
    let unlike = came.iter().find(|it| it.messages != it.expected && counted.discarded == 0);
    if let Some(Came { messages, expected, .. }) = unlike {
        return Err(format!("{messages} messages came to a client, and not {expected}"));
    }
    let used = used_before.zip(used).map(|(from, to)| to - from);
    Ok(Ran { messages: plan.count, sent, came, used, counted })
}

/// What a router has used of the processors, and counted, once so many were published and none waits.
fn settled(
    router: &mut Router,
    before: Counted,
    matched: u64,
) -> Result<(Option<f64>, Counted), String> {
    let since = Instant::now();
    loop {
        thread::sleep(SETTLING);
        // Before it is asked, which takes something, too.
        let used = router.processor_time();
        let counted = Counted::of(&router.metrics().map_err(|it| it.to_string())?).since(before);
        let is_settled = counted.published >= matched && counted.queued == 0;
        if is_settled || since.elapsed() > PATIENCE {
            return Ok((used, counted));
        }
    }
}

/// What a router counts: its ledger, and how often it has decoded messages.
#[derive(Clone, Copy, Debug, Default)]
struct Counted {
    published: u64,
    delivered: u64,
    elided: u64,
    discarded: u64,
    unrendered: u64,
    filtered: u64,
    queued: u64,
    decoded: u64,
}

impl Counted {
    fn of(metrics: &Metrics) -> Self {
        let count = |what: &str| metrics.sum(&format!("trunkline_{what}_total"), &[]);
        let made = |what: &str| metrics.sum(&format!("trunkline_{what}_total"), &[MADE]);
        Self {
            published: count("published"),
            delivered: count("delivered"),
            elided: count("elided"),
            discarded: count("discarded"),
            unrendered: count("unrendered"),
            filtered: count("filtered"),
            queued: metrics.sum("trunkline_queued_messages", &[]),
            decoded: made("conversions") + made("filter_decisions"),
        }
    }

    /// What has come since then; what waits is what does now.
    fn since(self, before: Self) -> Self {
        Self {
            published: self.published - before.published,
            delivered: self.delivered - before.delivered,
            elided: self.elided - before.elided,
            discarded: self.discarded - before.discarded,
            unrendered: self.unrendered - before.unrendered,
            filtered: self.filtered - before.filtered,
            queued: self.queued,
            decoded: self.decoded - before.decoded,
        }
    }

    /// Whether it adds up, where so many were to be published and so many came.
    fn check(&self, matched: u64, came: u64) -> Result<(), String> {
        let Self { published, delivered, elided, discarded, unrendered, filtered, queued, .. } =
            *self;
        let became = delivered + elided + discarded + unrendered + filtered + queued;
        let is_told = delivered == came || discarded > 0;
        if published == matched && published == became && unrendered + queued == 0 && is_told {
            return Ok(());
        }
        Err(format!(
            "of {matched} messages {published} were published: {delivered} delivered, of which {came} came, {elided} elided, \
             {discarded} discarded, {unrendered} unrendered, {filtered} filtered, {queued} queued"
        ))
    }
}

/// What something costs of a message, in nanoseconds, a value a turn.
struct Costs {
    /// What the router does.
    whole: Vec<f64>,
    /// The same by the formats alone.
    codec: Vec<f64>,
    /// Each filter beyond the first, where there are several.
    further: Vec<f64>,
}

fn costs(narrowing: Narrowing, clients: u32, repetitions: u32) -> Result<Costs, String> {
    match narrowing {
        Narrowing::Filter => of_filters(1, repetitions),
        Narrowing::Filters => of_filters(clients, repetitions),
        Narrowing::Fields => of_fields(FIELDS, None, repetitions),
        Narrowing::FieldsInJson => of_fields(FIELDS_IN_JSON, Some(format::JSON), repetitions),
    }
}

/// What it takes to decode a message and hold it against so many filters that it passes, beside one of them and decoding alone.
fn of_filters(count: u32, repetitions: u32) -> Result<Costs, String> {
    let ranges = (0..count).filter_map(|client| sizes(Wanted::HalfEach, client));
    let parsed = ranges.map(|it| Filter::parse(&filter(&it)).map(Arc::new));
    let parsed = parsed.map(|it| it.map_err(|error| error.to_string()));
    let filters: Vec<_> = parsed.collect::<Result<_, String>>()?;
    let [mut several, mut one] = [Alone::new()?, Alone::new()?];
    let passes = several.converter.decide(&several.published, &filters)?;
    if passes.contains(&false) {
        return Err("the message does not pass".to_owned());
    }
    let mut codec = one.codec(Format::Fix)?;
    let (mut record, bytes) = (one.record(), one.published.payload.clone());
    let held = |alone: &mut Alone, filters: &[Arc<Filter>]| {
        let Alone { converter, published, .. } = alone;
        cost(|| converter.decide(published, filters).map(|it| _ = black_box(it)))
    };
    let mut of_several = || held(&mut several, &filters);
    let mut of_one = || held(&mut one, &filters[..1]);
    let mut decoding =
        || cost(|| codec.decode(&bytes, &mut record).map(|it| _ = black_box(it)).map_err(told));
    let [whole, first, codec] =
        in_turns(repetitions, [&mut of_several, &mut of_one, &mut decoding])?;
    let further = whole.iter().zip(&first).filter(|_| count > 1);
    let further = further.map(|(all, one)| (all - one) / f64::from(count - 1)).collect();
    Ok(Costs { whole, codec, further })
}

/// What it takes to decode a message and write fields of it, beside decoding it and encoding all of it.
fn of_fields(fields: &str, number: Option<u16>, repetitions: u32) -> Result<Costs, String> {
    let fields = Arc::new(Selection::parse(fields).map_err(|it| it.to_string())?);
    let alone = Alone::new()?;
    let mut from = alone.codec(Format::Fix)?;
    let mut to = alone.codec(if number.is_some() { Format::Json } else { Format::Fix })?;
    let mut record = alone.record();
    let Alone { mut converter, published, .. } = alone;
    let mut out = Vec::new();
    let mut selecting = || {
        cost(|| {
            // The router keeps what was made: memory of its own for each.
            out = Vec::new();
            converter.select(&published, &fields, number, &mut out)
        })
    };
    let mut codecs = || {
        cost(|| {
            from.decode(&published.payload, &mut record).map_err(told)?;
            black_box(to.encode(&record).map_err(told)?);
            Ok(())
        })
    };
    let [whole, codec] = in_turns(repetitions, [&mut selecting, &mut codecs])?;
    Ok(Costs { whole, codec, further: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_router_counts_adds_up_or_is_told() {
        let good = Counted { published: 100, delivered: 60, filtered: 40, ..Counted::default() };
        assert_eq!(good.check(100, 60), Ok(()));
        // Of what was lost nobody knows when all of the rest has come.
        let lost = Counted { delivered: 55, discarded: 5, ..good };
        assert_eq!(lost.check(100, 54), Ok(()));
        for (counted, matched, came) in [
            (good, 101, 60),
            (good, 100, 59),
            (Counted { filtered: 39, ..good }, 100, 60),
            (Counted { filtered: 39, queued: 1, ..good }, 100, 60),
            (Counted { filtered: 39, unrendered: 1, ..good }, 100, 60),
        ] {
            let told = counted.check(matched, came).expect_err("it does not add up");
            let filtered = counted.filtered;
            assert!(told.contains(&format!("{came} came")), "{told}");
            assert!(told.contains(&format!("{filtered} filtered")), "{told}");
        }
    }

    #[test]
    fn clients_want_halves_that_differ() {
        let halves: Vec<_> = (0..50).filter_map(|it| sizes(Wanted::HalfEach, it)).collect();
        assert_eq!(halves.len(), 50);
        for (at, half) in halves.iter().enumerate() {
            assert!(half.end - half.start == 50 && half.end <= SIZES.end, "{half:?}");
            assert!(!halves[..at].contains(half), "{half:?}");
        }
        assert_eq!(sizes(Wanted::Half, 7), sizes(Wanted::HalfEach, 0));
    }
}
