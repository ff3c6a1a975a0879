//! Schemas by seed: any kinds and shapes of types, nested in each other.

use std::sync::Arc;

use trunkline_lab::random::Random;
use trunkline_message::{IntegerKind, Kind, Layout, LayoutBuilder, Need, TypeId};

/// A schema that FIX can carry: every field has a number, every data field a length.
///
/// # Panics
/// If a seed makes no schema, which is a mistake of this generator.
pub fn flat(seed: u64) -> Arc<Layout> {
    made(seed, true)
}

/// A schema with every shape of type, which hold themselves, too.
///
/// # Panics
/// As [`flat`].
pub fn any(seed: u64) -> Arc<Layout> {
    made(seed, false)
}

fn made(seed: u64, flat: bool) -> Arc<Layout> {
    let mut builder = Layout::builder(&format!("Message{seed}"));
    builder.note_type("fix", "message_type", "U1");
    let mut maker = Maker { random: Random::new(seed), number: 1000, names: 0, flat };
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
}

/// Structs, choices and lists stand inside each other up to here.
const DEPTH: usize = 3;

impl Maker {
    fn members(&mut self, builder: &mut LayoutBuilder, depth: usize, is_entry: bool) {
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
                    self.members(builder, depth + 1, is_entry && i == 0);
                    builder.end();
                }
                2 if depth < DEPTH && !self.flat && self.random.chance(25) => {
                    builder.begin_component(&format!("Struct{i}"), Need::Optional);
                    self.mixed(builder, depth);
                    builder.end();
                }
                2 if depth < DEPTH && !opens_entry => {
                    builder.begin_component(&format!("Struct{i}"), Need::Optional);
                    self.members(builder, depth + 1, false);
                    self.again(builder);
                    builder.end();
                }
                3 if depth < DEPTH && !opens_entry => {
                    let need = if need == Need::Optional { Need::Implied } else { need };
                    builder.begin_choice(&format!("Choice{i}"), need);
                    self.arms(builder, depth, true);
                    builder.end();
                }
                4 if depth < DEPTH && !self.flat => {
                    builder.begin_choices(
                        &format!("Choices{i}"),
                        &format!("Option{i}"),
                        list(need),
                    );
                    self.arms(builder, depth, true);
                    builder.end();
                }
                _ => self.field(builder, &format!("Field{i}"), need),
            }
        }
    }

    fn group(&mut self, builder: &mut LayoutBuilder, i: u64, need: Need, depth: usize) {
        let need = if self.random.chance(80) { list(need) } else { need };
        builder.begin_group(&format!("Group{i}"), &format!("Entry{i}"), need);
        let number = self.next_number();
        builder.note("fix", "tag", &number.to_string());
        self.members(builder, depth + 1, true);
        self.again(builder);
        builder.end();
    }

    /// Lets a struct hold itself now and then.
    fn again(&mut self, builder: &mut LayoutBuilder) {
        if self.flat || !self.random.chance(30) {
            return;
        }
        let of = builder.open_type();
        let (of, need) = match self.random.below(3) {
            0 => (of, Need::Optional),
            1 => (builder.types().list(of, None), Need::Implied),
            _ => (builder.types().list(of, None), Need::Optional),
        };
        builder.member("Again", of, need);
    }

    /// Elements with text between them.
    fn mixed(&mut self, builder: &mut LayoutBuilder, depth: usize) {
        builder.begin_choices("Mixed", "Piece", Need::Implied);
        builder.note("xml", "list", "mixed");
        let text = builder.types().scalar(Kind::Text);
        builder.member("Text", text, Need::Required).note("xml", "kind", "text");
        self.arms(builder, depth, false);
        builder.end();
    }

    fn arms(&mut self, builder: &mut LayoutBuilder, depth: usize, may_be_typed: bool) {
        let typed = may_be_typed && !self.flat && self.random.chance(40);
        if typed {
            builder.note_type("xml", "choice", "type");
        }
        let base = typed.then(|| self.random.below(8));
        for i in 0..self.random.between(1, 5) {
            self.names += 1;
            let name = format!("Arm{}", self.names);
            match self.random.below(5) {
                0 => {
                    builder.begin_component(&name, Need::Required);
                    note_type(builder, typed, base == Some(i), &name);
                    self.members(builder, depth + 1, false);
                    builder.end();
                }
                1 if !self.flat => {
                    // An arm that says nothing but that it is chosen.
                    builder.begin_component(&name, Need::Required);
                    note_type(builder, typed, base == Some(i), &name);
                    builder.end();
                }
                2 if !self.flat && depth + 1 < DEPTH => {
                    builder.begin_choice(&name, Need::Required);
                    note_type(builder, typed, base == Some(i), &name);
                    self.arms(builder, depth + 1, !typed);
                    builder.end();
                }
                // Types of values are told apart, and lists have none.
                _ if typed => {
                    let kind = self.kind(false);
                    let of = builder.types().scalar(kind);
                    builder.member(&name, of, Need::Required);
                    note_type(builder, i > 0, base == Some(i), &name);
                }
                _ => self.field(builder, &name, Need::Required),
            }
        }
    }

    fn field(&mut self, builder: &mut LayoutBuilder, name: &str, need: Need) {
        let (of, is_list, is_data) = self.type_of(builder, 0);
        builder.member(name, of, if is_list { list(need) } else { need });
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

    /// A type, whether it is a list of any length, and whether it is data.
    fn type_of(&mut self, builder: &mut LayoutBuilder, depth: usize) -> (TypeId, bool, bool) {
        match self.random.below(9) {
            0 | 1 if depth == 0 || !self.flat && depth < DEPTH => {
                let (of, ..) = self.type_of(builder, depth + 1);
                let fixed = self.random.chance(25).then(|| self.random.between(1, 4) as u32);
                (builder.types().list(of, fixed), fixed.is_none(), false)
            }
            2 => (self.enumeration(builder), false, false),
            _ => {
                let kind = self.kind(depth > 0);
                (builder.types().scalar(kind), false, kind == Kind::Bytes)
            }
        }
    }

    fn enumeration(&mut self, builder: &mut LayoutBuilder) -> TypeId {
        self.names += 1;
        let names: Vec<String> =
            (0..self.random.between(1, 6)).map(|i| format!("Value{}.{i}", self.names)).collect();
        let names: Vec<&str> = names.iter().map(|it| &**it).collect();
        builder.types().enumeration(&format!("Enumeration{}", self.names), &names)
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
