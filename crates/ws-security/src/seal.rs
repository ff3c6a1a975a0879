//! Who puts Security headers into what goes out.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use ring::rand::{SecureRandom as _, SystemRandom};
use trunkline_codec::xml::{Source, element};
use trunkline_message::{Error, ErrorKind, Limits, Result};
use trunkline_soap::Version;
use trunkline_wire::Timestamp;

use crate::document::{Document, namespace};
use crate::keys::SigningKey;
use crate::{WSSE, WSU, moment, signature, timestamp, token};

/// A Timestamp holds as long, unless it is said.
const LIFETIME: Duration = Duration::from_secs(300);

/// What goes into the Security header of each message, anew each time. Passwords and keys are not shown.
#[derive(Clone, Default)]
pub struct Seal {
    user: Option<User>,
    lifetime: Option<Duration>,
    key: Option<Arc<SigningKey>>,
    limits: Limits,
}

#[derive(Clone)]
struct User {
    name: String,
    password: String,
    is_digest: bool,
}

impl fmt::Debug for Seal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Seal")
            .field("user", &self.user.as_ref().map(|it| &it.name))
            .field("lifetime", &self.lifetime)
            .field("key", &self.key)
            .finish_non_exhaustive()
    }
}

impl Seal {
    /// An empty header.
    pub fn new() -> Self {
        Self::default()
    }

    /// A user with the password as it is (`PasswordText`). Who listens on the way knows it then: use TLS.
    #[must_use]
    pub fn user(mut self, user: &str, password: &str) -> Self {
        let (name, password) = (user.to_owned(), password.to_owned());
        self.user = Some(User { name, password, is_digest: false });
        self
    }

    /// A user with the digest of the password, a nonce and the moment (`PasswordDigest`).
    #[must_use]
    pub fn user_digest(self, user: &str, password: &str) -> Self {
        let mut seal = self.user(user, password);
        if let Some(user) = &mut seal.user {
            user.is_digest = true;
        }
        seal
    }

    /// A Timestamp; messages hold for so long, 5 minutes for `None`.
    #[must_use]
    pub fn timestamp(mut self, lifetime: Option<Duration>) -> Self {
        self.lifetime = Some(lifetime.unwrap_or(LIFETIME));
        self
    }

    /// A signature of the Body, the Timestamp, which there is then, and the user.
    #[must_use]
    pub fn sign(mut self, key: Arc<SigningKey>) -> Self {
        self.lifetime.get_or_insert(LIFETIME);
        self.key = Some(key);
        self
    }

    /// Are messages signed, so that they must not be changed any more?
    pub fn is_signature(&self) -> bool {
        self.key.is_some()
    }

    /// Limits of envelopes that are sent, in place of the defaults.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The envelope with a Security header behind its other header blocks, in UTF-8; `now` is the moment in UTC.
    ///
    /// # Errors
    /// It is no envelope, or larger than the limits; the key does not sign; or the system has no random numbers.
    pub fn apply(&self, envelope: &[u8], now: Timestamp) -> Result<Vec<u8>> {
        let now = now.unix_nanoseconds();
        let mut source = Source::default();
        let text = source.prepare(envelope, &self.limits)?;
        let document = Document::read(text, None, &self.limits)?;
        let salt = random()?;
        let body_id = document.body_id.clone().unwrap_or_else(|| format!("Body-{salt}"));
        let mut content = String::new();
        let token_id = format!("X509-{salt}");
        if let Some(key) = &self.key {
            content.push_str(&signature::token(key, &token_id));
        }
        let [stamp_id, user_id] = ["Timestamp", "User"].map(|it| format!("{it}-{salt}"));
        if let Some(lifetime) = self.lifetime {
            content.push_str(&timestamp::written(&stamp_id, now, moment::nanoseconds(lifetime)));
        }
        if let Some(User { name, password, is_digest }) = &self.user {
            let (nonce, created) = (random_octets()?, moment::written(now));
            let how = (*is_digest, &*user_id);
            content.push_str(&token::written(name, password, how, &nonce, &created));
        }
        let block = block(document.version, &content);
        let Some(key) = &self.key else { return Ok(inserted(&document, &block, None).0.into()) };
        let id = document.body_id.is_none().then_some(&*body_id);
        let (unsigned, block_end) = inserted(&document, &block, id);
        let document = Document::read(&unsigned, None, &self.limits)?;
        let signed = [Some(&body_id), Some(&stamp_id), self.user.as_ref().map(|_| &user_id)];
        let mut parts = Vec::new();
        for id in signed.into_iter().flatten() {
            let at = document.find(id).map_err(|it| expected(it, document.body))?;
            parts.push((&**id, at));
        }
        let signature = signature::written(key, &token_id, &document, &parts)?;
        // Behind all others in it, of which it says nothing.
        let end = block_end - END.len();
        Ok([&unsigned[..end], &signature, &unsigned[end..]].concat().into())
    }
}

fn expected(what: impl Into<String>, at: usize) -> Error {
    Error::new(ErrorKind::Expected(what.into().into()), at)
}

const END: &str = "</wsse:Security>";

/// The header block, which has to be understood.
fn block(version: Version, content: &str) -> String {
    let soap = namespace(version);
    let must = if version == Version::Soap11 { "1" } else { "true" };
    format!(
        "<wsse:Security xmlns:wsse=\"{WSSE}\" xmlns:wsu=\"{WSU}\" xmlns:env=\"{soap}\" \
         env:mustUnderstand=\"{must}\">{content}{END}"
    )
}

/// The envelope with one more header block, and with an identifier of its Body; and where the block ends.
fn inserted(document: &Document<'_>, block: &str, body_id: Option<&str>) -> (String, usize) {
    let text = document.text;
    let mut out = String::with_capacity(text.len() + block.len() + 256);
    let mut from = 0;
    // What the declaration says of the encoding may be so no more.
    if text.starts_with("<?xml") {
        from = text.find("?>").map_or(0, |it| it + 2);
        out.push_str("<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
    }
    let block_end;
    match &document.header {
        Some(header) => {
            // An empty-element tag is opened: its slash is left out.
            let (cut, open) = if header.is_empty_tag { (2, ">") } else { (0, "") };
            out.push_str(&text[from..header.at - cut]);
            out.push_str(open);
            out.push_str(block);
            block_end = out.len();
            if header.is_empty_tag {
                out.push_str(&format!("</{}>", header.name));
            }
            from = header.at;
        }
        None => {
            out.push_str(&text[from..document.body]);
            let soap = namespace(document.version);
            out.push_str(&format!("<env:Header xmlns:env=\"{soap}\">{block}"));
            block_end = out.len();
            out.push_str("</env:Header>");
            from = document.body;
        }
    }
    if let Some(id) = body_id {
        let tag = &text[document.body..];
        let end = document.body + element::name_end(tag);
        out.push_str(&text[from..end]);
        from = end;
        let mut prefix = "wsu".to_owned();
        while element::declared(tag).contains(&*prefix) {
            prefix.push('_');
        }
        out.push_str(&format!(" xmlns:{prefix}=\"{WSU}\" {prefix}:Id=\"{id}\""));
    }
    out.push_str(&text[from..]);
    (out, block_end)
}

fn random_octets() -> Result<[u8; 16]> {
    let mut octets = [0; 16];
    let filled = SystemRandom::new().fill(&mut octets);
    filled.map_err(|_| expected("random numbers of the system", 0))?;
    Ok(octets)
}

/// For identifiers that nothing in the message has.
fn random() -> Result<String> {
    Ok(random_octets()?.iter().map(|it| format!("{it:02x}")).collect())
}
