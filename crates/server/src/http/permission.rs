//! Who may see what the router does, and change it: those who know the token in the file that the configuration
//! names, and those whom the access rules allow it.
//!
//! A page in an administrator's browser does not know the token, but a browser may send for it what it remembers, a
//! password or a certificate. So pages from elsewhere are known by their origin, and an action is a body that a browser
//! asks for first.

use std::fs::{self, File};
use std::hint::black_box;
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use tracing::{error, warn};
use trunkline_http::{HeaderValue, Peer, Request, Response, StatusCode, header};
use trunkline_reactor::PeerCertificate;
use trunkline_security::{Forbidden, Identity, Operation};
use trunkline_session::websocket::Login;

use super::passwords::{Passwords, Verdict};
use super::text;
use crate::config::Admin;
use crate::engine::audit::{Audit, TARGET};
use crate::engine::{self, Gate};

/// The least and the most bytes of a token.
pub const TOKEN_BYTES: std::ops::RangeInclusive<usize> = 16..=1024;

/// The answer to a request that is not carried out.
pub(super) type Answered = Box<Response>;

/// Decides who may do what over HTTP.
pub(super) struct Permission {
    token_file: Option<PathBuf>,
    origins: Vec<String>,
    passwords: Passwords,
    /// Bounds the lines about what is rejected.
    audit: Mutex<Audit>,
    began: Instant,
}

/// A request that is not allowed.
struct Rejected<'a> {
    status: StatusCode,
    /// Who asked, if that is known.
    identity: &'a Identity,
    operation: Operation,
    /// The rule that denies it.
    rule: &'a str,
    reason: &'a str,
}

const ADMINISTRATION_IS_OFF: &str = "administration is off: admin.token_file of the router's configuration names the file of its \
     token, or access rules allow \"administer\"";
const TOKEN_IS_NEEDED: &str = "Authorization: Bearer TOKEN is needed, where TOKEN is what the file has that \
                               admin.token_file names";

impl Permission {
    pub(super) fn new(config: &Admin) -> Self {
        Self {
            token_file: config.token_file.clone(),
            origins: config.origins.clone(),
            passwords: Passwords::new(),
            audit: Mutex::default(),
            began: Instant::now(),
        }
    }

    /// Whether somebody may read metrics and status: everybody who may connect where there are no rules, else those
    /// who may observe, and administrators.
    pub(super) fn may_observe(
        &self,
        gate: &Gate,
        peer: &Peer,
        request: &Request<'_>,
    ) -> Result<(), Answered> {
        if gate.rules.is_empty() && gate.of_peer(&as_client(peer)).is_ok() {
            return Ok(());
        }
        self.authorize(gate, peer, request, Operation::Observe).map(|_| ())
    }

    /// Who asks, if they may administer, or see what administrators see.
    pub(super) fn may_administer(
        &self,
        gate: &Gate,
        peer: &Peer,
        request: &Request<'_>,
        operation: Operation,
    ) -> Result<String, Answered> {
        let reject = |status, reason: &str| {
            let (identity, rule) = (&Identity::Anonymous, "");
            self.reject(peer, request, &Rejected { status, identity, operation, rule, reason })
        };
        if self.token_file.is_none() && gate.rules.is_empty() {
            return Err(reject(StatusCode::FORBIDDEN, ADMINISTRATION_IS_OFF));
        }
        if let Some(origin) = request.headers.get(header::ORIGIN)
            && !self.origins.iter().any(|it| it.as_bytes() == origin.as_bytes())
        {
            let why = format!(
                "pages of the origin {:?} may not administer; the router's configuration \
                 lists the origins that may (admin.origins)",
                String::from_utf8_lossy(origin.as_bytes())
            );
            return Err(reject(StatusCode::FORBIDDEN, &why));
        }
        if !gate.rules.is_empty() {
            return self.authorize(gate, peer, request, operation);
        }
        match self.has_token(request) {
            Ok(true) => Ok(ADMINISTRATOR.to_owned()),
            Ok(false) => Err(reject(StatusCode::UNAUTHORIZED, TOKEN_IS_NEEDED)),
            Err(cause) => {
                error!(%cause, "nobody can administer");
                let why = "the router cannot read its token, see its log\n";
                Err(Box::new(text(StatusCode::INTERNAL_SERVER_ERROR, why)))
            }
        }
    }

    /// Who asks, if the rules allow it, or the token does.
    fn authorize(
        &self,
        gate: &Gate,
        peer: &Peer,
        request: &Request<'_>,
        operation: Operation,
    ) -> Result<String, Answered> {
        let is_administrator = self.has_token(request).unwrap_or_else(|cause| {
            error!(%cause, "the token administers nothing");
            false
        });
        if is_administrator {
            return Ok(ADMINISTRATOR.to_owned());
        }
        let identity = self.identify(gate, peer, request).map_err(|(status, reason)| {
            let (identity, rule, reason) = (&Identity::Anonymous, "", &*reason);
            self.reject(peer, request, &Rejected { status, identity, operation, rule, reason })
        })?;
        let permissions = gate.rules.permissions(&identity);
        let decided = match operation {
            Operation::Administer => permissions.administer(),
            _ => permissions.observe(),
        };
        decided.map_err(|forbidden| {
            let Forbidden { identity, rule, .. } = &*forbidden;
            let status = match identity.is_known() {
                true => StatusCode::FORBIDDEN,
                false => StatusCode::UNAUTHORIZED,
            };
            let (rule, reason) = (rule.as_deref().unwrap_or_default(), forbidden.to_string());
            let reason = &*reason;
            self.reject(peer, request, &Rejected { status, identity, operation, rule, reason })
        })?;
        Ok(identity.to_string())
    }

