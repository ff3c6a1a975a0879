//! The Security header of a call, as the command line says.

use std::path::Path;
use std::sync::Arc;
use std::{env, fs};

use trunkline_session::soap::ws_security::{Authorities, Guard, Seal, SigningKey};

use crate::arguments::WsSecurityArguments;
use crate::fault::Fault;
use crate::login::password_of;

use super::content::of_file;

/// What goes into requests, if anything does.
pub(super) fn seal(arguments: &WsSecurityArguments) -> Result<Option<Seal>, Fault> {
    let WsSecurityArguments { wsse_user: user, wsse_timestamp, wsse_key: key, .. } = arguments;
    if user.is_none() && wsse_timestamp.is_none() && key.is_none() {
        return Ok(None);
    }
    let mut seal = Seal::new();
    if let Some(user) = user {
        let password = password(user, arguments)?;
        seal = match arguments.wsse_digest {
            true => seal.user_digest(user, &password),
            false => seal.user(user, &password),
        };
    }
    if let Some(lifetime) = wsse_timestamp {
        seal = seal.timestamp(Some(*lifetime));
    }
    if let (Some(key), Some(certificate)) = (key, &arguments.wsse_certificate) {
        let key = SigningKey::from_pem(&read(key)?, &read(certificate)?)
            .map_err(|it| Fault::new(format!("{}: {it}", key.display())))?;
        seal = seal.sign(Arc::new(key));
    }
    Ok(Some(seal))
}

/// What is demanded of answers: nothing, unless their signer is named; but what they have is looked at.
pub(super) fn guard(
    arguments: &WsSecurityArguments,
    is_sealed: bool,
) -> Result<Option<Guard>, Fault> {
    let Some(file) = &arguments.wsse_ca else {
        return Ok(is_sealed.then(Guard::new));
    };
    let authorities = Authorities::from_pem(&read(file)?);
    let authorities = authorities.map_err(|it| Fault::new(format!("{}: {it}", file.display())))?;
    let guard = Guard::new().signed(authorities);
    Ok(Some(match arguments.wsse_signer.clone() {
        None => guard,
        Some(signer) => guard.signers(move |subject| subject == signer),
    }))
}

fn password(user: &str, arguments: &WsSecurityArguments) -> Result<String, Fault> {
    match (&arguments.wsse_password_env, &arguments.wsse_password_file) {
        (Some(name), _) => env::var(name).map_err(|why| {
            Fault::new(format!(
                "--wsse-password-env {name}: {}",
                match why {
                    env::VarError::NotPresent => "there is no such variable",
                    env::VarError::NotUnicode(_) => "it is not UTF-8",
                }
            ))
        }),
        (None, file) => password_of(user, file.as_deref()).map_err(|error| match file {
            Some(_) => error,
            None => Fault::new(format!(
                "--wsse-user {user} needs --wsse-password-file or --wsse-password-env"
            )),
        }),
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Fault> {
    fs::read(path).map_err(|cause| of_file(path, &cause))
}
