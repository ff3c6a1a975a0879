//! A child process that answers lines with lines, within time and memory.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use trunkline_bench::child;

use super::{PeerError, PeerErrorKind};
use crate::processors;

/// Bytes of one answer; the longest is a distribution of times.
const ANSWER_BYTES: u64 = 64 << 10;
/// Lines of standard error that are kept to be quoted.
const COMPLAINT_LINES: usize = 3;
const COMPLAINT_BYTES: u64 = 400;
/// How long a peer may take to end when asked to.
const STOP_TIMEOUT: Duration = Duration::from_secs(2);

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Debug)]
pub(crate) struct Process {
    name: String,
    child: Child,
    questions: Option<ChildStdin>,
    answers: Receiver<Vec<u8>>,
    complaints: Arc<Mutex<VecDeque<String>>>,
    complaint_reader: Option<JoinHandle<()>>,
    timeout: Duration,
    /// Questions that were sent and whose answers have not been collected, and when they were.
    begun: VecDeque<(String, Instant)>,
    /// From the last question that was answered until its answer had come.
    took: Duration,
    /// How it ended, once it did.
    ended: Option<String>,
}

impl Process {
    pub(crate) fn start(
        name: &str,
        program: &Path,
        arguments: &[&str],
        folder: &Path,
        timeout: Duration,
    ) -> io::Result<Self> {
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = child::spawn(&mut command, folder)?;
        let (sender, answers) = mpsc::sync_channel(1);
        if let Some(output) = child.stdout.take() {
            thread::spawn(move || read_answers(output, &sender));
        }
        let complaints = Arc::new(Mutex::new(VecDeque::new()));
        let complaint_reader = child.stderr.take().map(|output| {
            let complaints = Arc::clone(&complaints);
            thread::spawn(move || read_complaints(output, &complaints))
        });
        let questions = child.stdin.take();
        let name = name.to_owned();
        Ok(Self {
            name,
            child,
            questions,
            answers,
            complaints,
            complaint_reader,
            timeout,
            begun: VecDeque::new(),
            took: Duration::ZERO,
            ended: None,
        })
    }

    /// Of the processors that this process may use, the peer may use number `index`, counted round.
    pub(crate) fn pin(&self, index: usize) {
        let allowed = processors::allowed();
        let processor = allowed.get(index % allowed.len().max(1));
        processors::run_on(Some(self.id()), &processor.copied().into_iter().collect::<Vec<_>>());
    }

    /// The peer may use all processors that this process may use.
    pub(crate) fn unpin(&self) {
        processors::run_on(Some(self.id()), &processors::allowed());
    }

    pub(super) fn kill(&mut self) {
        if self.ended.is_none() {
            self.kill_and_wait();
            self.ended = Some("had been killed".into());
        }
    }

    /// How long the last question took that was answered, by our clock.
    pub(super) fn took(&self) -> Duration {
        self.took
    }

    /// Its number in the system.
    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(super) fn set_timeout(&mut self, timeout: Duration) {
        self.timeout = timeout;
    }

    /// Sends a line and waits for the answer, which is not an `error`. Answers that nobody has
    /// collected are thrown away.
    pub(crate) fn ask(&mut self, question: &str) -> Result<String, PeerError> {
        while !self.begun.is_empty() {
            let _ = self.finish();
        }
        self.begin(question)?;
        self.finish().map(|(_, answer)| answer)
    }

    /// Sends a line, and leaves the answer for [`finish`](Self::finish).
    pub(crate) fn begin(&mut self, question: &str) -> Result<(), PeerError> {
        let asked = Instant::now();
        if self.ended.is_none() && self.send(question).is_err() {
            self.note_end();
        }
        if let Some(how) = &self.ended {
            return Err(self.failed(question, PeerErrorKind::Ended(how.clone())));
        }
        self.begun.push_back((question.to_owned(), asked));
        Ok(())
    }

    /// Waits for the answer to the earliest question that was begun; returns both. The answer is not
    /// an `error`.
    pub(crate) fn finish(&mut self) -> Result<(String, String), PeerError> {
        let (question, asked) = self.begun.pop_front().unwrap_or((String::new(), Instant::now()));
        if let Some(how) = &self.ended {
            return Err(self.failed(&question, PeerErrorKind::Ended(how.clone())));
        }
        match self.answers.recv_timeout(self.timeout) {
            Ok(line) => {
                self.took = asked.elapsed();
                self.answer(&question, line).map(|answer| (question, answer))
            }
            Err(RecvTimeoutError::Timeout) => {
                self.kill_and_wait();
                self.ended = Some("had been killed after a time-out".into());
                Err(self.failed(&question, PeerErrorKind::TimedOut(self.timeout)))
            }
            Err(RecvTimeoutError::Disconnected) => {
                let how = self.note_end();
                Err(self.failed(&question, PeerErrorKind::Ended(how)))
            }
        }
    }

