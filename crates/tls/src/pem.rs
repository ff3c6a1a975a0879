//! Certificates and keys from PEM.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use rustls::RootCertStore;
use rustls::crypto::{CryptoProvider, ring};
use rustls_pki_types::pem::{self, PemObject as _};
use rustls_pki_types::{CertificateDer, PrivateKeyDer};

use crate::error::{CredentialsError, Result};

/// The cryptographic provider. It is named here because rustls panics when it has to choose among
/// several linked providers, or when the chosen one lacks something.
pub(crate) fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

pub(crate) fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|cause| CredentialsError::new(path.display(), cause))
}

/// A file that only its owner and his group may read.
pub(crate) fn read_secret(path: &Path) -> Result<Vec<u8>> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let wrong = |cause| CredentialsError::new(path.display(), cause);
        let mode = fs::metadata(path).map_err(wrong)?.permissions().mode();
        if mode & 0o007 != 0 {
            let text = format!(
                "everybody on this machine may open this key (mode {:03o}); take that away with \
                 `chmod o= {}`",
                mode & 0o777,
                path.display()
            );
            return Err(CredentialsError::new(path.display(), text));
        }
    }
    read(path)
}

/// All certificates of a text in PEM; at least one.
pub(crate) fn certificates(pem: &[u8], what: &str) -> Result<Vec<CertificateDer<'static>>> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    let found = found.map_err(|cause| CredentialsError::new(what, cause))?;
    if found.is_empty() {
        return Err(CredentialsError::new(what, "there is no `BEGIN CERTIFICATE` in it"));
    }
    Ok(found)
}

pub(crate) fn private_key(pem: &[u8], what: &str) -> Result<PrivateKeyDer<'static>> {
    PrivateKeyDer::from_pem_slice(pem).map_err(|cause| match cause {
        pem::Error::NoItemsFound => {
            CredentialsError::new(what, "there is no `BEGIN PRIVATE KEY` in it")
        }
        cause => CredentialsError::new(what, cause),
    })
}

pub(crate) fn roots(pem: &[u8], what: &str) -> Result<RootCertStore> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates(pem, what)? {
        roots.add(certificate).map_err(|cause| CredentialsError::new(what, cause))?;
    }
    Ok(roots)
}

/// Those that the system trusts. Of its certificates some may be too old-fashioned for TLS here: they are passed over.
pub(crate) fn system_roots() -> Result<RootCertStore> {
    let what = "the authorities that the system trusts";
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(found.certs);
    match (roots.is_empty(), found.errors.first()) {
        (false, _) => Ok(roots),
        (true, Some(error)) => Err(CredentialsError::new(what, error)),
        (true, None) => {
            let text = "there are none: install them (in Debian the package ca-certificates), or name a file of them";
            Err(CredentialsError::new(what, text))
        }
    }
}
