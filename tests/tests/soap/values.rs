//! Values as XML Schema writes them, in every spelling that XML has for their text.

use trunkline_message::Structure;
use trunkline_soap::{Encoder, Options, Plan};
use trunkline_tests::every_kind::{EveryKind, Leg, Step};
use trunkline_tests::soap_paths::Paths;
use trunkline_wire::{Code, Date, Time, Timestamp};

use crate::{kinds, read, rejected};

fn of(element: &str, value: &str) -> String {
    kinds(&format!("<name/><{element}>{value}</{element}>"))
}

#[track_caller]
fn check(element: &str, value: &str, expected: EveryKind) {
    assert_eq!(read(&of(element, value)), Ok(expected), "{value:?}");
}

#[track_caller]
fn reject(element: &str, value: &str, expected: &str) {
    let document = of(element, value);
    let at = document.find(&format!("<{element}>")).unwrap() + element.len() + 2;
    assert_eq!(rejected(&document), format!("{element} at byte {at}: {expected}"), "{value:?}");
}

fn nothing() -> EveryKind {
    EveryKind::default()
}

#[test]
fn text_is_what_its_references_sections_and_pieces_say() {
    for (raw, expected) in [
        ("", ""),
        ("plain", "plain"),
        ("  kept \t", "  kept \t"),
        ("a\r\nb\rc\nd", "a\nb\nc\nd"),
        ("&lt;&gt;&amp;&quot;&apos;", "<>&\"'"),
        ("&#65;&#x42;&#x1F600;&#13;&#10;&#9;", "AB😀\r\n\t"),
        ("&amp;lt;", "&lt;"),
        ("<![CDATA[<a> & ]] ]>]]>", "<a> & ]] ]>"),
        ("<![CDATA[]]>", ""),
        ("]]&gt;", "]]>"),
        ("<![CDATA[]]]]><![CDATA[>]]>", "]]>"),
        ("one<!-- two -->three<!-- five -->six", "onethreesix"),
        ("<!-- c -->one<![CDATA[ & ]]>two&#33;<!-- d -->", "one & two!"),
        ("<!-- p --><![CDATA[x]]>", "x"),
        (
            "a text of more than thirty bytes, &amp; one of them a reference",
            "a text of more than thirty bytes, & one of them a reference",
        ),
        ("é😀", "é😀"),
        ("> alone", "> alone"),
    ] {
        check("text", raw, EveryKind { text: Some(expected.into()), ..nothing() });
        let name = EveryKind { name: expected.into(), ..nothing() };
        assert_eq!(read(&kinds(&format!("<name>{raw}</name>"))), Ok(name), "{raw}");
    }
    for (raw, expected) in [
        ("]]>", "XML: ]]> in text, expected ]]&gt;"),
        ("&nbsp;", "XML: unknown entity, expected lt, gt, amp, apos or quot"),
        ("&#0;", "XML: reference to a character that is not allowed"),
        ("a & b", "XML: malformed reference, expected &name; or &#number; or &amp;"),
        ("\u{1}", "XML: character U+0001 is not allowed"),
        ("\u{FFFE}", "XML: character U+FFFE is not allowed"),
    ] {
        let error = read(&of("text", raw)).unwrap_err();
        assert_eq!(error.kind().to_string(), expected, "{raw:?}");
    }
}

#[test]
fn every_text_comes_back_as_it_went() {
    let plan = Plan::new(EveryKind::layout(), &Options::default()).expect("a plan");
    let mut paths = Paths::<EveryKind>::new(&plan);
    let mut encoder = Encoder::new(&plan);
    let pieces = [
        "<", ">", "&", "\"", "'", "\r", "\n", "\t", " ", "]]>", "é", "😀", "a", "\u{FFFD}",
        "\u{7F}", "\u{85}",
    ];
    for first in pieces {
        for second in pieces {
            for third in ["", "in the middle of it all, past thirty bytes"] {
                let text = format!("{first}{third}{second}");
                let code = Code::from_bytes(text.as_bytes());
                let message =
                    EveryKind { name: text.clone(), text: Some(text.into()), code, ..nothing() };
                let bytes = encoder.encode(&message).unwrap();
                assert_eq!(paths.read(bytes), Ok(message));
            }
        }
    }
}

