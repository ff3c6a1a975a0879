//! A description that is made of samples reads them.

use std::sync::Arc;

use trunkline_codec::json;
use trunkline_import::sample::{Sample, is_sample};
use trunkline_import::{Description, Limits, Options};
use trunkline_message::Record;
use trunkline_soap as soap;

fn sample(files: &[&str]) -> Sample {
    let files: Vec<(&str, &[u8])> = files.iter().map(|it| ("order.xml", it.as_bytes())).collect();
    assert!(files.iter().all(|it| is_sample(it.1)));
    Sample::read(&files, "Order", &Limits::default()).expect("samples")
}

fn doubts(sample: &Sample) -> Vec<String> {
    sample.notes.iter().map(|it| format!("{}: {}", it.path, it.what)).collect()
}

/// Each sample is read, and written as it was.
fn come_back(sample: &Sample, texts: &[&str]) {
    let layout = Arc::new(sample.described.layout.clone());
    let options = sample.described.soap.clone().expect("an element");
    let options = soap::Options { layout: soap::Layout::Fragment, ..options };
    let plan = soap::Plan::new(&layout, &options).expect("a plan");
    for text in texts {
        let mut record = Record::new(&layout);
        soap::Decoder::new(&plan).decode(text.as_bytes(), &mut record).expect("a sample is read");
        let again = soap::Encoder::new(&plan).encode(&record).map(|it| it.to_vec());
        let again = String::from_utf8(again.expect("it is written")).expect("UTF-8");
        assert_eq!(again, *text);
    }
}

#[test]
fn documents_are_read_by_what_was_found_in_them() {
    let texts = [
        "<Order id=\"7\"><Symbol>IBM</Symbol><Price currency=\"USD\">182.350</Price>\
         <Sent>2026-01-05T09:30:00.000Z</Sent><Urgent>true</Urgent>\
         <Lots><Lot>100</Lot><Lot>50</Lot></Lots><Leg><Ratio>1</Ratio></Leg><Leg><Ratio>2</Ratio></Leg></Order>",
        "<Order id=\"8\"><Symbol>SAP</Symbol><Price currency=\"EUR\">7</Price>\
         <Sent>2026-01-05T09:30:01.500Z</Sent><Urgent>false</Urgent><Note>soon</Note>\
         <Lots><Lot>1</Lot></Lots></Order>",
    ];
    let found = sample(&texts);
    come_back(&found, &texts);
    let listing = found.described.layout.listing();
    for line in [
        "field\tSymbol\t0\ttext\trequired",
        "field\tSent\t0\ttimestamp\trequired",
        "field\tUrgent\t0\tboolean\trequired",
        "field\tNote\t0\ttext\toptional",
        "field\tLots\t0\ti64[]\trequired",
        "group\tLeg\t0\tLeg\timplied",
        "field\tvalue\t0\tdecimal\trequired",
        "field\tid\t0\ti64\trequired",
    ] {
        assert!(listing.lines().any(|it| it.trim() == line), "{line}: {listing}");
    }
    let expected =
        "Order/id: whole in all samples: a decimal, if it may have digits behind the point";
    assert!(doubts(&found).contains(&expected.to_owned()), "{:#?}", doubts(&found));
}

#[test]
fn namespaces_and_nil_are_those_of_the_samples() {
    let texts = [
        "<ns:Order xmlns:ns=\"urn:a\"><ns:Id>7</ns:Id><plain>x</plain></ns:Order>",
        "<ns:Order xmlns:ns=\"urn:a\"><ns:Id>8</ns:Id><plain>y</plain></ns:Order>",
    ];
    let found = sample(&texts);
    come_back(&found, &texts);
    let options = found.described.soap.expect("an element");
    assert_eq!((&*options.namespace, &*options.operation), ("urn:a", "Order"));

    let nil = "<Order xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"><Id>7</Id><Note xsi:nil=\"true\"/></Order>";
    let found = sample(&["<Order><Id>7</Id><Note>soon</Note></Order>", nil]);
    assert!(
        found.described.layout.listing().contains("note\txml\tnillable\ttrue")
            || found.described.layout.listing().contains("nillable")
    );
}

