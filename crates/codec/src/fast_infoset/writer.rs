//! Fast Infoset as an infoset, to write.

mod beginning;
mod elements;
mod opening;
mod output;
mod values;

use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering};

use trunkline_message::{Error, ErrorKind, Result};
use trunkline_wire::{Decimal, Float, Integer, Output, Window, write_float};

use self::beginning::Beginning;
use self::output::Octets;
use super::algorithm::Algorithm;
use super::sender::{Key, Mark, NameTable, Sender, push, string};
use super::vocabulary::{Counters, Span, Table, VocabularyLimits, VocabularySize};
use super::{END, HEADER, TWO_ENDS, characters};
use crate::infoset::{self, KnownName, KnownOpening, KnownStep, Name, Writer as _};

/// The encoding of the characters of strings that are written in full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8.
    #[default]
    Utf8,
    /// UTF-16, in the order of the network. Names are in UTF-8 even so.
    Utf16,
}

/// How a [`Writer`] writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriterOptions {
    /// The encoding of texts and values.
    pub encoding: Encoding,
    /// Are texts of digits and signs, and dates and times, packed by restricted alphabets where they are not
    /// indexes? This takes half of their room, and somewhat longer.
    pub alphabets: bool,
    /// The most characters of a value that may become an entry of the vocabulary.
    pub longest_entry: usize,
    /// How many entries of a sequence's vocabulary may wait for their first use. More may once so many are
    /// in use; beyond that, a value becomes an entry when it comes the second time.
    pub idle_entries: usize,
    /// From when on no more values are added. Names that are new are added all the same, since the format has no
    /// form for others: see [`Writer::is_full`].
    pub vocabulary: VocabularyLimits,
}

impl Default for WriterOptions {
    fn default() -> Self {
        Self {
            encoding: Encoding::Utf8,
            alphabets: false,
            longest_entry: 31,
            idle_entries: 4096,
            vocabulary: VocabularyLimits { bytes: 1 << 20, entries: 1 << 16 },
        }
    }
}

/// Writes documents, either each by itself or a sequence of them on one vocabulary.
///
/// In a sequence, a value becomes an entry when it comes the first time, which takes no octet more, as long as
/// entries are worth their room: see [`WriterOptions::idle_entries`]. The format has no word for forgetting those that
/// never come again.
#[derive(Debug)]
pub struct Writer {
    options: WriterOptions,
    retains: bool,
    out: Output,
    sender: Sender,
    /// What documents begin with, but for the header, and was it written in the sequence?
    beginning: Option<Beginning>,
    is_stated: bool,
    /// A number that no other writer has.
    number: u64,
    /// The vocabulary at the beginning of the document, if that is not finished.
    begun: Option<Mark>,
    /// Ends that were not written yet, since two of them share an octet.
    ends: usize,
    pending: Start,
    in_tag: bool,
    /// How many elements are open.
    depth: usize,
    /// Declarations in force, for elements that come as XML; for each open element that has some, which one it is
    /// by its depth, how many there are outside, and how long their text is.
    scope: Vec<[Span; 2]>,
    scope_text: String,
    scopes: Vec<[usize; 3]>,
    /// Hashes of values that came once in a sequence.
    once: Vec<u32>,
    /// Memory for strings in other forms.
    packed: Vec<u8>,
    counters: Counters,
    /// How many values were no entry, but may become one when they come again.
    undecided: u64,
    failed: Option<Error>,
}

/// The start of an element, as far as it is known.
#[derive(Debug, Default)]
struct Start {
    /// Strings of what follows.
    text: String,
    octets: Vec<u8>,
    name: NameForm,
    /// The number that its name is known by.
    known: Option<u32>,
    declarations: Vec<[Span; 2]>,
    attributes: Vec<(NameForm, ValueForm)>,
}

/// A name that is to be written.
#[derive(Clone, Copy, Debug)]
enum NameForm {
    Index(usize),
    Literal([Span; 3]),
}

