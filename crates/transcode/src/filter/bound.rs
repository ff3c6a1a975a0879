//! Filters bound to the layout of a message: which positions they look at, and what they compare there.

use std::cmp::Ordering;

use trunkline_message::{
    Holds, Kind, Layout, MemberId, Record, Scope, ScopeId, Shape, TypeId, Value,
};
use trunkline_wire::BigDecimal;

use super::{Comparison, Condition, Filter, Literal, Node, Number, Test};

/// A filter as it is held against messages of a layout.
#[derive(Debug)]
pub(crate) struct Bound {
    root: BoundNode,
}

#[derive(Debug)]
enum BoundNode {
    Any(Vec<BoundNode>),
    All(Vec<BoundNode>),
    Not(Box<BoundNode>),
    Test(BoundTest),
    /// The message has no such field.
    Absent,
}

/// A test that is not of [`BoundNode::Absent`].
#[derive(Debug)]
pub(crate) struct BoundTest {
    /// Positions from the message on, in the lists and structs that they hold.
    steps: Vec<usize>,
    /// A struct that lies in the positions of the one around it: those after the last step.
    range: usize,
    what: What,
}

#[derive(Debug)]
enum What {
    Exists,
    Compare(Comparison, Operand),
    AnyOf(Vec<Operand>),
}

/// A value as fields of one kind are compared with it.
#[derive(Debug)]
enum Operand {
    Number(Number),
    Single(f32),
    Double(f64),
    Text(Box<str>),
    /// Places in an enumeration.
    Places(Vec<u32>),
    /// A boolean or a time.
    Value(Value),
}

impl Bound {
    /// Binds a filter. What a message of this layout cannot have is absent.
    pub(crate) fn new(filter: &Filter, layout: &Layout) -> Self {
        Self { root: bind(filter.root(), layout) }
    }

    /// Whether a message passes.
    pub(crate) fn passes(&self, message: &Record) -> bool {
        self.root.holds(message)
    }
}

fn bind(node: &Node, layout: &Layout) -> BoundNode {
    let each = |all: &[Node]| all.iter().map(|it| bind(it, layout)).collect();
    match node {
        Node::Any(all) => BoundNode::Any(each(all)),
        Node::All(all) => BoundNode::All(each(all)),
        Node::Not(it) => BoundNode::Not(Box::new(bind(it, layout))),
        Node::Test(test) => match BoundTest::new(test, layout) {
            Some(Ok(it)) => BoundNode::Test(it),
            Some(Err(_)) | None => BoundNode::Absent,
        },
    }
}

impl BoundNode {
    fn holds(&self, message: &Record) -> bool {
        match self {
            Self::Any(all) => all.iter().any(|it| it.holds(message)),
            Self::All(all) => all.iter().all(|it| it.holds(message)),
            Self::Not(it) => !it.holds(message),
            Self::Test(it) => it.holds(message, &it.steps),
            Self::Absent => false,
        }
    }
}

impl BoundTest {
    /// The test of a message of this layout. None if that has no such field, and an error if it holds something that
    /// cannot be tested so.
    pub(crate) fn new(test: &Test, layout: &Layout) -> Option<Result<Self, String>> {
        let (steps, range) = find(layout, &test.path)?;
        let field = || held_at(layout, &steps).expect("a field was found");
        let name = super::shown_path(&test.path);
        let operand = |it: &Literal| Operand::new(layout, field(), it, &name);
        let what = match &test.condition {
            Condition::Exists => Ok(What::Exists),
            _ if range > 0 => {
                Err(format!("{name} is a struct; name a field of it, or say: exists {name}"))
            }
            Condition::Is(comparison, literal) => operand(literal).and_then(|operand| {
                let is_ordered =
                    !matches!(operand, Operand::Places(_) | Operand::Value(Value::Boolean(_)));
                match comparison.is_of_order() && !is_ordered {
                    true => {
                        Err(format!("the values of {name} have no order; there are =, != and in"))
                    }
                    false => Ok(What::Compare(*comparison, operand)),
                }
            }),
            Condition::In(all) => {
                all.iter().map(operand).collect::<Result<_, _>>().map(What::AnyOf)
            }
        };
        Some(what.map(|what| Self { steps, range, what }))
    }

