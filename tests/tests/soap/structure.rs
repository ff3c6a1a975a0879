//! Elements in any order, missing, twice, unknown, nil, of a type, and in the wrong place.

use trunkline_random::Random;
use trunkline_tests::every_kind::{EveryKind, Hollow, Leg, Nested, Step};
use trunkline_wire::Code;

use trunkline_message::{Limits, Structure};
use trunkline_soap::{Options, Plan, Style, graph};
use trunkline_tests::soap_paths::Paths;

use crate::{document, enveloped, kinds, read, rejected};

fn named(name: &str) -> EveryKind {
    EveryKind { name: name.into(), ..EveryKind::default() }
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
    let mut random = Random::new(6);
    for _ in 0..300 {
        random.shuffle(&mut fields);
        for between in ["", " \r\n\t"] {
            let document = kinds(&fields.join(between));
            assert_eq!(read(&document).as_ref(), Ok(&expected), "{document}");
        }
    }
}

#[test]
fn a_component_may_be_empty() {
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

/// What a second element has might be meant in place of the first's, or beside it: neither is lost.
#[test]
fn a_component_does_not_stand_twice() {
    let left = "<hollow><left>1</left></hollow>";
    let right = "<hollow><right>r</right></hollow>";
    let value = "<inner><value>1</value></inner>";
    for (first, between, second, path) in [
        (left.to_owned(), "", right.to_owned(), "hollow"),
        (left.into(), "<name>a</name>", right.into(), "hollow"),
        (left.into(), "<flag>1</flag><!-- c -->", left.into(), "hollow"),
        (left.into(), "<unknown/>", "<hollow/>".into(), "hollow"),
        ("<hollow/>".into(), "", left.into(), "hollow"),
        ("<hollow></hollow>".into(), " ", "<hollow></hollow>".into(), "hollow"),
        ("<outer/>".into(), "", format!("<outer>{value}</outer>"), "outer"),
        (format!("<outer>{value}</outer>"), "<flag>1</flag>", "<outer/>".into(), "outer"),
        ("<outer><inner/>".into(), " ", format!("{value}</outer>"), "outer/inner"),
        (format!("<outer>{value}"), "", "<inner></inner></outer>".into(), "outer/inner"),
    ] {
        let name = if between.contains("name") { "" } else { "<name/>" };
        let document = kinds(&format!("{name}{first}{between}{second}"));
        let at = document.rfind(&second).unwrap();
        let element = path.rsplit('/').next().unwrap();
        let expected = format!("one element {element} with all that is in it, not a second");
        assert_eq!(rejected(&document), format!("{path} at byte {at}: expected {expected}"));
    }
    let nil = "<hollow xsi:nil='1'/>";
    let hollow = Hollow { left: Some(1), right: None };
    for either in [format!("{nil}{left}"), format!("{left}{nil}")] {
        let expected = EveryKind { hollow: hollow.clone(), ..named("a") };
        assert_eq!(read(&kinds(&format!("<name>a</name>{either}"))), Ok(expected), "nil is absent");
    }
}

/// Pieces of a message in any number and order: it is read exactly if nothing stands twice, by every
/// way, whatever they have read before; and by way of a graph where content is encoded.
#[test]
fn every_way_rejects_what_stands_twice() {
    let pieces = [
        ("hollow", "<hollow/>"),
        ("hollow", "<hollow></hollow>"),
        ("hollow", "<hollow><left>1</left></hollow>"),
        ("hollow", "<hollow><right>r</right></hollow>"),
        ("outer", "<outer/>"),
        ("outer", "<outer><inner/></outer>"),
        ("outer", "<outer><inner><value>1</value></inner></outer>"),
        ("twice", "<outer><inner/><inner><value>1</value></inner></outer>"),
        ("twice", "<outer><inner><value>1</value></inner><inner></inner></outer>"),
        ("flag", "<flag>1</flag>"),
        ("medium", "<medium>5</medium>"),
        ("text", "<text>t</text>"),
        ("legs", "<legs><leg><side>1</side></leg></legs>"),
        ("", "<unknown/>"),
        ("", " "),
    ];
    let typed = Options { types: true, ..Options::default() };
    let plans = [Options::default(), typed, document("urn:own")];
    let mut random = Random::new(11);
    for options in plans {
        let plan = Plan::new(EveryKind::layout(), &options).expect("a plan");
        let mut paths = Paths::<EveryKind>::new(&plan);
        let literal = options.style == Style::DocumentLiteral;
        let (mut whole, mut twice) = (0, 0);
        for _ in 0..3_000 {
            let mut names = Vec::new();
            let mut fields = "<name>a</name>".to_owned();
            for _ in 0..random.index(6) {
                let (name, piece) = pieces[random.index(pieces.len())];
                names.extend((!name.is_empty()).then_some(name));
                match random.index(2) {
                    0 => fields.push_str(piece),
                    _ => fields.insert_str(0, piece),
                }
            }
            names.sort_unstable();
            let stands_twice =
                names.contains(&"twice") || names.windows(2).any(|pair| pair[0] == pair[1]);
            let bytes = match literal {
                false => kinds(&fields),
                true => {
                    let prefixed = fields.replace("</", "</own:").replace('<', "<own:");
                    let prefixed = prefixed.replace("<own:/own:", "</own:");
                    enveloped(&format!("<own:EveryKind>{prefixed}</own:EveryKind>"))
                }
            };
            let read = paths.read(bytes.as_bytes());
            assert_eq!(read.is_err(), stands_twice, "{read:?}: {bytes}");
            *(if stands_twice { &mut twice } else { &mut whole }) += 1;
            let mut message = EveryKind::default();
            let limits = Limits::default();
            let of_graph = graph::decode_message(bytes.as_bytes(), &plan, &limits, &mut message);
            assert_eq!(of_graph.map(|_| message).ok(), read.ok(), "{bytes}");
        }
        assert!(whole > 500 && twice > 500, "{whole} were read, {twice} rejected");
    }
}

/// Where fields are elements, an attribute with the name of one is meant as it.
#[test]
fn an_attribute_is_not_taken_for_an_element() {
    for (fields, at, path, expected) in [
        ("<hollow left='5'/>", "left=", "hollow/left ", "<left> of no namespace"),
        ("<hollow left='5'></hollow>", "left=", "hollow/left ", "<left> of no namespace"),
        ("<legs><leg side='5'/></legs>", "side=", "legs ", "<side> of no namespace"),
        ("<outer inner='5'/>", "inner=", "", "<inner> of no namespace"),
    ] {
        let document = kinds(&format!("<name/>{fields}"));
        let at = document.find(at).unwrap();
        let name = expected.trim_start_matches('<').split('>').next().unwrap();
        assert_eq!(
            rejected(&document),
            format!("{path}at byte {at}: expected {expected}, not the attribute {name}")
        );
    }
    let document = kinds("<name/>").replace("<EveryKind>", "<EveryKind xsi:type='own:E' flag='1'>");
    let at = document.find("flag").unwrap();
    let expected = "expected <flag> of no namespace, not the attribute flag";
    assert_eq!(rejected(&document), format!("flag at byte {at}: {expected}"));
    let options = crate::document("urn:own");
    let element = "<own:EveryKind flag='1'><own:name/></own:EveryKind>";
    let plan = Plan::new(EveryKind::layout(), &options).expect("a plan");
    let error = Paths::<EveryKind>::new(&plan).read(enveloped(element).as_bytes()).unwrap_err();
    let expected = "expected <flag> of \"urn:own\", not the attribute flag";
    assert!(error.to_string().ends_with(expected), "{error}");
}

/// Other attributes are passed over, and counted as elements are.
#[test]
fn unknown_attributes_are_counted() {
    let literal = Options { style: Style::RpcLiteral, ..Options::default() };
    for options in [Options::default(), literal] {
        let plan = Plan::new(EveryKind::layout(), &options).expect("a plan");
        let mut paths = Paths::<EveryKind>::new(&plan);
        for (fields, unknown) in [
            ("<name>a</name>", 0),
            ("<name lang='en'>a</name>", 1),
            ("<name>a</name><flag unit='1' xsi:type='xsd:boolean' own:flag='0'>1</flag>", 2),
            ("<name>a</name><flag unit='1' xsi:nil='1'/>", 1),
            ("<name>a</name><hollow a='1' b='2'><left c='3'>1</left></hollow>", 3),
            ("<name>a</name><legs a='1' side='2'><leg a='1'><side>1</side></leg></legs>", 3),
            (
                "<name>a</name><legs><leg a='1'><side>1</side></leg><leg a='1'><side>1</side></leg></legs>",
                2,
            ),
            ("<name>a</name><shorts a='1'><item a='1'>1</item><item>2</item></shorts>", 2),
            ("<unknown a='1' b='2'><flag c='1'/></unknown><name lang='en'>a</name>", 2),
            ("<name lang='en'>a</name>", 1),
            ("<name>a</name>", 0),
        ] {
            for own in ["", " version='1'", " version='1' revision='2'"] {
                let document = kinds(fields).replace("<EveryKind>", &format!("<EveryKind{own}>"));
                for call in ["", " trace='1'"] {
                    let opened = format!("<sendMessage{call}>");
                    let document = document.replace("<sendMessage>", &opened);
                    let read = paths.read(document.as_bytes());
                    assert!(read.is_ok(), "{read:?}: {document}");
                    let around = own.matches('=').count() + call.matches('=').count();
                    assert_eq!(paths.unknown(), unknown + around, "{document}");
                    let mut message = EveryKind::default();
                    let limits = Limits::default();
                    let of_graph =
                        graph::decode_message(document.as_bytes(), &plan, &limits, &mut message);
                    assert_eq!(of_graph, Ok(unknown + around), "by a graph: {document}");
                }
            }
        }
    }
}

/// A message that is rejected was looked at up to there.
#[test]
fn what_is_unknown_is_counted_before_an_error_too() {
    let mut paths = Paths::<EveryKind>::new(
        &Plan::new(EveryKind::layout(), &Options::default()).expect("a plan"),
    );
    for (fields, unknown) in [
        ("<more/><other/><name>a</name><flag>x</flag><rest/>", 2),
        ("<name>a</name><flag>x</flag><rest/>", 0),
        ("<name a='1'>a</name><legs><o:more xmlns:o='urn:o'/><leg/></legs>", 2),
        ("<more/><rest/>", 2),
    ] {
        let read = paths.read(kinds(fields).as_bytes());
        assert!(read.is_err(), "{fields}");
        assert_eq!(paths.unknown(), unknown, "{fields}");
    }
}

/// What stands before an entry is looked at in every message, though it stood there before.
#[test]
fn what_is_unknown_before_an_entry_is_counted_in_every_message() {
    let leg = "<leg><side>1</side></leg>";
    let mut paths = Paths::<EveryKind>::new(
        &Plan::new(EveryKind::layout(), &Options::default()).expect("a plan"),
    );
    for (inside, unknown) in [
        (format!("<own:x/>{leg}"), 1),
        (format!("<own:x a='1'><own:y/></own:x> {leg}<own:x/>{leg}"), 2),
        (format!("{leg}<own:x/><own:x/>{leg}{leg}<own:x/>"), 3),
        (format!("<own:x/>{leg}"), 1),
        (leg.to_owned(), 0),
    ] {
        let document = kinds(&format!("<name>a</name><legs>{inside}</legs>"));
        for time in 0..3 {
            let read = paths.read(document.as_bytes()).expect("a message");
            assert_eq!(read.legs.len(), inside.matches(leg).count(), "{document}");
            assert_eq!(paths.unknown(), unknown, "time {time}: {document}");
        }
    }
}

/// Where the elements are in a namespace, attributes in it are the message's own as those in none are.
#[test]
fn attributes_in_the_namespace_of_the_elements_are_not_lost() {
    let literal = document("urn:own");
    let encoded = Options {
        style: Style::DocumentEncoded,
        namespace: "urn:own".into(),
        ..Options::default()
    };
    for options in [literal, encoded] {
        let plan = Plan::new(EveryKind::layout(), &options).expect("a plan");
        let mut paths = Paths::<EveryKind>::new(&plan);
        let namespace = match options.style {
            Style::DocumentLiteral => "\"urn:own\"",
            _ => "no namespace",
        };
        let document = |own: &str, fields: &str| {
            let prefixed = fields.replace("</", "</own:").replace('<', "<own:");
            let prefixed = prefixed.replace("<own:/own:", "</own:");
            enveloped(&format!("<own:EveryKind{own}>{prefixed}</own:EveryKind>"))
        };
        for (own, fields, name) in [
            ("", "<name/><legs><leg own:side='5'/></legs>", "side"),
            ("", "<name/><hollow own:left='5'/>", "left"),
            ("", "<name/><outer own:inner='5'></outer>", "inner"),
            ("", "<name/><legs own:leg='5'/>", "leg"),
            (" own:flag='1'", "<name/>", "flag"),
        ] {
            let document = document(own, fields);
            let error = paths.read(document.as_bytes()).expect_err("a field as an attribute");
            let at = document.find(&format!("own:{name}='")).unwrap();
            let expected = format!("expected <{name}> of {namespace}, not the attribute {name}");
            let error = error.to_string();
            assert!(error.ends_with(&format!("at byte {at}: {expected}")), "{error}: {document}");
            let mut message = EveryKind::default();
            let limits = Limits::default();
            graph::decode_message(document.as_bytes(), &plan, &limits, &mut message)
                .expect_err("by a graph");
        }
        for (own, fields, unknown) in [
            (" own:version='1'", "<name own:lang='en' xml:lang='en'>a</name>", 3),
            ("", "<name>a</name><hollow own:a='1' xsi:a='1'/><legs own:side='1'/>", 2),
            ("", "<name>a</name><shorts own:a='1'><item own:b='1'>1</item></shorts>", 2),
            ("", "<name>a</name>", 0),
        ] {
            let document = document(own, fields);
            for _ in 0..2 {
                let read = paths.read(document.as_bytes());
                assert!(read.is_ok(), "{read:?}: {document}");
                assert_eq!(paths.unknown(), unknown, "{document}");
            }
            let mut message = EveryKind::default();
            let limits = Limits::default();
            let of_graph = graph::decode_message(document.as_bytes(), &plan, &limits, &mut message);
            assert_eq!(of_graph, Ok(unknown), "by a graph: {document}");
        }
    }
}

/// The element of a group, of a list or of a call has others of one name inside.
#[test]
fn an_attribute_is_not_taken_for_an_item() {
    for (fields, path, name) in [
        ("<name/><legs leg='1'><leg><side>1</side></leg></legs>", "legs ", "leg"),
        ("<name/><legs leg='1'/>", "legs ", "leg"),
        ("<name/><shorts item='1'/>", "shorts ", "item"),
        (
            "<name/><legs><leg><side>1</side><steps step='1'/></leg></legs>",
            "legs[0]/steps ",
            "step",
        ),
    ] {
        let document = kinds(fields);
        let at = document.find(&format!("{name}='1'")).unwrap();
        let expected = format!("expected <{name}> of no namespace, not the attribute {name}");
        assert_eq!(rejected(&document), format!("{path}at byte {at}: {expected}"));
        let plan = Plan::new(EveryKind::layout(), &Options::default()).expect("a plan");
        let mut message = EveryKind::default();
        let limits = Limits::default();
        let of_graph = graph::decode_message(document.as_bytes(), &plan, &limits, &mut message);
        assert!(of_graph.unwrap_err().to_string().ends_with(&expected), "by a graph");
    }
    let document = kinds("<name/>").replace("<sendMessage>", "<sendMessage EveryKind='1'>");
    let at = document.find("EveryKind='1'").unwrap();
    let expected = "expected <EveryKind> of no namespace, not the attribute EveryKind";
    assert_eq!(rejected(&document), format!("at byte {at}: {expected}"));
    let plan = Plan::new(EveryKind::layout(), &Options::default()).expect("a plan");
    let mut message = EveryKind::default();
    let limits = Limits::default();
    let of_graph = graph::decode_message(document.as_bytes(), &plan, &limits, &mut message);
    assert!(of_graph.unwrap_err().to_string().ends_with(expected), "by a graph");
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
        let error = rejected(&kinds(fields));
        assert!(error.contains(&expected), "{fields}: {error}");
    }
}