impl Default for NameForm {
    fn default() -> Self {
        Self::Index(0)
    }
}

/// The value of an attribute that is to be written.
#[derive(Clone, Copy, Debug)]
enum ValueForm {
    Text(Span),
    /// The octets of an algorithm: from where on, and how many.
    Octets(Algorithm, usize, usize),
}

impl Writer {
    /// Of documents that stand by themselves.
    pub fn stateless(options: WriterOptions) -> Self {
        Self::new(options, false)
    }

    /// Of a sequence of documents, which its receiver reads all and in their order.
    pub fn retaining(options: WriterOptions) -> Self {
        Self::new(options, true)
    }

    fn new(options: WriterOptions, retains: bool) -> Self {
        let mut sender = Sender::default();
        sender.reset();
        Self {
            options,
            retains,
            out: Output::new(),
            sender,
            beginning: None,
            is_stated: false,
            number: next_number(),
            begun: None,
            ends: 0,
            pending: Start::default(),
            in_tag: false,
            scope: Vec::new(),
            scope_text: String::new(),
            depth: 0,
            scopes: Vec::new(),
            once: if retains { vec![0; values::ONCE] } else { Vec::new() },
            packed: Vec::new(),
            counters: Counters::default(),
            undecided: 0,
            failed: None,
        }
    }

    /// Begins a document. One that was begun and not finished never was: its entries are forgotten.
    pub fn begin(&mut self) {
        match (self.begun.take(), &self.beginning) {
            (_, Some(beginning)) if !self.retains => self.sender.go_back(&beginning.mark),
            (_, None) if !self.retains => self.sender.reset(),
            (Some(mark), _) => self.sender.go_back(&mark),
            (None, _) => {}
        }
        self.begun = Some(self.sender.mark());
        self.out.clear();
        match &self.beginning {
            Some(beginning) if !self.is_stated => self.out.put_all(&beginning.octets),
            _ => {
                self.out.put(HEADER);
                self.out.put([0]);
            }
        }
        (self.ends, self.in_tag, self.failed) = (0, false, None);
        self.depth = 0;
        self.scope.clear();
        self.scope_text.clear();
        self.scopes.clear();
    }

    /// Ends the document; its bytes stay until the next one begins.
    ///
    /// # Errors
    /// Something was to be written that no document has, such as a name without the namespace of its prefix.
    pub fn finish(&mut self) -> Result<&[u8]> {
        self.finish_start();
        self.ends += 1;
        self.finish_ends();
        match self.failed.take() {
            Some(error) => Err(error),
            None => {
                self.begun = None;
                self.is_stated = self.retains;
                Ok(self.out.as_slice())
            }
        }
    }

    /// The document that was finished last.
    pub fn document(&self) -> &[u8] {
        self.out.as_slice()
    }

    /// How much the vocabulary holds at present.
    pub fn vocabulary_size(&self) -> VocabularySize {
        self.sender.size()
    }

    /// How values were written so far.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Has the vocabulary reached its limits? What is new from here on pays no more until another
    /// sequence is begun, which the receiver has to be told of by other means: in SOAP over TCP by another channel.
    pub fn is_full(&self) -> bool {
        let (size, limits) = (self.sender.size(), &self.options.vocabulary);
        size.entries >= limits.entries || size.bytes >= limits.bytes
    }

    #[cold]
    fn fail(&mut self, why: &'static str) {
        let at = self.out.len();
        self.failed.get_or_insert_with(|| Error::new(ErrorKind::Unwritable(why), at));
    }

    #[inline]
    fn finish_ends(&mut self) {
        while self.ends > 1 {
            self.out.put([TWO_ENDS]);
            self.ends -= 2;
        }
        if self.ends == 1 {
            self.out.put([END]);
            self.ends = 0;
        }
    }

