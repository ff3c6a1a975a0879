//! WSDL of others.

use std::fs;

use trunkline_import::Limits;
use trunkline_import::wsdl::Description;
use trunkline_message::{Fields as _, Record, Value};
use trunkline_soap::{Decoder, Encoder, Plan};
use trunkline_tests::conformance;
use trunkline_tests::import_corpus::exceptions::Exceptions;
use trunkline_tests::import_corpus::{recorded, wsdl};

/// What is rejected although another takes it.
const REFUSED: &[(&str, &str)] = &[
    // A header block of the message itself, and a part that the message does not have.
    ("axis-MultiImp", "has no part body"),
    // zeep rejects it too.
    ("axis-soap12-test", "with neither extension nor restriction"),
    // zeep leaves the port out.
    ("gowsdl-stock", "StockQuoteBinding is not defined"),
    // zeep takes the last.
    ("zeep-soap_transport_err", "is defined twice"),
];

/// What is taken although others reject it.
const TAKEN: &[(&str, &str)] = &[
    // A schema that is not there is found where its namespace is published.
    ("axis-liberty2", ""),
    ("cxf-basic_callback_test", ""),
    // What is not there is needed by one header block, which has no layout.
    ("jaxws-jaxws692-MyService", ""),
];

/// In what others read something else.
const DIFFERENCES: &[(&str, &str)] = &[
    // An operation's style is "literal", which is none.
    ("cxf-swa-mime-nomime", "echoData literal"),
];

/// Bodies, header blocks and details that have no plan.
const WITHOUT_PLAN: &[(&str, &str)] = &[
    // Encoded content has no content of any shape.
    ("axis-ComprehensiveTypes", "where content is encoded"),
    // What they need is defined nowhere.
    ("axis-MArrayTest", "is not defined"),
    ("axis-Nested", "is not defined"),
    ("axis-header", "is not defined"),
    ("axis-rpcParams", "is not defined"),
    ("jaxws-jaxws692-MyService", "is not defined"),
    // A name with a colon.
    ("axis-JavaNames", "area:Code"),
    // An attribute that would be an element where content is encoded, beside one of its name.
    ("axis-clash", "two elements string_1"),
];

/// Requests of zeep that do not come back.
const SAMPLES: &[(&str, &str)] = &[
    // It sends a struct as one text.
    ("axis-dime-rpc", "expected elements here, not text"),
    // It sends nothing: it does not look into MIME bindings, or into what is encoded.
    ("axis-mime-rpc", "expected the message"),
    ("cxf-swa-mime", "expected the message"),
    ("cxf-swa-mime-nomime", "expected the message"),
    ("jaxws-parser-usingpolicy", "expected the message"),
    // It sends an array as one text.
    ("axis-simple-rpc-encoded", "expected a whole number"),
    // zeep sends a text that is none of the enumeration.
    ("bingads-customerbilling", "not \"text\""),
    ("bingads-customermanagement", "not \"text\""),
    ("jaxws-marshalltest-MarshallTestService", "not \"text\""),
    ("onvif-devicemgmt", "not \"text\""),
    ("soapwsdl-006_sax_client", "not \"text\""),
    ("soapwsdl-message_gateway", "not \"text\""),
    // A type that is abstract: it is not valid.
    ("cxf-cardealer", "xsi:type"),
];

#[test]
fn services_of_others_are_imported() {
    let Some(suite) = conformance::directory("wsdl") else { return };
    let rows = wsdl::rows(&suite);
    assert!(rows.len() > 150, "{}", rows.len());
    let [mut refused, mut taken, mut differences, mut plans, mut samples] =
        [REFUSED, TAKEN, DIFFERENCES, WITHOUT_PLAN, SAMPLES].map(Exceptions::new);
    for row in &rows {
        let of = (&*row.case, &*row.expected);
        Exceptions::outcome([&mut refused, &mut taken], of, row.rejected.as_deref());
        row.differences.iter().for_each(|it| differences.note(&row.case, it));
        row.without_plan.iter().for_each(|it| plans.note(&row.case, it));
        row.samples.1.iter().for_each(|it| samples.note(&row.case, it));
    }
    Exceptions::assert_none_else([refused, taken, differences, plans, samples]);
    let (plans, samples): (usize, usize) =
        rows.iter().fold((0, 0), |all, it| (all.0 + it.plans, all.1 + it.samples.0));
    assert!(plans > 4000 && samples >= 175, "{plans} plans, {samples} samples came back");
}

