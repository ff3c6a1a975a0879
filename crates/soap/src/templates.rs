//! Templates of what stands around messages: bytes that a decoder need not read again.
//!
//! ```text
//!   <?xml ...?><S:Envelope ...><S:Header> ... </S:Header><S:Body><Order>...</Order></S:Body></S:Envelope>
//!   \________________________________ opening _________________________/   \__________ ending __________/
//!                                       ^^^ may be another in every message
//! ```
//! Most senders send the same bytes around every message. Equal bytes are not parsed again; a
//! Header that differs is. What gaps mean depends on the prefixes in scope alone, so openings that declare
//! the same prefixes share their [templates of gaps](super::gap_templates).

use std::ops::Range;

use trunkline_codec::infoset::same;
use trunkline_codec::xml::{Event, Parser};
use trunkline_message::Result;

use crate::envelope::{SOAP11, SOAP12};
use crate::form::Xml;
use crate::gap_templates::GapTemplates;
use crate::opening::{self, Entered, Names};
use crate::options::Layout;
use crate::plan::Plan;
use crate::unknown::UnknownCounter;

/// Openings that are kept at most.
const MOST: usize = 4;

/// The least recently used opening is evicted only after so many misses: one sender too many must not
/// evict all.
const MISSES_BEFORE_EVICTION: u32 = 8;

/// Longer openings and endings are not worth keeping.
const LONGEST: usize = 16 * 1024;

/// The templates of a decoder, for the senders of its messages.
#[derive(Debug)]
pub(super) struct Templates {
    openings: Vec<Opening>,
    /// The opening of the present message; beyond the last if it is not kept.
    present: usize,
    /// One for each opening at most, and one for messages whose opening is not kept.
    contexts: Vec<Context>,
    /// That of the present message.
    context: usize,
    /// How many openings came that were not kept.
    misses: u32,
}

/// The templates of gaps that hold where the same prefixes are in scope.
#[derive(Debug)]
struct Context {
    /// Prefixes and the names of their namespaces; none if there are no templates yet.
    bindings: Vec<(Box<str>, Box<str>)>,
    gap_templates: GapTemplates,
}

impl Context {
    fn new(plan: &Plan) -> Self {
        let fields = plan.scopes.iter().map(|scope| scope.slots.len());
        let gap_templates = GapTemplates::new(fields, plan.namespaces.prefixes());
        Self { bindings: Vec::new(), gap_templates }
    }

    /// Are its prefixes those in scope?
    fn is_of(&self, input: &str, parser: &Parser) -> bool {
        let stands = |(prefix, name): &(Box<str>, Box<str>)| {
            let found = parser.resolve_prefix(input, prefix);
            found.is_some_and(|it| same(parser.namespace_name(input, it), name))
        };
        parser.bindings(input).count() == self.bindings.len() && self.bindings.iter().all(stands)
    }

    /// Begins anew with the prefixes in scope.
    fn begin(&mut self, input: &str, parser: &Parser) {
        self.gap_templates.forget();
        self.bindings.clear();
        // It is not found again where that would take too much.
        if parser.position() <= LONGEST {
            let bindings = parser.bindings(input);
            self.bindings.extend(bindings.map(|(prefix, name)| (prefix.into(), name.into())));
        }
    }
}

/// The template of what stands between the beginning of a document and the inside of the message's own element.
#[derive(Debug)]
pub(super) struct Opening {
    /// All of it, as it came the first time.
    bytes: Box<[u8]>,
    /// Behind it.
    parser: Parser,
    blocks: Option<Blocks>,
    /// What names mean there.
    names: Option<Names>,
    /// Unknown attributes in it.
    unknown: usize,
    /// The last bytes behind the message.
    ending: Box<[u8]>,
    context: usize,
    /// How many openings had not been kept when this one came last.
    used: u32,
}

/// The header blocks of an opening.
#[derive(Debug)]
struct Blocks {
    /// From behind the start tag of the Header to behind its end tag.
    content: Range<usize>,
    /// Behind the start tag.
    parser: Parser,
    /// The namespace of the envelope.
    soap: &'static str,
}

