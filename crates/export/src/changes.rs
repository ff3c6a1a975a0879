//! What a kind of description has no word for.

use std::collections::HashMap;

use trunkline_message::{Body, Kind};

use crate::LeftOut;
use crate::types::Graph;

/// What was written otherwise than it was, by the reason.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes {
    /// Reasons in the order in which they came, each with the first place and how many there are.
    all: Vec<(String, String, usize)>,
    known: HashMap<String, usize>,
}

impl Changes {
    /// Adds a place, and why what is there is not said as it was.
    pub(crate) fn add(&mut self, place: impl FnOnce() -> String, why: String) {
        match self.known.get(&why) {
            Some(index) => self.all[*index].2 += 1,
            None => {
                self.known.insert(why.clone(), self.all.len());
                self.all.push((why, place(), 1));
            }
        }
    }

    /// Adds the notes that are not said of types that were written, or of their members.
    pub(crate) fn add_notes(
        &mut self,
        graph: &Graph<'_>,
        written: &[bool],
        is_said: impl Fn(&str, &str) -> bool,
        target: &str,
    ) {
        let why = |format: &str, word: &str| format!("{target} has no word for {format}({word})");
        for (index, of) in graph.types.iter().enumerate().filter(|it| written[it.0]) {
            for (format, word, _) in of.notes().filter(|it| !is_said(it.0, it.1)) {
                self.add(|| of.name().to_owned(), why(format, word));
            }
            for member in 0..graph.types[index].parts() {
                for (format, word, _) in of.notes_of(member).filter(|it| !is_said(it.0, it.1)) {
                    self.add(|| of.path(member), why(format, word));
                }
            }
        }
    }

    /// Adds the values of kinds that are said as others; `again` has the type of each, and the kind that is read again.
    pub(crate) fn add_kinds(
        &mut self,
        graph: &Graph<'_>,
        written: &[bool],
        target: &str,
        again: impl Fn(Kind) -> (&'static str, Kind),
    ) {
        for (_, of) in graph.types.iter().enumerate().filter(|it| written[it.0]) {
            for (part, inside) in of.inside.iter().enumerate() {
                let Body::Scalar(kind) = graph.types[*inside].body() else { continue };
                let (name, read) = again(*kind);
                if read != *kind {
                    let why = format!("{target} has no type for {}, and says {name}", kind.name());
                    self.add(|| of.path(part), why);
                }
            }
        }
    }

    /// A line for each reason.
    pub(crate) fn lines(self) -> Vec<LeftOut> {
        let line = |(why, first, count): (String, String, usize)| {
            let what = match count {
                1 => first,
                2 => format!("{first} and one more"),
                count => format!("{first} and {} more", count - 1),
            };
            LeftOut { what, why }
        };
        self.all.into_iter().map(line).collect()
    }
}
