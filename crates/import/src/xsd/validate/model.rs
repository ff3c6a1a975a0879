//! Which elements may follow one another in an element (part 1, section 3.8).
//!
//! The particles of a type are a tree. What was read so far is a set of configurations: the leaf that the last element is of, and
//! how often the groups around it have been gone through. How often something may stand there is counted, never unrolled, and
//! a leaf is found by the element's name, so that the time for an element depends on how many leaves are called so, and
//! on how deep they are. Where a model is ambiguous there are several configurations, up to a limit.

use std::collections::HashMap;

use super::Fault;
use crate::xsd::Schemas;
use crate::xsd::component::{ElementId, Particle, Term};
use crate::xsd::name::Name;
use crate::xsd::wildcard::Wildcard;
use crate::{Place, Problem};

/// The content of a type.
#[derive(Debug)]
pub(super) struct Model {
    nodes: Vec<Node>,
    /// The leaves that an element of a name may be, by the name that is declared.
    names: HashMap<Name, Vec<usize>>,
    wildcards: Vec<usize>,
    /// Is its root an `all`, whose leaves stand in any order?
    is_all: bool,
    /// Is the content empty, so that not even blanks stand there (part 1, sections 3.4.2 and 3.4.4)?
    pub(super) is_empty: bool,
}

#[derive(Debug)]
struct Node {
    kind: Kind,
    least: u32,
    /// None for any number.
    most: Option<u32>,
    /// The group around, and the place in it; the root is its own.
    parent: usize,
    index: usize,
    depth: usize,
    /// Of a sequence, how many of the first parts must be there, for each of them; at the end, of all.
    needed: Vec<u32>,
    children: Vec<usize>,
    /// May nothing of it be there?
    is_nullable: bool,
    /// Where its number stands among the counters of a leaf below it.
    counter: Option<usize>,
    /// As many counters have it and the groups around it.
    counters: usize,
}

#[derive(Debug)]
enum Kind {
    Element(ElementId),
    Any(Wildcard),
    Sequence,
    Choice,
}

/// What an element is by its place.
#[derive(Clone, Debug)]
pub(super) enum Matched<'m> {
    Element(ElementId),
    Any(&'m Wildcard),
}

/// What was read so far.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    /// None before the first element.
    at: Option<Vec<Configuration>>,
    /// Of an `all`, which of its leaves were there.
    seen: Vec<bool>,
}

/// The leaf of the last element, and the numbers of times that the groups around it, outermost first, and itself were gone
/// through before, as far as they are counted.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Configuration {
    leaf: usize,
    counts: Vec<u32>,
}

/// Parts of one model, with those of groups wherever they stand.
const MOST: usize = 65_534;
/// Groups inside one another.
const DEEPEST: usize = 256;
/// Configurations that are followed.
const MOST_AT_ONCE: usize = 256;
/// Leaves that are compared for one element.
const MOST_COMPARED: usize = 1 << 14;

const ROOT: usize = 0;

impl Model {
    /// That of particles which follow one another.
    pub(super) fn new(
        schemas: &Schemas,
        particles: &[&Particle],
        place: &Place,
    ) -> Result<Self, Problem> {
        let (names, wildcards) = (HashMap::new(), Vec::new());
        let is_empty = particles.iter().all(|it| has_no_parts(it));
        let mut model = Self { nodes: Vec::new(), names, wildcards, is_all: false, is_empty };
        let mut building = Building { schemas, model: &mut model, open: Vec::new() };
        // An extension of an all that adds nothing is that all.
        let particles: Vec<&Particle> =
            particles.iter().copied().filter(|it| !is_nothing(it)).collect();
        let only = match particles[..] {
            [only] => building.all_of(only)?,
            _ => None,
        };
        let root = building.node(Kind::Sequence, (1, Some(1)), ROOT, place)?;
        match only {
            Some((all, least)) => {
                model.is_all = true;
                let mut building = Building { schemas, model: &mut model, open: Vec::new() };
                all.iter().try_for_each(|it| building.add(it, root))?;
                model.nodes[ROOT].least = least;
            }
            None => particles.iter().try_for_each(|it| building.add(it, root))?,
        }
        model.seal(ROOT);
        model.index();
        Ok(model)
    }

