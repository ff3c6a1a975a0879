//! Schemas by seed: any kinds, components and groups, nested in each other.

use std::sync::Arc;

use trunkline_lab::random::Random;
use trunkline_message::{Holds, IntegerKind, Kind, Layout, LayoutBuilder, Need};

/// A schema that FIX can carry: every field has a number, every data field a length.
///
/// # Panics
/// If a seed makes no schema, which is a mistake of this generator.
pub fn schema(seed: u64) -> Arc<Layout> {
    let mut builder = Layout::builder(&format!("Message{seed}"));
    builder.note_type("fix", "message_type", "U1");
    let mut maker = Maker { random: Random::new(seed), number: 1000 };
    maker.members(&mut builder, 0);
    Arc::new(builder.build().expect("a schema"))
}

struct Maker {
    random: Random,
    number: u32,
}

/// Components and groups stand inside each other up to here.
const DEPTH: usize = 3;

impl Maker {
    fn members(&mut self, builder: &mut LayoutBuilder, depth: usize) {
        let count = match self.random.below(5) {
            // Past the 64 fields of one word of presence.
            0 if depth == 0 => self.random.between(60, 140),
            _ => self.random.between(1, 9),
        };
        for i in 0..count {
            let need = if self.random.chance(40) { Need::Required } else { Need::Optional };
            let number = self.next_number();
            match self.random.below(8) {
                0 if depth < DEPTH => {
                    builder.begin_group(&format!("Group{i}"), &format!("Entry{i}"), need);
                    builder.note("fix", "tag", &number.to_string());
                    self.members(builder, depth + 1);
                    builder.end();
                }
                1 if depth < DEPTH => {
                    let need = if need == Need::Optional { Need::Implied } else { need };
                    builder.begin_component(&format!("Component{i}"), need);
                    self.members(builder, depth + 1);
                    builder.end();
                }
                _ => {
                    let holds = self.holds();
                    builder.member(&format!("Field{i}"), holds, need);
                    builder.note("fix", "tag", &number.to_string());
                    if holds == Holds::Value(Kind::Bytes) {
                        builder.note("fix", "length", &self.next_number().to_string());
                    }
                }
            }
        }
    }

    fn next_number(&mut self) -> u32 {
        // Some lie above the numbers that are looked up directly.
        self.number += if self.random.chance(2) { 5000 } else { 1 };
        self.number
    }

    fn holds(&mut self) -> Holds {
        let width = IntegerKind::ALL[self.random.below(8) as usize].0;
        let kinds = [
            Kind::Boolean,
            Kind::Integer(width),
            Kind::Integer(width),
            Kind::Decimal,
            Kind::Float,
            Kind::Text,
            Kind::Text,
            Kind::Bytes,
            Kind::Date,
            Kind::Time,
            Kind::Timestamp,
            Kind::Code,
        ];
        match self.random.below(kinds.len() as u64 + 2) as usize {
            12 => Holds::List(Kind::Integer(width)),
            13 => Holds::List(Kind::Float),
            plain => Holds::Value(kinds[plain]),
        }
    }
}
