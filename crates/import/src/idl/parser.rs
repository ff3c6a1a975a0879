//! The grammar of IDL (CORBA 3.4 part 1, 7.4): modules and what is said about names.

use std::collections::HashMap;

use super::declaration::{Body, Declaration, DeclarationId, Type};
use super::lexer::{Spanned, Token};
use super::scope::{Meaning, ScopeId, Scopes};
use crate::Limits;
use crate::problem::{Place, Problem, Warnings};

/// The words that are no identifiers (7.2.4), nor are those that differ from one in case alone.
const KEYWORDS: &str = "any attribute boolean case char const context default double enum exception false fixed \
    float in inout interface long module object octet oneway out raises readonly sequence short string struct switch \
    true typedef unsigned union void wchar wstring";

/// Those that came later: many files have names that differ in case.
const LATER_KEYWORDS: &str = "abstract custom factory getraises import local native private public setraises supports \
    truncatable typeid typeprefix ValueBase valuetype";

/// Reads tokens into declarations.
pub(super) struct Parser<'a> {
    tokens: std::vec::IntoIter<Spanned>,
    next: Option<Spanned>,
    /// What was wrong between two tokens.
    failed: Option<Problem>,
    /// Where the token that was taken last stands.
    last: Place,
    pub(super) scopes: Scopes,
    pub(super) scope: ScopeId,
    pub(super) declarations: Vec<Declaration>,
    /// What stands before names in repository ids: that of the file or scope, the innermost last.
    prefixes: Vec<String>,
    /// Those that `typeprefix` said of modules.
    said_prefixes: HashMap<ScopeId, String>,
    /// May the next definition begin without a semicolon behind the last?
    next_is_free: bool,
    /// The scopes of interfaces and value types.
    pub(super) inner_scopes: HashMap<DeclarationId, ScopeId>,
    warnings: &'a mut Warnings,
    limits: &'a Limits,
    depth: usize,
    /// Is what was taken last in the file that was asked for?
    is_main: bool,
}

impl<'a> Parser<'a> {
    pub(super) fn new(
        tokens: Vec<Spanned>,
        start: Place,
        warnings: &'a mut Warnings,
        limits: &'a Limits,
    ) -> Self {
        Self {
            tokens: tokens.into_iter(),
            next: None,
            failed: None,
            last: start,
            scopes: Scopes::new(),
            scope: ScopeId::ROOT,
            declarations: Vec::new(),
            prefixes: vec![String::new()],
            said_prefixes: HashMap::new(),
            next_is_free: false,
            inner_scopes: HashMap::new(),
            warnings,
            limits,
            depth: 0,
            is_main: true,
        }
    }

    pub(super) fn specification(mut self) -> Result<Vec<Declaration>, Problem> {
        while self.peek_token()?.is_some() {
            self.definition()?;
        }
        self.check_forwards();
        Ok(self.declarations)
    }

    /// Warns of what was named and never declared.
    fn check_forwards(&mut self) {
        for index in 0..self.declarations.len() {
            let Declaration { name, body: Body::Forward(kind), place, .. } =
                &self.declarations[index]
            else {
                continue;
            };
            let is_it = |it: &Declaration| it.name == *name && !matches!(it.body, Body::Forward(_));
            if !self.declarations.iter().any(is_it) {
                let what = format!("the {kind} {name} is named and never declared");
                self.warnings.add(place, what, "include the file that declares it");
            }
        }
    }

    // Tokens.

    /// The next token. What stands between tokens, pragmas and files, has its effect when it is come by.
    fn advance(&mut self) -> Result<(), Problem> {
        // Who only asks whether a sign is next does not see the error, but whoever goes on does.
        if let Some(problem) = &self.failed {
            return Err(problem.clone());
        }
        while self.next.is_none() {
            let Some(spanned) = self.tokens.next() else { return Ok(()) };
            match spanned.token {
                Token::Begin => self.prefixes.push(String::new()),
                Token::End => _ = self.prefixes.pop(),
                Token::Pragma(text) => {
                    let done = self.pragma(&text, &spanned.place);
                    self.failed = done.clone().err();
                    done?;
                }
                Token::Sign("@") => {
                    let done = self.annotation(&spanned.place);
                    self.failed = done.clone().err();
                    done?;
                }
                _ => self.next = Some(spanned),
            }
        }
        Ok(())
    }

