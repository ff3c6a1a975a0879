//! A layout as text: one item a line, columns parted by tabs or, where a line has none, by spaces.
//!
//! ```text
//! message    FIXMLMessage  X
//! component  Header        required
//! field      CompID        49   text        required
//! field      SecureData    91   bytes       optional  90
//! end
//! choice     Party         required
//! field      PartyID       448  text        required
//! field      Account       1    i64         required
//! end
//! group      MDInclList    268  MDIncGroup  implied
//! note       xml list unwrapped
//! field      MDEntryType   269  EntryType   required
//! field      Ratios        0    f64[3]      optional
//! end
//! end
//! enumeration EntryType
//! value      Bid           0
//! value      Offer         1
//! end
//! ```
//! The last column of a `field` is the number of its length field; the last of a `value` is its code in
//! FIX. A `component`, `choice` or `group` has one more column where its type has another name than it
//! or its entry. A list of choices is `choices`. Lists of anything else are fields of a type `u32[]`, or
//! `text[4]` for four items. Types may be named: `struct`, `choice` and `enumeration` behind the message
//! say what they are. A name may end in `#2` to tell it from another of the same name. What else a format
//! needs to know stands in lines of its own behind what it is about: `note` about a member or value,
//! `note-type` about the type of what was opened, each with the format, the word and all the rest as what
//! it says, in quotes where that is empty or has blanks at its ends. Empty lines and lines that begin with
//! `#` are passed over.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use crate::schema::{check_name, is_name};
use crate::{
    Body, Field, Holds, Kind, Layout, LayoutBuilder, MemberId, Need, SchemaError, Scope, ScopeId,
    Shape, TypeId, Types,
};

impl Layout {
    /// Reads a listing.
    ///
    /// # Errors
    /// Names the line and what was expected there.
    pub fn from_listing(text: &str) -> Result<Self, SchemaError> {
        let lines = text.lines().enumerate().map(|(number, line)| (number, words(line)));
        let lines: Vec<_> = lines.filter(|(_, words)| !words.is_empty()).collect();
        let Some((first, words)) = lines.first() else {
            return Err(SchemaError("the listing is empty".into()));
        };
        let at = |number: &usize, why: String| SchemaError(format!("line {}: {why}", number + 1));
        let ["message", name, rest @ ..] = &words[..] else {
            return Err(at(first, "expected \"message\" and its name".into()));
        };
        let mut builder = Self::builder(name);
        rest.iter().take(1).for_each(|it| _ = builder.note_type("fix", "message_type", it));
        let named = declare(builder.types(), &lines);
        let noted = Noted { member: false, of: true };
        let mut reader = Reader { builder, named, enumeration: None, ended: false, noted };
        for (number, words) in &lines[1..] {
            reader.line(words).map_err(|why| at(number, why))?;
        }
        if !reader.ended || reader.enumeration.is_some() {
            return Err(SchemaError("an \"end\" is missing at the end of the listing".into()));
        }
        reader.builder.build()
    }
}

/// The columns of a line; none of one that says nothing.
fn words(line: &str) -> Vec<&str> {
    match line.trim() {
        line if line.starts_with('#') => Vec::new(),
        line if line.split_whitespace().next().is_some_and(is_note) => note_words(line),
        line if line.contains('\t') => {
            line.split('\t').map(str::trim).filter(|it| !it.is_empty()).collect()
        }
        line => line.split_whitespace().collect(),
    }
}

fn is_note(word: &str) -> bool {
    matches!(word, "note" | "note-type")
}

/// The columns of a note, of which the last has all the rest of the line.
fn note_words(line: &str) -> Vec<&str> {
    let (mut words, mut rest) = (Vec::new(), line);
    while words.len() < 3 && !rest.is_empty() {
        let (word, behind) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        words.push(word);
        rest = behind.trim_start();
    }
    words.extend(Some(rest).filter(|it| !it.is_empty()));
    words
}

/// What a note says, as a column: in quotes where it could not be read as it is.
fn quoted(value: &str) -> Cow<'_, str> {
    let is_plain = !value.is_empty()
        && value.trim() == value
        && !value.starts_with('"')
        && !value.contains(['\n', '\r']);
    match is_plain {
        true => value.into(),
        false => {
            let escaped = value.replace('\\', r"\\").replace('"', "\\\"");
            format!("\"{}\"", escaped.replace('\n', r"\n").replace('\r', r"\r")).into()
        }
    }
}

