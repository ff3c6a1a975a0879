//! `trunkline soap serve`: a service as a WSDL describes it, with answers that are given.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::{fs, io};

use trunkline_codec::json;
use trunkline_http::Uri;
use trunkline_import::Description as Any;
use trunkline_import::wsdl::{Binding as Bound, Description, Operation, Port, Protocol};
use trunkline_message::{Layout, Record};
use trunkline_session::soap::{self, Binding, Context, Server, Service, Signature};
use trunkline_soap::Encoder;

use super::choice::is_soap;
use crate::Ending;
use crate::arguments::SoapServeArguments;
use crate::client::counted;
use crate::fault::Fault;
use crate::output::{plain, print, remark};

/// What an operation answers.
enum Answer {
    /// There is none.
    Nothing,
    /// Always this.
    Canned(Box<Record>),
    /// Why there is none, and how to give one.
    Missing(String),
}

/// An operation that is served.
struct Served {
    signature: Signature,
    answer: Answer,
    /// Header blocks that it understands.
    headers: Vec<(String, String)>,
}

/// Serves until it is stopped; or writes the answers that it would give.
pub(crate) fn serve(arguments: &SoapServeArguments) -> Result<Ending, Fault> {
    let file = &arguments.file;
    let Any::Services(description) = crate::description::read(file, &arguments.description)? else {
        return Err(Fault::new(format!("{file}: it is no WSDL, and describes no service")));
    };
    let wsdl = fs::read_to_string(file).map_err(|cause| of_file(Path::new(file), &cause))?;
    let ports: Vec<&Port> = ports(&description, arguments);
    if ports.is_empty() {
        return Err(Fault::new(format!("{file}: {}", no_ports(&description, arguments))));
    }
    if let Some(folder) = &arguments.write_answers {
        return write_answers(&description, &ports, folder);
    }
    let mut server = Server::new().on_call(|call| remark(&call.to_string()));
    let (mut paths, mut lines) = (HashSet::new(), Vec::new());
    for port in ports {
        let path = path_of(port, &mut paths);
        let served = operations(&description, port, arguments.answers.as_deref())?;
        let count = counted(served.len() as u64, "operation");
        lines.push((
            path.clone(),
            format!("{} in {}, {count}", port.name, binding(&description, port).name()),
        ));
        server = server.service(service(&description, port, served, &wsdl, &path));
    }
    let running = server.start(&arguments.listen).map_err(|error| Fault::new(error.to_string()))?;
    for (path, what) in lines {
        print(&format!("http://{}{path}  {}\n", running.address(), plain(&what)))?;
    }
    running.wait();
    Ok(Ending::Right)
}

/// The ports of SOAP, those of the service or the port that was said.
fn ports<'a>(description: &'a Description, arguments: &SoapServeArguments) -> Vec<&'a Port> {
    let said = |name: &str| arguments.port.as_ref().is_none_or(|it| it == name);
    let all = description.services().iter().flat_map(|it| &it.ports);
    all.filter(|it| said(&it.name) && is_soap(&description.binding(it).protocol)).collect()
}

fn no_ports(description: &Description, arguments: &SoapServeArguments) -> String {
    let all = description.services().iter().flat_map(|it| &it.ports);
    let names: Vec<&str> =
        all.filter(|it| is_soap(&description.binding(it).protocol)).map(|it| &*it.name).collect();
    match (&arguments.port, &*names) {
        (_, []) => "it has no port of SOAP".to_owned(),
        (Some(port), names) => {
            format!("it has no port {port}; there is {}", plain(&names.join(", ")))
        }
        (None, _) => "it has no port".to_owned(),
    }
}

/// The path of its address, or one after its name if it has none, or another port has it.
fn path_of(port: &Port, taken: &mut HashSet<String>) -> String {
    let address = port.address.as_deref().and_then(|it| it.parse::<Uri>().ok());
    let path = address.map(|it| it.path().to_owned()).filter(|it| it.starts_with('/'));
    let mut path = path.unwrap_or_else(|| format!("/{}", port.name));
    while !taken.insert(path.clone()) {
        path = format!("{}/{}", path.trim_end_matches('/'), port.name);
    }
    path
}

