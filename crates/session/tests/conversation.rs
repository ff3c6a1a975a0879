//! A service without a socket: envelopes in, envelopes out.

use trunkline_message::{Message, UnknownContent};
use trunkline_session::soap::{
    Answer, Binding, Context, Conversation, Endpoint, Fault, FaultCode, Fragment, Outcome, Service,
    SoapVersion, Style, element,
};
use trunkline_wire::Text;

const NAMESPACE: &str = "urn:example:calculator";
const SOAP11: &str = "http://schemas.xmlsoap.org/soap/envelope/";
const SOAP12: &str = "http://www.w3.org/2003/05/soap-envelope";

#[derive(Message, Clone, Debug, Default)]
struct Numbers {
    a: i32,
    b: i32,
}

#[derive(Message, Clone, Debug, Default)]
struct Answered {
    result: i32,
}

#[derive(Message, Clone, Debug, Default)]
struct Split {
    result: i32,
    rest: i32,
}

#[derive(Message, Clone, Debug, Default)]
struct Transaction {
    id: Text,
}

fn add(numbers: Numbers) -> Result<Answered, Fault> {
    let sum = numbers.a.checked_add(numbers.b);
    sum.map(|result| Answered { result }).ok_or_else(|| Fault::sender("the sum is too large"))
}

fn subtract(
    numbers: &mut Numbers,
    answer: &mut Answered,
    context: &mut Context,
) -> Result<(), Fault> {
    if let Some(transaction) = context.header::<Transaction>()? {
        context.add_header(&transaction)?;
    }
    answer.result = numbers.a - numbers.b;
    Ok(())
}

fn service() -> Service {
    Service::new("Calculator", NAMESPACE)
        .operation("add", add)
        .operation("subtract", subtract)
        .one_way("forget", |_: Numbers| Ok::<(), Fault>(()))
        .header::<Transaction>()
}

fn endpoint(binding: Binding) -> Endpoint {
    let endpoints = service().at("/", binding).build().expect("a service");
    endpoints.into_iter().next().expect("its endpoint")
}

fn envelope(header: &str, body: &str) -> String {
    format!(
        "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/' xmlns:n='{NAMESPACE}'>\
         {header}<e:Body>{body}</e:Body></e:Envelope>"
    )
}

/// The answer as text, and what came of the request.
fn ask(conversation: &mut Conversation, request: &str, action: &str) -> (String, Outcome) {
    let Answer { bytes, outcome, .. } =
        conversation.answer(request.as_bytes(), action, SoapVersion::Soap11);
    (String::from_utf8(bytes.to_vec()).expect("text"), outcome)
}

#[test]
fn each_style_is_answered_in_its_own() {
    let cases = [
        (
            Binding::document_literal(),
            "<n:add><n:a>1</n:a><n:b>2</n:b></n:add>",
            "<addResponse xmlns=\"urn:example:calculator\"><result>3</result></addResponse>",
        ),
        (
            Binding::document_literal_bare(),
            "<Numbers xmlns='urn:example:calculator'><a>1</a><b>2</b></Numbers>",
            "<Answered xmlns=\"urn:example:calculator\"><result>3</result></Answered>",
        ),
        (
            Binding::rpc_literal(),
            "<n:add><a>1</a><b>2</b></n:add>",
            "<ns:addResponse xmlns:ns=\"urn:example:calculator\"><result>3</result></ns:addResponse>",
        ),
        (
            Binding::rpc_encoded(),
            "<n:add e:encodingStyle='http://schemas.xmlsoap.org/soap/encoding/'>\
             <a xmlns:x='http://www.w3.org/2001/XMLSchema' \
             xmlns:i='http://www.w3.org/2001/XMLSchema-instance' i:type='x:int'>1</a><b>2</b></n:add>",
            "<result xsi:type=\"xsd:int\">3</result></ns:addResponse>",
        ),
    ];
    for (binding, body, expected) in cases {
        let mut conversation = endpoint(binding).conversation();
        // The second time, the message's beginning is known.
        for _ in 0..2 {
            let action = "urn:example:calculator#add";
            let (answer, outcome) = ask(&mut conversation, &envelope("", body), action);
            assert_eq!(outcome, Outcome::Reply, "{}: {answer}", binding.name());
            assert!(answer.contains(expected), "{}: {answer}", binding.name());
            assert_eq!(conversation.context().operation(), "add");
        }
    }
}

