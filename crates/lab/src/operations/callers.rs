//! Threads that call, each with a client of its own, and stay from one task to the next.

use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Barrier};
use std::thread::{self, JoinHandle};

use trunkline_bench::clock::monotonic_nanoseconds;
use trunkline_experiment::toolkits::Call;

/// What is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// An operation of the service.
    Call(Call),
    /// echoArray of so many items, whose texts no message had before; the first has this number.
    Distinct { items: u32, first: u64 },
    /// So many bytes there, and so many back.
    Bytes { sent: u32, received: u32 },
}

/// A client for one thread.
pub(crate) trait Port: Send + Sized + 'static {
    /// Makes what is sent.
    fn prepare(&self, asked: &Asked) -> Result<Box<dyn Prepared<Self>>, String>;
}

/// A call that can be made again and again.
pub(crate) trait Prepared<P> {
    /// Calls, and compares the answer with what must come.
    fn call(&mut self, port: &mut P) -> Result<(), String>;
}

/// All of them call for so long; each calls once at least.
struct Task {
    asked: Asked,
    nanoseconds: u64,
    begin: Arc<Barrier>,
}

/// What one thread did.
struct Done {
    begun: u64,
    ended: u64,
    times: Vec<[u64; 1]>,
}

/// What all of them did.
pub(super) struct Outcome {
    /// From the first beginning to the last end.
    pub(super) nanoseconds: u64,
    /// Of every call.
    pub(super) times: Vec<[u64; 1]>,
}

struct Caller {
    tasks: Option<Sender<Task>>,
    done: Receiver<Result<Done, String>>,
    thread: Option<JoinHandle<()>>,
}

/// The threads; they end when this is dropped.
pub(super) struct Callers {
    all: Vec<Caller>,
    /// Texts that are distinct have been used up to here.
    distinct: u64,
}

impl Callers {
    /// Starts so many, each with what `connect` makes.
    pub(super) fn new<P: Port>(
        threads: usize,
        connect: impl Fn() -> Result<P, String>,
    ) -> Result<Self, String> {
        let all: Result<Vec<Caller>, String> =
            (0..threads).map(|_| connect().and_then(Caller::start)).collect();
        Ok(Self { all: all?, distinct: 0 })
    }

    /// Lets all call for so many milliseconds. The first that fails is told.
    pub(super) fn call(&mut self, asked: Asked, milliseconds: u32) -> Result<Outcome, String> {
        let begin = Arc::new(Barrier::new(self.all.len()));
        let nanoseconds = u64::from(milliseconds) * 1_000_000;
        for (index, caller) in self.all.iter().enumerate() {
            let asked = match asked {
                Asked::Distinct { items, .. } => {
                    Asked::Distinct { items, first: self.distinct + ((index as u64) << 48) }
                }
                asked => asked,
            };
            let task = Task { asked, nanoseconds, begin: Arc::clone(&begin) };
            let tasks = caller.tasks.as_ref().ok_or("it has ended")?;
            tasks.send(task).map_err(|_| "a thread has ended")?;
        }
        self.distinct += 1 << 32;
        let done: Vec<Result<Done, String>> = self
            .all
            .iter()
            .map(|it| it.done.recv().unwrap_or(Err("a thread ended".into())))
            .collect();
        let done: Result<Vec<Done>, String> = done.into_iter().collect();
        let done = done?;
        let begun = done.iter().map(|it| it.begun).min().unwrap_or_default();
        let ended = done.iter().map(|it| it.ended).max().unwrap_or_default();
        let times = done.into_iter().flat_map(|it| it.times).collect();
        Ok(Outcome { nanoseconds: ended.saturating_sub(begun), times })
    }
}

impl Caller {
    fn start<P: Port>(mut port: P) -> Result<Self, String> {
        let (tasks, receiver) = mpsc::channel::<Task>();
        let (sender, done) = mpsc::channel();
        let work = move || {
            for task in receiver {
                if sender.send(perform(&mut port, &task)).is_err() {
                    return;
                }
            }
        };
        let thread = thread::Builder::new().name("caller".into()).spawn(work);
        let thread = Some(thread.map_err(|error| error.to_string())?);
        Ok(Self { tasks: Some(tasks), done, thread })
    }
}

impl Drop for Caller {
    fn drop(&mut self) {
        self.tasks = None;
        if let Some(thread) = self.thread.take() {
            _ = thread.join();
        }
    }
}

fn perform<P: Port>(port: &mut P, task: &Task) -> Result<Done, String> {
    let prepared = port.prepare(&task.asked);
    task.begin.wait();
    let mut prepared = prepared?;
    let begun = monotonic_nanoseconds();
    let (mut now, mut times) = (begun, Vec::with_capacity(1 << 10));
    loop {
        prepared.call(port).map_err(|what| format!("call {}: {what}", times.len()))?;
        let before = std::mem::replace(&mut now, monotonic_nanoseconds());
        times.push([now - before]);
        if now - begun >= task.nanoseconds {
            return Ok(Done { begun, ended: now, times });
        }
    }
}