impl Templates {
    /// No templates yet.
    pub(super) fn new(plan: &Plan) -> Self {
        let contexts = vec![Context::new(plan)];
        Self { openings: Vec::new(), present: 0, contexts, context: 0, misses: 0 }
    }

    /// Goes to the inside of the message's own element; if `fast`, templates are compared and made.
    /// Counts the unknown attributes there in `unknown`, also up to an error.
    #[inline(always)]
    pub(super) fn enter(
        &mut self,
        plan: &Plan,
        input: &str,
        parser: &mut Parser,
        fast: bool,
        unknown: &mut UnknownCounter,
    ) -> Result<Entered> {
        if fast
            && let Some(opening) = self.openings.get_mut(self.present)
            && opening.resume(input, parser)
        {
            opening.used = self.misses;
            unknown.count = opening.unknown;
            return Ok(Entered::ByTemplate);
        }
        self.enter_slow(plan, input, parser, fast, unknown)
    }

    #[inline(never)]
    fn enter_slow(
        &mut self,
        plan: &Plan,
        input: &str,
        parser: &mut Parser,
        fast: bool,
        unknown: &mut UnknownCounter,
    ) -> Result<Entered> {
        if !fast {
            parser.begin(input)?;
            let nil = opening::open(plan, &mut Xml::new(parser, input), unknown)?;
            return Ok(if nil { Entered::Nil } else { Entered::Parsed });
        }
        let known = self.openings.iter().position(|it| it.resume(input, parser));
        if let Some(index) = known {
            unknown.count = self.take(index);
            return Ok(Entered::ByTemplate);
        }
        let nil = match self.pass_header(plan, input, parser)? {
            Passed::Opening(index) => {
                unknown.count = self.take(index);
                return Ok(Entered::ByTemplate);
            }
            Passed::Blocks(soap) => {
                let reader = &mut Xml::new(&mut *parser, input);
                opening::behind_header(plan, reader, (soap, Ok(())), unknown)?
            }
            Passed::Nothing => {
                parser.begin(input)?;
                opening::open(plan, &mut Xml::new(&mut *parser, input), unknown)?
            }
        };
        if nil {
            return Ok(Entered::Nil);
        }
        self.learn(plan, input, parser, unknown);
        Ok(Entered::Parsed)
    }

    /// A message begins with this opening. Answers how many attributes in it are unknown.
    fn take(&mut self, index: usize) -> usize {
        let opening = &mut self.openings[index];
        opening.used = self.misses;
        (self.present, self.context) = (index, opening.context);
        opening.unknown
    }

    /// Reads a Header behind the start of a known opening, and goes on if the rest of the opening matches.
    fn pass_header(&self, plan: &Plan, input: &str, parser: &mut Parser) -> Result<Passed> {
        let bytes = input.as_bytes();
        let first = self.openings.get(self.present).into_iter().chain(&self.openings);
        let all = first.filter_map(|it| Some((it, it.blocks.as_ref()?)));
        let mut begun = all.filter(|(it, blocks)| bytes.starts_with(it.head(blocks)));
        let Some((_, Blocks { parser: saved, soap, .. })) = begun.next() else {
            return Ok(Passed::Nothing);
        };
        parser.restore(saved);
        let start = parser.position();
        let reader = &mut Xml::new(&mut *parser, input);
        opening::header(reader, soap, plan.options.any_header)?;
        let end = parser.position();
        let index = self.openings.iter().position(|it| it.resume_behind(bytes, start..end, parser));
        Ok(index.map_or(Passed::Blocks(soap), Passed::Opening))
    }

    /// Makes a template of the opening up to where the parser stands, inside the message's element, if there
    /// is room; finds the templates of gaps for the prefixes in scope.
    #[cold]
    fn learn(&mut self, plan: &Plan, input: &str, parser: &mut Parser, unknown: &UnknownCounter) {
        self.misses = self.misses.wrapping_add(1);
        let age = |it: &Opening| self.misses.wrapping_sub(it.used);
        let oldest = (0..self.openings.len()).max_by_key(|it| age(&self.openings[*it]));
        let (room, index) = match oldest {
            Some(oldest) if self.openings.len() == MOST => {
                (age(&self.openings[oldest]) > MISSES_BEFORE_EVICTION, oldest)
            }
            _ => (true, self.openings.len()),
        };
        // Content to be kept is read each time.
        let learns = room && unknown.pending.is_empty();
        let opening = if learns { Opening::of(plan, input, parser) } else { None };
        self.present = if opening.is_some() { index } else { MOST };
        self.context = self.context_of(plan, input, parser);
        if let Some(opening) = opening {
            let unknown = unknown.count;
            let opening = Opening { unknown, context: self.context, used: self.misses, ..opening };
            match self.openings.get_mut(index) {
                Some(place) => *place = opening,
                None => self.openings.push(opening),
            }
        }
    }

