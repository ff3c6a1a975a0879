//! CREDENTIALS.

use super::{name, text};
use crate::SECRET_BYTES;
use crate::encode::CREDENTIALS_HEAD;
use crate::error::{Error, ErrorKind};
use crate::frame::Credentials;

pub(super) fn credentials(frame: &[u8]) -> Result<Credentials<'_>, Error> {
    let user = usize::from(frame[8]);
    let secret = CREDENTIALS_HEAD + user;
    if frame.len() < secret {
        let (field, value) = ("the length of the user's name", user as u32);
        return Err(ErrorKind::UnknownValue { field, value }.at(8));
    }
    if frame.len() > secret + SECRET_BYTES {
        let (length, limit) = (frame.len() as u32, (secret + SECRET_BYTES) as u32);
        return Err(ErrorKind::TooLong { length, limit }.at(0));
    }
    // The user's name alone, so that no letter begins in it and ends in the secret.
    let user = name(&frame[..secret], CREDENTIALS_HEAD)?;
    Ok(Credentials { user, secret: text(frame, secret)? })
}
