//! Every fact a document can be rejected for, with the place it is rejected at.

use trunkline_codec::xml::ErrorKind::{self, *};
use trunkline_codec::xml::{Error, Event, Options, Parser, Source};
use trunkline_message::Limits;

fn parse_with(bytes: &[u8], options: Options, limits: &Limits) -> Result<(), Error> {
    let mut source = Source::default();
    let text = source.prepare(bytes, limits)?;
    let mut parser = Parser::new(options, limits);
    parser.begin(text)?;
    while parser.next(text)? != Event::Eof {}
    Ok(())
}

fn parse(bytes: &[u8]) -> Result<(), Error> {
    parse_with(bytes, Options::default(), &Limits::default())
}

#[track_caller]
fn rejected(document: &str, kind: ErrorKind, offset: usize) {
    assert_eq!(parse(document.as_bytes()), Err(Error { kind, offset }), "{document}");
}

#[track_caller]
fn accepted(document: &str) {
    assert_eq!(parse(document.as_bytes()), Ok(()), "{document}");
}

#[track_caller]
fn limited(document: &str, limits: Limits, kind: ErrorKind, offset: usize) {
    let result = parse_with(document.as_bytes(), Options::default(), &limits);
    assert_eq!(result, Err(Error { kind, offset }), "{document}");
}

fn name(text: &str) -> Box<str> {
    text.into()
}

#[test]
fn limits_are_named() {
    let limits =
        Limits { message_bytes: 7, depth: 2, attributes: 2, value_bytes: 3, ..Limits::default() };
    limited("<a>b</a>", limits.clone(), MessageTooLong(7), 0);
    let limits = Limits { message_bytes: 100, ..limits };
    limited("<a><a><a/></a></a>", limits.clone(), TooDeep(2), 6);
    limited("<a b='' xmlns:c='d' d=''/>", limits.clone(), TooManyAttributes(2), 20);
    limited("<a>four</a>", limits.clone(), ValueTooLong(3), 3);
    limited("<a>    </a>", limits.clone(), ValueTooLong(3), 3);
    limited("<a><![CDATA[four]]></a>", limits.clone(), ValueTooLong(3), 12);
    limited("<a b='four'/>", limits.clone(), ValueTooLong(3), 6);
    let within = parse_with(b"<a b='' c=''>two<b/></a>", Options::default(), &limits);
    assert_eq!(within, Ok(()));
}

#[test]
fn the_limit_on_bytes_holds_for_transcoded_text_too() {
    let limits = Limits { message_bytes: 60, ..Limits::default() };
    let mut document = b"<?xml version='1.0' encoding='iso-8859-1'?><a>".to_vec();
    document.extend([0xe9; 8]);
    document.extend(b"</a>");
    assert_eq!(document.len(), 58);
    let result = parse_with(&document, Options::default(), &limits);
    assert_eq!(result, Err(Error { kind: MessageTooLong(60), offset: 0 }));
}

#[test]
fn encodings_that_are_not_read_are_named() {
    let declared = |encoding: &str| format!("<?xml version='1.0' encoding='{encoding}'?><a/>");
    rejected(&declared("Shift_JIS"), UnsupportedEncoding(name("Shift_JIS")), 30);
    let mismatch = |detected| EncodingMismatch { declared: name("UTF-16"), detected };
    rejected(&declared("UTF-16"), mismatch("UTF-8"), 30);
    let marked = format!("\u{FEFF}{}", declared("ISO-8859-1"));
    let latin = EncodingMismatch { declared: name("ISO-8859-1"), detected: "UTF-8" };
    rejected(&marked, latin, 30);
    let wide: Vec<u8> = declared("UTF-8").encode_utf16().flat_map(u16::to_le_bytes).collect();
    let kind = EncodingMismatch { declared: name("UTF-8"), detected: "UTF-16LE" };
    assert_eq!(parse(&wide), Err(Error { kind, offset: 30 }));
    for (bytes, encoding) in [
        (&[0, 0, 0xfe, 0xff, 0, 0, 0, b'<'][..], "UTF-32"),
        (&[b'<', 0, 0, 0, b'a', 0, 0, 0][..], "UTF-32"),
        (&[0x4c, 0x6f, 0xa7, 0x94, 0x93][..], "EBCDIC"),
    ] {
        let kind = UnsupportedEncoding(name(encoding));
        assert_eq!(parse(bytes), Err(Error { kind, offset: 0 }));
    }
}

