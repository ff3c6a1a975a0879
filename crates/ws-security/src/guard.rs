//! Who looks at Security headers of what comes in.

use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use trunkline_codec::infoset::{Event, Reader as _};
use trunkline_codec::xml::{self, Source};
use trunkline_message::Limits;
use trunkline_soap::{Fault, HeaderBlock, Roles};
use trunkline_wire::Timestamp;

use crate::document::Document;
use crate::element::Element;
use crate::fault::{Code, cut, fault, invalid};
use crate::keys::Authorities;
use crate::replays::{Admitted, Replays};
use crate::timestamp::{self, Patience};
use crate::token::{self, Password, UsernameToken};
use crate::{DS, WSSE, WSU, moment, signature};

type Check = dyn Fn(&str, &str) -> bool + Send + Sync;
type Admits = dyn Fn(&str) -> bool + Send + Sync;
type Find = dyn Fn(&str) -> Option<String> + Send + Sync;

/// As old may a message be,
const WINDOW: Duration = Duration::from_secs(300);
/// and so far may clocks differ.
const SKEW: Duration = Duration::from_secs(60);
/// As many are remembered that must not come again.
const REMEMBERED: usize = 100_000;

/// What is demanded of messages. What comes with a message is looked at in any case, and a part of a Security header that nobody looks at is
/// rejected.
///
/// A token with a nonce, and a signature, are taken once. They are remembered for as long as they could be replayed, up to a
/// [number](Self::remember); if it is reached, messages are turned away until the first may be forgotten.
pub struct Guard {
    is_known: Option<Box<Check>>,
    password_of: Option<Box<Find>>,
    needs_timestamp: bool,
    authorities: Option<Authorities>,
    is_signer: Option<Box<Admits>>,
    patience: Patience,
    replays: Mutex<Replays>,
}

impl fmt::Debug for Guard {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Guard")
            .field("text", &self.is_known.is_some())
            .field("digest", &self.password_of.is_some())
            .field("needs_timestamp", &self.needs_timestamp)
            .field("authorities", &self.authorities)
            .finish_non_exhaustive()
    }
}

/// Who sent a message, as far as its Security header shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Caller {
    /// The user, who knows the password.
    pub user: Option<String>,
    /// The subject of the certificate that has signed (RFC 4514).
    pub subject: Option<String>,
}

impl Caller {
    /// The user, or else the subject.
    pub fn identity(self) -> Option<String> {
        self.user.or(self.subject)
    }
}

/// A message that came.
#[derive(Clone, Copy)]
pub struct Received<'m> {
    /// All blocks of its Header, in their order.
    pub header: &'m [HeaderBlock],
    /// The roles of who received it.
    pub roles: &'m Roles<'m>,
    /// The envelope, if it came as XML and by itself. Without it no signature is verified.
    pub document: Option<&'m [u8]>,
    /// Those by which it was read.
    pub limits: &'m Limits,
}

/// What is in it may be secret.
impl fmt::Debug for Received<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Received").field("roles", self.roles).finish_non_exhaustive()
    }
}

impl Default for Guard {
    fn default() -> Self {
        Self::new()
    }
}

impl Guard {
    /// It demands nothing.
    pub fn new() -> Self {
        let nanoseconds = moment::nanoseconds;
        Self {
            is_known: None,
            password_of: None,
            needs_timestamp: false,
            authorities: None,
            is_signer: None,
            patience: Patience { window: nanoseconds(WINDOW), skew: nanoseconds(SKEW) },
            replays: Mutex::new(Replays::new(REMEMBERED)),
        }
    }

    /// Demands a user whose password is told as it is (`PasswordText`); the function says whether the two are known, and may
    /// hash. Who listens on the way knows the password then: use TLS.
    #[must_use]
    pub fn users(mut self, is_known: impl Fn(&str, &str) -> bool + Send + Sync + 'static) -> Self {
        self.is_known = Some(Box::new(is_known));
        self
    }

    /// Demands a user whose password is told by a digest with nonce and moment (`PasswordDigest`); the function gives the
    /// password of a user. Who listens may try passwords in peace, and change the rest of the message.
    #[must_use]
    pub fn passwords(
        mut self,
        password_of: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.password_of = Some(Box::new(password_of));
        self
    }

    /// Demands a Timestamp.
    #[must_use]
    pub fn timestamp(mut self) -> Self {
        self.needs_timestamp = true;
        self
    }

    /// Demands a signature of the Body, of a Timestamp and of the UsernameToken if there is one, by a certificate that one of the
    /// authorities has issued.
    #[must_use]
    pub fn signed(mut self, authorities: Authorities) -> Self {
        self.authorities = Some(authorities);
        self
    }

