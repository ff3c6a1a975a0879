//! The command line of the router.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Subcommand};
use trunkline_client::Address;
use trunkline_server::{Config, Listening};

use super::FormArguments;
use crate::fault::Fault;

/// Of `serve`.
#[derive(Debug, Args)]
pub(crate) struct ServeArguments {
    #[command(flatten)]
    pub(crate) file: ConfigArguments,
    /// The folder of the journal, as journal.directory. Without one the router keeps guaranteed messages in
    /// memory only, and acknowledges them as such
    #[arg(long, short, value_name = "DIR")]
    pub(crate) journal: Option<PathBuf>,
    /// Listen here instead of at the configuration's addresses of the same kind; may be repeated:
    /// tcp://HOST:PORT, tls://HOST:PORT, unix:///PATH or shm:///PATH for programs, ws://HOST:PORT or
    /// wss://HOST:PORT for browsers, http://HOST:PORT or https://HOST:PORT for metrics
    #[arg(long, short, value_name = "ADDRESS")]
    pub(crate) listen: Vec<ListenAddress>,
    #[command(flatten)]
    pub(crate) form: FormArguments,
}

/// An address to listen at, and what is spoken there.
#[derive(Clone, Debug)]
pub(crate) enum ListenAddress {
    /// The native protocol.
    Native(Address),
    /// The native protocol at this host and port, with TLS if the configuration says so.
    NativeSocket(String),
    /// WebSocket, at this host and port; whether with TLS, if that is not as configured.
    WebSocket(String, Option<bool>),
    /// HTTP, in the same way.
    Http(String, Option<bool>),
}

impl FromStr for ListenAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (scheme, rest) = text.split_once("://").unwrap_or(("", text));
        if !matches!(scheme, "ws" | "wss" | "http" | "https") {
            let native = text.parse().map_err(|error| match scheme {
                "tcp" | "tls" | "unix" | "shm" => format!("{error}"),
                _ => format!("{error}, ws://, wss://, http:// or https://"),
            });
            return Ok(Self::Native(native?));
        }
        let place = rest.trim_end_matches('/');
        match format!("tcp://{place}").parse() {
            Ok(Address::Tcp(_)) if scheme.starts_with("ws") => {
                Ok(Self::WebSocket(place.to_owned(), Some(scheme == "wss")))
            }
            Ok(Address::Tcp(_)) => Ok(Self::Http(place.to_owned(), Some(scheme == "https"))),
            _ => Err(format!("{scheme}:// is followed by host:port")),
        }
    }
}

impl ListenAddress {
    /// Where a socket listens already.
    pub(crate) fn of(listening: &Listening) -> Self {
        match (listening.protocol, &listening.address) {
            ("http", Address::Tcp(place)) => Self::Http(place.clone(), None),
            ("websocket", Address::Tcp(place)) => Self::WebSocket(place.clone(), None),
            (_, Address::Tcp(place)) => Self::NativeSocket(place.clone()),
            (_, address) => Self::Native(address.clone()),
        }
    }

    /// Puts addresses in the place of those of the same kind.
    ///
    /// # Errors
    /// There are two of a kind of which the router has one.
    pub(crate) fn replace(all: &[Self], config: &mut Config) -> Result<(), Fault> {
        let native: Vec<Address> = all
            .iter()
            .filter_map(|it| match it {
                Self::Native(address) => Some(address.clone()),
                Self::NativeSocket(place) => {
                    let secure = Address::Tls(place.clone());
                    let is_tls = config.listen.native.contains(&secure);
                    Some(if is_tls { secure } else { Address::Tcp(place.clone()) })
                }
                _ => None,
            })
            .collect();
        if !native.is_empty() {
            config.listen.native = native;
        }
        let (mut websocket, mut http) = (None, None);
        for it in all {
            let (kind, place, is_tls, before) = match it {
                Self::Native(_) | Self::NativeSocket(_) => continue,
                Self::WebSocket(place, is_tls) => ("ws", place, is_tls, &mut websocket),
                Self::Http(place, is_tls) => ("http", place, is_tls, &mut http),
            };
            if let Some((before, _)) = before.replace((place.clone(), *is_tls)) {
                return Err(Fault::new(format!(
                    "the router listens at one address of {kind}://, not at {before} and {place}"
                )));
            }
        }
        if let Some((place, is_tls)) = websocket {
            config.listen.websocket = Some(place);
            config.tls.websocket = is_tls.unwrap_or(config.tls.websocket);
        }
        if let Some((place, is_tls)) = http {
            config.listen.http = Some(place);
            config.tls.http = is_tls.unwrap_or(config.tls.http);
        }
        Ok(())
    }
}

/// The source of the configuration.
#[derive(Debug, Args)]
pub(crate) struct ConfigArguments {
    /// The configuration, in TOML [default: built-in values]. TRUNKLINE_CLIENT__QUEUE_MESSAGES=5
    /// in the environment overrides client.queue_messages
    #[arg(long, short, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

/// The verbs for configurations.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Check whether `trunkline serve` would start with a file
    Check {
        /// The configuration
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
    },
    /// Print the configuration in effect, every key with its value and a comment
    Show {
        #[command(flatten)]
        file: ConfigArguments,
        /// Print it as one object of JSON, on one line
        #[arg(long)]
        json: bool,
    },
}

/// Of `simulate`.
#[derive(Debug, Args)]
pub(crate) struct SimulateArguments {
    /// The seed that determines a run; without it, seeds 1 to 100
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Simulate guaranteed delivery: routers crash, machines lose power, disks fail
    #[arg(long)]
    pub(crate) power_cut: bool,
    /// Number of runs, each with the next seed
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) runs: Option<u64>,
    /// Length of a run before everything comes to rest, in steps of its clock
    #[arg(long, value_name = "N", default_value_t = 1_000,
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) steps: u32,
    #[command(flatten)]
    pub(crate) form: FormArguments,
}
