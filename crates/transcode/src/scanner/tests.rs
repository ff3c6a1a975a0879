//! What is found in logs, streams and dumps, however the bytes come.

use super::*;

const ONE: &[u8] = b"8=FIX.4.3\x019=5\x0135=0\x0110=161\x01";

/// What is found if the bytes come in pieces of this length.
fn scan(input: &[u8], content: Content, piece: usize) -> Vec<Result<Found, Bad>> {
    let limits = Limits { message_bytes: 1000, ..Limits::default() };
    let mut scanner = Scanner::new(limits, content);
    let mut all = Vec::new();
    for bytes in input.chunks(piece) {
        scanner.feed(bytes);
        all.extend(std::iter::from_fn(|| scanner.next_message()));
    }
    scanner.end();
    all.extend(std::iter::from_fn(|| scanner.next_message()));
    all
}

/// The same for any length of pieces: line, offset, kind and bytes of each, or what is wrong.
fn found(input: &[u8], content: Content) -> Vec<String> {
    let shown = |it: &Result<Found, Bad>| match it {
        Ok(Found { place: Place { line, offset }, kind, bytes, .. }) => {
            let name = kind.map_or("?", Kind::name);
            format!("{line} {offset} {name} {}", bytes.escape_ascii())
        }
        Err(Bad { place: Place { line, offset }, error, .. }) => {
            format!("{line} {offset} bad {error}")
        }
    };
    let all: Vec<_> = scan(input, content, input.len().max(1)).iter().map(shown).collect();
    for piece in [1, 2, 7, 64] {
        let same: Vec<_> = scan(input, content, piece).iter().map(shown).collect();
        assert_eq!(same, all, "in pieces of {piece}");
    }
    all
}

fn text(message: &[u8], delimiter: &str) -> String {
    String::from_utf8_lossy(message).replace('\u{1}', delimiter)
}

#[test]
fn a_stream_of_fix_is_its_messages() {
    let one = ONE.escape_ascii();
    assert_eq!(
        found(&[ONE, ONE].concat(), Content::Log),
        [format!("1 0 FIX {one}"), format!("1 26 FIX {one}")]
    );
}

#[test]
fn logs_have_prefixes_delimiters_and_other_lines() {
    let one = ONE.escape_ascii();
    for delimiter in ["\u{1}", "|", "^A", "<SOH>", "\\x01", " ", " | ", "\u{2401}"] {
        let message = text(ONE, delimiter);
        let log = format!(
            "20260101-10:00:00.000 : Created session\n20260101-10:00:00.000 : {message}\r\n  ({message})\nbye\n"
        );
        let second = log.find("8=FIX").expect("a message");
        let third = log.rfind("8=FIX").expect("a message");
        assert_eq!(
            found(log.as_bytes(), Content::Log),
            [format!("2 {second} FIX {one}"), format!("3 {third} FIX {one}")],
            "{delimiter:?}"
        );
    }
    let log = format!("20260101-10:00:00.000 : {}", text(ONE, "|"));
    let all = scan(log.as_bytes(), Content::Log, 1000);
    let first = all[0].as_ref().expect("a message");
    assert_eq!(first.before, "20260101-10:00:00.000");
    assert_eq!(first.written, Written::Delimiter("|".into()));
}

#[test]
fn what_is_bad_does_not_hide_what_follows() {
    let one = ONE.escape_ascii();
    let log = [b"8=FIX.4.3\x019=900\x0135=0\x0110=161\x01\n", ONE].concat();
    // Its length is for its reader to reject.
    let first = log[..28].escape_ascii();
    assert_eq!(found(&log, Content::Log), [format!("1 0 FIX {first}"), format!("2 29 FIX {one}")]);
    let log = format!("8=FIX.4.3|9=5|35=0|\n8=FIX\n{}\n", text(ONE, "|"));
    assert_eq!(
        found(log.as_bytes(), Content::Log),
        [
            "1 0 bad at byte 19: the message ends where CheckSum (10=) should be".to_owned(),
            "2 20 bad at byte 0: expected BeginString (8=), a delimiter and BodyLength (9=)"
                .to_owned(),
            format!("3 26 FIX {one}"),
        ]
    );
    let long = format!("{}\n{}", "8=FIX.4.3|9=5|".repeat(200), text(ONE, "|"));
    let all = found(long.as_bytes(), Content::Log);
    assert_eq!(all.last().map(|it| it.ends_with(&format!("FIX {one}"))), Some(true), "{all:?}");
}

#[test]
fn documents_follow_one_another_and_stand_in_logs() {
    let documents = "<a>1\n</a>\n<b/> <c x='>'/>";
    assert_eq!(
        found(documents.as_bytes(), Content::Documents),
        ["1 0 XML <a>1\\n</a>", "3 10 XML <b/>", "3 15 XML <c x=\\'>\\'/>"]
    );
    let log = "10:00 INFO <thread-1> sent <s:Envelope xmlns:s='x'>\n<s:Body/>\n</s:Envelope> done\n10:01 <x>\n";
    assert_eq!(
        found(log.as_bytes(), Content::Log),
        ["1 27 XML <s:Envelope xmlns:s=\\'x\\'>\\n<s:Body/>\\n</s:Envelope>"]
    );
    let whole = "<s:Envelope xmlns:s='x'></s:Envelope>";
    let cut = format!("sent <?xml version='1.0'?><s:Envelope xmlns:s='x'><s:Bo\nsent {whole}\n");
    let begin = cut.find(whole).expect("it is there");
    assert_eq!(
        found(cut.as_bytes(), Content::Log),
        [
            format!(
                "1 5 bad at byte {}: the message ends where the end of the document should be",
                begin - 5
            ),
            format!("2 {begin} XML {}", whole.replace('\'', "\\'")),
        ]
    );
    let cut = "<a>\n<b>";
    assert_eq!(
        found(cut.as_bytes(), Content::Documents),
        ["1 0 bad at byte 7: the message ends where the end of the document should be"]
    );
}

#[test]
fn dumps_are_of_messages_that_are_known() {
    let one = ONE.escape_ascii();
    let hex: String = ONE.iter().map(|it| format!("{it:02x}")).collect();
    let log = format!("sent\n{hex}\n0123456789abcdef0123\n");
    assert_eq!(found(log.as_bytes(), Content::Log), [format!("2 5 FIX {one}")]);
    let dumps = found(log.as_bytes(), Content::Dumps);
    assert_eq!(dumps.len(), 2, "{dumps:?}");
    // Where there is nothing but dumps, a message may be of one byte.
    let short = b"00000001\n01\nhex:e9\n01 02 03\n";
    let lengths = |content| found(short, content).len();
    assert_eq!((lengths(Content::Dumps), lengths(Content::Log)), (4, 0));
    let mut lines = String::new();
    for (index, part) in ONE.chunks(16).enumerate() {
        let pairs: Vec<_> = part.iter().map(|it| format!("{it:02x}")).collect();
        lines += &format!("{:08x}: {}\n", 16 * index, pairs.join(" "));
    }
    assert_eq!(found(lines.as_bytes(), Content::Log), [format!("1 0 FIX {one}")]);
}

#[test]
fn an_object_of_json_is_a_line() {
    let lines = "{\"a\":1}\n  {\"b\":2}  \nno {\"c\":3}\n";
    assert_eq!(
        found(lines.as_bytes(), Content::Log),
        ["1 0 JSON {\\\"a\\\":1}", "2 10 JSON {\\\"b\\\":2}"]
    );
}