#[test]
fn operations_with_the_same_element_are_told_apart_by_the_action() {
    let mut conversation = endpoint(Binding::document_literal_bare()).conversation();
    let request = envelope("", "<n:Numbers><n:a>5</n:a><n:b>2</n:b></n:Numbers>");
    for (operation, result) in [("subtract", 3), ("add", 7), ("subtract", 3)] {
        let (answer, _) = ask(&mut conversation, &request, &format!("{NAMESPACE}#{operation}"));
        assert!(answer.contains(&format!("<result>{result}</result>")), "{operation}: {answer}");
    }
    for action in ["", "urn:example:calculator#subtrakt"] {
        let (answer, outcome) = ask(&mut conversation, &request, action);
        assert_eq!(outcome, Outcome::Fault(FaultCode::Sender), "{answer}");
        assert!(answer.contains("the action tells which"), "{answer}");
    }
}

#[test]
fn nothing_answers_a_call_of_one_way() {
    let mut conversation = endpoint(Binding::document_literal()).conversation();
    let request = envelope("", "<n:forget><n:a>1</n:a><n:b>2</n:b></n:forget>");
    assert_eq!(ask(&mut conversation, &request, ""), (String::new(), Outcome::Taken));
}

#[test]
fn faults_say_whose_mistake_it_is_and_where() {
    let mut conversation = endpoint(Binding::document_literal()).conversation();
    let cases = [
        ("<n:add><n:a>2147483647</n:a><n:b>1</n:b></n:add>", "the sum is too large"),
        ("<n:add><n:a>1</n:a><n:b>two</n:b></n:add>", "b at byte"),
        ("<n:add><n:a>1</n:a></n:add>", "missing"),
        ("<n:multiply/>", "multiply; there is {urn:example:calculator}add"),
        ("", "the Body is empty"),
        ("<n:add><n:a>1</n:b></n:add>", "at byte"),
    ];
    for (body, reason) in cases {
        let (answer, outcome) = ask(&mut conversation, &envelope("", body), "");
        assert_eq!(outcome, Outcome::Fault(FaultCode::Sender), "{body}: {answer}");
        assert!(answer.contains("<faultcode>SOAP-ENV:Client</faultcode>"), "{body}: {answer}");
        assert!(answer.contains(reason), "{body}: {answer}");
        assert!(conversation.reason().is_some_and(|it| it.contains(reason)), "{body}");
    }
    let (answer, outcome) = ask(&mut conversation, "<Envelope xmlns='urn:other'/>", "");
    assert_eq!(outcome, Outcome::Fault(FaultCode::VersionMismatch), "{answer}");
    for namespace in ["{urn:other}Envelope", SOAP11, "http://www.w3.org/2003/05/soap-envelope"] {
        assert!(answer.contains(namespace), "{answer}");
    }
}

/// SOAP 1.2 part 1 section 5.4.6: in a call of a schema, too, and wherever it stands.
#[test]
fn encodings_that_are_not_known_are_told_so_in_typed_calls() {
    for binding in [Binding::rpc_encoded(), Binding::rpc_literal(), Binding::document_literal()] {
        let mut conversation = endpoint(binding).conversation();
        let qualified = binding.style == Style::DocumentLiteral;
        let p = if qualified { "n:" } else { "" };
        let call = |on_call: &str, on_a: &str| {
            let body = format!("<n:add {on_call}><{p}a {on_a}>1</{p}a><{p}b>2</{p}b></n:add>");
            envelope("", &body).replace(SOAP11, SOAP12)
        };
        let other = "e:encodingStyle='http://example.org/encoding'";
        for request in [call(other, ""), call("", other), call("", "")] {
            let (answer, outcome) = ask(&mut conversation, &request, "");
            if !request.contains("example.org/encoding") {
                assert_eq!(outcome, Outcome::Reply, "{answer}");
                continue;
            }
            let expected = Outcome::Fault(FaultCode::DataEncodingUnknown);
            assert_eq!(outcome, expected, "{binding:?} {request} {answer}");
            assert!(answer.contains("DataEncodingUnknown"), "{answer}");
            assert!(answer.contains("http://example.org/encoding is not known"), "{answer}");
            // SOAP 1.1 has no such fault.
            let old = request.replace(SOAP12, SOAP11);
            assert_eq!(ask(&mut conversation, &old, "").1, Outcome::Reply, "{old}");
        }
    }
}

