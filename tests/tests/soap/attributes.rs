//! Other schemas for the same message: values as attributes, and components without elements.

use std::sync::Arc;

use trunkline_message::{Kind, Layout, Limits, Message, Need, Record, Result, Structure};
use trunkline_random::Random;
use trunkline_soap::{Decoder, Encoder, Options, Plan, Style};
use trunkline_tests::every_kind::{self, EveryKind, Hollow, Leg, Nested, Step};
use trunkline_tests::soap_paths::Paths;
use trunkline_wire::Code;

use crate::{document, enveloped};

fn nested() -> Options {
    Options { attributes: true, ..Options::default() }
}

fn flat() -> Options {
    Options { flat: true, ..nested() }
}

fn plan(options: &Options) -> Arc<Plan> {
    Plan::new(EveryKind::layout(), options).expect("a plan")
}

/// An envelope with this message in it.
fn message(element: &str) -> String {
    enveloped(&format!("<sendMessage>{element}</sendMessage>"))
}

fn read(options: &Options, element: &str) -> Result<EveryKind> {
    Paths::new(&plan(options)).read(message(element).as_bytes())
}

fn rejected(options: &Options, element: &str) -> String {
    read(options, element).expect_err("a message that is wrong").to_string()
}

fn named(name: &str) -> EveryKind {
    EveryKind { name: name.into(), ..EveryKind::default() }
}

#[test]
fn attributes_stand_in_any_order_quotes_and_white_space() {
    let hollow = Hollow { left: Some(2), right: Some("it's".into()) };
    let expected = EveryKind { flag: Some(true), hollow, ..named("a") };
    for element in [
        "<EveryKind name='a' flag='1'><hollow left='2' right=\"it's\"/></EveryKind>",
        "<EveryKind flag=\"1\" name=\"a\"><hollow right=\"it's\" left=\"2\"></hollow></EveryKind>",
        "<EveryKind\n\tname = \"a\"\r\nflag= '1' ><hollow left=\"2\" right=\"it's\" /></EveryKind>",
        "<EveryKind name=\"a\"  flag=\" true\"><hollow right='it&apos;s' left='2'/></EveryKind>",
        "<EveryKind name=\"a\" flag=\"1\"> <hollow left=\"2\" right=\"it's\"/> </EveryKind>",
        "<EveryKind flag='&#49;' name='&#x61;'><hollow left='2' right='it&#39;s'/></EveryKind>",
    ] {
        assert_eq!(read(&nested(), element).as_ref(), Ok(&expected), "{element}");
    }
    for element in [
        "<EveryKind name='a' flag='1' left='2' right=\"it's\"/>",
        "<EveryKind right=\"it's\" left=\"2\" flag=\"1\" name=\"a\"></EveryKind>",
    ] {
        assert_eq!(read(&flat(), element).as_ref(), Ok(&expected), "{element}");
    }
}

#[test]
fn elements_end_at_once_or_by_an_end_tag() {
    let step = Step { size: Some(7), note: None };
    let steps = [step, Step::default()].into_iter().collect();
    let leg = Leg { side: Code::new("B"), ratio: None, steps };
    let nested_value = Nested { value: Some("1.5".parse().unwrap()) };
    let expected = EveryKind {
        nested: nested_value,
        shorts: Some(vec![1]),
        legs: [leg, Leg { side: Code::new("C"), ..Leg::default() }].into_iter().collect(),
        ..named("a")
    };
    let open = "<EveryKind name=\"a\"><hollow></hollow><outer><inner value=\"1.5\"></inner></outer>\
        <shorts><item>1</item></shorts><legs><leg side=\"B\"><steps><step size=\"7\"></step><step>\
        </step></steps></leg><leg side=\"C\"></leg></legs></EveryKind>";
    let closed = open
        .replace("></hollow>", "/>")
        .replace("></inner>", "/>")
        .replace("></step>", "/>")
        .replace("\"></leg>", "\"/>");
    for element in [open, &closed, &closed.replace("><", ">\n<")] {
        assert_eq!(read(&nested(), element).as_ref(), Ok(&expected), "{element}");
    }
    for empty in ["<EveryKind name=\"a\"/>", "<EveryKind name=\"a\" />", "<EveryKind name='a'/>"] {
        assert_eq!(read(&nested(), empty), Ok(named("a")), "{empty}");
    }
    let error = rejected(&nested(), "<EveryKind name=\"a\"/></EveryKind>");
    assert!(error.ends_with("XML: expected end tag </sendMessage>"), "{error}");
}

