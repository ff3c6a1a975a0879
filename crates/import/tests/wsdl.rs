//! What WSDL means: the messages of services, and what is rejected in their descriptions.

use std::sync::Arc;

use trunkline_import::wsdl::{Described, Description, Protocol};
use trunkline_import::{Limits, Problem};
use trunkline_message::Record;
use trunkline_soap::{Decoder, Encoder, Plan};

fn read(text: &str) -> Result<Description, Problem> {
    let mut resolver = |path: &str| Ok((path == "a.wsdl").then(|| text.as_bytes().to_vec()));
    Description::read("a.wsdl", &mut resolver, &Limits::default())
}

/// A description of these parts, in the namespace `urn:a`.
fn definitions(inside: &str) -> String {
    format!(
        "<definitions xmlns='http://schemas.xmlsoap.org/wsdl/' targetNamespace='urn:a' xmlns:a='urn:a'\n\
         xmlns:soap='http://schemas.xmlsoap.org/wsdl/soap/' xmlns:soap12='http://schemas.xmlsoap.org/wsdl/soap12/'\n\
         xmlns:mime='http://schemas.xmlsoap.org/wsdl/mime/' xmlns:wsdl='http://schemas.xmlsoap.org/wsdl/'\n\
         xmlns:enc='http://schemas.xmlsoap.org/soap/encoding/' xmlns:xs='http://www.w3.org/2001/XMLSchema'>\n\
         {inside}</definitions>"
    )
}

const TYPES: &str = "<types><xs:schema targetNamespace='urn:a'>
 <xs:element name='ask'><xs:complexType><xs:sequence><xs:element name='id' type='xs:int'/></xs:sequence></xs:complexType></xs:element>
 <xs:element name='key' type='xs:string'/><xs:element name='wrong' type='xs:string'/>
 <xs:complexType name='Names'><xs:complexContent><xs:restriction base='enc:Array'>
  <xs:attribute ref='enc:arrayType' wsdl:arrayType='xs:string[]'/></xs:restriction></xs:complexContent></xs:complexType>
</xs:schema></types>
<message name='ask'><part name='body' element='a:ask'/><part name='key' element='a:key'/></message>
<message name='wrong'><part name='detail' element='a:wrong'/></message>
<message name='names'><part name='names' type='a:Names'/><part name='count' type='xs:int'/></message>
<message name='file'><part name='count' type='xs:int'/><part name='file' type='xs:base64Binary'/></message>";

/// The envelope of a record that was read from one, without what is around its Body.
fn again(described: Described, body: &str) -> String {
    let plan = Plan::new(&Arc::new(described.layout), &described.options)
        .unwrap_or_else(|it| panic!("{it}"));
    let envelope = format!(
        "<e:Envelope xmlns:e=\"http://schemas.xmlsoap.org/soap/envelope/\"><e:Body>{body}</e:Body></e:Envelope>"
    );
    let mut record = Record::new(plan.layout());
    Decoder::new(&plan)
        .decode(envelope.as_bytes(), &mut record)
        .unwrap_or_else(|it| panic!("{it}"));
    let bytes = Encoder::new(&plan).encode(&record).unwrap_or_else(|it| panic!("{it}")).to_vec();
    let text = String::from_utf8(bytes).expect("text");
    let (_, body) = text.split_once(":Body").expect("a Body");
    let (_, body) = body.split_once('>').expect("its start");
    body.rsplit_once("</").and_then(|it| it.0.rsplit_once("</")).expect("its end").0.to_owned()
}

