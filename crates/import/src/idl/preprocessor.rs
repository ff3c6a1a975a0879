//! The preprocessor of IDL, which is that of C++ (CORBA 3.4 part 1, 7.3): includes, conditionals, and macros
//! without parameters.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::Options;
use super::lexer::{Lexer, Spanned, Token};
use crate::resolver::{beside, joined};
use crate::{Limits, Place, Problem, Resolver};

/// The tokens of a file and of those that it includes.
pub(super) fn tokens(
    path: &str,
    options: &Options,
    resolver: &mut dyn Resolver,
    limits: &Limits,
) -> Result<Vec<Spanned>, Problem> {
    let file: Arc<str> = path.into();
    let start = Place { file, line: 1, column: 1 };
    let mut preprocessor = Preprocessor {
        folders: &options.folders,
        resolver,
        limits,
        macros: HashMap::new(),
        imported: HashSet::new(),
        out: Vec::new(),
        steps: 0,
        documents: 0,
        depth: 0,
    };
    for (name, value) in &options.macros {
        preprocessor.define(&format!("{name} {value}"), &start)?;
    }
    let Some(text) = preprocessor.read(path, &start)? else {
        let remedy = "name a file that is there";
        return Err(Problem::new(&start, format!("there is no file {path}"), remedy));
    };
    preprocessor.file(path, &text)?;
    Ok(preprocessor.out)
}

struct Preprocessor<'a> {
    folders: &'a [String],
    resolver: &'a mut dyn Resolver,
    limits: &'a Limits,
    macros: HashMap<String, Vec<Token>>,
    /// Files that were imported, each once.
    imported: HashSet<String>,
    out: Vec<Spanned>,
    /// Tokens that were looked at: macros may stand for nothing again and again.
    steps: usize,
    documents: usize,
    /// Files that are open: 1 in the one that was asked for.
    depth: usize,
}

/// Where a `#if` stands.
struct Branch {
    place: Place,
    /// Are its lines read?
    is_taken: bool,
    /// May one of those that follow be? Not once one was, or where what is around is not read.
    may_be_taken: bool,
}