    /// The context of the prefixes in scope: one that is known, or one begun anew that no opening
    /// needs but perhaps the present one, which goes.
    fn context_of(&mut self, plan: &Plan, input: &str, parser: &Parser) -> usize {
        if plan.in_tags {
            return 0; // There are no gaps.
        }
        let known = self.contexts.iter().position(|it| it.is_of(input, parser));
        known.unwrap_or_else(|| {
            let openings = self.openings.iter().enumerate();
            let is_needed =
                |it| openings.clone().any(|(index, of)| index != self.present && of.context == it);
            let count = self.contexts.len();
            let free = (0..count).find(|it| !is_needed(*it)).unwrap_or(count);
            if free == count {
                self.contexts.push(Context::new(plan));
            }
            self.contexts[free].begin(input, parser);
            free
        })
    }

    /// The opening of the present message, if it is kept, and the templates of gaps for its prefixes.
    #[inline(always)]
    pub(super) fn present(&mut self) -> (Option<&mut Opening>, &mut GapTemplates) {
        (self.openings.get_mut(self.present), &mut self.contexts[self.context].gap_templates)
    }
}

/// How far a known opening reaches whose Header is another.
enum Passed {
    /// It is none.
    Nothing,
    /// Behind the Header of an envelope in this namespace.
    Blocks(&'static str),
    /// To its end.
    Opening(usize),
}

impl Opening {
    /// The template of what stands before the parser, if it is worth keeping. What header blocks have declared
    /// is then forgotten, so that the template holds behind other blocks.
    fn of(plan: &Plan, input: &str, parser: &mut Parser) -> Option<Self> {
        let end = parser.position();
        if end > LONGEST {
            return None;
        }
        let mut again = parser.clone();
        again.begin(input).ok()?;
        let blocks = match plan.options.layout {
            Layout::Fragment => None,
            _ => Blocks::read(input, &mut again)?,
        };
        while again.position() < end {
            again.next(input).ok()?;
        }
        if plan.in_tags {
            go_into_tag(input, &mut again, plan.width)?;
        } else {
            parser.restore(&again);
        }
        Some(Self {
            bytes: input.as_bytes()[..again.position()].into(),
            parser: again,
            blocks,
            names: None,
            unknown: 0,
            ending: Box::default(),
            context: 0,
            used: 0,
        })
    }

    /// Puts the parser behind the opening if the document begins with it.
    #[inline]
    fn resume(&self, input: &str, parser: &mut Parser) -> bool {
        let begins = input.as_bytes().starts_with(&self.bytes);
        if begins {
            parser.restore(&self.parser);
        }
        begins
    }

    /// The same, where the Header of the document has this content, which the parser has read.
    fn resume_behind(&self, bytes: &[u8], content: Range<usize>, parser: &mut Parser) -> bool {
        let stands = |blocks: &&Blocks| {
            self.head(blocks) == &bytes[..content.start]
                && bytes[content.end..].starts_with(&self.bytes[blocks.content.end..])
        };
        let Some(blocks) = self.blocks.as_ref().filter(stands) else { return false };
        parser.restore_moved(&self.parser, blocks.content.end, content.end);
        true
    }

    /// What stands before the content of the Header.
    fn head(&self, blocks: &Blocks) -> &[u8] {
        &self.bytes[..blocks.content.start]
    }

    /// What names mean inside.
    #[inline]
    pub(super) fn names(&self) -> Option<Names> {
        self.names
    }

    /// Keeps what names mean inside.
    #[cold]
    pub(super) fn learn_names(&mut self, names: Names) {
        self.names = Some(names);
    }

