//! Who a client is and what it may do: identities, credentials, access rules; no I/O, no clock
//!
//! [`Identity`] says who a client is, [`Rules`] say what an identity may do to which topics, and [`Credentials`]
//! turn a password or a token into an identity. `docs/security.md` explains all three to operators.
//!
//! ```
//! use trunkline_security::{Effect, Identity, Operation, OperationSet, Rule, Rules};
//!
//! let prices = Rule {
//!     name: "prices".to_owned(),
//!     who: vec!["user:desk-*".to_owned()],
//!     effect: Effect::Allow,
//!     operations: OperationSet::of(&[Operation::Subscribe]),
//!     topics: vec!["fx/>".to_owned()],
//!     names: Vec::new(),
//! };
//! let rules = Rules::new(vec![prices], &[])?;
//! let desk = rules.permissions(&Identity::user("desk-7"));
//! assert!(desk.decide(Operation::Subscribe, "fx/*/spot").is_ok());
//! let rejection = desk.decide(Operation::Subscribe, ">").unwrap_err();
//! assert_eq!(
//!     rejection.to_string(),
//!     "user:desk-7 may not subscribe to \">\": no access rule allows all of it; \"prices\" allows \"fx/>\""
//! );
//! # Ok::<(), trunkline_security::RuleError>(())
//! ```

#![forbid(unsafe_code)]

mod credentials;
mod identity;
mod operation;
mod password;
mod pattern;
mod rules;
mod secret;

pub use credentials::{Credentials, CredentialsError, PasswordCheck};
pub use identity::{Identity, IdentityPattern};
pub use operation::{Operation, OperationSet};
pub use password::{check_hash, hash_password, hash_token};
pub use pattern::contains;
pub use rules::{Effect, Forbidden, OWN_NAME, Permissions, Role, Rule, RuleError, Rules};
pub use secret::{RememberedLogins, Tickets, random_bytes};

/// The most bytes of a user's name.
pub const USER_BYTES: usize = 200;

/// The most bytes of a password or a token.
pub const SECRET_BYTES: usize = 1024;