impl Preprocessor<'_> {
    fn read(&mut self, path: &str, from: &Place) -> Result<Option<String>, Problem> {
        let reject = |what: String, remedy: &str| Err(Problem::new(from, what, remedy));
        let bytes = match self.resolver.read(path) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Ok(None),
            Err(why) => return reject(format!("{path} is not read: {why}"), "make it readable"),
        };
        self.documents += 1;
        if self.documents > self.limits.documents {
            let most = self.limits.documents;
            return reject(format!("more than {most} files"), "raise the limit `documents`");
        }
        if bytes.len() > self.limits.document_bytes {
            let most = self.limits.document_bytes;
            return reject(
                format!("{path} has more than {most} bytes"),
                "raise the limit `document_bytes`",
            );
        }
        // Comments are in whatever code set their author had; IDL itself is ISO 8859-1.
        let latin = |error: std::string::FromUtf8Error| {
            error.into_bytes().into_iter().map(char::from).collect()
        };
        Ok(Some(String::from_utf8(bytes).unwrap_or_else(latin)))
    }

    fn file(&mut self, path: &str, text: &str) -> Result<(), Problem> {
        let file: Arc<str> = path.into();
        let mut lexer = Lexer::new(text, &file);
        let mut branches: Vec<Branch> = Vec::new();
        self.depth += 1;
        loop {
            lexer.blanks(true)?;
            if lexer.is_at_line_start && lexer.peek() == Some('#') {
                self.directive(path, &mut lexer, &mut branches)?;
            } else if branches.last().is_some_and(|it| !it.is_taken) {
                // Nothing there has to be a token.
                while lexer.peek().is_some_and(|it| it != '\n') && !lexer.is_next("/*") {
                    lexer.is_at_line_start = false;
                    lexer.bump();
                }
                if lexer.peek().is_none() {
                    break;
                }
            } else {
                let Some((token, place)) = lexer.token()? else { break };
                if token == Token::Word("import".to_owned()) {
                    self.import(path, &mut lexer, &place)?;
                    continue;
                }
                self.expand(token, &place, &mut Vec::new())?;
            }
        }
        self.depth -= 1;
        match branches.last() {
            Some(branch) => {
                Err(Problem::new(&branch.place, "the conditional has no end", "close it by #endif"))
            }
            None => Ok(()),
        }
    }

    /// Adds a token, or what the macro of its name stands for.
    fn expand(
        &mut self,
        token: Token,
        place: &Place,
        open: &mut Vec<String>,
    ) -> Result<(), Problem> {
        self.steps += 1;
        if self.steps > self.limits.tokens {
            let what = format!("more than {} tokens", self.limits.tokens);
            return Err(Problem::new(place, what, "raise the limit `tokens`"));
        }
        if let Some(name) = macro_name(&token)
            && !open.contains(&name)
            && let Some(body) = self.macros.get(&name).cloned()
        {
            open.push(name);
            for token in body {
                self.expand(token, place, open)?;
            }
            open.pop();
            return Ok(());
        }
        self.add(token, place);
        Ok(())
    }

    fn add(&mut self, token: Token, place: &Place) {
        self.out.push(Spanned { token, place: place.clone(), is_main: self.depth == 1 });
    }

    fn directive(
        &mut self,
        path: &str,
        lexer: &mut Lexer<'_>,
        branches: &mut Vec<Branch>,
    ) -> Result<(), Problem> {
        let place = lexer.place();
        lexer.bump();
        let line = lexer.line()?;
        let end = line.find(|it: char| !it.is_alphanumeric()).unwrap_or(line.len());
        let (word, rest) = (&line[..end], line[end..].trim_ascii());
        let is_read = branches.last().is_none_or(|it| it.is_taken);
        let reject = |what: &str, remedy: &str| Err(Problem::new(&place, what, remedy));
        match word {
            "if" | "ifdef" | "ifndef" => {
                let is_taken = is_read
                    && match word {
                        "if" => self.condition(rest, &place)?,
                        _ => self.is_defined(rest) == (word == "ifdef"),
                    };
                branches.push(Branch { place, is_taken, may_be_taken: is_read && !is_taken });
            }
            "elif" | "else" => {
                let Some(branch) = branches.last_mut() else {
                    return reject("there is no #if before it", "take it out");
                };
                let is_it =
                    word == "else" || branch.may_be_taken && self.condition(rest, &place)?;
                branch.is_taken = branch.may_be_taken && is_it;
                branch.may_be_taken &= !branch.is_taken;
            }
            "endif" => {
                if branches.pop().is_none() {
                    return reject("there is no #if before it", "take it out");
                }
            }
            _ if !is_read => {}
            "include" => self.include(path, rest, &place)?,
            "define" => self.define(rest, &place)?,
            "undef" => _ = self.macros.remove(rest),
            "pragma" => self.add(Token::Pragma(rest.to_owned()), &place),
            "error" => {
                return reject(
                    &format!("#error {rest}"),
                    "define what it asks for, or take it out",
                );
            }
            // Where a preprocessor that ran before was, which says no more; and what is for people.
            "line" | "ident" | "warning" | "" => {}
            _ if word.bytes().all(|it| it.is_ascii_digit()) => {}
            _ => return reject(&format!("#{word} is no directive"), "take it out"),
        }
        Ok(())
    }

    fn is_defined(&self, name: &str) -> bool {
        self.macros.contains_key(name.split_ascii_whitespace().next().unwrap_or_default())
    }

    fn include(&mut self, path: &str, rest: &str, place: &Place) -> Result<(), Problem> {
        let quoted =
            |begin, end| rest.strip_prefix(begin)?.split_once(end).map(|it: (&str, _)| it.0);
        let (name, is_beside) = match (quoted('"', '"'), quoted('<', '>')) {
            (Some(name), _) => (name, true),
            (None, Some(name)) => (name, false),
            (None, None) => {
                let what = format!("#include {rest} names no file");
                return Err(Problem::new(place, what, "put the name between \"\" or <>"));
            }
        };
        if self.depth >= self.limits.depth {
            let what = format!("files include others more than {} deep", self.limits.depth);
            return Err(Problem::new(place, what, "guard what includes itself by #ifndef"));
        }
        match self.opened(path, name, is_beside, place)? {
            true => Ok(()),
            false => {
                let what = format!("{name}, which is included, is not there");
                Err(Problem::new(place, what, "name the folder that has it (--include FOLDER)"))
            }
        }
    }

    /// Reads a file that another one names, from the first place where it is. False if it is at none.
    fn opened(
        &mut self,
        from: &str,
        name: &str,
        is_beside: bool,
        place: &Place,
    ) -> Result<bool, Problem> {
        let folders = self.folders.iter().map(|it| joined(&format!("{it}/"), name));
        let mut paths: Vec<String> = folders.collect();
        // Between <> the folders come first.
        let at = if is_beside { 0 } else { paths.len() };
        paths.insert(at, beside(from, name));
        for path in paths {
            if let Some(text) = self.read(&path, place)? {
                self.add(Token::Begin, place);
                self.file(&path, &text)?;
                self.add(Token::End, place);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// `import ::CosNaming;` is the file of that name, and `import ::CORBA;` what every ORB has. Where there is
    /// no such file the names may be there all the same.
    fn import(&mut self, from: &str, lexer: &mut Lexer<'_>, place: &Place) -> Result<(), Problem> {
        let mut name = String::new();
        loop {
            match lexer.token()? {
                Some((Token::Sign(";"), _)) => break,
                Some((Token::Sign("::"), _)) => {}
                Some((Token::Word(word) | Token::Escaped(word), _)) if name.is_empty() => {
                    name = word
                }
                Some((Token::Word(_) | Token::Escaped(_), _)) => {}
                Some((Token::Text { .. }, _)) => {}
                Some((token, place)) => {
                    let what = format!("expected a name to import, not {}", token.shown());
                    return Err(Problem::new(&place, what, "write import ::Name;"));
                }
                None => {
                    let what = "the import has no end";
                    return Err(Problem::new(place, what, "close it by ;"));
                }
            }
        }
        let file = if name == "CORBA" { "orb.idl".to_owned() } else { format!("{name}.idl") };
        if !name.is_empty() && self.depth < self.limits.depth && self.imported.insert(file.clone())
        {
            self.opened(from, &file, false, place)?;
        }
        Ok(())
    }

    fn define(&mut self, rest: &str, place: &Place) -> Result<(), Problem> {
        let is_part = |it: char| it.is_alphanumeric() || it == '_';
        let end = rest.find(|it| !is_part(it)).unwrap_or(rest.len());
        let (name, body) = rest.split_at(end);
        if name.is_empty() || body.starts_with('(') {
            let what = format!("#define {rest}: macros with parameters are not supported");
            return Err(Problem::new(place, what, "write out what it stands for"));
        }
        let body = self.tokens_of(body, place)?;
        self.macros.insert(name.to_owned(), body);
        Ok(())
    }

    fn tokens_of(&self, text: &str, place: &Place) -> Result<Vec<Token>, Problem> {
        let mut lexer = Lexer::at(text, place);
        let mut tokens = Vec::new();
        while let Some((token, _)) = lexer.token()? {
            tokens.push(token);
        }
        Ok(tokens)
    }

    fn condition(&self, text: &str, place: &Place) -> Result<bool, Problem> {
        let tokens = self.tokens_of(text, place)?;
        let mut condition = Condition { macros: &self.macros, tokens: &tokens, depth: 0 };
        match condition.either() {
            Some(value) if condition.tokens.is_empty() => Ok(value != 0),
            _ => {
                let what = format!("the condition {text} is not understood");
                Err(Problem::new(
                    place,
                    what,
                    "write it with defined, numbers, !, &&, ||, == and <",
                ))
            }
        }
    }
}

/// The name of a macro, which knows nothing of identifiers that are escaped by an underscore.
fn macro_name(token: &Token) -> Option<String> {
    match token {
        Token::Word(name) => Some(name.clone()),
        Token::Escaped(name) => Some(format!("_{name}")),
        _ => None,
    }
}

/// What stands behind `#if`. None if it is not understood.
struct Condition<'a> {
    macros: &'a HashMap<String, Vec<Token>>,
    tokens: &'a [Token],
    depth: usize,
}

/// Conditions inside one another, at most.
const DEEPEST: usize = 64;

impl Condition<'_> {
    fn takes(&mut self, signs: &[&str]) -> bool {
        let is_it = |it: (&Token, &&str)| matches!(it.0, Token::Sign(sign) if sign == it.1);
        let is_there = self.tokens.len() >= signs.len() && self.tokens.iter().zip(signs).all(is_it);
        if is_there {
            self.tokens = &self.tokens[signs.len()..];
        }
        is_there
    }

    fn either(&mut self) -> Option<i128> {
        let mut value = self.both()?;
        while self.takes(&["|", "|"]) {
            let other = self.both()?;
            value = i128::from(value != 0 || other != 0);
        }
        Some(value)
    }

    fn both(&mut self) -> Option<i128> {
        let mut value = self.compared()?;
        while self.takes(&["&", "&"]) {
            let other = self.compared()?;
            value = i128::from(value != 0 && other != 0);
        }
        Some(value)
    }

    fn compared(&mut self) -> Option<i128> {
        let value = self.single()?;
        let compare: fn(&i128, &i128) -> bool = match () {
            () if self.takes(&["=", "="]) => i128::eq,
            () if self.takes(&["!", "="]) => i128::ne,
            () if self.takes(&["<", "="]) => i128::le,
            () if self.takes(&[">", "="]) => i128::ge,
            () if self.takes(&["<"]) => i128::lt,
            () if self.takes(&[">"]) => i128::gt,
            () => return Some(value),
        };
        Some(i128::from(compare(&value, &self.single()?)))
    }

    fn single(&mut self) -> Option<i128> {
        self.depth += 1;
        let value = if self.depth > DEEPEST { None } else { self.inner() };
        self.depth -= 1;
        value
    }

    fn inner(&mut self) -> Option<i128> {
        if self.takes(&["!"]) {
            return Some(i128::from(self.single()? == 0));
        }
        if self.takes(&["-"]) {
            return self.single()?.checked_neg();
        }
        if self.takes(&["("]) {
            let value = self.either()?;
            return self.takes(&[")"]).then_some(value);
        }
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        match first {
            Token::Integer(number) => i128::try_from(*number).ok(),
            Token::Word(word) if word == "defined" => {
                let is_inside = self.takes(&["("]);
                let (name, rest) = self.tokens.split_first()?;
                let name = macro_name(name)?;
                self.tokens = rest;
                let is_closed = !is_inside || self.takes(&[")"]);
                is_closed.then(|| i128::from(self.macros.contains_key(&name)))
            }
            // What is not defined is 0.
            Token::Word(_) | Token::Escaped(_) => match self.macros.get(&macro_name(first)?) {
                Some(body) => {
                    let (macros, depth) = (self.macros, self.depth);
                    let mut inside = Condition { macros, tokens: body, depth };
                    inside.single()
                }
                None => Some(0),
            },
            _ => None,
        }
    }
}
