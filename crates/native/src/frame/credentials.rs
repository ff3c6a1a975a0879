//! Who a client says that it is.

use std::fmt;

/// What shows who the client is: a user with its password, or a token. It follows HELLO.
///
/// It prints without its secret.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Credentials<'a> {
    /// The user; empty with a token, which says by itself whose it is. At most 200 bytes of UTF-8, no control
    /// characters.
    pub user: &'a str,
    /// The password or the token. At most 1024 bytes of UTF-8.
    pub secret: &'a str,
}

impl fmt::Debug for Credentials<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Credentials").field("user", &self.user).finish_non_exhaustive()
    }
}
