//! Captures unknown content in the message that keeps it.
//!
//! The decoder does not know yet whose it is where it meets the attributes of a start tag, or an element
//! among the entries of a list: the message is lent to the reader of the field. So they are pending until the
//! field is read, or the scope begins whose element it is.

use trunkline_codec::infoset::{Reader, Tag};
use trunkline_codec::xml;
use trunkline_message::{Error, ErrorKind, Fields, Place, Result, Sibling, UnknownContent};

use crate::attributes::others;
use crate::decoder::Body;
use crate::form::Form;
use crate::plan::{NONE, Plan, ScopePlan, Shape};
use crate::unknown::UnknownCounter;

/// Elements and attributes that are not yet in the message that keeps them.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    items: Vec<Item>,
    text: String,
    /// Bytes that were kept of the message, and how many they may be.
    kept: usize,
    most: usize,
}

#[derive(Debug)]
struct Item {
    level: usize,
    place: Place,
    /// Where its text ends.
    end: usize,
}

/// Whose it is: of the scope whose own element is so deep, its attributes,
fn own(depth: usize) -> usize {
    2 * depth
}

/// or what stands so deep, in the element of a field of the scope around.
fn inside(depth: usize) -> usize {
    2 * depth - 1
}

impl Pending {
    /// Nothing yet; so many bytes of a message may be kept.
    pub(crate) fn new(most: usize) -> Self {
        Self { most, ..Self::default() }
    }

    /// Forgets all.
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.kept = 0;
        if !self.items.is_empty() {
            self.items.clear();
            self.text.clear();
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Counts so many bytes that are kept, with declarations that they did not come with.
    ///
    /// # Errors
    /// It is more than a message may be: the names of namespaces may be long.
    pub(crate) fn count(&mut self, bytes: usize, at: usize) -> Result<()> {
        self.kept += bytes;
        match self.kept > self.most {
            true => {
                let kind = ErrorKind::Limit { name: "message_bytes", limit: self.most };
                Err(Error::new(kind, at))
            }
            false => Ok(()),
        }
    }

    /// Adds what `write` appends.
    ///
    /// # Errors
    /// As [`count`](Self::count).
    fn push(
        &mut self,
        (level, place): (usize, Place),
        at: usize,
        write: impl FnOnce(&mut String) -> Result<()>,
    ) -> Result<()> {
        let start = self.text.len();
        write(&mut self.text)?;
        let end = self.text.len();
        self.count(end - start, at)?;
        self.items.push(Item { level, place, end });
        Ok(())
    }

    /// Delivers what is pending from a level on to the message or entry that keeps it; says how many were kept.
    fn deliver<F: Fields>(&mut self, from: usize, into: &mut F) -> usize {
        let first = self.items.iter().rposition(|it| it.level < from).map_or(0, |it| it + 1);
        let mut start = first.checked_sub(1).map_or(0, |it| self.items[it].end);
        let rest = start;
        let mut count = 0;
        if let Some(unknown) = into.unknown() {
            for item in &self.items[first..] {
                unknown.push_markup(item.place, &self.text[start..item.end]);
                start = item.end;
            }
            count = self.items.len() - first;
        }
        self.items.truncate(first);
        self.text.truncate(rest);
        count
    }
}

impl UnknownCounter {
    /// Captures the attributes of the start tag just read, that of the message, if they are kept.
    pub(crate) fn keep_of_message(&mut self, plan: &Plan, reader: &impl Reader) -> Result<()> {
        let place = (own(reader.depth()), Place::Attribute { component: None });
        self.keep_attributes(plan, reader, place)
    }

    fn keep_attributes(
        &mut self,
        plan: &Plan,
        reader: &impl Reader,
        place: (usize, Place),
    ) -> Result<()> {
        if self.content != UnknownContent::Keep {
            return Ok(());
        }
        others(plan, reader).try_for_each(|it| self.keep_attribute(reader, place, it))
    }

