//! The files in a ZIP archive: as much of the format as archives of market data use.
//!
//! PKWARE's APPNOTE, 4.3: the directory at the end names each file and where it begins. Stored and deflated
//! files are read. Lengths of 64 bits are understood, which some programs write for every file; encryption
//! and archives in parts are refused.

use std::io::Read as _;

use flate2::Crc;
use flate2::bufread::DeflateDecoder;

/// What a ZIP archive begins with.
pub(super) const MAGIC: &[u8; 4] = b"PK\x03\x04";

const DIRECTORY_END: &[u8; 4] = b"PK\x05\x06";
const ENTRY: &[u8; 4] = b"PK\x01\x02";
/// The field with lengths of 64 bits.
const WIDE: u16 = 1;
const STORED: u16 = 0;
const DEFLATED: u16 = 8;

/// A file in an archive.
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) content: Vec<u8>,
}

/// All files of an archive, folders apart; no more than `limit` bytes in sum. The error says what is
/// wrong.
pub(super) fn entries(archive: &[u8], limit: u64) -> Result<Vec<Entry>, String> {
    let end = archive
        .windows(4)
        .rposition(|four| four == DIRECTORY_END)
        .ok_or("the archive has no directory: is it whole?")?;
    let count = two(archive, end + 10)?;
    let mut at = four(archive, end + 16)? as usize;
    let mut left = limit;
    let mut found = Vec::new();
    for _ in 0..count {
        if part(archive, at, 4)? != ENTRY {
            return Err(format!("byte {at}: no entry of the archive's directory"));
        }
        let lengths = [28, 30, 32].map(|field| two(archive, at + field).map(usize::from));
        let [name, extra, comment] = lengths;
        let (name, behind) = (name?, extra? + comment?);
        let text = String::from_utf8_lossy(part(archive, at + 46, name)?).into_owned();
        if !text.ends_with('/') {
            let content = content(archive, at, left).map_err(|why| format!("{text}: {why}"))?;
            left -= content.len() as u64;
            found.push(Entry { name: text, content });
        }
        at += 46 + name + behind;
    }
    Ok(found)
}

/// The content of the file whose entry is at `at`.
fn content(archive: &[u8], at: usize, limit: u64) -> Result<Vec<u8>, String> {
    if two(archive, at + 8)? & 1 != 0 {
        return Err("is encrypted".to_owned());
    }
    let (method, check) = (two(archive, at + 10)?, four(archive, at + 16)?);
    let Place { packed, size, header } = place(archive, at)?;
    if size > limit {
        return Err(format!("has {size} bytes, and {limit} may be read"));
    }
    let start = 30
        + usize::from(two(archive, header.saturating_add(26))?)
        + usize::from(two(archive, header.saturating_add(28))?);
    let bytes = part(archive, header.saturating_add(start), packed)?;
    let mut content = Vec::new();
    match method {
        STORED => content.extend_from_slice(bytes),
        DEFLATED => {
            let mut inflated = DeflateDecoder::new(bytes).take(size + 1);
            inflated.read_to_end(&mut content).map_err(|cause| cause.to_string())?;
        }
        other => return Err(format!("is compressed by method {other}, not stored or deflated")),
    }
    let mut sum = Crc::new();
    sum.update(&content);
    if content.len() as u64 != size || sum.sum() != check {
        return Err("is damaged: its length or check sum is another".to_owned());
    }
    Ok(content)
}

/// Where a file is in the archive, and its lengths there and decompressed.
struct Place {
    packed: usize,
    size: u64,
    header: usize,
}

/// What the entry at `at` says of its file's place: a field of 32 bits, or one of 64 behind the name
/// (APPNOTE 4.5.3) if that has all bits set.
fn place(archive: &[u8], at: usize) -> Result<Place, String> {
    let (name, length) = (two(archive, at + 28)?, two(archive, at + 30)?);
    let mut extra = part(archive, at + 46 + usize::from(name), length.into())?;
    let mut wide: &[u8] = &[];
    while let [_, _, _, _, rest @ ..] = extra {
        let content = part(rest, 0, two(extra, 2)?.into())?;
        if two(extra, 0)? == WIDE {
            wide = content;
        }
        extra = &rest[content.len()..];
    }
    // Only those that do not fit are there, in this order.
    let mut field = |narrow: usize| match four(archive, at + narrow)? {
        u32::MAX => {
            let (value, rest) = wide.split_at_checked(8).ok_or("a length of it is missing")?;
            wide = rest;
            Ok::<u64, String>(u64::from(four(value, 4)?) << 32 | u64::from(four(value, 0)?))
        }
        value => Ok(value.into()),
    };
    let (size, packed, header) = (field(24)?, field(20)?, field(42)?);
    let place = |value: u64| usize::try_from(value).map_err(|_| "is not in it".to_owned());
    Ok(Place { size, packed: place(packed)?, header: place(header)? })
}

