//! TLS of a run: a certificate that its router shows and its programs trust.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use trunkline_tls::ClientTls;

/// How a router's address begins that is reached with TLS.
const SCHEME: &str = "tls://";

/// What stands between such an address and the file of the certificate that its clients trust.
const TRUSTING: &str = "?trust=";

/// A new certificate for this machine, and its key, in files of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// The certificate in PEM, which stands for itself.
    pub chain: PathBuf,
    /// Its private key in PEM.
    pub key: PathBuf,
}

impl Certificate {
    /// Makes it, for the address `127.0.0.1`.
    ///
    /// # Errors
    /// The operating system's, and where no key can be made.
    pub fn make(folder: &Path) -> io::Result<Self> {
        let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]);
        let made = made.map_err(io::Error::other)?;
        let files = Self { chain: folder.join("certificate.pem"), key: folder.join("key.pem") };
        std::fs::write(&files.chain, made.cert.pem())?;
        let key = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&files.key);
        key?.write_all(made.signing_key.serialize_pem().as_bytes())?;
        Ok(files)
    }

    /// The address `tls://host:port` for programs that shall trust this certificate.
    pub fn address(&self, address: &str) -> String {
        format!("{address}{TRUSTING}{}", self.chain.display())
    }
}

/// The host and port of an address with TLS, and whom to trust there; `None` if it is an address without.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`] if it does not name a certificate.
pub fn trusted(address: &str) -> io::Result<Option<(&str, ClientTls)>> {
    let Some(place) = address.strip_prefix(SCHEME) else { return Ok(None) };
    let invalid = |what: String| io::Error::new(io::ErrorKind::InvalidInput, what);
    let Some((host, file)) = place.split_once(TRUSTING) else {
        return Err(invalid(format!("{address}: does not end with {TRUSTING}CERTIFICATE")));
    };
    let tls = ClientTls::from_files(Some(file.as_ref()), None);
    Ok(Some((host, tls.map_err(|cause| invalid(cause.to_string()))?)))
}
