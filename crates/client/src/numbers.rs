//! Numbers that a client gives to its topics and subscriptions.

/// Items by small numbers, without holes except for released numbers.
#[derive(Debug)]
pub(crate) struct Numbers<T> {
    things: Vec<Option<T>>,
    free: Vec<u32>,
}

impl<T> Default for Numbers<T> {
    fn default() -> Self {
        Self { things: Vec::new(), free: Vec::new() }
    }
}

impl<T> Numbers<T> {
    /// A number below the limit, if there is one.
    pub(crate) fn insert(&mut self, thing: T, limit: u32) -> Option<u32> {
        if let Some(number) = self.free.pop() {
            self.things[number as usize] = Some(thing);
            return Some(number);
        }
        let number = u32::try_from(self.things.len()).ok().filter(|number| *number < limit)?;
        self.things.push(Some(thing));
        Some(number)
    }

    /// Releases a number; returns its item, if it had one.
    pub(crate) fn remove(&mut self, number: u32) -> Option<T> {
        let thing = self.things.get_mut(number as usize)?.take()?;
        self.free.push(number);
        Some(thing)
    }

    pub(crate) fn get(&self, number: u32) -> Option<&T> {
        self.things.get(number as usize)?.as_ref()
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, number: u32) -> Option<&mut T> {
        self.things.get_mut(number as usize)?.as_mut()
    }

    /// Releases the numbers of items that do not hold.
    pub(crate) fn retain(&mut self, mut holds: impl FnMut(&mut T) -> bool) {
        for (number, thing) in (0..).zip(&mut self.things) {
            if thing.take_if(|thing| !holds(thing)).is_some() {
                self.free.push(number);
            }
        }
    }

    /// The first number that was never used.
    pub(crate) fn end(&self) -> u32 {
        self.things.len() as u32
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        let numbered = (0..).zip(&self.things);
        numbered.filter_map(|(number, thing)| Some((number, thing.as_ref()?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_given_back_are_given_again() {
        let mut numbers = Numbers::default();
        let given: Vec<_> = ["a", "b", "c", "d"].map(|thing| numbers.insert(thing, 3)).into();
        assert_eq!(given, [Some(0), Some(1), Some(2), None]);
        assert_eq!(numbers.remove(1), Some("b"));
        assert_eq!((numbers.remove(1), numbers.remove(9)), (None, None));
        assert_eq!(numbers.insert("e", 3), Some(1));
        assert_eq!(numbers.insert("f", 3), None);
        assert_eq!(numbers.iter().collect::<Vec<_>>(), [(0, &"a"), (1, &"e"), (2, &"c")]);
        assert_eq!((numbers.end(), numbers.get(1), numbers.get(3)), (3, Some(&"e"), None));
    }
}