#[test]
fn what_xml_cannot_carry_is_rejected_by_path() {
    let plan = Plan::new(EveryKind::layout(), &Options::default()).expect("a plan");
    let mut encoder = Encoder::new(&plan);
    let why = "cannot be written: the text has a character that XML 1.0 does not allow";
    let path = |message: &EveryKind, encoder: &mut Encoder| {
        let error = encoder.encode(message).unwrap_err();
        assert_eq!(error.kind().to_string(), why);
        error.path()
    };
    for bad in ['\0', '\u{1}', '\u{B}', '\u{1F}', '\u{FFFE}', '\u{FFFF}'] {
        for text in [format!("a{bad}"), format!("{bad}{:60}", "")] {
            let message = EveryKind { name: text.clone(), ..nothing() };
            assert_eq!(path(&message, &mut encoder), "name");
            let mut message = nothing();
            message.hollow.right = Some(text.as_str().into());
            assert_eq!(path(&message, &mut encoder), "hollow/right");
            let step = Step { note: Some(text.as_str().into()), size: None };
            let steps = [Step::default(), step].into_iter().collect();
            message = nothing();
            message.legs = [Leg { steps, ..Leg::default() }].into_iter().collect();
            assert_eq!(path(&message, &mut encoder), "legs[0]/steps[1]/note");
        }
    }
    let message = EveryKind { code: Some(Code::new("\u{2}")), ..nothing() };
    assert_eq!(path(&message, &mut encoder), "code");
    assert!(encoder.encode(&nothing()).is_ok(), "the next message is not harmed");
}

#[test]
fn booleans() {
    for (value, expected) in [("true", true), ("1", true), ("false", false), (" 0\n", false)] {
        check("flag", value, EveryKind { flag: Some(expected), ..nothing() });
    }
    for value in ["TRUE", "yes", "01", "t rue"] {
        reject("flag", value, "expected true or false, but it has an unexpected character at 0");
    }
    reject("flag", "", "expected true or false, but it is empty");
}

#[test]
fn whole_numbers() {
    for (value, expected) in [
        ("5", 5),
        ("+5", 5),
        ("-5", -5),
        ("-0", 0),
        ("007", 7),
        (" \t\r\n5 ", 5),
        ("&#53;", 5),
        ("<![CDATA[5]]>", 5),
        ("1<!-- -->2", 12),
        ("2147483647", i32::MAX),
        ("-2147483648", i32::MIN),
        ("00000000000000000000000000000001", 1),
    ] {
        check("medium", value, EveryKind { medium: Some(expected), ..nothing() });
    }
    let expected = |rest: &str| format!("expected a whole number, but it {rest}");
    for value in ["2147483648", "-2147483649", "99999999999999999999", "+2147483648"] {
        reject("medium", value, &expected("is out of range"));
    }
    reject("unsignedTiny", "256", &expected("is out of range"));
    reject("tiny", "-129", &expected("is out of range"));
    reject("unsignedLarge", "18446744073709551616", &expected("is out of range"));
    reject("medium", "", &expected("is empty"));
    for (value, at) in [("x", 0), ("1 2", 1), ("1.0", 1), ("1e3", 1), ("0x1", 1)] {
        reject("medium", value, &expected(&format!("has an unexpected character at {at}")));
    }
    for value in ["+-5", "-+5", "++5", "--5", "+"] {
        assert!(read(&of("medium", value)).is_err(), "{value}");
        assert!(read(&of("unsignedLarge", value)).is_err(), "{value}");
    }
    let list = |items: &str| read(&kinds(&format!("<name/><shorts>{items}</shorts>")));
    let items = "<item>1</item> <item> +2 </item><!-- c --><any>&#45;3</any>";
    assert_eq!(list(items), Ok(EveryKind { shorts: Some(vec![1, 2, -3]), ..nothing() }));
    assert!(list("<item>1</item><item>32768</item>").is_err());
}

