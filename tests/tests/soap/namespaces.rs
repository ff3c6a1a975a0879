//! Names count by namespace, whatever prefixes and encodings spell them.

use trunkline_catalogue::market_data::MarketDataIncrementalRefresh;
use trunkline_soap::{Encoder, Options, Style};
use trunkline_tests::samples;
use trunkline_tests::soap_paths::Paths;

use crate::{SOAP11, SOAP12, XSI, document, market_data};

const OTHER_SOAP: &str = "http://www.w3.org/2001/12/soap-envelope";

fn rpc() -> Paths<MarketDataIncrementalRefresh> {
    Paths::new(&market_data(&Options::default()))
}

fn qualified() -> Paths<MarketDataIncrementalRefresh> {
    Paths::new(&market_data(&document("urn:x")))
}

fn written(options: &Options) -> String {
    let plan = market_data(options);
    let bytes = Encoder::new(&plan).encode(&samples::figure_3(2)).unwrap().to_vec();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn any_prefix_stands_for_the_envelope() {
    let document = written(&Options::default());
    let mut paths = rpc();
    for prefix in ["soap", "env", "S", "soapenv", "xsi2", "é"] {
        let respelt = document.replace("SOAP-ENV", prefix);
        assert_eq!(paths.read(respelt.as_bytes()), Ok(samples::figure_3(2)), "{prefix}");
    }
    let default = document
        .replace("<SOAP-ENV:", "<")
        .replace("</SOAP-ENV:", "</")
        .replace("<sendMessage>", "<sendMessage xmlns=''>")
        .replace("<Envelope", &format!("<Envelope xmlns=\"{SOAP11}\""));
    assert_eq!(paths.read(default.as_bytes()), Ok(samples::figure_3(2)));
}

#[test]
fn both_versions_are_read_whichever_is_written() {
    let soap12 = written(&Options::default()).replace(SOAP11, SOAP12);
    assert_eq!(rpc().read(soap12.as_bytes()), Ok(samples::figure_3(2)));
    let other = soap12.replace(SOAP12, OTHER_SOAP);
    let error = rpc().read(other.as_bytes()).unwrap_err();
    assert_eq!(error.offset(), other.find("<SOAP-ENV").unwrap());
    let expected = "expected a SOAP 1.1 or 1.2 Envelope, not <SOAP-ENV:Envelope> of ";
    assert_eq!(error.kind().to_string(), format!("{expected}{OTHER_SOAP:?}"));
}

/// The message's elements, each with the prefix.
fn prefixed(document: &str) -> String {
    let (before, rest) = document.split_once("<FIXMLMessage xmlns=\"urn:x\">").unwrap();
    let (message, after) = rest.split_once("</FIXMLMessage>").unwrap();
    let message = message.replace("</", "\0").replace('<', "<p:").replace('\0', "</p:");
    format!("{before}<p:FIXMLMessage xmlns:p='urn:x'>{message}</p:FIXMLMessage>{after}")
}

#[test]
fn children_are_qualified_by_prefix_or_by_default() {
    let document = written(&document("urn:x"));
    let mut paths = qualified();
    let everywhere = document.replace("<Instrument>", "<Instrument xmlns='urn:x'>");
    let prefixed = prefixed(&document);
    let elsewhere = prefixed.replace("<p:FIXMLMessage", "<p:FIXMLMessage xmlns='urn:y'");
    let redeclared = prefixed
        .replace("<p:Instrument>", "<q:Instrument xmlns:q='urn:x' xmlns:p='urn:y'>")
        .replace("</p:Instrument>", "</q:Instrument>")
        .replace("<p:Symbol>", "<Symbol xmlns='urn:x'>")
        .replace("</p:Symbol>", "</Symbol>")
        .replace("<p:CFICode>", "<p:CFICode xmlns:p='urn:x'>");
    for spelt in [&document, &everywhere, &prefixed, &elsewhere, &redeclared, &document] {
        assert_eq!(paths.read(spelt.as_bytes()), Ok(samples::figure_3(2)), "{spelt}");
    }
}

/// As schemas have it that say nothing of it (XML Schema part 1 section 3.3.2).
#[test]
fn children_that_are_not_qualified_are_in_no_namespace() {
    let options = Options { qualified: false, ..document("urn:x") };
    let unqualified = written(&options);
    let begin = "<ns:FIXMLMessage xmlns:ns=\"urn:x\"><ApplicationMessage>";
    let begin = begin.replace("<ApplicationMessage>", "<Header>");
    assert!(unqualified.contains(&begin), "{unqualified}");
    let mut paths = Paths::new(&market_data(&options));
    let prefix = unqualified
        .replace("<ns:", "<n2:")
        .replace("</ns:", "</n2:")
        .replace("xmlns:ns=", "xmlns:n2=");
    let alone = unqualified
        .replace("<ns:FIXMLMessage xmlns:ns=", "<FIXMLMessage xmlns=")
        .replace("</ns:", "</")
        .replace("<Header>", "<Header xmlns=''>")
        .replace("<ApplicationMessage>", "<ApplicationMessage xmlns=''>");
    for spelt in [&unqualified, &prefix, &alone, &unqualified] {
        assert_eq!(paths.read(spelt.as_bytes()), Ok(samples::figure_3(2)), "{spelt}");
    }
    // Neither takes the other for its own.
    let qualified_document = written(&document("urn:x"));
    let error = paths.read(qualified_document.as_bytes()).unwrap_err();
    assert_eq!(error.offset(), qualified_document.find("<Header>").unwrap());
    let expected = "expected <Header> of no namespace, not <Header> of \"urn:x\"";
    assert_eq!(error.kind().to_string(), expected);
    let error = qualified().read(unqualified.as_bytes()).unwrap_err();
    let expected = "expected <Header> of \"urn:x\", not <Header> of no namespace";
    assert_eq!(error.kind().to_string(), expected);
}

#[test]
fn a_declaration_holds_to_the_end_of_its_element() {
    let document = written(&document("urn:x"));
    // Inside the first entry, unprefixed names are the message's; behind it, they are not.
    let limited = document
        .replace("<MDInclList>", "<p:MDInclList xmlns:p='urn:x' xmlns='urn:y'>")
        .replace("</MDInclList>", "</p:MDInclList>")
        .replacen("<MDIncGroup>", "<MDIncGroup xmlns='urn:x'>", 1);
    let error = qualified().read(limited.as_bytes()).unwrap_err();
    assert_eq!(error.offset(), limited.rfind("<MDIncGroup>").unwrap());
    let expected = "expected <MDIncGroup> of \"urn:x\", not <MDIncGroup> of \"urn:y\"";
    assert_eq!(error.kind().to_string(), expected);
    let limited = document
        .replace("<FIXMLMessage xmlns=\"urn:x\">", "<p:FIXMLMessage xmlns:p='urn:x' xmlns='urn:y'>")
        .replace("</FIXMLMessage>", "</p:FIXMLMessage>")
        .replace("<Header>", "<Header xmlns='urn:x'>");
    let error = qualified().read(limited.as_bytes()).unwrap_err();
    assert_eq!(error.offset(), limited.find("<ApplicationMessage>").unwrap());
    let expected = "<ApplicationMessage> of \"urn:x\", not <ApplicationMessage> of \"urn:y\"";
    assert_eq!(error.kind().to_string(), format!("expected {expected}"));
}

/// Both spellings of all names are good, and a decoder knows all of both when it meets a tag of
/// one that ends as the other.
#[test]
fn an_element_ends_by_the_name_that_it_began_with() {
    let plain = written(&document("urn:x"));
    let declared = "xmlns:p='urn:x' xmlns='urn:x'";
    let prefixed = prefixed(&plain).replace("xmlns:p='urn:x'", declared);
    let plain = plain.replace("xmlns=\"urn:x\"", declared);
    let names =
        ["Header", "Sender", "CompID", "SendingTime", "MDInclList", "MDIncGroup", "MDEntryPx"];
    for (document, prefix, other) in [(&plain, "", "p:"), (&prefixed, "p:", "")] {
        for name in names {
            let mut paths = qualified();
            let begins_otherwise =
                document.replacen(&format!("<{prefix}{name}>"), &format!("<{other}{name}>"), 1);
            let end = format!("</{prefix}{name}>");
            for known in [&plain, &prefixed, document] {
                assert_eq!(paths.read(known.as_bytes()), Ok(samples::figure_3(2)));
            }
            let ends_otherwise = document.replacen(&end, &format!("</{other}{name}>"), 1);
            for (broken, began) in [(&begins_otherwise, other), (&ends_otherwise, prefix)] {
                let error = paths.read(broken.as_bytes()).unwrap_err();
                let expected = format!("XML: expected end tag </{began}{name}>");
                assert_eq!(error.kind().to_string(), expected, "{broken}");
            }
            let whole = begins_otherwise.replacen(&end, &format!("</{other}{name}>"), 1);
            assert_eq!(paths.read(whole.as_bytes()), Ok(samples::figure_3(2)), "{whole}");
        }
    }
}

#[test]
fn another_namespace_is_another_name() {
    let namespace = document("urn:x").namespace;
    let wrong = written(&document("urn:x")).replace("\"urn:x\"", "\"urn:y\"");
    let error = qualified().read(wrong.as_bytes()).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "at byte {}: expected the message FIXMLMessage of {namespace:?}, not <FIXMLMessage> of \"urn:y\"",
            wrong.find("<FIXMLMessage").unwrap()
        )
    );
    let options = Options { style: Style::RpcLiteral, namespace, ..Options::default() };
    let good = written(&options);
    let mut paths = Paths::<MarketDataIncrementalRefresh>::new(&market_data(&options));
    let respelt = good.replace("ns:sendMessage", "m:sendMessage").replace("xmlns:ns", "xmlns:m");
    assert_eq!(paths.read(respelt.as_bytes()), Ok(samples::figure_3(2)));
    let error = paths.read(good.replace("\"urn:x\"", "\"urn:y\"").as_bytes()).unwrap_err();
    assert_eq!(
        error.kind().to_string(),
        "expected the operation sendMessage of \"urn:x\", not <ns:sendMessage> of \"urn:y\""
    );
    let error = paths.read(written(&Options::default()).as_bytes()).unwrap_err();
    assert_eq!(
        error.kind().to_string(),
        "expected the operation sendMessage of \"urn:x\", not <sendMessage> of no namespace"
    );
    // A default namespace on the operation is inherited by what rpc wants in none.
    let inherited = good.replace("ns:sendMessage", "sendMessage").replace("xmlns:ns", "xmlns");
    let error = paths.read(inherited.as_bytes()).unwrap_err();
    assert_eq!(
        error.kind().to_string(),
        "expected the message FIXMLMessage of no namespace, not <FIXMLMessage> of \"urn:x\""
    );
}

