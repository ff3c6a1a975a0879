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

/// An envelope with whatever may end what another one has begun.
const ENVELOPE: &str =
    "<s:Envelope xmlns:s='x' y=\"z\"><?p q?><!-- c --><a><![CDATA[d]]></a></s:Envelope>";

#[test]
fn a_document_that_is_cut_hides_nothing_behind_its_line() {
    let (one, envelope) = (ONE.escape_ascii(), ENVELOPE.as_bytes().escape_ascii());
    let fix = text(ONE, "|");
    for cut in [
        "<s:Envelope xmlns:s='x'><s:Body><a>trunc",
        "<s:Envelope xmlns:s='x'><s:Body><s:Envelope>",
        "<s:Envelope xmlns:s='x'",
        "<s:Envelope xmlns:s='",
        "<s:Envelope",
        "<s:Envelope xmlns:s='x'><!-- trunc",
        "<s:Envelope xmlns:s='x'><?p trunc",
        "<s:Envelope xmlns:s='x'><a><![CDATA[ trunc",
        "<soap:Envelope><soap:Body",
        "<Envelope>",
        "<?xml version='1.0",
        "<?xml version='1.0'?>",
        "<?xml version='1.0'?><order>",
        "<?xml version='1.0'?><s:Envelope",
        "<?xml version='1.0'?><!-- trunc",
        "<?xml version='1.0'?><!DOCTYPE a [ <!ENTITY b",
    ] {
        let log = format!(
            "1 IN {cut}\n2 IN {fix}\n3 IN {ENVELOPE}\n{{\"a\":1}}\n5 IN {fix}\n6 OUT {ENVELOPE}\n"
        );
        let all = found(log.as_bytes(), Content::Log);
        let places: Vec<usize> = log.match_indices(" IN ").map(|it| it.0 + " IN ".len()).collect();
        let (brace, last) = (log.find('{').expect("it"), log.rfind("<s:").expect("it"));
        let begin = all.len().saturating_sub(5);
        assert!(
            all[..begin].iter().all(|it| it.starts_with("1 ") && it.contains("bad")),
            "{all:?}"
        );
        assert!(begin > 0 && all[0].starts_with("1 5 bad"), "{cut}: {all:?}");
        let behind = [
            format!("2 {} FIX {one}", places[1]),
            format!("3 {} XML {envelope}", places[2]),
            format!("4 {brace} JSON {{\\\"a\\\":1}}"),
            format!("5 {} FIX {one}", places[3]),
            format!("6 {last} XML {envelope}"),
        ];
        assert_eq!(all[begin..], behind, "{cut}");
        // At the end there is nothing behind it.
        let end = format!("1 IN {fix}\n2 IN {cut}");
        let all = found(end.as_bytes(), Content::Log);
        let is_alone = cut == "<?xml version='1.0'?>";
        assert!(all.get(1).is_none_or(|it| it.starts_with("2 ") && it.contains("bad")), "{all:?}");
        assert_eq!(all.len() == 1, is_alone, "{cut}: {all:?}");
    }
}

#[test]
fn a_document_that_is_cut_says_where_the_next_message_begins() {
    let fix = text(ONE, "|");
    let log = format!("<s:Envelope>\n <s:Body>\n  <a>\nIN {fix}\nIN {ENVELOPE}\n");
    for content in [Content::Log, Content::Documents] {
        let all = found(log.as_bytes(), content);
        let next = log.find("8=FIX").expect("it is there");
        let expected = format!(
            "1 0 bad at byte {next}: the message ends where the end of the document should be"
        );
        assert_eq!((&*all[0], all.len()), (&*expected, 3), "{content:?}");
        let mut scanner = Scanner::new(Limits::default(), content);
        scanner.feed(log.as_bytes());
        scanner.end();
        assert_eq!(std::iter::from_fn(|| scanner.next_message()).count(), 3);
        // The other lines of the document.
        assert_eq!(scanner.passed_over(), 2, "{content:?}");
    }
}

