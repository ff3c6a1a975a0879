//! A schema compiled for SOAP: the tags to write and the names to look up.

use std::collections::HashMap;
use std::sync::Arc;

use trunkline_message::{Error, Need, Required, Result, ScopeId, Shape as ScopeShape, TypeId};
use trunkline_wire::Literal;

use crate::any::Wildcard;
use crate::call::{first, parameters, result, return_value};
use crate::container::{Container, Depths, Enclosing, Values, end, many_named};
use crate::dimensions::Dimensions;
use crate::envelope;
use crate::names::{Name, Names};
use crate::namespaces::Namespaces;
use crate::naming::Naming;
use crate::options::{Layout, Options};
use crate::order::Order;
use crate::parts::{Part, hollow, parts};
use crate::qname::QName;
use crate::slots::Slots;
use crate::types::ByType;
use crate::white_space::WhiteSpace;

/// A layout compiled for SOAP; shared by any number of encoders and decoders.
#[derive(Debug)]
pub struct Plan {
    pub(super) layout: Arc<trunkline_message::Layout>,
    pub(super) options: Options,
    /// Everything before the first field, and after the last.
    pub(super) prologue: Literal,
    pub(super) epilogue: Literal,
    /// The prologue up to and from where header blocks stand, with the tags around them; none for a
    /// fragment.
    pub(super) wrapper_header: Option<[Box<str>; 2]>,
    /// Local name and namespace of the element that is the message, and its end tag as written.
    pub(super) root: Box<str>,
    pub(super) root_namespace: Box<str>,
    pub(super) root_end: Literal,
    /// Number of the namespace, and name, of each element with which the inside may begin, if they have names.
    first: Box<[(u8, Box<str>)]>,
    /// The type that its `xsi:type` names, if it has to.
    pub(super) root_type: Option<QName>,
    /// Are groups and lists arrays of the encoding? Then their start tags end in a count and this.
    pub(super) arrays: bool,
    pub(super) array_end: Literal,
    /// Are items of an array read whatever their names are, and names in the namespace of the
    /// Body's child as if they were in none? Senders differ in both where content is encoded.
    pub(super) any_item: bool,
    /// May elements have other names than the plan's?
    pub(super) any_name: bool,
    /// The prefixes in the attributes of start tags, and what they must stand for.
    pub(super) prefixes: Vec<(Box<str>, Box<str>)>,
    pub(super) namespaces: Namespaces,
    pub(super) dimensions: Dimensions,
    /// May values stand in start tags, or as the text of an element with such a one?
    pub(super) in_tags: bool,
    /// Are there texts in which blanks do not stay as they are?
    pub(super) has_white_space: bool,
    /// Is the prefix of what may be nil declared?
    pub(super) has_xsi: bool,
    /// Is anything as notes say that graphs know nothing of: in other namespaces, in start tags, or a
    /// list in one text?
    pub(super) is_by_schema: bool,
    /// What the return value of a call is read as, if the message is the answer.
    pub(super) return_value: Option<Name>,
    /// What elements of a call are, in their order, if their names are none of the plan's.
    pub(super) parameters: Option<Box<[Name]>>,
    /// In answers of SOAP 1.2, the element that names the return value.
    pub(super) result: Option<Literal>,
    pub(super) scopes: Vec<ScopePlan>,
    /// The element that is the message, as far as it is named in no namespace.
    pub(super) message: Enclosing,
    /// Of each enumeration that fields hold.
    pub(super) enumerations: Vec<Values>,
    /// How deep elements nest inside the message's own; for what may hold itself see
    /// [`ScopePlan::depth`].
    pub(super) depth: usize,
    /// How many attributes an element may have.
    pub(super) width: usize,
}

