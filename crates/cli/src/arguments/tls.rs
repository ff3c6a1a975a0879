//! The options of clients and servers that speak TLS.

use std::path::PathBuf;

use clap::Args;
use trunkline_client::ClientTls;
use trunkline_fix::tcp::ServerTls;

use crate::fault::Fault;

/// Whom a client trusts, and how it shows who it is.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct TlsArguments {
    /// Trusted CA certificates, in PEM [default: those that the system trusts]
    #[arg(long, value_name = "FILE")]
    pub(crate) ca: Option<PathBuf>,
    /// Own certificate, in PEM, for servers that ask for one
    #[arg(long, value_name = "FILE", requires = "key")]
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
        let is_said = self.ca.is_some() || self.certificate.is_some();
        is_said.then(|| self.read()).transpose()
    }

    /// As [`Self::load`], for this address; without files, what the system trusts if the address is of TLS.
    ///
    /// # Errors
    /// The same; and that the system trusts nobody.
    pub(crate) fn load_for(&self, address: &str) -> Result<Option<ClientTls>, Fault> {
        let is_tls = |scheme: &str| {
            address.get(..scheme.len()).is_some_and(|it| it.eq_ignore_ascii_case(scheme))
        };
        match is_tls("tls://") || is_tls("https://") {
            true => self.read().map(Some),
            false => self.load(),
        }
    }

    fn read(&self) -> Result<ClientTls, Fault> {
        let own = self.certificate.as_deref().zip(self.key.as_deref());
        Ok(ClientTls::from_files(self.ca.as_deref(), own)?)
    }
}

/// What a server shows, and whom it trusts.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ServerTlsArguments {
    /// Speak TLS, with this chain of certificates in PEM, the own one first
    #[arg(long, value_name = "FILE", requires = "key")]
    pub(crate) certificate: Option<PathBuf>,
    /// The key of the certificate, in PEM
    #[arg(long, value_name = "FILE", requires = "certificate")]
    pub(crate) key: Option<PathBuf>,
    /// Serve only who shows a certificate of one of these authorities, in PEM
    #[arg(long, value_name = "FILE", requires = "certificate")]
    pub(crate) client_ca: Option<PathBuf>,
}

impl ServerTlsArguments {
    /// What the files hold, if there are any.
    ///
    /// # Errors
    /// Says which file cannot be used, and why.
    pub(crate) fn load(&self) -> Result<Option<ServerTls>, Fault> {
        let Some((certificate, key)) = self.certificate.as_deref().zip(self.key.as_deref()) else {
            return Ok(None);
        };
        Ok(Some(ServerTls::from_files(certificate, key, self.client_ca.as_deref())?))
    }
}
