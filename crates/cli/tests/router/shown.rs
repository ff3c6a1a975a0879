//! How `sub` shows messages: in a line, by a schema, and as `decode` does.

use std::fs;

use super::{Router, folder};

#[test]
fn messages_are_shown_by_a_schema() {
    let router = Router::start("described");
    let folder = folder("described-files");
    let [listing, order, bytes] =
        ["order.listing", "order.fix", "order.cdr"].map(|it| folder.join(it));
    let text =
        "message Order D\nfield ClOrdID 11 text required\nfield Price 44 decimal optional\nend\n";
    fs::write(&listing, text).expect("a file");
    let fix = "8=FIX.4.4|9=20|35=D|11=A1|44=6.350|10=152|".replace('|', "\u{1}");
    fs::write(&order, &fix).expect("a file");
    // The byte order, a string of three bytes, a flag, a double.
    fs::write(&bytes, b"\x01\x03\0\0\0A1\0\x01\0\0\0\0\0\0\x18\x40").expect("a file");
    let [listing, order, bytes] = [&listing, &order, &bytes].map(|it| it.to_str().expect("UTF-8"));
    let plain = router.sub(&["orders", "--count", "2"]);
    let described =
        router.sub(&["orders", "--count", "2", "--schema", listing, "--type", "Order", "--json"]);
    let lines = router.sub(&["orders", "--count", "3", "--schema", listing, "--type", "Order"]);
    router.good(&["pub", "orders", "--file", order, "--format", "fix"]);
    router.good(&["pub", "orders", "--file", bytes, "--format", "cdr"]);
    router.good(&["pub", "orders", "8=FIX.4.4", "--format", "fix"]);
    let (_, out, _) = plain.end();
    assert_eq!(out[0], format!("orders\t{}", fix.replace('\u{1}', "|")));
    assert_eq!(out[1], "orders\tcdr-le hex:03000000 41310001 00000000 00001840");
    let (_, out, _) = described.end();
    let message = "\"message\":{\"Order\":{\"ClOrdID\":\"A1\",\"Price\":6.350}}}";
    assert!(out[0].ends_with(message), "{out:?}");
    assert!(out[0].contains("\"payload\":\"8=FIX.4.4\\u0001"), "{out:?}");
    let (status, out, err) = lines.end();
    assert_eq!(status, Some(0));
    assert_eq!(out[0], "orders\t{\"Order\":{\"ClOrdID\":\"A1\",\"Price\":6.350}}");
    assert_eq!(out[1], "orders\t{\"Order\":{\"ClOrdID\":\"A1\",\"Price\":6}}");
    assert_eq!(out[2], "orders\t8=FIX.4.4");
    let wrong = "trunkline: 1 message not as the schema says: ";
    assert!(err.iter().any(|it| it.starts_with(wrong)), "{err:?}");
}

