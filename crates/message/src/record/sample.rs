//! A message to start from: one that has a value wherever there may be one.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use super::{Record, Value};
use crate::{Any, Checks, Field, Holds, Kind, Layout, MemberId, Need, Scope, ScopeId, Shape};

/// Structs by themselves and lists are made so deep; below that, what need not be there is left out.
const DEEPEST: usize = 6;

/// Behind so many fields, set or not, only what must be there is made: types that hold one another have as many samples as there
/// are ways through them.
const MOST_WANTED: usize = 1 << 16;

/// Behind so many nothing more is made.
const MOST: usize = 2 * MOST_WANTED;

impl Record {
    /// A message with a value in every field: of lists one item or the least number of them, of choices the
    /// first arm, of enumerations the first value; defaults stay. Texts, numbers and times keep to their facets where a value that
    /// does is found: [`Checks`](crate::Checks) names those that do not. What holds itself ends as soon as it may: deeper down there is only what must be
    /// there, of a choice the arm that ends first, and lists without items. What has to hold itself has no sample: it is left out. So
    /// is what need not be there in a message of more than some 65,000 fields, and behind twice as many all else.
    pub fn sample(layout: &Arc<Layout>) -> Self {
        Sampler::new(&Samples::of(layout)).record(ScopeId(0), true)
    }

    /// As [`sample`](Self::sample), with those values only that must be there.
    pub fn least(layout: &Arc<Layout>) -> Self {
        Sampler::new(&Samples::of(layout)).record(ScopeId(0), false)
    }

    /// Another sample, for whom the first is not valid by what a layout does not hold. In lists of choices each arm stands so many
    /// times, one behind the other, as in a sequence that is repeated; of a number between two bounds the lower one is taken,
    /// which is a value of its enumeration where that is what the bounds are made of.
    pub fn sample_of_each(layout: &Arc<Layout>, rounds: usize) -> Self {
        let samples = Samples::of(layout);
        Sampler { rounds, ..Sampler::new(&samples) }.record(ScopeId(0), true)
    }
}

/// What stands where content of any shape may: of the field that holds it, or a list of it, and whether there has to be
/// some. None leaves it out, where that may be.
pub type AnyContent<'a> = dyn Fn(&Field, bool) -> Option<Any> + 'a;

/// Samples with content of any shape that is of another shape than `<any/>`.
pub struct Samples<'a> {
    layout: &'a Arc<Layout>,
    content: &'a AnyContent<'a>,
    left_out: HashSet<MemberId>,
}

impl<'a> Samples<'a> {
    /// Those of a layout, whose content of any shape is `<any/>`.
    pub fn of(layout: &'a Arc<Layout>) -> Self {
        Self::new(layout, &plain_content)
    }

    /// Those of a layout.
    pub fn new(layout: &'a Arc<Layout>, content: &'a AnyContent<'a>) -> Self {
        Self { layout, content, left_out: HashSet::new() }
    }

    /// Those in which these members are not, where they need not be: fields, or structs in the positions of the one around them.
    #[must_use]
    pub fn without(mut self, members: &HashSet<MemberId>) -> Self {
        self.left_out.extend(members);
        self
    }

    /// As [`Record::sample`]; none where something that must be there is left out, since there is too much of it.
    pub fn whole(&self) -> Option<Record> {
        Sampler::new(self).message(true)
    }

    /// As [`Record::least`], likewise.
    pub fn least(&self) -> Option<Record> {
        Sampler::new(self).message(false)
    }

    /// As [`Record::sample_of_each`], likewise.
    pub fn of_each(&self, rounds: usize) -> Option<Record> {
        let sampler = Sampler::new(self);
        Sampler { rounds, ..sampler }.message(true)
    }
}

impl fmt::Debug for Samples<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Samples").field("of", &self.layout.name()).finish_non_exhaustive()
    }
}

fn plain_content(_: &Field, _: bool) -> Option<Any> {
    Some(Any::from("<any/>"))
}

