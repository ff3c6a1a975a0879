//! What `trunkline soap call` does with what a WSDL says of types, and with documents that it imports.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs};

use trunkline_message::{Group, Message};
use trunkline_session::soap::{Binding, Fault, Running, Server, Service};

use super::said;
use super::site::Site;

#[derive(Message, Clone, Debug, Default)]
struct Leg {
    symbol: String,
    ratio: Option<f64>,
}

#[derive(Message, Clone, Debug, Default)]
struct Order {
    quantity: i32,
    #[field(implied)]
    first: Leg,
    #[xml(entry = "leg")]
    legs: Group<Leg>,
    #[field(required)]
    sizes: Vec<i64>,
}

#[derive(Message, Clone, Debug, Default)]
struct Taken {
    text: String,
}

const PATHS: [(&str, Binding); 5] = [
    ("/wrapped", Binding::document_literal()),
    ("/bare", Binding::document_literal_bare()),
    ("/document-encoded", Binding::document_encoded()),
    ("/rpc-literal", Binding::rpc_literal()),
    ("/rpc-encoded", Binding::rpc_encoded()),
];

/// A service that says what it was sent, and how often it was called.
fn start() -> (Running, Arc<AtomicUsize>) {
    let place = |order: Order| {
        let legs: Vec<String> =
            order.legs.iter().map(|it| format!("{} {:?}", it.symbol, it.ratio)).collect();
        let text = format!(
            "{} of {:?}, {:?}, {:?}",
            order.quantity, order.first.symbol, legs, order.sizes
        );
        Ok::<_, Fault>(Taken { text })
    };
    let mut service = Service::new("Orders", "urn:orders").operation("place", place);
    for (path, binding) in PATHS {
        service = service.at(path, binding);
    }
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = calls.clone();
    let server = Server::new().service(service).on_call(move |_| {
        counted.fetch_add(1, Ordering::SeqCst);
    });
    (server.start("127.0.0.1:0").expect("a server"), calls)
}

#[test]
fn what_the_operation_does_not_take_is_rejected_and_nothing_is_sent() {
    let (server, calls) = start();
    let whole = ["quantity=1", "first.symbol=A", "legs=", "sizes=1"];
    let cases: [(&[&str], &str); 9] = [
        (&["quantiyt=1"], "\"quantiyt\": place takes quantity (int), first (Leg"),
        (&["quantiyt=1"], "did you mean quantity?"),
        (&["first.symbol=A"], "quantity is missing: place takes quantity (int)"),
        (&["quantity=1", "first.ratio=1.5"], "first.symbol is missing: Leg takes symbol (string)"),
        (&["quantity=many"], "quantity=many: it takes int"),
        (&["quantity=2147483648"], "quantity=2147483648: it takes int"),
        (&["quantity=1", "first=A"], "first is no value, but holds symbol (string)"),
        (&["quantity.x=1"], "quantity is a value (int), without elements inside"),
        (&["quantity:double=1"], "quantity is int, not double"),
    ];
    for (path, _) in PATHS {
        let url = format!("http://{}{path}", server.address());
        for (arguments, words) in cases {
            let given: Vec<&str> = [&*url, "place"].iter().chain(arguments).copied().collect();
            let (status, out, err) = said(&given);
            assert_eq!((status, &*out), (Some(2), ""), "{path} {arguments:?}: {err}");
            assert!(err.contains(words), "{path} {arguments:?}: no {words:?} in {err}");
        }
        let (status, _, err) = said(&[&[&*url, "place"], &whole[..], &["sizes[3]=1"]].concat());
        assert_eq!(status, Some(2), "{path}: {err}");
        assert!(err.contains("sizes"), "{path}: {err}");
    }
    assert_eq!(calls.load(Ordering::SeqCst), 0, "a request was sent");
}

