//! Where in a document something is: its line, and the path of its element. They are worked out only where something is wrong.

use std::collections::HashMap;

use trunkline_codec::xml::{self, Event, Parser};
use trunkline_message::Limits;

use super::walk::Found;
use super::{Fault, Violation};
use crate::markup::Lines;

/// An error of XML.
pub(super) fn of_error(input: &str, offset: usize, error: &xml::Error) -> Violation {
    let (line, column) = Lines::new(input).at(input.floor_char_boundary(offset));
    let rule = match error.kind {
        xml::ErrorKind::MessageTooLong(_)
        | xml::ErrorKind::TooDeep(_)
        | xml::ErrorKind::ValueTooLong(_)
        | xml::ErrorKind::TooManyAttributes(_) => "limit",
        _ => "well-formed",
    };
    let what = error.kind.to_string();
    let path = "/".into();
    Violation { line, column, path, rule, what, is_misplaced: false, is_nil: false }
}

/// Gives each of what is wrong its place, in the order of the document.
pub(super) fn of(input: &str, mut found: Vec<Found>, limits: &Limits) -> Vec<Violation> {
    found.sort_by_key(|it| it.at);
    let mut found = found.into_iter().peekable();
    let mut places = Places {
        lines: Lines::new(input),
        path: String::new(),
        ends: Vec::new(),
        counts: vec![HashMap::new()],
    };
    let mut all = Vec::new();
    let mut parser = Parser::new(xml::Options::default(), limits);
    if parser.begin(input).is_err() {
        return all;
    }
    while let Some(next) = found.peek() {
        let (wanted, at) = (next.at, parser.position());
        let Ok(event) = parser.next(input) else { break };
        match event {
            Event::Start { name, .. } => {
                places.start(name.local());
                let blanks = input[at..].len() - input[at..].trim_ascii_start().len();
                if at + blanks == wanted {
                    let (line, column) = places.lines.at(wanted);
                    while let Some(it) = found.next_if(|it| it.at == wanted) {
                        all.push(places.violation(it, (line, column)));
                    }
                }
            }
            Event::End { .. } => places.end(),
            Event::Eof => break,
            _ => {}
        }
    }
    all
}

struct Places<'a> {
    lines: Lines<'a>,
    path: String,
    /// Where the path of each open element ends without it.
    ends: Vec<usize>,
    /// How many elements of each name were there.
    counts: Vec<HashMap<&'a str, usize>>,
}

impl<'a> Places<'a> {
    fn start(&mut self, name: &'a str) {
        self.ends.push(self.path.len());
        self.path.extend(["/", name]);
        if let Some(counts) = self.counts.last_mut() {
            let count = counts.entry(name).or_default();
            *count += 1;
            // The first is not numbered: most are the only one.
            if *count > 1 {
                self.path.push_str(&format!("[{count}]"));
            }
        }
        self.counts.push(HashMap::new());
    }

    fn end(&mut self) {
        self.counts.pop();
        self.path.truncate(self.ends.pop().unwrap_or(0));
    }

    fn violation(&self, found: Found, (line, column): (u32, u32)) -> Violation {
        let Fault { rule, what, is_misplaced, is_nil } = found.fault;
        let path = match found.attribute {
            Some(attribute) => format!("{}/@{attribute}", self.path),
            None => self.path.clone(),
        };
        Violation { line, column, path, rule, what, is_misplaced, is_nil }
    }
}