/// The lines of `sub --decode`, without what aligns them.
fn decoded(out: &[String]) -> Vec<String> {
    out.iter().map(|it| it.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

const ORDER: &str = "8=FIX.4.4|9=20|35=D|11=A1|44=6.350|10=152|";
/// The same in CDR: the byte order, a string of three bytes, a flag, a double.
const ORDER_IN_CDR: &[u8] = b"\x01\x03\0\0\0A1\0\x01\0\0\0\0\0\0\x18\x40";
const ENVELOPE: &str = "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body>\
    <quote xmlns='urn:q'><symbol>IBM</symbol></quote></e:Body></e:Envelope>";
/// `<a>b</a>`.
const INFOSET: &[u8] = b"\xe0\0\0\x01\0\x3c\0a\x80b\xff";

#[test]
fn messages_are_shown_as_decode_shows_them() {
    let router = Router::start("decoded");
    let folder = folder("decoded-files");
    let plain = router.sub(&["t", "--count", "5"]);
    let decoding = router.sub(&["t", "--count", "5", "--decode"]);
    let order = ORDER.replace('|', "\u{1}");
    for (format, bytes) in [
        ("fix", order.as_bytes()),
        ("cdr", ORDER_IN_CDR),
        ("soap-1.1", ENVELOPE.as_bytes()),
        ("fast-infoset", INFOSET),
        ("text", b"1.0842"),
    ] {
        let file = folder.join(format);
        fs::write(&file, bytes).expect("a file");
        router.good(&["pub", "t", "--file", file.to_str().expect("text"), "--format", format]);
    }
    // Each is a line, and what is no text says what it is.
    let (status, out, _) = plain.end();
    let cdr = "cdr-le hex:03000000 41310001 00000000 00001840";
    let expected = [ORDER, cdr, ENVELOPE, "<a>b</a>", "1.0842"].map(|it| format!("t\t{it}"));
    assert_eq!((status, &out[..]), (Some(0), &expected[..]));
    let (status, out, err) = decoding.end();
    assert_eq!(status, Some(0), "{err:?}");
    let soap = format!("t SOAP 1.1, UTF-8, quote, {} bytes", ENVELOPE.len());
    let expected = [
        "t FIX.4.4, NewOrderSingle, MsgType D, 42 bytes",
        "BeginString 8 FIX.4.4",
        "BodyLength 9 20",
        "MsgType 35 D",
        "ClOrdID 11 A1",
        "Price 44 6.350",
        "CheckSum 10 152",
        "t cdr-le, whose fields are shown with --schema and --type, 16 bytes",
        "000000 03 00 00 00 41 31 00 01 00 00 00 00 00 00 18 40 ....A1.........@",
        &*soap,
        "Envelope {http://schemas.xmlsoap.org/soap/envelope/}",
        "Body",
        "quote {urn:q}",
        "symbol IBM",
        "t Fast Infoset, 11 bytes",
        "a b",
        "t 1.0842",
    ];
    assert_eq!(decoded(&out), expected);
}

#[test]
fn messages_are_decoded_by_a_schema_where_they_are_shown() {
    let router = Router::start("decoded-by");
    let folder = folder("decoded-by-files");
    let file = |name: &str, bytes: &[u8]| {
        fs::write(folder.join(name), bytes).expect("a file");
        folder.join(name).to_str().expect("text").to_owned()
    };
    let listing =
        "message Order D\nfield ClOrdID 11 text required\nfield Price 44 decimal optional\nend\n";
    let listing = file("order.listing", listing.as_bytes());
    let order = file("order.fix", ORDER.replace('|', "\u{1}").as_bytes());
    let in_cdr = file("order.cdr", ORDER_IN_CDR);
    let by_schema = ["--decode", "--schema", &listing, "--type", "Order"];
    let columns = ["t", "--count", "3", "--show", "payload,sequence"];
    let sub = router.sub(&[&columns[..], &by_schema].concat());
    router.good(&["pub", "t", "--file", &order, "--format", "fix"]);
    router.good(&["pub", "t", "--file", &in_cdr, "--format", "cdr"]);
    router.good(&["pub", "t", "{\"Order\":{\"Price\":1}}", "--format", "json"]);
    let (status, out, err) = sub.end();
    assert_eq!(status, Some(0), "{err:?}");
    let expected = [
        "FIX.4.4, Order, MsgType D, 42 bytes 1",
        "ClOrdID 11 A1",
        "Price 44 6.350",
        "cdr-le, Order, 16 bytes 2",
        "ClOrdID 11 A1",
        "Price 44 6",
        "JSON, 21 bytes 3",
        "{\"Order\":{\"Price\":1}}",
    ];
    let out = decoded(&out);
    assert_eq!(out[..expected.len()], expected, "{out:?}");
    let wrong = &out[expected.len()];
    assert!(wrong.starts_with("wrong: ") && wrong.contains("ClOrdID"), "{wrong}");
    let told = router.bad(&["sub", "t", "--decode", "--json"]);
    assert!(told.contains("--decode") && told.contains("--json"), "{told}");
}

#[test]
fn what_is_wrong_is_told_of_each_message_and_text_is_of_the_charset() {
    let router = Router::start("charsets");
    let folder = folder("charsets-files");
    let file = |name: &str, bytes: &[u8]| {
        fs::write(folder.join(name), bytes).expect("a file");
        folder.join(name).to_str().expect("text").to_owned()
    };
    let listing =
        "message Order D\nfield ClOrdID 11 text required\nfield Price 44 decimal optional\nend\n";
    let listing = file("order.listing", listing.as_bytes());
    // A string of three bytes, of which the second is of ISO-8859-1, and no price.
    let bytes = file("order.cdr", b"\x01\x03\0\0\0A\xfc\0\0");
    let by_schema = ["t", "--count", "4", "--schema", &listing, "--type", "Order"];
    let charset = ["--charset", "ISO-8859-1"];
    let json = router.sub(&[&by_schema[..], &charset, &["--json"]].concat());
    let decoding = router.sub(&[&by_schema[..], &charset, &["--decode"]].concat());
    let lines = router.sub(&by_schema);
    router.good(&["pub", "t", "--file", &bytes, "--format", "cdr"]);
    for wrong in [
        "{\"Order\":{\"Price\":1}}",
        "{\"Order\":{\"ClOrdID\":1}}",
        "{\"Order\":{\"ClOrdID\":\"a\",\"Price\":\"x\"}}",
    ] {
        router.good(&["pub", "t", wrong, "--format", "json"]);
    }
    let (status, out, err) = json.end();
    assert_eq!(status, Some(0), "{err:?}");
    let facts: Vec<serde_json::Value> =
        out.iter().map(|it| serde_json::from_str(it).expect("JSON")).collect();
    assert_eq!(facts[0]["message"]["Order"]["ClOrdID"], "A\u{fc}", "{out:?}");
    let reasons: Vec<&str> =
        facts[1..].iter().map(|it| it["wrong"].as_str().expect("a reason")).collect();
    assert!(reasons[0].contains("ClOrdID") && reasons[0].contains("missing"), "{reasons:?}");
    assert!(reasons[1].contains("ClOrdID") && reasons[2].contains("Price"), "{reasons:?}");
    for reason in &reasons {
        let told = format!("1 message not as the schema says: {reason}");
        assert!(err.iter().any(|it| it.contains(&told)), "{told}: {err:?}");
    }
    let (_, out, _) = decoding.end();
    assert!(decoded(&out).contains(&"ClOrdID 11 A\u{fc}".to_owned()), "{out:?}");
    // Without the charset it is no text.
    let (_, _, err) = lines.end();
    assert_eq!(
        err.iter().filter(|it| it.contains("not as the schema says: ")).count(),
        4,
        "{err:?}"
    );
    let told = router.bad(&["sub", "t", "--charset", "ISO-8859-1"]);
    assert!(told.contains("--schema"), "{told}");
}

#[test]
fn text_is_printed_as_it_is_and_json_on_a_line_that_is_json() {
    let router = Router::start("shown-text");
    let as_it_is = [r"C:\dir", r#"<Text>C:\dir "q"</Text>"#, r#"{"Text":"C:\\dir \"q\"\n"}"#];
    let lines = "{\n\t\"Text\": \"C:\\\\dir \u{85}\"\r\n}\n";
    let on_a_line = r#"{  "Text": "C:\\dir \u0085"  } "#;
    let sub = router.sub(&["t", "--show", "payload", "--count", "5"]);
    let all = as_it_is.into_iter().chain([lines, "C:\\dir\nC:"]);
    all.for_each(|it| _ = router.good(&["pub", "t", it]));
    let expected = as_it_is.into_iter().chain([on_a_line, r"C:\\dir\nC:"]);
    let (_, out, _) = sub.end();
    assert_eq!(out, expected.collect::<Vec<_>>());
    let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).expect("JSON");
    assert_eq!(value(&out[3]), value(lines));
    // Answers are shown alike.
    for (topic, answer, shown) in [("ask/a", as_it_is[2], as_it_is[2]), ("ask/b", lines, on_a_line)]
    {
        let reply = router.reply(&[topic, answer, "--count", "1"]);
        assert_eq!(router.good(&["request", topic, "?"]), format!("{shown}\n"));
        assert_eq!(reply.end().0, Some(0));
    }
}