#[test]
fn decimals() {
    for (value, expected) in [
        ("6.35", "6.35"),
        ("+6.35", "6.35"),
        ("-6.350", "-6.35"),
        (".5", "0.5"),
        ("5.", "5"),
        (" 7 ", "7"),
        ("+07.00", "7"),
        ("6<!-- -->.35", "6.35"),
    ] {
        check("price", value, EveryKind { price: Some(expected.parse().unwrap()), ..nothing() });
    }
    for value in [
        "INF", "-INF", "NaN", "+-5", "++5", "+", ".", "-", "1,5", "1 000", "1e", "1e5.5", "0x1",
        "1e99", "1E5", "1.25e-2",
    ] {
        assert!(read(&of("price", value)).is_err(), "{value}");
    }
    // Exponents are those of xsd:double (XML Schema Part 2, 3.2.3 and 3.2.5).
    reject("price", "1e5", "expected a decimal number, but it has an unexpected character at 1");
    let plan = Plan::new(EveryKind::layout(), &Options { exponents: true, ..Options::default() })
        .expect("a plan");
    let mut paths = Paths::<EveryKind>::new(&plan);
    for (value, expected) in [("1e5", "100000"), (" 1.25E-2 ", "0.0125"), ("-3", "-3")] {
        let expected = EveryKind { price: Some(expected.parse().unwrap()), ..nothing() };
        assert_eq!(paths.read(of("price", value).as_bytes()), Ok(expected), "{value}");
    }
    assert!(paths.read(of("price", "1e").as_bytes()).is_err());
    reject("price", "", "expected a decimal number, but it is empty");
}

#[test]
fn doubles() {
    for (value, expected) in [
        ("6.35", 6.35),
        ("INF", f64::INFINITY),
        (" -INF ", f64::NEG_INFINITY),
        ("1E5", 1e5),
        ("-0", -0.0),
        ("1e400", f64::INFINITY),
        ("+1.5e-3", 0.0015),
    ] {
        check("ratio", value, EveryKind { ratio: Some(expected), ..nothing() });
    }
    assert!(read(&of("ratio", "NaN")).unwrap().ratio.unwrap().is_nan());
    for value in ["inf", "Infinity", "nan", "", "1e", "+-1", "1 2"] {
        assert!(read(&of("ratio", value)).is_err(), "{value}");
    }
}

#[test]
fn dates_and_times() {
    let stamp = |text: &str| Timestamp::parse_xml(text.as_bytes()).ok().map(Timestamp::in_utc);
    for value in ["2004-08-01", " 2004-08-01 "] {
        check("date", value, EveryKind { date: Date::new(2004, 8, 1), ..nothing() });
    }
    let sydney = Date::new(2004, 8, 1).unwrap().with_zone(Some(600));
    check("date", " 2004-08-01+10:00 ", EveryKind { date: sydney, ..nothing() });
    for value in [
        "10:18:58",
        "10:18:58.000",
        "10:18:58Z",
        "\n10:18:58.0000000000 ",
        "05:18:58-05:00",
        "00:18:58.0+14:00",
    ] {
        check("time", value, EveryKind { time: Time::new(10, 18, 58, 0), ..nothing() });
    }
    for (value, utc) in [
        ("2002-11-28T18:09:42", "2002-11-28T18:09:42"),
        ("2002-11-28T18:09:42.5Z", "2002-11-28T18:09:42.5"),
        ("2002-11-28T18:09:42+10:00", "2002-11-28T08:09:42"),
        ("2002-12-31T23:30:00-01:00", "2003-01-01T00:30:00"),
        (" 2002-11-28T18:09:42 ", "2002-11-28T18:09:42"),
        ("2002-12-31T24:00:00", "2003-01-01T00:00:00"),
    ] {
        check("timestamp", value, EveryKind { timestamp: stamp(utc), ..nothing() });
    }
    for (element, value) in [
        ("date", "2004-02-30"),
        ("date", "20040801"),
        ("date", "2004-8-1"),
        ("date", ""),
        ("time", "25:00:00"),
        ("time", "10:18"),
        ("time", "10:18:58."),
        ("timestamp", "2002-11-28 18:09:42"),
        ("timestamp", "2002-11-28T18:09:42+15:00"),
        ("timestamp", "2002-11-28"),
        ("timestamp", "2002-11-28T18:09:42.1234567891"),
        ("time", "10:18:58.000000000001"),
    ] {
        let error = read(&of(element, value)).unwrap_err();
        assert_eq!(error.path(), element, "{value}");
    }
}