    /// One whose value has a prefix of its document is left to be counted: elsewhere it would say something else.
    fn keep_attribute(
        &mut self,
        reader: &impl Reader,
        place: (usize, Place),
        index: usize,
    ) -> Result<()> {
        let (name, value) = reader.attribute(index);
        let (local, namespace) = (reader.local(name), reader.namespace_of(name));
        let value = reader.value(value);
        if has_prefix(reader, &value) {
            return Ok(());
        }
        self.pending.push(place, reader.position(), |text| {
            text.push_str(local);
            text.push_str("=\"");
            xml::escape(&value, true, text);
            text.push('"');
            text.push_str(namespace);
            Ok(())
        })
    }
}

/// Does a value have names with prefixes that are declared where the reader stands?
fn has_prefix(tag: &impl Tag, value: &str) -> bool {
    value
        .split_ascii_whitespace()
        .filter_map(|word| word.split_once(':'))
        .any(|(prefix, _)| !prefix.is_empty() && tag.resolve(prefix).is_some())
}

impl<'a, R: Form> Body<'a, R> {
    /// Passes over the element just begun, at `at`, which is unknown and among those of a component; or
    /// keeps it.
    #[cold]
    pub(crate) fn pass_over<F: Fields>(
        &mut self,
        scope: &ScopePlan,
        component: u16,
        seen: &[u64],
        at: usize,
        into: &mut F,
    ) -> Result<()> {
        if self.unknown.content != UnknownContent::Keep {
            return self.reader.skip();
        }
        let behind = scope.sibling_before(component, seen);
        let component = Some(component).filter(|it| *it != NONE);
        let level = inside(self.reader.depth());
        self.keep_element((level, Place::Element { component, behind }), at)?;
        self.deliver(level, into);
        Ok(())
    }

    /// The same for one behind so many entries of a list, the present field; `deep` says how many
    /// elements are around it that are the list's.
    #[cold]
    pub(crate) fn pass_over_entry(&mut self, entries: usize, deep: usize, at: usize) -> Result<()> {
        if self.unknown.content != UnknownContent::Keep {
            return self.reader.skip();
        }
        let level = inside(self.reader.depth() - deep);
        let field = self.field as u16;
        let entries = u32::try_from(entries).unwrap_or(u32::MAX);
        self.keep_element((level, Place::Entry { field, entries }), at)
    }

    fn keep_element(&mut self, place: (usize, Place), at: usize) -> Result<()> {
        let reader = &mut self.reader;
        self.unknown.pending.push(place, at, |text| reader.raw(&[], text))?;
        self.pend();
        Ok(())
    }

    /// Captures the unknown attributes of the start tag just read, if they are kept: those of a component of
    /// the present scope.
    #[cold]
    pub(crate) fn keep_of_component(&mut self, component: u16) -> Result<()> {
        let level = inside(self.reader.depth());
        self.keep_attributes(level, Place::Attribute { component: Some(component) })
    }

    /// The same for those of the element of a scope that begins.
    #[cold]
    pub(crate) fn keep_own(&mut self) -> Result<()> {
        let level = own(self.reader.depth());
        self.keep_attributes(level, Place::Attribute { component: None })
    }

    /// The same for those of the present field.
    #[cold]
    pub(crate) fn keep_of_field(&mut self) -> Result<()> {
        let (level, field) = (inside(self.reader.depth()), self.field as u16);
        self.keep_attributes(level, Place::FieldAttribute { field })
    }

    fn keep_attributes(&mut self, level: usize, place: Place) -> Result<()> {
        self.unknown.keep_attributes(self.plan, &self.reader, (level, place))?;
        self.pend();
        Ok(())
    }

    /// The same for one of them, where others are fields.
    #[cold]
    pub(crate) fn keep_one(&mut self, component: u16, index: usize) -> Result<()> {
        let depth = self.reader.depth();
        let place = match component {
            NONE => (own(depth), Place::Attribute { component: None }),
            component => (inside(depth), Place::Attribute { component: Some(component) }),
        };
        self.unknown.keep_attribute(&self.reader, place, index)?;
        self.pend();
        Ok(())
    }

    /// From here on content is pending: the fast and the template path end, and a scope that begins looks for
    /// what is its own.
    pub(crate) fn pend(&mut self) {
        if !self.unknown.pending.is_empty() {
            (self.same_context, self.gap) = (false, None);
            self.scope_path = ScopePath::Pending;
        }
    }

