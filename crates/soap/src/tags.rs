//! Start tags whose attributes are fields.
//!
//! A tag is read to its end before any of its values is: a mistake in it is reported before a mistake
//! in a value, and a tag that is not what the plan would write is left to the parser untouched.

use trunkline_message::{Error, ErrorKind, Fields, Need, Result, UnknownContent};
use trunkline_wire::scan;

use crate::attributes::{is_own, is_unknown};
use crate::container::Enclosing;
use crate::decoder::Body;
use crate::form::{Form, Value};
use crate::names::Name;
use crate::opening::{self, shown};
use crate::paths::Step;
use crate::plan::{NONE, Plan, ScopePlan};
use crate::unknown::{NIL_WITH_ATTRIBUTES, rejected_attribute};

/// Reads start tags by the bytes that the plan expects.
#[derive(Debug)]
pub(super) struct Tags {
    /// The attributes of the start tag last read that are fields.
    pub(super) held: Vec<Held>,
    /// Was it an empty-element tag of the scope's own element, with which the scope ends?
    ended: bool,
    followers: Followers,
}

impl Tags {
    /// Has read none of this plan's yet.
    pub(super) fn new(plan: &Plan) -> Self {
        Self { held: Vec::new(), ended: false, followers: Followers::new(plan) }
    }
}

/// An attribute that is a field.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    field: u16,
    name: u32,
    place: Place,
}

/// Where the value of an attribute is.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// From here to there in the input, as it stands.
    Input(u32, u32),
    /// In the attribute of this number of the tag read last.
    Attribute(u32),
}

/// Which attribute came behind which in the tags before. Most senders write them in one order, and
/// a guess that holds saves the look at the name.
#[derive(Debug, Default)]
struct Followers {
    /// Of every scope in turn: the first attributes of its own element and of its components, then
    /// those behind each field; and how often each may yet fail to come before another is guessed.
    guesses: Vec<(u16, u8)>,
    /// Where the guesses of each scope begin, and those behind its fields.
    scopes: Box<[(usize, usize)]>,
}

const CONFIDENT: u8 = 4;

impl Followers {
    fn new(plan: &Plan) -> Self {
        let mut count = 0;
        let scopes = plan.scopes.iter().map(|scope| {
            let start = count;
            let behind = start + 1 + scope.components.len();
            count = behind + scope.slots.len();
            (start, behind)
        });
        let scopes = scopes.collect();
        Self { guesses: vec![(u16::MAX, 0); count], scopes }
    }

    #[inline]
    fn start(&self, scope: usize, component: u16) -> usize {
        self.scopes[scope].0 + usize::from(component.wrapping_add(1))
    }

    #[inline]
    fn behind(&self, scope: usize, field: u16) -> usize {
        self.scopes[scope].1 + usize::from(field)
    }

    #[inline]
    fn guess(&self, place: usize) -> u16 {
        self.guesses[place].0
    }

    #[inline]
    fn learn(&mut self, place: usize, field: u16) {
        let (guess, confidence) = &mut self.guesses[place];
        if *guess == field {
            *confidence = CONFIDENT;
        } else if let Some(less) = confidence.checked_sub(1) {
            *confidence = less;
        } else {
            (*guess, *confidence) = (field, CONFIDENT);
        }
    }
}

/// How a start tag ends that is as the plan would write it.
#[derive(Clone, Copy)]
struct TagEnd {
    /// The position behind it.
    at: usize,
    /// Is it an empty-element tag?
    empty: bool,
}

/// Among so many attributes before it, one that breaks the order is looked for.
const SEARCHED: usize = 64;

impl<'a, R: Form> Body<'a, R> {
    /// Reads what stands in the element of a message or entry, the attributes of which are held, up
    /// to and including its end tag.
    #[inline(never)]
    pub(super) fn scope_of_tags<F: Fields>(
        &mut self,
        scope: &'a ScopePlan,
        into: &mut F,
    ) -> Result<()> {
        self.with_bits(scope, |body, seen| {
            body.check_names();
            let mut component = NONE;
            loop {
                body.take_held(seen, into)?;
                if std::mem::take(&mut body.tags.ended) {
                    if let Some(text) = scope.text_of(NONE) {
                        let at = body.reader.position();
                        body.empty_text(text, seen, at, into)?;
                    }
                    break;
                }
                if let Some(text) = scope.text_of(component) {
                    body.text_between_tags(scope, text, seen, into)?;
                    match scope.components.get(usize::from(component)) {
                        Some(element) => component = element.parent,
                        None => break,
                    }
                    continue;
                }
                match body.tag(scope, seen, component, into)? {
                    Step::Between(next) => component = next,
                    Step::Leaf(leaf) => match body.leaf(scope, leaf, into)? {
                        Step::Between(next) => component = next,
                        Step::Leaf(_) | Step::Ended => break,
                    },
                    Step::Ended => break,
                }
            }
            body.finish(scope, seen, into)
        })
    }

