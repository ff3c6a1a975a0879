//! The closed loop: each thread sends its next request when it has an answer.

use std::collections::VecDeque;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use super::connection::{Connecting, Connection, Failure, told};
use super::request::Request;
use trunkline_bench::clock::{monotonic_nanoseconds, thread_cpu_nanoseconds};
use trunkline_bench::histogram::Times;

/// What is done to a server.
#[derive(Clone, Copy, Debug)]
pub struct Load<'a> {
    /// How it is spoken to.
    pub to: &'a Connecting,
    /// The requests, which go round; each thread begins with another one.
    pub requests: &'a [Request],
    /// Threads, each with a connection of its own.
    pub threads: usize,
    /// Requests that a thread has on their way at the same time: more than one is pipelining.
    pub depth: usize,
    /// A new connection for every call.
    pub is_reconnecting: bool,
    /// Calls of each thread before the clock runs.
    pub warm_up: u32,
    /// When it ends.
    pub until: Until,
}

/// When a load ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// After so many calls of each thread.
    Calls(u64),
    /// After this time: a thread that is calling then still waits for its answer.
    Elapsed(Duration),
}

/// What came of a load.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Answers, all of them right.
    pub calls: u64,
    /// From the first request of any thread to the last answer of any, in nanoseconds.
    pub nanoseconds: u64,
    /// What each call took, from before its request was sent; with a connection for each, from before
    /// that.
    pub times: Times,
    /// Bytes handed to the system.
    pub sent: u64,
    /// Bytes of answers.
    pub received: u64,
    /// Connections that were opened while the clock ran, besides those of the beginning.
    pub reconnections: u64,
    /// CPU time of all threads of the driver.
    pub cpu_nanoseconds: u64,
}

impl Outcome {
    /// Calls a second.
    pub fn rate(&self) -> f64 {
        self.calls as f64 * 1e9 / self.nanoseconds.max(1) as f64
    }
}

impl<'a> Load<'a> {
    /// One call by one thread on a connection that is kept, unless more is asked for.
    pub fn new(to: &'a Connecting, requests: &'a [Request]) -> Self {
        Self {
            to,
            requests,
            threads: 1,
            depth: 1,
            is_reconnecting: false,
            warm_up: 0,
            until: Until::Calls(1),
        }
    }

    /// The bodies of the answers to all requests, one after another on one connection, for a look at
    /// them before anything is timed.
    ///
    /// # Errors
    /// The first that goes wrong.
    pub fn first_answers(&self) -> Result<Vec<Vec<u8>>, Failure> {
        let mut caller = Caller::new(self, 0)?;
        let mut answers = Vec::new();
        for request in self.requests {
            caller.connection.send(request)?;
            answers.push(caller.connection.receive_body()?);
            caller.connection.reopen(self.to)?;
        }
        Ok(answers)
    }

    /// Lets all threads connect and warm up, and then all call until the end.
    ///
    /// # Errors
    /// What went wrong first. A wrong answer is an error, so that nothing wrong is ever counted.
    pub fn run(&self) -> Result<Outcome, Failure> {
        self.run_after(&mut || {})
    }

    /// As [`run`](Self::run); all threads wait for `warmed_up` between the warm-up and the rest.
    ///
    /// # Errors
    /// The same.
    pub fn run_after(&self, warmed_up: &mut dyn FnMut()) -> Result<Outcome, Failure> {
        let connect = |index: usize, is_over: &AtomicBool| -> Result<_, Failure> {
            let mut caller = Caller::new(self, index)?;
            if self.warm_up > 0 {
                caller.call(Until::Calls(self.warm_up.into()), is_over)?;
            }
            caller.outcome = Outcome::default();
            Ok(caller)
        };
        drive(self.threads, warmed_up, connect, |caller, is_over| {
            caller.call(self.until, is_over)?;
            Ok(std::mem::take(&mut caller.outcome))
        })
    }
}

/// Lets all threads `connect` and warm up, waits for `warmed_up`, and then lets all `call` until the end, or until one
/// has failed.
pub(crate) fn drive<C>(
    threads: usize,
    warmed_up: &mut dyn FnMut(),
    connect: impl Fn(usize, &AtomicBool) -> Result<C, Failure> + Sync,
    call: impl Fn(&mut C, &AtomicBool) -> Result<Outcome, Failure> + Sync,
) -> Result<Outcome, Failure> {
    let barrier = Barrier::new(threads + 1);
    let is_over = AtomicBool::new(false);
    let work = |index: usize| -> Result<(u64, u64, Outcome), Failure> {
        let ready = connect(index, &is_over);
        // Who could not begin says so, and does not keep the others waiting.
        is_over.fetch_or(ready.is_err(), Ordering::Relaxed);
        barrier.wait();
        barrier.wait();
        let mut caller = ready?;
        let (start, cpu) = (monotonic_nanoseconds(), thread_cpu_nanoseconds());
        let called = call(&mut caller, &is_over);
        is_over.fetch_or(called.is_err(), Ordering::Relaxed);
        let (outcome, end) = (called?, monotonic_nanoseconds());
        let cpu_nanoseconds = thread_cpu_nanoseconds() - cpu;
        Ok((start, end, Outcome { cpu_nanoseconds, ..outcome }))
    };
    let parts: Vec<Result<(u64, u64, Outcome), Failure>> = thread::scope(|scope| {
        let start = |index| scope.spawn(move || work(index));
        let running: Vec<_> = (0..threads).map(start).collect();
        barrier.wait();
        warmed_up();
        barrier.wait();
        let joined = running.into_iter().map(|thread| thread.join());
        joined.map(|part| part.unwrap_or(Err(Failure::Ended))).collect()
    });
    let mut whole = Outcome::default();
    let (mut first, mut last) = (u64::MAX, 0);
    for part in parts {
        let (start, end, outcome) = part?;
        (first, last) = (first.min(start), last.max(end));
        whole.calls += outcome.calls;
        whole.times.add(&outcome.times);
        whole.sent += outcome.sent;
        whole.received += outcome.received;
        whole.reconnections += outcome.reconnections;
        whole.cpu_nanoseconds += outcome.cpu_nanoseconds;
    }
    whole.nanoseconds = last.saturating_sub(first);
    Ok(whole)
}

