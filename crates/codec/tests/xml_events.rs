//! What a parser reports, and what its callers may ask and do between two events.

use trunkline_codec::xml::{Event, Namespace, Options, Parser, Source, unescape};
use trunkline_message::Limits;

const SOAP: &str = "http://schemas.xmlsoap.org/soap/envelope/";

fn parser() -> Parser {
    Parser::new(Options::default(), &Limits::default())
}

/// Each event in a notation of its own: namespaces in braces.
fn events(text: &str) -> Vec<String> {
    let mut parser = parser();
    parser.begin(text).unwrap();
    let mut seen = Vec::new();
    loop {
        let event = parser.next(text).unwrap();
        seen.push(match event {
            Event::Start { name, empty } => {
                let uri = parser.namespace_name(text, name.namespace);
                let mark = if empty { "/" } else { "" };
                format!("<{{{uri}}}{}{mark}", name.local())
            }
            Event::End { name } => {
                format!(">{{{}}}{}", parser.namespace_name(text, name.namespace), name.local())
            }
            Event::Text { raw, plain, white } => format!("text {raw:?} {plain} {white}"),
            Event::CData { raw, plain } => format!("cdata {raw:?} {plain}"),
            Event::Comment(raw) => format!("comment {raw:?}"),
            Event::ProcessingInstruction { target, data } => format!("pi {target} {data:?}"),
            Event::Eof => return seen,
        });
    }
}

#[test]
fn every_event_is_reported_once_in_order() {
    assert_eq!(
        events(
            "<?xml version='1.0'?> <?t  d ?>\n<a>x<b/>&lt; \r<![CDATA[<\r]]>\n <!--c--></a> <!---->"
        ),
        [
            "pi t \"d \"",
            "<{}a",
            "text \"x\" true false",
            "<{}b/",
            ">{}b",
            "text \"&lt; \\r\" false false",
            "cdata \"<\\r\" false",
            "text \"\\n \" true true",
            "comment \"c\"",
            ">{}a",
            "comment \"\"",
        ]
    );
}

#[test]
fn text_flags_tell_white_from_plain() {
    for (text, plain, white) in [
        (" \t\n", true, true),
        (" \r\n ", false, true),
        ("\r\nx", false, false),
        ("&#32;", false, false),
        ("a]]b", true, false),
        ("longer than the sixteen bytes that are looked at one by one \u{e9}", true, false),
        ("longer than the sixteen bytes that are looked at one by one \r", false, false),
    ] {
        assert_eq!(events(&format!("<a>{text}</a>"))[1], format!("text {text:?} {plain} {white}"));
    }
}

#[test]
fn namespaces_follow_scope() {
    assert_eq!(
        events("<a xmlns='u' xmlns:p='v'><p:b xmlns:p='w&amp;w' xmlns=''><c/></p:b><p:d/></a>"),
        ["<{u}a", "<{w&w}b", "<{}c/", ">{}c", ">{w&w}b", "<{v}d/", ">{v}d", ">{u}a"]
    );
    let long = "a-prefix-of-more-than-eight-bytes";
    assert_eq!(
        events(&format!("<{long}1:a xmlns:{long}1='u' xmlns:{long}2='v'><{long}2:b/></{long}1:a>")),
        ["<{u}a", "<{v}b/", ">{v}b", ">{u}a"]
    );
}

#[test]
fn many_prefixes_resolve_as_few_do() {
    let declarations: String = (0..40).map(|it| format!(" xmlns:p{it}='u{}'", it % 30)).collect();
    let text = format!("<p39:a{declarations}><p0:b xmlns:p0='w' p30:c='1'/><p0:d/></p39:a>");
    let expected = ["<{u9}a", "<{w}b/", ">{w}b", "<{u0}d/", ">{u0}d", ">{u9}a"];
    assert_eq!(events(&text), expected);

    let mut parser = parser();
    parser.begin(&text).unwrap();
    parser.next(&text).unwrap();
    assert_eq!(parser.find_namespace(&text, "u29"), parser.resolve_prefix(&text, "p29"));
    assert_eq!(parser.resolve_prefix(&text, "p31"), parser.resolve_prefix(&text, "p1"));
    assert_eq!(parser.resolve_prefix(&text, "xml"), Some(Namespace::XML));
    assert_eq!(parser.resolve_prefix(&text, "p40"), None);
    assert_eq!(parser.find_namespace(&text, "u30"), None);
}

