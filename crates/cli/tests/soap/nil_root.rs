//! Elements in the Body that are nil as a whole, as users see them.

use std::fs;

use super::nil::{has_line, run};
use super::said;
use super::served::Served;

const NIL: &str = "xsi:nil='true'";
const XSI: &str = "http://www.w3.org/2001/XMLSchema-instance";

/// Structs, values, and what may not be nil.
fn wsdl() -> String {
    let elements = [
        ("nilly", "t:Leg"),
        ("nillyResponse", "t:Leg"),
        ("price", "t:Price"),
        ("priceResponse", "int"),
        ("own", "t:Own"),
        ("ownResponse", "t:Own"),
    ];
    let element =
        |(name, of)| format!("<element name=\"{name}\" type=\"{of}\" nillable=\"true\"/>");
    let elements: String = elements.into_iter().map(element).collect();
    let operations = ["nilly", "price", "firm", "own"];
    let message = |name: &str| {
        format!(
            "<message name=\"{name}In\"><part name=\"p\" element=\"t:{name}\"/></message>\
             <message name=\"{name}Out\"><part name=\"p\" element=\"t:{name}Response\"/></message>"
        )
    };
    let operation = |name: &str| {
        format!(
            "<operation name=\"{name}\"><input message=\"t:{name}In\"/><output message=\"t:{name}Out\"/></operation>"
        )
    };
    let bound = |name: &str| {
        format!(
            "<operation name=\"{name}\"><soap:operation soapAction=\"urn:{name}\"/><input><soap:body use=\"literal\"/>\
             </input><output><soap:body use=\"literal\"/></output></operation>"
        )
    };
    let all = |write: &dyn Fn(&str) -> String| operations.map(write).concat();
    format!(
        r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:t"
    xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" targetNamespace="urn:t">
  <types><schema xmlns="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t" targetNamespace="urn:t"
      elementFormDefault="qualified">
    <complexType name="Leg"><sequence><element name="symbol" type="string"/>
      <element name="note" type="string" nillable="true"/></sequence><attribute name="id" type="int"/></complexType>
    <complexType name="Own"><sequence><element name="own" type="string" minOccurs="0"/></sequence></complexType>
    <complexType name="Price"><simpleContent><extension base="decimal"><attribute name="unit" type="string"/>
      </extension></simpleContent></complexType>
    {elements}<element name="firm" type="t:Leg"/><element name="firmResponse" type="t:Leg"/></schema></types>
  {}<portType name="T">{}</portType>
  <binding name="B" type="t:T"><soap:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>{}</binding>
  <service name="Nils"><port name="NilsPort" binding="t:B"><soap:address location="http://h/nils"/></port></service>
</definitions>"#,
        all(&message),
        all(&operation),
        all(&bound)
    )
}

fn envelope(element: &str) -> String {
    format!(
        "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/' xmlns:xsi='{XSI}'><e:Body>{element}</e:Body>\
         </e:Envelope>"
    )
}