#[test]
fn a_document_that_is_whole_keeps_what_looks_like_messages() {
    let fix = text(ONE, "|");
    let lines = format!("\n{fix}\n{ENVELOPE}\n{{\"a\":1}}\n");
    let quoted = lines.replace("]]>", "]]]]><![CDATA[>");
    for document in [
        format!("<s:Envelope xmlns:s='x'>{lines}</s:Envelope>"),
        format!("<s:Envelope>\n<s:Body><![CDATA[{quoted}<s:Envelope>]]></s:Body></s:Envelope>"),
        format!("<?xml version='1.0'?>\n<log>{lines}</log>"),
        format!("<Envelope><!--\n{fix}\n<Envelope>\n--></Envelope>"),
        format!("<Envelope a='\n{fix}\n'>&lt;Envelope></Envelope>"),
    ] {
        let whole = document.as_bytes().escape_ascii();
        for before in ["", "IN <Envelope>trunc\n", "IN <Envelope><a b='\n"] {
            let log = format!("{before}IN {document}\nIN {fix}\n");
            let all = found(log.as_bytes(), Content::Log);
            let line = 1 + before.lines().count();
            let expected = format!("{line} {} XML {whole}", before.len() + 3);
            assert_eq!(all.len(), line + 1, "{all:?}");
            assert_eq!(all[line - 1], expected);
        }
    }
    // The end of another one does not make it whole.
    let torn = format!("IN <Envelope><a>trunc\nIN {fix}\nIN unc</b></Envelope>\n");
    let all = found(torn.as_bytes(), Content::Log);
    assert!(all.len() == 2 && all[0].starts_with("1 3 bad") && all[1].starts_with("2 "), "{all:?}");
    // What is wrong in another way is for its reader to say.
    let wrong = "IN <Envelope>\n<a></b>\n</Envelope>\n";
    assert_eq!(
        found(wrong.as_bytes(), Content::Log),
        ["1 3 XML <Envelope>\\n<a></b>\\n</Envelope>"]
    );
}

#[test]
fn a_declaration_that_is_cut_hides_no_document_behind_it_on_its_line() {
    let document = format!("<?xml version='1.0'?><log>\n{}\n</log>", text(ONE, "|"));
    let log = format!("IN <?xml version='1.0{document}\n");
    let all = found(log.as_bytes(), Content::Log);
    let at = log.find(&document).expect("it is there");
    let expected = format!("1 {at} XML {}", document.as_bytes().escape_ascii());
    assert!(all.len() == 2 && all[0].starts_with("1 3 bad"), "{all:?}");
    assert_eq!(all[1], expected);
}

#[test]
fn a_document_that_is_too_long_hides_nothing_behind_its_line() {
    let one = ONE.escape_ascii();
    let fix = format!("IN {}\n", text(ONE, "|"));
    let log = format!(
        "IN <Envelope>\n{}IN {ENVELOPE}\nIN <Envelope>\n{}",
        fix.repeat(20),
        fix.repeat(50)
    );
    let all = found(log.as_bytes(), Content::Log);
    let bad: Vec<_> = all.iter().filter(|it| it.contains("bad")).collect();
    assert!(bad.len() == 2 && bad[0].contains("message_bytes"), "{bad:?}");
    assert_eq!(all.iter().filter(|it| it.contains(&format!("FIX {one}"))).count(), 70);
    assert_eq!(all.len(), 73);
}

/// A message of FIX with another delimiter, whose BodyLength and CheckSum are right, in which this value quotes.
fn quoting(fields: &str) -> String {
    let body = fields.replace('~', "\u{1}");
    let head = format!("8=FIX.4.4\u{1}9={}\u{1}{body}", body.len());
    let sum = head.bytes().fold(0_u8, u8::wrapping_add);
    format!("{head}10={sum:03}\u{1}").replace('\u{1}', "|")
}

#[test]
fn a_message_in_a_value_is_part_of_the_message_around_it() {
    let inner = text(ONE, "|");
    let length = inner.len();
    for fields in [
        format!("35=D~11=A~212={length}~213={inner}~55=X~"),
        format!("35=D~11=A~354={length}~355={inner}~55=X~"),
        format!("35=D~11=A~58=see {inner} ok~55=X~"),
        format!("35=D~11=A~58=see {}~55=X~", inner.trim_end_matches('|')),
        format!("35=D~58={inner}{inner} twice~55=X~"),
    ] {
        let outer = quoting(&fields);
        let log = format!("in {outer}\nin {inner}\n");
        let all = scan(log.as_bytes(), Content::Log, log.len());
        let all: Vec<_> = all.into_iter().map(|it| it.expect("a message").bytes).collect();
        assert_eq!(all.len(), 2, "{fields}");
        let body = fields.replace('~', "\u{1}");
        assert!(String::from_utf8_lossy(&all[0]).contains(&body), "{}", all[0].escape_ascii());
        assert_eq!(all[1], ONE);
        assert_eq!(found(log.as_bytes(), Content::Log).len(), 2);
    }
    // Around one that is cut, the other is a message of the log.
    let cut = format!("in 8=FIX.4.4|9=70|35=D|58={inner}\n");
    let all = found(cut.as_bytes(), Content::Log);
    assert!(all.len() == 2 && all[0].contains("bad") && all[1].contains("FIX"), "{all:?}");
}