struct Sampler<'a> {
    layout: &'a Arc<Layout>,
    content: &'a AnyContent<'a>,
    /// What is not there where it need not be.
    left_out: &'a HashSet<MemberId>,
    /// How many scopes a record of each scope has inside one another at least; [`ENDLESS`] if it cannot end.
    heights: Vec<u32>,
    /// The scopes around what is being made.
    around: Vec<ScopeId>,
    /// What was made up for a kind with facets, since many fields have the same; none if nothing was found.
    made_up: HashMap<(Kind, Vec<[String; 2]>), Option<Value>>,
    /// How often each arm stands in a list of choices; not at all is the first one alone.
    rounds: usize,
    /// So many more entries may stand in such lists.
    left: usize,
    /// Fields of all records that were made.
    fields: usize,
}

/// Entries of all lists in which each arm stands: they may be in one another.
const MOST_OF_EACH: usize = 256;

const ENDLESS: u32 = u32::MAX;

impl<'a> Sampler<'a> {
    fn new(Samples { layout, content, left_out }: &'a Samples<'a>) -> Self {
        let (layout, content) = (*layout, *content);
        let scopes = layout.scopes();
        let mut heights = vec![ENDLESS; scopes.len()];
        loop {
            let found: Vec<u32> = scopes.iter().map(|it| height(layout, it, &heights)).collect();
            if found == heights {
                let (around, made_up, left) = (Vec::new(), HashMap::new(), MOST_OF_EACH);
                let (rounds, fields) = (0, 0);
                return Self {
                    layout,
                    content,
                    left_out,
                    heights,
                    around,
                    made_up,
                    rounds,
                    left,
                    fields,
                };
            }
            heights = found;
        }
    }

    /// A whole message, if all of it is made.
    fn message(mut self, is_whole: bool) -> Option<Record> {
        let record = self.record(ScopeId(0), is_whole);
        (self.fields <= MOST).then_some(record)
    }

    fn record(&mut self, scope: ScopeId, is_whole: bool) -> Record {
        self.made(scope, is_whole, None)
    }

    /// The record of a scope; of a choice with this arm, if one is said.
    fn made(&mut self, scope: ScopeId, is_whole: bool, arm: Option<usize>) -> Record {
        let layout = self.layout;
        let mut record = Record::of_scope(layout, scope);
        let described = layout.scope(scope);
        self.fields += described.fields.len().max(1);
        if self.fields > MOST {
            return record;
        }
        let is_deep = self.around.len() > DEEPEST || self.around.contains(&scope);
        let is_whole = is_whole && !is_deep && self.fields <= MOST_WANTED;
        self.around.push(scope);
        for (index, field) in described.fields.iter().enumerate() {
            let must_be_there = must_be_there(layout, described, index);
            let is_left_out = self.is_left_out(described, field);
            let is_wanted = must_be_there || is_whole && !self.is_again(field) && !is_left_out;
            let is_taken = match arm {
                Some(arm) => arm == index,
                None => is_wanted && self.is_chosen(described, index, is_whole),
            };
            let may_be_empty = may_be_empty(layout, described, index);
            let has_end = may_be_empty || self.height_of(field) != ENDLESS;
            if field.default.is_some() || !is_taken || !has_end {
                continue;
            }
            let is_of_any = holds_any(layout, field);
            let is_needed = is_required(layout, field) || is_arm(described, index);
            let content = is_of_any.then(|| (self.content)(field, is_needed)).flatten();
            if is_of_any && content.is_none() && !is_needed {
                continue;
            }
            let value = match field.holds {
                Holds::Struct(inner) => Value::Struct(Box::new(self.record(inner, is_whole))),
                // What is in a list that holds it ends with an empty one.
                Holds::Group(inner) => {
                    let is_end = self.is_again(field) || self.height_of(field) == ENDLESS;
                    match may_be_empty && is_end {
                        true => super::value::empty(layout, field.holds),
                        false => self.group(field, inner, is_whole, content),
                    }
                }
                Holds::List(kind) => list(self.value(kind, scope, index), count(layout, field)),
                Holds::Enumeration(_) => Value::Enumeration(0),
                Holds::Value(Kind::Any) => Value::Any(content.unwrap_or(Any::from("<any/>"))),
                Holds::Value(kind) => self.value(kind, scope, index),
            };
            *record.place(index) = value;
        }
        self.around.pop();
        record
    }

