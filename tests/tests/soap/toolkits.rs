//! What other toolkits send for the customers of Ng, Chen & Greenfield, in their own spellings.

use trunkline_catalogue::commerce::{Customer, CustomerServices, Product};
use trunkline_message::Structure;
use trunkline_soap::{Decoder, Encoder, Layout, Options, Plan, Style, Version};
use trunkline_tests::samples;
use trunkline_tests::soap_paths::Paths;

use crate::{SOAP11, SOAP12, XSD, XSI};

pub(crate) const NAMESPACE: &str = "urn:trunkline:ng-2004";
const ENCODING11: &str = "http://schemas.xmlsoap.org/soap/encoding/";
const ENCODING12: &str = "http://www.w3.org/2003/05/soap-encoding";

/// An operation of the test service.
pub(crate) fn operation(style: Style) -> Options {
    Options {
        style,
        layout: Layout::Operation,
        operation: "echo".into(),
        namespace: NAMESPACE.into(),
        types: style.is_encoded(),
        zone: true,
        ..Options::default()
    }
}

fn paths(options: &Options) -> Paths<CustomerServices> {
    Paths::new(&Plan::new(CustomerServices::layout(), options).expect("a plan"))
}

/// Two customers and a product.
fn message() -> CustomerServices {
    let customer = |number: u8| Customer {
        customer_id: format!("C{number}").into(),
        password: "a&b".into(),
        first_name: "Ann".into(),
        last_name: "Lee".into(),
        address: "17 Long Street, North Ryde, New South Wales".into(),
        phone_num: "2".into(),
        email: "ann@example.org".into(),
        account_no: "".into(),
        is_valid: true,
        last_modified: samples::timestamp(b"20040801-08:30:00"),
    };
    CustomerServices {
        header: "REQUEST".into(),
        customers: [customer(1), customer(2)].into_iter().collect(),
        products: [Product {
            category_id: 1,
            is_available: true,
            do_we_buy: false,
            do_we_sell: true,
            product_id: 5,
            description: "p".into(),
            price: 1.5,
            quantity: -7,
            quantity_unit: "each".into(),
            price_policy_id: 9,
            eta: samples::timestamp(b"20040802-00:00:00"),
            last_modified: samples::timestamp(b"20040801-08:30:00"),
        }]
        .into_iter()
        .collect(),
    }
}

/// How a toolkit writes values and arrays.
struct Toolkit<'a> {
    /// Attributes of a value, with `TYPE` for the type of XML Schema.
    value: &'a str,
    /// Of the customers and the products, with `TYPE` and `COUNT`.
    array: &'a str,
    /// Of an item, with `TYPE`.
    item: &'a str,
    /// Names of the items.
    items: [&'a str; 2],
    /// In front of the name of a field.
    prefix: &'a str,
    truth: [&'a str; 2],
    price: &'a str,
    time: &'a str,
    eta: &'a str,
    /// Between two elements.
    space: &'a str,
}

const PLAIN: Toolkit<'_> = Toolkit {
    value: "",
    array: "",
    item: "",
    items: ["customer", "product"],
    prefix: "",
    truth: ["true", "false"],
    price: "1.5",
    time: "2004-08-01T08:30:00Z",
    eta: "2004-08-02T00:00:00Z",
    space: "",
};