/// WSDLs of PHP's and White Mesa's tests that are rejected.
const REFUSED_OF_RECORDED: &[(&str, &str)] = &[
    // zeep rejects it too.
    ("soap12-test", "with neither extension nor restriction"),
];

/// Of these, bodies, header blocks and details that have no plan.
const RECORDED_WITHOUT_PLAN: &[(&str, &str)] =
    &[("soap12-add-test", "content of any shape, where content is encoded")];

/// Recorded messages that do not come back.
const RECORDED: &[(&str, &str)] = &[
    // What items of encoded arrays are called says nothing (SOAP 1.1, 5.4.2).
    ("round2_base", "r2_base_015w"),
    ("round3_groupD_import3", "r3_groupD_import3_002w"),
    // The list is a ring, which no message holds.
    ("round3_groupE_list", "r3_groupE_list_006w"),
    // The encodingStyle of an element without content.
    ("round4_groupH_soapfault", "echoVersionMismatchFault"),
    // The test is about header blocks that nobody knows.
    ("round4_groupH_soapfault", "which must be understood"),
    ("round4_groupI_xsd", "which must be understood"),
    // PHP answers with an empty element where the item is nil.
    ("round4_groupI_xsd", "r4_groupI_xsd_015w response"),
    // It sends what is no value of the enumeration.
    ("round4_groupI_xsd", "not \"bitTwo\""),
];

#[test]
fn services_of_php_and_white_mesa_are_imported() {
    let (Some(php), Some(white_mesa)) =
        (conformance::directory("soap-php"), conformance::directory("soap12-whitemesa"))
    else {
        return;
    };
    let (php, white_mesa) = (recorded::php(&php), recorded::white_mesa(&white_mesa));
    assert_eq!((php.len(), white_mesa.len()), (24, 2));
    let [mut refused, mut plans, mut messages] =
        [REFUSED_OF_RECORDED, RECORDED_WITHOUT_PLAN, RECORDED].map(Exceptions::new);
    for row in &white_mesa {
        row.rejected.iter().for_each(|it| refused.note(&row.case, it));
    }
    for row in php.iter().chain(&white_mesa) {
        row.without_plan.iter().for_each(|it| plans.note(&row.case, it));
        row.samples.1.iter().for_each(|it| messages.note(&row.case, it));
    }
    // The one of PHP's of the same name is taken.
    assert!(php.iter().all(|it| it.rejected.is_none()), "{php:?}");
    Exceptions::assert_none_else([refused, plans, messages]);
    let back: usize = php.iter().map(|it| it.samples.0).sum();
    assert!(back > 100, "{back} messages came back");
}

