//! Schemas by seed: any kinds and shapes of types, nested in each other.

use std::sync::Arc;

use trunkline_message::{IntegerKind, Kind, Layout, LayoutBuilder, Need, TypeId};
use trunkline_random::Random;

use crate::random_notes::{Labels, Noter, Notes, What};

/// A schema that FIX can carry: every field has a number, every data field a length.
///
/// # Panics
/// If a seed makes no schema, which is a mistake of this generator.
pub fn flat(seed: u64) -> Arc<Layout> {
    made(seed, true, Notes::None, Parts::ALL)
}

/// A schema with every shape of type, which hold themselves, too.
///
/// # Panics
/// As [`flat`].
pub fn any(seed: u64) -> Arc<Layout> {
    made(seed, false, Notes::None, Parts::ALL)
}

/// The same without content of any shape, which stands nowhere where content is encoded.
///
/// # Panics
/// As [`flat`].
pub fn encoded(seed: u64) -> Arc<Layout> {
    made(seed, false, Notes::None, Parts { any: false, ..Parts::ALL })
}

/// The same without mixed content either, for which graphs have no form.
///
/// # Panics
/// As [`flat`].
pub fn of_values(seed: u64) -> Arc<Layout> {
    made(seed, false, Notes::None, Parts { any: false, mixed: false })
}

/// One of either, with notes of every word where they mean something.
///
/// # Panics
/// As [`flat`].
pub fn noted(seed: u64, flat: bool) -> Arc<Layout> {
    made(seed, flat, Notes::Fitting, Parts::ALL)
}

/// A schema with every shape of type, and with notes where they mean something or nothing.
///
/// # Panics
/// As [`flat`].
pub fn misnoted(seed: u64) -> Arc<Layout> {
    made(seed, false, Notes::Any, Parts::ALL)
}

/// What there may be besides values, structs, choices and lists.
#[derive(Clone, Copy)]
struct Parts {
    /// Mixed content.
    mixed: bool,
    /// Content of any shape.
    any: bool,
}

impl Parts {
    const ALL: Self = Self { mixed: true, any: true };
}

fn made(seed: u64, flat: bool, notes: Notes, mut parts: Parts) -> Arc<Layout> {
    let mut builder = Layout::builder(&format!("Message{seed}"));
    builder.note_type("fix", "message_type", "U1");
    let (random, notes) = (Random::new(seed), Noter::new(seed, notes));
    // Styles that have none of it reject the whole message.
    parts.any &= seed.is_multiple_of(3);
    let mut maker = Maker { random, number: 1000, names: 0, flat, notes, parts };
    maker.notes.of_type(&mut builder);
    maker.members(&mut builder, 0, false);
    Arc::new(builder.build().expect("a schema"))
}

struct Maker {
    random: Random,
    number: u32,
    /// Arms of choices have names that no other field has: XML shows them beside the choice's
    /// neighbours.
    names: u32,
    flat: bool,
    notes: Noter,
    parts: Parts,
}

/// What a field is of.
struct Typed {
    of: TypeId,
    /// Is it a list of any length?
    is_list: bool,
    is_data: bool,
    what: What,
}

/// Structs, choices and lists stand inside each other up to here.
const DEPTH: usize = 3;

