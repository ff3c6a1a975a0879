//! Encryption: the router's certificate, and what uses it.

use std::path::PathBuf;

use serde::Deserialize;
use trunkline_reactor::Address;

use super::show::{Page, quoted};
use super::{Config, Fix, Listen};

/// TLS 1.3. The files are in PEM, and are read again with the configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tls {
    /// The router's chain of certificates, its own first.
    pub certificate: Option<PathBuf>,
    /// Its key, which nobody but the owner and his group may read.
    pub key: Option<PathBuf>,
    /// The authorities of clients: who has no certificate of one of them is not served (mutual TLS).
    pub client_ca: Option<PathBuf>,
    /// [`Listen::websocket`] is with TLS: `wss://`.
    pub websocket: bool,
    /// [`Listen::http`] is with TLS: `https://`.
    pub http: bool,
}

impl Tls {
    /// What is missing, for this configuration's listeners.
    pub(crate) fn check(&self, listen: &Listen, fix: &[Fix]) -> Result<(), String> {
        let is_tls = |it: &&Address| matches!(it, Address::Tls(_));
        let wanted_by = match listen.native.iter().find(is_tls) {
            Some(address) => Some(address.to_string()),
            None if self.websocket => Some("tls.websocket".to_owned()),
            None if self.http => Some("tls.http".to_owned()),
            None if fix.iter().any(|it| it.tls && it.listen.is_some()) => {
                Some("tls of a fix".to_owned())
            }
            None => self.client_ca.is_some().then(|| "tls.client_ca".to_owned()),
        };
        match (&self.certificate, &self.key, wanted_by) {
            (Some(_), None, _) => Err("tls.certificate needs its key, tls.key".to_owned()),
            (None, Some(_), _) => Err("tls.key needs its certificate, tls.certificate".to_owned()),
            (None, None, Some(by)) => Err(format!(
                "{by} needs a certificate and its key: tls.certificate and tls.key are files in PEM"
            )),
            _ => Ok(()),
        }
    }
}

impl Config {
    /// Where [`Listen::websocket`] listens.
    pub(crate) fn websocket_address(&self) -> Option<Address> {
        let place = self.listen.websocket.clone()?;
        Some(if self.tls.websocket { Address::Tls(place) } else { Address::Tcp(place) })
    }

    pub(super) fn show_tls(&self, page: &mut Page) {
        let tls = &self.tls;
        page.section("[tls]");
        let mut file = |name: &str, path: &Option<PathBuf>, comment: &str| match path {
            Some(path) => page.key(name, &quoted(&path.display().to_string()), comment),
            // There is no value for a file that is not there.
            None => page.key(&format!("# {name}"), &quoted("FILE"), comment),
        };
        file("certificate", &tls.certificate, "the router's, with its chain, in PEM");
        file("key", &tls.key, "its key, for the owner and his group alone");
        file("client_ca", &tls.client_ca, "clients need a certificate of these authorities");
        page.key("websocket", &tls.websocket, "listen.websocket is with TLS: wss://");
        page.key("http", &tls.http, "listen.http is with TLS: https://");
    }
}
