//! Lists, a page of the router after another.

use serde_json::{Value, json};
use trunkline_bench::table::{Align, Table, with_commas};
use trunkline_server::administration::{
    Items, List, MOST_LISTED, ProducerStatus, SubscriptionKind, SubscriptionStatus,
};
use trunkline_server::snapshot::{ClientStatus, TopicStatus};

use crate::Ending;
use crate::arguments::{
    Asked, ClientsArguments, MostArguments, ProducersArguments, SiteArguments,
    SubscriptionsArguments, TopicsArguments, WhichArguments,
};
use crate::client::tell;
use crate::durable;
use crate::fault::Fault;
use crate::output::{Form, print_table};
use crate::site::{Site, encoded};

/// A list and what restricts it.
struct Wanted<'a> {
    place: &'static str,
    most: &'a MostArguments,
    site: &'a SiteArguments,
    form: Form,
    query: String,
}

impl<'a> Wanted<'a> {
    fn new<T: clap::Args>(
        place: &'static str,
        most: &'a MostArguments,
        asked: &'a Asked<T>,
    ) -> Self {
        Self { place, most, site: &asked.site, form: asked.form.get(), query: String::new() }
    }

    fn with(mut self, key: &str, value: Option<&str>) -> Self {
        if let Some(value) = value {
            self.query += &format!("&{key}={}", encoded(value));
        }
        self
    }

    fn of(self, which: &WhichArguments) -> Self {
        let client = which.client.map(|it| it.to_string());
        self.with("client", client.as_deref())
            .with("name", which.name.as_deref())
            .with("address", which.address.as_deref())
    }

    /// All items up to the limit; says so if there are more.
    fn items<T>(&self, of: impl Fn(Items) -> Option<Vec<T>>) -> Result<Vec<T>, Fault> {
        let most = if self.most.limit == 0 { usize::MAX } else { self.most.limit };
        let mut site = Site::new(self.site)?;
        let (mut all, mut from) = (Vec::new(), "0".to_owned());
        loop {
            let limit = (most - all.len()).min(MOST_LISTED);
            let page: List = site
                .get(&format!("/admin/{}?from={from}&limit={limit}{}", self.place, self.query))?;
            let items = of(page.items);
            all.extend(items.ok_or_else(|| Fault::new("the router lists something else"))?);
            match page.next {
                Some(_) if all.len() >= most => {
                    tell(&format!("there may be more than {most}; --limit lists more"));
                    return Ok(all);
                }
                Some(next) => from = next,
                None => return Ok(all),
            }
        }
    }

    /// Prints a table, or each item as a fact.
    fn print<T>(
        &self,
        items: &[T],
        table: impl FnOnce(&[T]) -> Table,
        fact: impl Fn(&T) -> Value,
    ) -> Result<Ending, Fault> {
        match self.form {
            Form::Text => print_table(table(items))?,
            Form::Json => items.iter().try_for_each(|it| Form::Json.fact(&fact(it)))?,
        }
        Ok(Ending::Right)
    }
}

/// A table with titles of text, then of numbers.
fn titles(left: &[&'static str], right: &[&'static str]) -> Table {
    let left = left.iter().map(|title| (*title, Align::Left));
    Table::new(left.chain(right.iter().map(|title| (*title, Align::Right))))
}

fn count(count: u64) -> String {
    with_commas(count as f64)
}

pub(super) fn clients(asked: &Asked<ClientsArguments>) -> Result<Ending, Fault> {
    let wanted = Wanted::new("clients", &asked.what.most, asked).of(&asked.what.which);
    let items = wanted.items(|it| match it {
        Items::Clients(items) => Some(items),
        _ => None,
    })?;
    let table = |items: &[ClientStatus]| {
        let right = ["id", "subscriptions", "published", "delivered", "waiting", "lost"];
        let mut table = titles(&["name", "address", "profile"], &right);
        for it in items {
            table.row([
                it.name.clone(),
                it.address.clone(),
                it.profile.clone(),
                it.id.to_string(),
                count(it.subscriptions),
                count(it.messages),
                count(it.ledger.delivered),
                count(it.ledger.queued),
                count(it.ledger.discarded),
            ]);
        }
        table
    };
    wanted.print(&items, table, |it| {
        json!({
            "fact": "client", "id": it.id, "name": it.name, "address": it.address,
            "profile": it.profile, "connected_ns": it.connected_ns, "subscriptions": it.subscriptions,
            "published": it.messages, "delivered": it.ledger.delivered, "elided": it.ledger.elided,
            "lost": it.ledger.discarded, "waiting": it.ledger.queued, "waiting_bytes": it.queued_bytes,
        })
    })
}

