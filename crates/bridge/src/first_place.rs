//! From which message of a session on the places in its store are of the router's journal.
//!
//! A place is a position, and each journal counts positions from 1. When the router's journal begins anew, places of the one before
//! would stand for messages that were never sent; a file beside the store says behind which message they are of no use.

use std::fs;
use std::io;
use std::path::Path;

use crate::progress::Began;

/// Its name in the folder of a session.
pub(crate) const NAME: &str = "first-place";

/// The number of the first message, of numbers that began so; 1 if the file says nothing of them.
///
/// # Errors
/// The file cannot be read, or holds something else.
pub(crate) fn read(path: &Path, began: Began) -> io::Result<u64> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(1),
        Err(error) => return Err(error),
    };
    let wrong = || {
        let why = format!("{} is no number and a time: {text:?}", path.display());
        io::Error::new(io::ErrorKind::InvalidData, why)
    };
    let (number, since) = text.trim_end().split_once(' ').ok_or_else(wrong)?;
    let number = number.parse().map_err(|_| wrong())?;
    // With other numbers the store began empty.
    Ok(if since == began_text(began) { number } else { 1 })
}

/// Says which message is the first, whatever stops the process meanwhile.
///
/// # Errors
/// The file cannot be written.
pub(crate) fn write(path: &Path, number: u64, began: Began) -> io::Result<()> {
    let fresh = path.with_extension("new");
    fs::write(&fresh, format!("{number} {}\n", began_text(began)))?;
    fs::File::open(&fresh)?.sync_all()?;
    fs::rename(&fresh, path)
}

fn began_text(began: Began) -> String {
    began.map_or_else(|| "never".to_owned(), |it| it.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_counts_for_the_numbers_that_it_is_of() {
        let path = std::env::temp_dir().join(format!("trunkline-first-{}", std::process::id()));
        assert_eq!(read(&path, None).expect("no file"), 1);
        write(&path, 7, None).expect("a file");
        assert_eq!([None, Some(5)].map(|it| read(&path, it).expect("a file")), [7, 1]);
        write(&path, 9, Some(5)).expect("a file");
        assert_eq!([None, Some(5)].map(|it| read(&path, it).expect("a file")), [1, 9]);
        fs::write(&path, "x").expect("a file");
        assert!(read(&path, None).is_err());
        fs::remove_file(path).expect("a file");
    }
}