#[test]
fn attributes_are_looked_up_by_expanded_name() {
    let text = "<a xmlns='u' xmlns:p='v' b='1' p:b='x&amp;y' c='2\t'/>";
    let mut parser = parser();
    parser.begin(text).unwrap();
    parser.next(text).unwrap();
    let names: Vec<_> = parser.attributes(text).map(|it| it.name.qualified()).collect();
    assert_eq!(names, ["b", "p:b", "c"]);
    let bare = parser.attribute(text, Namespace::NONE, "b").unwrap();
    assert_eq!((bare.raw, bare.plain, bare.name.prefix()), ("1", true, ""));
    let other = parser.find_namespace(text, "v").unwrap();
    let prefixed = parser.attribute(text, other, "b").unwrap();
    assert_eq!((prefixed.raw, prefixed.plain, prefixed.name.prefix()), ("x&amp;y", false, "p"));
    assert!(!parser.attribute(text, Namespace::NONE, "c").unwrap().plain);
    assert_eq!(parser.attribute(text, parser.default_namespace(), "b"), None);
    assert_eq!(parser.resolve_prefix(text, ""), parser.find_namespace(text, "u"));
}

#[test]
fn the_generation_changes_with_the_declarations_in_scope_only() {
    let text = "<a><b><c xmlns:p='u'/></b></a>";
    let mut parser = parser();
    parser.begin(text).unwrap();
    let begun = parser.declarations_generation();
    parser.next(text).unwrap();
    parser.next(text).unwrap();
    assert_eq!(parser.declarations_generation(), begun);
    parser.next(text).unwrap();
    let inside = parser.declarations_generation();
    assert_ne!(inside, begun);
    parser.next(text).unwrap();
    let outside = parser.declarations_generation();
    assert_ne!(outside, inside);
    parser.next(text).unwrap();
    assert_eq!(parser.declarations_generation(), outside);
    parser.begin(text).unwrap();
    assert_ne!(parser.declarations_generation(), outside);
}

#[test]
fn skipping_an_element_checks_it_and_stops_behind_it() {
    let text = "<a><b><c/>x<b>y</b></b><d/></a>";
    let mut parser = parser();
    parser.begin(text).unwrap();
    parser.next(text).unwrap();
    parser.next(text).unwrap();
    parser.skip_element(text).unwrap();
    assert_eq!((parser.depth(), &text[parser.position()..]), (1, "<d/></a>"));
    assert!(matches!(parser.next(text).unwrap(), Event::Start { empty: true, .. }));
    parser.skip_element(text).unwrap();
    assert_eq!((parser.depth(), &text[parser.position()..]), (1, "</a>"));

    let text = "<a><b><c></b></a>";
    parser.begin(text).unwrap();
    parser.next(text).unwrap();
    parser.next(text).unwrap();
    assert_eq!(parser.skip_element(text).unwrap_err().offset, 9);
}

/// A caller that expects `<p:b>number</p:b>` reads it itself and leaves the rest to the parser.
#[test]
fn a_caller_reads_what_it_knows_and_hands_over_anywhere() {
    let text = "<p:a xmlns:p='u'><p:b>1</p:b><p:b>2<!-- --></p:b></p:a><!-- end -->";
    let mut parser = parser();
    parser.begin(text).unwrap();
    parser.next(text).unwrap();

    let first = parser.position();
    assert!(text[first..].starts_with("<p:b>1</p:b>"));
    parser.set_position(first + "<p:b>1</p:b>".len());

    let second = parser.position();
    parser.push_known(second + 1, 3).unwrap();
    parser.set_position(second + "<p:b>2".len());
    assert_eq!((parser.depth(), parser.open_element(text)), (2, Some("p:b")));
    assert_eq!(parser.next(text).unwrap(), Event::Comment(" "));
    let Event::End { name } = parser.next(text).unwrap() else { panic!("an end tag") };
    assert_eq!((name.prefix(), name.local()), ("p", "b"));
    assert_eq!(parser.namespace_name(text, name.namespace), "u");

    parser.set_position(parser.position() + "</p:a>".len());
    assert!(!parser.pop_known("a".len()), "an end tag without the prefix is another element's");
    assert!(parser.pop_known("p:a".len()) && !parser.is_in_content());
    assert_eq!((parser.depth(), parser.resolve_prefix(text, "p")), (0, None));
    assert_eq!(parser.next(text).unwrap(), Event::Comment(" end "));
    assert_eq!(parser.next(text).unwrap(), Event::Eof);
    assert_eq!(parser.next(text).unwrap(), Event::Eof);
}

#[test]
fn a_caller_may_read_the_root_and_is_held_to_the_depth() {
    let text = "<a><b>x</b></a>";
    let mut parser = Parser::new(Options::default(), &Limits { depth: 1, ..Limits::default() });
    let start = parser.begin(text).unwrap();
    parser.push_known(start + 1, 1).unwrap();
    assert_eq!(
        parser.push_known(start + 4, 1).unwrap_err().to_string(),
        "XML: elements nest deeper than depth = 1 at byte 4"
    );
    parser.set_position(text.len() - "</a>".len());
    assert!(matches!(parser.next(text).unwrap(), Event::End { name } if name.local() == "a"));
    assert_eq!(parser.next(text).unwrap(), Event::Eof);
}