#[test]
fn documents_have_bodies_header_blocks_and_faults() {
    let text = definitions(&format!(
        "{TYPES}<portType name='T'><operation name='ask'><input message='a:ask'/>
         <fault name='wrong' message='a:wrong'/></operation></portType>
         <binding name='B' type='a:T'><soap12:binding transport='http://schemas.xmlsoap.org/soap/http'/>
         <operation name='ask'><soap12:operation soapAction='urn:ask'/>
         <input><soap12:header message='a:ask' part='key' use='literal'/><soap12:body use='literal'/></input>
         <fault name='wrong'><soap12:fault name='wrong' use='literal'/></fault></operation></binding>
         <service name='S'><port name='P' binding='a:B'><soap12:address location='http://h/'/></port></service>"
    ));
    let read = read(&text).unwrap_or_else(|it| panic!("{it}"));
    let port = &read.services()[0].ports[0];
    let binding = read.binding(port);
    assert_eq!(
        (&binding.protocol, port.address.as_deref()),
        (&Protocol::Soap12, Some("http://h/"))
    );
    let operation = &binding.operations[0];
    assert_eq!(operation.action.as_deref(), Some("urn:ask"));
    // What is a header block is not in the Body.
    let request = operation.request.as_ref().expect("it takes something");
    assert_eq!((request.parts.len(), request.headers.len()), (1, 1));
    let body =
        read.request(binding, operation).unwrap_or_else(|it| panic!("{it}")).expect("a Body");
    let ask = "<ns:ask xmlns:ns=\"urn:a\"><id>7</id></ns:ask>";
    assert_eq!(again(body, ask), ask);
    let key = read.header(binding, &request.headers[0]).unwrap_or_else(|it| panic!("{it}"));
    assert_eq!(key.layout.name(), "key");
    let detail = read.fault(binding, &operation.faults[0]).unwrap_or_else(|it| panic!("{it}"));
    assert_eq!(detail.expect("a part").layout.name(), "wrong");
    assert!(operation.response.is_none());
}

#[test]
fn parts_of_rpc_are_members_of_the_call() {
    let binding = |body: &str, namespace: &str| {
        definitions(&format!(
            "{TYPES}<portType name='T'><operation name='put'><input message='a:names'/><output message='a:file'/>
             </operation></portType><binding name='B' type='a:T'>
             <soap:binding style='rpc' transport='http://schemas.xmlsoap.org/soap/http'/>
             <operation name='put'><soap:operation soapAction=''/>
             <input><soap:body use='{body}' namespace='{namespace}'/></input>
             <output><mime:multipartRelated><mime:part><soap:body use='{body}' namespace='{namespace}'/></mime:part>
             <mime:part><mime:content part='file' type='image/png'/></mime:part></mime:multipartRelated></output>
             </operation></binding>"
        ))
    };
    let text = binding("encoded", "urn:b");
    let described = read(&text).unwrap_or_else(|it| panic!("{it}"));
    let binding_of = &described.bindings()[0];
    let operation = &binding_of.operations[0];
    let request = described.request(binding_of, operation).unwrap_or_else(|it| panic!("{it}"));
    let body = "<ns:put xmlns:ns=\"urn:b\" xmlns:enc=\"http://schemas.xmlsoap.org/soap/encoding/\" \
                xmlns:xs=\"http://www.w3.org/2001/XMLSchema\"><names enc:arrayType=\"xs:string[2]\">\
                <x>a</x><x>b</x></names><count>2</count></ns:put>";
    let written = again(request.expect("a Body"), body);
    assert!(
        written.contains("arrayType=\"xsd:string[2]\"") && written.contains(">b</"),
        "{written}"
    );
    // An attachment is no member.
    let response = operation.response.as_ref().expect("it answers");
    assert_eq!((response.parts.len(), &*response.attachments), (1, &["file".to_owned()][..]));
    let text = binding("literal", "urn:b");
    let described = read(&text).unwrap_or_else(|it| panic!("{it}"));
    let binding_of = &described.bindings()[0];
    let response = described.response(binding_of, &binding_of.operations[0]);
    let body = "<ns:putResponse xmlns:ns=\"urn:b\"><count>2</count></ns:putResponse>";
    let response = response.unwrap_or_else(|it| panic!("{it}")).expect("a Body");
    assert_eq!(again(response, body), body);
}

