//! Performs a journal's disk work: at once, or on threads of its own.

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use rustix::io::Errno;

use crate::disk::{Disk, Folder, read_part};
use crate::journal::{Commit, Done, Task};
use crate::segment::segment_name;

/// The pause of a commit that waits for a file handle, and the number of pauses.
const PAUSE: Duration = Duration::from_millis(50);
const PAUSES: u32 = 60 * 20;

/// Writes a commit.
///
/// If the process has too many files open, it waits for up to a minute: no byte was written, and nothing is
/// lost yet.
///
/// # Errors
///
/// The disk's error; it is then unknown what is on the disk.
pub fn commit(disk: &mut dyn Disk, commit: &Commit) -> Result<(), String> {
    for chunk in &commit.chunks {
        let name = segment_name(chunk.at.segment);
        let mut pauses = 0;
        let written = loop {
            let written = disk.write(&name, chunk.at.offset.into(), &chunk.bytes);
            if pauses == PAUSES || !written.as_ref().is_err_and(is_for_lack_of_handles) {
                break written;
            }
            pauses += 1;
            thread::sleep(PAUSE);
        };
        written.map_err(|error| format!("writing {name}: {error}"))?;
    }
    Ok(())
}

/// Whether a file could not be opened because too many are open; no other error means that.
fn is_for_lack_of_handles(error: &io::Error) -> bool {
    [Errno::MFILE, Errno::NFILE].map(|it| Some(it.raw_os_error())).contains(&error.raw_os_error())
}

/// Performs a background task.
pub fn task(disk: &mut dyn Disk, task: &Task) -> Done {
    let (segment, index) = task.names();
    let well = |result: io::Result<()>, what: &str| match result {
        Ok(()) => Done::Well,
        Err(error) => {
            let text = format!("{what}: {error}");
            let no_room = [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded];
            if no_room.contains(&error.kind()) { Done::NoRoom(text) } else { Done::Failed(text) }
        }
    };
    match task {
        Task::Prepare { head, bytes, .. } => {
            let what = format!("making {segment} with {bytes} bytes");
            well(disk.create(&segment, head, (*bytes).into()), &what)
        }
        Task::Seal { index: bytes, .. } => {
            well(disk.replace(&index, bytes), &format!("writing {index}"))
        }
        Task::Remove { .. } => {
            // There may be no index.
            let _ = disk.remove(&index);
            well(disk.remove(&segment), &format!("removing {segment}"))
        }
        Task::Read { at, bytes } => match read_part(disk, &segment, at.offset.into(), *bytes) {
            Ok(read) => Done::Read(read),
            Err(error) => Done::Unread(format!("reading {segment}: {error}")),
        },
    }
}

/// A result.
#[derive(Debug)]
pub enum Outcome {
    /// Of a commit.
    Committed(Result<(), String>),
    /// Of a background task.
    Task(Done),
}

/// Three threads for a folder: one writes what acknowledgements wait for, one reads what consumers wait for,
/// and one creates, seals and removes segments, which takes longest.
///
/// They end when this is dropped, after the work that they were given.
#[derive(Debug)]
pub struct Workers {
    commits: Option<Sender<Commit>>,
    reads: Option<Sender<Task>>,
    tasks: Option<Sender<Task>>,
    outcomes: Receiver<Outcome>,
    threads: Vec<thread::JoinHandle<()>>,
}

impl Workers {
    /// Starts the threads; they call `wake` whenever there is an outcome.
    ///
    /// # Errors
    ///
    /// A thread cannot be started.
    pub fn start(folder: &Folder, wake: impl Fn() + Clone + Send + 'static) -> io::Result<Self> {
        let (commits, to_commit) = channel::<Commit>();
        let (done, outcomes) = channel();
        let (mut disk, finished, call) = (folder.clone(), done.clone(), wake.clone());
        let writer = move || {
            for it in to_commit {
                let result = commit(&mut disk, &it);
                // The caller may be gone.
                let _ = finished.send(Outcome::Committed(result));
                call();
            }
        };
        let helper = || {
            let (tasks, to_do) = channel::<Task>();
            let (mut disk, done, wake) = (folder.clone(), done.clone(), wake.clone());
            let work = move || {
                for it in to_do {
                    let outcome = task(&mut disk, &it);
                    // The other helper may remove what this one has read.
                    disk.close();
                    let _ = done.send(Outcome::Task(outcome));
                    wake();
                }
            };
            (tasks, work)
        };
        let ((reads, reader), (tasks, background)) = (helper(), helper());
        let threads = vec![
            thread::Builder::new().name("journal".to_owned()).spawn(writer)?,
            thread::Builder::new().name("journal-reads".to_owned()).spawn(reader)?,
            thread::Builder::new().name("journal-background".to_owned()).spawn(background)?,
        ];
        let (commits, reads, tasks) = (Some(commits), Some(reads), Some(tasks));
        Ok(Self { commits, reads, tasks, outcomes, threads })
    }

    /// Passes on a commit.
    pub fn commit(&self, commit: Commit) {
        if let Some(commits) = &self.commits {
            // The thread lives as long as this.
            let _ = commits.send(commit);
        }
    }

    /// Passes on a background task.
    pub fn task(&self, task: Task) {
        let helper = if matches!(task, Task::Read { .. }) { &self.reads } else { &self.tasks };
        if let Some(helper) = helper {
            let _ = helper.send(task);
        }
    }

    /// The next outcome, if there is one.
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcomes.try_recv().ok()
    }

    /// Waits for the next outcome.
    pub fn wait(&self) -> Option<Outcome> {
        self.outcomes.recv().ok()
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        (self.commits, self.reads, self.tasks) = (None, None, None);
        for thread in self.threads.drain(..) {
            // A panicked thread has reported it.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::journal::{Options, Room};
    use crate::record::{Address, Record};

    #[test]
    fn workers_end_with_all_that_they_were_given_done() {
        let path = std::env::temp_dir().join(format!("trunkline-workers-{}", std::process::id()));
        let mut folder = Folder::open(&path).expect("a folder");
        let options = || Options { segment_bytes: 64 << 10, ..Options::default() };
        let mut apply = |_: Address, _: &Record<'_>| true;
        let (mut journal, _) =
            crate::open(&mut folder, options(), 7, 1, &mut apply).expect("it is empty");
        let woken = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&woken);
        let workers = Workers::start(&folder, move || {
            // Long enough to detect a caller that does not wait.
            thread::sleep(Duration::from_millis(20));
            counter.fetch_add(1, Ordering::SeqCst);
        })
        .expect("threads");
        drop(folder);
        workers.task(journal.next_task(0).expect("the first segment"));
        let Some(Outcome::Task(done)) = workers.wait() else { panic!("that was a task") };
        journal.task_done(0, done);
        assert_eq!(journal.make_room(4), Ok(Room::NewSegment));
        journal.begin_segment(0, Some((1, b"state"))).expect("room");
        journal.append(0, 2, &[b"body"]);
        workers.commit(journal.next_commit().expect("two records"));
        drop(workers);
        assert_eq!(woken.load(Ordering::SeqCst), 2, "of the task and of the commit");
        let mut folder = Folder::open(&path).expect("nobody has it any more");
        let mut bodies = Vec::new();
        let mut apply = |_: Address, record: &Record<'_>| {
            bodies.push(record.body.to_vec());
            true
        };
        crate::open(&mut folder, options(), 7, 1, &mut apply).expect("a journal");
        assert_eq!(bodies, [&b"state"[..], b"body"]);
        std::fs::remove_dir_all(&path).expect("removed");
    }
}
