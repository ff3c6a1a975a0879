//! `trunkline top`: clients, topics, rates and queues of a router, as they change.

mod columns;
mod controls;
mod key;
mod narrow;
mod rates;
mod screen;
mod session;
mod source;
mod view;

use std::env;
use std::io::{IsTerminal as _, stdout};
use std::thread;

use trunkline_server::snapshot::Snapshot;

use crate::Ending;
use crate::arguments::TopArguments;
use crate::fault::Fault;
use crate::output::{print, print_while_read};
use controls::Controls;
pub(crate) use source::Source;
use source::TOPICS_FILTERED;
use view::View;

pub(crate) fn run(arguments: &TopArguments) -> Result<Ending, Fault> {
    let has_keys = is_screen() && !arguments.once && !arguments.json;
    let topics = match has_keys || !arguments.filter.is_empty() {
        true => arguments.topics.max(TOPICS_FILTERED),
        false => arguments.topics,
    };
    let mut source = Source::new(&arguments.site, topics)?;
    // The first failure is the user's to see; later ones may pass.
    let first = source.snapshot()?;
    if arguments.json {
        lines(arguments, &mut source, &first)
    } else if has_keys {
        session::run(arguments, source, first)
    } else {
        pages(arguments, source, first)
    }
}

/// Whether standard output is a terminal that can be drawn on.
fn is_screen() -> bool {
    stdout().is_terminal() && env::var_os("TERM").is_some_and(|it| !it.is_empty() && it != "dumb")
}

/// Snapshots as lines of JSON.
fn lines(arguments: &TopArguments, source: &mut Source, first: &Snapshot) -> Result<Ending, Fault> {
    let mut line = serde_json::to_string(first)?;
    while print_while_read(&format!("{line}\n"))? && !arguments.once {
        thread::sleep(arguments.interval);
        line = serde_json::to_string(&source.snapshot()?)?;
    }
    Ok(Ending::Right)
}

/// Plain text, a page for each look.
fn pages(
    arguments: &TopArguments,
    mut source: Source,
    mut earlier: Snapshot,
) -> Result<Ending, Fault> {
    let controls = Controls::new(arguments);
    loop {
        thread::sleep(arguments.interval);
        let text = match source.snapshot() {
            Ok(later) => {
                let text = View::new(arguments, &controls, &earlier, &later).text(None);
                earlier = later;
                text
            }
            Err(fault) if arguments.once => return Err(fault),
            Err(fault) => format!("{fault}\nasking again every {:?}\n", arguments.interval),
        };
        if arguments.once {
            print(&text)?;
            return Ok(Ending::Right);
        }
        if !print_while_read(&format!("\n{text}"))? {
            return Ok(Ending::Right);
        }
    }
}
