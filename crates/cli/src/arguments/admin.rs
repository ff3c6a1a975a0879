//! The command line of administration.

use std::time::Duration;

use clap::{Args, Subcommand};
use trunkline_client::Start;

use super::Asked;
use crate::quantity::{self, start};

/// The verbs of administrators.
#[derive(Debug, Subcommand)]
pub(crate) enum AdminCommand {
    /// List the clients that are connected
    Clients(Asked<ClientsArguments>),
    /// List what clients subscribe to, with the consumers of durable subscriptions
    Subscriptions(Asked<SubscriptionsArguments>),
    /// List topics, with their messages and how many subscriptions match each
    Topics(Asked<TopicsArguments>),
    /// List durable subscriptions
    Durables(Asked<TopicsArguments>),
    /// List producers of guaranteed messages, connected or not, with their last sequence
    Producers(Asked<ProducersArguments>),
    /// End the connection of a client, or of several, and tell them why
    ///
    /// Clients may connect again.
    Disconnect(Asked<DisconnectArguments>),
    /// Accept no clients any more, report not ready, and wait until nothing waits in the router
    ///
    /// Clients stay connected and are served until the router stops. Status 1 means that messages waited still when
    /// the time was over.
    Drain(Asked<DrainArguments>),
    /// Accept clients again
    Undrain(Asked),
    /// Pause a durable subscription: messages wait, and nothing is delivered
    Pause(Asked<NamedArguments>),
    /// Resume a durable subscription that is paused
    Resume(Asked<NamedArguments>),
    /// End everything that a durable subscription has not acknowledged so far
    Purge(Asked<NamedArguments>),
    /// Move a durable subscription: what is before that is done, what is behind it is delivered, again if it was
    ///
    /// Its consumers end, and may consume again.
    Seek(Asked<SeekArguments>),
    /// Delete a durable subscription
    DeleteDurable(Asked<NamedArguments>),
    /// Forget a producer that no client uses: one of its name begins anew
    DeleteProducer(Asked<NamedArguments>),
    /// Begin another segment of the journal, so that those before it can be copied to an archive
    Rotate(Asked),
}

/// Which clients.
#[derive(Debug, Args)]
pub(crate) struct WhichArguments {
    /// The client with this number, as `admin clients` prints it
    #[arg(long, value_name = "ID")]
    pub(crate) client: Option<u64>,
    /// Clients with this name, in which * stands for anything
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Clients at this address, in which * stands for anything, such as 10.0.0.7:*
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) address: Option<String>,
}

/// How much.
#[derive(Debug, Args)]
pub(crate) struct MostArguments {
    /// The most that are listed; 0 is all
    #[arg(long, short = 'n', value_name = "N", default_value_t = 1_000)]
    pub(crate) limit: usize,
}

/// Of `admin clients`.
#[derive(Debug, Args)]
pub(crate) struct ClientsArguments {
    #[command(flatten)]
    pub(crate) which: WhichArguments,
    #[command(flatten)]
    pub(crate) most: MostArguments,
}

/// Of `admin subscriptions`.
#[derive(Debug, Args)]
pub(crate) struct SubscriptionsArguments {
    /// Subscriptions that may match a topic of this pattern
    pub(crate) pattern: Option<String>,
    #[command(flatten)]
    pub(crate) which: WhichArguments,
    #[command(flatten)]
    pub(crate) most: MostArguments,
}

/// Of `admin topics` and `admin durables`.
#[derive(Debug, Args)]
pub(crate) struct TopicsArguments {
    /// Those with a topic of this pattern
    pub(crate) pattern: Option<String>,
    /// Those with this name, in which * stands for anything
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    #[command(flatten)]
    pub(crate) most: MostArguments,
}

/// Of `admin producers`.
#[derive(Debug, Args)]
pub(crate) struct ProducersArguments {
    /// Those with this name, in which * stands for anything
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// The one of this client, by its number
    #[arg(long, value_name = "ID")]
    pub(crate) client: Option<u64>,
    #[command(flatten)]
    pub(crate) most: MostArguments,
}

/// Of what is done with one durable subscription or producer.
#[derive(Debug, Args)]
pub(crate) struct NamedArguments {
    /// Its name
    pub(crate) name: String,
}

/// Of `admin seek`.
#[derive(Debug, Args)]
pub(crate) struct SeekArguments {
    /// Its name
    pub(crate) name: String,
    /// Where it goes on: all, new, position:N or time:2026-07-01T09:30:00Z
    #[arg(long, value_name = "START", value_parser = start)]
    pub(crate) from: Start,
}

/// Of `admin disconnect`.
#[derive(Debug, Args)]
pub(crate) struct DisconnectArguments {
    #[command(flatten)]
    pub(crate) which: WhichArguments,
    /// Disconnect them although they are more than one
    #[arg(long)]
    pub(crate) all: bool,
    /// What they are told
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(crate) reason: String,
}

/// Of `admin drain`.
#[derive(Debug, Args)]
pub(crate) struct DrainArguments {
    /// What clients that want to connect are told
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(crate) reason: String,
    /// How long to wait until nothing waits, such as 30s
    #[arg(long, value_name = "TIME", value_parser = quantity::patience, default_value = "30s")]
    pub(crate) timeout: Duration,
    /// Stop the router then, or when that time is over
    #[arg(long)]
    pub(crate) stop: bool,
    /// Do not wait
    #[arg(long)]
    pub(crate) no_wait: bool,
}
