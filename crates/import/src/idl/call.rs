//! What is called over GIOP: operations, and the getters and setters of attributes, each with the members of what it
//! takes and of what it answers.

use trunkline_message::Layout;

use super::declaration::{Body, Content, Declaration, Interface, Member, Operation, Type, Typed};
use super::{DeclarationId, Declared, Specification, layout};
use crate::problem::{Place, Problem};

/// Something that is called.
#[derive(Clone, Debug)]
pub struct Call {
    /// Its name in messages: the operation's, or `_get_` or `_set_` before the attribute's.
    pub name: String,
    /// The interface that declares it.
    pub interface: DeclarationId,
    place: Place,
    takes: Vec<Member>,
    answers: Vec<Member>,
}

impl Specification {
    /// Everything that is called, in the order of interfaces.
    pub fn calls(&self) -> Vec<Call> {
        let mut calls = Vec::new();
        for (index, declaration) in self.declarations().iter().enumerate() {
            if let Body::Interface(interface) = &declaration.body {
                calls.extend(of_interface(DeclarationId(index), declaration, interface));
            }
        }
        calls
    }

    /// What a call takes: its parameters `in` and `inout`; none if there are none.
    ///
    /// # Errors
    /// One holds what has no form.
    pub fn request(&self, call: &Call) -> Result<Option<Layout>, Problem> {
        self.declared_request(call).map(|it| it.map(|it| it.layout))
    }

    /// The same, and which declarations its types are.
    ///
    /// # Errors
    /// One holds what has no form.
    pub fn declared_request(&self, call: &Call) -> Result<Option<Declared>, Problem> {
        layout::of_members(self, &call.name, &call.takes, &call.place)
    }

    /// What it answers: `result`, and its parameters `inout` and `out`; none if there are none.
    ///
    /// # Errors
    /// One holds what has no form.
    pub fn reply(&self, call: &Call) -> Result<Option<Layout>, Problem> {
        self.declared_reply(call).map(|it| it.map(|it| it.layout))
    }

    /// The same, and which declarations its types are.
    ///
    /// # Errors
    /// One holds what has no form.
    pub fn declared_reply(&self, call: &Call) -> Result<Option<Declared>, Problem> {
        layout::of_members(self, &call.name, &call.answers, &call.place)
    }

    /// What an exception says; none if it has no members.
    ///
    /// # Errors
    /// One holds what has no form.
    pub fn exception_layout(&self, of: DeclarationId) -> Result<Option<Layout>, Problem> {
        match &self.declaration(of).body {
            Body::Exception(members) if members.is_empty() => Ok(None),
            _ => self.layout(of).map(Some),
        }
    }

    /// The exception of this repository id.
    pub fn exception(&self, id: &str) -> Option<DeclarationId> {
        let is_it = |it: &Declaration| it.id == id && matches!(it.body, Body::Exception(_));
        self.declarations().iter().position(is_it).map(DeclarationId)
    }
}

fn of_interface(
    interface: DeclarationId,
    declaration: &Declaration,
    body: &Interface,
) -> Vec<Call> {
    let place = &declaration.place;
    let member = |name: &str, of: &Type| Member {
        name: name.to_owned(),
        typed: Typed { of: of.clone(), dimensions: Vec::new() },
        place: place.clone(),
    };
    let call = |name: String, takes, answers| Call {
        name,
        interface,
        place: place.clone(),
        takes,
        answers,
    };
    let mut calls = Vec::new();
    for content in &body.contents {
        match content {
            Content::Operation(Operation { name, returns, parameters, .. }) => {
                let all = |other: &str| {
                    let passed = parameters.iter().filter(|it| it.direction != other);
                    passed.map(|it| member(&it.name, &it.of)).collect::<Vec<_>>()
                };
                let result = returns.iter().map(|of| member("result", of));
                calls.push(call(name.clone(), all("out"), result.chain(all("in")).collect()));
            }
            Content::Attribute { names, of, is_readonly } => {
                for name in names {
                    calls.push(call(format!("_get_{name}"), vec![], vec![member("result", of)]));
                    if !is_readonly {
                        calls.push(call(format!("_set_{name}"), vec![member(name, of)], vec![]));
                    }
                }
            }
        }
    }
    calls
}