#[test]
fn what_is_referred_to_and_is_not_there_is_rejected() {
    for (inside, why) in [
        (
            "<service name='S'><port name='P' binding='a:B'/></service>",
            "a.wsdl:5:19: the binding {urn:a}B is not defined",
        ),
        ("<binding name='B' type='a:T'/>", "a.wsdl:5:1: the port type {urn:a}T is not defined"),
        (
            "<portType name='T'><operation name='o'><input message='a:m'/></operation></portType>",
            "a.wsdl:5:40: the message {urn:a}m is not defined",
        ),
        (
            "<portType name='T'/><binding name='B' type='a:T'><operation name='o'/></binding>",
            "a.wsdl:5:50: the port type {urn:a}T has no operation o",
        ),
        (
            "<import namespace='urn:b' location='b.wsdl'/>",
            "a.wsdl:5:1: there is no document b.wsdl",
        ),
    ] {
        let problem = read(&definitions(inside)).expect_err(why).to_string();
        assert!(problem.starts_with(why) && problem.contains("; "), "{problem}");
    }
    // What only some messages need is missed there.
    let text = definitions(
        "<message name='m'><part name='p' type='a:T'/></message>
         <portType name='T'><operation name='o'><input message='a:m'/></operation></portType>
         <binding name='B' type='a:T'><soap:binding style='rpc' transport='t'/><operation name='o'>
         <input><soap:body use='literal'/></input></operation></binding>",
    );
    let described = read(&text).unwrap_or_else(|it| panic!("{it}"));
    assert_eq!(described.warnings().len(), 1);
    let binding = &described.bindings()[0];
    let problem =
        described.request(binding, &binding.operations[0]).expect_err("no type").to_string();
    assert!(problem.starts_with("a.wsdl:5:19: the type {urn:a}T is not defined; "), "{problem}");
    assert!(
        read("<a/>").expect_err("no WSDL").to_string().contains("is no description of services")
    );
}

/// A description of an operation `ask` of documents, with these types and parts.
fn of_documents(types: &str, parts: &str) -> String {
    definitions(&format!(
        "<types><xs:schema targetNamespace='urn:a' elementFormDefault='qualified'>{types}</xs:schema></types>
         <message name='ask'>{parts}</message>
         <portType name='T'><operation name='ask'><input message='a:ask'/></operation></portType>
         <binding name='B' type='a:T'><soap:binding transport='http://schemas.xmlsoap.org/soap/http'/>
         <operation name='ask'><input><soap:body use='literal'/></input></operation></binding>"
    ))
}

fn request(text: &str) -> Described {
    let read = read(text).unwrap_or_else(|it| panic!("{it}"));
    let binding = &read.bindings()[0];
    let request = read.request(binding, &binding.operations[0]);
    request.unwrap_or_else(|it| panic!("{it}")).expect("a Body")
}

/// WS-I has one part; older services have several.
#[test]
fn a_document_of_several_parts_is_the_body() {
    let types = "<xs:element name='id' type='xs:int'/><xs:element name='who'><xs:complexType><xs:sequence>\
                 <xs:element name='name' type='xs:string'/></xs:sequence><xs:attribute name='lang' type='xs:string'/>\
                 </xs:complexType></xs:element>";
    let parts = "<part name='one' element='a:id'/><part name='two' element='a:who'/><part name='at' type='xs:date'/>";
    let described = request(&of_documents(types, parts));
    let plan = Plan::new(&Arc::new(described.layout), &described.options).expect("a plan");
    assert_eq!(plan.element(), ("urn:a", "id"));
    let envelope = |soap: &str, inside: &str| {
        format!(
            "<e:Envelope xmlns:e=\"{soap}\"><e:Header/><e:Body xmlns:a=\"urn:a\">{inside}</e:Body></e:Envelope>"
        )
    };
    let soap = "http://schemas.xmlsoap.org/soap/envelope/";
    let body = "<a:id>7</a:id><a:who lang=\"de\"><a:name>x</a:name></a:who><at>2026-11-26</at>";
    let mut record = Record::new(plan.layout());
    let mut decoder = Decoder::new(&plan);
    // Twice, as the second message is read by what the first began with.
    for _ in 0..2 {
        decoder.decode(envelope(soap, body).as_bytes(), &mut record).expect("it is read");
        assert_eq!(
            (decoder.unknown(), &*format!("{:?}", record.get("id"))),
            (0, "Some(Integer(7))")
        );
    }
    let again = Encoder::new(&plan).encode(&record).expect("it is written").to_vec();
    let again = String::from_utf8(again).expect("text");
    let expected = "<SOAP-ENV:Body xmlns:n1=\"urn:a\"><n1:id>7</n1:id><n1:who lang=\"de\"><n1:name>x</n1:name></n1:who>\
                    <at>2026-11-26</at></SOAP-ENV:Body></SOAP-ENV:Envelope>";
    assert!(again.ends_with(expected), "{again}");
    let mut back = Record::new(plan.layout());
    decoder.decode(again.as_bytes(), &mut back).expect("it is read");
    assert_eq!(back, record);
    // The other SOAP is read as well.
    let other = envelope("http://www.w3.org/2003/05/soap-envelope", body);
    decoder.decode(other.as_bytes(), &mut back).expect("it is read");
    assert_eq!(back, record);
    for (inside, why) in [
        ("<a:id>7</a:id><at>2026-11-26</at>", "who"),
        ("<a:id>7</a:id><a:id>8</a:id>", "id"),
        ("<a:id>x</a:id>", "id"),
        ("text", "text"),
    ] {
        let error = decoder.decode(envelope(soap, inside).as_bytes(), &mut back);
        let error = error.expect_err(inside).to_string();
        assert!(error.contains(why), "{error}");
    }
}

