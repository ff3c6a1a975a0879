//! The names of the router's topics, by their numbers.

use trunkline_native::TOPIC_NUMBERS;

/// Names a page has room for.
const PAGE: usize = 256;

/// A table of two levels: two steps find a number, and one outlying number costs one page.
#[derive(Debug, Default)]
pub(crate) struct Names {
    pages: Vec<Option<Box<Page>>>,
}

type Page = [Option<Box<str>>; PAGE];

impl Names {
    /// The last name of the number.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> Option<&str> {
        let page = self.pages.get(number as usize / PAGE)?.as_deref()?;
        page[number as usize % PAGE].as_deref()
    }

    /// False if the number is not valid for a topic.
    pub(crate) fn set(&mut self, number: u32, name: &str) -> bool {
        if number >= TOPIC_NUMBERS {
            return false;
        }
        let page = number as usize / PAGE;
        if page >= self.pages.len() {
            self.pages.resize_with(page + 1, || None);
        }
        let page = self.pages[page].get_or_insert_with(|| Box::new([const { None }; PAGE]));
        let place = &mut page[number as usize % PAGE];
        if place.as_deref() != Some(name) {
            *place = Some(name.into());
        }
        true
    }

    pub(crate) fn clear(&mut self) {
        self.pages.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_name_of_a_number_counts() {
        let mut names = Names::default();
        assert_eq!(names.get(0), None);
        assert!(names.set(700, "a") && names.set(TOPIC_NUMBERS - 1, "z") && names.set(700, "b"));
        assert_eq!(names.get(700), Some("b"));
        assert_eq!(names.get(701), None);
        assert_eq!(names.get(TOPIC_NUMBERS - 1), Some("z"));
        assert!(!names.set(TOPIC_NUMBERS, "beyond"));
        assert_eq!(names.get(u32::MAX), None);
    }
}
