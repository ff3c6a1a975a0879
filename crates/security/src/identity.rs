//! Who a client is.

use std::fmt;
use std::sync::Arc;

use trunkline_router::name_fits;

/// Who a client is, as far as the router knows it.
///
/// It prints as rules name it: `anonymous`, `user:anna`, `certificate:CN=desk-7`, `uid:1000`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Identity {
    /// Nobody has said, and nothing shows it.
    #[default]
    Anonymous,
    /// A user of the credentials file, by password or token.
    User(Arc<str>),
    /// The subject of a client's certificate.
    Certificate(Arc<str>),
    /// A user of this machine, at the other end of a Unix socket.
    Uid(u32),
}

impl Identity {
    /// A user.
    #[must_use]
    pub fn user(name: &str) -> Self {
        Self::User(name.into())
    }

    /// The subject of a certificate.
    #[must_use]
    pub fn certificate(subject: &str) -> Self {
        Self::Certificate(subject.into())
    }

    /// The name that stands for it in names that it owns: the user, the common name of a certificate, the number of a
    /// user of this machine. None of somebody unknown, or where `*` is in it.
    #[must_use]
    pub fn name(&self) -> Option<String> {
        let name = match self {
            Self::Anonymous => None,
            Self::User(name) => Some(name.as_ref().to_owned()),
            Self::Certificate(subject) => common_name(subject),
            Self::Uid(uid) => Some(uid.to_string()),
        };
        name.filter(|it| !it.is_empty() && !it.contains('*'))
    }

    /// Whether it is known who it is.
    #[must_use]
    pub fn is_known(&self) -> bool {
        *self != Self::Anonymous
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Anonymous => out.write_str("anonymous"),
            Self::User(name) => write!(out, "user:{name}"),
            Self::Certificate(subject) => write!(out, "certificate:{subject}"),
            Self::Uid(uid) => write!(out, "uid:{uid}"),
        }
    }
}

/// The first common name of a subject, such as `CN=desk-7,O=Bank` (RFC 4514), without its escapes.
fn common_name(subject: &str) -> Option<String> {
    let (mut parts, mut is_escaped) = (vec![String::new()], false);
    for c in subject.chars() {
        match c {
            '\\' if !is_escaped => {
                is_escaped = true;
                continue;
            }
            ',' | '+' if !is_escaped => parts.push(String::new()),
            c => parts.last_mut()?.push(c),
        }
        is_escaped = false;
    }
    parts.into_iter().find_map(|part| part.strip_prefix("CN=").map(str::to_owned))
}

/// Some identities: `user:desk-*`, `uid:1000`, `anonymous`, or `*` for everybody. In a name `*` stands for any
/// characters, or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdentityPattern(String);

/// What may stand before the colon.
const KINDS: [&str; 3] = ["user", "certificate", "uid"];

impl IdentityPattern {
    /// Reads one.
    ///
    /// # Errors
    ///
    /// Says what is wrong with it.
    pub fn new(text: &str) -> Result<Self, String> {
        let is_known = match text.split_once(':') {
            Some(("uid", number)) => number == "*" || number.parse::<u32>().is_ok(),
            Some((kind, name)) => KINDS.contains(&kind) && !name.is_empty(),
            None => text == "*" || text == "anonymous",
        };
        match is_known {
            true => Ok(Self(text.to_owned())),
            false => Err(format!(
                "{text:?} names nobody: write \"user:NAME\", \"certificate:SUBJECT\", \
                 \"uid:NUMBER\" (in each * stands for anything), \"anonymous\", \"role:NAME\", or \
                 \"*\" for everybody"
            )),
        }
    }

    /// Whether this is one of them.
    #[must_use]
    pub fn fits(&self, identity: &Identity) -> bool {
        let (kind, pattern) = self.0.split_once(':').unwrap_or(("", &self.0));
        match identity {
            _ if self.0 == "*" => true,
            Identity::Anonymous => self.0 == "anonymous",
            Identity::User(name) => kind == "user" && name_fits(pattern, name),
            Identity::Certificate(subject) => kind == "certificate" && name_fits(pattern, subject),
            Identity::Uid(uid) => kind == "uid" && (pattern == "*" || pattern.parse() == Ok(*uid)),
        }
    }
}

impl fmt::Display for IdentityPattern {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_fits_whom() {
        let (anna, root) = (Identity::user("anna"), Identity::Uid(0));
        let trader = Identity::certificate("CN=desk-7,O=Bank");
        for (pattern, who, fits) in [
            ("*", &Identity::Anonymous, true),
            ("*", &anna, true),
            ("anonymous", &Identity::Anonymous, true),
            ("anonymous", &anna, false),
            ("user:*", &Identity::Anonymous, false),
            ("user:*", &anna, true),
            ("user:an*a", &anna, true),
            ("user:ann", &anna, false),
            ("user:anna", &Identity::certificate("anna"), false),
            ("certificate:CN=desk-*,O=Bank", &trader, true),
            ("certificate:*O=Bank", &trader, true),
            ("certificate:*O=Banker", &trader, false),
            ("uid:0", &root, true),
            ("uid:00", &root, true),
            ("uid:1", &root, false),
            ("uid:*", &root, true),
            ("user:0", &root, false),
        ] {
            assert_eq!(IdentityPattern::new(pattern).unwrap().fits(who), fits, "{pattern} {who}");
        }
    }

    #[test]
    fn names_that_stand_for_identities() {
        for (identity, name) in [
            (Identity::user("anna"), Some("anna")),
            (Identity::Uid(1000), Some("1000")),
            (Identity::Anonymous, None),
            (Identity::certificate("CN=desk-7,O=Bank"), Some("desk-7")),
            (Identity::certificate("O=Bank,CN=desk-7"), Some("desk-7")),
            (Identity::certificate("O=a\\,CN=root,CN=desk-7"), Some("desk-7")),
            (Identity::certificate("UID=7+CN=desk\\+7\\\\,O=Bank"), Some("desk+7\\")),
            (Identity::certificate("CN=*,O=Bank"), None),
            (Identity::certificate("O=Bank"), None),
            (Identity::certificate("CN="), None),
        ] {
            assert_eq!(identity.name().as_deref(), name, "{identity}");
        }
    }

    #[test]
    fn what_names_nobody_is_an_error() {
        for wrong in ["", "anna", "user:", "uid:x", "uid:-1", "group:a", "Anonymous", "role:a"] {
            let error = IdentityPattern::new(wrong).expect_err(wrong);
            assert!(error.contains("user:NAME"), "{error}");
        }
    }
}
