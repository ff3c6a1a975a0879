//! `trunkline soap call`: one call of any service, from the command line.

use std::fs;

use trunkline_codec::soap::QName;
use trunkline_message::Limits;
use trunkline_net::http::{ClientTls, Compression};
use trunkline_session::soap::outline::{self, OutlinedOperation};
use trunkline_session::soap::{Binding, CallError, Client, ClientConfig, SoapVersion};

use crate::Ending;
use crate::arguments::SoapCallArguments;
use crate::fault::Fault;
use crate::output::print;

mod reply;
mod request;

/// Calls, prints what comes back, and says on standard error how it travelled.
pub(crate) fn call(arguments: &SoapCallArguments) -> Result<Ending, Fault> {
    let operation = operation(arguments)?;
    let namespace = &operation.element.namespace;
    let url = operation.location.as_ref().unwrap_or(&arguments.url);
    let mut client = Client::with(url, namespace, operation.binding, config(arguments)?)?;
    let message = request::message(&operation, &arguments.values)?;
    let answered = client.call_dynamically(&operation.action, &message);
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
fn operation(arguments: &SoapCallArguments) -> Result<OutlinedOperation, Fault> {
    let SoapCallArguments { operation: name, namespace, binding, action, .. } = arguments;
    let Some(namespace) = namespace else { return from_wsdl(arguments) };
    let version = if arguments.soap12 { SoapVersion::Soap12 } else { SoapVersion::Soap11 };
    let binding = binding.map_or_else(Binding::default, |it| it.binding());
    let local = arguments.element.as_ref().unwrap_or(name).clone();
    Ok(OutlinedOperation {
        name: name.clone(),
        action: action.clone().unwrap_or_else(|| format!("{namespace}#{name}")),
        binding: Binding { version, ..binding },
        element: QName::new(namespace.clone(), local),
        qualified: binding == Binding::document_literal()
            || binding == Binding::document_literal_bare(),
        location: None,
    })
}

fn from_wsdl(arguments: &SoapCallArguments) -> Result<OutlinedOperation, Fault> {
    let SoapCallArguments { url, operation: name, .. } = arguments;
    let (wsdl, from) = match &arguments.wsdl {
        Some(file) if !file.contains("://") => {
            let read = fs::read(file).map_err(|cause| Fault::new(format!("{file}: {cause}")))?;
            (read, file.clone())
        }
        given => {
            let from = given.clone().unwrap_or_else(|| format!("{url}?wsdl"));
            let mut client = Client::with(&from, "", Binding::default(), config(arguments)?)?;
            let got = client.get().map_err(|error| no_wsdl(&from, &error))?;
            (got, from)
        }
    };
    let found = outline::operations(&wsdl, &Limits::default())
        .map_err(|error| Fault::new(format!("{from}: {error}")))?;
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
    if let (None, Some(there)) = (chosen, found.iter().find(|it| it.name == *name)) {
        let binding = there.binding.name();
        return Err(Fault::new(format!("{from} has {name} in another binding, {binding}")));
    }
    let Some(operation) = chosen else {
        let mut names: Vec<&str> = found.iter().map(|it| &*it.name).collect();
        names.dedup();
        let names = names.join(", ");
        return Err(Fault::new(format!("{from} has no operation {name}; there is {names}")));
    };
    let mut operation = operation.clone();
    // The URL that was given goes before that of the WSDL, which may be behind a gateway; but where
    // a WSDL has several, only it can say which is for the binding.
    if found.iter().all(|it| it.location == operation.location) {
        operation.location = None;
    }
    if arguments.soap12 {
        operation.binding.version = SoapVersion::Soap12;
    }
    if let Some(action) = &arguments.action {
        operation.action.clone_from(action);
    }
    Ok(operation)
}

/// What to say instead, where the server is there and has none.
fn no_wsdl(from: &str, error: &CallError) -> Fault {
    let hint = match error {
        CallError::Status { .. } => "; say --namespace and --binding if there is no WSDL",
        _ => "",
    };
    Fault::new(format!("{from}: {error}{hint}"))
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
