//! Text of FIX and CDR in the code sets that a plan may say.

use std::sync::Arc;

use trunkline_codec::{CodeSet, cdr, fix};
use trunkline_message::{Layout, Record};

fn schema() -> Arc<Layout> {
    let listing = "message M U1\nfield Text 58 text required\nfield Other 5000 text optional\nend";
    Arc::new(Layout::from_listing(listing).expect("a schema"))
}

fn record(schema: &Arc<Layout>, text: &str, other: &str) -> Record {
    let mut record = Record::new(schema);
    record.set("Text", text).expect("a text");
    record.set("Other", other).expect("a text");
    record
}

/// Of a text in a code set, if that has it.
type Bytes = Option<&'static [u8]>;

/// Texts, and their bytes in ISO-8859-1 and windows-1252.
const TEXTS: [(&str, Bytes, Bytes); 6] = [
    ("plain", Some(b"plain"), Some(b"plain")),
    ("Gr\u{fc}\u{df}e", Some(b"Gr\xfc\xdfe"), Some(b"Gr\xfc\xdfe")),
    ("5 \u{20ac}", None, Some(b"5 \x80")),
    ("\u{80}", Some(b"\x80"), None),
    ("\u{4e2d}", None, None),
    (
        "a caf\u{e9} of more than thirty bytes, on the heap",
        Some(b"a caf\xe9 of more than thirty bytes, on the heap"),
        Some(b"a caf\xe9 of more than thirty bytes, on the heap"),
    ),
];

fn in_sets(check: impl Fn(CodeSet, &str, Option<&[u8]>)) {
    for (text, latin, windows) in TEXTS {
        check(CodeSet::Utf8, text, Some(text.as_bytes()));
        check(CodeSet::Iso8859_1, text, latin);
        check(CodeSet::Windows1252, text, windows);
    }
}

#[test]
fn fix_text_is_in_the_code_set_of_the_plan() {
    let schema = schema();
    in_sets(|code_set, text, bytes| {
        let options = fix::Options { code_set, ..fix::Options::default() };
        let plan = fix::Plan::new(&schema, &options).expect("a plan");
        let (mut encoder, mut decoder) = (fix::Encoder::new(&plan), fix::Decoder::new(&plan));
        let sent = record(&schema, text, "ASCII");
        let Some(bytes) = bytes else {
            let error = encoder.encode(&sent).expect_err("it is not in the code set").to_string();
            let why = format!("the text has a character that is not in {}", code_set.name());
            assert!(error.starts_with("Text ") && error.ends_with(&why), "{error}");
            return;
        };
        let written = encoder.encode(&sent).expect("written").to_vec();
        let field = [b"\x0158=", bytes, b"\x015000=ASCII\x01"].concat();
        assert!(memchr::memmem::find(&written, &field).is_some(), "{}", written.escape_ascii());
        let mut read = Record::new(&schema);
        decoder.decode(&written, &mut read).expect("read");
        assert_eq!(read, sent, "{}", code_set.name());
    });
}

#[test]
fn cdr_strings_are_in_the_code_set_of_the_plan() {
    let schema = schema();
    in_sets(|code_set, text, bytes| {
        for byte_order in [cdr::ByteOrder::Little, cdr::ByteOrder::Big] {
            let options = cdr::Options { code_set, byte_order, ..cdr::Options::default() };
            let plan = cdr::Plan::new(&schema, &options).unwrap();
            let (mut encoder, mut decoder) = (cdr::Encoder::new(&plan), cdr::Decoder::new(&plan));
            let sent = record(&schema, text, "ASCII");
            let Some(bytes) = bytes else {
                let error = encoder.encode(&sent).expect_err("it is not in the set").to_string();
                let why = format!("the text has a character that is not in {}", code_set.name());
                assert!(error.starts_with("Text ") && error.ends_with(&why), "{error}");
                continue;
            };
            let written = encoder.encode(&sent).expect("written").to_vec();
            assert_eq!(&written[4..4 + bytes.len()], bytes);
            assert_eq!(written[4 + bytes.len()], 0);
            let length = bytes.len() as u32 + 1;
            let length = match byte_order {
                cdr::ByteOrder::Little => length.to_le_bytes(),
                cdr::ByteOrder::Big => length.to_be_bytes(),
            };
            assert_eq!(written[..4], length);
            let mut read = Record::new(&schema);
            decoder.decode(&written, &mut read).expect("read");
            assert_eq!(read, sent, "{}", code_set.name());
        }
    });
}

/// Text that is UTF-8 by chance is not taken for it.
#[test]
fn bytes_mean_what_the_plan_says_though_they_are_utf_8() {
    let schema = schema();
    let options = fix::Options { code_set: CodeSet::Windows1252, ..fix::Options::default() };
    let plan = fix::Plan::new(&schema, &options).expect("a plan");
    let utf8 = fix::Plan::new(&schema, &fix::Options::default()).expect("a plan");
    let sent = record(&schema, "\u{20ac}", "\u{e9}");
    let bytes = fix::Encoder::new(&utf8).encode(&sent).expect("written").to_vec();
    let mut read = Record::new(&schema);
    fix::Decoder::new(&plan).decode(&bytes, &mut read).expect("read");
    assert_eq!(read, record(&schema, "\u{e2}\u{201a}\u{ac}", "\u{c3}\u{a9}"));
}

#[test]
fn an_error_names_the_byte_its_place_and_the_option() {
    let schema = schema();
    let latin = fix::Options { code_set: CodeSet::Iso8859_1, ..fix::Options::default() };
    let latin = fix::Plan::new(&schema, &latin).expect("a plan");
    let sent = record(&schema, "caf\u{e9}", "x");
    let bytes = fix::Encoder::new(&latin).encode(&sent).expect("written").to_vec();
    let plan = fix::Plan::new(&schema, &fix::Options::default()).expect("a plan");
    let error = fix::Decoder::new(&plan).decode(&bytes, &mut Record::new(&schema));
    let error = error.expect_err("no UTF-8");
    assert_eq!((error.path().as_str(), bytes[error.offset()]), ("Text", 0xe9));
    let why = "expected text in UTF-8, not the byte 0xE9; as ISO-8859-1 or windows-1252 it is read \
               where the option code_set (--charset) says so";
    assert_eq!(error.kind().to_string(), why);
}