    /// A list, of this content if that is of any shape.
    fn group(
        &mut self,
        list: &Field,
        inner: ScopeId,
        is_whole: bool,
        content: Option<Any>,
    ) -> Value {
        let mut group = super::value::empty(self.layout, list.holds);
        if let Value::Group(group) = &mut group {
            for arm in self.entries(list, inner) {
                let entry = group.next_entry();
                *entry = self.made(inner, is_whole, arm);
                if let Some(content) = &content {
                    *entry.place(0) = Value::Any(content.clone());
                }
            }
        }
        group
    }

    /// What the entries of a list are: of a choice the arms that are taken, where they are not left open.
    fn entries(&mut self, list: &Field, inner: ScopeId) -> Vec<Option<usize>> {
        let (layout, count) = (self.layout, count(self.layout, list));
        let choice = layout.scope(inner);
        let is_arm = |at: &usize| {
            let arm = &choice.fields[*at];
            self.height_of(arm) != ENDLESS && !self.is_again(arm)
        };
        let arms: Vec<usize> = match (self.rounds, choice.shape) {
            (1.., Shape::Choice) => (0..choice.fields.len()).filter(is_arm).collect(),
            _ => Vec::new(),
        };
        let all = arms.len() * self.rounds;
        if all == 0 || all > self.left || list.fixed.is_some() {
            return vec![None; count];
        }
        self.left -= all;
        let most = layout.notes().of_member(list.member, "facet", "max_items");
        let most = most.and_then(|it| it.parse().ok()).unwrap_or(usize::MAX);
        arms.into_iter().map(Some).cycle().take(all.max(count).min(most)).collect()
    }

    /// A value of a field, or of an item of its list, that keeps to its facets if one is found.
    fn value(&mut self, kind: Kind, scope: ScopeId, index: usize) -> Value {
        let layout = self.layout;
        let described = layout.scope(scope);
        let field = &described.fields[index];
        let mut plain = value(kind);
        let facets = Checks::words(layout, described, field);
        if facets.is_empty() {
            return plain;
        }
        let bound = |word: &str| facets.iter().find(|it| it[0] == word);
        if let (1.., Some([_, least]), Some(_)) =
            (self.rounds, bound("min_inclusive"), bound("max_inclusive"))
        {
            plain = Value::parse(kind, least).unwrap_or(plain);
        }
        let made = self
            .made_up
            .entry((kind, facets))
            .or_insert_with(|| Checks::made_up(layout, described, field, plain.clone()));
        made.clone().unwrap_or(plain)
    }

    /// Is a field left out, or what it lies in?
    fn is_left_out(&self, scope: &Scope, field: &Field) -> bool {
        let mut around = field.component;
        let mut is_left_out = self.left_out.contains(&field.member);
        while let Some(component) = around.map(|it| &scope.components[usize::from(it)]) {
            is_left_out |= self.left_out.contains(&component.member);
            around = component.parent;
        }
        is_left_out
    }

    /// Does a field hold what it is in?
    fn is_again(&self, field: &Field) -> bool {
        field.holds.scope().is_some_and(|it| self.around.contains(&it))
    }

    fn height_of(&self, field: &Field) -> u32 {
        height_of(field, &self.heights)
    }

    /// Of the choices that a field is in, is it in the arm that is taken: the first, or below the whole the one that ends
    /// first?
    fn is_chosen(&self, scope: &Scope, index: usize, is_whole: bool) -> bool {
        let whole = 0..scope.fields.len();
        let of_scope = (scope.shape == Shape::Choice).then_some(whole);
        let choices = scope.components.iter().filter(|it| it.is_choice).map(|it| it.fields.clone());
        choices.chain(of_scope).filter(|it| it.contains(&index)).all(|arms| {
            let height = |at: &usize| self.height_of(&scope.fields[*at]);
            let may_be_first = |it: &usize| {
                let arm = &scope.fields[*it];
                height(it) != ENDLESS && !self.is_again(arm) && !self.is_left_out(scope, arm)
            };
            let first = if is_whole { arms.clone().find(may_be_first) } else { None };
            first.or_else(|| arms.min_by_key(height)) == Some(index)
        })
    }
}

