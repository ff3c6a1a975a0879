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

    /// Takes note of whether a description was rejected as the suite expects it. A reason has a place and a remedy.
    pub fn outcome(
        [refused, taken]: [&mut Self; 2],
        (case, expected): (&str, &str),
        rejected: Option<&str>,
    ) {
        match (expected, rejected) {
            ("import" | "accept", Some(why)) => refused.note(case, why),
            ("refuse" | "error" | "error-offline", None) => taken.note(case, ""),
            _ => {}
        }
        if let Some(why) = rejected.filter(|it| it.matches(':').count() < 3 || !it.contains("; ")) {
            refused.wrong.push(format!("{case} is not told clearly: {why}"));
        }
    }

    /// Fails with what is not known, and with what is known and no longer so.
    ///
    /// # Panics
    /// There is such.
    pub fn assert_none_else<const N: usize>(all: [Self; N]) {
        let wrong: Vec<String> = all.into_iter().flat_map(Self::wrong).collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    /// What is not known, and what is known and no longer so.
    fn wrong(self) -> Vec<String> {
        let Self { known, is_used, mut wrong } = self;
        let unused = known.iter().zip(is_used).filter(|it| !it.1);
        wrong.extend(unused.map(|(it, _)| format!("no longer an exception: {it:?}")));
        wrong
    }
}
