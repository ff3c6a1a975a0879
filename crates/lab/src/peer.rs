//! Peers: other people's codecs, each a small program of its own, spoken to over its standard input
//! and output: `peers/PROTOCOL.md` has all that they are asked and answer.
//!
//! ```text
//! > hello              < hello NAME VERSION FORMAT[,FORMAT]
//! > load FORMAT FILE   < loaded COUNT
//! > echo FILE          < echoed COUNT
//! > run decode N       < nanoseconds,count
//! > stop               (ends)
//! ```
//!
//! A peer times itself, by the CPU time of its thread. It is believed between bounds that are seen from
//! outside, and in nothing else: the count of what it timed and the messages that it echoes are checked here,
//! some of them in bytes that it cannot have got by copying.

mod claim;
mod discovery;
mod disguise;
mod files;
mod network;
mod operations;
pub(crate) mod process;
mod service;
mod session;
mod subject;

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::path::Path;
use std::time::Duration;
use std::{error, fmt, io};

use crate::experiment::{Operation, Sample};
pub(crate) use claim::Used;
pub use discovery::{Discovery, NoSuchFolder};
pub use files::{CorpusLimits, FileError, read_corpus, read_times, write_corpus, write_times};
pub use network::{Carried, Flow, Paced, Reply, RoundTrip};
pub(crate) use operations::Called;
use process::Process;
pub use service::{Serving, Stages};
pub(crate) use session::Measured;
pub use subject::PeerSubject;
use trunkline_bench::folder::PrivateFolder;
use trunkline_experiment::format::Format;
use trunkline_random::Random;

/// How long a peer may take for one answer unless told otherwise.
pub const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);

/// Messages that are sent in other bytes, to see that a peer does not copy.
const DISGUISED: usize = 3;

/// A running peer that has introduced itself. It is killed, with all its children, when dropped.
#[derive(Debug)]
pub struct Peer {
    process: Process,
    greeting: Greeting,
    folder: PrivateFolder,
    loaded: u64,
    /// Whether all messages are decoded into one.
    reuses: bool,
}

/// What a peer says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Greeting {
    /// Its name, such as `gsoap-best`.
    pub name: String,
    /// Version of the software that it stands for.
    pub version: String,
    /// The wire formats that it can load, such as `soap-rpc`.
    pub formats: Vec<String>,
}

/// Why a peer did not do what it was asked; prints as one line that names the peer, what it was
/// asked, and the last that it said on its standard error.
#[derive(Debug)]
pub struct PeerError {
    peer: String,
    asked: String,
    kind: Box<PeerErrorKind>,
    complaint: Option<String>,
}

/// What went wrong with a peer.
#[derive(Debug)]
#[non_exhaustive]
pub enum PeerErrorKind {
    /// The program could not be started.
    NotStarted(io::Error),
    /// There was no answer in time. The peer has been killed.
    TimedOut(Duration),
    /// The peer ended: by itself, by a signal, or by an earlier time-out.
    Ended(String),
    /// The peer answered `error` with this text. It goes on.
    Rejected(String),
    /// The answer is not one that the protocol allows.
    Unexpected {
        /// The answer, shortened.
        answer: String,
        /// What should have come.
        expected: String,
    },
    /// The peer does not do what it is timed for: how that was found.
    Untrue(String),
    /// The peer says that its work took what it cannot have taken.
    Incredible {
        /// The answer, shortened.
        answer: String,
        /// What can be.
        expected: String,
    },
    /// The peer changes a value: which.
    WrongAnswer(String),
    /// Messages or times could not be exchanged.
    File(FileError),
    /// No folder for the corpora could be made.
    Folder(io::Error),
}

impl PeerError {
    /// Whether the peer was found not to do what it says.
    pub fn is_untrue(&self) -> bool {
        matches!(&*self.kind, PeerErrorKind::Untrue(_) | PeerErrorKind::Incredible { .. })
    }

