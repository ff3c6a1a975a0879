//! Lines of the log on their way to standard error, by a thread of their own: where nobody reads them
//! they are lost, and who writes them never waits.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread;
use std::time::Duration;

use crate::client::counted_as;

/// Lines that wait. More are lost, and counted.
const LINES: usize = 4096;

/// How long the end of a program waits for the last lines.
const PATIENCE: Duration = Duration::from_secs(1);

enum Item {
    Line(Vec<u8>),
    /// Answered when everything before it is written.
    End(SyncSender<()>),
}

/// Where lines are handed in, from any thread.
#[derive(Clone)]
pub(crate) struct Lines {
    items: SyncSender<Item>,
    lost: Arc<AtomicU64>,
}

impl Lines {
    /// Lines that go to `out`, each in one piece.
    pub(crate) fn to(out: impl Write + Send + 'static) -> io::Result<Self> {
        let (items, coming) = sync_channel(LINES);
        let lost = Arc::new(AtomicU64::new(0));
        let lines = Self { items, lost: Arc::clone(&lost) };
        thread::Builder::new()
            .name("trunkline-log".to_owned())
            .spawn(move || carry(&coming, &lost, out))?;
        Ok(lines)
    }

    /// Waits a moment for what was handed in to be written.
    pub(crate) fn finish(&self) {
        let (written, end) = sync_channel(1);
        // Where the queue is full nobody reads.
        if self.items.try_send(Item::End(written)).is_ok() {
            let _ = end.recv_timeout(PATIENCE);
        }
    }
}

fn carry(coming: &Receiver<Item>, lost: &AtomicU64, mut out: impl Write) {
    for item in coming {
        // A log that cannot be written has nowhere to say so.
        match item {
            Item::Line(line) => _ = out.write_all(&line),
            Item::End(written) => _ = written.send(()),
        }
        match lost.swap(0, Ordering::Relaxed) {
            0 => {}
            count => {
                let lines = counted_as(count, "line of the log was", "lines of the log were");
                let text = format!("{lines} lost: nobody was reading\n");
                let _ = out.write_all(text.as_bytes());
            }
        }
    }
}

impl Write for Lines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if let Err(TrySendError::Full(_)) = self.items.try_send(Item::Line(line.to_vec())) {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes a line when it may, and hands it on.
    struct Gate(Receiver<()>, SyncSender<String>);

    impl Write for Gate {
        fn write(&mut self, line: &[u8]) -> io::Result<usize> {
            let _ = self.0.recv();
            let _ = self.1.send(String::from_utf8_lossy(line).into_owned());
            Ok(line.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn who_writes_does_not_wait_for_who_reads() {
        let (open, gate) = sync_channel(0);
        let (written, read) = sync_channel(2 * LINES);
        let mut lines = Lines::to(Gate(gate, written)).expect("a thread");
        // One line may be in the hands of the thread.
        for number in 0..LINES + 100 {
            lines.write_all(format!("{number}\n").as_bytes()).expect("it never fails");
        }
        drop(open);
        drop(lines);
        let (mut kept, mut lost) = (0, 0);
        for line in read {
            match line.split_once(" lines of the log were lost") {
                Some((count, _)) => lost += count.parse::<usize>().expect("a count"),
                None => kept += 1,
            }
        }
        assert!((LINES..=LINES + 1).contains(&kept), "{kept}");
        assert_eq!(kept + lost, LINES + 100);
    }
}
