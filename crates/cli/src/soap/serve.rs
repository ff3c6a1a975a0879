//! `trunkline soap serve`: a service as a WSDL describes it, with answers that are given.

mod admission;
mod answer;
mod documents;
mod script;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use trunkline_http::{Config, Order, Uri, Workers};
use trunkline_import::nearest;
use trunkline_import::wsdl::{
    self, Binding as Bound, Described, Description, Operation, Port, Protocol,
};
use trunkline_message::{Layout, Record, ScopeId, Structure as _, UnknownContent};
use trunkline_session::soap::{
    self, Arrival, Binding, Context, Refusal, Server, Service, Signature,
};
use trunkline_soap::{Nothing, QName, Version};

use super::choice::is_soap;
use super::content::{Form, of_file, to_json};
use super::{listed, security};
use crate::Ending;
use crate::arguments::SoapServeArguments;
use crate::client::counted;
use crate::fault::Fault;
use crate::output::{plain, print, remark};

use admission::Admission;
use answer::{Answer, Files};
use documents::Documents;
use script::{Rules, Script};

/// An operation that is served.
struct Served {
    signature: Signature,
    answer: Answer,
    /// What goes before that.
    rules: Rules,
    admission: Admission,
    documentation: String,
}

/// As many operations are named where one is not there.
const SHOWN: usize = 24;

/// Threads that answer where answers may wait, and calls that may wait for one.
const THREADS: usize = 32;
const QUEUE: usize = 1024;

/// Serves until it is stopped; or writes the answers that it would give.
pub(crate) fn serve(arguments: &SoapServeArguments) -> Result<Ending, Fault> {
    let file = &arguments.file;
    let (description, mut documents) = Documents::read(file, &arguments.fetch)?;
    let description = Arc::<Description>::from(description);
    description.warnings().iter().for_each(|it| remark(&it.to_string()));
    let ports = ports(&description, arguments);
    if ports.is_empty() {
        return Err(Fault::new(format!("{file}: {}", no_ports(&description, arguments))));
    }
    let files = Files::of(&description, &ports);
    if let Some(folder) = &arguments.write_answers {
        return write_answers(&description, &ports, (folder, &files));
    }
    let (script, folder) = answers(arguments, &files)?;
    check_names(&script, &files, &description, &ports)?;
    let guard = security::of_service(&arguments.guard)?.map(Arc::new);
    let server = Server::new().on_call(|call| remark(&call.to_string()));
    let mut server = security::admitting(server, &arguments.guard)?.on_refusal(refused);
    let mut taken = HashSet::new();
    let paths: Vec<String> = ports.iter().map(|it| path_of(it.1, &mut taken)).collect();
    let given = Given { folder: folder.as_deref(), files: &files, script: &script, arguments };
    let served = ports.iter().map(|it| operations(&description, it.1, given));
    let served = served.collect::<Result<Vec<_>, _>>()?;
    let left_out = ports.iter().zip(&served).flat_map(|(it, served)| {
        let binding = &description.binding(it.1).name;
        served.left_out.iter().map(move |index| (binding, *index))
    });
    documents.leave_out(&left_out.collect::<Vec<_>>())?;
    let (mut lines, mut waits) = (Vec::new(), false);
    for ((&(owner, port), path), Operations { all, .. }) in ports.iter().zip(&paths).zip(served) {
        waits |= all.iter().any(|it| it.rules.wait());
        let count = counted(all.len() as u64, "operation");
        let name = binding(&description, port).name();
        lines.push(format!("{path}  {}", plain(&format!("{} in {name}, {count}", port.name))));
        let service = service(owner, port, all).at(path, binding(&description, port));
        let service = service.on_unknown(UnknownContent::Keep);
        let mut service = documents.describe(service);
        if let Some(guard) = &guard {
            service = service.ws_security(guard.clone());
        }
        for ((_, port), path) in ports.iter().zip(&paths) {
            service = service.located(documents.address_of(port), path);
        }
        server = server.service(service);
    }
    if waits {
        // What waits must not hold up others.
        let workers = Workers::Pool { threads: THREADS, queue: QUEUE, order: Order::FirstIn };
        server = server.config(Config { workers, ..Config::default() });
    }
    let running = server.start(&arguments.listen).map_err(|error| Fault::new(error.to_string()))?;
    for line in lines {
        print(&format!("http://{}{line}\n", running.address()))?;
    }
    running.wait();
    Ok(Ending::Right)
}

