//! Header blocks: what they say, for whom they are, and what an intermediary makes of them.

use trunkline_message::Limits;
use trunkline_soap::{self as soap, Fragment, HeaderBlock, Opened, QName, Roles, Version};

use crate::{SOAP11, SOAP12, envelope, open, rejected};

fn with_header(namespace: &str, blocks: &str) -> String {
    envelope(namespace, &format!("<S:Header>{blocks}</S:Header><S:Body/>"))
}

fn block(namespace: &str, attributes: &str) -> HeaderBlock {
    let document = with_header(namespace, &format!("<t:a xmlns:t='urn:t'{attributes}/>"));
    let Opened { header, .. } = open(&document).unwrap();
    assert_eq!(header.len(), 1);
    header.into_iter().next().unwrap()
}

#[test]
fn attributes_of_its_own_version_say_what_a_block_is() {
    for (namespace, value, expected) in [
        (SOAP11, "1", true),
        (SOAP11, "0", false),
        (SOAP11, "true", true),
        (SOAP12, "true", true),
        (SOAP12, " 1\n", true),
        (SOAP12, "&#49;", true),
        (SOAP12, "false", false),
        (SOAP12, "0", false),
    ] {
        let read = block(namespace, &format!(" S:mustUnderstand='{value}'"));
        assert_eq!(read.must_understand, expected, "{value:?}");
    }
    for value in ["wrong", "9", "", "TRUE", "true false"] {
        let attribute = format!("<a S:mustUnderstand='{value}'/>");
        for namespace in [SOAP11, SOAP12] {
            let error = rejected(&with_header(namespace, &attribute));
            assert!(error.ends_with("expected mustUnderstand to be true or false"), "{error}");
        }
    }
    assert_eq!(block(SOAP11, " S:actor=' urn:r '").role.as_deref(), Some("urn:r"));
    assert_eq!(block(SOAP12, " S:role='urn:r'").role.as_deref(), Some("urn:r"));
    assert_eq!(block(SOAP12, " S:role=''").role, None);
    assert_eq!(block(SOAP12, " S:actor='urn:r'").role, None);
    assert_eq!(block(SOAP11, " S:role='urn:r' S:relay='1'").role, None);
    assert!(block(SOAP12, " S:relay='true'").relay);
    assert!(!block(SOAP11, " S:relay='true'").relay);
    let other = format!(" xmlns:o='{SOAP11}' o:mustUnderstand='1' mustUnderstand='1'");
    assert!(!block(SOAP12, &other).must_understand);
}

#[test]
fn a_block_takes_along_what_it_needs_and_nothing_else() {
    let document = format!(
        "<S:Envelope xmlns:S='{SOAP11}' xmlns='urn:d' xmlns:a='urn:a' xmlns:b='urn:b&amp;c' \
         xmlns:unused='urn:u' xmlns:c='urn:c'><S:Header>\
         <a:one  S:mustUnderstand=\"1\"\n  x='>' S:actor='urn:r' xmlns:c='urn:own'>b:v<c:two/></a:one>\
         <three xmlns=''>&#97;:x</three>\
         </S:Header><S:Body/></S:Envelope>"
    );
    let header = open(&document).unwrap().header;
    assert_eq!(
        header[0].content.as_str(),
        "<a:one xmlns=\"urn:d\" xmlns:a=\"urn:a\" xmlns:b=\"urn:b&amp;c\"\n  x='>' \
         xmlns:c='urn:own'>b:v<c:two/></a:one>"
            .replace("\n ", "")
            .replace(" x=", "\n  x=")
            .replace("\n \n", "\n")
    );
    assert_eq!(header[0].name, QName::new("urn:a", "one"));
    assert!(header[0].must_understand);
    assert_eq!(header[1].content.as_str(), "<three xmlns:a=\"urn:a\" xmlns=''>&#97;:x</three>");
    for block in header {
        assert_eq!(Fragment::parse(block.content.as_str()), Ok(block.content));
    }
}