#[test]
fn what_is_missing_or_there_twice_is_told_with_its_path() {
    let document = kinds("<flag>1</flag>");
    let at = document.find("</sendMessage>").unwrap();
    assert_eq!(rejected(&document), format!("name at byte {at}: a required field is missing"));

    let document =
        kinds("<name/><legs><leg><side>1</side></leg><leg><ratio>1</ratio></leg></legs>");
    let at = document.find("</legs>").unwrap();
    assert_eq!(
        rejected(&document),
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
        assert_eq!(rejected(&document), format!("{path} at byte {at}: {expected}"));
    }
    let document = kinds("<name/><hollow><left>1</left><left>1</left></hollow>");
    let at = document.rfind("<left>").unwrap();
    assert_eq!(rejected(&document), format!("hollow/left at byte {at}: the field stands twice"));

    let document = kinds(
        "<name/><legs><leg><side>1</side><steps><step/><step><size>x</size></step></steps></leg></legs>",
    );
    let at = document.find("x</size>").unwrap();
    let path = "legs[0]/steps[1]/size";
    let expected = "expected a whole number, but it has an unexpected character at 0";
    assert_eq!(rejected(&document), format!("{path} at byte {at}: {expected}"));
    let document = kinds("<name/><outer><inner><value>1.2.3</value></inner></outer>");
    let at = document.find("1.2.3").unwrap();
    let expected = "expected a decimal number, but it has an unexpected character at 3";
    assert_eq!(rejected(&document), format!("outer/inner/value at byte {at}: {expected}"));
}

