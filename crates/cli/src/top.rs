//! `trunkline top`: clients, topics, rates and queues of a router, as they change.

mod rates;
mod view;

use std::io::IsTerminal as _;
use std::thread;
use std::time::Duration;

use trunkline_http::{Client, ClientConfig, HeaderMap, Method, StatusCode};
use trunkline_server::snapshot::Snapshot;

use crate::Ending;
use crate::arguments::TopArguments;
use crate::fault::Fault;
use crate::output::{plain, print, print_while_read};
use view::{Size, View};

/// For an answer of a router that is at hand.
const PATIENCE: Duration = Duration::from_secs(5);
/// Clients among which the first ones are looked for.
const LOOKED_AT: usize = 10_000;
/// Goes to the corner of the screen and clears what is there.
const CLEAR: &str = "\x1b[H\x1b[J";

pub(crate) fn run(arguments: &TopArguments) -> Result<Ending, Fault> {
    let mut source = Source::new(arguments)?;
    // The first failure is the user's to see; later ones may pass.
    let mut earlier = source.snapshot()?;
    if arguments.json {
        return lines(arguments, &mut source, &earlier);
    }
    if arguments.once {
        thread::sleep(arguments.interval);
        let later = source.snapshot()?;
        print(&View::new(arguments, &earlier, &later).text(None))?;
        return Ok(Ending::Right);
    }
    let is_terminal = std::io::stdout().is_terminal();
    loop {
        thread::sleep(arguments.interval);
        let text = match source.snapshot() {
            Ok(later) => {
                let size = if is_terminal { Size::of_terminal() } else { None };
                let text = View::new(arguments, &earlier, &later).text(size);
                earlier = later;
                text
            }
            Err(fault) => format!("{fault}\nasking again every {:?}\n", arguments.interval),
        };
        // At once, so that the screen does not flicker.
        let before = if is_terminal { CLEAR } else { "\n" };
        if !print_while_read(&format!("{before}{text}"))? {
            return Ok(Ending::Right);
        }
    }
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

/// Where snapshots come from.
struct Source {
    url: String,
    client: Client,
    path: String,
}

impl Source {
    fn new(arguments: &TopArguments) -> Result<Self, Fault> {
        let url = &arguments.to;
        let authority = url.strip_prefix("http://").unwrap_or(url).trim_end_matches('/');
        if authority.is_empty() || authority.contains('/') {
            return Err(Fault::new(format!("{url:?} is not like http://127.0.0.1:7401")));
        }
        let config = ClientConfig {
            connect_timeout: PATIENCE,
            response_timeout: PATIENCE,
            accept_compression: true,
            ..ClientConfig::default()
        };
        let client = Client::new(authority, config)?;
        let topics = arguments.topics;
        let path = format!("/status?clients={LOOKED_AT}&topics={topics}");
        Ok(Self { url: format!("http://{authority}"), client, path })
    }

    fn snapshot(&mut self) -> Result<Snapshot, Fault> {
        let url = &self.url;
        let answer = self.client.request(&Method::GET, &self.path, &HeaderMap::new(), b"")?;
        if answer.status != StatusCode::OK {
            let text = plain(&String::from_utf8_lossy(&answer.body));
            return Err(Fault::new(format!("{url}: {}: {}", answer.status, text.trim())));
        }
        serde_json::from_slice(&answer.body)
            .map_err(|error| Fault::new(format!("{url} is no router: {error}")))
    }
}
