//! `trunkline pub TOPIC [PAYLOAD | - | --file FILE]` and `trunkline pub --topics`

mod input;

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use trunkline_client::{
    Client, Error, Event, Options, Rejection, Stored, Topic, code, format, kind,
};
use trunkline_transcode::fix::foreign_delimiter;

use self::input::{Form, Reader, bytes_of_hexadecimal};
use crate::Ending;
use crate::arguments::PubArguments;
use crate::client::{MOMENT, connect, counted, durability, not_taken, tell};
use crate::fault::Fault;
use crate::signals::{self, Stop};

/// Lines that are read ahead of what is sent; then reading waits.
const LINES_AHEAD: usize = 1024;

/// Messages between two looks at what the router says, where no pace is asked for.
const BETWEEN_LOOKS: u64 = 1000;

pub(crate) fn run(arguments: &PubArguments) -> Result<Ending, Fault> {
    let stop = signals::ask_to_stop()?;
    let mut client = connect(&arguments.to, "pub", Options::default())?;
    let name = arguments.topic.as_deref();
    let topic = name.map(|name| topic(&mut client, name)).transpose()?;
    let guarantee = match arguments.guaranteed {
        true => Some(Guarantee::new(&mut client, arguments)?),
        false => None,
    };
    let usual = if arguments.file.is_some() { format::OPAQUE } else { format::TEXT };
    let mut publishing = Publishing {
        client,
        name,
        names: HashMap::new(),
        format: arguments.format.map_or(usual, |it| it.number),
        byte_order: arguments.format.and_then(|it| it.byte_order),
        is_hexadecimal: arguments.hex,
        rate: arguments.rate,
        clears: arguments.clear_last,
        is_first_log_line: true,
        start: Instant::now(),
        sent: 0,
        rejection: None,
        stop,
        guarantee,
        patience: arguments.to.timeout,
    };
    publishing.all(arguments, topic).map_err(|fault| publishing.with_rest(fault))?;
    Ok(Ending::Right)
}

/// A topic to publish to.
fn topic(client: &mut Client, name: &str) -> Result<Topic, Fault> {
    client.topic(name).map_err(|error| not_taken(name, error))
}

/// How often one message is sent.
fn times(arguments: &PubArguments) -> u64 {
    let unsaid = if arguments.rate.is_some() { u64::MAX } else { 1 };
    arguments.count.unwrap_or(unsaid)
}

/// The messages of standard input, which a thread of their own reads, so that the router is heard
/// while nobody types.
fn lines(form: Form, has_topics: bool) -> Receiver<io::Result<Vec<u8>>> {
    let (sender, receiver) = sync_channel(LINES_AHEAD);
    thread::spawn(move || {
        let mut reader = Reader::new(io::stdin().lock(), form, has_topics);
        loop {
            let Some(line) = reader.next().transpose() else { return };
            let is_last = line.is_err();
            if sender.send(line).is_err() || is_last {
                return;
            }
        }
    });
    receiver
}

/// What stands where FIX has SOH.
fn stands_for_soh(delimiter: char) -> String {
    format!(
        "{delimiter:?} stands between the fields of FIX, where readers of FIX expect SOH, the byte 0x01"
    )
}

/// Messages from standard input, mostly a line each.
struct Lines {
    receiver: Receiver<io::Result<Vec<u8>>>,
    /// Of all of them, or none where each names its own.
    topic: Option<Topic>,
    topics: HashMap<String, Topic>,
    number: u64,
}

impl Lines {
    /// Of this topic, or each behind its own.
    fn new(form: Form, topic: Option<Topic>) -> Self {
        let receiver = lines(form, topic.is_none());
        Self { receiver, topic, topics: HashMap::new(), number: 0 }
    }