#[test]
fn what_the_schema_does_not_know_is_passed_over_but_checked() {
    for element in [
        "<EveryKind name=\"a\" other=\"&lt;\"><hollow id=\"7\"/></EveryKind>",
        "<EveryKind other=\"1\" name=\"a\"><other name=\"b\" flag=\"x\"/></EveryKind>",
        "<EveryKind name=\"a\" own:flag=\"1\" xsi:other=\"2\"/>",
        "<EveryKind name=\"a\"><o:high left=\"x\" xmlns:o=\"urn:o\"/></EveryKind>",
        "<EveryKind name=\"a\" xml:lang=\"en\" xmlns:o=\"urn:o\"/>",
        "<EveryKind name=\"a\" left=\"1\"/>",
    ] {
        assert_eq!(read(&nested(), element), Ok(named("a")), "{element}");
    }
    assert_eq!(read(&flat(), "<EveryKind name='a'><hollow left='1'/></EveryKind>"), Ok(named("a")));
    // Fields are attributes, and in no namespace.
    for (inside, expected) in [
        (
            "<flag>1</flag>",
            "flag at byte AT: expected the attribute flag of no namespace, not <flag> of no namespace",
        ),
        (
            "<o:flag xmlns:o='urn:o'/>",
            "flag at byte AT: expected the attribute flag of no namespace, not <flag> of \"urn:o\"",
        ),
        (
            "<o:hollow xmlns:o='urn:o'/>",
            "at byte AT: expected <hollow> of no namespace, not <hollow> of \"urn:o\"",
        ),
        (
            "<leg side='1'/>",
            "at byte AT: expected <leg> of no namespace inside an element legs, not <leg> of no namespace",
        ),
    ] {
        let error = rejected(&nested(), &format!("<EveryKind name=\"a\">{inside}</EveryKind>"));
        let (before, after) = error.split_once(char::is_numeric).unwrap_or_default();
        let after = after.trim_start_matches(char::is_numeric);
        assert_eq!(format!("{before}AT{after}"), expected);
    }
    let options = Options { attributes: true, ..document("urn:x") };
    let mut paths = Paths::<EveryKind>::new(&plan(&options));
    let mut qualified = |attributes: &str| {
        let element = format!("<p:EveryKind xmlns:p='urn:x' {attributes}/>");
        paths.read(enveloped(&element).as_bytes())
    };
    assert_eq!(qualified("name='a' p:other='1'"), Ok(named("a")));
    assert_eq!(qualified("name='a' xml:lang='en'"), Ok(named("a")));
    let error = qualified("name='a' p:flag='1'").unwrap_err().to_string();
    let expected = "expected the attribute flag of no namespace, not of \"urn:x\"";
    assert!(error.ends_with(expected), "{error}");
    assert_eq!(qualified("name='a' other='1'"), Ok(named("a")));
    assert_eq!(paths.unknown(), 1);
    for (wrong, expected) in [
        ("other=\"<\"", "XML: < in an attribute value, expected &lt;"),
        ("other=\"1\" other=\"2\"", "XML: attribute appears twice in a tag"),
        ("other", "XML: expected = after the name of an attribute"),
        ("other=\"1\"flag=\"1\"", "XML: expected white space, > or />"),
    ] {
        let error = rejected(&nested(), &format!("<EveryKind name=\"a\" flag=\"x\" {wrong}/>"));
        assert!(error.ends_with(expected), "before the value of flag: {error}");
    }
}