#[test]
fn bytes_that_the_encoding_forbids_are_found() {
    let utf8 = b"<a>\xc3\xa9\xc3</a>";
    assert_eq!(parse(utf8), Err(Error { kind: InvalidEncoding("UTF-8"), offset: 5 }));
    let ascii = b"<?xml version='1.0' encoding='us-ascii'?><a>\xe9</a>";
    assert_eq!(parse(ascii), Err(Error { kind: InvalidEncoding("US-ASCII"), offset: 44 }));
    let invalid = InvalidEncoding("UTF-16");
    let lone_surrogate = [0xff, 0xfe, b'<', 0, 0, 0xd8, b'>', 0];
    assert_eq!(parse(&lone_surrogate), Err(Error { kind: invalid.clone(), offset: 4 }));
    assert_eq!(parse(&[0xfe, 0xff, 0]), Err(Error { kind: invalid, offset: 2 }));
}

#[test]
fn the_declaration_is_checked() {
    let malformed = |document, expected, offset| {
        rejected(document, MalformedDeclaration(expected), offset);
    };
    rejected("<?xml version='2.0'?><a/>", UnsupportedVersion, 15);
    rejected("<?xml version='1.'?><a/>", UnsupportedVersion, 15);
    malformed("<?xml?><a/>", "version", 5);
    malformed("<?xml encoding='UTF-8'?><a/>", "version", 5);
    malformed("<?xml version '1.0'?><a/>", "=", 14);
    malformed("<?xml version=1.0?><a/>", "a quoted value", 14);
    malformed("<?xml version='1.0?><a/>", "a closing quote", 14);
    malformed("<?xml version='1.0'encoding='UTF-8'?><a/>", "white space", 19);
    malformed("<?xml version='1.0' encoding='8'?><a/>", "the name of an encoding", 30);
    malformed("<?xml version='1.0' standalone='maybe'?><a/>", "yes or no", 32);
    malformed("<?xml version='1.0' standalone='no' encoding='UTF-8'?><a/>", "?>", 36);
    rejected(" <?xml version='1.0'?><a/>", ReservedTarget, 3);
    accepted("<?xml version=\"1.7\"\tencoding = 'utf-8' standalone='yes' ?>\n<a/>");
    accepted("<?xml-stylesheet href='a'?><a/>");
}

#[test]
fn a_document_has_one_root_and_nothing_else() {
    rejected("<!DOCTYPE a><a/>", Doctype, 0);
    rejected("<?xml version='1.0'?>\n<!-- --><!DOCTYPE a []><a/>", Doctype, 30);
    rejected("", NoRoot, 0);
    rejected(" <!-- --> ", NoRoot, 10);
    rejected("<a/><b/>", SecondRoot, 4);
    rejected("<a/>b", ContentOutsideRoot, 4);
    rejected("\u{a0}<a/>", ContentOutsideRoot, 0);
    rejected("<![CDATA[]]><a/>", ContentOutsideRoot, 0);
    rejected("<a/>&#32;", ContentOutsideRoot, 4);
    rejected("</a>", UnmatchedEndTag, 0);
    rejected("<a/></a>", UnmatchedEndTag, 4);
    accepted("\u{FEFF} <!-- --> <?b?> <a/> <!-- --> <?c d?> \n");
}

#[test]
fn end_tags_match() {
    rejected("<a><b></a></b>", MismatchedEndTag(name("b")), 6);
    rejected("<p:a xmlns:p='u'></a>", MismatchedEndTag(name("p:a")), 17);
    rejected("<a></ab>", MismatchedEndTag(name("a")), 3);
    rejected("<ab></a>", MismatchedEndTag(name("ab")), 4);
    rejected("<a></ a>", MismatchedEndTag(name("a")), 3);
    rejected("<a></a b='c'>", Expected("> in an end tag"), 7);
    rejected("<a></a/>", Expected("> in an end tag"), 6);
    rejected("<a>b", UnclosedElement(name("a")), 4);
    rejected("<a><b/>", UnclosedElement(name("a")), 7);
    let long = "n".repeat(100);
    rejected(&format!("<{long}></b>"), MismatchedEndTag(long[..64].into()), 102);
    accepted("<a></a\r\n\t >");
}