    fn holds(&self, message: &Record, steps: &[usize]) -> bool {
        let Some((first, rest)) = steps.split_first() else { return false };
        if rest.is_empty() && self.range > 0 {
            return (*first..first + self.range).any(|it| message.value(it).is_some());
        }
        let Some(value) = message.value(*first) else { return false };
        if rest.is_empty() {
            return match &self.what {
                What::Exists => true,
                what => any_item(value, &mut |it| what.fits(it)),
            };
        }
        match value {
            Value::Struct(inner) => self.holds(inner, rest),
            Value::Group(group) => group.entries().iter().any(|it| self.holds(it, rest)),
            _ => false,
        }
    }
}

/// Where a path leads: the positions in the lists and structs on the way, and how many there are from the last one on, if
/// that begins a struct that lies in the positions of the one around it.
pub(crate) fn find(layout: &Layout, path: &[Box<str>]) -> Option<(Vec<usize>, usize)> {
    let outside = find_in(layout, ScopeId(0), path);
    outside.or_else(|| if path.len() == 1 { find_inside(layout, path) } else { None })
}

/// Where the outermost field of a name is that lies in a list or a struct by itself, the first of those that are alike.
fn find_inside(layout: &Layout, path: &[Box<str>]) -> Option<(Vec<usize>, usize)> {
    let ids = (1..layout.scopes().len()).filter_map(|it| u16::try_from(it).ok()).map(ScopeId);
    let found = ids.filter_map(|id| {
        let (inner, range) = find_in(layout, id, path)?;
        Some(([way(layout, id)?, inner].concat(), range))
    });
    found.min_by_key(|it| it.0.len())
}

/// The positions from the message on that lead into a scope.
fn way(layout: &Layout, scope: ScopeId) -> Option<Vec<usize>> {
    let mut steps = Vec::new();
    let mut at = layout.scope(scope);
    while let Some((around, position)) = at.place {
        // Lists of lists have no names.
        if at.shape == Shape::Item {
            return None;
        }
        steps.insert(0, position);
        at = layout.scope(around);
    }
    Some(steps)
}

fn find_in(layout: &Layout, scope: ScopeId, path: &[Box<str>]) -> Option<(Vec<usize>, usize)> {
    let described = layout.scope(scope);
    let whole = path.join("/");
    if let Some(position) = described.position(&whole) {
        return Some((vec![position], 0));
    }
    if let Some(component) =
        described.components.iter().find(|it| is_at(described, it.parent, &it.name, path))
    {
        return Some((vec![component.fields.start], component.fields.len())).filter(|it| it.1 > 0);
    }
    (1..path.len()).find_map(|length| {
        let position = described.position(&path[..length].join("/"))?;
        let (mut steps, range) =
            find_in(layout, inside(layout, described.fields[position].holds)?, &path[length..])?;
        steps.insert(0, position);
        Some((steps, range))
    })
}

/// The scope of the structs that a field holds.
fn inside(layout: &Layout, holds: Holds) -> Option<ScopeId> {
    let scope = holds.scope()?;
    let described = layout.scope(scope);
    // Lists of lists have no names.
    (described.shape != Shape::Item).then_some(scope)
}

/// Whether a struct of this name, in that one, is at a path.
fn is_at(scope: &Scope, mut around: Option<u16>, name: &str, path: &[Box<str>]) -> bool {
    let mut steps = path.iter().rev();
    steps.next().is_some_and(|it| **it == *name)
        && steps.all(|step| {
            let Some(component) = around.map(|it| &scope.components[usize::from(it)]) else {
                return false;
            };
            around = component.parent;
            component.name == *step
        })
}

