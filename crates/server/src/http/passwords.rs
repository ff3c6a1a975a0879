//! Passwords that come over HTTP: compared on the threads that answer, few at a time.

use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use trunkline_security::{Credentials, RememberedLogins, random_bytes};

/// Passwords that are compared or wait for it, each of another machine: others ask again.
pub(super) const MOST: usize = 2;

/// Logins that are remembered.
const REMEMBERED: usize = 1_024;

/// Compares passwords, one after the other, since each takes tens of milliseconds of a processor and megabytes.
pub(super) struct Passwords {
    remembered: Mutex<RememberedLogins>,
    /// The machines that wait.
    waiting: Mutex<Vec<IpAddr>>,
    turn: Mutex<()>,
}

/// What is known of a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Right,
    Wrong,
    /// It was not compared.
    Busy,
}

/// A machine that waits, until this is dropped.
struct Place<'a> {
    waiting: &'a Mutex<Vec<IpAddr>>,
    host: IpAddr,
}

impl Passwords {
    pub(super) fn new() -> Self {
        let remembered = Mutex::new(RememberedLogins::new(&random_bytes(), REMEMBERED));
        Self { remembered, waiting: Mutex::default(), turn: Mutex::default() }
    }

    /// Whether it is the user's password, asked by a machine.
    pub(super) fn check(
        &self,
        credentials: &Credentials,
        host: IpAddr,
        user: &str,
        password: &str,
    ) -> Verdict {
        let known = locked(&self.remembered).find(user, password).cloned();
        // Passwords may have changed since.
        if known.is_some_and(|hash| credentials.still_has(user, &hash)) {
            return Verdict::Right;
        }
        let Some(_place) = self.enter(host) else { return Verdict::Busy };
        let _turn = locked(&self.turn);
        match credentials.password_check(user, password).run() {
            Some(hash) => {
                locked(&self.remembered).add(user, password, hash);
                Verdict::Right
            }
            None => Verdict::Wrong,
        }
    }

    fn enter(&self, host: IpAddr) -> Option<Place<'_>> {
        let mut waiting = locked(&self.waiting);
        if waiting.len() >= MOST || waiting.contains(&host) {
            return None;
        }
        waiting.push(host);
        Some(Place { waiting: &self.waiting, host })
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        locked(self.waiting).retain(|it| *it != self.host);
    }
}

fn locked<T>(it: &Mutex<T>) -> MutexGuard<'_, T> {
    it.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use trunkline_security::hash_password;

    use super::*;

    fn host(number: u8) -> IpAddr {
        Ipv4Addr::new(10, 0, 0, number).into()
    }

    #[test]
    fn a_password_holds_as_long_as_the_file_has_it() {
        let of = |password| {
            let line = format!("anna {}", hash_password(password, &[1; 16]));
            Credentials::parse(&line).expect("a file")
        };
        let (before, after) = (of("old"), of("new"));
        let passwords = Passwords::new();
        let check = |file, password| passwords.check(file, host(1), "anna", password);
        for _ in 0..2 {
            assert_eq!(check(&before, "old"), Verdict::Right);
            assert_eq!(check(&before, "new"), Verdict::Wrong);
        }
        assert_eq!(check(&after, "old"), Verdict::Wrong);
        assert_eq!(check(&after, "new"), Verdict::Right);
    }

    #[test]
    fn one_machine_does_not_take_the_places_of_others() {
        let passwords = Passwords::new();
        let first = passwords.enter(host(1)).expect("a place");
        assert!(passwords.enter(host(1)).is_none());
        let second = passwords.enter(host(2));
        assert!(second.is_some() && passwords.enter(host(3)).is_none());
        drop(first);
        assert!(passwords.enter(host(3)).is_some());
    }
}