#[test]
fn attributes_come_in_any_order_and_quotes() {
    let document = written(&Options { types: true, ..Options::default() });
    let (before, rest) = document.split_once("<SOAP-ENV:Envelope ").unwrap();
    let (declarations, rest) = rest.split_once('>').unwrap();
    let mut reversed: Vec<&str> = declarations.split(' ').collect();
    reversed.reverse();
    let reversed = reversed.join("\n\t").replace('"', "'");
    let respelt = format!(
        "{before}<SOAP-ENV:Envelope {reversed}>{}",
        rest.replace(
            "xsi:type=\"xsd:string\"",
            "id = 'a' xsi:type\n=\n' xsd:string ' other='&lt;'"
        )
    );
    let options = Options { types: true, ..Options::default() };
    let mut paths = Paths::<MarketDataIncrementalRefresh>::new(&market_data(&options));
    assert_eq!(paths.read(respelt.as_bytes()), Ok(samples::figure_3(2)));
    assert_eq!(rpc().read(respelt.as_bytes()), Ok(samples::figure_3(2)));
}

#[test]
fn the_encoding_is_found_by_mark_and_declaration() {
    let utf8 = written(&Options::default());
    let mut message = samples::figure_3(2);
    message.header.sender.comp_id = "Müller 😀".into();
    let utf8 = utf8.replace(">ABC<", ">Müller 😀<");
    let mut paths = rpc();
    let mark = format!("\u{FEFF}{utf8}");
    assert_eq!(paths.read(mark.as_bytes()).as_ref(), Ok(&message));
    for encoding in ["UTF-16", "utf-16"] {
        let utf16 = mark.replace("UTF-8", encoding);
        let little: Vec<u8> = utf16.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = utf16.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(paths.read(&little).as_ref(), Ok(&message));
        assert_eq!(paths.read(&big).as_ref(), Ok(&message));
    }
    let latin: Vec<u8> = utf8
        .replace("UTF-8", "ISO-8859-1")
        .replace('😀', "&#128512;")
        .chars()
        .map(|it| it as u8)
        .collect();
    assert_eq!(paths.read(&latin).as_ref(), Ok(&message));
    let undeclared = utf8.replace("<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "");
    assert_eq!(paths.read(undeclared.as_bytes()).as_ref(), Ok(&message));
    let error = paths.read(utf8.replace("UTF-8", "UTF-16").as_bytes()).unwrap_err();
    assert!(error.to_string().contains("declared but the document is in UTF-8"), "{error}");
    let error = paths.read(utf8.replace("UTF-8", "EBCDIC-US").as_bytes()).unwrap_err();
    assert!(error.to_string().contains("\"EBCDIC-US\" is not supported"), "{error}");
    let mut broken = utf8.into_bytes();
    let at = broken.iter().position(|byte| *byte == 0xC3).unwrap();
    broken[at] = 0xFF;
    let error = paths.read(&broken).unwrap_err();
    assert_eq!(error.to_string(), format!("at byte {at}: XML: byte sequence is not valid UTF-8"));
}

#[test]
fn nil_counts_by_namespace_too() {
    let document = written(&Options::default());
    let written =
        |attribute: &str| document.replace("<SellerDays>", &format!("<SellerDays {attribute}>"));
    let days = document.find("<SellerDays>").unwrap() + "<SellerDays>".len();
    let days = &document[days..][..document[days..].find('<').unwrap()];
    let nil = |attribute: &str| {
        let empty = format!("<SellerDays {attribute}></SellerDays>");
        document.replace(&format!("<SellerDays>{days}</SellerDays>"), &empty)
    };
    let mut without = samples::figure_3(2);
    for entry in without.body.entries.iter_mut() {
        entry.clear_seller_days();
    }
    let mut paths = rpc();
    for attribute in ["xsi:nil='true'", "xsi:nil=' 1 '", "xsi:nil='&#49;'"] {
        assert_eq!(paths.read(nil(attribute).as_bytes()), Ok(without.clone()), "{attribute}");
    }
    let own = format!("xmlns:i='{XSI}' i:nil='1'");
    assert_eq!(paths.read(nil(&own).as_bytes()), Ok(without));
    for attribute in ["nil='1'", "xmlns:xsi='urn:y' xsi:nil='1'", "xsi:nil='0'", "xsi:nil='false'"]
    {
        assert_eq!(
            paths.read(written(attribute).as_bytes()),
            Ok(samples::figure_3(2)),
            "{attribute}"
        );
    }
}
