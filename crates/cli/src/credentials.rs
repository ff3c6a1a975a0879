//! `trunkline credentials`: lines of the router's credentials file.

use trunkline_security::{Credentials, hash_password, hash_token, random_bytes};

use crate::Ending;
use crate::arguments::CredentialsCommand;
use crate::client::tell;
use crate::fault::Fault;
use crate::login::{ask_password, write_hex};
use crate::output::print;

pub(crate) fn run(command: &CredentialsCommand) -> Result<Ending, Fault> {
    let line = match command {
        CredentialsCommand::Password { user } => {
            let password = ask_password(&format!("password of {user}: "), true)?;
            if password.is_empty() {
                return Err(Fault::new("the password is empty".to_owned()));
            }
            format!("{user} {}", hash_password(&password, &random_bytes()))
        }
        CredentialsCommand::Token { user } => {
            let token = write_hex(&random_bytes::<32>());
            let line = format!("{user} {}", hash_token(&token));
            check(&line)?;
            tell(&format!("the token of {user} is {token}"));
            line
        }
    };
    check(&line)?;
    print(&format!("{line}\n"))?;
    Ok(Ending::Right)
}

/// Whether the router will take the line.
fn check(line: &str) -> Result<(), Fault> {
    Credentials::parse(line).map(|_| ()).map_err(|error| Fault::new(error.reason))
}
