//! Messages in one direction, as many as go through.

use trunkline_message::Limits;
use trunkline_net::tcp::{Receiver, Sender, Stream, Wait};

use super::codec::{Load, Work, decode_new};
use super::fault::Fault;
use crate::format::{Decode, Encode};
use crate::peer::Carried;
use trunkline_bench::clock::{monotonic_nanoseconds, thread_cpu_nanoseconds};

/// Receives until the other side ends.
pub(super) fn drain<M: Load, E: Encode, D: Decode>(
    work: Work<'_, M, E, D>,
    stream: Stream,
    carried: Carried,
    slow: Option<f64>,
) -> Result<String, Fault> {
    let mut receiver = Receiver::new(stream, D::Framer::default(), Limits::default());
    let mut message = M::empty();
    let mut span = Span::default();
    let mut count = 0_u64;
    let mut handicap = Handicap::of(slow);
    while receiver.fill()? {
        span.begin();
        while let Some(bytes) = receiver.take()? {
            if carried == Carried::Structures {
                let decoded = decode_new(work.decoder, bytes, &mut message);
                decoded.map_err(|error| Fault::at(count, error))?;
            }
            count += 1;
        }
        handicap.idle();
        span.mark();
    }
    Ok(span.answer("drained", count))
}

/// Sends `count` messages, then waits until the other side has ended too.
pub(super) fn pour<M: Load, E: Encode, D: Decode>(
    work: Work<'_, M, E, D>,
    address: &str,
    count: u64,
    carried: Carried,
    slow: Option<f64>,
) -> Result<String, Fault> {
    let mut sender = Sender::<D::Framer>::new(Stream::connect(address, Wait::Blocking)?);
    let mut span = Span::default();
    match carried {
        Carried::Structures => {
            span.begin();
            let mut handicap = Handicap::of(slow);
            for (index, message) in (0..count).zip(work.messages.iter().cycle()) {
                let bytes = work.encoder.encode(message);
                sender.send(bytes.map_err(|error| Fault::at(index, error))?)?;
                handicap.idle();
            }
        }
        Carried::Bytes => {
            let encoded = work.encoded()?;
            span.begin();
            for bytes in encoded.iter().cycle().take(count as usize) {
                sender.send(bytes)?;
            }
        }
    }
    span.mark();
    let answer = span.answer("poured", count);
    finish(sender.stream())?;
    Ok(answer)
}

/// Ends the sending side and waits for the other to end too.
pub(super) fn finish(stream: &Stream) -> Result<(), Fault> {
    stream.finish()?;
    let mut room = [0; 4096];
    while stream.read(&mut room)? > 0 {}
    Ok(())
}

/// Makes a thread as slow as one on a slower processor: for all that it computes, the kernel's part
/// included, it computes nothing useful so much longer. What it waits is not made longer.
struct Handicap {
    /// How many times as long, and the processor's time up to which that has been done.
    slow: Option<(f64, u64)>,
}

impl Handicap {
    fn of(factor: Option<f64>) -> Self {
        Self { slow: factor.map(|factor| (factor, thread_cpu_nanoseconds())) }
    }

    #[inline]
    fn idle(&mut self) {
        let Some((factor, done)) = &mut self.slow else { return };
        let worked = thread_cpu_nanoseconds() - *done;
        let until = *done + (worked as f64 * *factor) as u64;
        loop {
            *done = thread_cpu_nanoseconds();
            if *done >= until {
                return;
            }
        }
    }
}

/// From a first moment to the last that was marked.
#[derive(Default)]
pub(super) struct Span {
    start: Option<(u64, u64)>,
    end: u64,
}

impl Span {
    /// The first time begins it.
    #[inline]
    pub(super) fn begin(&mut self) {
        if self.start.is_none() {
            self.start = Some((monotonic_nanoseconds(), thread_cpu_nanoseconds()));
        }
    }

    /// So far, it ends here.
    #[inline]
    pub(super) fn mark(&mut self) {
        self.end = monotonic_nanoseconds();
    }

    /// VERB COUNT,NANOSECONDS,CPU. The processor's time is read here and not at every mark, which
    /// would take longer than a message: a receiver's last wait, for the end of the stream, is in it.
    pub(super) fn answer(&self, verb: &str, count: u64) -> String {
        let cpu = thread_cpu_nanoseconds();
        let (nanoseconds, cpu) = match self.start {
            Some((start, start_cpu)) => (self.end.saturating_sub(start), cpu - start_cpu),
            None => (0, 0),
        };
        format!("{verb} {count},{nanoseconds},{cpu}")
    }
}