impl Toolkit<'_> {
    fn element(&self, name: &str, attributes: &str, content: &str) -> String {
        let (p, space) = (self.prefix, self.space);
        let attributes = if attributes.is_empty() { "" } else { &format!(" {attributes}") };
        format!("<{p}{name}{attributes}>{content}</{p}{name}>{space}")
    }

    fn value(&self, name: &str, type_name: &str, value: &str) -> String {
        self.element(name, &self.value.replace("TYPE", type_name), value)
    }

    fn array(&self, name: &str, item: usize, items: &[String]) -> String {
        let type_name = ["customer", "product"][item];
        let tag = |content: &String| {
            self.element(self.items[item], &self.item.replace("TYPE", type_name), content)
        };
        let content: String = items.iter().map(tag).collect();
        let count = items.len().to_string();
        let attributes = self.array.replace("TYPE", type_name).replace("COUNT", &count);
        self.element(name, &attributes, &content)
    }

    fn customer(&self, number: u8) -> String {
        let text = |name: &str, value: &str| self.value(name, "string", value);
        [
            text("customerId", &format!("C{number}")),
            text("password", "a&amp;b"),
            text("firstName", "Ann"),
            text("lastName", "Lee"),
            text("address", "17 Long Street, North Ryde, New South Wales"),
            text("phoneNum", "2"),
            text("email", "ann@example.org"),
            text("accountNo", ""),
            self.value("isValid", "boolean", self.truth[0]),
            self.value("lastModified", "dateTime", self.time),
        ]
        .concat()
    }

    fn product(&self) -> String {
        [
            self.value("categoryId", "long", "1"),
            self.value("isAvailable", "boolean", self.truth[0]),
            self.value("doWeBuy", "boolean", self.truth[1]),
            self.value("doWeSell", "boolean", self.truth[0]),
            self.value("productId", "long", "5"),
            self.value("description", "string", "p"),
            self.value("price", "double", self.price),
            self.value("quantity", "long", "-7"),
            self.value("quantityUnit", "string", "each"),
            self.value("pricePolicyId", "long", "9"),
            self.value("ETA", "dateTime", self.eta),
            self.value("lastModified", "dateTime", self.time),
        ]
        .concat()
    }

    /// The fields of [`message`].
    fn fields(&self) -> String {
        [
            self.value("header", "string", "REQUEST"),
            self.array("customers", 0, &[self.customer(1), self.customer(2)]),
            self.array("products", 1, &[self.product()]),
        ]
        .concat()
    }
}

fn gsoap() -> (String, Toolkit<'static>) {
    let around = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<SOAP-ENV:Envelope xmlns:SOAP-ENV=\"{SOAP11}\" \
         xmlns:SOAP-ENC=\"{ENCODING11}\" xmlns:xsi=\"{XSI}\" xmlns:xsd=\"{XSD}\" \
         xmlns:ns1=\"{NAMESPACE}\"><SOAP-ENV:Body SOAP-ENV:encodingStyle=\"{ENCODING11}\">\
         <ns1:echo>FIELDS</ns1:echo></SOAP-ENV:Body></SOAP-ENV:Envelope>"
    );
    let toolkit = Toolkit {
        value: "xsi:type=\"xsd:TYPE\"",
        array: "xsi:type=\"SOAP-ENC:Array\" SOAP-ENC:arrayType=\"ns1:TYPE[COUNT]\"",
        item: "xsi:type=\"ns1:TYPE\"",
        items: ["item"; 2],
        price: "1.50000000000000000E+00",
        ..PLAIN
    };
    (around, toolkit)
}

/// Axis 1.4 without multi-ref: the encoding is declared wherever it is used.
fn axis() -> (String, Toolkit<'static>) {
    let around = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?><soapenv:Envelope xmlns:soapenv=\"{SOAP11}\" \
         xmlns:xsd=\"{XSD}\" xmlns:xsi=\"{XSI}\"><soapenv:Body><ns1:echo \
         soapenv:encodingStyle=\"{ENCODING11}\" xmlns:ns1=\"{NAMESPACE}\">FIELDS</ns1:echo>\
         </soapenv:Body></soapenv:Envelope>"
    );
    let toolkit = Toolkit {
        value: "xsi:type=\"soapenc:TYPE\" \
                xmlns:soapenc=\"http://schemas.xmlsoap.org/soap/encoding/\"",
        array: "soapenc:arrayType=\"ns1:TYPE[COUNT]\" xsi:type=\"soapenc:Array\" \
                xmlns:soapenc=\"http://schemas.xmlsoap.org/soap/encoding/\"",
        item: "xsi:type=\"ns1:TYPE\"",
        items: ["customers", "products"],
        time: "2004-08-01T08:30:00.000Z",
        ..PLAIN
    };
    (around, toolkit)
}

