//! `trunkline soap call`: one call of any service, from the command line.

use std::fs;

use trunkline_codec::soap::QName;
use trunkline_message::Limits;
use trunkline_net::http::{ClientTls, Compression};
use trunkline_session::soap::outline::{Outline, OutlinedOperation, Types};
use trunkline_session::soap::{Binding, CallError, Client, ClientConfig, SoapVersion};

use crate::Ending;
use crate::arguments::SoapCallArguments;
use crate::fault::Fault;
use crate::output::print;

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
        types: None,
    })
}

fn from_wsdl(arguments: &SoapCallArguments) -> Result<Called, Fault> {
    let from = match &arguments.wsdl {
        Some(from) => from.clone(),
        None => format!("{}?wsdl", arguments.url),
    };
    let config = config(arguments)?;
    // Only who says --wsdl may mean a file.
    let is_file = arguments.wsdl.as_ref().is_some_and(|it| !it.contains("://"));
    let mut fetch = |location: &str| match is_file && !location.contains("://") {
        true => fs::read(location).map_err(|cause| format!("{location}: {cause}")),
        false => get(location, &config),
    };
    let outline = Outline::read(&from, &mut fetch, arguments.other_hosts, &Limits::default())?;
    let operation = chosen(arguments, &from, &outline)?;
    let types = outline.types(operation).map_err(|error| Fault::new(format!("{from}: {error}")))?;
    // The URL that was given goes before that of the WSDL, which may be behind a gateway; but where
    // a WSDL has several, only it can say which is for the binding.
    let is_only = outline.operations().iter().all(|it| it.location == operation.location);
    let version = match arguments.soap12 {
        true => SoapVersion::Soap12,
        false => operation.binding.version,
    };
    Ok(Called {
        name: operation.name.clone(),
        action: arguments.action.as_ref().unwrap_or(&operation.action).clone(),
        binding: Binding { version, ..operation.binding },
        element: operation.element.clone(),
        location: operation.location.clone().filter(|_| !is_only),
        types: Some(types),
    })
}

/// The operation in the binding that is wanted most.
fn chosen<'a>(
    arguments: &SoapCallArguments,
    from: &str,
    outline: &'a Outline,
) -> Result<&'a OutlinedOperation, Fault> {
    let name = &arguments.operation;
    let found = outline.operations();
    let wanted_binding = |it: &OutlinedOperation| {
        arguments.binding.is_none_or(|wanted| {
            Binding { version: it.binding.version, ..wanted.binding() } == it.binding
        })
    };
    let wanted = |it: &&OutlinedOperation| {
        let is_version = (it.binding.version == SoapVersion::Soap12) == arguments.soap12;
        it.name == *name && wanted_binding(it) && is_version
    };
    let mut named = found.iter().filter(|it| it.name == *name);
    let chosen = match arguments.binding {
        // A service answers in the version of the request, whatever its WSDL says.
        None => found.iter().find(wanted).or_else(|| named.next()),
        Some(_) => found.iter().find(wanted).or_else(|| named.find(|it| wanted_binding(it))),
    };
    if let Some(operation) = chosen {
        return Ok(operation);
    }
    if let Some(there) = found.iter().find(|it| it.name == *name) {
        let binding = there.binding.name();
        return Err(Fault::new(format!("{from} has {name} in another binding, {binding}")));
    }
    let mut names: Vec<&str> = found.iter().map(|it| &*it.name).collect();
    names.dedup();
    let there_is = match &*names {
        [] => "it has none of SOAP".to_owned(),
        names => format!("there is {}", names.join(", ")),
    };
    let missing: String = outline.missing().iter().map(|it| format!("; {it}")).collect();
    Err(Fault::new(format!("{from} has no operation {name}; {there_is}{missing}")))
}

/// The document at a URL.
fn get(location: &str, config: &ClientConfig) -> Result<Vec<u8>, String> {
    let client = Client::with(location, "", Binding::default(), config.clone());
    let mut client = client.map_err(|error| error.to_string())?;
    client.get().map_err(|error| no_wsdl(location, &error))
}

/// What to say instead, where the server is there and has none.
fn no_wsdl(from: &str, error: &CallError) -> String {
    let hint = match error {
        CallError::Status { .. } => "; say --namespace and --binding if there is no WSDL",
        _ => "",
    };
    format!("{from}: {error}{hint}")
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
