//! What the elements of a request hold by its layout, as keys name it.

use trunkline_message::{
    Checks, Field, Holds, Kind, Layout, MemberId, Need, Scope, ScopeId, Shape, Value,
};
use trunkline_soap::{self as soap, Dimensions, Options, QName, Style, graph::Name};

use super::content::Form;

/// A request as its description has it.
pub(super) struct Request<'a> {
    layout: &'a Layout,
    options: &'a Options,
    /// None where facets cannot be looked at.
    checks: Option<Checks>,
    /// Of arrays.
    dimensions: Dimensions,
}

/// What an element holds.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Content {
    /// The value of a field, or one of the values of its list.
    Value(ScopeId, usize),
    /// Elements and attributes: the fields of a scope in a component of it.
    Struct(ScopeId, Option<u16>),
    /// As one of these fields, whose type `xsi:type` names.
    Typed(ScopeId, Option<u16>),
    /// Elements that are the items of a list.
    List(ScopeId, usize),
    /// An array of the SOAP encoding, likewise.
    Array(ScopeId, usize),
    /// Anything.
    Any,
}

/// An element.
pub(super) struct Parameter {
    pub(super) name: QName,
    /// None of the message's own text.
    pub(super) member: Option<MemberId>,
    pub(super) content: Content,
    /// How many there have to be,
    pub(super) least: u64,
    /// and may be.
    pub(super) most: u64,
    pub(super) is_nillable: bool,
    /// May it be nil though no schema says so? That of the parts of a call no schema says.
    pub(super) may_be_nil: bool,
    /// The choice that it is one of, by its place in [`Members::choices`].
    pub(super) choice: Option<usize>,
}

/// An attribute.
pub(super) struct Attribute {
    pub(super) name: QName,
    pub(super) of: (ScopeId, usize),
    pub(super) is_required: bool,
}

/// Elements of which some are there.
#[derive(Clone, Copy)]
pub(super) struct Choice {
    pub(super) is_needed: bool,
    /// Any number of them, in any order?
    pub(super) is_repeated: bool,
}

/// What stands in an element.
#[derive(Default)]
pub(super) struct Members {
    pub(super) parameters: Vec<Parameter>,
    pub(super) attributes: Vec<Attribute>,
    pub(super) choices: Vec<Choice>,
    /// The text, if it holds that and no elements.
    pub(super) text: Option<Content>,
    /// May there be text between elements?
    pub(super) is_mixed: bool,
    /// May there be elements of other names?
    pub(super) is_open: bool,
    /// Has there to be an element of any name, for which there is no key?
    pub(super) needs_any: bool,
}

/// One of the types that an element may be of.
pub(super) struct Arm {
    pub(super) name: QName,
    pub(super) content: Content,
    /// Is it the declared one, which needs no `xsi:type`?
    pub(super) is_base: bool,
}

const ROOT: Content = Content::Struct(ScopeId(0), None);

impl<'a> Request<'a> {
    pub(super) fn new(form: &'a Form) -> Self {
        let (layout, options) = form;
        let dimensions = Dimensions::new(layout).unwrap_or_default();
        Self { layout, options, checks: Checks::new(layout).ok(), dimensions }
    }

    /// What stands in the element of the Body; in the Body itself, if [that is the message](Self::is_body).
    pub(super) fn members(&self) -> Members {
        self.members_of(ROOT)
    }

    /// Do the parameters stand in the Body, with no element around them?
    pub(super) fn is_body(&self) -> bool {
        self.options.layout == soap::Layout::Body
    }

    /// May the element of the Body be nil?
    pub(super) fn is_nillable(&self) -> bool {
        self.options.nillable
    }

    pub(super) fn is_encoded(&self) -> bool {
        self.options.style.is_encoded()
    }

    /// What stands in an element with elements.
    pub(super) fn members_of(&self, content: Content) -> Members {
        let mut members = Members::default();
        match content {
            Content::Struct(scope, component) => {
                let choice = (component.is_none() && self.scope(scope).shape == Shape::Choice)
                    .then(|| members.add_choice(true, false));
                self.add(scope, component, choice, &mut members);
            }
            Content::List(scope, index) => {
                let field = &self.scope(scope).fields[index];
                let name = match field.holds {
                    Holds::Group(inner) if self.scope(inner).shape != Shape::Item => {
                        soap::item_name(self.layout, field).unwrap_or(&self.scope(inner).name)
                    }
                    _ => soap::item_name(self.layout, field).unwrap_or("item"),
                };
                let (least, most) = self.count(field, false);
                members.parameters.push(Parameter {
                    name: self.name(name, field.member, false),
                    member: Some(field.member),
                    content: self.item(scope, index),
                    least,
                    most,
                    is_nillable: field.nil_items,
                    may_be_nil: false,
                    choice: None,
                });
            }
            _ => {}
        }
        members
    }

