//! What is called, of IDL and of WSDL: interfaces, and the layouts of what their operations take and answer.

use std::collections::HashMap;

use trunkline_import::wsdl::{self, Protocol};
use trunkline_import::{Problem, idl};
use trunkline_message::{Layout, TypeId};
use trunkline_soap as soap;

use crate::LeftOut;

/// All interfaces of a description.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    pub(crate) interfaces: Vec<Interface>,
    pub(crate) layouts: Vec<Layout>,
    /// The element that each layout is, if it is one.
    pub(crate) elements: Vec<Option<Element>>,
    /// What IDL calls the types of each layout.
    pub(crate) declared: Vec<HashMap<TypeId, String>>,
}

#[derive(Debug)]
pub(crate) struct Element {
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) is_nillable: bool,
}

#[derive(Debug)]
pub(crate) struct Interface {
    /// The module or namespace in which it is; empty for none.
    pub(crate) scope: String,
    pub(crate) name: String,
    /// Of WSDL, the name of the service whose port it is; else its own.
    pub(crate) service: String,
    /// Of WSDL, the name of the binding.
    pub(crate) binding: Option<String>,
    /// More ports of this binding, which are not among the interfaces.
    pub(crate) more_ports: Vec<String>,
    /// The names of interfaces whose operations it has.
    pub(crate) bases: Vec<String>,
    /// What it binds; those of one such are one interface in several versions of SOAP. Empty for none.
    pub(crate) port_type: String,
    /// Where it is, if that is said.
    pub(crate) address: String,
    pub(crate) is_soap12: bool,
    /// It is of an included file: others may inherit from it.
    pub(crate) is_included: bool,
    pub(crate) calls: Vec<Call>,
}

/// An operation; layouts are by their places.
#[derive(Debug)]
pub(crate) struct Call {
    /// Of an attribute, behind `_get_` or `_set_`.
    pub(crate) name: String,
    pub(crate) action: String,
    /// The names of both messages, as far as WSDL has them.
    pub(crate) messages: [Option<String>; 2],
    /// What it takes and answers; none if that is nothing.
    pub(crate) request: Option<usize>,
    pub(crate) reply: Option<usize>,
    /// Does anything come back?
    pub(crate) is_answered: bool,
    /// Names and layouts.
    pub(crate) faults: Vec<(String, usize)>,
    /// Header blocks of requests and of answers.
    pub(crate) headers: [Vec<usize>; 2],
    /// Directions and names of parameters, which are members of what it takes or answers; none if those are one each.
    pub(crate) parameters: Option<Vec<(&'static str, String)>>,
}

impl Interface {
    /// With its modules, as IDL writes it.
    pub(crate) fn full_name(&self) -> String {
        match &*self.scope {
            "" => self.name.clone(),
            scope => format!("{scope}::{}", self.name),
        }
    }
}

impl Calls {
    fn add(&mut self, specification: &idl::Specification, of: idl::Declared) -> usize {
        self.declared.push(names_of(specification, &of));
        self.layouts.push(of.layout);
        self.elements.push(None);
        self.layouts.len() - 1
    }

    fn add_element(&mut self, described: wsdl::Described) -> usize {
        let soap::Options { namespace, operation: name, nillable: is_nillable, .. } =
            described.options;
        self.layouts.push(described.layout);
        self.declared.push(HashMap::new());
        self.elements.push(Some(Element { namespace, name, is_nillable }));
        self.layouts.len() - 1
    }

    /// What an interface has, first that of the interfaces that it inherits from, each once.
    pub(crate) fn all_of<'a>(&'a self, interface: &'a Interface) -> Vec<&'a Call> {
        let mut from = Vec::new();
        self.add_bases(interface, &mut from);
        from.iter().flat_map(|it| &it.calls).collect()
    }

    fn add_bases<'a>(&'a self, interface: &'a Interface, all: &mut Vec<&'a Interface>) {
        // One that several inherit from is looked into once.
        if all.iter().any(|it| std::ptr::eq(*it, interface)) {
            return;
        }
        for name in &interface.bases {
            if let Some(base) = self.interfaces.iter().find(|it| it.full_name() == *name) {
                self.add_bases(base, all);
            }
        }
        all.push(interface);
    }

    /// The interfaces of a file of IDL.
    pub(crate) fn of_idl(specification: &idl::Specification, left_out: &mut Vec<LeftOut>) -> Self {
        Self::of_declared(specification, left_out, |it| it.is_main)
    }

    /// The same, and those of included files, from which they may inherit.
    pub(crate) fn of_idl_with_included(
        specification: &idl::Specification,
        left_out: &mut Vec<LeftOut>,
    ) -> Self {
        Self::of_declared(specification, left_out, |_| true)
    }

