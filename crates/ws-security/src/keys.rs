//! Keys that sign, and authorities whose certificates are trusted.

use std::fmt;

use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, RSA_PKCS1_SHA256, RsaKeyPair,
};
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, TrustAnchor, UnixTime};
use webpki::ring as algorithms;
use webpki::{ALL_VERIFICATION_ALGS, EndEntityCert, KeyUsage, anchor_from_trusted_cert};

/// Why a key or a certificate cannot be used. It never holds any of the key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyError(String);

impl fmt::Display for KeyError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for KeyError {}

fn error(what: impl fmt::Display) -> KeyError {
    KeyError(what.to_string())
}

/// A private key, RSA of 2048 bits at least or ECDSA on P-256, and its certificate.
pub struct SigningKey {
    pair: Pair,
    certificate: Vec<u8>,
    random: SystemRandom,
}

enum Pair {
    Rsa(RsaKeyPair),
    P256(EcdsaKeyPair),
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let subject = trunkline_tls::subject(&self.certificate).unwrap_or_default();
        write!(out, "SigningKey of {subject}")
    }
}

impl SigningKey {
    /// From PEM: the key in PKCS #8, or of RSA in PKCS #1; the first certificate is that of the key.
    ///
    /// # Errors
    /// Says what is missing, or of another kind.
    pub fn from_pem(key: &[u8], certificate: &[u8]) -> Result<Self, KeyError> {
        let certificate = CertificateDer::from_pem_slice(certificate)
            .map_err(|it| error(format!("the certificate: {it}")))?;
        let key =
            PrivateKeyDer::from_pem_slice(key).map_err(|it| error(format!("the key: {it}")))?;
        let random = SystemRandom::new();
        let wrong = "the key is neither RSA of 2048 bits at least nor ECDSA on P-256 in PKCS #8";
        let pair = match &key {
            PrivateKeyDer::Pkcs1(key) => {
                let pair = RsaKeyPair::from_der(key.secret_pkcs1_der());
                Pair::Rsa(pair.map_err(|_| error(wrong))?)
            }
            PrivateKeyDer::Pkcs8(key) => {
                let key = key.secret_pkcs8_der();
                match RsaKeyPair::from_pkcs8(key) {
                    Ok(pair) => Pair::Rsa(pair),
                    Err(_) => {
                        let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
                        let pair = EcdsaKeyPair::from_pkcs8(algorithm, key, &random);
                        Pair::P256(pair.map_err(|_| error(wrong))?)
                    }
                }
            }
            _ => return Err(error(wrong)),
        };
        let made = Self { pair, certificate: certificate.to_vec(), random };
        let signature = made.sign(b"")?;
        match verify(&made.certificate, made.algorithm(), b"", &signature) {
            Some(true) => Ok(made),
            _ => Err(error("the certificate is of another key")),
        }
    }

    pub(crate) fn algorithm(&self) -> Algorithm {
        match self.pair {
            Pair::Rsa(_) => Algorithm::RsaSha256,
            Pair::P256(_) => Algorithm::EcdsaSha256,
        }
    }

    /// In DER.
    pub(crate) fn certificate(&self) -> &[u8] {
        &self.certificate
    }

    /// The signature of a message, as XML has it.
    pub(crate) fn sign(&self, message: &[u8]) -> Result<Vec<u8>, KeyError> {
        let failed = |_| error("the key does not sign");
        match &self.pair {
            Pair::Rsa(pair) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                pair.sign(&RSA_PKCS1_SHA256, &self.random, message, &mut signature)
                    .map_err(failed)?;
                Ok(signature)
            }
            Pair::P256(pair) => {
                let signature = pair.sign(&self.random, message).map_err(failed)?;
                Ok(signature.as_ref().to_vec())
            }
        }
    }
}

/// How a signature is made. There are no others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Algorithm {
    RsaSha256,
    EcdsaSha256,
}

impl Algorithm {
    pub(crate) fn uri(self) -> &'static str {
        match self {
            Self::RsaSha256 => "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
            Self::EcdsaSha256 => "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256",
        }
    }

    pub(crate) fn of(uri: &str) -> Option<Self> {
        [Self::RsaSha256, Self::EcdsaSha256].into_iter().find(|it| it.uri() == uri)
    }
}

