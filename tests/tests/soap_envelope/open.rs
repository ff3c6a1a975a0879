//! Envelopes that are opened, and those that are not.

use trunkline_message::{ErrorKind, Limits};
use trunkline_soap::{self as soap, BodyPlace, Fault, FaultCode, QName, Version};

use crate::{SOAP11, SOAP12, envelope, open, rejected};

#[test]
fn an_envelope_tells_its_version_and_its_body() {
    for (namespace, version) in [(SOAP11, Version::Soap11), (SOAP12, Version::Soap12)] {
        let document = envelope(namespace, "<S:Body><n:call xmlns:n='urn:n'>1</n:call></S:Body>");
        let opened = open(&document).unwrap();
        assert_eq!(opened.version, version);
        assert_eq!(opened.body, Some(QName::new("urn:n", "call")));
        assert_eq!((opened.is_fault, opened.encoding_style), (false, None));
        assert_eq!(opened.header, []);
        for empty in
            ["<S:Body/>", "<S:Body></S:Body>", " <!-- c --> <S:Body>\n<!-- c --></S:Body> "]
        {
            let opened = open(&envelope(namespace, empty)).unwrap();
            assert_eq!((opened.body, opened.place, opened.is_fault), (None, None, false));
        }
        assert!(open(&envelope(namespace, "<S:Body><S:Fault/></S:Body>")).unwrap().is_fault);
        assert!(!open(&envelope(namespace, "<S:Body><Fault/></S:Body>")).unwrap().is_fault);
    }
}

#[test]
fn a_body_is_found_again_by_its_bytes() {
    let document =
        envelope(SOAP11, "<S:Header/> <S:Body> <n:call xmlns:n = 'urn:n' >é</n:call></S:Body>");
    let place = open(&document).unwrap().place.unwrap();
    assert_eq!(&document[place.start..place.name_end], "<n:call");
    assert_eq!(&document[place.start..place.tag_end], "<n:call xmlns:n = 'urn:n' >");

    let marked = [b"\xEF\xBB\xBF", document.as_bytes()].concat();
    let behind_mark = soap::open(&marked, &Limits::default()).unwrap().place;
    let BodyPlace { start, name_end, tag_end } = place;
    let moved = BodyPlace { start: start + 3, name_end: name_end + 3, tag_end: tag_end + 3 };
    assert_eq!(behind_mark, Some(moved));

    let utf_16: Vec<u8> =
        format!("\u{feff}{document}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    let opened = soap::open(&utf_16, &Limits::default()).unwrap();
    assert_eq!((opened.body.unwrap().local, opened.place), ("call".into(), None));
}

#[test]
fn the_innermost_encoding_style_holds() {
    let style = |document: &str| open(document).unwrap().encoding_style;
    let document = |envelope: &str, body: &str, child: &str| {
        format!(
            "<S:Envelope xmlns:S='{SOAP11}'{envelope}><S:Body{body}><a{child}/></S:Body></S:Envelope>"
        )
    };
    let [one, two, three] =
        ["urn:1", "urn:2", "urn:3"].map(|it| format!(" S:encodingStyle=' {it}'"));
    assert_eq!(style(&document(&one, &two, &three)), Some("urn:3".into()));
    assert_eq!(style(&document(&one, &two, "")), Some("urn:2".into()));
    assert_eq!(style(&document(&one, "", "")), Some("urn:1".into()));
    assert_eq!(style(&document("", "", " encodingStyle='urn:x'")), None);

    let version_2 = |envelope: &str, body: &str, child: &str| {
        document(envelope, body, child).replace(SOAP11, SOAP12)
    };
    assert_eq!(style(&version_2("", "", &three)), Some("urn:3".into()));
    for document in [version_2(&one, "", ""), version_2("", &two, "")] {
        let expected = "expected no encodingStyle on Envelope, Header or Body of SOAP 1.2";
        assert!(rejected(&document).ends_with(expected), "{}", rejected(&document));
    }
}

#[test]
fn another_root_is_another_version() {
    for document in [
        "<Envelope/>",
        "<S:Envelope xmlns:S='http://wrong-version/'><S:Body/></S:Envelope>",
        "<S:Envelop xmlns:S='http://www.w3.org/2003/05/soap-envelope'><S:Body/></S:Envelop>",
        "<html><body>busy</body></html>",
    ] {
        let error = open(document).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Version(_)), "{error}");
        let fault = Fault::of_error(&error);
        assert_eq!(fault.code, FaultCode::VersionMismatch);
        assert_eq!(fault.upgrade, [Version::Soap12, Version::Soap11]);
    }
    let error = rejected("<e:Envelope xmlns:e='urn:e'/>");
    let expected =
        format!("at byte 0: another version: expected an Envelope of {SOAP11} or {SOAP12}, not ");
    assert_eq!(error, format!("{expected}{{urn:e}}Envelope"));
    assert_eq!(rejected("<Envelope/>"), format!("{expected}Envelope of no namespace"));
}