impl Plan {
    /// Compiles a layout.
    ///
    /// # Errors
    /// Two elements beside each other would have the same name: an arm of a choice stands where
    /// the choice does. Or a note of XML is not valid: a name that is not a name, or an unknown word.
    pub fn new(layout: &Arc<trunkline_message::Layout>, options: &Options) -> Result<Arc<Self>> {
        let options = options.effective();
        let naming = Naming::new(layout, &options);
        naming.check_notes()?;
        let naming = naming.with_namespaces()?;
        naming.check()?;
        let root = naming.root();
        let around = envelope::wrapper(&naming, &root);
        let arrays = options.has_arrays();
        let any_item = options.style.is_encoded() && !options.is_plain_rpc();
        let mut enumerations = Enumerations::default();
        let mut scopes: Vec<ScopePlan> = (0..layout.scopes().len() as u16)
            .map(|scope| ScopePlan::new(&naming, ScopeId(scope), &mut enumerations))
            .collect();
        let depths = Depths::new(layout, options.flat);
        let many_named = many_named(scopes.len(), scopes.iter().flat_map(ScopePlan::elements));
        for (index, scope) in scopes.iter_mut().enumerate() {
            (scope.depth, scope.many_named) = (depths.measured[index], many_named[index]);
        }
        end_by_type(&mut scopes);
        let mut slots = scopes.iter().flat_map(|it| &it.slots);
        let has_bare = slots.any(|it| matches!(it.form, ListForm::Spaced | ListForm::Arms));
        let has_any = scopes.iter().flat_map(|it| &it.slots).any(|it| it.shape == Shape::Any);
        if has_any {
            naming.dimensions.check_beside_any()?;
        }
        let result = result(&naming).filter(|_| options.result);
        scopes[0].hollow |= result.is_some();
        Ok(Arc::new(Self {
            layout: layout.clone(),
            prologue: Literal::new(around.prologue().as_bytes()),
            epilogue: Literal::new(around.after.as_bytes()),
            wrapper_header: around.header().map(|parts| parts.map(String::into)),
            root_namespace: options.root_namespace().into(),
            root_end: Literal::new(around.root_end.as_bytes()),
            root_type: naming.root_type(),
            first: first(&naming),
            arrays,
            array_end: Literal::new(options.array_end().as_bytes()),
            any_item,
            any_name: any_item || options.any_wrapper || options.positional,
            prefixes: options.prefixes(&naming),
            return_value: return_value(&naming)
                .filter(|_| options.is_answer() && !scopes[0].has_wildcard(NONE)),
            parameters: parameters(&naming).filter(|_| options.positional),
            result,
            message: Enclosing {
                start: naming.start(&root, &QName::new(&*options.namespace, layout.name())),
                end: end(&root),
                name: root.clone().into(),
                local: root.clone().into(),
                namespace_number: 0,
            },
            root: root.into(),
            enumerations: enumerations.values,
            depth: depths.message,
            width: scopes.iter().map(|scope| scope.attributes.largest()).max().unwrap_or(0),
            in_tags: naming.in_tags,
            has_white_space: WhiteSpace::is_in_any(&scopes),
            scopes,
            has_xsi: naming.options.style.is_encoded() || naming.has_xsi(),
            is_by_schema: naming.in_tags || !naming.namespaces.is_one() || has_bare || has_any,
            namespaces: naming.namespaces,
            dimensions: naming.dimensions,
            options,
        }))
    }

    /// The elements with which the Body may begin, one of them: as [`element`](Self::element), and of a message that is the
    /// Body and begins with a choice, such as the elements of a substitution group, those of its arms.
    pub fn elements(&self) -> Vec<(&str, &str)> {
        match (self.options.layout, &*self.first) {
            (Layout::Body, all @ [_, _, ..]) => {
                all.iter().map(|it| (self.namespaces.name(it.0), &*it.1)).collect()
            }
            _ => vec![self.element()],
        }
    }

    /// The first element in the Body: that of the message, with plain rpc the one around it, or the first field of a message
    /// that is the Body itself; the Body, if that may begin with one of several. Its namespace, empty for none, and local name.
    pub fn element(&self) -> (&str, &str) {
        match (self.options.layout, &*self.first) {
            (Layout::Body, [(namespace_number, local)]) => {
                (self.namespaces.name(*namespace_number), local)
            }
            _ if self.options.is_plain_rpc() => (&self.options.namespace, &self.options.operation),
            _ => (&self.root_namespace, &self.root),
        }
    }

    /// The layout that was compiled.
    pub fn layout(&self) -> &Arc<trunkline_message::Layout> {
        &self.layout
    }

    /// Adds a field to the path of an error.
    #[cold]
    pub(super) fn locate(&self, error: Error, scope: usize, field: usize) -> Error {
        self.layout.scopes()[scope].locate(error, field)
    }

    /// Adds a component, and those around it, to the path of an error.
    #[cold]
    pub(super) fn locate_component(&self, mut error: Error, scope: usize, component: u16) -> Error {
        let components = &self.layout.scopes()[scope].components;
        let mut around = Some(component);
        while let Some(component) = around.and_then(|it| components.get(usize::from(it))) {
            error = error.within(&component.name);
            around = component.parent;
        }
        error
    }

