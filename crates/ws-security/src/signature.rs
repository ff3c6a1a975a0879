//! `ds:Signature` of parts of an envelope (WSS section 8, X.509 Certificate Token Profile 1.1, XML Signature 1.1).
//!
//! Little is taken, and each part of it is looked at: a signature of the Body and the time stamp by RSA or ECDSA over SHA-256, of
//! what canonicalization makes of them and nothing else, by a certificate that comes along. A reference counts only if it leads to
//! the very element that is processed, so that a signed copy elsewhere in the envelope proves nothing.

use ring::digest;
use trunkline_message::Result as MessageResult;
use trunkline_soap::Fault;

use crate::canonical::{self, EXCLUSIVE};
use crate::document::{Document, of_signature};
use crate::element::Element;
use crate::fault::{Code, cut, fault, invalid};
use crate::keys::{Algorithm, Authorities, SigningKey, verify};
use crate::token::{BASE64, encoded, octets};
use crate::{DS, WSSE, WSU};

const SHA256: &str = "http://www.w3.org/2001/04/xmlenc#sha256";
const X509: &str =
    "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-x509-token-profile-1.0#X509v3";

/// A signature refers to at most so many parts.
const MOST_REFERENCES: usize = 16;
/// And its certificate and value have at most so many octets.
const LONGEST: usize = 16 * 1024;
/// So many prefixes of inclusive namespaces.
const MOST_PREFIXES: usize = 32;

/// What a good signature proves.
pub(crate) struct Signed {
    /// The subject of the certificate.
    pub(crate) subject: String,
    /// Where the signed elements begin.
    pub(crate) parts: Vec<usize>,
    /// The SignedInfo in canonical form, by which the message is known: a signature has several values that are good.
    pub(crate) info: String,
    /// In DER.
    pub(crate) certificate: Vec<u8>,
}

/// Looks at the only signature of a Security header.
pub(crate) fn check(
    security: &Element,
    document: &Document<'_>,
    authorities: &Authorities,
    now: i128,
) -> Result<Signed, Fault> {
    let signature = security.only(DS, "Signature");
    let signature = signature.ok_or_else(|| invalid("a Security header has one Signature"))?;
    let part = |local| {
        let found = of_signature(signature, local);
        found.ok_or_else(|| invalid(format!("a Signature has one {local}")))
    };
    let info = part("SignedInfo")?;
    let value = octets(part("SignatureValue")?, LONGEST);
    let value = value.ok_or_else(|| invalid("the SignatureValue is no base64"))?;
    let certificate = certificate(part("KeyInfo")?, security)?;
    if signature.children.len() != 3 {
        return Err(invalid("a Signature has more than SignedInfo, SignatureValue and KeyInfo"));
    }
    if let Err(why) = authorities.check(&certificate, now) {
        let what = format!("the certificate is not trusted: {}", cut(&why.to_string()));
        return Err(fault(Code::FailedAuthentication, what));
    }
    let (algorithm, references) = signed_info(info)?;
    let method = of_signature(info, "CanonicalizationMethod");
    let prefixes = method.map(prefixes).transpose()?.unwrap_or_default();
    let canonical = canonical(document, info.at, &prefixes)?;
    if verify(&certificate, algorithm, canonical.as_bytes(), &value) != Some(true) {
        return Err(fault(Code::FailedCheck, "the signature is not that of the SignedInfo"));
    }
    let parts = references.iter().map(|it| reference(it, security, document));
    let parts = parts.collect::<Result<_, _>>()?;
    let subject = trunkline_tls::subject(&certificate).unwrap_or_default();
    Ok(Signed { subject, parts, info: canonical, certificate })
}

/// The certificate that a signature refers to, in DER.
fn certificate(info: &Element, security: &Element) -> Result<Vec<u8>, Fault> {
    let unknown = || {
        let what = "a KeyInfo refers to a BinarySecurityToken of X509v3 in the same header; others are not read here";
        fault(Code::UnsupportedSecurityToken, what)
    };
    let reference = info.only(WSSE, "SecurityTokenReference");
    let reference = reference.and_then(|it| it.only(WSSE, "Reference")).ok_or_else(unknown)?;
    let id = reference.attribute("", "URI").and_then(|it| it.strip_prefix('#'));
    let id = id.filter(|it| !it.is_empty()).ok_or_else(unknown)?;
    let mut all = security.all(WSSE, "BinarySecurityToken");
    let found = all.find(|it| it.attribute(WSU, "Id") == Some(id)).ok_or_else(|| {
        fault(
            Code::SecurityTokenUnavailable,
            format!("there is no BinarySecurityToken {:?}", cut(id)),
        )
    })?;
    if found.attribute("", "ValueType") != Some(X509) {
        return Err(unknown());
    }
    octets(found, LONGEST).ok_or_else(|| {
        fault(Code::InvalidSecurityToken, "the BinarySecurityToken is no base64, or too long")
    })
}

