//! Tries a middleware once: a publisher and two subscribers in this process, over its real broker.

use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use trunkline_bench_bus::broker::{Options, named};
use trunkline_bench_bus::bus::{Bus, BusOptions, Connect, Wait};

const MESSAGES: u32 = 1000;
/// How long what is still missing is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// Starts the broker of `subject`, which may be among this program's neighbours, and publishes messages
/// of different lengths to two topics; each subscriber has to get its own, whole and in order.
///
/// Returns false, and says why, if the broker is not here.
///
/// # Errors
/// What the middleware or its messages did wrong.
pub fn check(subject: &str, connect: &dyn Connect) -> io::Result<bool> {
    let unknown = || io::Error::other(format!("{subject}: no broker of this name"));
    let program = std::env::current_exe()?;
    let neighbours = program.parent().map(PathBuf::from).unwrap_or_default();
    let broker = named(subject).ok_or_else(unknown)?;
    let is_durable = broker.is_durable();
    let broker = match broker.start(&neighbours, &Options::default()) {
        Err(error) if error.is_absent() => {
            println!("{error}");
            return Ok(false);
        }
        started => started.map_err(io::Error::other)?,
    };
    for spins in [true, false] {
        let options = BusOptions { spins, ..BusOptions::default() };
        exchange(connect, broker.address(), &options)?;
        if is_durable {
            exchange_guaranteed(connect, broker.address(), &options)?;
        }
    }
    let kibibytes = broker.resident_bytes().unwrap_or(0) / 1024;
    println!(
        "{} start-up {} ms, {kibibytes} KiB, {MESSAGES} messages spinning and sleeping",
        broker.version(),
        broker.start_up().as_millis()
    );
    Ok(true)
}

/// A subscriber of one topic and one of two, and a publisher that sends a third nobody asked for.
fn exchange(connect: &dyn Connect, address: &str, options: &BusOptions) -> io::Result<()> {
    let topics = ["check/one", "check/other-one", "check/nobody"].map(str::to_owned);
    let connection = || connect.connect(address, &topics, options);
    let (mut one, mut both, mut publisher) = (connection()?, connection()?, connection()?);
    one.subscribe(&[1])?;
    both.subscribe(&[1, 0])?;
    let mut found = [Vec::new(), Vec::new()];
    for number in 0..MESSAGES {
        publisher.publish(number as usize % 3, &payload(number))?;
        if number % 10 == 9 {
            publisher.flush()?;
            take(&mut *one, Wait::Spin, &mut found[0])?;
            take(&mut *both, Wait::Spin, &mut found[1])?;
        }
    }
    publisher.flush()?;
    let wait = if options.spins { Wait::Spin } else { Wait::Block(Duration::from_millis(20)) };
    let [of_one, of_both] = &mut found;
    for (bus, found, wanted) in [(one, of_one, &[1][..]), (both, of_both, &[0, 1])] {
        let expected: Vec<u32> =
            (0..MESSAGES).filter(|number| wanted.contains(&(number % 3))).collect();
        let mut bus = bus;
        let begun = Instant::now();
        while found.len() < expected.len() && begun.elapsed() < PATIENCE {
            take(&mut *bus, wait, found)?;
        }
        compare(found, &expected)?;
    }
    Ok(())
}

/// A durable subscriber and a publisher of guaranteed messages, which waits for all acknowledgements.
fn exchange_guaranteed(
    connect: &dyn Connect,
    address: &str,
    options: &BusOptions,
) -> io::Result<()> {
    let name = format!("check-{}", options.spins);
    let topics = [0, 1, 2].map(|topic| format!("{name}/{topic}"));
    let connection = || connect.connect(address, &topics, options);
    let (mut subscriber, mut publisher) = (connection()?, connection()?);
    subscriber.subscribe_guaranteed(&name, &[0, 1, 2])?;
    for number in 0..MESSAGES {
        publisher.publish_guaranteed(number as usize % 3, &payload(number))?;
    }
    publisher.flush()?;
    let wait = if options.spins { Wait::Spin } else { Wait::Block(Duration::from_millis(20)) };
    let (mut found, begun) = (Vec::new(), Instant::now());
    let is_over = |found: usize, acknowledged: u64| {
        found == MESSAGES as usize && acknowledged == u64::from(MESSAGES)
    };
    while !is_over(found.len(), publisher.acknowledged()) && begun.elapsed() < PATIENCE {
        take(&mut *publisher, Wait::Spin, &mut Vec::new())?;
        take(&mut *subscriber, wait, &mut found)?;
    }
    if publisher.acknowledged() != u64::from(MESSAGES) {
        let text = format!("{} of {MESSAGES} were acknowledged", publisher.acknowledged());
        return Err(io::Error::other(text));
    }
    compare(&mut found, &(0..MESSAGES).collect::<Vec<u32>>())
}

fn payload(number: u32) -> Vec<u8> {
    let mut payload = number.to_le_bytes().to_vec();
    payload.extend((0..number % 300).map(|at| (at ^ number) as u8));
    payload
}

fn take(bus: &mut dyn Bus, wait: Wait, found: &mut Vec<u32>) -> io::Result<()> {
    let mut wrong = None;
    bus.poll(wait, &mut |topic, bytes| {
        let number = bytes.first_chunk::<4>().map_or(u32::MAX, |four| u32::from_le_bytes(*four));
        if number >= MESSAGES || bytes != payload(number) || topic != number as usize % 3 {
            wrong = Some(format!("{} bytes of topic {topic} are not what was sent", bytes.len()));
        }
        found.push(number);
    })?;
    wrong.map_or(Ok(()), |text| Err(io::Error::other(text)))
}

/// Within a topic the order has to be that of publishing; between topics only iceoryx2 changes it.
fn compare(found: &mut [u32], expected: &[u32]) -> io::Result<()> {
    for topic in 0..3 {
        if !found.iter().filter(|&number| number % 3 == topic).is_sorted() {
            return Err(io::Error::other(format!("topic {topic} came in another order")));
        }
    }
    found.sort_unstable();
    if found == expected {
        return Ok(());
    }
    let text = format!("{} of {} messages came", found.len(), expected.len());
    Err(io::Error::other(text))
}
