//! What tells one layout from another.

use crate::{Holds, Kind, Need, Schema, Scope, Shape};

/// FNV-1a of 128 bits (RFC 9923). It tells descriptions apart, not their forgers.
pub(crate) struct Identity(u128);

const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

impl Identity {
    pub(crate) fn of(schema: &Schema, scopes: &[Scope]) -> u128 {
        let mut identity = Self(BASIS);
        identity.count(scopes.len());
        scopes.iter().for_each(|scope| identity.scope(schema, scope));
        identity.0
    }

    fn scope(&mut self, schema: &Schema, scope: &Scope) {
        self.text(&scope.name);
        self.byte(match scope.shape {
            Shape::Struct => 0,
            Shape::Choice => 1,
            Shape::Item => 2,
        });
        self.count(scope.fields.len());
        for field in &scope.fields {
            self.text(&field.name);
            self.holds(schema, field.holds);
            self.count(field.fixed.map_or(0, |it| it as usize));
            if field.nil_items {
                self.text("nil items");
            }
            self.need(field.need);
            self.place(field.component);
        }
        self.count(scope.components.len());
        for component in &scope.components {
            self.text(&component.name);
            self.text(&component.type_name);
            self.count(component.fields.start);
            self.count(component.fields.end);
            self.need(component.need);
            self.byte(component.is_choice.into());
            self.place(component.parent);
        }
    }

    fn byte(&mut self, byte: u8) {
        self.0 = (self.0 ^ u128::from(byte)).wrapping_mul(PRIME);
    }

    fn count(&mut self, count: usize) {
        (count as u64).to_le_bytes().into_iter().for_each(|byte| self.byte(byte));
    }

    /// The length stands before, so that no two texts run into one.
    fn text(&mut self, text: &str) {
        self.count(text.len());
        text.bytes().for_each(|byte| self.byte(byte));
    }

    fn place(&mut self, component: Option<u16>) {
        self.count(component.map_or(0, |it| usize::from(it) + 1));
    }

    fn need(&mut self, need: Need) {
        self.byte(match need {
            Need::Required => 0,
            Need::Optional => 1,
            Need::Implied => 2,
        });
    }

    fn holds(&mut self, schema: &Schema, holds: Holds) {
        match holds {
            Holds::Value(kind) => {
                self.byte(0);
                self.kind(kind);
            }
            Holds::List(kind) => {
                self.byte(1);
                self.kind(kind);
            }
            Holds::Group(scope) => {
                self.byte(2);
                self.count(scope.0.into());
            }
            Holds::Struct(scope) => {
                self.byte(3);
                self.count(scope.0.into());
            }
            Holds::Enumeration(of) => {
                self.byte(4);
                self.text(&schema.type_of(of).name);
                self.count(schema.values(of).len());
                schema.values(of).iter().for_each(|value| self.text(value));
            }
        }
    }

    fn kind(&mut self, kind: Kind) {
        self.text(kind.name());
    }
}