/// By what is signed, and the references.
fn signed_info(info: &Element) -> Result<(Algorithm, Vec<&Element>), Fault> {
    let references: Vec<&Element> = info.all(DS, "Reference").collect();
    let unsupported = |what: &str, uri: &str| {
        fault(Code::UnsupportedAlgorithm, format!("{what} {:?} is not taken", cut(uri)))
    };
    let algorithm = |local| {
        let found = of_signature(info, local).and_then(|it| it.attribute("", "Algorithm"));
        found.ok_or_else(|| invalid(format!("a SignedInfo has one {local} with an Algorithm")))
    };
    let canonicalization = algorithm("CanonicalizationMethod")?;
    if canonicalization != EXCLUSIVE {
        return Err(unsupported("the CanonicalizationMethod", canonicalization));
    }
    let method = algorithm("SignatureMethod")?;
    let method = Algorithm::of(method).ok_or_else(|| unsupported("the SignatureMethod", method))?;
    if references.is_empty() || references.len() > MOST_REFERENCES {
        return Err(invalid("a SignedInfo has 1 to 16 References"));
    }
    if !is_expected(info) {
        return Err(invalid("a SignedInfo has elements that are none of signatures"));
    }
    match info.children.len() == references.len() + 2 {
        true => Ok((method, references)),
        false => Err(invalid("a SignedInfo has more than two methods and References")),
    }
}

/// Is there nothing in it but what signatures have, each where it belongs? It is canonicalised before anybody has shown who wrote
/// it.
fn is_expected(element: &Element) -> bool {
    let is_known = |child: &Element| match element.name() {
        "SignedInfo" => {
            ["CanonicalizationMethod", "SignatureMethod", "Reference"].contains(&child.name())
        }
        "Reference" => ["Transforms", "DigestMethod", "DigestValue"].contains(&child.name()),
        "Transforms" => child.name() == "Transform",
        _ => false,
    };
    let inclusive = |child: &Element| {
        ["CanonicalizationMethod", "Transform"].contains(&element.name())
            && child.is(EXCLUSIVE, "InclusiveNamespaces")
            && child.children.is_empty()
            && child.has_plain_attributes()
    };
    element.has_plain_attributes()
        && element.children.iter().all(|child| {
            inclusive(child) || (child.namespace == DS && is_known(child) && is_expected(child))
        })
}

/// Looks at a reference; answers where what it leads to begins.
fn reference(
    reference: &Element,
    security: &Element,
    document: &Document<'_>,
) -> Result<usize, Fault> {
    let part = |local| {
        let found = of_signature(reference, local);
        found.ok_or_else(|| invalid(format!("a Reference has one {local}")))
    };
    let id = reference.attribute("", "URI").and_then(|it| it.strip_prefix('#'));
    let id = id.ok_or_else(|| invalid("a Reference has a URI that begins with #"))?;
    let transform = match &*part("Transforms")?.children {
        [only] if only.is(DS, "Transform") => only,
        _ => return Err(invalid("a Reference has one Transform")),
    };
    let algorithm = transform.attribute("", "Algorithm").unwrap_or_default();
    if algorithm != EXCLUSIVE {
        let what = format!("the Transform {:?} is not taken", cut(algorithm));
        return Err(fault(Code::UnsupportedAlgorithm, what));
    }
    let method = part("DigestMethod")?.attribute("", "Algorithm").unwrap_or_default();
    if method != SHA256 {
        let what = format!("the DigestMethod {:?} is not taken", cut(method));
        return Err(fault(Code::UnsupportedAlgorithm, what));
    }
    let value = octets(part("DigestValue")?, 64).unwrap_or_default();
    let at = document.find(id).map_err(invalid)?;
    let id = cut(id);
    let is_of_header = || document.blocks.contains(&at);
    let is_token = || security.children.iter().any(|it| it.at == at && it.namespace != DS);
    if at != document.body && !is_of_header() && !is_token() {
        let what = format!(
            "{id:?} is neither the Body nor a header block nor a token of this envelope: what it signs is not processed"
        );
        return Err(fault(Code::FailedCheck, what));
    }
    let canonical = canonical(document, at, &prefixes(transform)?)?;
    match digest::digest(&digest::SHA256, canonical.as_bytes()).as_ref() == value {
        true => Ok(at),
        false => Err(fault(
            Code::FailedCheck,
            format!("the digest of {id:?} is not that of its element"),
        )),
    }
}