/// The same of what a field holds, and one for itself.
fn height_of(field: &Field, heights: &[u32]) -> u32 {
    field.holds.scope().map_or(0, |it| heights[usize::from(it.0)].saturating_add(1))
}

/// How many scopes a record of a scope has inside one another at least, by what is known of others.
fn height(layout: &Layout, scope: &Scope, heights: &[u32]) -> u32 {
    let of_field = |index: usize| height_of(&scope.fields[index], heights);
    let is_arm = |index: &usize| is_arm(scope, *index);
    let of_needed = |index: usize| match may_be_empty(layout, scope, index) {
        true => 1,
        false => of_field(index),
    };
    let fields = 0..scope.fields.len();
    let needed = fields.clone().filter(|it| must_be_there(layout, scope, *it) && !is_arm(it));
    let of_choice = |arms: std::ops::Range<usize>| arms.map(of_field).min().unwrap_or(0);
    let choices = scope.components.iter().filter(|it| {
        it.is_choice && it.fields.clone().any(|field| must_be_there(layout, scope, field))
    });
    let choices = choices.map(|it| of_choice(it.fields.clone()));
    let own = (scope.shape == Shape::Choice).then(|| of_choice(fields));
    needed.map(of_needed).chain(choices).chain(own).max().unwrap_or(0)
}

/// Is a field required where what it lies in is? Items of lists that have so many are, too.
fn is_required(layout: &Layout, field: &Field) -> bool {
    field.need == Need::Required
        || matches!(field.holds, Holds::Group(_)) && least(layout, field) > 0
}

/// Is a field required, and what it lies in?
fn must_be_there(layout: &Layout, scope: &Scope, index: usize) -> bool {
    let field = &scope.fields[index];
    let mut around = field.component;
    let mut is_required = is_required(layout, field);
    while let Some(component) = around.map(|it| &scope.components[usize::from(it)]) {
        is_required &= component.need == Need::Required;
        around = component.parent;
    }
    is_required
}

/// Does a field hold content of any shape, or a list of it?
fn holds_any(layout: &Layout, field: &Field) -> bool {
    match field.holds {
        Holds::Group(inner) if layout.scope(inner).shape == Shape::Item => {
            layout.scope(inner).fields[0].holds == Holds::Value(Kind::Any)
        }
        holds => holds == Holds::Value(Kind::Any),
    }
}

/// Is a field one of those of which one is there?
fn is_arm(scope: &Scope, index: usize) -> bool {
    scope.shape == Shape::Choice
        || scope.components.iter().any(|it| it.is_choice && it.fields.contains(&index))
}

/// Is it a list that has to be there, and may be without items?
fn may_be_empty(layout: &Layout, scope: &Scope, index: usize) -> bool {
    let field = &scope.fields[index];
    let is_list = matches!(field.holds, Holds::Group(_)) && field.fixed.is_none();
    is_list
        && least(layout, field) == 0
        && must_be_there(layout, scope, index)
        && !is_arm(scope, index)
}

/// How many items a list says that it has at least.
fn least(layout: &Layout, field: &Field) -> usize {
    let noted = layout.notes().of_member(field.member, "facet", "min_items");
    noted.and_then(|it| it.parse().ok()).unwrap_or(0)
}

/// How many items a list has, up to where nobody wants to see more.
fn count(layout: &Layout, field: &Field) -> usize {
    field.fixed.map_or(least(layout, field).clamp(1, 16), |it| it as usize)
}

