//! Passwords and tokens as they are kept: as hashes.

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};
use ring::digest;

/// The hash of a password by argon2id (19 MiB, two passes), as the credentials file has it; `salt` are random bytes.
#[must_use]
pub fn hash_password(password: &str, salt: &[u8; 16]) -> String {
    let hashed: Result<PasswordHash, _> =
        Argon2::default().hash_password_with_salt(password.as_bytes(), salt);
    // It fails for salts of other lengths and for passwords of 4 GiB.
    hashed.map(|hash| hash.to_string()).unwrap_or_default()
}

/// Whether a text is the hash of a password.
///
/// # Errors
///
/// Says what is wrong with it.
pub fn check_hash(text: &str) -> Result<(), String> {
    let hash =
        PasswordHash::new(text).map_err(|error| format!("no hash of a password: {error}"))?;
    match (hash.algorithm.as_str(), hash.salt, hash.hash) {
        ("argon2id" | "argon2i" | "argon2d", Some(_), Some(_)) => {
            argon2::Params::try_from(&hash).map(|_| ()).map_err(|error| error.to_string())
        }
        (other, ..) if !other.starts_with("argon2") => {
            Err(format!("{other:?} is not known: passwords are hashed by argon2id"))
        }
        _ => Err("the hash has no salt, or nothing behind it".to_owned()),
    }
}

/// Whether a password is the one of a hash. It takes as much time and memory as making the hash.
pub(crate) fn is_password(password: &str, hash: &str) -> bool {
    Argon2::default().verify_password(password.as_bytes(), hash).is_ok()
}

/// The hash of a token, as the credentials file has it: tokens are long and random, so that a fast hash will do.
#[must_use]
pub fn hash_token(token: &str) -> String {
    let mut text = TOKEN.to_owned();
    for byte in token_digest(token) {
        text.push_str(&format!("{byte:02x}"));
    }
    text
}

/// The beginning of a token's hash.
pub(crate) const TOKEN: &str = "sha256:";

pub(crate) fn token_digest(token: &str) -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes.copy_from_slice(digest::digest(&digest::SHA256, token.as_bytes()).as_ref());
    bytes
}
