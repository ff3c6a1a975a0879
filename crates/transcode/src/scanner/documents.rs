//! Where documents of XML begin in a text, and which of them are whole.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use memchr::{memchr, memchr_iter, memchr2, memchr3, memmem};

use super::tag_value::fix_begins;

/// The longest name of an element by which a document begins in a log.
pub(super) const LONGEST_NAME: usize = 100;

/// Elements that are open at once. Many that are cut stay open, so that the first are forgotten; what nests deeper is not read.
const MOST_OPEN: usize = 1 << 16;

const COMMENT: (&[u8], &[u8]) = (b"<!--", b"-->");
const INSTRUCTION: (&[u8], &[u8]) = (b"<?", b"?>");
const CHARACTERS: (&[u8], &[u8]) = (b"<![CDATA[", b"]]>");

/// What hides tags, by how it begins and ends.
const HIDING: [(&[u8], &[u8]); 3] = [COMMENT, INSTRUCTION, CHARACTERS];

/// Does a document begin at this `<`: with a declaration, or an envelope? `None` if its name may go on.
pub(super) fn is_begin(rest: &[u8]) -> Option<bool> {
    let is_end = |it: &u8| matches!(it, b' ' | b'<' | b'>' | b'\t' | b'/' | b'\r' | b'\n');
    let head = &rest[1..rest.len().min(LONGEST_NAME + 2)];
    match head.iter().position(is_end) {
        Some(end) => Some(is_known(&head[..end])),
        None if rest.len() > LONGEST_NAME + 1 => Some(false),
        None => None,
    }
}

fn is_known(name: &[u8]) -> bool {
    name == b"?xml" || name == b"Envelope" || name.ends_with(b":Envelope")
}

/// Where a document begins in this part of a text, whose last name may be whole.
pub(super) fn document_begins(text: &[u8], part: Range<usize>, is_whole: bool) -> Option<usize> {
    let from = part.start;
    let begins = memchr_iter(b'<', text.get(part).unwrap_or_default()).map(|it| from + it);
    let mut begins = begins.filter(|at| {
        let rest = &text[*at..];
        is_begin(rest).unwrap_or_else(|| is_whole && is_known(&rest[1..]))
    });
    begins.next()
}

/// Does another message begin on a line of a document behind its first?
pub(super) fn holds_others(document: &[u8]) -> bool {
    let Some(newline) = memchr(b'\n', document) else { return false };
    let behind = &document[newline..];
    fix_begins(behind, 0).is_some()
        || memmem::find(behind, b"\n{").is_some()
        || document_begins(behind, 0..behind.len(), true).is_some()
}

/// What stands behind comments, processing instructions and blanks. Behind one declaration stands no other.
pub(super) fn behind_prolog(bytes: &[u8]) -> &[u8] {
    let mut rest = bytes.trim_ascii_start();
    let mut is_first = true;
    loop {
        let length = if let Some(inside) = rest.strip_prefix(COMMENT.0) {
            // There are no two hyphens in a comment, so that not all that follows is searched.
            let end = memmem::find(inside, b"--").map(|it| COMMENT.0.len() + it);
            end.filter(|it| rest[*it..].starts_with(COMMENT.1)).map(|it| it + COMMENT.1.len())
        } else if rest.starts_with(INSTRUCTION.0) && (is_first || is_begin(rest) != Some(true)) {
            instruction(rest)
        } else {
            None
        };
        let Some(length) = length else { return rest };
        rest = rest[length..].trim_ascii_start();
        is_first = false;
    }
}

/// How long the processing instruction is that begins here. None begins in another, so that not all that follows is searched.
fn instruction(rest: &[u8]) -> Option<usize> {
    for at in memchr_iter(b'?', rest).skip(1) {
        if rest.get(at + 1) == Some(&b'>') {
            return Some(at + INSTRUCTION.1.len());
        }
        if rest[at - 1] == b'<' {
            return None;
        }
    }
    None
}

/// What becomes of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It ends behind so many bytes.
    Whole(usize),
    /// It may go on.
    Open,
    /// What follows is not part of it.
    Cut,
}

/// Follows all documents that begin in a text, in one pass over it, so that each byte is looked at once, however many of them
/// are cut and seem to go on up to the end. A stack has the elements that are open; those that begin documents are known in it.
/// The end tag of such an element makes its document whole. What can stand in no document, such as another end tag or a `<`
/// in a tag, cuts those in which it stands. What begins in a comment, a processing instruction or CDATA may be a document
/// too, if the one around it is cut: then it ends before that does.
#[derive(Debug, Default)]
pub(super) struct Documents {
    /// What is before this place of the input was looked at.
    at: u64,
    /// Elements that are open, by their places.
    open: VecDeque<Element>,
    /// What hides tags and is open, for each of [`HIDING`]: where that begins which it hides. What stands before it is not hidden.
    hiding: [VecDeque<u64>; 3],
    /// The tag in which this place is, of the last element that is open.
    tag: Option<Tag>,
    /// Behind the last of what hides tags.
    text: u64,
    /// Where documents end that are whole, by their beginnings.
    whole: BTreeMap<u64, u64>,
}