/// The rules of SOAP 1.2 part 2 section 4.2.1 are those of encoded answers.
#[test]
fn an_answer_of_soap_12_says_which_part_is_the_result_if_it_is_asked_to() {
    let mut conversation = endpoint(Binding::rpc_encoded().with_result()).conversation();
    let call = envelope("", "<n:add><a>1</a><b>2</b></n:add>");
    let (answer, _) = ask(&mut conversation, &call.replace(SOAP11, SOAP12), "");
    let named =
        "<rpc:result xmlns:rpc=\"http://www.w3.org/2003/05/soap-rpc\">result</rpc:result><result ";
    assert!(answer.contains(named), "{answer}");
    let (answer, _) = ask(&mut conversation, &call, "");
    assert!(answer.contains("<result ") && !answer.contains("rpc:result"), "{answer}");
    // Of several parts, and of what came in, none is a return value.
    let service = Service::new("Calculator", NAMESPACE)
        .operation("split", |_: Numbers| Ok::<_, Fault>(Split { result: 1, rest: 2 }))
        .operation("echo", |numbers: Answered| Ok::<_, Fault>(numbers))
        .at("/", Binding::rpc_encoded().with_result());
    let mut others = service.build().expect("a service")[0].conversation();
    for body in ["<n:split><a>1</a><b>2</b></n:split>", "<n:echo><result>1</result></n:echo>"] {
        let (answer, outcome) = ask(&mut others, &envelope("", body).replace(SOAP11, SOAP12), "");
        assert_eq!(outcome, Outcome::Reply, "{answer}");
        assert!(!answer.contains("rpc:result"), "{answer}");
    }
    let mut unasked = endpoint(Binding::rpc_encoded()).conversation();
    let (answer, _) = ask(&mut unasked, &call.replace(SOAP11, SOAP12), "");
    assert!(answer.contains("<result ") && !answer.contains("rpc:result"), "{answer}");
    let mut conversation = endpoint(Binding::rpc_literal().with_result()).conversation();
    let (answer, _) = ask(&mut conversation, &call.replace(SOAP11, SOAP12), "");
    assert!(answer.contains("<result>3") && !answer.contains("rpc:result"), "{answer}");
}

/// SOAP 1.2 part 1 sections 5.1 to 5.3, SOAP 1.1 sections 3 and 4.
#[test]
fn what_the_envelope_may_not_have_is_rejected() {
    let mut conversation = endpoint(Binding::document_literal()).conversation();
    let good = envelope("", "<n:add><n:a>1</n:a><n:b>2</n:b></n:add>");
    assert_eq!(ask(&mut conversation, &good, "").1, Outcome::Reply);
    for (soap, from, to, expected) in [
        (SOAP12, "<e:Body>", "<e:Body test='true'>", "attributes of Body to be in a namespace"),
        (SOAP12, "<e:Envelope", "<e:Envelope a='1'", "attributes of Envelope to be in a namespace"),
        (SOAP11, "<e:Envelope", "<e:Envelope a='1'", "attributes of Envelope to be in a namespace"),
        (SOAP11, "<n:a>", "<?p?><n:a>", "processing instructions are rejected"),
        (SOAP12, "<n:a>", "<n:a><?p?>", "processing instructions are rejected"),
        (SOAP11, "</e:Envelope>", "</e:Envelope><?p?>", "processing instructions are rejected"),
    ] {
        // Learnt from what is good, each is rejected all the same.
        let plain = good.replace(SOAP11, soap);
        assert_eq!(ask(&mut conversation, &plain, "").1, Outcome::Reply);
        let (answer, outcome) = ask(&mut conversation, &plain.replacen(from, to, 1), "");
        assert_eq!(outcome, Outcome::Fault(FaultCode::Sender), "{to}: {answer}");
        assert!(answer.contains(expected), "{to}: {answer}");
    }
    // Senders that sign a body give it an id.
    let signed = good.replace("<e:Body>", "<e:Body Id='body'>");
    assert_eq!(ask(&mut conversation, &signed, "").1, Outcome::Reply);
}

#[test]
fn a_block_that_must_be_understood_and_is_not_is_rejected() {
    let mut conversation = endpoint(Binding::document_literal()).conversation();
    let body = "<n:add><n:a>1</n:a><n:b>2</n:b></n:add>";
    let block = |attributes: &str| {
        envelope(&format!("<e:Header><s:Lock xmlns:s='urn:s' {attributes}/></e:Header>"), body)
    };
    let next = "e:actor='http://schemas.xmlsoap.org/soap/actor/next'";
    let cases = [
        ("e:mustUnderstand='0'".to_owned(), Outcome::Reply),
        ("e:mustUnderstand='1'".to_owned(), Outcome::Fault(FaultCode::MustUnderstand)),
        ("e:mustUnderstand='1' e:actor='urn:somebody'".to_owned(), Outcome::Reply),
        (format!("e:mustUnderstand='1' {next}"), Outcome::Fault(FaultCode::MustUnderstand)),
    ];
    for (attributes, expected) in cases {
        let (answer, outcome) = ask(&mut conversation, &block(&attributes), "");
        assert_eq!(outcome, expected, "{attributes}: {answer}");
    }
}

