//! How a client shows who it is.

use std::fmt;

use trunkline_native::Credentials;

/// What shows who a client is. It prints without its secret.
#[derive(Clone, PartialEq, Eq)]
pub enum Login {
    /// A user of the router's credentials file.
    Password {
        /// The user, at most 200 bytes.
        user: String,
        /// At most 1024 bytes.
        password: String,
    },
    /// A token, which says by itself whose it is; at most 1024 bytes.
    Token(String),
}

impl fmt::Debug for Login {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Password { user, .. } => write!(out, "Login of {user:?}"),
            Self::Token(_) => out.write_str("Login by token"),
        }
    }
}

impl Login {
    pub(crate) fn credentials(&self) -> Credentials<'_> {
        match self {
            Self::Password { user, password } => Credentials { user, secret: password },
            Self::Token(token) => Credentials { user: "", secret: token },
        }
    }
}
