//! Notes of formats by chance, about the members and types of a schema that is being made.

use trunkline_message::{LayoutBuilder, MemberId, Need, TypeId};
use trunkline_random::Random;

/// Which notes there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Notes {
    None,
    /// Those that mean something where they stand.
    Fitting,
    /// Any, anywhere.
    Any,
}

/// What a member is, as far as notes ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    Value,
    /// A list of single values.
    Values,
    List,
    Struct,
    Choice,
    /// A choice whose arms are told by types.
    Typed,
    /// A list of choices whose arms are told by elements.
    Choices,
}

/// How the arms of a choice are labelled.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Labels {
    None,
    Numbers,
    Letters,
}

pub(crate) struct Noter {
    pub(crate) notes: Notes,
    random: Random,
    /// Names that are noted are no other's.
    names: u32,
}

const NAMESPACES: [&str; 4] = ["", "urn:x", "urn:y", "urn:a b&\"<"];
const FORMS: [&str; 2] = ["qualified", "unqualified"];

/// Words with what they may say, and some that they may not.
const ANY: [(&str, &str, &[&str]); 13] = [
    ("xml", "entry", &["entry", "Field1", "item", "1x", ""]),
    ("xml", "name", &["name", "Field1", "Component1", "xmlns", "href", "a b"]),
    ("xml", "namespace", &NAMESPACES),
    ("xml", "form", &["qualified", "unqualified", "both"]),
    ("xml", "kind", &["attribute", "attribute", "text", "element", "comment"]),
    ("xml", "list", &["unwrapped", "spaced", "loose", "arms", "mixed"]),
    ("xml", "choice", &["type", "element", "shape"]),
    ("xml", "type", &["Field1", "xsd:anyURI", "a b"]),
    ("xml", "base", &["true", "false", "perhaps"]),
    ("xml", "nillable", &["true", "false", "perhaps"]),
    ("cdr", "switch", &["boolean", "char", "i16", "u64", "enum", "f64"]),
    ("cdr", "label", &["0", "7", "-1", "true", "x", "default", ""]),
    ("xml", "word", &["unknown"]),
];

impl Noter {
    pub(crate) fn new(seed: u64, notes: Notes) -> Self {
        Self { notes, random: Random::new(seed ^ 0x5eed), names: 0 }
    }

    /// By chance, of a hundred, where there are notes that fit.
    pub(crate) fn fits(&mut self, percent: u64) -> bool {
        self.notes == Notes::Fitting && self.random.chance(percent)
    }

    fn name(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    fn pick(&mut self, from: &[&'static str]) -> &'static str {
        from[self.random.below(from.len() as u64) as usize]
    }

    /// About the member added last.
    pub(crate) fn member(
        &mut self,
        builder: &mut LayoutBuilder,
        what: What,
        need: Need,
        is_arm: bool,
    ) {
        match self.notes {
            Notes::None => return,
            Notes::Any => {
                return self.any(|format, word, value| _ = builder.note(format, word, value));
            }
            Notes::Fitting if what == What::Choice => return,
            Notes::Fitting => {}
        }
        let mut note = |word: &str, value: &str| _ = builder.note("xml", word, value);
        if self.random.chance(20) {
            note("name", &self.name("Name"));
        }
        if self.random.chance(10) {
            note("namespace", self.pick(&NAMESPACES));
        }
        if self.random.chance(10) {
            note("form", self.pick(&FORMS));
        }
        if matches!(what, What::Values | What::List | What::Choices) && self.random.chance(20) {
            note("entry", &self.name("Item"));
        }
        if is_arm {
            return;
        }
        let mut may_be_nil = need == Need::Optional;
        match what {
            What::Value if self.random.chance(25) => {
                note("kind", "attribute");
                may_be_nil = false;
            }
            What::Values if self.random.chance(30) => {
                note("list", "spaced");
                if self.random.chance(40) {
                    note("kind", "attribute");
                    may_be_nil = false;
                }
            }
            What::Choices if self.random.chance(30) => {
                note("list", "arms");
                may_be_nil = false;
            }
            What::Values | What::List | What::Choices if self.random.chance(40) => {
                note("list", "unwrapped");
                may_be_nil = false;
            }
            _ => {}
        }
        if may_be_nil && self.random.chance(30) {
            note("nillable", "true");
        }
    }

    /// The text of the element around, or an attribute of it.
    pub(crate) fn in_tag(&mut self, builder: &mut LayoutBuilder, kind: &str) {
        builder.note("xml", "kind", kind);
    }

    /// About the type that was opened last.
    pub(crate) fn of_type(&mut self, builder: &mut LayoutBuilder) {
        match self.notes {
            Notes::None => {}
            Notes::Any => {
                self.any(|format, word, value| _ = builder.note_type(format, word, value));
            }
            Notes::Fitting => {
                if self.random.chance(15) {
                    builder.note_type("xml", "namespace", self.pick(&NAMESPACES));
                }
                if self.random.chance(15) {
                    builder.note_type("xml", "form", self.pick(&FORMS));
                }
            }
        }
    }

    /// About the choice that was opened last: how its arms are labelled.
    pub(crate) fn labels(&mut self, builder: &mut LayoutBuilder) -> Labels {
        if !self.fits(40) {
            return Labels::None;
        }
        if self.random.chance(30) {
            builder.note_type("cdr", "switch", "char");
            return Labels::Letters;
        }
        builder.note_type("cdr", "switch", self.pick(&["i16", "u16", "i32", "u32", "i64", "u64"]));
        Labels::Numbers
    }

    /// About the arm added last.
    pub(crate) fn label(&mut self, builder: &mut LayoutBuilder, labels: Labels, arm: u64) {
        let label = match labels {
            Labels::None => return,
            Labels::Numbers => (100 * arm + self.random.below(100)).to_string(),
            Labels::Letters => char::from(b'a' + arm as u8).to_string(),
        };
        builder.note("cdr", "label", &label);
    }

    /// FIX's codes of an enumeration.
    pub(crate) fn codes(&mut self, builder: &mut LayoutBuilder, of: TypeId, values: u32) {
        if self.fits(50) {
            for index in 0..values {
                let member = MemberId { of, index };
                builder.types().notes().note_member(member, "fix", "code", &format!("c{index}"));
            }
        }
    }

    fn any(&mut self, mut note: impl FnMut(&str, &str, &str)) {
        // In some schemas there is hardly one, so that they are not all rejected.
        while self.random.chance(4) {
            let (format, word, values) = ANY[self.random.below(ANY.len() as u64) as usize];
            note(format, word, self.pick(values));
        }
    }
}