/// Calls one after another for so long, or until another thread has failed.
pub(crate) fn one_by_one(
    time: Duration,
    is_over: &AtomicBool,
    mut call: impl FnMut() -> Result<(), Failure>,
) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    let mut now = monotonic_nanoseconds();
    let deadline = now + time.as_nanos() as u64;
    while now < deadline && !is_over.load(Ordering::Relaxed) {
        let begun = monotonic_nanoseconds();
        call()?;
        now = monotonic_nanoseconds();
        outcome.times.record(now - begun);
        outcome.calls += 1;
    }
    Ok(outcome)
}

/// One thread's side.
struct Caller<'a> {
    load: &'a Load<'a>,
    connection: Connection,
    /// Requests without an answer, and when each was sent.
    waiting: VecDeque<(usize, u64)>,
    next: usize,
    outcome: Outcome,
}

impl<'a> Caller<'a> {
    fn new(load: &'a Load<'a>, index: usize) -> Result<Self, Failure> {
        let connection = Connection::open(load.to)?;
        let next = index % load.requests.len().max(1);
        let waiting = VecDeque::with_capacity(load.depth.max(1));
        Ok(Self { load, connection, waiting, next, outcome: Outcome::default() })
    }

    /// Calls until the end, or until another thread has failed.
    fn call(&mut self, until: Until, is_over: &AtomicBool) -> Result<(), Failure> {
        let depth = self.load.depth.max(1);
        let (calls, deadline) = match until {
            Until::Calls(calls) => (calls, u64::MAX),
            Until::Elapsed(time) => {
                let time = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
                (u64::MAX, monotonic_nanoseconds().saturating_add(time))
            }
        };
        let (mut sent, mut now) = (0, monotonic_nanoseconds());
        loop {
            let is_going_on = now < deadline && !is_over.load(Ordering::Relaxed);
            while is_going_on && sent < calls && self.waiting.len() < depth {
                self.send()?;
                sent += 1;
            }
            if self.waiting.is_empty() {
                return Ok(());
            }
            now = self.receive()?;
        }
    }

    #[inline]
    fn send(&mut self) -> Result<(), Failure> {
        let request = &self.load.requests[self.next];
        let start = monotonic_nanoseconds();
        if self.load.is_reconnecting {
            self.connection.reopen(self.load.to)?;
            self.outcome.reconnections += 1;
        }
        self.connection.send(request)?;
        self.outcome.sent += request.bytes.len() as u64;
        self.waiting.push_back((self.next, start));
        self.next = (self.next + 1) % self.load.requests.len();
        Ok(())
    }

    /// Waits for the next answer; returns when it had come.
    #[inline]
    fn receive(&mut self) -> Result<u64, Failure> {
        let Some((index, start)) = self.waiting.pop_front() else { return Err(Failure::Ended) };
        let expected = &self.load.requests[index].answer;
        let (whole, fault) = self.connection.receive(|body, whole| {
            if whole.status == 200 && is_same(body, expected) {
                return None;
            }
            Some(match whole.status {
                200 => Failure::Differs { request: index },
                status => told(status, &body.collect::<Vec<_>>().concat()),
            })
        })?;
        let end = monotonic_nanoseconds();
        if let Some(fault) = fault {
            return Err(fault);
        }
        self.outcome.calls += 1;
        self.outcome.times.record(end - start);
        self.outcome.received += whole.length as u64;
        if whole.closes && !self.load.is_reconnecting {
            if !self.waiting.is_empty() {
                return Err(Failure::Unanswered(self.waiting.len()));
            }
            self.connection.reopen(self.load.to)?;
            self.outcome.reconnections += 1;
        }
        Ok(end)
    }
}

/// Whether the pieces are the expected bytes.
#[inline]
fn is_same(pieces: &mut dyn Iterator<Item = &[u8]>, expected: &[u8]) -> bool {
    let mut rest = expected;
    for piece in pieces {
        let Some(after) = rest.strip_prefix(piece) else { return false };
        rest = after;
    }
    rest.is_empty()
}
