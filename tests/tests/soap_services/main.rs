//! Our service and our client with other toolkits at the other end, over real HTTP.

mod client;
mod server;
mod soap_lite;
mod wsdl;

use std::path::PathBuf;
use std::sync::Arc;

use trunkline_catalogue::commerce::CustomerServices;
use trunkline_lab::customer_services::web_service::{NAMESPACE, service};
use trunkline_message::Structure as _;
use trunkline_session::soap::{Binding, Config, Running, Server};
use trunkline_soap::{Encoder, Plan};
use trunkline_tests::samples;

/// Formats of peers, the paths where they are served, and our name for both.
const FORMATS: [(&str, &str, Binding); 5] = [
    ("ng-doc-literal", "/doc-literal", Binding::document_literal_bare()),
    ("ng-doc-literal-wrapped", "/doc-literal-wrapped", Binding::document_literal()),
    ("ng-doc-encoded", "/doc-encoded", Binding::document_encoded()),
    ("ng-rpc-literal", "/rpc-literal", Binding::rpc_literal()),
    ("ng-rpc-encoded", "/rpc-encoded", Binding::rpc_encoded()),
];

fn serve() -> Running {
    serve_with(Config::default())
}

fn serve_with(config: Config) -> Running {
    let server = Server::new().service(service()).config(config);
    server.start("127.0.0.1:0").expect("our service starts")
}

/// A file of requests to echo in one binding, as peers load it.
fn corpus(binding: Binding) -> PathBuf {
    let operation = "echo";
    let plan = Plan::new(CustomerServices::layout(), &binding.options(NAMESPACE, operation))
        .expect("a plan");
    let mut encoder = Encoder::new(&Arc::clone(&plan));
    let mut file = Vec::new();
    for message in messages() {
        let bytes = encoder.encode(&message).expect("a message that can be written");
        file.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        file.extend_from_slice(bytes);
    }
    let name =
        format!("requests-{}-{:?}", binding.name().replace(['/', ' '], "-"), binding.version);
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, file).expect("a file of requests");
    path
}

/// Six messages, from empty to the paper's complex one, with text that XML must escape.
fn messages() -> Vec<CustomerServices> {
    let counts = [(0, 0), (1, 0), (20, 0), (1, 50), (0, 3), (2, 2)];
    let mut messages: Vec<CustomerServices> = counts
        .into_iter()
        .map(|(customers, products)| samples::customer_services(customers, products))
        .collect();
    // gSOAP writes doubles with 15 digits, and some need 17.
    for product in messages.iter_mut().flat_map(|it| it.products.iter_mut()) {
        product.price = (product.price * 100.0).round() / 100.0;
    }
    messages[5].customers[0].address = "5 < 6 && \"7\" > 'x'  \u{e9}\u{6f22} ".into();
    messages
}