    /// The topic and the message of the next line, and the topic's name if it is new.
    fn next<'a>(
        &mut self,
        client: &mut Client,
        line: &'a [u8],
    ) -> Result<(Topic, &'a [u8], Option<&'a str>), Fault> {
        self.number += 1;
        if let Some(topic) = self.topic {
            return Ok((topic, line, None));
        }
        let wrong = |what: &str| Fault::new(format!("standard input line {}: {what}", self.number));
        let tab = line.iter().position(|byte| *byte == b'\t');
        let tab = tab.ok_or_else(|| wrong("no tab between a topic and a message"))?;
        let name = str::from_utf8(&line[..tab]).map_err(|_| wrong("the topic is not UTF-8"))?;
        let payload = &line[tab + 1..];
        if let Some(topic) = self.topics.get(name) {
            return Ok((*topic, payload, None));
        }
        let topic = topic(client, name).map_err(|fault| wrong(&fault.to_string()))?;
        self.topics.insert(name.to_owned(), topic);
        Ok((topic, payload, Some(name)))
    }
}

/// What is asked of messages that are stored.
struct Guarantee {
    producer: String,
    time_to_live: Option<Duration>,
    /// Every acknowledgement is told of.
    verbose: bool,
    /// What the router cannot store for now was told of.
    is_told: bool,
}

impl Guarantee {
    fn new(client: &mut Client, arguments: &PubArguments) -> Result<Self, Fault> {
        // A hasher begins with random numbers.
        let random =
            || format!("trunkline pub {:016x}", RandomState::new().build_hasher().finish());
        let producer = arguments.producer.clone().unwrap_or_else(random);
        client.producer(&producer).map_err(|error| match error {
            Error::Rejected(rejection) => {
                Fault::new(format!("the producer {producer:?} is rejected: {}", rejection.text))
            }
            error => error.into(),
        })?;
        let (time_to_live, verbose) = (arguments.time_to_live, arguments.verbose);
        Ok(Self { producer, time_to_live, verbose, is_told: false })
    }

    /// The router cannot store for now, and the client tries again.
    fn hear_pause(&mut self, sequence: u64, why: &str) {
        if !std::mem::replace(&mut self.is_told, true) {
            tell(&format!("{sequence} is not stored yet: {why}; trying again"));
        }
    }

    fn hear(&mut self, stored: &Stored) {
        self.is_told = false;
        if self.verbose {
            let Stored { sequence, position, .. } = stored;
            let how = durability(stored.durability);
            tell(&format!("stored up to {sequence}, at position {position}: {how}"));
        }
    }
}

struct Publishing<'a> {
    client: Client,
    /// The topic of all messages, or none where each line names its own.
    name: Option<&'a str>,
    /// The topics that lines have named, by their numbers.
    names: HashMap<u64, String>,
    format: u16,
    /// Stands before each message of CDR.
    byte_order: Option<u8>,
    /// Messages are given in hexadecimal.
    is_hexadecimal: bool,
    /// Each message clears the last value of its topic.
    clears: bool,
    /// No message of FIX was met yet that stands as in a log.
    is_first_log_line: bool,
    rate: Option<f64>,
    start: Instant,
    sent: u64,
    /// The first one that the router told of.
    rejection: Option<(u64, Rejection)>,
    stop: Stop,
    guarantee: Option<Guarantee>,
    /// How long nothing may be acknowledged.
    patience: Duration,
}

