//! The credentials file: who there is, and what shows that it is them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use subtle::ConstantTimeEq as _;

use crate::password::{TOKEN, check_hash, is_password, token_digest};
use crate::{USER_BYTES, hash_password};

/// Users with the hashes of their passwords and tokens.
///
/// A file has a user and a hash on each line; a user may have several, so that an old and a new one hold for a
/// while. Empty lines and what is behind `#` at the beginning of a line do not count.
///
/// ```text
/// # trunkline credentials password
/// anna    $argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0c2E$...
/// # trunkline credentials token
/// feed-7  sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Credentials {
    /// What stands behind each user: hashes of passwords and of tokens.
    users: BTreeMap<Arc<str>, Vec<Arc<str>>>,
    tokens: Vec<Token>,
}

/// The hash of a token, as a number and as it stands in the file.
#[derive(Clone, PartialEq, Eq)]
struct Token {
    user: Arc<str>,
    digest: [u8; 32],
    hash: Arc<str>,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Hashes have no place in a log.
        write!(out, "Credentials of {} users", self.users.len())
    }
}

/// What is wrong with a credentials file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CredentialsError {
    /// The line, from 1 on.
    pub line: usize,
    /// What is wrong there.
    pub reason: String,
}

impl fmt::Display for CredentialsError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "line {}: {}", self.line, self.reason)
    }
}

impl std::error::Error for CredentialsError {}

impl Credentials {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// Says which line is wrong, and why. It does not repeat what stands there, which may be a password.
    pub fn parse(text: &str) -> Result<Self, CredentialsError> {
        let mut it = Self::default();
        for (at, line) in text.lines().enumerate() {
            let error = |reason: String| CredentialsError { line: at + 1, reason };
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let parts = line.split_once(char::is_whitespace);
            let (user, hash) = parts.map(|(user, hash)| (user, hash.trim())).ok_or_else(|| {
                error("a line is a user, a blank and the hash of a password or a token".to_owned())
            })?;
            check_user(user).map_err(error)?;
            let (user, hash): (Arc<str>, Arc<str>) = (user.into(), hash.into());
            match hash.strip_prefix(TOKEN) {
                Some(digits) => {
                    let digest = digest(digits).ok_or_else(|| {
                        error(format!("{TOKEN} is followed by 64 hexadecimal digits"))
                    })?;
                    let (user, hash) = (Arc::clone(&user), Arc::clone(&hash));
                    it.tokens.push(Token { user, digest, hash });
                }
                None => check_hash(&hash).map_err(error)?,
            }
            it.users.entry(user).or_default().push(hash);
        }
        Ok(it)
    }

    /// How many users there are.
    #[must_use]
    pub fn users(&self) -> usize {
        self.users.len()
    }

    /// Whose token it is, and its hash. The time that this takes says nothing about a token that is nearly right.
    #[must_use]
    pub fn user_of_token(&self, token: &str) -> Option<(Arc<str>, Arc<str>)> {
        let digest = token_digest(token);
        let mut found = None;
        for it in &self.tokens {
            if it.digest.ct_eq(&digest).into() {
                found = Some((Arc::clone(&it.user), Arc::clone(&it.hash)));
            }
        }
        found
    }

    /// The check of a user's password. There is one of a user who does not exist too, which takes as long, so that
    /// nobody learns who exists.
    #[must_use]
    pub fn password_check(&self, user: &str, password: &str) -> PasswordCheck {
        let hashes = self.users.get(user).into_iter().flatten();
        let hashes = hashes.filter(|hash| !hash.starts_with(TOKEN)).cloned().collect();
        PasswordCheck { password: password.into(), hashes }
    }

    /// Whether a user still has the hash of what once showed who it is.
    #[must_use]
    pub fn still_has(&self, user: &str, hash: &str) -> bool {
        self.users.get(user).is_some_and(|hashes| hashes.iter().any(|it| **it == *hash))
    }
}