const INSTRUCTION: &str = "processing instructions are rejected, SOAP has none";

#[test]
fn what_breaks_the_rules_is_the_senders_mistake() {
    for (namespace, inside, expected) in [
        (SOAP11, "", "expected Header or Body"),
        (SOAP11, "<S:Header/>", "expected the Body"),
        (SOAP12, "<S:Header/><S:Header/><S:Body/>", "expected the Body, not {"),
        (SOAP11, "<a/><S:Body/>", "expected the Body, not a"),
        (SOAP11, "<Body/>", "expected the Body, not Body"),
        (SOAP11, "text<S:Body/>", "expected Header or Body"),
        (SOAP11, "<S:Body>text<a/></S:Body>", "expected an element in the Body"),
        (SOAP11, "<S:Body><![CDATA[]]><a/></S:Body>", "expected an element in the Body"),
        (SOAP11, "<S:Header>text</S:Header><S:Body/>", "expected a header block"),
        (SOAP12, "<S:Body/><a/>", "expected the end of the Envelope, not a"),
        (SOAP11, "<S:Body/><S:Body/>", "expected the end of the Envelope, not {"),
        (SOAP12, "<S:Body/>text", "expected the end of the Envelope"),
        (SOAP12, "<?p?><S:Body/>", INSTRUCTION),
        (SOAP11, "<?p?><S:Body/>", INSTRUCTION),
        (SOAP11, "<S:Header><a><?p?></a></S:Header><S:Body/>", INSTRUCTION),
        (SOAP12, "<S:Body/><?p?>", INSTRUCTION),
        (
            SOAP12,
            "<S:Header a='1'/><S:Body/>",
            "expected attributes of Header to be in a namespace",
        ),
        (
            SOAP12,
            "<S:Body test='true'/>",
            "attributes of Body to be in a namespace, which \"test\" is",
        ),
        (SOAP11, "<S:Body><a>", "XML: expected end tag </a>"),
    ] {
        let document = envelope(namespace, inside);
        match open(&document) {
            Err(error) => {
                assert!(error.to_string().contains(expected), "{inside}: {error}");
                assert_eq!(Fault::of_error(&error).code, FaultCode::Sender, "{inside}");
            }
            // What stands behind the first tag of the Body is for others to check.
            Ok(_) => assert!(inside.ends_with("<a>"), "{inside}"),
        }
    }
    let good = envelope(SOAP12, "<S:Body/>");
    for document in [format!("<?p?>{good}"), format!("{good}<?p?>")] {
        for document in [document.replace(SOAP12, SOAP11), document] {
            assert!(rejected(&document).ends_with(INSTRUCTION), "{document}");
        }
    }
    // SOAP 1.1 asks for a namespace of the Envelope's alone (section 4).
    for soap in [SOAP11, SOAP12] {
        let document = good.replace(SOAP12, soap).replace("<S:Envelope", "<S:Envelope a='1'");
        assert!(rejected(&document).contains("attributes of Envelope to be in a namespace"));
    }
    assert!(open(&envelope(SOAP11, "<S:Header a='1'/><S:Body Id='body'/>")).is_ok());
    assert!(rejected(&format!("<!DOCTYPE x>{good}")).contains("document type declarations"));
}

#[test]
fn elements_may_follow_the_body_of_soap_1_1() {
    let document = envelope(SOAP11, "<S:Body/><t:a xmlns:t='urn:t'><b/></t:a>");
    assert_eq!(open(&document).unwrap().body, None);
}