/// PHP's SoapClient; the type of an array is the one that the WSDL names.
fn php() -> (String, Toolkit<'static>) {
    let around = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<SOAP-ENV:Envelope xmlns:SOAP-ENV=\"{SOAP11}\" \
         xmlns:ns1=\"{NAMESPACE}\" xmlns:xsd=\"{XSD}\" xmlns:xsi=\"{XSI}\" \
         xmlns:SOAP-ENC=\"{ENCODING11}\" SOAP-ENV:encodingStyle=\"{ENCODING11}\"><SOAP-ENV:Body>\
         <ns1:echo>FIELDS</ns1:echo></SOAP-ENV:Body></SOAP-ENV:Envelope>\n"
    );
    let toolkit = Toolkit {
        array: "SOAP-ENC:arrayType=\"ns1:TYPE[COUNT]\" xsi:type=\"ns1:ArrayOfTYPE\"",
        price: "1.5",
        ..gsoap().1
    };
    (around, toolkit)
}

/// PHP's SoapClient with SOAP 1.2.
fn php_of_soap_12() -> (String, Toolkit<'static>) {
    let around = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<env:Envelope xmlns:env=\"{SOAP12}\" \
         xmlns:ns1=\"{NAMESPACE}\" xmlns:xsd=\"{XSD}\" xmlns:xsi=\"{XSI}\" \
         xmlns:enc=\"{ENCODING12}\"><env:Body xmlns:rpc=\"http://www.w3.org/2003/05/soap-rpc\">\
         <ns1:echo env:encodingStyle=\"{ENCODING12}\"><rpc:result>header</rpc:result>FIELDS\
         </ns1:echo></env:Body></env:Envelope>\n"
    );
    let array = "enc:itemType=\"ns1:TYPE\" enc:arraySize=\"COUNT\" xsi:type=\"enc:Array\"";
    (around, Toolkit { array, ..php().1 })
}

/// SOAP::Lite of Perl: the operation's namespace is the default, and its parameters' with it.
fn soap_lite() -> (String, Toolkit<'static>) {
    let around = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><soap:Envelope xmlns:xsi=\"{XSI}\" \
         xmlns:soapenc=\"{ENCODING11}\" xmlns:xsd=\"{XSD}\" \
         soap:encodingStyle=\"{ENCODING11}\" xmlns:soap=\"{SOAP11}\"><soap:Body>\
         <echo xmlns=\"{NAMESPACE}\">FIELDS</echo></soap:Body></soap:Envelope>"
    );
    let toolkit = Toolkit {
        value: "xsi:type=\"xsd:TYPE\"",
        array: "soapenc:arrayType=\"xsd:anyType[COUNT]\" xsi:type=\"soapenc:Array\"",
        items: ["item"; 2],
        truth: ["1", "0"],
        ..PLAIN
    };
    (around, toolkit)
}

/// Apache SOAP 2.3, with the drafts of XML Schema.
fn apache_soap() -> (String, Toolkit<'static>) {
    let around = format!(
        "<?xml version='1.0' encoding='UTF-8'?>\r\n<SOAP-ENV:Envelope xmlns:SOAP-ENV=\"{SOAP11}\" \
         xmlns:xsi=\"http://www.w3.org/1999/XMLSchema-instance\" \
         xmlns:xsd=\"http://www.w3.org/1999/XMLSchema\">\r\n<SOAP-ENV:Body>\r\n<ns1:echo \
         xmlns:ns1=\"{NAMESPACE}\" SOAP-ENV:encodingStyle=\"{ENCODING11}\">\r\nFIELDS</ns1:echo>\
         \r\n</SOAP-ENV:Body>\r\n</SOAP-ENV:Envelope>"
    );
    let toolkit = Toolkit {
        array: "xmlns:ns2=\"http://schemas.xmlsoap.org/soap/encoding/\" xsi:type=\"ns2:Array\" \
                ns2:arrayType=\"ns1:TYPE[COUNT]\"",
        space: "\r\n",
        price: "1.5",
        ..gsoap().1
    };
    (around, toolkit)
}

