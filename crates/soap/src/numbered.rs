//! The fast path of forms that number their names, such as Fast Infoset.
//!
//! What a number means in each place of the plan is learnt when the generic path meets the name there, and kept from
//! message to message. From then on no name is looked up or compared: the reader reads an element of a number that
//! is known at once, with its text and its end. Whatever is not known, or is otherwise than most of it, goes the
//! generic path.

use trunkline_codec::infoset::{Expected, Known};
use trunkline_message::{Fields, Result};

use crate::decoder::Body;
use crate::form::{Form, Value};
use crate::names::Name;
use crate::paths::Step;
use crate::plan::{ListForm, NONE, Plan, ScopePlan, Shape, Slot};

/// Names of higher numbers are not kept: what they mean is looked up each time.
const MOST: u32 = 2048;

/// What numbers mean in one place: a component of a scope, or its own element.
type Place = Vec<Meaning>;

/// What a name means that has a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    /// It has not come yet, or is none that is known.
    Unknown,
    /// A field that is one value.
    Value(u16),
    /// A field that holds more.
    Field(u16),
    Component(u16),
}

impl Meaning {
    fn expected(self) -> Option<Expected<Self>> {
        match self {
            Self::Unknown => None,
            Self::Value(_) => Some(Expected::Text(self)),
            Self::Field(_) | Self::Component(_) => Some(Expected::Start(self)),
        }
    }
}

/// What numbers of names mean.
#[derive(Debug)]
pub(super) struct Numbers {
    /// For which documents.
    numbering: u64,
    places: Box<[Place]>,
    /// The first place of each scope.
    scopes: Box<[usize]>,
    /// The name of the elements of each field that is a list.
    items: Box<[Option<u32>]>,
    /// The first field of each scope.
    fields: Box<[usize]>,
}

impl Numbers {
    /// None is known yet.
    pub(super) fn new(plan: &Plan) -> Self {
        let firsts = |of: fn(&ScopePlan) -> usize| -> (Box<[usize]>, usize) {
            let mut count = 0;
            let first = |scope| {
                count += of(scope);
                count - of(scope)
            };
            (plan.scopes.iter().map(first).collect(), count)
        };
        let (scopes, places) = firsts(|scope| scope.components.len() + 1);
        let (fields, items) = firsts(|scope| scope.slots.len());
        let places = vec![Place::new(); places].into();
        Self { numbering: 0, places, scopes, items: vec![None; items].into(), fields }
    }

    /// Begins a document; another numbering ends what was known.
    #[inline]
    pub(super) fn begin(&mut self, numbering: u64) {
        if self.numbering != numbering {
            self.places.iter_mut().for_each(Place::clear);
            self.items.fill(None);
            self.numbering = numbering;
        }
    }

    #[inline(always)]
    fn place(&self, scope: usize, component: u16) -> usize {
        self.scopes[scope] + usize::from(component.wrapping_add(1))
    }

    #[inline(always)]
    fn meaning(&self, place: usize, number: u32) -> Meaning {
        self.places[place].get(number as usize).copied().unwrap_or(Meaning::Unknown)
    }

    #[inline(always)]
    fn item(&mut self, scope: usize, field: usize) -> &mut Option<u32> {
        &mut self.items[self.fields[scope] + field]
    }

    #[cold]
    fn learn(&mut self, place: usize, number: u32, meaning: Meaning) {
        if number >= MOST {
            return;
        }
        let known = &mut self.places[place];
        if known.len() <= number as usize {
            known.resize(number as usize + 1, Meaning::Unknown);
        }
        known[number as usize] = meaning;
    }
}

impl<'a, R: Form> Body<'a, R> {
    /// Notes what the name of the element just begun means in a component of the present scope.
    #[inline]
    pub(super) fn learn_number(
        &mut self,
        scope: &ScopePlan,
        component: u16,
        (name, meaning): (R::Name, Name),
    ) {
        self.learn_number_in(self.scope, scope, component, (name, meaning));
    }

    /// The same of the scope of this number.
    #[inline]
    pub(super) fn learn_number_in(
        &mut self,
        index: usize,
        scope: &ScopePlan,
        component: u16,
        (name, meaning): (R::Name, Name),
    ) {
        if R::IS_TEXT || self.attributes {
            return;
        }
        let Some(number) = self.reader.number(name) else { return };
        let meaning = match meaning {
            Name::Component(inner) => Meaning::Component(inner),
            Name::Field(field) => {
                let slot = &scope.slots[usize::from(field)];
                if scope.led_by(field.into()).is_some() {
                    return;
                }
                match slot.shape {
                    Shape::Value => Meaning::Value(field),
                    Shape::List | Shape::Group => Meaning::Field(field),
                    Shape::Struct
                        if self.plan.scopes[usize::from(slot.scope)].by_type.is_none() =>
                    {
                        Meaning::Field(field)
                    }
                    Shape::Run if slot.form == ListForm::Elements => Meaning::Field(field),
                    _ => return,
                }
            }
        };
        let place = self.numbers.place(index, component);
        if self.numbers.meaning(place, number) != meaning {
            self.numbers.learn(place, number, meaning);
        }
    }

