//! Rules that say who may do what to which topics.

use std::fmt;
use std::sync::Arc;

use trunkline_router::{check_pattern, name_fits, patterns_overlap};

use crate::identity::{Identity, IdentityPattern};
use crate::operation::{Operation, OperationSet};
use crate::pattern::contains;

/// What a rule does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It allows what lies in one of its patterns.
    Allow,
    /// It denies what has a topic in common with one of its patterns, whatever other rules allow.
    Deny,
}

/// A rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Rejections and the log name it.
    pub name: String,
    /// For whom: patterns of identities, and `role:NAME`.
    pub who: Vec<String>,
    /// Whether it allows or denies.
    pub effect: Effect,
    /// Which operations.
    pub operations: OperationSet,
    /// Patterns of topics; none are all topics, the router's own (`$`) too.
    pub topics: Vec<String>,
    /// Names of producers and durable subscriptions, in which `*` stands for anything and [`OWN_NAME`] for the name of who
    /// asks; none are all. The name of a replay is empty.
    pub names: Vec<String>,
}

/// Stands for the name of who asks, [`Identity::name`].
pub const OWN_NAME: &str = "{name}";

/// A name for some identities.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Role {
    /// Rules say `role:NAME`.
    pub name: String,
    /// Patterns of identities.
    pub who: Vec<String>,
}

/// What is wrong with a rule or a role, and with which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleError {
    of: String,
    reason: String,
}

impl fmt::Display for RuleError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.of, self.reason)
    }
}

impl std::error::Error for RuleError {}

/// A rule whose words are checked.
#[derive(Debug, PartialEq, Eq)]
struct Checked {
    rule: Rule,
    who: Vec<IdentityPattern>,
}

/// All rules. Where there are none, everything is allowed; where there are some, nothing that none allows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    rules: Arc<[Checked]>,
}

impl Rules {
    /// Checks rules and roles.
    ///
    /// # Errors
    ///
    /// The first that is wrong, and why.
    pub fn new(rules: Vec<Rule>, roles: &[Role]) -> Result<Self, RuleError> {
        for role in roles {
            let in_role = |reason| RuleError { of: format!("the role {:?}", role.name), reason };
            for text in &role.who {
                IdentityPattern::new(text).map_err(in_role)?;
            }
        }
        let rules: Result<Vec<_>, _> = rules.into_iter().map(|it| check(it, roles)).collect();
        Ok(Self { rules: rules?.into() })
    }

    /// Rules that allow nothing to anybody.
    #[must_use]
    pub fn closed() -> Self {
        let rule = Rule {
            name: "closed".to_owned(),
            who: Vec::new(),
            effect: Effect::Deny,
            operations: OperationSet::ALL,
            topics: Vec::new(),
            names: Vec::new(),
        };
        Self { rules: [Checked { rule, who: Vec::new() }].into() }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// What one identity may do.
    #[must_use]
    pub fn permissions(&self, identity: &Identity) -> Permissions {
        let fits = |(_, rule): &(usize, &Checked)| rule.who.iter().any(|it| it.fits(identity));
        let own = self.rules.iter().enumerate().filter(fits).map(|(at, _)| at as u32).collect();
        let name = identity.name();
        Permissions { identity: identity.clone(), name, all: self.clone(), own }
    }
}

fn check(rule: Rule, roles: &[Role]) -> Result<Checked, RuleError> {
    let error = |reason| RuleError { of: format!("the access rule {:?}", rule.name), reason };
    if rule.operations.is_empty() {
        return Err(error("it allows and denies nothing".to_owned()));
    }
    if rule.who.is_empty() {
        return Err(error("it is for nobody; who = \"*\" is everybody".to_owned()));
    }
    if !rule.names.is_empty() && rule.operations.iter().any(|it| !it.has_name()) {
        let why = "names are of producers and durable subscriptions: for store, consume and delete";
        return Err(error(why.to_owned()));
    }
    for topics in &rule.topics {
        check_pattern(topics).map_err(|it| error(format!("{topics:?} is no pattern: {it}")))?;
    }
    let mut who = Vec::new();
    for text in &rule.who {
        let Some(name) = text.strip_prefix("role:") else {
            who.push(IdentityPattern::new(text).map_err(error)?);
            continue;
        };
        let role = roles.iter().find(|role| role.name == name);
        let role = role.ok_or_else(|| error(format!("there is no role {name:?}")))?;
        for text in &role.who {
            who.push(IdentityPattern::new(text).map_err(error)?);
        }
    }
    Ok(Checked { rule, who })
}

/// What one identity may do, by the rules that are for it.
#[derive(Clone, Debug, Default)]
pub struct Permissions {
    identity: Identity,
    /// What stands for it in names.
    name: Option<String>,
    all: Rules,
    /// Rules that are for this identity, by their places.
    own: Box<[u32]>,
}

impl Permissions {
    /// Whose they are.
    #[must_use]
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Whether it may do something to all topics of a pattern; a topic is one. The name of the rule that allows it,
    /// none if there are no rules.
    ///
    /// # Errors
    ///
    /// It may not; the error says by which rule.
    pub fn decide(
        &self,
        operation: Operation,
        pattern: &str,
    ) -> Result<Option<&str>, Box<Forbidden>> {
        self.look(Wanted { operation, pattern: Some(pattern), name: None })
    }