    fn send(&mut self, question: &str) -> io::Result<()> {
        let Some(questions) = &mut self.questions else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        questions.write_all(format!("{question}\n").as_bytes())?;
        questions.flush()
    }

    fn answer(&self, question: &str, mut line: Vec<u8>) -> Result<String, PeerError> {
        let is_whole = line.pop_if(|last| *last == b'\n').is_some();
        line.pop_if(|last| *last == b'\r');
        let text = String::from_utf8_lossy(&line).into_owned();
        if !is_whole {
            let expected = format!("a line of at most {ANSWER_BYTES} bytes");
            return Err(self.unexpected(question, &text, &expected));
        }
        match text.strip_prefix("error ") {
            Some(fault) => {
                Err(self.failed(question, PeerErrorKind::Rejected(shortened(fault, 400))))
            }
            None => Ok(text),
        }
    }

    pub(super) fn failed(&self, question: &str, kind: PeerErrorKind) -> PeerError {
        let complaints = locked(&self.complaints);
        let complaint: Vec<&str> = complaints.iter().map(String::as_str).collect();
        PeerError {
            peer: self.name.clone(),
            asked: shortened(question, 100),
            kind: Box::new(kind),
            complaint: (!complaint.is_empty()).then(|| complaint.join(" / ")),
        }
    }

    pub(super) fn unexpected(&self, question: &str, answer: &str, expected: &str) -> PeerError {
        let (answer, expected) = (shortened(answer, 100), expected.to_owned());
        self.failed(question, PeerErrorKind::Unexpected { answer, expected })
    }

    pub(super) fn incredible(&self, question: &str, answer: &str, expected: &str) -> PeerError {
        let (answer, expected) = (shortened(answer, 100), expected.to_owned());
        self.failed(question, PeerErrorKind::Incredible { answer, expected })
    }

    /// The peer closed its output or its input: it ended or is about to.
    fn note_end(&mut self) -> String {
        let how = match self.wait(STOP_TIMEOUT) {
            Some(status) => describe(status),
            None => "closed its output".to_owned(),
        };
        self.kill_and_wait();
        self.ended = Some(how.clone());
        how
    }

    fn wait(&mut self, limit: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + limit;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(5)),
                _ => return None,
            }
        }
    }

    pub(crate) fn stop(&mut self) {
        if self.ended.is_none() && self.send("stop").is_ok() {
            self.questions = None;
            self.wait(STOP_TIMEOUT);
        }
        // Drop does the rest.
    }

    /// Kills the whole group, children of the peer included, and reaps the peer.
    fn kill_and_wait(&mut self) {
        child::end(&mut self.child);
        // The group is dead, so that its standard error is at its end, and its last words are all
        // there, unless a child has left the group and holds on to it.
        if let Some(reader) = self.complaint_reader.take() {
            let deadline = Instant::now() + STOP_TIMEOUT;
            while !reader.is_finished() && Instant::now() < deadline {
                thread::sleep(Duration::from_millis(1));
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill_and_wait();
    }
}

fn describe(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("ended with status {code}"),
        (None, Some(signal)) => format!("was killed by signal {signal}"),
        (None, None) => "ended".to_owned(),
    }
}

fn shortened(text: &str, characters: usize) -> String {
    let mut short: String = text.chars().take(characters).collect();
    if short.len() < text.len() {
        short.push_str("...");
    }
    short.replace(char::is_control, " ")
}

fn read_answers(output: impl Read, answers: &SyncSender<Vec<u8>>) {
    let mut output = BufReader::new(output);
    loop {
        let mut line = Vec::new();
        let read = (&mut output).take(ANSWER_BYTES).read_until(b'\n', &mut line);
        if !matches!(read, Ok(1..)) || answers.send(line).is_err() {
            return;
        }
    }
}

fn read_complaints(output: impl Read, complaints: &Mutex<VecDeque<String>>) {
    let mut output = BufReader::new(output);
    loop {
        let mut line = Vec::new();
        let read = (&mut output).take(COMPLAINT_BYTES).read_until(b'\n', &mut line);
        if !matches!(read, Ok(1..)) {
            return;
        }
        let text = shortened(String::from_utf8_lossy(&line).trim(), COMPLAINT_BYTES as usize);
        if !text.is_empty() {
            let mut complaints = locked(complaints);
            complaints.push_back(text);
            while complaints.len() > COMPLAINT_LINES {
                complaints.pop_front();
            }
        }
    }
}
