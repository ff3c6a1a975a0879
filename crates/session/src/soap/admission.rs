//! Who may call: requests are looked at before their envelopes are read.

use std::fmt;
use std::net::SocketAddr;

use trunkline_http::{HeaderMap, HeaderValue, Method, Response, StatusCode, header};
use trunkline_wire::base64;

use super::http::unless_panics;

/// A request of which no envelope has been read yet.
#[derive(Clone, Copy, Debug)]
pub struct Arrival<'a> {
    pub(super) caller: SocketAddr,
    pub(super) certificate: Option<&'a str>,
    pub(super) method: &'a Method,
    pub(super) path: &'a str,
    /// None over SOAP/TCP.
    pub(super) headers: Option<&'a HeaderMap>,
}

/// A user name and a password (RFC 7617).
#[derive(Clone, PartialEq, Eq)]
pub struct BasicLogin {
    /// Who.
    pub user: String,
    /// It is not shown.
    pub password: String,
}

/// Why a request is not answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    status: StatusCode,
    reason: String,
    challenge: Option<HeaderValue>,
}

/// What decides about requests.
pub(super) enum Admission {
    By(Box<Rule>),
    Basic { challenge: HeaderValue, check: Box<Check> },
}

type Rule = dyn Fn(&Arrival<'_>) -> Result<Option<String>, Refusal> + Send + Sync;
/// Learns of requests that are turned away.
pub(super) type RefusalLog = dyn Fn(&Arrival<'_>, &Refusal) + Send + Sync;
type Check = dyn Fn(&str, &str) -> bool + Send + Sync;

/// The login that was good on a connection, as it stood in the header, and who that is.
#[derive(Debug, Default)]
pub(super) struct Remembered(Option<(HeaderValue, String)>);

/// A login has at most so many bytes.
const LONGEST: usize = 4096;

impl<'a> Arrival<'a> {
    /// Who asks.
    pub fn caller(&self) -> SocketAddr {
        self.caller
    }

    /// The subject of the caller's certificate, with mutual TLS.
    pub fn certificate(&self) -> Option<&'a str> {
        self.certificate
    }

    /// `POST` calls an operation, also over SOAP/TCP.
    pub fn method(&self) -> &'a Method {
        self.method
    }

    /// What is asked for: the path of a service, or another one.
    pub fn path(&self) -> &'a str {
        self.path
    }

    /// All headers of HTTP; none over SOAP/TCP, which has no headers.
    pub fn headers(&self) -> Option<&'a HeaderMap> {
        self.headers
    }

    /// A header of HTTP, if it is there and is text; the first one if there are several.
    pub fn header(&self, name: &str) -> Option<&'a str> {
        self.headers?.get(name)?.to_str().ok()
    }

    /// The user and password of the header `Authorization`.
    ///
    /// # Errors
    /// What is there is no such login.
    pub fn basic(&self) -> Result<Option<BasicLogin>, Refusal> {
        let Some(value) = self.headers.and_then(|it| it.get(header::AUTHORIZATION)) else {
            return Ok(None);
        };
        BasicLogin::of(value).map(Some).map_err(|why| {
            let reason = format!("the header Authorization is no login of the scheme Basic: {why}");
            Refusal::new(StatusCode::UNAUTHORIZED, &reason)
        })
    }
}

impl BasicLogin {
    /// The value of the header `Authorization`.
    ///
    /// # Errors
    /// Says which part cannot be sent: a user name has no colon, and neither part control characters.
    pub(super) fn header(user: &str, password: &str) -> Result<HeaderValue, &'static str> {
        match () {
            () if user.contains(':') => Err("a user name with a colon"),
            () if user.contains(char::is_control) => Err("a user name with a control character"),
            () if password.contains(char::is_control) => Err("a password with a control character"),
            () => {
                let mut value = b"Basic ".to_vec();
                base64::encode_into(format!("{user}:{password}").as_bytes(), &mut value);
                let mut value = HeaderValue::from_bytes(&value).map_err(|_| "a login so long")?;
                value.set_sensitive(true);
                Ok(value)
            }
        }
    }

    fn of(value: &HeaderValue) -> Result<Self, &'static str> {
        let text = value.to_str().map_err(|_| "it is not ASCII")?;
        let (scheme, rest) = text.split_once(' ').unwrap_or((text, ""));
        if !scheme.eq_ignore_ascii_case("basic") {
            return Err("it is of another scheme");
        }
        let mut login = Vec::new();
        base64::decode_into(rest.trim().as_bytes(), LONGEST, &mut login)
            .map_err(|_| "it is not base64, or too long")?;
        let login = String::from_utf8(login).map_err(|_| "it is not UTF-8")?;
        let (user, password) = login.split_once(':').ok_or("it has no colon")?;
        Ok(Self { user: user.to_owned(), password: password.to_owned() })
    }
}