    /// Writes the start of the innermost element, to which no more will come.
    #[inline]
    fn finish_start(&mut self) {
        if std::mem::take(&mut self.in_tag) {
            // Most elements have a name that is known, and nothing else.
            match self.pending {
                Start {
                    name: NameForm::Index(index), ref declarations, ref attributes, ..
                } if declarations.is_empty() && attributes.is_empty() => {
                    self.finish_ends();
                    self.out.index_3(0, index);
                }
                _ => self.write_start(),
            }
        }
    }

    /// Is everything written, so that no tag is kept?
    #[inline(always)]
    fn is_between(&self) -> bool {
        !self.in_tag && self.ends == 0
    }

    /// Writes all tags that were kept.
    #[inline]
    fn finish_tags(&mut self) {
        if !self.is_between() {
            self.finish_start();
            self.finish_ends();
        }
    }

    /// Begins an element whose name has this index.
    #[inline]
    fn begin_start(&mut self, index: usize) {
        self.pending.name = NameForm::Index(index);
        self.depth += 1;
        self.in_tag = true;
    }

    /// Leaves so many elements, and what was declared in them.
    #[inline]
    fn leave(&mut self, ends: usize) {
        self.depth -= ends;
        while let Some([depth, declarations, text]) = self.scopes.last().copied()
            && depth > self.depth
        {
            self.scopes.pop();
            self.scope.truncate(declarations);
            self.scope_text.truncate(text);
        }
    }

    #[inline(never)]
    fn write_start(&mut self) {
        self.finish_ends();
        let mut start = std::mem::take(&mut self.pending);
        let mut top = if start.attributes.is_empty() { 0 } else { 0x40 };
        if !start.declarations.is_empty() {
            self.out.put([0x38 | top]);
            top = 0;
            for [prefix, namespace] in &start.declarations {
                let [prefix, namespace] =
                    [prefix, namespace].map(|span| string(&start.text, *span));
                let bits = u8::from(!prefix.is_empty()) << 1 | u8::from(!namespace.is_empty());
                self.out.put([0xcc | bits]);
                self.identifying(Table::Prefixes, prefix);
                self.identifying(Table::Namespaces, namespace);
            }
            self.out.put([END]);
        }
        match start.name {
            NameForm::Index(index) => self.out.index_3(top, index),
            NameForm::Literal(name) => {
                let index = self.literal_name(NameTable::Elements, top | 0x3c, &start.text, name);
                if let (Some(number), Some(index)) = (start.known, index) {
                    self.sender.note_index(number, index);
                }
            }
        }
        if !start.attributes.is_empty() {
            for (name, value) in &start.attributes {
                match name {
                    NameForm::Index(index) => self.out.index_2(0, *index),
                    NameForm::Literal(name) => {
                        _ = self.literal_name(NameTable::Attributes, 0x78, &start.text, *name);
                    }
                }
                match *value {
                    ValueForm::Text(span) => self.value(string(&start.text, span)),
                    ValueForm::Octets(algorithm, from, length) => {
                        self.out.value_head(0x30, Some(algorithm.number()), length);
                        self.out.put_all(&start.octets[from..from + length]);
                    }
                }
            }
            self.ends = 1;
        }
        start.text.clear();
        start.octets.clear();
        start.declarations.clear();
        start.attributes.clear();
        self.pending = start;
    }

    /// Writes a name, and answers its index; that of an attribute may have become one since it was kept.
    fn literal_name(
        &mut self,
        table: NameTable,
        octet: u8,
        text: &str,
        name: [Span; 3],
    ) -> Option<usize> {
        let [prefix, namespace, local] = name.map(|span| string(text, span));
        let name = Name { prefix, namespace, local };
        if table == NameTable::Attributes
            && let Some(index) = self.sender.find_name(table, name)
        {
            self.out.index_2(0, index);
            return Some(index);
        }
        if !prefix.is_empty() && namespace.is_empty() {
            self.fail("a name has a prefix that is not declared");
            return None;
        }
        if local.is_empty() {
            self.fail("a name is empty");
            return None;
        }
        let bits = u8::from(!prefix.is_empty()) << 1 | u8::from(!namespace.is_empty());
        self.out.put([octet | bits]);
        let entry = [
            self.identifying(Table::Prefixes, prefix),
            self.identifying(Table::Namespaces, namespace),
            self.identifying(Table::LocalNames, local),
        ];
        self.sender.add_name(table, name, entry)
    }

