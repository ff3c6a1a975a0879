//! Where in a text of JSON or TOML a path leads.

use std::ops::Range;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Deserializer;
use toml::Spanned;
use toml::de::DeValue;

/// How the entries of lists are counted in a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counted {
    /// As our own errors do: `legs[0]/price`.
    FromZero,
    /// As XPath does, which leaves the number of an only one out: `legs[1]/price`, `legs/leg/price`.
    FromOne,
}

/// The line and the character in it, both from 1, of a byte of a text.
pub(super) fn of_byte(text: &str, offset: usize) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(offset)];
    let line = before.rsplit('\n').next().unwrap_or(before);
    (1 + before.matches('\n').count(), 1 + line.chars().count())
}

/// A value with the bytes of a text in which it stands, and what is in it.
#[derive(Debug)]
pub(super) struct Placed {
    pub(super) bytes: Range<usize>,
    inside: Inside,
}

#[derive(Debug)]
enum Inside {
    Members(Vec<(String, Placed)>),
    Items(Vec<Placed>),
    /// A number with a fraction, as TOML has it: a float would lose digits.
    Number(String),
    Nothing,
}

/// A row of a list of lists that has not as many items as the first one.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Uneven {
    /// Where it begins.
    pub(super) at: usize,
    /// Which of the rows around it, from 0.
    pub(super) row: usize,
    pub(super) items: usize,
    pub(super) first: usize,
}

impl Placed {
    /// The value that begins at this byte of a text that is JSON; as far as it is.
    pub(super) fn of_json(text: &str, start: usize) -> Self {
        let start = blanks(text, start);
        let mut at = blanks(text, start + 1);
        let next = |text: &str, end: usize| {
            let behind = blanks(text, end);
            match text.get(behind..).is_some_and(|it| it.starts_with(',')) {
                true => (blanks(text, behind + 1), end),
                false => (text.len(), behind + 1),
            }
        };
        // Behind the bracket of one that is empty.
        let mut end = at + 1;
        let inside = match text.as_bytes().get(start) {
            Some(b'{') => {
                let mut members = Vec::new();
                while let Some((name, behind)) = read::<String>(text, at) {
                    let value = Self::of_json(text, blanks(text, behind) + 1);
                    (at, end) = next(text, value.bytes.end);
                    members.push((name, value));
                }
                Inside::Members(members)
            }
            Some(b'[') => {
                let mut items = Vec::new();
                while at < text.len() && text.as_bytes()[at] != b']' {
                    let item = Self::of_json(text, at);
                    (at, end) = next(text, item.bytes.end);
                    items.push(item);
                }
                Inside::Items(items)
            }
            _ => {
                end = read::<IgnoredAny>(text, start).map_or(text.len(), |it| it.1);
                Inside::Nothing
            }
        };
        Self { bytes: start..end.clamp(start, text.len()), inside }
    }

    /// A value of TOML.
    pub(super) fn of_toml(value: &Spanned<DeValue<'_>>) -> Self {
        let inside = match value.get_ref() {
            DeValue::Table(members) => Inside::Members(
                members
                    .iter()
                    .map(|(name, value)| (name.get_ref().to_string(), Self::of_toml(value)))
                    .collect(),
            ),
            DeValue::Array(items) => Inside::Items(items.iter().map(Self::of_toml).collect()),
            DeValue::Float(number) => Inside::Number(number.as_str().replace('_', "")),
            _ => Inside::Nothing,
        };
        Self { bytes: value.span(), inside }
    }

    /// The digits of a number of TOML with a fraction.
    pub(super) fn number(&self) -> Option<&str> {
        match &self.inside {
            Inside::Number(digits) => Some(digits),
            _ => None,
        }
    }

    /// The member of this name.
    pub(super) fn member(&self, name: &str) -> Option<&Self> {
        match &self.inside {
            Inside::Members(members) => members.iter().find(|it| it.0 == name).map(|it| &it.1),
            _ => None,
        }
    }

    /// The items, if it is a list.
    pub(super) fn list(&self) -> Option<&[Self]> {
        match &self.inside {
            Inside::Items(items) => Some(items),
            _ => None,
        }
    }