/// A password that is to be compared with hashes, which takes tens of milliseconds and megabytes.
pub struct PasswordCheck {
    password: Box<str>,
    hashes: Box<[Arc<str>]>,
}

impl fmt::Debug for PasswordCheck {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("PasswordCheck")
    }
}

impl PasswordCheck {
    /// The hash of the password, if it is right.
    #[must_use]
    pub fn run(&self) -> Option<Arc<str>> {
        if self.hashes.is_empty() {
            // As much work as for a user who exists.
            let _ = hash_password(&self.password, &[0; 16]);
        }
        self.hashes.iter().find(|hash| is_password(&self.password, hash)).cloned()
    }
}

fn check_user(user: &str) -> Result<(), String> {
    if user.len() > USER_BYTES {
        return Err(format!("a user has at most {USER_BYTES} bytes"));
    }
    match user.find(|c: char| c.is_control() || matches!(c, ':' | '*')) {
        Some(_) => Err("a user has no control characters, no colon and no `*`".to_owned()),
        None => Ok(()),
    }
}

fn digest(digits: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if digits.len() != 64 || !digits.bytes().all(|it| it.is_ascii_hexdigit()) {
        return None;
    }
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash_token;

    #[test]
    fn a_file_says_whose_password_and_token_it_is() {
        let old = hash_password("old", &[1; 16]);
        let new = hash_password("new", &[2; 16]);
        let text = format!(
            "# users\n\nanna {old}\n  anna\t{new}  \nfeed {}\n",
            hash_token("a long random text")
        );
        let it = Credentials::parse(&text).expect("a file");
        assert_eq!(it.users(), 2);
        for (user, password, is_right) in [
            ("anna", "old", true),
            ("anna", "new", true),
            ("anna", "", false),
            ("anna", "older", false),
            ("feed", "a long random text", false),
            ("nobody", "old", false),
        ] {
            let check = it.password_check(user, password);
            assert_eq!(check.run().is_some(), is_right, "{user} {password}");
        }
        let (user, hash) = it.user_of_token("a long random text").expect("a user");
        assert_eq!((&*user, it.still_has("feed", &hash)), ("feed", true));
        assert!(it.still_has("anna", &old) && !it.still_has("anna", &hash));
        assert_eq!(it.password_check("anna", "new").run().as_deref(), Some(&*new));
        assert_eq!(it.user_of_token("a long random texT"), None);
        assert_eq!(it.user_of_token(""), None);
        assert!(!format!("{it:?} {:?}", it.password_check("anna", "old")).contains("old"));
    }

    #[test]
    fn the_hash_is_that_of_other_programs() {
        // `printf %s password | argon2 somesalt -id -t 2 -k 65536 -p 1`, and `printf %s test | sha256sum`.
        let text = "a $argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc\n\
                    b sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
        let it = Credentials::parse(text).expect("a file");
        assert!(it.password_check("a", "password").run().is_some());
        assert_eq!(it.user_of_token("test").map(|(user, _)| user).as_deref(), Some("b"));
    }

    #[test]
    fn an_error_says_where_and_why_and_no_secret() {
        let hash = hash_password("x", &[1; 16]);
        for (text, line, part) in [
            ("\nanna".to_owned(), 2, "a blank and the hash"),
            (format!("a:b {hash}"), 1, "no colon"),
            (format!("{} {hash}", "n".repeat(201)), 1, "at most 200 bytes"),
            ("anna secret".to_owned(), 1, "no hash of a password"),
            ("anna sha256:secret".to_owned(), 1, "64 hexadecimal digits"),
            (format!("anna {}", hash.replace("argon2id", "secret")), 1, "argon2id"),
            (format!("anna {}", &hash[..hash.rfind('$').unwrap()]), 1, "hash"),
        ] {
            let error = Credentials::parse(&text).expect_err(&text);
            assert_eq!(error.line, line, "{text}");
            let error = error.to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
