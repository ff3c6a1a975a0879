//! `trunkline sub PATTERN...`

mod guaranteed;
mod newest;
mod payload;

use std::collections::HashSet;
use std::fmt::Write as _;
use std::io::{self, ErrorKind, Write as _};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use trunkline_client::{
    Client, Confirmed, Conflation, Error, Event, Gap, LastValues, Message, Options, Subscribe,
    Subscription, code, format,
};

use crate::Ending;
use crate::arguments::{Column, SubArguments};
use crate::client::{
    MOMENT, connect, counted, durability, not_taken, point_at, tell, tell_notice, write_age,
};
use crate::fault::Fault;
use crate::payload::payload_fact;
use crate::signals::{self, Stop};
use newest::NewestOutput;
use payload::Payloads;

/// Gaps that are told one by one in a second; the others are added up.
const GAPS_TOLD: u32 = 20;

/// Tries to connect again come so far apart.
const AGAIN: Duration = Duration::from_millis(500);

pub(crate) fn run(arguments: &SubArguments) -> Result<Ending, Fault> {
    let stop = signals::ask_to_stop()?;
    let payloads = Payloads::new(arguments)?;
    let options = Options {
        queue_messages: arguments.queue,
        overflow: arguments.overflow.map(Into::into).unwrap_or_default(),
        messages_per_second: arguments.messages_per_second,
        ..Options::default()
    };
    let mut client = connect(&arguments.to, "sub", options)?;
    let patterns = subscribe(&mut client, arguments)?;
    tell(&format!("listening to {} at {}", arguments.patterns.join(", "), client.address()));
    let conflates = arguments.conflate || arguments.updates_per_second.is_some();
    let mut listing = Listing {
        arguments,
        out: Vec::new(),
        line: String::new(),
        tally: Tally::default(),
        topics: HashSet::new(),
        news: News::default(),
        is_read: true,
        newest: conflates.then(|| NewestOutput::new(&stop)),
        fault: None,
        payloads,
        patterns,
        printed: Vec::new(),
        confirmed: None,
        ended: None,
    };
    let start = Instant::now();
    while !stop.is_asked() && listing.wants_more() {
        let received = client.receive(Some(MOMENT), &mut |event| listing.take(&event));
        listing.write();
        if let Some(fault) = listing.fault.take() {
            return Err(fault);
        }
        listing.tell_news();
        let received = received.and_then(|_| listing.acknowledge(&mut client));
        match received {
            Ok(_) => {}
            Err(error) if arguments.reconnect && error.is_final() => {
                come_back(&mut client, &error, &stop, arguments.is_guaranteed())?;
            }
            Err(error) => {
                listing.summarise(start.elapsed());
                return Err(error.into());
            }
        }
    }
    if arguments.durable.is_some() {
        // What was printed is not to come again.
        client.synchronise()?;
    }
    listing.summarise(start.elapsed());
    match listing.ended {
        Some(what) => {
            tell(&what);
            Ok(Ending::Wrong)
        }
        None => Ok(Ending::Right),
    }
}

/// Subscribes to all patterns; which pattern each number means.
fn subscribe(
    client: &mut Client,
    arguments: &SubArguments,
) -> Result<Vec<(Subscription, usize)>, Fault> {
    let how = Subscribe {
        updates_per_second: arguments.updates_per_second,
        conflate: arguments.conflate,
        last_values: arguments.last,
        format: arguments.format,
        filter: arguments.filter.as_deref().map(Into::into),
        fields: arguments.fields.as_deref().map(Into::into),
    };
    let mut made = Vec::new();
    for (index, pattern) in arguments.patterns.iter().enumerate() {
        let subscription = match arguments.is_guaranteed() {
            true => guaranteed::consume(client, arguments, pattern, how.clone())?,
            false => client.subscribe(pattern, &how).map_err(|error| {
                point_at_text(&error, arguments);
                not_taken(pattern, error)
            })?,
        };
        made.push((subscription, index));
    }
    Ok(made)
}