#[derive(Clone, Copy, Debug)]
struct Element {
    /// Its start tag.
    at: u64,
    /// Where the document begins whose element it is, if it is one's.
    document: Option<u64>,
    /// Its start tag did not come yet: there is a declaration.
    is_declaration: bool,
}

#[derive(Clone, Copy, Debug)]
struct Tag {
    at: u64,
    /// It is in a value that ends with this.
    quote: Option<u8>,
}

impl Documents {
    /// What becomes of the document that begins at this place of the input, with this text. Places come in their order.
    pub(super) fn fate(&mut self, begin: u64, text: &[u8]) -> Fate {
        if begin >= self.at {
            *self = Self { at: begin, ..Self::default() };
        }
        self.forget_before(begin);
        while self.is_open(begin) {
            if !self.step(begin, text) {
                break;
            }
        }
        match self.whole.get(&begin) {
            Some(end) => Fate::Whole((end - begin) as usize),
            None if self.is_open(begin) => Fate::Open,
            None => Fate::Cut,
        }
    }

    fn forget_before(&mut self, begin: u64) {
        while self.open.front().is_some_and(|it| it.at < begin) {
            self.open.pop_front();
        }
        self.forget_hiding_before(begin);
        while self.whole.first_key_value().is_some_and(|it| *it.0 < begin) {
            self.whole.pop_first();
        }
    }

    fn forget_hiding_before(&mut self, begin: u64) {
        for hiding in &mut self.hiding {
            while hiding.front().is_some_and(|it| *it < begin) {
                hiding.pop_front();
            }
        }
    }

    /// May it go on? No element before it is known any more.
    fn is_open(&self, begin: u64) -> bool {
        let is_its = |it: &Element| it.at == begin || it.document == Some(begin);
        self.at == begin || self.open.front().is_some_and(is_its)
    }

    /// Goes on behind the next character of markup, if that is there.
    fn step(&mut self, begin: u64, text: &[u8]) -> bool {
        let from = (self.at - begin) as usize;
        let rest = text.get(from..).unwrap_or_default();
        let found = match self.tag {
            None => memchr2(b'<', b'>', rest),
            Some(Tag { quote: Some(quote), .. }) => memchr3(b'<', b'>', quote, rest),
            Some(_) => rest.iter().position(|it| matches!(it, b'<' | b'>' | b'"' | b'\'')),
        };
        let at = from + found.unwrap_or(rest.len());
        self.at = begin + at as u64;
        match text.get(at) {
            None => {
                self.before_element(begin, &text[..at]);
                false
            }
            Some(b'<') => self.opens(begin, text, at),
            Some(b'>') => self.closes(begin, text, at),
            Some(quote) => {
                self.at += 1;
                if let Some(tag) = &mut self.tag {
                    tag.quote = if tag.quote.is_none() { Some(*quote) } else { None };
                }
                true
            }
        }
    }

    /// Between a declaration and the document's element, where this text ends, are blanks.
    fn before_element(&mut self, begin: u64, text: &[u8]) {
        if self.is_declared() {
            let between = &text[(self.text - begin) as usize..];
            match between.trim_ascii().is_empty() {
                true => self.text = begin + text.len() as u64,
                false => self.cut(),
            }
        }
    }

    /// At a `<`. False if it is not known yet what it begins.
    fn opens(&mut self, begin: u64, text: &[u8], at: usize) -> bool {
        if self.tag.is_some() {
            // No tag holds one, nor does a value.
            self.cut();
        }
        self.before_element(begin, &text[..at]);
        let (here, rest) = (self.at, &text[at..]);
        let hiding = HIDING.iter().position(|it| rest.starts_with(it.0));
        let is_begin = is_begin(rest);
        let may_hide = HIDING.iter().any(|it| it.0.starts_with(rest));
        if may_hide || is_begin.is_none() && !matches!(hiding, Some(0 | 2)) {
            return false;
        }
        let is_begin = is_begin == Some(true) || at == 0;
        if let Some(kind) = hiding {
            let is_instruction = HIDING[kind] == INSTRUCTION;
            let is_declaration = is_begin && is_instruction;
            if is_declaration || HIDING[kind] == CHARACTERS && self.is_declared() {
                self.cut();
            }
            if is_declaration {
                self.push(Element { at: here, document: Some(here), is_declaration });
            }
            self.at += HIDING[kind].0.len() as u64;
            self.hide(kind);
            return true;
        }
        self.at += 1;
        match rest[1] {
            b'/' if self.is_declared() => self.cut(),
            b'/' if self.is_in_document() => self.tag = Some(Tag { at: here, quote: None }),
            b'/' => {}
            byte if !begins_name(byte) => self.cut(),
            _ if is_begin || self.is_in_document() => {
                let declared = if self.is_declared() { self.open.pop_back() } else { None };
                let document = declared.and_then(|it| it.document).or(is_begin.then_some(here));
                self.push(Element { at: here, document, is_declaration: false });
                self.tag = Some(Tag { at: here, quote: None });
            }
            _ => {}
        }
        true
    }