/// Is it the signature of a message by the key of a certificate? None if the certificate cannot be read.
pub(crate) fn verify(
    certificate: &[u8],
    algorithm: Algorithm,
    message: &[u8],
    signature: &[u8],
) -> Option<bool> {
    let certificate = CertificateDer::from(certificate);
    let certificate = EndEntityCert::try_from(&certificate).ok()?;
    Some(match algorithm {
        Algorithm::RsaSha256 => {
            let algorithm = algorithms::RSA_PKCS1_2048_8192_SHA256;
            certificate.verify_signature(algorithm, message, signature).is_ok()
        }
        Algorithm::EcdsaSha256 => fixed_to_der(signature).is_some_and(|signature| {
            let algorithm = algorithms::ECDSA_P256_SHA256;
            certificate.verify_signature(algorithm, message, &signature).is_ok()
        }),
    })
}

/// The two numbers of a signature on P-256, which XML has one behind the other (XML Signature section 6.4.3), as certificates
/// have them (RFC 3279 section 2.2.3).
fn fixed_to_der(signature: &[u8]) -> Option<Vec<u8>> {
    let (r, s) = signature.split_at_checked(32).filter(|it| it.1.len() == 32)?;
    let mut numbers = Vec::new();
    for number in [r, s] {
        let zeros = number.iter().take_while(|it| **it == 0).count().min(31);
        let number = &number[zeros..];
        let sign = usize::from(number[0] >= 0x80);
        numbers.extend([0x02, (number.len() + sign) as u8]);
        numbers.extend(std::iter::repeat_n(0, sign));
        numbers.extend(number);
    }
    let mut der = vec![0x30, numbers.len() as u8];
    der.extend(numbers);
    Some(der)
}

/// Authorities; a certificate that one of them has issued is trusted while it is valid. No lists of revoked ones are asked
/// for.
#[derive(Clone)]
pub struct Authorities {
    issuers: Vec<TrustAnchor<'static>>,
    /// Certificates that speak for themselves alone, in DER.
    own: Vec<(Vec<u8>, TrustAnchor<'static>)>,
}

impl fmt::Debug for Authorities {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} Authorities", self.issuers.len() + self.own.len())
    }
}

impl Authorities {
    /// From PEM. A certificate that is signed by itself and is no authority (`cA` of its basic constraints, RFC 5280 section
    /// 4.2.1.9) is trusted too, but whom it has signed is not.
    ///
    /// # Errors
    /// There is none, or it cannot be read.
    pub fn from_pem(pem: &[u8]) -> Result<Self, KeyError> {
        let (mut issuers, mut own) = (Vec::new(), Vec::new());
        for certificate in CertificateDer::pem_slice_iter(pem) {
            let certificate = certificate.map_err(error)?;
            let anchor = anchor_from_trusted_cert(&certificate).map_err(error)?.to_owned();
            match trunkline_tls::is_authority(&certificate) {
                true => issuers.push(anchor),
                false => own.push((certificate.to_vec(), anchor)),
            }
        }
        match issuers.is_empty() && own.is_empty() {
            true => Err(error("there is no `BEGIN CERTIFICATE` in it")),
            false => Ok(Self { issuers, own }),
        }
    }

    /// Why a certificate is not trusted, if it is not.
    pub(crate) fn check(&self, certificate: &[u8], now: i128) -> Result<(), KeyError> {
        let own = self.own.iter().find(|it| it.0 == certificate);
        let own = own.map_or(&[][..], |it| std::slice::from_ref(&it.1));
        let certificate = CertificateDer::from(certificate);
        let certificate = EndEntityCert::try_from(&certificate).map_err(error)?;
        let seconds = u64::try_from(now / 1_000_000_000).unwrap_or_default();
        let now = UnixTime::since_unix_epoch(std::time::Duration::from_secs(seconds));
        let by = |anchors: &[TrustAnchor<'_>]| {
            certificate
                .verify_for_usage(
                    ALL_VERIFICATION_ALGS,
                    anchors,
                    &[],
                    now,
                    KeyUsage::client_auth(),
                    None,
                    None,
                )
                .map(drop)
                .map_err(error)
        };
        // An authority may have issued one that is named besides.
        by(own).or_else(|_| by(&self.issuers))
    }
}