    /// As [`Self::decide`], of a durable subscription of this name; empty for a replay.
    ///
    /// # Errors
    ///
    /// It may not; the error says by which rule.
    pub fn decide_as(
        &self,
        operation: Operation,
        pattern: &str,
        name: &str,
    ) -> Result<Option<&str>, Box<Forbidden>> {
        self.look(Wanted { operation, pattern: Some(pattern), name: Some(name) })
    }

    /// Whether it may do something to some topic under this name. Rules with topics and names deny the name as a whole.
    ///
    /// # Errors
    ///
    /// It may not; the error says by which rule.
    pub fn claim(&self, operation: Operation, name: &str) -> Result<(), Box<Forbidden>> {
        self.somewhere(operation)?;
        let mut is_allowed = self.all.is_empty();
        let mut denies = None;
        for rule in self.own(operation).filter(|rule| self.is_named(rule, Some(name))) {
            match rule.effect {
                Effect::Allow => is_allowed = true,
                Effect::Deny if !rule.names.is_empty() => denies = denies.or(Some(rule)),
                Effect::Deny => {}
            }
        }
        if is_allowed && denies.is_none() {
            return Ok(());
        }
        let wanted = Wanted { operation, pattern: None, name: Some(name) };
        Err(self.forbidden(&wanted, denies))
    }

    /// Whether it may do something to some topic.
    ///
    /// # Errors
    ///
    /// No rule allows it anywhere.
    pub fn somewhere(&self, operation: Operation) -> Result<(), Box<Forbidden>> {
        let is_allowed = self.own(operation).any(|rule| rule.effect == Effect::Allow);
        if self.all.is_empty() || is_allowed {
            return Ok(());
        }
        Err(self.forbidden(&Wanted { operation, pattern: None, name: None }, None))
    }

    /// Whether it may administer the router.
    ///
    /// # Errors
    ///
    /// It may not; the error says by which rule.
    pub fn administer(&self) -> Result<Option<&str>, Box<Forbidden>> {
        self.look(Wanted::of(Operation::Administer))
    }

    /// Whether it may read what the router tells of itself and of others; who may administer may.
    ///
    /// # Errors
    ///
    /// It may not; the error says by which rule.
    pub fn observe(&self) -> Result<Option<&str>, Box<Forbidden>> {
        if let Err(None) = self.find(&Wanted::of(Operation::Observe))
            && let Ok(rule) = self.find(&Wanted::of(Operation::Administer))
        {
            return Ok(rule);
        }
        self.look(Wanted::of(Operation::Observe))
    }

    /// The operations that are allowed for all topics of a pattern.
    #[must_use]
    pub fn of(&self, pattern: &str) -> OperationSet {
        let mut allowed = OperationSet::NONE;
        for operation in Operation::ALL {
            let wanted = Wanted { operation, pattern: Some(pattern), name: None };
            if self.find(&wanted).is_ok() {
                allowed.add(operation);
            }
        }
        allowed
    }

    fn look(&self, wanted: Wanted<'_>) -> Result<Option<&str>, Box<Forbidden>> {
        self.find(&wanted).map_err(|rule| self.forbidden(&wanted, rule))
    }

    fn forbidden(&self, wanted: &Wanted<'_>, rule: Option<&Rule>) -> Box<Forbidden> {
        Box::new(Forbidden {
            identity: self.identity.clone(),
            operation: wanted.operation,
            pattern: wanted.pattern.map(str::to_owned),
            name: wanted.name.filter(|it| !it.is_empty()).map(str::to_owned),
            rule: rule.map(|rule| rule.name.clone()),
            near: rule.map_or_else(|| self.near(wanted), |_| None),
        })
    }