#[test]
fn a_parser_forgets_the_last_document() {
    let mut parser = parser();
    let broken = "<a xmlns:p='u'><b";
    parser.begin(broken).unwrap();
    while parser.next(broken).is_ok() {}
    let text = format!("<S:Envelope xmlns:S='{SOAP}'/>");
    assert_eq!(parser.begin(&text), Ok(0));
    assert_eq!(parser.depth(), 0);
    assert_eq!(parser.resolve_prefix(&text, "p"), None);
    let Event::Start { name, .. } = parser.next(&text).unwrap() else { panic!("a start tag") };
    assert_eq!(parser.namespace_name(&text, name.namespace), SOAP);
}

#[test]
fn begin_finds_the_first_tag() {
    let mut parser = parser();
    for (text, start) in [("<a/>", 0), ("\n <a/>", 2), ("<?xml version='1.0'?>\n<a/>", 22)] {
        assert_eq!(parser.begin(text), Ok(start));
        assert_eq!(parser.position(), start);
    }
}

#[test]
fn encodings_come_to_the_same_text() {
    let plain = "<a>\u{e9}&#x20AC;</a>";
    let declared = |encoding| format!("<?xml version='1.0' encoding='{encoding}'?>{plain}");
    let big = |text: &str| text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<u8>>();
    let little = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let latin = |text: &str| text.chars().map(|it| it as u8).collect::<Vec<u8>>();
    let mark = |text: &str| format!("\u{FEFF}{text}");
    let mut source = Source::default();
    for (case, bytes) in [
        plain.as_bytes().to_vec(),
        mark(plain).into_bytes(),
        declared("utf-8").into_bytes(),
        mark(&declared("UTF-8")).into_bytes(),
        big(&mark(plain)),
        little(&mark(plain)),
        big(&mark(&declared("UTF-16"))),
        little(&mark(&declared("utf-16le"))),
        big(&declared("UTF-16BE")),
        little(&declared("UTF-16")),
        latin(&declared("ISO-8859-1")),
    ]
    .iter()
    .enumerate()
    {
        let text = source.prepare(bytes, &Limits::default()).unwrap();
        let mut parser = parser();
        parser.begin(text).unwrap();
        parser.next(text).unwrap();
        let Event::Text { raw, .. } = parser.next(text).unwrap() else { panic!("case {case}") };
        let mut value = String::new();
        unescape(raw, &mut value);
        assert_eq!(value, "\u{e9}\u{20ac}", "case {case}");
    }
}

/// A name of so many letters, and those that differ from it in one of them.
fn alike(length: usize) -> Vec<String> {
    let changed = (0..length).map(|at| {
        let mut name = "p".repeat(length);
        name.replace_range(at..=at, "q");
        name
    });
    std::iter::once("p".repeat(length)).chain(changed).collect()
}

#[test]
fn prefixes_that_differ_in_one_letter_are_different() {
    for length in 1..20 {
        let prefixes = alike(length);
        let declared: String =
            prefixes.iter().map(|it| format!(" xmlns:{it}='urn:{it}'")).collect();
        let used: String = prefixes.iter().map(|it| format!("<{it}:e/>")).collect();
        let document = format!("<r{declared}>{used}{used}</r>");
        let seen: Vec<_> =
            events(&document).into_iter().filter(|it| it.starts_with("<{urn")).collect();
        let expected: Vec<_> = prefixes.iter().map(|it| format!("<{{urn:{it}}}e/")).collect();
        assert_eq!(seen, [&expected[..], &expected[..]].concat(), "{length}");
        // One that is not declared is not taken for one that is.
        for (number, unknown) in prefixes.iter().enumerate() {
            let mut others = prefixes.clone();
            others.remove(number);
            let declared: String =
                others.iter().map(|it| format!(" xmlns:{it}='urn:{it}'")).collect();
            let document = format!("<r{declared}><{unknown}:e/></r>");
            let mut parser = parser();
            parser.begin(&document).expect("it is not long");
            parser.next(&document).expect("the root");
            parser.next(&document).expect_err(unknown);
        }
    }
}

#[test]
fn names_that_differ_in_one_letter_do_not_end_each_other() {
    for length in 1..40 {
        let names = alike(length);
        for name in &names[1..] {
            let document = format!("<{}></{name}>", names[0]);
            let mut parser = parser();
            parser.begin(&document).expect("it is not long");
            parser.next(&document).expect("the root");
            parser.next(&document).expect_err(name);
        }
        events(&format!("<{0}></{0}>", names[0]));
    }
}

#[test]
fn a_target_that_begins_like_a_declaration_is_none() {
    assert_eq!(events("<?xml\u{e9}?><a/>")[0], "pi xml\u{e9} \"\"");
}
