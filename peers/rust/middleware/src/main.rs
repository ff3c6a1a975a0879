//! Middlewares of others behind the lab's one interface, in one program.
//!
//! ```text
//! middleware SUBJECT            a component of an experiment: the lab asks, on standard input
//! middleware SUBJECT version    the version of the library in it
//! middleware SUBJECT check      start the broker, send itself 1,000 messages, compare; status 3 without it
//! middleware zeromq-proxy       the broker of ZeroMQ
//! middleware aeron-driver DIR   Aeron's media driver
//! ```
//! The subjects are those of the lab: `nats`, `redis`, `mosquitto`, the streams of the first two, and what
//! this program was built with of `zeromq`, `iceoryx2` and `aeron`. Protocols that are bytes on a socket are spoken
//! by hand, with large reads and writes and without allocating: no library is faster, which favours the peer.

#[cfg(feature = "aeron")]
mod aeron;
mod check;
#[cfg(feature = "iceoryx2")]
mod iceoryx;
mod jetstream;
mod mqtt;
mod nats;
mod redis;
mod redis_streams;
#[cfg(feature = "zeromq")]
mod zeromq;

use std::io::{self, Write as _};
use std::process::ExitCode;

use trunkline_bench_bus::bus::{BusOptions, Connect};
use trunkline_demo::component::component_main;

/// The status of a check whose broker is not here.
const ABSENT: u8 = 3;

/// The adaptor with this name.
fn adaptor(subject: &str) -> Option<&'static dyn Connect> {
    match subject {
        "nats" | "nats-latest" | "nats-latest-tls" | "jetstream-always" | "jetstream-default" => Some(&nats::Nats),
        "redis" => Some(&redis::Redis),
        "redis-streams" | "redis-always" | "redis-everysec" => Some(&redis_streams::RedisStreams),
        "mosquitto" | "mosquitto-nodelay" => Some(&mqtt::Mqtt),
        #[cfg(feature = "zeromq")]
        "zeromq" => Some(&zeromq::ZeroMq),
        #[cfg(feature = "iceoryx2")]
        "iceoryx2" => Some(&iceoryx::Iceoryx2),
        #[cfg(feature = "aeron")]
        "aeron" => Some(&aeron::AeronIpc),
        _ => None,
    }
}

/// The version of the library behind an adaptor; empty if there is none.
fn version(subject: &str) -> String {
    match subject {
        #[cfg(feature = "zeromq")]
        "zeromq" => zeromq::version(),
        #[cfg(feature = "iceoryx2")]
        "iceoryx2" => iceoryx::version(),
        #[cfg(feature = "aeron")]
        "aeron" => aeron::version(),
        _ => String::new(),
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words[..] {
        #[cfg(feature = "zeromq")]
        ["zeromq-proxy"] => zeromq::proxy(),
        #[cfg(feature = "aeron")]
        ["aeron-driver", folder] => aeron::drive(folder),
        [subject, ref rest @ ..] => match (adaptor(subject), rest) {
            (Some(_), ["version"]) => {
                println!("{}", version(subject));
                Ok(())
            }
            (Some(connect), ["check"]) => match check::check(subject, connect) {
                Ok(false) => return ExitCode::from(ABSENT),
                done => done.map(|_| ()),
            },
            (Some(connect), []) => return component_main(connect),
            (Some(_), _) => Err(io::Error::other("usage: middleware SUBJECT [version|check]")),
            (None, _) => Err(io::Error::other(format!("{subject}: not in this program"))),
        },
        [] => Err(io::Error::other("usage: middleware SUBJECT [version|check]")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(cause) => {
            eprintln!("middleware: {cause}");
            ExitCode::FAILURE
        }
    }
}

/// No middleware of these caps rates or hands over the newest only.
fn reject_rates(name: &str, options: &BusOptions) -> io::Result<()> {
    if options.messages_per_second.is_none() && options.updates_per_second.is_none() {
        return Ok(());
    }
    let text = format!("{name} caps no rates");
    Err(io::Error::new(io::ErrorKind::Unsupported, text))
}

/// Appends a number in decimal.
fn put_number(out: &mut Vec<u8>, number: usize) {
    // Writing to a vector does not fail; most numbers here are short.
    if number < 10 {
        out.push(b'0' + number as u8);
    } else if number < 100 {
        out.extend_from_slice(&[b'0' + (number / 10) as u8, b'0' + (number % 10) as u8]);
    } else if number < 1000 {
        let [hundreds, tens, ones] = [number / 100, number / 10 % 10, number % 10];
        out.extend_from_slice(&[hundreds, tens, ones].map(|digit| b'0' + digit as u8));
    } else {
        let _ = write!(out, "{number}");
    }
}

/// A number of at most nine digits, and nothing else.
fn number(text: &[u8]) -> Option<usize> {
    if text.is_empty() || text.len() > 9 {
        return None;
    }
    text.iter()
        .try_fold(0, |sum, byte| byte.is_ascii_digit().then(|| sum * 10 + usize::from(byte - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_are_written() {
        for value in [0, 7, 10, 99, 100, 128, 999, 1000, 65_536, 999_999_999] {
            let mut text = Vec::new();
            put_number(&mut text, value);
            assert_eq!((number(&text), &*text), (Some(value), value.to_string().as_bytes()));
        }
        for text in ["", "-1", "1x", "1234567890"] {
            assert_eq!(number(text.as_bytes()), None, "{text}");
        }
    }
}
