//! What `trunkline soap call` makes of descriptions that services have: what is checked of types, what is
//! named where a part is not there, which port is called.

use super::said;
use super::site::Site;

const ANSWER: &str = "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body>\
    <r><text>yes</text></r></e:Body></e:Envelope>";

/// A document/literal service of one operation `ask`, with this schema.
fn ask_of(schema: &str) -> String {
    format!(
        r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:t"
            xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" targetNamespace="urn:t">
          <types><schema xmlns="http://www.w3.org/2001/XMLSchema" xmlns:far="urn:far"
              targetNamespace="urn:t">{schema}</schema></types>
          <message name="In"><part name="p" element="t:ask"/></message>
          <portType name="T"><operation name="ask"><input message="t:In"/></operation></portType>
          <binding name="B" type="t:T"><soap:binding style="document"/>
            <operation name="ask"><input><soap:body use="literal"/></input></operation></binding>
        </definitions>"#
    )
}

/// The element `ask` with one element `a` inside, of this type.
fn one(of_type: &str, others: &str) -> String {
    let element = format!(r#"<element name="a" type="{of_type}"/>"#);
    ask_of(&format!(
        r#"<element name="ask"><complexType><sequence>{element}</sequence></complexType></element>{others}"#
    ))
}

/// Calls `ask` of a description; what was said, and what was sent.
fn ask(wsdl: &str, arguments: &[&str]) -> (Option<i32>, String, String, String) {
    let site = Site::start(&[("/?wsdl", wsdl)], ANSWER);
    let (status, out, err) = said(&[&[&*site.url("/"), "ask"], arguments].concat());
    (status, out, err, site.asked().posted.concat())
}

#[track_caller]
fn is_sent(wsdl: &str, arguments: &[&str], words: &str) {
    let (status, out, err, sent) = ask(wsdl, arguments);
    assert_eq!((status, &*out), (Some(0), "text = yes\n"), "{arguments:?}: {err}");
    assert!(sent.contains(words), "{arguments:?}: no {words:?} in {sent}");
}

#[track_caller]
fn is_rejected(wsdl: &str, arguments: &[&str], words: &str) {
    let (status, out, err, sent) = ask(wsdl, arguments);
    assert_eq!((status, &*out, &*sent), (Some(2), "", ""), "{arguments:?}: {err}");
    assert!(err.contains(words), "{arguments:?}: no {words:?} in {err}");
    assert_eq!(err.lines().count(), 1, "{err}");
}

#[test]
fn what_is_empty_is_sent_where_it_may_be_empty() {
    let lists = r#"
        <complexType name="Some"><sequence><element name="x" type="int" maxOccurs="unbounded"/></sequence></complexType>
        <complexType name="Any"><sequence><element name="x" type="int" minOccurs="0" maxOccurs="3"/></sequence></complexType>"#;
    is_rejected(
        &one("t:Some", lists),
        &["a="],
        "a.x is missing: a takes x (int each); say a.x[0]=VALUE",
    );
    is_rejected(&one("t:Some", lists), &[], "a is missing: ask takes a (int[]); say a.x[0]=VALUE");
    is_sent(&one("t:Any", lists), &["a="], "<a></a>");
    is_rejected(&one("t:Any", lists), &[], "say a.x[0]=VALUE, or a= for an empty one");
    is_sent(&one("t:Any", lists), &["a.x[0]=1", "a.x[1]=2"], "<a><x>1</x><x>2</x></a>");
    let empty = r#"<complexType name="Empty"/>"#;
    is_rejected(&one("t:Empty", empty), &[], "a is missing: ask takes a (Empty); say a=");
    is_sent(&one("t:Empty", empty), &["a="], "<a></a>");
}

/// Calls an rpc/encoded operation that takes an int, a struct and an array of arrays.
fn encoded(arguments: &[&str]) -> (Option<i32>, String, String, String) {
    let wsdl = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:t"
        xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" xmlns:xsd="http://www.w3.org/2001/XMLSchema"
        xmlns:enc="http://schemas.xmlsoap.org/soap/encoding/"
        xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" targetNamespace="urn:t">
      <types><xsd:schema targetNamespace="urn:t">
        <xsd:complexType name="Pair"><xsd:all><xsd:element name="left" type="xsd:int"/></xsd:all></xsd:complexType>
        <xsd:complexType name="Row"><xsd:complexContent><xsd:restriction base="enc:Array">
          <xsd:attribute ref="enc:arrayType" wsdl:arrayType="xsd:int[]"/></xsd:restriction></xsd:complexContent></xsd:complexType>
        <xsd:complexType name="Rows"><xsd:complexContent><xsd:restriction base="enc:Array"><xsd:sequence>
          <xsd:element name="row" type="t:Row" maxOccurs="2"/></xsd:sequence></xsd:restriction></xsd:complexContent></xsd:complexType>
      </xsd:schema></types>
      <message name="In"><part name="a" type="xsd:int"/><part name="pair" type="t:Pair"/>
        <part name="rows" type="t:Rows"/></message>
      <portType name="T"><operation name="ask"><input message="t:In"/></operation></portType>
      <binding name="B" type="t:T"><soap:binding style="rpc"/><operation name="ask"><input>
        <soap:body use="encoded" namespace="urn:t" encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"/>
      </input></operation></binding>
    </definitions>"#;
    let answer = "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/' \
        xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'><e:Body \
        e:encodingStyle='http://schemas.xmlsoap.org/soap/encoding/'><t:askResponse xmlns:t='urn:t'>\
        <sum xsi:nil='true'/><text>yes</text></t:askResponse></e:Body></e:Envelope>";
    let site = Site::start(&[("/?wsdl", wsdl)], answer);
    let (status, out, err) = said(&[&[&*site.url("/"), "ask"], arguments].concat());
    (status, out, err, site.asked().posted.concat())
}

/// SOAP 1.1 section 5.1: any accessor may be nil; nobody is told to, and what a schema declares is as that says.
#[test]
fn an_encoded_value_may_be_nil() {
    let nil = "xsi:nil=\"true\"/>";
    for (arguments, sent) in [
        (["a:nil=", "pair:nil=", "rows:nil="], ["<a ", "<pair ", "<rows "]),
        (["a:nil=", "pair:nil=", "rows[0]:nil="], ["<a ", "<pair ", "<item "]),
    ] {
        let (status, out, err, posted) = encoded(&arguments);
        assert_eq!((status, &*out), (Some(0), "sum:nil = \ntext = yes\n"), "{arguments:?}: {err}");
        for tag in sent {
            let tag = format!("{tag}{nil}");
            assert!(posted.contains(&tag), "{arguments:?}: no {tag} in {posted}");
        }
        assert_eq!(posted.matches(nil).count(), 3, "{arguments:?}: {posted}");
    }
    let (status, _, err, posted) = encoded(&["pair:nil=", "rows:nil="]);
    assert_eq!((status, &*posted), (Some(2), ""), "{err}");
    assert!(err.contains("a is missing") && err.ends_with("say a=VALUE\n"), "{err}");
    // Of an element the schema says whether it may.
    let (status, _, err, posted) = encoded(&["a=1", "pair.left:nil=", "rows:nil="]);
    assert_eq!((status, &*posted), (Some(2), ""), "{err}");
    assert!(err.contains("pair.left may not be nil"), "{err}");
}

#[test]
fn arrays_of_arrays_are_sent_as_they_are_given() {
    let (status, _, err, posted) = encoded(&["a=1", "pair:nil=", "rows[0][0]=1"]);
    assert_eq!((status, &*posted), (Some(2), ""), "{err}");
    let rows = ["rows[0].item[0]=1", "rows[0].item[1]=2", "rows[1]="];
    let (status, _, err, posted) = encoded(&[&["a=1", "pair:nil="], &rows[..]].concat());
    assert_eq!(status, Some(0), "{err}");
    assert!(posted.contains(":int[2]\"") && posted.contains(":int[0]\""), "{posted}");
    for (rows, words) in [
        (&["rows="][..], "rows: int[] takes at least 1 of it, and there are 0"),
        (
            &["rows[0]=", "rows[1]=", "rows[2]="],
            "rows: int[] takes at most 2 of it, and there are 3",
        ),
        (&[], "rows is missing"),
        (&["rows=1"], "rows is a list of lists: say rows[0].item[0]=VALUE"),
    ] {
        let (status, _, err, posted) = encoded(&[&["a=1", "pair:nil="], rows].concat());
        assert_eq!((status, &*posted), (Some(2), ""), "{rows:?}: {err}");
        assert!(err.contains(words), "{rows:?}: no {words:?} in {err}");
    }
}

/// Of several documents that are not there, the one that has the name is named, and why it is not there.
#[test]
fn the_document_is_named_that_a_type_was_to_come_from() {
    let far = r#"<import namespace="urn:other" schemaLocation="other.xsd"/>
        <import namespace="urn:far" schemaLocation="far.xsd"/>"#;
    let status = "/far.xsd is not read: HTTP status 404";
    let of = |element: &str| {
        ask_of(&format!(
            r#"{far}<element name="ask"><complexType>{element}</complexType></element>"#
        ))
    };
    for (element, what) in [
        (r#"<sequence><element name="a" type="far:A"/></sequence>"#, "the type {urn:far}A"),
        (
            r#"<sequence><element name="b"><complexType><sequence><element name="a" type="far:A"/></sequence></complexType></element></sequence>"#,
            "the type {urn:far}A",
        ),
        (r#"<sequence><element ref="far:A"/></sequence>"#, "the element {urn:far}A"),
        (r#"<sequence><group ref="far:A"/></sequence>"#, "the group {urn:far}A"),
        (r#"<complexContent><extension base="far:A"/></complexContent>"#, "the type {urn:far}A"),
        (r#"<attributeGroup ref="far:A"/>"#, "the attribute group {urn:far}A"),
    ] {
        let wsdl = of(element);
        for given in [&["a=1"][..], &[]] {
            let (code, _, err, sent) = ask(&wsdl, given);
            assert_eq!((code, &*sent), (Some(2), ""), "{element}: {err}");
            let (_, after) = err.split_once(what).unwrap_or_else(|| panic!("{element}: {err}"));
            assert!(after.starts_with(" is not defined; http://127.0.0.1:"), "{element}: {err}");
            assert!(after.contains(status), "{element}: {err}");
            assert!(!err.contains("other.xsd"), "{element}: {err}");
        }
    }
    let unused = of(r#"<sequence><element name="a" type="int"/></sequence>"#);
    is_sent(&unused, &["a=1"], "<a>1</a>");
    // What is there and cannot be read.
    let site = Site::start(
        &[("/?wsdl", &of(r#"<attributeGroup ref="far:A"/>"#)), ("/far.xsd", "<schema")],
        ANSWER,
    );
    let (_, _, err) = said(&[&site.url("/"), "ask"]);
    assert!(err.contains("/far.xsd is not read: at 1:8: "), "{err}");
    // A message that is in a document that is not there.
    let imported =
        of("").replace("<types>", "<import namespace='urn:m' location='m.wsdl'/><types>");
    let imported = imported.replace("message=\"t:In\"", "xmlns:m='urn:m' message=\"m:In\"");
    is_rejected(&imported, &[], "the message {urn:m}In is not defined; http://");
}

#[test]
fn an_attribute_that_must_be_there_is_asked_for_wherever_it_is_said() {
    let required = r#"<attributeGroup name="Outer"><attributeGroup ref="t:Inner"/></attributeGroup>
        <attributeGroup name="Inner"><attribute name="unit" type="string" use="required"/></attributeGroup>
        <complexType name="Base"><sequence/><attributeGroup ref="t:Outer"/></complexType>"#;
    let why = "a@unit is missing: A needs it (string); say a@unit=VALUE";
    for (inside, value) in [
        (r#"<attributeGroup ref="t:Outer"/>"#, ""),
        (
            r#"<complexContent><restriction base="t:Base"><sequence/></restriction></complexContent>"#,
            "",
        ),
        (
            r#"<simpleContent><extension base="int"><attributeGroup ref="t:Inner"/></extension></simpleContent>"#,
            "7",
        ),
    ] {
        let others = format!(r#"{required}<complexType name="A">{inside}</complexType>"#);
        let given = format!("a={value}");
        is_rejected(&one("t:A", &others), &[&given], why);
        let sent = format!("<a unit=\"x&quot;\">{value}</a>");
        is_sent(&one("t:A", &others), &[&given, "a@unit=x\""], &sent);
    }
    let inside =
        r#"<complexContent><extension base="t:Base"><sequence/></extension></complexContent>"#;
    let others = format!(r#"{required}<complexType name="A">{inside}</complexType>"#);
    is_rejected(&one("t:A", &others), &["a="], why);
    let optional = others.replace("use=\"required\"", "");
    is_sent(&one("t:A", &optional), &["a="], "<a></a>");
    let circle = r#"<attributeGroup name="A"><attributeGroup ref="t:A"/></attributeGroup>
        <complexType name="A"><attributeGroup ref="t:A"/></complexType>"#;
    is_sent(&one("t:A", circle), &["a="], "<a></a>");
}

#[test]
fn attributes_have_the_names_types_and_values_that_are_said_of_them() {
    let attributes = r#"<attribute name="far" type="short"/>
        <complexType name="A"><simpleContent><restriction base="t:B">
          <attribute name="b" use="prohibited"/></restriction></simpleContent></complexType>
        <complexType name="B"><simpleContent><extension base="string"><attribute ref="t:far"/>
          <attribute name="a" form="qualified" fixed="7"/><attribute name="b"/>
          <attribute ref="xml:lang"/><attribute name="c"><simpleType><restriction base="string">
          <enumeration value="x"/></restriction></simpleType></attribute></extension></simpleContent></complexType>"#;
    let wsdl = one("t:A", attributes);
    let given = ["a=1", "a@far=2", "a@a=7", "a@lang=de", "a@c=x"];
    is_sent(&wsdl, &given, "c=\"x\"");
    is_sent(&wsdl, &given, "xml:lang=\"de\"");
    for name in ["far=\"2\"", "a=\"7\""] {
        is_sent(&wsdl, &given, &format!(":{name}"));
    }
    is_rejected(&wsdl, &["a=1", "a@b=1"], "a@b: A takes @far, @a, @lang, @c");
    is_rejected(&wsdl, &["a=1", "a@far=x"], "a@far=x: it takes short");
    is_rejected(
        &wsdl,
        &["a=1", "a@a=8"],
        "a@a=8: it takes string: \"8\" is not as the pattern 7 has it",
    );
    is_rejected(&wsdl, &["a=1", "a@c=y"], "a@c=y: it takes x");
}

/// That of an array of the encoding is written by the encoding, however a description asks for it.
#[test]
fn the_attribute_of_an_array_is_written_where_it_must_be_there() {
    let array = r#"<complexType name="A"><complexContent><restriction base="e:Array"
        xmlns:e="http://schemas.xmlsoap.org/soap/encoding/" xmlns:w="http://schemas.xmlsoap.org/wsdl/">
        <attribute ref="e:arrayType" w:arrayType="x:int[]" xmlns:x="http://www.w3.org/2001/XMLSchema"
        use="required"/></restriction></complexContent></complexType>"#;
    let wsdl = one("t:A", array)
        .replace("\"document\"", "\"rpc\"")
        .replace("use=\"literal\"", "use=\"encoded\" namespace=\"urn:t\"")
        .replace("element=\"t:ask\"", "type=\"t:A\"");
    is_sent(&wsdl, &["p[0]=1", "p[1]=2"], ":int[2]\"");
}

#[test]
fn values_that_are_fixed_are_no_others() {
    let fixed = r#"<element name="ask"><complexType><sequence><element name="a" type="string" fixed="7"/>
        </sequence></complexType></element>"#;
    is_sent(&ask_of(fixed), &["a=7"], "<a>7</a>");
    is_rejected(&ask_of(fixed), &["a=8"], "a=8: it takes string: \"8\" is not as the pattern 7");
    is_sent(&ask_of(fixed), &[], "<a>7</a>");
    let alone = r#"<element name="ask"><complexType><sequence><element name="a"><simpleType>
        <restriction base="int"><enumeration value="7"/></restriction></simpleType></element></sequence></complexType></element>"#;
    is_sent(&ask_of(alone), &[], "<a>7</a>");
    let value = r#"<element name="ask" type="int" fixed="7"/>"#;
    is_sent(&ask_of(value), &["ask=7"], ">7</");
    is_rejected(&ask_of(value), &["ask=8"], "ask=8: it takes int: it is more than 7");
}

/// The description is asked for where the service is, whatever its URL ends in.
#[test]
fn a_query_of_the_url_stays() {
    let wsdl = one("int", "");
    let site = Site::start(&[("/call?tenant=7&wsdl", &wsdl)], ANSWER);
    let (status, out, err) = said(&[&site.url("/call?tenant=7"), "ask", "a=1"]);
    assert_eq!((status, &*out), (Some(0), "text = yes\n"), "{err}");
    assert!(err.starts_with(&format!("POST {}\n", site.url("/call?tenant=7"))), "{err}");
}

/// What is not there may be named any number of times; an error stays a line that one can read.
#[test]
fn an_error_has_an_end() {
    let far: String = (0..20_000)
        .map(|it| format!(r#"<import namespace="urn:far" schemaLocation="far{it}.xsd"/>"#))
        .collect();
    let wsdl = ask_of(&format!(r#"{far}<element name="ask" type="far:A"/>"#));
    let site = Site::start(&[("/?wsdl", &wsdl)], ANSWER);
    let (status, _, err) = said(&[&site.url("/"), "ask"]);
    assert_eq!(status, Some(2), "{err}");
    assert_eq!(err.matches("is not read: ").count(), 8, "{err}");
    assert!(err.contains("; and 19992 more are not read"), "{err}");
    assert!(err.len() < 4096, "{} bytes", err.len());
    assert_eq!(site.asked().got.len(), 100, "documents are asked for");
    let (_, _, err) = said(&[&site.url("/"), "asc"]);
    assert!(err.contains("has no operation asc; there is ask; did you mean ask?"), "{err}");
    // Nor do names have a length.
    let long = "x".repeat(100_000);
    let (status, _, err) = said(&[&site.url("/"), &long]);
    assert_eq!(status, Some(2), "{err}");
    assert!(err.len() < 20_000 && err.lines().count() == 1, "{} bytes", err.len());
}

/// A letter is not meant by another one.
#[test]
fn what_is_like_nothing_is_nothing_that_was_meant() {
    is_rejected(&one("int", ""), &["c=1"], "\"c\": ask takes a (int)\n");
}

/// Who said where the description is, is told what is there; who did not, that it can be said.
#[test]
fn a_description_that_is_not_there_can_be_elsewhere() {
    let site = Site::start(&[], ANSWER);
    let (_, _, err) = said(&[&site.url("/call"), "ask"]);
    assert!(err.contains("/call?wsdl: HTTP status 404: ; say --wsdl where it is, or"), "{err}");
    let (_, _, err) = said(&[&site.url("/call"), "ask", "--wsdl", &site.url("/other")]);
    assert!(err.ends_with("/other: HTTP status 404: \n"), "{err}");
}

/// Who has the URL of the description, has that of the service.
#[test]
fn the_url_of_the_description_will_do() {
    let wsdl = one("int", "");
    for path in ["/call?wsdl", "/call?WSDL"] {
        let site = Site::start(&[(path, &*wsdl)], ANSWER);
        let (status, out, err) = said(&[&site.url(path), "ask", "a=1"]);
        assert_eq!((status, &*out), (Some(0), "text = yes\n"), "{path}: {err}");
        assert!(err.starts_with(&format!("POST {}\n", site.url("/call"))), "{err}");
    }
}

#[test]
fn lists_and_unions_are_checked() {
    let types = r#"<simpleType name="Side"><restriction base="string"><enumeration value="buy"/>
          <enumeration value="sell"/></restriction></simpleType>
        <simpleType name="Numbers"><list itemType="int"/></simpleType>
        <simpleType name="Sides"><list><simpleType><restriction base="t:Side"/></simpleType></list></simpleType>
        <simpleType name="Either"><union memberTypes="t:Side int"><simpleType>
          <restriction base="string"><enumeration value="none"/></restriction></simpleType></union></simpleType>
        <complexType name="Price"><simpleContent><restriction base="t:Money"><enumeration value="7"/>
          </restriction></simpleContent></complexType>
        <complexType name="Money"><simpleContent><extension base="int"/></simpleContent></complexType>
        <simpleType name="Lost"><union memberTypes="int far:Lost"/></simpleType>"#;
    for (name, good, bad, takes) in [
        ("Numbers", "1 2 3", "1 two", "list of int"),
        ("Sides", "buy sell", "buy hold", "list of buy|sell"),
        ("Either", "buy", "hold", "string: \"hold\" is not as the pattern"),
        ("Either", "42", "4.2", "string: \"4.2\" is not as the pattern"),
        ("Either", "none", "nothing", "string: \"nothing\" is not as the pattern"),
        ("Price", "7", "8", "int: it is none of 7"),
    ] {
        let wsdl = one(&format!("t:{name}"), types);
        is_sent(&wsdl, &[&format!("a={good}")], &format!("<a>{good}</a>"));
        is_rejected(&wsdl, &[&format!("a={bad}")], &format!("a={bad}: it takes {takes}"));
    }
    is_rejected(&one("t:Lost", types), &["a=1"], "the type {urn:far}Lost is not defined");
    let itself = r#"<simpleType name="U"><union memberTypes="t:U"/></simpleType>"#;
    let why = "types that are made of one another without end";
    is_rejected(&one("t:U", itself), &["a=1"], why);
    // Unions of unions may not take for ever.
    let mut bomb = String::from(r#"<simpleType name="U0"><restriction base="int"/></simpleType>"#);
    for number in 1..=30 {
        let below = number - 1;
        bomb += &format!(
            r#"<simpleType name="U{number}"><union memberTypes="t:U{below} t:U{below} t:U{below}"/></simpleType>"#
        );
    }
    is_rejected(&one("t:U30", &bomb), &["a=1"], why);
}

#[test]
fn names_are_of_any_letters() {
    let schema = r#"<include schemaLocation="größe 1.xsd"/><element name="ask" type="t:Größe"/>"#;
    let included = r#"<schema xmlns="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t">
        <complexType name="Größe"><sequence><element name="länge" type="int"/><element name="名前" type="string"/>
        <element name="a.b-c" type="int"/></sequence></complexType></schema>"#;
    let documents = [("/caf%C3%A9?wsdl", &*ask_of(schema)), ("/gr%C3%B6%C3%9Fe%201.xsd", included)];
    let site = Site::start(&documents, ANSWER);
    let url = site.url("/caf%C3%A9");
    let values = ["länge=7", "名前=東京 ö", r"a\.b-c=8"];
    let (status, out, err) = said(&[&[&*url, "ask"], &values[..]].concat());
    assert_eq!((status, &*out), (Some(0), "text = yes\n"), "{err}");
    let sent = site.asked().posted.concat();
    assert!(sent.contains("<länge>7</länge><名前>東京 ö</名前><a.b-c>8</a.b-c>"), "{sent}");
    let (_, _, err) = said(&[&url, "ask", "lange=7"]);
    assert!(err.contains("did you mean länge?"), "{err}");
    let (_, _, err) = said(&[&url, "ask", "länge=7", "名前=x"]);
    assert!(err.contains(r"say a\.b-c=VALUE"), "{err}");
}

/// WS-I Basic Profile 1.1, R2716: a document without parts is an empty Body.
#[test]
fn a_message_may_be_empty() {
    let wsdl = ask_of("").replace(r#"<part name="p" element="t:ask"/>"#, "");
    is_sent(&wsdl, &[], ":Body></");
    is_rejected(&wsdl, &["a=1"], "\"a\": ask takes nothing");
    let empty = ANSWER.replace("<r><text>yes</text></r>", "");
    let site = Site::start(&[("/?wsdl", &wsdl)], &empty);
    let (status, out, err) = said(&[&site.url("/"), "ask"]);
    assert_eq!((status, &*out), (Some(0), "the answer is empty\n"), "{err}");
    // An element of no stated type may be empty, too.
    is_sent(&ask_of(r#"<element name="ask"/>"#), &[], "ask");
    is_sent(&ask_of(r#"<element name="ask"><complexType/></element>"#), &[], "ask");
}

/// A document may be one value, which has the name of its element.
#[test]
fn the_element_of_the_body_may_be_a_value() {
    let list = r#"<element name="ask" nillable="true"><simpleType><list itemType="int"/></simpleType></element>"#;
    let wsdl = ask_of(list);
    is_sent(&wsdl, &["ask=1 2"], ">1 2</");
    is_sent(&wsdl, &["ask:nil="], "xsi:nil=\"true\"/></");
    is_rejected(&wsdl, &["ask=one"], "ask=one: it takes string: \"one\" is not as the pattern");
    is_rejected(
        &wsdl,
        &[],
        "ask is missing: ask takes ask (string); say ask=VALUE, or ask:nil= for no value",
    );
    is_rejected(&wsdl, &["a=1"], "\"a\": ask takes ask (string)");
}

/// What the schema says of an element, and what no field of a message holds.
#[test]
fn the_schema_says_what_may_be_nil_and_what_is_fixed() {
    let wsdl = ask_of(
        r#"<element name="ask"><complexType><sequence>
          <element name="a" type="int" minOccurs="0"/><element name="b" type="int" minOccurs="0" nillable="true"/>
          <element name="c" type="boolean" fixed="true" minOccurs="0"/></sequence></complexType></element>"#,
    );
    is_sent(&wsdl, &["a=1", "b:nil=", "c=1"], "xsi:nil=\"true\"");
    is_sent(&wsdl, &["c=true"], "true</");
    is_rejected(&wsdl, &["a:nil="], "a: xsi:nil of an element that is not nillable");
    is_rejected(&wsdl, &["c=false"], "c: \"false\" is not \"true\", which is fixed");
}

#[test]
fn header_blocks_that_are_not_sent_are_named() {
    let head = r#"<soap:header message="t:In" part="session" use="literal"/></input>"#;
    let wsdl = ask_of(r#"<element name="ask"/>"#)
        .replace("</input></operation></binding>", &format!("{head}</operation></binding>"))
        .replace("</message>", r#"<part name="session" element="t:ask"/></message>"#)
        .replace("<soap:body", r#"<soap:body parts="p""#);
    let (status, out, err, _) = ask(&wsdl, &[]);
    assert_eq!((status, &*out), (Some(0), "text = yes\n"), "{err}");
    assert!(err.starts_with("header blocks of the WSDL that are not sent: session\n"), "{err}");
}
