//! Elements in any order, missing, twice, unknown, nil, of a type, and in the wrong place.

use trunkline_tests::every_kind::{EveryKind, Hollow, Leg, Nested, Step};
use trunkline_wire::Code;

use trunkline_codec::soap::{Options, Plan, Style};
use trunkline_message::Structure;
use trunkline_tests::soap_ways::Ways;

use crate::{kinds, read, refused};

fn named(name: &str) -> EveryKind {
    EveryKind { name: name.into(), ..EveryKind::default() }
}

/// A linear congruence: the same orders on every run.
fn shuffle<T>(items: &mut [T], seed: &mut u64) {
    for last in (1..items.len()).rev() {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        items.swap(last, (*seed >> 33) as usize % (last + 1));
    }
}

#[test]
fn elements_stand_in_any_order() {
    let mut fields = [
        "<name>a</name>",
        "<flag>1</flag>",
        "<large>-5</large>",
        "<shorts><item>1</item><item>2</item></shorts>",
        "<hollow><right>r</right><left>2</left></hollow>",
        "<outer><inner><value>1.50</value></inner></outer>",
        "<legs><leg><steps><step><note>n</note><size>7</size></step></steps><side>B</side></leg></legs>",
        "<unknown><name>not this one</name></unknown>",
        "<!-- c -->",
    ];
    let step = Step { size: Some(7), note: Some("n".into()) };
    let leg = Leg { side: Code::new("B"), ratio: None, steps: [step].into_iter().collect() };
    let expected = EveryKind {
        flag: Some(true),
        large: Some(-5),
        shorts: Some(vec![1, 2]),
        hollow: Hollow { left: Some(2), right: Some("r".into()) },
        nested: Nested { value: Some("1.5".parse().unwrap()) },
        legs: [leg].into_iter().collect(),
        ..named("a")
    };
    let mut seed = 6;
    for _ in 0..300 {
        shuffle(&mut fields, &mut seed);
        for between in ["", " \r\n\t"] {
            let document = kinds(&fields.join(between));
            assert_eq!(read(&document).as_ref(), Ok(&expected), "{document}");
        }
    }
}

#[test]
fn a_component_may_come_in_pieces_and_be_empty() {
    let pieces = "<hollow><left>1</left></hollow><name>a</name><hollow><right>r</right></hollow>";
    let hollow = Hollow { left: Some(1), right: Some("r".into()) };
    assert_eq!(read(&kinds(pieces)), Ok(EveryKind { hollow, ..named("a") }));
    for empty in [
        "<hollow/>",
        "<hollow></hollow>",
        "<hollow> <!-- c --> </hollow>",
        "<outer><inner/></outer>",
    ] {
        assert_eq!(read(&kinds(&format!("<name>a</name>{empty}"))), Ok(named("a")), "{empty}");
        assert_eq!(read(&kinds(&format!("{empty}<name>a</name>"))), Ok(named("a")), "{empty}");
    }
    let unknown = "<legs><o:unknown xmlns:o='urn:o'/></legs>";
    for empty in ["<legs/>", "<legs></legs>", unknown] {
        assert_eq!(read(&kinds(&format!("<name>a</name>{empty}"))), Ok(named("a")), "{empty}");
    }
    assert_eq!(read(&kinds("<name/>")), Ok(named("")));
    let lists = EveryKind { shorts: Some(vec![]), ratios: Some(vec![]), ..named("") };
    assert_eq!(read(&kinds("<shorts/><name></name><ratios></ratios>")), Ok(lists));
}

#[test]
fn an_empty_element_ends_at_once() {
    let tag = |name: &str| format!("expected end tag </{name}>");
    for (fields, expected) in [
        ("<name>a</name><hollow/><left>1</left></hollow>", tag("EveryKind")),
        ("<name>a</name><hollow/></hollow>", tag("EveryKind")),
        ("<name>a</name><legs/><other><side>1</side></other></legs>", tag("EveryKind")),
        (
            "<name>a</name><legs><leg><side>1</side></leg><leg/><side>1</side></leg></legs>",
            "legs[1]/side".into(),
        ),
        ("<name/>a</name>", "elements here, not text".into()),
    ] {
        let error = refused(&kinds(fields));
        assert!(error.contains(&expected), "{fields}: {error}");
    }
}

