//! Other toolkits' clients call our service.

use std::path::Path;

use trunkline_session::soap::{Binding, Config};
use trunkline_tests::toolkit::Toolkit;

use super::{FORMATS, corpus, serve, serve_with};

/// Each operation, in each way that a client has to send a request.
fn call_all(client: &str) {
    call_in(client, &["", " chunked", " gzip", " close", " gzip chunked"]);
}

/// The same in these ways.
fn call_in(client: &str, ways: &[&str]) {
    let Some(mut client) = Toolkit::start(client) else { return };
    let formats = client.formats();
    let server = serve();
    let mut tried = 0;
    for (format, path, binding) in FORMATS {
        if !formats.iter().any(|it| it == format) {
            continue;
        }
        tried += 1;
        load(&mut client, format, binding);
        let url = format!("http://{}{path}", server.address());
        for how in ways {
            call(&mut client, &url, format, "echo", how);
        }
        call(&mut client, &url, format, "refuse", "");
        call(&mut client, &url, format, "notify", "");
    }
    assert!(tried >= 3, "{formats:?}");
}

fn load(client: &mut Toolkit, format: &str, binding: Binding) {
    client.expect(&format!("load {format} {}", corpus(binding).display()), "loaded");
}

fn call(client: &mut Toolkit, url: &str, format: &str, operation: &str, how: &str) {
    let times = Path::new(env!("CARGO_TARGET_TMPDIR")).join("times");
    let question = format!("call {url} {format} {operation} 6 {}{how}", times.display());
    assert_eq!(client.expect(&question, "called"), "6", "{question}");
}

#[test]
fn gsoap_calls_our_service_in_all_styles() {
    call_all("gsoap-best-services");
    call_all("gsoap-debian-services");
}

#[test]
fn metro_calls_our_service_in_the_literal_styles() {
    call_all("metro-services");
}

#[test]
fn cxf_and_axis_call_our_service_in_their_styles() {
    call_all("cxf-services");
    call_all("axis-services");
}

/// It does not compress.
#[test]
fn asmx_calls_our_service_in_its_styles() {
    call_in("asmx-services", &["", " chunked", " close"]);
}

#[test]
fn answers_in_chunks_and_through_a_pool_are_read_by_other_toolkits() {
    use trunkline_http::{Order, Workers};
    let workers = Workers::Pool { threads: 2, queue: 64, order: Order::SHORTEST_FIRST };
    let server = serve_with(Config { chunked: true, workers, ..Config::default() });
    for name in ["gsoap-best-services", "metro-services"] {
        let Some(mut client) = Toolkit::start(name) else { continue };
        let (format, path, binding) = FORMATS[0];
        load(&mut client, format, binding);
        call(&mut client, &format!("http://{}{path}", server.address()), format, "echo", "");
    }
}
