//! What the verbs that speak with a router have in common.

use std::fmt::Write as _;
use std::io::Write as _;
use std::time::Duration;
use std::{env, io};

use trunkline_client::{Client, Durability, Error, Notice, Options, Rejection, code};

use crate::arguments::ToArguments;
use crate::fault::Fault;
use crate::output::plain;

/// Where a router is unless somebody says otherwise.
const DEFAULT: &str = "tcp://127.0.0.1:7400";

/// How long a verb waits before it looks again whether it shall end.
pub(crate) const MOMENT: Duration = Duration::from_millis(100);

/// Connects to the router that the user means.
pub(crate) fn connect(to: &ToArguments, verb: &str, options: Options) -> Result<Client, Fault> {
    let from_environment = || env::var("TRUNKLINE_TO").ok().filter(|it| !it.is_empty());
    let address = to.to.clone().or_else(from_environment);
    let address = address.as_deref().unwrap_or(DEFAULT);
    let name = to.name.clone().unwrap_or_else(|| format!("trunkline {verb}"));
    let login = to.login.login()?;
    let tls = to.tls.load_for(address)?;
    let options = Options { name, login, timeout: to.timeout, tls, ..options };
    Client::connect(address, &options).map_err(|error| match error {
        Error::Connect(cause)
            if matches!(
                cause.kind(),
                io::ErrorKind::ConnectionRefused | io::ErrorKind::NotFound
            ) =>
        {
            Fault::new(format!("{cause}; `trunkline serve` starts a router"))
        }
        Error::Connect(_) | Error::Address(_) => error.into(),
        error => Fault::new(format!("{address}: {error}")),
    })
}

/// The fault of a topic or pattern that the router has not taken; shows the place first.
pub(crate) fn not_taken(name: &str, error: Error) -> Fault {
    match error {
        Error::Rejected(rejection) => {
            // The byte of another text than the name.
            if !matches!(rejection.code, code::BAD_FILTER | code::BAD_FIELDS) {
                point_at(name, &rejection);
            }
            Fault::new(rejected(name, &rejection))
        }
        error => error.into(),
    }
}

fn rejected(name: &str, rejection: &Rejection) -> String {
    match rejection.code {
        code::NO_RESPONDER => format!("nobody answers requests on {name:?}"),
        code::TIMED_OUT => format!("nobody answered on {name:?} in time"),
        _ => format!("{name:?} is rejected: {}", rejection.text),
    }
}

/// Shows the byte of the name, or of another text, that is wrong.
pub(crate) fn point_at(name: &str, rejection: &Rejection) {
    let Some(before) = rejection.offset.and_then(|offset| name.get(..offset as usize)) else {
        return;
    };
    let blanks = " ".repeat(before.chars().count());
    let _ = writeln!(io::stderr().lock(), "  {}\n  {blanks}^", plain(name));
}

/// One line on standard error that is no fault.
pub(crate) fn tell(text: &str) {
    let _ = writeln!(io::stderr().lock(), "trunkline: {}", plain(text));
}

/// Says what the router says of itself.
pub(crate) fn tell_notice(notice: &Notice<'_>) {
    let colon = if notice.text.is_empty() { "" } else { ": " };
    match notice.code {
        code::DRAINING => {
            tell(&format!("the router is drained for maintenance{colon}{}", notice.text));
        }
        code::IN_SERVICE => tell(&format!("the router is in service again{colon}{}", notice.text)),
        _ => {}
    }
}

/// Appends nanoseconds as people read them.
pub(crate) fn write_age(out: &mut String, nanoseconds: u64) {
    let _ = match nanoseconds {
        0..10_000 => write!(out, "{nanoseconds} ns"),
        10_000..10_000_000 => write!(out, "{} us", nanoseconds / 1_000),
        10_000_000..10_000_000_000 => write!(out, "{} ms", nanoseconds / 1_000_000),
        _ => write!(out, "{} s", nanoseconds / 1_000_000_000),
    };
}

/// On how many machines something is kept, for people.
pub(crate) fn durability(Durability { memory, disk }: Durability) -> String {
    format!("in memory of {memory}, on disk of {disk}")
}

/// `1 message`, `2 messages`.
pub(crate) fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// The same of a word that another one is for several: `1 entry`, `2 entries`.
pub(crate) fn counted_as(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_have_units() {
        let age = |nanoseconds| {
            let mut out = String::new();
            write_age(&mut out, nanoseconds);
            out
        };
        assert_eq!(age(9_999), "9999 ns");
        assert_eq!(age(250_000), "250 us");
        assert_eq!(age(1_234_567_890), "1234 ms");
        assert_eq!(age(60_000_000_000), "60 s");
    }
}