    /// The types of an element that says which.
    pub(super) fn arms(&self, scope: ScopeId, component: Option<u16>) -> Vec<Arm> {
        let fields = self.scope(scope).fields.iter().enumerate();
        let arms = fields.filter(|it| component.is_none() || it.1.component == component);
        let arm = |(index, field): (usize, &Field)| {
            let name = soap::type_of_arm(self.layout, field, &self.options.namespace).ok()?;
            let is_base = soap::is_declared_type(self.layout, field);
            Some(Arm { name, content: self.held(scope, index), is_base })
        };
        arms.filter_map(arm).collect()
    }

    /// What an element holds once it has said its type: that of the arm, or of the declared one.
    pub(super) fn of_type(&self, content: Content, said: Option<&Name>) -> Content {
        let Content::Typed(scope, component) = content else { return content };
        let arms = self.arms(scope, component);
        let named = arms.iter().find(|it| said.is_some_and(|said| *said == Name::from(&it.name)));
        named.or(arms.iter().find(|it| it.is_base)).map_or(content, |it| it.content)
    }

    /// The names of the elements and attributes at a path such as `legs[0]/price`; none if there is nothing there. A text beside
    /// attributes has a name in JSON alone.
    pub(super) fn names_at(&self, path: &str, in_json: bool) -> Option<Vec<String>> {
        let mut members = self.members();
        for step in path.split('/').filter(|it| !it.is_empty()) {
            let (name, is_item) = match step.split_once('[') {
                Some((name, _)) => (name, true),
                None => (step, false),
            };
            let found = members.parameters.iter().find(|it| it.name.local == name)?;
            members = self.members_of(match found.content {
                Content::List(scope, index) | Content::Array(scope, index) if is_item => {
                    self.item(scope, index)
                }
                content => content,
            });
        }
        let text = match members.text.filter(|_| in_json) {
            Some(Content::Value(scope, index)) => {
                Some(self.scope(scope).fields[index].name.to_string())
            }
            _ => None,
        };
        let elements = members.parameters.into_iter().map(|it| it.name.local);
        let attributes = members.attributes.into_iter().map(|it| it.name.local);
        Some(text.into_iter().chain(elements).chain(attributes).collect())
    }

    /// The innermost member that need not be there, of those on a path of XPath from what is in the element of the Body on.
    pub(super) fn optional_at(&self, path: &str) -> Option<MemberId> {
        let (mut members, mut optional) = (self.members(), None);
        for step in path.split('/').filter(|it| !it.is_empty()) {
            if let Some(name) = step.strip_prefix('@') {
                let mut attributes = members.attributes.iter().filter(|it| !it.is_required);
                let found = attributes.find(|it| it.name.local == name);
                let own = found.map(|it| self.scope(it.of.0).fields[it.of.1].member);
                return own.or(optional);
            }
            let name = step.split('[').next()?;
            let Some(found) = members.parameters.iter().find(|it| it.name.local == name) else {
                break;
            };
            optional = found.member.filter(|_| found.least == 0).or(optional);
            members = self.members_of(self.of_type(found.content, None));
        }
        optional
    }

    /// The value of an element or attribute that may have no other one, since the schema fixes it.
    pub(super) fn only_value(&self, content: Content) -> Option<String> {
        let Content::Value(scope, index) = content else { return None };
        let field = &self.scope(scope).fields[index];
        let facet = |word| self.layout.notes().of_member(field.member, "facet", word);
        match field.holds {
            Holds::Enumeration(of) => match self.layout.schema().values(of) {
                [only] => Some(only.to_string()),
                _ => None,
            },
            Holds::Value(Kind::Text) => literal(facet("pattern")?),
            Holds::Value(_) => {
                if let Some(values) = facet("values") {
                    return Some(values).filter(|it| !it.contains(' ')).map(str::to_owned);
                }
                let (least, most) = (facet("min_inclusive")?, facet("max_inclusive")?);
                (least == most).then(|| least.to_owned())
            }
            _ => None,
        }
    }

