//! What documents begin with, again and again: starts with declarations and attributes, all of whose strings are entries.

use super::Writer;
use super::output::Octets;
use crate::fast_infoset::vocabulary::{Counters, Span};
use crate::infoset::KnownOpening;

impl Writer {
    /// Keeps what was written since these lengths of the output and of what is declared, and this depth.
    #[cold]
    pub(super) fn know_opening(
        &self,
        known: &mut KnownOpening,
        (out, scope, text, scopes): (usize, usize, usize, usize),
        depth: usize,
    ) {
        let from = text as u32;
        let within = |span: Span| [span.start - from, span.length];
        *known = KnownOpening {
            writer: self.number,
            generation: self.sender.generation(),
            octets: self.out.as_slice()[out..].into(),
            depth: self.depth - depth,
            values: [0; 2],
            text: self.scope_text[text..].into(),
            declared: self.scope[scope..]
                .iter()
                .map(|[prefix, namespace]| {
                    let [[a, b], [c, d]] = [within(*prefix), within(*namespace)];
                    [a, b, c, d]
                })
                .collect(),
            scopes: self.scopes[scopes..]
                .iter()
                .map(|[of, declared, length]| [of - depth, declared - scope, length - text])
                .collect(),
        };
    }

    /// Writes the same again.
    pub(super) fn write_opening(&mut self, known: &KnownOpening) {
        self.out.put_all(&known.octets);
        let [indexes, literals] = known.values;
        self.counters.add(&Counters { indexes, literals });
        let (scope, text) = (self.scope.len(), self.scope_text.len());
        self.scope_text.push_str(&known.text);
        let span = |start: u32, length: u32| Span { start: start + text as u32, length };
        self.scope.extend(known.declared.iter().map(|[a, b, c, d]| [span(*a, *b), span(*c, *d)]));
        let depth = self.depth;
        self.scopes.extend(
            known
                .scopes
                .iter()
                .map(|[of, declared, length]| [of + depth, declared + scope, length + text]),
        );
        self.depth += known.depth;
    }
}
