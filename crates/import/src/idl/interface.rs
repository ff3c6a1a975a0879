//! The grammar of IDL: interfaces and value types.

use super::declaration::{
    Body, Content, DeclarationId, Interface, Member, Operation, Parameter, Type, ValueType,
};
use super::lexer::Token;
use super::parser::Parser;
use super::scope::{Meaning, ScopeId};
use crate::problem::{Place, Problem};

impl Parser<'_> {
    pub(super) fn interface_or_value(&mut self) -> Result<(), Problem> {
        let is_abstract = self.takes_word("abstract")?;
        let is_custom = self.takes_word("custom")?;
        let is_local = self.takes_word("local")?;
        if !is_custom && self.takes_word("interface")? {
            return self.interface(is_abstract, is_local);
        }
        if !is_local && self.takes_word("valuetype")? {
            return self.value_type(is_abstract, is_custom);
        }
        self.unexpected("interface or valuetype")
    }

    fn interface(&mut self, is_abstract: bool, is_local: bool) -> Result<(), Problem> {
        let name = self.identifier()?;
        if self.is_sign(";") {
            return self.forward(&name, "interface").map(|_| ());
        }
        let before = self.named_before(&name, "interface")?;
        let inner = self.scopes.add(Some(self.scope), &name.0);
        let mut interface = Interface { is_local, is_abstract, ..Interface::default() };
        if self.takes_sign(":")? {
            interface.bases = self.bases(inner, true)?;
        }
        let id = self.add(&name, Body::Interface(interface.clone()));
        before.into_iter().for_each(|it| self.inherit_id(it, id));
        self.declare(&name, Meaning::Scoped(id, inner))?;
        self.inner_scopes.insert(id, inner);
        self.expect("{")?;
        let outer = self.enter(inner, &name.0);
        while !self.is_sign("}") {
            self.export(&mut interface.contents)?;
        }
        self.expect("}")?;
        self.leave(outer);
        self.declarations[id.0].body = Body::Interface(interface);
        Ok(())
    }

    /// Interfaces or value types from which names are inherited.
    fn bases(&mut self, inner: ScopeId, is_interface: bool) -> Result<Vec<DeclarationId>, Problem> {
        let mut bases = Vec::new();
        loop {
            let place = self.place()?;
            let (name, meaning) = self.scoped_name()?;
            let (id, scope) = self.base(&meaning, is_interface).ok_or_else(|| {
                let what = format!(
                    "{name} is no {}",
                    if is_interface { "interface" } else { "valuetype" }
                );
                Problem::new(&place, what, "inherit from one that is declared")
            })?;
            self.scopes.inherit(inner, scope);
            bases.push(id);
            if !self.takes_sign(",")? {
                return Ok(bases);
            }
        }
    }

    /// What is meant by a name, maybe of a typedef.
    fn base(&self, meaning: &Meaning, is_interface: bool) -> Option<(DeclarationId, ScopeId)> {
        let (Meaning::Scoped(id, _) | Meaning::Type(id)) = meaning else { return None };
        let Type::Named(own) = self.resolved(&Type::Named(*id)) else { return None };
        let is_it = match self.declarations[own.0].body {
            Body::Interface(_) => is_interface,
            Body::Value(_) => !is_interface,
            _ => false,
        };
        let scope = self.inner_scopes.get(&own).filter(|_| is_it)?;
        Some((*id, *scope))
    }

    /// A part of an interface.
    fn export(&mut self, contents: &mut Vec<Content>) -> Result<(), Problem> {
        if self.is_word("attribute") || self.is_word("readonly") {
            contents.push(self.attribute()?);
        } else if !self.type_or_constant()? {
            contents.push(Content::Operation(self.operation()?));
        }
        self.expect(";")
    }

    fn attribute(&mut self) -> Result<Content, Problem> {
        let is_readonly = self.takes_word("readonly")?;
        if !self.takes_word("attribute")? {
            return self.unexpected("attribute");
        }
        let of = self.simple_type()?;
        let mut names = Vec::new();
        loop {
            let name = self.identifier()?;
            self.declare(&name, Meaning::Other)?;
            names.push(name.0);
            if !self.takes_sign(",")? {
                break;
            }
        }
        for word in ["raises", "getraises", "setraises"] {
            if self.takes_word(word)? {
                self.exceptions()?;
            }
        }
        Ok(Content::Attribute { names, of, is_readonly })
    }

    fn operation(&mut self) -> Result<Operation, Problem> {
        let is_oneway = self.takes_word("oneway")?;
        let returns = if self.takes_word("void")? { None } else { Some(self.simple_type()?) };
        let name = self.identifier()?;
        self.declare(&name, Meaning::Other)?;
        let (parameters, place) = self.parameters(&name.0, false)?;
        let raises = if self.takes_word("raises")? { self.exceptions()? } else { Vec::new() };
        let context = if self.takes_word("context")? { self.context()? } else { Vec::new() };
        let is_plain = returns.is_none()
            && raises.is_empty()
            && parameters.iter().all(|it| it.direction == "in");
        if is_oneway && !is_plain {
            let what = format!("the operation {} is oneway and has an answer", name.0);
            return self.reject(&place, what, "take oneway out, or what comes back");
        }
        Ok(Operation { name: name.0, is_oneway, returns, parameters, raises, context })
    }

    /// The parameters between brackets, in a scope of their own.
    fn parameters(
        &mut self,
        of: &str,
        is_factory: bool,
    ) -> Result<(Vec<Parameter>, Place), Problem> {
        let place = self.place()?;
        self.expect("(")?;
        let inner = self.scopes.add(Some(self.scope), "");
        let outer = self.enter(inner, of);
        let mut parameters = Vec::new();
        while !self.is_sign(")") {
            let known = ["in", "out", "inout"].into_iter().find(|it| self.is_word(it));
            let Some(direction) = known.filter(|it| !is_factory || *it == "in") else {
                return self.unexpected(if is_factory { "in" } else { "in, out or inout" });
            };
            self.take()?;
            let of = self.simple_type()?;
            let name = self.identifier()?;
            self.declare(&name, Meaning::Other)?;
            parameters.push(Parameter { direction, of, name: name.0 });
            if !self.takes_sign(",")? {
                break;
            }
        }
        self.expect(")")?;
        self.leave(outer);
        Ok((parameters, place))
    }

    fn exceptions(&mut self) -> Result<Vec<DeclarationId>, Problem> {
        self.expect("(")?;
        let mut exceptions = Vec::new();
        loop {
            let place = self.place()?;
            match self.scoped_name()? {
                (_, Meaning::Exception(id, _)) => exceptions.push(id),
                (name, _) => {
                    return self.reject(&place, format!("{name} is no exception"), "name one");
                }
            }
            if !self.takes_sign(",")? {
                break;
            }
        }
        self.expect(")")?;
        Ok(exceptions)
    }

    fn context(&mut self) -> Result<Vec<String>, Problem> {
        self.expect("(")?;
        let mut names = Vec::new();
        loop {
            match self.take()? {
                Some(Token::Text { value, is_wide: false }) => names.push(value),
                _ => return self.unexpected("a text between \"\""),
            }
            if !self.takes_sign(",")? {
                break;
            }
        }
        self.expect(")")?;
        Ok(names)
    }

    fn value_type(&mut self, is_abstract: bool, is_custom: bool) -> Result<(), Problem> {
        let name = self.identifier()?;
        if self.is_sign(";") {
            return self.forward(&name, "valuetype").map(|_| ());
        }
        let before = self.named_before(&name, "valuetype")?;
        let is_body = self.is_sign(":") || self.is_sign("{") || self.is_word("supports");
        if !is_body {
            let of = self.boxed()?;
            let id = self.add(&name, Body::ValueBox(of));
            return self.declare(&name, Meaning::Type(id));
        }
        let inner = self.scopes.add(Some(self.scope), &name.0);
        let mut value = ValueType { is_abstract, is_custom, ..ValueType::default() };
        if self.takes_sign(":")? {
            value.is_truncatable = self.takes_word("truncatable")?;
            value.bases = self.bases(inner, false)?;
        }
        if self.takes_word("supports")? {
            value.supports = self.bases(inner, true)?;
        }
        let id = self.add(&name, Body::Value(Box::new(value.clone())));
        before.into_iter().for_each(|it| self.inherit_id(it, id));
        self.declare(&name, Meaning::Scoped(id, inner))?;
        self.inner_scopes.insert(id, inner);
        self.expect("{")?;
        let outer = self.enter(inner, &name.0);
        while !self.is_sign("}") {
            self.value_part(&mut value)?;
        }
        self.expect("}")?;
        self.leave(outer);
        self.declarations[id.0].body = Body::Value(Box::new(value));
        Ok(())
    }

    fn boxed(&mut self) -> Result<Type, Problem> {
        match self.peek_token()? {
            Some(Token::Word(word)) if word == "struct" => self.structure(false).map(Type::Named),
            Some(Token::Word(word)) if word == "union" => self.union(false).map(Type::Named),
            Some(Token::Word(word)) if word == "enum" => self.enumeration().map(Type::Named),
            _ => self.simple_type(),
        }
    }

    fn value_part(&mut self, value: &mut ValueType) -> Result<(), Problem> {
        let is_public = self.is_word("public");
        if is_public || self.is_word("private") {
            self.take()?;
            let mut members: Vec<Member> = Vec::new();
            self.member(&mut members)?;
            value.state.extend(members.into_iter().map(|it| (is_public, it)));
            return Ok(());
        }
        if self.takes_word("factory")? {
            let name = self.identifier()?;
            self.declare(&name, Meaning::Other)?;
            self.parameters(&name.0, true)?;
            if self.takes_word("raises")? {
                self.exceptions()?;
            }
            value.factories.push(name.0);
            return self.expect(";");
        }
        self.export(&mut value.contents)
    }
}