    /// Reads a field that is the text of an element, and the end tag of that.
    #[inline(never)]
    fn text_between_tags<F: Fields>(
        &mut self,
        scope: &'a ScopePlan,
        field: usize,
        seen: &mut [u64],
        into: &mut F,
    ) -> Result<()> {
        let at = self.reader.position();
        self.field = field;
        if scope.slots[field].is_mixed() {
            self.mixed_between_tags(field, seen, into)?;
        } else {
            self.value = self.content(at)?;
            match self.is_empty_value() {
                true => self.empty_text(field, seen, at, into)?,
                false => self.take_text(field, seen, at, into)?,
            }
        }
        let component = scope.slots[field].component;
        if component != NONE {
            self.leave(scope, component, seen, at, into)?;
        }
        self.check_names();
        Ok(())
    }

    /// An empty element stands for its default. Without one it has no text: the field is absent, unless it is required.
    fn empty_text<F: Fields>(
        &mut self,
        field: usize,
        seen: &mut [u64],
        at: usize,
        into: &mut F,
    ) -> Result<()> {
        let plan = self.plan;
        let slot = &plan.scopes[self.scope].slots[field];
        let is_required = plan.layout.scopes()[self.scope].fields[field].need == Need::Required;
        self.value = self.no_text(at);
        // A list that is not there is empty.
        match self.has_value(slot, at) || is_required && !slot.is_mixed() {
            true => self.take_text(field, seen, at, into),
            false => Ok(()),
        }
    }

    fn take_text<F: Fields>(
        &mut self,
        field: usize,
        seen: &mut [u64],
        at: usize,
        into: &mut F,
    ) -> Result<()> {
        self.note(field, seen, at)?;
        self.field = field;
        into.decode_field(field, self)
    }

    /// Reads one tag, and what stands inside if it is a field's; holds the attributes of others.
    #[inline]
    fn tag<F: Fields>(
        &mut self,
        scope: &'a ScopePlan,
        seen: &mut [u64],
        component: u16,
        into: &mut F,
    ) -> Result<Step> {
        if self.as_planned
            && self.reader.is_in_content()
            && let Some(step) = self.fast_tag(scope, seen, component, into)?
        {
            return Ok(step);
        }
        self.generic_step(scope, seen, component, into)
    }

    /// Reads a tag if it is one of the plan's, to the letter.
    #[inline]
    fn fast_tag<F: Fields>(
        &mut self,
        scope: &'a ScopePlan,
        seen: &mut [u64],
        component: u16,
        into: &mut F,
    ) -> Result<Option<Step>> {
        let (bytes, at) = (self.input.as_bytes(), self.reader.position());
        let Some(window) = bytes.get(at..).and_then(<[u8]>::first_chunk::<34>) else {
            return Ok(None);
        };
        if window[1] == b'/' {
            return self.fast_end(scope, seen, component, at, into);
        }
        let length = scan::name_length(window);
        match scope.names.guess(component, window, length) {
            Some(Name::Field(field))
                if scope.slots[usize::from(field)].start.matches(bytes, at) =>
            {
                self.fast_field(scope, seen, (field.into(), at, length), into)
            }
            Some(Name::Component(inner)) => {
                let start = &scope.components[usize::from(inner)].start;
                if !start.matches(bytes, at) {
                    return Ok(None);
                }
                let Some(end) = self.hold_planned(self.scope, inner, at + start.len()) else {
                    return Ok(None);
                };
                if end.empty && scope.components[usize::from(inner)].text != NONE {
                    self.tags.held.clear();
                    return Ok(None);
                }
                self.note_component(scope, inner, seen, at)?;
                if !end.empty {
                    self.reader.push_known(at + 1, length)?;
                }
                if end.empty && self.tags.held.is_empty() {
                    self.leave(scope, inner, seen, end.at, into)?;
                }
                self.reader.set_position(end.at);
                Ok(Some(Step::Between(if end.empty { component } else { inner })))
            }
            _ => Ok(None),
        }
    }

