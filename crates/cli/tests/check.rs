//! `trunkline decode --check` and `trunkline convert --check`: what is not valid by its schema is named, and not carried over.

mod verbs;

use std::fs;
use std::path::PathBuf;

use verbs::run_in as run;

const SCHEMA: &str = r#"<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:o" xmlns="urn:o"
    elementFormDefault="qualified">
  <xs:element name="order">
    <xs:complexType>
      <xs:sequence>
        <xs:element name="line" maxOccurs="3">
          <xs:complexType>
            <xs:choice>
              <xs:sequence><xs:element name="bid" type="price"/><xs:element name="ask" type="price"/></xs:sequence>
              <xs:element name="last" type="price"/>
            </xs:choice>
            <xs:attribute name="id" type="xs:int" use="required"/>
          </xs:complexType>
        </xs:element>
      </xs:sequence>
    </xs:complexType>
    <xs:unique name="lines" xmlns:o="urn:o"><xs:selector xpath="o:line"/><xs:field xpath="@id"/></xs:unique>
  </xs:element>
  <xs:simpleType name="price">
    <xs:restriction base="xs:decimal"><xs:minExclusive value="0"/></xs:restriction>
  </xs:simpleType>
</xs:schema>"#;

const VALID: &str =
    "<order xmlns=\"urn:o\"><line id=\"1\"><bid>1.5</bid><ask>2</ask></line></order>";
/// Each is read, as the fields are; none is valid.
const NOT_VALID: &str = "<order xmlns=\"urn:o\">
  <line id=\"1\"><bid>1.5</bid></line>
  <line id=\"1\"><last>0</last></line>
</order>";

fn folder(test: &str) -> PathBuf {
    let folder = verbs::folder("check", test);
    for (name, text) in [("orders.xsd", SCHEMA), ("valid.xml", VALID), ("wrong.xml", NOT_VALID)] {
        fs::write(folder.join(name), text).expect("a file");
    }
    folder
}

#[test]
fn what_is_not_valid_is_shown_behind_the_fields() {
    let folder = folder("decode");
    let decode = ["decode", "--schema", "orders.xsd", "--check"];
    let (status, out, err) = run(&folder, &[&decode[..], &["valid.xml"]].concat(), "");
    assert_eq!((status, &*err), (Some(0), ""), "{out}");
    let (status, out, _) = run(&folder, &[&decode[..], &["wrong.xml"]].concat(), "");
    assert_eq!(status, Some(1), "{out}");
    let said: Vec<&str> =
        out.lines().filter(|it| it.contains("valid")).map(str::trim_start).collect();
    assert_eq!(
        said,
        [
            "not valid: 2:3: /order/line: it ends where {urn:o}ask is expected (cvc-complex-type)",
            "not valid: 3:3: /order/line[2]: the values of {urn:o}lines stand twice (cvc-identity-constraint)",
            "not valid: 3:16: /order/line[2]/last: \"0\" is not more than 0 (cvc-minExclusive-valid)",
            "wrong: not valid by its schema, in 3 places",
        ],
        "{out}"
    );
    assert!(out.contains("last") && out.contains("order"), "the fields are shown: {out}");
    // Without it, what can be understood is right.
    let (status, out, _) = run(&folder, &["decode", "--schema", "orders.xsd", "wrong.xml"], "");
    assert_eq!((status, out.contains("not valid")), (Some(0), false), "{out}");
    let (status, out, _) = run(&folder, &[&decode[..], &["--json", "wrong.xml"]].concat(), "");
    let fact: serde_json::Value = serde_json::from_str(&out).expect("a line of JSON");
    let first = &fact["violations"][0];
    assert_eq!(
        (status, &first["line"], &first["column"]),
        (Some(1), &2.into(), &3.into()),
        "{out}"
    );
    assert_eq!(
        (&first["path"], &first["rule"]),
        (&"/order/line".into(), &"cvc-complex-type".into())
    );
    assert_eq!(fact["wrong"], "not valid by its schema, in 3 places");
}

#[test]
fn what_is_not_valid_is_not_converted() {
    let folder = folder("convert");
    let convert = |from: &str, to: &str, input: &str| {
        let arguments =
            ["convert", "--from", from, "--to", to, "--schema", "orders.xsd", "--check"];
        run(&folder, &arguments, input)
    };
    let (status, json, err) = convert("xml", "json", &format!("{VALID}\n"));
    assert_eq!((status, &*err), (Some(0), ""), "{json}");
    let (status, out, err) = convert("xml", "json", &format!("{VALID}\n{NOT_VALID}\n"));
    assert_eq!((status, &*out), (Some(1), &*json), "{err}");
    assert!(err.contains("-:3:3: /order/line: it ends where {urn:o}ask is expected"), "{err}");
    // In whichever format it comes, the schema is that of its XML.
    let (status, out, err) = convert("json", "xml", &json);
    assert_eq!((status, &*err), (Some(0), ""), "{out}");
    let wrong = json.replace("1.5", "-1.5");
    assert_ne!(wrong, json);
    let (status, out, err) = convert("json", "xml", &wrong);
    assert_eq!((status, &*out), (Some(1), ""), "{err}");
    assert!(err.contains("\"-1.5\" is not more than 0 (cvc-minExclusive-valid)"), "{err}");
}