/// An element of no schema: toolkits name it as the part.
#[test]
fn a_document_of_a_type_is_named_as_its_part() {
    let body = "<at>2026-11-26</at>";
    assert_eq!(again(request(&of_documents("", "<part name='at' type='xs:date'/>")), body), body);
}

#[test]
fn what_a_document_is_may_be_told_inside() {
    let types = "<xs:complexType name='Car' abstract='true'><xs:sequence><xs:element name='make' type='xs:string'/>\
                 </xs:sequence></xs:complexType>\
                 <xs:complexType name='Sedan'><xs:complexContent><xs:extension base='a:Car'/></xs:complexContent></xs:complexType>\
                 <xs:complexType name='Truck'><xs:complexContent><xs:extension base='a:Car'><xs:sequence>\
                 <xs:element name='load' type='xs:int'/></xs:sequence></xs:extension></xs:complexContent></xs:complexType>\
                 <xs:element name='trade' type='a:Car'/>\
                 <xs:element name='car' type='a:Car' abstract='true'/>\
                 <xs:element name='truck' type='a:Truck' substitutionGroup='a:car'/>\
                 <xs:element name='sedan' type='a:Sedan' substitutionGroup='a:car'/>";
    let xsi = "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"";
    let described = request(&of_documents(types, "<part name='body' element='a:trade'/>"));
    let plan = Plan::new(&Arc::new(described.layout.clone()), &described.options).expect("a plan");
    assert_eq!(plan.element(), ("urn:a", "trade"));
    let body = format!(
        "<n1:trade xmlns:n1=\"urn:a\" {xsi} xsi:type=\"n1:Truck\"><n1:make>x</n1:make><n1:load>7</n1:load></n1:trade>"
    );
    let written = again(described, &body);
    let expected =
        "<n1:trade xsi:type=\"n1:Truck\"><n1:make>x</n1:make><n1:load>7</n1:load></n1:trade>";
    assert_eq!(written, expected);
    let described = request(&of_documents(types, "<part name='body' element='a:car'/>"));
    let body = "<n1:sedan xmlns:n1=\"urn:a\"><n1:make>x</n1:make></n1:sedan>";
    assert_eq!(again(described, body), "<n1:sedan><n1:make>x</n1:make></n1:sedan>");
}

