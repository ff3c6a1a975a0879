//! The router's ledgers, against each other, against what was published and against what was written.

use std::collections::BTreeMap;

use trunkline_router::{ClientView, Ledger, MatchView};
use trunkline_server::ConnectionId;

use super::{Host, LinkId};
use crate::model::Model;
use crate::report::{Checked, ensure};

impl Host {
    /// Checks all ledgers against the models.
    pub(crate) fn check_ledgers(&mut self) -> Checked {
        let links: Vec<LinkId> = self.connections.keys().copied().collect();
        for link in links {
            self.check_client(link)?;
        }
        let view = self.engine().router().view();
        let mut sum = view.gone();
        for client in view.clients(0..view.client_places()) {
            sum += client.ledger;
        }
        let total = view.totals().ledger;
        ensure(total == sum && total.is_balanced(), "ledger", || {
            format!("{total:?} in all, but {sum:?} by client")
        })?;
        self.counts.ledgers += 1;
        Ok(())
    }

    /// What was published to those that are gone, and to each client.
    pub(super) fn accounts(&self) -> (u64, BTreeMap<ConnectionId, u64>) {
        let view = self.engine().router().view();
        let clients = view.clients(0..view.client_places());
        let clients = clients.map(|it| (it.id, it.ledger.published)).collect();
        (view.gone().published, clients)
    }

    /// Holds what those that are gone now had against their accounts of before a turn in which nothing was
    /// published.
    pub(super) fn check_gone(&self, before: &(u64, BTreeMap<ConnectionId, u64>)) -> Checked {
        let view = self.engine().router().view();
        let left = before.1.iter().filter(|(id, _)| view.client(**id).is_none());
        let (had, added) = (left.map(|it| *it.1).sum::<u64>(), view.gone().published - before.0);
        ensure(added == had, "ledger", || {
            format!("those that are gone had {had} messages, and {added} were added")
        })
    }

    /// Checks the number of messages delivered to each client against its model.
    pub(super) fn check_delivered(&self) -> Checked {
        let view = self.engine().router().view();
        for (link, at) in &self.connections {
            let Some(client) = at.id.and_then(|id| view.client(id)) else { continue };
            ensure(client.ledger.delivered == at.model.messages, "ledger", || {
                format!("stream {link}: {:?}, {} were written", client.ledger, at.model.messages)
            })?;
        }
        Ok(())
    }

    /// Checks the ledgers of one client and of its matches against its model.
    fn check_client(&mut self, link: LinkId) -> Checked {
        let Some(at) = self.connections.get_mut(&link) else { return Ok(()) };
        let Some(id) = at.id else { return Ok(()) };
        let view = self.event_loop.engine().router().view();
        let Some(client) = view.client(id) else { return Ok(()) };
        check_bounds(&client, &mut at.allowed)?;
        let at = &self.connections[&link];
        let delivered = client.ledger.delivered;
        let in_flight = at.expected.iter().filter(|it| it.is_message).count() as u64;
        ensure(client.ledger.is_balanced() && delivered == at.model.messages, "ledger", || {
            format!("stream {link}: {:?}, {} were written", client.ledger, at.model.messages)
        })?;
        ensure(delivered == at.seen_messages + in_flight, "ledger", || {
            let seen = at.seen_messages;
            format!("stream {link}: {delivered} delivered, {seen} seen, {in_flight} under way")
        })?;
        let mut sum = client.retired;
        let mut matches = 0;
        for matched in view.matches(id) {
            sum += matched.ledger;
            matches += 1;
            if !client.is_closing {
                self.check_match(&at.model, &matched)?;
            }
        }
        ensure(sum == client.ledger, "ledger", || {
            format!("stream {link}: {:?}, but {sum:?} by matched", client.ledger)
        })?;
        if client.is_closing {
            return Ok(());
        }
        let subscriptions = at.model.subscriptions.values();
        let matched = subscriptions.map(|it| {
            self.history.topics().filter(|(name, length)| it.published(name, *length) > 0).count()
        });
        let matched: usize = matched.sum();
        ensure(matched <= matches, "matching", || {
            format!("stream {link}: {matched} topics match, there are {matches}")
        })?;
        Ok(())
    }

    fn check_match(&self, model: &Model, matched: &MatchView<'_>) -> Checked {
        let subscription = model.subscriptions.get(&matched.subscription);
        let published =
            subscription.map(|it| it.published(matched.name, self.history.length(matched.name)));
        let ledger = &matched.ledger;
        let what = |why: &str| {
            let (name, pattern) = (matched.name, matched.pattern);
            format!("{name} for {pattern}: {ledger:?}, {why}")
        };
        let with_value =
            subscription.map_or(0, |it| u64::from(it.values.contains_key(matched.name)));
        let agrees = published.is_some_and(|it| (it..=it + with_value).contains(&ledger.published));
        ensure(agrees, "ledger", || what(&format!("{published:?} were published")))?;
        let known = subscription.and_then(|it| it.matches.get(matched.name));
        let written = known.map_or((0, 0, 0), |it| (it.messages, it.replaced, it.lost));
        let agrees = ledger.is_balanced()
            && ledger.delivered == written.0
            && ledger.elided >= written.1
            && ledger.discarded >= written.2;
        ensure(agrees, "ledger", || {
            what(&format!("written, replaced and lost by the model of the client: {written:?}"))
        })
    }

    /// When nothing waits any more, clients know everything.
    pub(crate) fn check_settled(&mut self) -> Checked {
        self.check_ledgers()?;
        let view = self.engine().router().view();
        for (link, at) in &self.connections {
            let Some(id) = at.id else { continue };
            for (number, it) in &at.model.subscriptions {
                ensure(it.is_whole || !it.wants_last_values, "settling", || {
                    format!("stream {link}: {number} was not told that it has all last values")
                })?;
            }
            for matched in view.matches(id) {
                let known = at.model.subscriptions.get(&matched.subscription);
                let known = known.and_then(|it| it.matches.get(matched.name));
                let Ledger { published, elided, discarded, unrendered, .. } = matched.ledger;
                let (messages, replaced, lost) =
                    known.map_or((0, 0, 0), |it| (it.messages, it.replaced, it.lost));
                // What was replaced by an update that was then lost is told with the next one.
                let unreported = elided - replaced;
                let is_explained =
                    messages + elided + lost == published && lost == discarded + unrendered;
                ensure(is_explained && (unreported == 0 || lost > 0), "settling", || {
                    format!(
                        "stream {link}, {}: {:?}, told: {messages} messages, {replaced} replaced, \
                         {lost} lost",
                        matched.name, matched.ledger
                    )
                })?;
            }
            ensure(at.expected.is_empty(), "settling", || {
                format!("stream {link}: {} events were not seen", at.expected.len())
            })?;
        }
        Ok(())
    }
}

/// No more waits than a client may have waiting. A queue that is shortened may keep what is in it.
fn check_bounds(client: &ClientView<'_>, allowed: &mut (usize, usize)) -> Checked {
    let options = client.options;
    if options.name.is_empty() {
        // It has not said yet what it wants.
        return Ok(());
    }
    allowed.0 = allowed.0.max(options.queue_messages);
    allowed.1 = allowed.1.max(options.queue_bytes);
    ensure(client.queued_messages <= allowed.0 && client.queued_bytes <= allowed.1, "queue", || {
        let (messages, bytes) = (client.queued_messages, client.queued_bytes);
        format!("{messages} messages and {bytes} bytes wait, against {options:?}")
    })
}