    /// May the message's own element be nil though nothing says so? It is the same as an empty one, which no field that
    /// has to be there forbids: SOAP::Lite calls so what takes no parameters.
    pub(super) fn may_be_nil(&self) -> bool {
        !self.in_tags && self.scopes[0].required.is_nothing()
    }

    /// May elements of the message have names that are none of the plan's?
    pub(super) fn takes_unnamed(&self) -> bool {
        self.return_value.is_some() || self.parameters.is_some()
    }

    /// May a message be a graph, which refers to elements elsewhere?
    pub(super) fn may_be_graph(&self) -> bool {
        !self.in_tags && self.options.style.is_encoded()
    }

    /// Namespace of the message's elements.
    pub(super) fn element_namespace(&self) -> &str {
        self.options.element_namespace()
    }

    /// May elements of the message be in this namespace, which is one?
    pub(super) fn is_of_elements(&self, namespace: &str) -> bool {
        self.namespaces.contain(namespace) || self.any_item && namespace == &*self.options.namespace
    }
}

/// What is chosen by type has the element of whoever holds it, which may have several names.
fn end_by_type(scopes: &mut [ScopePlan]) {
    for index in 0..scopes.len() {
        if scopes[index].by_type.is_some() {
            let structs = scopes[index].slots.iter().filter(|it| it.shape == Shape::Struct);
            let inner: Vec<usize> = structs.map(|it| it.scope.into()).collect();
            inner.into_iter().for_each(|it| scopes[it].many_named = true);
        }
    }
}

/// The enumerations of a plan while it is made.
#[derive(Default)]
pub(super) struct Enumerations {
    places: HashMap<TypeId, u16>,
    values: Vec<Values>,
}

impl Enumerations {
    pub(super) fn place(&mut self, layout: &trunkline_message::Layout, of: TypeId) -> u16 {
        *self.places.entry(of).or_insert_with(|| {
            self.values.push(Values::new(layout.schema().values(of)));
            self.values.len() as u16 - 1
        })
    }
}

/// Why an empty text is not written where there is a default.
pub(super) const EMPTY_IS_DEFAULT: &str = "an element that is empty stands for the default";

/// How the parser reads a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// An element whose content is one value.
    Value,
    /// The same, and if it is empty, the value is the default (XML Schema part 1, 3.3.1). Only the generic
    /// path reads it.
    Defaulted,
    /// An attribute.
    Attribute,
    /// The text of the element around, which has no elements inside.
    Text,
    /// An item of a list whose items stand in one text: nothing but its value.
    Bare,
    /// An element whose content is numbers, each an element.
    List,
    /// An element whose content is entries.
    Group,
    /// Elements side by side, each a number or an entry: a list without one around them.
    Run,
    /// An element whose content is a struct or choice.
    Struct,
    /// Elements, each an entry, and text between them: all that the element around has inside.
    Mixed,
    /// An element of any content, which is kept as it stands: of a name of its own, or of any.
    Any,
}

/// How the entries of a list are distinguished from each other and from what stands beside them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListForm {
    /// Each is an element of the list's own, or that of its arm.
    Elements,
    /// All are in one text.
    Spaced,
    /// Each is an element whose `xsi:type` names the arm.
    ByType,
    /// Each is the element of its arm, without one around them.
    Arms,
    /// So, and text is between them.
    Mixed,
    /// Each is an element of any name.
    Any,
}

#[derive(Debug)]
pub(super) struct Slot {
    /// `<MDEntryPx>` and `</MDEntryPx>`; ` MDEntryPx="` and `"`.
    pub(super) start: Literal,
    pub(super) end: Literal,
    pub(super) shape: Shape,
    /// Innermost component around the field; [`NONE`] for the scope's own element.
    pub(super) component: u16,
    /// Of the entries, for groups, or of what is in a struct; for enumerations, which of the plan's.
    pub(super) scope: u16,
    /// Its container, an index into [`ScopePlan::containers`]; without meaning for single values.
    pub(super) container: u16,
    /// How the entries of a list are distinguished.
    pub(super) form: ListForm,
    /// The number of the namespace of its element or attribute.
    pub(super) namespace_number: u8,
    /// What becomes of blanks in its texts.
    pub(super) white_space: WhiteSpace,
    /// What an element with nothing in it stands for, if that is another value than the field has where it is absent.
    pub(super) empty: Option<Box<str>>,
    /// In which visit to the fields this one is written, and as which of all.
    pub(super) visit: u16,
    pub(super) rank: u16,
}

