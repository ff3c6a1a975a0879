//! How a client shows who it is: in the header of its opening request, or as its first text.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use trunkline_native::{Credentials, NAME_BYTES, SECRET_BYTES};

/// A user with its password, or a token.
#[derive(Clone, PartialEq, Eq)]
pub struct Login {
    /// Empty with a token.
    user: String,
    secret: String,
}

impl fmt::Debug for Login {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Login of {:?}", self.user)
    }
}

/// The keys of a text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys<'a> {
    #[serde(borrow)]
    user: Option<Cow<'a, str>>,
    #[serde(borrow)]
    password: Option<Cow<'a, str>>,
    #[serde(borrow)]
    token: Option<Cow<'a, str>>,
}

/// Bytes of a text with credentials, escapes included.
pub(super) const LOGIN_BYTES: usize = 16 << 10;

const FORM: &str = "a login is {\"user\": ..., \"password\": ...} or {\"token\": ...}";

impl Login {
    /// Reads the first text of a client that said `login=true`. What is wrong is said without the text, which may hold
    /// a password.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let keys: Keys<'_> = serde_json::from_str(text).map_err(|_| FORM.to_owned())?;
        match (keys.user, keys.password, keys.token) {
            (Some(user), Some(password), None) if !user.is_empty() => Self::new(&user, &password),
            (None, None, Some(token)) => Self::new("", &token),
            _ => Err(FORM.to_owned()),
        }
    }

    /// Reads the header `Authorization`: `Basic`, or `Bearer` with a token (RFC 7617, RFC 6750).
    ///
    /// # Errors
    ///
    /// Says what is wrong, without the secret.
    pub fn from_header(value: &str) -> Result<Self, String> {
        let (scheme, rest) = value.split_once(' ').unwrap_or((value, ""));
        if scheme.eq_ignore_ascii_case("Bearer") {
            return Self::new("", rest.trim());
        }
        if !scheme.eq_ignore_ascii_case("Basic") {
            return Err("Authorization is Basic or Bearer".to_owned());
        }
        let wrong = || "Authorization: Basic is not a user and a password in base64".to_owned();
        let mut bytes = Vec::new();
        let most = NAME_BYTES + 1 + SECRET_BYTES;
        trunkline_wire::base64::decode_into(rest.trim().as_bytes(), most, &mut bytes)
            .map_err(|_| wrong())?;
        let text = String::from_utf8(bytes).map_err(|_| wrong())?;
        match text.split_once(':') {
            Some((user, password)) if !user.is_empty() => Self::new(user, password),
            _ => Err(wrong()),
        }
    }

    fn new(user: &str, secret: &str) -> Result<Self, String> {
        let is_name = user.len() <= NAME_BYTES && !user.contains(char::is_control);
        match is_name && secret.len() <= SECRET_BYTES {
            true => Ok(Self { user: user.to_owned(), secret: secret.to_owned() }),
            false => Err(format!(
                "a user has at most {NAME_BYTES} bytes and no control characters, a password and a token \
                 at most {SECRET_BYTES}"
            )),
        }
    }

    /// The user, empty with a token, and the password or the token.
    pub fn credentials(&self) -> Credentials<'_> {
        Credentials { user: &self.user, secret: &self.secret }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(login: Result<Login, String>) -> (String, String) {
        let login = login.expect("a login");
        (login.user, login.secret)
    }

    #[test]
    fn both_forms_are_read() {
        let anna = ("anna".to_owned(), "a:b\u{e9}".to_owned());
        assert_eq!(read(Login::parse(r#"{"user": "anna", "password": "a:b\u00e9"}"#)), anna);
        assert_eq!(read(Login::from_header("basic YW5uYTphOmLDqQ==")), anna);
        let token = (String::new(), "4f9a".to_owned());
        assert_eq!(read(Login::parse(r#"{"token": "4f9a"}"#)), token);
        assert_eq!(read(Login::from_header("Bearer 4f9a")), token);
    }

    #[test]
    fn what_is_wrong_is_said_without_the_secret() {
        for text in [
            "",
            "s3cret",
            "{}",
            r#"{"user": "a"}"#,
            r#"{"user": "", "password": "s3cret"}"#,
            r#"{"user": "a", "password": "s3cret", "token": "s3cret"}"#,
            r#"{"user": "a", "pasword": "s3cret"}"#,
            r#"{"user": "a\n", "password": "s3cret"}"#,
        ] {
            let error = Login::parse(text).expect_err(text);
            assert!(error.contains("user") && !error.contains("s3cret"), "{error}");
        }
        for header in ["Digest s3cret", "Basic s3cret!", "Basic", "Basic YW5uYQ==", "Basic OmE="] {
            let error = Login::from_header(header).expect_err(header);
            assert!(error.contains("Authorization") && !error.contains("s3cret"), "{error}");
        }
        let long = format!(r#"{{"token": "{}"}}"#, "s".repeat(1_025));
        assert!(Login::parse(&long).is_err_and(|error| error.contains("at most 1024")));
        let login = Login::parse(r#"{"token": "s3cret"}"#).expect("a login");
        assert!(!format!("{login:?} {:?}", login.credentials()).contains("s3cret"));
    }
}