#[test]
fn what_is_cut_off_is_named() {
    let unterminated = |document, what, offset| rejected(document, Unterminated(what), offset);
    unterminated("<", "a tag", 1);
    unterminated("<a", "a start tag", 2);
    unterminated("<a ", "a start tag", 3);
    unterminated("<a/", "a start tag", 2);
    unterminated("<a b", "a start tag", 4);
    unterminated("<a b=", "a start tag", 5);
    unterminated("<a b='c", "an attribute value", 6);
    unterminated("<ab></a", "an end tag", 4);
    unterminated("<ab></ab ", "an end tag", 4);
    unterminated("<!-- ->", "a comment", 4);
    unterminated("<!-- --", "a comment", 4);
    unterminated("<a><![CDATA[]]", "a CDATA section", 12);
    unterminated("<?b ?", "a processing instruction", 3);
    unterminated("<?", "a processing instruction", 2);
}

#[test]
fn tags_are_spelt_right() {
    let expected = |document, what, offset| rejected(document, Expected(what), offset);
    rejected("<1/>", ExpectedName("an element name after <"), 1);
    rejected("< a/>", ExpectedName("an element name after <"), 1);
    rejected("<a><></a>", ExpectedName("an element name after <"), 4);
    rejected("<\u{d7}/>", ExpectedName("an element name after <"), 1);
    rejected("<a -b=''/>", ExpectedName("an attribute name, > or />"), 3);
    rejected("<? b?><a/>", ExpectedName("a target after <?"), 2);
    expected("<a\u{d7}/>", "white space, > or />", 2);
    expected("<a b=''c=''/>", "white space, > or />", 7);
    expected("<a / >", "> after /", 4);
    expected("<a b/>", "= after the name of an attribute", 4);
    expected("<a b=c/>", "a quoted attribute value after =", 5);
    expected("<?b\u{d7}?><a/>", "white space or ?> after a target", 3);
    rejected("<!a/>", UnknownMarkup, 0);
    rejected("<!doctype a><a/>", UnknownMarkup, 0);
    rejected("<a b='<'/>", LessThanInAttribute, 6);
    rejected("<a b='' b=''/>", DuplicateAttribute, 8);
    accepted("<a\tb\n=\r'\"'\tc=\"'>\" />");
    accepted("<\u{e9}\u{b7}-.0_/>");
}

#[test]
fn many_attributes_are_unique_as_few_are() {
    let mut tag: String = (0..20).map(|number| format!(" a{number}=''")).collect();
    accepted(&format!("<a{tag}/>"));
    tag.push_str(" a3=''");
    rejected(&format!("<a{tag}/>"), DuplicateAttribute, tag.len() - 3);
}

#[test]
fn characters_and_references_are_checked() {
    rejected("<a>\u{1}</a>", ForbiddenCharacter(1), 3);
    rejected("<a b='\u{1f}'/>", ForbiddenCharacter(0x1f), 6);
    rejected("<!--\u{0}--><a/>", ForbiddenCharacter(0), 4);
    rejected("<a><![CDATA[b\u{b}]]></a>", ForbiddenCharacter(0xb), 13);
    rejected("<?b c\u{c}?><a/>", ForbiddenCharacter(0xc), 5);
    rejected("<a>b\u{fffe}</a>", ForbiddenCharacter(0xfffe), 4);
    rejected("<a><!--\u{ffff}--></a>", ForbiddenCharacter(0xffff), 7);
    rejected("<a>]]></a>", CDataEndInText, 3);
    rejected("<a>]]]></a>", CDataEndInText, 4);
    rejected("<!-- a--b --><a/>", DoubleHyphen, 6);
    rejected("<!--a---><a/>", DoubleHyphen, 5);
    rejected("<a>b & c</a>", MalformedReference, 5);
    rejected("<a>&lt</a>", MalformedReference, 3);
    rejected("<a>&#;</a>", MalformedReference, 3);
    rejected("<a>&#x;</a>", MalformedReference, 3);
    rejected("<a>&#X41;</a>", MalformedReference, 3);
    rejected("<a>&#65</a>", MalformedReference, 3);
    rejected("<a b='&1;'/>", MalformedReference, 6);
    rejected("<a>&nbsp;</a>", UnknownEntity, 3);
    rejected("<a>&LT;</a>", UnknownEntity, 3);
    rejected("<a>&#0;</a>", ForbiddenReference, 3);
    rejected("<a>&#xD800;</a>", ForbiddenReference, 3);
    rejected("<a>&#xFFFF;</a>", ForbiddenReference, 3);
    rejected("<a b='&#x110000;'/>", ForbiddenReference, 6);
    rejected("<a>&#99999999999999999999;</a>", ForbiddenReference, 3);
    accepted("<a>\u{7f}\u{85}\u{fffd}\u{10ffff} ]] > &#x10FFFF;&#000065;&#xd;</a>");
}