impl Slot {
    /// The name of the field's element.
    pub(super) fn name(&self) -> String {
        named(&self.end)
    }
}

impl Element {
    /// The name of the component's element.
    pub(super) fn name(&self) -> String {
        named(&self.end)
    }
}

/// The name in an end tag.
fn named(end: &Literal) -> String {
    String::from_utf8_lossy(&end.to_vec()).trim_matches(['<', '/', '>']).to_owned()
}

/// The scope's own element, in place of a component.
pub(super) const NONE: u16 = u16::MAX;

#[derive(Debug)]
pub(super) struct Element {
    /// `<Instrument>`, or `<Instrument` where attributes may follow.
    pub(super) start: Literal,
    pub(super) end: Literal,
    /// The number of its namespace.
    pub(super) namespace_number: u8,
    /// The field that is its text; [`NONE`] if it has elements inside.
    pub(super) text: u16,
    pub(super) parent: u16,
    /// Rank of the first field inside; one beyond that of the last.
    pub(super) ranks: (usize, usize),
    /// Is it written though it holds nothing?
    pub(super) required: bool,
    /// A choice has no element: its arms stand where it would.
    pub(super) is_choice: bool,
    /// Does what must be there depend on whether it is?
    pub(super) is_condition: bool,
}

#[derive(Debug)]
pub(super) struct ScopePlan {
    pub(super) slots: Box<[Slot]>,
    pub(super) components: Box<[Element]>,
    /// How many words of 64 bits hold one for each field and, behind those, each component.
    pub(super) words: usize,
    pub(super) containers: Box<[Container]>,
    /// Fields that take elements of other names than those known.
    pub(super) wildcards: Box<[Wildcard]>,
    /// Choices by type that lie among the fields; and the one that the scope is.
    pub(super) types: Box<[ByType]>,
    pub(super) by_type: Option<Box<ByType>>,
    /// Is it one field of several that is set, or of one?
    pub(super) shape: ScopeShape,
    /// How deep elements nest in it, if that is measured when it is entered; else 0.
    pub(super) depth: usize,
    /// Is it entered by elements of more than one name?
    pub(super) many_named: bool,
    /// The field that is the text of the scope's own element; [`NONE`] if that has elements inside.
    pub(super) text: u16,
    /// Of the elements inside.
    pub(super) names: Names,
    /// Of the attributes of the scope's and the components' elements.
    pub(super) attributes: Names,
    /// How many visits to the fields it takes to write them.
    pub(super) visits: u16,
    pub(super) required: Required,
    /// Fields that are written though they are not set, by their ranks.
    pub(super) parts: Box<[Part]>,
    /// Is there anything that must be there though nothing inside is set?
    pub(super) hollow: bool,
}

impl ScopePlan {
    fn new(naming: &Naming<'_>, id: ScopeId, enumerations: &mut Enumerations) -> Self {
        let scope = naming.layout.scope(id);
        let flat = naming.options.flat;
        let order = Order::new(naming, id);
        let components = if flat { 0 } else { scope.components.len() };
        let (mut names, mut attributes) = (Names::new(components), Names::new(components));
        let mut made = Slots { naming, id, enumerations, containers: Vec::new() };
        let slots = made.slots(&order, &mut names, &mut attributes);
        let containers = made.containers.into();
        let components = (0..components).map(|index| {
            let component = &scope.components[index];
            let local = naming.component(id, index);
            let namespace_number = naming.namespace_number_of_component(id, index);
            let name = naming.namespaces.written(namespace_number, &local);
            let parent = component.parent.unwrap_or(NONE);
            if !component.is_choice {
                names.add(parent, (&name, &local), namespace_number, Name::Component(index as u16));
            }
            Element {
                start: naming.start(&name, &naming.type_of_component(id, index)),
                end: end(&name),
                namespace_number,
                text: text_in(&slots, index as u16),
                parent,
                ranks: order.spans[index],
                required: component.need == Need::Required && !component.is_choice,
                is_choice: component.is_choice,
                is_condition: scope.required.is_condition(index as u16),
            }
        });
        let parts = parts(naming, id, &slots);
        let by_type = ByType::of_scope(naming, id);
        let components: Box<[Element]> = components.collect();
        Self {
            words: (slots.len() + components.len()).div_ceil(64),
            text: text_in(&slots, NONE),
            components,
            slots,
            containers,
            shape: scope.shape,
            depth: 0,
            many_named: false,
            names: names.finish(),
            attributes: attributes.finish(),
            visits: order.visits,
            required: scope.required.clone(),
            hollow: !parts.is_empty() || !flat && hollow(scope) || by_type.is_some(),
            parts,
            wildcards: naming.wildcards(id),
            types: ByType::beside(naming, id),
            by_type,
        }
    }
}