/// Shows what is wrong in a filter or in fields, if it is one of these that is rejected.
fn point_at_text(error: &Error, arguments: &SubArguments) -> bool {
    let Error::Rejected(it) = error else { return false };
    let text = match it.code {
        code::BAD_FILTER => &arguments.filter,
        code::BAD_FIELDS => &arguments.fields,
        _ => return false,
    };
    text.iter().for_each(|text| point_at(text, it));
    true
}

/// Tries until the router is there again, or the user does not want to wait any more.
fn come_back(
    client: &mut Client,
    error: &Error,
    stop: &Stop,
    is_guaranteed: bool,
) -> Result<(), Fault> {
    tell(&format!("{error}; trying to connect again"));
    while !stop.is_asked() {
        match client.reconnect() {
            Ok(()) => {
                tell(match is_guaranteed {
                    true => "connected again; what is kept goes on",
                    false => {
                        "connected again; what was published meanwhile did not come and is not counted"
                    }
                });
                return Ok(());
            }
            Err(error @ Error::Rejected(_)) => return Err(error.into()),
            Err(_) => thread::sleep(AGAIN),
        }
    }
    Ok(())
}

/// What came, by number.
#[derive(Clone, Copy, Default)]
struct Tally {
    messages: u64,
    elided: u64,
    lost: u64,
    gaps: u64,
}

/// What is to be told on standard error, at most once a second.
#[derive(Default)]
struct News {
    since: Option<Instant>,
    elided: u64,
    gaps_told: u32,
    gaps: u64,
    lost: u64,
}

struct Listing<'a> {
    arguments: &'a SubArguments,
    /// What is not printed yet.
    out: Vec<u8>,
    line: String,
    tally: Tally,
    topics: HashSet<Box<str>>,
    news: News,
    /// Somebody reads what is printed.
    is_read: bool,
    /// Of one that conflates.
    newest: Option<NewestOutput>,
    /// Why nothing can be printed.
    fault: Option<Fault>,
    payloads: Payloads<'a>,
    /// Which of the patterns each subscription is for.
    patterns: Vec<(Subscription, usize)>,
    /// Guaranteed messages that are printed and not acknowledged.
    printed: Vec<(Subscription, u64)>,
    confirmed: Option<Confirmed>,
    /// Why nothing comes any more.
    ended: Option<String>,
}

/// A message of either kind, as it is printed.
struct Shown<'a> {
    subscription: Subscription,
    topic: &'a str,
    sequence: Option<u64>,
    conflation: Option<Conflation>,
    /// Of a last value: its age when it was sent.
    last_value: Option<u64>,
    /// Nanoseconds since it was published, if it is known.
    age: Option<u64>,
    format: u16,
    payload: &'a [u8],
    /// Of a guaranteed one.
    guaranteed: Option<guaranteed::Shown>,
}

