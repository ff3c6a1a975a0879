//! What POST asks for.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use tracing::{info, warn};
use trunkline_http::{Peer, Request, StatusCode, header};
use trunkline_store::Start;

use super::{AUDIT, Answered, Wanted, bad, no_such_place, only, text};
use crate::administration::{Answer, DisconnectRequest, DrainRequest, Rejection, StoreRequest};

/// Bytes of a text that clients are told.
const REASON_BYTES: usize = 200;

/// The body of what needs none.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

/// The body of the end of one connection.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Reason {
    reason: String,
}

/// The body of what is done with one durable subscription or producer.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    name: String,
}

/// The body of a move of a durable subscription.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Seek {
    name: String,
    to: To,
}

/// Where to.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum To {
    Start,
    End,
    Position(u64),
    TimeNs(u64),
}

fn named(request: &Request<'_>, what: fn(String) -> StoreRequest) -> Result<Wanted, Answered> {
    body(request).map(|Named { name }| Wanted::Store(what(name)))
}

/// The request of a place with its body.
pub(super) fn wanted(place: &str, request: &Request<'_>) -> Result<Wanted, Answered> {
    match place {
        "clients/disconnect" => {
            let wanted: DisconnectRequest = body(request)?;
            if wanted.filter() == crate::administration::Filter::default() {
                return Err(bad("which client: client, name or address says it"));
            }
            check_reason(&wanted.reason)?;
            Ok(Wanted::Disconnect(wanted))
        }
        "drain" => {
            let wanted: DrainRequest = body(request)?;
            check_reason(&wanted.reason)?;
            Ok(Wanted::Drain(wanted))
        }
        "durables/seek" => {
            let Seek { name, to } = body(request)?;
            let start = match to {
                To::Start => Start::All,
                To::End => Start::New,
                To::Position(position) => Start::Position(position),
                To::TimeNs(time) => Start::Time(time),
            };
            Ok(Wanted::Store(StoreRequest::Seek(name, start)))
        }
        "durables/pause" => named(request, StoreRequest::Pause),
        "durables/resume" => named(request, StoreRequest::Resume),
        "durables/purge" => named(request, StoreRequest::Purge),
        "durables/delete" => named(request, StoreRequest::Delete),
        "producers/delete" => named(request, StoreRequest::DeleteProducer),
        "rotate" => body(request).map(|Nothing {}| Wanted::Rotate),
        "undrain" => body(request).map(|Nothing {}| Wanted::Undrain),
        "clients" | "subscriptions" | "topics" | "durables" | "producers" => {
            Err(only("GET and HEAD", "GET, HEAD"))
        }
        place => {
            let id = place.strip_prefix("clients/").and_then(|it| it.strip_suffix("/disconnect"));
            let Some(id) = id else { return Err(no_such_place(place)) };
            let Ok(client) = id.parse() else {
                return Err(bad(&format!(
                    "{id:?} is no number of a client; /admin/clients has them"
                )));
            };
            let Reason { reason } = body(request)?;
            check_reason(&reason)?;
            let client = Some(client);
            Ok(Wanted::Disconnect(DisconnectRequest { client, reason, ..Default::default() }))
        }
    }
}

/// A body of JSON. A page from elsewhere cannot send one without asking first, which is rejected.
fn body<T: DeserializeOwned>(request: &Request<'_>) -> Result<T, Answered> {
    let media_type = request.header(header::CONTENT_TYPE.as_str()).unwrap_or_default();
    let media_type = media_type.split(';').next().unwrap_or_default().trim();
    if !media_type.eq_ignore_ascii_case("application/json") {
        let problem = "an action is a body of JSON: Content-Type: application/json\n";
        return Err(Box::new(text(StatusCode::UNSUPPORTED_MEDIA_TYPE, problem)));
    }
    serde_json::from_slice(request.body).map_err(|error| bad(&format!("the body: {error}")))
}

fn check_reason(reason: &str) -> Result<(), Answered> {
    if reason.len() > REASON_BYTES || reason.contains(char::is_control) {
        let problem = format!("reason has at most {REASON_BYTES} bytes, and no control characters");
        return Err(bad(&problem));
    }
    Ok(())
}

/// A line of the audit log for each action.
pub(super) fn log(
    identity: &str,
    peer: &Peer,
    action: &str,
    body: &[u8],
    answered: Option<&Result<Answer, Rejection>>,
) {
    let address = peer.address;
    let what = format!("{action} {}", String::from_utf8_lossy(body));
    let operation = "administer";
    let reason = match answered {
        Some(Ok(answer)) => {
            let count = match answer {
                Answer::Disconnected(it) => it.count,
                _ => 1,
            };
            return info!(target: AUDIT, audit = "done", identity, %address, operation, what, count, "done");
        }
        Some(Err(rejection)) => rejection.why(),
        None => "the router does not answer in time",
    };
    warn!(target: AUDIT, audit = "rejected", identity, %address, operation, what, reason, "rejected");
}
