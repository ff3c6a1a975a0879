//! Our client calls other toolkits' services.

use trunkline_http::Compression;
use trunkline_lab::customer_services::RESPONSE;
use trunkline_lab::customer_services::web_service::CustomerClient;
use trunkline_session::soap::{CallError, ClientConfig, FaultCode};
use trunkline_tests::toolkit::Toolkit;

use super::{FORMATS, messages};

fn call_all(name: &str) {
    let Some(mut server) = Toolkit::start(name) else { return };
    let formats = server.formats();
    let port = server.expect("serve 4", "serving");
    for (format, path, binding) in FORMATS {
        if !formats.iter().any(|it| it == format) {
            continue;
        }
        let url = format!("http://127.0.0.1:{port}{path}");
        let plain = ClientConfig::default;
        let configs = [
            plain(),
            ClientConfig { chunked: true, ..plain() },
            ClientConfig { keep_alive: false, ..plain() },
            ClientConfig { compression: Some(Compression::Gzip), ..plain() },
        ];
        // Where a connection goes on, mono's listener takes what follows a body in chunks or in gzip for a bad request.
        let is_plain = |it: &ClientConfig| !it.chunked && it.compression.is_none();
        let is_read = |it: &ClientConfig| is_plain(it) || name != "asmx-services";
        for config in configs.into_iter().filter(is_read) {
            let told = format!("{config:?}");
            let mut client = CustomerClient::with(&url, binding, config).expect("a client");
            for message in messages() {
                let mut expected = message.clone();
                expected.header = RESPONSE.into();
                let reply = client
                    .echo(&message)
                    .unwrap_or_else(|error| panic!("{name} at {url}, {told}: {error}"));
                assert!(reply == expected, "{url}: the reply is not the request");
            }
        }
        let mut client = CustomerClient::with(&url, binding, plain()).expect("a client");
        let message = &messages()[0];
        match client.refuse(message) {
            Err(CallError::Fault(fault)) => {
                assert_eq!(fault.code, FaultCode::Sender, "{url}");
                assert_eq!(fault.reason, format!("refused: {}", message.header), "{url}");
                assert!(fault.detail[0].as_str().contains("42"), "{url}: {fault:?}");
            }
            other => panic!("{url}: {other:?}"),
        }
        client.notify(message).unwrap_or_else(|error| panic!("{url}: {error}"));
        // The connection serves on after a fault and after no answer.
        client.echo(message).unwrap_or_else(|error| panic!("{url}: {error}"));
    }
    server.expect("unserve", "served");
}

#[test]
fn our_client_calls_gsoap_in_all_styles() {
    call_all("gsoap-best-services");
    call_all("gsoap-debian-services");
}

#[test]
fn our_client_calls_metro_in_the_literal_styles() {
    call_all("metro-services");
}

#[test]
fn our_client_calls_cxf_axis_and_asmx_in_their_styles() {
    for server in ["cxf-services", "axis-services", "asmx-services"] {
        call_all(server);
    }
}
