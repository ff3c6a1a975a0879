//! The Security header of a call, and what a service demands of callers, as the command line says.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::{env, fs};

use subtle::ConstantTimeEq as _;
use trunkline_session::soap::Server;
use trunkline_session::soap::ws_security::{Authorities, Guard, Seal, SigningKey};

use crate::arguments::{GuardArguments, WsSecurityArguments};
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
    let guard = Guard::new().signed(authorities(file)?);
    Ok(Some(match arguments.wsse_signer.clone() {
        None => guard,
        Some(signer) => guard.signers(move |subject| subject == signer),
    }))
}

/// What a service demands of requests, if it demands anything.
pub(super) fn of_service(arguments: &GuardArguments) -> Result<Option<Guard>, Fault> {
    let GuardArguments { wsse_users, wsse_timestamp, wsse_ca, .. } = arguments;
    let mut guard = Guard::new();
    if let Some(file) = wsse_users {
        let all = Arc::new(users(file)?);
        let known = all.clone();
        let is_known = move |user: &str, password: &str| is_user(&known, user, password);
        guard = guard.users(is_known).passwords(move |user| all.get(user).cloned());
    }
    if *wsse_timestamp {
        guard = guard.timestamp();
    }
    if let Some(file) = wsse_ca {
        guard = guard.signed(authorities(file)?);
    }
    let demands = wsse_users.is_some() || *wsse_timestamp || wsse_ca.is_some();
    Ok(demands.then_some(guard))
}

/// Admits the users of the file only, if one is said.
pub(super) fn admitting(server: Server, arguments: &GuardArguments) -> Result<Server, Fault> {
    let Some(file) = &arguments.users else { return Ok(server) };
    let all = users(file)?;
    Ok(server.basic("trunkline", move |user, password| is_user(&all, user, password)))
}

fn is_user(all: &HashMap<String, String>, user: &str, password: &str) -> bool {
    all.get(user).is_some_and(|it| it.as_bytes().ct_eq(password.as_bytes()).into())
}

/// Users with their passwords. What is wrong is told without showing a line.
fn users(file: &Path) -> Result<HashMap<String, String>, Fault> {
    let of_line = |at: usize, why: &str| Fault::new(format!("{}:{at}: {why}", file.display()));
    let text = String::from_utf8(read(file)?)
        .map_err(|_| Fault::new(format!("{}: it is not UTF-8", file.display())))?;
    let mut users = HashMap::new();
    for (line, at) in text.lines().zip(1..) {
        let known = line
            .split_once(':')
            .filter(|(user, password)| !user.is_empty() && !password.is_empty());
        let (user, password) = known.ok_or_else(|| of_line(at, "it is not USER:PASSWORD"))?;
        if users.insert(user.to_owned(), password.to_owned()).is_some() {
            return Err(of_line(at, "its user was there before"));
        }
    }
    match users.is_empty() {
        true => Err(Fault::new(format!("{}: no user is in it", file.display()))),
        false => Ok(users),
    }
}

fn authorities(file: &Path) -> Result<Authorities, Fault> {
    let authorities = Authorities::from_pem(&read(file)?);
    authorities.map_err(|it| Fault::new(format!("{}: {it}", file.display())))
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
