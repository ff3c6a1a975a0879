//! Administration over HTTP, below `/admin`: lists by GET, actions by POST.
//!
//! Lists need the right to observe, actions that to administer ([`Permission`]); each action is a line of the log.

mod action;
mod list;

use trunkline_http::{HeaderValue, Method, Peer, Request, Response, StatusCode, header};
use trunkline_security::Operation;

use super::permission::{Answered, Permission};
use super::text;
use crate::administration::{Answer, Rejection, Request as Wanted};
use crate::engine::audit::TARGET as AUDIT;
use crate::server::Handle;

/// What the pages of the router say of these.
pub(super) const PAGES: &str = "/admin/clients  and the like: for administrators\n";

const PLACES: &str = "GET   /admin/clients        ?client=ID&name=NAME&address=ADDRESS&from=PLACE&limit=N\n\
                      GET   /admin/subscriptions  the same, and &pattern=PATTERN: what has topics in common with it\n\
                      GET   /admin/topics         ?name=NAME&pattern=PATTERN&from=PLACE&limit=N\n\
                      GET   /admin/durables       the same\n\
                      GET   /admin/producers      ?client=ID&name=NAME&from=PLACE&limit=N\n\
                      GET   /admin/drain          how far a drain has come\n\
                      POST  /admin/clients/disconnect     {\"client\":ID,\"name\":NAME,\"address\":ADDRESS,\"all\":false,\"reason\":TEXT}\n\
                      POST  /admin/clients/ID/disconnect  {\"reason\":TEXT}\n\
                      POST  /admin/drain          {\"reason\":TEXT,\"timeout_ms\":N,\"stop\":false}\n\
                      POST  /admin/undrain        {}\n\
                      POST  /admin/rotate         {}\n\
                      POST  /admin/durables/pause    {\"name\":NAME}; and resume, purge, delete\n\
                      POST  /admin/durables/seek     {\"name\":NAME,\"to\":\"start\"}; or \"end\", {\"position\":N}, {\"time_ns\":N}\n\
                      POST  /admin/producers/delete  {\"name\":NAME}\n\
                      * in NAME and ADDRESS stands for anything.\n";

/// Whether a path is one of these.
pub(super) fn is_below(path: &str) -> bool {
    path.strip_prefix("/admin").is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Answers administrators.
pub(super) fn answer(
    permission: &Permission,
    router: &Handle,
    peer: &Peer,
    request: &Request<'_>,
) -> Response {
    let (who, wanted, place) = match permitted(permission, router, peer, request) {
        Ok(permitted) => permitted,
        Err(response) => return *response,
    };
    let answered = router.administer(wanted);
    if *request.method == Method::POST {
        action::log(&who, peer, place, request.body, answered.as_ref());
    }
    match answered {
        Some(Ok(answer)) => json(&answer),
        Some(Err(rejection)) => rejected(&rejection),
        None => text(
            StatusCode::SERVICE_UNAVAILABLE,
            "the router does not answer, or too many ask at a time\n",
        ),
    }
}

/// Who asks, for what, and at which place below `/admin`.
fn permitted<'a>(
    permission: &Permission,
    router: &Handle,
    peer: &Peer,
    request: &Request<'a>,
) -> Result<(String, Wanted, &'a str), Answered> {
    let is_list = matches!(*request.method, Method::GET | Method::HEAD);
    let operation = if is_list { Operation::Observe } else { Operation::Administer };
    let who = permission.may_administer(&router.gate(), peer, request, operation)?;
    let place = request.path.strip_prefix("/admin").unwrap_or(request.path);
    let place = place.strip_prefix('/').unwrap_or(place);
    let wanted = match *request.method {
        Method::POST => action::wanted(place, request)?,
        _ if is_list => list::wanted(place, request.query.unwrap_or_default())?,
        _ => return Err(only("GET, HEAD and POST", "GET, HEAD, POST")),
    };
    Ok((who, wanted, place))
}

/// Nothing is there.
fn no_such_place(place: &str) -> Answered {
    let text = format!("there is no /admin/{place}; there are\n{PLACES}");
    Box::new(self::text(StatusCode::NOT_FOUND, &text))
}

/// The place is for other methods.
fn only(methods: &str, allow: &'static str) -> Answered {
    let mut response = text(StatusCode::METHOD_NOT_ALLOWED, &format!("only {methods}\n"));
    response.headers.insert(header::ALLOW, HeaderValue::from_static(allow));
    Box::new(response)
}

fn bad(problem: &str) -> Answered {
    Box::new(text(StatusCode::BAD_REQUEST, &format!("{problem}\n")))
}

fn rejected(rejection: &Rejection) -> Response {
    let status = match rejection {
        Rejection::NotFound(_) => StatusCode::NOT_FOUND,
        Rejection::Ambiguous(_) | Rejection::Conflict(_) => StatusCode::CONFLICT,
        Rejection::Unavailable(_) | Rejection::Busy(_) => StatusCode::SERVICE_UNAVAILABLE,
    };
    text(status, &format!("{}\n", rejection.why()))
}

fn json(answer: &Answer) -> Response {
    match serde_json::to_vec(answer) {
        Ok(body) => {
            let mut response = Response { body, ..Response::default() };
            response.content_type("application/json");
            response
        }
        Err(error) => text(StatusCode::INTERNAL_SERVER_ERROR, &format!("{error}\n")),
    }
}
