//! `trunkline fix connect`: the initiator of a session, at a terminal or in a script.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use trunkline_fix::tcp::{Handle, TcpConfig};
use trunkline_fix::{Application, Identity, Message, Notice, Outbox, Refusal, Role, Settings};

use super::Common;
use super::lines::{Given, Reader};
use super::printer::Printer;
use super::template::Filling;
use crate::Ending;
use crate::arguments::FixConnectArguments;
use crate::client::counted;
use crate::fault::Fault;
use crate::output::remark;

/// Bytes of a line at most.
const LINE: u64 = 16 << 20;

/// While so many bytes wait for the connection no line is read.
const WAITING: usize = 1 << 20;

/// So many messages are stored together at most, before they are printed.
const TOGETHER: usize = 1_000;

/// The mark of UTF-8 with which some files begin.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// Why a session ends at the end of its hours.
const HOURS_OVER: &str = "the hours of the session are over";

/// What the verb waits for.
enum Event {
    LoggedOn,
    /// The session is over, and why.
    LoggedOut(String),
    /// So are the connection and its thread.
    Closed(io::Result<()>),
    /// All lines are sent, or one cannot be read; so many were wrong.
    NoMoreInput(u64),
    /// A signal asks for the end.
    Stop,
}

struct Terminal {
    identity: Identity,
    printer: Printer,
    events: Sender<Event>,
}

impl Terminal {
    fn tell(&self, event: Event) {
        // Nobody waits any more when the verb has ended.
        _ = self.events.send(event);
    }
}

impl Application for Terminal {
    fn message(&mut self, message: Message<'_>, _outbox: &mut Outbox) -> Result<(), Refusal> {
        self.printer.received(&self.identity, message);
        if !self.printer.is_read() {
            self.tell(Event::Stop);
        }
        Ok(())
    }

    fn administrative(&mut self, message: Message<'_>) {
        self.printer.received(&self.identity, message);
    }

    fn logged_on(&mut self, _outbox: &mut Outbox) {
        self.printer.event(&self.identity, "logged_on", None);
        self.tell(Event::LoggedOn);
    }

    fn logged_out(&mut self, reason: &str) {
        self.tell(Event::LoggedOut(reason.to_owned()));
    }

    fn undelivered(&mut self, message: Message<'_>, _outbox: &mut Outbox) {
        self.printer.undelivered(&self.identity, message);
    }

    fn noticed(&mut self, notice: Notice<'_>) {
        self.printer.notice(&self.identity, &notice);
    }
}

/// Logs on, sends what is given, and logs out.
pub(crate) fn connect(arguments: &FixConnectArguments) -> Result<Ending, Fault> {
    let mut common = Common::of(&arguments.session)?;
    let identity = common.identity(&arguments.session.sender, &arguments.target);
    let settings = settings(&common, arguments, identity.clone())?;
    let mut session = common.session(settings, arguments.next)?;
    let input: Box<dyn Read + Send> = match &arguments.send {
        Some(path) => {
            let file = File::open(path);
            Box::new(file.map_err(|cause| Fault::new(format!("{}: {cause}", path.display())))?)
        }
        None => Box::new(io::stdin()),
    };
    let input = BufReader::new(input);
    let (events, happens) = channel();
    let printer = Printer::new(common.names.clone(), &arguments.session, false);
    let waiting: Waiting = Arc::default();
    let (told, of, lines) = (printer.clone(), identity.clone(), waiting.clone());
    let is_kept = arguments.session.store.is_some();
    session.on_sent(move |message| {
        let is_new = !message.is_administrative() && !message.is_possible_duplicate();
        match is_kept && is_new {
            true => locked(&lines).push(told.line_of_sent(&of, message)),
            false => told.sent(&of, message),
        }
    });
    let terminal =
        Terminal { identity: identity.clone(), printer: printer.clone(), events: events.clone() };
    let handle = Handle::new(session, terminal);
    stop_by_signals(events.clone())?;
    let (first_timeout, client_tls) =
        (arguments.timeout, arguments.tls.load_for(&arguments.address)?);
    let config = TcpConfig { first_timeout, client_tls, ..TcpConfig::default() };
    let address = place(&arguments.address).to_owned();
    let (connected, closed) = (handle.clone(), events.clone());
    thread::spawn(move || _ = closed.send(Event::Closed(connected.connect(&address, &config))));
    if let Some(ending) = until_logged_on(arguments, &happens)? {
        return Ok(ending);
    }
    let sender = Lines {
        handle: handle.clone(),
        printer: printer.clone(),
        reader: common.reader(),
        common,
        is_unchecked: arguments.unchecked,
        count: 0,
        sent: waiting,
    };
    let file = arguments
        .send
        .as_ref()
        .map_or_else(|| "standard input".to_owned(), |it| it.display().to_string());
    thread::spawn(move || _ = events.send(Event::NoMoreInput(sender.send(&file, input))));
    until_closed(arguments, &handle, &happens, |why, is_ours| {
        printer.event(&identity, "logged_out", (!is_ours).then_some(why));
    })
}