#[test]
fn bounds_of_other_descriptions_are_checked_too() {
    let folder = folder("listing");
    let listing = "message Order\nfield id 0 text required\nnote facet max_length 3\nend\n";
    fs::write(folder.join("order.listing"), listing).expect("a file");
    let check =
        |input: &str| run(&folder, &["decode", "--schema", "order.listing", "--check"], input);
    let (status, out, err) = check("{\"Order\":{\"id\":\"abc\"}}\n");
    assert_eq!((status, &*err), (Some(0), ""), "{out}");
    let (status, out, _) = check("{\"Order\":{\"id\":\"abcd\"}}\n");
    assert_eq!(status, Some(1), "{out}");
    assert!(
        out.contains("not valid: 1: Order/id: it has 4 characters, more than 3 (facet)"),
        "{out}"
    );
}

/// Bounds are part of a type in IDL, and a float has a width: neither needs `--check`.
#[test]
fn what_the_types_of_idl_do_not_hold_is_not_written_as_cdr() {
    let folder = folder("bounds");
    let idl = "struct Leg { string<4> name; };\n\
               struct Order { string<8> symbol; float price; double size; sequence<long, 3> counts; sequence<Leg, 2> legs;\n\
               sequence<string<2>, 2> labels; sequence<float> prices; sequence<octet, 4> data; };\n";
    fs::write(folder.join("order.idl"), idl).expect("a file");
    let convert = |input: &str| {
        let arguments = ["convert", "--from", "json", "--to", "cdr-be", "--schema", "order.idl"];
        run(&folder, &[&arguments[..], &["--type", "Order"]].concat(), input)
    };
    let full = r#"{"symbol":"ABCDEFGH","price":3.4028235e38,"size":1e308,"counts":[1,2,3],"legs":[{"name":"abcd"},{"name":""}],"labels":["ab","cd"],"prices":["INF"],"data":"AAECAw=="}"#;
    let (status, out, err) = convert(&format!("{full}\n"));
    assert_eq!((status, &*err), (Some(0), ""), "{out}");
    // Characters count, as they do in facets.
    let (status, _, err) = convert(&full.replace("ABCDEFGH", "ABCDEFG\u{e9}"));
    assert_eq!((status, &*err), (Some(0), ""));
    // One beyond each.
    let long = "x".repeat(50);
    for (now, then, expected) in [
        (
            "ABCDEFGH",
            "ABCDEFGHI",
            "symbol at byte 0: cannot be written: \"ABCDEFGHI\" has 9 characters, more than 8",
        ),
        (
            "ABCDEFGH",
            "ABCDEFGH\u{e9}",
            "cannot be written: \"ABCDEFGH\u{e9}\" has 9 characters, more than 8",
        ),
        ("ABCDEFGH", &long, "\"... has 50 characters, more than 8"),
        (
            "3.4028235e38",
            "1e39",
            "price at byte 29: expected a number, or \"INF\", \"-INF\" or \"NaN\", but it is out of range; it is \"1e39\"",
        ),
        ("1e308", "-1e309", "out of range; it is \"-1e309\""),
        ("[\"INF\"]", "[1,4e38]", "prices at byte"),
        (
            "[1,2,3]",
            "[1,2,3,4]",
            "counts at byte 32: cannot be written: it has 4 items, more than 3",
        ),
        ("{\"name\":\"\"}", "{\"name\":\"abcde\"}", "legs[1]/name at byte"),
        ("{\"name\":\"\"}", "{\"name\":\"\"},{\"name\":\"\"}", "legs at byte"),
        ("[\"ab\"", "[\"abc\"", "labels[0] at byte"),
        ("[\"ab\"", "[\"ab\",\"ab\"", "labels at byte"),
        ("AAECAw==", "AAECAwQ=", "data at byte"),
    ] {
        let wrong = full.replace(now, then);
        assert_ne!(wrong, full);
        // The others go on.
        let (status, others, err) = convert(&format!("{wrong}\n{full}\n"));
        assert_eq!((status, &others), (Some(1), &out), "{then}: {err}");
        assert!(err.contains(expected), "{then}: {err}");
    }
}