fn binding(description: &Description, port: &Port) -> Binding {
    use trunkline_import::wsdl::Style;
    let bound = description.binding(port);
    let first = bound.operations.first();
    let is_encoded = |it: &Operation| it.request.as_ref().is_some_and(|it| it.is_encoded);
    let binding = match first.map(|it| (it.style, is_encoded(it))) {
        Some((Style::Rpc, true)) => Binding::rpc_encoded(),
        Some((Style::Rpc, false)) => Binding::rpc_literal(),
        Some((Style::Document, true)) => Binding::document_encoded(),
        _ => Binding::document_literal_bare(),
    };
    if bound.protocol == Protocol::Soap12 { binding.soap12() } else { binding }
}

/// The operations of a port, with their answers from a folder, or made up.
fn operations(
    description: &Description,
    port: &Port,
    answers: Option<&Path>,
) -> Result<Vec<Served>, Fault> {
    let bound = description.binding(port);
    let mut all = Vec::new();
    for operation in &bound.operations {
        match served(description, bound, operation, answers)? {
            Ok(served) => all.push(served),
            Err(why) => remark(&format!("{} is not served: {why}", operation.name)),
        }
    }
    match all.is_empty() {
        true => Err(Fault::new(format!("{}: none of its operations can be served", port.name))),
        false => Ok(all),
    }
}

/// An operation, or why it is not served.
fn served(
    description: &Description,
    bound: &Bound,
    operation: &Operation,
    answers: Option<&Path>,
) -> Result<Result<Served, String>, Fault> {
    let (request, response) = match messages(description, bound, operation) {
        Ok(messages) => messages,
        Err(why) => return Ok(Err(why)),
    };
    let Some((layout, options)) = request else {
        return Ok(Err("nothing in the Body of a request says that it is called".to_owned()));
    };
    let action = operation.action.clone().unwrap_or_default();
    let mut signature = match Signature::new(&operation.name, &action, (&layout, &options)) {
        Ok(signature) => signature,
        Err(error) => return Ok(Err(error.to_string())),
    };
    let mut answer = Answer::Nothing;
    if let Some((layout, options)) = response {
        signature = match signature.answered((&layout, &options)) {
            Ok(signature) => signature,
            Err(error) => return Ok(Err(error.to_string())),
        };
        answer = answer_of(operation, &layout, &options, answers)?;
    }
    let headers = operation.request.iter().flat_map(|it| &it.headers).map(|header| {
        header.part.element().map_or_else(
            || (header.namespace.clone(), header.part.name.clone()),
            |name| (name.namespace.to_string(), name.local.to_string()),
        )
    });
    Ok(Ok(Served { signature, answer, headers: headers.collect() }))
}

type Message = (Arc<Layout>, trunkline_soap::Options);

/// What an operation takes and answers.
fn messages(
    description: &Description,
    bound: &Bound,
    operation: &Operation,
) -> Result<(Option<Message>, Option<Message>), String> {
    let plain = |it: Option<trunkline_import::wsdl::Described>| {
        it.map(|it| (Arc::new(it.layout), it.options))
    };
    let request = description.request(bound, operation).map_err(|it| it.to_string())?;
    let response = description.response(bound, operation).map_err(|it| it.to_string())?;
    Ok((plain(request), plain(response)))
}

/// What is in the folder, or else made up.
fn answer_of(
    operation: &Operation,
    layout: &Arc<Layout>,
    options: &trunkline_soap::Options,
    answers: Option<&Path>,
) -> Result<Answer, Fault> {
    let name = format!("{}.json", operation.name);
    if let Some(path) = answers.map(|it| it.join(&name)) {
        match fs::read(&path) {
            Ok(bytes) => return canned(&path, &bytes, layout),
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => {}
            Err(cause) => return Err(of_file(&path, &cause)),
        }
    }
    let sample = Record::sample(layout);
    let is_writable = trunkline_soap::Plan::new(layout, options)
        .and_then(|plan| Encoder::new(&plan).encode(&sample).map(|_| ()));
    Ok(match is_writable {
        Ok(()) => Answer::Canned(Box::new(sample)),
        Err(why) => Answer::Missing(format!(
            "no answer to {} can be made up, give one as {name} in --answers FOLDER: {why}",
            operation.name
        )),
    })
}