#[test]
fn arrays_and_structs_are_written_as_every_style_has_them() {
    let (server, _) = start();
    for (path, binding) in PATHS {
        for version in [&[][..], &["--soap12"]] {
            let url = format!("http://{}{path}", server.address());
            // In another order than the struct's.
            let mut arguments = vec![
                &*url,
                "place",
                "legs.leg[1].symbol=Y",
                "legs.leg[0].symbol=X",
                "legs.leg[0].ratio=0.5",
                "sizes.item[0]=7",
                "sizes.item[1]=8",
                "first.symbol=A",
                "quantity=3",
            ];
            arguments.extend(version);
            let (status, out, err) = said(&arguments);
            let expected = "text = 3 of \"A\", [\"X Some(0.5)\", \"Y None\"], [7, 8]\n";
            assert_eq!((status, &*out), (Some(0), expected), "{path} {version:?}: {err}");
            if !binding.style.is_encoded() {
                continue;
            }
            let mut arguments = vec![
                &*url,
                "place",
                "quantity=3",
                "first.symbol=A",
                "legs[0].symbol=X",
                "sizes[0]=7",
                "sizes[1]=8",
                "sizes[2]=9",
            ];
            arguments.extend(version);
            let (status, out, err) = said(&arguments);
            let expected = "text = 3 of \"A\", [\"X None\"], [7, 8, 9]\n";
            assert_eq!((status, &*out), (Some(0), expected), "{path} {version:?}: {err}");
        }
    }
}

/// What is not given is not made up, in no style; what is given as empty is sent so. By the
/// description of this service, sizes and the parts of rpc have to be there, and legs inside a
/// document have not.
#[test]
fn a_list_that_has_to_be_there_is_not_made_up() {
    let (server, calls) = start();
    for (path, binding) in PATHS {
        let url = format!("http://{}{path}", server.address());
        let legs = if binding.style.is_encoded() { "legs[0]" } else { "legs.leg[0]" };
        let sizes = if binding.style.is_encoded() { "sizes[0]" } else { "sizes.item[0]" };
        let legs = format!("; say {legs}.symbol=VALUE, or legs= for an empty one");
        let sizes = format!("; say {sizes}=VALUE, or sizes= for an empty one");
        for (given, missing, how) in [("sizes=", "legs", &legs), ("legs=", "sizes", &sizes)] {
            let before = calls.load(Ordering::SeqCst);
            let (status, out, err) = said(&[&url, "place", "quantity=1", "first.symbol=A", given]);
            if missing == "legs" && !path.starts_with("/rpc") {
                assert_eq!(
                    (status, &*out),
                    (Some(0), "text = 1 of \"A\", [], []\n"),
                    "{path}: {err}"
                );
                continue;
            }
            assert_eq!((status, &*out), (Some(2), ""), "{path} {given}: {err}");
            assert!(err.contains(&format!("{missing} is missing: place takes")), "{path}: {err}");
            assert!(err.contains(how), "{path} {given}: no {how:?} in {err}");
            assert_eq!(calls.load(Ordering::SeqCst), before, "{path}: a request was sent");
        }
        for version in [&[][..], &["--soap12"]] {
            let given = ["quantity=1", "first.symbol=A", "sizes=", "legs="];
            let (status, out, err) = said(&[&[&*url, "place"], &given[..], version].concat());
            let expected = "text = 1 of \"A\", [], []\n";
            assert_eq!((status, &*out), (Some(0), expected), "{path} {version:?}: {err}");
        }
    }
}

#[test]
fn an_array_that_nobody_describes_is_not_sent() {
    let (server, calls) = start();
    let url = format!("http://{}/rpc-encoded", server.address());
    let namespace = ["--namespace", "urn:orders", "--binding", "rpc-encoded"];
    let arguments = [&[&*url, "place", "sizes.item[0]=1", "sizes.item[1]=2"], &namespace[..]];
    let (status, out, err) = said(&arguments.concat());
    assert_eq!((status, &*out), (Some(2), ""), "{err}");
    assert!(err.contains("item[1]: a list that is encoded is an array"), "{err}");
    assert_eq!(calls.load(Ordering::SeqCst), 0);
}

/// A description in three documents, in a namespace each, which name one another in a circle.
const SERVICE: &str = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:service"
    xmlns:b="urn:binding" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" targetNamespace="urn:service">
  <import namespace="urn:binding" location="parts/binding.wsdl"/>
  <service name="S"><port name="P" binding="b:B"><soap:address location="http://HOST/call"/></port></service>