/// Whether the way to the message is known or parsed makes no difference to what is counted.
#[test]
fn attributes_around_a_message_that_is_rejected_are_counted_by_every_way() {
    let mut paths = Paths::<EveryKind>::new(&plan(&nested()));
    let document = |attributes: &str| {
        enveloped(&format!("<sendMessage a='1'><EveryKind {attributes}/></sendMessage>"))
    };
    for (attributes, is_read, unknown) in [
        ("name='x'", true, 1),
        ("name='x' name='x'", false, 1),
        ("name='x' b='1'", true, 2),
        ("name=\"x\" b=\"1\" name=\"x\"", false, 1),
        ("name='x'", true, 1),
    ] {
        let read = paths.read(document(attributes).as_bytes());
        assert_eq!(read.is_ok(), is_read, "{attributes}");
        assert_eq!(paths.unknown(), unknown, "{attributes}");
    }
}

/// `id` is known wherever content is encoded, in every tag of the message; nowhere else.
#[test]
fn an_id_is_known_where_content_is_encoded() {
    let element = "<EveryKind id='1' name='a'><hollow id='2'/><shorts id='3'><item id='4'>1</item>\
        </shorts><legs id='5'><leg id='6' side='1'/></legs></EveryKind>";
    let literal = Options { style: Style::RpcLiteral, ..nested() };
    for (options, unknown) in [(nested(), 0), (flat(), 1), (literal, 6)] {
        let mut paths = Paths::<EveryKind>::new(&plan(&options));
        for _ in 0..2 {
            paths.read(message(element).as_bytes()).expect("a message");
            assert_eq!(paths.unknown(), unknown, "{options:?}");
        }
    }
}

#[test]
fn what_is_missing_or_there_twice_is_told_with_its_path() {
    for element in ["<EveryKind flag=\"1\"/>", "<EveryKind/>", "<EveryKind></EveryKind>"] {
        let at = message(element).find("</sendMessage>").unwrap();
        let expected = format!("name at byte {at}: a required field is missing");
        assert_eq!(rejected(&nested(), element), expected);
    }
    let element =
        "<EveryKind name=\"\"><legs><leg side=\"1\"/><leg ratio=\"1\"/></legs></EveryKind>";
    let at = message(element).find("</legs>").unwrap();
    let expected = format!("legs[1]/side at byte {at}: a required field is missing");
    assert_eq!(rejected(&nested(), element), expected);

    for repeated in ["name=\"a\" name=\"a\"", "flag=\"x\" name=\"a\" flag=\"1\""] {
        let element = format!("<EveryKind {repeated}/>");
        let at = message(&element).rfind(repeated.split('=').next().unwrap()).unwrap();
        let expected = format!("at byte {at}: XML: attribute appears twice in a tag");
        assert_eq!(rejected(&nested(), &element), expected, "it is XML that forbids it");
    }
    let hollow = "<hollow right=\"\" left=\"x\" right=\"\"/>";
    for (options, element) in [
        (nested(), format!("<EveryKind name=\"\">{hollow}</EveryKind>")),
        (
            flat(),
            "<EveryKind name=\"\"><legs><leg ratio=\"\" side=\"\" ratio=\"\"/></legs></EveryKind>"
                .into(),
        ),
    ] {
        let error = rejected(&options, &element);
        assert!(error.ends_with("XML: attribute appears twice in a tag"), "{error}");
    }
    for second in
        ["<hollow left=\"2\"/>", "<hollow right=\"2\"></hollow>", "<hollow/>", "<hollow  />"]
    {
        let element = format!("<EveryKind name=\"\"><hollow left=\"1\"/>{second}</EveryKind>");
        let at = message(&element).rfind("<hollow").unwrap();
        let expected = "expected one element hollow with all that is in it, not a second";
        assert_eq!(rejected(&nested(), &element), format!("hollow at byte {at}: {expected}"));
    }
}

