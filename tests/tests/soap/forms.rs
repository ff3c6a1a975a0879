//! Messages in another form than XML: events in memory, which nobody has measured before the decoder does.

use std::fmt::Write as _;

use trunkline_message::{Error, ErrorKind, Limits, Message, Structure};
use trunkline_soap::{Decoder, Layout, Options, Plan, Style};
use trunkline_tests::events::Events;

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Folder {
    #[xml(kind = "attribute")]
    id: Option<u32>,
    folders: Vec<Folder>,
    numbers: Vec<i64>,
    data: Option<Vec<u8>>,
}

/// The document as events, made with no limit that matters, as a decoder with these limits reads it.
fn read(document: &str, limits: Limits) -> Result<Folder, Error> {
    let lax = Limits { depth: 1 << 20, attributes: 1 << 20, ..Limits::default() };
    let events = Events::of_xml(document.as_bytes(), &lax).expect("a document");
    let options = Options {
        style: Style::DocumentLiteral,
        layout: Layout::Fragment,
        operation: "Folder".into(),
        ..Options::default()
    };
    let plan = Plan::new(Folder::layout(), &options).expect("a plan");
    let mut folder = Folder::default();
    let read = Decoder::with_limits(&plan, limits).decode_from(&mut events.reader(), &mut folder);
    read.map(|()| folder)
}

fn limit(document: &str, limits: Limits) -> (&'static str, usize) {
    match read(document, limits).map_err(|error| error.kind().clone()) {
        Err(ErrorKind::Limit { name, limit }) => (name, limit),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_deep_or_wide_is_rejected_within_the_limits_of_the_decoder() {
    let limits = || Limits { depth: 50, ..Limits::default() };
    for depth in [30, 3000] {
        let inside = "<folders><Folder>".repeat(depth) + &"</Folder></folders>".repeat(depth);
        let deep = format!("<Folder>{inside}</Folder>");
        assert_eq!(limit(&deep, limits()), ("depth", 50));
        // Also where nobody knows what it is.
        let unheard = "<o>".repeat(2 * depth) + &"</o>".repeat(2 * depth);
        assert_eq!(limit(&format!("<Folder>{unheard}</Folder>"), limits()), ("depth", 50));
    }
    let mut tag = String::from("<Folder");
    (0..300).for_each(|it| write!(tag, " a{it}=''").expect("a string"));
    let few = Limits { attributes: 256, ..Limits::default() };
    assert_eq!(limit(&format!("{tag}/>"), few), ("attributes", 256));
    let wide = format!("<Folder><folders>{}</folders></Folder>", "<Folder/>".repeat(100));
    assert_eq!(limit(&wide, Limits { entries: 99, ..Limits::default() }), ("entries", 99));
    let items = format!("<Folder><numbers>{}</numbers></Folder>", "<item>1</item>".repeat(100));
    assert_eq!(limit(&items, Limits { elements: 99, ..Limits::default() }), ("elements", 99));
    let fields = format!("<Folder>{}</Folder>", "<unheard/>".repeat(100));
    assert_eq!(limit(&fields, Limits { fields: 99, ..Limits::default() }), ("fields", 99));
}

#[test]
fn numbers_that_are_no_text_are_read_as_the_types_that_are_asked_for() {
    let folder = |id: &str, number: &str| {
        format!("<Folder id='{id}'><numbers><item>{number}</item></numbers></Folder>")
    };
    let all = Limits::default();
    let expected = Folder { id: Some(7), numbers: vec![-5], ..Folder::default() };
    assert_eq!(read(&folder("7", "-5"), all.clone()).expect("numbers"), expected);
    assert_eq!(read(&folder("+7", " -05 "), all.clone()).expect("texts"), expected);
    for (document, path) in [
        (folder("4294967296", "1"), "id"),
        (folder("-1", "1"), "id"),
        (folder("1", "9223372036854775808"), "numbers"),
        (folder("1", "true"), "numbers"),
    ] {
        let error = read(&document, all.clone()).expect_err(&document);
        assert!(error.path().contains(path), "{error}");
        let is_of_value = matches!(error.kind(), ErrorKind::Value { .. });
        assert!(is_of_value, "{error}");
    }
}