    fn deliver<F: Fields>(&mut self, from: usize, into: &mut F) {
        let kept = self.unknown.pending.deliver(from, into);
        self.unknown.count -= kept;
    }

    /// A field was read, behind which names may mean something else; unknown content of its element is
    /// delivered.
    #[inline]
    pub(crate) fn leave_field<F: Fields>(&mut self, into: &mut F) {
        self.check_names();
        if !self.unknown.pending.is_empty() {
            self.deliver_inside(into);
        }
    }

    /// Delivers what stood in elements that have ended, or in the start tag just read.
    #[cold]
    fn deliver_inside<F: Fields>(&mut self, into: &mut F) {
        self.deliver(inside(self.reader.depth() + 1), into);
    }

    /// The same for the start tag of a component, which was just read.
    #[cold]
    pub(crate) fn deliver_of_component<F: Fields>(&mut self, into: &mut F) {
        if !self.unknown.pending.is_empty() {
            self.deliver(inside(self.reader.depth()), into);
        }
    }

    /// What is pending of the element just begun is discarded, since that is nil. It was counted.
    #[cold]
    pub(crate) fn discard_pending(&mut self) {
        let level = inside(self.reader.depth());
        self.unknown.pending.deliver(level, &mut Discard);
    }

    /// Reads a scope whose own element may have pending attributes.
    #[cold]
    #[inline(never)]
    pub(crate) fn scope_with_pending<F: Fields>(
        &mut self,
        scope: &'a ScopePlan,
        into: &mut F,
    ) -> Result<()> {
        self.scope_path = if self.attributes { ScopePath::Attributes } else { ScopePath::Elements };
        self.deliver(own(self.reader.depth()), into);
        match self.attributes {
            true => self.scope_of_tags(scope, into),
            false => self.scope_apart(scope, into),
        }
    }
}

/// How a scope is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScopePath {
    /// Values are elements.
    Elements,
    /// Values are attributes.
    Attributes,
    /// Content is pending that may be the scope's.
    Pending,
    /// The element just begun is nil: its attributes are all that there is.
    Nil,
}

/// A message that keeps nothing.
struct Discard;

impl Fields for Discard {
    fn encode_fields<E: trunkline_message::Encoder>(&self, _: usize, _: &mut E) {}

    fn decode_field<D: trunkline_message::Decoder>(&mut self, _: usize, _: &mut D) -> Result<()> {
        Ok(())
    }

    fn clear(&mut self) {}
}

impl ScopePlan {
    /// The last of a component's elements, in the order of the schema, that was seen.
    fn sibling_before(&self, component: u16, seen: &[u64]) -> Option<Sibling> {
        let is_seen = |bit: usize| seen[bit / 64] >> (bit % 64) & 1 != 0;
        let fields = (0..self.slots.len()).filter(|field| {
            let slot = &self.slots[*field];
            let is_element = !matches!(slot.shape, Shape::Attribute | Shape::Text | Shape::Bare);
            slot.component == component && is_element && is_seen(*field)
        });
        let components = (0..self.components.len() as u16).filter(|inner| {
            self.element_around(*inner) == component && is_seen(self.component_bit(*inner))
        });
        let fields = fields.map(|field| Sibling::Field(field as u16));
        let all = fields.chain(components.map(Sibling::Component));
        all.max_by_key(|sibling| self.order(*sibling))
    }

    /// The component around another, but for choices, which have no element.
    pub(crate) fn element_around(&self, component: u16) -> u16 {
        let mut around = self.components[usize::from(component)].parent;
        while let Some(element) = self.components.get(usize::from(around))
            && element.is_choice
        {
            around = element.parent;
        }
        around
    }

    /// Siblings stand in the order of these. A component without fields has the place of the field
    /// behind it.
    pub(crate) fn order(&self, sibling: Sibling) -> (usize, bool, u16) {
        match sibling {
            Sibling::Field(field) => {
                let rank =
                    self.slots.get(usize::from(field)).map_or(usize::MAX, |it| it.rank.into());
                (rank, true, 0)
            }
            Sibling::Component(component) => {
                let element = self.components.get(usize::from(component));
                (element.map_or(0, |it| it.ranks.0), false, component)
            }
        }
    }
}