/// The other way round.
fn unquoted(column: &str) -> Result<Cow<'_, str>, String> {
    let Some(inside) = column.strip_prefix('"') else { return Ok(column.into()) };
    let wrong = || format!("{column} is not what stands between two quotation marks");
    let inside = inside.strip_suffix('"').ok_or_else(wrong)?;
    let (mut value, mut characters) = (String::new(), inside.chars());
    while let Some(character) = characters.next() {
        value.push(match character {
            '"' => return Err(wrong()),
            '\\' => match characters.next() {
                Some('n') => '\n',
                Some('r') => '\r',
                Some(escaped @ ('"' | '\\')) => escaped,
                _ => return Err(wrong()),
            },
            character => character,
        });
    }
    Ok(value.into())
}

/// Declares the types that are named behind the message, so that any line may refer to them.
fn declare<'a>(types: &mut Types, lines: &[(usize, Vec<&'a str>)]) -> HashMap<&'a str, TypeId> {
    let (mut named, mut depth) = (HashMap::new(), 0);
    for (_, words) in lines {
        match words[..] {
            ["struct" | "choice" | "enumeration", name] if depth == 0 => {
                let plain = name.split('#').next().unwrap_or(name);
                named.insert(name, types.declare(plain));
                depth += 1;
            }
            ["end"] => depth = usize::saturating_sub(depth, 1),
            ["field" | "value" | "note" | "note-type", ..] => {}
            _ => depth += 1,
        }
    }
    named
}

struct Reader<'a> {
    builder: LayoutBuilder,
    named: HashMap<&'a str, TypeId>,
    /// The enumeration that is open, and its values.
    enumeration: Option<(TypeId, Vec<Box<str>>)>,
    /// Is the message's end read?
    ended: bool,
    noted: Noted,
}

/// What notes may be about that stand here: the member that was read last, or a type.
#[derive(Clone, Copy)]
struct Noted {
    member: bool,
    of: bool,
}

impl Noted {
    const NOTHING: Self = Self { member: false, of: false };
}

fn misplaced(kind: &str) -> String {
    match kind {
        "note" => "expected a note behind the member or value that it is about".into(),
        _ => "expected a note-type behind the line that opens what is of the type".into(),
    }
}