    fn of_declared(
        specification: &idl::Specification,
        left_out: &mut Vec<LeftOut>,
        is_taken: impl Fn(&idl::Declaration) -> bool,
    ) -> Self {
        let mut calls = Self::default();
        let all = specification.calls();
        for (index, declaration) in specification.declarations().iter().enumerate() {
            let idl::Body::Interface(body) = &declaration.body else { continue };
            if !is_taken(declaration) {
                continue;
            }
            let (scope, name) = parts(&declaration.name);
            let base = |it: &idl::DeclarationId| {
                specification.declaration(specification.resolved(*it)).name.clone()
            };
            let mut interface = Interface {
                scope,
                service: name.clone(),
                name,
                binding: None,
                more_ports: Vec::new(),
                bases: body.bases.iter().map(base).collect(),
                port_type: String::new(),
                address: String::new(),
                is_soap12: false,
                is_included: !declaration.is_main,
                calls: Vec::new(),
            };
            for call in all.iter().filter(|it| it.interface.0 == index) {
                match calls.call_of_idl(specification, body, call) {
                    Ok(call) => interface.calls.push(call),
                    Err(why) if declaration.is_main => left_out.push(LeftOut {
                        what: format!("{}::{}", declaration.name, call.name),
                        why: why.to_string(),
                    }),
                    // It is told of its own file.
                    Err(_) => {}
                }
            }
            calls.interfaces.push(interface);
        }
        calls
    }

    fn call_of_idl(
        &mut self,
        specification: &idl::Specification,
        interface: &idl::Interface,
        call: &idl::Call,
    ) -> Result<Call, Problem> {
        let operation = interface.contents.iter().find_map(|it| match it {
            idl::Content::Operation(it) if it.name == call.name => Some(it),
            _ => None,
        });
        let request = specification.declared_request(call)?;
        let reply = specification.declared_reply(call)?;
        let raises = operation.map(|it| &*it.raises).unwrap_or_default();
        let mut faults = Vec::new();
        for raised in raises {
            let name = specification.declaration(*raised).name.clone();
            let raised = specification.declared(*raised)?;
            faults.push((name, self.add(specification, raised)));
        }
        let parameters = operation
            .map(|it| it.parameters.iter().map(|it| (it.direction, it.name.clone())).collect());
        Ok(Call {
            name: call.name.clone(),
            action: String::new(),
            messages: Default::default(),
            request: request.map(|it| self.add(specification, it)),
            reply: reply.map(|it| self.add(specification, it)),
            is_answered: operation.is_none_or(|it| !it.is_oneway),
            faults,
            headers: Default::default(),
            parameters,
        })
    }

    /// The bindings of SOAP, each of which is an interface.
    pub(crate) fn of_services(services: &wsdl::Description, left_out: &mut Vec<LeftOut>) -> Self {
        let mut calls = Self::default();
        for (index, binding) in services.bindings().iter().enumerate() {
            if !matches!(binding.protocol, Protocol::Soap11 | Protocol::Soap12) {
                continue;
            }
            let ports = services
                .services()
                .iter()
                .flat_map(|service| service.ports.iter().map(|port| (&*service.name.local, port)));
            let mut ports = ports.filter(|it| it.1.binding == index);
            let (service, port) = ports.next().unzip();
            let own = binding.name.local.to_string();
            let mut interface = Interface {
                scope: binding.name.namespace.to_string(),
                name: port.map_or_else(|| own.clone(), |it| it.name.clone()),
                service: service.map_or_else(|| own.clone(), str::to_owned),
                binding: Some(own),
                more_ports: ports.map(|it| format!("{}::{}", it.0, it.1.name)).collect(),
                bases: Vec::new(),
                port_type: binding.port_type.to_string(),
                address: port.and_then(|it| it.address.clone()).unwrap_or_default(),
                is_soap12: binding.protocol == Protocol::Soap12,
                is_included: false,
                calls: Vec::new(),
            };
            for operation in &binding.operations {
                match calls.call_of_service(services, binding, operation) {
                    Ok(call) => interface.calls.push(call),
                    Err(why) => left_out.push(LeftOut {
                        what: format!("the operation {} of {}", operation.name, binding.name.local),
                        why: why.to_string(),
                    }),
                }
            }
            calls.interfaces.push(interface);
        }
        calls
    }

    fn call_of_service(
        &mut self,
        services: &wsdl::Description,
        binding: &wsdl::Binding,
        operation: &wsdl::Operation,
    ) -> Result<Call, Problem> {
        let request = services.request(binding, operation)?;
        let reply = services.response(binding, operation)?;
        let mut faults = Vec::new();
        for fault in &operation.faults {
            if let Some(detail) = services.fault(binding, fault)? {
                faults.push((fault.name.clone(), self.add_element(detail)));
            }
        }
        let mut headers: [Vec<usize>; 2] = Default::default();
        for (at, message) in [&operation.request, &operation.response].into_iter().enumerate() {
            for header in message.iter().flat_map(|it| &it.headers) {
                let block = services.header(binding, header)?;
                headers[at].push(self.add_element(block));
            }
        }
        Ok(Call {
            name: operation.name.clone(),
            action: operation.action.clone().unwrap_or_default(),
            messages: [&operation.request, &operation.response]
                .map(|it| it.as_ref().map(|it| it.name.local.to_string())),
            request: request.map(|it| self.add_element(it)),
            reply: reply.map(|it| self.add_element(it)),
            is_answered: operation.response.is_some(),
            faults,
            headers,
            parameters: None,
        })
    }
}

/// What IDL calls the types of a layout that it declares.
pub(crate) fn names_of(
    specification: &idl::Specification,
    of: &idl::Declared,
) -> HashMap<TypeId, String> {
    let named = |(of, id): (&TypeId, &idl::DeclarationId)| {
        (*of, specification.declaration(*id).name.clone())
    };
    of.types.iter().map(named).collect()
}

/// The modules around a name, and its last step.
pub(crate) fn parts(name: &str) -> (String, String) {
    let (scope, name) = name.rsplit_once("::").unwrap_or(("", name));
    (scope.to_owned(), name.to_owned())
}
