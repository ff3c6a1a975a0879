//! A client and services in one trace, by the exporter in memory of OpenTelemetry's SDK.

use std::collections::HashMap;
use std::thread;

use opentelemetry::trace::{SpanId, SpanKind, Status};
use opentelemetry::{Context, global};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{InMemorySpanExporter, SdkTracerProvider, SpanData};
use trunkline_message::Message;
use trunkline_session::soap::{CallError, Client, Fault, Running, Server, Service};

#[derive(Message, Clone, Debug, Default, PartialEq)]
struct Number {
    value: i64,
}

fn call(client: &mut Client, operation: &str, value: i64) -> Result<i64, CallError> {
    client.call::<_, Number>(operation, &Number { value }).map(|it| it.value)
}

/// A client that tells of its calls.
fn client(server: &Running, scheme: &str) -> Client {
    let url = format!("{scheme}://{}/desk", server.address());
    let mut client = Client::new(&url, "urn:desk").expect("a client");
    client.set_trace_calls(true);
    client
}

fn start(service: Service) -> Running {
    let service = service.at("/desk", trunkline_session::soap::Binding::document_literal());
    Server::new().service(service).trace_calls().start("127.0.0.1:0").expect("a server")
}

fn attributes(span: &SpanData) -> HashMap<String, String> {
    let all = span.attributes.iter();
    all.map(|it| (it.key.to_string(), it.value.to_string())).collect()
}

#[test]
fn calls_are_spans_of_one_trace() {
    let exporter = InMemorySpanExporter::default();
    let provider = SdkTracerProvider::builder().with_simple_exporter(exporter.clone()).build();
    global::set_tracer_provider(provider);
    global::set_text_map_propagator(TraceContextPropagator::new());

    let double = |number: Number| match number.value {
        0 => Err(Fault::sender("nothing")),
        13 => panic!("an unlucky number"),
        14 => Err(Fault::receiver("too tired")),
        value => Ok(Number { value: 2 * value }),
    };
    let behind = start(Service::new("Behind", "urn:desk").operation("double", double));
    let url = format!("http://{}/desk", behind.address());
    // The call that it makes is inside its own, though a future makes it. A client blocks, and needs a thread.
    let ask = move |number: Number| {
        let url = url.clone();
        async move {
            std::future::ready(()).await;
            let current = Context::current();
            let asking = thread::spawn(move || {
                let _entered = current.attach();
                let mut client = Client::new(&url, "urn:desk")?;
                client.set_trace_calls(true);
                call(&mut client, "double", number.value)
            });
            let answer = asking.join().expect("no panic");
            answer.map(|value| Number { value }).map_err(|it| Fault::receiver(it.to_string()))
        }
    };
    let front = start(Service::new("Front", "urn:desk").operation_async("ask", ask));
    assert_eq!(call(&mut client(&front, "http"), "ask", 21).expect("an answer"), 42);

    is_one_trace(&exporter, front.address().port());
    failures_are_told(&exporter, &behind);
    is_told_only_if_it_is_wanted(&exporter);
}

fn is_one_trace(exporter: &InMemorySpanExporter, port: u16) {
    let spans = exporter.get_finished_spans().expect("spans");
    // Who answers ends first.
    let shown: Vec<(&str, &SpanKind)> = spans.iter().map(|it| (&*it.name, &it.span_kind)).collect();
    assert_eq!(
        shown,
        [
            ("urn:desk/double", &SpanKind::Server),
            ("urn:desk/double", &SpanKind::Client),
            ("urn:desk/ask", &SpanKind::Server),
            ("urn:desk/ask", &SpanKind::Client),
        ]
    );
    let trace = spans[3].span_context.trace_id();
    assert!(spans.iter().all(|it| it.span_context.trace_id() == trace), "{spans:?}");
    for (inner, outer) in [(0, 1), (1, 2), (2, 3)] {
        assert_eq!(spans[inner].parent_span_id, spans[outer].span_context.span_id(), "{inner}");
    }
    assert_eq!(spans[3].parent_span_id, SpanId::INVALID);
    assert!(spans.iter().all(|it| it.status == Status::Unset), "{spans:?}");
    let of_client = attributes(&spans[3]);
    let port = port.to_string();
    for (key, value) in [
        ("rpc.system.name", "soap"),
        ("rpc.method", "urn:desk/ask"),
        ("server.address", "127.0.0.1"),
        ("server.port", &*port),
    ] {
        assert_eq!(of_client.get(key).map(String::as_str), Some(value), "{key}");
    }
}

/// What fails says why; a sender's fault is no failure of the service.
fn failures_are_told(exporter: &InMemorySpanExporter, behind: &Running) {
    for scheme in ["http", "vnd.sun.ws.tcp"] {
        for (value, code, why, is_error) in [
            (0, "Sender", "Sender: nothing", false),
            (14, "Receiver", "Receiver: too tired", true),
            (13, "Receiver", "Receiver: double failed, and does not say why", true),
        ] {
            exporter.reset();
            call(&mut client(behind, scheme), "double", value).expect_err("a fault");
            let spans = exporter.get_finished_spans().expect("spans");
            let [server, client] = &*spans else { panic!("{spans:?}") };
            assert_eq!(client.status, Status::error(why), "{scheme} {value}");
            let reason = why.split(": ").nth(1).expect("a reason").to_owned();
            let expected = if is_error { Status::error(reason) } else { Status::Unset };
            assert_eq!(server.status, expected, "{scheme} {value}");
            for span in [server, client] {
                let attributes = attributes(span);
                assert_eq!(attributes["rpc.response.status_code"], code, "{scheme} {value}");
            }
            assert_eq!(attributes(client)["error.type"], code);
            // SOAP/TCP has no headers.
            let is_one = server.span_context.trace_id() == client.span_context.trace_id();
            assert_eq!(is_one, scheme == "http");
        }
    }
}

/// Nobody is there; and who does not ask for spans makes none.
fn is_told_only_if_it_is_wanted(exporter: &InMemorySpanExporter) {
    exporter.reset();
    let mut nobody = Client::new("http://127.0.0.1:1/", "urn:desk").expect("a client");
    call(&mut nobody, "double", 1).expect_err("nobody");
    nobody.set_trace_calls(true);
    call(&mut nobody, "double", 1).expect_err("nobody");
    let spans = exporter.get_finished_spans().expect("spans");
    assert_eq!(spans.len(), 1);
    assert_eq!(attributes(&spans[0])["error.type"], "transport");
}