/// A service says `Z` of its own times; what came without a zone it may not say so of, or a client
/// in another zone would shift it.
#[test]
fn a_service_gives_times_back_as_they_came() {
    let options = Options { zone: true, ..Options::default() };
    let plan = Plan::new(EveryKind::layout(), &options).expect("a plan");
    let mut paths = Paths::<EveryKind>::new(&plan);
    for (element, came, goes) in [
        ("date", "2004-08-01", "2004-08-01"),
        ("date", "2004-08-01Z", "2004-08-01Z"),
        ("date", "2004-08-01-05:30", "2004-08-01-05:30"),
        ("time", "10:18:58", "10:18:58.000"),
        ("time", "10:18:58.5Z", "10:18:58.500Z"),
        ("time", "10:18:58+02:00", "08:18:58.000Z"),
        ("time", "24:00:00", "00:00:00.000"),
        ("timestamp", "2004-08-01T10:18:58", "2004-08-01T10:18:58.000"),
        ("timestamp", "2004-08-01T10:18:58.123456Z", "2004-08-01T10:18:58.123456Z"),
        ("timestamp", "2004-08-01T00:18:58+02:00", "2004-07-31T22:18:58.000Z"),
    ] {
        let message = paths.read(of(element, came).as_bytes()).unwrap();
        let written = Encoder::new(&plan).encode(&message).unwrap().to_vec();
        let written = String::from_utf8(written).unwrap();
        assert!(written.contains(&format!("<{element}>{goes}</{element}>")), "{came}: {written}");
    }
    let own = EveryKind { time: Time::new(10, 18, 58, 0), ..nothing() };
    let written = Encoder::new(&plan).encode(&own).unwrap().to_vec();
    assert!(String::from_utf8(written).unwrap().contains("<time>10:18:58.000Z</time>"));
}

#[test]
fn base64_and_codes() {
    for (value, expected) in [
        ("", ""),
        ("Zg==", "f"),
        ("Zm9v", "foo"),
        (" Zm9v\r\n YmFy ", "foobar"),
        ("Z&#103;==", "f"),
        ("Zm<!-- -->9v", "foo"),
    ] {
        check("data", value, EveryKind { data: Some(expected.into()), ..nothing() });
    }
    reject("data", "Zm9v!", "expected base64, but it has an unexpected character at 4");
    reject("data", "Zm9", "expected base64, but it has an unexpected character at 3");
    for (value, expected) in
        [("2", "2"), ("", ""), ("A&amp;B", "A&B"), ("fifteen letters", "fifteen letters")]
    {
        check("code", value, EveryKind { code: Some(Code::new(expected)), ..nothing() });
    }
    let expected = "expected a code of at most 15 ASCII characters";
    reject("code", "sixteen letters!", &format!("{expected}, but it is longer than 15 bytes"));
    reject("code", "café", &format!("{expected}, but it has an unexpected character at 3"));
}