#[test]
fn unknown_elements_are_passed_over_but_checked() {
    let unknown = "<o:new xmlns:o='urn:o' a='1'>t<name>x</name><![CDATA[<]]><e/><!-- --></o:new>";
    let fields = format!(
        "{unknown}<name>a</name>{unknown}<legs>{unknown}<leg><side>1</side>{unknown}</leg></legs>"
    );
    let leg = Leg { side: Code::new("1"), ..Leg::default() };
    let expected = EveryKind { legs: [leg].into_iter().collect(), ..named("a") };
    let mut paths = Paths::<EveryKind>::new(
        &Plan::new(EveryKind::layout(), &Options::default()).expect("a plan"),
    );
    assert_eq!(paths.read(kinds(&fields).as_bytes()), Ok(expected));
    assert_eq!(paths.unknown(), 4, "what is inside does not count");
    assert_eq!(paths.read(kinds("<name>a</name>").as_bytes()), Ok(named("a")));
    assert_eq!(paths.unknown(), 0);
    let error = rejected(&kinds("<name>a</name><new><b></new></b>"));
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
        assert_eq!(rejected(&document), format!("{path}at byte {at}: expected {expected}"));
    }
}

/// As JAXB, .NET and gSOAP write lists unless told otherwise.
#[test]
fn entries_without_the_element_around_them_are_rejected() {
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
        assert_eq!(rejected(&document), format!("{path}at byte {at}: expected {expected}"));
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
        let error = rejected(&kinds(&format!("<name xsi:nil='{nil}'/>")));
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
        assert_eq!(rejected(&document), expected, "{document}");
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
            assert_eq!(rejected(&document), expected, "{document}");
        }
    }
    let error = rejected(&kinds("<name/><legs><leg xsi:nil='1'/></legs>"));
    assert!(error.starts_with("legs ") && error.ends_with("expected an entry, not nil"), "{error}");
    let error = rejected(&kinds("<name/><shorts><item xsi:nil='1'/></shorts>"));
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
        assert_eq!(rejected(&document), format!("{element} at byte {at}: {expected}"));
    }
    let error = rejected(&kinds("<name/><flag xsi:type='none:boolean'>1</flag>"));
    assert!(error.ends_with("expected a declared prefix in xsi:type=\"none:boolean\""), "{error}");
}

#[test]
fn references_elsewhere_mean_nothing_where_content_is_literal() {
    let options = Options { style: Style::RpcLiteral, ..Options::default() };
    let mut literal =
        Paths::<EveryKind>::new(&Plan::new(EveryKind::layout(), &options).expect("a plan"));
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
fn text_and_elements_in_each_others_place_are_rejected() {
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