    /// The token behind what was taken so far, whatever it is.
    pub(super) fn coming(&self) -> Option<&Token> {
        self.tokens.as_slice().first().map(|it| &it.token)
    }

    /// Goes over it.
    pub(super) fn pass(&mut self) -> Option<Spanned> {
        self.tokens.next()
    }

    pub(super) fn peek_token(&mut self) -> Result<Option<&Token>, Problem> {
        self.advance()?;
        Ok(self.next.as_ref().map(|it| &it.token))
    }

    /// Where the next token stands, or the last one at the end.
    pub(super) fn place(&mut self) -> Result<Place, Problem> {
        self.advance()?;
        Ok(self.next.as_ref().map_or_else(|| self.last.clone(), |it| it.place.clone()))
    }

    pub(super) fn take(&mut self) -> Result<Option<Token>, Problem> {
        self.advance()?;
        let Some(Spanned { token, place, is_main }) = self.next.take() else { return Ok(None) };
        (self.last, self.is_main) = (place, is_main);
        Ok(Some(token))
    }

    /// Is the next one this sign? It was looked at before.
    pub(super) fn is_sign(&mut self, sign: &str) -> bool {
        matches!(self.peek_token(), Ok(Some(Token::Sign(found))) if *found == sign)
    }

    pub(super) fn is_word(&mut self, word: &str) -> bool {
        matches!(self.peek_token(), Ok(Some(Token::Word(found))) if found == word)
    }

    /// Takes the word, if it is the next one.
    pub(super) fn takes_word(&mut self, word: &str) -> Result<bool, Problem> {
        let is_it = self.is_word(word);
        if is_it {
            self.take()?;
        }
        Ok(is_it)
    }

    pub(super) fn takes_sign(&mut self, sign: &str) -> Result<bool, Problem> {
        let is_it = self.is_sign(sign);
        if is_it {
            self.take()?;
        }
        Ok(is_it)
    }

    pub(super) fn expect(&mut self, sign: &'static str) -> Result<(), Problem> {
        // Two lists that end together are no shift.
        if sign == ">" && self.is_sign(">>") {
            if let Some(next) = &mut self.next {
                next.token = Token::Sign(">");
                next.place.column += 1;
            }
            return Ok(());
        }
        if self.takes_sign(sign)? { Ok(()) } else { self.unexpected(sign) }
    }

    /// What is there is not what should be.
    pub(super) fn unexpected<T>(&mut self, expected: &str) -> Result<T, Problem> {
        let place = self.place()?;
        let found = match self.peek_token()? {
            Some(token) => token.shown(),
            None => "the end".to_owned(),
        };
        Err(Problem::new(&place, format!("expected {expected}, not {found}"), "mend it there"))
    }

    pub(super) fn reject<T>(
        &self,
        place: &Place,
        what: impl Into<String>,
        remedy: &str,
    ) -> Result<T, Problem> {
        Err(Problem::new(place, what, remedy))
    }

    /// One level more of what stands inside itself.
    pub(super) fn deeper(&mut self, place: &Place) -> Result<(), Problem> {
        self.depth += 1;
        if self.depth > self.limits.depth {
            let what = format!("more than {} levels inside one another", self.limits.depth);
            return self.reject(place, what, "raise the limit `depth`");
        }
        Ok(())
    }

    pub(super) fn shallower(&mut self) {
        self.depth -= 1;
    }

    // Names.