#[test]
fn a_nil_element_is_decoded_and_converted() {
    let served = Served::of("nil-root-decoded", &wsdl());
    let nil = envelope(&format!("<nilly xmlns='urn:t' {NIL}/>"));
    let decode = ["decode", "--schema", "quotes.wsdl", "--check"];
    let (status, out, err) = run(&served, &decode, &nil);
    assert_eq!((status, &*err), (Some(0), ""), "{out}");
    has_line(&out, "nilly nil");
    assert!(!out.contains("note"), "nothing is in it: {out}");
    let convert = |from: &str, to: &str, input: &str| {
        let arguments = ["convert", "--from", from, "--to", to, "--schema", "quotes.wsdl"];
        run(&served, &arguments, input)
    };
    let right = |from: &str, to: &str, input: &str| {
        let (status, out, err) = convert(from, to, input);
        assert_eq!((status, &*err), (Some(0), ""), "{from} to {to}: {out}");
        out
    };
    for name in ["nilly", "price", "own"] {
        let input = nil.replace("nilly", name);
        let json = right("soap-1.1", "json", &input);
        assert_eq!(json, format!("{{\"{name}\":null}}\n"));
        for format in ["soap-1.1", "soap-1.2", "xml", "fast-infoset"] {
            let text = right("json", format, &json);
            if format != "fast-infoset" {
                assert!(text.contains("xsi:nil=\"true\"/>"), "{text}");
            }
            assert_eq!(right(format, "json", &text), json, "{format}");
        }
    }
    // What is not nil stays that.
    let whole = "{\"nilly\":{\"symbol\":\"S\"}}\n";
    let text = right("json", "soap-1.1", whole);
    assert!(
        text.contains("<ns:note xsi:nil=\"true\"/>") || text.contains("note xsi:nil"),
        "{text}"
    );
    assert_eq!(right("soap-1.1", "json", &text), whole);
    for format in ["cdr-be", "cdr-le"] {
        let (status, out, err) = convert("soap-1.1", format, &nil);
        assert_eq!((status, &*out), (Some(1), ""), "{err}");
        assert!(err.contains("it is nil, which cannot be said"), "{err}");
    }
    for (from, input, why) in [
        ("soap-1.1", nil.replace("nilly", "firm"), "a message, not nil"),
        ("json", "{\"firm\": null}\n".to_owned(), "a message, not null"),
        ("soap-1.1", nil.replace("/></e:Body>", "><symbol>S</symbol></nilly></e:Body>"), "is nil"),
    ] {
        let (status, out, err) = convert(from, "soap-1.2", &input);
        assert_eq!((status, &*out), (Some(1), ""), "{input}: {err}");
        assert!(err.contains(why), "{input}: {err}");
    }
}

/// XML Schema part 1 section 2.6.2: it may have attributes.
#[test]
fn a_nil_element_keeps_its_attributes() {
    let served = Served::of("nil-root-attributes", &wsdl());
    let nil = envelope(&format!("<nilly xmlns='urn:t' id='7' {NIL}/>"));
    let (status, out, err) = run(&served, &["decode", "--schema", "quotes.wsdl", "--check"], &nil);
    assert_eq!((status, &*err), (Some(0), ""), "{out}");
    has_line(&out, "nilly nil");
    has_line(&out, "id 7");
    let convert = |from: &str, to: &str, input: &str| {
        run(&served, &["convert", "--from", from, "--to", to, "--schema", "quotes.wsdl"], input)
    };
    let mut text = nil.clone();
    for (from, to) in
        [("soap-1.1", "soap-1.2"), ("soap-1.2", "fast-infoset"), ("fast-infoset", "xml")]
    {
        let (status, out, err) = convert(from, to, &text);
        assert_eq!((status, &*err), (Some(0), ""), "{from} to {to}: {out}");
        text = out;
    }
    assert!(text.contains("xsi:nil=\"true\" id=\"7\"/>"), "{text}");
    let (status, out, err) = convert("soap-1.1", "json", &nil);
    assert_eq!((status, &*out), (Some(1), ""), "{err}");
    assert!(err.contains("it is nil and has attributes, for which JSON has no form"), "{err}");
}

