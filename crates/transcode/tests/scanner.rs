//! Whatever the input is, what is found in it does not depend on how it comes, and nothing is lost or made up.

use trunkline_message::Limits;
use trunkline_random::Random;
use trunkline_transcode::{Bad, Content, Found, Scanner};

const PARTS: &[&str] = &[
    "8=FIX.4.4\u{1}9=5\u{1}35=0\u{1}10=163\u{1}",
    "8=FIX.4.4|9=5|35=0|10=163|",
    "8=FIX.4.4^A9=5^A35=0^A10=163^A",
    "8=FIX",
    "8=FIX.4.4\u{1}9=99999\u{1}",
    "10=123\u{1}",
    "\u{1}10=123\u{1}",
    "|10=123|",
    "9=",
    "\n",
    "\n",
    "\r\n",
    " ",
    "<a>",
    "</a>",
    "<a/>",
    "<?xml version='1.0'?>",
    "<s:Envelope x='>'>",
    "</s:Envelope>",
    "<!-- 8=FIX -->",
    "{\"a\":1}",
    "{",
    "00000000  38 3d 46 49 58 2e 34 2e  34 01 39 3d 35 01 33 35  |8=FIX.4.4.9=5.35|",
    "00000010  3d 30 01 31 30 3d 31 36  33 01",
    "383d4649582e342e3401393d350133353d300131303d31363301",
    "OD1GSVguNC40ATk9NQEzNT0wATEwPTE2MwE=",
    "20260105-09:30:00 : ",
    "word",
    "\u{e4}",
];

fn scan(input: &[u8], content: Content, pieces: &[usize]) -> Vec<Result<Found, Bad>> {
    let limits = Limits { message_bytes: 1 << 20, ..Limits::default() };
    let mut scanner = Scanner::new(limits, content);
    let (mut all, mut at, mut piece) = (Vec::new(), 0, pieces.iter().cycle());
    while at < input.len() {
        let end = (at + piece.next().copied().unwrap_or(1)).min(input.len());
        scanner.feed(&input[at..end]);
        all.extend(std::iter::from_fn(|| scanner.next_message()));
        at = end;
    }
    scanner.end();
    all.extend(std::iter::from_fn(|| scanner.next_message()));
    all
}

#[test]
fn what_is_found_does_not_depend_on_how_the_input_comes() {
    let mut messages = 0;
    for seed in 0..4_000 {
        let mut random = Random::new(seed);
        let mut input = Vec::new();
        for _ in 0..random.between(1, 24) {
            input.extend_from_slice(PARTS[random.index(PARTS.len())].as_bytes());
            if random.chance(4) {
                input.push(random.bits() as u8);
            }
        }
        let content = [Content::Log, Content::Documents, Content::Dumps][random.index(3)];
        let whole = scan(&input, content, &[input.len()]);
        let pieces: Vec<usize> = (0..7).map(|_| random.between(1, 40) as usize).collect();
        let again = scan(&input, content, &pieces);
        assert_eq!(again, whole, "seed {seed}, {pieces:?}: {}", input.escape_ascii());
        let mut before = 0;
        for found in &whole {
            let place = match found {
                Ok(found) => found.place,
                Err(bad) => bad.place,
            };
            assert!(place.offset >= before && place.offset <= input.len() as u64, "seed {seed}");
            let lines = input[..place.offset as usize].iter().filter(|it| **it == b'\n').count();
            assert_eq!(place.line, 1 + lines as u64, "seed {seed}: {}", input.escape_ascii());
            before = place.offset;
        }
        messages += whole.iter().filter(|it| it.is_ok()).count();
    }
    assert!(messages > 4_000, "{messages}");
}

/// A line of this beginning and then nothing but this, of four million bytes, in pieces of sixteen: whoever looks at all that
/// waits with each piece looks at half a million megabytes.
fn long(begin: &str, part: &str) -> (Scanner, Vec<Result<Found, Bad>>) {
    let mut input = begin.to_owned();
    while input.len() < 4 << 20 {
        input.push_str(part);
    }
    let limits = Limits { message_bytes: 64 << 20, ..Limits::default() };
    let mut scanner = Scanner::new(limits, Content::Log);
    let mut all = Vec::new();
    for piece in input.as_bytes().chunks(16) {
        scanner.feed(piece);
        all.extend(std::iter::from_fn(|| scanner.next_message()));
    }
    scanner.end();
    all.extend(std::iter::from_fn(|| scanner.next_message()));
    (scanner, all)
}

#[test]
fn a_long_line_takes_as_long_as_its_bytes() {
    for part in ["a", "<", " ", "01", "text of a log "] {
        let (scanner, all) = long("", part);
        assert_eq!(all, [], "{part:?}");
        assert!(scanner.passed_over() <= 1, "{part:?}");
    }
    // What begins is told once, whether it is a message or none.
    for begin in ["8=FIX.4.4\u{1}9=190000000\u{1}35=D\u{1}", "8=FIX.4.4|9=190000000|35=D|", "8=FIX"]
    {
        for part in ["58=x|", "58=x\u{1}", "10=1|", "8"] {
            let (_, all) = long(begin, part);
            assert_eq!(all.len(), 1, "{begin:?} {part:?}");
        }
    }
    let message = "8=FIX.4.4|9=5|35=0|10=163|";
    for begin in [message, "8=FIX.4.4\u{1}9=5\u{1}35=0\u{1}10=163\u{1}"] {
        let (_, all) = long(begin, message);
        assert!(all.len() > 160_000 && all.iter().all(Result::is_ok), "{}", all.len());
    }
}