    /// The rule that allows it, or that denies it, if one does.
    fn find(&self, wanted: &Wanted<'_>) -> Result<Option<&str>, Option<&Rule>> {
        if self.all.is_empty() {
            return Ok(None);
        }
        let (pattern, name) = (wanted.pattern, wanted.name);
        let mut allowed = None;
        for rule in self.own(wanted.operation) {
            match rule.effect {
                Effect::Deny => {
                    // Without a name: those that deny it have been looked at (`claim`).
                    let is_named = rule.names.is_empty() || name.is_some();
                    if is_named
                        && self.is_named(rule, name)
                        && rule.reaches(pattern, patterns_overlap)
                    {
                        return Err(Some(rule));
                    }
                }
                Effect::Allow if allowed.is_some() => {}
                Effect::Allow => {
                    if self.is_named(rule, name) && rule.reaches(pattern, contains) {
                        allowed = Some(&*rule.name);
                    }
                }
            }
        }
        if allowed.is_some() { Ok(allowed) } else { Err(None) }
    }

    /// Whether a rule is for a name; without one it is.
    fn is_named(&self, rule: &Rule, name: Option<&str>) -> bool {
        let Some(name) = name.filter(|_| !rule.names.is_empty()) else { return true };
        rule.names.iter().any(|pattern| match (&self.name, pattern.contains(OWN_NAME)) {
            (_, false) => name_fits(pattern, name),
            (Some(own), true) => name_fits(&pattern.replace(OWN_NAME, own), name),
            (None, true) => false,
        })
    }

    fn own(&self, operation: Operation) -> impl Iterator<Item = &Rule> {
        let rules = self.own.iter().map(|at| &self.all.rules[*at as usize].rule);
        rules.filter(move |rule| rule.operations.has(operation))
    }

    /// A rule that allows a part of it, and which.
    fn near(&self, wanted: &Wanted<'_>) -> Option<(String, String)> {
        let rules = || self.own(wanted.operation).filter(|rule| rule.effect == Effect::Allow);
        if wanted.name.is_some()
            && let Some(rule) = rules().find(|rule| {
                !rule.names.is_empty()
                    && (wanted.pattern.is_none() || rule.reaches(wanted.pattern, contains))
            })
        {
            return Some((rule.name.clone(), format!("names like {:?}", rule.names[0])));
        }
        let pattern = wanted.pattern?;
        rules().find_map(|rule| {
            let topics = rule.topics.iter().find(|it| patterns_overlap(it, pattern))?;
            Some((rule.name.clone(), format!("{topics:?}")))
        })
    }
}

/// What is asked.
#[derive(Clone, Copy, Debug)]
struct Wanted<'a> {
    operation: Operation,
    /// To which topics, if it is done to topics.
    pattern: Option<&'a str>,
    /// Under which name. None: it is not compared, for it has been.
    name: Option<&'a str>,
}

impl Wanted<'_> {
    fn of(operation: Operation) -> Self {
        Self { operation, pattern: None, name: None }
    }
}

impl Rule {
    /// Whether one of its patterns and a pattern are related so. What has no topic is reached by rules for all topics
    /// alone.
    fn reaches(&self, pattern: Option<&str>, is_related: impl Fn(&str, &str) -> bool) -> bool {
        self.topics.is_empty()
            || pattern.is_some_and(|pattern| self.topics.iter().any(|it| is_related(it, pattern)))
    }
}

/// Something that is not allowed, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forbidden {
    /// Who wanted it.
    pub identity: Identity,
    /// What it wanted to do.
    pub operation: Operation,
    /// To which topics, if it is done to topics.
    pub pattern: Option<String>,
    /// Under which name of a producer or a durable subscription, if that was compared.
    pub name: Option<String>,
    /// The rule that denies it; none if no rule allows it.
    pub rule: Option<String>,
    /// Where none does: the name of a rule that allows a part of it, and which.
    near: Option<(String, String)>,
}

impl fmt::Display for Forbidden {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} may not {}", self.identity, self.operation.verb())?;
        match &self.pattern {
            Some(pattern) => write!(out, " {pattern:?}")?,
            None if !self.operation.has_topic() => {}
            None => out.write_str(" any topic")?,
        }
        if let Some(name) = &self.name {
            write!(out, " under the name {name:?}")?;
        }
        match (&self.rule, &self.near) {
            (Some(rule), _) => write!(out, ": the access rule {rule:?} denies it"),
            (None, Some((rule, allowed))) => {
                write!(out, ": no access rule allows all of it; {rule:?} allows {allowed}")
            }
            (None, None) => out.write_str(": no access rule allows it"),
        }
    }
}

impl std::error::Error for Forbidden {}