    /// Lets the one part of a group repeat in its place, where that is the same: each number of times can be made up then, and
    /// is not made up in several ways.
    fn merge(&mut self, group: usize) {
        let [only] = *self.nodes[group].children else { return };
        let (least, most) = (self.nodes[group].least, self.nodes[group].most);
        let part = &mut self.nodes[only];
        if part.least <= 1 {
            part.least *= least;
            part.most = part.most.zip(most).map(|it| it.0.saturating_mul(it.1));
            let node = &mut self.nodes[group];
            (node.least, node.most) = (1, Some(1));
        }
    }

    /// Works out what depends on what is below a node. The depth is limited.
    fn seal(&mut self, at: usize) {
        let children = self.nodes[at].children.clone();
        let mut needed = vec![0];
        for child in &children {
            self.seal(*child);
            let count = needed.last().copied().unwrap_or(0);
            needed.push(count + u32::from(!self.nodes[*child].is_nullable));
        }
        let node = &mut self.nodes[at];
        let is_empty = match node.kind {
            Kind::Element(_) | Kind::Any(_) => false,
            Kind::Sequence => needed.last() == Some(&0),
            Kind::Choice => (needed.len() - 1) as u32 > needed.last().copied().unwrap_or(0),
        };
        node.is_nullable = node.least == 0 || is_empty;
        // It may be gone through with nothing as often as it has to.
        if is_empty {
            node.least = 0;
        }
        node.needed = needed;
    }

    /// Numbers the counters, and finds leaves by their names.
    fn index(&mut self) {
        // Those around come before those inside.
        for at in 0..self.nodes.len() {
            let parent = self.nodes[at].parent;
            let around = if at == ROOT { 0 } else { self.nodes[parent].counters };
            let node = &mut self.nodes[at];
            let is_counted = node.least > 1 || node.most.is_some_and(|it| it > 1);
            node.counter = is_counted.then_some(around);
            node.counters = around + usize::from(is_counted);
        }
    }

