//! The options of a client that speaks TLS.

use std::path::PathBuf;

use clap::Args;
use trunkline_client::ClientTls;

use crate::fault::Fault;

/// Whom a client trusts, and how it shows who it is.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct TlsArguments {
    /// Trusted CA certificates, in PEM; needed for tls:// and https://
    #[arg(long, value_name = "FILE")]
    pub(crate) ca: Option<PathBuf>,
    /// Own certificate, in PEM, for servers that ask for one
    #[arg(long, value_name = "FILE", requires = "key", requires = "ca")]
    pub(crate) certificate: Option<PathBuf>,
    /// Its key, in PEM
    #[arg(long, value_name = "FILE", requires = "certificate")]
    pub(crate) key: Option<PathBuf>,
}

impl TlsArguments {
    /// What the files hold, if there are any.
    ///
    /// # Errors
    /// Says which file cannot be used, and why.
    pub(crate) fn load(&self) -> Result<Option<ClientTls>, Fault> {
        let Some(roots) = &self.ca else { return Ok(None) };
        let own = self.certificate.as_deref().zip(self.key.as_deref());
        Ok(Some(ClientTls::from_files(roots, own)?))
    }

    /// As [`Self::load`], for an address with this scheme.
    ///
    /// # Errors
    /// The same; and that TLS needs the authorities.
    pub(crate) fn load_for(&self, address: &str) -> Result<Option<ClientTls>, Fault> {
        let is_tls = |scheme: &str| {
            address.get(..scheme.len()).is_some_and(|it| it.eq_ignore_ascii_case(scheme))
        };
        if self.ca.is_none() && (is_tls("tls://") || is_tls("https://")) {
            let why = "TLS needs the certificates of those who are trusted, say --ca FILE";
            return Err(Fault::new(format!("{address}: {why}")));
        }
        self.load()
    }
}
