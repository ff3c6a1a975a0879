//! What `pub` takes for messages on standard input: lines, messages of FIX whatever they hold, and bytes in hexadecimal.

use std::io::Write as _;

use super::{Router, Running};

/// Status and the last line of what it says, for what it is given.
fn publish(router: &Router, arguments: &[&str], given: &[u8]) -> (Option<i32>, String) {
    let mut publisher = Running::start(router.command(&[&["pub"], arguments].concat()));
    let mut input = publisher.child.stdin.take().expect("it is piped");
    // Whoever finds something wrong need not read the rest.
    _ = input.write_all(given);
    drop(input);
    let (status, _, err) = publisher.end();
    (status, err.last().cloned().unwrap_or_default())
}

fn fix(text: &str) -> Vec<u8> {
    let body = format!("35=B|58={text}|").replace('|', "\u{1}");
    let message = format!("8=FIX.4.4\u{1}9={}\u{1}{body}", body.len());
    let sum = message.bytes().map(u32::from).sum::<u32>() % 256;
    format!("{message}10={sum:03}\u{1}").into_bytes()
}

#[test]
fn messages_of_fix_are_published_whole() {
    let router = Router::start("given-fix");
    let all = ["one", "two\nlines\n", "\nthree"].map(fix);
    let sub = router.sub(&["orders/>", "--count", "6"]);
    let stream = [&all[0][..], &all[1], b"\n", &all[2], b"\r\n"].concat();
    let (status, said) = publish(&router, &["orders/1", "-", "--format", "fix"], &stream);
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("3 messages to orders/1"), "{said}");
    let of_topics = all.each_ref().map(|it| [&b"orders/2\t"[..], it, b"\n"].concat()).concat();
    let (status, said) = publish(&router, &["--topics", "--format", "fix"], &of_topics);
    assert_eq!(status, Some(0), "{said}");
    let (_, out, _) = sub.end();
    let shown =
        |text: &[u8]| String::from_utf8_lossy(text).replace('\u{1}', "|").replace('\n', "\\n");
    for (index, line) in out.iter().enumerate() {
        assert_eq!(*line, format!("orders/{}\t{}", 1 + index / 3, shown(&all[index % 3])));
    }
    // What is no message is refused, with its place.
    let first = all[0].len();
    let wrong_sum = String::from_utf8_lossy(&all[1]).replace("10=", "10=9").into_bytes();
    for (rest, expected) in [
        (&b"rubbish\n"[..], "expected a FIX message: BeginString (8=), then BodyLength (9=)"),
        (&all[1][..30], "the input ends within a message"),
        (&wrong_sum, "CheckSum"),
        (b"8=FIX.4.4|9=5|35=0|10=163|\n", "'|' stands between the fields of FIX"),
    ] {
        let given = [&all[0][..], b"\n", rest].concat();
        let (status, said) = publish(&router, &["orders/1", "-", "--format", "fix"], &given);
        assert_eq!(status, Some(2), "{said}");
        let place = format!("standard input: message 2 from byte {} on: ", first + 1);
        assert!(said.contains(&place) && said.contains(expected), "{said}");
        assert!(said.ends_with("; published before it: 1 message"), "{said}");
    }
}

#[test]
fn bytes_in_hexadecimal_are_published_with_their_byte_order() {
    let router = Router::start("given-hex");
    let sub = router.sub(&["orders", "--count", "3"]);
    for (format, given) in [
        ("cdr-be", &b"4142434400000001\n"[..]),
        ("cdr-le", b"01000000\n"),
        ("cdr", b"00 0000 02\r\n"),
    ] {
        let (status, said) = publish(&router, &["orders", "-", "--hex", "--format", format], given);
        assert_eq!((status, said.contains("1 message")), (Some(0), false), "{said}");
    }
    let (_, out, _) = sub.end();
    let expected = ["cdr-be hex:41424344 00000001", "cdr-le hex:01000000", "cdr-be hex:000002"];
    assert_eq!(out, expected.map(|it| format!("orders\t{it}")));
    let (status, said) = publish(&router, &["orders", "-", "--hex"], b"00\n0x\n");
    assert_eq!(status, Some(2));
    let expected = "standard input line 2: no hexadecimal digit at character 2";
    assert!(said.contains(expected), "{said}");
}
