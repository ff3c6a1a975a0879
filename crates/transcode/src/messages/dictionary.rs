//! What a dictionary of FIX says of a message beyond its layout: which fields stand before and behind others, and what
//! characters and months look like.

use std::collections::{HashMap, HashSet};

use trunkline_import::fix::{Dictionary, Message, Of, Part};
use trunkline_wire::Date;

use super::validity::Invalid;
use crate::fix;

/// The fields that every header has, by the standard: SenderCompID, TargetCompID, MsgSeqNum and SendingTime.
pub(super) const OF_HEADER: [u32; 4] = [49, 56, 34, 52];

/// The fields that frame a message, whose places the format has checked.
const FRAME: [u32; 4] = [8, 9, 10, 35];

/// The fields of one message.
#[derive(Debug)]
pub(super) struct Rules {
    header: HashSet<u32>,
    body: HashSet<u32>,
    trailer: HashSet<u32>,
    names: HashMap<u32, String>,
    /// The fields whose types say more than their layout does.
    typed: HashMap<u32, Typed>,
}

/// Types whose values are texts in a layout.
#[derive(Clone, Copy, Debug)]
enum Typed {
    /// `char`.
    Character,
    /// `MonthYear`.
    Month,
}

impl Typed {
    fn of(type_name: &str) -> Option<Self> {
        let is = |name: &str| type_name.trim().eq_ignore_ascii_case(name);
        let of_characters = is("char").then_some(Self::Character);
        of_characters.or_else(|| is("MonthYear").then_some(Self::Month))
    }

    /// What the value is not.
    fn refuses(self, value: &[u8]) -> Option<&'static str> {
        match self {
            // In which code set it is, is not known here: in UTF-8 a character is several bytes.
            Self::Character => {
                (String::from_utf8_lossy(value).chars().count() != 1).then_some("single character")
            }
            Self::Month => {
                (!is_month(value)).then_some("month: YYYYMM, YYYYMMDD or YYYYMMw1 to w5")
            }
        }
    }
}

impl Rules {
    pub(super) fn new(dictionary: &Dictionary, message: &Message) -> Self {
        // In Orchestra, header and trailer are components of each message.
        let named = |part: &&Part| match part.of {
            Some(Of::Component(at)) => Some(&*dictionary.components()[at].name),
            _ => None,
        };
        let of = |own: &[Part], name: &str| {
            let mut tags = Tags::new(dictionary);
            tags.collect(own);
            message.parts.iter().filter(|it| named(it) == Some(name)).for_each(|it| tags.part(it));
            tags.found
        };
        let header = of(dictionary.header(), "StandardHeader");
        let trailer = of(dictionary.trailer(), "StandardTrailer");
        let mut body = Tags::new(dictionary);
        let is_frame = |it: &&Part| matches!(named(it), Some("StandardHeader" | "StandardTrailer"));
        message.parts.iter().filter(|it| !is_frame(it)).for_each(|it| body.part(it));
        let body = body.found;
        let only = |tags: HashSet<u32>| tags.difference(&body).copied().collect();
        let (header, trailer) = (only(header), only(trailer));
        let fields = dictionary.fields().iter();
        let typed = fields.clone().filter_map(|it| Some((it.tag, Typed::of(&it.type_name)?)));
        let (typed, names) = (typed.collect(), fields.map(|it| (it.tag, it.name.clone())));
        Self { header, body, trailer, names: names.collect(), typed }
    }

    /// What is not as the dictionary says in a message as FIX has it; of one that came in another format, whose fields are in
    /// the order in which they are written, it is values alone.
    pub(super) fn check(&self, bytes: &[u8], has_order: bool) -> Vec<Invalid> {
        let mut all = Vec::new();
        let mut add = |tag: u32, rule, what: String| {
            let path = self.names.get(&tag).cloned().unwrap_or_else(|| tag.to_string());
            all.push(Invalid { place: None, path, rule, what });
        };
        let (mut body, mut trailer) = (None, None);
        for field in fix::fields(bytes).map_while(Result::ok) {
            let tag = field.tag;
            if let Some(not) = self.typed.get(&tag).and_then(|it| it.refuses(field.value)) {
                let value = String::from_utf8_lossy(field.value);
                add(tag, "type", format!("{value:?} is no {not}"));
            }
            if !has_order || FRAME.contains(&tag) {
                continue;
            }
            let shown = |tag: u32| match self.names.get(&tag) {
                Some(name) => format!("{name} ({tag})"),
                None => tag.to_string(),
            };
            if self.header.contains(&tag) {
                if let Some(before) = body.or(trailer) {
                    let what = format!("it is of the header, and stands behind {}", shown(before));
                    add(tag, "order", what);
                }
            } else if self.trailer.contains(&tag) {
                trailer = Some(tag);
            } else if self.body.contains(&tag) {
                if let Some(before) = trailer {
                    let what = format!("it is of the body, and stands behind {}", shown(before));
                    add(tag, "order", what);
                }
                body = Some(tag);
            } else if OF_HEADER.contains(&tag) {
                let what = "no dictionary describes the header: name that of the transport, as FIXT11.xml, by --transport";
                add(tag, "header", what.to_owned());
            }
        }
        all
    }
}

/// `YYYYMM`, with a day or a week of the month behind it or not.
fn is_month(value: &[u8]) -> bool {
    match value {
        [month @ .., b'w', b'1'..=b'5'] | month if month.len() == 6 => {
            Date::parse_fix(&[month, b"01"].concat()).is_ok()
        }
        day => day.len() == 8 && Date::parse_fix(day).is_ok(),
    }
}

/// The tags of parts, and of what is in their components and groups.
struct Tags<'a> {
    dictionary: &'a Dictionary,
    found: HashSet<u32>,
    /// What was looked into: it may be in many others.
    seen: HashSet<Of>,
}

impl<'a> Tags<'a> {
    fn new(dictionary: &'a Dictionary) -> Self {
        Self { dictionary, found: HashSet::new(), seen: HashSet::new() }
    }

    fn collect(&mut self, parts: &[Part]) {
        parts.iter().for_each(|it| self.part(it));
    }

    fn part(&mut self, part: &Part) {
        let dictionary = self.dictionary;
        let Some(of) = part.of.filter(|it| self.seen.insert(*it)) else { return };
        match of {
            Of::Field(at) => _ = self.found.insert(dictionary.fields()[at].tag),
            Of::Component(at) => self.collect(&dictionary.components()[at].parts),
            Of::Group(at) => {
                let group = &dictionary.groups()[at];
                let counter = group.counter.map(|it| dictionary.fields()[it].tag);
                self.found.extend(counter);
                self.collect(&group.parts);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_month;

    #[test]
    fn a_month_may_have_a_day_or_a_week() {
        for month in ["202601", "202612", "20260131", "202601w1", "202602w5"] {
            assert!(is_month(month.as_bytes()), "{month}");
        }
        for other in ["", "2026", "202613", "202600", "20260132", "202601w0", "202601w6", "2026w1"]
        {
            assert!(!is_month(other.as_bytes()), "{other}");
        }
        for other in ["202601W1", "202601w11", "2026-01", "02601", "2026011"] {
            assert!(!is_month(other.as_bytes()), "{other}");
        }
    }
}
