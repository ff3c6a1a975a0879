//! The network of a call by the paper's formula (section 3.2), from calls from structure to structure: beside what
//! the stamps leave for it.

use std::path::Path;

use trunkline_catalogue::commerce::CustomerServices;

use super::servers::{Entry, Servers};
use super::stages::counted;
use super::typed;
use crate::customer_services::batch;
use crate::customer_services::web_service::path_of;
use crate::peer::{ANSWER_TIMEOUT, Peer, PeerError, Stages};
use trunkline_experiment::definition::MessageCase;
use trunkline_experiment::subjects::Known;

/// Who is called, and who calls from structure to structure: a client of the same toolkit.
pub(super) struct Timed {
    pub(super) entry: Entry,
    client: Option<Client>,
}

/// A client of the toolkit whose server is called.
enum Client {
    /// Ours, in this process, and what it sends.
    Ours(Vec<CustomerServices>),
    /// A peer's, in a process of its own.
    Peer(Box<Peer>),
}

impl Client {
    /// That of a peer beside its server, with the structures of the requests.
    fn of_peer(known: Known, program: &Path, entry: &Entry) -> Result<Self, PeerError> {
        let mut peer = Peer::start(known.name, program, ANSWER_TIMEOUT)?;
        let bodies: Vec<&[u8]> = entry.requests.iter().map(|it| &it.bytes[it.head..]).collect();
        peer.load(entry.series.of.name(), &bodies)?;
        Ok(Self::Peer(Box::new(peer)))
    }
}

impl AsMut<[Entry]> for Timed {
    fn as_mut(&mut self) -> &mut [Entry] {
        self.entry.as_mut()
    }
}

impl Timed {
    /// In a quick run only we have a client.
    pub(super) fn new(servers: &mut Servers<'_>, entry: Entry, message: &MessageCase) -> Self {
        let request = servers.setting.request;
        let is_it = |(known, _): &(Known, &Path)| {
            known.subject() == entry.series.subject && known.formats.contains(&entry.series.of)
        };
        let client = match request.peers.found().find(is_it) {
            None => Some(Client::Ours(batch(message, 0))),
            Some(_) if request.is_quick => None,
            Some((known, program)) => {
                let told = |error: PeerError| servers.found.notes.push(error.to_string());
                Client::of_peer(known, program, &entry).map_err(told).ok()
            }
        };
        Self { client, entry }
    }

    /// What one call takes from structure to structure, and what it takes at the server; none where there is no
    /// such client.
    pub(super) fn whole(
        &mut self,
        servers: &mut Servers<'_>,
        calls: u32,
    ) -> Option<Result<(f64, Stages), String>> {
        let entry = &self.entry;
        let peer = &mut servers.server(entry.server).peer;
        let mut stages = || peer.stages().map_err(|error| error.to_string());
        Some(match self.client.as_mut()? {
            Client::Ours(messages) => typed::Caller::new(entry, messages)
                .map_err(|failure| failure.to_string())
                .and_then(|mut caller| {
                    let mut call = |count: u64| caller.calls(count).map_err(|it| it.to_string());
                    whole(&mut call, &mut stages, calls.into())
                }),
            Client::Peer(client) => {
                let path = path_of(entry.series.of).unwrap_or_default();
                let url = format!("http://{}{path}", entry.to.address);
                let mut call = |count: u64| {
                    let times = client.call_service(&url, entry.series.of.name(), count);
                    times.map(|times| times.iter().sum()).map_err(|error| error.to_string())
                };
                whole(&mut call, &mut stages, calls.into())
            }
        })
    }

    /// Keeps the network by the paper's formula beside what our stamps leave for it. A client that fails calls no
    /// more.
    pub(super) fn take_whole(
        &mut self,
        servers: &mut Servers<'_>,
        whole: Option<Result<(f64, Stages), String>>,
        [.., network]: [f64; 5],
    ) {
        match whole {
            None => {}
            Some(Ok((latency, stages))) => {
                let by_formula = network_by_formula(latency, stages);
                let series = &mut self.entry.series;
                series.add("whole-call", "ns", latency);
                series.add("whole-call-codec", "ns", (stages.decode + stages.encode) as f64);
                series.add("network-by-formula", "ns", by_formula);
                series.add("formula-less-stamps", "ns", by_formula - network);
            }
            Some(Err(why)) => {
                let (name, case) = (&self.entry.series.subject, &self.entry.series.case);
                servers.found.notes.push(format!("{name}, {case}, its own client: {why}"));
                self.client = None;
            }
        }
    }
}

/// The mean of calls from structure to structure, and the server's stages of one. The first, which opens the
/// connection, is in neither.
fn whole(
    call: &mut dyn FnMut(u64) -> Result<u64, String>,
    stages: &mut dyn FnMut() -> Result<Stages, String>,
    calls: u64,
) -> Result<(f64, Stages), String> {
    stages()?;
    call(1)?;
    counted(stages, 1)?;
    let nanoseconds = call(calls)?;
    let sum = counted(stages, calls)?;
    let [decode, application, encode] =
        [sum.decode, sum.application, sum.encode].map(|sum| sum / calls.max(1));
    Ok((nanoseconds as f64 / calls as f64, Stages { decode, application, encode, calls: 1 }))
}

/// T1 + T5 as the paper has them (section 3.2): Latency - (T2 + T4) * 2 - T3, as if the client took as long for
/// its serialising and deserialising as the server for its own.
fn network_by_formula(latency: f64, stages: Stages) -> f64 {
    let Stages { decode, application, encode, .. } = stages;
    latency - (decode + encode) as f64 * 2.0 - application as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_formula_takes_the_client_to_work_as_long_as_the_server() {
        let stages = Stages { decode: 30, application: 5, encode: 10, calls: 1 };
        // 20 on the way; a client of the same speed, one that takes nothing, one that takes twice as long.
        for (client, network) in [(40.0, 20.0), (0.0, -20.0), (80.0, 60.0)] {
            assert_eq!(network_by_formula(45.0 + 20.0 + client, stages), network);
        }
        // What is left from before, the call that warms up, and those that count.
        let mut answered = [2, 1, 3].into_iter();
        let mut stages = || {
            let calls = answered.next().ok_or("asked too often")?;
            Ok(Stages { decode: 10 * calls, application: 0, encode: 20 * calls, calls })
        };
        let mut called = Vec::new();
        let mut call = |count: u64| {
            called.push(count);
            Ok(count * 100)
        };
        let (latency, of_one) = whole(&mut call, &mut stages, 3).expect("it is answered");
        assert_eq!((latency, of_one.decode, of_one.encode), (100.0, 10, 20));
        assert_eq!(called, [1, 3]);
    }
}
