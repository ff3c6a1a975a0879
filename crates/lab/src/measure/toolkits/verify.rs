//! Is everything answered rightly, and does everybody look? Before anything is timed:
//!
//! - our client calls the server, and compares each answer;
//! - the client calls a service of ours that looks at each request, and sees how it travelled;
//! - the client calls a service that changes what it gives back, and has to say so, once with each operation.

use std::sync::{Arc, Mutex, PoisonError};

use super::pair::{Carried, Pair, one_end};
use crate::measure::Setting;
use crate::operations::{Connector, Manner, check, service};
use crate::peer::{PeerError, PeerErrorKind};
use trunkline_experiment::names::BARE;
use trunkline_experiment::toolkits::{Call, Mode, Operation, Service};
use trunkline_session::soap::{Running, Server};

/// Tries a pair with these calls, and returns those that its server answers wrongly, with what is wrong: some
/// toolkits of others do so where there is much.
///
/// # Errors
/// Says in one line what is wrong with all else.
pub(super) fn verify(
    setting: &Setting<'_>,
    pair: &mut Pair,
    calls: &[Call],
) -> Result<Vec<(Call, String)>, String> {
    if pair.toolkit.name == BARE {
        return Ok(Vec::new());
    }
    let wrong = wrong_answers(pair, calls)?;
    let is_right = |call: &Call| wrong.iter().all(|(it, _)| it != call);
    let right: Vec<Call> = calls.iter().copied().filter(is_right).collect();
    if let Some((call, what)) = wrong.first()
        && (right.is_empty() || !pair.toolkit.is_peer() || pair.toolkit.endpoint.is_some())
    {
        return Err(format!("its server, {call}: {what}"));
    }
    // Of an endpoint the client is ours.
    if pair.toolkit.endpoint.is_none() {
        let tried = try_client(setting, pair, &right);
        pair.forget_connections();
        tried?;
    }
    Ok(wrong)
}

/// The calls that its server does not answer rightly.
fn wrong_answers(pair: &Pair, calls: &[Call]) -> Result<Vec<(Call, String)>, String> {
    let mut wrong = Vec::new();
    // Nobody else speaks RMI.
    if pair.mode == Mode::Rmi {
        return Ok(wrong);
    }
    let mode = if pair.mode == Mode::HttpReferences { Mode::Http } else { pair.mode };
    let connector = Connector::new((pair.service, mode), &pair.target)?;
    let connect = || connector.connect();
    let mut port = connect()?;
    for &call in calls {
        if let Err(what) = check(&mut port, call) {
            wrong.push((call, what));
            port = connect()?;
        }
    }
    Ok(wrong)
}

fn try_client(setting: &Setting<'_>, pair: &mut Pair, calls: &[Call]) -> Result<(), String> {
    let failed = |call: Call, error: PeerError| format!("its client, {call}: {error}");
    if pair.mode != Mode::Rmi {
        let strict = Watched::start(pair.service, Manner::Strict)?;
        pair.connect_to(&strict.port(), 1).map_err(|error| error.to_string())?;
        for &call in calls {
            pair.call(carried(call), 1).map_err(|error| failed(call, error))?;
        }
        strict.expect(pair.mode)?;
    }
    let (_own, _ours);
    let port = match pair.mode {
        // Nobody else speaks it.
        Mode::Rmi => {
            let program = super::program(setting, pair.toolkit, pair.service);
            let own = one_end(setting, (pair.toolkit, pair.service), program.as_deref());
            let mut own = own.map_err(|error| error.to_string())?;
            let port = own.serve_operations(pair.mode.name(), 1, true);
            _own = own;
            port.map_err(|error| error.to_string())?.to_string()
        }
        _ => {
            let wrong = Watched::start(pair.service, Manner::Wrong)?;
            let port = wrong.port();
            _ours = wrong;
            port
        }
    };
    // There is nothing to change in nothing. Calls are in the order of operations.
    let mut once = calls.to_vec();
    once.dedup_by_key(|it| it.operation);
    for call in once.into_iter().filter(|it| it.operation != Operation::EchoVoid) {
        pair.connect_to(&port, 1).map_err(|error| error.to_string())?;
        match pair.call(carried(call), 1) {
            Err(error) if matches!(error.kind(), PeerErrorKind::Rejected(_)) => {}
            Err(error) => return Err(failed(call, error)),
            Ok(_) => return Err(format!("its client takes a wrong answer to {call} for right")),
        }
    }
    Ok(())
}

fn carried(call: Call) -> Carried {
    Carried { call, bytes: [0; 2] }
}

/// Our service, in this process, and how its calls travelled.
struct Watched {
    server: Running,
    profiles: Arc<Mutex<Vec<String>>>,
}

impl Watched {
    fn start(which: Service, manner: Manner) -> Result<Self, String> {
        let profiles = Arc::<Mutex<Vec<String>>>::default();
        let seen = Arc::clone(&profiles);
        let server = Server::new().service(service(which, manner)).on_call(move |report| {
            let it = &report.profile;
            let profile = format!(
                "{}/{}/{}/{}/{}",
                it.transport, it.envelope, it.encoding, it.vocabulary, it.compression
            );
            let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
            if !seen.contains(&profile) {
                seen.push(profile);
            }
        });
        let server = server.start("127.0.0.1:0").map_err(|error| error.to_string())?;
        Ok(Self { server, profiles })
    }

    fn port(&self) -> String {
        self.server.address().port().to_string()
    }

    /// All calls travelled as the mode says.
    fn expect(&self, mode: Mode) -> Result<(), String> {
        let seen = self.profiles.lock().unwrap_or_else(PoisonError::into_inner);
        let is_of_mode = |it: &String| mode.profile() == it;
        match seen.iter().find(|it| !is_of_mode(it)) {
            Some(other) => Err(format!("its client calls by {other}, not {}", mode.profile())),
            None if seen.is_empty() => Err("its client called nobody".into()),
            None => Ok(()),
        }
    }
}
