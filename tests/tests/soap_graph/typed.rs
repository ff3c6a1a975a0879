//! Messages of a schema, from documents with references and into them.

use std::sync::Arc;

use trunkline_catalogue::commerce::CustomerServices;
use trunkline_message::{Kind, Layout, Limits, Message, Need, Record, Result, Structure};
use trunkline_soap::graph::{self, Encoder};
use trunkline_soap::{self as soap, Decoder, Options, Plan, Style, Version};
use trunkline_tests::every_kind::EveryKind;
use trunkline_tests::infoset;
use trunkline_tests::random::Safe;
use trunkline_tests::samples;

use crate::{ENCODING11, encode, encoded, encoders};

/// Every style and layout, with types and without.
fn options() -> Vec<Options> {
    let styles =
        [Style::RpcEncoded, Style::RpcLiteral, Style::DocumentLiteral, Style::DocumentEncoded];
    let mut all = Vec::new();
    for style in styles {
        for layout in [soap::Layout::Message, soap::Layout::Operation] {
            for types in [false, true] {
                let namespace = "urn:own".into();
                let operation = "echo".into();
                all.push(Options {
                    style,
                    layout,
                    types,
                    namespace,
                    operation,
                    ..Options::default()
                });
            }
        }
    }
    all
}

/// The message comes back from its graph, however that is written and whoever reads it.
fn survives<M: Message + Structure + PartialEq + std::fmt::Debug>(message: &M) {
    for options in options() {
        let plan = Plan::new(M::layout(), &options).expect("a plan");
        let made = graph::from_message(message, &plan).expect("a graph");
        let tree = Encoder { multi_ref: false, ..Encoder::new(Version::Soap11) };
        for encoder in encoders().into_iter().chain([tree.clone()]) {
            let document = encode(&made, &encoder);
            let mut read = M::empty();
            graph::decode_message(document.as_bytes(), &plan, &Limits::default(), &mut read)
                .unwrap_or_else(|error| panic!("{error}: {options:?}: {document:.2000}"));
            assert_eq!(read, *message, "{options:?}");
        }
        // The decoder and the encoder of the plan agree with the graph's.
        let mut read = M::empty();
        let document = encode(&made, &tree);
        Decoder::new(&plan).decode(document.as_bytes(), &mut read).expect("a tree");
        assert_eq!(read, *message, "{options:?}");
        let mut encoder = soap::Encoder::new(&plan);
        let document = encoder.encode(message).expect("a message");
        for version in [Version::Soap11, Version::Soap12] {
            let compact_tags = version == Version::Soap12;
            same_document(message, &Options { version, compact_tags, ..options.clone() });
        }
        let mut read = M::empty();
        graph::decode_message(document, &plan, &Limits::default(), &mut read).expect("a document");
        assert_eq!(read, *message, "{options:?}");
    }
}

/// Without references, the graph's document says what the plan's does.
fn same_document<M: Message + Structure>(message: &M, options: &Options) {
    let plan = Plan::new(M::layout(), options).expect("a plan");
    let mut encoder = soap::Encoder::new(&plan);
    let expected = encoder.encode(message).expect("a message");
    let made = graph::from_message(message, &plan).expect("a graph");
    let tree = Encoder { multi_ref: false, ..Encoder::new(options.version) };
    let document = encode(&made, &tree);
    let (expected, found) = (infoset::read(expected), infoset::read(document.as_bytes()));
    assert_eq!(expected.lines(), found.lines(), "{options:?}");
}

#[test]
fn messages_survive_their_graphs() {
    survives(&samples::customer_services(3, 5));
    survives(&samples::customer_services(0, 0));
    survives(&samples::figure_3(3));
    for seed in 0..5 {
        survives(&samples::any_customer_services(seed, Safe::SOAP));
        survives(&samples::market_data(seed, Safe::SOAP));
        let mut message = EveryKind::default();
        trunkline_tests::random::fill(&mut message, seed, Safe::SOAP, 4);
        survives(&message);
    }
}

fn customers_plan_options() -> Options {
    Options {
        layout: soap::Layout::Operation,
        operation: "echo".into(),
        namespace: "urn:own".into(),
        types: true,
        ..Options::default()
    }
}

fn customers_plan() -> Arc<Plan> {
    Plan::new(CustomerServices::layout(), &customers_plan_options()).expect("a plan")
}

