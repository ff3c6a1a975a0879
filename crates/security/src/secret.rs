//! What the router alone knows: numbers that nobody guesses, and logins that it has seen to be right.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::Arc;

use ring::hmac;
use ring::rand::{SecureRandom as _, SystemRandom};

/// Random bytes of the operating system, for keys, salts and tokens.
///
/// # Panics
///
/// The system has none, so that nothing would be a secret.
#[must_use]
pub fn random_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    SystemRandom::new().fill(&mut bytes).expect("the system has random numbers");
    bytes
}

/// Numbers that nobody guesses who does not know the key, without asking the system for each.
pub struct Tickets {
    key: hmac::Key,
    count: u64,
    ready: [u64; 4],
}

impl fmt::Debug for Tickets {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Tickets after {}", self.count)
    }
}

impl Tickets {
    /// Those of a key: the same key gives the same numbers.
    #[must_use]
    pub fn new(key: &[u8; 32]) -> Self {
        Self { key: hmac::Key::new(hmac::HMAC_SHA256, key), count: 0, ready: [0; 4] }
    }

    /// The next one.
    pub fn next_ticket(&mut self) -> u64 {
        let at = (self.count % 4) as usize;
        if at == 0 {
            let tag = hmac::sign(&self.key, &self.count.to_le_bytes());
            for (place, bytes) in self.ready.iter_mut().zip(tag.as_ref().chunks_exact(8)) {
                *place = bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
            }
        }
        self.count += 1;
        self.ready[at]
    }
}

/// Logins by password that were found to be right, as keyed hashes, so that the slow comparison is done once for many
/// connections. Bounded: the oldest is forgotten.
pub struct RememberedLogins {
    key: hmac::Key,
    known: HashMap<[u8; 32], Arc<str>>,
    in_order: VecDeque<[u8; 32]>,
    most: usize,
}

impl fmt::Debug for RememberedLogins {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} RememberedLogins", self.known.len())
    }
}

impl RememberedLogins {
    /// At most so many.
    #[must_use]
    pub fn new(key: &[u8; 32], most: usize) -> Self {
        let key = hmac::Key::new(hmac::HMAC_SHA256, key);
        Self { key, known: HashMap::new(), in_order: VecDeque::new(), most }
    }

    /// The hash that this password of the user was found to fit.
    #[must_use]
    pub fn find(&self, user: &str, password: &str) -> Option<&Arc<str>> {
        self.known.get(&self.sum(user, password))
    }

    /// The password was found to fit a hash.
    pub fn add(&mut self, user: &str, password: &str, hash: Arc<str>) {
        let sum = self.sum(user, password);
        if self.known.insert(sum, hash).is_none() {
            self.in_order.push_back(sum);
            if self.in_order.len() > self.most
                && let Some(oldest) = self.in_order.pop_front()
            {
                self.known.remove(&oldest);
            }
        }
    }

    /// Nobody who sees how long a look-up takes can choose it, for the key is the router's own.
    fn sum(&self, user: &str, password: &str) -> [u8; 32] {
        let mut context = hmac::Context::with_key(&self.key);
        context.update(&(user.len() as u64).to_le_bytes());
        context.update(user.as_bytes());
        context.update(password.as_bytes());
        let mut sum = [0; 32];
        sum.copy_from_slice(context.sign().as_ref());
        sum
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn tickets_are_all_different_and_depend_on_the_key() {
        let mut tickets = Tickets::new(&[1; 32]);
        let first: Vec<u64> = (0..1_000).map(|_| tickets.next_ticket()).collect();
        assert_eq!(first.iter().collect::<HashSet<_>>().len(), 1_000);
        let mut same = Tickets::new(&[1; 32]);
        assert!(first.iter().all(|it| *it == same.next_ticket()));
        let mut other = Tickets::new(&[2; 32]);
        assert!(first.iter().all(|it| *it != other.next_ticket()));
        assert_ne!(random_bytes::<32>(), random_bytes::<32>());
    }

    #[test]
    fn the_oldest_login_is_forgotten() {
        let mut logins = RememberedLogins::new(&[1; 32], 2);
        for user in ["a", "b", "b", "c"] {
            logins.add(user, "x", user.into());
        }
        assert_eq!(logins.find("a", "x"), None);
        assert_eq!(logins.find("b", "x").map(|it| &**it), Some("b"));
        assert_eq!(logins.find("c", "x").map(|it| &**it), Some("c"));
        for (user, password) in [("bx", ""), ("b", "y"), ("", "bx")] {
            assert_eq!(logins.find(user, password), None, "{user} {password}");
        }
    }
}
