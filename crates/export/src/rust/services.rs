//! Clients and services of WSDL, and of the interfaces of IDL as `--wsdl` writes them.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::Arc;

use trunkline_import::idl;
use trunkline_import::wsdl::{Binding, Described, Description, Operation, Protocol};
use trunkline_message::Layout;
use trunkline_soap as soap;

use super::declaration::Declarations;
use super::names::Taken;
use super::{one_line, written};
use crate::calls::{self, Calls};
use crate::types::Graph;
use crate::{LeftOut, Written, wsdl};

/// A way to call a service.
struct Interface {
    /// That of its port or, if it has none, of its binding; of IDL its own.
    name: String,
    /// What it is, for people.
    title: String,
    /// What its binding is called, or itself of IDL.
    label: String,
    namespace: String,
    address: String,
    is_soap12: bool,
    /// Members are in the namespace of their element, since notes do not say in which: those of IDL.
    is_qualified: bool,
    operations: Vec<Called>,
}

/// An operation.
struct Called {
    /// What it is called, and no other of the interface.
    name: String,
    action: String,
    /// The first element in the Body of a request, by which it is known, or one of several: a namespace and a name, both empty
    /// if there is none.
    first: Vec<(String, String)>,
    style: soap::Style,
    request: Message,
    reply: Option<Message>,
    /// What faults may have as their details.
    details: Vec<usize>,
    /// Header blocks of requests.
    blocks: Vec<(String, String)>,
}

impl Called {
    /// Itself, if a service knows it from these when it is called.
    fn told_from(self, others: &[Self]) -> Result<Self, String> {
        if self.request.root.is_none() && self.action.is_empty() {
            let why =
                "nothing in the Body of a request says that it is called, and no action of its own";
            return Err(why.to_owned());
        }
        let is_same = |it: &&Self| {
            it.action == self.action && it.first.iter().any(|first| self.first.contains(first))
        };
        match others.iter().find(is_same) {
            None => Ok(self),
            Some(other) => Err(format!(
                "its requests begin as those of {} do, and have the same action",
                other.name
            )),
        }
    }
}

/// A message.
#[derive(Clone)]
struct Message {
    /// Its place among all; none of one that is nothing.
    root: Option<usize>,
    /// Its element: a namespace and a name. None where it is the Body itself.
    element: Option<(String, String)>,
    /// May that be nil?
    is_nillable: bool,
}

/// What is not in the Body.
const NOTHING: Message = Message { root: None, element: None, is_nillable: false };

/// The messages of all operations.
#[derive(Default)]
struct Messages {
    layouts: Vec<Layout>,
    titles: Vec<String>,
    left_out: Vec<LeftOut>,
}

impl Messages {
    fn add(&mut self, described: Described, title: String) -> Message {
        let soap::Options { layout, namespace, operation, nillable, .. } = described.options;
        self.layouts.push(described.layout);
        self.titles.push(title);
        let element = (layout != soap::Layout::Body).then_some((namespace, operation));
        Message { root: Some(self.layouts.len() - 1), element, is_nillable: nillable }
    }
}

/// The messages of a WSDL, with a client and a service for each binding of SOAP.
pub(super) fn module(file: &str, description: &Description) -> Written {
    let mut messages = Messages::default();
    let interfaces: Vec<Interface> = description
        .bindings()
        .iter()
        .enumerate()
        .filter(|it| matches!(it.1.protocol, Protocol::Soap11 | Protocol::Soap12))
        .map(|(index, binding)| interface(description, index, binding, &mut messages))
        .collect();
    print(file, messages, &interfaces, false)
}

/// The messages of a file of IDL, with a client and a service for each interface.
pub(super) fn module_of_idl(
    file: &str,
    specification: &idl::Specification,
    all: crate::Messages,
) -> Written {
    let mut messages = Messages::default();
    for it in all.messages {
        messages.layouts.push(it.layout);
        messages.titles.push(format!("`{}` of IDL.", it.name));
    }
    messages.left_out = all.left_out;
    let calls = Calls::of_idl_with_included(specification, &mut messages.left_out);
    let interfaces = calls.interfaces.iter().filter(|it| !it.is_included);
    let interfaces: Vec<_> =
        interfaces.map(|it| interface_of_idl(&calls, it, &mut messages)).collect();
    print(file, messages, &interfaces, true)
}

