//! Elements that are none of those that the schema has where they stand.
//!
//! What the schema does not know at all is passed over, as services in XML are extended so, and is
//! counted. What it knows by another name or at another place is no extension: the sender means a
//! field, and to pass it over would lose that.

pub(crate) mod capture;
pub(crate) mod restore;

use trunkline_codec::infoset::Reader;
use trunkline_message::{Error, ErrorKind, Limits, Result, UnknownContent};

use crate::attributes::{others, own};
use crate::decoder::Body;
use crate::envelope::RPC;
use crate::form::Form;
use crate::names::Name;
use crate::opening::{excerpt, shown};
use crate::plan::{NONE, Plan, ScopePlan, Shape, Slot};
use crate::unknown::capture::Pending;

/// What an element that is nil may have (XML Schema part 1 section 2.6.2), and only a record by itself holds.
pub(super) const NIL_WITH_ATTRIBUTES: &str =
    "no attributes of its type in an element that is nil, for which the message has no place";

/// What the element of a message is that may not be nil.
pub(super) const MESSAGE: &str = "a message, not nil";

/// What stands in an element that is nil (XML Schema part 1 section 2.6.2).
pub(super) const NOTHING: &str = "no content in an element that is nil";

/// How many elements and attributes of a message are unknown, and what becomes of it then.
#[derive(Debug, Default)]
pub(super) struct UnknownCounter {
    pub(super) count: usize,
    pub(super) content: UnknownContent,
    /// The content to be kept.
    pub(super) pending: Pending,
}

impl UnknownCounter {
    /// None yet, of which this is to become.
    pub(super) fn new(content: UnknownContent, limits: &Limits) -> Self {
        Self { count: 0, content, pending: Pending::new(limits.message_bytes) }
    }

    /// A message begins.
    #[inline]
    pub(super) fn begin(&mut self) {
        self.count = 0;
        self.pending.clear();
    }

    /// Counts so many more.
    ///
    /// # Errors
    /// They are to be rejected, with this `error`.
    #[cold]
    pub(super) fn add(&mut self, more: usize, error: impl FnOnce() -> Error) -> Result<()> {
        self.count += more;
        match self.content {
            UnknownContent::Reject if more > 0 => Err(error()),
            _ => Ok(()),
        }
    }
}

/// The rejection of the element of this local name at `at`; its path lacks what is around it.
#[cold]
pub(super) fn rejected(local: &str, at: usize) -> Error {
    Error::new(ErrorKind::Unknown, at).within(excerpt(local))
}

/// The same for an attribute.
#[cold]
pub(super) fn rejected_attribute(local: &str, at: usize) -> Error {
    Error::new(ErrorKind::Unknown, at).within(&format!("@{}", excerpt(local)))
}

/// The same for the first of those of the start tag just read that are unknown.
#[cold]
pub(super) fn rejected_among_others(plan: &Plan, reader: &impl Reader) -> Error {
    match others(plan, reader).next() {
        Some(first) => {
            let local = reader.local(reader.attribute(first).0);
            rejected_attribute(local, reader.attribute_began(first))
        }
        None => Error::new(ErrorKind::Unknown, reader.position()),
    }
}

impl Plan {
    /// What an element of this local name was meant as that stands in a component of a scope and is
    /// none of those expected there, or no answer if it is unknown.
    pub(super) fn meant_in_scope(
        &self,
        scope: &ScopePlan,
        component: u16,
        local: &str,
    ) -> Option<String> {
        let of = |namespace_number: u8| shown(self.namespaces.name(namespace_number));
        if let Some((namespace_number, _)) = scope.names.all(component, local.as_bytes()).next() {
            return Some(format!("<{local}> of {}", of(namespace_number)));
        }
        if let Some((namespace_number, _)) =
            scope.attributes.all(component, local.as_bytes()).next()
        {
            return Some(format!("the attribute {local} of {}", of(namespace_number)));
        }
        let is_around = |slot: &&Slot| {
            slot.shape == Shape::Group
                && slot.component == component
                && match &scope.container(slot).enclosing {
                    Some(element) => *element.local == *local,
                    None => {
                        let entry = &self.scopes[usize::from(slot.scope)];
                        entry.names.get(NONE, local.as_bytes()).is_some()
                    }
                }
        };
        let around = scope.slots.iter().find(is_around)?;
        let (namespace, name) = (of(around.namespace_number), around.name());
        Some(format!("<{local}> of {namespace} inside an element {name}"))
    }