/// HOST:PORT of an address.
fn place(address: &str) -> &str {
    address.split_once("://").map_or(address, |(_, place)| place)
}

fn settings(
    common: &Common,
    arguments: &FixConnectArguments,
    identity: Identity,
) -> Result<Settings, Fault> {
    let mut settings = common.settings(Role::Initiator, identity);
    settings.heartbeat = arguments.heartbeat;
    settings.logon_timeout = arguments.timeout;
    settings.logout_timeout = arguments.timeout;
    for field in &arguments.logon {
        let wrong = |why: &str| Fault::new(format!("--logon {field}: {why}"));
        let (name, value) = field.split_once('=').ok_or_else(|| wrong("a field is TAG=VALUE"))?;
        let tag = common.names.tag(name).map_err(|why| wrong(&why))?;
        if value.contains('\u{1}') {
            return Err(wrong("the value has the delimiter SOH (0x01) inside"));
        }
        settings.logon_fields.push((tag, common.names.code(tag, value).to_owned()));
    }
    Ok(settings)
}

fn stop_by_signals(events: Sender<Event>) -> Result<(), Fault> {
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM])
        .map_err(|cause| Fault::new(format!("signals cannot be received: {cause}")))?;
    thread::spawn(move || {
        for signal in signals.forever() {
            if events.send(Event::Stop).is_err() {
                std::process::exit(128 + signal);
            }
        }
    });
    Ok(())
}

/// Waits for the answer to the Logon. An ending: it was stopped before.
fn until_logged_on(
    arguments: &FixConnectArguments,
    happens: &Receiver<Event>,
) -> Result<Option<Ending>, Fault> {
    let mut why = None;
    loop {
        match happens.recv() {
            Ok(Event::LoggedOn) => return Ok(None),
            Ok(Event::LoggedOut(reason)) => why = Some(reason),
            Ok(Event::Closed(outcome)) => {
                let address = &arguments.address;
                return Err(match (outcome, why) {
                    // What TLS says is why the connection is gone.
                    (Err(cause), Some(_)) if cause.kind() == io::ErrorKind::InvalidData => {
                        Fault::new(format!("{address}: {cause}"))
                    }
                    (_, Some(why)) => Fault::new(format!("{address}: {}", advice(&why, arguments))),
                    (Err(cause), None) => Fault::new(format!("{address}: {cause}")),
                    (Ok(()), None) => Fault::new(format!("{address}: the session has ended")),
                });
            }
            Ok(Event::Stop) | Err(_) => return Ok(Some(Ending::Right)),
            Ok(Event::NoMoreInput(_)) => {}
        }
    }
}

/// Why nobody is logged on, and what helps.
fn advice(why: &str, arguments: &FixConnectArguments) -> String {
    let (sender, target) = (&arguments.session.sender, &arguments.target);
    let expected = why.split_once("expecting ").map(|it| it.1);
    let expected = expected.and_then(|it| it.split(|it: char| !it.is_ascii_digit()).next());
    match expected.filter(|_| why.to_lowercase().contains("too low")) {
        Some(_) if !why.contains("the other side") => format!(
            "{why}: what it sends was here before; --reset begins with number 1 on both sides, if it allows that"
        ),
        Some(number) if arguments.session.store.is_none() => format!(
            "{why}; say --next {number}, or --reset to begin with 1 on both sides, and --store DIR to keep numbers from now on"
        ),
        Some(_) => format!(
            "{why}; the store is older than the session: --reset begins with 1 on both sides, if it allows that"
        ),
        None if why.contains("no message of FIX") => {
            format!("{why}; if it speaks TLS, its address is tls://HOST:PORT")
        }
        None if why == "the connection is gone" => format!(
            "it closed the connection and said nothing: it may know no session of SenderCompID {sender} and TargetCompID \
             {target} in this version, or that session has a connection already"
        ),
        None => why.to_owned(),
    }
}