/// The messages, and behind them clients and services. What has no form is told of operations, or of messages as well.
fn print(
    file: &str,
    messages: Messages,
    interfaces: &[Interface],
    tells_messages: bool,
) -> Written {
    let Messages { layouts, titles, mut left_out } = messages;
    let layouts: Vec<&Layout> = layouts.iter().collect();
    let graph = Graph::of(&layouts);
    let titles: Vec<&str> = titles.iter().map(|it| &**it).collect();
    let mut declarations = Declarations::new(&graph, &titles);
    if tells_messages {
        left_out.extend(declarations.left_out());
    }
    let mut taken = std::mem::take(&mut declarations.taken);
    let (mut behind, mut functions) = (String::new(), Taken::default());
    for interface in interfaces {
        let mut printer = Printer::new(interface, &declarations, &mut taken, &mut functions);
        printer.print(&mut left_out);
        behind.push_str(&printer.out);
    }
    // One that takes and answers nothing needs no types.
    let is_something = usize::from(!behind.is_empty());
    let written = written(file, &declarations, behind, left_out);
    Written { count: written.count.max(is_something), ..written }
}

/// An interface of IDL, as a service of which [`crate::wsdl`] writes the WSDL.
fn interface_of_idl(
    calls: &Calls,
    interface: &calls::Interface,
    messages: &mut Messages,
) -> Interface {
    let mut operations = Vec::new();
    for call in calls.all_of(interface) {
        let mut add = |at: usize, element: String, title: String| {
            messages.layouts.push(calls.layouts[at].clone());
            messages.titles.push(title);
            let element = Some((wsdl::NAMESPACE.to_owned(), element));
            Message { root: Some(messages.layouts.len() - 1), element, is_nillable: false }
        };
        let name = &call.name;
        let nothing = |element: &str| Message {
            element: Some((wsdl::NAMESPACE.to_owned(), element.to_owned())),
            ..NOTHING
        };
        let takes = format!("What `{name}` takes.");
        let request = call.request.map_or_else(|| nothing(name), |it| add(it, name.clone(), takes));
        let response = format!("{name}Response");
        let reply = call.is_answered.then(|| match call.reply {
            Some(at) => add(at, response, format!("What `{name}` answers.")),
            None => nothing(&response),
        });
        let details = call.faults.iter().filter_map(|(exception, at)| {
            let title = format!("The detail of the fault `{exception}` of `{name}`.");
            add(*at, exception.clone(), title).root
        });
        operations.push(Called {
            details: details.collect(),
            name: name.clone(),
            action: String::new(),
            first: request.element.iter().cloned().collect(),
            style: soap::Style::DocumentLiteral,
            request,
            reply,
            blocks: Vec::new(),
        });
    }
    let own = interface.full_name();
    Interface {
        name: interface.name.clone(),
        title: format!("the interface `{own}`"),
        label: own,
        namespace: wsdl::NAMESPACE.to_owned(),
        address: wsdl::address(interface),
        is_soap12: false,
        is_qualified: true,
        operations,
    }
}

fn interface(
    description: &Description,
    index: usize,
    binding: &Binding,
    messages: &mut Messages,
) -> Interface {
    let mut ports = description.services().iter().flat_map(|service| {
        service.ports.iter().filter(|it| it.binding == index).map(move |it| (service, it))
    });
    let first = ports.next();
    let name = &binding.name;
    let namespace = &first.map_or(name, |it| &it.0.name).namespace;
    let mut interface = Interface {
        name: first.map_or_else(|| name.local.to_string(), |it| it.1.name.clone()),
        title: match first {
            Some((service, port)) => {
                format!("the port `{}` of the service `{}`", port.name, service.name.local)
            }
            None => format!("the binding `{}`", name.local),
        },
        label: name.local.to_string(),
        namespace: if namespace.is_empty() { "urn:none".to_owned() } else { namespace.to_string() },
        address: first.and_then(|it| it.1.address.clone()).unwrap_or_default(),
        is_soap12: binding.protocol == Protocol::Soap12,
        is_qualified: false,
        operations: Vec::new(),
    };
    for operation in &binding.operations {
        let called = called(description, binding, operation, messages);
        match called.and_then(|it| it.told_from(&interface.operations)) {
            Ok(called) => interface.operations.push(called),
            Err(why) => {
                let what = format!("the operation {} of {}", operation.name, binding.name.local);
                messages.left_out.push(LeftOut { what, why });
            }
        }
    }
    interface
}