/// What is held where positions lead; of a list, what it lists.
fn held_at(layout: &Layout, steps: &[usize]) -> Option<Holds> {
    let mut scope = ScopeId(0);
    let mut holds = None;
    for step in steps {
        let field = layout.scope(scope).fields.get(*step)?;
        holds = Some(field.holds);
        scope = field.holds.scope().unwrap_or(scope);
    }
    let mut holds = holds?;
    while let Holds::Group(of) = holds
        && layout.scope(of).shape == Shape::Item
    {
        holds = layout.scope(of).fields[0].holds;
    }
    Some(holds)
}

impl Operand {
    fn new(layout: &Layout, holds: Holds, literal: &Literal, name: &str) -> Result<Self, String> {
        let kind = match holds {
            Holds::Value(kind) | Holds::List(kind) => kind,
            Holds::Enumeration(of) => return place(layout, of, literal, name),
            Holds::Group(_) | Holds::Struct(_) => {
                return Err(format!(
                    "{name} is no value; name a field of it, or say: exists {name}"
                ));
            }
        };
        let holds = kind.name();
        match (kind, literal) {
            (Kind::Bytes | Kind::Any, _) => {
                Err(format!("{name} holds {holds}, which is not compared; there is: exists {name}"))
            }
            (Kind::Boolean, Literal::Boolean(it)) => Ok(Self::Value(Value::Boolean(*it))),
            (Kind::Boolean, _) => Err(format!("{name} holds {holds}: write true or false")),
            (Kind::Float32, Literal::Number(it)) => {
                it.exact.as_str().parse().map(Self::Single).map_err(|error| format!("{error}"))
            }
            (Kind::Float64, Literal::Number(it)) => {
                it.exact.as_str().parse().map(Self::Double).map_err(|error| format!("{error}"))
            }
            (
                Kind::Integer(_) | Kind::BigInteger | Kind::Decimal | Kind::BigDecimal,
                Literal::Number(it),
            ) => Ok(Self::Number(it.clone())),
            (Kind::Text | Kind::Code, Literal::Text(it)) => Ok(Self::Text(it.clone())),
            (Kind::Text | Kind::Code, it) => Err(format!("{name} holds {holds}: write '{it}'")),
            (Kind::Date | Kind::Time | Kind::Timestamp | Kind::Duration, Literal::Text(it)) => {
                let value = Value::parse(kind, it).map(Self::Value);
                value.ok_or_else(|| {
                    format!("{name} holds {holds}, and {literal} is none; it is written as in XML")
                })
            }
            (Kind::Date | Kind::Time | Kind::Timestamp | Kind::Duration, _) => {
                Err(format!("{name} holds {holds}, which is written in quotes and as in XML"))
            }
            (_, Literal::Text(_)) => {
                Err(format!("{name} holds {holds}: write a number, without quotes"))
            }
            (_, Literal::Boolean(_)) => Err(format!("{name} holds {holds}: write a number")),
        }
    }
}

/// The values of an enumeration that a literal names, itself or by a code that it has in some format.
fn place(layout: &Layout, of: TypeId, literal: &Literal, name: &str) -> Result<Operand, String> {
    let text = match literal {
        Literal::Text(it) => it.to_string(),
        other => other.to_string(),
    };
    let values = layout.schema().values(of);
    let is_code = |index: u32| {
        let mut notes = layout.notes().all_of_member(MemberId { of, index });
        notes.any(|it| it.2 == text)
    };
    let places: Vec<u32> = (0..).zip(values).filter(|it| **it.1 == *text).map(|it| it.0).collect();
    let places = match places.is_empty() {
        true => (0..values.len() as u32).filter(|it| is_code(*it)).collect(),
        false => places,
    };
    if places.is_empty() {
        const SHOWN: usize = 12;
        let some: Vec<&str> = values.iter().take(SHOWN).map(|it| &**it).collect();
        let more = if values.len() > SHOWN { " ..." } else { "" };
        return Err(format!(
            "{literal} is no value of {name}; there are {}{more}",
            some.join(", ")
        ));
    }
    Ok(Operand::Places(places))
}