#[test]
fn of_envelopes_the_message_in_the_body_is_described() {
    let envelope = |soap: &str, header: &str, body: &str| {
        format!(
            "<s:Envelope xmlns:s=\"{soap}\"><s:Header>{header}</s:Header><s:Body>{body}</s:Body></s:Envelope>"
        )
    };
    let (soap11, soap12) =
        ("http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope");
    let login = "<h:Login xmlns:h=\"urn:h\" s:mustUnderstand=\"1\">FUND</h:Login>";
    let order = "<ns:Order xmlns:ns=\"urn:a\"><ns:Id>7</ns:Id></ns:Order>";
    let texts = [
        envelope(soap11, login, order),
        envelope(soap12, "", &format!("{order}<multiRef id=\"1\"/>")),
    ];
    let found = sample(&[&texts[0], &texts[1]]);
    come_back(&found, &[order]);
    let [login] = &*found.headers else { panic!("{:?}", found.headers) };
    assert_eq!(
        login.listing(),
        "message\tLogin\t\nnote-type\txml\telement_namespace\turn:h\n\
         field\tvalue\t0\ttext\trequired\nnote\txml\tkind\ttext\nend\n"
    );
    let said = doubts(&found);
    for expected in [
        "Order: it stands in the Body of envelopes, which are not described",
        "Order: the Body has more elements, which are not described: multiRef",
        "Login: a header block, in 1 of 2 envelopes, described by itself",
    ] {
        assert!(said.iter().any(|it| it == expected), "{expected}: {said:#?}");
    }
    let wrong = |body: &str| {
        let text = envelope(soap11, "", body);
        Sample::read(&[("a.xml", text.as_bytes())], "a", &Limits::default())
            .expect_err("it has no message")
            .to_string()
    };
    assert!(wrong("").contains("the Body of the envelope is empty"), "{}", wrong(""));
    assert!(wrong("<s:Fault/>").contains("a Fault stands in the Body"), "{}", wrong("<s:Fault/>"));
}

#[test]
fn a_listing_says_which_element_its_message_is() {
    let text = "<ns:Order xmlns:ns=\"urn:a b\"><ns:Id>7</ns:Id><plain>x</plain></ns:Order>";
    let listing = sample(&[text]).described.listing();
    let mut files = |path: &str| Ok((path == "order").then(|| listing.as_bytes().to_vec()));
    let read = Description::read("order", &Options::default(), &mut files, &Limits::default());
    let described = read.expect("a listing").message("Order").expect("it has a layout");
    let described = described.expect("it is there");
    assert_eq!(described.listing(), listing);
    let found = Sample { described, headers: Vec::new(), notes: Vec::new() };
    come_back(&found, &[text]);
}

#[test]
fn a_listing_is_found_by_its_name_and_its_message_type() {
    let listing = b"message Order D\nfield ClOrdID 11 text required\nend\n";
    let mut files = |path: &str| Ok((path == "order").then(|| listing.to_vec()));
    let read = Description::read("order", &Options::default(), &mut files, &Limits::default());
    let read = read.expect("a listing");
    for (name, is_there) in [("Order", true), ("D", true), ("8", false)] {
        assert_eq!(read.message(name).expect("a layout").is_some(), is_there, "{name}");
    }
}

#[test]
fn what_samples_leave_open_is_said() {
    let found = sample(&[
        "<Order><Code>007</Code><Flag>1</Flag><Empty/><P>a <b>c</b></P><Data>AAECAwQ=</Data></Order>",
    ]);
    assert_eq!(
        doubts(&found),
        [
            "Order: of one sample: all that is in it is required, and a list only if it repeats there",
            "Order/Code: digits with zeros before them: text, not a number",
            "Order/Flag: 0 or 1 in all samples: a whole number, or a boolean",
            "Order/Empty: always empty: text, or an element with nothing in it",
            "Order/P: text between elements, or a value in one sample and more in another: content of any shape",
            "Order/Data: it looks like base64: data, or text",
        ]
    );
    let found = sample(&["<Order><A>x</A><B>y</B></Order>", "<Order><B>y</B><A>x</A></Order>"]);
    assert_eq!(doubts(&found), ["Order: elements stand in different orders: any is taken"]);
}