    /// Is the rest of the document the same as that of the last message?
    #[inline]
    pub(super) fn ends(&self, input: &str, at: usize) -> bool {
        !self.ending.is_empty() && input.as_bytes()[at..] == *self.ending
    }

    /// Keeps the rest of the document, which was found good.
    #[cold]
    pub(super) fn learn_end(&mut self, input: &str, at: usize) {
        let rest = &input.as_bytes()[at..];
        self.ending = if rest.len() <= LONGEST { rest.into() } else { Box::default() };
    }
}

impl Blocks {
    /// Reads the Envelope's start tag, and the Header if there is one that is not empty; keeps nothing
    /// of what that declares inside. No answer where no document begins so.
    fn read(input: &str, parser: &mut Parser) -> Option<Option<Self>> {
        let namespace = loop {
            if let Event::Start { name, .. } = parser.next(input).ok()? {
                break parser.namespace_name(input, name.namespace);
            }
        };
        let soap = [SOAP11, SOAP12].into_iter().find(|it| *it == namespace)?;
        let is_header = loop {
            if let Event::Start { name, empty } = parser.next(input).ok()? {
                break name.local() == "Header" && !empty;
            }
        };
        if !is_header {
            return Some(None);
        }
        let saved = parser.clone();
        parser.skip_element(input).ok()?;
        let content = saved.position()..parser.position();
        parser.restore(&saved);
        parser.pop_known_elements(1);
        parser.set_position(content.end);
        Some(Some(Self { content, parser: saved, soap }))
    }
}

/// Puts the parser, behind the start tag of the message's element, to where the first attribute may
/// stand. No answer for a tag that may have more than `width` of them with its declarations, or that
/// declares anything later.
fn go_into_tag(input: &str, parser: &mut Parser, width: usize) -> Option<()> {
    let end = parser.position();
    let first = parser.attributes(input).next().map(|it| it.name.qualified());
    let name = first.map(|name| name.as_ptr().addr() - input.as_ptr().addr() - 1);
    let at = name.unwrap_or(end - 1 - usize::from(parser.is_empty_element()));
    let declares_later = input[at..end].contains("xmlns");
    let start = input[..at].rfind('<').unwrap_or(0);
    let declarations = input[start..at].matches("xmlns").count();
    if declares_later || declarations + width > parser.most_attributes() {
        return None;
    }
    parser.resume_in_tag(at);
    Some(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use trunkline_message::{Kind, Layout, Limits, Need};

    use super::*;
    use crate::{Options, Style};
    use trunkline_codec::xml;

    fn plan(attributes: bool) -> Arc<Plan> {
        let mut builder = Layout::builder("Order");
        builder.field("name", Kind::Text, Need::Optional);
        let style = Style::DocumentLiteral;
        let namespace = "urn:x".into();
        let layout = Arc::new(builder.build().unwrap());
        Plan::new(&layout, &Options { style, namespace, attributes, ..Options::default() })
            .expect("a plan")
    }

    fn document(sender: usize, header: &str, attributes: &str) -> String {
        let header = match header {
            "" => String::new(),
            blocks => format!("<S{sender}:Header>{blocks}</S{sender}:Header>"),
        };
        format!(
            "<S{sender}:Envelope xmlns:S{sender}='{SOAP11}'>{header}<S{sender}:Body>\
             <p{sender}:Order xmlns:p{sender}='urn:x'{attributes}><p{sender}:name>a</p{sender}:name>\
             </p{sender}:Order></S{sender}:Body></S{sender}:Envelope>"
        )
    }

    /// The parser's context, as text.
    fn place(input: &str, parser: &Parser) -> String {
        let names = parser.open_elements(0).map(|(start, length)| &input[start..start + length]);
        let names: Vec<&str> = names.collect();
        let bindings: Vec<_> = parser.bindings(input).collect();
        let rest = &input[parser.position()..];
        format!("{names:?} {bindings:?} {:?} {rest}", parser.is_in_content())
    }

    struct Reader {
        plan: Arc<Plan>,
        templates: Templates,
        parser: Parser,
    }

    impl Reader {
        fn new(attributes: bool) -> Self {
            let plan = plan(attributes);
            let templates = Templates::new(&plan);
            let parser = Parser::new(xml::Options::soap(), &Limits::default());
            Self { plan, templates, parser }
        }

        /// Is the opening known? It leads to where the parser comes by itself, or to the attributes
        /// there.
        fn knows(&mut self, input: &str) -> bool {
            let (plan, mut unknown, mut expected) =
                (&self.plan, UnknownCounter::default(), UnknownCounter::default());
            let parser = &mut self.parser;
            let entered = self.templates.enter(plan, input, parser, true, &mut unknown).unwrap();
            let mut alone = Parser::new(xml::Options::soap(), &Limits::default());
            alone.begin(input).unwrap();
            opening::open(plan, &mut Xml::new(&mut alone, input), &mut expected).unwrap();
            assert_eq!(unknown.count, expected.count);
            if plan.in_tags && entered == Entered::ByTemplate {
                go_into_tag(input, &mut alone, plan.width).unwrap();
            }
            assert_eq!(place(input, parser), place(input, &alone));
            entered == Entered::ByTemplate
        }
    }

    #[test]
    fn senders_in_turn_are_known_from_their_second_message_on() {
        for attributes in [false, true] {
            let mut reader = Reader::new(attributes);
            for time in 0..3 {
                for sender in 0..MOST {
                    assert_eq!(reader.knows(&document(sender, "", " a='1'")), time > 0);
                }
            }
        }
    }

    #[test]
    fn a_header_may_be_another_in_every_message() {
        let many: String = (0..40).map(|it| format!(" xmlns:prefix-{it}='urn:{it}'")).collect();
        let headers = [
            "<id>1</id>".to_owned(),
            "<id>23</id><to xmlns='urn:to'/>".to_owned(),
            "\n".to_owned(),
            "<o:id xmlns:o='urn:x' xmlns:p0='urn:other'>1</o:id>".to_owned(),
            format!("<id{many}>{}</id>", "x".repeat(2 * LONGEST)),
            format!("<id xmlns:averylongprefix='urn:a&amp;b'>{}</id>", "x".repeat(70)),
        ];
        for attributes in [false, true] {
            for first in &headers {
                let mut reader = Reader::new(attributes);
                assert!(!reader.knows(&document(0, first, "")));
                // The first was too long to be kept?
                assert_eq!(reader.knows(&document(0, &headers[0], "")), first.len() <= LONGEST);
                let known = headers.iter().filter(|it| reader.knows(&document(0, it, "")));
                assert_eq!(known.count(), headers.len());
                // Where attributes are fields, the opening ends before them.
                assert_eq!(reader.knows(&document(0, &headers[1], " version='1'")), attributes);
                assert!(!reader.knows(&document(0, "", "")), "no Header at all");
            }
        }
    }

    #[test]
    fn one_sender_too_many_does_not_push_out_the_others() {
        let mut reader = Reader::new(false);
        for round in 0..20 {
            for sender in 0..=MOST {
                let known = reader.knows(&document(sender, "", ""));
                assert_eq!(known, round > 0 && sender < MOST, "{sender} in {round}");
            }
        }
        // When only the fifth is left, it finds room.
        let unknown = (0..20).filter(|_| !reader.knows(&document(MOST, "", ""))).count();
        assert!(unknown <= MISSES_BEFORE_EVICTION as usize + 1, "{unknown}");
        // It was one that had not come for long which went, and only that.
        let known = (0..MOST).filter(|it| reader.knows(&document(*it, "", ""))).count();
        assert_eq!(known, MOST - 1);
    }

    #[test]
    fn openings_with_the_same_prefixes_share_templates() {
        let mut reader = Reader::new(false);
        let mut contexts = Vec::new();
        for number in 0..30 {
            reader.knows(&document(0, "", &format!(" number='{number}'")));
            contexts.push(reader.templates.context);
        }
        assert_eq!(contexts, [contexts[0]; 30]);
        reader.knows(&document(0, "<o:id xmlns:p0='urn:y' xmlns:o='urn:o'/>", ""));
        assert_eq!(reader.templates.context, contexts[0], "what a block declares ends with it");
        reader.knows(&document(1, "", ""));
        assert_ne!(reader.templates.context, contexts[0]);
        for sender in 2..50 {
            reader.knows(&document(sender, "", ""));
        }
        assert!(reader.templates.contexts.len() <= MOST + 1);
    }
}