#[test]
fn texts_that_are_equal_are_written_once() {
    let mut message = samples::customer_services(20, 0);
    for customer in &mut message.customers[..] {
        customer.address = "1 Long Street, North Ryde".into();
    }
    let plan = customers_plan();
    let made = graph::from_message(&message, &plan).expect("a graph");
    let document = encode(&made, &Encoder::new(Version::Soap11));
    assert_eq!(document.matches("1 Long Street").count(), 1);
    assert_eq!(document.matches("<address href=").count(), 20);
    let literal = Options { style: Style::DocumentLiteral, ..Options::default() };
    let literal = Plan::new(CustomerServices::layout(), &literal).expect("a plan");
    let made = graph::from_message(&message, &literal).expect("a graph");
    let document = encode(&made, &Encoder::new(Version::Soap11));
    assert_eq!(document.matches("1 Long Street").count(), 20);
}

/// The fields of a customer, the address as given.
fn customer(address: &str) -> String {
    let texts =
        ["customerId", "password", "firstName", "lastName", "phoneNum", "email", "accountNo"];
    let texts: String = texts.iter().map(|name| format!("<{name}>x</{name}>")).collect();
    format!(
        "{texts}<address {address}<isValid>1</isValid>\
         <lastModified>2004-01-02T03:04:05</lastModified>"
    )
}

/// Reads customers: what stands in the element of the group, and what stands behind the call.
fn read(customers: &str, behind: &str) -> Result<CustomerServices> {
    let document = encoded(&format!(
        "<o:echo><header>REQUEST</header>{customers}<products/></o:echo>{behind}"
    ));
    let mut message = CustomerServices::default();
    let limits = Limits { entries: 1000, ..Limits::default() };
    graph::decode_message(document.as_bytes(), &customers_plan(), &limits, &mut message)?;
    Ok(message)
}

/// Where the element of the customers begins.
fn place(tag: &str) -> usize {
    encoded(&format!("<o:echo><header>REQUEST</header>{tag}")).find(tag).expect("the element")
}

fn rejected(customers: &str, behind: &str) -> String {
    read(customers, behind).expect_err("customers that are wrong").to_string()
}

#[test]
fn references_are_followed_at_every_level() {
    let entry = customer("href='#a'/>");
    let message = read(
        "<customers href='#list'/>",
        &format!(
            "<m id='list' E:arrayType='o:customer[3]'><i href='#c'/><i href='#c'/><i>{entry}</i></m>\
             <m id='c' xsi:type='o:customer'>{entry}</m><m id='a' xsi:type='xsd:string'>here</m>"
        ),
    );
    let message = message.expect("three customers");
    assert_eq!(message.customers.len(), 3);
    assert!(message.customers.iter().all(|it| *it.address == *"here" && it.is_valid));
}

#[test]
fn arrays_that_are_complete_are_groups_however_they_say_so() {
    let entry = customer(">x</address>");
    let array = |attributes: &str, items: &str| {
        read(&format!("<customers {attributes}>{items}</customers>"), "")
    };
    let two = format!("<i>{entry}</i><i>{entry}</i>");
    let placed = format!("<i E:position='[1]'>{entry}</i><i E:position='[0]'>{entry}</i>");
    for (attributes, items) in [
        ("E:arrayType='o:customer[2]' E:offset='[0]'", &two),
        ("E:arrayType='o:customer[]'", &two),
        ("E:arrayType='o:customer[2]'", &placed),
        ("xsi:type='E:Array'", &two),
        ("", &two),
    ] {
        let message =
            array(attributes, items).unwrap_or_else(|error| panic!("{error}: {attributes}"));
        assert_eq!(message.customers.len(), 2, "{attributes}");
    }
}

#[test]
fn what_is_no_list_of_entries_is_rejected() {
    let entry = customer(">x</address>");
    let array = |size: &str, items: &str| {
        rejected(&format!("<customers E:arrayType='o:customer[{size}]'>{items}</customers>"), "")
    };
    let gap = array("2", &format!("<i E:position='[1]'>{entry}</i>"));
    let expected = |items: usize| {
        format!("expected all {items} items of the array, not 1 of them: it is partial or sparse")
    };
    assert_eq!(gap, format!("customers at byte {}: {}", place("<customers"), expected(2)));
    let open = array("", &format!("<i E:position='[7]'>{entry}</i>"));
    assert!(open.contains(&expected(8)), "{open}");
    let late = rejected(
        &format!(
            "<customers E:arrayType='o:customer[3]' E:offset='[2]'><i>{entry}</i></customers>"
        ),
        "",
    );
    assert!(late.contains(&expected(3)), "{late}");
    let cut = array("2", &format!("<i>{entry}</i>"));
    assert!(cut.contains("says 2 entries, but 1"), "{cut}");
    assert!(array("1,1", &format!("<i>{entry}</i>")).contains("one dimension"));
    let nil = array("1", "<i xsi:nil='1'/>");
    assert!(nil.starts_with("customers[0]"), "{nil}");
    let missing = format!(
        "customers[0]/customerId at byte {}: a required field",
        place("<customers") + "<customers E:arrayType='o:customer[1]'>".len()
    );
    assert!(array("1", "<i/>").contains(&missing));
}