impl Listing<'_> {
    fn wants_more(&self) -> bool {
        self.is_read
            && self.fault.is_none()
            && self.ended.is_none()
            && self.arguments.count.is_none_or(|count| self.tally.messages < count)
    }

    fn take(&mut self, event: &Event<'_>) {
        if !self.wants_more() {
            return;
        }
        match event {
            Event::Message(message) => self.take_message(message),
            Event::Gap(gap) => self.take_gap(gap),
            Event::LastValues(it) => self.take_last_values(it),
            Event::Notice(it) => tell_notice(it),
            event => self.take_guaranteed(event),
        }
    }

    fn take_message(&mut self, message: &Message<'_>) {
        let shown = Shown {
            subscription: message.subscription,
            topic: message.topic,
            sequence: Some(message.sequence),
            conflation: message.conflation,
            last_value: message.last_value,
            age: message.age,
            format: message.format,
            payload: message.payload,
            guaranteed: None,
        };
        self.take_shown(&shown, message.request.is_some());
    }

    fn take_shown(&mut self, message: &Shown<'_>, is_request: bool) {
        self.tally.messages += 1;
        if !self.topics.contains(message.topic) {
            self.topics.insert(message.topic.into());
        }
        if let Some(conflation) = message.conflation {
            self.tally.elided += conflation.replaced;
            self.news.elided += conflation.replaced;
        }
        if self.arguments.raw {
            self.out.extend_from_slice(message.payload);
        } else {
            self.line.clear();
            if self.arguments.json {
                self.json_message(message, is_request);
            } else {
                self.columns(message);
            }
            self.out.extend_from_slice(self.line.as_bytes());
        }
        self.out.push(b'\n');
        // It is taken when this returns.
        let gathered = self.out.len();
        if self.newest.as_ref().is_some_and(|newest| newest.is_due(gathered)) {
            self.write();
        }
    }

    fn pattern(&self, subscription: Subscription) -> &str {
        let of = self.patterns.iter().find(|(number, _)| *number == subscription);
        of.and_then(|(_, index)| self.arguments.patterns.get(*index)).map_or("", |it| it)
    }

    fn columns(&mut self, message: &Shown<'_>) {
        let mut line = std::mem::take(&mut self.line);
        let mut below = String::new();
        for (index, column) in self.arguments.show.iter().enumerate() {
            if index > 0 {
                line.push('\t');
            }
            let conflation = message.conflation;
            let _ = match column {
                Column::Topic => write!(line, "{}", message.topic),
                Column::Sequence => match message.sequence {
                    Some(sequence) => write!(line, "{sequence}"),
                    None => write!(line, "-"),
                },
                Column::Position | Column::Time | Column::State => {
                    match &message.guaranteed {
                        Some(it) => it.write(*column, &mut line),
                        None if message.last_value.is_some() && *column == Column::State => {
                            line.push_str("last");
                        }
                        None => line.push('-'),
                    }
                    Ok(())
                }
                Column::Replaced => write!(line, "{}", conflation.map_or(0, |it| it.replaced)),
                Column::Bytes => write!(line, "{}", message.payload.len()),
                Column::Pattern => write!(line, "{}", self.pattern(message.subscription)),
                Column::Age => {
                    match message.age.or(conflation.map(|it| it.age)).or(message.last_value) {
                        Some(age) => write_age(&mut line, age),
                        None => line.push('-'),
                    }
                    Ok(())
                }
                Column::Format => match format::name(message.format) {
                    Some(name) => write!(line, "{name}"),
                    None => write!(line, "{}", message.format),
                },
                Column::Payload => {
                    below = self.payloads.write(&mut line, message.format, message.payload);
                    Ok(())
                }
            };
        }
        line.push_str(&below);
        self.line = line;
    }

    fn json_message(&mut self, message: &Shown<'_>, is_request: bool) {
        let mut value = json!({
            "event": if message.guaranteed.is_some() { "delivery" } else { "message" },
            "topic": message.topic,
            "pattern": self.pattern(message.subscription),
            "format": message.format,
        });
        match &message.guaranteed {
            Some(it) => it.json(&mut value),
            None => {
                value["sequence"] = message.sequence.into();
                value["is_request"] = is_request.into();
            }
        }
        if let Some(conflation) = message.conflation {
            value["replaced"] = conflation.replaced.into();
            value["age_ns"] = message.age.unwrap_or(conflation.age).into();
            value["sent_age_ns"] = conflation.age.into();
        }
        if let Some(age) = message.last_value {
            value["last_value"] = true.into();
            value["age_ns"] = message.age.unwrap_or(age).into();
            value["sent_age_ns"] = age.into();
        }
        payload_fact(&mut value, message.payload);
        let _ = write!(self.line, "{value}");
        // It is written as it is: its numbers have more digits than others hold.
        let shown = self.payloads.json(message.format, message.payload);
        let Some(shown) = shown else { return };
        self.line.pop();
        let _ = match shown {
            Ok(json) => write!(self.line, ",\"message\":{json}}}"),
            Err(why) => write!(self.line, ",\"wrong\":{}}}", Value::from(why)),
        };
    }

    fn take_last_values(&mut self, it: &LastValues) {
        let pattern = self.pattern(it.subscription);
        if self.arguments.json {
            let value = json!({"event": "last_values", "pattern": pattern, "count": it.count});
            self.out.extend_from_slice(format!("{value}\n").as_bytes());
        } else {
            tell(&format!("{pattern}: that was all, {}", counted(it.count, "last value")));
        }
    }

    fn take_gap(&mut self, gap: &Gap<'_>) {
        let Gap { subscription, topic, count, first, last, age, reason } = *gap;
        if self.arguments.json {
            let mut value = json!({
                "event": "gap",
                "topic": topic,
                "pattern": self.pattern(subscription),
                "count": count,
                "first": first,
                "last": last,
                "age_ns": age,
            });
            if !reason.is_empty() {
                value["reason"] = reason.into();
            }
            self.out.extend_from_slice(format!("{value}\n").as_bytes());
        }
        if !reason.is_empty() {
            let which = match count {
                1 => format!("message {first} is"),
                _ => format!("{count} messages from {first} to {last} are"),
            };
            return self.count_gap(count, &format!("{topic} {which} not to be had: {reason}"));
        }
        let mut since = String::new();
        write_age(&mut since, age);
        let lost = counted(count, "message");
        let what = format!("{topic} lost {lost} from {first} to {last}, the first {since} ago");
        self.count_gap(count, &what);
    }

    /// Counts a gap, and tells of it unless there are too many.
    fn count_gap(&mut self, count: u64, what: &str) {
        self.tally.gaps += 1;
        self.tally.lost += count;
        if self.news.gaps_told == GAPS_TOLD {
            self.news.gaps += 1;
            self.news.lost += count;
            return;
        }
        self.news.gaps_told += 1;
        tell(&format!("gap: {what}"));
    }

    /// Prints what has gathered.
    fn write(&mut self) {
        if self.out.is_empty() {
            return;
        }
        let mut out = io::stdout().lock();
        let written = out.write_all(&self.out).and_then(|()| out.flush());
        self.out.clear();
        drop(out);
        match written {
            Ok(()) => {
                if let Some(newest) = &mut self.newest {
                    newest.wait_until_read();
                }
            }
            Err(cause) if cause.kind() == ErrorKind::BrokenPipe => self.is_read = false,
            Err(cause) => self.fault = Some(Fault::new(format!("standard output: {cause}"))),
        }
    }

    /// Once a second: what was elided, and the gaps that were too many to tell one by one.
    fn tell_news(&mut self) {
        if let Some(confirmed) = self.confirmed.take() {
            let (position, how) = (confirmed.position, durability(confirmed.durability));
            tell(&format!("confirmed: all up to position {position} are durable, {how}"));
        }
        let News { elided, gaps_told, gaps, lost, .. } = self.news;
        if elided == 0 && gaps_told == 0 && !self.payloads.is_wrong() {
            return;
        }
        let since = *self.news.since.get_or_insert_with(Instant::now);
        if since.elapsed() < Duration::from_secs(1) {
            return;
        }
        self.tell_wrong();
        if elided > 0 {
            tell(&format!("elided: {}, newer ones took their place", counted(elided, "update")));
        }
        if gaps > 0 {
            let (gaps, lost) = (counted(gaps, "more gap"), counted(lost, "message"));
            tell(&format!("gap: {gaps}, {lost} lost"));
        }
        self.news = News::default();
    }

    /// Payloads that are not what the schema says.
    fn tell_wrong(&mut self) {
        self.payloads.take_wrong().iter().for_each(|it| tell(it));
    }

    fn summarise(&mut self, time: Duration) {
        self.tell_wrong();
        let Tally { messages, elided, lost, gaps } = self.tally;
        let (messages, topics) =
            (counted(messages, "message"), counted(self.topics.len() as u64, "topic"));
        let (gaps, seconds) = (counted(gaps, "gap"), time.as_secs_f64());
        tell(&format!(
            "{messages} of {topics} in {seconds:.1} s; {elided} elided, {lost} lost in {gaps}"
        ));
    }
}