    /// Takes signatures only of those subjects for which the function holds, such as `CN=orders` (RFC 4514): an authority issues
    /// certificates to others, too. Without it a client takes each of them for its service. It needs [`signed`](Self::signed).
    #[must_use]
    pub fn signers(mut self, is_signer: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        self.is_signer = Some(Box::new(is_signer));
        self
    }

    /// How old a message or a token may be, in place of 5 minutes; and how far clocks may differ, in place of one.
    #[must_use]
    pub fn patience(mut self, window: Duration, skew: Duration) -> Self {
        let nanoseconds = moment::nanoseconds;
        self.patience = Patience { window: nanoseconds(window), skew: nanoseconds(skew) };
        self
    }

    /// How many tokens and signatures are remembered, in place of 100,000.
    #[must_use]
    pub fn remember(self, most: usize) -> Self {
        self.replays.lock().unwrap_or_else(PoisonError::into_inner).set_most(most);
        self
    }

    /// Looks at the Security header of a message; `now` is the moment in UTC.
    ///
    /// # Errors
    /// A fault of the sender with a code of WSS section 12, or of the receiver if too much is remembered.
    pub fn check(&self, received: &Received<'_>, now: Timestamp) -> Result<Caller, Fault> {
        let is_ours = |it: &HeaderBlock| it.name.is(WSSE, "Security") && received.roles.play(it);
        let mut ours = (0..received.header.len()).filter(|it| is_ours(&received.header[*it]));
        let (Some(place), others) = (ours.next(), ours.next()) else {
            return match self.is_content() {
                true => Ok(Caller::default()),
                false => Err(invalid("a Security header is needed, and there is none")),
            };
        };
        if others.is_some() {
            return Err(invalid("there are several Security headers for the same receiver"));
        }
        let error = |it| Fault::of_error(&it);
        let mut source = Source::default();
        let Some(bytes) = received.document else {
            let security = element(&received.header[place]).map_err(error)?;
            return self.look(&security, None, now.unix_nanoseconds());
        };
        let text = source.prepare(bytes, received.limits);
        let text = text.map_err(|it| Fault::of_error(&it.into()))?;
        let mut document = Document::read(text, Some(place), received.limits).map_err(error)?;
        let security = document.block.take().unwrap_or_default();
        if !security.is(WSSE, "Security") {
            return Err(invalid("the Security header is not where it was"));
        }
        self.look(&security, Some(&document), now.unix_nanoseconds())
    }

    fn is_content(&self) -> bool {
        self.is_known.is_none()
            && self.password_of.is_none()
            && !self.needs_timestamp
            && self.authorities.is_none()
            && self.is_signer.is_none()
    }

    fn look(
        &self,
        security: &Element,
        document: Option<&Document<'_>>,
        now: i128,
    ) -> Result<Caller, Fault> {
        self.check_parts(security)?;
        let stamp = security.only(WSU, "Timestamp");
        let holds = stamp.map(|it| timestamp::check(it, &self.patience, now)).transpose()?;
        if holds.is_none() && (self.needs_timestamp || self.authorities.is_some()) {
            return Err(invalid("a Timestamp is needed, and there is none"));
        }
        let subject = match &self.authorities {
            None if self.is_signer.is_some() => {
                return Err(invalid(
                    "a signature is needed, and nobody is trusted to issue its certificate",
                ));
            }
            None => None,
            Some(authorities) => {
                let document = document.ok_or_else(|| {
                    let what =
                        "signatures are verified of envelopes in XML without attachments only";
                    fault(Code::UnsupportedAlgorithm, what)
                })?;
                let signed = signature::check(security, document, authorities, now)?;
                if self.is_signer.as_ref().is_some_and(|it| !it(&signed.subject)) {
                    let what = format!("{:?} may not sign here", cut(&signed.subject));
                    return Err(fault(Code::FailedAuthentication, what));
                }
                let user = security.only(WSSE, "UsernameToken");
                let parts = [("Timestamp", stamp), ("UsernameToken", user)];
                let parts = parts.into_iter().filter_map(|(name, it)| Some((name, it?.at)));
                for (name, at) in [("Body", document.body)].into_iter().chain(parts) {
                    if !signed.parts.contains(&at) {
                        return Err(fault(Code::FailedCheck, format!("the {name} is not signed")));
                    }
                }
                let until = holds.unwrap_or(now);
                let parts = [b"signature", &*signed.certificate, signed.info.as_bytes()];
                self.once("the signature", &parts, until, now)?;
                Some(signed.subject)
            }
        };
        let user = self.user(security, now)?;
        Ok(Caller { user, subject })
    }