    /// Whether the peer will not encode what it decodes.
    pub(crate) fn is_decoder(&self) -> bool {
        matches!(&*self.kind, PeerErrorKind::Rejected(text) if text.starts_with("cannot encode"))
    }

    /// What went wrong.
    pub fn kind(&self) -> &PeerErrorKind {
        &self.kind
    }
}

impl fmt::Display for PeerError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { peer, asked, kind, complaint } = self;
        match kind.as_ref() {
            PeerErrorKind::NotStarted(cause) => {
                write!(out, "peer {peer} cannot be started: {cause}")?
            }
            PeerErrorKind::TimedOut(limit) => {
                let seconds = limit.as_secs_f64();
                write!(
                    out,
                    "peer {peer} did not answer {asked:?} within {seconds} s and was killed"
                )?;
            }
            PeerErrorKind::Ended(how) => write!(out, "peer {peer} {how} when asked {asked:?}")?,
            PeerErrorKind::Rejected(text) => write!(out, "peer {peer} cannot {asked:?}: {text}")?,
            PeerErrorKind::Unexpected { answer, expected }
            | PeerErrorKind::Incredible { answer, expected } => {
                write!(out, "peer {peer} answered {asked:?} by {answer:?}; expected {expected}")?;
            }
            PeerErrorKind::Untrue(how) | PeerErrorKind::WrongAnswer(how) => {
                write!(out, "peer {peer} {how} when asked {asked:?}")?
            }
            PeerErrorKind::File(cause) => write!(out, "peer {peer} asked {asked:?}: {cause}")?,
            PeerErrorKind::Folder(cause) => {
                write!(out, "peer {peer}: no temporary folder can be made: {cause}")?;
            }
        }
        match complaint {
            Some(complaint) => write!(out, "; its last words: {complaint}"),
            None => Ok(()),
        }
    }
}

impl error::Error for PeerError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self.kind.as_ref() {
            PeerErrorKind::NotStarted(cause) | PeerErrorKind::Folder(cause) => Some(cause),
            PeerErrorKind::File(cause) => Some(cause),
            _ => None,
        }
    }
}

impl Peer {
    /// Starts `program` and lets it introduce itself. `name` is what errors call it.
    ///
    /// # Errors
    /// As for every question: see [`PeerErrorKind`].
    pub fn start(name: &str, program: &Path, timeout: Duration) -> Result<Self, PeerError> {
        Self::start_with(name, program, &[], timeout)
    }

    /// As [`start`](Self::start), for a program that takes arguments.
    ///
    /// # Errors
    /// The same.
    pub fn start_with(
        name: &str,
        program: &Path,
        arguments: &[&str],
        timeout: Duration,
    ) -> Result<Self, PeerError> {
        let failed = |kind| PeerError {
            peer: name.to_owned(),
            asked: "hello".to_owned(),
            kind: Box::new(kind),
            complaint: None,
        };
        let folder = PrivateFolder::new().map_err(|cause| failed(PeerErrorKind::Folder(cause)))?;
        let mut process = Process::start(name, program, arguments, folder.path(), timeout)
            .map_err(|cause| failed(PeerErrorKind::NotStarted(cause)))?;
        let answer = process.ask("hello")?;
        let Some(greeting) = Greeting::parse(&answer) else {
            let expected = "hello NAME VERSION FORMAT[,FORMAT]";
            return Err(process.unexpected("hello", &answer, expected));
        };
        Ok(Self { process, greeting, folder, loaded: 0, reuses: false })
    }

    /// What the peer said about itself.
    pub fn greeting(&self) -> &Greeting {
        &self.greeting
    }

    /// Lets the peer run on one processor only: of those that this process may use, number `index`,
    /// counted round. Where that is not allowed, the scheduler goes on choosing.
    pub fn pin(&self, index: usize) {
        self.process.pin(index);
    }

    /// Lets the peer run on all processors that this process may use.
    pub fn unpin(&self) {
        self.process.unpin();
    }

