//! Faults as other toolkits write them.

use trunkline_message::Limits;
use trunkline_soap::{Fault, FaultCode, QName};

use crate::{SOAP11, SOAP12};

fn decode(document: &str) -> Fault {
    let fault = Fault::decode(document.as_bytes(), &Limits::default());
    fault.unwrap_or_else(|error| panic!("{document}: {error}"))
}

fn texts(fault: &Fault) -> (FaultCode, &str, Vec<&str>) {
    let detail = fault.detail.iter().map(|entry| entry.as_str()).collect();
    (fault.code, &fault.reason, detail)
}

#[test]
fn gsoap() {
    let document = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<SOAP-ENV:Envelope xmlns:SOAP-ENV=\"{SOAP11}\" \
         xmlns:SOAP-ENC=\"http://schemas.xmlsoap.org/soap/encoding/\" \
         xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" \
         xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\" xmlns:ns=\"urn:calc\"><SOAP-ENV:Body>\
         <SOAP-ENV:Fault><faultcode>SOAP-ENV:Client</faultcode><faultstring>Division by \
         zero</faultstring><detail><ns:problem xsi:type=\"xsd:string\">b</ns:problem></detail>\
         </SOAP-ENV:Fault></SOAP-ENV:Body></SOAP-ENV:Envelope>"
    );
    let fault = decode(&document);
    let detail = "<ns:problem xmlns:ns=\"urn:calc\" \
         xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" \
         xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\" xsi:type=\"xsd:string\">b</ns:problem>";
    assert_eq!(texts(&fault), (FaultCode::Sender, "Division by zero", vec![detail]));
}

/// What a detail refers to stands behind the Fault.
#[test]
fn axis_1_4_where_content_is_encoded() {
    let document = |rest: &str| {
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?><soapenv:Envelope \
             xmlns:soapenv=\"{SOAP11}\" xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\" \
             xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"><soapenv:Body><soapenv:Fault>\
             <faultcode>soapenv:Client</faultcode><faultstring>too many</faultstring><detail>\
             <ns1:Limit href=\"#id0\" xmlns:ns1=\"urn:desk\"/>\
             <ns4:hostname xmlns:ns4=\"http://xml.apache.org/axis/\">vm</ns4:hostname></detail>\
             </soapenv:Fault>{rest}</soapenv:Body></soapenv:Envelope>"
        )
    };
    let reference = "id=\"id0\" soapenc:root=\"0\" soapenv:encodingStyle=\
         \"http://schemas.xmlsoap.org/soap/encoding/\" xmlns:soapenc=\
         \"http://schemas.xmlsoap.org/soap/encoding/\"";
    let rest = format!(
        "<multiRef {reference} xsi:type=\"ns5:Limit\" xmlns:ns5=\"urn:desk\"><most href=\"#id1\"/>\
         <why xsi:type=\"xsd:string\">a &lt; b</why></multiRef><multiRef {} xsi:type=\"xsd:long\">7\
         </multiRef>",
        reference.replace("id0", "id1")
    );
    let fault = decode(&document(&rest));
    let [limit, host] = &fault.detail[..] else { panic!("{fault:?}") };
    assert_eq!(limit.name(), &QName::new("urn:desk", "Limit"));
    assert!(limit.is_encoded() && !host.is_encoded(), "{fault:?}");
    assert!(limit.as_str().contains(">7</most>"), "{limit:?}");
    assert!(limit.as_str().contains(">a &lt; b</why>"), "{limit:?}");
    assert!(!limit.as_str().contains("href"), "{limit:?}");
    assert_eq!(host.value().as_deref(), Some("vm"));
    // References to nothing, and to what refers to itself, stay as they stand.
    let circle = format!("<multiRef {reference}><most href=\"#id0\"/></multiRef>");
    for rest in ["", &circle] {
        let fault = decode(&document(rest));
        assert_eq!(fault.reason, "too many");
        assert!(fault.detail[0].as_str().contains("href=\"#id0\""), "{fault:?}");
    }
}