/// SOAP 1.1 section 5.4.2: as PHP writes such an array (round 2, group B, of the SOAPBuilders), and as it comes back.
#[test]
fn arrays_of_several_dimensions_are_lists_of_lists() {
    let of = |array_type: &str| {
        definitions(&format!(
            "<types><xs:schema targetNamespace='urn:a'><xs:complexType name='Grid'><xs:complexContent>
             <xs:restriction base='enc:Array'><xs:attribute ref='enc:arrayType' wsdl:arrayType='{array_type}'/></xs:restriction>
             </xs:complexContent></xs:complexType>
             <xs:complexType name='Pages'><xs:complexContent><xs:restriction base='enc:Array'>
             <xs:attribute ref='enc:arrayType' wsdl:arrayType='a:Grid[]'/></xs:restriction></xs:complexContent></xs:complexType>
             </xs:schema></types>
             <message name='m'><part name='grid' type='a:Grid'/><part name='pages' type='a:Pages'/></message>
             <portType name='P'><operation name='put'><input message='a:m'/></operation></portType>
             <binding name='B' type='a:P'><soap:binding style='rpc' transport='http://schemas.xmlsoap.org/soap/http'/>
             <operation name='put'><input><soap:body use='encoded' namespace='urn:b'/></input></operation></binding>",
        ))
    };
    let spaces = "xmlns:ns=\"urn:b\" xmlns:enc=\"http://schemas.xmlsoap.org/soap/encoding/\" \
        xmlns:xs=\"http://www.w3.org/2001/XMLSchema\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"";
    let items = "<item xsi:type=\"xs:string\">row0col0</item><item xsi:type=\"xs:string\">row0col1</item>\
        <item xsi:type=\"xs:string\">row1col0</item><item xsi:type=\"xs:string\">row1col1</item>";
    let body = format!(
        "<ns:put {spaces}><grid enc:arrayType=\"xs:string[2,2]\" xsi:type=\"ns:Grid\">{items}</grid>\
         <pages enc:arrayType=\"xs:string[,][1]\"><item enc:arrayType=\"xs:string[2,2]\">{items}</item></pages></ns:put>"
    );
    let text = of("xs:string[,]");
    let written = again(request(&text), &body);
    let items = items.replace("xs:", "xsd:");
    for part in [
        format!(
            "<grid xsi:type=\"SOAP-ENC:Array\" SOAP-ENC:arrayType=\"xsd:string[2,2]\">{items}</grid>"
        ),
        "SOAP-ENC:arrayType=\"xsd:string[,][1]\"><item xsi:type=\"SOAP-ENC:Array\" \
         SOAP-ENC:arrayType=\"xsd:string[2,2]\"><item "
            .to_owned(),
    ] {
        assert!(written.contains(&part), "no {part} in {written}");
    }
    for (array_type, why) in [
        ("xs:anyType[,]", "several dimensions with items of any type"),
        ("a:Grid[]", "an array whose items are arrays of its own type"),
        ("a:Pages[,]", "an array whose items are arrays of its own type"),
        (&*format!("xs:int{}", "[,,,,,,,,]".repeat(8)), "more than 64 dimensions"),
        (&*format!("xs:int[{}]", ",".repeat(1_000_000)), "more than 16 dimensions"),
        (&*format!("xs:int{}", "[]".repeat(1_000_000)), "more than 16 dimensions"),
    ] {
        let described = read(&of(array_type)).and_then(|it| {
            let binding = &it.bindings()[0];
            it.request(binding, &binding.operations[0]).map(|_| ())
        });
        let problem = described.expect_err(why).to_string();
        assert!(problem.contains(why) && problem.contains(':'), "{problem:.300}");
    }
}

/// However many types it takes to say so.
#[test]
fn arrays_in_each_other_have_an_end() {
    let of = |count: usize, brackets: &str| {
        let mut types = String::new();
        for index in 0..count {
            let items = if index == 0 { "xs:int".to_owned() } else { format!("a:A{}", index - 1) };
            types += &format!(
                "<xs:complexType name='A{index}'><xs:complexContent><xs:restriction base='enc:Array'>\
                 <xs:attribute ref='enc:arrayType' wsdl:arrayType='{items}{brackets}'/></xs:restriction>\
                 </xs:complexContent></xs:complexType>"
            );
        }
        let text = definitions(&format!(
            "<types><xs:schema targetNamespace='urn:a'>{types}</xs:schema></types>
             <message name='m'><part name='it' type='a:A{}'/></message>
             <portType name='P'><operation name='put'><input message='a:m'/></operation></portType>
             <binding name='B' type='a:P'><soap:binding style='rpc' transport='http://schemas.xmlsoap.org/soap/http'/>
             <operation name='put'><input><soap:body use='encoded' namespace='urn:b'/></input></operation></binding>",
            count - 1
        ));
        let described = read(&text)?;
        let binding = &described.bindings()[0];
        described.request(binding, &binding.operations[0]).map(|_| ())
    };
    for (count, brackets) in [(16, "[]"), (16, "[,]"), (4, "[,,,][]")] {
        of(count, brackets).unwrap_or_else(|it| panic!("{count} {brackets}: {it}"));
    }
    for (count, brackets) in [(17, "[]"), (17, "[,]"), (1000, "[]"), (100, "[,,,][,,,][,,,]")] {
        let problem = of(count, brackets).expect_err(brackets).to_string();
        assert!(problem.contains("more than 16 arrays in each other"), "{count}: {problem}");
        assert!(problem.contains(".wsdl:"), "{problem}");
    }
}

