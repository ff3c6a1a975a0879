//! Any bytes as packages of MIME and of DIME.

use trunkline_codec::attachment::{Event, Limits, Package, Parser, Part, dime, multipart};
use trunkline_message::{Error, ErrorKind, Result};

use super::changes::{Choices, change_octets};

const MOST: usize = 1 << 20;

/// A valid package of parts that the bytes choose, as MIME and as DIME, whose octets the bytes change; and the bytes
/// themselves.
///
/// A package that comes in pieces must be what it is as a whole, or rejected as well; and what is read must be read again when
/// it is written.
///
/// # Panics
///
/// If that is not so.
pub fn attachment(data: &[u8]) {
    let mut choices = Choices::new(data);
    let (pieces, parts) = (1 + usize::from(choices.byte() % 20), choices.byte() % 4);
    check_multipart(data, pieces);
    check_dime(data, pieces);
    let mut package = Package::default();
    for number in 0..=parts {
        let length = usize::from(choices.byte() % 16);
        let mut part = Part { data: choices.take(length).to_vec(), ..Part::default() };
        part.head.id = format!("id{number}");
        package.parts.push(part);
    }
    let mut writer = multipart::Writer::new("b").expect("a boundary");
    let mut bytes = package.write_multipart(&mut writer).expect("MIME");
    let mut others = choices;
    change_octets(&mut bytes, &mut choices);
    check_multipart(&bytes, pieces);
    let mut bytes = package.write_dime().expect("DIME");
    change_octets(&mut bytes, &mut others);
    check_dime(&bytes, pieces);
}

fn check_multipart(bytes: &[u8], pieces: usize) {
    let new = || multipart::Parser::new("b", &Limits::default()).expect("a boundary");
    let Some(package) = check(new, bytes, pieces) else { return };
    // No boundary may stand in a part.
    let mut writer = multipart::Writer::new("another-boundary").expect("a boundary");
    let written = package.write_multipart(&mut writer).expect("MIME");
    let mut parser =
        multipart::Parser::new("another-boundary", &Limits::default()).expect("a boundary");
    let read = Package::read(&mut parser, &written, MOST).expect("what was written");
    assert_eq!(read, package);
}

fn check_dime(bytes: &[u8], pieces: usize) {
    let new = || dime::Parser::new(&Limits::default());
    let Some(package) = check(new, bytes, pieces) else { return };
    let written = package.write_dime().expect("DIME");
    assert_eq!(Package::read(&mut new(), &written, MOST), Ok(package));
}

/// The package, if the bytes are one, as a whole and in pieces of this length.
fn check<P: Parser>(new: impl Fn() -> P, bytes: &[u8], length: usize) -> Option<Package> {
    let whole = Package::read(&mut new(), bytes, MOST);
    let pieces = read_in_pieces(&mut new(), bytes, length);
    match (&whole, &pieces) {
        (Ok(_), _) => assert_eq!(whole, pieces),
        (Err(_), Ok(package)) => panic!("{whole:?} and in pieces {package:?}"),
        (Err(_), Err(_)) => {}
    }
    whole.ok()
}

/// Reads a package whose bytes come in pieces of a length.
///
/// # Errors
/// It is none.
///
/// # Panics
/// The parser wants more when it was told that there is no more.
pub fn read_in_pieces(parser: &mut impl Parser, bytes: &[u8], length: usize) -> Result<Package> {
    let (mut package, mut done, mut end) = (Package::default(), 0, 0);
    loop {
        let is_last = end == bytes.len();
        let input = &bytes[done..end];
        let (length_done, event) = parser.next(input, is_last)?;
        match (event, package.parts.last_mut()) {
            (Event::Part, _) => {
                package.parts.push(Part { head: parser.head().clone(), data: Vec::new() });
            }
            (Event::Data, Some(part)) => part.data.extend_from_slice(parser.data(input)),
            (Event::End, _) => match bytes.len() - done - length_done {
                left @ 1.. if parser.is_exact() => {
                    return Err(Error::new(ErrorKind::Trailing { bytes: left }, done));
                }
                _ => return Ok(package),
            },
            (Event::More, _) => {
                assert!(!is_last, "it wants more than there is");
                end = bytes.len().min(end + length);
            }
            _ => {}
        }
        done += length_done;
    }
}