/// What many entries refer to is not repeated without end.
#[test]
fn a_detail_is_no_larger_than_the_limits_whatever_it_refers_to() {
    let entries = "<n:e href=\"#a\" xmlns:n=\"urn:n\"/>".repeat(1000);
    let value = format!("<multiRef id=\"a\">{}</multiRef>", "x".repeat(10_000));
    let document = format!(
        "<e:Envelope xmlns:e=\"{SOAP11}\"><e:Body><e:Fault><faultcode>e:Client</faultcode>\
         <faultstring>r</faultstring><detail>{entries}</detail></e:Fault>{value}</e:Body></e:Envelope>"
    );
    let limits = Limits { message_bytes: 1_000_000, ..Limits::default() };
    let fault = Fault::decode(document.as_bytes(), &limits).expect("a fault");
    assert_eq!(fault.detail.len(), 1000);
    assert!(fault.detail.iter().map(|it| it.as_str().len()).sum::<usize>() < 1_000_000);
}

#[test]
fn dot_net() {
    let document = format!(
        "<s:Envelope xmlns:s=\"{SOAP12}\"><s:Body><s:Fault><s:Code><s:Value>s:Receiver</s:Value>\
         <s:Subcode><s:Value xmlns:a=\"http://schemas.microsoft.com/net/2005/12/windowscommunicationfoundation/dispatcher\">\
         a:InternalServiceFault</s:Value></s:Subcode></s:Code><s:Reason><s:Text xml:lang=\"en-US\">\
         The server was unable to process the request.</s:Text></s:Reason></s:Fault></s:Body>\
         </s:Envelope>"
    );
    let fault = decode(&document);
    assert_eq!(fault.code, FaultCode::Receiver);
    assert_eq!(fault.subcodes[0].local, "InternalServiceFault");
    assert!(fault.subcodes[0].namespace.ends_with("/dispatcher"));
    assert_eq!(fault.language, "en-US");
    let old = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?><soap:Envelope xmlns:soap=\"{SOAP11}\"><soap:Body>\
         <soap:Fault><faultcode>soap:Server</faultcode><faultstring>System.Web.Services.Protocols.\
         SoapException: Server was unable to process request. ---&gt; boom\n   at X</faultstring>\
         <detail /></soap:Fault></soap:Body></soap:Envelope>"
    );
    let fault = decode(&old);
    assert_eq!((fault.code, fault.detail.len()), (FaultCode::Receiver, 0));
    assert!(fault.reason.ends_with("---> boom\n   at X"));
}

#[test]
fn axis_with_a_code_of_its_own_and_types() {
    let document = format!(
        "<?xml version='1.0' encoding='utf-8'?>\n<soapenv:Envelope xmlns:soapenv='{SOAP11}' \
         xmlns:xsd='http://www.w3.org/2001/XMLSchema' \
         xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'>\n <soapenv:Body>\n  <soapenv:Fault>\n   \
         <faultcode xmlns:ns1='http://xml.apache.org/axis/'>ns1:Server.NoService</faultcode>\n   \
         <faultstring>no service</faultstring>\n   <faultactor></faultactor>\n   <detail>\n    \
         <ns2:hostname xmlns:ns2='http://xml.apache.org/axis/'>tp</ns2:hostname>\n   </detail>\n  \
         </soapenv:Fault>\n </soapenv:Body>\n</soapenv:Envelope>"
    );
    let fault = decode(&document);
    assert_eq!(fault.subcodes, [QName::new("http://xml.apache.org/axis/", "Server.NoService")]);
    assert_eq!((fault.code, &fault.role), (FaultCode::Receiver, &None));
    assert_eq!(fault.detail.len(), 1);
}