/// Whether an item of a list fits, or the value.
fn any_item(value: &Value, fits: &mut impl FnMut(&Value) -> bool) -> bool {
    match value {
        Value::Integers(all) => all.iter().any(|it| fits(&Value::Integer(*it))),
        Value::UnsignedIntegers(all) => all.iter().any(|it| fits(&Value::Unsigned(*it))),
        Value::Singles(all) => all.iter().any(|it| fits(&Value::Single(*it))),
        Value::Floats(all) => all.iter().any(|it| fits(&Value::Float(*it))),
        Value::Group(group) => {
            let items = group.entries().iter().filter_map(|it| it.value(0));
            items.into_iter().any(|it| any_item(it, fits))
        }
        value => fits(value),
    }
}

impl What {
    fn fits(&self, value: &Value) -> bool {
        match self {
            Self::Exists => true,
            Self::Compare(comparison, operand) => operand.compare(value, *comparison),
            Self::AnyOf(all) => all.iter().any(|it| it.compare(value, Comparison::Equal)),
        }
    }
}

impl Operand {
    fn compare(&self, value: &Value, comparison: Comparison) -> bool {
        if let (Self::Places(places), Value::Enumeration(value)) = (self, value) {
            return places.contains(value) == (comparison == Comparison::Equal);
        }
        match (self.order(value), comparison) {
            (None, _) => false,
            (Some(order), Comparison::Equal) => order.is_eq(),
            (Some(order), Comparison::NotEqual) => order.is_ne(),
            (Some(order), Comparison::Less) => order.is_lt(),
            (Some(order), Comparison::LessOrEqual) => order.is_le(),
            (Some(order), Comparison::Greater) => order.is_gt(),
            (Some(order), Comparison::GreaterOrEqual) => order.is_ge(),
        }
    }

    /// How a value compares with this, if it does.
    fn order(&self, value: &Value) -> Option<Ordering> {
        match (self, value) {
            (Self::Number(it), value) => it.order(value),
            (Self::Single(it), Value::Single(value)) => value.partial_cmp(it),
            (Self::Double(it), Value::Float(value)) => value.partial_cmp(it),
            (Self::Text(it), Value::Text(value)) => Some((**value).cmp(&**it)),
            (Self::Text(it), Value::Code(value)) => Some(value.as_str().cmp(it)),
            (Self::Value(Value::Boolean(it)), Value::Boolean(value)) => Some(value.cmp(it)),
            (Self::Value(Value::Date(it)), Value::Date(value)) => value.partial_cmp(it),
            (Self::Value(Value::Time(it)), Value::Time(value)) => value.partial_cmp(it),
            (Self::Value(Value::Timestamp(it)), Value::Timestamp(value)) => value.partial_cmp(it),
            (Self::Value(Value::Duration(it)), Value::Duration(value)) => value.partial_cmp(it),
            _ => None,
        }
    }
}

impl Number {
    fn order(&self, value: &Value) -> Option<Ordering> {
        let small = match value {
            Value::Integer(it) => trunkline_wire::Decimal::new(*it, 0),
            Value::Unsigned(it) => {
                i64::try_from(*it).ok().and_then(|it| trunkline_wire::Decimal::new(it, 0))
            }
            Value::Decimal(it) => Some(*it),
            _ => None,
        };
        if let (Some(small), Some(decimal)) = (small, self.decimal) {
            return Some(small.cmp(&decimal));
        }
        let exact = match value {
            Value::Integer(it) => BigDecimal::from(*it),
            Value::Unsigned(it) => BigDecimal::from(*it),
            Value::Decimal(it) => BigDecimal::parse(it.to_string().as_bytes()).ok()?,
            Value::BigInteger(it) => BigDecimal::parse(it.as_str().as_bytes()).ok()?,
            Value::BigDecimal(it) => return Some(it.cmp(&self.exact)),
            _ => return None,
        };
        Some(exact.cmp(&self.exact))
    }
}
