//! Who the two sides of a session are, and how the session behaves.

use std::time::Duration;

use crate::rules::Validation;
use crate::schedule::Schedule;
use crate::version::Version;

/// Who the two sides are, as this side says it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Identity {
    /// BeginString (8).
    pub version: Version,
    /// SenderCompID (49) of what this side sends.
    pub sender: String,
    /// TargetCompID (56) of what this side sends.
    pub target: String,
}

impl Identity {
    /// The two sides of a session.
    pub fn new(version: Version, sender: &str, target: &str) -> Self {
        Self { version, sender: sender.to_owned(), target: target.to_owned() }
    }

    /// A name for the folder of its store: names of sessions may hold what those of files may not.
    pub fn folder_name(&self) -> String {
        let plain = |text: &str| {
            let safe = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'.' | b'+');
            let one =
                |it: u8| if safe(it) { char::from(it).to_string() } else { format!("%{it:02X}") };
            text.bytes().map(one).collect::<String>()
        };
        let Self { version, sender, target } = self;
        format!("{}-{}-{}", version.begin_string(), plain(sender), plain(target))
    }
}

impl std::fmt::Display for Identity {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}:{}->{}", self.version.begin_string(), self.sender, self.target)
    }
}

/// Who begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The other side connects and sends the first Logon.
    Acceptor,
    /// This side does.
    Initiator,
}

/// How a session behaves.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Who the two sides are.
    pub identity: Identity,
    /// Who begins.
    pub role: Role,
    /// SenderSubID (50), SenderLocationID (142), TargetSubID (57) and TargetLocationID (143) of what this side sends.
    pub sub_ids: SubIds,
    /// HeartBtInt (108) of an initiator; an acceptor takes that of the other side. Zero: no heartbeats.
    pub heartbeat: Duration,
    /// ApplVerID that an initiator names as DefaultApplVerID (1137), such as `9` for FIX 5.0 SP2; FIXT 1.1 alone.
    pub default_appl_ver_id: Option<String>,
    /// The hours of the session; none: it never stops. Outside of them no Logon is sent or taken; at their end the session is
    /// logged out, and at the first Logon of the next both numbers begin with 1, as they do when it is not known when they
    /// began.
    pub schedule: Option<Schedule>,
    /// Fields that the Logon of an initiator has besides, such as Username (553) and Password (554).
    pub logon_fields: Vec<(u32, String)>,
    /// Both numbers begin with 1 at each Logon.
    pub reset_on_logon: bool,
    /// Both numbers begin with 1 after each Logout.
    pub reset_on_logout: bool,
    /// Both numbers begin with 1 whenever the connection ends.
    pub reset_on_disconnect: bool,
    /// How far SendingTime (52) may be from the time here; none: as far as it likes.
    pub latency: Option<Duration>,
    /// How strictly messages are held to their dictionary.
    pub validation: Validation,
    /// A wrong CheckSum (10) makes a message garbled, as the standard asks for.
    pub check_sum: bool,
    /// How many messages one ResendRequest asks for; none: all at once.
    pub resend_chunk: Option<u64>,
    /// A ResendRequest names the last message that is missing, and not infinity.
    pub resend_to_last: bool,
    /// Logon says which number this side expects (789), and both sides resend by it without being asked. FIX 4.4 on.
    pub next_expected: bool,
    /// Every message says which was the last that this side has processed (369).
    pub last_processed: bool,
    /// How long after connecting a Logon may take.
    pub logon_timeout: Duration,
    /// How long the other side may take to answer a Logout.
    pub logout_timeout: Duration,
    /// Bytes of a message at most.
    pub message_bytes: usize,
    /// Bytes of messages that came too early and are kept until those before them are there; others are asked for again.
    pub kept_bytes: usize,
    /// Bytes that may wait for the connection. Beyond these a session ends its connection: what was sent is in the
    /// store, and is sent again when it is asked for.
    pub output_bytes: usize,
}

/// Names below the CompIDs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SubIds {
    /// SenderSubID (50).
    pub sender: Option<String>,
    /// TargetSubID (57).
    pub target: Option<String>,
    /// SenderLocationID (142).
    pub sender_location: Option<String>,
    /// TargetLocationID (143).
    pub target_location: Option<String>,
}

impl Settings {
    /// What most sessions have.
    pub fn new(role: Role, identity: Identity) -> Self {
        Self {
            identity,
            role,
            sub_ids: SubIds::default(),
            heartbeat: Duration::from_secs(30),
            default_appl_ver_id: None,
            schedule: None,
            logon_fields: Vec::new(),
            reset_on_logon: false,
            reset_on_logout: false,
            reset_on_disconnect: false,
            latency: Some(Duration::from_secs(120)),
            validation: Validation::default(),
            check_sum: true,
            resend_chunk: None,
            resend_to_last: false,
            next_expected: false,
            last_processed: false,
            logon_timeout: Duration::from_secs(10),
            logout_timeout: Duration::from_secs(2),
            message_bytes: 16 << 20,
            kept_bytes: 16 << 20,
            output_bytes: 16 << 20,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_session_has_a_folder_of_its_own() {
        let name = |sender: &str, target: &str| {
            Identity::new(Version::Fix44, sender, target).folder_name()
        };
        assert_eq!(name("BANK", "FUND"), "FIX.4.4-BANK-FUND");
        assert_eq!(name("../A", "B/C"), "FIX.4.4-..%2FA-B%2FC");
        assert_ne!(name("A-B", "C"), name("A", "B-C"));
    }
}