    /// Which element one of a name is, wherever it stands.
    pub(super) fn by_name(
        &self,
        schemas: &Schemas,
        name: &Name,
        heads: &[ElementId],
    ) -> Option<Matched<'_>> {
        let first = self.names.get(name).and_then(|it| it.first().copied());
        let leaf = first.or_else(|| self.leaves(schemas, name, heads).first().copied())?;
        Some(self.matched(schemas, leaf, name))
    }

    /// Takes the next element: which one it is, or why it may not stand there. `heads` are the elements for which it may stand.
    pub(super) fn step<'m>(
        &'m self,
        schemas: &Schemas,
        name: &Name,
        heads: &[ElementId],
        state: &mut State,
    ) -> Result<Matched<'m>, Fault> {
        if self.is_all {
            return self.step_in_all(schemas, name, heads, state);
        }
        let leaves = self.leaves(schemas, name, heads);
        let mut next: Vec<Configuration> = Vec::new();
        let mut compared = 0;
        for leaf in leaves {
            compared += state.at.as_ref().map_or(1, Vec::len);
            if compared > MOST_COMPARED {
                break;
            }
            match &state.at {
                None => self.enter_from(ROOT, leaf, &[], 0, &mut next),
                Some(all) => all.iter().for_each(|it| self.follow(it, leaf, &mut next)),
            }
        }
        if compared > MOST_COMPARED || next.len() > MOST_AT_ONCE {
            let what = format!("{name} may stand there in more ways than are compared");
            return Err(Fault::new("limit", what));
        }
        let Some(first) = next.first() else {
            return Err(self.unexpected(schemas, name, state));
        };
        // An element that is declared comes before one of any name.
        let is_element = |it: &&Configuration| matches!(self.nodes[it.leaf].kind, Kind::Element(_));
        let leaf = next.iter().find(is_element).unwrap_or(first).leaf;
        state.at = Some(next);
        Ok(self.matched(schemas, leaf, name))
    }

    fn matched(&self, schemas: &Schemas, leaf: usize, name: &Name) -> Matched<'_> {
        match &self.nodes[leaf].kind {
            Kind::Element(id) => {
                let own = schemas.at(*id).name == *name;
                let other = schemas.global_elements.get(name).copied();
                Matched::Element(other.filter(|_| !own).unwrap_or(*id))
            }
            Kind::Any(wildcard) => Matched::Any(wildcard),
            Kind::Sequence | Kind::Choice => unreachable!("a leaf has nothing inside"),
        }
    }

    /// The leaves that an element may be.
    fn leaves(&self, schemas: &Schemas, name: &Name, heads: &[ElementId]) -> Vec<usize> {
        let mut leaves: Vec<usize> = self.names.get(name).cloned().unwrap_or_default();
        for head in heads {
            let of_head = self.names.get(&schemas.at(*head).name).into_iter().flatten();
            let is_it = |it: &&usize| {
                matches!(&self.nodes[**it].kind, Kind::Element(id) if id == head)
                    && !leaves.contains(it)
            };
            let found: Vec<usize> = of_head.filter(is_it).copied().collect();
            leaves.extend(found);
        }
        let is_it = |it: &&usize| matches!(&self.nodes[**it].kind, Kind::Any(it) if it.allows(&name.namespace));
        leaves.extend(self.wildcards.iter().filter(is_it));
        leaves
    }

    /// The configurations at a leaf that follow another one.
    fn follow(&self, from: &Configuration, leaf: usize, next: &mut Vec<Configuration>) {
        // Upwards from the last leaf: each group around it may be gone through again, and in the first that holds both the
        // next leaf may stand behind the last one.
        let mut at = from.leaf;
        loop {
            let node = &self.nodes[at];
            let count = node.counter.map_or(0, |it| from.counts[it]);
            let is_around = self.is_around(at, leaf);
            if is_around
                && node.most.is_none_or(|most| count.saturating_add(1) < most)
                && at != ROOT
            {
                // A number that no bound is above need not grow.
                let count = if node.most.is_none() {
                    count.saturating_add(1).min(node.least)
                } else {
                    count + 1
                };
                self.enter_from(at, leaf, &from.counts, count, next);
            }
            if at == ROOT || count.saturating_add(1) < node.least {
                return;
            }
            let (parent, index) = (node.parent, node.index);
            if let Kind::Sequence = self.nodes[parent].kind {
                if !is_around && let Some(below) = self.below(parent, leaf) {
                    let sibling = self.nodes[below].index;
                    if sibling > index && self.may_skip(parent, index + 1, sibling) {
                        self.enter_from(below, leaf, &from.counts, 0, next);
                    }
                }
                if !self.may_skip(parent, index + 1, self.nodes[parent].children.len()) {
                    return;
                }
            }
            at = parent;
        }
    }

    /// Adds the configuration of a leaf that is the first in a group below or at a node, if it may be so.
    fn enter_from(
        &self,
        from: usize,
        leaf: usize,
        counts: &[u32],
        count: u32,
        next: &mut Vec<Configuration>,
    ) {
        let mut at = leaf;
        while at != from {
            let node = &self.nodes[at];
            if matches!(self.nodes[node.parent].kind, Kind::Sequence)
                && !self.may_skip(node.parent, 0, node.index)
            {
                return;
            }
            at = node.parent;
        }
        let (own, all) = (&self.nodes[from], self.nodes[leaf].counters);
        let around = own.counters - usize::from(own.counter.is_some());
        let mut counted = vec![0; all];
        counted[..around].copy_from_slice(&counts[..around]);
        if let Some(at) = own.counter {
            counted[at] = count;
        }
        let configuration = Configuration { leaf, counts: counted };
        if next.len() <= MOST_AT_ONCE && !next.contains(&configuration) {
            next.push(configuration);
        }
    }

    /// Does a node hold a leaf, or is it that?
    fn is_around(&self, node: usize, leaf: usize) -> bool {
        let mut at = leaf;
        while self.nodes[at].depth > self.nodes[node].depth {
            at = self.nodes[at].parent;
        }
        at == node
    }

    /// The part of a group that holds a leaf, if one does.
    fn below(&self, group: usize, leaf: usize) -> Option<usize> {
        let mut at = leaf;
        while self.nodes[at].depth > self.nodes[group].depth + 1 {
            at = self.nodes[at].parent;
        }
        (at != group && self.nodes[at].parent == group).then_some(at)
    }

    /// May these parts of a sequence be missing?
    fn may_skip(&self, group: usize, from: usize, to: usize) -> bool {
        let needed = &self.nodes[group].needed;
        needed[from] == needed[to]
    }

    /// Says what is missing, if the content may not end there.
    pub(super) fn end(&self, schemas: &Schemas, state: &State) -> Result<(), Fault> {
        if self.is_all {
            return self.end_of_all(schemas, state);
        }
        let is_whole = match &state.at {
            None => self.nodes[ROOT].is_nullable,
            Some(all) => all.iter().any(|it| self.may_end(it)),
        };
        if is_whole {
            return Ok(());
        }
        let expected = self.expected(schemas, state);
        Err(Fault::new("cvc-complex-type", format!("it ends where {expected} is expected")))
    }

    fn may_end(&self, at: &Configuration) -> bool {
        let mut node = at.leaf;
        while node != ROOT {
            let Node { counter, least, parent, index, .. } = &self.nodes[node];
            let count = counter.map_or(0, |it| at.counts[it]);
            let is_sequence = matches!(self.nodes[*parent].kind, Kind::Sequence);
            let end = self.nodes[*parent].children.len();
            if count.saturating_add(1) < *least
                || (is_sequence && !self.may_skip(*parent, index + 1, end))
            {
                return false;
            }
            node = *parent;
        }
        true
    }

    fn unexpected(&self, schemas: &Schemas, name: &Name, state: &State) -> Fault {
        let expected = self.expected(schemas, state);
        Fault::misplaced(format!("{name} stands where {expected} is expected"))
    }

    /// What may stand next, in words.
    fn expected(&self, schemas: &Schemas, state: &State) -> String {
        const SHOWN: usize = 8;
        /// Leaves that are looked at for that.
        const LOOKED_AT: usize = 1000;
        // Behind whether they may be left out: what has to stand there is named before the rest.
        let mut all: Vec<(bool, String)> = Vec::new();
        let leaves = self.nodes.iter().enumerate().filter(|it| it.1.children.is_empty());
        for (leaf, node) in leaves.take(LOOKED_AT) {
            let mut next = Vec::new();
            match (&state.at, self.is_all) {
                (_, true) => {
                    if !state.seen.get(leaf).is_some_and(|it| *it) {
                        next.push(Configuration { leaf, counts: Vec::new() });
                    }
                }
                (None, _) => self.enter_from(ROOT, leaf, &[], 0, &mut next),
                (Some(all), _) => all.iter().for_each(|it| self.follow(it, leaf, &mut next)),
            }
            if next.is_empty() {
                continue;
            }
            let shown = match &node.kind {
                Kind::Element(id) => schemas.at(*id).name.to_string(),
                Kind::Any(any) => format!("any element of {}", any.namespaces),
                Kind::Sequence | Kind::Choice => continue,
            };
            if all.iter().all(|it| it.1 != shown) {
                all.push((node.is_nullable, shown));
            }
        }
        let more = all.len().saturating_sub(SHOWN);
        if more > 0 {
            all.sort_by_key(|it| it.0);
        }
        let mut all: Vec<String> = all.into_iter().map(|it| it.1).collect();
        all.truncate(SHOWN);
        match (all.len(), more) {
            (0, _) => "nothing more".to_owned(),
            (1, _) => all.remove(0),
            (_, 0) => format!("one of {}", all.join(", ")),
            _ => format!("one of {} and {more} more", all.join(", ")),
        }
    }
}