</definitions>"#;
const BINDING: &str = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:b="urn:binding"
    xmlns:x="urn:types" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" targetNamespace="urn:binding">
  <import namespace="urn:service" location="../service.wsdl"/>
  <types><schema xmlns="http://www.w3.org/2001/XMLSchema">
    <import namespace="urn:types" schemaLocation="types.xsd"/></schema></types>
  <message name="In"><part name="p" element="x:ask"/></message>
  <message name="Tree"><part name="p" element="x:grow"/></message>
  <message name="Odd"><part name="p" element="x:odd"/></message>
  <message name="Far"><part name="p" element="far:away" xmlns:far="urn:far"/></message>
  <portType name="T"><operation name="ask"><input message="b:In"/></operation>
    <operation name="grow"><input message="b:Tree"/></operation>
    <operation name="odd"><input message="b:Odd"/></operation>
    <operation name="away"><input message="b:Far"/></operation></portType>
  <binding name="B" type="b:T"><soap:binding style="document"/>
    <operation name="ask"><soap:operation soapAction="a"/><input><soap:body use="literal"/></input></operation>
    <operation name="grow"><soap:operation soapAction="g"/><input><soap:body use="literal"/></input></operation>
    <operation name="odd"><soap:operation soapAction="o"/><input><soap:body use="literal"/></input></operation>
    <operation name="away"><soap:operation soapAction="f"/><input><soap:body use="literal"/></input></operation>
  </binding>
</definitions>"#;
const TYPES: &str = r#"<schema xmlns="http://www.w3.org/2001/XMLSchema" xmlns:x="urn:types"
    targetNamespace="urn:types" elementFormDefault="qualified">
  <include schemaLocation="types.xsd"/><include schemaLocation="more.xsd"/>
  <import namespace="urn:far" schemaLocation="http://FAR/far.xsd"/>
  <element name="ask"><complexType><sequence>
    <element name="side" type="x:Side"/><element name="count" type="short" minOccurs="0" form="unqualified"/>
  </sequence></complexType></element>
  <element name="grow" type="x:Tree"/>
  <complexType name="Tree"><complexContent><extension base="x:Named"><sequence>
    <element name="branch" type="x:Tree" minOccurs="0" maxOccurs="2"/></sequence></extension></complexContent></complexType>
  <element name="odd"><complexType><sequence><any/></sequence></complexType></element>
</schema>"#;
/// Without a namespace: it takes that of who includes it.
const MORE: &str = r#"<schema xmlns="http://www.w3.org/2001/XMLSchema" elementFormDefault="qualified">
  <simpleType name="Side"><restriction base="string"><enumeration value="buy"/><enumeration value="sell"/>
  </restriction></simpleType>
  <complexType name="Named"><sequence><element name="name" type="string"/></sequence></complexType>
</schema>"#;
const FAR: &str = r#"<schema xmlns="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:far">
  <element name="away"><complexType><sequence><element name="x" type="int"/></sequence></complexType></element>
</schema>"#;

const ANSWER: &str = "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body>\
    <r><text>yes</text></r></e:Body></e:Envelope>";

#[test]
fn imports_are_followed_and_the_element_is_called_in_its_own_namespace() {
    let other = Site::start(&[("/far.xsd", FAR)], ANSWER);
    let types = TYPES.replace("FAR", &other.address.to_string());
    let documents = [
        ("/d/service.wsdl", SERVICE),
        ("/d/parts/binding.wsdl", BINDING),
        ("/d/parts/types.xsd", &*types),
        ("/d/parts/more.xsd", MORE),
    ];
    let site = Site::start(&documents, ANSWER);
    let folder = env::temp_dir().join(format!("trunkline-imports-{}", std::process::id()));
    fs::create_dir_all(folder.join("d/parts")).expect("a folder");
    for (path, text) in documents {
        let text = text.replace("HOST", &site.address.to_string());
        fs::write(folder.join(&path[1..]), text).expect("a file");
    }
    let file = folder.join("d/service.wsdl").display().to_string();
    for wsdl in [site.url("/d/service.wsdl"), file] {
        let url = site.url("/call");
        let call = |arguments: &[&str]| {
            let (status, out, err) = said(&[&[&*url, "--wsdl", &*wsdl], arguments].concat());
            (status, out, err, site.asked())
        };
        let (status, out, err, asked) = call(&["ask", "count=7", "side=buy"]);
        assert_eq!((status, &*out), (Some(0), "text = yes\n"), "{wsdl}: {err}");
        let envelope = asked.posted.concat();
        assert!(envelope.contains("=\"urn:types\""), "{wsdl}: {envelope}");
        assert!(
            envelope.find("side>buy<") < envelope.find("<count>7</count>"),
            "{wsdl}: {envelope}"
        );
        let times = |path: &str| asked.got.iter().filter(|it| *it == path).count();
        let once = usize::from(wsdl.starts_with("http"));
        for path in ["/d/service.wsdl", "/d/parts/binding.wsdl", "/d/parts/more.xsd"] {
            assert_eq!(times(path), once, "{wsdl} {path}: {:?}", asked.got);
        }

        let (status, out, err, asked) = call(&[
            "grow",
            "name=a",
            "branch[0].name=b",
            "branch[1].name=c",
            "branch[1].branch.name=d",
        ]);
        assert_eq!((status, &*out), (Some(0), "text = yes\n"), "{wsdl}: {err}");
        assert_eq!(asked.posted.concat().matches("branch>").count(), 6, "{:?}", asked.posted);

        for (arguments, words) in [
            (&["ask", "side=hold"][..], "side=hold: it takes buy|sell"),
            (&["odd"], "odd needs an element of any name (xsd:any)"),
            (&["away", "x=1"], "the element {urn:far}away is not defined; http://"),
            (&["away", "x=1"], "far.xsd is not read: it is on another host (--other-hosts)"),
            (&["grow", "name=a", "branch[2].name=x"], "branch[0] is missing before others"),
        ] {
            let (status, out, err, asked) = call(arguments);
            assert_eq!((status, &*out), (Some(2), ""), "{wsdl} {arguments:?}: {err}");
            assert!(err.contains(words), "{wsdl} {arguments:?}: no {words:?} in {err}");
            assert!(asked.posted.is_empty(), "{wsdl} {arguments:?}: {:?}", asked.posted);
        }
        assert_eq!(other.asked().got.len(), 0, "{wsdl}: another host was asked");

        let (status, out, err, asked) = call(&["away", "x=1", "--other-hosts"]);
        assert_eq!((status, &*out), (Some(0), "text = yes\n"), "{wsdl}: {err}");
        assert!(asked.posted.concat().contains("=\"urn:far\""), "{wsdl}: {:?}", asked.posted);
        assert_eq!(other.asked().got, ["/far.xsd"]);
    }
    fs::remove_dir_all(folder).expect("the folder is there");
}

