//! Certificates for a test, and the files that a router reads.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DistinguishedName, DnType, IsCa, KeyPair,
    date_time_ymd,
};
use trunkline_client::ClientTls;
use trunkline_server::Config;

/// Signs certificates.
pub(crate) struct Authority(CertifiedIssuer<'static, KeyPair>);

/// A chain and its key, in PEM.
pub(crate) struct Issued {
    pub(crate) chain: String,
    pub(crate) key: String,
}

impl Authority {
    pub(crate) fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).expect("no names");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key can be made");
        // An authority is known by its name and its key.
        let name = format!("authority {:?}", &key.public_key_raw()[1..9]);
        params.distinguished_name.push(DnType::CommonName, name);
        Self(CertifiedIssuer::self_signed(params, key).expect("it signs itself"))
    }

    pub(crate) fn pem(&self) -> String {
        self.0.pem()
    }

    pub(crate) fn issue(&self, name: &str) -> Issued {
        self.issue_with(name, &["localhost", "127.0.0.1"], |_| {})
    }

    /// One that has expired.
    pub(crate) fn issue_expired(&self, name: &str) -> Issued {
        self.issue_with(name, &["localhost", "127.0.0.1"], |params| {
            params.not_before = date_time_ymd(2020, 1, 1);
            params.not_after = date_time_ymd(2021, 1, 1);
        })
    }

    pub(crate) fn issue_with(
        &self,
        name: &str,
        names: &[&str],
        change: impl FnOnce(&mut CertificateParams),
    ) -> Issued {
        let own = KeyPair::generate().expect("a key can be made");
        let names: Vec<String> = names.iter().map(|&it| it.to_owned()).collect();
        let mut params = CertificateParams::new(names).expect("names");
        params.distinguished_name = DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, name);
        change(&mut params);
        let certificate = params.signed_by(&own, &self.0).expect("it is signed");
        Issued { chain: certificate.pem(), key: own.serialize_pem() }
    }

    /// A client that trusts it, with a certificate of its own or without.
    pub(crate) fn client(&self, own: Option<&Issued>) -> ClientTls {
        let own = own.map(|it| (it.chain.as_bytes(), it.key.as_bytes()));
        ClientTls::from_pem(self.pem().as_bytes(), own).expect("an authority")
    }
}

/// A folder that goes with the test.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let folder =
            std::env::temp_dir().join(format!("trunkline-tls-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        Self(folder)
    }

    /// A file that its owner alone may read.
    pub(crate) fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, text).expect("a file");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("its owner may");
        path
    }

    /// The certificate of a router, and its key.
    pub(crate) fn set(&self, issued: &Issued) {
        self.file("router.pem", &issued.chain);
        self.file("router.key", &issued.key);
    }

    /// A configuration that uses them for everything.
    pub(crate) fn config(&self) -> Config {
        let mut config = Config::default();
        config.listen.native = vec!["tls://127.0.0.1:0".parse().expect("an address")];
        config.listen.websocket = Some("127.0.0.1:0".into());
        config.listen.http = Some("127.0.0.1:0".into());
        config.tls.certificate = Some(self.0.join("router.pem"));
        config.tls.key = Some(self.0.join("router.key"));
        (config.tls.websocket, config.tls.http) = (true, true);
        config
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