#[test]
fn a_value_that_is_none_is_told_with_its_path() {
    let step =
        "<legs><leg side=\"1\"><steps><step/><step note=\"\" size=\"x\"/></steps></leg></legs>";
    let problem = "expected a whole number, but it has an unexpected character at 0";
    for (options, element, path) in [
        (nested(), format!("<EveryKind name=\"\">{step}</EveryKind>"), "legs[0]/steps[1]/size"),
        (nested(), "<EveryKind name=\"\"><hollow left=\"x\"/></EveryKind>".into(), "hollow/left"),
        (flat(), "<EveryKind name=\"\" left=\"x\"/>".into(), "hollow/left"),
        (nested(), "<EveryKind name=\"\" tiny=\"x\"/>".into(), "tiny"),
    ] {
        let at = message(&element).find("=\"x\"").unwrap() + 2;
        assert_eq!(rejected(&options, &element), format!("{path} at byte {at}: {problem}"));
    }
    let flat_elements = Options { flat: true, ..Options::default() };
    let element = "<EveryKind><name/><value>x</value></EveryKind>";
    let error = rejected(&flat_elements, element);
    assert!(error.starts_with("outer/inner/value at byte "), "{error}");
}

#[test]
fn nil_and_references_are_what_they_are_elsewhere() {
    for nil in ["<hollow other=\"1\" xsi:nil=\"true\"/>", "<legs xsi:nil='1'/>"] {
        let element = format!("<EveryKind name=\"a\">{nil}</EveryKind>");
        assert_eq!(read(&nested(), &element), Ok(named("a")), "{element}");
    }
    for (element, expected) in [
        ("<EveryKind name=\"\" xsi:nil=\"1\"/>", "expected a message, not nil"),
        (
            "<EveryKind name=\"\"><hollow left=\"1\" xsi:nil=\"true\"/></EveryKind>",
            "expected no attributes of its type in an element that is nil, for which the message has no place",
        ),
        (
            "<EveryKind name=\"\"><legs><leg side=\"1\" xsi:nil=\"1\"/></legs></EveryKind>",
            "expected an entry, not nil",
        ),
        (
            "<EveryKind name=\"\"><hollow xsi:nil=\"maybe\" left=\"x\"/></EveryKind>",
            "expected xsi:nil to be true or false",
        ),
        (
            "<EveryKind name=\"\"><hollow left=\"1\" href=\"#1\"/></EveryKind>",
            "not supported: references to elements elsewhere (multi-ref)",
        ),
    ] {
        let error = rejected(&nested(), element);
        assert!(error.ends_with(expected), "{element}: {error}");
    }
}

#[test]
fn every_text_comes_back_as_it_went() {
    let pieces = [
        "<", ">", "&", "\"", "'", "\r", "\n", "\t", " ", "]]>", "é", "😀", "a", "\u{FFFD}",
        "\u{7F}", "\u{85}",
    ];
    for options in [nested(), flat(), Options { attributes: true, ..document("urn:x") }] {
        let plan = plan(&options);
        let mut paths = Paths::<EveryKind>::new(&plan);
        let mut encoder = Encoder::new(&plan);
        for first in pieces {
            for second in pieces {
                for third in ["", "in the middle of it all, past thirty bytes"] {
                    let text = format!("{first}{third}{second}");
                    let code = Code::from_bytes(text.as_bytes());
                    let hollow = Hollow { left: None, right: Some(text.as_str().into()) };
                    let message = EveryKind { code, hollow, ..named(&text) };
                    let bytes = encoder.encode(&message).unwrap();
                    assert_eq!(paths.read(bytes), Ok(message));
                }
            }
        }
    }
}

#[test]
fn white_space_in_a_value_is_normalised_unless_it_is_a_reference() {
    for (raw, expected) in [
        ("a\tb\nc\rd\r\ne", "a b c d e"),
        ("a&#9;b&#10;c&#13;d&#xD;&#xA;e", "a\tb\nc\rd\r\ne"),
        ("  kept  ", "  kept  "),
        ("> ]]> '", "> ]]> '"),
    ] {
        for value in [raw.to_owned(), format!("{raw}, in a value of more than thirty bytes")] {
            let expected = format!("{expected}{}", &value[raw.len()..]);
            let element = format!("<EveryKind name=\"{value}\"/>");
            assert_eq!(read(&nested(), &element), Ok(named(&expected)), "{raw:?}");
        }
    }
}