    /// The only member of an object.
    pub(super) fn only_member(&self) -> Option<(&str, &Self)> {
        match &self.inside {
            Inside::Members(members) => match &**members {
                [(name, value)] => Some((name, value)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The value that a path leads to; of a path that leads beyond what is there, the last one on it. Names that stand around
    /// others by themselves, such as that of the message or of the type that a value is of, need not be in the path.
    pub(super) fn at(&self, path: &str, counted: Counted) -> &Self {
        let mut found = self;
        for step in path.split('/').filter(|it| !it.is_empty()) {
            let (name, index) = match step.strip_suffix(']').and_then(|it| it.split_once('[')) {
                Some((name, index)) => (name, index.parse::<usize>().ok()),
                None => (step, None),
            };
            let first = usize::from(counted == Counted::FromOne);
            let index = index.map(|it| it.saturating_sub(first));
            match found.step(name.trim_start_matches('@'), index) {
                Some(next) => found = next,
                None => break,
            }
        }
        found
    }

    fn step(&self, name: &str, index: Option<usize>) -> Option<&Self> {
        match &self.inside {
            Inside::Members(members) => {
                let Some((_, found)) = members.iter().find(|it| it.0 == name) else {
                    // In a list of choices, whose name stands in no document.
                    if let Some(list) = members.iter().find(|it| it.1.entry(name, 0).is_some()) {
                        return Some(list.1.entry(name, index.unwrap_or(0)).unwrap_or(&list.1));
                    }
                    // Of the message, or of a type.
                    let (_, around) = self.only_member()?;
                    let is_around = matches!(around.inside, Inside::Members(_));
                    return if is_around { around.step(name, index) } else { None };
                };
                let item = index.and_then(|index| found.items().get(index));
                Some(item.unwrap_or(found))
            }
            Inside::Items(items) => {
                let index_of_name = index.unwrap_or(0);
                if self.entry(name, 0).is_some() {
                    return Some(self.entry(name, index_of_name).unwrap_or(self));
                }
                items.get(index_of_name)
            }
            Inside::Number(_) | Inside::Nothing => None,
        }
    }

    /// What an item has under this name: the first that has it, or one of those behind it.
    fn entry(&self, name: &str, index: usize) -> Option<&Self> {
        let of_name = |it: &'_ Self| match &it.inside {
            Inside::Members(members) => members.iter().position(|it| it.0 == name),
            _ => None,
        };
        let mut all = self.items().iter().filter_map(|it| Some((it, of_name(it)?)));
        let (item, at) = all.nth(index)?;
        match &item.inside {
            Inside::Members(members) => members.get(at).map(|it| &it.1),
            _ => None,
        }
    }

    fn items(&self) -> &[Self] {
        self.list().unwrap_or_default()
    }

    /// The first row that has not as many items as the others, of those lists of lists that are least deep.
    pub(super) fn uneven_row(&self) -> Option<Uneven> {
        let is_list = |it: &Self| matches!(it.inside, Inside::Items(_));
        let mut rows: Vec<(usize, &Self)> = vec![(0, self)];
        while let Some((_, first)) = rows.first().filter(|it| is_list(it.1)) {
            let first = first.items().len();
            let is_uneven = |it: &&(usize, &Self)| is_list(it.1) && it.1.items().len() != first;
            if let Some((row, uneven)) = rows.iter().find(is_uneven) {
                let (at, items) = (uneven.bytes.start, uneven.items().len());
                return Some(Uneven { at, row: *row, items, first });
            }
            rows = rows.iter().flat_map(|it| it.1.items().iter().enumerate()).collect();
        }
        None
    }
}

/// The byte behind white space.
fn blanks(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at.min(text.len()) + (rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len())
}

/// A value that begins at a byte, and the byte behind it.
fn read<'t, T: Deserialize<'t>>(text: &'t str, at: usize) -> Option<(T, usize)> {
    let mut values = Deserializer::from_str(text.get(at..)?).into_iter::<T>();
    let value = values.next()?.ok()?;
    Some((value, at + values.byte_offset()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_leads_to_a_line_and_a_character() {
        let text = "{\"order\": {\n \"a\": 1,\n \"legs\": [{\"price\": 1},\n  {\"price\": 2}],\n \"grid\": [[1], [2,\n 3]]}}";
        let placed = Placed::of_json(text, 0);
        assert_eq!(placed.bytes, 0..text.len());
        let of = |path, counted| of_byte(text, placed.at(path, counted).bytes.start);
        assert_eq!(of("a", Counted::FromZero), (2, 7));
        assert_eq!(of("order/a", Counted::FromOne), (2, 7));
        assert_eq!(of("legs[1]/price", Counted::FromZero), (4, 13));
        assert_eq!(of("legs[2]/price", Counted::FromOne), (4, 13));
        // With an element around the entries, and with one alone.
        assert_eq!(of("legs/leg[2]/price", Counted::FromOne), (4, 13));
        assert_eq!(of("legs/leg/price", Counted::FromOne), (3, 21));
        assert_eq!(of("grid[1]", Counted::FromZero), (5, 16));
        assert_eq!(of("grid[1]/item[1]", Counted::FromZero), (6, 2));
        let empty = Placed::of_json("{\"a\": [], \"b\": {}, \"c\": 1}", 0);
        assert_eq!(empty.at("c", Counted::FromZero).bytes, 24..25);
        // Choices, which XPath counts by their names.
        let runs = Placed::of_json("{\"runs\": [{\"a\": 1}, {\"b\": 2}, {\"a\": 3}]}", 0);
        assert_eq!(runs.at("a[2]", Counted::FromOne).bytes, 36..37);
        // Beyond what is there.
        assert_eq!(of("a/b/c", Counted::FromZero), (2, 7));
        assert_eq!(of("none", Counted::FromZero), (1, 1));
        let uneven = placed.at("grid", Counted::FromZero).uneven_row().expect("a row");
        assert_eq!(of_byte(text, uneven.at), (5, 16));
        assert_eq!((uneven.row, uneven.items, uneven.first), (1, 2, 1));
        assert!(placed.at("a", Counted::FromZero).uneven_row().is_none());
        let even = Placed::of_json("[[[1,2],[3,4]],[[5,6],[7]]]", 0).uneven_row();
        assert_eq!(even.map(|it| it.at), Some(22));
    }

    #[test]
    fn what_is_no_json_has_an_end() {
        for text in
            ["", "{", "[", "{\"a\"", "{\"a\":", "[1,", "[1 2", "{\"a\" 1}", "[[[[", "\"", "ä"]
        {
            let placed = Placed::of_json(text, 0);
            assert!(placed.bytes.end <= text.len(), "{text}");
            placed.at("a/b[3]", Counted::FromOne);
        }
    }

    #[test]
    fn a_path_leads_into_toml() {
        let text = "[[answer]]\nresponse = { legs = [{ price = 1 },\n { price = 2 }] }\n";
        let table = toml::de::DeTable::parse(text).expect("TOML");
        let placed =
            Placed::of_toml(&Spanned::new(table.span(), DeValue::Table(table.into_inner())));
        let found = placed.at("answer[0]/response/legs[1]/price", Counted::FromZero);
        assert_eq!(of_byte(text, found.bytes.start), (3, 12));
    }
}