impl Maker {
    /// Says whether others may stand beside them.
    fn members(&mut self, builder: &mut LayoutBuilder, depth: usize, is_entry: bool) -> bool {
        if depth > 0 && !is_entry && self.notes.fits(10) {
            self.text(builder);
            return false;
        }
        let count = match self.random.below(5) {
            // Past the 64 fields of one word of presence.
            0 if depth == 0 => self.random.between(60, 140),
            _ => self.random.between(1, 9),
        };
        for i in 0..count {
            // What parts the entries of a group in FIX is a field with a value, or a group.
            let opens_entry = self.flat && is_entry && i == 0;
            let need = if self.random.chance(40) { Need::Required } else { Need::Optional };
            match self.random.below(12) {
                0 if depth < DEPTH => self.group(builder, i, need, depth),
                1 if depth < DEPTH => {
                    let need = if need == Need::Optional { Need::Implied } else { need };
                    builder.begin_component(&format!("Component{i}"), need);
                    self.notes.member(builder, What::Struct, need, false);
                    self.notes.of_type(builder);
                    self.members(builder, depth + 1, is_entry && i == 0);
                    builder.end();
                }
                2 if depth < DEPTH && !self.flat && self.parts.mixed && self.random.chance(25) => {
                    builder.begin_component(&format!("Struct{i}"), Need::Optional);
                    self.notes.member(builder, What::Struct, Need::Optional, false);
                    self.notes.of_type(builder);
                    self.mixed(builder, depth);
                    builder.end();
                }
                2 if depth < DEPTH && !opens_entry => {
                    builder.begin_component(&format!("Struct{i}"), Need::Optional);
                    self.notes.member(builder, What::Struct, Need::Optional, false);
                    self.notes.of_type(builder);
                    if self.members(builder, depth + 1, false) {
                        self.again(builder);
                    }
                    builder.end();
                }
                3 if depth < DEPTH && !opens_entry => {
                    let need = if need == Need::Optional { Need::Implied } else { need };
                    builder.begin_choice(&format!("Choice{i}"), need);
                    let is_typed = self.is_typed();
                    let what = if is_typed { What::Typed } else { What::Choice };
                    self.notes.member(builder, what, need, false);
                    self.notes.of_type(builder);
                    self.arms_of(builder, depth, is_typed);
                    builder.end();
                }
                4 if depth < DEPTH && !self.flat => {
                    builder.begin_choices(
                        &format!("Choices{i}"),
                        &format!("Option{i}"),
                        list(need),
                    );
                    let is_typed = self.is_typed();
                    let what = if is_typed { What::List } else { What::Choices };
                    self.notes.member(builder, what, list(need), false);
                    self.notes.of_type(builder);
                    self.arms_of(builder, depth, is_typed);
                    builder.end();
                }
                _ => self.field(builder, &format!("Field{i}"), need, None),
            }
        }
        true
    }

    /// A text with attributes.
    fn text(&mut self, builder: &mut LayoutBuilder) {
        let count = self.random.between(1, 4);
        let text = self.random.below(count);
        for i in 0..count {
            let need = if self.random.chance(50) { Need::Required } else { Need::Optional };
            let kind = self.kind(false);
            builder.field(&format!("Field{i}"), kind, need);
            self.number(builder, kind == Kind::Bytes);
            self.notes.in_tag(builder, if i == text { "text" } else { "attribute" });
        }
    }

    fn group(&mut self, builder: &mut LayoutBuilder, i: u64, need: Need, depth: usize) {
        let need = if self.random.chance(80) { list(need) } else { need };
        builder.begin_group(&format!("Group{i}"), &format!("Entry{i}"), need);
        self.number(builder, false);
        self.notes.member(builder, What::List, need, false);
        self.notes.of_type(builder);
        // Where there is no FIX, no entry needs a first field.
        if self.members(builder, depth + 1, self.flat) {
            self.again(builder);
        }
        builder.end();
    }

    /// Lets a struct hold itself now and then.
    fn again(&mut self, builder: &mut LayoutBuilder) {
        if self.flat || !self.random.chance(30) {
            return;
        }
        let of = builder.open_type();
        let (of, need, what) = match self.random.below(3) {
            0 => (of, Need::Optional, What::Struct),
            1 => (builder.types().list(of, None), Need::Implied, What::List),
            _ => (builder.types().list(of, None), Need::Optional, What::List),
        };
        builder.member("Again", of, need);
        self.notes.member(builder, what, need, false);
    }

    /// Elements with text between them, and where there are notes, attributes.
    fn mixed(&mut self, builder: &mut LayoutBuilder, depth: usize) {
        if self.notes.fits(50) {
            let kind = self.kind(false);
            builder.field("Attribute", kind, Need::Optional);
            self.notes.in_tag(builder, "attribute");
        }
        builder.begin_choices("Mixed", "Piece", Need::Implied);
        builder.note("xml", "list", "mixed");
        self.notes.of_type(builder);
        let labels = self.notes.labels(builder);
        let text = builder.types().scalar(Kind::Text);
        builder.member("Text", text, Need::Required).note("xml", "kind", "text");
        self.notes.label(builder, labels, 0);
        self.arms(builder, depth, (labels, 1));
        builder.end();
    }