    /// Goes into the entry or struct whose start tag begins at `at`, if that is as the plan would write
    /// it.
    #[inline(never)]
    pub(super) fn fast_tag_of(
        &mut self,
        index: usize,
        element: &Enclosing,
        at: usize,
    ) -> Result<bool> {
        if !element.start.matches(self.input.as_bytes(), at) {
            return Ok(false);
        }
        let Some(end) = self.hold_planned(index, NONE, at + element.start.len()) else {
            return Ok(false);
        };
        if !end.empty {
            self.reader.push_known(at + 1, element.name.len())?;
        }
        self.tags.ended = end.empty;
        self.reader.set_position(end.at);
        Ok(true)
    }

    /// Reads the attributes of the message's own element: if a template matched what stands before them (`known`), the
    /// parser stands before them, else behind the tag. Do they say, of one that is known, that it is nil?
    #[inline(never)]
    pub(super) fn hold_first(&mut self, known: bool) -> Result<bool> {
        // It is left from a message that broke off.
        self.tags.ended = false;
        let mut nil = false;
        if known {
            let at = self.reader.position();
            let end = if self.fast { self.hold_planned(0, NONE, at) } else { None };
            if let Some(end) = end {
                self.reader.set_position(end.at);
                self.begin_behind_tag();
                self.tags.ended = end.empty;
                if end.empty {
                    self.reader.pop_known_elements(1);
                }
                return Ok(false);
            }
            self.unknown.begin();
            self.reader.restart()?;
            nil = opening::open(self.plan, &mut self.reader, self.unknown)?;
            self.begin_behind_tag();
        }
        self.check_names();
        self.field = usize::MAX;
        self.hold(&self.plan.scopes[0], NONE).map(|()| nil)
    }

    /// A template of the envelope ends before the attributes, and an answer's first element stands behind them.
    fn begin_behind_tag(&mut self) {
        let position = self.reader.position();
        self.first = self.first.map(|_| position);
    }

    /// Holds the attributes from `at` to the end of a start tag, if all are the plan's own, to the
    /// letter, and none stands twice; else holds none.
    #[inline]
    fn hold_planned(&mut self, index: usize, component: u16, at: usize) -> Option<TagEnd> {
        self.tags.held.clear();
        let end = self.planned_attributes(index, component, at);
        if end.is_none() {
            self.tags.held.clear();
        }
        end
    }

    fn planned_attributes(
        &mut self,
        index: usize,
        component: u16,
        mut at: usize,
    ) -> Option<TagEnd> {
        let bytes = self.input.as_bytes();
        let plan = self.plan;
        let scope = &plan.scopes[index];
        let mut place = self.tags.followers.start(index, component);
        // The fields held are all before this one.
        let mut beyond = 0;
        loop {
            let guess = self.tags.followers.guess(place);
            let stands = |field: u16| {
                let start = &scope.slots.get(usize::from(field))?.start;
                start.matches(bytes, at).then_some(start.len())
            };
            let (field, length) = match stands(guess) {
                Some(length) => (guess, length),
                None => {
                    let window = bytes.get(at..)?.first_chunk::<34>()?;
                    match window {
                        [b' ', ..] => {}
                        [b'>', ..] => return Some(TagEnd { at: at + 1, empty: false }),
                        [b'/', b'>', ..] => return Some(TagEnd { at: at + 2, empty: true }),
                        _ => return None,
                    }
                    let length = scan::attribute_name_length(window);
                    let Name::Field(field) = scope.attributes.guess(component, window, length)?
                    else {
                        return None;
                    };
                    (field, stands(field)?)
                }
            };
            if field < beyond && self.holds(field) {
                return None;
            }
            let start = at + length;
            let end = scan::find_quote(bytes, start);
            if bytes.get(end) != Some(&b'"') {
                return None;
            }
            self.tags.followers.learn(place, field);
            place = self.tags.followers.behind(index, field);
            let name = at as u32 + 1;
            let place = Place::Input(start as u32, end as u32);
            self.tags.held.push(Held { field, name, place });
            beyond = beyond.max(field + 1);
            at = end + 1;
        }
    }

    /// Is it held already? Also where there are too many to look.
    fn holds(&self, field: u16) -> bool {
        self.tags.held.len() > SEARCHED || self.tags.held.iter().any(|held| held.field == field)
    }

