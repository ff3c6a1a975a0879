//! Values: the text that each is in XML.

use trunkline_message::{Encoder, ErrorKind, Fields, Holds, Unknown};
use trunkline_wire::{
    BigDecimal, BigInteger, Code, Date, Decimal, Duration, Float, Integer, Time, Timestamp, base64,
    write_float,
};

use super::{Element, Writer};
use crate::dimensions::{Sizes, of_rows};
use crate::graph::model::{Content, Node};
use crate::plan;

impl Writer<'_> {
    /// Adds a value of this text.
    fn value(&mut self, field: usize, text: &str) {
        let node = self.node(self.value_type(field), text);
        self.add_one(field, node);
    }

    /// Adds a value that is written into a window.
    fn window(&mut self, field: usize, write: impl FnOnce(&mut [u8; 40]) -> usize) {
        let mut window = [0; 40];
        let length = write(&mut window);
        self.value(field, &String::from_utf8_lossy(&window[..length]));
    }

    fn numbers<T: Copy>(
        &mut self,
        field: usize,
        values: &[T],
        write: impl Fn(T, &mut [u8; 40]) -> usize,
    ) {
        let mut items: Vec<Element> = Vec::with_capacity(values.len());
        let Some(name) = self.enclosing(field) else { return self.fail(field, ErrorKind::Schema) };
        let unwrapped = self.is_unwrapped(field);
        for value in values {
            let mut window = [0; 40];
            let length = write(*value, &mut window);
            let text = String::from_utf8_lossy(&window[..length]);
            // The array has the type of the others.
            let node = match unwrapped {
                true => self.node(self.value_type(field), &text),
                false => self.out.graph.add_text(&text),
            };
            items.push((name.clone(), node));
        }
        self.list(field, &Sizes::of_items(values.len()), items);
    }
}

impl Encoder for Writer<'_> {
    fn unknown(&mut self, fields: &Unknown) {
        self.out.left_out += fields.iter().count() + fields.markup().count();
    }

    fn boolean(&mut self, field: usize, value: bool) {
        self.value(field, if value { "true" } else { "false" });
    }

    fn integer<I: Integer>(&mut self, field: usize, value: I) {
        self.window(field, |window| value.write(window));
    }

    fn decimal(&mut self, field: usize, value: Decimal) {
        self.window(field, |window| value.write(window));
    }

    fn big_integer(&mut self, field: usize, value: &BigInteger) {
        self.value(field, value.as_str());
    }

    fn big_decimal(&mut self, field: usize, value: &BigDecimal) {
        self.value(field, value.as_str());
    }

    fn float<F: Float>(&mut self, field: usize, value: F) {
        self.window(field, |window| write_float(value, window));
    }

    fn string(&mut self, field: usize, value: &str) {
        let shape = self.plan.scopes[self.scope].slots[field].shape;
        if value.is_empty() && shape == plan::Shape::Defaulted {
            self.fail(field, ErrorKind::Unwritable(plan::EMPTY_IS_DEFAULT));
        }
        let typed = self.plan.scopes[self.scope].is_typed_arm(field);
        let shared = self.encoded && !value.is_empty() && !typed;
        let value_type = self.value_type(field);
        let known = self.texts.get(&value_type).and_then(|it| it.get(value)).copied();
        let node = match known.filter(|_| shared) {
            Some(node) => node,
            None => {
                let node = self.node(value_type.clone(), value);
                if shared {
                    self.texts.entry(value_type).or_default().insert(value.into(), node);
                }
                node
            }
        };
        self.add_one(field, node);
    }

    fn bytes(&mut self, field: usize, value: &[u8]) {
        let mut text = Vec::new();
        base64::encode_into(value, &mut text);
        self.value(field, &String::from_utf8_lossy(&text));
    }

    fn code(&mut self, field: usize, value: Code) {
        self.value(field, value.as_str());
    }

    fn date(&mut self, field: usize, value: Date) {
        self.window(field, |window| value.write_xml(window));
    }

    fn time(&mut self, field: usize, value: Time) {
        let zone = self.plan.options.zone;
        self.window(field, |window| value.write_xml(zone, window));
    }

    fn timestamp(&mut self, field: usize, value: Timestamp) {
        let zone = self.plan.options.zone;
        self.window(field, |window| value.write_xml(zone, window));
    }

    fn duration(&mut self, field: usize, value: Duration) {
        let mut window = [0; Duration::LONGEST];
        let length = value.write_xml(&mut window);
        self.value(field, &String::from_utf8_lossy(&window[..length]));
    }

    fn enumeration(&mut self, field: usize, value: usize) {
        let Holds::Enumeration(of) = self.holds(field) else {
            return self.fail(field, ErrorKind::Schema);
        };
        let plan = self.plan;
        let schema = plan.layout.schema();
        match schema.values(of).get(value) {
            Some(name) => {
                let mut node = Node::new(Content::Text(name.as_ref().into()));
                // Types of the message's own are written where those of structs are.
                if plan.arrays {
                    node.type_name = Some(self.value_type(field));
                }
                let node = self.out.graph.add(node);
                self.add_one(field, node);
            }
            None => self.fail(field, ErrorKind::Unwritable("the enumeration has no such value")),
        }
    }

    fn integers<I: Integer>(&mut self, field: usize, values: &[I]) {
        self.numbers(field, values, |value, window| value.write(window));
    }

    fn floats<F: Float>(&mut self, field: usize, values: &[F]) {
        self.numbers(field, values, write_float);
    }

    fn group<F: Fields>(&mut self, field: usize, entries: &[F]) {
        let Holds::Group(inner) = self.holds(field) else {
            return self.fail(field, ErrorKind::Schema);
        };
        let sizes = match self.plan.dimensions_of(self.scope, field) {
            1 => Ok(Sizes::of_items(entries.len())),
            dimensions => of_rows(entries, dimensions),
        };
        let sizes = match sizes {
            Ok(sizes) => sizes,
            Err(why) => return self.fail(field, ErrorKind::Unwritable(why)),
        };
        if self.deepen(field) {
            let elements = self.elements(field, inner.0.into(), entries);
            self.depth -= 1;
            self.list(field, &sizes, elements);
        }
    }

    fn structure<F: Fields>(&mut self, field: usize, value: &F) {
        let Holds::Struct(inner) = self.holds(field) else {
            return self.fail(field, ErrorKind::Schema);
        };
        if self.deepen(field) {
            self.inside(field, inner.0.into(), value);
            self.depth -= 1;
        }
    }
}
