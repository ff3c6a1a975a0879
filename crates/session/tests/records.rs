//! Services and clients whose messages are known at run time only, beside those with structs.

use std::sync::Arc;
use std::sync::mpsc;

use trunkline_message::{Layout, Message, Record, Structure as _, Value};
use trunkline_session::soap::{
    Binding, CallError, Client, ClientConfig, Fault, Server, Service, Signature,
};
use trunkline_wire::Text;

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Question {
    text: Text,
    #[field(required)]
    sizes: Vec<i32>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Answer {
    text: Text,
}

const NAMESPACE: &str = "urn:questions";

fn layout(listing: &str) -> Arc<Layout> {
    Arc::new(Layout::from_listing(listing).expect("a listing"))
}

fn signature(binding: &Binding) -> Signature {
    let (question, answer) = (Question::layout(), Answer::layout());
    let options = |element: &str| binding.options(NAMESPACE, element);
    Signature::new("ask", "urn:questions#ask", (question, &options("ask")))
        .and_then(|it| it.answered((answer, &options("askResponse"))))
        .expect("a signature")
}

fn ask(question: &mut Record, answer: &mut Record) -> Result<(), Fault> {
    let Some(Value::Text(text)) = question.get("text").cloned() else {
        return Err(Fault::sender("no text"));
    };
    match &*text {
        "fault" => Err(Fault::sender("not that")),
        "silence" => Ok(()),
        _ => answer.set("text", text).map_err(|error| Fault::receiver(error.to_string())),
    }
}

/// A struct's client cannot tell a service of records from one of structs, nor the other way round.
#[test]
fn records_and_structs_understand_each_other_in_every_style() {
    for binding in [
        Binding::document_literal(),
        Binding::document_literal_bare(),
        Binding::document_encoded(),
        Binding::rpc_literal(),
        Binding::rpc_encoded(),
        Binding::rpc_encoded().soap12(),
    ] {
        let signature = signature(&binding);
        let of_structs = Service::new("Questions", NAMESPACE)
            .operation("ask", |question: Question| Ok::<_, Fault>(Answer { text: question.text }))
            .at("/structs", binding);
        let of_records = Service::new("Questions", NAMESPACE)
            .record_operation(&signature, |question, answer, _| ask(question, answer))
            .at("/records", binding);
        let server = Server::new().service(of_structs).service(of_records).start("127.0.0.1:0");
        let server = server.expect("a server");
        for path in ["structs", "records"] {
            let url = format!("http://{}/{path}", server.address());
            let client = Client::with(&url, NAMESPACE, binding, ClientConfig::default());
            let mut client = client.expect("a client");
            let question = Question { text: "why?".into(), sizes: vec![1, 2] };
            for _ in 0..3 {
                let answer: Answer = client.call("ask", &question).expect("an answer");
                assert_eq!(answer.text, question.text);
                let mut answer = Record::new(Answer::layout());
                let asked = Record::from_message(&question);
                client.call_record(&signature, &asked, &mut answer).expect("an answer");
                assert_eq!(answer.get("text"), Some(&Value::from("why?")));
            }
            if path == "records" {
                let refused = Question { text: "fault".into(), ..question.clone() };
                match client.call::<_, Answer>("ask", &refused) {
                    Err(CallError::Fault(fault)) => assert_eq!(fault.reason, "not that"),
                    other => panic!("{other:?}"),
                }
                // The answer of the call before is not in this one.
                let silence = Question { text: "silence".into(), ..question };
                match client.call::<_, Answer>("ask", &silence) {
                    Err(CallError::Fault(fault)) => {
                        assert!(fault.reason.contains("text at byte"), "{fault:?}");
                    }
                    other => panic!("{other:?}"),
                }
            }
        }
    }
}

#[test]
fn a_record_without_a_required_field_is_not_sent() {
    let binding = Binding::document_literal();
    let signature = signature(&binding);
    let mut client = Client::new("http://127.0.0.1:1/", NAMESPACE).expect("a client");
    let mut reply = Record::new(Answer::layout());
    let error = client.call_record(&signature, &Record::new(Question::layout()), &mut reply);
    let error = error.expect_err("no text").to_string();
    assert!(error.contains("cannot be written") && error.contains("text"), "{error}");
    let other = layout("message Other O\n field text 1 text required\n end");
    let error = client.call_record(&signature, &Record::new(&other), &mut reply);
    assert!(matches!(error, Err(CallError::Request(_))), "{error:?}");
}

#[test]
fn a_record_may_be_sent_without_an_answer() {
    let note = layout("message note N\n field text 1 text required\n end");
    let options = Binding::document_literal().options(NAMESPACE, "note");
    let signature = Signature::new("note", "urn:note", (&note, &options)).expect("a signature");
    let (notes, noted) = mpsc::channel();
    let notes = std::sync::Mutex::new(notes);
    let service = Service::new("Notes", NAMESPACE).record_one_way(&signature, move |note| {
        let text = format!("{:?}", note.get("text"));
        notes.lock().expect("no panic").send(text).map_err(|_| Fault::receiver("nobody listens"))
    });
    let server = Server::new().service(service).start("127.0.0.1:0").expect("a server");
    let client = Client::new(&format!("http://{}/", server.address()), NAMESPACE);
    let mut client = client.expect("a client");
    let mut record = Record::new(&note);
    record.set("text", "remember").expect("a text");
    client.send_record(&signature, &record).expect("it is taken");
    assert!(noted.recv().expect("a note").contains("remember"));

    let wrong = Service::new("Notes", NAMESPACE).record_operation(&signature, |_, _, _| Ok(()));
    let error = wrong.build().expect_err("there is no answer").to_string();
    assert!(error.contains("note has no answer"), "{error}");
}