#[test]
fn what_is_missing_or_there_twice_is_told_with_its_path() {
    let document = kinds("<flag>1</flag>");
    let at = document.find("</sendMessage>").unwrap();
    assert_eq!(refused(&document), format!("name at byte {at}: a required field is missing"));

    let document =
        kinds("<name/><legs><leg><side>1</side></leg><leg><ratio>1</ratio></leg></legs>");
    let at = document.find("</legs>").unwrap();
    assert_eq!(
        refused(&document),
        format!("legs[1]/side at byte {at}: a required field is missing")
    );

    for twice in ["<name>a</name>", "<legs/>", "<shorts/>"] {
        let document = kinds(&format!("<name/>{twice}{twice}"));
        let path = twice.trim_start_matches('<').split(['>', '/']).next().unwrap();
        let at = if path == "name" { document.find(twice) } else { document.rfind(twice) }.unwrap();
        let expected = match path {
            "legs" => "expected one element legs with all <leg> inside, not a second",
            "shorts" => "expected one element shorts with all <item> inside, not a second",
            _ => "the field stands twice",
        };
        assert_eq!(refused(&document), format!("{path} at byte {at}: {expected}"));
    }
    let document = kinds("<name/><hollow><left>1</left></hollow><hollow><left>1</left></hollow>");
    let at = document.rfind("<left>").unwrap();
    assert_eq!(refused(&document), format!("hollow/left at byte {at}: the field stands twice"));

    let document = kinds(
        "<name/><legs><leg><side>1</side><steps><step/><step><size>x</size></step></steps></leg></legs>",
    );
    let at = document.find("x</size>").unwrap();
    let path = "legs[0]/steps[1]/size";
    let expected = "expected a whole number, but it has an unexpected character at 0";
    assert_eq!(refused(&document), format!("{path} at byte {at}: {expected}"));
    let document = kinds("<name/><outer><inner><value>1.2.3</value></inner></outer>");
    let at = document.find("1.2.3").unwrap();
    let expected = "expected a decimal number, but it has an unexpected character at 3";
    assert_eq!(refused(&document), format!("outer/inner/value at byte {at}: {expected}"));
}

#[test]
fn unknown_elements_are_passed_over_but_checked() {
    let unknown = "<o:new xmlns:o='urn:o' a='1'>t<name>x</name><![CDATA[<]]><e/><!-- --></o:new>";
    let fields = format!(
        "{unknown}<name>a</name>{unknown}<legs>{unknown}<leg><side>1</side>{unknown}</leg></legs>"
    );
    let leg = Leg { side: Code::new("1"), ..Leg::default() };
    let expected = EveryKind { legs: [leg].into_iter().collect(), ..named("a") };
    let mut ways = Ways::<EveryKind>::new(&Plan::new(EveryKind::schema(), &Options::default()));
    assert_eq!(ways.read(kinds(&fields).as_bytes()), Ok(expected));
    assert_eq!(ways.unknown(), 4, "what is inside does not count");
    assert_eq!(ways.read(kinds("<name>a</name>").as_bytes()), Ok(named("a")));
    assert_eq!(ways.unknown(), 0);
    let error = refused(&kinds("<name>a</name><new><b></new></b>"));
    assert!(error.ends_with("XML: expected end tag </b>"), "{error}");
}

/// A known element in another namespace, or at another place, is no extension: it would be lost.
#[test]
fn what_is_meant_as_a_field_is_not_passed_over() {
    let other = "xmlns:o='urn:o'";
    for (fields, at, path, expected) in [
        (
            format!("<name>a</name><o:flag {other}>1</o:flag>"),
            "<o:flag",
            "flag ",
            "<flag> of no namespace, not <flag> of \"urn:o\"",
        ),
        (
            "<name>a</name><flag xmlns='urn:o'>1</flag>".into(),
            "<flag",
            "flag ",
            "<flag> of no namespace, not <flag> of \"urn:o\"",
        ),
        (
            format!("<name/><o:hollow {other}><left>1</left></o:hollow>"),
            "<o:hollow",
            "",
            "<hollow> of no namespace, not <hollow> of \"urn:o\"",
        ),
        (
            format!("<name/><hollow><o:left {other}>1</o:left></hollow>"),
            "<o:left",
            "hollow/left ",
            "<left> of no namespace, not <left> of \"urn:o\"",
        ),
    ] {
        let document = kinds(&fields);
        let at = document.find(at).unwrap();
        assert_eq!(refused(&document), format!("{path}at byte {at}: expected {expected}"));
    }
}