impl Reader<'_> {
    fn line(&mut self, words: &[&str]) -> Result<(), String> {
        if is_note(words[0]) {
            return self.note(words);
        }
        if let Some((of, values)) = &mut self.enumeration {
            return match *words {
                ["end"] => {
                    let values = std::mem::take(values);
                    self.builder.types().set_body(*of, Body::Enumeration(values));
                    (self.enumeration, self.noted) = (None, Noted::NOTHING);
                    Ok(())
                }
                ["value", name, ref code @ ..] if code.len() < 2 => {
                    let index = values.len() as u32;
                    values.push(name.into());
                    let member = MemberId { of: *of, index };
                    let notes = self.builder.types().notes();
                    code.iter().for_each(|it| notes.note_member(member, "fix", "code", it));
                    Ok(())
                }
                _ => Err(format!("expected value or end, not {words:?}")),
            };
        }
        let at_top = self.builder.is_at_top();
        self.noted = Noted::NOTHING;
        match *words {
            ["end"] if at_top && !self.ended => self.ended = true,
            [kind @ ("struct" | "choice" | "enumeration"), name] if at_top && self.ended => {
                self.noted.of = true;
                let of = self.named[name];
                match kind {
                    "enumeration" => self.enumeration = Some((of, Vec::new())),
                    _ => self.builder.begin_type(of, kind == "choice"),
                }
            }
            _ if at_top && self.ended => {
                return Err("expected nothing after the message's end but struct, choice and \
                            enumeration"
                    .into());
            }
            _ => {
                let (member, of) = (words[0] != "end", !matches!(words[0], "end" | "field"));
                self.noted = Noted { member, of };
                return self.member(words);
            }
        }
        Ok(())
    }

    fn note(&mut self, words: &[&str]) -> Result<(), String> {
        let [kind, format, word, value] = *words else {
            return Err(format!("a {} has a format, a word and what it says", words[0]));
        };
        let (value, is_of_member) = (unquoted(value)?, kind == "note");
        if let Some((of, values)) = &self.enumeration {
            let notes = self.builder.types().notes();
            match (is_of_member, values.len().checked_sub(1)) {
                (true, Some(last)) => {
                    let member = MemberId { of: *of, index: last as u32 };
                    notes.note_member(member, format, word, &value);
                }
                (false, None) => notes.note_type(*of, format, word, &value),
                _ => return Err(misplaced(kind)),
            }
            return Ok(());
        }
        match is_of_member {
            true if self.noted.member => self.builder.note(format, word, &value),
            false if self.noted.of => self.builder.note_type(format, word, &value),
            _ => return Err(misplaced(kind)),
        };
        Ok(())
    }

    fn member(&mut self, words: &[&str]) -> Result<(), String> {
        let builder = &mut self.builder;
        match *words {
            ["end"] => {
                builder.end();
            }
            [kind @ ("component" | "choice"), name, need, ref rest @ ..] if rest.len() < 2 => {
                let need = read_need(need)?;
                match kind {
                    "choice" => builder.begin_choice(name, need),
                    _ => builder.begin_component(name, need),
                };
                rest.iter().for_each(|type_name| _ = builder.of_type(type_name));
            }
            [kind @ ("group" | "choices"), name, number, entry, need, ref rest @ ..]
                if rest.len() < 2 =>
            {
                let need = read_need(need)?;
                match kind {
                    "choices" => builder.begin_choices(name, entry, need),
                    _ => builder.begin_group(name, entry, need),
                };
                note_number(builder, "tag", number)?;
                if let [type_name] = rest {
                    check_name(entry).map_err(|error| error.to_string())?;
                    builder.of_type(type_name).note("xml", "entry", entry);
                }
            }
            ["field", name, number, of, need, ref rest @ ..] if rest.len() < 2 => {
                let need = read_need(need)?;
                let of = self.type_named(of).ok_or_else(|| format!("{of:?} is not a kind"))?;
                self.builder.member(name, of, need);
                note_number(&mut self.builder, "tag", number)?;
                for length in rest {
                    note_number(&mut self.builder, "length", length)?;
                }
            }
            ["field", name, ..] => return Err(format!("field {name} has not five or six columns")),
            _ => {
                let known = "component, choice, group, choices, field or end";
                return Err(format!("expected {known}, not {words:?}"));
            }
        }
        Ok(())
    }

    /// `u32`, `Side`, `text[]`, `f64[3]`, `Leg[][]`.
    fn type_named(&mut self, word: &str) -> Option<TypeId> {
        if let Some(list) = word.strip_suffix(']') {
            let (item, count) = list.rsplit_once('[')?;
            let fixed = match count {
                "" => None,
                count => Some(count.parse().ok().filter(|it| *it > 0)?),
            };
            let of = self.type_named(item)?;
            return Some(self.builder.types().list(of, fixed));
        }
        match self.named.get(word) {
            Some(known) => Some(*known),
            None => Kind::named(word).map(|kind| self.builder.types().scalar(kind)),
        }
    }
}

/// Numbers are FIX's; 0 stands for none.
fn note_number(builder: &mut LayoutBuilder, word: &str, number: &str) -> Result<(), String> {
    let known: u32 = number.parse().map_err(|_| format!("{number:?} is not a field number"))?;
    if known != 0 {
        builder.note("fix", word, &known.to_string());
    }
    Ok(())
}

fn read_need(word: &str) -> Result<Need, String> {
    match word {
        "required" => Ok(Need::Required),
        "optional" => Ok(Need::Optional),
        "implied" => Ok(Need::Implied),
        _ => Err(format!("expected required, optional or implied, not {word:?}")),
    }
}

impl Layout {
    /// Writes the layout as a listing.
    pub fn listing(&self) -> String {
        let (out, named, recursive) = (String::new(), Vec::new(), self.schema().recursive());
        let mut writer = Writer { layout: self, out, named, recursive };
        let root = self.scopes()[0].of;
        let message_type = self.notes().of_type(root, "fix", "message_type");
        let _ = writeln!(writer.out, "message\t{}\t{}", self.name(), message_type.unwrap_or(""));
        writer.notes_of_type(root, &[("fix", "message_type")]);
        writer.scope(ScopeId(0));
        writer.out.push_str("end\n");
        // More may be named while these are written.
        let mut next = 0;
        while let Some(named) = writer.named.get(next) {
            writer.named(named.clone());
            next += 1;
        }
        writer.out
    }
}

/// A type that is written behind the message.
#[derive(Clone)]
struct Named {
    of: TypeId,
    name: String,
    /// Of a struct or choice.
    scope: Option<ScopeId>,
}

