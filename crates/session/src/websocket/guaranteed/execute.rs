//! Commands of guaranteed delivery become calls.

use trunkline_native::code;
use trunkline_store::Consume;

use super::event::Producing;
use super::{Consumption, GuaranteedCommand, GuaranteedEvent, Storing};
use crate::router::{
    ClientContext, ConnectionProducer, GuaranteedMessage, Narrowing, Rejected, StoreError,
};
use crate::websocket::Subject;
use crate::websocket::rights::RememberedRights;
use crate::websocket::session::{reject, write};

/// Executes a command; `frame` is the payload if it is not in the text. False if it is to be tried again.
pub(in crate::websocket) fn execute(
    context: &mut impl ClientContext,
    (producer, rights): (&mut ConnectionProducer, &mut RememberedRights),
    command: &GuaranteedCommand<'_>,
    frame: &[u8],
) -> bool {
    let (subject, done) = match command {
        GuaranteedCommand::Producer { name } => {
            (Subject::Producer(name), produce(context, producer, name))
        }
        GuaranteedCommand::Store(it) => return store(context, (producer, rights), it, frame),
        GuaranteedCommand::Consume(it) => {
            let Consumption { pattern, wants_format, filter, fields, .. } = it;
            let wanted = Narrowing { pattern, format: *wants_format, filter, fields };
            (Subject::Consume(it.subscription), context.consume(&request(it), &wanted))
        }
        GuaranteedCommand::Acknowledge { subscription, position, is_cumulative } => {
            let what = (*position, *is_cumulative);
            let done = context.with_store(|store, at, client, sink| {
                store.acknowledge(at, client, *subscription, what, sink)
            });
            (Subject::Acknowledge(*subscription), done)
        }
        GuaranteedCommand::Release { subscription, position, delay_ms } => {
            let what = (*position, u64::from(*delay_ms) * 1_000_000);
            let done = context.with_store(|store, at, client, sink| {
                store.release(at, client, *subscription, what, sink)
            });
            (Subject::Release(*subscription), done)
        }
        GuaranteedCommand::Delete { name } => (Subject::Delete(name), context.delete(name)),
    };
    match done {
        Ok(()) => {}
        Err(StoreError::WouldBlock) => return false,
        Err(StoreError::Rejected(rejected) | StoreError::OutOfSequence(_, rejected)) => {
            reject(context, subject, &rejected);
        }
    }
    true
}

fn produce(
    context: &mut impl ClientContext,
    producer: &mut ConnectionProducer,
    name: &str,
) -> Result<(), StoreError> {
    if producer.is_named() {
        let text = "the connection has named its producer already";
        return Err(Rejected::new(code::IN_USE, text).into());
    }
    let it = producer.produce(context, name)?;
    let producing = Producing {
        producer: name,
        window: it.window,
        window_bytes: it.window_bytes,
        last: it.last,
    };
    write(context, |renderer, out| renderer.write(out, &GuaranteedEvent::Producing(producing)));
    Ok(())
}

fn store(
    context: &mut impl ClientContext,
    (producer, rights): (&mut ConnectionProducer, &mut RememberedRights),
    it: &Storing<'_>,
    frame: &[u8],
) -> bool {
    let done = rights.with_topic(context, &it.topic, |context, topic| {
        let message = GuaranteedMessage {
            sequence: it.sequence,
            time_to_live: u64::from(it.time_to_live_ms) * 1_000_000,
            is_repeated: it.is_repeated,
            format: it.format,
            payload: it.payload.bytes(frame),
        };
        producer.store(context, topic, &message)
    });
    match done {
        Ok(()) => {}
        Err(StoreError::WouldBlock) => return false,
        Err(error) if !producer.should_report(it.sequence, &error) => context.reject_silently(),
        Err(StoreError::Rejected(rejected) | StoreError::OutOfSequence(_, rejected)) => {
            reject(context, Subject::Store(it.sequence), &rejected);
        }
    }
    true
}

fn request<'a>(it: &'a Consumption<'_>) -> Consume<'a> {
    Consume {
        subscription: it.subscription,
        name: &it.name,
        pattern: &it.pattern,
        window: it.window,
        start: it.start,
        conflation: it.conflation,
        pace: it.pace,
        wants_confirmed: it.wants_confirmed,
        wants_acknowledged: it.wants_acknowledged,
        acknowledge_within: u64::from(it.acknowledge_within_ms) * 1_000_000,
        deliveries: it.deliveries.into(),
        filter: None,
    }
}
