//! What differs from a suite and is known, each with its reason: what is no longer so has to go.

/// Cases, with a part of what is told of them.
pub struct Exceptions {
    known: &'static [(&'static str, &'static str)],
    is_used: Vec<bool>,
    wrong: Vec<String>,
}

impl Exceptions {
    /// Those that are known.
    pub fn new(known: &'static [(&'static str, &'static str)]) -> Self {
        Self { known, is_used: vec![false; known.len()], wrong: Vec::new() }
    }

    /// Takes note of something that is not as the suite has it.
    pub fn note(&mut self, case: &str, what: &str) {
        let is_it = |it: &(&str, &str)| it.0 == case && what.contains(it.1);
        match self.known.iter().position(is_it) {
            Some(index) => self.is_used[index] = true,
            None => self.wrong.push(format!("{case}: {what}")),
        }
    }

    /// What is not known, and what is known and no longer so.
    pub fn wrong(self) -> Vec<String> {
        let Self { known, is_used, mut wrong } = self;
        let unused = known.iter().zip(is_used).filter(|it| !it.1);
        wrong.extend(unused.map(|(it, _)| format!("no longer an exception: {it:?}")));
        wrong
    }
}