    /// The same for an element that stands in that of a list with these entries, whose elements are called
    /// so, and is none. All that is in the namespace of the entries, or in none, is meant as an entry,
    /// or as what stands in one.
    pub(super) fn meant_among(
        &self,
        items: &str,
        entry: &ScopePlan,
        namespace: &str,
        local: &str,
    ) -> Option<String> {
        let own = self.element_namespace();
        let is_foreign = !namespace.is_empty() && namespace != own;
        let is_known = *local == *items || entry.names.get(NONE, local.as_bytes()).is_some();
        (!is_foreign || is_known).then(|| format!("<{items}> of {}", shown(own)))
    }

    /// What an unknown attribute was meant as, if the element that it stands in has others
    /// inside that are those of a component of a scope: one of them, or no answer if it is unknown.
    pub(super) fn meant_by_attribute(
        &self,
        scope: &ScopePlan,
        component: u16,
        local: &str,
    ) -> Option<(Name, ErrorKind)> {
        let (namespace_number, meaning) = scope.names.all(component, local.as_bytes()).next()?;
        Some((meaning, not_attribute(local, self.namespaces.name(namespace_number))))
    }

    /// The same, if the element has that of a group or list of a scope inside.
    pub(super) fn meant_by_attribute_of(
        &self,
        scope: usize,
        field: usize,
        local: &str,
    ) -> Option<ErrorKind> {
        let scope = &self.scopes[scope];
        let slot = scope.slots.get(field)?;
        let inner = match slot.shape {
            Shape::Value
            | Shape::Defaulted
            | Shape::Attribute
            | Shape::Text
            | Shape::Bare
            | Shape::Mixed
            | Shape::Any => {
                return None;
            }
            Shape::Run if slot.scope == 0 => return None,
            Shape::Group | Shape::List | Shape::Run | Shape::Struct => {
                self.scopes.get(usize::from(slot.scope))?
            }
        };
        let namespace = self.namespaces.name(slot.namespace_number);
        match (&scope.container(slot).enclosing, slot.shape) {
            (Some(element), Shape::Group | Shape::List) => {
                meant_as_item(&element.local, namespace, local)
            }
            // An unwrapped item is that of a list without an element around it.
            (None, Shape::Run) => self.meant_by_attribute_of(slot.scope.into(), 0, local),
            _ => {
                let known = inner.names.all(NONE, local.as_bytes()).next();
                known.map(|(namespace_number, _)| {
                    not_attribute(local, self.namespaces.name(namespace_number))
                })
            }
        }
    }

    /// What stands in a list, or beside others where it is unwrapped.
    #[cold]
    pub(super) fn items_of(&self, scope: usize, slot: &Slot) -> String {
        match slot.shape {
            Shape::List if *self.item_name(scope, slot) == *"item" => "item elements".into(),
            _ => format!("{} elements", self.item_name(scope, slot)),
        }
    }

    /// The name of each entry's element; of several arms, all.
    pub(super) fn item_name(&self, scope: usize, slot: &Slot) -> String {
        match &self.scopes[scope].container(slot).enclosing {
            Some(element) => element.local.to_string(),
            None => {
                let slots = self.scopes[usize::from(slot.scope)].slots.iter();
                let named = slots.filter(|it| it.shape != Shape::Text);
                let names: Vec<String> = named.take(8).map(Slot::name).collect();
                names.join(" or ")
            }
        }
    }

    /// Why a field may not stand twice.
    #[cold]
    pub(super) fn twice(&self, scope: usize, field: usize) -> ErrorKind {
        let slot = &self.scopes[scope].slots[field];
        let what = match slot.shape {
            Shape::Value
            | Shape::Defaulted
            | Shape::Attribute
            | Shape::Text
            | Shape::Bare
            | Shape::Mixed
            | Shape::Any => {
                return ErrorKind::Duplicate;
            }
            Shape::List | Shape::Group => {
                let items = self.item_name(scope, slot);
                format!("one element {} with all <{items}> inside, not a second", slot.name())
            }
            Shape::Struct => {
                format!("one element {} with all that is in it, not a second", slot.name())
            }
            Shape::Run => format!("all elements {} of a fixed number together", slot.name()),
        };
        ErrorKind::Expected(what.into())
    }

    /// A component stands twice, the second time at `at`. Its fields might be meant in place of the
    /// first ones or beside them.
    #[cold]
    pub(super) fn component_twice(&self, scope: usize, component: u16, at: usize) -> Error {
        let name = self.scopes[scope].components[usize::from(component)].name();
        let what = format!("one element {name} with all that is in it, not a second");
        self.locate_component(Error::new(ErrorKind::Expected(what.into()), at), scope, component)
    }
}

