//! The files in a ZIP archive of market data, stored or deflated.

use std::io::{Cursor, Read as _};

use zip::ZipArchive;

/// What a ZIP archive begins with.
pub(super) const MAGIC: &[u8; 4] = b"PK\x03\x04";

/// A file in an archive.
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) content: Vec<u8>,
}

/// All files of an archive, folders apart; no more than `limit` bytes in sum. The error says what is
/// wrong.
pub(super) fn entries(archive: &[u8], limit: u64) -> Result<Vec<Entry>, String> {
    let mut archive = ZipArchive::new(Cursor::new(archive)).map_err(|cause| cause.to_string())?;
    let (mut left, mut found) = (limit, Vec::new());
    for index in 0..archive.len() {
        let file = archive.by_index(index).map_err(|cause| cause.to_string())?;
        if file.is_dir() {
            continue;
        }
        let name = String::from_utf8_lossy(file.name_raw()).into_owned();
        let mut content = Vec::new();
        // The length that the archive states may be a lie.
        let read = file.take(left.saturating_add(1)).read_to_end(&mut content);
        read.map_err(|cause| format!("{name}: {cause}"))?;
        if content.len() as u64 > left {
            return Err(format!("{name}: has more than the {left} bytes that may be read"));
        }
        left -= content.len() as u64;
        found.push(Entry { name, content });
    }
    Ok(found)
}

/// An archive of these files, deflated or stored, for tests.
#[cfg(test)]
pub(super) fn archive_of(files: &[(&str, &[u8], bool)]) -> Vec<u8> {
    use std::io::Write as _;

    use zip::CompressionMethod::{Deflated, Stored};
    use zip::write::SimpleFileOptions;

    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content, deflated) in files {
        let method = if *deflated { Deflated } else { Stored };
        let options = SimpleFileOptions::default().compression_method(method);
        archive.start_file(*name, options).expect("memory");
        archive.write_all(content).expect("memory");
    }
    archive.finish().expect("memory").into_inner()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_and_deflated_files_are_read() {
        let long = b"17007,1.39147,1.39148\n".repeat(1000);
        let archive = archive_of(&[("a.csv", b"plain", false), ("b.csv", &long, true)]);
        let found = entries(&archive, 1 << 20).expect("an archive");
        let found: Vec<_> = found.iter().map(|it| (&*it.name, &*it.content)).collect();
        assert_eq!(found, [("a.csv", &b"plain"[..]), ("b.csv", &long)]);
    }

    #[test]
    fn what_is_damaged_or_too_long_is_rejected() {
        let long = b"17007,1.39147,1.39148\n".repeat(1000);
        let archive = archive_of(&[("a.csv", b"plain", false), ("b.csv", &long, true)]);
        let error = entries(&archive, 1005).err().expect("too long");
        assert_eq!(error, "b.csv: has more than the 1000 bytes that may be read");
        for cut in 0..archive.len() - 2 {
            assert!(entries(&archive[..cut], 1 << 20).is_err(), "{cut} bytes");
        }
        let plain = archive.windows(5).position(|it| it == b"plain").expect("it is stored");
        let mut damaged = archive.clone();
        damaged[plain] ^= 1;
        let error = entries(&damaged, 1 << 20).err().expect("damaged");
        assert!(error.starts_with("a.csv: "), "{error}");
        for at in 0..archive.len() {
            let mut damaged = archive.clone();
            damaged[at] ^= 0xff;
            // Whatever becomes of it, it does not panic.
            let _ = entries(&damaged, 1 << 20);
        }
    }
}
