//! An open loop: messages are sent at a steady rate, whether replies have come or not.

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use trunkline_message::Limits;
use trunkline_net::Framer;
use trunkline_net::tcp::{Connection, Receiver, Sender, Stream, Wait};

use super::codec::{Load, Work, decode_new};
use super::fault::Fault;
use crate::format::{Decode, Encode};
use crate::peer::write_times;
use trunkline_bench::clock::{Clock, RealClock, monotonic_nanoseconds};

/// The system may let a sleeper lie for so long: the rest of the time is spent awake.
const AWAKE: u64 = 100_000;
/// Between the order to begin and the first message, for both threads to be there.
const LEAD: u64 = 1_000_000;

/// Sends `count` messages on one thread, message i at the beginning plus i divided by the rate, and
/// receives the replies on another. A message that is late is sent at once and the next are not
/// put off, so that none is left out because of one before it.
pub(super) fn pace<M: Load, E: Encode, D: Decode>(
    work: Work<'_, M, E, D>,
    address: &str,
    wait: Wait,
    rate: f64,
    count: u64,
    file: &Path,
) -> Result<String, Fault> {
    let Work { encoder, decoder, messages, .. } = work;
    let stream = Stream::connect(address, wait)?;
    let ours = stream.share()?;
    let connection = Connection::new(stream, D::Framer::default(), Limits::default())?;
    let (sender, receiver) = connection.split();
    let start = monotonic_nanoseconds() + LEAD;
    let intended = |index: u64| start + (index as f64 * 1e9 / rate) as u64;
    // Each side fails when the other ends the connection: the first to fail knows why.
    let first: Mutex<Option<Fault>> = Mutex::new(None);
    let fail = |fault| {
        first.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(fault);
        // The other side would wait for ever.
        let _ = ours.close();
    };
    let (sent, replied) = thread::scope(|scope| {
        let moments = (0..count).map(intended);
        let sending = scope.spawn(|| send(encoder, sender, messages, moments).map_err(fail));
        let replied = receive::<M, D>(decoder, receiver, count).map_err(fail);
        (sending.join(), replied)
    });
    let (Ok(Ok(sent)), Ok(replied)) = (sent, replied) else {
        let fault = first.into_inner().unwrap_or_else(PoisonError::into_inner);
        return Err(fault.unwrap_or_else(|| Fault::new("the sender ended early")));
    };
    let times = (0..).zip(sent.iter().zip(&replied));
    let times: Vec<[u64; 2]> = times
        .map(|(index, (sent, replied))| {
            [intended(index), *sent].map(|from| replied.saturating_sub(from))
        })
        .collect();
    write_times(file, &times)?;
    Ok(format!("paced {count}"))
}

/// When work on each message began.
fn send<M: Load, E: Encode, F: Framer>(
    encoder: &mut E,
    mut sender: Sender<F>,
    messages: &[M],
    intended: impl Iterator<Item = u64>,
) -> Result<Vec<u64>, Fault> {
    let mut messages = (0..).zip(messages.iter().cycle());
    paced(&RealClock, intended, || {
        let Some((index, message)) = messages.next() else { return Ok(()) };
        let bytes = encoder.encode(message).map_err(|error| Fault::at(index, error))?;
        Ok(sender.send(bytes)?)
    })
}

/// Does `work` at each of the moments, or as soon after it as the work before is done. Returns when
/// each began.
pub(crate) fn paced<E>(
    clock: &impl Clock,
    moments: impl Iterator<Item = u64>,
    mut work: impl FnMut() -> Result<(), E>,
) -> Result<Vec<u64>, E> {
    let mut begun = Vec::new();
    for moment in moments {
        begun.push(wait_until(clock, moment));
        work()?;
    }
    Ok(begun)
}

/// When each reply had been decoded.
fn receive<M: Load, D: Decode>(
    decoder: &mut D,
    mut receiver: Receiver<D::Framer>,
    count: u64,
) -> Result<Vec<u64>, Fault> {
    let mut reply = M::empty();
    let mut replied = Vec::new();
    for index in 0..count {
        let Some(bytes) = receiver.receive()? else {
            return Err(Fault::at(index, "the other side closed the connection without a reply"));
        };
        decode_new(decoder, bytes, &mut reply).map_err(|error| Fault::at(index, error))?;
        replied.push(monotonic_nanoseconds());
    }
    Ok(replied)
}

/// Sleeps, then spins; returns the time, which is later than `moment` if that has passed.
fn wait_until(clock: &impl Clock, moment: u64) -> u64 {
    loop {
        let now = clock.nanoseconds();
        match moment.checked_sub(now) {
            None | Some(0) => return now,
            Some(left) if left > AWAKE => clock.sleep(Duration::from_nanos(left - AWAKE)),
            Some(_) => std::hint::spin_loop(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trunkline_bench::clock::VirtualClock;
    use trunkline_bench::histogram::Times;

    const MILLISECOND: u64 = 1_000_000;

    #[test]
    fn nothing_is_sent_early_and_little_of_it_late() {
        let clock = VirtualClock::default();
        let moments = (1..=100).map(|index| index * MILLISECOND);
        let begun = paced(&clock, moments.clone(), || Ok::<(), Fault>(())).expect("no work");
        for (moment, begun) in moments.zip(begun) {
            assert!((moment..moment + VirtualClock::TICK).contains(&begun), "{moment}: {begun}");
        }
    }

    #[test]
    fn a_stall_counts_for_every_message_that_was_due_meanwhile() {
        // A message a millisecond; the work on each takes 10 us, but on the 500th 50 ms.
        let clock = VirtualClock::default();
        let mut index = 0;
        let mut done = Vec::new();
        let moments = (1..=1_000).map(|index| index * MILLISECOND);
        let begun = paced(&clock, moments.clone(), || {
            index += 1;
            clock.advance(if index == 500 { 50 * MILLISECOND } else { 10_000 });
            done.push(clock.nanoseconds());
            Ok::<(), Fault>(())
        });
        let begun = begun.expect("work");
        let mut corrected = Times::default();
        let mut uncorrected = Times::default();
        corrected.extend(moments.zip(&done).map(|(moment, done)| done - moment));
        uncorrected.extend(begun.iter().zip(&done).map(|(begun, done)| done - begun));
        let late = |times: &Times, percent| times.percentile(percent).expect("a thousand");
        assert!(late(&corrected, 50.0) < 20_000 && late(&uncorrected, 50.0) < 20_000);
        // Fifty messages in a thousand were due during the stall, and each waited for its end.
        assert!(late(&corrected, 99.0) > 35 * MILLISECOND, "{}", late(&corrected, 99.0));
        assert!(late(&corrected, 96.0) > 5 * MILLISECOND);
        assert!(late(&corrected, 95.0) < MILLISECOND);
        // One who counts from the actual sending sees it once.
        assert!(late(&uncorrected, 99.8) < MILLISECOND);
        assert!(late(&uncorrected, 100.0) >= 50 * MILLISECOND);
    }
}
