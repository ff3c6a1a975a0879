//! All codings, as who has a body to send sees them.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::thread;

use proptest::prelude::*;
use trunkline_compression::{Compression, Error};

#[path = "../../../tests/src/skip.rs"]
#[allow(unreachable_pub, dead_code)]
mod skip;

fn document() -> Vec<u8> {
    let item = |it: u32| format!("<item n=\"{it}\">value {}</item>", it * it);
    (0..12).map(item).collect::<String>().into_bytes()
}

fn bytes(hexadecimal: &str) -> Vec<u8> {
    let digits: Vec<u8> =
        hexadecimal.chars().filter_map(|it| it.to_digit(16)).map(|it| it as u8).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

#[test]
fn bodies_come_back_and_have_their_limits() {
    let body = b"<a>one</a><a>two</a>".repeat(50);
    for compression in Compression::ALL {
        let name = compression.name();
        let short = compression.compress(&body);
        assert!(short.len() < body.len() / 4, "{name}: {}", short.len());
        assert_eq!(compression.decompress(&short, 1 << 20, 200), Ok(body.clone()), "{name}");
        assert_eq!(compression.decompress(&short, body.len(), 200), Ok(body.clone()), "{name}");
        let limited = compression.decompress(&short, body.len() - 1, 200);
        assert_eq!(limited, Err(Error::TooLong), "{name}");
        for end in 1..short.len() {
            let cut = compression.decompress(&short[..end], 1 << 20, 200);
            assert!(matches!(cut, Err(Error::Broken(_))), "{name}, {end}: {cut:?}");
        }
        assert_eq!(Compression::of_name(&name.to_uppercase()), Some(compression));
    }
    assert_eq!(Compression::of_name("x-gzip"), Some(Compression::Gzip));
    assert_eq!(Compression::of_name("br"), None);
}

#[test]
fn what_is_too_dense_is_rejected() {
    for compression in Compression::ALL {
        let bomb = compression.compress(&vec![b'0'; 8 << 20]);
        let name = compression.name();
        assert_eq!(compression.decompress(&bomb, 64 << 20, 20), Err(Error::TooDense), "{name}");
        assert_eq!(compression.decompress(&bomb, 4 << 20, 1 << 30), Err(Error::TooLong), "{name}");
    }
}

#[test]
fn bare_deflate_is_read() {
    let body = b"no header of zlib".repeat(9);
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(&body).expect("a Vec takes everything");
    let short = encoder.finish().expect("a Vec takes everything");
    assert_eq!(Compression::Deflate.decompress(&short, 1 << 20, 200), Ok(body));
}

/// Frames of the reference implementation (zstd 1.5.4): at its level 19 with a checksum, and at its level 3 without.
const FRAMES: [&str; 2] = [
    "28b52ffd0468dd0200d2430d11a0ed94ff1d00c4896d25f2cbd05a7f8701eab1d804fafe7afdcde136874b8f \
     264bfa7c06efaf0452c0a45b53050d0982c762430117a810a0ddbf03a0a3ad0110184137b11e03400688ec1b \
     02ab85f80366c436d8bb2d05eb3143e3",
    "28b52ffd00588d0300e4033c6974656d206e3d2230223e76616c756520303c2f6974656d3e31313234333934 \
     313635323536333637343938363439383131313032313c2f6974656d3e160011bb0188f5e8b00a0650038400 \
     0801c1006a8010002120984fd480106c400808069000e200628010800e106617130f",
];

#[test]
fn frames_of_others_are_read_one_after_another() {
    let zstd = Compression::Zstd;
    let frames = FRAMES.map(bytes);
    for frame in &frames {
        assert_eq!(zstd.decompress(frame, 1 << 20, 200), Ok(document()));
    }
    // A frame to be skipped, RFC 8878 section 3.1.2, between the two.
    let skipped = bytes("502a4d18 03000000 aabbcc");
    let all = [frames[0].clone(), skipped.clone(), frames[1].clone()].concat();
    let twice = [document(), document()].concat();
    assert_eq!(zstd.decompress(&all, twice.len(), 200), Ok(twice.clone()));
    assert_eq!(zstd.decompress(&all, twice.len() - 1, 200), Err(Error::TooLong));
    let short = [frames[0].clone(), skipped[..9].to_vec()].concat();
    let cut = zstd.decompress(&short, 1 << 20, 200);
    assert_eq!(cut, Err(Error::Broken("a frame ends too early".to_owned())));
}

#[test]
fn frames_that_ask_for_too_much_or_are_damaged_are_rejected() {
    let zstd = Compression::Zstd;
    let broken = |frame: &[u8]| match zstd.decompress(frame, 16 << 20, 200) {
        Err(Error::Broken(cause)) => cause,
        other => panic!("{other:?}"),
    };
    // A window of 16 MiB, of which nothing is there: RFC 9659 allows half of it.
    assert!(broken(&bytes("28b52ffd 00 70 010000")).contains("window"), "the window is told");
    // In one segment, a gigabyte long.
    let long = bytes("28b52ffd a0 00000040 010000");
    assert!(matches!(
        zstd.decompress(&long, 16 << 20, 200),
        Err(Error::TooLong | Error::TooDense | Error::Broken(_))
    ));
    let mut damaged = bytes(FRAMES[0]);
    let last = damaged.len() - 1;
    damaged[last] ^= 1;
    assert!(broken(&damaged).contains("checksum"), "the checksum is told");
    assert!(!broken(b"no frame").is_empty());
}

/// Bytes that are nearly as likely, each, and now and then repeat: whether a block of them becomes shorter stands on the edge.
fn nearly_random() -> impl Strategy<Value = Vec<u8>> {
    let piece = (any::<u64>(), 10_000usize..140_000, 0u8..=64, 0usize..40);
    let piece = piece.prop_map(|(seed, length, rare, repeated)| {
        let mut state = seed | 1;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 32) as u8
        };
        let mut piece = Vec::with_capacity(length + repeated * 64);
        // Half of what is rare becomes something else.
        piece.extend((0..length).map(|at| match next() {
            it if it < rare && at % 2 == 0 => it.wrapping_add(128),
            it => it,
        }));
        for place in 0..repeated {
            let from = place * 200;
            piece.extend_from_within(from..from + 64);
        }
        piece
    });
    prop::collection::vec(piece, 3..8).prop_map(|it| it.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn blocks_that_hardly_become_shorter_come_back(body in nearly_random()) {
        for compression in [Compression::Zstd, Compression::Xml] {
            let short = compression.compress(&body);
            let back = compression.decompress(&short, body.len(), 200);
            prop_assert!(back.as_ref() == Ok(&body), "{}: {:?}", compression.name(), back.err());
        }
    }
}

