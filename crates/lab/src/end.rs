//! Our own end of a network experiment: a program that speaks the protocol of the peers
//! (`peers/PROTOCOL.md`) and stands for our codecs on our transports, or for no codec at all.

mod bare;
mod binary_echo;
mod codec;
mod exchange;
mod fault;
mod one_way;
mod pace;
mod question;
mod serving;

use std::io::{self, BufRead, Read as _, Write as _};
use std::path::Path;

use rustix::event::{PollFd, PollFlags, poll};
use trunkline_catalogue::commerce::CustomerServices;
use trunkline_catalogue::market_data::MarketDataIncrementalRefresh;
use trunkline_message::Record;
use trunkline_net::tcp::{Listener, Stream, Wait};

use crate::peer::{CorpusLimits, Stages, read_corpus};
use codec::{Loaded, Perform};
use fault::Fault;
pub(crate) use pace::paced;
use question::{Question, Task};
use serving::Service;
use trunkline_experiment::format::{Family, Format};
use trunkline_experiment::subjects::{TRUNKLINE, TRUNKLINE_RECORD};

/// Bytes of the longest question.
const QUESTION_BYTES: u64 = 8192;

/// What an end stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    /// Our codecs, on structs.
    Trunkline,
    /// Our codecs, on records of market data, whose schema is known at run time only.
    Record,
    /// No codec: what was loaded is sent, and what comes is sent back.
    Bare,
}

impl Identity {
    /// How it introduces itself.
    pub fn name(self) -> &'static str {
        match self {
            Self::Trunkline => TRUNKLINE,
            Self::Record => TRUNKLINE_RECORD,
            Self::Bare => "bare",
        }
    }

    /// What can be loaded.
    fn formats(self) -> impl Iterator<Item = Format> {
        let is_of_all = !matches!(self, Self::Record);
        let can = move |it: &Format| is_of_all || it.family() == Family::MarketData;
        Format::ALL.into_iter().filter(can)
    }
}

/// Answers the questions on standard input until `stop`, or its end.
///
/// # Errors
/// Standard input or output is broken.
pub fn serve(identity: Identity) -> io::Result<()> {
    let mut input = io::stdin().lock();
    let mut output = io::stdout().lock();
    let mut end = End { identity, loaded: None, listener: None, service: None };
    while let Some(line) = read_question(&mut input)? {
        let answer = match line.and_then(|line| end.answer(&line)) {
            Ok(Some(answer)) => answer,
            Ok(None) => return Ok(()),
            Err(fault) => format!("error {fault}"),
        };
        output.write_all(format!("{answer}\n").as_bytes())?;
        output.flush()?;
    }
    Ok(())
}

/// The next line; None at the end of the input.
fn read_question(input: &mut impl BufRead) -> io::Result<Option<Result<String, Fault>>> {
    let mut line = Vec::new();
    if input.by_ref().take(QUESTION_BYTES).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    let is_whole = line.pop_if(|last| *last == b'\n').is_some();
    if !is_whole && line.len() as u64 == QUESTION_BYTES {
        input.skip_until(b'\n')?;
        let fault = format!("a question of more than {QUESTION_BYTES} bytes");
        return Ok(Some(Err(Fault::new(fault))));
    }
    let line = String::from_utf8(line).map_err(|_| Fault::new("the question is not UTF-8"));
    Ok(Some(line))
}

struct End {
    identity: Identity,
    loaded: Option<Box<dyn Perform>>,
    listener: Option<Listener>,
    service: Option<Service>,
}