/// suds: other prefixes for XML Schema.
fn suds() -> (String, Toolkit<'static>) {
    let around = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><SOAP-ENV:Envelope xmlns:ns3=\"{XSD}\" \
         xmlns:ns0=\"{ENCODING11}\" xmlns:ns1=\"{NAMESPACE}\" xmlns:ns2=\"{SOAP11}\" \
         xmlns:xsi=\"{XSI}\" xmlns:SOAP-ENV=\"{SOAP11}\" \
         SOAP-ENV:encodingStyle=\"{ENCODING11}\"><SOAP-ENV:Header/><ns2:Body><ns1:echo>FIELDS\
         </ns1:echo></ns2:Body></SOAP-ENV:Envelope>"
    );
    let toolkit = Toolkit {
        value: "xsi:type=\"ns3:TYPE\"",
        array: "xsi:type=\"ns0:Array\" ns0:arrayType=\"ns1:TYPE[COUNT]\"",
        time: "2004-08-01T18:30:00+10:00",
        ..gsoap().1
    };
    (around, toolkit)
}

/// With rpc/encoded, each toolkit's document is read alone, again, and with others between.
#[test]
fn rpc_encoded_of_every_toolkit_is_read() {
    let mut paths = paths(&operation(Style::RpcEncoded));
    for round in 0..2 {
        for (name, (around, toolkit)) in [
            ("gSOAP", gsoap()),
            ("Axis", axis()),
            ("PHP", php()),
            ("PHP, SOAP 1.2", php_of_soap_12()),
            ("SOAP::Lite", soap_lite()),
            ("Apache SOAP", apache_soap()),
            ("suds", suds()),
        ] {
            let document = around.replace("FIELDS", &toolkit.fields());
            assert_eq!(paths.read(document.as_bytes()), Ok(message()), "{name}, round {round}");
        }
    }
}

#[test]
fn document_literal_of_every_toolkit_is_read() {
    let around = |soap: &str, extra: &str, body: &str| {
        format!(
            "<{soap}:Envelope xmlns:{soap}=\"{SOAP11}\"{extra}><{soap}:Body>{body}</{soap}:Body></{soap}:Envelope>"
        )
    };
    let prefixed = |prefix| Toolkit { prefix, ..PLAIN }.fields();
    let schemas = format!(" xmlns:xsi=\"{XSI}\" xmlns:xsd=\"{XSD}\"");
    let documents = [
        // .NET
        format!(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>{}",
            around(
                "soap",
                &schemas,
                &format!("<echo xmlns=\"{NAMESPACE}\">{}</echo>", PLAIN.fields())
            )
        ),
        // zeep
        around(
            "soap-env",
            "",
            &format!("<ns0:echo xmlns:ns0=\"{NAMESPACE}\">{}</ns0:echo>", prefixed("ns0:")),
        ),
        // Metro
        around(
            "S",
            &format!(" xmlns:SOAP-ENV=\"{SOAP11}\""),
            &format!("<ns2:echo xmlns:ns2=\"{NAMESPACE}\">{}</ns2:echo>", prefixed("ns2:")),
        )
        .replace("<S:Body>", "<SOAP-ENV:Header/><S:Body>"),
        // gSOAP
        around(
            "SOAP-ENV",
            &format!("{schemas} xmlns:ns1=\"{NAMESPACE}\""),
            &format!("<ns1:echo>{}</ns1:echo>", prefixed("ns1:")),
        ),
    ];
    let mut paths = paths(&operation(Style::DocumentLiteral));
    for document in documents.iter().chain(&documents) {
        assert_eq!(paths.read(document.as_bytes()), Ok(message()), "{document}");
        let soap12 = document.replace(SOAP11, SOAP12);
        assert_eq!(paths.read(soap12.as_bytes()), Ok(message()), "{soap12}");
    }
    let unqualified = documents[1].replace("<ns0:header>", "<header>");
    let unqualified = unqualified.replace("</ns0:header>", "</header>");
    let error = paths.read(unqualified.as_bytes()).unwrap_err();
    assert_eq!(error.path(), "header", "it is another element");
}

#[test]
fn rpc_literal_has_parts_in_no_namespace() {
    let document = |fields: &str| {
        format!(
            "<soap:Envelope xmlns:soap=\"{SOAP11}\"><soap:Body><tns:echo xmlns:tns=\"{NAMESPACE}\">\
             {fields}</tns:echo></soap:Body></soap:Envelope>"
        )
    };
    let mut paths = paths(&operation(Style::RpcLiteral));
    assert_eq!(paths.read(document(&PLAIN.fields()).as_bytes()), Ok(message()));
    let qualified = Toolkit { prefix: "tns:", ..PLAIN }.fields();
    assert_eq!(paths.read(document(&qualified).as_bytes()).unwrap_err().path(), "header");
}