    /// Does `xsi:type` tell the arms of the next choice?
    fn is_typed(&mut self) -> bool {
        !self.flat && self.random.chance(40)
    }

    fn arms_of(&mut self, builder: &mut LayoutBuilder, depth: usize, is_typed: bool) {
        if is_typed {
            return self.typed_arms(builder, depth);
        }
        let labels = self.notes.labels(builder);
        self.arms(builder, depth, (labels, 0));
    }

    /// Arms that `xsi:type` tells apart.
    fn typed_arms(&mut self, builder: &mut LayoutBuilder, depth: usize) {
        builder.note_type("xml", "choice", "type");
        let labels = self.notes.labels(builder);
        let base = self.random.below(8);
        for i in 0..self.random.between(1, 5) {
            self.names += 1;
            let name = format!("Arm{}", self.names);
            match self.random.below(5) {
                0 => {
                    builder.begin_component(&name, Need::Required);
                    note_type(builder, true, base == i, &name);
                    self.notes.label(builder, labels, i);
                    self.notes.of_type(builder);
                    self.members(builder, depth + 1, false);
                    builder.end();
                }
                1 => {
                    // An arm that says nothing but that it is chosen.
                    builder.begin_component(&name, Need::Required);
                    note_type(builder, true, base == i, &name);
                    self.notes.label(builder, labels, i);
                    self.notes.of_type(builder);
                    builder.end();
                }
                2 if depth + 1 < DEPTH => {
                    builder.begin_choice(&name, Need::Required);
                    note_type(builder, true, base == i, &name);
                    self.notes.label(builder, labels, i);
                    self.notes.of_type(builder);
                    self.arms_of(builder, depth + 1, false);
                    builder.end();
                }
                // Types of values are told apart, and lists have none.
                _ => {
                    let kind = self.kind(false);
                    let of = builder.types().scalar(kind);
                    builder.member(&name, of, Need::Required);
                    note_type(builder, i > 0, base == i, &name);
                    self.notes.label(builder, labels, i);
                }
            }
        }
    }

    /// `first` is how many arms there are already.
    fn arms(&mut self, builder: &mut LayoutBuilder, depth: usize, (labels, first): (Labels, u64)) {
        for arm in first..first + self.random.between(1, 5) {
            self.names += 1;
            let name = format!("Arm{}", self.names);
            let kind = self.random.below(5);
            let what = match kind {
                0 => What::Struct,
                1 if !self.flat => What::Struct,
                2 if !self.flat && depth + 1 < DEPTH => What::Choice,
                _ => {
                    self.field(builder, &name, Need::Required, Some((labels, arm)));
                    continue;
                }
            };
            match what {
                What::Choice => builder.begin_choice(&name, Need::Required),
                _ => builder.begin_component(&name, Need::Required),
            };
            // An arm that is a choice has no element: its own arms have.
            self.notes.label(builder, labels, arm);
            self.notes.member(builder, what, Need::Required, true);
            self.notes.of_type(builder);
            match kind {
                0 => _ = self.members(builder, depth + 1, false),
                // An arm that says nothing but that it is chosen.
                1 => {}
                _ => {
                    let is_typed = self.is_typed();
                    self.arms_of(builder, depth + 1, is_typed);
                }
            }
            builder.end();
        }
    }

    /// `arm` is how a choice labels its arms, and which it is, if it is one.
    fn field(
        &mut self,
        builder: &mut LayoutBuilder,
        name: &str,
        need: Need,
        arm: Option<(Labels, u64)>,
    ) {
        if self.parts.any && self.random.chance(12) {
            return self.any(builder, name, need, arm);
        }
        let Typed { of, is_list, is_data, what } = self.type_of(builder, 0);
        let need = if is_list { list(need) } else { need };
        builder.member(name, of, need);
        self.number(builder, is_data);
        if let Some((labels, arm)) = arm {
            self.notes.label(builder, labels, arm);
        }
        self.notes.member(builder, what, need, arm.is_some());
    }

