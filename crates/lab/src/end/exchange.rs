//! Round trips.

use std::path::Path;

use trunkline_message::Limits;
use trunkline_net::tcp::{Connection, Stream, Wait};

use super::codec::{Load, Work, decode_new};
use super::fault::Fault;
use crate::format::{Decode, Encode};
use crate::peer::write_times;
use trunkline_bench::clock::monotonic_nanoseconds;
use trunkline_experiment::definition::MOST_TIMES;

/// Replies to every message until the other side ends.
pub(super) fn reply<M: Load, E: Encode, D: Decode>(
    work: Work<'_, M, E, D>,
    stream: Stream,
    file: &Path,
) -> Result<String, Fault> {
    let mut connection = Connection::new(stream, D::Framer::default(), Limits::default())?;
    let mut message = M::empty();
    let mut times = Vec::new();
    while let Some(bytes) = connection.receive()? {
        let failed = |error| Fault::at(times.len() as u64, error);
        let start = monotonic_nanoseconds();
        decode_new(work.decoder, bytes, &mut message).map_err(failed)?;
        let decoded = monotonic_nanoseconds();
        let reply = work.encoder.encode(&message).map_err(failed)?;
        let encoded = monotonic_nanoseconds();
        connection.send(reply)?;
        times.push([decoded - start, encoded - decoded]);
        if times.len() as u64 > MOST_TIMES {
            return Err(Fault::new(format!("more than {MOST_TIMES} messages")));
        }
    }
    write_times(file, &times)?;
    Ok(format!("replied {}", times.len()))
}

/// Calls, `count` times. The first reply to each of the kept messages is compared with it, after
/// its times have been taken.
pub(super) fn call<M: Load, E: Encode, D: Decode>(
    work: Work<'_, M, E, D>,
    address: &str,
    wait: Wait,
    count: u64,
    file: &Path,
) -> Result<String, Fault> {
    let stream = Stream::connect(address, wait)?;
    let mut connection = Connection::new(stream, D::Framer::default(), Limits::default())?;
    let mut reply = M::empty();
    let mut times = Vec::new();
    for (index, message) in (0..count).zip(work.messages.iter().cycle()) {
        let failed = |error| Fault::at(index, error);
        let start = monotonic_nanoseconds();
        let bytes = work.encoder.encode(message).map_err(failed)?;
        let encoded = monotonic_nanoseconds();
        connection.send(bytes)?;
        let Some(bytes) = connection.receive()? else {
            return Err(Fault::at(index, "the other side closed the connection without a reply"));
        };
        let received = monotonic_nanoseconds();
        decode_new(work.decoder, bytes, &mut reply).map_err(failed)?;
        let decoded = monotonic_nanoseconds();
        times.push([encoded - start, received - encoded, decoded - received]);
        if times.len() <= work.messages.len() {
            message
                .compare(&reply)
                .map_err(|what| Fault::at(index, format!("the reply differs: {what}")))?;
        }
    }
    write_times(file, &times)?;
    Ok(format!("called {count}"))
}
