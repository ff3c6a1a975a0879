//! Messages in one direction, as many as go through.

use trunkline_catalogue::market_data::MarketDataIncrementalRefresh;
use trunkline_message::Limits;
use trunkline_net::tcp::{Receiver, Sender, Stream, Wait};

use super::codec::{Decode, Encode, Work, slowed};
use super::fault::Fault;
use crate::clock::{monotonic_nanoseconds, thread_cpu_nanoseconds};
use crate::peer::Carried;

/// Receives until the other side ends.
pub(super) fn drain<E: Encode, D: Decode>(
    work: Work<'_, E, D>,
    stream: Stream,
    carried: Carried,
    slow: Option<f64>,
) -> Result<String, Fault> {
    let mut receiver = Receiver::new(stream, D::Framer::default(), Limits::default());
    let mut message = MarketDataIncrementalRefresh::default();
    let mut span = Span::default();
    let mut count = 0_u64;
    while receiver.fill()? {
        span.begin();
        while let Some(bytes) = receiver.take()? {
            if carried == Carried::Structures {
                slowed(slow, || work.decoder.decode(bytes, &mut message))
                    .map_err(|error| Fault::at(count, error))?;
            }
            count += 1;
        }
        span.mark();
    }
    Ok(span.answer("drained", count))
}

/// Sends `count` messages, then waits until the other side has ended too.
pub(super) fn pour<E: Encode, D: Decode>(
    work: Work<'_, E, D>,
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
            for (index, message) in (0..count).zip(work.messages.iter().cycle()) {
                let bytes = slowed(slow, || work.encoder.encode(message));
                sender.send(bytes.map_err(|error| Fault::at(index, error))?)?;
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
