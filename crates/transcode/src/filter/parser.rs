//! Texts to filters.

use trunkline_wire::BigDecimal;

use super::lexer::{Lexer, Token};
use super::{Comparison, Condition, Filter, FilterError, Literal, Node, Number, Path, Test};

pub(super) fn parse(text: &str) -> Result<Node, FilterError> {
    let mut parser = Parser::new(text)?;
    if parser.token == Token::End {
        let why = "it is empty; a filter is such as Bid > 1.08 and Source = 'X'";
        return Err(FilterError::new(0, why));
    }
    let root = parser.any(0)?;
    match parser.token {
        Token::End => Ok(root),
        Token::Compare(Comparison::Equal) => Err(parser.wrong("one = is enough")),
        _ => Err(parser.wrong("and, or, or the end is expected")),
    }
}

/// The fields of a list with commas: at most so many names.
pub(crate) fn parse_paths(text: &str, most: usize) -> Result<Vec<Path>, FilterError> {
    let mut parser = Parser::new(text)?;
    if parser.token == Token::End {
        return Err(FilterError::new(0, "it is empty; fields are such as Symbol, Bid, Ask"));
    }
    let (mut paths, mut names) = (Vec::new(), 0);
    loop {
        if matches!(parser.token, Token::Number(_) | Token::Text(_)) {
            return Err(parser.wrong("the name of a field is expected"));
        }
        let path = parser.path()?;
        names += path.0.len();
        if names > most {
            return Err(FilterError::new(path.1, format!("it has more than {most} names")));
        }
        paths.push(path);
        match parser.token {
            Token::End => return Ok(paths),
            Token::Comma => parser.advance()?,
            _ => return Err(parser.wrong("a comma or the end is expected")),
        }
    }
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    token: Token<'a>,
    offset: usize,
    terms: usize,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Result<Self, FilterError> {
        let mut lexer = Lexer::new(text);
        let (offset, token) = lexer.next()?;
        Ok(Self { lexer, token, offset, terms: 0 })
    }

    fn advance(&mut self) -> Result<(), FilterError> {
        (self.offset, self.token) = self.lexer.next()?;
        Ok(())
    }

    fn wrong(&self, why: impl Into<String>) -> FilterError {
        FilterError::new(self.offset, why)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.token, Token::Name(name) if name.eq_ignore_ascii_case(word))
    }

    fn takes_word(&mut self, word: &str) -> Result<bool, FilterError> {
        let is_it = self.is_word(word);
        if is_it {
            self.advance()?;
        }
        Ok(is_it)
    }

    fn any(&mut self, depth: usize) -> Result<Node, FilterError> {
        self.chain(depth, "or", Node::Any, |it, depth| it.chain(depth, "and", Node::All, Self::not))
    }

    /// One or several, with a word between them.
    fn chain(
        &mut self,
        depth: usize,
        word: &str,
        all: impl Fn(Vec<Node>) -> Node,
        one: impl Fn(&mut Self, usize) -> Result<Node, FilterError>,
    ) -> Result<Node, FilterError> {
        let first = one(self, depth)?;
        if !self.is_word(word) {
            return Ok(first);
        }
        let mut nodes = vec![first];
        while self.takes_word(word)? {
            nodes.push(one(self, depth)?);
        }
        Ok(all(nodes))
    }

    fn not(&mut self, depth: usize) -> Result<Node, FilterError> {
        let is_open = self.token == Token::Open;
        if (is_open || self.is_word("not")) && depth == Filter::DEPTH {
            let why = format!("parentheses and not are more than {} deep", Filter::DEPTH);
            return Err(self.wrong(why));
        }
        if self.takes_word("not")? {
            return Ok(Node::Not(Box::new(self.not(depth + 1)?)));
        }
        if !is_open {
            return self.test().map(Node::Test);
        }
        let opened = self.offset;
        self.advance()?;
        let inside = self.any(depth + 1)?;
        if self.token == Token::End {
            return Err(FilterError::new(opened, "the ) that closes it is missing"));
        }
        self.expect(Token::Close, "and, or, or ) is expected")?;
        Ok(inside)
    }

    fn expect(&mut self, token: Token<'_>, why: &str) -> Result<(), FilterError> {
        if self.token != token {
            return Err(self.wrong(why));
        }
        self.advance()
    }

    fn count_term(&mut self) -> Result<(), FilterError> {
        self.terms += 1;
        let most = Filter::MOST_TERMS;
        if self.terms > most {
            return Err(self.wrong(format!("it has more than {most} comparisons and values")));
        }
        Ok(())
    }

    fn test(&mut self) -> Result<Test, FilterError> {
        self.count_term()?;
        if self.takes_word("exists")? {
            let (path, offset) = self.path()?;
            return Ok(Test { path, offset, condition: Condition::Exists });
        }
        let (path, offset) = self.path()?;
        if self.takes_word("in")? {
            let condition = Condition::In(self.values()?);
            return Ok(Test { path, offset, condition });
        }
        let Token::Compare(comparison) = self.token else {
            let field = super::shown_path(&path);
            let why = match self.token {
                _ if self.is_word("not") => format!("write: not {field} in (...)"),
                _ => format!(
                    "{field} is followed by =, !=, <, <=, >, >= or in; whether it is there is: exists {field}"
                ),
            };
            return Err(self.wrong(why));
        };
        self.advance()?;
        let condition = Condition::Is(comparison, self.value()?);
        Ok(Test { path, offset, condition })
    }

    fn path(&mut self) -> Result<Path, FilterError> {
        let start = self.offset;
        let mut path = Vec::new();
        loop {
            match self.token {
                Token::Name(name) if !path.is_empty() || super::lexer::is_plain(name) => {
                    path.push(name.into());
                }
                Token::Quoted(name) => path.push(name.replace("\"\"", "\"").into()),
                Token::Number(_) | Token::Text(_) => {
                    return Err(self.wrong("a comparison begins with the name of a field"));
                }
                _ => return Err(self.wrong("the name of a field is expected")),
            }
            self.advance()?;
            if self.token != Token::Point {
                return Ok((path, start));
            }
            self.advance()?;
        }
    }

    fn values(&mut self) -> Result<Vec<Literal>, FilterError> {
        self.expect(Token::Open, "in is followed by values in parentheses: in ('a', 'b')")?;
        let mut values = vec![self.value()?];
        while self.token == Token::Comma {
            self.advance()?;
            self.count_term()?;
            values.push(self.value()?);
        }
        self.expect(Token::Close, ", or ) is expected")?;
        Ok(values)
    }

    fn value(&mut self) -> Result<Literal, FilterError> {
        let value = match self.token {
            Token::Text(text) => Literal::Text(text.replace("''", "'").into()),
            Token::Number(text) => Literal::Number(self.number(text)?),
            _ if self.is_word("true") => Literal::Boolean(true),
            _ if self.is_word("false") => Literal::Boolean(false),
            Token::Name(name) | Token::Quoted(name) => {
                let why =
                    format!("a value is a number, true, false, or a text in quotes: '{name}'");
                return Err(self.wrong(why));
            }
            Token::Compare(_) => {
                return Err(self.wrong("there are =, !=, <, <=, > and >=, and a value behind them"));
            }
            _ => return Err(self.wrong("a value is expected: a number, 'text', true or false")),
        };
        self.advance()?;
        Ok(value)
    }

    fn number(&self, text: &str) -> Result<Number, FilterError> {
        let exact = BigDecimal::parse(text.as_bytes());
        let exact = exact.map_err(|error| {
            self.wrong(format!("{text} is no number such as -1.08: {error}; texts stand in quotes"))
        })?;
        let decimal = exact.to_decimal();
        Ok(Number { exact, decimal })
    }
}