/// The rules that were given, and the folder of the answers.
fn answers(
    arguments: &SoapServeArguments,
    files: &Files<'_>,
) -> Result<(Script, Option<PathBuf>), Fault> {
    match &arguments.answers {
        Some(path) if path.is_file() => {
            let script = Script::read(path)?;
            let folder = script.folder().to_owned();
            Ok((script, Some(folder)))
        }
        Some(path) if !path.is_dir() => {
            Err(Fault::new(format!("{}: there is no such folder or file", path.display())))
        }
        Some(folder) => {
            answer::check_folder(folder, &files.names())?;
            Ok((Script::default(), Some(folder.clone())))
        }
        None => Ok((Script::default(), None)),
    }
}

/// Tells of a caller who is turned away.
fn refused(arrival: &Arrival<'_>, refusal: &Refusal) {
    remark(&format!("{} is turned away: {}", arrival.caller(), refusal.reason()));
}

/// The ports of SOAP with their services, or the port that was said.
fn ports<'a>(
    description: &'a Description,
    arguments: &SoapServeArguments,
) -> Vec<(&'a wsdl::Service, &'a Port)> {
    let said = |name: &str| arguments.port.as_ref().is_none_or(|it| it == name);
    let services = description.services().iter();
    let all = services.flat_map(|service| service.ports.iter().map(move |it| (service, it)));
    all.filter(|it| said(&it.1.name) && is_soap(&description.binding(it.1).protocol)).collect()
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

/// What is given for answers, and how requests are taken.
#[derive(Clone, Copy)]
struct Given<'a> {
    folder: Option<&'a Path>,
    files: &'a Files<'a>,
    script: &'a Script,
    arguments: &'a SoapServeArguments,
}