/// The prefixes of `InclusiveNamespaces` in an algorithm.
fn prefixes(algorithm: &Element) -> Result<Vec<&str>, Fault> {
    let inclusive = match &*algorithm.children {
        [] => return Ok(Vec::new()),
        [only] if only.is(EXCLUSIVE, "InclusiveNamespaces") => only,
        _ => return Err(invalid("an algorithm has InclusiveNamespaces and nothing else")),
    };
    let list = inclusive.attribute("", "PrefixList").unwrap_or_default();
    let prefixes: Vec<&str> = list.split_ascii_whitespace().take(MOST_PREFIXES + 1).collect();
    match prefixes.len() > MOST_PREFIXES {
        true => Err(invalid("a PrefixList has at most 32 prefixes")),
        false => Ok(prefixes),
    }
}

fn canonical(document: &Document<'_>, at: usize, prefixes: &[&str]) -> Result<String, Fault> {
    canonical::exclusive(document.text, at, prefixes, document.limits)
        .map_err(|it| Fault::of_error(&it))
}

/// The token with the certificate of a key.
pub(crate) fn token(key: &SigningKey, id: &str) -> String {
    let certificate = encoded(key.certificate());
    format!(
        "<wsse:BinarySecurityToken EncodingType=\"{BASE64}\" ValueType=\"{X509}\" wsu:Id=\"{id}\">\
         {certificate}</wsse:BinarySecurityToken>"
    )
}

/// A signature of these elements of an envelope, each with its identifier, by the key whose certificate is in the token.
pub(crate) fn written(
    key: &SigningKey,
    token: &str,
    document: &Document<'_>,
    parts: &[(&str, usize)],
) -> MessageResult<String> {
    let mut info = format!(
        "<ds:CanonicalizationMethod Algorithm=\"{EXCLUSIVE}\"></ds:CanonicalizationMethod>\
         <ds:SignatureMethod Algorithm=\"{}\"></ds:SignatureMethod>",
        key.algorithm().uri()
    );
    for (id, at) in parts {
        let canonical = canonical::exclusive(document.text, *at, &[], document.limits)?;
        let digest = digest::digest(&digest::SHA256, canonical.as_bytes());
        let digest = encoded(digest.as_ref());
        info.push_str(&format!(
            "<ds:Reference URI=\"#{id}\"><ds:Transforms><ds:Transform Algorithm=\"{EXCLUSIVE}\"></ds:Transform></ds:Transforms>\
             <ds:DigestMethod Algorithm=\"{SHA256}\"></ds:DigestMethod><ds:DigestValue>{digest}</ds:DigestValue></ds:Reference>"
        ));
    }
    // It is in canonical form as it stands, but that it declares its prefix.
    let signed = format!("<ds:SignedInfo xmlns:ds=\"{DS}\">{info}</ds:SignedInfo>");
    let failed = |it: crate::KeyError| {
        let kind = trunkline_message::ErrorKind::Expected(it.to_string().into());
        trunkline_message::Error::new(kind, 0)
    };
    let value = encoded(&key.sign(signed.as_bytes()).map_err(failed)?);
    Ok(format!(
        "<ds:Signature xmlns:ds=\"{DS}\"><ds:SignedInfo>{info}</ds:SignedInfo>\
         <ds:SignatureValue>{value}</ds:SignatureValue><ds:KeyInfo><wsse:SecurityTokenReference>\
         <wsse:Reference URI=\"#{token}\" ValueType=\"{X509}\"/></wsse:SecurityTokenReference></ds:KeyInfo></ds:Signature>"
    ))
}
