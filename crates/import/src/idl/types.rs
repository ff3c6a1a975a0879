//! The grammar of IDL: types.

use super::declaration::{
    Body, Case, Constant, Declaration, DeclarationId, Member, Type, Typed, Union,
};
use super::lexer::Token;
use super::parser::Parser;
use super::scope::Meaning;
use crate::problem::{Place, Problem};

impl Parser<'_> {
    /// A type that stands where it is used, be it declared there.
    fn type_here(&mut self) -> Result<Type, Problem> {
        match self.peek_token()? {
            Some(Token::Word(word)) => match word.as_str() {
                "struct" => self.structure(false).map(Type::Named),
                "union" => self.union(false).map(Type::Named),
                "enum" => self.enumeration().map(Type::Named),
                _ => self.simple_type(),
            },
            _ => self.simple_type(),
        }
    }

    /// A type that has a name, or needs none.
    pub(super) fn simple_type(&mut self) -> Result<Type, Problem> {
        let place = self.place()?;
        self.deeper(&place)?;
        let found = self.simple_type_inside(&place);
        self.shallower();
        found
    }

    fn simple_type_inside(&mut self, place: &Place) -> Result<Type, Problem> {
        let word = match self.peek_token()? {
            Some(Token::Word(word)) => word.clone(),
            _ => String::new(),
        };
        let of = match word.as_str() {
            "boolean" => Type::Boolean,
            "char" => Type::Char,
            "wchar" => Type::WideChar,
            "octet" => Type::Octet,
            "short" => Type::Short,
            "float" => Type::Float,
            "double" => Type::Double,
            "any" => Type::Any,
            "Object" => Type::Object,
            "ValueBase" => Type::ValueBase,
            "long" => {
                self.take()?;
                if self.takes_word("long")? {
                    return Ok(Type::LongLong);
                }
                return Ok(if self.takes_word("double")? { Type::LongDouble } else { Type::Long });
            }
            "unsigned" => return self.unsigned(),
            "string" | "wstring" => {
                self.take()?;
                let bound = self.bound()?;
                return Ok(if word == "string" {
                    Type::Text(bound)
                } else {
                    Type::WideText(bound)
                });
            }
            "sequence" => return self.sequence(),
            "fixed" => return self.fixed(place),
            _ => return self.named_type(place),
        };
        self.take()?;
        Ok(of)
    }

    fn unsigned(&mut self) -> Result<Type, Problem> {
        self.take()?;
        if self.takes_word("short")? {
            return Ok(Type::UnsignedShort);
        }
        if !self.takes_word("long")? {
            return self.unexpected("short or long");
        }
        Ok(if self.takes_word("long")? { Type::UnsignedLongLong } else { Type::UnsignedLong })
    }

    /// `<10>`, if it is there.
    fn bound(&mut self) -> Result<Option<u32>, Problem> {
        if !self.takes_sign("<")? {
            return Ok(None);
        }
        let size = self.size()?;
        self.expect(">")?;
        Ok(Some(size))
    }

    fn sequence(&mut self) -> Result<Type, Problem> {
        self.take()?;
        self.expect("<")?;
        let of = self.simple_type()?;
        let bound = if self.takes_sign(",")? { Some(self.size()?) } else { None };
        self.expect(">")?;
        Ok(Type::Sequence(Box::new(of), bound))
    }

    fn fixed(&mut self, place: &Place) -> Result<Type, Problem> {
        self.take()?;
        self.expect("<")?;
        let digits = self.size()?;
        self.expect(",")?;
        let scale = match self.constant(&Type::UnsignedLong)? {
            Constant::Integer(scale) => scale as u32,
            _ => 0,
        };
        self.expect(">")?;
        if digits > 31 || scale > digits {
            return self.reject(
                place,
                "fixed has 31 digits at most, those behind the point included",
                "say fewer",
            );
        }
        Ok(Type::Fixed(Some((digits, scale))))
    }

    fn named_type(&mut self, place: &Place) -> Result<Type, Problem> {
        let (name, meaning) = self.scoped_name()?;
        match meaning {
            Meaning::Type(id) | Meaning::Scoped(id, _) | Meaning::Forward(id, _) => {
                Ok(Type::Named(id))
            }
            Meaning::BuiltIn(of) => Ok(of),
            _ => self.reject(place, format!("{name} is no type"), "name a type"),
        }
    }

    /// A name, and the dimensions of an array.
    fn declarator(&mut self) -> Result<((String, Place), Vec<u32>), Problem> {
        let name = self.identifier()?;
        let mut dimensions = Vec::new();
        while self.takes_sign("[")? {
            dimensions.push(self.size()?);
            self.expect("]")?;
        }
        Ok((name, dimensions))
    }

    pub(super) fn typedef(&mut self) -> Result<(), Problem> {
        self.take()?;
        let of = self.type_here()?;
        loop {
            let (name, dimensions) = self.declarator()?;
            let id = self.add(&name, Body::Typedef(Typed { of: of.clone(), dimensions }));
            self.declare(&name, Meaning::Type(id))?;
            if !self.takes_sign(",")? {
                return Ok(());
            }
        }
    }

    pub(super) fn enumeration(&mut self) -> Result<DeclarationId, Problem> {
        self.take()?;
        let name = self.identifier()?;
        let id = self.add(&name, Body::Enum(Vec::new()));
        self.declare(&name, Meaning::Type(id))?;
        self.expect("{")?;
        let mut values = Vec::new();
        loop {
            let value = self.identifier()?;
            self.declare(&value, Meaning::Enumerator(id, values.len() as u32))?;
            values.push(value.0);
            if !self.takes_sign(",")? {
                break;
            }
        }
        self.expect("}")?;
        self.declarations[id.0].body = Body::Enum(values);
        Ok(id)
    }

    /// A struct; one may be named before it is declared where `may_be_forward` says so.
    pub(super) fn structure(&mut self, may_be_forward: bool) -> Result<DeclarationId, Problem> {
        self.take()?;
        let name = self.identifier()?;
        if may_be_forward && self.is_sign(";") {
            return self.forward(&name, "struct");
        }
        self.members(&name, "struct", Body::Struct)
    }

    pub(super) fn forward(
        &mut self,
        name: &(String, Place),
        kind: &'static str,
    ) -> Result<DeclarationId, Problem> {
        match self.scopes.own(self.scope, &name.0) {
            // It may be named again and again, before and behind what it is.
            Some(Meaning::Forward(id, known)) if *known == kind => {
                let id = *id;
                self.add(name, Body::Forward(kind));
                Ok(id)
            }
            Some(Meaning::Scoped(id, _)) if self.is_of(*id, kind) => {
                let id = *id;
                self.add(name, Body::Forward(kind));
                Ok(id)
            }
            _ => {
                let id = self.add(name, Body::Forward(kind));
                self.declare(name, Meaning::Forward(id, kind))?;
                Ok(id)
            }
        }
    }

    /// Is it declared by this word?
    fn is_of(&self, id: DeclarationId, kind: &str) -> bool {
        match self.declarations[id.0].body {
            Body::Interface(_) => kind == "interface",
            Body::Struct(_) => kind == "struct",
            Body::Union(_) => kind == "union",
            Body::Value(_) => kind == "valuetype",
            Body::Forward(known) => kind == known,
            _ => false,
        }
    }

    /// What was named before, if it was by this word, and is now declared.
    pub(super) fn named_before(
        &mut self,
        name: &(String, Place),
        kind: &'static str,
    ) -> Result<Option<DeclarationId>, Problem> {
        match self.scopes.own(self.scope, &name.0) {
            Some(Meaning::Forward(id, known)) if *known == kind => Ok(Some(*id)),
            Some(Meaning::Forward(_, known)) => {
                let what = format!("{} is declared, but {known} {0} is there already", name.0);
                self.reject(&name.1, what, "give it another name")
            }
            _ => Ok(None),
        }
    }

    fn members(
        &mut self,
        name: &(String, Place),
        kind: &'static str,
        body: fn(Vec<Member>) -> Body,
    ) -> Result<DeclarationId, Problem> {
        let before = self.named_before(name, kind)?;
        let id = self.add(name, body(Vec::new()));
        before.into_iter().for_each(|it| self.inherit_id(it, id));
        let inner = self.scopes.add(Some(self.scope), &name.0);
        let meaning = match kind {
            "exception" => Meaning::Exception(id, inner),
            _ => Meaning::Scoped(id, inner),
        };
        self.declare(name, meaning)?;
        self.deeper(&name.1)?;
        self.expect("{")?;
        let outer = self.enter(inner, &name.0);
        let mut members = Vec::new();
        while !self.is_sign("}") {
            self.member(&mut members)?;
        }
        self.expect("}")?;
        self.leave(outer);
        self.shallower();
        if members.is_empty() && kind == "struct" {
            let what = format!("the struct {} has no members", name.0);
            return self.reject(&name.1, what, "IDL has none without: give it one");
        }
        self.declarations[id.0].body = body(members);
        Ok(id)
    }

    /// Members that are declared together.
    pub(super) fn member(&mut self, members: &mut Vec<Member>) -> Result<(), Problem> {
        let place = self.place()?;
        let of = self.type_here()?;
        self.check_held(&of, &place)?;
        loop {
            let (name, dimensions) = self.declarator()?;
            self.declare(&name, Meaning::Other)?;
            let (name, place) = name;
            members.push(Member { name, typed: Typed { of: of.clone(), dimensions }, place });
            if !self.takes_sign(",")? {
                break;
            }
        }
        self.expect(";")
    }

    /// What is not declared to its end may be held by way of a sequence only; interfaces and values are not held.
    fn check_held(&self, of: &Type, place: &Place) -> Result<(), Problem> {
        let Type::Named(id) = self.resolved(of) else { return Ok(()) };
        let Declaration { name, body, .. } = &self.declarations[id.0];
        let remedy = "declare it before, or hold a sequence of it";
        match body {
            Body::Struct(members) if members.is_empty() => {
                self.reject(place, format!("the struct {name} holds itself"), remedy)
            }
            Body::Union(union) if union.cases.is_empty() => {
                self.reject(place, format!("the union {name} holds itself"), remedy)
            }
            Body::Forward(kind @ ("struct" | "union")) => {
                let is_it =
                    |it: &Declaration| it.name == *name && !matches!(it.body, Body::Forward(_));
                match self.declarations.iter().any(is_it) {
                    true => Ok(()),
                    false => {
                        self.reject(place, format!("the {kind} {name} is not declared yet"), remedy)
                    }
                }
            }
            _ => Ok(()),
        }
    }

    pub(super) fn exception(&mut self) -> Result<(), Problem> {
        self.take()?;
        let name = self.identifier()?;
        self.members(&name, "exception", Body::Exception)?;
        Ok(())
    }

    pub(super) fn union(&mut self, may_be_forward: bool) -> Result<DeclarationId, Problem> {
        self.take()?;
        let name = self.identifier()?;
        if may_be_forward && self.is_sign(";") {
            return self.forward(&name, "union");
        }
        let before = self.named_before(&name, "union")?;
        let empty = Union { discriminator: Type::Long, cases: Vec::new() };
        let id = self.add(&name, Body::Union(empty));
        before.into_iter().for_each(|it| self.inherit_id(it, id));
        let inner = self.scopes.add(Some(self.scope), &name.0);
        self.declare(&name, Meaning::Scoped(id, inner))?;
        self.deeper(&name.1)?;
        if !self.takes_word("switch")? {
            return self.unexpected("switch");
        }
        self.expect("(")?;
        let outer = self.enter(inner, &name.0);
        let place = self.place()?;
        let discriminator = self.type_here()?;
        self.check_discriminator(&discriminator, &place)?;
        self.expect(")")?;
        self.expect("{")?;
        let (mut cases, mut known) = (Vec::new(), Vec::new());
        while !self.is_sign("}") {
            self.case(&discriminator, &mut cases, &mut known)?;
        }
        self.expect("}")?;
        self.leave(outer);
        self.shallower();
        if cases.is_empty() {
            let what = format!("the union {} has no cases", name.0);
            return self.reject(&name.1, what, "give it one");
        }
        let all = match self.resolved(&discriminator) {
            Type::Boolean => Some(2),
            Type::Named(of) => match &self.declarations[of.0].body {
                Body::Enum(values) => Some(values.len()),
                _ => None,
            },
            _ => None,
        };
        if known.contains(&None) && all.is_some_and(|it| known.len() > it) {
            let what = format!("every value has a case in the union {}, and none is left", name.0);
            return self.reject(&name.1, what, "take out its default");
        }
        self.declarations[id.0].body = Body::Union(Union { discriminator, cases });
        Ok(id)
    }

    fn check_discriminator(&self, of: &Type, place: &Place) -> Result<(), Problem> {
        let is_it = match self.resolved(of) {
            Type::Named(id) => matches!(self.declarations[id.0].body, Body::Enum(_)),
            Type::Boolean
            | Type::Char
            | Type::Short
            | Type::UnsignedShort
            | Type::Long
            | Type::UnsignedLong
            | Type::LongLong
            | Type::UnsignedLongLong => true,
            _ => false,
        };
        match is_it {
            true => Ok(()),
            false => {
                let what = "no union switches over this type";
                self.reject(place, what, "name a whole type, char, boolean or an enumeration")
            }
        }
    }

    fn case(
        &mut self,
        of: &Type,
        cases: &mut Vec<Case>,
        known: &mut Vec<Option<Constant>>,
    ) -> Result<(), Problem> {
        let mut labels = Vec::new();
        loop {
            let place = self.place()?;
            let label = if self.takes_word("default")? {
                None
            } else if self.takes_word("case")? {
                Some(self.constant(of)?)
            } else {
                break;
            };
            self.expect(":")?;
            if known.contains(&label) {
                return self.reject(&place, "the label stands twice", "take one out");
            }
            known.push(label.clone());
            labels.push(label);
        }
        if labels.is_empty() {
            return self.unexpected("case or default");
        }
        let place = self.place()?;
        let held = self.type_here()?;
        self.check_held(&held, &place)?;
        let (name, dimensions) = self.declarator()?;
        self.declare(&name, Meaning::Other)?;
        let (name, place) = name;
        let member = Member { name, typed: Typed { of: held, dimensions }, place };
        cases.push(Case { labels, member });
        self.expect(";")
    }
}