    /// A string that becomes an entry whatever it is, which is answered; none if it is empty.
    fn identifying(&mut self, table: Table, text: &str) -> Span {
        if text.is_empty() {
            return Span::default();
        }
        let hash = self.sender.hash(table, text.as_bytes());
        match self.sender.find(table, hash, text.as_bytes()) {
            Some(index) => {
                self.out.index_2(0x80, index);
                self.sender.entry(table, index)
            }
            None => {
                self.out.length_2(text.len());
                self.out.put_all(text.as_bytes());
                self.sender.add(table, hash, text.as_bytes())
            }
        }
    }

    /// Writes numbers by an algorithm; `each` has so many octets.
    fn octets<T: Copy, const N: usize>(
        &mut self,
        attribute: Option<Name<'_>>,
        algorithm: Algorithm,
        values: &[T],
        each: impl Fn(T) -> [u8; N],
    ) {
        let length = N * values.len();
        let Some(name) = attribute else {
            self.finish_tags();
            self.out.chunk_head(0x0c, Some(algorithm.number()), length);
            return self.out.items(values, each);
        };
        let name = self.name(NameTable::Attributes, name);
        let from = self.pending.octets.len();
        self.pending.octets.items(values, each);
        self.pending.attributes.push((name, ValueForm::Octets(algorithm, from, length)));
    }

    /// Puts a number, which is the first octets of a window.
    #[inline(always)]
    fn put_window(&mut self, attribute: Option<Name<'_>>, window: &Window, length: usize) {
        if attribute.is_none()
            && let Some(first) = window.first_chunk()
            && let Some(key) = Key::of_block(first, length)
        {
            return self.short_text(&key, &window[..length]);
        }
        self.put_octets(attribute, &window[..length]);
    }

    /// A name that is written later.
    #[inline]
    fn name(&mut self, table: NameTable, name: Name<'_>) -> NameForm {
        if let Some(index) = self.sender.find_name(table, name) {
            return NameForm::Index(index);
        }
        let text = &mut self.pending.text;
        NameForm::Literal([name.prefix, name.namespace, name.local].map(|part| push(text, part)))
    }

    /// As [`step`](infoset::Writer::step), name by name. What is written is kept in `whole`, if all names are known.
    fn step_by_names<'n>(
        &mut self,
        ends: usize,
        starts: impl Iterator<Item = (Name<'n>, &'n mut KnownName)>,
        whole: Option<&mut KnownStep>,
    ) {
        let from = self.out.len();
        let ends = ends.min(self.depth);
        if ends > 0 {
            self.finish_start();
            self.leave(ends);
            self.ends += ends;
        }
        let mut is_known = true;
        for (name, known) in starts {
            self.start_known(name, known);
            is_known &= matches!(self.pending.name, NameForm::Index(_));
        }
        let Some(whole) = whole.filter(|_| is_known && self.in_tag) else { return };
        self.finish_start();
        let written = &self.out.as_slice()[from..];
        if let Some(octets) = whole.octets.get_mut(..written.len()) {
            octets.copy_from_slice(written);
            whole.length = written.len() as u8;
            (whole.writer, whole.generation) = (self.number, self.sender.generation());
        }
    }
}

/// A number for another writer.
fn next_number() -> u64 {
    static WRITERS: AtomicU64 = AtomicU64::new(1);
    WRITERS.fetch_add(1, Ordering::Relaxed)
}

/// The text without characters that no document may have; had it none?
#[inline]
fn legal(text: &str) -> (Cow<'_, str>, bool) {
    if characters::is_plain(text.as_bytes()) || text.chars().all(characters::is_legal) {
        return (Cow::Borrowed(text), true);
    }
    (Cow::Owned(text.replace(|it| !characters::is_legal(it), "\u{fffd}")), false)
}