impl End {
    /// None when it was asked to stop.
    fn answer(&mut self, line: &str) -> Result<Option<String>, Fault> {
        let answer = match Question::parse(line)? {
            Question::Hello => {
                let formats = self.identity.formats().map(Format::name);
                let formats = formats.collect::<Vec<_>>().join(",");
                format!("hello {} {} {formats}", self.identity.name(), env!("CARGO_PKG_VERSION"))
            }
            Question::Load { format, file } => {
                self.loaded = None;
                let (contents, count) = self.load(format, file)?;
                self.loaded = Some(contents);
                format!("loaded {count}")
            }
            Question::Listen => {
                // The old one first, which may have the last free port.
                self.listener = None;
                let listener = Listener::bind("127.0.0.1:0")?;
                let port = listener.port()?;
                self.listener = Some(listener);
                format!("listening {port}")
            }
            Question::Serve(serving) => {
                self.service = None;
                let service = match self.identity {
                    Identity::Bare => Service::bare(&serving)?,
                    Identity::Trunkline | Identity::Record => Service::ours(&serving)?,
                };
                let port = service.port();
                self.service = Some(service);
                format!("serving {port}")
            }
            Question::Stages => {
                let Stages { decode, application, encode, calls } = self.service()?.stages()?;
                format!("stages {decode} {application} {encode} {calls}")
            }
            Question::Unserve => {
                let calls = self.service()?.calls();
                self.service = None;
                format!("served {calls}")
            }
            Question::Stop => return Ok(None),
            Question::Task(task) => {
                let listener = self.listener.as_ref();
                let loaded = self.loaded.as_mut();
                let loaded = loaded.ok_or_else(|| Fault::new("nothing is loaded"))?;
                checked(&task)?;
                loaded.perform(&task, listener)?
            }
        };
        Ok(Some(answer))
    }

    fn service(&self) -> Result<&Service, Fault> {
        self.service.as_ref().ok_or_else(|| Fault::new("it does not serve"))
    }

    fn load(&self, format: &str, file: &Path) -> Result<(Box<dyn Perform>, usize), Fault> {
        let format = Format::named(format)
            .ok_or_else(|| Fault::new(format!("there is no format {format:?}")))?;
        let corpus = read_corpus(file, &CorpusLimits::default())?;
        if corpus.is_empty() {
            return Err(Fault::new(format!("{}: no messages", file.display())));
        }
        let count = corpus.len();
        let contents: Box<dyn Perform> = match (self.identity, format.family()) {
            (Identity::Bare, _) => Box::new(bare::Bytes::new(format, corpus)?),
            (Identity::Trunkline, Family::CustomerServices) => {
                Box::new(Loaded::<CustomerServices>::new(format, corpus)?)
            }
            (Identity::Trunkline, _) => {
                Box::new(Loaded::<MarketDataIncrementalRefresh>::new(format, corpus)?)
            }
            (Identity::Record, Family::CustomerServices) => {
                let format = format.name();
                return Err(Fault::new(format!("records are of market data, not {format}")));
            }
            (Identity::Record, _) => Box::new(Loaded::<Record>::new(format, corpus)?),
        };
        Ok((contents, count))
    }
}

/// Waits for a connection, or for the end of those who asked for it.
fn accept(listener: Option<&Listener>, wait: Wait) -> Result<Stream, Fault> {
    let listener = listener.ok_or_else(|| Fault::new("it does not listen"))?;
    let input = io::stdin();
    loop {
        // Nothing is expected from the input: only its end is told unasked.
        let mut sources = [
            PollFd::from_borrowed_fd(listener.socket(), PollFlags::IN),
            PollFd::new(&input, PollFlags::empty()),
        ];
        match poll(&mut sources, None) {
            Err(rustix::io::Errno::INTR) => continue,
            Err(cause) => return Err(Fault::new(format!("waiting for a connection: {cause}"))),
            Ok(_) => {}
        }
        let [connection, input] = sources.map(|source| source.revents());
        if connection.contains(PollFlags::IN) {
            return Ok(listener.accept(wait)?);
        }
        if !input.is_empty() {
            return Err(Fault::new("the questions ended before anybody connected"));
        }
    }
}

/// Checks what a task says about a count of messages.
fn checked(task: &Task<'_>) -> Result<(), Fault> {
    match task.times() {
        Some(count) if count > trunkline_experiment::definition::MOST_TIMES => {
            let most = trunkline_experiment::definition::MOST_TIMES;
            Err(Fault::new(format!("times of {count} messages are more than {most}")))
        }
        _ => Ok(()),
    }
}