#[test]
fn processing_instructions_have_targets() {
    rejected("<a><?xml version='1.0'?></a>", ReservedTarget, 5);
    rejected("<?XmL b?><a/>", ReservedTarget, 2);
    rejected("<?a:b c?><a/>", ColonInTarget, 2);
    accepted("<a><?b?><?c ? > ?><?xmls d?></a>");
}

#[test]
fn namespaces_are_checked() {
    rejected("<a:b:c xmlns:a='u'/>", MalformedQName, 1);
    rejected("<:a/>", MalformedQName, 1);
    rejected("<a:/>", MalformedQName, 1);
    rejected("<a:1 xmlns:a='u'/>", MalformedQName, 1);
    rejected("<a b:c:d=''/>", MalformedQName, 3);
    rejected("<p:a/>", UnboundPrefix(name("p")), 1);
    rejected("<a p:b=''/>", UnboundPrefix(name("p")), 3);
    rejected("<a><b xmlns:p='u'/><p:c/></a>", UnboundPrefix(name("p")), 20);
    rejected("<a xmlns:p=''/>", EmptyNamespace, 12);
    rejected("<a xmlns:xmlns='u'/>", ReservedPrefix, 3);
    rejected("<a xmlns:xml='u'/>", ReservedPrefix, 3);
    rejected("<xmlns:a/>", ReservedPrefix, 1);
    rejected("<a xmlns:p='http://www.w3.org/XML/1998/namespace'/>", ReservedNamespace, 12);
    rejected("<a xmlns='http://www.w3.org/2000/xmlns/'/>", ReservedNamespace, 10);
    rejected("<a xmlns='http://www.w3.org/2000/&#120;mlns/'/>", ReservedNamespace, 10);
    rejected("<a xmlns='u' xmlns='u'/>", DuplicateAttribute, 13);
    rejected("<a xmlns:p='u' xmlns:p='v'/>", DuplicateAttribute, 15);
    rejected("<a xmlns:p='u' xmlns:q='u' p:b='' q:b=''/>", DuplicateAttribute, 34);
    rejected("<a xmlns:p='u' xmlns:q='&#117;' p:b='' q:b=''/>", DuplicateAttribute, 39);
    accepted("<a xmlns='u' xmlns:q='u' b='' q:b=''/>");
    accepted("<a p:b='' xmlns:p='u'/>");
    accepted("<xml:a xml:b='' xmlns:xml='http://www.w3.org/XML/1998/namespace'/>");
    accepted("<a xmlns='u'><b xmlns=''/></a>");
}

#[test]
fn without_namespaces_a_colon_is_a_letter() {
    let options = Options { namespaces: false, ..Options::default() };
    for document in ["<:a::b/>", "<p:a q:b=''/>", "<a xmlns:p='' xmlns:xml='u'/>", "<?a:b?><a/>"] {
        assert_eq!(parse_with(document.as_bytes(), options, &Limits::default()), Ok(()));
    }
    let twice = parse_with(b"<a p:b='' p:b=''/>", options, &Limits::default());
    assert_eq!(twice, Err(Error { kind: DuplicateAttribute, offset: 10 }));
}

#[test]
fn messages_say_what_where_and_what_was_expected() {
    let says = |document: &str, message: &str| {
        assert_eq!(parse(document.as_bytes()).unwrap_err().to_string(), message);
    };
    says("<a><b></a>", "XML: expected end tag </b> at byte 6");
    says("<a b=c/>", "XML: expected a quoted attribute value after = at byte 5");
    says("<p:a/>", "XML: prefix \"p\" is not bound to a namespace at byte 1");
    says("<a>\u{1}</a>", "XML: character U+0001 is not allowed at byte 3");
    says("<!DOCTYPE a>", "XML: document type declarations are rejected at byte 0");
    says(
        "<?xml version='1.0' encoding='x'?>",
        "XML: encoding \"x\" is not supported, expected UTF-8, UTF-16, ISO-8859-1 or US-ASCII \
         at byte 30",
    );
}