#[test]
fn objects_of_json_are_read_by_what_was_found_in_them() {
    let texts = [
        r#"{"id":7,"price":182.35,"note":null,"lots":[1,2],"legs":[{"ratio":1.5}],"sent":"2026-01-05T09:30:00Z"}"#,
        r#"{"id":8,"price":7,"note":"soon","lots":[],"legs":[],"sent":"2026-01-05T09:30:01Z"}"#,
    ];
    let found = sample(&texts);
    let layout = Arc::new(found.described.layout.clone());
    let plan = json::Plan::new(&layout, &json::Options::default()).expect("a plan");
    for text in texts {
        let mut record = Record::new(&layout);
        json::Decoder::new(&plan).decode(text.as_bytes(), &mut record).expect("a sample is read");
    }
    let listing = layout.listing();
    for line in [
        "field\tprice\t0\tdecimal\trequired",
        "field\tnote\t0\ttext\toptional",
        "field\tlots\t0\ti64[]\trequired",
        "field\tsent\t0\ttimestamp\trequired",
    ] {
        assert!(listing.lines().any(|it| it.trim() == line), "{line}: {listing}");
    }
    let named = sample(&[r#"{"Quote": {"id": "7"}}"#]);
    assert_eq!(named.described.layout.name(), "Quote");
}

#[test]
fn numbers_of_json_keep_their_digits() {
    let text = r#"{"Fill":{"id":123456789012345678901234567890,"count":18446744073709551615,"price":0.12345678901234567890123,"small":182.350,"rate":1.5e-7}}"#;
    let found = sample(&[text]);
    let layout = Arc::new(found.described.layout.clone());
    let listing = layout.listing();
    for line in [
        "field\tid\t0\tinteger\trequired",
        "field\tcount\t0\tu64\trequired",
        "field\tprice\t0\tbigdecimal\trequired",
        "field\tsmall\t0\tdecimal\trequired",
        "field\trate\t0\tf64\trequired",
    ] {
        assert!(listing.lines().any(|it| it.trim() == line), "{line}: {listing}");
    }
    let options = json::Options { named: true, ..json::Options::default() };
    let plan = json::Plan::new(&layout, &options).expect("a plan");
    let mut record = Record::new(&layout);
    json::Decoder::new(&plan).decode(text.as_bytes(), &mut record).expect("a sample is read");
    let again = json::Encoder::new(&plan).encode(&record).expect("it is written").to_vec();
    assert_eq!(String::from_utf8_lossy(&again).replace("0.00000015", "1.5e-7"), text);

    let changed = r#"[{"x": 1e-3}, {"x": 0.12345678901234567890123}, {"x": 1e400}]"#;
    let expected = "Order/x: numbers with exponents, and one that f64 changes: f64";
    assert_eq!(doubts(&sample(&[changed])), [expected]);
}

#[test]
fn what_is_no_sample_is_named_with_its_place() {
    let read = |files: &[&str]| {
        let files: Vec<(&str, &[u8])> = files.iter().map(|it| ("a", it.as_bytes())).collect();
        Sample::read(&files, "A", &Limits::default()).expect_err("it is none").to_string()
    };
    assert!(read(&["<A>\n<B></A>"]).starts_with("a:2:"), "{}", read(&["<A>\n<B></A>"]));
    assert!(read(&["{\"a\": 1,\n}"]).starts_with("a:2:"), "{}", read(&["{\"a\": 1,\n}"]));
    assert!(read(&["[1]"]).contains("a sample is no object"));
    assert!(read(&["<A/>", "<B/>"]).contains("the sample is B, and those before are A"));
    for text in ["<fix/>", "<schema xmlns='http://www.w3.org/2001/XMLSchema'/>", "message A", ""] {
        assert!(!is_sample(text.as_bytes()), "{text}");
    }
}