#[test]
fn a_block_is_written_in_the_words_of_the_version() {
    let content = Fragment::parse("<t:a xmlns:t='urn:t'>1</t:a>").unwrap();
    let plain = HeaderBlock::new(content);
    assert_eq!(plain.encode(Version::Soap12), "<t:a xmlns:t='urn:t'>1</t:a>");
    let next = HeaderBlock { relay: true, ..plain.clone().mandatory().for_role(Roles::NEXT_12) };
    assert_eq!(
        next.encode(Version::Soap11),
        "<t:a SOAP-ENV:mustUnderstand=\"1\" \
         SOAP-ENV:actor=\"http://schemas.xmlsoap.org/soap/actor/next\" xmlns:t='urn:t'>1</t:a>"
    );
    assert_eq!(
        next.encode(Version::Soap12),
        "<t:a SOAP-ENV:mustUnderstand=\"true\" \
         SOAP-ENV:role=\"http://www.w3.org/2003/05/soap-envelope/role/next\" \
         SOAP-ENV:relay=\"true\" xmlns:t='urn:t'>1</t:a>"
    );
    let ultimate = plain.clone().for_role(Roles::ULTIMATE_RECEIVER);
    assert_eq!(ultimate.encode(Version::Soap11), plain.encode(Version::Soap11));
    assert_eq!(
        plain.for_role("urn:\"r\"").encode(Version::Soap11),
        "<t:a SOAP-ENV:actor=\"urn:&quot;r&quot;\" xmlns:t='urn:t'>1</t:a>"
    );
    let other = Fragment::parse("<SOAP-ENV:a xmlns:SOAP-ENV='urn:mine'/>").unwrap();
    let other = HeaderBlock::new(other).mandatory();
    assert_eq!(
        other.encode(Version::Soap11),
        format!(
            "<SOAP-ENV:a xmlns:SOAP-ENVELOPE=\"{SOAP11}\" SOAP-ENVELOPE:mustUnderstand=\"1\" \
             xmlns:SOAP-ENV='urn:mine'/>"
        )
    );
}

#[test]
fn a_fragment_may_say_itself_what_a_block_is() {
    let of = |text: &str| HeaderBlock::new(Fragment::parse(text).unwrap());
    let new = of(&format!(
        "<t:a xmlns:S='{SOAP11}' S:mustUnderstand='1' x='1' S:actor=' urn:r ' xmlns:t='urn:t'/>"
    ));
    assert!(new.must_understand && !new.relay);
    assert_eq!(new.role.as_deref(), Some("urn:r"));
    let bare = format!("<t:a xmlns:S='{SOAP11}' x='1' xmlns:t='urn:t'/>");
    assert_eq!(new.content.as_str(), bare);
    // Once more would not be well-formed.
    let mine = "<a xmlns:SOAP-ENV='NS' SOAP-ENV:mustUnderstand='0' SOAP-ENV:relay='true'/>";
    let written = of(&mine.replace("NS", SOAP12)).mandatory().encode(Version::Soap12);
    assert_eq!(written.matches("mustUnderstand=").count(), 1, "{written}");
    let read = HeaderBlock::new(Fragment::parse(&written).expect("well-formed"));
    assert!(read.must_understand && read.relay && read.role.is_none());
    let both = format!(
        "<a xmlns:o='{SOAP12}' xmlns:S='{SOAP11}' o:role='urn:2' S:mustUnderstand='x' o:relay=''/>"
    );
    let both = of(&both);
    assert_eq!((both.must_understand, both.role.as_deref()), (false, Some("urn:2")));
    assert!(!both.content.as_str().contains("mustUnderstand"), "{}", both.content.as_str());
}