    /// One item of a list.
    pub(super) fn item(&self, scope: ScopeId, index: usize) -> Content {
        match self.scope(scope).fields[index].holds {
            Holds::Group(inner) if self.scope(inner).shape == Shape::Item => self.held(inner, 0),
            Holds::Group(inner) => self.inside(inner, self.scope(scope).fields[index].member),
            _ => Content::Value(scope, index),
        }
    }

    /// What the items of an array of the encoding may be called, in letters of any case, since their names mean nothing: `item`,
    /// as the schema has them, or after their type.
    pub(super) fn item_names(&self, array: Content) -> Vec<String> {
        let mut names = vec!["item".to_owned()];
        if let Content::Array(scope, index) = array {
            let noted = soap::item_name(self.layout, &self.scope(scope).fields[index]);
            names.extend(noted.map(str::to_owned));
            let item = self.item(scope, index);
            names.extend(self.type_name(item).map(|it| it.local().to_owned()));
            // A type of no namespace has a name for people alone.
            if matches!(item, Content::Struct(..) | Content::Typed(..)) {
                names.push(self.shown(item));
            }
        }
        names
    }

    /// The names of what stands in an element, of whichever of its types it is.
    pub(super) fn names_in(&self, content: Content) -> Vec<String> {
        let of = |content| self.members_of(content).parameters.into_iter().map(|it| it.name.local);
        match content {
            Content::Typed(scope, component) => {
                let arms = self.arms(scope, component);
                arms.into_iter().flat_map(|it| of(it.content)).collect()
            }
            content => of(content).collect(),
        }
    }

    /// How many items an array has.
    pub(super) fn items(&self, scope: ScopeId, index: usize) -> (u64, u64) {
        self.count(&self.scope(scope).fields[index], false)
    }

    /// What the type of an element is called where it says it; none where nobody gave it a name.
    pub(super) fn type_name(&self, content: Content) -> Option<Name> {
        if let Content::Value(scope, index) = content
            && let Some(noted) =
                soap::noted_type(self.layout, (scope, index), &self.options.namespace)
        {
            return Some(Name::from(&noted));
        }
        let of = match content {
            Content::Value(scope, index) => match self.scope(scope).fields[index].holds {
                Holds::Enumeration(of) => of,
                _ => return Some(Name::new(super::request::XSD, self.kind_name(content)?)),
            },
            Content::Struct(scope, None) => self.scope(scope).of,
            Content::Struct(scope, Some(component)) => {
                let member = self.scope(scope).components[usize::from(component)].member;
                self.layout.schema().members(member.of)[member.index as usize].of
            }
            _ => return None,
        };
        let namespace = self.layout.notes().of_type(of, "xml", "type_namespace")?;
        Some(Name::new(namespace, &self.layout.schema().type_of(of).name))
    }

    /// Does it stand in a list of lists?
    pub(super) fn is_item(&self, content: Content) -> bool {
        matches!(content, Content::Array(scope, _) if self.scope(scope).shape == Shape::Item)
    }

    /// Is it an item of a list of numbers, none of which is nil?
    pub(super) fn is_of_numbers(&self, item: Content) -> bool {
        let Content::Value(scope, index) = item else { return false };
        matches!(self.scope(scope).fields[index].holds, Holds::List(_))
    }