fn canned(path: &Path, bytes: &[u8], layout: &Arc<Layout>) -> Result<Answer, Fault> {
    let wrong =
        |error: trunkline_message::Error| Fault::new(format!("{}: {error}", path.display()));
    let plan = json::Plan::new(layout, &json::Options::default()).map_err(wrong)?;
    let mut record = Record::new(layout);
    let mut decoder =
        json::Decoder::new(&plan).on_unknown(trunkline_message::UnknownContent::Reject);
    decoder.decode(bytes.trim_ascii(), &mut record).map_err(wrong)?;
    Ok(Answer::Canned(Box::new(record)))
}

/// The service of a port.
fn service(
    description: &Description,
    port: &Port,
    all: Vec<Served>,
    wsdl: &str,
    path: &str,
) -> Service {
    let owner =
        description.services().iter().find(|it| it.ports.iter().any(|it| it.name == port.name));
    let namespace = owner.map_or("", |it| &*it.name.namespace);
    let namespace = if namespace.is_empty() { "urn:none" } else { namespace };
    let address = port.address.as_deref().unwrap_or_default();
    let mut service = Service::new(&port.name, namespace).described_at(wsdl, address);
    for Served { signature, answer, headers } in all {
        for (namespace, local) in &headers {
            service = service.understands(namespace, local);
        }
        service = match answer {
            Answer::Nothing => service.record_one_way(&signature, |_| Ok(())),
            Answer::Canned(record) => service.record_operation(
                &signature,
                move |_: &mut Record, response: &mut Record, _: &mut Context| {
                    response.clone_from(&record);
                    Ok(())
                },
            ),
            Answer::Missing(why) => service.record_operation(
                &signature,
                move |_: &mut Record, _: &mut Record, _: &mut Context| {
                    Err(soap::Fault::receiver(why.clone()))
                },
            ),
        };
    }
    service.at(path, binding(description, port))
}

/// Writes the answers that would be made up, for somebody to change; those that are there stay.
fn write_answers(
    description: &Description,
    ports: &[&Port],
    folder: &Path,
) -> Result<Ending, Fault> {
    fs::create_dir_all(folder).map_err(|cause| of_file(folder, &cause))?;
    let mut seen = HashSet::new();
    for port in ports {
        let bound = description.binding(port);
        for operation in bound.operations.iter().filter(|it| seen.insert(it.name.clone())) {
            let response = match messages(description, bound, operation) {
                Ok((_, response)) => response,
                Err(why) => {
                    remark(&format!("{}: {why}", operation.name));
                    continue;
                }
            };
            let Some((layout, _)) = response else { continue };
            let wrong = |error: trunkline_message::Error| {
                Fault::new(format!("{}: {error}", operation.name))
            };
            let plan = json::Plan::new(&layout, &json::Options::default()).map_err(wrong)?;
            let mut encoder = json::Encoder::new(&plan);
            let text = match encoder.encode(&Record::sample(&layout)) {
                Ok(text) => text.to_vec(),
                Err(why) => {
                    remark(&format!("{}: no answer can be made up: {why}", operation.name));
                    continue;
                }
            };
            let path = folder.join(format!("{}.json", operation.name));
            let new = fs::File::create_new(&path)
                .and_then(|mut file| io::Write::write_all(&mut file, &[&text[..], b"\n"].concat()));
            match new {
                Ok(()) => print(&format!("{}\n", path.display()))?,
                Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => {
                    remark(&format!("{} is there already, and stays", path.display()));
                }
                Err(cause) => return Err(of_file(&path, &cause)),
            }
        }
    }
    Ok(Ending::Right)
}

fn of_file(path: &Path, cause: &io::Error) -> Fault {
    Fault::new(format!("{}: {cause}", path.display()))
}