    /// An identifier that is declared here.
    pub(super) fn identifier(&mut self) -> Result<(String, Place), Problem> {
        let place = self.place()?;
        match self.peek_token()? {
            Some(Token::Word(word)) => {
                let mut words = KEYWORDS.split_ascii_whitespace();
                let mut later = LATER_KEYWORDS.split_ascii_whitespace();
                if words.any(|it| it.eq_ignore_ascii_case(word)) || later.any(|it| it == word) {
                    let what =
                        format!("{word} is a word of IDL, or differs from one in case alone");
                    return self.reject(&place, what, "write an underscore before it");
                }
            }
            Some(Token::Escaped(_)) => {}
            _ => return self.unexpected("a name"),
        }
        match self.take()? {
            Some(Token::Word(name) | Token::Escaped(name)) => Ok((name, place)),
            _ => self.unexpected("a name"),
        }
    }

    /// A name that is used: how it is written, and what it means.
    pub(super) fn scoped_name(&mut self) -> Result<(String, Meaning), Problem> {
        let place = self.place()?;
        let is_absolute = self.takes_sign("::")?;
        let mut steps = Vec::new();
        loop {
            match self.peek_token()? {
                Some(Token::Word(_) | Token::Escaped(_)) => {}
                _ => return self.unexpected("a name"),
            }
            if let Some(Token::Word(name) | Token::Escaped(name)) = self.take()? {
                steps.push(name);
            }
            if !self.takes_sign("::")? {
                break;
            }
        }
        let meaning = self.scopes.find(self.scope, is_absolute, &steps);
        match meaning {
            Ok(meaning) => Ok((steps.join("::"), meaning)),
            Err(why) => self.reject(&place, why, "declare it before it is used, written the same"),
        }
    }

    /// Gives a name its meaning in the present scope.
    pub(super) fn declare(
        &mut self,
        (name, place): &(String, Place),
        meaning: Meaning,
    ) -> Result<(), Problem> {
        let declared = self.scopes.declare(self.scope, name, meaning);
        declared.map_err(|why| Problem::new(place, why, "give it another name"))
    }

    /// Adds a declaration of this name in the present scope.
    pub(super) fn add(&mut self, (name, place): &(String, Place), body: Body) -> DeclarationId {
        let id = self.repository_id(name);
        let name = self.scopes.path_of(self.scope, name);
        let (place, is_main) = (place.clone(), self.is_main);
        self.declarations.push(Declaration { name, id, body, place, is_main, has_own_id: false });
        DeclarationId(self.declarations.len() - 1)
    }

    fn repository_id(&self, name: &str) -> String {
        match self.prefixes.last().map(|it| &**it) {
            None | Some("") => format!("IDL:{name}:1.0"),
            Some(prefix) => format!("IDL:{prefix}/{name}:1.0"),
        }
    }

    /// Opens a scope; [`Self::leave`] closes it.
    pub(super) fn enter(&mut self, scope: ScopeId, name: &str) -> ScopeId {
        let prefix = match self.prefixes.last().map(|it| &**it) {
            None | Some("") => name.to_owned(),
            Some(prefix) => format!("{prefix}/{name}"),
        };
        self.prefixes.push(prefix);
        std::mem::replace(&mut self.scope, scope)
    }

    pub(super) fn leave(&mut self, outer: ScopeId) {
        self.prefixes.pop();
        self.scope = outer;
    }

    // Definitions.

    fn definition(&mut self) -> Result<(), Problem> {
        let place = self.place()?;
        let Some(Token::Word(word)) = self.peek_token()? else {
            return self.unexpected("a definition");
        };
        match word.as_str() {
            "module" => self.module()?,
            "interface" | "abstract" | "local" | "valuetype" | "custom" => {
                self.interface_or_value()?
            }
            "component" | "home" | "eventtype" | "porttype" | "connector" | "bitset"
            | "bitmask" | "map" => {
                let what = format!("{word} is not supported");
                return self.reject(
                    &place,
                    what,
                    "take it out, or describe it by interfaces and structs",
                );
            }
            _ => {
                if !self.type_or_constant()? {
                    return self.unexpected("a definition");
                }
            }
        }
        if std::mem::take(&mut self.next_is_free) { Ok(()) } else { self.expect(";") }
    }