fn called(
    description: &Description,
    binding: &Binding,
    operation: &Operation,
    messages: &mut Messages,
) -> Result<Called, String> {
    let name = &operation.name;
    if operation.request.is_none() {
        return Err("it has no request: the service would be the one that calls".to_owned());
    }
    let request = description.request(binding, operation).map_err(|it| it.to_string())?;
    let response = description.response(binding, operation).map_err(|it| it.to_string())?;
    let first = request.as_ref().map_or(Ok(vec![Default::default()]), first)?;
    response.as_ref().map_or(Ok(()), |it| plan(it).map(|_| ()))?;
    let style = request.as_ref().or(response.as_ref()).map(|it| it.options.style);
    let style = style.unwrap_or(soap::Style::DocumentLiteral);
    let takes = |it| messages.add(it, format!("What `{name}` takes."));
    let request = request.map_or(NOTHING, takes);
    let answers = |it| messages.add(it, format!("What `{name}` answers."));
    let reply = operation.response.is_some().then(|| response.map_or(NOTHING, answers));
    let mut details = Vec::new();
    for fault in &operation.faults {
        match description.fault(binding, fault) {
            Ok(Some(detail)) => {
                let title = format!("The detail of the fault `{}` of `{name}`.", fault.name);
                details.extend(messages.add(detail, title).root);
            }
            Ok(None) => {}
            Err(problem) => messages.left_out.push(LeftOut {
                what: format!("the fault {} of {name}", fault.name),
                why: problem.to_string(),
            }),
        }
    }
    let mut blocks = Vec::new();
    let sent = operation.request.iter().flat_map(|it| &it.headers).map(|it| (it, true));
    let answered = operation.response.iter().flat_map(|it| &it.headers).map(|it| (it, false));
    for (header, is_sent) in sent.chain(answered) {
        match description.header(binding, header) {
            Ok(described) => {
                let title = format!("The header block `{}` of `{name}`.", header.part.name);
                let element = messages.add(described, title).element;
                blocks.extend(element.filter(|_| is_sent));
            }
            Err(problem) => messages.left_out.push(LeftOut {
                what: format!("the header block {} of {name}", header.part.name),
                why: problem.to_string(),
            }),
        }
    }
    let action = operation.action.clone().unwrap_or_default();
    Ok(Called { name: name.clone(), action, first, style, request, reply, details, blocks })
}

fn plan(described: &Described) -> Result<Arc<soap::Plan>, String> {
    let layout = Arc::new(described.layout.clone());
    soap::Plan::new(&layout, &described.options).map_err(|it| it.to_string())
}

/// The first element in the Body of a request, one of these.
fn first(described: &Described) -> Result<Vec<(String, String)>, String> {
    let plan = plan(described)?;
    let elements = plan.elements();
    // Of a Body of which it is not known how it begins the plan names the Body.
    if described.options.layout == soap::Layout::Body
        && elements.iter().any(|it| ENVELOPES.contains(&it.0))
    {
        return Err(
            "its requests begin with elements of any name, or with none, and a service knows it by one"
                .to_owned(),
        );
    }
    Ok(elements.into_iter().map(|it| (it.0.to_owned(), it.1.to_owned())).collect())
}

const ENVELOPES: [&str; 2] =
    ["http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope"];

/// Prints one interface.
struct Printer<'a> {
    interface: &'a Interface,
    declarations: &'a Declarations<'a>,
    /// The trait of its service, and the struct of its client.
    service: String,
    client: String,
    /// The module of its signatures.
    module: String,
    /// The function that makes the service.
    function: String,
    out: String,
}

impl<'a> Printer<'a> {
    fn new(
        interface: &'a Interface,
        declarations: &'a Declarations<'a>,
        types: &mut Taken,
        functions: &mut Taken,
    ) -> Self {
        let name = &interface.name;
        Self {
            interface,
            declarations,
            service: types.camel(&format!("{name}-Service"), "A"),
            client: types.camel(&format!("{name}-Client"), "A"),
            module: functions.snake(&format!("{name}-signatures"), "a"),
            function: functions.snake(&format!("{name}-service"), "a"),
            out: String::new(),
        }
    }

    fn print(&mut self, left_out: &mut Vec<LeftOut>) {
        let label = &self.interface.label;
        let mut methods = Methods::default();
        for called in &self.interface.operations {
            let roots = [Some(&called.request), called.reply.as_ref()];
            let mut roots = roots.into_iter().flatten().filter_map(|it| it.root);
            let why = roots.find_map(|it| self.declarations.problem(it));
            match why {
                None => methods.add(called),
                Some(why) => left_out.push(LeftOut {
                    what: format!("the operation {} of {label}", called.name),
                    why: why.to_owned(),
                }),
            }
        }
        if !methods.0.is_empty() {
            self.client(&methods);
            self.service(&methods);
            self.signatures(&methods);
        }
    }