/// Waits for the end of the input, then for answers, then for the Logout.
fn until_closed(
    arguments: &FixConnectArguments,
    handle: &Handle,
    happens: &Receiver<Event>,
    told: impl Fn(&str, bool),
) -> Result<Ending, Fault> {
    let mut leaves_at: Option<Instant> = None;
    let (mut wrong, mut is_ours, mut is_answered) = (0, false, false);
    loop {
        let longest =
            leaves_at.map_or(Duration::MAX, |it| it.saturating_duration_since(Instant::now()));
        let event = match leaves_at {
            Some(_) => happens.recv_timeout(longest),
            None => happens.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match event {
            Ok(Event::NoMoreInput(count)) => {
                wrong = count;
                leaves_at =
                    leaves_at.or(Some(Instant::now() + arguments.wait)).filter(|_| !is_ours);
            }
            Ok(Event::Stop) if is_ours => return Ok(Ending::Wrong),
            Ok(Event::Stop) | Err(_) => {
                (is_ours, leaves_at) = (true, None);
                handle.log_out(None);
            }
            Ok(Event::LoggedOut(why)) => {
                let is_over = why == HOURS_OVER;
                is_answered = why.starts_with("the other side has logged out") || is_over;
                told(&why, is_ours && is_answered);
                // That is none of the other side's doing.
                is_ours |= is_over;
            }
            Ok(Event::Closed(_)) => {
                // Else the number of the last message would be asked for again. Who fails was told before.
                _ = handle.wait_for_store();
                return Ok(if is_ours && is_answered && wrong == 0 {
                    Ending::Right
                } else {
                    Ending::Wrong
                });
            }
            Ok(Event::LoggedOn) => {}
        }
    }
}

/// Sends lines.
struct Lines {
    handle: Handle,
    printer: Printer,
    reader: Reader,
    common: Common,
    /// Values need not be those of the dictionary.
    is_unchecked: bool,
    count: u64,
    sent: Waiting,
}

/// The lines of messages that are printed once these are stored, where they are kept.
type Waiting = Arc<Mutex<Vec<String>>>;

fn locked(waiting: &Waiting) -> MutexGuard<'_, Vec<String>> {
    waiting.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Lines {
    /// Sends all lines of an input; says how many could not be sent.
    fn send(mut self, file: &str, mut input: BufReader<impl Read>) -> u64 {
        let (mut number, mut wrong) = (0_u64, 0);
        let mut line = Vec::new();
        loop {
            // Lines that are there already are stored together.
            if locked(&self.sent).len() >= TOGETHER || !input.buffer().contains(&b'\n') {
                wrong += self.print_sent();
            }
            line.clear();
            number += 1;
            match io::Read::take(&mut input, LINE).read_until(b'\n', &mut line) {
                Ok(0) => break,
                Ok(_) => {}
                Err(cause) => {
                    remark(&format!("{file}: cannot be read: {cause}"));
                    wrong += 1;
                    break;
                }
            }
            let text = line.strip_prefix(MARK).filter(|_| number == 1).unwrap_or(&line);
            let text = text.strip_suffix(b"\n").unwrap_or(text);
            let text = text.strip_suffix(b"\r").unwrap_or(text).trim_ascii_start();
            if text.is_empty() || text.starts_with(b"#") {
                continue;
            }
            if let Err(why) = self.send_line(text) {
                remark(&format!("{file}:{number}: not sent: {why}"));
                wrong += 1;
            }
            while self.handle.waiting() > WAITING {
                thread::sleep(Duration::from_millis(1));
            }
        }
        wrong += self.print_sent();
        if wrong > 0 {
            remark(&format!("{file}: {} not sent", counted(wrong, "line")));
        }
        wrong
    }

    /// Sends the messages of a line, none of them if one cannot be read.
    fn send_line(&mut self, line: &[u8]) -> Result<(), String> {
        self.reader.read(line)?.into_iter().try_for_each(|it| self.send_one(it))
    }

    fn send_one(&mut self, given: Given) -> Result<(), String> {
        if matches!(&given, Given::Typed(template) if template.copies()) {
            return Err("there is no message that something could be copied from".to_owned());
        }
        self.count += 1;
        let (count, version) = (self.count, self.common.version);
        let (common, is_unchecked) = (&self.common, self.is_unchecked);
        self.handle.with(|outbox| {
            let draft = match given {
                Given::Whole(draft) => draft,
                Given::Typed(template) => {
                    let filling = Filling { message: None, now: outbox.now(), version, count };
                    template.fill(&filling)?
                }
            };
            if let Some(dictionaries) = common.dictionaries.as_ref().filter(|_| !is_unchecked) {
                let checked = draft.check(dictionaries, version, common.application.as_deref());
                checked.map_err(|it| common.names.refused(&it, &draft))?;
            }
            // What waits for the next Logon would wait for ever: this process ends with the session.
            match outbox.is_logged_on() {
                true => draft.send(outbox).map(|_| ()).map_err(|error| error.to_string()),
                false => Err("nobody is logged on any more".to_owned()),
            }
        })
    }

    /// Prints what was sent, none of which is lost from here on, even if this process is killed. Answers how many messages
    /// the store did not take.
    fn print_sent(&mut self) -> u64 {
        let lines = std::mem::take(&mut *locked(&self.sent));
        if lines.is_empty() {
            return 0;
        }
        if let Err(cause) = self.handle.wait_for_store() {
            let count = lines.len() as u64;
            remark(&format!("{} may be lost: {cause}", counted(count, "message")));
            return count;
        }
        lines.iter().for_each(|it| self.printer.print_line(it));
        0
    }
}