#[test]
fn blocks_go_in_and_out() {
    let mut conversation = endpoint(Binding::document_literal()).conversation();
    let header =
        "<e:Header><n:Transaction e:mustUnderstand='1'><n:id>T-7</n:id></n:Transaction></e:Header>";
    let body = "<n:subtract><n:a>5</n:a><n:b>2</n:b></n:subtract>";
    let (answer, outcome) = ask(&mut conversation, &envelope(header, body), "");
    assert_eq!(outcome, Outcome::Reply, "{answer}");
    assert!(answer.contains("Transaction"), "{answer}");
    assert!(answer.contains("<id>T-7</id>"), "{answer}");
    // The next call has none of it.
    let (answer, _) = ask(&mut conversation, &envelope("", body), "");
    assert!(!answer.contains("Header"), "{answer}");
}

/// As gSOAP, Axis 1 and others mark blocks where content is encoded.
#[test]
fn an_encoded_block_is_read_by_the_rules_of_the_encoding() {
    let style = "http://schemas.xmlsoap.org/soap/encoding/";
    let ask_with = |attributes: &str, content: &str| {
        let mut conversation = endpoint(Binding::rpc_encoded()).conversation();
        let header = format!(
            "<e:Header xmlns:s='{style}'><n:Transaction {attributes}>{content}</n:Transaction></e:Header>"
        );
        let body = "<n:subtract><a>5</a><b>2</b></n:subtract><m id='elsewhere'>T-7</m>";
        ask(&mut conversation, &envelope(&header, body), "")
    };
    let id = "<id>T-7</id>";
    for (attributes, content) in [
        ("", id),
        ("s:root='1'", id),
        ("s:root='0' id='t'", id),
        (&format!("e:encodingStyle='{style}'"), id),
        (&format!("e:encodingStyle='{style}' s:root='1'"), id),
        ("", "<id href='#t'/><other id='t'>T-7</other>"),
        ("", &format!("<id e:encodingStyle='{style}'>T-7</id>")),
        ("e:encodingStyle='urn:other'", "<n:id>T-7</n:id>"),
    ] {
        let (answer, outcome) = ask_with(attributes, content);
        assert_eq!(outcome, Outcome::Reply, "{attributes} {content}: {answer}");
        assert!(answer.contains(">T-7</id>"), "{attributes} {content}: {answer}");
    }
    let element = "an element with the id &quot;elsewhere&quot; in the same header block";
    for (attributes, content, why) in [
        ("href='#elsewhere'", "", element),
        ("", "<id href='#elsewhere'/>", element),
        ("s:root='maybe'", id, "root to be true or false"),
        ("", "<id href='#t'/><id id='t'>T-7</id>", "id at byte 64: the field stands twice"),
    ] {
        let (answer, outcome) = ask_with(attributes, content);
        assert_eq!(outcome, Outcome::Fault(FaultCode::Sender), "{attributes} {content}: {answer}");
        let answer = answer.replace("&quot;", "\"");
        assert!(answer.contains(&why.replace("&quot;", "\"")), "{attributes} {content}: {answer}");
    }
}

/// Blocks and details are messages too: what they have that nobody knows is not passed over
/// without a word.
#[test]
fn what_is_unknown_in_blocks_and_details_is_counted() {
    let mut conversation = endpoint(Binding::document_literal()).conversation();
    let block =
        |content: &str| format!("<e:Header><n:Transaction>{content}</n:Transaction></e:Header>");
    let body = "<n:subtract><n:a>5</n:a><n:b>2</n:b><n:more/></n:subtract>";
    for (content, unknown, expected) in [
        ("<n:id>T</n:id>", 1, Outcome::Reply),
        ("<n:more/><n:id kind='1'>T</n:id>", 3, Outcome::Reply),
        ("<n:more/>", 2, Outcome::Fault(FaultCode::Sender)),
        ("<n:id>T</n:id>", 1, Outcome::Reply),
    ] {
        let (answer, outcome) = ask(&mut conversation, &envelope(&block(content), body), "");
        assert_eq!(outcome, expected, "{answer}");
        assert_eq!(conversation.context().unknown_elements(), unknown, "{content}");
    }
    let strict = service().on_unknown(UnknownContent::Reject).at("/", Binding::document_literal());
    let mut strict = strict.build().expect("a service")[0].conversation();
    let (block, plain) = (block("<n:id kind='1'>T</n:id>"), body.replace("<n:more/>", ""));
    let (answer, outcome) = ask(&mut strict, &envelope(&block, &plain), "");
    assert_eq!(outcome, Outcome::Fault(FaultCode::Sender), "{answer}");
    assert!(answer.contains("id/@kind at byte "), "{answer}");
    let detail = |content: &str| {
        let text = format!("<Transaction xmlns='urn:d'>{content}</Transaction>");
        Fragment::parse(&text).expect("an element")
    };
    let (read, unknown) = element::read_counted::<Transaction>(&detail("<id>T</id><more/>"));
    assert_eq!((read.expect("a struct").id, unknown), ("T".into(), 1));
    let (read, unknown) = element::read_counted::<Transaction>(&detail("<more/><more/>"));
    assert!(read.is_err());
    assert_eq!(unknown, 2);
}