/// What is asked grows with the names, not with their pairs, and the answer is bounded.
#[test]
fn a_fault_names_few_of_many_blocks() {
    let block = |number: usize| {
        let name = QName::new("urn:t", format!("a{number}"));
        HeaderBlock::new(Fragment::text(&name, "").unwrap()).mandatory()
    };
    let header: Vec<_> = (0..200).chain(0..200).map(block).collect();
    let asked = std::cell::Cell::new(0);
    let understood = |name: &QName| {
        asked.set(asked.get() + 1);
        name.local == "a0"
    };
    let missing = soap::not_understood(&header, &understood, &Roles::ultimate(&[]));
    assert_eq!((missing.len(), asked.get()), (199, 200));
    let fault = soap::Fault::must_understand(missing);
    assert_eq!(fault.not_understood.len(), 16);
    assert!(fault.reason.ends_with("{urn:t}a16 and 183 more"), "{}", fault.reason);
}

#[test]
fn header_blocks_are_counted() {
    let document = with_header(SOAP11, &"<a/>".repeat(1024));
    assert_eq!(open(&document).unwrap().header.len(), 1024);
    let error = rejected(&with_header(SOAP11, &"<a/>".repeat(1025)));
    assert!(error.contains("the limit header blocks = 1024"), "{error}");
}

#[test]
fn only_who_a_block_is_for_must_understand_it() {
    let ultimate = Roles::ultimate(&["urn:c"]);
    let between = Roles::intermediary(&["urn:c"]);
    let next_11 = "http://schemas.xmlsoap.org/soap/actor/next";
    let next_12 = "http://www.w3.org/2003/05/soap-envelope/role/next";
    let none = "http://www.w3.org/2003/05/soap-envelope/role/none";
    let last = "http://www.w3.org/2003/05/soap-envelope/role/ultimateReceiver";
    for (namespace, role, by_ultimate, by_intermediary) in [
        (SOAP11, None, true, false),
        (SOAP11, Some(("actor", next_11)), true, true),
        (SOAP11, Some(("actor", "urn:c")), true, true),
        (SOAP11, Some(("actor", "urn:b")), false, false),
        (SOAP12, None, true, false),
        (SOAP12, Some(("role", next_12)), true, true),
        (SOAP12, Some(("role", last)), true, false),
        (SOAP12, Some(("role", none)), false, false),
        (SOAP12, Some(("role", "urn:c")), true, true),
        (SOAP12, Some(("role", "urn:b")), false, false),
    ] {
        let role = role.map(|(name, uri)| format!(" S:{name}='{uri}'")).unwrap_or_default();
        let block = block(namespace, &format!("{role} S:mustUnderstand='1'"));
        let header = [block.clone(), block];
        for (roles, expected) in [(ultimate, by_ultimate), (between, by_intermediary)] {
            let none = soap::not_understood(&header, &|_| false, &roles);
            let name = QName::new("urn:t", "a");
            assert_eq!(none, if expected { vec![name] } else { vec![] }, "{role}");
            assert_eq!(soap::not_understood(&header, &|name| name.local == "a", &roles), []);
            assert_eq!(soap::targeted(&header, &roles).count(), 2 * usize::from(expected));
        }
    }
}

/// SOAP 1.2 part 1 section 2.7.2, table 3, and the one row that SOAP 1.1 has.
#[test]
fn an_intermediary_forwards_by_the_table() {
    let roles = Roles::intermediary(&["urn:c"]);
    let next = "http://www.w3.org/2003/05/soap-envelope/role/next";
    for (role, relay, processed, expected) in [
        (next, false, true, false),
        (next, true, true, false),
        (next, false, false, false),
        (next, true, false, true),
        ("urn:c", false, true, false),
        ("urn:c", true, false, true),
        ("urn:c", false, false, false),
        ("urn:b", false, false, true),
        ("", false, false, true),
        ("http://www.w3.org/2003/05/soap-envelope/role/none", false, false, true),
    ] {
        let attributes = format!(" S:role='{role}' S:relay='{relay}'");
        let block = block(SOAP12, &attributes);
        let forwarded = soap::is_forwarded(&block, &roles, processed);
        assert_eq!(forwarded, expected, "{attributes} {processed}");
    }
    let block = block(SOAP11, " S:actor='urn:c' S:relay='1'");
    assert!(!soap::is_forwarded(&block, &roles, false));
}