pub(super) fn subscriptions(asked: &Asked<SubscriptionsArguments>) -> Result<Ending, Fault> {
    let arguments = &asked.what;
    let wanted = Wanted::new("subscriptions", &arguments.most, asked)
        .of(&arguments.which)
        .with("pattern", arguments.pattern.as_deref());
    let items = wanted.items(|it| match it {
        Items::Subscriptions(items) => Some(items),
        _ => None,
    })?;
    let table = |items: &[SubscriptionStatus]| {
        let mut table =
            titles(&["name", "pattern", "kind", "durable"], &["client", "subscription"]);
        for it in items {
            let conflated = if it.is_conflated { ", conflated" } else { "" };
            table.row([
                it.name.clone(),
                it.pattern.clone(),
                format!("{}{conflated}", kind(it.kind)),
                it.durable.clone(),
                it.client.to_string(),
                it.subscription.to_string(),
            ]);
        }
        table
    };
    wanted.print(&items, table, |it| {
        json!({
            "fact": "subscription", "client": it.client, "name": it.name,
            "subscription": it.subscription, "pattern": it.pattern, "kind": kind(it.kind),
            "durable": it.durable, "is_conflated": it.is_conflated,
        })
    })
}

fn kind(kind: SubscriptionKind) -> &'static str {
    match kind {
        SubscriptionKind::Direct => "direct",
        SubscriptionKind::Durable => "durable",
        SubscriptionKind::Replay => "replay",
    }
}

pub(super) fn topics(asked: &Asked<TopicsArguments>) -> Result<Ending, Fault> {
    let wanted = named("topics", asked);
    let items = wanted.items(|it| match it {
        Items::Topics(items) => Some(items),
        _ => None,
    })?;
    let table = |items: &[TopicStatus]| {
        let mut table = titles(&["topic"], &["messages", "matches"]);
        for it in items {
            table.row([it.name.clone(), count(it.messages), count(it.subscriptions)]);
        }
        table
    };
    wanted.print(&items, table, |it| {
        json!({
            "fact": "topic", "name": it.name, "messages": it.messages, "matches": it.subscriptions,
        })
    })
}

pub(super) fn durables(asked: &Asked<TopicsArguments>) -> Result<Ending, Fault> {
    let wanted = named("durables", asked);
    let items = wanted.items(|it| match it {
        Items::Durables(items) => Some(items),
        _ => None,
    })?;
    wanted.print(&items, |items| durable::table(items.iter()), durable::fact)
}

fn named<'a>(place: &'static str, asked: &'a Asked<TopicsArguments>) -> Wanted<'a> {
    let arguments = &asked.what;
    Wanted::new(place, &arguments.most, asked)
        .with("name", arguments.name.as_deref())
        .with("pattern", arguments.pattern.as_deref())
}

pub(super) fn producers(asked: &Asked<ProducersArguments>) -> Result<Ending, Fault> {
    let arguments = &asked.what;
    let client = arguments.client.map(|it| it.to_string());
    let wanted = Wanted::new("producers", &arguments.most, asked)
        .with("name", arguments.name.as_deref())
        .with("client", client.as_deref());
    let items = wanted.items(|it| match it {
        Items::Producers(items) => Some(items),
        _ => None,
    })?;
    let table = |items: &[ProducerStatus]| {
        let right = ["last sequence", "position", "unacknowledged", "client"];
        let mut table = titles(&["producer"], &right);
        for it in items {
            table.row([
                it.name.clone(),
                it.last_sequence.to_string(),
                it.position.to_string(),
                count(it.unacknowledged),
                it.client.map_or_else(|| "-".to_owned(), |client| client.to_string()),
            ]);
        }
        table
    };
    wanted.print(&items, table, |it| {
        json!({
            "fact": "producer", "producer": it.name, "last_sequence": it.last_sequence,
            "position": it.position, "used_ns": it.used_ns, "unacknowledged": it.unacknowledged,
            "client": it.client,
        })
    })
}