/// The first attribute of the start tag just read that is meant as an element inside, those being of
/// a component of a scope; what was expected, and where it stands.
pub(super) fn misplaced(
    plan: &Plan,
    reader: &impl Reader,
    scope: &ScopePlan,
    component: u16,
) -> Option<(Name, ErrorKind, usize)> {
    own(plan, reader).find_map(|it| {
        let local = reader.local(reader.attribute(it).0);
        let (meaning, kind) = plan.meant_by_attribute(scope, component, local)?;
        Some((meaning, kind, reader.attribute_began(it)))
    })
}

/// What was expected in place of an unknown attribute of this local name, if the element
/// that it stands in has others of that name inside, in a namespace, and no more.
pub(super) fn meant_as_item(item: &str, namespace: &str, local: &str) -> Option<ErrorKind> {
    (*local == *item).then(|| not_attribute(local, namespace))
}

/// An attribute stands where an element of its name was expected.
fn not_attribute(local: &str, namespace: &str) -> ErrorKind {
    let what = format!("<{local}> of {}, not the attribute {local}", shown(namespace));
    ErrorKind::Expected(what.into())
}

/// The expected content in place of an element.
#[cold]
pub(super) fn instead(expected: &str, local: &str, namespace: &str) -> ErrorKind {
    let what = format!("{expected}, not <{}> of {}", excerpt(local), shown(namespace));
    ErrorKind::Expected(what.into())
}