    /// Reads on in a scope as long as what comes is known.
    #[inline(always)]
    pub(super) fn numbered<F: Fields>(
        &mut self,
        scope: &'a ScopePlan,
        seen: &mut [u64],
        mut component: u16,
        into: &mut F,
    ) -> Result<Step> {
        let mut place = self.numbers.place(self.scope, component);
        loop {
            let at = self.reader.place();
            let numbers = &*self.numbers;
            let known =
                self.reader.next_known(true, |number| numbers.meaning(place, number).expected());
            match known {
                Some(Known::Text(Meaning::Value(field), text)) => {
                    self.field = field.into();
                    self.note(self.field, seen, at)?;
                    self.value = self.held(text);
                    into.decode_field(self.field, self)?;
                    self.leave_field(into);
                }
                Some(Known::Start(Meaning::Component(inner), _)) => {
                    self.note_component(scope, inner, seen, at)?;
                    component = inner;
                    place = self.numbers.place(self.scope, component);
                }
                Some(Known::End) => {
                    let Some(element) = scope.components.get(usize::from(component)) else {
                        return Ok(Step::Ended);
                    };
                    self.leave(scope, component, seen, self.reader.began(), into)?;
                    component = element.parent;
                    place = self.numbers.place(self.scope, component);
                }
                Some(Known::Start(Meaning::Field(field), _)) => {
                    self.field = field.into();
                    self.stated = None;
                    self.note_field(scope, seen, self.field, at)?;
                    into.decode_field(self.field, self)?;
                    self.leave_field(into);
                }
                Some(Known::Start(..) | Known::Text(..)) | None => {
                    return Ok(Step::Between(component));
                }
            }
        }
    }

    /// Notes the name of an element of the present list, which is known by the names of those before.
    #[inline]
    pub(super) fn learn_item(&mut self, name: R::Name) {
        if !R::IS_TEXT && !self.attributes {
            *self.numbers.item(self.scope, self.field) = self.reader.number(name);
        }
    }

    /// Goes into the next entry of the present list if its name is that of another before; `false` at the list's end.
    #[inline(always)]
    pub(super) fn numbered_entry(&mut self) -> Option<bool> {
        if R::IS_TEXT || !self.fast {
            return None;
        }
        let item = *self.numbers.item(self.scope, self.field);
        let expected = |number| (Some(number) == item).then_some(Expected::Start(()));
        self.reader.next_known(true, expected).map(|it| !matches!(it, Known::End))
    }

    /// Reads the next item of the present list, as [`numbered_entry`](Self::numbered_entry), and its text, which
    /// becomes the present value.
    #[inline(always)]
    pub(super) fn numbered_item(&mut self) -> Option<bool> {
        if R::IS_TEXT || !self.fast {
            return None;
        }
        let item = *self.numbers.item(self.scope, self.field);
        let expected = |number| (Some(number) == item).then_some(Expected::Text(()));
        match self.reader.next_known(true, expected)? {
            Known::Text((), text) => self.value = self.held(text),
            Known::Start(..) | Known::End => return Some(false),
        }
        Some(true)
    }

    /// Reads the next entry of the present list, of which each is one element, as far as its start, or with its text
    /// if it is a value: which field of the entry's scope it is. `None` in place of the field at the list's end.
    #[inline(always)]
    pub(super) fn numbered_plain_entry(&mut self, inner: usize) -> Option<Option<usize>> {
        if R::IS_TEXT || !self.fast {
            return None;
        }
        let numbers = &*self.numbers;
        let place = numbers.place(inner, NONE);
        let is_field = |it: &Meaning| !matches!(it, Meaning::Component(_));
        let known = |number| {
            Some(numbers.meaning(place, number)).filter(is_field).and_then(Meaning::expected)
        };
        match self.reader.next_known(true, known)? {
            Known::Text(Meaning::Value(field), text) => {
                self.value = self.held(text);
                Some(Some(field.into()))
            }
            Known::Start(Meaning::Field(field), _) => {
                (self.value, self.stated) = (Value::Scratch(0), None);
                Some(Some(field.into()))
            }
            Known::End => Some(None),
            Known::Text(..) | Known::Start(..) => None,
        }
    }

    /// Goes into the next element of the present unwrapped list, or reads it with its text if it is `whole`, if it
    /// stands beside the last one and nothing else could take it.
    #[inline(always)]
    pub(super) fn numbered_of_run(&mut self, scope: &ScopePlan, slot: &Slot, whole: bool) -> bool {
        if R::IS_TEXT || !self.fast || scope.has_wildcard(slot.component) {
            return false;
        }
        let at = self.reader.position();
        let numbers = &*self.numbers;
        let place = numbers.place(self.scope, slot.component);
        let own = Meaning::Field(self.field as u16);
        let expected = if whole { Expected::Text(()) } else { Expected::Start(()) };
        let known = |number| (numbers.meaning(place, number) == own).then_some(expected);
        match self.reader.next_known(false, known) {
            None => return false,
            Some(Known::Text((), text)) => self.value = self.held(text),
            Some(Known::Start(..) | Known::End) => {}
        }
        (self.begun, self.stated) = (at, None);
        true
    }

    /// The value that is a text just read.
    #[inline(always)]
    fn held(&self, text: R::Text) -> Value<R::Held> {
        let held = self.reader.held(text, self.reader.began());
        held.unwrap_or(Value::Scratch(0))
    }
}