/// As Axis sends it: what may repeat is no array.
#[test]
fn elements_repeat_where_content_is_encoded() {
    let text = definitions(
        "<types><xs:schema targetNamespace='urn:a'><xs:complexType name='T'><xs:sequence>
         <xs:element name='s' type='xs:string' maxOccurs='unbounded'/>
         <xs:element name='n' type='xs:int' minOccurs='0' maxOccurs='unbounded'/>
         <xs:element name='k' type='a:K' minOccurs='0' maxOccurs='unbounded'/><xs:element name='p' type='a:P' maxOccurs='2'/>
         </xs:sequence></xs:complexType>
         <xs:simpleType name='K'><xs:restriction base='xs:string'><xs:enumeration value='on'/><xs:enumeration value='off'/>
         </xs:restriction></xs:simpleType>
         <xs:complexType name='P'><xs:sequence><xs:element name='x' type='xs:int' maxOccurs='unbounded'/></xs:sequence>
         </xs:complexType></xs:schema></types>
         <message name='m'><part name='input' type='a:T'/></message>
         <portType name='P'><operation name='put'><input message='a:m'/></operation></portType>
         <binding name='B' type='a:P'><soap:binding style='rpc' transport='http://schemas.xmlsoap.org/soap/http'/>
         <operation name='put'><input><soap:body use='encoded' namespace='urn:b'/></input></operation></binding>",
    );
    let inside =
        "<s>x</s><s>y</s><n>1</n><n>2</n><k>off</k><k>on</k><p><x>1</x><x>2</x></p><p><x>3</x></p>";
    let plain = format!("<ns:put xmlns:ns=\"urn:b\"><input>{inside}</input></ns:put>");
    // What is shared is read as a graph.
    let shared =
        format!("<ns:put xmlns:ns=\"urn:b\"><input href=\"#i\"/></ns:put><m id=\"i\">{inside}</m>");
    for body in [plain, shared] {
        let written = again(request(&text), &body);
        for items in [
            "<s xsi:type=\"xsd:string\">x</s><s xsi:type=\"xsd:string\">y</s>",
            "<n xsi:type=\"xsd:int\">1</n><n xsi:type=\"xsd:int\">2</n>",
            "<x xsi:type=\"xsd:int\">1</x><x xsi:type=\"xsd:int\">2</x></p>",
            "<x xsi:type=\"xsd:int\">3</x></p>",
        ] {
            assert!(written.contains(items), "{items} in {written}");
        }
        assert_eq!((written.matches("</k>").count(), written.matches("</p>").count()), (2, 2));
    }
}

/// Of the port, its binding and its port type; of alternatives any counts.
#[test]
fn what_policies_offer_is_said_of_ports() {
    let text = r##"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:t" targetNamespace="urn:t"
        xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:p="http://www.w3.org/ns/ws-policy">
      <p:Policy xmlns:u="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd" u:Id="x">
        <p:ExactlyOne><p:All>
          <m:OptimizedMimeSerialization xmlns:m="http://schemas.xmlsoap.org/ws/2004/09/policy/optimizedmimeserialization"/>
          <c:OptimizedTCPTransport xmlns:c="http://java.sun.com/xml/ns/wsit/2006/09/policy/soaptcp/service" port="5"/>
        </p:All></p:ExactlyOne></p:Policy>
      <portType name="T"/>
      <binding name="B" type="t:T"><p:PolicyReference URI="#x"/><soap:binding style="document"/></binding>
      <binding name="C" type="t:T"><soap:binding style="document"/></binding>
      <service name="S"><port name="P" binding="t:B"/><port name="Q" binding="t:C"/></service></definitions>"##;
    let mut files = |path: &str| Ok((path == "a.wsdl").then(|| text.as_bytes().to_vec()));
    let read = trunkline_import::wsdl::Description::read("a.wsdl", &mut files, &Limits::default());
    let read = read.unwrap_or_else(|it| panic!("{it}"));
    let [offering, other] = &*read.services()[0].ports else { panic!("two ports") };
    assert!(offering.offers.mtom && offering.offers.soap_tcp && !offering.offers.fast_infoset);
    assert_eq!(offering.offers.url("http://h:1/x"), "vnd.sun.ws.tcp://h:5/x");
    assert_eq!(other.offers, Default::default());
}

/// An rpc/encoded operation `take` that takes a part `l` of the type `a:List`, and fails with a part `why` of `a:Names`.
fn encoded(types: &str) -> String {
    let body =
        "use='encoded' namespace='urn:a' encodingStyle='http://schemas.xmlsoap.org/soap/encoding/'";
    definitions(&format!(
        "<types><xs:schema targetNamespace='urn:a'>{types}
         <xs:complexType name='Names'><xs:complexContent><xs:restriction base='enc:Array'>
          <xs:attribute ref='enc:arrayType' wsdl:arrayType='xs:string[]'/></xs:restriction></xs:complexContent></xs:complexType>
         </xs:schema></types><message name='in'><part name='l' type='a:List'/></message>
         <message name='why'><part name='why' type='a:Names'/></message>
         <portType name='T'><operation name='take'><input message='a:in'/><fault name='why' message='a:why'/></operation></portType>
         <binding name='B' type='a:T'><soap:binding style='rpc' transport='http://schemas.xmlsoap.org/soap/http'/>
         <operation name='take'><soap:operation soapAction=''/><input><soap:body {body}/></input>
         <fault name='why'><soap:fault name='why' {body}/></fault></operation></binding>"
    ))
}

