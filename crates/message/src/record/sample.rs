//! A message to start from: one that has a value wherever there may be one.

use std::sync::Arc;

use super::{Record, Value};
use crate::{Any, Field, Holds, Kind, Layout, Need, Scope, ScopeId, Shape};

/// Structs by themselves and lists are made so deep; below that, what need not be there is left out.
const DEEPEST: usize = 6;

impl Record {
    /// A message with a value in every field: of lists one item or the least number of them, of choices the
    /// first arm, of enumerations the first value; defaults stay. Other facets are not looked at, so that it may have to be
    /// changed before anybody accepts it.
    pub fn sample(layout: &Arc<Layout>) -> Self {
        sample(layout, ScopeId(0), true, &mut Vec::new())
    }

    /// As [`sample`](Self::sample), with those values only that must be there.
    pub fn least(layout: &Arc<Layout>) -> Self {
        sample(layout, ScopeId(0), false, &mut Vec::new())
    }
}

/// `around` are the scopes that it is in.
fn sample(
    layout: &Arc<Layout>,
    scope: ScopeId,
    is_whole: bool,
    around: &mut Vec<ScopeId>,
) -> Record {
    let mut record = Record::of_scope(layout, scope);
    let described = layout.scope(scope);
    around.push(scope);
    for (index, field) in described.fields.iter().enumerate() {
        let is_wanted = is_whole || must_be_there(described, field);
        if field.default.is_some() || !is_wanted || !is_chosen(described, index) {
            continue;
        }
        let is_again = field.holds.scope().is_some_and(|it| around.contains(&it));
        let is_left_out = is_again || around.len() > DEEPEST;
        let may_be_absent = field.need != Need::Required || matches!(field.holds, Holds::Group(_));
        if is_left_out && may_be_absent && described.shape == Shape::Struct {
            continue;
        }
        let value = match field.holds {
            // What cannot end has no sample: it ends here, incomplete.
            Holds::Struct(_) | Holds::Group(_) if around.len() > 2 * DEEPEST => continue,
            Holds::Struct(inner) => {
                Value::Struct(Box::new(sample(layout, inner, is_whole, around)))
            }
            Holds::Group(inner) => {
                let mut group = super::value::empty(layout, field.holds);
                if let Value::Group(group) = &mut group {
                    for _ in 0..count(layout, field) {
                        *group.next_entry() = sample(layout, inner, is_whole, around);
                    }
                }
                group
            }
            Holds::List(kind) => list(kind, count(layout, field)),
            Holds::Enumeration(_) => Value::Enumeration(0),
            Holds::Value(kind) => value(kind),
        };
        *record.place(index) = value;
    }
    around.pop();
    record
}

/// Is a field required, and what it lies in?
fn must_be_there(scope: &Scope, field: &Field) -> bool {
    let mut around = field.component;
    let mut is_required = field.need == Need::Required;
    while let Some(component) = around.map(|it| &scope.components[usize::from(it)]) {
        is_required &= component.need == Need::Required;
        around = component.parent;
    }
    is_required
}

/// How many items a list has, up to where nobody wants to see more.
fn count(layout: &Layout, field: &Field) -> usize {
    let least = layout.notes().of_member(field.member, "facet", "min_items");
    let least = least.and_then(|it| it.parse().ok()).unwrap_or(1);
    field.fixed.map_or(least.clamp(1, 16), |it| it as usize)
}

/// Of the choices that a field is in, is it in the first arm?
fn is_chosen(scope: &Scope, index: usize) -> bool {
    if scope.shape == Shape::Choice && index > 0 {
        return false;
    }
    scope
        .components
        .iter()
        .filter(|it| it.is_choice && it.fields.contains(&index))
        .all(|choice| choice.fields.start == index)
}

fn list(kind: Kind, count: usize) -> Value {
    match value(kind) {
        Value::Integer(number) => Value::Integers(vec![number; count]),
        Value::Unsigned(number) => Value::UnsignedIntegers(vec![number; count]),
        Value::Single(number) => Value::Singles(vec![number; count]),
        Value::Float(number) => Value::Floats(vec![number; count]),
        other => other,
    }
}

fn value(kind: Kind) -> Value {
    let text = match kind {
        Kind::Boolean => "true",
        Kind::Integer(_) | Kind::BigInteger => "1",
        Kind::Decimal | Kind::BigDecimal | Kind::Float32 | Kind::Float64 => "1.5",
        Kind::Text | Kind::Code => "text",
        Kind::Bytes => return Value::Bytes(b"data".to_vec()),
        Kind::Date => "2004-02-29",
        Kind::Time => "12:30:00",
        Kind::Timestamp => "2004-02-29T12:30:00Z",
        Kind::Duration => "PT1H",
        Kind::Any => return Value::Any(Any::from("<any/>")),
    };
    Value::parse(kind, text).expect("it is of its kind")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_has_a_value_of_everything() {
        let layout = Layout::from_listing(
            "message Order D
             field ClOrdID 11 text required
             field OrderQty 38 u32 optional
             field Price 44 decimal optional
             field TransactTime 60 timestamp required
             group Allocations 78 Allocation implied
               field AllocAccount 79 text required
             end
             end",
        );
        let layout = Arc::new(layout.expect("a listing"));
        let order = Record::sample(&layout);
        let shown = |path: &str| format!("{:?}", order.get(path).expect(path));
        assert_eq!(shown("OrderQty"), "Unsigned(1)");
        assert!(shown("Price").contains("1.5") && shown("ClOrdID").contains("text"));
        let Some(Value::Group(allocations)) = order.get("Allocations") else { panic!("a group") };
        assert_eq!(allocations.entries().len(), 1);
        assert!(allocations.entries()[0].get("AllocAccount").is_some());
        let least = Record::least(&layout);
        assert!(least.get("ClOrdID").is_some() && least.get("TransactTime").is_some());
        assert!(least.get("OrderQty").is_none() && least.get("Allocations").is_none());
    }
}
