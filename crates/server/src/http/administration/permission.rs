//! Who may administer: those who know the token in the file that the configuration names.
//!
//! A page in an administrator's browser does not know it. Nor can such a page make the browser send what it
//! remembers, since the token is in no cookie.

use std::fs::{self, File};
use std::hint::black_box;
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use tracing::{error, warn};
use trunkline_http::{HeaderValue, Peer, Request, StatusCode, header};

use super::super::text;
use super::{AUDIT, Answered};
use crate::config::Admin;

/// The least and the most bytes of a token.
pub const TOKEN_BYTES: std::ops::RangeInclusive<usize> = 16..=1024;

/// The least time between two lines of the log about requests without permission.
const LOGGED_EVERY: Duration = Duration::from_secs(10);

/// Decides who may administer.
pub(crate) struct Permission {
    token_file: Option<PathBuf>,
    origins: Vec<String>,
    rejections: Mutex<Rejections>,
}

/// Requests without permission since the log told of one.
#[derive(Debug, Default)]
struct Rejections {
    count: u64,
    logged: Option<Instant>,
}

impl Permission {
    pub(crate) fn new(config: &Admin) -> Self {
        Self {
            token_file: config.token_file.clone(),
            origins: config.origins.clone(),
            rejections: Mutex::default(),
        }
    }

    /// Who asks, if they may administer.
    pub(super) fn authorize(&self, peer: &Peer, request: &Request<'_>) -> Result<String, Answered> {
        let Some(file) = &self.token_file else {
            let why = "administration is off: admin.token_file of the router's configuration names \
                       the file of its token\n";
            return Err(Box::new(text(StatusCode::FORBIDDEN, why)));
        };
        if let Some(origin) = request.headers.get(header::ORIGIN)
            && !self.origins.iter().any(|it| it.as_bytes() == origin.as_bytes())
        {
            let origin = String::from_utf8_lossy(origin.as_bytes());
            self.log(peer, "a page from elsewhere");
            let why = format!(
                "pages of the origin {origin:?} may not administer; the router's configuration \
                 lists the origins that may (admin.origins)\n"
            );
            return Err(Box::new(text(StatusCode::FORBIDDEN, &why)));
        }
        // It is read each time, so that another token holds as soon as it is in the file.
        let token = read_token(file).map_err(|cause| {
            error!(%cause, "nobody can administer");
            let why = "the router cannot read its token, see its log\n";
            Box::new(text(StatusCode::INTERNAL_SERVER_ERROR, why))
        })?;
        let given = request.header(header::AUTHORIZATION.as_str());
        let given = given.and_then(|it| it.split_once(' '));
        let given = given.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
        if given.is_some_and(|(_, it)| is_same(it.trim().as_bytes(), token.as_bytes())) {
            return Ok("token".to_owned());
        }
        self.log(peer, if given.is_some() { "another token" } else { "no token" });
        let why = "Authorization: Bearer TOKEN is needed, where TOKEN is what the file has that \
                   admin.token_file names\n";
        let mut response = text(StatusCode::UNAUTHORIZED, why);
        response.headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        Err(Box::new(response))
    }

    /// Says so, but not for each of many.
    fn log(&self, peer: &Peer, reason: &str) {
        let mut rejections = self.rejections.lock().unwrap_or_else(PoisonError::into_inner);
        rejections.count += 1;
        if rejections.logged.is_none_or(|at| at.elapsed() >= LOGGED_EVERY) {
            let count = std::mem::take(&mut rejections.count);
            rejections.logged = Some(Instant::now());
            let suppressed = count - 1;
            warn!(
                target: AUDIT,
                audit = "rejected",
                address = %peer.address,
                operation = "administer",
                reason,
                suppressed,
                "rejected"
            );
        }
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