/// As the lists of the interoperability tests, whose types say nothing of where they end: any value may be nil by the encoding.
#[test]
fn encoded_lists_that_hold_themselves_end_with_nil() {
    let node = "<xs:complexType name='List'><xs:sequence><xs:element name='value' type='xs:int'/>
        <xs:element name='next' type='a:List'/></xs:sequence></xs:complexType>";
    let pair = "<xs:complexType name='List'><xs:sequence><xs:element name='value' type='xs:int'/>
        <xs:element name='next' type='a:Other'/></xs:sequence></xs:complexType>
        <xs:complexType name='Other'><xs:sequence><xs:element name='value' type='xs:int'/>
        <xs:element name='next' type='a:List'/></xs:sequence></xs:complexType>";
    let xsi = "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"";
    for types in [node, pair] {
        let read = read(&encoded(types)).unwrap_or_else(|it| panic!("{it}"));
        let binding = &read.bindings()[0];
        for end in ["<next xsi:nil=\"true\"/>", ""] {
            let request = read.request(binding, &binding.operations[0]);
            let request = request.unwrap_or_else(|it| panic!("{it}")).expect("a Body");
            let inside = format!("<value>2</value><next><value>3</value>{end}</next>");
            let body = format!(
                "<a:take xmlns:a=\"urn:a\" {xsi}><l><value>1</value><next>{inside}</next></l></a:take>"
            );
            let written = again(request, &body);
            assert_eq!(written.matches("value xsi:type=\"xsd:int\"").count(), 3, "{written}");
            assert_eq!(written.matches("xsi:nil=\"true\"").count(), 1, "{written}");
        }
    }
    // By schema alone there is no such message.
    let literal = encoded(node).replace("use='encoded'", "use='literal'");
    let read = read(&literal).unwrap_or_else(|it| panic!("{it}"));
    let binding = &read.bindings()[0];
    let problem = read.request(binding, &binding.operations[0]).expect_err("it has no end");
    let why = "List holds itself without end: it is never absent; let an element on the way be absent \
               (minOccurs=\"0\") or nil (nillable)";
    assert!(problem.to_string().ends_with(why), "{problem}");
    assert!(problem.to_string().starts_with("a.wsdl:"), "{problem}");
}

/// As PHP writes it: the items of an array are the detail of a fault.
#[test]
fn the_detail_of_a_fault_may_be_an_array() {
    let list = "<xs:complexType name='List'><xs:sequence><xs:element name='value' type='xs:int'/></xs:sequence></xs:complexType>";
    let read = read(&encoded(list)).unwrap_or_else(|it| panic!("{it}"));
    let binding = &read.bindings()[0];
    let detail = read.fault(binding, &binding.operations[0].faults[0]);
    let detail = detail.unwrap_or_else(|it| panic!("{it}")).expect("a part");
    let plan = Plan::new(&Arc::new(detail.layout), &detail.options).expect("a plan");
    let mut record = Record::new(plan.layout());
    let (enc, xs) =
        ("http://schemas.xmlsoap.org/soap/encoding/", "http://www.w3.org/2001/XMLSchema");
    let document = format!(
        "<why xmlns:enc='{enc}' xmlns:xsi='{xs}-instance' xmlns:xs='{xs}' enc:arrayType='xs:string[2]' xsi:type='enc:Array'>\
         <item xsi:type='xs:string'>one</item><item xsi:type='xs:string'>two</item></why>"
    );
    Decoder::new(&plan)
        .decode(document.as_bytes(), &mut record)
        .unwrap_or_else(|it| panic!("{it}"));
    let written = Encoder::new(&plan).encode(&record).unwrap_or_else(|it| panic!("{it}")).to_vec();
    let written = String::from_utf8(written).expect("text");
    assert!(written.contains("<item>one</item><item>two</item></why>"), "{written}");
}