#[test]
fn a_nil_element_is_described_called_and_served() {
    let mut served = Served::of("nil-root-served", &wsdl());
    let described = served.describe("quotes.wsdl");
    has_line(&described, "takes {urn:t}nilly, nillable");
    has_line(&described, "answers {urn:t}firmResponse");
    has_line(&described, "(text) decimal nillable");
    has_line(&described, "answers {urn:t}priceResponse, nillable");
    fs::create_dir(served.folder.join("answers")).expect("a folder");
    let file = |name: &str, text: &str| {
        fs::write(served.folder.join("answers").join(name), text).expect("a file");
    };
    file("nilly.json", "{\"nillyResponse\": null}");
    file("price.xml", &format!("<priceResponse xmlns='urn:t' xmlns:xsi='{XSI}' {NIL}/>"));
    let started = served.start_all(&["--answers", "answers"]);
    let url = started[0].split(' ').next().expect("a URL");
    let xml =
        |name: &str, more: &str| format!("<{name} xmlns='urn:t' xmlns:xsi='{XSI}' {NIL}{more}/>");
    for (operation, arguments) in [
        ("nilly", vec!["nilly:nil="]),
        ("nilly", vec!["nilly:nil=", "@id=5"]),
        ("nilly", vec!["nilly@id=5", "nilly:nil="]),
        ("nilly", vec!["symbol=S", "note:nil="]),
        ("nilly", vec!["--body", "{\"nilly\": null}"]),
        ("nilly", vec!["--body", &xml("nilly", " id='5'")]),
        ("nilly", vec!["--body", &envelope(&xml("nilly", ""))]),
        ("price", vec!["price:nil=", "@unit=EUR"]),
        ("price", vec!["--body", "{\"price\": null}"]),
        ("price", vec!["price=1.5", "price@unit=EUR"]),
    ] {
        let (status, out, err) = said(&[&[url, operation], &*arguments].concat());
        let expected = format!("{operation}Response:nil = \n");
        assert_eq!((status, &*out), (Some(0), &*expected), "{arguments:?}: {err}{}", served.log());
        assert!(!err.contains("not as the WSDL has it"), "{err}");
    }
    // What has the name of a member is that, but for null around which nothing else stands.
    for (arguments, inside) in [
        (vec!["own=x", "--dry-run"], "own>x</"),
        (vec!["--body", "{\"own\": {\"own\": \"x\"}}", "--dry-run"], "own>x</"),
        (vec!["--body", "{\"own\": null}", "--dry-run"], "xsi:nil=\"true\"/></SOAP-ENV:Body>"),
    ] {
        let (status, out, err) = said(&[&[url, "own"], &*arguments].concat());
        assert_eq!(status, Some(0), "{arguments:?}: {err}");
        assert!(out.contains(inside), "{arguments:?}: {out}");
    }
    let (_, sent, _) = said(&[url, "nilly", "--dry-run", "nilly:nil=", "@id=5"]);
    assert!(sent.contains("xsi:nil=\"true\"") && sent.contains("id=\"5\""), "{sent}");
    for (operation, arguments, why) in [
        ("nilly", vec!["nilly:nil=", "symbol=S"], "symbol: nilly is nil, and has no element"),
        ("nilly", vec!["nilly:nil=", "@it=5"], "nilly takes @id"),
        ("firm", vec!["firm:nil="], "firm may not be nil"),
        ("own", vec!["own:nil="], "own: xsi:nil of an element that is not nillable"),
        ("firm", vec!["--body", "{\"firm\": null}"], "a message, not null"),
        ("firm", vec!["--body", &xml("firm", "")], "a message, not nil"),
    ] {
        let (status, out, err) = said(&[&[url, operation], &*arguments].concat());
        assert_eq!((status, &*out), (Some(2), ""), "{arguments:?}: {err}");
        assert!(err.contains(why), "{arguments:?}: {err}");
    }
    let (status, out, _) = said(&[url, "firm", "--unchecked", "--body", &xml("firm", "")]);
    assert_eq!(status, Some(1), "{out}");
    assert!(out.contains("fault: Sender: ") && out.contains("not nil"), "{out}");
}

#[test]
fn rules_answer_nil_elements() {
    let mut served = Served::of("nil-root-rules", &wsdl());
    let folder = served.folder.clone();
    let file = |name: &str, text: &str| fs::write(folder.join(name), text).expect("a file");
    file("nothing.json", "null");
    let rules = "[[answer]]\noperation = \"nilly\"\nwhen = { symbol = \"S\" }\nfile = \"nothing.json\"\n\
        [[answer]]\noperation = \"nilly\"\nresponse = { symbol = \"other\" }\n";
    file("rules.toml", rules);
    let started = served.start_all(&["--answers", "rules.toml"]);
    let url = started[0].split(' ').next().expect("a URL");
    for (arguments, expected) in [
        (&["symbol=S", "note=n"][..], "nillyResponse:nil = \n"),
        (&["nilly:nil="], "symbol = other\nnote:nil = \n"),
    ] {
        let (status, out, err) = said(&[&[url, "nilly"], arguments].concat());
        assert_eq!((status, &*out), (Some(0), expected), "{err}{}", served.log());
    }
    // What may not be nil is no answer.
    file("rules.toml", &rules.replace("\"nilly\"", "\"firm\""));
    let err = served.failure(&["--listen", "127.0.0.1:0", "--answers", "rules.toml"]);
    assert!(err.contains("a message, not null"), "{err}");
}