fn list(one: Value, count: usize) -> Value {
    match one {
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

    /// What a sequence was that is repeated has each of its elements; what is between bounds is at one of them.
    #[test]
    fn another_sample_has_each_arm() {
        let layout = Layout::from_listing(
            "message Order X
             field runs 0 Run[] required
             field rate 0 decimal required
             note facet min_inclusive 0.25
             note facet max_inclusive 4
             end
             choice Run
             field price 0 decimal required
             field size 0 u32 required
             field again 0 Again required
             end
             struct Again
             field runs 0 Run[] required
             end",
        );
        let layout = Arc::new(layout.expect("a listing"));
        let arms = |sample: &Record| {
            let Some(Value::Group(runs)) = sample.get("runs") else { panic!("{sample:?}") };
            let arms = runs.entries().iter().map(|it| it.set_fields().next().expect("an arm").0);
            arms.collect::<Vec<usize>>()
        };
        assert_eq!(arms(&Record::sample(&layout)), [0]);
        assert_eq!(arms(&Record::sample_of_each(&layout, 1)), [0, 1, 2]);
        let twice = Record::sample_of_each(&layout, 2);
        assert_eq!(arms(&twice), [0, 1, 2, 0, 1, 2]);
        assert!(format!("{:?}", twice.get("rate")).contains("0.25"), "{twice:?}");
        let mut unmet = Vec::new();
        walk(&twice, &[], &mut unmet);
        assert!(unmet.is_empty(), "{unmet:?} in {twice:?}");
    }

    /// What must hold itself, be it in a list, ends with the arm that does not.
    #[test]
    fn a_sample_of_what_holds_itself_ends() {
        let layout = Layout::from_listing(
            "message Filter X
             field condition 0 Condition required
             end
             choice Condition
             field all 0 Condition[] required
             field not 0 Negated required
             field name 0 text required
             end
             struct Negated
             field condition 0 Condition required
             field reason 0 text optional
             end",
        );
        let layout = Arc::new(layout.expect("a listing"));
        for sample in [Record::sample(&layout), Record::least(&layout)] {
            let text = format!("{sample:?}");
            assert!(text.contains("\"text\""), "{text}");
            let mut unmet = Vec::new();
            walk(&sample, &[], &mut unmet);
            assert!(unmet.is_empty(), "{unmet:?} in {text}");
        }
        assert!(Record::sample(&layout).get("all").is_some());
    }

    /// What has to hold a list of itself ends with one that has no items.
    #[test]
    fn a_sample_of_what_lists_itself_ends_with_an_empty_list() {
        let layout = Layout::from_listing(
            "message Tree X
             field root 0 Node required
             end
             struct Node
             field name 0 text required
             field inside 0 Branch[] required
             end
             struct Branch
             field node 0 Node required
             end",
        );
        let layout = Arc::new(layout.expect("a listing"));
        for sample in [Record::sample(&layout), Record::least(&layout)] {
            let text = format!("{sample:?}");
            assert_eq!(text.matches("text").count(), 2, "{text}");
            let Some(Value::Group(inside)) = sample.get("root/inside") else { panic!("{text}") };
            let Some(Value::Group(end)) = inside.entries()[0].get("node/inside") else {
                panic!("{text}")
            };
            assert!(end.entries().is_empty(), "{text}");
        }
    }

    /// Rules that are not met, at any depth.
    /// No list is empty but of what the list itself is in.
    fn walk(record: &Record, above: &[ScopeId], unmet: &mut Vec<crate::Unmet>) {
        unmet.extend(crate::Fields::unmet(record));
        for (index, field) in record.scope().fields.iter().enumerate() {
            let within: Vec<ScopeId> = above.iter().copied().chain(field.holds.scope()).collect();
            match record.value(index) {
                Some(Value::Struct(inner)) => walk(inner, &within, unmet),
                Some(Value::Group(group)) => {
                    let is_above = field.holds.scope().is_some_and(|it| above.contains(&it));
                    assert!(is_above || !group.entries().is_empty());
                    group.entries().iter().for_each(|it| walk(it, &within, unmet));
                }
                _ => {}
            }
        }
    }
}