#[test]
fn places_are_those_of_the_file() {
    let folder = folder("places");
    let check = |input: &str| {
        let (status, out, _) =
            run(&folder, &["decode", "--schema", "orders.xsd", "--check"], input);
        assert_eq!(status, Some(1), "{out}");
        let said = out.lines().filter_map(|it| it.trim_start().strip_prefix("not valid: "));
        let places = said.map(|it| it.split(": ").next().unwrap_or_default().to_owned());
        places.collect::<Vec<_>>()
    };
    // An attribute is missing in the second line of the order.
    let wrong = "<order xmlns=\"urn:o\"><line id=\"1\"><last>1</last></line><line><last>1</last></line></order>";
    let column = wrong.find("<line>").expect("it is there") + 1;
    let lines = wrong.replace("<line>", "\n<line>");
    assert_eq!(check(&format!("{wrong}\n{lines}\n")), [format!("1:{column}"), "3:1".to_owned()]);
    let behind = "2004-01-01 é received: <?xml version=\"1.0\"?>";
    let further = column + behind.chars().count();
    assert_eq!(
        check(&format!("nothing\n{behind}{wrong}\n{behind}{lines}\n")),
        [format!("2:{further}"), "4:1".to_owned()]
    );
    // Of a dump, the lines are not those of the message.
    let hex: String = lines.bytes().map(|it| format!("{it:02x}")).collect();
    assert_eq!(check(&format!("nothing\n{hex}\n")), ["2"]);
}

#[test]
fn a_message_that_is_not_read_is_not_the_one_before() {
    let folder = folder("unread");
    let listing = "message Order\nfield id 0 text required\nnote facet max_length 3\nend\n";
    fs::write(folder.join("order.listing"), listing).expect("a file");
    let input = "{\"Order\":{\"id\":\"abcd\"}}\n{\"Other\":{\"id\":\"a\"}}\n";
    let decode = ["decode", "--schema", "order.listing", "--check"];
    let (status, out, err) = run(&folder, &decode, input);
    assert_eq!((status, out.matches("not valid: ").count()), (Some(1), 1), "{out}{err}");
    assert!(out.matches("wrong: ").count() == 2, "the other one is no message of it: {out}{err}");
}

#[test]
fn envelopes_without_a_message_are_checked_too() {
    let folder = folder("envelopes");
    let wrong = "<order xmlns=\"urn:o\"><line><last>1</last></line></order>";
    let fault = format!(
        "<e:Fault><faultcode>e:Client</faultcode><faultstring>no</faultstring><detail>{wrong}</detail></e:Fault>"
    );
    for (header, body, path) in [
        (wrong, "", "/Envelope/Header/order/line: the attribute id is missing"),
        ("", &*fault, "/Envelope/Body/Fault/detail/order/line: the attribute id is missing"),
    ] {
        let envelope = format!(
            "<e:Envelope xmlns:e=\"http://schemas.xmlsoap.org/soap/envelope/\"><e:Header>{header}</e:Header>\
             <e:Body>{body}</e:Body></e:Envelope>"
        );
        let check = ["decode", "--schema", "orders.xsd", "--check"];
        let (status, out, _) = run(&folder, &check, &envelope);
        assert_eq!(status, Some(1), "{out}");
        assert!(out.contains(path), "{out}");
        let (status, out, _) = run(&folder, &check[..3], &envelope);
        assert_eq!(status, Some(0), "{out}");
    }
}

/// What is of a schema that is not there is not checked, and that is said.
#[test]
fn what_cannot_be_checked_is_told() {
    let folder = folder("missing");
    let schema = r#"<schema xmlns="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t" elementFormDefault="qualified">
      <import namespace="urn:far"/>
      <element name="ask"><complexType><sequence><element name="a" type="f:x" xmlns:f="urn:far"/></sequence></complexType></element>
    </schema>"#;
    fs::write(folder.join("ask.xsd"), schema).expect("a file");
    let ask = "<ask xmlns=\"urn:t\"><a>7</a></ask>";
    let note = "ask.xsd:2:7: no schema of the imported namespace urn:far is there; what is of it has any content\n";
    for verb in [&["decode"][..], &["convert", "--from", "xml", "--to", "json"]] {
        let checked = [verb, &["--schema", "ask.xsd", "--check"]].concat();
        let (status, _, err) = run(&folder, &checked, ask);
        assert_eq!((status, err.matches(note).count()), (Some(0), 1), "{verb:?}: {err}");
        let (status, _, err) = run(&folder, &checked[..checked.len() - 1], ask);
        assert_eq!((status, err.contains("urn:far")), (Some(0), false), "{verb:?}: {err}");
    }
}
