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
    "<Envelope>",
    "</Envelope>",
    "<Envelope/>",
    "<![CDATA[",
    "]]>",
    "<!--",
    "-->",
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

/// Four million bytes of this, over and over.
fn many(part: &str, content: Content) -> (Scanner, Vec<Result<Found, Bad>>) {
    let input = part.repeat((4 << 20) / part.len());
    let limits = Limits { message_bytes: 64 << 20, ..Limits::default() };
    let mut scanner = Scanner::new(limits, content);
    scanner.feed(input.as_bytes());
    scanner.end();
    let all = std::iter::from_fn(|| scanner.next_message()).collect();
    (scanner, all)
}

/// Whoever follows each document up to the end looks at a hundred thousand times four million bytes.
#[test]
fn documents_that_are_cut_take_as_long_as_their_bytes() {
    for content in [Content::Log, Content::Documents] {
        for cut in [
            "<Envelope>",
            "<Envelope>\n",
            "10:00 IN <s:Envelope xmlns:s='x'><s:Body>\n",
            "<Envelope><Envelope/>",
            "<Envelope><!--\n",
            "<Envelope><?p\n",
            "<Envelope><![CDATA[\n",
            "<Envelope><a b='\n",
            "<?xml version='1.0'?><order>\n",
            "<?xml version='1.0'?><Envelope>\n",
            "<?xml version='1.0'?><!-- <x> -->",
            "<?xml ",
            "<?xml \n",
            "10:0 <?xml version='1.0'?><?x \n",
            "10:0 <?xml version='1.0'?><?x ?><?x \n",
            "10:0 <?xml version='1.0'?><!-- c --><!-- \n",
            "<Envelope><![CDATA[<Envelope><!--\n",
            "<Envelope><!--<Envelope><![CDATA[<Envelope><?p <Envelope>\n",
            "<Envelope><a></b>\n",
            "<Envelope><![CDATA[<Envelope>]]>\n",
            "<Envelope><!-- <Envelope> -->\n",
            "<Envelope>\n</a></Envelope>",
        ] {
            let (scanner, all) = many(cut, content);
            assert!(!all.is_empty() || scanner.unread().is_some(), "{cut:?}");
        }
    }
    // Comments that are cut, in much that is.
    for around in ["<Envelope><![CDATA[", "<Envelope>\n"] {
        let cut = format!("{}{}", around.repeat(50_000), "<Envelope><!--\n".repeat(100_000));
        let (_, all) = many(&cut, Content::Log);
        assert!(all.len() >= 100_000, "{}", all.len());
    }
    // Many names, none of which ends.
    let names: String = (0..100_000).map(|it| format!("<n{it}:Envelope>\n")).collect();
    let (_, all) = many(&names, Content::Log);
    assert!(all.len() >= 100_000 && all.iter().all(Result::is_err), "{}", all.len());
    // All end in the last line, and none is what it says.
    let ends =
        format!("{}{}", "<Envelope>\n<a></b>\n".repeat(100_000), "</Envelope>".repeat(100_000));
    let (_, all) = many(&ends, Content::Log);
    assert_eq!(all.len(), 100_000);
}

/// The same of messages of FIX that say that they end far behind.
#[test]
fn messages_that_are_cut_take_as_long_as_their_bytes() {
    for (delimiter, length) in [("\u{1}", 1_999_986), ("|", 59_986), ("<SOH>", 50_000)] {
        let head = format!("8=FIX.4.4{delimiter}9={length}{delimiter}35=D{delimiter}58=");
        for trailer in ["", "10=999", "10=123"] {
            let heads = head.repeat((2 << 20) / head.len());
            let width = head.len().saturating_sub(trailer.len() + delimiter.len());
            let trailer = format!("{}{trailer}{delimiter}", "x".repeat(width));
            let input = heads + &trailer.repeat((2 << 20) / trailer.len());
            let (_, all) = many(&input, Content::Log);
            assert!(all.len() > 10_000, "{delimiter:?}: {}", all.len());
        }
    }
}

#[test]
fn messages_that_are_cut_do_not_keep_others_from_being_settled() {
    for (delimiter, counts) in [("|", [1, 10_000]), ("^A", [1, 1_000]), ("<SOH>", [1, 1_000])] {
        for (count, length) in counts.into_iter().flat_map(|it| [(it, 4_000), (it, 60_000)]) {
            let cut = format!("8=FIX.4.4|9={length}|35=D|58=trunc\n").repeat(count);
            let whole = "8=FIX.4.4|9=12|35=B|58=a\nc|10=092|";
            let behind = "a line of a log\n".repeat(5_000);
            let input = format!("{cut}{whole}\n{behind}").replace('|', delimiter);
            let all = scan(input.as_bytes(), Content::Log, &[input.len()]);
            let settled: Vec<_> = all.iter().flatten().map(|it| it.bytes.clone()).collect();
            assert_eq!(settled, [whole.replace('|', "\u{1}").into_bytes()], "{count} of {length}");
            assert_eq!(all.len(), count + 1);
        }
    }
}