#[test]
fn nil_of_the_drafts_is_nil() {
    let (around, toolkit) = apache_soap();
    let document = around.replace("FIELDS", &toolkit.fields());
    let mut expected = message();
    expected.customers.clear();
    let start = document.find("<customers").unwrap();
    let end = document.find("</customers>").unwrap() + "</customers>".len();
    for (attribute, is_nil) in [
        ("xsi:null='true'", true),
        ("xsi:null='1'", true),
        ("xsi:nil='1'", true),
        ("null='1'", false),
    ] {
        let mut nil = document.clone();
        nil.replace_range(
            start..end,
            &format!("<customers {attribute}>{}</customers>", if is_nil { "" } else { "<x/>" }),
        );
        let read = paths(&operation(Style::RpcEncoded)).read(nil.as_bytes());
        // Where it is no nil, what stands inside is an item.
        assert_eq!(read.as_ref().ok(), is_nil.then_some(&expected), "{attribute}: {read:?}");
    }
}

/// Items may have any name, but each ends by its own.
#[test]
fn an_item_ends_by_the_name_that_it_began_with() {
    let options = operation(Style::RpcEncoded);
    let plan = Plan::new(CustomerServices::layout(), &options).expect("a plan");
    let written = Encoder::new(&plan).encode(&message()).unwrap().to_vec();
    let written = String::from_utf8(written).unwrap();
    // Of one length with the names that the plan writes.
    let respelt = written.replace("<customer ", "<consumer ").replace("</customer>", "</consumer>");
    for known in [&written, &respelt] {
        for (begin, end) in [("customer", "consumer"), ("consumer", "customer")] {
            let mut paths = paths(&options);
            assert_eq!(paths.read(known.as_bytes()), Ok(message()));
            let mixed = known.replacen("<customer ", &format!("<{begin} "), 1);
            let mixed = mixed.replacen("<consumer ", &format!("<{begin} "), 1);
            let broken = mixed.replacen("</customer>", &format!("</{end}>"), 1);
            let broken = broken.replacen("</consumer>", &format!("</{end}>"), 1);
            let error = paths.read(broken.as_bytes()).unwrap_err();
            assert_eq!(error.kind().to_string(), format!("XML: expected end tag </{begin}>"));
            let whole = broken.replacen(&format!("</{end}>"), &format!("</{begin}>"), 1);
            assert_eq!(paths.read(whole.as_bytes()), Ok(message()), "{whole}");
        }
    }
}

#[test]
fn the_operation_ends_by_the_name_that_it_began_with() {
    for style in [Style::RpcEncoded, Style::RpcLiteral] {
        let namespace = String::new();
        let options = Options { any_wrapper: true, namespace, ..operation(style) };
        let plan = Plan::new(CustomerServices::layout(), &options).expect("a plan");
        let written = Encoder::new(&plan).encode(&message()).unwrap().to_vec();
        let written = String::from_utf8(written).unwrap();
        let mut paths = paths(&options);
        let other = written.replace("<echo", "<ohce");
        let error = paths.read(other.as_bytes()).unwrap_err();
        assert_eq!(error.kind().to_string(), "XML: expected end tag </ohce>");
        let other = other.replace("</echo>", "</ohce>");
        assert_eq!(paths.read(other.as_bytes()), Ok(message()));
    }
}