/// As JAXB, .NET and gSOAP write lists unless told otherwise.
#[test]
fn entries_without_the_element_around_them_are_refused() {
    let leg = "<leg><side>1</side></leg>";
    let other = "xmlns:o='urn:o'";
    for (fields, at, path, expected) in [
        (
            format!("<name/>{leg}{leg}"),
            "<leg>",
            "",
            "<leg> of no namespace inside an element legs, not <leg> of no namespace",
        ),
        // Each with the name of the element around.
        (
            "<name/><legs><side>1</side></legs><legs><side>2</side></legs>".into(),
            "<side>",
            "legs ",
            "<leg> of no namespace, not <side> of no namespace",
        ),
        (
            "<name/><legs><row><side>1</side></row></legs>".into(),
            "<row>",
            "legs ",
            "<leg> of no namespace, not <row> of no namespace",
        ),
        (
            format!("<name/><legs><o:leg {other}><side>1</side></o:leg></legs>"),
            "<o:leg",
            "legs ",
            "<leg> of no namespace, not <leg> of \"urn:o\"",
        ),
        (
            format!("<name/><legs><o:side {other}>1</o:side></legs>"),
            "<o:side",
            "legs ",
            "<leg> of no namespace, not <side> of \"urn:o\"",
        ),
        (
            "<name/><legs><leg><side>1</side><step/></leg></legs>".into(),
            "<step",
            "legs[0] ",
            "<step> of no namespace inside an element steps, not <step> of no namespace",
        ),
    ] {
        let document = kinds(&fields);
        let at = document.find(at).unwrap();
        assert_eq!(refused(&document), format!("{path}at byte {at}: expected {expected}"));
    }
}

#[test]
fn nil_means_absent() {
    for nil in ["true", "1", " true\n"] {
        for element in ["flag", "price", "text", "legs", "shorts", "hollow", "outer"] {
            for content in ["", "<!-- c -->", " \n"] {
                let nil = format!("<{element} xsi:nil='{nil}'>{content}</{element}>");
                assert_eq!(read(&kinds(&format!("<name>a</name>{nil}"))), Ok(named("a")), "{nil}");
            }
        }
        let error = refused(&kinds(&format!("<name xsi:nil='{nil}'/>")));
        assert!(error.ends_with("a required field is missing"), "{error}");
        let twice = format!("<name>a</name><flag xsi:nil='{nil}'/><flag>true</flag>");
        assert_eq!(read(&kinds(&twice)), Ok(EveryKind { flag: Some(true), ..named("a") }));
    }
    for (element, content) in [
        ("flag", "5"),
        ("text", "&#32;"),
        ("text", "<![CDATA[]]>"),
        ("legs", "<leg/>"),
        ("hollow", "<left/>"),
    ] {
        let document = kinds(&format!("<name/><{element} xsi:nil='1'>{content}</{element}>"));
        let at = document.find(&format!("{content}</{element}>")).unwrap();
        let path = if element == "hollow" { String::new() } else { format!("{element} ") };
        let expected = format!("{path}at byte {at}: expected no content in an element that is nil");
        assert_eq!(refused(&document), expected, "{document}");
    }
    for nil in ["false", "0"] {
        let document = kinds(&format!("<name xsi:nil='{nil}'>a</name><hollow xsi:nil='{nil}'/>"));
        assert_eq!(read(&document), Ok(named("a")));
    }
    for nil in ["", "TRUE", "yes", "2"] {
        for element in ["flag", "legs", "hollow"] {
            let document = kinds(&format!("<name/><{element} xsi:nil='{nil}'/>"));
            let end = format!("nil='{nil}'/>");
            let at = document.find(&end).unwrap() + end.len();
            let name = if element == "hollow" { String::new() } else { format!("{element} ") };
            let expected = format!("{name}at byte {at}: expected xsi:nil to be true or false");
            assert_eq!(refused(&document), expected, "{document}");
        }
    }
    let error = refused(&kinds("<name/><legs><leg xsi:nil='1'/></legs>"));
    assert!(error.starts_with("legs ") && error.ends_with("expected an entry, not nil"), "{error}");
    let error = refused(&kinds("<name/><shorts><item xsi:nil='1'/></shorts>"));
    assert!(
        error.starts_with("shorts ") && error.ends_with("expected an item, not nil"),
        "{error}"
    );
}