impl infoset::Writer for Writer {
    #[inline]
    fn start(&mut self, name: Name<'_>) {
        self.finish_start();
        self.pending.name = self.name(NameTable::Elements, name);
        self.pending.known = None;
        self.depth += 1;
        self.in_tag = true;
    }

    #[inline]
    fn start_known(&mut self, name: Name<'_>, known: &mut KnownName) {
        if known.writer != self.number {
            *known = KnownName { writer: self.number, number: self.sender.know(name) };
        }
        if let Some(index) = self.sender.index_of(known.number) {
            self.finish_start();
            return self.begin_start(index);
        }
        self.start(name);
        match self.pending.name {
            NameForm::Index(index) => self.sender.note_index(known.number, index),
            NameForm::Literal(_) => self.pending.known = Some(known.number),
        }
    }

    #[inline]
    fn step<'n>(
        &mut self,
        ends: usize,
        starts: impl ExactSizeIterator<Item = (Name<'n>, &'n mut KnownName)>,
        whole: Option<&mut KnownStep>,
    ) {
        if let Some(known) = whole.as_deref()
            && self.repeat(ends, starts.len(), known)
        {
            return;
        }
        let is_between = self.is_between();
        self.step_by_names(ends, starts, whole.filter(|_| is_between));
    }

    #[inline(always)]
    fn repeat(&mut self, ends: usize, starts: usize, known: &KnownStep) -> bool {
        let holds = known.writer == self.number
            && known.generation == self.sender.generation()
            && self.is_between();
        if holds {
            self.leave(ends);
            self.depth += starts;
            let mut cursor = self.out.cursor(known.octets.len());
            cursor.block(&known.octets, known.length.into());
            cursor.finish();
        }
        holds
    }

    fn opening(&mut self, known: &mut KnownOpening, write: impl FnOnce(&mut Self)) {
        let is_between = self.is_between();
        if is_between && known.writer == self.number && known.generation == self.sender.generation()
        {
            return self.write_opening(known);
        }
        let before = (self.out.len(), self.scope.len(), self.scope_text.len(), self.scopes.len());
        let (depth, entries, counters) = (self.depth, self.sender.size(), self.counters);
        let undecided = self.undecided;
        write(self);
        if is_between && self.in_tag && self.ends == 0 {
            self.finish_start();
            // Of what becomes an entry, or may be one the next time, nothing is kept.
            let is_same = self.sender.size() == entries && self.undecided == undecided;
            if is_same && self.ends == 0 && self.failed.is_none() {
                self.know_opening(known, before, depth);
                let Counters { indexes, literals } = self.counters.since(&counters);
                known.values = [indexes, literals];
            }
        }
    }

    fn declare(&mut self, prefix: &str, namespace: &str) -> bool {
        let (namespace, is_legal) = legal(namespace);
        let text = &mut self.pending.text;
        self.pending.declarations.push([prefix, &namespace].map(|part| push(text, part)));
        if self.scopes.last().is_none_or(|[depth, ..]| *depth != self.depth) {
            self.scopes.push([self.depth, self.scope.len(), self.scope_text.len()]);
        }
        let text = &mut self.scope_text;
        self.scope.push([prefix, &namespace].map(|part| push(text, part)));
        is_legal
    }

    fn attribute(&mut self, name: Name<'_>, value: &str) -> bool {
        let (value, is_legal) = legal(value);
        let name = self.name(NameTable::Attributes, name);
        let value = push(&mut self.pending.text, &value);
        self.pending.attributes.push((name, ValueForm::Text(value)));
        is_legal
    }

    #[inline]
    fn text(&mut self, text: &str) -> bool {
        let octets = text.as_bytes();
        match Key::of(octets) {
            Some(key) if key.is_plain() => self.short_text(&key, octets),
            None if characters::is_plain(octets) => self.plain_text(octets),
            _ => return self.other_text(text),
        }
        true
    }

    #[inline(always)]
    fn put_block<const N: usize>(
        &mut self,
        attribute: Option<Name<'_>>,
        block: &[u8; N],
        text: &str,
    ) -> bool {
        if attribute.is_none()
            && let Some(first) = block.first_chunk()
            && let Some(key) = Key::of_block(first, text.len())
            && key.is_plain()
        {
            self.short_text(&key, text.as_bytes());
            return true;
        }
        self.put(attribute, text)
    }

    #[inline]
    fn put_octets(&mut self, attribute: Option<Name<'_>>, text: &[u8]) {
        if let Some(key) = Key::of(text).filter(|_| attribute.is_none())
            && key.is_plain()
        {
            return self.short_text(&key, text);
        }
        match attribute {
            None if characters::is_plain(text) => self.plain_text(text),
            _ => _ = self.put(attribute, &String::from_utf8_lossy(text)),
        }
    }

    fn float<F: Float>(&mut self, attribute: Option<Name<'_>>, value: F) {
        let mut window = [0; 40];
        let length = write_float(value, &mut window);
        // In binary it takes three octets more than the number does.
        if length > F::BYTES + 1 {
            return self.floats(attribute, &[value]);
        }
        self.put_window(attribute, &window, length);
    }

    fn integer<I: Integer>(&mut self, attribute: Option<Name<'_>>, value: I) {
        let mut window = [0; 40];
        let length = value.write(&mut window);
        self.put_window(attribute, &window, length);
    }

    fn decimal(&mut self, attribute: Option<Name<'_>>, value: Decimal) {
        let mut window = [0; 40];
        let length = value.write(&mut window);
        self.put_window(attribute, &window, length);
    }

    fn bytes(&mut self, attribute: Option<Name<'_>>, value: &[u8]) {
        match value.is_empty() {
            true => _ = self.put(attribute, ""),
            false => self.octets(attribute, Algorithm::Base64, value, |octet| [octet]),
        }
    }

    fn integers<I: Integer>(&mut self, attribute: Option<Name<'_>>, values: &[I]) {
        let [first, _, ..] = values else {
            return match values.first() {
                Some(value) => self.integer(attribute, *value),
                None => _ = self.put(attribute, ""),
            };
        };
        let (least, most) = values
            .iter()
            .fold((*first, *first), |(least, most), value| (least.min(*value), most.max(*value)));
        let (least, most) = (least.to_i128(), most.to_i128());
        let fits = |bits: u32| -(1_i128 << (bits - 1)) <= least && most < 1 << (bits - 1);
        if fits(16) {
            self.octets(attribute, Algorithm::Short, values, |it| {
                (it.to_i64() as i16).to_be_bytes()
            });
        } else if fits(32) {
            self.octets(attribute, Algorithm::Int, values, |it| (it.to_i64() as i32).to_be_bytes());
        } else if fits(64) {
            self.octets(attribute, Algorithm::Long, values, |it| it.to_i64().to_be_bytes());
        } else {
            let text = infoset::spaced(values, I::write);
            self.put(attribute, &text);
        }
    }

    fn floats<F: Float>(&mut self, attribute: Option<Name<'_>>, values: &[F]) {
        match (values.is_empty(), F::BYTES) {
            (true, _) => _ = self.put(attribute, ""),
            (false, 4) => self.octets(attribute, Algorithm::Float, values, |value| {
                (value.bits() as u32).to_be_bytes()
            }),
            (false, _) => {
                self.octets(attribute, Algorithm::Double, values, |value| {
                    value.bits().to_be_bytes()
                });
            }
        }
    }

    fn raw(&mut self, elements: &str) {
        if let Err(why) = self.write_elements(elements) {
            self.fail(why);
        }
    }

    #[inline]
    fn end(&mut self) {
        self.finish_start();
        if self.depth > 0 {
            self.leave(1);
            self.ends += 1;
        }
    }

    fn position(&self) -> usize {
        self.out.len()
    }
}
