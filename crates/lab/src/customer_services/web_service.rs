//! The web service of Ng, Chen and Greenfield (2004), section 3.1: it reads a message, and gives it
//! back with its header changed. Also two operations that toolkits are tried with.

use trunkline_catalogue::commerce::CustomerServices;
use trunkline_message::Message;
use trunkline_session::soap::{Binding, Fault, Service, element};
use trunkline_wire::Text;

use super::RESPONSE;
use trunkline_experiment::format::Format;

/// Of the service's operations and elements.
pub const NAMESPACE: &str = "urn:trunkline:ng-2004";

/// Where the service is in which binding, in SOAP 1.1; in SOAP 1.2 it is below `/soap12`.
pub const PATHS: [(&str, Binding); 5] = [
    ("/doc-literal", Binding::document_literal_bare()),
    ("/doc-literal-wrapped", Binding::document_literal()),
    ("/doc-encoded", Binding::document_encoded()),
    ("/rpc-literal", Binding::rpc_literal()),
    ("/rpc-encoded", Binding::rpc_encoded()),
];

/// Where messages of a format are taken, in SOAP 1.1.
pub fn path_of(format: Format) -> Option<&'static str> {
    let name = format.name().strip_prefix("ng-")?;
    PATHS.iter().map(|(path, _)| *path).find(|path| path.strip_prefix('/') == Some(name))
}

/// Why a message was refused.
#[derive(Message, Clone, Debug, Default, PartialEq)]
#[message(name = "Refusal")]
pub struct Refusal {
    /// Always 42.
    pub code: i32,
    /// The header of what was refused.
    pub text: Text,
}

trunkline_session::client! {
    /// A client of the service.
    pub struct CustomerClient in "urn:trunkline:ng-2004" {
        /// The message, with its header changed.
        fn echo(CustomerServices) -> CustomerServices;
        /// Always fails.
        fn refuse(CustomerServices) -> CustomerServices;
        /// Takes the message, and answers nothing.
        fn notify(CustomerServices);
    }
}

/// The service with all its bindings.
pub fn service() -> Service {
    let service = echo_alone()
        .operation("refuse", refuse)
        .fault::<Refusal>()
        .one_way("notify", |_: CustomerServices| Ok::<(), Fault>(()));
    at_all_paths(service)
}

/// The same with one operation, for transports without an action.
pub fn echo_service() -> Service {
    at_all_paths(echo_alone())
}

fn echo_alone() -> Service {
    Service::new("CustomerService", NAMESPACE)
        .documentation("The echo of Ng, Chen and Greenfield (2004)")
        .operation("echo", echo)
}

fn at_all_paths(mut service: Service) -> Service {
    for (path, binding) in PATHS {
        service = service.at(path, binding).at(&format!("/soap12{path}"), binding.soap12());
    }
    service
}

/// In place, so that no memory is taken in the long run.
fn echo(request: &mut CustomerServices, answer: &mut CustomerServices) -> Result<(), Fault> {
    std::mem::swap(request, answer);
    answer.header = RESPONSE.into();
    Ok(())
}

fn refuse(request: CustomerServices) -> Result<CustomerServices, Fault> {
    let refusal = Refusal { code: 42, text: request.header.clone() };
    let detail =
        element::write(&refusal, NAMESPACE).map_err(|error| Fault::receiver(error.to_string()))?;
    Err(Fault::sender(format!("refused: {}", request.header)).with_detail(detail))
}