    /// Content of any shape, or a list of it. Each takes elements of a namespace of its own, so that it
    /// is told from others beside it.
    fn any(
        &mut self,
        builder: &mut LayoutBuilder,
        name: &str,
        need: Need,
        arm: Option<(Labels, u64)>,
    ) {
        let single = builder.types().scalar(Kind::Any);
        let list = |builder: &mut LayoutBuilder, of, fixed| builder.types().list(of, fixed);
        let shape = self.random.below(if self.flat { 1 } else { 6 });
        let (of, need) = match shape {
            1 | 2 => (list(builder, single, None), self::list(need)),
            3 => (list(builder, single, None), need),
            4 => (list(builder, single, Some(2)), need),
            5 => {
                let inner = list(builder, single, None);
                (list(builder, inner, None), self::list(need))
            }
            _ => (single, need),
        };
        builder.member(name, of, need);
        self.number(builder, true);
        // Others have an element around them, which takes all.
        let stands_there = match shape {
            1 | 2 => need == Need::Implied && arm.is_none(),
            it => !(3..=5).contains(&it),
        };
        if stands_there {
            self.names += 1;
            builder.note("xml", "namespace", &format!("urn:any:{}", self.names));
        }
        if let Some((labels, arm)) = arm {
            self.notes.label(builder, labels, arm);
        }
        // As of choices, no others fit.
        self.notes.member(builder, What::Choice, need, arm.is_some());
    }

    /// FIX's number of the member added last, and of the length of data.
    fn number(&mut self, builder: &mut LayoutBuilder, is_data: bool) {
        let number = self.next_number();
        builder.note("fix", "tag", &number.to_string());
        if is_data {
            let number = self.next_number();
            builder.note("fix", "length", &number.to_string());
        }
    }

    fn next_number(&mut self) -> u32 {
        // Some lie above the numbers that are looked up directly.
        self.number += if self.random.chance(2) { 5000 } else { 1 };
        self.number
    }

    fn type_of(&mut self, builder: &mut LayoutBuilder, depth: usize) -> Typed {
        match self.random.below(9) {
            0 | 1 if depth == 0 || !self.flat && depth < DEPTH => {
                let item = self.type_of(builder, depth + 1);
                let fixed = self.random.chance(25).then(|| self.random.between(1, 4) as u32);
                let what = if item.what == What::Value { What::Values } else { What::List };
                let of = builder.types().list(item.of, fixed);
                Typed { of, is_list: fixed.is_none(), is_data: false, what }
            }
            2 => {
                let of = self.enumeration(builder);
                Typed { of, is_list: false, is_data: false, what: What::Value }
            }
            _ => {
                let kind = self.kind(depth > 0);
                let (of, is_data) = (builder.types().scalar(kind), kind == Kind::Bytes);
                Typed { of, is_list: false, is_data, what: What::Value }
            }
        }
    }

    fn enumeration(&mut self, builder: &mut LayoutBuilder) -> TypeId {
        self.names += 1;
        let names: Vec<String> =
            (0..self.random.between(1, 6)).map(|i| format!("Value{}.{i}", self.names)).collect();
        let names: Vec<&str> = names.iter().map(|it| &**it).collect();
        let of = builder.types().enumeration(&format!("Enumeration{}", self.names), &names);
        self.notes.codes(builder, of, names.len() as u32);
        of
    }

    fn kind(&mut self, is_item: bool) -> Kind {
        let width = IntegerKind::ALL[self.random.below(8) as usize].0;
        let kinds = [
            Kind::Boolean,
            Kind::Integer(width),
            Kind::Integer(width),
            Kind::Decimal,
            Kind::Float32,
            Kind::Float64,
            Kind::Text,
            Kind::Text,
            Kind::Date,
            Kind::Time,
            Kind::Timestamp,
            Kind::Code,
            Kind::BigInteger,
            Kind::BigDecimal,
            // These two FIX has in some places only.
            Kind::Bytes,
            Kind::Duration,
        ];
        let known = match (self.flat, is_item) {
            (true, true) => 14,
            (true, false) => 15,
            (false, _) => 16,
        };
        kinds[self.random.below(known) as usize]
    }
}

/// Says what the arm added last is called as a type, if it `is` called so, and whether it is the declared
/// one.
fn note_type(builder: &mut LayoutBuilder, is: bool, is_base: bool, name: &str) {
    if is {
        builder.note("xml", "type", name);
    }
    if is_base {
        builder.note("xml", "base", "true");
    }
}

/// Where a value may be absent, a list is if it is empty.
fn list(need: Need) -> Need {
    if need == Need::Optional { Need::Implied } else { need }
}
