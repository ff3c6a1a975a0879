//! Standard output for who wants the newest: what is printed and not read is no older than it must be.
//!
//! A pipe holds 64 KiB, thousands of lines that nothing newer can replace. It is made as small as it can be,
//! a page, and each piece that is written is waited for until it is read: only then does the next
//! message count as taken.

use std::io;
use std::os::fd::AsFd as _;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FileType, fstat};

use crate::signals::Stop;

/// Lines gather for so long while they are read as fast as they come.
const GATHERED_FOR: Duration = Duration::from_millis(1);

/// Bytes that gather at most: half of what the smallest pipe holds.
const GATHERED: usize = 2 << 10;

/// How long a wait for a reader lasts before it is looked whether the user wants an end.
const LOOK_AGAIN: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

/// Standard output of one that conflates.
pub(super) struct NewestOutput {
    is_pipe: bool,
    stop: Stop,
    written: Instant,
}

impl NewestOutput {
    pub(super) fn new(stop: &Stop) -> Self {
        let out = io::stdout();
        let is_pipe =
            fstat(&out).is_ok_and(|it| FileType::from_raw_mode(it.st_mode) == FileType::Fifo);
        #[cfg(target_os = "linux")]
        if is_pipe {
            // Where the system does not do it, the pipe holds more.
            let _ = rustix::pipe::fcntl_setpipe_size(&out, 4 << 10);
        }
        Self { is_pipe, stop: stop.clone(), written: Instant::now() }
    }

    /// Whether what has gathered is to be written now.
    pub(super) fn is_due(&self, gathered: usize) -> bool {
        gathered >= GATHERED || self.written.elapsed() >= GATHERED_FOR
    }

    /// Something was written: waits until it is read, if it can be known.
    pub(super) fn wait_until_read(&mut self) {
        while self.is_pipe && !self.stop.is_asked() {
            // The one page of the pipe is free when all of it is read.
            let out = io::stdout();
            let mut pipe = [PollFd::from_borrowed_fd(out.as_fd(), PollFlags::OUT)];
            match poll(&mut pipe, Some(&LOOK_AGAIN)) {
                Ok(0) | Err(rustix::io::Errno::INTR) => {}
                // Room; or nobody reads any more, which the next write meets.
                _ => break,
            }
        }
        self.written = Instant::now();
    }
}
