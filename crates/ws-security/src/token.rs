//! `wsse:UsernameToken` (UsernameToken Profile 1.1 section 3).

use ring::digest;
use subtle::ConstantTimeEq as _;
use trunkline_codec::xml::escape;
use trunkline_soap::Fault;
use trunkline_wire::base64;

use crate::element::Element;
use crate::fault::{Code, fault, invalid};
use crate::{WSSE, WSU};

const TEXT: &str = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0#PasswordText";
const DIGEST: &str = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0#PasswordDigest";
/// The only encoding of octets.
pub(crate) const BASE64: &str = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-soap-message-security-1.0#Base64Binary";

/// A nonce has at least so many octets, fewer could be guessed, and at most so many.
const NONCE: std::ops::RangeInclusive<usize> = 8..=256;

/// What a token says.
pub(crate) struct UsernameToken<'e> {
    pub(crate) user: &'e str,
    pub(crate) password: Password<'e>,
    /// Empty if there is none.
    pub(crate) nonce: Vec<u8>,
    pub(crate) created: Option<&'e str>,
}

pub(crate) enum Password<'e> {
    Text(&'e str),
    Digest(Vec<u8>),
}

impl<'e> UsernameToken<'e> {
    pub(crate) fn read(element: &'e Element) -> Result<Self, Fault> {
        let one = |namespace, local| match element.all(namespace, local).count() {
            0 => Ok(None),
            1 => Ok(element.only(namespace, local)),
            _ => Err(invalid(format!("the UsernameToken has {local} twice"))),
        };
        let known = |it: &&Element| {
            matches!(it.local.as_str(), "Username" | "Password" | "Nonce") && it.namespace == WSSE
                || it.is(WSU, "Created")
        };
        if let Some(other) = element.children.iter().find(|it| !known(it)) {
            let what = format!("{} of a UsernameToken is not read here", other.name());
            return Err(fault(Code::UnsupportedSecurityToken, what));
        }
        let user = one(WSSE, "Username")?.and_then(Element::whole_text);
        let user = user.filter(|it| !it.is_empty());
        let user = user.ok_or_else(|| invalid("the UsernameToken has no Username"))?;
        let nonce = match one(WSSE, "Nonce")? {
            None => Vec::new(),
            Some(nonce) => octets(nonce, *NONCE.end())
                .filter(|it| NONCE.contains(&it.len()))
                .ok_or_else(|| invalid("the Nonce is no base64 of 8 to 256 octets"))?,
        };
        let created = match one(WSU, "Created")? {
            None => None,
            Some(created) => match created.text() {
                Some(text) => Some(text),
                None => return Err(invalid("Created of the UsernameToken is no text")),
            },
        };
        let password = one(WSSE, "Password")?.ok_or_else(|| {
            fault(Code::FailedAuthentication, "the UsernameToken has no Password")
        })?;
        let password = match password.attribute("", "Type").unwrap_or(TEXT) {
            TEXT => Password::Text(password.whole_text().unwrap_or_default()),
            DIGEST => Password::Digest(octets(password, 64).unwrap_or_default()),
            _ => {
                let what = "the Type of the Password is neither PasswordText nor PasswordDigest";
                return Err(fault(Code::UnsupportedSecurityToken, what));
            }
        };
        Ok(Self { user, password, nonce, created })
    }
}

/// The octets that an element has in base64, if it has them so.
pub(crate) fn octets(element: &Element, most: usize) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let is_base64 = element.attribute("", "EncodingType").is_none_or(|it| it == BASE64);
    let text = element.text().filter(|_| is_base64)?;
    base64::decode_into(text.as_bytes(), most, &mut out).ok().map(|()| out)
}

pub(crate) fn encoded(octets: &[u8]) -> String {
    let mut out = Vec::new();
    base64::encode_into(octets, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// SHA-1 of nonce, moment and password, as section 3.1 has it.
fn digest(nonce: &[u8], created: &str, password: &str) -> digest::Digest {
    let mut context = digest::Context::new(&digest::SHA1_FOR_LEGACY_USE_ONLY);
    context.update(nonce);
    context.update(created.as_bytes());
    context.update(password.as_bytes());
    context.finish()
}

/// Is a digest that of this password? It takes as long if it is not.
pub(crate) fn is_digest(found: &[u8], nonce: &[u8], created: &str, password: &str) -> bool {
    digest(nonce, created, password).as_ref().ct_eq(found).into()
}

/// A token with the password as it is, or with its digest.
pub(crate) fn written(
    user: &str,
    password: &str,
    (is_digest, id): (bool, &str),
    nonce: &[u8],
    created: &str,
) -> String {
    let mut out = format!("<wsse:UsernameToken wsu:Id=\"{id}\"><wsse:Username>");
    escape(user, false, &mut out);
    let kind = if is_digest { DIGEST } else { TEXT };
    out.push_str(&format!("</wsse:Username><wsse:Password Type=\"{kind}\">"));
    match is_digest {
        true => out.push_str(&encoded(digest(nonce, created, password).as_ref())),
        false => _ = escape(password, false, &mut out),
    }
    let nonce = encoded(nonce);
    out.push_str(&format!(
        "</wsse:Password><wsse:Nonce EncodingType=\"{BASE64}\">{nonce}</wsse:Nonce>\
         <wsu:Created>{created}</wsu:Created></wsse:UsernameToken>"
    ));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What others make of the same: `printf '\0\1\2\3\4\5\6\7%s%s' 2026-03-01T12:00:00.000Z secret | openssl sha1 -binary | base64`.
    #[test]
    fn a_digest_is_that_of_the_profile() {
        let found = digest(&[0, 1, 2, 3, 4, 5, 6, 7], "2026-03-01T12:00:00.000Z", "secret");
        assert_eq!(encoded(found.as_ref()), "Nnwn9zO3fHl88UqTd/qvU8hSF/0=");
    }
}