#[test]
fn an_import_that_is_not_there_is_named() {
    let site = Site::start(&[("/service.wsdl", SERVICE)], ANSWER);
    let (status, out, err) =
        said(&[&site.url("/call"), "ask", "--wsdl", &site.url("/service.wsdl")]);
    assert_eq!((status, &*out), (Some(2), ""), "{err}");
    assert!(err.contains("has no operation ask; it has none of SOAP"), "{err}");
    assert!(err.contains("/parts/binding.wsdl"), "{err}");
}

/// SOAP 1.2 part 2 section 4.2.1.
#[test]
fn the_name_of_the_return_value_is_no_data() {
    let answer = "<e:Envelope xmlns:e='http://www.w3.org/2003/05/soap-envelope'><e:Body>\
        <n:addResponse xmlns:n='urn:n' xmlns:rpc='http://www.w3.org/2003/05/soap-rpc'>\
        <rpc:result>sum</rpc:result><sum>42</sum><result>7</result></n:addResponse></e:Body></e:Envelope>";
    let site = Site::start(&[], answer);
    let how = ["--namespace", "urn:n", "--binding", "rpc-literal", "--soap12"];
    let url = site.url("/");
    let (status, out, err) = said(&[&[&*url, "add", "a=1"], &how[..]].concat());
    assert_eq!((status, &*out), (Some(0), "sum = 42\nresult = 7\n"), "{err}");
}

/// What is no text has a key of its own, so that no text looks like it.
#[test]
fn what_comes_back_is_printed_as_what_it_is() {
    let answer = "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/' \
        xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' xmlns:c='http://schemas.xmlsoap.org/soap/encoding/'>\
        <e:Body e:encodingStyle='http://schemas.xmlsoap.org/soap/encoding/'><n:r xmlns:n='urn:n'>\
        <text>(nil)</text><none xsi:nil='true'/><leg id='1'><symbol>A</symbol></leg><again href='#1'/>\
        <like>(the same as leg)</like><list xsi:type='c:Array' c:arrayType='n:Leg[0]'/><empty/></n:r></e:Body></e:Envelope>";
    let site = Site::start(&[], answer);
    let how = ["--namespace", "urn:n", "--binding", "rpc-encoded"];
    let (status, out, err) = said(&[&[&*site.url("/"), "call"], &how[..]].concat());
    let expected = "text = (nil)\nnone:nil = \nleg.symbol = A\nagain:same = leg\n\
        like = (the same as leg)\nlist = \nempty = \n";
    assert_eq!((status, &*out), (Some(0), expected), "{err}");
}