#[test]
fn a_type_has_to_fit() {
    for (element, types) in [
        ("<text xsi:type='TYPE'>1</text>", "xsd:string xsd:token own:anything xsd:date"),
        ("<medium xsi:type='TYPE'>1</medium>", "xsd:int xsd:long xsd:byte xsd:integer own:int"),
        ("<price xsi:type='TYPE'>1</price>", "xsd:decimal xsd:double xsd:float xsd:int own:Price"),
        ("<flag xsi:type='TYPE'>1</flag>", "xsd:boolean own:boolean"),
        ("<hollow xsi:type='TYPE'/>", "own:Hollow"),
        ("<legs xsi:type='TYPE'/>", "own:Legs"),
        ("<date xsi:type='TYPE'>2004-08-01</date>", "xsd:date"),
        ("<time xsi:type='TYPE'>10:00:00</time>", "xsd:time"),
        ("<data xsi:type='TYPE'></data>", "xsd:base64Binary"),
    ] {
        for name in types.split(' ') {
            let document = kinds(&format!("<name/>{}", element.replace("TYPE", name)));
            assert!(read(&document).is_ok(), "{document}: {:?}", read(&document));
        }
    }
    for (element, name) in [
        ("medium", "string"),
        ("medium", "decimal"),
        ("flag", "int"),
        ("text", "int"),
        ("price", "string"),
        ("date", "dateTime"),
        ("data", "hexBinary"),
    ] {
        let document = kinds(&format!("<name/><{element} xsi:type='xsd:{name}'>1</{element}>"));
        let at = document.find(&format!(">1</{element}")).unwrap() + 1;
        let expected = format!("expected a value of another type than xsd:{name}");
        assert_eq!(refused(&document), format!("{element} at byte {at}: {expected}"));
    }
    let error = refused(&kinds("<name/><flag xsi:type='none:boolean'>1</flag>"));
    assert!(error.ends_with("expected a declared prefix in xsi:type=\"none:boolean\""), "{error}");
}

#[test]
fn references_elsewhere_mean_nothing_where_content_is_literal() {
    let options = Options { style: Style::RpcLiteral, ..Options::default() };
    let mut literal = Ways::<EveryKind>::new(&Plan::new(EveryKind::schema(), &options));
    for fields in [
        "<name href='#1'/>",
        "<name/><hollow href='#1'/>",
        "<name/><legs href='#1'/>",
        "<name/><legs><leg href='#1'><side>1</side></leg></legs>",
        "<name/><shorts><item href='#1'>1</item></shorts>",
        "<name e:ref='1' xmlns:e='http://www.w3.org/2003/05/soap-encoding'/>",
    ] {
        let document = kinds(fields);
        assert!(literal.read(document.as_bytes()).is_ok(), "{fields}");
        // Where content is encoded they are followed: there is nothing of that name.
        assert!(read(&document).is_err(), "{fields}");
    }
}

#[test]
fn text_and_elements_in_each_others_place_are_refused() {
    for (fields, path, expected) in [
        ("<name/>text", "", "expected elements here, not text"),
        ("<name/><![CDATA[]]>", "", "expected elements here, not text"),
        ("<name/>&#32;", "", "expected elements here, not text"),
        ("<hollow>text</hollow>", "", "expected elements here, not text"),
        ("<name/><legs>text</legs>", "legs", "expected leg elements"),
        ("<name/><legs><leg>text</leg></legs>", "legs[0]", "expected elements here, not text"),
        ("<name/><shorts>1</shorts>", "shorts", "expected item elements"),
        ("<name><b/></name>", "name", "expected text, not an element"),
        ("<name>a<b/></name>", "name", "expected text, not an element"),
        ("<name/><shorts><item><b/></item></shorts>", "shorts", "expected text, not an element"),
    ] {
        let error = read(&kinds(fields)).unwrap_err();
        assert_eq!(
            (error.path().as_str(), error.kind().to_string().as_str()),
            (path, expected),
            "{fields}"
        );
    }
}