    /// Is there nothing but what is looked at, and each once?
    fn check_parts(&self, security: &Element) -> Result<(), Fault> {
        for it in &security.children {
            match (it.namespace, it.name()) {
                (WSU, "Timestamp") | (WSSE, "UsernameToken") => {}
                (DS, "Signature") | (WSSE, "BinarySecurityToken") if self.authorities.is_some() => {
                }
                (DS, _) | (WSSE, "BinarySecurityToken") => {
                    let what = "signatures are not verified here";
                    return Err(fault(Code::UnsupportedSecurityToken, what));
                }
                (_, "EncryptedKey" | "EncryptedData" | "ReferenceList") => {
                    let what = "what is encrypted is not read here";
                    return Err(fault(Code::UnsupportedAlgorithm, what));
                }
                (_, name) => {
                    let what = format!("{name:?} in a Security header is not read here");
                    return Err(fault(Code::UnsupportedSecurityToken, what));
                }
            }
        }
        for (namespace, local) in [(WSU, "Timestamp"), (WSSE, "UsernameToken"), (DS, "Signature")] {
            if security.all(namespace, local).count() > 1 {
                return Err(invalid(format!("the Security header has {local} twice")));
            }
        }
        Ok(())
    }

    /// The user, who knows the password.
    fn user(&self, security: &Element, now: i128) -> Result<Option<String>, Fault> {
        let is_needed = self.is_known.is_some() || self.password_of.is_some();
        let Some(element) = security.only(WSSE, "UsernameToken") else {
            return match is_needed {
                true => Err(fault(
                    Code::FailedAuthentication,
                    "a UsernameToken is needed, and there is none",
                )),
                false => Ok(None),
            };
        };
        if !is_needed {
            let what = "user names are not looked at here";
            return Err(fault(Code::UnsupportedSecurityToken, what));
        }
        let token = UsernameToken::read(element)?;
        if token.created.is_none() && !token.nonce.is_empty() {
            return Err(invalid("a Nonce needs Created, or nobody knows for how long it holds"));
        }
        let until = token
            .created
            .map(|it| self.patience.check_created("UsernameToken", it, now))
            .transpose()?;
        let is_right = match (&token.password, &self.is_known, &self.password_of) {
            (Password::Text(password), Some(is_known), _) => is_known(token.user, password),
            (Password::Text(_), None, _) => {
                let what = "a PasswordDigest is needed, not the password";
                return Err(fault(Code::UnsupportedSecurityToken, what));
            }
            (Password::Digest(_), _, None) => {
                let what = "the PasswordText is needed, not its digest";
                return Err(fault(Code::UnsupportedSecurityToken, what));
            }
            (Password::Digest(found), _, Some(password_of)) => {
                let (Some(created), false) = (token.created, token.nonce.is_empty()) else {
                    return Err(invalid("a PasswordDigest needs a Nonce and Created"));
                };
                let password = password_of(token.user);
                // Of a user who is not known it takes as long.
                let known = password.as_deref().unwrap_or("");
                token::is_digest(found, &token.nonce, created, known) && password.is_some()
            }
        };
        if !is_right {
            return Err(fault(Code::FailedAuthentication, "the user or the password is wrong"));
        }
        if let (false, Some(until)) = (token.nonce.is_empty(), until) {
            // A digest does not say for which user it is.
            let parts = match &token.password {
                Password::Digest(found) => [b"digest".as_slice(), b"", found.as_slice()],
                Password::Text(_) => [b"nonce", token.user.as_bytes(), token.nonce.as_slice()],
            };
            self.once("the UsernameToken", &parts, until, now)?;
        }
        Ok(Some(token.user.to_owned()))
    }

    /// Takes something once.
    fn once(&self, what: &str, parts: &[&[u8]], until: i128, now: i128) -> Result<(), Fault> {
        let mut replays = self.replays.lock().unwrap_or_else(PoisonError::into_inner);
        match replays.admit(parts, until, now) {
            Admitted::New => Ok(()),
            Admitted::Replayed => Err(invalid(format!("{what} was used before"))),
            Admitted::Expired => Err(fault(Code::MessageExpired, format!("{what} is too old"))),
            Admitted::Full => {
                Err(Fault::receiver("so many messages came that no more are taken for a while"))
            }
        }
    }
}

/// A block as it came.
fn element(block: &HeaderBlock) -> trunkline_message::Result<Element> {
    let limits = Limits::default();
    let mut reader = xml::Reader::soap(block.content.as_str(), &limits)?;
    match reader.next()? {
        Event::Start(name) => Element::read(&mut reader, name, |_| {}),
        _ => Ok(Element::default()),
    }
}
