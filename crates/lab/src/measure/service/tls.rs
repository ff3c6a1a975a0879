//! A certificate for the servers of one run, made for it and thrown away with it.

use std::fs;
use std::path::PathBuf;

use crate::service::Secure;
use trunkline_bench::folder::PrivateFolder;

/// The name in the certificate.
const NAME: &str = "localhost";

/// A certificate that vouches for itself, and its key: the server's and, in mutual TLS, the client's.
pub(super) struct Credentials {
    pub(super) certificate: PathBuf,
    pub(super) key: PathBuf,
    certificate_pem: String,
    key_pem: String,
    _folder: PrivateFolder,
}

impl Credentials {
    pub(super) fn new() -> Result<Self, String> {
        let made = rcgen::generate_simple_self_signed([NAME.to_owned()]);
        let made = made.map_err(|error| format!("no certificate can be made: {error}"))?;
        let (certificate_pem, key_pem) = (made.cert.pem(), made.signing_key.serialize_pem());
        let folder = PrivateFolder::new().map_err(|cause| format!("no folder: {cause}"))?;
        let (certificate, key) = (folder.path().join("cert.pem"), folder.path().join("key.pem"));
        for (file, text) in [(&certificate, &certificate_pem), (&key, &key_pem)] {
            fs::write(file, text).map_err(|cause| format!("{}: {cause}", file.display()))?;
        }
        Ok(Self { certificate, key, certificate_pem, key_pem, _folder: folder })
    }

    /// What a client of the servers needs.
    pub(super) fn client(&self, is_mutual: bool) -> Result<Secure, String> {
        let certificate = self.certificate_pem.as_bytes();
        let own = is_mutual.then_some((certificate, self.key_pem.as_bytes()));
        Secure::from_pem(certificate, NAME, own)
    }
}
