//! Workers behind one queue.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use super::config::Order;
use super::{Error, Result};

/// Something to do, at most once.
pub(super) type Job = Box<dyn FnOnce() + Send>;

/// Threads that do what is in a queue.
pub(super) struct Pool {
    order: Order,
    shared: Arc<Shared>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

struct Shared {
    queue: Mutex<Queue>,
    ready: Condvar,
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The waiting jobs: in the order of service, and in the order of arrival.
struct Queue {
    order: Order,
    room: usize,
    /// Workers without a job. Jobs that are queued for them are taken at once, and do not wait.
    idle: usize,
    next: BTreeMap<(u64, u64), Job>,
    came: BTreeMap<u64, (Instant, u64)>,
    count: u64,
    closed: bool,
}

impl Queue {
    fn new(order: Order, room: usize, idle: usize) -> Self {
        let (next, came) = (BTreeMap::new(), BTreeMap::new());
        Self { order, room, idle, next, came, count: 0, closed: false }
    }

    /// Takes a job in; gives it back when there is no room.
    fn push(&mut self, rank: u64, now: Instant, job: Job) -> Result<(), Job> {
        if self.closed || self.next.len() >= self.room.saturating_add(self.idle) {
            return Err(job);
        }
        self.next.insert((rank, self.count), job);
        self.came.insert(self.count, (now, rank));
        self.count += 1;
        Ok(())
    }

    fn pop(&mut self, now: Instant) -> Option<Job> {
        let mut key = *self.next.first_key_value()?.0;
        if let Some(patience) = self.order.patience()
            && let Some((&number, &(came, rank))) = self.came.first_key_value()
            && now.saturating_duration_since(came) >= patience
        {
            key = (rank, number);
        }
        self.came.remove(&key.1);
        self.next.remove(&key)
    }
}

impl Pool {
    /// Starts the threads.
    pub(super) fn start(threads: usize, queue: usize, order: Order) -> Result<Self> {
        let threads = threads.max(1);
        let queue = Mutex::new(Queue::new(order, queue, threads));
        let shared = Arc::new(Shared { queue, ready: Condvar::new() });
        let pool = Self { order, shared, threads: Mutex::default() };
        for _ in 0..threads {
            let shared = Arc::clone(&pool.shared);
            let thread = Builder::new().name("http worker".to_owned()).spawn(move || work(&shared));
            let thread = thread.map_err(|cause| Error::System("starting a worker", cause))?;
            pool.threads().push(thread);
        }
        Ok(pool)
    }

    fn threads(&self) -> MutexGuard<'_, Vec<JoinHandle<()>>> {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where a request stands in the queue that has this length, and this rank if ranks decide.
    pub(super) fn place(&self, length: u64, rank: impl FnOnce() -> u64) -> u64 {
        place(self.order, length, rank)
    }

    /// Queues a job at its [place](Self::place); false where the queue is full, and the job is dropped.
    pub(super) fn give(&self, rank: u64, job: Job) -> bool {
        let given = self.shared.queue().push(rank, Instant::now(), job).is_ok();
        if given {
            self.shared.ready.notify_one();
        }
        given
    }

    /// Gives up what is queued and ends the threads. One whose job does not end soon is left to
    /// itself.
    pub(super) fn stop(&self) {
        let mut queue = self.shared.queue();
        queue.closed = true;
        queue.next.clear();
        queue.came.clear();
        drop(queue);
        self.shared.ready.notify_all();
        let until = Instant::now() + Duration::from_millis(200);
        for thread in self.threads().drain(..) {
            while !thread.is_finished() && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.stop();
    }
}

fn work(shared: &Shared) {
    let mut queue = shared.queue();
    loop {
        if let Some(job) = queue.pop(Instant::now()) {
            queue.idle -= 1;
            drop(queue);
            job();
            queue = shared.queue();
            queue.idle += 1;
        } else if queue.closed {
            return;
        } else {
            queue = shared.ready.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

fn place(order: Order, length: u64, rank: impl FnOnce() -> u64) -> u64 {
    match order {
        Order::FirstIn => 0,
        Order::ShortestFirst { .. } => length,
        Order::LowestRank { .. } => rank(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Sender, channel};

    fn say(sender: &Sender<u64>, what: u64) -> Job {
        let sender = sender.clone();
        Box::new(move || sender.send(what).expect("the test listens"))
    }

    /// What comes out of a queue when jobs of these lengths wait, and so many seconds have passed.
    fn order_of(order: Order, lengths: &[u64], seconds: &[u64]) -> Vec<u64> {
        let (sender, receiver) = channel();
        let mut queue = Queue::new(order, lengths.len(), 0);
        let start = Instant::now();
        for &length in lengths {
            let rank = place(order, length, || 0);
            assert!(queue.push(rank, start, say(&sender, length)).is_ok());
        }
        assert!(queue.push(0, start, say(&sender, 0)).is_err(), "there is no more room");
        for &second in seconds {
            queue.pop(start + Duration::from_secs(second)).expect("one for each")();
        }
        drop((sender, queue));
        receiver.iter().collect()
    }

    #[test]
    fn the_order_is_the_one_that_was_asked_for() {
        assert_eq!(order_of(Order::FirstIn, &[3, 1, 2], &[0, 9, 9]), [3, 1, 2]);
        let shortest = Order::ShortestFirst { patience: Duration::from_secs(5) };
        assert_eq!(order_of(shortest, &[3, 1, 2], &[0, 0, 0]), [1, 2, 3]);
        assert_eq!(order_of(shortest, &[3, 1, 2], &[0, 5, 5]), [1, 3, 2], "the patience of 3 ends");
    }

    #[test]
    fn what_idle_workers_take_at_once_does_not_wait() {
        let (sender, _receiver) = channel();
        let mut queue = Queue::new(Order::FirstIn, 1, 2);
        let now = Instant::now();
        for number in 0..3 {
            assert!(queue.push(1, now, say(&sender, number)).is_ok(), "{number}");
        }
        assert!(queue.push(1, now, say(&sender, 3)).is_err(), "two for the workers, and one waits");
    }
}