#[test]
fn any_wrapper_is_taken_if_that_is_asked_for() {
    for (layout, style) in [
        (Layout::Operation, Style::RpcEncoded),
        (Layout::Operation, Style::RpcLiteral),
        (Layout::Message, Style::RpcEncoded),
        (Layout::Message, Style::RpcLiteral),
    ] {
        let strict = Options { layout, ..operation(style) };
        let plan = Plan::new(CustomerServices::layout(), &strict).expect("a plan");
        let written = Encoder::new(&plan).encode(&message()).unwrap().to_vec();
        let written = String::from_utf8(written).unwrap();
        let other = written.replace("ns:echo", "ns:echoReturn").replace("=\"urn:", "=\"urn:x:");
        assert!(paths(&strict).read(other.as_bytes()).is_err());
        let mut lenient = paths(&Options { any_wrapper: true, ..strict });
        assert_eq!(lenient.read(other.as_bytes()), Ok(message()), "{other}");
        assert_eq!(lenient.read(written.as_bytes()), Ok(message()), "{written}");
        let fault = "<SOAP-ENV:Body><SOAP-ENV:Fault><faultstring>no</faultstring></SOAP-ENV:Fault>";
        let body = written.find("<SOAP-ENV:Body").unwrap();
        let fault = format!("{}{fault}</SOAP-ENV:Body></SOAP-ENV:Envelope>", &written[..body]);
        let error = lenient.read(fault.as_bytes()).unwrap_err();
        assert_eq!(error.kind().to_string(), "not supported: a Fault in place of the message: no");
    }
}

#[test]
fn header_blocks_are_written_and_left_to_the_caller() {
    let block =
        format!("<t:order xmlns:t='urn:t' xmlns:S='{SOAP11}' S:mustUnderstand='1'>5</t:order>");
    for options in [operation(Style::DocumentLiteral), operation(Style::RpcEncoded)] {
        let plan = Plan::new(CustomerServices::layout(), &options).expect("a plan");
        let mut encoder = Encoder::new(&plan);
        let bare = String::from_utf8(encoder.encode(&message()).unwrap().to_vec()).unwrap();
        assert_eq!(encoder.encode_with("", &message()).unwrap(), bare.as_bytes());
        let with = encoder.encode_with(&block, &message()).unwrap().to_vec();
        let header = format!("<SOAP-ENV:Header>{block}</SOAP-ENV:Header><SOAP-ENV:Body");
        let with = String::from_utf8(with).unwrap();
        assert_eq!(with, bare.replacen("<SOAP-ENV:Body", &header, 1));
        let error = paths(&options).read(with.as_bytes()).unwrap_err();
        assert_eq!(
            error.kind().to_string(),
            "not supported: the header t:order, which must be understood"
        );
        let mut leaving = paths(&Options { any_header: true, ..options });
        assert_eq!(leaving.read(with.as_bytes()), Ok(message()));
    }
    let fragment = Options { layout: Layout::Fragment, ..operation(Style::DocumentLiteral) };
    let mut encoder =
        Encoder::new(&Plan::new(CustomerServices::layout(), &fragment).expect("a plan"));
    let error = encoder.encode_with(&block, &message()).unwrap_err();
    assert_eq!(error.to_string(), "at byte 0: cannot be written: a fragment has no header");
}

/// SOAP 1.1 sections 5.4.2.1 and 5.4.2.2: places that leave no gap are no news.
#[test]
fn arrays_may_say_where_their_items_belong() {
    let (around, toolkit) = gsoap();
    let document = around.replace("FIELDS", &toolkit.fields());
    let array = "SOAP-ENC:arrayType=\"ns1:customer[2]\"";
    let mut paths = paths(&operation(Style::RpcEncoded));
    for (from, to, is_whole) in [
        (array, format!("{array} SOAP-ENC:offset=\"[0]\""), true),
        (array, format!("{array} SOAP-ENC:offset=\"[1]\""), false),
        ("<item", "<item SOAP-ENC:position=\"[0]\"".to_owned(), true),
        ("<item", "<item SOAP-ENC:position=\"[1]\"".to_owned(), false),
    ] {
        let read = paths.read(document.replacen(from, &to, 1).as_bytes());
        assert_eq!(read.as_ref().ok(), is_whole.then_some(&message()), "{to}: {read:?}");
    }
}

