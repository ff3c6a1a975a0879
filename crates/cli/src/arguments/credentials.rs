//! The command line of `credentials`.

use clap::Subcommand;

/// The verbs for credentials.
#[derive(Debug, Subcommand)]
pub(crate) enum CredentialsCommand {
    /// Print the line of a user with the hash of a password
    ///
    /// The terminal asks for the password, twice; else the first line of standard input is the password.
    Password {
        /// The user
        user: String,
    },
    /// Make a token and print the line of a user with its hash
    ///
    /// The token itself goes to standard error, once: nothing else keeps it.
    Token {
        /// The user
        user: String,
    },
}
