//! The durable subscriptions that match a topic, and the topic's policy.

use smallvec::SmallVec;
use trunkline_router::{Matcher, Topics};

use crate::settings::{Policy, Rule};

/// The state of a topic.
#[derive(Clone, Debug)]
pub(crate) struct Route {
    epoch: u64,
    pub(crate) policy: Policy,
    /// Numbers of durable subscriptions and replays, rising.
    pub(crate) durables: SmallVec<[u32; 4]>,
}

/// Cached topics; beyond that, all are forgotten.
const REMEMBERED: usize = 1 << 20;

/// Topics with their routes, made when they are first needed.
pub(crate) struct Directory {
    topics: Topics,
    routes: Vec<Route>,
    matcher: Matcher,
    rules: Matcher,
    policies: Vec<Policy>,
    policy: Policy,
    /// Changes when routes have to be made again. No route has the epoch 0.
    epoch: u64,
    found: Vec<u32>,
}

impl Directory {
    pub(crate) fn new(rules: &[Rule], policy: Policy) -> Self {
        let mut directory = Self {
            topics: Topics::new(REMEMBERED),
            routes: Vec::new(),
            matcher: Matcher::new(),
            rules: Matcher::new(),
            policies: Vec::new(),
            policy,
            epoch: 1,
            found: Vec::new(),
        };
        directory.set_rules(rules, policy);
        directory
    }

    pub(crate) fn set_rules(&mut self, rules: &[Rule], policy: Policy) {
        self.rules = Matcher::new();
        self.policies.clear();
        for rule in rules {
            self.rules.insert(&rule.topics, self.policies.len() as u32);
            self.policies.push(rule.policy);
        }
        self.policy = policy;
        self.epoch += 1;
    }

    pub(crate) fn insert(&mut self, pattern: &str, durable: u32) {
        self.matcher.insert(pattern, durable);
        self.epoch += 1;
    }

    pub(crate) fn remove(&mut self, pattern: &str, durable: u32) {
        self.matcher.remove(pattern, durable);
        self.epoch += 1;
    }

    /// The route of a topic.
    #[inline]
    pub(crate) fn route(&mut self, topic: &str) -> &Route {
        let known = self.topics.find(topic).map(|it| it.0 as usize);
        match known {
            Some(at) if self.routes[at].epoch == self.epoch => &self.routes[at],
            _ => self.make_route(topic),
        }
    }

    fn make_route(&mut self, topic: &str) -> &Route {
        if self.topics.find(topic).is_none() && self.topics.len() == REMEMBERED {
            self.topics = Topics::new(REMEMBERED);
            self.routes.clear();
        }
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        self.rules.matches(topic, &mut found);
        // The first rule that matches counts.
        let rule = found.iter().min().and_then(|rule| self.policies.get(*rule as usize));
        let policy = rule.copied().unwrap_or(self.policy);
        found.clear();
        self.matcher.matches(topic, &mut found);
        found.sort_unstable();
        let route = Route { epoch: self.epoch, policy, durables: SmallVec::from_slice(&found) };
        self.found = found;
        // A topic with an invalid name was rejected before; a journal's message of such a topic goes
        // nowhere.
        let at = self.topics.intern(topic).map_or(0, |it| it.0 as usize);
        if at >= self.routes.len() {
            self.routes.resize(at + 1, Route { epoch: 0, policy, durables: SmallVec::new() });
        }
        self.routes[at] = route;
        &self.routes[at]
    }
}
