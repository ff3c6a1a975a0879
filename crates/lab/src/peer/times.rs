//! Files of times: for each message some nanoseconds, each as u64, little-endian.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::{error, fmt};

use trunkline_experiment::definition::MOST_TIMES;

/// Why times could not be written or read; names the file.
#[derive(Debug)]
pub struct TimesError {
    file: PathBuf,
    reason: Reason,
}

#[derive(Debug)]
enum Reason {
    NotWritten(io::Error),
    NotRead(io::Error),
    Length { bytes: u64, expected: u64 },
    Limit(u64),
}

impl fmt::Display for TimesError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: ", self.file.display())?;
        match &self.reason {
            Reason::NotWritten(cause) => write!(out, "cannot be written: {cause}"),
            Reason::NotRead(cause) => write!(out, "cannot be read: {cause}"),
            Reason::Length { bytes, expected } => {
                write!(out, "has {bytes} bytes of times, not {expected}")
            }
            Reason::Limit(count) => {
                write!(out, "times of {count} messages are more than {MOST_TIMES}")
            }
        }
    }
}

impl error::Error for TimesError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match &self.reason {
            Reason::NotWritten(cause) | Reason::NotRead(cause) => Some(cause),
            _ => None,
        }
    }
}

/// Writes the times of messages, `N` of each, to `file`.
///
/// # Errors
/// Names the file and the operating system's reason.
pub fn write_times<const N: usize>(file: &Path, times: &[[u64; N]]) -> Result<(), TimesError> {
    let write = || {
        let mut out = BufWriter::new(File::create(file)?);
        for nanoseconds in times.as_flattened() {
            out.write_all(&nanoseconds.to_le_bytes())?;
        }
        out.flush()
    };
    let failed = |cause| TimesError { file: file.to_owned(), reason: Reason::NotWritten(cause) };
    write().map_err(failed)
}

/// Reads the times of `count` messages, `N` of each.
///
/// # Errors
/// Names the file, and why: it cannot be read, has more or fewer times, or there are more than
/// [`MOST_TIMES`] messages.
pub fn read_times<const N: usize>(file: &Path, count: u64) -> Result<Vec<[u64; N]>, TimesError> {
    let failed = |reason| TimesError { file: file.to_owned(), reason };
    let not_read = |cause| failed(Reason::NotRead(cause));
    if count > MOST_TIMES {
        return Err(failed(Reason::Limit(count)));
    }
    let expected = count * N as u64 * 8;
    let bytes = fs::metadata(file).map_err(not_read)?.len();
    if bytes != expected {
        return Err(failed(Reason::Length { bytes, expected }));
    }
    let mut input = BufReader::new(File::open(file).map_err(not_read)?);
    let mut times = vec![[0; N]; count as usize];
    for nanoseconds in times.as_flattened_mut() {
        let mut bytes = [0; 8];
        input.read_exact(&mut bytes).map_err(not_read)?;
        *nanoseconds = u64::from_le_bytes(bytes);
    }
    Ok(times)
}

#[cfg(test)]
mod tests {
    use super::*;
    use trunkline_bench::folder::PrivateFolder;

    #[test]
    fn times_come_back_and_others_are_rejected() {
        let folder = PrivateFolder::new().expect("a temporary folder");
        let file = folder.path().join("times");
        let times = [[1, u64::MAX], [0, 1_000_000]];
        write_times(&file, &times).expect("a writable folder");
        assert_eq!(read_times::<2>(&file, 2).expect("just written"), times);
        for (count, expected) in [
            (1, "times: has 32 bytes of times, not 16"),
            (3, "times: has 32 bytes of times, not 48"),
            (MOST_TIMES + 1, "times: times of 16777217 messages are more than 16777216"),
        ] {
            let error = read_times::<2>(&file, count).expect_err("another count").to_string();
            assert!(error.ends_with(expected), "{error}");
        }
        let error = read_times::<2>(folder.path(), 0).expect_err("a folder").to_string();
        assert!(error.contains("bytes of times"), "{error}");
    }
}