    /// Kills the peer. Every later question fails.
    pub fn kill(&mut self) {
        self.process.kill();
    }

    /// From now on, lets the peer take `timeout` for one answer.
    pub fn set_timeout(&mut self, timeout: Duration) {
        self.process.set_timeout(timeout);
    }

    /// Hands the peer `messages` in `format`. It decodes each into its own structures and keeps
    /// them, in place of those loaded before.
    ///
    /// # Errors
    /// See [`PeerErrorKind`]; a count other than the number of messages is unexpected.
    pub fn load<M: AsRef<[u8]>>(&mut self, format: &str, messages: &[M]) -> Result<(), PeerError> {
        let file = self.folder.path().join("load");
        let question = format!("load {format} {}", file.display());
        self.loaded = 0;
        write_corpus(&file, messages).map_err(|cause| self.file_failed(&question, cause))?;
        let count = messages.len() as u64;
        self.counted(&question, "loaded", count)?;
        self.loaded = count;
        Ok(())
    }

    /// The loaded messages as the peer encodes them.
    ///
    /// # Errors
    /// See [`PeerErrorKind`]; another number of messages than was loaded is unexpected.
    pub fn echo(&mut self) -> Result<Vec<Vec<u8>>, PeerError> {
        let file = self.folder.path().join("echo");
        let verb = if self.reuses { "echo-reused" } else { "echo" };
        let question = format!("{verb} {}", file.display());
        self.counted(&question, "echoed", self.loaded)?;
        let messages = read_corpus(&file, &CorpusLimits::default())
            .map_err(|cause| self.file_failed(&question, cause))?;
        if messages.len() as u64 != self.loaded {
            let answer = format!("a file of {} messages", messages.len());
            let expected = format!("a file of {} messages", self.loaded);
            return Err(self.process.unexpected(&question, &answer, &expected));
        }
        Ok(messages)
    }

    /// From now on, lets the peer decode all messages into one when it is timed, and before it echoes
    /// them. One that cannot rejects both.
    pub fn reuse_messages(&mut self) {
        self.reuses = true;
    }

    /// Lets the peer time `passes` passes over the loaded messages.
    ///
    /// # Errors
    /// See [`PeerErrorKind`]; a count other than passes times messages is unexpected, and a time that cannot be
    /// is incredible. What other threads of the peer did meanwhile is charged to it.
    pub fn run(&mut self, operation: Operation, passes: u32) -> Result<Sample, PeerError> {
        let reused = operation == Operation::Decode && self.reuses;
        let reused = if reused { " reused" } else { "" };
        let question = format!("run {} {passes}{reused}", operation.name());
        let before = Used::of(self.process.id());
        let answer = self.process.ask(&question)?;
        let after = Used::of(self.process.id());
        let count = self.loaded * u64::from(passes);
        let sample = numbers(&answer, ',').map(|[nanoseconds, messages]| Sample {
            nanoseconds,
            messages,
            by_others: 0,
        });
        let Some(sample) = sample.filter(|sample| sample.messages == count) else {
            let expected = format!("nanoseconds,{count}");
            return Err(self.process.unexpected(&question, &answer, &expected));
        };
        let used = before.as_ref().zip(after.as_ref());
        let doubt = claim::too_long(sample.nanoseconds, self.process.took())
            .or_else(|| claim::too_short(sample.nanoseconds, sample.messages, used));
        match doubt {
            None => {
                let nanoseconds = claim::charged(sample.nanoseconds, used);
                Ok(Sample { nanoseconds, by_others: nanoseconds - sample.nanoseconds, ..sample })
            }
            Some(expected) => Err(self.process.incredible(&question, &answer, &expected)),
        }
    }