fn part(bytes: &[u8], at: usize, length: usize) -> Result<&[u8], String> {
    let end = at.saturating_add(length);
    bytes.get(at..end).ok_or_else(|| format!("the archive ends before byte {end}"))
}

fn two(bytes: &[u8], at: usize) -> Result<u16, String> {
    Ok(part(bytes, at, 2)?.iter().rev().fold(0, |sum, byte| sum << 8 | u16::from(*byte)))
}

fn four(bytes: &[u8], at: usize) -> Result<u32, String> {
    Ok(part(bytes, at, 4)?.iter().rev().fold(0, |sum, byte| sum << 8 | u32::from(*byte)))
}

/// An archive of these files, deflated or stored, for tests.
#[cfg(test)]
pub(super) fn archive_of(files: &[(&str, &[u8], bool)]) -> Vec<u8> {
    use std::io::Write as _;

    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    for (name, content, deflated) in files {
        let mut sum = Crc::new();
        sum.update(content);
        let packed = if *deflated {
            let level = flate2::Compression::default();
            let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), level);
            encoder.write_all(content).expect("memory");
            encoder.finish().expect("memory")
        } else {
            content.to_vec()
        };
        let mut common = vec![20, 0, 0, 0, if *deflated { 8 } else { 0 }, 0, 0, 0, 0, 0];
        common.extend(sum.sum().to_le_bytes());
        common.extend((packed.len() as u32).to_le_bytes());
        common.extend((content.len() as u32).to_le_bytes());
        common.extend((name.len() as u16).to_le_bytes());
        common.extend([0, 0]);
        directory.extend(ENTRY);
        directory.extend([20, 0]);
        directory.extend(&common);
        directory.extend([0; 10]);
        directory.extend((archive.len() as u32).to_le_bytes());
        directory.extend(name.as_bytes());
        archive.extend(MAGIC);
        archive.extend(&common);
        archive.extend(name.as_bytes());
        archive.extend(packed);
    }
    let start = archive.len() as u32;
    archive.extend(&directory);
    archive.extend(DIRECTORY_END);
    archive.extend([0; 4]);
    archive.extend([files.len() as u8, 0, files.len() as u8, 0]);
    archive.extend((directory.len() as u32).to_le_bytes());
    archive.extend(start.to_le_bytes());
    archive.extend([0, 0]);
    archive
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

    /// As in the archives of ticks that this was made for.
    #[test]
    fn lengths_of_64_bits_are_understood() {
        let mut archive = archive_of(&[("a.csv", b"17007,1.39147,1.39148", false)]);
        let entry = archive.windows(4).position(|four| four == ENTRY).expect("an entry");
        archive[entry + 20..entry + 28].fill(0xff);
        archive[entry + 30] = 24;
        let mut extra = vec![7, 0, 0, 0, 1, 0, 16, 0];
        extra.extend(21_u64.to_le_bytes().repeat(2));
        archive.splice(entry + 51..entry + 51, extra);
        let found = entries(&archive, 1 << 20).expect("an archive");
        assert_eq!(found[0].content, b"17007,1.39147,1.39148");
        for at in entry..archive.len() {
            let mut damaged = archive.clone();
            damaged[at] ^= 0xff;
            // Whatever becomes of it, it does not panic.
            let _ = entries(&damaged, 1 << 20);
        }
    }

    #[test]
    fn what_is_damaged_or_too_long_is_refused() {
        let long = b"17007,1.39147,1.39148\n".repeat(1000);
        let archive = archive_of(&[("b.csv", &long, true)]);
        let error = entries(&archive, 1000).err().expect("too long");
        assert_eq!(error, "b.csv: has 22000 bytes, and 1000 may be read");
        // The last two bytes are the length of a comment, which nobody reads.
        for cut in 0..archive.len() - 2 {
            assert!(entries(&archive[..cut], 1 << 20).is_err(), "{cut} bytes");
        }
        let mut damaged = archive.clone();
        // The check sum in the directory.
        let entry = archive.windows(4).position(|four| four == ENTRY).expect("an entry");
        damaged[entry + 16] ^= 1;
        let error = entries(&damaged, 1 << 20).err().expect("damaged");
        assert_eq!(error, "b.csv: is damaged: its length or check sum is another");
        for at in 0..archive.len() {
            let mut damaged = archive.clone();
            damaged[at] ^= 0xff;
            // Whatever becomes of it, it does not panic.
            let _ = entries(&damaged, 1 << 20);
        }
    }
}