impl fmt::Debug for BasicLogin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("BasicLogin").field("user", &self.user).finish_non_exhaustive()
    }
}

impl Refusal {
    /// An answer of HTTP with this status; over SOAP/TCP an error with this text. Callers see the reason.
    pub fn new(status: StatusCode, reason: &str) -> Self {
        Self { status, reason: reason.to_owned(), challenge: None }
    }

    /// 403: the caller is known, and may not.
    pub fn forbidden(reason: &str) -> Self {
        Self::new(StatusCode::FORBIDDEN, reason)
    }

    /// 401 with the header `WWW-Authenticate`, such as `Bearer realm="orders"`, by which a client learns how to
    /// show who it is (RFC 9110 section 11.6.1).
    pub fn unauthorized(challenge: &HeaderValue, reason: &str) -> Self {
        let challenge = Some(challenge.clone());
        Self { status: StatusCode::UNAUTHORIZED, reason: reason.to_owned(), challenge }
    }

    /// Why.
    pub fn reason(&self) -> &str {
        &self.reason
    }

    pub(super) fn response(&self) -> Response {
        let mut response = Response::text(self.status, &format!("{}\n", self.reason));
        if let Some(challenge) = &self.challenge {
            response.headers.insert(header::WWW_AUTHENTICATE, challenge.clone());
        }
        response
    }
}

impl Admission {
    /// The realm is a name for humans; quotes and control characters are left out.
    pub(super) fn basic(realm: &str, check: Box<Check>) -> Self {
        let plain = |it: &char| !it.is_control() && it.is_ascii() && !['"', '\\'].contains(it);
        let realm: String = realm.chars().filter(plain).collect();
        let challenge =
            HeaderValue::try_from(format!("Basic realm=\"{realm}\", charset=\"UTF-8\""))
                .unwrap_or(HeaderValue::from_static("Basic realm=\"\""));
        Self::Basic { challenge, check }
    }

    /// Who calls, if that is told by something else than the certificate. What panics admits nobody.
    pub(super) fn admit(
        &self,
        arrival: &Arrival<'_>,
        remembered: &mut Remembered,
    ) -> Result<Option<String>, Refusal> {
        unless_panics(|| match self {
            Self::By(rule) => rule(arrival),
            Self::Basic { challenge, check } => {
                let unauthorized = |reason: &str| Refusal::unauthorized(challenge, reason);
                let Some(headers) = arrival.headers else {
                    let reason = "a user and a password are needed, which SOAP/TCP does not carry";
                    return Err(unauthorized(reason));
                };
                let value = headers.get(header::AUTHORIZATION);
                if let (Some(value), Some((known, user))) = (value, &remembered.0)
                    && value == known
                {
                    return Ok(Some(user.clone()));
                }
                let login = arrival.basic().map_err(|it| unauthorized(it.reason()))?;
                match (login, value) {
                    (Some(BasicLogin { user, password }), Some(value))
                        if check(&user, &password) =>
                    {
                        remembered.0 = Some((value.clone(), user.clone()));
                        Ok(Some(user))
                    }
                    (Some(_), _) => Err(unauthorized("the user or the password is wrong")),
                    (None, _) => Err(unauthorized("a user and a password are needed")),
                }
            }
        })
        .unwrap_or_else(|| {
            let reason = "what decides who may call failed, and does not say why";
            Err(Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, reason))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_is_that_of_rfc_7617() {
        let header = |user, password| {
            BasicLogin::header(user, password).map(|it| it.to_str().unwrap().to_owned())
        };
        assert_eq!(header("Aladdin", "open sesame").unwrap(), "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
        assert_eq!(header("test", "123\u{a3}").unwrap(), "Basic dGVzdDoxMjPCow==");
        assert_eq!(header("a:b", ""), Err("a user name with a colon"));
        let read = |value| BasicLogin::of(&HeaderValue::from_static(value));
        let login = |user: &str, password: &str| {
            Ok(BasicLogin { user: user.to_owned(), password: password.to_owned() })
        };
        assert_eq!(read("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), login("Aladdin", "open sesame"));
        assert_eq!(read("bASIC dGVzdDoxMjPCow=="), login("test", "123\u{a3}"));
        assert_eq!(read("Basic YTpiOmM="), login("a", "b:c"));
        for (wrong, why) in [
            ("Bearer YTpi", "it is of another scheme"),
            ("Basic", "it has no colon"),
            ("Basic YWI=", "it has no colon"),
            ("Basic !", "it is not base64, or too long"),
            ("Basic gA==", "it is not UTF-8"),
        ] {
            assert_eq!(read(wrong), Err(why), "{wrong}");
        }
    }
}
