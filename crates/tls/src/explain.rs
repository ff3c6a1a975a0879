//! Failed handshakes, in words.

use rustls::{AlertDescription, CertificateError, Error, InvalidMessage, OtherError};

/// What is wrong, and what to do about it where that is known.
#[must_use]
pub fn explain(failure: &Error) -> String {
    let hint = match failure {
        Error::InvalidMessage(InvalidMessage::InvalidContentType) => {
            "the other side does not speak TLS at this address"
        }
        Error::PeerIncompatible(_) => "TLS 1.3 is needed",
        Error::AlertReceived(AlertDescription::ProtocolVersion) => {
            "the other side does not speak TLS 1.3"
        }
        Error::AlertReceived(AlertDescription::CertificateRequired) => {
            "the other side wants a certificate of this one"
        }
        Error::AlertReceived(AlertDescription::DecryptError | AlertDescription::BadCertificate) => {
            "the other side cannot verify this one's certificate"
        }
        Error::AlertReceived(AlertDescription::UnknownCA) => {
            "the other side does not know the authority of this one's certificate"
        }
        Error::AlertReceived(AlertDescription::CertificateExpired) => {
            "for the other side, this one's certificate has expired"
        }
        Error::AlertReceived(AlertDescription::NoApplicationProtocol) => {
            "another protocol is spoken at this address"
        }
        Error::InvalidCertificate(CertificateError::UnknownIssuer) => {
            "the authority that issued the certificate is none of those that are trusted: name it"
        }
        Error::NoCertificatesPresented => "it has shown no certificate",
        Error::InvalidCertificate(CertificateError::Other(cause))
            if is(cause, &webpki::Error::CaUsedAsEndEntity) =>
        {
            return "TLS: the certificate is that of an authority (CA:TRUE), and not of a server or a \
                    client: have one issued by it, or make one with basicConstraints=CA:FALSE"
                .to_owned();
        }
        _ => return format!("TLS: {failure}"),
    };
    format!("TLS: {failure}: {hint}")
}

fn is(cause: &OtherError, expected: &webpki::Error) -> bool {
    cause.0.downcast_ref::<webpki::Error>() == Some(expected)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn what_can_be_done_is_said() {
        let cause = OtherError(Arc::new(webpki::Error::CaUsedAsEndEntity));
        let told = explain(&Error::InvalidCertificate(CertificateError::Other(cause)));
        assert!(told.ends_with("make one with basicConstraints=CA:FALSE"), "{told}");
        let told = explain(&Error::InvalidMessage(InvalidMessage::InvalidContentType));
        assert!(told.ends_with("the other side does not speak TLS at this address"), "{told}");
    }
}
