//! An open loop: messages are sent at a steady rate, whether replies have come or not.

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use trunkline_catalogue::market_data::MarketDataIncrementalRefresh;
use trunkline_message::Limits;
use trunkline_net::Framer;
use trunkline_net::tcp::{Connection, Receiver, Sender, Stream, Wait};

use super::codec::{Decode, Encode, Work};
use super::fault::Fault;
use crate::clock::monotonic_nanoseconds;
use crate::peer::write_times;

/// The system may let a sleeper lie for so long: the rest of the time is spent awake.
const AWAKE: u64 = 100_000;
/// Between the order to begin and the first message, for both threads to be there.
const LEAD: u64 = 1_000_000;

/// Sends `count` messages on one thread, message i at the beginning plus i divided by the rate, and
/// receives the replies on another. A message that is late is sent at once and the next are not
/// put off, so that none is left out because of one before it.
pub(super) fn pace<E: Encode, D: Decode>(
    work: Work<'_, E, D>,
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
        let replied = receive(decoder, receiver, count).map_err(fail);
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
fn send<E: Encode, F: Framer>(
    encoder: &mut E,
    mut sender: Sender<F>,
    messages: &[MarketDataIncrementalRefresh],
    intended: impl Iterator<Item = u64>,
) -> Result<Vec<u64>, Fault> {
    let mut sent = Vec::new();
    for (intended, message) in intended.zip(messages.iter().cycle()) {
        sent.push(wait_until(intended));
        let bytes =
            encoder.encode(message).map_err(|error| Fault::at(sent.len() as u64 - 1, error))?;
        sender.send(bytes)?;
    }
    Ok(sent)
}

/// When each reply had been decoded.
fn receive<D: Decode>(
    decoder: &mut D,
    mut receiver: Receiver<D::Framer>,
    count: u64,
) -> Result<Vec<u64>, Fault> {
    let mut reply = MarketDataIncrementalRefresh::default();
    let mut replied = Vec::new();
    for index in 0..count {
        let Some(bytes) = receiver.receive()? else {
            return Err(Fault::at(index, "the other side closed the connection without a reply"));
        };
        decoder.decode(bytes, &mut reply).map_err(|error| Fault::at(index, error))?;
        replied.push(monotonic_nanoseconds());
    }
    Ok(replied)
}

/// Sleeps, then spins; returns the time, which is later than `moment` if that has passed.
fn wait_until(moment: u64) -> u64 {
    loop {
        let now = monotonic_nanoseconds();
        match moment.checked_sub(now) {
            None | Some(0) => return now,
            Some(left) if left > AWAKE => thread::sleep(Duration::from_nanos(left - AWAKE)),
            Some(_) => std::hint::spin_loop(),
        }
    }
}