#[test]
fn other_descriptions_say_what_may_be_nil() {
    let served = Served::of("nil-root-schemas", &wsdl());
    let schema = |arguments: &[&str]| {
        let (status, out, err) =
            run(&served, &[&["schema", "quotes.wsdl"], arguments].concat(), "");
        assert_eq!(status, Some(0), "{err}");
        (out, err)
    };
    let (rust, _) = schema(&["--rust"]);
    for words in [
        "fn nilly(&mut self, request: &Option<Nilly>) -> Result<Option<NillyResponse>, soap::CallError>",
        "fn firm(&mut self, request: &Firm) -> Result<FirmResponse, soap::CallError>",
        "soap::Signature::of::<Option<Nilly>>(name, action, binding, element)",
        "answered_by::<Option<PriceResponse>>(binding, element)",
    ] {
        assert!(rust.contains(words), "no {words} in {rust}");
    }
    let (xsd, _) = schema(&["--xsd"]);
    for (name, is_nillable) in [("nilly", true), ("priceResponse", true), ("firm", false)] {
        let at = xsd.find(&format!("<xsd:element name=\"{name}\"")).expect("an element");
        let tag = xsd[at..].split('>').next().expect("a tag");
        assert_eq!(tag.contains("nillable=\"true\""), is_nillable, "{tag}");
    }
    let (_, told) = schema(&["--wsdl"]);
    assert!(told.contains("the element around parameters is not nil"), "{told}");
    // A listing keeps it.
    let (listing, _) = schema(&["nilly", "--listing"]);
    assert!(listing.contains("note-type\txml\telement_nillable\ttrue\n"), "{listing}");
    fs::write(served.folder.join("nilly.txt"), listing).expect("a file");
    let arguments = ["convert", "--from", "json", "--to", "xml", "--schema", "nilly.txt"];
    let (status, out, err) = run(&served, &arguments, "{\"nilly\":null}\n");
    assert_eq!((status, &*err), (Some(0), ""), "{out}");
    assert!(out.contains("xsi:nil=\"true\"/>"), "{out}");
}

/// They are what a request that is nil may say.
#[test]
fn rules_see_the_attributes_of_nil_elements() {
    let mut served = Served::of("nil-root-rules-attributes", &wsdl());
    let rules = "[[answer]]\noperation = \"nilly\"\nwhen = { id = 5 }\nresponse = { symbol = \"five\" }\n\
        [[answer]]\noperation = \"nilly\"\nwhen = { symbol = \"S\" }\nresponse = { symbol = \"own\" }\n\
        [[answer]]\noperation = \"nilly\"\nresponse = { symbol = \"other\" }\n";
    fs::write(served.folder.join("rules.toml"), rules).expect("a file");
    let started = served.start_all(&["--answers", "rules.toml"]);
    let url = started[0].split(' ').next().expect("a URL");
    for (arguments, symbol) in [
        (&["nilly:nil="][..], "other"),
        (&["nilly:nil=", "@id=5"], "five"),
        (&["nilly:nil=", "@id=6"], "other"),
        (&["symbol=S", "note:nil="], "own"),
    ] {
        let (status, out, err) = said(&[&[url, "nilly"], arguments].concat());
        let expected = format!("symbol = {symbol}\nnote:nil = \n");
        assert_eq!((status, out), (Some(0), expected), "{arguments:?}: {err}{}", served.log());
    }
}