    fn type_of(&self, message: &Message) -> Cow<'a, str> {
        let root = message.root.map(|it| self.declarations.message(it).unwrap_or_default());
        match (root, message.is_nillable) {
            (Some(name), true) => Cow::Owned(format!("Option<{name}>")),
            (name, _) => Cow::Borrowed(name.unwrap_or("soap::Nothing")),
        }
    }

    fn binding(&self, style: soap::Style) -> String {
        let style = match style {
            soap::Style::DocumentLiteral => "document_literal",
            soap::Style::DocumentEncoded => "document_encoded",
            soap::Style::RpcLiteral => "rpc_literal",
            soap::Style::RpcEncoded => "rpc_encoded",
        };
        let version = if self.interface.is_soap12 { ".soap12()" } else { "" };
        format!("soap::Binding::{style}(){version}")
    }

    fn client(&mut self, methods: &Methods<'_>) {
        let Interface { title, namespace, address, .. } = self.interface;
        let (client, module) = (&self.client, &self.module);
        let binding = self.binding(methods.0[0].1.style);
        let mut out = format!(
            "
/// A client of {title}.
#[derive(Debug)]
pub struct {client}(soap::Client);

impl {client} {{
    /// Where the description says that the service is.
    pub const ADDRESS: &str = {address:?};

    /// A client of the service at a URL. It connects with the first call.
    ///
    /// # Errors
    /// The URL is not valid.
    pub fn new(url: &str) -> Result<Self, soap::CallError> {{
        let config = soap::ClientConfig::default();
        soap::Client::with(url, {namespace:?}, {binding}, config).map(Self)
    }}

    /// Calls by a client that was made by other means.
    pub fn of(client: soap::Client) -> Self {{
        Self(client)
    }}

    /// The client underneath: header blocks, profile.
    pub fn client(&mut self) -> &mut soap::Client {{
        &mut self.0
    }}
",
            title = one_line(title),
        );
        for (method, called) in &methods.0 {
            let request = self.type_of(&called.request);
            let reply = called.reply.as_ref().map_or("()".into(), |it| self.type_of(it));
            let call = if called.reply.is_some() { "call_as" } else { "send_as" };
            let _ = write!(
                out,
                "
    /// `{name}`{details}.
    ///
    /// # Errors
    /// The service's fault, or the reason why there is no reply.
    pub fn {method}(&mut self, request: &{request}) -> Result<{reply}, soap::CallError> {{
        self.0.{call}({module}::{method}(), request)
    }}
",
                name = one_line(&called.name),
                details = self.details(called),
            );
        }
        out.push_str("}\n");
        self.out.push_str(&out);
    }

    /// What its faults may hold, for people.
    fn details(&self, called: &Called) -> String {
        let names = called.details.iter().filter_map(|it| self.declarations.message(*it));
        let names: Vec<String> = names.map(|it| format!("`{it}`")).collect();
        match names.is_empty() {
            true => String::new(),
            false => format!(", whose faults may have as detail {}", names.join(", ")),
        }
    }

    fn service(&mut self, methods: &Methods<'_>) {
        let (service, function, client) = (&self.service, &self.function, &self.client);
        let Interface { name, namespace, address, .. } = self.interface;
        let (title, module) = (one_line(&self.interface.title), &self.module);
        let mut out = format!(
            "\n/// What answers at {title}.\npub trait {service}: Send + Sync + 'static {{\n"
        );
        let mut operations = String::new();
        for (index, (method, called)) in methods.0.iter().enumerate() {
            let request = self.type_of(&called.request);
            let reply = called.reply.as_ref().map_or("()".into(), |it| self.type_of(it));
            let (context, given, add) = match called.reply.is_some() {
                true => (", context: &mut soap::Context", ", context", "operation_as"),
                false => ("", "", "one_way_as"),
            };
            let _ = write!(
                out,
                "{}    /// `{name}`{details}.
    ///
    /// # Errors
    /// The fault that the caller gets.
    fn {method}(&self, request: {request}{context}) -> Result<{reply}, soap::Fault>;
",
                if index > 0 { "\n" } else { "" },
                name = one_line(&called.name),
                details = self.details(called),
            );
            let _ = write!(
                operations,
                "    let own = std::sync::Arc::clone(&answers);
    let service = service.{add}({module}::{method}(), move |request: {request}{context}| {{
        own.{method}(request{given})
    }});
"
            );
            for (namespace, local) in &called.blocks {
                let _ = writeln!(
                    operations,
                    "    let service = service.understands({namespace:?}, {local:?});"
                );
            }
        }
        let binding = self.binding(methods.0[0].1.style);
        let _ = write!(
            out,
            "}}

/// The service that answers so. Clients get this WSDL, with its own address in place of that in it:
/// `include_str!(...)`.
pub fn {function}(answers: impl {service}, wsdl: &str) -> soap::Service {{
    let answers = std::sync::Arc::new(answers);
    let service = soap::Service::new({name:?}, {namespace:?});
    let service = service.described_at(wsdl, {client}::ADDRESS);
{operations}    service.at({path:?}, {binding})
}}
",
            path = path(address),
        );
        self.out.push_str(&out);
    }

    /// How messages look on the wire.
    fn signatures(&mut self, methods: &Methods<'_>) {
        let mut out = format!(
            "\n/// The operations of {} as they look on the wire.\nmod {} {{\n    use super::*;\n",
            one_line(&self.interface.title),
            self.module
        );
        for (method, called) in &methods.0 {
            let binding = self.binding(called.style);
            let (label, action) = (methods.label(called), &called.action);
            let request = self.type_of(&called.request);
            let signature = match &called.request.element {
                Some((namespace, element)) if self.interface.is_qualified => format!(
                    "let options = binding.options({namespace:?}, {element:?});
            let layout = <{request} as trunkline_message::Structure>::layout();
            let signature = soap::Signature::new(name, action, (layout, &options));"
                ),
                Some(element) => format!(
                    "let element = {element:?};
            let signature = soap::Signature::of::<{request}>(name, action, binding, element);"
                ),
                None => format!(
                    "let signature = soap::Signature::of_body::<{request}>(name, action, binding);"
                ),
            };
            let _ = write!(
                out,
                "
    pub(super) fn {method}() -> &'static soap::Signature {{
        static SIGNATURE: std::sync::OnceLock<soap::Signature> = std::sync::OnceLock::new();
        SIGNATURE.get_or_init(|| {{
            let binding = {binding};
            let (name, action) = ({label:?}, {action:?});
            {signature}
"
            );
            if let Some(reply) = &called.reply {
                let answer = self.type_of(reply);
                let (before, answered) = match &reply.element {
                    Some((namespace, element)) if self.interface.is_qualified => (
                        format!(
                            "            let options = binding.options({namespace:?}, {element:?});
            let layout = <{answer} as trunkline_message::Structure>::layout();\n"
                        ),
                        "answered((layout, &options))".to_owned(),
                    ),
                    Some(element) => (
                        format!("            let element = {element:?};\n"),
                        format!("answered_by::<{answer}>(binding, element)"),
                    ),
                    None => (String::new(), format!("answered_by_body::<{answer}>(binding)")),
                };
                let _ = writeln!(
                    out,
                    "{before}            let signature = signature.and_then(|it| it.{answered});"
                );
            }
            out.push_str(
                "            signature.expect(\"its messages have a form\")\n        })\n    }\n",
            );
        }
        out.push_str("}\n");
        self.out.push_str(&out);
    }
}

/// The operations that are written, each with the name of its method.
struct Methods<'a>(Vec<(String, &'a Called)>, Taken);

impl Default for Methods<'_> {
    fn default() -> Self {
        let mut taken = Taken::default();
        // Those that a client has anyway.
        ["new", "of", "client"].iter().for_each(|it| _ = taken.snake(it, "call"));
        Self(Vec::new(), taken)
    }
}

impl<'a> Methods<'a> {
    fn add(&mut self, called: &'a Called) {
        let method = self.1.snake(&called.name, "call");
        self.0.push((method, called));
    }

    /// A name that no other operation has: several may have one in WSDL.
    fn label(&self, called: &Called) -> String {
        let before = self.0.iter().take_while(|it| !std::ptr::eq(it.1, called));
        match before.filter(|it| it.1.name == called.name).count() {
            0 => called.name.clone(),
            count => format!("{}_{}", called.name, count + 1),
        }
    }
}

/// The path of an address; that of one without is all of it.
fn path(address: &str) -> &str {
    let behind = address.split_once("://").map_or("", |it| it.1);
    let path = behind.find('/').map_or("/", |it| &behind[it..]);
    let path = path.split(['?', '#']).next().unwrap_or_default();
    if path.contains(' ') { "/" } else { path }
}