    /// What XML Schema calls values of the kind that an element holds.
    pub(super) fn kind_name(&self, content: Content) -> Option<&'static str> {
        let Content::Value(scope, index) = content else { return None };
        soap::xsd_name(self.scope(scope).fields[index].holds.kind()?).strip_prefix("xsd:")
    }

    /// The type of an array's items, and the dimensions of those that are arrays.
    pub(super) fn item_type(&self, item: Content) -> (Option<Name>, Vec<usize>) {
        match item {
            Content::Array(..) => {
                let dimensions = self.dimensions(item);
                let (name, mut ranks) = self.item_type(self.item_of_rows(item, dimensions));
                ranks.push(dimensions);
                (name, ranks)
            }
            // Items of derived types say theirs.
            Content::Typed(scope, component) => {
                let declared = self.arms(scope, component).into_iter().find(|it| it.is_base);
                (declared.map(|it| Name::from(&it.name)), Vec::new())
            }
            item => (self.type_name(item), Vec::new()),
        }
    }

    /// How many dimensions an array has.
    pub(super) fn dimensions(&self, array: Content) -> usize {
        match array {
            Content::Array(scope, index) => {
                self.dimensions.of(self.scope(scope).fields[index].holds)
            }
            _ => 1,
        }
    }

    /// One item of an array of so many dimensions.
    pub(super) fn item_of_rows(&self, array: Content, dimensions: usize) -> Content {
        (0..dimensions).fold(array, |row, _| match row {
            Content::Array(scope, index) => self.item(scope, index),
            item => item,
        })
    }

    /// The type for people, such as `int`, `Leg` or `int[]`.
    pub(super) fn shown(&self, content: Content) -> String {
        /// More values are not shown.
        const SHOWN: usize = 12;
        match content {
            Content::Value(scope, index) => {
                let field = &self.scope(scope).fields[index];
                match field.holds {
                    Holds::Enumeration(of) => {
                        let values = self.layout.schema().values(of);
                        let more = if values.len() > SHOWN { "|..." } else { "" };
                        let shown: Vec<&str> = values.iter().take(SHOWN).map(|it| &**it).collect();
                        format!("{}{more}", shown.join("|"))
                    }
                    holds => {
                        let is_spaced = self.is_spaced(field);
                        let of_item = Some(self.item(scope, index)).filter(|it| *it != content);
                        match (of_item.filter(|_| is_spaced), holds.kind()) {
                            (Some(item), _) => format!("list of {}", self.shown(item)),
                            (None, kind) => {
                                let name = kind.map_or("string", soap::xsd_name);
                                let list = if is_spaced { "list of " } else { "" };
                                format!("{list}{}", name.trim_start_matches("xsd:"))
                            }
                        }
                    }
                }
            }
            Content::Struct(scope, None) | Content::Typed(scope, None) => {
                self.scope(scope).name.to_string()
            }
            Content::Struct(scope, Some(of)) | Content::Typed(scope, Some(of)) => {
                self.scope(scope).components[usize::from(of)].type_name.to_string()
            }
            Content::List(scope, index) | Content::Array(scope, index) => {
                format!("{}[]", self.shown(self.item(scope, index)))
            }
            Content::Any => "anything".to_owned(),
        }
    }

    /// Is the text a value that a field, or an item of its list, may have?
    ///
    /// # Errors
    /// What it takes.
    pub(super) fn check(&self, (scope, index): (ScopeId, usize), text: &str) -> Result<(), String> {
        let field = &self.scope(scope).fields[index];
        let takes = || self.shown(Content::Value(scope, index));
        if let (true, Content::Value(inner, at)) = (self.is_spaced(field), self.item(scope, index))
        {
            let is_wrong = |it: &str| match (inner, at) == (scope, index) {
                true => self.check_one(scope, index, it).is_err(),
                false => self.check((inner, at), it).is_err(),
            };
            return match text.split_ascii_whitespace().any(is_wrong) {
                true => Err(takes()),
                false => Ok(()),
            };
        }
        self.check_one(scope, index, text).map_err(|why| match why {
            Some(why) => format!("{}: {why}", takes()),
            None => takes(),
        })
    }

    /// The value that a text is in a field, or as one item of its list, whatever the facets say of it.
    pub(super) fn value(&self, (scope, index): (ScopeId, usize), text: &str) -> Option<Value> {
        let trimmed = text.trim_ascii();
        let field = &self.scope(scope).fields[index];
        match field.holds {
            Holds::Enumeration(of) => {
                let mut names = self.layout.schema().values(of).iter().map(|it| &**it);
                names.find(|it| *it == text || *it == trimmed).map(Value::from)
            }
            Holds::Value(Kind::Text) => {
                let white_space = soap::WhiteSpace::of(self.layout, self.scope(scope), field);
                Some((*white_space.apply(text)).into())
            }
            Holds::Value(Kind::Bytes) => {
                let digits: Vec<u8> = text.bytes().filter(|it| !it.is_ascii_whitespace()).collect();
                let mut bytes = Vec::new();
                let read = trunkline_wire::base64::decode_into(&digits, text.len(), &mut bytes);
                read.is_ok().then_some(Value::Bytes(bytes))
            }
            holds => holds.kind().and_then(|kind| Value::parse(kind, without_plus(kind, trimmed))),
        }
    }

    /// # Errors
    /// The facet that forbids it, if it is one.
    fn check_one(&self, scope: ScopeId, index: usize, text: &str) -> Result<(), Option<String>> {
        let trimmed = text.trim_ascii();
        let value = self.value((scope, index), text).ok_or(None)?;
        if matches!(self.scope(scope).fields[index].holds, Holds::Enumeration(_)) {
            return Ok(());
        }
        // JSON has no such number either.
        let is_infinite = match &value {
            Value::Single(it) => it.is_infinite(),
            Value::Float(it) => it.is_infinite(),
            _ => false,
        };
        if is_infinite && trimmed.bytes().any(|it| it.is_ascii_digit()) {
            return Err(Some("it is beyond the largest number, and INF is infinity".to_owned()));
        }
        let why = self.checks.as_ref().and_then(|it| it.of_value(scope, index, &value));
        why.map_or(Ok(()), |why| Err(Some(why)))
    }

    /// Is what stands here a parameter of an encoded call, which may be nil as any accessor may (SOAP 1.1 section 5.1)?
    fn is_part(&self, id: ScopeId, around: Option<u16>) -> bool {
        self.is_encoded() && self.options.style.is_rpc() && id == ScopeId(0) && around.is_none()
    }

    fn scope(&self, id: ScopeId) -> &'a Scope {
        self.layout.scope(id)
    }

    fn is_noted(&self, member: MemberId, word: &str, value: &str) -> bool {
        self.layout.notes().of_member(member, "xml", word) == Some(value)
    }

    fn is_spaced(&self, field: &Field) -> bool {
        !self.is_encoded() && soap::is_spaced(self.layout, field)
    }

    fn is_list(&self, field: &Field) -> bool {
        matches!(field.holds, Holds::Group(_) | Holds::List(_)) && !self.is_spaced(field)
    }

    /// A name where a member's element or attribute has it.
    fn name(&self, local: &str, member: MemberId, is_attribute: bool) -> QName {
        let Options { style, qualified, namespace, .. } = self.options;
        let is_default = *style == Style::DocumentLiteral && *qualified;
        let namespace = match style.is_encoded() {
            true => "",
            false => soap::namespace_of(self.layout, member, is_attribute, (namespace, is_default)),
        };
        QName::new(namespace, local)
    }

    /// How often the elements of a list are there.
    fn count(&self, field: &Field, is_needed: bool) -> (u64, u64) {
        let said = |word| self.layout.notes().of_member(field.member, "facet", word);
        let said = |word| said(word).and_then(|it| it.parse().ok());
        let fixed = field.fixed.map(u64::from);
        let least = fixed.or(said("min_items")).unwrap_or(u64::from(is_needed));
        (least, fixed.or(said("max_items")).unwrap_or(u64::MAX))
    }

    /// What the one element of a field holds.
    fn held(&self, scope: ScopeId, index: usize) -> Content {
        let field = &self.scope(scope).fields[index];
        match field.holds {
            Holds::Value(Kind::Any) => Content::Any,
            Holds::Struct(inner) => self.inside(inner, field.member),
            _ if !self.is_list(field) => Content::Value(scope, index),
            _ if self.is_encoded() => Content::Array(scope, index),
            _ => Content::List(scope, index),
        }
    }

    fn inside(&self, inner: ScopeId, member: MemberId) -> Content {
        let scope = self.scope(inner);
        let is_typed =
            scope.shape == Shape::Choice && soap::is_by_type(self.layout, member, scope.of);
        if is_typed { Content::Typed(inner, None) } else { Content::Struct(inner, None) }
    }

    /// Adds what stands in a component of a scope, or in all of it; all of that may be of one choice.
    fn add(&self, id: ScopeId, around: Option<u16>, choice: Option<usize>, members: &mut Members) {
        let scope = self.scope(id);
        let mut components = scope.components.iter().enumerate().peekable();
        for (index, field) in scope.fields.iter().enumerate() {
            while let Some((at, component)) = components.next_if(|it| it.1.fields.start <= index) {
                if component.parent == around {
                    self.component((id, at as u16), choice, members);
                }
            }
            if field.component == around {
                self.field((id, index), choice, members);
            }
        }
        for (at, _) in components.filter(|it| it.1.parent == around) {
            self.component((id, at as u16), choice, members);
        }
    }

    fn component(&self, (id, at): (ScopeId, u16), choice: Option<usize>, members: &mut Members) {
        let component = &self.scope(id).components[usize::from(at)];
        let is_needed = component.need == Need::Required;
        let is_typed = soap::is_typed(self.layout, component);
        if component.is_choice && !is_typed {
            let choice = choice.unwrap_or_else(|| members.add_choice(is_needed, false));
            return self.add(id, Some(at), Some(choice), members);
        }
        let local = soap::noted_name(self.layout, component.member).unwrap_or(&component.name);
        let is_nillable = self.is_noted(component.member, "nillable", "true");
        members.parameters.push(Parameter {
            name: self.name(local, component.member, false),
            member: Some(component.member),
            content: if is_typed {
                Content::Typed(id, Some(at))
            } else {
                Content::Struct(id, Some(at))
            },
            least: u64::from((is_needed || is_nillable) && choice.is_none()),
            most: 1,
            is_nillable,
            may_be_nil: self.is_part(id, component.parent),
            choice,
        });
    }

    fn field(&self, (id, index): (ScopeId, usize), choice: Option<usize>, members: &mut Members) {
        let (layout, field) = (self.layout, &self.scope(id).fields[index]);
        let (member, is_needed) = (field.member, field.need == Need::Required);
        let own = soap::noted_name(layout, member).unwrap_or(&field.name);
        let is_literal = !self.is_encoded();
        if is_literal && soap::is_attribute(layout, field) {
            let name = self.name(own, member, true);
            return members.attributes.push(Attribute {
                name,
                of: (id, index),
                is_required: is_needed,
            });
        }
        if is_literal && soap::is_text(layout, field) {
            // Between elements it has no key.
            members.text = choice.is_none().then_some(Content::Value(id, index));
            return;
        }
        let is_wildcard = is_literal && !self.is_noted(member, "kind", "element");
        let is_any = |it: Content| it == Content::Any && is_wildcard;
        if let Holds::Group(inner) = field.holds
            && is_literal
            && (soap::is_of_arms(layout, field) || soap::is_mixed(layout, field))
        {
            let choice = members.add_choice(is_needed, true);
            members.is_mixed |= soap::is_mixed(layout, field);
            return self.add(inner, None, Some(choice), members);
        }
        let held = self.held(id, index);
        if is_any(held) || self.is_list(field) && is_any(self.item(id, index)) {
            members.is_open |= members.is_mixed;
            members.needs_any |= choice.is_none() && (is_needed || self.count(field, false).0 > 0);
            return;
        }
        if let Content::Struct(inner, None) = held
            && self.scope(inner).shape == Shape::Choice
        {
            let choice = choice.unwrap_or_else(|| members.add_choice(is_needed, false));
            return self.add(inner, None, Some(choice), members);
        }
        let is_array = !is_literal && !soap::is_repeated(layout, field);
        let is_run = self.is_list(field) && soap::is_unwrapped(layout, field) && !is_array;
        let is_needed_or_nil = soap::is_nillable(layout, field);
        // Of one that may be absent it is not known whether it may be nil.
        let is_nillable =
            is_needed_or_nil || field.need == Need::Optional || field.nil_items && is_run;
        let is_one_of_many = choice.is_some_and(|it| members.choices[it].is_repeated);
        let (local, content, (least, most)) = match is_run {
            true => {
                let local = soap::item_name(layout, field).unwrap_or(own);
                (local, self.item(id, index), self.count(field, is_needed))
            }
            false if is_one_of_many => (own, held, (0, u64::MAX)),
            false => (own, held, (u64::from(is_needed || is_needed_or_nil), 1)),
        };
        members.parameters.push(Parameter {
            name: self.name(local, member, false),
            member: Some(member),
            content,
            least: if choice.is_some() { 0 } else { least },
            most,
            is_nillable,
            may_be_nil: self.is_part(id, field.component),
            choice,
        });
    }
}

impl Members {
    fn add_choice(&mut self, is_needed: bool, is_repeated: bool) -> usize {
        self.choices.push(Choice { is_needed, is_repeated });
        self.choices.len() - 1
    }
}

/// A number without the sign that XML Schema allows before it.
fn without_plus(kind: Kind, text: &str) -> &str {
    let is_number = matches!(
        kind,
        Kind::Integer(_)
            | Kind::BigInteger
            | Kind::Decimal
            | Kind::BigDecimal
            | Kind::Float32
            | Kind::Float64
    );
    let number = text
        .strip_prefix('+')
        .filter(|it| it.starts_with(|it: char| it.is_ascii_digit() || it == '.'));
    number.filter(|_| is_number).unwrap_or(text)
}

/// The one text that a pattern matches, if there is no sign in it that stands for others.
fn literal(pattern: &str) -> Option<String> {
    let (mut text, mut characters) = (String::new(), pattern.chars());
    while let Some(character) = characters.next() {
        match character {
            '\\' => text.push(characters.next().filter(char::is_ascii_punctuation)?),
            sign if "|.?*+{}()[]".contains(sign) => return None,
            other => text.push(other),
        }
    }
    Some(text)
}