/// An `all`: each of its leaves once, in any order.
impl Model {
    fn step_in_all<'m>(
        &'m self,
        schemas: &Schemas,
        name: &Name,
        heads: &[ElementId],
        state: &mut State,
    ) -> Result<Matched<'m>, Fault> {
        state.seen.resize(self.nodes.len(), false);
        let leaves = self.leaves(schemas, name, heads);
        let Some(leaf) = leaves.into_iter().find(|it| !state.seen[*it]) else {
            return Err(self.unexpected(schemas, name, state));
        };
        state.seen[leaf] = true;
        state.at = Some(Vec::new());
        Ok(self.matched(schemas, leaf, name))
    }

    fn end_of_all(&self, schemas: &Schemas, state: &State) -> Result<(), Fault> {
        if state.at.is_none() && self.nodes[ROOT].is_nullable {
            return Ok(());
        }
        // Which elements of other schemas may stand for one is not known.
        let missing = self.nodes[ROOT].children.iter().find_map(|it| match &self.nodes[*it] {
            Node { kind: Kind::Element(id), is_nullable: false, .. } => {
                (!state.seen.get(*it).is_some_and(|it| *it)).then_some(id)
            }
            _ => None,
        });
        let Some(missing) = missing else { return Ok(()) };
        let what = format!("{} is missing", schemas.at(*missing).name);
        Err(Fault::new("cvc-complex-type", what))
    }
}