#[test]
fn circles_have_no_place_in_a_message() {
    let entry = customer("href='#list'/>");
    let error = rejected("<customers href='#list'/>", &format!("<m id='list'><i>{entry}</i></m>"));
    assert!(error.contains("customers[0]/address") && error.contains("contains itself"), "{error}");
    // Where the schema does not look, it does not matter.
    let unknown = read("<customers/><other id='1'><up href='#1'/></other>", "");
    assert!(unknown.is_ok());
}

#[test]
fn sharing_does_not_get_around_limits() {
    let entry = customer(">x</address>");
    let items = "<i href='#c'/>".repeat(1001);
    let error =
        rejected(&format!("<customers>{items}</customers>"), &format!("<m id='c'>{entry}</m>"));
    assert!(error.contains("entries = 1000"), "{error}");
}

/// White space that many elements share is looked at once for each of them.
#[test]
fn sharing_white_space_does_not_get_around_limits() {
    let white = " ".repeat(1000);
    let limits = Limits { message_bytes: 100_000, ..Limits::default() };
    let read = |items: usize| {
        let items = "<i href='#w'/>".repeat(items);
        let document = encoded(&format!(
            "<o:echo><header>x</header><customers>{items}</customers></o:echo><m id='w'>{white}</m>"
        ));
        let mut message = CustomerServices::default();
        let read =
            graph::decode_message(document.as_bytes(), &customers_plan(), &limits, &mut message);
        read.expect_err("customers without fields").to_string()
    };
    let missing = read(1);
    assert!(
        missing.contains("customers[0]/customerId at byte")
            && missing.ends_with("a required field is missing"),
        "{missing}"
    );
    let mut builder = Layout::builder("List");
    builder.begin_group("entries", "entry", Need::Optional);
    builder.field("text", Kind::Text, Need::Optional);
    builder.end();
    let schema = Arc::new(builder.build().expect("a schema"));
    let options = Options {
        style: Style::DocumentEncoded,
        namespace: "urn:own".into(),
        ..Options::default()
    };
    let plan = Plan::new(&schema, &options).expect("a plan");
    let read = |items: usize| {
        let items = "<i href='#w'/>".repeat(items);
        let document =
            encoded(&format!("<o:List><entries>{items}</entries></o:List><m id='w'>{white}</m>"));
        let mut message = Record::new(&schema);
        graph::decode_message(document.as_bytes(), &plan, &limits, &mut message)
    };
    assert_eq!(read(100), Ok(0));
    let error = read(101).expect_err("too much").to_string();
    assert!(error.contains("message_bytes = 100000"), "{error}");
}

/// They might be meant as the value's, and a reference has no place for them.
#[test]
fn attributes_beside_a_reference_are_rejected() {
    let behind = "<m id='a'>here</m>";
    let customers = |attributes: &str| {
        let entry = customer(&format!("href='#a'{attributes}/>"));
        format!("<customers><i>{entry}</i></customers>")
    };
    for (attributes, name) in [(" left='5'", "left"), (" o:left='5'", "left")] {
        let customers = customers(attributes);
        let at = place(&customers) + customers.find("<address").unwrap();
        let expected = format!("expected no attribute {name} in an element that refers to another");
        let error = rejected(&customers, behind);
        assert!(error.ends_with(&format!("at byte {at}: {expected}")), "{error}");
    }
    let hollow = "<o:EveryKind><name>a</name><hollow href='#h' left='5'/></o:EveryKind>\
        <h id='h'><right>r</right></h>";
    let options = Options {
        style: Style::DocumentEncoded,
        layout: soap::Layout::Message,
        ..customers_plan_options()
    };
    let mut decoder = Decoder::new(&Plan::new(EveryKind::layout(), &options).expect("a plan"));
    let mut message = EveryKind::default();
    let error = decoder.decode(encoded(hollow).as_bytes(), &mut message).unwrap_err().to_string();
    let expected = "expected no attribute left in an element that refers to another";
    assert!(error.ends_with(expected), "{error}");
    // Those of others, and in the Header.
    for attributes in ["", " xsi:type='xsd:string'", " xml:lang='en'", " S:root='0'"] {
        assert!(read(&customers(attributes), behind).is_ok(), "{attributes}");
    }
    let document = encoded(&hollow.replace(" left='5'", " xmlns:w='urn:w' w:Id='x' w:left='5'"));
    decoder.decode(document.as_bytes(), &mut message).expect("they are nobody's here");
    assert_eq!(decoder.unknown(), 2);
    let mut strict = Decoder::new(&Plan::new(EveryKind::layout(), &options).expect("a plan"))
        .on_unknown(trunkline_message::UnknownContent::Reject);
    let error = strict.decode(document.as_bytes(), &mut message).expect_err("they are unknown");
    assert_eq!(*error.path(), *"@Id");
    let document = encoded("<o:echo><header href='#h'/></o:echo><m id='h'>REQUEST</m>").replace(
        "<S:Body",
        &format!("<S:Header S:encodingStyle='{ENCODING11}'><o:a href='#b' x='1'/><o:b id='b'/></S:Header><S:Body"),
    );
    let mut message = CustomerServices::default();
    let limits = Limits::default();
    graph::decode_message(document.as_bytes(), &customers_plan(), &limits, &mut message)
        .expect("a header block that is not the message's");
}