    fn module(&mut self) -> Result<(), Problem> {
        self.take()?;
        let name = self.identifier()?;
        self.deeper(&name.1)?;
        let known = match self.scopes.own(self.scope, &name.0) {
            Some(Meaning::Module(scope)) => Some(*scope),
            _ => None,
        };
        let inner = match known {
            Some(known) => known,
            None => {
                let inner = self.scopes.add(Some(self.scope), &name.0);
                self.declare(&name, Meaning::Module(inner))?;
                inner
            }
        };
        self.add(&name, Body::Module);
        self.expect("{")?;
        let outer = self.enter(inner, &name.0);
        self.set_said_prefix();
        while !self.is_sign("}") {
            if self.peek_token()?.is_none() {
                return self.unexpected("}");
            }
            self.definition()?;
        }
        self.expect("}")?;
        self.leave(outer);
        self.shallower();
        Ok(())
    }

    /// A type, a constant, an exception, or a word about ids. False if it is none of these.
    pub(super) fn type_or_constant(&mut self) -> Result<bool, Problem> {
        let Some(Token::Word(word)) = self.peek_token()? else { return Ok(false) };
        match word.as_str() {
            "typedef" => self.typedef()?,
            "struct" => _ = self.structure(true)?,
            "union" => _ = self.union(true)?,
            "enum" => _ = self.enumeration()?,
            "exception" => self.exception()?,
            "native" => {
                self.take()?;
                let name = self.identifier()?;
                let id = self.add(&name, Body::Native);
                self.declare(&name, Meaning::Type(id))?;
            }
            "const" => {
                self.take()?;
                let of = self.constant_type()?;
                let name = self.identifier()?;
                self.expect("=")?;
                let value = self.constant(&of)?;
                let id = self.add(&name, Body::Const(of, value));
                self.declare(&name, Meaning::Constant(id))?;
            }
            "typeid" => {
                self.take()?;
                let (_, meaning) = self.scoped_name()?;
                let (id, place) = self.quoted()?;
                self.set_id(&meaning, &place, |_| id)?;
            }
            "typeprefix" => {
                self.take()?;
                let (_, meaning) = self.scoped_name()?;
                let (prefix, _) = self.quoted()?;
                if let Meaning::Module(scope) = meaning {
                    self.said_prefixes.insert(scope, prefix);
                    if scope == self.scope {
                        self.set_said_prefix();
                    }
                }
                // Some files of the OMG's own forget the semicolon.
                if !self.is_sign(";") {
                    self.next_is_free = true;
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn quoted(&mut self) -> Result<(String, Place), Problem> {
        let place = self.place()?;
        match self.peek_token()? {
            Some(Token::Text { value, is_wide: false }) => {
                let value = value.clone();
                self.take()?;
                Ok((value, place))
            }
            _ => self.unexpected("a text between \"\""),
        }
    }

    // Pragmas.

    /// The prefix that `typeprefix` said of the present scope.
    fn set_said_prefix(&mut self) {
        if let Some(prefix) = self.said_prefixes.get(&self.scope) {
            let path = self.scopes.path(self.scope).replace("::", "/");
            let whole = format!("{prefix}/{path}");
            self.set_prefix(&whole);
        }
    }

    fn set_prefix(&mut self, prefix: &str) {
        if let Some(present) = self.prefixes.last_mut() {
            prefix.clone_into(present);
        }
    }

    fn pragma(&mut self, text: &str, place: &Place) -> Result<(), Problem> {
        let (word, rest) =
            text.split_once(|it: char| it.is_ascii_whitespace()).unwrap_or((text, ""));
        let rest = rest.trim_ascii();
        let quoted = |text: &str| {
            let inner = text.strip_prefix('"')?.strip_suffix('"')?;
            (!inner.contains('"')).then(|| inner.to_owned())
        };
        match word {
            "prefix" => match quoted(rest) {
                Some(prefix) => self.set_prefix(&prefix),
                None => {
                    let behind = rest.strip_prefix('"').and_then(|it| it.split_once('"'));
                    let (what, remedy) = match behind {
                        Some((_, more)) => (format!("has {more} behind it"), "take that out"),
                        None => ("has no prefix".to_owned(), "put the prefix between \"\""),
                    };
                    return self.reject(place, format!("#pragma prefix {rest} {what}"), remedy);
                }
            },
            "ID" | "version" => {
                let (name, said) =
                    rest.split_once(|it: char| it.is_ascii_whitespace()).unwrap_or((rest, ""));
                let said = said.trim_ascii();
                let (is_absolute, name) = match name.strip_prefix("::") {
                    Some(name) => (true, name),
                    None => (false, name),
                };
                let steps: Vec<String> = name.split("::").map(str::to_owned).collect();
                let meaning = self.scopes.find(self.scope, is_absolute, &steps);
                let meaning = meaning
                    .map_err(|why| Problem::new(place, why, "declare it before the pragma"))?;
                if word == "ID" {
                    let Some(id) = quoted(said) else {
                        let what = format!("#pragma ID {name} has no id");
                        return self.reject(place, what, "put the id between \"\"");
                    };
                    return self.set_id(&meaning, place, |_| id);
                }
                let said = said.to_owned();
                return self.set_id(&meaning, place, |known| {
                    let end = known.rfind(':').unwrap_or(known.len());
                    format!("{}:{said}", &known[..end])
                });
            }
            // Those of compilers are their own.
            _ => {}
        }
        Ok(())
    }

    fn set_id(
        &mut self,
        meaning: &Meaning,
        place: &Place,
        change: impl FnOnce(&str) -> String,
    ) -> Result<(), Problem> {
        let id = match meaning {
            Meaning::Type(id)
            | Meaning::Scoped(id, _)
            | Meaning::Forward(id, _)
            | Meaning::Exception(id, _)
            | Meaning::Constant(id) => *id,
            _ => return Ok(()),
        };
        let declaration = &mut self.declarations[id.0];
        let changed = change(&declaration.id);
        if declaration.has_own_id && declaration.id != changed {
            let what = format!("{} has the id {} already", declaration.name, declaration.id);
            return self.reject(place, what, "say it once");
        }
        (declaration.id, declaration.has_own_id) = (changed, true);
        Ok(())
    }

    /// What a forward declaration was told about its id holds for the declaration itself.
    pub(super) fn inherit_id(&mut self, from: DeclarationId, to: DeclarationId) {
        let Declaration { id, has_own_id, .. } = self.declarations[from.0].clone();
        if has_own_id {
            (self.declarations[to.0].id, self.declarations[to.0].has_own_id) = (id, true);
        }
    }

    fn constant_type(&mut self) -> Result<Type, Problem> {
        let place = self.place()?;
        if self.is_word("fixed") {
            self.take()?;
            return Ok(Type::Fixed(None));
        }
        let of = self.simple_type()?;
        let is_enum = |it: &Type| match it {
            Type::Named(id) => matches!(self.declarations[id.0].body, Body::Enum(_)),
            _ => true,
        };
        match self.resolved(&of) {
            Type::Any | Type::Object | Type::ValueBase | Type::TypeCode | Type::Sequence(..) => {
                self.reject(
                    &place,
                    "no constant is of this type",
                    "name a number, text or enumeration",
                )
            }
            it if is_enum(&it) => Ok(of),
            _ => self.reject(
                &place,
                "no constant is of this type",
                "name a number, text or enumeration",
            ),
        }
    }
}