struct Writer<'a> {
    layout: &'a Layout,
    out: String,
    named: Vec<Named>,
    /// Those that hold themselves.
    recursive: HashSet<TypeId>,
}

impl Writer<'_> {
    fn named(&mut self, Named { of, name, scope }: Named) {
        match scope {
            Some(id) => {
                let is_choice = self.layout.scope(id).shape == Shape::Choice;
                let kind = if is_choice { "choice" } else { "struct" };
                let _ = writeln!(self.out, "{kind}\t{name}");
                self.notes_of_type(of, &[]);
                self.scope(id);
            }
            None => {
                let _ = writeln!(self.out, "enumeration\t{name}");
                self.notes_of_type(of, &[]);
                for (index, value) in self.layout.schema().values(of).iter().enumerate() {
                    let member = MemberId { of, index: index as u32 };
                    let code = self.layout.notes().of_member(member, "fix", "code");
                    let code = code.map(|it| format!("\t{it}")).unwrap_or_default();
                    let _ = writeln!(self.out, "value\t{value}{code}");
                    self.notes_of_member(member, &[("fix", "code")]);
                }
            }
        }
        self.out.push_str("end\n");
    }

    /// How a type that stands behind the message is called there.
    fn name_of(&mut self, of: TypeId, scope: Option<ScopeId>) -> String {
        if let Some(known) = self.named.iter().find(|it| it.of == of) {
            return known.name.clone();
        }
        let plain = &self.layout.schema().type_of(of).name;
        let is_taken =
            |name: &str| Kind::named(name).is_some() || self.named.iter().any(|it| it.name == name);
        let mut name = plain.to_string();
        let mut count = 1;
        while is_taken(&name) {
            count += 1;
            name = format!("{plain}#{count}");
        }
        self.named.push(Named { of, name: name.clone(), scope });
        name
    }

    fn scope(&mut self, id: ScopeId) {
        let layout = self.layout;
        let scope = layout.scope(id);
        let mut open: Vec<usize> = Vec::new();
        let mut next = 0;
        for index in 0..=scope.fields.len() {
            while open.last().is_some_and(|&it| scope.components[it].fields.end <= index) {
                open.pop();
                self.out.push_str("end\n");
            }
            while scope.components.get(next).is_some_and(|it| it.fields.start == index) {
                self.component(scope, next);
                open.push(next);
                if scope.components[next].fields.is_empty() {
                    open.pop();
                    self.out.push_str("end\n");
                }
                next += 1;
            }
            if let Some(field) = scope.fields.get(index) {
                self.field(id, field);
            }
        }
    }

    fn component(&mut self, scope: &Scope, index: usize) {
        let it = &scope.components[index];
        let kind = if it.is_choice { "choice" } else { "component" };
        let _ = write!(self.out, "{kind}\t{}\t{}", it.name, need_name(it.need));
        self.type_column(&it.type_name, &it.name);
        self.notes_of_member(it.member, &[]);
        let members = self.layout.schema().members(it.member.of);
        self.notes_of_type(members[it.member.index as usize].of, &[]);
    }

    /// Those about a member that no column has.
    fn notes_of_member(&mut self, of: MemberId, columns: &[(&str, &str)]) {
        let layout = self.layout;
        self.notes("note", layout.notes().all_of_member(of), columns);
    }

    /// Those about a type, likewise.
    fn notes_of_type(&mut self, of: TypeId, columns: &[(&str, &str)]) {
        let layout = self.layout;
        self.notes("note-type", layout.notes().all_of_type(of), columns);
    }

    fn notes<'n>(
        &mut self,
        kind: &str,
        notes: impl Iterator<Item = (&'n str, &'n str, &'n str)>,
        columns: &[(&str, &str)],
    ) {
        for (format, word, value) in notes.filter(|it| !columns.contains(&(it.0, it.1))) {
            let _ = writeln!(self.out, "{kind}\t{format}\t{word}\t{}", quoted(value));
        }
    }

    /// The last column of a component, choice or group, and the line's end.
    fn type_column(&mut self, type_name: &str, name: &str) {
        if type_name != name {
            let _ = write!(self.out, "\t{type_name}");
        }
        self.out.push('\n');
    }

    fn field(&mut self, around: ScopeId, field: &Field) {
        let layout = self.layout;
        let (name, need) = (&field.name, need_name(field.need));
        let note = |format, word| layout.notes().of_member(field.member, format, word);
        let tag = note("fix", "tag").unwrap_or("0");
        let nested = field.holds.scope().filter(|inner| self.is_nested(around, field, *inner));
        let Some(inner) = nested else {
            let of = self.type_of(field);
            let _ = write!(self.out, "field\t{name}\t{tag}\t{of}\t{need}");
            if let Some(length) = note("fix", "length") {
                let _ = write!(self.out, "\t{length}");
            }
            self.out.push('\n');
            self.notes_of_member(field.member, &[("fix", "tag"), ("fix", "length")]);
            return;
        };
        let scope = layout.scope(inner);
        let is_choice = scope.shape == Shape::Choice;
        let type_name = &scope.name;
        if let Holds::Struct(_) = field.holds {
            let kind = if is_choice { "choice" } else { "component" };
            let _ = write!(self.out, "{kind}\t{name}\t{need}");
            self.type_column(type_name, name);
            self.notes_of_member(field.member, &[]);
        } else {
            let kind = if is_choice { "choices" } else { "group" };
            let entry = note("xml", "entry").filter(|it| is_name(it));
            let columns = [("fix", "tag"), ("xml", "entry")];
            let columns = if entry.is_some() { &columns[..] } else { &columns[..1] };
            let entry = entry.unwrap_or(type_name);
            let _ = write!(self.out, "{kind}\t{name}\t{tag}\t{entry}\t{need}");
            self.type_column(type_name, entry);
            self.notes_of_member(field.member, columns);
        }
        self.notes_of_type(scope.of, &[]);
        self.scope(inner);
        self.out.push_str("end\n");
    }

    /// Is what the field holds written inside it, and not by its name? Not what holds itself, items that
    /// are no structs, or lists of so many.
    fn is_nested(&self, around: ScopeId, field: &Field, inner: ScopeId) -> bool {
        let scope = self.layout.scope(inner);
        let is_first = scope.place.is_some_and(|(at, position)| {
            at == around && std::ptr::eq(&self.layout.scope(at).fields[position], field)
        });
        let is_recursive = self.recursive.contains(&scope.of);
        is_first && scope.shape != Shape::Item && field.fixed.is_none() && !is_recursive
    }

    fn type_of(&mut self, field: &Field) -> String {
        let list = |item: String| crate::types::list_name(&item, field.fixed).into();
        match field.holds {
            Holds::Value(kind) => kind.name().into(),
            Holds::List(kind) => list(kind.name().into()),
            Holds::Enumeration(of) => self.name_of(of, None),
            Holds::Struct(scope) => self.name_of(self.layout.scope(scope).of, Some(scope)),
            Holds::Group(scope) => {
                let inner = self.layout.scope(scope);
                list(match inner.shape {
                    Shape::Item => self.type_of(&inner.fields[0]),
                    Shape::Struct | Shape::Choice => self.name_of(inner.of, Some(scope)),
                })
            }
        }
    }
}