/// The lists of .NET, whose items may be nil.
#[test]
fn nil_items_of_services_of_others_keep_their_places() {
    let Some(suite) = conformance::directory("wsdl") else { return };
    let file = suite.join("services/bingads-customerbilling/customerbilling_service.xml");
    let file = file.to_str().expect("a path in UTF-8");
    let mut resolver = |path: &str| Ok(fs::read(path).ok());
    let description = Description::read(file, &mut resolver, &Limits::default()).expect("a WSDL");
    let port = &description.services()[0].ports[0];
    let binding = description.binding(port);
    let of = |name: &str| {
        let operation = binding.operations.iter().find(|it| it.name == name).expect("it is there");
        description.request(binding, operation).expect("a layout").expect("a body")
    };
    let nil = "i:nil='true'";
    let arrays = "http://schemas.microsoft.com/2003/10/Serialization/Arrays";
    let entities = "https://bingads.microsoft.com/Customer/v13/Entities";
    let emails = format!(
        "<SendToEmails xmlns:a='{arrays}'><a:string>x</a:string><a:string {nil}/><a:string>y</a:string>\
         <a:string {nil}/></SendToEmails>"
    );
    let predicates = format!(
        "<Predicates xmlns:a='{entities}'><a:Predicate {nil}/><a:Predicate><a:Field>f</a:Field></a:Predicate>\
         </Predicates>"
    );
    for (operation, members, path, expected) in [
        ("DispatchCoupons", &emails, "SendToEmails/string", &[false, true, false, true][..]),
        ("SearchInsertionOrders", &predicates, "Predicates/Predicate", &[true, false]),
    ] {
        let described = of(operation);
        let (namespace, element) = (&described.options.namespace, &described.options.operation);
        let text = format!(
            "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/' \
             xmlns:i='http://www.w3.org/2001/XMLSchema-instance'><e:Body><{element} xmlns='{namespace}'>{members}\
             </{element}></e:Body></e:Envelope>"
        );
        let layout = std::sync::Arc::new(described.layout);
        let plan = Plan::new(&layout, &described.options).expect("a plan");
        let mut record = Record::new(&layout);
        Decoder::new(&plan).decode(text.as_bytes(), &mut record).expect("its message");
        let Some(Value::Group(items)) = record.get(path) else { panic!("{record:?}") };
        let found: Vec<bool> = items.entries().iter().map(|it| it.is_nil()).collect();
        assert_eq!(found, expected, "{operation}");
        let mut encoder = Encoder::new(&plan);
        let again = encoder.encode(&record).expect("it can be written").to_vec();
        let mut back = Record::new(&layout);
        Decoder::new(&plan).decode(&again, &mut back).expect("its own");
        assert_eq!(back, record, "{operation}");
        let validation = description.schemas().validate(&again, &Limits::default());
        assert!(validation.violations.is_empty(), "{operation}: {:?}", validation.violations);
    }
}

/// Elements in the Body that may be nil as a whole.
#[test]
fn nil_elements_of_services_of_others_come_back() {
    let Some(suite) = conformance::directory("wsdl") else { return };
    for (path, least) in [
        ("cxf-doc_lit_bare/doc_lit_bare.wsdl", 2),
        ("jaxws-rt_wsdl_parser-hello_literal/hello_literal.wsdl", 2),
    ] {
        let file = suite.join("services").join(path);
        let file = file.to_str().expect("a path in UTF-8");
        let mut resolver = |path: &str| Ok(fs::read(path).ok());
        let description =
            Description::read(file, &mut resolver, &Limits::default()).expect("a WSDL");
        let mut count = 0;
        for binding in description.bindings() {
            for operation in &binding.operations {
                let bodies = [
                    description.request(binding, operation),
                    description.response(binding, operation),
                ];
                for described in bodies.into_iter().flatten().flatten() {
                    if !described.options.nillable {
                        continue;
                    }
                    count += 1;
                    let layout = std::sync::Arc::new(described.layout);
                    let plan = Plan::new(&layout, &described.options).expect("a plan");
                    let mut record = Record::new(&layout);
                    assert!(record.set_nil());
                    let mut encoder = Encoder::new(&plan);
                    let written = encoder.encode(&record).expect("it may be nil").to_vec();
                    let mut back = Record::new(&layout);
                    Decoder::new(&plan).decode(&written, &mut back).expect("its own");
                    assert_eq!(back, record, "{}", operation.name);
                    let validation = description.schemas().validate(&written, &Limits::default());
                    assert!(validation.violations.is_empty(), "{:?}", validation.violations);
                }
            }
        }
        assert!(count >= least, "{path}: {count}");
    }
}