fn forward(document: &[u8], inserted: &[HeaderBlock]) -> String {
    let roles = Roles::intermediary(&["urn:c"]);
    let limits = Limits::default();
    let bytes = soap::forward(document, &limits, &roles, &|name| name.local == "done", inserted);
    String::from_utf8(bytes.unwrap()).unwrap()
}

#[test]
fn what_is_forwarded_is_the_rest_to_the_byte() {
    let document = with_header(
        SOAP12,
        "\n<t:done xmlns:t='urn:t' S:role='urn:c'/> <!-- c --><t:keep xmlns:t=\"urn:t\"/>\
         <drop S:role='urn:c'>1</drop><stay S:role='urn:c' S:relay='1'/>",
    );
    let expected = document
        .replace("<t:done xmlns:t='urn:t' S:role='urn:c'/>", "")
        .replace("<drop S:role='urn:c'>1</drop>", "");
    assert_eq!(forward(document.as_bytes(), &[]), expected);

    let via = HeaderBlock::new(Fragment::parse("<v:via xmlns:v='urn:v'/>").unwrap());
    let inserted = [via.clone().mandatory()];
    let written = format!(
        "<v:via xmlns:SOAP-ENV=\"{SOAP12}\" SOAP-ENV:mustUnderstand=\"true\" xmlns:v='urn:v'/>"
    );
    let with_via = expected.replace("</S:Header>", &format!("{written}</S:Header>"));
    assert_eq!(forward(document.as_bytes(), &inserted), with_via);

    for (before, after) in [
        ("<S:Body/>", "<S:Header><v:via xmlns:v='urn:v'/></S:Header><S:Body/>"),
        (
            "<S:Header S:a='/' /><S:Body/>",
            "<S:Header S:a='/' ><v:via xmlns:v='urn:v'/></S:Header><S:Body/>",
        ),
        (
            "<S:Header></S:Header><S:Body/>",
            "<S:Header><v:via xmlns:v='urn:v'/></S:Header><S:Body/>",
        ),
    ] {
        let (before, after) = (envelope(SOAP12, before), envelope(SOAP12, after));
        assert_eq!(forward(before.as_bytes(), std::slice::from_ref(&via)), after);
    }
    let default = format!("<Envelope xmlns='{SOAP12}'><Body/></Envelope>");
    let plain = HeaderBlock::new(Fragment::parse("<via/>").unwrap());
    assert_eq!(
        forward(default.as_bytes(), &[plain]),
        default.replace("<Body/>", "<Header><via xmlns=\"\"/></Header><Body/>")
    );
}

#[test]
fn what_is_forwarded_is_in_utf_8() {
    let document = format!(
        "<?xml version='1.0' encoding='ISO-8859-1'?>\n{}",
        envelope(SOAP11, "<S:Body><a>é</a></S:Body>")
    );
    let latin: Vec<u8> = document.chars().map(|it| it as u8).collect();
    let expected = document.replace(
        "<?xml version='1.0' encoding='ISO-8859-1'?>",
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
    );
    assert_eq!(forward(&latin, &[]), expected);
}

#[test]
fn what_is_not_well_formed_is_not_forwarded() {
    let roles = Roles::intermediary(&[]);
    let good = envelope(SOAP12, "<S:Body><a>1</a></S:Body>");
    for end in 0..good.len() {
        let document = &good.as_bytes()[..end];
        assert!(soap::forward(document, &Limits::default(), &roles, &|_| false, &[]).is_err());
    }
    let second = good.replace("</S:Body>", "</S:Body><trailer/>");
    let error = soap::forward(second.as_bytes(), &Limits::default(), &roles, &|_| false, &[]);
    assert!(error.unwrap_err().to_string().contains("the end of the Envelope"));
}