#[test]
fn what_xml_cannot_carry_is_rejected_by_path() {
    for options in [nested(), flat()] {
        let mut encoder = Encoder::new(&plan(&options));
        for bad in ['\0', '\u{1}', '\u{1F}', '\u{FFFE}', '\u{FFFF}'] {
            for text in [format!("a{bad}"), format!("\t\"{bad}{:60}", "")] {
                let step = Step { note: Some(text.as_str().into()), size: None };
                let steps = [Step::default(), step].into_iter().collect();
                let legs = [Leg { steps, ..Leg::default() }].into_iter().collect();
                let hollow = Hollow { left: None, right: Some(text.as_str().into()) };
                for (message, path) in [
                    (named(&text), "name"),
                    (EveryKind { hollow, ..named("") }, "hollow/right"),
                    (EveryKind { legs, ..named("") }, "legs[0]/steps[1]/note"),
                ] {
                    let error = encoder.encode(&message).unwrap_err();
                    assert_eq!(error.path(), path);
                }
            }
        }
        assert!(encoder.encode(&named("a")).is_ok(), "the next message is not harmed");
    }
}

#[test]
fn a_decoder_goes_from_tag_to_tag_and_over_errors() {
    for options in [nested(), flat(), Options { attributes: true, ..document("urn:x") }] {
        let plan = plan(&options);
        let mut encoder = Encoder::new(&plan);
        let mut written = |message: &EveryKind| {
            String::from_utf8(encoder.encode(message).unwrap().to_vec()).unwrap()
        };
        let full = written(&every_kind::full());
        let small = written(&EveryKind { medium: Some(5), ..named("b") });
        let documents = [
            full.clone(),
            small.clone(),
            written(&named("c")),
            small.replace(" medium=", " xmlns:p=\"urn:p\" medium="),
            small.replace(" name=", " xmlns:p=\"urn:p\" name="),
            small.replace(" medium=", " xmlns=\"urn:y\" medium="),
            small.replace(" name=", " id=\"1\" name="),
            small.replace("<EveryKind", "<EveryKind\n"),
            small.replace("SOAP-ENV", "S"),
            small.replace("\"5\"", "\"x\""),
            small.replace("name=", "nam="),
            small.replace("medium=", "name="),
            full[..full.len() / 2].to_owned(),
            small.replace("<EveryKind", "<EveryKinds"),
        ];
        let read = |document: &String| Paths::<EveryKind>::new(&plan).read(document.as_bytes());
        let expected: Vec<_> = documents.iter().map(read).collect();
        assert_eq!(expected.iter().take(5).filter(|it| it.is_ok()).count(), 5);
        assert_eq!(expected.iter().skip(9).filter(|it| it.is_ok()).count(), 0);
        let mut paths = Paths::<EveryKind>::new(&plan);
        let mut random = Random::new(5);
        for _ in 0..1_000 {
            let which = random.index(documents.len());
            assert_eq!(paths.read(documents[which].as_bytes()), expected[which], "{which}");
        }
    }
}

#[test]
fn a_document_cut_anywhere_is_rejected() {
    for options in [nested(), flat()] {
        let plan = plan(&options);
        let whole = Encoder::new(&plan).encode(&every_kind::full()).unwrap().to_vec();
        let mut paths = Paths::<EveryKind>::new(&plan);
        assert_eq!(paths.read(&whole), Ok(every_kind::full()));
        for end in 0..whole.len() {
            let error = paths.read(&whole[..end]).unwrap_err();
            assert!(error.offset() <= end, "{error}");
        }
    }
}