/// .NET refers to whatever is no simple value, and Axis to these too, unless told otherwise.
#[test]
fn references_are_followed_where_content_is_encoded() {
    let (around, toolkit) = gsoap();
    let operation_of = |body: &str| {
        let (before, after) = around.split_once("<ns1:echo>FIELDS</ns1:echo>").unwrap();
        format!("{before}{body}{after}")
    };
    let [first, second] = [1, 2].map(|number| toolkit.customer(number));
    let net = operation_of(&format!(
        "<q1:echo xmlns:q1=\"{NAMESPACE}\"><header xsi:type=\"xsd:string\">REQUEST</header>\
         <customers href=\"#id1\"/><products href=\"#id2\"/></q1:echo>\
         <SOAP-ENC:Array id=\"id1\" SOAP-ENC:arrayType=\"ns1:customer[2]\"><Item href=\"#id3\"/>\
         <Item href=\"#id4\"/></SOAP-ENC:Array><SOAP-ENC:Array id=\"id2\" \
         SOAP-ENC:arrayType=\"ns1:product[1]\"><Item href=\"#id5\"/></SOAP-ENC:Array>\
         <ns1:customer id=\"id3\" xsi:type=\"ns1:customer\">{first}</ns1:customer>\
         <ns1:customer id=\"id4\" xsi:type=\"ns1:customer\">{second}</ns1:customer>\
         <ns1:product id=\"id5\" xsi:type=\"ns1:product\">{}</ns1:product>",
        toolkit.product()
    ));
    let axis = operation_of(&format!(
        "<ns1:echo><header href=\"#id0\"/>{}{}</ns1:echo><multiRef id=\"id0\" \
         SOAP-ENC:root=\"0\" xsi:type=\"xsd:string\">REQUEST</multiRef>",
        toolkit.array("customers", 0, &[first.clone(), second.clone()]),
        toolkit.array("products", 1, &[toolkit.product()]),
    ));
    let mut paths = paths(&operation(Style::RpcEncoded));
    let plain = around.replace("FIELDS", &toolkit.fields());
    for document in [&net, &plain, &axis, &plain] {
        assert_eq!(paths.read(document.as_bytes()), Ok(message()), "{document}");
    }
    let shared = net.replace("\"#id4\"", "\"#id3\"");
    let read = paths.read(shared.as_bytes()).unwrap();
    assert_eq!(read.customers[0], read.customers[1]);
    let missing = net.replace("\"#id3\"", "\"#id9\"");
    assert!(paths.read(missing.as_bytes()).is_err());
}

/// The count is the sender's claim: nothing is made room for by it, but it has to be right.
#[test]
fn a_count_that_is_wrong_is_rejected() {
    let plan =
        Plan::new(CustomerServices::layout(), &operation(Style::RpcEncoded)).expect("a plan");
    let written = Encoder::new(&plan).encode(&message()).unwrap().to_vec();
    let written = String::from_utf8(written).unwrap();
    let mut paths = Paths::<CustomerServices>::new(&plan);
    for (count, expected) in [
        ("", None),
        ("02", None),
        (" 2 ", None),
        ("0", Some("the count says 0 entries, but 2")),
        ("3", Some("the count says 3 entries, but 2")),
        ("2,2", Some("an array of one dimension")),
        ("99999999999999999999999", Some("a type and sizes")),
        ("x", Some("a type and sizes")),
    ] {
        let other = written.replace("customer[2]", &format!("customer[{count}]"));
        let read = paths.read(other.as_bytes());
        match (expected, read) {
            (None, read) => assert_eq!(read, Ok(message()), "{count}"),
            (Some(expected), read) => {
                let error = read.expect_err(count).to_string();
                assert!(error.contains(expected), "{count}: {error}");
            }
        }
    }
}