/// Does a particle take no element, so that it is as if it were not there? An empty choice is something: it takes nothing at all.
fn is_nothing(particle: &Particle) -> bool {
    match &particle.term {
        _ if particle.most == Some(0) => true,
        Term::All(inside) | Term::Sequence(inside) => inside.iter().all(is_nothing),
        _ => false,
    }
}

/// Is it written without anything in it (part 1, section 3.4.2)? One with parts that take no element is content all the same.
fn has_no_parts(particle: &Particle) -> bool {
    match &particle.term {
        _ if particle.most == Some(0) => true,
        Term::All(inside) | Term::Sequence(inside) => inside.is_empty(),
        Term::Choice(inside) => inside.is_empty() && particle.least == 0,
        Term::Element(_) | Term::Reference(_) | Term::Group(_) | Term::Any(_) => false,
    }
}

/// A model that is made.
struct Building<'a, 'm> {
    schemas: &'a Schemas,
    model: &'m mut Model,
    /// Groups that are looked into.
    open: Vec<&'a Name>,
}

impl<'a> Building<'a, '_> {
    /// The parts of an `all`, if that is all there is, and whether it must be there.
    fn all_of(&self, particle: &'a Particle) -> Result<Option<(&'a [Particle], u32)>, Problem> {
        match &particle.term {
            Term::All(inside) => Ok(Some((inside, particle.least))),
            Term::Group(name) => match &self.schemas.group(name, &particle.place)?.particle {
                Particle { term: Term::All(inside), least, .. } => {
                    Ok(Some((inside, particle.least.min(*least))))
                }
                _ => Ok(None),
            },
            _ => Ok(None),
        }
    }

    fn node(
        &mut self,
        kind: Kind,
        (least, most): (u32, Option<u32>),
        parent: usize,
        place: &Place,
    ) -> Result<usize, Problem> {
        let at = self.model.nodes.len();
        let depth = if at == ROOT { 0 } else { self.model.nodes[parent].depth + 1 };
        if at > MOST || depth > DEEPEST {
            let what =
                format!("content of more than {MOST} parts, or in more than {DEEPEST} groups");
            return Err(Problem::new(place, what, "describe fewer in one type"));
        }
        let index = if at == ROOT { 0 } else { self.model.nodes[parent].children.len() };
        self.model.nodes.push(Node {
            kind,
            least,
            most,
            parent,
            index,
            depth,
            needed: Vec::new(),
            children: Vec::new(),
            is_nullable: false,
            counter: None,
            counters: 0,
        });
        if at != ROOT {
            self.model.nodes[parent].children.push(at);
        }
        Ok(at)
    }

    fn add(&mut self, particle: &'a Particle, parent: usize) -> Result<(), Problem> {
        let Particle { least, most, term, place } = particle;
        if *most == Some(0) {
            return Ok(());
        }
        let occurs = (*least, *most);
        match term {
            Term::Element(id) => self.leaf(*id, occurs, parent, place),
            Term::Reference(name) if self.schemas.is_foreign(name) => {
                self.foreign(name, occurs, parent, place)
            }
            Term::Reference(name) => {
                let id = self.schemas.global(name, place)?;
                self.leaf(id, occurs, parent, place)
            }
            Term::Any(wildcard) => self.wildcard(wildcard.clone(), occurs, parent, place),
            Term::Group(name) => {
                if self.open.contains(&name) {
                    let what = format!("the group {name} holds itself");
                    return Err(Problem::new(place, what, "put an element between"));
                }
                self.open.push(name);
                let node = self.node(Kind::Sequence, occurs, parent, place)?;
                self.add(&self.schemas.group(name, place)?.particle, node)?;
                self.open.pop();
                self.model.merge(node);
                Ok(())
            }
            Term::All(_) => {
                let what = "an all that other content stands beside";
                Err(Problem::new(place, what, "let it be all that the type has"))
            }
            Term::Sequence(inside) => self.group(Kind::Sequence, inside, occurs, (parent, place)),
            Term::Choice(inside) => self.group(Kind::Choice, inside, occurs, (parent, place)),
        }
    }

    fn group(
        &mut self,
        kind: Kind,
        inside: &'a [Particle],
        occurs: (u32, Option<u32>),
        (parent, place): (usize, &Place),
    ) -> Result<(), Problem> {
        let node = self.node(kind, occurs, parent, place)?;
        inside.iter().try_for_each(|it| self.add(it, node))?;
        self.model.merge(node);
        Ok(())
    }

    /// An element of which no schema was found: one of its namespace, or one of ours that stands for it.
    fn foreign(
        &mut self,
        name: &Name,
        occurs: (u32, Option<u32>),
        parent: usize,
        place: &Place,
    ) -> Result<(), Problem> {
        let wildcard = Wildcard::foreign(name.namespace.clone());
        let Some(members) = self.schemas.substitutes.get(name) else {
            return self.wildcard(wildcard, occurs, parent, place);
        };
        let choice = self.node(Kind::Choice, occurs, parent, place)?;
        self.wildcard(wildcard, (1, Some(1)), choice, place)?;
        // Others stand for these in turn.
        members.iter().try_for_each(|it| self.leaf(*it, (1, Some(1)), choice, place))
    }

    fn leaf(
        &mut self,
        id: ElementId,
        occurs: (u32, Option<u32>),
        parent: usize,
        place: &Place,
    ) -> Result<(), Problem> {
        let leaf = self.node(Kind::Element(id), occurs, parent, place)?;
        self.model.names.entry(self.schemas.at(id).name.clone()).or_default().push(leaf);
        Ok(())
    }

    fn wildcard(
        &mut self,
        wildcard: Wildcard,
        occurs: (u32, Option<u32>),
        parent: usize,
        place: &Place,
    ) -> Result<(), Problem> {
        let leaf = self.node(Kind::Any(wildcard), occurs, parent, place)?;
        self.model.wildcards.push(leaf);
        Ok(())
    }
}