fn need_name(need: Need) -> &'static str {
    match need {
        Need::Required => "required",
        Need::Optional => "optional",
        Need::Implied => "implied",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTING: &str = "message\tOrder\tD
component\tHeader\trequired
field\tSender\t49\ttext\trequired
component\tInner\timplied
field\tData\t91\tbytes\toptional\t90
end
end
field\tPrices\t0\tf64[]\toptional
group\tLegs\t555\tLeg\timplied
component\tInstrument\trequired
field\tSymbol\t600\ttext\trequired
end
field\tSide\t624\tcode\toptional
end
field\tQuantity\t38\tu32\trequired
end
";

    #[test]
    fn a_listing_survives_the_round_trip() {
        let layout = Layout::from_listing(LISTING).unwrap();
        assert_eq!(layout.listing(), LISTING);
        assert_eq!(layout.scopes().len(), 2);
        assert_eq!(layout.scopes()[0].components[1].parent, Some(0));
        assert_eq!(layout.scopes()[0].components[0].fields, 0..2);
    }

    #[test]
    fn a_type_of_another_name_is_listed() {
        let listing = LISTING
            .replace("Instrument\trequired", "Instrument\trequired\tLegInstrument")
            .replace("Leg\timplied", "Leg\timplied\tOrderLeg");
        let layout = Layout::from_listing(&listing).unwrap();
        assert_eq!(layout.listing(), listing);
        assert_eq!(&*layout.scopes()[1].name, "OrderLeg");
        assert_eq!(&*layout.scopes()[1].components[0].type_name, "LegInstrument");
        assert_eq!(&*layout.scopes()[0].components[0].type_name, "Header");
        let legs = layout.field_of(ScopeId(1)).unwrap();
        assert_eq!(layout.notes().of_member(legs.member, "xml", "entry"), Some("Leg"));
    }

    #[test]
    fn errors_name_the_line() {
        let wrong = LISTING.replace("624\tcode", "624\tcolour");
        let error = Layout::from_listing(&wrong).unwrap_err();
        assert_eq!(error.to_string(), "line 13: \"colour\" is not a kind");
        let open = LISTING.replace("\nend\nend", "\nend");
        assert!(Layout::from_listing(&open).unwrap_err().to_string().contains("is missing"));
        let more = format!("{LISTING}end\n");
        let error = Layout::from_listing(&more).unwrap_err().to_string();
        let why = "expected nothing after the message's end but struct, choice and enumeration";
        assert_eq!(error, format!("line 17: {why}"));
    }

    const NOTED: &str = "message\tOrder\tD
note-type\txml\tnamespace\turn:a b
field\tTags\t0\ttext[]\timplied
note\txml\tlist\tunwrapped
note\txml\tentry\ttag
component\tParty\trequired
note\txml\tname\tparty
note-type\txml\tform\tqualified
field\tId\t448\ttext\trequired
note\txml\tnamespace\t\"\"
end
choice\tPrice\trequired\tAmount
note-type\tcdr\tswitch\tchar
field\tLimit\t44\tdecimal\trequired
note\tcdr\tlabel\t\" \"
field\tStop\t99\tdecimal\trequired
note\tcdr\tlabel\t\"\\\"\"
end
group\tLegs\t555\tLeg\timplied
note\txml\tlist\tunwrapped
field\tSide\t624\tSide\toptional
field\tNext\t0\tFolder\toptional
end
end
enumeration\tSide
value\tBuy\t1
note\tother\tword\t\"\\\\a\\n\"
end
struct\tFolder
note-type\txml\tnamespace\turn:b
field\tNext\t0\tFolder\toptional
note\txml\tnillable\ttrue
end
";

    #[test]
    fn notes_stand_behind_what_they_are_about() {
        let layout = Layout::from_listing(NOTED).unwrap();
        assert_eq!(layout.listing(), NOTED);
        let of_field = |scope: usize, field: usize, format, word| {
            let member = layout.scopes()[scope].fields[field].member;
            layout.notes().of_member(member, format, word)
        };
        assert_eq!(of_field(0, 0, "xml", "list"), Some("unwrapped"));
        assert_eq!(of_field(0, 1, "xml", "namespace"), Some(""));
        assert_eq!(of_field(0, 2, "cdr", "label"), Some(" "));
        assert_eq!(of_field(0, 3, "cdr", "label"), Some("\""));
        let root = layout.schema().root();
        assert_eq!(layout.notes().of_type(root, "xml", "namespace"), Some("urn:a b"));
        // In columns that are parted by blanks, too.
        let plain = NOTED.replace('\t', "  ");
        assert_eq!(Layout::from_listing(&plain).unwrap().listing(), NOTED);
    }

    #[test]
    fn a_note_that_is_about_nothing_is_rejected() {
        let rejected = |from: &str, to: &str| {
            let error = Layout::from_listing(&NOTED.replacen(from, to, 1)).unwrap_err();
            error.to_string()
        };
        let of_member = "expected a note behind the member or value that it is about";
        let of_type = "expected a note-type behind the line that opens what is of the type";
        let behind = |line: &str| format!("{line}\nnote\txml\tname\ta\n");
        assert_eq!(rejected("Order\tD\n", &behind("Order\tD")), format!("line 2: {of_member}"));
        let after = "end\nnote\txml\tname\ta\nchoice";
        assert_eq!(rejected("end\nchoice", after), format!("line 12: {of_member}"));
        let after = "end\nnote-type\txml\tform\tqualified\nchoice";
        assert_eq!(rejected("end\nchoice", after), format!("line 12: {of_type}"));
        let field = "field\tTags\t0\ttext[]\timplied\nnote-type\txml\tform\tqualified";
        assert_eq!(
            rejected("field\tTags\t0\ttext[]\timplied", field),
            format!("line 4: {of_type}")
        );
        let few = rejected("note\txml\tlist\tunwrapped", "note\txml\tlist");
        assert_eq!(few, "line 4: a note has a format, a word and what it says");
        let open = rejected("namespace\t\"\"", "namespace\t\"a");
        assert!(open.starts_with("line 10: \"a is not what stands between"), "{open}");
    }
}
