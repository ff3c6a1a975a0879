//! `trunkline soap call`: one call of any service, from the command line.

use std::path::Path;

use trunkline_codec::soap::QName;
use trunkline_message::Limits;
use trunkline_net::http::{self, ClientTls, Compression};
use trunkline_session::soap::outline::{Folder, Outline, Reading, Types, Unread};
use trunkline_session::soap::{Binding, CallError, Client, ClientConfig, SoapVersion};

use crate::Ending;
use crate::arguments::SoapCallArguments;
use crate::fault::Fault;
use crate::output::print;

mod choice;
mod reply;
mod request;
mod typed;

/// What is called, and how.
struct Called {
    name: String,
    action: String,
    binding: Binding,
    /// The element in the Body of a request.
    element: QName,
    location: Option<String>,
    /// Header blocks that it may have, which are not sent.
    headers: Vec<String>,
    /// What it takes, if there is a WSDL.
    types: Option<Types>,
}

/// Calls, prints what comes back, and says on standard error how it travelled.
pub(crate) fn call(arguments: &SoapCallArguments) -> Result<Ending, Fault> {
    let called = called(arguments)?;
    let namespace = &called.element.namespace;
    let url = called.location.as_ref().unwrap_or(&arguments.url);
    let mut client = Client::with(url, namespace, called.binding, config(arguments)?)?;
    let message = request::message(&called, &arguments.values)?;
    if !called.headers.is_empty() {
        eprintln!("header blocks of the WSDL that are not sent: {}", called.headers.join(", "));
    }
    let answered = client.call_dynamically(&called.action, &message);
    if let Some(profile) = client.profile() {
        eprintln!("{profile}");
    }
    match answered {
        Ok(_) if arguments.raw => print(&format!("{}\n", client.last_answer()))?,
        Ok(Some(message)) => print(&reply::lines(&message))?,
        Ok(None) => print("taken; there is no answer\n")?,
        Err(CallError::Fault(fault)) => {
            match arguments.raw {
                true => print(&format!("{}\n", client.last_answer()))?,
                false => print(&reply::fault(&fault))?,
            }
            return Ok(Ending::Wrong);
        }
        Err(error) => return Err(error.into()),
    }
    Ok(Ending::Right)
}

/// What the arguments say of the operation, and where they do not, the service's WSDL.
fn called(arguments: &SoapCallArguments) -> Result<Called, Fault> {
    let SoapCallArguments { operation: name, namespace, binding, action, .. } = arguments;
    let Some(namespace) = namespace else { return from_wsdl(arguments) };
    let version = if arguments.soap12 { SoapVersion::Soap12 } else { SoapVersion::Soap11 };
    let binding = binding.map_or_else(Binding::default, |it| it.binding());
    let local = arguments.element.as_ref().unwrap_or(name).clone();
    Ok(Called {
        name: name.clone(),
        action: action.clone().unwrap_or_else(|| format!("{namespace}#{name}")),
        binding: Binding { version, ..binding },
        element: QName::new(namespace.clone(), local),
        location: None,
        headers: Vec::new(),
        types: None,
    })
}

fn from_wsdl(arguments: &SoapCallArguments) -> Result<Called, Fault> {
    let from = match &arguments.wsdl {
        Some(from) => from.clone(),
        None => {
            let query = if arguments.url.contains('?') { '&' } else { '?' };
            format!("{}{query}wsdl", arguments.url)
        }
    };
    let outline = outline(arguments, &from)?;
    let (operation, location) = choice::of(arguments, &from, &outline)?;
    let types = outline.types(operation).map_err(|error| Fault::new(format!("{from}: {error}")))?;
    let version = match arguments.soap12 {
        true => SoapVersion::Soap12,
        false => operation.binding.version,
    };
    Ok(Called {
        name: operation.name.clone(),
        action: arguments.action.as_ref().unwrap_or(&operation.action).clone(),
        binding: Binding { version, ..operation.binding },
        element: operation.element.clone(),
        location: location.map(str::to_owned),
        headers: operation.headers.clone(),
        types: Some(types),
    })
}

/// Reads the WSDL and what it imports.
fn outline(arguments: &SoapCallArguments, from: &str) -> Result<Outline, Fault> {
    let config = config(arguments)?;
    // Only who says --wsdl may mean a file.
    let is_file = arguments.wsdl.as_ref().is_some_and(|it| !it.contains("://"));
    let folder = match is_file {
        true => Folder::of(Path::new(from), arguments.other_folders)
            .map(Some)
            .map_err(|cause| Fault::new(format!("{from}: {cause}")))?,
        false => None,
    };
    let mut fetch = |location: &str, most: usize| match &folder {
        Some(folder) if !location.contains("://") => folder.read(Path::new(location), most),
        _ => get(location, ClientConfig { body_bytes: most, ..config.clone() }).map_err(|error| {
            match error {
                CallError::Transport(http::Error::TooLong { limit: "body_bytes", .. }) => {
                    Unread::TooLong
                }
                // Only of the first may there be none.
                CallError::Status { .. } if location == from => Unread::Other(format!(
                    "{error}; say --namespace and --binding if there is no WSDL"
                )),
                error => Unread::Other(error.to_string()),
            }
        }),
    };
    let reading = Reading { other_hosts: arguments.other_hosts, ..Reading::default() };
    Ok(Outline::read(from, &mut fetch, &reading, &Limits::default())?)
}

/// The document at a URL.
fn get(location: &str, config: ClientConfig) -> Result<Vec<u8>, CallError> {
    Client::with(location, "", Binding::default(), config)?.get()
}

fn config(arguments: &SoapCallArguments) -> Result<ClientConfig, Fault> {
    let mut config = ClientConfig::default();
    if arguments.gzip {
        config.compression = Some(Compression::Gzip);
    }
    config.response_timeout = arguments.timeout;
    config.connect_timeout = arguments.timeout;
    if let Some(roots) = &arguments.ca {
        let own = arguments.certificate.as_deref().zip(arguments.key.as_deref());
        config.tls = Some(ClientTls::from_files(roots, own)?);
    }
    Ok(config)
}