#[test]
fn the_reference_implementation_reads_all_frames() {
    let several = document().repeat(2000);
    assert!(several.len() > 3 * (128 << 10));
    for body in [Vec::new(), b"one".to_vec(), vec![7; 128 << 10], several] {
        let mut zstd = match Command::new("zstd")
            .args(["-d", "-c"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
        {
            Ok(zstd) => zstd,
            Err(_) => return skip::note("there is no program zstd"),
        };
        let mut input = zstd.stdin.take().expect("it is piped");
        let short = Compression::Zstd.compress(&body);
        let writing = thread::spawn(move || input.write_all(&short).expect("it reads"));
        let read = zstd.wait_with_output().expect("it ends");
        writing.join().expect("all is written");
        assert!(read.status.success() && read.stdout == body, "{} bytes", body.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_come_back(body in prop::collection::vec(any::<u8>(), 0..3000), few in 1u8..5) {
        let like: Vec<u8> = body.iter().map(|it| b'<' + it % few).collect();
        for body in [body, like] {
            for compression in Compression::ALL {
                let short = compression.compress(&body);
                let back = compression.decompress(&short, body.len(), 200);
                prop_assert_eq!(back, Ok(body.clone()), "{}", compression.name());
            }
        }
    }

    #[test]
    fn damage_is_an_error_or_something_short(
        at in any::<prop::sample::Index>(),
        with in 1u8..=255,
        which in 0usize..4,
    ) {
        let compression = Compression::ALL[which];
        let mut short = compression.compress(&document().repeat(20));
        let at = at.index(short.len());
        short[at] ^= with;
        if let Ok(body) = compression.decompress(&short, 100_000, 200) {
            prop_assert!(body.len() <= 100_000);
        }
    }
}