#[test]
fn references_to_what_is_elsewhere_are_no_empty_values() {
    let expected = "not supported: a reference to what is not in the message";
    for address in [
        "href='cid:photo@example.org'/>",
        "href='http://example.org/'/>",
        "S:encodingStyle='' href='#a'/>",
        "href='cid:x' xsi:nil='1'/>",
    ] {
        let entry = customer(address);
        let error = rejected(&format!("<customers><i>{entry}</i></customers>"), "");
        let at = place(&format!("<customers><i>{}", entry.split_once("<address").unwrap().0))
            + "<customers><i>".len()
            + entry.find("<address").unwrap();
        assert_eq!(error, format!("customers[0]/address at byte {at}: {expected}"), "{address}");
    }
    assert!(rejected("<customers href='cid:x'/>", "").contains(expected));
    assert!(rejected("<customers><i href='cid:x'/></customers>", "").contains(expected));
    assert!(read("<customers/><unknown href='cid:x'/>", "").is_ok());
}

#[test]
fn header_blocks_are_not_read_as_the_body_is() {
    let block = |block: &str| {
        encoded("<o:echo><header href='#h'/></o:echo><m id='h'>REQUEST</m>")
            .replace("<S:Body", &format!("<S:Header>{block}</S:Header><S:Body"))
    };
    let read = |document: &str, any_header: bool| {
        let options = Options { any_header, ..customers_plan_options() };
        let plan = Plan::new(CustomerServices::layout(), &options).expect("a plan");
        let mut message = CustomerServices::default();
        graph::decode_message(document.as_bytes(), &plan, &Limits::default(), &mut message)
            .map(|_| message.header.to_string())
    };
    let literal = block("<o:a href='#nowhere'/><o:b id='h'/><o:c id='h'>x</o:c>");
    assert_eq!(read(&literal, false).as_deref(), Ok("REQUEST"));
    let mandatory = block("<o:a S:mustUnderstand='1'/>");
    let error = read(&mandatory, false).expect_err("a header that must be understood");
    let expected = "not supported: the header {urn:own}a, which must be understood";
    assert_eq!(error.kind().to_string(), expected);
    assert_eq!(read(&mandatory, true).as_deref(), Ok("REQUEST"));
}

#[test]
fn a_fault_is_no_message_of_any_wrapper() {
    let options = Options { any_wrapper: true, ..customers_plan_options() };
    let plan = Plan::new(CustomerServices::layout(), &options).expect("a plan");
    let reasons = [
        "<S:Fault><faultcode href='#c'/><faultstring>no</faultstring></S:Fault><m id='c'>x</m>",
        "<S:Fault><header>no</header></S:Fault>",
    ];
    for (body, reason) in reasons.into_iter().zip(["no", ""]) {
        let mut message = CustomerServices::default();
        let document = encoded(body);
        let read =
            graph::decode_message(document.as_bytes(), &plan, &Limits::default(), &mut message);
        let error = read.expect_err("a fault").to_string();
        let expected = format!("not supported: a Fault in place of the message: {reason}");
        assert_eq!(error, format!("at byte 0: {expected}"));
    }
}

#[test]
fn values_are_checked_as_without_references() {
    let with = |field: &str, value: &str| {
        let entry = customer(">x</address>")
            .replace(&format!("<{field}>"), &format!("<{field} href='#v'/><was{field}>"));
        let entry = entry.replace(&format!("</{field}>"), &format!("</was{field}>"));
        rejected(
            &format!("<customers><i>{entry}</i></customers>"),
            &format!("<m id='v'{value}</m>"),
        )
    };
    let error = with("isValid", ">maybe");
    assert!(error.contains("customers[0]/isValid at byte"), "{error}");
    assert!(!error.contains("byte 0:") && error.contains("expected true or"), "{error}");
    assert!(with("isValid", " xsi:type='xsd:string'>1").contains("another type than xsd:string"));
    assert!(with("email", "><b/>").contains("text, not elements"));
    let twice = "<customers/><customers/>";
    let expected = "expected one element customers with all <customer> inside, not a second";
    assert_eq!(
        rejected(twice, ""),
        format!("customers at byte {}: {expected}", place(twice) + twice.len() / 2)
    );
}