    /// At a `>`. False if it is not known yet what it ends.
    fn closes(&mut self, begin: u64, text: &[u8], at: usize) -> bool {
        let behind = self.at + 1;
        for (kind, (opener, end)) in HIDING.into_iter().enumerate() {
            let all = &self.hiding[kind];
            let (Some(first), Some(last)) = (all.front().copied(), all.back().copied()) else {
                continue;
            };
            if last + end.len() as u64 > behind || !text[..=at].ends_with(end) {
                continue;
            }
            let next = &text[at + 1..];
            let mut hiding = last;
            if let Some(before_last) = all.iter().rev().nth(1).copied() {
                // In CDATA that quotes other, the end of that is written in two parts. Else the first is cut in its CDATA, and
                // this is the end of the last.
                match next.starts_with(opener) {
                    true => hiding = first,
                    false if opener.starts_with(next) => return false,
                    false => self.cut_up_to(kind, before_last),
                }
            }
            self.cut_from(hiding);
            (self.text, self.at) = (behind, behind);
            return true;
        }
        self.at = behind;
        if let Some(Tag { at: start, quote: None }) = self.tag {
            self.tag = None;
            self.tag_ends(begin, text, &text[(start - begin) as usize + 1..at]);
        }
        true
    }

    fn tag_ends(&mut self, begin: u64, text: &[u8], tag: &[u8]) {
        let Some(element) = self.open.back().copied() else { return };
        let is_end = match tag.strip_prefix(b"/") {
            Some(ended) => {
                let name = &text[(element.at - begin) as usize + 1..];
                let rest = name.strip_prefix(ended.trim_ascii_end());
                let is_same = rest.and_then(<[u8]>::first).is_some_and(|it| !is_of_name(*it));
                if !is_same {
                    return self.cut();
                }
                true
            }
            None => tag.ends_with(b"/"),
        };
        if is_end {
            self.open.pop_back();
            if let Some(document) = element.document {
                self.whole.insert(document, self.at);
                self.whole.insert(element.at, self.at);
            }
        }
    }

    fn push(&mut self, element: Element) {
        if self.open.len() >= MOST_OPEN {
            self.open.pop_front();
            let first = self.open.front().map_or(element.at, |it| it.at);
            self.forget_hiding_before(first);
        }
        self.open.push_back(element);
    }

    /// What hides tags begins before this place. It stands in no other of its kind, but CDATA may quote CDATA.
    fn hide(&mut self, kind: usize) {
        if let Some(around) = self.hiding[kind].back().copied()
            && HIDING[kind] != CHARACTERS
        {
            self.cut_up_to(kind, around);
        }
        if self.is_in_document() {
            self.hiding[kind].push_back(self.at);
        }
    }

    /// Where that begins in which this place is hidden.
    fn hidden_from(&self) -> u64 {
        self.hiding.iter().filter_map(VecDeque::back).max().copied().unwrap_or(0)
    }

    /// The last element that is open, if it is not hidden from here.
    fn last(&self) -> Option<&Element> {
        self.open.back().filter(|it| it.at >= self.hidden_from())
    }

    fn is_in_document(&self) -> bool {
        self.last().is_some()
    }

    fn is_declared(&self) -> bool {
        self.last().is_some_and(|it| it.is_declaration)
    }

    /// The documents in which this place is not hidden are cut.
    fn cut(&mut self) {
        self.tag = None;
        let from = self.hidden_from();
        while self.open.back().is_some_and(|it| it.at >= from) {
            self.open.pop_back();
        }
    }

    /// What begins from there on is cut.
    fn cut_from(&mut self, place: u64) {
        self.tag = None;
        while self.open.back().is_some_and(|it| it.at >= place) {
            self.open.pop_back();
        }
        for hiding in &mut self.hiding {
            while hiding.back().is_some_and(|it| *it >= place) {
                hiding.pop_back();
            }
        }
    }

    /// What begins before what hides tags by this kind, up to this place, is cut, and that with it. It is quoted, if something of
    /// another kind hides it, and says nothing about what is around that.
    fn cut_up_to(&mut self, kind: usize, place: u64) {
        while let Some(first) = self.hiding[kind].front().copied().filter(|it| *it <= place) {
            let (mut outer, mut inner) = (0, u64::MAX);
            for (_, all) in self.hiding.iter().enumerate().filter(|it| it.0 != kind) {
                let before = all.partition_point(|it| *it < first);
                outer = outer.max(before.checked_sub(1).map_or(0, |it| all[it]));
                inner = inner.min(all.get(before).copied().unwrap_or(u64::MAX));
            }
            let own = &mut self.hiding[kind];
            let mut last = first;
            while let Some(next) = own.front().copied().filter(|it| *it <= place.min(inner)) {
                last = next;
                own.pop_front();
            }
            let from = self.open.partition_point(|it| it.at < outer);
            let to = self.open.partition_point(|it| it.at < last);
            // Only the fewer of those before and behind them move.
            self.open.drain(from..to);
        }
    }
}

pub(super) fn is_of_name(byte: u8) -> bool {
    !matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b'/' | b'>')
}

pub(super) fn begins_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b':') || !byte.is_ascii()
}

#[cfg(test)]
mod tests;