/// What is found, without what is wrong.
fn documents(log: &str, content: Content) -> Vec<String> {
    let all = found(log.as_bytes(), content).into_iter();
    let all = all.filter_map(|it| it.split_once(" XML ").map(|it| it.1.to_owned()));
    all.collect()
}

#[test]
fn whole_documents_behind_one_that_is_cut_are_read() {
    for (cut, line) in [
        ("<order><id>4</id>\n", 1),
        ("<?xml version='1.0'?><order><id>4</id>\n", 1),
        ("<order>\n<id>4</id>\n", 2),
    ] {
        let log = format!("{cut}<order><id>5</id></order>\n<order><id>6</id></order>\n");
        let all = found(log.as_bytes(), Content::Documents);
        assert!(all.len() == 3 && all[0].starts_with("1 0 bad"), "{all:?}");
        let (first, second) = (line + 1, line + 2);
        let begin = cut.len();
        assert_eq!(all[1], format!("{first} {begin} XML <order><id>5</id></order>"));
        assert_eq!(all[2], format!("{second} {} XML <order><id>6</id></order>", begin + 26));
    }
}

#[test]
fn a_line_of_a_log_may_be_a_document() {
    let log = "starting\n<order><id>3</id></order>\r\n<trade/> \n10:00 stopped\n<order/>";
    let expected = ["<order><id>3</id></order>", "<trade/>", "<order/>"];
    assert_eq!(documents(log, Content::Log), expected);
    let log = "10:00 <?xml version='1.0'?><a/>\n<order/>\n";
    assert_eq!(documents(log, Content::Log), ["<?xml version=\\'1.0\\'?><a/>", "<order/>"]);
    // Neither what is not well-formed or has more on its line, nor a part of what goes on over lines.
    for line in [
        "<2026-11-29 10:00> started",
        "<INFO> started",
        "<INFO>",
        "<p>a paragraph<br>",
        "<p>a paragraph</p> and more",
        "in <order/>",
        "  <order/>",
        "<a></b>",
        "<report>\n<order/>\n</report>",
    ] {
        let log = format!("starting\n{line}\n10:00 stopped\n");
        assert_eq!(documents(&log, Content::Log), Vec::<String>::new(), "{line}");
        let log = format!("{log}<order/>\n");
        assert_eq!(documents(&log, Content::Log), ["<order/>"], "{line}");
    }
    // Other messages behind such a beginning are found as ever.
    let log = format!("<thread-1> {}\n", text(ONE, "|"));
    assert_eq!(found(log.as_bytes(), Content::Log), [format!("1 11 FIX {}", ONE.escape_ascii())]);
}

#[test]
fn a_line_of_a_dump_that_is_cut_in_a_byte_is_told() {
    let one = ONE.escape_ascii();
    let hex: String = ONE.iter().map(|it| format!("{it:02x}")).collect();
    let base64 = "OD1GSVguNC4zATk9NQEzNT0wATEwPTE2MQE=";
    for (whole, cuts) in [(&*hex, [41, 39, 51]), (base64, [21, 22, 23])] {
        for cut in cuts {
            let log = format!("{whole}\n{}\n{whole}\n", &whole[..cut]);
            let bytes = if whole == base64 { cut / 4 * 3 } else { cut / 2 };
            let (second, third) = (whole.len() + 1, whole.len() + cut + 2);
            let expected = [
                format!("1 0 FIX {one}"),
                format!(
                    "2 {second} bad at byte {bytes}: the message ends where the last byte of the dump should be"
                ),
                format!("3 {third} FIX {one}"),
            ];
            assert_eq!(found(log.as_bytes(), Content::Log), expected, "{cut}");
        }
    }
    // What is of no message that is known may be a word; not where lines are dumps.
    let lines = b"0123456789abcdef0\nabsentmindednesses\n";
    assert_eq!(found(lines, Content::Log), Vec::<String>::new());
    assert_eq!(found(lines, Content::Dumps).len(), 1);
}

#[test]
fn zeros_before_lines_are_counted() {
    let one = ONE.escape_ascii();
    let log = format!("\0\0\0IN {}\n\0\0{{\"a\":\"\0\"}}\n", text(ONE, "|"));
    let second = log.find('{').expect("it is there");
    assert_eq!(
        found(log.as_bytes(), Content::Log),
        [format!("1 6 FIX {one}"), format!("2 {second} JSON {{\\\"a\\\":\\\"\\x00\\\"}}"),]
    );
    let mut scanner = Scanner::new(Limits::default(), Content::Log);
    scanner.feed(log.as_bytes());
    scanner.end();
    assert_eq!(std::iter::from_fn(|| scanner.next_message()).count(), 2);
    assert_eq!((scanner.zeros(), scanner.passed_over()), (5, 0));
}