    /// Finds out whether the peer decodes and encodes, or copies: a few of the messages are loaded in other
    /// bytes with the same values, in which they must not come back. What was loaded before is dropped.
    ///
    /// # Errors
    /// See [`PeerErrorKind`]: [`Untrue`](PeerErrorKind::Untrue) if it copies,
    /// [`WrongAnswer`](PeerErrorKind::WrongAnswer) if it changes a value.
    pub fn try_disguised<M: AsRef<[u8]>>(
        &mut self,
        format: &str,
        messages: &[M],
    ) -> Result<(), PeerError> {
        let Some(known) = Format::named(format) else { return Ok(()) };
        // What nobody can know in advance.
        let mut random = Random::new(RandomState::new().build_hasher().finish());
        let sent: Vec<(&[u8], Vec<u8>)> = messages
            .iter()
            .take(DISGUISED)
            .filter_map(|message| {
                let message = message.as_ref();
                Some((message, disguise::disguised(known, message, &mut random)?))
            })
            .collect();
        if sent.is_empty() {
            return Ok(());
        }
        let corpus: Vec<&[u8]> = sent.iter().map(|(_, other)| &other[..]).collect();
        self.load(format, &corpus)?;
        let came = self.echo()?;
        for (index, ((message, other), came)) in sent.iter().zip(&came).enumerate() {
            let kind = if came == other {
                let how = "copies its input and encodes nothing, as in message";
                PeerErrorKind::Untrue(format!("{how} {index}"))
            } else if let Err(what) = disguise::same(known, message, came) {
                PeerErrorKind::WrongAnswer(format!("changes a value ({what}) of message {index}"))
            } else {
                continue;
            };
            return Err(self.process.failed("echo", kind));
        }
        Ok(())
    }

    /// Asks the peer to end and waits for it for a moment; a peer that does not is killed.
    pub fn stop(mut self) {
        self.process.stop();
    }

    /// What the peer answers.
    fn parsed<T>(
        &mut self,
        question: &str,
        expected: &str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, PeerError> {
        let answer = self.process.ask(question)?;
        parse(&answer).ok_or_else(|| self.process.unexpected(question, &answer, expected))
    }

    fn counted(&mut self, question: &str, verb: &str, count: u64) -> Result<(), PeerError> {
        let expected = format!("{verb} {count}");
        self.parsed(question, &expected, |answer| (answer == expected).then_some(()))
    }

    fn file_failed(&self, question: &str, cause: FileError) -> PeerError {
        self.process.failed(question, PeerErrorKind::File(cause))
    }
}

/// The port that a peer says it has.
fn port(answer: &str, verb: &str) -> Option<u16> {
    answer.strip_prefix(verb)?.parse().ok().filter(|port| *port != 0)
}

/// So many numbers, and nothing else.
fn numbers<const N: usize>(text: &str, separator: char) -> Option<[u64; N]> {
    let numbers: Option<Vec<u64>> = text.split(separator).map(|it| it.parse().ok()).collect();
    numbers?.try_into().ok()
}

impl Greeting {
    fn parse(answer: &str) -> Option<Self> {
        let mut words = answer.split(' ');
        let (Some("hello"), Some(name), Some(version), Some(formats), None) =
            (words.next(), words.next(), words.next(), words.next(), words.next())
        else {
            return None;
        };
        let formats: Vec<String> = formats.split(',').map(str::to_owned).collect();
        let complete =
            !name.is_empty() && !version.is_empty() && !formats.iter().any(String::is_empty);
        complete.then(|| Self { name: name.to_owned(), version: version.to_owned(), formats })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_greeting_has_four_words() {
        let greeting = Greeting::parse("hello gsoap-best 2.8.124 soap-rpc,soap-doc").expect("good");
        assert_eq!((greeting.name.as_str(), greeting.version.as_str()), ("gsoap-best", "2.8.124"));
        assert_eq!(greeting.formats, ["soap-rpc", "soap-doc"]);
        for bad in [
            "",
            "hello",
            "hello x 1",
            "hello  1 fix",
            "hello x 1 fix more",
            "hello x 1 fix,",
            "olleh x 1 fix",
        ] {
            assert_eq!(Greeting::parse(bad), None, "{bad}");
        }
    }
}
