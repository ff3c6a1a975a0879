//! Services and clients whose messages are known at run time only, beside those with structs.

use std::sync::Arc;
use std::sync::mpsc;

use trunkline_message::{Fields as _, Layout, Message, Record, Structure as _, Value};
use trunkline_session::soap::{
    Binding, CallError, Client, ClientConfig, Fault, MessageEncoding, Nothing, Server, Service,
    Signature, SoapVersion,
};
use trunkline_soap::{Decoder, Plan, graph};
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

/// Lists as .NET has them, whose items may be nil, and the same where they may not be.
#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Holes {
    #[xml(unwrapped)]
    names: Vec<Option<Text>>,
    #[xml(unwrapped)]
    counts: Vec<Option<i32>>,
    answers: Vec<Option<Answer>>,
}

#[derive(Message, Clone, Debug, Default, PartialEq)]
#[message(name = "Holes")]
struct Whole {
    #[xml(unwrapped)]
    names: Vec<Text>,
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

/// Items that are nil go there and back at their places, in structs and records, in XML and in Fast Infoset.
#[test]
fn nil_items_are_asked_and_answered() {
    let holes = Holes {
        names: vec![None, Some("a".into()), None],
        counts: vec![Some(1), None],
        answers: vec![Some(Answer { text: "b".into() }), None],
    };
    // A part of rpc stands once, so that what repeats by itself is none.
    for binding in [Binding::document_literal(), Binding::document_literal().soap12()] {
        let options = |element: &str| binding.options(NAMESPACE, element);
        let signature = Signature::new("ask", "", (Holes::layout(), &options("ask")))
            .and_then(|it| it.answered((Holes::layout(), &options("askResponse"))))
            .expect("a signature");
        let of_structs = Service::new("Holes", NAMESPACE)
            .operation("ask", |asked: Holes| Ok::<_, Fault>(asked))
            .at("/structs", binding);
        let of_records = Service::new("Holes", NAMESPACE)
            .record_operation(&signature, |asked, answer, _| {
                answer.clone_from(asked);
                Ok(())
            })
            .at("/records", binding);
        let of_whole = Service::new("Holes", NAMESPACE)
            .operation("ask", |_: Whole| Ok::<_, Fault>(Answer::default()))
            .at("/whole", binding);
        let server = Server::new().service(of_structs).service(of_records).service(of_whole);
        let server = server.start("127.0.0.1:0").expect("a server");
        for encoding in [MessageEncoding::Xml, MessageEncoding::FastInfoset] {
            for path in ["structs", "records"] {
                let url = format!("http://{}/{path}", server.address());
                let client = Client::with(&url, NAMESPACE, binding, ClientConfig::default());
                let mut client = client.expect("a client");
                client.set_encoding(encoding);
                for _ in 0..3 {
                    let answer: Holes = client.call("ask", &holes).expect("an answer");
                    assert_eq!(answer, holes);
                    let (asked, mut answer) =
                        (Record::from_message(&holes), Record::new(Holes::layout()));
                    client.call_record(&signature, &asked, &mut answer).expect("an answer");
                    assert_eq!(answer, asked);
                    let Some(Value::Group(names)) = answer.get("names") else { panic!("no names") };
                    assert!(names.entries()[0].is_nil() && !names.entries()[1].is_nil());
                }
            }
        }
        let url = format!("http://{}/whole", server.address());
        let client = Client::with(&url, NAMESPACE, binding, ClientConfig::default());
        match client.expect("a client").call::<_, Answer>("ask", &holes) {
            Err(CallError::Fault(fault)) => {
                assert!(
                    fault.reason.contains("names") && fault.reason.contains("not nil"),
                    "{fault:?}"
                );
            }
            other => panic!("{other:?}"),
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

/// What an empty Body calls is told by its action; what it answers may be no envelope either.
#[test]
fn nothing_is_asked_and_answered() {
    let nothing = Nothing::options(SoapVersion::Soap11);
    let signature =
        |name: &str| Signature::new(name, &format!("urn:n#{name}"), (Nothing::layout(), &nothing));
    let ping = signature("ping").and_then(|it| it.answered((Nothing::layout(), &nothing)));
    let ping = ping.expect("a signature");
    let reset = signature("reset").expect("a signature");
    let (pings, pinged) = mpsc::channel();
    let (resets, been_reset) = mpsc::channel();
    let service = Service::new("Desk", "urn:n")
        .operation_as(&ping, move |_: Nothing| {
            pings.send(()).map_err(|it| Fault::receiver(it.to_string()))?;
            Ok::<_, Fault>(Nothing {})
        })
        .one_way_as(&reset, move |_: Nothing| {
            resets.send(()).map_err(|it| Fault::receiver(it.to_string()))
        })
        .fallback(|message, _| Ok(Some(message)))
        .described_by("<definitions/>")
        .at("/desk", Binding::document_literal_bare());
    let server = Server::new().service(service).start("127.0.0.1:0").expect("a server");
    for scheme in ["http", "vnd.sun.ws.tcp"] {
        for encoding in [MessageEncoding::Xml, MessageEncoding::StatefulFastInfoset] {
            let url = format!("{scheme}://{}/desk", server.address());
            let mut client = Client::new(&url, "urn:n").expect("a client");
            client.set_encoding(encoding);
            client.set_optimistic(true);
            for _ in 0..3 {
                client.call_as::<_, Nothing>(&ping, &Nothing {}).expect("an answer");
                client.send_as(&reset, &Nothing {}).expect("it is taken");
                pinged.try_recv().expect("it was called");
                been_reset.recv().expect("it was called");
            }
        }
    }
    // The fallback has what no operation has.
    let url = format!("http://{}/desk", server.address());
    let mut client = Client::new(&url, "urn:n").expect("a client");
    let answer = client.call_dynamically("urn:n#other", &graph::Message::new(SoapVersion::Soap11));
    assert!(answer.expect("an answer").expect("a message").root().is_none());
    assert_eq!(pinged.try_recv().ok(), None);
}

/// A service that leaves the element of an answer out, or puts one where none is wanted.
#[test]
fn an_answer_of_nothing_may_have_something() {
    let nothing = Nothing::options(SoapVersion::Soap11);
    let plan = Plan::new(Nothing::layout(), &nothing).expect("a plan");
    let envelope = |inside: &str| {
        format!(
            "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body>{inside}</e:Body></e:Envelope>"
        )
    };
    let mut decoder = Decoder::new(&plan);
    let mut read = |inside: &str| {
        let read = decoder.decode(envelope(inside).as_bytes(), &mut Nothing {});
        (read.map_err(|it| it.to_string()), decoder.unknown())
    };
    assert_eq!(read(" <!-- nothing --> "), (Ok(()), 0));
    assert_eq!(read("<pingResponse xmlns='urn:n'><a/></pingResponse>"), (Ok(()), 1));
    assert!(read("text").0.expect_err("a text").contains("expected nothing in the Body"));
    let fault = "<e:Fault><faultcode>e:Server</faultcode><faultstring>why</faultstring></e:Fault>";
    assert!(read(fault).0.expect_err("a fault").contains("a Fault in place of the message"));
    let error = Plan::new(Question::layout(), &nothing).expect_err("it has fields");
    assert!(error.to_string().contains("a field of an empty Body"), "{error}");
}

/// An `Option` of a struct is an element that may be nil, to clients and services; a record says that it is.
#[test]
fn messages_may_be_nil_as_a_whole() {
    let binding = Binding::document_literal();
    let (ask, answer) = ((NAMESPACE, "ask"), (NAMESPACE, "askResponse"));
    let signature = Signature::of::<Option<Question>>("ask", "urn:questions#ask", binding, ask)
        .and_then(|it| it.answered_by::<Option<Answer>>(binding, answer))
        .expect("a signature");
    let service = Service::new("Questions", NAMESPACE).operation_as(
        &signature,
        |question: Option<Question>| -> Result<Option<Answer>, Fault> {
            match question {
                // The other way round.
                None => Ok(Some(Answer { text: "nothing".into() })),
                Some(_) => Ok(None),
            }
        },
    );
    let server = Server::new().service(service).start("127.0.0.1:0").expect("a server");
    let url = format!("http://{}/", server.address());
    let mut client = Client::new(&url, NAMESPACE).expect("a client");
    let some = Some(Question { text: "what".into(), sizes: vec![1] });
    for _ in 0..2 {
        let said: Option<Answer> = client.call_as(&signature, &None::<Question>).expect("a reply");
        assert_eq!(said, Some(Answer { text: "nothing".into() }));
        let said: Option<Answer> = client.call_as(&signature, &some).expect("a reply");
        assert_eq!(said, None);
    }
    let mut question = Record::new(Question::layout());
    let mut said = Record::new(Answer::layout());
    assert!(question.set_nil());
    client.call_record(&signature, &question, &mut said).expect("a reply");
    assert!(!said.is_nil() && said.get("text").is_some(), "{said:?}");
    question = Record::from_message(some.as_ref().expect("a question"));
    client.call_record(&signature, &question, &mut said).expect("a reply");
    assert!(said.is_nil(), "{said:?}");
    // Where no `Option` is, nothing is nil.
    let plain = Signature::of::<Question>("ask", "urn:questions#ask", binding, ask)
        .and_then(|it| it.answered_by::<Answer>(binding, answer))
        .expect("a signature");
    let error = client.call_as::<Question, Answer>(&plain, &Question::default());
    let error = error.expect_err("the answer is nil").to_string();
    assert!(error.contains("a message, not nil"), "{error}");
}
