//! What is wrong with a certificate, a key or a name.

use std::error::Error;
use std::fmt;

/// A certificate, a key or a name cannot be used: which one, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CredentialsError(String);

impl CredentialsError {
    pub(crate) fn new(what: impl fmt::Display, cause: impl fmt::Display) -> Self {
        Self(format!("{what}: {cause}"))
    }
}

impl fmt::Display for CredentialsError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl Error for CredentialsError {}

/// A result of this crate.
pub(crate) type Result<T, E = CredentialsError> = std::result::Result<T, E>;
