//! What shows who the two sides of a FIX session are: certificates, and the fields of a Logon.

use std::path::Path;

use trunkline_fix::is_of_header;
use trunkline_fix::tcp::{Admission, ClientTls, ServerTls};
use trunkline_router::name_fits;
use trunkline_server::Config;
use trunkline_server::config::Fix;

use crate::bridge::BridgeError;
use crate::names::cut;

/// Fields of a Logon that the session writes itself, besides those of header and trailer.
const OWN: [u32; 4] = [98, 108, 141, 1137];

/// What stands behind the body.
const TRAILER: [u32; 3] = [10, 89, 93];

/// The router's certificate, if a `[[fix]]` is to show it to who connects. Unlike clients of the router, engines may speak
/// TLS 1.2.
pub(crate) fn own(config: &Config) -> Result<Option<ServerTls>, BridgeError> {
    if !config.fix.iter().any(|it| it.tls && it.listen.is_some()) {
        return Ok(None);
    }
    let tls = &config.tls;
    let (Some(certificate), Some(key)) = (&tls.certificate, &tls.key) else {
        let why = "tls of a fix needs a certificate and its key: tls.certificate and tls.key";
        return Err(BridgeError(why.to_owned()));
    };
    let loaded = ServerTls::from_files(certificate, key, tls.client_ca.as_deref());
    loaded.map(Some).map_err(|why| BridgeError(why.to_string()))
}

/// Whom a `[[fix]]` that connects trusts, and what it shows: the router's certificate, if there is one.
pub(crate) fn of_client(fix: &Fix, config: &Config) -> Result<Option<ClientTls>, BridgeError> {
    if !fix.tls {
        return Ok(None);
    }
    let shown = config.tls.certificate.as_deref().zip(config.tls.key.as_deref());
    let loaded = ClientTls::from_files(fix.ca.as_deref(), shown);
    loaded.map(Some).map_err(|why| BridgeError(why.to_string()))
}

/// Who may log on as which target, if certificates are compared.
pub(crate) fn admission(fix: &Fix) -> Option<Admission> {
    if fix.certificates.is_empty() {
        return None;
    }
    let certificates = fix.certificates.clone();
    Some(Admission::new(move |identity, subject| {
        let wanted = certificates.get(&identity.target);
        match (wanted, subject) {
            (Some(wanted), Some(subject)) if name_fits(wanted, subject) => Ok(()),
            (_, None) => Err(format!("{identity}: it has shown no certificate")),
            (_, Some(subject)) => {
                Err(format!("{identity}: not with the certificate of {}", cut(subject)))
            }
        }
    }))
}

/// The fields of a Logon, of a file with `TAG=VALUE` in each line. What stands behind the tag is not told: it may be a
/// password.
pub(crate) fn logon(file: &Path) -> Result<Vec<(u32, String)>, BridgeError> {
    let within = |why: &str| BridgeError(format!("logon {}: {why}", file.display()));
    let text = std::fs::read_to_string(file).map_err(|why| within(&why.to_string()))?;
    let mut fields = Vec::new();
    for (at, line) in text.lines().enumerate().filter(|(_, it)| !it.trim().is_empty()) {
        let wrong = |why: &str| within(&format!("line {}: {why}", at + 1));
        let (tag, value) = line.split_once('=').ok_or_else(|| wrong("it is no TAG=VALUE"))?;
        let tag = tag.trim().parse::<u32>().ok().filter(|it| *it > 0);
        let tag = tag.ok_or_else(|| wrong("what stands before = is no tag: a number from 1 on"))?;
        match tag {
            _ if value.is_empty() || value.contains('\u{1}') => {
                return Err(wrong("the value is empty, or has a delimiter in it"));
            }
            _ if is_of_header(tag) || TRAILER.contains(&tag) => {
                return Err(wrong(
                    "the field is of the header or trailer, which the session writes",
                ));
            }
            _ if OWN.contains(&tag) => return Err(wrong("the session writes this field itself")),
            _ if fields.iter().any(|(other, _)| *other == tag) => {
                return Err(wrong("the field is there twice"));
            }
            _ => fields.push((tag, value.to_owned())),
        }
    }
    Ok(fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_of_a_logon_stand_in_a_file() {
        let file = std::env::temp_dir().join(format!("trunkline-logon-{}", std::process::id()));
        let read = |text: &str| {
            std::fs::write(&file, text).expect("a file");
            logon(&file).map_err(|it| it.to_string())
        };
        let expected = [(553, "anna".to_owned()), (554, "a=b c ".to_owned())];
        assert_eq!(read("553=anna\n\n554=a=b c \n").as_deref(), Ok(&expected[..]));
        for (text, part) in [
            ("553", "line 1: it is no TAG=VALUE"),
            ("553=a\nname=secret", "line 2: what stands before = is no tag"),
            ("553=", "the value is empty"),
            ("108=30", "the session writes this field itself"),
            ("50=DESK", "of the header or trailer"),
            ("553=a\n553=secret", "line 2: the field is there twice"),
        ] {
            let error = read(text).expect_err(text);
            assert!(error.contains(part) && !error.contains("secret"), "{error}");
        }
        std::fs::remove_file(&file).expect("a file");
    }
}