    /// Who asks; or what is wrong with how it is said.
    fn identify(
        &self,
        gate: &Gate,
        peer: &Peer,
        request: &Request<'_>,
    ) -> Result<Identity, (StatusCode, String)> {
        let wrong = |reason: &str| (StatusCode::UNAUTHORIZED, reason.to_owned());
        let Some(given) = request.headers.get(header::AUTHORIZATION) else {
            return gate.of_peer(&as_client(peer)).map_err(wrong);
        };
        let given = given.to_str().map_err(|_| wrong("Authorization is no text"))?;
        let login = Login::from_header(given).map_err(|reason| wrong(&reason))?;
        let shown = login.credentials();
        if shown.user.is_empty() {
            let found = gate.credentials.user_of_token(shown.secret);
            return found
                .map(|(user, _)| Identity::User(user))
                .ok_or_else(|| wrong("nobody has this token"));
        }
        let host = peer.address.ip().to_canonical();
        match self.passwords.check(&gate.credentials, host, shown.user, shown.secret) {
            Verdict::Right => Ok(Identity::user(shown.user)),
            Verdict::Wrong => Err(wrong("the user or the password is wrong")),
            Verdict::Busy => {
                let why = "other passwords are being compared, try again".to_owned();
                Err((StatusCode::SERVICE_UNAVAILABLE, why))
            }
        }
    }

    /// Whether the request has the token of administrators. The file is read each time, so that another token holds as
    /// soon as it is there.
    fn has_token(&self, request: &Request<'_>) -> io::Result<bool> {
        let given = request.header(header::AUTHORIZATION.as_str());
        let given = given.and_then(|it| it.split_once(' '));
        let given = given.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
        let (Some((_, given)), Some(file)) = (given, &self.token_file) else { return Ok(false) };
        Ok(is_same(given.trim().as_bytes(), read_token(file)?.as_bytes()))
    }

    /// Says so in the audit log, but not for each of many, and gives the answer.
    fn reject(&self, peer: &Peer, request: &Request<'_>, it: &Rejected<'_>) -> Answered {
        let Rejected { status, identity, operation, rule, reason } = *it;
        let source = match identity.is_known() {
            true => identity.to_string(),
            false => peer.address.ip().to_string(),
        };
        let now = u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let admitted =
            self.audit.lock().unwrap_or_else(PoisonError::into_inner).admit(now, &source);
        if let Some(suppressed) = admitted {
            warn!(
                target: TARGET,
                audit = "rejected",
                %identity,
                address = %peer.address,
                %operation,
                what = request.path,
                rule,
                reason,
                suppressed,
                "rejected"
            );
        }
        let mut response = text(status, &format!("{reason}\n"));
        let headers = &mut response.headers;
        if status == StatusCode::UNAUTHORIZED {
            headers.append(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            if reason != TOKEN_IS_NEEDED {
                let basic =
                    HeaderValue::from_static("Basic realm=\"trunkline\", charset=\"UTF-8\"");
                headers.append(header::WWW_AUTHENTICATE, basic);
            }
        } else if status == StatusCode::SERVICE_UNAVAILABLE {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        Box::new(response)
    }
}

/// Who has the token of administrators, in the audit log.
const ADMINISTRATOR: &str = "token";

/// As a client of the router would be that is connected from there.
fn as_client(peer: &Peer) -> engine::Peer {
    let subject = peer.tls.as_ref().and_then(|it| it.subject.clone());
    engine::Peer {
        transport: if peer.tls.is_some() { "tls" } else { "tcp" },
        address: peer.address.to_string(),
        certificate: subject
            .map(|subject| PeerCertificate { subject, ..PeerCertificate::default() }),
    }
}

/// Compares all bytes, so that the time says nothing of how many are right.
fn is_same(given: &[u8], token: &[u8]) -> bool {
    let differences =
        given.iter().zip(token).fold(0, |all, (one, other)| black_box(all | (one ^ other)));
    given.len() == token.len() && differences == 0
}

/// The token of a file, which others than its owner and group must not be able to read.
///
/// # Errors
/// Says what is wrong with the file, and names it.
pub(crate) fn read_token(path: &Path) -> io::Result<String> {
    let wrong =
        |why: &str| io::Error::other(format!("{} (admin.token_file): {why}", path.display()));
    let read = || {
        let file = File::open(path)?;
        let mode = file.metadata()?.mode();
        let mut text = String::new();
        file.take(*TOKEN_BYTES.end() as u64 + 2).read_to_string(&mut text)?;
        io::Result::Ok((mode, text))
    };
    // Opening a pipe would wait for its other end.
    let is_file = fs::metadata(path).map(|it| it.is_file());
    if !is_file.map_err(|cause| wrong(&cause.to_string()))? {
        return Err(wrong("it is no file"));
    }
    let (mode, text) = read().map_err(|cause| wrong(&cause.to_string()))?;
    if mode & 0o007 != 0 {
        return Err(wrong("everybody may use it: chmod 600"));
    }
    let token = text.trim_end_matches(['\r', '\n']);
    if !TOKEN_BYTES.contains(&token.len()) || !token.bytes().all(|it| it.is_ascii_graphic()) {
        return Err(wrong(
            "a token is one line of 16 to 1024 ASCII characters without blanks, such as `openssl rand -hex 32` prints",
        ));
    }
    Ok(token.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_token_is_the_token() {
        assert!(is_same(b"token", b"token"));
        for other in [&b""[..], b"toke", b"tokens", b"Token", b"tokem"] {
            assert!(!is_same(other, b"token"), "{other:?}");
        }
    }
}