    /// Holds the attributes of the start tag that the parser read last, and counts those that are
    /// unknown.
    ///
    /// # Errors
    /// One has the name of a field and is in the namespace of the message: fields are in none. Or one
    /// is unknown, and rejected.
    pub(super) fn hold(&mut self, scope: &ScopePlan, component: u16) -> Result<()> {
        self.tags.held.clear();
        for index in 0..self.reader.attributes() {
            let (name, text) = self.reader.attribute(index);
            let namespace = self.reader.namespace(name);
            let (is_known, meaning) = {
                let local = self.reader.local(name).as_bytes();
                let mut all = scope.attributes.all(component, local);
                let known =
                    all.find(|(namespace_number, _)| self.is_in(*namespace_number, namespace));
                let meaning = known.map(|(_, meaning)| meaning);
                (known.is_some(), meaning.or_else(|| scope.attributes.get(component, local)))
            };
            match meaning {
                Some(Name::Field(field)) if is_known => {
                    let place = self.reader.place_of(text);
                    let place = place.map(|(start, end)| Place::Input(start as u32, end as u32));
                    let place = place.unwrap_or(Place::Attribute(index as u32));
                    let name = self.reader.attribute_began(index) as u32;
                    self.tags.held.push(Held { field, name, place });
                }
                Some(_) if self.reader.is_none(namespace) || self.is_own(namespace) => {
                    return Err(self.other_attribute(scope, component, index));
                }
                _ => self.hold_unknown(scope, component, index)?,
            }
        }
        Ok(())
    }

    /// An attribute has the name of a field, but not its namespace.
    #[cold]
    fn other_attribute(&self, scope: &ScopePlan, component: u16, index: usize) -> Error {
        let name = self.reader.attribute(index).0;
        let (local, found) = (self.reader.local(name), shown(self.reader.namespace_of(name)));
        let mut all = scope.attributes.all(component, local.as_bytes());
        let own = all
            .next()
            .map_or("", |(namespace_number, _)| self.plan.namespaces.name(namespace_number));
        let what = format!("the attribute {local} of {}, not of {found}", shown(own));
        self.error(ErrorKind::Expected(what.into()), self.reader.attribute_began(index))
    }

    /// Counts an attribute that is no field, and keeps it if it is to be kept, unless it says something.
    fn hold_unknown(&mut self, scope: &ScopePlan, component: u16, index: usize) -> Result<()> {
        let name = self.reader.attribute(index).0;
        let (local, namespace) = (self.reader.local(name), self.reader.namespace_of(name));
        if !is_unknown(self.plan, namespace, local) {
            return Ok(());
        }
        let at = self.reader.attribute_began(index);
        let may = !self.plan.options.attributes && is_own(self.plan, namespace);
        let meant = self.plan.meant_by_attribute(scope, component, local);
        if let Some((_, kind)) = meant.filter(|_| may) {
            return Err(self.error(kind, at));
        }
        let (plan, within, field) = (self.plan, self.scope, self.field);
        self.unknown.add(1, || {
            let rejected = rejected_attribute(local, at);
            match component {
                NONE => plan.locate(rejected, within, field),
                _ => plan.locate_component(rejected, within, component),
            }
        })?;
        match self.unknown.content {
            UnknownContent::Keep => self.keep_one(component, index),
            _ => Ok(()),
        }
    }

    /// # Errors
    /// The start tag that the parser read last, of a component that is nil, has fields as attributes.
    pub(super) fn reject_held(
        &mut self,
        scope: &ScopePlan,
        component: u16,
        at: usize,
    ) -> Result<()> {
        if self.attributes {
            self.hold(scope, component)?;
            if !std::mem::take(&mut self.tags.held).is_empty() {
                let kind = ErrorKind::Expected(NIL_WITH_ATTRIBUTES.into());
                return Err(self.error(kind, at));
            }
        }
        Ok(())
    }

    /// Reads the values that are held.
    #[inline]
    pub(super) fn take_held<F: Fields>(&mut self, seen: &mut [u64], into: &mut F) -> Result<()> {
        for at in 0..self.tags.held.len() {
            let Held { field, name, place } = self.tags.held[at];
            self.note(field.into(), seen, name as usize)?;
            self.field = field.into();
            self.value = match place {
                Place::Input(start, end) => Value::Input(start as usize, end as usize),
                Place::Attribute(index) => self.value_of(index as usize),
            };
            into.decode_field(field.into(), self)?;
        }
        self.tags.held.clear();
        Ok(())
    }

    /// The value of an attribute of the tag read last, which is not in the input as it is.
    #[inline(never)]
    fn value_of(&mut self, index: usize) -> Value<R::Held> {
        let (text, at) = (self.reader.attribute(index).1, self.reader.value_began(index));
        self.reader.held(text, at).unwrap_or_else(|| {
            self.scratch.clear();
            self.reader.append(text, self.scratch);
            Value::Scratch(at)
        })
    }
}