#[test]
fn metro_and_zeep() {
    let document = format!(
        "<S:Envelope xmlns:S=\"{SOAP11}\"><S:Body><ns4:Fault \
         xmlns:ns3=\"{SOAP12}\" xmlns:ns4=\"{SOAP11}\"><faultcode>ns4:Client</faultcode>\
         <faultstring>Cannot find dispatch method</faultstring></ns4:Fault></S:Body></S:Envelope>"
    );
    assert_eq!(
        texts(&decode(&document)),
        (FaultCode::Sender, "Cannot find dispatch method", vec![])
    );
    let document = format!(
        "<soap-env:Envelope xmlns:soap-env=\"{SOAP11}\"><soap-env:Body><soap-env:Fault>\
         <faultcode>soap-env:Client.Authentication</faultcode><faultstring><![CDATA[who <are> \
         you]]>?</faultstring></soap-env:Fault></soap-env:Body></soap-env:Envelope>"
    );
    let fault = decode(&document);
    assert_eq!(texts(&fault), (FaultCode::Sender, "who <are> you?", vec![]));
    assert_eq!(fault.subcodes, [QName::new(SOAP11, "Client.Authentication")]);
}

#[test]
fn php_with_loose_codes_and_text_as_detail() {
    let document = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<SOAP-ENV:Envelope xmlns:SOAP-ENV=\"{SOAP11}\">\
         <SOAP-ENV:Body><SOAP-ENV:Fault><faultcode>MyCode</faultcode><faultstring>My String\
         </faultstring><detail>plain &lt;text&gt;</detail></SOAP-ENV:Fault></SOAP-ENV:Body>\
         </SOAP-ENV:Envelope>\n"
    );
    let fault = decode(&document);
    let detail = vec!["<text>plain &lt;text&gt;</text>"];
    assert_eq!(texts(&fault), (FaultCode::Receiver, "My String", detail));
    assert_eq!(fault.subcodes, [QName::new("", "MyCode")]);
    for (code, expected) in [
        ("Client", FaultCode::Sender),
        ("undeclared:Server", FaultCode::Receiver),
        (" SOAP-ENV:MustUnderstand\n", FaultCode::MustUnderstand),
        ("SOAP-ENV:Sender", FaultCode::Sender),
    ] {
        let fault = decode(&document.replace("MyCode", code));
        assert_eq!((fault.code, fault.subcodes.len()), (expected, 0), "{code}");
    }
}

#[test]
fn children_in_the_wrong_namespace_or_order_and_extras() {
    let document = format!(
        "<Envelope xmlns=\"{SOAP11}\" xmlns:x=\"urn:x\"><Body><Fault x:a=\"1\"><x:extra><Value>no\
         </Value></x:extra><detail x:b=\"2\"><e xmlns=\"\"/></detail><faultactor>urn:a</faultactor>\
         <faultstring xml:lang=\"fr\" x:c=\"3\">non</faultstring><faultcode>Client</faultcode>\
         </Fault></Body></Envelope>"
    );
    let fault = decode(&document);
    assert_eq!(texts(&fault), (FaultCode::Sender, "non", vec!["<e xmlns=\"\"/>"]));
    assert_eq!((fault.role.as_deref(), &*fault.language), (Some("urn:a"), "fr"));

    let empty =
        format!("<S:Envelope xmlns:S=\"{SOAP12}\"><S:Body><S:Fault/></S:Body></S:Envelope>");
    assert_eq!(texts(&decode(&empty)), (FaultCode::Receiver, "", vec![]));
    let message = empty.replace("S:Fault", "S:Success");
    let error = Fault::decode(message.as_bytes(), &Limits::default()).unwrap_err();
    assert!(error.to_string().ends_with("expected a Fault in the Body"), "{error}");
}

#[test]
fn among_languages_english_is_taken() {
    let reason = |texts: &str| {
        let fault = decode(&format!(
            "<S:Envelope xmlns:S=\"{SOAP12}\"><S:Body><S:Fault><S:Reason>{texts}</S:Reason>\
             </S:Fault></S:Body></S:Envelope>"
        ));
        let parts = fault.into_parts();
        (parts.language, parts.reason)
    };
    let (german, english) =
        ("<S:Text xml:lang='de'>ja</S:Text>", "<S:Text xml:lang='en-GB'>yes</S:Text>");
    let chinese = "<S:Text xml:lang='zh'>是</S:Text>";
    assert_eq!(reason(&[german, english, chinese].concat()), ("en-GB".into(), "yes".into()));
    assert_eq!(reason(&[german, chinese].concat()), ("de".into(), "ja".into()));
    assert_eq!(reason("<S:Text>yes</S:Text>"), ("en".into(), "yes".into()));
}