/// SOAP 1.1 sections 4 and 5.6: elements to refer to, before the call or behind it, and elements
/// behind the Body.
#[test]
fn what_stands_beside_the_call_is_passed_over() {
    let plan =
        Plan::new(CustomerServices::layout(), &operation(Style::RpcEncoded)).expect("a plan");
    let written = Encoder::new(&plan).encode(&message()).unwrap().to_vec();
    let written = String::from_utf8(written).unwrap();
    let mut paths = Paths::<CustomerServices>::new(&plan);
    let behind = |what: &str| written.replace("</ns:echo>", &format!("</ns:echo>{what}"));
    let before = |what: &str| {
        let written = behind("<x><y href='#i'/></x>");
        written.replace("<ns:echo", &format!("{what}<ns:echo"))
    };
    let trailer = |soap: &str, what: &str| {
        let end = "</SOAP-ENV:Body>";
        written.replace(end, &format!("{end}{what}")).replace(SOAP11, soap)
    };
    for document in [
        behind("<multiRef id='i' SOAP-ENC:root='0'><a/></multiRef>"),
        behind("<other/><!-- c --><another>text</another>"),
        before("<multiRef id='i'>1</multiRef>"),
        before("<multiRef id='i' SOAP-ENC:root='0'>1</multiRef>"),
        trailer(SOAP11, "<t:trailer xmlns:t='urn:t'>1<b/></t:trailer><t/>"),
    ] {
        assert_eq!(paths.read(document.as_bytes()), Ok(message()), "{document}");
        assert_eq!(paths.read(written.as_bytes()), Ok(message()));
    }
    for document in [
        trailer(SOAP12, "<t/>"),
        trailer(SOAP11, "<SOAP-ENV:Body/>"),
        trailer(SOAP11, "text"),
        behind("text"),
        behind("<other>"),
        before("<other/>"),
    ] {
        assert!(paths.read(document.as_bytes()).is_err(), "{document}");
    }
    let literal =
        Plan::new(CustomerServices::layout(), &operation(Style::RpcLiteral)).expect("a plan");
    let written = Encoder::new(&literal).encode(&message()).unwrap().to_vec();
    let written = String::from_utf8(written).unwrap();
    let mut paths = Paths::<CustomerServices>::new(&literal);
    let trailer = written.replace("</SOAP-ENV:Body>", "</SOAP-ENV:Body><t/>");
    assert_eq!(paths.read(trailer.as_bytes()), Ok(message()));
    let second = written.replace("</ns:echo>", "</ns:echo><t/>");
    assert!(paths.read(second.as_bytes()).is_err());
}

/// Types of XML Schema may have attributes of any name.
#[test]
fn references_mean_nothing_where_content_is_literal() {
    for style in [Style::RpcLiteral, Style::DocumentLiteral] {
        let plan = Plan::new(CustomerServices::layout(), &operation(style)).expect("a plan");
        let written = Encoder::new(&plan).encode(&message()).unwrap().to_vec();
        let written = String::from_utf8(written).unwrap();
        let encoding = format!("xmlns:E='{ENCODING11}' E:position='[5]' E:arrayType='x'");
        for attribute in ["href='#1'", &encoding] {
            for element in ["header", "customers", "customer", "email"] {
                let with = format!("<{element} {attribute}>");
                let other = written.replacen(&format!("<{element}>"), &with, 1);
                assert!(other.contains(&with));
                let read = Paths::<CustomerServices>::new(&plan).read(other.as_bytes());
                assert_eq!(read, Ok(message()), "{other}");
            }
        }
    }
}

#[test]
fn a_fragment_is_the_element_alone() {
    let options = Options {
        version: Version::Soap12,
        layout: Layout::Fragment,
        ..operation(Style::RpcEncoded)
    };
    let plan = Plan::new(CustomerServices::layout(), &options).expect("a plan");
    let empty = CustomerServices { header: "a".into(), ..CustomerServices::default() };
    let written = Encoder::new(&plan).encode(&empty).unwrap().to_vec();
    let written = String::from_utf8(written).unwrap();
    let expected = format!("<echo xmlns=\"{NAMESPACE}\"><header>a</header>");
    assert!(written.starts_with(&expected) && written.ends_with("</echo>"), "{written}");
    let mut paths = paths(&options);
    for document in [
        written.clone(),
        format!("<?xml version='1.0'?>\n{written}<!-- end -->"),
        format!("<t:echo xmlns:t='{NAMESPACE}'><t:header>a</t:header></t:echo>"),
    ] {
        assert_eq!(paths.read(document.as_bytes()), Ok(empty.clone()), "{document}");
    }
    let error = paths.read(written.replace("echo", "other").as_bytes()).unwrap_err();
    assert_eq!(
        error.kind().to_string(),
        format!("expected the message echo of {NAMESPACE:?}, not <other> of {NAMESPACE:?}")
    );
    let mut decoder = Decoder::new(&plan);
    assert!(decoder.decode(b"", &mut CustomerServices::default()).is_err());
}