#[test]
fn values_are_given_as_xml_schema_has_them() {
    let mut served = Served::of("nil-root-values", &wsdl());
    let started = served.start_all(&[]);
    let url = started[0].split(' ').next().expect("a URL");
    let (status, sent, err) = said(&[url, "price", "price=+1.5", "--dry-run"]);
    assert!(status == Some(0) && sent.contains(">+1.5</"), "{sent}{err}");
    let (status, sent, err) = said(&[url, "nilly", "nilly:nil=true", "@id=+7", "--dry-run"]);
    assert!(status == Some(0) && sent.contains("xsi:nil=\"true\""), "{sent}{err}");
    assert!(sent.contains("id=\"+7\""), "{sent}");
    for (arguments, why) in [
        (&["nilly", "nilly:nil=false"][..], "what is nil has no value; say nilly:nil="),
        (&["nilly", "symbol=S", "note:nil=x"], "what is nil has no value; say note:nil="),
        (&["price", "price=++1"], "price=++1: it takes decimal"),
        (
            &["price", "--body", "{\"price\": {\"price\": 3, \"unit\": \"E\"}}"],
            "price: the schema does not know it, and unknown content is rejected; there is value, unit",
        ),
    ] {
        let (status, out, err) = said(&[&[url], arguments].concat());
        assert_eq!((status, &*out), (Some(2), ""), "{arguments:?}: {err}");
        assert!(err.contains(why), "{arguments:?}: {err}");
        assert!(!err.contains("did you mean"), "{err}");
    }
}

#[test]
fn nil_messages_are_measured_in_the_formats_that_hold_them() {
    let served = Served::of("nil-root-measured", &wsdl());
    let nil = format!("<nilly xmlns='urn:t' xmlns:xsi='{XSI}' {NIL}/>");
    let whole =
        format!("<nilly xmlns='urn:t' xmlns:xsi='{XSI}'><symbol>S</symbol><note {NIL}/></nilly>");
    let measure =
        ["lab", "message", "-", "--schema", "quotes.wsdl", "--repetitions", "1", "--json"];
    let (status, out, err) = run(&served, &measure, &format!("{nil}\n{whole}\n"));
    assert_eq!(status, Some(0), "{err}");
    let facts: Vec<serde_json::Value> =
        out.lines().map(|it| serde_json::from_str(it).expect("JSON")).collect();
    for format in ["xml", "soap-1.1", "soap-1.2", "fast-infoset", "json"] {
        let fact = facts.iter().find(|it| it["format"] == format);
        let fact = fact.unwrap_or_else(|| panic!("no {format} in {out}{err}"));
        assert_eq!((&fact["name"], &fact["messages"]), (&"nilly".into(), &2.into()), "{fact}");
    }
    assert!(err.contains("nilly as cdr-le: ") && err.contains("it is nil"), "{err}");
}

/// A record that is nil has no type.
#[test]
fn a_nil_element_of_an_abstract_type_is_not_converted() {
    let derived = "<complexType name=\"Near\"><complexContent><extension base=\"t:Leg\"/></complexContent></complexType>\
        <complexType name=\"Leg\" abstract=\"true\">";
    let served =
        Served::of("nil-root-abstract", &wsdl().replace("<complexType name=\"Leg\">", derived));
    let convert = ["convert", "--from", "soap-1.1", "--to", "soap-1.2", "--schema", "quotes.wsdl"];
    let element = |more: &str| {
        envelope(&format!("<nilly xmlns='urn:t' xmlns:t='urn:t' xsi:type='t:Near'{more}</nilly>"))
    };
    let (status, out, err) = run(&served, &convert, &element(&format!(" {NIL}>")));
    assert_eq!((status, &*out), (Some(1), ""), "{err}");
    let why =
        "/nilly: it is nil, and of an abstract type: which one its xsi:type names is not kept";
    assert!(err.contains(why), "{err}");
    let whole = element(&format!("><symbol>S</symbol><note {NIL}/>"));
    let (status, out, err) = run(&served, &convert, &whole);
    assert_eq!((status, &*err), (Some(0), ""), "{out}");
    assert!(out.contains("Near\""), "{out}");
}

#[test]
fn what_may_be_absent_or_nil_is_described() {
    let optional = wsdl().replace(
        "type=\"string\" nillable=\"true\"/>",
        "type=\"string\" nillable=\"true\" minOccurs=\"0\"/>",
    );
    let served = Served::of("nil-root-optional", &optional);
    let described = served.describe("quotes.wsdl");
    has_line(&described, "note text 0..1 nillable");
    has_line(&described, "own text 0..1");
}