#[derive(Message, Clone, Debug, PartialEq)]
struct Window {
    until: String,
    #[xml(list = "unwrapped")]
    steps: Vec<i32>,
}

/// Others write an array there; Axis the items side by side.
#[test]
fn lists_in_encoded_details_are_arrays_or_elements_side_by_side() {
    let read = |steps: &str| {
        let text = format!(
            "<d:Window xmlns:d='urn:d' xmlns:e='http://schemas.xmlsoap.org/soap/envelope/' xmlns:c='http://schemas.xmlsoap.org/soap/encoding/' \
             xmlns:i='http://www.w3.org/2001/XMLSchema-instance' xmlns:x='http://www.w3.org/2001/XMLSchema' i:type='d:Window' \
             e:encodingStyle='http://schemas.xmlsoap.org/soap/encoding/'><until i:type='x:string'>u</until>{steps}</d:Window>"
        );
        element::read::<Window>(&Fragment::parse(&text).expect("an element"))
    };
    let window = Window { until: "u".into(), steps: vec![3, 5] };
    let array =
        "<steps c:arrayType='x:int[2]' i:type='c:Array'><item>3</item><item>5</item></steps>";
    assert_eq!(read(array), Ok(window.clone()));
    assert_eq!(
        read("<steps i:type='x:int'>3</steps><steps i:type='x:int'>5</steps>"),
        Ok(window.clone())
    );
    assert_eq!(read("<steps i:type='x:int'>3</steps>"), Ok(Window { steps: vec![3], ..window }));
    // Of what is neither it is said what is wrong by the encoding.
    let error = read("<steps c:arrayType='x:int[2]' i:type='c:Array'><item>x</item></steps>")
        .expect_err("no number");
    assert!(error.to_string().starts_with("steps"), "{error}");
}

#[test]
fn an_answer_is_in_the_version_of_the_request() {
    let mut conversation = endpoint(Binding::document_literal()).conversation();
    for body in ["<n:add><n:a>1</n:a><n:b>2</n:b></n:add>", "<n:nothing/>"] {
        let old = envelope("", body);
        let new = old.replace(
            "http://schemas.xmlsoap.org/soap/envelope/",
            "http://www.w3.org/2003/05/soap-envelope",
        );
        for (request, namespace) in [
            (&old, "http://schemas.xmlsoap.org/soap/envelope/"),
            (&new, "http://www.w3.org/2003/05/soap-envelope"),
            (&old, "http://schemas.xmlsoap.org/soap/envelope/"),
        ] {
            let (answer, _) = ask(&mut conversation, request, "");
            assert!(answer.contains(namespace), "{answer}");
        }
    }
}

#[test]
fn what_cannot_be_served_says_why() {
    let error = |service: Service| service.build().expect_err("no service").to_string();
    assert_eq!(error(Service::new("Empty", NAMESPACE)), "service Empty: it has no operations");
    assert_eq!(
        error(service().operation("add", add)),
        "service Calculator: the operation add stands twice"
    );
    assert_eq!(
        error(service().operation("1st", add)),
        "service Calculator: \"1st\" is no name of an operation"
    );
    let twice = service().at("/a", Binding::default()).at("/a", Binding::rpc_encoded());
    assert_eq!(error(twice), "service Calculator: the path /a stands twice");
    let alike = service().operation("sum", add).action("urn:example:calculator#add");
    let error_of_alike = error(alike.at("/", Binding::document_literal_bare()));
    assert!(error_of_alike.contains("add and sum have the same element"), "{error_of_alike}");
    assert_eq!(
        error(service().at("a", Binding::default())),
        "service Calculator: \"a\" is no path: it begins with / and has no ?, # or blank"
    );
}