/// Is there an operation for every rule?
fn check_names(
    script: &Script,
    files: &Files<'_>,
    description: &Description,
    ports: &[(&wsdl::Service, &Port)],
) -> Result<(), Fault> {
    let operations = ports.iter().flat_map(|it| &description.binding(it.1).operations);
    let names: BTreeSet<String> =
        operations.flat_map(|it| [it.name.clone(), files.stem(it)]).collect();
    let wrong = script.operations().find(|it| !names.contains(it.1));
    let Some((place, wrong)) = wrong else { return Ok(()) };
    let meant = nearest(wrong, names.iter().map(String::as_str));
    let meant = meant.map(|it| format!("; did you mean {it}?")).unwrap_or_default();
    let names = listed(names.into_iter(), SHOWN);
    Err(Fault::new(format!(
        "{place}: the answers have no operation {wrong} to answer; there is {names}{meant}"
    )))
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

/// The operations of a port that are served, and the places of the others in its binding.
#[derive(Default)]
struct Operations {
    all: Vec<Served>,
    left_out: Vec<usize>,
}

/// The operations of a port, with their answers from a folder, or made up.
fn operations(
    description: &Arc<Description>,
    port: &Port,
    given: Given<'_>,
) -> Result<Operations, Fault> {
    let bound = description.binding(port);
    let mut found = Operations::default();
    for (index, operation) in bound.operations.iter().enumerate() {
        let why = match served(description, (bound, operation), given)? {
            Ok(served) => {
                let is_same = |it: &&Served| is_called_alike(&it.signature, &served.signature);
                let Some(other) = found.all.iter().find(is_same) else {
                    found.all.push(served);
                    continue;
                };
                format!("it has the element and the action of {}", other.signature.name())
            }
            Err(why) => why,
        };
        remark(&format!("{} is not served: {why}", operation.name));
        found.left_out.push(index);
    }
    match found.all.is_empty() {
        true => Err(Fault::new(format!("{}: none of its operations can be served", port.name))),
        false => Ok(found),
    }
}

/// Would the same request call both?
fn is_called_alike(one: &Signature, other: &Signature) -> bool {
    let has_element = |it| other.elements().contains(it);
    one.action() == other.action() && one.elements().iter().any(has_element)
}

/// An operation, or why it is not served.
fn served(
    description: &Arc<Description>,
    (bound, operation): (&Bound, &Operation),
    given: Given<'_>,
) -> Result<Result<Served, String>, Fault> {
    let (request, response) = match messages(description, bound, operation) {
        Ok(messages) => messages,
        Err(why) => return Ok(Err(why)),
    };
    if operation.request.is_none() {
        return Ok(Err("the service would begin it".to_owned()));
    }
    let admission = (&request, headers(operation));
    let admission =
        Admission::new(&operation.name, description, admission, given.arguments.lenient);
    let (layout, options) = &request;
    let action = operation.action.clone().unwrap_or_default();
    // A service has no two operations of one name.
    let stem = given.files.stem(operation);
    let is_alone = bound.operations.iter().filter(|it| it.name == operation.name).count() == 1;
    let name = if is_alone { &operation.name } else { &stem };
    let mut signature = match Signature::new(name, &action, (layout, options)) {
        Ok(signature) => signature,
        Err(error) => return Ok(Err(error.to_string())),
    };
    let mut answer = Answer::Nothing;
    if let Some(message @ (layout, options)) = &response {
        signature = match signature.answered((layout, options)) {
            Ok(signature) => signature,
            Err(error) => return Ok(Err(error.to_string())),
        };
        answer = answer::of(description, operation, message, (given.folder, given.files))?;
    }
    let names = [&*operation.name, &*stem];
    let rules =
        given.script.of(description, (bound, operation, names), &request, response.as_ref())?;
    let documentation = operation.documentation.clone();
    Ok(Ok(Served { signature, answer, rules, admission, documentation }))
}

/// The header blocks that it understands.
fn headers(operation: &Operation) -> Vec<QName> {
    let name = |header: &wsdl::Header| match header.part.element() {
        None => QName::new(&*header.namespace, &*header.part.name),
        Some(name) => QName::new(&*name.namespace, &*name.local),
    };
    operation.request.iter().flat_map(|it| &it.headers).map(name).collect()
}

/// What an operation takes, and what it answers if it does.
fn messages(
    description: &Description,
    bound: &Bound,
    operation: &Operation,
) -> Result<(Form, Option<Form>), String> {
    let version = match bound.protocol {
        Protocol::Soap12 => Version::Soap12,
        _ => Version::Soap11,
    };
    let form = |it: Option<Described>| match it {
        Some(it) => (Arc::new(it.layout), it.options),
        None => (Nothing::layout().clone(), Nothing::options(version)),
    };
    let request = description.request(bound, operation).map_err(|it| it.to_string())?;
    let response = description.response(bound, operation).map_err(|it| it.to_string())?;
    Ok((form(request), operation.response.is_some().then(|| form(response))))
}

/// The service of a port.
fn service(owner: &wsdl::Service, port: &Port, all: Vec<Served>) -> Service {
    let namespace = &*owner.name.namespace;
    let namespace = if namespace.is_empty() { "urn:none" } else { namespace };
    let mut service = Service::new(&port.name, namespace);
    if !owner.documentation.is_empty() {
        service = service.documentation(&owner.documentation);
    }
    let mut admissions = HashMap::new();
    for Served { signature, answer, rules, admission, documentation } in all {
        let admission = Arc::new(admission);
        for QName { namespace, local } in admission.headers() {
            service = service.understands(namespace, local);
        }
        admissions.insert(signature.name().to_owned(), admission.clone());
        let admitted = move |request: &Record| {
            admission.admit(request)?;
            rules.answer(request).map(|it| it.cloned())
        };
        service = match answer {
            Answer::Nothing => {
                service.record_one_way(&signature, move |request| admitted(&request).map(|_| ()))
            }
            answer => service.record_operation(
                &signature,
                move |request: &mut Record, response: &mut Record, _: &mut Context| {
                    match (admitted(request)?, &answer) {
                        (Some(scripted), _) => *response = scripted,
                        (None, Answer::Canned(canned)) => response.clone_from(canned),
                        (None, Answer::Missing(why)) => {
                            return Err(soap::Fault::receiver(why.clone()));
                        }
                        (None, Answer::Nothing) => {}
                    }
                    Ok(())
                },
            ),
        };
        if !documentation.is_empty() {
            service = service.operation_documentation(&documentation);
        }
    }
    service.inspect(move |document, context| match admissions.get(context.operation()) {
        Some(admission) => admission.inspect(document, context),
        None => Ok(()),
    })
}

/// Writes the answers that would be made up, for somebody to change; those that are there stay.
fn write_answers(
    description: &Description,
    ports: &[(&wsdl::Service, &Port)],
    (folder, files): (&Path, &Files<'_>),
) -> Result<Ending, Fault> {
    std::fs::create_dir_all(folder).map_err(|cause| of_file(folder, &cause))?;
    let mut seen = HashSet::new();
    for (_, port) in ports {
        let bound = description.binding(port);
        for operation in bound.operations.iter().filter(|it| seen.insert(files.stem(it))) {
            let response = match messages(description, bound, operation) {
                Ok((_, response)) => response,
                Err(why) => {
                    remark(&format!("{}: {why}", operation.name));
                    continue;
                }
            };
            let is_empty = |it: &Layout| it.scope(ScopeId(0)).fields.is_empty();
            let Some(form) = response.filter(|it| !is_empty(&it.0)) else { continue };
            let text = answer::made_up(description, &form).and_then(|made| {
                made.note.iter().for_each(|it| remark(&format!("{}: {it}", operation.name)));
                to_json(&form.0, &made.record).map_err(|it| it.to_string())
            });
            let text = match text {
                Ok(text) => text + "\n",
                Err(why) => {
                    remark(&format!("{}: no answer can be made up: {why}", operation.name));
                    continue;
                }
            };
            let path = folder.join(format!("{}.json", files.stem(operation)));
            match answer::write_new(&path, &text) {
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
