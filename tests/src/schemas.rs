//! Schemas by seed: any kinds, components and groups, nested in each other.

use std::sync::Arc;

use trunkline_lab::random::Random;
use trunkline_message::{IntegerKind, Kind, Need, Schema, SchemaBuilder};

/// A schema that FIX can carry: every field has a number, every data field a length.
///
/// # Panics
/// If a seed makes no schema, which is a mistake of this generator.
pub fn schema(seed: u64) -> Arc<Schema> {
    let mut builder = Schema::builder(&format!("Message{seed}"), "U1");
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
    fn members(&mut self, builder: &mut SchemaBuilder, depth: usize) {
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
                    builder.begin_group(&format!("Group{i}"), number, &format!("Entry{i}"), need);
                    self.members(builder, depth + 1);
                    builder.end();
                }
                1 if depth < DEPTH => {
                    builder.begin_component(&format!("Component{i}"), need);
                    self.members(builder, depth + 1);
                    builder.end();
                }
                _ => {
                    let kind = self.kind();
                    let length = if kind == Kind::Bytes { self.next_number() } else { 0 };
                    builder.data_field(&format!("Field{i}"), number, length, kind, need);
                }
            }
        }
    }

    fn next_number(&mut self) -> u32 {
        // Some lie above the numbers that are looked up directly.
        self.number += if self.random.chance(2) { 5000 } else { 1 };
        self.number
    }

    fn kind(&mut self) -> Kind {
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
            Kind::Integers(width),
            Kind::Floats,
        ];
        kinds[self.random.below(kinds.len() as u64) as usize]
    }
}