impl Publishing<'_> {
    /// What the user wants published.
    fn all(&mut self, arguments: &PubArguments, topic: Option<Topic>) -> Result<(), Fault> {
        let all_lines = arguments.count.unwrap_or(u64::MAX);
        let form = match self.format {
            format::FIX if !self.is_hexadecimal => Form::Fix,
            _ => Form::Lines,
        };
        match (topic, &arguments.payload, &arguments.file) {
            (None, ..) => self.lines(&mut Lines::new(form, None), all_lines)?,
            (Some(topic), Some(dash), _) if dash == "-" => {
                self.lines(&mut Lines::new(form, Some(topic)), all_lines)?;
            }
            (Some(topic), Some(text), _) => {
                self.repeat(topic, text.as_bytes(), times(arguments))?
            }
            (Some(topic), None, Some(file)) => {
                let payload = std::fs::read(file)
                    .map_err(|cause| Fault::new(format!("{}: {cause}", file.display())))?;
                self.repeat(topic, &payload, times(arguments))?;
            }
            (Some(_), None, None) => return Err(Fault::new("there is nothing to publish")),
        }
        self.end()
    }

    /// One message, so many times.
    fn repeat(&mut self, topic: Topic, payload: &[u8], times: u64) -> Result<(), Fault> {
        let payload = self.payload(payload)?;
        while self.sent < times && self.wait_until_due()? {
            self.send(topic, &payload)?;
        }
        Ok(())
    }

    /// Each line one message, so many at most.
    fn lines(&mut self, lines: &mut Lines, most: u64) -> Result<(), Fault> {
        while self.sent < most {
            let line = match lines.receiver.try_recv() {
                Ok(line) => line,
                Err(TryRecvError::Disconnected) => return Ok(()),
                Err(TryRecvError::Empty) => {
                    self.client.flush()?;
                    self.listen(Duration::ZERO)?;
                    if self.stop.is_asked() {
                        return Ok(());
                    }
                    match lines.receiver.recv_timeout(MOMENT) {
                        Ok(line) => line,
                        Err(RecvTimeoutError::Timeout) => continue,
                        Err(RecvTimeoutError::Disconnected) => return Ok(()),
                    }
                }
            };
            let line = line
                .map_err(|cause| Fault::new(format!("standard input: {cause}")))
                .map_err(|fault| self.line_fault(fault))?;
            if !self.wait_until_due()? {
                return Ok(());
            }
            let next = lines.next(&mut self.client, &line);
            let (topic, payload, name) = next.map_err(|fault| self.line_fault(fault))?;
            if let Some(name) = name {
                self.names.insert(topic.number().into(), name.to_owned());
            }
            let payload = self.payload(payload).map_err(|fault| {
                let number = lines.number;
                self.line_fault(Fault::new(format!("standard input line {number}: {fault}")))
            })?;
            self.send(topic, &payload)?;
        }
        Ok(())
    }

    fn send(&mut self, topic: Topic, payload: &[u8]) -> Result<(), Fault> {
        match &self.guarantee {
            Some(Guarantee { time_to_live, .. }) => {
                _ = self.client.enqueue_store(topic, self.format, payload, *time_to_live)?;
            }
            None if self.clears => self.client.publish_and_clear(topic, self.format, payload)?,
            None => self.client.enqueue_as(topic, self.format, payload)?,
        }
        self.sent += 1;
        Ok(())
    }

    /// The bytes of a message as it was given.
    fn payload<'p>(&mut self, given: &'p [u8]) -> Result<Cow<'p, [u8]>, Fault> {
        let bytes = match self.is_hexadecimal {
            true => Cow::Owned(bytes_of_hexadecimal(given).map_err(Fault::new)?),
            false => Cow::Borrowed(given),
        };
        self.check(&bytes)?;
        Ok(match self.byte_order {
            Some(byte_order) => Cow::Owned([&[byte_order], &*bytes].concat()),
            None => bytes,
        })
    }

    /// Whoever reads FIX takes no message as a log shows it. That is certain where the user says that it is FIX, and told
    /// where the topic may say so.
    fn check(&mut self, payload: &[u8]) -> Result<(), Fault> {
        let is_open = matches!(self.format, format::OPAQUE | format::TEXT);
        if self.format != format::FIX && !(is_open && self.is_first_log_line) {
            return Ok(());
        }
        let Some(delimiter) = foreign_delimiter(payload) else { return Ok(()) };
        let what = stands_for_soh(delimiter);
        match self.format == format::FIX {
            true => Err(Fault::new(what)),
            false => {
                self.is_first_log_line = false;
                tell(&format!("{what}; it is published as it is, as text"));
                Ok(())
            }
        }
    }

    /// Waits for the next message's time, counted from the first, so that a late one does not make the
    /// others late; false if it is time to end.
    fn wait_until_due(&mut self) -> Result<bool, Fault> {
        let Some(rate) = self.rate else {
            if self.sent.is_multiple_of(BETWEEN_LOOKS) {
                self.listen(Duration::ZERO)?;
            }
            return Ok(!self.stop.is_asked());
        };
        let due = self.start + Duration::from_secs_f64(self.sent as f64 / rate);
        while !self.stop.is_asked() {
            let left = due.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(true);
            }
            self.client.flush()?;
            self.listen(left.min(MOMENT))?;
        }
        Ok(false)
    }

    /// Hears what the router has to say.
    fn listen(&mut self, time: Duration) -> Result<(), Fault> {
        let (rejection, guarantee) = (&mut self.rejection, &mut self.guarantee);
        self.client.receive(Some(time), &mut |event| match (event, guarantee.as_mut()) {
            (Event::Stored(stored), Some(guarantee)) => guarantee.hear(&stored),
            (Event::Rejected(it), Some(guarantee))
                if it.of == kind::STORE && it.code == code::NOT_DURABLE =>
            {
                guarantee.hear_pause(it.id, it.text);
            }
            (Event::Rejected(rejected), _) => {
                rejection.get_or_insert_with(|| (rejected.id, rejected.into()));
            }
            _ => {}
        })?;
        match self.rejection.take() {
            Some((id, rejection)) => Err(self.rejected(id, rejection)),
            None => Ok(()),
        }
    }

    fn rejected(&self, id: u64, rejection: Rejection) -> Fault {
        let of_line = self.names.get(&id).filter(|_| rejection.of == kind::PUBLISH);
        match self.name.or(of_line.map(String::as_str)) {
            Some(name) => not_taken(name, Error::Rejected(rejection)),
            None => Fault::new(format!("message {id} is rejected: {}", rejection.text)),
        }
    }

    /// A fault of a line. What came before it has been gathered, and is published first.
    fn line_fault(&mut self, fault: Fault) -> Fault {
        let is_published = self.sent > 0
            && match self.guarantee {
                Some(_) => self.wait_stored(self.client.unacknowledged().end - 1).is_ok(),
                None => self.client.synchronise().is_ok(),
            };
        if !is_published {
            return fault;
        }
        let what = if self.guarantee.is_some() { "stored" } else { "published" };
        Fault::new(format!("{fault}; {what} before it: {}", counted(self.sent, "message")))
    }

    /// Nothing is said to be published that the router has not worked through.
    fn end(&mut self) -> Result<(), Fault> {
        if self.guarantee.is_some() {
            return self.end_stored();
        }
        self.client.synchronise()?;
        self.listen(Duration::ZERO)?;
        if self.sent != 1 {
            let seconds = self.start.elapsed().as_secs_f64();
            let rate = self.sent as f64 / seconds.max(1e-6);
            let messages = counted(self.sent, "message");
            let name = self.name.unwrap_or("their topics");
            tell(&format!("{messages} to {name} in {seconds:.2} s, {rate:.0} a second"));
        }
        Ok(())
    }

    /// Waits until everything is acknowledged, and says what that promises.
    fn end_stored(&mut self) -> Result<(), Fault> {
        if self.sent > 0 {
            let last = self.client.unacknowledged().end - 1;
            self.wait_stored(last)?;
        }
        let messages = counted(self.sent, "message");
        tell(&match self.client.acknowledged() {
            Some(Stored { position, durability: how, .. }) => {
                format!("stored {messages}, the last at position {position}: {}", durability(how))
            }
            None => format!("stored {messages}"),
        });
        Ok(())
    }

    /// Waits for the acknowledgement of the last message, as long as there are some within the time-out.
    fn wait_stored(&mut self, last: u64) -> Result<(), Fault> {
        let mut deadline = Instant::now() + self.patience;
        while self.client.acknowledged().is_none_or(|it| it.sequence < last) {
            let first = self.client.unacknowledged().start;
            self.listen(MOMENT)?;
            if self.client.unacknowledged().start > first {
                deadline = Instant::now() + self.patience;
            } else if Instant::now() > deadline {
                let waiting_for = "acknowledgement of what is stored";
                let because = self.client.held_back().cloned();
                return Err(Error::TimedOut { waiting_for, because }.into());
            }
        }
        Ok(())
    }

    /// A fault that says which messages are not known to be stored.
    fn with_rest(&self, fault: Fault) -> Fault {
        let rest = self.client.unacknowledged();
        match &self.guarantee {
            Some(Guarantee { producer, .. }) if !rest.is_empty() => {
                let (first, last) = (rest.start, rest.end - 1);
                Fault::new(format!(
                    "{fault}; {first} to {last} of the producer {producer:?} are not acknowledged, \
                     and may be stored or not"
                ))
            }
            _ => fault,
        }
    }
}