impl<R: Form> Body<'_, R> {
    /// Counts the element just begun, at `at`, in a component, which is none of those expected
    /// there.
    ///
    /// # Errors
    /// It is not unknown, or rejected.
    #[cold]
    pub(super) fn unknown(
        &mut self,
        scope: &ScopePlan,
        component: u16,
        (at, name): (usize, R::Name),
    ) -> Result<()> {
        let local = self.reader.local(name);
        if let Some(expected) = self.plan.meant_in_scope(scope, component, local) {
            let known =
                [&scope.names, &scope.attributes].map(|it| it.get(component, local.as_bytes()));
            if let [Some(Name::Field(field)), _] | [_, Some(Name::Field(field))] = known {
                self.field = field.into();
            }
            let namespace = self.reader.namespace_of(name);
            return Err(self.error(instead(&expected, local, namespace), at));
        }
        self.fields += 1;
        let (plan, within) = (self.plan, self.scope);
        self.unknown.add(1, || plan.locate_component(rejected(local, at), within, component))
    }

    /// Counts the attributes of the start tag just read, that of the present field, that are unknown.
    /// Counted content does not become a template, because it would not be counted again.
    ///
    /// # Errors
    /// They are rejected.
    #[inline]
    pub(super) fn count_attributes(&mut self, others: usize) -> Result<()> {
        if others == 0 {
            return Ok(());
        }
        self.gap = None;
        let (plan, scope, field) = (self.plan, self.scope, self.field);
        let reader = &self.reader;
        let error = || plan.locate(rejected_among_others(plan, reader), scope, field);
        self.unknown.add(others, error)
    }

    /// The same, where the elements inside are those of a component of a scope. Those whose fields
    /// are attributes have theirs [held](Self::hold).
    ///
    /// # Errors
    /// One is not unknown, or they are rejected.
    #[inline]
    pub(super) fn count_attributes_around(
        &mut self,
        others: usize,
        scope: &ScopePlan,
        component: u16,
    ) -> Result<()> {
        if others == 0 || self.attributes {
            return Ok(());
        }
        self.reject_misplaced(scope, component)?;
        if component == NONE {
            self.count_attributes(others)?;
            return self.keep_own();
        }
        self.gap = None;
        let (plan, within) = (self.plan, self.scope);
        let reader = &self.reader;
        let error = || {
            let error = rejected_among_others(plan, reader);
            plan.locate_component(error, within, component)
        };
        self.unknown.add(others, error)?;
        self.keep_of_component(component)
    }

    /// The same for the present field, which may be a group or list, and `keeps` them if it is no item.
    ///
    /// # Errors
    /// One is meant as an entry or item, or they are rejected.
    #[inline]
    pub(super) fn count_attributes_of_field(&mut self, count: usize, keeps: bool) -> Result<()> {
        if count == 0 {
            return Ok(());
        }
        let (plan, scope, field) = (self.plan, self.scope, self.field);
        let reader = &self.reader;
        let meant = own(plan, reader).find_map(|it| {
            let local = reader.local(reader.attribute(it).0);
            let kind = plan.meant_by_attribute_of(scope, field, local)?;
            Some((kind, reader.attribute_began(it)))
        });
        if let Some((kind, at)) = meant {
            return Err(self.error(kind, at));
        }
        self.count_attributes(count)?;
        if keeps { self.keep_of_field() } else { Ok(()) }
    }

    #[cold]
    fn reject_misplaced(&mut self, scope: &ScopePlan, component: u16) -> Result<()> {
        let plan = self.plan;
        let Some((meaning, kind, at)) = misplaced(plan, &self.reader, scope, component) else {
            return Ok(());
        };
        // The path of what is wrong in an entry's own tag ends at the group.
        if let Name::Field(field) = meaning
            && std::ptr::eq(scope, &plan.scopes[self.scope])
        {
            self.field = field.into();
        }
        Err(self.error(kind, at))
    }

    /// The same for one in a list.
    #[cold]
    pub(super) fn unknown_in_list(
        &mut self,
        slot: &Slot,
        (at, name): (usize, R::Name),
    ) -> Result<()> {
        let (local, namespace) = (self.reader.local(name), self.reader.namespace_of(name));
        let items = self.plan.item_name(self.scope, slot);
        let entry = &self.plan.scopes[usize::from(slot.scope)];
        if let Some(expected) = self.plan.meant_among(&items, entry, namespace, local) {
            return Err(self.error(instead(&expected, local, namespace), at));
        }
        let (plan, scope, field) = (self.plan, self.scope, self.field);
        self.unknown.add(1, || plan.locate(rejected(local, at), scope, field))
    }

    /// What an element of the message is that has no other's name, at `at`: the return value of a
    /// call, if that is where it stands or what it is called, or a parameter by position. From there on only
    /// the parser reads the message, since its elements are not named as planned.
    #[cold]
    pub(super) fn unnamed(
        &mut self,
        scope: &ScopePlan,
        component: u16,
        (at, name): (usize, R::Name),
    ) -> Result<Option<Name>> {
        if (self.scope, component) != (0, NONE) {
            return Ok(None);
        }
        let known = scope.names.get(component, self.reader.local(name).as_bytes());
        let meaning = match &self.plan.parameters {
            Some(_) if known.is_some() => None,
            Some(parameters) => {
                let (plan, local) = (self.plan, self.reader.local(name));
                let next = next_parameter(parameters, &mut self.unnamed, || {
                    self.first.take().is_some_and(|first| self.reader.is_first(first, at))
                });
                next.map_err(|kind| {
                    plan.locate_component(Error::new(kind, at).within(local), 0, NONE)
                })?
            }
            None => self.return_value(known, component, (at, name)),
        };
        if meaning.is_some() {
            (self.fast, self.as_planned, self.same_context) = (false, false, false);
        }
        Ok(meaning)
    }

    /// The return value, if an element is that whose name is unknown, or `known`.
    fn return_value(
        &mut self,
        known: Option<Name>,
        component: u16,
        (at, name): (usize, R::Name),
    ) -> Option<Name> {
        let value = self.plan.return_value?;
        if self.is_result(component, name) || known.is_some_and(|known| known != value) {
            return None;
        }
        let is_it = match &self.result {
            Some(result) => **result == *self.reader.local(name),
            // Of two that are unknown, the second is not the first element.
            None => self.first.take().is_some_and(|first| self.reader.is_first(first, at)),
        };
        is_it.then_some(value)
    }

    /// Is it the element of an answer that names the return value?
    fn is_result(&self, component: u16, name: R::Name) -> bool {
        self.plan.return_value.is_some()
            && (self.scope, component) == (0, NONE)
            && self.reader.is(name, RPC, "result")
    }

    /// Reads the element just begun, at `at` in a component, if it names the return value.
    #[cold]
    pub(super) fn read_result(
        &mut self,
        component: u16,
        (at, name): (usize, R::Name),
    ) -> Result<bool> {
        let is_it = self.is_result(component, name);
        if is_it {
            self.value = self.content(at)?;
            self.result = Some(local_part(&self.text_value()).into());
        }
        Ok(is_it)
    }
}

/// Of a qualified name that is a value. The prefix of `rpc:result` means nothing: parts are known by
/// their local names.
pub(super) fn local_part(value: &str) -> &str {
    let value = value.trim_matches([' ', '\t', '\r', '\n']);
    value.rsplit_once(':').map_or(value, |(_, local)| local)
}

/// The parameter that an element is whose name is none of theirs, where so many were read by position (`read`). A call
/// that does not begin with such an element has them by name, and what is unknown there is none.
pub(super) fn next_parameter(
    parameters: &[Name],
    read: &mut usize,
    is_first: impl FnOnce() -> bool,
) -> std::result::Result<Option<Name>, ErrorKind> {
    if *read == 0 && !is_first() {
        return Ok(None);
    }
    let Some(parameter) = parameters.get(*read) else {
        let most = parameters.len();
        return Err(ErrorKind::Expected(format!("at most {most} parameters").into()));
    };
    *read += 1;
    Ok(Some(*parameter))
}