#[test]
fn limits_hold_on_every_way() {
    let leg = "<leg side=\"1\" ratio=\"2\"/>";
    let element = format!("<EveryKind name=\"0123456789\"><legs>{leg}{leg}</legs></EveryKind>");
    let under = |limits: Limits| {
        let mut paths = Paths::<EveryKind>::with_limits(&plan(&nested()), &limits);
        // The second time the envelope is known.
        paths.read(message("<EveryKind name=\"\"/>").as_bytes()).ok();
        let read = paths.read(message(&element).as_bytes());
        read.map(drop).map_err(|error| error.to_string().split_once(": ").unwrap().1.to_owned())
    };
    let limits = Limits::default();
    // The envelope has four declarations.
    assert_eq!(under(Limits { attributes: 4, ..limits.clone() }), Ok(()));
    for (limits, expected) in [
        (Limits { value_bytes: 9, ..limits.clone() }, "XML: value exceeds value_bytes = 9"),
        (Limits { entries: 1, ..limits.clone() }, "more than the limit entries = 1 allows"),
        (Limits { fields: 3, ..limits.clone() }, "more than the limit fields = 3 allows"),
        (Limits { depth: 5, ..limits.clone() }, "XML: elements nest deeper than depth = 5"),
        (Limits { attributes: 3, ..limits }, "XML: more attributes than attributes = 3"),
    ] {
        assert_eq!(under(limits), Err(expected.into()));
    }
    // A tag with a declaration has room for one field less.
    let qualified = Options { attributes: true, ..document("urn:x") };
    let plan = plan(&qualified);
    let mut encoder = Encoder::new(&plan);
    let few = Limits { attributes: EVERY_VALUE, ..Limits::default() };
    let mut paths = Paths::<EveryKind>::with_limits(&plan, &few);
    let small = encoder.encode(&named("a")).unwrap();
    assert_eq!(paths.read(small), Ok(named("a")));
    let full = encoder.encode(&every_kind::full()).unwrap();
    let error = paths.read(full).unwrap_err().to_string();
    assert!(error.ends_with("more attributes than attributes = 18"), "{error}");
}

/// So many fields of a message of every kind are attributes of its own element.
const EVERY_VALUE: usize = 18;

#[test]
fn names_that_meet_are_told_apart() {
    let mut builder = Layout::builder("Order");
    builder.field("href", Kind::Text, Need::Required);
    builder.field("xmlns", Kind::Text, Need::Required);
    builder.field("ID", Kind::Text, Need::Required);
    for side in ["Buy", "Sell"] {
        builder.begin_component(side, Need::Required);
        builder.begin_component("Party", Need::Required);
        builder.field("ID", Kind::Text, Need::Required).end();
        builder.field("Fee", Kind::Decimal, Need::Optional).end();
    }
    let schema = Arc::new(builder.build().unwrap());
    let mut order = Record::new(&schema);
    let parties = ["Buy/Party/ID", "Sell/Party/ID"];
    for (path, value) in
        [("href", "h"), ("xmlns", "x"), ("ID", "o"), (parties[0], "b"), (parties[1], "s")]
    {
        order.set(path, value).unwrap();
    }
    for (options, expected) in [
        (
            nested(),
            "<Order href-2=\"h\" xmlns-2=\"x\" ID=\"o\"><Buy><Party ID=\"b\"/></Buy>\
             <Sell><Party ID=\"s\"/></Sell></Order>",
        ),
        (flat(), "<Order href-2=\"h\" xmlns-2=\"x\" ID=\"o\" BuyPartyID=\"b\" SellPartyID=\"s\"/>"),
        (
            Options { flat: true, ..Options::default() },
            "<Order><href>h</href><xmlns>x</xmlns><ID>o</ID><BuyPartyID>b</BuyPartyID>\
             <SellPartyID>s</SellPartyID></Order>",
        ),
    ] {
        let plan = Plan::new(&schema, &options).expect("a plan");
        let mut encoder = Encoder::new(&plan);
        let written = std::str::from_utf8(encoder.encode(&order).unwrap()).unwrap();
        assert!(written.contains(expected), "{written}");
        let mut back = Record::new(order.message_layout());
        Decoder::new(&plan).decode(written.as_bytes(), &mut back).unwrap();
        assert_eq!(back, order);
    }
}