impl ScopePlan {
    /// The element of a component, if that has what it must have, though it be empty.
    #[inline]
    pub(super) fn complete(&self, component: u16, seen: &[u64]) -> Option<&Element> {
        let element = self.components.get(usize::from(component))?;
        let is_met = || self.required.unmet_in_empty(component, seen).is_none();
        (!element.is_condition || is_met()).then_some(element)
    }
}

/// The field that is the text of a component, or of the scope's own element.
fn text_in(slots: &[Slot], component: u16) -> u16 {
    let is_text = |it: &Slot| matches!(it.shape, Shape::Text | Shape::Mixed);
    let is_it = |it: &Slot| is_text(it) && it.component == component;
    slots.iter().position(is_it).map_or(NONE, |it| it as u16)
}

impl ScopePlan {
    /// The number of the namespace of an element.
    #[inline]
    pub(super) fn space_of(&self, meaning: Name) -> u8 {
        match meaning {
            Name::Field(field) => self.slots[usize::from(field)].namespace_number,
            Name::Component(component) => self.components[usize::from(component)].namespace_number,
        }
    }

    /// The field that is the text of a component, or of the scope's own element, if one is.
    #[inline]
    pub(super) fn text_of(&self, component: u16) -> Option<usize> {
        let element = self.components.get(usize::from(component));
        let text = element.map_or(self.text, |it| it.text);
        (text != NONE).then_some(text.into())
    }

    /// The container of a slot.
    #[inline]
    pub(super) fn container(&self, slot: &Slot) -> &Container {
        &self.containers[usize::from(slot.container)]
    }

    /// The elements around what other scopes describe, by those scopes.
    fn elements(&self) -> impl Iterator<Item = (u16, &Enclosing)> {
        let holds = |slot: &&Slot| matches!(slot.shape, Shape::Group | Shape::Run | Shape::Struct);
        self.slots.iter().filter(holds).filter_map(|slot| {
            // A run of numbers has no scope.
            let container = self.container(slot);
            Some((slot.scope, container.enclosing.as_ref().filter(|_| slot.scope > 0)?))
        })
    }
}

impl ScopePlan {
    /// Where the bit of a component is: behind those of the fields.
    #[inline]
    pub(super) fn component_bit(&self, component: u16) -> usize {
        self.slots.len() + usize::from(component)
    }

    /// Notes that a component stands here; was it there already?
    #[inline]
    pub(super) fn stands_twice(&self, component: u16, seen: &mut [u64]) -> bool {
        let bit = self.component_bit(component);
        let word = &mut seen[bit / 64];
        let before = std::mem::replace(word, *word | 1 << (bit % 64));
        before == *word
    }

    /// The bits of a field's innermost components, so many, and in which word these are; no answer if
    /// that is not one word.
    pub(super) fn bits_around(&self, field: u16, count: usize) -> Option<(u64, usize)> {
        let mut component = self.slots.get(usize::from(field)).map_or(NONE, |it| it.component);
        let mut found = (0, 0);
        for _ in 0..count {
            let bit = self.component_bit(component);
            if found.0 != 0 && found.1 != bit / 64 {
                return None;
            }
            found = (found.0 | 1 << (bit % 64), bit / 64);
            component = self.components.get(usize::from(component))?.parent;
        }
        Some(found)
    }

    /// Is a component written though it holds nothing, where those that `passed` says have no field
    /// that is set? A required one is, if the one around it is.
    pub(super) fn stands(&self, mut component: u16, passed: impl Fn(&Element) -> bool) -> bool {
        while let Some(element) = self.components.get(usize::from(component)) {
            if !passed(element) {
                return true;
            }
            if !element.required {
                return false;
            }
            component = element.parent;
        }
        true
    }

    /// Is `inner` the component `outer`, or inside it?
    pub(super) fn is_inside(&self, mut inner: u16, outer: u16) -> bool {
        while inner != NONE && inner != outer {
            inner = self.components[usize::from(inner)].parent;
        }
        inner == outer
    }
}
