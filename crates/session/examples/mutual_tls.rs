//! A service that knows its callers by their certificates.
//!
//! `cargo run -p trunkline-session --example mutual_tls`

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use trunkline_http::{ClientTls, ServerTls};
use trunkline_message::Message;
use trunkline_session::soap::{Binding, ClientConfig, Config, Context, Fault, Server, Service};
use trunkline_wire::Text;

#[derive(Message, Clone, Debug, Default)]
struct Question {}

#[derive(Message, Clone, Debug, Default)]
struct Identity {
    name: Text,
}

fn who_am_i(_: Question, context: &mut Context) -> Result<Identity, Fault> {
    Ok(Identity { name: context.identity().unwrap_or("nobody").into() })
}

trunkline_session::client! {
    /// A client of the service.
    struct Mirror in "urn:example:mirror" {
        /// Who the service takes us for.
        fn who_am_i(Question) -> Identity = "whoAmI";
    }
}

type Error = Box<dyn std::error::Error>;

/// An authority, and what it has signed: certificate and key, in PEM.
struct Authority {
    pem: String,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    fn new() -> Result<Self, Error> {
        let mut parameters = CertificateParams::new(Vec::new())?;
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate()?;
        let pem = parameters.self_signed(&key)?.pem();
        Ok(Self { pem, issuer: Issuer::new(parameters, key) })
    }

    fn sign(&self, name: &str) -> Result<(String, String), Error> {
        let mut parameters = CertificateParams::new(vec!["localhost".to_owned()])?;
        parameters.distinguished_name.push(DnType::CommonName, name);
        let key = KeyPair::generate()?;
        Ok((parameters.signed_by(&key, &self.issuer)?.pem(), key.serialize_pem()))
    }
}

fn main() -> Result<(), Error> {
    let authority = Authority::new()?;
    let (certificate, key) = authority.sign("the service")?;
    let roots = authority.pem.as_bytes();
    let tls = ServerTls::from_pem(certificate.as_bytes(), key.as_bytes(), Some(roots))?;
    let service = Service::new("Mirror", "urn:example:mirror")
        .operation("whoAmI", who_am_i)
        .at("/mirror", Binding::document_literal());
    let server = Server::new()
        .service(service)
        .config(Config { tls: Some(tls), ..Config::default() })
        .on_call(|call| println!("{call}"))
        .start("127.0.0.1:0")?;

    let (certificate, key) = authority.sign("trader 7")?;
    let own = (certificate.as_bytes(), key.as_bytes());
    let tls = ClientTls::from_pem(roots, Some(own))?;
    let config = ClientConfig { tls: Some(tls), ..ClientConfig::default() };
    let url = format!("https://localhost:{}/mirror", server.address().port());
    let mut mirror = Mirror::with(&url, Binding::document_literal(), config)?;
    println!("the service takes us for {}", mirror.who_am_i(&Question {})?.name);
    Ok(())
}
